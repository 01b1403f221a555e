"""Tests of what stands above two plans on one canvas: whole names and figures, the same of both, and a legend of every device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from gui.editors.comparison.picture.head import title_of
from gui.editors.comparison.picture.picture import draw_comparison
from gui.look.page import PRESETS, Page
from gui.look.theme import DARK, LIGHT, font
from gui.panels.comparison.canvases import canvases
from gui.panels.comparison.split import moved_choices
from gui.panels.comparison.words import BETWEEN
from gui.present.comparison.legend import devices_legend
from gui.present.comparison.overlay_head import TRACKS, overlay_head
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.problem.target import Device
from planner.reports.comparison import Comparison, compare
from tests.gui.editors.comparison.compare_parts import HAND, comparison_of
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.present.slides import written_in

CUT = "\N{HORIZONTAL ELLIPSIS}"
DARK_PAGES = {name: replace(page, theme=DARK) for name, page in PRESETS.items()}


def edge_tpus() -> Comparison:
    """Two plans with three components and long names."""
    graph = tpu_graph()
    problem = Problem(graph, EdgeTpuPipeline(4, cache=2 * 2**20), "memory-1-2-3")
    return compare([
        problem.plan(np.array(device_of, np.int32), HAND, name)
        for name, device_of in (
            ("Compiler's segmentation", [0, 0, 1, 2, 2, 3]), ("Edge TPU, exact", [0, 0, 1, 1, 2, 3])
        )
    ])  # fmt: skip


@pytest.mark.parametrize("name", PRESETS)
def test_names_and_figures_of_both_plans_are_whole_on_every_page(qapp: object, name: str) -> None:
    comparison = edge_tpus()
    words = [
        one.words for one in written_in(draw_comparison(comparison, PRESETS[name], "overlay").file(".svg"))
    ]
    said = " ".join(words)
    assert "A: Compiler's segmentation" in said and "B: Edge TPU, exact" in said
    figures = [word for word in words if word.startswith(("memory", "off-chip", "comm."))]
    assert figures and not [word for word in figures if CUT in word]
    assert said.count("memory ") == said.count("off-chip ") == said.count("comm. ") == 2


@pytest.mark.parametrize("width", [401.0, 520.0, 673.0, 1528.0])
def test_lines_fit_and_say_the_same_of_both(qapp: object, width: float) -> None:
    comparison = edge_tpus()
    small = QFontMetricsF(font(8.5))
    for height in (90.0, 379.0, 945.0):
        head = overlay_head(comparison, width, height)
        for lines in head.figures:
            assert all(small.horizontalAdvance(line) <= head.room for line in lines)
        first, second = (" ".join(lines).replace(BETWEEN, " ") for lines in head.figures)
        assert first.startswith("memory ") and ("valid" in first) == ("valid" in second)
        assert first.count(",") == second.count(",") and not first.endswith(",")
    assert len(overlay_head(comparison, width, 90.0).figures[0]) == 1


def test_side_by_side_the_same_is_said_of_every_plan(qapp: object) -> None:
    """Of one ``gap`` is short and of the other ``proven optimal`` long: a canvas may have room for the one with ``valid`` alone."""
    plans = comparison_of([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1])
    problem = plans.plans[0].problem
    best = min(plan.evaluation.objective for plan in plans.plans)
    comparison = compare(list(plans.plans), [Bound(problem.components[0], best, "test", problem.relaxation)])
    for width in range(300, 900, 12):
        found = canvases(comparison, QRectF(0, 0, width, 300), LIGHT, "flow")
        words = [canvas.picture.subtitle.split(BETWEEN) for canvas in found]
        assert len({len(items) for items in words}) == 1, words


@pytest.mark.parametrize("width", [120.0, 401.0, 673.0])
def test_every_device_is_in_the_legend(qapp: object, width: float) -> None:
    ops = chain_graph(40)
    five, four = (
        Problem(ops, Pipeline(count)).plan((np.arange(40) * count // 40).astype(np.int32), HAND)
        for count in (5, 4)
    )
    many = Problem(chain_graph(32), McmPackage(16)).plan((np.arange(32) // 2).astype(np.int32), HAND)
    for comparison in (compare([five, four]), compare([many, many])):
        legend = devices_legend(comparison, width)
        entries = [entry for line in legend.lines for entry in line]
        assert [row for row, _, _ in entries] == list(range(len(comparison.rows)))
        assert not [name for _, name, _ in entries if name[0].islower()]
        measure = QFontMetricsF(font(9.0))
        for line in legend.lines:
            assert len(line) == 1 or line[-1][2] + 15.0 + measure.horizontalAdvance(line[-1][1]) <= width
    column = written_in(draw_comparison(compare([five, four]), PRESETS["column"], "overlay").file(".svg"))
    words = [one.words for one in column]
    assert all(any(word.startswith(f"Stage {d}") for word in words) for d in range(5))
    assert not [word for word in words if word.endswith(" more")]


@pytest.mark.parametrize("pages", [PRESETS, DARK_PAGES])
@pytest.mark.parametrize("name", ["column", "poster"])
def test_cards_of_an_overlay_carry_names(qapp: object, pages: Mapping[str, Page], name: str) -> None:
    """Letters that a page has no room for are left out: cards are so large that theirs are not."""
    n = 40
    half = [i * 4 // n for i in range(n)]
    comparison = comparison_of(half, [*half[:9], 1, *half[10:]])
    words = [
        one.words for one in written_in(draw_comparison(comparison, pages[name], "overlay").file(".svg"))
    ]
    assert sum(word.lower().startswith(("conv", "bn", "batchnorm", "relu")) for word in words) >= n - 4, words
    assert not [word for word in words if CUT in word and "\N{RIGHTWARDS ARROW}" in word]


def test_cards_of_a_column_side_by_side_carry_names(qapp: object) -> None:
    """They wrap earlier where the page has room for larger ones."""
    n = 60
    half = [i * 4 // n for i in range(n)]
    comparison = comparison_of(half, [*half[:9], 1, *half[10:]])
    drawing = draw_comparison(comparison, PRESETS["column"], "flow")
    words = [one.words.lower() for one in written_in(drawing.file(".svg"))]
    assert sum(word.startswith(("conv", "bn", "batchnorm", "relu")) for word in words) >= 2 * n - 8
    assert drawing.page.pixels[1] <= PRESETS["column"].pixels[1]


@pytest.mark.parametrize("view", ["flow", "overlay", "devices"])
@pytest.mark.parametrize("name", PRESETS)
def test_devices_are_written_one_way_in_a_picture(qapp: object, name: str, view: str) -> None:
    words = [one.words for one in written_in(draw_comparison(edge_tpus(), PRESETS[name], view).file(".svg"))]
    assert [word for word in words if word.startswith("Stage ")]
    assert not [word for word in words if word.startswith("stage ")]


def test_where_an_op_goes_is_said_shorter_and_never_cut() -> None:
    first, second = Device("stage 2", "tpu", "Stage 2"), Device("stage 1", "tpu", "Stage 1")
    arrow = "\N{RIGHTWARDS ARROW}"
    assert moved_choices(first, second)[0] == f"Stage 2 {arrow} Stage 1"
    assert moved_choices(first, second)[2:] == (f"Stage 2 {arrow} 1", f"2 {arrow} 1")
    assert len(moved_choices(first, Device("cpu", "cpu", "CPU"))) == 2


@pytest.mark.parametrize("name", PRESETS)
def test_an_overlay_has_its_title(qapp: object, name: str) -> None:
    comparison = edge_tpus()
    for title in ("", title_of(comparison), "Two ways to cut"):
        drawn = written_in(draw_comparison(comparison, PRESETS[name], "overlay", title=title).file(".svg"))
        first = min(drawn, key=lambda one: one.box.top())
        assert first.words.startswith(
            "Two ways to cut" if title == "Two ways to cut" else comparison.graph.name
        )
        below = next(one for one in drawn if one.words.startswith("memory "))
        assert abs(first.box.left() - below.box.left()) < 0.05 * first.pixels + 3.0


def test_the_slider_is_shorter_where_figures_need_fewer_lines_then(qapp: object) -> None:
    """No word stands alone in a line below while there is room beside the slider."""
    comparison = comparison_of([0] * 6 + [1] * 3 + [2] * 3, [0] * 4 + [1] * 4 + [2] * 4)
    widths = range(300, 1000, 2)
    heads = [overlay_head(comparison, width, 600.0) for width in widths]
    assert {head.track for head in heads} == set(TRACKS)
    for head, width in zip(heads, widths, strict=True):
        if head.track == TRACKS[1]:
            assert max(map(len, head.figures)) == 1
            letters = QFontMetricsF(font(8.5))
            room = (width * (1 - TRACKS[0])) / 2
            assert (
                max(letters.horizontalAdvance(line) for lines in head.figures for line in lines) > room - 30
            )
