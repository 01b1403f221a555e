"""The figures strip: objective, bound, gap and rules of each plan, and the signed change against one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.editors.comparison.panels import figures
from gui.editors.comparison.panels.figures import FiguresStrip
from gui.editors.comparison.panels.figures_painter import paint_table
from gui.editors.comparison.panels.figures_words import figures_table, summary
from gui.look.numbers import MINUS, rate_text
from gui.look.theme import DARK, LIGHT
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.reports.comparison import compare
from tests.gui.editors.comparison.compare_parts import HAND, comparison_of, state_of
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe
from tests.gui.window_parts import settle, shown

A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]
BROKEN = [2, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def cell(table: object, row: int, title: str) -> str:
    return table.rows[row][table.titles.index(title)].text  # type: ignore[attr-defined]


def test_differences_have_a_sign_and_a_share() -> None:
    comparison = comparison_of(A, B)
    table = figures_table(comparison, (1, 0))
    first, second = (comparison.figures(i).objective for i in (0, 1))
    sign = "+" if second > first else MINUS
    assert cell(table, 0, "Against A") == "reference"
    assert cell(table, 1, "Against A") == f"{sign}{abs(second - first):.2f}"
    assert table.rows[1][-1].text == f"{sign}{abs(second - first) / first:.1%}".replace("%", " %")
    turned = figures_table(comparison, (0, 1))
    assert turned.titles[-2] == "Against B"
    assert turned.rows[0][-2].text[0] != sign
    assert table.rows[1][-1].tone == ("bad" if second > first else "good")
    assert "B: second: Bottleneck" in summary(table)


def test_optimal_is_only_said_where_a_bound_proves_it() -> None:
    plain = comparison_of(A, B)
    assert "optimal" not in summary(figures_table(plain, (1, 0)))
    problem, value = plain.plans[0].problem, plain.figures(0).objective
    proof = problem.bound("bottleneck", value, "simple", frozenset())
    best = min((0, 1), key=lambda i: plain.figures(i).objective)
    bound = problem.bound("bottleneck", plain.figures(best).objective, "simple", frozenset())
    table = figures_table(comparison_of(A, B, bounds=[bound]), (1, 0))
    assert cell(table, best, "Gap") == "\N{CHECK MARK} proven optimal"
    assert cell(table, 1 - best, "Gap").startswith("\N{LESS-THAN OR EQUAL TO} "), (
        "as everywhere else: a limit"
    )
    assert cell(table, best, "Lower bound") == f"{bound.value:.2f}"
    assert proof.value == value


def test_a_broken_plan_is_never_optimal_and_says_what_is_broken() -> None:
    table = figures_table(comparison_of(A, BROKEN), (1, 0))
    rules = table.rows[1][table.titles.index("Rules")]
    assert rules.text.endswith("violations")
    assert rules.tone == "bad"
    assert rules.tip
    assert table.rows[1][-1].tone == "muted"  # what breaks rules is neither better nor worse


def test_objectives_of_several_components_are_named() -> None:
    graph = tpu_graph()
    problem = Problem(graph, EdgeTpuPipeline(3, cache=2 * 2**20), "memory-1-2-3")
    plans = [
        problem.plan(np.array(a, np.int32), HAND, name)
        for a, name in (([0, 0, 1, 2, 2, 2], "a"), ([0, 0, 1, 1, 2, 2], "b"))
    ]
    table = figures_table(compare(plans), (1, 0))
    assert table.titles[1:4] == ("Memory", "Off-chip", "Comm.")
    assert table.rows[1][-2].text == f"memory {MINUS}1.00 MiB"


def test_estimates_of_the_main_window_stand_beside_the_objective() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2**20), "stage-time")
    plans = [
        problem.plan(np.array(a, np.int32), HAND, name)
        for a, name in (([0, 0, 1, 1, 2, 2], "a"), ([0, 0, 0, 1, 1, 2], "b"))
    ]
    table = figures_table(compare(plans), (1, 0))
    rates = [plan.evaluation.figures["throughput"] for plan in plans]
    assert cell(table, 0, "Throughput") == f"{rate_text(rates[0])} /s"
    assert cell(table, 1, "Throughput").startswith(f"{rate_text(rates[1])} /s")
    assert "streamed on one link" in table.rows[0][table.titles.index("Throughput")].tip
    served = [replace(problem, objective="inference-time").plan(p.decision.device_of, HAND) for p in plans]
    other = figures_table(compare(served), (1, 0))
    for title in ("Throughput", "Latency"):
        assert [cell(other, i, title) for i in (0, 1)] == [cell(table, i, title) for i in (0, 1)]


def test_the_latency_stands_once_and_what_plans_were_made_for_is_said() -> None:
    problem = Problem(chain_graph(12), DevicePool(3, 0), "latency")
    plans = [problem.plan(np.array(a, np.int32), HAND, name) for a, name in ((A, "a"), (B, "b"))]
    table = figures_table(compare(plans), (1, 0))
    assert table.titles.count("Latency") == 1 and "Made for" not in table.titles
    other = replace(problem, objective="max-load")
    table = figures_table(compare(plans, made_for=[problem, other]), (1, 0))
    assert table.titles.count("Latency") == 1
    assert [cell(table, i, "Made for") for i in (0, 1)] == ["Latency", "Max load"]
    loads = [replace(p, problem=other, evaluation=other.evaluate(p.decision.device_of)) for p in plans]
    assert "Latency" in figures_table(compare(loads), (1, 0)).titles, "beside another objective"


def test_a_figure_that_a_plan_does_not_have_says_why() -> None:
    graph = chain_graph(12)
    split = np.array(A, np.int32)
    first = Problem(graph, DevicePool(accelerators=2, cpus=1), "latency").plan(split, HAND, "a")
    slots = Problem(graph, DevicePool(accelerators=2, cpus=1, subgraphs=2), "latency").plan(split, HAND, "b")
    table = figures_table(compare([first, slots]), (1, 0))
    places = [table.titles.index(title) for title in ("Throughput", "Latency")]
    assert all(table.rows[0][at].text not in ("", "\N{EN DASH}") for at in places)
    dash, latency = (table.rows[1][at] for at in places)
    assert dash.text == "\N{EN DASH}" and "subgraphs" in dash.tip and latency.text != "\N{EN DASH}"


def test_what_cannot_be_compared_has_no_difference() -> None:
    graph = chain_graph(12)
    first = Problem(graph, Pipeline(count=3)).plan(np.array(A, np.int32), HAND, "a")
    second = Problem(graph, DevicePool(accelerators=3, cpus=1)).plan(np.array(B, np.int32), HAND, "b")
    table = figures_table(compare([first, second]), (1, 0))
    assert table.titles[1] == "Objective"
    assert table.rows[1][-1].text == "\N{EN DASH}"
    assert "do not compare" in table.rows[1][-1].tip


def test_a_click_lets_the_lists_speak_of_a_plan(qtbot: QtBot) -> None:
    state = state_of(A, B, [0] * 12)
    strip = FiguresStrip(state, LIGHT)
    with shown(qtbot, strip, 900, 100):
        table = strip.table
        assert strip.model.rowCount() == 3
        assert strip.height() >= strip.minimumSizeHint().height()
        assert strip.maximumHeight() > 1000  # tabs beside it may be higher
        place = table.visualRect(strip.model.index(2, 0)).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert state.shown == (2, 0)
        QTest.mouseClick(
            table.viewport(),
            Qt.MouseButton.LeftButton,
            pos=table.visualRect(strip.model.index(0, 0)).center(),
        )
        assert state.shown == (2, 0)  # a plan is not compared with itself
        settle()
        assert table.selectionModel().selectedRows()[0].row() == 2
        spoken = strip.model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken.startswith("Bottleneck ")
        assert "third" in table.accessibleDescription()
        strip.set_theme(DARK)
        settle()
        assert strip.model.theme is DARK


@pytest.mark.parametrize("width", [300.0, 620.0, 1200.0])
def test_cells_of_a_picture_never_overlap(qapp: object, width: float) -> None:
    table = figures_table(comparison_of(A, B), (1, 0))
    scribe = Scribe(int(width), 120)
    paint_table(scribe, QRectF(0, 0, width, 120), table, LIGHT)
    scribe.end()
    boxes = [rect for rect, text in scribe.written if text]
    for i, rect in enumerate(boxes):
        assert all(not rect.intersects(other) for other in boxes[i + 1 :])


def test_speeds_of_very_many_ops_are_found_one_in_a_turn(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_of(A, B)
    comparison = state.comparison
    assert comparison is not None
    view = FiguresStrip(state, LIGHT)
    qtbot.addWidget(view)
    assert not view.prepare(), "a few ops take no time"
    monkeypatch.setattr(figures, "VERY_MANY", 11)
    for found in (1, 2):
        assert view.prepare()
        assert sum("speed" in vars(comparison.figures(i)) for i in range(2)) == found
    assert not view.prepare()
