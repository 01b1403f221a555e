"""Measured times in a document: one undo step, kept through a crash, and what was proven with other times is gone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gui.document.plan.document import Document
from gui.document.plan.journal import Journal
from gui.document.plan.recovery import leftovers, recover
from gui.document.plan.step_json import decode_problem, encode_problem
from planner.errors import ModelError, StageboardError
from planner.formats import read_model
from planner.formats.graphs import stageboard_json
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from planner.model.times import OpTime, OpTimes, Use
from tests.gui.document.plan.steps import state
from tests.gui.document.plan.test_journal import crash
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


def graph() -> Graph:
    """A chain whose file gives times in seconds."""
    return replace(chain_graph(), time_unit="s")


def profile(document: Document, seconds: float = 0.25, scaled: bool = False) -> Use:
    now = document.open_problem.graph
    ops = {op: OpTime(seconds, 0.01, i == 3) for i, op in enumerate(now.op_ids[2:6])}
    return Use(OpTimes(ops, "times.json", "a stopwatch", structure=now.structure, scaled=scaled))


@pytest.fixture
def document() -> Document:
    document = Document()
    document.open_graph(graph(), target=Pipeline(count=3))
    return document


def test_one_step_and_back(document: Document) -> None:
    before, problem = state(document), document.open_problem
    assert document.editing.set_times([profile(document)])
    timed = document.open_problem.graph
    assert timed.work[2:6].tolist() == [0.25] * 4
    assert timed.measured is not None
    assert document.undo_stack.undoText() == "Use measured times"
    assert not document.editing.set_times([profile(document)]), "these are in use already"
    document.undo_stack.undo()
    assert state(document) == before
    document.undo_stack.redo()
    assert document.editing.set_times(None)
    assert document.open_problem == problem
    assert document.undo_stack.undoText() == "Forget measured times"
    assert not document.editing.set_times(None), "there are none"


def test_a_profile_of_another_model_changes_nothing(document: Document) -> None:
    before = state(document)
    other = Use(OpTimes({"x": OpTime(1.0)}, "other.json", "a stopwatch"))
    with pytest.raises(ModelError, match=r"other\.json has times of 1 op "):
        document.editing.set_times([other])
    assert state(document) == before


def test_the_machine_changes_and_the_times_stay(document: Document) -> None:
    document.editing.set_times([profile(document)])
    document.set_problem(Pipeline(count=4))
    assert document.open_problem.graph.work[2:6].tolist() == [0.25] * 4


def test_a_crash_keeps_them(tmp_path: Path) -> None:
    where = tmp_path / "journals"
    document = Document()
    journal = Journal(document, where)
    document.open_model(stageboard_json.write(graph(), tmp_path / "model.json"))
    document.set_problem(Pipeline(count=3))
    document.editing.set_times([profile(document, scaled=True)])
    document.move([3], 2)
    document.pin([4], 1)
    lines = journal.path.read_text() if journal.path else ""
    assert lines.count('"measured"') == 1, "they are written once"
    kept = state(document)
    found = crash(journal, where)
    twin = Document()
    recover(twin, next(one for one in leftovers(where) if one.path == found))
    assert state(twin) == kept
    measured = twin.open_problem.graph.measured
    assert measured is not None
    assert measured.sources == ("a stopwatch",)
    assert np.flatnonzero(measured.shared).tolist() == [5]
    assert np.flatnonzero(measured.scaled).tolist() == [2, 3, 4, 5]
    assert twin.editing.set_times(None), "the times of the file are known, too"
    assert twin.open_problem.graph.fingerprint == read_model(tmp_path / "model.json").fingerprint


def test_damaged_times_are_refused(document: Document) -> None:
    document.editing.set_times([profile(document)])
    problem = document.open_problem
    data = json.loads(json.dumps(encode_problem(problem)))
    assert decode_problem(graph(), data) == problem
    del data["measured"]["scaled"]
    assert decode_problem(graph(), data) == problem, "written before times were scaled"
    for damage in ({"work": []}, {"ops": [99]}, {"spread": "no"}, {"sources": 3}):
        with pytest.raises(StageboardError, match="damaged"):
            decode_problem(graph(), {**data, "measured": {**data["measured"], **damage}})


def test_times_of_one_device_are_one_step_and_are_forgotten(document: Document) -> None:
    before, problem = state(document), document.open_problem
    one = replace(profile(document), place="stage 1")
    assert document.editing.set_times([one])
    assert document.undo_stack.undoText() == "Use measured times of Stage 1"
    timed = document.open_problem
    assert list(timed.measured_times) == [1]
    assert timed.graph.work.tolist() == problem.graph.work.tolist(), "other devices keep theirs"
    document.undo_stack.undo()
    assert state(document) == before
    document.undo_stack.redo()
    assert document.editing.set_times([profile(document, 0.5)]), "those of every device beside them"
    assert document.open_problem.measured_times[1][2] == 0.25
    assert document.editing.set_times(None), "both are forgotten"
    assert document.open_problem == problem
    assert not document.editing.set_times(None)


def test_times_of_one_device_that_the_file_gives_stay() -> None:
    document = Document()
    own = np.full(graph().n, 2.0)
    document.open_graph(graph().with_device_times({"stage 1": own}), target=Pipeline(count=3))
    problem = document.open_problem
    document.editing.set_times([replace(profile(document), place="stage 2")])
    assert list(document.open_problem.measured_times) == [1, 2]
    document.editing.set_times(None)
    assert document.open_problem == problem
    assert document.open_problem.measured_times[1].tolist() == own.tolist()


def test_a_crash_keeps_those_of_one_device(tmp_path: Path) -> None:
    where = tmp_path / "journals"
    document = Document()
    journal = Journal(document, where)
    document.open_model(stageboard_json.write(graph(), tmp_path / "model.json"))
    document.set_problem(Pipeline(count=3))
    document.editing.set_times([profile(document)])
    document.editing.set_times([replace(profile(document, 0.5), place="stage 2")])
    document.move([3], 2)
    assert journal.path is not None and journal.path.read_text().count('"device_times"') == 1
    kept, fingerprint = state(document), document.open_problem.graph.fingerprint
    found = crash(journal, where)
    twin = Document()
    recover(twin, next(one for one in leftovers(where) if one.path == found))
    assert state(twin) == kept
    assert twin.open_problem.graph.fingerprint == fingerprint
    assert list(twin.open_problem.measured_times) == [2]
    assert twin.editing.set_times(None), "that they are not the file's is known, too"
    assert twin.open_problem.graph.fingerprint == read_model(tmp_path / "model.json").fingerprint


def test_damaged_times_of_one_device_are_refused(document: Document) -> None:
    document.editing.set_times([replace(profile(document), place="stage 1")])
    data = json.loads(json.dumps(encode_problem(document.open_problem)))
    assert decode_problem(graph(), data) == document.open_problem
    for damage in ([1], {"stage 1": [1.0]}, {"stage 1": "no"}):
        with pytest.raises(StageboardError, match="damaged"):
            decode_problem(graph(), {**data, "device_times": damage})
