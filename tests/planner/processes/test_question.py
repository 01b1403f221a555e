"""One question in a process of its own: its answer, its errors, and its end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from planner.machines.spec import parse_target
from planner.processes.question import Answer, Aside, Part


def asked(aside: Aside) -> Answer:
    deadline = time.monotonic() + 60
    while (answer := aside.poll()) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    aside.close()
    assert isinstance(answer, Answer)
    return answer


def test_what_the_function_returns() -> None:
    assert asked(Aside(math.hypot, 3.0, 4.0)).value == 5.0


def test_errors_come_as_sentences() -> None:
    answer = asked(Aside(parse_target, "nowhere:3"))
    assert "nowhere" in answer.sentence
    assert not answer.detail, "a sentence for a person needs no trace"
    answer = asked(Aside(math.sqrt, -1.0))
    assert "failed unexpectedly (ValueError" in answer.sentence
    assert "Traceback" in answer.detail


def test_it_ends_at_once() -> None:
    aside = Aside(time.sleep, 600)
    assert aside.poll() is None
    aside.close()


def test_a_process_that_is_gone_is_told() -> None:
    aside = Aside(time.sleep, 600)
    aside._process.kill()
    aside._process.join()
    assert "ended unexpectedly" in asked(aside).sentence


def test_what_a_generator_yields_comes_before_the_answer() -> None:
    aside = Aside(iterated, 3)
    deadline, parts = time.monotonic() + 60, []
    while not isinstance(said := aside.poll(), Answer) and time.monotonic() < deadline:
        if isinstance(said, Part):
            parts.append(said.value)
    aside.close()
    assert parts == [0, 1, 2]
    assert isinstance(said, Answer) and said.value is None and not said.sentence


def test_a_generator_that_fails_says_so_after_its_parts() -> None:
    aside = Aside(iterated, -1)
    answer = asked(aside)
    assert "failed unexpectedly (ValueError: below 0)" in answer.sentence


def iterated(count: int) -> Iterator[int]:
    """Some numbers, one after the other."""
    if count < 0:
        raise ValueError("below 0")
    yield from range(count)
