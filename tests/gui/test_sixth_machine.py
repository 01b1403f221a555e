"""A machine of another package: its own folder and one line are enough to plan, evaluate, explain, draw and open it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app.launch import main
from gui.document.plan.document import Document
from planner.errors import StageboardError, TargetError
from planner.feasibility import explain
from planner.feasibility.remedies import remedies
from planner.machines.catalogue import OTHERS, default_bound, default_planner, machines, planners, register
from planner.machines.spec import parse_target
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.knowledge import Knowledge
from planner.methods.feasibility.requirements import requirements
from planner.plan_files.plan_json import open_plan, write_plan
from planner.problem.problem import Problem
from planner.repair import repair
from planner.search.run import plan_of, run, run_bound
from planner.search.stop import Never
from tests.gui.models import chain_graph, write_model
from tests.gui.window_parts import make_window, settle

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "__init__.py": "",
    "planners/__init__.py": "",
    "bounds/__init__.py": "",
    "machine.py": '''
from planner.machines.machine import Machine
from turntable.target import Turntable

MACHINE = Machine(
    __package__, Turntable, planners=("turntable-even",), bounds=("turntable-share",), preferred=("turntable-even",),
    preferred_bounds=("turntable-share",), quick=("turntable-even",), first=("turntable-even",),
    without_solver=("turntable-even",), immediate="turntable-share",
)
''',
    "target.py": '''
from dataclasses import dataclass
from typing import ClassVar

from planner.problem.target import Device, Target, Words, check_count, parameter


@dataclass(frozen=True)
class Turntable(Target):
    """Places around a table; a place holds a few ops at most, and the one with most work sets the pace."""

    kind: ClassVar[str] = "turntable"
    title: ClassVar[str] = "Turntable"
    in_words: ClassVar[str] = "a turntable"
    words: ClassVar[Words] = Words("place", "places")
    objectives: ClassVar[tuple[str, ...]] = ("busiest",)
    evaluated_by: ClassVar[str] = "turntable.evaluator:evaluator"
    switches: ClassVar[dict] = {"room": ("room", 1_000_000)}

    count: int = parameter(3, help="number of places")
    room: int = parameter(4, help="most ops of a place")

    def __post_init__(self):
        check_count(self.count, "the number of places")

    def devices(self, graph):
        return tuple(Device(f"place {i}", "place", f"Place {i}") for i in range(self.count))

    def rules(self, graph):
        return ("room",) if self.room < 1_000_000 else ()
''',
    "evaluator.py": '''
import numpy as np

from planner.evaluation import kernels
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.rules import PinRule, TogetherRule
from planner.problem.decision import Violation


class RoomRule:
    name = "room"
    code = 1 << 20

    def violations(self, evaluator, device_of):
        most = evaluator.problem.target.room
        held = np.bincount(device_of, minlength=evaluator.k)
        return [
            Violation(self.name, tuple(np.flatnonzero(device_of == d).tolist()), (d,),
                      f"{evaluator.problem.devices[d].title} holds {held[d]} ops, {most} at most")
            for d in np.flatnonzero(held > most).tolist()
        ]

    def blocked(self, live, ops):
        held = np.bincount(np.delete(live.device_of, ops), minlength=live.evaluator.k)
        return held + len(ops) > live.evaluator.problem.target.room


def evaluator(problem):
    graph, k = problem.graph, problem.target.count
    rules = [TogetherRule(), PinRule()] + ([RoomRule()] if problem.target.rules(graph) else [])
    return AssignmentEvaluator(
        problem, work=graph.work.reshape(1, -1), class_of=np.zeros(k, np.int32), tensor_time=np.zeros(graph.tensor_count),
        pays=np.ones(k, bool), budget=np.full(k, np.inf), streaming_rate=1.0, memory=graph.param_bytes,
        capacity=np.full(k, np.inf), communication=kernels.SUM, objective_code=kernels.MAX_COST, rules=rules,
    )
''',
    "planners/turntable_even.py": '''
import numpy as np

from planner.search.method import Planner, Source


class TurntableEven(Planner):
    """Ops in the order of the graph, place by place."""

    name = "turntable-even"
    title = "Even"
    summary = "as many ops everywhere"
    source = Source("this test")
    targets = frozenset({"turntable"})
    objectives = frozenset({"busiest"})

    def search(self, problem, search):
        n, k = problem.graph.n, problem.target.count
        plan = np.empty(n, np.int32)
        plan[problem.graph.topological_order] = np.arange(n) * k // n
        search.incumbent(plan)
        search.iteration()
''',
    "bounds/turntable_share.py": '''
from planner.search.method import BoundMethod, Source


class TurntableShare(BoundMethod):
    """An equal share of the work."""

    name = "turntable-share"
    title = "Share"
    summary = "an equal share of the work"
    source = Source("this test")
    targets = frozenset({"turntable"})
    objectives = frozenset({"busiest"})

    def prove(self, problem, search):
        share = float(problem.graph.work.sum()) / problem.target.count
        search.prove(problem.bound("busiest", share, self.name, frozenset()))
''',
}  # fmt: skip


@pytest.fixture
def turntable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The machine in a folder of its own, registered with one line; returns the module of its entry."""
    for name, text in FILES.items():
        file = tmp_path / "machines" / "turntable" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "machines"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "machines"), str(ROOT)]))
    monkeypatch.setenv(OTHERS, "")
    for module in [name for name in sys.modules if name.partition(".")[0] == "turntable"]:
        monkeypatch.delitem(sys.modules, module)
    register("turntable.machine")
    return "turntable.machine"


def test_it_is_planned_evaluated_bounded_and_repaired(turntable: str, tmp_path: Path) -> None:
    assert "turntable" in machines() and "turntable-even" in planners()
    graph = chain_graph(12)
    problem = Problem(graph, parse_target("turntable:3"))
    result = run(planners()["turntable-even"], problem, Never())
    plan = plan_of(result)
    assert plan is not None and plan.evaluation.valid
    assert run_bound(default_bound(problem), problem, Never()).bounds[0].value <= plan.objective
    write_plan(tmp_path / "a.plan.json", plan)
    again = open_plan(tmp_path / "a.plan.json", graph)
    assert again.plan.problem == problem and again.plan.objective == plan.objective
    crowded = np.zeros(12, np.int32)
    assert "12 ops, 4 at most" in problem.evaluate(crowded).violations[0].sentence
    assert repair(problem, crowded).evaluation.valid


def test_an_infeasible_case_is_explained(turntable: str) -> None:
    problem = Problem(chain_graph(12), parse_target("turntable:2"))
    found = explain(problem, seconds=2.0)
    assert found.status != "feasible"
    eased = Problem(problem.graph, parse_target("turntable:2,room=6"))
    assert explain(eased, seconds=2.0).status == "feasible"


def test_what_it_proves_by_itself_is_told_without_more(turntable: str) -> None:
    problem = Problem(chain_graph(12), parse_target("turntable:2"))
    cause = Knowledge().cause(problem, requirements(problem), Clock(1.0))
    assert cause.rules == ("room",) and cause.sentence == "no plan keeps the rule 'room'"
    (remedy,) = remedies(problem, cause, Clock(2.0), 0)
    assert remedy.title == "Switch the rule 'room' off" and remedy.verified


def test_a_machine_that_nobody_registered_is_one_sentence(
    turntable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(chain_graph(12), parse_target("turntable:3"))
    monkeypatch.setenv(OTHERS, "")
    with pytest.raises(TargetError, match="no machine of the kind 'turntable' is known"):
        default_planner(problem)


def test_the_command_line_knows_it(
    turntable: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    qapp: QApplication,
) -> None:
    model = write_model(tmp_path, 12)
    monkeypatch.chdir(tmp_path)
    # Another program knows it by the environment alone; what follows needs no more than that was seen once.
    planned = subprocess.run(
        [sys.executable, "-m", "gui", "plan", str(model), "--target", "turntable:3", "-o", "a.plan.json", "--json"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert planned.returncode == 0, planned.stderr
    assert json.loads(planned.stdout)["planner"] == "turntable-even"
    assert main(["evaluate", str(model), "a.plan.json"]) == 0
    assert main(["planners"]) == 0
    assert "turntable-even" in capsys.readouterr().out
    assert main(["render", str(model), "a.plan.json", "-o", "a.svg", "--view", "lanes"]) == 0
    assert "Place 2" in Path("a.svg").read_text()
    assert main(["plan", str(model), "--target", "turntable:2", "-o", "b.plan.json"]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_the_window_opens_it(turntable: str, qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=parse_target("turntable:3"))
    window, close = make_window(qtbot, document)
    settle()
    assert document.problem is not None and document.evaluation is not None and document.evaluation.valid
    document.select(np.array([0], np.int32))
    document.move(document.selection, 2)
    settle()
    assert not document.evaluation.valid
    document.undo_stack.undo()
    settle()
    assert document.evaluation.valid
    kinds = [window.target.kind.itemData(i) for i in range(window.target.kind.count())]
    assert "turntable" in kinds
    close()


@pytest.mark.parametrize(
    ("name", "said"), [("no.such.module", "cannot be imported"), ("json", "has no MACHINE")]
)
def test_a_wrong_name_is_one_sentence(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch, call: Callable[[], object] = machines
) -> None:
    monkeypatch.setenv(OTHERS, name)
    with pytest.raises(StageboardError, match=said):
        call()
