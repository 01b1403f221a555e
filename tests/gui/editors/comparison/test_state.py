"""What a compare window is about: it follows the main window's document, and says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.comparison.canvases.pane_surface import unseen_words
from gui.editors.comparison.picture.head import subtitle_of
from gui.editors.comparison.sources import Source
from gui.editors.comparison.state import CompareState, entry_sources, file_sources
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from tests.gui.editors.comparison.compare_parts import state_of
from tests.gui.editors.comparison.parts import compared, more_plans, two_plans
from tests.gui.models import chain_graph
from tests.gui.window_parts import opened, settle


@pytest.fixture
def document(qtbot: QtBot) -> Document:
    made = two_plans()
    return made


def names(state: CompareState) -> list[str]:
    return [plan.name for plan in state.plans]


def test_two_plans_of_the_list(document: Document) -> None:
    state = compared(document)
    assert len(state.plans) == 2
    assert state.shown == (1, 0)
    assert state.moved().tolist() == [3, 7]
    assert state.label(1) == "B"


def test_one_plan_is_not_enough(document: Document) -> None:
    state = CompareState(document)
    state.set_sources(entry_sources(document.plans[:1]))
    assert state.comparison is None
    assert "two plans" in state.why_not and unseen_words(state) == state.why_not
    assert not len(state.moved())
    more_plans(document, 1)
    state.set_sources(entry_sources(document.plans[:2]))
    assert unseen_words(state) == "drawing …", "once two are chosen nobody is asked to choose"


def test_too_many_plans_are_refused(document: Document) -> None:
    more_plans(document, 4)
    with pytest.raises(StageboardError, match="at most 4"):
        CompareState(document).set_sources(entry_sources(document.plans))


def test_an_edit_of_the_plan_on_the_canvas_is_followed_once_a_turn(document: Document) -> None:
    state = compared(document)
    heard: list[int] = []
    state.comparison_changed.connect(lambda: heard.append(1))
    document.move([3], 1)
    document.move([7], 2)
    assert state.waiting
    settle()
    assert len(heard) == 1
    assert not len(state.moved()), "the edits made A what B is"
    document.undo_stack.undo()
    settle()
    assert state.moved().tolist() == [7]


def test_an_edit_of_a_planners_plan_goes_on_in_its_column_and_undo_takes_it_back(document: Document) -> None:
    later = next(entry for entry in document.plans if entry.name == "later")
    document.apply_plan(later)
    state = compared(document)
    state.set_sources([Source(later), Source(document.plans[0])])
    document.move([0], 1)
    settle()
    assert document.active is not later
    assert state.sources[0].entry is document.active
    assert names(state)[0] == "later, edited"
    document.undo_stack.undo()
    settle()
    assert state.sources[0].entry is later
    document.undo_stack.redo()
    settle()
    assert state.sources[0].entry is document.active


def test_another_plan_on_the_canvas_does_not_change_the_columns(document: Document) -> None:
    state = compared(document)
    before = names(state)
    document.apply_plan(next(entry for entry in document.plans if entry.name == "later"))
    settle()
    assert names(state) == before
    assert state.sources[1].live(document)


def test_what_is_removed_from_the_list_goes(document: Document) -> None:
    more_plans(document, 1)
    state = compared(document)
    assert len(state.plans) == 3
    document.remove_plan(next(entry for entry in document.plans if entry.name == "later"))
    settle()
    assert len(state.plans) == 2
    document.remove_plan(next(entry for entry in document.plans if entry.name == "other 0"))
    settle()
    assert state.comparison is None
    assert "removed from the list" in state.why_not


def test_the_reference_is_chosen(document: Document) -> None:
    more_plans(document, 1)
    state = compared(document)
    before = names(state)
    state.set_reference(2)
    assert names(state) == [before[2], before[0], before[1]]
    state.replace(0, state.sources[2])
    assert names(state) == [before[1], before[0], before[2]], "two plans change places"


def test_the_pair_is_checked(document: Document) -> None:
    state = compared(document)
    heard: list[int] = []
    state.pair_changed.connect(lambda: heard.append(1))
    for pair in ((0, 0), (1, 0), (2, 0), (-1, 0)):
        state.set_pair(*pair)
    assert not heard
    state.set_pair(0, 1)
    assert state.shown == (0, 1)
    assert len(heard) == 1


def test_two_are_the_least(document: Document) -> None:
    state = compared(document)
    with pytest.raises(StageboardError, match="close the window"):
        state.remove(1)


def test_selection_and_hover_are_the_documents(document: Document) -> None:
    state = compared(document)
    state.select([4, 2])
    assert document.selection.tolist() == [2, 4]
    state.select([3], "add")
    assert state.selection.tolist() == [2, 3, 4]
    state.hover_op(5)
    assert document.hover == 5 == state.hover


def test_views_are_named(document: Document) -> None:
    state = compared(document)
    with pytest.raises(ValueError, match="neither flow nor lanes"):
        state.set_view("table")


def test_another_model_ends_it(document: Document) -> None:
    state = compared(document)
    heard: list[int] = []
    state.ended.connect(lambda: heard.append(1))
    document.open_graph(chain_graph(9, "another"))
    assert heard
    assert state.comparison is None


def test_plan_files_stay_as_they_are(document: Document, tmp_path: Path) -> None:
    path = tmp_path / "kept.plan.json"
    document.save_plan(path)
    sources, bounds = file_sources([path], document)
    assert isinstance(bounds, list)
    state = CompareState(document)
    active = document.active
    assert active is not None
    state.set_sources([Source(active), *sources], bounds)
    assert not len(state.moved())
    document.move([3], 1)
    settle()
    assert state.moved().tolist() == [3]
    assert np.array_equal(state.plans[1].decision.device_of, np.arange(12) * 3 // 12)


def test_a_plan_file_of_another_graph_is_refused(document: Document, tmp_path: Path) -> None:
    other = opened(9)
    path = tmp_path / "other.plan.json"
    other.save_plan(path)
    with pytest.raises(StageboardError):
        file_sources([path], document)


def test_a_source_is_one_thing() -> None:
    with pytest.raises(ValueError, match="not both"):
        Source()


def test_plans_that_were_made_for_another_machine_say_so(document: Document) -> None:
    state = compared(document)
    assert state.comparison is not None
    assert state.comparison.differing_words == ""
    problem = document.problem
    assert problem is not None
    assert isinstance(problem.target, Pipeline)
    document.set_problem(replace(problem.target, reserve=2.0**20))
    document.add_plan(np.roll(document.device_of, 0).copy(), "now")
    state.set_sources([Source(document.plans[-1]), Source(document.plans[0])])
    settle()
    assert state.comparison is not None
    said = "the machines differ: reserve 1.00 MiB in A, 0 B in B"
    assert state.comparison.differing_words == said
    assert said[1:] in subtitle_of(state.comparison)  # in the picture, too
    assert state.comparison.differing.what == "machine"  # each is judged by its own
    document.pin([0])
    settle()
    assert state.comparison.differing_words == said


def test_each_plan_stands_against_the_rules_that_it_was_made_for(document: Document) -> None:
    """A bound under other rules says nothing of it, and what was proven under its own rules still does."""
    document.set_problem(DevicePool(2, 1, memory=300.0))
    document.add_plan(np.zeros(12, np.int32), "first")
    first = document.problem
    assert first is not None
    worst = first.evaluate(np.zeros(12, np.int32)).objective
    document.add_bounds([first.bound("max-load", worst, "test", first.assumptions)])
    document.set_problem(DevicePool(2, 1, memory=2000.0))
    document.apply_plan(document.add_plan(np.arange(12, dtype=np.int32) // 6, "second"))
    state = CompareState(document)
    assert document.active is not None
    entry = next(one for one in document.plans if one.name == "first")
    state.set_sources([Source(document.active), Source(entry)])
    assert state.comparison is not None
    assert state.plans[0].problem == document.problem and state.plans[1].problem == first
    assert state.comparison.differing.what == "rules"
    assert "memory 2.0 KiB in A, 300 B in B" in state.comparison.differing_words
    standing = first.standing(state.plans[1].evaluation.values, state.comparison.bounds)
    assert standing.gap == 0.0


def test_a_plan_that_undo_took_away_is_compared_again_after_redo(document: Document) -> None:
    state = compared(document)
    before = list(state.sources)
    second = next(entry for entry in document.plans if entry.name == "later")
    document.remove_plan(second)
    settle()
    assert len(state.plans) < 2 and "removed" in state.why_not
    document.undo_stack.undo()
    settle()
    assert state.sources == before and len(state.plans) == 2


def test_two_plans_beside_the_reference_are_matched_with_one_another(qtbot: QtBot) -> None:
    """As on the slide that is captured of them: through the reference, whose devices cut across theirs, most ops would move."""
    graph = chain_graph(12)
    first, second = [0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0], [0] * 6 + [1] * 6
    third = [0, 0, *[1] * 4, *[0] * 6]
    problem = Problem(graph, DevicePool(2, 0))
    plans = [
        problem.plan(np.array(d, np.int32), Provenance("found"), name)
        for d, name in ((first, "A"), (second, "B"), (third, "C"))
    ]
    through = compare(plans)
    direct = compare([plans[1], plans[2]])
    assert len(direct.moved(1, 0)) == 2 < len(through.moved(2, 1)) == 10
    state = state_of(first, second, third, target=DevicePool(2, 0))
    made = []
    state.comparison_changed.connect(lambda: made.append(state.comparison))
    state.set_pair(2, 1)
    compared = state.comparison
    assert compared is not None and len(made) == 1
    assert compared.moved(2, 1).tolist() == direct.moved(1, 0).tolist()
    assert sorted(compared.flows(2, 1).ops.ravel()) == sorted(direct.flows(1, 0).ops.ravel())
    assert [row.number for row in compared.rows] == [0, 1] and [row.devices[0] for row in compared.rows] == [
        0,
        1,
    ]
    pictured = state.by_reference()
    assert pictured is not None and pictured.moved(2, 1).tolist() == through.moved(2, 1).tolist()
    state.set_pair(1, 2)
    assert state.comparison is not None and len(state.comparison.moved(1, 2)) == 2
    state.set_pair(1, 0)
    assert state.comparison is not None and state.comparison is state.by_reference()
    assert len(state.comparison.moved(2, 1)) == 10
