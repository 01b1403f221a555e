"""Why the rules of a multi-chip module leave no plan: which direct dependencies, and the sentence that says it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.feasibility.proof import McmProof, mcm_proof
from planner.methods.feasibility.cause import Cause
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.confinement import Units, heaviest
from planner.methods.feasibility.minimise import smallest
from planner.methods.feasibility.requirements import Requirement
from planner.methods.feasibility.wording import listed, needs_text
from planner.problem.problem import Pin, Problem
from planner.quantity import time_text

POOR = 2.0
"""How many times its share a chip has at least where every plan counts as poor."""


def mcm_cause(problem: Problem, kept: Sequence[Requirement], clock: Clock) -> Cause:
    """The cause of an infeasible package problem that demands no more than ``kept`` beside the order of the chips.

    Dependencies all stay, as they are the network; what is made small is the set of ops whose direct dependencies the
    triangle rule has to bind.
    """
    e = problem.evaluator
    assert isinstance(e, McmEvaluator)
    graph = problem.graph
    pinned = [graph.index[c.op] for c in problem.constraints if isinstance(c, Pin)]
    names = ("order", *(r.name for r in kept))
    phrase = needs_text(problem, kept)
    proof = mcm_proof(problem, clock.over) if e.target.triangle else None
    feeders = None if proof is None else _feeders(proof, clock)
    if proof is None or feeders is None:
        sentence = f"no plan keeps {phrase} where dependencies lead to the same or a later chip only"
        return Cause(tuple(dict.fromkeys(pinned)), names, sentence)
    most = 0
    if e.target.every_chip and not clock.over():
        most = proof.most_chips(clock.left) or 0
    ops, parts, ends = list(pinned), [], []
    for unit in feeders:
        feeder, readers, inner = _bound_by(proof, unit)
        ops += [feeder, *readers]
        ends.append(feeder)
        parts.append((feeder, readers, len(inner)))
    if not parts:
        sentence = f"no plan keeps {phrase} where dependencies lead to the same or a later chip only"
    else:
        sentence = _sentence(problem, parts, pinned, phrase, most)
    return Cause(tuple(dict.fromkeys(ops)), names, sentence, tuple(ends), most_chips=most)


def poor_cause(problem: Problem) -> Cause | None:
    """The direct dependency that keeps so much work on two chips that no plan is good, None where there is none.

    That is, half of the work exceeds :data:`POOR` times the share of a chip and the largest op.
    """
    e = problem.evaluator
    units = Units.of(problem) if isinstance(e, McmEvaluator) else None
    if units is None or not isinstance(e, McmEvaluator) or not e.target.triangle or e.single_sample:
        return None
    work = e.work[0]
    held = heaviest(units, work)
    usual = max(float(work.sum()) / e.k, float(work.max(initial=0.0)))
    if held is None or held.total / 2 <= POOR * usual:
        return None
    names, unit = problem.graph.op_names, problem.graph.time_unit
    sentence = (
        f"{held.text(names)}, and no plan has a chip latency below {time_text(held.total / 2, unit)}, where {e.k} equal shares"
        f" would be {time_text(float(work.sum()) / e.k, unit)}"
    )
    return Cause((held.feeder, *held.readers), ("order", "triangle"), sentence, feeders=(held.feeder,))


def _feeders(proof: McmProof, clock: Clock) -> list[int] | None:
    """Units whose direct dependencies are enough for a proof by CP-SAT; None where there is none in time."""
    # Few of the widest are often enough, and a small model is solved faster.
    ranked = proof.feeders()
    size = 1
    while True:
        tried = ranked[:size]
        outcome = proof.solve(clock.left / 4, tried)
        if outcome.status == "infeasible":
            break
        if size >= len(ranked):
            return None
        ranked = [*tried, *(u for u in proof.feeders() if u not in tried)]
        size *= 2
        if clock.over():
            return None

    def proves(chosen: list[int]) -> bool:
        return proof.solve(clock.left / 4, chosen).status == "infeasible"

    return smallest(tried, proves, clock.over)


def _bound_by(proof: McmProof, unit: int) -> tuple[int, list[int], list[int]]:
    """An op of the unit, the ops that it feeds directly with others between, and those between."""
    e, unit_of = proof.evaluator, proof.units.unit_of
    direct = proof.direct(unit)
    at = np.flatnonzero(unit_of[e.edge_src] == unit)
    feeds = [(int(e.edge_src[i]), int(e.edge_dst[i])) for i in at.tolist()]
    wide = [(u, v) for u, v in feeds if int(unit_of[v]) in direct] or [
        (u, v) for u, v in feeds if int(unit_of[v]) != unit
    ]
    inner = {w for v in direct for w in proof.units.between(unit, v).tolist()}
    between = np.flatnonzero(np.isin(unit_of, list(inner))).tolist()
    return (wide[0][0] if wide else int(np.flatnonzero(unit_of == unit)[0])), [v for _, v in wide], between


def _sentence(
    problem: Problem,
    parts: list[tuple[int, list[int], int]],
    pinned: list[int],
    phrase: str,
    most: int,
) -> str:
    names, k = problem.graph.op_names, len(problem.devices)
    feeder, readers, inner = max(parts, key=lambda part: part[2])
    direct = listed([names[v] for v in readers])
    sentence = f"{names[feeder]} feeds {direct} directly"
    if inner:
        are = "ops between them are" if inner != 1 else "op between them is"
        sentence += (
            f", and under the triangle rule no way over a third chip may lead from one chip to another beside a direct one:"
            f" the {inner} {are} on the chips of their two ends"
        )
    others = [names[f] for f, _, _ in parts if f != feeder]
    if others:
        sentence += f"; likewise for what {listed(others)} {'feeds' if len(others) == 1 else 'feed'}"
    if problem.target.kind == "mcm" and getattr(problem.target, "every_chip", False):
        sentence += (
            f". So at most {most} of the {k} chips can hold an op, and every chip must"
            if 0 < most < k
            else f". So the {k} chips cannot all hold an op, and every chip must"
        )
        if pinned:
            sentence += f", with {phrase}"
    else:
        sentence += f". No plan keeps {phrase}"
    return sentence
