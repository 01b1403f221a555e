"""Kills without warning: what the rounds would take for lost or left, and one round."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import kills
from benchmarks.kills import SAMPLES, Round, kill
from planner.formats import read_graph
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import layered_network, shuffled_order

FIRST, SECOND, THIRD = "00", "01", "02"


@pytest.fixture
def one(tmp_path: Path) -> Round:
    made = Round("window", 1, tmp_path)
    made.lines = [
        {"did": 0, "state": FIRST, "plans": ["p1"]}, {"will": 0, "state": SECOND}, {"did": 1, "state": SECOND, "plans": ["p1", "p2"]},
        {"order": 1, "number": 3}, {"story": 1, "number": 2},
    ]  # fmt: skip
    return made


def found(**other: Any) -> dict[str, Any]:
    """What a start finds that finds everything."""
    whole: dict[str, Any] = {
        "offered": ["Leftover"], "told": [], "state": SECOND, "first": FIRST, "index": 1, "plans": ["p1", "p2"], "frames": ["frame 1", "frame 2"],
        "order": shuffled_order(layered_network(), 3).tolist(),
    }  # fmt: skip
    return {**whole, **other}


def test_who_finds_everything_lost_nothing(one: Round) -> None:
    one._compare(found())
    one._compare(
        found(order=shuffled_order(layered_network(), 4).tolist(), frames=["frame 1", "frame 2", "frame 3"])
    )
    one.lines.append({"will": 1, "state": THIRD})
    one._compare(found(state=THIRD))
    assert one.wrong == []


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ({"state": THIRD}, "another decision"), ({"state": FIRST}, "another decision"), ({"first": SECOND}, "leads elsewhere"),
        ({"plans": ["p1"]}, "plans of the list are missing"), ({"frames": ["frame 1"]}, "keyframes were kept"),
        ({"order": shuffled_order(layered_network(), 2).tolist()}, "order 3 was kept"),
    ],
)  # fmt: skip
def test_what_is_lost_is_told(one: Round, lost: dict[str, Any], words: str) -> None:
    one._compare(found(**lost))
    assert len(one.wrong) == 1 and words in one.wrong[0]


def test_a_graph_that_is_not_offered_is_lost(one: Round) -> None:
    one._compare(found(offered=["LostStory"]))
    assert "nothing of the graph was offered" in one.wrong[0]


def test_a_graph_whose_plan_is_saved_need_not_be_offered(one: Round) -> None:
    """A window that recovers a story about it then shows another plan of it."""
    state = saved(one, 1)
    one.lines += [
        {"did": 2, "state": state, "plans": ["p1"]},
        {"saving": 2, "state": state},
        {"saved": 2, "state": state},
    ]
    one._compare(found(offered=["LostOrder", "LostStory"], state=THIRD))
    assert one.wrong == []


def saved(one: Round, device: int) -> str:
    """A plan in the file, and its decision as the log has it."""
    shutil.copy(SAMPLES / "resnet50.json", one.work / "model.json")
    problem = Problem(fill(read_graph(one.work / "model.json")), Pipeline(count=2))
    plan = problem.plan([device] * problem.graph.n, Provenance("hand"), "saved")
    write_plan(one.work / "saved.plan.json", plan)
    return bytes([device] * problem.graph.n).hex()


def test_the_saved_plan_is_the_last_or_one_that_was_being_saved(one: Round) -> None:
    state = saved(one, 1)
    one.lines += [{"saving": 1, "state": state}, {"saved": 1, "state": state}]
    one._look_at_the_plan()
    one.lines += [{"saving": 1, "state": FIRST}]
    one._look_at_the_plan()
    assert one.wrong == []
    one.lines += [{"saved": 1, "state": FIRST}]
    one._look_at_the_plan()
    assert "neither the last one" in one.wrong[0]


def test_half_a_plan_is_told(one: Round) -> None:
    saved(one, 0)
    file = one.work / "saved.plan.json"
    file.write_bytes(file.read_bytes()[:500])
    one._look_at_the_plan()
    assert "cannot be read" in one.wrong[0]


def test_what_is_left_is_told(one: Round) -> None:
    one.left(set(os.listdir("/dev/shm")))
    assert one.wrong == []
    (one.folder / "tmp" / "pymp-x").mkdir()
    (one.work / ".model.json.0.tmp").touch()
    one.left(set(os.listdir("/dev/shm")))
    assert "pymp-x" in one.wrong[0] and ".model.json.0.tmp" in one.wrong[0]


def test_a_start_that_hangs_is_told_of_and_nothing_that_it_would_have_cleared(
    one: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "PATIENCE", 0.1)
    monkeypatch.setattr(one, "log", lambda: [{"did": 0, "state": FIRST, "plans": ["p1"]}])
    monkeypatch.setattr(
        one, "started",
        lambda *_: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True),
    )  # fmt: skip
    one.look()
    (one.folder / "tmp" / "pymp-x").mkdir()
    one.left(set())
    assert len(one.wrong) == 1 and one.wrong[0].startswith("the next start did not end in 0.1 s")


def test_processes_of_a_round_are_told_by_its_mark(one: Round) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=one.environment)
    try:
        assert one.until(lambda: process.pid in one.processes(), "it runs", seconds=30.0)
    finally:
        process.communicate(b"\n")
    one.all_end()
    assert one.wrong == []


@pytest.mark.timeout(600)
def test_a_window_that_is_killed_loses_nothing() -> None:
    assert kill("window", 5).wrong == []
