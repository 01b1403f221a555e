"""The journal: what a crash leaves behind brings everything back, and a clean exit leaves nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from gui.document.crash_files import discard, folder
from gui.document.plan.document import Document
from gui.document.plan.journal import Journal
from gui.document.plan.machine_change import PLANNED, MachineChange
from gui.document.plan.opening import prepare_graph, prepare_plan
from gui.document.plan.reading import read_graph
from gui.document.plan.recovery import leftovers, prepare, read, recover
from gui.document.values import Message
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.model.precision import precision_of
from planner.printable import LONGEST_SENTENCE
from planner.problem.bound import Bound
from planner.problem.provenance import Provenance
from planner.runs.start_plan import start_plan
from tests.gui.document.plan.steps import STEPS, perform, state
from tests.gui.models import chain_graph, write_model

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "journals"


def crash(journal: Journal, where: Path) -> Path:
    """What a crash would leave: the file as it is now, and nobody holding its lock."""
    assert journal.path is not None
    copy = where / "journal-1.jsonl"
    shutil.copy(journal.path, copy)
    journal.close()
    return copy


def test_nothing_is_written_until_there_is_something_to_lose(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.select([3])
    assert not list(where.glob("*"))
    document.move([3], 2)
    assert len(list(where.glob("journal-*.jsonl"))) == 1
    assert leftovers(where) == []  # ours, and locked
    assert journal.path is not None
    assert journal.path.stat().st_mode & 0o777 == 0o600
    document.open_graph(chain_graph(9))
    assert not list(where.glob("*"))
    document.move([3], 2)
    journal.close()
    assert not list(where.glob("*"))
    document.move([4], 1)  # nobody records any more
    assert not list(where.glob("*"))


def test_journals_live_in_the_state_folder(own_settings: Path) -> None:
    assert folder().is_relative_to(own_settings)
    document = Document()
    journal = Journal(document)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    assert journal.path is not None
    assert journal.path.parent == folder()
    journal.close()


@settings(max_examples=40)
@given(STEPS)
def test_recovery_restores_exactly(actions: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        document = Document()
        journal = Journal(document, where)
        document.open_model(write_model(where))
        document.set_problem(Pipeline(count=3))
        document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
        document.add_plan(np.repeat([0, 1], 6), "halves")
        perform(document, actions)
        copy = crash(journal, where)

        found = leftovers(where)
        if not found:
            return  # all was undone again
        again = Document()
        second = Journal(again, where)
        recover(again, found[0])
        assert state(again) == state(document)
        assert again.modified == document.modified
        assert again.undo_stack.count() == document.undo_stack.count()
        assert again.undo_stack.index() == document.undo_stack.index()
        assert not copy.exists()
        # What was recovered is on record again, to the same effect.
        third = Document()
        recover(third, read(crash(second, where)))  # type: ignore[arg-type]
        assert state(third) == state(document)
        while document.undo_stack.canUndo():
            document.undo_stack.undo()
            third.undo_stack.undo()
        assert third.device_of.tolist() == document.device_of.tolist()


def test_a_followed_run_and_its_plan_come_back(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    entry = document.add_plan(np.repeat([0, 1, 2], 4), "run", planner="slice", seed=4, seconds=1.5)
    document.follow(entry.device_of, entry, "job 1", "Run")
    document.update_plan(entry, np.repeat([0, 1, 2], [2, 5, 5]).astype(np.int32), 2.5)
    document.follow(entry.device_of, entry, "job 1", "Run")
    crash(journal, where)
    again = Document()
    recover(again, leftovers(where)[0])
    assert state(again) == state(document)
    assert again.undo_stack.count() == 1
    restored = again.plan_list.get(entry.id)
    assert restored is not None
    assert (restored.planner, restored.seed, restored.seconds) == ("slice", 4, 2.5)
    again.undo_stack.undo()
    document.undo_stack.undo()
    assert state(again) == state(document)


def test_each_comparison_comes_back_with_what_it_had_last(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_model(write_model(where.parent))
    found = document.add_plan(np.repeat([0, 1], 6), "found")
    other = document.add_plan(np.repeat([0, 1], [4, 8]).astype(np.int32), "other")
    assert document.active is not None
    journal.compared(3, [document.active, found])
    document.move([4], 1)
    journal.compared(5, [found, other])
    journal.compared(5, [other, found])
    journal.compared(7, [found, other])
    journal.compared(7, [])
    crash(journal, where)
    (left,) = leftovers(where)
    came = recover(Document(), left)
    names = [[column.name for column in columns] for columns in came]
    assert names[:2] == [[document.plans[0].name, "found"], ["other", "found"]] and not any(names[2:])
    # A journal of before has one comparison, without a number.
    told = {"compared": [{"plan": other.id}, {"plan": found.id}]}
    events = [line for line in left.lines if "compared" not in line]
    (columns,) = recover(Document(), replace(left, lines=(*events, told)))
    assert [column.name for column in columns] == ["other", "found"]


def test_planners_results_alone_are_worth_recovering(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.add_plan(np.repeat([0, 1, 2], 4), "ten minutes' work")
    crash(journal, where)
    found = leftovers(where)
    assert "planners' results" in found[0].sentence
    again = Document()
    recover(again, found[0])
    assert again.plans[1].name == "ten minutes' work"
    assert not again.modified


def test_a_saved_plan_needs_no_recovery(where: Path, tmp_path: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    document.save_plan(tmp_path / "plan.json")
    crash(journal, where)
    assert leftovers(where) == []
    assert not list(where.glob("*"))


def test_what_came_after_the_save_is_recovered(where: Path, tmp_path: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    document.save_plan(tmp_path / "plan.json")
    document.move([4], 2)
    crash(journal, where)
    found = leftovers(where)
    assert found[0].steps == 1
    assert "one step" in found[0].sentence
    again = Document()
    recover(again, found[0])
    assert state(again) == state(document)
    assert again.modified
    again.undo_stack.undo()
    assert not again.modified
    assert again.plan_path == tmp_path / "plan.json"


def test_what_was_proven_comes_back_as_proven_and_a_claim_as_a_claim(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    problem = document.problem
    assert problem is not None
    first, better, claimed = (
        Bound(
            "bottleneck", value, method, problem.relaxation, problem.assumptions, seconds=44.0, claimed_by=by
        )
        for value, method, by in ((1.0, "cp-sat", ""), (2.0, "cp-sat", ""), (3.0, "hearsay", "other.json"))
    )
    document.add_bounds([first])
    document.move([3], 2)
    document.add_bounds([better])
    document.add_plan(np.repeat([0, 1, 2], 4), "other", origin="file", claims=(claimed,))
    journal.flush()
    standing, gap = document.standing, document.gap
    crash(journal, where)
    again = Document()
    second = Journal(again, where)
    recover(again, leftovers(where)[0])
    assert set(again.bounds) == set(document.bounds) and better in again.bounds
    assert [entry.claims for entry in again.plans if entry.claims] == [(claimed,)]
    third = Document()
    recover(third, read(crash(second, where)))  # type: ignore[arg-type]
    assert [entry.claims for entry in third.plans if entry.claims] == [(claimed,)]
    assert (again.standing, again.gap) == (standing, gap)
    assert again.bound == document.bound


def test_proofs_alone_are_worth_recovering_unless_a_save_kept_them(where: Path, tmp_path: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    problem = document.problem
    assert problem is not None
    bound = Bound("bottleneck", 1.5, "cp-sat", problem.relaxation, problem.assumptions)
    document.add_bounds([bound])
    document.save_plan(tmp_path / "plan.json")
    assert journal.path is not None and read(journal.path) is None
    document.add_bounds([replace(bound, value=2.5)])
    journal.flush()
    crash(journal, where)
    (found,) = leftovers(where)
    assert "what was proven can be recovered" in found.sentence
    again = Document()
    recover(again, found)
    assert replace(bound, value=2.5) in again.bounds and not again.modified


def test_bounds_of_what_was_open_at_first_come_back(where: Path, tmp_path: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    model = write_model(tmp_path)
    document.open_model(model)
    problem = document.problem
    assert problem is not None
    bound = Bound(problem.components[0], 1e-9, "cp-sat", problem.relaxation, problem.assumptions, seconds=5.0)
    document.add_bounds([bound])
    document.save_plan(tmp_path / "plan.json")
    opened = prepare_plan(tmp_path / "plan.json", problem.graph, (model,))
    document.install(opened)
    journal.opened()
    document.move([3], 2)
    crash(journal, where)
    again = Document()
    recover(again, leftovers(where)[0])
    assert set(again.bounds) == set(document.bounds) and again.plan_path == document.plan_path
    assert again.active is not None and document.active is not None
    again.undo_stack.undo()
    document.undo_stack.undo()
    assert again.active.provenance == document.active.provenance is not None


def test_plans_remember_where_they_came_from(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    starts = (np.repeat([0, 1, 2], 4).astype(np.int32),)
    origin = Provenance(
        "anneal",
        {"moves": 7},
        3,
        seconds=1.5,
        stop_reason="finished",
        created="now",
        iteration=4,
        starts=starts,
    )
    entry = document.add_plan(starts[0], "run", planner="anneal", seed=3, seconds=1.5, provenance=origin)
    entry.provenance = replace(origin, stop_reason="stopped")
    document.update_plan(entry)
    journal.flush()
    crash(journal, where)
    again = Document()
    recover(again, leftovers(where)[0])
    restored = again.plan_list.get(entry.id)
    assert restored is not None and restored.provenance is not None
    assert replace(restored.provenance, version="") == replace(entry.provenance, version="")


def test_the_sentence_names_the_end_of_the_session(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    copy = crash(journal, where)
    end = time.mktime((2031, 5, 4, 13, 36, 0, 0, 0, -1))
    os.utime(copy, (end, end))
    assert "(04 May, 13:36)" in leftovers(where)[0].sentence


def test_a_line_cut_short_costs_only_itself(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    expected = state(document)
    document.move([4], 2)
    copy = crash(journal, where)
    text = copy.read_text()
    copy.write_text(text[: len(text) - 20])
    again = Document()
    recover(again, leftovers(where)[0])
    assert again.device_of.tolist() == expected[1]


def test_a_damaged_step_ends_the_recovery_with_a_word(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    expected = state(document)
    copy = crash(journal, where)
    with copy.open("a") as file:
        file.write('{"step":{"kind":"move","ops":[99],"devices":0}}\n{"index":1}\n')
    again = Document()
    said: list[Message] = []
    again.message.connect(said.append)
    recover(again, leftovers(where)[0])
    assert state(again) == expected
    assert "last 2 entries" in said[-1].text


def test_what_is_wrong_at_the_beginning_is_a_sentence_of_limited_length(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.move([3], 2)
    copy = crash(journal, where)
    head, rest = copy.read_text().split("\n", 1)
    told = json.loads(head)
    told["problem"]["objective"] = "long" * 1000
    copy.write_text(f"{json.dumps(told)}\n{rest}")
    with pytest.raises(StageboardError, match="has no objective") as caught:
        prepare(leftovers(where)[0])
    assert len(str(caught.value)) <= LONGEST_SENTENCE


@pytest.mark.parametrize(
    "text", ["", "{", "[1]\n", '{"journal": 99}\n', "\x00\xff\n", '{"journal": 1}\n{"index": 1}\n']
)
def test_rubbish_is_no_journal(where: Path, text: str) -> None:
    where.mkdir()
    (where / "journal-5.jsonl").write_text(text)
    assert leftovers(where) == []
    kept = [path.read_text("utf-8") for path in where.iterdir()]
    assert kept == ([text] if text.endswith("\n") else []), "kept, unless no line was ever whole"


def test_a_changed_model_is_said_and_the_journal_kept(where: Path, tmp_path: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    model = write_model(tmp_path)
    document.open_model(model)
    document.move([3], 3)
    crash(journal, where)
    write_model(tmp_path, seed=9)
    again = Document()
    again.open_graph(chain_graph(9))
    before = state(again)
    with pytest.raises(StageboardError, match="has changed since"):
        recover(again, leftovers(where)[0])
    model.unlink()
    with pytest.raises(StageboardError, match="does not exist"):
        recover(again, leftovers(where)[0])
    assert state(again) == before
    assert len(leftovers(where)) == 1
    discard(leftovers(where)[0].path)
    assert leftovers(where) == []


def test_a_full_disk_is_said_once(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document()
    journal = Journal(document, where)
    said: list[Message] = []
    document.message.connect(said.append)
    document.open_graph(chain_graph(), target=Pipeline(count=3))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gui.document.plan.journal.create", full)
    document.move([3], 2)
    document.move([4], 2)
    assert [m.text for m in said if "colour class" not in m.text] == [
        "the crash journal cannot be written (no space left on device); save your plan often"
    ]
    assert document.device_of[4] == 2
    journal.close()


CHILD = """
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from pathlib import Path
from PySide6.QtGui import QGuiApplication
app = QGuiApplication([])
from gui.document.plan.document import Document
from gui.document.plan.journal import Journal
from gui.document.plan.machine_change import PLANNED, MachineChange
document = Document()
journal = Journal(document, Path(sys.argv[2]))
document.open_model(sys.argv[1])
document.move([5], 3)
print("ready", flush=True)
input()
"""


def test_a_killed_process_leaves_a_journal_and_a_living_one_keeps_it(where: Path, tmp_path: Path) -> None:
    model = write_model(tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(model), str(where)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[4], text=True,
    )  # fmt: skip
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        assert leftovers(where) == []
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.communicate()
    found = leftovers(where)
    assert [leftover.models for leftover in found] == [(model,)]
    again = Document()
    recover(again, found[0])
    assert again.device_of[5] == 3
    assert again.modified


def test_a_change_of_machine_with_its_plan_made_anew_comes_back(where: Path) -> None:
    document = Document()
    journal = Journal(document, where)
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    changes: list[MachineChange] = []
    document.machine_changed.connect(changes.append)
    document.move([3], 1)
    document.set_problem(Pipeline(count=4))
    assert document.editing.machines.planned(changes[0], start_plan(changes[0].after)) == PLANNED
    # A planner that was started before ends now: its plan is for the machine that was left.
    before = changes[0].before
    document.add_plan(np.repeat([0, 1, 2], 4), "late", planner="slice", problem=before)
    crash(journal, where)
    again = Document()
    recover(again, leftovers(where)[0])
    assert state(again) == state(document)
    known = {entry.name: entry for entry in again.plans}
    assert known["late"].problem == before and known["late"].valid
    assert again.active is not None and document.active is not None
    assert (again.active.name, again.active.origin) == (document.active.name, "start")
    again.undo_stack.undo()
    document.undo_stack.undo()
    assert again.device_of.tolist() == document.device_of.tolist() and again.problem == before


def test_a_model_is_read_again_with_its_precision(where: Path) -> None:
    model = Path(__file__).parents[4] / "sample_models" / "unet.onnx"
    document = Document()
    journal = Journal(document, where)
    document.install(prepare_graph(read_graph([model], 2, "int8"), [model], 2))
    document.move([3], 1)
    crash(journal, where)
    again = Document()
    recover(again, leftovers(where)[0])
    assert again.open_problem.graph.fingerprint == document.open_problem.graph.fingerprint
    assert precision_of(again.open_problem.graph) == "int8" and again.batch == 2
