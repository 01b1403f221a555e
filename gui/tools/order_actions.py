"""What can be asked of every editor of orders, with the same keys in all of them: how the network is drawn, and playing an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gui.shell.action import ActionSpec, needs
from gui.shell.common_actions import panel_action, zoom_actions

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.panels.network.playback.widget import Playback
    from gui.tools.neurons import NeuronPicker


class OrderEditor(Protocol):
    """A window on a network and its orders. ``canvas`` draws it, in one picture or in several."""

    document: OrderDocument
    canvas: Any
    playback: Playback
    picker: NeuronPicker


@needs("open a network first")
def has_network(window: OrderEditor) -> bool:
    """Whether a network is open."""
    return window.document.problem is not None


@needs("select a neuron first", has_network)
def has_neuron(window: OrderEditor) -> bool:
    """Whether a neuron is selected."""
    return window.document.selection >= 0


NEURON_ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec("edit.select_none", "Select None", "Edit", lambda w: w.document.select(-1), ("Ctrl+Shift+A",), "select no neuron", has_neuron, group=1),
    ActionSpec("edit.go_to", "Go to Neuron…", "Edit", lambda w: w.picker.ask(), ("Ctrl+G",), "type a neuron's layer and number", has_network, group=1),
)  # fmt: skip

PICTURE_ACTIONS: tuple[ActionSpec[Any], ...] = (
    *zoom_actions(lambda w: w.canvas.fit(), lambda w, factor: w.canvas.zoom_by(factor), has_network),
    ActionSpec("view.links", "Draw Links", "View", lambda w: w.canvas.set_view("links"), (), "draw each connection as a line", has_network, group=2, state=lambda w: w.canvas.view == "links"),
    ActionSpec("view.matrix", "Draw Matrices", "View", lambda w: w.canvas.set_view("matrix"), (), "draw the connections between two layers as a matrix", has_network, group=2, state=lambda w: w.canvas.view == "matrix"),
    ActionSpec("view.focus_canvas", "Go to the Network", "View", lambda w: w.canvas.setFocus(), ("Ctrl+1",), "give the picture of the network the keyboard", group=6, submenu="Go To"),
    panel_action("view.focus_inspector", "Go to the Inspector", "inspector", ("Ctrl+4",), "give the inspector the keyboard"),
    panel_action("view.focus_plots", "Go to I/Os by Memory", "memory-plot", ("Ctrl+6",), "show I/Os against the size of fast memory"),
)  # fmt: skip

PLAY_ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec("play.toggle", "Play or Pause", "Play", lambda w: w.playback.toggle(), ("Ctrl+Space",), "play the order, connection by connection", has_network),
    ActionSpec("play.forward", "Next Connection", "Play", lambda w: w.playback.step_connection(1), ("Ctrl+Right",), "one connection on", has_network),
    ActionSpec("play.back", "Previous Connection", "Play", lambda w: w.playback.step_connection(-1), ("Ctrl+Left",), "one connection back", has_network),
    ActionSpec("play.event", "Next I/O of a Neuron", "Play", lambda w: w.playback.step_event(1), ("Ctrl+Shift+Right",), "on to the next read or write of a neuron's value", has_network),
    ActionSpec("play.event_back", "Previous I/O of a Neuron", "Play", lambda w: w.playback.step_event(-1), ("Ctrl+Shift+Left",), "back to the last one", has_network),
    ActionSpec("play.home", "To the Beginning", "Play", lambda w: w.playback.home(), ("Ctrl+Home",), "nothing is done yet", has_network),
    ActionSpec("play.end", "To the End", "Play", lambda w: w.playback.end(), ("Ctrl+End",), "everything is done", has_network),
)  # fmt: skip

PICTURE_KEYS = ("Network", (
    ("Wheel, + and -", "zoom"), ("Drag", "move the picture"), ("Arrows", "walk through the neurons"), ("Esc", "select nothing"),
))  # fmt: skip
SCRUBBER_KEYS = ("Scrubber", (("Space", "play or pause"), ("Left, Right", "one connection back or on")))
