"""Every menu entry, shortcut and palette command of a network's window, as data of the same kind as the main window's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gui.shell.action import ActionSpec
from gui.shell.common_actions import (
    FILE_ACTIONS,
    HELP_ACTIONS,
    LOOK_ACTIONS,
    UNDO_ACTIONS,
    panel_action,
    zoom_actions,
)
from gui.tools.planning_actions import (
    OPEN_ACTIONS,
    PLAN_ACTIONS,
    SAVE_ACTIONS,
    has_other_plan,
    has_plans,
    is_open,
)
from gui.tools.story.actions import STORY_ACTIONS

if TYPE_CHECKING:
    from gui.editors.network.body import NetworkBody

NETWORK_MENUS = ("File", "Edit", "View", "Plan", "Play", "Story", "Help")


def has_selection(window: NetworkBody) -> bool:
    """Whether a neuron is selected."""
    return bool(window.document.selection >= 0)


NETWORK_ACTIONS: tuple[ActionSpec[Any], ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open Model…", "File", lambda w: w.files.open_model(), ("Ctrl+O",), "open a sparse network here, or a graph in a tab of its own"),
    *OPEN_ACTIONS,
    ActionSpec("file.open_sparse", "Open as Sparse Network…", "File", lambda w: w.files.open_sparse(), (), "prune the dense layers of an ONNX model to a density and open what is left"),
    ActionSpec("file.generate", "Generate a Sparse Network…", "File", lambda w: w.files.generate(), ("Ctrl+N",), "make up a random network and order its connections"),
    ActionSpec("file.open_plan", "Open Plan…", "File", lambda w: w.files.open_plan(), ("Ctrl+Shift+O",), "open a saved order of this network", is_open, group=1),
    ActionSpec("file.export.order", "Order with Its Runs (NPZ)…", "File", lambda w: w.files.export_order(), (), "export the connections in the order of use, for programs that run them", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.network", "Network (NPZ)…", "File", lambda w: w.files.export_network(), (), "write the network itself as an array file", is_open, group=2, submenu="Export"),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", lambda w: w.files.export_picture(), ("Ctrl+E",), "export the network and the order as a picture", is_open, group=2, submenu="Export"),
    *SAVE_ACTIONS,
    *FILE_ACTIONS,
    # ------------------------------------------------------------------ edit
    *UNDO_ACTIONS,
    ActionSpec("edit.select_none", "Select None", "Edit", lambda w: w.document.select(-1), ("Ctrl+Shift+A",), "select no neuron", has_selection, group=1),
    ActionSpec("edit.go_to", "Go to Neuron…", "Edit", lambda w: w.pickers.pick_neuron(), ("Ctrl+G",), "type a neuron's layer and number", is_open, group=1),
    # ------------------------------------------------------------------ view
    *zoom_actions(lambda w: w.looked_at.fit(), lambda w, factor: w.looked_at.zoom_by(factor), is_open),
    *LOOK_ACTIONS,
    ActionSpec("view.one", "One Order", "View", lambda w: w.show_page("one"), ("Ctrl+Shift+1",), "the order on the canvas with its strip", is_open, state=lambda w: w.page == "one"),
    ActionSpec("view.two", "Two Orders Side by Side", "View", lambda w: w.show_page("two"), ("Ctrl+Shift+2",), "compare the order on the canvas with another of the list", has_plans, state=lambda w: w.page == "two"),
    ActionSpec("view.links", "Draw Links", "View", lambda w: w.looked_at.set_view("links"), (), "draw each connection as a line", is_open, group=2, state=lambda w: w.looked_at.view == "links"),
    ActionSpec("view.matrix", "Draw Matrices", "View", lambda w: w.looked_at.set_view("matrix"), (), "draw the connections between two layers as a matrix", is_open, group=2, state=lambda w: w.looked_at.view == "matrix"),
    ActionSpec("view.focus_canvas", "Go to the Network", "View", lambda w: w.looked_at.setFocus(), ("Ctrl+1",), "give the picture of the network the keyboard", group=6, submenu="Go To"),
    ActionSpec("view.focus_strip", "Go to the Order Strip", "View", lambda w: w.strip.setFocus(), ("Ctrl+2",), "give the strip the keyboard", group=6, submenu="Go To"),
    ActionSpec("view.focus_scrubber", "Go to the Scrubber", "View", lambda w: w.scrubber.setFocus(), ("Ctrl+3",), "give the scrubber the keyboard", group=6, submenu="Go To"),
    panel_action("view.focus_inspector", "Go to the Inspector", "inspector", ("Ctrl+4",), "give the inspector the keyboard"),
    panel_action("view.focus_plans", "Go to the Plans", "plans", ("Ctrl+5",), "give the list of orders the keyboard"),
    panel_action("view.focus_plots", "Go to I/Os by Memory", "memory-plot", ("Ctrl+6",), "show I/Os against the size of fast memory"),
    panel_action("view.focus_convergence", "Go to the Convergence Plot", "convergence", ("Ctrl+8",), "show how a planner's run went"),
    # ------------------------------------------------------------------ story
    *STORY_ACTIONS,
    # ------------------------------------------------------------------ plan
    *PLAN_ACTIONS,
    ActionSpec("plan.compare", "Compare with the Chosen Plan", "Plan", lambda w: w.compare_chosen(), ("Ctrl+Shift+D",), "show the order chosen in the list beside the one on the canvas", has_other_plan, group=1),
    ActionSpec("plan.target", "Size of the Fast Memory", "Plan", lambda w: w.memory_control.take_focus(), ("Ctrl+T",), "change M and the eviction policy", is_open, group=2),
    ActionSpec("play.toggle", "Play or Pause", "Play", lambda w: w.playback.toggle(), ("Ctrl+Space",), "play the order, connection by connection", is_open),
    ActionSpec("play.forward", "Next Connection", "Play", lambda w: w.playback.step_connection(1), ("Ctrl+Right",), "one connection on", is_open),
    ActionSpec("play.back", "Previous Connection", "Play", lambda w: w.playback.step_connection(-1), ("Ctrl+Left",), "one connection back", is_open),
    ActionSpec("play.event", "Next I/O of a Neuron", "Play", lambda w: w.playback.step_event(1), ("Ctrl+Shift+Right",), "on to the next read or write of a neuron's value", is_open),
    ActionSpec("play.event_back", "Previous I/O of a Neuron", "Play", lambda w: w.playback.step_event(-1), ("Ctrl+Shift+Left",), "back to the last one", is_open),
    ActionSpec("play.home", "To the Beginning", "Play", lambda w: w.playback.home(), ("Ctrl+Home",), "nothing is done yet", is_open),
    ActionSpec("play.end", "To the End", "Play", lambda w: w.playback.end(), ("Ctrl+End",), "everything is done", is_open),
    ActionSpec("plan.infer", "Run Inference…", "Plan", lambda w: w.run_inference(), ("Ctrl+I",), "run the network in this order on the processor and measure it", is_open, group=4),
    # ------------------------------------------------------------------ help
    *HELP_ACTIONS,
)  # fmt: skip

NETWORK_ELSEWHERE = (
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
