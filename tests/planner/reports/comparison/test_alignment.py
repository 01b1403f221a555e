"""The alignment of two rows of devices against all alignments there are, and what must hold of it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.reports.comparison.alignment import aligned

Table = tuple[np.ndarray, np.ndarray, list[str], list[str]]


def every_alignment(rows: int, columns: int) -> list[list[int]]:
    """Every way to pair as many as the shorter side has, in order (partner of each row, -1 = none)."""
    found = []
    for left in combinations(range(rows), min(rows, columns)):
        for right in combinations(range(columns), min(rows, columns)):
            partner = [-1] * rows
            for a, b in zip(left, right, strict=True):
                partner[a] = b
            found.append(partner)
    return found


def value(
    partner: list[int], ops: np.ndarray, work: np.ndarray, names: list[str], others: list[str]
) -> tuple[int, float, int, int]:
    """What an alignment is worth, most important first."""
    pairs = [(a, b) for a, b in enumerate(partner) if b >= 0]
    return (
        sum(int(ops[pair]) for pair in pairs),
        sum(float(work[pair]) for pair in pairs),
        sum(names[a] == others[b] for a, b in pairs),
        -sum((a - b) ** 2 for a, b in pairs),
    )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """What two rows of devices have in common: few distinct values, so that ties are frequent."""
    k, m = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    entries = st.lists(st.integers(0, 2), min_size=k * m, max_size=k * m)
    ops = np.array(draw(entries), np.int64).reshape(k, m)
    # Eighths are exact.
    work = np.array(draw(entries), np.float64).reshape(k, m) / 8
    names = [
        draw(st.lists(st.sampled_from(["stage 0", "stage 1", "stage 2"]), min_size=size, max_size=size))
        for size in (k, m)
    ]
    return ops, work, names[0], names[1]


@given(tables())
def test_no_alignment_is_better(table: Table) -> None:
    ops, work, names, others = table
    partner = aligned(ops, work, names, others).tolist()
    possible = every_alignment(*ops.shape)
    assert partner in possible
    assert value(partner, *table) == max(value(each, *table) for each in possible)


@given(tables())
def test_the_other_way_round_gives_the_same_pairs(table: Table) -> None:
    ops, work, names, others = table
    there = aligned(ops, work, names, others)
    back = aligned(ops.T, work.T, others, names)
    assert {(a, b) for a, b in enumerate(there.tolist()) if b >= 0} == {
        (a, b) for b, a in enumerate(back.tolist()) if a >= 0
    }


def test_rows_of_equal_length_are_each_their_own() -> None:
    ops = np.array([[0, 0, 9], [0, 9, 0], [9, 0, 0]])
    names = ["stage 0", "stage 1", "stage 2"]
    assert aligned(ops, ops / 27, names, names).tolist() == [0, 1, 2]


def test_work_decides_between_equal_counts_of_ops_beyond_rounding() -> None:
    ops = np.ones((1, 3), np.int64)
    names = ["stage 0", "stage 1", "stage 2"]
    assert aligned(ops, np.array([[0.3, 0.4, 0.3]]), names[:1], names).tolist() == [1]
    third = 1 / 3
    assert aligned(ops, np.array([[third, np.nextafter(third, 1), third]]), names[:1], names).tolist() == [0]


def test_long_rows() -> None:
    rng = np.random.default_rng(2)
    rows, columns = 300, 512
    chosen = np.sort(rng.choice(columns, rows, replace=False))
    ops = rng.integers(0, 3, (rows, columns))
    ops[np.arange(rows), chosen] += 10**6
    names = [f"chip {i}" for i in range(columns)]
    assert aligned(ops, np.zeros(ops.shape), names[:rows], names).tolist() == chosen.tolist()
