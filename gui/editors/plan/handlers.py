"""What the actions do: one small method per handler that :mod:`gui.editors.plan.actions` names, and the conditions it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.document.plan.preview import taken_along
from gui.document.values import Message
from gui.editors.plan.files import Files
from gui.editors.plan.pickers import Pickers
from gui.editors.plan.stage_control import set_stages
from gui.editors.plan.stage_exports import StageExports
from gui.panels.mcm.state import is_package
from gui.shell.action import ActionSpec
from gui.shell.kinds import windows_of
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.grouping import unkept_classes
from planner.runs.stage_counts import has_stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.document.plan_list import PlanEntry
    from gui.editors.plan.body import GraphBody
    from gui.editors.plan.repair_offers import Mending


class Handlers:
    """Acts on the document for a window. Errors become notices."""

    def __init__(self, window: GraphBody, mending: Mending) -> None:
        self._window, self._mending = window, mending
        self._document = window.document
        self.files = Files(window)
        self.exports = StageExports(window, self.files)
        self.pickers = Pickers(window, self.run, mending.repairing)

    def run(self, action: ActionSpec) -> None:
        """Do what an action says."""
        places = (self, self.files, self.exports, self._window.studio)
        handler = next(h for place in places if (h := getattr(place, action.handler, None)) is not None)
        try:
            handler() if action.argument is None else handler(action.argument)
        except StageboardError as error:
            self._document.message.emit(Message("error", str(error)))
        self._window.update_actions()

    # ------------------------------------------------------------------ conditions and states
    def conditions(self) -> dict[str, bool]:
        """Condition of :data:`gui.editors.plan.actions.CONDITIONS` -> whether it holds now."""
        document = self._document
        is_open = document.problem is not None
        chosen = len(document.selection) if is_open else 0
        folding = document.folding
        available = folding.available() if is_open else ()
        entry = self._window.plans.current()
        return {
            "always": True,
            "open": is_open,
            "files": is_open and bool(document.paths),
            "undo": document.undo_stack.canUndo(),
            "redo": document.undo_stack.canRedo(),
            "selection": chosen > 0,
            "several": chosen > 1,
            "constraints": document.problem is not None and bool(document.problem.constraints),
            "layers": "layers" in available,
            "scopes": "scopes" in available,
            "blocks": "blocks" in available,
            "classes": document.problem is not None and bool(unkept_classes(document.problem)),
            "groups": len(available) > 1,
            "running": bool(self._window.jobs.running) or self._window.race.racing.running,
            "plan": entry is not None and entry is not document.active,
            "plans": len(document.plans) > 1,
            "stages": document.problem is not None and has_stages(document.problem),
            "package": is_package(document.problem),
            "exporting": self.exports.exporting.busy,
            "comparable": bool(self._window.plans.comparable()),
            "claim": document.claim is not None,
            **self._window.studio.conditions(),
        }

    def state(self, name: str) -> bool:
        """Whether a checkable action is on."""
        kind, _, value = name.partition("_")
        if kind == "is":
            return self._window.canvas.view == value
        if kind == "grouping":
            return self._document.grouping_name == value
        if kind == "theme":
            return self._window.themes.preference == value
        if kind == "recording":
            return self._window.studio.recorder.recording
        return self._window.reduced_motion

    # ------------------------------------------------------------------ file
    def quit(self) -> None:
        """Close the window."""
        self._window.close()

    # ------------------------------------------------------------------ comparing
    def compare_plans(self) -> None:
        """The plans selected in the list side by side; a single one beside the plan on the canvas."""
        self.compare(self._window.plans.comparable())

    def compare(self, entries: Sequence[PlanEntry]) -> None:
        """Plans of the list side by side."""
        windows_of("comparison").open_comparison(self._window, entries)

    def compare_files(self) -> None:
        """Ask for saved plans of this model, and show them beside the one on the canvas."""
        chosen = self.files.ask_plans()
        if chosen:
            windows_of("comparison").open_plans(self._window, chosen)

    def compare_example(self) -> None:
        """Two plans worth comparing."""
        windows_of("comparison").open_example(self._window)

    # ------------------------------------------------------------------ edit
    def undo(self) -> None:
        """Take the last step back."""
        self._document.undo_stack.undo()

    def redo(self) -> None:
        """Do it again."""
        self._document.undo_stack.redo()

    def move_to(self, device: int) -> None:
        """Move the selection to a device by its number; say so where the rules forbid it."""
        document = self._document
        if not len(document.selection):
            return
        check = document.check(document.selection)
        if device >= len(check.legal):
            raise StageboardError(
                f"there is no device {device}; the target has devices 0 to {len(check.legal) - 1}"
            )
        illegal = not check.legal[device]
        reasons = check.reasons(device) if illegal else ()
        ops = document.selection.copy()
        helps = illegal and len(taken_along(document.board.open_live, check.ops, device)) > 0
        document.move(ops, device)
        if not illegal:
            return
        sentence = reasons[0] if reasons else "a rule is broken now"
        if helps:
            self._window.notice.show_message(
                "warning", f"Moved, but {sentence}. Undo, or take the neighbours along.", action="Take along",
                run=lambda: self._take_along(ops, device), until_change=True,
            )  # fmt: skip
        else:
            self._window.notice.show_message(
                "warning", f"Moved, but {sentence}. Undo, or repair the rest.", action="Repair", run=self.repair,
                until_change=True,
            )  # fmt: skip

    def _take_along(self, ops: Ints, device: int) -> None:
        """Instead of the move just made: the same with what the rules require."""
        self._document.undo_stack.undo()
        self._document.move(ops, device, along=True)

    def choose_device(self) -> None:
        """Pick the device from a list."""
        self.pickers.pick_device(along=False)

    def choose_device_along(self) -> None:
        """Pick the device from a list; neighbours come along."""
        self.pickers.pick_device(along=True)

    def choose_device_repair(self) -> None:
        """Pick the device from a list; the rest is repaired."""
        self.pickers.pick_device(along=False, repair=True)

    def pin(self) -> None:
        """Pin the selection where it is."""
        self._document.pin(self._document.selection, None)

    def unpin(self) -> None:
        """Unpin the selection."""
        self._document.unpin(self._document.selection)

    def keep_together(self) -> None:
        """The selected ops share a device."""
        self._document.keep_together(self._document.selection)

    def layers_together(self) -> None:
        """Each layer on one device."""
        self._document.plan_by("layer")

    def scopes_together(self) -> None:
        """Each name scope on one device."""
        self._document.plan_by("scope")

    def classes_together(self) -> None:
        """Each colour class on one device."""
        self._document.plan_by("class")

    def separate(self) -> None:
        """They need not."""
        self._document.separate(self._document.selection)

    def clear_constraints(self) -> None:
        """No constraints."""
        self._document.clear_constraints()

    def select_all(self) -> None:
        """All ops."""
        graph = self._document.graph
        if graph is not None:
            self._document.select(np.arange(graph.n))

    def select_none(self) -> None:
        """No op."""
        self._document.select([])

    def select_ancestors(self) -> None:
        """Upstream too."""
        self._document.select_connected("ancestors")

    def select_descendants(self) -> None:
        """Downstream too."""
        self._document.select_connected("descendants")

    def select_bottleneck(self) -> None:
        """The ops of the device that sets the pace."""
        device = self._document.evaluation.bottleneck
        self._document.select(np.flatnonzero(self._document.device_of == device))
        self._window.inspector.show_device(device)

    def find(self) -> None:
        """The find box."""
        self._window.docks.reveal("ops")
        self._window.ops.show_find()

    def go_to_op(self) -> None:
        """Pick an op by name."""
        self.pickers.pick_op()

    # ------------------------------------------------------------------ view
    def show_view(self, view: str) -> None:
        """Flow or lanes."""
        self._window.canvas.set_view(view)

    def fit(self) -> None:
        """Everything."""
        self._window.canvas.fit()

    def zoom_to_selection(self) -> None:
        """The selection as large as fits."""
        self._window.canvas.zoom_to_ops(self._document.selection)

    def zoom_by(self, factor: float) -> None:
        """In or out."""
        self._window.canvas.zoom_by(factor)

    def set_grouping(self, name: str) -> None:
        """Group by layers, scopes, blocks or not at all."""
        self._document.set_grouping(name)

    def _selected_groups(self) -> list[int]:
        self._document.folding.choose()
        grouping = self._document.grouping
        if grouping is None:
            return []
        return np.unique(grouping.group_of[self._document.selection]).tolist()

    def fold_selection(self) -> None:
        """Fold the groups of the selected ops."""
        self._document.fold(self._selected_groups())

    def unfold_selection(self) -> None:
        """Unfold them."""
        self._document.unfold(self._selected_groups())

    def fold_all(self) -> None:
        """Fold every group."""
        self._document.fold_all()

    def unfold_all(self) -> None:
        """Unfold every group."""
        self._document.unfold_all()

    def set_theme(self, preference: str) -> None:
        """Light, dark or the system's."""
        self._window.set_theme_name(preference)

    def toggle_motion(self) -> None:
        """Glide or jump."""
        self._window.set_reduced_motion(not self._window.reduced_motion)

    def reset_docks(self) -> None:
        """Panels back where they were."""
        self._window.reset_docks()

    def focus_canvas(self) -> None:
        """The canvas has the keyboard."""
        self._window.canvas.setFocus()

    def focus_panel(self, id: str) -> None:
        """A panel has the keyboard."""
        self._window.focus_panel(id)

    # ------------------------------------------------------------------ plan
    def start_planner(self) -> None:
        """Start what the planners panel has chosen."""
        self._window.start_planner()

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
        """The best valid plan of the list."""
        valid = [entry for entry in self._document.plans if entry.valid]
        if not valid:
            raise StageboardError("no plan of the list keeps all rules; start a planner to find one")
        self._document.apply_plan(min(valid, key=lambda entry: entry.components))

    def apply_best_move(self) -> None:
        """The single move that helps most."""
        panel = self._window.suggestions
        panel.search_now()
        if panel.moves:
            panel.apply(0)
        else:
            self._document.message.emit(Message("info", panel.state.text()))

    def repair(self) -> None:
        """A valid plan near this one."""
        self._mending.repair()

    def prove_claim(self) -> None:
        """What the file of the plan claims, proven beside the window."""
        self._window.proving.prove()

    def explain_feasibility(self) -> None:
        """Whether there is a valid plan, and why not."""
        self._mending.explain()

    def add_stages(self, by: int) -> None:
        """More or fewer stages."""
        set_stages(self._document, len(self._document.board.open_problem.devices) + by)

    def show_target(self) -> None:
        """Machine, objective and cost model."""
        self._window.focus_panel("target")

    # ------------------------------------------------------------------ help
    def show_palette(self) -> None:
        """All commands."""
        self.pickers.pick_command()

    def show_shortcuts(self) -> None:
        """All shortcuts."""
        from gui.editors.plan.actions import ACTIONS, ELSEWHERE
        from gui.shell.shortcuts import shortcuts_dialog

        shortcuts_dialog(self._window, self._window.theme, ACTIONS, ELSEWHERE).show()

    def show_about(self) -> None:
        """Name and version."""
        from gui.shell.shortcuts import about_dialog

        about_dialog(self._window).show()
