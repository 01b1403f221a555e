"""The readout strip says what is so: units, gap, validity, bottleneck, memory; and what a click does."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.numbers import DASH, gap_text, rate_text, signed_percent
from gui.look.theme import DARK, LIGHT
from gui.panels.readouts import ReadoutStrip
from gui.words.explaining import next_step
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.package_models import opened_package
from tests.gui.window_parts import opened, settle, shown


def test_nothing_open(qtbot: QtBot) -> None:
    strip = ReadoutStrip(Document(), LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.objective.value == DASH
        assert strip.rules.value == DASH


def test_without_a_time_unit(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.objective.label == f"Bottleneck (stage {document.evaluation.bottleneck})"
        assert strip.objective.value == f"{document.evaluation.objective:,.2f}"
        assert "no time unit" in strip.objective.note
        assert strip.rules.value == "valid"
        assert strip.devices.value == "3"
        assert strip.bound.note == "proven by load of all devices"
        assert (
            "Load of all devices: largest op or equal share"
            in strip.bound.accessibleDescription().replace("\n", " ")
        )
        assert document.gap is not None
        assert strip.gap.value == gap_text(document.gap)


def test_seconds_give_a_rate(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(dataclasses.replace(chain_graph(), time_unit="s"), target=Pipeline(count=2))
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.objective.value.endswith(" s")
        assert strip.objective.note == f"{rate_text(1 / document.evaluation.objective)} inferences/s"


def test_clicks(qtbot: QtBot) -> None:
    strip = ReadoutStrip(opened(), LIGHT)
    with shown(qtbot, strip, 1280, 66), qtbot.waitSignal(strip.violations_requested):
        qtbot.mouseClick(strip.rules, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(strip.bottleneck_requested):
        strip.objective.setFocus()
        qtbot.keyClick(strip.objective, Qt.Key.Key_Return)


def test_figures_of_another_machine_are_there_with_it(qtbot: QtBot) -> None:
    """Not turns of the event loop later, beside a number of devices that is another already."""
    document = opened(count=3)
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1400, 80):
        before = strip.objective.value
        document.set_problem(Pipeline(1))
        assert strip.objective.value != before and strip.devices.value == "1"


def test_another_theme_is_there_at_once(qtbot: QtBot) -> None:
    """Values in the colours of the theme before could not be read on the new ground until the next turn of the event loop."""
    strip = ReadoutStrip(opened(), LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.objective._value._colour == LIGHT.text
        strip.set_theme(DARK)
        assert strip.objective._value._colour == DARK.text and not strip.waiting


# ---------------------------------------------------------------------- valid, proven
def test_a_broken_plan_has_no_gap(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.move([0], 2)
        settle()
        broken = len(document.evaluation.violations)
        assert broken > 0
        assert strip.rules.value == "broken"
        assert strip.rules.note.startswith(f"{broken} violation")
        assert strip.gap.value == DASH
        document.undo_stack.undo()
        settle()
        assert strip.rules.value == "valid"


def test_a_valid_plan_that_does_not_run_is_no_good_news(qtbot: QtBot) -> None:
    """The fullest chip holds 13.25 MiB, but two buffers of what reaches it take more."""
    document = opened_package(sram=13.3 * 2**20)
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert (strip.rules.value, strip.rules.note) == ("valid", "but does not run")
        told = " ".join(strip.rules.accessibleDescription().split())
        assert "does not run: chip 2 has no place for" in told and "Plan with sram=" in told
        document.set_problem(McmPackage(4, sram=32.0 * 2**20))
        settle()
        assert (strip.rules.value, strip.rules.note) == ("valid", "0 violations")
    document.deleteLater()


def test_optimal_only_with_a_proof(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        problem = document.problem
        assert problem is not None
        value = document.evaluation.objective
        document.add_bounds([problem.bound(problem.objective, value, "test", problem.assumptions)])
        settle()
        assert strip.gap.value == "optimal"
        assert strip.bound.note == "proven by test"


def test_a_plan_that_is_proven_optimal_is_offered_after_an_edit(qtbot: QtBot) -> None:
    document = opened()
    problem, optimum = document.open_problem, document.plans[0]
    assert document.active is not optimum
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.gap.value.startswith("≤ ") and strip.back.isHidden() and not strip.prove.isHidden()
        document.add_bounds([problem.bound("bottleneck", optimum.objective, "simple", problem.assumptions)])
        settle()
        above = document.evaluation.values[0] / optimum.objective - 1
        assert above > 0
        # The gap is one figure everywhere, as while dragging; how far the plan is above the optimum is told in words.
        gap = document.gap
        assert gap is not None and abs(gap - above / (1 + above)) < 1e-9
        change = signed_percent(above).removeprefix("+")
        assert (strip.gap.value, strip.gap.note) == (gap_text(gap), f"{change} above the optimum")
        assert not strip.back.isHidden() and strip.prove.isHidden()
        assert strip.back.text() == f"Back to {optimum.name}"
        document.rename_plan(optimum, "a name that no button has room for")
        settle()
        assert strip.back.text() == "Back to Optimum" and optimum.name in strip.back.toolTip()
        step = next_step(problem, document.evaluation, document.device_of, document.gap, optimum=optimum.name)
        assert step.startswith(f"“{optimum.name}” in Plans is proven optimal")
        strip.back.click()
        settle()
        assert document.active is optimum and strip.gap.value == "optimal"
        assert strip.back.isHidden() and strip.prove.isHidden()


# ---------------------------------------------------------------------- memory
def test_memory_of_the_fullest_device(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(accelerators=2, cpus=1, memory=64.0))
    strip = ReadoutStrip(document, DARK)
    with shown(qtbot, strip, 1280, 66):
        assert strip.memory.label.startswith("Memory (fullest, acc ")
        assert strip.memory.value.endswith("/ 64 B")
        assert strip.memory.note == "parameters and outputs, must fit"
        assert "64 B per accelerator, which ops must fit" in strip.memory._note.toolTip()
        for target, note, tip in (
            (Pipeline(3), "parameters, no limit set", "No limit is set"),
            (DevicePool(accelerators=2, cpus=1), "parameters and outputs, no limit set", "No limit is set"),
            (
                Pipeline(3, bandwidth=1.0, memory=1e6),
                "parameters, else streamed",
                "per stage, what exceeds it is streamed",
            ),
        ):
            document.set_problem(target)
            settle()
            assert strip.memory.note == note
            assert tip in strip.memory._note.toolTip()


def test_a_precision_that_is_not_the_files_is_named_at_the_memory(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3, cache=1e9))
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        for target, note in (
            (EdgeTpuPipeline(3, cache=1e9), "int8 bytes, all parameters on chip"),
            (EdgeTpuPipeline(3, cache=1e9, precision="file"), "all parameters on chip"),
            (McmPackage(3, precision="int8"), "int8 bytes, parameters and activations, must fit"),
        ):
            document.set_problem(target)
            settle()
            assert strip.memory.note == note
            if isinstance(target, EdgeTpuPipeline):
                document.set_problem(target, "memory-1-2-3")
                settle()
                assert strip.memory.isHidden()
                assert strip.components[0].label.startswith("Max memory, int8") == note.startswith("int8")
            assert ("Counted in int8" in strip.memory._note.toolTip()) == note.startswith("int8")
