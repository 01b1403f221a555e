"""What a screen reader finds in the window: a walk over the tree of every editor, and what is said as the keyboard moves."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDockWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.view import CanvasView
from gui.document.plan.document import Document
from gui.editors.network.views import default_views
from gui.editors.plan.body import default_canvas
from gui.editors.plan.editor import MainWindow
from gui.panels.mcm.view import PackageView
from gui.shell.window import EditorWindow
from gui.widgets import accessible
from planner.machines.pipeline.target import Pipeline
from tests.gui.accessible_tree import Node, items_of, tree_of, unnamed
from tests.gui.editors.comparison.parts import rest, two_plans, window_on
from tests.gui.editors.network.window_parts import order_window
from tests.gui.mcm_models import opened_on_package
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, opened, settle

Said = list[tuple[QAccessible.Event, str]]


@contextmanager
def plan_window(qtbot: QtBot, document: Document) -> Iterator[MainWindow]:
    """A window with its canvas until the block ends."""
    window, close = make_window(qtbot, document, canvas_factory=default_canvas)
    window.set_reduced_motion(True)
    qtbot.waitUntil(lambda: window.canvas.scene is not None and not window.canvas.busy)
    settle()
    try:
        yield window
    finally:
        close()


@contextmanager
def empty_window(qtbot: QtBot) -> Iterator[MainWindow]:
    """A window of plans in which nothing is open."""
    window, close = make_window(qtbot, Document())
    try:
        yield window
    finally:
        close()


@contextmanager
def window_of(editor: str, qtbot: QtBot) -> Iterator[EditorWindow]:
    """A window of an editor with everything that it draws."""
    if editor == "network":
        with order_window(qtbot, views=default_views) as network:
            yield network
    elif editor == "comparison":
        with window_on(qtbot, two_plans()) as comparison:
            yield comparison
    else:
        with plan_window(qtbot, opened_on_package() if editor == "package" else opened()) as window:
            yield window


@pytest.mark.parametrize("editor", ["plan", "nothing", "network", "comparison"])
def test_buttons_that_are_off_say_why(editor: str, qtbot: QtBot) -> None:
    """As entries of menus do: in the tip, and to who listens."""
    with empty_window(qtbot) if editor == "nothing" else window_of(editor, qtbot) as window:
        silent, off = [], 0
        for dock in window.findChildren(QDockWidget):
            dock.show()
            settle()
        for button in window.findChildren(QAbstractButton):
            if not button.text() or not button.isVisibleTo(window) or button.isEnabled():
                continue
            off += 1
            why = button.accessibleDescription()
            if not why or why not in button.toolTip():
                silent.append((button.text(), button.toolTip(), why, type(button.parent()).__name__))
        assert not silent
        assert off or editor in ("network", "comparison")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Generator[Said]:
    """What is said to a screen reader, which listens."""
    found: Said = []

    def hear(event: QAccessibleEvent) -> None:
        found.append((event.type(), event.accessibleInterface().text(QAccessible.Text.Name)))

    monkeypatch.setattr(accessible, "say", hear)
    QAccessible.setActive(True)
    yield found
    QAccessible.setActive(False)


def canvas_of(window: EditorWindow) -> CanvasView:
    canvas = window.findChild(CanvasView)
    assert isinstance(canvas, CanvasView)
    return canvas


def named(nodes: list[Node], words: str) -> Node:
    """The first thing whose name begins so."""
    found = next((node for node in nodes if node.name.startswith(words)), None)
    assert found is not None, [node.name for node in nodes]
    return found


# ---------------------------------------------------------------------------------------------- the walk
@pytest.mark.parametrize("editor", ["plan", "package", "network", "comparison"])
def test_everything_that_takes_the_keyboard_says_what_it_is(editor: str, qtbot: QtBot) -> None:
    with window_of(editor, qtbot) as window:
        wrong = set(unnamed(tree_of(window)))
        for dock in window.findChildren(QDockWidget):
            dock.show()
            dock.raise_()
            settle()
            wrong |= set(unnamed(tree_of(window)))
        assert not wrong


@pytest.mark.parametrize("editor", ["plan", "package", "network", "comparison"])
def test_every_item_is_where_its_parent_says(editor: str, qtbot: QtBot) -> None:
    with window_of(editor, qtbot) as window:
        for node in tree_of(window):
            for i in range(node.face.childCount()):
                child = node.face.child(i)
                if child.object() is None and node.widget is not None and hasattr(node.widget, "told"):
                    assert child.parent() is node.face
                    assert node.face.indexOfChild(child) == i
                    assert child.text(QAccessible.Text.Name)
                    assert node.rect.contains(child.rect())


# ---------------------------------------------------------------------------------------------- graphs
def test_cards_and_lanes_say_what_the_canvas_shows(qtbot: QtBot) -> None:
    with plan_window(qtbot, opened()) as window:
        canvas = canvas_of(window)
        graph = window.document.board.open_problem.graph
        cards = items_of(canvas)
        assert [node.name.split(",")[0] for node in cards] == list(graph.op_names)
        assert cards[0].name.startswith(f"{graph.op_names[0]}, {graph.kinds[0]}, Stage 0, ")
        for op, node in enumerate(cards):
            corner = canvas.mapToGlobal(QPoint(0, 0))
            assert node.rect.translated(-corner).contains(canvas.op_rect(op).center().toPoint())
        canvas.set_view("lanes")
        qtbot.waitUntil(lambda: not canvas.busy and not canvas.animating)
        settle()
        lanes = items_of(canvas)[:3]
        evaluation = window.document.evaluation
        for d, node in enumerate(lanes):
            assert node.name.startswith(f"Stage {d}: ")
            assert "4 ops" in node.name
            assert ("bottleneck" in node.name) == (d == evaluation.bottleneck)
        card = named(tree_of(window.devices), "Stage 1")
        assert card.role is QAccessible.Role.ListItem
        assert not card.selected
        press(lanes[1])
        assert window.document.device_of[window.document.selection].tolist() == [1] * 4
        settle()
        assert lanes[1].selected
        assert card.selected


def press(node: Node) -> None:
    """Do what pressing it does."""
    action = node.face.actionInterface()
    assert action is not None
    assert action.localizedActionName(action.actionNames()[0])
    action.doAction(action.actionNames()[0])


def test_the_keyboard_walks_and_says_so(qtbot: QtBot, said: Said) -> None:
    with plan_window(qtbot, opened()) as window:
        canvas, names = canvas_of(window), window.document.board.open_problem.graph.op_names
        window.activateWindow()
        canvas.setFocus()
        qtbot.waitUntil(canvas.hasFocus)
        QTest.keyClick(canvas, Qt.Key.Key_Right)
        said.clear()
        QTest.keyClick(canvas, Qt.Key.Key_Right)
        cards = items_of(canvas)
        op = int(window.document.selection[0])
        assert op > 0
        assert [node.selected for node in cards] == [i == op for i in range(len(names))]
        assert [node.focused for node in cards] == [i == op for i in range(len(names))]
        assert [event for event, _ in said] == [QAccessible.Event.Focus, QAccessible.Event.Selection]
        assert all(name.startswith(f"{names[op]},") for _, name in said)
        assert canvas.told.access is not None
        assert canvas.told.access.focusChild() is cards[op].face


def test_a_name_that_was_read_out_is_corrected(qtbot: QtBot, said: Said) -> None:
    with plan_window(qtbot, opened()) as window:
        canvas = canvas_of(window)
        cards = items_of(canvas)
        said.clear()
        window.document.move(np.array([4]), 0)
        settle()
        assert (QAccessible.Event.NameChanged, cards[4].face.text(QAccessible.Text.Name)) in said
        assert "Stage 0" in cards[4].face.text(QAccessible.Text.Name)
        assert not any(name.startswith(cards[0].name) for _, name in said)


def test_lanes_say_what_a_drop_would_cost(qtbot: QtBot) -> None:
    with plan_window(qtbot, opened()) as window:
        canvas, document = canvas_of(window), window.document
        document.begin_preview(np.array([4]))
        settle()
        chips = items_of(canvas)[:3]
        assert [node.name for node in chips] == [
            f"Stage {d}. {canvas.consequences[d].long}" for d in range(3)
        ]
        assert "now here" in chips[1].name
        document.end_preview()


def test_of_many_cards_a_bounded_number_is_told(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(3000), target=Pipeline(count=3))
    with plan_window(qtbot, document) as window:
        canvas = canvas_of(window)
        qtbot.waitUntil(lambda: not canvas.busy and not canvas.animating, timeout=20_000)
        document.select(np.array([2900]))
        cards = items_of(canvas)
        assert 0 < len(cards) <= accessible.MOST
        chosen = [node for node in cards if node.selected]
        assert [node.name.split(",")[0] for node in chosen] == [
            document.board.open_problem.graph.op_names[2900]
        ]
        canvas.zoom_to_ops(np.arange(8))
        near = items_of(canvas)
        assert 8 <= len(near) < len(cards)
        assert all(canvas.rect().intersects(canvas.op_rect(i).toAlignedRect()) for i in range(8))


def test_what_is_gone_is_invalid_and_out_of_sight_is_freed(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(1500), target=Pipeline(count=3))
    with plan_window(qtbot, document) as window:
        canvas = canvas_of(window)
        qtbot.waitUntil(lambda: not canvas.busy and not canvas.animating, timeout=20_000)
        first = items_of(canvas)[0]
        access = canvas.told.access
        assert access is not None
        for start in range(0, 1500, 60):
            canvas.zoom_to_ops(np.arange(start, start + 60))
            items_of(canvas)
            settle()
        assert access.kept <= 2 * accessible.MOST + 60
        items_of(canvas)
        document.open_graph(chain_graph(6), target=Pipeline(count=3))
        qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.busy)
        assert len(items_of(canvas)) == 6
        assert not accessible.isValid(first.face) or not first.face.isValid()


def test_nothing_is_made_while_nobody_listens(qtbot: QtBot) -> None:
    assert not QAccessible.isActive()
    with plan_window(qtbot, opened()) as window:
        canvas = canvas_of(window)
        canvas.setFocus()
        QTest.keyClick(canvas, Qt.Key.Key_Right)
        window.document.move(np.array([4]), 0)
        settle()
        assert canvas.told.access is None


# ---------------------------------------------------------------------------------------------- lists and panels
def test_plans_say_their_figures(qtbot: QtBot) -> None:
    with plan_window(qtbot, two_plans()) as window:
        window.docks.reveal("plans")
        settle()
        row = named(tree_of(window), "later")
        assert row.role is QAccessible.Role.ListItem
        for words in ("objective", "gap", "valid"):
            assert words in row.name
        assert "\n" not in row.name


def test_chips_of_a_package_can_be_pressed(qtbot: QtBot, said: Said) -> None:
    with plan_window(qtbot, opened_on_package()) as window:
        window.docks.reveal("package")
        settle()
        view = window.findChild(PackageView)
        assert isinstance(view, PackageView)
        chips = items_of(view)
        assert [node.name.split(",")[0] for node in chips] == ["Chip 0", "Chip 1", "Chip 2", "Chip 3"]
        press(chips[2])
        settle()
        assert [node.selected for node in chips] == [False, False, True, False]
        view.setFocus()
        qtbot.waitUntil(view.hasFocus)
        said.clear()
        QTest.keyClick(view, Qt.Key.Key_End)
        assert said[0][0] is QAccessible.Event.Focus
        assert said[0][1].startswith("Chip 3")


def test_a_drop_down_says_what_it_is_about_and_what_is_chosen(qtbot: QtBot, said: Said) -> None:
    with plan_window(qtbot, opened()) as window:
        window.docks.reveal("target")
        settle()
        box = named(tree_of(window), "Kind of target: Pipeline")
        assert box.role is QAccessible.Role.ComboBox


# ---------------------------------------------------------------------------------------------- networks, comparisons
def test_layers_and_neurons(qtbot: QtBot, said: Said) -> None:
    with order_window(qtbot, views=default_views) as window:
        picture = window.canvas.picture
        items = items_of(picture)
        network = window.document.open_problem.network
        assert next(n.name for n in items if n.role is QAccessible.Role.Section) == "Layer 0, 6 neurons"
        neurons = [n for n in items if n.role is QAccessible.Role.ListItem]
        assert len(neurons) == network.neuron_count
        said.clear()
        picture.setFocus()
        qtbot.waitUntil(picture.hasFocus)
        QTest.keyClick(picture, Qt.Key.Key_Down)
        chosen = window.document.selection
        assert chosen >= 0
        now = [n for n in items_of(picture) if n.selected]
        assert [n.name for n in now] == [said[-1][1]]
        assert now[0].name.startswith(network.neuron_name(chosen))
        window.canvas.set_view("matrix")
        settle()
        assert named(items_of(picture), "Layer 0 ").role is QAccessible.Role.Section


def test_panes_and_ribbons(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        nodes = tree_of(window)
        panes = [node for node in nodes if node.role is QAccessible.Role.Canvas]
        assert [node.name.split(",")[0] for node in panes] == ["Plan A", "Plan B"]
        moved = [named(items_of(pane.widget), "block1/conv_3") for pane in panes if pane.widget is not None]
        assert "Stage 0" in moved[0].name
        assert "Stage 1" in moved[1].name
        press(moved[0])
        rest(qtbot, window)
        assert [node.selected for node in moved] == [True, True]
        window.state.set_view("lanes")
        rest(qtbot, window)
        assert panes[0].widget is not None
        assert named(items_of(panes[0].widget), "Stage 0: ").role is QAccessible.Role.ListItem
