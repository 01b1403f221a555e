"""Two orders beside each other: counters of both at one moment, differences by layer and neuron against slow counts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.document.network.document import OrderDocument
from gui.editors.comparison import windows
from gui.editors.comparison.orders.editor import OrdersWindow
from gui.editors.comparison.orders.figures import (
    counter_words,
    difference_words,
    differences,
    moved_neurons,
    moves_words,
    traffic,
)
from gui.editors.comparison.orders.side_by_side import SideBySide
from gui.editors.network.editor import OrderWindow
from gui.editors.network.views import default_views
from gui.look.theme import DARK, LIGHT
from gui.panels.network.playback.widget import Playback
from gui.shell.picture_dialog import PictureDialog
from planner.machines.two_level_memory.kernels import READ, WRITE
from planner.machines.two_level_memory.orders.blocks import placed_like
from planner.machines.two_level_memory.trace import Trace
from planner.reports.comparison.orders import completed
from tests.gui.editors.network.models import document_of, opened
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import settle, shown


@pytest.fixture
def pair(qtbot: QtBot) -> Generator[SideBySide]:
    document = document_of()
    playback = Playback(document, document)
    page = SideBySide(document, LIGHT, None, playback)
    document.compare(document.plans[0])  # type: ignore[arg-type]
    with shown(qtbot, page, 1000, 700):
        qtbot.waitUntil(lambda: not page.busy and not document.busy, timeout=10_000)
        settle()
        yield page
    page.end_threads()
    document.close()
    document.deleteLater()


def traces(document: OrderDocument) -> tuple[Trace, Trace]:
    assert document.trace is not None and document.compared_trace is not None
    return document.trace, document.compared_trace


def test_traffic_is_what_the_events_say(pair: SideBySide) -> None:
    document = pair.document
    network = document.network
    assert network is not None
    first, second = traces(document)
    count = network.connection_count
    for position in (0, 1, count // 3, count - 1, count):
        for trace in (first, second):
            slow = np.zeros((network.neuron_count, 2), np.int64)
            for at, kind, neuron in zip(trace.position, trace.kind, trace.neuron, strict=True):
                if kind in (READ, WRITE) and (at < position or position == count):
                    slow[neuron, int(kind == WRITE)] += 1
            assert (traffic(trace, network.neuron_count, position) == slow).all()
        found = differences(network, first, second, position)
        for which, trace in enumerate((first, second)):
            assert found.totals[which, 0] == trace.reads[position] - position
            assert found.totals[which, 1] == trace.writes[position]
        sums = np.abs(found.changes.sum(axis=1))
        assert (np.diff(sums) <= 0).all() and (sums > 0).all()


def test_counters_and_tables_follow_the_moment(pair: SideBySide, qtbot: QtBot) -> None:
    document = pair.document
    first, second = traces(document)
    count = len(document.order)
    for position in (0, count // 2, count):
        document.set_position(position)
        assert [label.text() for label in pair.counters] == [
            counter_words(trace, position) for trace in (first, second)
        ]
        change = np.array(
            [second.reads[position] - first.reads[position], second.writes[position] - first.writes[position]]
        )
        assert pair.difference.text() == difference_words(change, position, count)
        qtbot.waitUntil(lambda: not pair.busy, timeout=5_000)
        rows = pair._layers.rows
        assert rows[-1].total and rows[-1].figures[0] == first.reads[position] - position
        assert sum(row.figures[5] for row in rows[:-1]) == rows[-1].figures[5]
    assert "in the end" in pair.difference.text()
    shown_change = pair._layers.index(len(pair._layers.rows) - 1, 3).data(Qt.ItemDataRole.DisplayRole)
    assert shown_change[0] in "+−±"


def test_a_neuron_of_the_list_is_selected_by_a_click(pair: SideBySide, qtbot: QtBot) -> None:
    pair.document.set_position(len(pair.document.order))
    qtbot.waitUntil(lambda: not pair.busy, timeout=5_000)
    table, rows = pair.neurons, pair._neurons.rows
    assert rows
    place = table.visualRect(pair._neurons.index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.x(), place.y()))
    assert pair.document.selection == rows[0].neuron


def test_both_pictures_are_looked_at_in_one_way_and_one_scrubber_moves_both(pair: SideBySide) -> None:
    first, second = pair.views
    assert first.view == second.view
    other = "matrix" if first.view == "links" else "links"
    first.set_view(other)
    assert second.view == other
    second.set_sorted(not second.by_first_use.isChecked())
    assert first.by_first_use.isChecked() == second.by_first_use.isChecked()
    assert pair.scrubber is not None
    pair.set_reduced_motion(True)
    pair.set_theme(DARK)
    settle()
    pair.grab()


def test_the_chooser_changes_what_is_compared(pair: SideBySide, qtbot: QtBot) -> None:
    document = pair.document
    assert pair.chooser.currentText() == document.plans[0].name
    assert document.active is not None and pair.first_name.text() == document.active.name
    document.add_plan(document.plans[0].device_of, "third")
    settle()
    assert [pair.chooser.itemText(i) for i in range(pair.chooser.count())] == ["shuffled", "third"]
    pair._chosen(1)
    assert document.compared is document.plans[-1]
    document.compare(None)
    settle()
    assert pair.chooser.currentText() == "choose an order"
    assert pair.difference.text() == "Choose an order to compare with." and not pair._layers.rows
    qtbot.waitUntil(lambda: not pair.busy and not document.busy, timeout=5_000)


def test_the_neurons_that_must_move_are_listed_and_selected(pair: SideBySide, qtbot: QtBot) -> None:
    document = pair.document
    network, compared = document.network, document.compared
    assert network is not None and compared is not None
    before, after = (completed(network, order).tolist() for order in (document.order, compared.device_of))
    rows = pair._moves.rows
    assert rows
    for row in rows:
        assert row.figures == (before.index(row.neuron) + 1, after.index(row.neuron) + 1)
    found = moved_neurons(network, document.order, compared.device_of)
    stay = set(before) - set(found.neurons.tolist())
    assert [one for one in before if one in stay] == [one for one in after if one in stay]
    assert pair.moves_words.text() == moves_words(found)
    assert f"{len(found.neurons):,} neuron" in pair.moves_words.text()
    pair.moves.clicked.emit(pair._moves.index(0, 0))
    assert document.selection == rows[0].neuron
    document.compare(None)
    qtbot.waitUntil(lambda: not pair.busy and not document.busy, timeout=5_000)
    assert not pair._moves.rows and not pair.moves_words.text()


def test_it_waits_for_a_network(qtbot: QtBot) -> None:
    document = OrderDocument()
    page = SideBySide(document, LIGHT)
    with shown(qtbot, page, 700, 500):
        assert not page.views
        page.set_reduced_motion(True)
    page.end_threads()
    document.close()
    document.deleteLater()


@contextmanager
def compared_in(qtbot: QtBot) -> Generator[tuple[OrderWindow, OrdersWindow]]:
    """A network's window, and the comparison of its two orders that was opened from it."""
    with order_window(qtbot, views=default_views) as window:
        qtbot.waitUntil(lambda: window.settled, timeout=60_000)
        other = {"links": "matrix", "matrix": "links"}[window.canvas.view]
        window.actions_set[f"view.{other}"].trigger()
        window.canvas.set_sorted(False)
        window.actions_set["plan.compare"].trigger()
        (shown,) = windows._windows
        assert isinstance(shown, OrdersWindow)
        qtbot.waitUntil(lambda: shown.settled, timeout=60_000)
        yield window, shown


def test_a_comparison_draws_the_network_as_its_window_does(qtbot: QtBot) -> None:
    with compared_in(qtbot) as (window, shown):
        drawn, pair = window.canvas.view, shown.canvas
        assert [view.view for view in pair.views] == [drawn] * 2
        assert not any(view.sorted for view in pair.views) and shown.actions_set[f"view.{drawn}"].isChecked()
        shown.actions_set["view.links" if drawn == "matrix" else "view.matrix"].trigger()
        assert window.canvas.view == drawn and pair.view != drawn
        shown.actions_set["view.zoom_in"].trigger()
        assert all(not view.picture.lens.is_whole for view in pair.views)
        shown.actions_set["view.fit"].trigger()
        assert all(view.picture.lens.is_whole for view in pair.views)


def test_one_moment_and_one_clock_in_both_windows(qtbot: QtBot) -> None:
    with compared_in(qtbot) as (window, shown):
        document = window.document
        shown.actions_set["play.home"].trigger()
        assert document.position == 0 == window.scrubber.document.position
        window.actions_set["play.forward"].trigger()
        assert shown.canvas.counters[0].text() == counter_words(traces(document)[0], 1)
        shown.actions_set["play.toggle"].trigger()
        assert window.playback.playing
        window.actions_set["play.toggle"].trigger()
        assert not shown.playback.playing
        assert [memory.history is not None for memory in shown.memories] == [True, True]
        assert shown.plots._names() == window.views.plots._names() == ("A", "B"), "the curves of both"


def test_orders_change_places_in_one_step(qtbot: QtBot) -> None:
    with compared_in(qtbot) as (window, shown):
        document = window.document
        a, b, steps = document.active, document.compared, document.undo_stack.count()
        shown.actions_set["plan.apply"].trigger()
        assert (document.active, document.compared) == (b, a) and document.undo_stack.count() == steps + 1
        settle()
        assert shown.header.subtitle.text().startswith(f"A: {b.name}")  # type: ignore[union-attr]
        document.add_plan(document.order, "third")
        shown.actions_set["compare.pair"].trigger()
        assert document.compared is document.plans[-1]
        shown.actions_set["compare.pair"].trigger()
        assert document.compared is a


def test_a_block_is_taken_from_the_other_order(qtbot: QtBot) -> None:
    with compared_in(qtbot) as (window, shown):
        document = window.document
        assert not shown.actions_set["edit.take"].isEnabled()
        qtbot.waitUntil(lambda: bool(shown.canvas._moves.rows))
        shown.actions_set["compare.next"].trigger()
        first = document.selection
        assert first == shown.canvas._moves.rows[0].neuron
        shown.actions_set["compare.next"].trigger()
        shown.actions_set["compare.previous"].trigger()
        assert document.selection == first
        network, compared = document.network, document.compared
        assert network is not None and compared is not None
        wanted = placed_like(network, document.order, compared.order, first)
        shown.actions_set["edit.take"].trigger()
        assert np.array_equal(document.order, wanted) and document.undo_stack.canUndo()
        shown.actions_set["edit.take"].trigger()
        assert "as near" in shown.notice.text


def test_files_and_a_picture_of_both(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with compared_in(qtbot) as (window, shown):
        document, plan = window.document, tmp_path / "third.json"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(plan), ""))
        window.files.save_entry(document.plans[0])
        order = document.order
        shown.open_files([plan])
        assert document.compared is document.plans[-1] and document.compared.origin == "file"
        assert document.order is order and not document.modified, "the canvas stays"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "both.png"), ""))
        shown.actions_set["file.export.picture"].trigger()
        shown.findChild(PictureDialog).accept()
        assert (tmp_path / "both.png").stat().st_size > 1000 and "both.png" in shown.notice.text


def test_it_goes_with_its_network(qtbot: QtBot) -> None:
    with compared_in(qtbot) as (window, shown):
        window.install(opened())
        settle()
        assert shown.closed and window.document.compared is None
