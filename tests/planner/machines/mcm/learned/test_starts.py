"""Starts: orders cut into pieces."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest

from planner.machines.mcm.learned.starts import (
    BALANCED,
    BALANCED_DIRECT,
    CHEAP,
    CHOICES,
    DIRECT,
    EVEN,
    Ranking,
    direct_pieces,
    pieces_of,
    rankings,
    start,
)
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.problem.problem import Problem
from tests.planner.machines.mcm import reference
from tests.planner.machines.mcm.learned.problems import small_problem


def cut(ranking: Ranking, pieces: int, where: int, ideal: float = 1.0, last: int = 63) -> Ints:
    """A start where each op may be on chips up to ``last``."""
    return start(ranking, pieces, where, ideal, np.full(len(ranking.order), last, np.int32))


def chain(sizes: list[float], works: list[float]) -> Problem:
    """A chain whose tensors have ``sizes``, on 4 chips."""
    ops = [Op(f"o{i}", f"o{i}", work=work, work_cpu=1.0) for i, work in enumerate(works)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), size, size) for i, size in enumerate(sizes)]
    return Problem(
        Graph.build("chain", ops, tensors, time_unit="s"), McmPackage(4, check_memory=False), "chip-latency"
    )


@pytest.mark.parametrize("number", range(4))
def test_starts_keep_the_order_and_skip_no_chip(number: int) -> None:
    problem = small_problem(number)
    e, k = problem.evaluator, problem.evaluator.k
    found = rankings(problem)
    assert len(found) == CHOICES[0]
    for ranking, share, where in product(found, range(CHOICES[1]), range(CHOICES[2])):
        place = cut(ranking, pieces_of(share, k), where)
        assert (place[e.edge_src] <= place[e.edge_dst]).all()
        used = np.unique(place)
        assert used[0] == 0 and used[-1] < k
        assert (used == np.arange(len(used))).all()


@pytest.mark.parametrize("where", [DIRECT, BALANCED_DIRECT])
@pytest.mark.parametrize("number", range(4))
def test_direct_starts_keep_every_rule_but_memory(number: int, where: int) -> None:
    problem = small_problem(number)
    free = Problem(problem.graph, McmPackage(problem.evaluator.k, check_memory=False), "chip-latency")
    for ranking in rankings(free):
        for share in range(CHOICES[1]):
            place = cut(ranking, pieces_of(share, free.evaluator.k), where, 1e-6)
            assert not reference.violations(free, place.tolist())


def test_a_cut_moves_to_where_less_crosses() -> None:
    problem = chain([9.0, 9.0, 9.0, 1.0, 9.0, 9.0, 9.0], [1.0] * 8)
    ranking = rankings(problem)[0]
    assert ranking.crossing.tolist() == [0.0, 9.0, 9.0, 9.0, 1.0, 9.0, 9.0, 9.0]
    assert cut(ranking, 2, CHEAP).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    moved = chain([9.0, 9.0, 9.0, 9.0, 1.0, 9.0, 9.0], [1.0] * 8)
    assert cut(rankings(moved)[0], 2, CHEAP).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert cut(rankings(moved)[0], 2, EVEN).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def longest_piece(ranking: Ranking, cuts: tuple[int, ...]) -> float:
    """Work and what crosses both ends, of the piece where that is most."""
    ends = [0, *cuts, len(ranking.order)]
    crossing = [*ranking.crossing.tolist(), 0.0]
    return max(
        (ranking.done[b] - ranking.done[a]) * ranking.work + crossing[a] + crossing[b]
        for a, b in pairwise(ends)
    )


def jumped(ranking: Ranking, cuts: tuple[int, ...]) -> bool:
    """Whether a dependency jumps over a piece."""
    ends = [*cuts, len(ranking.order)]
    return any(ranking.reach[a - 1] >= b for a, b in zip(cuts, ends[1:], strict=True))


@pytest.mark.parametrize("where", [BALANCED, BALANCED_DIRECT])
@pytest.mark.parametrize("number", range(6))
def test_no_other_cuts_make_the_longest_piece_much_shorter(where: int, number: int) -> None:
    """Against all cuts of small graphs into at most four."""
    rng = np.random.default_rng(number)
    ops = [Op(f"o{i}", f"o{i}", work=float(w), work_cpu=1.0) for i, w in enumerate(rng.uniform(0.5, 3, 9))]
    tensors = []
    for i in range(8):
        readers = {i + 1, *(int(j) for j in range(i + 2, 9) if rng.random() < 0.15)}
        size = float(rng.uniform(0.1, 2))
        tensors.append(Tensor(f"o{i}", tuple(f"o{j}" for j in sorted(readers)), size, size))
    graph = Graph.build("small", ops, tensors, time_unit="s")
    ranking = rankings(Problem(graph, McmPackage(4, check_memory=False), "chip-latency"))[0]
    place = cut(ranking, 4, where)[ranking.order]
    found = tuple((np.flatnonzero(np.diff(place)) + 1).tolist())
    everything = [c for count in range(4) for c in combinations(range(1, 9), count)]
    if where == BALANCED_DIRECT:
        assert not jumped(ranking, found)
        everything = [c for c in everything if not jumped(ranking, c)]
    best = min(longest_piece(ranking, c) for c in everything)
    assert longest_piece(ranking, found) <= best * 1.002


def test_balanced_pieces_are_fewer_where_transfers_are_dear() -> None:
    ranking = rankings(chain([9.0, 9.0, 0.1, 9.0, 9.0], [1.0] * 6))[0]
    assert cut(ranking, 4, BALANCED).tolist() == [0, 0, 0, 1, 1, 1]
    assert cut(ranking, 4, EVEN).max() == 3


def test_how_many_pieces_no_dependency_jumps_over() -> None:
    assert direct_pieces(rankings(chain([1.0] * 5, [1.0] * 6))[0]) == 6


def test_ops_without_work_can_be_cut() -> None:
    ranking = rankings(chain([1.0] * 7, [0.0] * 8))[0]
    assert cut(ranking, 4, EVEN).max() == 3


def test_no_op_is_beyond_the_last_chip_of_those_that_come_later() -> None:
    ranking = rankings(chain([1.0] * 7, [1.0] * 8))[0]
    last = np.array([9, 9, 9, 9, 1, 9, 9, 9], np.int32)
    assert start(ranking, 8, EVEN, 1.0, last).tolist() == [0, 1, 1, 1, 1, 2, 3, 4]
