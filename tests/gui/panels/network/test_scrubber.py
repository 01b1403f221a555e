"""The scrubber: buttons, keys, drags, figures against the evaluator; the slots of fast memory beside it."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.document.network.document import OrderDocument
from gui.look.theme import DARK, LIGHT
from gui.panels.network.playback.grid import grid
from gui.panels.network.playback.memory import FastMemoryView
from gui.panels.network.playback.widget import CALM_FRAME_MS, Playback
from gui.panels.network.scrubber.widget import Scrubber
from tests.gui.editors.network.models import document_of
from tests.gui.window_parts import settle, shown


@pytest.fixture
def scrubber(qtbot: QtBot) -> Generator[Scrubber]:
    document = document_of()
    qtbot.waitUntil(lambda: not document.busy, timeout=10_000)
    one = Scrubber(document, Playback(document), LIGHT)
    with shown(qtbot, one, 1200, 110):
        settle()
        yield one
        one.playback.pause()
    document.close()
    document.deleteLater()


@pytest.fixture
def memory(qtbot: QtBot) -> Generator[FastMemoryView]:
    document = document_of(size=8)
    qtbot.waitUntil(lambda: not document.busy, timeout=10_000)
    one = FastMemoryView(document, LIGHT)
    with shown(qtbot, one, 300, 260):
        settle()
        yield one
        one.set_reduced_motion(True)
    document.close()
    document.deleteLater()


def test_buttons_play_and_step(qtbot: QtBot, scrubber: Scrubber) -> None:
    document = scrubber.document
    document.set_position(0)
    buttons = {button.accessibleName().split(" (")[0]: button for button in scrubber._buttons}
    qtbot.mouseClick(buttons["One connection on"], Qt.MouseButton.LeftButton)
    assert document.position == 1
    qtbot.mouseClick(buttons["Next I/O of a value"], Qt.MouseButton.LeftButton)
    assert document.position > 1
    qtbot.mouseClick(buttons["To the beginning"], Qt.MouseButton.LeftButton)
    assert document.position == 0
    qtbot.mouseClick(scrubber.play_button, Qt.MouseButton.LeftButton)
    assert scrubber.playback.playing
    assert scrubber.play_button.accessibleName() == "Pause (Space)"
    qtbot.mouseClick(scrubber.play_button, Qt.MouseButton.LeftButton)
    assert not scrubber.playback.playing


def test_keys_of_the_time_axis(qtbot: QtBot, scrubber: Scrubber) -> None:
    document, axis = scrubber.document, scrubber.timeline
    axis.setFocus()
    document.set_position(10)
    qtbot.keyClick(axis, Qt.Key.Key_Right)
    assert document.position == 11
    qtbot.keyClick(axis, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert document.position < 11
    before = document.position
    qtbot.keyClick(axis, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert document.position > before
    qtbot.keyClick(axis, Qt.Key.Key_End)
    assert document.position == len(document.order)
    qtbot.keyClick(axis, Qt.Key.Key_Home)
    assert document.position == 0
    speed = scrubber.playback.speed
    qtbot.keyClick(axis, Qt.Key.Key_Plus)
    assert scrubber.playback.speed == 2 * speed
    qtbot.keyClick(axis, Qt.Key.Key_Minus)
    qtbot.keyClick(axis, Qt.Key.Key_Space)
    assert scrubber.playback.playing
    qtbot.keyClick(axis, Qt.Key.Key_Space)
    document.set_position(20)
    qtbot.keyClick(axis, Qt.Key.Key_PageDown)
    assert document.position > 20
    before = document.position
    qtbot.keyClick(axis, Qt.Key.Key_A)
    assert document.position == before


def test_a_drag_goes_to_a_moment_and_the_wheel_steps(qtbot: QtBot, scrubber: Scrubber) -> None:
    document, axis = scrubber.document, scrubber.timeline
    length = len(document.order)
    qtbot.mousePress(axis, Qt.MouseButton.LeftButton, pos=QPoint(int(axis.x_of(0)), 20))
    assert document.position == 0
    qtbot.mouseMove(axis, QPoint(round(axis.x_of(length // 2)), 20))
    assert abs(document.position - length / 2) <= 1
    qtbot.mouseMove(axis, QPoint(axis.width() + 50, 20))
    qtbot.mouseRelease(axis, Qt.MouseButton.LeftButton, pos=QPoint(axis.width() + 50, 20))
    assert document.position == length
    at = QPointF(30, 20)
    QApplication.sendEvent(
        axis,
        QWheelEvent(
            at, axis.mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip
    assert document.position == length - 1
    assert axis.value() == document.position


def test_figures_are_those_of_the_evaluator_at_the_end(scrubber: Scrubber) -> None:
    document = scrubber.document
    network, evaluation = document.open_problem.network, document.evaluation
    document.set_position(len(document.order))
    rows = {one.name: (one.value, one.beside[0]) for one in scrubber.counters.figures()}
    least = network.connection_count + network.neuron_count
    assert rows["Reads"] == (f"{evaluation.reads:,}", f"at least {least:,}")
    assert rows["Writes"] == (f"{evaluation.writes:,}", f"at least {len(network.outputs):,}")
    total = evaluation.reads + evaluation.writes
    assert rows["Total I/Os"][0] == f"{total:,}"
    assert rows["Beyond bound"][0] == f"{total - least - len(network.outputs):,}"
    scrubber._speak()
    assert "100.0 % done" in scrubber.counters.accessibleDescription()


def test_counters_move_below_where_it_is_narrow(qtbot: QtBot, scrubber: Scrubber) -> None:
    wide = scrubber.sizeHint().height()
    scrubber.resize(640, 160)
    settle()
    assert scrubber.sizeHint().height() > wide
    assert scrubber.counters.geometry().top() > scrubber.timeline.geometry().top()
    scrubber.set_theme(DARK)
    scrubber.grab()
    scrubber.resize(1200, 110)
    settle()
    assert scrubber.sizeHint().height() == wide


def test_the_speed_slider_grows_by_factors(scrubber: Scrubber) -> None:
    for value in (0, 20, 60):
        scrubber.speed.setValue(value)
        assert scrubber._step_of(scrubber.playback.speed) == value
    assert scrubber.playback.speed == scrubber.playback.fastest


def test_reduced_motion_plays_single_pictures(scrubber: Scrubber) -> None:
    scrubber.set_reduced_motion(True)
    assert scrubber.playback._timer.interval() == CALM_FRAME_MS


def test_nothing_can_be_played_before_a_network_is_open(qtbot: QtBot) -> None:
    document = OrderDocument()
    scrubber = Scrubber(document, Playback(document), LIGHT)
    with shown(qtbot, scrubber, 900, 110):
        assert not scrubber.play_button.isEnabled()
        scrubber.grab()
    document.close()


@given(st.integers(1, 3000), st.floats(60, 900), st.floats(60, 900))
def test_slots_fill_the_room_and_are_found_again(slots: int, wide: float, high: float) -> None:
    placed = grid(slots, (8.0, 24.0, wide, high))
    x, y = placed.corners()
    assert x.max() + placed.width <= 8.0 + wide + 1e-6
    assert y.max() + placed.height <= 24.0 + high + 1e-6
    for slot in {0, slots // 2, slots - 1}:
        centre = placed.cell(slot).center()
        assert placed.slot_at(centre.x(), centre.y()) == slot
        assert placed.cell(slot).left() == pytest.approx(x[slot])
    assert placed.slot_at(0.0, 0.0) == -1


def test_slots_hold_what_the_trace_says(qtbot: QtBot, memory: FastMemoryView) -> None:
    document = memory.document
    document.set_position(25)
    settle()
    history = memory.history
    assert history is not None
    residents = history.residents(25)
    slot, neuron = int(residents.slot[-1]), int(residents.neuron[-1])
    at = memory.cell(slot).center().toPoint()
    qtbot.mouseMove(memory, at)
    assert document.hover == neuron
    assert memory._card.isVisible()
    qtbot.mouseClick(memory, Qt.MouseButton.LeftButton, pos=at)
    assert document.selection == neuron
    qtbot.mouseMove(memory, QPoint(1, 1))
    assert document.hover == -1


def test_what_happens_flashes_and_fades(qtbot: QtBot, memory: FastMemoryView) -> None:
    document = memory.document
    document.set_position(0)
    still = memory.grab().toImage()
    document.set_position(1)
    assert np.isfinite(memory._flash).any()
    assert memory._fading.isActive()
    assert memory.grab().toImage() != still
    qtbot.waitUntil(lambda: not memory._fading.isActive(), timeout=10_000)
    said, slots = memory.accessibleDescription(), memory.document.problem.target.size - 1  # type: ignore[union-attr]
    assert (
        f"of {slots} slots, " in said and f"1 of {slots + 1} values is the weight of the connection" in said
    )


def test_reduced_motion_marks_only_the_last_connection(memory: FastMemoryView) -> None:
    memory.set_reduced_motion(True)
    document = memory.document
    document.set_position(0)
    document.set_position(20)
    history = memory.history
    assert history is not None
    events = history.events(19, 20)
    marked = np.argwhere(np.isfinite(memory._flash))
    wanted = {
        (int(k), int(s)) for k, s in zip(history.trace.kind[events], history.trace.slot[events], strict=True)
    }
    assert {(int(k), int(s)) for k, s in marked} == wanted
    assert not memory._fading.isActive()


def test_many_slots_and_the_compared_order(qtbot: QtBot) -> None:
    document = document_of(size=4000)
    memory = FastMemoryView(document, DARK, "compared")
    with shown(qtbot, memory, 240, 200):
        memory.grab()
        document.compare(document.plans[0])  # type: ignore[arg-type]
        qtbot.waitUntil(lambda: not document.busy, timeout=10_000)
        document.set_position(12)
        assert memory.history is not None
        memory.grab()
        memory.set_theme(LIGHT)
        memory.set_reduced_motion(True)
    document.close()
    document.deleteLater()


def test_while_an_order_plays_its_end_is_what_the_bound_is_about(scrubber: Scrubber) -> None:
    document = scrubber.document
    network, evaluation = document.open_problem.network, document.evaluation
    document.set_position(1)
    rows = {one.name: one for one in scrubber.counters.figures()}
    least = network.connection_count + network.neuron_count
    assert rows["Reads"].beside == (
        f"so far; at the end {evaluation.reads:,}, at least {least:,}", f"so far, {evaluation.reads:,} at the end",
        f"of {evaluation.reads:,}",
    )  # fmt: skip
    assert rows["Beyond bound"].beside == ("none so far", "none")
    assert "≥" not in scrubber.counters.words()
    scrubber.counters.counters = None
    assert [one.beside for one in scrubber.counters.figures()[1:]] == [()] * 4
