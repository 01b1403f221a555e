"""What enters the stages of a pipeline: a plate at the upper border of a lane says how many bytes.

Stages exchange tensors through the host, so a tensor that skips stages counts where it enters (and only there), and once
for each stage that it enters: what the Edge TPU paper calls communication (equations 9 to 13, counted per tensor).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.numbers import plural
from planner.model.graph import Floats, Graph, Ints
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from planner.runs.stage_counts import has_stages

PLATE_HEIGHT = 15.0
LEAST_LANE = 25.0
"""Height in pixels that both lanes need for the plate of a link between them: in lower ones it would lie on what headers say."""
MOST_TENSORS = 8
"""How many tensors are listed by name."""


@dataclass(frozen=True, eq=False)
class Links:
    """Bytes that enter each stage (float64[k]) by tensors that other stages produce.

    ``tensor``, ``stage`` int32[m]: each tensor with each stage that it enters; ``bytes`` float64[m].
    """

    graph: Graph
    device_of: Ints
    entering: Floats
    tensor: Ints
    stage: Ints
    bytes: Floats

    def most(self, stage: int) -> bool:
        """Whether no other stage takes more in."""
        return float(self.entering[stage]) >= float(self.entering.max(initial=0.0)) > 0

    def entries(self, stage: int) -> list[int]:
        """Indices (into ``tensor``) of what enters a stage, largest first."""
        mine = np.flatnonzero(self.stage == stage)
        return [int(i) for i in mine[np.lexsort((self.tensor[mine], -self.bytes[mine]))]]

    def passing(self, stage: int) -> float:
        """Bytes that enter stages after this one from stages before it: they pass by it."""
        home = self.device_of[self.graph.tensor_producer[self.tensor]]
        return float(self.bytes[(self.stage > stage) & (home < stage)].sum())

    def producers(self, stage: int) -> Ints:
        """The ops whose tensors enter a stage, sorted."""
        return np.unique(self.graph.tensor_producer[self.tensor[self.stage == stage]])


def links_of(problem: Problem, device_of: Ints) -> Links | None:
    """What crosses between the stages of a pipeline; None for another target."""
    if not has_stages(problem) or len(problem.devices) < 2:
        return None
    graph, k, size = problem.graph, len(problem.devices), problem.evaluator.size
    tensor = np.repeat(np.arange(graph.tensor_count, dtype=np.int64), np.diff(graph.consumer_ptr))
    to = device_of[graph.consumer_idx].astype(np.int64)
    away = to != device_of[graph.tensor_producer[tensor]]
    pairs = np.unique(tensor[away] * k + to[away])
    tensors, stages = (pairs // k).astype(np.int32), (pairs % k).astype(np.int32)
    entering = np.bincount(stages, size[tensors], k).astype(np.float64)
    return Links(graph, np.array(device_of, np.int32), entering, tensors, stages, size[tensors])


def plates(links: Links, lanes: list[tuple[float, float]], width: float, ratio: float) -> dict[int, QRectF]:
    """Where each stage's plate stands (device pixels), by stage; none where lanes are too low."""
    high = [(bottom - top) / ratio for top, bottom in lanes]
    out = {}
    for k in range(1, len(lanes)):
        if not links.entering[k] or min(high[k - 1], high[k]) < LEAST_LANE:
            continue
        y = (lanes[k - 1][1] + lanes[k][0]) / 2
        face = metrics(int(10 * ratio), links.most(k))
        wide = face.horizontalAdvance(plate_text(links, k)) + 14 * ratio
        out[k] = QRectF(width - wide - 5 * ratio, y - PLATE_HEIGHT * ratio / 2, wide, PLATE_HEIGHT * ratio)
    return out


def plate_text(links: Links, stage: int) -> str:
    """``in 260.0 KiB``, as the header below it says it."""
    return f"in {bytes_text(float(links.entering[stage]))}"


def paint_links(
    painter: QPainter,
    links: Links,
    lanes: list[tuple[float, float]],
    width: float,
    viewport: Viewport,
    palette: CanvasPalette,
    ratio: float,
) -> None:
    """All plates that are in sight, the largest in a warning colour and bold. ``width`` is that of the headers."""
    theme = palette.theme
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    for k, box in plates(links, lanes, width, ratio).items():
        if box.bottom() < 0 or box.top() > viewport.height:
            continue
        hot = links.most(k)
        colour = QColor(theme.warning if hot else theme.muted)
        painter.setPen(QPen(QColor(theme.warning if hot else theme.border), ratio))
        painter.drawLine(QPointF(8 * ratio, box.center().y()), QPointF(width, box.center().y()))
        painter.setBrush(QColor(theme.warning_soft if hot else theme.panel))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setFont(font(int(10 * ratio), hot))
        painter.setPen(colour if hot else QColor(theme.text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), plate_text(links, k))
    painter.restore()


def link_words(links: Links, stage: int, titles: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """The tensors that enter a stage, largest first: name, where from, bytes."""
    rows = []
    for i in links.entries(stage):
        t = int(links.tensor[i])
        v = int(links.graph.tensor_producer[t])
        name = links.graph.tensor_names[t] or links.graph.op_names[v]
        rows.append((name, titles[int(links.device_of[v])], bytes_text(float(links.bytes[i]))))
    return rows


def link_tooltip(links: Links, stage: int, titles: tuple[str, ...]) -> str:
    """What enters a stage, as rich text."""
    rows = link_words(links, stage, titles)
    head = f"<b>{bytes_text(float(links.entering[stage]))} into {escape(titles[stage])}</b>"
    if links.most(stage):
        head += ", the most of all stages"
    table = "".join(
        f"<tr><td>{escape(name)}&nbsp;&nbsp;</td><td>from {escape(home)}&nbsp;&nbsp;</td>"
        f"<td align='right'>{size}</td></tr>"
        for name, home, size in rows[:MOST_TENSORS]
    )
    more = len(rows) - MOST_TENSORS
    rest = f"<br>and {plural(more, 'smaller tensor')}" if more > 0 else ""
    return f"{head}<br>{plural(len(rows), 'tensor')}, each counted once<table>{table}</table>{rest}"
