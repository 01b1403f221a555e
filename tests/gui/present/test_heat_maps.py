"""Keyframes in the colours of a heat map: on the stage, between two keyframes, on slides and in the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QPainter

from gui.canvas.graph.heat.heat import COLOURINGS as TITLES
from gui.canvas.graph.heat.ramps import ramp
from gui.look.theme import LIGHT, Theme
from gui.present.export.export import ExportOptions, export_story
from gui.present.frames import held_at, pixels_of
from gui.present.html.page import page_of
from gui.present.html.svg import Colours, drawing
from gui.present.show import Show
from gui.present.transition.legend import legend_of
from gui.present.transition.transition import Shot
from planner.story.keyframe import COLOURINGS, Keyframe
from planner.story.story import Resolved
from tests.gui.present.talks import graph_members, resolved

SIZE = (1280, 800)
SCALE = "Bytes an op moves"
HEAT = tuple(
    Keyframe(view, "Stage 0 is told of.", 0, view, colouring="bytes") for view in ("flow", "lanes", "stages")
)


def told() -> Resolved:
    return resolved(graph_members(), Keyframe("flow", "", 0), *HEAT, Keyframe("costs", "", 1, "lanes", panel="costs", colouring="bytes"))  # fmt: skip


def words(show: Show, index: int) -> str:
    def paint(painter: QPainter, theme: Theme) -> None:
        show.paint_stage(painter, index)

    return drawing(SIZE, paint, Colours(), "stage", "s")


def test_stories_and_menus_colour_by_the_same() -> None:
    assert tuple(TITLES) == COLOURINGS


@pytest.mark.parametrize("index", [1, 2, 3, 4])
def test_cards_have_the_colours_of_the_scale_that_is_drawn(qapp, index: int) -> None:
    show = Show(told(), LIGHT, SIZE)
    shot = show.shots.shot(index)
    assert isinstance(shot, Shot) and shot.stage.scene.heat is not None
    scene, heat, top = shot.stage.scene, shot.stage.scene.heat, show.places.stage.top()
    pixels = pixels_of(show.image(held_at(show.starts, show.keyframes, index)))
    fills = ramp(LIGHT, False).fills
    for i in range(scene.items.count):
        x = (scene.x[i] + 0.85 * scene.w[i]) * shot.view.scale + shot.view.ox
        y = (scene.y[i] + 0.12 * scene.h[i]) * shot.view.scale + shot.view.oy + top
        assert int(pixels[int(y), int(x)]) & 0xFFFFFF == int(fills[heat.step[i]]) & 0xFFFFFF
    assert SCALE in words(show, index)


def test_legends_have_marks_only_where_cards_have_them(qapp) -> None:
    show = Show(told(), LIGHT, SIZE)
    shots = [show.shots.shot(index) for index in (0, 1)]
    found = []
    for shot in shots:
        assert isinstance(shot, Shot)
        found.append([e for line in legend_of(shot.stage.scene, shot.stage.headers, 1280.0) for e in line])
    plain, hot = found
    assert [entry.words for entry in plain] == [entry.words for entry in hot] and len(hot) > 1
    assert all(entry.device >= 0 for entry in plain) and {entry.device for entry in hot} == {-1}
    assert all(b.width < a.width for a, b in zip(plain, hot, strict=True)), "nor is there room for any"


def test_the_scale_is_below_the_cards_and_absent_by_stage(qapp) -> None:
    show = Show(told(), LIGHT, SIZE)
    assert SCALE not in words(show, 0)
    plain, hot = show.shots.shot(0), show.shots.shot(1)
    assert isinstance(plain, Shot) and isinstance(hot, Shot)
    _, y, _, h = hot.stage.scene.layout.bounds
    assert (y + h) * hot.view.scale + hot.view.oy < show.places.stage.height() - 60
    assert show.shots.morph(0, 1) is not None, "cards glide and change colour"
    middle = pixels_of(show.image(show.starts[1] + 0.5 * show.keyframes[1].transition))
    for index in (0, 1):
        assert not np.array_equal(middle, pixels_of(show.image(held_at(show.starts, show.keyframes, index))))


@pytest.mark.parametrize("ending", ["pdf", "pptx"])
def test_slides_are_written(qapp, tmp_path: Path, ending: str) -> None:
    if ending == "pptx":
        pytest.importorskip("pptx")
    kept = told()
    by_stage = replace(
        kept.story, keyframes=tuple(replace(k, colouring="stage") for k in kept.story.keyframes)
    )
    sizes = []
    for name, story in (("heat", kept), ("stage", replace(kept, story=by_stage))):
        file = tmp_path / f"{name}.{ending}"
        export_story(story, file, ExportOptions())
        sizes.append(file.read_bytes())
    assert sizes[0] != sizes[1]


def test_the_page_draws_it_with_its_scale(qapp) -> None:
    kept = told()
    page = page_of(kept, "light", SIZE, lambda *_: None)
    assert page.count(f">{SCALE}<") >= len(HEAT) + 1
    by_stage = replace(kept.story, keyframes=kept.story.keyframes[:1])
    assert SCALE not in page_of(replace(kept, story=by_stage), "light", SIZE, lambda *_: None)


def test_legends_of_powerpoint_slides_have_marks_only_where_the_picture_has_them(
    qapp, tmp_path: Path
) -> None:
    presentation = pytest.importorskip("pptx").Presentation
    file = tmp_path / "heat.pptx"
    export_story(told(), file, ExportOptions())
    found = []
    for slide in presentation(str(file)).slides:
        names = [shape.name for shape in slide.shapes]
        legend = [name for name in names if name.startswith("Legend: ")]
        found.append((len(legend), sum(name.startswith("Mark of ") for name in names)))
    by_stage, flow, lanes, stages = found[:4]
    assert by_stage == lanes == stages == (3, 3)
    assert flow == (3, 0), "cards of a flow have the colours of the scale"
