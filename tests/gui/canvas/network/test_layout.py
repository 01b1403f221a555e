"""Places of neurons and connections: every neuron has one, panels fill their room, and what is drawn is in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.network.layout import arrangement, first_use
from gui.canvas.network.layout_links import links_layout
from gui.canvas.network.layout_matrix import matrix_layout, uses_whole
from planner.model.network import Network
from planner.model.network_building import network_of
from tests.gui.editors.network.models import layered_network, shuffled_order


def chain(length: int) -> Network:
    """Neurons one after another."""
    source = np.arange(length - 1)
    return network_of("chain", source, source + 1, np.ones(length - 1))


def skipping() -> Network:
    """Three layers, and a connection that passes over the middle one."""
    return network_of("skipping", [0, 1, 2, 0], [2, 2, 3, 3], np.ones(4), layer=[0, 0, 1, 2])


@given(st.integers(0, 50), st.booleans(), st.booleans())
def test_every_neuron_has_its_own_place(seed: int, by_use: bool, whole: bool) -> None:
    network = layered_network((4, 7, 3), 0.4, seed)
    first = first_use(network, shuffled_order(network, seed)) if by_use else None
    arranged = arrangement(network, first, whole=whole)
    assert sorted(arranged.members.tolist()) == list(range(network.neuron_count))
    for group in range(arranged.groups):
        neurons = arranged.neurons(group)
        assert arranged.place[neurons].tolist() == list(range(arranged.size(group)))
        assert (arranged.group[neurons] == group).all()
        if first is not None:
            assert (np.diff(first[neurons]) >= 0).all()


def test_first_use_is_the_earliest_end_of_a_connection() -> None:
    network = layered_network()
    order = shuffled_order(network)
    wanted = [
        min(p for p, c in enumerate(order.tolist()) if n in (network.source[c], network.target[c]))
        for n in range(network.neuron_count)
    ]
    assert first_use(network, order).tolist() == wanted


@pytest.mark.parametrize("room", [(900.0, 500.0), (300.0, 800.0), (60.0, 60.0)])
def test_panels_do_not_overlap_and_stay_in_the_room(room: tuple[float, float]) -> None:
    layout = matrix_layout(layered_network((5, 9, 4, 6, 2)), None, room)
    assert len(layout.panels) == 4
    for i, p in enumerate(layout.panels):
        assert p.x >= 0
        assert p.y >= 0
        assert p.w > 0
        assert p.h > 0
        if min(room) > 100:
            assert p.x + p.w <= room[0]
            assert p.y + p.h <= room[1]
        for q in layout.panels[:i]:
            assert p.x >= q.x + q.w or q.x >= p.x + p.w or p.y >= q.y + q.h or q.y >= p.y + p.h


def test_connections_that_skip_a_layer_have_a_panel() -> None:
    network = skipping()
    layout = matrix_layout(network, None, (600.0, 400.0))
    assert [(p.source, p.target, p.skips, p.connections) for p in layout.panels] == [
        (0, 1, 0, 2), (1, 2, 0, 1), (0, 2, 1, 1),
    ]  # fmt: skip
    assert layout.panel_of(network.source, network.target).tolist() == [0, 0, 1, 2]


def test_many_layers_become_one_matrix() -> None:
    network = chain(200)
    assert uses_whole(network)
    layout = matrix_layout(network, None, (600.0, 400.0))
    assert layout.whole
    assert [(p.rows, p.columns, p.connections) for p in layout.panels] == [(200, 200, 199)]
    assert not uses_whole(layered_network())


def test_a_long_network_turns_at_the_end_of_the_room() -> None:
    layout = links_layout(chain(200), None, (800.0, 500.0))
    rows = np.unique(layout.row)
    assert len(rows) > 2
    assert layout.x.min() >= 0
    assert layout.x.max() <= 800
    assert layout.y.min() >= 0
    assert layout.y.max() <= 500
    # Neighbours stay beside each other where the row ends.
    turn = int(np.flatnonzero(np.diff(layout.row))[0])
    assert layout.x[turn] == layout.x[turn + 1]
    assert layout.forward[turn] != layout.forward[turn + 1]


def test_a_wide_network_stays_in_one_row_and_its_skips_bend() -> None:
    network = skipping()
    layout = links_layout(network, None, (600.0, 400.0))
    assert set(layout.row.tolist()) == {0}
    assert layout.skips(network.source, network.target).tolist() == [False, False, False, True]
    curves = layout.curves(network.source, network.target)
    assert (curves[:3, 1] == curves[:3, 3]).all()
    assert curves[3, 1] != curves[3, 3]
    assert curves[:, 1::2].min() >= 0
    assert curves[:, 1::2].max() <= 400


def test_the_neuron_nearest_to_a_place_is_found() -> None:
    layout = links_layout(layered_network(), None, (600.0, 400.0))
    assert layout.neuron_at(layout.x[5] + 1, layout.y[5], 3.0) == 5
    assert layout.neuron_at(-500.0, -500.0, 3.0) == -1
