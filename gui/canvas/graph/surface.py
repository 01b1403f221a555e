"""The pixels of the canvas widget: the painted scene, kept between frames, and what follows the pointer on top of it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.areas import without_area
from gui.canvas.graph.drops import Drops
from gui.canvas.graph.gestures.ghost import Ghost
from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents, paint_headers
from gui.canvas.graph.heat.legend import HEIGHT, MARGIN, paint_heat_legend
from gui.canvas.graph.kept_pixels import KeptPixels
from gui.canvas.graph.lanes.links import Links, plates
from gui.canvas.graph.naming.row_headers import is_covering, paint_row_headers
from gui.canvas.graph.overlay import (
    paint_attention,
    paint_band,
    paint_carried,
    paint_consequences,
    paint_veils,
)
from gui.canvas.graph.painter import paint_scene, wrap_image
from gui.canvas.graph.palette import packed
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.rules.rule_path import has_paths, paint_path_words, paint_rule_path
from gui.canvas.graph.stages.blocks import paint_plates
from gui.canvas.graph.strip import paint_strip, strip_top
from gui.look.numbers import plural
from gui.raster import engine as raster

NOTHING = np.empty(0, np.int32)
MOST_ATTENTION = 50
"""Larger selections are marked on their cards alone; the edges of so many would bury the picture."""
VERY_MANY = 10_000
"""More cards than these take some 5 ms to paint."""
DROP_WHERE = "Drop on another device's op or in the strip below"
"""Said beside ops that are dragged in the flow view, over no device."""


class Surface(KeptPixels):
    """Paints a view."""

    def __init__(self, view: PointedScene, drops: Drops) -> None:
        super().__init__(view)
        self._view, self._drops = view, drops
        self.carried: QPointF | None = None
        """Where the pointer is that drags a card (logical pixels)."""
        self.ghost: Ghost | None = None
        """The dragged card, where that is outside the canvas."""

    def carry(self, position: QPointF | None) -> None:
        """Draw the dragged card here, on the window where it is outside the canvas; None ends it."""
        self.carried = position
        if position is None or self._view.rect().contains(position.toPoint()):
            if self.ghost is not None:
                self.ghost.hide()
                self.ghost.deleteLater()
                self.ghost = None
        elif self._view.document.preview is not None:
            window = self._view.window()
            if self.ghost is None:
                self.ghost = Ghost(window, *self._dragged(), self._view.theme)
            self.ghost.follow(position + QPointF(self._view.mapTo(window, QPoint())))
        self._view.update()

    def _dragged(self) -> tuple[str, str, str]:
        """What stands on the dragged card, and the colour of the device that it comes from."""
        preview, problem, scene = self._view.document.preview, self._view.document.problem, self._view.scene
        assert preview is not None
        assert problem is not None
        assert scene is not None
        graph, ops = problem.graph, preview.ops
        accent = self._view.palette_now.devices[int(scene.device[scene.items.item_of[ops[0]]])].accent
        if len(ops) > 1:
            return plural(len(ops), "op"), "dragged together", accent
        return graph.op_names[int(ops[0])], graph.kinds[int(ops[0])], accent

    def _ghost_place(self) -> QRectF | None:
        """Where the dragged card is on the window, as seen from the view; None where the view draws it."""
        if self.ghost is None:
            return None
        corner = self._view.mapTo(self._view.window(), QPoint())
        return QRectF(self.ghost.geometry().translated(-corner))

    # ------------------------------------------------------------------ what crosses between the lanes
    @property
    def links(self) -> Links | None:
        """What crosses between the lanes; None where that is not shown."""
        scene = self._view.scene
        lanes = scene is not None and bool(scene.layout.lanes)
        return self.headers.links if lanes and self.headers is not None else None

    def link_rects(self) -> dict[int, QRectF]:
        """Where the plate of the bytes that enter a stage is drawn (logical pixels), by stage."""
        links, scene, ratio = self.links, self._view.scene, self._view.devicePixelRatioF()
        if links is None or scene is None:
            return {}
        boxes = plates(links, lane_extents(scene, self._view.viewport), HEADER_WIDTH * ratio, ratio)
        return {
            k: QRectF(box.x() / ratio, box.y() / ratio, box.width() / ratio, box.height() / ratio)
            for k, box in boxes.items()
        }

    def link_at(self, position: QPointF) -> int:
        """The stage whose entering bytes are written at a position (logical pixels), -1 for none."""
        if position.x() >= HEADER_WIDTH:
            return -1
        return next((k for k, box in self.link_rects().items() if box.contains(position)), -1)

    # ------------------------------------------------------------------ painting
    def paint(self) -> None:
        """Blit the painted scene onto the view, then what follows the pointer."""
        ratio = self._view.devicePixelRatioF()
        self.keep_base(ratio)
        painter = QPainter(self._view)
        painter.drawImage(0, 0, self._image)
        scene = self._view.scene
        if scene is None:
            return
        dragging = bool(self._drops.consequences) and self._view.document.preview is not None
        if dragging and scene.by_device:
            said = self._drops.consequences
            paint_veils(painter, scene, self._view.viewport, self._view.theme, said, ratio)
        attention, pointed = self._attention(), self._view.document.pointed
        if len(attention) or pointed is not None:
            if self.over_stale:
                preview = self._view.document.preview
                along = np.unique(scene.items.item_of[preview.along]) if preview is not None else NOTHING
                paint_attention(
                    self._over, scene, self._view.viewport, self._view.palette_now, attention, ratio, along
                )
                if pointed is not None:
                    paint_rule_path(
                        self._over, scene, self._view.viewport, self._view.palette_now, pointed, ratio
                    )
                self.over_stale = False
            painter.save()  # edges that stand out run beneath titles
            painter.setClipRect(QRectF(self._view.rect()).adjusted(self._titles_width(ratio), 0, 0, 0))
            painter.drawImage(0, 0, self._over_image)
            painter.restore()
            if scene.layout.stages is not None:
                painter.save()
                painter.scale(1 / ratio, 1 / ratio)
                self._paint_titles(painter, ratio)
                painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if dragging:
            self._paint_consequences(painter, ratio)
        else:
            self._paint_path_words(painter, ratio)
        if self.band is not None:
            paint_band(painter, self.band, self._view.theme)

    @property
    def patient(self) -> bool:
        """Whether there are very many cards."""
        scene = self._view.scene
        return scene is not None and len(scene.x) > VERY_MANY

    def paint_base(self, ratio: float) -> None:
        """The scene, with the headers of lanes and the plates of blocks."""
        if self._view.scene is None:
            raster.fill(self._buffer, None, packed(self._view.theme.canvas), replace=True)
            return
        image = wrap_image(self._buffer)
        paint_scene(self._buffer, self._view.scene, self._view.viewport, self._view.palette_now, ratio)
        painter = QPainter(image)
        self._paint_titles(painter, ratio)
        painter.end()

    def _paint_titles(self, painter: QPainter, ratio: float) -> None:
        """Headers of lanes, plates of blocks, or names of the rows of the flow view (device pixels)."""
        view = self._view
        scene, viewport, palette = view.scene, view.viewport, view.palette_now
        assert scene is not None
        paint_headers(painter, scene, viewport, palette, self.headers, ratio)
        paint_plates(painter, scene, viewport, palette, self.headers, ratio)
        if scene.view == "flow":
            paint_row_headers(painter, scene, viewport, palette, ratio, view.row_header_width * ratio)
        if scene.heat is not None:
            painter.save()
            painter.scale(ratio, ratio)
            top = view.height() - HEIGHT - MARGIN
            paint_heat_legend(painter, scene.heat, view.theme, view.header_width + MARGIN, top)
            painter.restore()

    def _titles_width(self, ratio: float) -> float:
        """How far headers of lanes, or names of rows that lie over the graph, reach from the left (logical pixels)."""
        scene, names = self._view.scene, self._view.row_header_width
        if scene is not None and scene.layout.lanes:
            return HEADER_WIDTH + 1
        covering = scene is not None and is_covering(scene, self._view.viewport, names * ratio)
        return names if covering and self._view.view == "flow" else 0.0

    def _attention(self) -> np.ndarray:
        """Items whose edges stand out: the dragged ones, else the hovered one, else a small selection."""
        scene, document = self._view.scene, self._view.document
        if scene is None:
            return NOTHING
        if document.preview is not None:
            return np.unique(scene.items.item_of[document.preview.ops])
        few = len(document.selection) <= MOST_ATTENTION and not has_paths(document.pointed)
        chosen = document.selection if few else NOTHING
        if 0 <= document.hover < scene.items.graph.n:
            chosen = np.append(chosen, document.hover)
        return np.unique(scene.items.item_of[chosen])

    def _paint_path_words(self, painter: QPainter, ratio: float) -> None:
        """What the paths of a broken rule are."""
        view, document = self._view, self._view.document
        if document.pointed is not None and document.problem is not None and view.scene is not None:
            titles = tuple(d.title for d in document.problem.devices)
            paint_path_words(painter, view.scene, view.viewport, document.pointed, titles, view.theme, ratio)

    def _paint_consequences(self, painter: QPainter, ratio: float) -> None:
        scene, preview, problem = self._view.scene, self._view.document.preview, self._view.document.problem
        assert scene is not None
        assert preview is not None
        assert problem is not None
        titles = tuple(d.title for d in problem.devices)
        palette, target = self._view.palette_now, preview.target
        bounds = QRectF(self._view.rect())
        if scene.by_device:
            paint_consequences(
                painter, scene, self._view.viewport, palette, self._drops.consequences, target, ratio
            )
        outside = self.ghost is not None
        if self.carried is not None and not outside and without_area(scene):
            width, height = self._view.width(), self._view.height()
            paint_strip(painter, width, height, titles, self._drops.consequences, target, palette)
            bounds.setBottom(strip_top(width, height, len(titles)))  # the card must not hide the chips
        self._paint_path_words(painter, ratio)
        if self.carried is None:
            return
        label, kind, accent = self._dragged()
        said = self._drops.consequences[target] if target >= 0 else None
        detail = DROP_WHERE if said is None and not outside and not scene.by_device else ""
        if said is not None and not said.legal and not said.stays:
            reasons = preview.reasons(target)
            detail = reasons[0] if reasons else said.reason
            if len(preview.along):
                detail = f"drop to take {len(preview.along):,} more along"
                if preview.along_change is not None:
                    detail = f"{detail}: {preview.along_change.whole}"
        paint_carried(
            painter, self.carried, "" if outside else label, kind, titles[target] if target >= 0 else "", said,
            accent, self._view.theme, bounds, detail, self._ghost_place(),
        )  # fmt: skip
