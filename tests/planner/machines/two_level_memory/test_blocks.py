"""Blocks of an order: runs, the legal range against trying every place, moves, and the best place against all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.two_level_memory.orders.blocks import (
    BlockMove,
    best_place,
    blocks_of,
    moved,
    placed_like,
)
from planner.model.graph import Ints
from planner.model.network import Network
from planner.model.network_building import network_of


@st.composite
def orders(draw: st.DrawFn) -> tuple[Network, Ints]:
    """A small random network, parallel connections and all, and a random topological order of its connections."""
    neurons = draw(st.integers(2, 7))
    pairs = [(a, b) for b in range(neurons) for a in range(b)]
    ends = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=12))
    source, target = (np.array(x, np.int64) for x in zip(*ends, strict=True))
    network = network_of("n", source, target, np.ones(len(ends), np.float32))
    waiting = network.in_degree.astype(int)
    left, order = list(range(len(ends))), []
    while left:
        ready = [c for c in left if waiting[network.source[c]] == 0]
        chosen = draw(st.sampled_from(ready))
        order.append(chosen)
        left.remove(chosen)
        waiting[network.target[chosen]] -= 1
    return network, np.array(order, np.int32)


def is_topological(network: Network, order: Ints) -> bool:
    waiting = network.in_degree.astype(int)
    for connection in order.tolist():
        if waiting[network.source[connection]]:
            return False
        waiting[network.target[connection]] -= 1
    return True


def computed(network: Network) -> list[int]:
    return np.flatnonzero(network.in_degree).tolist()


def switches(network: Network, order: Ints) -> float:
    """A stand-in for I/Os: how often the two ends of connections in a row differ."""
    source, target = network.source[order], network.target[order]
    return float(np.sum(source[1:] != source[:-1]) + np.sum(target[1:] != target[:-1]))


@given(orders())
def test_runs_are_the_longest_rows_of_one_output(case: tuple[Network, Ints]) -> None:
    network, order = case
    runs = blocks_of(network, order)
    assert runs.begin[0] == 0 and runs.begin[-1] == len(order) and (np.diff(runs.begin) > 0).all()
    assert (runs.neuron[1:] != runs.neuron[:-1]).all()
    for position, connection in enumerate(order.tolist()):
        run = runs.at(position)
        assert runs.begin[run] <= position < runs.end[run]
        assert network.target[connection] == runs.neuron[run]


@given(orders())
def test_the_legal_range_is_all_places_that_keep_the_order_topological(case: tuple[Network, Ints]) -> None:
    network, order = case
    for neuron in computed(network):
        move = BlockMove(network, order, neuron)
        legal = []
        for place in range(len(move.rest) + 1):
            tried = np.concatenate([move.rest[:place], move.block, move.rest[place:]])
            assert move.legal(place) == is_topological(network, tried) == (not move.why_not(place))
            if move.legal(place):
                legal.append(place)
                assert moved(network, order, neuron, place).tolist() == tried.tolist()
                assert tried.dtype == order.dtype
            else:
                with pytest.raises(PlanError, match="cannot start as connection"):
                    moved(network, order, neuron, place)
        assert legal == list(range(move.first, move.last + 1))
        beside = [*move.places_beside(-1)[::-1].tolist(), *move.places_beside(1).tolist()]
        assert beside == [place for place in move.places().tolist() if place != move.start]
        assert legal  # a topological order has room for every one of its blocks
        assert set(move.places().tolist()) <= set(legal) and {legal[0], legal[-1]} <= set(
            move.places().tolist()
        )


@given(orders())
def test_a_move_keeps_every_connection_and_the_order_of_all_others(case: tuple[Network, Ints]) -> None:
    network, order = case
    for neuron in computed(network):
        move = BlockMove(network, order, neuron)
        after = move.order_at(move.last)
        assert sorted(after.tolist()) == list(range(len(order)))
        mine = network.target[after] == neuron
        assert after[~mine].tolist() == order[network.target[order] != neuron].tolist()
        assert after[mine].tolist() == order[network.target[order] == neuron].tolist()
        again = BlockMove(network, after, neuron)
        assert again.gathered and again.start == move.last
        assert again.order_at(again.start).tolist() == after.tolist()


@given(orders(), st.data())
def test_a_block_goes_where_another_order_has_it_or_as_near_as_is_legal(
    case: tuple[Network, Ints], data: st.DataObject
) -> None:
    network, order = case
    model = order
    for neuron in data.draw(st.lists(st.sampled_from(computed(network)), max_size=4)):
        other = BlockMove(network, model, neuron)
        model = other.order_at(data.draw(st.integers(other.first, other.last)))
    for neuron in computed(network):
        taken = placed_like(network, order, model, neuron)
        assert is_topological(network, taken)
        into = network.target[model].tolist()
        done = max(at for at, target in enumerate(into) if target == neuron)
        rest = [c for c in order.tolist() if network.target[c] != neuron]
        wanted = next(
            (at for at, c in enumerate(rest) if into[done + 1 :][:1] == [network.target[c]]), len(rest)
        )
        move = BlockMove(network, order, neuron)
        nearest = min(
            (place for place in range(len(rest) + 1) if move.legal(place)),
            key=lambda place: abs(place - wanted),
        )
        assert taken.tolist() == move.order_at(nearest).tolist()
        assert placed_like(network, taken, model, neuron).tolist() == taken.tolist(), "once is enough"


@given(orders())
def test_places_in_the_present_order_and_starts_stand_for_each_other(case: tuple[Network, Ints]) -> None:
    network, order = case
    for neuron in computed(network):
        move = BlockMove(network, order, neuron)
        for place in range(len(move.rest) + 1):
            position = move.position_of(place)
            assert move.place_of(position) == place
            follows = order[position] if position < len(order) else None
            assert follows == (move.rest[place] if place < len(move.rest) else None)
        assert move.place_of(move.start) == move.start


@given(orders(), st.sampled_from([3, 400]))
def test_the_best_place_is_the_best_of_those_tried(case: tuple[Network, Ints], budget: int) -> None:
    network, order = case
    for neuron in computed(network):
        move = BlockMove(network, order, neuron)
        values = {p: switches(network, move.order_at(p)) for p in move.places().tolist()}
        found = best_place(move, lambda tried: switches(network, tried), budget=budget)
        assert found is not None and values[found.position] == found.total
        if budget >= len(values):
            assert found.total == min(values.values())


def test_a_wide_range_is_searched_coarsely_first_and_then_closely() -> None:
    # 1000 single connections into neurons of their own, and one neuron whose best place is known.
    source = np.zeros(1001, np.int64)
    target = np.arange(1, 1002)
    network = network_of("wide", source, target, np.ones(1001, np.float32))
    order = np.arange(1001, dtype=np.int32)
    move = BlockMove(network, order, 1)
    tried = []

    def total(one: Ints) -> float:
        tried.append(int(np.flatnonzero(one == move.block[0])[0]))
        return abs(tried[-1] - 617.0)

    found = best_place(move, total, budget=400)
    assert found == (617, 0.0)
    assert len(tried) == len(set(tried)) < 200
    few: list[int] = []
    found = best_place(move, lambda one: float(len(few)), lambda: len(few) >= 5 or few.append(0) is not None)
    assert found is not None
    assert best_place(move, total, lambda: True) is None


def test_a_refusal_names_the_neuron_in_the_way() -> None:
    # 0 -> 2, 1 -> 2, 2 -> 3, 3 -> 4: neuron 3 stands between 2 and 4.
    network = network_of("chain", [0, 1, 2, 3], [2, 2, 3, 4], np.ones(4, np.float32))
    move = BlockMove(network, np.arange(4, dtype=np.int32), 3)
    assert (move.first, move.last) == (2, 2)
    assert move.why_not(1) == (
        f"{network.neuron_name(2)}, which {network.neuron_name(3)} reads, is complete only after connection 2"
    )
    assert move.why_not(3) == f"{network.neuron_name(4)} uses {network.neuron_name(3)} from connection 3 on"
    assert "connection 1 to 4 " in move.why_not(4) and "connection 1 to 4 " in move.why_not(-1)
    with pytest.raises(PlanError, match="is an input"):
        BlockMove(network, np.arange(4, dtype=np.int32), 0)
    with pytest.raises(PlanError, match="neurons 0 to 4"):
        BlockMove(network, np.arange(4, dtype=np.int32), 5)


def test_an_order_that_is_not_topological_may_leave_no_place() -> None:
    network = network_of("chain", [0, 1, 2], [1, 2, 3], np.ones(3, np.float32))
    move = BlockMove(network, np.array([2, 1, 0], np.int32), 2)
    assert move.first > move.last and not len(move.places())
    assert best_place(move, lambda order: 0.0) is None
