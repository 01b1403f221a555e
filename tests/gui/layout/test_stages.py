"""Blocks of cells and the ways of the ribbons between them, for any graph, plan and window."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.layout import Layout, prepare, stage_routes, stages_layout
from gui.layout.stages import fed_order
from tests.gui.layout.layout_graphs import dags

SIZES = [(780.0, 560.0), (300.0, 900.0), (2000.0, 200.0), (770.0, 380.0)]
TINY = 1e-6


def laid_out(graph, rng, devices: int, size: tuple[float, float], in_order: bool = True) -> tuple[Layout, np.ndarray]:  # fmt: skip
    n, src, dst = graph
    device = np.array([rng.randrange(devices) for _ in range(n)], np.int32)
    return stages_layout(prepare(n, src, dst), device, devices, np.arange(n), size, in_order), device


def apart(boxes: np.ndarray) -> bool:
    """Whether no two boxes (float64[k, 4]) lie on each other."""
    x, y, w, h = boxes.T
    beside = (x[:, None] + w[:, None] <= x[None] + TINY) | (x[None] + w[None] <= x[:, None] + TINY)
    above = (y[:, None] + h[:, None] <= y[None] + TINY) | (y[None] + h[None] <= y[:, None] + TINY)
    return bool((beside | above | np.eye(len(boxes), dtype=bool)).all())


@given(dags(), st.randoms(use_true_random=False), st.integers(1, 40), st.sampled_from(SIZES))
@settings(max_examples=80, deadline=None)
def test_blocks_and_cells(graph, rng, devices, size):
    layout, device = laid_out(graph, rng, devices, size)
    stages = layout.stages
    assert stages is not None
    used = np.unique(device)
    assert [d for d, box in enumerate(stages.blocks) if box[2] > 0] == used.tolist()
    assert [d for d, p in enumerate(stages.place.tolist()) if p >= 0] == used.tolist()
    boxes = np.array([stages.blocks[d] for d in used.tolist()]).reshape(-1, 4)
    assert apart(boxes)
    assert apart(np.stack([layout.x, layout.y, layout.w, layout.h], axis=1))
    x, y, w, h = np.array(stages.blocks)[device].reshape(-1, 4).T
    assert (layout.x >= x).all() and (layout.x + layout.w <= x + w + TINY).all()
    assert (layout.y >= y + stages.plate).all() and (layout.y + layout.h <= y + h + TINY).all()
    left, top, wide, high = layout.bounds
    if len(used):
        assert (boxes[:, 0] >= left).all() and (boxes[:, 0] + boxes[:, 2] <= left + wide).all()
        assert (boxes[:, 1] >= top).all() and (boxes[:, 1] + boxes[:, 3] <= top + high).all()
    assert np.allclose(layout.w, layout.h), "cells are squares"
    for d in used.tolist():  # in topological order, line by line
        mine = np.flatnonzero(device == d)
        assert (np.diff(layout.y[mine]) >= -TINY).all()
        level = np.diff(layout.y[mine]) < TINY
        assert (np.diff(layout.x[mine])[level] > 0).all()


@given(dags(), st.randoms(use_true_random=False), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_blocks_read_in_the_order_of_the_devices(graph, rng, devices):
    layout, device = laid_out(graph, rng, devices, SIZES[0])
    assert layout.stages is not None
    used = np.unique(device).tolist()
    corners = [(layout.stages.blocks[d][1], layout.stages.blocks[d][0]) for d in used]
    assert corners == sorted(corners)


@given(dags(), st.randoms(use_true_random=False), st.integers(2, 12), st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_ribbons_cross_no_block(graph, rng, devices, size):
    layout, device = laid_out(graph, rng, devices, size)
    stages = layout.stages
    assert stages is not None
    used = np.unique(device).tolist()
    pairs = [(a, b) for a in used for b in used if a != b]
    routes, room = stage_routes(stages, pairs)
    assert room > 0
    for (a, b), route in zip(pairs, routes, strict=True):
        assert len(route) >= 2
        for p, q in pairwise(route):
            assert abs(p[0] - q[0]) < TINY or abs(p[1] - q[1]) < TINY
            low, high = np.minimum(p, q), np.maximum(p, q)
            for d in used:
                x, y, w, h = stages.blocks[d]
                inside = (
                    low[0] < x + w - TINY
                    and high[0] > x + TINY
                    and low[1] < y + h - TINY
                    and high[1] > y + TINY
                )
                assert not inside, (a, b, d)
        x, y, w, h = stages.blocks[b]
        assert x - TINY <= route[-1][0] <= x + w + TINY and y - TINY <= route[-1][1] <= y + stages.plate


def pieces(route: np.ndarray) -> list[tuple[bool, float, float, float]]:
    """Whether each piece of a polyline is upright, where, from where, and how far."""
    out = []
    for (x, y), (to_x, to_y) in pairwise(route.tolist()):
        upright = abs(x - to_x) < TINY
        low, high = sorted((y, to_y) if upright else (x, to_x))
        out.append((upright, x if upright else y, low, high))
    return out


@given(st.integers(2, 14), st.randoms(use_true_random=False), st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_ribbons_lie_nowhere_on_each_other(devices, rng, size):
    n = 6 * devices
    device = np.repeat(np.arange(devices, dtype=np.int32), 6)
    pairs = [
        (a, b) for a in range(devices) for b in range(devices) if b == a + 1 or (a < b and rng.random() < 0.3)
    ]
    links = np.array(pairs, np.int32)
    stages = stages_layout(prepare(n, [], []), device, devices, np.arange(n), size, links=links).stages
    assert stages is not None
    routes, room = stage_routes(stages, pairs)
    found = [(i, piece) for i, route in enumerate(routes) for piece in pieces(route)]
    for i, (upright, at, low, high) in found:
        for j, (other_upright, other_at, other_low, other_high) in found:
            if i < j and upright == other_upright and min(high, other_high) - max(low, other_low) > TINY:
                # Side by side they are as far apart as a ribbon may be wide; upright ones share the width of a block.
                assert abs(at - other_at) > (TINY if upright else 0.9 * min(room, 4.0)), (pairs[i], pairs[j])


def crossings(routes: list[np.ndarray]) -> int:
    """How often ribbons cross."""
    found = [(i, piece) for i, route in enumerate(routes) for piece in pieces(route)]
    return sum(
        i != j and upright and not other_upright and other_low < at < other_high and low < other_at < high
        for i, (upright, at, low, high) in found
        for j, (other_upright, other_at, other_low, other_high) in found
    )


def test_ribbons_that_need_not_cross_do_not():
    """All of the first block's skips leave its top, or its foot, one inside the other."""
    device = np.repeat(np.arange(8, dtype=np.int32), 6)
    for pairs in ([(0, 2), (0, 3), (1, 3)], [(0, 5), (0, 6), (0, 7)], [(3, 4), (3, 5), (3, 6)]):
        layout = stages_layout(
            prepare(48, [], []), device, 8, np.arange(48), SIZES[0], columns=4, links=np.array(pairs)
        )
        assert layout.stages is not None
        crossed = crossings(stage_routes(layout.stages, pairs)[0])
        assert crossed == (1 if (1, 3) in pairs else 0), pairs


def test_a_block_stands_behind_those_that_feed_it():
    used = np.arange(4)
    pairs = np.array([(3, 1), (1, 0), (3, 2), (2, 0)], np.int32)
    assert fed_order(used, pairs, np.array([9.0, 3.0, 2.0, 1.0])).tolist() == [3, 2, 1, 0]
    circle = np.array([(0, 1), (1, 2), (2, 0)], np.int32)
    assert fed_order(np.arange(3), circle, np.array([5.0, 1.0, 3.0])).tolist() == [1, 2, 0]
    graph = prepare(4, [0, 1, 2], [1, 2, 3])
    layout = stages_layout(graph, [2, 2, 0, 1], 3, np.arange(4), SIZES[0], in_order=False)
    assert layout.stages is not None
    assert layout.stages.place.tolist() == [1, 2, 0]


def test_many_devices_in_a_small_window_stay_readable():
    n, k = 1900, 36
    device = (np.arange(n) * k // n).astype(np.int32)
    layout = stages_layout(
        prepare(n, np.arange(n - 1), np.arange(1, n)), device, k, np.arange(n), (770.0, 380.0)
    )
    assert layout.stages is not None
    assert layout.stages.blocks[0][2] >= 50 and layout.stages.cell >= 3
    assert layout.bounds[2] <= 770 + TINY and layout.bounds[3] <= 380 + TINY


@pytest.mark.parametrize("device", [[0, 3], [0, -1], [0]])
def test_ops_on_no_device_are_refused(device):
    with pytest.raises(ValueError, match=r"device"):
        stages_layout(prepare(2, [0], [1]), device, 2, np.arange(2), SIZES[0])
