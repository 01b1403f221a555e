"""The inspector: everything about the selected op, ops, tensor or device, with links to what it is connected to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.panels import inspector_pages as pages
from gui.panels.base import Panel
from gui.widgets.facts import facts_view
from gui.widgets.later import Later

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.plan.preview import Preview

BUDGET = 0.006
"""Seconds that one turn may spend on exact reasons why a move is not allowed; the rest follows in the next turns."""


class InspectorPanel(Panel):
    """A page of facts and a table of moves. Every link can be reached with Tab and followed with Return."""

    id: ClassVar[str] = "inspector"
    title: ClassVar[str] = "Inspector"

    reveal_requested = Signal(int)
    """Bring an op into view."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._subject: tuple[str, int] = ("ops", -1)
        self._check: Preview | None = None
        self._reasons: dict[int, str] = {}
        self._along: set[int] = set()
        """The devices to which the selection can move if others come along."""
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
        self._check, self._reasons, self._along = None, {}, set()
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
        self._check = document.check(document.selection)
        self._continue_reasons()

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
            sentences = check.reasons(d)
            self._reasons[d] = sentences[0] if sentences else "breaks a rule"
            if check.possible(d) and document.legal_along(document.selection, d):
                self._along.add(d)
        self._show(pages.ops_page(document, check, self._reasons, self.theme, self._along))
        if any(d not in self._reasons for d in missing):
            self._more.ask()

    def _show(self, html: str) -> None:
        bar = self.view.verticalScrollBar()
        position = bar.value()
        self.view.setHtml(pages.framed(html, self.theme))
        bar.setValue(position)

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
