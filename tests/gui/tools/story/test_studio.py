"""The story of a window, made as a person makes it: buttons, keys, files."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QFontMetricsF, QTextCursor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from gui.editors.plan.editor import MainWindow
from gui.editors.plan.pictured import pictured
from gui.look.page import Page
from gui.present.certificate.dialog import CertificateDialog
from gui.present.show import Show
from gui.present.window import PresenterWindow
from gui.shell.docks import tab_bars, tabs_of
from gui.shell.picture_dialog import Choice
from gui.shell.session import Session
from gui.tools.story.editor import PANELS, VIEWS, suits
from gui.tools.story.frames import ModelSource
from gui.tools.story.frames_list import PICTURE
from gui.tools.story.thumbnails import FRAME, THUMB
from planner.errors import StageboardError
from planner.machines.catalogue import planner
from planner.machines.mcm.target import McmPackage
from planner.machines.pool.target import DevicePool
from planner.model.samples import STORIES as SHIPPED
from planner.problem.provenance import Provenance
from planner.search.run import run
from planner.story.files.json import read_story
from planner.story.keyframe import LONGEST_CAPTION, LONGEST_NOTES
from tests.gui.editors.network.window_parts import order_window
from tests.gui.models import write_model
from tests.gui.window_parts import answer, know_little, make_window, opened, settle
from tests.planner.story.test_proving import PROVEN, best, said
from tests.planner.story.test_proving import told as claimed_story


@pytest.fixture
def window(qtbot: QtBot) -> Generator[MainWindow]:
    window, close = make_window(qtbot, opened())
    yield window
    close()


def press(window: MainWindow, id: str) -> None:
    window.update_actions()
    assert window.actions_set[id].isEnabled(), id
    window.actions_set[id].trigger()
    settle()


def test_capture_says_so_where_the_panel_is_hidden(window: MainWindow) -> None:
    assert not window.actions_set["story.present_here"].isEnabled()
    press(window, "story.present")
    assert window.notice.text.startswith("F5 presents a story, and there is none yet")
    press(window, "story.capture")
    assert "Captured" in window.notice.text and len(window.studio.draft.frames) == 1
    QTest.mouseClick(window.notice._action, Qt.MouseButton.LeftButton)
    settle()
    assert window.studio.panel.isVisible()


def test_a_heat_map_is_captured_and_comes_back(window: MainWindow) -> None:
    press(window, "story.capture")
    press(window, "view.colour.time")
    press(window, "story.capture")
    studio = window.studio
    assert [frame.keyframe.colouring for frame in studio.draft.frames] == ["stage", "time"]
    assert studio.draft.frames[1].keyframe.title == "Where the time goes"
    press(window, "view.colour.stage")
    studio._show_on_canvas(1)
    assert window.canvas.colouring == "time"
    press(window, "view.colour.bytes")
    press(window, "story.retake")
    assert studio.draft.frames[1].keyframe.colouring == "bytes"


def test_the_list_shows_pictures_and_follows_the_keys(qtbot: QtBot, window: MainWindow) -> None:
    studio = window.studio
    studio.show_story()
    QAbstractItemModelTester(studio.panel.list.frames)
    for _ in range(3):
        QTest.mouseClick(studio.panel.capture, Qt.MouseButton.LeftButton)
    settle()
    assert studio.panel.list.frames.rowCount() == 3 and studio.draft.current == 2
    first = studio.panel.list.frames.index(0, 0)
    first.data(PICTURE)
    qtbot.waitUntil(lambda: first.data(PICTURE) is not None)
    studio.draft.edit("Change a title", title="chosen")
    studio.panel.list.setFocus()
    QTest.keyClick(studio.panel.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert studio.draft.current == 1
    titles, captions = zip(
        *((f.keyframe.title, f.keyframe.caption) for f in studio.draft.frames), strict=True
    )
    assert titles[1] == "chosen" and titles[2] != "chosen"
    assert captions[1] and not captions[2], "it is said once, where it is seen first"
    QTest.keyClick(studio.panel.list, Qt.Key.Key_Delete)
    assert len(studio.draft.frames) == 2
    QTest.keyClick(studio.panel.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(studio.draft.frames) == 3  # the story's own undo, not the plan's
    assert not window.document.undo_stack.canRedo()


def test_keyframes_are_moved_by_the_mouse_and_from_the_menu(window: MainWindow) -> None:
    studio = window.studio
    studio.show_story()
    for _ in range(3):
        press(window, "story.capture")
    for index, title in enumerate("abc"):
        studio.draft.select(index)
        studio.draft.edit("Change a title", title=title)
    settle()
    frames, rows = studio.panel.list, studio.panel.list.frames

    def titles() -> str:
        return "".join(frame.keyframe.title for frame in studio.draft.frames)

    def drop(row: int, on: int, below: bool) -> None:
        studio.draft.select(row)
        place = frames.visualRect(rows.index(on, 0))
        at = QPointF(place.center().x(), place.bottom() - 3 if below else place.top() + 3)
        frames.dropEvent(
            QDropEvent(at, Qt.DropAction.MoveAction, QMimeData(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        )  # fmt: skip

    assert rows.flags(rows.index(0, 0)) & Qt.ItemFlag.ItemIsDragEnabled
    drop(0, 2, below=True)
    assert titles() == "bca" and studio.draft.current == 2
    drop(2, 0, below=False)
    assert titles() == "abc"
    drop(0, 1, below=False)
    assert titles() == "abc", "between where it was and the next"
    drop(2, 1, below=False)
    assert titles() == "acb"
    studio.draft.undo_stack.undo()
    assert titles() == "abc"
    menu = studio.panel.more.menu()
    studio.draft.select(0)
    studio.panel.menu_requested.emit(menu)
    up, down = menu.actions()[:2]
    assert not up.isEnabled() and down.isEnabled()
    down.trigger()
    assert titles() == "bac" and studio.draft.current == 1


def test_a_low_window_shows_four_keyframes_above_their_words(qtbot: QtBot, window: MainWindow) -> None:
    for _ in range(5):
        press(window, "story.capture")
    window.studio.show_story()
    shown = window.studio.panel.list
    qtbot.waitUntil(lambda: shown.viewport().height() >= 4 * shown.sizeHintForRow(0))
    assert window.height() == 800 and window.studio.panel.editor.caption.isVisible()


def test_words_are_edited_in_place(window: MainWindow) -> None:
    studio = window.studio
    studio.show_story()
    press(window, "story.capture")
    editor = studio.panel.editor
    editor.title.clear()
    QTest.keyClicks(editor.title, "Even shares")
    assert studio.draft.frame is not None and studio.draft.frame.keyframe.title == "Even shares"
    editor.caption.setPlainText("x" * (LONGEST_CAPTION + 50))
    assert studio.draft.frame.keyframe.caption == "x" * LONGEST_CAPTION
    editor.notes.setPlainText("Wait for the question. " * 300)
    assert studio.draft.frame.keyframe.notes == ("Wait for the question. " * 300)[:LONGEST_NOTES]
    studio.draft.undo_stack.undo()
    assert not studio.draft.frame.keyframe.notes and not editor.notes.toPlainText()
    editor.hold.setValue(7.5)
    assert studio.draft.frame.keyframe.hold == 7.5
    assert editor.view.findData("stages") >= 0
    assert editor.view.findData("package") < 0 and editor.panel.findData("package") < 0  # of another machine
    assert editor.panel.findData("difference") < 0  # there is no earlier plan to compare with
    window.document.move([7], 2)
    press(window, "story.capture")
    assert editor.panel.findData("difference") >= 0
    editor.panel.setCurrentIndex(editor.panel.findData("difference"))
    editor.panel.activated.emit(editor.panel.currentIndex())
    frame = studio.draft.frame
    assert frame is not None and frame.versus is studio.draft.frames[0].shown


def test_packages_are_offered_where_the_machine_is_one() -> None:
    own = McmPackage(4).own_views
    assert {entry[0] for entry in VIEWS if suits(entry, own)} == {entry[0] for entry in VIEWS} >= {"package"}
    assert all(suits(entry, ()) for entry in PANELS if entry[0] != "package")


def test_a_story_is_saved_and_opened(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.document.open_model(write_model(tmp_path))
    studio = window.studio
    press(window, "story.capture")
    path = tmp_path / "talk"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    assert studio.unsaved
    press(window, "story.save")
    saved = tmp_path / "talk.story.json"
    assert not studio.unsaved and len(read_story(saved).keyframes) == 1
    press(window, "story.capture")
    window.files.open_files([saved])
    assert len(studio.draft.frames) == 2
    answer(window, QMessageBox.StandardButton.Discard)
    qtbot.waitUntil(lambda: not studio.loading.busy)
    assert len(studio.draft.frames) == 1 and not studio.unsaved


def test_no_story_is_offered_a_place_among_those_that_are_shipped(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio, asked = window.studio, []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *given: (asked.append(Path(given[2])), ("", ""))[1]
    )
    studio.open_shipped("pipeline")
    qtbot.waitUntil(lambda: not studio.loading.busy and bool(studio.draft.frames), timeout=60_000)
    press(window, "story.save")
    press(window, "story.export")
    assert len(asked) == 2 and all(SHIPPED.resolve() not in path.resolve().parents for path in asked)


def test_closing_asks_once_about_a_story(window: MainWindow) -> None:
    press(window, "story.capture")
    window.close()
    assert window.isVisible()
    answer(window, QMessageBox.StandardButton.Discard)
    assert not window.isVisible()


def test_a_keyframe_comes_back_to_the_canvas_in_one_step(window: MainWindow) -> None:
    document, studio = window.document, window.studio
    before = document.device_of.copy()
    press(window, "story.capture")
    document.move([7], 2)
    document.move([3], 1)
    count = document.undo_stack.count()
    studio.panel.show_requested.emit(0)
    assert (document.device_of == before).all() and document.undo_stack.count() == count + 1
    document.undo_stack.undo()
    assert document.device_of[7] == 2


def test_a_network_has_a_story_too(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        window.document.set_position(0)
        window.studio.capture_keyframe()
        window.document.set_position(3)
        window.studio.capture_keyframe()
        assert [frame.keyframe.at for frame in window.studio.draft.frames] == [0, 3]
        window.studio.panel.show_requested.emit(0)
        assert window.document.position == 0
        window.document.set_position(2)
        window.studio.draft.select(1)
        window.actions_set["story.retake"].trigger()
        assert [frame.keyframe.at for frame in window.studio.draft.frames] == [0, 2]
        window.studio.draft.undo_stack.setClean()


def test_a_title_that_is_about_the_view_follows_it(window: MainWindow) -> None:
    press(window, "story.capture")
    draft, editor = window.studio.draft, window.studio.panel.editor

    def titled(title: str, view: str) -> str:
        frame = draft.frame
        assert frame is not None
        draft.change(0, replace(frame, keyframe=replace(frame.keyframe, title=title)), "Change a title")
        editor.view.setCurrentIndex(editor.view.findData(view))
        editor.view.activated.emit(editor.view.currentIndex())
        assert draft.frame is not None and draft.frame.keyframe.view == view
        return draft.frame.keyframe.title

    assert titled("As it flows", "lanes") == "Device by device"
    assert titled("Device by device", "stages") == "Stages, and what flows between them"
    assert titled("Stages, and what flows between them", "certificate") == "The certificate"
    assert titled("My own", "flow") == "My own"
    assert titled("Device by device", "lanes") == "Device by device", "it was about another view: one's own"


def test_a_title_says_that_the_stages_of_a_plan_are_shown(window: MainWindow) -> None:
    press(window, "view.stages")
    press(window, "story.capture")
    assert window.studio.draft.frames[0].keyframe.title.endswith(": stages")


def test_a_certificate_is_captured_from_its_window(window: MainWindow) -> None:
    press(window, "story.capture")
    assert "(Flow)" in window.notice.text, "what was captured is named"
    press(window, "story.certificate")
    dialog = window.findChild(CertificateDialog)
    assert dialog.capture_button.shortcut().toString() == "Ctrl+Shift+K"
    QTest.mouseClick(dialog.capture_button, Qt.MouseButton.LeftButton)
    draft = window.studio.draft
    assert draft.frame is not None and draft.frame.keyframe.view == "certificate"
    assert draft.frame.shown is draft.frames[0].shown and "as keyframe 2 of 2" in dialog.said.text()
    dialog.close()
    settle()


def test_the_certificate_stands_in_the_export_menu_too(window: MainWindow) -> None:
    certificate = window.actions_set["story.certificate"]
    export = next(a.menu() for a in window.menus["File"].actions() if a.text() == "Export")
    assert certificate in export.actions() and certificate in window.menus["Story"].actions()


def test_exports_that_are_asked_for_at_once_are_written_one_after_the_other(
    qtbot: QtBot, tmp_path: Path
) -> None:
    window, close = make_window(qtbot)
    window.files.open_files([write_model(tmp_path)])
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=20_000)
    settle()
    press(window, "story.capture")
    studio = window.studio
    paths = [tmp_path / name for name in ("a.pdf", "b.html")]
    for path in paths:
        studio.export_to(path)
    assert window.notice.text == "Writing a.pdf …, then b.html"
    with pytest.raises(StageboardError):
        studio.export_to(tmp_path / "c.doc")
    qtbot.waitUntil(lambda: not studio.exporting, timeout=120_000)
    assert all(path.exists() for path in paths)
    assert all(path.name in window.notice.text for path in paths)
    close()


def test_the_menu_names_the_stories_that_are_there() -> None:
    from gui.tools.story.actions import SHIPPED
    from planner.model.samples import STORIES

    there = {path.name.removesuffix(".story.json") for path in STORIES.glob("*.story.json")}
    assert {name for name, _ in SHIPPED} == there
    # What they are about is said before anything else: the machine, or the kind of network.
    machines = {"Pipeline", "Device placement", "Edge TPUs", "Multi-chip module", "Sparse network"}
    assert {about.partition(":")[0] for _, about in SHIPPED} == machines


def test_a_story_opened_in_an_empty_window_brings_its_model_and_plan(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    window.studio.open_shipped("edge-tpu")
    qtbot.waitUntil(lambda: not window.studio.loading.busy, timeout=20_000)
    document, first = window.document, window.studio.draft.frames[0].shown
    assert document.problem == first.plan.problem and document.active is not None
    assert document.active.name == first.plan.name and document.active.origin == "file"
    assert not document.modified and window.unsaved() == []
    window.studio._show_on_canvas(2)
    settle()
    assert document.undo_stack.canUndo()
    assert not document.modified and window.unsaved() == [], "the story's file holds it"
    document.move([0], (int(document.device_of[0]) + 1) % 2)
    assert document.modified
    window.studio._show_on_canvas(1)
    assert not document.modified, "what was changed is a plan of the list, and the story holds this one"
    window.close()
    settle()
    (edited,) = window.unsaved()
    assert window.isVisible() and edited.words.startswith("the plan") and "edited" in edited.words
    buttons = QMessageBox.StandardButton
    question = window.closing.question
    assert question is not None
    assert question.standardButtons() == buttons.Save | buttons.Discard | buttons.Cancel
    answer(window, buttons.Discard)
    assert not window.isVisible() and window.closing.question is None
    close()


def test_the_search_of_a_plan_becomes_keyframes(qtbot: QtBot, window: MainWindow) -> None:
    document, notice = window.document, window.notice
    press(window, "story.replay")
    assert notice.text.startswith("Nothing says how this plan was found")
    found = run(planner("slice"), document.problem).device_of
    for provenance, told in (
        (Provenance(planner="slice"), "does not say which seed"),
        (Provenance(planner="slice", seed=0), "The search became"),
    ):
        entry = document.add_plan(found, "found", planner="slice", provenance=provenance)
        window.plans.make_current(entry)
        press(window, "story.replay")
        assert notice.text.startswith("Running the search")
        press(window, "story.replay")
        assert "already" in notice.text
        qtbot.waitUntil(lambda told=told: told in notice.text, timeout=60_000)
    assert window.studio.draft.frames


def test_what_is_folded_is_captured_and_comes_back(window: MainWindow) -> None:
    document, studio = window.document, window.studio
    press(window, "story.capture")
    document.fold_all()
    press(window, "story.capture")
    document.unfold([1])
    press(window, "story.capture")
    keyframes = [frame.keyframe for frame in studio.draft.frames]
    assert [[(g.name, g.ops) for g in k.folded] for k in keyframes] == [
        [],
        [("block0", "0-2"), ("block1", "3-5"), ("block2", "6-8"), ("block3", "9-11")],
        [("block0", "0-2"), ("block2", "6-8"), ("block3", "9-11")],
    ]
    assert [k.title for k in keyframes[1:]] == ["4 groups, folded", "Inside block1"]
    document.set_grouping("none")
    for index, folded in ((2, {0, 2, 3}), (0, set()), (1, {0, 1, 2, 3})):
        studio._show_on_canvas(index)
        settle()
        assert document.folded == folded
    document.unfold_all()
    studio.draft.select(1)
    press(window, "story.retake")
    assert studio.draft.frames[1].keyframe.folded == ()


def test_a_certificate_leaves_the_canvas_folded(window: MainWindow) -> None:
    studio, document = window.studio, window.document
    studio.recorder.capture_certificate(studio._shots.shown())
    document.fold_all()
    studio._show_on_canvas(0)
    assert len(document.folded) == 4


def test_captured_certificates_are_called_after_their_plans(window: MainWindow) -> None:
    studio = window.studio
    for _ in range(2):
        studio.recorder.capture_certificate(studio._shots.shown())
    titles = [frame.keyframe.title for frame in studio.draft.frames]
    assert len(set(titles)) == 2 and all(title.startswith("The certificate of “") for title in titles)


def test_enter_on_a_certificate_opens_it_as_it_was_captured(window: MainWindow) -> None:
    studio, document = window.studio, window.document
    shown = studio._shots.shown()
    studio.recorder.capture_certificate(shown)
    document.move([0], 2)
    studio.panel.list.setFocus()
    QTest.keyClick(studio.panel.list, Qt.Key.Key_Return)
    (dialog,) = window.findChildren(CertificateDialog)
    assert dialog.isVisible() and dialog._plan is shown.plan
    assert dialog.capture_button.isHidden() and dialog.prove_button.isHidden()
    assert document.device_of[0] == 2, "the canvas stays as it is"
    dialog.close()


def test_folded_groups_are_saved_and_opened(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    model = write_model(tmp_path)
    window.document.open_model(model)
    settle()
    window.document.fold_all()
    press(window, "story.capture")
    folded = window.studio.draft.frames[0].keyframe.folded
    assert len(folded) == 4
    path = tmp_path / "talk.story.json"
    assert window.studio._save(path)
    assert read_story(path).keyframes[0].folded == folded


def test_what_the_window_proves_meanwhile_is_told_on_screen(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """A claim of the story's file that the window proves once the story is presented counts there, when the slide has come to rest."""
    plan = best()
    read = claimed_story(tmp_path, plan.objective, plan)
    document, studio = window.document, window.studio
    document.open_graph(plan.problem.graph, target=plan.problem.target)
    document.change_problem(plan.problem, "as the story does")
    know_little(document)
    studio.draft.open(read, tmp_path / "talk.story.json", [ModelSource(plan.problem.graph)])
    presenter = PresenterWindow(studio._told(), full_screen=False, proving=0.0)
    studio._presenter = presenter
    presenter.closed.connect(studio._presented)
    presenter.begin()
    assert PROVEN not in said(presenter.resolved)
    presenter.go(1)
    bound = plan.problem.bound(
        plan.problem.components[0], plan.objective, "chain-dp", plan.problem.assumptions
    )
    document.add_bounds([bound])
    assert not presenter.course.resting and PROVEN not in said(presenter.resolved), "nothing jumps meanwhile"
    presenter.advance(60.0)
    assert presenter.course.resting and PROVEN in said(presenter.resolved)
    told_so = presenter.resolved
    document.add_bounds([bound])
    document.set_assignment(np.zeros(plan.problem.graph.n, np.int32), "edit", "all on one")
    assert presenter.resolved is told_so, "nothing new is nothing to tell"
    presenter.close()
    document.add_bounds([replace(bound, value=0.5 * bound.value)])


def test_stories_opened_lately_are_in_the_menu(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    window, close = make_window(qtbot, session=session)
    try:
        window.document.open_model(write_model(tmp_path))
        settle()
        press(window, "story.capture")
        mine, gone = tmp_path / "mine.story.json", tmp_path / "gone.story.json"
        session.add_recent((tmp_path / "model.onnx",))
        session.add_story(gone)
        (menu,) = [menu for menu in window.findChildren(QMenu) if menu.title() == "Open Recent Story"]
        assert menu.menuAction() in window.menus["Story"].actions()
        assert window.studio._save(mine)
        press(window, "story.new")
        assert not window.studio.draft.frames
        menu.aboutToShow.emit()
        entries = [(action.text().split()[0], action.isEnabled()) for action in menu.actions()[:2]]
        assert entries == [("mine.story.json", True), ("gone.story.json", False)]
        menu.actions()[0].trigger()
        qtbot.waitUntil(lambda: bool(window.studio.draft.frames), timeout=60_000)
        assert window.studio.draft.path == mine
        menu.aboutToShow.emit()
        menu.actions()[-1].trigger()
        assert session.stories == [] and len(session.recent) == 1
        menu.aboutToShow.emit()
        assert [action.text() for action in menu.actions()] == ["Nothing yet"]
    finally:
        close()


def test_thumbnails_and_the_canvas_have_the_colours_of_the_slides(qtbot: QtBot) -> None:
    """Two plans that only call the accelerators of a pool otherwise look alike, wherever a keyframe is seen."""
    document = opened()
    document.set_problem(DevicePool(3, 1))
    graph = document.graph
    assert graph is not None
    third = np.arange(graph.n, dtype=np.int32) * 3 // graph.n
    renamed = np.array([2, 0, 1], np.int32)[third]
    window, close = make_window(qtbot, document)
    try:
        studio = window.studio
        for device_of in (third, renamed):
            document.set_assignment(device_of, "apply", "Choose a plan")
            settle()
            assert window.canvas.theme.device_numbers == (), (
                "the window has its own until a keyframe is shown"
            )
            press(window, "story.capture")
        studio.show_story()
        settle()
        resolved = studio.draft.resolved()
        assert resolved.device_numbers == {1: (1, 2, 0, 3)}
        show = Show(resolved, window.theme, FRAME)
        rows = studio.panel.list.frames
        for at in range(2):
            qtbot.waitUntil(lambda at=at: rows.data(rows.index(at, 0), PICTURE) is not None)
            slide = show.slide_image(at, 2.0 * THUMB.width() / FRAME[0])
            assert rows.data(rows.index(at, 0), PICTURE) == slide
        studio._show_on_canvas(0)
        assert window.canvas.theme.device_numbers == ()
        studio._show_on_canvas(1)
        assert window.canvas.theme == window.devices.theme == show.shots.theme_of(1) == window.theme
        drawing = pictured(document, window.canvas, Choice("lanes", Page()))
        assert drawing.args[2].theme.device_numbers == (1, 2, 0, 3)
        # They stay while an op is moved, and go with another plan.
        document.move(np.array([0], np.int32), 0)
        assert window.canvas.theme.device_numbers == (1, 2, 0, 3)
        document.set_assignment(third, "apply", "Choose a plan")
        assert window.canvas.theme.device_numbers == ()
        document.undo_stack.undo()
        assert window.canvas.theme.device_numbers == (1, 2, 0, 3)
        document.set_problem(DevicePool(4, 1))
        assert window.canvas.theme.device_numbers == ()
        # A picture is painted anew where the story gives its devices other colours, and only there.
        second = rows.data(rows.index(1, 0), PICTURE)
        studio.draft.remove(0)
        assert rows.data(rows.index(0, 0), PICTURE) is None
        qtbot.waitUntil(lambda: rows.data(rows.index(0, 0), PICTURE) is not None)
        assert rows.data(rows.index(0, 0), PICTURE) != second
    finally:
        close()


def test_a_low_window_shows_some_keyframes_above_their_words(qtbot: QtBot, window: MainWindow) -> None:
    """By the tab as by the key, and where orders are shown."""
    with order_window(qtbot) as orders:
        for shown, below in ((window, "help"), (orders, "memory-plot")):
            shown.resize(1280, 800)
            for _ in range(7):
                shown.studio.capture_keyframe()
            docks = shown.docks
            docks.docks["story"].show()
            settle()
            before = docks.docks[below].height()
            bar = next(b for b in tab_bars(shown) if "Story" in tabs_of(b) and b.isVisible())
            at = next(i for i in range(bar.count()) if bar.tabText(i) == "Story")
            QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(at).center())
            settle()
            assert docks.docks[below].height() < before
            frames = shown.studio.panel.list
            assert frames.viewport().height() >= 5 * frames.sizeHintForRow(0)
            shown.studio.draft.undo_stack.setClean()


@pytest.mark.parametrize(("size", "rows"), [((1280, 800), 5), ((1024, 700), 3)])
def test_words_of_a_keyframe_have_two_lines_in_sight_in_a_low_window(
    qtbot: QtBot, window: MainWindow, size: tuple[int, int], rows: int
) -> None:
    """Also where they have no gaps at which lines could break, and while the list has room for some keyframes."""
    window.resize(*size)
    for _ in range(7):
        window.studio.capture_keyframe()
    window.studio.show_story()
    settle()
    editor, frames = window.studio.panel.editor, window.studio.panel.list
    qtbot.waitUntil(lambda: frames.viewport().height() >= rows * frames.sizeHintForRow(0))
    for field in (editor.caption, editor.notes):
        for words in ("Say how many there are. Then say why, and what it takes. ", "Say_how_many_there_are."):
            field.setFocus()
            field.clear()
            for typed in range(1, 5):
                QTest.keyClicks(field, words)
                settle()
                inside = field.viewport().rect()
                assert inside.contains(field.cursorRect()), (words, typed)
            field.moveCursor(QTextCursor.MoveOperation.Start)
            settle()
            first = field.document().firstBlock()
            second = first.layout().lineAt(1).rect()
            top = field.blockBoundingGeometry(first).translated(field.contentOffset()).top()
            assert inside.top() <= top and top + second.bottom() <= inside.bottom() + 1
            assert inside.height() >= 2 * QFontMetricsF(field.font()).lineSpacing()
        field.setPlainText("What there is\nand why")
        settle()
        assert field.verticalScrollBar().maximum() == 0
        assert editor.rect().contains(field.geometry())
