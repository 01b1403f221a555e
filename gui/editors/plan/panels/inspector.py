"""The inspector: everything about the selected op, ops, tensor or device, with links to what it is connected to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QWidget

from gui.document.plan import preview as previews
from gui.look.theme import Theme
from gui.panels import inspector_pages as pages
from gui.panels.base import Panel
from gui.panels.inspector_sums import counting_page, sums_part
from gui.widgets.background_thread import Background
from gui.widgets.facts import facts_view
from gui.widgets.later import Later
from planner.model.graph import Ints
from planner.problem.decision import Evaluation

if TYPE_CHECKING:
    from gui.document.plan.board import Domains
    from gui.document.plan.document import Document
    from gui.document.plan.preview import Preview
    from planner.problem.bound import Bound
    from planner.problem.problem import Problem

BUDGET = 0.006
"""Seconds that one turn may spend on exact reasons why a move is not allowed; the rest follows in the next turns."""
AT_ONCE = 10_000
"""Up to so many selected ops are looked at where the page is asked for; of more all is found on a thread."""


@dataclass(frozen=True, eq=False)
class Found:
    """What was found of many selected ops: their ``sums`` as HTML, what moving them would do, why not (by device), and to which devices
    they can move if others come ``along``."""

    sums: str
    check: Preview
    reasons: dict[int, str]
    along: set[int]


def found_of(
    problem: Problem, device_of: Ints, evaluation: Evaluation, ops: Ints, bounds: Sequence[Bound], domains: Domains | None,
    stopped: Callable[[], bool],
) -> Found:  # fmt: skip
    """All of it, for ``ops`` (int32[m]) of an assignment (``device_of`` int32[n]) that nobody changes; ends soon once ``stopped``."""
    live, moved = problem.live(device_of), problem.groups.expand(ops)
    check = previews.check(live, moved, bounds, domains)
    found = Found(sums_part(problem, evaluation, device_of, ops), check, {}, set())
    for d in np.flatnonzero(~check.legal).tolist():
        if stopped():
            break
        found.reasons[d] = previews.reason_of(check, d)
        if check.possible(d) and previews.legal_along(live, live.closure(moved, d), d):
            found.along.add(d)
    return found


class InspectorPanel(Panel):
    """A page of facts and a table of moves. Every link can be reached with Tab and followed with Return.

    Call :meth:`end_threads` before the window goes.
    """

    id: ClassVar[str] = "inspector"
    title: ClassVar[str] = "Inspector"

    reveal_requested = Signal(int)
    """Bring an op into view."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._subject: tuple[str, int] = ("ops", -1)
        self._sums = ""
        """What several selected ops are together."""
        self._check: Preview | None = None
        self._reasons: dict[int, str] = {}
        self._along: set[int] = set()
        """The devices to which the selection can move if others come along."""
        self._many: tuple[int, Ints, Found] | None = None
        """What was found of many ops, with the assignment (its number) and the selection that it is of."""
        self._thread = Background("stageboard-inspecting", self)
        self.view = facts_view(self, "Facts about the selection", self._follow)
        # Reasons are of an assignment and a selection; of others they would name devices and ops that there may not be.
        self._more = Later(
            self._continue_reasons, self, about=lambda: (document.assignment_serial, document.selection)
        )
        document.model_changed.connect(self._back_to_ops)
        document.selection_changed.connect(self._back_to_ops)
        document.problem_changed.connect(self.request_refresh)
        document.decision_changed.connect(self.request_refresh)
        document.readouts_changed.connect(self.request_refresh)

    # ------------------------------------------------------------------ what is shown
    def show_device(self, device: int) -> None:
        """Show a device until the selection changes."""
        self._subject = ("device", device)
        self.request_refresh()

    def show_tensor(self, tensor: int) -> None:
        """Show a tensor until the selection changes."""
        self._subject = ("tensor", tensor)
        self.request_refresh()

    def _back_to_ops(self) -> None:
        self._subject = ("ops", -1)
        self.request_refresh()

    def refresh(self) -> None:
        """Build the page anew."""
        self._more.stop()
        self._thread.cancel()
        self._sums, self._check, self._reasons, self._along = "", None, {}, set()
        if self._many is not None and not self._is_of_now(*self._many[:2]):
            self._many = None
        document = self.document
        kind, which = self._subject
        if document.problem is None:
            self._show(pages.nothing(document.nothing("Open a model to look at its ops.")))
            return
        if kind == "device" and which < len(document.problem.devices):
            self._show(pages.device_page(document, which, self.theme))
            return
        if kind == "tensor" and which < document.problem.graph.tensor_count:
            self._show(pages.tensor_page(document, which, self.theme))
            return
        if len(document.selection) == 0:
            self._show(pages.graph_page(document, self.theme))
            return
        if len(document.selection) > AT_ONCE:
            self._look_at_many()
            return
        if len(document.selection) > 1:
            self._sums = sums_part(
                document.problem, document.evaluation, document.device_of, document.selection
            )
        self._check = document.check(document.selection)
        self._continue_reasons()

    def _look_at_many(self) -> None:
        """Show what is known of many ops, or find it on a thread."""
        document, selection, serial = self.document, self.document.selection, self.document.assignment_serial
        problem, bounds, domains = document.open_problem, tuple(document.bounds), document.board.domains
        if self._many is not None:
            self._show_many(self._many[2])
            return
        # A copy and what is computed of it are the thread's own: the plan may change meanwhile.
        device_of, evaluation = document.device_of.copy(), document.evaluation

        def work(stopped: Callable[[], bool]) -> Found:
            return found_of(problem, device_of, evaluation, selection, bounds, domains, stopped)

        def deliver(result: object) -> None:
            if isinstance(result, Exception):
                raise result
            assert isinstance(result, Found)
            if not self._is_of_now(serial, selection):
                return  # it is about to be asked for anew
            self._many = serial, selection, result
            self._show_many(result)

        self._show(counting_page(len(selection)))
        self._thread.run(work, deliver)

    def _is_of_now(self, serial: int, selection: Ints) -> bool:
        return self.document.assignment_serial == serial and self.document.selection is selection

    def _show_many(self, found: Found) -> None:
        document, check = self.document, found.check
        # More may be proven by now.
        check.gap = previews.gaps(check.problem, check.components, document.bounds)
        moves = pages.moves_part(document, check, found.reasons, self.theme, found.along)
        self._show(found.sums + moves)

    def _continue_reasons(self) -> None:
        """Find exact reasons for a few milliseconds, show what is known, go on in the next turn."""
        check, document = self._check, self.document
        if check is None or document.problem is None or not len(document.selection):
            return
        began = time.perf_counter()
        missing = [d for d in np.flatnonzero(~check.legal).tolist() if d not in self._reasons]
        for d in missing:
            if time.perf_counter() - began > BUDGET:
                break
            self._reasons[d] = previews.reason_of(check, d)
            if check.possible(d) and document.legal_along(document.selection, d):
                self._along.add(d)
        if self._sums:
            self._show(self._sums + pages.moves_part(document, check, self._reasons, self.theme, self._along))
        else:
            self._show(pages.op_page(document, check, self._reasons, self.theme, self._along))
        if any(d not in self._reasons for d in missing):
            self._more.ask()

    def _show(self, html: str) -> None:
        bar = self.view.verticalScrollBar()
        position = bar.value()
        self.view.setHtml(pages.framed(html, self.theme))
        bar.setValue(position)

    def end_threads(self) -> None:
        """The window goes."""
        self._thread.close()

    # ------------------------------------------------------------------ links
    def _follow(self, url: QUrl) -> None:
        """``op:3``, ``tensor:5``, ``device:1``, ``move:2``, ``along:2``, ``pin:``, ``unpin:``, ``separate:``."""
        action, _, number = url.toString().partition(":")
        which = int(number) if number.lstrip("-").isdigit() else -1
        document = self.document
        if document.problem is None:
            return
        if action == "op" and 0 <= which < document.problem.graph.n:
            document.select([which])
            self.reveal_requested.emit(which)
        elif action == "tensor":
            self.show_tensor(which)
        elif action == "device":
            self.show_device(which)
        elif action == "ops":
            self._back_to_ops()
        elif (
            action in ("move", "along") and len(document.selection) and which < len(document.problem.devices)
        ):  # the page may be of a machine that is gone
            document.move(document.selection, which, along=action == "along")
        elif action == "pin":
            document.pin(document.selection, None)
        elif action == "unpin":
            document.unpin(document.selection)
        elif action == "separate":
            document.separate(document.selection)
