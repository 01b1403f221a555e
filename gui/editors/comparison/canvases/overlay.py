"""The pane of two plans on one canvas, and a fade from one plan to the other."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.palette import packed
from gui.canvas.graph.scene import Scene
from gui.editors.comparison.canvases.linking import Laid, Linking
from gui.editors.comparison.canvases.overlay_fade import Fade
from gui.editors.comparison.canvases.pane import PlanPane
from gui.editors.comparison.canvases.pane_surface import PaneSurface
from gui.editors.comparison.state import CompareState
from gui.look.numbers import percent
from gui.look.theme import Theme
from gui.panels.comparison.overlay import Layers, Overlaid
from gui.panels.comparison.rows import row_headers, scene_of_plan
from gui.raster import engine as raster


class OverlaySurface(PaneSurface):
    """Three layers that are kept: plan A, plan B, and the split cards of what moved."""

    def __init__(self, pane: OverlayPane) -> None:
        super().__init__(pane, pane.state)
        self._overlay = pane
        self.layers = Layers()

    def stale(self) -> None:
        """The layers, too."""
        super().stale()
        self.layers.stale = True

    def fade(self) -> None:
        """Only the share is another one."""
        self.base_stale = self.over_stale = True

    def paint_base(self, ratio: float) -> None:
        """Blend the layers by the share."""
        pane = self._overlay
        if pane.over is None:
            raster.fill(self._buffer, None, packed(pane.theme.canvas), replace=True)
            return
        share = pane.fade.share
        self.layers.paint(self._buffer, pane.over, self.marks, pane.viewport, pane.palette_now, share, ratio)

    def top(self, scene: Scene) -> tuple[Scene, HeaderData | None]:
        """The plan that shows most."""
        over = self._overlay.over
        return (scene, self.headers) if over is None else over.top(self._overlay.fade.share)

    def paint_over(self, painter: QPainter, pointed: np.ndarray, ratio: float) -> None:
        """Split cards carry no badges."""


class OverlayPane(PlanPane):
    """The pair of plans that a state shows, on one canvas. ``fade`` says how much of each; ``laid_out()`` after others were laid out, or
    colours are others."""

    laid_out = Signal()

    def __init__(
        self, state: CompareState, linking: Linking, theme: Theme, parent: QWidget | None = None
    ) -> None:
        self.fade = Fade()
        self.over: Overlaid | None = None
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

    def set_reduced_motion(self, reduced: bool) -> None:
        """Jump from A to B."""
        super().set_reduced_motion(reduced)
        self.fade.reduced = reduced

    def take_layouts(self, laid: Laid, fit: bool, animate: bool) -> None:
        """Draw both plans."""
        i, j = self.state.shown
        self.index = j
        self.over = None
        super().take_layouts(laid, fit, False)
        assert self.scene is not None
        headers = row_headers(laid.comparison, i) if laid.layouts[i].lanes else None
        other = scene_of_plan(
            laid.comparison, i, laid.items, laid.skeleton, laid.layouts[i], laid.view, edges=laid.edges[i]
        )
        ends = (laid.layouts[j], laid.layouts[i])
        letters = (laid.comparison.letter(j), laid.comparison.letter(i))
        self.over = Overlaid(self.scene, other, ends, (self._surface.headers, headers), letters)
        self._mark()
        self._place()
        self.laid_out.emit()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        super().set_theme(theme)
        self.laid_out.emit()

    def _mark(self) -> None:
        super()._mark()
        if self.over is not None:
            first, second = self.over.first, self.over.second
            second.selected, second.highlighted = first.selected, first.highlighted

    def _selection_changed(self) -> None:
        super()._selection_changed()
        if self.over is not None:
            self.over.second.selected = self.over.first.selected
            self.over.second.partly, self.over.second.chosen = self.over.first.partly, self.over.first.chosen

    def _pair_changed(self) -> None:
        """Another pair: its layouts may not be there yet."""
        self.linking.relayout(animate=False)

    def _faded(self) -> None:
        self.overlay_surface.fade()
        self._place()
        self._describe()
        self.update()

    def _place(self) -> None:
        """Put cards and edges where the share has them."""
        if self.over is not None:
            self.over.place(self.fade.share)

    def _describe(self) -> None:
        super()._describe()
        comparison = self.state.comparison
        if comparison is not None and max(self.state.shown) < len(comparison.plans):
            a, b = (comparison.letter(plan) for plan in self.plans)
            self.setAccessibleName(f"Plans {a} and {b} on one canvas, {percent(self.fade.share, 0)} {b}")

    def stop(self) -> None:
        """End the fade, too."""
        super().stop()
        self.fade.stop()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Blinking ends with the key that was held."""
        if event.key() == Qt.Key.Key_B and not event.isAutoRepeat():
            self.fade.let_go()
        super().keyReleaseEvent(event)
