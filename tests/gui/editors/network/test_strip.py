"""The order strip: what is drawn where, dragging with real mouse events, keys, and the words and counts that go with them."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.document.network.document import OrderDocument
from gui.document.network.neuron_facts import block_facts
from gui.document.values import Message
from gui.editors.network.strip.drag import Drag
from gui.editors.network.strip.kernels import by_share, in_sequence
from gui.editors.network.strip.layout import StripLayout
from gui.editors.network.strip.painter import rates
from gui.editors.network.strip.ribbon import LAYERS, NEURONS, SHADES, Ribbon, layer_colours, neuron_shades
from gui.editors.network.strip.widget import OrderStrip
from gui.editors.network.strip.words import change_words, order_words
from gui.look.numbers import signed
from gui.look.theme import DARK, LIGHT
from gui.panels.network.base import GUTTER
from planner.machines.two_level_memory.orders.blocks import BlockMove, blocks_of, moved
from tests.gui.editors.network.models import document_of, layered_network, shuffled_order
from tests.gui.window_parts import settle, shown


@pytest.fixture
def strip(qtbot: QtBot) -> Generator[OrderStrip]:
    document = document_of()
    one = OrderStrip(document, LIGHT)
    with shown(qtbot, one, 900, 200):
        quiet(qtbot, one)
        yield one
    one.end_threads()
    document.close()
    document.deleteLater()


def quiet(qtbot: QtBot, strip: OrderStrip) -> None:
    """Until nothing is counted or searched for any more."""
    qtbot.waitUntil(lambda: not strip.busy and not strip.document.busy, timeout=10_000)
    settle()


def mouse(strip: OrderStrip, kind: QEvent.Type, x: float, y: float, **more: object) -> None:
    """A mouse event on the chart; moves carry the pressed button."""
    at = QPointF(x, y)
    pressed = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    held = more.get("held", Qt.KeyboardModifier.NoModifier)
    if more.get("hover"):
        pressed = Qt.MouseButton.NoButton
    event = QMouseEvent(kind, at, strip.chart.mapToGlobal(at), button, pressed, held)
    QApplication.sendEvent(strip.chart, event)


def middle(strip: OrderStrip) -> float:
    top, height = strip.chart.layout_of.ribbon
    return top + height / 2


def movable(document: OrderDocument) -> int:
    """A neuron whose block has more than one place."""
    network = document.network
    assert network is not None
    for neuron in np.flatnonzero(network.in_degree).tolist():
        move = BlockMove(network, document.order, neuron)
        if len(move.places()) > 2 and len(move.places_beside(-1)) and len(move.places_beside(1)):
            return neuron
    raise AssertionError("no block can move")


# ---------------------------------------------------------------------- pure parts
def test_signs_are_never_left_out() -> None:
    assert (signed(12), signed(-1204), signed(0)) == ("+12", "−1,204", "±0")
    network = layered_network()
    runs = blocks_of(network, shuffled_order(network))
    assert f"{network.connection_count} connections in {len(runs)} runs" in order_words(runs)


@given(
    st.integers(1, 5000),
    st.floats(200, 3000),
    st.lists(st.tuples(st.floats(0.2, 5), st.floats(0, 1)), max_size=6),
)
def test_the_view_never_leaves_the_order(count: int, width: float, zooms: list[tuple[float, float]]) -> None:
    layout = StripLayout(count, width, 150.0)
    assert layout.fitted and layout.seen == pytest.approx((0.0, count))
    for factor, share in zooms:
        x = GUTTER + share * layout.plot_width
        before = layout.position(x)
        layout.zoom(factor, x)
        first, last = layout.seen
        assert -1e-6 <= first <= last <= count + 1e-6
        assert first - 1e-6 <= before <= last + 1e-6
        assert layout.x(layout.position(x)) == pytest.approx(x, abs=1e-3)
    ticks = layout.ticks()
    assert all(layout.seen[0] <= tick <= layout.seen[1] for tick in ticks)
    layout.fit()
    assert layout.fitted


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 40), st.integers(4, 20))
def test_columns_show_their_connections_in_sequence_or_by_share(
    colours: list[int], width: int, height: int
) -> None:
    palette = np.arange(1, 5, dtype=np.uint32)
    values = np.array(colours, np.int32)
    step = len(colours) / width
    sequence, shares = (np.zeros((height, width), np.uint32) for _ in range(2))
    in_sequence(values, palette, 0.0, step, sequence)
    by_share(values, palette, 0.0, step, shares)
    for x in range(width):
        low = int(np.floor(x * step))
        high = min(len(colours), max(low + 1, int(np.floor((x + 1) * step))))
        held = values[low:high]
        assert sequence[0, x] == held[0] + 1
        assert set(sequence[:, x].tolist()) <= set((held + 1).tolist())
        if len(held) <= height:
            assert set(sequence[:, x].tolist()) == set((held + 1).tolist())
        assert (np.diff(shares[:, x].astype(int)) >= 0).all()
        assert set(shares[:, x].tolist()) == set((held + 1).tolist())


def test_what_lies_behind_the_last_connection_stays_empty() -> None:
    picture = np.zeros((4, 10), np.uint32)
    in_sequence(np.zeros(5, np.int32), np.ones(1, np.uint32), 0.0, 1.0, picture)
    assert picture[:, :5].all() and not picture[:, 5:].any()


def test_neurons_of_a_layer_have_shades_of_its_colour() -> None:
    network = layered_network((30, 40, 5))
    shades = neuron_shades(network)
    assert (shades // SHADES == network.layer).all()
    first = shades[network.layer == 1]
    assert (np.diff(first[np.argsort(network.rank[network.layer == 1])]) >= 0).all()
    assert len(set(first.tolist())) == SHADES
    assert len(layer_colours(network, DARK)) == 3
    ribbon = Ribbon(network, shuffled_order(network), NEURONS, LIGHT)
    image = ribbon.image(0.0, 1.0, 20, 10, 1.0)
    assert ribbon.image(0.0, 1.0, 20, 10, 1.0) is image
    assert ribbon.image(1.0, 1.0, 20, 10, 1.0) is not image


def test_rates_sum_to_what_is_read_and_written() -> None:
    document = document_of()
    assert document.problem is not None
    trace = document.problem.evaluator.trace(document.order)
    count = len(document.order)
    layout = StripLayout(count, GUTTER + 12 + count, 150.0)
    reads, writes = rates(trace, layout)
    assert reads.sum() == pytest.approx(document.evaluation.reads - count)
    assert writes.sum() == pytest.approx(document.evaluation.writes)
    document.close()


def test_a_drag_lights_exactly_where_the_block_may_go() -> None:
    network = layered_network()
    order = shuffled_order(network)
    for neuron in np.flatnonzero(network.in_degree).tolist():
        move = BlockMove(network, order, neuron)
        drag = Drag(move)
        low, high = drag.lit
        for position in range(len(order) + 1):
            drag.go_to(position, 1e9, freely=True)
            assert drag.legal == (low <= position <= high)
            if drag.legal:
                assert drag.place == move.place_of(position)
                moved(network, order, neuron, drag.place)
            else:
                assert "layer" in drag.reason
        drag.go_to(low, 1.0, freely=False)
        assert drag.place in move.places()


# ---------------------------------------------------------------------- the widget
def test_it_says_what_the_order_is_and_what_is_selected(strip: OrderStrip, qtbot: QtBot) -> None:
    document = strip.document
    assert "runs" in strip.words.text()
    document.select(int(document.network.inputs[0]))  # type: ignore[union-attr]
    settle()
    assert "is an input" in strip.words.text()
    neuron = movable(document)
    document.select(neuron)
    quiet(qtbot, strip)
    assert strip.words.text().startswith(document.network.neuron_name(neuron).capitalize())  # type: ignore[union-attr]
    assert "may start at" in strip.words.text() and strip.best.text()
    # People count from 1, here as in the inspector.
    first = block_facts(document.network, document.order, neuron).first  # type: ignore[arg-type]
    assert f"runs from {first + 1:,}," in strip.words.text() or f"at {first + 1:,}," in strip.words.text()


def test_a_click_selects_the_block_under_the_pointer(strip: OrderStrip) -> None:
    document, layout = strip.document, strip.chart.layout_of
    network = document.network
    assert network is not None
    for position in (0, len(document.order) // 2, len(document.order) - 1):
        x = layout.x(position + 0.5)
        mouse(strip, QEvent.Type.MouseButtonPress, x, middle(strip))
        mouse(strip, QEvent.Type.MouseButtonRelease, x, middle(strip))
        assert document.selection == network.target[document.order[position]]
        document.select(-1)
        settle()


def test_a_drag_reads_the_change_out_and_the_drop_is_one_undo_step(strip: OrderStrip, qtbot: QtBot) -> None:
    document = strip.document
    network, before, evaluated = document.network, document.order, document.evaluation
    assert network is not None
    neuron = movable(document)
    move = BlockMove(network, before, neuron)
    place = int(move.places_beside(1)[-1])
    layout = strip.chart.layout_of
    x = layout.x(move.at[0] + 0.5)
    mouse(strip, QEvent.Type.MouseButtonPress, x, middle(strip))
    mouse(strip, QEvent.Type.MouseMove, x + 6, middle(strip))
    assert strip.chart.drag is not None and document.selection == neuron
    mouse(strip, QEvent.Type.MouseMove, layout.x(move.position_of(place)), middle(strip))
    drag = strip.chart.drag
    assert drag is not None and drag.legal and drag.place == place
    qtbot.waitUntil(lambda: drag.counts is not None, timeout=10_000)
    after = moved(network, before, neuron, place)
    assert drag.counts == document.problem.evaluator.count(after)  # type: ignore[union-attr]
    assert strip.words.text() == f"Start at {place + 1:,}: {change_words(evaluated, drag.counts)}"
    assert document.order is before
    mouse(strip, QEvent.Type.MouseButtonRelease, layout.x(move.position_of(place)), middle(strip))
    assert document.order.tolist() == after.tolist()
    assert strip.words.text().startswith(
        f"{network.neuron_name(neuron).capitalize()} now starts at {place + 1:,}"
    )
    document.undo_stack.undo()
    assert document.order.tolist() == before.tolist() and not document.undo_stack.canUndo()
    settle()
    assert "now starts" not in strip.words.text()


def test_where_a_block_may_not_go_it_says_why_and_a_drop_changes_nothing(strip: OrderStrip) -> None:
    document = strip.document
    network, before = document.network, document.order
    assert network is not None
    neuron = int(network.target[before[-1]])
    layout = strip.chart.layout_of
    x = layout.x(BlockMove(network, before, neuron).at[-1] + 0.5)
    mouse(strip, QEvent.Type.MouseButtonPress, x, middle(strip))
    mouse(strip, QEvent.Type.MouseMove, layout.x(20), middle(strip))
    mouse(strip, QEvent.Type.MouseMove, layout.x(0), middle(strip))
    drag = strip.chart.drag
    assert drag is not None and not drag.legal
    assert "is complete only after connection" in strip.words.text()
    strip.grab()
    mouse(strip, QEvent.Type.MouseButtonRelease, layout.x(0), middle(strip))
    assert strip.chart.drag is None and document.order is before


def test_escape_and_another_order_end_a_drag(strip: OrderStrip, qtbot: QtBot) -> None:
    document, layout = strip.document, strip.chart.layout_of
    network = document.network
    assert network is not None

    def begin() -> None:
        x = layout.x(20.5)
        mouse(strip, QEvent.Type.MouseButtonPress, x, middle(strip))
        mouse(strip, QEvent.Type.MouseMove, x + 8, middle(strip))
        assert strip.chart.drag is not None

    before = document.order
    begin()
    qtbot.keyClick(strip.chart, Qt.Key.Key_Escape)
    assert strip.chart.drag is None
    mouse(strip, QEvent.Type.MouseButtonRelease, 300, middle(strip))
    assert document.order is before
    begin()
    document.apply_plan(document.plans[0])
    settle()
    assert strip.chart.drag is None
    mouse(strip, QEvent.Type.MouseButtonRelease, 300, middle(strip))
    assert document.order.tolist() == document.plans[0].device_of.tolist()
    quiet(qtbot, strip)


def test_a_block_held_beyond_the_edge_brings_more_into_sight(strip: OrderStrip, qtbot: QtBot) -> None:
    chart, layout = strip.chart, strip.chart.layout_of
    chart.zoom_by(1.5, GUTTER)
    assert layout.left == 0.0
    x = layout.x(5.5)
    mouse(strip, QEvent.Type.MouseButtonPress, x, middle(strip))
    mouse(strip, QEvent.Type.MouseMove, x + 8, middle(strip))
    mouse(strip, QEvent.Type.MouseMove, chart.width() - 1, middle(strip))
    qtbot.waitUntil(lambda: layout.seen[1] == pytest.approx(layout.count), timeout=30_000)
    qtbot.waitUntil(lambda: not chart._edge.isActive(), timeout=30_000)
    assert chart.drag is not None
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.drag is None
    quiet(qtbot, strip)


def test_keys_walk_and_move(strip: OrderStrip, qtbot: QtBot) -> None:
    document, chart = strip.document, strip.chart
    network = document.network
    assert network is not None
    alt = Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(chart, Qt.Key.Key_Right, alt)
    assert "Select a neuron" in strip.words.text()
    document.set_position(0)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    first = document.selection
    assert first == network.target[document.order[0]]
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    settle()
    assert document.selection not in (-1, first)
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    settle()
    assert document.selection == first
    neuron = movable(document)
    document.select(neuron)
    settle()
    move = BlockMove(network, document.order, neuron)
    qtbot.keyClick(chart, Qt.Key.Key_Left, alt)
    assert document.order.tolist() == move.order_at(int(move.places_beside(-1)[0])).tolist()
    assert "I/Os" in strip.words.text()
    while len(BlockMove(network, document.order, neuron).places_beside(-1)):
        qtbot.keyClick(chart, Qt.Key.Key_Left, alt)
    qtbot.keyClick(chart, Qt.Key.Key_Left, alt)
    assert strip.words.text().startswith("It cannot go earlier")
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert document.selection == -1
    quiet(qtbot, strip)


def test_the_best_place_is_offered_and_taken(strip: OrderStrip, qtbot: QtBot) -> None:
    document, chart = strip.document, strip.chart
    network = document.network
    assert network is not None and document.problem is not None
    document.apply_plan(document.plans[0])  # far from the best
    count = document.problem.evaluator.count
    now = count(document.order).total
    gains = {}
    for neuron in np.flatnonzero(network.in_degree).tolist():
        move = BlockMove(network, document.order, neuron)
        gains[neuron] = min(count(move.order_at(p)).total for p in move.places().tolist()) - now
    neuron = min(gains, key=lambda one: gains[one])
    assert gains[neuron] < 0
    document.select(neuron)
    quiet(qtbot, strip)
    assert strip.best.text() == f"best place: {signed(gains[neuron])} I/Os" and strip.go.isVisible()
    assert chart.scene is not None and chart.scene.best >= 0
    strip.grab()
    qtbot.keyClick(chart, Qt.Key.Key_B)
    assert document.evaluation.values[0] == now + gains[neuron]
    quiet(qtbot, strip)
    assert strip.best.text() == "no better place" and not strip.go.isVisible()
    qtbot.keyClick(chart, Qt.Key.Key_B)
    assert "No better place" in strip.words.text()


def test_alt_and_shift_go_to_the_next_better_place(strip: OrderStrip, qtbot: QtBot) -> None:
    document = strip.document
    network = document.network
    assert network is not None and document.problem is not None
    document.apply_plan(document.plans[0])
    settle()
    count = document.problem.evaluator.count
    both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
    now = count(document.order).total
    wanted = None
    for neuron in np.flatnonzero(network.in_degree).tolist():
        move = BlockMove(network, document.order, neuron)
        better = [p for p in move.places_beside(1).tolist() if count(move.order_at(p)).total < now]
        if better and wanted is None:
            wanted = neuron, move.order_at(better[0])
    assert wanted is not None
    document.select(wanted[0])
    settle()
    qtbot.keyClick(strip.chart, Qt.Key.Key_Right, both)
    quiet(qtbot, strip)
    assert document.order.tolist() == wanted[1].tolist()
    output = int(network.target[document.order[-1]])
    document.select(output)
    settle()
    qtbot.keyClick(strip.chart, Qt.Key.Key_Right, both)
    qtbot.waitUntil(lambda: not strip.counting.busy, timeout=10_000)
    assert "better place later" in strip.words.text()
    quiet(qtbot, strip)


def test_wheel_keys_and_the_overview_move_the_view(strip: OrderStrip, qtbot: QtBot) -> None:
    chart = strip.chart
    layout = chart.layout_of
    at = QPointF(400, middle(strip))
    QApplication.sendEvent(
        chart,
        QWheelEvent(
            at, chart.mapToGlobal(at), QPoint(), QPoint(0, 360), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip
    assert not layout.fitted
    top, height = layout.overview
    assert height > 0
    mouse(strip, QEvent.Type.MouseButtonPress, layout.overview_x(layout.count - 1), top + height / 2)
    mouse(strip, QEvent.Type.MouseButtonRelease, layout.overview_x(layout.count - 1), top + height / 2)
    assert layout.seen[1] == pytest.approx(layout.count)
    strip.grab()
    qtbot.keyClick(chart, Qt.Key.Key_Plus)
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert layout.fitted
    y = layout.density[0] + 4
    mouse(strip, QEvent.Type.MouseButtonPress, layout.x(7), y)
    mouse(strip, QEvent.Type.MouseMove, layout.x(9), y)
    mouse(strip, QEvent.Type.MouseButtonRelease, layout.x(9), y)
    assert strip.document.position == 9


def test_pointing_marks_the_neuron_everywhere_and_names_it(strip: OrderStrip) -> None:
    document, layout = strip.document, strip.chart.layout_of
    network = document.network
    assert network is not None
    mouse(strip, QEvent.Type.MouseMove, layout.x(5.5), middle(strip), hover=True)
    target = int(network.target[document.order[5]])
    assert document.hover == target
    assert network.neuron_name(target) in strip.chart._card.text()
    mouse(strip, QEvent.Type.MouseMove, layout.x(5.5), layout.density[0] + 5, hover=True)
    assert document.hover == -1 and "writes" in strip.chart._card.text()
    QApplication.sendEvent(strip.chart, QEvent(QEvent.Type.Leave))
    assert not strip.chart._card.isVisible()
    document.set_hover(target)
    settle()
    assert strip.chart.scene is not None and len(strip.chart.scene.hovered)


def test_colours_follow_the_choice_and_the_theme(strip: OrderStrip) -> None:
    strip.colouring.setCurrentIndex(strip.colouring.findData(NEURONS))
    settle()
    assert strip.chart.scene is not None and strip.chart.scene.ribbon.mode == NEURONS
    strip.set_theme(DARK)
    strip.colouring.setCurrentIndex(strip.colouring.findData(LAYERS))
    settle()
    assert strip.chart.scene.colours == layer_colours(strip.document.network, DARK)  # type: ignore[arg-type]
    image = QImage(strip.chart.size(), QImage.Format.Format_RGB32)
    image.fill(QColor(DARK.panel))
    painter = QPainter(image)
    strip.chart.render(painter, QPoint())
    painter.end()
    x, y = int(strip.chart.layout_of.x(0)) + 3, int(middle(strip))
    layer = int(strip.document.network.layer[strip.document.network.target[strip.document.order[0]]])  # type: ignore[union-attr]
    assert image.pixelColor(x, y).name() == layer_colours(strip.document.network, DARK)[layer]  # type: ignore[arg-type]


def test_a_move_that_is_refused_says_so(strip: OrderStrip) -> None:
    told: list[Message] = []
    strip.document.message.connect(told.append)
    assert not strip.move_block(int(strip.document.network.inputs[0]), 0)  # type: ignore[union-attr]
    assert told and "is an input" in told[0].text


def test_without_a_network_there_is_nothing_to_drag(qtbot: QtBot) -> None:
    document = OrderDocument()
    strip = OrderStrip(document, LIGHT)
    with shown(qtbot, strip, 600, 160):
        assert "Open a network" in strip.words.text()
        mouse(strip, QEvent.Type.MouseButtonPress, 200, 40)
        mouse(strip, QEvent.Type.MouseMove, 260, 40)
        mouse(strip, QEvent.Type.MouseButtonRelease, 260, 40)
        strip.grab()
    strip.end_threads()
    document.close()
    document.deleteLater()
