"""A small picture of the whole graph with the visible part framed; press or drag to go there."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.overview import paint_ground
from gui.canvas.graph.painter import paint_bands, paint_cards, wrap_image
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.view import CanvasView
from gui.canvas.graph.viewport import Viewport
from gui.raster import engine as raster

WIDTH, HEIGHT = 168, 108
MARGIN = 10


class Minimap(QWidget):
    """Lies in a corner of the canvas and shows itself only while part of the graph is out of sight.

    While ops are dragged it makes room for what is said about their drop.
    """

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self._view = view
        self._map = Viewport()
        self._stale = True
        self._painted_with: CanvasPalette | None = None
        self._buffer = raster.new_image(1, 1)
        self.setObjectName("minimap")
        self.setFixedSize(WIDTH, HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Overview of the graph")
        view.scene_changed.connect(self._changed)
        view.viewport_changed.connect(self._moved)
        view.document.decision_changed.connect(self._changed)
        view.colouring_changed.connect(self._changed)
        view.document.preview_changed.connect(self._moved)
        view.lying_over.append(self)
        self.hide()

    def sizeHint(self) -> QSize:
        """Fixed."""
        return QSize(WIDTH, HEIGHT)

    def _changed(self, *_: object) -> None:
        self._stale = True
        self._moved()

    def _moved(self) -> None:
        scene = self._view.scene
        if scene is None:
            self.hide()
            return
        hidden = not self._view.viewport.shows(scene.layout.bounds)
        dragged = self._view.document.preview is not None
        self.setVisible(hidden and not dragged and self._view.width() > 3 * WIDTH)
        self.move(self._view.width() - WIDTH - MARGIN, self._view.height() - HEIGHT - MARGIN)
        self.update()

    def _fit_map(self, scene: Scene) -> None:
        ratio = self.devicePixelRatioF()
        self._map.resize(int(WIDTH * ratio), int(HEIGHT * ratio))
        self._map.fit(scene.layout.bounds, margin=5 * ratio)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The map, repainted only when the scene changed, and the frame."""
        scene = self._view.scene
        if scene is None:
            return
        ratio = self.devicePixelRatioF()
        palette = self._view.palette_now
        size = (int(HEIGHT * ratio), int(WIDTH * ratio))
        if self._stale or self._buffer.shape != size or self._painted_with is not palette:
            self._stale, self._painted_with = False, palette
            self._buffer = raster.new_image(size[1], size[0])
            self._fit_map(scene)
            raster.fill(self._buffer, None, packed(palette.theme.panel), replace=True)
            paint_bands(self._buffer, scene, self._map, palette, ratio)
            if scene.detail(self._map.scale / ratio) == Detail.OVERVIEW:
                paint_ground(self._buffer, scene, self._map, palette, ratio)
            else:
                paint_cards(self._buffer, scene, self._map, palette, Detail.BLOCKS, ratio)
        image = wrap_image(self._buffer)
        image.setDevicePixelRatio(ratio)
        painter = QPainter(self)
        painter.drawImage(0, 0, image)
        x, y, w, h = self._view.viewport.visible()
        x0, y0 = self._map.to_pixels(x, y)
        frame = QRectF(x0 / ratio, y0 / ratio, w * self._map.scale / ratio, h * self._map.scale / ratio)
        painter.setPen(QPen(QColor(palette.theme.accent), 1.5))
        painter.drawRect(frame.intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1)))
        painter.setPen(QPen(QColor(palette.theme.border), 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, position: QPointF) -> None:
        if self._view.scene is None:
            return
        ratio = self.devicePixelRatioF()
        self._fit_map(self._view.scene)
        self._view.center_on(*self._map.to_scene(position.x() * ratio, position.y() * ratio))
