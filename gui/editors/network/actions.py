"""Every menu entry, shortcut and palette command of a network's window, as data of the same kind as the main window's."""

from __future__ import annotations

from gui.shell.action import ActionSpec
from gui.tools.story.actions import STORY_ACTIONS, STORY_CONDITIONS

ORDER_MENUS = ("File", "Edit", "View", "Order", "Story", "Help")

ORDER_ACTIONS: tuple[ActionSpec, ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open…", "File", "open_model", ("Ctrl+O",), "open a sparse network here, or a graph in a window of its own"),
    ActionSpec("file.open_sparse", "Open as Sparse Network…", "File", "open_sparse", (), "prune the dense layers of an ONNX model to a density and open what is left"),
    ActionSpec("file.generate", "Generate a Sparse Network…", "File", "generate", ("Ctrl+N",), "make up a random network"),
    ActionSpec("file.open_plan", "Open Plan…", "File", "open_plan", ("Ctrl+Shift+O",), "open a saved order of this network", "open", group=1),
    ActionSpec("file.save", "Save Plan", "File", "save_plan", ("Ctrl+S",), "write the order on the canvas to its file", "open", group=1),
    ActionSpec("file.save_as", "Save Plan As…", "File", "save_plan_as", ("Ctrl+Shift+S",), "write the order to another file", "open", group=1),
    ActionSpec("file.export.order", "Order with Its Runs (NPZ)…", "File", "export_order", (), "export the connections in the order of use, for programs that run them", "open", group=2, submenu="Export"),
    ActionSpec("file.export.network", "Network (NPZ)…", "File", "export_network", (), "write the network itself as an array file", "open", group=2, submenu="Export"),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", "export_picture", ("Ctrl+E",), "export the network and the order as a picture", "open", group=2, submenu="Export"),
    ActionSpec("file.close", "Close", "File", "quit", ("Ctrl+W", "Ctrl+Q"), "close this window", group=3),
    # ------------------------------------------------------------------ edit
    ActionSpec("edit.undo", "Undo", "Edit", "undo", ("Ctrl+Z",), "take the last step back", "undo"),
    ActionSpec("edit.redo", "Redo", "Edit", "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "do the step again", "redo"),
    ActionSpec("edit.select_none", "Select None", "Edit", "select_none", ("Ctrl+Shift+A",), "select no neuron", "selection", group=1),
    ActionSpec("edit.go_to", "Go to Neuron…", "Edit", "go_to_neuron", ("Ctrl+G",), "type a neuron's layer and number", "open", group=1),
    # ------------------------------------------------------------------ view
    ActionSpec("view.one", "One Order", "View", "show_page", ("Ctrl+Shift+1",), "the order on the canvas with its strip", "open", argument="one", state="page_one"),
    ActionSpec("view.two", "Two Orders Side by Side", "View", "show_page", ("Ctrl+Shift+2",), "compare the order on the canvas with another of the list", "several", argument="two", state="page_two"),
    ActionSpec("view.fit", "Fit", "View", "fit", ("Ctrl+0",), "show the whole network", "open", group=1),
    ActionSpec("view.zoom_in", "Zoom In", "View", "zoom_in", ("Ctrl+=", "Ctrl++"), "", "open", group=1),
    ActionSpec("view.zoom_out", "Zoom Out", "View", "zoom_out", ("Ctrl+-",), "", "open", group=1),
    ActionSpec("view.links", "Draw Links", "View", "draw_as", (), "draw each connection as a line", "open", group=2, argument="links", state="drawn_links"),
    ActionSpec("view.matrix", "Draw Matrices", "View", "draw_as", (), "draw the connections between two layers as a matrix", "open", group=2, argument="matrix", state="drawn_matrix"),
    ActionSpec("view.theme.system", "Like the System", "View", "set_theme", (), "follow the desktop's colour scheme", group=3, submenu="Theme", argument="system", state="theme_system"),
    ActionSpec("view.theme.light", "Light", "View", "set_theme", (), "light colours", group=3, submenu="Theme", argument="light", state="theme_light"),
    ActionSpec("view.theme.dark", "Dark", "View", "set_theme", (), "dark colours", group=3, submenu="Theme", argument="dark", state="theme_dark"),
    ActionSpec("view.motion", "Reduced Motion", "View", "toggle_motion", (), "no flashes and no gliding", group=3, state="motion_reduced"),
    ActionSpec("view.docks_reset", "Reset Panels", "View", "reset_docks", (), "put all panels back where they were", group=4),
    ActionSpec("view.focus_canvas", "Go to the Network", "View", "focus_canvas", ("Ctrl+1",), "give the picture of the network the keyboard", group=4, submenu="Go To"),
    ActionSpec("view.focus_strip", "Go to the Order Strip", "View", "focus_strip", ("Ctrl+2",), "give the strip the keyboard", group=4, submenu="Go To"),
    ActionSpec("view.focus_scrubber", "Go to the Scrubber", "View", "focus_scrubber", ("Ctrl+3",), "give the scrubber the keyboard", group=4, submenu="Go To"),
    ActionSpec("view.focus_inspector", "Go to the Inspector", "View", "focus_panel", ("Ctrl+4",), "give the inspector the keyboard", group=4, submenu="Go To", argument="inspector"),
    ActionSpec("view.focus_plans", "Go to the Plans", "View", "focus_panel", ("Ctrl+5",), "give the list of orders the keyboard", group=4, submenu="Go To", argument="plans"),
    ActionSpec("view.focus_plots", "Go to I/Os by Memory", "View", "focus_panel", ("Ctrl+6",), "show I/Os against the size of fast memory", group=4, submenu="Go To", argument="memory-plot"),
    ActionSpec("view.focus_convergence", "Go to the Convergence Plot", "View", "focus_panel", ("Ctrl+8",), "show how a planner's run went", group=4, submenu="Go To", argument="convergence"),
    # ------------------------------------------------------------------ story
    *STORY_ACTIONS,
    # ------------------------------------------------------------------ order
    ActionSpec("plan.start", "Start the Chosen Planner", "Order", "start_planner", ("Ctrl+Return", "Ctrl+Enter"), "run it in the background", "open"),
    ActionSpec("plan.choose", "Planners…", "Order", "show_planners", ("Ctrl+P",), "choose a planner and its options", "open"),
    ActionSpec("plan.race", "Race Planners…", "Order", "focus_panel", ("Ctrl+Shift+R",), "several planners at once: they share orders and bounds, and a leaderboard says who leads", "open", argument="race"),
    ActionSpec("plan.cancel", "Cancel All Planners", "Order", "cancel_planners", ("Ctrl+.",), "stop what runs; the best orders found are kept", "running"),
    ActionSpec("plan.apply", "Apply the Chosen Plan", "Order", "apply_plan", ("Ctrl+Shift+Return",), "put the order chosen in the list on the canvas", "plan", group=1),
    ActionSpec("plan.apply_best", "Apply the Best Valid Plan", "Order", "apply_best_plan", (), "put the best order of the list on the canvas", "several", group=1),
    ActionSpec("plan.compare", "Compare with the Chosen Plan", "Order", "compare_plan", ("Ctrl+Shift+C",), "show the order chosen in the list beside the one on the canvas", "plan", group=1),
    ActionSpec("plan.memory", "Size of the Fast Memory", "Order", "focus_memory", ("Ctrl+T",), "change M and the eviction policy", "open", group=2),
    ActionSpec("play.toggle", "Play or Pause", "Order", "play", ("Ctrl+Space",), "play the order, connection by connection", "open", group=3, argument="toggle"),
    ActionSpec("play.forward", "Next Connection", "Order", "step_connection", ("Ctrl+Right",), "one connection on", "open", group=3, argument=1),
    ActionSpec("play.back", "Previous Connection", "Order", "step_connection", ("Ctrl+Left",), "one connection back", "open", group=3, argument=-1),
    ActionSpec("play.event", "Next I/O of a Neuron", "Order", "step_event", ("Ctrl+Shift+Right",), "on to the next read or write of a neuron's value", "open", group=3, argument=1),
    ActionSpec("play.event_back", "Previous I/O of a Neuron", "Order", "step_event", ("Ctrl+Shift+Left",), "back to the last one", "open", group=3, argument=-1),
    ActionSpec("play.home", "To the Beginning", "Order", "play", ("Ctrl+Home",), "nothing is done yet", "open", group=3, argument="home"),
    ActionSpec("play.end", "To the End", "Order", "play", ("Ctrl+End",), "everything is done", "open", group=3, argument="end"),
    ActionSpec("plan.prove", "Prove What the File Claims", "Order", "prove_claim", (), "run what proved the bound that the order's file claims, beside the window", "claim", group=4),
    ActionSpec("plan.infer", "Run Inference…", "Order", "run_inference", ("Ctrl+I",), "run the network in this order on the processor and measure it", "open", group=4),
    # ------------------------------------------------------------------ help
    ActionSpec("help.palette", "Command Palette…", "Help", "show_palette", ("Ctrl+Shift+P", "F1"), "find any command by a few letters"),
    ActionSpec("help.shortcuts", "Keyboard Shortcuts", "Help", "show_shortcuts", ("Ctrl+K",), "every shortcut in one place"),
    ActionSpec("help.about", "About Stageboard", "Help", "show_about", (), "version and licence"),
)  # fmt: skip

ORDER_CONDITIONS = (
    "always",
    "open",
    "undo",
    "redo",
    "selection",
    "several",
    "running",
    "plan",
    "claim",
    *STORY_CONDITIONS,
)

ORDER_ELSEWHERE = (
    ("Network", (
        ("Wheel, + and -", "zoom"), ("Drag", "move the picture"), ("Arrows", "walk through the neurons"), ("Esc", "select nothing"),
    )),
    ("Order strip", (
        ("Drag", "move a neuron's block of connections earlier or later"), ("Left, Right", "walk through the blocks"),
        ("Alt+Left, Alt+Right", "move the block to the next place"),
        ("Alt+Shift+Left, Alt+Shift+Right", "move it to the next better place"), ("B", "find the best place"),
        ("+ and -, Home", "zoom, show everything"), ("Esc", "cancel a drag"),
    )),
    ("Scrubber", (("Space", "play or pause"), ("Left, Right", "one connection back or on"))),
    ("Plans", (("Return", "apply"), ("F2", "rename"), ("Del", "remove"))),
)  # fmt: skip
