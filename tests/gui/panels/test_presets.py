"""Every view of a plan on the page of every preset: headings are whole, letters as large as the page wants, nothing on one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gui.canvas.graph.picture.subtitle import standing_text
from gui.look.heading import lines_of
from gui.look.page import PRESETS, SCREEN_DPI
from gui.look.theme import font
from gui.panels.pictures import Shown, drawing_of, views_of
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.problem.problem import Problem
from tests.gui.present.slides import overlapping, written_in

pytestmark = pytest.mark.usefixtures("qapp")
MACHINES = (
    "pipeline:4",
    "edge-tpu:4",
    "mcm:36,sram=40MiB,copy_sources=8,precision=int8",
    "pool:2+1,contiguous=false",
)
VIEWS = ("flow", "lanes", "stages", "schedule", "memory", "package")


def shown(machine: str, view: str) -> Shown:
    """ResNet50 in equal runs of ops on a machine, with a long title; skips a view that does not suit it."""
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target(machine, graph))
    if view not in views_of(problem):
        pytest.skip("no view of this machine")
    k = len(problem.devices)
    device_of = np.minimum(np.arange(graph.n) * k // graph.n, k - 1).astype(np.int32)
    return Shown(problem, device_of, f"{graph.name} on {problem.target.spec()}", planner="hand")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("machine", MACHINES)
def test_headings_are_whole_and_nothing_lies_on_another(machine: str, view: str, preset: str) -> None:
    given, page = shown(machine, view), PRESETS[preset]
    lines = written_in(drawing_of(given, view, page).file(".svg"))
    words = " ".join(line.words for line in lines).replace(" ", "")
    assert given.title.replace(" ", "") in words
    if view in ("flow", "lanes", "stages", "package"):
        told = standing_text(given.problem, given.problem.evaluate(given.device_of), ())
        assert told.replace(" ", "") in words
    head = max(line.box.bottom() for line in lines if len(line.words) > 6 and line.words in given.title)
    assert [
        line.words for line in lines if line.box.top() < head and "\N{HORIZONTAL ELLIPSIS}" in line.words
    ] == []
    assert overlapping(lines, 3.0) == []


@pytest.mark.parametrize(("machine", "view"), [(MACHINES[1], "memory"), (MACHINES[2], "package")])
def test_words_of_a_column_are_read_on_paper(machine: str, view: str) -> None:
    """No letters below 5 pt, where a picture that is shrunk into a column had 2.7 pt."""
    page = PRESETS["column"]
    drawing = drawing_of(shown(machine, view), view, page)
    points = [line.pixels * 72 / SCREEN_DPI for line in written_in(drawing.file(".svg"))]
    assert min(points) >= 5.0
    assert drawing.page.pixels[0] == page.pixels[0] and drawing.page.pixels[1] > page.pixels[0]


def test_a_column_without_a_limit_is_no_higher_than_its_words_and_bars() -> None:
    page = replace(PRESETS["column"], pixels=(1004, 9000))
    assert drawing_of(shown(MACHINES[1], "memory"), "memory", page).page.pixels[1] < 2500


def test_lines_break_after_commas_and_spaces() -> None:
    letters = font(9.0)
    assert lines_of("one two, three", letters, 1000.0) == ("one two, three",)
    assert lines_of("memory=30,precision=int8", letters, 90.0) == ("memory=30,", "precision=int8")
    assert lines_of("a b c d", letters, 1.0, most=2) == ("a", "b c d")
    assert lines_of("", letters, 50.0) == ("",)
