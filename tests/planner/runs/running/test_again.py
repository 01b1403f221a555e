"""Planning again from what was measured, on a machine whose times are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.formats import read_model
from planner.machines.spec import parse_target
from planner.model.graph import Floats, Graph
from planner.model.times import OpTime, OpTimes, Use, measured_words, runs_spread, with_times_of
from planner.problem.problem import Problem
from planner.reports.robustness.spread import spread_of
from planner.runs.running import again
from planner.runs.running.again import Round, plan_again, times_as_fast
from planner.runs.running.order import RunOrder, Split
from planner.runs.running.scaled import op_seconds, scaled_problem, scaled_target, scaled_times
from tests.planner.runs.running.fake import line_run, machine

UNET = Path(__file__).resolve().parents[4] / "sample_models" / "unet.onnx"


@pytest.fixture(scope="module")
def graph() -> Graph:
    return read_model(UNET)


def halves(graph: Graph, spec: str = "pipeline:2") -> Split:
    problem = Problem(graph, parse_target(spec))
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * 2 // graph.n
    return Split(problem, device_of, "halves")


def skewed(split: Split) -> Floats:
    """What the ops take on the test's machine: the later ones four times what is estimated."""
    graph = split.problem.graph
    rank = np.empty(graph.n)
    rank[graph.topological_order] = np.arange(graph.n)
    return read_model(UNET).work * np.where(rank < graph.n // 3, 10.0, 40.0)


def test_scaled_times_would_have_predicted_the_run(graph: Graph) -> None:
    split = halves(graph)
    run = line_run(split, skewed(split))
    problem, times = scaled_problem(split, run, "a run")
    assert times.structure == graph.structure
    assert times.source == "a run"
    work = problem.evaluate(split.device_of).work
    assert work.tolist() == pytest.approx([stage.busy.seconds for stage in run.stages])
    # Ops of a stage are scaled alike.
    before, after = op_seconds(split), op_seconds(Split(problem, split.device_of))
    for d in (0, 1):
        factors = (after / np.where(before > 0, before, np.nan))[split.device_of == d]
        assert np.nanmax(factors) == pytest.approx(np.nanmin(factors))
    again = with_times_of(graph, [Use(times)])
    assert again.measured is not None
    assert again.measured.ops.all()
    assert measured_words(again).endswith(" ops scaled from a run")
    assert "measured" not in measured_words(again)
    assert times.scaled
    assert runs_spread(again) is None, "nobody measured how far runs of an op spread"
    assert spread_of(Problem(again, split.problem.target)).words == "a factor of 2 assumed for each op"


def test_ops_that_were_measured_spread_as_their_stage(graph: Graph) -> None:
    first = graph.op_ids[0]
    split = halves(read_model(UNET, times=[Use(OpTimes({first: OpTime(1.0, 0.1)}, "t", "me"))]))
    run = line_run(split, skewed(split))
    stages = [replace(s, cpu=s.cpu._replace(spread=s.cpu.seconds / 4)) for s in run.stages]
    times = scaled_times(split, replace(run, stages=tuple(stages)), "a run")
    assert times.ops[first].spread == pytest.approx(times.ops[first].seconds / 4)
    assert all(np.isnan(time.spread) for op, time in times.ops.items() if op != first)


@pytest.mark.parametrize("spec", ["pool:1+1", "pipeline:2,speed=1/3", "edge-tpu:2", "mcm:2"])
def test_machines_of_all_kinds_are_scaled(graph: Graph, spec: str) -> None:
    split = halves(graph, spec)
    run = line_run(split, skewed(split))
    problem, _ = scaled_problem(split, run, "a run")
    assert [float(problem.evaluate(split.device_of).work[s.device]) for s in run.stages] == pytest.approx(
        [stage.busy.seconds for stage in run.stages]
    )


def test_a_stage_that_was_to_take_no_time_keeps_its_times(graph: Graph) -> None:
    nothing = OpTimes({op: OpTime(0.0) for op in graph.op_ids}, "none", "none")
    split = halves(read_model(UNET, times=[Use(nothing)]))
    times = scaled_times(split, line_run(split, skewed(split)), "a run")
    assert all(time.seconds == 0.0 for time in times.ops.values())


def test_bandwidth_is_what_tensors_were_copied_with(graph: Graph) -> None:
    split = halves(graph)
    said = split.plan.evaluation
    moved = float((said.receive + said.send).sum()) * 12e9
    seconds = 1e-3 * skewed(split) / skewed(split).sum()
    slow = scaled_target(split, line_run(split, seconds, transfer=moved / 2e9))
    assert getattr(slow, "bandwidth", 0.0) == pytest.approx(1e9, rel=0.05)
    little = scaled_target(split, line_run(split, 1e6 * seconds, transfer=moved / 2e9))
    assert little is split.problem.target, "it does not matter"
    assert scaled_target(split, line_run(split, seconds)) is split.problem.target, "nothing was copied"
    chips = halves(graph, "mcm:2")
    assert scaled_target(chips, line_run(chips, seconds, transfer=1.0)) is chips.problem.target, (
        "no such rate"
    )


def test_it_settles_on_a_better_plan(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "run_plan", machine(skewed))
    told: list[Round] = []
    split = halves(graph)
    agreed = plan_again(RunOrder(split, (UNET,)), found=told.append)
    assert agreed.settled
    assert tuple(told) == agreed.rounds
    assert 2 <= len(agreed.rounds) <= again.ROUNDS
    assert agreed.best.over_first > 1.2
    assert agreed.rounds[0].off > 3.0
    assert agreed.rounds[-1].off < 0.5
    assert agreed.rounds[-1].moved > 0
    assert agreed.plan.problem is agreed.best.problem
    assert agreed.plan.objective == pytest.approx(1.0 / agreed.best.run.plan.throughput, rel=0.03)
    assert agreed.plan.provenance.planner
    # From there nothing is better.
    stays = plan_again(RunOrder(Split(agreed.plan.problem, agreed.plan.decision.device_of), (UNET,)))
    assert len(stays.rounds) == 1
    assert stays.settled
    assert stays.plan.decision == agreed.plan.decision


def test_it_ends_where_runs_contradict_one_another(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)

    def moody(split: Split) -> Floats:
        return split.problem.graph.work * np.where(split.device_of == rng.integers(0, 2), 30.0, 3.0)

    monkeypatch.setattr(again, "run_plan", machine(moody))
    agreed = plan_again(RunOrder(halves(graph), (UNET,)))
    assert len(agreed.rounds) <= again.ROUNDS
    assert agreed.best.over_first >= 1.0


def test_times_without_a_unit_agree_with_nothing(graph: Graph) -> None:
    split = halves(graph.with_given_times(graph.work.copy(), graph.work_cpu.copy(), None, None))
    with pytest.raises(StageboardError, match="are not in seconds, so that no run agrees"):
        plan_again(RunOrder(split, (UNET,)))


def test_processor_time_decides_on_a_busy_machine(graph: Graph) -> None:
    split = halves(graph)
    fast, slow = line_run(split, skewed(split)), line_run(split, 2.0 * skewed(split))
    assert times_as_fast(fast, slow) == pytest.approx(2.0)
    held = replace(fast, rounds=(0.1,), away=(0.0,))
    assert times_as_fast(held, slow) < 1.0, "undisturbed, what counts is what came out"
    assert times_as_fast(replace(held, away=(0.8,)), slow) == pytest.approx(2.0)
