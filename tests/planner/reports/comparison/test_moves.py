"""Differences in groups: ops that hang together and go the same way, against groups grown by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.reports.comparison import compare
from planner.reports.comparison.moves import HUB, hanging_together, moves
from tests.planner.reports.comparison.test_comparison import chain, plan
from tests.planner.strategies import graphs


def by_hand(graph: Graph, before: np.ndarray, after: np.ndarray) -> set[frozenset[int]]:
    """Grow each group from one op, neighbour by neighbour."""

    def ends(table: tuple[np.ndarray, np.ndarray], v: int) -> set[int]:
        ptr, idx = table
        return set(idx[ptr[v] : ptr[v + 1]].tolist())

    def near(v: int) -> set[int]:
        producers, consumers = ends(graph.preds, v), ends(graph.succs, v)
        shared = [ends(graph.succs, p) for p in producers] + [ends(graph.preds, c) for c in consumers]
        return producers | consumers | {w for each in shared if len(each) <= HUB for w in each}

    left = {v for v in range(graph.n) if before[v] != after[v]}
    found = set()
    while left:
        start = left.pop()
        group, edge = {start}, [start]
        while edge:
            v = edge.pop()
            for w in near(v) & left:
                if (before[w], after[w]) == (before[v], after[v]):
                    left.remove(w)
                    group.add(w)
                    edge.append(w)
        found.add(frozenset(group))
    return found


@given(graphs(), st.data())
def test_groups_are_those_grown_by_hand(graph: Graph, data: st.DataObject) -> None:
    rows = st.lists(st.integers(0, 2), min_size=graph.n, max_size=graph.n)
    before, after = (np.array(data.draw(rows), np.int32) for _ in range(2))
    found = moves(graph, before, after)
    assert {frozenset(move.ops.tolist()) for move in found} == by_hand(graph, before, after)
    assert sum(len(move.ops) for move in found) == np.count_nonzero(before != after)
    place = np.argsort(graph.topological_order)
    firsts = [int(place[move.ops].min()) for move in found]
    assert firsts == sorted(firsts)
    for move in found:
        assert set(before[move.ops].tolist()) == {move.source} and set(after[move.ops].tolist()) == {
            move.target
        }


def test_what_feeds_many_does_not_join_them() -> None:
    def fan(count: int) -> Graph:
        ops = [Op("mask", "Input", work=1.0), *(Op(f"op{i}", "Add", work=1.0) for i in range(count))]
        return Graph.build("fan", ops, [Tensor("mask", tuple(f"op{i}" for i in range(count)), bytes=1.0)])

    def groups(graph: Graph) -> int:
        before = np.zeros(graph.n, np.int32)
        after = np.ones(graph.n, np.int32)
        after[0] = 0
        return len(moves(graph, before, after))

    assert groups(fan(HUB)) == 1
    assert groups(fan(HUB + 1)) == HUB + 1


def test_a_comparison_says_them() -> None:
    problem = Problem(chain(8), Pipeline(3))
    comparison = compare([plan(problem, [0, 0, 0, 1, 1, 1, 2, 2]), plan(problem, [0, 1, 1, 1, 1, 2, 2, 2])])
    words = [comparison.move_words(move) for move in comparison.moves(1)]
    assert words == ["2 ops, Stage 0 → Stage 1", "1 op, Stage 1 → Stage 2"]
    back = comparison.moves(0, 1)
    assert comparison.move_words(back[0], short=True) == "2 ops, stage 1 → stage 0"
    assert comparison.moves(1) is comparison.moves(1)


@given(st.integers(1, 40), st.data())
def test_what_hangs_together_has_the_least_op_of_all_that_do(n: int, data: st.DataObject) -> None:
    ops = st.integers(0, n - 1)
    pairs = data.draw(st.lists(st.tuples(ops, ops), max_size=60))
    one, two = (np.array([pair[end] for pair in pairs], np.int32) for end in (0, 1))
    groups = [{v} for v in range(n)]
    for a, b in pairs:
        if groups[a] is not groups[b]:
            groups[a] |= groups[b]
            for v in groups[b]:
                groups[v] = groups[a]
    assert hanging_together(n, one, two).tolist() == [min(group) for group in groups]


def test_a_long_chain_in_any_order_hangs_together() -> None:
    n = 20_000
    order = np.random.default_rng(0).permutation(n).astype(np.int32)
    assert not hanging_together(n, order[:-1], order[1:]).any()
