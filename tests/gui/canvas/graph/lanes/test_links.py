"""Bytes on the links: counted like the target does, written between lanes, explained, selected by a click."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents, paint_headers
from gui.canvas.graph.lanes.links import LEAST_LANE, link_tooltip, link_words, links_of, plate_text, plates
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.picture.picture import draw_graph
from gui.look.page import Page
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from tests.gui.canvas.graph.conftest import MakeHand
from tests.gui.models import chain_graph
from tests.gui.stage_models import even, network, tpu_problem

TITLES = ("Stage 0", "Stage 1", "Stage 2")


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(0, 10_000))
def test_links_count_each_tensor_once_per_stage_that_it_enters(k: int, seed: int) -> None:
    problem = tpu_problem(14, k)
    graph = problem.graph
    device_of = np.sort(np.random.default_rng(seed).integers(0, k, graph.n)).astype(np.int32)
    links = links_of(problem, device_of)
    assert links is not None
    expected: dict[int, set[int]] = {stage: set() for stage in range(k)}
    for t in range(graph.tensor_count):
        home = device_of[graph.tensor_producer[t]]
        for v in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]:
            if device_of[v] != home:
                expected[int(device_of[v])].add(t)
    size = problem.evaluator.size
    for stage, tensors in expected.items():
        assert set(links.tensor[links.entries(stage)].tolist()) == tensors
        assert links.entering[stage] == sum(size[t] for t in tensors)
        amounts = links.bytes[links.entries(stage)].tolist()
        assert amounts == sorted(amounts, reverse=True)
    details = problem.evaluate(device_of).details
    assert links.entering == pytest.approx(details["bytes_in"])
    received, sent = crossing_bytes(graph, device_of, k, size)
    assert received == pytest.approx(details["bytes_in"])
    assert sent == pytest.approx(details["bytes_out"])


@pytest.mark.parametrize("seed", range(4))
def test_what_is_made_before_a_stage_and_enters_one_after_it_passes_by(seed: int) -> None:
    problem = tpu_problem(14, 4)
    graph = problem.graph
    device_of = np.sort(np.random.default_rng(seed).integers(0, 4, graph.n)).astype(np.int32)
    links = links_of(problem, device_of)
    assert links is not None
    for stage in range(4):
        past = {
            (tensor, int(device_of[reader])): float(problem.evaluator.size[tensor])
            for tensor in range(graph.tensor_count)
            for reader in graph.consumer_idx[graph.consumer_ptr[tensor] : graph.consumer_ptr[tensor + 1]]
            if device_of[graph.tensor_producer[tensor]] < stage < device_of[reader]
        }
        assert links.passing(stage) == pytest.approx(sum(past.values()))


def test_a_pipeline_counts_the_bytes_of_its_file() -> None:
    problem = Problem(chain_graph(12), Pipeline(3))
    links = links_of(problem, even(12, 3))
    assert links is not None
    assert problem.evaluator.size is problem.graph.tensor_bytes
    # Ops 0 to 3 all send something over the border: to the next op, or to the one four on.
    assert links.entering.tolist() == [0.0, 32.0, 32.0]
    assert links.most(1)
    assert links.most(2)
    assert not links.most(0)
    assert links.producers(1).tolist() == [0, 1, 2, 3]


def test_only_rows_of_several_stages_have_links() -> None:
    assert links_of(Problem(chain_graph(12), DevicePool(2, 1)), even(12, 3)) is None
    assert links_of(Problem(chain_graph(12), Pipeline(1)), even(12, 1)) is None


def test_words_name_the_tensors() -> None:
    problem = tpu_problem()
    links = links_of(problem, even(12, 3))
    assert links is not None
    assert link_words(links, 1, TITLES) == [("net_out_3", "Stage 0", "103 B")]
    said = link_tooltip(links, 1, TITLES)
    assert "103 B into Stage 1" in said
    assert "net_out_3" in said
    assert plate_text(links, 1) == "in 103 B"
    many = links_of(Problem(chain_graph(60), Pipeline(2)), np.repeat([0, 1], [20, 40]).astype(np.int32))
    assert many is not None
    crowded = links_of(
        Problem(chain_graph(60), Pipeline(2)), (np.arange(60) % 2).astype(np.int32)
    )  # every op beside one of the other stage
    assert crowded is not None
    assert "smaller tensors" in link_tooltip(crowded, 1, TITLES)


def test_low_lanes_have_no_plate(qapp: Any) -> None:
    problem = tpu_problem()
    links = links_of(problem, even(12, 3))
    assert links is not None

    def shown(height: float) -> list[int]:
        lanes = [(i * height, (i + 1) * height) for i in range(3)]
        return list(plates(links, lanes, float(HEADER_WIDTH), 1.0))

    assert shown(LEAST_LANE + 1) == [1, 2]
    assert shown(LEAST_LANE - 1) == [], (
        "not even the largest: it would lie on two headers, which would say less than others"
    )


def test_plates_stand_on_the_borders_and_explain_themselves(make_hand: MakeHand) -> None:
    hand = make_hand(network(), tpu_problem().target)
    hand.document.set_assignment(even(12, 3), "edit", "even")
    assert hand.view.link_at(QPointF(20, 20)) == -1, "the flow view has no lanes"
    hand.lanes()
    view = hand.view
    assert view.links is not None
    for stage in (1, 2):
        box = view.link_rect(stage)
        border = (view.lane_rect(stage - 1).bottom() + view.lane_rect(stage).top()) / 2
        assert box.center().y() == pytest.approx(border, abs=1)
        assert box.right() < HEADER_WIDTH
        assert view.link_at(box.center()) == stage
    assert view.link_rect(0).isEmpty()
    place = view.link_rect(1).center().toPoint()
    event = QHelpEvent(QHelpEvent.Type.ToolTip, place, view.mapToGlobal(place))
    QApplication.sendEvent(view, event)
    assert view._hover_card.isVisible()
    assert "net_out_3" in view._hover_card.text()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert hand.document.selection.tolist() == [3], "the op whose tensor enters the stage"
    hand.document.move([4], 0)
    hand.settle()
    assert view.links.producers(1).tolist() == [4], "plates follow the plan"


@pytest.mark.parametrize("height", [60, 20])
def test_headers_with_caches_and_links_are_painted(make_hand: MakeHand, height: int) -> None:
    hand = make_hand(network(), tpu_problem(count=3).target, (700, 3 * height))
    hand.document.set_assignment(even(12, 3), "edit", "even")
    hand.lanes()
    view = hand.view
    assert view.scene is not None
    image = QImage(700, 3 * height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    blank = image.copy()
    painter = QPainter(image)
    paint_headers(painter, view.scene, view.viewport, view.palette_now, view._surface.headers, 1.0)
    painter.end()
    assert image != blank
    assert len(lane_extents(view.scene, view.viewport)) == 3


def test_a_header_says_what_passes_by_its_stage(tmp_path: Path, qapp: Any) -> None:
    problem = tpu_problem(12, 3)
    device_of = np.array([0, 1, 1, *[2] * 9], np.int32)  # what op 0 sends to op 3 passes by stage 1
    file = tmp_path / "lanes.svg"
    draw_graph(problem, device_of, Page((900, 900)), "lanes").save(file)
    assert "100 B pass by" in file.read_text()
