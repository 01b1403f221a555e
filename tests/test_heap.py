"""What the soak says of memory: what is held, what is free, and which rounds loaded something."""

from __future__ import annotations

import sys

import pytest

from benchmarks import heap, soak
from benchmarks.heap import Reading, growth

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks glibc")


def test_what_is_held_is_told_from_what_is_free() -> None:
    before = heap.read()
    array = bytearray(40_000_000)
    with_array = heap.read()
    assert 39 < with_array.malloc - before.malloc < 42 and abs(with_array.python - before.python) < 1
    blocks = [(float(i),) for i in range(200_000)]
    with_blocks = heap.read()
    assert 10 < with_blocks.python - with_array.python < 30
    del array, blocks
    after = heap.read()
    assert abs(after.used - before.used) < 2
    assert after.modules == before.modules > 100 and after.resident > 20


def reading(used: float, modules: int = 100, kernels: int = 10) -> Reading:
    """At one moment."""
    return Reading(400.0, used - 100.0, 100.0, 30.0, modules, kernels)


def test_rounds_that_load_something_are_counted_apart() -> None:
    loading, others = growth([reading(200), reading(210, 120), reading(211, 120), reading(215, 120, 12), reading(214, 120, 12)])  # fmt: skip
    assert loading == [10.0, 4.0] and others == [1.0, -1.0]
    assert growth([reading(200)]) == ([], [])


@pytest.mark.parametrize(("each", "level"), [(0.1, True), (18.0, False)])
def test_what_every_round_leaves_behind_is_a_leak(each: float, level: bool) -> None:
    start = [reading(150 + 10 * i, 50 + 10 * i) for i in range(soak.SETTLED_ROUNDS)]
    memory = [*start, *(reading(start[-1].used + each * i, 90 + 5 * (i == 3)) for i in range(1, 9))]
    lines, found = soak.summary(memory)
    assert found is level
    assert f"{each:+.2f} each" in lines[1] and "once that is given back" in lines[2]


def test_one_window_that_stays_is_not_lost_in_the_average() -> None:
    memory = [reading(200 + 10 * (i > 15), 100) for i in range(30)]
    lines, level = soak.summary(memory)
    assert not level and "+10.0 at most" in lines[1]
