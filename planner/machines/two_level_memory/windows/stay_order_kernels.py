"""Numba kernels of windows whose sources may stay: the order of connections, and how many values memory holds meanwhile."""

from __future__ import annotations

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def serve(s, place, last, eager, entry, until, started, done, order, filled, out_ptr, out, out_target):
    """Use ``s`` for all sums in memory, and for those that have not begun if ``eager`` or at the end of its stay, ``last``."""
    for f in range(out_ptr[s], out_ptr[s + 1]):
        t = out_target[f]
        if not done[out[f]] and entry[t] < until[place] and (eager or started[t] or last == place):
            done[out[f]] = True
            started[t] = True
            order[filled] = out[f]
            filled += 1
    return filled


@njit(cache=True, nogil=True)
def emit(
    first, last, filled, active, actives, sequence, entry, until, begin, end, into_ptr, into, into_source, out_ptr, out, out_target,
    started, done, order, stay_begin, stay_end,
):  # fmt: skip
    """Write the connections that are used while the sums at places ``first`` to ``last`` wait to leave.

    As :func:`planner.machines.two_level_memory.windows.locality_kernels.emit`, and what stays (``begin``, ``end`` int64[N]) serves what enters, as late
    as it can: a sum that nothing has reached yet takes no place. What is to stay is fetched last. ``active`` int64[2 N] holds the
    ``actives`` that stay. ``stay_begin`` and ``stay_end`` int64[N] are set to the positions after the fetch and after the last
    use. Returns (connections written, how many stay).
    """
    for place in range(first, last):
        v = sequence[place]
        kept = 0
        for k in range(actives):
            s = active[k]
            filled = serve(
                s, place, end[s], False, entry, until, started, done, order, filled, out_ptr, out, out_target
            )
            if end[s] > place:
                active[kept] = s
                kept += 1
            else:
                stay_end[s] = filled
        actives = kept
        fetched = actives
        for e in range(into_ptr[v], into_ptr[v + 1]):
            s = into_source[e]
            if done[into[e]]:
                continue
            if begin[s] == place and end[s] > place:
                active[fetched] = s
                fetched += 1
            else:
                filled = serve(
                    s, place, -1, True, entry, until, started, done, order, filled, out_ptr, out, out_target
                )
        for k in range(actives, fetched):
            s = active[k]
            if done_with(s, entry, until, place, done, out_ptr, out, out_target):
                continue
            filled = serve(
                s, place, -1, True, entry, until, started, done, order, filled, out_ptr, out, out_target
            )
            stay_begin[s] = filled
            active[actives] = s
            actives += 1
        for f in range(out_ptr[v], out_ptr[v + 1]):
            # The neuron's own place is free by now: one more sum has entered.
            if not done[out[f]] and entry[out_target[f]] <= until[place]:
                done[out[f]] = True
                started[out_target[f]] = True
                order[filled] = out[f]
                filled += 1
        if begin[v] == place and end[v] > place:
            stay_begin[v] = filled
            active[actives] = v
            actives += 1
    return filled, actives


@njit(cache=True, nogil=True)
def done_with(s, entry, until, place, done, out_ptr, out, out_target):
    """Whether ``s`` has served all sums in memory: with parallel connections it may be listed twice."""
    for f in range(out_ptr[s], out_ptr[s + 1]):
        if not done[out[f]] and entry[out_target[f]] < until[place]:
            return False
    return True


@njit(cache=True, nogil=True)
def loads(order, target, first, last, load):
    """``load`` int64[W + 1]: sums in memory at each position, from the first connection into each to the last, and one source.

    ``first`` and ``last`` int64[N] are set to these positions, W and -1 where there are none.
    """
    first[:] = len(order)
    last[:] = -1
    for p in range(len(order)):
        t = target[order[p]]
        if last[t] < 0:
            first[t] = p
        last[t] = p
    load[:] = 0
    for t in range(len(first)):
        if last[t] >= 0:
            load[first[t]] += 1
            load[last[t] + 1] -= 1
    now = 1
    for p in range(len(load)):
        now += load[p]
        load[p] = now
