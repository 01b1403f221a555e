"""What a screen reader is told of a schedule: its rows and the bars on screen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QRectF

from gui.look.numbers import percent
from gui.panels.schedule.layout import ChartLayout
from gui.panels.schedule.painter import Marks
from gui.widgets.accessible import Item, Role


class Charted(Protocol):
    """The widget that shows the schedule."""

    layout_of: ChartLayout | None
    marks: Marks
    ops_chosen: Any

    def width(self) -> int:
        """Pixels."""

    def bar_words(self, bar: int) -> list[tuple[str, str]]:
        """What a bar is."""


class ScheduleTold:
    """The items of a chart: ``("row", i)`` and ``("bar", i)``."""

    def __init__(self, chart: Charted) -> None:
        self._chart = chart

    def keys(self) -> Sequence[Hashable]:
        """The bar under the keyboard, rows, and bars in sight."""
        layout, current = self._chart.layout_of, self.current()
        if layout is None:
            return []
        keys: list[Hashable] = [] if current is None else [current]
        for row, height in enumerate(layout.heights.tolist()):
            top = layout.row_top(row)
            if top + height > 0 and top < layout.rows_bottom:
                keys.append(("row", row))
        bars = [("bar", bar) for bar in layout.seen().tolist()]
        return keys + [key for key in bars if key != current]

    def current(self) -> tuple[str, int] | None:
        """The bar under the keyboard."""
        cursor = self._chart.marks.cursor
        return ("bar", cursor) if cursor >= 0 else None

    def item(self, key: Hashable) -> Item | None:
        """A row or a bar."""
        chart, layout = self._chart, self._chart.layout_of
        assert isinstance(key, tuple)
        kind, i = key
        if layout is None or i >= len(layout.rows if kind == "row" else layout.schedule.start):
            return None
        s = layout.schedule
        if kind == "row":
            line = layout.rows[i]
            rect = QRectF(0.0, layout.row_top(i), float(chart.width()), float(layout.heights[i]))
            return Item(f"{line.title}, {percent(s.share[line.device], 0)} busy", rect, Role.ListItem)
        (title, what), *more = chart.bar_words(i)
        piece = int(s.piece[i])
        selected = chart.marks.selected is not None and bool(chart.marks.selected[piece])
        return Item(
            f"{title}, {what}", QRectF(*layout.boxes(np.array([i]))[0].tolist()), Role.ListItem,
            ", ".join(f"{word} {value}".strip() for word, value in more), selected,
            lambda: chart.ops_chosen.emit(s.ops(piece), "replace"), "Select its ops",
        )  # fmt: skip
