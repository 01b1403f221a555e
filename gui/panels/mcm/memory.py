"""The memory of one chip while it runs, as a widget: pointing names the op of a step, a click selects it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from html import escape

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.look.theme import DeviceColour, Theme
from gui.panels.mcm.memory_painter import ChipMemory, paint_chip_memory, plot_of
from gui.panels.mcm.words import table
from gui.widgets.accessible import Contents, Item, Role
from planner.model.graph import Ints
from planner.quantity import bytes_text


class MemoryView(QWidget):
    """A step per op. ``op_chosen(op, mode)`` when a step is clicked, or Enter is pressed on it."""

    op_chosen = Signal(int, str)

    def __init__(self, theme: Theme, card: HoverCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.memory: ChipMemory | None = None
        self._colour: DeviceColour | None = None
        self._card = card
        self._hovered = self._cursor = -1
        self._marked = np.zeros(0, bool)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Memory of a chip while it runs")

    def sizeHint(self) -> QSize:
        """Room for a low chart."""
        return QSize(300, 110)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(150, 70)

    def show_memory(self, memory: ChipMemory | None, colour: DeviceColour | None, selection: Ints) -> None:
        """Show another chip, in its colour; the steps of selected ops are marked."""
        self.memory, self._colour = memory, colour
        steps = 0 if memory is None else len(memory.ops)
        self._cursor, self._hovered = min(self._cursor, steps - 1), -1
        self._marked = np.zeros(0, bool) if memory is None else np.isin(memory.ops, selection)
        self._describe()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    # ------------------------------------------------------------------ geometry
    @property
    def plot(self) -> QRectF:
        """Where the steps are drawn."""
        return plot_of(QRectF(self.rect()))

    def step_at(self, x: float, y: float) -> int:
        """The step at a place, -1 for none."""
        memory, plot = self.memory, self.plot
        if memory is None or not len(memory.ops) or not plot.contains(x, y):
            return -1
        return min(int((x - plot.left()) / plot.width() * len(memory.ops)), len(memory.ops) - 1)

    def step_rect(self, step: int) -> QRectF:
        """The column of a step."""
        assert self.memory is not None
        plot, wide = self.plot, self.plot.width() / len(self.memory.ops)
        return QRectF(plot.left() + step * wide, plot.top(), wide, plot.height())

    # ------------------------------------------------------------------ words
    @cached_property
    def told(self) -> Contents:
        """The steps, for assistive technology."""
        return Contents(self, Role.Chart, self._steps, self._step, self._step_of_keyboard)

    def _steps(self) -> Sequence[int]:
        return range(0 if self.memory is None else len(self.memory.ops))

    def _step(self, key: Hashable) -> Item | None:
        memory = self.memory
        if memory is None or not isinstance(key, int) or key >= len(memory.ops):
            return None
        op, said = int(memory.ops[key]), [f"{name} {value}" for name, value in self.step_rows(key)]
        return Item(
            memory.names[key], self.step_rect(key), description=", ".join(said), selected=bool(self._marked[key]),
            act=lambda: self.op_chosen.emit(op, "replace"), does="Select the op",
        )  # fmt: skip

    def _step_of_keyboard(self) -> int | None:
        return self._cursor if 0 <= self._cursor < len(self._steps()) else None

    def step_rows(self, step: int) -> list[tuple[str, str]]:
        """What is held while an op runs."""
        memory = self.memory
        assert memory is not None
        live = float(memory.live[step])
        total = memory.parameters + live
        rows = [
            ("step", f"{step + 1} of {len(memory.ops)}"), ("activations", bytes_text(live)),
            ("parameters", bytes_text(memory.parameters)), ("together", bytes_text(total)),
        ]  # fmt: skip
        if math.isfinite(memory.sram):
            over = total > memory.sram * (1 + 1e-9)
            rows.append(("too much" if over else "free", bytes_text(abs(memory.sram - total))))
        return rows

    def _describe(self) -> None:
        memory = self.memory
        if memory is None or memory.peak < 0:
            self.setAccessibleDescription("Nothing runs here.")
        elif 0 <= self._cursor < len(memory.ops):
            said = [f"{name} {value}" for name, value in self.step_rows(self._cursor)]
            self.setAccessibleDescription(", ".join([memory.names[self._cursor], *said]))
            self.told.say_current()
        else:
            self.setAccessibleDescription(
                f"{memory.title}: most while {memory.names[memory.peak]} runs, {bytes_text(memory.most)}."
                " Left and right walk from op to op, Enter selects it."
            )

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """Heading, steps, the SRAM line, and what stands out."""
        memory, colour, t = self.memory, self._colour, self.theme
        if memory is None or colour is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_chip_memory(painter, QRectF(self.rect()), memory, colour, t, self._marked)
        for step, pen in (
            (self._hovered, QPen(QColor(t.text), 1)),
            (self._cursor if self.hasFocus() else -1, QPen(QColor(t.text), 1.5, Qt.PenStyle.DotLine)),
        ):
            if 0 <= step < len(memory.ops):
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(self.step_rect(step))

    # ------------------------------------------------------------------ the mouse and the keyboard
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Name the op under the pointer."""
        step = self.step_at(event.position().x(), event.position().y())
        if step != self._hovered:
            self._hovered = step
            self.setCursor(Qt.CursorShape.PointingHandCursor if step >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()
        if step >= 0:
            self._show_card(step, event.position())
        else:
            self._card.hide()

    def _show_card(self, step: int, at: QPointF) -> None:
        host, memory = self._card.parentWidget(), self.memory
        assert host is not None
        assert memory is not None
        html = f"<b>{escape(memory.names[step])}</b>{table(self.step_rows(step))}"
        self._card.show_at(self.mapTo(host, at.toPoint()), html, self.theme)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self._hovered = -1
        self._card.hide()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the op of the step."""
        step = self.step_at(event.position().x(), event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and step >= 0:
            adding = event.modifiers() & (
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            )
            self._cursor = step
            self._choose("add" if adding else "replace")

    def _choose(self, mode: str = "replace") -> None:
        if self.memory is not None and 0 <= self._cursor < len(self.memory.ops):
            self.op_chosen.emit(int(self.memory.ops[self._cursor]), mode)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right walk, Home and End jump, Enter selects."""
        steps = 0 if self.memory is None else len(self.memory.ops)
        keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Left: lambda: self._go(max(self._cursor - 1, 0)),
            Qt.Key.Key_Right: lambda: self._go(min(self._cursor + 1, steps - 1)),
            Qt.Key.Key_Home: lambda: self._go(0),
            Qt.Key.Key_End: lambda: self._go(steps - 1),
            Qt.Key.Key_Return: self._choose,
            Qt.Key.Key_Enter: self._choose,
            Qt.Key.Key_Space: self._choose,
            Qt.Key.Key_Escape: self._card.hide,
        }
        run = keys.get(event.key())
        if run is None or not steps or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
        else:
            run()

    def _go(self, step: int) -> None:
        self._cursor = step
        self._describe()
        column = self.step_rect(step)
        self._show_card(step, QPointF(column.right(), column.top() + 8))
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The walk begins at the peak."""
        if self._cursor < 0 and self.memory is not None:
            self._cursor = self.memory.peak
            self._describe()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The cursor is marked while the keyboard is here."""
        self._card.hide()
        super().focusOutEvent(event)
