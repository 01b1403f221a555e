"""Keyframes that compare plans: what is painted at rest, on the way, as shapes, and in a page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from gui.look.numbers import one_time, signed_percent
from gui.look.theme import DARK, LIGHT, device_colours, font, numbered_colours
from gui.panels.comparison.canvases import names_told
from gui.panels.comparison.split_key import key_words
from gui.present.captions import LEAST, runs_text
from gui.present.comparison import schedules
from gui.present.comparison.canvases import CanvasesShot
from gui.present.comparison.making import comparison_of, comparison_shot
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.schedules import SchedulesShot
from gui.present.comparison.shot import ComparisonShot
from gui.present.comparison.words import comparison_runs, comparison_target
from gui.present.export.pptx import legend_entries
from gui.present.html.page import page_of
from gui.present.scenes import View
from gui.present.show import Show
from gui.present.stage import LEAD
from gui.present.transition.transition import Shot
from planner.errors import StageboardError
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import Comparison, compare
from planner.story.comparing import sample_times
from planner.story.keyframe import COMPARISONS, Camera, Keyframe
from planner.story.story import Resolved
from tests.gui.mcm_models import row_graph
from tests.gui.present.slides import overlapping, written_on
from tests.gui.present.talks import TARGETS, even, graph_members, resolved
from tests.gui.scribe import Scribe

pytestmark = pytest.mark.usefixtures("qapp")

SIZE = (640, 400)


def frame(comparison: str, **fields: Any) -> Keyframe:
    """Plan 1 against plan 0."""
    changed = {"versus": 0, "comparison": comparison, "transition": 1.0} | fields
    return Keyframe("B against A", "What B does.", 1, "comparison", **changed)


def comparing(*frames: Keyframe, kind: str = "pipeline") -> Resolved:
    members = graph_members(kind)
    first = members[0][0]
    third = first.problem.plan(even(first.problem.size, 2, 3), Provenance("third"), "third")
    return resolved([*members, (third, ())], Keyframe("First", "", 0, transition=0.5), *frames)


def pixels(image: QImage) -> np.ndarray:
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return data[:, : 4 * image.width()].copy()


def rest(show: Show, index: int) -> np.ndarray:
    return pixels(show.image(show.starts[index] + show.keyframes[index].transition + 0.01))


@pytest.mark.parametrize("kind", TARGETS)
def test_all_four_are_painted_in_both_themes(kind: str) -> None:
    frames = [frame(way, layout=layout) for way in COMPARISONS for layout in ("flow", "lanes")]
    told = comparing(*frames, kind=kind)
    for theme in (LIGHT, DARK):
        show = Show(told, theme, SIZE)
        pictures = [rest(show, i) for i in range(show.count)]
        for way in range(len(COMPARISONS) - 1):
            assert (pictures[1 + 2 * way] != pictures[3 + 2 * way]).any(), "each is another picture"
        for picture in pictures[1:]:
            assert (picture != pictures[0]).any()
            assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 20, "there is something on it"
        again = Show(told, theme, SIZE)
        assert np.array_equal(rest(again, 3), pictures[3]), "the same seconds, the same pixels"


def test_three_plans_stand_beside_one_another() -> None:
    show = Show(comparing(frame("side-by-side"), frame("side-by-side", beside=(2,))), LIGHT, SIZE)
    two, three = (show.shots.shot(i) for i in (1, 2))
    assert isinstance(two, ComparisonShot) and isinstance(three, ComparisonShot)
    assert [len(shot.parts()) for shot in (two, three)] == [3, 4], "and the devices above them"
    boxes = [part.rect for part in three.parts()]
    assert not any(
        a.intersected(b).width() > 1 and a.intersected(b).height() > 1
        for a in boxes
        for b in boxes
        if a is not b
    )
    words = [run.text for run in show.shots.figures(2)]
    assert {"A ", "B ", "C "} <= set(words)


@pytest.mark.parametrize("layout", ["flow", "lanes"])
def test_larger_letters_leave_names_on_cards_no_smaller(layout: str) -> None:
    problem = Problem(read_model(sample("unet.onnx")), Pipeline(4))
    plans = [
        problem.plan(even(problem.size, 4, shift), Provenance("by hand"), str(shift)) for shift in (0, 3)
    ]
    told = resolved(
        [(plan, ()) for plan in plans], Keyframe("First", "", 0), frame("side-by-side", layout=layout)
    )

    def named(letters: float) -> tuple[int, float, float]:
        shot = Show(told, LIGHT, (1280, 800), type_scale=letters).shots.shot(1)
        assert isinstance(shot, CanvasesShot)
        count, pixels = names_told(shot._canvases)
        return count, pixels * shot.grow / shot._canvases[0].fine, shot.grow

    usual = named(1.0)
    assert usual[0] > 40
    for letters in (1.1, 1.2, 1.35, 1.5):
        count, high, grow = named(letters)
        # Where they have no room in such letters, none has a name.
        assert (high >= 0.999 * usual[1] and (count >= usual[0] or letters > 1.2)) or (
            not count and letters > 1.35
        )
        assert grow > usual[2], "titles and legends are larger"


@pytest.mark.parametrize("layout", ["flow", "lanes"])
def test_larger_letters_are_larger_on_one_canvas_too(layout: str) -> None:
    told = comparing(frame("overlay", layout=layout))

    def shown(letters: float) -> OverlayShot:
        shot = Show(told, LIGHT, (1280, 800), type_scale=letters).shots.shot(1)
        assert isinstance(shot, OverlayShot)
        return shot

    usual, larger = shown(1.0), shown(1.5)
    assert larger.grow > usual.grow, "names and figures of the plans are larger"
    assert larger.names_grown >= 1.0 and larger.grow / larger._fine >= 0.999 * usual.grow
    assert larger.told >= usual.told or larger.names_grown == 1.0, "which the corner says"


@pytest.mark.parametrize("kind", ["overlay", "side-by-side"])
def test_no_name_of_an_op_on_a_slide_is_below_the_least_letters(kind: str) -> None:
    size, words = (1280, 720), read_model(sample("resnet50.json"))
    problem = Problem(words, Pipeline(4))
    n = words.n
    few, many = even(n, 4, 4), np.roll(even(n, 4, 4), 5)
    many[:5] = 0
    plans = [(problem.plan(d, Provenance("hand"), name), ()) for d, name in ((few, "one"), (many, "two"))]
    frames = [frame(kind, layout=layout) for layout in ("lanes", "flow")]
    small, near = Show(resolved(plans, *frames), LIGHT, size), Show(comparing(frame(kind)), LIGHT, size)
    names = [w for w in written_on(near, 1) if w.words.startswith("conv_")]
    assert names and all(w.pixels >= LEAST * 0.9 for w in names), "names that have room are written"
    labels = re.compile(r"(conv|bn|act|relu|add|pool)\w*\W*", re.IGNORECASE)
    assert not [w for w in written_on(small, 0) if labels.fullmatch(w.words)], "all or none"


@pytest.mark.parametrize("letters", [1.0, 1.35])
@pytest.mark.parametrize("kind", ["overlay", "side-by-side"])
def test_names_of_rows_of_a_compared_flow_have_the_least_letters(kind: str, letters: float) -> None:
    graph = read_model(sample("resnet50.json"))
    problem = Problem(graph, Pipeline(4))
    plans = [(problem.plan(even(graph.n, 4, shift), Provenance("hand"), str(shift)), ()) for shift in (0, 4)]
    show = Show(resolved(plans, frame(kind, layout="flow")), LIGHT, (1280, 720), type_scale=letters)
    lines = written_on(show, 0)
    names = [line for line in lines if re.match(r"conv\d_block\d", line.words)]
    assert all(line.pixels >= LEAST * 0.9 for line in names)
    assert names or (kind, letters) == ("side-by-side", 1.35), (
        "beside one another they have no room in large letters"
    )
    assert overlapping(names) == []


def test_the_line_above_says_both_and_the_difference() -> None:
    told = comparing(frame("sankey"))
    show = Show(told, LIGHT, SIZE)
    words = show.words(1)[1]
    a, b = (plan.objective for plan in told.plans[:2])
    assert words.startswith("What B does.") and "A " in words and "B " in words
    assert f"{abs(b - a) / a:.1%}".replace("%", " %") in words


def test_the_slider_goes_from_a_to_its_place() -> None:
    told = comparing(
        frame("overlay", layout="lanes", share=1.0), frame("overlay", layout="lanes", share=0.0),
        frame("overlay", layout="lanes", share=0.5),
    )  # fmt: skip
    show = Show(told, LIGHT, SIZE)
    b, a = rest(show, 1), rest(show, 2)
    assert (a != b).any()

    def stage(picture: np.ndarray) -> np.ndarray:
        box = show.places.stage
        return picture[int(box.top()) + 1 : int(box.bottom()) - 1]

    def at(index: int, share: float) -> np.ndarray:
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        show.paint_between(painter, index - 1, index, share)
        painter.end()
        return stage(pixels(image))

    assert np.array_equal(at(1, LEAD), stage(a)), "plan A comes up first"
    assert np.array_equal(at(2, 1e-9), stage(b)), "from where the slider was before"
    half = at(3, 0.999)
    assert (half != stage(a)).any() and (half != stage(b)).any()
    assert np.array_equal(at(1, 1.0), stage(b))
    show.reduced_motion = True
    assert np.array_equal(pixels(show.image(show.starts[1])), b), "a cut goes there at once"


def test_while_both_plans_show_lanes_have_the_figures_of_both() -> None:
    """And a line says what halves, colours and bars stand for."""
    told = comparing(*(frame("overlay", layout="lanes", share=share) for share in (0.0, 0.5, 1.0)))
    said = []
    for number in (1, 2, 3):
        shot = comparison_shot(told, told.story.keyframes[number], (1280.0, 560.0), 1.0, LIGHT)
        assert isinstance(shot, OverlayShot)
        scribe = Scribe(1280, 560)
        for part in shot.parts():
            part.paint(scribe)
        scribe.end()
        said.append([word for _, word in scribe.written])
        key = key_words(shot.over, 3)
        assert len(key) == 5 and set(key) <= set(said[-1]), "said wherever the slider is: it moves on"
    first, second = shot.over.headers
    assert first is not None and second is not None
    for d in range(len(first.pace)):
        assert np.isfinite([first.pace[d], second.pace[d]]).all()
        a, b = (data.column.text(float(data.pace[d])) for data in (first, second))
        assert a in said[0] and b in said[2]
        both = first.together(second, ("A", "B")).cost_words(d)
        assert both in said[1] or {a, b} <= set(said[1]), d
    assert {"A", "B"} <= set(said[1])
    assert "A" not in said[0] and "B" not in said[2], (
        "of one plan alone it is its title that says whose they are"
    )


def test_a_device_of_one_plan_is_called_as_that_plan_does() -> None:
    told = comparing(frame("overlay", layout="lanes"))
    shot = comparison_shot(told, told.story.keyframes[1], (1280.0, 560.0), 1.0, LIGHT)
    assert isinstance(shot, OverlayShot)
    first, second = shot.over.headers
    assert first is not None and second is not None
    pace = first.pace.copy()
    pace[0] = np.nan
    without = replace(first, pace=pace, titles=("not in this plan", *first.titles[1:]))
    assert without.together(second, ("A", "B")).titles == second.titles


def test_a_slider_goes_on_only_from_the_same_plans() -> None:
    told = comparing(
        frame("overlay"), frame("overlay", share=0.5), frame("overlay", layout="lanes"), frame("overlay", versus=2),
        frame("overlay", camera=Camera(0.0, 0.0, 0.5, 0.5)),
    )  # fmt: skip
    shots = [Show(told, LIGHT, SIZE).shots.shot(i) for i in range(1, 6)]
    first = shots[0]
    assert isinstance(first, OverlayShot)
    assert [first.like(shot) for shot in shots if isinstance(shot, OverlayShot)] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_schedules_begin_where_they_are_steady() -> None:
    told = comparing(frame("schedules"))
    shot = comparison_shot(told, told.story.keyframes[1], (640.0, 300.0), 1.0, LIGHT)
    assert isinstance(shot, SchedulesShot) and not shot.why_not
    for i in (0, 1):
        layout, since = shot._layout(i, 400.0, 100.0)
        assert layout.left == since > 0.0
    scales = {round(shot._layout(i, 400.0, 100.0)[0].scale, 9) for i in (0, 1)}
    assert len(scales) == 1, "one scale of time"
    layout, _ = shot._layout(1, 400.0, 100.0)
    times, column = layout.ticks()
    assert len(times) > 2 and column.number(times[0] - layout.origin).strip("0.") == "", (
        "counted from the first that is seen"
    )
    scribe = Scribe(640, 300)
    shot.parts()[-1].paint(scribe)
    scribe.end()
    assert [word for _, word in scribe.written if word.strip("0.") == ""], "the times stand below the charts"
    begins = [word for _, word in scribe.written if word.startswith("0 = ")]
    assert begins and begins[0].rpartition(", ")[0] in schedules.BEGINS, "and what they are counted from"


def test_lines_above_schedules_say_the_same_of_all_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    told = comparing(frame("schedules"))
    shot = comparison_shot(told, told.story.keyframes[1], (640.0, 300.0), 1.0, LIGHT)
    assert isinstance(shot, SchedulesShot)
    long, brief = "a plan with a long name", "a plan"
    said = [tuple("   ".join((name, "busy", "steady")[:n]) for n in (3, 2, 1)) for name in (long, brief)]
    monkeypatch.setattr(shot, "lines", said.__getitem__)
    wide = QFontMetricsF(font(10.0, bold=True)).horizontalAdvance
    for parts in range(3):
        width = wide(said[0][parts]) + 1.0
        assert [shot.line(i, width) for i in (0, 1)] == [said[0][parts], said[1][parts]]
    assert shot.line(1, 1.0) == brief


def test_lines_above_schedules_are_cut_between_facts() -> None:
    told = comparing(frame("schedules"))
    shot = comparison_shot(told, told.story.keyframes[1], (640.0, 300.0), 1.0, LIGHT)
    assert isinstance(shot, SchedulesShot)
    whole, *_, last = shot.lines(0)
    first = whole.split("   ")[1]
    assert first.startswith("a sample every ") and last == f"A   {first}"
    wide = QFontMetricsF(font(10.0, bold=True)).horizontalAdvance
    assert shot.line(0, max(wide(shot.lines(i)[-1]) for i in (0, 1)) + 1.0) == last


def test_plans_without_a_common_schedule_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(comparison: Comparison) -> tuple[str, ...]:
        raise StageboardError("no kind of schedule suits every plan")

    monkeypatch.setattr(schedules, "common_kinds", refuse)
    show = Show(comparing(frame("schedules")), LIGHT, SIZE)
    shot = show.shots.shot(1)
    assert isinstance(shot, SchedulesShot) and shot.words() == "no kind of schedule suits every plan"
    assert len(shot.parts()) == 1
    assert len(np.unique(rest(show, 1).reshape(-1, 4), axis=0)) > 5


def test_nothing_is_pointed_at_and_a_lens_changes_nothing() -> None:
    show = Show(comparing(frame("overlay")), LIGHT, SIZE)
    assert show.op_at(1, QPointF(300, 150)) == -1
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    show.paint_between(painter, 1, 1, 1.0, View(2.0, 0.0, 0.0))
    painter.end()
    assert np.array_equal(pixels(image), rest(show, 1))


def test_what_stands_out_and_the_camera_are_kept() -> None:
    near = frame("overlay", camera=Camera(0.0, 0.0, 0.4, 0.6))
    lit = frame("overlay", highlight=("n1",))
    show = Show(comparing(frame("overlay"), near, lit), LIGHT, SIZE)
    plain, closer, marked = (rest(show, i) for i in (1, 2, 3))
    assert (plain != closer).any() and (plain != marked).any()
    shot = show.shots.shot(3)
    assert isinstance(shot, OverlayShot) and shot.over.first.highlighted.sum() == 1


def test_slides_stay_inside_the_stage() -> None:
    """Shapes of a camera's picture do not run over the words around it."""
    show = Show(comparing(frame("side-by-side", camera=Camera(0.3, 0.3, 0.2, 0.2))), LIGHT, SIZE)
    with_shapes, words = (QImage(*SIZE, QImage.Format.Format_RGB32) for _ in range(2))
    for image in (with_shapes, words):
        painter = QPainter(image)
        show.paint_slide(painter, 1)
        painter.end()
    stage = show.places.stage
    below = QRectF(0, stage.bottom() + 1, SIZE[0], SIZE[1] - stage.bottom() - 1).toRect()
    rested = show.image(show.starts[1] + 1.01)
    assert np.array_equal(pixels(with_shapes.copy(below)), pixels(rested.copy(below)))


def test_a_page_has_them_as_drawings() -> None:
    told = comparing(
        frame("side-by-side"), frame("overlay", share=1.0), frame("overlay", share=0.5), frame("sankey"), frame("schedules")
    )  # fmt: skip
    text = page_of(told, "", SIZE, lambda done, of: None)
    data = data_of(text)
    frames = data["frames"]
    assert [one["kind"] for one in frames] == ["graph", *["drawing"] * 5]
    assert [one.get("slider") for one in frames[1:4]] == [
        None, {"from": 0.0, "to": 1.0, "lead": LEAD}, {"from": 1.0, "to": 0.5, "lead": 0.0},
    ]  # fmt: skip
    drawings = re.findall(r'<svg class="comparison"[^>]*aria-label="([^"]*)"', text)
    assert len(drawings) == 5 and "on one canvas, showing shifted" in drawings[1]
    assert text.count('class="second" opacity="1"') == 1 and text.count('class="knob"') == 2
    assert "style=" not in "".join(re.findall(r'<svg class="comparison".*?</svg></article>', text, re.S)), (
        "the page's policy allows no styles of its own"
    )


def test_letters_of_the_keyframe_are_those_of_the_picture() -> None:
    told = comparing(frame("overlay", letters="AC"), frame("sankey", letters="AC"))
    show = Show(told, LIGHT, SIZE)
    for i in (1, 2):
        words = [run.text for run in show.shots.figures(i)]
        assert "C " in words and "B " not in words
        shot = show.shots.shot(i)
        assert isinstance(shot, ComparisonShot) and shot.comparison.letter(1) == "C"


def data_of(page: str) -> dict[str, Any]:
    """What the page's script reads."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])  # type: ignore[index, no-any-return]


def test_matched_devices_have_one_colour_in_all_keyframes() -> None:
    two, four = (Problem(row_graph(12), Pipeline(k)) for k in (2, 4))
    # Stages 1 and 2 of the second plan have most in common with stages 0 and 1 of the first.
    one = two.plan(even(12, 2), Provenance("a"), "two")
    other = four.plan(np.array([0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3], np.int32), Provenance("b"), "four")
    frames = [
        Keyframe("Lanes", "", 1, view, panel=panel, versus=0)
        for view in ("flow", "lanes", "stages")
        for panel in ("costs", "difference")
    ]
    told = resolved([(one, ()), (other, ())], *frames, frame("side-by-side"))
    numbers = told.device_numbers[1]
    assert numbers != (0, 1, 2, 3) and numbers[1:3] == (0, 1) == told.device_numbers[0]
    show = Show(told, LIGHT, SIZE)
    compared = comparison_of(told, told.story.keyframes[-1])
    rows = numbered_colours(compared.numbers, LIGHT)
    for i in range(len(frames)):
        shot = show.shots.shot(i)
        assert isinstance(shot, Shot)
        assert shot.stage.palette.devices == tuple(rows[row] for row in compared.row_of[1].tolist())
        assert device_colours(4, show.shots.theme_of(i)) == shot.stage.palette.devices
    difference = show.shots.panel(1).comparison
    assert difference is not None
    assert [difference.numbers[row] for row in difference.row_of[1].tolist()] == list(numbers)
    assert [entry.colour for entry in legend_entries(other, numbers)] == list(numbers)
    assert "colours" not in show.shots.target(len(frames))
    # What is not compared keeps its own colours.
    alone = Show(resolved([(one, ()), (other, ())], *frames), LIGHT, SIZE)
    assert device_colours(4, alone.shots.theme_of(0)) == device_colours(4, LIGHT)


def test_a_page_has_the_colours_of_matched_devices() -> None:
    two, three = (Problem(row_graph(12), Pipeline(k)) for k in (2, 3))
    one = two.plan(even(12, 2), Provenance("a"), "two")
    other = three.plan(np.array([0] + 6 * [1] + 5 * [2], np.int32), Provenance("b"), "three")
    told = resolved([(one, ()), (other, ())], Keyframe("Flow", "", 1), frame("side-by-side"))
    numbers = told.device_numbers[1]
    assert numbers != (0, 1, 2)
    data = data_of(page_of(told, "light", SIZE, lambda done, of: None))
    stage = data["stages"][0]
    assert data["palettes"]["light"][stage["palette"]]["accent"] == [
        colour.accent for colour in numbered_colours(numbers, LIGHT)
    ]


def test_the_line_above_says_whose_colours_devices_have() -> None:
    told, two_rows = comparing(frame("overlay")), [(0, 1, 2), (0, 1, 2)]
    assert not comparison_target(comparison_of(told, frame("overlay")), two_rows).startswith("colours")
    two, three = (Problem(row_graph(12), Pipeline(k)) for k in (2, 3))
    plans = [two.plan(even(12, 2), Provenance("a"), "two"), three.plan(even(12, 3), Provenance("b"), "three")]
    told = resolved([(plan, ()) for plan in plans], frame("overlay", letters="AC"))
    comparison = comparison_of(told, told.story.keyframes[0])
    words = comparison_target(comparison, [(0, 1), (5, 1, 2)])
    assert words == "colours by A's devices; A on 2 stages, C on 3 stages"


def test_the_line_above_says_in_what_machines_of_one_size_differ() -> None:
    graph = row_graph(12)
    row, free = (Problem(graph, DevicePool(2, 1, contiguous=contiguous)) for contiguous in (True, False))
    plans = [problem.plan(even(12, 3), Provenance("a"), "a") for problem in (row, free)]
    for kept in (plans, plans[:1] * 2):
        told = resolved([(plan, ()) for plan in kept], frame("overlay"))
        said = Show(told, LIGHT, SIZE).shots.target(0)
        differs = "A contiguous, B non-contiguous; 2 accelerators + 1 CPU"
        assert said == (differs if kept is plans else "Device pool, contiguous, 2 accelerators + 1 CPU")


def test_words_change_at_the_middle_of_a_transition() -> None:
    show = Show(comparing(frame("sankey")), LIGHT, SIZE)
    caption = show.places.caption.toRect()
    pictures = []
    for share in (0.0, 0.3, 0.49, 0.51, 0.7, 1.0):
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        show.paint_between(painter, 0, 1, share)
        painter.end()
        pictures.append(pixels(image.copy(caption)))
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures[:3])
    assert all(np.array_equal(picture, pictures[-1]) for picture in pictures[3:])
    assert (pictures[0] != pictures[-1]).any()


def test_every_slide_matches_devices_alike() -> None:
    graph = row_graph(12)
    plans = [
        Problem(graph, Pipeline(k)).plan(np.array(devices, np.int32), Provenance("hand"), name)
        for k, devices, name in (
            (4, [0] * 6 + [1] * 2 + [2] * 2 + [3] * 2, "a"), (4, [0] * 2 + [1] * 10, "b"), (3, [0] * 8 + [1] * 2 + [2] * 2, "c"),
        )
    ]  # fmt: skip
    difference = Keyframe("C", "", 2, "lanes", panel="difference", versus=1)
    told = resolved([(plan, ()) for plan in plans], difference, frame("side-by-side", beside=(2,)))
    seen = Show(told, LIGHT, SIZE).shots.panel(0).comparison
    assert seen is not None
    every = {row.devices[1:] for row in comparison_of(told, told.story.keyframes[1]).rows}
    assert {row.devices for row in seen.rows} == every - {(-1, -1)}


def test_the_line_above_schedules_says_what_is_proven() -> None:
    plan, other = (plan for plan, _ in graph_members()[:2])
    values = [p.objective for p in (plan, other)]
    proof = plan.problem.bound(plan.problem.components[0], min(values), "simple", frozenset())
    told = resolved([(plan, (proof,)), (other, (proof,))], frame("schedules"))
    said = runs_text(Show(told, LIGHT, SIZE).shots.figures(0))
    assert "proven optimal" in said and "gap \N{LESS-THAN OR EQUAL TO}" in said, said


def test_the_line_above_schedules_says_what_samples_take() -> None:
    told = comparing(frame("schedules"), frame("side-by-side"), kind="edge-tpu")
    show = Show(told, LIGHT, SIZE)
    above, cost = (runs_text(show.shots.figures(i)) for i in (1, 2))
    kind, times, _ = sample_times(comparison_of(told, told.story.keyframes[1]))
    assert kind == "pipelined" and "a sample every " in above
    assert all(one_time(time, "s") in above for time in times) and "MiB" not in above
    assert "sample" not in cost and "iB" in cost


def streamed() -> Comparison:
    """Two plans of which one is faster by its schedule, and both wait for parameters on one link in practice."""
    ops = [
        Op(f"op{i}", f"op{i}", work=1e-3, work_cpu=1e-3, params=2**20, param_bytes=2**20) for i in range(6)
    ]
    edges = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0) for i in range(5)]
    problem = Problem(
        Graph.build("streamed", ops, edges, time_unit="s"), EdgeTpuPipeline(2, cache=1e6), "stage-time"
    )
    plans = [
        problem.plan(np.array(devices, np.int32), Provenance("slice"), "a plan with quite a long name")
        for devices in ([0] * 4 + [1] * 2, [0] * 3 + [1] * 3)
    ]
    return compare(plans)


def test_what_counts_in_practice_is_said_wherever_schedules_are_compared(qapp: object) -> None:
    comparison = streamed()
    shot = SchedulesShot(comparison, (640.0, 300.0), 1.0, LIGHT)
    wide = QFontMetricsF(font(10.0, bold=True)).horizontalAdvance
    rates = [plan.evaluation.figures["throughput"] for plan in comparison.plans]
    for i, letter in enumerate("AB"):
        about = f"about {one_time(1.0 / rates[i], 's')} in practice"
        assert shot.lines(i)[-1] == f"{letter}   {about}"
        for width in np.linspace(wide(shot.lines(0)[-1]) + 9.0, wide(shot.lines(0)[0]) + 9.0, 9).tolist():
            assert about in shot.line(i, width)
    change = signed_percent((1.0 / rates[1] - 1.0 / rates[0]) * rates[0])
    notes = shot.notes(300.0)
    assert notes[0].startswith("B against A: a sample every ") and notes[0].endswith(
        f"about {change} in practice"
    )
    reasons = [plan.problem.target.throughput_note(plan.evaluation) for plan in comparison.plans]
    assert notes[-1].startswith("numbers on bars: samples") and notes[1:-1] == [
        f"{letter} in practice: {why}" for letter, why in zip("AB", reasons, strict=True)
    ]
    assert shot.notes(3000.0) == [notes[0], notes[-1]], "the lines above the charts say why"
    above = runs_text(comparison_runs(comparison, LIGHT, "schedules"))
    assert above.startswith("in practice a sample every about A ") and change in above
