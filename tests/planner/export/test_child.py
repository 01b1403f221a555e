"""A function in a process of its own: answers, errors, crashes, and being stopped."""

from __future__ import annotations

import os
import time

import pytest

from planner.errors import StageboardError
from planner.export.stages.child import Cancelled, in_child
from planner.export.stages.stages import VerificationFailed


def work(given: str) -> str:
    if given == "refuse":
        raise VerificationFailed("'y' differs")
    if given == "fail":
        raise RuntimeError("no\nluck")
    if given == "starve":
        raise MemoryError
    if given == "crash":
        os._exit(7)
    if given == "sleep":
        time.sleep(60)
    return given.upper()


def crashed(code: int | None) -> StageboardError:
    return VerificationFailed(f"ended with {code}")


def test_an_answer_comes_back() -> None:
    assert in_child(work, "word", crashed=crashed, stopped=lambda: False) == "WORD"


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ("refuse", VerificationFailed, "'y' differs"),
        ("fail", StageboardError, r"unexpectedly \(RuntimeError: no luck\)"),
        ("starve", StageboardError, "more memory than there is"),
        ("crash", VerificationFailed, "ended with 7"),
    ],
)
def test_errors_come_back_as_sentences(given: str, kind: type[StageboardError], words: str) -> None:
    with pytest.raises(kind, match=words):
        in_child(work, given, crashed=crashed)


def test_it_stops_when_asked() -> None:
    with pytest.raises(Cancelled, match="cancelled; nothing was written"):
        in_child(work, "sleep", crashed=crashed, stopped=lambda: True)
