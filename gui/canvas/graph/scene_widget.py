"""A widget that shows a scene through a viewport: where things are on it, and how to look elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.areas import device_areas
from gui.canvas.graph.headers import HEADER_WIDTH
from gui.canvas.graph.heat.legend import HEIGHT, MARGIN
from gui.canvas.graph.scene import LIFE_SIZE, Scene
from gui.canvas.graph.strip import slot_rects
from gui.canvas.graph.viewport import LARGEST_SCALE, Rect, Viewport
from gui.raster import engine as raster
from planner.model.graph import Floats, Ints

NOTHING = np.empty(0, np.int32)
ALMOST = 0.98
"""Of the graph's width and height: where so much is in sight, all of it is."""
SEEN, NAMED = 6.0, 16.0
"""Logical pixels: how high a card is at least to be seen among others; how high one is made that is lower, to carry a name."""
CLEAR = 16.0
"""Logical pixels around what comes into sight."""


class Place(NamedTuple):
    """Where one looks: the viewport's scale and offsets, and whether someone ``chose`` that; else all is shown."""

    scale: float
    ox: float
    oy: float
    chosen: bool


class SceneWidget(QWidget):
    """Geometry of the canvas. Positions are in logical pixels unless said; ``view`` is ``flow``, ``lanes`` or ``stages``."""

    viewport_changed = Signal()
    earlier_changed = Signal()
    """Another place, or none, is the one to go back to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = "flow"
        self.viewport = Viewport()
        self.scene: Scene | None = None
        self.earlier: Place | None = None
        """Where one looked before ops were brought into sight."""
        self.lying_over: list[QWidget] = []
        """What lies on the canvas and hides cards."""
        self._walking = False
        """Whether the picture is where it is because ops were brought into sight, rather than moved by hand."""
        self._fit_pending = True
        self._moved_by_hand = False

    def repaint_scene(self) -> None:
        """Paint the scene again at the next occasion."""
        self.update()

    @property
    def scale(self) -> float:
        """Logical pixels per scene unit."""
        return self.viewport.scale / self.devicePixelRatioF()

    def set_highlight(self, mask: np.ndarray | None, fade_all: bool = False) -> None:
        """Let the ops of ``mask`` (bool[n]) stand out and fade the others; None ends it.

        A mask of no op fades nothing, unless it is to ``fade_all``.
        """
        if self.scene is None:
            return
        if mask is None or len(mask) != self.scene.items.graph.n:
            self.scene.highlighted, self.scene.all_faded = np.zeros(self.scene.items.count, bool), False
        else:
            self.scene.highlighted, self.scene.all_faded = self.scene.mask(np.flatnonzero(mask)), fade_all
        self.repaint_scene()

    def fit(self) -> None:
        """Show everything."""
        if self.scene is not None:
            self._fit_pending = False
            self._place_viewport()
            self.repaint_scene()
            self.viewport_changed.emit()

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a position (logical pixels), the middle by default."""
        ratio = self.devicePixelRatioF()
        point = QPointF(self.width() / 2, self.height() / 2) if at is None else at
        self.viewport.zoom(factor, point.x() * ratio, point.y() * ratio)
        self._moved_viewport()

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the picture by logical pixels."""
        ratio = self.devicePixelRatioF()
        self.viewport.pan(dx * ratio, dy * ratio)
        self._moved_viewport()

    def center_on(self, x: float, y: float) -> None:
        """Bring a scene position to the middle."""
        self._center(x, y)
        self._moved_viewport()

    def zoom_to_ops(self, ops: Ints) -> None:
        """Show these ops as large as fits, but not larger than life."""
        scene = self.scene
        if scene is None or len(ops) == 0:
            return
        x0, y0, x1, y1 = self._bounds_of(ops)
        pad = 60.0 if scene.layout.stages is None else 1.5 * scene.layout.stages.cell
        smallest = self.viewport.smallest
        self._keep_place()
        self.viewport.fit(
            (x0 - pad, y0 - pad, x1 - x0 + 2 * pad, y1 - y0 + 2 * pad),
            largest=max(LIFE_SIZE, scene.readable) * self.devicePixelRatioF(),
        )
        self.viewport.smallest = smallest
        self._moved_viewport(walking=True)

    def in_sight(self) -> Rect | None:
        """The part of the graph that is in sight, in scene units; None where that is all or nothing of it."""
        if self.scene is None:
            return None
        x, y, wide, high = self.scene.layout.bounds
        left, top, across, down = self.viewport.visible()
        x0, y0, x1, y1 = max(x, left), max(y, top), min(x + wide, left + across), min(y + high, top + down)
        whole = x1 - x0 >= wide * ALMOST and y1 - y0 >= high * ALMOST
        return None if whole or x1 <= x0 or y1 <= y0 else (x0, y0, x1 - x0, y1 - y0)

    def reveal(self, op: int) -> None:
        """Bring an op into sight, moving no more than needed (see :meth:`reveal_ops`)."""
        self.reveal_ops(np.array([op], np.int32))

    def reveal_ops(self, ops: Ints) -> None:
        """Bring ops into sight, moving no more than needed.

        The zoom stays where their cards are large enough to be seen and all of them fit. Cards that are smaller become as large as
        it takes to carry a name. :meth:`look_back` returns to where one looked before.
        """
        scene, v, ratio = self.scene, self.viewport, self.devicePixelRatioF()
        if scene is None:
            return
        ops = ops[(ops >= 0) & (ops < scene.items.graph.n)]
        if not len(ops):
            return
        x0, y0, x1, y1 = self._bounds_of(ops)
        card = float(scene.h[scene.items.item_of[ops]].min())
        clear = CLEAR * ratio
        room = max(1.0, v.width - v.left - 2 * clear), max(1.0, v.height - 2 * clear)
        wanted = v.scale if card * v.scale >= SEEN * ratio else NAMED * ratio / card
        wanted = max(v.smallest, min(wanted, room[0] / max(x1 - x0, 1e-9), room[1] / max(y1 - y0, 1e-9)))
        if not np.isclose(wanted, v.scale):
            self._keep_place()
            v.scale = wanted
            self._center((x0 + x1) / 2, (y0 + y1) / 2)
            self._moved_viewport(walking=True)
            return
        left, top, right, bottom = *v.to_pixels(x0, y0), *v.to_pixels(x1, y1)
        if left >= v.left and top >= 0 and right <= v.width and bottom <= v.height:
            dx = dy = 0.0
        else:
            dx = max(v.left + clear - left, 0.0) + min(v.width - clear - right, 0.0)
            dy = max(clear - top, 0.0) + min(v.height - clear - bottom, 0.0)
        if dx or dy:
            self._keep_place()
            v.pan(dx, dy)
            self._moved_viewport(walking=True)
        box = QRectF((left + dx) / ratio, (top + dy) / ratio, (right - left) / ratio, (bottom - top) / ratio)
        if any(w.isVisible() and box.intersects(w.geometry().toRectF()) for w in self.lying_over):
            self._keep_place()
            self._center((x0 + x1) / 2, (y0 + y1) / 2)
            self._moved_viewport(walking=True)

    def look_back(self) -> None:
        """Look where one looked before ops were brought into sight."""
        place = self.earlier
        if place is None or self.scene is None:
            return
        if not place.chosen:
            self.fit()
            return
        self._set_earlier(None)
        self.viewport.scale, self.viewport.ox, self.viewport.oy = place.scale, place.ox, place.oy
        self._moved_viewport()

    def reveal_lane(self, device: int) -> None:
        """Bring a device's lane or block into sight, moving no more than needed; nothing happens in the flow view."""
        rect = self.lane_rect(device)
        if rect.isEmpty() or (rect.top() >= 0 and rect.bottom() <= self.height()):
            return
        low, high = rect.top(), rect.bottom() - self.height()
        self.pan_by(0.0, -low if abs(low) < abs(high) or rect.height() > self.height() else -high)

    def op_rect(self, op: int) -> QRectF:
        """Where an op's card is drawn (logical pixels); for tests and assistive tools."""
        assert self.scene is not None
        return self.card_rect(int(self.scene.items.item_of[op]))

    def card_rect(self, i: int) -> QRectF:
        """Where a card is drawn (logical pixels)."""
        scene, ratio = self.scene, self.devicePixelRatioF()
        assert scene is not None
        x, y = self.viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        return QRectF(
            x / ratio,
            y / ratio,
            float(scene.w[i]) * self.viewport.scale / ratio,
            float(scene.h[i]) * self.viewport.scale / ratio,
        )

    def lane_rect(self, device: int) -> QRectF:
        """Where a device's lane or block is drawn (logical pixels); empty in the flow view, and of a device without a block."""
        if self.scene is None:
            return QRectF()
        return device_areas(self.scene, self.viewport, self.devicePixelRatioF()).get(device, QRectF())

    def slot_rect(self, device: int) -> QRectF:
        """Where a device's chip is while ops are dragged and not all devices have areas (logical pixels)."""
        assert self.scene is not None
        return slot_rects(self.width(), self.height(), self.scene.k)[device]

    def ops_in(self, rect: QRectF) -> Ints:
        """Ops whose cards a rectangle (logical pixels) touches."""
        scene = self.scene
        if scene is None:
            return NOTHING
        ratio = self.devicePixelRatioF()
        corners = (rect.left() * ratio, rect.top() * ratio, rect.right() * ratio, rect.bottom() * ratio)
        v = self.viewport
        items = raster.ops_in_rect(corners, scene.x, scene.y, scene.w, scene.h, v.scale, v.ox, v.oy)
        return scene.items.ops_of(items)

    def item_at(self, position: QPointF) -> int:
        """The card at a position (logical pixels), -1 for none."""
        scene = self.scene
        if scene is None or position.x() < self.header_width:
            return -1
        ratio, v = self.devicePixelRatioF(), self.viewport
        return raster.hit_op(
            position.x() * ratio, position.y() * ratio, scene.x, scene.y, scene.w, scene.h, v.scale, v.ox, v.oy,
            slop_px=3.0 * ratio,
        )  # fmt: skip

    def show_places(self, x: Floats, y: Floats) -> None:
        """Draw the cards here (scene units): on their way while a glide runs, else where they belong."""
        if self.scene is None:
            return
        self.scene.x, self.scene.y = x, y
        layout = self.scene.layout
        self.scene.settled = np.array_equal(x, layout.x) and np.array_equal(y, layout.y)
        self.repaint_scene()

    @property
    def header_width(self) -> float:
        """How wide the margin of the headers is, in logical pixels."""
        return float(HEADER_WIDTH) if self.view == "lanes" else self.row_header_width

    @property
    def row_header_width(self) -> float:
        """How wide the margin for names of rows is in the flow view, in logical pixels; 0 where rows carry none."""
        return 0.0

    def _header_px(self) -> int:
        return int(self.header_width * self.devicePixelRatioF())

    @property
    def legend_height(self) -> float:
        """How high the scale of a heat map is, with its margin, below the graph, in logical pixels; 0 where there is none."""
        return 0.0 if self.scene is None or self.scene.heat is None else HEIGHT + MARGIN

    def _leave_room(self) -> None:
        """Nothing is shown where headers or a scale cover it."""
        self.viewport.left = self._header_px()
        self.viewport.below = int(self.legend_height * self.devicePixelRatioF())

    def _legend_changed(self) -> None:
        """Make room for a scale, or take it back, unless someone chose what to look at."""
        self._leave_room()
        if self._moved_by_hand:
            self.repaint_scene()
        else:
            self.fit()

    def _layout_room(self) -> tuple[float, float]:
        """The room a layout should fill, in logical pixels."""
        return max(200.0, self.width() - self.header_width - 24.0), max(150.0, self.height() - 24.0)

    def _place_viewport(self) -> None:
        assert self.scene is not None
        ratio = self.devicePixelRatioF()
        self.viewport.resize(int(self.width() * ratio), int(self.height() * ratio))
        self._leave_room()
        self.viewport.largest = max(LARGEST_SCALE, 2 * self.scene.readable * ratio)
        self.viewport.fit(self.scene.layout.bounds, margin=8 * ratio, largest=self.scene.life_size * ratio)
        self._moved_by_hand = self._walking = False
        self._set_earlier(None)

    def _moved_viewport(self, walking: bool = False) -> None:
        """The viewport is another: by hand, or because ops were brought into sight (``walking``)."""
        self._moved_by_hand, self._walking = True, walking
        if self.scene is not None:
            self.viewport.keep_near(self.scene.layout.bounds)
        self.repaint_scene()
        self.viewport_changed.emit()

    def _center(self, x: float, y: float) -> None:
        v = self.viewport
        v.ox = (v.width + v.left) / 2 - x * v.scale
        v.oy = v.height / 2 - y * v.scale

    def _bounds_of(self, ops: Ints) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the cards of some ops, in scene units."""
        scene = self.scene
        assert scene is not None
        items = np.unique(scene.items.item_of[np.asarray(ops)])
        x, y = scene.layout.x[items], scene.layout.y[items]
        right, bottom = x + scene.w[items], y + scene.h[items]
        return float(x.min()), float(y.min()), float(right.max()), float(bottom.max())

    def _keep_place(self) -> None:
        """Keep where one looks, to go back to; places on a walk from op to op are not kept."""
        if not self._walking:
            v = self.viewport
            self._set_earlier(Place(v.scale, v.ox, v.oy, self._moved_by_hand))

    def _set_earlier(self, place: Place | None) -> None:
        if place != self.earlier:
            self.earlier = place
            self.earlier_changed.emit()
