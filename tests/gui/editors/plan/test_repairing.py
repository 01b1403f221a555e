"""Repair in the window: one undo step, what was just moved stays, and what had to move is told."""

from __future__ import annotations

import json
from collections.abc import Generator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.repairing import LISTED, Repairing, Report, just_moved, moved_to, words
from gui.document.plan.document import Document
from gui.document.plan.step_json import from_json, to_json
from gui.editors.plan.panels.violations import ViolationsPanel
from gui.look.theme import LIGHT
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Pin, Problem
from tests.gui.mcm_models import opened_on_package, row_graph
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, opened, settle, shown


class Heard:
    """A document with its repairs, and what was heard of them."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.repairing = Repairing(document)
        self.reports: list[Report] = []
        self.sentences: list[str] = []
        self.repairing.repaired.connect(self.reports.append)
        self.repairing.failed.connect(lambda said, _: self.sentences.append(said))


@pytest.fixture
def heard(qtbot: QtBot) -> Generator[Heard]:
    made = Heard(opened())
    yield made
    made.repairing.close()
    made.repairing.deleteLater()
    made.document.deleteLater()


def done(qtbot: QtBot, repairing: Repairing) -> None:
    qtbot.waitUntil(lambda: not repairing.busy, timeout=30_000)


def test_one_step_that_undo_takes_back(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.move([1], 2)
    broken, steps = document.device_of.copy(), document.undo_stack.count()
    assert not document.evaluation.valid
    heard.repairing.repair()
    assert heard.repairing.busy
    done(qtbot, heard.repairing)
    assert document.evaluation.valid
    assert document.device_of[1] == 2, "what was just moved stays"
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText() == "Repair"
    (report,) = heard.reports
    assert report.serial == document.assignment_serial
    assert sorted(report.ops.tolist()) == np.flatnonzero(broken != document.device_of).tolist()
    assert report.text.startswith(f"Repair moved {len(report.ops)} of 12 ops")
    document.undo_stack.undo()
    assert document.device_of.tolist() == broken.tolist()


def test_pins_stay(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.pin([0], 1)
    document.move([0], 0)
    heard.repairing.repair()
    done(qtbot, heard.repairing)
    assert document.device_of[0] == 1
    assert document.evaluation.valid


@pytest.mark.parametrize(
    "target",
    [Pipeline(3), DevicePool(3, 0, memory=1e6), EdgeTpuPipeline(3), McmPackage(3)],
    ids=lambda t: t.kind,
)
def test_every_target(qtbot: QtBot, target: object) -> None:
    document = Document()
    graph = chain_graph(12) if isinstance(target, Pipeline | DevicePool) else row_graph(12)
    document.open_graph(graph, target=target)  # type: ignore[arg-type]
    document.set_assignment(np.arange(12, dtype=np.int32) % 3, "edit", "anyhow")
    assert not document.evaluation.valid
    heard = Heard(document)
    heard.repairing.repair()
    done(qtbot, heard.repairing)
    assert document.evaluation.valid, heard.sentences
    heard.repairing.close()
    heard.repairing.deleteLater()
    document.deleteLater()


def test_none_found_changes_nothing(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.pin([0], 2)
    document.pin([5], 0)
    before, steps = document.device_of.tolist(), document.undo_stack.count()
    heard.repairing.repair()
    done(qtbot, heard.repairing)
    assert heard.sentences
    assert not heard.reports
    assert document.device_of.tolist() == before
    assert document.undo_stack.count() == steps


def test_move_and_repair_is_one_step(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    steps = document.undo_stack.count()
    heard.repairing.move_and_repair(np.array([1], np.int32), 2)
    done(qtbot, heard.repairing)
    assert document.device_of[1] == 2
    assert document.evaluation.valid
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText().endswith("to Stage 2 and repair")
    (report,) = heard.reports
    assert 1 not in report.ops
    assert report.text.startswith("Moved block0/batchnormalization_1 to Stage 2; repair moved ")


def test_a_move_that_cannot_be_is_not_made(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.pin([1], 0)
    before = document.device_of.tolist()
    heard.repairing.move_and_repair(np.array([1], np.int32), 2)
    done(qtbot, heard.repairing)
    assert document.device_of.tolist() == before
    assert heard.sentences == [
        "no valid plan was found with block0/batchnormalization_1 on Stage 2; nothing changed."
        " block0/batchnormalization_1 on stage 2 cannot be kept: it is pinned to Stage 0"
    ]


def test_what_was_just_moved_and_could_not_stay_is_told(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.move([0], 2)
    document.move([11], 0)
    heard.repairing.repair()
    done(qtbot, heard.repairing)
    assert document.evaluation.valid
    (report,) = heard.reports
    gone = next(v for v, device in ((0, 2), (11, 0)) if document.device_of[v] != device)
    name = document.graph.op_names[gone] if document.graph is not None else ""
    assert f" {name}, just moved by hand, did not stay there. {name} on " in report.text
    assert "cannot be kept together with" in report.text and report.text.endswith("Stage 0.")


def test_an_edit_meanwhile_is_repaired_too(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.move([1], 2)
    heard.repairing.repair()
    document.move([11], 0)
    done(qtbot, heard.repairing)
    assert document.evaluation.valid
    assert heard.reports


def test_another_problem_ends_the_search(qtbot: QtBot, heard: Heard) -> None:
    heard.document.move([1], 2)
    heard.repairing.repair()
    heard.document.pin([3], 0)
    assert not heard.repairing.busy


def test_what_was_moved_since_the_plan_was_valid() -> None:
    document = opened()
    assert just_moved(document).tolist() == []
    document.move([4], 0)  # breaks nothing
    assert document.evaluation.valid
    document.move([1], 2)
    document.move([8], 0)
    assert just_moved(document).tolist() == [1, 8]
    document.undo_stack.undo()
    assert just_moved(document).tolist() == [1]
    document.set_assignment(np.zeros(12, np.int32), "edit", "all")
    assert just_moved(document).tolist() == []
    document.deleteLater()


def test_words() -> None:
    document = opened_on_package()
    problem, before = document.board.open_problem, document.device_of
    after = before.copy()
    after[[3, 5]] += 1
    assert words(problem, np.array([3, 5], np.int32), before, after) == (
        "Repair moved 2 of 12 ops, all of them to a neighbouring chip."
    )
    after[5] += 1
    assert words(problem, np.array([3, 5], np.int32), before, after) == (
        "Repair moved 2 of 12 ops, 1 of them to a neighbouring chip."
    )
    assert words(problem, np.array([3], np.int32), before, after) == (
        "Repair moved 1 of 12 ops, to a neighbouring chip."
    )
    document.set_problem(DevicePool(4, 0))
    assert words(document.board.open_problem, np.array([3], np.int32), before, after) == (
        "Repair moved 1 of 12 ops."
    )
    document.deleteLater()


def test_details_list_the_first_moves() -> None:
    document = opened_on_package(24)
    ops = np.arange(20, dtype=np.int32)
    report = Report(
        document.board.open_problem, ops, document.device_of[ops], np.full(20, 3, np.int32), "", "Now.", 0
    )
    lines = report.detail.splitlines()
    assert lines[:2] == ["Now.", "conv_0: chip 0 → chip 3"]
    assert len(lines) == LISTED + 2
    assert lines[-1] == "and 8 more"
    assert moved_to(document.device_of, ops, 2)[:20].tolist() == [2] * 20
    document.deleteLater()


def test_the_violations_panel_offers_repair_and_lists_what_it_moved(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    panel = ViolationsPanel(document, LIGHT)
    heard.repairing.repaired.connect(panel.show_report)
    with shown(qtbot, panel):
        assert panel.repair.isHidden()
        document.move([1], 2)
        settle()
        assert panel.repair.isVisible()
        assert panel.why.isVisible()
        with qtbot.waitSignal(panel.repair_requested):
            panel.repair.click()
        heard.repairing.repair()
        done(qtbot, heard.repairing)
        settle()
        (report,) = heard.reports
        assert panel.repair.isHidden()
        assert report.text in panel.summary.text()
        assert [panel.list.item(i).text() for i in range(panel.list.count())] == [
            report.row(i) for i in range(len(report.ops))
        ]
        with qtbot.waitSignal(panel.reveal_requested):
            panel.select_moved.click()
        assert document.selection.tolist() == report.ops.tolist()
        document.undo_stack.undo()
        settle()
        assert panel.select_moved.isHidden()
        assert panel.repair.isVisible()


def test_repair_from_the_window(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    window.actions_set["plan.repair"].trigger()
    assert "nothing to repair" in window.notice.text
    document.move([1], 2)
    settle()
    assert window.readouts.repair.isVisible()
    window.readouts.repair.click()
    assert window.mending.busy
    assert not window.readouts.repair.isEnabled()
    assert window.violations.repair.text() == "Repairing …"
    done(qtbot, window.mending.repairing)
    assert document.evaluation.valid
    settle()
    assert window.readouts.repair.isHidden()
    assert window.readouts.repair.isEnabled()
    assert window.notice.text.startswith("Repair moved")
    assert "Bottleneck" in window.notice._detail or "bottleneck" in window.notice._detail
    window.notice._action.click()
    assert window.violations.isVisible()
    assert len(document.selection)
    document.undo_stack.undo()
    assert window.notice.isHidden(), "it was about a plan that is gone"
    close()


def test_the_keyboard_moves_and_repairs(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([1])
    choices = window.pickers.device_choices(along=False, repair=True)
    assert [c.detail for c in choices][2] == "repairs the rest"
    choices[2].run()
    done(qtbot, window.mending.repairing)
    assert document.device_of[1] == 2
    assert document.evaluation.valid
    close()


def test_from_the_menu_of_a_device(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([1])
    menu = window.devices.menu(2)
    next(action for action in menu.actions() if action.text() == "Move here and repair the rest").trigger()
    done(qtbot, window.mending.repairing)
    assert document.device_of[1] == 2
    assert document.evaluation.valid
    menu.deleteLater()
    close()


def test_a_journal_brings_the_steps_back(qtbot: QtBot, heard: Heard) -> None:
    document = heard.document
    document.move([1], 2)
    heard.repairing.repair()
    done(qtbot, heard.repairing)
    problem = document.board.open_problem
    document.change_problem(problem.with_constraints((Pin("n0", "stage 0"),)), "Pin it")
    document.change_problem(Problem(problem.graph, Pipeline(2)), "Two stages")
    lines = [json.loads(json.dumps(to_json(command))) for command in document.history.commands]
    again = opened()
    for line in lines:
        again.push(from_json(again, line))
    assert again.board.problem == document.board.problem
    assert again.device_of.tolist() == document.device_of.tolist()
    assert [again.undo_stack.text(i) for i in range(again.undo_stack.count())][-3:] == [
        "Repair", "Pin it", "Two stages"
    ]  # fmt: skip
    again.undo_stack.undo()
    assert again.board.open_problem.constraints == (Pin("n0", "stage 0"),)
    again.deleteLater()


def test_where_neighbours_do_not_help_repair_is_offered(qtbot: QtBot) -> None:
    document = opened_on_package(12, 4)
    window, close = make_window(qtbot, document)
    # The only ops of a chip in the middle: taking the neighbours along would leave it empty.
    document.set_assignment(np.array([0] * 5 + [1] + [2] * 3 + [3] * 3, np.int32), "edit", "thin")
    document.select([5])
    settle()
    window.actions_set["edit.move.3"].trigger()
    assert window.notice._action.text() == "Repair the rest"
    window.notice._action.click()
    done(qtbot, window.mending.repairing)
    assert document.evaluation.valid
    assert document.device_of[5] == 3
    close()


def test_no_plan_leads_to_the_question_why(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.set_problem(document.board.open_problem.target)
    document.pin([0], 2)
    document.pin([5], 0)
    window.mending.repair()
    done(qtbot, window.mending.repairing)
    asked: list[bool] = []
    monkeypatch.setattr(window.mending.checking, "start", lambda: asked.append(True))
    assert window.notice._action.text() == "What would help?"
    assert "so" in window.notice._text.text() and "pinned to" in window.notice._text.text()
    window.notice._action.click()
    assert asked
    assert window.mending.dialog is not None
    close()


def test_what_was_moved_can_be_put_back_instead_where_that_costs_less(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    before, value = document.device_of.tolist(), document.evaluation.objective
    document.move([1], 2)
    window.mending.repair()
    done(qtbot, window.mending.repairing)
    settle()
    assert document.evaluation.valid and document.evaluation.objective > value
    assert "put back instead: " in window.notice.text
    assert window.notice._other.text() == "Put Back Instead"
    assert not window.notice._later.waiting, "it offers something, and stays until the plan changes"
    window.notice._other.click()
    assert document.device_of.tolist() == before
    close()
