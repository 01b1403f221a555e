"""The slides of the five stories that come along: no letters too small to read from afar, no two lines on one place, no white moment."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.look.theme import DARK, LIGHT
from gui.present.show import Show
from planner.model.samples import STORIES
from planner.story.files.json import read_story, resolve
from planner.story.story import Resolved
from tests.gui.present.slides import overlapping, written_on

pytestmark = pytest.mark.usefixtures("qapp")

FULL_HD, LEAST = (1920, 1080), 20.0
SLIDE, LEAST_OF_A_SLIDE = (1280, 720), 11 / 0.75
"""A slide of 960 x 540 pt as it is painted, in pixels of 1/96 inch, and 11 pt in them."""
NAMES = sorted(file.name for file in STORIES.iterdir())


@pytest.fixture(scope="module", params=NAMES)
def story(request: pytest.FixtureRequest) -> Resolved:
    path = STORIES / request.param
    return resolve(read_story(path), path.parent)


@pytest.mark.parametrize(("size", "least"), [(FULL_HD, LEAST), (SLIDE, LEAST_OF_A_SLIDE)])
def test_letters_are_read_from_the_fifth_row_and_stand_alone(
    story: Resolved, size: tuple[int, int], least: float
) -> None:
    show = Show(story, LIGHT, size)
    for index in range(show.count):
        lines = written_on(show, index)
        assert len(lines) > 8, "titles, figures and a caption at least"
        assert [line for line in lines if line.pixels < least - 0.01] == [], index
        assert overlapping(lines) == [], index


def test_the_measure_finds_what_it_is_for(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    path = STORIES / "edge-tpu.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, SLIDE)
    plain = show.paint_slide

    def scrawled(painter: QPainter, index: int) -> None:
        plain(painter, index)
        face = QFont()
        face.setPixelSize(9)
        painter.setFont(face)
        painter.drawText(300, 300, "tiny words")
        painter.drawText(302, 300, "other words")

    monkeypatch.setattr(show, "paint_slide", scrawled)
    lines = written_on(show, 0)
    assert {line.words for line in lines if line.pixels < LEAST_OF_A_SLIDE} == {"tiny words", "other words"}
    assert ("tiny words", "other words") in overlapping(lines)


def ink(show: Show, first: int, second: int, share: float) -> float:
    """The share of pixels that differ clearly from the grounds of a frame."""
    image = QImage(*show.size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    show.paint_between(painter, first, second, share)
    painter.end()
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[..., :3].astype(int)
    grounds = [QColor(colour) for colour in (show.theme.canvas, show.theme.panel)]
    away = [np.abs(data - [g.blue(), g.green(), g.red()]).max(axis=2) for g in grounds]
    return float((np.minimum(*away) > 24).mean())


def test_no_frame_of_a_transition_is_nearly_empty(story: Resolved) -> None:
    show = Show(story, DARK, (640, 400))
    for index in range(1, show.count):
        ends = min(ink(show, index - 1, index, share) for share in (0.0, 1.0))
        for share in (0.25, 0.5, 0.75):
            assert ink(show, index - 1, index, share) > 0.4 * ends, (index, share)
