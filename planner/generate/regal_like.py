"""REGAL-like graphs: synthetic computation graphs as hard to split as those of the REGAL data set.

The set (Paliwal et al., 2020) is published as cost graphs (google-deepmind/deepmind-research, regal/README), which
:mod:`planner.formats.graphs.cost_graph` reads; these are a stand-in where it is not at hand. As there, base graphs come from
classic random models and are directed by a random order, and tensor sizes from N(50, 10). MTPP, appendix C.2, has an op cost
its inputs and its output plus a random share r of all sizes; in the published example (an output of 70 costs 58, one of
52 costs 47, one of 55 with an input of 70 costs 58) it is about (1 + r) times the op's own output, r from N(0, 0.1), and that is what is
done here. Sizes and costs are whole numbers, as in the set.

The set does not say which random models it has in which shares. Three parameters are set such that the simple bound over the best
plans known is near what MTPP's table 3 has, within 0.03 on 2, 4, 8 and 64 blocks and within 0.05 on 16 and 32: small worlds of 50 to 90 ops, of
mean degree 2, with three edges of ten rewired (docs/reproducing.md has the figures, and what they do not say). Nothing is filtered; the set kept what a long genetic search improves.
"""

from __future__ import annotations

import math
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
FEWEST, MOST = 50, 90
"""The number of nodes is uniform between these."""
BLOCKS, DENSER = 4, 30.0
"""Blocks of the block model, and how much likelier an edge is within one than between two."""

NAME = "regal-like"
OPTIONS: tuple[Option, ...] = (
    Option(
        "kind",
        "watts-strogatz",
        "random model; mixed takes the next one with each seed",
        choices=("mixed", *KINDS),
    ),
    Option("nodes", 0, f"number of ops; 0 = uniform in {FEWEST}..{MOST}", low=0, high=100_000),
    Option(
        "degree", 2.0, "mean number of edges of an op, in and out; 3 and 4 are harder", low=0.0, high=100.0
    ),
    Option("rewired", 0.3, "share of the edges of a small world that are rewired", low=0.0, high=1.0),
    Option("size", 50.0, "mean size of a tensor in bytes", low=1.0),
    Option("spread", 10.0, "standard deviation of the sizes", low=0.0),
    Option("noise", 0.1, "standard deviation of an op's cost over the size of its output", low=0.0),
    Option("cpu", 10.0, "time on a CPU as a multiple of the op's cost (ours)", low=0.0),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Graph:
    """The graph of a seed (>= 0). Times have no unit; a byte takes one unit to move (B = 1).

    Ops are numbered along the random order. Sizes and costs are whole numbers of at least 1.
    Raises :class:`planner.errors.PlannerRefusal` on unknown or bad settings.
    """
    values = parse_options(OPTIONS, settings or {}, NAME)
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)] if values["kind"] == "mixed" else values["kind"]
    n = values["nodes"] or int(rng.integers(FEWEST, MOST, endpoint=True))
    pairs = base_graph(kind, n, values["degree"], values["rewired"], rng)
    place = rng.permutation(n)
    src, dst = np.sort(place[pairs], axis=0)
    order = np.lexsort((dst, src))
    src, dst = src[order], dst[order]
    sizes = np.maximum(1.0, np.rint(rng.normal(values["size"], values["spread"], n)))
    work = np.maximum(1.0, np.rint(sizes * (1.0 + rng.normal(0.0, values["noise"], n))))
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
def base_graph(kind: str, n: int, degree: float, rewired: float, rng: np.random.Generator) -> Pairs:
    """Undirected edges of a random graph of ``n`` nodes with a mean degree, each once and without loops (int64[2, edges])."""
    if kind == "erdos-renyi":
        return _independent(np.zeros(n, np.int64), np.array([[degree / max(n - 1, 1)]]), rng)
    if kind == "block-model":
        blocks = np.arange(n, dtype=np.int64) * BLOCKS // max(n, 1)
        inside = max(n / BLOCKS - 1, 0.0)
        between = degree / max(DENSER * inside + n - n / BLOCKS, 1.0)
        return _independent(blocks, np.where(np.eye(BLOCKS, dtype=bool), DENSER * between, between), rng)
    if kind == "barabasi-albert":
        return _preferential(n, degree / 2, rng)
    return _small_world(n, degree / 2, rewired, rng)


def _independent(block: NDArray[np.int64], probability: np.ndarray, rng: np.random.Generator) -> Pairs:
    """Each pair with the probability of its nodes' blocks: Erdos-Renyi with one block, else a stochastic block model."""
    rows = []
    for v in range(1, len(block)):
        others = np.flatnonzero(rng.random(v) < probability[block[v], block[:v]])
        rows.append(np.stack([others, np.full(len(others), v)]))
    return np.concatenate(rows, axis=1) if rows else np.empty((2, 0), np.int64)


def _preferential(n: int, m: float, rng: np.random.Generator) -> Pairs:
    """Barabasi-Albert: each node joins ``m`` earlier ones, on average and at least one, drawn in proportion to their degrees."""
    pairs: list[tuple[int, int]] = []
    ends = [0]  # every node as often as it has edges, the first once more
    for v in range(1, n):
        count = min(max(1, int(m) + int(rng.random() < m % 1)), v)
        chosen: set[int] = set()
        while len(chosen) < count:
            chosen.add(ends[int(rng.integers(len(ends)))])
        for u in sorted(chosen):
            pairs.append((u, v))
            ends += [u, v]
    return np.array(pairs, np.int64).reshape(-1, 2).T


def _small_world(n: int, m: float, p: float, rng: np.random.Generator) -> Pairs:
    """Watts-Strogatz: a ring in which each node is joined to the next ``m``, each edge rewired with probability ``p``.

    Of the edges to the last of them only a share is there where ``m`` is no whole number.
    """
    edges: dict[tuple[int, int], None] = {}
    for step in range(1, math.ceil(m) + 1):
        for v in range(n):
            w = (v + step) % n
            if v != w and (step <= m or rng.random() < m % 1):
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
