"""What a compare window is about: its plans, the pair that lists speak of, selection and hover, the view."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.document.board import quick_bounds
from gui.document.history import Column
from gui.document.plan.selection import op_array
from gui.document.plan.taking import entry_for, entry_of, put_on_canvas
from gui.document.plan_list import PlanEntry
from gui.document.steps import apply_words
from gui.editors.comparison.sources import Source, told_apart
from gui.widgets.later import Later
from gui.widgets.turn import OTHERS
from planner.errors import StageboardError
from planner.model.graph import Graph, Ints
from planner.problem.bound import Bound, proven
from planner.problem.problem import Plan, Problem

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.reports.comparison import Comparison

_numbers = itertools.count()

MOST = 4
"""Plans that are compared at once."""
VIEWS = ("flow", "lanes")


class CompareState(QObject):
    """The plans in a window's columns, the first of them the reference. Views read the state.

    Selection and hover are the main document's, so that its canvas takes part. Plans of its list follow it: an edit of
    the plan on the main canvas makes a new ``comparison``, once for each turn of the event loop. ``comparison`` is None
    while fewer than two plans can be compared; ``why_not`` then says why. ``ended`` comes when the main window opens
    another model.

    ``comparison_changed``: other plans, or another content of one. ``pair_changed``: ``shown`` is another pair.
    """

    comparison_changed = Signal()
    pair_changed = Signal()
    selection_changed = Signal()
    hover_changed = Signal()
    view_changed = Signal(str)
    ended = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self._number = next(_numbers)
        self.sources: list[Source] = []
        self._gone: list[tuple[int, Source]] = []
        """Plans that left the list while they were compared, and where they stood."""
        self.comparison: Comparison | None = None
        self.why_not = "choose two plans to compare"
        self.view = "flow"
        self.shown: tuple[int, int] = (1, 0)
        """Plan i against plan j: lists and differences are of i minus j."""
        self._file_bounds: list[Bound] = []
        self._own_bounds: list[Bound] = []
        self._own_problems: list[Problem] = []
        """Problems other than the open one that compared plans were made for, of which bounds are in ``_own_bounds``."""
        self._made_of: tuple[object, ...] = ()
        self._made_from: Callable[..., Comparison] | None = None
        self._known = list(document.plans)
        self._live_id = "" if document.active is None else document.active.id
        self._fingerprint = "" if document.graph is None else document.graph.fingerprint
        self._later = Later(self.refresh, self)
        for signal in (
            document.decision_changed, document.problem_changed, document.plans_changed, document.readouts_changed,
        ):  # fmt: skip
            signal.connect(self.refresh_soon)
        document.model_changed.connect(self._graph_changed)
        document.selection_changed.connect(self.selection_changed)
        document.hover_changed.connect(self.hover_changed)

    # ------------------------------------------------------------------ what is compared
    @property
    def graph(self) -> Graph | None:
        """The graph of every plan."""
        return self.document.graph

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The compared plans as they are now, the reference first; empty without a comparison."""
        return () if self.comparison is None else tuple(self.comparison.plans)

    @property
    def bounds(self) -> list[Bound]:
        """Everything that was proven about this graph: the document's bounds, those of plan files that Stageboard brings along, and what
        was proven of the problems that compared plans were made for."""
        return [*self.document.bounds, *self._file_bounds, *self._own_bounds]

    @property
    def waiting(self) -> bool:
        """Whether another comparison is about to be made."""
        return self._later.waiting

    def set_sources(self, sources: Sequence[Source], bounds: Iterable[Bound] = ()) -> None:
        """Compare these; ``bounds`` are what is proven besides. Raises :class:`StageboardError` on too many."""
        check_room(sources)
        self.sources, self._gone = list(sources), []
        self._file_bounds += [bound for bound in proven(bounds) if bound not in self._file_bounds]
        before, self.shown = (self.shown, self.comparison), (1, 0)
        self.refresh()
        if self.shown != before[0] or self.comparison is before[1]:  # else all have heard of it
            self.pair_changed.emit()

    def compares(self, sources: Iterable[Source]) -> bool:
        """Whether these are the plans that are compared, in whatever order."""
        return {source.column for source in sources} == {source.column for source in self.sources}

    def read_anew(self, sources: Iterable[Source], bounds: Iterable[Bound]) -> None:
        """Go on with the plans that are compared as ``sources`` have them, those of files as they are read now."""
        now = {source.column: source for source in sources}
        shown = self.shown
        self.set_sources(
            [source if source.entry is not None else now[source.column] for source in self.sources], bounds
        )
        self.set_pair(*shown)

    def by_reference(self) -> Comparison | None:
        """The comparison with every plan matched with the reference, for pictures that show all of them."""
        if 0 in self.shown or self.comparison is None or self._made_from is None:
            return self.comparison
        return self._made_from()

    def add(self, sources: Iterable[Source], bounds: Iterable[Bound] = ()) -> None:
        """Compare these, too. Raises :class:`StageboardError` on too many."""
        shown = self.shown
        known = [source.entry for source in self.sources if source.entry is not None]
        new = [source for source in sources if source.entry is None or source.entry not in known]
        self.set_sources([*self.sources, *new], bounds)
        self.set_pair(*shown)

    def remove(self, index: int) -> None:
        """Compare this one no longer. Raises :class:`StageboardError` where only two are left."""
        if len(self.sources) <= 2:
            raise StageboardError("two plans are the least that can be compared; close the window instead")
        self.set_sources([source for i, source in enumerate(self.sources) if i != index])

    def replace(self, index: int, source: Source) -> None:
        """Show another plan in a column; where it is in another column already the two change places."""
        sources = list(self.sources)
        for i, other in enumerate(sources):
            if source is other or (source.entry is not None and source.entry is other.entry):
                sources[i] = sources[index]
        sources[index] = source
        shown = self.shown
        self.set_sources(sources)
        self.set_pair(*shown)

    def set_reference(self, index: int) -> None:
        """Let plan ``index`` be the first, which the others are compared with."""
        if 0 < index < len(self.sources):
            self.set_sources([self.sources[index], *(s for i, s in enumerate(self.sources) if i != index)])

    def set_pair(self, i: int, j: int) -> None:
        """Let lists and differences speak of plan ``i`` against plan ``j``."""
        count = len(self.sources)
        if 0 <= i < count and 0 <= j < count and i != j and (i, j) != self.shown:
            self.shown = (i, j)
            self.refresh()  # two others than the reference are matched with one another
            self.pair_changed.emit()

    def _take_back(self) -> None:
        """Put plans that undo took out of the list where they were, once they are in it again."""
        for lost in reversed(self._gone):
            at, source = lost
            if len(self.sources) < MOST and source.now(self.document) is not None:
                self._gone.remove(lost)
                self.sources.insert(at, source)

    @OTHERS.counted()
    def refresh(self) -> None:
        """Compare the plans as they are now."""
        self._later.stop()
        from planner.reports.comparison import compare
        from planner.reports.comparison.rows import rows_matched_first

        self._follow_edits()
        self._take_back()
        self.keep([source.column for source in self.sources])
        now = [(source, source.now(self.document)) for source in self.sources]
        gone = [(at, source) for at, (source, plan) in enumerate(now) if plan is None]
        kept = [(source, plan) for source, plan in now if plan is not None]
        self._gone += gone
        self.sources = [source for source, _ in kept]
        plans = [plan for _, plan in kept]
        self._recall([plan.problem for plan in plans])
        claims = [source.claims for source in self.sources]
        pair = self.shown if max(self.shown) < max(len(self.sources), 2) else (1, 0)
        made_of = (tuple(plans), tuple(self.bounds), tuple(claims), (1, 0) if 0 in pair else pair)
        if plans and made_of == self._made_of and self.comparison is not None:
            return  # a planner improved another plan
        self._made_of = made_of
        before, self.comparison = self.comparison, None
        if len(plans) < 2:
            self.why_not = (
                "the other plans were removed from the list or do not fit the target any more; choose two to compare"
                if gone
                else "choose two plans to compare"
            )
        else:
            self._made_from = partial(
                compare, told_apart(plans, [source.path for source in self.sources]), self.bounds, claims,
                made_for=[source.made_for(plan) for source, plan in kept],
            )  # fmt: skip
            try:
                self.comparison = self._made_from(rows=None if 0 in pair else rows_matched_first(plans, pair))
            except StageboardError as error:
                self.why_not = str(error)
        if self.comparison is not None or before is not None or gone:
            self.comparison_changed.emit()
        if pair != self.shown:
            self.shown = pair
            self.pair_changed.emit()

    def _recall(self, problems: Iterable[Problem]) -> None:
        """Take what this process has proven of problems that are not open; what is proven of them from now on the document keeps."""
        for problem in problems:
            if problem != self.document.problem and problem not in self._own_problems:
                self._own_problems.append(problem)
                self._own_bounds += quick_bounds(problem)

    def keep(self, columns: Sequence[Column]) -> None:
        """Let the document's journal know what is compared, so that a crash does not close the comparison."""
        if self.document.history.recorder is not None:
            self.document.history.recorder.compared(self._number, columns)

    def _follow_edits(self) -> None:
        """An edit of a plan that was not made by hand makes an entry of its own: the column goes on with it."""
        document = self.document
        for source in self.sources:
            source.catch_up(document)
        if not any(source.live(document) for source in self.sources):
            for source in self.sources:
                source.found_in_list(document)
        active = document.active
        shown = [source.entry for source in self.sources]
        if (
            active is not None
            and active.origin == "hand"
            and active not in self._known
            and active not in shown
        ):
            for source in self.sources:
                if source.entry is not None and source.entry.id == self._live_id:
                    source.follow(active)
        self._known = list(document.plans)
        self._live_id = "" if document.active is None else document.active.id

    def refresh_soon(self, *_: object) -> None:
        """Compare anew, once for many changes."""
        self._later.ask_once()

    def _graph_changed(self) -> None:
        graph = self.document.graph
        if graph is None or graph.fingerprint != self._fingerprint:
            self._later.stop()
            self.sources, self.comparison = [], None
            self.why_not = "another model is open in the main window"
            self.ended.emit()
            return
        self.refresh_soon()

    # ------------------------------------------------------------------ what is looked at
    @property
    def selection(self) -> Ints:
        """The selected ops, sorted (int32)."""
        return self.document.selection

    @property
    def hover(self) -> int:
        """The op under the pointer, -1 for none."""
        return self.document.hover

    def select(self, ops: object, mode: str = "replace") -> None:
        """Select ops in every pane; ``mode`` as for :meth:`gui.document.plan.selection.Selection.select`."""
        self.document.select(op_array(ops), mode)

    def hover_op(self, op: int) -> None:
        """Let an op stand out in every pane; -1 for none."""
        self.document.set_hover(op)

    def set_view(self, view: str) -> None:
        """Show the plans as ``flow`` or ``lanes``."""
        if view not in VIEWS:
            raise ValueError(f"view '{view}' is neither flow nor lanes")
        if view != self.view:
            self.view = view
            self.view_changed.emit(view)

    def put_on_canvas(self, source: Source) -> None:
        """Let a plan take the place of the one on the main canvas: one undo step, the target included where it is another.

        Raises :class:`StageboardError` where it does not fit.
        """
        document = self.document
        if source.entry is not None:
            document.apply_plan(source.entry)
            return
        plan = source.plan
        assert plan is not None
        entry = entry_of(document, plan) or entry_for(document, plan, source.claims, source.path)
        source.follow(entry)
        put_on_canvas(document, plan, entry, apply_words(source.name))
        self.refresh()

    # ------------------------------------------------------------------ questions
    def label(self, index: int) -> str:
        """``A`` for the reference, then ``B``, ``C`` and ``D``."""
        return "ABCD"[index]

    def moved(self) -> Ints:
        """The ops that are elsewhere in any plan than in the reference (sorted int32)."""
        comparison = self.comparison
        if comparison is None:
            return np.empty(0, np.int32)
        found = [comparison.moved(i) for i in range(1, len(comparison.plans))]
        return np.unique(np.concatenate(found)).astype(np.int32)


def check_room(sources: Sequence[Source]) -> None:
    """Raises :class:`StageboardError` on more plans than can be compared at once."""
    if len(sources) > MOST:
        raise StageboardError(f"at most {MOST} plans can be compared at once; {len(sources)} were chosen")


def entry_sources(entries: Iterable[PlanEntry]) -> list[Source]:
    """A column for each entry of the plan list."""
    return [Source(entry) for entry in entries]


def file_sources(paths: Iterable[Path], document: Document) -> tuple[list[Source], list[Bound]]:
    """A column for each plan file of the open graph, and what is proven of them: what they claim stays with their column.

    Raises :class:`StageboardError` for a damaged file or a plan of another graph.
    """
    from planner.runs.proving import with_known

    graph = document.board.open_problem.graph
    sources: list[Source] = []
    bounds: list[Bound] = []
    for path in paths:
        source, stored = Source.of_file(Path(path), graph)
        assert source.plan is not None
        sources.append(source)
        bounds += proven(with_known(source.plan.problem, stored))
    return sources, bounds
