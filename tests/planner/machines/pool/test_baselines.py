"""PipeDream, Scotch and DPL's orders."""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.formats.graphs import device_placement
from planner.generate.regal_like import generate
from planner.machines.catalogue import planner
from planner.machines.pool.planners.branchings import contracted_branchings, joined_tails
from planner.machines.pool.planners.replicated_path import transfers
from planner.machines.pool.planners.scotch import HEAVIEST, pair_weights, shares, whole
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.methods.good_orders import neighbour, ruled_orders
from planner.methods.orders import kahn_order
from planner.methods.units import build_units, chain, forced_units
from planner.model.graph import Graph, Ints, Op, Tensor, csr
from planner.problem.problem import Pin, Problem
from planner.search.run import run
from planner.search.stop import Cancel
from tests.planner import reference
from tests.planner.strategies import graphs, pools, problems
from tests.shared_files import shared


def ladder(edges: dict[int, tuple[int, ...]], **more: Any) -> Graph:
    """Ops of work 1, 2, ... and tensors of time 0.5."""
    n = max(max(to, default=0) for to in edges.values()) + 1
    ops = [Op(f"o{i}", f"o{i}", work=1.0 + i, work_cpu=50.0, **more) for i in range(n)]
    return Graph.build(
        "ladder", ops, [Tensor(f"o{a}", tuple(f"o{b}" for b in to), 1.0, 0.5) for a, to in edges.items()]
    )


# ---------------------------------------------------------------------- PipeDream
def blocks(graph: Graph) -> list[set[int]]:
    units = chain(Problem(graph, DevicePool(2, 0)))
    part = contracted_branchings(units, 0.0)[units.unit_of]
    return [set(np.flatnonzero(part == p).tolist()) for p in range(int(part.max()) + 1)]


def test_a_branching_is_its_fork_and_what_lies_before_the_join() -> None:
    assert blocks(ladder({0: (1,), 1: (2, 3), 2: (4,), 3: (4,), 4: (5,)})) == [{0}, {1, 2, 3}, {4}, {5}]
    # A skip makes a branching of what it skips; a side output and a side input make none.
    assert blocks(ladder({0: (1, 2), 1: (2,), 2: (3, 4), 3: (), 4: (6,), 5: (6,)})) == [
        {0, 1},
        {2},
        {3},
        {4},
        {5},
        {6},
    ]


@settings(max_examples=80)
@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda e: e[0] < e[1]), max_size=25))
def test_joined_tails_are_those_of_biconnected_components(edges: set[tuple[int, int]]) -> None:
    import networkx

    src, dst = np.array(sorted(edges), np.int32).reshape(-1, 2).T.copy()
    expected = networkx.utils.UnionFind(range(10))
    for component in networkx.biconnected_component_edges(networkx.Graph(edges)):
        expected.union(*(min(e) for e in component))
    each = np.arange(len(src), dtype=np.int32)
    ptr, edge = csr(np.concatenate([src, dst]), np.concatenate([each, each]), 10)
    found = joined_tails(ptr, edge, src, dst)
    assert all((found[a] == found[b]) == (expected[a] == expected[b]) for a in range(10) for b in range(10))


def test_edges_that_cost_nothing_make_no_branching() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=9.0) for i in range(4)]
    tensors = [
        Tensor("o0", ("o1",), 1.0, 0.5),
        Tensor("o1", ("o2",), 1.0, 0.5),
        Tensor("o3", ("o0", "o1", "o2"), 1.0, 0.0),
    ]
    assert len(blocks(Graph.build("mask", ops, tensors))) == 4


@settings(max_examples=60)
@given(problems(target=pools(most=3), graph=graphs(most=6)), st.integers(0, 5))
def test_pipedream_and_dpl_give_valid_plans_no_better_than_the_optimum(problem: Problem, seed: int) -> None:
    best, _ = reference.optimum(problem)
    for name, options in (("pipedream", {}), ("dpl", {"orders": 8})):
        if planner(name).refusal(problem) is not None:
            continue
        result = run(planner(name), problem, seed=seed, options=options)
        if result.device_of is not None:
            assert not reference.broken(problem, result.device_of.tolist())
            assert result.objective is not None and result.objective >= best - 1e-9


@settings(max_examples=40)
@given(st.data())
def test_pipedream_replicates_stages_of_a_path_optimally(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    amount = st.integers(0, 40).map(lambda q: q / 4)
    ops = [
        Op(f"o{i}", f"o{i}", work=data.draw(amount), work_cpu=data.draw(amount), param_bytes=data.draw(amount),
           memory=data.draw(amount), supported=data.draw(st.integers(0, 3)) > 0)
        for i in range(n)
    ]  # fmt: skip
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, data.draw(amount)) for i in range(n - 1)]
    target = DevicePool(
        data.draw(st.integers(1, 3)),
        data.draw(st.integers(0, 1)),
        memory=data.draw(st.sampled_from([np.inf, 12.0])),
        communication=data.draw(st.sampled_from(["sum", "overlap", "duplex"])),
        bandwidth=data.draw(st.sampled_from([0.0, 2.0])),
        replication=True,
    )
    problem = Problem(Graph.build("path", ops, tensors), target)
    best, _ = reference.optimum(problem)
    result = run(planner("pipedream"), problem, options={"negligible": 1.0})
    assert (np.inf if result.objective is None else result.objective) == pytest.approx(best)


@settings(max_examples=60)
@given(graphs(most=7, training=False, supported=True), st.integers(0, 9))
def test_transfers_of_segments_are_those_of_the_target(graph: Graph, seed: int) -> None:
    problem = Problem(graph, DevicePool(2, 0))
    units = chain(problem)
    order = kahn_order(*units.succs, np.random.default_rng(seed).random(units.count))
    place = np.empty(units.count, np.int32)
    place[order] = np.arange(units.count, dtype=np.int32)
    path = build_units(problem, place[units.unit_of])
    receive, send = transfers(path)
    for i in range(path.count):
        for j in range(i + 1, path.count + 1):
            inside = (path.unit_of >= i) & (path.unit_of < j)
            found = problem.evaluate(np.where(inside, 0, 1).astype(np.int32))
            assert receive[i, j] == pytest.approx(found.receive[0])
            assert send[i, j] == pytest.approx(found.send[0])


PIPEDREAM = [
    ("bert24_inference", 17.79), ("resnet50_inference", 39.38), ("inceptionv3_inference", 60.42),
    ("gnmt_inference", 33.03), ("bert24_training", 41.75), ("inceptionv3_training", 128.32),
]  # fmt: skip


@pytest.mark.parametrize(("name", "published"), PIPEDREAM)
def test_pipedream_reproduces_the_papers_column(name: str, published: float) -> None:
    graph = device_placement.read(shared(f"workloads/device-placement/throughput/LayerGraphs/{name}.json"))
    result = run(planner("pipedream"), Problem(graph, parse_target("pool", graph)))
    assert result.objective == pytest.approx(published, rel=5e-4)


# ---------------------------------------------------------------------- DPL's orders
@settings(max_examples=60)
@given(graphs(most=8, training=False), st.integers(0, 99))
def test_orders_are_topological(graph: Graph, seed: int) -> None:
    units = chain(Problem(graph, DevicePool(2, 1)))
    rng = np.random.default_rng(seed)
    found = list(ruled_orders(units))
    found += [neighbour(units, order, rng) for order in found for _ in range(3)]
    for order in found:
        place = np.empty(units.count, int)
        place[order] = np.arange(units.count)
        assert sorted(order.tolist()) == list(range(units.count))
        assert (place[units.src] < place[units.dst]).all()


def test_more_orders_are_never_worse_and_repeat() -> None:
    problem = Problem(generate(0, {"nodes": 60}), DevicePool(4, 1))
    values = [run(planner("dpl"), problem, options={"orders": n}, seed=3).objective for n in (1, 10, 60, 60)]
    assert values[0] is not None and values[2] is not None
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]
    assert values[2] < values[0] * 0.999 and values[2] == values[3]


def test_orders_are_cancelled_in_between() -> None:
    asked = iter(range(10_000))
    problem = Problem(generate(0, {"nodes": 60}), DevicePool(4, 1))
    result = run(planner("dpl"), problem, Cancel(lambda: next(asked) > 40), options={"orders": 1_000_000})
    assert result.stop_reason == "cancelled" and result.device_of is not None


def test_orders_close_the_gap_of_the_depth_first_one() -> None:
    """The paper's DPL gives 123.93 on this workload, the optimum is 122.76."""
    path = shared("workloads/device-placement/throughput/LayerGraphs/inceptionv3_training.json")
    graph = device_placement.read(path)
    problem = Problem(graph, parse_target("pool", graph))
    first = run(planner("dpl"), problem, options={"orders": 1})
    more = run(planner("dpl"), problem)
    assert first.objective == pytest.approx(123.93, abs=0.01)
    assert more.objective is not None and more.objective <= 123.3


# ---------------------------------------------------------------------- Scotch
class FakeGraph:
    """Takes what Scotch takes, checks it, and deals the vertices out in turn."""

    built: dict[str, Any]

    def build(self, **arrays: Any) -> None:
        ptr, edge = arrays["verttab"], arrays["edgetab"]
        assert all(a.dtype == np.int64 for a in arrays.values())
        assert ptr[0] == 0 and ptr[-1] == len(edge) == len(arrays["edlotab"])
        n = len(ptr) - 1
        assert len(arrays["velotab"]) == n and (arrays["velotab"] > 0).all()
        weights = {}
        for v in range(n):
            for x in range(ptr[v], ptr[v + 1]):
                assert edge[x] != v and (v, int(edge[x])) not in weights
                weights[v, int(edge[x])] = int(arrays["edlotab"][x])
        assert all(weights[b, a] == w > 0 for (a, b), w in weights.items())
        self.built = arrays

    def part(self, count: int, parttab: Ints) -> None:
        parttab[:] = np.arange(len(parttab)) % count

    def map(self, machine: FakeArch, parttab: Ints) -> None:
        mapped.append(machine.speeds.tolist())
        self.part(len(machine.speeds), parttab)


class FakeArch:
    """Devices of given speeds."""

    speeds: np.ndarray

    def cmpltw(self, speeds: np.ndarray) -> None:
        assert speeds.dtype == np.int64 and (speeds > 0).all()
        self.speeds = speeds


mapped: list[list[int]] = []
"""The speeds of devices that graphs were mapped to."""


def install_fake(patch: pytest.MonkeyPatch) -> list[int]:
    """Put a package in Scotch's place; returns the list that its seeds go to."""
    seeds: list[int] = []
    package, common = types.ModuleType("scotchpy"), types.ModuleType("scotchpy.common")
    package.__spec__ = importlib.util.spec_from_loader("scotchpy", None)
    package.Graph, package.Arch, package.common = FakeGraph, FakeArch, common  # type: ignore[attr-defined]
    common.random_seed, common.random_reset = seeds.append, lambda: None  # type: ignore[attr-defined]
    patch.setitem(sys.modules, "scotchpy", package)
    patch.setitem(sys.modules, "scotchpy.common", common)
    return seeds


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return install_fake(monkeypatch)


def test_scotch_deals_with_groups_and_unsupported_ops(fake: list[int]) -> None:
    ops = [
        Op(
            f"o{i}",
            f"o{i}",
            work=1.0,
            work_cpu=9.0,
            supported=i != 2,
            colour_class=7 if i in {0, 3} else None,
        )
        for i in range(5)
    ]
    graph = Graph.build("mixed", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 0.5) for i in range(4)])
    problem = Problem(graph, DevicePool(2, 1, contiguous=False))
    result = run(planner("scotch"), problem, options={"seeds": 3}, seed=5)
    assert result.device_of is not None and fake == [5, 6, 7]
    assert result.device_of[0] == result.device_of[3] and result.device_of[2] == 2


@settings(max_examples=40)
@given(problems(target=pools(most=3, contiguous=False), graph=graphs(most=6), constraints=False))
def test_scotch_gives_valid_plans_or_none(problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        install_fake(patch)
        if planner("scotch").refusal(problem) is not None:
            return
        result = run(planner("scotch"), problem)
    if result.device_of is not None:
        assert not reference.broken(problem, result.device_of.tolist())


def test_scotch_gives_faster_devices_more_work(fake: list[int]) -> None:
    graph = ladder({0: (1, 2), 1: (2,), 2: ()})
    mapped.clear()
    run(planner("scotch"), Problem(graph, DevicePool(3, 0, contiguous=False, speed=(1.0, 2.0, 0.5))))
    run(planner("scotch"), Problem(graph, DevicePool(3, 0, contiguous=False)))
    assert mapped == [[2857, 5714, 1429]]
    # The first device takes 2 for all, the second 4: the first is twice as fast, and each op counts by its mean share.
    weights, speeds = shares(np.array([[1.0, 1.0], [1.0, 3.0]]))
    assert weights.tolist() == [0.375, 0.625] and speeds.tolist() == [1.0, 0.5]
    assert shares(np.zeros((2, 3)))[1].tolist() == [1.0, 1.0]


def test_weights_are_what_a_cut_costs() -> None:
    graph = ladder({0: (1, 2), 1: (2,), 2: ()})
    problem = Problem(graph, DevicePool(2, 0, contiguous=False))
    units = build_units(problem, forced_units(problem))
    a, b, weight = pair_weights(units)
    assert list(zip(a.tolist(), b.tolist(), weight.tolist(), strict=True)) == [
        (0, 1, 0.5),
        (0, 2, 0.5),
        (1, 2, 0.5),
    ]
    assert whole(np.array([1.0, 3.0, 0.0])).tolist() == [HEAVIEST // 4, 3 * HEAVIEST // 4, 1]
    assert whole(np.zeros(2)).tolist() == [1, 1]


def test_scotch_refuses_what_it_cannot_do(fake: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ladder({0: (1,)})
    free = DevicePool(2, 0, contiguous=False)
    with pytest.raises(PlannerRefusal, match="contiguous=false"):
        run(planner("scotch"), Problem(graph, DevicePool(2, 0)))
    with pytest.raises(PlannerRefusal, match="does not honour pin"):
        run(planner("scotch"), Problem(graph, free, constraints=(Pin("o0", "acc 0"),)))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(PlannerRefusal, match=r"pip install scotchpy64"):
        run(planner("scotch"), Problem(graph, free))


@pytest.mark.skipif(importlib.util.find_spec("scotchpy") is None, reason="the Scotch library is an extra")
def test_the_real_library_balances_work() -> None:
    problem = Problem(generate(0), DevicePool(4, 0, contiguous=False))
    result = run(planner("scotch"), problem)
    assert result.device_of is not None
    work = problem.evaluate(result.device_of).work
    assert work.max() < 1.2 * work.mean()
