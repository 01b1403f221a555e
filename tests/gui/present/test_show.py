"""Stories painted at any moment: the same seconds give the same pixels, at every size, for every target."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QPolygonF

from gui.canvas.graph import labels
from gui.look.drawn import drawn
from gui.look.page import Page
from gui.look.theme import DARK, LIGHT
from gui.panels.schedule.layout import ChartLayout, device_rows
from gui.present.captions import band_height, figures_text, lines_of, measure, target_words, words_for
from gui.present.panels.lines import paint_convergence
from gui.present.panels.panels import STEADY, schedule_of, show_steady
from gui.present.scenes import MARGIN, Graphs
from gui.present.show import FIRST, Show
from planner.machines.pool.target import DevicePool
from planner.problem.bound import Bound
from planner.problem.problem import Pin, Plan, Problem, Together
from planner.problem.provenance import Provenance
from planner.story.keyframe import Camera, Keyframe
from planner.story.story import Resolved
from tests.gui.mcm_models import row_graph
from tests.gui.present.talks import (
    TARGETS,
    even,
    graph_members,
    network_members,
    network_talk,
    resolved,
    talk,
)
from tests.gui.scribe import Scribe

pytestmark = pytest.mark.usefixtures("qapp")


def pixels(image: QImage) -> np.ndarray:
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return data[:, : 4 * image.width()].copy()


def settled(show: Show, index: int) -> float:
    return show.starts[index] + show.keyframes[index].transition + 0.01


@pytest.fixture(params=[*TARGETS, "network"])
def any_talk(request: pytest.FixtureRequest) -> Resolved:
    return network_talk() if request.param == "network" else talk(request.param)


def test_times_of_a_story() -> None:
    made = talk()
    show = Show(made, LIGHT, (320, 200))
    assert show.duration == pytest.approx(made.story.duration)
    assert show.starts[0] == 0.0 and len(show.starts) == show.count == 7
    assert [show.index_at(start + 0.001) for start in show.starts] == list(range(7))
    assert show.index_at(-1.0) == 0 and show.index_at(1e9) == 6
    assert not show.settled(show.starts[1] + 0.1) and show.settled(settled(show, 1))


def test_same_seconds_same_pixels(any_talk: Resolved) -> None:
    """Whatever was painted before: another show paints the moments in another order."""
    one, other = Show(any_talk, LIGHT, (480, 300)), Show(any_talk, LIGHT, (480, 300))
    moments = [t for i in range(one.count) for t in (one.starts[i] + 0.3, settled(one, i))]
    first = [pixels(one.image(t)) for t in moments]
    again = [pixels(other.image(t)) for t in reversed(moments)][::-1]
    for t, a, b in zip(moments, first, again, strict=True):
        assert np.array_equal(a, b), t


def test_frames_begin_and_end_where_keyframes_rest(any_talk: Resolved) -> None:
    show = Show(any_talk, LIGHT, (480, 300))
    for i in range(1, show.count):
        before, after = pixels(show.image(settled(show, i - 1))), pixels(show.image(settled(show, i)))
        assert np.array_equal(pixels(show.image(show.starts[i])), before)
        late = pixels(show.image(show.starts[i] + 0.999 * show.keyframes[i].transition)).astype(int)
        assert np.abs(late - after.astype(int)).mean() < 4.0, i


def test_both_themes_sizes_and_ratios(any_talk: Resolved) -> None:
    for theme, size, ratio in ((LIGHT, (320, 200), 1.0), (DARK, (480, 270), 2.0), (DARK, (200, 300), 1.5)):
        show = Show(any_talk, theme, size)
        for i in range(show.count):
            image = show.image(settled(show, i), ratio)
            assert (image.width(), image.height()) == (round(size[0] * ratio), round(size[1] * ratio))
            assert len(np.unique(pixels(image))) > 4


def test_reduced_motion_cuts() -> None:
    show = Show(talk(), LIGHT, (320, 200))
    show.reduced_motion = True
    for i in range(show.count):
        assert np.array_equal(pixels(show.image(show.starts[i])), pixels(show.image(settled(show, i))))


def test_moved_ops_are_told_and_change_colour() -> None:
    show = Show(talk(), LIGHT, (480, 300))
    first, second = (plan.decision.device_of for plan in show.resolved.plans if isinstance(plan, Plan))
    assert show.moved(2, 3).tolist() == np.flatnonzero(first != second).tolist()
    assert not len(show.moved(0, 1))


def test_slides_are_vectors_without_errors(any_talk: Resolved) -> None:
    show = Show(any_talk, LIGHT, (640, 400))
    for i in range(show.count):
        data = drawn(".pdf", Page(show.size), "x", partial(show.paint_slide, index=i))
        assert data.startswith(b"%PDF") and len(data) > 2000


def test_nothing_of_the_stage_is_drawn_beside_or_below_a_panel() -> None:
    """A camera close to the graph: in slides as in the window, it ends where the panel's column begins."""
    near = Keyframe("Part", "", 0, camera=Camera(0.0, 0.0, 0.2, 0.2), panel="costs")
    show = Show(resolved(graph_members(n=40), near), LIGHT, (640, 400))
    image = QImage(640, 400, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    show.paint_slide(painter, 0)
    painter.end()
    panel, stage = show.places.panel("costs"), show.places.stage
    beside = [
        image.pixelColor(x, y).name()
        for x in (int(panel.left()) - 3, 637)
        for y in range(int(stage.top()) + 2, int(stage.bottom()) - 2)
    ]
    assert set(beside) == {LIGHT.canvas}


def test_a_schedule_begins_with_its_steady_state() -> None:
    plan = graph_members(n=40)[0][0]
    found = schedule_of(plan)
    steady = next(span for span in found.spans if span.name == STEADY)
    devices = [device.title for device in plan.problem.devices]
    layout = ChartLayout(found, device_rows(found, devices), None, 400.0, 200.0)
    show_steady(layout)
    assert layout.left == steady.start > 0.0
    assert layout.x(steady.start) == layout.gutter
    assert layout.time(layout.gutter + layout.plot_width) <= steady.finish + 1e-9


def test_a_camera_shows_its_part() -> None:
    members = graph_members(n=40)
    part = Keyframe("Part", "", 0, camera=Camera(0.0, 0.0, 0.2, 0.2))
    show = Show(resolved(members, Keyframe("All", "", 0), part), LIGHT, (640, 400))
    whole, near = show.shots.shot(0).view, show.shots.shot(1).view  # type: ignore[union-attr]
    assert near.scale > whole.scale


@pytest.mark.parametrize(
    "camera",
    [
        Camera(-0.4, 0.1, 0.8, 0.8),
        Camera(0.3, -0.3, 0.8, 0.8),
        Camera(0.2, 0.2, 2.0, 0.5),
        Camera(0.5, -0.5, 0.4, 2.0),
    ],
)
@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_nothing_of_a_slide_is_blank_for_what_was_blank_around_the_graph_on_a_canvas(
    camera: Camera, view: str
) -> None:
    """What was moved half out of sight, or stood alone in a wide canvas, fills the slide as far as there is more of it."""
    room = (640.0, 320.0)
    stage = Graphs(room, 1.0, LIGHT).stage(graph_members(n=40)[0][0], view)
    seen, (x, y, w, h) = stage.seen(camera, room, 1.0), stage.scene.layout.bounds
    for start, length, offset, low, high in (
        (x, w, seen.ox, stage.left, room[0]),
        (y, h, seen.oy, 0.0, room[1]),
    ):
        before = start * seen.scale + offset - low
        after = high - (start + length) * seen.scale - offset
        most = MARGIN + 1.0
        # All of it stands in the middle; of more than there is room for, neither side is blank.
        assert before == pytest.approx(after, abs=1.5) or max(before, after) <= most


def test_ops_are_found_under_the_pointer() -> None:
    show = Show(talk(), LIGHT, (640, 400))
    for op in range(12):
        assert show.op_at(1, QPointF(show.stage.op_rect(1, op).center())) == op
    assert show.op_at(1, QPointF(5, 395)) == -1
    assert show.op_at(6, QPointF(300, 200)) == -1


def test_a_moment_of_a_network_lies_between_two() -> None:
    made = network_talk()
    show = Show(made, LIGHT, (480, 300))
    assert show.stage.plays(0, 1) and not show.stage.plays(2, 3)
    a, half, b = (pixels(show.image(t)) for t in (show.starts[1], show.starts[1] + 1.0, settled(show, 1)))
    assert not np.array_equal(a, half) and not np.array_equal(half, b)


# ---------------------------------------------------------------------- words
def test_captions_are_never_clipped() -> None:
    long = "A caption that goes on and on, with anextremelylongwordthatdoesnotendwhereitshould " * 5
    for width, height in ((1280, 800), (320, 200), (640, 1000)):
        unit = min(width / 1280, height / 800)
        band = band_height([("Title", long)], width, height, unit)
        room = width - 80 * unit
        words = words_for("Title", long, room, band - 44 * unit, unit)
        assert words.height <= band - 44 * unit or words.caption_px <= 6
        for line in words.caption:
            assert measure(words.caption_px).horizontalAdvance(line) <= room + 1
        assert "".join("".join(words.caption).split()) == "".join(long.split())


def test_lines_are_of_about_equal_lengths() -> None:
    text = "one two three four five six seven eight nine ten eleven"
    wide = measure(20).horizontalAdvance(text) * 0.9
    first, second = lines_of(text, 20, False, wide)
    assert measure(20).horizontalAdvance(second) > 0.6 * measure(20).horizontalAdvance(first)


def test_figures_say_what_is_proven() -> None:
    (even, none), (shifted, bounds) = graph_members()
    assert "no bound" in figures_text(even, none, LIGHT)
    said = figures_text(shifted, bounds, LIGHT)
    assert "at least" in said and "gap ≤ 10.0 %" in said
    tight = shifted.problem.bound(shifted.problem.components[0], shifted.objective, "simple", frozenset())
    assert "proven optimal" in figures_text(shifted, [tight], LIGHT)
    order = network_members()[0][0]
    assert figures_text(order, (), LIGHT).startswith(f"{order.objective:,.0f} I/Os"), "not twice"


def test_components_that_are_all_proven_are_said_so_once() -> None:
    plan = graph_members("edge-tpu")[1][0]
    assert isinstance(plan, Plan)
    values = plan.evaluation.components
    tight = [plan.problem.bound(name, value, "exact", frozenset()) for name, value in values.items()]
    said = figures_text(plan, tight, LIGHT)
    assert len(values) > 1 and said.count("proven") == 1 and said.endswith("proven optimal")


def test_names_of_what_steps_back_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    (plan, bounds), _ = graph_members()
    said = resolved([(plan, bounds)], Keyframe("x", "", 0, highlight=("n0",)))

    def painted() -> np.ndarray:
        show = Show(said, LIGHT, (1280, 800))
        return pixels(show.image(settled(show, 0)))

    legible = painted()
    monkeypatch.setattr(labels, "DIMMED", 0.0)
    assert (painted() != legible).any()


def test_targets_in_words() -> None:
    assert target_words(graph_members("pool")[0][0].problem) == "Device pool, 2 accelerators + 1 CPU"
    assert target_words(network_members()[0][0].problem) == "fast memory of 6 values, MIN"


def test_targets_say_what_plans_must_keep() -> None:
    (plan, _), _ = graph_members()
    assert isinstance(plan, Plan)
    assert target_words(plan.problem) == f"Pipeline, {len(plan.problem.devices)} stages"
    target = replace(plan.problem.target, memory=40 * 2.0**20)  # type: ignore[call-arg]
    device = plan.problem.devices[0].name
    tight = Problem(plan.problem.graph, target, constraints=(Pin("n0", device), Pin("n1", device)))
    assert target_words(tight).endswith(" stages, memory 40.00 MiB, with 2 pins")
    kept = Problem(plan.problem.graph, plan.problem.target, constraints=(Together(("n0", "n1")),))
    assert target_words(kept).endswith(" stages, with 1 group kept together")


def test_words_for_those_who_listen() -> None:
    show = Show(talk(), LIGHT, (320, 200))
    name, description = show.words(1)
    assert name == "2 of 7: Costs" and description.startswith("What each device pays.")


def test_an_invalid_plan_is_said_to_be_one() -> None:
    (plan, _), _ = graph_members()
    assert isinstance(plan, Plan)
    backwards = plan.problem.plan(plan.decision.device_of[::-1].copy(), plan.provenance)
    show = Show(resolved([(backwards, ())], Keyframe("x", "", 0, panel="costs"), Keyframe("y", "", 0, "certificate")), LIGHT, (640, 400))  # fmt: skip
    assert "violation" in show.words(0)[1]
    image = QImage(640, 400, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    show.paint_between(painter, FIRST, 0, 0.5)
    show.paint_between(painter, 0, 1, 0.5)
    painter.end()


def test_no_line_runs_through_what_no_plan_is_below() -> None:
    (plan, _), (other, _) = graph_members()
    assert isinstance(plan, Plan)
    first = plan.problem.bound(
        plan.problem.components[0], 0.5 * other.evaluation.objective, "simple", frozenset()
    )
    second = plan.problem.bound(
        plan.problem.components[0], 0.52 * other.evaluation.objective, "simple", frozenset()
    )
    steps: list[float] = []

    class Lines(Scribe):
        def drawPolyline(self, line: QPolygonF) -> None:  # type: ignore[override]
            steps.extend(line.value(i).y() for i in range(line.size()))

    painter = Lines(400, 500)
    paint_convergence(
        painter, QRectF(0, 0, 400, 500), [(plan, (first,)), (other, (first, second))], 2, 1.0, LIGHT
    )
    painter.end()
    place = next(rect for rect, words in painter.written if words.startswith("no plan is below"))
    assert steps and all(not place.top() <= y <= place.bottom() for y in steps)


def test_headers_tell_the_problems_of_a_story_apart() -> None:
    """What is proven under a rule, and what is proven later, contradicts nothing."""
    graph = row_graph(12)
    row, free = (Problem(graph, DevicePool(2, 1, contiguous=contiguous)) for contiguous in (True, False))
    members: list[tuple[Plan, tuple[Bound, ...]]] = []
    for problem, share in ((row, 0.5), (row, 0.9), (free, 0.7)):
        plan = problem.plan(even(graph.n, 3), Provenance("hand"), "")
        bound = problem.bound(problem.components[0], share * plan.objective, "simple", frozenset())
        members.append((plan, (bound,)))
    show = Show(resolved(members, *(Keyframe("x", "", i, "lanes") for i in range(3))), LIGHT, (640, 400))
    said = [show.shots.target(i) for i in range(3)]
    assert said == [
        f"Device pool, {rule}, 2 accelerators + 1 CPU" for rule in ("contiguous",) * 2 + ("non-contiguous",)
    ]
    assert ["so far" in show.words(i)[1] for i in range(3)] == [True, False, False]
    alone = Show(resolved(members[:1], Keyframe("x", "", 0)), LIGHT, (640, 400))
    assert alone.shots.target(0) == "Device pool, contiguous, 2 accelerators + 1 CPU"
    assert "so far" not in alone.words(0)[1]
