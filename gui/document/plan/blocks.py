"""Repeated blocks of a network as a grouping, found by its shape alone."""

from __future__ import annotations

import numpy as np

from planner.model.graph import Graph
from planner.model.groups import GroupView, numbered


def repeated_blocks(graph: Graph) -> GroupView | None:
    """One group per repeated block; ops outside of any stand alone. None where nothing repeats.

    Blocks are numbered from left to right.
    """
    from gui.layout import repeated_blocks as find

    _, kinds = np.unique(np.array(graph.kinds), return_inverse=True)
    block = find(kinds.astype(np.int32), graph.n, *graph.edges)
    if not (block >= 0).any():
        return None
    labels: list[object] = [("block", b) if b >= 0 else ("op", v) for v, b in enumerate(block.tolist())]
    names: dict[object, str] = {}
    for v, label in enumerate(labels):
        names.setdefault(label, f"block {int(block[v]) + 1}" if block[v] >= 0 else graph.op_names[v])
    return numbered(labels, names)
