"""Orders of one network beside each other: they have a page of their own in the network's window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.editors.network.editor import OrderWindow


def compare_orders_once(window: OrderWindow, plans: Sequence[Path]) -> None:
    """Once the network is there: open its plans, the first of which goes on the canvas, and show the second beside it."""
    document = window.document

    def opened() -> None:
        document.model_changed.disconnect(opened)
        for path in reversed(plans):
            window.files.open_plan_file(path)
        second = [entry for entry in document.plans if entry is not document.active]
        if len(second) >= len(plans) - 1 and second:
            # The last that was opened before the first one is the second.
            document.compare(second[-1])
            window.show_page("two")

    document.model_changed.connect(opened)
