"""Forms from metadata, and the target panel that makes a problem of them."""

from __future__ import annotations

import dataclasses
import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QScrollArea, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels.machine_choice import OWN
from gui.editors.plan.panels.settings import SettingsPanel
from gui.editors.plan.panels.unused import is_unused
from gui.look.theme import LIGHT, ThemeController
from gui.widgets.forms import Form
from gui.words.objectives import objective_help
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import kinds
from planner.model.cost_model import Rates
from planner.model.graph import Graph, Op, Tensor
from planner.model.named_machines import NamedMachine, keep, remove
from planner.options import Option
from planner.problem.target import Target
from tests.gui.models import tpu_graph
from tests.gui.window_parts import make_window, opened, opened_on_tpus, settle, shown


def test_fields_of_options(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.add_option(Option("restarts", 10, "how many", low=1, high=20))
    form.add_option(Option("fast", True, "quickly"))
    form.add_option(Option("order", "dfs", "which", choices=("dfs", "bfs")))
    form.add_option(Option("rate", 0.5, "how much"))
    form.add_option(Option("split", "", "path"))
    assert form.values() == {"restarts": 10, "fast": True, "order": "dfs", "rate": 0.5, "split": ""}
    spin = form.fields["restarts"]
    assert isinstance(spin, QSpinBox)
    spin.setValue(99)
    assert form.values()["restarts"] == 20
    box = form.fields["fast"]
    assert isinstance(box, QCheckBox)
    box.setChecked(False)
    assert form.values()["fast"] is False
    assert all(f.accessibleName() for f in form.fields.values())
    form.clear()
    assert form.values() == {}


def test_fields_stay_in_sight_when_the_theme_changes(qtbot: QtBot, qapp: QApplication) -> None:
    themes = ThemeController(qapp, "light")
    panel = SettingsPanel(opened_on_tpus(), themes.theme)
    with shown(qtbot, panel, 300):
        area = panel.findChild(QScrollArea)
        assert area is not None
        for name in ("dark", "light"):
            themes.set_preference(name)
            settle()
            assert area.widget().width() == area.viewport().width(), name


def test_options_that_mean_nothing_beside_others_are_grey(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.add_option(Option("guide", "shares", "where from", choices=("shares", "policy")))
    form.add_option(
        Option("weights", "mine.npz", "", file="Weights (*.npz)", only_with=("guide", ("policy",)))
    )
    assert not form.fields["weights"].isEnabled()
    guide = form.fields["guide"]
    assert isinstance(guide, QComboBox)
    guide.setCurrentText("policy")
    assert form.fields["weights"].isEnabled() and form.values()["weights"] == "mine.npz"
    guide.setCurrentText("shares")
    assert not form.fields["weights"].isEnabled() and form.values()["weights"] == "mine.npz", "it is kept"
    form.clear()
    form.changed.emit()


def test_the_target_changes_as_one_step(qtbot: QtBot) -> None:
    document = opened()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert not panel.apply_button.isEnabled()
        count = panel.machine.fields["count"]
        assert isinstance(count, QSpinBox)
        count.setValue(5)
        assert panel.apply_button.isEnabled()
        steps = document.undo_stack.count()
        panel.apply_button.click()
        assert document.problem is not None
        assert document.problem.target == Pipeline(count=5)
        assert document.undo_stack.count() == steps + 1
        settle()
        assert not panel.apply_button.isEnabled()
        document.undo_stack.undo()
        settle()
        assert panel.machine.values()["count"] == 3


def test_another_kind_and_objective(qtbot: QtBot) -> None:
    document = opened()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.kind.setCurrentIndex(panel.kind.findData("pool"))
        assert set(panel.machine.fields) == {f.name for f in dataclasses.fields(DevicePool)}
        panel.objective.setCurrentIndex(panel.objective.findData("gpipe"))
        panel.apply()
        assert document.problem is not None
        assert document.problem.target == DevicePool()
        assert document.problem.objective == "gpipe"
        panel.kind.setCurrentIndex(panel.kind.findData("pipeline"))
        panel.reset()
        assert panel.kind.currentData() == "pool"


def test_machines_for_networks_cannot_be_chosen_for_graphs(qtbot: QtBot) -> None:
    panel = SettingsPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        row = panel.kind.findData("memory")
        index = panel.kind.model().index(row, 0)
        assert not index.flags() & Qt.ItemFlag.ItemIsEnabled
        assert "sparse networks only" in panel.kind.itemText(row)
        assert "graph of operators" in panel.kind.itemData(row, Qt.ItemDataRole.ToolTipRole)
        assert panel.kind.model().index(panel.kind.findData("pool"), 0).flags() & Qt.ItemFlag.ItemIsEnabled


def test_reset_takes_back_what_was_wrong(qtbot: QtBot) -> None:
    panel = SettingsPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        field = panel.machine.fields["memory"]
        assert isinstance(field, QLineEdit)
        field.setText("lots")
        panel.apply()
        assert panel.error.text()
        panel.reset()
        assert not panel.error.text()


@pytest.mark.parametrize(("name", "text"), [("memory", "lots"), ("bandwidth", "-3 B/s"), ("memory", "nan")])
def test_nonsense_is_said_and_changes_nothing(qtbot: QtBot, name: str, text: str) -> None:
    document = opened()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        before = document.problem
        field = panel.machine.fields[name]
        assert isinstance(field, QLineEdit)
        field.setText(text)
        panel.apply()
        assert panel.error.text()
        assert document.problem is before


def test_cost_model_where_the_file_has_no_times(qtbot: QtBot) -> None:
    ops = [Op("a", "a", macs=1e6), Op("b", "b", macs=2e6)]
    document = Document()
    document.open_graph(Graph.build("g", ops, [Tensor("a", ("b",), 8.0)]), target=Pipeline(count=2))
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert document.problem is not None
        before = document.problem.graph.work.copy()
        field = panel.costs.fields["accelerator_flops"]
        assert isinstance(field, QLineEdit)
        assert field.text() == "8.1 TFLOP/s"
        field.setText("1 GFLOP/s")
        panel.costs.changed.emit()
        panel.apply()
        assert panel.error.text() == ""
        assert (document.problem.graph.work > before).all()
    profiled = SettingsPanel(opened(), LIGHT)
    with shown(qtbot, profiled):
        assert not profiled.costs.isVisible()


def test_no_model(qtbot: QtBot) -> None:
    panel = SettingsPanel(Document(), LIGHT)
    with shown(qtbot, panel):
        assert not panel.isEnabled()


def test_parameters_that_mean_nothing_to_the_objective_are_grey(qtbot: QtBot) -> None:
    document = opened()
    document.set_problem(DevicePool(2, 1), "max-load")
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        fields = panel.machine.fields

        def choose(objective: str) -> set[str]:
            panel.objective.setCurrentIndex(panel.objective.findData(objective))
            return {name for name, field in fields.items() if not field.isEnabled()}

        assert choose("max-load") == {"subgraphs"}
        assert choose("gpipe") == {"subgraphs", "replication"}
        assert choose("latency") == {"communication", "replication", "clusters", "cluster_speed"}
        box = fields["replication"]
        assert isinstance(box, QCheckBox)
        box.setChecked(True)
        # What is set must be there to be taken back.
        assert "replication" not in choose("latency")
        panel.apply_button.click()
        assert "replication has no meaning for the objective latency" in panel.error.text()
        box.setChecked(False)
        panel.apply_button.click()
        assert document.problem is not None
        assert document.problem.objective == "latency"


@pytest.mark.parametrize("kind", kinds().values())
def test_no_parameter_is_useless(kind: type[Target]) -> None:
    for f in dataclasses.fields(kind):  # type: ignore[arg-type]
        assert not all(is_unused(kind, f.name, objective) for objective in kind.objectives), f.name


def test_strategies_are_explained(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.objective.currentText() == "Memory 1 → 2 → 3"
        assert "off-chip (DRAM)" in panel.about.text()
        panel.objective.setCurrentIndex(panel.objective.findData("stage-time"))
        assert "slowest stage" in panel.about.text()
        before, steps = document.device_of.tolist(), document.undo_stack.count()
        panel.apply()
        assert document.problem is not None
        assert document.problem.objective == "stage-time"
        assert (document.device_of.tolist(), document.undo_stack.count()) == (before, steps + 1)
        document.undo_stack.undo()
        settle()
        assert panel.objective.currentData() == "memory-1-2-3"
    plain = SettingsPanel(opened(), LIGHT)
    with shown(qtbot, plain):
        assert plain.about.isVisible() and plain.about.text() == objective_help(plain.objective.currentData())
        plain.kind.setCurrentIndex(plain.kind.findData("pool"))
        assert plain.about.text().endswith("CPUs pay no transfers.")


def test_expert_constants_are_folded_away(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert set(panel.machine.fields) == {f.name for f in dataclasses.fields(EdgeTpuPipeline)}
        assert panel.machine.fields["cache"].isVisible()
        assert not panel.machine.fields["down"].isVisible()
        assert panel.machine.values()["down"] == EdgeTpuPipeline().down
        group = panel.machine.groups["Link and speed"]
        group.click()
        down = panel.machine.fields["down"]
        assert down.isVisible()
        assert isinstance(down, QLineEdit)
        assert down.text() == "315 MiB/s"
        down.setText("200 MiB/s")
        panel.apply()
        settle()
        assert document.problem is not None
        assert document.problem.target == EdgeTpuPipeline(3, cache=2.0 * 2**20, down=200.0 * 2**20)
        # What differs from its default is not hidden, nor is what somebody opened.
        assert panel.machine.groups["Link and speed"].isChecked()
        assert not panel.machine.groups["Power"].isChecked()
        panel.machine.groups["Link and speed"].click()
        assert not panel.machine.fields["down"].isVisible()
    fresh = SettingsPanel(document, LIGHT)
    with shown(qtbot, fresh):
        assert fresh.machine.fields["down"].isVisible()


def test_a_pipeline_of_another_kind_keeps_its_stages(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(tpu_graph(), target=Pipeline(count=3))
    document.set_assignment([0, 0, 1, 1, 2, 2], "edit", "pairs")  # type: ignore[arg-type]
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.kind.setCurrentIndex(panel.kind.findText("Edge TPU pipeline"))
        panel.apply()
        assert document.problem is not None
        assert document.problem.target == EdgeTpuPipeline(3)
        assert document.problem.objective == "memory-1-2-3"
        assert document.device_of.tolist() == [0, 0, 1, 1, 2, 2]
        settle()
        panel.kind.setCurrentIndex(panel.kind.findData("pipeline"))
        panel.apply()
        assert document.problem.target == Pipeline(3)
        assert document.device_of.tolist() == [0, 0, 1, 1, 2, 2]


def test_an_amount_that_is_not_set_is_no_zero(qtbot: QtBot) -> None:
    document = opened()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel, 300, 900):
        field = panel.machine.fields["bandwidth"]
        assert isinstance(field, QLineEdit)
        assert field.text() == "automatic"
        assert panel.edited()[0] == Pipeline(3)
        for text, value in (("1 GB/s", 1e9), ("Automatic ", 0.0), ("0 B/s", 0.0)):
            field.setText(text)
            assert panel.edited()[0] == Pipeline(3, bandwidth=value)


def test_the_cost_model_is_there_where_it_counts(qtbot: QtBot) -> None:
    document = Document()
    ops = [Op(f"n{i}", f"n{i}", "Conv2D", params=100, macs=1e6) for i in range(3)]
    document.open_graph(Graph.build("g", ops, [Tensor("n0", ("n1", "n2"), 8.0)]), target=Pipeline(3))
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel, 300, 900):
        assert panel.costs.isVisible()
        panel.kind.setCurrentIndex(panel.kind.findData("edge-tpu"))
        assert not panel.costs.isVisible()
        panel.apply()
        settle()
        assert not panel.costs.isVisible()
        panel.kind.setCurrentIndex(panel.kind.findData("pipeline"))
        assert panel.costs.isVisible()


def test_a_package_has_a_count_of_chips_to_choose(qtbot: QtBot) -> None:
    document = opened()
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel, 300, 700):
        panel.kind.setCurrentIndex(panel.kind.findData("mcm"))
        settle()
        count = panel.machine.fields["count"]
        assert isinstance(count, QSpinBox)
        assert count.isEnabled()
        assert count.value() == 36
        count.setValue(5)
        panel.apply()
        assert document.board.open_problem.target == McmPackage(5)
        assert document.evaluation.ops.tolist() == [4, 4, 4, 0, 0]
        # Back to a pipeline every op keeps its place.
        panel.kind.setCurrentIndex(panel.kind.findData("pipeline"))
        panel.apply()
        assert document.board.open_problem.target == Pipeline(5)
        assert document.device_of.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    document.deleteLater()


def test_fields_made_from_data_say_what_they_are(qtbot: QtBot) -> None:
    from planner.machines.catalogue import planner

    form = Form()
    qtbot.addWidget(form)
    for option in planner("anneal").options:
        form.add_option(option)
    assert form.hints["hot"].text() == "First temperature, as a share of the objective (above 0, at most 10)."
    assert form.hints["rounds"].text() == "Rounds of annealing (1 to 1,000,000)."
    assert all(form.hints[name].wordWrap() for name in form.fields)
    form.clear()
    assert not form.hints
    form.add_fields(Pipeline(4))
    assert form.hints["bandwidth"].text().startswith("Bandwidth between blocks")


def test_every_parameter_of_every_machine_and_every_option_is_explained() -> None:
    import dataclasses

    from planner.machines.catalogue import bound_methods, planners
    from planner.machines.spec import kinds

    for cls in kinds().values():
        assert all(f.metadata.get("help") for f in dataclasses.fields(cls)), cls.kind
    for method in [*planners().values(), *bound_methods().values()]:
        assert all(len(option.help) > 10 for option in method.options), method.name


def test_another_theme_leaves_what_was_typed(qtbot: QtBot) -> None:
    from gui.look.theme import DARK
    from gui.tools.search.planners import PlannersPanel
    from tests.gui.tools.search.test_planners import PlainJobs

    document = opened()
    panel = SettingsPanel(document, LIGHT)
    planners = PlannersPanel(document, PlainJobs(), LIGHT)  # type: ignore[arg-type]
    for each in (panel, planners):
        qtbot.addWidget(each)
        each.show()
    settle()
    panel.machine.fields["count"].setValue(7)  # type: ignore[attr-defined]
    planners.choose("anneal")
    planners.options.fields["rounds"].setValue(11)  # type: ignore[attr-defined]
    for each in (panel, planners):
        each.set_theme(DARK)
    settle()
    assert panel.machine.values()["count"] == 7 and panel.apply_button.isEnabled()
    assert planners.options.values()["rounds"] == 11 and planners.theme is DARK


def test_the_keyboard_changes_and_applies(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    window.focus_panel("target")
    panel = window.target
    assert window.focusWidget() is panel.kind
    count = panel.machine.fields["count"]
    count.setFocus()
    steps = document.undo_stack.count()
    qtbot.keyClick(count, Qt.Key.Key_Return)
    assert document.undo_stack.count() == steps, "there was nothing to apply"
    assert isinstance(count, QSpinBox)
    count.setValue(5)
    panel.reset_button.setFocus()
    qtbot.keyClick(panel.reset_button, Qt.Key.Key_Return)
    count = panel.machine.fields["count"]
    assert isinstance(count, QSpinBox)
    assert count.value() == 3 and document.undo_stack.count() == steps
    count.setFocus()
    count.setValue(5)
    qtbot.keyClick(count, Qt.Key.Key_Return)
    assert document.open_problem.target == Pipeline(count=5)
    close()


@pytest.mark.parametrize("by", ["return", "apply", "undo"])
def test_field_scroll_and_keyboard_stay_after_applying(qtbot: QtBot, by: str) -> None:
    document = opened_on_tpus()
    window, close = make_window(qtbot, document)
    window.focus_panel("target")
    panel = window.target
    area = panel._staying._area
    bar, cache = area.verticalScrollBar(), panel.machine.fields["cache"]
    panel.window().activateWindow()
    cache.setFocus()
    assert isinstance(cache, QLineEdit)
    cache.selectAll()
    qtbot.keyClicks(cache, "6MiB")
    bar.setValue(bar.maximum() // 2)
    scrolled = bar.value()
    if by == "apply":
        panel.apply_button.setFocus()
        panel.apply_button.click()
    else:
        qtbot.keyClick(cache, Qt.Key.Key_Return)
    settle()
    settle()
    assert document.open_problem.target.cache == 6 * 2.0**20  # type: ignore[attr-defined]
    if by == "undo":
        document.undo_stack.undo()
        settle()
        assert not panel.machine.fields["cache"].text().startswith("6")  # type: ignore[attr-defined]
    assert QApplication.focusWidget() is panel.machine.fields["cache"]
    assert panel._staying._area.verticalScrollBar().value() == scrolled
    close()


def test_a_change_that_is_not_applied_is_marked_and_told_when_a_planner_starts(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    window.focus_panel("target")
    panel, dock = window.target, window.docks.docks["target"]
    name = dock.windowTitle()
    count = panel.machine.fields["count"]
    assert isinstance(count, QSpinBox)
    count.setValue(5)
    assert panel.unapplied and dock.windowTitle() == f"{name} \N{BULLET}"
    window.start_planner()
    assert "not applied yet" in window.notice.text
    window.cancel_planners()
    window.focus_panel("planners")  # behind another tab nothing of it is lost
    assert panel.unapplied
    window.focus_panel("target")
    panel.apply_button.click()
    settle()
    assert not panel.unapplied and dock.windowTitle() == name
    window.notice.dismiss()
    window.start_planner()
    assert window.notice.isHidden()
    window.cancel_planners()
    qtbot.waitUntil(lambda: not window.jobs.running, timeout=30_000)
    close()


def estimated() -> Document:
    """A document of a graph whose times are estimated."""
    ops = [Op(name, name, "Conv", macs=1e9) for name in "abcd"]
    document = Document()
    document.open_graph(
        Graph.build("g", ops, [Tensor(a, (b,), 1e6) for a, b in ("ab", "bc", "cd")]), target=Pipeline(2)
    )
    return document


def test_machines_are_offered_by_name_with_their_source(qtbot: QtBot) -> None:
    document = estimated()
    panel = SettingsPanel(document, LIGHT)
    qtbot.addWidget(panel)
    panel.refresh_now()
    choice = panel.rates["accelerator"]
    assert choice.machine is not None and choice.machine.name == "t4", "the default's rates are its"
    assert "NVIDIA T4 data sheet" in choice.source.text() and "2019" in choice.source.text()
    assert not panel.apply_button.isEnabled()
    choice.list.setCurrentIndex(choice.list.findData("a100-40gb"))
    assert panel.apply_button.isEnabled()
    before = document.evaluation.values[0]
    panel.apply()
    model = document.open_problem.graph.cost_model
    assert (model.accelerator_flops, model.accelerator_source.machine) == (19.5e12, "a100-40gb")
    assert document.evaluation.values[0] < before
    assert panel.rates["cpu"].machine is not None and panel.rates["cpu"].machine.name == "cpu-8-cores"
    field = panel.costs.fields["accelerator_flops"]
    assert isinstance(field, QLineEdit)
    field.setText("1 TFLOP/s")
    field.textEdited.emit("1 TFLOP/s")
    assert panel.rates["accelerator"].machine is None, "rates that are typed in are nobody's"
    panel.apply()
    assert document.open_problem.graph.cost_model.accelerator_source is None
    document.undo_stack.undo()
    settle()
    panel.refresh_now()
    assert panel.rates["accelerator"].machine is not None


def test_a_machine_of_ones_own_is_offered_with_its_groups(qtbot: QtBot) -> None:
    groups = (("convolution", Rates(9e10, 1e10, 0.0)),)
    keep(
        NamedMachine(
            "mine", "My core", "cpu", "calibrated on unet", "2026-01-02", Rates(1e11, 2e10, 3e-6), groups
        )
    )
    document = estimated()
    panel = SettingsPanel(document, LIGHT)
    qtbot.addWidget(panel)
    panel.refresh_now()
    for side in ("accelerator", "cpu"):
        choice = panel.rates[side]
        choice.list.setCurrentIndex(choice.list.findData("mine"))
    panel.apply()
    model = document.open_problem.graph.cost_model
    assert model.groups("accelerator") == model.groups("cpu") == groups
    remove("mine")
    panel.reset()
    assert panel.rates["cpu"].machine is not None, "the plan keeps what it was made with"
    assert not panel.apply_button.isEnabled()


def test_a_target_with_rates_of_its_own_takes_a_machines(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = SettingsPanel(document, LIGHT)
    qtbot.addWidget(panel)
    panel.refresh_now()
    assert panel.named.machine is not None and panel.named.machine.name == "edge-tpu-usb"
    panel.named.list.setCurrentIndex(panel.named.list.findData("edge-tpu-pcie"))
    panel.apply()
    assert document.open_problem.target.to_dict()["down"] == 500e6
    assert panel.named.machine.name == "edge-tpu-pcie"


def test_a_target_that_nobody_said_rates_of_has_the_usual_ones(qtbot: QtBot) -> None:
    """They are nobody's own until one of them is changed, and can be had again."""
    document = opened(count=2)
    document.set_problem(McmPackage(4), "chip-latency")
    panel = SettingsPanel(document, LIGHT)
    qtbot.addWidget(panel)
    panel.refresh_now()
    assert panel.named.list.currentText() == "Usual rates of a chip"
    assert panel.named.source.text() == "what counts where no rates are given"
    field = panel.machine.fields["local"]
    assert isinstance(field, QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, "100 GB/s")
    assert panel.named.list.currentText() == OWN
    panel.named.list.setCurrentIndex(panel.named.list.findText("Usual rates of a chip"))
    assert panel.edited()[0] == McmPackage(4)
    panel.named.list.setCurrentIndex(panel.named.list.findData("simba-chiplet"))
    assert panel.edited()[0] != McmPackage(4)


def test_usual_rates_that_a_machine_has_are_that_machines(qtbot: QtBot) -> None:
    panel = SettingsPanel(opened_on_tpus(), LIGHT)
    qtbot.addWidget(panel)
    panel.refresh_now()
    assert panel.named.list.findText("Usual", Qt.MatchFlag.MatchStartsWith) == -1


def test_a_bare_number_is_in_the_unit_that_the_field_shows(qtbot: QtBot) -> None:
    document = opened(count=2)
    document.set_problem(Pipeline(2, 1.0, 30 * 2.0**20), "bottleneck")
    panel = SettingsPanel(document, LIGHT)
    with shown(qtbot, panel):
        field = panel.machine.fields["memory"]
        assert isinstance(field, QLineEdit) and field.text() == "30 MiB"
        field.selectAll()
        qtbot.keyClicks(field, "40")
        assert panel.edited()[0] == Pipeline(2, 1.0, 40 * 2.0**20)
        field.editingFinished.emit()
        assert field.text() == "40 MiB"
        for text, value in (
            ("1 GiB", 2.0**30),
            ("many", 0.0),
            ("2", 2.0**31),
            ("unlimited", math.inf),
            ("7", 7.0),
        ):
            field.setText(text)
            field.editingFinished.emit()
            if value:
                assert panel.edited()[0] == Pipeline(2, 1.0, value)
        assert field.text() == "7 B", "no unit was shown, so these are bytes"


def test_numbers_per_device_are_typed_with_slashes(qtbot: QtBot) -> None:
    """One for all or one for each; what is applied is shown again, and a wrong count is one sentence."""
    document = opened(count=2)
    panel = SettingsPanel(document, LIGHT)

    def line(name: str) -> QLineEdit:
        field = panel.machine.fields[name]
        assert isinstance(field, QLineEdit)
        return field

    with shown(qtbot, panel):
        assert (line("memory").text(), line("speed").text()) == ("unlimited", "1")
        line("bandwidth").setText("1 B/s")
        line("memory").setText("8 MiB / 16 MiB")
        line("speed").setText("1 / 0.5")
        panel.apply()
        assert document.problem is not None
        assert document.problem.target == Pipeline(2, 1.0, (2.0**23, 2.0**24), speed=(1.0, 0.5))
        panel.refresh_now()
        assert line("memory").text() == "8 MiB / 16 MiB" and line("memory").maximumWidth() > 1000
        line("memory").setText("1 / 2 / 3")
        panel.apply()
        assert panel.error.text() == "memory has 3 numbers; give one for all, or 2: one per stage"
        line("memory").setText("8 MiB / 8 MiB")
        line("speed").setText("1")
        panel.apply()
        assert document.problem.target == Pipeline(2, 1.0, 2.0**23)


def test_the_cursor_waits_while_a_target_is_applied(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    document = opened()
    panel = SettingsPanel(document, LIGHT)
    seen: list[Qt.CursorShape] = []
    monkeypatch.setattr(
        document, "set_problem", lambda *_: seen.append(QApplication.overrideCursor().shape())
    )
    with shown(qtbot, panel):
        panel.apply()
    assert seen == [Qt.CursorShape.WaitCursor] and QApplication.overrideCursor() is None


@pytest.mark.parametrize("kind", ["edge-tpu", "mcm", "pool"])
def test_fields_of_another_machine_have_their_rooms_at_once(qtbot: QtBot, kind: str) -> None:
    """In the turn of the event loop in which it is chosen, as right after the panel is first seen: no row is low or lies on another."""
    panel = SettingsPanel(opened(), LIGHT)
    qtbot.addWidget(panel)
    panel.resize(280, 450)
    panel.show()
    panel.choose_kind(kind)
    rows = [row for row in panel.machine.findChildren(QWidget) if row.parent() is panel.machine]
    rows = [row for row in rows if row.isVisible()]
    assert len(rows) > 6
    for at, row in enumerate(rows):
        wide = row.width()
        needed = row.heightForWidth(wide) if row.hasHeightForWidth() else row.minimumSizeHint().height()
        assert row.height() >= needed
        assert not any(row.geometry().intersects(other.geometry()) for other in rows[at + 1 :])
    area = panel.findChild(QScrollArea)
    inside = area.widget()
    high, was = inside.height(), [row.geometry() for row in rows]
    assert panel.machine.geometry().bottom() <= high
    settle()
    assert (inside.height(), [row.geometry() for row in rows]) == (high, was)
