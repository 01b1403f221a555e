"""Rates of this computer: measured in a process beside, plausible, and a machine like any other."""

from __future__ import annotations

import datetime

import pytest

from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.runs.calibration import this_computer as subject
from planner.runs.calibration.this_computer import measured_rates, this_computer


def test_rates_are_those_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "LONG", 1_000_000)
    rates, runtime = measured_rates(3)
    assert 1e8 < rates.flops < 1e13 and 1e8 < rates.bandwidth < 1e13 and 1e-9 < rates.overhead < 1e-3
    assert runtime.startswith("onnxruntime ")


def test_it_is_a_machine_with_source_and_date() -> None:
    found = this_computer("my-box", "My box")
    assert (found.name, found.title, found.device, found.own) == ("my-box", "My box", "cpu", True)
    assert found.rates is not None and "matrix product" in found.source and "1 thread" in found.source
    assert found.date == datetime.date.today().isoformat()


def test_it_can_be_cancelled_and_named_badly() -> None:
    with pytest.raises(Cancelled):
        this_computer("my-box", stopped=lambda: True)
    with pytest.raises(StageboardError, match="brings along"):
        this_computer("t4")
