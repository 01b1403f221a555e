"""Compiling ahead: every task once, whoever does it, and again only where kernels changed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

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


@pytest.fixture
def room(kept: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with kernels, of which stamps speak."""
    folder = tmp_path / "here" / "room_with_kernels"
    (folder / "inner").mkdir(parents=True)
    for name, text in (("__init__", ""), ("plain", "x = 1"), ("inner/fast", "@njit\ndef f(): return 1")):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.setattr(preparing, "ROOMS", (folder.name, "no_such_package"))
    monkeypatch.setattr(preparing, "sources", preparing.sources.__wrapped__)
    return folder


def test_sources_that_lie_as_they_lay_are_read_once(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    before = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: opened.append(path.name) or before(path))
    first = preparing.sources()
    assert sorted(opened) == ["__init__.py", "fast.py", "plain.py"]
    opened.clear()
    assert preparing.sources() == first and opened == []


def test_kernels_that_changed_are_seen(room: Path) -> None:
    fast, first = room / "inner" / "fast.py", preparing.sources()
    times = fast.stat()
    fast.write_text("@njit\ndef f(): return 2")  # of the same size
    os.utime(fast, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    second = preparing.sources()
    (room / "new.py").write_text("@njit")
    third = preparing.sources()
    (room / "new.py").rename(room / "other.py")
    assert len({first, second, third, preparing.sources()}) == 4


def test_what_has_no_kernels_may_change_and_all_may_move(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = preparing.sources()
    (room / "plain.py").write_text("x = 12")
    os.utime(room / "inner" / "fast.py", ns=(1, 1))
    (room / "inner" / ".#fast.py").symlink_to("nowhere")  # as an editor leaves
    assert preparing.sources() == first
    there = room.parent.parent / "there"
    shutil.move(room.parent, there)
    monkeypatch.syspath_prepend(there)
    assert preparing.sources() == first


def test_a_damaged_digest_is_made_again(room: Path, kept: Store) -> None:
    first = preparing.sources()
    assert kept.folder is not None
    (file,) = kept.folder.glob("sources-*")
    file.write_bytes(file.read_bytes()[:-1])
    assert preparing.sources() == first


def test_a_program_in_one_piece_is_its_own_source(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(room)  # what is imported is in the program
    found = SimpleNamespace(submodule_search_locations=[str(room)])
    monkeypatch.setattr(preparing.importlib.util, "find_spec", lambda name: found)
    program = tmp_path / "program"
    program.write_text("one")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    first = preparing.sources()
    assert preparing.sources() == first
    program.write_text("three")
    assert preparing.sources() != first


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
