"""A keyframe of a sparse network: its connections in the colours of their time, and fast memory at a moment of the order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.painter import wrap_image
from gui.canvas.network.colours import ink_of
from gui.canvas.network.layout import first_use
from gui.canvas.network.legend import HEIGHT, paint_legend
from gui.canvas.network.lens import Lens, Shown
from gui.canvas.network.links import USUAL_LINKS, LinksPicture
from gui.canvas.network.matrix import MatrixPicture
from gui.document.network.memory_history import Counters, History, history_of
from gui.look.theme import Theme
from gui.present.scenes import View
from gui.raster import engine as raster
from planner.machines.two_level_memory.problem import OrderPlan
from planner.story.keyframe import Camera

GROWN = 1.5
"""Words are so much larger than in a window: they are read from afar."""
MARGIN = 14.0
FOOT = 4.0
"""Room below the legend, in pixels of the picture."""


@dataclass(frozen=True, eq=False)
class NetworkStage:
    """An order as it is drawn in a room of ``size`` (logical pixels, ``grown`` times larger than the picture's own)."""

    plan: OrderPlan
    picture: MatrixPicture | LinksPicture
    history: History
    size: tuple[float, float]
    grown: float

    @property
    def length(self) -> int:
        """Connections of the order."""
        return self.history.length

    def moment(self, at: int | None) -> int:
        """The moment of a keyframe: how many connections are done."""
        return min(max(at or 0, 0), self.length)

    def counters(self, moment: int) -> Counters:
        """I/Os so far."""
        return self.history.counters(moment)

    def seen(self, camera: Camera | None, room: tuple[float, float], unit: float) -> View:
        """How the camera's part of the picture fills ``room`` (logical pixels of the frame, from the stage's corner)."""
        pad = MARGIN * unit
        free = max(1.0, room[0] - 2 * pad), max(1.0, room[1] - 2 * pad - HEIGHT * self.grown)
        w, h = self.size[0] / self.grown, self.size[1] / self.grown
        x, y, part = w / 2, h / 2, (w, h)
        if camera is not None:
            left, top, across, down = camera.seen
            x, y, part = (left + across / 2) * w, (top + down / 2) * h, (across * w, down * h)
        scale = min(free[0] / part[0], free[1] / part[1])
        return View(scale, pad + free[0] / 2 - x * scale, pad + free[1] / 2 - y * scale)

    def lens(self, view: View, width: int, height: int, ratio: float) -> Lens:
        """The view on ``width`` x ``height`` device pixels, ``ratio`` of them for one of the frame's."""
        return Lens(
            width, height, view.scale * ratio, view.ox * ratio, view.oy * ratio, ratio=self.grown * ratio
        )

    def paint(
        self, buffer: np.ndarray, view: View, ratio: float, moment: int, marked: tuple[int, ...]
    ) -> None:
        """Ground, connections, neurons and words; ``marked`` neurons are ringed."""
        height, width = buffer.shape
        lens = self.lens(view, width, height, ratio)
        self.picture.paint(buffer, lens, moment)
        self.picture.paint_states(buffer, lens, self.history.residents(moment))
        image = wrap_image(buffer)
        painter = QPainter(image)
        painter.scale(lens.ratio, lens.ratio)
        self._paint_words(painter, lens, moment, marked)
        painter.end()

    def paint_vectors(
        self, painter: QPainter, view: View, room: tuple[float, float], moment: int, marked: tuple[int, ...]
    ) -> None:
        """The same for a file (logical pixels of the stage): links as vectors, of many connections a picture."""
        ratio = 1.0 if isinstance(self.picture, LinksPicture) else 2.0
        size = (round(room[0] * ratio), round(room[1] * ratio))
        lens = self.lens(view, *size, ratio)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self.grown, self.grown)
        if isinstance(self.picture, LinksPicture):
            self.picture.paint_vectors(painter, lens, moment)
            self.picture.paint_dots(painter, lens, self.history.residents(moment))
        else:
            buffer = raster.new_image(*size)
            self.picture.paint(buffer, lens, moment)
            self.picture.paint_states(buffer, lens, self.history.residents(moment))
            # A copy: files are written after this buffer is gone.
            image = wrap_image(buffer).copy()
            image.setDevicePixelRatio(lens.ratio)
            painter.drawImage(0, 0, image)
        self._paint_words(painter, lens, moment, marked)
        painter.restore()

    def _paint_words(self, painter: QPainter, lens: Lens, moment: int, marked: tuple[int, ...]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self.picture.shown
        self.picture.paint_words(painter, lens)
        for neuron in marked:
            self.picture.paint_neuron(painter, lens, neuron, True)
        if 0 < moment < self.length:
            colour = shown.ink.at(moment - 1, self.length)
            self.picture.paint_connection(painter, lens, int(shown.order[moment - 1]), colour)
        width, height = lens.width / lens.ratio, lens.height / lens.ratio
        line = QRectF(0, height - HEIGHT - FOOT, width, HEIGHT + FOOT)
        painter.fillRect(line, QColor(shown.ink.theme.canvas))  # what a camera looks at may go on below it
        # A panel may lie on what is right of the picture.
        place = QRectF(MARGIN / GROWN, line.top(), min(width, self.size[0] / self.grown), HEIGHT)
        paint_legend(painter, place, shown.ink.theme)


class Networks:
    """The stages of a story's orders, each laid out once for the same room (logical pixels of the frame)."""

    def __init__(self, room: tuple[float, float], unit: float, theme: Theme) -> None:
        self._room, self._unit, self._theme = room, unit, theme
        self._stages: dict[int, NetworkStage] = {}

    def stage(self, plan: OrderPlan) -> NetworkStage:
        """How the order is drawn."""
        if id(plan) not in self._stages:
            network, order = plan.problem.network, plan.decision.order
            when = np.empty(len(order), np.int32)
            when[order] = np.arange(len(order), dtype=np.int32)
            shown = Shown(network, order, when, first_use(network, order), True, ink_of(self._theme))
            grown, pad = GROWN * self._unit, 2 * MARGIN * self._unit
            size = (max(60.0, self._room[0] - pad), max(60.0, self._room[1] - pad - HEIGHT * grown))
            kind = LinksPicture if network.connection_count <= USUAL_LINKS else MatrixPicture
            picture = kind(shown, (size[0] / grown, size[1] / grown))
            problem = plan.problem
            history = history_of(network, order, problem.evaluator.trace(order), problem.evaluator.slots)
            self._stages[id(plan)] = NetworkStage(plan, picture, history, size, grown)
        return self._stages[id(plan)]


def marked_neurons(plan: OrderPlan, highlight: tuple[str, ...]) -> tuple[int, ...]:
    """The neurons that stand out; words that are no neuron's number are left out."""
    count = plan.problem.network.neuron_count
    return tuple(int(word) for word in highlight if word.isdecimal() and int(word) < count)
