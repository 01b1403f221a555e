"""The matrix view: a pixel per connection, in the colour of its time, and the neurons as strips along the sides."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.palette import packed
from gui.canvas.network import raster
from gui.canvas.network.layout_matrix import GAP, STRIP, TITLE, MatrixLayout, Panel, matrix_layout
from gui.canvas.network.lens import NOTHING, Hit, Lens, Shown
from gui.canvas.network.titles import panel_title
from gui.document.network.memory_history import Residents
from gui.look.theme import Theme, mix
from gui.look.writing import LEFT, face
from gui.raster import engine as pixels
from planner.model.graph import Ints

FEW = 20
"""Connections are few where there are so many logical pixels for each."""
THICKEST = 2.4
"""Strips grow with the zoom up to so many times their size."""
_Box = tuple[float, float, float, float]


class MatrixPicture:
    """Draws one order as matrices into a pixel buffer and onto a painter. Pixels are device pixels."""

    def __init__(self, shown: Shown, room: tuple[float, float]) -> None:
        self.shown = shown
        self.layout: MatrixLayout = matrix_layout(shown.network, shown.places, room)
        arranged, network, order = self.layout.arranged, shown.network, shown.order
        source, target = network.source[order], network.target[order]
        panels = self.layout.panels
        columns = np.cumsum([0] + [p.columns for p in panels])
        rows = np.cumsum([0] + [p.rows for p in panels])
        of = self.layout.panel_of(source, target)
        # Columns and rows of all panels are numbered through.
        self._column = (columns[of] + arranged.place[target]).astype(np.int32)
        self._row = (rows[of] + arranged.place[source]).astype(np.int32)
        self._pixels: tuple[Ints, Ints] = (NOTHING, NOTHING)
        self._counts = np.zeros((0, 0, 5), np.uint32)
        self._usual = 1.0
        ink = shown.ink
        self._levels = np.array([_levels(ink.ground), _levels(ink.future)], np.float64)

    def resize(self, room: tuple[float, float]) -> None:
        """Fill another room; the neurons keep their places."""
        self.layout = matrix_layout(self.shown.network, self.shown.places, room, self.layout.whole)

    # ------------------------------------------------------------------ connections
    def paint(self, image: np.ndarray, lens: Lens, done: int) -> None:
        """Everything but the neurons' states, the first ``done`` connections used."""
        theme = self.shown.ink.theme
        pixels.fill(image, None, packed(theme.canvas), replace=True)
        if self._counts.shape[:2] != image.shape:
            self._counts = np.zeros((*image.shape, 5), np.uint32)
        frames = self._place(lens)
        across, down = self._pixels
        density = raster.count_all(
            self._counts, frames, across, down, self._column, self._row, self.shown.ink.light, done
        )
        self._usual = 1.0 if density <= 1.05 else 2.0 * density
        raster.shade_all(image, self._counts, frames, self._levels, raster.gamma_table(), self._usual)

    def advance(self, image: np.ndarray, lens: Lens, before: int, done: int) -> None:
        """Go from one moment to another on an image that :meth:`paint` painted through the same lens."""
        raster.advance(
            image, self._counts, *self._pixels, self._column, self._row, self.shown.ink.light,
            self._levels, raster.gamma_table(), self._usual, before, done,
        )  # fmt: skip

    def _place(self, lens: Lens) -> np.ndarray:
        """The pixels of columns and rows through a lens, and those of the panels (int64[panels, 4]: x0, x1, y0, y1)."""
        across, down, frames = [], [], []
        for panel in self.layout.panels:
            x, y, w, h = self._body(panel, lens)
            x0, x1 = (min(max(math.floor(v), 0), lens.width) for v in (x, x + w + 1.0))
            y0, y1 = (min(max(math.floor(v), 0), lens.height) for v in (y, y + h + 1.0))
            # Few connections far apart are drawn a little larger than they are, to be seen.
            few = panel.connections * FEW * lens.ratio**2 < w * h
            least = round(2 * lens.ratio) if few else 1
            across.append(raster.spans(x, w / panel.columns, panel.columns, x0, x1, least))
            down.append(raster.spans(y, h / panel.rows, panel.rows, y0, y1, least))
            frames.append((x0, x1, y0, y1))
        self._pixels = (np.concatenate(across), np.concatenate(down))
        return np.array(frames, np.int64)

    # ------------------------------------------------------------------ neurons
    def _strips(self, panel: Panel, lens: Lens) -> tuple[_Box, _Box]:
        """The strips of sources and targets of a panel; they stay in sight while any of the panel is."""
        thick = STRIP * min(lens.scale, THICKEST * lens.ratio)
        gap = GAP * min(lens.scale, lens.ratio)
        x, y = lens.to_pixels(panel.x, panel.y)
        w, h = panel.w * lens.scale, panel.h * lens.scale
        left = min(max(x - gap - thick, 0.0), x + w)
        low = max(min(y + h + gap, lens.height - thick), y)
        return (left, y, thick, h), (x, low, w, thick)

    def _paint_strips(self, image: np.ndarray, lens: Lens) -> None:
        theme = self.shown.ink.theme
        boxes: list[_Box] = []
        for panel in self.layout.panels:
            boxes += self._strips(panel, lens)
        x, y, w, h = np.array(boxes).T
        pixels.rounded_rects(
            image, None, x, y, w, h, 1.0, 0.0, 0.0,
            fill=packed(mix(theme.canvas, theme.edge, 0.35)), radius_px=1.5 * lens.ratio,
        )  # fmt: skip

    def paint_states(self, image: np.ndarray, lens: Lens, residents: Residents) -> None:
        """Light up the neurons in fast memory: all of the strip for what slow memory does not have, else half of it."""
        # Strips stay in sight above the connections, which change below them.
        self._paint_strips(image, lens)
        arranged, ink = self.layout.arranged, self.shown.ink
        boxes: list[np.ndarray] = []
        fills: list[np.ndarray] = []
        colour = np.where(residents.dirty, packed(ink.dirty), packed(ink.clean)).astype(np.uint32)
        share = np.where(residents.dirty, 1.0, 0.5)
        for panel in self.layout.panels:
            down, across = self._strips(panel, lens)
            for group, (x, y, w, h), count, is_down in (
                (panel.source, down, panel.rows, True), (panel.target, across, panel.columns, False),
            ):  # fmt: skip
                here = arranged.group[residents.neuron] == group
                place = arranged.place[residents.neuron[here]]
                part = share[here]
                if is_down:
                    size = max(h / count, 1.6 * lens.ratio)
                    middle = y + (place + 0.5) * h / count
                    columns = (x + w * (1 - part), middle - size / 2, w * part, np.full(len(place), size))
                else:
                    size = max(w / count, 1.6 * lens.ratio)
                    middle = x + (place + 0.5) * w / count
                    columns = (middle - size / 2, np.full(len(place), y), np.full(len(place), size), h * part)
                boxes.append(np.stack(columns, axis=-1))
                fills.append(colour[here])
        x, y, w, h = np.concatenate(boxes).T
        pixels.rounded_rects(
            image, None, x, y, w, h, 1.0, 0.0, 0.0, fill=np.concatenate(fills), radius_px=0.0
        )

    # ------------------------------------------------------------------ words and marks
    def paint_words(self, painter: QPainter, lens: Lens) -> None:
        """What each panel is, above it (logical pixels)."""
        theme = self.shown.ink.theme
        for panel, rect, inside in self._titles(lens):
            if inside:
                painter.fillRect(rect, QColor(theme.canvas))
            painter.setFont(face(8.5))
            painter.setPen(QColor(theme.muted))
            painter.drawText(rect, LEFT, panel_title(panel, self.layout.whole, rect.width()))
        if self.layout.whole and not self.shown.sorted:
            self._paint_layers(painter, lens, theme)

    def _titles(self, lens: Lens) -> Iterator[tuple[Panel, QRectF, bool]]:
        """Where the titles in sight are (logical pixels), and whether they lie over their panels."""
        for panel in self.layout.panels:
            x, y, w, h = (v / lens.ratio for v in self._body(panel, lens))
            left, right = max(x, 4.0), min(x + w, lens.width / lens.ratio - 4.0)
            top = min(max(y - TITLE, 0.0), y + h - TITLE)
            if right - left >= 24.0 and top <= lens.height / lens.ratio:
                yield panel, QRectF(left, top, right - left, TITLE), top > y - TITLE

    def title_at(self, lens: Lens, x: float, y: float) -> str:
        """All of the title at a place (logical pixels); empty where there is none, or where all of it is seen."""
        for panel, rect, _ in self._titles(lens):
            if rect.contains(x, y):
                whole = panel_title(panel, self.layout.whole, math.inf)
                return whole if whole != panel_title(panel, self.layout.whole, rect.width()) else ""
        return ""

    def _paint_layers(self, painter: QPainter, lens: Lens, theme: Theme) -> None:
        """Where layers begin, in the matrix of all neurons."""
        panel = self.layout.panels[0]
        x, y, w, h = (v / lens.ratio for v in self._body(panel, lens))
        sizes = self.shown.network.layer_sizes
        ends = np.cumsum(sizes[sizes > 0])[:-1]
        if len(ends) == 0 or min(w, h) / len(ends) < 5.0:
            return
        painter.setPen(QPen(QColor(theme.grid), 1.0))
        for end in ends.tolist():
            share = end / panel.rows
            painter.drawLine(QPointF(x, y + share * h), QPointF(x + w, y + share * h))
            painter.drawLine(QPointF(x + share * w, y), QPointF(x + share * w, y + h))

    def _body(self, panel: Panel, lens: Lens) -> _Box:
        x, y = lens.to_pixels(panel.x, panel.y)
        return x, y, panel.w * lens.scale, panel.h * lens.scale

    def paint_neuron(self, painter: QPainter, lens: Lens, neuron: int, strong: bool) -> None:
        """Frame the rows and columns of a neuron (logical pixels)."""
        arranged, theme = self.layout.arranged, self.shown.ink.theme
        colour = QColor(theme.text)
        colour.setAlphaF(0.9 if strong else 0.45)
        group, place = int(arranged.group[neuron]), int(arranged.place[neuron])
        for panel in self.layout.panels:
            x, y, w, h = (v / lens.ratio for v in self._body(panel, lens))
            down, across = ([v / lens.ratio for v in box] for box in self._strips(panel, lens))
            if panel.source == group:
                high = max(h / panel.rows, 2.0)
                middle = y + (place + 0.5) * h / panel.rows
                rect = QRectF(down[0] - 1.5, middle - high / 2 - 1, x + w - down[0] + 1.5, high + 2)
                _frame(painter, rect, colour)
            if panel.target == group:
                wide = max(w / panel.columns, 2.0)
                middle = x + (place + 0.5) * w / panel.columns
                rect = QRectF(middle - wide / 2 - 1, y, wide + 2, across[1] + across[3] + 1.5 - y)
                _frame(painter, rect, colour)

    def paint_connection(self, painter: QPainter, lens: Lens, connection: int, colour: str) -> None:
        """Mark one connection: its cell in a ring, its ends on the strips (logical pixels)."""
        network, arranged, theme = self.shown.network, self.layout.arranged, self.shown.ink.theme
        source, target = int(network.source[connection]), int(network.target[connection])
        index = int(self.layout.panel_of(np.array([source]), np.array([target]))[0])
        panel = self.layout.panels[index]
        x, y, w, h = (v / lens.ratio for v in self._body(panel, lens))
        cx = x + (int(arranged.place[target]) + 0.5) * w / panel.columns
        cy = y + (int(arranged.place[source]) + 0.5) * h / panel.rows
        across, down = max(w / panel.columns, 7.0) + 3, max(h / panel.rows, 7.0) + 3
        rect = QRectF(cx - across / 2, cy - down / 2, across, down)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for shade, wide in ((theme.canvas, 4.5), (theme.text, 2.0)):
            painter.setPen(QPen(QColor(shade), wide))
            painter.drawRoundedRect(rect, 2.5, 2.5)
        if w / panel.columns < 6.0 or h / panel.rows < 6.0:
            painter.fillRect(QRectF(cx - 2, cy - 2, 4, 4), QColor(colour))
        left, below = ([v / lens.ratio for v in box] for box in self._strips(panel, lens))
        painter.fillRect(QRectF(left[0] - 1, cy - 1.5, left[2] + 2, 3), QColor(theme.text))
        painter.fillRect(QRectF(cx - 1.5, below[1] - 1, 3, below[3] + 2), QColor(theme.text))

    # ------------------------------------------------------------------ pointing
    def hit(self, lens: Lens, px: float, py: float) -> Hit:
        """What is at a pixel."""
        arranged = self.layout.arranged
        for panel in self.layout.panels:
            x, y, w, h = self._body(panel, lens)
            down, across = self._strips(panel, lens)
            columns = _range(px, x, w, panel.columns)
            rows = _range(py, y, h, panel.rows)
            if down[0] - 2 <= px < down[0] + down[2] + 2 and rows is not None:
                return Hit(int(arranged.neurons(panel.source)[sum(rows) // 2]))
            if across[1] - 2 <= py < across[1] + across[3] + 2 and columns is not None:
                return Hit(int(arranged.neurons(panel.target)[sum(columns) // 2]))
            if columns is not None and rows is not None:
                return Hit(connections=self._connections(panel, rows, columns))
        return Hit()

    def _connections(self, panel: Panel, rows: tuple[int, int], columns: tuple[int, int]) -> Ints:
        """The connections in a range of cells (both ends included)."""
        network, arranged = self.shown.network, self.layout.arranged
        offsets, ids = network.incoming
        found = [NOTHING]
        for target in arranged.neurons(panel.target)[columns[0] : columns[1] + 1].tolist():
            into = ids[offsets[target] : offsets[target + 1]]
            source = network.source[into]
            place = arranged.place[source]
            found.append(
                into[(arranged.group[source] == panel.source) & (rows[0] <= place) & (place <= rows[1])]
            )
        return np.concatenate(found)

    def place_of(self, neuron: int) -> tuple[float, float]:
        """Where a neuron is in scene units: on the strip of the first panel that has it."""
        arranged = self.layout.arranged
        group, place = int(arranged.group[neuron]), int(arranged.place[neuron])
        for panel in self.layout.panels:
            if panel.source == group:
                return panel.x - GAP - STRIP / 2, panel.y + (place + 0.5) * panel.h / panel.rows
            if panel.target == group:
                return panel.x + (place + 0.5) * panel.w / panel.columns, panel.y + panel.h + GAP + STRIP / 2
        raise ValueError(f"neuron {neuron} is in no panel")

    def dot(self, neuron: int) -> float:
        """The thickness of the strip that a neuron is on, in scene units."""
        return STRIP

    def neurons_in_sight(self, lens: Lens) -> Ints:
        """None: they are rows and columns here, too thin to be told apart."""
        return NOTHING

    def parts(self, lens: Lens) -> list[tuple[str, QRectF]]:
        """The panels: what each is called, and where it is (logical pixels)."""
        return [
            (
                panel_title(panel, self.layout.whole, math.inf),
                QRectF(*(v / lens.ratio for v in self._body(panel, lens))),
            )
            for panel in self.layout.panels
        ]

    def note(self) -> str:
        """What of the network is not drawn."""
        return ""


def _frame(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    """A hairline around a rectangle: four filled ones, as strokes that long are slow."""
    x, y = float(round(rect.x())), float(round(rect.y()))
    w, h = float(round(rect.width())), float(round(rect.height()))
    for side in ((x, y, w, 1.0), (x, y + h - 1, w, 1.0), (x, y, 1.0, h), (x + w - 1, y, 1.0, h)):
        painter.fillRect(QRectF(*side), colour)


def _range(at: float, start: float, size: float, count: int) -> tuple[int, int] | None:
    """The cells (first, last) that share the pixel ``at`` along one axis; None outside."""
    if not start <= at < start + size:
        return None
    cell, pixel = size / count, math.floor(at)
    if cell >= 1.0:
        one = min(int((at - start) / cell), count - 1)
        return one, one
    first = math.ceil((pixel - start) / cell)
    last = math.ceil((pixel + 1 - start) / cell) - 1
    return min(max(first, 0), count - 1), min(max(last, first, 0), count - 1)


def _levels(colour: str) -> tuple[float, float, float]:
    return int(colour[1:3], 16) * 1.0, int(colour[3:5], 16) * 1.0, int(colour[5:7], 16) * 1.0
