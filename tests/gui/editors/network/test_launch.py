"""Which file opens in which window, and the real window from file to picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from gui.app.launch import without_density
from gui.editors.comparison import windows as comparisons
from gui.editors.network import windows as launch
from gui.editors.network.editor import OrderWindow
from gui.editors.network.views import default_views
from gui.editors.plan import windows as graph_windows
from gui.shell import kinds
from gui.shell.host import host_of
from planner.cli.command import UsageError
from planner.errors import StageboardError
from planner.formats.networks.npz import write_network
from planner.plan_files.plan_json import write_plan
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import layered_network, opened
from tests.gui.editors.network.window_parts import order_window
from tests.gui.models import write_model
from tests.gui.window_parts import make_window
from tests.gui.window_parts import opened as opened_graph


@pytest.fixture
def no_windows_left() -> Iterator[None]:
    yield
    for window in list(launch._orders):
        window.document.undo_stack.setClean()
        window.close()
    launch.close_all()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def network_file(folder: Path, name: str = "small.npz") -> Path:
    path = folder / name
    write_network(layered_network(), path)
    return path


def test_files_are_told_apart_by_content(tmp_path: Path) -> None:
    network, other = network_file(tmp_path), network_file(tmp_path, "other.npz")
    first, second = tmp_path / "a.mtx", tmp_path / "b.mtx"
    for matrix in (first, second):
        matrix.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n")
    graph = tmp_path / "graph.json"
    graph.write_text("{}")
    plan = tmp_path / "plan.json"
    problem = opened().problem
    write_plan(plan, problem.plan(opened().entries[0].order, Provenance("hand"), "x"), [])
    found = kinds.sort_files([graph, network, first, plan, second, other])
    assert found.graphs == (graph,) and found.plan == plan
    assert found.networks == ((first, second), (network,), (other,))
    assert kinds.network_files([graph], density=0.1) == ((graph,),)
    with pytest.raises(StageboardError, match="both plans"):
        kinds.sort_files([plan, plan])
    with pytest.raises(StageboardError, match="does not exist"):
        kinds.sort_files([tmp_path / "gone"])


def test_a_density_on_the_command_line() -> None:
    assert without_density(["model.onnx", "--density", "0.1"]) == (["model.onnx"], 0.1)
    assert without_density(["model.onnx", "--density", "5%"]) == (["model.onnx"], 0.05)
    assert without_density(["model.onnx"]) == (["model.onnx"], None)
    for wrong in (["--density"], ["--density", "x"], ["--density", "0"], ["--density", "1.5"]):
        with pytest.raises(UsageError, match="share of the weights"):
            without_density(wrong)


@pytest.mark.usefixtures("no_windows_left")
def test_a_network_opened_in_the_main_window_gets_its_own(qtbot: QtBot, tmp_path: Path) -> None:
    path = network_file(tmp_path)
    window, close = make_window(qtbot, opened_graph())
    window.files.open_files([path])
    (orders,) = launch._orders
    qtbot.waitUntil(lambda: orders.document.problem is not None and orders.settled, timeout=60_000)
    assert window.isVisible() and window.document.problem is not None
    assert orders.document.paths == (path,)
    close()


@pytest.mark.usefixtures("no_windows_left")
def test_an_empty_window_gives_way_to_the_other_kind(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot)
    window.files.open_files([network_file(tmp_path)])
    assert not window.isVisible() and len(launch._orders) == 1
    orders = launch._orders[0]
    qtbot.waitUntil(lambda: orders.document.problem is not None and orders.settled, timeout=60_000)
    orders.files.open_files([write_model(tmp_path)])
    (parts,) = graph_windows._graphs
    assert not orders.closed and host_of(orders) is host_of(parts.window)
    qtbot.waitUntil(lambda: parts.document.problem is not None, timeout=60_000)
    graph_windows._graphs.remove(parts)
    parts.close()
    close()


@pytest.mark.usefixtures("no_windows_left")
def test_a_network_is_made_up_from_the_main_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_graph())
    window.files.generate_network("mlp", {"width": 8, "depth": 2, "density": 0.5}, 3)
    (orders,) = launch._orders
    qtbot.waitUntil(lambda: orders.document.problem is not None and orders.settled, timeout=60_000)
    assert window.isVisible() and not orders.document.modified
    assert orders.document.paths == () and len(orders.document.plans) > 1
    assert "in no file yet" in orders.notice.text
    plan, file = tmp_path / "made.plan.json", tmp_path / "made.npz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(plan), ""))
    orders.files.save_plan()
    assert "its network is in no file" in orders.notice.text
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(file), ""))
    orders.files.export_network()
    assert orders.document.paths == (file,)
    orders.files.save_plan()
    assert "its network" not in orders.notice.text
    close()


@pytest.mark.usefixtures("no_windows_left")
def test_closing_a_window_ends_what_runs_in_it(qtbot: QtBot, tmp_path: Path) -> None:
    from gui.look.theme import ThemeController

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    orders = launch.open_order_window(ThemeController(app, "light"), None, [network_file(tmp_path)])
    qtbot.waitUntil(lambda: orders.document.problem is not None and orders.settled, timeout=60_000)
    orders.planners.choose("theorem-1")
    orders.actions_set["plan.start"].trigger()
    jobs = orders.jobs
    assert orders.close()
    assert not jobs.running
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not launch._orders


def test_the_real_window_from_file_to_picture(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with order_window(qtbot, views=default_views) as window:
        document = window.document
        qtbot.waitUntil(lambda: window.settled, timeout=60_000)
        assert isinstance(window, OrderWindow) and window.canvas.isVisible() and window.strip.isVisible()
        window.playback.home()
        assert document.position == 0
        window.playback.step_connection(1)
        assert document.position == 1
        window.actions_set["plan.compare"].trigger()
        (shown,) = comparisons._windows
        qtbot.waitUntil(shown.isVisible)
        assert shown.playback is window.playback
        shown.close()
        window.set_theme_name("dark")
        window.set_reduced_motion(True)
        window.set_theme_name("light")
        path = tmp_path / "order.npz"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(path), ""))
        window.files.export_network()
        assert path.is_file() and "Wrote" in window.notice.text
        assert np.array_equal(np.sort(document.order), np.arange(len(document.order)))
