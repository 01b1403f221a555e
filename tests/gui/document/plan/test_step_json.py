"""Commands as the journal writes them: each comes back as the same step."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.document.plan.document import Document
from gui.document.plan.step_json import (
    decode_assignment,
    decode_constraint,
    decode_moves,
    decode_problem,
    encode_assignment,
    encode_constraint,
    encode_moves,
    encode_problem,
    from_json,
    to_json,
)
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel
from planner.problem.problem import Pin, Problem, Together
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


@given(st.lists(st.integers(0, 5), max_size=40))
def test_assignments_survive(devices: list[int]) -> None:
    runs = json.loads(json.dumps(encode_assignment(np.array(devices, np.int32))))
    assert decode_assignment(runs, len(devices)).tolist() == devices


@given(st.dictionaries(st.integers(0, 30), st.integers(0, 5), max_size=20))
def test_moves_survive(moves: dict[int, int]) -> None:
    given_moves = encode_moves(np.array(list(moves), np.int32), np.array(list(moves.values()), np.int32))
    ops, devices = decode_moves(json.loads(json.dumps(given_moves)), 31)
    assert dict(zip(ops.tolist(), devices.tolist(), strict=True)) == moves


@pytest.mark.parametrize("runs", [None, [0], [0, 3], [0, -4], ["0", 4], [0, 4, 1], [True, 4]])
def test_damaged_assignments_are_refused(runs: Any) -> None:
    with pytest.raises(StageboardError, match="journal"):
        decode_assignment(runs, 4)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"ops": [9], "devices": 0},
        {"ops": [1, 1], "devices": 0},
        {"ops": [1], "devices": []},
        {"ops": [1], "devices": -1},
    ],
)
def test_damaged_moves_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(StageboardError, match="journal"):
        decode_moves(data, 4)


@pytest.mark.parametrize("constraint", [Pin("a", "stage 0"), Together(("a", "b"))])
def test_constraints_survive(constraint: Pin | Together) -> None:
    assert decode_constraint(json.loads(json.dumps(encode_constraint(constraint)))) == constraint


@pytest.mark.parametrize("data", [{}, {"pin": 3, "device": "a"}, {"together": "ab"}, {"together": [1]}, []])
def test_damaged_constraints_are_refused(data: Any) -> None:
    with pytest.raises(StageboardError, match="damaged"):
        decode_constraint(data)


@pytest.mark.parametrize(
    "problem",
    [
        Problem(
            chain_graph(), Pipeline(count=3, memory=5e6, bandwidth=1e9), constraints=(Pin("n1", "stage 2"),)
        ),
        Problem(
            chain_graph(), DevicePool(accelerators=3, contiguous=False), "gpipe", (Together(("n4", "n5")),)
        ),
    ],
)
def test_problems_survive(problem: Problem) -> None:
    data = json.loads(json.dumps(encode_problem(problem)))
    assert decode_problem(problem.graph, data) == problem
    with pytest.raises(StageboardError):
        decode_problem(problem.graph, {**data, "target": {"kind": "toaster"}})
    with pytest.raises(StageboardError, match="damaged"):
        decode_problem(problem.graph, {"target": data["target"]})


def test_every_step_is_the_same_from_its_json() -> None:
    """What a step did, a twin document does from the step's JSON."""
    first, twin = Document(), Document()
    for document in (first, twin):
        document.open_graph(chain_graph(), target=Pipeline(count=3))
        document.add_plan(np.repeat([0, 1, 2], 4), "thirds", id="shared")
    assert first.active is not None
    assert twin.active is not None
    twin.active.id = twin.plan_list.active_id = first.active.id
    thirds = first.plan_list.get("shared")
    assert thirds is not None
    steps = [
        lambda: first.move([4], 2),
        lambda: first.pin([4], 1),
        lambda: first.keep_together([0, 1]),
        lambda: first.apply_plan(thirds),
        lambda: first.set_assignment(np.zeros(12, np.int32), "edit", "All on one"),
        lambda: first.set_problem(Pipeline(count=2)),
        lambda: first.set_problem(Pipeline(count=2, bandwidth=5e8), cost_model=CostModel(cpu_flops=1e9)),
        lambda: first.rename_plan(thirds, "other"),
        lambda: first.remove_plan(thirds),
    ]
    for step in steps:
        step()
        data = json.loads(json.dumps(to_json(first.history.commands[-1])))
        twin.push(from_json(twin, data))
        assert twin.problem == first.problem
        assert twin.device_of.tolist() == first.device_of.tolist()
        assert twin.plan_list.active_id == first.plan_list.active_id
        assert [(e.id, e.name) for e in twin.plans] == [(e.id, e.name) for e in first.plans]
        assert twin.undo_stack.undoText() == first.undo_stack.undoText()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"kind": "rename", "entry": "nobody", "name": "x"}, "not in the list"),
        ({"kind": "remove"}, "not in the list"),
        ({"kind": "dance", "ops": [1], "devices": 0}, "unknown kind 'dance'"),
        ({"kind": "move", "ops": [1], "devices": 7}, "does not have"),
        ({"kind": "constraints", "ops": [], "devices": []}, "damaged"),
    ],
)
def test_damaged_steps_are_refused(data: dict[str, Any], words: str) -> None:
    document = Document()
    with pytest.raises(StageboardError):
        from_json(document, data)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    with pytest.raises(StageboardError, match=words):
        from_json(document, data)


def test_a_smaller_target_without_a_place_for_every_op_is_refused() -> None:
    """Else the step would fail in the middle of being done."""
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    assert document.device_of.max() > 0
    smaller = encode_problem(Problem(document.open_problem.graph, Pipeline(count=1)))
    with pytest.raises(StageboardError, match="a device that the target does not have"):
        from_json(document, {"kind": "problem", "ops": [], "devices": [], "problem": smaller})
