"""Every menu entry, shortcut and palette command of the compare window, as data of the same kind as the main window's."""

from __future__ import annotations

from gui.shell.action import ActionSpec

COMPARE_MENUS = ("File", "Edit", "View", "Compare", "Help")

COMPARE_ACTIONS: tuple[ActionSpec, ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.add", "Add Plan Files…", "File", "add_files", ("Ctrl+O",), "compare saved plans of this model, too", "room"),
    ActionSpec("file.picture", "Save Picture (PNG, SVG, PDF)…", "File", "save_picture", ("Ctrl+E",), "the comparison as one picture for a document", "compared", group=1),
    ActionSpec("file.close", "Close", "File", "close", ("Ctrl+W",), "close this window; nothing is lost", group=2),
    # ------------------------------------------------------------------ edit
    ActionSpec("edit.undo", "Undo", "Edit", "undo", ("Ctrl+Z",), "take the last step back", "undo"),
    ActionSpec("edit.redo", "Redo", "Edit", "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "do the step again", "redo"),
    ActionSpec("edit.take", "Take the Selected Ops Over", "Edit", "take_selection", ("T",), "the reference gets the selected ops where the other plan has them", "selection", group=1),
    ActionSpec("edit.take_device", "Take a Device's Ops Over…", "Edit", "take_device", ("Shift+T",), "the reference gets all ops of one device of the other plan", "compared", group=1),
    ActionSpec("edit.select_moved", "Select All That Differ", "Edit", "select_moved", ("Ctrl+A",), "select the ops that the two plans have on different devices", "compared", group=2),
    ActionSpec("edit.select_none", "Select None", "Edit", "select_none", ("Ctrl+Shift+A",), "select nothing", "selection", group=2),
    ActionSpec("edit.find", "Find Ops…", "Edit", "find", ("Ctrl+F",), "select ops by name, kind, shape or path in all plans", "compared", group=3),
    # ------------------------------------------------------------------ view
    ActionSpec("view.flow", "Flow", "View", "show_view", ("Ctrl+Shift+1",), "the graph as a ribbon", "compared", argument="flow", state="view_flow"),
    ActionSpec("view.lanes", "Lanes", "View", "show_view", ("Ctrl+Shift+2",), "one lane for each device, matched devices in the same place", "compared", argument="lanes", state="view_lanes"),
    ActionSpec("view.side", "Side by Side", "View", "show_mode", ("S",), "a canvas for each plan", "compared", group=1, argument="side", state="mode_side"),
    ActionSpec("view.over", "Overlaid", "View", "show_mode", ("O",), "two plans on one canvas", "compared", group=1, argument="over", state="mode_over"),
    ActionSpec("view.blink", "Blink", "View", "blink", ("B",), "change between the two plans on one canvas; hold the key to look only for a moment", "compared", group=1),
    ActionSpec("view.calm", "Fade What Stays", "View", "toggle_calm", ("D",), "let the ops that moved stand out", "compared", group=1, state="calm"),
    ActionSpec("view.fit", "Fit", "View", "fit", ("Ctrl+0", "F"), "show everything", "compared", group=2),
    ActionSpec("view.zoom_selection", "Zoom to Selection", "View", "zoom_to_selection", ("Ctrl+9", "Z"), "the selected ops as large as fits", "selection", group=2),
    ActionSpec("view.zoom_moved", "Zoom to the Differences", "View", "zoom_to_moved", ("Shift+Z",), "all that moved as large as fits", "differ", group=2),
    ActionSpec("view.zoom_in", "Zoom In", "View", "zoom_by", ("Ctrl+=", "Ctrl++"), "", "compared", group=2, argument=1.25),
    ActionSpec("view.zoom_out", "Zoom Out", "View", "zoom_by", ("Ctrl+-",), "", "compared", group=2, argument=0.8),
    ActionSpec("view.full_screen", "Full Screen", "View", "toggle_full_screen", ("F11",), "as large as the screen, or as before", group=3, state="full_screen"),
    ActionSpec("view.next_pane", "Next Pane", "View", "focus_pane", ("F6",), "give the next plan's canvas the keyboard", "compared", group=4, submenu="Go To", argument=1),
    ActionSpec("view.previous_pane", "Previous Pane", "View", "focus_pane", ("Shift+F6",), "give the canvas before it the keyboard", "compared", group=4, submenu="Go To", argument=-1),
    ActionSpec("view.focus_moved", "Go to the Moved Ops", "View", "focus_panel", ("Ctrl+1",), "give the list of moved ops the keyboard", "compared", group=4, submenu="Go To", argument="moved"),
    ActionSpec("view.focus_devices", "Go to the Devices", "View", "focus_panel", ("Ctrl+2",), "what each device has and pays more or less", "compared", group=4, submenu="Go To", argument="devices"),
    ActionSpec("view.focus_flows", "Go to the Flows", "View", "focus_panel", ("Ctrl+3",), "from which device to which ops go", "compared", group=4, submenu="Go To", argument="flows"),
    ActionSpec("view.focus_schedules", "Go to the Schedules", "View", "focus_panel", ("Ctrl+4",), "the schedule of each plan on one time axis", "compared", group=4, submenu="Go To", argument="schedules"),
    ActionSpec("view.focus_figures", "Go to the Figures", "View", "focus_panel", ("Ctrl+5",), "objective, bound and gap of each plan", "compared", group=4, submenu="Go To", argument="figures"),
    ActionSpec("view.docks_reset", "Reset Panels", "View", "reset_docks", (), "put all panels back where they were", group=5),
    # ------------------------------------------------------------------ compare
    ActionSpec("compare.next", "Next Difference", "Compare", "step", ("N",), "select the next op that moved and show it in every plan", "differ", argument=1),
    ActionSpec("compare.previous", "Previous Difference", "Compare", "step", ("Shift+N",), "select the one before it", "differ", argument=-1),
    ActionSpec("compare.reference", "Make This Plan the Reference", "Compare", "make_reference", ("R",), "compare the others with the plan whose canvas has the keyboard", "compared", group=1),
    ActionSpec("compare.pair", "Compare the Next Plan", "Compare", "next_pair", ("P",), "let lists speak of the next plan against the reference", "several", group=1),
    ActionSpec("compare.apply", "Put This Plan on the Main Canvas", "Compare", "apply_plan", ("Ctrl+Return", "Ctrl+Enter"), "the plan whose canvas has the keyboard takes the place of the one under edit: one undo step", "compared", group=1),
    # ------------------------------------------------------------------ help
    ActionSpec("help.palette", "Command Palette…", "Help", "show_palette", ("Ctrl+Shift+P",), "find any command by a few letters"),
    ActionSpec("help.shortcuts", "Keyboard Shortcuts", "Help", "show_shortcuts", ("F1", "?"), "every shortcut in one place"),
)  # fmt: skip

COMPARE_CONDITIONS = ("always", "compared", "room", "several", "undo", "redo", "selection", "differ")

COMPARE_ELSEWHERE = (
    ("Canvases", (
        ("Arrows", "walk along edges and columns in every plan; with Shift add to the selection"),
        ("Drag an op to another canvas", "take it, and what else is selected, over into that plan"),
        ("Drag on the ground", "select with a rubber band; Shift adds"),
        ("Space or middle button, drag", "move the pictures"), ("Wheel, + and -", "zoom"),
        ("Double click", "unfold a group, zoom to an op, or fit"), ("Tab, Shift+Tab", "to the next part of the window"),
        ("Esc", "cancel a drag, then select nothing"),
    )),
    ("Lists", (("Return", "show what is chosen on the canvases"), ("Up, Down", "walk"),)),
)  # fmt: skip
