"""Work that was put off is done once, and not for what is gone by then: in itself, and wherever views follow a document."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels.inspector import InspectorPanel
from gui.look.theme import LIGHT
from gui.panels.plans import PlansPanel
from gui.panels.plans_model import COSTS, FURTHER
from gui.shell.palette import Choice, Palette
from gui.tools.story.frames_list import PICTURE, FramesModel
from gui.widgets.later import Later
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, opened, opened_on_tpus, settle, shown


# ------------------------------------------------------------------------------------------------ the helper
def test_it_is_done_once_for_many_requests(qapp: object) -> None:
    owner, done = QObject(), []
    later = Later(lambda: done.append(1), owner)
    for _ in range(3):
        later.ask()
        later.ask_once()
    assert later.waiting
    settle()
    assert done == [1]
    assert not later.waiting
    later.ask()
    later.stop()
    settle()
    assert done == [1]


def test_it_is_dropped_for_something_else(qapp: object) -> None:
    owner, done = QObject(), []
    subject: list[object] = [("a", 1000), np.arange(3)]
    later = Later(lambda: done.append(1), owner, about=lambda: tuple(subject))
    later.ask()
    subject[1] = np.arange(3)  # equal, but another
    settle()
    assert done == []
    later.ask()
    subject[0] = ("a", 500 + 500)  # numbers are the same when they are equal
    settle()
    assert done == [1]
    later.ask()
    subject[0] = ("a", 1001)
    later.ask_once()  # what waits is about something else: it is asked for anew
    settle()
    assert done == [1, 1]


def test_it_goes_with_its_widget(qapp: object) -> None:
    owner, done = QWidget(), []
    Later(lambda: done.append(1), owner).ask()
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    settle()
    assert done == []


# ------------------------------------------------------------------------------------------------ panels
def test_the_plan_list_is_never_painted_with_another_problem(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    panel = PlansPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.add_plan(document.device_of, "again")
        document.open_graph(chain_graph(40), target=Pipeline(3))
        # Before any event is handled: a paint may come first.
        assert panel.model.rowCount() == len(document.plans) == 1
        panel.list.grab()
        document.set_problem(Pipeline(5))
        index = panel.model.index(document.plans.index(document.active), 0)
        assert len(index.data(COSTS)) == 5
        assert index.data(FURTHER) == ""
        panel.list.grab()


def test_costs_of_a_plan_that_does_not_fit_are_empty(qtbot: QtBot) -> None:
    document = opened(40)
    panel = PlansPanel(document, LIGHT)
    entry = document.plans[0]
    document.open_graph(chain_graph(12), target=Pipeline(3))
    assert not len(panel.model.costs(entry))
    panel.deleteLater()


def test_the_inspector_forgets_reasons_of_another_machine(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "gui.editors.plan.panels.inspector.BUDGET", -1.0
    )  # every reason takes a turn of its own
    document = Document()
    document.open_graph(chain_graph(60), target=McmPackage(4))
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        waited = 0
        for op in range(0, 60, 6):
            document.set_problem(McmPackage(4))
            document.select([op])
            panel.refresh_now()
            waited += panel._more.waiting
            document.set_problem(McmPackage(12))
            panel._more._do()  # as if it came before the refresh
            settle()
        assert waited


def test_the_inspector_follows_no_link_of_a_page_that_is_gone(qtbot: QtBot) -> None:
    from PySide6.QtCore import QUrl

    document = Document()
    document.open_graph(chain_graph(12), target=Pipeline(5))
    panel = InspectorPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([11])
        settle()
        document.set_problem(Pipeline(2))
        panel._follow(QUrl("move:4"))
        settle()
        panel._follow(QUrl("move:1"))
        assert document.device_of[11] == 1


# ------------------------------------------------------------------------------------------------ stories
class _Frame:
    keyframe = None

    def __init__(self, name: str) -> None:
        self.name = name


class _Draft(QObject):
    frames_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.frames = [_Frame(name) for name in "ab"]


def test_pictures_of_keyframes_that_are_gone_are_not_made(qtbot: QtBot) -> None:
    draft, parent, painted = _Draft(), QWidget(), []
    qtbot.addWidget(parent)

    class Pictures:
        def look(self, frame: _Frame) -> str:
            return frame.name

        def paint(self, frame: _Frame) -> QImage:
            painted.append(frame.name)
            return QImage(1, 1, QImage.Format.Format_RGB32)

        def rest(self) -> None:
            pass

    model = FramesModel(draft, Pictures(), parent)  # type: ignore[arg-type]
    model.data(model.index(0, 0), PICTURE)
    draft.frames = []
    draft.frames_changed.emit()
    assert not model.busy
    settle()
    assert painted == []
    draft.frames = [_Frame("c")]
    draft.frames_changed.emit()
    model.data(model.index(0, 0), PICTURE)
    settle()
    assert painted == ["c"]


# ------------------------------------------------------------------------------------------------ the palette
def test_the_palette_outlives_what_had_the_keyboard(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    palette, line, ran = Palette(window, LIGHT), QLineEdit(window), []
    window.show()
    window.activateWindow()
    line.setFocus()
    palette.ask("what", [Choice("Do it", lambda: ran.append(1))])
    line.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    palette._run(palette.model.index(0, 0))
    assert ran == [1]
    assert palette.isHidden()


@pytest.mark.qt_log_ignore("grabbing the keyboard")
def test_choices_about_another_model_cannot_be_made(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([3])
    window.pickers.pick_device(along=False)
    assert window.palette_window.isVisible()
    document.open_graph(chain_graph(3), target=Pipeline(2))
    assert not window.palette_window.isVisible()
    window.pickers.pick_op()
    assert len(window.palette_window.model.shown) == 3
    document.open_graph(chain_graph(5), target=Pipeline(2))
    assert len(window.palette_window.model.shown) == 5
    menu = window.devices.menu(1)
    menu.popup(window.mapToGlobal(window.rect().center()))
    document.set_problem(Pipeline(1))
    assert not menu.isVisible()
    menu.deleteLater()
    close()
