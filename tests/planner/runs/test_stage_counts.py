"""Planning one problem for several counts of stages: the search itself, its process, and what becomes of failures."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Pin, Problem
from planner.runs.stage_counts import (
    CountsWorker,
    Found,
    Possible,
    balanced,
    count_of,
    counts_around,
    evaluated,
    find,
    has_count,
    has_stages,
    improved,
    kept,
    latency,
    moved_to,
    nearest_first,
    off_chip,
    one_on_chip,
    possible_counts,
    throughput,
    with_count,
)
from tests.gui.models import chain_graph
from tests.gui.stage_models import CACHE, found_for, tpu_problem


def pipeline(count: int = 3, constraints: tuple[Pin, ...] = ()) -> Problem:
    return Problem(chain_graph(12), Pipeline(count), "", constraints)


class Uncounted(Pipeline):
    """A machine of which nobody asks how many there are."""

    counted = None


def test_what_has_a_count() -> None:
    pool = Problem(chain_graph(12), DevicePool(2, 1))
    package = Problem(chain_graph(12), McmPackage(36))
    assert has_stages(pipeline()) and has_stages(tpu_problem())
    assert not has_stages(pool) and not has_stages(package)
    assert [count_of(p) for p in (pipeline(), tpu_problem(), pool, package)] == [3, 3, 2, 36]
    assert len(with_count(pipeline(), 5).devices) == 5
    assert with_count(pool, 5).target == DevicePool(5, 1), "its CPU stays"
    assert len(with_count(package, 4).devices) == 4, "fewer than the package has, too"
    other = Problem(chain_graph(12), Uncounted(3))
    assert not has_count(other) and count_of(other) == 0
    with pytest.raises(StageboardError, match="no count of devices"):
        with_count(other, 2)


def test_counts_are_doubled_up_to_that_of_the_machine_and_go_on_around_it() -> None:
    assert counts_around(4) == tuple(range(1, 9))
    assert counts_around(8) == tuple(range(1, 10)), "one more than there are, too"
    assert counts_around(36) == (*range(1, 9), 16, 32, 35, 36, 37)
    assert counts_around(64) == (*range(1, 9), 16, 32, 63, 64)
    assert counts_around(12, 11) == tuple(range(10, 19)), (
        "from the least that is possible, and one that is not"
    )
    assert nearest_first((1, 2, 3, 4, 5), 3) == [3, 2, 4, 1, 5]


def test_counts_that_memory_rules_out_are_known_at_once_with_the_reason() -> None:
    graph = replace(chain_graph(12), param_bytes=np.full(12, 50.0))
    problem = Problem(graph, McmPackage(8, sram=200.0, every_chip=False))
    possible = possible_counts(problem)
    assert possible.least == 3 and possible.counts(8) == (*range(2, 11),)
    assert "the 2 devices hold 400 B together" in possible.refused[2]
    assert find(problem, 2).sentence == possible.refused[2], "and nobody plans them"
    few = possible_counts(replace(problem, target=McmPackage(1, sram=200.0, every_chip=False)))
    assert few.least == 3 and 1 in few.refused and few.counts(1) == (1, *range(2, 11))
    hopeless = possible_counts(replace(problem, target=McmPackage(8, sram=40.0)))
    assert hopeless.least == 0 and hopeless.counts(8) == (8,) and "more than 40 B" in hopeless.refused[8]
    assert possible_counts(pipeline()) == Possible(1, {})
    pinned = possible_counts(pipeline(3, (Pin("n11", "stage 2"),)))
    assert pinned.least == 3 and "stage 2" in pinned.refused[2]


def test_a_plan_for_fewer_that_is_found_later_serves_those_that_were_planned() -> None:
    problem = pipeline()
    poor, good = np.zeros(12, np.int32), np.array([0] * 6 + [1] * 6, np.int32)
    known = {
        c: Found(c, "poor", device_of, (), None, 0.1) for c, device_of in ((1, poor), (3, poor), (4, None))
    }
    found = list(improved(problem, Found(2, "good", good, (), None, 0.1), known))
    assert [(one.count, one.planner, one.sentence) for one in found] == [(3, "good", ""), (4, "good", "")]
    assert not list(
        improved(problem, Found(2, "other", poor, (), None, 0.1), {3: replace(known[3], device_of=good)})
    )


def test_a_plan_for_fewer_is_one_for_more() -> None:
    """No count is worse than a smaller one only because its planner had too little time; devices are told by their names."""
    problem = Problem(chain_graph(12), DevicePool(1, 1))
    on_both = np.array([0] * 10 + [1] * 2, np.int32)  # one accelerator, then the CPU
    poor = np.zeros(12, np.int32)
    fewer = Found(1, "earlier", on_both, (), None, 0.1)
    at = with_count(problem, 3)
    planner, device_of = kept(problem, at, "later", poor, fewer)
    assert planner == "earlier" and device_of is not None
    assert device_of.tolist() == [0] * 10 + [3] * 2, "the CPU is still the CPU"
    assert kept(problem, at, "later", None, fewer)[0] == "earlier"
    assert kept(problem, at, "later", poor, None) == ("later", poor)
    better = np.array([0] * 6 + [1] * 6, np.int32)
    assert kept(problem, at, "later", better, fewer)[0] == "later"
    assert moved_to(at, problem, np.full(12, 2, np.int32)) is None, "accelerators that are not there"


def test_one_stage_that_holds_everything_on_chip() -> None:
    problem = tpu_problem(12, 3)
    assert one_on_chip(problem) is None, "3600 bytes do not fit"
    roomy = replace(problem, target=replace(problem.target, cache=4 * CACHE))
    alone = one_on_chip(roomy)
    assert alone is not None and off_chip(alone) == 0 and len(alone.ops) == 1
    assert alone.objective == with_count(roomy, 1).evaluate(np.zeros(12, np.int32)).objective
    assert one_on_chip(with_count(roomy, 1)) is None and one_on_chip(pipeline()) is None


def test_find_plans_a_count() -> None:
    found = find(pipeline(), 2)
    assert found.planner == "auto"
    assert found.device_of is not None
    one = evaluated(pipeline(), found)
    assert one.evaluation is not None
    assert one.evaluation.valid
    assert one.throughput == pytest.approx(1 / one.evaluation.objective)
    assert one.latency == pytest.approx(one.evaluation.cost.sum())
    assert one.proven
    assert one.off_chip == 0.0


def test_one_stage_has_one_plan_which_is_proven() -> None:
    assert evaluated(pipeline(), find(pipeline(), 1)).proven


def test_a_pin_to_a_stage_that_is_not_there_says_so() -> None:
    problem = pipeline(3, (Pin("n11", "stage 2"),))
    found = find(problem, 2)
    assert found.device_of is None
    assert "stage 2" in found.sentence
    one = evaluated(problem, found)
    assert one.problem is None
    assert one.evaluation is None
    assert np.isnan([one.throughput, one.latency, one.off_chip]).all()


def test_what_is_proven_and_off_chip() -> None:
    problem = tpu_problem()
    three, six = found_for(problem, 3), found_for(problem, 6, proven=False)
    assert three.proven
    assert not six.proven
    assert three.evaluation is not None
    assert three.off_chip == 3 * (4 * 300 - CACHE)
    assert six.off_chip == 0.0
    assert off_chip(three.evaluation) == three.off_chip
    assert throughput(three.evaluation) == three.evaluation.figures["throughput"]
    assert latency(three.evaluation) == three.evaluation.figures["latency"]
    assert three.baseline is not None
    assert three.baseline.memory[0] == 5 * 300


def test_the_baseline_is_none_where_it_does_not_serve() -> None:
    assert balanced(pipeline()) is None
    cut = balanced(tpu_problem())
    assert cut is not None and not tpu_problem().evaluator.violations(cut)
    assert balanced(tpu_problem().with_constraints((Pin("net0", "stage 0"),))) is None


def news_of(worker: CountsWorker) -> list[Found]:
    news: list[Found] = []
    until = time.monotonic() + 60
    while not worker.finished and time.monotonic() < until:
        news += worker.poll()
        time.sleep(0.01)
    return news


def test_a_process_plans_one_count_after_the_other() -> None:
    worker = CountsWorker(pipeline(), (1, 2, 3))
    try:
        news = news_of(worker)
    finally:
        worker.close()
    assert [found.count for found in news] == [1, 2, 3]
    assert all(found.device_of is not None for found in news)


def test_a_process_that_is_killed_leaves_sentences() -> None:
    worker = CountsWorker(pipeline(), (1, 2))
    worker._process.kill()
    try:
        news = news_of(worker)
    finally:
        worker.close()
    assert {found.count for found in news} <= {1, 2}
    assert news[-1].sentence == "the planner's process ended unexpectedly"


def test_close_ends_a_process_that_still_starts() -> None:
    worker = CountsWorker(pipeline(), range(1, 9))
    worker.close()
    assert worker.finished
