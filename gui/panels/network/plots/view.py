"""The memory plot drawn with pyqtgraph. Imported when the plot is first seen, as pyqtgraph is slow to import."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget

from gui.look.axes import style_axes
from gui.look.theme import Theme, font
from gui.panels.network.plots.axis import CountAxis, SizeAxis
from gui.panels.network.plots.sampling import Curves
from gui.panels.network.plots.words import CALLED, policy_colour
from planner.machines.two_level_memory.target import LEAST, POLICIES, TwoLevelMemory

LABEL_ROOM = 22.0
"""Pixels that a label takes above or below its line."""
BELOW = 2
"""Labels below the lower bound, where no curve is: that of the bound, and below it the memory."""
BOTH = ("best order: ", "best: ", "")
Line = tuple[float, str]
"""A bound and its formula."""


class PlotView(QObject):
    """``widget`` shows curves of up to two orders; sizes are drawn by their logarithm.

    ``pointed(size)`` follows the pointer, -1 where it is beside the plot; ``chosen(size)`` is a click.
    """

    pointed = Signal(float)
    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.curves: Curves | None = None
        self._items: dict[str, Any] = {}
        self._extent = (0.0, 1.0)
        """The least and the most that the lines reach."""
        self._present = 0.0
        """Where the size of the present memory stands."""
        self._labels: dict[str, tuple[tuple[str, ...], str]] = {}
        """Of the lines that have labels: what they are called with ever less room, and formula and value."""
        axes = {"left": CountAxis("left"), "bottom": SizeAxis("bottom")}
        self.widget = pg.PlotWidget(parent, background=None, axisItems=axes)
        self.widget.setAccessibleName("I/Os against the size of fast memory")
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item = self.widget.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.getViewBox().setMouseEnabled(False, False)
        item.layout.setContentsMargins(4, 4, 14, 2)
        for which in ("1", "0"):
            for policy in POLICIES:
                self._items[f"{policy} {which}"] = item.plot([], [])
        for name, angle in (("least", 0), ("most", 0), ("present", 90), ("cursor", 90)):
            self._items[name] = pg.InfiniteLine(angle=angle)
            item.addItem(self._items[name])
        for name, anchor in (
            ("least label", (0, 0)),
            ("most label", (1, 1)),
            ("present label", (0.5, 0)),
        ):
            label = pg.TextItem("", anchor=anchor, fill=pg.mkBrush(self.theme.panel))
            label.setZValue(2)
            item.addItem(label)
            self._items[name] = label
        self._items["point"] = pg.ScatterPlotItem(size=9)
        item.addItem(self._items["point"])
        item.getViewBox().sigResized.connect(self._keep_room)
        scene = self.widget.scene()
        scene.sigMouseMoved.connect(self._pointed)
        scene.sigMouseClicked.connect(self._clicked)
        self._paint()

    def _paint(self) -> None:
        t = self.theme
        style_axes(self.widget, t, 48)
        dotted = Qt.PenStyle.DotLine
        for name, colour, width, style in (
            ("least", t.good, 1.6, Qt.PenStyle.SolidLine),
            ("most", t.muted, 1.2, Qt.PenStyle.DashLine),
            ("present", t.text, 1.2, Qt.PenStyle.SolidLine),
            ("cursor", t.muted, 1.0, dotted),
        ):
            self._items[name].setPen(pg.mkPen(colour, width=width, style=style))
        for name, colour in (("least label", t.good), ("most label", t.muted), ("present label", t.text)):
            label = self._items[name]
            label.setColor(QColor(colour))
            label.setFont(font(8.0, weight=QFont.Weight.Bold))
            # Words over curves stay legible, and the curves are seen to go on.
            ground = QColor(t.panel)
            ground.setAlpha(205)
            label.fill = pg.mkBrush(ground)

    def draw(
        self,
        curves: Curves | None,
        component: str,
        target: TwoLevelMemory,
        value: float,
        lines: tuple[Line, Line],
    ) -> None:
        """Draw curves (None while there are none), the present memory with its ``value``, and the two bounds."""
        self.curves = curves
        (least, least_words), (most, most_words) = lines
        values = None if curves is None else curves.values(component)
        for which in range(2):
            for policy, name in enumerate(POLICIES):
                item = self._items[f"{name} {which}"]
                if curves is None or values is None or which >= len(values):
                    item.setData([], [])
                    continue
                item.setData(np.log10(curves.memory), values[which, policy].astype(float))
                width = 2.4 if policy == target.policy_code else 1.3
                style = Qt.PenStyle.DashLine if which else Qt.PenStyle.SolidLine
                item.setPen(pg.mkPen(policy_colour(policy, self.theme), width=width, style=style))
        sizes = np.array([LEAST, target.size]) if curves is None else curves.memory
        left, right = math.log10(LEAST), math.log10(max(10, int(sizes[-1]), target.size))
        high = max(float(most), float(least) if values is None else float(values.max()))
        plot = self.widget.getPlotItem()
        # Where all curves are flat a few percent are seen, not digits that the axis cannot tell apart.
        high = max(high, 1.02 * least, least + 1.0)
        plot.setXRange(left, right, padding=0.02)
        self._extent, self._present = (least, high), math.log10(target.size)
        self._keep_room()
        end = right + 0.02 * (right - left)
        begin = left - 0.02 * (right - left)
        for name, bound, words, x in (
            ("least", least, least_words, begin), ("most", most, most_words, end)
        ):  # fmt: skip
            self._items[name].setPos(bound)
            self._labels[name] = CALLED[name], f"{words} = {int(bound):,}"
            self._items[f"{name} label"].setPos(x, bound)
        if most <= least:
            self._labels["least"] = BOTH, f"{least_words} = {most_words} = {int(least):,}"
        self._name_lines()
        for name in ("most", "most label"):
            self._items[name].setVisible(most > least)
        self._items["present"].setPos(self._present)
        self._items["present label"].setText(f"M = {target.size:,}")
        share = (math.log10(target.size) - left) / (right - left)
        self._items["present label"].setAnchor((0 if share < 0.12 else 1 if share > 0.88 else 0.5, 0))
        colour = policy_colour(target.policy_code, self.theme)
        self._items["point"].setData(
            [math.log10(target.size)],
            [float(value)],
            brush=pg.mkBrush(colour),
            pen=pg.mkPen(self.theme.panel),
        )

    def _name_lines(self) -> None:
        """Say which line is which bound, and its formula: both lines alike, in as few words as the room takes."""
        room = self.widget.getPlotItem().getViewBox().width()
        for brief in range(len(BOTH)):
            for name, (called, formula) in self._labels.items():
                self._items[f"{name} label"].setText(called[brief] + formula)
            if all(self._items[f"{name} label"].boundingRect().width() <= room for name in self._labels):
                break

    def _keep_room(self) -> None:
        """Words stand above the upper bound and below the lower one, however low and narrow the plot is."""
        least, high = self._extent
        plot = self.widget.getPlotItem()
        room = max(plot.getViewBox().height() - (1 + BELOW) * LABEL_ROOM, LABEL_ROOM)
        pad = LABEL_ROOM / room * (high - least)
        plot.setYRange(least - BELOW * pad, high + pad, padding=0)
        self._items["present label"].setPos(self._present, least - pad)
        self._name_lines()

    def point_at(self, sample: int) -> None:
        """Mark a sample; -1 for none."""
        line, curves = self._items["cursor"], self.curves
        shown = curves is not None and 0 <= sample < len(curves.memory)
        line.setVisible(shown)
        if shown and curves is not None:
            line.setPos(math.log10(int(curves.memory[sample])))

    def set_theme(self, theme: Theme) -> None:
        """Other colours; lines get theirs when they are drawn."""
        self.theme = theme
        self._paint()

    # ------------------------------------------------------------------ the pointer
    def _size_at(self, position: QPointF) -> float:
        box = self.widget.getPlotItem().getViewBox()
        if not box.sceneBoundingRect().contains(position):
            return -1.0
        return float(10 ** box.mapSceneToView(position).x())

    def _pointed(self, position: QPointF) -> None:
        self.pointed.emit(self._size_at(position))

    def _clicked(self, event: Any) -> None:
        size = self._size_at(event.scenePos())
        if size > 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(max(LEAST, round(size)))
