"""What the actions of the compare window do, and the conditions they name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QFileDialog

from gui.editors.comparison.canvases.linking import walk
from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.state import MOST, file_sources
from gui.shell.action import ActionSpec
from gui.shell.actions import shortcut_text
from gui.shell.palette import Choice
from planner.errors import StageboardError
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody

PICTURES = "Pictures (*.png *.svg *.pdf)"


class CompareHandlers:
    """Acts on a window's state. Errors become notices."""

    def __init__(self, window: CompareBody) -> None:
        self._window = window
        self._state = window.state

    def run(self, action: ActionSpec) -> None:
        """Do what an action says."""
        handler = getattr(self, action.handler)
        try:
            handler() if action.argument is None else handler(action.argument)
        except StageboardError as error:
            self._window.say("error", str(error))
        self._window.update_actions()

    # ------------------------------------------------------------------ conditions and states
    def conditions(self) -> dict[str, bool]:
        """Condition of :data:`gui.editors.comparison.actions.COMPARE_CONDITIONS` -> whether it holds now."""
        state, stack = self._state, self._state.document.undo_stack
        compared = state.comparison is not None
        return {
            "always": True,
            "compared": compared,
            "room": state.document.problem is not None and len(state.sources) < MOST,
            "several": len(state.plans) > 2,
            "undo": stack.canUndo(),
            "redo": stack.canRedo(),
            "selection": compared and len(state.selection) > 0,
            "differ": compared and len(self._moved()) > 0,
        }

    def state(self, name: str) -> bool:
        """Whether a checkable action is on."""
        kind, _, value = name.partition("_")
        if kind == "view":
            return self._state.view == value
        if kind == "mode":
            return self._window.columns.mode == value
        return self._window.isFullScreen() if name == "full_screen" else self._window.columns.calm

    def _moved(self) -> Ints:
        """What differs between the plans that lists are about."""
        comparison = self._state.comparison
        return np.empty(0, np.int32) if comparison is None else comparison.moved(*self._state.shown)

    # ------------------------------------------------------------------ file
    def add_files(self) -> None:
        """Plan files beside the others."""
        folder = next((s.path.parent for s in self._state.sources if s.path is not None), None)
        paths = self._state.document.paths
        start = folder or (paths[0].parent if paths else Path.cwd())
        names, _ = QFileDialog.getOpenFileNames(self._window, "Compare plans", str(start), "Plans (*.json)")
        if names:
            self.add_paths([Path(name) for name in names])

    def add_paths(self, paths: list[Path]) -> None:
        """Plan files, chosen or dropped. Raises :class:`StageboardError` before anything changes."""
        sources, bounds = file_sources(paths, self._state.document)
        self._state.add(sources, bounds)

    def save_picture(self) -> None:
        """The comparison as a picture."""
        name, chosen = QFileDialog.getSaveFileName(self._window, "Save picture", "comparison.png", PICTURES)
        if name:
            del chosen
            path = Path(name)
            self.save_picture_as(path if path.suffix else path.with_suffix(".png"))

    def save_picture_as(self, path: Path) -> None:
        """Write the picture. Raises :class:`StageboardError`."""
        from gui.editors.comparison.picture.picture import save_comparison

        comparison = self._state.comparison
        if comparison is not None:
            save_comparison(comparison, path, theme=self._window.theme.name, view=self._state.view)
            self._window.say("info", f"The comparison was saved as {path.name}.")

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    # ------------------------------------------------------------------ edit
    def undo(self) -> None:
        """Take the last step back."""
        self._state.document.undo_stack.undo()

    def redo(self) -> None:
        """Do it again."""
        self._state.document.undo_stack.redo()

    def take_selection(self) -> None:
        """The selected ops."""
        source, into = self._state.shown
        self._window.taking.take(self._state.selection, source, into)

    def take_device(self) -> None:
        """A device's ops."""
        bar = self._window.pick_bar
        bar.show_devices()
        if bar.devices.hasFocus():  # nothing was chosen
            self._focus_canvas()

    def select_moved(self) -> None:
        """What differs."""
        self._state.select(self._moved())

    def select_none(self) -> None:
        """Nothing."""
        self._state.select([])

    def find(self) -> None:
        """The find box."""
        self._window.find_box.setFocus()
        self._window.find_box.selectAll()

    def find_now(self) -> None:
        """Select what the find box asks for, and show it in every plan."""
        window, query = self._window, self._window.find_box.text().strip()
        if not query:
            return
        try:
            found = self._state.document.find(query)
        except StageboardError as error:
            window.say("warning", str(error))
            return
        if not len(found):
            window.say("info", f"No op matches '{query}'.")
            return
        self._state.select(found)
        window.linking.zoom_to_ops(found)
        window.notice.dismiss()

    # ------------------------------------------------------------------ view
    def show_view(self, view: str) -> None:
        """Flow or lanes."""
        self._state.set_view(view)

    def show_mode(self, mode: str) -> None:
        """Side by side or overlaid."""
        self._window.columns.set_mode(mode)
        self._focus_canvas()

    def _focus_canvas(self) -> None:
        if (pane := self._window.columns.current) is not None:
            pane.setFocus()

    def blink(self) -> None:
        """From one plan to the other and back, on one canvas."""
        columns = self._window.columns
        if columns.mode != "over":
            self.show_mode("over")
        pane = columns.current
        if isinstance(pane, OverlayPane):
            pane.setFocus()
            pane.fade.blink()

    def toggle_calm(self) -> None:
        """Fade what stays, or do not."""
        self._window.columns.set_calm(not self._window.columns.calm)

    def fit(self) -> None:
        """Everything."""
        self._window.linking.fit()

    def zoom_to_selection(self) -> None:
        """What is selected."""
        self._window.linking.zoom_to_ops(self._state.selection)

    def zoom_to_moved(self) -> None:
        """What moved."""
        self._window.linking.zoom_to_ops(self._moved())

    def zoom_by(self, factor: float) -> None:
        """Nearer, or farther away."""
        if (pane := self._window.columns.current) is not None:
            pane.zoom_by(factor)

    def toggle_full_screen(self) -> None:
        """As large as the screen, or as before."""
        window = self._window
        if window.isFullScreen():
            window.showNormal()
        else:
            window.showFullScreen()

    def focus_pane(self, step: int) -> None:
        """The next canvas."""
        self._window.columns.focus_next(step)

    def focus_panel(self, id: str) -> None:
        """A panel has the keyboard."""
        self._window.docks.focus(id)

    def reset_docks(self) -> None:
        """Panels back where they were."""
        self._window.docks.arrange()

    # ------------------------------------------------------------------ compare
    def step(self, by: int) -> None:
        """The next difference, in every plan at once."""
        state = self._state
        comparison = state.comparison
        if comparison is None:
            return
        moved = self._moved()
        selection = state.selection
        current = -1
        if len(selection):
            current = int(selection[0]) if by < 0 else int(selection[-1])
        op = walk(moved, comparison.graph.topological_order, current, by)
        if op >= 0:
            state.select([op])
            self._window.linking.reveal(op)

    def make_reference(self) -> None:
        """The plan under the keyboard is what others are compared with."""
        pane = self._window.columns.current
        if pane is not None:
            self._state.set_reference(pane.plans[-1])

    def next_pair(self) -> None:
        """The next plan against the same reference."""
        i, j = self._state.shown
        others = [plan for plan in range(len(self._state.plans)) if plan != j]
        later = [plan for plan in others if plan > i]
        self._state.set_pair((later or others)[0], j)

    def apply_plan(self) -> None:
        """The plan under the keyboard goes on the main canvas."""
        pane = self._window.columns.current
        if pane is not None:
            self._window.put_on_canvas(pane.plans[-1])

    # ------------------------------------------------------------------ help
    def show_palette(self) -> None:
        """Every command."""
        window = self._window
        window.update_actions()
        choices = [
            Choice(
                f"{item.menu}: {window.actions_set[item.id].text().rstrip('…')}", partial(self.run, item),
                shortcut_text(item), window.actions_set[item.id].isEnabled(),
            )
            for item in window.actions_set.specs
        ]  # fmt: skip
        choices.sort(key=lambda choice: not choice.enabled)
        window.palette_window.ask("Type a command", choices)

    def show_shortcuts(self) -> None:
        """Every shortcut."""
        from gui.editors.comparison.actions import COMPARE_ACTIONS, COMPARE_ELSEWHERE
        from gui.shell.shortcuts import shortcuts_dialog

        shortcuts_dialog(self._window, self._window.theme, COMPARE_ACTIONS, COMPARE_ELSEWHERE).show()
