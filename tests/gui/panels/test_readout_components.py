"""The readout strip where an objective has several components: each has its value and its proof."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.panels.readouts import ReadoutStrip
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from tests.gui.window_parts import opened_on_tpus, settle, shown


def test_every_component_has_its_value_and_its_proof(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        problem, e = document.problem, document.evaluation
        assert problem is not None
        assert not strip.objective.isVisible()
        assert [part.label for part in strip.components] == [
            "Max memory, int8 (stage 2)", "then off-chip (DRAM)", "then max communication",
        ]  # fmt: skip
        assert [part.value for part in strip.components] == ["4.00 MiB", "2.00 MiB", "240.0 KiB"]
        first = problem.bound("max-memory", e.values[0], "test", frozenset({"rule:order"}))
        document.add_bounds([first])
        settle()
        assert strip.components[0].note == "✓ proven"
        told = strip.components[0]._value.toolTip().replace("\n", " ")
        assert "using the order of the stages" in told
        half = problem.bound(
            "dram", e.values[1] / 2, "test", frozenset(), given=((first.component, first.value),)
        )
        document.add_bounds([half])
        settle()
        assert strip.components[1].note == "≥ 1.00 MiB, gap ≤ 50.0 %"
        assert strip.components[2].note == "not proven"
        assert [bool(part._mark) for part in strip.components] == [False, True, False]
        assert "Inferences" in strip.speed.label
        assert strip.speed.isVisible()
        assert not strip.memory.isVisible()


def test_a_broken_plan_proves_nothing(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.move([0], 2)
        settle()
        assert strip.components[0].note == "plan breaks rules"
        assert not any("proven" in part.note for part in strip.components)


def test_a_component_leads_to_its_stage(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        strip.components[2].setFocus()
        qtbot.keyClick(strip.components[2], Qt.Key.Key_Return)
        assert document.selection.tolist() == [2]
        with qtbot.waitSignal(strip.bottleneck_requested):
            qtbot.mouseClick(strip.components[0], Qt.MouseButton.LeftButton)


def test_the_objective_may_change_while_it_is_shown(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        steps = document.undo_stack.count()
        before = document.device_of.tolist()
        document.set_problem(EdgeTpuPipeline(3, cache=2 * 2**20), "stage-time")
        settle()
        assert document.undo_stack.count() == steps + 1
        assert document.device_of.tolist() == before
        assert strip.objective.isVisible()
        assert strip.objective.label == "Stage time (stage 2)"
        assert strip.objective.value.endswith("s")
        assert not any(part.isVisible() for part in strip.components)
        assert strip.memory.label == "Memory (fullest, stage 2)"
        assert strip.memory.value == "4.24 / 2.00 MiB"
        assert "what activations need of the cache counts, too" in strip.memory._value.toolTip()
        assert "2.47 MiB streamed in all" in strip.memory.note
        assert "2.00 MiB off chip, 481.0 KiB pushed out by activations" in strip.memory._value.toolTip()
        document.set_problem(EdgeTpuPipeline(3, cache=2 * 2**20), "memory-1-3")
        settle()
        assert [part.isVisible() for part in strip.components] == [True, True, False]
        assert strip.memory.label == "Parameters (fullest, stage 2)"
        assert strip.memory.value == "4.00 / 2.00 MiB"
        assert "without activations, as for the objective" in strip.memory._value.toolTip()
        document.undo_stack.undo()
        settle()
        assert strip.objective.isVisible()


def test_a_sum_is_about_no_single_stage(qtbot: QtBot) -> None:
    strip = ReadoutStrip(opened_on_tpus("memory-2-3"), LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.components[0].label == "Off-chip (DRAM)"
        assert "Most of it is on Stage 2" in strip.components[0]._value.toolTip()
        assert strip.memory.isVisible()
