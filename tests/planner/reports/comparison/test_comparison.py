"""Comparisons: totals that add up, signs, picking back and forth, bounds that apply, and what cannot be compared."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError, StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel, fill
from planner.model.graph import Graph, Op, Tensor
from planner.problem.bound import Bound
from planner.problem.problem import Pin, Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.reports.comparison import Comparison, compare
from planner.reports.comparison.comparison import PARTS
from planner.reports.comparison.figures import own_name, told_by_file
from planner.reports.comparison.rules import Differing
from tests.planner.strategies import graphs, placements, problems


def chain(n: int = 6, name: str = "chain") -> Graph:
    ops = [
        Op(f"op{i}", f"op{i}", work=float(i + 1), work_cpu=2.0 * (i + 1), param_bytes=8.0) for i in range(n)
    ]
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0) for i in range(n - 1)]
    return Graph.build(name, ops, tensors)


def plan(problem: Problem, device_of: list[int], name: str = "test") -> Plan:
    return problem.plan(np.array(device_of, np.int32), Provenance("by hand"), name)


@st.composite
def plans(draw: st.DrawFn, least: int = 2, most: int = 4) -> list[Plan]:
    """Plans of one graph, each with a problem of its own."""
    graph = draw(graphs())
    found = []
    for i in range(draw(st.integers(least, most))):
        problem = draw(problems(graph=st.just(graph), options=True))
        found.append(plan(problem, draw(placements(problem)), f"plan {i}"))
    return found


# ------------------------------------------------------------------------------------------------ rows
@given(plans())
def test_every_device_has_one_row_and_every_op_a_place(given: list[Plan]) -> None:
    comparison = compare(given)
    for i, each in enumerate(given):
        devices = [row.devices[i] for row in comparison.rows if row.devices[i] >= 0]
        assert sorted(devices) == list(range(len(each.problem.devices)))
        for row, entry in enumerate(comparison.rows):
            assert entry.devices[i] < 0 or comparison.row_of[i][entry.devices[i]] == row
        assert comparison.places[i].tolist() == comparison.row_of[i][each.decision.device_of].tolist()
    assert all(max(row.devices) >= 0 for row in comparison.rows)


@given(plans())
def test_a_plan_does_not_differ_from_itself(given: list[Plan]) -> None:
    comparison = compare([given[0], given[0]])
    assert len(comparison.moved(1)) == 0
    assert [row.devices for row in comparison.rows] == [(d, d) for d in range(len(given[0].problem.devices))]
    different = comparison.differences(1)
    assert not np.nan_to_num(different.cost).any() and not different.ops.any()
    assert comparison.objective_difference(1) == 0 or math.isinf(given[0].objective)


def test_what_two_plans_have_beyond_the_reference_meets() -> None:
    graph = chain()
    three, two = Problem(graph, Pipeline(3)), Problem(graph, Pipeline(2))
    comparison = compare(
        [plan(two, [0, 0, 0, 1, 1, 1]), plan(three, [0, 0, 0, 1, 1, 2]), plan(three, [0, 0, 0, 1, 1, 2])]
    )
    assert [row.devices for row in comparison.rows] == [(0, 0, 0), (1, 1, 1), (-1, 2, 2)]
    assert comparison.rows[2].title == "Stage 2 (B)"
    assert comparison.device_title(2, 0) == "" and comparison.device_title(2, 2) == "Stage 2"
    assert comparison.moved(2, 1).tolist() == []
    assert comparison.moved(1).tolist() == [5]


# ------------------------------------------------------------------------------------------------ differences
@given(plans())
def test_flows_add_up_to_the_ops_and_work_of_each_device(given: list[Plan]) -> None:
    comparison = compare(given)
    for i in range(len(given)):
        for j in range(len(given)):
            flows = comparison.flows(i, j)
            before, after = comparison.by_row(j, "ops"), comparison.by_row(i, "ops")
            assert flows.ops.sum(axis=1).tolist() == np.nan_to_num(before).tolist()
            assert flows.ops.sum(axis=0).tolist() == np.nan_to_num(after).tolist()
            assert flows.ops.sum() - np.trace(flows.ops) == len(comparison.moved(i, j))
            assert flows.param_bytes.sum() == pytest.approx(given[j].problem.evaluator.params.sum())
            target = given[j].problem.target
            if given[j].problem.objective != "latency" and not getattr(target, "replication", False):
                work = np.nan_to_num(comparison.by_row(j, "work"))
                assert flows.work.sum(axis=1) == pytest.approx(work)


def test_parameters_that_go_are_those_that_a_device_loses() -> None:
    ops = [Op(f"op{i}", f"op{i}", work=1.0, work_cpu=1.0, params=16.0, param_bytes=64.0) for i in range(4)]
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0, dtype="float32") for i in range(3)]
    problem = Problem(Graph.build("floating", ops, tensors), EdgeTpuPipeline(2))
    comparison = compare([plan(problem, [0, 0, 0, 1]), plan(problem, [0, 1, 1, 1])])
    assert comparison.flows(1).param_bytes.tolist() == [[16.0, 32.0], [0.0, 16.0]]
    assert comparison.differences(1).memory.tolist() == [-32.0, 32.0]


@given(plans())
def test_differences_are_this_minus_that(given: list[Plan]) -> None:
    comparison = compare(given)
    forth, back = comparison.differences(1, 0), comparison.differences(0, 1)
    for part in ("ops", *PARTS, "memory"):
        np.testing.assert_array_equal(getattr(forth, part), -getattr(back, part))
        for r, row in enumerate(comparison.rows):
            if min(row.devices[:2]) < 0:
                assert np.isnan(getattr(forth, part)[r])
    for r, row in enumerate(comparison.rows):
        if min(row.devices[:2]) >= 0:
            a, b = (given[i].evaluation.memory[row.devices[i]] for i in (0, 1))
            assert forth.memory[r] == b - a


def test_signs() -> None:
    problem = Problem(chain(), Pipeline(2))
    comparison = compare([plan(problem, [0, 0, 0, 1, 1, 1]), plan(problem, [0, 0, 0, 0, 1, 1])])
    assert comparison.moved(1).tolist() == [3]
    different = comparison.differences(1)
    assert different.ops.tolist() == [1, -1]
    assert different.work.tolist() == [4, -4]
    assert different.memory.tolist() == [8, -8]
    assert (
        comparison.objective_difference(1)
        == comparison.plans[1].objective - comparison.plans[0].objective
        < 0
    )


# ------------------------------------------------------------------------------------------------ picking
@given(st.data())
def test_picking_everything_gives_the_other_plan(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True))
    comparison = compare([plan(problem, data.draw(placements(problem))) for _ in range(2)])
    n = problem.graph.n
    taken = comparison.picked(np.arange(n), source=1)
    again = compare([replaced(comparison, taken), comparison.plans[1]])
    assert len(again.moved(1)) == 0
    some = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    part = comparison.picked(some, source=1)
    for v in range(n):
        row = comparison.places[1 if v in some else 0][v]
        assert comparison.row_of[0][part[v]] == row


def replaced(comparison: Comparison, device_of: np.ndarray) -> Plan:
    first = comparison.plans[0]
    return first.problem.plan(device_of, first.provenance)


def test_a_device_without_counterpart_cannot_be_picked_from() -> None:
    graph = chain()
    comparison = compare(
        [
            plan(Problem(graph, Pipeline(2)), [0, 0, 0, 1, 1, 1]),
            plan(Problem(graph, Pipeline(3)), [0, 0, 0, 1, 1, 2]),
        ]
    )
    with pytest.raises(StageboardError, match=r"Stage 2 \(B\) has no counterpart in plan A; choose"):
        comparison.picked([5], source=1)
    assert comparison.picked([4], source=1).tolist() == [0, 0, 0, 1, 1, 1]


# ------------------------------------------------------------------------------------------------ what is proven
def test_a_bound_of_the_freer_problem_serves_both_and_one_of_the_stricter_only_itself() -> None:
    graph = chain()
    strict, free = (Problem(graph, DevicePool(2, 0, contiguous=rule)) for rule in (True, False))
    pair = [plan(strict, [0, 0, 0, 0, 1, 1]), plan(free, [0, 1, 0, 1, 0, 1])]
    low = free.bound("max-load", 1.0, "low", frozenset())
    high = strict.bound("max-load", 2.0, "high", frozenset({"rule:contiguous"}))
    comparison = compare(pair, [low, high])
    assert comparison.figures(0).bound == high
    assert comparison.figures(1).bound == low
    assert comparison.figures(1).gap == pytest.approx((pair[1].objective - 1.0) / pair[1].objective)
    assert [comparison.figures(i).status for i in (0, 1)] == ["feasible", "feasible"]


def test_a_bound_that_meets_the_plan_proves_it() -> None:
    problem = Problem(chain(), Pipeline(2))
    best = plan(problem, [0, 0, 0, 0, 1, 1])
    bound = problem.bound("bottleneck", best.objective, "exact", frozenset())
    figures = compare([best, best], [bound]).figures(0)
    assert (figures.status, figures.gap, figures.bound) == ("optimal", 0.0, bound)
    assert (figures.letter, figures.name, figures.target_words) == ("A", "test", "pipeline:2")


def test_a_bound_that_a_valid_plan_refutes_is_dropped() -> None:
    problem = Problem(chain(), Pipeline(2))
    best = plan(problem, [0, 0, 0, 0, 1, 1], "good")
    wrong = problem.bound("bottleneck", 2 * best.objective, "wrong", frozenset())
    comparison = compare([plan(problem, [0] * 6), best], [wrong])
    assert comparison.bounds == ()
    assert "the bound 'wrong'" in comparison.notes[0] and "'good'" in comparison.notes[0]
    assert comparison.figures(0).gap is None


def test_of_several_components_the_first_open_one_counts() -> None:
    problem = Problem(chain(), EdgeTpuPipeline(2, cache=20.0))
    best = plan(problem, [0, 0, 0, 1, 1, 1])
    assert best.evaluation.components["max-memory"] == 24
    first = problem.bound("max-memory", 24.0, "ilp", frozenset())
    second = problem.bound("dram", 4.0, "ilp", frozenset(), given=(("max-memory", 24.0),))
    figures = compare([best, best], [first, second]).figures(0)
    assert figures.bound == second and figures.gap == pytest.approx(0.5)
    assert figures.units == {"max-memory": "B", "dram": "B", "max-communication": "B"}


def test_an_invalid_plan_has_no_gap() -> None:
    problem = Problem(chain(), Pipeline(2))
    broken = plan(problem, [1, 0, 0, 0, 0, 0])
    figures = compare([broken, broken], [problem.bound("bottleneck", 1.0, "simple", frozenset())]).figures(0)
    assert (figures.status, figures.valid, figures.gap, figures.bound) == ("invalid", False, None, None)
    assert figures.violations


# ------------------------------------------------------------------------------------------------ what is refused
def test_objectives_of_different_machines_do_not_compare() -> None:
    graph = chain()
    pipeline, pool = Problem(graph, Pipeline(2)), Problem(graph, DevicePool(2, 0))
    tpus = Problem(graph, EdgeTpuPipeline(2))
    sentence = compare([plan(pipeline, [0] * 6), plan(pool, [0] * 6)]).why_incomparable
    assert sentence == "A is a plan for a pipeline and B for a device pool: their objectives do not compare"
    by_time = Problem(graph, EdgeTpuPipeline(2), "stage-time")
    different = compare([plan(tpus, [0] * 6), plan(by_time, [0] * 6)])
    assert "memory-1-2-3" in different.why_incomparable and "stage-time" in different.why_incomparable
    assert math.isnan(different.objective_difference(1))
    assert (
        compare([plan(pipeline, [0] * 6), plan(Problem(graph, Pipeline(3)), [0] * 6)]).why_incomparable == ""
    )


def test_times_without_a_unit_are_not_subtracted_from_seconds() -> None:
    graph = chain()
    bare = replace(graph, time_unit=None)
    pair = [plan(Problem(graph, Pipeline(2)), [0] * 6), plan(Problem(bare, Pipeline(2)), [0] * 6)]
    comparison = compare(pair)
    assert "different units" in comparison.why_incomparable
    assert np.isnan(comparison.differences(1).cost).all()
    assert comparison.differences(1).memory.tolist() == [0, 0]


def test_other_cost_models_do_not_compare() -> None:
    ops = [Op("a", "a", macs=1e9), Op("b", "b", macs=1e9)]
    graph = Graph.build("two", ops, [Tensor("a", ("b",), bytes=4.0)])
    models = [CostModel(), CostModel.from_dict({"accelerator_flops": 1e12})]
    pair = [plan(Problem(fill(graph, model), Pipeline(2)), [0, 1]) for model in models]
    assert "cost models" in compare(pair).why_incomparable
    assert compare([pair[0], pair[0]]).why_incomparable == ""


def test_plans_of_different_graphs_are_refused_with_how_they_differ() -> None:
    one, other = Problem(chain(6), Pipeline(2)), Problem(chain(7, "longer"), Pipeline(2))
    with pytest.raises(PlanError, match="plans A and B are of different graphs: it places 7 ops of 'longer'"):
        compare([plan(one, [0] * 6), plan(other, [0] * 7)])


@pytest.mark.parametrize("count", [0, 1, 5])
def test_two_to_four_plans(count: int) -> None:
    each = plan(Problem(chain(), Pipeline(2)), [0] * 6)
    with pytest.raises(PlanError, match=f"{count} plans? cannot be compared; choose 2 to 4"):
        compare([each] * count)


def test_bounds_of_another_graph_do_not_matter() -> None:
    problem = Problem(chain(), Pipeline(2))
    each = plan(problem, [0] * 6)
    stranger = Bound("bottleneck", 1e9, "other", "another relaxation")
    comparison = compare([each, each], [stranger])
    assert comparison.figures(0).bound is None and comparison.notes == ()


def test_plans_of_one_name_and_problem_are_called_by_their_files() -> None:
    problem = Problem(chain(), Pipeline(3))
    same = problem.plan(np.zeros(problem.graph.n, np.int32), Provenance("slice"), "")
    other = replace(same, name="mine")
    told = told_by_file([same, other, same], ["/a/first.plan.json", "second.plan.json", "slice-2.plan.json"])
    assert [own_name(each) for each in told] == ["first (slice)", "mine", "slice-2"]


def test_in_what_rules_differ_is_said_of_plans_that_compare() -> None:
    graph = chain()

    def told(*targets: Target, constraints: tuple[Pin, ...] = ()) -> Differing:
        problems = [Problem(graph, target) for target in targets]
        problems[-1] = problems[-1].with_constraints(constraints)
        return compare([plan(problem, [0] * 6) for problem in problems]).differing

    pool = DevicePool(2, 1, bandwidth=12e9)
    assert told(pool, pool) == ("", "")
    assert told(pool, replace(pool, contiguous=False)) == (
        "rules", "the rules differ: contiguous in A, not in B",
    )  # fmt: skip
    assert told(pool, pool, replace(pool, bandwidth=1.5e9, memory=2.0**30)) == (
        "rules",
        "the rules differ: memory unlimited in A and B, 1.00 GiB in C; bandwidth 12 GB/s in A and B, 1.5 GB/s in C",
    )
    assert told(pool, replace(pool, bandwidth=0.0)).sentence.endswith(
        "bandwidth 12 GB/s in A, automatic in B"
    )
    assert told(Pipeline(4), Pipeline(6)) == ("machine", "the machines differ: 4 stages in A, 6 stages in B")
    assert told(Pipeline(4), Pipeline(4), constraints=(Pin("op0", "stage 0"),)) == (
        "rules", "the rules differ: pins and ops kept together",
    )  # fmt: skip
    assert told(pool, Pipeline(3)) == ("", ""), "these do not compare at all"


def test_plans_of_one_name_are_told_apart() -> None:
    """By what found them, by their target, or by the seed: whichever differs."""
    graph = chain()
    three, four = (Problem(graph, Pipeline(count=count)) for count in (3, 4))

    def named(problem: Problem, planner: str, seed: int | None) -> Plan:
        return problem.plan(np.zeros(graph.n, np.int32), Provenance(planner, seed=seed), "")

    def names(*plans: Plan) -> list[str]:
        told = compare(plans)
        return [told.figures(i).name for i in range(len(plans))]

    assert names(named(three, "slice", 1), named(four, "slice", 1)) == [
        "slice (3 stages)",
        "slice (4 stages)",
    ]
    machines = (
        DevicePool(2, 1),
        DevicePool(2, 1, contiguous=False),
        DevicePool(2, 1, memory=2.0**30),
        three.target,
    )
    row, free, small, stages = (named(Problem(graph, machine), "slice", 1) for machine in machines)
    assert names(row, free) == ["slice (contiguous)", "slice (non-contiguous)"]
    assert names(row, free, small) == [
        "slice (memory unlimited, contiguous)", "slice (memory unlimited, non-contiguous)", "slice (memory 1.00 GiB, contiguous)",
    ]  # fmt: skip
    assert names(row, stages) == ["slice (Device pool)", "slice (Pipeline)"]
    assert names(named(three, "slice", 1), named(three, "slice", 2)) == ["slice (seed 1)", "slice (seed 2)"]
    assert names(named(three, "slice", 1), named(three, "anneal", 1)) == ["slice", "anneal"]
    both = [replace(named(three, planner, 1), name="mine") for planner in ("slice", "anneal")]
    assert names(*both) == ["mine (slice)", "mine (anneal)"]
    assert names(named(three, "slice", 1), named(three, "slice", 1)) == ["slice", "slice"], (
        "nothing differs but the letters"
    )
