"""Lanes of plans side by side: the same device at the same height, whatever each plan has on it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.layout_metrics import cards_crossed, overlaps
from gui.layout import flow_layout, lanes_layout, prepare
from gui.layout.aligned import aligned
from tests.gui.layout.layout_graphs import dags

ROOM = (600.0, 400.0)


@given(dags(), st.randoms(use_true_random=False), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_lanes_stand_at_the_same_heights(graph, rng, devices):
    n, src, dst = graph
    skeleton = prepare(n, src, dst)
    places = [np.array([rng.randrange(devices) for _ in range(n)], np.int32) for _ in range(3)]
    first = lanes_layout(skeleton, places[0], devices, ROOM)
    before = [
        first,
        *(lanes_layout(skeleton, place, devices, ROOM, keep=first.frame) for place in places[1:]),
    ]
    after = aligned(before)
    for layout, was, place in zip(after, before, places, strict=True):
        assert [lane.band[1::2] for lane in layout.lanes] == [lane.band[1::2] for lane in after[0].lanes]
        assert layout.bounds == after[0].bounds
        assert overlaps(layout) == overlaps(was) == 0
        assert cards_crossed(layout) == cards_crossed(was)
        assert (layout.x == was.x).all() and (layout.h == was.h).all()
        band = np.array([lane.band for lane in layout.lanes])[place].reshape(-1, 4)
        assert (layout.y >= band[:, 1]).all() and (layout.y + layout.h <= band[:, 1] + band[:, 3]).all()
        for row in layout.rows:
            assert layout.lanes[row.lane].band[1] <= row.y


def test_what_has_no_lanes_stays() -> None:
    skeleton = prepare(3, np.array([0, 1]), np.array([1, 2]))
    flow = flow_layout(skeleton, ROOM)
    assert all(layout is flow for layout in aligned([flow, flow]))
    one = lanes_layout(skeleton, [0, 0, 1], 2, ROOM)
    assert aligned([one])[0] is one
