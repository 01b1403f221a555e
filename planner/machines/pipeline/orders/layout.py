"""One order of a pipeline's units laid out, so that segments of it grow in O(degree of the unit they take in).

This stands for the segment-cost structure of MTPP (section 4.1), whose table of n² costs is never made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.model.graph import Floats, Ints


class Network(NamedTuple):
    """What is the same for every order (m units, t tensors, c uses of a tensor by another unit than its producer).

    ``work``, ``params``, ``out_time`` (to send all that it produces) float64[m]; ``use_ptr`` int32[m+1] and ``use_tensor``
    int32[c] list what a unit consumes, ``made_ptr`` int32[m+1] and ``made_tensor`` int32[t] what it produces;
    ``tensor_time`` and ``send_time`` float64[t] (to receive and to send a tensor), ``uneven``: whether they differ for one;
    ``tensor_producer`` int32[t]; ``fixed`` int32[m] (block or -1); ``succ_ptr``, ``succ_idx`` the order of the units;
    ``blocks`` k; ``budget`` bytes held before ``rate`` bytes a time unit are streamed. ``work`` and ``budget`` are those of the first block;
    ``class_work`` float64[m, c] by class, ``class_of`` int32[k] and ``block_budget`` float64[k] are those of each, and ``communication`` says how blocks add up
    work and transfers, for annealing. Slicing and layouts take all for alike, and add up sums.
    Numba's cache knows the class by its module and name: when it is renamed or moved, ``__pycache__`` must go.
    """

    work: Floats
    params: Floats
    out_time: Floats
    use_ptr: Ints
    use_tensor: Ints
    made_ptr: Ints
    made_tensor: Ints
    tensor_time: Floats
    send_time: Floats
    tensor_producer: Ints
    fixed: Ints
    succ_ptr: Ints
    succ_idx: Ints
    blocks: int
    budget: float
    rate: float
    uneven: bool
    class_work: Floats
    class_of: Ints
    block_budget: Floats
    communication: int


class Layout(NamedTuple):
    """One order laid out, and scratch; every array is rewritten by :func:`arrange` and :func:`probe`.

    ``work``, ``params``, ``cut`` float64[m+1]: sums before a place, and what sending the tensors alive across it costs.
    Uses in the order of their places: ``use_ptr`` int32[m+1], ``before`` (place of the tensor's last touch before) and
    ``made`` (its producer's) int32[c]; ``time`` to receive it, ``last``, the time to send it if nobody uses it later, else
    0, and ``excess``, what it takes longer to receive than to send, float64[c]. ``out`` float64[m], ``fixed`` int32[m],
    ``rise`` float64[m]: least growth of any segment cost when it is extended beyond a place. ``blocks`` int32[m+1], ``value``
    float64[m+1], ``parent`` int32[m+1]: fewest blocks that reach a place, at what cost, from where. ``first`` int32[t]: a
    tensor's first use; ``after`` int32[c]: the place of its next use, m if none; ``touch`` int32[t]: its last. ``latest``,
    ``credit`` int32[t] and ``dearer`` float64[m+1] (least cost above the one probed) are scratch.
    """

    order: Ints
    place: Ints
    touch: Ints
    work: Floats
    params: Floats
    cut: Floats
    use_ptr: Ints
    before: Ints
    made: Ints
    time: Floats
    last: Floats
    out: Floats
    fixed: Ints
    rise: Floats
    blocks: Ints
    value: Floats
    parent: Ints
    first: Ints
    after: Ints
    excess: Floats
    latest: Ints
    credit: Ints
    dearer: Floats


def new_layout(network: Network) -> Layout:
    """Room for the orders of ``network``."""
    m, t, c = len(network.work), len(network.tensor_time), len(network.use_tensor)

    def floats(size: int) -> Floats:
        return np.zeros(size)

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int32)

    return Layout(
        order=ints(m), place=ints(m), touch=ints(t), work=floats(m + 1), params=floats(m + 1), cut=floats(m + 1),
        use_ptr=ints(m + 1), before=ints(c), made=ints(c), time=floats(c), last=floats(c), out=floats(m),
        fixed=ints(m), rise=floats(m), blocks=ints(m + 1), value=floats(m + 1), parent=ints(m + 1),
        first=ints(t), after=ints(c), excess=floats(c), latest=ints(t), credit=ints(t), dearer=floats(m + 1),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def arrange(network, layout):
    """Lay out ``layout.order``, which must be topological: O(units + uses)."""
    m = len(layout.order)
    for p in range(m):
        layout.place[layout.order[p]] = p
    for t in range(len(network.tensor_time)):
        layout.touch[t] = layout.place[network.tensor_producer[t]]
        layout.latest[t] = -1
        layout.credit[t] = -1
    x = 0
    for p in range(m):
        u = layout.order[p]
        layout.work[p + 1] = layout.work[p] + network.work[u]
        layout.params[p + 1] = layout.params[p] + network.params[u]
        layout.out[p] = network.out_time[u]
        layout.fixed[p] = network.fixed[u]
        for y in range(network.use_ptr[u], network.use_ptr[u + 1]):
            t = network.use_tensor[y]
            layout.before[x] = layout.touch[t]
            layout.made[x] = layout.place[network.tensor_producer[t]]
            layout.time[x] = network.tensor_time[t]
            if network.uneven:
                layout.excess[x] = max(0.0, network.tensor_time[t] - network.send_time[t])
            layout.after[x] = m
            if layout.latest[t] >= 0:
                layout.after[layout.latest[t]] = p
            else:
                layout.first[t] = p
            layout.latest[t] = x
            layout.touch[t] = p
            x += 1
        layout.use_ptr[p + 1] = x
    x = 0
    for p in range(m):
        u = layout.order[p]
        dying = 0.0
        for y in range(network.use_ptr[u], network.use_ptr[u + 1]):
            t = network.use_tensor[y]
            if layout.touch[t] == p:
                layout.last[x] = network.send_time[t]
                dying += network.send_time[t]
            else:
                layout.last[x] = 0.0
            x += 1
        layout.cut[p + 1] = layout.cut[p] + layout.out[p] - dying
    # Extending a segment to place p adds at least work + cut change, whatever the segment began with.
    least = np.inf
    for p in range(m - 1, -1, -1):
        here = layout.work[p + 1] + layout.cut[p + 1]
        layout.rise[p] = least - here
        least = min(least, here)


@njit(cache=True, nogil=True)
def even_value(network, layout):
    """What equal shares of the work cost (with no regard to pins): a value near the least one."""
    m = len(layout.order)
    largest = 0.0
    begin = 0
    for b in range(network.blocks):
        share = layout.work[m] * (b + 1) / network.blocks
        end = begin
        while end < m and (layout.work[end + 1] <= share or b == network.blocks - 1):
            end += 1
        receive, send = 0.0, 0.0
        for p in range(begin, end):
            send += layout.out[p]
            for x in range(layout.use_ptr[p], layout.use_ptr[p + 1]):
                if layout.before[x] < begin:
                    receive += layout.time[x]
                if layout.made[x] >= begin:
                    send -= layout.last[x]
        held = layout.params[end] - layout.params[begin]
        cost = layout.work[end] - layout.work[begin] + receive + send
        if held > network.budget:
            cost += (held - network.budget) / network.rate
        largest = max(largest, cost)
        begin = end
    return largest


@njit(cache=True, nogil=True)
def ceiling(network, layout):
    """A cost that no segment exceeds."""
    m = len(layout.order)
    # Where the reserve exceeds the memory, a segment streams more than its parameters.
    total = layout.work[m] + (layout.params[m] + max(0.0, -network.budget)) / network.rate
    for t in range(len(network.tensor_time)):
        total += network.tensor_time[t] + network.send_time[t]
    return total * (1.0 + 1e-9)
