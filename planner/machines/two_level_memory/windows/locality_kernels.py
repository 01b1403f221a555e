"""Numba kernels of sliding windows: gathering a sequence of neurons, and the order of connections that windows stand for.

Arrays of a network as :class:`planner.machines.two_level_memory.windows.locality.Links` has them: ``into_ptr`` / ``into`` / ``into_source`` the
connections into each neuron and where they come from, ``out_ptr`` / ``out`` / ``out_target`` those out of it. ``entry`` and
``exit`` int64[N] are a neuron's places in the sequences of sums that enter and leave, -1 for inputs and held sums;
``until`` int64[n] is the first place not yet entered while the sum at each place leaves.
"""

from __future__ import annotations

from planner.compiling.kernel import njit

SCANNED = 2048
"""At most this many ready neurons are compared for each place."""


@njit(cache=True, nogil=True)
def ready_inputs(into_ptr, into_source, is_input, held, needs, ready):
    """Count what neurons wait for (``needs`` int64[N]) and list those that wait for nothing; returns how many."""
    count = 0
    for v in range(len(needs)):
        needs[v] = 0
        for e in range(into_ptr[v], into_ptr[v + 1]):
            if not is_input[into_source[e]]:
                needs[v] += 1
        if needs[v] == 0 and not is_input[v] and not held[v]:
            ready[count] = v
            count += 1
    return count


@njit(cache=True, nogil=True)
def gather(
    begin, end, sequence, ready, count, needs, absent, covered, expiry_ptr, expiring, into_ptr, into_source, out_ptr, out_target,
    held, until, noise, relative,
):  # fmt: skip
    """Fill places ``begin`` to ``end`` of ``sequence``: each with the ready neuron that most of its sources already serve.

    ``covered`` int64[N]: the first place that a source no longer serves, 0 before it is first fetched. ``absent`` int64[N]:
    sources of a neuron that must be fetched for it. ``expiry_ptr`` int64[n + 2] heads and ``expiring`` int64[N] links the lists of
    sources by :data:`covered`. ``noise`` float64[N] is added to each neuron's score; with ``relative`` absent sources count by their
    share. Returns how many are ready.
    """
    n = len(sequence)
    for place in range(begin, end):
        s = expiry_ptr[place]
        while s >= 0:
            for e in range(out_ptr[s], out_ptr[s + 1]):
                absent[out_target[e]] += 1
            s = expiring[s]
        least, at = 1e300, 0
        for k in range(min(count, SCANNED)):
            v = ready[k]
            score = float(absent[v])
            if relative:
                score /= into_ptr[v + 1] - into_ptr[v]
            score += noise[v]
            if score < least:
                least, at = score, k
        v = ready[at]
        # The list stays in the order in which neurons became ready: the oldest are compared.
        for k in range(at, count - 1):
            ready[k] = ready[k + 1]
        count -= 1
        sequence[place] = v
        for e in range(into_ptr[v], into_ptr[v + 1]):
            s = into_source[e]
            if covered[s] <= place:
                fetch(s, until[place], n, covered, expiry_ptr, expiring, absent, out_ptr, out_target)
        if out_ptr[v + 1] > out_ptr[v]:
            fetch(v, until[place] + 1, n, covered, expiry_ptr, expiring, absent, out_ptr, out_target)
            for e in range(out_ptr[v], out_ptr[v + 1]):
                w = out_target[e]
                needs[w] -= 1
                if needs[w] == 0 and not held[w]:
                    ready[count] = w
                    count += 1
    return count


@njit(cache=True, nogil=True)
def fetch(s, limit, n, covered, expiry_ptr, expiring, absent, out_ptr, out_target):
    """Source ``s`` serves all places before ``limit`` from now on."""
    limit = min(limit, n)
    covered[s] = limit
    expiring[s] = expiry_ptr[limit]
    expiry_ptr[limit] = s
    for e in range(out_ptr[s], out_ptr[s + 1]):
        absent[out_target[e]] -= 1


@njit(cache=True, nogil=True)
def emit(
    begin, end, filled, leaving, entry, until, into_ptr, into, into_source, out_ptr, out, out_target, done, order
):  # fmt: skip
    """Write the connections that are used while the sums at places ``begin`` to ``end`` of ``leaving`` wait to leave.

    For each: the sources it still misses are fetched, and each serves every sum in memory; then the neuron, now complete,
    serves them itself. ``done`` bool[W] and ``order`` int32[W] are filled; returns how many connections are written.
    """
    for place in range(begin, end):
        v = leaving[place]
        for e in range(into_ptr[v], into_ptr[v + 1]):
            if done[into[e]]:
                continue
            s = into_source[e]
            for f in range(out_ptr[s], out_ptr[s + 1]):
                if not done[out[f]] and entry[out_target[f]] < until[place]:
                    done[out[f]] = True
                    order[filled] = out[f]
                    filled += 1
        for f in range(out_ptr[v], out_ptr[v + 1]):
            # The source's own place is free by now: one more sum has entered.
            if not done[out[f]] and entry[out_target[f]] <= until[place]:
                done[out[f]] = True
                order[filled] = out[f]
                filled += 1
    return filled
