"""The certificate of a plan as a picture file: the page, or in a narrow one as high as needed one column of text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.drawn import Drawing, fill_ground
from gui.look.page import Page
from gui.present.certificate.facts import facts
from gui.present.certificate.page import (
    ALL,
    FRAME,
    SHORT,
    SMALL,
    WITHOUT_COMMAND,
    CertificatePage,
    Sheet,
    facts_height,
    paint_facts,
)
from planner.errors import StageboardError
from planner.reports.certificate.certificate import Certificate

LEAST_WIDTH = 800.0
"""Units (:attr:`gui.look.page.Page.room`, in type of usual size) below which the two halves of a page cannot be read."""
COLUMN_SHARE = 1.15
"""How many times as large as the least letters those of a column are."""
AROUND, APART = 20.0, 16.0
"""Of a column, in pixels of a frame of 1280 x 800: what is free around it, and above and below the line between its parts."""


def draw_certificate(certified: Certificate, page: Page) -> Drawing:
    """A certificate on ``page``. Raises :class:`StageboardError` where the page is too narrow to be read."""
    title = f"Certificate of {certified.model}"
    narrow = page.room[0] * page.type_size < LEAST_WIDTH
    if narrow and not page.crop:
        raise StageboardError(
            "a certificate cannot be read in so narrow a picture; draw it as a slide, in a paper's column, or on at least "
            f"{LEAST_WIDTH:.0f} pixels"
        )
    if narrow:
        column = CertificateColumn(certified, page)
        return Drawing(column.page, title, lambda painter, _: column.paint(painter))
    page = page.usual
    unit = min(page.pixels[0] / FRAME[0], page.pixels[1] / FRAME[1])
    sheet = CertificatePage(certified)

    def paint(painter: QPainter, _: bool) -> None:
        whole = QRectF(0, 0, *page.pixels)
        sheet.paint(
            painter, whole, unit, max(unit, page.least / SMALL), page.theme, ground=not page.transparent
        )

    return Drawing(page, title, paint)


class CertificateColumn:
    """A certificate in one column: the verdict and below it what it takes to check the plan, with as much of the proofs as the highest
    ``page`` has room for."""

    def __init__(self, certified: Certificate, page: Page) -> None:
        self.certificate, self._facts = certified, facts(certified)
        self._unit = page.least / SMALL
        around, apart = AROUND * self._unit, APART * self._unit
        inner = QRectF(around, around, page.pixels[0] - 2 * around, page.pixels[1] - 2 * around)
        needed = facts_height(self._facts, inner, COLUMN_SHARE * SMALL * self._unit)
        sheet = Sheet(QPainter(), page.theme, self._unit)
        for how in (ALL, WITHOUT_COMMAND, SHORT):
            end = sheet.lay(certified, inner, COLUMN_SHARE, how, False)
            if end + 2 * apart + needed <= inner.bottom():
                break
        self._how, self._line = how, end + apart
        self.page = page.as_high_as((end + 2 * apart + needed + around) / page.scale)
        top = self._line + apart
        self._below = QRectF(inner.left(), top, inner.width(), self.page.pixels[1] - around - top + 1.0)
        self._inner = inner

    def paint(self, painter: QPainter) -> None:
        """All of it, on its ground."""
        theme, inner, unit = self.page.theme, self._inner, self._unit
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, self.page, theme.panel)
        Sheet(painter, theme, unit).lay(self.certificate, inner, COLUMN_SHARE, self._how, True)
        painter.setPen(QPen(QColor(theme.border), max(1.0, unit)))
        painter.drawLine(QPointF(inner.left(), self._line), QPointF(inner.right(), self._line))
        paint_facts(painter, self._below, self._facts, unit, theme, COLUMN_SHARE)
