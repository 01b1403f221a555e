"""Lanes and graphs of which a camera sees a part: slides say that there is more."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.look.theme import LIGHT
from gui.present.show import Show
from gui.present.transition.beyond import cut_sides, hidden_lanes
from gui.present.transition.transition import Shot
from planner.model.samples import STORIES
from planner.story.files.json import read_story, resolve
from planner.story.keyframe import Camera, Keyframe
from tests.gui.present.slides import overlapping, written_on
from tests.gui.present.test_views import graph_members, resolved

pytestmark = pytest.mark.usefixtures("qapp")

SIZE = (1280, 800)


def shot_of(show: Show, index: int = 0) -> tuple[Shot, tuple[bool, bool, bool, bool]]:
    shot = show.shots.shot(index)
    assert isinstance(shot, Shot)
    width, height = (round(side) for side in (show.places.stage.width(), show.places.stage.height()))
    viewport = shot.view.viewport(width, height, 1.0, shot.stage.left)
    return shot, cut_sides(shot.stage.scene, shot.stage.left, viewport, shot.width, shot.unit)


@pytest.mark.parametrize("view", ["flow", "lanes", "stages"])
def test_what_is_seen_whole_goes_on_at_no_side(view: str) -> None:
    show = Show(resolved(graph_members(n=40), Keyframe("", "", 0, view)), LIGHT, SIZE)
    assert shot_of(show)[1] == (False, False, False, False)


def test_chips_out_of_sight_are_counted() -> None:
    path = STORIES / "package.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, SIZE)
    index = next(i for i, k in enumerate(show.keyframes) if k.view == "lanes")
    shot, sides = shot_of(show, index)
    assert any(sides)
    lines = written_on(show, index)
    said = [
        int(line.words.split()[1]) for line in lines if line.words.endswith((" more chips", " more chip"))
    ]
    stage = show.places.stage
    viewport = shot.view.viewport(round(stage.width()), round(stage.height()), 1.0, shot.stage.left)
    hidden = [count for count, _ in hidden_lanes(shot.stage.scene, viewport, shot.unit) if count]
    assert said == hidden and hidden
    assert overlapping(lines) == []
    seen = re.findall(r"\bChip \d+", "\n".join(line.words for line in lines if line.box.left() < 300))
    assert len(set(seen)) + sum(said) >= shot.stage.scene.k


def test_a_graph_fades_where_it_goes_on() -> None:
    near = Camera(0.3, 0.3, 0.2, 0.2)
    show = Show(resolved(graph_members(n=60), Keyframe("", "", 0, "lanes", near)), LIGHT, SIZE)
    shot, sides = shot_of(show)
    assert sides[0] and sides[2]
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    show.paint_between(painter, 0, 0, 1.0)
    painter.end()
    data = np.frombuffer(image.constBits(), np.uint8).reshape(SIZE[1], SIZE[0], 4)[..., :3].astype(int)
    stage = show.places.stage
    rows = slice(round(stage.top()) + 4, round(stage.bottom()) - 4)
    at = round(stage.right()) - 2
    assert np.ptp(data[rows, at], axis=0).max() < 12, "the ground, and hardly anything else"
    assert shot.width > 0
