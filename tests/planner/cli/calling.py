"""Commands called by tests: the models that most are given, the fields of their JSON, and what came of one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
RESNET = str(ROOT / "sample_models" / "resnet50.json")
ENCODER = str(ROOT / "sample_models" / "transformer_encoder.onnx")
SMALL = str(ROOT / "tests" / "data" / "small.json")
UNET = str(ROOT / "sample_models" / "unet.onnx")
TARGET = "pipeline:4,bandwidth=12e9"
PLAN_FIELDS = {
    "planner", "target", "objective_name", "objective", "components", "lower_bound", "bound_method", "gap", "status",
    "stop_reason", "seconds", "prove_seconds", "seed", "valid", "violations", "devices", "plan_file", "op_times",
}  # fmt: skip
DEVICE_FIELDS = {"name", "ops", "receive", "work", "streaming", "send", "cost", "memory"}
CALL = [sys.executable, "-c", "import sys; from planner.cli import main; sys.exit(main())"]


class Ran:
    """One command: its exit status and streams."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def sentence(self) -> str:
        """The one line of an error."""
        assert self.out == ""
        assert self.err.startswith("stageboard: ") and self.err.count("\n") == 1, self.err
        return self.err.strip().removeprefix("stageboard: ")


def caller(main: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """What calls a program's ``main`` with arguments, in this process."""

    def call(*arguments: str | Path) -> Ran:
        status = main([str(a) for a in arguments])
        streams = capsys.readouterr()
        return Ran(status, streams.out, streams.err)

    return call
