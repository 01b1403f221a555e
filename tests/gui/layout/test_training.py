"""The U-fold of training graphs, and the quality of real layouts."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.layout_metrics import (
    cards_crossed,
    drawn_crossings,
    edge_length,
    overlaps,
    straight_crossings,
    viewport_fill,
)
from gui.layout import EdgeClass, flow_layout, lanes_layout, prepare
from tests.gui.layout.layout_graphs import workload


def mirror_chain(length: int):
    """Forward 0..length-1, backward the mirror of it, with an edge from every forward op to its backward partner."""
    ops = np.arange(2 * length - 1)
    forward = np.arange(length - 1)
    src = np.concatenate([ops, forward])
    dst = np.concatenate([ops + 1, 2 * length - 1 - forward])
    pairs = np.unique(np.stack([src, dst], 1), axis=0)
    partner = np.where(np.arange(2 * length) >= length, 2 * length - 1 - np.arange(2 * length), -1)
    return 2 * length, pairs[:, 0], pairs[:, 1], partner >= 0, partner


def test_backward_ops_stand_under_their_partners():
    n, src, dst, backward, partner = mirror_chain(40)
    layout = flow_layout(prepare(n, src, dst, backward=backward, partner=partner), (780, 560))
    back = np.flatnonzero(backward)
    assert np.array_equal(layout.column[back], layout.column[partner[back]])
    assert np.array_equal(layout.row[back], layout.row[partner[back]])
    assert (layout.y[back] > layout.y[partner[back]]).all()
    assert layout.mirrored[back].all() and not layout.mirrored[~backward].any()
    between = backward[dst] & ~backward[src]
    assert set(layout.edge_class[between]) == {EdgeClass.FOLD}


def test_partners_stay_near_when_the_backward_pass_is_denser():
    """Two backward ops for every forward one: the forward strip is stretched instead of drifting apart."""
    length = 60
    forward = np.arange(length)
    back = length + np.arange(2 * length)  # back[2i], back[2i + 1] belong to forward op length - 1 - i
    src = np.concatenate([forward[:-1], [length - 1], back[:-1]])
    dst = np.concatenate([forward[1:], [length], back[1:]])
    partner = np.concatenate([np.full(length, -1), np.repeat(forward[::-1], 2)])
    skeleton = prepare(3 * length, src, dst, backward=partner >= 0, partner=partner)
    apart = skeleton.column[back] - skeleton.column[partner[back]]
    assert np.abs(apart).max() <= 4


def test_without_partners_the_forward_inputs_decide():
    n, src, dst, backward, partner = mirror_chain(40)
    skeleton = prepare(n, src, dst, backward=backward)
    back = np.flatnonzero(backward)[1:]
    assert np.abs(skeleton.column[back] - skeleton.column[partner[back]]).max() <= 2


def test_bert_training_is_no_hairball():
    """The fold leaves a few thousand crossings of the 149,000 that a straight layered layout draws."""
    given = workload("OperatorGraphs/bert_L-12_training")
    layout = flow_layout(
        prepare(given.n, given.src, given.dst, backward=given.backward, partner=given.partner), (780, 560)
    )
    assert overlaps(layout) == 0 and cards_crossed(layout) == 0
    assert straight_crossings(layout) < 8_000
    assert drawn_crossings(layout) < 8_000


@pytest.mark.parametrize(
    ("name", "crossings"),
    [
        ("LayerGraphs/resnet50_inference", 10),
        ("LayerGraphs/inceptionv3_inference", 60),
        ("LayerGraphs/gnmt_inference", 55),
        ("LayerGraphs/bert24_inference", 20),
        ("OperatorGraphs/bert_l-12_inference", 200),
    ],
)
@pytest.mark.parametrize("viewport", [(780, 560), (1300, 800)])
def test_real_networks_fill_the_viewport(name, crossings, viewport):
    given = workload(name)
    skeleton = prepare(given.n, given.src, given.dst)
    layout = flow_layout(skeleton, viewport)
    assert overlaps(layout) == 0 and cards_crossed(layout) == 0
    assert drawn_crossings(layout) <= crossings
    covered, ink = viewport_fill(layout, viewport)
    assert covered > 0.75 and 0.1 < ink < covered
    assert edge_length(layout) / len(given.src) < 1200
    for devices in (4, 36):
        plan = np.argsort(np.argsort(skeleton.column * given.n + np.arange(given.n))) * devices // given.n
        lanes = lanes_layout(skeleton, plan, devices, viewport)
        assert overlaps(lanes) == 0 and cards_crossed(lanes) == 0
