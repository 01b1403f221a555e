"""Bars: the gap between plan and bound, a share of a whole, and the parts of a cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.theme import DeviceColour, Theme, font, mix
from planner.model.graph import Bools, Floats

ACTIVATIONS = 0.5
"""How much of the colour of quiet words what activations need has."""
HATCH = QBrush(QColor(255, 255, 255, 130), Qt.BrushStyle.BDiagPattern)
"""Over a colour: what is beyond a limit, or more than before."""


@dataclass(frozen=True)
class Part:
    """One part of a stacked bar. ``hatched`` marks streaming, so that it does not depend on colour alone."""

    value: float
    colour: str
    hatched: bool = False


def cost_parts(
    receive: float, work: float, streaming: float, send: float, colour: DeviceColour, streamed: str
) -> list[Part]:
    """A device's cost in the order in which it is paid."""
    return [
        Part(receive, colour.soft), Part(work, colour.accent), Part(streaming, streamed, True), Part(send, colour.soft),
    ]  # fmt: skip


def paint_parts(
    painter: QPainter, rect: QRectF, parts: Sequence[Part], full: float, gap: float = 1.5
) -> None:
    """Paint ``parts`` from the left of ``rect``, whose width stands for ``full``; thin gaps part them."""
    if full <= 0 or not math.isfinite(full):
        return
    painter.setPen(Qt.PenStyle.NoPen)
    x = rect.left()
    for part in parts:
        width = rect.width() * part.value / full
        if width <= 0 or not math.isfinite(width):
            continue
        shown = QRectF(x, rect.top(), max(width - (gap if width > 2 * gap else 0.0), 0.6), rect.height())
        painter.setBrush(QColor(part.colour))
        radius = min(2.0, shown.width() / 2)
        painter.drawRoundedRect(shown, radius, radius)
        if part.hatched and shown.width() >= 3:
            painter.setBrush(HATCH)
            painter.drawRoundedRect(shown, radius, radius)
        x += width


def paint_track(painter: QPainter, rect: QRectF, theme: Theme, radius: float = 3.0) -> None:
    """The ground of a bar: what its whole width stands for."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.track))
    painter.drawRoundedRect(rect, radius, radius)


def paint_change_bar(
    painter: QPainter, rect: QRectF, share: float, colour: str, line: str, *, hatched: bool = False, unit: float = 1.0
) -> None:  # fmt: skip
    """A bar that leaves the middle of ``rect`` to the left for less and to the right for more.

    ``share`` (-1 to 1; NaN: nobody knows) is of half the width; ``hatched``, so that more does not depend on the side alone.
    ``unit`` is a pixel of the screen.
    """
    middle = rect.center().x()
    if math.isfinite(share) and share:
        wide = max(1.5 * unit, rect.width() / 2 * abs(share))
        bar = QRectF(middle if share > 0 else middle - wide, rect.top(), wide, rect.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(bar, 2 * unit, 2 * unit)
        if hatched and share > 0:
            painter.setBrush(HATCH)
            painter.drawRoundedRect(bar, 2 * unit, 2 * unit)
    painter.setPen(QPen(QColor(line), max(1.0, unit)))
    painter.drawLine(QPointF(middle, rect.top() - 3 * unit), QPointF(middle, rect.bottom() + 3 * unit))


def paint_load(
    painter: QPainter, rect: QRectF, used: float, budget: float, full: float, colour: DeviceColour, theme: Theme,
    after: float | None = None, pushed: float = 0.0, needs: float = 0.0,
) -> None:  # fmt: skip
    """``used`` of a cache of ``budget``, lying; the width of ``rect`` stands for ``full``.

    What exceeds the cache lies beyond the line at its end, hatched in a warning colour, as is what activations have ``pushed`` out
    of it; what these need lies before the line, pale. ``after`` outlines what a change would make of it.
    """
    if full <= 0 or not math.isfinite(full):
        return
    scale = rect.width() / full
    line = rect.left() + scale * budget
    paint_track(painter, QRectF(rect.left(), rect.top(), scale * budget, rect.height()), theme, 2)
    taken = min(needs, budget)
    if taken > 0:
        painter.setBrush(QColor(activations_colour(theme)))
        painter.drawRoundedRect(QRectF(line - scale * taken, rect.top(), scale * taken, rect.height()), 2, 2)
    painter.setBrush(QColor(colour.accent))
    stays = max(0.0, min(used, budget) - pushed)
    painter.drawRoundedRect(QRectF(rect.left(), rect.top(), scale * stays, rect.height()), 2, 2)
    if used > stays:
        beyond = QRectF(rect.left() + scale * stays, rect.top(), scale * (used - stays), rect.height())
        painter.fillRect(beyond, QColor(theme.warning))
        painter.fillRect(beyond, HATCH)
    if after is not None and after != used:
        low, high = sorted((used, after))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.text), 1.2, Qt.PenStyle.DotLine))
        painter.drawRect(
            QRectF(rect.left() + scale * low, rect.top() - 1, scale * (high - low), rect.height() + 2)
        )
    paint_line(painter, line, rect, theme)


SEEN = 1 / 250
"""Of a cache: what is less is thinner than a pixel of its bar."""


def activations_seen(used: Floats, budget: Floats, needs: Floats) -> Bools:
    """Whether what activations need of a cache is to be seen of each (float64[k] each in, bool[k] out): not where bars of what is ``used``,
    and what is hatched of them, are painted over it, and where there is no cache."""
    cached = np.isfinite(budget) & (budget > 0)
    free = np.where(cached, budget, 0.0) - used
    return cached & (np.minimum(needs, free) > np.where(cached, SEEN * budget, 0.0))


def activations_colour(theme: Theme) -> str:
    """That of what activations need of a cache."""
    return mix(theme.panel, theme.muted, ACTIVATIONS)


def paint_line(painter: QPainter, x: float, bar: QRectF, theme: Theme) -> None:
    """The line across a lying ``bar`` at which a cache ends."""
    painter.setPen(QPen(QColor(theme.text), 1.5))
    painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))


class StackedBar(QWidget):
    """One bar of parts, or of a single share when given one part."""

    def __init__(self, theme: Theme, height: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: Sequence[Part] = ()
        self._full = 1.0
        self._track = True
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def set_parts(self, parts: Sequence[Part], full: float) -> None:
        """Show ``parts``; the whole width stands for ``full``."""
        self._parts, self._full = parts, full
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Track, then parts."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self._track:
            paint_track(painter, rect, self._theme)
        paint_parts(painter, rect, self._parts, self._full)


class GapBar(QWidget):
    """From 0 to the plan's objective, with a mark where the bound stands: the rest is the gap.

    What is only claimed has a dotted mark, and no part of the bar. A plan that breaks rules may be below the bound, which is one
    of valid plans: the bar then ends at the larger of the two, and the bound is grey.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bound: float | None = None
        self._plan: float | None = None
        self._claimed: float | None = None
        self._valid = True
        self.setMinimumSize(90, 44)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Gap between plan and bound")

    def sizeHint(self) -> QSize:
        """Wide where there is room."""
        return QSize(240, 44)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def set_values(
        self, plan: float | None, bound: float | None, claimed: float | None = None, valid: bool = True
    ) -> None:
        """Objective of the plan, proven bound and what a file claims beyond it (None where there is none); ``valid``: it keeps all rules."""
        if (plan, bound, claimed, valid) != (self._plan, self._bound, self._claimed, self._valid):
            self._plan, self._bound, self._claimed, self._valid = plan, bound, claimed, valid
            self.update()

    def _marks(self, bar: QRectF) -> dict[str, float]:
        """Where plan, bound and claim stand, from left to right in pixels; those that are known."""
        values = {"bound": self._bound, "claimed": self._claimed, "plan": self._plan}
        known = {name: value for name, value in values.items() if value is not None and math.isfinite(value)}
        if known.get("plan", 0.0) <= 0:
            return {}
        # A valid plan is above every bound but for rounding.
        most = known["plan"] if self._valid else max(known["plan"], known.get("bound", 0.0))
        return {
            name: bar.left() + bar.width() * min(max(value / most, 0.0), 1.0) for name, value in known.items()
        }

    def paintEvent(self, event: QPaintEvent) -> None:
        """Bar, ticks and their words; words that would collide move apart."""
        if self._plan is None:
            return
        t = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(1, 9, self.width() - 8, 12)
        paint_track(painter, bar, t, 5)
        painter.setFont(font(7.5))
        words_y = int(bar.bottom()) + 5 + painter.fontMetrics().ascent()
        painter.setPen(QColor(t.muted))
        painter.drawText(QPointF(1, words_y), "0")
        zero_end = painter.fontMetrics().horizontalAdvance("0") + 6
        marks = self._marks(bar)
        if not marks:
            return
        painter.setFont(font(7.5, bold=True))
        proven = t.good if self._valid else t.muted
        if "bound" in marks:
            end = marks["bound"]
            if self._valid:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.good_soft))
                proven_part = QRectF(bar.left(), bar.top(), max(end - bar.left(), 2), bar.height())
                painter.drawRoundedRect(proven_part, 5, 5)
            painter.setPen(QPen(QColor(proven), 2))
            painter.drawLine(QPointF(end, bar.top() - 4), QPointF(end, bar.bottom() + 3))
        if "claimed" in marks:
            at = marks["claimed"] - 3
            painter.setPen(QPen(QColor(t.warning), 2, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(at, bar.top() - 5), QPointF(at, bar.bottom() + 4))
        painter.setPen(QPen(QColor(t.text), 2))
        painter.drawLine(QPointF(marks["plan"], bar.top() - 5), QPointF(marks["plan"], bar.bottom() + 4))
        self._paint_words(painter, marks, {"bound": proven, "plan": t.text}, zero_end, words_y)

    def _paint_words(
        self, painter: QPainter, marks: dict[str, float], colours: dict[str, str], left: float, y: int
    ) -> None:
        """What the marks are, each below its mark; from the right, so that the word of the last one is always there."""
        right = float(self.width() - 1)
        for name in sorted(colours.keys() & marks.keys(), key=lambda name: (-marks[name], name == "bound")):
            width = painter.fontMetrics().horizontalAdvance(name)
            x = min(max(marks[name] - width / 2, left), right - width)
            if x < left:
                continue
            painter.setPen(QColor(colours[name]))
            painter.drawText(QPointF(x, y), name)
            right = x - 6
