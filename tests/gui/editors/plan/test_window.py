"""The window: what is where at each size, notices, files, themes, closing, and what is remembered."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QDockWidget,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QTabBar,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.background.warming import warming
from gui.document.plan.document import Document
from gui.document.values import Message
from gui.editors.plan import body
from gui.editors.plan.body import default_canvas
from gui.editors.plan.editor import MainWindow
from gui.look.theme import DARK
from gui.shell.session import Session
from gui.shell.start_page import samples
from gui.tools.story.actions import SHIPPED
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op
from planner.printable import plural
from tests.gui.models import chain_graph, write_model
from tests.gui.window_parts import answer, know_little, make_window, opened, settle


def wait_loaded(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=20_000)
    settle()


def test_start_page_until_a_model_is_open(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot)
    assert window.start_page.isVisible()
    links = window.start_page.links
    assert [link.text() for link in links[1:]] == [title for _, title in SHIPPED]
    window.start_page.setFocus()
    stops = (window.start_page.open_button, *links, *window.start_page.rows)
    for stop in stops:
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        assert window.focusWidget() is stop
    window.start_page.setFocus()
    assert window.windowTitle() == "Stageboard[*]"
    window.files.open_files([write_model(tmp_path)])
    wait_loaded(qtbot, window)
    assert window.canvas.isVisible()
    assert not window.start_page.isVisible()
    assert window.windowTitle().startswith("model")
    assert window.header.title.text() == "model"
    assert "3 accelerators and 1 CPU" in window.header.subtitle.text()
    close()


def test_at_first_no_key_takes_a_panel_out(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    assert window.focusWidget() is window.start_page
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert not any(dock.isFloating() for dock in window.docks.docks.values())
    close()


def words(panel: QWidget) -> str:
    """What a panel says in labels and pages."""
    labels = [label.text() for label in panel.findChildren(QLabel) if label.isVisibleTo(panel)]
    pages = [page.toPlainText() for page in panel.findChildren(QTextBrowser) if page.isVisibleTo(panel)]
    return " ".join([*labels, *pages])


def test_panels_say_what_is_being_opened_until_they_have_it(qtbot: QtBot) -> None:
    goes_on = threading.Event()
    window, close = make_window(qtbot)
    panels = (window.ops, window.inspector, window.violations, window.suggestions, window.planners)
    loading, document = window.files.loading, window.document
    loading.start("Opening chain.json …", goes_on.wait, lambda _: document.open_graph(chain_graph()))
    settle()
    for panel in panels:
        panel.refresh_now()
        assert "Opening chain.json …" in words(panel), panel.title
        assert "model is open" not in words(panel) and "model open" not in words(panel)
        assert "Open a model" not in words(panel)
    goes_on.set()
    wait_loaded(qtbot, window)
    for panel in panels:
        panel.refresh_now()
        assert "Opening" not in words(panel), panel.title
    loading.start("Opening another.json …", lambda: None, lambda _: None)
    assert "Opening another.json" not in words(window.ops), "what is open stays until then"
    wait_loaded(qtbot, window)
    document.undo_stack.setClean()
    close()


def test_what_is_opened_has_room_in_narrow_panels(qtbot: QtBot) -> None:
    """A name without spaces cannot be broken into lines: its middle goes, and no line of it is cut."""
    window, close = make_window(qtbot)
    name = "inception_resnet_v2_with_quite_a_long_name.json"
    window.document.set_opening(f"Opening {name} …")
    settle()
    said = "Opening inception_re…ng_name.json …"
    assert window.document.nothing("nothing") == said
    labels = [label for label in window.findChildren(QLabel) if label.text() == said and label.isVisible()]
    assert labels
    for label in labels:
        room = label.visibleRegion().boundingRect()
        if room.isEmpty():
            continue  # of a tab that is not in front
        assert label.sizeHint().width() <= label.width() or label.wordWrap()
        assert room.height() == label.height() >= label.heightForWidth(label.width())
        assert room.width() == label.width()
    window.document.set_opening("")
    close()


def test_a_model_that_opens_leaves_the_palette_open(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot)
    window.pick_command()
    window.palette_window.line.setText("the")
    window.files.open_files([write_model(tmp_path)])
    wait_loaded(qtbot, window)
    assert window.palette_window.isVisible()
    assert window.palette_window.line.text() == "the"
    close()


def test_who_types_while_a_model_opens_goes_on_typing(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot, opened())
    window.focus_panel("ops")
    window.ops.find_box.setFocus()
    window.files.open_files([write_model(tmp_path)])
    wait_loaded(qtbot, window)
    assert window.focusWidget() is window.ops.find_box, "keys that reach the canvas would move ops"
    window.ops.table.setFocus()
    window.files.open_files([write_model(tmp_path)])
    wait_loaded(qtbot, window)
    assert window.focusWidget() is window.canvas
    close()


def test_every_sample_of_the_start_page_exists() -> None:
    found = samples()
    assert len(found) >= 6
    assert all(path.is_file() for path, _, _ in found)
    assert {path.suffix for path, _, _ in found} >= {".json", ".onnx", ".tflite"}


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_nothing_is_cut_off(qtbot: QtBot, size: tuple[int, int]) -> None:
    window, close = make_window(qtbot, opened(), size=size)
    qtbot.wait(250)
    settle()
    assert window.size().toTuple() == size
    assert window.canvas.width() > size[0] * 0.5
    docks = window.docks.docks
    for id in ("devices", "ops", "planners", "help"):
        dock = docks[id]
        assert dock.isVisible(), id
        assert window.rect().contains(dock.geometry()), id
        assert dock.height() >= 120, id
    # Split, not one pile of tabs: devices over ops, planners over help.
    assert docks["devices"].geometry().bottom() < docks["ops"].geometry().top()
    assert docks["planners"].geometry().bottom() < docks["help"].geometry().top()
    assert docks["inspector"] in window.tabifiedDockWidgets(docks["ops"])
    assert window.readouts.width() == size[0]
    close()


def test_every_widget_that_takes_the_keyboard_has_a_name(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    for id in window.docks.docks:
        window.docks.reveal(id)
        settle()
    nameless = []
    for widget in window.findChildren(QWidget):
        inner = widget.objectName().startswith("qt_") or isinstance(widget.parent(), QAbstractItemView)
        composite = type(widget.parent()).__name__ in (
            "QSpinBox",
            "QDoubleSpinBox",
            "QComboBox",
            "QComboBoxPrivateContainer",
        )
        composite = composite or widget.window() is not window
        unused = isinstance(widget, QAbstractButton) and widget.isHidden() and not widget.text()
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not inner and not composite and not unused:
            words = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
            if not words and type(widget).__name__ not in ("QScrollArea", "QMenuBar", "PlainCanvas"):
                nameless.append(
                    f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
                )
    assert nameless == []
    assert all(bar.accessibleName() for bar in window.findChildren(QTabBar) if bar.isVisible())
    assert all(dock.windowTitle() for dock in window.findChildren(QDockWidget))
    close()


def test_messages_are_notices(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.message.emit(Message("error", "the file is odd; choose another", "line 3"))
    assert window.notice.isVisible()
    assert window.notice.text == "The file is odd; choose another"
    assert window.notice.level == "error"
    window.notice._more.click()
    assert "line 3" in window.notice.text
    window.notice.dismiss()
    assert not window.notice.isVisible()
    close()


def test_keys_move_the_selection(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    window.activateWindow()
    window.canvas.setFocus()
    document.select([3])
    settle()
    qtbot.keyClick(window.canvas, Qt.Key.Key_1)
    assert document.device_of[3] == 1
    qtbot.keyClick(window.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert document.device_of[3] == 0
    document.select([0])
    settle()
    qtbot.keyClick(window.canvas, Qt.Key.Key_2)
    assert document.device_of[0] == 2
    assert window.notice.level == "warning"
    assert "sends back" in window.notice.text
    window.notice._action.click()
    assert document.evaluation.valid
    assert document.device_of[0] == 2
    qtbot.keyClick(window.canvas, Qt.Key.Key_L)
    assert window.canvas.view == "lanes"
    close()


def test_a_notice_about_the_plan_goes_with_it(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([0])
    settle()
    window.actions_set["edit.move.2"].trigger()
    assert window.notice.isVisible()
    document.move([7], 2)
    assert not window.notice.isVisible()
    close()


def test_digits_in_fields_are_digits(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([3])
    window.ops.find_box.setFocus()
    before = document.device_of.tolist()
    qtbot.keyClicks(window.ops.find_box, "1p")
    assert window.ops.find_box.text() == "1p"
    assert document.device_of.tolist() == before
    window.ops.find_box.clear()
    close()


def test_panels_are_wired(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    assert window.canvas.drop_targets == [window.devices, window.package]
    window.select_bottleneck()
    device = document.evaluation.bottleneck
    assert (document.device_of[document.selection] == device).all()
    window.readouts.violations_requested.emit()
    assert window.violations.isVisible()
    window.suggestions.hovered.emit(document.selection)
    assert window.canvas.highlight is not None
    window.suggestions.hovered.emit(None)
    assert window.canvas.highlight is None
    window.ops.zoom_requested.emit(document.selection)
    assert window.canvas.asked[-1][0] == "ops"
    menu = window.context_menu(3)
    assert "Pin Where It Is" in [a.text() for a in menu.actions()]
    menu.deleteLater()
    for id in window.docks.docks:
        window.focus_panel(id)
        assert window.docks.panels[id].isVisible(), id
    close()


def test_bad_files_leave_the_document_alone(qtbot: QtBot, tmp_path: Path) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    problem = document.problem
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    for path in (bad, tmp_path / "missing.onnx"):
        window.files.open_files([path])
        wait_loaded(qtbot, window)
        assert window.notice.level == "error"
        assert path.name in window.notice.text
        assert document.problem is problem
        window.notice.dismiss()
    close()


def test_dropping_a_file_opens_it(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(write_model(tmp_path)))])
    none = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(5, 5), *none)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(5, 5), *none))
    wait_loaded(qtbot, window)
    assert window.document.graph is not None
    assert window.document.graph.n == 12
    close()


def test_what_is_told_of_a_model_that_opens_stays(qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "colour.json"
    file.write_text(
        '{"format": "stageboard-graph", "version": 1, "name": "c", "time_unit": "s", "ops": ['
        '{"id": "a", "work": 1, "work_cpu": 1, "colour_class": 0}, {"id": "b", "work": 1, "work_cpu": 1, "colour_class": 0}],'
        ' "tensors": [{"from": "a", "to": ["b"], "bytes": 1}]}'
    )
    window, close = make_window(qtbot)
    window.files.open_files([file])
    wait_loaded(qtbot, window)
    assert window.notice.level == "warning" and "One colour class is not kept" in window.notice.text
    close()


def test_saving_opening_and_exporting(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtWidgets import QFileDialog

    window, close = make_window(qtbot)
    model = write_model(tmp_path)
    window.files.open_files([model])
    wait_loaded(qtbot, window)
    document = window.document
    answers = iter(["plan", "split", "graph", "table"])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / next(answers)), ""))
    document.move([5], 3)
    assert document.modified
    assert "not saved" in window.header.subtitle.text()
    broken = len(document.evaluation.violations)
    window.files.save_plan()
    assert broken and window.notice.text == f"Saved plan.json ({plural(broken, 'violation')})."
    assert (tmp_path / "plan.json").is_file()
    assert not document.modified
    for export in ("export_split", "export_dot", "export_csv"):
        getattr(window.files, export)()
        assert window.notice.level == "info", window.notice.text
    assert {p.suffix for p in tmp_path.iterdir() if p.is_file()} >= {".json", ".dot", ".csv"}
    saved = document.device_of.tolist()
    document.move([5], 0)
    document.undo_stack.setClean()
    window.files.open_files([model, tmp_path / "plan.json"])
    wait_loaded(qtbot, window)
    assert document.device_of.tolist() == saved
    close()


def test_an_unsaved_plan_is_not_lost_by_closing_once(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    window.close()
    assert window.isVisible()
    # Who cancels loses nothing, and is asked again.
    answer(window, QMessageBox.StandardButton.Cancel)
    assert window.isVisible()
    window.close()
    assert window.isVisible()
    answer(window, QMessageBox.StandardButton.Discard)
    assert not window.isVisible()
    assert ("close", None) in window.canvas.asked
    close()


def test_a_second_model_asks_first(qtbot: QtBot, tmp_path: Path) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    window.files.open_files([write_model(tmp_path)])
    assert not window.files.loading.busy
    answer(window, QMessageBox.StandardButton.Discard)
    wait_loaded(qtbot, window)
    assert document.graph is not None
    assert document.graph.name == "model"
    close()


def test_theme_and_session(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    window, close = make_window(qtbot, session=session)
    window.files.open_files([write_model(tmp_path)])
    wait_loaded(qtbot, window)
    window.set_theme_name("dark")
    assert window.canvas.theme is DARK
    assert window.devices.theme is DARK
    window.document.set_problem(Pipeline(count=2))
    window.docks.docks["violations"].close()
    window.docks.reveal("convergence")
    window.canvas.set_view("lanes")
    recent = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Open Recent")
    recent.aboutToShow.emit()
    assert "model.json" in recent.actions()[0].text()
    settle()
    close()
    again = Session(tmp_path / "session.ini")
    assert again.theme == "dark"
    assert [p.name for p in again.recent[0]] == ["model.json"]
    window, close = make_window(qtbot, session=again)
    assert window.canvas.view == "lanes"
    assert window.docks.docks["violations"].isHidden()
    assert not window.docks.docks["convergence"].isHidden()
    assert len(window.start_page.rows) > len(samples())
    window.files.open_files(again.recent[0])
    wait_loaded(qtbot, window)
    assert window.document.problem is not None
    assert window.document.problem.target == Pipeline(count=2)
    window.reset_docks()
    settle()
    assert not window.docks.docks["violations"].isHidden()
    close()


def test_a_machine_that_is_remembered_is_named_and_left_in_one_step(qtbot: QtBot, tmp_path: Path) -> None:
    session, path = Session(tmp_path / "session.ini"), write_model(tmp_path)
    window, close = make_window(qtbot, session=session)
    window.files.open_files([path])
    wait_loaded(qtbot, window)
    default = window.document.open_problem
    assert "as last time" not in window.notice.text
    window.document.set_problem(Pipeline(count=2))
    close()
    window, close = make_window(qtbot, session=session)
    window.files.open_files([path])
    wait_loaded(qtbot, window)
    document, notice = window.document, window.notice
    assert not notice.isHidden() and notice.text.startswith("Opened on a pipeline of 2 stages, as last time.")
    assert notice._action.text() == "Back to the Default"
    notice._act()
    assert document.open_problem == default and document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert document.open_problem.target == Pipeline(count=2)
    close()


def test_everything_can_be_read_before_a_model_is_open(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, Document())
    for id in window.docks.docks:
        window.docks.reveal(id)
        settle()
    for edit in window.findChildren(QLineEdit):
        edit.setText("x")
    settle()
    assert not window.grab().isNull()
    close()


def test_several_plans_dropped_at_once_join_the_list(qtbot: QtBot, tmp_path: Path) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    plans = []
    for i in (1, 2):
        document.move([7 if i == 1 else 3], 2 if i == 1 else 1)
        document.save_plan(tmp_path / f"plan{i}.plan.json")
        plans.append(tmp_path / f"plan{i}.plan.json")
    before = len(document.plans)
    window.files.open_files(plans)
    assert len(document.plans) == before + 2 and document.device_of[3] == 1
    close()


def test_the_examples_of_the_start_page_are_never_cut(qtbot: QtBot) -> None:
    for size in ((1280, 800), (1024, 700), (1600, 900)):
        window, close = make_window(qtbot, size=size)
        for link in window.start_page.links:
            assert link.fontMetrics().horizontalAdvance(link.text()) + 16 <= link.width(), size
        close()


def test_a_click_on_the_canvas_brings_the_inspector_to_the_front(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(), canvas_factory=default_canvas)
    qtbot.waitUntil(lambda: window.settled, timeout=20_000)
    docks, canvas = window.docks, window.canvas

    def click(op: int) -> None:
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.op_rect(op).center().toPoint())
        settle()

    def in_front(id: str) -> bool:
        return not docks.docks[id].widget().visibleRegion().isEmpty()

    assert in_front("ops")
    click(3)
    assert in_front("inspector")
    bar = next(
        bar
        for bar in window.findChildren(QTabBar)
        if "Inspector" in [bar.tabText(i) for i in range(bar.count())]
    )
    words = [bar.tabText(i) for i in range(bar.count())]
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(words.index("Ops")).center())
    settle()
    click(4)
    assert in_front("ops")  # it was chosen
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(words.index("Inspector")).center())
    window.show_find()
    window.ops.find_box.setText("conv")
    settle()
    click(5)
    assert in_front("ops")  # ops are being found
    window.ops.find_box.clear()
    click(6)
    assert in_front("inspector")
    docks.docks["inspector"].close()
    click(7)
    assert docks.docks["inspector"].isHidden()
    close()


def test_escape_on_the_canvas_takes_back_the_selection_and_then_the_search(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document, canvas_factory=default_canvas)
    qtbot.waitUntil(lambda: window.settled, timeout=20_000)
    window.show_find()
    window.ops.find_box.setText("conv")
    settle()
    assert window.canvas.scene is not None
    window.canvas.setFocus()  # one looks at what was found
    document.select([3])
    QTest.keyClick(window.canvas, Qt.Key.Key_Escape)
    assert not len(document.selection) and window.ops.find_box.text() == "conv"
    QTest.keyClick(window.canvas, Qt.Key.Key_Escape)
    settle()
    assert window.ops.find_box.text() == "" and window.ops.count.text() == "12 ops"
    close()


def test_comparing_a_single_plan_says_why_not(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    for entry in [one for one in document.plans if one is not document.active]:
        document.remove_plan(entry)
    window.actions_set["plan.compare"].trigger()
    assert window.notice.text.startswith("There is no second plan to compare with: start a planner")
    assert window.notice.level == "info" and window.notice._action.text() == "Start a Planner"
    document.add_plan(document.device_of.copy(), "another")
    settle()
    window.plans.make_current(document.active)
    window.actions_set["plan.compare"].trigger()
    assert window.notice.text.startswith("Select another plan than the one on the canvas")
    close()


def test_finding_lights_up_the_canvas_and_f3_walks(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document, canvas_factory=default_canvas)
    qtbot.waitUntil(lambda: window.settled, timeout=20_000)
    window.show_find()
    window.ops.find_box.setText("kind:Conv")
    window.ops.run_find()
    scene = window.canvas.scene
    assert scene is not None
    assert scene.highlighted.nonzero()[0].tolist() == [0, 3, 6, 9]
    for _ in range(2):
        QTest.keyClick(window.ops.find_box, Qt.Key.Key_F3)
    assert document.selection.tolist() == [3]
    QTest.keyClick(window.canvas, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert document.selection.tolist() == [0]
    window.ops.find_box.clear()
    window.ops.run_find()
    assert not scene.highlighted.any()
    assert not scene.faded.any()
    window.ops.find_box.setText("kind:Nothing")
    window.ops.run_find()
    assert scene.faded.all()
    window.ops.find_box.setText("/(/")
    window.ops.run_find()
    assert not scene.faded.any()
    close()


def test_escape_in_the_find_box_ends_the_search_and_gives_the_keyboard_back_to_the_canvas(
    qtbot: QtBot,
) -> None:
    window, close = make_window(qtbot, opened(), canvas_factory=default_canvas)
    qtbot.waitUntil(lambda: window.settled, timeout=20_000)
    window.show_find()
    QTest.keyClicks(window.ops.find_box, "kind:Conv")
    QTest.keyClick(window.ops.find_box, Qt.Key.Key_Return)
    QTest.keyClick(window.ops.find_box, Qt.Key.Key_Escape)
    assert window.canvas.hasFocus() and window.ops.find_box.text() == ""
    assert window.document.selection.tolist() == [0], "where one has got to stays selected"
    QTest.keyClick(window.canvas, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert window.canvas.view == "stages" and window.ops.find_box.text() == ""
    close()


def test_who_brings_a_plan_is_made_none_unasked(qtbot: QtBot, tmp_path: Path) -> None:
    """``stageboard MODEL PLAN`` opens with that plan alone: nothing to undo, no notice of another plan."""
    model, plan, elsewhere = write_model(tmp_path), tmp_path / "mine.plan.json", tmp_path / "other.plan.json"
    document = Document()
    document.open_graph(read_model(model), [model])
    document.save_plan(plan)
    opened(8, 3).save_plan(elsewhere)
    window, close = make_window(qtbot)
    window.files.open_graphs([model], plan)
    wait_loaded(qtbot, window)
    assert [entry.origin for entry in window.document.plans] == ["file"]
    assert window.document.plan_path == plan and not window.document.undo_stack.canUndo()
    assert "stays in Plans" not in window.notice.text
    close()
    window, close = make_window(qtbot)
    window.files.open_graphs([model], elsewhere)
    wait_loaded(qtbot, window)
    assert [entry.origin for entry in window.document.plans] == ["start"]
    assert window.notice.isVisible() and "The model is open with a plan of its own" in window.notice.text
    close()


def test_an_entry_that_cannot_be_chosen_says_why(qtbot: QtBot) -> None:
    document = Document()
    window, close = make_window(qtbot, document)
    for graph, can in (
        (chain_graph(12), True),
        (Graph.build("plain", [Op("a", "a", "Conv"), Op("b", "b", "Relu")], []), False),
    ):
        document.open_graph(graph, target=Pipeline(count=2))
        know_little(document)
        window.update_actions()
        layers = window.actions_set["view.group.layers"]
        tip = (
            "Group by the layers of the file"
            if can
            else "The model's file does not say which layers its ops are in"
        )
        assert layers.isEnabled() == can
        assert layers.toolTip() == layers.statusTip() == tip
    close()


def test_what_edits_a_plan_is_loaded_once_there_is_a_picture(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[object] = []
    monkeypatch.setattr(body, "EDITING_MS", 1)
    monkeypatch.setattr(warming, "load_editing", loaded.append)
    document = Document()
    window, close = make_window(qtbot, document)
    try:
        window.canvas.busy = True
        document.open_graph(chain_graph(), target=Pipeline(count=3))
        qtbot.wait(30)
        assert loaded == []
        window.canvas.busy = False
        qtbot.waitUntil(lambda: loaded == [document.problem])
    finally:
        close()
