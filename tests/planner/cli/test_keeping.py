"""What the command line must not lose: the files that it reads, places that are no files, a plan while it is written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from planner.cli import bound as command
from planner.cli.searching import uninterrupted
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import read_network
from planner.methods.tiny import tiny_network
from planner.plan_files import plan_json
from tests.planner.cli.calling import CALL, RESNET, ROOT, TARGET


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return write_network(tiny_network(), tmp_path / "tiny.npz")


def test_models_are_not_written_over(stageboard: Any, network: Path, tmp_path: Path) -> None:
    before = network.read_bytes()
    plan = tmp_path / "tiny.plan.json"
    planned = ("plan", network, "--target", "memory:4", "--planner", "theorem-1", "-o")
    ran = stageboard(*planned, network)
    assert ran.status == 2 and "would be lost" in ran.sentence
    assert stageboard(*planned, plan).status == 0
    ran = stageboard("repair", network, plan, "-o", network)
    assert ran.status == 2 and "would be lost" in ran.sentence
    assert network.read_bytes() == before
    # A plan may be repaired where it stands.
    assert stageboard("repair", network, plan, "-o", plan).status == 0


def test_a_graph_and_a_sweep_are_not_written_over(stageboard: Any, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_bytes(Path(RESNET).read_bytes())
    ran = stageboard("plan", model, "--target", "pipeline:2", "--planner", "slice", "-o", model)
    assert ran.status == 2 and model.read_bytes() == Path(RESNET).read_bytes()
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('models = ["model.json"]\ntargets = ["pipeline:2"]\nplanners = ["slice"]\n')
    ran = stageboard("sweep", sweep, "-o", sweep)
    assert ran.status == 2 and "would be lost" in ran.sentence


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_are_not_replaced(stageboard: Any, network: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ran = stageboard("plan", network, "--target", "memory:4", "-o", pipe)
    assert ran.status == 2 and "is a device or a pipe" in ran.sentence
    assert pipe.is_fifo()


@pytest.mark.skipif(os.name == "nt", reason="signals of one's own end the process there")
def test_ctrl_c_does_not_lose_the_plan_that_is_being_written(
    stageboard: Any, network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = plan_json.write_plan

    def slowly(*arguments: Any) -> Any:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
        return write(*arguments)

    monkeypatch.setattr(plan_json, "write_plan", slowly)
    out = tmp_path / "tiny.plan.json"
    ran = stageboard("plan", network, "--target", "memory:4", "--planner", "theorem-1", "-o", out, "--json")
    assert ran.status == 0 and ran.json["plan_file"] == str(out)
    assert len(json.loads(out.read_text())["decision"]["order"]) == read_network(network).connection_count


@pytest.mark.skipif(os.name == "nt", reason="signals of one's own end the process there")
def test_a_bound_that_is_stopped_speaks_of_proofs_not_of_plans(
    stageboard: Any, network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_bound = command.run_bound

    def stopped(*arguments: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return run_bound(*arguments, **more)

    monkeypatch.setattr(command, "run_bound", stopped)
    ran = stageboard("bound", network, "--target", "memory:4", "--method", "theorem-1")
    assert "stopping; what is proven so far counts" in ran.err and "plan" not in ran.err


@pytest.mark.skipif(os.name == "nt", reason="signals of one's own end the process there")
def test_afterwards_ctrl_c_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_damaged_network_is_said_to_be_one(stageboard: Any, network: Path) -> None:
    network.write_bytes(network.read_bytes()[:100])
    assert "is not a complete .npz file" in stageboard("info", network).sentence


def test_a_failed_write_leaves_the_old_file(stageboard: Any, tmp_path: Path) -> None:
    folder = tmp_path / "plan.json"
    folder.mkdir()
    ran = stageboard("plan", RESNET, "--target", TARGET, "-o", folder)
    assert ran.status == 2 and "is a folder" in ran.sentence
    assert list(folder.iterdir()) == []


def test_ctrl_c_keeps_the_best_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    arguments = ["plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=10000000",
                 "-o", str(file), "--json"]  # fmt: skip
    process = subprocess.Popen(
        [*CALL, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=dict(os.environ),
    )
    try:
        # The search has begun when the handler is in place: the process then ignores no SIGINT and is busy.
        deadline = time.monotonic() + 60
        while not _handles_interrupt(process.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode in (0, 1), err
    data = json.loads(out)
    assert data["stop_reason"] == "cancelled" and "stopping; " in err
    assert file.exists() == (process.returncode == 0) == data["valid"]


def _handles_interrupt(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
    # Python itself handles SIGINT from its start; the command handles SIGTERM too.
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
