"""Edges between two keyframes: their course at every moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.scene import Scene
from gui.canvas.graph.stages import blocks
from gui.canvas.graph.stages.blocks import paint_plates
from gui.canvas.graph.stages.plate_form import type_scale
from gui.canvas.graph.stages.routes import stage_ribbons
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import LIGHT
from gui.present.scenes import Graphs
from gui.present.show import Show
from gui.present.transition.areas import moved_scene
from gui.present.transition.courses import NEAR, Courses, Edges, ends_stay, settled_edges
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.story.keyframe import Keyframe
from tests.gui.mcm_models import row_graph
from tests.gui.present.talks import graph_members, resolved
from tests.gui.scribe import Scribe

pytestmark = pytest.mark.usefixtures("qapp")

N, K = 40, 3
PROBLEM = Problem(row_graph(N), Pipeline(K))
SHARES = (0.0, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0)


def scene_of(devices: list[int], view: str) -> Scene:
    plan: Plan = PROBLEM.plan(np.array(sorted(devices), np.int32), Provenance("hand"))
    return Graphs((900.0, 560.0), 1.0, LIGHT).stage(plan, view).scene


devices_of_all = st.lists(st.integers(0, K - 1), min_size=N, max_size=N)
views = st.sampled_from(["flow", "lanes", "stages"])


def routes_of(edges: Edges) -> Iterator[tuple[int, np.ndarray, float]]:
    """(edge, points float64[p, 2], opacity) of all that is drawn along a route."""
    for part in edges.routes:
        for i, edge in enumerate(part.edges.tolist()):
            at = slice(part.ptr[i], part.ptr[i + 1])
            yield edge, np.stack([part.x[at], part.y[at]], axis=1), part.opacity


@settings(max_examples=25, deadline=None)
@given(devices_of_all, devices_of_all, views, views)
def test_edges_whose_ends_stay_keep_their_route(
    one: list[int], other: list[int], view: str, next_view: str
) -> None:
    first, second = scene_of(one, view), scene_of(other, next_view)
    stay = ends_stay(first, second)
    courses = Courses(first, second)
    rest = [
        {edge: points for edge, points, _ in routes_of(settled_edges(scene))} for scene in (first, second)
    ]
    for share in SHARES:
        edges = courses.at(share, share)
        for edge, points, opacity in routes_of(edges):
            if not stay[edge] or opacity <= 0.0:
                continue
            own = [known[edge] for known in rest if edge in known]
            assert any(len(k) == len(points) and np.allclose(k, points, atol=2 * NEAR) for k in own), (
                edge,
                share,
            )
        for chosen, opacity in edges.curves:
            routed = [e for e in chosen.tolist() if stay[e] and all(e in known for known in rest)]
            assert not routed or opacity <= 0.0, "no curve in place of a route"


@settings(max_examples=15, deadline=None)
@given(devices_of_all, devices_of_all)
def test_level_pieces_stay_level(one: list[int], other: list[int]) -> None:
    """What is carried along has no oblique piece where it has none at rest."""
    first, second = scene_of(one, "lanes"), scene_of(other, "lanes")
    courses = Courses(first, second)
    carried = set(courses.carried.tolist())
    oblique = {
        edge for scene in (first, second) for edge, points, _ in routes_of(settled_edges(scene))
        if (np.abs(np.diff(points, axis=0)).min(axis=1) >= NEAR).any()
    }  # fmt: skip
    for share in SHARES:
        part = courses.at(share, share).routes[0]
        assert set(part.edges.tolist()) == carried
        for edge, points, _ in routes_of(Edges((part,), (), ())):
            if edge not in oblique:
                assert (np.abs(np.diff(points, axis=0)).min(axis=1) < NEAR).all(), (edge, share)


def test_what_only_looks_moves_no_edge() -> None:
    """The same plan, told of twice: another panel, another bound."""
    graphs = Graphs((900.0, 560.0), 1.0, LIGHT)
    devices = np.arange(N, dtype=np.int32) * K // N
    a, b = (PROBLEM.plan(devices, Provenance(name)) for name in ("first", "second"))
    one, other = (graphs.stage(plan, "lanes").scene for plan in (a, b))
    assert one.layout is other.layout
    courses = Courses(one, other)
    assert len(courses.loose) == len(courses.faded) == 0
    assert set(courses.carried.tolist()) == set(one.routed.tolist())


def test_all_edges_are_somewhere_at_both_ends() -> None:
    first, second = scene_of([0] * 20 + [1] * 20, "flow"), scene_of([0] * 10 + [2] * 30, "lanes")
    courses = Courses(moved_scene(first, 0.8, 3.0, -4.0), second)
    for share, scene in ((0.0, first), (1.0, second)):
        edges = courses.at(share, share)
        drawn = {edge for edge, _, opacity in routes_of(edges) if opacity > 0.99}
        assert drawn == set(scene.routed.tolist())
        curved = {e for chosen, opacity in edges.curves if opacity > 0.99 for e in chosen.tolist()}
        assert curved == set(scene.straight.tolist())


def test_a_scene_is_moved_whole() -> None:
    scene = scene_of([0] * 15 + [1] * 15 + [2] * 10, "stages")
    moved = moved_scene(scene, 2.0, 5.0, 7.0)
    assert np.allclose(moved.layout.x, 2 * scene.layout.x + 5)
    assert scene.layout.stages is not None and moved.layout.stages is not None
    assert moved.layout.stages.blocks[1] == tuple(
        2 * side + by for side, by in zip(scene.layout.stages.blocks[1], (5, 7, 0, 0), strict=True)
    )
    assert moved.layout.stages.plate == 2 * scene.layout.stages.plate


def test_type_keeps_its_size_where_blocks_are_told_in_other_units() -> None:
    """Plates, their words and what flows between them are drawn the same in the units of the view that they go to."""
    scene = scene_of([0] * 15 + [1] * 15 + [2] * 10, "stages")
    grow, dx, dy = 0.5, 30.0, -20.0
    moved = moved_scene(scene, grow, dx, dy)
    view = Viewport(900, 560, 1.2, 10.0, 20.0)
    same = Viewport(900, 560, 1.2 / grow, 10.0 - 1.2 / grow * dx, 20.0 - 1.2 / grow * dy)
    assert type_scale(moved, same, 1.0) == pytest.approx(type_scale(scene, view, 1.0))
    for one, other in zip(stage_ribbons(scene), stage_ribbons(moved), strict=True):
        assert other.width * same.scale == pytest.approx(one.width * view.scale)
        assert other.arrow * same.scale == pytest.approx(one.arrow * view.scale)
    plan: Plan = PROBLEM.plan(np.array([0] * 15 + [1] * 15 + [2] * 10, np.int32), Provenance("hand"))
    stage = Graphs((900.0, 560.0), 1.0, LIGHT).stage(plan, "stages")
    said = []
    for shown, seen in ((scene, view), (moved, same)):
        scribe = Scribe(900, 560)
        paint_plates(scribe, shown, seen, stage.palette, stage.headers, 1.0, 8.0)
        scribe.end()
        said.append([words for _, words in scribe.written])
    assert said[0] == said[1] and "15 ops" in said[0]


def memory_said(show: Show, seconds: float, patch: pytest.MonkeyPatch) -> list[str]:
    """How the plates of a moment tell memory."""
    said: list[str] = []
    write = blocks._text

    def text(painter: QPainter, box: QRectF, words: tuple[str, ...], *rest: Any) -> float:
        size, bold, _, _, least = rest
        said.append(blocks._fitting(box.width(), words, size, bold, least)[1])
        return write(painter, box, words, *rest)

    with patch.context() as during:
        during.setattr(blocks, "_text", text)
        show.image(seconds)
    return [words for words in said if words.endswith(("% full", " free", " on chip", " off chip"))]


def test_plates_tell_memory_in_one_form_at_rest_and_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this room some plates have none for ``6.00 MiB free``, and as they move others would have."""
    (first, _), _ = graph_members("edge-tpu")
    assert isinstance(first, Plan)
    second = first.problem.plan(np.array([0, 1, 1, 1, 2, 2], np.int32), first.provenance, "second")
    times = {"transition": 1.0, "hold": 1.0}
    made = resolved(
        [(first, ()), (second, ())],
        Keyframe("a", "", 0, "stages", **times),
        Keyframe("b", "", 1, "stages", **times),
    )
    show = Show(made, LIGHT, (220, 500))
    for moment in (1.5, 2.2, 2.5, 2.8, 3.5):
        said = memory_said(show, moment, monkeypatch)
        assert len(said) == 3 and all(words.endswith("% full") for words in said), moment
    wide = Show(made, LIGHT, (260, 500))
    for moment in (1.5, 2.2, 2.5, 2.8, 3.5):
        assert all(words.endswith(" free") for words in memory_said(wide, moment, monkeypatch)), moment
