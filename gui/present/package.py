"""The chips of a multi-chip module as a keyframe shows them: the whole stage, or a panel, in letters that are read from afar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.canvas.graph.naming.card_names import short_name
from gui.canvas.graph.rules.rule_path import path_words
from gui.look.glyphs import paint_glyph
from gui.look.theme import Theme, device_colours
from gui.look.writing import LEFT, face, write
from gui.panels.mcm.arcs import paint_rule_path
from gui.panels.mcm.layout import columns_for, package_layout
from gui.panels.mcm.legend import legend_height, paint_legend
from gui.panels.mcm.painter import Marks, paint_package
from gui.panels.mcm.picture import ARCS, pointed_violation
from gui.panels.mcm.state import ChipState, Package, Scale, common_scale, package_of, slowest_of
from planner.model.graph import Bools
from planner.problem.problem import Plan

GROWN = 1.7
"""The picture is so much larger than in a window: its smallest letters are 10 pixels high there."""
MARGIN, LINE = 14.0, 17.0
"""Room around the picture, and the height of a line of words, in pixels of the window's picture."""
LEGEND = 50.0
"""What a legend and the margins take of a stage's height, in pixels of the window's picture."""
VEIL = 0.38
"""How much of a chip is covered that steps back."""
MOST_MOVED = 3
"""Of more ops that moved none is named."""


@dataclass(frozen=True)
class Said:
    """A line above the chips: what a colour or a mark on them is. ``double`` is the stroke of an indirect way; ``device`` a chip's mark."""

    words: str
    colour: str = ""
    double: bool = False
    device: int = -1


@dataclass(frozen=True, eq=False)
class PackageShot:
    """A package at a moment: its chips, those that are ``lit`` (bool[k], none: all alike), and the lines above them.

    ``width`` is that of the stage beside a panel (pixels). ``columns`` are those of all keyframes of a story, so that no chip
    changes its place; 0: as many as suit.
    """

    package: Package
    lit: Bools
    said: tuple[Said, ...] = ()
    width: float = 0.0
    columns: int = 0

    def alike(self, other: PackageShot) -> bool:
        """Whether both have the same chips."""
        one, two = self.package, other.package
        return len(one.chips) == len(two.chips) and one.unit == two.unit and one.sram == two.sram

    def towards(self, other: PackageShot, share: float) -> PackageShot:
        """A moment of the way to another that is :meth:`alike`: all figures on their way, the rule of the nearer one."""
        if share <= 0.0 or share >= 1.0:
            return self if share <= 0.0 else other
        nearer = self if share < 0.5 else other
        pairs = zip(self.package.chips, other.package.chips, strict=True)
        chips = [_chip_between(a, b, share) for a, b in pairs]
        worst = slowest_of(np.array([chip.cost for chip in chips])).tolist()
        now = tuple(replace(chip, bottleneck=slow) for chip, slow in zip(chips, worst, strict=True))
        width = self.width + (other.width - self.width) * share
        return replace(nearer, package=replace(nearer.package, chips=now), width=width)

    def paint(
        self, painter: QPainter, rect: QRectF, unit: float, letters: float, theme: Theme, *, framed: bool = False
    ) -> None:  # fmt: skip
        """The chips in their chain in ``rect``, in units of ``unit`` pixels; ``framed`` inside a panel, which has room around."""
        grown, margin = GROWN * unit, 0.0 if framed else MARGIN
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.topLeft())
        painter.scale(grown, grown)
        wide, high = (self.width or rect.width()) / grown, rect.height() / grown
        inner = QRectF(margin, margin / 2, wide - 2 * margin, high - margin)
        top = _said(painter, inner, self.said, theme, len(self.package.chips))
        if self.package.path is not None:
            top += ARCS
        low = inner.bottom() - legend_height(self.package, inner.width())
        below = QRectF(inner.left(), low, inner.width(), inner.bottom() - low)
        room = QRectF(inner.left(), top, inner.width(), max(1.0, low - 6 - top))
        layout = package_layout(len(self.package.chips), room, columns=self.columns)
        paint_legend(painter, below, self.package, theme, layout)
        paint_package(painter, layout, replace(self.package, path=None), theme, Marks())
        for chip, box in enumerate(layout.boxes) if self.lit.any() else ():
            if not self.lit[chip]:
                ground = QColor(theme.panel if framed else theme.canvas)
                ground.setAlphaF(VEIL)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(ground)
                painter.drawRect(box.adjusted(-1, -1, 1, 1))
        if self.package.path is not None:
            paint_rule_path(painter, layout, self.package.path, theme)
        painter.restore()


def package_shot(
    plan: Plan, versus: Plan | None, lit: Bools, theme: Theme, scale: Scale, width: float = 0.0, columns: int = 0
) -> PackageShot:  # fmt: skip
    """The package of a plan, its bars on a ``scale`` that it shares with others.

    Of a plan that breaks rules the first triangle is drawn, and what moved since ``versus`` is named: where the keyframe lights nothing
    itself, the chips that this is about stand out.
    """
    problem, evaluation, device_of = plan.problem, plan.evaluation, plan.decision.device_of
    pointed = pointed_violation(evaluation.violations)
    package = replace(package_of(problem, device_of, evaluation, pointed=pointed), scale=scale)
    titles = tuple(device.title for device in problem.devices)
    said: list[Said] = []
    if pointed is not None:
        words = [words for _, words in path_words(pointed, titles)]
        said += [
            Said(text, colour, double)
            for text, colour, double in zip(words, (theme.bad, theme.warning), (False, True), strict=False)
        ] or [Said(pointed.sentence, theme.bad)]
        lit = np.isin(np.arange(len(titles)), pointed.devices)
    if versus is not None:
        moved = np.flatnonzero(device_of != versus.decision.device_of).tolist()
        named: set[int] = set()
        for op in moved if len(moved) <= MOST_MOVED else ():
            there, left = int(device_of[op]), int(versus.decision.device_of[op])
            named |= {there, left}
            before = titles[left].lower()
            name = short_name(problem.graph.op_names[op]) or problem.graph.kinds[op]
            said.append(
                Said(f"{name} moved: {before} \N{RIGHTWARDS ARROW} {titles[there].lower()}", device=there)
            )
        if not lit.any():
            lit = np.isin(np.arange(len(titles)), list(named))
    return PackageShot(package, lit, tuple(said), width, columns)


def shared_columns(count: int, rooms: Iterable[tuple[float, float]], unit: float) -> int:
    """The columns of ``count`` chips in stages and panels of these sizes (pixels), in units of ``unit`` pixels: the same in all of them."""
    grown = GROWN * unit
    inner = [(wide / grown - 2 * MARGIN, high / grown - LEGEND) for wide, high in sorted(set(rooms))]
    return columns_for(count, [QRectF(0, 0, max(1.0, wide), max(1.0, high)) for wide, high in inner])


def shared_scale(plans: Iterable[Plan]) -> Scale:
    """The scale on which the packages of some plans can be compared."""
    return common_scale(package_of(p.problem, p.decision.device_of, p.evaluation) for p in plans)


def _chip_between(a: ChipState, b: ChipState, share: float) -> ChipState:
    now = {
        field.name: getattr(a, field.name) + (getattr(b, field.name) - getattr(a, field.name)) * share
        for field in fields(ChipState)
        if isinstance(getattr(b, field.name), float)
    }
    return replace(b if share >= 0.5 else a, **now)  # type: ignore[arg-type]


def _said(painter: QPainter, rect: QRectF, said: Sequence[Said], theme: Theme, count: int) -> float:
    """The lines above the chips, beside each other as far as there is room; returns where the chips may begin."""
    letters, x, y = face(8.5, True), rect.left(), rect.top()
    for line in said:
        wide = _width(line.words)
        if x > rect.left() and x + 30 + wide > rect.right():
            x, y = rect.left(), y + LINE
        middle = y + LINE / 2
        if line.device >= 0:
            paint_glyph(painter, device_colours(count, theme)[line.device], x + 12, middle, 10.0)
        else:
            strokes = [(line.colour, 5.0 if line.double else 3.4)]
            for colour, thick in [*strokes, *([(theme.panel, 1.8)] if line.double else [])]:
                painter.setPen(QPen(QColor(colour), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
                painter.drawLine(QPointF(x, middle), QPointF(x + 22, middle))
        write(painter, QRectF(x + 28, y, rect.right() - x - 28, LINE), LEFT, line.words, letters, theme.text)
        x += 28 + wide + 18
    return y + (LINE + 6 if said else 0.0)


def _width(words: str) -> float:
    return QFontMetricsF(face(8.5, True)).horizontalAdvance(words)
