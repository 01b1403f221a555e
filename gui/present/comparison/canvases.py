"""Plans of a keyframe beside one another, a canvas for each."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.detail import Detail
from gui.look.theme import Theme
from gui.panels.comparison.canvases import WHOLE, Canvas, canvases, named, names_told, paint_canvas
from gui.present.comparison.shot import ComparisonShot, Part, least_name
from gui.present.comparison.sizes import USUAL, Sizes, Told
from gui.present.scenes import Folded, folded_items
from gui.words.methods import shown_name
from planner.model.graph import Ints
from planner.reports.comparison import Comparison
from planner.story.keyframe import Camera


class CanvasesShot(ComparisonShot):
    """Every plan in ``layout`` (``flow`` or ``lanes``) through one camera; ``out`` are the ops that stand out; none: those that moved.

    ``sizes``: how many times as large as ``letters`` titles and graphs are."""

    def __init__(
        self, comparison: Comparison, room: tuple[float, float], letters: float, theme: Theme, layout: str,
        camera: Camera | None, out: Ints, folded: Folded = (), sizes: Sizes = USUAL,
    ) -> None:  # fmt: skip
        titles, graphs, least = sizes
        super().__init__(comparison, room, letters * titles, theme)
        self._layout = layout
        self._top = self.legend.height if layout == "flow" else 0.0
        items = folded_items(comparison.graph, folded, () if layout == "flow" else comparison.places)
        box = QRectF(0, self._top, self.size[0], self.size[1] - self._top)
        self._canvases = canvases(
            comparison,
            box,
            theme,
            layout,
            shares(camera),
            out,
            items=items,
            least=max(least, least_name(graphs)),
            fine=titles / graphs,
        )
        if not named(self._canvases):
            for canvas in self._canvases:
                canvas.picture.scene.nearest = Detail.BLOCKS

    @property
    def told(self) -> Told:
        """How many cards carry whole names, and how high their letters are (pixels of the graphs)."""
        return names_told(self._canvases)

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
    """What a camera sees as shares of what is laid out."""
    return WHOLE if camera is None else camera.seen
