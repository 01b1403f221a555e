"""Compiling beside the window: in processes, told of as it goes on, ended with the window."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from pytestqt.qtbot import QtBot

from gui.background.preparing import Preparing, PreparingLabel


def two(tasks: Sequence[str], behind: bool) -> Iterator[str]:
    """Do every task."""
    assert behind
    yield from tasks


def forever(tasks: Sequence[str], behind: bool) -> Iterator[str]:
    """One task, and one that does not end."""
    yield tasks[0]
    time.sleep(600)


def failing(tasks: Sequence[str], behind: bool) -> Iterator[str]:
    """Nothing."""
    yield from ()
    raise ValueError("this cannot be compiled")


def ignore(part: Callable[[], None]) -> None:
    """Wishes are not what is tried here."""


def test_tasks_are_done_in_a_process_and_counted(qtbot: QtBot) -> None:
    preparing = Preparing(lambda: ["a", "b", "c"], two, 1, ignore)
    label, done, said = PreparingLabel(preparing), [], []
    qtbot.addWidget(label)
    preparing.done.connect(done.append)
    preparing.changed.connect(lambda: said.append(preparing.text))
    assert label.isHidden()
    preparing.begin()
    preparing.begin()
    qtbot.waitUntil(lambda: len(done) == 3 and not preparing.running, timeout=60_000)
    assert done == ["a", "b", "c"]
    assert said[0] == "Preparing planners: 0 %" and said[-1] == ""
    assert label.isHidden() and label.text() == ""
    preparing.close()


def test_how_far_it_is_goes_by_what_tasks_cost(qtbot: QtBot) -> None:
    costs = {"a": 6.0, "b": 3.0, "c": 1.0}
    preparing, said = Preparing(lambda: ["a", "b", "c"], two, 1, ignore, costs.__getitem__), []
    preparing.done.connect(lambda task: said.append((task, preparing.text)))
    preparing.begin()
    qtbot.waitUntil(lambda: len(said) == 3 and not preparing.running, timeout=60_000)
    assert said == [
        ("a", "Preparing planners: 60 %"),
        ("b", "Preparing planners: 90 %"),
        ("c", "Preparing planners: 100 %"),
    ]
    preparing.close()


def test_what_is_compiled_counts_before_its_task_is_done(qtbot: QtBot) -> None:
    costs, made = {"a": 20.0, "b": 60.0, "c": 20.0}, [7.0]
    preparing = Preparing(lambda: ["a", "b", "c"], forever, 1, ignore, costs.__getitem__, lambda: made[0])
    preparing.begin()
    with qtbot.waitSignal(preparing.done, timeout=60_000):
        pass
    said = []
    for now in (7.0, 37.0, 500.0, 7.0):
        made[0] = now
        preparing._poll()
        said.append(preparing.text)
    assert said == [
        "Preparing planners: 20 %",  # a, which is done, had kernels as well
        "Preparing planners: 30 %",
        "Preparing planners: 74 %",  # b has not ended yet
        "Preparing planners: 74 %",
    ]
    preparing.close()


def test_how_far_it_is_goes_on_where_an_earlier_start_left_it(qtbot: QtBot) -> None:
    costs = {"b": 20.0, "c": 20.0}
    preparing, said = Preparing(lambda: ["b", "c"], two, 1, ignore, costs.__getitem__, whole=80.0), []
    preparing.changed.connect(lambda: said.append(preparing.text))
    preparing.begin()
    qtbot.waitUntil(lambda: bool(said) and said[-1] == "", timeout=60_000)
    assert said[0] == "Preparing planners: 50 %"
    preparing.close()


def test_where_nothing_moves_for_long_the_machine_is_said_to_be_busy(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, said = [0.0], list[str]()
    preparing = Preparing(lambda: ["a", "b"], forever, 1, ignore, made=lambda: made[0])
    preparing.changed.connect(lambda: said.append(preparing.text))
    preparing.begin()
    with qtbot.waitSignal(preparing.done, timeout=60_000):
        pass
    preparing._timer.stop()
    preparing._poll()
    monkeypatch.setattr("gui.background.preparing.BUSY_SECONDS", 0.0)
    preparing._poll()
    assert said[-1] == "Preparing planners: 50 %, the machine is busy"
    monkeypatch.setattr("gui.background.preparing.BUSY_SECONDS", 600.0)
    made[0] = 1.2
    preparing._poll()
    assert said[-1] == "Preparing planners: 60 %"
    preparing.close()


def test_where_nothing_is_missing_nothing_is_said_and_no_process_starts(qtbot: QtBot) -> None:
    looked = threading.Event()

    def missing() -> list[str]:
        looked.set()
        return []

    preparing = Preparing(missing, two, 2, ignore)
    preparing.begin()
    qtbot.waitUntil(lambda: looked.is_set() and preparing._wishes.isActive(), timeout=10_000)
    assert not preparing.running and preparing.text == ""
    preparing.close()


def test_the_end_of_the_window_ends_it(qtbot: QtBot) -> None:
    preparing = Preparing(lambda: ["a", "b"], forever, 1, ignore)
    preparing.begin()
    with qtbot.waitSignal(preparing.done, timeout=60_000):
        pass
    assert preparing.text == "Preparing planners: 50 %"
    preparing.close()
    assert not preparing.running
    preparing.begin()  # too late
    assert not preparing.running


def test_what_cannot_be_compiled_ahead_ends_quietly(qtbot: QtBot) -> None:
    preparing = Preparing(lambda: ["a"], failing, 1, ignore)
    preparing.begin()
    qtbot.waitUntil(preparing._wishes.isActive, timeout=60_000)
    assert not preparing.running and preparing.spent == 0
    preparing.close()


def test_forms_that_no_task_thought_of_are_asked_for_in_the_end(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.background.preparing.WISH_MS", 1)
    wished: list[Callable[[], None]] = []
    preparing = Preparing(lambda: [], two, 1, wished.append)
    preparing.begin()
    qtbot.waitUntil(lambda: bool(wished), timeout=10_000)
    wished[0]()
    preparing.close()
