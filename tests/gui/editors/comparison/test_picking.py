"""Cherry-picking: judged before anything changes, one undo step, rules asked about."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.comparison.canvases.picking import Pick, Picking, differing, look
from gui.editors.comparison.sources import Source
from gui.editors.comparison.state import CompareState
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from tests.gui.editors.comparison.parts import compared, two_plans
from tests.gui.models import chain_graph
from tests.gui.window_parts import opened, settle


class Scene:
    """A state with its picking, and what was heard."""

    def __init__(self, document: Document) -> None:
        self.document, self.state = document, compared(document)
        self.picking = Picking(self.state)
        self.taken: list[Pick] = []
        self.picking.taken.connect(self.taken.append)

    def look(self, ops: object, source: int = 1, into: int = 0) -> Pick:
        assert self.state.comparison is not None
        pick = look(self.state.comparison, ops, source, into)
        assert pick is not None
        return pick


@pytest.fixture
def scene(qtbot: QtBot) -> Generator[Scene]:
    made = Scene(two_plans())
    yield made
    made.picking.close()


def test_what_a_pick_would_give_is_known_before(scene: Scene) -> None:
    before = scene.document.device_of.copy()
    pick = scene.look([7])
    assert pick.ops.tolist() == [7]
    assert not pick.broken
    assert pick.rules == "rules hold"
    after = before.copy()
    after[7] = 2
    assert np.array_equal(pick.device_of, after)
    problem = scene.document.problem
    assert problem is not None
    assert pick.after.values == problem.evaluate(after).values
    assert pick.change.before == scene.document.evaluation.objective
    assert np.array_equal(scene.document.device_of, before), "looking changes nothing"


def test_one_step_that_undo_takes_back(scene: Scene) -> None:
    document = scene.document
    before, steps = document.device_of.copy(), document.undo_stack.count()
    assert scene.picking.take(scene.look([7]))
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText().startswith("Take ")
    assert document.device_of[7] == 2
    assert len(scene.taken) == 1
    document.undo_stack.undo()
    settle()
    assert np.array_equal(document.device_of, before)


def test_all_of_b_gives_b(scene: Scene) -> None:
    scene.picking.take(scene.look(np.arange(12)))
    assert not len(scene.state.moved())


def test_what_is_alike_is_no_pick(scene: Scene) -> None:
    assert scene.state.comparison is not None
    assert look(scene.state.comparison, [0, 1], 1, 0) is None
    assert look(scene.state.comparison, [], 1, 0) is None


def test_a_devices_ops(scene: Scene) -> None:
    comparison = scene.state.comparison
    assert comparison is not None
    assert differing(comparison, 2, 1, 0).tolist() == [7]
    assert differing(comparison, 0, 1, 0).tolist() == []


def test_a_pick_that_was_judged_for_other_plans_is_not_made(scene: Scene) -> None:
    pick = scene.look([7])
    scene.document.move([3], 1)
    steps = scene.document.undo_stack.count()
    assert not scene.picking.take(pick)
    assert scene.document.undo_stack.count() == steps
    assert not scene.taken


def test_into_a_plan_that_is_not_on_the_canvas(scene: Scene) -> None:
    document, state = scene.document, scene.state
    before, steps, active = document.device_of.copy(), document.undo_stack.count(), document.active
    later = state.sources[1].entry
    assert later is not None
    kept = later.device_of.copy()
    assert scene.picking.puts_on_canvas(1)
    assert not scene.picking.puts_on_canvas(0)
    assert scene.picking.take(scene.look([7], source=0, into=1))
    assert document.undo_stack.count() == steps + 1, "putting it there is the same step"
    assert document.active is not None
    assert document.active.name == "later, edited"
    assert document.device_of[7] == 1
    assert document.device_of[3] == 1, "the rest is as B had it"
    assert np.array_equal(later.device_of, kept), "B itself stays"
    assert state.sources[1].entry is document.active, "its column goes on with what became of it"
    document.undo_stack.undo()
    settle()
    assert document.active is active
    assert np.array_equal(document.device_of, before)
    assert state.sources[1].entry is later
    document.undo_stack.redo()
    settle()
    assert state.sources[1].entry is document.active


def test_what_is_made_of_a_plan_goes_to_its_file(scene: Scene, tmp_path: Path) -> None:
    """And not to that of the plan that was on the canvas."""
    document, (canvas, later) = scene.document, scene.state.sources
    assert canvas.entry is not None and later.entry is not None
    document.save_plan(tmp_path / "canvas.plan.json")
    for path in (None, tmp_path / "later.plan.json"):
        later.entry.path = path
        assert scene.picking.take(scene.look([7], source=0, into=1))
        assert document.plan_path == path
        document.undo_stack.undo()
        settle()
        assert document.plan_path == tmp_path / "canvas.plan.json"


def test_into_a_plan_file_for_another_target(qtbot: QtBot) -> None:
    document = opened(12, 3)
    problem = document.problem
    assert problem is not None
    other = Problem(problem.graph, Pipeline(count=4))
    file = Source(plan=other.plan(np.arange(12, dtype=np.int32) * 4 // 12, Provenance("hand"), "four"))
    active = document.active
    assert active is not None
    state = CompareState(document)
    state.set_sources([file, Source(active)])
    picking = Picking(state)
    assert state.comparison is not None
    moved = state.comparison.moved(1, 0)
    pick = look(state.comparison, moved[:1], 1, 0)
    assert pick is not None
    assert picking.take(pick)
    assert document.problem == other
    assert document.undo_stack.count() == 1 + 1
    document.undo_stack.undo()
    settle()
    assert document.problem == problem
    assert state.sources[0].plan is not None, "the file's plan is shown again"
    picking.close()


def test_a_broken_rule_is_counted_and_can_be_repaired(qtbot: QtBot, scene: Scene) -> None:
    document, state = scene.document, scene.state
    backward = document.device_of.copy()
    backward[11] = 0
    entry = document.add_plan(backward, "backward")
    state.add([Source(entry)])
    pick = scene.look([11], source=2)
    assert len(pick.broken) >= 1
    assert "violations" in pick.rules
    assert pick.sentence.startswith(pick.broken[0].sentence)
    found: list[Pick | StageboardError] = []
    scene.picking.look_for_repair(pick, found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=30_000)
    (repaired,) = found
    if isinstance(repaired, StageboardError):
        assert "nothing changed" in str(repaired)
        return
    assert repaired.after.valid
    assert repaired.device_of[11] == 0, "what was taken stays"
    assert repaired.repaired > 0
    assert scene.picking.take(repaired)
    assert document.evaluation.valid


def test_a_device_without_counterpart_is_refused(qtbot: QtBot) -> None:
    problem = Problem(chain_graph(8), Pipeline(count=2))
    four = Problem(chain_graph(8), Pipeline(count=4))
    plans = [
        problem.plan(np.arange(8, dtype=np.int32) * 2 // 8, Provenance("hand"), "two"),
        four.plan(np.arange(8, dtype=np.int32) * 4 // 8, Provenance("hand"), "four"),
    ]
    comparison = compare(plans)
    row = next(i for i, row in enumerate(comparison.rows) if row.devices[0] < 0)
    ops = np.flatnonzero(comparison.places[1] == row)
    with pytest.raises(StageboardError, match="no counterpart"):
        look(comparison, ops, 1, 0)


@given(st.integers(0, 2**31 - 1))
def test_no_pick_breaks_a_rule_unseen(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = Problem(chain_graph(9), Pipeline(count=3))
    plans = [
        problem.plan(rng.integers(0, 3, 9).astype(np.int32), Provenance("hand"), name) for name in ("a", "b")
    ]
    comparison = compare(plans)
    ops = np.flatnonzero(rng.random(9) < 0.5)
    pick = look(comparison, ops, 1, 0)
    if pick is None:
        assert np.array_equal(comparison.places[0][ops], comparison.places[1][ops])
        return
    # The pick by sets and loops.
    slow = plans[0].decision.device_of.copy()
    slow.setflags(write=True)
    for op in problem.groups.expand(ops.astype(np.int32)).tolist():
        slow[op] = comparison.rows[comparison.places[1][op]].devices[0]
    assert np.array_equal(pick.device_of, slow)
    before = {(v.kind, v.ops, v.devices) for v in problem.evaluate(plans[0].decision.device_of).violations}
    after = {(v.kind, v.ops, v.devices) for v in problem.evaluate(slow).violations}
    assert {(v.kind, v.ops, v.devices) for v in pick.broken} == after - before
