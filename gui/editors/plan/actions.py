"""Every menu entry, shortcut and palette command as data. Menus, palette, shortcut overview and docs read this list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gui.canvas.graph.heat.heat import COLOURINGS, RATIO, colourings_of
from gui.document.plan.preview import taken_along
from gui.editors.plan.conditions import (
    can_be_measured,
    can_be_run,
    can_go_back,
    can_group,
    can_prove_more,
    has_classes,
    has_constraints,
    has_count,
    has_files,
    has_groups,
    has_kept,
    has_pinned,
    has_profiles,
    has_ratios,
    has_report,
    has_selection,
    has_several,
    has_suggestion,
    is_exporting,
    is_in,
    is_measured,
    is_running,
    on_package,
)
from gui.editors.plan.pin_notice import off_pins
from gui.editors.plan.stage_control import set_count
from gui.shell.action import ActionSpec
from gui.shell.common_actions import (
    FILE_ACTIONS,
    HELP_ACTIONS,
    LOOK_ACTIONS,
    UNDO_ACTIONS,
    back_action,
    panel_action,
    zoom_actions,
)
from gui.tools.planning_actions import OPEN_ACTIONS, PLAN_ACTIONS, SAVE_ACTIONS, is_open
from gui.tools.story.actions import STORY_ACTIONS
from gui.words.machines import counted_titles
from planner.errors import StageboardError
from planner.runs import stage_counts

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.editors.plan.body import GraphBody

MENUS = ("File", "Edit", "View", "Plan", "Story", "Help")


# ---------------------------------------------------------------------- what takes more than a call
def _counted(window: GraphBody) -> tuple[str, str]:
    return counted_titles(window.document.problem)


def simulate_package(window: GraphBody) -> None:
    """Show the package, and how the plan executes on it."""
    window.focus_panel("package")
    window.package.simulate()


def move_to(window: Any, device: int) -> None:
    """Move the selection to a device by its number; say so where the rules forbid it. Raises :class:`StageboardError`."""
    document = window.document
    if not len(document.selection):
        # The key came before the action could be switched off.
        raise StageboardError("no ops are selected; select those to move first")
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
    if not illegal or len(off_pins(document, check.ops)):  # what left its pin is told with every move
        return
    sentence = reasons[0] if reasons else "a rule is broken now"

    def take_along() -> None:
        """Instead of the move just made: the same with what the rules require."""
        document.undo_stack.undo()
        document.move(ops, device, along=True)

    if helps:
        window.notice.show_message(
            "warning", f"Moved, but {sentence}. Undo, or take the neighbours along.", action="Take along",
            run=take_along, other="Undo", run_other=document.undo_stack.undo, until_change=True,
        )  # fmt: skip
    else:
        window.notice.show_message(
            "warning", f"Moved, but {sentence}. Undo, or repair the rest.", action="Repair the rest",
            run=window.mending.repair, other="Undo", run_other=document.undo_stack.undo, until_change=True,
        )  # fmt: skip


def select_all(document: Document) -> None:
    """Select every op."""
    if document.graph is not None:
        document.select(np.arange(document.graph.n))


def selected_groups(document: Document) -> list[int]:
    """The groups of the selected ops, in a grouping that is chosen where none is."""
    document.folding.choose()
    grouping = document.grouping
    return [] if grouping is None else np.unique(grouping.group_of[document.selection]).tolist()


HEAT_TIPS = {
    "stage": "each op in the colour of its stage",
    "time": "a heat map of the ops' times, where they are",
    "bytes": "a heat map of the bytes that ops move: parameters, what they read, what they write",
    "ratio": "a heat map of measured over estimated times, once some were measured",
}
"""What the colours of ops say."""


def next_colouring(window: GraphBody) -> None:
    """Colour the ops by the next thing that they can be coloured by."""
    names, canvas = colourings_of(window.document.open_problem), window.canvas
    at = names.index(canvas.colouring) if canvas.colouring in names else -1
    canvas.set_colouring(names[(at + 1) % len(names)])


def add_devices(document: Document, by: int) -> None:
    """More or fewer stages, chips or accelerators. Raises :class:`StageboardError` where the machine has no number of them."""
    set_count(document, stage_counts.count_of(document.board.open_problem) + by)


# ---------------------------------------------------------------------- the list
def _move(device: int) -> ActionSpec[Any]:
    return ActionSpec(
        f"edit.move.{device}", f"Move Selection to Device {device}", "Edit", lambda w: move_to(w, device), (str(device),),
        f"move the selected ops to device {device}", has_selection, group=2, submenu="Move Selection To",
    )  # fmt: skip


def _colour(name: str) -> ActionSpec[Any]:
    return ActionSpec(
        f"view.colour.{name}", COLOURINGS[name], "View", lambda w: w.canvas.set_colouring(name), (), HEAT_TIPS[name], has_ratios if name == RATIO else is_open,
        submenu="Colour By", state=lambda w: w.canvas.colouring == name,
    )  # fmt: skip


ACTIONS: tuple[ActionSpec[Any], ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open Model…", "File", lambda w: w.files.open_model(), ("Ctrl+O",), "open one model, or several deployed together"),
    *OPEN_ACTIONS,
    ActionSpec("file.open_sparse", "Open as Sparse Network…", "File", lambda w: w.files.open_sparse(), (), "prune the dense layers of an ONNX model to a density and order their connections in a tab of its own"),
    ActionSpec("file.generate", "Generate a Sparse Network…", "File", lambda w: w.files.generate(), ("Ctrl+N",), "make up a random network and order its connections in a tab of its own"),
    ActionSpec("file.open_plan", "Open Plan…", "File", lambda w: w.files.open_plan(), ("Ctrl+Shift+O",), "open a saved plan of this model", is_open),
    ActionSpec("file.batch", "Batch Size…", "File", lambda w: w.files.choose_batch(), (), "read the model again with another batch size", has_files),
    ActionSpec("file.precision", "Precision…", "File", lambda w: w.files.choose_precision(), (), "read the model again with one or two bytes for each number in floating point", has_files),
    ActionSpec("file.times", "Use Measured Times…", "File", lambda w: w.files.ask_times(), (), "plan with the times of ops that a profile says: Stageboard's, onnxruntime's, torch's, TensorRT's, TFLite's, or a table", is_open),
    ActionSpec("file.measure", "Measure This Model", "File", lambda w: w.files.measure_model(), (), "run the model on this computer and plan with the times that its ops take", can_be_measured),
    ActionSpec("file.run", "Run This Plan", "File", lambda w: w.runs.start(), (), "run the plan's stages on this computer, one process each: measured beside predicted", can_be_run),
    ActionSpec("file.run.cancel", "Cancel the Run", "File", lambda w: w.runs.running.cancel(), (), "stop running the plan; nothing is left of it", is_running),
    ActionSpec("file.measure_computer", "Measure This Computer…", "File", lambda w: w.files.ask_computer(), (), "measure the rates of this computer's processor and keep them under a name, to estimate models with"),
    ActionSpec("file.forget_times", "Forget Measured Times", "File", lambda w: w.files.forget_times(), (), "plan with the times of the model's file and estimates again", has_profiles),
    ActionSpec("file.keep_machine", "Keep as a Machine…", "File", lambda w: w.files.ask_machine(), (), "fit rates to the measured times and keep them under a name, to estimate other models with", is_measured),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", lambda w: w.files.export_picture(), ("Ctrl+E",), "export the canvas as a picture", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.onnx", "ONNX Stages…", "File", lambda w: w.exports.export_onnx_stages(), (), "export one ONNX model per stage, verified against the whole model", is_in(".onnx", "ONNX"), group=2, submenu="Export"),
    ActionSpec("file.export.tflite", "TFLite Stages…", "File", lambda w: w.exports.export_tflite_stages(), (), "export one TFLite model per stage, verified against the whole model", is_in(".tflite", "TFLite"), group=2, submenu="Export"),
    ActionSpec("file.export.edge_tpu", "Edge TPU Report…", "File", lambda w: w.files.export_edge_tpu(), (), "export the tensors to cut at and the memory of each segment", has_report, group=2, submenu="Export"),
    ActionSpec("file.export.split", "Device-Placement Split…", "File", lambda w: w.files.export_split(), (), "export which op is on which device as JSON", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.explorer", "Model Explorer Graph…", "File", lambda w: w.files.export_model_explorer(), (), "export the graph in the devices' colours for Google's Model Explorer", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.dot", "DOT Graph…", "File", lambda w: w.files.export_dot(), (), "export graph and plan for Graphviz", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.csv", "Table of Ops (CSV)…", "File", lambda w: w.files.export_csv(), (), "export ops, devices and costs as a table", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.cancel", "Cancel the Export of Stages", "File", lambda w: w.exports.exporting.cancel(), (), "stop writing stages; nothing is left of them", is_exporting, group=2, submenu="Export"),
    *SAVE_ACTIONS,
    *FILE_ACTIONS,
    # ------------------------------------------------------------------ edit
    *UNDO_ACTIONS,
    ActionSpec("edit.move", "Choose a Device…", "Edit", lambda w: w.pickers.pick_device(along=False), ("M",), "move the selected ops: pick the device from a list that says what each would give", has_selection, group=2, submenu="Move Selection To"),
    ActionSpec("edit.move_along", "Choose a Device and Take Neighbours Along…", "Edit", lambda w: w.pickers.pick_device(along=True), ("Shift+M",), "also move what the rules require", has_selection, group=2, submenu="Move Selection To"),
    ActionSpec("edit.move_repair", "Choose a Device and Repair the Rest…", "Edit", lambda w: w.pickers.pick_device(along=False, repair=True), ("R",), "also move what else must move then", has_selection, group=2, submenu="Move Selection To"),
    *map(_move, range(10)),
    ActionSpec("edit.pin", "Pin Where It Is", "Edit", lambda w: w.document.pin(w.document.selection), ("P",), "planners and rules keep the selected ops on their devices", has_selection, group=3),
    ActionSpec("edit.unpin", "Unpin", "Edit", lambda w: w.document.unpin(w.document.selection), ("Shift+P",), "let the selected ops move again", has_pinned, group=3),
    ActionSpec("edit.together", "Keep Together", "Edit", lambda w: w.document.keep_together(w.document.selection), ("K",), "the selected ops share a device, whichever it is", has_several, group=3),
    ActionSpec("edit.together.layers", "Layers", "Edit", lambda w: w.document.plan_by("layer"), (), "each layer stays on one device, whichever it is: plan by layers instead of ops", is_open, group=3, submenu="Keep Together By"),
    ActionSpec("edit.together.scopes", "Name Scopes", "Edit", lambda w: w.document.plan_by("scope"), (), "each name scope stays on one device, whichever it is", is_open, group=3, submenu="Keep Together By"),
    ActionSpec("edit.together.classes", "Colour Classes", "Edit", lambda w: w.document.plan_by("class"), (), "each colour class of the file stays on one device, where the machine has no rule for that", has_classes, group=3, submenu="Keep Together By"),
    ActionSpec("edit.separate", "Separate", "Edit", lambda w: w.document.separate(w.document.selection), ("Shift+K",), "the selected ops need not share a device", has_kept, group=3),
    ActionSpec("edit.clear_constraints", "Remove All Constraints", "Edit", lambda w: w.document.clear_constraints(), (), "remove every pin and keep-together", has_constraints, group=3),
    ActionSpec("edit.select_all", "Select All", "Edit", lambda w: select_all(w.document), ("Ctrl+A",), "select every op", is_open, group=4),
    ActionSpec("edit.select_none", "Select None", "Edit", lambda w: w.document.select([]), ("Ctrl+Shift+A",), "select nothing", has_selection, group=4),
    ActionSpec("edit.ancestors", "Add Ancestors", "Edit", lambda w: w.document.select_connected("ancestors"), ("Ctrl+[",), "select everything the selection depends on too", has_selection, group=4),
    ActionSpec("edit.descendants", "Add Descendants", "Edit", lambda w: w.document.select_connected("descendants"), ("Ctrl+]",), "select everything that depends on the selection too", has_selection, group=4),
    ActionSpec("edit.bottleneck", "Select the Bottleneck's Ops", "Edit", lambda w: w.select_bottleneck(), ("Ctrl+B",), "select the ops of the device that sets the pace, has the largest rest, or holds most", is_open, group=4),
    ActionSpec("edit.find", "Find…", "Edit", lambda w: w.show_find(), ("Ctrl+F",), "find ops by name, kind, shape, device or path", is_open, group=5),
    ActionSpec("edit.find_next", "Find Next", "Edit", lambda w: w.ops.walk(1), ("F3",), "go to the next op that was found", is_open, group=5),
    ActionSpec("edit.find_previous", "Find Previous", "Edit", lambda w: w.ops.walk(-1), ("Shift+F3",), "go to the op found before", is_open, group=5),
    ActionSpec("edit.go_to", "Go to Op…", "Edit", lambda w: w.pickers.pick_op(), ("Ctrl+G",), "type a few letters of an op's name", is_open, group=5),
    # ------------------------------------------------------------------ view
    ActionSpec("view.flow", "Flow", "View", lambda w: w.canvas.set_view("flow"), ("F",), "the graph as it flows", is_open, state=lambda w: w.canvas.view == "flow"),
    ActionSpec("view.lanes", "Lanes", "View", lambda w: w.canvas.set_view("lanes"), ("L",), "one lane per device", is_open, state=lambda w: w.canvas.view == "lanes"),
    ActionSpec("view.stages", "Stages", "View", lambda w: w.canvas.set_view("stages"), ("Shift+S",), "one block of small cells per device, and what flows between the blocks: a picture for a talk", is_open, state=lambda w: w.canvas.view == "stages"),
    *map(_colour, COLOURINGS),
    ActionSpec("view.colour.next", "Next Colouring", "View", next_colouring, ("H",), "colour ops by stage, time, bytes, measured over estimated in turn", is_open, submenu="Colour By"),
    *zoom_actions(lambda w: w.canvas.fit(), lambda w, factor: w.canvas.zoom_by(factor), is_open),
    ActionSpec("view.zoom_selection", "Zoom to Selection", "View", lambda w: w.canvas.zoom_to_ops(w.document.selection), ("Z",), "show the selected ops", has_selection, group=1),
    back_action(lambda w: w.canvas.go_back(), can_go_back),
    ActionSpec("view.group.none", "No Grouping", "View", lambda w: w.document.set_grouping("none"), (), "show every op", is_open, group=2, submenu="Group By", state=lambda w: w.document.grouping_name == "none"),
    ActionSpec("view.group.layers", "Layers", "View", lambda w: w.document.set_grouping("layers"), (), "group by the layers of the file", can_group("layers", "the model's file does not say which layers its ops are in"), group=2, submenu="Group By", state=lambda w: w.document.grouping_name == "layers"),
    ActionSpec("view.group.scopes", "Name Scopes", "View", lambda w: w.document.set_grouping("scopes"), (), "group by the first parts of the names", can_group("scopes", "the names of this model's ops have no scopes"), group=2, submenu="Group By", state=lambda w: w.document.grouping_name == "scopes"),
    ActionSpec("view.group.blocks", "Repeated Blocks", "View", lambda w: w.document.set_grouping("blocks"), (), "group what repeats", can_group("blocks", "no part of this model repeats"), group=2, submenu="Group By", state=lambda w: w.document.grouping_name == "blocks"),
    ActionSpec("view.fold", "Fold the Selection's Groups", "View", lambda w: w.document.fold(selected_groups(w.document)), ("G",), "fold the groups of the selected ops into one card each", has_groups, group=2),
    ActionSpec("view.unfold", "Unfold the Selection's Groups", "View", lambda w: w.document.unfold(selected_groups(w.document)), ("Shift+G",), "show their ops again", has_groups, group=2),
    ActionSpec("view.fold_all", "Fold All", "View", lambda w: w.document.fold_all(), ("Ctrl+Shift+G", "Ctrl+_"), "fold every group", has_groups, group=2),
    ActionSpec("view.unfold_all", "Unfold All", "View", lambda w: w.document.unfold_all(), ("Ctrl+Alt+G", "Ctrl+Shift++"), "show every op", has_groups, group=2),
    ActionSpec("view.package", "Package", "View", lambda w: w.focus_panel("package"), ("Ctrl+Shift+M",), "the chips of a multi-chip module with their memory, load and links", on_package, group=4),
    *LOOK_ACTIONS,
    # ------------------------------------------------------------------ plan
    *PLAN_ACTIONS,
    ActionSpec("plan.compare", "Compare Plans", "Plan", lambda w: w.compare_chosen(), ("Ctrl+Shift+D",), "the plans selected in the list side by side; a single one beside the plan on the canvas", is_open, group=1),
    ActionSpec("compare.files", "Compare with Plan Files…", "Plan", lambda w: w.compare_files(), (), "the plan on the canvas, as A, beside saved plans of this model; at most four in all", is_open, group=1),
    ActionSpec("compare.example", "Compare: an Example", "Plan", lambda w: w.compare_example(), (), "a transformer on accelerators: the best contiguous split beside the best one that may be torn apart", group=1),
    ActionSpec("plan.help", "Make the Move That Helps Most", "Plan", lambda w: w.suggestions.apply_best(), ("Ctrl+H",), "the best single move under the rules", is_open, group=2),
    ActionSpec("plan.prove_more", "Prove a Stronger Bound", "Plan", lambda w: w.proving_unasked.prove_more(), ("Ctrl+Shift+B",), "up to a minute of processor time (longer on a busy machine) on how good a plan can be at all: perhaps this one is optimal", can_prove_more, group=2),
    ActionSpec("plan.robust", "How Sure Is This Plan?", "Plan", lambda w: w.focus_panel("robust"), ("Ctrl+Shift+U",), "what it costs when op times are off, which errors would change it, and which plan regrets least", is_open, group=2),
    ActionSpec("plan.repair", "Repair the Plan", "Plan", lambda w: w.mending.repair(), ("Ctrl+R",), "find a valid plan near this one: pins stay, then what you moved last", is_open, group=2),
    ActionSpec("plan.feasible", "Is There a Valid Plan?", "Plan", lambda w: w.mending.explain(), (), "check the rules, find what stands in the way and what would help", is_open, group=2),
    ActionSpec("plan.simulate", "Simulate the Package", "Plan", simulate_package, (), "how the plan executes on a multi-chip module: shared links, full buffers, allocated memory", on_package, group=2),
    ActionSpec("plan.train", "Train the Learned Policy…", "Plan", lambda w: w.focus_panel("training"), (), "train the network with which the planner Learned policy plans multi-chip modules, and plan with its weights", on_package, group=2),
    ActionSpec("plan.target", "Target, Objective, Cost Model…", "Plan", lambda w: w.focus_panel("target"), ("Ctrl+T",), "change the machine, what is minimised, or the estimated times", is_open, group=3),
    ActionSpec("plan.suggested", "Plan for the Suggested Objective", "Plan", lambda w: w.planning_anew.take_suggestion(), (), "where all parameters fit the caches of Edge TPUs: plan for the most inferences per second", has_suggestion, group=3),
    ActionSpec("plan.counts", "How Many Stages Do I Need?", "Plan", lambda w: w.focus_panel("counts"), ("Ctrl+Shift+T",), "plan for one, two and more, up to what the machine has, in the background and compare them", has_count, group=3, called=lambda w: f"How Many {_counted(w)[1]} Do I Need?"),
    ActionSpec("plan.stage_more", "One Stage More", "Plan", lambda w: add_devices(w.document, 1), (">",), "plan for a machine that has one more", has_count, group=3, called=lambda w: f"One {_counted(w)[0]} More"),
    ActionSpec("plan.stage_fewer", "One Stage Fewer", "Plan", lambda w: add_devices(w.document, -1), ("<",), "plan for a machine that has one fewer", has_count, group=3, called=lambda w: f"One {_counted(w)[0]} Fewer"),
    # ------------------------------------------------------------------ story
    *STORY_ACTIONS,
    # ------------------------------------------------------------------ help
    *HELP_ACTIONS,
    ActionSpec("view.focus_canvas", "Go to the Canvas", "View", lambda w: w.canvas.setFocus(), ("Ctrl+1",), "give the canvas the keyboard", group=6, submenu="Go To"),
    panel_action("view.focus_devices", "Go to the Devices", "devices", ("Ctrl+2",), "give the devices the keyboard"),
    panel_action("view.focus_ops", "Go to the Op Table", "ops", ("Ctrl+3",), "give the op table the keyboard"),
    panel_action("view.focus_inspector", "Go to the Inspector", "inspector", ("Ctrl+4",), "give the inspector the keyboard"),
    panel_action("view.focus_plans", "Go to the Plans", "plans", ("Ctrl+5",), "give the plan list the keyboard"),
    panel_action("view.focus_violations", "Go to the Violations", "violations", ("Ctrl+6",), "list the broken rules"),
    panel_action("view.focus_help", "Go to What Would Help", "help", ("Ctrl+7",), "list the best moves"),
    panel_action("view.focus_convergence", "Go to the Convergence Plot", "convergence", ("Ctrl+8",), "show how a planner's run went"),
    panel_action("view.focus_schedule", "Go to the Schedule", "schedule", ("Ctrl+9",), "show when each device works on which sample"),
)  # fmt: skip

ELSEWHERE = (
    ("Canvas", (
        ("Arrows", "walk along edges and columns; with Shift add to the selection"),
        ("Drag", "move ops to another lane, block, device card or, in the flow view, device chip or op of another device"),
        ("Drag on the ground", "select with a rubber band; Shift adds"),
        ("Space or middle button, drag", "move the picture"),
        ("Wheel, + and -", "zoom"),
        ("Double click", "unfold a group, zoom to an op, or fit"),
        ("Esc", "cancel a drag, then select nothing"),
        ("Esc or Ctrl+Z", "while a drop is asked about: leave everything as it was"),
    )),
    ("Devices", (
        ("Up, Down", "walk through the devices"), ("Return or M", "move the selected ops there"), ("Space", "select its ops"),
    )),
    ("Ops", (
        ("Return", "from match to match, with Shift backwards; in the table show the selection on the canvas"),
        ("Alt+Return", "select all that is found"), ("Down", "from the find box into the table"),
        ("Esc", "from the find box to the canvas; the text stays"),
    )),
    ("Plans", (("Return", "apply"), ("F2", "rename"), ("Del", "remove"))),
)  # fmt: skip
"""What keys and gestures do in places of the window that have no entry in a menu."""
