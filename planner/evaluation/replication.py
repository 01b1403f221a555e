"""Replication: devices without ops join a stage and take a share of its samples (device placement, appendix C.2).

A stage with load L and P bytes of weights on r devices takes L / r per sample, and synchronising the copies takes
(r - 1) P / (r B), B the bandwidth. The two are added where transfers and work are (``communication=sum``), else the larger
counts. CPUs share memory and synchronise nothing.

How many devices each stage gets follows from the assignment: as the largest cost is what counts, a free accelerator goes
to the accelerator stage that costs most, again and again, until that stage would not gain; CPUs likewise. No other
choice gives a lower maximum: any that does must give the stage that costs most more devices than it has, and
where one more does not help it, no number does (L / r falls and (r - 1) / r rises with r).

Where accelerators stand in clusters, the copies of a stage are in one: they synchronise over its fast connections, and whom the
stage exchanges tensors with fast does not depend on which copy has the sample. Then all this holds cluster by cluster.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

TIES = 1.0 - 1e-9
"""Costs that differ by rounding alone count as equal, so that live and full evaluation choose alike."""


@njit(cache=True, nogil=True)
def replicated(load, params, copies, sync_rate, adds):
    """Cost of a stage on ``copies`` devices; ``sync_rate`` infinite = nothing to synchronise."""
    sync = (copies - 1) * params / (copies * sync_rate)
    if adds:
        return load / copies + sync
    return max(load / copies, sync)


@njit(cache=True, nogil=True)
def share_idle(costs, params, occupied, pays, cluster, sync_rate, adds):
    """Let idle devices join stages in place of ``costs`` (float64[k]): ``(replicas, serves)``, both int32[k].

    ``params`` float64[k] bytes of weights and ``occupied`` int32[k] ops per device, ``pays`` bool[k] tells accelerators
    from CPUs, ``cluster`` int32[k] is that of each (-1 = none, as that of all CPUs): who joins a stage is in its cluster. ``replicas`` counts a stage's devices (0 for devices without ops), ``serves`` is the device whose stage a
    device works on (itself, or -1 for one that stays idle). A device that joins costs what its stage costs. O(k^2).
    """
    k = len(costs)
    replicas = np.zeros(k, np.int32)
    serves = np.full(k, -1, np.int32)
    for d in range(k):
        if occupied[d] > 0:
            replicas[d] = 1
            serves[d] = d
    load = costs.copy()
    for idle in range(k):
        if occupied[idle] > 0:
            continue
        worst = -1
        for d in range(k):
            if (
                occupied[d] > 0
                and pays[d] == pays[idle]
                and cluster[d] == cluster[idle]
                and (worst < 0 or costs[worst] < costs[d] * TIES)
            ):
                worst = d
        if worst < 0:
            continue
        rate = sync_rate if pays[idle] else np.inf
        cost = replicated(load[worst], params[worst], replicas[worst] + 1, rate, adds)
        if cost < costs[worst] * TIES:
            replicas[worst] += 1
            serves[idle] = worst
            costs[worst] = cost
    for d in range(k):
        if serves[d] >= 0:
            costs[d] = costs[serves[d]]
    return replicas, serves
