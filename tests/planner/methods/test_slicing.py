"""Orders, contraction and slicing against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.methods import slicing as segments
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.slicing import Slicer
from planner.methods.units import chain, forced_units, mirrors, strong_components
from planner.model.graph import Graph, Op, Tensor, csr
from planner.problem.problem import Pin, Problem
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner import reference
from tests.planner.strategies import graphs, pipelines, pools, problems


def quiet(problem: Problem, seed: int = 0) -> Search:
    return Search(problem, Never(), Callbacks(), seed, {})


@given(graphs(most=10), st.integers(0, 99))
def test_orders_are_topological(graph: Graph, seed: int) -> None:
    for order in (
        depth_first_order(*graph.succs),
        kahn_order(*graph.succs, np.random.default_rng(seed).random(graph.n)),
        kahn_order(*graph.succs, np.zeros(graph.n)),
    ):
        assert sorted(order.tolist()) == list(range(graph.n))
        place = np.argsort(order)
        src, dst = graph.edges
        assert (place[src] < place[dst]).all()


@given(graphs(most=10))
def test_kahn_with_equal_priorities_is_the_graphs_own_order(graph: Graph) -> None:
    assert kahn_order(*graph.succs, np.zeros(graph.n)).tolist() == graph.topological_order.tolist()


def test_the_depth_first_order_by_hand() -> None:
    #  0 -> 1 -> 3, 0 -> 2 -> 3, 4 -> 2: child 1 is searched first, so it comes after child 2
    ptr, idx = csr(np.array([0, 0, 1, 2, 4], np.int32), np.array([1, 2, 3, 3, 2], np.int32), 5)
    assert depth_first_order(ptr, idx).tolist() == [4, 0, 2, 1, 3]


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    )
)
def test_strong_components_are_mutual_reachability(case: tuple[int, set[tuple[int, int]]]) -> None:
    n, arcs = case
    src = np.array([a for a, _ in sorted(arcs)], np.int32)
    dst = np.array([b for _, b in sorted(arcs)], np.int32)
    label = strong_components(*csr(src, dst, n))
    reach = np.eye(n, dtype=bool)
    for a, b in arcs:
        reach[a, b] = True
    for m in range(n):
        reach |= np.outer(reach[:, m], reach[m])
    for a, b in itertools.product(range(n), repeat=2):
        assert (label[a] == label[b]) == (reach[a, b] and reach[b, a])


small = problems(target=st.one_of(pipelines(most=3), pools(most=3)), graph=graphs(most=5))


@settings(max_examples=60)
@given(small)
def test_forced_units_are_together_in_every_valid_plan(problem: Problem) -> None:
    unit_of = forced_units(problem)
    for device_of in reference.assignments(problem):
        if not reference.broken(problem, device_of):
            for a, b in itertools.combinations(range(problem.graph.n), 2):
                assert unit_of[a] != unit_of[b] or device_of[a] == device_of[b]


def brute(problem: Problem, order: np.ndarray, unit_of: np.ndarray) -> float:
    """Least objective over all valid slicings of an order of units."""
    ops = [np.flatnonzero(unit_of == u).tolist() for u in order.tolist()]
    chained = isinstance(problem.target, Pipeline)
    best = math.inf
    for place in reference.slicings(ops, len(problem.devices), chained):
        device_of = [place[v] for v in range(problem.graph.n)]
        wrong = reference.broken(problem, device_of)
        assert not wrong & {"order", "contiguous", "together"}, "a slicing of a chain keeps these rules"
        if not wrong:
            best = min(best, reference.objective(problem, device_of))
    return best


@settings(max_examples=120)
@given(small, st.integers(0, 999))
def test_slicing_equals_brute_force_on_any_order(problem: Problem, seed: int) -> None:
    units = chain(problem)
    order = kahn_order(*units.succs, np.random.default_rng(seed).random(units.count))
    slicer = Slicer(units)
    expected = brute(problem, order, units.unit_of)
    assert slicer.segment_bound <= expected + 1e-9
    found = list(slicer.slicings(order, quiet(problem)))
    if math.isinf(expected):
        assert found == []
        return
    values = [problem.evaluator.objective(d[units.unit_of]) for d in found]
    assert values[-1] == pytest.approx(expected)
    assert values == sorted(values, reverse=True)
    assert not problem.evaluator.violations(found[-1][units.unit_of])
    assert list(slicer.slicings(order, quiet(problem), expected)) == [], "nothing is below the best"
    above = list(slicer.slicings(order, quiet(problem), expected * 1.01 + 1e-6))
    assert problem.evaluator.objective(above[-1][units.unit_of]) == pytest.approx(expected)


@settings(max_examples=150)
@given(problems(target=st.one_of(pipelines(), pools()), graph=graphs(least=6, most=12)), st.integers(0, 999))
def test_the_value_of_a_slicing_is_what_it_costs(problem: Problem, seed: int) -> None:
    """The segments' incremental costs against full ones, on graphs too large for brute force."""
    units = chain(problem)
    slicer = Slicer(units)
    found = slicer.solve(
        kahn_order(*units.succs, np.random.default_rng(seed).random(units.count)), quiet(problem)
    )
    if found is not None:
        device_of = found[1][units.unit_of].tolist()
        if problem.objective != "gpipe":
            expected = reference.objective(problem, device_of)
        else:
            mode = problem.target.communication
            split = [reference.parts(problem, device_of, d) for d in range(len(problem.devices))]
            expected = max(
                reference.combined(mode, p["receive"][1], p["work"][1], p["send"][1]) for p in split
            )
        assert found[0] == pytest.approx(expected)


training = graphs(least=3, most=5, training=True)


@settings(max_examples=150)
@given(problems(target=pools(most=3), graph=training, objective="gpipe"), st.integers(0, 999))
def test_slicing_equals_brute_force_where_two_maxima_are_added(problem: Problem, seed: int) -> None:
    units = chain(problem)
    order = kahn_order(*units.succs, np.random.default_rng(seed).random(units.count))
    found = list(Slicer(units).slicings(order, quiet(problem)))
    value = problem.evaluator.objective(found[-1][units.unit_of]) if found else math.inf
    assert value == pytest.approx(brute(problem, order, units.unit_of))


def test_the_walk_along_both_maxima_goes_on_past_the_least_backward_one() -> None:
    """The least backward maximum (3) comes with forward 10; giving it up by one gives forward 5."""
    forward, backward = (5.0, 5.0, 1.0), (1.0, 2.0, 2.0)
    ops = [Op(f"f{i}", f"f{i}", work=w, work_cpu=w, colour_class=i) for i, w in enumerate(forward)]
    ops += [
        Op(f"b{i}", f"b{i}", work=w, work_cpu=w, colour_class=i, backward=True)
        for i, w in enumerate(backward)
    ]
    arcs = [("f0", "f1"), ("f1", "f2"), ("b2", "b1"), ("b1", "b0")]
    graph = Graph.build("two", ops, [Tensor(a, (b,), 0.0, 0.0) for a, b in arcs])
    problem = Problem(graph, DevicePool(2, 0), "gpipe")
    units = chain(problem)
    found = [problem.evaluator.objective(d[units.unit_of]) for d in
             Slicer(units).slicings(depth_first_order(*units.succs), quiet(problem))]  # fmt: skip
    assert found == [13.0, 10.0]


@settings(max_examples=40)
@given(small)
def test_work_in_small_steps_changes_nothing(problem: Problem) -> None:
    units = chain(problem)
    order = depth_first_order(*units.succs)
    whole = [d.tolist() for d in Slicer(units).slicings(order, quiet(problem))]
    before = segments.PAIRS_PER_CALL
    try:
        segments.PAIRS_PER_CALL = 1
        assert [d.tolist() for d in Slicer(units).slicings(order, quiet(problem))] == whole
    finally:
        segments.PAIRS_PER_CALL = before


inference = graphs(most=5, training=False)


@settings(max_examples=40)
@given(problems(target=st.one_of(pipelines(most=3), pools(most=3, contiguous=True)), graph=inference))
def test_the_best_slicing_of_all_orders_is_the_optimum(problem: Problem) -> None:
    """MTPP, theorem 4.3; for a contiguous pool, fact 5.2 of device placement."""
    units = chain(problem)
    slicer = Slicer(units)
    src, dst = units.src, units.dst
    best = math.inf
    for order in itertools.permutations(range(units.count)):
        place = np.argsort(order)
        if (place[src] < place[dst]).all():
            for device_of in slicer.slicings(np.array(order, np.int32), quiet(problem), best):
                best = min(best, problem.evaluator.objective(device_of[units.unit_of]))
    assert best == pytest.approx(reference.optimum(problem)[0])


@settings(max_examples=60)
@given(problems(target=pools(most=3, contiguous=True), graph=graphs(least=2, most=7, training=True)))
def test_mirrored_chains_keep_both_passes_contiguous(problem: Problem) -> None:
    assume((problem.evaluator.part == 1).any())
    assert mirrors(problem) == ("all", "orphans")
    units = chain(problem)
    for seed in range(4):
        order = kahn_order(*units.succs, np.random.default_rng(seed).random(units.count))
        cut = np.random.default_rng(seed).integers(0, len(problem.devices), units.count)
        device_of = np.empty(units.count, np.int32)
        device_of[order] = np.sort(cut)
        for part in (0, 1):
            assert reference.contiguous(problem, device_of[units.unit_of].tolist(), part)


def test_too_many_pinned_devices_are_refused() -> None:
    n = 30
    graph = Graph.build("many", [Op(str(i), str(i), work=1.0, work_cpu=1.0) for i in range(n)], [])
    pins = tuple(Pin(str(i), f"acc {i}") for i in range(n))
    with pytest.raises(PlannerRefusal, match="pins on 30 devices"):
        Slicer(chain(Problem(graph, DevicePool(n, 0), constraints=pins)))


def test_an_empty_graph_is_sliced_into_nothing() -> None:
    problem = Problem(Graph.build("empty", [], []), Pipeline(2))
    units = chain(problem)
    found = list(Slicer(units).slicings(np.empty(0, np.int32), quiet(problem)))
    assert [d.tolist() for d in found] == [[]]
