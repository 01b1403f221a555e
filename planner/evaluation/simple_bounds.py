"""Lower bounds that take no search: shares of the work, and the longest path."""

from __future__ import annotations

import numpy as np

from planner.evaluation.kernels import SUM
from planner.model.graph import Floats
from planner.problem.problem import Problem


def longest_path(problem: Problem) -> float:
    """The longest path of the graph, each op on the fastest device that support and pins leave it."""
    e = problem.evaluator
    fastest = np.where(e.allowed, e.work[e.class_of].T, np.inf).min(axis=1, initial=np.inf)
    finish = fastest.copy()
    for v in problem.graph.topological_order.tolist():
        before = e.pred_idx[e.pred_ptr[v] : e.pred_ptr[v + 1]]
        if len(before):
            finish[v] += finish[before].max()
    return float(finish.max(initial=0.0))


def replicated_part(problem: Problem, work: Floats) -> float:
    """The bound under replication (work float64[k, groups], inf = not allowed).

    A stage of r devices costs each of them 1 / r of its work, so work is still shared out among devices of one kind. A
    stage's cost grows with its work and its weights, so none is below that of one of its groups alone on as many
    devices as suit this group best.
    """
    e = problem.evaluator
    params = np.bincount(problem.groups.group_of, weights=e.params, minlength=work.shape[1])
    classes = np.unique(e.class_of)
    table = np.empty_like(work)
    least = np.full(work.shape[1], np.inf)
    for c in classes.tolist():
        of_class = np.flatnonzero(e.class_of == c)
        fastest = work[of_class].min(axis=0)
        table[of_class] = fastest
        # Copies of a stage are in one cluster.
        most = int(np.bincount(e.cluster[of_class] + 1).max())
        for copies in range(1, most + 1):
            sync = (copies - 1) * params / (copies * e.sync_rate) if e.pays[of_class[0]] else 0.0 * params
            share = fastest / copies
            cost = share + sync if e.communication == SUM else np.maximum(share, sync)
            least = np.minimum(least, cost)
    largest = float(least.max())
    return largest if np.isinf(largest) else max(largest, fractional_share(table, e.class_of))


def streamed_part(problem: Problem, work: Floats) -> float:
    """The bound where parameters beyond a device's budget are streamed (work float64[k, groups], inf = not allowed).

    The device of a group streams what of this group alone exceeds its budget. Streaming is max(0, x), which is at least x: all
    devices with a budget together stream at least their parameters less their budgets, so parameters are shared out as work is.
    """
    e = problem.evaluator
    limited = np.isfinite(e.budget)
    spare = np.where(limited, e.budget, 0.0) / e.streaming_rate
    stream = (
        np.bincount(problem.groups.group_of, weights=e.params, minlength=work.shape[1]) / e.streaming_rate
    )
    priced = work + np.where(limited[:, None], stream, 0.0)
    alone = np.maximum(work, priced - spare[:, None])
    share = fractional_share(priced, e.class_of, spare)
    # A sum of floats may be some units in the last place too large.
    return max(float(alone.min(axis=0).max()), share) * (1 - 1e-14 * e.n)


def fractional_share(work: Floats, class_of: np.ndarray, spare: Floats | None = None) -> float:
    """Least possible largest load when pieces may be cut up (work float64[k, pieces], inf = not allowed).

    A load counts less what its device has to ``spare`` (float64[k]; None = nothing). Pieces confined to one device by a pin load that device; the others are shared over the classes of equal devices. The
    relaxation treats a class as one device of its size. For two classes it is solved exactly: at the optimum pieces go to the class
    where they are relatively cheapest; for more it is bounded by prices of the classes (:func:`_priced_share`).
    """
    classes = np.unique(class_of)
    sizes = np.array([np.count_nonzero(class_of == c) for c in classes], float)
    best = np.stack([work[class_of == c].min(axis=0) for c in classes])
    spare = np.zeros(len(work)) if spare is None else spare
    less = np.array([spare[class_of == c].mean() for c in classes])
    pinned_floor = 0.0
    alone = np.isfinite(work).sum(axis=0) == 1
    for row, without in zip(work, spare, strict=True):
        own = alone & np.isfinite(row)
        pinned_floor = max(pinned_floor, float(row[own].sum() - without))
    if len(classes) == 1:
        return max(pinned_floor, float(best[0].sum() / sizes[0] - less[0]))
    if len(classes) > 2:
        return max(pinned_floor, _priced_share(best, sizes, less))
    a, b = best
    only_a, only_b = np.isfinite(a) & ~np.isfinite(b), np.isfinite(b) & ~np.isfinite(a)
    both = np.isfinite(a) & np.isfinite(b)
    load_a, load_b = float(a[only_a].sum()), float(b[only_b].sum())
    x, y = a[both], b[both]
    order = np.argsort(np.where(y > 0, x / np.where(y > 0, y, 1.0), np.inf), kind="stable")
    x, y = x[order], y[order]
    # Pieces before the cut go to class a, the rest to b; the best cut balances the two average loads.
    on_a = load_a + np.concatenate([[0.0], np.cumsum(x)])
    on_b = load_b + np.concatenate([np.cumsum(y[::-1])[::-1], [0.0]])
    left, right = on_a / sizes[0] - less[0], on_b / sizes[1] - less[1]
    i = int(np.searchsorted(left - right, 0.0))
    if i == 0:
        return max(pinned_floor, float(left[0]))
    if i > len(x):
        return max(pinned_floor, float(right[-1]))
    lo, hi = i - 1, i
    drop, rise = right[lo] - right[hi], left[hi] - left[lo]
    share = (right[lo] - left[lo]) / (drop + rise) if drop + rise > 0 else 0.0
    return max(pinned_floor, float(left[lo] + share * rise))


PRICE_STEPS = 300
"""Steps from price to price: each sums up all pieces once per class."""


def _priced_share(best: Floats, sizes: Floats, less: Floats) -> float:
    """A lower bound on the largest average load of classes (best float64[c, pieces], inf = not allowed; sizes, less float64[c]).

    For prices p >= 0 of the classes that sum to one, the largest average load is at least their mean by p, and so at least the sum over all
    pieces of the least p(c) best(c, piece) / sizes(c), less the mean of what counts ``less``: any prices bound, in any order of steps. They begin where a class is as
    dear as it is fast, and go up the slope, dearer for classes that are loaded more than others.
    """
    share = best / sizes[:, None]
    fine = np.isfinite(share)
    common = fine.all(axis=0)
    total = np.where(fine, share, 0.0)[:, common].sum(axis=1) if common.any() else np.ones(len(sizes))
    price = 1.0 / np.maximum(total, 1e-300) if (total > 0).all() else np.ones(len(sizes))
    price /= price.sum()
    value = 0.0
    for step in range(PRICE_STEPS):
        with np.errstate(invalid="ignore"):
            paid = np.where(fine, share * price[:, None], np.inf)
        chosen = paid.argmin(axis=0)
        least = paid[chosen, np.arange(paid.shape[1])]
        value = max(value, float(least.sum() - price @ less))
        load = (
            np.bincount(chosen, weights=share[chosen, np.arange(paid.shape[1])], minlength=len(sizes)) - less
        )
        mean = float(load @ price)
        if mean <= 0.0:
            break
        price = price * np.exp(np.clip(load / mean - 1.0, -1.0, 1.0) / (1.0 + 0.5 * step))
        price /= price.sum()
    return value * (1 - 1e-12)
