"""The edges of a layout as they are drawn: classes, polylines, and the sides on which cards are left and entered."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gui.layout.result import EdgeClass, Layout, route_table
from planner.model.graph import Bools, Floats, Ints


class Cards(Protocol):
    """What is known of the cards that were laid out: their edges (int32[m] each), and which of them (bool[m]) the layout has."""

    @property
    def edge_src(self) -> Ints:
        """The cards that edges leave."""

    @property
    def edge_dst(self) -> Ints:
        """The cards that edges enter."""

    @property
    def forward(self) -> Bools:
        """Which edges run with the order of the layout."""


class DrawnEdges(NamedTuple):
    """Of m edges between cards: ``edge_class`` uint8[m]; which are ``routed``, ``straight`` and ``stubs`` (int32 each); the polylines of
    the routed ones (CSR: ``route_ptr`` int32, ``route_x`` and ``route_y`` float64); the sides that they ``leave`` and ``enter`` (uint8[m])."""

    edge_class: NDArray[np.uint8]
    routed: Ints
    straight: Ints
    stubs: Ints
    route_ptr: Ints
    route_x: Floats
    route_y: Floats
    leave: NDArray[np.uint8]
    enter: NDArray[np.uint8]


def drawn_edges(layout: Layout, items: Cards) -> DrawnEdges:
    """Classes and drawn routes of all edges of ``items`` in a layout of theirs; edges against the layout's order become stubs.

    100,000 ops take 20 ms: whoever lays out on a thread asks there, and hands them to the scenes.
    """
    m = len(items.edge_src)
    laid = np.flatnonzero(items.forward)
    edge_class = np.full(m, EdgeClass.STUB, np.uint8)
    edge_class[laid] = layout.edge_class
    has_route = np.zeros(m, bool)
    has_route[laid] = np.diff(layout.route_offsets) > 0
    routed = np.flatnonzero(has_route & (edge_class != EdgeClass.STUB)).astype(np.int32)
    straight = np.flatnonzero(~has_route & (edge_class != EdgeClass.STUB)).astype(np.int32)
    stubs = np.flatnonzero(edge_class == EdgeClass.STUB).astype(np.int32)
    laid_index = np.full(m, -1, np.int64)
    laid_index[laid] = np.arange(len(laid))
    leave = np.where(layout.mirrored[items.edge_src], 2, 0).astype(np.uint8)
    enter = np.where(layout.mirrored[items.edge_dst], 0, 2).astype(np.uint8)
    return DrawnEdges(
        edge_class, routed, straight, stubs, *route_table(layout, laid_index[routed]), leave, enter
    )
