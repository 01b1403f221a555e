"""Everything that is done before an opened model replaces the open document. No Qt here: it also runs in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gui.document.board import quick_bounds
from gui.document.plan.reading import read
from planner.compiling.kernel import interprets
from planner.errors import StageboardError
from planner.model.graph import Graph, Ints
from planner.model.precision import FILE
from planner.model.times import compute_ops
from planner.problem.bound import Bound, proven
from planner.problem.claims import claimed
from planner.problem.evaluator import Live
from planner.problem.problem import Problem
from planner.runs.start_plan import stand_in, start_plan, to_compile

if TYPE_CHECKING:
    from planner.model.cost_model import CostModel
    from planner.model.precision import ReadOptions
    from planner.model.times import Use
    from planner.problem.problem import Plan
    from planner.problem.target import Target

MOST_INTERPRETED = 30_000
"""Ops of the largest graph that is evaluated before there are compiled kernels: with more, to compile is faster."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A model that is ready to become the open document."""

    problem: Problem
    paths: tuple[Path, ...]
    batch: int
    device_of: Ints
    planner: str
    """What made the start plan; empty where none was found and every op is on one device."""
    live: Live
    bounds: tuple[Bound, ...]
    claims: tuple[Bound, ...] = ()
    """What the plan's file says was proven."""
    plan: Plan | None = None
    plan_path: Path | None = None
    notes: tuple[str, ...] = ()
    """What the plan's file said that is not so here (:class:`planner.plan_files.plan_json.OpenedPlan`)."""
    other_costs: bool = False
    """Whether the plan was made with other times of ops."""
    default: Target | None = None
    """What the model would be planned for where nothing was remembered of it; None where it is."""
    stands_in: bool = False
    """Whether the planner that makes start plans is not compiled yet, and this one only stands in for its own."""


def as_paths(paths: str | Path | Sequence[str | Path]) -> tuple[Path, ...]:
    """One path or several as absolute paths."""
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    return tuple(Path(path).absolute() for path in given)


def with_times(graph: Graph, cost_model: CostModel | None = None) -> Graph:
    """The graph with every time known: estimated by ``cost_model`` (None = the default) where its file has none."""
    from planner.model.cost_model import fill

    return fill(graph, cost_model)


def times_for(
    graph: Graph, paths: Sequence[Path], batch: int, named: Sequence[str], on: Target | Path
) -> tuple[Use, ...]:
    """Measured times as the command line names them, for a model that is about to be opened.

    Devices by number are those of the machine ``on``, or of that of a saved plan. Raises :class:`StageboardError`.
    """
    if not named:
        return ()
    from planner.formats import uses_together
    from planner.formats.times.named import named_times
    from planner.plan_files.plan_json import plan_target
    from planner.problem.device_times import uses_on

    uses = uses_together(paths, named_times(named), batch=batch)
    return uses_on(uses, with_times(graph), plan_target(on) if isinstance(on, Path) else on)


def with_uses(graph: Graph, uses: Sequence[Use]) -> Graph:
    """:func:`with_times` with measured ones where profiles have them."""
    from planner.model.times import with_times_of

    return with_times(with_times_of(graph, uses) if uses else graph)


def ready(problem: Problem, device_of: Ints) -> Live:
    """The live evaluation of an assignment, after its first use: what is compiled on first use is compiled by then.

    What the window's thread and other processes ask of a graph first, and what takes long where it is large, is known then, too.
    """
    live = problem.live(device_of)
    problem.evaluate(device_of)  # the list of plans asks for it
    compute_ops(problem.graph)
    assert problem.graph.packed
    if problem.graph.n:
        first = np.zeros(1, np.int32)
        live.check(first)
        live.delta(first)
        live.apply(first, live.device_of[first])
        live.undo()
    return live


def prepare_graph(
    graph: Graph,
    paths: Sequence[str | Path] = (),
    batch: int = 1,
    target: Target | None = None,
    objective: str = "",
) -> Opened:
    """A graph with a target (default: what suits it), a start plan and its first bound.

    A thread that does not compile takes what stands in for that plan where no planner is compiled yet.
    """
    from planner.machines.spec import default_target

    timed = with_times(graph)
    problem = Problem(timed, target or default_target(timed), objective)
    later = interprets() and to_compile(problem)
    found = stand_in(problem) if later else start_plan(problem)
    return Opened(
        problem, as_paths(paths), batch, found.device_of, found.planner, ready(problem, found.device_of),
        (*found.bounds, *quick_bounds(problem)), stands_in=later,
    )  # fmt: skip


def prepare_remembered(
    graph: Graph, paths: Sequence[str | Path], batch: int, known: tuple[Target, str] | None
) -> Opened:
    """:func:`prepare_graph` for the target and the objective that a model was planned for last, if ``known``."""
    from planner.machines.spec import default_target

    if known is None:
        return prepare_graph(graph, paths, batch)
    opened = prepare_graph(graph, paths, batch, *known)
    default = default_target(opened.problem.graph)
    return opened if default == opened.problem.target else replace(opened, default=default)


def prepare_model(
    paths: str | Path | Sequence[str | Path], batch: int = 1, target: Target | None = None
) -> Opened:
    """Read a model and prepare it. Raises :class:`StageboardError`. Large files take a process where a thread asks."""
    files = as_paths(paths)
    return prepare_graph(read(files, batch), files, batch, target)


def options_of(plan: Path | None) -> ReadOptions:
    """How the model of a plan was read; as models are read without one where that cannot be said."""
    from planner.plan_files.plan_json import plan_model_options

    if plan is not None:
        with suppress(StageboardError):  # opening the plan says what is wrong
            return plan_model_options(plan)
    return {"batch": 1, "precision": FILE}


def prepare_plan(path: str | Path, graph: Graph, paths: Sequence[Path], batch: int = 1) -> Opened:
    """A saved plan of ``graph``. Raises :class:`PlanError` where it belongs to another graph."""
    from planner.plan_files.plan_json import open_plan

    file = Path(path).absolute()
    opened = open_plan(file, graph)
    plan, stored, problem = opened.plan, opened.bounds, opened.plan.problem
    device_of = np.array(plan.decision.device_of, np.int32)
    return Opened(
        problem, tuple(paths), batch, device_of, plan.provenance.planner, ready(problem, device_of),
        (*proven(stored), *quick_bounds(problem)), claimed(stored), plan, file,
        opened.notes, opened.other_costs,
    )  # fmt: skip
