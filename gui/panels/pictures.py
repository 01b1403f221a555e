"""The views in which a plan can be drawn for a file, and the drawing of each: the same from the window and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui.canvas.graph.heat.heat import STAGE
from gui.canvas.graph.picture.part import Part
from gui.canvas.graph.picture.picture import draw_graph
from gui.canvas.graph.scene import VIEWS as GRAPH_VIEWS
from gui.look.drawn import Drawing
from gui.look.page import Page
from gui.panels.edge_tpu.memory_picture import draw_memory
from gui.panels.mcm.memory_picture import draw_memories
from gui.panels.mcm.picture import draw_package
from gui.panels.mcm.state import is_package
from gui.panels.schedule.picture import draw_schedule
from planner.model.graph import Ints
from planner.model.groups import GroupView
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.runs.stage_counts import has_stages

TITLES = {
    "flow": "Flow", "lanes": "Lanes", "stages": "Stages", "schedule": "Schedule", "memory": "Memory",
    "package": "Package",
}  # fmt: skip


CERTIFICATE_ELSEWHERE = (
    "The certificate of the plan is a page of its own: File > Export > Certificate of the Plan…"
)
"""Where the picture is made that is not among the views."""
CUT = frozenset(GRAPH_VIEWS)
"""Views of which the part that is in sight can be drawn."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What of a plan is drawn: its bounds, who made it, and, of the graph, which groups are folded and what part is
    drawn (None: all of it)."""

    problem: Problem
    device_of: Ints | None
    title: str = ""
    bounds: Sequence[Bound] = ()
    planner: str = ""
    grouping: GroupView | None = None
    folded: frozenset[int] = frozenset()
    part: Part | None = None
    colouring: str = STAGE
    """What the ops of the graph are coloured by (:mod:`gui.canvas.graph.heat.heat`)."""


def views_of(problem: Problem) -> tuple[str, ...]:
    """The views that suit the machine of a plan."""
    return (
        *GRAPH_VIEWS, "schedule", *(["memory"] if has_stages(problem) else []), *(["package", "memory"] if is_package(problem) else []),
    )  # fmt: skip


def titles_of(problem: Problem) -> dict[str, str]:
    """What these views are called, by name."""
    whose = {"memory": f"Memory of the {problem.target.words.many}"}
    return {view: whose.get(view, TITLES[view]) for view in views_of(problem)}


def drawing_of(shown: Shown, view: str, page: Page) -> Drawing:
    """One view on a page. Raises :class:`StageboardError` for a view that does not suit the machine."""
    problem, device_of = shown.problem, shown.device_of
    if view in GRAPH_VIEWS:
        return draw_graph(
            problem, device_of, page, view, shown.title, shown.bounds, shown.grouping, shown.folded, shown.part,
            shown.colouring,
        )  # fmt: skip
    assert device_of is not None, "without a plan there is nothing but the graph"
    if view == "schedule":
        return draw_schedule(problem, device_of, page, shown.title)
    if view == "memory" and is_package(problem):
        return draw_memories(problem, device_of, page, shown.title, shown.bounds)
    if view == "memory":
        return draw_memory(problem, device_of, page, shown.title, shown.planner, shown.bounds)
    return draw_package(problem, device_of, page, shown.title, shown.bounds)
