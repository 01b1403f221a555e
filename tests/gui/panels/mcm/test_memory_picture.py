"""The memory of chips as a picture of its own: a chart for each chip that runs anything, on one scale."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gui.look.page import PRESETS, SHEET, Page
from gui.panels.mcm.memory_painter import chip_memory
from gui.panels.mcm.memory_picture import draw_memories
from gui.panels.pictures import Shown, drawing_of, titles_of
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.package_models import TIDY, package_problem
from tests.gui.present.slides import overlapping, written_in

MIB = 2.0**20


def words_of(problem: Problem, device_of: np.ndarray, page: Page) -> list[str]:
    lines = written_in(drawing_of(Shown(problem, device_of, "Chips"), "memory", page).file(".svg"))
    assert overlapping(lines, 2.0) == []
    return [line.words for line in lines]


def told(words: list[str]) -> list[int]:
    """The chips that have a chart."""
    return [int(found[1]) for word in words if (found := re.match(r"Chip (\d+): .* at most$", word))]


@pytest.mark.parametrize("page", [SHEET, *PRESETS.values()], ids=["sheet", *PRESETS])
def test_each_chip_with_ops_has_a_chart(qapp: Any, page: Page) -> None:
    problem = package_problem(9, sram=64 * MIB)
    used = sorted(set(TIDY.tolist()))
    words = words_of(problem, TIDY, page)
    assert told(words) == used, "in the order of the chain, and none of a chip that runs nothing"
    assert {"parameters", "activations", "memory 64 MiB"} <= set(words)
    assert words.count("64.00 MiB") == len(used), "on one scale"


def test_of_more_chips_than_have_room_those_are_drawn_that_hold_most(qapp: Any) -> None:
    problem = Problem(chain_graph(40), McmPackage(40, sram=1e12))
    device_of = np.arange(40, dtype=np.int32)
    words = words_of(problem, device_of, Page((500, 400)))
    shown = told(words)
    most = [chip_memory(problem, device_of, chip).most for chip in range(40)]
    assert 0 < len(shown) < 40 and f"and {40 - len(shown)} chips that hold less" in words
    assert min(most[chip] for chip in shown) >= max(most[chip] for chip in range(40) if chip not in shown)


def test_a_page_that_is_to_be_cropped_ends_below_the_charts(qapp: Any, tmp_path: Path) -> None:
    page = draw_memories(package_problem(9), TIDY, PRESETS["column"]).save(tmp_path / "memory.png")
    assert page.pixels[1] < PRESETS["column"].pixels[1]


def test_the_view_is_offered_of_machines_that_have_it() -> None:
    graph = chain_graph(12)
    assert titles_of(Problem(graph, McmPackage(3)))["memory"] == "Memory of the chips"
    assert titles_of(Problem(graph, Pipeline(3)))["memory"] == "Memory of the stages"
    assert list(titles_of(Problem(graph, McmPackage(3))))[-2:] == ["package", "memory"]
