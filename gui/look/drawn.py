"""What a painter draws, as the bytes of a picture file: PNG, SVG or PDF. Needs a QGuiApplication, no display.

Qt's writers do not say where the disk refuses what they write, so everything is painted into memory; the bytes are then
written by :mod:`planner.files`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QPageLayout, QPageSize, QPaintDevice, QPainter, QPdfWriter

from planner.errors import StageboardError

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgGenerator

DOTS_PER_INCH = 96
Paint = Callable[[QPainter], None]


def drawn(suffix: str, size: tuple[int, int], title: str, paint: Paint) -> bytes:
    """A file of type ``suffix`` (.png, .svg, .pdf), ``size`` pixels (width, height), with what ``paint`` paints.

    Raises :class:`StageboardError` where there is not enough memory for it.
    """
    width, height = size
    if suffix == ".png":
        image = QImage(width, height, QImage.Format.Format_RGB32)
        if image.isNull():
            raise _too_large(width, height)
        paint_on(image, paint)
        return encoded(image)
    if suffix == ".pdf":
        return slides((width, height), title, [paint])
    from PySide6.QtSvg import QSvgGenerator

    data = QByteArray()
    with into(data) as buffer:
        svg: QSvgGenerator = QSvgGenerator()
        svg.setOutputDevice(buffer)
        svg.setSize(QSize(width, height))
        svg.setResolution(DOTS_PER_INCH)  # points as large as on the screen, which they are measured on
        svg.setViewBox(QRectF(0, 0, width, height))
        svg.setTitle(title)
        paint_on(svg, paint)
    return bytes(data.data())


def slides(size: tuple[int, int], title: str, pages: Iterable[Paint]) -> bytes:
    """A PDF with a page of ``size`` pixels (width, height) for each of ``pages``, with what that paints.

    Raises :class:`StageboardError` where there is not enough memory for it.
    """
    data = QByteArray()
    with into(data) as buffer:
        pdf = QPdfWriter(buffer)
        pdf.setTitle(title)
        pdf.setCreator("Stageboard")
        pdf.setResolution(DOTS_PER_INCH)
        inches = QSizeF(size[0] / DOTS_PER_INCH, size[1] / DOTS_PER_INCH)
        # Exactly this size: the nearest paper would have borders.
        match = QPageSize.SizeMatchPolicy.ExactMatch
        pdf.setPageSize(QPageSize(inches, QPageSize.Unit.Inch, "", match))
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)

        def paint(painter: QPainter) -> None:
            for i, page in enumerate(pages):
                if i:
                    pdf.newPage()
                painter.save()
                page(painter)
                painter.restore()

        paint_on(pdf, paint)
    return bytes(data.data())


def encoded(image: QImage, kind: str = "PNG", quality: int = -1) -> bytes:
    """``image`` as the bytes of a picture file. Raises :class:`StageboardError` where there is not enough memory for it."""
    data = QByteArray()
    with into(data) as buffer:
        if not image.save(buffer, kind, quality):  # type: ignore[call-overload]  # the stubs know only bytes
            raise _too_large(image.width(), image.height())
    return bytes(data.data())


@contextmanager
def into(data: QByteArray) -> Iterator[QBuffer]:
    """A device of Qt's that writes into ``data``."""
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    yield buffer
    buffer.close()


def paint_on(device: QPaintDevice, paint: Paint) -> None:
    """Let ``paint`` paint on a device. Raises :class:`StageboardError` where there is not enough memory for it."""
    painter = QPainter()
    if not painter.begin(device):
        raise _too_large(device.width(), device.height())
    try:
        paint(painter)
    finally:
        painter.end()


def _too_large(width: int, height: int) -> StageboardError:
    return StageboardError(
        f"there is not enough memory for a picture of {width} x {height} pixels; choose a smaller size"
    )
