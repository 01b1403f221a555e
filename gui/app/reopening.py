"""A start without arguments: what was open the last time is open again, one document after the other, the one in front first.

A file that is gone, or a plan that cannot be read any more, is named in one notice; all the rest opens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject

from gui.document.history import Column
from gui.document.plan_list import PlanEntry
from gui.shell.host import hold_notes, host_of, reveal
from gui.shell.kinds import loaded_windows, windows_of
from gui.shell.open_tabs import FOUND_AGAIN, KeptColumn, KeptPlan, OpenTabs, Reopened, Tab
from gui.widgets.later import soon
from planner.errors import StageboardError
from planner.printable import concise
from planner.problem.base import decision_of

if TYPE_CHECKING:
    from gui.background.loading import Loading
    from gui.editors.plan.windows import Parts

LONGEST_SAID = 3
"""Sentences of the notice; what else is missing is counted."""


class Reopening(QObject):
    """Opens documents beside the empty window ``parts``, the first graph in it; then calls ``done`` with a window that is open, and with what is missing."""

    def __init__(
        self, parts: Parts, was: Reopened, record: OpenTabs, done: Callable[[Any, str], object]
    ) -> None:
        super().__init__(parts.window)
        self._parts, self._record, self._done = parts, record, done
        self._compared = was.compared
        self._said = list(was.said)
        there = [tab for tab in was.tabs if self._is_there(tab)]
        front = was.tabs[was.front] if was.tabs else None
        # The document that was in front is there first; the others come to its left and its right.
        self._order = sorted(there, key=lambda tab: tab is not front)
        self._places = there
        self._front = front
        self._windows: dict[int, Any] = {}
        self.done = False
        """Whether all of it is there."""

    def begin(self) -> None:
        """Open the first."""
        hold_notes(True)
        self.destroyed.connect(lambda: hold_notes(False))
        self._next()

    def _is_there(self, tab: Tab) -> bool:
        """Whether a document can be opened; of a plan that is gone, its model is."""
        gone = [path for path in tab.paths or (Path(tab.story),) if not path.is_file()]
        if gone:
            self._said.append(f"{gone[0].name} is not in {gone[0].parent} any more.")
            return False
        if tab.plan and not Path(tab.plan).is_file():
            plan = Path(tab.plan)
            self._said.append(f"The plan {plan.name} of {tab.name} is not in {plan.parent} any more.")
            tab.plan = ""
        return True

    # ------------------------------------------------------------------ one after the other
    def _next(self) -> None:
        if not self._order:
            self._finish()
            return
        tab = self._order.pop(0)
        plan = Path(tab.plan) if tab.plan else None
        if tab.kind == "network":
            window = windows_of("network").open_order_window(
                self._parts.themes, self._parts.session, tab.paths, plan, tab.density, self._beside()
            )
        else:
            window = self._graph_window()
            if tab.models:
                options = {"batch": tab.batch, "precision": tab.precision}
                window.files.open_graphs(tab.paths, plan, options=options)
        self._windows[id(tab)] = window
        self._place(window, tab)
        self._when_idle(window.files.loading, lambda: self._opened(window, tab))

    def _beside(self) -> Any:
        """A window that is open; each may be closed meanwhile."""
        return next((one for one in (self._parts.window, *self._windows.values()) if not one.closed), None)

    def _graph_window(self) -> Any:
        here = self._parts.window
        if here.document.problem is None and here not in self._windows.values() and not here.closed:
            return here
        opened = windows_of("plan").open_graph_window((), None, True, self._beside(), self._parts.themes)
        return opened.window

    def _place(self, window: Any, tab: Tab) -> None:
        """Put a tab where it was, behind the one that was in front."""
        host = host_of(window)
        if host is None:
            return
        before = [self._windows[id(one)] for one in self._places[: self._at(tab)] if id(one) in self._windows]
        at = max((host.indexOf(one) for one in before), default=-1) + 1
        host.tabBar().moveTab(host.indexOf(window), at)
        first = self._windows.get(id(self._front))
        if first is not None and not first.closed:
            host.setCurrentWidget(first)

    def _at(self, tab: Tab) -> int:
        return next(i for i, one in enumerate(self._places) if one is tab)

    def _when_idle(self, loading: Loading, then: Callable[[], object]) -> None:
        """Go on once nothing is read, a turn of the event loop later: what was read is then there."""
        if not loading.busy:
            soon(self, then)
            return

        def changed() -> None:
            if not loading.busy:
                loading.busy_changed.disconnect(changed)
                soon(self, then)

        loading.busy_changed.connect(changed)

    def _opened(self, window: Any, tab: Tab) -> None:
        """A document is there, or its own notice says why not; the plans of its list follow."""
        if window.closed or window.document.problem is None or not (tab.listed or tab.comparisons):
            self._tell(window, tab)
            return
        listed: list[PlanEntry | None] = []

        def install(found: Sequence[Any]) -> None:
            listed.extend(
                self._list(window, tab, kept, opened) for kept, opened in zip(tab.listed, found, strict=True)
            )

        def go_on() -> None:
            for columns in tab.comparisons:
                if not window.closed:
                    self._compare(window, tab, columns, listed)
            self._tell(window, tab)

        read = partial(read_plans, window.document.problem, self._record.folder, tab.listed)
        window.files.loading.start(f"Reading the plans of {tab.name} …", read, install)
        self._when_idle(window.files.loading, go_on)

    def _tell(self, window: Any, tab: Tab) -> None:
        """The story that was open beside a document follows it; one whose model is in no file brings that along."""
        story = Path(tab.story)
        failed = bool(tab.models) and window.document.problem is None
        if tab.story and not window.closed and not failed:
            if story.is_file():
                window.studio.reopen(story)
                self._when_idle(window.studio.loading, self._next)
                return
            self._said.append(f"The story {story.name} is not in {story.parent} any more.")
        self._next()

    # ------------------------------------------------------------------ plans
    def _list(self, window: Any, tab: Tab, kept: KeptPlan, opened: Any) -> PlanEntry | None:
        """Put a plan into a document's list, unless it is there: opening found it again, or its own file was read."""
        document = window.document
        try:
            if isinstance(opened, StageboardError):
                raise opened
            if (there := _same(document.plans, opened.plan)) is not None:
                return there
            if tab.kind == "network":
                entry: PlanEntry = document.list_order(opened.plan, opened.bounds, kept.name, kept.origin)
                return entry
            note, plan = opened.plan.provenance, opened.plan
            entry = document.add_plan(
                plan.decision.device_of, kept.name, origin=kept.origin, planner=note.planner, seed=note.seed, seconds=note.seconds,
                provenance=note, claims=tuple(opened.bounds), problem=plan.problem,
            )  # fmt: skip
        except StageboardError as error:
            self._said.append(f"The plan {kept.name} of {tab.name} cannot be read ({concise(str(error))}).")
            return None
        return entry

    def _compare(
        self, window: Any, tab: Tab, kept: Sequence[KeptColumn], listed: Sequence[PlanEntry | None]
    ) -> None:
        """Open a comparison of a document's plans again."""
        columns = [self._column(window, column, listed) for column in kept]
        found = [column for column in columns if column is not None]
        comparisons = windows_of("comparison")
        try:
            if len(found) < 2:
                raise StageboardError("fewer than two of its plans are there")
            if tab.kind == "network":
                comparisons.open_orders(window, found[1])
            else:
                comparisons.open_columns(window, found)
        except StageboardError as error:
            self._said.append(
                f"The comparison of plans of {tab.name} is not open again: {concise(str(error))}."
            )

    def _column(self, window: Any, column: KeptColumn, listed: Sequence[PlanEntry | None]) -> Column | None:
        document = window.document
        if column.file:
            path = Path(column.file)
            if path.is_file():
                return path
            self._said.append(f"The plan {path.name}, which was compared, is not in {path.parent} any more.")
            return None
        if column.named:
            return plan_called(document.plans, column.named)
        if column.listed >= 0:
            return listed[column.listed] if column.listed < len(listed) else None
        active: PlanEntry | None = document.active
        return active

    # ------------------------------------------------------------------ the end
    def _finish(self) -> None:
        here = self._parts.window
        if here.document.problem is None and here not in self._windows.values() and self._windows:
            here.close()  # all that is open is in tabs beside it
        front = self._windows.get(id(self._front)) or self._beside()
        windows = loaded_windows("comparison")
        there = [] if front is None or windows is None else windows.comparisons_of(front.document)
        seen = there[self._compared] if 0 <= self._compared < len(there) else front
        soon(self, partial(self._end, front, seen))

    def _end(self, front: Any, seen: Any) -> None:
        """The tab that was in front is in front again, and says what is missing; comparisons show themselves some turns after they are opened."""
        windows = loaded_windows("comparison")
        if windows is not None and windows.are_coming():
            soon(self, partial(self._end, front, seen))
            return
        hold_notes(False)
        self.done = True
        if seen is not None and not seen.closed:
            reveal(seen)
        rest = len(self._said) - LONGEST_SAID
        more = [] if rest <= 0 else [f"So it is with {rest} more."]
        told = " ".join([*self._said[:LONGEST_SAID], *more])
        if told and seen is not front and not seen.closed:
            seen.notice.show_message("warning", told)
            told = ""
        if front is not None and not front.closed:
            self._done(front, told)


def _same(plans: Sequence[PlanEntry], plan: Any) -> PlanEntry | None:
    """The plan of a list with the decision of ``plan`` for the same machine and objective; None where there is none."""
    decision, objective = decision_of(plan), plan.problem.objective
    alike = (e for e in plans if e.is_of(plan.problem))
    same = (e for e in alike if e.problem is not None and e.problem.objective == objective)
    return next((e for e in same if np.array_equal(e.device_of, decision)), None)


def read_plans(problem: Any, folder: Path, listed: Sequence[KeptPlan]) -> list[Any]:
    """What the files of plans of a list hold, or why one cannot be read; for any thread."""
    found: list[Any] = []
    for kept in listed:
        try:
            found.append(_read(problem, folder / kept.file))
        except StageboardError as error:
            found.append(error)
    return found


def _read(problem: Any, path: Path) -> Any:
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.plan_files.order_json import open_network_plan
    from planner.plan_files.plan_json import open_plan

    if isinstance(problem, NetworkProblem):
        return open_network_plan(path, problem.network)
    return open_plan(path, problem.graph)


def plan_called(plans: Sequence[PlanEntry], name: str) -> PlanEntry | None:
    """The plan of this name; where none has it any more, the one that is found anew whenever the model is opened, or None."""
    by_name = next((entry for entry in plans if entry.name == name), None)
    return by_name or next((entry for entry in plans if entry.origin in FOUND_AGAIN), None)
