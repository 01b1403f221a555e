"""Graphs that tests of several parts share."""

from __future__ import annotations

from planner.model.graph import Graph, Op, Tensor


def streaming_row() -> Graph:
    """Four ops in a row: the first two work most, the last two hold most."""
    ops = [
        Op(f"o{i}", f"o{i}", work=work, work_cpu=work, param_bytes=held)
        for i, (work, held) in enumerate([(2.0, 1e8), (1.0, 1e8), (0.5, 1e9), (0.5, 1e9)])
    ]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1e6) for i in range(3)]
    return Graph.build("row", ops, tensors, time_unit="s")
