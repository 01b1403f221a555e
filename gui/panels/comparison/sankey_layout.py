"""Where the bars and ribbons of a Sankey of ops lie. No Qt.

Both sides list the same rows in the same order, so that a device faces its counterpart. The order is that of the rows;
where nothing numbers the devices, barycentre sweeps (Sugiyama, Tagawa and Toda, 1981) change it as long as fewer
ribbons cross. Ribbons at a bar lie in the order of their other ends, so that none of one bar cross one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.model.graph import Floats, Ints

LEAST_GAP, MOST_GAP = 2.0, 12.0
"""Pixels between two rows."""
LEAST_WIDTH = 1.0
"""Pixels that a ribbon is drawn wide at least; its place in the bars is exact all the same."""
SWEEPS = 24


@dataclass(frozen=True, eq=False)
class SankeyLayout:
    """Geometry in pixels, y downwards. Rows (R in all) keep their indices; ``order`` lists those that have ops, from the top.

    Per row: ``left_top``, ``left_height``, ``right_top``, ``right_height`` float64[R] (0 where there is no bar),
    ``left_value``, ``right_value`` float64[R]. Per ribbon (length b, from the top at the left): ``left`` and ``right``
    (rows), ``ops`` int64, ``value`` and ``width`` float64 and the upper edges ``left_y`` and ``right_y`` at either end.
    ``scale`` is pixels per unit of what is measured.
    """

    order: Ints
    left_top: Floats
    left_height: Floats
    right_top: Floats
    right_height: Floats
    left_value: Floats
    right_value: Floats
    left: Ints
    right: Ints
    ops: Ints
    value: Floats
    width: Floats
    left_y: Floats
    right_y: Floats
    scale: float
    left_ops: Ints
    right_ops: Ints

    @property
    def count(self) -> int:
        """How many ribbons there are."""
        return len(self.left)

    def find(self, left: int, right: int) -> int:
        """The ribbon between two rows, -1 if none."""
        found = np.flatnonzero((self.left == left) & (self.right == right))
        return int(found[0]) if len(found) else -1

    def ribbon_at(self, along: float, y: float, reach: float = 2.0) -> int:
        """The ribbon at a height and a share ``along`` (0..1) of the way from left to right, -1 if none.

        Ribbons of moved ops lie over those of ops that stay, thin ones over thick ones.
        """
        if not self.count or not 0.0 <= along <= 1.0:
            return -1
        bend = bend_at(along)
        top = self.left_y + (self.right_y - self.left_y) * bend
        drawn = np.maximum(self.width, LEAST_WIDTH)
        off = np.maximum(0.0, np.abs(y - (top + self.width / 2)) - drawn / 2)
        near = np.flatnonzero(off <= reach)
        if not len(near):
            return -1
        stays = self.left[near] == self.right[near]
        return int(near[np.lexsort((self.width[near], stays, off[near]))[0]])


def bend_at(along: float) -> float:
    """How far a ribbon has come from its left height to its right one (0..1) at a share ``along`` of the width.

    Ribbons are cubic Bezier curves whose handles are level and half as long as the way: solved for x by halving.
    """
    low, high = 0.0, 1.0
    for _ in range(30):
        t = (low + high) / 2
        if 1.5 * t * (1 - t) + t**3 < along:
            low = t
        else:
            high = t
    t = (low + high) / 2
    return t * t * (3 - 2 * t)


def crossings(weights: Floats) -> float:
    """How much crosses in a matrix of flows between two lists of rows: the sum over crossing pairs of their products."""
    below = np.zeros_like(weights)
    below[:-1] = np.cumsum(weights[::-1], axis=0)[::-1][1:]
    before = np.zeros_like(weights)
    before[:, 1:] = np.cumsum(below, axis=1)[:, :-1]
    return float((weights * before).sum())


def row_order(counts: np.ndarray, free: np.ndarray) -> Ints:
    """The rows that have ops, from the top. ``counts`` [R, R] are flows, ``free`` (bool[R]) rows that may leave their place.

    Rows that are not free keep their order among themselves.
    """
    used = np.flatnonzero((counts.sum(axis=0) > 0) | (counts.sum(axis=1) > 0))
    if len(used) < 3 or not free[used].any():
        return used.astype(np.int32)
    flows = counts.astype(np.float64)
    both = flows + flows.T
    order, fewest = used, crossings(flows[np.ix_(used, used)])
    for _ in range(SWEEPS):
        position = np.zeros(len(counts))
        position[order] = np.arange(len(order))
        fixed = order[~free[order]]
        weight = both[np.ix_(order, order)].sum(axis=1)
        keys = (both[np.ix_(order, order)] @ position[order]) / weight
        if len(fixed):
            # Among rows that stay, a free one stands where its flows come from and go to.
            between = both[np.ix_(order, fixed)]
            total = between.sum(axis=1)
            means = np.divide(
                between @ np.arange(len(fixed)), total, out=np.full(len(order), 1e9), where=total > 0
            )
            keys = np.where(free[order], means + 1e-6, 0.0)
            keys[~free[order]] = np.arange(len(fixed))
        swept = order[np.argsort(keys, kind="stable")]
        crossing = crossings(flows[np.ix_(swept, swept)])
        if crossing >= fewest:
            break
        order, fewest = swept, crossing
    return order.astype(np.int32)


def lay_out(
    counts: np.ndarray, values: Floats, top: float, height: float, free: np.ndarray | None = None
) -> SankeyLayout:
    """Bars and ribbons in the stretch of ``height`` pixels below ``top``.

    ``counts`` int64[R, R] are ops from row to row: each pair that has some gets a ribbon. ``values`` float64[R, R] is
    what their width stands for. ``free`` as in :func:`row_order` (None: no row).
    """
    free = np.zeros(len(counts), bool) if free is None else free
    order = row_order(counts, free)
    values = np.where(counts > 0, values, 0.0).astype(np.float64)
    out, into = values.sum(axis=1), values.sum(axis=0)
    slots = np.maximum(out, into)[order]
    gap = min(MOST_GAP, max(LEAST_GAP, 0.22 * height / max(1, len(order))))
    gap = min(gap, 0.5 * height / max(1, len(order)))
    room = max(0.0, height - gap * max(0, len(order) - 1))
    total = float(slots.sum())
    scale = room / total if total > 0 else 0.0
    slot_top = np.zeros(len(counts))
    slot_top[order] = (
        top + np.concatenate([[0.0], np.cumsum(slots * scale + gap)[:-1]]) if len(order) else top
    )
    slot = np.zeros(len(counts))
    slot[order] = slots * scale
    left_height, right_height = out * scale, into * scale
    left_top, right_top = slot_top + (slot - left_height) / 2, slot_top + (slot - right_height) / 2
    place = np.zeros(len(counts), np.int64)
    place[order] = np.arange(len(order))
    left, right = np.nonzero(counts)
    sequence = np.lexsort((place[right], place[left]))
    left, right = left[sequence], right[sequence]
    value = values[left, right]
    width = value * scale
    left_y, right_y = np.zeros(len(left)), np.zeros(len(left))
    filled_left, filled_right = left_top.copy(), right_top.copy()
    for ribbon, row in enumerate(left.tolist()):
        left_y[ribbon] = filled_left[row]
        filled_left[row] += width[ribbon]
    for ribbon in np.lexsort((place[left], place[right])).tolist():
        row = int(right[ribbon])
        right_y[ribbon] = filled_right[row]
        filled_right[row] += width[ribbon]
    return SankeyLayout(
        order, left_top, left_height, right_top, right_height, out, into, left.astype(np.int32),
        right.astype(np.int32), counts[left, right].astype(np.int64), value, width, left_y, right_y, scale,
        counts.sum(axis=1).astype(np.int64), counts.sum(axis=0).astype(np.int64),
    )  # fmt: skip


def spread(
    centres: Floats, size: float, top: float, bottom: float, importance: Floats
) -> tuple[Ints, Floats]:
    """Places for labels of one ``size`` (pixels) beside ``centres``, none over another, inside ``top`` to ``bottom``.

    Returns which labels are shown (sorted by place) and their centres: all where there is room, else the most important.
    They are moved as little as possible (least squares, by pooling adjacent violators).
    """
    fits = max(0, int((bottom - top) / size + 1e-9))
    chosen = np.arange(len(centres))
    if len(chosen) > fits:
        chosen = np.argsort(-importance, kind="stable")[:fits]
    chosen = chosen[np.argsort(centres[chosen], kind="stable")]
    if not len(chosen):
        return chosen.astype(np.int32), np.empty(0)
    steps = np.arange(len(chosen)) * size
    blocks: list[list[float]] = []  # mean and number of labels that lie against one another
    for wanted in (centres[chosen] - steps).tolist():
        blocks.append([wanted, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, many = blocks.pop()
            before, count = blocks[-1]
            blocks[-1] = [(before * count + mean * many) / (count + many), count + many]
    level = np.repeat([mean for mean, _ in blocks], [int(many) for _, many in blocks])
    level = np.clip(level, top + size / 2, bottom - size / 2 - steps[-1])
    return chosen.astype(np.int32), level + steps
