"""What orders read and write: the kernels against the slow reference, and traces against what they must show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.two_level_memory.kernels import EVICT, READ, WRITE, first_breach, highest, simulate
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints
from tests.conftest import PLAIN_KERNELS
from tests.planner.machines.two_level_memory import reference
from tests.planner.machines.two_level_memory.orders import cases, links_of, small

pytestmark = pytest.mark.coverage

KINDS = {READ: "read", WRITE: "write", EVICT: "evict"}


@given(cases())
@settings(max_examples=50 if PLAIN_KERNELS else 300)
def test_counts_and_events_are_those_of_the_reference(case: tuple[NetworkProblem, Ints]) -> None:
    problem, order = case
    network, machine = problem.network, problem.target
    slow = reference.simulate(
        machine.policy, links_of(network, order), network.outputs.tolist(), machine.size - 1
    )
    counts = problem.evaluator.count(order)
    assert counts == (slow.count("read") + len(order), slow.count("write"))
    assert problem.evaluator.components(order) == (counts.total,)
    evaluation = problem.evaluate(order)
    assert evaluation.valid
    assert (evaluation.reads, evaluation.writes, evaluation.objective) == (*counts, counts.total)
    trace = problem.evaluator.trace(order)
    kinds = [KINDS[k] for k in trace.kind.tolist()]
    assert list(zip(trace.position.tolist(), kinds, trace.neuron.tolist(), strict=True)) == slow.events


@given(cases(12, 40))
@settings(max_examples=30 if PLAIN_KERNELS else 100)
def test_a_trace_can_be_replayed(case: tuple[NetworkProblem, Ints]) -> None:
    problem, order = case
    network, slots = problem.network, problem.target.size - 1
    trace = problem.evaluator.trace(order)
    held: dict[int, int] = {}
    saved: set[int] = set()
    ios = {READ: 0, WRITE: 0, EVICT: 0}

    def happens(events: list[int]) -> None:
        for e in events:
            kind, neuron, slot = int(trace.kind[e]), int(trace.neuron[e]), int(trace.slot[e])
            ios[kind] += 1
            if kind == READ:
                assert neuron not in held and slot not in held.values() and 0 <= slot < slots
                held[neuron] = slot
            else:
                assert held[neuron] == slot
            if kind == WRITE:
                saved.add(neuron)
            if kind == EVICT:
                del held[neuron]
            assert len(held) <= slots

    for p, ends in enumerate(links_of(network, order)):
        here = np.flatnonzero(trace.position == p).tolist()
        # What makes room comes before what it is made for; what is dropped or written after the use comes behind.
        fetching = max((i + 1 for i, e in enumerate(here) if trace.kind[e] == READ), default=0)
        happens(here[:fetching])
        assert held.keys() >= set(ends)
        resident = trace.resident(p)
        neurons, places = trace.resident_neuron[resident].tolist(), trace.resident_slot[resident].tolist()
        assert dict(zip(neurons, places, strict=True)) == held and places == sorted(places)
        saved.discard(ends[1])
        happens(here[fetching:])
        assert (trace.reads[p + 1], trace.writes[p + 1]) == (p + 1 + ios[READ], ios[WRITE])
    counts = problem.evaluator.count(order)
    assert (trace.reads[-1], trace.writes[-1]) == counts
    assert saved >= set(network.outputs.tolist())
    assert len(trace.resident_neuron) == ios[READ]


@given(st.data())
def test_the_first_breach_is_where_a_source_is_not_complete(data: st.DataObject) -> None:
    problem, _ = data.draw(cases())
    network = problem.network
    order = np.array(data.draw(st.permutations(range(network.connection_count))), np.int32)
    links = links_of(network, order)
    early = [p for p, (a, _) in enumerate(links) if any(b == a for _, b in links[p:])]
    at = first_breach(order, network.source, network.target, network.in_degree)
    assert at == (early[0] if early else -1)
    assert problem.evaluate(order).valid == (not early)


@given(cases())
def test_more_memory_never_costs_reads_under_min(case: tuple[NetworkProblem, Ints]) -> None:
    problem, order = case
    reads = [
        problem.with_target(TwoLevelMemory(size, "min")).evaluator.count(order).reads for size in range(3, 12)
    ]
    assert reads == sorted(reads, reverse=True)


def test_events_beyond_the_room_are_counted_but_not_kept() -> None:
    network = small([(0, 2), (1, 2)])
    room = np.full((4, 2), -1, np.int32)
    order = np.arange(2, dtype=np.int32)
    arguments = network.source, network.target, network.is_output, network.neuron_count, 2
    reads, writes, made = simulate(0, order, *arguments, room)
    assert (reads, writes, made) == (3, 1, 3 + 1 + 3)
    assert room.tolist() == [[0, 0], [READ, READ], [0, 2], [0, 1]]


@pytest.mark.parametrize("policy", ["min", "lru", "rr"])
def test_orders_longer_than_a_word_of_next_uses(policy: str) -> None:
    """MIN keeps next uses in words of 64 positions and words of words: distances far beyond both."""
    # Input 0 is read by all, the others by one each; the first ones come back at the very end.
    count = 150 if PLAIN_KERNELS else 700
    links = [(v, count) for v in range(count)] + [(v, count + 1) for v in range(count)]
    network = small(links)
    for size in (3, 10, 100):
        problem = NetworkProblem(network, TwoLevelMemory(size, policy))
        order = np.arange(2 * count, dtype=np.int32)
        assert problem.evaluator.count(order) == reference.counts(
            policy, links_of(network, order), network.outputs.tolist(), size - 1
        )


def test_lru_passes_over_what_is_pinned() -> None:
    """Three slots hold 3, 1 and 2 when input 0 comes again for 3, which was used longest ago but is needed: 1 goes."""
    network = small([(0, 3), (1, 2), (0, 3)])
    problem = NetworkProblem(network, TwoLevelMemory(4, "lru"))
    trace = problem.evaluator.trace(np.arange(3))
    assert trace.neuron[trace.kind == EVICT].tolist() == [0, 1]
    assert problem.evaluator.count(np.arange(3, dtype=np.int32)) == (3 + 5, 2)


def test_min_evicts_the_clean_one_of_a_pair() -> None:
    """0 and the sum of 3 both wait for the last connection: 0 goes, although it was used later, and nothing is written twice."""
    network = small([(1, 3), (0, 4), (2, 4), (0, 3)])
    problem = NetworkProblem(network, TwoLevelMemory(4, "min"))
    trace = problem.evaluator.trace(np.arange(4))
    assert 0 in trace.neuron[(trace.kind == EVICT) & (trace.position == 2)]
    assert problem.evaluator.count(np.arange(4, dtype=np.int32)) == (4 + 6, 2)


def test_the_largest_of_an_empty_set() -> None:
    assert highest(np.zeros(2, np.uint64), np.zeros(1, np.uint64)) == -1
