"""What a moment shows, against a slow reading of the trace; the clock, its steps and speeds."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from gui.document.network.document import OrderDocument
from gui.document.network.memory_history import History, block_starts, history_of, step
from gui.panels.network.playback.labels import MOST_LAYERS, MOST_WORDS, SIZES, SlotLabels
from gui.panels.network.playback.widget import SLOWEST, Playback
from planner.machines.two_level_memory.kernels import EVICT, READ, WRITE
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from tests.gui.editors.network.models import document_of, layered_network, shuffled_order


def history(seed: int, size: int, policy: str) -> tuple[NetworkProblem, History]:
    network = layered_network((5, 6, 4), 0.5, seed)
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    order = shuffled_order(network, seed)
    return problem, history_of(network, order, problem.evaluator.trace(order), problem.evaluator.slots)


@settings(max_examples=40)
@given(st.integers(0, 30), st.integers(3, 12), st.sampled_from(["min", "lru", "rr"]))
def test_counters_and_residents_against_the_events(seed: int, size: int, policy: str) -> None:
    problem, h = history(seed, size, policy)
    network, trace = problem.network, h.trace
    final = {n: i for i, n in enumerate(trace.neuron.tolist()) if trace.kind[i] == WRITE}
    read: set[int] = set()
    again = spills = reads = writes = event = 0
    held: dict[int, int] = {}
    dirty: set[int] = set()
    for p, connection in enumerate(h.order.tolist()):
        gone: list[int] = []
        saved: set[int] = set()
        ends = (int(network.source[connection]), int(network.target[connection]))
        while event < len(trace.position) and trace.position[event] == p:
            kind, neuron, slot = (int(v[event]) for v in (trace.kind, trace.neuron, trace.slot))
            if kind == READ:
                again += neuron in read
                reads += 1
                read.add(neuron)
                held[neuron] = slot
                dirty.discard(neuron)
            elif kind == WRITE:
                writes += 1
                saved.add(neuron)
                spills += not (network.is_output[neuron] and final[neuron] == event)
            elif neuron in ends:
                gone.append(neuron)
            else:
                del held[neuron]
            event += 1
        dirty.add(ends[1])
        dirty -= saved & set(held)  # an output that is done
        c = h.counters(p + 1)
        assert c == (p + 1 + reads, writes, again, spills)
        assert c.total == c.reads + c.writes
        now = h.residents(p + 1)
        assert dict(zip(now.neuron.tolist(), now.slot.tolist(), strict=True)) == held
        assert set(now.neuron[now.dirty].tolist()) == dirty & set(held)
        for neuron in gone:
            del held[neuron]
    counts = problem.evaluator.count(h.order)
    assert h.counters(h.length)[:2] == (counts.reads, counts.writes)
    least = network.connection_count + network.neuron_count + len(network.outputs)
    assert h.counters(h.length).beyond == counts.total - least


@pytest.mark.parametrize("policy", ["min", "lru", "rr"])
def test_in_the_end_all_outputs_are_written(policy: str) -> None:
    problem, h = history(1, 6, policy)
    left = h.residents(h.length)
    assert not problem.network.is_output[left.neuron[left.dirty]].any()


def test_nothing_is_there_before_the_first_connection() -> None:
    _, h = history(0, 6, "min")
    assert h.counters(0) == (0, 0, 0, 0)
    assert len(h.residents(0).neuron) == 0
    assert h.events(0, 1) == slice(0, int(np.count_nonzero(h.trace.position == 0)))


def test_a_history_is_made_once_for_all_views() -> None:
    problem, h = history(0, 6, "min")
    assert history_of(problem.network, h.order, h.trace, h.slots) is h


def test_a_history_goes_with_its_last_view() -> None:
    problem, h = history(0, 6, "min")
    order, trace, alive = h.order, h.trace, weakref.ref(h)
    del h
    gc.collect()
    assert alive() is None
    again = history_of(problem.network, order, trace, problem.evaluator.slots)
    assert again.trace is trace


def test_steps_go_to_the_next_stop_or_the_end() -> None:
    stops = np.array([0, 3, 4, 9], np.int32)
    assert [step(stops, m, 1, 12) for m in (0, 2, 3, 9, 11)] == [3, 3, 4, 12, 12]
    assert [step(stops, m, -1, 12) for m in (0, 2, 3, 9, 12)] == [0, 0, 0, 4, 9]


def test_events_are_stops() -> None:
    _, h = history(1, 5, "lru")
    moment, seen = 0, []
    while (moment := h.step_event(moment, 1)) not in seen:
        seen.append(moment)
    assert seen == sorted({int(p) + 1 for p in h.trace.position} | {h.length})
    kinds = {int(k) for k in h.trace.kind}
    assert kinds == {READ, WRITE, EVICT}


@pytest.fixture
def document(qapp: object) -> Generator[OrderDocument]:
    document = document_of()
    yield document
    document.close()
    document.deleteLater()


def test_time_goes_on_and_stops_at_the_end(document: OrderDocument) -> None:
    playback, told = Playback(document), []
    playback.changed.connect(lambda: told.append(playback.playing))
    document.set_position(len(document.order))
    playback.play()
    assert document.position == 0, "at the end it begins anew"
    playback.set_speed(10.0)
    playback.tick(0.25)
    playback.tick(0.25)
    assert document.position == 5
    document.set_position(20)
    playback.tick(0.1)
    assert document.position == 21, "it goes on from where it was put"
    playback.tick(60.0)
    assert document.position == len(document.order)
    assert not playback.playing
    assert told[0]
    assert not told[-1]


def test_steps_pause_and_move(document: OrderDocument) -> None:
    playback = Playback(document)
    document.set_position(0)
    playback.toggle()
    playback.step_connection(1)
    assert not playback.playing
    assert document.position == 1
    starts = block_starts(document.open_problem.network, document.order)
    playback.step_block(1)
    assert document.position == starts[1]
    playback.step_block(-1)
    assert document.position == 0
    playback.end()
    assert document.position == len(document.order)
    playback.step_connection(1)
    assert document.position == len(document.order)
    playback.home()
    assert document.position == 0


def test_steps_to_events_wait_for_the_trace(document: OrderDocument) -> None:
    playback = Playback(document)
    document.set_position(0)
    if playback.history is None:
        playback.step_event(1)
        assert document.position == 0


def test_speeds_have_limits(document: OrderDocument) -> None:
    playback = Playback(document)
    for _ in range(40):
        playback.faster()
    assert playback.speed == playback.fastest
    for _ in range(40):
        playback.slower()
    assert playback.speed == SLOWEST


def test_nothing_plays_without_a_network(qapp: object) -> None:
    document = OrderDocument()
    playback = Playback(document)
    playback.play()
    playback.step_block(1)
    assert not playback.playing
    document.close()


# ---------------------------------------------------------------------- words in slots
def test_a_slot_names_its_neuron_wherever_colours_repeat(qtbot: QtBot) -> None:
    shallow = SlotLabels(layered_network((12, 3)))
    assert shallow.coloured and [shallow.of(i) for i in (0, 11, 12)] == ["0", "11", "0"]
    deep = SlotLabels(layered_network((12, *[2] * MOST_LAYERS), 1.0))
    last = deep.network.neuron_count - 1
    assert not deep.coloured and deep.of(11) == "0:11" and deep.of(last) == f"{MOST_LAYERS}:1"
    assert deep.network.neuron_name(last) == f"neuron 1 of layer {MOST_LAYERS}"
    assert deep.size(9, 100.0, 40.0) == SIZES[0] and deep.size(9, 3.0, 40.0) == 0.0
    assert deep.size(MOST_WORDS + 1, 100.0, 40.0) == 0.0
    sizes = [deep.size(9, width, 40.0) for width in range(4, 60)]
    assert sizes == sorted(sizes) and {0.0, SIZES[0]} < set(sizes) <= {0.0, *SIZES}
