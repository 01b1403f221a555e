"""Graph: validation, structure and identity."""

from __future__ import annotations

import math
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from hypothesis import given

from planner.errors import ModelError
from planner.model.graph import Graph, Op, Tensor
from tests.planner import reference
from tests.planner.strategies import graphs


def op(i: str, **more: object) -> Op:
    return Op(i, i, **{"work": 1.0, "work_cpu": 2.0, **more})  # type: ignore[arg-type]


def abc(*tensors: Tensor, **more: object) -> Graph:
    return Graph.build("abc", [op(i, **more) for i in "abc"], tensors)


@given(graphs(most=9))
def test_structure_equals_plain_sets(graph: Graph) -> None:
    arcs = reference.edges(graph)
    assert set(zip(*(a.tolist() for a in graph.edges), strict=True)) == arcs
    for v in range(graph.n):
        for (ptr, idx), expected in (
            (graph.succs, sorted(b for a, b in arcs if a == v)),
            (graph.preds, sorted(a for a, b in arcs if b == v)),
            (graph.outputs, [i for i, t in enumerate(reference.tensors(graph)) if t[0] == v]),
            (graph.inputs, [i for i, t in enumerate(reference.tensors(graph)) if v in t[1]]),
        ):
            assert idx[ptr[v] : ptr[v + 1]].tolist() == expected
    reach = {v: {b for a, b in arcs if a == v} for v in range(graph.n)}
    for v in graph.topological_order.tolist()[::-1]:
        reach[v] |= {w for s in list(reach[v]) for w in reach[s]}
        assert set(np.flatnonzero(graph.descendants([v])).tolist()) == reach[v]
    for v in range(graph.n):
        assert set(np.flatnonzero(graph.ancestors([v])).tolist()) == {u for u in reach if v in reach[u]}
        paths = [graph.ranks[a] + 1 for a, b in arcs if b == v]
        assert graph.ranks[v] == max(paths, default=0)
    place = np.argsort(graph.topological_order)
    assert all(place[a] < place[b] for a, b in arcs)
    assert graph.depth == max(graph.ranks.tolist())
    assert graph.max_degree == max(sum(1 for _, b in arcs if b == v) for v in range(graph.n))


def test_the_topological_order_takes_the_smallest_ready_index() -> None:
    assert abc(Tensor("c", ("a",))).topological_order.tolist() == [1, 2, 0]


def test_a_tensor_names_each_consumer_once() -> None:
    graph = abc(Tensor("a", ("b", "b", "c"), 3.0))
    assert graph.consumer_idx.tolist() == [1, 2]
    assert graph.memory.tolist() == [3.0, 0.0, 0.0]
    assert math.isnan(graph.tensor_time[0])


@pytest.mark.parametrize(
    ("ops", "tensors", "words"),
    [
        ([op("a"), op("a")], [], "two ops have the id 'a'"),
        ([op("a")], [Tensor("x", ("a",))], "a tensor is produced by 'x'"),
        ([op("a")], [Tensor("a", ("x",))], "'x' consumes a tensor of 'a' but is not an op"),
        ([op("a")], [Tensor("a", ("a",))], "op 'a' consumes its own output"),
        ([op("a", work=-1.0)], [], "op 'a' has work -1; it must be finite and not negative"),
        ([op("a", work=math.nan)], [], "work nan"),
        ([op("a", memory=math.inf)], [], "memory inf"),
        ([op("a", macs=10**400)], [], "macs inf"),
        ([op("a", params="many")], [], "params 'many'; it must be a number"),
        ([op("a", params=True)], [], "params True; it must be a number"),
        ([op("a"), op("b")], [Tensor("a", ("b",), -2.0)], "a tensor of op 'a' has bytes -2"),
        ([op("a"), op("b")], [Tensor("a", ("b",), 1.0, math.nan)], "a transfer time nan"),
    ],
)
def test_bad_graphs_are_refused_in_one_sentence(ops: list[Op], tensors: list[Tensor], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Graph.build("g", ops, tensors)


def test_a_cycle_is_shown_as_it_runs() -> None:
    with pytest.raises(ModelError, match="has a cycle") as caught:
        abc(Tensor("a", ("b",)), Tensor("b", ("c",)), Tensor("c", ("b",)))
    path = str(caught.value).partition("(")[2].partition(")")[0].split(" -> ")
    assert path in (["b", "c", "b"], ["c", "b", "c"])
    n = 20
    ring = [Tensor(str(i), (str((i + 1) % n),)) for i in range(n)]
    with pytest.raises(ModelError) as long:
        Graph.build("ring", [op(str(i)) for i in range(n)], ring)
    assert str(long.value).count("->") == 8


def test_arrays_are_frozen() -> None:
    graph = abc()
    with pytest.raises(ValueError, match="read-only"):
        graph.work[0] = 9.0


def test_finding_an_op_by_id_or_name() -> None:
    ops = [Op("1", "conv"), Op("2", "relu"), Op("3", "relu"), Op("conv2", "3")]
    graph = Graph.build("g", ops, [])
    assert graph.find("1") == 0
    assert graph.find("conv") == 0
    assert graph.find("3") == 2
    with pytest.raises(ModelError, match=r"2 ops are called 'relu'; name one by its id \(2, 3\)"):
        graph.find("relu")
    with pytest.raises(ModelError, match="has no op 'con'; did you mean 'conv'"):
        graph.find("con")
    with pytest.raises(ModelError, match=r"has no op 'zzzzzz'$"):
        graph.find("zzzzzz")


def test_the_fingerprint_sees_everything_the_file_gives() -> None:
    base = abc(Tensor("a", ("b",), 1.0, 1.0))
    assert base.fingerprint == abc(Tensor("a", ("b",), 1.0, 1.0)).fingerprint
    others = [
        abc(Tensor("a", ("b",), 2.0, 1.0)),
        abc(Tensor("a", ("b",), 1.0, 2.0)),
        abc(Tensor("a", ("c",), 1.0, 1.0)),
        abc(Tensor("a", ("b",), 1.0, 1.0), work=3.0),
        abc(Tensor("a", ("b",), 1.0, 1.0), kind="Conv"),
        abc(Tensor("a", ("b",), 1.0, 1.0), supported=False),
        abc(Tensor("a", ("b",), 1.0, 1.0), backward=True),
    ]
    assert len({g.fingerprint for g in [base, *others]}) == len(others) + 1


def test_estimated_times_keep_the_fingerprint() -> None:
    graph = Graph.build("g", [Op("a", "a")], [])
    assert not graph.profiled
    timed = graph.with_times(np.array([1.0]), np.array([2.0]), None)
    assert timed.profiled and timed.fingerprint == graph.fingerprint


def test_an_empty_graph_has_no_depth() -> None:
    graph = Graph.build("empty", [], [])
    assert (graph.n, graph.depth, graph.max_degree, graph.tensor_count) == (0, 0, 0, 0)
    assert graph.edges[0].tolist() == []


def test_other_processes_get_the_same_graph_packed_once() -> None:
    graph = abc(Tensor("a", ("b", "c"), 8.0), Tensor("b", ("c",), 8.0))
    there = ForkingPickler.loads(ForkingPickler.dumps(graph))
    assert there.fingerprint == graph.fingerprint and there.op_names == graph.op_names
    assert there.index == graph.index
    assert graph.packed is graph.packed
