"""The compare window: two to four plans on linked canvases, and what differs between them around those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu

from gui.editors.comparison.actions import COMPARE_ACTIONS, COMPARE_ELSEWHERE, COMPARE_MENUS
from gui.editors.comparison.body import CompareBody
from gui.editors.comparison.canvases.linking import move_selected, walk, walk_moves
from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.canvases.picking import look
from gui.editors.comparison.canvases.strip import CompareStrip
from gui.editors.comparison.capturing import captured, shown_comparison
from gui.editors.comparison.files import CompareFiles
from gui.editors.comparison.memory import CompareMemory
from gui.editors.comparison.menus import context_menu, fill_more
from gui.editors.comparison.sources import Source
from gui.look.numbers import plural
from gui.look.theme import Theme, ThemeController
from gui.panels.comparison.names import titles_in_a_row
from gui.shell.open_tabs import Left
from gui.widgets.labels import capital
from gui.widgets.later import soon
from gui.widgets.plain import plain
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.shell.session import Session
    from gui.tools.story.studio import Studio
    from planner.model.graph import Ints


class CompareWindow(CompareBody):
    """Compares plans of a main window's document. ``session`` remembers what outlives the window (None: nothing does)."""

    elsewhere = COMPARE_ELSEWHERE

    def __init__(self, document: Document, themes: ThemeController, session: Session | None = None) -> None:
        super().__init__(document, themes, session)
        self._said = False
        """Whether it was said what is compared, while it opened."""
        self.files = CompareFiles(self)
        self.equip(COMPARE_ACTIONS, COMPARE_MENUS, self._make_strip, lambda: (self.columns,))
        more = QMenu("Add a Plan of the List", self)
        more.aboutToShow.connect(lambda: fill_more(self, more))
        self.menus["File"].insertMenu(self.actions_set["file.open_plan"], more)
        for view in ("flow", "lanes"):
            self.header.add_view(view, self.actions_set[f"view.{view}"], partial(self.state.set_view, view))
        self.memory = CompareMemory(self, session)
        self._connect()
        self._placed = self.memory.restore()
        self.follow()

    # ------------------------------------------------------------------ making
    def _make_strip(self) -> CompareStrip:
        self.strip = CompareStrip(self.actions_set)
        self.find_box = self.strip.find_box
        return self.strip

    def _connect(self) -> None:
        state, document = self.state, self.document
        for signal in (
            state.comparison_changed, state.pair_changed, state.selection_changed, document.plans_changed,
        ):  # fmt: skip
            signal.connect(self.update_soon)
        state.view_changed.connect(self.update_soon)
        state.ended.connect(self.close)
        self.ended.connect(lambda: state.keep(()))
        self.columns.rebuilt.connect(self.update_soon)
        self.columns.earlier_changed.connect(self.update_soon)
        self.columns.dropped.connect(self.taking.take)
        self.columns.hovered.connect(self._say_carried)
        self.columns.menu_requested.connect(lambda at, _op, _plan: context_menu(self, at))
        self.pick_bar.chosen.connect(self.taking.take)
        self.moved.take_requested.connect(
            lambda ops, source: self.taking.take(ops, source, self.state.shown[1])
        )
        self.moved.zoom_requested.connect(self.linking.zoom_to_ops)
        self.moved.left.connect(self.focus_canvas)
        self.taking.said.connect(self._say_taken)
        self.taking.answered.connect(self.focus_canvas)
        self.picking.failed.connect(partial(self.say, "warning"))
        self.find_box.returnPressed.connect(lambda: self.attempt(self.find_now))
        # A click on its tab is as one inside: Qt shows the panel right after it, and gives it no keyboard.
        self.docks.tab_clicked.connect(lambda id: soon(self, partial(self.focus_panel, id)))

    def opening(self) -> Iterator[None]:
        """The canvases first, then what is said of them, then the places of panels."""
        self.columns.catch_up()
        yield
        if (comparison := self.state.comparison) is not None:
            comparison.moves(*self.state.shown)  # what is said of it counts them
            yield
        self._said = True
        self.update_actions()
        yield
        if not self._placed:
            self.docks.arrange()
            yield

    def update_soon(self, *_: object) -> None:
        """Not before it is shown: what opens it says all of it, in turns."""
        if self._said or not self.coming:
            super().update_soon()

    # ------------------------------------------------------------------ state
    @property
    def settled(self) -> bool:
        """Whether nothing is on its way."""
        panes = self.columns.panes
        return not (
            self.coming or self.state.waiting or self.linking.busy or self.update_later.waiting or self.pick_bar.waiting
            or self.picking.busy or any(pane.animating for pane in panes)
            or any(panel.waiting for panel in self.docks.panels.values())
        )  # fmt: skip

    def compare(self, sources: Sequence[Source], bounds: Sequence[Any] = ()) -> None:
        """Compare these plans, the first being the reference. Raises :class:`StageboardError` on too many."""
        self.state.set_sources(sources, bounds)
        if self.coming:
            self.update_later.stop()
        self.update_soon()
        if self.state.comparison is None:
            self.say("warning", capital(self.state.why_not) + ".")
        if self.isVisible():
            self.focus_canvas()

    def say_state(self) -> None:
        """Say what is compared, and how it is looked at."""
        self.header.show_view(self.state.view, self.state.comparison is not None)
        self.strip.show_mode(self.columns.mode)
        comparison, state = self.state.comparison, self.state
        if comparison is None:
            self.setWindowTitle("Compare – Stageboard")
            self.header.show_title("Compare", state.why_not)
            self.strip.count.setText("")
            return
        names = titles_in_a_row(comparison)
        self.setWindowTitle(plain(f"{names} – Compare – Stageboard"))
        said = comparison.why_incomparable or comparison.differing_words
        self.header.show_title(comparison.graph.name, capital(said) if said else names)
        i, j = state.shown
        moved = len(comparison.moved(i, j))
        a, b = comparison.letter(j), comparison.letter(i)
        moves = comparison.moves(i, j)
        at = move_selected(moves, state.selection)
        self.strip.count.setText(
            f"Difference {at + 1} of {len(moves):,}: {comparison.move_words(moves[at])}"
            if at >= 0
            else f"{a} and {b} differ in {plural(moved, 'op')} of {comparison.graph.n:,}"
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

    def focus_canvas(self) -> None:
        """The canvas that had it, or the first, has the keyboard."""
        if (pane := self.columns.current) is not None:
            pane.setFocus()

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
            f"; this also puts {comparison.letter(into)} on the canvas of its window"
            if self.picking.puts_on_canvas(into)
            else ""
        )
        words = f"{pick.what} into {comparison.letter(into)}: {pick.effect}, {pick.rules}{canvas}"
        self.columns.say_carried(ops, source, into, words, not pick.broken)

    # ------------------------------------------------------------------ commands
    def open_files(self, paths: Sequence[Path]) -> None:
        """Compare these plan files, too."""
        self.attempt(lambda: self.files.add_paths(list(paths)))

    def take_selection(self) -> None:
        """The reference takes the selected ops over."""
        source, into = self.state.shown
        self.taking.take(self.state.selection, source, into)

    def take_device(self) -> None:
        """Ask for a device whose ops the reference takes over."""
        self.pick_bar.show_devices()
        if self.pick_bar.devices.hasFocus():  # nothing was chosen
            self.focus_canvas()

    def show_find(self) -> None:
        """The find box has the keyboard."""
        self.find_box.setFocus()
        self.find_box.selectAll()

    def find_now(self) -> None:
        """Select what the find box asks for, and show it in every plan."""
        query = self.find_box.text().strip()
        if not query:
            return
        try:
            found = self.document.find(query)
        except StageboardError as error:
            self.say("warning", str(error))
            return
        if not len(found):
            self.say("info", f"No op matches '{query}'.")
            return
        self.state.select(found)
        self.linking.reveal_ops(found)
        self.notice.dismiss()

    def show_mode(self, mode: str) -> None:
        """Side by side or overlaid."""
        self.columns.set_mode(mode)
        self.focus_canvas()

    def blink(self) -> None:
        """From one plan to the other and back, on one canvas."""
        if self.columns.mode != "over":
            self.show_mode("over")
        pane = self.columns.current
        if isinstance(pane, OverlayPane):
            pane.setFocus()
            pane.fade.blink()

    def zoom_by(self, factor: float) -> None:
        """Nearer, or farther away."""
        if (pane := self.columns.current) is not None:
            pane.zoom_by(factor)

    def step(self, by: int) -> None:
        """The next difference, ops that moved together, in every plan at once."""
        state, comparison = self.state, self.state.comparison
        if comparison is None:
            return
        moves = comparison.moves(*state.shown)
        at = walk_moves(moves, comparison.graph.topological_order, state.selection, by)
        if at >= 0:
            state.select(moves[at].ops)
            self.linking.reveal_ops(moves[at].ops)

    def step_op(self, by: int) -> None:
        """The next op that moved, in every plan at once."""
        state, comparison = self.state, self.state.comparison
        if comparison is None:
            return
        selection = state.selection
        current = -1
        if len(selection):
            current = int(selection[0]) if by < 0 else int(selection[-1])
        op = walk(self.moved_ops(), comparison.graph.topological_order, current, by)
        if op >= 0:
            state.select([op])
            self.linking.reveal(op)

    def make_reference(self) -> None:
        """The plan under the keyboard is what others are compared with."""
        if (pane := self.columns.current) is not None:
            self.state.set_reference(pane.plans[-1])

    def next_pair(self) -> None:
        """The next plan against the same reference."""
        i, j = self.state.shown
        others = [plan for plan in range(len(self.state.plans)) if plan != j]
        later = [plan for plan in others if plan > i]
        self.state.set_pair((later or others)[0], j)

    def apply_plan(self) -> None:
        """The plan under the keyboard goes on the main canvas."""
        if (pane := self.columns.current) is not None:
            self.put_on_canvas(pane.plans[-1])

    # ------------------------------------------------------------------ story
    def tell_with(self, studio: Studio) -> None:
        """Let what is compared be captured for a story; what is said of it is said here, too."""
        self.studio = studio
        studio.draft.frames_changed.connect(self.update_soon)
        studio.said.connect(self._say_told)
        self.update_soon()

    def capture(self, comparison: str = "") -> None:
        """What is compared becomes the next keyframe: as it is on screen, or as a ``comparison`` of one kind."""
        if self.studio is None:
            return
        draft = self.studio.draft
        draft.add(captured(self, draft, comparison or shown_comparison(self)), "Capture a comparison")
        self.notice.show_message(
            "info", self.studio.captured(), action="Show the story", run=self.studio.show_story
        )

    def _say_told(self, level: str, text: str) -> None:
        if self.isVisible():
            self.say(level, text)

    # ------------------------------------------------------------------ looks
    def apply_theme(self, theme: Theme) -> None:
        """Other colours."""
        super().apply_theme(theme)
        self.columns.set_theme(theme)
        self.legend.set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether cards jump instead of gliding."""
        self.columns.set_reduced_motion(reduced)
        super().set_reduced_motion(reduced)

    # ------------------------------------------------------------------ events
    def resizeEvent(self, event: QResizeEvent) -> None:
        """A question stays inside."""
        super().resizeEvent(event)
        self.taking.choice.keep_inside()

    def left(self, whole: bool) -> Left | None:
        """What is in the columns."""
        return Left(self.document, columns=tuple(source.column for source in self.state.sources))

    def end(self) -> None:
        """End threads and animations."""
        self.files.drop()
        self.proving.close()
        self.columns.stop()
        self.picking.close()
        self.linking.close()
