"""What the pointer says about a card, and about a device in the lanes and stages views."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QWidget

from gui.canvas.graph.header_data import PARTS, HeaderData
from gui.canvas.graph.heat.heat import TIME, Heat
from gui.canvas.graph.items import Items
from gui.look.numbers import Column, detailed_column, plural
from gui.look.theme import Theme
from gui.widgets.bar_key import PART_LOOKS
from gui.words.objectives import plan_times
from planner.lifetime import while_it_lives
from planner.problem.worst import meaning
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.problem import Problem


SHARES = "colours on it"
"""What the parts of a card are whose group is on several devices: a bar at its foot, or all of it from afar."""
MOST_TOLD = 4
"""Devices of a group that are told one by one."""


class HoverCard(QLabel):
    """A small card on the canvas about the op under the pointer; it takes no mouse events and hides on any move."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("hoverCard")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, True)
        self.setMargin(8)
        self._theme: Theme | None = None
        self.hide()

    def show_at(self, position: QPoint, text: str, theme: Theme, off: QRect | None = None) -> None:
        """Show ``text`` beside ``position`` (parent coordinates), inside the parent, and ``off`` what it is about where there is room for both."""
        if theme is not self._theme:  # a style sheet costs milliseconds, and cards follow the pointer
            self._theme = theme
            self.setStyleSheet(
                f"#hoverCard {{ background: {theme.panel}; color: {theme.text};"
                f" border: 1px solid {theme.border}; border-radius: 5px; }}"
            )
        self.setText(text)
        self.adjustSize()
        parent = self.parentWidget()
        assert parent is not None
        x = min(position.x() + 14, parent.width() - self.width() - 6)
        y = position.y() + 18
        if y + self.height() > parent.height() - 6:
            y = position.y() - self.height() - 10
        self.move(max(6, x), max(6, y))
        if off is not None and off.intersects(self.geometry()):
            self._move_off(off)
        self.show()
        self.raise_()

    def _move_off(self, off: QRect) -> None:
        """Below what it is about, else above it, to its right or its left: where there is room."""
        parent = self.parentWidget()
        assert parent is not None
        within = parent.rect().adjusted(6, 6, -6, -6)
        for place in (
            QPoint(self.x(), off.bottom() + 8), QPoint(self.x(), off.top() - 8 - self.height()),
            QPoint(off.right() + 10, self.y()), QPoint(off.left() - 10 - self.width(), self.y()),
        ):  # fmt: skip
            if within.contains(QRect(place, self.size())):
                self.move(place)
                return


@while_it_lives
def work_column(problem: Problem, times: Column) -> Column:
    """How the work of ops is written: in one unit, that of the table of ops, of the cards and of the plan's ``times``."""
    return detailed_column(problem.evaluator.op_work[0].tolist(), problem.graph.time_unit, times)


def op_words(
    document: Document, items: Items, item: int, heat: Heat | None = None
) -> tuple[str, str, list[tuple[str, str]]]:
    """Name and kind of a card, and what it costs: pairs of a word and a value, the first of them its device; what else it is coloured by
    on a heat map is among them."""
    problem = document.problem
    assert problem is not None
    graph, ops, params = items.graph, items.ops(item), problem.evaluator.params
    devices, counts = np.unique(document.device_of[ops], return_counts=True)
    titles = [problem.devices[d].title for d in devices.tolist()]
    if len(devices) == 1:
        where = titles[0]
    elif len(devices) <= MOST_TOLD:
        where = ", ".join(
            f"{title} ({plural(n, 'op')})" for title, n in zip(titles, counts.tolist(), strict=True)
        )
    else:
        where = plural(len(devices), "device")
    work = float(problem.evaluator.work_on(document.device_of)[ops].sum())
    rows = [
        ("on", where),
        ("work", work_column(problem, plan_times(problem, document.evaluation)).text(work)),
    ]
    if heat is not None and heat.what != TIME:
        rows.append((heat.word, heat.value_text(item)))
    if len(ops) == 1:
        v = int(ops[0])
        ptr, idx = graph.outputs
        tensors = idx[ptr[v] : ptr[v + 1]]
        shapes = [" × ".join(map(str, s)) for t in tensors.tolist() if (s := graph.tensor_shapes[t])]
        rows.append(
            (
                "output",
                bytes_text(float(problem.evaluator.size[tensors].sum()))
                + (f" ({shapes[0]})" if shapes else ""),
            )
        )
        if problem.evaluator.copied[v]:
            rows.append(("copied", f"on every {problem.target.words.one} that reads it"))
        if params[v]:
            rows.append(("parameters", bytes_text(float(params[v]))))
        title, kind = graph.op_names[v], graph.kinds[v]
    else:
        rows.append(("parameters", bytes_text(float(params[ops].sum()))))
        title, kind = items.names[item], folded_words(items, item)
    if len(np.unique(document.device_of[items.group_ops(item)])) > 1 and heat is None:
        rows.append((SHARES, "how its work is spread"))
    return title, kind, rows


def folded_words(items: Items, item: int) -> str:
    """What a card is that stands for several ops, which is larger than one of an op: ``group of 12 ops, folded``; of one that has a card
    on each of its devices how many of them are here."""
    here, whole = int(items.size[item]), int(items.whole_size[item])
    return f"group of {plural(whole, 'op')}, folded{f': {here:,} here' if here < whole else ''}"


def op_tooltip(document: Document, items: Items, item: int, heat: Heat | None = None) -> str:
    """Name, kind, device and what the op costs, as rich text."""
    title, kind, rows = op_words(document, items, item, heat)
    table = "".join(
        f"<tr><td>{escape(k)}&nbsp;&nbsp;</td><td align='right'>{escape(v)}</td></tr>" for k, v in rows
    )
    return f"<b>{escape(title)}</b><br>{escape(kind)}<table>{table}</table>"


def header_tooltip(data: HeaderData, device: int) -> str:
    """Title, time in parts (those that are not zero), memory, what of it is where around a cache, and bytes in and out, as rich text;
    empty where the plan has no such device."""
    if not np.isfinite(data.pace[device]):
        return ""
    barred = not (np.isfinite(data.budget[device]) and data.budget[device] > 0)  # else the bar is of memory
    rows = [(data.time.capitalize(), data.times.text(float(data.cost[device])))]
    for part, value in zip(PARTS, data.parts[:, device].tolist(), strict=True):
        if value:
            rows.append((part + (PART_LOOKS[part] if barred else ""), data.times.text(value)))
    over = not barred and data.memory[device] > data.budget[device]
    pushed, needs = data.around(device)
    over = over or (not barred and pushed > 0)
    held = "parameters" if data.needs else "memory"
    rows.append((f"{held}{' (hatched: streamed)' if over else ''}", data.held.share(device)))
    if data.needs:
        rows += [(name.lower(), text) for name, text in data.held.around(device, pushed, needs)]
    rows.append(
        ("in, out", f"{bytes_text(float(data.received[device]))}, {bytes_text(float(data.sent[device]))}")
    )
    table = "".join(
        f"<tr><td>{escape(name)}&nbsp;&nbsp;</td><td align='right'>{escape(value)}</td></tr>"
        for name, value in rows
    )
    worst = "".join(f"<br>{escape(words)}" for words in (data.worst, meaning(data.worst)) if words)
    worst = worst if device == data.bottleneck else ""
    return f"<b>{escape(data.titles[device])}</b>{worst}<table>{table}</table>"
