"""The simulated package: hand-calculated cases, and the same as a slow simulation on random problems."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import PlanError, PlannerRefusal
from planner.machines.mcm.simulation.report import simulate, stuck
from planner.machines.mcm.simulation.simulator import SimulationSettings, Simulator, Unplaced
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from tests.planner.machines.mcm.simulation import slow
from tests.planner.machines.mcm.strategies import mcm_problems

STILL = SimulationSettings(inferences=8, jitter=0.0)


def graph(
    works: dict[str, float], tensors: list[tuple[str, tuple[str, ...], float, float]], **params: float
) -> Graph:
    """Ops with their times, tensors as (producer, readers, bytes, time on a link)."""
    ops = [Op(op, op, work=work, work_cpu=1.0, param_bytes=params.get(op, 0.0)) for op, work in works.items()]
    return Graph.build(
        "small", ops, [Tensor(u, to, size, time) for u, to, size, time in tensors], time_unit="s"
    )


def simulator(problem: Problem, settings: SimulationSettings = STILL) -> Simulator:
    return Simulator(problem.evaluator, settings)


def plan(*chips: int) -> np.ndarray:
    return np.array(chips, np.int32)


# ---------------------------------------------------------------------- by hand
def test_the_slowest_chip_sets_the_pace_where_transfers_hide_behind_it() -> None:
    problem = Problem(graph({"a": 3.0, "b": 2.0}, [("a", ("b",), 4.0, 1.0)]), McmPackage(2, hop=0.0))
    found = simulator(problem).run(plan(0, 1))
    assert (found.interval, found.latency) == (3.0, 3.0 + 1.0 + 2.0)
    assert problem.evaluator.objective(plan(0, 1)) == 3.0 + 1.0
    # Eight inferences: the last one ends at 7 * 3 + 6.
    assert found.busy.tolist() == pytest.approx([24 / 27, 16 / 27]) and found.links.tolist() == pytest.approx(
        [8 / 27, 0.0]
    )
    assert found.throughput == 1.0 / 3.0 and found.unplaced is None


def test_a_slow_link_sets_the_pace() -> None:
    problem = Problem(graph({"a": 1.0, "b": 1.0}, [("a", ("b",), 4.0, 5.0)]), McmPackage(2, hop=0.5))
    found = simulator(problem).run(plan(0, 1))
    assert (found.interval, found.latency) == (5.0, 1.0 + 5.0 + 0.5 + 1.0)


@pytest.mark.parametrize(("hop", "latency"), [(0.0, 10.0), (0.5, 10.5)])
def test_bursts_share_links_first_come_first_served(hop: float, latency: float) -> None:
    """Chips 0 and 1 both send to chip 2: eight units of the second link in each inference, though no chip pays for more than five to send."""
    both = graph({"a": 1.0, "b": 1.0, "c": 1.0}, [("a", ("c",), 4.0, 4.0), ("b", ("c",), 4.0, 4.0)])
    found = simulator(Problem(both, McmPackage(3, hop=hop))).run(plan(0, 1, 2))
    # Without hops both ask for the second link at 1 and the lower chip goes first; with them the nearer one does.
    assert (found.interval, found.latency) == (8.0, latency)


def test_a_burst_streams_over_its_links_and_pays_a_hop_for_each() -> None:
    far = graph({"a": 1.0, "b": 1.0}, [("a", ("b",), 4.0, 2.0)])
    problem = Problem(far, McmPackage(4, hop=0.25, no_skip=False))
    found = simulator(problem).run(plan(0, 3))
    assert found.latency == 1.0 + 2.0 + 3 * 0.25 + 1.0
    assert (found.links > 0).tolist() == [True, True, True, False]


def test_a_tensor_for_several_chips_travels_once() -> None:
    wide = graph({"a": 1.0, "b": 1.0, "c": 1.0}, [("a", ("b", "c"), 4.0, 3.0)])
    one = simulator(Problem(wide, McmPackage(3, hop=0.0)))
    assert one.bursts(plan(0, 1, 2)).reads.tolist() == [0b110]
    assert one.run(plan(0, 1, 2)).interval == 3.0


def test_two_buffers_hold_a_fast_chip_back() -> None:
    """Chip 0 is done at 1, 2, 3 and 4, but its third burst waits until chip 1 has finished its first inference (7), the fourth for its
    second (12)."""
    problem = Problem(graph({"a": 1.0, "b": 5.0}, [("a", ("b",), 4.0, 1.0)]), McmPackage(2, hop=0.0))
    begin, end, _ = slow.run(problem, [0, 1], 6, [[1.0, 1.0]] * 6)
    assert [end[s, 0] for s in range(5)] == [1.0, 2.0, 3.0, 4.0, 9.0]
    assert [begin[s, 1] for s in range(3)] == [2.0, 7.0, 12.0]
    found = simulator(problem).run(plan(0, 1))
    assert found.interval == 5.0 and found.links[0] == pytest.approx(8 / 42)


def test_a_short_way_beside_a_long_one_stalls_the_package() -> None:
    """What comes over chip 1 waits at the last chip for what comes over chips 2 to 6; its buffers are full, and the first chip has to wait,
    too: a plan that is better by the analytical cost than by its execution."""
    names = [f"o{i}" for i in range(8)]
    ways = [("o0", ("o1", "o2"), 4.0, 0.01), ("o1", ("o7",), 4.0, 0.01)]
    ways += [(f"o{i}", (f"o{i + 1}",), 4.0, 0.01) for i in range(2, 7)]
    problem = Problem(graph(dict.fromkeys(names, 1.0), ways), McmPackage(8, hop=0.0))
    device_of = plan(*range(8))
    assert not problem.evaluator.violations(device_of)
    found = simulator(problem, SimulationSettings(64, 0.0)).run(device_of)
    assert problem.evaluator.objective(device_of) < 1.04 < found.interval


def test_jitter_is_drawn_by_the_seed_and_slows_the_pace_down() -> None:
    chain = graph({f"o{i}": 1.0 for i in range(6)}, [(f"o{i}", (f"o{i + 1}",), 4.0, 0.1) for i in range(5)])
    problem = Problem(chain, McmPackage(6, hop=0.0))
    still, one, other, again = (
        simulator(problem, SimulationSettings(64, jitter, seed)).run(plan(*range(6))).interval
        for jitter, seed in ((0.0, 0), (0.3, 1), (0.3, 2), (0.3, 1))
    )
    assert still == pytest.approx(1.0) and one == again and one != other and min(one, other) > still


def test_a_plan_that_leads_back_is_refused() -> None:
    problem = Problem(graph({"a": 1.0, "b": 1.0}, [("a", ("b",), 4.0, 1.0)]), McmPackage(2))
    with pytest.raises(PlanError, match="leads back to an earlier chip"):
        simulator(problem).run(plan(1, 0))


def test_all_on_one_chip_takes_its_work() -> None:
    problem = Problem(graph({"a": 1.0, "b": 2.0}, [("a", ("b",), 4.0, 1.0)]), McmPackage(2))
    found = simulator(problem).run(plan(0, 0))
    assert (found.interval, found.latency) == (3.0, 3.0) and not found.links.any()


def test_what_takes_no_time_is_endlessly_fast() -> None:
    problem = Problem(graph({"a": 0.0, "b": 0.0}, [("a", ("b",), 4.0, 0.0)]), McmPackage(2, hop=0.0))
    found = simulator(problem).run(plan(0, 1))
    assert found.interval == 0.0 and found.throughput == math.inf


# ---------------------------------------------------------------------- memory by hand
def test_buffers_of_what_crosses_are_double() -> None:
    two = graph({"a": 1.0, "b": 1.0}, [("a", ("b",), 100.0, 1.0)], a=64.0)
    problem = Problem(two, McmPackage(2, sram=64 + 2 * 128))
    high, unplaced = simulator(problem).allocated(plan(0, 1))
    assert high.tolist() == [64 + 2 * 128, 2 * 128] and unplaced is None
    tight = Problem(two, McmPackage(2, sram=64 + 2 * 128 - 1))
    assert not tight.evaluator.violations(plan(0, 1))
    found = simulator(tight).run(plan(0, 1))
    assert found.unplaced == Unplaced(0, -1, 128.0, 127.0, 127.0) and found.interval == math.inf
    assert found.throughput == 0.0


def test_gaps_may_be_too_small_though_enough_is_free() -> None:
    """Tensors of 2, 1 and 2 lines one after another; the first and the third go, and three lines are wanted: four are free, two and two."""
    ops = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0, "f": 1.0}
    tensors = [
        ("a", ("d",), 128.0, 1.0), ("b", ("f",), 64.0, 1.0), ("c", ("d",), 128.0, 1.0), ("d", ("e",), 0.0, 1.0),
        ("e", ("f",), 192.0, 1.0),
    ]  # fmt: skip
    problem = Problem(graph(ops, tensors), McmPackage(1, sram=320.0))
    assert not problem.evaluator.violations(plan(*[0] * 6))
    _, unplaced = simulator(problem).allocated(plan(*[0] * 6))
    assert unplaced == Unplaced(0, 4, 192.0, 128.0, 256.0)


def test_so_much_memory_as_is_needed_is_enough_and_the_advice_says_it() -> None:
    two = graph({"a": 1.0, "b": 1.0}, [("a", ("b",), 2.0**20, 1.0)], a=64.0)
    problem = Problem(two, McmPackage(2, sram=1.25 * 2**20))
    one = simulator(problem)
    assert one.allocated(plan(0, 1))[1] is not None
    needed = one.needed(plan(0, 1))
    assert needed.tolist() == [64 + 2 * 2**20, 2 * 2**20]
    for size, runs in ((needed.max(), True), (needed.max() - 1, False)):
        found = simulate(problem, plan(0, 1), {"sram": f"{size:.0f}"})
        assert found.runs is runs
    told = stuck(problem, plan(0, 1))
    assert told is not None and not told.runs
    assert told.advice == simulate(problem, plan(0, 1), {}).advice
    # 64 bytes more than two MiB, in whole steps; a MiB beyond what the rule counts leaves a quarter.
    assert "it takes 2.0625MiB of a chip. Plan with sram=256KiB, which leaves free" in told.advice
    assert "with 1.25MiB (evaluate --simulate --set sram=1.25MiB)" in told.advice
    assert stuck(problem, plan(0, 0)) is None
    off = Problem(two, McmPackage(2, sram=1.25 * 2**20, check_memory=False))
    assert stuck(off, plan(0, 1)) is None, "nobody was told that it fits"
    none = Problem(two, McmPackage(2, sram=2.0**20 + 64))
    assert "less" not in stuck(none, plan(0, 1)).advice  # type: ignore[union-attr]


@pytest.mark.parametrize("sram", ["much", "-1", "nan"])
def test_a_memory_that_is_none_is_refused(sram: str) -> None:
    problem = Problem(graph({"a": 1.0}, []), McmPackage(2))
    with pytest.raises(PlannerRefusal, match="option 'sram'"):
        simulate(problem, plan(0), {"sram": sram})


def test_the_allocator_counts_whether_the_memory_rule_is_on_or_not() -> None:
    two = graph({"a": 1.0, "b": 1.0}, [("a", ("b",), 4.0, 1.0)], b=1000.0)
    problem = Problem(two, McmPackage(2, sram=500.0, check_memory=False))
    found = simulator(problem).run(plan(0, 1))
    assert found.unplaced == Unplaced(1, -1, 1024.0, 500.0, 500.0)
    endless = Problem(two, McmPackage(2, sram=math.inf, check_memory=False))
    assert simulator(endless).run(plan(0, 1)).unplaced is None


# ---------------------------------------------------------------------- slow and obvious
def with_memory(problem: Problem, sram: float) -> Problem:
    """The same problem on chips of another memory."""
    assert isinstance(problem.target, McmPackage)
    return Problem(problem.graph, replace(problem.target, sram=sram), problem.objective, problem.constraints)


def drawn(problem: Problem, seed: int) -> np.ndarray:
    """A valid partition but for memory."""
    solver = McmSolver(problem)
    found = solver.sample(None, seed) if solver.feasible else None
    assume(found is not None)
    assert found is not None
    return found


@settings(max_examples=60, deadline=None)
@given(problem=mcm_problems(5, memory=False), seed=st.integers(0, 99), jitter=st.sampled_from([0.0, 0.2]))
def test_it_runs_as_the_slow_simulation_does(problem: Problem, seed: int, jitter: float) -> None:
    problem = with_memory(problem, math.inf)
    device_of = drawn(problem, seed)
    one = simulator(problem, SimulationSettings(7, jitter, seed))
    found = one.run(device_of)
    _, end, held = slow.run(problem, device_of.tolist(), 7, one.factors.tolist())
    assert found.unplaced is None
    assert found.interval == pytest.approx(slow.interval(end, 7))
    assert found.latency == pytest.approx(max(value for (s, _), value in end.items() if s == 0))
    total = max(end.values())
    if total:
        assert found.links == pytest.approx([held[c] / total for c in range(problem.evaluator.k)])
        spent = (one.factors * one.work(device_of)).sum(axis=0) / total
        assert found.busy == pytest.approx(spent)


@settings(max_examples=100, deadline=None)
@given(
    problem=mcm_problems(memory=False),
    seed=st.integers(0, 99),
    blocks=st.one_of(st.just(math.inf), st.integers(0, 24)),
)
def test_it_places_as_the_slow_allocator_does(problem: Problem, seed: int, blocks: float) -> None:
    problem = with_memory(problem, 64.0 * blocks)
    device_of = drawn(problem, seed)
    high, unplaced = simulator(problem).allocated(device_of)
    for chip in range(problem.evaluator.k):
        wanted, failed = slow.place(problem, device_of.tolist(), chip)
        if failed is None:
            assert high[chip] == wanted
            assert unplaced is None or unplaced.chip != chip
        else:
            assert unplaced == Unplaced(chip, *failed)
            return
    assert unplaced is None
