"""Two plans on one canvas: what stays in one colour, what moved split in both, and a fade from one plan to the other."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.animation import eased
from gui.canvas.graph.detail import detail_at
from gui.canvas.graph.headers import HeaderData, paint_headers
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import packed
from gui.canvas.graph.scene import STYLE, Scene
from gui.editors.comparison.canvases.linking import Laid, Linking
from gui.editors.comparison.canvases.overlay_fade import Fade
from gui.editors.comparison.canvases.pane import PlanPane
from gui.editors.comparison.canvases.pane_surface import PaneSurface
from gui.editors.comparison.state import CompareState
from gui.layout import Layout
from gui.look.theme import Theme
from gui.panels.comparison.pixels import paint_base, paint_names
from gui.panels.comparison.rows import row_devices, row_headers
from gui.panels.comparison.split import paint_split, paint_split_text
from gui.raster import engine as raster


def between(first: Layout, second: Layout, share: float) -> Layout:
    """A layout on the way from one to another: cards, bands and bounds; routes are those of the nearer end."""
    if share <= 0.0 or first is second:
        return first
    if share >= 1.0:
        return second

    def rect(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, float, float, float]:
        x, y, w, h = (p + (q - p) * share for p, q in zip(a, b, strict=True))
        return x, y, w, h

    lanes = tuple(
        replace(one, band=rect(one.band, other.band), header=rect(one.header, other.header))
        for one, other in zip(first.lanes, second.lanes, strict=True)
    )
    return replace(
        first, x=first.x + (second.x - first.x) * share, y=first.y + (second.y - first.y) * share,
        w=first.w + (second.w - first.w) * share, h=first.h + (second.h - first.h) * share, lanes=lanes,
        bounds=rect(first.bounds, second.bounds),
    )  # fmt: skip


def way(share: float) -> float:
    """How far cards have gone: while both plans show, they stand where A has them."""
    return 0.0 if share <= 0.5 else eased(2.0 * share - 1.0)


class OverlaySurface(PaneSurface):
    """Three layers that are kept: plan A, plan B, and the split cards of what moved."""

    def __init__(self, pane: OverlayPane) -> None:
        super().__init__(pane, pane.state)
        self._overlay = pane
        self.layers_stale = True
        self._layers = [raster.new_image(1, 1) for _ in range(3)]
        self._images: list[QImage] = [wrap_image(layer) for layer in self._layers]
        self.second_headers: HeaderData | None = None
        self._way = -1.0

    def stale(self) -> None:
        """The layers, too."""
        super().stale()
        self.layers_stale = True

    def fade(self) -> None:
        """Only the share is another one."""
        self.base_stale = self.over_stale = True

    def paint_base(self, ratio: float) -> None:
        """Blend the layers by the share."""
        pane, fade = self._overlay, self._overlay.fade
        if pane.scene is None or pane.second is None:
            raster.fill(self._buffer, None, packed(pane.theme.canvas), replace=True)
            return
        height, width = self._buffer.shape
        if self._layers[0].shape != self._buffer.shape:
            self._layers = [raster.new_image(width, height) for _ in range(3)]
            self._images = [wrap_image(layer) for layer in self._layers]
            self.layers_stale = True
        if self.layers_stale or self._way != pane.way:
            self._paint_layers(ratio)
            self._way, self.layers_stale = pane.way, False
        target = wrap_image(self._buffer)
        painter = QPainter(target)
        share = fade.share
        painter.drawImage(0, 0, self._images[0 if share < 1.0 else 1])
        if 0.0 < share < 1.0:
            painter.setOpacity(share)
            painter.drawImage(0, 0, self._images[1])
        both = 1.0 - abs(2.0 * share - 1.0)
        if both > 0.0:
            painter.setOpacity(both)
            painter.drawImage(0, 0, self._images[2])
            painter.setOpacity(1.0)
        if pane.scene.layout.lanes:
            top, headers = self.top(pane.scene)
            paint_headers(painter, top, pane.viewport, pane.palette_now, headers, ratio)
        painter.end()

    def top(self, scene: Scene) -> tuple[Scene, HeaderData | None]:
        """The plan that shows most."""
        second = self._overlay.second
        if second is None or self._overlay.fade.share <= 0.5:
            return scene, self.headers
        return second, self.second_headers

    def paint_over(self, painter: QPainter, pointed: np.ndarray, ratio: float) -> None:
        """Split cards carry no badges."""

    def _paint_layers(self, ratio: float) -> None:
        pane = self._overlay
        assert pane.scene is not None
        assert pane.second is not None
        palette, viewport = pane.palette_now, pane.viewport
        for layer, scene in zip(self._layers, (pane.scene, pane.second), strict=False):
            detail = paint_base(layer, scene, viewport, palette, ratio)
            image = wrap_image(layer)
            painter = QPainter(image)
            paint_names(painter, scene, viewport, palette, detail, ratio)
            painter.end()
        raster.fill(self._layers[2], None, 0, replace=True)
        detail = detail_at(STYLE.card_h * viewport.scale / ratio)
        paint_split(self._layers[2], pane.scene, pane.second, viewport, palette, self.marks, detail, ratio)
        image = wrap_image(self._layers[2])
        painter = QPainter(image)
        paint_split_text(painter, pane.scene, pane.second, viewport, palette, self.marks, detail, ratio)
        painter.end()


class OverlayPane(PlanPane):
    """The pair of plans that a state shows, on one canvas. ``fade`` says how much of each."""

    def __init__(
        self, state: CompareState, linking: Linking, theme: Theme, parent: QWidget | None = None
    ) -> None:
        self.fade = Fade()
        self.second: Scene | None = None
        self._ends: tuple[Layout, Layout] | None = None
        super().__init__(state, linking, state.shown[1], theme, parent)
        self.fade.setParent(self)
        self.fade.changed.connect(self._faded)

    def make_surface(self) -> PaneSurface:
        """Layers of both plans."""
        return OverlaySurface(self)

    @property
    def overlay_surface(self) -> OverlaySurface:
        """What paints both plans."""
        assert isinstance(self._surface, OverlaySurface)
        return self._surface

    @property
    def plans(self) -> tuple[int, ...]:
        """Plan A and plan B of the shown pair."""
        i, j = self.state.shown
        return (j, i)

    @property
    def way(self) -> float:
        """How far the cards have gone from A's places to B's."""
        still = self._ends is None or self._ends[0] is self._ends[1]
        return 0.0 if still else way(self.fade.share)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Jump from A to B."""
        super().set_reduced_motion(reduced)
        self.fade.reduced = reduced

    def take_layouts(self, laid: Laid, fit: bool, animate: bool) -> None:
        """Draw both plans."""
        i, j = self.state.shown
        self.index = j
        self._ends = (laid.layouts[j], laid.layouts[i])
        super().take_layouts(laid, fit, False)
        assert self.scene is not None
        self.second = self._other(laid, i)
        self.overlay_surface.second_headers = row_headers(laid.comparison, i) if self._ends[1].lanes else None
        self._mark()
        self._place()

    def _other(self, laid: Laid, plan: int) -> Scene:
        comparison, rows = laid.comparison, len(laid.comparison.rows)
        layout = laid.layouts[plan]
        device, mixed = laid.items.devices(comparison.places[plan], rows)
        evaluator = comparison.plans[plan].problem.evaluator
        assert self.scene is not None
        scene = copy.copy(self.scene)
        scene.__dict__.pop("flow", None)
        scene.__dict__.pop("item_work", None)
        scene.layout, scene.device, scene.mixed = layout, device, mixed
        scene.splits = laid.items.splits(comparison.places[plan], rows)
        scene.x, scene.y = layout.x.copy(), layout.y.copy()
        scene.devices, scene.size, scene.work = (
            row_devices(comparison, plan),
            evaluator.size,
            evaluator.op_work[0],
        )
        scene.prepare_edges()
        return scene

    def _mark(self) -> None:
        super()._mark()
        if self.second is not None and self.scene is not None:
            self.second.selected, self.second.highlighted = self.scene.selected, self.scene.highlighted

    def _selection_changed(self) -> None:
        super()._selection_changed()
        if self.second is not None and self.scene is not None:
            self.second.selected = self.scene.selected

    def _pair_changed(self) -> None:
        """Another pair: its layouts may not be there yet."""
        self.linking.relayout(animate=False)

    def _faded(self) -> None:
        self.overlay_surface.fade()
        self._place()
        self._describe()
        self.update()

    def _place(self) -> None:
        """Put the cards of both scenes where the share has them."""
        if self._ends is None or self.scene is None or self.second is None:
            return
        first, second = self._ends
        gone = self.way
        if first is second:
            return
        now = between(first, second, gone)
        for scene, own in ((self.scene, first), (self.second, second)):
            scene.layout, scene.x, scene.y = now, now.x, now.y
            scene.settled = now is own

    def _describe(self) -> None:
        super()._describe()
        comparison = self.state.comparison
        if comparison is not None and max(self.state.shown) < len(comparison.plans):
            a, b = (comparison.letter(plan) for plan in self.plans)
            self.setAccessibleName(f"Plans {a} and {b} on one canvas, {self.fade.share:.0%} {b}")

    def stop(self) -> None:
        """End the fade, too."""
        super().stop()
        self.fade.stop()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Blinking ends with the key that was held."""
        if event.key() == Qt.Key.Key_B and not event.isAutoRepeat():
            self.fade.let_go()
        super().keyReleaseEvent(event)
