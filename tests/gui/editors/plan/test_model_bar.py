"""Several models on one canvas: rows of their own, fills of their own, a bar that names and selects them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.items import items_of
from gui.canvas.graph.palette import MODEL_BLOCKS, canvas_palette, model_shade
from gui.canvas.graph.picture import strip
from gui.canvas.graph.picture.picture import compose, paint_picture
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.document.find.find import QueryError, find
from gui.document.plan.document import Document
from gui.editors.plan.model_bar import ModelBar, ops_of
from gui.look.page import Page
from gui.look.theme import DARK, LIGHT, contrast, luminance
from planner.formats.merge import merge
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.window_parts import settle, shown


def three() -> Graph:
    return merge([chain_graph(12, "alpha"), chain_graph(9, "beta", 1), chain_graph(6, "gamma", 2)])


def test_the_bar_names_and_selects_models(qtbot: QtBot) -> None:
    document = Document()
    host = QWidget()
    bar = ModelBar(document, LIGHT, host)
    with shown(qtbot, host, 600, 40):
        assert not bar.isVisible()
        document.open_graph(three(), target=Pipeline(2))
        assert bar.isVisible()
        assert [button.text().split()[0] for button in bar.buttons] == ["alpha", "beta", "gamma"]
        qtbot.mouseClick(bar.buttons[1], Qt.MouseButton.LeftButton)
        assert document.selection.tolist() == list(range(12, 21))
        assert ops_of(document, 2).tolist() == list(range(21, 27))
        bar.set_theme(DARK)
        with qtbot.waitSignal(bar.highlight) as heard:
            place = QPointF(1, 1)
            QApplication.sendEvent(bar.buttons[2], QEnterEvent(place, place, place))
        assert np.flatnonzero(heard.args[0]).tolist() == list(range(21, 27))
        with qtbot.waitSignal(bar.highlight) as heard:
            QApplication.sendEvent(bar.buttons[2], QEvent(QEvent.Type.Leave))
        assert heard.args == [None]
        document.open_graph(chain_graph(5), target=Pipeline(2))
        settle()
        assert not bar.isVisible()
        assert bar.buttons == []


def test_each_model_has_rows_of_its_own_in_the_flow_view() -> None:
    graph = three()
    items = items_of(graph, None, frozenset())
    layout = arrange(items, skeleton_of(items), "flow", np.zeros(graph.n, np.int32), 1, (800.0, 500.0))
    top = [float(layout.y[items.model == m].min()) for m in range(3)]
    bottom = [float((layout.y + layout.h)[items.model == m].max()) for m in range(3)]
    assert bottom[0] < top[1]
    assert bottom[1] < top[2]


def test_models_differ_without_any_hue() -> None:
    for theme in (LIGHT, DARK):
        palette = canvas_palette(theme, 3)
        device, model = np.zeros(4, np.int32), np.arange(4)
        fills = [f"#{int(c) & 0xFFFFFF:06x}" for c in palette.blocks_of(device, model)]
        levels = sorted(luminance(fill) for fill in fills)
        assert min(np.diff(levels)) > 0.01
        assert palette.blocks_of(device, np.zeros(4, np.int32)).tolist() == [palette.block[0]] * 4
        assert len({int(c) for c in palette.bodies_of(device, model)}) == 4
        assert model_shade(0, theme) == theme.muted
        assert model_shade(len(MODEL_BLOCKS), theme) == theme.muted


def test_the_second_model_is_told_from_the_bands_of_its_devices() -> None:
    """On dark bands, too, where so little of a colour as on light ones would be swallowed."""
    for theme, least in ((LIGHT, 1.05), (DARK, 1.3)):
        palette = canvas_palette(theme, 8)
        fills = palette.blocks_of(np.arange(8, dtype=np.int32), np.ones(8, np.int32))
        for fill, colour in zip(fills.tolist(), palette.devices, strict=True):
            assert contrast(f"#{fill & 0xFFFFFF:06x}", colour.band) > least


def test_find_by_model() -> None:
    problem = Problem(three(), Pipeline(2))
    device_of = np.zeros(27, np.int32)
    assert find("model:beta", problem, device_of).tolist() == list(range(12, 21))
    assert find("model:*a kind:Conv", problem, device_of).tolist() == [
        v for v in range(27) if problem.graph.kinds[v] == "Conv"
    ]
    with pytest.raises(QueryError, match="no model 'delta'; the models are alpha, beta, gamma"):
        find("model:delta", problem, device_of)


@pytest.mark.parametrize("view", ["flow", "lanes"])
@pytest.mark.parametrize("size", [(900, 600), (180, 200)])
def test_pictures_have_a_legend_where_there_is_room(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, view: str, size: tuple[int, int]
) -> None:
    problem = Problem(three(), Pipeline(2))
    shown_picture = compose(problem, (np.arange(27) % 2).astype(np.int32), Page(size), view)

    def painted() -> QImage:
        image = QImage(*size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        paint_picture(painter, shown_picture, Page(size))
        painter.end()
        return image

    with_legend = painted()
    monkeypatch.setattr(strip, "_paint_models", lambda _, shown, __: shown.size[0] - 16)
    assert (painted() != with_legend) == (size[0] > 400)


def test_names_are_only_names(qtbot: QtBot) -> None:
    document = Document()
    bar = ModelBar(document, LIGHT)
    with shown(qtbot, bar, 600, 40):
        graphs = [chain_graph(5, "a & <b>b</b>"), chain_graph(4, "plain", 1)]
        document.open_graph(merge(graphs), target=Pipeline(2))
        button = bar.buttons[0]
        assert button.text().startswith("a && <b>b</b>")
        assert "&lt;b&gt;" in button.toolTip()
        assert "model:&quot;a &amp; " in button.toolTip()
        assert button.shortcut().isEmpty()
