"""What a painter draws, as the bytes of a picture file: PNG, SVG or PDF. Needs a QGuiApplication, no display."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QPageLayout, QPageSize, QPainter, QPdfWriter

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgGenerator


def drawn(suffix: str, size: tuple[int, int], title: str, paint: Callable[[QPainter], None]) -> bytes:
    """A file of type ``suffix`` (.png, .svg, .pdf), ``size`` pixels (width, height), with what ``paint`` paints."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    width, height = size
    if suffix == ".png":
        image = QImage(width, height, QImage.Format.Format_RGB32)
        _paint(QPainter(image), paint)
        image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs know only bytes
    elif suffix == ".svg":
        from PySide6.QtSvg import QSvgGenerator

        svg: QSvgGenerator = QSvgGenerator()
        svg.setOutputDevice(buffer)
        svg.setSize(QSize(width, height))
        svg.setResolution(96)  # points as large as on the screen, which they are measured on
        svg.setViewBox(QRectF(0, 0, width, height))
        svg.setTitle(title)
        _paint(QPainter(svg), paint)
    else:
        pdf = QPdfWriter(buffer)
        pdf.setTitle(title)
        pdf.setCreator("Stageboard")
        pdf.setResolution(96)
        pdf.setPageSize(QPageSize(QSizeF(width / 96, height / 96), QPageSize.Unit.Inch))
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
        _paint(QPainter(pdf), paint)
    buffer.close()
    return bytes(data.data())


def _paint(painter: QPainter, paint: Callable[[QPainter], None]) -> None:
    paint(painter)
    painter.end()
