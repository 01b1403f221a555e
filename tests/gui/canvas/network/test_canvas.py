"""The network canvas in a window: both views, pointing, selecting, walking, zooming, moments, another order, themes."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.network.lens import Hit
from gui.canvas.network.links import RECENT_LINKS, LinksPicture
from gui.canvas.network.matrix import MatrixPicture
from gui.canvas.network.view import PictureView
from gui.canvas.network.widget import NetworkCanvas
from gui.canvas.network.words import hit_html
from gui.document.network.document import OrderDocument
from gui.look.theme import DARK, LIGHT
from tests.gui.editors.network.models import document_of, layered_network, opened, shuffled_order
from tests.gui.window_parts import settle, shown


@pytest.fixture
def canvas(qtbot: QtBot) -> Generator[NetworkCanvas]:
    document = document_of()
    qtbot.waitUntil(lambda: not document.busy, timeout=10_000)
    one = NetworkCanvas(document, LIGHT)
    with shown(qtbot, one, 700, 420):
        settle()
        yield one
    document.close()
    document.deleteLater()


def picture_of(view: PictureView) -> QImage:
    return view.grab().toImage()


def place(view: PictureView, neuron: int) -> QPoint:
    """Where a neuron is on the widget."""
    assert view.picture is not None
    px, py = view.lens.to_pixels(*view.picture.place_of(neuron))
    return QPointF(px / view.lens.ratio, py / view.lens.ratio).toPoint()


def test_a_selected_neuron_stands_out_among_the_links(canvas: NetworkCanvas) -> None:
    view = canvas.picture
    network, ground = view.document.network, QColor(LIGHT.canvas)
    assert network is not None

    def away(image: QImage) -> int:
        return sum(
            abs(QColor(image.pixel(x, y)).lightness() - ground.lightness())
            for x in range(60, image.width() - 60, 3) for y in range(60, image.height() - 60, 3)
        )  # fmt: skip

    before = away(picture_of(view))
    view.document.select(int(np.argmin(np.where(network.in_degree > 0, network.in_degree, 99))))
    settle()
    # All others recede behind a veil.
    assert away(picture_of(view)) < 0.6 * before
    view.document.select(-1)
    settle()
    assert away(picture_of(view)) == before


def test_small_networks_are_links_until_matrix_is_chosen(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    assert canvas.view == "links"
    assert isinstance(canvas.picture.picture, LinksPicture)
    before = picture_of(canvas.picture)
    qtbot.mouseClick(canvas._views.button(1), Qt.MouseButton.LeftButton)
    settle()
    assert canvas.view == "matrix"
    assert isinstance(canvas.picture.picture, MatrixPicture)
    assert picture_of(canvas.picture) != before
    with pytest.raises(ValueError, match="links or matrix"):
        canvas.set_view("flow")


def test_large_networks_are_matrices_and_links_say_what_is_left_out(qtbot: QtBot) -> None:
    document = document_of(layered_network((90, 90, 90), 0.3), size=30)
    canvas = NetworkCanvas(document, LIGHT)
    with shown(qtbot, canvas, 500, 300):
        settle()
        assert canvas.view == "matrix"
        canvas.set_view("links")
        document.set_position(len(document.order))
        settle()
        assert canvas.picture.picture is not None
        assert (
            f"last {RECENT_LINKS:,}" in canvas.picture.picture.note() or canvas.picture.picture.note() == ""
        )
        assert len(document.order) > 4000
        assert canvas.picture.picture.note() != ""
        document.select(3)
        document.set_position(100)
        picture_of(canvas.picture)
    document.close()
    document.deleteLater()


@pytest.mark.parametrize("view", ["links", "matrix"])
def test_a_click_selects_a_neuron_and_the_ground_none(qtbot: QtBot, canvas: NetworkCanvas, view: str) -> None:
    canvas.set_view(view)
    settle()
    document, widget = canvas.picture.document, canvas.picture
    for neuron in (0, 9, 20):
        qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place(widget, neuron))
        assert document.selection == neuron
        assert document.open_problem.network.neuron_name(neuron) in widget.accessibleDescription()
        picture_of(widget)
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert document.selection == -1


def test_a_connection_selects_its_ends_or_goes_to_its_moment(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    canvas.set_view("matrix")
    settle()
    widget, document = canvas.picture, canvas.picture.document
    assert isinstance(widget.picture, MatrixPicture)
    network, layout = document.open_problem.network, widget.picture.layout
    connection = int(document.order[17])
    source, target = int(network.source[connection]), int(network.target[connection])
    panel = layout.panels[layout.panel_of(network.source[[connection]], network.target[[connection]])[0]]
    w, h = panel.cell
    x = panel.x + (layout.arranged.place[target] + 0.5) * w
    y = panel.y + (layout.arranged.place[source] + 0.5) * h
    at = QPointF(x, y).toPoint()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)
    assert document.selection == target
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, pos=at)
    assert document.selection == source
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, pos=at)
    assert document.position == 18
    qtbot.mouseMove(widget, at)
    assert widget.card.isVisible()
    assert f"Connection {connection}" in widget.card.text()


def test_pointing_says_what_is_there(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    widget, document = canvas.picture, canvas.picture.document
    qtbot.mouseMove(widget, place(widget, 9))
    assert document.hover == 9
    assert "in fast memory" in widget.card.text()
    qtbot.mouseMove(widget, QPoint(2, 2))
    assert document.hover == -1
    assert not widget.card.isVisible()


def test_a_pixel_with_several_connections_tells_their_span(canvas: NetworkCanvas) -> None:
    view = canvas.picture
    laid_out = view.prepare()
    assert laid_out is not None
    html = hit_html(laid_out, view.trace, Hit(connections=view.document.order[3:9]))
    assert "6 connections" in html
    assert "4 \N{EN DASH} 9" in html


def test_keys_walk_and_zoom(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    widget, document = canvas.picture, canvas.picture.document
    network = document.open_problem.network
    widget.setFocus()
    for key, layer in (
        (Qt.Key.Key_Down, 0), (Qt.Key.Key_Down, 0), (Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_Up, 2), (Qt.Key.Key_Left, 1),
    ):  # fmt: skip
        qtbot.keyClick(widget, key)
        assert network.layer[document.selection] == layer
    qtbot.keyClick(widget, Qt.Key.Key_Plus)
    assert widget.lens.scale == pytest.approx(1.25 * widget.lens.ratio)
    qtbot.keyClick(widget, Qt.Key.Key_0)
    assert widget.lens.is_whole
    qtbot.keyClick(widget, Qt.Key.Key_Escape)
    assert document.selection == -1


def test_the_wheel_zooms_a_drag_pans_and_a_double_click_looks_nearer(
    qtbot: QtBot, canvas: NetworkCanvas
) -> None:
    widget = canvas.picture
    at = QPointF(200, 150)
    QApplication.sendEvent(
        widget,
        QWheelEvent(
            at, widget.mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip
    assert widget.lens.scale > widget.lens.ratio
    settle()
    before = widget.lens.ox
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton, pos=QPoint(300, 200))
    qtbot.mouseMove(widget, QPoint(330, 200))
    qtbot.mouseMove(widget, QPoint(340, 210))
    qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=QPoint(340, 210))
    assert widget.lens.ox == pytest.approx(before + 10 * widget.lens.ratio)
    canvas.fit()
    qtbot.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=place(widget, 9))
    assert not widget.lens.is_whole
    canvas.zoom_by(1.25)
    canvas.zoom_by(0.8)
    settle()
    canvas.fit()
    qtbot.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert widget.lens.is_whole


@pytest.mark.parametrize("view", ["links", "matrix"])
def test_moments_there_and_back_look_the_same(canvas: NetworkCanvas, view: str) -> None:
    canvas.set_view(view)
    document = canvas.picture.document
    document.set_position(30)
    settle()
    before = picture_of(canvas.picture)
    document.set_position(60)
    assert picture_of(canvas.picture) != before
    document.set_position(30)
    assert picture_of(canvas.picture) == before


def test_sorting_and_themes_change_the_picture(canvas: NetworkCanvas) -> None:
    widget = canvas.picture
    assert widget.picture is not None
    assert canvas.by_first_use.isChecked()
    canvas.set_sorted(False)
    settle()
    arranged = widget.picture.layout.arranged
    assert (np.diff(arranged.neurons(1)) > 0).all(), "by number"
    light = picture_of(widget)
    canvas.set_theme(DARK)
    assert picture_of(widget) != light


def test_another_order_and_another_network_are_followed(canvas: NetworkCanvas) -> None:
    document, widget = canvas.picture.document, canvas.picture
    before = picture_of(widget)
    document.set_order(shuffled_order(document.open_problem.network, 3), "shuffle")
    assert picture_of(widget) != before
    document.install(opened(layered_network((3, 4, 2))))
    picture_of(widget)
    assert widget.picture is not None
    assert widget.picture.layout.arranged.place.shape == (9,)


def test_the_compared_order_has_its_own_picture(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    document = canvas.picture.document
    document.set_position(40)
    other = NetworkCanvas(document, LIGHT, "compared")
    with shown(qtbot, other, 700, 420):
        empty = picture_of(other.picture)
        entry = document.plans[0]
        document.compare(entry)  # type: ignore[arg-type]
        qtbot.waitUntil(lambda: not document.busy, timeout=10_000)
        settle()
        assert picture_of(other.picture) != empty
        assert np.array_equal(other.picture.order, entry.device_of)
        document.compare(None)
        assert picture_of(other.picture) == empty
    with pytest.raises(ValueError, match="active or compared"):
        PictureView(document, LIGHT, "other")


def test_nothing_is_shown_before_a_network_is_open(qtbot: QtBot) -> None:
    document = OrderDocument()
    canvas = NetworkCanvas(document, LIGHT)
    with shown(qtbot, canvas, 400, 300):
        assert canvas.view == ""
        qtbot.mouseClick(canvas.picture, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
        qtbot.keyClick(canvas.picture, Qt.Key.Key_Right)
        assert document.selection == -1
    document.close()


def test_a_title_that_is_cut_is_told_whole(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    canvas.set_view("matrix")
    canvas.setFixedSize(280, 420)
    settle()
    view = canvas.picture
    assert isinstance(view.picture, MatrixPicture)
    picture, lens = view.picture, view.lens
    titles = [(panel, rect, picture.title_at(lens, rect.center().x(), rect.center().y()))
              for panel, rect, _ in picture._titles(lens)]  # fmt: skip
    panel, rect, told = next(one for one in titles if one[2])
    assert told.startswith(f"Layer {panel.source}") and told.endswith(f"{panel.connections} connections")
    qtbot.mouseMove(view, rect.center().toPoint())
    qtbot.waitUntil(view.card.isVisible)
    assert picture.title_at(lens, rect.center().x(), rect.bottom() + 30) == ""


def test_what_is_hidden_is_not_laid_out(qtbot: QtBot, canvas: NetworkCanvas) -> None:
    view = canvas.picture
    canvas.hide()
    canvas.set_sorted(False)
    view.document.select(3)
    assert view._shown is None
    canvas.show()
    qtbot.waitUntil(lambda: view._shown is not None)
    assert "neuron" in view.accessibleDescription().lower()


def test_a_narrow_canvas_says_its_choices_shorter(canvas: NetworkCanvas) -> None:
    canvas.setFixedSize(250, 300)
    settle()
    assert canvas.by_first_use.text() == "Sort" and not canvas.fit_button.isVisible()
    assert canvas.by_first_use.geometry().left() > canvas._views.button(1).geometry().right()
