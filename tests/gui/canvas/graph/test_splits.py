"""Groups that are spread over several devices show how."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.naming.card_names import CardNames
from gui.canvas.graph.painter import paint_cards, split_bars
from gui.canvas.graph.palette import canvas_palette, packed
from gui.canvas.graph.picture.picture import compose
from gui.canvas.graph.picture.strip import INSET, KEY_LINE, TITLE_PIXELS, paint_title
from gui.canvas.graph.scene import scene_of
from gui.canvas.graph.tooltip import SHARES, op_words
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font
from gui.look.page import PRESETS, SHEET
from gui.look.theme import DARK, DIMMED, LIGHT, READABLE, Theme, contrast, mix
from gui.raster import engine as raster
from gui.widgets.bar_key import SPLIT
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op
from planner.model.groups import numbered
from planner.problem.problem import Problem
from tests.gui.canvas.graph.conftest import Hand
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe


def channels(pixels: np.ndarray) -> np.ndarray:
    """Blue, green, red and opacity of each pixel (int[pixels, 4])."""
    return np.ascontiguousarray(pixels).view(np.uint8).reshape(-1, 4).astype(int)


def graph_of(n: int) -> Graph:
    return Graph.build("g", [Op(f"n{i}", f"op {i}", "Add", work=1.0) for i in range(n)], [])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
def test_splits_are_the_shares_of_ops(ops: list[tuple[int, int]]) -> None:
    view = numbered([group for group, _ in ops])
    items = items_of(graph_of(len(ops)), view, frozenset(range(view.count)))
    device_of = np.array([device for _, device in ops], np.int32)
    splits = items.splits(device_of, 5)
    parts = [
        (i, d, round((e - s) * items.size[i], 9))
        for i, d, s, e in zip(
            *(a.tolist() for a in (splits.item, splits.device, splits.start, splits.end)), strict=True
        )
    ]
    slow = []
    for item in range(items.count):
        on = device_of[items.ops(item)].tolist()
        slow += [(item, d, on.count(d)) for d in sorted(set(on)) if len(set(on)) > 1]
    assert parts == slow
    _, mixed = items.devices(device_of, 5)
    assert set(splits.item.tolist()) == set(np.flatnonzero(mixed).tolist())


def test_a_mixed_card_has_a_bar_in_its_devices_colours() -> None:
    view = numbered([0] * 4)
    items = items_of(graph_of(4), view, frozenset({0}))
    scene = scene_of(items, "flow", np.array([0, 1, 1, 1], np.int32), 2, (600, 400))
    viewport, palette = Viewport(600, 400), canvas_palette(DARK, 2)
    viewport.fit(scene.layout.bounds)
    for detail in (Detail.BLOCKS, Detail.LABELS, Detail.CARDS):
        buffer = raster.new_image(600, 400)
        paint_cards(buffer, scene, viewport, palette, detail, 1.0)
        x, y, w, h = split_bars(scene, viewport, detail, 1.0)
        assert np.isclose(w[1], 3 * w[0])
        colours = palette.block if detail == Detail.BLOCKS else palette.accent
        for part in (0, 1):
            px, py = viewport.to_pixels(x[part] + w[part] / 2, y[part] + h[part] / 2)
            assert buffer[int(py), int(px)] == colours[part]


def test_the_pointer_is_told_how_many_ops_are_where(hand: Hand) -> None:
    items = items_of(hand.document.graph, numbered([0] * 12), frozenset({0}))
    _, _, rows = op_words(hand.document, items, 0)
    assert rows[0] == ("on", "Stage 0 (4 ops), Stage 1 (4 ops), Stage 2 (4 ops)")


def test_the_pointer_is_told_what_a_folded_card_and_the_colours_on_it_are(hand: Hand) -> None:
    document, view = hand.document, numbered([0] * 4 + [1] * 8)
    whole, cut = (
        items_of(document.graph, view, frozenset({0, 1}), places) for places in ((), (document.device_of,))
    )
    spread = [(SHARES, "how its work is spread") in op_words(document, whole, item)[2] for item in (0, 1)]
    assert spread == [False, True], "the first group is on one device"
    assert [op_words(document, whole, item)[1] for item in (0, 1)] == [
        "group of 4 ops, folded", "group of 8 ops, folded",
    ]  # fmt: skip
    assert op_words(document, cut, 1)[1] == "group of 8 ops, folded: 4 here"
    assert (SHARES, "how its work is spread") in op_words(document, cut, 1)[2]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("device_of", "told"), [([0, 1, 1, 1], True), ([0, 0, 0, 0], False)])
def test_a_picture_says_what_the_colours_on_a_folded_card_are(device_of: list[int], told: bool) -> None:
    graph = fill(graph_of(4))
    picture = compose(
        Problem(graph, Pipeline(2)), np.array(device_of, np.int32), SHEET, "flow", grouping=numbered([0] * 4),
        folded=frozenset({0}),
    )  # fmt: skip
    scribe = Scribe(int(picture.size[0]), int(picture.size[1]))
    paint_title(scribe, picture)
    scribe.end()
    assert (SPLIT in [words for _, words in scribe.written]) == told


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
@pytest.mark.parametrize("detail", [Detail.BLOCKS, Detail.LABELS, Detail.CARDS])
def test_selected_cards_keep_the_colours_of_their_devices(theme: Theme, detail: Detail) -> None:
    """Body, outline and bar are those of cards that are not selected; the ring is around them."""
    items = items_of(graph_of(4), None, frozenset())
    scene = scene_of(items, "flow", np.array([0, 1, 1, 0], np.int32), 2, (600, 400))
    palette = canvas_palette(theme, 2)
    viewport = Viewport(600, 400)
    viewport.fit(scene.layout.bounds)

    def painted() -> np.ndarray:
        buffer = raster.new_image(600, 400)
        paint_cards(buffer, scene, viewport, palette, detail, 1.0)
        return buffer

    plain = painted()
    scene.select(np.array([1, 3]))
    chosen = painted()
    ring = np.array([packed(theme.edge_selected)], np.uint32)
    for i in range(items.count):
        x0, y0 = viewport.to_pixels(scene.x[i], scene.y[i])
        x1, y1 = viewport.to_pixels(scene.x[i] + scene.w[i], scene.y[i] + scene.h[i])
        left, top, right, bottom = int(x0) + 2, int(y0) + 2, int(x1) - 2, int(y1) - 2
        inside = chosen[top:bottom, left:right]
        if detail == Detail.BLOCKS:  # in the full colour
            assert (inside == (palette.accent if scene.selected[i] else palette.block)[scene.device[i]]).all()
        else:
            assert np.array_equal(inside, plain[top:bottom, left:right])
        middle = (top + bottom) // 2
        for beside in (slice(int(x0) - 4, int(x0) + 1), slice(int(x1), int(x1) + 5)):
            now, before = chosen[middle, beside], plain[middle, beside]
            assert (now != before).any() == scene.selected[i]
            apart = np.abs(channels(now) - channels(ring)).max(axis=1)
            assert (apart.min() < 90) == scene.selected[i]  # its edges are smooth


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_a_selected_group_that_is_dimmed_is_a_dimmed_card_with_a_ring(theme: Theme) -> None:
    """As while something is looked for: nothing of the ring's colour shows through the card, so that its name can be read."""
    items = items_of(graph_of(4), numbered([0, 0, 1, 1]), frozenset({0, 1}))
    scene = scene_of(items, "flow", np.array([0, 1, 1, 0], np.int32), 2, (600, 400))
    scene.all_faded = True
    palette = canvas_palette(theme, 2)
    viewport = Viewport(600, 400)
    viewport.fit(scene.layout.bounds)
    painted = []
    for chosen in ([], [0, 1]):
        scene.select(np.array(chosen, np.int32))
        buffer = raster.new_image(600, 400)
        raster.fill(buffer, None, packed(theme.canvas), replace=True)
        paint_cards(buffer, scene, viewport, palette, Detail.CARDS, 1.0)
        painted.append(buffer)
    plain, ringed = painted
    x0, y0 = viewport.to_pixels(scene.x[0], scene.y[0])
    x1, y1 = viewport.to_pixels(scene.x[0] + scene.w[0], scene.y[0] + scene.h[0])
    inside = (slice(int(y0) + 2, int(y1) - 2), slice(int(x0) + 2, int(x1) - 2))
    assert np.array_equal(ringed[inside], plain[inside])
    middle = (int(y0) + int(y1)) // 2
    beside, ring = ringed[middle, int(x0) - 4 : int(x0)], np.array([packed(theme.edge_selected)], np.uint32)
    assert np.abs(channels(beside) - channels(ring)).max(axis=1).min() < 90, "its edges are smooth"
    ground = f"#{int(ringed[middle, (int(x0) + int(x1)) // 2]) & 0xFFFFFF:06x}"
    assert contrast(mix(ground, theme.text, DIMMED), ground) >= READABLE


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_group_has_a_card_on_each_of_its_devices(ops: list[tuple[int, int]]) -> None:
    """Where devices have areas; each part shows how the whole group is spread, and says how much of it it is."""
    graph, view = graph_of(len(ops)), numbered([group for group, _ in ops])
    device_of = np.array([device for _, device in ops], np.int32)
    items = items_of(graph, view, frozenset(range(view.count)), (device_of,))
    device, mixed = items.devices(device_of, 5)
    assert not mixed.any()
    assert sorted((int(view.group_of[items.first[i]]), int(device[i])) for i in range(items.count)) == sorted(
        {(int(group), int(d)) for group, d in zip(view.group_of, device_of, strict=True)}
    )
    splits, whole = items.splits(device_of, 5), items_of(graph, view, frozenset(range(view.count)))
    expected = whole.splits(device_of, 5)
    for i in range(items.count):
        group = int(whole.item_of[items.first[i]])
        assert items.whole_size[i] == whole.size[group]
        shown, asked = splits.item == i, expected.item == group
        assert splits.device[shown].tolist() == expected.device[asked].tolist()
        assert np.allclose(splits.start[shown], expected.start[asked])
        assert np.allclose(splits.end[shown], expected.end[asked])
        best = CardNames(items, np.zeros(items.count, np.int32)).choices(i)[0][0]
        if items.size[i] < items.whole_size[i]:
            assert best.endswith(f", {items.size[i]} of {items.whole_size[i]}")


def test_cards_are_cut_by_all_plans_in_sight() -> None:
    graph, view = graph_of(4), numbered([0] * 4)
    first, second = np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 1, 1], np.int32)
    assert items_of(graph, view, frozenset({0}), (first, second)).item_of.tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("view", ["lanes", "stages"])
def test_no_lane_of_a_slide_is_empty_whose_device_has_ops(qapp: object, view: str) -> None:
    """A block over three stages of which the middle one has nothing else: the bottleneck."""
    graph = chain_graph(48)
    problem = Problem(graph, Pipeline(3))
    device_of = np.repeat(np.arange(3, dtype=np.int32), 16)
    groups = numbered([0] * 8 + [1] * 32 + [2] * 8)
    picture = compose(
        problem, device_of, PRESETS["slide"], view, grouping=groups, folded=frozenset({0, 1, 2})
    )
    assert np.bincount(picture.scene.device, minlength=3).tolist() == [2, 1, 2]
    assert ", drawn as 5 groups or parts of groups," in picture.subtitle
    flow = compose(problem, device_of, PRESETS["slide"], "flow", grouping=groups, folded=frozenset({0, 1, 2}))
    assert flow.scene.mixed.tolist() == [False, True, False]


def test_folded_groups_of_the_window_are_split_where_they_are_in_lanes(hand: Hand) -> None:
    """The middle group is on all three stages; a part is dragged by itself, and joins what is there."""
    hand.document.set_grouping("layers")
    hand.document.fold([1])
    hand.settle()
    assert hand.view.scene is not None
    assert hand.view.scene.items.count == 10
    assert hand.view.scene.mixed[3]
    hand.view.set_view("lanes")
    hand.settle()
    parts = np.unique(hand.view.scene.items.item_of[3:6])
    where = set(hand.document.device_of[3:6].tolist())
    assert len(parts) == len(where)
    assert not hand.view.scene.mixed.any()
    assert set(hand.view.scene.device[parts].tolist()) == where
    hand.document.move(np.arange(3, 6, dtype=np.int32), 1)
    hand.settle()
    assert len(np.unique(hand.view.scene.items.item_of[3:6])) == 1
    hand.view.set_view("flow")
    hand.settle()
    assert hand.view.scene.items.count == 10


def test_the_bar_of_a_card_and_its_frame_go_by_the_work() -> None:
    """Two quick ops on one device, and on another a slow one, which says whose the card is."""
    ops = [Op(f"n{i}", f"op {i}", "Add", work=work) for i, work in enumerate((1.0, 1.0, 6.0))]
    items = items_of(Graph.build("g", ops, []), numbered([0] * 3), frozenset({0}))
    device_of = np.array([0, 0, 1], np.int32)
    device, _ = items.devices(device_of, 2)
    splits = items.splits(device_of, 2)
    assert device.tolist() == [1]
    assert np.allclose(splits.end - splits.start, [0.25, 0.75])


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("preset", ["slide", "column", "poster"])
def test_the_colours_on_cards_are_explained_below_a_title_that_leaves_no_room(preset: str) -> None:
    """A group over two stages, drawn in lanes; the key has lines of its own, which no other words lie in."""
    problem = Problem(fill(graph_of(4)), Pipeline(2))
    device_of = np.array([0, 1, 1, 1], np.int32)
    folding = {"grouping": numbered([0] * 4), "folded": frozenset({0})}
    room, letters = PRESETS[preset].room[0] - 2 * INSET, QFontMetricsF(font(TITLE_PIXELS, True))
    long = "long " * int(0.95 * room / letters.horizontalAdvance("long "))
    for title, below in (("A plan", False), (long, True)):
        picture = compose(problem, device_of, PRESETS[preset], "lanes", title, **folding)
        scribe = Scribe(int(picture.size[0]), int(picture.size[1]))
        paint_title(scribe, picture)
        scribe.end()
        places = [place for place, words in scribe.written if words == SPLIT]
        assert len(places) == 1
        assert (picture.key > 0) == below
        assert picture.top == picture.heading.height + picture.key * KEY_LINE + picture.legend.height
        if below:
            assert picture.heading.height - 4 <= places[0].top() and places[0].bottom() <= picture.top
        assert places[0].right() <= picture.size[0]
        assert picture.viewport.height <= picture.size[1] - picture.top + 1
