"""Repetition: blocks are found, and rows break in step with them."""

from __future__ import annotations

import numpy as np
import pytest

from gui.layout import flow_layout, prepare, repeated_blocks
from tests.gui.layout.layout_graphs import chain_with_weights, workload


@pytest.mark.parametrize("with_kinds", [True, False])
def test_blocks_of_a_plain_chain(with_kinds):
    n, src, dst, kinds = chain_with_weights(12)
    block = repeated_blocks(kinds if with_kinds else None, n, src, dst)
    assert block.max() + 1 in (11, 12)
    sizes = np.bincount(block[block >= 0])
    assert (sizes[1:-1] == 5).all()
    # a weight is in the block of its op
    weights = np.flatnonzero(kinds == 9)
    consumer = dst[[np.flatnonzero(src == w)[0] for w in weights]]
    assert (block[weights] == block[consumer]).all()


def test_no_blocks_where_nothing_repeats():
    assert (repeated_blocks(np.arange(30), 30, np.arange(29), np.arange(1, 30)) == -1).all()
    assert len(repeated_blocks(None, 0, [], [])) == 0
    assert (repeated_blocks(None, 1, [], []) == -1).all()


def test_rows_break_in_step_with_the_blocks():
    n, src, dst, kinds = chain_with_weights(60)
    skeleton = prepare(n, src, dst, kinds=kinds)
    layout = flow_layout(skeleton, (780, 560))
    lengths = np.diff([row.first_rank for row in layout.rows])[1:]
    assert len(lengths) > 2 and len(set(lengths)) == 1 and lengths[0] % 3 == 0
    # so the same op of every block stands in few columns
    relu = layout.column[kinds == 3]
    assert len(np.unique(relu)) <= lengths[0] // 3 + 2


@pytest.mark.parametrize(
    ("name", "least"), [("LayerGraphs/resnet50_inference", 12), ("OperatorGraphs/bert_l-12_inference", 11)]
)
def test_blocks_of_real_networks(name, least):
    given = workload(name)
    block = repeated_blocks(None, given.n, given.src, given.dst)
    sizes = np.bincount(block[block >= 0])
    assert len(sizes) >= least
    assert np.median(sizes) >= 9
    layout = flow_layout(prepare(given.n, given.src, given.dst), (780, 560))
    lengths = np.diff([row.first_rank for row in layout.rows])[1:]
    assert len(set(lengths)) == 1, "rows of a network of equal blocks have one length"
