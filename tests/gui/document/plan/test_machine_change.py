"""Another machine: what is left stays in the list, what is there now is carried over or made anew, and one undo step returns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from gui.document.plan.document import Document
from gui.document.plan.machine_change import CARRIED, GIVEN, KEPT, KNOWN, LISTED, PLANNED, MachineChange
from gui.document.plan.retargeting import carried_over, in_order
from gui.document.plan_list import PlanEntry, fill_figures
from gui.document.saving import saving
from gui.editors.plan.planning_anew import kept_words
from gui.words.machines import changed_words
from gui.words.methods import method_name
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Ints
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.runs import proving
from planner.runs.start_plan import StartPlan, start_plan
from planner.search.method import BoundMethod
from tests.gui.models import chain_graph

BACKWARDS = np.repeat([2, 0, 1], 4).astype(np.int32)


def told(document: Document) -> list[MachineChange]:
    changes: list[MachineChange] = []
    document.machine_changed.connect(changes.append)
    return changes


def heard(document: Document) -> list[str]:
    said: list[str] = []
    document.message.connect(lambda message: said.append(message.text))
    return said


def made(document: Document, change: MachineChange) -> str:
    return document.editing.machines.planned(change, start_plan(change.after))


def test_devices_are_renumbered_where_their_order_is_all_that_is_wrong() -> None:
    graph = chain_graph(12)
    pool, row = Problem(graph, DevicePool(3, 1)), Problem(graph, Pipeline(3))
    assert not pool.evaluator.violations(BACKWARDS)
    assert carried_over(BACKWARDS, pool, row).tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert not row.evaluator.violations(carried_over(BACKWARDS, pool, row))
    # What is right as it is keeps its numbers, and a CPU stays one.
    assert carried_over(BACKWARDS, pool, Problem(graph, DevicePool(4, 1))).tolist() == BACKWARDS.tolist()
    with_cpu = np.repeat([3, 2, 0], 4).astype(np.int32)
    assert (
        in_order(with_cpu, pool, Problem(graph, DevicePool(2, 1))).tolist()
        == np.repeat([2, 0, 1], 4).tolist()
    )
    # Of more devices than there are the later ones come together.
    assert in_order(BACKWARDS, pool, Problem(graph, Pipeline(2))).tolist() == np.repeat([0, 1, 1], 4).tolist()


def test_what_is_carried_over_is_evaluated_and_bounded_once(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate, prove = AssignmentEvaluator.evaluate, proving.run_bound
    evaluated: list[bytes] = []
    proven: list[Problem] = []

    def counted(self: AssignmentEvaluator, device_of: Ints) -> Evaluation:
        evaluated.append(device_of.tobytes())
        return evaluate(self, device_of)

    def counted_proof(method: BoundMethod, problem: Problem) -> Any:
        proven.append(problem)
        return prove(method, problem)

    monkeypatch.setattr(AssignmentEvaluator, "evaluate", counted)
    monkeypatch.setattr(proving, "run_bound", counted_proof)
    monkeypatch.setattr(proving, "_at_once", WeakKeyDictionary[PlanningProblem, tuple[Bound, ...]]())
    document.set_problem(Pipeline(4))
    assert document.evaluation.valid and document.gap is not None
    assert len(evaluated) == len(set(evaluated)) and len(proven) == 1
    for _ in range(2):
        document.undo_stack.undo()
        document.undo_stack.redo()
    assert len(proven) == len(set(proven)) == 2, (
        "what is proven of a problem at once is known while it is there"
    )


def test_stages_become_accelerators_rather_than_a_cpu() -> None:
    graph = chain_graph(12)
    four = np.repeat([0, 1, 2, 3], 3).astype(np.int32)
    pool = Problem(graph, DevicePool(2, 1))
    # Not 3 and 9, which would part two ops that must share a device.
    assert carried_over(four, Problem(graph, Pipeline(4)), pool).tolist() == [0] * 6 + [1] * 6


def test_work_by_hand_is_not_overwritten_by_another_machine(document: Document) -> None:
    changes = told(document)
    document.move([3], 1)
    mine = document.active
    assert mine is not None and mine.origin == "hand"
    kept = mine.device_of.copy()
    document.set_problem(DevicePool(2, 1))
    assert mine in document.plans and mine.device_of.tolist() == kept.tolist()
    assert document.active is not mine and document.active is not None
    assert document.active.name == "carried over, 2 accelerators, 1 CPU"
    (change,) = changes
    assert (change.came, change.left, change.entry) == (CARRIED, mine, document.active)
    document.undo_stack.undo()
    assert document.active is mine and document.device_of.tolist() == kept.tolist()
    assert document.open_problem.target == Pipeline(3)


def test_a_plan_made_anew_is_part_of_the_same_step(document: Document) -> None:
    changes = told(document)
    steps, first = document.undo_stack.count(), document.device_of.tolist()
    document.move([0], 2)
    document.undo_stack.undo()
    document.set_problem(Pipeline(4))
    carried = document.evaluation.objective
    assert made(document, changes[0]) == PLANNED
    active = document.active
    assert active is changes[0].entry and active.valid and active.origin == "start"
    assert active.name == f"{method_name(active.planner)}, 4 stages"
    assert document.evaluation.objective < carried
    assert document.undo_stack.count() == steps + 1
    document.undo_stack.undo()
    assert document.device_of.tolist() == first and document.open_problem.target == Pipeline(3)
    document.undo_stack.redo()
    assert document.active is active and document.device_of.tolist() == active.device_of.tolist()


def test_a_plan_for_another_machine_has_no_file(document: Document, tmp_path: Path) -> None:
    """Saving it must not replace the file of the plan that stays in the list, whichever way it came on the canvas."""
    changes = told(document)
    file = tmp_path / "three.plan.json"
    document.save_plan(file)
    three, text = document.active, file.read_bytes()
    document.set_problem(Pipeline(4))
    assert document.plan_path is None and document.title == document.open_problem.name
    assert made(document, changes[0]) == PLANNED and document.plan_path is None
    document.save_plan(tmp_path / "four.plan.json")
    assert file.read_bytes() == text
    four = document.active
    assert three is not None and four is not None and document.apply_plan(three)
    assert document.plan_path == file, "each has its own"
    document.undo_stack.undo()
    assert document.active is four and document.plan_path == tmp_path / "four.plan.json"
    document.undo_stack.undo()
    assert document.active is three and document.plan_path == file
    document.undo_stack.redo()
    assert document.plan_path == tmp_path / "four.plan.json"

    document.apply_plan(three)
    document.editing.change_problem(Problem(document.open_problem.graph, Pipeline(2)), "Two stages")
    assert document.plan_path is None
    document.undo_stack.undo()
    same = Problem(document.open_problem.graph, Pipeline(3), "bottleneck")
    document.editing.take_over(same, np.repeat([0, 1, 2], (3, 4, 5)), "slice", 1.0)
    assert document.plan_path is None
    document.undo_stack.undo()
    document.editing.machines.plan_anew(Problem(same.graph, Pipeline(3, bandwidth=7.0)), "Faster links")
    assert document.plan_path is None and document.active is not three
    document.undo_stack.undo()
    assert document.plan_path == file


def test_plans_that_planners_made_have_no_file_and_edits_have_that_of_their_plan(
    document: Document, tmp_path: Path
) -> None:
    file = tmp_path / "mine.plan.json"
    document.save_plan(file)
    first = document.active
    found = document.add_plan(np.repeat([0, 1, 2], (3, 4, 5)), "found", planner="slice")
    elsewhere = Problem(document.open_problem.graph, Pipeline(2))
    other = document.add_plan(np.repeat([0, 1], 6), "two", planner="slice", problem=elsewhere)
    assert found.path is None and other.path is None
    document.follow(found.device_of, found, "run 1", "Slice")
    assert document.plan_path is None
    document.undo_stack.undo()
    document.move([3], 1)
    assert document.active is not first and document.plan_path == file


def test_a_plan_saved_beside_the_window_has_the_file_and_not_the_one_that_came_meanwhile(
    document: Document, tmp_path: Path
) -> None:
    first = document.active
    write, saved = saving(document, tmp_path / "first.plan.json")
    write()
    document.set_problem(Pipeline(4))
    assert not saved()
    assert first is not None and first.path == tmp_path / "first.plan.json" and document.plan_path is None


def test_what_is_proven_beside_a_plan_that_is_no_better_is_told(document: Document) -> None:
    changes = told(document)
    document.set_problem(Pipeline(4))
    active = document.active
    assert active is not None
    heard: list[float | None] = []
    document.readouts_changed.connect(lambda: heard.append(document.gap))
    problem, value = document.open_problem, document.evaluation.objective
    bound = problem.bound("bottleneck", value, "test", problem.assumptions)
    assert (
        document.editing.machines.planned(changes[0], StartPlan(active.device_of, "slice", (bound,)))
        == CARRIED
    )
    assert heard and heard[-1] == 0.0


def test_what_is_edited_meanwhile_stays_and_the_new_plan_waits_in_the_list(document: Document) -> None:
    changes = told(document)
    document.set_problem(Pipeline(4))
    document.move([11], 3)
    here = document.device_of.tolist()
    assert made(document, changes[0]) == LISTED
    assert document.device_of.tolist() == here
    assert document.plans[-1].name.endswith(", 4 stages") and document.plans[-1].valid
    # What is no better is not worth a place.
    count = len(document.plans)
    document.apply_plan(document.plans[-1])
    assert made(document, changes[0]) == CARRIED
    assert len(document.plans) == count


def test_a_machine_that_was_there_before_has_its_best_plan_back(document: Document) -> None:
    changes = told(document)
    first = document.active
    document.set_problem(Pipeline(4))
    made(document, changes[0])
    document.set_problem(Pipeline(3))
    assert changes[1].came == KNOWN and document.active is first
    assert len(document.plans) == 2
    # Other rates are another problem, of which no plan is known.
    document.set_problem(Pipeline(4, bandwidth=7.0))
    assert changes[2].came == CARRIED


def test_rules_and_rates_keep_the_plan_and_say_what_it_breaks(document: Document) -> None:
    document.set_problem(DevicePool(3, 1))
    changes, said = told(document), heard(document)
    active, here = document.active, document.device_of.tolist()
    document.set_problem(DevicePool(3, 1, bandwidth=5.0))
    assert (said, document.active, document.device_of.tolist()) == ([], active, here)
    assert [(change.came, change.left, change.entry) for change in changes] == [(KEPT, active, active)]
    document.set_problem(DevicePool(3, 1, bandwidth=5.0, memory=9.0))
    assert document.active is active and document.device_of.tolist() == here
    broken = len(document.evaluation.violations)
    assert broken and not said
    assert changed_words(changes[1].before, changes[1].after) == "memory"
    assert kept_words(changes[1], broken).startswith(f"This plan was made for another memory: {broken} viol")
    document.undo_stack.undo()
    assert document.evaluation.valid


def test_pins_go_along_by_name_and_those_that_cannot_are_told(document: Document) -> None:
    changes = told(document)
    document.pin([0], 0)
    document.pin([11], 2)
    document.set_problem(Pipeline(2))
    assert [c.device for c in document.open_problem.constraints if hasattr(c, "device")] == ["stage 0"]
    assert len(changes[0].notes) == 1 and "the new target does not have" in changes[0].notes[0]


def test_counts_of_stages_and_plan_files_of_other_machines_are_told(
    document: Document, tmp_path: Path
) -> None:
    changes = told(document)
    file = tmp_path / "three.json"
    document.save_plan(file)
    after = Problem(document.open_problem.graph, Pipeline(2))
    document.take_over(after, np.repeat([0, 1], 6), "slice", 0.1)
    assert document.active is not None and document.active.name == "Slice"
    document.open_plan(file)
    assert [change.came for change in changes] == [GIVEN, GIVEN]
    assert document.open_problem.target == Pipeline(3)


def test_plans_called_alike_go_by_their_files(document: Document, tmp_path: Path) -> None:
    active = document.active
    assert active is not None
    document.save_plan(tmp_path / "monday.json")
    document.open_plan(tmp_path / "monday.json")
    document.open_plan(tmp_path / "monday.json")
    assert [entry.name for entry in document.plans] == [
        active.name, f"monday ({active.name})", f"{active.name} 2",
    ]  # fmt: skip


def test_plans_are_called_by_what_tells_them_apart(document: Document) -> None:
    problem, plans = document.open_problem, document.plan_list
    plans.reset([], "")
    found = PlanEntry("mine", document.device_of, "planner", planner="slice")
    other = Problem(problem.graph, Pipeline(5), problem.objective)
    assert plans.name_by("slice", other) == "Slice", "no other plan is by this planner"
    fill_figures(found, problem, [])
    plans.entries.append(found)
    assert plans.name_by("slice", other) == "Slice, 5 stages"
    assert plans.name_by("slice", other, besides=found) == "Slice"
    graph = replace(problem.graph, time_unit="s")
    timed, held = (
        Problem(graph, EdgeTpuPipeline(3), objective) for objective in ("inference-time", "memory-1-2-3")
    )
    fill_figures(found, held, [])
    assert plans.name_by("slice", timed) == "Slice, inference time"
    fill_figures(found, problem, [])
    assert plans.name_by("slice", problem) == "Slice"
    found.name = "slice"
    assert plans.name_by("slice", problem) == f"Slice, {problem.places}", "two of one name"
