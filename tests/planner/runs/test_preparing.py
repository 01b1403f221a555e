"""Compiling ahead: every task once, whoever does it, and again only where kernels changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.compiling.store import Store
from planner.machines.catalogue import DEFAULT, bound_methods, machines, planners
from planner.runs import preparing


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty store."""
    store = Store(tmp_path / "kernels")
    monkeypatch.setattr(preparing, "store", lambda: store)
    yield store


def test_what_is_needed_next_comes_first_and_nothing_is_left_out() -> None:
    for kind in machines():
        tasks = preparing.tasks(kind)
        assert tasks[0] == f"edit:{kind}" and len(set(tasks)) == len(tasks)
        assert sorted(tasks) == sorted(preparing.tasks())
        own = {*machines()[kind].first, *machines()[kind].planners, *machines()[kind].bounds} - {DEFAULT}
        assert {task.removeprefix("method:") for task in tasks[1 : 1 + len(own)]} == own
    methods = {task.removeprefix("method:") for task in preparing.tasks() if task.startswith("method:")}
    assert methods == {*planners(), *bound_methods()} - {DEFAULT}


def test_a_task_is_done_once(kept: Store) -> None:
    done: list[str] = []
    assert list(preparing.work_through(["a", "b"], done.append)) == ["a", "b"]
    assert preparing.missing(["a", "b", "c"]) == ["c"]
    assert list(preparing.work_through(["a", "b", "c"], done.append)) == ["c"]
    assert done == ["a", "b", "c"]


def test_what_another_process_does_is_left_to_it(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "take", lambda name, patience: name != preparing.stamp("a"))
    done: list[str] = []
    assert list(preparing.work_through(["a", "b"], done.append)) == ["b"]


def test_what_fails_is_not_done_and_free_for_others(kept: Store) -> None:
    def fail(task: str) -> None:
        raise ValueError(task)

    with pytest.raises(ValueError, match="a"):
        list(preparing.work_through(["a"], fail))
    assert preparing.missing(["a"]) == ["a"]
    assert list(preparing.work_through(["a"], lambda task: None)) == ["a"]


def test_other_sources_are_other_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    before = preparing.stamp("a")
    monkeypatch.setattr(preparing, "sources", lambda: "others")
    assert preparing.stamp("a") != before


def test_tasks_do_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    def note(what: str) -> None:
        monkeypatch.setattr(
            preparing,
            what,
            lambda *given: seen.append((what, getattr(given[0], "name", type(given[0]).__name__))),
        )

    for what in ("warm_editing", "warm_planner", "warm_bound", "warm_explain"):
        note(what)
    preparing.do("edit:pool")
    assert {what for what, _ in seen} == {"warm_editing"}
    seen.clear()
    preparing.do("explain:mcm")
    assert seen and {what for what, _ in seen} == {"warm_explain"}
    seen.clear()
    preparing.do("method:chain-dp")  # both a planner and a bound method
    assert set(seen) == {("warm_planner", "chain-dp"), ("warm_bound", "chain-dp")}
