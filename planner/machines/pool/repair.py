"""Plans near a given one on a device pool: support, pins, colocation, memory, and devices that can be put in order.

The order of the devices is not given. One that the given plan mostly respects turns contiguity into the order of a row,
where the fewest moves are a minimum cut (:mod:`planner.methods.repair.ordered`); backward ops follow it mirrored, as their forward
ops lead. For a single sample CPU ops stand on their own: the CPUs are then in every gap between two slots. What does not fit a
memory moves on to where the row allows it. All of this finds near plans; the distance is proven where no order counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.evaluation import kernels
from planner.methods.filling import fill
from planner.methods.orders import depth_first_order
from planner.methods.repair.best import Best
from planner.methods.repair.labelling import FORBIDDEN
from planner.methods.repair.measure import Clock, Measure
from planner.methods.repair.ordered import Row, nearest
from planner.methods.repair.unloading import unload
from planner.methods.units import build_units, chain_units, mirrors
from planner.model.graph import Bools, Floats, Ints
from planner.problem.evaluator import Evaluator


class Line:
    """L labels in a row and the devices that each stands for: ``places``, int[devices] for each label."""

    def __init__(self, places: Sequence[np.ndarray]) -> None:
        self.places = places

    def costs(self, measure: Measure) -> tuple[np.ndarray, Bools]:
        """Prices of each op (int64[n, L], FORBIDDEN = not allowed), and where it would stay (bool[n, L])."""
        e = measure.problem.evaluator
        fine = np.where(e.allowed, measure.costs, FORBIDDEN)
        costs = np.stack([fine[:, devices].min(axis=1) for devices in self.places], axis=1)
        return costs, costs == 0

    def devices(self, labels: Ints, measure: Measure) -> Ints:
        """The device of each op (int32[n]) at these labels (int32[n]): the given one where it is among them."""
        e = measure.problem.evaluator
        device_of = np.empty(len(labels), np.int32)
        fine = np.where(e.allowed, measure.costs, FORBIDDEN)
        for label, devices in enumerate(self.places):
            here = np.flatnonzero(labels == label)
            device_of[here] = devices[fine[np.ix_(here, devices)].argmin(axis=1)]
        return device_of


def search(best: Best, clock: Clock, rng: np.random.Generator) -> None:
    """Offer near plans: for likely orders of the devices, and where none is valid some that always are."""
    measure = best.measure
    problem = measure.problem
    e = problem.evaluator
    fine = np.where(e.allowed, measure.costs, FORBIDDEN)
    alone = bool((e.owner == np.arange(e.k)).all())
    groups = problem.groups
    prices = np.zeros((groups.count, e.k), np.int64)
    np.add.at(prices, groups.group_of, fine)
    # Ops kept together share an accelerator, not a slot, so slots speak for single ops only.
    least = int((prices if alone else fine).min(axis=1).sum())
    if least >= FORBIDDEN:
        best.impossible = True
        return
    best.prove(least)
    for unit_of, src, dst, line in _rows(measure):
        if best.device_of is not None and (best.fewest or clock.out()):
            break
        for device_of in _along(measure, line, unit_of, src, dst, clock):
            best.offer(device_of)
    if best.device_of is None:
        for device_of in _anchors(measure):
            best.offer(device_of)


def _ordered(e: Evaluator) -> bool:
    return any(rule.code in (kernels.RULE_CONTIGUOUS, kernels.RULE_SUBGRAPHS) for rule in e.rules)


def _rows(measure: Measure) -> Iterator[tuple[Ints, Ints, Ints, Line]]:
    """Units, edges and labels that turn the rules into those of a row, the likeliest first."""
    problem = measure.problem
    e = problem.evaluator
    if not _ordered(e):
        nothing = np.empty(0, np.int32)
        machines = [np.flatnonzero(e.owner == owner) for owner in np.unique(e.owner)]
        yield problem.groups.group_of, nothing, nothing, Line(machines)
        return
    contractions = [chain_units(problem, mirror) for mirror in mirrors(problem)]
    for order in device_orders(measure):
        cpus = np.flatnonzero(~e.pays)
        places = [np.array([d]) for d in order]
        if problem.objective == "latency" and len(cpus):
            slots = [p for p in places if e.pays[p[0]]]
            places = [p for slot in slots for p in (cpus, slot)] + [cpus]
        for unit_of, src, dst in contractions:
            yield unit_of, src, dst, Line(places)


def _along(measure: Measure, line: Line, unit_of: Ints, src: Ints, dst: Ints, clock: Clock) -> Iterator[Ints]:
    """Plans that keep to a row, without and with an eye on memory."""
    problem = measure.problem
    e = problem.evaluator
    op_costs, stays = line.costs(measure)
    count, labels = int(unit_of.max()) + 1, len(line.places)
    costs = np.zeros((count, labels), np.int64)
    np.add.at(costs, unit_of, op_costs)
    costs = np.minimum(costs, FORBIDDEN)
    wants = np.zeros((count, labels), bool)
    np.logical_or.at(wants, unit_of, stays)
    row = Row(unit_of, costs, wants & (costs < FORBIDDEN), src, dst, np.full(len(src), labels, np.int32))
    found = nearest(row, clock.out)
    if found is None:
        return
    yield line.devices(found.labels[unit_of], measure)
    if not np.isfinite(e.capacity).any():
        return
    memory = np.bincount(unit_of, weights=e.memory, minlength=count).astype(np.float64)
    owner = np.array([e.owner[devices[0]] for devices in line.places])
    room = np.array([e.capacity[devices[0]] for devices in line.places])
    fitting = unload(row, found.labels, memory, owner, room, clock)
    if fitting is not None:
        yield line.devices(fitting[unit_of], measure)


def device_orders(measure: Measure, most: int = 6) -> Iterator[list[int]]:
    """Orders of the devices that the given plan mostly respects, the likeliest first, each once.

    The first goes by where the ops of each device are along the graph, others by the edges that lead back, found by moving one device at a time; slots of an accelerator stay in turn, and accelerators of a cluster side by side.
    """
    e = measure.problem.evaluator
    weight = _weights(measure)
    heavy = weight.sum() + 1.0
    for d in range(e.k):
        later = np.flatnonzero((e.owner == e.owner[d]) & (np.arange(e.k) > d) & e.pays[d])
        weight[d, later] += heavy
    middle = _middles(measure)
    starts = [np.argsort(middle, kind="stable"), np.arange(e.k)]
    found: dict[tuple[int, ...], float] = {}
    for start in starts:
        order = _by_clusters(_settle(start.tolist(), weight), e.cluster_node)
        found.setdefault(tuple(order), _against(order, weight))
    best = min(found, key=lambda order: found[order])
    near = {}
    for i in range(e.k - 1):
        swapped = list(best)
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
        order = _by_clusters(swapped, e.cluster_node)
        near[tuple(order)] = _against(order, weight)
    plain = _by_clusters(starts[0].tolist(), e.cluster_node)
    ranked = [
        best,
        tuple(plain),
        *sorted(found, key=lambda o: found[o]),
        *sorted(near, key=lambda o: near[o]),
    ]
    for likely in list(dict.fromkeys(ranked))[:most]:
        yield list(likely)


def _weights(measure: Measure) -> Floats:
    """float64[k, k]: about how many ops would have to move if no edge may lead from a to b.

    That is no more than the ops on a that feed some on b, and no more than the ops on b that some on a feed. Backward edges
    lead the other way, and ops that are to be kept speak louder.
    """
    e = measure.problem.evaluator
    same = np.flatnonzero(e.part[e.edge_src] == e.part[e.edge_dst])
    back = e.part[e.edge_src[same]] == 1
    u = np.where(back, e.edge_dst[same], e.edge_src[same])
    v = np.where(back, e.edge_src[same], e.edge_dst[same])
    a, b = measure.given[u], measure.given[v]
    loud = np.where(measure.keep, 100.0, 1.0)
    weights = []
    for op, here, there in ((u, a, b), (v, b, a)):
        keys = np.unique(op.astype(np.int64) * e.k + there)
        ops, others = keys // e.k, keys % e.k
        weight = np.zeros((e.k, e.k))
        np.add.at(weight, (measure.given[ops], others), loud[ops])
        weights.append(weight if here is a else weight.T)
    return np.minimum(*weights)


def _middles(measure: Measure) -> Floats:
    """About where along the graph the ops of each device are (float64[k]); devices without ops come last."""
    e = measure.problem.evaluator
    rank = measure.problem.graph.ranks.astype(float)
    # The backward part retraces the forward part.
    along = np.where(e.part == 1, rank.max(initial=0.0) - rank, rank)
    ops = [np.flatnonzero((measure.given == d) & (e.part == 0)) for d in range(e.k)]
    ops = [here if len(here) else np.flatnonzero(measure.given == d) for d, here in enumerate(ops)]
    return np.array([np.median(along[here]) if len(here) else np.inf for here in ops])


def _against(order: list[int], weight: Floats) -> float:
    """How much weight goes back in an order."""
    return float(np.tril(weight[np.ix_(order, order)], -1).sum())


def _settle(order: list[int], weight: Floats) -> list[int]:
    """The order with single devices moved to better places while there are any."""
    k = len(order)
    again = True
    while again:
        again = False
        for d in list(order):
            rest = [x for x in order if x != d]
            # What goes back with d at place i: edges from d to those before, and to d from those behind.
            to, fro = weight[d, rest], weight[rest, d]
            cost = (
                np.concatenate([[0.0], np.cumsum(to)]) + fro.sum() - np.concatenate([[0.0], np.cumsum(fro)])
            )
            at, now = int(cost.argmin()), order.index(d)
            if cost[at] < cost[now] - 1e-9:
                order = [*rest[:at], d, *rest[at:]]
                again = True
        if k < 3:
            break
    return order


def _by_clusters(order: list[int], levels: Ints) -> list[int]:
    """The order with devices of one cluster side by side at every level, clusters by the mean place of their devices.

    ``levels`` int32[l, k]: the cluster of each device, the innermost first; outer ones keep inner ones together.
    """
    for node in levels:
        place = {d: i for i, d in enumerate(order)}
        mean = {c: np.mean([place[d] for d in order if node[d] == c]) for c in set(node[order].tolist())}
        order = sorted(order, key=lambda d: (mean[int(node[d])], int(node[d]), place[d]))
    return order


def _anchors(measure: Measure) -> Iterator[Ints]:
    """Plans that are valid more often than not: everything on one device, and accelerators filled in turn."""
    problem = measure.problem
    e = problem.evaluator
    count = (measure.given[:, None] == np.arange(e.k)).sum(axis=0)
    for d in np.argsort(-count, kind="stable").tolist():
        if e.allowed[:, d].all():
            yield np.full(e.n, d, np.int32)
    for mirror in mirrors(problem) if _ordered(e) else ():
        units = build_units(problem, *chain_units(problem, mirror))
        order = depth_first_order(*units.succs)
        filled = fill(units, order, True, cores=problem.objective == "latency")
        if filled is not None and (filled >= 0).all():
            yield filled[units.unit_of]
