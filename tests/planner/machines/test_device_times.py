"""Times measured on single devices: from the command line and from files to the problem, and what is said of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from planner.cli.main import main
from planner.errors import TargetError
from planner.evaluation.estimates import op_times, times_lines
from planner.evaluation.times_source import times_mark, times_source
from planner.formats.graphs import stageboard_json
from planner.formats.merge import merge
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.model.times import OpTime, OpTimes, Use, measured_words, uses_of, with_times_of, without_measured
from planner.problem.device_times import on_devices, own_timed
from planner.problem.problem import Problem

IDS = ("o0", "o1", "o2")


def graph(work: float | None = None) -> Graph:
    ops = [Op(op, op, work=work, macs=1e6, param_bytes=8.0) for op in IDS]
    return Graph.build("line", ops, [Tensor("o0", ("o1",), 8.0), Tensor("o1", ("o2",), 8.0)])


def profile(seconds: float, ops: tuple[str, ...] = IDS) -> OpTimes:
    return OpTimes({op: OpTime(seconds) for op in ops}, "fast.json", "a stopwatch")


def test_times_of_one_device_are_its_own_and_later_ones_count() -> None:
    timed = with_times_of(
        graph(), [Use(profile(3.0), place="1"), Use(profile(2.0, ("o0",)), place="1"), Use(profile(5.0))]
    )
    problem = Problem(fill(on_devices(timed, Pipeline(3))), Pipeline(3))
    assert [name for name, _ in problem.graph.device_times] == ["stage 1"]
    assert problem.evaluator.work[problem.evaluator.class_of].tolist() == [
        [5.0] * 3,
        [2.0, 3.0, 3.0],
        [5.0] * 3,
    ]
    assert measured_words(problem.graph) == "3 of 3 ops measured, of single devices 3 of 3 on stage 1"


def test_every_slot_of_an_accelerator_has_its_times() -> None:
    timed = on_devices(
        with_times_of(graph(), [Use(profile(3.0), place="acc 1")]), DevicePool(2, 1, subgraphs=2), {"acc 1"}
    )
    problem = Problem(fill(timed), DevicePool(2, 1, subgraphs=2), "latency")
    assert sorted(problem.measured_times) == [2, 3]
    first = on_devices(with_times_of(graph(), [Use(profile(3.0), place="2")]), DevicePool(2, 1, subgraphs=2))
    assert first.fingerprint == timed.fingerprint  # the third slot is of the second accelerator


@pytest.mark.parametrize("target", [Pipeline(3), DevicePool(3, 1)])
def test_numbers_and_names_are_alike_once_estimates_are_filled(target: Pipeline | DevicePool) -> None:
    name = target.hardware(graph())[1]
    by_number, by_name = (
        on_devices(fill(with_times_of(graph(), [Use(profile(3.0), place=place)])), target, {place})
        for place in ("1", name)
    )
    assert by_number.fingerprint == by_name.fingerprint and by_number.cost_model == by_name.cost_model
    for number, named in zip(by_number.given_times, by_name.given_times, strict=True):
        np.testing.assert_array_equal(number, named)
    np.testing.assert_array_equal(
        Problem(by_number, target).evaluator.work, Problem(by_name, target).evaluator.work
    )


@pytest.mark.parametrize(
    ("place", "target", "words"),
    [
        (
            "7",
            Pipeline(3),
            "the target has no device '7' that could have measured times; its devices are stage 0, stage 1",
        ),
        ("acc 0", Pipeline(3), "no device 'acc 0'"),
        ("1", EdgeTpuPipeline(3), "takes all its devices for alike; give one profile for all of them"),
    ],
)
def test_devices_that_are_not_there_are_one_sentence(place: str, target: Pipeline, words: str) -> None:
    timed = with_times_of(graph(), [Use(profile(3.0), place=place)])
    with pytest.raises(TargetError, match=words):
        on_devices(timed, target, {place})


def test_one_device_is_not_given_twice() -> None:
    timed = with_times_of(graph(), [Use(profile(3.0), place="1"), Use(profile(2.0), place="stage 1")])
    with pytest.raises(TargetError, match="the times of 'stage 1' are given twice"):
        on_devices(timed, Pipeline(3))


def test_devices_of_another_machine_do_not_count() -> None:
    timed = with_times_of(graph(), [Use(profile(3.0), place="acc 0")])
    assert on_devices(timed, Pipeline(3)) is timed
    assert Problem(fill(timed), Pipeline(3)).measured_times == {}


def test_they_are_written_and_read_with_the_model(tmp_path: Path) -> None:
    timed = with_times_of(graph(), [Use(profile(3.0, ("o0", "o2")), place="stage 1")])
    path = stageboard_json.write(timed, tmp_path / "timed.json")
    assert json.loads(path.read_text())["ops"][0]["work_on"] == {"stage 1": 3.0}
    read = stageboard_json.read(path)
    assert read.fingerprint == timed.fingerprint != graph().fingerprint
    assert without_measured(read).fingerprint == timed.fingerprint  # they are the file's
    assert with_times_of(graph(), uses_of(read)).fingerprint == timed.fingerprint


def test_devices_that_may_have_times_of_their_own_are_named() -> None:
    assert own_timed(graph(), Pipeline(2)) == {"stage 0": "Stage 0", "stage 1": "Stage 1"}
    slots = DevicePool(accelerators=2, cpus=1, subgraphs=2)
    assert own_timed(graph(), slots) == {"acc 0": "Accelerator 0", "acc 1": "Accelerator 1", "cpu 0": "CPU 0"}
    assert own_timed(graph(), Pipeline(1)) == {}, "there is but one"
    assert own_timed(graph(), EdgeTpuPipeline(2)) == {}, "they are alike"


@pytest.mark.coverage
def test_ops_have_the_times_of_the_device_that_they_are_on() -> None:
    timed = with_times_of(graph(), [Use(profile(3.0), place="stage 1")])
    problem = Problem(fill(timed), Pipeline(2))
    device_of = np.array([0, 1, 1][: problem.graph.n] + [1] * (problem.graph.n - 3), np.int32)
    times = op_times(problem, device_of)
    assert np.isnan(times.measured[0]) and (times.measured[1:] == 3.0).all()
    assert np.array_equal(times.measured[1:], problem.evaluator.work_on(device_of)[1:])
    assert times_lines(problem)[0] == "of single devices 3 of 3 on stage 1"


def test_models_side_by_side_keep_theirs() -> None:
    timed = with_times_of(graph(), [Use(profile(3.0), place="stage 1")])
    merged = merge([timed, graph()])
    ((name, times),) = merged.device_times
    assert name == "stage 1" and times[:3].tolist() == [3.0] * 3 and np.isnan(times[3:]).all()


@pytest.mark.coverage
@pytest.mark.parametrize(
    ("places", "mark", "source"),
    [
        ((), "estimated", "the cost model"),
        (("stage 0",), "partly measured", "the cost model"),
        (("stage 0", "stage 1"), "measured", "measurements"),
    ],
)
def test_what_stands_beside_the_objective(places: tuple[str, ...], mark: str, source: str) -> None:
    timed = with_times_of(graph(), [Use(profile(3.0), place=place) for place in places])
    problem = Problem(fill(timed), Pipeline(2))
    assert (times_mark(problem), times_source(problem)) == (mark, source)
    assert times_source(Problem(fill(graph(2.0)), Pipeline(2, speed=(1.0, 2.0)))) == "the file"


def times_file(folder: Path, seconds: float) -> str:
    path = folder / f"{seconds}.csv"
    path.write_text("op,seconds\n" + "".join(f"{op},{seconds}\n" for op in IDS))
    return str(path)


def test_a_plan_comes_back_with_its_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(stageboard_json.write(graph(), tmp_path / "line.json"))
    slow, fast = times_file(tmp_path, 4.0), times_file(tmp_path, 1.0)
    plan = str(tmp_path / "line.plan.json")
    given = ["--times", slow, "--times"]
    options = ["--target", "pipeline:2", "--planner", "slice", "-o", plan, "--json"]
    made = main(["plan", model, *options, *given, f"1={fast}"])
    first = json.loads(capsys.readouterr().out)
    # One op on the slow stage takes 4 s, all three on the fast one take 3 s.
    assert made == 0 and math.isclose(first["objective"], 3.0, rel_tol=1e-6)
    for again in (f"1={fast}", f"stage 1={fast}"):
        assert main(["evaluate", model, plan, *given, again, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["objective"] == first["objective"]
    whole = str(tmp_path / "whole.json")
    assert main(["export", model, "--to", "json", *given, f"stage 1={fast}", "-o", whole]) == 0
    capsys.readouterr()
    assert main(["evaluate", whole, plan, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] == first["objective"]


def test_bad_devices_on_the_command_line_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, fast = str(stageboard_json.write(graph(), tmp_path / "line.json")), times_file(tmp_path, 1.0)
    both = tmp_path / "both.csv"
    both.write_text("op,seconds,device\no0,1,cpu\no0,2,accelerator\n")
    for arguments, words in (
        (["plan", model, "--target", "pipeline:2", "--times", f"5={fast}"], "no device '5'"),
        (["plan", model, "--target", "pipeline:2", "--times", f"stgae 1={fast}"], "no device 'stgae 1'"),
        (["info", model, "--times", f"1={fast}"], "without a target a number says no device"),
        (["plan", model, "--target", "pipeline:2", "--times", f"1={both}"], "tells kinds of devices apart"),
    ):
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
