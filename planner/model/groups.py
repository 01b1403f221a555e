"""Groups of a graph's ops: colour classes, layers, name scopes, and the smallest partition that keeps sets whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np

from planner.model.graph import Graph, Ints, csr


@dataclass(frozen=True, eq=False)
class GroupView:
    """A partition of the ops: ``group_of`` (int32[n], groups numbered 0..count-1) and a name per group."""

    group_of: Ints
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of groups."""
        return len(self.names)

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """Ops of each group as CSR ``(ptr[count+1], op)``."""
        return csr(self.group_of, np.arange(len(self.group_of), dtype=np.int32), self.count)

    def ops(self, group: int) -> Ints:
        """The ops of one group (int32[members])."""
        ptr, idx = self.members
        return idx[ptr[group] : ptr[group + 1]]

    def sets(self) -> list[list[int]]:
        """The groups of more than one op."""
        ptr, idx = self.members
        return [idx[ptr[g] : ptr[g + 1]].tolist() for g in np.flatnonzero(np.diff(ptr) > 1).tolist()]

    def expand(self, ops: Ints | Sequence[int]) -> Ints:
        """All ops of the groups that ``ops`` (int32[m]) touch, sorted (int32[>= m])."""
        touched = np.zeros(self.count, bool)
        touched[self.group_of[np.asarray(ops, np.int64)]] = True
        return np.flatnonzero(touched[self.group_of]).astype(np.int32)


def numbered(labels: Sequence[object], names: dict[object, str] | None = None) -> GroupView:
    """Groups from arbitrary hashable labels, numbered by first appearance."""
    number: dict[object, int] = {}
    group_of = np.array([number.setdefault(label, len(number)) for label in labels], np.int32)
    shown = tuple((names or {}).get(label, str(label)) for label in number)
    return GroupView(group_of, shown)


def union(n: int, sets: Sequence[Sequence[int]], names: Sequence[str]) -> GroupView:
    """Smallest partition in which each of ``sets`` lies in one group; groups are named after their first op, and numbered by it."""
    parent: dict[int, int] = {}  # of ops in sets alone: most of a large graph are in none

    def root(v: int) -> int:
        parent.setdefault(v, v)
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for members in sets:
        for v in members[1:]:
            a, b = root(members[0]), root(v)
            if a != b:
                parent[max(a, b)] = min(a, b)
    first_of = np.arange(n)
    first_of[list(parent)] = [root(v) for v in parent]
    first = first_of == np.arange(n)
    number = np.cumsum(first, dtype=np.int32) - 1
    return GroupView(number[first_of].astype(np.int32), tuple(compress(names, first.tolist())))


def colour_classes(graph: Graph) -> list[list[int]]:
    """The colocation classes that the model's file gives: the ops of each, in the order of their first ones."""
    classes: dict[int, list[int]] = {}
    for v in np.flatnonzero(graph.colour_class >= 0).tolist():
        classes.setdefault(int(graph.colour_class[v]), []).append(v)
    return list(classes.values())


def by_layer(graph: Graph) -> GroupView | None:
    """One group per layer of the file; ops without one stand alone. None when the file has no layers."""
    if (graph.layer < 0).all():
        return None
    labels = [("layer", int(k)) if k >= 0 else ("op", v) for v, k in enumerate(graph.layer.tolist())]
    names: dict[object, str] = {}
    for v, label in enumerate(labels):
        names.setdefault(label, f"layer {label[1]}" if label[0] == "layer" else graph.op_names[v])
    return numbered(labels, names)


def scope_of(name: str, depth: int) -> str:
    """The first ``depth`` parts of an op's name split at '/', or at '.' or block-style '_' where it has no '/'.

    ``/encoder/layer.0/attention/MatMul`` has the scopes ``encoder``, ``encoder/layer.0`` and so on; a Keras name
    such as ``conv2_block1_1_conv`` has ``conv2`` and ``conv2_block1``.
    """
    stripped = name.strip("/")
    for separator in ("/", ".", "_"):
        if separator in stripped:
            parts = stripped.split(separator)[:-1]
            return separator.join(parts[:depth])
    return ""


def by_scope(graph: Graph, depth: int = 2) -> GroupView | None:
    """One group per name scope; ops outside any scope stand alone. None when that groups nothing."""
    paths = sum("/" in name.strip("/") for name in graph.op_names)
    # Where most names are paths, one that is none lies outside of any: "add_1" is not in the scope "add".
    mostly = 2 * paths >= graph.n
    scopes = ["" if mostly and "/" not in n.strip("/") else scope_of(n, depth) for n in graph.op_names]
    counts: dict[str, int] = {}
    for s in scopes:
        counts[s] = counts.get(s, 0) + 1
    labels = [("scope", s) if s and counts[s] > 1 else ("op", str(v)) for v, s in enumerate(scopes)]
    if all(label[0] == "op" for label in labels):
        return None
    names: dict[object, str] = {}
    for v, label in enumerate(labels):
        names.setdefault(label, label[1] if label[0] == "scope" else graph.op_names[v])
    return numbered(labels, names)


def families(graph: Graph) -> list[tuple[int, list[int]]]:
    """Each op with two or more consumers, and these consumers."""
    ptr, idx = graph.succs
    return [(v, idx[ptr[v] : ptr[v + 1]].tolist()) for v in np.flatnonzero(np.diff(ptr) > 1).tolist()]
