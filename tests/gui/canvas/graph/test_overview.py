"""Seen from afar: plates, ribbons and ground."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.overview import (
    BETWEEN,
    NAME_WIDTH,
    PLATE_HEIGHT,
    PLATE_WIDTH,
    paint_ground,
    paint_plates,
    plates,
    ribbons,
)
from gui.canvas.graph.painter import paint_scene
from gui.canvas.graph.palette import canvas_palette, packed
from gui.canvas.graph.scene import STYLE, Scene, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import DARK, LIGHT, Theme
from gui.raster import engine as raster
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe

SIZE = (900, 600)


def far_scene(n: int, k: int, view: str = "flow") -> tuple[Scene, Viewport]:
    scene = scene_of(
        items_of(chain_graph(n), None, frozenset()), view, (np.arange(n) * k // n).astype(np.int32), k, SIZE
    )
    viewport = Viewport()
    viewport.resize(*SIZE)
    viewport.fit(scene.layout.bounds)
    return scene, viewport


@pytest.mark.parametrize("view", ["flow", "lanes"])
@pytest.mark.parametrize("k", [1, 4, 12, 36])
def test_plates_do_not_overlap_and_stay_in_the_picture(view: str, k: int) -> None:
    scene, viewport = far_scene(400, k, view)
    boxes = plates(scene, viewport, 1.0)
    assert sorted(boxes) == list(range(k))
    found = list(boxes.values())
    assert not any(a.intersects(b) for i, a in enumerate(found) for b in found[:i])
    assert all(QRectF(-2, -2, SIZE[0] + 4, SIZE[1] + 4).contains(box) for box in found)
    assert min(box.height() for box in found) >= 9


@pytest.mark.parametrize("high", [60, 150, 300, 430])
def test_plates_that_have_no_room_are_left_out(high: int) -> None:
    """None is cut at the edge of the canvas, and those that are left are spread over it."""
    scene, viewport = far_scene(400, 36, "lanes")
    viewport.resize(SIZE[0], high)
    viewport.fit(scene.layout.bounds)
    boxes = plates(scene, viewport, 1.0)
    found = list(boxes.values())
    assert not any(a.intersects(b) for i, a in enumerate(found) for b in found[:i])
    assert all(QRectF(0, 0, SIZE[0], high).contains(box) for box in found)
    room = scene.layout.bounds[3] * viewport.scale
    assert min(36, room / 12) / 2 - 1 <= len(found) < 36


def test_a_device_without_ops_has_no_plate() -> None:
    scene, viewport = far_scene(60, 3)
    scene.set_devices(np.where(np.arange(60) < 30, 0, 2).astype(np.int32), 3)
    assert list(plates(scene, viewport, 1.0)) == [0, 2]


def test_ribbons_are_as_wide_as_their_bytes() -> None:
    scene, viewport = far_scene(400, 5)
    found = ribbons(scene, viewport, 1.0)
    assert {(r.src, r.dst): r.bytes for r in found} == {
        (a, b): scene.flow[a, b] for a, b in np.argwhere(scene.flow > 0).tolist()
    }
    widths = [r.width for r in found]
    assert widths == sorted(widths, reverse=True)
    assert [r.bytes for r in found] == sorted((r.bytes for r in found), reverse=True)


def test_ribbons_run_between_their_plates() -> None:
    scene, viewport = far_scene(200, 4)
    boxes = plates(scene, viewport, 1.0)
    for r in ribbons(scene, viewport, 1.0):
        near = [boxes[d].adjusted(-2, -2, 2, 2) for d in (r.src, r.dst)]
        assert near[0].contains(r.curve[0], r.curve[1])
        assert near[1].contains(r.curve[6], r.curve[7])


def test_no_bytes_no_ribbons() -> None:
    scene, viewport = far_scene(50, 2)
    scene.set_devices(np.zeros(50, np.int32), 2)
    assert ribbons(scene, viewport, 1.0) == []


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_the_ground_shows_stages_selection_and_trouble(theme: Theme) -> None:
    scene, viewport = far_scene(300, 3)
    palette = canvas_palette(theme, 3)
    scene.selected = scene.mask(np.array([10]))
    scene.violating = scene.mask(np.array([20]))
    buffer = raster.new_image(*SIZE)
    raster.fill(buffer, None, packed(theme.canvas), replace=True)
    paint_ground(buffer, scene, viewport, palette, 1.0)

    def colour(op: int, down: float = 0.5) -> int:
        x, y = viewport.to_pixels(scene.x[op] + scene.w[op] / 2, scene.y[op] + scene.h[op] * down)
        return int(buffer[int(y), int(x)])

    assert colour(10) == palette.accent[scene.device[10]]
    corner = viewport.to_pixels(scene.x[10] - STYLE.gap_x / 2, scene.y[10] - STYLE.gap_y / 2)
    around = buffer[int(corner[1]) - 2 : int(corner[1]) + 1, int(corner[0]) - 2 : int(corner[0]) + 1]
    ring = np.array([packed(theme.edge_selected)], np.uint32).view(np.uint8).astype(int)
    apart = np.abs(np.ascontiguousarray(around).view(np.uint8).reshape(-1, 4).astype(int) - ring).max(axis=1)
    assert apart.min() < 24  # its edges are smooth
    assert colour(20) == packed(theme.card), "the bar of its sign"
    assert colour(20, 0.15) == packed(theme.bad)
    assert len({colour(50), colour(150), colour(250)}) == 3
    scene.highlighted = scene.mask(np.array([50]))
    before = colour(150)
    paint_ground(buffer, scene, viewport, palette, 1.0)
    assert colour(50) == palette.accent[0]
    assert colour(150) != before


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_no_ground_is_painted_beneath_what_is_selected(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is selected that is a third of the work."""
    scene, viewport = far_scene(300, 3)
    palette, plain = canvas_palette(theme, 3), raster.rounded_rects
    painted: list[int] = []

    def counted(*given: Any, **named: Any) -> None:
        visible = named.get("visible")
        painted.append(len(given[2]) if visible is None else int(np.count_nonzero(visible)))
        plain(*given, **named)

    for chosen in (np.arange(100), np.arange(300)):
        scene.selected = scene.mask(chosen)
        buffer = raster.new_image(*SIZE)
        raster.fill(buffer, None, packed(theme.canvas), replace=True)
        monkeypatch.setattr(raster, "rounded_rects", counted)
        paint_ground(buffer, scene, viewport, palette, 1.0)
        monkeypatch.setattr(raster, "rounded_rects", plain)
        assert sum(painted[:3]) == 300 + len(chosen)
        painted.clear()
        for op in range(0, 300, 7):
            x, y = viewport.to_pixels(scene.x[op] + scene.w[op] / 2, scene.y[op] + scene.h[op] / 2)
            full = palette.accent[scene.device[op]]
            assert (buffer[int(y), int(x)] == full) == (op in chosen)


@pytest.mark.parametrize("k", [4, 36])
@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_far_out_the_overview_is_painted(qapp, view: str, k: int) -> None:
    scene, viewport = far_scene(400, k, view)
    viewport.zoom(0.2, 0, 0)
    viewport.smallest = 0.01
    viewport.zoom(0.04 / viewport.scale, 0, 0)
    buffer = raster.new_image(*SIZE)
    assert paint_scene(buffer, scene, viewport, canvas_palette(LIGHT, k), 1.0) == Detail.OVERVIEW
    assert len(np.unique(buffer)) > 20


def test_folded_groups_count_with_their_ops_edges() -> None:
    from planner.model.groups import GroupView

    graph = chain_graph(12)
    view = GroupView((np.arange(12) // 3).astype(np.int32), tuple("abcd"))
    items = items_of(graph, view, frozenset(range(4)))
    scene = scene_of(items, "flow", (np.arange(12) // 6).astype(np.int32), 2, SIZE)
    # The tensors of ops 2 to 5 that ops 6 and beyond read, each once though two groups read that of op 5.
    assert scene.flow[0, 1] == 4 * 8.0
    assert scene.flow[1, 0] == 0


def test_many_plates_stand_on_their_own_ground() -> None:
    scene, viewport = far_scene(400, 36)
    x, y = (scene.x + scene.w / 2) * viewport.scale, (scene.y + scene.h / 2) * viewport.scale
    placed = plates(scene, viewport, 1.0)
    assert placed
    for d, box in placed.items():
        inside = (
            (x + viewport.ox >= box.left() - 40) & (x + viewport.ox <= box.right() + 40)
            & (y + viewport.oy >= box.top() - 4) & (y + viewport.oy <= box.bottom() + 4)
        )  # fmt: skip
        assert d in scene.device[inside]
    assert ribbons(scene, viewport, 1.0) == [], "ribbons between so many would bury the graph"


@pytest.mark.parametrize("view", ["flow", "lanes"])
@pytest.mark.parametrize(("k", "high"), [(4, 600), (12, 600), (12, 320), (12, 280), (4, 120)])
def test_a_crowded_column_of_plates_hides_neither_ribbons_nor_graph(view: str, k: int, high: int) -> None:
    """Plates that would lie one at the other are names alone, and leave room for what runs between neighbours."""
    scene, viewport = far_scene(2000, k, view)
    viewport.resize(SIZE[0], high)
    viewport.fit(scene.layout.bounds)
    boxes = sorted(plates(scene, viewport, 1.0).values(), key=lambda box: box.top())
    gaps = [below.top() - above.bottom() for above, below in pairwise(boxes)]
    assert min(gaps) >= BETWEEN - 0.5
    whole = scene.layout.bounds[3] * viewport.scale / k >= PLATE_HEIGHT + BETWEEN
    assert {box.width() for box in boxes} == {PLATE_WIDTH if whole else NAME_WIDTH}
    straight = [r for r in ribbons(scene, viewport, 1.0) if r.curve[0] == r.curve[2]]
    assert len(straight) >= k - 1 and all(abs(r.curve[7] - r.curve[1]) >= BETWEEN - 0.5 for r in straight)


@pytest.mark.parametrize("view", ["flow", "lanes"])
@pytest.mark.parametrize(("k", "high"), [(4, 600), (12, 280), (19, 320), (36, 600), (120, 600)])
def test_plates_tell_their_devices_apart_in_one_form(qapp, view: str, k: int, high: int) -> None:
    """No name is cut before its number, and where not all have room for their titles none has it."""
    scene, viewport = far_scene(2000, k, view)
    scene.devices = Problem(scene.items.graph, Pipeline(k)).devices
    viewport.resize(SIZE[0], high)
    viewport.fit(scene.layout.bounds)
    boxes = plates(scene, viewport, 1.0)
    scribe = Scribe(SIZE[0], high)
    paint_plates(scribe, scene, viewport, canvas_palette(LIGHT, k), 1.0)
    scribe.end()
    titles = [scene.devices[d].title for d in boxes]
    forms = (titles, [scene.devices[d].name for d in boxes], [title.split()[-1] for title in titles])
    words = [words for _, words in scribe.written]
    assert any(all(name in words for name in form) for form in forms)
    assert not any("\N{HORIZONTAL ELLIPSIS}" in word for word in words)
