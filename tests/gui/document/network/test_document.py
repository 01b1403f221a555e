"""The document of a network: state, steps and their undoing, traces, the list of orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.document.network.document import OrderDocument
from gui.document.network.entries import OrderEntry
from planner.errors import PlanError, StageboardError
from planner.machines.two_level_memory.orders.blocks import BlockMove
from planner.plan_files.order_json import open_network_plan
from tests.gui.editors.network.models import document_of, layered_network, opened, shuffled_order


@pytest.fixture
def document(qtbot: QtBot) -> Iterator[OrderDocument]:
    made = document_of()
    qtbot.waitUntil(lambda: not made.busy)
    yield made
    made.close()


def movable(document: OrderDocument) -> tuple[int, int]:
    """A neuron whose block can go somewhere else, and a legal place for it."""
    network = document.open_problem.network
    for neuron in np.flatnonzero(network.in_degree).tolist():
        move = BlockMove(network, document.order, neuron)
        for place in (move.first, move.last):
            if not np.array_equal(move.order_at(place), document.order):
                return neuron, place
    raise AssertionError("no block can be moved")


def test_nothing_open(qtbot: QtBot) -> None:
    document = OrderDocument()
    assert document.problem is None and document.network is None and document.bound is None
    assert document.standing is None and document.gap is None and document.active is None
    assert document.title == "Stageboard"
    with pytest.raises(StageboardError, match="no network is open"):
        document.set_order(np.arange(3, dtype=np.int32), "x")


def test_installing_shows_everything_done(document: OrderDocument) -> None:
    problem = document.open_problem
    assert document.position == problem.network.connection_count == len(document.order)
    assert not document.order.flags.writeable
    assert document.active is document.plans[-1]
    assert all(
        entry.components == (float(problem.evaluator.count(entry.device_of).total),)
        for entry in document.plans
    )
    assert document.bound is not None and document.gap is not None and document.gap >= 0
    assert not document.modified


def test_everything_is_told_when_another_network_opens(qtbot: QtBot, document: OrderDocument) -> None:
    signals = [
        document.model_changed, document.decision_changed, document.plans_changed, document.readouts_changed,
        document.position_changed, document.selection_changed, document.compared_changed, document.trace_changed,
    ]  # fmt: skip
    document.select(2)
    document.compare(document.plans[0])
    before = document.model_serial
    with qtbot.waitSignals(signals, timeout=3000):
        document.install(opened(layered_network(seed=1)))
    assert document.selection == -1 and document.compared is None
    assert document.model_serial == before + 1
    qtbot.waitUntil(lambda: not document.busy)


def test_moving_a_block_is_one_step(document: OrderDocument) -> None:
    before, active = document.order, document.active
    neuron, place = movable(document)
    assert document.move_block(neuron, place)
    assert not np.array_equal(document.order, before)
    assert document.evaluation.valid and document.modified
    assert document.active is not None and document.active.origin == "hand"
    assert document.active.device_of is document.order
    assert document.undo_stack.count() == 1 and "Move the block of" in document.undo_stack.undoText()
    after = document.order
    document.undo_stack.undo()
    assert np.array_equal(document.order, before) and document.active is active and not document.modified
    document.undo_stack.redo()
    assert np.array_equal(document.order, after)


def test_an_illegal_move_changes_nothing(document: OrderDocument) -> None:
    network = document.open_problem.network
    last = int(np.flatnonzero(network.layer == network.depth)[0])
    before = document.order
    with pytest.raises(PlanError):
        document.move_block(last, 0)
    assert document.order is before and not document.modified


def test_the_same_order_is_no_step(document: OrderDocument) -> None:
    assert not document.set_order(document.order.copy(), "nothing")
    assert document.undo_stack.count() == 0
    with pytest.raises(PlanError):
        document.set_order(np.zeros(len(document.order), np.int32), "no permutation")


def test_another_memory_counts_all_orders_again(document: OrderDocument) -> None:
    problem = document.open_problem
    before = [entry.components for entry in document.plans]
    assert document.set_target(replace(problem.target, size=4, policy="lru"))
    assert document.open_problem.target.size == 4
    assert [entry.components for entry in document.plans] != before
    assert document.undo_stack.undoText().startswith("Change to a fast memory of 4 values")
    assert not document.set_target(document.open_problem.target)
    document.undo_stack.undo()
    assert document.open_problem == problem
    assert [entry.components for entry in document.plans] == before


def test_a_bound_of_another_memory_does_not_count(document: OrderDocument) -> None:
    document.set_target(replace(document.open_problem.target, size=5))
    bound = document.bound
    assert bound is None or bound.relaxation == document.open_problem.relaxation


def test_following_a_run_is_one_step(document: OrderDocument) -> None:
    network = document.open_problem.network
    first, second = shuffled_order(network, 1), shuffled_order(network, 2)
    before, edits = document.order, document.edit_serial
    entry = document.add_plan(first, "found", planner="locality")
    assert document.follow(first, entry, "job 1", "Locality")
    document.update_plan(entry, second)
    assert document.follow(second, entry, "job 1", "Locality")
    assert not document.follow(second, entry, "job 1", "Locality")
    assert document.undo_stack.count() == 1 and document.edit_serial == edits
    assert np.array_equal(document.order, second)
    document.undo_stack.undo()
    assert np.array_equal(document.order, before)
    document.undo_stack.redo()
    assert np.array_equal(document.order, second)


def test_plans_are_applied_renamed_and_removed(document: OrderDocument) -> None:
    other, active = document.plans[0], document.active
    assert active is not None and isinstance(active, OrderEntry)
    assert document.apply_plan(other) and not document.apply_plan(other)
    assert np.array_equal(document.order, other.device_of)
    assert document.differences(active).any() and not document.differences(other).any()
    assert document.rename_plan(other, " Mine ") and other.name == "Mine"
    assert not document.rename_plan(other, "  ")
    with pytest.raises(StageboardError, match="on the canvas"):
        document.remove_plan(other)
    document.compare(active)
    document.remove_plan(active)
    assert active not in document.plans and document.compared is None
    document.undo_stack.undo()
    assert active in document.plans


def test_bounds_reach_every_entry(qtbot: QtBot, document: OrderDocument) -> None:
    best = min(entry.components[0] for entry in document.plans)
    bound = document.open_problem.bound("ios", best, "test", frozenset())
    with qtbot.waitSignal(document.readouts_changed):
        document.add_bounds([bound])
    assert document.bound == bound
    assert any(entry.gap == 0.0 for entry in document.plans)
    document.add_bounds([bound])


def test_positions_stay_within_the_order(document: OrderDocument) -> None:
    seen: list[int] = []
    document.position_changed.connect(lambda: seen.append(document.position))
    for wanted in (5, 5, -3, 10**9):
        document.set_position(wanted)
    assert seen == [5, 0, len(document.order)]


def test_only_neurons_that_there_are_can_be_selected(document: OrderDocument) -> None:
    document.select(3)
    document.set_hover(4)
    assert (document.selection, document.hover) == (3, 4)
    document.select(10**6)
    document.set_hover(-7)
    assert (document.selection, document.hover) == (-1, -1)


def test_traces_follow_the_order_and_the_one_beside_it(qtbot: QtBot, document: OrderDocument) -> None:
    trace = document.trace
    assert trace is not None and document.compared_trace is None
    assert int(trace.reads[-1]) == document.evaluation.reads
    assert int(trace.writes[-1]) == document.evaluation.writes
    neuron, place = movable(document)
    document.move_block(neuron, place)
    qtbot.waitUntil(lambda: document.trace is not None)
    moved = document.trace
    assert moved is not None and moved is not trace
    assert int(moved.reads[-1]) == document.evaluation.reads
    other = document.plans[0]
    assert isinstance(other, OrderEntry)
    document.compare(other)
    qtbot.waitUntil(lambda: document.compared_trace is not None)
    compared = document.compared_trace
    assert compared is not None and int(compared.reads[-1]) == other.reads
    document.compare(None)
    assert document.compared_trace is None


def test_a_plan_is_saved_and_opened(tmp_path: Path, document: OrderDocument) -> None:
    from planner.plan_files.order_json import open_network_plan

    path = tmp_path / "order.plan.json"
    neuron, place = movable(document)
    document.move_block(neuron, place)
    saved = document.order
    document.save_plan(path)
    assert not document.modified and document.plan_path == path
    document.set_target(replace(document.open_problem.target, size=4))
    document.apply_plan(document.plans[0])
    assert document.modified
    opened_plan = open_network_plan(path, document.open_problem.network)
    document.open_plan(opened_plan.plan, opened_plan.bounds, path)
    assert np.array_equal(document.order, saved) and not document.modified
    assert document.open_problem.target.size == 6
    document.undo_stack.undo()
    assert document.open_problem.target.size == 4 and document.modified


def test_large_lists_are_counted_on_a_thread(
    qtbot: QtBot, document: OrderDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.document.network.counting.AT_ONCE", 0)
    problem = document.open_problem
    other = document.plans[0]
    document.set_target(replace(problem.target, size=5))
    assert document.busy and not other.components
    document.set_target(replace(problem.target, size=4))
    qtbot.waitUntil(lambda: bool(other.components))
    counts = document.open_problem.evaluator.count(other.device_of)
    assert other.components == (float(counts.total),) and isinstance(other, OrderEntry)
    assert (other.reads, other.writes) == (counts.reads, counts.writes)


def test_nothing_is_counted_twice(
    document: OrderDocument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, path = shuffled_order(document.open_problem.network, 5), tmp_path / "plan.json"
    document.set_order(order, "x")
    ios = document.evaluation.values
    counted: list[int] = []
    kind = type(document.open_problem)
    evaluate = kind.evaluate
    monkeypatch.setattr(kind, "evaluate", lambda self, order: (counted.append(1), evaluate(self, order))[1])
    document.save_plan(path)
    document.undo_stack.undo()
    document.undo_stack.redo()
    assert document.evaluation.values == ios and not counted
    again = open_network_plan(path, document.open_problem.network)
    assert len(counted) == 1
    document.open_plan(again.plan, again.bounds, path)
    assert document.evaluation.values == ios and len(counted) == 1
