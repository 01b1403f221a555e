"""What was open when the program ended is open again at a start without arguments; what is damaged or gone is named, and the rest opens."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from gui.app import app as gui_app
from gui.app.reopening import Reopening, plan_called
from gui.editors.comparison import windows as comparisons
from gui.editors.network import windows as networks
from gui.editors.plan import windows as graphs
from gui.editors.plan.windows import Parts, make_window, open_graph_window
from gui.shell import host as hosts
from gui.shell.closing import quit_all
from gui.shell.host import Host, host_of, show_editor
from gui.shell.open_tabs import MOST_LISTED, OpenTabs
from gui.shell.session import Session
from planner.formats import read_graph
from planner.formats.networks.npz import write_network
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import layered_network
from tests.gui.full_disk import room_for
from tests.gui.models import write_model
from tests.gui.window_parts import answer, settle


def begun() -> Parts:
    """A start without arguments."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    parts = make_window(app, theme="light")
    show_editor(parts.window)
    return parts


def ended(parts: Parts) -> None:
    """The program ends, with whatever is still open."""
    for host in list(hosts._hosts):
        for editor in host.editors:
            editor.closing.surely = True
        host.close()
    settle()
    parts.leave()
    comparisons.close_all()
    networks.close_all()
    graphs.close_all()
    settle()
    parts.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def started_again(qtbot: QtBot) -> Parts:
    """Start without arguments; what was open is there."""
    parts = begun()
    assert gui_app._reopens(parts, False)
    (work,) = parts.window.findChildren(Reopening)
    qtbot.waitUntil(lambda: work.done, timeout=60_000)
    settle()
    return parts


@pytest.fixture
def files(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """A graph with two saved plans, another one, and a network."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first = write_model(tmp_path / "a")
    graph = read_graph(first)
    problem = Problem(graph, Pipeline(3))
    found = {"first": first, "second": write_model(tmp_path / "b", seed=2), "network": tmp_path / "net.npz"}
    for name, cut in (("one", 4), ("two", 6)):
        device_of = np.minimum(graph.topological_order.argsort() // cut, 2).astype(np.int32)
        found[name] = tmp_path / f"{name}.plan.json"
        write_plan(found[name], problem.plan(device_of, Provenance("hand"), name))
    write_network(layered_network(), found["network"])
    yield found


def left_open(qtbot: QtBot, files: dict[str, Path]) -> None:
    """A session with everything: it is ended by Quit."""
    parts = begun()
    window = parts.window
    comparisons.open_files(window, [files["first"]], [files["one"], files["two"]])
    qtbot.waitUntil(lambda: bool(comparisons._windows) and not comparisons.are_coming(), timeout=60_000)
    other = open_graph_window([files["second"]], None, True, window, parts.themes)
    qtbot.waitUntil(lambda: other.document.problem is not None, timeout=60_000)
    network = networks.open_order_window(parts.themes, parts.session, [files["network"]], beside=window)
    qtbot.waitUntil(lambda: network.document.problem is not None and network.settled, timeout=60_000)
    other.document.add_plan(other.document.device_of[::-1].copy(), "found", planner="greedy")
    host = host_of(window)
    assert host is not None and host.count() == 4
    host.setCurrentWidget(other.window)
    settle()
    quit_all()
    settle()
    ended(parts)


def tabs_of(host: Host) -> list[tuple[str, ...]]:
    """The tabs from left to right: their kind, and their files' names."""
    return [
        (type(editor).__name__, *(path.parent.name + "/" + path.name for path in getattr(editor.document, "paths", ())))
        for editor in host.editors
    ]  # fmt: skip


def test_all_that_was_open_is_open_again(qtbot: QtBot, files: dict[str, Path]) -> None:
    left_open(qtbot, files)
    parts = started_again(qtbot)
    try:
        window = parts.window
        host = host_of(window)
        assert host is not None
        qtbot.waitUntil(lambda: host.count() == 4)
        kinds = sorted(kind for kind, *_ in tabs_of(host))
        assert kinds == ["CompareWindow", "MainWindow", "MainWindow", "OrderWindow"]
        front: Any = host.currentWidget()
        assert front is window and front.document.paths == (files["second"],), "the tab that was in front"
        assert [plan.name for plan in front.document.plans][-1] == "found", (
            "a plan of the list that is in no file"
        )
        (other,) = graphs.graph_windows()
        assert other.document.plan_path == files["one"] and not other.document.modified
        (compared,) = comparisons._windows
        assert compared.document is other.document
        state: Any = compared
        assert [source.path for source in state.state.sources] == [None, files["two"]]
        assert [plan.name for plan in state.state.plans] == ["one", "two"]
        editors = [editor for editor in host.editors if editor is not compared]
        order = [editor.document.paths for editor in editors]
        assert order == [(files["first"],), (files["second"],), (files["network"],)]
        assert not window.notice.isVisible()
    finally:
        ended(parts)


def test_the_question_says_which_plans_come_back(qtbot: QtBot, files: dict[str, Path]) -> None:
    parts = begun()
    window, document = parts.window, parts.document
    window.files.open_graphs([files["first"]], None)
    qtbot.waitUntil(lambda: document.problem is not None and not window.files.loading.busy, timeout=60_000)
    document.add_plan(document.device_of[::-1].copy(), "found", planner="greedy")
    document.move([0], 1)
    document.add_plan(np.zeros_like(document.device_of), "more", planner="greedy")
    settle()
    quit_all()
    assert window.closing.question is not None
    told = window.closing.question.informativeText()
    assert (
        told
        == "What is not saved is lost. Back in Plans at the next start, saved or not: “found” and “more”."
    )
    answer(window, QMessageBox.StandardButton.Cancel)
    other = open_graph_window([files["second"]], None, True, window, parts.themes)
    qtbot.waitUntil(lambda: other.document.problem is not None, timeout=60_000)
    window.close()
    told = window.closing.question.informativeText()
    assert (
        told
        == "What is not saved is lost. Lost either way, unless saved from Plans before: “found” and “more”."
    )
    answer(window, QMessageBox.StandardButton.Cancel)
    quit_all()
    settle()
    answer(window, QMessageBox.StandardButton.Discard)
    settle()
    ended(parts)
    parts = started_again(qtbot)
    try:
        (again,) = [one for one in (parts, *graphs._graphs) if one.document.paths == (files["first"],)]
        assert [plan.name for plan in again.document.plans][-2:] == ["found", "more"]
    finally:
        ended(parts)


def test_a_plan_that_comes_back_is_in_the_list_once_and_gets_no_second_number(
    qtbot: QtBot, files: dict[str, Path]
) -> None:
    parts = begun()
    window, document = parts.window, parts.document
    window.files.open_graphs([files["first"]], None)
    qtbot.waitUntil(lambda: document.problem is not None and not window.files.loading.busy, timeout=60_000)
    started = [entry.name for entry in document.plans]
    other = document.device_of[::-1].copy()
    document.add_plan(other, "more", origin="start", planner="slice")
    ended(parts)
    parts = started_again(qtbot)
    try:
        names = [entry.name for entry in parts.document.plans]
        assert names == [*started, "more"], "also where opening does not find it, and none twice"
        parts.document.add_plan(np.zeros_like(other), "more")
        again = parts.document.add_plan(np.zeros_like(other), "more 2")
        assert again.name == "more 3"
    finally:
        ended(parts)


def test_what_is_gone_is_named_and_the_rest_opens(qtbot: QtBot, files: dict[str, Path]) -> None:
    left_open(qtbot, files)
    files["second"].unlink()
    files["two"].unlink()
    parts = started_again(qtbot)
    try:
        host = host_of(parts.window)
        assert host is not None
        assert [kind for kind, *_ in tabs_of(host)] == ["MainWindow", "OrderWindow"]
        assert parts.document.paths == (files["first"],) and parts.document.plan_path == files["one"]
        text = parts.window.notice.text
        assert f"{files['second'].name} is not in {files['second'].parent} any more." in text
        assert "two.plan.json, which was compared, is not in" in text
        assert "The comparison of plans of" in text and "is not open again" in text
    finally:
        ended(parts)


def told(qtbot: QtBot, window: Any, path: Path) -> None:
    """A story of what a window shows, saved."""
    window.studio.capture_keyframe()
    assert window.studio._save(path)
    settle()


def test_the_stories_that_were_open_are_open_again(
    qtbot: QtBot, files: dict[str, Path], tmp_path: Path
) -> None:
    parts = begun()
    parts.window.files.open_graphs([files["first"]], None)
    qtbot.waitUntil(lambda: parts.document.problem is not None, timeout=60_000)
    told(qtbot, parts.window, tmp_path / "graph.story.json")
    network = networks.open_order_window(parts.themes, parts.session, [files["network"]], beside=parts.window)
    qtbot.waitUntil(lambda: network.document.problem is not None and network.settled, timeout=60_000)
    told(qtbot, network, tmp_path / "network.story.json")
    hosts.note_open()
    record = json.loads(Session().open_tabs.path.read_text())
    assert [Path(tab["story"]).name for tab in record["tabs"]] == [
        "graph.story.json", "network.story.json",
    ], "also after a crash"  # fmt: skip
    quit_all()
    settle()
    ended(parts)
    parts = started_again(qtbot)
    try:
        (network,) = networks.order_windows()
        for window, name in ((parts.window, "graph"), (network, "network")):
            draft = window.studio.draft
            assert draft.path == tmp_path / f"{name}.story.json" and len(draft.frames) == 1
            assert not draft.modified and not window.studio.panel.isVisible(), "panels are as they were"
        parts.window.studio.new_story()
        (host,) = hosts._hosts
        assert host._note_later.waiting, "a story that was closed is not opened again"
    finally:
        ended(parts)
    (tmp_path / "network.story.json").unlink()
    parts = started_again(qtbot)
    try:
        (network,) = networks.order_windows()
        assert not parts.window.studio.draft.frames and not network.studio.draft.frames
        notices = [window.notice.text for window in (parts.window, network)]
        assert any("The story network.story.json is not in" in text for text in notices)
    finally:
        ended(parts)


def test_a_story_brings_a_model_along_that_is_in_no_file(qtbot: QtBot) -> None:
    parts = begun()
    parts.window.studio.open_shipped("package")
    qtbot.waitUntil(lambda: parts.document.problem is not None, timeout=60_000)
    parts.document.paths = ()
    settle()
    quit_all()
    settle()
    ended(parts)
    (tab,) = Session().open_tabs.read().tabs
    assert tab.models == [] and tab.name == "package.story.json"
    parts = started_again(qtbot)
    try:
        assert parts.document.problem is not None and parts.window.studio.draft.frames
    finally:
        ended(parts)


def test_a_network_alone_takes_the_place_of_the_empty_window(qtbot: QtBot, files: dict[str, Path]) -> None:
    record = Session().open_tabs
    record.folder.mkdir(parents=True)
    tab = {"kind": "network", "models": [str(files["network"])]}
    record.path.write_text(json.dumps({"version": 1, "process": 0, "tabs": [tab], "front": 0}))
    parts = started_again(qtbot)
    try:
        (network,) = networks.order_windows()
        host = host_of(network)
        qtbot.waitUntil(lambda: host is not None and host.editors == [network])
        assert network.document.paths == (files["network"],) and parts.window.closed
    finally:
        ended(parts)


def test_a_model_that_was_asked_for_opens_alone(qtbot: QtBot, files: dict[str, Path]) -> None:
    left_open(qtbot, files)
    parts = begun()
    try:
        assert not gui_app._reopens(parts, True)
    finally:
        ended(parts)


def test_a_document_that_was_closed_before_is_not_opened_again(qtbot: QtBot, files: dict[str, Path]) -> None:
    parts = begun()
    parts.window.files.open_files([files["first"]])
    qtbot.waitUntil(lambda: parts.document.problem is not None, timeout=60_000)
    other = open_graph_window([files["second"]], None, True, parts.window, parts.themes)
    qtbot.waitUntil(lambda: other.document.problem is not None, timeout=60_000)
    other.window.close()
    settle()
    host = host_of(parts.window)
    assert host is not None and host.count() == 1
    host.close()
    settle()
    record = Session().open_tabs.read()
    assert [tab.paths for tab in record.tabs] == [(files["first"],)]
    ended(parts)


@pytest.mark.parametrize(
    "bad",
    [
        7, {}, {"kind": "plan"}, {"kind": "plan", "models": []}, {"kind": "plan", "models": ["a\0b"]}, {"kind": "other", "models": ["x"]},
        {"kind": "plan", "models": ["x"], "batch": -1}, {"kind": "plan", "models": ["x"], "precision": "int3"},
        {"kind": "network", "models": ["x"], "density": 7.0}, {"kind": "plan", "models": ["x"], "story": "a\0b"}, {"kind": "plan", "models": [], "story": 3},
        {"kind": "plan", "models": ["x"], "listed": [{"file": "../../x", "name": "a", "origin": "planner"}]},
    ],
)  # fmt: skip
def test_entries_without_sense_are_left_out(tmp_path: Path, bad: object) -> None:
    record = OpenTabs(tmp_path)
    good = {"kind": "plan", "models": ["/m.onnx"]}
    record.path.write_text(
        json.dumps({"version": 1, "process": 0, "tabs": [bad, good], "front": 1, "compared": True})
    )
    was = record.read()
    assert [tab.paths for tab in was.tabs] == [(Path("/m.onnx"),)] and was.front == 0 and was.compared == 0
    (said,) = was.said
    assert said == "What is kept of one document that was open cannot be read, and is left out."


def test_several_comparisons_are_open_again_and_the_one_in_front_is(
    qtbot: QtBot, files: dict[str, Path], tmp_path: Path
) -> None:
    parts = begun()
    window = parts.window
    comparisons.open_files(window, [files["first"]], [files["one"], files["two"]])
    qtbot.waitUntil(lambda: bool(comparisons._windows) and not comparisons.are_coming(), timeout=60_000)
    found = window.document.add_plan(window.document.device_of[::-1].copy(), "found", planner="greedy")
    other = comparisons.open_comparison(window, [found])
    qtbot.waitUntil(lambda: not comparisons.are_coming())
    host = host_of(window)
    assert host is not None and host.count() == 3 and host.currentWidget() is other
    quit_all()
    settle()
    ended(parts)
    parts = started_again(qtbot)
    try:
        (first, second) = comparisons.comparisons_of(parts.document)
        names: list[list[str]] = [[plan.name for plan in one.state.plans] for one in (first, second)]  # type: ignore[attr-defined]
        assert names == [["one", "two"], ["one", "found"]]
        host = host_of(parts.window)
        assert host is not None and host.currentWidget() is second
    finally:
        ended(parts)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 9, "tabs": []}', '{"version": 1, "tabs": 3}', "[" * 100_000]
)
def test_a_damaged_record_is_kept_and_named(tmp_path: Path, text: str) -> None:
    record = OpenTabs(tmp_path)
    record.path.write_text(text)
    was = record.read()
    assert was.tabs == () and "cannot be read; the record is kept (" in was.said[0]
    assert not record.path.exists() and len(list(tmp_path.iterdir())) == 1
    assert record.read().said == ()


def test_nothing_is_opened_twice_while_another_process_has_it_open(tmp_path: Path) -> None:
    record = OpenTabs(tmp_path)
    tabs = {"version": 1, "tabs": [{"kind": "plan", "models": ["/m.onnx"]}]}
    record.path.write_text(json.dumps({**tabs, "process": os.getppid()}))
    assert record.read().tabs == ()
    record.path.write_text(json.dumps({**tabs, "process": 2**22 + 7}))
    assert len(record.read().tabs) == 1, "it crashed"


def test_no_more_plans_are_kept_than_closing_has_time_for(qtbot: QtBot, files: dict[str, Path]) -> None:
    parts = begun()
    parts.window.files.open_files([files["first"]])
    qtbot.waitUntil(lambda: parts.document.problem is not None, timeout=60_000)
    for i in range(MOST_LISTED + 5):
        parts.document.add_plan(parts.document.device_of.copy(), f"p{i}", planner="greedy")
    host = host_of(parts.window)
    assert host is not None
    host.close()
    settle()
    (tab,) = Session().open_tabs.read().tabs
    assert len(tab.listed) == MOST_LISTED and tab.listed[-1].name == f"p{MOST_LISTED + 4}"
    ended(parts)


def test_the_plan_of_the_start_is_found_by_another_name(qtbot: QtBot, files: dict[str, Path]) -> None:
    parts = begun()
    try:
        parts.window.files.open_graphs([files["first"]], None)
        qtbot.waitUntil(lambda: parts.document.problem is not None, timeout=60_000)
        plans = parts.document.plans
        (start,) = [entry for entry in plans if entry.origin == "start"]
        found = parts.document.add_plan(parts.document.device_of[::-1].copy(), "found", planner="greedy")
        assert (
            plan_called([found, start], "found") is found and plan_called([found, start], start.name) is start
        )
        assert (
            plan_called([found, start], "Ideals DP, pool:3+1") is start
            and plan_called([found], "gone") is None
        )
    finally:
        ended(parts)


def test_a_full_disk_costs_nothing_that_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = OpenTabs(tmp_path)
    kept.write([], None, ended=True)
    before = kept.path.read_bytes()
    with room_for(10, monkeypatch):
        kept.write([], None, ended=False)
    assert kept.path.read_bytes() == before and list(tmp_path.iterdir()) == [kept.path]
