"""One question in a process of its own: its answer, its errors, and its end."""

from __future__ import annotations

import math
import time

from planner.machines.spec import parse_target
from planner.processes.question import Answer, Aside


def asked(aside: Aside) -> Answer:
    deadline = time.monotonic() + 60
    while (answer := aside.poll()) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    aside.close()
    assert answer is not None
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
