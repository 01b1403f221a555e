"""The inspector shows facts, escapes names, and its links do what they say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels import inspector
from gui.editors.plan.panels.devices import DevicesPanel
from gui.editors.plan.panels.inspector import InspectorPanel
from gui.look.theme import DARK, LIGHT
from gui.panels.inspector_figures import PageTimes, breakable, device_rows, streaming_rows, unbroken
from gui.panels.inspector_pages import ALL_SENT, ALL_SENT_TIP
from gui.widgets.facts import MAY_BREAK
from gui.words.held import held_of
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel
from planner.model.graph import Graph, Op, Tensor
from planner.model.times import OpTime, OpTimes, Use
from planner.quantity import bytes_text
from tests.gui.models import chain_graph
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


def text(panel: InspectorPanel) -> str:
    settle()
    return panel.view.toPlainText().replace(MAY_BREAK, "")


def test_nothing_open(qtbot: QtBot) -> None:
    panel = InspectorPanel(Document(), LIGHT)
    with shown(qtbot, panel):
        assert "Open a model" in text(panel)


def test_graph_op_ops_and_device(qtbot: QtBot) -> None:
    document = opened()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert "12" in text(panel)
        document.select([4])
        page = text(panel)
        assert "block1/batchnormalization_4" in page
        assert "Stage 1" in page
        assert "Moving to" in page
        assert "is here" in page
        document.select([4, 5])
        assert "2 ops selected" in text(panel)
        panel.show_device(1)
        page = text(panel)
        assert "Its heaviest ops" in page
        assert "bottleneck" in page
        document.select([0])
        assert "block0/conv_0" in text(panel)


def test_transfers_are_those_there_would_be_if_all_were_sent(qtbot: QtBot) -> None:
    document = opened()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([5])  # its neighbours are on its own stage
        assert ALL_SENT in text(panel)
        found = panel.view.document().find(ALL_SENT)
        assert found.charFormat().toolTip() == ALL_SENT_TIP


def test_a_number_and_its_unit_are_in_one_line_however_narrow_the_panel_is(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([4])
        text(panel)
        page, amounts = panel.view.document(), []
        for width in (240.0, 150.0, 90.0):
            page.setTextWidth(width)
            block = page.begin()
            while block.isValid():
                if re.fullmatch(r"\s*[−+]?[\d.]+\s(%|[µnm]?s|[KM]?i?B)", block.text()):
                    amounts.append(block.text())
                    assert block.layout().lineCount() <= 1, block.text()
                block = block.next()
        assert amounts


def test_tensor_page_and_back(qtbot: QtBot) -> None:
    document = opened()
    panel = InspectorPanel(document, DARK)
    with shown(qtbot, panel):
        document.select([3])
        settle()
        panel.view.anchorClicked.emit(QUrl("tensor:3"))
        page = text(panel)
        assert "Consumed by 2 ops" in page
        assert "Travels to" in page
        panel.view.anchorClicked.emit(QUrl("ops:"))
        assert "Moving to" in text(panel)


def test_links_select_move_pin(qtbot: QtBot) -> None:
    document = opened()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([3])
        settle()
        panel.view.anchorClicked.emit(QUrl("move:1"))
        assert document.device_of[3] == 1
        panel.view.anchorClicked.emit(QUrl("pin:"))
        assert document.problem is not None
        assert len(document.problem.constraints) == 1
        assert "stage 1 · unpin" in text(panel)
        panel.view.anchorClicked.emit(QUrl("unpin:"))
        assert not document.problem.constraints
        panel.view.anchorClicked.emit(QUrl("along:2"))
        assert document.device_of[3] == 2
        assert document.evaluation.valid
        with qtbot.waitSignal(panel.reveal_requested) as heard:
            panel.view.anchorClicked.emit(QUrl("op:7"))
        assert heard.args == [7]
        assert document.selection.tolist() == [7]
        for nonsense in ("op:99", "tensor:x", "move:", "javascript:1", "device:44"):
            panel.view.anchorClicked.emit(QUrl(nonsense)) if nonsense != "move:" else None
        settle()


def test_reasons_are_given(qtbot: QtBot) -> None:
    document = opened()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([0])
        qtbot.waitUntil(lambda: "sends back" in panel.view.toPlainText(), timeout=30_000)
        assert "take along" in panel.view.toPlainText()


def test_what_cannot_be_helped_by_neighbours_is_not_offered_with_them(qtbot: QtBot) -> None:
    document = opened()
    document.pin([11], 2)
    panel, devices = InspectorPanel(document, LIGHT), DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([11])
        qtbot.waitUntil(lambda: "is here" in panel.view.toPlainText(), timeout=30_000)
        settle()
        assert "pin" in panel.view.toPlainText()
        assert "take along" not in panel.view.toPlainText(), "its pin stays broken whoever comes along"
        takes = next(a for a in devices.menu(0).actions() if "neighbours along" in a.text())
        assert not takes.isEnabled()
        document.clear_constraints()
        settle()
        document.select([0])
        qtbot.waitUntil(lambda: "take along" in panel.view.toPlainText(), timeout=30_000)
        takes = next(a for a in devices.menu(2).actions() if "neighbours along" in a.text())
        assert takes.isEnabled()
    devices.deleteLater()


def test_many_ops_are_looked_at_beside_the_window_with_the_same_figures(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is selected, where it could move, what that gives and what is in the way, of a plan that goes on changing."""
    document = opened()
    document.pin([11], 2)
    panel = InspectorPanel(document, LIGHT)

    def page() -> str:
        qtbot.waitUntil(lambda: "Counting" not in text(panel), timeout=30_000)
        return text(panel)

    with shown(qtbot, panel):
        for ops in (range(12), [0, 1, 2, 3], [0, 11]):
            for device in (0, 1):
                document.select([])
                document.move([4, 5], device)
                monkeypatch.setattr(inspector, "AT_ONCE", 10_000)
                document.select(ops)
                at_once = page()
                qtbot.waitUntil(lambda: "not allowed" not in text(panel), timeout=30_000)
                at_once = text(panel)
                assert "Moving to" in at_once
                document.select([])
                settle()
                monkeypatch.setattr(inspector, "AT_ONCE", 1)
                document.select(ops)
                panel.refresh_now()
                waits = panel.view.toPlainText()
                assert f"{len(ops)} ops selected" in waits and "Counting" in waits
                assert "Moving to" not in waits and "Work" not in waits
                assert page() == at_once
        # What was found of the plan before is not shown of this one, though it comes when nobody has asked anew yet.
        document.select([0, 1])
        panel.refresh_now()
        document.undo_stack.undo()
        assert "Counting" in panel.view.toPlainText()
        before = page()
        monkeypatch.setattr(inspector, "AT_ONCE", 10_000)
        panel.refresh()
        qtbot.waitUntil(lambda: "not allowed" not in text(panel), timeout=30_000)
        assert text(panel) == before
    panel.end_threads()


def test_what_was_found_of_many_ops_is_not_found_twice(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    document = opened()
    panel = InspectorPanel(document, LIGHT)
    monkeypatch.setattr(inspector, "AT_ONCE", 1)
    with shown(qtbot, panel):
        document.select([0, 1, 2])
        qtbot.waitUntil(lambda: "Moving to" in text(panel), timeout=30_000)
        problem = document.open_problem
        bound = problem.bound(problem.components[0], 0.5, "mine", problem.assumptions)
        document.add_bounds([bound])
        panel.refresh()
        assert "Moving to" in panel.view.toPlainText(), "nothing moved: all but the gaps is known"
        panel.show_device(1)
        assert "Its heaviest ops" in text(panel)
        document.select([0, 1])
        panel.refresh_now()
        assert "Counting" in panel.view.toPlainText()
        document.select([])
        assert "12" in text(panel)
    panel.end_threads()


def test_mates(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(accelerators=2, cpus=1))
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([2])
        page = text(panel)
        assert "Moves together with" in page
        assert "On a CPU" in page
        document.keep_together([5, 6])
        document.select([5])
        assert "separate" in text(panel)
        panel.view.anchorClicked.emit(QUrl("separate:"))
        assert document.problem is not None
        assert not document.problem.constraints


@pytest.mark.parametrize(
    "name", ["<b>bold</b>", "a&b", "x" * 300, "<img src='file:///etc/passwd'>", "name with 'quotes'"]
)
def test_names_are_only_names(qtbot: QtBot, name: str) -> None:
    ops = [
        Op("a", name, kind="<i>k</i>", work=1.0, work_cpu=1.0, attrs={"<x>": "<script>"}),
        Op("b", "b", work=1.0, work_cpu=1.0),
    ]
    graph = Graph.build("g<", ops, [Tensor("a", ("b",), 8.0, name="<t>")], time_unit=None)
    document = Document()
    document.open_graph(graph, target=Pipeline(count=2))
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel, 220):
        document.select([0])
        page = text(panel)
        assert name in page
        assert "<script>" in page
        assert "<i>k</i>" in page
        panel.show_tensor(0)
        assert "<t>" in text(panel)


def test_a_stage_of_an_edge_tpu_pipeline(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert "Inferences per second" in text(panel)
        panel.show_device(2)
        page = text(panel)
        for words in ("On chip", "Off chip", "Enters from stages", "160.0 KiB", "Energy per inference"):
            assert words in page
        assert page.count("2.00 MiB") == 2 and "4.00 MiB of 2.00 MiB" in page.replace(
            "\N{NO-BREAK SPACE}", " "
        )
        details = document.evaluation.details
        stays, needs = (float(each[2]) for each in (details["cache"] - details["pushed"], details["scratch"]))
        assert details["pushed"][2] > 0
        rows = dict(device_rows(held_of(document.open_problem, document.evaluation), document.evaluation, 2))
        mib = 2.0**20
        assert (rows["On chip"], rows["Activations need"]) == (
            f"{stays / mib:.2f} MiB",
            f"{needs / mib:.2f} MiB",
        )
        for name, words in (("host_in", "Enters from the host"), ("host_out", "Leaves for the host")):
            for stage in range(len(details[name])):
                panel.show_device(stage)
                assert (words in text(panel)) == (details[name][stage] > 0)
        document.select([3])
        assert "max memory −1.00 MiB" in text(panel)


def test_estimated_and_measured_times_are_told_apart(qtbot: QtBot) -> None:
    ops = [Op(name, name, "Conv", macs=1e9) for name in "abc"]
    graph = Graph.build("g", ops, [Tensor("a", ("b",), 1e6), Tensor("b", ("c",), 1e6)])
    document = Document()
    document.open_graph(graph, target=Pipeline(2))
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert "stage as" not in text(panel) and "t4 (NVIDIA T4 data sheet" in text(panel)
        document.select([0])
        assert "· estimated" in text(panel)
        estimate = float(CostModel().estimate(graph)[0][0])
        times = {"a": OpTime(3 * estimate, 0.1 * estimate, True), "b": OpTime(estimate)}
        document.editing.set_times([Use(OpTimes(times, "t", "me"))])
        page = text(panel)
        assert "3 x" in page and "±" in page and "as part of a kernel" in page and "· estimated" not in page
        document.select([2])
        assert "Measured" in text(panel)


def test_an_ops_output_is_not_called_memory(qtbot: QtBot) -> None:
    document = opened()
    panel = InspectorPanel(document, LIGHT)
    graph, evaluator = document.open_problem.graph, document.open_problem.evaluator
    with shown(qtbot, panel):
        for ops in ([3], [3, 4]):
            document.select(ops)
            size = sum(
                float(evaluator.size[t]) for t in range(graph.tensor_count) if graph.tensor_producer[t] in ops
            )
            page = [line.strip() for line in text(panel).splitlines()]
            output = next(i for i, line in enumerate(page) if line.startswith("Output"))
            assert bytes_text(size) in " ".join(page[output : output + 2])
            assert "Memory" not in page


def test_an_op_takes_its_own_time_on_each_unequal_stage(qtbot: QtBot) -> None:
    document = opened()
    document.set_problem(Pipeline(3, speed=(1.0, 0.5, 2.0)), "bottleneck")
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([4])
        assert document.problem is not None
        work = float(document.problem.graph.work[4])
        page = text(panel)
        assert "Work by device" in page
        assert f"Stage 0 {work:g}" in page and f"Stage 1 {2 * work:g}" in page
        panel.show_device(1)
        assert "stage · 0.5x" in text(panel)


def test_times_are_in_the_unit_of_the_plan_above(qtbot: QtBot) -> None:
    """An op of a microsecond beside a plan of milliseconds, and one of seconds: in milliseconds both."""
    ops = [Op("a", "a", "Conv", work=2e-6), Op("b", "b", "Conv", work=5e-3), Op("c", "c", "Conv", work=4e-3)]
    graph = Graph.build("g", ops, [Tensor("a", ("b",), 1e6), Tensor("b", ("c",), 1e6)], time_unit="s")
    document = Document()
    document.open_graph(graph, target=Pipeline(2))
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        for chosen in ([0], [1], [0, 1, 2], []):
            document.select(chosen)
            page = text(panel).replace("\u00a0", " ")
            assert re.search(r"\d ms\b", page) and not re.search(r"\d (?:s|µs|us|ns)\b", page), page
        for device in (0, 1):
            panel.show_device(device)
            assert not re.search(r"\d (?:s|µs|us|ns)\b", text(panel).replace("\u00a0", " "))


def test_streaming_that_parameters_cause_is_said(qtbot: QtBot) -> None:
    """By how much less a TPU would stream without them, and the time that this takes of every inference."""
    document = opened_on_tpus(cache=1.5 * 2**20)
    problem, e = document.open_problem, document.open_problem.evaluator
    panel = InspectorPanel(document, LIGHT)
    times = PageTimes(problem, document.evaluation)
    device = int(np.argmax(document.evaluation.streaming))
    held = np.flatnonzero(document.device_of == device)
    over = float(e.params[held].sum() - e.budget[device])
    assert over > 0
    with shown(qtbot, panel):
        for ops in (held[:1], held):
            document.select(ops)
            streamed = min(over, float(e.params[ops].sum()))
            ((title, said),) = streaming_rows(problem, document.device_of, document.selection, times)
            assert said == f"{bytes_text(streamed)}, {times.text(streamed / e.streaming_rate)} per inference"
            assert title in text(panel)
        without = document.device_of.copy()
        without[held[0]] = (device + 1) % 3
        less = document.evaluation.streaming[device] - problem.evaluate(without).streaming[device]
        document.select(held[:1])
        assert f"{times.text(float(less))} per inference" in text(panel).replace("\u00a0", " ")
        roomy = opened_on_tpus(cache=64 * 2**20)
        everything = np.arange(roomy.open_problem.graph.n)
        assert streaming_rows(roomy.open_problem, roomy.device_of, everything, times) == []


def test_amounts_stay_beside_their_units() -> None:
    assert (
        unbroken("14.75 ms, −33.2 %, 9.77 MiB of 12 stages")
        == "14.75\u00a0ms, −33.2\u00a0%, 9.77\u00a0MiB of 12 stages"
    )


def test_amounts_and_shares_are_in_one_line_at_the_usual_width(qtbot: QtBot) -> None:
    document = opened()
    document.select([5])
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        html = panel.view.toHtml()
        assert not re.search(r"\d (?:ms|µs|%)<", html)


def test_no_word_is_broken_however_narrow_the_panel_is(qtbot: QtBot) -> None:
    """Of names in files long ones go on behind a separator, and are copied as they are spelt."""
    document = opened_on_tpus()
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        for ops in ([4], [3, 4], []):
            document.select(ops)
            text(panel)
            page, several = panel.view.document(), 0
            for width in range(60, 400, 20):
                page.setTextWidth(width)
                block = page.begin()
                while block.isValid():
                    layout, words = block.layout(), block.text()
                    starts = [layout.lineAt(i).textStart() for i in range(1, layout.lineCount())]
                    several += len(starts)
                    for start in starts:
                        assert words[start - 1] in " -/_\u2028\u200b", (width, words[:start], words[start:])
                    block = block.next()
            assert several, "something is in more than one line"
    long = "StatefulPartitionedCall/model/conv4_block26_relu_" + "x" * 50
    assert breakable(f"<p title='{long}'>{long}</p>").startswith(f"<p title='{long}'>Stateful")
    assert all(len(piece) <= 20 for piece in breakable(long).split("\u200b"))
    assert breakable("Multiply-accumulates of it") == "Multiply-accumulates of it"
    panel.view.setHtml(breakable(long))
    panel.view.selectAll()
    assert panel.view.createMimeDataFromSelection().text() == long
