"""Names and colours of devices that plans call differently: the same, and both of them, in every view."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from gui.canvas.graph.items import items_of
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.canvas.graph.stages.plate_form import names_of
from gui.editors.comparison.panels.devices_table import device_table
from gui.editors.comparison.panels.figures_words import figures_table
from gui.editors.comparison.panels.moved_model import Moves
from gui.editors.comparison.panels.schedules import row_colours
from gui.editors.comparison.picture.head import subtitle_of
from gui.editors.comparison.sources import told_apart
from gui.look.theme import DARK, LIGHT, Theme, device_colours, numbered_colours
from gui.panels.comparison.marks import marks_of
from gui.panels.comparison.rows import device_titles, row_headers, scene_of_plan
from gui.panels.comparison.sankey_words import sankey_of
from gui.panels.comparison.words import device_words, optimal_words, rules_words, standing_words, where_words
from gui.present.comparison.words import comparison_runs
from gui.present.panels.difference import paint_difference
from planner.cli.comparing import comparison_text
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Device
from planner.reports.comparison import Comparison, compare
from planner.story.comparing import comparison_caption
from tests.gui.editors.comparison.compare_parts import HAND, pool
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe

A = [0, 0, 0, 0, 1, 1, 1, 1]
B = [0, 0, 0, 1, 2, 2, 2, 2]
"""Its stage 1 is a further one, its stage 2 the reference's stage 1."""


@pytest.fixture
def comparison() -> Comparison:
    graph = chain_graph(8)
    return compare([
        Problem(graph, Pipeline(count=count)).plan(np.array(a, np.int32), HAND, name)
        for a, count, name in ((A, 2, "two"), (B, 3, "three"), (A, 2, "again"))
    ])  # fmt: skip


NAMES = ["Stage 0", "Stage 1 (B)", "Stage 1 in A and C, 2 in B"]


def test_every_list_calls_a_row_by_its_one_name(comparison: Comparison) -> None:
    assert [comparison.row_title(row) for row in range(3)] == NAMES
    short = [name.replace("Stage", "stage") for name in NAMES]
    moves = Moves(comparison, (1, 0))
    assert (moves.names, moves.short_names) == (NAMES, short)
    assert device_words(comparison, 1, np.array([3, 7])) == "Stage 1 (B), Stage 1 in A and C, 2 in B"
    assert where_words(comparison, 0, np.array([3])) == "Stage 0 here, Stage 1 (B) in B"
    sankey = sankey_of(comparison, (1, 0), "ops", 300)
    assert sankey.device_words(0, 2).startswith("Stage 1 of plan A")
    assert sankey.device_words(1, 2).startswith("Stage 2 of plan B")
    assert device_titles(comparison, 0) == ["Stage 0", "Stage 1 in A and C, 2 in B"]
    assert device_titles(comparison, 1) == NAMES


def test_the_bottleneck_is_marked_in_the_row_that_is_named(comparison: Comparison) -> None:
    table = device_table(comparison, (2, 0))
    for i, row in enumerate(table.hot):
        assert comparison.device_title(row, i).rpartition(" ")[2] in table.columns[0].texts[row]
    assert table.bottlenecks() == "A's and C's bottleneck is Stage 1, B's Stage 2"
    between = device_table(comparison, (1, 0)).summary()
    assert between.startswith("A's bottleneck is Stage 1, B's Stage 2")
    # B is not of the pair, but has columns.
    assert list(table.columns[0].texts) == NAMES


def test_cards_and_lanes(comparison: Comparison) -> None:
    items = items_of(comparison.graph, None, frozenset())
    for plan in (0, 1):
        found = marks_of(comparison, items, plan, (1, 0)).names
        assert found == ("Stage 0", "Stage 1 (B)", "Stage 1 in A and C, 2 in B")
    headers = row_headers(comparison, 1)
    assert headers.titles == tuple(NAMES)
    assert headers.names == ("0", "1 (B)", "1 in A and C, 2 in B"), (
        "where there is little room they still differ"
    )
    assert row_headers(comparison, 0).titles == ("Stage 0", "not in this plan", "Stage 1 in A and C, 2 in B")


def devices_on_canvas(comparison: Comparison, plan: int, alone: bool) -> list[Device]:
    items = items_of(comparison.graph, None, frozenset())
    skeleton, places = skeleton_of(items), np.array(comparison.places[plan], np.int32)
    layout = arrange(items, skeleton, "flow", places, len(comparison.rows), (600.0, 400.0))
    return list(scene_of_plan(comparison, plan, items, skeleton, layout, "flow", alone).devices)


def test_small_plates_on_a_canvas_of_one_plan_have_its_own_numbers(comparison: Comparison) -> None:
    numbers = [
        [names_of(device)[2] for device in devices_on_canvas(comparison, plan, True)] for plan in (0, 1)
    ]
    assert numbers == [["0", "plan", "1"], ["0", "1", "2"]]
    both = [names_of(device)[2] for device in devices_on_canvas(comparison, 1, False)]
    assert both == ["0", "1 (B)", "1 in A and C, 2 in B"], "never the last word of a name alone"
    graph = chain_graph(8)
    plans = [Problem(graph, pool(k, 1)).plan(np.array([0] * 7 + [k - 1]), HAND) for k in (1, 3)]
    pooled = [names_of(device)[2] for device in devices_on_canvas(compare(plans), 1, True)]
    assert all(name[0].isdecimal() for name in pooled)


def test_over_one_another_a_lane_has_both_names_side_by_side(comparison: Comparison) -> None:
    first, second = (row_headers(comparison, i) for i in (0, 1))
    both = first.together(second, ("A", "B"))
    assert both.names == ("0", "1 (B)", "Stage 1 | Stage 2") and both.own == ("0", "1 (B)", "1 | 2")
    assert (
        both.titles == ("Stage 0", "Stage 1 (B)", "Stage 1 | Stage 2")
        and both.paired == "Stage 1 | Stage 2"
        and not first.paired
    )
    graph = chain_graph(8)
    plans = [
        Problem(graph, pool(2, 1)).plan(np.array(a, np.int32), Provenance("slice"), "p")
        for a in (A, [1 - device for device in A])
    ]
    found = compare(plans)
    both = row_headers(found, 0).together(row_headers(found, 1), ("A", "B"))
    assert both.names == ("acc 0 | acc 1", "acc 1 | acc 0", "cpu 0") and both.own == (
        "0 | 1",
        "1 | 0",
        "cpu 0",
    )
    alike = compare([plans[0], plans[0]])
    assert not row_headers(alike, 0).together(row_headers(alike, 1), ("A", "B")).paired


def test_bars_of_lanes_are_on_one_scale() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3))
    plans = [problem.plan(np.array(a, np.int32), HAND) for a in ([0] * 6, [0, 0, 1, 2, 2, 2])]
    costs = [float(plan.evaluation.cost.max()) for plan in plans]
    fullest = [float(plan.evaluation.memory.max()) for plan in plans]
    assert costs[0] > costs[1] and fullest[0] > fullest[1]
    for headers in (row_headers(compare(plans), i) for i in range(2)):
        assert headers.longest == pytest.approx(costs[0])
        assert headers.fullest == fullest[0]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_reference_keeps_its_colours(comparison: Comparison, theme: Theme) -> None:
    own = device_colours(3, theme)
    assert comparison.numbers == (0, 2, 1)
    assert numbered_colours(comparison.numbers, theme) == (own[0], own[2], own[1])
    assert row_colours(comparison, 0, theme) == own[:2]
    assert row_colours(comparison, 1, theme) == (own[0], own[2], own[1])


def test_stories_say_what_a_stage_was_called(qapp: object, comparison: Comparison) -> None:
    versus, plan = comparison.plans[:2]
    scribe = Scribe(600, 400)
    paint_difference(scribe, QRectF(0, 0, 600, 400), plan, versus, compare([versus, plan]), 1.0, LIGHT)
    scribe.end()
    written = [text for _, text in scribe.written]
    assert [text for text in written if text.startswith("Stage")] == [
        "Stage 0",
        "Stage 1",
        "Stage 2 (was Stage 1)",
    ]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_difference_has_the_marks_of_the_plan_beside_it(comparison: Comparison, theme: Theme) -> None:
    versus, plan = comparison.plans[:2]
    own = device_colours(4, theme)
    told = compare([versus, plan]).numbered([(), ()], 1)
    assert numbered_colours(told.numbers, theme) == own[:3]
    # What is gone has a mark that no device of the plan has.
    back = compare([plan, versus]).numbered([(), ()], 1)
    gone = [row.devices[1] < 0 for row in back.rows].index(True)
    colours = numbered_colours(back.numbers, theme)
    assert colours[gone] == own[2]
    assert [colours[i] for i, row in enumerate(back.rows) if row.devices[1] >= 0] == list(own[:2])


def test_names_in_a_narrow_difference_are_not_cut(qapp: object, comparison: Comparison) -> None:
    versus, plan = comparison.plans[:2]
    scribe = Scribe(260, 400)
    paint_difference(scribe, QRectF(0, 0, 260, 400), plan, versus, compare([versus, plan]), 0.75, LIGHT)
    scribe.end()
    assert [text for _, text in scribe.written if text.startswith("Stage")][-1] == "Stage 2 (was 1)"


def test_those_of_a_pool_keep_their_numbers() -> None:
    graph = chain_graph(8)
    plans = [
        Problem(graph, pool(count, 0)).plan(np.array(a, np.int32), HAND, "p")
        for a, count in ((A, 2), ([1, 1, 1, 2, 0, 0, 0, 0], 3))
    ]
    found = compare(plans)
    assert found.numbers == (0, 1, 2)
    assert found.row_title(0) == "Accelerator 0"
    assert found.row_title(0, every=True) == "Accelerator 0 in A, 1 in B", "a legend says it once"
    assert found.row_title(2) == "Accelerator 2 (B)"


def test_an_accelerator_and_a_cpu_are_never_both_called_by_the_same_number() -> None:
    graph = chain_graph(8)
    for target, names in ((pool(2, 1), ("acc 0", "acc 1", "cpu 0")), (Pipeline(3), ("0", "1", "2"))):
        plans = [Problem(graph, target).plan(np.array(a, np.int32), HAND, "p") for a in (A, B)]
        assert row_headers(compare(plans), 0).names == names


def test_plans_called_alike_are_told_apart() -> None:
    graph = chain_graph(12)
    note = Provenance("slice")
    three = Problem(graph, Pipeline(3)).plan(np.repeat([0, 1, 2], 4).astype(np.int32), note, "slice")
    two = Problem(graph, Pipeline(2)).plan(np.repeat([0, 1], 6).astype(np.int32), note, "slice")
    other = Problem(graph, Pipeline(2)).plan(np.repeat([0, 1], [5, 7]).astype(np.int32), note, "mine")
    names = [plan.name for plan in told_apart([three, two, other], [None] * 3)]
    assert names == ["slice, 3 stages", "slice, 2 stages", "mine"]
    files = [plan.name for plan in told_apart([three, three], [Path("a.json"), Path("b.json")])]
    assert files == ["a (slice)", "b (slice)"]
    mixed = told_apart([three, two, three], [Path("a.plan.json"), Path("b.plan.json"), None])
    assert [plan.name for plan in mixed] == ["a (slice, 3 stages)", "slice, 2 stages", "slice, 3 stages"]
    assert told_apart([three, other], [None] * 2) == [three, other]
    listed = replace(three, name="f4 (slice)")
    apart = told_apart([listed, three], [None, Path("f6.plan.json")])
    assert [plan.name for plan in apart] == ["f4 (slice)", "f6 (slice)"]


def test_what_is_optimal_under_other_rules_is_so_for_its_own() -> None:
    graph = chain_graph(8)
    problems = [Problem(graph, DevicePool(2, 0, contiguous=contiguous)) for contiguous in (True, False)]
    plans = [
        problem.plan(np.array(places, np.int32), HAND, "p")
        for problem, places in zip(problems, ([0] * 8, [1] * 8), strict=True)
    ]
    bounds = [
        plan.problem.bound("max-load", plan.objective, "exact", plan.problem.assumptions) for plan in plans
    ]
    differing, alike = compare(plans, bounds), compare([plans[0], plans[0]], bounds)
    assert optimal_words(differing) == "optimal for its own rules" and "optimal for" in standing_words(
        differing, 1
    )
    assert optimal_words(alike) == "proven optimal" and "proven optimal" in standing_words(alike, 1)
    table = figures_table(differing, (1, 0))
    rules = table.titles.index("Rules")
    assert table.rows[0][rules].text == "✓ valid by its own rules" == f"✓ {rules_words(differing, 0)}"
    assert "by those that are open in Plans: the rules differ" in table.rows[0][rules].tip
    plain = figures_table(alike, (1, 0)).rows[0][rules]
    assert (plain.text, plain.tip) == ("✓ valid", "")
    gap = table.titles.index("Gap")
    assert [row[gap].text for row in table.rows] == ["✓ optimal for its own rules"] * 2
    assert "The rules differ: contiguous in A, not in B" in subtitle_of(differing)
    assert comparison_caption(differing).endswith("The rules differ: contiguous in A, not in B.")
    text = comparison_text(differing, ["a", "b"])
    assert text.index("the rules differ: contiguous in A, not in B") < text.index(
        "0, optimal for its own rules"
    )


def test_values_of_all_plans_are_in_one_unit_with_one_number_of_digits() -> None:
    """A plan just below a millisecond beside one above: both are told in milliseconds, in the table and over the canvases."""
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=2.475e-4, work_cpu=1e-3) for i in range(8)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 8.0, time=1e-9) for i in range(7)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    places = ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1, 1, 1])
    problem = Problem(graph, DevicePool(2, 0, communication="overlap"))
    comparison = compare([problem.plan(np.array(p, np.int32), HAND, "p") for p in places])
    for plan, said in enumerate(("0.99 ms", "1.24 ms")):
        assert said in standing_words(comparison, plan)
        assert said in [run.text for run in comparison_runs(comparison, LIGHT)]
        assert said in [cell.text for cell in figures_table(comparison, (1, 0)).rows[plan]]
