"""Words that keep their right end or their middle in a drawing (SVG), whatever letters its reader has.

Qt's writer says where words begin, as it measured them: with other letters a column of numbers would have no common end. So what is
aligned is written as a mark, at the place that it is to keep, and the marks of the finished file are made words with an anchor.
"""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

END, MIDDLE = "end", "middle"
_MARK = "\uffff"
"""Begins a mark: no character, so that no words hold it."""
_MARKED = re.compile(rf"(<text [^>]*>){_MARK}(\d+)(?=</text>)")
_WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere)


class Anchors:
    """The words of one drawing that have an anchor, in the order in which they are painted."""

    def __init__(self) -> None:
        self._words: list[tuple[str, str]] = []

    def place(self, painter: QPainter, rect: QRectF, flags: int, words: str) -> tuple[QPointF, str] | None:
        """Where a mark for ``words`` in ``rect`` is to stand, and the mark; None for what keeps its beginning or has several lines."""
        if flags & int(Qt.AlignmentFlag.AlignRight):
            anchor = END
        elif flags & int(Qt.AlignmentFlag.AlignHCenter):
            anchor = MIDDLE
        else:
            return None
        if flags & _WRAPPED or "\n" in words or not words.strip():
            return None
        box = painter.boundingRect(rect, flags | int(Qt.TextFlag.TextDontClip), words)
        x = rect.right() if anchor == END else rect.center().x()
        self._words.append((anchor, words))
        ascent = QFontMetricsF(painter.font(), painter.device()).ascent()
        return QPointF(x, box.top() + ascent), f"{_MARK}{len(self._words) - 1}"

    def written(self, file: bytes) -> bytes:
        """A drawing with words for its marks."""

        def words(found: re.Match[str]) -> str:
            anchor, text = self._words[int(found[2])]
            return f'{found[1].removesuffix(">")}text-anchor="{anchor}">{escape(text, quote=False)}'

        return _MARKED.sub(words, file.decode()).encode()
