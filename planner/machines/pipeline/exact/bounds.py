"""The programs of MTPP, section 3, solved for their bounds under a search."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.pipeline.exact.incumbent import sliced
from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.exact.program import Program, program
from planner.machines.pipeline.superblocks.flow import cut_network
from planner.machines.pipeline.superblocks.opening import report
from planner.machines.pipeline.superblocks.split import Split
from planner.methods.mip import mip
from planner.model.graph import Ints
from planner.search.search import Search


def prove_bottleneck(
    model: StageModel, bound: float, search: Search, method: str, solver: str, seconds: float | None = None
) -> float:
    """The three-superblock bound (section 3.2), reported as it grows from ``bound``; returns the bound.

    Windows of pins that leave the middle open are kept. Any plan has a block with at least the simple bound's work; it is
    the middle one of the program.
    """
    if model.k < 2:
        return bound
    m = model.count
    # A unit pinned anywhere may lie in the bottleneck block or on its either side.
    made = program(
        model,
        (1, 1, 1),
        np.zeros(m, np.int32),
        np.full(m, 2, np.int32),
        counted=lambda b: b == 1,
        floor=(1, share(model)),
        at_least=bound * (1 - 1e-9),
        check=search.check,
    )
    return _dual(made, model, bound, search, method, solver, seconds)


def _dual(
    made: Program,
    model: StageModel,
    bound: float,
    search: Search,
    method: str,
    solver: str,
    seconds: float | None = None,
) -> float:
    """Report what the solver proves of a program; returns the strongest bound."""
    best = [bound]

    def on_bound(value: float) -> None:
        best[0] = _raise(model, best[0], made.proven(value), search, method)

    outcome = mip.solve(
        made.problem,
        search,
        solver=solver,
        on_solution=lambda values: None,
        on_bound=on_bound,
        seconds=seconds,
    )
    if outcome.status == "optimal":
        on_bound(outcome.bound)
    search.check()
    return best[0]


def prove_guesses(
    model: StageModel, bound: float, search: Search, method: str, solver: str, seconds: float
) -> float:
    """The bottleneck-guess bound (section 3.3): the least over all places of the block, refined where it is weakest."""
    if model.k < 2:
        return bound
    values = np.full(model.k, bound)
    done = np.zeros(model.k, bool)
    while True:
        order = [j for j in np.argsort(values, kind="stable").tolist() if not done[j]]
        weakest = float(values[done].min(initial=math.inf))
        # A guess that is already above a solved one cannot be the least.
        order = [j for j in order if values[j] < weakest]
        if not order:
            return bound
        for j in order:
            values[j], done[j] = _guess(model, j, float(values[j]), search, solver, seconds)
            search.progress(None, f"guess {j + 1} of {model.k}")
            bound = _raise(model, bound, float(values.min()), search, method)
            search.check()
        seconds *= 2


def _guess(
    model: StageModel, j: int, bound: float, search: Search, solver: str, seconds: float
) -> tuple[float, bool]:
    """The bound where block ``j`` is the one with the share of the work, and whether it is final."""
    sizes = [s for s in (j, 1, model.k - 1 - j) if s]
    middle = 1 if j else 0
    firsts = np.cumsum([0, *sizes[:-1]])

    def superblock(stage: Ints) -> Ints:
        return (np.searchsorted(firsts, stage, side="right") - 1).astype(np.int32)

    made = program(
        model,
        sizes,
        superblock(model.earliest),
        superblock(model.latest),
        floor=(middle, share(model)),
        at_least=bound * (1 - 1e-9),
        check=search.check,
    )
    best = [bound]

    def on_bound(value: float) -> None:
        best[0] = max(best[0], made.proven(value))

    outcome = mip.solve(
        made.problem,
        search,
        solver=solver,
        on_solution=lambda values: None,
        on_bound=on_bound,
        seconds=seconds,
    )
    if outcome.status == "optimal":
        on_bound(outcome.bound)
    if outcome.status == "infeasible":
        best[0] = math.inf
    return best[0], outcome.status in ("optimal", "infeasible")


def prove_exact(model: StageModel, bound: float, search: Search, method: str, solver: str) -> float:
    """Dual bounds of the exact program, after the two-superblock split in the middle.

    Windows come from a plan: the best plan costs no more, and so lies in its windows.
    """
    if model.k < 2:
        return bound
    if model.alike and model.summed:
        bound = prove_split(model, bound, search, method)
    objective = min((model.problem.evaluator.objective(p) for p in sliced(model, search)), default=math.inf)
    if bound >= objective * (1 - 1e-9):
        return bound
    earliest, latest = model.windows(objective, search.check)
    made = program(
        model, (1,) * model.k, earliest, latest, at_least=bound * (1 - 1e-9), stages=True, check=search.check
    )
    return _dual(made, model, bound, search, method, solver)


def prove_split(
    model: StageModel, bound: float, search: Search, method: str, seconds: float = math.inf
) -> float:
    """The two-superblock bound of the split in the middle, reported as it grows from ``bound``; returns the bound."""
    split = Split(model, cut_network(model, search.check), model.k // 2, cutoff=search.objective)
    limit = search.seconds + seconds
    while not split.done and split.value > bound and search.seconds < limit:
        bound = _raise(model, bound, split.run(), search, method)
        search.progress(None, f"two superblocks, {split.expanded} nodes")
        search.check()
    return bound


def share(model: StageModel) -> float:
    """Work that some block has at least (Lemma 3.3): streaming is left out, as constraint (14) is about work."""
    return max(float(model.work.max()), float(model.work.sum()) / model.k) * (1 - 1e-12 * model.count)


def _raise(model: StageModel, bound: float, value: float, search: Search, method: str) -> float:
    """Report ``value`` if it is more than ``bound``; returns the larger."""
    if value <= bound:
        return bound
    report(model, search, method, value)
    return value
