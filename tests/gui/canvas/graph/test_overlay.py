"""Edges that stand out run beneath cards and their words."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.overlay import clear_of, on_route, paint_attention, stroke_edges
from gui.canvas.graph.palette import canvas_palette, packed
from gui.canvas.graph.scene import Scene, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import LIGHT
from gui.raster import engine as raster
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import numbered
from planner.problem.problem import Problem

NOTHING = np.empty(0, np.int32)


def hub_scene(view: str) -> Scene:
    """A row of ops that all read a mask: in lanes its edges have no routes of their own."""
    n = 30
    ops = [Op("mask", "mask", "Mul", work=1.0), *(Op(f"n{i}", f"op {i}", "Add", work=1.0) for i in range(n))]
    tensors = [Tensor("mask", tuple(f"n{i}" for i in range(n)), 8.0)]
    tensors += [Tensor(f"n{i}", (f"n{i + 1}",), 8.0) for i in range(n - 1)]
    graph = Graph.build("hub", ops, tensors)
    items = items_of(graph, numbered(list(range(n + 1))), frozenset())
    return scene_of(items, view, (np.arange(n + 1) * 3 // (n + 1)).astype(np.int32), 3, (1400, 800))


def test_hovered_edges_without_a_route_run_beneath_cards() -> None:
    for view in ("flow", "lanes"):
        scene = hub_scene(view)
        mask = next(
            i for i in range(scene.items.count) if scene.items.graph.op_names[scene.items.first[i]] == "mask"
        )
        edges = scene.items.edges_of(np.array([mask]))
        assert len(edges) > 20 and not on_route(scene, edges).all()
        viewport, palette = Viewport(1400, 800), canvas_palette(LIGHT, 3)
        viewport.fit(scene.layout.bounds)
        assert scene.detail(viewport.scale) >= Detail.LABELS
        buffer = raster.new_image(1400, 800)
        paint_attention(buffer, scene, viewport, palette, np.array([mask]), 1.0, NOTHING)
        drawn = buffer >> 24 > 0
        assert drawn.sum() > 2000, "the edges are there"
        for i in range(scene.items.count):
            x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
            w, h = float(scene.w[i]) * viewport.scale, float(scene.h[i]) * viewport.scale
            inside = drawn[int(y + 4) : int(y + h - 4), int(x + 4) : int(x + w - 4)]
            assert not inside.any(), (view, scene.items.graph.op_names[scene.items.first[i]])


def test_from_afar_cards_have_no_words_to_spare() -> None:
    scene = hub_scene("flow")
    mask = int(np.flatnonzero(scene.items.first == 0)[0])
    viewport, palette = Viewport(1400, 800), canvas_palette(LIGHT, 3)
    viewport.fit(scene.layout.bounds)
    viewport.scale *= 0.15
    assert scene.detail(viewport.scale) < Detail.LABELS
    buffer = raster.new_image(1400, 800)
    paint_attention(buffer, scene, viewport, palette, np.array([mask]), 1.0, NOTHING)
    assert (buffer >> 24 > 0).any()


def test_a_broken_edge_is_seen_above_those_that_share_its_way() -> None:
    scene = hub_scene("flow")
    graph, problem = scene.items.graph, Problem(fill(scene.items.graph), Pipeline(3))
    device_of = scene.op_device.copy()
    last = graph.n - 1
    device_of[last] = 0
    scene.evaluation = problem.evaluate(device_of)
    assert scene.broken_edges.any()
    viewport, palette = Viewport(1400, 800), canvas_palette(LIGHT, 3)
    viewport.fit(scene.layout.bounds)
    buffer = raster.new_image(1400, 800)
    broken = np.flatnonzero(scene.broken_edges)
    paint_attention(buffer, scene, viewport, palette, np.arange(scene.items.count), 1.0, NOTHING)
    alone = raster.new_image(1400, 800)
    place = (viewport.scale, viewport.ox, viewport.oy)
    red = np.full(len(broken), packed(LIGHT.bad), np.uint32)
    stroke_edges(alone, scene, place, broken, red, 2.6, 1.0, 0.0)
    solid = alone == np.uint32(packed(LIGHT.bad))
    assert solid.sum() > 50
    assert (buffer[solid] == np.uint32(packed(LIGHT.bad))).mean() > 0.8


def test_what_a_drop_gives_lies_beside_the_card_that_has_left_the_canvas() -> None:
    bounds, plate = QRectF(0, 0, 800, 600), QRectF(6, 100, 180, 40)
    card = QRectF(-80, 96, 136, 42)
    moved = clear_of(plate, card, bounds)
    assert not moved.intersects(card) and bounds.contains(moved) and moved.size() == plate.size()
    low, low_card = QRectF(6, 550, 180, 40), QRectF(-80, 546, 136, 42)
    moved = clear_of(low, low_card, bounds)
    assert not moved.intersects(low_card) and bounds.contains(moved)
    assert clear_of(plate, None, bounds) == plate == clear_of(plate, QRectF(-300, 0, 136, 42), bounds)
