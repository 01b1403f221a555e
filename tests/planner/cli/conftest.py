"""Fixtures of the tests of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from tests.planner.cli.calling import RESNET, TARGET, caller


@pytest.fixture
def stageboard(capsys: pytest.CaptureFixture[str]) -> Any:
    return caller(main, capsys)


@pytest.fixture
def plan_file(stageboard: Any, tmp_path: Path) -> Path:
    file = tmp_path / "resnet50.plan.json"
    assert stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "-o", file).status == 0
    return file
