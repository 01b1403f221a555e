"""Where the chips of a package are drawn: rows that wind to and fro, so that neighbours of the chain are neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

TALLEST, WIDEST = 104.0, 170.0
"""Pixels beyond which a chip gains nothing."""
GOOD_WIDTH, GOOD_HEIGHT = 46.0, 46.0
"""Proportions of a chip that reads well."""
BUS = 6.0
"""How far above its lower edge the link runs through a chip."""
WORDS_FROM = 60.0
"""The height from which a chip has room for its figures in words."""
FIGURES_FROM = WORDS_FROM + 6.0
"""The same in a picture, whose chips are to have them."""
SLOWEST = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"
"""Stands on the slowest chip where that word has no room: no chip has it as its own mark."""
SHAPE, BLANKS = 2.2, 1.5
"""How many times as many columns as rows look like a package, and what a place without a chip costs beside that."""
FOLDED = 8
"""Chips without any op at the end of the chain, of which so many at least, and more than those in use, are drawn small."""
CELL, CELL_GAP, STRIP_HEAD = 22.0, 7.0, 18.0
"""The side of a small chip, what lies between two, and the height of the words above them."""
ROOMY = (300.0, 130.0)
"""Pixels beyond which a chip gains nothing in a picture, which it is to fill."""


@dataclass(frozen=True)
class PackageLayout:
    """``boxes`` of the chips in order; ``columns`` per row. Row 0 runs to the right, row 1 to the left, and so on."""

    boxes: tuple[QRectF, ...]
    columns: int
    turn: float
    small: tuple[QRectF, ...] = ()
    """The chips behind those, which nothing uses and which are drawn as small squares, in order."""

    def to_right(self, chip: int) -> bool:
        """Whether the chain runs to the right at a chip."""
        return (chip // self.columns) % 2 == 0

    def chip_at(self, x: float, y: float) -> int:
        """The chip at a place, -1 for none."""
        return next((i for i, box in enumerate(self.boxes) if box.contains(x, y)), -1)

    def ends(self, chip: int) -> tuple[QPointF, QPointF]:
        """Where the link from the chip before enters a chip, and where the one to the next leaves it."""
        box = self.boxes[chip]
        left, right = QPointF(box.left(), box.bottom() - BUS), QPointF(box.right(), box.bottom() - BUS)
        return (left, right) if self.to_right(chip) else (right, left)

    def link(self, chip: int) -> QPainterPath:
        """The way from a chip to the next one: straight, or around the end of a row."""
        start, end = self.ends(chip)[1], self.ends(chip + 1)[0]
        path = QPainterPath(start)
        if chip // self.columns == (chip + 1) // self.columns:
            path.lineTo(end)
            return path
        out = self.turn if self.to_right(chip) else -self.turn
        bend = start.x() + out
        path.cubicTo(
            QPointF(bend, start.y()), QPointF(bend, start.y()), QPointF(bend, (start.y() + end.y()) / 2)
        )
        path.cubicTo(QPointF(bend, end.y()), QPointF(bend, end.y()), end)
        return path

    def link_at(self, x: float, y: float, reach: float = 5.0) -> int:
        """The chip whose link to the next one passes a place, -1 for none."""
        for chip in range(len(self.boxes) - 1):
            box = self.link(chip).boundingRect().adjusted(-reach, -reach, reach, reach)
            if box.contains(x, y):
                return chip
        return -1

    def beside(self, chip: int, dx: int, dy: int) -> int:
        """The chip that stands beside another one on the picture; the same where there is none."""
        here = self.boxes[chip].center()
        best, least = chip, math.inf
        for other, box in enumerate(self.boxes):
            at = box.center()
            along = (at.x() - here.x()) * dx + (at.y() - here.y()) * dy
            across = abs((at.x() - here.x()) * dy) + abs((at.y() - here.y()) * dx)
            if along > 1.0 and along + 3.0 * across < least:
                best, least = other, along + 3.0 * across
        return best


def gaps(count: int, columns: int, rect: QRectF) -> tuple[float, float, float]:
    """Gaps across and between rows, and what a turn at the end of a row takes, in pixels."""
    rows = math.ceil(count / columns)
    across = min(34.0, max(4.0, 0.18 * rect.width() / columns))
    between = min(16.0, max(5.0, 0.16 * rect.height() / rows))
    return across, between, min(16.0, max(8.0, 0.7 * across)) if rows > 1 else 0.0


def folded_layout(count: int, used: int, rect: QRectF, figures: float = 0.0) -> PackageLayout:
    """The arrangement of ``count`` chips of which none behind the first ``used`` has an op: these are small squares below the others where
    they are many. Where chips would have no room for ``figures`` so wide (pixels), they stand in fewer columns in which they have."""
    unused = count - used
    if used < 1 or unused < max(FOLDED, used + 1):
        return package_layout(count, rect, ROOMY, _columns_with(figures, count, columns_of(count), rect))
    step = CELL + CELL_GAP
    columns = max(1, math.floor((rect.width() + CELL_GAP) / step))
    rows = math.ceil(unused / columns)
    columns = math.ceil(unused / rows)
    high = STRIP_HEAD + rows * step
    if high > rect.height() / 2:
        return package_layout(count, rect, ROOMY, _columns_with(figures, count, columns_of(count), rect))
    top = rect.bottom() - high + STRIP_HEAD
    left = rect.center().x() - (columns * step - CELL_GAP) / 2
    small = tuple(
        QRectF(left + (i % columns) * step, top + (i // columns) * step, CELL, CELL) for i in range(unused)
    )
    above = rect.adjusted(0, 0, 0, -high)
    chips = package_layout(
        used, above, ROOMY, _columns_with(figures, used, min(columns_of(count), used), above)
    )
    return replace(chips, small=small)


def _columns_with(figures: float, count: int, usual: int, rect: QRectF) -> int:
    """The ``usual`` columns of ``count`` chips, or fewer in which all have room for figures so wide below their heads; the usual ones where
    no fewer have, either."""
    for columns in range(usual, 0, -1) if figures else ():
        wide, high = _tile(count, columns, rect)
        if wide >= figures and high >= FIGURES_FROM:
            return math.ceil(count / math.ceil(count / columns))
    return usual


def columns_of(count: int) -> int:
    """In how many columns a package of ``count`` chips is drawn: a property of the package, so that no chip moves when a panel has another size."""

    def strange(columns: int) -> float:
        rows = math.ceil(count / columns)
        return abs(math.log(columns / rows / SHAPE)) + BLANKS * (1 - count / (columns * rows))

    return min(range(1, count + 1), key=strange, default=1)


def columns_for(count: int, rects: Sequence[QRectF], most: tuple[float, float] = (WIDEST, TALLEST)) -> int:
    """In how many columns ``count`` chips are largest at good proportions, none wider and higher than ``most``, in that of ``rects`` in which
    they are smallest: for stories, whose stages and panels have shapes of their own."""
    best, columns = -1.0, 1
    for tried in range(1, count + 1):
        tiles = [_tile(count, tried, rect) for rect in rects]
        value = min(min(wide, most[0]) / GOOD_WIDTH for wide, _ in tiles)
        value = min(value, *(min(high, most[1]) / GOOD_HEIGHT for _, high in tiles))
        if value > best + 1e-9:
            best, columns = value, tried
    # Rows of equal length where as many rows hold them.
    return math.ceil(count / math.ceil(count / columns))


def package_layout(
    count: int, rect: QRectF, most: tuple[float, float] = (WIDEST, TALLEST), columns: int = 0
) -> PackageLayout:
    """The arrangement of ``count`` chips inside ``rect`` in ``columns``, 0: in as many as :func:`columns_of` the package has."""
    if count == 0 or rect.width() <= 0 or rect.height() <= 0:
        return PackageLayout((), 1, 0.0)
    columns = columns or columns_of(count)
    rows = math.ceil(count / columns)
    wide, high = _tile(count, columns, rect)
    wide, high = max(1.0, min(wide, most[0])), max(1.0, min(high, most[1]))
    across, between, turn = gaps(count, columns, rect)
    left = rect.center().x() - (columns * wide + (columns - 1) * across) / 2
    top = rect.center().y() - (rows * high + (rows - 1) * between) / 2
    boxes = []
    for chip in range(count):
        row, place = divmod(chip, columns)
        column = place if row % 2 == 0 else columns - 1 - place
        boxes.append(QRectF(left + column * (wide + across), top + row * (high + between), wide, high))
    return PackageLayout(tuple(boxes), columns, turn)


def _tile(count: int, columns: int, rect: QRectF) -> tuple[float, float]:
    """Width and height that a chip would have."""
    rows = math.ceil(count / columns)
    across, between, turn = gaps(count, columns, rect)
    wide = (rect.width() - 2 * turn - (columns - 1) * across) / columns
    return wide, (rect.height() - (rows - 1) * between) / rows
