"""What goes from device to device in a scene: bytes of each device, and which edges nothing is sent along."""

from __future__ import annotations

import numpy as np

from gui.canvas.graph.items import Items
from planner.model.crossings import crossings
from planner.model.graph import Bools, Floats, Graph, Ints


def crossing_bytes(
    graph: Graph, device_of: Ints, k: int, size: Floats | None = None
) -> tuple[Floats, Floats]:
    """Bytes entering and leaving each device, each tensor once per device (float64[k] each).

    ``size`` float64[t] where a target counts other bytes than the graph has.
    """
    size = graph.tensor_bytes if size is None else size
    tensor, to = crossings(graph, device_of, k)
    leaving = np.unique(tensor)
    received = np.bincount(to, size[tensor], k)
    sent = np.bincount(device_of[graph.tensor_producer[leaving]], size[leaving], k)
    return received.astype(np.float64), sent.astype(np.float64)


def unsent_edges(items: Items, size: Floats | None) -> Bools:
    """Edges of the items along which nothing is sent, wherever their ends are: all their tensors are of ops that readers have copies of.

    ``size`` float64[t]: the bytes that go to another device, None: as the graph has them.
    """
    graph = items.graph
    if size is None or not ((size == 0) & (graph.tensor_bytes > 0)).any():
        return np.zeros(len(items.edge_src), bool)
    tensor = np.repeat(np.arange(graph.tensor_count), np.diff(graph.consumer_ptr))
    sent = (size[tensor] > 0) | (graph.tensor_bytes[tensor] == 0)
    ends = items.item_of[np.stack([graph.tensor_producer[tensor], graph.consumer_idx])].astype(np.int64)
    codes = items.edge_src.astype(np.int64) * items.count + items.edge_dst
    return ~np.isin(codes, (ends[0] * items.count + ends[1])[sent])
