"""Cards and edges, with and without folded groups."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.graph.items import items_of
from gui.canvas.graph.scene import scene_of
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import GroupView


def grouping(group_of: list[int]) -> GroupView:
    count = max(group_of, default=-1) + 1
    return GroupView(np.array(group_of, np.int32), tuple(f"g{i}" for i in range(count)))


@st.composite
def folded_graphs(draw: st.DrawFn) -> tuple[Graph, GroupView, frozenset[int]]:
    """A random graph (several tensors per op, several consumers per tensor), a grouping and some folded groups."""
    n = draw(st.integers(1, 9))
    tensors = []
    for u in range(n):
        for _ in range(draw(st.integers(0, 2))):
            after = draw(st.sets(st.integers(u + 1, n - 1), max_size=4)) if u + 1 < n else set()
            size = draw(st.integers(0, 50))
            tensors.append(Tensor(f"n{u}", tuple(f"n{v}" for v in sorted(after)), float(size), time=1.0))
    ops = [Op(f"n{i}", f"op {i}", "Conv", work=float(draw(st.integers(0, 9)))) for i in range(n)]
    groups = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    _, numbered = np.unique(groups, return_inverse=True)
    view = grouping(numbered.tolist())
    return Graph.build("random", ops, tensors), view, frozenset(draw(st.sets(st.integers(0, view.count - 1))))


def slow_edges(graph: Graph, item_of: list[int]) -> dict[tuple[int, int], float]:
    """Bytes per pair of items: each tensor once per pair, whatever it has consumers in there."""
    edges: dict[tuple[int, int], float] = {}
    for t in range(graph.tensor_count):
        a = item_of[graph.tensor_producer[t]]
        consumers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]].tolist()
        for b in {item_of[v] for v in consumers} - {a}:
            edges[a, b] = edges.get((a, b), 0.0) + float(graph.tensor_bytes[t])
    return edges


@given(folded_graphs())
def test_edges_equal_the_slow_reference(drawn: tuple[Graph, GroupView, frozenset[int]]) -> None:
    graph, view, folded = drawn
    items = items_of(graph, view, folded)
    pairs = zip(items.edge_src.tolist(), items.edge_dst.tolist(), strict=True)
    fast = dict(zip(pairs, items.edge_bytes.tolist(), strict=True))
    assert len(fast) == len(items.edge_src)
    assert fast == pytest.approx(slow_edges(graph, items.item_of.tolist()))


@given(folded_graphs())
def test_folding_is_a_partition_in_the_graphs_order(drawn: tuple[Graph, GroupView, frozenset[int]]) -> None:
    graph, view, folded = drawn
    items = items_of(graph, view, folded)
    assert sorted(v for i in range(items.count) for v in items.ops(i).tolist()) == list(range(graph.n))
    for i in range(items.count):
        ops = items.ops(i)
        assert items.first[i] == ops.min()
        assert items.size[i] == len(ops)
        groups = {int(view.group_of[v]) for v in ops}
        if len(ops) > 1:
            assert len(groups) == 1
            assert groups <= folded
        if groups <= folded:
            assert items.names[i] == view.names[groups.pop()]
        else:
            assert items.names[i] == graph.op_names[ops[0]]
    assert np.all(np.diff(items.first) > 0)


@given(folded_graphs(), st.integers(1, 4), st.data())
def test_an_item_is_on_the_device_of_most_of_its_work(
    drawn: tuple[Graph, GroupView, frozenset[int]], k: int, data: st.DataObject
) -> None:
    graph, view, folded = drawn
    items = items_of(graph, view, folded)
    device_of = np.array(
        data.draw(st.lists(st.integers(0, k - 1), min_size=graph.n, max_size=graph.n)), np.int32
    )
    device, mixed = items.devices(device_of, k)
    for i in range(items.count):
        ops = items.ops(i)
        on = device_of[ops]
        assert mixed[i] == (len(set(on.tolist())) > 1)
        work = [graph.work[ops[on == d]].sum() for d in range(k)]
        assert device[i] in on
        assert work[device[i]] == max(work)


@given(folded_graphs())
def test_edges_of_items_and_ops_of_items(drawn: tuple[Graph, GroupView, frozenset[int]]) -> None:
    items = items_of(*drawn)
    for i in range(items.count):
        touching = np.flatnonzero((items.edge_src == i) | (items.edge_dst == i))
        assert items.edges_of(np.array([i])).tolist() == touching.tolist()
    assert items.ops_of(np.arange(items.count)).tolist() == list(range(items.graph.n))
    assert items.edges_of(np.empty(0, np.int32)).tolist() == []


def cyclic() -> tuple[Graph, GroupView]:
    """a -> b -> c with a and c in one group: folding makes a cycle."""
    ops = [Op(i, i, "Conv", work=1.0) for i in "abc"]
    tensors = [Tensor("a", ("b",), 1.0, time=0.0), Tensor("b", ("c",), 2.0, time=0.0)]
    return Graph.build("cyclic", ops, tensors), grouping([0, 1, 0])


def test_a_cycle_made_by_folding_is_drawn_and_laid_out() -> None:
    from gui.canvas.graph.scene import scene_of
    from gui.layout.result import EdgeClass

    graph, view = cyclic()
    items = items_of(graph, view, frozenset({0}))
    assert items.count == 2
    assert sorted(items.forward.tolist()) == [False, True]
    for name in ("flow", "lanes"):
        scene = scene_of(items, name, np.zeros(3, np.int32), 2, (800, 600))
        assert np.isfinite(scene.x).all()
        assert scene.edge_class[~items.forward].tolist() == [EdgeClass.STUB]


def test_nothing_folded_keeps_every_op() -> None:
    graph, view = cyclic()
    for folded in (frozenset(), frozenset({1})):
        items = items_of(graph, view, folded)
        assert items.count == 3
        assert items.forward.all()


def test_what_a_group_waits_for_stands_before_it() -> None:
    """The group's first op comes before the input that its second op takes."""
    ops = [Op(f"n{i}", f"op {i}", "Conv") for i in range(4)]
    tensors = [Tensor(a, (b,), 1.0, time=1.0) for a, b in (("n0", "n2"), ("n1", "n2"), ("n2", "n3"))]
    items = items_of(Graph.build("late", ops, tensors), grouping([0, 1, 0, 2]), frozenset({0}))
    assert items.forward.all()


@given(folded_graphs())
def test_edges_are_drawn_as_stubs_only_where_groups_depend_on_one_another(
    drawn: tuple[Graph, GroupView, frozenset[int]],
) -> None:
    graph, view, folded = drawn
    items = items_of(graph, view, folded)
    ends = list(zip(items.edge_src.tolist(), items.edge_dst.tolist(), strict=True))

    def acyclic(edges: list[tuple[int, int]]) -> bool:
        left = set(range(items.count))
        while left:
            free = {i for i in left if not any(b == i and a in left for a, b in edges)}
            if not free:
                return False
            left -= free
        return True

    assert acyclic([end for end, forward in zip(ends, items.forward.tolist(), strict=True) if forward])
    assert items.forward.all() or not acyclic(ends)


def test_layers_of_a_training_graph_stand_in_the_order_of_their_forward_ops() -> None:
    """Each layer has ops of both passes, so each waits for its neighbours; and its parameters come first in the file, backwards."""
    layers = 6
    ops = [Op(f"p{k}", f"parameter {k}", layer=k) for k in reversed(range(layers))]
    ops += [Op(f"b{k}", f"backward {k}", backward=True, layer=k) for k in range(layers)]
    ops += [Op(f"f{k}", f"forward {k}", layer=k) for k in range(layers)]
    ops += [Op(f"u{k}", f"update {k}", backward=True) for k in range(layers)]
    tensors = [
        *(Tensor(f"p{k}", (f"f{k}", f"b{k}"), 1.0) for k in range(layers)),
        *(Tensor(f"f{k}", (f"b{k}", *([f"f{k + 1}"] if k + 1 < layers else [])), 1.0) for k in range(layers)),
        *(Tensor(f"b{k}", (f"u{k}", *([f"b{k - 1}"] if k else [])), 1.0) for k in range(layers)),
    ]
    graph = Graph.build("training", ops, tensors)
    layer_of = [int(graph.layer[v]) if graph.layer[v] >= 0 else layers for v in range(graph.n)]
    items = items_of(graph, grouping(layer_of), frozenset(range(layers)))
    cards = {int(layer_of[items.first[i]]): i for i in range(items.count) if items.size[i] > 1}
    assert len(cards) == layers and not any(items.backward[card] for card in cards.values())
    updates = [i for i in range(items.count) if i not in cards.values()]
    assert len(updates) == layers and all(items.backward[i] for i in updates)
    ahead = {
        (int(s), int(d)): bool(f)
        for s, d, f in zip(items.edge_src, items.edge_dst, items.forward, strict=True)
    }
    for k in range(layers - 1):
        assert ahead[cards[k], cards[k + 1]] and not ahead[cards[k + 1], cards[k]]
    for view in ("flow", "lanes"):
        scene = scene_of(items, view, np.zeros(graph.n, np.int32), 1, (4000, 300))
        left = [float(scene.x[cards[k]]) for k in range(layers)]
        assert left == sorted(left) and len(set(left)) == layers, view


def test_canvases_share_the_cards_of_a_graph_while_any_has_them() -> None:
    graph = Graph.build("two", [Op("a", "a", work=1.0), Op("b", "b", work=1.0)], [Tensor("a", ("b",), 4.0)])
    view = grouping([0, 0])
    items = items_of(graph, None, frozenset())
    assert items_of(graph, view, frozenset()) is items
    assert items_of(graph, view, frozenset([0])) is not items
    gone = ref(items)
    del items
    gc.collect()
    assert gone() is None
    assert items_of(graph, None, frozenset()).count == 2
