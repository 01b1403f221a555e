"""Groups of ops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op
from planner.model.groups import by_layer, by_scope, numbered, scope_of, union
from planner.problem.problem import Problem, Together


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.lists(st.integers(0, n - 1), min_size=1, max_size=3), max_size=5)
        )
    )
)
def test_union_is_the_finest_partition_that_keeps_the_sets(case: tuple[int, list[list[int]]]) -> None:
    n, sets = case
    view = union(n, sets, [f"op{i}" for i in range(n)])
    classes = [{i} for i in range(n)]
    for members in sets:
        merged = set(members).union(*(c for c in classes if c & set(members)))
        classes = [c for c in classes if not c & merged] + [merged]
    assert sorted(sorted(view.ops(g).tolist()) for g in range(view.count)) == sorted(
        sorted(c) for c in classes
    )
    for g in range(view.count):
        ops = view.ops(g)
        assert view.names[g] == f"op{ops[0]}"
        assert view.expand([int(ops[-1])]).tolist() == ops.tolist()
    assert view.expand([]).tolist() == []
    # Groups are numbered by their first ops.
    assert [int(view.ops(g)[0]) for g in range(view.count)] == sorted(min(c) for c in classes)


def test_numbered_groups_by_first_appearance() -> None:
    view = numbered(["b", "a", "b"], {"b": "bee"})
    assert view.group_of.tolist() == [0, 1, 0]
    assert view.names == ("bee", "a")


def graph(
    names: list[str], layers: list[int | None] | None = None, colours: list[int | None] | None = None
) -> Graph:
    n = len(names)
    ops = [
        Op(
            str(i),
            names[i],
            work=1.0,
            work_cpu=1.0,
            layer=(layers or [None] * n)[i],
            colour_class=(colours or [None] * n)[i],
        )
        for i in range(n)
    ]
    return Graph.build("g", ops, [])


def test_layers_and_ops_without_one() -> None:
    assert by_layer(graph(["a", "b"])) is None
    view = by_layer(graph(["a", "b", "c", "d"], [1, None, 1, 0]))
    assert view is not None
    assert view.group_of.tolist() == [0, 1, 0, 2]
    assert view.names == ("layer 1", "b", "layer 0")


@pytest.mark.parametrize(
    ("name", "depth", "scope"),
    [
        ("/encoder/layer.0/attention/MatMul", 1, "encoder"),
        ("/encoder/layer.0/attention/MatMul", 2, "encoder/layer.0"),
        ("conv2_block1_1_conv", 2, "conv2_block1"),
        ("bert.encoder.weight", 2, "bert.encoder"),
        ("MatMul", 2, ""),
    ],
)
def test_scopes_of_names(name: str, depth: int, scope: str) -> None:
    assert scope_of(name, depth) == scope


def test_groups_by_scope() -> None:
    view = by_scope(graph(["a/x/1", "a/x/2", "lonely/y/3", "plain"]))
    assert view is not None
    assert view.group_of.tolist() == [0, 0, 1, 2]
    assert view.names == ("a/x", "lonely/y/3", "plain")
    assert by_scope(graph(["p", "q"])) is None


def test_colours_and_constraints_merge() -> None:
    g = graph(list("abcde"), colours=[1, None, 1, 2, None])
    together = (Together(("2", "1")),)
    pool = Problem(g, DevicePool(2, 0), constraints=together)
    assert pool.groups.group_of.tolist() == [0, 0, 0, 1, 2]
    assert pool.groups.names == ("a", "d", "e")
    assert Problem(g, Pipeline(2), constraints=together).groups.group_of.tolist() == [0, 1, 1, 2, 3]
    assert np.array_equal(Problem(g, Pipeline(2)).groups.group_of, np.arange(5))
