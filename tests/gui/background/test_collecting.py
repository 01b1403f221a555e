"""Cycles are taken apart in the thread of the window, whoever allocates."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from gui.background.collecting import Collecting

pytestmark = pytest.mark.usefixtures("qapp")


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
