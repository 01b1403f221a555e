"""Fast memory at the moment shown: its slots as a grid, the value in each, and what has just been read or written."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import packed
from gui.canvas.graph.tooltip import HoverCard
from gui.canvas.network.colours import ink_of, layer_colour
from gui.document.network.memory_history import History, Residents, history_of
from gui.look.numbers import plural
from gui.look.theme import Theme, mix
from gui.look.writing import CENTRE, LEFT, face, write
from gui.panels.network.playback.foot import (
    FOOT,
    KINDS,
    MARGIN,
    letters_on,
    paint_layers,
    paint_marks,
    tones,
)
from gui.panels.network.playback.grid import Grid, grid
from gui.panels.network.playback.labels import SlotLabels
from gui.raster import engine as raster
from gui.widgets.accessible import Contents, Item, Role
from planner.machines.two_level_memory.kernels import EVICT, READ, WRITE
from planner.model.network import Network

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument

HEAD = 24.0
FLASH_SECONDS = 0.35
_FRAME_MS = 33


class FastMemoryView(QWidget):
    """The M - 1 slots that hold values while the document's order, or the one compared with it, runs."""

    def __init__(
        self, document: OrderDocument, theme: Theme, which: str = "active", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document, self.theme, self.which = document, theme, which
        self.reduced = False
        self._moment = 0
        self._flash = np.zeros((len(KINDS), 0))
        """When each slot was last read into, written from, freed (seconds of the clock): float64[3, slots]."""
        self._history: History | None = None
        self._labels: SlotLabels | None = None
        self._buffer = raster.new_image(1, 1)
        self._image: QImage = wrap_image(self._buffer)
        self._placed = Grid(0, (0.0, 0.0, 1.0, 1.0), 1, 1.0, 1.0)
        self._fading = QTimer(self)
        self._fading.setInterval(_FRAME_MS)
        self._fading.timeout.connect(self._fade)
        self._card = HoverCard(self)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Fast memory")
        document.model_changed.connect(self._reset)
        document.trace_changed.connect(self._reset)
        document.selection_changed.connect(self.update)
        document.hover_changed.connect(self.update)
        document.position_changed.connect(self._moved)
        self._reset()

    def sizeHint(self) -> QSize:
        """A hundred slots read well."""
        return QSize(260, 240)

    def minimumSizeHint(self) -> QSize:
        """A few can still be told apart."""
        return QSize(150, 110)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Mark what happens at the last connection, and fade nothing."""
        self.reduced = reduced
        self._reset()

    # ------------------------------------------------------------------ what is shown
    @property
    def history(self) -> History | None:
        """What happens along the order; None until it is known."""
        document, problem = self.document, self.document.problem
        if self.which == "active":
            order, trace = document.order, document.trace
        else:
            compared = document.compared
            order, trace = (document.order if compared is None else compared.order), document.compared_trace
        if problem is None or trace is None:
            self._history = None
        else:
            self._history = history_of(problem.network, order, trace, problem.evaluator.slots)
        return self._history

    def _reset(self) -> None:
        problem = self.document.problem
        slots = 0 if problem is None else problem.evaluator.slots
        self._flash = np.full((len(KINDS), slots), -math.inf)
        self._moment = self.document.position
        self._fading.stop()
        self._card.hide()
        self._describe()
        self.update()

    def _moved(self) -> None:
        history, moment = self.history, self.document.position
        if history is not None:
            before = min(self._moment, moment) if moment > self._moment else moment - 1
            self._note_events(history, max(0, before), moment)
        self._moment = moment
        self.update()

    def _note_events(self, history: History, before: int, moment: int) -> None:
        """Remember what happened between two moments: of each slot the last of each kind."""
        if self.reduced:
            self._flash[:] = -math.inf
            before = max(0, moment - 1)
        trace, events = history.trace, history.events(before, moment)
        # More than a few per slot cannot be seen one by one.
        events = slice(max(events.start, events.stop - 4 * max(1, history.slots)), events.stop)
        self._flash[trace.kind[events], trace.slot[events]] = time.perf_counter()
        if events.stop > events.start and not self.reduced and self.isVisible():
            self._fading.start()

    def _fade(self) -> None:
        if time.perf_counter() - self._flash.max(initial=-math.inf) > FLASH_SECONDS:
            self._fading.stop()
            self._describe()
        self.update()

    def _describe(self) -> None:
        """What a screen reader says, once things are at rest."""
        history = self.history
        if history is None:
            self.setAccessibleDescription("")
            return
        residents = history.residents(self.document.position)
        self.setAccessibleDescription(f"{self._title(history, residents)}; {self._reason(history)}")

    @staticmethod
    def _title(history: History, residents: Residents) -> str:
        dirty = int(np.count_nonzero(residents.dirty))
        return f"{len(residents.slot):,} of {plural(history.slots, 'slot')}, {dirty:,} unwritten"

    @staticmethod
    def _reason(history: History) -> str:
        """Why there is a slot less than fast memory holds values."""
        return f"1 of {history.slots + 1:,} values is the weight of the connection"

    @cached_property
    def told(self) -> Contents:
        """The slots that hold a value, for assistive technology."""
        return Contents(self, Role.Graphic, self._slots_in_use, self._slot)

    def _slots_in_use(self) -> list[int]:
        history = self.history
        if history is None:
            return []
        slots: list[int] = history.residents(self.document.position).slot.tolist()
        return slots

    def _slot(self, key: Hashable) -> Item | None:
        history = self.history
        if history is None or not isinstance(key, int):
            return None
        residents = history.residents(self.document.position)
        here = np.flatnonzero(residents.slot == key)
        if not len(here):
            return None
        i = int(here[0])
        neuron = int(residents.neuron[i])
        words = _slot_words(key, int(residents.since[i]), bool(residents.dirty[i]))
        return Item(
            ", ".join([history.network.neuron_name(neuron), *words]), self.cell(key),
            selected=neuron == self.document.selection, act=lambda: self.document.select(neuron),
        )  # fmt: skip

    def _labelled(self, labels: SlotLabels) -> bool:
        place = self._grid
        return labels.size(place.slots, place.width - place.gap, place.height - place.gap) > 0.0

    def _labels_of(self, network: Network) -> SlotLabels:
        if self._labels is None or self._labels.network is not network:
            self._labels = SlotLabels(network)
        return self._labels

    # ------------------------------------------------------------------ places
    def cell(self, slot: int) -> QRectF:
        """Where a slot is (logical pixels)."""
        return self._grid.cell(slot)

    @property
    def _grid(self) -> Grid:
        problem = self.document.problem
        slots = 1 if problem is None else problem.evaluator.slots
        room = (MARGIN, HEAD, self.width() - 2 * MARGIN, self.height() - HEAD - 2 * FOOT - 4.0)
        if (self._placed.slots, self._placed.room) != (slots, room):
            self._placed = grid(slots, room)
        return self._placed

    def slot_at(self, at: QPoint) -> int:
        """The slot at a place; -1 for none."""
        return -1 if self.document.problem is None else self._grid.slot_at(at.x(), at.y())

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """Slots, values, and what has just happened."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        history = self.history
        if history is None:
            return
        residents = history.residents(self.document.position)
        line = QRectF(MARGIN, 2, self.width() - 2 * MARGIN, HEAD - 4)
        title, reason = self._title(history, residents), self._reason(history)
        whole = f"{title}; {reason}"
        fits = QFontMetricsF(face(8.5)).horizontalAdvance(whole) <= line.width()
        write(painter, line, LEFT, whole if fits else title, face(8.5), self.theme.muted)
        self._paint_cells(painter, history, residents)
        labels = self._labels_of(history.network)
        paint_marks(painter, self.theme, self.width(), self.height() - 2 * FOOT)
        paint_layers(painter, self.theme, self.width(), self.height() - FOOT, labels, self._labelled(labels))

    def _paint_cells(self, painter: QPainter, history: History, residents: Residents) -> None:
        ratio, ink = self.devicePixelRatioF(), ink_of(self.theme)
        size = (max(1, int(self.height() * ratio)), max(1, int(self.width() * ratio)))
        if self._buffer.shape != size:
            self._buffer = raster.new_image(size[1], size[0])
            self._image = wrap_image(self._buffer)
            self._image.setDevicePixelRatio(ratio)
        raster.fill(self._buffer, None, packed(self.theme.panel), replace=True)
        slots = history.slots
        w, h, gap = self._grid.width, self._grid.height, self._grid.gap
        x, y = self._grid.corners()
        fill = np.full(slots, packed(mix(self.theme.panel, self.theme.track, 0.7)), np.uint32)
        shades = np.array(
            [packed(layer_colour(i, self.theme)) for i in range(history.network.depth + 1)], np.uint32
        )
        fill[residents.slot] = shades[history.network.layer[residents.neuron]]
        ring, rings = self._rings(slots)
        raster.rounded_rects(
            self._buffer, None, x, y, np.full(slots, w - gap), np.full(slots, h - gap), ratio, 0.0, 0.0,
            fill=fill, stroke=ring, stroke_px=np.where(rings > 0, min(3.0, h / 4) * ratio, 0.0),
            radius_px=min(3.0, h / 5) * ratio,
        )  # fmt: skip
        dirty = residents.slot[residents.dirty]
        if len(dirty):
            # A bar along the bottom, so that it does not depend on colour alone.
            thick = max(min(h * 0.2, 5.0), 1.0)
            raster.rounded_rects(
                self._buffer, None, x[dirty], y[dirty] + h - gap - thick, np.full(len(dirty), w - gap),
                np.full(len(dirty), thick), ratio, 0.0, 0.0, fill=packed(ink.dirty), radius_px=0.0,
            )  # fmt: skip
        painter.drawImage(QRectF(0, HEAD, self.width(), self.height() - HEAD), self._image,
                          QRectF(0, HEAD * ratio, size[1], size[0] - HEAD * ratio))  # fmt: skip
        self._paint_values(painter, history, residents, w - gap, h - gap)

    def _rings(self, slots: int) -> tuple[np.ndarray, np.ndarray]:
        """The colour of each slot's ring, fading out, and how strong it is (0..1)."""
        now = time.perf_counter()
        strength = np.clip(1.0 - (now - self._flash) / FLASH_SECONDS, 0.0, 1.0)
        if self.reduced:
            strength = np.isfinite(self._flash) * 1.0
        colours = np.zeros(slots, np.uint32)
        strongest = strength.max(axis=0, initial=0.0)
        for kind in (EVICT, WRITE, READ):  # what was read last is what is there
            here = (strength[kind] > 0) & (strength[kind] >= strongest)
            alpha = (strength[kind] * 255).astype(np.uint32) << np.uint32(24)
            tone = np.uint32(packed(tones(self.theme)[kind]) & 0xFFFFFF)
            colours = np.where(here, alpha | tone, colours)
        return colours, strongest

    def _paint_values(
        self, painter: QPainter, history: History, residents: Residents, w: float, h: float
    ) -> None:
        """The numbers of the neurons, where they can be read, and the one that is looked at."""
        labels, layer = self._labels_of(history.network), history.network.layer
        size = labels.size(history.slots, w, h)
        if size:
            painter.setFont(face(size))
            inks = [QColor(letters_on(layer_colour(i, self.theme))) for i in range(history.network.depth + 1)]
            for slot, neuron in zip(residents.slot.tolist(), residents.neuron.tolist(), strict=True):
                painter.setPen(inks[layer[neuron]])
                box = self.cell(slot)
                label = labels.of(neuron)
                if labels.fits(label, size, w):
                    painter.drawText(QRectF(box.x(), box.y(), w, h - 2), CENTRE, label)
        for looked_at in {self.document.selection, self.document.hover} - {-1}:
            for slot in residents.slot[residents.neuron == looked_at].tolist():
                box = self.cell(slot)
                painter.setPen(QPen(QColor(self.theme.focus), 2.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(box.x() - 1, box.y() - 1, w + 2, h + 2), 3, 3)

    # ------------------------------------------------------------------ pointing
    def resizeEvent(self, event: QResizeEvent) -> None:
        """The card may not fit any more."""
        self._card.hide()

    def _value_at(self, at: QPoint) -> tuple[int, int, bool]:
        """Neuron at a place (-1: none), since when, and whether it is dirty."""
        slot, history = self.slot_at(at), self.history
        if slot < 0 or history is None:
            return -1, 0, False
        residents = history.residents(self.document.position)
        here = np.flatnonzero(residents.slot == slot)
        if not len(here):
            return -1, 0, False
        i = int(here[0])
        return int(residents.neuron[i]), int(residents.since[i]), bool(residents.dirty[i])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what a slot holds."""
        at = event.position().toPoint()
        neuron, since, dirty = self._value_at(at)
        self.document.set_hover(neuron)
        if neuron < 0:
            self._card.hide()
            return
        network = self.document.open_problem.network
        slot, state = _slot_words(self.slot_at(at), since, dirty)
        words = f"<b>{network.neuron_name(neuron).capitalize()}</b><br>{slot}<br>{state}"
        self._card.show_at(at, words, self.theme)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the neuron."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.document.select(self._value_at(event.position().toPoint())[0])

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self._card.hide()
        self.document.set_hover(-1)


def _slot_words(slot: int, since: int, dirty: bool) -> tuple[str, str]:
    """Which slot holds a value since when, and whether slow memory has it, too."""
    state = "unwritten: its value has changed" if dirty else "as in slow memory"
    return f"slot {slot + 1:,}, since connection {since + 1:,}", state
