"""BERT-large on a package of chips: the rules, a broken triangle mended, a search (after the MCM paper)."""

from __future__ import annotations

from planner.problem.problem import Plan
from planner.problem.provenance import Provenance
from stories.parts import BOTTLENECK, BROKEN, MOVED, Made, Scene, Script
from stories.searches import problem_of, proven, searched


def _package() -> list[Made]:
    from planner.repair import repair

    problem = problem_of(("bert_large.json",), "mcm:36,sram=40MiB,precision=int8,copy_sources=8")
    greedy, _ = searched(problem, "chip-greedy")
    simple = proven(problem, "simple")
    broken = broken_triangle(greedy)
    keep = (broken.decision.device_of != greedy.decision.device_of).nonzero()[0]
    mended = repair(problem, broken.decision.device_of, keep, seconds=60.0)
    repaired = problem.plan(mended.device_of, Provenance("repair", seed=0, note=mended.sentence))
    best, _ = searched(problem, "chip-local-search", rounds=2, moves=40000, orders=20)
    return [
        Made("greedy", greedy, simple),
        Made("by hand", broken, simple),
        Made("repaired", repaired, simple),
        Made("searched", best, simple),
    ]


def broken_triangle(plan: Plan) -> Plan:
    """``plan`` with one op on the next chip, the first whose move breaks the triangle rule and nothing else."""
    problem, devices = plan.problem, plan.decision.device_of
    live = problem.live(devices)
    for op in range(problem.graph.n // 3, problem.graph.n):
        device = int(devices[op]) + 1
        if device >= problem.target.count or live.check([op]).legal[device]:  # type: ignore[attr-defined]
            continue
        moved = devices.copy()
        moved[op] = device
        found = problem.evaluate(moved)
        if {violation.kind for violation in found.violations} == {"triangle"}:
            return problem.plan(
                moved, Provenance("hand", note=f"{problem.graph.op_names[op]} moved to the next chip")
            )
    raise ValueError("no single move breaks the triangle rule alone")


PACKAGE = Script(
    "package",
    "A large network on a package of chips",
    "BERT-large on a chain of small chips whose wires forbid most ways to share the work: what the rules are, how a broken plan is"
    " mended, and what a search makes of it. After the MCM paper.",
    ("sample:bert_large.json",),
    _package,
    (
        Scene(
            "greedy", "One network, {devices} chips",
            "BERT-large has {ops} operators and {params} of parameters; a chip of this package holds {limit}.",
            view="flow", hold=8.0,
        ),
        Scene(
            "greedy", "Fill one chip after the other",
            "Data only goes forward along the chain. Equal shares of work: the slowest chip takes {objective}.",
            panel="costs",
        ),
        Scene(
            "by hand", "One operator moved, one rule broken",
            "A chip that feeds another directly must not also feed it through a third. Now one does.",
            panel="costs", versus="greedy", zoom=MOVED, mark=BROKEN,
        ),
        Scene(
            "repaired", "Mended by the constraint solver",
            "It stays where it was put. Others that had to move: {moved} of {ops}. All rules hold again.",
            panel="difference", versus="by hand",
        ),
        Scene(
            "searched", "Let it search",
            "Good orders cut exactly, then many small moves, each kept legal: {objective}, {change} less.",
            panel="difference", versus="repaired", transition=2.0,
        ),
        Scene(
            "searched", "The chip that sets the pace",
            "{bottleneck} works for {bottleneck_work} and spends {bottleneck_transfers} on what comes and goes.",
            panel="costs", zoom=BOTTLENECK,
        ),
        Scene(
            "searched", "How much is left?",
            "No plan is faster than {bound}, the work shared out evenly. So at most {gap} can still be gained.",
            panel="convergence",
        ),
        Scene("searched", "The certificate", "What it costs, what is proven, and which rules it keeps.", view="certificate"),
    ),
    theme="dark",
)  # fmt: skip
