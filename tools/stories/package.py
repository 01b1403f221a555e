"""BERT-large on a package of chips: the rules, a search, a broken triangle mended (after the MCM paper)."""

from __future__ import annotations

from planner.problem.problem import Plan
from planner.problem.provenance import Provenance
from stories.parts import BOTTLENECK, Made, Scene, Script
from stories.searches import problem_of, proven, searched

STEPS = (1, 2, -1, -2)
"""How far along the chain the op is moved that breaks a rule."""


def _package() -> list[Made]:
    from planner.repair import repair

    problem = problem_of(("bert_large.json",), "mcm:36,sram=40MiB,precision=int8,copy_sources=8")
    greedy, _ = searched(problem, "chip-greedy")
    simple = proven(problem, "simple")
    best, _ = searched(problem, "chip-local-search", rounds=2, moves=40000, orders=20)
    broken = broken_triangle(best)
    keep = (broken.decision.device_of != best.decision.device_of).nonzero()[0]
    mended = repair(problem, broken.decision.device_of, keep, seconds=60.0)
    repaired = problem.plan(mended.device_of, Provenance("repair", seed=0, note=mended.sentence))
    return [
        Made("greedy", greedy, simple),
        Made("searched", best, simple),
        Made("by hand", broken, simple),
        Made("repaired", repaired, simple),
    ]


def broken_triangle(plan: Plan) -> Plan:
    """``plan`` with one op a chip or two further on, or back: the first such move that breaks the triangle rule, over three chips, and
    nothing else."""
    problem, devices = plan.problem, plan.decision.device_of
    live = problem.live(devices)
    for op in range(problem.graph.n):
        legal = live.check([op]).legal
        for device in (int(devices[op]) + step for step in STEPS):
            if not 0 <= device < problem.target.count or legal[device]:  # type: ignore[attr-defined]
                continue
            moved = devices.copy()
            moved[op] = device
            found = problem.evaluate(moved).violations
            if {violation.kind for violation in found} == {"triangle"} and len(found[0].devices) == 3:
                words = f"{problem.graph.op_names[op]} moved to {problem.devices[device].title.lower()}"
                return problem.plan(moved, Provenance("hand", note=words))
    raise ValueError("no single move breaks the triangle rule alone, over three chips")


PACKAGE = Script(
    "package",
    "A large network on a package of chips",
    "BERT-large on a chain of small chips whose wires forbid most ways to share the work: what the rules are, what a search makes of"
    " them, and how a broken plan is mended. After the MCM paper.",
    ("sample:bert_large.json",),
    _package,
    (
        Scene(
            "greedy", "One network, {devices} chips",
            "BERT-large has {ops} operators and {params} of parameters; a chip of this package holds {limit}.",
            view="flow", hold=8.0,
            notes="The network on its chips. A chip holds little, and wires lead only from one chip to the next.",
        ),
        Scene(
            "greedy", "Greedy: fill one chip after the other",
            "Data only goes forward along the chain. Equal shares are the aim; what is left goes to the last chip: {objective}.",
            view="package",
            notes="A first plan: operators in order, each chip filled to its share; what found no place before ends on the last. The legend says how bars and links are read.",
        ),
        Scene(
            "searched", "Let it search",
            "Good orders cut exactly, then many small moves, each kept legal: {objective}, {change} less.",
            view="package", panel="difference", versus="greedy", transition=2.0,
            notes="Watch the links as well as the bars: the search cuts good orders exactly, then moves single operators, and a solver keeps every step legal.",
        ),
        Scene(
            "searched", "The chip that sets the pace",
            "{bottleneck} works for {bottleneck_work} and spends {bottleneck_transfers} on what comes and goes.",
            panel="package", zoom=BOTTLENECK, most=0.55,
            notes="The slowest chip spends almost all of its time on work: tensors are not what holds it back.",
        ),
        Scene(
            "by hand", "One operator moved, one rule broken",
            "A chip that feeds another directly must not also feed it through a third. Now one does.",
            view="package", versus="searched",
            notes="The triangle rule: data may not go from one chip to another both directly and by way of a third. One move was enough to break it.",
        ),
        Scene(
            "repaired", "Mended by the constraint solver",
            "The operator stays where it was put. Others that had to move: {moved} of {ops}. All rules hold again.",
            view="package", versus="by hand",
            notes="The solver keeps the operator where it was put and moves little else.",
        ),
        Scene(
            "searched", "How much is left?",
            "No plan is faster than {bound}, the work shared out evenly. So at most {gap} can still be gained.",
            view="package", panel="convergence",
            notes="This bound only shares out the work. What is between it and the plan may or may not be possible: nobody knows yet.",
        ),
        Scene(
            "searched", "The certificate", "What it costs, what is proven, and which rules it keeps.", view="certificate",
            notes="The plan is valid and better than the first, and it is not proven to be the best. The certificate says exactly that.",
        ),
    ),
    theme="dark",
)  # fmt: skip
