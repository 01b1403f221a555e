"""The plan list: figures, applying, renaming, removing, and highlighting differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from gui.document.plan_list import PlanEntry
from gui.look.theme import LIGHT
from gui.panels.plans import PlansPanel
from gui.panels.plans_model import COSTS, FURTHER, MACHINE, MADE_FOR, NUMBER, SOURCE, source_text
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from tests.gui.scribe import Scribe
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown

EVEN = np.arange(12, dtype=np.int32) * 3 // 12


def test_rows_follow_the_document(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    QAbstractItemModelTester(panel.model)
    with shown(qtbot, panel):
        before = panel.model.rowCount()
        other = EVEN.copy()
        other[3] = 1
        entry = document.add_plan(other, "mine", planner="dpl", seed=3, seconds=1.5)
        settle()
        assert panel.model.rowCount() == before + 1
        index = panel.model.index(before, 0)
        assert index.data() == "mine"
        assert index.data(SOURCE) == "DPL · seed 3 · 1.5 s of search"
        assert "1.5 s: how long the planner searched that found it" in index.data(Qt.ItemDataRole.ToolTipRole)
        assert np.allclose(
            index.data(COSTS), document.problem.evaluate(other).cost if document.problem else []
        )
        assert "objective" in index.data(Qt.ItemDataRole.AccessibleTextRole)
        panel.make_current(entry)
        assert panel.note.text() == "1 op differs from the canvas"
        document.remove_plan(entry)
        settle()
        assert panel.model.rowCount() == before


def test_a_plan_called_after_its_planner_is_shown_by_the_title_and_keeps_its_name(qtbot: QtBot) -> None:
    """A file's plan is called ``chain-dp``; lists, steps and sentences say it as all others do, and renaming it to that is no step."""
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        other = EVEN.copy()
        other[3] = 1
        entry = document.add_plan(other, "chain-dp")
        settle()
        index = panel.model.index(panel.model.rowCount() - 1, 0)
        assert index.data() == index.data(Qt.ItemDataRole.EditRole) == "Chain DP"
        assert index.data(Qt.ItemDataRole.ToolTipRole).find("chain-dp") < 0
        before = document.undo_stack.count()
        panel.model.setData(index, "Chain DP")
        assert (entry.name, document.undo_stack.count()) == ("chain-dp", before)
        document.apply_plan(entry)
        assert document.undo_stack.undoText() == "Apply 'Chain DP'"


def test_the_plan_that_the_buttons_speak_of_is_selected(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.add_plan(EVEN.copy(), "mine")
        settle()
        panel.list.clearSelection()
        panel.refresh()
        assert panel.chosen() == [panel.current()] != [None]
        panel.list.clearSelection()
        panel.list.clearFocus()
        panel.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        assert panel.chosen() == [panel.current()]


def test_apply_by_return_rename_and_delete(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        other = EVEN.copy()
        other[3] = 1
        entry = document.add_plan(other, "mine")
        settle()
        panel.make_current(entry)
        assert panel.apply_button.isEnabled()
        panel.list.setFocus()
        qtbot.keyClick(panel.list, Qt.Key.Key_Return)
        assert document.active is entry
        assert document.device_of.tolist() == other.tolist()
        settle()
        assert panel.current() is entry
        assert not panel.apply_button.isEnabled()
        assert not panel.remove_button.isEnabled()
        panel.model.setData(panel.list.currentIndex(), "  better  name ", Qt.ItemDataRole.EditRole)
        assert entry.name == "better name"
        document.undo_stack.undo()
        document.undo_stack.undo()
        settle()
        assert document.device_of.tolist() == EVEN.tolist()
        panel.make_current(entry)
        panel.remove_current()
        assert entry not in document.plans


def test_differences_stand_out_while_pointed_at(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    heard: list[object] = []
    panel.highlight_requested.connect(heard.append)
    with shown(qtbot, panel):
        other = EVEN.copy()
        other[[3, 7]] = [1, 2]
        entry = document.add_plan(other, "mine")
        settle()
        panel.list.entered.emit(panel.model.index(document.plans.index(entry), 0))
        assert isinstance(heard[-1], np.ndarray)
        assert np.flatnonzero(heard[-1]).tolist() == [3, 7]
        panel.list.entered.emit(
            panel.model.index(0, 0) if document.plans[0] is document.active else panel.model.index(1, 0)
        )
        assert heard[-1] is None
        panel.make_current(entry)
        menu = panel.menu()
        next(a for a in menu.actions() if "differ" in a.text()).trigger()
        assert document.selection.tolist() == [3, 7]
        menu.deleteLater()


def test_plans_that_do_not_fit_or_are_broken(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    said: list[str] = []
    document.message.connect(lambda m: said.append(m.text))
    with shown(qtbot, panel):
        broken = EVEN[::-1].copy()
        entry = document.add_plan(broken, "backwards")
        other = document.add_plan(EVEN, "other")
        wide = document.add_plan(np.full(len(EVEN), 7), "wide")
        settle()
        row = panel.model.index(document.plans.index(entry), 0)
        assert "violation" in row.data(Qt.ItemDataRole.ToolTipRole)
        document.set_problem(Pipeline(count=2))
        settle()
        row = panel.model.index(document.plans.index(wide), 0)
        assert "does not have" in row.data(Qt.ItemDataRole.ToolTipRole)
        assert len(row.data(COSTS)) == 0
        row = panel.model.index(document.plans.index(other), 0)
        assert row.data(MACHINE) == "pipeline:3" and len(row.data(COSTS)) == 3
        assert "Apply goes back to that machine\nobjective 62.00" in row.data(Qt.ItemDataRole.ToolTipRole)
        panel.make_current(other)
        assert panel.note.text() == "for pipeline:3: Apply goes back to that machine"
        assert panel.note.wordWrap(), "whole in a narrow panel, too"
        panel.make_current(wide)
        panel.apply_current()
        assert said
        assert "wide" in said[-1]
        assert not panel.grab().isNull()


def test_where_plans_come_from() -> None:
    assert source_text(PlanEntry("a", EVEN, "hand")) == "edited by hand"
    assert source_text(PlanEntry("a", EVEN, "file")) == "from a file"
    running = PlanEntry("a", EVEN, "planner", planner="dpl", running=True)
    assert source_text(running) == "DPL · running"


def test_plans_of_several_components(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        problem = document.problem
        assert problem is not None
        worse = document.add_plan(np.array([0, 1, 1, 2, 2, 2], np.int32), "worse")
        settle()
        assert panel.head_labels[1].text() == "memory, MiB"
        row = panel.model.index(document.plans.index(worse), 0)
        assert row.data(NUMBER) == "4.00"
        assert row.data(FURTHER) == "then 2.00 MiB, 160.0 KiB"
        # The first two components are equal: the third decides.
        assert document.active is not None
        assert document.active.components[:2] == worse.components[:2]
        assert worse.better_than(document.active)
        assert not document.active.better_than(worse)
        document.add_bounds([problem.bound("max-memory", worse.components[0], "simple", frozenset())])
        settle()
        tip = row.data(Qt.ItemDataRole.ToolTipRole)
        assert "max memory 4.00 MiB (✓ proven)" in tip
        assert worse.gap == 0.5  # of what is off chip, which the caches together bound by 1 MiB
        given = (("max-memory", worse.components[0]),)
        document.add_bounds(
            [problem.bound("dram", worse.components[1] * 0.75, "simple", frozenset(), given=given)]
        )
        assert worse.gap == 0.25
        assert np.allclose(row.data(COSTS), problem.evaluate(worse.device_of).memory)
        assert not panel.grab().isNull()


def test_one_number_has_no_further_ones(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.model.index(0, 0).data(FURTHER) == ""
        assert panel.head_labels[1].text() == "objective"


def test_a_name_that_is_cut_keeps_the_end_that_tells_it_apart(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel, 220):
        entry = document.add_plan(EVEN.copy(), "Edge TPU, fastest of all that were found, 7 stages")
        settle()
        row = document.plans.index(entry)
        painter = Scribe(280, 60)
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, 280, 46)  # type: ignore[attr-defined]
        panel.list.itemDelegate().paint(painter, option, panel.model.index(row))
        painter.end()
    name = next(text for _, text in painter.written if text.startswith("Edge"))
    assert "\N{HORIZONTAL ELLIPSIS}" in name and name.endswith("7 stages")


def test_a_plan_that_breaks_the_rules_that_are_open_says_by_which_it_is_judged(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.set_problem(DevicePool(2, 1, memory=1e9))
        entry = document.add_plan(np.zeros(12, np.int32), "roomy")
        document.set_problem(DevicePool(2, 1, memory=1.0))
        settle()
        assert not entry.valid
        index = panel.model.index(document.plans.index(entry), 0)
        told = index.data(Qt.ItemDataRole.ToolTipRole)
        assert "by the rules that are open; a comparison goes by those that it was made for" in told
        painter = Scribe(480, 60)
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, 480, 46)  # type: ignore[attr-defined]
        panel.list.itemDelegate().paint(painter, option, index)
        painter.end()
        assert "invalid by what is open · planner" in [text for _, text in painter.written]


def test_a_plan_says_for_what_memory_it_was_made(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        entry = document.add_plan(EVEN.copy(), "before")
        assert document.problem is not None
        assert isinstance(document.problem.target, Pipeline)
        tight = replace(document.problem.target, reserve=2.0**20, path=True)
        row = document.plans.index(entry)
        index = panel.model.index(row, 0)
        assert index.data(MADE_FOR) == ""
        document.set_problem(tight)
        settle()
        assert index.data(MADE_FOR) == "reserve 0 B, path off"
        told = index.data(Qt.ItemDataRole.AccessibleTextRole)
        assert (
            "made for reserve 0 B, path off, figures and rules are those of reserve 1.00 MiB, path on"
            in told.replace(";", ",")
        )
        assert "by the rules that are open; a comparison goes by those that it was made for" in told
        later = document.add_plan(EVEN.copy(), "after")
        assert panel.model.index(document.plans.index(later), 0).data(MADE_FOR) == ""
        assert not panel.grab().isNull()
        # What is edited by hand is of the machine at which that is done.
        document.apply_plan(entry)
        document.move([0], 1)
        settle()
        assert document.active is not None
        assert document.active.made_for == document.problem


def test_the_note_speaks_of_the_plan_that_the_canvas_shows(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        plans = []
        for count in (1, 2):
            other = EVEN.copy()
            other[:count] = 1
            plans.append(document.add_plan(other, f"moved {count}"))
        settle()
        panel.make_current(plans[0])
        assert panel.note.text() == "1 op differs from the canvas"
        panel.list.entered.emit(panel.model.index(document.plans.index(plans[1]), 0))
        assert panel.note.text() == "“moved 2”: 2 ops differ from the canvas"
        panel._look_away()
        assert panel.note.text() == "1 op differs from the canvas"


def test_machines_that_begin_alike_are_told_apart_and_figures_of_several_objectives_have_no_one_head(
    qtbot: QtBot,
) -> None:
    document = opened_on_tpus()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        problem = document.problem
        assert problem is not None
        entry = document.add_plan(document.device_of.copy(), "before")
        document.set_problem(replace(problem.target, cache=2.0**20), "memory-1-2-3")  # type: ignore[type-var]
        there = document.add_plan(document.device_of.copy(), "there")
        document.set_problem(Pipeline(3))
        settle()
        tags = []
        for one in (entry, there):
            painter = Scribe(480, 60)
            option = QStyleOptionViewItem()
            option.rect = QRect(0, 0, 480, 52)  # type: ignore[attr-defined]
            index = panel.model.index(document.plans.index(one), 0)
            panel.list.itemDelegate().paint(painter, option, index)
            painter.end()
            tags += [text for _, text in painter.written if text.startswith("edge-tpu:3")]
        assert tags == ["edge-tpu:3, for cache 2.00 MiB", "edge-tpu:3"]
        document.set_problem(problem.target, "memory-1-2-3")
        settle()
        listed = {one.problem.components[0] for one in document.plans if one.problem is not None}
        assert len(listed) > 1 and panel.head_labels[1].text() == "objective, MiB"


def test_the_head_of_a_column_is_above_it_beside_a_scroll_bar(qtbot: QtBot) -> None:
    document = opened()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel, 300, 220):
        for i in range(12):
            document.add_plan(EVEN.copy(), f"plan {i}")
        settle()
        assert panel.list.verticalScrollBar().isVisible()
        gap, view = panel.head_labels[2], panel.list.viewport()
        edge = gap.mapTo(panel, gap.rect().topRight()).x()
        column = view.mapTo(panel, view.rect().topRight()).x() - 9
        assert abs(edge - column) <= 2, (edge, column)
