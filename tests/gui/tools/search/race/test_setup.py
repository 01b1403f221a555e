"""Who takes part: what serves the problem, what refuses it and why, and what is remembered of a choice."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.tools.search.race.setup import REASON, RaceSetup, cores_here, default_cores, recommended
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Pin, Problem
from tests.gui.models import chain_graph


@pytest.fixture
def problem() -> Problem:
    return Problem(chain_graph(), Pipeline(count=3), "bottleneck")


@pytest.fixture
def setup(qtbot: QtBot, problem: Problem) -> RaceSetup:
    setup = RaceSetup(LIGHT)
    qtbot.addWidget(setup)
    setup.show_problem(problem)
    return setup


def test_the_recommended_field_is_chosen_first(setup: RaceSetup, problem: Problem) -> None:
    assert set(setup.methods.chosen()) == set(recommended(problem))
    settings = setup.settings()
    assert [(e.method, e.is_bound) for e in settings.entrants] == recommended(problem)
    assert settings.goal.gap == pytest.approx(0.05)
    assert settings.goal.cores == default_cores() <= cores_here()
    assert settings.from_canvas
    assert f"on {default_cores()} core" in setup.words()


def test_a_race_with_little_time_has_a_smaller_field_unless_somebody_chose(setup: RaceSetup) -> None:
    full = setup.methods.chosen()
    time, cores = setup.limits.fields["time"], setup.limits.fields["cores"]
    assert isinstance(time, QSpinBox) and isinstance(cores, QSpinBox)
    cores.setValue(1)
    time.setValue(2)
    small = setup.methods.chosen()
    assert set(small) < set(full)
    assert {(entrant.method, entrant.is_bound) for entrant in setup.settings().entrants} == set(small)
    assert ("chain-dp", False) in small, "what ends with a proof never gives way"
    time.setValue(60)
    assert setup.methods.chosen() == full
    chosen = frozenset({("anneal", False), ("slice", False)})
    setup.choose(chosen)
    time.setValue(2)
    assert frozenset(setup.methods.chosen()) == chosen


def test_those_that_refuse_are_greyed_with_the_reason(setup: RaceSetup) -> None:
    items = [setup.methods.item(i) for i in range(setup.methods.count())]
    refusing = [item for item in items if item.data(REASON)]
    assert refusing
    for item in refusing:
        assert not item.flags() & Qt.ItemFlag.ItemIsEnabled
        assert item.data(REASON) in item.toolTip()
        assert item.foreground().color().name() == LIGHT.faint
    assert "Theorem 1" not in " ".join(item.text() for item in items), "what plans networks is not listed"


def test_a_choice_stays_where_it_serves(setup: RaceSetup, problem: Problem) -> None:
    setup.choose(frozenset({("anneal", False), ("slice", False)}))
    assert set(setup.methods.chosen()) == {("anneal", False), ("slice", False)}
    pool = Problem(chain_graph(), DevicePool(accelerators=2, cpus=1), "max-load")
    setup.show_problem(pool)
    assert all(key in {("anneal", False), ("slice", False)} for key in setup.methods.chosen())
    setup.forget()
    setup.show_problem(pool)
    assert set(setup.methods.chosen()) == set(recommended(pool))
    setup.show_problem(problem)
    assert set(setup.methods.chosen()) == set(recommended(problem))


def test_constraints_decide_who_serves(setup: RaceSetup, problem: Problem) -> None:
    before = len(setup.methods.items_with_box())
    setup.show_problem(problem.with_constraints((Pin("n0", "stage 0"),)))
    assert len(setup.methods.items_with_box()) < before


def test_keys_choose_and_a_button_goes_back(setup: RaceSetup, problem: Problem, qtbot: QtBot) -> None:
    setup.show()
    qtbot.waitExposed(setup)
    changes: list[int] = []
    setup.changed.connect(lambda: changes.append(1))
    item = setup.methods.items_with_box()[0]
    setup.methods.setCurrentItem(item)
    before = item.checkState()
    setup.methods.setFocus()
    QTest.keyClick(setup.methods, Qt.Key.Key_Space)
    assert item.checkState() != before and changes
    setup.recommend.click()
    assert set(setup.methods.chosen()) == set(recommended(problem))


def test_limits_become_the_goal(setup: RaceSetup) -> None:
    fields = setup.limits.fields
    fields["gap"].setValue(0.0)  # type: ignore[attr-defined]
    fields["time"].setValue(0)  # type: ignore[attr-defined]
    fields["seed"].setValue(7)  # type: ignore[attr-defined]
    setup.from_canvas.setChecked(False)
    settings = setup.settings()
    assert settings.goal.gap is None and settings.goal.time_limit is None and not settings.from_canvas
    assert {entrant.seed for entrant in settings.entrants} == {7}
    assert setup.words().endswith("until proven optimal")
    fields["cores"].setValue(10_000)  # type: ignore[attr-defined]
    assert setup.settings().goal.cores == cores_here()
    fields["cores"].setValue(0)  # type: ignore[attr-defined]
    assert setup.settings().goal.cores == 1


def test_the_gap_asked_for_is_one_that_is_not_reached_yet(setup: RaceSetup, problem: Problem) -> None:
    def asked() -> float | None:
        return setup.settings().goal.gap

    for gap, wanted in (
        (None, 0.05),
        (0.5, 0.05),
        (0.09, 0.01),
        (0.041, 0.01),
        (0.004, 0.001),
        (0.0005, None),
        (0.0, None),
    ):
        setup.suggest_gap(gap)
        assert asked() == (wanted if wanted is None else pytest.approx(wanted)), gap
    setup.limits.fields["gap"].setValue(3.0)  # type: ignore[attr-defined]
    setup.suggest_gap(0.5)
    assert asked() == pytest.approx(0.03), "chosen by hand"
    setup.forget()
    setup.show_problem(problem)
    setup.suggest_gap(0.5)
    assert asked() == pytest.approx(0.05)
