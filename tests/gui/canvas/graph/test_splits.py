"""Groups that are spread over several devices show how."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.painter import paint_cards, split_bars
from gui.canvas.graph.palette import canvas_palette
from gui.canvas.graph.scene import scene_of
from gui.canvas.graph.tooltip import op_words
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import DARK
from gui.raster import engine as raster
from planner.model.graph import Graph, Op
from planner.model.groups import numbered
from tests.gui.canvas.graph.conftest import Hand


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


def test_selected_blocks_keep_the_colour_of_their_device() -> None:
    items = items_of(graph_of(4), None, frozenset())
    scene = scene_of(items, "flow", np.array([0, 1, 1, 0], np.int32), 2, (600, 400))
    scene.selected[:] = True
    palette = canvas_palette(DARK, 2)
    viewport = Viewport(600, 400)
    viewport.fit(scene.layout.bounds)
    buffer = raster.new_image(600, 400)
    paint_cards(buffer, scene, viewport, palette, Detail.BLOCKS, 1.0)
    for i in range(items.count):
        px, py = viewport.to_pixels(scene.x[i] + scene.w[i] / 2, scene.y[i] + scene.h[i] / 2)
        assert buffer[int(py), int(px)] == palette.accent[scene.device[i]]
