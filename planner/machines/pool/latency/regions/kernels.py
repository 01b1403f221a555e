"""The pieces of a region and the cheapest chains of them, compiled (latency bound by regions).

A set of a region's ops is a mask, uint64; its ideals are ``bits`` uint64[n], subsets first. A piece is what lies between two of them.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

FITS = 1 + 1e-9
ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def has(mask, v):
    """Whether op v is in a set."""
    return (mask >> np.uint64(v)) & ONE != 0


@njit(cache=True, nogil=True)
def sums(bits, values, out):
    """The sum of ``values`` (float64[m]) over each ideal."""
    for i in range(len(bits)):
        total = 0.0
        for v in range(len(values)):
            if has(bits[i], v):
                total += values[v]
        out[i] = total


@njit(cache=True, nogil=True)
def _readers(r):
    """The set of a region's ops that read each tensor (uint64[t])."""
    found = np.zeros(len(r.home), np.uint64)
    for t in range(len(r.home)):
        for e in range(r.reader_ptr[t], r.reader_ptr[t + 1]):
            found[t] |= ONE << np.uint64(r.reader_idx[e])
    return found


@njit(cache=True, nogil=True)
def _transfers(r, readers, piece, most):
    """What a piece within the region receives and sends; ``most`` or more where that is reached."""
    total = 0.0
    for t in range(len(r.home)):
        if r.home[t] >= 0 and has(piece, r.home[t]):
            pays = r.leaves[t] or readers[t] & ~piece != 0
        else:
            pays = readers[t] & piece != 0
        if pays:
            total += r.time[t]
            if total >= most:
                break
    return total


@njit(cache=True, nogil=True)
def _on_cpus(r, piece, end):
    """How long a piece takes on CPUs: its longest path. Infinite where one of its ops may not be there. ``end`` float64[m] is room."""
    longest = 0.0
    for v in range(len(r.ops)):
        end[v] = r.cpu[v] if has(piece, v) else 0.0
    # Arcs come by the op that they lead to, and ops are numbered topologically.
    for e in range(len(r.arc_from)):
        u, v = r.arc_from[e], r.arc_to[e]
        if u >= 0 and v < len(r.ops) and has(piece, v) and has(piece, u):
            end[v] = max(end[v], end[u] + r.cpu[v])
    for v in range(len(r.ops)):
        longest = max(longest, end[v])
    return longest


@njit(cache=True, nogil=True)
def list_pieces(r, bits, memory, work, cpu, unable, capacity, first, most, low, high, time):
    """Pieces that begin at ideals from ``first`` on: ``(next, count)`` when some ``most`` pairs were looked at or room runs out.

    ``memory``, ``work``, ``cpu`` and ``unable`` float64[n] are sums over ideals; ``unable`` counts ops that no accelerator may hold. A piece that does not take less time than its ops on CPUs is left out:
    on CPUs they would end no later, and make no other piece longer.
    """
    n = len(bits)
    end = np.empty(len(r.ops))
    readers = _readers(r)
    count = 0
    looked = 0
    i = first
    while i < n and looked < most and count + n - i <= len(low):
        for j in range(i + 1, n):
            if bits[i] & bits[j] != bits[i] or memory[j] - memory[i] > capacity * FITS:
                continue
            if unable[j] != unable[i]:
                continue
            looked += 20
            piece = bits[j] & ~bits[i]
            # No path is longer than all ops together. (On CPUs that hold some of them for ever all are.)
            longest = cpu[j] - cpu[i] if np.isfinite(cpu[j]) else np.inf
            spent = work[j] - work[i]
            cost = spent + _transfers(r, readers, piece, longest * FITS - spent)
            if cost < longest * FITS and cost < _on_cpus(r, piece, end):
                low[count] = i
                high[count] = j
                time[count] = cost
                count += 1
        looked += n - i
        i += 1
    return i, count


@njit(cache=True, nogil=True)
def end_times(r, bits, head, tail):
    """What joining the piece of the op before costs each ideal, and joining that of the op after what each leaves (float64[n]).

    Work, and tensors that the piece surely sends or receives here; infinite where an op may not be on an accelerator.
    """
    m = len(r.ops)
    for i in range(len(bits)):
        head[i] = 0.0
        tail[i] = 0.0
        for v in range(m):
            if has(bits[i], v):
                head[i] += r.work[v]
            else:
                tail[i] += r.work[v]
        for t in range(len(r.home)):
            h = r.home[t]
            if h == -2:
                continue
            if h >= 0 and not has(bits[i], h):
                continue
            outside = False
            for e in range(r.reader_ptr[t], r.reader_ptr[t + 1]):
                outside = outside or not has(bits[i], r.reader_idx[e])
            if outside or r.leaves[t]:
                head[i] += r.time[t]
            if outside or r.entered[t]:
                tail[i] += r.time[t]


@njit(cache=True, nogil=True)
def met_by_flow(r, bits, low, high, flow, out):
    """The part of a unit flow (float64[e], on arcs) that meets each piece: what enters it."""
    for p in range(len(low)):
        piece = bits[high[p]] & ~bits[low[p]]
        total = 0.0
        for e in range(len(flow)):
            v = r.arc_to[e]
            if v < len(r.ops) and has(piece, v) and (r.arc_from[e] < 0 or not has(piece, r.arc_from[e])):
                total += flow[e]
        out[p] = total


@njit(cache=True, nogil=True)
def cheapest_chains(
    forward, cover_ptr, cover_end, cover_cost, piece_ptr, piece_end, piece_cost, last, unlimited, least, how
):  # fmt: skip
    """Fill ``least`` float64[k + 1, n]: the least cost of a chain of ideals with at most so many pieces, and single ops between them.

    ``forward``: from each ideal to one that ends it at the cost ``last`` (float64[n]); otherwise the other way. Steps from an ideal
    (backwards: to it) are CSRs of covers (one op) and pieces, with the ideal at their other end. With ``unlimited`` the highest number stands for more, too.
    ``how`` int64[k + 1, n] is the first step: a piece, -2 - cover, or -1.
    """
    top, n = least.shape[0] - 1, least.shape[1]
    for x in range(n):
        i = n - 1 - x if forward else x
        for k in range(top + 1):
            least[k, i] = last[i]
            how[k, i] = -1
        for e in range(cover_ptr[i], cover_ptr[i + 1]):
            j = cover_end[e]
            for k in range(top + 1):
                value = least[k, j] + cover_cost[e]
                if value < least[k, i]:
                    least[k, i] = value
                    how[k, i] = -2 - e
        for p in range(piece_ptr[i], piece_ptr[i + 1]):
            j = piece_end[p]
            for k in range(0 if unlimited else 1, top + 1):
                before = k if unlimited and k == top else k - 1
                if before < 0:
                    continue
                value = least[before, j] + piece_cost[p]
                if value < least[k, i]:
                    least[k, i] = value
                    how[k, i] = p
