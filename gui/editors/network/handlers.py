"""What the actions of a network's window do, and the conditions they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.document.network.entries import OrderEntry
from gui.document.values import Message
from gui.editors.network.files import OrderFiles
from gui.editors.network.pickers import OrderPickers
from gui.shell.action import ActionSpec
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.editors.network.body import OrderBody


class OrderHandlers:
    """Acts on the document for a window. Errors become notices."""

    def __init__(self, window: OrderBody) -> None:
        self._window = window
        self._document = window.document
        self.files = OrderFiles(window)
        self.pickers = OrderPickers(window, self.run)

    def run(self, action: ActionSpec) -> None:
        """Do what an action says."""
        places = (self, self.files, self._window.studio)
        handler = next(h for place in places if (h := getattr(place, action.handler, None)) is not None)
        try:
            handler() if action.argument is None else handler(action.argument)
        except StageboardError as error:
            self._document.message.emit(Message("error", str(error)))
        self._window.update_actions()

    # ------------------------------------------------------------------ conditions and states
    def conditions(self) -> dict[str, bool]:
        """Condition of :data:`gui.editors.network.actions.ORDER_CONDITIONS` -> whether it holds now."""
        document = self._document
        entry = self._window.plans.current()
        return {
            "always": True,
            "open": document.problem is not None,
            "undo": document.undo_stack.canUndo(),
            "redo": document.undo_stack.canRedo(),
            "selection": document.selection >= 0,
            "several": len(document.plans) > 1,
            "running": bool(self._window.jobs.running) or self._window.race.racing.running,
            "plan": entry is not None and entry is not document.active,
            "claim": document.claim is not None,
            **self._window.studio.conditions(),
        }

    def state(self, name: str) -> bool:
        """Whether a checkable action is on."""
        kind, _, value = name.partition("_")
        if kind == "page":
            return self._window.page == value
        if kind == "drawn":
            return bool(self._window.looked_at.view == value)
        if kind == "theme":
            return self._window.themes.preference == value
        if kind == "recording":
            return self._window.studio.recorder.recording
        return self._window.reduced_motion

    # ------------------------------------------------------------------ edit
    def quit(self) -> None:
        """Close the window."""
        self._window.close()

    def undo(self) -> None:
        """Take the last step back."""
        self._document.undo_stack.undo()

    def redo(self) -> None:
        """Do it again."""
        self._document.undo_stack.redo()

    def select_none(self) -> None:
        """No neuron."""
        self._document.select(-1)

    def go_to_neuron(self) -> None:
        """Pick a neuron by layer and number."""
        self.pickers.pick_neuron()

    # ------------------------------------------------------------------ view
    def show_page(self, page: str) -> None:
        """One order or two."""
        self._window.show_page(page)

    def fit(self) -> None:
        """Everything."""
        self._window.looked_at.fit()

    def zoom_in(self) -> None:
        """Larger."""
        self._window.looked_at.zoom_in()

    def zoom_out(self) -> None:
        """Smaller."""
        self._window.looked_at.zoom_out()

    def draw_as(self, view: str) -> None:
        """Links or matrices."""
        self._window.looked_at.set_view(view)

    def set_theme(self, preference: str) -> None:
        """Light, dark or the system's."""
        self._window.set_theme_name(preference)

    def toggle_motion(self) -> None:
        """Flash and glide, or not."""
        self._window.set_reduced_motion(not self._window.reduced_motion)

    def reset_docks(self) -> None:
        """Panels back where they were."""
        self._window.reset_docks()

    def focus_canvas(self) -> None:
        """The picture has the keyboard."""
        self._window.looked_at.setFocus()

    def focus_strip(self) -> None:
        """The strip has the keyboard."""
        self._window.strip.setFocus()

    def focus_scrubber(self) -> None:
        """The scrubber has the keyboard."""
        self._window.scrubber.setFocus()

    def focus_panel(self, id: str) -> None:
        """A panel has the keyboard."""
        self._window.focus_panel(id)

    def focus_memory(self) -> None:
        """The size of the fast memory has the keyboard."""
        self._window.memory_control.size_box.setFocus()
        self._window.memory_control.size_box.selectAll()

    # ------------------------------------------------------------------ order
    def start_planner(self) -> None:
        """Start what the planners panel has chosen."""
        self._window.planners.refresh_now()
        self._window.planners.start()

    def show_planners(self) -> None:
        """The planners panel."""
        self._window.focus_panel("planners")

    def cancel_planners(self) -> None:
        """Stop everything."""
        self._window.jobs.cancel_all()
        self._window.race.racing.stop()

    def apply_plan(self) -> None:
        """The plan under the list's cursor."""
        self._window.plans.apply_current()

    def apply_best_plan(self) -> None:
        """The best valid order of the list."""
        valid = [entry for entry in self._document.plans if entry.valid]
        if not valid:
            raise StageboardError("no order of the list is valid; start a planner to find one")
        self._document.apply_plan(min(valid, key=lambda entry: entry.components))

    def compare_plan(self) -> None:
        """The order under the list's cursor beside the one on the canvas."""
        entry = self._window.plans.current()
        if isinstance(entry, OrderEntry) and entry is not self._document.active:
            self._window.compare(entry)

    def play(self, what: str) -> None:
        """Play, pause, to the beginning or to the end."""
        getattr(self._window.playback, what)()

    def step_connection(self, by: int) -> None:
        """A connection on or back."""
        self._window.playback.step_connection(by)

    def step_event(self, by: int) -> None:
        """On or back to the next I/O of a neuron's value."""
        self._window.playback.step_event(by)

    def prove_claim(self) -> None:
        """What the file of the order claims, proven beside the window."""
        self._window.proving.prove()

    def run_inference(self) -> None:
        """Run the network in this order and measure it."""
        from gui.editors.network.dialogs.inference import InferenceDialog

        InferenceDialog(self._document, self._window.theme, self._window).show()

    # ------------------------------------------------------------------ help
    def show_palette(self) -> None:
        """All commands."""
        self.pickers.pick_command()

    def show_shortcuts(self) -> None:
        """All shortcuts."""
        from gui.editors.network.actions import ORDER_ACTIONS, ORDER_ELSEWHERE
        from gui.shell.shortcuts import shortcuts_dialog

        shortcuts_dialog(self._window, self._window.theme, ORDER_ACTIONS, ORDER_ELSEWHERE).show()

    def show_about(self) -> None:
        """Name and version."""
        from gui.shell.shortcuts import about_dialog

        about_dialog(self._window).show()
