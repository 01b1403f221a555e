"""The document: opening, moving, constraints, plans, bounds, previews, and undo of all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.document.plan.taking import listed
from gui.document.values import DecisionChange, Message
from planner.errors import ModelError, PlanError, StageboardError, TargetError
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.plan_files.plan_json import read_plan
from planner.problem.bound import Bound
from planner.problem.problem import Pin, Together
from tests.gui.background.job_news import THIRDS
from tests.gui.models import chain_graph, write_model

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def document() -> Document:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    return document


def heard(document: Document, *signals: str) -> list[tuple[str, Any]]:
    """What the signals say from now on, in order."""
    log: list[tuple[str, Any]] = []
    for name in signals:
        getattr(document, name).connect(
            lambda *args, name=name: log.append((name, args[0] if args else None))
        )
    return log


def state(document: Document) -> tuple[Any, ...]:
    """Everything that undo must bring back."""
    assert document.problem is not None
    return (
        document.problem.fingerprint,
        document.device_of.tolist(),
        [(e.id, e.name, e.device_of.tolist()) for e in document.plans],
        document.plan_list.active_id,
        document.plan_path,
    )


# ---------------------------------------------------------------------- opening
def test_a_new_document_is_empty_and_says_so() -> None:
    document = Document()
    assert document.graph is None
    assert document.active is None
    assert document.gap is None
    assert document.status_text == "valid"
    assert document.title == "Stageboard"
    with pytest.raises(StageboardError, match="no model is open"):
        document.move([0], 1)
    with pytest.raises(StageboardError, match="no model is open"):
        document.find("conv")


def test_opening_gives_a_valid_plan_and_a_proven_bound(document: Document) -> None:
    assert document.evaluation.valid
    assert document.active is not None
    assert document.active.origin == "start"
    assert document.active.objective == document.evaluation.objective
    assert document.bound is not None
    # A chain has few ideals: what the first plan is worth is known to the end.
    assert document.bound.method == "chain-dp"
    assert document.gap == 0.0
    assert not document.modified
    assert not document.undo_stack.canUndo()


def test_opening_tells_everyone_once(document: Document) -> None:
    names = ("model_changed", "decision_changed", "readouts_changed", "plans_changed", "modified_changed")
    log = heard(document, *names)
    document.open_graph(chain_graph(9, "other"))
    assert [name for name, _ in log] == [
        "model_changed",
        "decision_changed",
        "readouts_changed",
        "plans_changed",
    ]
    change = log[1][1]
    assert isinstance(change, DecisionChange)
    assert (change.ops, change.reason) == (None, "load")
    assert document.title == "other"


def test_a_bad_file_leaves_the_document_alone(document: Document, tmp_path: Path) -> None:
    document.move([0], 2)
    before, log = state(document), heard(document, "model_changed", "decision_changed")
    bad = tmp_path / "bad.json"
    bad.write_text('{"nodes": [')
    for path in (bad, tmp_path / "missing.onnx"):
        with pytest.raises(ModelError):
            document.open_model(path)
    with pytest.raises(StageboardError):
        document.open_plan(bad)
    assert state(document) == before
    assert document.modified
    assert not log


def test_a_file_opens_with_its_own_machine(tmp_path: Path) -> None:
    document = Document()
    path = write_model(tmp_path)
    document.open_model(str(path))
    assert document.problem is not None
    assert document.problem.target == DevicePool(accelerators=3, cpus=1, memory=1000.0)
    assert document.paths == (path,)
    assert document.evaluation.valid


# ---------------------------------------------------------------------- moving
def test_a_move_is_one_step_with_its_readouts(document: Document) -> None:
    log = heard(document, "plans_changed", "decision_changed", "readouts_changed", "modified_changed")
    start = document.active
    assert start is not None
    first = int(document.device_of[5])
    assert document.move([5], 2)
    assert document.device_of[5] == 2
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText() == "Move block1/relu_5 to Stage 2"
    assert [name for name, _ in log] == [
        "decision_changed",
        "readouts_changed",
        "plans_changed",
        "modified_changed",
    ]
    assert log[0][1].ops.tolist() == [5]
    assert document.active is not None
    assert document.active.origin == "hand"
    assert document.active.name == f"{start.name}, edited"
    assert document.active.objective == document.evaluation.objective
    assert start.device_of[5] == first
    assert document.modified
    assert not document.move([5], 2)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert document.active is start
    assert len(document.plans) == 1
    assert not document.modified


def test_readouts_equal_a_fresh_evaluation_after_many_moves(document: Document) -> None:
    assert document.problem is not None
    rng = np.random.default_rng(1)
    for _ in range(60):
        document.move(rng.choice(12, rng.integers(1, 4), replace=False), int(rng.integers(3)))
    fresh = document.problem.evaluate(document.device_of)
    assert document.evaluation.objective == pytest.approx(fresh.objective, rel=1e-12)
    assert [v.sentence for v in document.evaluation.violations] == [v.sentence for v in fresh.violations]
    assert document.status_text == ("valid" if fresh.valid else document.status_text)


def test_an_illegal_move_is_made_and_shown_as_broken(document: Document) -> None:
    document.set_assignment(np.repeat([0, 1, 2], 4), "edit", "thirds")
    document.move([0], 2)
    assert document.status_text == "2 violations"
    assert document.gap is None
    assert "sends back from stage 2 to stage 0" in document.evaluation.violations[0].sentence
    document.undo_stack.undo()
    assert document.status_text == "valid"


def test_moving_along_keeps_the_rules(document: Document) -> None:
    document.set_assignment(np.repeat([0, 1, 2], 4), "edit", "thirds")
    preview = document.begin_preview([8])
    assert preview is not None
    document.update_preview(0)
    along = preview.along
    assert 8 not in along
    assert document.move([8], 0, along=True)
    assert document.undo_stack.count() == 2
    assert document.evaluation.valid
    assert set(along.tolist()) == set(np.flatnonzero(document.device_of == 0).tolist()) - {0, 1, 2, 3, 8}
    assert document.preview is None  # a step ends the preview


def test_colocated_ops_move_together() -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(accelerators=2, cpus=1))
    assert document.moving_set([2]).tolist() == [2, 3]
    device = (int(document.device_of[2]) + 1) % 3
    document.move([2], device)
    assert document.device_of[[2, 3]].tolist() == [device, device]


def test_unknown_devices_are_refused(document: Document) -> None:
    for device in (-1, 3):
        with pytest.raises(StageboardError, match="devices 0 to 2"):
            document.move([0], device)


# ---------------------------------------------------------------------- previews
def test_the_gap_of_a_preview_follows_what_is_proven_meanwhile(document: Document) -> None:
    preview = document.begin_preview([4])
    assert preview is not None and document.problem is not None
    before, log = preview.gap, heard(document, "preview_changed")
    least = float(preview.objective.min())
    document.add_bounds([document.problem.bound("bottleneck", least, "test", frozenset())])
    assert log and preview.gap is not before
    assert preview.gap == pytest.approx(1 - least / preview.objective)
    log.clear()
    document.readouts_changed.emit()
    assert not log  # nothing new
    document.end_preview()


def test_a_preview_says_what_each_move_would_do(document: Document) -> None:
    assert document.problem is not None
    log = heard(document, "preview_changed")
    preview = document.begin_preview([4, 5])
    assert preview is not None
    for device in range(3):
        after = document.device_of.copy()
        after[[4, 5]] = device
        full = document.problem.evaluate(after)
        assert preview.objective[device] == pytest.approx(full.objective)
        assert preview.cost[device] == pytest.approx(full.cost)
        assert preview.memory[device] == pytest.approx(full.memory)
        assert preview.legal[device] == full.valid
        assert bool(preview.reasons(device)) == (not full.valid)
        if document.bound is not None:
            assert preview.gap[device] == pytest.approx(1 - document.bound.value / full.objective)
    document.update_preview(1)
    document.update_preview(1)
    document.update_preview(99)
    assert preview.target == -1
    document.end_preview()
    document.end_preview()
    assert document.preview is None
    assert len(log) == 4
    assert document.begin_preview([]) is None


# ---------------------------------------------------------------------- problem and constraints
def test_pins_and_groups_are_steps(document: Document) -> None:
    assert document.problem is not None
    device = document.problem.devices[int(document.device_of[1])].name
    assert document.pin([1])
    assert document.problem.constraints == (Pin("n1", device),)
    assert not document.pin([1])
    assert document.pin([1], 2)
    assert document.problem.constraints == (Pin("n1", "stage 2"),)
    assert document.device_of[1] == 2
    document.keep_together([4, 5])
    document.keep_together([5, 6])
    assert document.problem.constraints[1:] == (Together(("n4", "n5", "n6")),)
    assert document.moving_set([4]).tolist() == [4, 5, 6]
    document.separate([5])
    assert document.problem.constraints[1:] == (Together(("n4", "n6")),)
    document.separate([4])
    assert document.problem.constraints == (Pin("n1", "stage 2"),)
    document.unpin([1])
    assert document.problem.constraints == ()
    assert document.plan_by("layer")
    assert not document.plan_by("layer")
    assert len(document.problem.constraints) == len(set(document.graph.layer.tolist()))
    assert document.moving_set([0]).tolist() == [0, 1, 2]
    document.clear_constraints()
    assert not document.clear_constraints()
    with pytest.raises(StageboardError, match="at least two"):
        document.keep_together([3])
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.problem.constraints == ()
    assert not document.modified


def test_a_pinned_op_shows_where_it_may_go(document: Document) -> None:
    document.pin([5])
    here = int(document.device_of[5])
    preview = document.check([5])
    assert [d for d in range(3) if preview.legal[d]] == [here]
    assert any("is pinned to" in reason for reason in preview.reasons((here + 1) % 3))


def test_another_target_keeps_what_it_can(document: Document) -> None:
    log = heard(document, "message", "problem_changed")
    document.pin([11], 2)
    before = state(document)
    log.clear()
    assert document.set_problem(Pipeline(count=2))
    assert document.problem is not None
    assert document.problem.constraints == ()
    assert document.device_of.max() <= 1
    assert [name for name, _ in log] == ["problem_changed", "message"]
    assert isinstance(log[1][1], Message)
    assert "block3/relu_11" in log[1][1].text
    document.undo_stack.undo()
    assert state(document) == before
    document.undo_stack.redo()
    assert len(document.problem.devices) == 2
    assert not document.set_problem(Pipeline(count=2))
    with pytest.raises(TargetError):
        document.set_problem(Pipeline(count=2), "latency")


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


# ---------------------------------------------------------------------- bounds
def test_only_bounds_that_apply_are_shown(document: Document) -> None:
    problem = document.problem
    assert problem is not None
    simple = document.bound
    assert simple is not None
    log = heard(document, "readouts_changed")
    best = document.evaluation.objective
    document.pin([0], 1)
    assert document.problem is not None
    pinned = document.problem
    mine = pinned.bound(pinned.objective, best, "test", pinned.assumptions)
    log.clear()
    document.add_bounds([mine])
    assert document.bound is mine
    assert len(log) == 1
    document.undo_stack.undo()
    assert document.bound is not None
    assert document.bound.method == "chain-dp"
    document.undo_stack.redo()
    assert document.bound is mine
    document.add_bounds([Bound(pinned.objective, 1e9, "other", "another problem")])
    assert document.bound is mine
    weaker = pinned.bound(pinned.objective, best * 0.8, "test", pinned.assumptions)
    count = len(document.bounds)
    document.add_bounds([weaker])
    assert len(document.bounds) == count


# ---------------------------------------------------------------------- plans
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


# ---------------------------------------------------------------------- saving
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


def test_saving_where_nothing_can_be_written_changes_nothing(document: Document, tmp_path: Path) -> None:
    document.move([5], 2)
    with pytest.raises(StageboardError):
        document.save_plan(tmp_path)
    assert document.modified
    assert document.plan_path is None


# ---------------------------------------------------------------------- selection and folding
def test_selection_modes(document: Document) -> None:
    log = heard(document, "selection_changed", "hover_changed")
    document.select([5, 3, 3, 99, -1])
    assert document.selection.tolist() == [3, 5]
    document.select([3, 5])
    assert len(log) == 1
    document.select([4], "add")
    document.select([4, 6], "toggle")
    assert document.selection.tolist() == [3, 5, 6]
    document.select([3], "remove")
    assert document.selection.tolist() == [5, 6]
    document.select([2])
    document.select_connected("ancestors")
    assert document.selection.tolist() == [0, 1, 2]
    document.select_connected("descendants")
    assert document.selection.tolist() == list(range(12))
    document.set_hover(4)
    document.set_hover(99)
    assert document.hover == -1
    with pytest.raises(ValueError, match="mode"):
        document.select([1], "both")


def test_grouping_and_folding(document: Document) -> None:
    log = heard(document, "groups_changed")
    assert "layers" in document.folding.available()
    document.set_grouping("layers")
    assert document.grouping is not None
    document.fold_all()
    assert document.folded == frozenset(range(4))
    document.unfold([1, 77])
    document.fold([1])
    document.unfold_all()
    assert document.folded == frozenset()
    document.set_grouping("none")
    assert document.grouping is None
    assert len(log) == 6


# ---------------------------------------------------------------------- undo of everything
def _apply(document: Document, rng: np.random.Generator) -> None:
    document.apply_plan(document.plans[int(rng.integers(len(document.plans)))])


Action = Callable[[Document, np.random.Generator], object]
ACTIONS: dict[str, Action] = {
    "move": lambda d, r: d.move(r.choice(12, 2, replace=False), int(r.integers(_k(d)))),
    "along": lambda d, r: d.move([int(r.integers(12))], int(r.integers(_k(d))), along=True),
    "pin": lambda d, r: d.pin([int(r.integers(12))]),
    "pin to": lambda d, r: d.pin([int(r.integers(12))], int(r.integers(_k(d)))),
    "unpin": lambda d, r: d.unpin(range(6)),
    "together": lambda d, r: d.keep_together(r.choice(12, 2, replace=False)),
    "separate": lambda d, r: d.separate([int(r.integers(12))]),
    "clear": lambda d, r: d.clear_constraints(),
    "target": lambda d, r: d.set_problem(Pipeline(count=int(r.integers(1, 5)))),
    "pool": lambda d, r: d.set_problem(DevicePool(accelerators=2, cpus=1)),
    "gpipe": lambda d, r: d.set_problem(DevicePool(accelerators=2, cpus=1), "gpipe"),
    "assign": lambda d, r: d.set_assignment(r.integers(0, _k(d), 12), "edit", "Shuffle"),
    "apply": _apply,
    "rename": lambda d, r: d.rename_plan(d.plans[int(r.integers(len(d.plans)))], f"name {r.integers(99)}"),
    "remove": lambda d, r: d.remove_plan(d.plans[int(r.integers(len(d.plans)))]),
    "follow": lambda d, r: (
        d.follow(r.integers(0, _k(d), 12), d.plans[1], "job", "Follow") if _listed(d) else None
    ),
    "undo": lambda d, r: d.undo_stack.undo(),
    "redo": lambda d, r: d.undo_stack.redo(),
}


def _k(document: Document) -> int:
    assert document.problem is not None
    return len(document.problem.devices)


def _listed(document: Document) -> bool:
    return len(document.plans) > 1 and document.plans[1].origin == "planner"


def perform(document: Document, actions: list[tuple[str, int]]) -> None:
    """Do what was drawn; what is refused in so many words is left out."""
    for name, seed in actions:
        try:
            ACTIONS[name](document, np.random.default_rng(seed))
        except StageboardError:
            continue


STEPS = st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.integers(0, 1000)), max_size=14)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_undo_of_everything_restores_and_redo_repeats(actions: list[tuple[str, int]]) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
    document.add_plan(np.repeat([0, 1], 6), "halves")
    first = state(document)
    perform(document, actions)
    last = state(document)
    assert document.problem is not None
    assert document.evaluation.objective == pytest.approx(
        document.problem.evaluate(document.device_of).objective
    )
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert state(document) == first
    assert not document.modified
    while document.undo_stack.canRedo():
        document.undo_stack.redo()
    index = document.undo_stack.index()
    document.undo_stack.setIndex(0)
    document.undo_stack.setIndex(index)
    again = state(document)
    if "undo" not in [name for name, _ in actions]:
        assert again == last


def test_questions(document: Document, qtbot: QtBot) -> None:
    rows, sentence = document.why_bottleneck()
    assert sum(value for _, value in rows) == pytest.approx(float(document.evaluation.cost.max()))
    assert "Stage" in sentence
    moves = document.best_moves(3)
    assert document.best_moves(3) == moves
    for best in moves:
        assert document.check(best.ops).objective[best.device] == pytest.approx(best.objective)
    assert document.find("kind:Conv").tolist() == [0, 3, 6, 9]


def test_groups_are_shown_folded_by_their_ops(document: Document) -> None:
    """In the grouping that has them: the one that is shown, else the first that has more of them."""
    changes: list[frozenset[int]] = []
    document.groups_changed.connect(lambda: changes.append(document.folded))
    document.set_grouping("layers")
    view = document.grouping
    assert view is not None
    ops = [view.ops(g) for g in range(view.count)]
    document.set_grouping("none")
    changes.clear()
    document.folding.show([ops[1], ops[3]])
    assert document.grouping_name == "layers" and document.folded == {1, 3} == changes[0]
    document.folding.show([ops[3], ops[1]])
    assert len(changes) == 1, "they are folded already"
    document.folding.show([ops[0], ops[1][:1]])
    assert document.folded == {0}, "the others are no groups here"
    document.folding.show([])
    assert document.folded == frozenset() and document.grouping_name == "layers"


@pytest.mark.parametrize(
    ("model", "grouping", "group"),
    [
        ("transformer_encoder.onnx", "scopes", "encoder/layer.11"),
        ("resnet50.json", "scopes", "conv2_block3"),
        ("inception_resnet_v2.json", "layers", "block17_8"),
    ],
)
def test_all_is_folded_by_the_names_that_a_model_has(
    document: Document, model: str, grouping: str, group: str
) -> None:
    document.open_graph(read_model(f"sample_models/{model}"))
    document.fold_all()
    assert document.grouping_name == grouping
    assert document.grouping is not None
    assert group in document.grouping.names


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


def test_plans_of_the_list_differ_from_the_canvas_by_what_a_comparison_counts(document: Document) -> None:
    document.open_graph(chain_graph(), target=DevicePool(3, 0))
    document.set_assignment(THIRDS, "edit", "By hand")
    turned = np.repeat([2, 0, 1], [4, 5, 3]).astype(np.int32)
    entry = document.add_plan(turned, "of a file", origin="file")
    assert entry.device_of.tolist() == turned.tolist(), "files keep their numbers"
    assert np.flatnonzero(document.differences(entry)).tolist() == [8]
