"""What the canvas draws: ops, or folded groups of ops, and the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from planner.model.graph import Bools, Floats, Graph, Ints, csr
from planner.model.groups import GroupView


@dataclass(frozen=True, eq=False)
class Splits:
    """How groups that are spread over several devices are split, part by part: whose part, and where it begins and ends.

    ``item``, ``device`` int32[parts]; ``start``, ``end`` float64[parts] are shares of the group's work, the parts of a group in
    the order of their devices from 0 to 1. Where a group has a card on each of its devices, each of them shows the whole.
    """

    item: Ints
    device: Ints
    start: Floats
    end: Floats


NO_SPLITS = Splits(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0))


@dataclass(frozen=True, eq=False)
class Items:
    """Cards and edges of a graph with some groups folded.

    ``item_of`` int32[n] maps ops to items 0..count-1; ``first`` int32[count] is an item's first op, ``size`` int32[count]
    how many ops it stands for. Edges are distinct item pairs with their ``edge_bytes`` (each tensor once per pair).
    ``forward`` is bool[m]: False for edges that contraction turned against the graph's order (drawn, not laid out).
    ``whole`` int32[count] is the same number for cards that are parts of one group.
    """

    graph: Graph
    item_of: Ints
    first: Ints
    size: Ints
    names: tuple[str, ...]
    edge_src: Ints
    edge_dst: Ints
    edge_bytes: Floats
    forward: Bools
    whole: Ints

    @property
    def count(self) -> int:
        """Number of cards."""
        return len(self.first)

    @cached_property
    def model(self) -> Ints:
        """The model that each item belongs to (int32[count]); groups of several models are where their first op is."""
        return self.graph.model[self.first]

    @cached_property
    def backward(self) -> Bools:
        """Items of the backward pass (bool[count]); a group with any op of the forward pass stands there."""
        return _all_backward(self.graph, self.item_of, self.count)

    @cached_property
    def whole_size(self) -> Ints:
        """Ops of the group that each item is, or is a part of (int32[count])."""
        return np.bincount(self.whole, weights=self.size)[self.whole].astype(np.int32)

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """Ops of each item as CSR."""
        return csr(self.item_of, np.arange(self.graph.n, dtype=np.int32), self.count)

    @cached_property
    def incident(self) -> tuple[Ints, Ints]:
        """Edges touching each item as CSR."""
        m = len(self.edge_src)
        ends = np.concatenate([self.edge_src, self.edge_dst])
        edges = np.concatenate([np.arange(m, dtype=np.int32)] * 2)
        return csr(ends, edges, self.count)

    def ops(self, item: int) -> Ints:
        """Ops of one item."""
        ptr, idx = self.members
        return idx[ptr[item] : ptr[item + 1]]

    def group_ops(self, item: int) -> Ints:
        """Ops of the group that an item is, or is a part of."""
        return np.flatnonzero(self.whole[self.item_of] == self.whole[item]).astype(np.int32)

    def ops_of(self, items: Ints) -> Ints:
        """Ops of several items, sorted."""
        chosen = np.zeros(self.count, bool)
        chosen[items] = True
        return np.flatnonzero(chosen[self.item_of]).astype(np.int32)

    def edges_of(self, items: Ints) -> Ints:
        """Edges touching any of ``items``, each once."""
        ptr, idx = self.incident
        if len(items) == 0:
            return np.empty(0, np.int32)
        return np.unique(np.concatenate([idx[ptr[i] : ptr[i + 1]] for i in items.tolist()]))

    def devices(self, device_of: Ints, k: int) -> tuple[Ints, Bools]:
        """The device most of an item's work is on (int32[count]) and whether it is spread over several."""
        if self.count == self.graph.n:
            return device_of[self.first], np.zeros(self.count, bool)
        share = np.bincount(self.item_of * k + device_of, weights=self._weights, minlength=self.count * k)
        table = share.reshape(self.count, k)
        return table.argmax(axis=1).astype(np.int32), (table > 0).sum(axis=1) > 1

    @cached_property
    def _weights(self) -> Floats:
        """What each op counts where a group is spread over devices (float64[n]): its work, and next to nothing where it has none."""
        work = self.graph.work
        return work + 1e-12 * max(float(work.max(initial=0.0)), 1e-12)

    def splits(self, device_of: Ints, k: int) -> Splits:
        """The groups that are spread over several of ``k`` devices (``device_of`` int32[n])."""
        groups = int(self.whole.max(initial=-1)) + 1
        if groups == self.graph.n:
            return NO_SPLITS
        whole_of = self.whole[self.item_of].astype(np.int64)
        codes = whole_of * k + device_of
        ops = np.bincount(codes, minlength=groups * k).reshape(groups, k)
        work = np.bincount(codes, weights=self._weights, minlength=groups * k).reshape(groups, k)
        spread = (ops > 0) & ((ops > 0).sum(axis=1) > 1)[:, None]
        item, device = np.nonzero(spread[self.whole])
        group = self.whole[item]
        share = work / np.maximum(work.sum(axis=1, keepdims=True), 1e-300)
        ends = np.cumsum(share, axis=1)[group, device]
        starts = ends - share[group, device]
        return Splits(item.astype(np.int32), device.astype(np.int32), starts, ends)


def items_of(
    graph: Graph, grouping: GroupView | None, folded: frozenset[int], places: Sequence[Ints] = ()
) -> Items:
    """The items of a graph with the groups in ``folded`` drawn as one card each.

    ``places`` (int32[n] each) are the devices of ops in the plans that are shown: of a group that several devices share in one of
    them, each has a card, so that an area shows all that its device has.
    """
    n = graph.n
    if grouping is None or not folded:
        return _plain_items(graph)
    inside = np.isin(grouping.group_of, np.fromiter(folded, np.int32, len(folded)))
    groups = np.where(inside, n + grouping.group_of, np.arange(n)).astype(np.int64)
    labels = groups
    for device_of in places:
        codes = labels * (int(device_of.max(initial=0)) + 1) + device_of
        labels = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    item_of, first = _in_order(labels)
    whole = np.unique(groups[first], return_inverse=True)[1].astype(np.int32)
    names = tuple(
        grouping.names[grouping.group_of[v]] if inside[v] else graph.op_names[v] for v in first.tolist()
    )
    return _items(graph, item_of, first, names, whole)


_plain: WeakKeyDictionary[Graph, ReferenceType[Items]] = WeakKeyDictionary()
"""The items of graphs without folded groups, while any canvas has them: those of comparisons share them."""


def _plain_items(graph: Graph) -> Items:
    """An item for each op."""
    kept = _plain.get(graph)
    items = None if kept is None else kept()
    if items is None:
        each = np.arange(graph.n, dtype=np.int32)
        items = _items(graph, each, each, graph.op_names, each)
        _plain[graph] = ref(items)
    return items


def parts_of(one: Items, other: Items) -> Items:
    """The cards of both of one graph divided until each op's part is of one card of either: the largest parts that both are made of."""
    graph = one.graph
    labels = one.item_of.astype(np.int64) * max(other.count, 1) + other.item_of
    item_of, first = _in_order(labels)
    names = tuple(graph.op_names[v] for v in first.tolist())
    return _items(graph, item_of, first, names, np.arange(len(first), dtype=np.int32))


def _in_order(labels: np.ndarray) -> tuple[Ints, Ints]:
    """(item of each op, first op of each item) of labels (int64[n]); items are numbered by their first ops."""
    _, first64, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first64, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place[inverse].astype(np.int32), first64[order].astype(np.int32)


def _items(graph: Graph, item_of: Ints, first: Ints, names: tuple[str, ...], whole: Ints) -> Items:
    """The items with their edges."""
    n = graph.n
    size = np.bincount(item_of, minlength=len(first)).astype(np.int32)
    src, dst, weight = _edges(graph, item_of, len(first))
    rank = np.full(len(first), np.iinfo(np.int32).max, np.int64)
    position = np.empty(n, np.int64)
    position[graph.topological_order] = np.arange(n)
    np.minimum.at(rank, item_of, position)
    forward = rank[src] < rank[dst]
    if not forward.all():  # a group begins before what its later ops wait for
        rank = _order(*_leading(graph, item_of, len(first), position))
        forward = rank[src] < rank[dst]
    return Items(graph, item_of, first, size, names, src, dst, weight, forward, whole)


def kept_items(
    kept: Items | None,
    graph: Graph,
    grouping: GroupView | None,
    folded: frozenset[int],
    places: Sequence[Ints] = (),
) -> Items:
    """As :func:`items_of`, or ``kept``, what there was of the same graph and grouping, where that has the same cards."""
    if kept is not None and not folded and kept.count == graph.n:
        return kept
    items = items_of(graph, grouping, folded, places)
    return kept if kept is not None and np.array_equal(items.item_of, kept.item_of) else items


def _all_backward(graph: Graph, item_of: Ints, count: int) -> Bools:
    """Which items have no op of the forward pass (bool[count])."""
    ahead = np.zeros(count, bool)
    ahead[item_of[~graph.backward]] = True
    return ~ahead


def _leading(graph: Graph, item_of: Ints, count: int, position: np.ndarray) -> tuple[np.ndarray, Ints, Ints]:
    """What the order of items goes by where they depend on one another: a rank for each (int64[count]), and edges.

    A layer of a training graph has ops of both passes, and waits for the next layer's; its place is that of its forward ops. Where
    the file names parameters first says nothing, so ops that read something count before those that do not.
    """
    reads = np.diff(graph.preds[0]) > 0
    most = np.iinfo(np.int32).max
    rank = np.full(count, most, np.int64)
    for telling in (~graph.backward & reads, ~graph.backward, np.ones(graph.n, bool)):
        own = np.full(count, most, np.int64)
        np.minimum.at(own, item_of[telling], position[telling])
        rank = np.where(rank == most, own, rank)
    src = graph.tensor_producer[np.repeat(np.arange(graph.tensor_count), np.diff(graph.consumer_ptr))]
    dst = graph.consumer_idx
    counts = ~graph.backward[dst] | _all_backward(graph, item_of, count)[item_of[dst]]
    pairs = np.unique(np.stack([item_of[src[counts]], item_of[dst[counts]]]), axis=1)
    pairs = pairs[:, pairs[0] != pairs[1]]
    return rank, pairs[0].astype(np.int32), pairs[1].astype(np.int32)


def _order(rank: np.ndarray, src: Ints, dst: Ints) -> np.ndarray:
    """Places of the items in an order that follows the edges (int64[count]), of those it may choose from the first by ``rank``.

    Where groups depend on one another the first of them comes next, against as few edges as that takes.
    """
    count = len(rank)
    ptr, idx = csr(src, dst, count)
    bounds, others = ptr.tolist(), idx.tolist()
    waits = np.bincount(dst, minlength=count).tolist()
    by_rank = np.argsort(rank, kind="stable").tolist()
    ranks = rank.tolist()
    ready = [(ranks[i], i) for i in by_rank if waits[i] == 0]
    place, done, next_stuck = np.full(count, -1, np.int64), 0, 0
    while done < count:
        if ready:
            item = heappop(ready)[1]
        else:
            while place[by_rank[next_stuck]] >= 0:
                next_stuck += 1
            item = by_rank[next_stuck]
        if place[item] >= 0:
            continue
        place[item] = done
        done += 1
        for other in others[bounds[item] : bounds[item + 1]]:
            waits[other] -= 1
            if waits[other] == 0 and place[other] < 0:
                heappush(ready, (ranks[other], other))
    return place


def _edges(graph: Graph, item_of: Ints, count: int) -> tuple[Ints, Ints, Floats]:
    """Distinct edges between items with the bytes they carry; a tensor counts once per pair of items."""
    tensor = np.repeat(np.arange(graph.tensor_count), np.diff(graph.consumer_ptr))
    src = item_of[graph.tensor_producer[tensor]].astype(np.int64)
    dst = item_of[graph.consumer_idx].astype(np.int64)
    outside = src != dst
    tensor, src, dst = tensor[outside], src[outside], dst[outside]
    _, once = np.unique(tensor * max(count, 1) + dst, return_index=True)
    keys = src[once] * max(count, 1) + dst[once]
    pairs, inverse = np.unique(keys, return_inverse=True)
    weight = np.bincount(inverse, weights=graph.tensor_bytes[tensor[once]], minlength=len(pairs)).astype(
        np.float64
    )
    return (pairs // max(count, 1)).astype(np.int32), (pairs % max(count, 1)).astype(np.int32), weight
