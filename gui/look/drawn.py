"""What a painter draws, as the bytes of a picture file: PNG, SVG or PDF. Needs a QGuiApplication, no display.

Qt's writers do not say where the disk refuses what they write, so everything is painted into memory; the bytes are then
written by :mod:`planner.files`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QImage,
    QPageLayout,
    QPageSize,
    QPaintDevice,
    QPaintEngine,
    QPainter,
    QPdfWriter,
)

from gui.look.anchors import Anchors
from gui.look.page import POINTS_PER_INCH, SCREEN_DPI, SUFFIXES, Page
from planner.errors import StageboardError
from planner.files import write_atomically

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgGenerator

METRES_PER_INCH = 0.0254
ROUNDING = 0.02
"""Letters may be so much lower than they are to be: their sizes are rounded to pixels."""
Paint = Callable[[QPainter], None]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture before it is a file: its page, its title, and what paints it in pixels of the page; ``shapes`` says whether as shapes
    and text alone, as files that are drawn need it. Letters below the page's floor are left out, whoever paints them."""

    page: Page
    title: str
    paint: Callable[[QPainter, bool], None]

    def file(self, suffix: str) -> bytes:
        """A file of type ``suffix`` (.png, .svg, .pdf). Raises :class:`StageboardError` where there is not enough memory for it."""
        return drawn(suffix, self.page, self.title, lambda painter: self.paint(painter, suffix != ".png"))

    def save(self, path: str | Path) -> Page:
        """Write the file that the suffix of ``path`` names; returns the page. Raises :class:`StageboardError` for another suffix."""
        file = Path(path)
        if file.suffix.lower() not in SUFFIXES:
            raise StageboardError(
                f"{file}: pictures are written as .png, .svg or .pdf; choose one of these endings"
            )
        write_atomically(file, self.file(file.suffix.lower()))
        return self.page

    def image(self, width: int, height: int) -> QImage:
        """A small picture of the picture, in at most so many pixels."""
        shrunk = min(width / self.page.pixels[0], height / self.page.pixels[1])
        wide, high = (max(1, round(side * shrunk)) for side in self.page.pixels)
        image = QImage(wide, high, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)

        def small(painter: QPainter) -> None:
            painter.scale(shrunk, shrunk)
            self.paint(painter, True)

        paint_on(image, small, self.page.least * shrunk)
        return image


def drawn(suffix: str, page: Page, title: str, paint: Paint) -> bytes:
    """A file of type ``suffix`` (.png, .svg, .pdf) with what ``paint`` paints, in pixels of ``page``.

    Raises :class:`StageboardError` where there is not enough memory for it.
    """
    width, height = page.pixels
    if suffix == ".png":
        # Words on an image with an alpha channel are smoothed in grey only: where there is a ground, there is none.
        form = QImage.Format.Format_ARGB32_Premultiplied if page.transparent else QImage.Format.Format_RGB32
        image = QImage(width, height, form)
        if image.isNull():
            raise _too_large(width, height)
        image.fill(0)
        paint_on(image, paint, page.least)
        image.setDotsPerMeterX(round(page.dpi / METRES_PER_INCH))
        image.setDotsPerMeterY(round(page.dpi / METRES_PER_INCH))
        return encoded(image)
    shrunk = SCREEN_DPI / page.dpi

    def shapes(painter: QPainter) -> None:
        painter.scale(shrunk, shrunk)
        paint(painter)

    size, least = (round(width * shrunk), round(height * shrunk)), page.least * shrunk
    if suffix == ".pdf":
        return slides(size, title, [shapes], least)
    return drawing(size, title, shapes, least, None if page.printed else page.pixels)


def drawing(
    size: tuple[int, int], title: str, paint: Paint, least: float = 0.0, pixels: tuple[int, int] | None = None
) -> bytes:
    """An SVG of ``size`` units (width, height), its letters as text, none lower than ``least`` units. It is shown in so many ``pixels``,
    else a unit is 1/96 inch.

    Raises :class:`StageboardError` where there is not enough memory for it.
    """
    from PySide6.QtSvg import QSvgGenerator

    data = QByteArray()
    with into(data) as buffer:
        # SVG Tiny, which is Qt's default, has no clipping.
        svg: QSvgGenerator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
        svg.setOutputDevice(buffer)
        svg.setSize(QSize(*size))
        svg.setResolution(SCREEN_DPI)  # points as large as on the screen, which they are measured on
        svg.setViewBox(QRectF(0, 0, *size))
        svg.setTitle(title)
        anchors = Anchors()
        paint_on(svg, paint, least, anchors)
    file = anchors.written(bytes(data.data()))
    if pixels is not None:
        # Qt's writer measures in millimetres alone.
        shown = f'<svg width="{pixels[0]}" height="{pixels[1]}"'.encode()
        file = re.sub(rb'<svg width="[^"]*" height="[^"]*"', shown, file, count=1)
    return re.sub(rb'font-family="([^"]*)"', _families, file)


def _families(found: re.Match[bytes]) -> bytes:
    """The family that letters were measured with, and for machines without it those that are as wide."""
    family = QFontInfo(QFont(unescape(found[1].decode()))).family()
    return f'font-family="{escape(family, quote=True)}, Verdana, Arial, sans-serif"'.encode()


def slides(size: tuple[int, int], title: str, pages: Iterable[Paint], least: float = 0.0) -> bytes:
    """A PDF with a page of ``size`` pixels (width, height) for each of ``pages``, with what that paints, no letters lower than ``least``.

    Raises :class:`StageboardError` where there is not enough memory for it.
    """
    data = QByteArray()
    with into(data) as buffer:
        pdf = QPdfWriter(buffer)
        pdf.setTitle(title)
        pdf.setCreator("Stageboard")
        pdf.setResolution(SCREEN_DPI)
        inches = QSizeF(size[0] / SCREEN_DPI, size[1] / SCREEN_DPI)
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

        paint_on(pdf, paint, least)
    return bytes(data.data())


def fill_ground(painter: QPainter, page: Page, colour: str) -> None:
    """The ground of ``page``, in its pixels; none where it is transparent."""
    if not page.transparent:
        painter.fillRect(QRectF(0, 0, *page.pixels), QColor(colour))


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


class Lettering(QPainter):
    """A painter that writes no letters lower than ``least`` pixels of its device: what has no room for larger ones is left out.

    With ``anchors``, those of the drawing (SVG) that it paints, aligned words keep their end or their middle.
    """

    def __init__(self, least: float, anchors: Anchors | None = None) -> None:
        super().__init__()
        self._least = least * (1.0 - ROUNDING)
        self._anchors = anchors

    def restore(self) -> None:
        """Go back to what was saved, its clip among it."""
        super().restore()
        self._clip_again()

    def drawText(self, *args: Any) -> Any:  # type: ignore[override]  # one for all ways to say where
        """Write, or leave it."""
        letters = self.font()
        pixels = float(letters.pixelSize())
        if pixels < 0:
            pixels = letters.pointSizeF() * SCREEN_DPI / POINTS_PER_INCH
        if pixels * abs(self.combinedTransform().m22()) < self._least:
            return None
        in_box = isinstance(args[0], (QRect, QRectF))
        if in_box and self._anchors is not None and self._anchored(self._anchors, *args):
            return None
        written = super().drawText(*args)
        if in_box:  # what has no room there is cut by a clip of Qt's own
            self._clip_again()
        return written

    def _anchored(self, anchors: Anchors, box: QRect | QRectF, flags: Any, words: Any, *_: Any) -> bool:
        """Write words that keep their end or their middle, if these do, and cut off what has no room."""
        if not isinstance(words, str):
            return False
        rect = QRectF(box)
        placed = anchors.place(self, rect, int(flags), words)
        if placed is None:
            return False
        cut = not int(flags) & int(Qt.TextFlag.TextDontClip) and not rect.contains(
            self.boundingRect(rect, int(flags), words)
        )
        if cut:
            self.save()
            self.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        super().drawText(*placed)
        if cut:
            self.restore()
        return True

    def _clip_again(self) -> None:
        """Tell the clip once more: Qt's writer of SVG goes on with one that was left, and would cut all that is painted until the next."""
        if self.paintEngine().type() == QPaintEngine.Type.SVG and self.hasClipping():
            self.setClipPath(self.clipPath())


def paint_on(device: QPaintDevice, paint: Paint, least: float = 0.0, anchors: Anchors | None = None) -> None:
    """Let ``paint`` paint on a device, no letters lower than ``least`` pixels; ``anchors`` as in :class:`Lettering`. Raises
    :class:`StageboardError` where there is not enough memory for it."""
    painter = Lettering(least, anchors)
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
