"""Repair of orders of connections."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.repair import repair_order
from planner.machines.two_level_memory.target import TwoLevelMemory
from tests.planner.machines.two_level_memory.strategies import networks, orders


@given(st.data())
def test_repaired_orders_are_valid_and_move_what_must_move(data):
    network = data.draw(networks())
    given_order = np.array(data.draw(st.permutations(range(network.connection_count))), np.int32)
    problem = NetworkProblem(network, TwoLevelMemory(5))
    found = repair_order(problem, given_order)
    assert found.evaluation.valid
    assert (len(found.moved) == 0) == found.before.valid
    # What was not moved is in the order that it was in.
    kept = ~np.isin(given_order, found.moved)
    assert given_order[kept].tolist() == found.order[~np.isin(found.order, found.moved)].tolist()


@given(st.data())
def test_a_valid_order_stays_as_it_is(data):
    network = data.draw(networks())
    order = data.draw(orders(network))
    found = repair_order(NetworkProblem(network, TwoLevelMemory(5)), order)
    assert found.order.tolist() == order.tolist()
    assert "nothing was moved" in found.sentence
