"""Every menu entry, shortcut and palette command of a network's window, as data of the same kind as the main window's."""

from __future__ import annotations

from typing import Any

from gui.shell.action import ActionSpec
from gui.shell.common_actions import (
    FILE_ACTIONS,
    HELP_ACTIONS,
    LOOK_ACTIONS,
    UNDO_ACTIONS,
    panel_action,
)
from gui.tools.order_actions import (
    NEURON_ACTIONS,
    PICTURE_ACTIONS,
    PICTURE_KEYS,
    PLAY_ACTIONS,
    SCRUBBER_KEYS,
)
from gui.tools.planning_actions import (
    OPEN_ACTIONS,
    PLAN_ACTIONS,
    SAVE_ACTIONS,
    is_open,
)
from gui.tools.story.actions import STORY_ACTIONS

NETWORK_MENUS = ("File", "Edit", "View", "Plan", "Play", "Story", "Help")


NETWORK_ACTIONS: tuple[ActionSpec[Any], ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open Model…", "File", lambda w: w.files.open_model(), ("Ctrl+O",), "open a sparse network here, or a graph in a tab of its own"),
    *OPEN_ACTIONS,
    ActionSpec("file.open_sparse", "Open as Sparse Network…", "File", lambda w: w.files.open_sparse(), (), "prune the dense layers of an ONNX model to a density and open what is left"),
    ActionSpec("file.generate", "Generate a Sparse Network…", "File", lambda w: w.files.generate(), ("Ctrl+N",), "make up a random network and order its connections"),
    ActionSpec("file.open_plan", "Open Plan…", "File", lambda w: w.files.open_plan(), ("Ctrl+Shift+O",), "open a saved order of this network", is_open, group=1),
    ActionSpec("file.export.order", "Order (NPZ)…", "File", lambda w: w.files.export_order(), (), "export the connections in the order of use, for programs that run them", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.network", "Network (NPZ)…", "File", lambda w: w.files.export_network(), (), "write the network itself as an array file", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", lambda w: w.files.export_picture(), ("Ctrl+E",), "export the network and the order as a picture", is_open, group=2, submenu="Export"),
    *SAVE_ACTIONS,
    *FILE_ACTIONS,
    # ------------------------------------------------------------------ edit
    *UNDO_ACTIONS,
    *NEURON_ACTIONS,
    # ------------------------------------------------------------------ view
    *PICTURE_ACTIONS,
    *LOOK_ACTIONS,
    ActionSpec("view.focus_strip", "Go to the Order Strip", "View", lambda w: w.strip.setFocus(), ("Ctrl+2",), "give the strip the keyboard", group=6, submenu="Go To"),
    ActionSpec("view.focus_scrubber", "Go to the Scrubber", "View", lambda w: w.scrubber.setFocus(), ("Ctrl+3",), "give the scrubber the keyboard", group=6, submenu="Go To"),
    panel_action("view.focus_plans", "Go to the Plans", "plans", ("Ctrl+5",), "give the list of orders the keyboard"),
    panel_action("view.focus_convergence", "Go to the Convergence Plot", "convergence", ("Ctrl+8",), "show how a planner's run went"),
    # ------------------------------------------------------------------ story
    *STORY_ACTIONS,
    # ------------------------------------------------------------------ plan
    *PLAN_ACTIONS,
    ActionSpec("plan.compare", "Compare Plans", "Plan", lambda w: w.compare([w.plans.current()]), ("Ctrl+Shift+D",), "the order chosen in the list beside the one on the canvas; the best other one where none is chosen", is_open, group=1),
    ActionSpec("plan.target", "Size of the Fast Memory", "Plan", lambda w: w.memory_control.take_focus(), ("Ctrl+T",), "change M and the eviction policy", is_open, group=2),
    ActionSpec("plan.infer", "Run Inference…", "Plan", lambda w: w.run_inference(), ("Ctrl+I",), "run the network in this order on the processor and measure it", is_open, group=4),
    # ------------------------------------------------------------------ play
    *PLAY_ACTIONS,
    # ------------------------------------------------------------------ help
    *HELP_ACTIONS,
)  # fmt: skip

NETWORK_ELSEWHERE = (
    PICTURE_KEYS,
    ("Order strip", (
        ("Drag", "move a neuron's block of connections earlier or later"), ("Left, Right", "walk through the blocks"),
        ("Alt+Left, Alt+Right", "move the block to the next place"),
        ("Alt+Shift+Left, Alt+Shift+Right", "move it to the next better place"), ("B", "find the best place"),
        ("+ and -, Home", "zoom, show everything"), ("Esc", "cancel a drag"),
    )),
    SCRUBBER_KEYS,
    ("Plans", (("Return", "apply"), ("F2", "rename"), ("Del", "remove"))),
)  # fmt: skip
