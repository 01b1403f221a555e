"""Labels that never overflow: text that does not fit is elided and told in full by the tool tip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

from gui.look.heading import lines_of
from gui.widgets.plain import plain, plain_tip

FEWEST = 4
"""Characters, the dots among them, of which more must be left where a text is elided."""


class ElidedLabel(QLabel):
    """One line of text, elided at the right (or middle) when there is no room; with ``lines``, as many as it takes up to so many, the last elided.

    It is as high as the lines that it has in its width, and no wider for them.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        least: int = 24,
        lines: int = 1,
    ) -> None:
        super().__init__(parent)
        self._most, self._count = lines, 1
        self._whole = self._fewest = 0
        self._mode = mode
        self._least = least
        self._colour = ""
        self._tip = ""
        self._shorter: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text (nothing happens when it is the same)."""
        text = plain(text)
        if text != self.text():
            super().setText(text)
            self._retip()

    def set_texts(self, text: str, *shorter: str) -> None:
        """Show a text, or where there is no room for it the first of ever ``shorter`` ones that fits; the last is elided."""
        shorter = tuple(plain(one) for one in shorter)
        if shorter != self._shorter:
            self._shorter = shorter
            self.updateGeometry()
            self.update()
        self.setText(text)
        self._retip()

    def widths(self) -> list[int]:
        """The pixels that the text and the shorter ones take, whole."""
        return [self.fontMetrics().horizontalAdvance(text) + 1 for text in (self.text(), *self._shorter)]

    def set_whole(self, pixels: int) -> None:
        """The shortest text of :meth:`set_texts` is not cut up to so many pixels."""
        if pixels != self._whole:
            self._whole = pixels
            self.updateGeometry()

    def set_fewest(self, letters: int) -> None:
        """A text of which no more than so many letters would be left is not shown at all."""
        self._fewest = letters

    def set_colour(self, colour: str) -> None:
        """``#rrggbb``, or empty for the palette's."""
        if colour != self._colour:
            self._colour = colour
            self.update()

    def set_tip(self, tip: str) -> None:
        """A tool tip of its own; the full text is put before it when elided."""
        self._tip = tip
        self._retip()

    def shown_text(self) -> str:
        """What is painted now, line by line; two letters and dots say less than nothing."""
        room, texts = self.contentsRect().width(), (self.text(), *self._shorter)
        if self._most > 1:
            return "\n".join(self._wrapped(texts, room))
        # Qt rounds widths: what is no wider than the room may still be elided.
        cut = {text: self.fontMetrics().elidedText(text, self._mode, room) for text in texts}
        text = next((text for text in texts if cut[text] == text), texts[-1])
        shown = cut[text]
        few = max(FEWEST, self._fewest)
        return shown if shown == text or len(shown) > few else ""

    def _wrapped(self, texts: tuple[str, ...], room: int) -> list[str]:
        """The lines of the first text that has room in them, else of the last, whose end is cut."""
        measure = self.fontMetrics()
        for text in texts:
            lines = [*lines_of(text, self.font(), room, self._most)]
            if measure.horizontalAdvance(lines[-1]) <= room and measure.horizontalAdvance(lines[0]) <= room:
                return lines
        return [measure.elidedText(line, self._mode, room) for line in lines]

    def _retip(self) -> None:
        shown = self.shown_text()
        count = 1 + shown.count("\n")
        if count != self._count:
            self._count = count
            self.updateGeometry()
        elided = " ".join(shown.split()) != " ".join(self.text().split())
        parts = [self.text()] if elided else []
        self.setToolTip(plain_tip("\n".join([*parts, self._tip] if self._tip else parts)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The room changed."""
        super().resizeEvent(event)
        self._retip()

    def changeEvent(self, event: QEvent) -> None:
        """Fonts and styles change the width too: of what is not shown yet several times, while it is put together."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self.isVisible():
            self._retip()

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile."""
        super().showEvent(event)
        self._retip()

    def sizeHint(self) -> QSize:
        """All of the text in one line, as high as the lines that it has now."""
        full = super().sizeHint()
        return QSize(full.width(), full.height() + (self._count - 1) * self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """Small: eliding makes it fit, but for what is to stay whole."""
        full = super().minimumSizeHint()
        full.setHeight(full.height() + (self._count - 1) * self.fontMetrics().lineSpacing())
        texts = (self.text(), *self._shorter) if self._whole else ()
        shortest = min((self.fontMetrics().horizontalAdvance(text) for text in texts), default=0)
        return QSize(min(max(self._least, min(self._whole, shortest + 1)), full.width()), full.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the elided text in the label's style."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        if self._colour:
            painter.setPen(QColor(self._colour))
        else:
            painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(self.alignment()), self.shown_text())


def set_role(label: QWidget, role: str) -> None:
    """Give a label one of the style sheet's roles: muted, faint, heading, good, bad, warning."""
    if label.property("role") != role:
        label.setProperty("role", role)
        label.style().unpolish(label)
        label.style().polish(label)


def capital(text: str) -> str:
    """A sentence as it begins on a line of its own: with a capital letter, unless a file or an op is named there."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    return text[:1].upper() + text[1:] if first.isalpha() else text
