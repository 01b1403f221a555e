"""What a race counts as an entrant's search: the time for which it searched, whichever clock tells of it."""

from __future__ import annotations

import time

import numpy as np
import pytest

from planner.runs.messages import Incumbent
from planner.runs.race import Entrant
from planner.runs.race.runner import Runner
from planner.runs.race.standing import Standing


def found(value: float, seconds: float) -> Incumbent:
    return Incumbent(np.zeros(2, np.int32), value, seconds, (value,), 1)


def test_a_plan_counts_neither_turns_of_others_nor_preparing() -> None:
    standing = Standing(0, Entrant("slice"), "Slice")
    assert standing.take(found(2.0, 6.0), 9.0, 4.0) and standing.found_after == 4.0, (
        "it was held for two seconds"
    )
    assert standing.take(found(1.0, 6.5), 9.5, 7.0) and standing.found_after == 6.5
    assert standing.time_to_best == 9.5


def test_a_search_begins_once_its_process_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    runner = Runner(Standing(0, Entrant("slice"), "Slice"))
    runner._since = 0.0
    clock[0] = 3.0
    runner.begun()
    clock[0] = 3.5
    assert runner.active == 3.5 and runner.searched == 0.5
