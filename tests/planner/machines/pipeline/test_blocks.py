"""Bounds by prices of blocks and the planner beside them: equal to brute force, each part against the obvious one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.generate import regal_like
from planner.machines.catalogue import bound_method, planner
from planner.machines.pipeline.blocks import proving
from planner.machines.pipeline.blocks.borders import borders
from planner.machines.pipeline.blocks.costs import Costs, costs_of, exact_costs
from planner.machines.pipeline.blocks.diagram import Diagram, build, fitted, good_sequence
from planner.machines.pipeline.blocks.partition import Columns, arranged, fitting, partition
from planner.machines.pipeline.blocks.pool import Pool
from planner.machines.pipeline.blocks.pricing import Pricing, cheapest
from planner.machines.pipeline.blocks.relaxation import Relaxation
from planner.machines.pipeline.blocks.units import block_model, everything
from planner.machines.pipeline.exact.model import StageModel, stage_model
from planner.machines.pipeline.target import Pipeline
from planner.methods.mip.growing_lp import LpFailure
from planner.methods.mip.model import unchecked
from planner.methods.mip.scaling import Scale
from planner.methods.random_streams import seeded
from planner.model.graph import Graph, Op, Tensor
from planner.problem.bound import Bound
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Never, Progress
from tests.planner import reference
from tests.planner.strategies import graphs, pipelines, problems, unequal

FEW = {"runs": 1, "moves": 200}
MOST = 10**6


def columns(blocks: np.ndarray) -> Columns:
    """Blocks on stages that are all alike."""
    return Columns(blocks, np.zeros(len(blocks), np.int32))


def small(most: int = 3, ops: int = 6, least: int = 1) -> st.SearchStrategy[Problem]:
    return problems(target=pipelines(least, most), graph=graphs(most=ops))


def check(problem: Problem) -> None:
    """Planner and bound method end at the optimum, whatever it is."""
    best, _ = reference.optimum(problem)
    result = run(planner("blocks"), problem, options=FEW)
    bound = problem.strongest_bound(result.bounds)
    alone = problem.strongest_bound(run_bound(bound_method("blocks"), problem).bounds)
    assert bound is not None and alone is not None
    if math.isinf(best):
        assert result.status == "infeasible" and math.isinf(alone.value)
        return
    assert result.device_of is not None and result.objective is not None
    assert not reference.broken(problem, result.device_of.tolist())
    assert alone.value <= best * (1 + 1e-9)
    assert bound.value <= best * (1 + 1e-9)
    assert result.objective == pytest.approx(best, rel=1e-9, abs=1e-300)
    if len(problem.devices) > 1:
        assert result.status == "optimal"
        assert alone.value >= best * (1 - 1e-8)


@settings(max_examples=40)
@given(small())
def test_planner_and_bound_equal_brute_force(problem: Problem) -> None:
    check(problem)


@settings(max_examples=12)
@given(small(most=4, ops=6, least=3), st.sampled_from((1e-12, 1e-3, 1e9, 1e15)))
def test_at_any_scale(problem: Problem, factor: float) -> None:
    graph = problem.graph
    ops = [
        Op(i, i, work=factor * float(w), work_cpu=1.0) for i, w in zip(graph.op_ids, graph.work, strict=True)
    ]
    tensors = [
        Tensor(
            graph.op_ids[p],
            tuple(
                graph.op_ids[v] for v in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
            ),
            factor * float(graph.tensor_bytes[t]),
        )
        for t, p in enumerate(graph.tensor_producer.tolist())
    ]
    target = Pipeline(len(problem.devices), bandwidth=1.0)
    check(Problem(Graph.build("scaled", ops, tensors, time_unit=None), target))


# ---------------------------------------------------------------------- parts
def all_blocks(model: StageModel) -> np.ndarray:
    """Every set of units (bool[2 ** m, m])."""
    return np.array(list(itertools.product((False, True), repeat=model.count)), bool)


def convex(model: StageModel, block: np.ndarray) -> bool:
    """Whether no path leaves the block and comes back."""
    inside = np.flatnonzero(block)
    for v in np.flatnonzero(~block):
        above = any(model.before[v, u] for u in inside)
        below = any(model.before[w, v] for w in inside)
        if above and below:
            return False
    return True


def obvious_cost(model: StageModel, block: np.ndarray) -> float:
    """Work, tensors with units on both sides, overflow."""
    cost = float(model.work[block].sum())
    for t in range(len(model.time)):
        units = {int(model.producer[t]), *model.members(t).tolist()}
        held = sum(bool(block[v]) for v in units)
        if 0 < held < len(units):
            cost += float(model.time[t])
    if model.streams:
        cost += max(0.0, float(model.params[block].sum()) - model.budget) / model.rate
    return cost


def diagram_of(model: StageModel) -> Diagram:
    return fitted(borders(model), seeded(1), MOST)


@settings(max_examples=60)
@given(small(ops=8))
def test_a_diagram_holds_the_convex_blocks_with_their_costs(problem: Problem) -> None:
    model = stage_model(problem)
    if model.count == 0 or not model.possible:
        return
    sets = borders(model)
    factor = 2.0**20
    pricing = Pricing(diagram_of(model), model.work, Scale(factor, False))
    blocks = all_blocks(model)
    exact = exact_costs(model, sets, blocks, 0)
    streaming = np.maximum(0.0, blocks @ model.params - model.budget) / model.rate if model.streams else 0.0
    for block, cost, over in zip(blocks, exact, np.broadcast_to(streaming, exact.shape), strict=True):
        assert cost == pytest.approx(obvious_cost(model, block), abs=1e-9)
        found = pricing.cost(block)
        assert (found >= 0) == convex(model, block)
        if found >= 0:
            assert found / factor == pytest.approx(cost - over, abs=1e-3)
            assert found <= (cost - over) * factor + 1e-3


@settings(max_examples=40)
@given(small(ops=8), st.data())
def test_pricing_finds_all_blocks_of_a_price(problem: Problem, data: st.DataObject) -> None:
    """The front, the dives and the walk against a look at every set."""
    model = stage_model(problem)
    if model.count == 0 or not model.possible:
        return
    m = model.count
    pricing = Pricing(diagram_of(model), model.work, Scale(1.0, False))
    price = pricing.rounded(np.array(data.draw(st.lists(st.floats(-1, 2), min_size=m, max_size=m))))
    limit, need = data.draw(st.integers(0, 60)), data.draw(st.floats(-1, 3))
    blocks = [b for b in all_blocks(model) if 0 <= pricing.cost(b) <= limit and price[b].sum() >= need]
    costs, values = pricing.run(price, limit, need)
    assert len(costs) == 0 or ((np.diff(costs) > 0).all() and (np.diff(values) > 0).all())
    for c, value in zip(costs, values, strict=True):
        assert value == max(price[b].sum() for b in blocks if pricing.cost(b) <= c)
    found = pricing.all_blocks(need, limit, 2**m, MOST)
    assert found is not None
    assert {b.tobytes() for b in found} == {b.tobytes() for b in blocks}
    assert len(found) == len(blocks)
    assert len(blocks) < 2 or pricing.all_blocks(need, limit, 1, MOST) is None
    dived = pricing.block(need, limit, np.ones(m, bool), seeded(3))
    assert (dived is None) == (not blocks)
    assert dived is None or any((dived == b).all() for b in blocks)


@settings(max_examples=30)
@given(small(most=3, ops=6, least=2), st.data())
def test_any_prices_bound_any_plan(problem: Problem, data: st.DataObject) -> None:
    """The certificate: some block of a plan has its share of the prices, so the cheapest of that price costs no more."""
    best, _ = reference.optimum(problem)
    model = stage_model(problem)
    if math.isinf(best) or model.count == 0:
        return
    m = model.count
    resolution = data.draw(st.sampled_from((8, 100, 4096)))
    sets = borders(model)
    costs = costs_of(model, sets, everything(model), resolution)
    pricing = Pricing(diagram_of(model), costs.work, costs.scale)
    price = pricing.rounded(np.array(data.draw(st.lists(st.floats(-1, 2), min_size=m, max_size=m))))
    limit = costs.limit(everything(model)) + m + len(sets.time)
    total = float(price.sum())
    front = pricing.run(price, limit, min(1.0, total / model.k))
    least = cheapest(*front, total, model.k)
    obvious = min(
        (
            obvious_cost(model, b)
            for b in all_blocks(model)
            if convex(model, b) and price[b].sum() * model.k >= total
        ),
        default=math.inf,
    )
    assert obvious <= best * (1 + 1e-9) + 1e-12
    assert costs.bound(least) <= obvious * (1 + 1e-9) + 1e-9


@settings(max_examples=10)
@given(small(most=3, ops=6, least=2))
def test_the_fewest_blocks_fall_as_the_threshold_rises(problem: Problem) -> None:
    model = stage_model(problem)
    if model.count < 2 or not model.possible:
        return
    pricing = Pricing(diagram_of(model), model.work, Scale(1.0, False))
    fewest = []
    with Pool(model.count, unchecked) as pool:
        for block in all_blocks(model):
            cost = pricing.cost(block)
            if cost >= 0:
                pool.add(block, cost)
        lowest, highest = np.full(model.count, -50.0), np.full(model.count, 50.0)
        top = int(max(pricing.cost(np.ones(model.count, bool)), 1))
        for threshold in range(0, top + 1, max(1, top // 6)):
            fewest.append(pool.solve(threshold, lowest, highest)[0])
    assert all(a >= b - 1e-6 for a, b in itertools.pairwise(fewest))
    assert fewest[-1] >= 1 - 1e-6


def test_prices_settle_a_threshold_like_a_look_at_all_blocks() -> None:
    """Twelve ops in a grid: refuted thresholds by prices are those at which the program over all blocks needs more than k."""
    ops = [Op(f"o{i}", f"o{i}", work=float(3 + i % 4), work_cpu=1.0) for i in range(9)]
    tensors = [
        Tensor(f"o{i}", tuple(f"o{j}" for j in (i + 1, i + 3) if j < 9 and (j != i + 1 or j % 3)), 2.0, 2.0)
        for i in range(8)
    ]
    model = stage_model(Problem(Graph.build("grid", ops, tensors, time_unit=None), Pipeline(3)))
    pricing = Pricing(diagram_of(model), model.work, Scale(1.0, True))
    told: list[int] = []
    m, high = model.count, 60
    with Pool(m, unchecked) as every, Pool(m, unchecked) as pool:
        for block in all_blocks(model):
            cost = pricing.cost(block)
            if cost >= 0:
                every.add(block, cost)
        for v in range(m):
            block = np.arange(m) == v
            pool.add(block, pricing.cost(block))
        share = pricing.rounded(model.work * 3 / model.work.sum())
        relaxation = Relaxation(pricing, pool, 3, 0, share, 0, told.append, unchecked)
        for threshold in range(16, 30):
            fewest, _, _ = every.solve(threshold, np.full(m, -9.0), np.full(m, 9.0))
            open_ = relaxation.settle(threshold, high) is not None
            assert open_ == (fewest <= 3 + 1e-7)
            prices = relaxation.settle(threshold, high, lambda prices: False)
            assert prices is None or prices.sum() == pytest.approx(fewest, abs=1e-4)
    assert told == sorted(told) and told


def test_circles_are_cut_and_pins_are_kept() -> None:
    """a -> b -> c -> d: a with c and b with d go round; a, d first and last fix the stages."""
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abcd"]
    graph = Graph.build("row", ops, [Tensor(a, (b,), 0.0) for a, b in ("ab", "bc", "cd")], time_unit=None)
    model = stage_model(Problem(graph, Pipeline(3)))
    rows = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]], bool)
    stage, circles = arranged(model, columns(rows[:2]), np.ones((4, 4), np.float32))
    assert stage is None and circles
    for circle in circles:
        (enters, leaves), (into, out) = circle
        if model.before[leaves, enters] or enters == leaves:
            (enters, leaves), (into, out) = (into, out), (enters, leaves)
        assert model.before[into, leaves] and model.before[enters, out]
        assert any(row[enters] and row[leaves] for row in rows[:2])
        assert any(row[into] and row[out] for row in rows[:2])
    search = Search(model.problem, Never(), Callbacks(), 0, {})
    found = partition(model, columns(rows), search, 100)
    assert found is not None and found.tolist() == [0, 0, 1, 1]
    assert partition(model, columns(rows[:2]), search, 100) is None
    assert partition(model, columns(rows[2:3]), search, 100) is None
    pins = (Pin("a", "stage 1"), Pin("d", "stage 2"))
    pinned = stage_model(Problem(graph, Pipeline(3), constraints=pins))
    assert partition(pinned, columns(rows), search, 100).tolist() == [1, 1, 2, 2]  # type: ignore[union-attr]
    singles = np.eye(4, dtype=bool)
    assert partition(pinned, columns(singles), search, 100) is None
    assert fitting(pinned, np.ones((1, 4), bool), 0).tolist() == [False]


def test_blocks_keep_to_the_runs_of_stages_that_are_alike() -> None:
    """A fast stage between two slow ones: a dear op in the middle of a row goes there, and no block stands twice on a run of one stage."""
    ops = [Op(i, i, work=w, work_cpu=w) for i, w in zip("abcd", (1.0, 6.0, 1.0, 1.0), strict=True)]
    graph = Graph.build("row", ops, [Tensor(a, (b,), 0.0) for a, b in ("ab", "bc", "cd")], time_unit=None)
    model = stage_model(Problem(graph, Pipeline(4, speed=(1.0, 4.0, 1.0, 1.0))))
    assert model.run_of.tolist() == [0, 1, 2, 2]
    search = Search(model.problem, Never(), Callbacks(), 0, {})
    singles = np.eye(4, dtype=bool)
    places = Columns(singles, np.array([2, 1, 0, 2], np.int32))
    assert partition(model, places, search, 100) is None, "a behind b, and c before it"
    every = Columns(np.tile(singles, (3, 1)), np.repeat(np.arange(3, dtype=np.int32), 4))
    found = partition(model, every, search, 100)
    assert found is not None and found.tolist() == [0, 1, 2, 3]
    assert fitting(model, singles, 1).tolist() == [True] * 4
    sets = borders(model)
    assert exact_costs(model, sets, singles, 1).tolist() == [0.25, 1.5, 0.25, 0.25]
    assert everything(model) == 9.0 / 4.0


@settings(max_examples=30)
@given(st.data())
def test_blocks_of_unequal_stages_end_at_the_optimum(data: st.DataObject) -> None:
    check(data.draw(problems(target=unequal(pipelines(2, 4)), graph=graphs(most=6))))


def test_ops_pinned_to_one_stage_are_one_unit() -> None:
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abcd"]
    graph = Graph.build("free", ops, [], time_unit=None)
    pins = (Pin("a", "stage 1"), Pin("c", "stage 1"), Pin("d", "stage 0"))
    problem = Problem(graph, Pipeline(2), constraints=pins)
    model = block_model(problem, stage_model(problem))
    assert model.count == 3
    assert model.unit_of[0] == model.unit_of[2]
    assert model.assumes == problem.assumptions and model.problem is problem
    check(problem)
    check(problem.with_constraints((*pins, Together(("b", "d")))))


@settings(max_examples=15)
@given(small(most=3, ops=8, least=2))
def test_a_diagram_that_looks_past_tensors_only_makes_blocks_cheaper(problem: Problem) -> None:
    model = stage_model(problem)
    if model.count == 0 or not model.possible:
        return
    sets = borders(model)
    whole, part = diagram_of(model), fitted(sets, seeded(1), 12)
    scale = Scale(1.0, False)
    dear, cheap = Pricing(whole, model.work, scale), Pricing(part, model.work, scale)
    for block in all_blocks(model):
        if dear.cost(block) >= 0:
            assert 0 <= cheap.cost(block) <= dear.cost(block)


def test_too_wide_a_graph_is_bounded_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "MOST_STATES", 300)
    graph = regal_like.generate(3, {"nodes": 12})
    problem = Problem(graph, Pipeline(2))
    best, _ = reference.optimum(problem)
    bound = problem.strongest_bound(run_bound(bound_method("blocks"), problem).bounds)
    assert bound is not None and 0 < bound.value <= best * (1 + 1e-9)


def test_lists_that_grow_too_long_are_counted_more_coarsely(monkeypatch: pytest.MonkeyPatch) -> None:
    from planner.machines.pipeline.blocks import pricing

    monkeypatch.setattr(pricing, "MOST_LABELS", 1500)
    monkeypatch.setattr(pricing, "LABELS_AT_FIRST", 16)
    monkeypatch.setattr(pricing, "STATES_PER_CALL", 7)
    problem = Problem(regal_like.generate(2, {"nodes": 9}), Pipeline(3))
    best, _ = reference.optimum(problem)
    bound = problem.strongest_bound(run_bound(bound_method("blocks"), problem).bounds)
    assert bound is not None and 0 < bound.value <= best * (1 + 1e-9)


def test_a_solver_that_fails_ends_the_search_with_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(pool: Pool, *_: object) -> None:
        raise LpFailure("no")

    monkeypatch.setattr(Pool, "solve", failing)
    result = run(planner("blocks"), Problem(regal_like.generate(2, {"nodes": 24}), Pipeline(6)), options=FEW)
    assert result.device_of is not None and result.bounds
    assert "HiGHS could not solve" in result.message


def test_sequences_are_orders_and_a_diagram_does_not_depend_on_them() -> None:
    model = stage_model(Problem(regal_like.generate(2, {"nodes": 9}), Pipeline(3)))
    sets = borders(model)
    sequence = good_sequence(sets, seeded(4))
    assert sorted(sequence.tolist()) == list(range(model.count))
    made = [build(sets, s.astype(np.int32), MOST) for s in (sequence, sequence[::-1].copy())]
    one, other = (Pricing(d, model.work, Scale(1e6, False)) for d in made if d is not None)
    for block in all_blocks(model):
        assert one.cost(block) == pytest.approx(other.cost(block), abs=50)
    assert build(sets, sequence, 1) is None


def test_costs_are_whole_where_they_can_be() -> None:
    ops = [Op(i, i, work=w, work_cpu=1.0) for i, w in (("a", 3.0), ("b", 4.0))]
    model = stage_model(Problem(Graph.build("two", ops, [], time_unit=None), Pipeline(2)))
    costs = costs_of(model, borders(model), 7.0, 4096)
    assert costs.scale == Scale(1.0, True) and costs.limit(7.0) == 7 and costs.bound(4) == 4.0
    fine = costs_of(model, borders(model), 7.0, 5)
    assert not fine.scale.exact and fine.limit(7.0) == 5
    assert isinstance(fine, Costs)


def test_nothing_costs_anything_or_one_tensor_far_more_than_a_plan() -> None:
    ops = [Op(i, i, work=0.0, work_cpu=0.0) for i in "abc"]
    tensors = [Tensor("a", ("b",), 5.0, 5.0)]
    check(Problem(Graph.build("nothing", ops, tensors, time_unit=None), Pipeline(2)))
    model = stage_model(Problem(Graph.build("nothing", ops, tensors, time_unit=None), Pipeline(2)))
    assert costs_of(model, borders(model), 0.0, 4096).limit(0.0) == 0
    ops = [Op(i, i, work=1e-12, work_cpu=0.0) for i in "abcd"]
    tensors = [Tensor("a", ("b",), 1e15, 1e15), Tensor("c", ("d",), 1e-13, 1e-13)]
    check(Problem(Graph.build("uneven", ops, tensors, time_unit=None), Pipeline(2)))


def test_bounds_stream_in_rising_order_and_repeat() -> None:
    problem = Problem(regal_like.generate(2, {"nodes": 24}), Pipeline(6))
    first, again = (run_bound(bound_method("blocks"), problem, seed=5) for _ in range(2))
    values = [v for _, kind, v in first.history if kind == "bound"]
    assert len(values) > 2 and values == sorted(values)
    assert values == [v for _, kind, v in again.history if kind == "bound"]
    assert first.stop_reason == "finished"


@pytest.mark.parametrize("of", ["planner", "bound"])
def test_a_cancel_is_heard(of: str) -> None:
    """With the first bound that is proven: the search is far from its end then, on however fast a machine."""
    problem = Problem(regal_like.generate(2), Pipeline(16))
    proven: list[Bound] = []

    class Heard(Callbacks):
        def on_bound(self, bound: Bound, progress: Progress) -> None:
            proven.append(bound)

    stop = Cancel(lambda: bool(proven))
    result = (
        run(planner("blocks"), problem, stop=stop, callbacks=Heard())
        if of == "planner"
        else run_bound(bound_method("blocks"), problem, stop=stop, callbacks=Heard())
    )
    assert result.stop_reason == "cancelled"
    assert problem.strongest_bound(result.bounds) is not None
