"""What is written on a slide: each line of words with the size of its letters and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from defusedxml.ElementTree import fromstring
from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QTransform
from PySide6.QtSvg import QSvgGenerator

from gui.look.drawn import into, paint_on
from gui.look.page import SCREEN_DPI
from gui.present.show import Show


@dataclass(frozen=True)
class Written:
    """Words, the height of their letters, and the box of their ink, in pixels of the slide."""

    words: str
    pixels: float
    box: QRectF


def written_on(show: Show, index: int) -> list[Written]:
    """All words of a slide, but for those that lie outside of it."""
    data = QByteArray()
    with into(data) as buffer:
        svg: QSvgGenerator = QSvgGenerator()
        svg.setOutputDevice(buffer)
        svg.setResolution(SCREEN_DPI)
        svg.setSize(QSize(*show.size))
        svg.setViewBox(QRectF(0, 0, *show.size))
        paint_on(svg, lambda painter: show.paint_slide(painter, index))
    frame = QRectF(0, 0, *show.size)
    return [found for found in written_in(bytes(data.data())) if frame.intersects(found.box)]


def written_in(svg: bytes) -> list[Written]:
    """All words of a drawing."""
    return list(_walk(fromstring(svg), {}))


def _walk(element: Any, inherited: dict[str, str]) -> Iterator[Written]:
    look = {**inherited, **element.attrib}
    if str(element.tag).endswith("}text"):
        words = "".join(element.itertext()).strip()
        if words and float(look.get("fill-opacity", "1")) > 0.0:
            yield _placed(words, look)
        return
    for child in element:
        yield from _walk(child, look)


def _placed(words: str, look: dict[str, str]) -> Written:
    numbers = [float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", look.get("transform", ""))]
    place = QTransform(*numbers) if len(numbers) == 6 else QTransform()
    size = float(look["font-size"])
    font = QFont()
    font.setPixelSize(max(1, round(size)))
    font.setBold(int(look.get("font-weight", "400")) >= 600)
    metrics = QFontMetricsF(font)
    ink = metrics.tightBoundingRect(words)
    before = {"end": 1.0, "middle": 0.5}.get(look.get("text-anchor", ""), 0.0) * metrics.horizontalAdvance(
        words
    )
    box = place.mapRect(ink.translated(float(look["x"]) - before, float(look["y"])))
    return Written(words, size * place.m22(), box)


def overlapping(lines: list[Written], least: float = 1.5) -> list[tuple[str, str]]:
    """Pairs of lines whose ink is on the same place: more than ``least`` pixels either way."""
    found = []
    for i, one in enumerate(lines):
        for other in lines[i + 1 :]:
            both = one.box.intersected(other.box)
            if both.width() > least and both.height() > least:
                found.append((one.words, other.words))
    return found
