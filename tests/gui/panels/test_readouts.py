"""The readout strip says what is so: units, gap, validity, bottleneck; and what a drag would do."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.canvas.graph.consequence import refusal, refusals
from gui.document.plan.document import Document
from gui.look.numbers import (
    DASH,
    detailed_column,
    gap_text,
    one_time,
    percent,
    plural,
    rate_text,
    seconds_text,
    share_text,
    signed_percent,
    time_column,
)
from gui.look.theme import DARK, LIGHT
from gui.panels.readout_figures import dragged_component, figures_tip, rate_words, speed_shown
from gui.panels.readouts import ReadoutStrip
from gui.widgets.briefer import briefer
from gui.widgets.readout import Readout
from gui.words.explaining import next_step
from gui.words.objectives import changes, plan_times
from gui.words.proofs import above_words
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.samples import sample
from planner.problem.problem import Problem
from tests.gui.mcm_models import opened_on_package
from tests.gui.models import chain_graph, timed_chain, tpu_graph
from tests.gui.package_models import opened_package
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


# ---------------------------------------------------------------------- numbers
def test_one_unit_per_column() -> None:
    column = time_column([0.0129, 0.00098, 0.0], "s")
    assert [column.text(v) for v in (0.0129, 0.00098, 0.0)] == ["12.90 ms", "0.98 ms", "0.00 ms"]
    assert time_column([5.0, 0.02], "s").text(0.02) == "0.02 s"
    assert time_column([2e-6], "s").text(2e-6) == "2.00 µs"
    assert time_column([3e-10], "s").text(3e-10) == "0.30 ns"
    assert time_column([], "s").text(0.0) == "0.00 ms"


def test_no_unit_where_the_file_has_none() -> None:
    assert time_column([1891.736], None).text(1891.736) == "1,891.74"
    assert time_column([0.00123], None).text(0.00123) == "0.00123"


def test_small_values_of_a_column_are_not_all_zero() -> None:
    column = detailed_column([0.002, 0.004, 0.005, 0.006, 3.0], None)
    assert column.number(0.004) == "0.004" or column.number(0.004) == "0.0040"
    assert detailed_column([], "s").number(0.0) == "0.00"


@given(st.lists(st.floats(0, 1e6), max_size=8), st.sampled_from(["s", None]))
def test_columns_align(values: list[float], unit: str | None) -> None:
    column = time_column(values, unit)
    decimals = {column.number(v).rpartition(".")[2] for v in values}
    assert len({len(d) for d in decimals}) <= 1


def test_signs_and_gaps() -> None:
    assert signed_percent(-0.016) == "−1.6 %"
    assert signed_percent(0.004) == "+0.4 %"
    assert signed_percent(-0.0003) == "−0.03 %"
    assert signed_percent(1e-9) == "±0.0 %"
    assert signed_percent(math.nan) == DASH
    assert gap_text(None) == DASH
    assert gap_text(0.0) == "optimal"
    assert gap_text(0.0001) == "≤ 0.010 %" and gap_text(1e-12) == "≤ 0.001 %"
    assert gap_text(0.042) == "≤ 4.2 %"
    assert percent(0.5) == "50.0 %"


def test_words() -> None:
    assert plural(1, "op") == "1 op"
    assert plural(20000, "op") == "20,000 ops"
    assert rate_text(70.42) == "70.4"
    assert rate_text(1203.6) == "1,204"
    assert rate_text(0.312) == "0.31"
    assert seconds_text(None) == DASH
    assert seconds_text(200) == "3 min 20 s"
    assert share_text(28.9 * 2**20, 32 * 2**20) == "28.90 / 32.00 MiB"
    assert share_text(0, 2**30) == "0 B / 1.00 GiB"


@given(st.floats(1e-9, 1.0))
def test_only_a_proof_is_called_optimal(gap: float) -> None:
    assert gap_text(gap) != "optimal"


# ---------------------------------------------------------------------- the strip
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


def test_a_drag_is_read_out(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.begin_preview([3])
        document.update_preview(1)
        settle()
        assert strip.objective.note.startswith("→ ")
        document.end_preview()
        settle()
        assert not strip.objective.note.startswith("→ ")


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("lands", [True, False])
def test_figures_stay_in_place_while_ops_are_dragged(qtbot: QtBot, width: int, lands: bool) -> None:
    document = Document()
    document.open_graph(read_model(sample("unet.onnx")), target=Pipeline(3))
    strip = ReadoutStrip(document, LIGHT)

    def places() -> list[tuple[int, int]]:
        settle()
        return [(w.x(), w.width()) for w in (*strip._scalar, strip.gap_bar, strip.rules, strip.memory)]

    with shown(qtbot, strip, width, 66):
        before, note = places(), strip.objective.note
        assert strip.times.isVisible()
        for op in range(document.open_problem.graph.n):
            preview = document.begin_preview([op])
            assert preview is not None
            legal = preview.legal == lands
            legal[preview.origins] = False
            if legal.any():
                break
            document.end_preview()
        target = int(np.flatnonzero(legal)[0])
        document.update_preview(target)
        assert places() == before
        said = strip.objective._note
        assert strip.objective.note.startswith("→ ") and said.shown_text().startswith("→ ")
        assert "…" not in said.shown_text() and not strip.times.isVisible()
        document.end_preview()
        assert places() == before and strip.objective.note == note
        assert strip.times.isVisible()
        assert 0 <= strip.times.x() - strip.objective._note.geometry().right() <= 12, (
            "no hole before the link"
        )
        # What had no room at all took some, and gives it back.
        strip.objective.hold_width(True)
        strip.objective.show_value("Objective", "W" * 16, "")
        settle()
        assert strip.objective.width() > before[0][1]
        strip.refresh()
        assert places() == before


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


def test_clicks(qtbot: QtBot) -> None:
    strip = ReadoutStrip(opened(), LIGHT)
    with shown(qtbot, strip, 1280, 66), qtbot.waitSignal(strip.violations_requested):
        qtbot.mouseClick(strip.rules, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(strip.bottleneck_requested):
        strip.objective.setFocus()
        qtbot.keyClick(strip.objective, Qt.Key.Key_Return)


@pytest.mark.parametrize("width", [1000, 1280, 1920])
def test_nothing_overlaps_or_leaves_the_strip(qtbot: QtBot, width: int) -> None:
    strip = ReadoutStrip(opened(), LIGHT)
    with shown(qtbot, strip, width, 66):
        parts = [
            strip.objective,
            strip.bound,
            strip.gap,
            strip.gap_bar,
            strip.rules,
            strip.memory,
            strip.devices,
        ]
        seen = [p.geometry() for p in parts if p.isVisible()]
        for left, right in itertools.pairwise(seen):
            assert left.right() < right.left()
        assert seen[-1].right() < width


# ---------------------------------------------------------------------- an objective of several components
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


def test_the_rate_and_the_time_of_one_inference_are_told_apart() -> None:
    document = opened_on_tpus()
    figures = document.evaluation.figures
    alone, every = (one_time(value, "s") for value in (figures["latency"], 1 / figures["throughput"]))
    assert f"one alone {alone}" in speed_shown(document.problem, document.evaluation).note
    tip = figures_tip(document.problem, document.evaluation)
    assert f"inferences/s, one every {every}" in tip
    assert f"{alone} from input to output of one inference alone" in tip


def test_a_drag_is_read_out_component_by_component(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.begin_preview([3])
        document.update_preview(1)
        settle()
        assert strip.components[0].note == "→ 3.00 MiB  −1.00 MiB"
        assert strip.components[1].note == "→ 1.00 MiB  −1.00 MiB"
        document.end_preview()
        settle()
        assert not any(part.note.startswith("→") for part in strip.components)


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


@pytest.mark.parametrize("width", [1000, 1280, 1920])
@pytest.mark.parametrize("objective", EdgeTpuPipeline.objectives)
def test_components_stay_inside_the_strip(qtbot: QtBot, width: int, objective: str) -> None:
    document = opened_on_tpus(objective)
    problem, e = document.problem, document.evaluation
    assert problem is not None
    document.add_bounds([problem.bound(problem.components[0], e.objective * 0.97, "test", frozenset())])
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, width, 66):
        parts = [strip.layout().itemAt(i).widget() for i in range(strip.layout().count())]
        seen = [part.geometry() for part in parts if part.isVisible()]
        for left, right in itertools.pairwise(seen):
            assert left.right() < right.left()
        assert seen[-1].right() < width
        if width >= 1280:
            for part in strip._readouts:
                if part.isVisible():
                    assert part._value.shown_text() == part.value
                    # Whole words always; the gap leaves a note where the system's letters are wide.
                    assert part._note.shown_text() in (part.note, *briefer(part.note))


@pytest.mark.parametrize("width", [1024, 1280])
def test_words_around_figures_are_shorter_rather_than_cut(qtbot: QtBot, width: int) -> None:
    """With *Prove* in the row, on many chips and with several components, names and notes are whole words."""
    package, tpus = opened_on_package(24, 12), opened_on_tpus("memory-1-2-3")
    for document in (package, tpus):
        problem, e = document.problem, document.evaluation
        assert problem is not None
        document.add_bounds(
            [problem.bound(problem.components[0], e.objective * 0.97, "chip-cp-sat", frozenset())]
        )
    strips, shorter = [ReadoutStrip(document, LIGHT) for document in (package, tpus)], 0
    for strip in strips:
        with shown(qtbot, strip, width, 66):
            strip.refresh_now()
            strip.layout().activate()
            assert strip.prove.isVisible() and strip.minimumSizeHint().width() <= width
            for readout in strip._readouts:
                if readout.isVisible():
                    for line in (readout._label, readout._note):
                        assert line.shown_text() in (line.text(), *briefer(line.text()))
                        shorter += line.shown_text() != line.text()
    assert shorter > 0 or width > 1024


def test_no_more_words_are_shorter_than_there_is_too_little_room_for(qtbot: QtBot) -> None:
    """A few pixels too few cost one figure a word, and no other any."""
    strip = ReadoutStrip(opened_on_package(), LIGHT)
    with shown(qtbot, strip, 1500, 66):

        def shorter() -> list[str]:
            settle()
            lines = [
                line
                for one in strip.findChildren(Readout)
                for line in (one._label, one._note)
                if line.isVisible()
            ]
            return [line.text() for line in lines if line.shown_text() != line.text()]

        wide = 1500
        while not shorter():
            wide -= 4
            strip.resize(wide, 66)
        assert len(shorter()) == 1
        strip.resize(wide + 4, 66)
        assert not shorter(), "there is room again"
        told = []
        for narrow in range(
            wide, 700, -20
        ):  # how long a proof took is among the words: where the second one goes, too
            strip.resize(narrow, 66)
            told.append(len(shorter()))
            assert narrow < 1000 or strip.row.minimumSize().width() <= narrow, (
                "the window may become narrower still"
            )
            if told[-1] > 1 and narrow < 1080:
                break
        assert told[-1] > 1 and all(after - before <= 2 for before, after in itertools.pairwise(told))


@pytest.mark.parametrize("objective", McmPackage.objectives)
def test_times_of_a_package_read_as_wherever_they_stand(objective: str) -> None:
    """Those of chips in the unit of the objective, as the Package panel has them; that of a sample as on the command line, never 3,200 µs."""
    problem = Problem(timed_chain(16, 2e-4), McmPackage(4), objective)
    evaluation = problem.evaluate(np.repeat(np.arange(4, dtype=np.int32), 4))
    times, figures = plan_times(problem, evaluation), evaluation.figures
    assert times.suffix == ("ms" if objective == "latency" else "µs")
    slowest, unit = float(evaluation.cost.max()), problem.graph.time_unit
    other = times.text(slowest) if objective == "latency" else one_time(figures["latency"], unit)
    assert other.endswith(" ms")
    assert rate_words(problem, evaluation, evaluation.objective).endswith(other)


def test_a_rate_without_pipelining_is_told_from_that_of_a_stream() -> None:
    graph, device_of = timed_chain(6, 1e-3), np.array([0, 0, 0, 1, 1, 1], np.int32)
    said = {}
    for objective in ("max-load", "latency"):
        problem = Problem(graph, DevicePool(2, 0), objective)
        evaluation = problem.evaluate(device_of)
        said[objective] = rate_words(problem, evaluation, evaluation.objective)
    assert said["max-load"].endswith(" inferences/s") and said["latency"].endswith(
        " inferences/s one at a time"
    )
    number = said["latency"].partition(" ")[0]
    assert briefer(said["latency"]) == (f"{number}/s one at a time",)


@pytest.mark.parametrize(("above", "said"), [(0.0072, "0.7 %"), (0.0078, "0.8 %"), (1e-9, "< 0.001 %")])
def test_how_far_above_the_optimum_is_rounded_as_the_change_of_a_drag(above: float, said: str) -> None:
    assert above_words(above) == f"{said} above the optimum"


def test_lines_get_shorter() -> None:
    assert briefer("Memory (fullest, chip 11)") == ("Memory (chip 11)", "Memory")
    assert briefer("parameters and activations, must fit") == ("must fit",)
    assert briefer("2,233 samples/s, one sample 4.59 ms")[-1] == "2,233/s, one 4.59 ms"
    assert briefer("2,233 samples/s, slowest chip 0.45 ms")[-1] == "2,233/s, slowest 0.45 ms"
    assert briefer("28.6 % above the optimum") == ("28.6 % above optimum", "28.6 % above best")
    assert briefer("proven by chips, CP-SAT") == ("chips, CP-SAT",)
    assert briefer("Best proven lower bound") == ("Lower bound",)
    assert briefer("21.29 MiB off-chip in all") == ("21.29 MiB off-chip",)
    assert briefer("all parameters on chip") == ("all on chip",)
    assert briefer("806 inferences/s") == ("806/s",) and briefer("12.5 training steps/s") == ("12.5 steps/s",)
    assert briefer("proven by nested cuts for max load") == ("nested cuts for max load", "nested cuts")
    assert briefer("the rest is streamed each time") == ("the rest is streamed",)
    assert briefer("then max communication") == ("max communication",)
    assert briefer("valid") == ()


def test_over_a_forbidden_stage_the_price_is_that_of_what_a_drop_offers_first(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        preview = document.begin_preview([3])
        assert preview is not None
        target = int(np.flatnonzero(~preview.legal)[0])
        document.update_preview(target)
        settle()
        along = preview.along_change
        assert along is not None
        assert strip.objective.note == f"→ {along.text}, {len(preview.along)} along"
        preview.along_change = None
        strip.refresh()
        assert strip.objective.note == f"→ {refusal(preview, target)}" == f"→ {refusals(preview)[target]}"
        document.end_preview()
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        preview = document.begin_preview([0])
        assert preview is not None
        target = int(np.flatnonzero(~preview.legal)[0])
        document.update_preview(target)
        settle()
        along = preview.along_change
        assert along is not None
        assert strip.components[0].note == f"→ {along.brief}, {len(preview.along)} along"
        one = document.open_problem.standing(document.evaluation.values, ()).components[0]
        told = dragged_component(document.open_problem, preview, 0, one, LIGHT)
        assert told is not None and along.what
        figure = along.brief.removeprefix(along.what).strip()
        assert told[2] == (f"→ {along.brief}", f"→ {figure}"), "what is cut is never the figure"
        assert not strip.components[1].note.startswith("→")
        document.end_preview()


def test_while_ops_are_dragged_units_stay() -> None:
    problem = Problem(tpu_graph(), Pipeline(count=3))
    said = changes(problem, [923e-6], np.array([[0.5e-6, 900e-6, 1.25e-3, 3.0]]))
    assert [one.text.split()[1] for one in said] == ["µs"] * 4
    assert [one.text.split()[0] for one in said] == ["0.50", "900.00", "1,250.00", "3,000,000.00"]


def test_estimated_times_say_so_and_lead_to_the_target(qtbot: QtBot) -> None:
    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    asked: list[bool] = []
    strip.target_requested.connect(lambda: asked.append(True))
    selected: list[bool] = []
    strip.bottleneck_requested.connect(lambda: selected.append(True))
    with shown(qtbot, strip):
        assert not strip.times.isVisible()
        document.open_graph(read_model(sample("unet.onnx")), target=Pipeline(3))
        settle()
        assert strip.times.isVisible() and "the cost model" in strip.times.toolTip()
        strip.resize(1024, strip.height())
        settle()
        note = strip.objective._note
        assert note.shown_text() == note.text() and "inferences/s" in note.text()
        assert strip.times.geometry().left() >= note.geometry().right()
        qtbot.mouseClick(strip.times, Qt.MouseButton.LeftButton)
        assert asked == [True] and not selected
        document.open_graph(chain_graph(), target=Pipeline(3))
        settle()
        assert not strip.times.isVisible()


def test_a_link_follows_its_figure_after_a_wider_one(qtbot: QtBot) -> None:
    readout = Readout(LIGHT, "Objective")
    link = readout.add_link("estimated", "")
    with shown(qtbot, readout, 600):
        for note in (
            "92.6 inferences/s",
            "12,345,678.90 inferences/s and many words more",
            "92.6 inferences/s",
        ):
            readout.show_value("Bottleneck", "10.80 ms", note)
            settle()
            assert readout.note == note and link.width() == link.sizeHint().width()
            assert 0 <= link.x() - readout._note.geometry().right() <= 3


def test_measured_times_say_so_and_the_line_is_not_indented(qtbot: QtBot) -> None:
    from planner.model.times import OpTime, OpTimes, Use

    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    document.open_graph(read_model(sample("unet.onnx")), target=Pipeline(3))
    ids = document.open_problem.graph.op_ids
    with shown(qtbot, strip):
        settle()
        for ops, mark in ((ids[:9], "partly measured"), (ids, "measured")):
            times = OpTimes({op: OpTime(0.01, 0.0008) for op in ops}, "t.json", "a runtime")
            document.editing.set_times([Use(times)])
            settle()
            assert strip.times.isVisible() and strip.times.text() == mark
            tip = strip.times.toolTip()
            assert "ops measured" in tip and "a runtime" in tip and "runs spread by 8 %" in tip
            assert ("the cost model" in tip) == (mark == "partly measured")
        for target in (Pipeline(3), EdgeTpuPipeline(3)):  # with a mark, and without: bytes have none
            document.set_problem(target)
            settle()
            if strip.objective.isVisible():
                assert strip.objective._note.x() == strip.objective._label.x()
        document.open_graph(chain_graph(), target=Pipeline(3))
        settle()
        assert not strip.times.isVisible()
        assert strip.objective._note.x() == strip.objective._label.x()


def test_moves_do_not_ask_every_op_where_its_time_comes_from(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Problem] = []
    monkeypatch.setattr("gui.panels.readouts.times_tip", lambda problem: asked.append(problem) or "")
    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    document.open_graph(chain_graph(), target=Pipeline(3))
    with shown(qtbot, strip):
        settle()
        for device in (1, 2):
            document.move([11], device)
            settle()
        assert asked == [document.problem]
        document.set_problem(Pipeline(4))
        settle()
        assert asked[1:] == [document.problem]


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


def test_a_figure_has_its_room_before_it_is_painted(qtbot: QtBot) -> None:
    """Under load a paint may come between new figures and the room that the event loop gives them later."""
    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 700, 64):
        document.open_graph(dataclasses.replace(chain_graph(), time_unit="s"), target=Pipeline(count=3))
        strip.refresh_now()
        for readout in (strip.objective, strip.bound, strip.gap, strip.rules, strip.memory):
            value = readout._value
            assert value.shown_text() == value.text() != DASH


@pytest.mark.parametrize("width", [640, 720, 800])
def test_a_figure_is_never_cut_where_there_is_little_room(qtbot: QtBot, width: int) -> None:
    strip = ReadoutStrip(opened_on_tpus("memory-1-2-3"), LIGHT)
    with shown(qtbot, strip, width, 64):
        strip.refresh_now()
        values = [readout._value for readout in strip._readouts if readout.isVisible()]
        assert all(value.shown_text() == value.text() for value in values)
        assert strip.minimumSizeHint().width() <= 800, "the window still fits half a screen"
