"""Plans of a keyframe beside one another, a canvas for each."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.theme import Theme
from gui.panels.comparison.canvases import WHOLE, Canvas, canvases, names_told, paint_canvas
from gui.present.comparison.shot import ComparisonShot, Part
from gui.present.scenes import Folded, folded_items
from gui.words.methods import shown_name
from planner.model.graph import Ints
from planner.reports.comparison import Comparison
from planner.story.keyframe import Camera

Usual = tuple[float, float, float]
"""Width and height of the room (logical pixels) and the size of letters, 1 at 1280 x 800, where nobody asked for larger ones."""
SIZES = (1.35, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7)
"""How many times as large as usual canvases may be written where names would have no room in larger letters."""


class CanvasesShot(ComparisonShot):
    """Every plan in ``layout`` (``flow`` or ``lanes``) through one camera; ``out`` are the ops that stand out; none: those that moved."""

    def __init__(
        self, comparison: Comparison, room: tuple[float, float], letters: float, theme: Theme, layout: str,
        camera: Camera | None, out: Ints, folded: Folded = (), usual: Usual | None = None,
    ) -> None:  # fmt: skip
        super().__init__(comparison, room, letters, theme)
        self._layout, self._out, self._seen = layout, out, shares(camera)
        self._top = self.legend.height if layout == "flow" else 0.0
        places = () if layout == "flow" else comparison.places
        self._items = folded_items(comparison.graph, folded, places)
        grown = 1.0 if usual is None else letters / usual[2]
        self.names_grown = grown  # as titles are, or less where names would be left out or cut
        if usual is None or grown <= 1.0:
            self._canvases = self._laid_out(1.0)
            return
        before = CanvasesShot(comparison, usual[:2], usual[2], theme, layout, camera, out, folded)
        wanted, most = names_told(before._canvases), (-1, -1)
        for tried in (grown, *(size for size in SIZES if size < grown)):
            laid = self._laid_out(grown / tried, wanted[1])
            told = names_told(laid)
            if told > most:
                self._canvases, self.names_grown, most = laid, tried, told
            if told >= wanted and told[1] >= wanted[1]:
                self._canvases, self.names_grown = laid, tried
                break

    def _laid_out(self, fine: float, least: float = 0.0) -> list[Canvas]:
        """The canvases, graphs in ``fine`` pixels for each of those of titles; ``least`` of them are letters on cards high where these have
        room for such."""
        box = QRectF(0, self._top, self.size[0], self.size[1] - self._top)
        return canvases(
            self.comparison, box, self.theme, self._layout, self._seen, self._out,
            items=self._items, least=least, fine=fine,
        )  # fmt: skip

    def parts(self) -> list[Part]:
        """A part for each plan, below the devices where no lanes say which is which."""
        parts = [self.part(canvas.box, self._painting(canvas)) for canvas in self._canvases]
        return [*([self.devices(0.0)] if self._top else []), *parts]

    def _painting(self, canvas: Canvas) -> Callable[[QPainter, QRectF], None]:
        def draw(painter: QPainter, box: QRectF) -> None:
            painter.translate(-canvas.box.topLeft())
            paint_canvas(painter, canvas, True)
            painter.translate(canvas.box.topLeft())
            painter.setPen(QPen(QColor(self.theme.border), 1))
            painter.drawLine(box.topRight(), box.bottomRight())

        return draw

    def words(self) -> str:
        """How many plans, and how they are drawn."""
        names = [shown_name(self.comparison.figures(i).name) for i in range(len(self.comparison.plans))]
        how = "by device" if self._layout == "lanes" else "in the order of the flow"
        return f"{self.comparison.graph.name} in plans {', '.join(names)}, beside one another, {how}"


def shares(camera: Camera | None) -> tuple[float, float, float, float]:
    """A camera as shares of what is laid out."""
    return WHOLE if camera is None else (camera.x, camera.y, camera.width, camera.height)
