"""The bounds of a pipeline against brute force: never above the optimum, exact where they say so, in their order."""

from __future__ import annotations

import math
import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.generate import regal_like
from planner.machines.catalogue import bound_method
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.bounds.bottleneck import Bottleneck
from planner.machines.pipeline.bounds.bottleneck_guess import BottleneckGuess
from planner.machines.pipeline.bounds.exact import Exact
from planner.machines.pipeline.bounds.two_superblock import TwoSuperblock, splits
from planner.machines.pipeline.exact.model import StageModel, stage_model
from planner.machines.pipeline.superblocks.flow import cut_network
from planner.machines.pipeline.superblocks.split import Split
from planner.machines.pipeline.target import Pipeline
from planner.machines.several.bounds.simple import Simple
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run_bound
from planner.search.stop import Cancel
from tests.planner import reference
from tests.planner.strategies import graphs, stage_problems

HIGHS = {"solver": "highs"}
"""The solver that starts fastest."""

small = stage_problems(most=3, graph=graphs(most=6))


def value(problem: Problem, method: str, **options: object) -> float:
    bound = problem.strongest_bound(run_bound(bound_method(method), problem, options=options).bounds)
    assert bound is not None
    return bound.value


def below(bound: float, best: float) -> bool:
    return bound <= best * (1 + 1e-9) + 1e-9


@settings(max_examples=50)
@given(small)
def test_two_superblocks_never_exceed_the_optimum(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    bound = value(problem, "two-superblock")
    assert below(bound, best)
    assert math.isinf(bound) == math.isinf(best)


@settings(max_examples=12)
@given(small)
def test_the_programs_never_exceed_the_optimum_and_keep_their_order(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    bottleneck = value(problem, "bottleneck", **HIGHS)
    guess = value(problem, "bottleneck-guess", **HIGHS)
    exact = value(problem, "exact", **HIGHS)
    assert below(bottleneck, best) and below(guess, best) and below(exact, best)
    if math.isfinite(best):
        rounding = 1 - 1e-5
        assert guess >= bottleneck * rounding
        assert exact >= best * rounding
        assert exact >= guess * rounding


def ideals(model: StageModel) -> list[np.ndarray]:
    found = []
    for bits in product((False, True), repeat=model.count):
        ideal = np.array(bits, bool)
        if all(ideal[u] or not ideal[v] for u, v in zip(model.src, model.dst, strict=True)):
            found.append(ideal)
    return found


def relaxed(model: StageModel, first: int) -> float:
    """The two-superblock relaxation by looking at every ideal; pins by their stages."""
    best = math.inf
    for ideal in ideals(model):
        if (ideal & (model.earliest >= first)).any() or (~ideal & (model.latest < first)).any():
            continue
        cut = [
            t
            for t in range(len(model.time))
            if ideal[model.producer[t]] and not ideal[model.members(t)].all()
        ]
        best = min(
            best,
            max(
                (model.work[ideal].sum() + model.send_time[cut].sum()) / first,
                (model.work[~ideal].sum() + model.time[cut].sum()) / (model.k - first),
            ),
        )
    return best


@settings(max_examples=50)
@given(stage_problems(least=2, most=5, graph=graphs(most=9)), st.data())
def test_the_tree_solves_the_relaxation(problem: Problem, data: st.DataObject) -> None:
    model = stage_model(problem)
    first = data.draw(st.integers(1, model.k - 1))
    if not model.possible:
        return
    split = Split(model, cut_network(model), first)
    while not split.done:
        split.run()
    best = relaxed(model, first)
    assert below(split.bound, best)
    assert split.bound == pytest.approx(best, rel=1e-8, abs=1e-8)
    assert split.value == pytest.approx(best, rel=1e-8, abs=1e-8)


@settings(max_examples=30)
@given(stage_problems(least=2, most=4, graph=graphs(most=6)))
def test_windows_keep_every_plan_that_is_as_good(problem: Problem) -> None:
    best, plan = reference.optimum(problem)
    if plan is None:
        return
    model = stage_model(problem)
    earliest, latest = model.windows(best)
    stage = np.array(plan)
    assert (earliest[model.unit_of] <= stage).all() and (stage <= latest[model.unit_of]).all()


def row(time_unit: str | None = None) -> Graph:
    """Four ops of ten in a row."""
    ops = [Op(f"o{i}", f"o{i}", work=10.0, work_cpu=1.0) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 1.0) for i in range(3)]
    return Graph.build("line", ops, tensors, time_unit=time_unit)


def test_two_superblocks_by_hand() -> None:
    problem = Problem(row(), Pipeline(2))
    assert value(problem, "two-superblock") == pytest.approx(21.0)
    # Four stages of 10 each: two on a side with the cut, (20 + 1) / 2; the middle ones really pay 12.
    problem = Problem(row(), Pipeline(4))
    assert value(problem, "two-superblock") == pytest.approx(11.0)  # the split 1 : 3 has (10 + 1) / 1
    assert splits(5) == [2, 3, 1, 4]
    pinned = problem.with_constraints((Pin("o3", "stage 0"),))
    assert value(pinned, "two-superblock") == pytest.approx(40.0)
    together = Problem(row(), Pipeline(2), constraints=(Together(("o0", "o2")),))
    assert value(together, "two-superblock") == pytest.approx(31.0)


def test_contradicting_pins_are_proven_infeasible() -> None:
    pins = (Pin("o0", "stage 1"), Pin("o3", "stage 0"))
    problem = Problem(row(), Pipeline(2), constraints=pins)
    for method in (TwoSuperblock(), Bottleneck(), BottleneckGuess(), Exact()):
        assert run_bound(method, problem).status == "infeasible"


def test_what_is_known_is_where_a_bound_begins() -> None:
    problem = Problem(row(), Pipeline(4))
    known = problem.bound("bottleneck", 11.5, "oracle", frozenset())
    result = run_bound(TwoSuperblock(), problem, bounds=[known])
    assert problem.strongest_bound(result.bounds).value == 11.5  # type: ignore[union-attr]
    assert [v for _, kind, v in result.history if kind == "bound"] == []


def test_overflow_counts_in_every_bound() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, param_bytes=10.0) for i in range(4)]
    graph = Graph.build("heavy", ops, [], time_unit=None)
    problem = Problem(graph, Pipeline(2, bandwidth=2.0, memory=12.0))
    best, _ = reference.optimum(problem)
    assert best == pytest.approx(2 + 8 / 2)
    assert value(problem, "two-superblock") == pytest.approx(best)
    assert value(problem, "exact", **HIGHS) == pytest.approx(best, rel=1e-4)


def test_bounds_stream_in_rising_order_beyond_the_simple_one() -> None:
    problem = Problem(regal_like.generate(11), Pipeline(8))
    result = run_bound(TwoSuperblock(), problem)
    values = [v for _, kind, v in result.history if kind == "bound"]
    assert len(values) > 3 and values == sorted(values)
    assert values[-1] > 1.02 * run_bound(Simple(), problem).bounds[0].value
    assert result.stop_reason == "finished"


@pytest.mark.parametrize("method", ["two-superblock", "bottleneck", "bottleneck-guess", "exact"])
def test_a_cancel_is_heard(method: str) -> None:
    problem = Problem(regal_like.generate(2, {"nodes": 200, "degree": 4}), Pipeline(16))
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    result = run_bound(bound_method(method), problem, stop=Cancel(cancelled.is_set))
    timer.join()
    assert result.stop_reason == "cancelled"
    bound = problem.strongest_bound(result.bounds)
    assert bound is not None and bound.value > 0


def test_what_is_sent_and_what_is_received_count_on_their_own_sides() -> None:
    """Four ops of ten in a row; a tensor of one byte takes 1 to send and 0.25 to receive."""
    problem = Problem(row("s"), EdgeTpuPipeline(2, down=4.0, up=1.0, host_io=False), "stage-time")
    assert value(problem, "two-superblock") == pytest.approx(21.0)
    assert value(problem, "exact", **HIGHS) == pytest.approx(21.0)
    assert problem.evaluate(np.array([0, 0, 1, 1])).cost.tolist() == [21.0, 20.25]
    # One op on the first stage leaves the second more work than both directions cost.
    turned = Problem(row("s"), EdgeTpuPipeline(2, down=1.0, up=4.0, host_io=False), "stage-time")
    assert turned.evaluate(np.array([0, 0, 1, 1])).cost.tolist() == [20.25, 21.0]
    assert value(turned, "two-superblock") == pytest.approx(21.0)


def test_shared_children_are_among_the_assumptions() -> None:
    """b and c read from a and share a stage, so that the simple bound takes them for one op."""
    ops = [Op(i, i, work=w, work_cpu=w) for i, w in (("a", 1.0), ("b", 6.0), ("c", 6.0))]
    graph = Graph.build("fork", ops, [Tensor("a", ("b", "c"), 0.0)])
    free, tied = (
        Problem(graph, EdgeTpuPipeline(2, shared_children=on), "stage-time") for on in (False, True)
    )
    bounds = run_bound(bound_method("simple"), tied).bounds
    assert tied.strongest_bound(bounds).value == 12.0  # type: ignore[union-attr]
    assert free.strongest_bound(bounds) is None
    assert value(free, "simple") == pytest.approx(6.5)
