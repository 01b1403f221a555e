"""Lane headers: costs, parts, traffic."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF

from gui.canvas.graph import headers, surface
from gui.canvas.graph.header_data import header_data, with_host
from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents, paint_headers
from gui.canvas.graph.lanes.header_form import HeaderForm
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.picture.picture import compose
from gui.canvas.graph.tooltip import header_tooltip
from gui.look.page import SHEET
from gui.panels.readout_figures import figures_tip
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from tests.gui.canvas.graph.conftest import LEFT, Hand, MakeHand
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe


def test_figures_are_those_of_the_evaluation(hand: Hand) -> None:
    hand.lanes()
    scene, problem, e = hand.view.scene, hand.document.problem, hand.document.evaluation
    assert scene is not None
    assert problem is not None
    data = header_data(scene, problem, crossing_bytes(problem.graph, hand.document.device_of, 3))
    assert data is not None
    assert data.pace == pytest.approx(e.pace)
    assert data.parts.sum(axis=0) == pytest.approx(e.cost)
    assert data.bottleneck == int(np.argmax(e.cost))
    assert data.titles == ("Stage 0", "Stage 1", "Stage 2")


def test_bytes_in_and_out_are_those_that_the_times_count() -> None:
    """The model's own input comes over the host's link: receiving it takes time, so that "in 0 B" beside it were wrong."""
    ops = [Op("in", "in", kind="Input", work=0.0, work_cpu=0.0), Op("op", "op", work=1e-3, work_cpu=1e-3)]
    tensors = [Tensor("in", ("op",), 4096.0), Tensor("op", (), 1024.0)]
    graph = Graph.build("one", ops, tensors, time_unit="s")
    for host, expected in ((True, ([4096.0, 0.0], [1024.0, 0.0])), (False, ([0.0, 0.0], [0.0, 0.0]))):
        problem = Problem(graph, EdgeTpuPipeline(2, precision="file", host_io=host), "inference-time")
        device_of = np.zeros(2, np.int32)
        evaluation = problem.evaluate(device_of)
        coming, going = with_host(crossing_bytes(graph, device_of, 2, problem.evaluator.sent), evaluation)
        assert (coming.tolist(), going.tolist()) == expected
        assert (evaluation.receive > 0).tolist() == (coming > 0).tolist()


def test_the_pointer_on_a_stage_says_what_activations_push_out() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=0.1, work_cpu=0.1, param_bytes=1e5, macs=1e6) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1e5) for i in range(3)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    for scratch in (True, False):
        problem = Problem(
            graph, EdgeTpuPipeline(2, precision="file", cache=1.5e5, scratch=scratch), "inference-time"
        )
        device_of = np.array([0, 0, 1, 1], np.int32)
        e = problem.evaluate(device_of)
        picture = compose(problem, device_of, SHEET, "stages")
        data = header_data(picture.scene, problem, crossing_bytes(graph, device_of, 2))
        assert data is not None and e.details["dram"].all()
        words = f"pushed out by activations&nbsp;&nbsp;</td><td align='right'>{bytes_text(e.details['pushed'][1])}<"
        assert (words in header_tooltip(data, 1)) == scratch
        assert ("pushed out" in header_tooltip(data, 1)) == scratch
        assert ("off chip, " in figures_tip(problem, e)) == scratch
        if scratch:
            parts = [bytes_text(float(e.details[name].sum())) for name in ("dram", "pushed")]
            assert f"{parts[0]} off chip, {parts[1]} pushed out by activations" in figures_tip(problem, e)


def test_lanes_lie_below_one_another_in_device_order(hand: Hand) -> None:
    hand.lanes()
    assert hand.view.scene is not None
    extents = lane_extents(hand.view.scene, hand.view.viewport)
    assert len(extents) == 3
    assert all(a < b <= c < d for (a, b), (c, d) in itertools.pairwise(extents))


def test_headers_change_with_the_costs(hand: Hand) -> None:
    hand.lanes()
    margin = (0, 0, HEADER_WIDTH, hand.view.height())
    before = hand.view.grab().toImage().copy(*margin)
    hand.document.move([4], 0)
    hand.settle()
    assert hand.view.grab().toImage().copy(*margin) != before


def test_headers_stay_while_the_picture_is_panned(hand: Hand) -> None:
    hand.lanes()
    hand.view.zoom_by(2, hand.view.rect().toRectF().center())
    place = QPoint(2, int(hand.view.lane_rect(1).center().y()))
    before = hand.view.grab().toImage().pixel(place)
    hand.view.pan_by(-80, 0)
    assert hand.view.grab().toImage().pixel(place) == before


def test_36_lanes_keep_a_header_each(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(72), Pipeline(36), (1280, 800))
    hand.document.set_assignment((np.arange(72) // 2).astype(np.int32), "edit", "two each")
    hand.lanes()
    image = hand.view.grab().toImage()
    for d in range(36):
        lane = hand.view.lane_rect(d)
        assert lane.height() >= 12
        row = [image.pixel(x, int(lane.center().y())) for x in range(8, HEADER_WIDTH - 4)]
        assert len(set(row)) > 3, f"lane {d} says nothing"


@pytest.mark.parametrize(("share", "named"), [(0.9, 36), (0.7, 0)])
def test_lanes_that_letters_fill_are_named_in_slides(make_hand: MakeHand, share: float, named: int) -> None:
    hand = make_hand(chain_graph(72), Pipeline(36), (1280, 800))
    hand.document.set_assignment((np.arange(72) // 2).astype(np.int32), "edit", "two each")
    hand.lanes()
    view = hand.view
    scene, problem = view.scene, hand.document.problem
    assert scene is not None and problem is not None
    data = header_data(scene, problem, crossing_bytes(problem.graph, hand.document.device_of, 36))
    lowest = min(bottom - top for top, bottom in lane_extents(scene, view.viewport))
    scribe = Scribe(view.width(), view.height())
    least = lowest / share
    paint_headers(scribe, scene, view.viewport, view.palette_now, data, 1.0, least)
    scribe.end()
    assert sum(word.casefold().startswith("sta") for _, word in scribe.written) == named


def test_a_drag_paints_no_header_again_and_no_edge_over_one(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand.lanes()
    hand.view.zoom_to_ops(np.array([5, 6]))
    hand.view.pan_by(HEADER_WIDTH + 20 - hand.view.op_rect(6).left(), 0)
    assert hand.view.op_rect(5).center().x() < HEADER_WIDTH, "an edge has to run beneath the headers"
    margin = (0, 0, HEADER_WIDTH, hand.view.height())
    before = hand.view.grab().toImage().copy(*margin)
    start = hand.at(6)
    hand.carry(start, start + QPoint(40, 4))
    hand.view.grab()
    painted = []
    monkeypatch.setattr(surface, "paint_headers", lambda *_: painted.append("headers"))
    hand.move(start + QPoint(60, 8), LEFT)
    assert hand.document.preview is not None
    assert len(hand.document.preview.ops)
    assert hand.view.grab().toImage().copy(*margin) == before
    assert not painted
    hand.view.stop_gesture("seen")


def lanes_as_painted(hand: Hand, k: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], list[str]]:
    """The devices whose headers have bars, and all words written."""
    view = hand.view
    scene, problem = view.scene, hand.document.problem
    assert scene is not None and problem is not None
    data = header_data(scene, problem, crossing_bytes(problem.graph, hand.document.device_of, k))
    barred: list[int] = []
    monkeypatch.setattr(headers, "_paint_bar", lambda _, box, d, *rest: barred.append(d))
    scribe = Scribe(view.width(), view.height())
    paint_headers(scribe, scene, view.viewport, view.palette_now, data, 1.0)
    scribe.end()
    return barred, [word for _, word in scribe.written]


@pytest.mark.parametrize(("k", "height", "rows"), [(36, 800, 1), (8, 400, 2), (5, 800, 4)])
def test_neighbouring_lanes_say_the_same(
    make_hand: MakeHand, monkeypatch: pytest.MonkeyPatch, k: int, height: int, rows: int
) -> None:
    """The lowest lane decides: a bar or figures in one lane alone would look like a difference of devices."""
    n = 12 * k
    hand = make_hand(chain_graph(n), McmPackage(k), (1280, height))
    hand.document.set_assignment(
        np.minimum(np.arange(n) // 2, k - 1).astype(np.int32), "edit", "most on the last"
    )
    hand.lanes()
    heights = [bottom - top for top, bottom in lane_extents(hand.view.scene, hand.view.viewport)]
    assert max(heights) > 1.5 * min(heights), "one lane has far more room than the others"
    barred, words = lanes_as_painted(hand, k, monkeypatch)
    assert barred == (list(range(k)) if rows > 1 else [])
    assert len([word for word in words if word.startswith("in ")]) == (k if rows > 2 else 0)
    assert len([word for word in words if word.startswith("Chip")]) == k


def test_lanes_of_devices_without_ops_take_no_bars_from_others(
    make_hand: MakeHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = make_hand(chain_graph(30), McmPackage(4), (1280, 500))
    hand.document.set_assignment(np.repeat([0, 1, 2], 10).astype(np.int32), "edit", "three of four")
    hand.lanes()
    barred, words = lanes_as_painted(hand, 4, monkeypatch)
    assert barred == [0, 1, 2]
    assert "Chip 3" in words


def test_lanes_too_low_for_letters_have_marks_and_as_many_titles_as_have_room(
    make_hand: MakeHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = make_hand(chain_graph(128), McmPackage(64), (900, 300))
    hand.document.set_assignment((np.arange(128) // 2).astype(np.int32), "edit", "two each")
    hand.lanes()
    _, words = lanes_as_painted(hand, 64, monkeypatch)
    titled = [int(word.split()[1]) for word in words if word.startswith("Chip")]
    assert titled[0] == 0 and 8 < len(titled) < 64
    assert len(set(np.diff(titled).tolist())) <= 2, "as evenly as the marks of an axis"


def test_a_lane_that_is_half_in_sight_has_letters_as_large_as_the_others(hand: Hand) -> None:
    hand.lanes()
    view = hand.view
    view.zoom_by(2, view.rect().toRectF().center())
    view.pan_by(0, 6 - round(lane_extents(view.scene, view.viewport)[1][1]))
    scene, problem = view.scene, hand.document.problem
    assert scene is not None and problem is not None
    data = header_data(scene, problem, crossing_bytes(problem.graph, hand.document.device_of, 3))
    sizes = set()

    class Measuring(Scribe):
        def drawText(self, rect: QRectF, flags: int, text: str) -> None:
            if text.startswith("Stage"):
                sizes.add(self.font().pixelSize())

    scribe = Measuring(view.width(), view.height())
    paint_headers(scribe, scene, view.viewport, view.palette_now, data, 1.0)
    scribe.end()
    assert len(sizes) == 1


@pytest.mark.parametrize(("cache", "said"), [(2.0**23, "stage time"), (2.0**20, "streamed")])
def test_one_line_says_what_does_not_stand_beside_the_title(
    make_hand: MakeHand, monkeypatch: pytest.MonkeyPatch, cache: float, said: str
) -> None:
    """Where memory is the objective and all of it fits, how long a stage takes; else what is off chip."""
    hand = make_hand(tpu_graph(), EdgeTpuPipeline(2, cache=cache), (1280, 260))
    hand.lanes()
    monkeypatch.setattr(headers, "form_of", lambda *_: HeaderForm(12, 3))
    _, words = lanes_as_painted(hand, 2, monkeypatch)
    assert any(said in word for word in words), words
    assert not any(word.endswith(" on chip") for word in words)
