"""Folding groups into single nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.canvas.layout import collapse, flow_layout, prepare
from gui.canvas.layout.metrics import overlaps
from tests.gui.canvas.layout_graphs import dags, workload


@given(dags(), st.randoms(use_true_random=False), st.integers(1, 5))
@settings(max_examples=120, deadline=None)
def test_any_folding_of_any_dag_is_a_dag(graph, rng, groups):
    n, src, dst = graph
    group = np.array([rng.randrange(-1, groups) for _ in range(n)], np.int32)
    folded = [g for g in range(groups) if rng.random() < 0.7]
    backward = np.array([rng.random() < 0.3 for _ in range(n)], bool)
    small = collapse(n, src, dst, group, folded, backward)
    prepare(small.n, small.edge_src, small.edge_dst)  # raises on a cycle
    assert small.size.sum() == n and len(small.node_of) == n
    for e in range(len(src)):
        a, b = small.node_of[src[e]], small.node_of[dst[e]]
        if small.edge_of[e] < 0:
            assert a == b
        else:
            assert (small.edge_src[small.edge_of[e]], small.edge_dst[small.edge_of[e]]) == (a, b)
    assert small.edge_count.sum() == (small.edge_of >= 0).sum()
    for v in range(n):
        shown = small.group[small.node_of[v]]
        if group[v] in folded:
            assert shown == group[v]
        elif group[v] >= 0:
            assert shown == -1 and small.size[small.node_of[v]] == 1
    assert (small.edge_src != small.edge_dst).all()
    assert len(np.unique(small.edge_src.astype(np.int64) * max(n, 1) + small.edge_dst)) == len(small.edge_src)


def test_convex_groups_have_one_node():
    # 0 -> 1 -> 2 -> 3 -> 4 -> 5, folded in pairs
    small = collapse(6, np.arange(5), np.arange(1, 6), [0, 0, 1, 1, 2, 2], [0, 1, 2])
    assert small.n == 3 and list(small.group) == [0, 1, 2] and list(small.size) == [2, 2, 2]
    assert (
        list(small.edge_src) == [0, 1] and list(small.edge_dst) == [1, 2] and list(small.edge_count) == [1, 1]
    )
    partly = collapse(6, np.arange(5), np.arange(1, 6), [0, 0, 1, 1, 2, 2], [1])
    assert partly.n == 5 and partly.large.sum() == 1


def test_an_enclosed_op_goes_along_but_another_groups_op_does_not():
    # 0 -> 1 -> 2 with 0 and 2 in one group
    assert collapse(3, [0, 1], [1, 2], [7, -1, 7], [7]).n == 1
    apart = collapse(3, [0, 1], [1, 2], [7, 8, 7], [7])
    assert apart.n == 3 and sorted(apart.group) == [-1, 7, 7]


def test_two_groups_that_feed_each_other_are_split_only_as_needed():
    # A = {0, 1}, B = {2, 3}: 0 -> 2 and 3 -> 1 close a cycle
    small = collapse(4, [0, 3], [2, 1], [0, 0, 1, 1], [0, 1])
    assert small.n == 3
    prepare(small.n, small.edge_src, small.edge_dst)


def test_layers_of_bert_training_fold_to_one_node_a_direction():
    graph = workload("OperatorGraphs/bert_L-12_training")
    layers = np.unique(graph.layer[graph.layer >= 0])
    small = collapse(graph.n, graph.src, graph.dst, graph.layer, layers, graph.backward)
    assert small.large.sum() <= 2 * len(layers) + 6
    layout = flow_layout(prepare(small.n, small.edge_src, small.edge_dst, large=small.large), (780, 560))
    assert overlaps(layout) == 0


def test_bad_input():
    with pytest.raises(ValueError, match="cycle"):
        collapse(2, [0, 1], [1, 0], [0, 0], [0])
    with pytest.raises(ValueError, match="group_of"):
        collapse(2, [0], [1], [0], [0])
