"""Links between rows that are far apart: all are drawn, around all cards, and those of a U-Net nest."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from gui.layout import flow_layout, lanes_layout, prepare
from gui.layout.far import MOST_TRACKS
from gui.layout.result import EdgeClass, Layout
from tests.gui.layout.layout_graphs import dags
from tests.gui.layout.test_layout import VIEWPORT, assert_sound, cards_crossed


def u_net(levels: int = 5, deep: int = 6) -> Layout:
    """A chain down and up again, with a link from each level on the way down to the same on the way up."""
    n = 2 * levels * deep
    chain = np.arange(n - 1)
    down = np.arange(levels) * deep + 1
    src, dst = np.concatenate([chain, down]), np.concatenate([chain + 1, n - 1 - down])
    return flow_layout(prepare(n, src, dst), (700.0, 900.0))


def test_the_skips_of_a_u_net_nest_beside_the_cards() -> None:
    layout = u_net()
    far = np.flatnonzero(layout.edge_class == EdgeClass.FAR)
    assert len(far) >= 4
    assert not (layout.edge_class == EdgeClass.STUB).any()
    assert cards_crossed(layout) == 0
    ways = [layout.route(int(e)) for e in far]
    wide = [way for way in ways if len(way) == 8]
    beside = [float(way[:, 0].max()) for way in wide]
    assert min(beside) > float((layout.x + layout.w).max())
    assert max(beside) <= layout.bounds[0] + layout.bounds[2]
    heights = [float(np.ptp(way[:, 1])) for way in wide]
    assert len(set(beside)) == len(beside)
    assert np.argsort(heights).tolist() == np.argsort(beside).tolist(), "the longest is the outermost"


@given(dags())
@settings(max_examples=60, deadline=None)
def test_every_edge_has_a_way_that_crosses_no_card(graph: tuple[int, np.ndarray, np.ndarray]) -> None:
    n, src, dst = graph
    layout = flow_layout(prepare(n, src, dst), (500.0, 900.0))
    assert_sound(layout, n, len(src))
    assert not (layout.edge_class == EdgeClass.STUB).any()


def test_what_many_are_gathered_in_is_one_trunk() -> None:
    """Sixty ops along a chain feed its last: one line beside the cards, not sixty."""
    n = 200
    chain, feeds = np.arange(n - 1), np.arange(0, 180, 3)
    src, dst = np.concatenate([chain, feeds]), np.concatenate([chain + 1, np.full(len(feeds), n - 1)])
    layout = flow_layout(prepare(n, src, dst), VIEWPORT)
    assert not (layout.edge_class == EdgeClass.STUB).any()
    ways = [layout.route(int(e)) for e in np.flatnonzero(layout.edge_class == EdgeClass.FAR)]
    assert len({round(float(way[3, 0]), 3) for way in ways if len(way) == 8}) == 1
    assert cards_crossed(layout) == 0


def test_more_than_a_side_can_show_stay_stubs() -> None:
    n = 1200
    chain = np.arange(n - 1)
    skips = np.arange(0, 500, 3)
    src, dst = np.concatenate([chain, skips]), np.concatenate([chain + 1, n - 1 - skips])
    layout = flow_layout(prepare(n, src, dst), VIEWPORT)
    far = np.flatnonzero(layout.edge_class == EdgeClass.FAR)
    assert 10 < len(far) <= MOST_TRACKS + 10
    assert (layout.edge_class == EdgeClass.STUB).any()
    assert cards_crossed(layout) == 0


@given(dags())
@settings(max_examples=60, deadline=None)
def test_every_edge_inside_a_lane_has_a_way_that_crosses_no_card(
    graph: tuple[int, np.ndarray, np.ndarray],
) -> None:
    """And it stays in its lane."""
    n, src, dst = graph
    lane = (np.arange(n) * 3 // max(n, 1)).astype(np.int32)
    layout = lanes_layout(prepare(n, src, dst), lane, 3, (500.0, 900.0))
    assert cards_crossed(layout) == 0
    inside = np.flatnonzero(lane[src] == lane[dst])
    assert not (layout.edge_class[inside] == EdgeClass.STUB).any()
    right = layout.bounds[0] + layout.bounds[2]
    for e in np.flatnonzero(layout.edge_class == EdgeClass.FAR).tolist():
        _, top, _, high = layout.lanes[lane[src[e]]].band
        way = layout.route(e)
        assert top <= way[:, 1].min() and way[:, 1].max() <= top + high and way[:, 0].max() <= right
