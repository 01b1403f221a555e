"""Plans run for real: outputs, what is measured, what cannot be run, and that nothing is left behind."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.export.stages.folder import read_manifest
from planner.export.tflite.stages import to_tflite_stages
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.problem.problem import Problem
from planner.runs.running.line import Edge, levels
from planner.runs.running.order import RunFailed, RunOrder, Split
from planner.runs.running.prepare import given_samples
from planner.runs.running.result import LineRun, ratio
from planner.runs.running.running import disturbance, run_plan, steady
from tests.planner.export.onnx_maker import random_model
from tests.planner.export.tflite_maker import skipping

ROOT = Path(__file__).resolve().parents[4]
SHARED = Path("/dev/shm")


def split(sources: list[Path], spec: str, device_of: list[int] | None = None) -> Split:
    """A plan by a list of devices, by default in even parts along the order."""
    graph = read_models(sources)
    problem = Problem(graph, parse_target(spec))
    k = len(problem.devices)
    devices = np.empty(graph.n, np.int32)
    devices[graph.topological_order] = np.arange(graph.n) * k // graph.n
    return Split(problem, devices if device_of is None else np.array(device_of, np.int32), "the plan")


def left_over() -> set[str]:
    return {path.name for path in SHARED.glob("psm_*")} if SHARED.is_dir() else set()


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """No process, no shared memory, no folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = left_over()
    yield
    assert not multiprocessing.active_children()
    assert left_over() <= before
    assert not list(temporary.iterdir())


def test_two_models_run_on_a_pool(tmp_path: Path) -> None:
    sources = [random_model(tmp_path / "a.onnx", 1), random_model(tmp_path / "b.onnx", 2)]
    plan = split(sources, "pool:3+0")
    told: list[tuple[int, int]] = []
    run = run_plan(
        RunOrder(
            plan, tuple(sources), samples=12, warm_up=1, against=(split(sources, "pool:2+0"),), copies=True
        ),
        lambda done, of: told.append((done, of)),
    )
    assert run.outputs_equal
    assert run.largest_difference <= run.tolerance
    assert [stage.name for stage in run.plan.stages] == ["acc 0", "acc 1", "acc 2"]
    assert [len(line.stages) for line in run.against] == [2]
    assert run.copies is not None
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] == 12 * 4
    for stage in run.plan.stages:
        at = stage.timeline.at
        assert len(at) == len(stage.timeline.sample)
        assert (np.diff(at.ravel()) >= 0).all(), "one thing after the other, sample after sample"
    first, last = run.plan.stages[0].timeline.at, run.plan.stages[-1].timeline.at
    assert (first[:, 3] <= last[:, 2]).all(), "a stage has a sample after those before it"
    e = plan.plan.evaluation
    assert run.plan.predicted == pytest.approx(1.0 / e.cost.max())
    assert [stage.predicted for stage in run.plan.stages] == pytest.approx(e.cost.tolist())


def test_a_tensor_that_skips_stages_arrives(tmp_path: Path) -> None:
    source = skipping().save(tmp_path / "skip.tflite")
    plan = split([source], "pipeline:4,bandwidth=1e9", [0, 0, 1, 2, 3, 3])
    run = run_plan(RunOrder(plan, (source,), samples=9, warm_up=1, cores=(0,)))
    assert run.outputs_equal
    assert run.largest_difference == 0.0
    assert [stage.cores for stage in run.plan.stages] == [(0,)] * 4
    assert any("4 stages share 1 core" in note for note in run.notes)


@pytest.mark.parametrize("when", ["loading", "running"])
def test_a_killed_stage_is_said(tmp_path: Path, when: str) -> None:
    source = random_model(tmp_path / "m.onnx", 3)
    killed: list[int] = []

    def kill() -> bool:
        stages = [process.pid for process in multiprocessing.active_children() if process.pid]
        if len(stages) >= 3 and not killed:
            killed.append(stages[0])
            os.kill(stages[0], signal.SIGKILL)
        return False

    order = RunOrder(split([source], "pipeline:2"), (source,), samples=20)
    with pytest.raises(RunFailed, match=r"the process of .* ended in the middle of the run \(SIGKILL\)"):
        if when == "loading":
            run_plan(order, stopped=kill)
        else:
            run_plan(order, lambda done, of: kill() and None)
    assert killed


def test_a_run_is_cancelled(tmp_path: Path) -> None:
    source = random_model(tmp_path / "m.onnx", 4)
    with pytest.raises(Cancelled):
        run_plan(RunOrder(split([source], "pipeline:2"), (source,)), stopped=lambda: True)


def test_stages_end_with_whoever_started_them(tmp_path: Path) -> None:
    source = random_model(tmp_path / "m.onnx", 5)
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, sys, time\n"
        "from pathlib import Path\n"
        "from planner.runs.running.order import RunOrder\n"
        "from planner.runs.running.running import run_plan\n"
        "from tests.planner.runs.running.test_running import split\n"
        "if __name__ == '__main__':\n"
        "    def told(done, of):\n"
        "        print(*(p.pid for p in multiprocessing.active_children()), flush=True)\n"
        "        time.sleep(600)\n"
        "    source = Path(sys.argv[1])\n"
        "    run_plan(RunOrder(split([source], 'pipeline:2'), (source,), samples=9), told)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, str(script), str(source)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as program:  # fmt: skip
        assert program.stdout is not None
        stages = [int(pid) for pid in program.stdout.readline().split()]
        program.kill()
    assert len(stages) == 3
    until = time.monotonic() + 30.0
    while any(_alive(pid) for pid in stages) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(_alive(pid) for pid in stages)


def _alive(pid: int) -> bool:
    """Whether a process runs; one that nobody waits for may still be listed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_what_cannot_be_run(tmp_path: Path) -> None:
    source = random_model(tmp_path / "m.onnx", 6)
    plan = split([source], "pipeline:2")
    for named, said in (
        (("samples", 1), "a single sample"),
        (("samples", -1), "-1 samples"),
        (("threads", 0), "0 threads for a stage"),
        (("warm_up", 0), "0 samples to warm up"),
        (("cores", (4000,)), "core 4000"),
    ):
        with pytest.raises(StageboardError, match=said):
            RunOrder(plan, (source,), **{named[0]: named[1]})  # type: ignore[arg-type]
    with pytest.raises(StageboardError, match=r"model\.json cannot be run here"):
        RunOrder(plan, (Path("model.json"),))
    with pytest.raises(StageboardError, match="several formats"):
        RunOrder(plan, (source, Path("b.tflite")))
    with pytest.raises(StageboardError, match="providers are onnxruntime's"):
        RunOrder(plan, (Path("b.tflite"),), provider="CPUExecutionProvider")
    with pytest.raises(StageboardError, match=r"no provider NoSuch here; choose from .*CPUExecutionProvider"):
        run_plan(RunOrder(plan, (source,), provider="NoSuch"))
    scattered = split([source], "pool:2+0,contiguous=false", [v % 2 for v in range(plan.problem.graph.n)])
    with pytest.raises(
        StageboardError, match=r"runs its ops in \d+ goes with ops of other devices in between"
    ):
        run_plan(RunOrder(scattered, (source,)))


def test_given_inputs(tmp_path: Path) -> None:
    source = skipping("float32").save(tmp_path / "skip.tflite")
    plan = split([source], "pipeline:2,bandwidth=1e9", [0, 0, 1, 1, 1, 1])
    file = tmp_path / "x.npz"
    rng = np.random.default_rng(0)
    np.savez(file, x=rng.standard_normal((3, 1, 8)).astype(np.float32))
    assert run_plan(RunOrder(plan, (source,), samples=6, inputs=str(file))).outputs_equal
    entry = read_manifest(
        to_tflite_stages(plan.plan, [source], tmp_path / "stages", check=False).folder
    ).models[0]
    assert len(given_samples(file, entry)) == 3
    np.savez(file, x=np.zeros((1, 8), np.float32))
    assert len(given_samples(file, entry)) == 1
    for arrays, said in (
        ({"y": np.zeros((1, 8), np.float32)}, "no array 'x'"),
        ({"x": np.zeros((1, 8))}, r"'x' is float64 \[1, 8\], and .* takes float32 \[1, 8\]"),
        ({"x": np.zeros((1, 9), np.float32)}, r"'x' is float32 \[1, 9\]"),
        ({"x": np.zeros((0, 1, 8), np.float32)}, "0 samples"),
        ({"x": np.full((1, 8), np.nan, np.float32)}, r"'x' holds values that are no numbers \(NaN\)"),
    ):
        np.savez(file, **arrays)  # type: ignore[arg-type]
        with pytest.raises(StageboardError, match=said):
            given_samples(file, entry)
    alone = io.BytesIO()
    np.save(alone, np.zeros((1, 8), np.float32))
    for content in (b"no arrays", b"", alone.getvalue()):
        file.write_bytes(content)
        with pytest.raises(
            StageboardError,
            match=r"^x\.npz holds no arrays that can be read; write it with numpy\.savez$",
        ):
            given_samples(file, entry)


def test_levels() -> None:
    assert levels(3, [Edge(0, 1, ()), Edge(1, 2, ()), Edge(0, 2, ())]) == [0, 1, 2]
    assert levels(2, []) == [0, 0]
    assert levels(3, [Edge(0, 1, ()), Edge(1, 0, ())]) is None


def test_only_what_ran_beside_the_others_counts() -> None:
    def stamps(begins: list[float], takes: float) -> np.ndarray:
        return np.array([[t, t, t, t + takes, t + takes, t + takes, takes / 2] for t in begins])

    one, two = stamps([0.0, 1.0, 2.0], 1.0), stamps([1.0, 2.0, 3.0], 1.0)
    kept = steady([one, two])
    assert kept[0][:, 2].tolist() == [1.0, 2.0]
    assert kept[1][:, 2].tolist() == [1.0, 2.0]
    # Never at the same time: then all that there is.
    assert [len(each) for each in steady([one, stamps([9.0], 1.0)])] == [3, 1]
    assert disturbance([one, two]) == pytest.approx(0.5)


def test_rounds_that_others_disturbed_do_not_count() -> None:
    line = LineRun("a", (10.0, 2.0, 12.0), (0.0, 0.5, 0.05), 1.0, ())
    other = LineRun("b", (5.0, 1.0, 1.0), (0.02, 0.0, 0.6), 1.0, ())
    assert line.counted == (0, 2)
    assert line.throughput == 11.0
    assert line.disturbed == pytest.approx(0.025)
    assert ratio(line, other) == 2.0, "round 0 counts for both"
    busy = LineRun("c", (4.0, 2.0, 1.0), (0.9, 0.0, 0.3), 1.0, ())
    assert ratio(line, busy) == 5.5, "no round counts for both"
    assert LineRun("d", (4.0, 2.0), (0.9, 0.3), 1.0, ()).counted == (0, 1), "there is nothing better"
