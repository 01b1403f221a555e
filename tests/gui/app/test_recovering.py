"""Offering what crashed windows left: all of it, to recover, to discard or to keep, also where the model has moved."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gui.app import app as gui_app
from gui.app.recovering import everything_left
from gui.document.crash_files import folder
from gui.document.network.autosave import Autosave, lost_orders
from gui.document.network.document import OrderDocument
from gui.document.plan.document import Document
from gui.document.plan.journal import Journal
from gui.document.plan.recovery import leftovers
from gui.editors.network import windows as launch
from gui.editors.plan import windows as graph_windows
from gui.editors.plan.windows import Parts, make_window
from gui.shell.session import Session
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import read_network
from planner.problem.bound import Bound
from tests.gui.editors.network.models import layered_network, opened, shuffled_order
from tests.gui.models import write_model


@pytest.fixture
def parts(qtbot: QtBot) -> Iterator[Parts]:
    """A window that remembers, closed with all that it opened."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made = make_window(app, theme="light")
    made.window.show()
    yield made
    for window in launch._orders:
        window.document.undo_stack.setClean()
        window.close()
    while graph_windows._graphs:
        graph_windows._graphs.pop().close()
    launch.close_all()
    graph_windows.close_all()
    made.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def leave_graph(model: Path, name: str, when: float) -> Path:
    """A journal of a step on a model, whose session ended at ``when``."""
    document = Document()
    journal = Journal(document)
    document.open_model(model)
    problem = document.problem
    assert problem is not None and journal.path is None
    bound = Bound(problem.components[0], 1e-9, "a long search", problem.relaxation, seconds=44.0)
    document.add_bounds([bound])
    document.move([3], (int(document.device_of[3]) + 1) % len(problem.devices))
    assert journal.path is not None
    copy = folder() / f"journal-{name}.jsonl"
    shutil.copy(journal.path, copy)
    journal.close()
    delete(document)  # the garbage collector might take the steps apart before the stack that owns them
    os.utime(copy, (when, when))
    return copy


def leave_order(qtbot: QtBot, network: Path) -> None:
    write_network(layered_network(), network)
    document = OrderDocument()
    document.install(opened(read_network([network])))
    document.paths = (network,)
    qtbot.waitUntil(lambda: not document.busy)
    autosave = Autosave(document)
    assert document.network is not None
    document.set_order(shuffled_order(document.network, 7), "x")
    autosave.close(keep=True)
    document.close()
    delete(document)


def model_in(folder: Path, seed: int = 1) -> Path:
    folder.mkdir()
    return write_model(folder, seed=seed)


def test_everything_is_offered_one_after_the_other(qtbot: QtBot, tmp_path: Path, parts: Parts) -> None:
    """Two graphs and an order: the second graph does not take the place of the first one, which is not saved."""
    first, second = model_in(tmp_path / "a"), model_in(tmp_path / "b", 2)
    leave_graph(first, "1", 1e9)
    leave_graph(second, "2", 1e9 + 100)
    leave_order(qtbot, tmp_path / "net.npz")
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    assert "its order can be recovered (1 of 3)" in notice.text
    notice._action.click()
    qtbot.waitUntil(lambda: len(launch._orders) == 1, timeout=60_000)
    qtbot.waitUntil(lambda: "(2 of 3)" in notice.text and notice.isVisible())
    notice._action.click()
    qtbot.waitUntil(lambda: parts.document.paths == (second,), timeout=60_000)
    assert parts.document.modified and parts.document.undo_stack.count() == 1
    assert any(bound.method == "a long search" for bound in parts.document.bounds)
    qtbot.waitUntil(lambda: "(3 of 3)" in notice.text and notice.isVisible())
    notice._action.click()
    qtbot.waitUntil(lambda: len(graph_windows._graphs) == 1, timeout=60_000)
    assert parts.document.paths == (second,), "what was recovered first is still there"
    assert graph_windows._graphs[0].document.paths == (first,) and graph_windows._graphs[0].document.modified
    qtbot.waitUntil(lambda: not notice.isVisible())
    (window,) = launch._orders
    qtbot.waitUntil(lambda: window.document.problem is not None and window.settled, timeout=60_000)
    assert window.autosave is not None
    qtbot.waitUntil(lambda: window.autosave is not None and not window.autosave.busy)
    assert everything_left() == []


@pytest.mark.parametrize("moved", [False, True])
def test_a_signal_leaves_what_closing_would_have_asked_about_and_no_more(
    qtbot: QtBot, tmp_path: Path, parts: Parts, moved: bool
) -> None:
    document, journal = parts.document, parts.journal
    document.open_model(model_in(tmp_path / "a"))
    problem = document.problem
    assert problem is not None and journal is not None
    document.add_bounds([Bound(problem.components[0], 1e-9, "a long search", problem.relaxation)])
    if moved:
        document.move([3], (int(document.device_of[3]) + 1) % len(problem.devices))
    journal.flush()
    path = journal.path
    assert path is not None and path.exists()
    parts.leave()
    assert path.exists() == moved


def test_what_is_discarded_is_gone_and_what_is_closed_is_kept_and_said(
    qtbot: QtBot, tmp_path: Path, parts: Parts
) -> None:
    model = model_in(tmp_path / "a")
    leave_graph(model, "1", 1e9)
    leave_graph(model, "2", 1e9 + 100)
    leave_order(qtbot, tmp_path / "net.npz")
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    notice._other.click()
    assert notice.text.startswith("Discard the order of ") and "cannot be undone" in notice.text
    notice._other.click()
    assert "can be recovered (1 of 3)" in notice.text and len(lost_orders()) == 1, "Keep asks again"
    notice._other.click()
    notice._action.click()
    qtbot.waitUntil(lambda: "(2 of 3)" in notice.text and notice.isVisible())
    assert lost_orders() == [] and not any(folder().glob("orders-*"))
    notice._other.click()
    assert notice.text.startswith("Discard one step of ")
    notice._action.click()
    qtbot.waitUntil(lambda: "(3 of 3)" in notice.text and notice.isVisible())
    assert [left.path.name for left in leftovers()] == ["journal-1.jsonl"]
    notice._close.click()
    assert notice.isVisible() and "It is kept, and offered again" in notice.text
    assert len(leftovers()) == 1 and parts.document.problem is None
    notice.dismiss()


def test_an_offer_returns_when_another_message_has_gone(qtbot: QtBot, tmp_path: Path, parts: Parts) -> None:
    model = model_in(tmp_path / "a")
    leave_graph(model, "1", 1e9)
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    offered = notice.text
    notice.show_message("warning", "something else")
    notice.dismiss()
    qtbot.waitUntil(lambda: notice.text == offered and notice.isVisible())
    other = model_in(tmp_path / "b", 2)
    parts.window.files.open_files([other])
    qtbot.waitUntil(lambda: parts.document.paths == (other,), timeout=60_000)
    qtbot.waitUntil(lambda: notice.text == offered and notice.isVisible())
    parts.document.move([2], 3 - int(parts.document.device_of[2]))
    notice._action.click()
    qtbot.waitUntil(lambda: len(graph_windows._graphs) == 1, timeout=60_000)
    assert parts.document.paths == (other,), "its step is not saved"
    assert everything_left() == []


def test_a_model_that_moved_can_be_located(
    qtbot: QtBot, tmp_path: Path, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_in(tmp_path / "a")
    leave_graph(model, "1", 1e9)
    moved = model_in(tmp_path / "b")
    assert moved.read_bytes() == model.read_bytes()
    model.unlink()
    asked: list[str] = []
    answers = iter(["", str(model_in(tmp_path / "c", 9)), str(moved)])

    def ask(_parent: object, title: str, start: str) -> tuple[str, str]:
        asked.append(f"{title} {start}")
        return next(answers), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    notice._action.click()
    qtbot.waitUntil(lambda: notice.level == "error" and notice.isVisible(), timeout=60_000)
    assert "cannot be recovered: " in notice.text and "does not exist" in notice.text
    notice._action.click()  # cancelled in the dialog: asked again
    assert notice.level == "warning" and "can be recovered" in notice.text
    notice._action.click()
    qtbot.waitUntil(lambda: notice.level == "error" and notice.isVisible(), timeout=60_000)
    notice._action.click()  # another model
    qtbot.waitUntil(lambda: notice.level == "error" and "has changed since" in notice.text, timeout=60_000)
    notice._action.click()
    qtbot.waitUntil(lambda: parts.document.paths == (moved,), timeout=60_000)
    assert parts.document.modified and everything_left() == []
    assert asked[0] == f"Where is {model.name} now? {model.parent}"


def test_a_model_that_changed_can_be_given_up(qtbot: QtBot, tmp_path: Path, parts: Parts) -> None:
    model = model_in(tmp_path / "a")
    leave_graph(model, "1", 1e9)
    write_model(model.parent, seed=9)
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    notice._action.click()
    qtbot.waitUntil(lambda: notice.level == "error" and notice.isVisible(), timeout=60_000)
    assert "has changed since the journal was written" in notice.text and parts.document.problem is None
    notice._other.click()
    notice._action.click()
    qtbot.waitUntil(lambda: not notice.isVisible())
    assert everything_left() == [] and not any(folder().glob("journal-*"))


def test_what_another_window_took_is_not_offered(qtbot: QtBot, tmp_path: Path, parts: Parts) -> None:
    model = model_in(tmp_path / "a")
    leave_graph(model, "1", 1e9)
    copy = leave_graph(model, "2", 1e9 + 100)
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    (folder() / "journal-1.jsonl").unlink()
    notice._close.click()
    assert "kept, and offered again" in notice.text and copy.exists()
    notice.dismiss()


def test_a_model_that_was_just_opened_stays_where_another_is_recovered(
    qtbot: QtBot, tmp_path: Path, parts: Parts
) -> None:
    lost, here = model_in(tmp_path / "a"), model_in(tmp_path / "b", 2)
    leave_graph(lost, "1", 1e9)
    parts.window.files.open_files([here])
    gui_app._offer_recovery(parts)
    assert parts.window.files.loading.busy
    parts.window.notice._action.click()  # while it is being opened
    qtbot.waitUntil(lambda: len(graph_windows._graphs) == 1, timeout=60_000)
    assert parts.document.paths == (here,)
    (other,) = graph_windows._graphs
    qtbot.waitUntil(lambda: other.document.paths == (lost,) and other.document.modified, timeout=60_000)


def test_damaged_records_and_settings_are_told_of_once(
    qtbot: QtBot, tmp_path: Path, parts: Parts, own_settings: Path
) -> None:
    """Before anything is offered; the files are kept, and what is whole is offered after it."""
    leave_graph(model_in(tmp_path / "a"), "1", 1e9)
    rubbish = folder() / "journal-9.jsonl"
    rubbish.write_bytes(b"\0\xff\n")
    assert parts.session is not None
    parts.session.damaged = tmp_path / "session.ini.damaged"
    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    assert notice.level == "warning" and f"({rubbish}.damaged)" in notice.text
    assert "settings could not be read in full" in notice.text and "session.ini.damaged" in notice.text
    notice.dismiss()
    qtbot.waitUntil(lambda: "can be recovered" in notice.text and notice.isVisible())
    assert (folder() / "journal-9.jsonl.damaged").read_bytes() == b"\0\xff\n" and len(everything_left()) == 1
    parts.session.damaged = None
    for left in everything_left():
        left.path.unlink()
    gui_app._offer_recovery(parts)
    qtbot.waitUntil(lambda: "damaged" not in notice.text)


def test_settings_that_no_disk_takes_are_told_of_though_a_model_opens(
    qtbot: QtBot, tmp_path: Path, parts: Parts
) -> None:
    """At once where that shows at the start, else when it shows; a person who has closed it does not see it again."""
    (tmp_path / "no folder").touch()
    session = Session(tmp_path / "no folder" / "session.ini")
    parts.session = session
    notice = parts.window.notice
    parts.window.files.open_files([model_in(tmp_path / "a")])
    gui_app._offer_recovery(parts)
    assert "recent files cannot be kept in" in notice.text and notice.level == "warning"
    qtbot.waitUntil(lambda: parts.document.problem is not None and not parts.window.files.loading.busy)
    qtbot.waitUntil(lambda: notice.isVisible() and "recent files cannot be kept in" in notice.text)
    notice._close.click()
    qtbot.wait(20)
    assert notice.isHidden()
    session.refused.emit("Now it is full.")
    qtbot.waitUntil(lambda: notice.isVisible() and notice.text == "Now it is full.")


def test_what_is_told_is_gone_when_it_is_closed_while_a_model_opens(
    qtbot: QtBot, tmp_path: Path, parts: Parts
) -> None:
    parts.session = Session(tmp_path / "session.ini")
    parts.session.trouble = "It is full."
    parts.window.files.open_files([model_in(tmp_path / "a")])
    gui_app._offer_recovery(parts)
    assert parts.window.notice.text == "It is full."
    parts.window.notice._close.click()
    qtbot.waitUntil(lambda: parts.document.problem is not None and not parts.window.files.loading.busy)
    qtbot.wait(20)
    assert parts.window.notice.isHidden() or "full" not in parts.window.notice.text
