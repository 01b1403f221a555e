"""The package dock: chips and ops select each other, the memory of a chip, drops, keys, and when it is there at all."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QBoxLayout
from pytestqt.qtbot import QtBot

from gui.canvas.graph.tooltip import HoverCard
from gui.document.plan.document import Document
from gui.editors.plan.panels.violations import ViolationsPanel
from gui.look.theme import DARK, LIGHT, Theme
from gui.panels.mcm.panel import PackagePanel
from gui.panels.mcm.view import PackageView
from gui.words.held import held_of
from planner.machines.mcm.simulation import report
from planner.machines.mcm.simulation.report import simulate
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
from tests.gui.package_models import TIDY, TRIANGLE, opened_package
from tests.gui.window_parts import PlainCanvas, make_window, settle, shown


@pytest.fixture
def panel(qtbot: QtBot) -> Generator[tuple[PackagePanel, Document]]:
    document = opened_package()
    panel = PackagePanel(document, LIGHT)
    with shown(qtbot, panel, 420, 320):
        yield panel, document
    document.deleteLater()


def place(panel: PackagePanel, chip: int) -> QPoint:
    return panel.view.arrangement.boxes[chip].center().toPoint()


def test_a_click_selects_the_chips_ops(qtbot: QtBot, panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    told: list[int] = []
    dock.device_shown.connect(told.append)
    qtbot.mouseClick(dock.view, Qt.MouseButton.LeftButton, pos=place(dock, 1))
    assert document.selection.tolist() == [2, 3]
    assert told == [1]
    settle()
    assert [chip.selected for chip in dock.view.package.chips] == [False, True, False, False]
    assert dock.memory.memory is not None
    assert dock.memory.memory.title == "Chip 1"
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(dock.view, Qt.MouseButton.LeftButton, shift, pos=place(dock, 2))
    assert document.selection.tolist() == [2, 3, 4, 5]
    qtbot.mouseClick(dock.view, Qt.MouseButton.LeftButton, shift, pos=QPoint(2, 2))
    assert len(document.selection) == 4, "the ground adds nothing"
    qtbot.mouseClick(dock.view, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert not len(document.selection)


def test_selected_ops_show_their_chips(panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    assert dock.memory.memory is not None
    assert dock.memory.memory.title == "Chip 2", "the fullest chip at first"
    document.select([0])
    settle()
    assert dock.memory.memory.title == "Chip 0"
    document.select([2, 4])
    settle()
    assert [chip.selected for chip in dock.view.package.chips] == [False, True, True, False]
    assert dock.memory.memory.title == "Chip 0", "ops of several chips choose none"


def test_keys_walk_select_and_move(qtbot: QtBot, panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    view = dock.view
    fresh = PackageView(LIGHT, HoverCard(dock), dock)
    fresh.show_package(view.package, -1)
    assert "Arrows walk" in fresh.accessibleDescription()
    view.setFocus()
    settle()
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.accessibleDescription().startswith("Chip 0, ")
    assert dock.view._card.isVisible()
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not dock.view._card.isVisible()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Left):
        qtbot.keyClick(view, key)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.accessibleDescription().startswith("Chip 3, ")
    document.select([5])
    qtbot.keyClick(view, Qt.Key.Key_M)
    assert document.device_of.tolist() == [0, 0, 1, 1, 2, 3]
    qtbot.keyClick(view, Qt.Key.Key_Home)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert document.selection.tolist() == [0, 1]
    qtbot.keyClick(view, Qt.Key.Key_F5)
    view.clearFocus()


def test_pointing_explains_chips_and_links(qtbot: QtBot, panel: tuple[PackagePanel, Document]) -> None:
    dock, _ = panel
    qtbot.mouseMove(dock.view, place(dock, 0))
    assert "<b>Chip 0</b>" in dock.view._card.text()
    middle = dock.view.arrangement.link(0).pointAtPercent(0.5)
    qtbot.mouseMove(dock.view, QPoint(int(middle.x()), int(middle.y())))
    assert "Chip 0 \N{RIGHTWARDS ARROW} Chip 1" in dock.view._card.text()
    qtbot.mouseMove(dock.view, QPoint(2, 2))
    assert not dock.view._card.isVisible()


def test_the_menu_is_that_of_the_device(qtbot: QtBot, panel: tuple[PackagePanel, Document]) -> None:
    dock, _ = panel
    asked: list[int] = []
    dock.menu_requested.connect(lambda chip, _: asked.append(chip))
    for reason, at in (
        (QContextMenuEvent.Reason.Mouse, place(dock, 2)),
        (QContextMenuEvent.Reason.Mouse, QPoint(1, 1)),
    ):
        QApplication.sendEvent(dock.view, QContextMenuEvent(reason, at, dock.view.mapToGlobal(at)))
    dock.view.setFocus()
    settle()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1))
    QApplication.sendEvent(dock.view, event)
    assert asked == [2, 2]


def test_the_memory_of_a_chip_step_by_step(qtbot: QtBot, panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    told: list[int] = []
    dock.op_shown.connect(told.append)
    document.select([2, 3])
    settle()
    memory = dock.memory
    assert memory.memory is not None
    assert memory.memory.ops.tolist() == [2, 3]
    step = memory.step_rect(1).center().toPoint()
    qtbot.mouseMove(memory, step)
    assert "conv_3" in memory._card.text()
    assert "step" in memory._card.text()
    qtbot.mouseClick(memory, Qt.MouseButton.LeftButton, pos=step)
    assert document.selection.tolist() == [3]
    assert told == [3]
    settle()
    memory.setFocus()
    settle()
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(memory, key)
    assert memory.accessibleDescription().startswith("conv_2, step 1 of 2, activations ")
    qtbot.keyClick(memory, Qt.Key.Key_Return)
    assert document.selection.tolist() == [2]
    qtbot.mouseMove(memory, QPoint(2, 2))
    qtbot.keyClick(memory, Qt.Key.Key_F5)
    qtbot.mouseClick(dock.view, Qt.MouseButton.LeftButton, pos=place(dock, 3))
    settle()
    assert memory.accessibleDescription() == "Nothing runs here."
    assert memory.step_at(100, 40) == -1
    dock.grab()


def test_an_overfull_chip_says_so(qtbot: QtBot) -> None:
    document = opened_package(sram=9.0 * 2**20)
    panel = PackagePanel(document, DARK)
    with shown(qtbot, panel, 900, 240):
        assert panel._parts.direction() == QBoxLayout.Direction.LeftToRight, "wide: side by side"
        panel.memory._cursor = 0
        assert dict(panel.memory.step_rows(0))["too much"]
        panel.grab()
        document.set_problem(McmPackage(4, sram=9.0 * 2**20, check_memory=False))
        settle()
        assert not panel.view.package.limited
        panel.grab()
        panel.set_theme(LIGHT)
        panel.resize(300, 400)
        settle()
        assert panel._parts.direction() == QBoxLayout.Direction.TopToBottom
    document.deleteLater()


def test_a_drag_shows_what_each_chip_would_make_of_it(panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    document.begin_preview([1])
    settle()
    chips = dock.view.package.chips
    assert all(chip.preview is not None for chip in chips)
    assert chips[0].preview is not None
    assert chips[0].preview.stays
    assert chips[3].preview is not None
    assert not chips[3].preview.legal
    assert dock.device_at(dock.view.mapToGlobal(place(dock, 3))) == 3
    assert dock.device_at(QPoint(-500, -500)) == -1
    document.update_preview(3)
    settle()
    assert dock.view.package.chips[3].target
    dock.grab()
    document.end_preview()
    settle()
    assert dock.view.package.chips[3].preview is None


def test_the_broken_triangle_is_drawn_while_it_is_looked_at(panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    document.set_assignment(TRIANGLE, "edit", "worse")
    settle()
    assert dock.view.package.path is None
    (violation,) = document.evaluation.violations
    document.point_at(violation)
    settle()
    assert dock.view.package.path is not None
    dock.grab()
    document.set_assignment(TIDY, "edit", "better")
    settle()
    assert document.pointed is None
    assert dock.view.package.path is None


def test_other_targets_get_a_sentence(qtbot: QtBot) -> None:
    document = Document()
    panel = PackagePanel(document, LIGHT)
    with shown(qtbot, panel, 400, 300):
        assert panel.words.text() == "Open a model to see its chips."
        panel.view.grab()
        document.open_graph(chain_graph(12), target=Pipeline(3))
        settle()
        assert "multi-chip module" in panel.words.text()
        assert not panel.view.isVisible()
    document.deleteLater()


# ---------------------------------------------------------------------- in the window
def test_the_dock_comes_and_goes_with_the_target(qtbot: QtBot) -> None:
    document = opened_package()
    window, close = make_window(qtbot, document)
    dock = window.docks.docks["package"]
    assert not dock.isHidden()
    assert window.actions_set["view.package"].isEnabled()
    dock.close()
    document.set_problem(McmPackage(5))
    settle()
    assert dock.isHidden(), "who closed it does not want it"
    window.focus_panel("package")
    settle()
    assert window.focusWidget() is window.package.view
    document.set_problem(Pipeline(3))
    settle()
    assert dock.isHidden()
    assert not window.actions_set["view.package"].isEnabled()
    document.set_problem(McmPackage(3))
    settle()
    assert not dock.isHidden()
    window.reset_docks()
    settle()
    assert not dock.isHidden()
    close()


def test_a_chip_brings_its_lane_and_its_page(qtbot: QtBot) -> None:
    document = opened_package()
    window, close = make_window(qtbot, document, size=(1400, 900))
    settle()
    qtbot.mouseClick(window.package.view, Qt.MouseButton.LeftButton, pos=place(window.package, 2))
    settle()
    canvas = window.canvas
    assert isinstance(canvas, PlainCanvas)
    assert ("lane", 2) in canvas.asked
    assert window.package in canvas.drop_targets
    assert "samples/s, one sample" in window.readouts.objective.note
    document.set_problem(McmPackage(4), "latency")
    settle()
    assert "slowest chip" in window.readouts.objective.note
    close()


def test_looking_at_a_violation_points_at_it(qtbot: QtBot) -> None:
    """In the panel alone: a window would plan anew for another package, and what was broken is then soon valid."""
    document = opened_package(TRIANGLE)
    panel = ViolationsPanel(document, LIGHT)
    with shown(qtbot, panel, 300, 300):
        panel.list.setCurrentRow(0)
        assert document.pointed is not None
        assert document.pointed.kind == "triangle"
        document.set_problem(McmPackage(5))
        settle()
        assert document.pointed is not None, "it is still broken and still chosen"
        document.set_assignment(TIDY, "edit", "fine")
        settle()
        assert document.pointed is None
        document.begin_preview([2])
        document.update_preview(0)
        assert document.pointed is not None, "what is in the way of a drag is drawn, too"
        assert document.pointed.kind == "triangle"
        document.update_preview(1)
        assert document.pointed is None
        document.end_preview()
    document.deleteLater()


def test_the_inspector_names_amounts_of_a_chip() -> None:
    from gui.panels.inspector_figures import device_rows, plan_rows

    document = opened_package()
    assert document.problem is not None
    rows = dict(device_rows(held_of(document.problem, document.evaluation), document.evaluation, 0))
    assert rows["Parameters"] == "8.00 MiB"
    assert {"Peak activations", "To the next chip"} <= set(rows)
    assert "Slowest chip" in dict(plan_rows(document.problem, document.evaluation))
    assert np.array_equal(document.device_of, TIDY)
    document.deleteLater()


# ---------------------------------------------------------------------- simulation
def test_a_simulation_is_told_until_the_plan_changes(
    qtbot: QtBot, panel: tuple[PackagePanel, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    dock, document = panel
    part = dock.simulating
    assert part.button.isVisible() and part.words.text() == "" and part.button.isEnabled()
    qtbot.mouseClick(part.button, Qt.MouseButton.LeftButton)
    assert part.busy and not part.button.isEnabled() and part.words.text().startswith("Simulating")
    qtbot.waitUntil(lambda: not part.busy)
    assert document.problem is not None
    said = simulate(document.problem, document.device_of, {}).rows
    assert part.words.text().startswith(f"Simulated: {said[0][1]}; latency {said[1][1]}; chip")
    assert part.button.isEnabled()
    document.select([0])
    settle()
    assert part.words.text() != "", "a selection changes no plan"
    document.move(np.array([1]), 1)
    settle()
    assert part.words.text() == ""
    part.simulate(document.problem, document.device_of)
    document.undo_stack.undo()
    settle()
    qtbot.wait(50)
    assert not part.busy and part.words.text() == "", "the plan that it was asked of is no longer there"
    monkeypatch.setattr(report, "simulate", lambda *_: 1 // 0)
    dock.simulate()
    qtbot.waitUntil(lambda: not part.busy)
    assert part.words.text().startswith("Not simulated: ")
    dock.end_threads()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_valid_plan_that_does_not_run_is_a_warning(qtbot: QtBot, theme: Theme) -> None:
    # The fullest chip holds 13.25 MiB, but two buffers of what reaches it take more.
    document = opened_package(sram=13.3 * 2**20)
    dock = PackagePanel(document, LIGHT)
    dock.set_theme(theme)
    with shown(qtbot, dock, 420, 420):
        assert document.evaluation.valid
        said = dock.simulating.words
        dock.simulate()
        assert not said.warns
        qtbot.waitUntil(lambda: not dock.simulating.busy)
        settle()
        assert said.text().startswith("Simulated: does not run: chip 2 has no place for") and said.warns
        for words in ("memory rule", "two buffers", "cost=simulated", "sram"):
            assert words in said.text()
        assert said.height() >= said.heightForWidth(said.width()), "no line is cut"
        image, left = said.grab().toImage(), round(10 * said.devicePixelRatioF())
        wide = round(13 * said.devicePixelRatioF())
        ink = {image.pixelColor(x, y).name() for x in range(left, left + wide) for y in range(image.height())}
        assert theme.warning in ink, "the sign"
        document.set_problem(McmPackage(4, sram=32.0 * 2**20))
        settle()
        dock.simulate()
        qtbot.waitUntil(lambda: not dock.simulating.busy)
        assert "does not run" not in said.text() and "MiB" in said.text() and not said.warns
        dock.end_threads()
    document.deleteLater()


def test_other_machines_are_not_simulated(qtbot: QtBot, panel: tuple[PackagePanel, Document]) -> None:
    dock, document = panel
    document.set_problem(Pipeline(3))
    settle()
    assert not dock.simulating.button.isVisible()
    dock.simulate()
    assert not dock.simulating.busy


def test_a_package_of_the_last_window_gives_way_where_the_machine_is_none(qtbot: QtBot) -> None:
    """A layout that is restored has the panel in front before there is a model; of a pool it has nothing to show."""
    document = Document()
    window, close = make_window(qtbot, document, size=(1400, 900))
    window.docks.reveal("package")
    window.docks.reveal("schedule")
    window.docks.reveal("package")
    document.open_graph(chain_graph(12), target=Pipeline(count=3))
    settle()
    assert window.docks.docks["package"].isHidden() and window.docks.in_front("schedule")
    window.docks.reveal("package")
    document.set_problem(Pipeline(count=4), "")
    settle()
    assert not window.docks.docks["package"].isHidden(), "who asks for it has it"
    close()
