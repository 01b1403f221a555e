"""Estimated throughput: against sets and loops, and against measured pipelines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.edge_tpu.times import interval, scratch_of, streaming_times
from planner.problem.problem import Problem
from tests.planner.machines.edge_tpu import reference
from tests.planner.machines.edge_tpu.strategies import edge_problems
from tests.shared_files import shared

pytestmark = pytest.mark.coverage


@given(edge_problems(), st.booleans(), st.booleans(), st.data())
def test_throughput_and_energy(problem: Problem, link: bool, scratch: bool, data: st.DataObject) -> None:
    target = EdgeTpuPipeline(**{**vars(problem.target), "shared_link": link, "scratch": scratch})
    problem = Problem(problem.graph, target, problem.objective)
    n, k = problem.graph.n, target.count
    device_of = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    e = problem.evaluate(np.array(device_of, np.int32))
    period = reference.interval(problem, device_of)
    assert 1.0 / e.figures["throughput"] == pytest.approx(period)
    for stage in range(k):
        joules = 0.5 * period + 1.5 * reference.parts(problem, device_of, stage)["work"]
        assert e.details["energy"][stage] == pytest.approx(joules)
    assert e.figures["energy"] == pytest.approx(e.details["energy"].sum())
    if not scratch and not link:
        assert period == pytest.approx(e.cost.max())


@given(edge_problems(), st.booleans(), st.data())
def test_rests_are_told_where_no_stage_alone_sets_the_pace(
    problem: Problem, link: bool, data: st.DataObject
) -> None:
    """The objective is then all streaming and the largest rest, whose stage is named, and else the largest cost."""
    target = EdgeTpuPipeline(**{**vars(problem.target), "shared_link": link})
    problem = Problem(problem.graph, target, "inference-time")
    n, k = problem.graph.n, target.count
    device_of = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    e = problem.evaluate(np.array(device_of, np.int32))
    rests = e.receive + e.work + e.send
    if e.rests is None:
        assert e.objective == pytest.approx(e.cost.max()) and e.bottleneck == np.argmax(e.cost)
    else:
        assert link and e.objective > e.cost.max()
        assert e.rests == pytest.approx(rests) and e.bottleneck == np.argmax(e.rests)
        assert e.objective == pytest.approx(e.streaming.sum() + e.rests.max())


def test_one_link_streams_for_all_stages() -> None:
    held, scratch, rest = np.array([5.0, 3.0]), np.array([0.0, 2.0]), np.array([1.0, 4.0])
    streaming = streaming_times(held, scratch, 4.0, 0.5)
    assert streaming.tolist() == [2.0, 2.0]
    assert interval(streaming, rest, True) == 2.0 + 2.0 + 4.0
    assert interval(streaming, rest, False) == max(2.0 + 1.0, 2.0 + 4.0)
    # No more is streamed than there is, however large the activations are.
    assert streaming_times(np.array([3.0]), np.array([9.0]), 4.0, 1.0).tolist() == [3.0]
    assert scratch_of(np.array([1.0, 7.0, 2.0]), np.array([0, 0, 1], np.int32), 3).tolist() == [7.0, 2.0, 0.0]


def test_measured_times_are_met() -> None:
    from benchmarks.edge_tpu_times import measured, rank_correlation, ranks, summary

    assert ranks(np.array([3.0, 1.0, 3.0])).tolist() == [1.5, 0.0, 1.5]
    assert rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([9.0, 8.0, 7.0])) == pytest.approx(-1.0)
    rows = measured(shared("oracles/edge_tpu_times.tsv"))
    assert len(rows) == 19
    for row in rows:
        e = row.problem.evaluate(row.device_of)
        assert e.valid
        assert abs(1.0 / e.figures["throughput"] / row.seconds - 1.0) < 0.2, row.name
        if row.given is not None:
            padding = [g / (m / 2**20) for g, m in zip(row.given, e.memory, strict=False)]
            assert 1.04 < padding[0] < 1.05 and 1.0 < padding[1] < 1.02, row.name
    last = summary(rows)[-1]
    assert float(last[5].split()[0]) < 6.0 and float(last[6]) > 0.98
