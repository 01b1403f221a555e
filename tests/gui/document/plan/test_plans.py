"""Plans of the list: applied, compared, renamed, removed, edited, followed, and those for another machine."""

from __future__ import annotations

import numpy as np
import pytest

from gui.document.plan.document import Document
from planner.errors import PlanError, StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from tests.gui.document.plan.steps import heard, state
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


def test_plans_are_applied_compared_renamed_and_removed(document: Document) -> None:
    start = document.active
    assert start is not None
    entry = document.add_plan(np.repeat([0, 1, 2], 4), "thirds", planner="slice", seed=3)
    again = document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
    assert again.name == "thirds 2"
    assert not document.modified
    assert document.differences(entry).tolist() == (document.device_of != np.repeat([0, 1, 2], 4)).tolist()
    assert document.apply_plan(entry)
    assert document.active is entry
    assert document.undo_stack.undoText() == "Apply 'thirds'"
    assert not document.differences(entry).any()
    assert not document.apply_plan(entry)
    with pytest.raises(StageboardError, match="on the canvas"):
        document.remove_plan(entry)
    document.history.set_saved()
    document.rename_plan(entry, "  my   plan ")
    assert entry.name == "my plan"
    document.remove_plan(again)
    assert document.plans == [start, entry]
    assert not document.modified  # the list is not part of the plan
    document.undo_stack.undo()
    assert document.plans == [start, entry, again]
    document.undo_stack.undo()
    assert entry.name == "thirds"
    document.undo_stack.undo()
    assert document.active is start
    assert document.modified


THIRDS = np.repeat([0, 1, 2], 4).astype(np.int32)


def test_plans_of_the_list_differ_from_the_canvas_by_what_a_comparison_counts(document: Document) -> None:
    document.open_graph(chain_graph(), target=DevicePool(3, 0))
    document.set_assignment(THIRDS, "edit", "By hand")
    turned = np.repeat([2, 0, 1], [4, 5, 3]).astype(np.int32)
    entry = document.add_plan(turned, "of a file", origin="file")
    assert entry.device_of.tolist() == turned.tolist(), "files keep their numbers"
    assert np.flatnonzero(document.differences(entry)).tolist() == [8]


def test_an_edited_proposal_becomes_a_plan_of_its_own(document: Document) -> None:
    entry = document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
    document.apply_plan(entry)
    document.move([3], 1)
    document.move([4], 0)
    assert document.active is not None
    assert document.active.name == "thirds, edited"
    assert entry.device_of.tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert document.active.device_of.tolist() == document.device_of.tolist()
    edited = document.active
    document.apply_plan(entry)
    assert edited.device_of[3] == 1
    assert document.active is entry


def test_a_followed_run_is_one_step(document: Document) -> None:
    thirds = np.repeat([0, 1, 2], 4).astype(np.int32)
    other = np.repeat([0, 1, 2], [3, 3, 6]).astype(np.int32)
    before = state(document)
    serial = document.edit_serial
    entry = document.add_plan(thirds, "run")
    log = heard(document, "decision_changed")
    assert document.follow(thirds, entry, "job 1", "Run")
    document.update_plan(entry, other)
    assert document.follow(other, entry, "job 1", "Run")
    assert [change.reason for _, change in log] == ["follow", "follow"]
    assert document.undo_stack.count() == 1
    assert document.edit_serial == serial
    assert document.device_of.tolist() == other.tolist()
    document.undo_stack.undo()
    assert state(document)[:2] == before[:2]
    document.undo_stack.redo()
    assert document.device_of.tolist() == other.tolist()
    document.move([5], 2)
    document.follow(thirds, entry, "job 1", "Run")
    assert document.undo_stack.count() == 3  # a step of the user's lies between


def test_a_plan_with_too_many_devices_is_kept_but_not_applied(document: Document) -> None:
    entry = document.add_plan(np.repeat([0, 1, 2, 3], 3), "quarters")
    assert not entry.valid
    assert np.isnan(entry.objective)
    with pytest.raises(PlanError, match="does not have"):
        document.apply_plan(entry)


def test_a_plan_for_another_machine_keeps_its_figures_and_takes_its_machine_along(document: Document) -> None:
    entry = document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
    before, figures = document.problem, (entry.components, entry.valid)
    document.set_problem(Pipeline(count=2))
    assert document.problem != before
    assert (entry.components, entry.valid) == figures and entry.problem == before
    assert not document.differences(entry).any()
    assert document.plan_of(entry).problem == before
    assert document.apply_plan(entry)
    assert document.active is entry and document.problem == before
    assert document.device_of.tolist() == np.repeat([0, 1, 2], 4).tolist()
    document.undo_stack.undo()
    assert document.problem is not None and len(document.problem.devices) == 2
