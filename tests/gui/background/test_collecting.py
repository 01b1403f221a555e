"""Cycles are taken apart in the thread of the window, whoever allocates."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui.background import collecting as module
from gui.background.collecting import Collecting, editor_closed, give_back

pytestmark = pytest.mark.usefixtures("qapp")
ROOT = Path(__file__).resolve().parents[3]
FREED = """
from benchmarks import heap
from gui.background.collecting import give_back
told = [heap.resident_mb()]
many = [bytes(3000) for _ in range(30_000)]
stays = many[::100]
told.append(heap.resident_mb())
del many
told.append(heap.resident_mb())
give_back()
told.append(heap.resident_mb())
print(*told)
"""
"""What a process prints that gives free pages back: MB before it had any, while they were held, free, and given back."""


class InACycle:
    """Says in which thread it goes."""

    def __init__(self, gone: list[str]) -> None:
        self.gone, self.itself = gone, self

    def __del__(self) -> None:
        self.gone.append(threading.current_thread().name)


@pytest.fixture
def collecting() -> Iterator[Collecting]:
    gc.enable()
    made = Collecting()
    yield made
    made.close()
    assert gc.isenabled()
    gc.disable()


def allocate(count: int = 50_000) -> None:
    kept = [[i] for i in range(count)]
    assert len(kept) == count


def test_a_thread_that_allocates_takes_nothing_apart(collecting: Collecting) -> None:
    gone: list[str] = []
    InACycle(gone)
    thread = threading.Thread(target=allocate, name="reader")
    thread.start()
    thread.join()
    assert gone == []
    allocate()
    kept = [[i] for i in range(gc.get_threshold()[0] + 1)]
    for _ in range(200):
        collecting.collect()
        kept.extend([i] for i in range(gc.get_threshold()[0] + 1))
        if gone:
            break
    assert gone == [threading.main_thread().name]


def test_nothing_is_collected_before_it_is_due(collecting: Collecting) -> None:
    gc.collect()
    before = gc.get_stats()[2]["collections"]
    collecting.collect()
    assert gc.get_stats()[2]["collections"] == before


def test_a_second_one_leaves_it_to_the_first(collecting: Collecting) -> None:
    other = Collecting()
    other.close()
    assert not gc.isenabled()


def test_what_a_closed_editor_had_goes_and_its_memory_is_given_back(
    collecting: Collecting, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[bool] = []
    window = threading.main_thread()
    monkeypatch.setattr(module, "give_back", lambda: given.append(threading.current_thread() is window))
    gone: list[str] = []
    InACycle(gone)
    editor_closed()
    collecting.collect()
    assert not gone and not given, "it may still be a widget"
    collecting.collect()
    assert len(gone) == 1 and not given, "that is enough for a turn"
    for _ in range(3):
        collecting.collect()
    for thread in threading.enumerate():
        if thread is not window and thread.name == "memory":
            thread.join()
    assert given == [False], "once, and beside the window"
    collecting.collect()
    assert collecting._giving is None, "a thread that is over keeps what was open when it began"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks glibc")
def test_free_pages_of_the_heap_go_back_to_the_system() -> None:
    # In a process of its own: this one may have enough free pages for all of that.
    told = subprocess.run(
        [sys.executable, "-c", FREED], capture_output=True, text=True, timeout=60.0, check=True, cwd=ROOT
    ).stdout
    before, held, between, after = map(float, told.split())
    assert held - before > 80 and after < between - 20


def test_there_may_be_no_such_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    give_back()
    monkeypatch.setattr(sys, "platform", "win32")
    give_back()
