"""Pages with a floor: no letters below it in any view, and what a slide has to say is there."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from gui.canvas.graph.picture.picture import compose
from gui.canvas.network.picture import draw_network
from gui.editors.comparison.picture.picture import VIEWS as COMPARISONS
from gui.editors.comparison.picture.picture import draw_comparison
from gui.look.drawn import Drawing, drawn
from gui.look.page import PRESETS, SCREEN_DPI, Page
from gui.panels.pictures import Shown, drawing_of, views_of
from gui.panels.schedule.picture import draw_schedule
from gui.present.certificate.picture import draw_certificate
from planner.formats import read_models
from planner.machines.spec import network_target, parse_target
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.model.graph import Graph
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.reports.certificate.certificate import certificate
from planner.reports.comparison import compare
from tests.gui.editors.comparison.compare_parts import HAND
from tests.gui.present.slides import Written, overlapping, written_in

pytestmark = pytest.mark.usefixtures("qapp")
PACKAGE = "mcm:36,sram=40MiB,copy_sources=8,precision=int8"
POINTS = 72 / SCREEN_DPI
ROUNDING = 0.98


def spread(graph: Graph, machine: str) -> tuple[Problem, np.ndarray]:
    """A model in equal runs of ops over the devices of a machine."""
    problem = Problem(graph, parse_target(machine, graph))
    k = len(problem.devices)
    return problem, np.minimum(np.arange(graph.n) * k // graph.n, k - 1).astype(np.int32)


def read(drawing: Drawing, page: Page) -> list[Written]:
    """All words of a picture, none of them below the floor of its page or on another."""
    lines = written_in(drawing.file(".svg"))
    assert min(line.pixels * POINTS for line in lines) >= ROUNDING * page.floor
    assert overlapping(lines, 3.0) == []
    return lines


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("model", ["branchy_int8.tflite", "resnet50.json", "bert_large.json"])
@pytest.mark.parametrize("machine", ["pipeline:4", "edge-tpu:4", PACKAGE, "pool:2+1,contiguous=false"])
def test_no_letters_are_below_the_floor(model: str, machine: str, preset: str) -> None:
    problem, device_of = spread(read_models([sample(model)]), machine)
    for view in views_of(problem):
        page = PRESETS[preset]
        lines = read(drawing_of(Shown(problem, device_of, "A talk", planner="hand"), view, page), page)
        assert any(line.words == "A talk" for line in lines), view


@pytest.mark.parametrize("preset", ["slide", "poster"])
def test_nor_on_a_certificate(preset: str) -> None:
    problem, device_of = spread(read_models([sample("resnet50.json")]), "edge-tpu:4")
    plan = problem.plan(device_of, HAND, "hand")
    read(draw_certificate(certificate(plan), PRESETS[preset]), PRESETS[preset])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("file", ["digits_pruned.npz", "compact_growth_50.npz"])
def test_nor_on_a_network_which_explains_its_colours(file: str, preset: str) -> None:
    from planner.formats.networks.read import read_network

    network = read_network(sample(file))
    problem = NetworkProblem(network, network_target())
    order = theorem_1_order(network)
    page = PRESETS[preset]
    lines = read(draw_network(problem, order, page, "An order", position=len(order) // 2), page)
    assert {"in fast memory", "unwritten", "used later", "first use", "last use"} <= {
        line.words for line in lines
    }


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("view", COMPARISONS)
def test_nor_where_plans_are_compared(view: str, preset: str) -> None:
    problem, device_of = spread(read_models([sample("resnet50.json")]), "pipeline:4")
    plans = [
        problem.plan(found.astype(np.int32), HAND, name)
        for name, found in (("a", device_of), ("b", np.minimum(device_of, 2)), ("c", 0 * device_of))
    ]
    lines = read(draw_comparison(compare(plans), PRESETS[preset], view), PRESETS[preset])
    if view != "devices":
        assert {"A: a", "B: b", "C: c"} <= {line.words for line in lines}


@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_ops_whose_names_cannot_be_read_stand_in_groups_that_can(view: str) -> None:
    problem, device_of = spread(read_models([sample("resnet50.json")]), "pipeline:4")
    picture = compose(problem, device_of, PRESETS["slide"], view)
    assert picture.scene.items.count < problem.graph.n
    assert re.match(
        r"177 ops, drawn as (\d+ ops? and )?\d+ groups?( or parts of groups)?, ", picture.subtitle
    )
    lines = read(drawing_of(Shown(problem, device_of), view, PRESETS["slide"]), PRESETS["slide"])
    named = {line.words for line in lines}
    assert sum(bool(re.fullmatch(r"(conv\d_)?block\d", words)) for words in named) >= 6
    whole = compose(problem, device_of, Page((1920, 1080)), view)
    assert whole.scene.items.count == problem.graph.n


def test_low_lanes_carry_as_many_titles_as_fit_and_plates_the_number() -> None:
    problem, device_of = spread(read_models([sample("resnet50.json")]), PACKAGE)
    page = PRESETS["slide"]
    lanes = {line.words for line in read(drawing_of(Shown(problem, device_of), "lanes", page), page)}
    slowest = int(problem.evaluate(device_of).cost.argmax())
    assert {"Chip 0", f"Chip {slowest}"} <= lanes, "the bottleneck's before others"
    assert 15 < sum(words.startswith("Chip ") for words in lanes) < 36
    plates = {line.words for line in read(drawing_of(Shown(problem, device_of), "stages", page), page)}
    assert {str(chip) for chip in range(36)} <= plates


def test_a_schedule_has_all_rows_and_fills_a_slide() -> None:
    graph = read_models([sample("resnet50.json")])
    problem, device_of = spread(graph, PACKAGE)
    words = {
        line.words for line in written_in(draw_schedule(problem, device_of, PRESETS["slide"]).file(".svg"))
    }
    assert {"Chip 0", "Chip 34"} <= words
    problem, device_of = spread(graph, "pool:2+1,contiguous=false")
    lines = written_in(draw_schedule(problem, device_of, PRESETS["slide"]).file(".svg"))
    low, high = (choose(line.box.center().y() for line in lines) for choose in (max, min))
    assert low - high > 0.8 * 720


def painted(words: Sequence[tuple[int, str]], page: Page) -> str:
    """A drawing of words in letters of so many pixels of the page."""

    def paint(painter: QPainter) -> None:
        for pixels, text in words:
            letters = QFont()
            letters.setPixelSize(pixels)
            painter.setFont(letters)
            painter.drawText(QRectF(0, 0, 900, 90), int(Qt.AlignmentFlag.AlignLeft), text)

    return drawn(".svg", page, "t", paint).decode()


def test_whatever_is_painted_below_the_floor_is_left_out() -> None:
    page = PRESETS["slide"]
    assert round(page.least) == 28 and page.least_units == pytest.approx(page.least / page.scale)
    svg = painted([(28, "just"), (26, "below")], page)
    assert "just" in svg and "below" not in svg
    assert "below" in painted([(26, "below")], Page((1920, 1080), dpi=144))


@pytest.mark.parametrize("preset", ["slide", "column"])
@pytest.mark.parametrize("machine", ["pipeline:8", PACKAGE, "pool:2+1,contiguous=false", "edge-tpu:4"])
def test_slides_of_twenty_thousand_ops_are_as_legible(machine: str, preset: str) -> None:
    """Ten models at a time: no words below the floor, on others, or cut in the middle of a name."""
    problem, device_of = spread(read_models([sample("bert_large.json")] * 10), machine)
    assert problem.graph.n > 19_000
    for view in views_of(problem):
        lines = read(drawing_of(Shown(problem, device_of), view, PRESETS[preset]), PRESETS[preset])
        assert not [line.words for line in lines if line.words.startswith("…")]
