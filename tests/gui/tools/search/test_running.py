"""What runs, in the header: its words, its button, and that it goes when nothing runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.tools import planning_window
from gui.tools.search.running import Run, running_words
from planner.machines.pipeline.target import Pipeline
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, opened, settle


@dataclass
class Search:
    """A run that says what it is told to."""

    title: str
    seconds: float
    problem: Any
    components: tuple[float, ...] | None
    is_bound: bool = False
    bounds: list[Bound] = field(default_factory=list)


def test_the_words_say_what_since_when_and_the_best_so_far() -> None:
    here = Problem(chain_graph(6), Pipeline(2))
    other = Problem(chain_graph(5), Pipeline(2))
    slow = Search("Annealing", 12.3, here, (9.0,))
    assert running_words([]) == ""
    assert running_words([slow]).startswith("Annealing  ·  12") and running_words([slow]).endswith(
        "best 9.00"
    )
    none: Run = Search("MTPP, MIP", 3.0, here, None)
    assert running_words([none]).endswith("nothing better yet")
    proof = Search("Proof", 1.0, here, None, True)
    assert running_words([proof]).endswith("nothing proven yet")
    proof.bounds.append(here.bound("bottleneck", 5.0, "simple", frozenset()))
    assert running_words([proof]).endswith("at least 5.00")
    better = Search("Slice", 1.0, here, (7.0,))
    # Of another problem nothing can be better or worse.
    elsewhere = Search("Slice", 1.0, other, (1.0,))
    assert running_words([slow, better, elsewhere]).startswith("3 searches  ·  12")
    assert running_words([slow, better, elsewhere]).endswith("best 7.00")


def test_the_header_says_what_runs_and_stops_it(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    running = window.running
    assert not running.isVisible() and running.accessibleName() == "Nothing runs"
    window.planners.choose("anneal")
    window.actions_set["plan.start"].trigger()
    settle()
    window.focus_panel("plans")
    if window.jobs.running:  # a small problem: it may be done already
        assert running.isVisible() and running.accessibleName().startswith("Running: Annealing")
        QTest.mouseClick(running.words, Qt.MouseButton.LeftButton)
        settle()
        assert window.planners.isVisible()
        QTest.mouseClick(running.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.jobs.running, timeout=30_000)
    settle()
    assert not running.isVisible()
    close()


def test_a_search_that_found_nothing_better_is_told_where_its_panel_is_not_seen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning_window, "nothing_better_words", lambda job: "found nothing better than 7.00")
    window, close = make_window(qtbot, opened())
    ended: Any = SimpleNamespace(
        title="Automatic", infeasible=False, found_none=False, entry=None, state="done"
    )
    window.docks.reveal("planners")
    settle()
    window.job_ended(ended)
    assert "nothing better" not in window.notice.text, "the panel says it"
    window.docks.reveal("target")
    settle()
    window.job_ended(ended)
    assert window.notice.text == "Automatic found nothing better than 7.00."
    close()
