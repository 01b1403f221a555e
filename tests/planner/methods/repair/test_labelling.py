"""The minimum cut against trying all labellings, and what is said before it."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.methods.repair import labelling
from planner.methods.repair.labelling import FORBIDDEN, cheapest, narrow, one_by_one, settled
from planner.methods.repair.ordered import Row, nearest, undisputed
from planner.model.graph import csr


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Up to five units with up to four labels; costs of any shape, some labels forbidden, constraints with spans."""
    m, k = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cost = st.one_of(st.integers(1, 6).map(lambda c: c * 100), st.just(0), st.just(FORBIDDEN))
    costs = np.array(draw(st.lists(st.lists(cost, min_size=k, max_size=k), min_size=m, max_size=m)), np.int64)
    pairs = [(u, v) for u in range(m) for v in range(u + 1, m)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6)) if pairs else []
    spans = [draw(st.integers(0, k)) for _ in edges]
    ends = np.array(edges, np.int32).reshape(-1, 2)
    return Row(
        unit_of=np.arange(m, dtype=np.int32),
        costs=costs,
        wants=costs == 0,
        src=ends[:, 0].copy(),
        dst=ends[:, 1].copy(),
        span=np.array(spans, np.int32),
    )


@st.composite
def plans(draw: st.DrawFn) -> Row:
    """Units of one or two ops that want to stay where they are: moving one costs more than all steps together."""
    row = draw(rows())
    m, k = row.costs.shape
    costs, wants = np.zeros_like(row.costs), np.zeros((m, k), bool)
    for v in range(m):
        for label in draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=2)):
            steps = np.abs(np.arange(k) - label)
            costs[v] += np.where(steps > 0, draw(st.sampled_from([100, 10_000])), 0) + steps
            wants[v, label] = True
    fine = row.costs < FORBIDDEN
    return Row(row.unit_of, np.where(fine, costs, FORBIDDEN), wants & fine, row.src, row.dst, row.span)


def labellings(row: Row) -> list[tuple[tuple[int, ...], int]]:
    """Every labelling that keeps the constraints and takes no forbidden label, with its cost."""
    m, k = row.costs.shape
    bounds = list(zip(row.src.tolist(), row.dst.tolist(), row.span.tolist(), strict=True))
    found = []
    for labels in product(range(k), repeat=m):
        if all(labels[u] <= labels[v] <= labels[u] + s for u, v, s in bounds):
            cost = sum(int(row.costs[v, label]) for v, label in enumerate(labels))
            if cost < FORBIDDEN:
                found.append((labels, cost))
    return found


@given(rows())
def test_the_cut_is_the_cheapest_labelling(row: Row) -> None:
    every = labellings(row)
    found = cheapest(row.costs, row.src, row.dst, row.span)
    assert found is not None
    if every:
        assert (tuple(found.labels.tolist()), found.cost) in every
        assert found.cost == min(cost for _, cost in every)
    else:
        assert found.cost >= FORBIDDEN


@given(plans())
def test_what_is_settled_first_changes_nothing(row: Row) -> None:
    every = labellings(row)
    found = nearest(row, lambda: False)
    if found is None:
        assert not every
        return
    assert (tuple(found.labels.tolist()), found.price) in every
    assert found.price == min(cost for _, cost in every)
    least = [labels for labels, cost in every if cost == found.price]
    for v in np.flatnonzero(undisputed(row)).tolist():
        assert {labels[v] for labels in least} == {found.labels[v]}


@given(plans())
def test_without_time_labels_still_keep_the_constraints(row: Row) -> None:
    every = [labels for labels, _ in labellings(row)]
    found = nearest(row, lambda: True)
    if found is None:
        assert not every
    elif not (row.costs >= FORBIDDEN).any():
        # With forbidden labels inside a window the quick way may fail; it claims nothing then.
        assert tuple(found.labels.tolist()) in every
        assert found.price <= min(cost for _, cost in labellings(row))


@given(rows())
def test_windows_are_exact_and_wishes_are_granted_one_by_one(row: Row) -> None:
    m, k = row.costs.shape
    free = Row(row.unit_of, np.zeros_like(row.costs), row.wants, row.src, row.dst, row.span)
    every = np.array([labels for labels, _ in labellings(free)])
    low, high = np.zeros(m, np.int32), np.full(m, k - 1, np.int32)
    narrow(low, high, row.src, row.dst, row.span)
    assert low.tolist() == every.min(axis=0).tolist() and high.tolist() == every.max(axis=0).tolist()
    each = np.arange(len(row.src), dtype=np.int32)
    ptr, touching = csr(np.concatenate([row.src, row.dst]), np.concatenate([each, each]), m)
    wish = row.costs.argmin(axis=1).astype(np.int32)
    one_by_one(np.arange(m, dtype=np.int32), wish, low, high, row.src, row.dst, row.span, ptr, touching)
    assert low.tolist() == high.tolist() and low.tolist() in every.tolist()
    assert low[0] == wish[0]


def test_units_that_want_nothing_bind_nobody() -> None:
    one = np.array([0], np.int32)
    fine = settled(
        np.array([1, 2], np.int32), np.array([0, 2], np.int32), one, one + 1, np.array([0], np.int32)
    )
    assert fine.tolist() == [False, True]


def test_networks_that_are_too_large_are_left_out(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(labelling, "MOST_ARCS", 3)
    nothing = np.empty(0, np.int32)
    assert cheapest(np.zeros((3, 3), np.int64), nothing, nothing, nothing) is None
