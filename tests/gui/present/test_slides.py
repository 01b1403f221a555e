"""The slides of the five stories that come along: no letters too small to read from afar, no two lines on one place, no white moment."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.stages.routes import stage_ribbons
from gui.look.numbers import one_time
from gui.look.theme import DARK, LIGHT, device_colours
from gui.present.captions import Run, paint_header
from gui.present.growing import says_no_less
from gui.present.panels.difference import paint_difference
from gui.present.panels.rows import Row, bar_rects, row_boxes
from gui.present.show import Show
from gui.present.transition.transition import Shot
from planner.formats import read_models
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import STORIES, sample
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.quantity import bytes_text
from planner.reports.comparison import compare
from planner.story.files.json import read_story, resolve
from planner.story.keyframe import Keyframe
from planner.story.story import Resolved
from tests.gui.mcm_models import package_problem
from tests.gui.present.slides import overlapping, written_on
from tests.gui.present.talks import even, resolved
from tests.gui.scribe import Scribe

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


def test_what_is_written_on_the_stage_follows_larger_letters(story: Resolved) -> None:
    """As far as it has room: nothing is said less, and nothing lies on another."""
    size, grown = (1280, 800), 1.5
    show = Show(story, LIGHT, size, type_scale=grown)
    shots = show.shots
    for index in range(show.count):
        shot, kind = shots.shot(index), shots.panel_kind(index)
        if kind and show._cuts_words(index, show._panel_letters(kind)):
            assert show._panel_letters(kind) == show.unit, "letters in panels grow as far as words have room"
        stage = show.places.stage.adjusted(0, 4, 0, 0)
        assert overlapping([line for line in written_on(show, index) if stage.contains(line.box)]) == [], (
            index
        )
        if isinstance(shot, Shot):
            assert show.unit <= shot.unit <= show.letters
            assert says_no_less(shots._told(index, shot.unit / show.unit), shots._told(index, 1.0))
    views = {keyframe.view for keyframe in show.keyframes}
    assert "flow" not in views or shots._grown("flow") == grown, "there rows and legends have room"
    assert "network" not in views or shots._networks._unit == show.letters


def test_a_header_that_is_long_has_two_lines() -> None:
    runs = [
        Run("chip latency ", LIGHT.muted),
        Run("12.34 ms", LIGHT.text, True),
        Run("gap \u2264 10.0 %", LIGHT.text),
    ]
    for target, lines in (
        ("Multi-chip module, 36 chips", 1),
        ("Multi-chip module, 36 chips, int8, memory of a chip 40.00 MiB, attention_mask copied", 2),
    ):
        scribe = Scribe(960, 600)  # the usual size of a GIF
        paint_header(scribe, QRectF(0, 0, 960, 38), "BERT-large", target, runs, 0.75, LIGHT)
        scribe.end()
        places = {text: rect for rect, text in scribe.written}
        assert target in places and "BERT-large" in places, "whole"
        assert len({places[text].top() for text in (target, "BERT-large")}) == lines
        assert all(rect.top() >= 0 and rect.bottom() <= 38 for rect in places.values())


@pytest.mark.parametrize("size", [(1280, 800), FULL_HD])
def test_every_link_of_the_edge_tpus_says_its_bytes(size: tuple[int, int]) -> None:
    path = STORIES / "edge-tpu.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, size)
    stages = [i for i in range(show.count) if show.keyframes[i].view == "stages"]
    assert len(stages) == 4
    for index in stages:
        shot = show.shots.shot(index)
        assert isinstance(shot, Shot)
        flows = [bytes_text(flow) for flow in shot.stage.scene.flow[shot.stage.scene.flow > 0].tolist()]
        words = [line.words for line in written_on(show, index)]
        assert len(flows) == 3
        assert [flow for flow in flows if flow not in words] == [], index


def test_times_say_of_what_they_are() -> None:
    """The time of a stage stands beside the interval of pictures, which is another figure."""
    path = STORIES / "edge-tpu.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, (1280, 800))
    plan = show.resolved.plans[0]
    assert isinstance(plan, Plan)
    words = [line.words for line in written_on(show, 1)]
    alone, interval = plan.evaluation.cost.max(), 1 / plan.evaluation.figures["throughput"]
    assert f"stage time {one_time(float(alone), 's')}" in words
    assert f"one picture comes every {one_time(interval, 's')}" in " ".join(words)
    assert one_time(float(alone), "s") not in words, "no time stands without a name"


def test_bytes_beside_a_link_lie_on_no_other(qapp: QApplication) -> None:
    """What stands on a ribbon is read as that ribbon's."""
    path = STORIES / "pipeline.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, (1280, 800))
    looked = 0
    for index in range(show.count):
        shot = show.shots.shot(index)
        if not isinstance(shot, Shot) or shot.stage.view != "stages":
            continue
        ribbons = stage_ribbons(shot.stage.scene)
        view, top = shot.view, show.places.stage.top()
        boxes = {line.words: line.box for line in written_on(show, index)}
        for ribbon in ribbons:
            box = boxes.get(bytes_text(ribbon.bytes))
            if box is None or len(ribbon.route) > 2:
                continue
            looked += 1
            for other in ribbons:
                half = other.width * view.scale / 2
                points = other.route * view.scale + (view.ox, view.oy + top)
                for a, b in pairwise(points.tolist()):
                    run = QRectF(QPointF(*np.minimum(a, b)), QPointF(*np.maximum(a, b)))
                    on = run.adjusted(-half, -half, half, half).intersects(box)
                    assert other is ribbon or other.bytes == ribbon.bytes or not on, (index, ribbon.bytes)
    assert looked >= 2


def test_bytes_of_two_ways_stand_in_the_order_of_their_arrows(qapp: QApplication) -> None:
    path = STORIES / "device-placement.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, FULL_HD)
    looked = 0
    for index in range(show.count):
        shot = show.shots.shot(index)
        if not isinstance(shot, Shot) or shot.stage.view != "stages":
            continue
        straight = {(r.src, r.dst): r for r in stage_ribbons(shot.stage.scene) if len(r.route) == 2}
        boxes = {line.words: line.box for line in written_on(show, index)}
        for (a, b), ribbon in straight.items():
            back = straight.get((b, a))
            if back is None or ribbon.route[0, 1] >= back.route[0, 1]:
                continue
            looked += 1
            # Between plates the number stands above its unit.
            upper, lower = (
                boxes[text if text in boxes else text.split()[0]]
                for text in (bytes_text(ribbon.bytes), bytes_text(back.bytes))
            )
            assert upper.bottom() < lower.top(), index
    assert looked >= 4


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
            assert ink(show, index - 1, index, share) > 0.35 * ends, (index, share)


def test_long_names_give_way_to_short_ones_before_they_are_cut(qapp: object) -> None:
    """What is written of devices beside the stage and in lanes is never cut so that two are called alike."""
    colour = device_colours(1, LIGHT)[0]
    names = ("Accelerator 0 (was Stage 0)", "acc 0 (was stage 0)", "acc 0")
    for width, shown in ((900.0, names[0]), (380.0, names[1]), (200.0, names[2])):
        scribe = Scribe(1000, 200)
        rows = [Row(names[0], "+171.19 µs", colour, briefer=names[1:])]
        bars = bar_rects(scribe, row_boxes(QRectF(0, 0, width, 60), 1, 1.0), rows, 1.0, LIGHT)
        scribe.end()
        assert scribe.written[0][1] == shown and bars[0].width() > 0.08 * width


def test_changes_of_devices_are_in_the_unit_of_the_large_letters_above_them(qapp: object) -> None:
    ops = [Op(f"n{i}", f"n{i}", work=2e-4, work_cpu=2e-4) for i in range(12)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=0.0) for i in range(11)]
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), Pipeline(12))
    before, after = (
        problem.plan(devices, Provenance(name), name)
        for devices, name in ((np.zeros(12, np.int32), "a"), (even(12, 12), "b"))
    )
    scribe = Scribe(400, 560)
    paint_difference(scribe, QRectF(0, 0, 360, 540), after, before, compare([before, after]), 1.0, LIGHT)
    scribe.end()
    words = [word for _, word in scribe.written]
    assert any(word.startswith("200.00 µs") for word in words) and "\N{MINUS SIGN}2,200.00 µs" in words
    assert not any("ms" in word for word in words)


def test_of_many_devices_the_largest_changes_are_named(qapp: object) -> None:
    problem = package_problem(n=72, chips=36)
    before = problem.plan(even(72, 36), Provenance("a"), "before")
    moved = even(72, 36)
    moved[:6] = 0
    after = problem.plan(moved, Provenance("b"), "after")
    comparison = compare([before, after])
    scribe = Scribe(400, 560)
    paint_difference(scribe, QRectF(0, 0, 360, 540), after, before, comparison, 1.0, LIGHT)
    scribe.end()
    words = [word for _, word in scribe.written]
    named = [word for word in words if word.startswith("Chip ")]
    assert "Chip 0" in named and 5 < len(named) < 36 and len(set(named)) == len(named)
    assert f"the other {36 - len(named)} chips change less" in words
    change = comparison.differences(1).cost
    least = min(abs(change[int(name.split()[1])]) for name in named)
    others = [abs(c) for chip, c in enumerate(change) if f"Chip {chip}" not in named]
    assert max(others) <= least + 1e-12


@pytest.mark.parametrize("size", [(1280, 800), SLIDE, FULL_HD])
@pytest.mark.parametrize("panel", ["", "schedule"])
def test_plates_say_names_and_costs_and_figures_stand_apart(
    qapp: QApplication, size: tuple[int, int], panel: str
) -> None:
    """Beside a panel, too, where lines of the least letters are higher than a quarter of a plate."""
    graph = read_models([sample("xception.json")])
    problem = Problem(graph, Pipeline(5))
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.repeat(np.arange(5), (16, 20, 28, 30, 40))
    plan = problem.plan(device_of, Provenance("hand"), "by hand")
    show = Show(resolved([(plan, ())], Keyframe("", "", 0, "stages", panel=panel)), LIGHT, size)
    shot, lines = show.shots.shot(0), written_on(show, 0)
    assert isinstance(shot, Shot) and shot.stage.headers is not None
    wide = show.places.room(panel)[0]
    words = [line.words for line in lines if line.box.right() <= wide]
    for device, pace in zip(problem.devices, plan.evaluation.pace.tolist(), strict=True):
        assert device.title in words
        assert shot.stage.headers.column.level(pace) in words
    flows = [line for line in lines if line.words.endswith("iB") and line.box.right() <= wide]
    assert len(flows) >= 4
    for one, other in pairwise(sorted(flows, key=lambda line: (round(line.box.top()), line.box.left()))):
        level = abs(one.box.center().y() - other.box.center().y()) < one.pixels / 2
        assert not level or other.box.left() - one.box.right() >= one.pixels, (one, other)
