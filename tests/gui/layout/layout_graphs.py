"""Graphs that the layout tests share: small ones made here, large ones from the shared workloads."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tests.shared_files import shared


@dataclass
class Given:
    n: int
    src: np.ndarray
    dst: np.ndarray
    backward: np.ndarray
    partner: np.ndarray
    layer: np.ndarray


def workload(name: str) -> Given:
    """One device-placement file; skips the test where the shared files are absent."""
    data = json.loads(shared(f"workloads/device-placement/throughput/{name}.json").read_text())
    nodes = data["nodes"]
    index = {node["id"]: i for i, node in enumerate(nodes)}
    pairs = np.unique([(index[e["sourceId"]], index[e["destId"]]) for e in data["edges"]], axis=0).astype(
        np.int32
    )
    backward = np.array([bool(node.get("isBackwardNode")) for node in nodes])
    first: dict[int, int] = {}
    for i, node in enumerate(nodes):
        if not backward[i] and node.get("colorClass") is not None:
            first.setdefault(node["colorClass"], i)
    partner = [
        first.get(node.get("colorClass"), -1) if back else -1
        for node, back in zip(nodes, backward, strict=True)
    ]
    layer = [node["layerId"] if node.get("layerId") is not None else -1 for node in nodes]
    return Given(
        len(nodes), pairs[:, 0].copy(), pairs[:, 1].copy(), backward, np.array(partner), np.array(layer)
    )


@st.composite
def dags(draw, most: int = 40):
    """Any small DAG: (n, src, dst), its ops in no particular order."""
    n = draw(st.integers(0, most))
    if n < 2:
        return n, np.zeros(0, np.int32), np.zeros(0, np.int32)
    pairs = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3 * n))
    names = np.array(draw(st.permutations(range(n))))
    edges = sorted({(min(a, b), max(a, b)) for a, b in pairs if a != b})
    array = np.array(edges, np.int32).reshape(-1, 2)
    return n, names[array[:, 0]].astype(np.int32), names[array[:, 1]].astype(np.int32)


def chain_with_weights(blocks: int):
    """Blocks of MatMul, Add, Relu on a chain, each MatMul and Add with a weight of its own: (n, src, dst, kinds)."""
    src, dst, kinds = [], [], [0]
    last = 0
    for _ in range(blocks):
        for kind, weighted in ((1, True), (2, True), (3, False)):
            op = len(kinds)
            kinds.append(kind)
            src.append(last)
            dst.append(op)
            last = op
            if weighted:
                src.append(len(kinds))
                dst.append(op)
                kinds.append(9)
    return len(kinds), np.array(src, np.int32), np.array(dst, np.int32), np.array(kinds, np.int32)
