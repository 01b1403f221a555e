"""Every menu entry, shortcut and palette command of a comparison of orders, as data of the same kind as all editors'."""

from __future__ import annotations

from typing import Any

from gui.shell.action import ActionSpec, needs
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
    OrderEditor,
    has_network,
    has_neuron,
)

ORDERS_MENUS = ("File", "Edit", "View", "Compare", "Play", "Help")


@needs("there is no second order to compare with", has_network)
def is_compared(window: OrderEditor) -> bool:
    """Whether there are two orders."""
    return window.document.compared is not None


@needs("select a neuron first", is_compared)
def can_take(window: OrderEditor) -> bool:
    """Whether there are two orders, and a neuron is selected whose block one could get from the other."""
    return has_neuron(window)


ORDERS_ACTIONS: tuple[ActionSpec[Any], ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open Model…", "File", lambda w: w.open_beside(), ("Ctrl+O",), "open models in the window of the orders that are compared"),
    ActionSpec("file.open_plan", "Add Plan Files…", "File", lambda w: w.files.add_files(), ("Ctrl+Shift+O",), "add saved orders of this network to the list, and compare the last", has_network),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", lambda w: w.files.export_picture(), ("Ctrl+E",), "export both orders as one picture for a document", is_compared, group=2, submenu="Export"),
    *FILE_ACTIONS,
    # ------------------------------------------------------------------ edit
    *UNDO_ACTIONS,
    *NEURON_ACTIONS,
    ActionSpec("edit.take", "Take the Neuron's Block Over", "Edit", lambda w: w.take_block(), ("T",), "order A gets the block of the selected neuron where order B has it, as near as is legal", can_take, group=1),
    # ------------------------------------------------------------------ view
    *PICTURE_ACTIONS,
    *LOOK_ACTIONS,
    ActionSpec("view.focus_scrubber", "Go to the Scrubber", "View", lambda w: w.canvas.scrubber.setFocus(), ("Ctrl+3",), "give the scrubber the keyboard", has_network, group=6, submenu="Go To"),
    panel_action("view.focus_memory", "Go to the Fast Memory", "memory-a", ("Ctrl+2",), "what order A has in fast memory; that of B is beside it"),
    # ------------------------------------------------------------------ compare
    ActionSpec("compare.next", "Next Difference", "Compare", lambda w: w.canvas.step(1), ("N",), "select the next neuron that must move", is_compared),
    ActionSpec("compare.previous", "Previous Difference", "Compare", lambda w: w.canvas.step(-1), ("Shift+N",), "select the one before it", is_compared),
    ActionSpec("compare.pair", "Compare the Next Plan", "Compare", lambda w: w.next_order(), ("C",), "let B be the next order of the list", has_network, group=1),
    ActionSpec("plan.apply", "Put Order B on the Canvas", "Compare", lambda w: w.exchange(), ("Ctrl+Shift+Return",), "order B is the one under edit, and A stands beside it: one undo step", is_compared, group=1),
    # ------------------------------------------------------------------ play
    *PLAY_ACTIONS,
    # ------------------------------------------------------------------ help
    *HELP_ACTIONS,
)  # fmt: skip

ORDERS_ELSEWHERE = (
    PICTURE_KEYS, SCRUBBER_KEYS,
    ("Lists", (("Return", "select the neuron"), ("Up, Down", "walk"))),
)  # fmt: skip
