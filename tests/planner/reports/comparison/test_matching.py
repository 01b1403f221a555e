"""The matching of devices against brute force over all matchings, and what must hold of it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.model.ops import Op
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import match_devices
from planner.reports.comparison.matching import matched
from tests.planner.strategies import graphs, placements, problems

Key = tuple[int, float, int, int]


def value(
    partner: list[int], ops: np.ndarray, work: np.ndarray, kinds: list[list[str]], names: list[list[str]]
) -> Key:
    """What a matching is worth, most important first; places count among the devices of one kind."""
    place = [[side[:i].count(kind) for i, kind in enumerate(side)] for side in kinds]
    pairs = [(a, b) for a, b in enumerate(partner) if b >= 0]
    return (
        sum(int(ops[pair]) for pair in pairs),
        sum(float(work[pair]) for pair in pairs),
        sum(names[0][a] == names[1][b] for a, b in pairs),
        -sum((place[0][a] - place[1][b]) ** 2 for a, b in pairs),
    )


def all_matchings(kinds: list[list[str]]) -> list[list[int]]:
    """Every way to pair devices of one kind, as many as there can be (partner of each of the first side, -1 = none)."""
    found = [[-1] * len(kinds[0])]
    for kind in set(kinds[0]):
        rows = [i for i, own in enumerate(kinds[0]) if own == kind]
        columns = [i for i, own in enumerate(kinds[1]) if own == kind]
        padded = columns + [-1] * max(0, len(rows) - len(columns))
        grown = []
        for base in found:
            for chosen in set(permutations(padded, len(rows))):
                if sum(c >= 0 for c in chosen) < min(len(rows), len(columns)):
                    continue
                partner = list(base)
                for row, column in zip(rows, chosen, strict=True):
                    partner[row] = column
                grown.append(partner)
        found = grown
    return found


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[list[str]], list[list[str]]]:
    """What devices of two sides have in common: few distinct values, so that ties are frequent."""
    k, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    entries = st.lists(st.integers(0, 2), min_size=k * m, max_size=k * m)
    ops = np.array(draw(entries), np.int64).reshape(k, m)
    # Eighths are exact.
    work = np.array(draw(entries), np.float64).reshape(k, m) / 8
    kinds = [draw(st.lists(st.sampled_from("ab"), min_size=size, max_size=size)) for size in (k, m)]
    names = [[f"{kind} {side[:i].count(kind)}" for i, kind in enumerate(side)] for side in kinds]
    return ops, work, kinds, names


@given(tables())
def test_no_matching_is_better(
    table: tuple[np.ndarray, np.ndarray, list[list[str]], list[list[str]]],
) -> None:
    ops, work, kinds, names = table
    partner = matched(ops, work, kinds[0], kinds[1], names[0], names[1]).tolist()
    possible = all_matchings(kinds)
    assert partner in possible
    assert value(partner, ops, work, kinds, names) == max(value(p, ops, work, kinds, names) for p in possible)


@given(st.data())
def test_work_decides_between_equal_counts_of_ops(data: st.DataObject) -> None:
    """With any work, equal up to what counts as equal; ties in ops are certain."""
    size = data.draw(st.integers(2, 4))
    numbers = data.draw(st.lists(st.floats(0, 1e6), min_size=size * size, max_size=size * size))
    work = np.array(numbers).reshape(size, size)
    work = work / (work.sum() or 1.0)
    names = [f"stage {i}" for i in range(size)]
    partner = matched(np.ones((size, size), np.int64), work, ["stage"] * size, ["stage"] * size, names, names)
    best = max(sum(work[i, p[i]] for i in range(size)) for p in permutations(range(size)))
    assert abs(sum(work[i, partner[i]] for i in range(size)) - best) < 1e-11


@given(st.data())
def test_a_plan_matches_itself_even_where_devices_are_empty(data: st.DataObject) -> None:
    problem = data.draw(problems(constraints=False, options=True))
    plan = problem.plan(np.array(data.draw(placements(problem)), np.int32), Provenance("test"))
    match = match_devices(plan, plan)
    assert match.first_of.tolist() == match.second_of.tolist() == list(range(len(problem.devices)))
    assert match.ops == problem.graph.n


@given(st.data())
def test_both_sides_agree_on_what_stays(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    plans = []
    for _ in range(2):
        problem = data.draw(problems(graph=st.just(graph), constraints=False))
        plans.append(problem.plan(np.array(data.draw(placements(problem)), np.int32), Provenance("test")))
    there, back = match_devices(plans[0], plans[1]), match_devices(plans[1], plans[0])
    assert there.ops == back.ops
    assert abs(there.work - back.work) < 1e-11
    for first, second in enumerate(there.second_of.tolist()):
        assert second < 0 or there.first_of[second] == first


@given(st.data())
def test_relabelled_accelerators_keep_all_ops(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    problem = Problem(graph, DevicePool(4, 1, contiguous=False))
    device_of = np.array(data.draw(placements(problem)), np.int32)
    relabelled = np.array([*data.draw(st.permutations(range(4))), 4], np.int32)
    match = match_devices(
        problem.plan(device_of, Provenance("a")), problem.plan(relabelled[device_of], Provenance("b"))
    )
    assert match.ops == graph.n


def test_sixty_four_devices_a_side() -> None:
    size = 64
    rng = np.random.default_rng(1)
    order = rng.permutation(size)
    ops = rng.integers(0, 3, (size, size))
    ops[np.arange(size), order] += 100
    names = [f"chip {i}" for i in range(size)]
    partner = matched(ops, np.zeros((size, size)), ["chip"] * size, ["chip"] * size, names, names)
    assert partner.tolist() == order.tolist()


def test_devices_of_different_kinds_meet_only_where_the_targets_differ_in_kind() -> None:
    ops = np.array([[0, 5], [5, 0]])
    work = ops / 10
    names = [["acc 0", "cpu 0"], ["acc 0", "cpu 0"]]
    kinds = ["accelerator", "cpu"]
    assert matched(ops, work, kinds, kinds, *names).tolist() == [0, 1]
    assert matched(ops, work, ["", ""], ["", ""], *names).tolist() == [1, 0]


def test_only_devices_that_are_alike_are_exchanged() -> None:
    """A fast accelerator is not a slow one under another name; among the two slow ones the name is free."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=2.0) for i in range(7)]
    graph = Graph.build("seven", ops, [])
    plans = [
        Problem(graph, DevicePool(3, 0, speed=(2.0, 1.0, 1.0))).plan(
            np.array(devices, np.int32), Provenance("slice")
        )
        for devices in ([0, 1, 1, 1, 1, 2, 2], [1, 2, 2, 2, 2, 0, 0])
    ]
    assert match_devices(*plans).first_of.tolist() == [0, 2, 1]
    renamed = np.array([1, 2, 2, 2, 2, 0, 0], np.int32)
    other = Problem(graph, DevicePool(3, 0)).plan(renamed, Provenance("slice"))
    assert match_devices(plans[0], other).first_of.tolist() == [2, 0, 1]  # another machine: any with any
