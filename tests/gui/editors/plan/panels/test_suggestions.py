"""What would help, why a plan costs what it costs, and violations: true to the document, and one click away from it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels.suggestions import LOOKING, SETTLE, SuggestionsPanel
from gui.editors.plan.panels.violations import ViolationsPanel
from gui.editors.plan.panels.why import WhyPanel
from gui.look.numbers import signed_percent, time_column
from gui.look.theme import LIGHT
from gui.panels.edge_tpu.panel import StageCountsPanel
from gui.words.explaining import AMOUNTS
from gui.words.objectives import components_text
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
from tests.gui.panels.edge_tpu.test_panel import StillCounting
from tests.gui.stage_models import even, found_for, network, tpu_problem
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown
from tests.gui.words.test_next_step import triangle


def uneven() -> Document:
    """A plan whose first stage does nearly everything."""
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.set_assignment(np.repeat([0, 1, 2], [10, 1, 1]).astype(np.int32), "edit", "x")
    return document


def test_best_moves_are_listed_and_made(qtbot: QtBot) -> None:
    document = uneven()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        qtbot.waitUntil(lambda: bool(panel.moves), timeout=30_000)
        assert document.live is not None
        assert panel.moves == document.live.best_moves(8)
        first = panel.moves[0]
        now = document.evaluation.objective
        assert panel.rows[0].value == signed_percent(-first.gain / now)
        assert panel.rows[0].isVisible()
        panel.rows[0].click()
        assert document.evaluation.objective == first.objective
        assert document.evaluation.valid
        assert document.selection.tolist() == list(first.ops)


def test_moves_are_not_looked_for_before_the_picture_is_there(qtbot: QtBot) -> None:
    drawing = [True]
    panel = SuggestionsPanel(uneven(), LIGHT, drawing=lambda: drawing[0])
    with shown(qtbot, panel):
        qtbot.wait(3 * SETTLE)
        assert not panel.moves and panel.waiting and not panel._searching.busy
        drawing[0] = False
        qtbot.waitUntil(lambda: bool(panel.moves), timeout=30_000)


def test_a_better_plan_among_counts_of_stages_is_said_and_taken(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(network(), target=tpu_problem().target)
    document.set_assignment(np.repeat([0, 1, 2], [2, 2, 8]).astype(np.int32), "edit", "uneven")
    counting = StillCounting(document)
    panel = SuggestionsPanel(document, LIGHT, counting=counting)
    counts = StageCountsPanel(document, counting, LIGHT)
    panel.take_requested.connect(counts.take_over)
    problem = document.open_problem
    with shown(qtbot, panel):
        qtbot.waitUntil(lambda: not panel.waiting, timeout=30_000)
        assert panel.take.isHidden()
        one = found_for(problem, 3)
        counting.know({3: one}, problem)
        assert one.evaluation is not None
        said = components_text(problem, one.evaluation.values)
        assert f"A better plan for as many TPUs was found while counting them: {said}" in panel.state.text()
        panel.take.click()
        assert document.device_of.tolist() == even(12, 3).tolist()
        qtbot.waitUntil(lambda: not panel.waiting, timeout=30_000)
        assert panel.take.isHidden()
    counts.deleteLater()


def test_rows_have_two_lines_where_names_are_long(qtbot: QtBot) -> None:
    document = uneven()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.resize(600, 400)
        panel.search_now()
        row, name = panel.rows[0], document.open_problem.graph.op_names[panel.moves[0].ops[0]]
        assert not row.two_lines and row.shown_words(600).startswith(name)
        panel.resize(90, 400)
        assert row.two_lines and row.below.startswith("→ ")
        assert name in row.toolTip()


def test_where_the_optimum_is_in_the_list_nothing_asks_for_a_better_plan(qtbot: QtBot) -> None:
    document = opened()
    problem, optimum = document.open_problem, document.plans[0]
    document.add_bounds([problem.bound("bottleneck", optimum.objective, "simple", problem.assumptions)])
    assert document.optimum is optimum
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel._found([])
        assert f"“{optimum.name}” in Plans is proven optimal." in panel.state.text()
        assert "may find" not in panel.state.text()


def test_looking_at_one_previews_it(qtbot: QtBot) -> None:
    document = uneven()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.search_now()
        heard: list[object] = []
        panel.hovered.connect(heard.append)
        panel.rows[0].entered.emit()
        assert document.preview is not None
        assert document.preview.target == panel.moves[0].device
        assert np.asarray(heard[-1]).tolist() == list(panel.moves[0].ops)
        panel.rows[0].left.emit()
        assert document.preview is None
        assert heard[-1] is None


def test_when_nothing_helps_it_says_why(qtbot: QtBot) -> None:
    document = opened()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        problem = document.problem
        assert problem is not None
        while moves := document.best_moves(1):
            document.move(moves[0].ops, moves[0].device)
        panel.search_now()
        assert "No single valid move" in panel.state.text()
        bound = problem.bound(problem.objective, document.evaluation.objective, "test", frozenset())
        qtbot.waitUntil(lambda: not panel.waiting, timeout=30_000)
        document.add_bounds([bound])
        assert "optimal" in panel.state.text()
        document.move([0], 2)
        panel.search_now()
        assert "Repair" in panel.state.text() or panel.moves
    empty = SuggestionsPanel(Document(), LIGHT)
    with shown(qtbot, empty):
        assert empty.state.text() == "No model is open."


def test_what_keeps_devices_idle_is_said_where_no_move_helps(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(triangle(), target=McmPackage(3, link=1.0))
    document.set_assignment(np.array([0, 0, 0, 0, 1, 1], np.int32), "edit", "x")
    panel, why = SuggestionsPanel(document, LIGHT), WhyPanel(document, LIGHT)
    with shown(qtbot, panel), shown(qtbot, why):
        panel.search_now()
        told = "1 of 3 chips has nothing to do: the triangle rule keeps it idle. Without, a plan that shares the ops of Chip 0 with it"
        assert not panel.moves and document.gap != 0.0
        assert f"lowers the objective. {told} would be 50.0 % better." in panel.state.text()
        assert told in why.step.text()


def test_a_proof_ends_the_list(qtbot: QtBot) -> None:
    document = uneven()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        qtbot.waitUntil(lambda: bool(panel.moves), timeout=30_000)
        problem = document.problem
        assert problem is not None
        # Whatever the list says: a proof is stronger, and it may come while moves are looked for.
        document.add_bounds(
            [problem.bound(problem.objective, document.evaluation.objective, "test", frozenset())]
        )
        assert "optimal" in panel.state.text()
        assert not panel.moves
        assert not panel.rows[0].isVisible()
        assert not panel.waiting


def test_moves_of_another_plan_are_greyed_and_do_nothing(qtbot: QtBot) -> None:
    document = uneven()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        qtbot.waitUntil(lambda: bool(panel.moves), timeout=30_000)
        document.set_assignment(np.repeat([0, 1, 2], [9, 2, 1]).astype(np.int32), "edit", "y")
        before = document.device_of.copy()
        panel.rows[0].click()
        panel.rows[0].entered.emit()
        assert document.preview is None
        assert document.device_of.tolist() == before.tolist()
        panel.refresh_now()
        assert panel.rows[0].faded
        assert "Looking" in panel.state.text()
        qtbot.waitUntil(lambda: not panel.waiting, timeout=30_000)
        assert not panel.rows[0].faded
        panel.rows[0].click()
        assert document.device_of.tolist() != before.tolist()


def test_why(qtbot: QtBot) -> None:
    document = uneven()
    panel = WhyPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.heading.text() == "Why Stage 0 is the bottleneck"
        assert panel.sentence.text()
        for part, (_, value, bar) in panel._rows.items():
            assert value.isVisible() == (part not in AMOUNTS)
            if part in AMOUNTS:
                continue
            expected = float(getattr(document.evaluation, part)[0])
            assert value.text() == f"{expected:,.2f}"
            assert value.text() in bar.accessibleName()
        document.set_assignment(np.repeat([0, 1, 2], [1, 1, 10]).astype(np.int32), "edit", "y")
        settle()
        assert panel.heading.text() == "Why Stage 2 is the bottleneck"
    empty = WhyPanel(Document(), LIGHT)
    with shown(qtbot, empty):
        assert empty.heading.text() == "No model is open."


def test_why_a_stage_holds_most(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = WhyPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.heading.text() == "Why Stage 2 holds most"
        assert "do not fit into its cache" in panel.sentence.text()
        told = {part: value.text() for part, (_, value, _) in panel._rows.items() if value.isVisible()}
        assert told == {
            "cache": "2.00 MiB", "dram": "2.00 MiB", "bytes_in": "160.0 KiB", "bytes_out": "0 B",
        }  # fmt: skip
        document.set_problem(EdgeTpuPipeline(3, cache=8 * 2**20), "memory-1-2-3")
        settle()
        assert panel.sentence.text().endswith(
            "they fit into its cache beside activations of 241.0 KiB with 3.76 MiB to spare."
        )


def test_why_where_all_stages_stream_over_one_link(qtbot: QtBot) -> None:
    """The objective in its true parts: all streaming, and what the stage with the largest rest does besides."""
    document = opened_on_tpus("inference-time")
    panel = WhyPanel(document, LIGHT)
    with shown(qtbot, panel, 400):
        e = document.evaluation
        assert e.rests is not None and e.bottleneck != int(np.argmax(e.cost))
        assert panel.heading.text() == "Why an inference takes so long"
        parts = {part: float(getattr(e, part)[e.bottleneck]) for part in ("receive", "work", "send")}
        parts["streaming"] = float(e.streaming.sum())
        assert sum(parts.values()) == pytest.approx(e.objective)
        column = time_column(parts.values(), "s")
        for part, (name, value, _) in panel._rows.items():
            assert value.isVisible() == (part in parts)
            if part in parts:
                assert value.text() == column.text(parts[part])
                whose = "all stages" if part == "streaming" else f"Stage {e.bottleneck}"
                assert name.text().endswith(f", {whose}")
        document.set_problem(EdgeTpuPipeline(3, cache=2 * 2**20), "stage-time")
        settle()
        assert panel.heading.text() == f"Why Stage {np.argmax(e.cost)} is the bottleneck"
        assert panel._rows["work"][0].text() == "work"


def test_moves_help_the_first_component_that_changes(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.search_now()
        settle()
        assert panel.moves
        assert panel.rows[0].value.startswith("memory −")
        assert panel.rows[0].value.endswith("MiB")
        before = document.evaluation.values
        panel.apply(0)
        assert document.evaluation.values < before


def test_a_wrapped_sentence_is_not_cut_off(qtbot: QtBot) -> None:
    panel = ViolationsPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        view = panel.list
        view.setStyleSheet("QListWidget::item { padding: 2px 4px; }")
        view.addItem("/encoder/layer.7/output/Add: chip 12 to chip 11")
        whole = view.fontMetrics().horizontalAdvance(view.item(0).text())
        for width in range(whole - 60, whole + 60, 4):
            view.setFixedSize(width, 200)
            settle()
            view.doItemsLayout()
            assert view.visualItemRect(view.item(0)).right() < view.viewport().width(), width


def test_violations_lead_to_their_ops(qtbot: QtBot) -> None:
    document = opened()
    panel = ViolationsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.summary.text() == "All rules and constraints hold."
        document.move([0], 2)
        settle()
        violations = document.evaluation.violations
        assert panel.list.count() == len(violations)
        assert [panel.list.item(i).text() for i in range(panel.list.count())] == [
            v.sentence for v in violations
        ]
        with qtbot.waitSignal(panel.reveal_requested) as heard:
            panel.list.setCurrentRow(0)
            panel.list.setFocus()
            qtbot.keyClick(panel.list, Qt.Key.Key_Return)
        assert heard.args[0].tolist() == sorted(violations[0].ops)
        assert document.selection.tolist() == sorted(violations[0].ops)
        document.undo_stack.undo()
        settle()
        assert panel.list.count() == 0


def test_why_offers_to_remove_constraints_that_cost_something(qtbot: QtBot) -> None:
    document = uneven()
    document.pin(np.arange(document.open_problem.graph.n, dtype=np.int32))
    panel = WhyPanel(document, LIGHT)
    problem = document.open_problem
    document.add_bounds(
        [problem.bound("bottleneck", document.evaluation.objective, "test", problem.assumptions)]
    )
    with shown(qtbot, panel):
        assert document.gap == 0.0
        assert "no plan is better: proven" in panel.step.text() and "pins" in panel.step.text()
        assert "devices help" not in panel.step.text()
        assert panel.free.isVisible()
        panel.free.click()
        settle()
        assert not document.open_problem.constraints
        assert not panel.free.isVisible()


def test_why_offers_a_better_plan_of_the_list(qtbot: QtBot) -> None:
    document = uneven()
    panel = WhyPanel(document, LIGHT)
    with shown(qtbot, panel):
        better = document.better
        assert better is not None
        assert panel.back.isVisible()
        assert f"“{better.name}” in Plans is" in panel.step.text()
        panel.back.click()
        settle()
        assert document.active is better
        assert document.better is None
        assert not panel.back.isVisible()
    assert Document().better is None


def test_a_proof_of_the_plan_before_is_said_no_longer(qtbot: QtBot) -> None:
    document = uneven()
    panel = SuggestionsPanel(document, LIGHT)
    with shown(qtbot, panel):
        qtbot.waitUntil(lambda: bool(panel.moves), timeout=30_000)
        problem, least = document.open_problem, document.evaluation.objective
        bound = problem.bound(problem.components[0], least, "exact", frozenset({"rule:order"}))
        document.add_bounds([bound])
        assert panel.state.text() == "This plan is proven optimal."
        document.set_assignment(np.repeat([0, 1, 2], [11, 1, 0]).astype(np.int32), "edit", "x")
        assert document.gap != 0.0 and panel.state.text() == LOOKING, (
            "at once, not when the panel has its turn"
        )
        qtbot.waitUntil(lambda: not panel.waiting, timeout=30_000)
        assert "optimal" not in panel.state.text()
