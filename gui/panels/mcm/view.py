"""The package as a widget: pointing explains, a click selects a chip's ops, arrows walk from chip to chip."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.look.theme import Theme
from gui.panels.mcm.layout import PackageLayout, package_layout
from gui.panels.mcm.legend import LEGEND, paint_legend
from gui.panels.mcm.painter import Marks, paint_package
from gui.panels.mcm.state import Package
from gui.panels.mcm.words import KEYS, chip_html, chip_spoken, link_html
from gui.widgets.accessible import Contents, Item, Role

MARGIN = 8.0
ABOVE = 8.0
"""Room above the first row, for the arcs of a broken rule."""


class PackageView(QWidget):
    """Shows one :class:`Package`.

    ``chosen(chip, mode)`` when a chip is clicked, or Enter is pressed on it (mode replace or add); ``move_requested(chip)``
    and ``menu_requested(chip, place)`` as on a device's card. ``card`` belongs to a parent of the widget.
    """

    chosen = Signal(int, str)
    move_requested = Signal(int)
    menu_requested = Signal(int, QPoint)

    own_keys = (Qt.Key.Key_M,)

    def __init__(self, theme: Theme, card: HoverCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.package = Package()
        self.marks = Marks()
        self._card = card
        self._cursor = -1
        self._layout: PackageLayout | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Chips of the package")

    def sizeHint(self) -> QSize:
        """36 chips read well."""
        return QSize(420, 250)

    def minimumSizeHint(self) -> QSize:
        """Numbers can still be read."""
        return QSize(180, 110)

    # ------------------------------------------------------------------ contents
    def show_package(self, package: Package, shown: int) -> None:
        """Show another state; ``shown`` is the chip whose memory is looked at, -1 for none."""
        if len(package.chips) != len(self.package.chips):
            self._layout = None
            self._cursor = min(self._cursor, len(package.chips) - 1)
        self.package, self.marks.shown = package, shown
        self._describe()
        self.told.say_changes()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    @property
    def arrangement(self) -> PackageLayout:
        """Where the chips are."""
        if self._layout is None:
            room = QRectF(self.rect()).adjusted(MARGIN, ABOVE, -MARGIN, -LEGEND - 4)
            self._layout = package_layout(len(self.package.chips), room)
        return self._layout

    @cached_property
    def told(self) -> Contents:
        """The chips, for assistive technology."""
        return Contents(
            self, Role.List, lambda: range(len(self.package.chips)), self._chip, self._chip_of_keyboard
        )

    def _chip(self, key: Hashable) -> Item | None:
        if not isinstance(key, int) or key >= len(self.package.chips):
            return None
        return Item(
            chip_spoken(self.package, key), self.arrangement.boxes[key], selected=self.package.chips[key].selected,
            act=lambda: self.chosen.emit(key, "replace"), does="Select its ops",
        )  # fmt: skip

    def _chip_of_keyboard(self) -> int | None:
        return self._cursor if 0 <= self._cursor < len(self.package.chips) else None

    def _describe(self) -> None:
        """What a screen reader says: the chip under the keyboard, else what the keys do."""
        if 0 <= self._cursor < len(self.package.chips):
            self.setAccessibleDescription(chip_spoken(self.package, self._cursor))
            self.told.say_current()
        else:
            self.setAccessibleDescription(KEYS)

    # ------------------------------------------------------------------ painting
    def resizeEvent(self, event: QEvent) -> None:
        """The chips are arranged anew."""
        self._layout = None
        self._card.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Everything; it is little."""
        if not self.package.chips:
            return
        painter = QPainter(self)
        self.marks.cursor = self._cursor if self.hasFocus() else -1
        paint_package(painter, self.arrangement, self.package, self.theme, self.marks)
        below = QRectF(MARGIN, self.height() - LEGEND - 1, self.width() - 2 * MARGIN, LEGEND)
        paint_legend(painter, below, self.package, self.theme, self.arrangement)

    # ------------------------------------------------------------------ the mouse
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the pointer."""
        self._point(event.position())

    def _point(self, at: QPointF) -> None:
        chip = self.arrangement.chip_at(at.x(), at.y())
        link = -1 if chip >= 0 else self.arrangement.link_at(at.x(), at.y())
        if chip != self.marks.hovered:
            self.marks.hovered = chip
            self.setCursor(Qt.CursorShape.PointingHandCursor if chip >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()
        if chip >= 0:
            self._show_card(at, chip_html(self.package, chip))
        elif link >= 0:
            self._show_card(at, link_html(self.package, link))
        else:
            self._card.hide()

    def _show_card(self, at: QPointF, html: str) -> None:
        host = self._card.parentWidget()
        assert host is not None
        self._card.show_at(self.mapTo(host, at.toPoint()), html, self.theme)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self.marks.hovered = -1
        self._card.hide()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose a chip; with Ctrl or Shift add its ops. The ground chooses nothing."""
        if event.button() != Qt.MouseButton.LeftButton or not self.rect().contains(
            event.position().toPoint()
        ):
            return
        chip = self.arrangement.chip_at(event.position().x(), event.position().y())
        adding = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        if chip >= 0 or not adding:
            self._cursor = chip if chip >= 0 else self._cursor
            self._describe()
            self.chosen.emit(chip, "add" if adding else "replace")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the chip under the pointer, or under the keyboard."""
        chip = self.arrangement.chip_at(event.pos().x(), event.pos().y())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            chip = self._cursor
        if chip >= 0:
            self._card.hide()
            self.menu_requested.emit(chip, event.globalPos())

    # ------------------------------------------------------------------ keys
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :data:`KEYS`."""
        keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Left: lambda: self._walk(-1, 0),
            Qt.Key.Key_Right: lambda: self._walk(1, 0),
            Qt.Key.Key_Up: lambda: self._walk(0, -1),
            Qt.Key.Key_Down: lambda: self._walk(0, 1),
            Qt.Key.Key_Home: lambda: self._go(0),
            Qt.Key.Key_End: lambda: self._go(len(self.package.chips) - 1),
            Qt.Key.Key_Return: self._choose,
            Qt.Key.Key_Enter: self._choose,
            Qt.Key.Key_Space: self._choose,
            Qt.Key.Key_M: lambda: self.move_requested.emit(self._cursor),
            Qt.Key.Key_Escape: self._card.hide,
        }
        run = keys.get(event.key())
        if run is None or not self.package.chips or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
        else:
            run()

    def _walk(self, dx: int, dy: int) -> None:
        self._go(0 if self._cursor < 0 else self.arrangement.beside(self._cursor, dx, dy))

    def _go(self, chip: int) -> None:
        self._cursor = chip
        self._describe()
        box = self.arrangement.boxes[chip]
        self._show_card(QPointF(box.center().x(), box.bottom() - 8), chip_html(self.package, chip))
        self.update()

    def _choose(self) -> None:
        if self._cursor >= 0:
            self._card.hide()
            self.chosen.emit(self._cursor, "replace")

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The walk begins where the ops are that are looked at."""
        if self._cursor < 0 and self.package.chips:
            self._cursor = max(self.marks.shown, 0)
            self._describe()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The cursor is marked while the keyboard is here."""
        self._card.hide()
        super().focusOutEvent(event)
