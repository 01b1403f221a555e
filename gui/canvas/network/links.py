"""The links view: neurons as dots in layers, connections as curves in the colours of their time.

More curves than :data:`MOST_LINKS` are a hairball: of a larger network the ones used last are drawn, and those of the neuron
that is selected.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from gui.canvas.graph.palette import packed
from gui.canvas.network.colours import STEPS
from gui.canvas.network.layout_links import HEAD, LinksLayout, links_layout
from gui.canvas.network.lens import Hit, Lens, Shown
from gui.document.network.memory_history import Residents
from gui.look.numbers import plural
from gui.look.writing import CENTRE, elided, face
from gui.raster import engine as pixels
from planner.model.graph import Ints

MOST_LINKS = 4000
USUAL_LINKS = 1500
"""Networks of up to so many connections are shown as links unless the matrix is chosen."""
RECENT_LINKS = 1000
"""Of a larger network so many are drawn, those used last."""
VEIL = 0.72
"""How much of the ground covers the other curves while a neuron is selected."""
_SAMPLES = 17
"""Points of a curve that the pointer is compared with."""
_NEAR = 5.0
"""Logical pixels within which the pointer is on a curve or dot."""


_LEAST_RING = 7.0
"""Logical pixels of a dot that has room for a ring."""


class LinksPicture:
    """Draws one order as dots and curves into a pixel buffer and onto a painter. Pixels are device pixels."""

    def __init__(self, shown: Shown, room: tuple[float, float]) -> None:
        self.shown = shown
        self.layout: LinksLayout = links_layout(shown.network, shown.places, room)
        self.all = shown.network.connection_count <= MOST_LINKS
        self._curves = self._points(shown.order) if self.all else np.empty((0, 8))

    def resize(self, room: tuple[float, float]) -> None:
        """Fill another room; the neurons keep their places."""
        self.layout = links_layout(self.shown.network, self.shown.places, room)
        if self.all:
            self._curves = self._points(self.shown.order)

    def _points(self, connections: Ints) -> np.ndarray:
        network = self.shown.network
        return self.layout.curves(network.source[connections], network.target[connections])

    # ------------------------------------------------------------------ connections
    def paint(self, image: np.ndarray, lens: Lens, done: int) -> None:
        """The curves, the first ``done`` connections used."""
        pixels.fill(image, None, packed(self.shown.ink.theme.canvas), replace=True)
        if self.all:
            self._draw(image, lens, self._curves[done:], None, self.shown.order[done:])
            self._draw(image, lens, self._curves[:done], (0, done), self.shown.order[:done])
        else:
            first = max(0, done - RECENT_LINKS)
            recent = self.shown.order[first:done]
            self._draw(image, lens, self._points(recent), (first, done), recent)

    def advance(self, image: np.ndarray, lens: Lens, before: int, done: int) -> None:
        """Go from one moment to another on an image that :meth:`paint` painted through the same lens."""
        if self.all and done > before:
            here = slice(before, done)
            self._draw(image, lens, self._curves[here], (before, done), self.shown.order[here])
        else:
            self.paint(image, lens, done)

    def _draw(
        self, image: np.ndarray, lens: Lens, curves: np.ndarray, used: tuple[int, int] | None, ids: Ints
    ) -> None:
        """Curves of connections ``ids``, used at the positions ``used`` (begin, end), or not yet (None)."""
        if not len(curves):
            return
        ink, network = self.shown.ink, self.shown.network
        if used is None:
            colour: object = packed(ink.future)
        else:
            steps = np.arange(*used, dtype=np.int64) * (STEPS - 1) // max(1, len(self.shown.order) - 1)
            colour = ink.straight[steps]
        pixels.curves(
            image, None, curves, lens.scale, lens.ox, lens.oy, colour=colour, width_px=self.width(lens),
            opacity=0.55 if used is None else 0.85, dash_px=(6.0 * lens.ratio, 4.0 * lens.ratio),
            dashed=self.layout.skips(network.source[ids], network.target[ids]),
        )  # fmt: skip

    def recede(self, image: np.ndarray) -> None:
        """Veil the curves painted so far, so that those of the selected neuron stand out."""
        pixels.fill(image, None, packed(self.shown.ink.theme.canvas, VEIL))

    def width(self, lens: Lens) -> float:
        """Pixels of a curve: thinner the more there are."""
        many = self.shown.network.connection_count
        wide = 1.7 if many <= 300 else 1.2 if many <= 1500 else 0.8
        return wide * lens.ratio * min(2.0, (lens.scale / lens.ratio) ** 0.5)

    # ------------------------------------------------------------------ neurons
    def paint_states(self, image: np.ndarray, lens: Lens, residents: Residents) -> None:
        """All neurons; those in fast memory lit up, the dirty ones larger with a dark ring."""
        ink, layout = self.shown.ink, self.layout
        n = len(layout.x)
        fill = np.full(n, packed(ink.idle), np.uint32)
        fill[residents.neuron] = np.where(residents.dirty, packed(ink.dirty), packed(ink.clean))
        grow = np.ones(n)
        grow[residents.neuron] = np.where(residents.dirty, 1.3, 1.15)
        least = np.full(n, 2.0 / max(lens.scale / lens.ratio, 1e-9))
        least[residents.neuron] *= 1.8
        size = np.maximum(layout.size * grow, least)
        ring = np.zeros(n, np.uint32)
        large = size * lens.scale >= _LEAST_RING * lens.ratio
        ring[residents.neuron[residents.dirty & large[residents.neuron]]] = packed(ink.theme.text)
        drawn = np.argsort(fill != packed(ink.idle), kind="stable").astype(np.int32)
        pixels.rounded_rects(
            image, None, layout.x - size / 2, layout.y - size / 2, size, size, lens.scale, lens.ox, lens.oy,
            fill=fill, stroke=ring, stroke_px=1.3 * lens.ratio, radius_px=size * lens.scale / 2, order=drawn,
        )  # fmt: skip

    # ------------------------------------------------------------------ words and marks
    def paint_words(self, painter: QPainter, lens: Lens) -> None:
        """The layers' names and sizes (logical pixels)."""
        theme, arranged = self.shown.ink.theme, self.layout.arranged
        pitch = self.layout.pitch * lens.scale / lens.ratio
        every = max(1, int(np.ceil(26.0 / max(pitch, 0.1))))
        painter.setFont(face(8.5))
        painter.setPen(QColor(theme.muted))
        for group in range(0, arranged.groups, every):
            x, top = self.layout.head(group)
            px, py = (v / lens.ratio for v in lens.to_pixels(x, top))
            words = f"Layer {group}  {arranged.size(group):,}" if every * pitch >= 84 else f"{group}"
            wide = min(QFontMetricsF(face(8.5)).horizontalAdvance(words) + 4, every * pitch)
            left = px - wide / 2
            if lens.is_whole:  # the words at the ends stay in sight
                left = min(max(left, 2.0), lens.width / lens.ratio - 2.0 - wide)
            rect = QRectF(left, max(py, 2.0), wide, min(HEAD * lens.scale / lens.ratio, HEAD))
            if wide > 8:
                painter.drawText(rect, CENTRE, elided(words, face(8.5), wide))

    def paint_neuron(self, painter: QPainter, lens: Lens, neuron: int, strong: bool) -> None:
        """Ring a neuron, its connections drawn over all others (logical pixels)."""
        network, theme = self.shown.network, self.shown.ink.theme
        ids = np.concatenate(
            [edges[offsets[neuron] : offsets[neuron + 1]] for offsets, edges in (network.incoming, network.outgoing)]
        )  # fmt: skip
        if strong or not self.all:
            ids = ids[np.argsort(self.shown.when[ids])][:RECENT_LINKS]
            for points, connection in zip(self._points(ids), ids.tolist(), strict=True):
                shade = self.shown.ink.at(int(self.shown.when[connection]), len(self.shown.order))
                painter.setPen(QPen(QColor(shade), 2.2 if strong else 1.4))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPath(_path(points, lens))
        x, y = (v / lens.ratio for v in lens.to_pixels(self.layout.x[neuron], self.layout.y[neuron]))
        radius = max(float(self.layout.size[neuron]) * lens.scale / lens.ratio / 2 + 3.5, 5.0)
        painter.setPen(QPen(QColor(theme.text if strong else theme.muted), 2.0 if strong else 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, y), radius, radius)

    def paint_connection(self, painter: QPainter, lens: Lens, connection: int, colour: str) -> None:
        """Draw one connection boldly (logical pixels)."""
        path = _path(self._points(np.array([connection]))[0], lens)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        theme = self.shown.ink.theme
        for shade, wide in ((theme.canvas, 7.5), (theme.text, 5.0), (colour, 2.6)):
            painter.setPen(QPen(QColor(shade), wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPath(path)

    def paint_vectors(self, painter: QPainter, lens: Lens, done: int) -> None:
        """All curves as vectors, for files that can hold them (logical pixels)."""
        ink, network, order = self.shown.ink, self.shown.network, self.shown.order
        first = 0 if self.all else max(0, done - RECENT_LINKS)
        shown = order if self.all else order[first:done]
        positions = np.arange(len(shown)) + first
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # What is not used yet lies below what is.
        for i in np.argsort(positions < done, kind="stable").tolist():
            position = int(positions[i])
            used = position < done
            shade = QColor(ink.at(position, len(order)) if used else ink.future)
            shade.setAlphaF(0.85 if used else 0.55)
            pen = QPen(shade, self.width(lens) / lens.ratio)
            connection = shown[i : i + 1]
            if self.layout.skips(network.source[connection], network.target[connection])[0]:
                pen.setDashPattern([5.0, 3.0])
            painter.setPen(pen)
            painter.drawPath(_path(self._points(connection)[0], lens))

    def paint_dots(self, painter: QPainter, lens: Lens, residents: Residents) -> None:
        """All neurons as vectors (logical pixels)."""
        ink, layout = self.shown.ink, self.layout
        state = {int(n): bool(d) for n, d in zip(residents.neuron, residents.dirty, strict=True)}
        for neuron in range(len(layout.x)):
            x, y = (v / lens.ratio for v in lens.to_pixels(layout.x[neuron], layout.y[neuron]))
            dirty = state.get(neuron)
            painter.setBrush(QColor(ink.idle if dirty is None else ink.dirty if dirty else ink.clean))
            painter.setPen(QPen(QColor(ink.theme.text), 1.2) if dirty else Qt.PenStyle.NoPen)
            radius = float(layout.size[neuron]) / 2
            painter.drawEllipse(QPointF(x, y), radius, radius)

    # ------------------------------------------------------------------ pointing
    def hit(self, lens: Lens, px: float, py: float) -> Hit:
        """What is at a pixel."""
        x, y = lens.to_scene(px, py)
        slop = _NEAR * lens.ratio / lens.scale
        neuron = self.layout.neuron_at(x, y, slop)
        if neuron >= 0 or not self.all:
            return Hit(neuron)
        away = _distances(self._curves, x, y)
        nearest = int(np.argmin(away))
        if away[nearest] > slop:
            return Hit()
        return Hit(connections=self.shown.order[nearest : nearest + 1])

    def title_at(self, lens: Lens, x: float, y: float) -> str:
        """No title is ever cut."""
        return ""

    def place_of(self, neuron: int) -> tuple[float, float]:
        """Where a neuron is in scene units."""
        return float(self.layout.x[neuron]), float(self.layout.y[neuron])

    def dot(self, neuron: int) -> float:
        """The diameter of a neuron in scene units."""
        return float(self.layout.size[neuron])

    def neurons_in_sight(self, lens: Lens) -> Ints:
        """The neurons whose dots are on screen (int32), layer by layer."""
        members = self.layout.arranged.members
        x, y = lens.to_scene(0.0, 0.0)
        right, bottom = lens.to_scene(lens.width, lens.height)
        near = (self.layout.x > x) & (self.layout.x < right) & (self.layout.y > y) & (self.layout.y < bottom)
        found: Ints = members[near[members]]
        return found

    def parts(self, lens: Lens) -> list[tuple[str, QRectF]]:
        """The layers: what each is called, and the room of its dots (logical pixels)."""
        layout, parts = self.layout, []
        wide = min(layout.pitch, float(layout.room[0]))
        for group in range(layout.arranged.groups):
            x, top = layout.head(group)
            left, upper = (v / lens.ratio for v in lens.to_pixels(x - wide / 2, top))
            by = lens.scale / lens.ratio
            words = f"Layer {group}, {plural(layout.arranged.size(group), 'neuron')}"
            parts.append((words, QRectF(left, upper, wide * by, layout.row_height * by)))
        return parts

    def note(self) -> str:
        """What of the network is not drawn."""
        if self.all:
            return ""
        return f"the last {RECENT_LINKS:,} of {self.shown.network.connection_count:,} connections used, and those of the neuron selected"


def _distances(curves: np.ndarray, x: float, y: float) -> np.ndarray:
    """How far a place is from each curve (control points float64[n, 8]), by the curve's chords."""
    t = np.linspace(0.0, 1.0, _SAMPLES)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
    px, py = curves[:, 0::2] @ weights, curves[:, 1::2] @ weights
    dx, dy = np.diff(px, axis=1), np.diff(py, axis=1)
    along = ((x - px[:, :-1]) * dx + (y - py[:, :-1]) * dy) / np.maximum(dx * dx + dy * dy, 1e-12)
    along = np.clip(along, 0.0, 1.0)
    away = np.hypot(px[:, :-1] + along * dx - x, py[:, :-1] + along * dy - y)
    nearest: np.ndarray = away.min(axis=1)
    return nearest


def _path(points: np.ndarray, lens: Lens) -> QPainterPath:
    """A curve in logical pixels."""
    x = (points[0::2] * lens.scale + lens.ox) / lens.ratio
    y = (points[1::2] * lens.scale + lens.oy) / lens.ratio
    path = QPainterPath(QPointF(x[0], y[0]))
    path.cubicTo(x[1], y[1], x[2], y[2], x[3], y[3])
    return path
