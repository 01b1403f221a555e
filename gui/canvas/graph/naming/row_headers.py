"""Row headers of the flow view: the layer or block that most of a row belongs to, quietly written at its left end."""

from __future__ import annotations

import re
import string
from collections import Counter
from math import ceil
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.canvas.graph.naming.blocks import blocks_of
from gui.canvas.graph.naming.card_names import op_names, short_name, wide
from gui.look.fonts import font, metrics
from gui.look.theme import readable
from planner.lifetime import while_it_lives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.canvas.graph.palette import CanvasPalette
    from gui.canvas.graph.scene import Scene
    from gui.canvas.graph.viewport import Viewport
    from planner.model.graph import Graph

TYPE = 11
"""Size of the words in logical pixels."""
WIDEST, BESIDE = 104.0, 8.0
"""Room for words, and beside them, in logical pixels."""
CONTRAST = 4.5
MUCH = 8
"""One op in so many of a row is much of it."""
MOST_PARTS, SPAN = 3, " \N{EN DASH} "
"""So many blocks of a row are named one by one; of more the first and the last, with this between them."""
FEW = 3
"""So many ops that are in no block are named themselves."""
MOST_KNOWN = 256
"""Rows of a graph whose names are kept."""
ELSE = ", \N{HORIZONTAL ELLIPSIS}"
"""What says that a row is more than there is room to name."""


@while_it_lives
def header_width(graph: Graph) -> float:
    """How wide the margin for row headers is, in logical pixels, in letters of the usual size; 0 for a graph without names."""
    words = {block for block in block_sizes(graph) if block}
    if len(words) < 2:
        return 0.0
    # Blocks that differ by numbers alone, of which large graphs have thousands, are as wide as one of the widest digits.
    digit = max(string.digits, key=lambda one: wide(one, TYPE, False))
    alike = str.maketrans(dict.fromkeys(string.digits, digit))
    words = {word.translate(alike) for word in words}
    ranges = {re.sub(r"(\d+)$", "\\1\N{EN DASH}\\1", word) for word in words}  # a row may have several
    # Where a row has several, each but the last has a comma behind it, in a line of its own.
    widest = max(wide(f"{word},", TYPE, False) for word in ranges)
    return min(WIDEST, max(widest, _outside_width(graph))) + 2 * BESIDE


def _outside_width(graph: Graph) -> float:
    """The room that ops in no block need to be called by their names or kinds, whichever are shorter; by short forms where neither has any."""
    if not block_sizes(graph)[""]:
        return 0.0
    outside = [op for op, block in enumerate(blocks_of(graph)) if not block]
    found = 0.0
    for name, kind in {(graph.op_names[op], graph.kinds[op]) for op in outside}:
        usual = [wide(one, TYPE, False) for one in (short_name(name), kind) if one]
        short = [wide(one, TYPE, False) for one in op_names(name, kind)[0]]
        needed = next((room for room in (min(usual), *short) if room <= WIDEST), 0.0)
        found = max(found, needed)
    return found


def row_name(row: Sequence[str], whole: Counter[str]) -> str:
    """What a row is: all blocks that it has much of, or most of which it has, in the order of its ops. Nothing of a row is left out but
    a few ops of a block that goes on in another row.

    Blocks that differ by number alone are one part (``layer.2–3``), and so are those within one (``head`` of ``head.a`` and
    ``head.b``); of more than three parts it is the first and the last (``stem – up.3``). ``row`` has the block of each op of the row,
    ``whole`` how many ops each block has; a row of which less than half is in blocks has no name.
    """
    blocks, ops = Counter(row), len(row)
    told = [
        block for block, many in blocks.items()
        if block and (MUCH * many >= ops or 2 * many > whole[block])
    ]  # fmt: skip
    if 2 * sum(blocks[block] for block in told) <= ops:
        return ""
    numbers: dict[str, list[int]] = {}
    for stem, number in map(_numbered, told):
        numbers.setdefault(stem, []).append(number)
    parts: dict[str, None] = {}
    for block in told:
        stem, _ = _numbered(block)
        alike = numbers[stem] if stem else []
        parts[f"{stem}{min(alike)}–{max(alike)}" if len(alike) > 1 else block] = None
    within = set.intersection(*({block, *_begins(block)} for block in told))
    if len(parts) > 1 and within:
        return max(within, key=len)
    names = list(parts)
    return ", ".join(names) if len(names) <= MOST_PARTS else f"{told[0]}{SPAN}{told[-1]}"


def _begins(block: str) -> list[str]:
    """What a block's name begins with, up to each of the signs that part names."""
    return [block[: m.start()] for m in re.finditer(r"[_./]", block) if m.start()]


def _numbered(block: str) -> tuple[str, int]:
    """The words of a block and the number that it ends with; no words where it has none of the two."""
    stem = block.rstrip("0123456789")
    return (stem, int(block[len(stem) :])) if stem and stem != block else ("", 0)


class Rows:
    """The rows of a layout: where each begins and ends (float64[rows], in the layout's units) and, once it is asked for, its name."""

    def __init__(self, scene: Scene) -> None:
        layout = self.layout = scene.layout
        self.tops = np.array([row.y for row in layout.rows])
        self.ends = self.tops + np.array([row.h for row in layout.rows])
        self._graph = scene.items.graph
        row_of = layout.row[scene.items.item_of]
        self._ops = np.argsort(row_of, kind="stable").astype(np.int64)
        self._ptr = np.searchsorted(row_of[self._ops], np.arange(len(layout.rows) + 1))
        self._names: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.tops)

    def name(self, row: int) -> str:
        """What a row is called; empty where it has no name."""
        if row not in self._names:
            self._names[row] = _name_of(self._graph, self._ops[self._ptr[row] : self._ptr[row + 1]].tobytes())
        return self._names[row]

    @property
    def names(self) -> list[str]:
        """The names of all rows."""
        return list(map(self.name, range(len(self))))


def _name_of(graph: Graph, row: bytes) -> str:
    """What a row of ops (the bytes of int64[ops]) is called; where a graph is laid out anew most rows stay as they are."""
    known = _names_known(graph)
    if row not in known:
        if len(known) >= MOST_KNOWN:
            known.clear()
        blocks, ops = blocks_of(graph), np.frombuffer(row, np.int64).tolist()
        known[row] = row_name([blocks[op] for op in ops], block_sizes(graph)) or _ops_named(
            graph, blocks, ops
        )
    return known[row]


@while_it_lives
def _names_known(_: Graph) -> dict[bytes, str]:
    """The names of a graph's rows that were asked for."""
    return {}


@while_it_lives
def block_sizes(graph: Graph) -> Counter[str]:
    """How many ops each block has."""
    return Counter(blocks_of(graph))


_known: WeakValueDictionary[int, Rows] = WeakValueDictionary()
"""The rows of the layouts that scenes have, by ``id``: the canvases of a comparison share one."""


def rows_of(scene: Scene) -> Rows:
    """The rows of a scene, kept with it as long as its layout stays."""
    kept: Rows | None = scene.__dict__.get("_rows")
    if kept is None or kept.layout is not scene.layout:
        kept = _known.get(id(scene.layout))
        if kept is None:
            kept = _known[id(scene.layout)] = Rows(scene)
        scene.__dict__["_rows"] = kept
    return kept


def _ops_named(graph: Graph, blocks: Sequence[str], ops: Sequence[int]) -> str:
    """The name of a row without blocks: that of its few ops which are in none, such as the last of a network; empty where they are many."""
    alone = [op for op in ops if not blocks[op]]
    if not any(blocks) or not 0 < len(alone) <= FEW:
        return ""
    room = header_width(graph) - 2 * BESIDE
    room -= wide(", ", TYPE, False) if len(alone) > 1 else 0.0  # each but the last is followed by another one
    return ", ".join(dict.fromkeys(_op_named(graph, op, room) for op in alone))


def _op_named(graph: Graph, op: int, room: float) -> str:
    """What an op is called in ``room`` logical pixels: by its name, else as on its card, where that is whole."""
    name = short_name(graph.op_names[op])
    choices = (name, *op_names(graph.op_names[op], graph.kinds[op])[0])
    return next((one for one in choices if wide(one, TYPE, False) <= room), name)


def header_letters(ratio: float, least: float = 0.0) -> int:
    """Device pixels that the words are high: ``least`` at least."""
    return max(int(TYPE * ratio), ceil(least))


def placed_headers(
    scene: Scene, viewport: Viewport, ratio: float, width: float, least: float = 0.0
) -> list[tuple[QRectF, str]]:
    """Where each header is written, in device pixels, and its words; none over another.

    They end where the graph begins, and stay in sight, in the margin of ``width``, where it is scrolled.
    """
    if scene.layout.lanes or width <= 0:
        return []
    left = max(0.0, viewport.to_pixels(scene.layout.bounds[0], 0)[0] - width)
    words = width - 2 * BESIDE * ratio
    letters = metrics(header_letters(ratio, least), False)
    line = letters.height()
    rows = rows_of(scene)
    scale = viewport.scale
    # Words may reach half of the way to the rows above and below.
    gaps = (rows.tops[1:] - rows.ends[:-1]) / 2
    reach = np.minimum(np.append(gaps[:1], gaps), np.append(gaps, gaps[-1:])) if len(gaps) else np.zeros(1)
    tops = viewport.to_pixels(0, 0)[1] + rows.tops * scale
    high = (rows.ends - rows.tops) * scale
    # The words stay in sight while a high row is scrolled.
    lows, ends = np.maximum(tops, 0.0), np.minimum(tops + high, float(viewport.height))
    extra = np.where(ends - lows >= high, np.maximum(0.0, 2 * reach * scale), 0.0)
    most = np.maximum(1, (ends - lows + extra) // line).astype(int)
    # Far out most rows have no room even for a single line below the words above them: they need no name.
    lowest = (lows + ends - line) / 2
    placed, free_from = [], -np.inf
    i = int(np.searchsorted(tops + high, 0.0))
    while i < len(rows) and tops[i] <= viewport.height:
        if lowest[i] < free_from:
            i = max(i + 1, int(np.searchsorted(lowest, free_from)))
            continue
        name = rows.name(i)
        if name:
            begun = i > 0 and rows.name(i - 1).endswith(name.partition(", ")[0])
            lines = _fitting(name, letters, words + 1, int(most[i]), begun)
            y = float(lows[i] + ends[i] - len(lines) * line) / 2
            if y >= free_from:
                free_from = y + len(lines) * line
                placed.append((QRectF(left + BESIDE * ratio, y, words, len(lines) * line), "\n".join(lines)))
        i += 1
    return placed


def _fitting(name: str, letters: QFontMetricsF, room: float, most: int, begun: bool) -> list[str]:
    """A row's name in at most so many lines of ``room`` pixels.

    Where not all blocks have room it is the first, or the last where the first has ``begun`` in the row above, which names it, and that
    there are others.
    """
    pieces = re.findall(rf".+?(?:,(?= )|(?<={SPAN[:2]})(?= )|$)", name)
    pieces = [piece.strip() for piece in pieces]
    if letters.horizontalAdvance(name) > room and len(pieces) > 1:
        lines = [""]
        for piece in pieces:
            longer = f"{lines[-1]} {piece}".strip()
            if lines[-1] and letters.horizontalAdvance(longer) > room:
                lines.append(piece)
            else:
                lines[-1] = longer
        if len(lines) <= most and all(letters.horizontalAdvance(text) <= room for text in lines):
            return lines
        name = pieces[-1] if begun else pieces[0].removesuffix(",").removesuffix(SPAN[:2])
        more = f"{ELSE[2:]}, {name}" if begun else f"{name}{ELSE}"
        if letters.horizontalAdvance(more) <= room:
            return [more]
    while letters.horizontalAdvance(name) > room and "/" in name:  # the inner scopes tell rows apart
        name = name.partition("/")[2].lstrip("/")
    return [letters.elidedText(name, Qt.TextElideMode.ElideLeft, room)]


def is_covering(scene: Scene, viewport: Viewport, width: float) -> bool:
    """Whether the margin of the headers covers a part of the graph."""
    begins = viewport.to_pixels(scene.layout.bounds[0], 0)[0]
    return width > 0 and not scene.layout.lanes and begins < width - 1


def paint_row_headers(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    ratio: float,
    width: float,
    ground: bool = True,
    least: float = 0.0,
) -> None:
    """All headers in sight, ``width`` device pixels wide, in letters of ``least`` at least; on a ground of their own where cards may lie
    beneath."""
    placed = placed_headers(scene, viewport, ratio, width, least)
    theme = palette.theme
    if ground and is_covering(scene, viewport, width):
        painter.fillRect(QRectF(0, 0, width, viewport.height), QColor(theme.canvas))
        painter.setPen(QColor(theme.border))
        painter.drawLine(int(width) - 1, 0, int(width) - 1, viewport.height)
    painter.setPen(QColor(readable(theme.muted, theme.canvas, theme, CONTRAST)))
    painter.setFont(font(header_letters(ratio, least), False))
    for box, shown in placed:
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), shown)
