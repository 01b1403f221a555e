"""Every menu entry, shortcut and palette command as data. Menus, palette, shortcut overview and docs read this list."""

from __future__ import annotations

from gui.shell.action import ActionSpec
from gui.tools.story.actions import STORY_ACTIONS, STORY_CONDITIONS

MENUS = ("File", "Edit", "View", "Plan", "Story", "Help")


def _moves() -> list[ActionSpec]:
    return [
        ActionSpec(
            f"edit.move.{d}", f"Move Selection to Device {d}", "Edit", "move_to", (str(d),),
            f"move the selected ops to device {d}", "selection", group=2, submenu="Move Selection To", argument=d,
        )
        for d in range(10)
    ]  # fmt: skip


ACTIONS: tuple[ActionSpec, ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open Model…", "File", "open_model", ("Ctrl+O",), "open one model, or several deployed together"),
    ActionSpec("file.open_sparse", "Open as Sparse Network…", "File", "open_sparse", (), "prune the dense layers of an ONNX model to a density and order their connections in a window of their own"),
    ActionSpec("file.generate", "Generate a Sparse Network…", "File", "generate", (), "make up a random network and order its connections in a window of its own"),
    ActionSpec("file.open_plan", "Open Plan…", "File", "open_plan", ("Ctrl+Shift+O",), "open a saved plan of this model", "open"),
    ActionSpec("file.batch", "Batch Size…", "File", "choose_batch", (), "read the model again with another batch size", "files"),
    ActionSpec("file.save", "Save Plan", "File", "save_plan", ("Ctrl+S",), "write the plan on the canvas to its file", "open", group=1),
    ActionSpec("file.save_as", "Save Plan As…", "File", "save_plan_as", ("Ctrl+Shift+S",), "write the plan to another file", "open", group=1),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", "export_picture", ("Ctrl+E",), "export the canvas as a picture", "open", group=2, submenu="Export"),
    ActionSpec("file.export.onnx", "ONNX Stages…", "File", "export_onnx_stages", (), "export one ONNX model per stage, verified against the whole model", "files", group=2, submenu="Export"),
    ActionSpec("file.export.tflite", "TFLite Stages…", "File", "export_tflite_stages", (), "export one TFLite model per stage, verified against the whole model", "files", group=2, submenu="Export"),
    ActionSpec("file.export.edge_tpu", "Edge TPU Report…", "File", "export_edge_tpu", (), "export the tensors to cut at and the memory of each segment", "open", group=2, submenu="Export"),
    ActionSpec("file.export.split", "Device-Placement Split…", "File", "export_split", (), "export which op is on which device as JSON", "open", group=2, submenu="Export"),
    ActionSpec("file.export.explorer", "Model Explorer Graph…", "File", "export_model_explorer", (), "export the graph in the devices' colours for Google's Model Explorer", "open", group=2, submenu="Export"),
    ActionSpec("file.export.dot", "DOT Graph…", "File", "export_dot", (), "export graph and plan for Graphviz", "open", group=2, submenu="Export"),
    ActionSpec("file.export.csv", "Table of Ops (CSV)…", "File", "export_csv", (), "export ops, devices and costs as a table", "open", group=2, submenu="Export"),
    ActionSpec("file.export.cancel", "Cancel the Export of Stages", "File", "cancel_export", (), "stop writing stages; nothing is left of them", "exporting", group=2, submenu="Export"),
    ActionSpec("file.quit", "Quit", "File", "quit", ("Ctrl+Q",), "close Stageboard", group=3),
    # ------------------------------------------------------------------ edit
    ActionSpec("edit.undo", "Undo", "Edit", "undo", ("Ctrl+Z",), "take the last step back", "undo"),
    ActionSpec("edit.redo", "Redo", "Edit", "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "do the step again", "redo"),
    ActionSpec("edit.move", "Choose a Device…", "Edit", "choose_device", ("M",), "move the selected ops: pick the device from a list that says what each would give", "selection", group=2, submenu="Move Selection To"),
    ActionSpec("edit.move_along", "Choose a Device and Take Neighbours Along…", "Edit", "choose_device_along", ("Shift+M",), "also move what the rules require", "selection", group=2, submenu="Move Selection To"),
    ActionSpec("edit.move_repair", "Choose a Device and Repair the Rest…", "Edit", "choose_device_repair", ("R",), "also move what else must move then", "selection", group=2, submenu="Move Selection To"),
    *_moves(),
    ActionSpec("edit.pin", "Pin Where It Is", "Edit", "pin", ("P",), "planners and rules keep the selected ops on their devices", "selection", group=3),
    ActionSpec("edit.unpin", "Unpin", "Edit", "unpin", ("Shift+P",), "let the selected ops move again", "selection", group=3),
    ActionSpec("edit.together", "Keep Together", "Edit", "keep_together", ("K",), "the selected ops share a device, whichever it is", "several", group=3),
    ActionSpec("edit.together.layers", "Layers", "Edit", "layers_together", (), "each layer stays on one device, whichever it is: plan by layers instead of ops", "open", group=3, submenu="Keep Together By"),
    ActionSpec("edit.together.scopes", "Name Scopes", "Edit", "scopes_together", (), "each name scope stays on one device, whichever it is", "open", group=3, submenu="Keep Together By"),
    ActionSpec("edit.together.classes", "Colour Classes", "Edit", "classes_together", (), "each colour class of the file stays on one device, where the machine has no rule for that", "classes", group=3, submenu="Keep Together By"),
    ActionSpec("edit.separate", "Separate", "Edit", "separate", ("Shift+K",), "the selected ops need not share a device", "selection", group=3),
    ActionSpec("edit.clear_constraints", "Remove All Constraints", "Edit", "clear_constraints", (), "remove every pin and keep-together", "constraints", group=3),
    ActionSpec("edit.select_all", "Select All", "Edit", "select_all", ("Ctrl+A",), "select every op", "open", group=4),
    ActionSpec("edit.select_none", "Select None", "Edit", "select_none", ("Ctrl+Shift+A",), "select nothing", "selection", group=4),
    ActionSpec("edit.ancestors", "Add Ancestors", "Edit", "select_ancestors", ("Ctrl+[",), "select everything the selection depends on too", "selection", group=4),
    ActionSpec("edit.descendants", "Add Descendants", "Edit", "select_descendants", ("Ctrl+]",), "select everything that depends on the selection too", "selection", group=4),
    ActionSpec("edit.bottleneck", "Select the Bottleneck's Ops", "Edit", "select_bottleneck", ("Ctrl+B",), "select the ops of the device that sets the pace", "open", group=4),
    ActionSpec("edit.find", "Find…", "Edit", "find", ("Ctrl+F",), "find ops by name, kind, shape, device or path", "open", group=5),
    ActionSpec("edit.go_to", "Go to Op…", "Edit", "go_to_op", ("Ctrl+G",), "type a few letters of an op's name", "open", group=5),
    # ------------------------------------------------------------------ view
    ActionSpec("view.flow", "Flow", "View", "show_view", ("F",), "the graph as it flows", "open", argument="flow", state="is_flow"),
    ActionSpec("view.lanes", "Lanes", "View", "show_view", ("L",), "one lane per device", "open", argument="lanes", state="is_lanes"),
    ActionSpec("view.fit", "Fit", "View", "fit", ("Home", "Ctrl+0"), "show everything", "open", group=1),
    ActionSpec("view.zoom_selection", "Zoom to Selection", "View", "zoom_to_selection", ("Z",), "show the selected ops", "selection", group=1),
    ActionSpec("view.zoom_in", "Zoom In", "View", "zoom_by", ("Ctrl+=", "Ctrl++"), "", "open", group=1, argument=1.25),
    ActionSpec("view.zoom_out", "Zoom Out", "View", "zoom_by", ("Ctrl+-",), "", "open", group=1, argument=0.8),
    ActionSpec("view.group.none", "No Grouping", "View", "set_grouping", (), "show every op", "open", group=2, submenu="Group By", argument="none", state="grouping_none"),
    ActionSpec("view.group.layers", "Layers", "View", "set_grouping", (), "group by the layers of the file", "layers", group=2, submenu="Group By", argument="layers", state="grouping_layers"),
    ActionSpec("view.group.scopes", "Name Scopes", "View", "set_grouping", (), "group by the first parts of the names", "scopes", group=2, submenu="Group By", argument="scopes", state="grouping_scopes"),
    ActionSpec("view.group.blocks", "Repeated Blocks", "View", "set_grouping", (), "group what repeats", "blocks", group=2, submenu="Group By", argument="blocks", state="grouping_blocks"),
    ActionSpec("view.fold", "Fold the Selection's Groups", "View", "fold_selection", ("G",), "fold the groups of the selected ops into one card each", "groups", group=2),
    ActionSpec("view.unfold", "Unfold the Selection's Groups", "View", "unfold_selection", ("Shift+G",), "show their ops again", "groups", group=2),
    ActionSpec("view.fold_all", "Fold All", "View", "fold_all", ("Ctrl+Shift+G", "Ctrl+_"), "fold every group", "groups", group=2),
    ActionSpec("view.unfold_all", "Unfold All", "View", "unfold_all", ("Ctrl+Alt+G", "Ctrl+Shift++"), "show every op", "groups", group=2),
    ActionSpec("view.theme.system", "Like the System", "View", "set_theme", (), "follow the desktop's colour scheme", group=3, submenu="Theme", argument="system", state="theme_system"),
    ActionSpec("view.theme.light", "Light", "View", "set_theme", (), "light colours", group=3, submenu="Theme", argument="light", state="theme_light"),
    ActionSpec("view.theme.dark", "Dark", "View", "set_theme", (), "dark colours", group=3, submenu="Theme", argument="dark", state="theme_dark"),
    ActionSpec("view.motion", "Reduced Motion", "View", "toggle_motion", (), "ops jump to their places instead of gliding", group=3, state="motion_reduced"),
    ActionSpec("view.package", "Package", "View", "focus_panel", ("Ctrl+Shift+M",), "the chips of a multi-chip module with their memory, load and links", "package", group=4, argument="package"),
    ActionSpec("view.docks_reset", "Reset Panels", "View", "reset_docks", (), "put all panels back where they were", group=4),
    # ------------------------------------------------------------------ plan
    ActionSpec("plan.start", "Start the Chosen Planner", "Plan", "start_planner", ("Ctrl+Return", "Ctrl+Enter"), "run it in the background", "open"),
    ActionSpec("plan.choose", "Planners…", "Plan", "show_planners", ("Ctrl+P",), "choose a planner or bound method and its options", "open"),
    ActionSpec("plan.race", "Race Planners…", "Plan", "focus_panel", ("Ctrl+Shift+R",), "several planners at once: they share plans and bounds, and a leaderboard says who leads", "open", argument="race"),
    ActionSpec("plan.cancel", "Cancel All Planners", "Plan", "cancel_planners", ("Ctrl+.",), "stop what runs; the best plans found are kept", "running"),
    ActionSpec("plan.apply", "Apply the Chosen Plan", "Plan", "apply_plan", ("Ctrl+Shift+Return",), "put the plan chosen in the list on the canvas", "plan", group=1),
    ActionSpec("plan.apply_best", "Apply the Best Valid Plan", "Plan", "apply_best_plan", (), "put the best plan of the list on the canvas", "plans", group=1),
    ActionSpec("compare.plans", "Compare Plans", "Plan", "compare_plans", ("Ctrl+Shift+D",), "the plans selected in the list side by side; a single one beside the plan on the canvas", "comparable", group=1),
    ActionSpec("compare.files", "Compare with Plan Files…", "Plan", "compare_files", (), "saved plans of this model beside the plan on the canvas", "open", group=1),
    ActionSpec("compare.example", "Compare: an Example", "Plan", "compare_example", (), "a transformer on accelerators: the best contiguous split beside the best one that may be torn apart", group=1),
    ActionSpec("plan.help", "Make the Move That Helps Most", "Plan", "apply_best_move", ("Ctrl+H",), "the best single move under the rules", "open", group=2),
    ActionSpec("plan.repair", "Repair the Plan", "Plan", "repair", ("Ctrl+R",), "find a valid plan near this one: pins stay, then what you moved last", "open", group=2),
    ActionSpec("plan.feasible", "Is There a Valid Plan?", "Plan", "explain_feasibility", (), "check the rules, find what stands in the way and what would help", "open", group=2),
    ActionSpec("plan.prove", "Prove What the File Claims", "Plan", "prove_claim", (), "run what proved the bound that the plan's file claims, beside the window", "claim", group=2),
    ActionSpec("plan.target", "Target, Objective, Cost Model…", "Plan", "show_target", ("Ctrl+T",), "change the machine, what is minimised, or the estimated times", "open", group=3),
    ActionSpec("plan.counts", "How Many TPUs Do I Need?", "Plan", "focus_panel", ("Ctrl+Shift+T",), "plan 1 to 8 stages in the background and compare them", "stages", group=3, argument="counts"),
    ActionSpec("plan.stage_more", "One Stage More", "Plan", "add_stages", (">",), "plan for one more stage of the pipeline", "stages", group=3, argument=1),
    ActionSpec("plan.stage_fewer", "One Stage Fewer", "Plan", "add_stages", ("<",), "plan for one stage fewer; its ops go to the last one left", "stages", group=3, argument=-1),
    # ------------------------------------------------------------------ story
    *STORY_ACTIONS,
    # ------------------------------------------------------------------ help
    ActionSpec("help.palette", "Command Palette…", "Help", "show_palette", ("Ctrl+Shift+P", "F1"), "find any command by a few letters"),
    ActionSpec("help.shortcuts", "Keyboard Shortcuts", "Help", "show_shortcuts", ("Ctrl+K", "?"), "every shortcut in one place"),
    ActionSpec("help.about", "About Stageboard", "Help", "show_about", (), "version and licence"),
    ActionSpec("help.focus_canvas", "Go to the Canvas", "View", "focus_canvas", ("Ctrl+1",), "give the canvas the keyboard", group=4, submenu="Go To"),
    ActionSpec("help.focus_devices", "Go to the Devices", "View", "focus_panel", ("Ctrl+2",), "give the devices the keyboard", group=4, submenu="Go To", argument="devices"),
    ActionSpec("help.focus_ops", "Go to the Op Table", "View", "focus_panel", ("Ctrl+3",), "give the op table the keyboard", group=4, submenu="Go To", argument="ops"),
    ActionSpec("help.focus_inspector", "Go to the Inspector", "View", "focus_panel", ("Ctrl+4",), "give the inspector the keyboard", group=4, submenu="Go To", argument="inspector"),
    ActionSpec("help.focus_plans", "Go to the Plans", "View", "focus_panel", ("Ctrl+5",), "give the plan list the keyboard", group=4, submenu="Go To", argument="plans"),
    ActionSpec("help.focus_violations", "Go to the Violations", "View", "focus_panel", ("Ctrl+6",), "list the broken rules", group=4, submenu="Go To", argument="violations"),
    ActionSpec("help.focus_help", "Go to What Would Help", "View", "focus_panel", ("Ctrl+7",), "list the best moves", group=4, submenu="Go To", argument="help"),
    ActionSpec("help.focus_convergence", "Go to the Convergence Plot", "View", "focus_panel", ("Ctrl+8",), "show how a planner's run went", group=4, submenu="Go To", argument="convergence"),
    ActionSpec("help.focus_schedule", "Go to the Schedule", "View", "focus_panel", ("Ctrl+9",), "show when each device works on which sample", group=4, submenu="Go To", argument="schedule"),
)  # fmt: skip

CONDITIONS = (
    "always", "open", "files", "undo", "redo", "selection", "several", "constraints", "layers", "scopes", "blocks",
    "classes", "groups", "running", "plan", "plans", "stages", "package", "exporting", "comparable", "claim", *STORY_CONDITIONS,
)  # fmt: skip


def spec(id: str) -> ActionSpec:
    """The action with this id. Raises KeyError."""
    for action in ACTIONS:
        if action.id == id:
            return action
    raise KeyError(id)


ELSEWHERE = (
    ("Canvas", (
        ("Arrows", "walk along edges and columns; with Shift add to the selection"),
        ("Drag", "move ops to another lane, device card or, in the flow view, device chip"),
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
        ("Return", "show the results of a search, or the selection, on the canvas"), ("Down", "from the find box into the table"),
    )),
    ("Plans", (("Return", "apply"), ("F2", "rename"), ("Del", "remove"))),
)  # fmt: skip
"""What keys and gestures do in places of the window that have no entry in a menu."""
