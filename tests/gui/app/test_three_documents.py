"""Three documents of three kinds and two comparisons are open when the process is killed: the next start brings back all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import app as gui_app
from gui.app.recovering import everything_left
from gui.document.crash_files import folder
from gui.editors.comparison import windows as comparisons
from gui.editors.comparison.editor import CompareWindow
from gui.editors.network import windows as networks
from gui.editors.plan import windows as graphs
from gui.editors.plan.windows import Parts, make_window
from planner.formats import read_graph
from planner.formats.networks.npz import write_network
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import layered_network
from tests.gui.models import write_model
from tests.gui.window_parts import settle

CHILD = """
import json, os, sys, traceback
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from gui.editors.comparison import windows as comparisons
from gui.editors.network.windows import open_order_window
from gui.editors.plan.windows import make_window
from gui.tools.story.frames import Frame, ModelSource, Shown
from planner.story.keyframe import Keyframe
from tests.gui.editors.network.models import shuffled_order

def fail(*error):
    traceback.print_exception(*error)
    os._exit(1)

sys.excepthook = fail
app = QApplication([])
parts = make_window(app, theme="light")
parts.window.show()
document = parts.document
document.open_model(sys.argv[1])
document.move([5], (int(document.device_of[5]) + 1) % len(document.problem.devices))
other = document.device_of[::-1].copy()
other[:] = sorted(other.tolist())
found = document.add_plan(other, "found", planner="slice", seed=3)
comparison = comparisons.open_comparison(parts.window, [document.active, found])
comparison.files.add_paths([Path(sys.argv[3])])
comparison.state.set_reference(1)
document.move([4], (int(document.device_of[4]) + 1) % len(document.problem.devices))
document.move([3], (int(document.device_of[3]) + 1) % len(document.problem.devices))
document.undo_stack.undo()
window = open_order_window(parts.themes, parts.session, [Path(sys.argv[2])], beside=parts.window)

def frame(of, source, title, **fields):
    plan = of.current_plan()
    shown = Shown(plan, tuple(of.plan_bounds), ModelSource(source, tuple(of.paths), 1))
    return Frame(Keyframe(title, f"words on {title}", 0, **fields), shown)

def edit():
    if window.document.problem is None:
        return QTimer.singleShot(20, edit)
    window.document.set_order(shuffled_order(window.document.network, 7), "by hand")
    window.compare([window.document.add_plan(shuffled_order(window.document.network, 8), "found order", planner="locality")])
    window.autosave.write()
    draft = parts.window.studio.draft
    draft.add(frame(document, document.graph, "one", highlight=(document.graph.op_ids[2],)))
    draft.add(frame(document, document.graph, "two", view="lanes"))
    draft.add(frame(window.document, window.document.network, "three", view="network", at=4))
    draft.set_title("A talk on three things")
    QTimer.singleShot(0, ready)

def ready():
    autosave = parts.window.studio.autosave
    if window.autosave.busy or autosave.busy or autosave.path is None or comparison.state.waiting:
        return QTimer.singleShot(20, ready)
    print(json.dumps({
        "device_of": document.device_of.tolist(), "order": window.document.order.tolist(),
        "beside": window.document.compared.order.tolist(),
        "compared": [[plan.name, plan.decision.device_of.tolist()] for plan in comparison.state.plans],
    }), flush=True)

QTimer.singleShot(0, edit)
app.exec()
"""


@pytest.fixture
def parts(qtbot: QtBot) -> Iterator[Parts]:
    """A window that remembers, closed with all that it opened."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made = make_window(app, theme="light")
    made.window.show()
    yield made
    for comparison in list(comparisons._windows):
        comparison.close()
        settle()
    for window in networks.order_windows():
        window.document.undo_stack.setClean()
        window.close()
    while graphs._graphs:
        graphs._graphs.pop().close()
    networks.close_all()
    graphs.close_all()
    made.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_graph_a_network_a_story_and_comparisons_survive_a_kill(
    qtbot: QtBot, tmp_path: Path, parts: Parts
) -> None:
    model, network, plan = write_model(tmp_path), tmp_path / "net.npz", tmp_path / "saved.plan.json"
    write_network(layered_network(), network)
    problem = Problem(read_graph(model), Pipeline(count=3))
    write_plan(plan, problem.plan(np.repeat([0, 1, 2], 4).astype(np.int32), Provenance("hand"), "saved"))
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(model), str(network), str(plan)], stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3], text=True,
    )  # fmt: skip
    try:
        assert child.stdout is not None
        before = json.loads(child.stdout.readline())
        assert everything_left() == [], "a living process keeps its own"
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.communicate()
    assert len(everything_left()) == 3

    notice = parts.window.notice
    gui_app._offer_recovery(parts)
    for number in (1, 2, 3):
        qtbot.waitUntil(lambda n=number: f"({n} of 3)" in notice.text and notice.isVisible(), timeout=60_000)
        assert ("the story with its 3 keyframes" in notice.text) == (number == 3)
        notice._action.click()
    draft = parts.window.studio.draft
    qtbot.waitUntil(lambda: bool(draft.frames), timeout=60_000)

    document = parts.document
    assert document.paths == (model,) and document.modified
    assert document.device_of.tolist() == before["device_of"]
    assert document.undo_stack.count() == 3 and document.undo_stack.canRedo()
    (window,) = networks.order_windows()
    assert window.document.order.tolist() == before["order"] and window.document.modified
    assert window.document.paths == (network,)

    assert window.document.compared is not None
    assert window.document.compared.order.tolist() == before["beside"]
    of_plans, of_orders = sorted(comparisons._windows, key=lambda one: one.document is window.document)
    assert of_orders.document is window.document
    assert isinstance(of_plans, CompareWindow)
    qtbot.waitUntil(lambda: of_plans.state.comparison is not None)
    now = [[plan.name, plan.decision.array.tolist()] for plan in of_plans.state.plans]
    assert now == before["compared"] and len(now) == 3

    assert draft.modified and draft.state.title == "A talk on three things" and draft.path is None
    assert [frame.keyframe.title for frame in draft.frames] == ["one", "two", "three"]
    assert [frame.keyframe.view for frame in draft.frames] == ["flow", "lanes", "network"]
    assert [frame.shown.source.paths for frame in draft.frames] == [(model,), (model,), (network,)]
    first, _, third = (frame.shown.plan for frame in draft.frames)
    assert first.decision.array.tolist() == before["device_of"]
    assert third.decision.array.tolist() == before["order"]

    autosave = parts.window.studio.autosave
    assert autosave is not None and window.autosave is not None
    qtbot.waitUntil(lambda: not autosave.busy and not window.autosave.busy)  # type: ignore[union-attr]
    assert everything_left() == [], "all of it is kept by the new process"
    draft.save(tmp_path / "talk.story.json")
    assert not list(folder().glob("story-*")), "what is saved is kept no more"
