"""Paints the comparison of stage counts: one column per count, bars around the cache line above, figures below."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.look.theme import Theme, font
from gui.look.writing import CENTRE, LEFT, RIGHT
from gui.panels.edge_tpu.memory_bars import (
    MemoryBars,
    bar_boxes,
    full_scale,
    height_of,
    paint_cache_line,
    paint_memory_bars,
)
from gui.widgets.bars import HATCH

WORDS = CENTRE | int(Qt.TextFlag.TextWordWrap)
GUTTER, LEAST_COLUMN, WIDEST_COLUMN = 122.0, 74.0, 190.0
FEW, NARROW_COLUMN = 8, 54.0
"""Columns up to which each has :data:`LEAST_COLUMN`, and the least width where there are more: their titles are numbers alone then."""
WIDEST_BAR = 32.0
BESIDE_NAME = 14.0
"""What the names of rows leave free on both sides."""
TITLE, ROW, LEAST_BARS, PAD = 22.0, 15.0, 34.0, 5.0
TICK_ROOM, BESIDE_FIGURE = 11.0, 9.5
"""What a figure leaves to its tick, and what of a column is not its line."""
TICK = "\N{CHECK MARK}"
STREAMED = ("off chip, streamed", "off chip")
"""What is hatched above the cache line, in ever fewer words."""
MARK, BEHIND = 12.0, 24.0
"""How wide marks are that explain bars, and where their words begin."""


@dataclass(frozen=True)
class Figure:
    """One figure of a column. ``tone`` is empty, good, slow or muted; ``proven`` puts a tick beside it."""

    text: str
    tone: str = ""
    proven: bool = False

    @property
    def face(self) -> QFont:
        """The letters in which it is written."""
        return font(8.0, bold=self.tone == "good")


@dataclass(frozen=True)
class Column:
    """One count. Without ``bars`` it says ``words`` (planned, waiting, or why there is no plan)."""

    count: int
    title: str
    bars: MemoryBars | None = None
    figures: tuple[Figure, ...] = ()
    words: str = ""
    proven: bool = False
    tip: str = ""
    bar_tips: tuple[str, ...] = ()
    """Whose each bar is, and what it stands for."""


@dataclass(frozen=True)
class CountsChart:
    """Everything that is drawn: the columns, the names of the figures' rows and of the cache line."""

    columns: tuple[Column, ...] = ()
    rows: tuple[str, ...] = ()
    line_words: str = ""
    mark_words: str = ""
    """What the short marks on the bars are; empty where there are none."""
    row_tips: tuple[str, ...] = ()
    """What each of the rows is about."""
    current: int = -1
    """The count of the plan on the canvas."""
    counted: str = ""
    """What is counted: ``chips``."""

    @property
    def streams(self) -> bool:
        """Whether any stage has parameters off chip, which are hatched."""
        bars = (column.bars for column in self.columns if column.bars is not None)
        return bool(self.line_words) and any(max(one.amounts, default=0.0) > one.line for one in bars)


@dataclass
class Geometry:
    """Where everything is for a chart of a size (logical pixels)."""

    chart: CountsChart
    width: float
    height: float
    shift: float = 0.0
    """Pixels by which the columns are scrolled to the left; names of rows stay where they are seen."""
    boxes: list[QRectF] = field(default_factory=list)
    gutter: float = GUTTER
    """Pixels of the names of rows."""
    brief: bool = False
    """Whether titles are numbers alone: some have no room for what is counted, which is named once beside them."""

    def __post_init__(self) -> None:
        count = len(self.chart.columns)
        if not count:
            return
        self.gutter = gutter(self.chart)
        wide = min(max(least_column(self.chart), (self.width - self.gutter - PAD) / count), WIDEST_COLUMN)
        titles = max(QFontMetricsF(_title_face()).horizontalAdvance(c.title) for c in self.chart.columns)
        self.brief = titles > wide - 2.0 - 2 * PAD - 4
        self.boxes = [
            QRectF(self.gutter + i * wide, 1.0, wide - 2.0, max(self.height - 2.0, least_height(self.chart)))
            for i in range(count)
        ]

    def bars(self, box: QRectF) -> QRectF:
        """The part of a column where its bars stand."""
        below = ROW * len(self.chart.rows) + 2 * PAD
        return QRectF(
            box.left() + PAD + 1, box.top() + TITLE + PAD, box.width() - 2 * PAD - 2,
            max(LEAST_BARS, box.height() - TITLE - PAD - below),
        )  # fmt: skip

    def bar_at(self, index: int, x: float, y: float) -> int:
        """The index of the bar of a column at a place, -1 for none."""
        bars, rect = self.chart.columns[index].bars, self.bars(self.boxes[index])
        if bars is None or not rect.top() <= y <= rect.bottom():
            return -1
        boxes = bar_boxes(rect, len(bars.amounts), WIDEST_BAR)
        return next((i for i, bar in enumerate(boxes) if bar.left() <= x <= bar.right()), -1)

    def row(self, box: QRectF, index: int) -> QRectF:
        """The line of one figure."""
        top = self.bars(box).bottom() + PAD + index * ROW
        return QRectF(box.left() + 3, top, box.width() - 7, ROW)

    def row_at(self, x: float, y: float) -> int:
        """The index of the row whose name is at a place, -1 for none."""
        if not self.boxes or not self.shift <= x < self.shift + self.gutter:
            return -1
        rows = (self.row(self.boxes[0], index) for index in range(len(self.chart.rows)))
        return next((i for i, row in enumerate(rows) if row.top() <= y < row.bottom()), -1)

    def column_at(self, x: float, y: float) -> int:
        """The index of the column at a place, -1 for none: names of rows lie over what is scrolled away."""
        if x < self.shift + self.gutter:
            return -1
        return next((i for i, box in enumerate(self.boxes) if box.contains(x, y)), -1)


def least_height(chart: CountsChart) -> float:
    """The height below which rows would overlap."""
    return TITLE + LEAST_BARS + ROW * len(chart.rows) + 3 * PAD


def least_width(chart: CountsChart) -> float:
    """The width below which figures would not fit."""
    return gutter(chart) + least_column(chart) * len(chart.columns) + PAD


def gutter(chart: CountsChart) -> float:
    """Pixels of the names of rows: as many as these need, where nothing else stands there."""
    if chart.line_words or chart.mark_words or not chart.rows:
        return GUTTER
    face = QFontMetricsF(font(8.0))
    return min(GUTTER, max(face.horizontalAdvance(name) for name in chart.rows) + BESIDE_NAME)


def least_column(chart: CountsChart) -> float:
    """The width of a column in which every figure has room beside its tick."""
    figures = [figure for column in chart.columns for figure in column.figures]
    widest = max(
        (QFontMetricsF(figure.face).horizontalAdvance(figure.text) for figure in figures), default=0.0
    )
    least = LEAST_COLUMN if len(chart.columns) <= FEW else NARROW_COLUMN
    return max(least, widest + tick_room(chart) + BESIDE_FIGURE)


def tick_room(chart: CountsChart) -> float:
    """What all figures leave to their ticks, so that they stand below one another; nothing where none has one."""
    return TICK_ROOM if any(f.proven for column in chart.columns for f in column.figures) else 2.0


def paint_counts(
    painter: QPainter, geometry: Geometry, theme: Theme, hovered: int = -1, focused: int = -1
) -> None:
    """All columns. ``hovered`` and ``focused`` are indices of columns, -1 for none."""
    chart = geometry.chart
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shown = [column.bars for column in chart.columns if column.bars is not None]
    top, room = full_scale(shown), tick_room(chart)
    painter.save()
    painter.setClipRect(QRectF(geometry.shift + geometry.gutter - 1, 0, geometry.width, geometry.height))
    for i, (column, box) in enumerate(zip(chart.columns, geometry.boxes, strict=True)):
        _ground(painter, box, theme, column.count == chart.current, i == hovered, i == focused)
        _title(painter, box, column, theme, column.count == chart.current, geometry.brief)
        bars = geometry.bars(box)
        if column.bars is None:
            painter.setFont(font(8.0))
            painter.setPen(QColor(theme.muted))
            painter.drawText(
                QRectF(box.left() + 1, bars.top(), box.width() - 2, box.bottom() - bars.top() - PAD), WORDS, column.words
            )  # fmt: skip
            continue
        paint_memory_bars(painter, bars, column.bars, top, theme, widest=WIDEST_BAR, line=False)
        for index, figure in enumerate(column.figures):
            _figure(painter, geometry.row(box, index), figure, room, theme)
    line = (
        height_of(shown[0].line, top, geometry.bars(geometry.boxes[0]))
        if shown and chart.line_words
        else None
    )
    for column, box in zip(chart.columns, geometry.boxes, strict=True):
        if line is not None and column.bars is not None:
            paint_cache_line(painter, box.left() + 3, box.right() - 3, line, theme)
    painter.restore()
    if geometry.boxes:
        painter.save()
        painter.translate(geometry.shift, 0.0)
        _gutter(painter, geometry, line, theme)
        painter.restore()


def _ground(
    painter: QPainter, box: QRectF, theme: Theme, current: bool, hovered: bool, focused: bool
) -> None:
    painter.setPen(QPen(QColor(theme.accent if current else theme.border), 1.6 if current else 1.0))
    painter.setBrush(QColor(theme.hover if hovered else theme.panel))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
    if focused:
        painter.setPen(QPen(QColor(theme.focus), 1.5, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(3, 3, -3, -3), 4, 4)


def _title_face() -> QFont:
    return font(9.0, bold=True)


def _title(painter: QPainter, box: QRectF, column: Column, theme: Theme, current: bool, brief: bool) -> None:
    title = f"{column.count}" if brief else column.title
    line = QRectF(box.left() + PAD + 2, box.top() + 2, box.width() - 2 * PAD - 4, TITLE - 2)
    face = _title_face()
    painter.setFont(face)
    painter.setPen(QColor(theme.accent if current else theme.text))
    painter.drawText(line, LEFT, title)
    if not column.proven:
        return
    used = QFontMetricsF(face).horizontalAdvance(title)
    small = font(8.0)
    painter.setFont(small)
    painter.setPen(QColor(theme.good))
    words = f"{TICK} proven"
    fits = QFontMetricsF(small).horizontalAdvance(words) <= line.width() - used - 6
    painter.drawText(line, RIGHT, words if fits else TICK)


def _figure(painter: QPainter, line: QRectF, figure: Figure, room: float, theme: Theme) -> None:
    tones = {"good": theme.good, "slow": theme.slow, "muted": theme.muted}
    painter.setFont(figure.face)
    painter.setPen(QColor(tones.get(figure.tone, theme.text)))
    painter.drawText(line.adjusted(0, 0, -room, 0), RIGHT, figure.text)
    if figure.proven:
        painter.setFont(font(7.5))
        painter.setPen(QColor(theme.good))
        painter.drawText(line, RIGHT, TICK)


def _gutter(painter: QPainter, geometry: Geometry, line: float | None, theme: Theme) -> None:
    """The names of the rows, that of the cache line at its height ``line``, and below it what is hatched above it."""
    box = geometry.boxes[0]
    painter.setFont(font(8.0))
    if geometry.chart.mark_words:
        painter.setPen(QPen(QColor(theme.text), 2.0))
        middle = box.top() + 1 + TITLE / 2
        painter.drawLine(QPointF(7, middle), QPointF(7 + MARK, middle))
        painter.setPen(QColor(theme.muted))
        painter.drawText(
            QRectF(BEHIND, middle - ROW / 2, geometry.gutter - BEHIND - 6, ROW),
            LEFT,
            geometry.chart.mark_words,
        )
    painter.setPen(QColor(theme.muted))
    if geometry.brief and not geometry.chart.mark_words:
        line_of_titles = QRectF(6, box.top() + 2, geometry.gutter - 8, TITLE - 2)
        painter.drawText(line_of_titles, LEFT, geometry.chart.counted)
    for index, words in enumerate(geometry.chart.rows):
        row = geometry.row(box, index)
        painter.drawText(QRectF(6, row.top(), geometry.gutter - 8, ROW), LEFT, words)
    if line is not None:
        painter.drawText(
            QRectF(6, line - ROW / 2, geometry.gutter - 14, ROW), LEFT, geometry.chart.line_words
        )
        painter.setPen(QPen(QColor(theme.muted), 1.0))
        measure = QFontMetricsF(font(8.0)).horizontalAdvance(geometry.chart.line_words)
        painter.drawLine(QPointF(8 + measure + 3, line), QPointF(geometry.gutter - 4, line))
        if geometry.chart.streams:
            _streamed(painter, line + ROW, theme)


def _streamed(painter: QPainter, middle: float, theme: Theme) -> None:
    """A hatched mark at this height, with its words."""
    mark, room = QRectF(7, middle - 4, MARK, 8), GUTTER - BEHIND - 4
    painter.fillRect(mark, QColor(theme.warning))
    painter.fillRect(mark, HATCH)
    face = font(8.0)
    words = next((w for w in STREAMED if QFontMetricsF(face).horizontalAdvance(w) <= room), STREAMED[-1])
    painter.setPen(QColor(theme.muted))
    painter.drawText(QRectF(BEHIND, middle - ROW / 2, room, ROW), LEFT, words)
