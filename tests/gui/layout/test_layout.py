"""Properties that every layout has, on any graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.layout_metrics import cards_crossed, overlaps, straight_crossings
from gui.canvas.graph.items import items_of
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.document.plan.folding import Folding
from gui.layout import EdgeClass, LayoutStyle, assemble, flow_layout, lanes, lanes_layout, prepare, warm_up
from planner.formats import read_model
from planner.model.samples import sample
from tests.gui.layout.layout_graphs import dags

VIEWPORT = (780.0, 560.0)


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    warm_up()


def assert_sound(layout, n, m):
    """No card on another, all inside the bounds, and every route outside of the cards it does not belong to."""
    assert len(layout) == n and len(layout.edge_class) == m
    assert np.isfinite(layout.x).all() and np.isfinite(layout.y).all()
    assert overlaps(layout) == 0
    left, top, width, height = layout.bounds
    assert width > 0 and height > 0
    if n:
        assert (layout.x >= left).all() and (layout.x + layout.w <= left + width + 1e-6).all()
        assert (layout.y >= top).all() and (layout.y + layout.h <= top + height + 1e-6).all()
        for row in range(len(layout.rows)):
            band = layout.rows[row]
            inside = layout.row == row
            assert (layout.y[inside] >= band.y - 1e-6).all()
            assert not inside.any() or layout.column[inside].min() == 0, "all rows begin at one line"
            assert (layout.y[inside] + layout.h[inside] <= band.y + band.h + 1e-6).all()
    assert np.isfinite(layout.route_points).all()
    assert layout.route_offsets[-1] == len(layout.route_points)


def assert_left_to_right(layout, src, dst):
    """Inside a row the forward strip reads from left to right, the backward strip from right to left."""
    same = (layout.row[src] == layout.row[dst]) & (layout.mirrored[src] == layout.mirrored[dst])
    ahead = layout.column[dst] - layout.column[src]
    assert (ahead[same & ~layout.mirrored[src]] > 0).all()
    assert (ahead[same & layout.mirrored[src]] < 0).all()


@given(dags(), st.sampled_from([(780.0, 560.0), (300.0, 900.0), (2000.0, 90.0)]))
@settings(max_examples=80, deadline=None)
def test_flow_of_any_dag(graph, viewport):
    n, src, dst = graph
    layout = flow_layout(prepare(n, src, dst), viewport)
    assert_sound(layout, n, len(src))
    assert_left_to_right(layout, src, dst)
    assert cards_crossed(layout) == 0
    later = layout.row[dst] - layout.row[src]
    assert (later >= 0).all(), "an edge leads back to an earlier row"


@given(dags(), st.randoms(use_true_random=False), st.integers(1, 6))
@settings(max_examples=80, deadline=None)
def test_lanes_of_any_dag_and_any_plan(graph, rng, devices):
    n, src, dst = graph
    device = np.array([rng.randrange(devices) for _ in range(n)], np.int32)
    backward = np.array([rng.random() < 0.3 for _ in range(n)], bool)
    partner = np.array([rng.randrange(-1, n) for _ in range(n)], np.int32)
    layout = lanes_layout(prepare(n, src, dst, backward=backward, partner=partner), device, devices, VIEWPORT)
    assert_sound(layout, n, len(src))
    same_lane = device[src] == device[dst]
    assert_left_to_right(layout, src[same_lane], dst[same_lane])
    assert cards_crossed(layout) == 0
    assert len(layout.lanes) == devices
    bottom = 0.0
    for k, lane in enumerate(layout.lanes):
        x, y, w, h = lane.band
        assert y >= bottom and h > 0
        bottom = y + h
        mine = device == k
        assert (layout.x[mine] >= lane.header[0] + lane.header[2]).all()
        assert (layout.x[mine] + layout.w[mine] <= x + w + 1e-6).all()
        assert (layout.y[mine] >= y).all() and (layout.y[mine] + layout.h[mine] <= bottom + 1e-6).all()
        assert w == layout.lanes[0].band[2]


@given(dags(), st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_fold_of_any_dag_with_large_cards(graph, rng):
    n, src, dst = graph
    backward = np.array([rng.random() < 0.4 for _ in range(n)], bool)
    partner = np.array([rng.randrange(-1, n) for _ in range(n)], np.int32)
    large = np.array([rng.random() < 0.2 for _ in range(n)], bool)
    skeleton = prepare(n, src, dst, backward=backward, partner=partner, large=large)
    layout = flow_layout(skeleton, VIEWPORT)
    assert_sound(layout, n, len(src))
    assert_left_to_right(layout, src, dst)
    assert (layout.w[large] > layout.w[~large].max(initial=0)).all()
    again = flow_layout(prepare(n, src, dst, backward=backward, partner=partner, large=large), VIEWPORT)
    for name in ("x", "y", "edge_class", "route_points"):
        assert np.array_equal(getattr(layout, name), getattr(again, name))
    lanes = lanes_layout(skeleton, np.arange(n) % 3, 3, VIEWPORT)
    assert_sound(lanes, n, len(src))


@pytest.mark.parametrize(
    ("framed", "width", "src", "dst", "backward", "partner"),
    [
        (False, 780.0, [0, 1, 2], [1, 2, 3], [0, 0, 1, 0], [-1] * 4),
        (True, 780.0, [0, 0, 1, 2, 3], [1, 2, 2, 5, 4], [0, 0, 1, 1, 0, 0], [-1] * 6),
        (False, 120.0, [0, 1, 2, 2, 3], [4, 4, 3, 4, 4], [0, 1, 1, 0, 0], [4, 3, -1, 0, 2]),
    ],
)
def test_folds_into_a_row_with_one_strip_run_between_the_rows(framed, width, src, dst, backward, partner):
    """Such a row has no gap between its strips; routes that looked for it ran across a card above, or out of bounds."""
    skeleton = prepare(len(backward), src, dst, backward=np.array(backward, bool), partner=partner)
    viewport = (width, 560.0 if width > 500 else 900.0)
    if framed:
        layout = lanes_layout(skeleton, np.zeros(len(backward)), 1, viewport)
    else:
        layout = flow_layout(skeleton, viewport)
    assert_sound(layout, len(backward), len(src))
    assert cards_crossed(layout) == 0
    low, high = layout.bounds[1], layout.bounds[1] + layout.bounds[3]
    assert ((layout.route_points[:, 1] >= low) & (layout.route_points[:, 1] <= high)).all()
    fold = layout.edge_class == EdgeClass.FOLD
    assert (layout.row[layout.edge_src] != layout.row[layout.edge_dst])[fold].any()


@given(dags(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_source_is_never_separated_from_its_only_consumer(graph, rng):
    n, src, dst = graph
    layout = flow_layout(prepare(n, src, dst), (120.0, 900.0))
    for v in range(n):
        mine = np.flatnonzero(src == v)
        if len(mine) == 1 and not (dst == v).any() and (dst == dst[mine[0]]).sum() > 1:
            others = src[dst == dst[mine[0]]]
            first = others[0] == v and all(not (dst == u).any() and (src == u).sum() == 1 for u in others)
            if not first:
                assert layout.row[v] == layout.row[dst[mine[0]]]


def test_nothing_and_one_op():
    nothing = flow_layout(prepare(0, [], []), VIEWPORT)
    assert len(nothing) == 0 and nothing.bounds[2] > 0
    assert len(lanes_layout(prepare(0, [], []), [], 3, VIEWPORT).lanes) == 3
    one = flow_layout(prepare(1, [], []), VIEWPORT)
    assert one.bounds[2] < 400 and one.rows[0].h == one.h[0]


@pytest.mark.parametrize("fan", [0, 2000])
def test_wide_ranks_become_blocks(fan):
    """2,000 ops in parallel, or not connected at all, are a block and not a column."""
    n = 2002
    ops = np.arange(1, 2001)
    src = np.concatenate([np.zeros(2000), ops]) if fan else []
    dst = np.concatenate([ops, np.full(2000, 2001)]) if fan else []
    layout = flow_layout(prepare(n, src, dst), VIEWPORT)
    assert overlaps(layout) == 0
    assert 0.6 < layout.bounds[2] / layout.bounds[3] / (780 / 560) < 1.6


def test_far_links_of_a_hub_are_one_trunk_and_wraps_go_to_the_next_row():
    """A mask feeds 24 places along a chain of 200: its far edges run beside all cards, the chain wraps."""
    chain = np.arange(200)
    uses = np.arange(5, 197, 8)
    src = np.concatenate([chain[:-1], np.full(len(uses), 200)])
    dst = np.concatenate([chain[1:], uses])
    layout = flow_layout(prepare(201, src, dst), VIEWPORT)
    hub = layout.edge_class[199:]
    assert (hub == EdgeClass.FAR).sum() >= 20
    assert cards_crossed(layout) == 0
    along = layout.edge_class[:199]
    assert set(np.unique(along)) == {EdgeClass.LOCAL, EdgeClass.WRAP}
    assert (along == EdgeClass.WRAP).sum() == len(layout.rows) - 1
    long = [e for e in range(199, 223) if layout.row[layout.edge_dst[e]] - layout.row[200] > 1]
    assert len(long) > 10 and len({float(layout.route(e)[3, 0]) for e in long}) == 1, "one trunk"


def test_straight_chains_stay_straight():
    layout = flow_layout(prepare(40, np.arange(39), np.arange(1, 40)), VIEWPORT)
    for row in range(len(layout.rows)):
        assert len(np.unique(layout.y[layout.row == row])) == 1


def test_sources_stand_beside_their_consumers():
    """A constant, and what is computed from constants alone, waits for the op that uses it."""
    chain = np.arange(30)
    # 30 -> 31 -> op 25; 32 feeds 33 and 34, which meet in 35, which feeds op 20
    src = np.concatenate([chain[:-1], [30, 31, 32, 32, 33, 34, 35]])
    dst = np.concatenate([chain[1:], [31, 25, 33, 34, 35, 35, 20]])
    column = prepare(36, src, dst).column
    assert column[31] == 24 and column[30] == 23
    assert column[35] == 19 and column[32] == 17


def test_moving_ops_leaves_other_lanes_alone():
    rng = np.random.default_rng(5)
    n = 300
    src = np.arange(n - 1)
    extra = rng.integers(0, n - 10, 80)
    src, dst = np.concatenate([src, extra]), np.concatenate([src + 1, extra + rng.integers(2, 9, 80)])
    pairs = np.unique(np.stack([src, dst], 1), axis=0)
    skeleton = prepare(n, pairs[:, 0], pairs[:, 1])
    device = np.arange(n) * 6 // n
    before = lanes_layout(skeleton, device, 6, VIEWPORT)
    moved = device.copy()
    moved[[10, 11, 12]] = 3
    after = lanes_layout(skeleton, moved, 6, VIEWPORT, keep=before.frame)
    assert after.frame == before.frame
    for k in (1, 2, 4, 5):
        mine = device == k
        assert np.array_equal(before.x[mine], after.x[mine])
        assert np.allclose(np.diff(before.y[mine]), np.diff(after.y[mine]))


@pytest.mark.parametrize("again", [False, True])
def test_heights_of_lanes_are_asked_for_before_the_cards_are_placed(again, monkeypatch):
    n, asked = 60, []
    skeleton = prepare(n, np.arange(n - 1), np.arange(1, n))
    device = np.minimum(np.arange(n) // 20, 2)
    kept = lanes_layout(skeleton, device, 4, VIEWPORT).frame if again else None
    placed = []
    monkeypatch.setattr(lanes, "place", lambda packed: placed.append(packed) or assemble.place(packed))

    def heights(bands, size):
        asked.append((bands.tolist(), size))
        return 90.0, 400.0

    layout = lanes_layout(skeleton, device, 4, VIEWPORT, keep=kept, heights=heights)
    lower = lanes_layout(skeleton, device, 4, VIEWPORT, keep=kept)
    assert asked == [([lane.band[3] for lane in lower.lanes], (lower.bounds[2], lower.bounds[3]))]
    tall = LayoutStyle(empty_lane_h=90.0, least_lane_h=400.0)
    expected = lanes_layout(skeleton, device, 4, VIEWPORT, tall, keep=kept)
    assert [lane.band[3] for lane in layout.lanes] == [400.0, 400.0, 400.0, 90.0]
    for name in ("x", "y", "row", "column", "slot", "edge_class", "route_points"):
        assert np.array_equal(getattr(layout, name), getattr(expected, name)), name
    assert (layout.lanes, layout.rows, layout.bounds) == (expected.lanes, expected.rows, expected.bounds)
    assert len(placed) == 3, "each layout is placed once"


@pytest.mark.parametrize("header", ["left", "top"])
def test_thirty_six_devices_fill_the_viewport(header):
    n = 720
    skeleton = prepare(n, np.arange(n - 1), np.arange(1, n))
    style = LayoutStyle(header=header)
    layout = lanes_layout(skeleton, np.arange(n) // 30, 36, VIEWPORT, style)  # twelve devices are empty
    assert len(layout.lanes) == 36
    empty = [lane.band[3] for lane in layout.lanes[24:]]
    assert set(empty) == {style.empty_lane_h}
    assert layout.bounds[2] / layout.bounds[3] > 0.7


def test_bad_input_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="cycle"):
        prepare(3, [0, 1, 2], [1, 2, 0])
    with pytest.raises(ValueError, match="cycle"):
        prepare(3, [0, 1, 2], [1, 2, 0], backward=[False, True, True])
    with pytest.raises(ValueError, match="outside"):
        prepare(2, [0], [2])
    with pytest.raises(ValueError, match="one value for each"):
        prepare(2, [0], [1], backward=[True])
    with pytest.raises(ValueError, match="partner"):
        prepare(2, [0], [1], partner=[5, -1])
    skeleton = prepare(2, [0], [1])
    with pytest.raises(ValueError, match="device"):
        lanes_layout(skeleton, [0, 4], 2, VIEWPORT)
    with pytest.raises(ValueError, match="viewport"):
        flow_layout(skeleton, (0.0, 100.0))
    with pytest.raises(ValueError, match="greater than zero"):
        LayoutStyle(gap_x=0)


def test_sweeps_leave_fewer_crossings_in_dense_graphs():
    """A random graph of the REGAL kind: barycentre sweeps draw fewer crossings than the order of the indices."""
    rng = np.random.default_rng(3)
    first, second = np.nonzero(np.triu(rng.random((100, 100)) < 0.05, 1))
    layout = flow_layout(prepare(100, first, second), VIEWPORT)
    assert_sound(layout, 100, len(first))
    by_index = replace(layout, y=layout.y.copy())
    for row in range(len(layout.rows)):
        for column in np.unique(layout.column[layout.row == row]):
            cards = np.flatnonzero((layout.row == row) & (layout.column == column))
            by_index.y[cards] = np.sort(layout.y[cards])
    assert straight_crossings(layout) < 0.8 * straight_crossings(by_index)


@pytest.mark.parametrize("name", ["resnet50.json", "transformer_encoder.onnx", "unet.onnx", "bert_3.json"])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("folded", [False, True])
def test_no_edge_between_lanes_runs_behind_another_card(name: str, mixed: bool, folded: bool) -> None:
    """It would read as an edge of that card. Cards of folded groups are so wide that they cover gaps between columns."""
    graph = read_model(sample(name))
    place = np.empty(graph.n, np.int64)
    place[graph.topological_order] = np.arange(graph.n)
    folding = Folding()
    folding.reset(graph)
    folding.fold_all()
    for k in (2, 4):
        device = ((place * 12 // graph.n) % k if mixed else place * k // graph.n).astype(np.int32)
        items = items_of(graph, folding.grouping, folding.folded if folded else frozenset(), (device,))
        layout = arrange(items, skeleton_of(items), "lanes", device, k, (1000.0, 700.0))
        assert cards_crossed(layout) == 0
        if mixed:
            assert (layout.edge_class == EdgeClass.LANE).sum() > 5


def test_rows_of_folded_blocks_begin_at_one_line():
    """Whether a single op begins them, or the card before hangs over the end of its row."""
    large = np.array([False, *([True] * 12), False, False])
    n = len(large)
    src, dst = np.arange(n - 1, dtype=np.int32), np.arange(1, n, dtype=np.int32)
    layout = flow_layout(prepare(n, src, dst, large=large), (420.0, 1200.0))
    assert len(layout.rows) > 2
    lefts = [float(layout.x[layout.row == row].min()) for row in range(len(layout.rows))]
    assert max(lefts) == min(lefts)
