"""Fixtures of the tests of exports."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.export.tflite import stages as tflite_stages
from tests.planner.export.tflite_maker import skipping


@pytest.fixture
def skip_model(tmp_path: Path) -> Path:
    return skipping().save(tmp_path / "skip.tflite")


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks run here, not in a process of their own, which takes half a second to start."""
    monkeypatch.setattr(tflite_stages, "in_child", lambda check, order, **_: check(order))
