"""The compare window: two to four plans on linked canvases, and what differs between them around those."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gui.document.values import Message
from gui.editors.comparison.actions import COMPARE_ACTIONS
from gui.editors.comparison.body import CompareBody
from gui.editors.comparison.canvases.picking import look
from gui.editors.comparison.canvases.strip import CompareStrip
from gui.editors.comparison.handlers import CompareHandlers
from gui.editors.comparison.memory import CompareMemory
from gui.editors.comparison.menus import context_menu, fill_menus
from gui.editors.comparison.sources import Source
from gui.look.numbers import plural
from gui.look.theme import Theme, ThemeController
from gui.shell.actions import ActionSet
from gui.shell.header import Header
from gui.shell.palette import Palette
from gui.widgets.labels import capital
from gui.widgets.later import Later
from gui.widgets.plain import plain
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.shell.session import Session
    from planner.model.graph import Ints

PREFERRED = (1440, 900)


class CompareWindow(CompareBody):
    """Compares plans of a main window's document. ``session`` remembers what outlives the window (None: nothing does)."""

    def __init__(self, document: Document, themes: ThemeController, session: Session | None = None) -> None:
        super().__init__(document, themes, session)
        theme = themes.theme
        self._placed = False
        self.handlers = CompareHandlers(self)
        self.actions_set = ActionSet(COMPARE_ACTIONS, self.handlers.run, self)
        self.strip = CompareStrip(self.actions_set)
        self.find_box = self.strip.find_box
        self.header = Header(theme, self.strip)
        fill_menus(self)
        for view in ("flow", "lanes"):
            self.header.add_view(view, self.actions_set[f"view.{view}"], partial(self.state.set_view, view))
        self.setMenuWidget(self.header)
        self.palette_window = Palette(self, theme)
        self.memory = CompareMemory(self, session)
        self._later = Later(self.update_actions, self)
        self._connect()
        self.actions_set.install(self, (self.columns,))
        self._placed = self.memory.restore()
        self.update_actions()

    # ------------------------------------------------------------------ making
    def _connect(self) -> None:
        state, document = self.state, self.document
        for signal in (
            state.comparison_changed, state.pair_changed, state.selection_changed, document.plans_changed,
        ):  # fmt: skip
            signal.connect(self._soon)
        state.view_changed.connect(self._soon)
        document.undo_stack.indexChanged.connect(self._soon)
        document.message.connect(self._show_message)
        state.ended.connect(self.close)
        self.columns.rebuilt.connect(self._soon)
        self.columns.dropped.connect(self.taking.take)
        self.columns.hovered.connect(self._say_carried)
        self.columns.menu_requested.connect(lambda at, _op, _plan: context_menu(self, at))
        self.pick_bar.chosen.connect(self.taking.take)
        self.moved.take_requested.connect(
            lambda ops, source: self.taking.take(ops, source, self.state.shown[1])
        )
        self.moved.zoom_requested.connect(self.linking.zoom_to_ops)
        self.taking.said.connect(self._say_taken)
        self.taking.answered.connect(self._focus_canvas)
        document.assignment_changed.connect(self.notice.plan_changed)
        self.picking.failed.connect(partial(self.say, "warning"))
        self.strip.find_box.returnPressed.connect(self.handlers.find_now)
        self.themes.changed.connect(self._theme_changed)

    # ------------------------------------------------------------------ state
    @property
    def settled(self) -> bool:
        """Whether nothing is on its way."""
        panes = self.columns.panes
        return not (
            self.state.waiting or self.linking.busy or self._later.waiting or self.pick_bar.waiting
            or self.picking.busy or any(pane.animating for pane in panes)
            or any(panel.waiting for panel in self.docks.panels.values())
        )  # fmt: skip

    def stay_with(self, owner: QWidget) -> None:
        """Close when the main window does."""
        owner.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The main window was closed (minimising it is the window manager's doing, and leaves this one)."""
        if event.type() == QEvent.Type.Hide and not event.spontaneous():
            self.close()
        return super().eventFilter(watched, event)

    def compare(self, sources: Sequence[Source], bounds: Sequence[Any] = ()) -> None:
        """Compare these plans, the first being the reference. Raises :class:`StageboardError` on too many."""
        self.state.set_sources(sources, bounds)
        self.update_actions()
        if self.state.comparison is None:
            self.say("warning", capital(self.state.why_not) + ".")

    def _soon(self, *_: object) -> None:
        self._later.ask_once()

    def update_actions(self) -> None:
        """Enable what can be done now, and say what is compared."""
        self._later.stop()
        self.actions_set.update(self.handlers.conditions(), self.handlers.state)
        self.actions_set.name_undo(self.document.undo_stack)
        self.header.show_view(self.state.view, self.state.comparison is not None)
        self.strip.show_mode(self.columns.mode)
        self._say_what()

    def _say_what(self) -> None:
        comparison, state = self.state.comparison, self.state
        if comparison is None:
            self.setWindowTitle("Compare – Stageboard")
            self.header.show_title("Compare", state.why_not)
            self.strip.count.setText("")
            return
        names = " · ".join(f"{comparison.letter(i)} {plan.name}" for i, plan in enumerate(comparison.plans))
        self.setWindowTitle(plain(f"{names} – Compare – Stageboard"))
        self.header.show_title(comparison.graph.name, comparison.why_incomparable or names)
        i, j = state.shown
        moved = len(comparison.moved(i, j))
        a, b = comparison.letter(j), comparison.letter(i)
        self.strip.count.setText(
            f"{a} and {b} differ in {plural(moved, 'op')} of {comparison.graph.n:,}"
            if moved
            else f"{a} and {b} are the same plan"
        )
        left = self.actions_set["edit.take"]
        left.setText(f"Take the Selected Ops from {b} into {a}")
        self.actions_set["edit.take_device"].setText(f"Take a Device's Ops from {b} into {a}…")

    # ------------------------------------------------------------------ messages
    def _say_taken(self, level: str, text: str) -> None:
        """What was taken over; it is no news any more once the plan is another one."""
        self.notice.show_message(level, capital(text), until_change=True)

    def _focus_canvas(self) -> None:
        if (pane := self.columns.current) is not None:
            pane.setFocus()

    def _show_message(self, message: Message) -> None:
        """What the document has to say is said where the person is."""
        if self.isActiveWindow():
            self.say(message.level, message.text, message.detail)

    # ------------------------------------------------------------------ doing
    def _say_carried(self, ops: Ints, source: int, into: int) -> None:
        comparison = self.state.comparison
        if comparison is None:
            return
        try:
            pick = look(comparison, ops, source, into)
        except StageboardError as error:
            self.columns.say_carried(ops, source, into, str(error).partition(";")[0], False)
            return
        if pick is None:
            words = f"{comparison.letter(into)} has them there already"
            self.columns.say_carried(ops, source, into, words, True)
            return
        canvas = (
            f", {comparison.letter(into)} goes on the main canvas"
            if self.picking.puts_on_canvas(into)
            else ""
        )
        words = f"{pick.what} into {comparison.letter(into)}: {pick.effect}, {pick.rules}{canvas}"
        self.columns.say_carried(ops, source, into, words, not pick.broken)

    # ------------------------------------------------------------------ looks
    def _theme_changed(self, theme: Theme) -> None:
        for panel in self.docks.panels.values():
            panel.set_theme(theme)
        self.columns.set_theme(theme)
        self.legend.set_theme(theme)
        self.notice.set_theme(theme)
        self.palette_window.set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether cards jump instead of gliding."""
        self.reduced_motion = reduced
        self.columns.set_reduced_motion(reduced)

    def showEvent(self, event: QShowEvent) -> None:
        """The first time without a remembered layout: panels where they suit the window."""
        super().showEvent(event)
        if not self._placed:
            self._placed = True
            self.docks.arrange()
            QTimer.singleShot(0, self, self.docks.arrange)
        self._focus_canvas()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The palette stays in the middle, a question inside."""
        super().resizeEvent(event)
        if self.palette_window.isVisible():
            self.palette_window.place()
        self.taking.choice.keep_inside()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves full screen."""
        if event.key() == Qt.Key.Key_Escape and self.isFullScreen():
            self.showNormal()
        else:
            super().keyPressEvent(event)

    # ------------------------------------------------------------------ dropping files
    def take_dropped(self, files: list[Path]) -> None:
        """Compare what was dropped, too."""
        self.attempt(lambda: self.handlers.add_paths(files))

    # ------------------------------------------------------------------ closing
    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how it was, and end what runs."""
        self.memory.store()
        self.end()
        super().closeEvent(event)

    def end(self) -> None:
        """End threads and animations."""
        self.columns.stop()
        self.picking.close()
        self.linking.close()
