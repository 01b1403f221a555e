"""The picture of a network's order as a widget: it follows the document, pans, zooms, explains and selects."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.tooltip import HoverCard
from gui.canvas.network.colours import ink_of
from gui.canvas.network.layout import first_use
from gui.canvas.network.lens import NOTHING, Lens, Shown
from gui.canvas.network.links import USUAL_LINKS, LinksPicture
from gui.canvas.network.matrix import MatrixPicture
from gui.canvas.network.pointer import KEYS, Pointer
from gui.canvas.network.told import PictureTold
from gui.canvas.network.words import spoken
from gui.document.network.memory_history import History, Residents, history_of
from gui.look.theme import Theme
from gui.look.writing import CENTRE, face
from gui.raster import engine as raster
from gui.widgets.accessible import Contents, Role
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from planner.machines.two_level_memory.trace import Trace

VIEWS = ("links", "matrix")
NOBODY = Residents(NOTHING, NOTHING, NOTHING, np.empty(0, bool))


class PictureView(QWidget):
    """One order of the document: the active one, or the one compared with it.

    ``view_changed`` when another view is chosen, or the size of another network chose it.
    """

    view_changed = Signal()

    def __init__(
        self, document: OrderDocument, theme: Theme, which: str = "active", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        if which not in ("active", "compared"):
            raise ValueError(f"there is no order '{which}'; choose active or compared")
        self.document, self.theme, self.which = document, theme, which
        self.lens = Lens()
        self.picture: MatrixPicture | LinksPicture | None = None
        self.sorted = True
        self._view = ""
        self._wanted_view = ""
        self._shown: Shown | None = None
        self._history: History | None = None
        self._base = raster.new_image(1, 1)
        self._frame = raster.new_image(1, 1)
        self._image: QImage = wrap_image(self._frame)
        self._painted = -1
        """The moment that the base shows; -1 where it must be painted anew."""
        self.card = HoverCard(self)
        self._pointer = Pointer(self)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        title = "Network by layers" if which == "active" else "Network by layers, compared order"
        self.setAccessibleName(title)
        self.setAccessibleDescription(KEYS)
        document.model_changed.connect(self._network_changed)
        (document.decision_changed if which == "active" else document.compared_changed).connect(self._forget)
        for signal in (document.trace_changed, document.position_changed, document.hover_changed):
            signal.connect(self.update)
        document.selection_changed.connect(self._selection_changed)
        self._network_changed()

    def sizeHint(self) -> QSize:
        """Large: it is what is looked at."""
        return QSize(900, 520)

    def minimumSizeHint(self) -> QSize:
        """Structure can still be seen."""
        return QSize(220, 140)

    @cached_property
    def told(self) -> Contents:
        """What is on screen, for assistive technology."""
        told = PictureTold(self)
        return Contents(self, Role.Canvas, told.keys, told.item, told.current)

    # ------------------------------------------------------------------ what is shown
    @property
    def order(self) -> Ints:
        """The order drawn; empty where there is none."""
        compared = self.document.compared
        if self.which == "active":
            return self.document.order
        return self.document.order[:0] if compared is None else compared.order

    @property
    def trace(self) -> Trace | None:
        """What happens along it, once known."""
        return self.document.trace if self.which == "active" else self.document.compared_trace

    @property
    def history(self) -> History | None:
        """The same, prepared for looking at moments."""
        trace, problem = self.trace, self.document.problem
        if trace is None or problem is None:
            self._history = None
        else:
            self._history = history_of(problem.network, self.order, trace, problem.evaluator.slots)
        return self._history

    @property
    def view(self) -> str:
        """``links`` or ``matrix``."""
        return self._view

    def set_view(self, view: str) -> None:
        """Draw links or matrices, also of the networks opened later. Raises ValueError for anything else."""
        if view not in VIEWS:
            raise ValueError(f"there is no view '{view}'; choose {' or '.join(VIEWS)}")
        self._wanted_view = view
        if view != self._view:
            self._view = view
            self._forget()
            self.fit()
            self.view_changed.emit()

    def set_sorted(self, by_first_use: bool) -> None:
        """Let neurons stand by first use within their layers, or by number."""
        if by_first_use != self.sorted:
            self.sorted = by_first_use
            self._forget()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self._forget()

    def _network_changed(self) -> None:
        network = self.document.network
        if network is not None:
            suits = VIEWS[0] if network.connection_count <= USUAL_LINKS else VIEWS[1]
            self._view = self._wanted_view or suits
            self.view_changed.emit()
        self.lens.whole()
        self._forget()

    def _forget(self) -> None:
        """Something of what is drawn changed; it is laid out anew when it is painted."""
        self._shown = None
        self._painted = -1
        self.card.hide()
        self.update()

    def _selection_changed(self) -> None:
        if not self.isVisible():
            return  # a hidden picture is not laid out; it says what is selected when it is shown
        shown, chosen = self.prepare(), self.document.selection
        if shown is not None and chosen >= 0:
            self.setAccessibleDescription(spoken(shown, self.trace, chosen))
        else:
            self.setAccessibleDescription(KEYS)
        self.told.say_current()
        self.update()

    def prepare(self) -> Shown | None:
        """The order laid out for the widget as it is; None where nothing is open."""
        network, order = self.document.network, self.order
        if network is None or len(order) != network.connection_count:
            self._shown = self.picture = None
            return None
        if self._shown is None:
            when = np.empty(len(order), np.int32)
            when[order] = np.arange(len(order), dtype=np.int32)
            self._shown = Shown(
                network, order, when, first_use(network, order), self.sorted, ink_of(self.theme)
            )
            kind = LinksPicture if self._view == VIEWS[0] else MatrixPicture
            self.picture = kind(self._shown, self._room())
            self._painted = -1
        return self._shown

    def _room(self) -> tuple[float, float]:
        return max(float(self.width()), 40.0), max(float(self.height()), 40.0)

    # ------------------------------------------------------------------ painting
    def resizeEvent(self, event: QResizeEvent) -> None:
        """All of the network fills another size; a part that is looked at stays where it is."""
        ratio = self.devicePixelRatioF()
        was_whole = self.lens.is_whole
        self.lens.resize(int(self.width() * ratio), int(self.height() * ratio))
        self.lens.ratio = ratio
        if was_whole:
            self.lens.whole()
            if self.picture is not None:
                self.picture.resize(self._room())
        self._painted = -1
        self.card.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The connections up to the moment, the neurons in fast memory, then what is selected or pointed at."""
        painter = QPainter(self)
        shown = self.prepare()
        if shown is None or self.picture is None:
            painter.fillRect(self.rect(), QColor(self.theme.canvas))
            return
        moment = min(max(self.document.position, 0), len(shown.order))
        self._paint_base(moment)
        np.copyto(self._frame, self._base)
        if self.document.selection >= 0 and isinstance(self.picture, LinksPicture):
            self.picture.recede(self._frame)
        history = self.history
        residents = history.residents(moment) if history is not None else NOBODY
        self.picture.paint_states(self._frame, self.lens, residents)
        painter.drawImage(0, 0, self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.picture.paint_words(painter, self.lens)
        for neuron, strong in ((self.document.hover, False), (self.document.selection, True)):
            if 0 <= neuron < shown.network.neuron_count and (strong or neuron != self.document.selection):
                self.picture.paint_neuron(painter, self.lens, neuron, strong)
        if 0 < moment < len(shown.order):
            colour = shown.ink.at(moment - 1, len(shown.order))
            self.picture.paint_connection(painter, self.lens, int(shown.order[moment - 1]), colour)
        self._paint_note(painter, self.picture.note())
        if self.hasFocus():
            painter.setPen(QPen(QColor(self.theme.focus), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_base(self, moment: int) -> None:
        ratio = self.devicePixelRatioF()
        size = (max(1, int(self.height() * ratio)), max(1, int(self.width() * ratio)))
        if self._base.shape != size:
            self._base, self._frame = raster.new_image(size[1], size[0]), raster.new_image(size[1], size[0])
            self._image = wrap_image(self._frame)
            self._image.setDevicePixelRatio(ratio)
            self._painted = -1
        assert self.picture is not None
        if self._painted < 0:
            self.picture.paint(self._base, self.lens, moment)
        elif self._painted != moment:
            self.picture.advance(self._base, self.lens, self._painted, moment)
        self._painted = moment

    def _paint_note(self, painter: QPainter, note: str) -> None:
        """What is not drawn, at the bottom."""
        if not note:
            return
        shown = QFontMetricsF(face(8.5)).elidedText(note, Qt.TextElideMode.ElideRight, self.width() - 24)
        wide = QFontMetricsF(face(8.5)).horizontalAdvance(shown) + 16
        rect = QRectF((self.width() - wide) / 2, self.height() - 26, wide, 20)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.setBrush(QColor(self.theme.panel))
        painter.drawRoundedRect(rect, 5, 5)
        painter.setFont(face(8.5))
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(rect, CENTRE, shown)

    # ------------------------------------------------------------------ zooming and panning
    def fit(self) -> None:
        """Show the whole network."""
        self.lens.whole()
        if self.picture is not None:
            self.picture.resize(self._room())
        self._moved()

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a place of the widget, its middle by default."""
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self.lens.zoom(factor, at.x() * self.lens.ratio, at.y() * self.lens.ratio)
        self._moved()

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the picture by logical pixels."""
        self.lens.pan(dx * self.lens.ratio, dy * self.lens.ratio)
        self._moved()

    def _moved(self) -> None:
        if self.picture is not None:
            self.lens.keep_near(self.picture.layout.bounds)
        self._painted = -1
        self.card.hide()
        self.update()

    def reveal(self, neuron: int) -> None:
        """Bring a neuron into sight."""
        if self.prepare() is None or self.picture is None:
            return
        px, py = self.lens.to_pixels(*self.picture.place_of(neuron))
        margin = 30.0 * self.lens.ratio
        dx = max(margin - px, 0.0) + min(self.lens.width - margin - px, 0.0)
        dy = max(margin - py, 0.0) + min(self.lens.height - margin - py, 0.0)
        if not self.lens.is_whole and (dx or dy):
            self.pan_by(dx / self.lens.ratio, dy / self.lens.ratio)

    # ------------------------------------------------------------------ events
    def showEvent(self, event: QShowEvent) -> None:
        """What was selected meanwhile is described."""
        super().showEvent(event)
        self._selection_changed()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom or pan."""
        self._pointer.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click or a drag begins."""
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or say what is under the pointer."""
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or select."""
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Look nearer at a place; on the ground show everything."""
        self._pointer.double_click(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self.card.hide()
        self.document.set_hover(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :data:`gui.canvas.network.pointer.KEYS`."""
        if not self._pointer.key_press(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The focus is seen."""
        super().focusInEvent(event)
        self.told.say_current()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """And seen to go."""
        self.card.hide()
        super().focusOutEvent(event)
