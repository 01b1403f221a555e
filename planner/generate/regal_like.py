"""REGAL-like graphs: synthetic computation graphs in the manner of the REGAL data set, which is not to be had.

MTPP, appendix C.2, says how that set was made (after Paliwal et al., 2020): base graphs from classic random models with
50 to 200 nodes, directed by a random order; tensor sizes from N(50, 10); an op costs the sizes of its inputs and its
output plus a random share of all sizes, the share from N(0, 0.1). The parameters of the random models are ours, and so is
that nothing is filtered: the original kept graphs that were hard for another objective (least peak memory).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.options import Option, parse_options

Pairs = NDArray[np.int64]

KINDS = ("erdos-renyi", "barabasi-albert", "watts-strogatz", "block-model")
"""The random models. ``mixed`` goes through them seed by seed, so that consecutive seeds hold them in equal shares."""
FEWEST, MOST = 50, 200
"""The number of nodes is uniform between these."""

NAME = "regal-like"
OPTIONS: tuple[Option, ...] = (
    Option(
        "kind", "mixed", "random model; mixed takes the next one with each seed", choices=("mixed", *KINDS)
    ),
    Option("nodes", 0, f"number of ops; 0 = uniform in {FEWEST}..{MOST}", low=0, high=10_000),
    Option("size", 50.0, "mean size of a tensor in bytes", low=1.0),
    Option("spread", 10.0, "standard deviation of the sizes", low=0.0),
    Option("noise", 0.1, "standard deviation of an op's random share of all sizes", low=0.0),
    Option("cpu", 10.0, "time on a CPU as a multiple of the op's cost (ours)", low=0.0),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Graph:
    """The graph of a seed (>= 0). Times have no unit; a byte takes one unit to move (B = 1).

    Ops are numbered along the random order. Sizes are at least 1; the share is taken as |N(0, noise)|, so that
    costs stay positive. Raises :class:`planner.errors.PlannerRefusal` on unknown or bad settings.
    """
    values = parse_options(OPTIONS, settings or {}, NAME)
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)] if values["kind"] == "mixed" else values["kind"]
    n = values["nodes"] or int(rng.integers(FEWEST, MOST, endpoint=True))
    pairs = base_graph(kind, n, rng)
    place = rng.permutation(n)
    src, dst = np.sort(place[pairs], axis=0)
    order = np.lexsort((dst, src))
    src, dst = src[order], dst[order]
    sizes = np.maximum(1.0, rng.normal(values["size"], values["spread"], n))
    share = np.abs(rng.normal(0.0, values["noise"], n))
    inputs = np.bincount(dst, weights=sizes[src], minlength=n)
    work = inputs + sizes + share * sizes.sum()
    ids = [f"op{v}" for v in range(n)]
    ends = np.searchsorted(src, np.arange(n + 1))
    ops = [
        Op(ids[v], ids[v], kind="op", work=float(work[v]), work_cpu=float(values["cpu"] * work[v]))
        for v in range(n)
    ]
    tensors = [
        Tensor(
            ids[v],
            tuple(ids[w] for w in dst[ends[v] : ends[v + 1]].tolist()),
            float(sizes[v]),
            float(sizes[v]),
        )
        for v in range(n)
    ]
    return Graph.build(f"{NAME} {kind} {n} seed {seed}", ops, tensors, time_unit=None)


# ---------------------------------------------------------------------- base graphs
def base_graph(kind: str, n: int, rng: np.random.Generator) -> Pairs:
    """Undirected edges of a random graph of ``n`` nodes, each once and without loops (int[2, edges])."""
    if kind == "erdos-renyi":
        return _independent(np.zeros(n, np.int64), np.array([[0.05]]), rng)
    if kind == "block-model":
        blocks = np.arange(n, dtype=np.int64) * 4 // max(n, 1)
        return _independent(blocks, np.where(np.eye(4, dtype=bool), 0.3, 0.01), rng)
    if kind == "barabasi-albert":
        return _preferential(n, 2, rng)
    return _small_world(n, 4, 0.3, rng)


def _independent(block: NDArray[np.int64], probability: np.ndarray, rng: np.random.Generator) -> Pairs:
    """Each pair with the probability of its nodes' blocks: Erdos-Renyi with one block, else a stochastic block model."""
    rows = []
    for v in range(1, len(block)):
        others = np.flatnonzero(rng.random(v) < probability[block[v], block[:v]])
        rows.append(np.stack([others, np.full(len(others), v)]))
    return np.concatenate(rows, axis=1) if rows else np.empty((2, 0), np.int64)


def _preferential(n: int, m: int, rng: np.random.Generator) -> Pairs:
    """Barabasi-Albert: each node after the first ``m`` joins ``m`` others, drawn in proportion to their degrees."""
    pairs: list[tuple[int, int]] = []
    ends: list[int] = []  # every node as often as it has edges
    for v in range(m, n):
        chosen = set(range(m)) if v == m else set[int]()
        while len(chosen) < m:
            chosen.add(ends[int(rng.integers(len(ends)))])
        for u in sorted(chosen):
            pairs.append((u, v))
            ends += [u, v]
    return np.array(pairs, np.int64).reshape(-1, 2).T


def _small_world(n: int, k: int, p: float, rng: np.random.Generator) -> Pairs:
    """Watts-Strogatz: a ring in which each node is joined to its ``k`` nearest, each edge rewired with probability ``p``."""
    edges: dict[tuple[int, int], None] = {}
    for step in range(1, k // 2 + 1):
        for v in range(n):
            w = (v + step) % n
            if v != w:
                edges[min(v, w), max(v, w)] = None
    degree = np.bincount(np.array(list(edges), np.int64).reshape(-1), minlength=n)
    for v, w in list(edges):
        if rng.random() < p and degree[v] < n - 1:
            while True:
                new = int(rng.integers(n))
                if new != v and (min(v, new), max(v, new)) not in edges:
                    break
            del edges[v, w]
            edges[min(v, new), max(v, new)] = None
            degree[w] -= 1
            degree[new] += 1
    return np.array(list(edges), np.int64).reshape(-1, 2).T
