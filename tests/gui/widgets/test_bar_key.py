"""What the parts of a device's bar are, said beside the bars: in panels, in tool tips and in pictures."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from gui.canvas.graph.picture.picture import compose
from gui.canvas.graph.picture.strip import paint_title
from gui.canvas.graph.tooltip import header_tooltip
from gui.editors.comparison.panels.devices import DeviceDifferences
from gui.editors.comparison.panels.devices_painter import paint_devices
from gui.editors.comparison.panels.devices_table import device_table
from gui.editors.plan.panels.devices import DevicesPanel
from gui.look.page import SHEET
from gui.look.theme import DARK, LIGHT, font
from gui.panels.comparison.canvases import canvases, paint_canvas
from gui.panels.comparison.rows import row_headers
from gui.widgets.bar_key import HEIGHT, BarKey, key_width, kinds_of_parts, paint_key, with_loads
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from tests.gui.editors.comparison.compare_parts import comparison_of, state_of
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown

A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]
NONE, SOME = np.zeros(2), np.array([0.0, 1.0])


@pytest.mark.parametrize(
    ("receive", "streaming", "send", "kinds"),
    [
        (NONE, NONE, NONE, ()),
        (SOME, NONE, NONE, ("transfers", "work")),
        (NONE, NONE, SOME, ("transfers", "work")),
        (NONE, SOME, NONE, ("work", "streaming")),
        (SOME, SOME, SOME, ("transfers", "work", "streaming")),
    ],
)
def test_only_what_bars_have_is_explained(
    receive: np.ndarray, streaming: np.ndarray, send: np.ndarray, kinds: tuple[str, ...]
) -> None:
    assert kinds_of_parts(receive, streaming, send) == kinds


def test_the_line_is_there_while_there_is_something_to_say(qtbot: QtBot) -> None:
    key = BarKey(LIGHT)
    with shown(qtbot, key, 300, int(HEIGHT)):
        key.show_kinds(("work", "streaming"), LIGHT)
        key.show_kinds((), LIGHT)
        assert not key.isVisible()
        key.show_kinds(("transfers", "work"), DARK)
        assert key.isVisible() and "receives (at the left)" in key.toolTip()
        assert key.accessibleName() == "Parts of the bars: transfers, work"


def test_the_device_dock_says_what_its_bars_are_of(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.key.kinds == ("transfers", "work") and panel.key.isVisible()
        assert "send" in panel.cards[0].toolTip() and "(pale, at the right)" in panel.cards[0].toolTip()
        assert "(pale, at the left)" not in panel.cards[0].toolTip()  # the first stage receives nothing
        panel.set_theme(DARK)
        document.move(list(range(12)), 0)
        settle()
        assert not panel.key.isVisible()
        assert panel.wanted_height() == len(panel.cards) * 64


def test_the_pointer_on_a_lane_says_its_parts(qtbot: QtBot) -> None:
    comparison = comparison_of(A, B)
    data = row_headers(comparison, 0)
    said = header_tooltip(data, 1)
    assert "receive (pale, at the left)" in said and "send (pale, at the right)" in said
    assert "streaming" not in said and "work (full colour)" in said
    assert data.kinds == ("transfers", "work")


def test_the_comparison_says_it_below_its_table_and_in_pictures(qtbot: QtBot) -> None:
    view = DeviceDifferences(state_of(A, B), LIGHT)
    with shown(qtbot, view, 640, 220):
        assert view.key.kinds == ("transfers", "work") and view.key.isVisible()
    table = device_table(comparison_of(A, B), (1, 0))
    for high, told in ((300.0, True), (60.0, False)):
        scribe = Scribe(640, 300)
        paint_devices(scribe, QRectF(0, 0, 640, high), table, LIGHT)
        scribe.end()
        assert ("transfers" in [text for _, text in scribe.written]) == told


def test_a_picture_of_lanes_says_it_beside_its_title() -> None:
    graph = chain_graph(12)
    problem = Problem(graph, Pipeline(3))
    for view, told in (("lanes", True), ("flow", False)):
        picture = compose(problem, np.array(A, np.int32), SHEET, view)
        scribe = Scribe(int(picture.size[0]), int(picture.size[1]))
        paint_title(scribe, picture)
        scribe.end()
        assert ("transfers" in [text for _, text in scribe.written]) == told


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("view", ["lanes", "flow"])
def test_canvases_beside_one_another_say_what_outlines_mean(view: str) -> None:
    for other, told in ((B, True), (A, False)):
        for canvas in canvases(comparison_of(A, other), QRectF(0, 0, 1200, 500), LIGHT, view):
            scribe = Scribe(1200, 500)
            paint_canvas(scribe, canvas, True)
            scribe.end()
            assert ("moved" in [text for _, text in scribe.written]) == told


@pytest.mark.usefixtures("qapp")
def test_where_little_room_is_left_outlines_are_explained_before_bars() -> None:
    found = set()
    for wide in range(420, 900, 20):
        first, _ = canvases(comparison_of(A, B), QRectF(0, 0, wide, 300), LIGHT, "lanes")
        scribe = Scribe(wide, 500)
        paint_canvas(scribe, first, True)
        scribe.end()
        written = [text for _, text in scribe.written]
        found.add(("moved" in written, "transfers" in written))
    assert found >= {(True, True), (True, False)} and (False, True) not in found


def test_what_is_streamed_is_explained_beside_the_rest_in_a_narrow_dock() -> None:
    kinds, face = ("transfers", "work", "streaming"), font(8.0)
    assert key_width(kinds, face) > 204
    for width in (204.0, 320.0):
        scribe = Scribe(int(width), 18)
        paint_key(scribe, QRectF(0, 0, width, 18), kinds, LIGHT, face)
        scribe.end()
        assert [text for _, text in scribe.written] == list(kinds)


def test_what_the_plain_part_of_bars_of_memory_is_takes_no_line_of_its_own(qtbot: QtBot) -> None:
    key = BarKey(LIGHT)
    kinds = ("parameters", "streaming", "activations", "cache")
    key.show_kinds(kinds, LIGHT)
    wide = int(key_width(kinds, font(8.0))) + 40
    with shown(qtbot, key, wide, 18):
        assert key.lines == [kinds]
        key.resize(int(key_width(kinds[1:], font(8.0))) + 30, 18)
        assert key.lines == [kinds[1:]] and "Parameters (full colour)" in key.toolTip()


def test_bars_of_memory_have_a_line_and_what_is_hatched_beyond_it(qtbot: QtBot) -> None:
    limits = np.array([2.0, np.inf])
    assert with_loads(("transfers", "work"), np.array([1.0, 9.0]), limits) == (
        "transfers",
        "work",
        "parameters",
        "cache",
    )
    assert with_loads((), np.array([3.0, 9.0]), limits) == ("parameters", "streaming", "cache")
    assert with_loads(("work",), np.ones(2), np.full(2, np.inf)) == ("work",)
    document = opened_on_tpus(cache=2.0**20)
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert {"parameters", "streaming", "cache"} <= set(
            panel.key.kinds
        ) and "Cache (the line)" in panel.key.toolTip()
    picture = compose(document.open_problem, document.device_of, SHEET, "lanes")
    scribe = Scribe(int(picture.size[0]), int(picture.size[1]))
    paint_title(scribe, picture)
    scribe.end()
    assert {"streaming", "cache"} <= {text for _, text in scribe.written}
    document.deleteLater()
