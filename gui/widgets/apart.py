"""Names that stand in rows one below the other, cut so that they are still told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

MARK = "…"
_PART = re.compile(r"[^/._:, -]*[/._:, -]*")
"""A part of a name with the signs behind it."""
_STEP = re.compile(r"[^/]*/*")
"""A step of a path."""


def cut_apart(text: str, others: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """``text`` in ``room`` pixels, so that it is none of the ``others`` (cut likewise) where there is a way.

    What all begin and end with goes first; then the middle, the beginning or the end is left out.
    """
    texts = list(dict.fromkeys((text, *others)))
    if metrics.horizontalAdvance(text) <= room:
        return text
    begun = _without(texts, ends=False)
    shortened = begun(text) != text
    ways: tuple[Callable[[str], str], ...] = (
        begun,
        _without(texts, ends=True),
        *(
            [lambda name: metrics.elidedText(begun(name), Qt.TextElideMode.ElideRight, room)]
            if shortened
            else []
        ),
        *(
            lambda name, mode=mode: metrics.elidedText(name, mode, room)  # type: ignore[misc]
            for mode in (
                Qt.TextElideMode.ElideMiddle,
                Qt.TextElideMode.ElideLeft,
                Qt.TextElideMode.ElideRight,
            )
        ),
    )
    for way in ways:
        cut = [name if metrics.horizontalAdvance(name) <= room else way(name) for name in texts]
        if metrics.horizontalAdvance(cut[0]) <= room and cut.count(cut[0]) == 1:
            return cut[0]
    for pattern in (_STEP, _PART):
        telling = _telling(text, texts, pattern)
        if telling and metrics.horizontalAdvance(telling) <= room:
            return telling
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)


class ApartDelegate(QStyledItemDelegate):
    """Draws a column of few names, each cut so that it is none of the others; the data stays whole."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The text as it fits into its cell."""
        super().initStyleOption(option, index)
        model, style = index.model(), option.widget.style()  # type: ignore[attr-defined]
        edge = 2 * (style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, option.widget) + 1)  # type: ignore[attr-defined]
        icon = option.decorationSize.width() + edge if index.data(Qt.ItemDataRole.DecorationRole) else 0  # type: ignore[attr-defined]
        room = option.rect.width() - edge - icon  # type: ignore[attr-defined]
        names = [str(model.index(row, index.column()).data()) for row in range(model.rowCount())]
        option.text = cut_apart(option.text, names, option.fontMetrics, max(0, room))  # type: ignore[attr-defined]


def _telling(text: str, texts: Sequence[str], pattern: re.Pattern[str]) -> str:
    """Those parts of a name that together no other one of ``texts`` has at their places, the rest left out: ``…down.0/…conv_1…``; empty
    where there are none."""
    parts = {name: [part for part in pattern.findall(name) if part] for name in texts}
    own, others = parts[text], [parts[name] for name in texts if name != text]
    kept: set[int] = set()
    while others:
        # The part that tells most of those apart that are not yet.
        left = [sum(i >= len(other) or other[i] != part for other in others) for i, part in enumerate(own)]
        best = max(range(len(own)), key=lambda i: (left[i], -i), default=-1)
        if best < 0 or not left[best]:
            return ""
        kept.add(best)
        others = [other for other in others if best < len(other) and other[best] == own[best]]
    shown = "".join(part if i in kept else MARK for i, part in enumerate(own))
    return re.sub(f"{MARK}+", MARK, shown)


def _without(texts: list[str], ends: bool) -> Callable[[str], str]:
    """Names without the whole parts that all of them begin with, and end with as well."""
    parts = [[part for part in _PART.findall(text) if part] for text in texts]
    before = _shared(parts) if len(texts) > 1 else 0
    after = _shared([p[before:][::-1] for p in parts]) if len(texts) > 1 and ends else 0
    left = {
        text: (MARK if before else "") + "".join(p[before : len(p) - after]) + (MARK if after else "")
        for text, p in zip(texts, parts, strict=True)
    }
    return left.__getitem__


def _shared(parts: list[list[str]]) -> int:
    """With how many parts all begin."""
    fewest = min(map(len, parts))
    return next((i for i in range(fewest) if len({p[i] for p in parts}) > 1), fewest)
