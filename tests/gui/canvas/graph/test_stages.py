"""The stages view: blocks of cells on the canvas, what one does there, and what is painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from gui.canvas.graph.areas import pixels
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.minimap import Minimap
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.picture.part import Part
from gui.canvas.graph.picture.picture import compose, draw_graph
from gui.canvas.graph.picture.subtitle import standing_text
from gui.canvas.graph.scene import LIFE_SIZE, arrange, laid_out, scene_of, skeleton_of
from gui.canvas.graph.stages import ribbons
from gui.canvas.graph.stages.blocks import badge_box, badge_of, badge_type
from gui.canvas.graph.stages.plate_form import (
    form_of,
    largest,
    memory_tone,
    memory_words,
    plate_boxes,
    type_scale,
)
from gui.canvas.graph.stages.routes import StageRibbon, arrivals, stage_ribbons
from gui.canvas.graph.told import lane_words
from gui.canvas.graph.tooltip import header_tooltip
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import metrics
from gui.look.page import PRESETS, Page
from gui.look.theme import LIGHT
from gui.present.captions import figure_runs
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.quantity import bytes_text
from planner.runs.start_plan import start_plan
from tests.gui.canvas.graph.conftest import Hand, MakeHand
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.present.slides import written_in

THIRDS = [0] * 4 + [1] * 4 + [2] * 4


@pytest.fixture
def stages(hand: Hand) -> Hand:
    """The chain of twelve ops in the stages view."""
    hand.view.set_view("stages")
    hand.settle()
    return hand


def block(hand: Hand, device: int) -> QPoint:
    """A place on a block's plate, where no cell is."""
    return hand.view.lane_rect(device).topLeft().toPoint() + QPoint(20, 10)


def test_each_cell_lies_in_the_block_of_its_device(stages: Hand) -> None:
    for op, d in enumerate(THIRDS):
        assert stages.view.lane_rect(d).contains(stages.view.op_rect(op))
    assert stages.view.scene is not None
    assert stages.view.scene.detail(1.0) >= Detail.BLOCKS


def test_an_op_is_dragged_to_another_block(stages: Hand) -> None:
    stages.drag(stages.at(4), block(stages, 0))
    assert stages.devices == [0] * 5 + [1] * 3 + [2] * 4
    assert stages.steps == 1
    assert stages.view.lane_rect(0).contains(stages.view.op_rect(4))
    stages.document.undo_stack.undo()
    stages.settle()
    assert stages.devices == THIRDS and stages.view.lane_rect(1).contains(stages.view.op_rect(4))


def test_blocks_that_a_rule_forbids_turn_grey_and_say_why(stages: Hand) -> None:
    before = stages.view.grab().toImage()
    stages.carry(stages.at(4), block(stages, 2))
    said = stages.view.consequences
    assert [c.legal for c in said] == [True, True, False]
    assert said[2].reason
    place = stages.view.lane_rect(2).bottomLeft().toPoint() + QPoint(12, -12)
    now = stages.view.grab().toImage()
    assert now.pixelColor(place) != before.pixelColor(place)
    stages.key(Qt.Key.Key_Escape)
    assert stages.devices == THIRDS


def test_a_device_without_ops_has_no_block_but_a_chip_to_drop_on(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(12), Pipeline(3))
    hand.document.set_assignment(np.repeat(np.arange(2, dtype=np.int32), 6), "edit", "halves")
    hand.view.set_view("stages")
    hand.settle()
    assert hand.view.lane_rect(2).isEmpty() and not hand.view.lane_rect(1).isEmpty()
    hand.drag(hand.at(11), hand.view.slot_rect(2).center().toPoint())
    assert hand.devices == [0] * 6 + [1] * 5 + [2]
    assert hand.view.lane_rect(2).contains(hand.view.op_rect(11))


def test_clicks_on_cells_plates_and_the_ground_select(stages: Hand) -> None:
    stages.press(stages.at(5))
    stages.release(stages.at(5))
    assert stages.document.selection.tolist() == [5]
    stages.press(block(stages, 2))
    stages.release(block(stages, 2))
    assert stages.document.selection.tolist() == [8, 9, 10, 11]
    stages.press(QPoint(3, 3))
    stages.release(QPoint(3, 3))
    assert not len(stages.document.selection)


def test_hovering_and_walking(stages: Hand) -> None:
    stages.move(stages.at(6))
    assert stages.document.hover == 6
    stages.view.say_hover(QPointF(stages.at(6)))
    stages.document.select(np.array([6], np.int32))
    stages.key(Qt.Key.Key_Right)
    assert stages.document.selection[0] > 6


def test_views_change_and_cells_glide(hand: Hand) -> None:
    seen: list[str] = []
    hand.view.view_changed.connect(seen.append)
    for view in ("stages", "lanes", "stages", "flow"):
        hand.view.set_view(view)
        hand.settle()
        assert hand.view.scene is not None and hand.view.scene.view == view
        assert np.array_equal(hand.view.scene.x, hand.view.scene.layout.x)
    assert seen == ["stages", "lanes", "stages", "flow"]
    assert hand.view.lane_rect(0).isEmpty()


def test_find_lights_cells_up(stages: Hand) -> None:
    before = stages.view.grab().toImage().pixelColor(stages.at(9))
    mask = np.zeros(12, bool)
    mask[2] = True
    stages.view.set_highlight(mask)
    assert stages.view.grab().toImage().pixelColor(stages.at(9)) != before


def test_blocks_and_cells_are_told(stages: Hand) -> None:
    told = stages.view.told
    keys = list(told.keys())
    names = [item.name for key in keys if (item := told.item(key)) is not None]
    assert len(names) == 3 + 12
    assert names[0].startswith("Stage 0") and "4 ops" in names[0]
    stages.carry(stages.at(4), block(stages, 0))
    item = told.item(keys[0])
    assert item is not None and "." in item.name
    stages.key(Qt.Key.Key_Escape)


def test_zoomed_in_cells_have_names_and_the_minimap_shows_blocks(stages: Hand) -> None:
    stages.view.zoom_by(2.5)
    assert stages.view.scene is not None
    assert stages.view.scene.detail(stages.view.scale) == Detail.LABELS
    small = Minimap(stages.view)
    small.show()
    assert not small.grab().isNull()
    stages.view.grab()


# ------------------------------------------------------------------------------------------------------ what is painted
def test_the_picture_says_ops_cost_memory_the_fullest_and_bytes(qapp) -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2.0 * 2**20))
    device_of = np.array([0, 0, 1, 2, 2, 2], np.int32)
    data = draw_graph(problem, device_of, Page((1280, 720)), "stages").file(".svg").decode()
    picture = compose(problem, device_of, Page((1280, 720)), "stages")
    assert picture.headers is not None
    for word in (
        "fullest",
        "2 ops",
        "3 ops",
        "2.00 MiB",
        picture.headers.column.text(float(picture.headers.pace[2])),
    ):
        assert word in data, word
    assert "bottleneck" not in data, "which sets the pace"
    assert "1.76 MiB + 2.24 streamed" in data and "/ 2.00 MiB" not in data, "nor memory twice"
    timed = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2.0 * 2**20), "inference-time")
    data = draw_graph(timed, device_of, Page((1280, 720)), "stages").file(".svg").decode()
    assert "largest rest" in data and "fullest" not in data and "bottleneck" not in data
    found = stage_ribbons(picture.scene)
    assert [(r.src, r.dst) for r in found] == [(0, 1), (1, 2)] or found
    assert sum(r.bytes for r in found) == pytest.approx(picture.scene.flow.sum())
    widths = [r.width for r in found]
    assert widths == sorted(widths, reverse=True)


def test_plates_lie_apart_and_inside_the_page(qapp) -> None:
    problem = Problem(chain_graph(60), Pipeline(12))
    device_of = (np.arange(60) // 5).astype(np.int32)
    for size in ((400, 300), (800, 500), (1920, 1080)):
        picture = compose(problem, device_of, Page(size), "stages")
        boxes = list(plate_boxes(picture.scene, picture.viewport).values())
        page = QRectF(-1, -1, picture.viewport.width + 2, picture.viewport.height + 2)
        assert len(boxes) == 12 and all(page.contains(box) for box in boxes)
        assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_without_a_plan_there_is_one_block(qapp) -> None:
    problem = Problem(chain_graph(24), Pipeline(3))
    words = draw_graph(problem, None, Page((640, 480)), "stages").file(".svg").decode()
    assert "24 ops" in words and "bottleneck" not in words


def test_a_part_of_the_blocks_is_drawn_larger(qapp) -> None:
    problem = Problem(chain_graph(24), Pipeline(3))
    thirds = np.repeat(np.arange(3, dtype=np.int32), 8)
    whole = compose(problem, thirds, Page((900, 500)), "stages")
    x, y, wide, high = whole.scene.layout.bounds
    part = Part(whole.scene, (x, y, wide / 3, high))
    assert (
        compose(problem, thirds, Page((900, 500)), "stages", part=part).viewport.scale > whole.viewport.scale
    )
    image = QImage.fromData(draw_graph(problem, thirds, Page((900, 500)), "stages", part=part).file(".png"))
    assert (image.width(), image.height()) == (900, 500)


def test_a_double_click_makes_the_smallest_cell_readable(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(3000), Pipeline(2))
    hand.document.set_assignment((np.arange(3000) // 1500).astype(np.int32), "edit", "halves")
    hand.view.set_view("stages")
    hand.settle()
    scene = hand.view.scene
    assert scene is not None and scene.detail(hand.view.scale) == Detail.BLOCKS
    hand.view.zoom_to_ops(np.array([700], np.int32))
    assert scene.detail(hand.view.scale) == Detail.LABELS
    hand.view.grab()


def test_what_every_chip_has_a_copy_of_flows_nowhere() -> None:
    """Stages and packages count the same bytes between chips."""
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=1.0, work_cpu=1.0) for i in range(4)]
    tensors = [
        Tensor("n0", ("n1", "n2", "n3"), 64.0),
        Tensor("n1", ("n2",), 1000.0),
        Tensor("n2", ("n3",), 500.0),
    ]
    graph = Graph.build("copied", ops, tensors)
    found: list[dict[tuple[int, int], float]] = []
    channels: list[tuple[float, ...]] = []
    for copies in (0, 2):
        problem = Problem(graph, McmPackage(3, check_memory=False, triangle=False, copy_sources=copies))
        device_of = np.array([0, 0, 1, 2], np.int32)
        items = items_of(graph, None, frozenset())
        skeleton = skeleton_of(items)
        layout = arrange(items, skeleton, "stages", device_of, 3, (800.0, 500.0))
        scene = laid_out(items, skeleton, layout, "stages", device_of, 3, evaluator=problem.evaluator)
        settled = scene_of(
            items, "stages", device_of, 3, (800.0, 500.0), evaluator=problem.evaluator
        ).layout.stages
        assert settled is not None
        channels.append(settled.channel)
        flows = {(r.src, r.dst): r.bytes for r in stage_ribbons(scene)}
        found.append(flows)
    assert (0, 2) in found[0] and found[1] == {(0, 1): 1000.0, (1, 2): 500.0}
    assert channels[1][0] < channels[0][0], "no room for the arrow that is not there"
    links = problem.evaluate(device_of).details["link"]
    assert links.tolist() == [1000.0, 500.0, 0.0], "as the package has them"


def test_the_word_about_the_bottleneck_hides_no_arrow(qapp: object) -> None:
    """What comes in from above ends at the middle of a plate."""
    for wide in (166.0, 300.0):
        plate = QRectF(100.0, 200.0, wide, 61.0)
        box = badge_box(plate, 10)
        assert box.left() > plate.center().x() + 4.0 and box.right() <= plate.right()
    narrow = QRectF(0.0, 0.0, 40.0, 30.0)
    assert badge_box(narrow, 10).center().x() == pytest.approx(narrow.center().x())


def test_the_word_about_the_bottleneck_stands_where_nothing_comes_in(qapp: object) -> None:
    """U-Net's third stage has one ribbon at the middle of its plate and one beside it, where the word would hide its arrow."""
    plate = QRectF(100.0, 200.0, 300.0, 61.0)
    right = badge_box(plate, 10)
    left = badge_box(plate, 10, [(245.0, 255.0), (right.left() + 5, right.left() + 15)])
    assert plate.left() <= left.left() and left.right() < 245.0
    beside = badge_box(plate, 10, [(110.0, right.left() + 3.0)])
    assert beside.left() > right.left() + 3.0 and beside.right() <= plate.right(), (
        "none of its corners is free"
    )
    everywhere = [(plate.left(), plate.center().x() + 20.0), (right.left(), right.right())]
    assert badge_box(plate, 10, everywhere) == right, "no place is free"
    problem = Problem(read_model(sample("unet.onnx")), Pipeline(4))
    device_of = start_plan(problem).device_of
    picture = compose(problem, device_of, Page((515.0, 560.0)), "stages")
    scene, viewport = picture.scene, picture.viewport
    assert scene.evaluation is not None
    ends = arrivals(scene, viewport, scene.evaluation.bottleneck)
    badge = badge_of(scene, viewport, badge_type(type_scale(scene, viewport, 1.0), 5.0))
    assert badge is not None and len(ends) == 2
    assert all(end < badge.left() or begin > badge.right() for begin, end in ends)


@pytest.mark.parametrize(
    ("model", "devices", "size", "two_lines"),
    [("fpn_detector.onnx", 6, (900, 560), 2), ("densenet121.json", 14, (900, 300), 3)],
)
def test_links_of_neighbouring_stages_say_their_bytes(
    qapp, monkeypatch: pytest.MonkeyPatch, model: str, devices: int, size: tuple[int, int], two_lines: int
) -> None:
    problem = Problem(read_model(sample(model)), Pipeline(devices))
    device_of = start_plan(problem).device_of
    told: list[str] = []
    monkeypatch.setattr(ribbons, "bytes_text", lambda size: told.append(bytes_text(size)) or told[-1])
    picture = draw_graph(problem, device_of, Page(size), "stages").file(".svg").decode()
    # Where no room is above the plates, or a ribbon of others runs there, number and unit are in two lines.
    shown = sum(picture.count(f">{text}<") for text in set(told))
    lines = sum(picture.count(f">{text.split()[0]}<") for text in set(told))
    assert lines == two_lines
    assert shown + lines == len(told) > 5


def test_no_figure_stands_under_a_ribbon_that_it_is_not_about(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(read_model(sample("xception.json")), Pipeline(6))
    device_of = start_plan(problem).device_of
    page = Page((500, 1170))
    picture = compose(problem, device_of, page, "stages")
    found = figures_of(monkeypatch, lambda: draw_graph(problem, device_of, page, "stages").file(".svg"))
    told = stage_ribbons(picture.scene)
    bent = [ribbon for ribbon in told if len(ribbon.route) > 2]
    assert len(found) >= 5 and bent
    for ribbon in bent:
        points = [QPointF(*picture.viewport.to_pixels(*point)) for point in ribbon.route.tolist()]
        runs = [QRectF(a, b).normalized().adjusted(-1, -1, 1, 1) for a, b in pairwise(points)]
        near = [
            words for words, box in found if any(box.adjusted(0, -12, 0, 0).intersects(run) for run in runs)
        ]
        assert near == [bytes_text(ribbon.bytes)]


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_arrows_end_above_the_word_about_the_bottleneck(stages: Hand, ratio: float) -> None:
    """One ribbon comes down on the plate of the device that sets the pace, where the word stands on its border."""
    scene, viewport = stages.view.scene, stages.view.viewport
    assert scene is not None and scene.evaluation is not None and scene.layout.stages is not None
    hot = scene.evaluation.bottleneck
    badge = badge_box(
        plate_boxes(scene, viewport)[hot], badge_type(type_scale(scene, viewport, ratio) * ratio, 5.0)
    )
    x, _ = viewport.to_scene(badge.center().x(), 0.0)
    _, top = viewport.to_scene(0.0, badge.top())
    _, plate = viewport.to_scene(0.0, plate_boxes(scene, viewport)[hot].top())
    far = StageRibbon(0, hot, 1.0, 2.0, np.array([(x, top - 80.0), (x, plate)]))
    beside = StageRibbon(0, hot, 1.0, 2.0, np.array([(x - 500.0, top - 80.0), (x - 500.0, plate)]))
    corner, _ = viewport.to_scene(badge.left() - 1.0, 0.0)
    touching = StageRibbon(0, hot, 1.0, 20.0, np.array([(corner, top - 80.0), (corner, plate)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ribbons, "stage_ribbons", lambda _: [far, beside, touching])
        patch.setattr(ribbons, "badge_of", lambda *_: badge)
        found = ribbons.drawn_ribbons(scene, viewport, ratio)
    assert found[0].route[-1, 1] == pytest.approx(top) and found[1] is beside
    assert found[2] is touching, "its tip would end in the air"


@pytest.mark.parametrize("room", [(780.0, 560.0), (1430.0, 900.0), (3300.0, 2000.0), (2000.0, 300.0)])
def test_plates_type_and_cells_use_the_room_of_a_large_screen(room: tuple[float, float]) -> None:
    problem = Problem(read_model(sample("resnet50.json")), Pipeline(4))
    evaluator, k = problem.evaluator, len(problem.devices)
    device_of = np.arange(problem.graph.n, dtype=np.int32) * k // problem.graph.n
    items = items_of(problem.graph, None, frozenset())
    scene = scene_of(items, "stages", device_of, k, room, problem.devices, evaluator)
    viewport = Viewport()
    viewport.resize(int(room[0]), int(room[1]))
    viewport.fit(scene.layout.bounds, margin=8.0, largest=scene.life_size)
    grown = min(2.25, max(1.0, min(room[0] / 1430.0, room[1] / 900.0)))
    assert scene.layout.stages is not None and scene.layout.stages.grown == pytest.approx(grown)
    plate = next(iter(plate_boxes(scene, viewport).values()))
    if grown > 1.5:
        assert type_scale(scene, viewport, 1.0) > 0.9 * grown
        assert plate.width() > 0.18 * room[0] and plate.height() > 0.04 * room[1]
    else:
        assert viewport.scale <= LIFE_SIZE


def slide_of_chips() -> tuple[Problem, np.ndarray, Page]:
    """DenseNet169 on 16 chips, as many ops on each, on a slide."""
    problem = Problem(read_model(sample("densenet169.json")), McmPackage(16))
    return problem, (np.arange(problem.graph.n) * 16 // problem.graph.n).astype(np.int32), PRESETS["slide"]


def test_all_plates_of_a_picture_are_written_in_one_form(qapp: object) -> None:
    """Blocks stand in as many rows as leave each of sixteen chips room for its name and its cost in the letters of a slide."""
    problem, device_of, page = slide_of_chips()
    picture = compose(problem, device_of, page, "stages")
    assert picture.headers is not None
    words = [one.words for one in written_in(draw_graph(problem, device_of, page, "stages").file(".svg"))]
    for d, device in enumerate(problem.devices):
        assert device.title in words, "no number alone beside names"
        assert picture.headers.column.text(float(picture.headers.pace[d])) in words


def test_costs_have_fewer_decimals_where_they_have_no_room_otherwise(qapp: object) -> None:
    long, short = ["434.57 µs"], ["435 µs"]
    assert largest([long, short], 10, True, 10.0, 1000.0) == (0, 10)
    room = metrics(10, True).horizontalAdvance("434.57 µs") - 1
    assert largest([long, short], 10, True, 5.0, room) == (0, 9), "smaller letters first"
    assert largest([long, short], 10, True, 10.0, room) == (1, 10)
    assert largest([long, short], 10, True, 10.0, 5.0) == (0, 0)


def figures_of(monkeypatch: pytest.MonkeyPatch, draw: Callable[[], object]) -> list[tuple[str, QRectF]]:
    """What figures say that are painted meanwhile, and where."""
    found: list[tuple[str, QRectF]] = []
    painted = ribbons._figure

    def note(painter: QPainter, box: QRectF, words: str, palette: CanvasPalette, ratio: float) -> None:
        found.append((words, box))
        painted(painter, box, words, palette, ratio)

    monkeypatch.setattr(ribbons, "_figure", note)
    draw()
    return found


def test_figures_stand_at_their_own_arrows_and_on_no_block(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, device_of, page = slide_of_chips()
    picture = compose(problem, device_of, page, "stages")
    scene, viewport = picture.scene, picture.viewport
    svg = draw_graph(problem, device_of, page, "stages")
    found = figures_of(monkeypatch, lambda: svg.file(".svg"))
    assert scene.layout.stages is not None
    blocks = [pixels(block, viewport) for block in scene.layout.stages.blocks]
    assert found and not any(box.intersects(block) for _, box in found for block in blocks)
    straight = [ribbon for ribbon in stage_ribbons(scene) if len(ribbon.route) == 2]
    assert len(straight) > 10
    for ribbon in straight:
        x, y = viewport.to_pixels(*ribbon.route.mean(axis=0).tolist())
        plate = scene.layout.stages.plate * viewport.scale
        assert any(
            words == bytes_text(ribbon.bytes)
            and box.left() <= x <= box.right()
            and y - plate / 2 - 1.5 * box.height() < box.top() < y
            for words, box in found
        )


def test_the_ground_of_a_figure_cuts_no_arrowhead(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is next to nothing beside the widest ribbon has its figure, too, where few have one."""
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=1.0, work_cpu=1.0) for i in range(3)]
    graph = Graph.build("thin", ops, [Tensor("n0", ("n1",), 3e6), Tensor("n1", ("n2",), 4096.0)])
    problem, device_of = Problem(graph, Pipeline(3)), np.arange(3, dtype=np.int32)
    picture = compose(problem, device_of, Page((900, 400)), "stages")
    found = figures_of(
        monkeypatch, lambda: draw_graph(problem, device_of, Page((900, 400)), "stages").file(".svg")
    )
    assert {words for words, _ in found} == {bytes_text(3e6), bytes_text(4096.0)}
    for ribbon in stage_ribbons(picture.scene):
        head = ribbons._head(ribbon, picture.viewport)
        assert head.height() > 0 and not any(head.intersects(box) for _, box in found)


def test_plates_say_what_is_on_chip_and_what_is_streamed(qapp) -> None:
    """In the words of the headers of lanes; what the cost says is not said again."""
    device_of = np.array([0, 0, 1, 2, 2, 2], np.int32)
    said = {}
    for objective in ("inference-time", "memory-1-2-3"):
        problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2.0 * 2**20), objective)
        headers = compose(problem, device_of, Page((1280, 720)), "stages").headers
        said[objective] = [memory_words(headers, d) for d in range(3)]
    assert (problem.evaluate(device_of).memory / 2**20).tolist() == [2.0, 1.0, 4.0]
    timed, pushed = said["inference-time"], problem.evaluate(device_of).details["pushed"]
    assert pushed[1] == 0 and pushed[2] > 0
    needs = float(problem.evaluate(device_of).details["scratch"][1])
    full = f"{100 * (2**20 + needs) / 2**21:.0f} % full"
    over = f"{100 * (2**22 + float(pushed[2])) / 2**21:.0f} % full"
    assert over != "200 % full", "activations count in what is too full as in what is not"
    assert timed[1] == ("1.00 MiB on chip", "1.00 MiB on chip", "1.00 MiB on chip", full)
    streamed = f"{bytes_text(2.0 * 2**20 + float(pushed[2]))} streamed"
    stays = f"{2.0 - float(pushed[2]) / 2**20:.2f}"
    assert timed[2] == (f"{stays} MiB + {streamed.replace(' MiB', '')}", streamed, streamed, over)
    free = f"{bytes_text(2**20 - needs)} free"
    assert [words[2] for words in said["memory-1-2-3"]][1:] == [free, streamed], "activations need the rest"


def test_what_is_free_is_not_said_without_what_activations_push_out(qapp) -> None:
    device_of = np.array([0, 0, 1, 2, 2, 2], np.int32)
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=4.5 * 2**20), "memory-1-2-3")
    headers = compose(problem, device_of, Page((1280, 720)), "stages").headers
    assert headers is not None
    headers = replace(headers, pushed=(0.0, 0.0, 2.0**20), needs=(0.0, 2.0**20, 1.5 * 2.0**20))
    streamed = "1.00 MiB streamed"
    assert memory_words(headers, 2) == ("1.00 MiB pushed out", streamed, streamed, "122 % full")
    timed = replace(headers, pace=headers.cost)
    assert memory_words(timed, 2) == ("3.00 MiB + 1.00 pushed out", streamed, streamed, "122 % full")
    assert [memory_tone(headers, d) for d in (1, 2)] == ["muted", "warning"]
    assert memory_words(headers, 1)[:2] == ("2.50 MiB free beside activations", "2.50 MiB free")
    assert "3.00 MiB on chip + 1.00 MiB pushed out by activations, which need 1.50 MiB" in lane_words(
        headers, 2, 3
    )
    tip = header_tooltip(headers, 2)
    for name, amount in (
        ("on chip", "3.00 MiB"),
        ("activations need", "1.50 MiB"),
        ("pushed out by activations", "1.00 MiB"),
    ):
        assert f"{name}&nbsp;&nbsp;</td><td align='right'>{amount}<" in tip
    assert {"streaming", "activations", "cache"} <= set(headers.kinds)
    plan = problem.plan(device_of, Provenance("by hand"))
    assert plan.evaluation.values[1] == 0.0, "nothing is off chip"
    details = {**plan.evaluation.details, "pushed": np.array([0.0, 0.0, 2.0**20])}
    plan = replace(plan, evaluation=replace(plan.evaluation, details=details))
    assert ", 1.00 MiB pushed out" in standing_text(problem, plan.evaluation, ())
    assert "1.00 MiB pushed out" in [run.text for run in figure_runs(plan, (), LIGHT)]


def test_a_device_that_can_hold_so_much_says_so(qapp) -> None:
    problem = Problem(chain_graph(12), DevicePool(3, 0, memory=5e6))
    headers = compose(problem, np.array(THIRDS, np.int32), Page((1280, 720)), "stages").headers
    assert all(" / 4.77 MiB" in memory_words(headers, d)[0] for d in range(3))
    assert memory_words(None, 0) == ()


@pytest.mark.parametrize("scale", [1.0, 0.5625, 0.4])
def test_plates_of_small_frames_say_name_and_cost(qapp, scale: float) -> None:
    """Letters of the least size, where the usual ones are smaller by less than a line has room for."""
    problem = Problem(chain_graph(12), Pipeline(3))
    picture = compose(problem, np.array(THIRDS, np.int32), Page((500, 330)), "stages")
    scene, viewport = picture.scene, Viewport(800, 600)
    viewport.fit(scene.layout.bounds, margin=0.0, largest=1.6 * scale)
    form = form_of(scene, viewport, picture.headers, 1.7 * scale, 16.5 * scale)
    assert form.big >= 16.5 * scale and form.cost >= 16.5 * scale and form.called < 2


def test_words_on_plates_are_shortened_before_they_become_small(qapp) -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=4.5 * 2**20), "inference-time")
    picture = compose(problem, np.array([0, 0, 1, 2, 2, 2], np.int32), Page((560, 500)), "stages")
    scene, viewport = picture.scene, Viewport(560, 500)
    viewport.fit(scene.layout.bounds, margin=0.0, largest=1.0)
    form = form_of(scene, viewport, replace(picture.headers, pushed=(0.0, 0.0, 2.0**20)), 1.0)
    assert form.brief > 0 and form.small >= int(11 * type_scale(scene, viewport, 1.0))
