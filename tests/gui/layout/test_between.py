"""Layouts on the way from one to another: ends as they are, routes level and upright all the way, edges that hold to their cards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.canvas.graph.items import items_of
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.layout.between import CORNERS, between
from gui.layout.result import EdgeClass, Layout
from planner.formats import read_models
from planner.model.samples import sample


@pytest.fixture(name="ends", scope="module")
def _ends() -> tuple[Layout, Layout]:
    """Two plans of ResNet50 in lanes: halves, and all but a few ops elsewhere."""
    graph = read_models([sample("resnet50.json")])
    items = items_of(graph, None, frozenset())
    skeleton = skeleton_of(items)
    place = np.empty(graph.n, np.int64)
    place[graph.topological_order] = np.arange(graph.n)
    plans = [np.minimum(place * 3 // graph.n, 2), np.maximum(place * 4 // graph.n - 1, 0)]
    return tuple(
        arrange(items, skeleton, "lanes", plan.astype(np.int32), 3, (900.0, 500.0)) for plan in plans
    )  # type: ignore[return-value]


def test_at_the_ends_it_is_the_ends(ends: tuple[Layout, Layout]) -> None:
    first, second = ends
    assert between(first, second, 0.0) is first
    assert between(first, second, 1.0) is second
    assert between(first, first, 0.5) is first


def oblique(layout: Layout, edge: int) -> int:
    """Pieces of an edge's route that are neither level nor upright."""
    step = np.abs(np.diff(layout.route(edge), axis=0))
    return int(((step[:, 0] > 1e-6) & (step[:, 1] > 1e-6)).sum())


@settings(max_examples=20, deadline=None)
@given(share=st.floats(0.01, 0.99))
def test_lane_edges_stay_level_and_upright(ends: tuple[Layout, Layout], share: float) -> None:
    first, second = ends
    now = between(first, second, share)
    assert np.allclose(now.x, first.x + (second.x - first.x) * share)
    lanes = np.flatnonzero((first.edge_class == EdgeClass.LANE) | (second.edge_class == EdgeClass.LANE))
    assert len(lanes)
    for edge in lanes.tolist():
        assert oblique(now, edge) == 0
    held = np.flatnonzero(np.diff(first.route_offsets) != np.diff(second.route_offsets))
    assert len(held)
    assert (np.diff(now.route_offsets)[held] == CORNERS).all()


def test_shapes_that_differ_meet_the_ends(ends: tuple[Layout, Layout]) -> None:
    """Just after the beginning and just before the end nothing has gone far from where routes are then."""
    first, second = ends
    counts = [np.diff(end.route_offsets) for end in ends]
    for end, share in ((first, 1e-9), (second, 1 - 1e-9)):
        now = between(first, second, share)
        for edge in np.flatnonzero(
            (counts[0] != counts[1]) & (np.diff(end.route_offsets) == CORNERS)
        ).tolist():
            assert np.allclose(now.route(edge), end.route(edge), atol=1e-3)
        for edge in np.flatnonzero(counts[0] == counts[1]).tolist():
            assert np.allclose(now.route(edge), end.route(edge), atol=1e-3)
