"""Two plans on one canvas: the fade, the blink, cards that move from lane to lane."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.canvas.graph.detail import Detail, detail_at
from gui.canvas.graph.items import items_of
from gui.canvas.graph.labels import paint_labels
from gui.canvas.graph.naming.card_names import CardNames
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import canvas_palette
from gui.canvas.graph.scene import STYLE, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.document.plan.document import Document
from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.canvases.overlay_fade import Fade, FadeBar
from gui.editors.comparison.canvases.overlay_key import OverlayKey
from gui.editors.comparison.canvases.pane_title import plan_lines
from gui.editors.comparison.editor import CompareWindow
from gui.editors.comparison.picture.head import title_of
from gui.editors.comparison.picture.picture import draw_comparison
from gui.layout.between import between
from gui.look.page import Page
from gui.look.theme import LIGHT
from gui.panels.comparison import overlay, pixels
from gui.panels.comparison.marks import Marks
from gui.panels.comparison.overlay import way
from gui.panels.comparison.split import draw_split, paint_split, paint_split_text, split_parts
from gui.panels.comparison.words import rules_words, standing_words
from gui.raster import engine as raster
from gui.shell.picture_dialog import PictureDialog
from planner.formats import read_model
from planner.machines.pool.target import DevicePool
from planner.model.groups import by_layer
from planner.model.samples import sample
from tests.gui.editors.comparison.parts import more_plans, rest, two_plans, window_on
from tests.gui.models import chain_graph
from tests.gui.present.slides import written_in
from tests.gui.window_parts import shown


def overlaid(qtbot: QtBot, window: CompareWindow) -> OverlayPane:
    window.columns.set_mode("over")
    rest(qtbot, window)
    (pane,) = window.columns.panes
    assert isinstance(pane, OverlayPane)
    return pane


def picture(pane: OverlayPane) -> np.ndarray:
    image = pane.grab().toImage()
    return np.frombuffer(image.constBits(), np.uint32).copy()


def test_both_plans_are_drawn(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        pane = overlaid(qtbot, window)
        assert pane.plans == (0, 1)
        assert pane.scene is not None
        assert pane.over is not None
        assert np.flatnonzero(pane.scene.device != pane.over.second.device).tolist() == [3, 7]
        pictures = []
        for share in (0.0, 0.5, 1.0):
            pane.fade.set_share(share)
            pictures.append(picture(pane))
        assert all((a != b).any() for a, b in pairwise(pictures))
        pane.fade.set_share(0.0)
        assert (picture(pane) == pictures[0]).all(), "the same share, the same pixels"


class Written(QPainter):
    """A painter that keeps what is written by it."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.words: list[str] = []

    def drawText(self, *given: object) -> None:
        self.words.append(str(given[-1]))


@pytest.mark.parametrize("scale", [0.4, 0.6, 0.66, 0.8, 1.0, 1.5])
def test_a_moved_card_is_called_as_it_would_be_if_it_had_stayed(qapp: object, scale: float) -> None:
    graph = read_model(sample("xception.json"))
    items, plan = items_of(graph, None, frozenset()), (np.arange(graph.n) * 4 // graph.n).astype(np.int32)
    first, second = (scene_of(items, "flow", each, 4, (1600, 800)) for each in (plan, 3 - plan))
    viewport, palette = Viewport(), canvas_palette(LIGHT, 4)
    viewport.resize(1600, 900)
    viewport.scale = scale
    detail = detail_at(STYLE.card_h * scale)
    images = [
        QImage(1600, 900, QImage.Format.Format_RGB32) for _ in range(2)
    ]  # their painters do not keep them
    plain, split = (Written(image) for image in images)
    moved = Marks(np.ones(graph.n, bool), np.zeros(graph.n, np.int32), ("a",) * 4)
    try:
        paint_labels(plain, first, viewport, palette, detail, 1.0)
        paint_split_text(split, first, second, viewport, palette, moved, detail, 1.0)
    finally:
        plain.end()
        split.end()
    step = 2 if detail == Detail.CARDS else 1
    count = len(split.words) // step
    assert count >= 10 and split.words[::step] == plain.words[:count]
    if scale >= 0.6:
        assert not [word for word in split.words[::step] if word.startswith("Sep")]


@pytest.mark.parametrize("detail", [Detail.BLOCKS, Detail.LABELS])
def test_halves_of_a_moved_group_show_how_it_is_spread(qapp: object, detail: Detail) -> None:
    """All on stage 0 in A, a quarter of it on stage 1 in B: the half of B has a quarter of the other colour, in pixels and as shapes."""
    graph = replace(chain_graph(8), layer=np.repeat(np.arange(2, dtype=np.int32), 4))
    items = items_of(graph, by_layer(graph), frozenset({0, 1}))
    plans = [np.array([0] * count + [1] * (8 - count), np.int32) for count in (4, 3)]
    first, second = (scene_of(items, "flow", plan, 2, (600, 400)) for plan in plans)
    marks = Marks(np.array([True, False]), second.device, ("0", "1"))
    *bars, device = split_parts(first, second, marks, detail, 1.0)
    assert device.tolist() == [0, 1], "in A it is whole"
    share = float(graph.work[3] / graph.work[:4].sum())
    x, w = float(first.x[0]), float(first.w[0])
    assert bars[0] == pytest.approx([x + w / 2, x + w - share * w / 2])
    palette, viewport = canvas_palette(LIGHT, 2), Viewport(600, 400)
    viewport.fit(first.layout.bounds)
    buffer, drawn = raster.new_image(600, 400), raster.new_image(600, 400)
    paint_split(buffer, first, second, viewport, palette, marks, detail, 1.0)
    painter = QPainter(image := wrap_image(drawn))
    draw_split(painter, first, second, viewport, palette, marks, detail)
    painter.end()
    assert not image.isNull()
    across, down = viewport.to_pixels(
        *(float(at[1] + size[1] / 2) for at, size in ((bars[0], bars[2]), (bars[1], bars[3])))
    )
    before, _ = viewport.to_pixels(float(bars[0][0] + bars[2][0] / 2), 0.0)
    for painted in (buffer, drawn):
        assert painted[int(down), int(across)] == palette.accent[1]
        assert painted[int(down), int(before)] == palette.accent[0]


def test_in_lanes_cards_go_from_as_place_to_bs(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        window.state.set_view("lanes")
        pane = overlaid(qtbot, window)
        assert window.linking.laid is not None
        first, second = (window.linking.laid.layouts[plan] for plan in (0, 1))
        for share, wanted in ((0.0, first), (0.5, first), (1.0, second)):
            pane.fade.set_share(share)
            assert pane.scene is not None
            assert np.allclose(pane.scene.y, wanted.y)
            assert pane.over is not None
            for scene in (pane.over.first, pane.over.second):
                assert scene.settled, "edges of both plans keep to the routes between the cards as they stand"
                assert scene.layout is wanted
                assert np.array_equal(scene.route_y, pane.scene.route_y)
        pane.fade.set_share(0.75)
        assert pane.scene is not None
        assert not np.allclose(pane.scene.y, first.y)
        assert not np.allclose(pane.scene.y, second.y)
        assert pane.scene.settled, "edges keep to their routes on the way"
        starts = pane.scene.route_y[pane.scene.route_ptr[:-1]]
        leaving = pane.scene.items.edge_src[pane.scene.routed]
        assert np.allclose(starts, (pane.scene.y + pane.scene.h / 2)[leaving]), "which moves with their cards"
        window.state.select([3])
        pane.fade.set_share(1.0)
        assert pane.over is not None
        assert pane.overlay_surface.top(pane.scene) == (pane.over.second, pane.over.headers[1])
        middle = between(first, second, 0.5)
        assert np.allclose(middle.y, (first.y + second.y) / 2)
        assert middle.lanes[0].band[3] == pytest.approx(
            (first.lanes[0].band[3] + second.lanes[0].band[3]) / 2
        )
        assert way(0.5) == 0.0
        assert way(1.0) == 1.0


def test_on_the_way_names_are_chosen_once_and_those_of_standing_cards_written_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with window_on(qtbot, two_plans()) as window:
        window.state.set_view("lanes")
        pane = overlaid(qtbot, window)
        over = pane.over
        assert over is not None and over.first.faded.any(), "some cards are where they were"
        chosen, written = [], []
        choose, write = CardNames._named, overlay.paint_dimmed_labels
        monkeypatch.setattr(CardNames, "_named", lambda *given: chosen.append(given) or choose(*given))
        for module in (overlay, pixels):
            monkeypatch.setattr(
                module,
                "paint_dimmed_labels",
                lambda *given, **also: written.append(given) or write(*given, **also),
            )
        frames = (0.6, 0.7, 0.8)
        for share in frames:
            pane.fade.set_share(share)
            pane.grab()
        assert len(written) == len(frames)
        first = len(chosen)
        pane.fade.set_share(0.85)
        pane.grab()
        assert len(chosen) == first
        pane.fade.set_share(1.0)  # at rest each plan has its names, and a frame only blends
        pane.grab()
        assert len(written) == len(frames) + 3


def test_a_line_says_what_halves_and_bars_stand_for(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        pane = overlaid(qtbot, window)
        (key,) = window.columns.findChildren(OverlayKey)
        assert "left half A, right half B" in key.accessibleName() and "bar" not in key.accessibleName()
        window.state.set_view("lanes")
        rest(qtbot, window)
        assert pane.scene is not None and pane.over is not None
        headers = pane.overlay_surface.top(pane.scene)[1]
        assert headers is not None and headers.other is pane.over.headers[1]
        assert f"whole bar: {headers.scale_words}" in key.accessibleName()
        blank = key.grab().toImage()
        blank.fill(blank.pixelColor(blank.width() - 2, 2))
        assert key.grab().toImage() != blank
        pane.fade.set_share(1.0)
        assert pane.overlay_surface.top(pane.scene)[1] is pane.over.headers[1]


def test_a_line_says_which_name_of_a_lane_is_whose(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=DevicePool(accelerators=3, cpus=0))
    document.set_assignment(np.repeat([0, 1, 2], 4).astype(np.int32), "edit", "even")
    document.add_plan((document.device_of + 1) % 3, "turned")
    with window_on(qtbot, document) as window:
        window.state.set_view("lanes")
        overlaid(qtbot, window)
        (key,) = window.columns.findChildren(OverlayKey)
        assert "; acc 0 | acc 1: its name in A | in B;" in key.accessibleName()
        assert key.toolTip().splitlines()[0] == "Accelerator 0 in A, Accelerator 1 in B"
        assert not key.grab().isNull()


def test_b_blinks_and_shows_the_overlay_first(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        window.columns.panes[0].setFocus()
        QTest.keyClick(window.columns.panes[0], Qt.Key.Key_B)
        rest(qtbot, window)
        (pane,) = window.columns.panes
        assert isinstance(pane, OverlayPane)
        assert pane.fade.share == 1.0, "motion is reduced: it jumps"
        QTest.keyClick(pane, Qt.Key.Key_B)
        assert pane.fade.share == 0.0


def test_another_pair_is_overlaid(qtbot: QtBot) -> None:
    document = two_plans()
    more_plans(document, 1)
    with window_on(qtbot, document) as window:
        pane = overlaid(qtbot, window)
        window.state.set_pair(2, 0)
        rest(qtbot, window)
        assert pane.plans == (0, 2)
        comparison = window.state.comparison
        assert comparison is not None
        assert pane.over is not None
        assert np.array_equal(pane.over.second.device, comparison.places[2])
        assert np.flatnonzero(pane.marks.moved).tolist() == comparison.moved(2, 0).tolist()


def test_the_fade_glides_and_can_be_stopped(qtbot: QtBot) -> None:
    fade = Fade()
    fade.go(1.0)
    assert fade.running
    qtbot.waitUntil(lambda: not fade.running, timeout=10_000)
    assert fade.share == 1.0
    fade.go(0.0)
    fade.stop()
    assert fade.share == 0.0
    fade.set_share(7.0)
    assert fade.share == 1.0


def test_the_bar_says_what_is_shown(qtbot: QtBot) -> None:
    fade = Fade()
    fade.reduced = True
    bar = FadeBar(fade)
    with shown(qtbot, bar, 600, 40):
        bar.show_names("A", "C")
        assert bar.said.text() == "shows A and C"
        bar.slider.setValue(0)
        assert fade.share == 0.0
        assert bar.said.text() == "shows A"
        bar.second.click()
        assert bar.slider.value() == bar.slider.maximum()
        assert bar.said.text() == "shows C"
        bar.both.click()
        assert fade.share == 0.5
        QTest.keyClick(bar.slider, Qt.Key.Key_Right)
        assert fade.share > 0.5


@pytest.mark.parametrize(("view", "shown_first"), [("flow", "overlay"), ("lanes", "overlay-lanes")])
def test_the_picture_of_an_overlay_is_an_overlay(qtbot: QtBot, view: str, shown_first: str) -> None:
    with window_on(qtbot, two_plans()) as window:
        window.state.set_view(view)
        window.state.set_pair(0, 1)
        overlaid(qtbot, window).fade.set_share(1.0)
        window.files.export_picture()
        dialog = window.findChild(PictureDialog)
        assert dialog is not None and dialog.view.currentData() == shown_first
        assert dialog.view.findData("flow") >= 0
        assert window.state.comparison is not None
        assert not dialog.title.isHidden() and dialog.title.text() == title_of(window.state.comparison)
        # The plans of the window's pair, at the place of its slider.
        dialog.title.setText("Both of them")
        assert dialog._draw(dialog.choice())().title == "Both of them"
        dialog.close()


def test_both_plans_keep_their_figures_over_one_canvas(qtbot: QtBot) -> None:
    """Time, gap and rules of both, of which the picture says the same."""
    with window_on(qtbot, two_plans()) as window:
        overlaid(qtbot, window)
        bar, comparison = window.columns.fade_bar, window.state.comparison
        assert bar is not None and comparison is not None
        for label, plan in zip(bar.plans, (0, 1), strict=True):
            assert (
                standing_words(comparison, plan) in label.text()
                and rules_words(comparison, plan) in label.text()
            )
            whole = {" ".join(line.split()) for line in plan_lines(comparison, plan, False)}
            shown = set()
            for width in range(1200, 170, -25):
                label.resize(width, 40)
                shown |= {lines := label.shown_text()}
                assert "\N{HORIZONTAL ELLIPSIS}" not in lines, "facts are left out whole"
                assert " ".join(lines.split()) in whole
            assert len(shown) > 1
        for width in (500, 640, 800, 1000, 1400):
            words = written_in(draw_comparison(comparison, Page((width, 700)), "overlay").file(".svg"))
            said = [
                sum(line.words.count(rules) for line in words)
                for rules in {rules_words(comparison, i) for i in (0, 1)}
            ]
            assert sum(said) in (0, 2)
