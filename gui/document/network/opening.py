"""Everything that is done before an opened network replaces the open one. No Qt here: it also runs in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui.document.board import quick_bounds
from gui.document.network.entries import OrderEntry, frozen
from gui.document.plan_list import fill_figures

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.machines.two_level_memory.target import TwoLevelMemory
    from planner.model.network import Network
    from planner.problem.bound import Bound

START_LIMIT = 1.0
"""Seconds for each order that a freshly opened network starts with."""
STARTS = ("theorem-1", "locality")
"""The planners whose orders it starts with."""


@dataclass(frozen=True, eq=False)
class OpenedNetwork:
    """A network that is ready to become the open document. The last of ``entries`` goes on the canvas."""

    problem: NetworkProblem
    entries: tuple[OrderEntry, ...]
    bounds: tuple[Bound, ...]
    paths: tuple[Path, ...] = ()
    density: float | None = None
    plan_path: Path | None = None


def start_orders(problem: NetworkProblem) -> list[OrderEntry]:
    """Orders found at once, the best last."""
    from planner.machines.catalogue import planners
    from planner.search.run import run
    from planner.search.stop import TimeLimit

    found: list[tuple[float, OrderEntry]] = []
    for name in STARTS:
        method = planners().get(name)
        if method is None or method.refusal(problem) is not None:
            continue
        result = run(method, problem, TimeLimit(START_LIMIT))
        if result.device_of is not None and result.objective is not None:
            entry = OrderEntry(
                method.title, frozen(result.device_of), "start", planner=name, seed=result.seed,
                seconds=result.seconds,
            )  # fmt: skip
            found.append((result.objective, entry))
    # The later of equals is the planner that tries harder.
    return [entry for _, entry in sorted(found, key=lambda one: -one[0])]


def prepare_network(
    network: Network,
    paths: Sequence[Path] = (),
    density: float | None = None,
    target: TwoLevelMemory | None = None,
) -> OpenedNetwork:
    """A network with a target (default: a fast memory of 100), orders to start with and its first bound."""
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.machines.two_level_memory.target import TwoLevelMemory as Memory

    problem = NetworkProblem(network, target or Memory())
    whole = tuple(path.absolute() for path in paths)
    return ready(OpenedNetwork(problem, tuple(start_orders(problem)), quick_bounds(problem), whole, density))


def ready(opened: OpenedNetwork) -> OpenedNetwork:
    """The same with the figures of its orders: counting those of a large network takes a while."""
    for entry in opened.entries:
        fill_figures(entry, opened.problem, opened.bounds)
    return opened
