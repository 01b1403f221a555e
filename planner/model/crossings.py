"""What crosses between devices: each tensor once per device that reads it and did not make it."""

from __future__ import annotations

import numpy as np

from planner.model.graph import Floats, Graph, Ints


def crossings(graph: Graph, device_of: Ints, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct (tensor, receiving device) pairs of an assignment (``device_of`` int32[n], 0..k-1): two int64[pairs]."""
    tensor = np.repeat(np.arange(graph.tensor_count, dtype=np.int64), np.diff(graph.consumer_ptr))
    to = device_of[graph.consumer_idx].astype(np.int64)
    away = to != device_of[graph.tensor_producer[tensor]]
    pairs = np.unique(tensor[away] * k + to[away])
    return pairs // k, pairs % k


def device_flow(graph: Graph, device_of: Ints, k: int, size: Floats | None = None) -> Floats:
    """Bytes that go from device to device (float64[k, k]), each tensor once per receiving device.

    ``size`` float64[t] where a target counts other bytes than the graph has.
    """
    size = graph.tensor_bytes if size is None else size
    tensor, to = crossings(graph, device_of, k)
    flow = np.zeros((k, k))
    np.add.at(flow, (device_of[graph.tensor_producer[tensor]], to), size[tensor])
    return flow


def device_links(graph: Graph, device_of: Ints, k: int, size: Floats | None = None) -> Ints:
    """The pairs of devices between which something flows (int64[pairs, 2]); ``size`` as for :func:`device_flow`."""
    tensor, to = crossings(graph, device_of, k)
    if size is not None:
        sent = size[tensor] > 0
        tensor, to = tensor[sent], to[sent]
    codes = np.unique(device_of[graph.tensor_producer[tensor]].astype(np.int64) * k + to)
    return np.stack([codes // k, codes % k], axis=1)
