"""What is left of an order after a crash: written while it is not saved, offered and recovered, gone after a clean exit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app.recovering import Recovery
from gui.background.loading import Loading
from gui.document.crash_files import folder, remove
from gui.document.network.autosave import Autosave, lost_orders, prepare
from gui.document.network.document import OrderDocument
from gui.editors.comparison import windows as comparisons
from gui.editors.network import windows as launch
from gui.look.theme import ThemeController
from gui.shell.session import Session
from gui.widgets.notice import NoticeBar
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import read_network
from planner.problem.bound import Bound
from tests.gui.editors.network.models import layered_network, opened, shuffled_order
from tests.gui.window_parts import settle


@pytest.fixture
def document(qtbot: QtBot, tmp_path: Path) -> Iterator[OrderDocument]:
    """A document on a network that lies in a file."""
    path = tmp_path / "small.npz"
    write_network(layered_network(), path)
    made = OrderDocument()
    made.install(opened(read_network([path])))
    made.paths = (path,)
    qtbot.waitUntil(lambda: not made.busy)
    yield made
    made.close()


def edited(document: OrderDocument) -> np.ndarray:
    assert document.network is not None
    order = shuffled_order(document.network, 7)
    document.set_order(order, "x")
    return order


def written(qtbot: QtBot, autosave: Autosave) -> Path:
    autosave.write()
    qtbot.waitUntil(lambda: not autosave.busy)
    assert autosave.path is not None
    return autosave.path


def test_only_what_is_not_saved_is_kept(qtbot: QtBot, tmp_path: Path, document: OrderDocument) -> None:
    where = tmp_path / "state"
    autosave = Autosave(document, where)
    autosave.write()
    assert not where.exists()
    edited(document)
    path = written(qtbot, autosave)
    assert lost_orders(where) == []  # a running process holds it
    assert {file.suffix for file in where.iterdir()} == {".jsonl", ".json"}
    before = path.with_suffix(".json").stat().st_mtime_ns
    autosave.write()
    assert not autosave.busy and path.with_suffix(".json").stat().st_mtime_ns == before
    document.save_plan(tmp_path / "plan.json")
    assert list(where.iterdir()) == []
    edited(document)
    document.undo_stack.undo()
    document.undo_stack.redo()
    document.set_order(shuffled_order(document.network, 9), "y")  # type: ignore[arg-type]
    written(qtbot, autosave)
    autosave.close()
    assert list(where.iterdir()) == []


def test_a_window_that_nobody_closed_leaves_its_order(
    qtbot: QtBot, tmp_path: Path, document: OrderDocument
) -> None:
    where = tmp_path / "state"
    autosave = Autosave(document, where)
    order = edited(document)
    autosave.close(keep=True)
    (lost,) = lost_orders(where)
    assert lost.models == document.paths and lost.density is None and "can be recovered" in lost.sentence
    data = json.loads(lost.plan.read_text())
    assert data["decision"]["order"] == order.tolist()
    saved = Autosave(document, where)
    document.undo_stack.setClean()
    saved.close(keep=True)
    assert len(lost_orders(where)) == 1


WHEN = '{"orders": 1, "time": %s, "name": "x", "density": null, "models": ["x.npz"], "plan": null}'


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"orders": 1}', '{"orders": 2}', WHEN % "NaN", WHEN % "1e300"]
)
def test_damaged_ones_are_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / "orders-1.jsonl").write_text(text + "\n" if text else "")
    (tmp_path / "orders-1.json").write_text("{}")
    assert lost_orders(tmp_path) == []
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == (["orders-1.json", "orders-1.jsonl.damaged"] if text else [])


def test_orders_of_the_list_are_worth_recovering(
    qtbot: QtBot, tmp_path: Path, document: OrderDocument
) -> None:
    where, network = tmp_path / "state", document.network
    assert network is not None
    autosave = Autosave(document, where)
    first, _ = (document.add_plan(shuffled_order(network, seed), f"run {seed}") for seed in (3, 4))
    assert not document.modified
    written(qtbot, autosave)
    document.update_plan(first, shuffled_order(network, 5))
    written(qtbot, autosave)
    autosave.close(keep=True)
    (lost,) = lost_orders(where)
    assert not lost.modified and "orders of its list" in lost.sentence
    found = prepare(lost)
    assert [(one.plan.name, origin) for one, origin in found.others] == [
        ("run 3", "planner"),
        ("run 4", "planner"),
    ]
    assert found.others[0][0].plan.decision.order.tolist() == shuffled_order(network, 5).tolist()
    assert not found.missing
    lost.others[1][0].write_text("{")
    assert len(prepare(lost).others) == 1 and len(prepare(lost).missing) == 1, (
        "what is damaged costs nothing else"
    )
    remove(lost.path)
    assert list(where.iterdir()) == []


def test_a_disk_that_refuses_is_told_once(qtbot: QtBot, tmp_path: Path, document: OrderDocument) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    said: list[str] = []
    document.message.connect(lambda message: said.append(message.text))
    autosave = Autosave(document, tmp_path / "state")
    edited(document)
    autosave.write()
    qtbot.waitUntil(lambda: bool(said))
    assert "cannot be kept" in said[0]
    autosave.close()


def test_what_a_crash_left_stays_until_it_is_written_again(
    qtbot: QtBot, tmp_path: Path, document: OrderDocument
) -> None:
    left = tmp_path / "orders-1.jsonl"
    left.write_text("x")
    (tmp_path / "file").write_text("a file where the folder should be")
    refused = Autosave(document, tmp_path / "file")
    refused.former = left
    edited(document)
    refused.write()
    qtbot.waitUntil(lambda: not refused.busy)
    assert left.exists()
    autosave = Autosave(document, tmp_path / "state")
    autosave.former = left
    written(qtbot, autosave)
    assert not left.exists()
    autosave.close()


@pytest.mark.parametrize("made_up", [False, True])
def test_recovering(qtbot: QtBot, tmp_path: Path, document: OrderDocument, made_up: bool) -> None:
    where = folder()
    if made_up:
        document.paths = ()
    autosave = Autosave(document)
    order = edited(document)
    written(qtbot, autosave)
    problem, network = document.problem, document.network
    assert problem is not None and network is not None
    proved = Bound(problem.components[0], 3.0, "a long search", problem.relaxation, seconds=44.0)
    claimed = replace(proved, value=4.0, method="by hearsay", claimed_by="other.json")
    document.add_bounds([proved])
    assert document.active is not None
    document.active.claims = (claimed,)
    written(qtbot, autosave)  # the order is the same, but more is known of it
    found = document.add_plan(shuffled_order(network, 11), "found", planner="locality", seed=3)
    document.compare(found)  # type: ignore[arg-type]
    kept = written(qtbot, autosave).with_suffix(f".{found.id}.json").stat().st_mtime_ns
    document.set_order(order := shuffled_order(network, 8), "y")
    assert written(qtbot, autosave).with_suffix(f".{found.id}.json").stat().st_mtime_ns == kept, "once"
    autosave.close(keep=True)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes, session = ThemeController(app, "light"), Session(tmp_path / "session.ini")
    notice = NoticeBar(themes.theme)
    Recovery(notice, Loading(notice), themes, session).offer()
    assert "can be recovered" in notice.text
    notice._action.click()
    qtbot.waitUntil(lambda: len(launch._orders) == 1, timeout=60_000)
    (window,) = launch._orders
    try:
        qtbot.waitUntil(lambda: window.document.problem is not None and window.settled, timeout=60_000)
        again = window.document
        assert np.array_equal(again.order, order) and again.modified and again.plan_path is None
        assert again.paths == document.paths
        assert proved in again.bounds
        assert again.active is not None and again.active.claims == (claimed,)
        (listed,) = [entry for entry in again.plans if entry.origin == "planner"]
        assert (listed.name, listed.planner, listed.seed, listed.components) == (
            "found",
            "locality",
            3,
            found.components,
        )
        assert np.array_equal(listed.device_of, found.device_of)
        assert again.compared is listed and comparisons.comparisons_of(again), "the comparison is open again"
        assert window.autosave is not None
        qtbot.waitUntil(lambda: window.autosave is not None and not window.autosave.busy)
        assert lost_orders() == [] and any(where.iterdir())
    finally:
        for comparison in list(comparisons._windows):
            comparison.close()
            settle()
        for entry in [entry for entry in again.plans if entry.origin == "planner"]:
            again.remove_plan(entry)  # what a planner found is asked about
        again.undo_stack.setClean()
        window.close()
        launch.close_all()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [path for path in where.iterdir() if path.is_file()] == []
