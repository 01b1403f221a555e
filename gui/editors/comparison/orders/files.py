"""Order files that are compared, too, and the comparison of orders as a picture."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.document.network.entries import OrderEntry
from gui.shell.file_dialogs import PLANS, FileDialogs

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.shell.window import EditorWindow

PREVIEWED_AT_ONCE = 10_000
"""Connections of the largest network whose preview the window waits for; those of larger ones are drawn beside it."""


class OrdersFiles(FileDialogs):
    """The dealings of a comparison of orders with the disk."""

    def __init__(self, window: EditorWindow, document: OrderDocument) -> None:
        super().__init__(window, "orders")
        self._document = document

    def say(self, level: str, text: str) -> None:
        """In this window, not in that of the orders."""
        self._editor.say(level, text)

    def add_files(self) -> None:
        """Ask for plan files, list them, and compare the last with the order on the canvas."""
        self.add_paths(self.ask_open("Compare plans", PLANS))

    def add_paths(self, paths: list[Path]) -> None:
        """List orders of files; the last is compared. Raises :class:`StageboardError`."""
        from planner.plan_files.order_json import open_network_plan

        document = self._document
        for path in paths:
            opened = open_network_plan(path, document.open_problem.network)
            name = opened.plan.name or path.stem
            document.compare(document.list_order(opened.plan, opened.bounds, name, "file"))
            for note in opened.notes:
                self.say("warning", note)

    def export_picture(self) -> None:
        """Both orders as PNG, SVG or PDF."""
        from gui.editors.comparison.orders.picture import draw_orders, title_of
        from planner.reports.comparison import compare_orders

        document = self._document
        entries = (document.active, document.compared)
        if not all(isinstance(one, OrderEntry) for one in entries):
            return
        plans = [document.plan_of(one) for one in entries if one is not None]
        claims = [one.claims for one in entries if one is not None]
        self.ask_drawing(
            {"orders": "Orders"}, "orders",
            lambda choice: partial(
                draw_orders, compare_orders(plans, document.bounds, claims), choice.page, choice.title
            ),
            at_once=document.open_problem.network.connection_count <= PREVIEWED_AT_ONCE,
            title=title_of(compare_orders(plans, document.bounds, claims)),
        ).follow(document.readouts_changed)  # fmt: skip
