"""What a move would give, in the words that lanes, chips and the carried card say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gui.canvas.graph.consequence import Consequence, consequences, refusal, rule_words
from gui.canvas.graph.overlay import two_lines
from gui.canvas.graph.strip import paint_strip
from gui.document.plan.document import Document
from gui.document.plan.preview import Preview, check
from gui.look.fonts import metrics
from gui.look.theme import DARK, LIGHT
from planner.evaluation import kernels
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe

MIB = 2.0**20
UNEVEN = np.array([0, 0, 1, 2, 2, 2], np.int32)


def judged(problem: Problem, device_of: np.ndarray, ops: list[int]) -> tuple[Preview, list[Consequence]]:
    live = problem.live(device_of)
    preview = check(live, np.array(ops, np.int32), ())
    words = tuple(rule_words(int(code)) for code in live.check(preview.ops).codes)
    return preview, consequences(preview, words)


def test_bytes_of_the_first_component_that_changes() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2 * MIB), "memory-1-2-3")
    _, said = judged(problem, UNEVEN, [3])
    assert said[0].short == "breaks the order"
    assert said[0].colour(LIGHT) == LIGHT.bad
    assert said[1].short == "max memory −1.00 MiB"
    assert said[1].brief == "memory −1.00 MiB"
    assert said[1].better
    assert said[1].colour(DARK) == DARK.good
    assert said[2].short == said[2].brief == "now here"
    assert not said[2].better
    _, said = judged(problem, UNEVEN, [1])
    assert said[1].short == "max communication −80.0 KiB"
    assert said[1].brief == "comm. −80.0 KiB"


def test_one_number_is_told_as_before() -> None:
    problem = Problem(chain_graph(), Pipeline(3))
    device_of = (np.arange(12) * 3 // 12).astype(np.int32)
    preview, said = judged(problem, device_of, [4])
    for d in np.flatnonzero(preview.legal).tolist():
        if not said[d].stays:
            # Beside a device's name an amount is said to be the plan's; the device has one of its own.
            assert said[d].short == f"plan {said[d].brief}"
            assert f"{preview.objective[d]:,.2f}" in said[d].short
            assert said[d].short.endswith("%")


def test_shared_children_are_named() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, shared_children=True))
    assert rule_words(kernels.RULE_SHARED_CHILDREN) == "splits siblings"
    # Siblings move together: nothing of them can be left behind.
    assert problem.groups.expand([1]).tolist() == [1, 2]


@pytest.mark.parametrize("width", [420.0, 1200.0])
def test_a_narrow_chip_says_it_shorter(width: float, qapp: object) -> None:
    from PySide6.QtGui import QImage, QPainter

    from gui.canvas.graph.palette import canvas_palette

    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2 * MIB), "memory-1-2-3")
    _, said = judged(problem, UNEVEN, [3])
    titles = tuple(device.title for device in problem.devices)

    def painted(shown: list[Consequence]) -> QImage:
        image = QImage(int(width), 300, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        paint_strip(painter, width, 300.0, titles, shown, 1, canvas_palette(LIGHT, 3))
        painter.end()
        return image

    shorter = [replace(one, change=replace(one.change, text=one.change.brief)) for one in said]
    assert (painted(said) == painted(shorter)) == (width < 500)


def test_one_word_where_room_is_scarcest() -> None:
    problem = Problem(tpu_graph(), McmPackage(3))
    _, said = judged(problem, np.array([0, 0, 1, 1, 2, 2], np.int32), [2])
    assert [one.word for one in said[:2]] == ["triangle", "here"]
    assert said[2].word == "order"
    assert rule_words(kernels.RULE_NO_SKIP) == "skips a chip"
    assert rule_words(kernels.RULE_EVERY_CHIP) == "empties a chip"
    problem = Problem(chain_graph(), Pipeline(3))
    preview, said = judged(problem, (np.arange(12) * 3 // 12).astype(np.int32), [4])
    for d in np.flatnonzero(preview.legal).tolist():
        assert said[d].stays or said[d].word.endswith("%")


def test_a_sentence_beside_the_pointer_takes_two_lines_at_most(qapp: Any) -> None:
    measure = metrics(11, False)
    assert two_lines("fits", measure, 200.0) == ["fits"]
    sentence = "conv_2 sends back from chip 17 to chip 16, where conv_9 needs it"
    first, second = two_lines(sentence, measure, 240.0)
    assert f"{first} {second}" == sentence
    for text in (sentence * 5, "a/very/long/name" * 20, "i" * 400):
        lines = two_lines(text, measure, 240.0)
        assert len(lines) == 2
        assert all(measure.horizontalAdvance(line) <= 240.0 for line in lines)
        assert lines[1].endswith("…")


@pytest.mark.parametrize("k", [4, 12, 36])
def test_every_chip_that_a_rule_forbids_says_which(qapp: object, k: int) -> None:
    from gui.canvas.graph.palette import canvas_palette

    problem = Problem(chain_graph(2 * k), Pipeline(k))
    _, said = judged(problem, np.arange(2 * k, dtype=np.int32) // 2, [0])
    titles = tuple(device.title for device in problem.devices)
    scribe = Scribe(900, 600)
    paint_strip(scribe, 900.0, 600.0, titles, said, -1, canvas_palette(LIGHT, k))
    scribe.end()
    refused = [d for d, one in enumerate(said) if one.reason and not one.stays]
    shown = [text for _, text in scribe.written if "order" in text]
    assert len(refused) >= k - 2 and len(shown) == len(refused)


@pytest.mark.parametrize("objective", ["max-load", "latency"])
def test_the_short_word_is_about_the_rule_that_is_said_first(objective: str) -> None:
    """Contiguity stands before memory, whichever of its forms an objective has."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, param_bytes=1.0) for i in range(5)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 0.0) for i in range(4)]
    document = Document()
    target = DevicePool(2, 1, memory=2.0, contiguous=True)
    document.open_graph(Graph.build("row", ops, tensors, time_unit="s"), target=target)
    assert document.problem is not None
    document.set_problem(target, objective)
    document.set_assignment(np.array([0, 1, 2, 2, 1], np.int32), "edit", "Start")
    preview = document.check([3])
    sentences = [violation.kind for violation in preview.violations(0)]
    told = refusal(preview, 0)
    assert told == "breaks contiguity" and sentences[0].startswith("contiguous")
    document.set_assignment(np.array([0, 0, 1, 1, 2], np.int32), "edit", "Full")
    both = document.check([4])
    assert refusal(both, 0) == "breaks contiguity" and len(both.reasons(0)) == 2
