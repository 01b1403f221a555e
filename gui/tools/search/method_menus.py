"""Planners and bound methods as menus and in the palette: a click starts one with its own options."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from gui.shell.palette import Choice
from gui.tools.search.method_list import OTHERS, methods_for
from gui.words.methods import refusal_words
from planner.search.method import BoundMethod, Method

if TYPE_CHECKING:
    from gui.shell.actions import ActionSet
    from gui.tools.search.planners import PlannersPanel


class Planning(Protocol):
    """What is asked of a window whose document is planned, a widget."""

    document: Any
    planners: PlannersPanel
    menus: dict[str, QMenu]
    actions_set: ActionSet


FIND, PROVE = "Start a Planner", "Prove a Bound"
NONE = "Open a model first"
BEFORE = "plan.race"
"""The action above which the menus stand."""


class MethodMenus(QObject):
    """Two menus in *Plan*, filled when they are opened: what serves the problem, and below it why the rest does not."""

    def __init__(self, window: Planning) -> None:
        widget = cast(QWidget, window)
        super().__init__(widget)
        self._window = window
        self.menus: dict[str, QMenu] = {}
        for title, bounds in ((FIND, False), (PROVE, True)):
            menu = self.menus[title] = QMenu(title, widget)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(partial(self._fill, menu, bounds))
            window.menus["Plan"].insertMenu(window.actions_set[BEFORE], menu)

    def methods(self, bounds: bool) -> Iterator[tuple[Method, str]]:
        """Each planner, or bound method, with why it does not serve the open problem; empty where it does."""
        problem = self._window.document.problem
        if problem is not None:
            for method in methods_for(problem):
                if isinstance(method, BoundMethod) == bounds:
                    yield method, refusal_words(method, problem)

    def _fill(self, menu: QMenu, bounds: bool) -> None:
        menu.clear()
        others = QMenu(OTHERS, menu)
        for method, reason in self.methods(bounds):
            place = others if reason else menu
            action = place.addAction(f"{method.title}\t{reason or method.summary}".replace("&", "&&"))
            action.setToolTip(str(method.source))
            action.setEnabled(not reason)
            action.triggered.connect(partial(self.start, method))
        if not menu.actions():
            menu.addAction(NONE).setEnabled(False)
        if others.actions():
            menu.addSeparator()
            menu.addMenu(others)

    def start(self, method: Method, _: bool = False) -> None:
        """Run a method with its own options, beside the window."""
        self._window.planners.start_unchanged(method)

    def choices(self) -> list[Choice]:
        """All of them for the palette; those that do not serve say why and cannot be chosen."""
        return [
            Choice(
                f"Plan: {title}: {method.title}", partial(self.start, method), method.name, not reason,
                note=reason or method.summary,
            )
            for title, bounds in ((FIND, False), (PROVE, True))
            for method, reason in self.methods(bounds)
        ]  # fmt: skip
