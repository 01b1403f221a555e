"""``stageboard infer`` as people and scripts use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli.main import main
from planner.formats.networks.npz import write_network
from planner.generate.catalogue import generate_network
from planner.machines.two_level_memory.execution import compare as comparing
from planner.model.network_building import network_of
from tests.conftest import PLAIN_KERNELS

pytestmark = pytest.mark.skipif(PLAIN_KERNELS, reason="the registers' kernel has no plain Python")

FAST = ("--seconds", "0.001", "--batch", "20")


@pytest.fixture
def network_file(tmp_path: Path) -> Path:
    file = tmp_path / "mlp.npz"
    write_network(generate_network("mlp", {"width": 30, "depth": 3, "density": 0.2}, 0), file)
    return file


def test_without_a_plan(network_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["infer", str(network_file), "--json", *FAST]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["correct"] and data["planner"] == "theorem-1" and data["plan_file"] is None
    assert data["objective"] == data["reads"] + data["writes"] >= data["lower_bound"]
    assert [way["name"] for way in data["ways"]][:2] == ["order", "scipy-csr"]
    assert all(way["correct"] and way["seconds"] > 0 and way["calls"] > 0 for way in data["ways"])


def test_in_the_order_of_a_plan(
    network_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "mlp.plan.json"
    target = ("--target", "memory:9,policy=lru", "--planner", "locality", "--time-limit", "1")
    assert main(["plan", str(network_file), *target, "-o", str(plan)]) == 0
    capsys.readouterr()
    assert main(["infer", str(network_file), str(plan), "--threads", "2", *FAST]) == 0
    out = capsys.readouterr().out
    assert "locality" in out and "memory:9,policy=lru" in out and "right: within" in out
    assert "20 samples, 2 threads" in out


def test_a_plan_of_another_network_is_bad_input(
    network_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, other = tmp_path / "mlp.plan.json", tmp_path / "other.npz"
    assert main(["plan", str(network_file), "--target", "memory:9", "--planner", "theorem-1", "-o", str(plan)]) == 0  # fmt: skip
    write_network(generate_network("chain", {}, 0), other)
    assert main(["infer", str(other), str(plan), *FAST]) == 2
    assert "is a plan of another network" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--batch", "0"], "--batch must be from 1"), (["--threads", "0"], "--threads must be from 1"), (["--seconds", "0"], "seconds above 0")],
)  # fmt: skip
def test_bad_numbers(
    network_file: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["infer", str(network_file), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_columns_that_a_file_only_claims_take_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wide.npz"
    np.savez(file, source=[0], target=[1], inputs=[0], feature=[2**31 - 2])
    assert main(["infer", str(file)]) == 2
    assert "number its columns from 0 on" in capsys.readouterr().err


def test_what_overflows_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "large.npz"
    write_network(network_of("large", np.arange(3), np.arange(1, 4), [3e38] * 3), file)
    assert main(["infer", str(file), "--json", *FAST]) == 1
    captured = capsys.readouterr()
    assert not json.loads(captured.out)["correct"] and "may overflow 32 bits" in captured.err


def test_a_wrong_result_ends_with_1(
    network_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Wrong(comparing.Runner):
        def run(self, batch: Any) -> Any:
            return super().run(batch) + np.float32(0.01)

    monkeypatch.setattr(comparing, "Runner", Wrong)
    assert main(["infer", str(network_file), *FAST]) == 1
    captured = capsys.readouterr()
    assert "WRONG" in captured.out and "the outputs of order are wrong by up to 0.01" in captured.err
