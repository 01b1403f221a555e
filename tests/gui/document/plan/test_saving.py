"""Saving a plan, reading it again, and when there is anything to save."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gui.document.plan.document import Document
from gui.document.plan.taking import listed
from planner.errors import PlanError, StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import read_plan
from tests.gui.document.plan.steps import state
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


def test_saving_and_reopening_gives_the_same(document: Document, tmp_path: Path) -> None:
    document.move([5], 2)
    document.pin([5])
    path = tmp_path / "plan.json"
    document.save_plan(path)
    assert not document.modified
    assert document.plan_path == path
    saved = document.device_of.tolist()
    document.move([6], 2)
    assert document.modified
    document.undo_stack.undo()
    assert not document.modified
    document.undo_stack.undo()
    assert document.modified

    other = Document()
    other.open_graph(chain_graph(), target=Pipeline(count=2))
    before = state(other)
    other.open_plan(path)
    assert other.problem is not None
    assert other.problem == document.problem or len(other.problem.constraints) == 1
    assert other.device_of.tolist() == saved
    assert other.active is not None
    assert other.active.origin == "file"
    assert not other.modified
    assert other.plan_path == path
    other.undo_stack.undo()
    assert state(other) == before
    with pytest.raises(PlanError, match="another graph"):
        document.open_graph(chain_graph(9, "nine"))
        document.open_plan(path)


def test_a_saved_plan_that_is_put_back_on_the_canvas_is_saved(document: Document, tmp_path: Path) -> None:
    document.move([5], 2)
    mine, problem = document.active, document.open_problem
    assert mine is not None
    document.save_plan(tmp_path / "mine.plan.json")
    found = document.add_plan((np.arange(document.open_problem.graph.n) * 2 // 12).astype(np.int32), "found")
    document.apply_plan(found)
    assert document.modified and document.plan_path is None, "no file has it"
    document.save_plan(tmp_path / "found.plan.json")
    said: list[bool] = []
    document.modified_changed.connect(said.append)
    document.apply_plan(mine)
    assert not document.modified and document.plan_path == tmp_path / "mine.plan.json"
    document.apply_plan(found)
    assert not document.modified and not said, "each is as its file has it"
    document.move([6], 0)
    assert document.modified and said == [True]
    document.undo_stack.undo()
    assert not document.modified
    # The file has it for the machine that it was saved for.
    document.apply_plan(mine)
    document.set_problem(replace(problem.target, bandwidth=3.0))  # type: ignore[type-var]
    assert document.modified
    document.undo_stack.undo()
    assert not document.modified
    # One that was read into the list is as its file has it, too.
    other = Document()
    other.open_graph(chain_graph(), target=problem.target)
    plan, _ = read_plan(tmp_path / "mine.plan.json", other.open_problem.graph)
    other.apply_plan(listed(other, plan, (), tmp_path / "mine.plan.json"))
    assert not other.modified


def test_a_plan_that_has_another_name_than_in_its_file_is_not_saved(
    document: Document, tmp_path: Path
) -> None:
    path, active = tmp_path / "mine.plan.json", document.active
    assert active is not None
    document.save_plan(path)
    first = active.name
    assert document.rename_plan(active, "another") and document.modified
    document.undo_stack.undo()
    assert not document.modified
    document.undo_stack.redo()
    assert document.rename_plan(active, first) and not document.modified, "as the file has it"
    assert document.rename_plan(active, "another")
    document.save_plan(path)
    assert not document.modified and read_plan(path, document.open_problem.graph)[0].name == "another"
    other = document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
    assert document.rename_plan(other, "one of the list") and not document.modified


def test_what_is_done_to_show_something_is_nothing_to_save(document: Document) -> None:
    history = document.history
    with history.showing():
        document.move([5], 0)
    assert document.modified and not history.for_show, "something was there before"
    with history.showing():
        document.open_graph(chain_graph(), target=Pipeline(count=3))
        document.move([5], 0)
    assert not document.modified and history.for_show and document.active is not None
    with history.showing():
        document.apply_plan(document.add_plan(np.repeat([0, 1, 2], 4), "thirds"))
    found = document.add_plan(np.repeat([0, 1, 2], [2, 5, 5]).astype(np.int32), "run", planner="slice")
    document.follow(found.device_of, found, "job 1", "Run")
    assert not document.modified, "nor is what a planner found"
    document.move([5], 0)
    assert document.modified and not history.for_show
    with history.showing():
        document.move([6], 0)
    assert document.modified, "a person did something in between"
    with pytest.raises(StageboardError), history.showing():
        document.open_graph(chain_graph(), target=Pipeline(count=3))
        document.move([5], 0)
        raise StageboardError("the tour cannot go on")
    assert not document.modified and history.for_show


def test_saving_where_nothing_can_be_written_changes_nothing(document: Document, tmp_path: Path) -> None:
    document.move([5], 2)
    with pytest.raises(StageboardError):
        document.save_plan(tmp_path)
    assert document.modified
    assert document.plan_path is None
