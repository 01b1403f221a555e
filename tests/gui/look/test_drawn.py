"""Pictures as bytes: whole, of the size that was asked for, or an error in words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontInfo, QImage, QPainter

from gui.look.drawn import drawing, drawn, encoded, slides
from gui.look.page import PRESETS, Page
from gui.look.writing import CENTRE, LEFT, RIGHT
from planner.errors import StageboardError

SVG = "{http://www.w3.org/2000/svg}"


def paint(painter: QPainter) -> None:
    painter.fillRect(0, 0, 30, 20, Qt.GlobalColor.red)


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_each_format_is_whole(suffix: str, start: bytes, qapp: Any) -> None:
    data = drawn(suffix, Page((400, 300)), "a title", paint)
    end = {".png": b"IEND\xaeB`\x82", ".svg": b"</svg>", ".pdf": b"%%EOF"}[suffix]
    assert data.startswith(start) and data.rstrip().endswith(end)


def test_slides_have_a_page_each_of_exactly_their_size(qapp: Any) -> None:
    data = slides((595, 841), "a title", [paint, paint, paint])  # nearly A4, which it is not to become
    assert data.count(b"/MediaBox [0 0 446.") == data.count(b"/MediaBox") == 3


def test_a_picture_that_memory_does_not_hold_is_an_error(qapp: Any) -> None:
    with pytest.raises(StageboardError, match=r"not enough memory for a picture of 0 x 0 pixels"):
        encoded(QImage())
    page = Page()
    object.__setattr__(page, "pixels", (2_000_000, 2_000_000))
    with pytest.raises(StageboardError, match=r"2000000 x 2000000 pixels; choose a smaller size"):
        drawn(".png", page, "", paint)


def test_drawings_name_letters_that_other_machines_have_and_clip(qapp: Any) -> None:
    def clipped(painter: QPainter) -> None:
        painter.setClipRect(0, 0, 10, 10)
        painter.drawText(0, 10, "words")

    text = drawing((40, 20), "a title", clipped).decode()
    family = QFontInfo(QFont()).family()
    assert f'font-family="{family}, Verdana, Arial, sans-serif"' in text
    assert "<clipPath" in text and 'version="1.1"' in text


def test_what_is_painted_after_a_clip_within_a_clip_is_cut_by_the_outer_one_alone(qapp: Any) -> None:
    def nested(painter: QPainter) -> None:
        painter.save()
        painter.translate(5, 0)
        painter.setClipRect(0, 0, 80, 80)
        painter.save()
        painter.setClipRect(0, 0, 10, 10, Qt.ClipOperation.IntersectClip)
        painter.drawText(0, 8, "inner")
        painter.restore()
        painter.drawText(0, 60, "outer")
        painter.drawText(QRectF(0, 62, 4, 8), 0, "cut")
        painter.drawText(0, 78, "next")
        painter.restore()
        painter.drawText(0, 95, "free")

    root = fromstring(drawing((100, 100), "a title", nested))
    tall = {clip.get("id"): max(heights(clip)) for clip in root.iter(f"{SVG}clipPath")}
    cut: dict[str, list[float]] = {}

    def walk(element: Any, clips: list[float]) -> None:
        if clip := element.get("clip-path"):
            clips = [*clips, tall[clip[len("url(#") : -1]]]
        if element.tag == f"{SVG}text":
            cut[element.text.strip()] = clips
        for child in element:
            walk(child, clips)

    walk(root, [])
    assert cut == {"inner": [10.0], "outer": [80.0], "cut": [70.0], "next": [80.0], "free": []}


@pytest.mark.parametrize(("align", "anchor", "x"), [(RIGHT, "end", 110.0), (CENTRE, "middle", 60.0)])
def test_aligned_words_keep_their_end_or_middle_whatever_letters_a_reader_of_drawings_has(
    align: int, anchor: str, x: float, qapp: Any
) -> None:
    box = QRectF(10, 20, 100, 20)

    def aligned(painter: QPainter) -> None:
        painter.drawText(box, align, "1 \N{MICRO SIGN}s < \N{CYRILLIC SMALL LETTER BE}")
        painter.drawText(box, LEFT, "beginning")
        painter.drawText(box, align | int(Qt.TextFlag.TextWordWrap), "two words that are broken into lines")

    root = fromstring(drawing((200, 60), "a title", aligned))
    first, second, *lines = root.iter(f"{SVG}text")
    # Letters of two scripts are one text, else only its last would keep the place.
    assert first.text == "1 \N{MICRO SIGN}s < \N{CYRILLIC SMALL LETTER BE}"
    assert first.get("text-anchor") == anchor and float(first.get("x")) == x
    assert float(first.get("y")) == pytest.approx(float(second.get("y")), abs=0.01)
    assert second.get("text-anchor") is None and float(second.get("x")) == 10.0
    assert len(lines) > 1 and not any(line.get("text-anchor") for line in lines)


def test_aligned_words_that_have_no_room_are_cut_as_elsewhere(qapp: Any) -> None:
    def narrow(painter: QPainter) -> None:
        painter.drawText(QRectF(50, 0, 10, 20), RIGHT, "wider than ten")
        painter.drawText(QRectF(50, 0, 10, 20), RIGHT | int(Qt.TextFlag.TextDontClip), "free")
        painter.drawText(QRect(50, 0, 50, 20), RIGHT, "room")

    root = fromstring(drawing((100, 20), "a title", narrow))
    above = {child: parent for parent in root.iter() for child in parent}
    groups = {text.text: (above[text], above[above[text]]) for text in root.iter(f"{SVG}text")}
    cut = {words: any("clip-path" in group.attrib for group in around) for words, around in groups.items()}
    assert cut == {"wider than ten": True, "free": False, "room": False}


def heights(clip: Any) -> list[float]:
    """How low the corners of a clip are."""
    return [float(y) for path in clip for y in re.findall(r"[ML][-\d.]+,([-\d.]+)", path.get("d"))]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (PRESETS["slide"], ("1920", "1080")),
        (Page((640, 400)), ("640", "400")),
        (PRESETS["column"], ("84.93mm", "200.03mm")),
    ],
)
def test_drawings_are_as_large_as_their_pages(page: Page, shown: tuple[str, str], qapp: Any) -> None:
    """On a screen as many pixels, on paper as many millimetres."""
    root = fromstring(drawn(".svg", page, "a title", paint).decode())
    wide, high = (root.get(side, "") for side in ("width", "height"))
    for value, most in zip((wide, high), shown, strict=True):
        assert value.endswith("mm") == most.endswith("mm")
        assert float(value.removesuffix("mm")) == pytest.approx(float(most.removesuffix("mm")), abs=0.05)
    box = [float(value) for value in root.get("viewBox", "").split()]
    assert box[2] / box[3] == pytest.approx(page.pixels[0] / page.pixels[1], rel=0.01)
