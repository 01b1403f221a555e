"""Virtual pieces: each accelerator's ops, cut only where the order of the graph does not let them run in one go.

Device placement, sections 3 and 4: an accelerator runs a contiguous subgraph without interruption. A split that is not
contiguous runs as several subgraphs, one after the other (figure 5b: virtual devices of one accelerator).
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def group_order(owner, pays, size):
    """The group that runs just before each on the same accelerator: int32[2k], -1 = none.

    Group ``d + k * part`` holds the ops of one part on device d; ``size`` int32[2k] counts them and empty groups are
    skipped. An accelerator runs the forward parts of its slots in order, then the backward parts in reverse order, as
    the backward pass retraces the forward pass.
    """
    k = len(owner)
    before = np.full(2 * k, -1, np.int32)
    last = np.full(k, -1, np.int32)
    for i in range(2 * k):
        g = i if i < k else 3 * k - 1 - i
        d = g if g < k else g - k
        if not pays[d] or size[g] == 0:
            continue
        before[g] = last[owner[d]]
        last[owner[d]] = g
    return before


@njit(cache=True, nogil=True)
def pieces(device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, pays, owner):
    """Cut each device's ops into pieces that can run one by one: ``(piece_of, piece_device, piece_part, cuts)``.

    ``part`` int8[n], ``pays`` bool[k] (an accelerator; on a CPU each op is a piece of its own), ``owner`` int32[k] (the accelerator that a
    slot belongs to, itself where there are no slots; slots of one accelerator are in order of their index).
    Pieces (``piece_of`` int32[n], ``piece_device`` int32[p], ``piece_part`` int8[p]) are numbered so that every edge
    stays within a piece or goes to a higher one, and so that each accelerator runs its pieces by number. There
    is one piece per device and part wherever that allows such an order with the slots in turn; ``cuts`` counts how
    often a piece had to be cut off or run out of turn. So ``cuts == 0`` is the contiguity of sections 4 to 4.2.
    O(n + m), and O(ops of the devices) per cut.
    """
    n = len(device_of)
    k = len(pays)
    group = np.empty(n, np.int32)
    size = np.zeros(2 * k, np.int32)
    for v in range(n):
        d = device_of[v]
        group[v] = d + k * part[v] if pays[d] else -1
        if group[v] >= 0:
            size[group[v]] += 1
    before = group_order(owner, pays, size)
    after = np.full(2 * k, -1, np.int32)
    for g in range(2 * k):
        if before[g] >= 0:
            after[before[g]] = g
    ptr = np.zeros(2 * k + 1, np.int32)
    for g in range(2 * k):
        ptr[g + 1] = ptr[g] + size[g]
    fill = ptr.copy()
    members = np.empty(ptr[2 * k], np.int32)
    for v in range(n):
        if group[v] >= 0:
            members[fill[group[v]]] = v
            fill[group[v]] += 1

    # Predecessors that have not run, outside and inside an op's own group; ops of a group that wait for others.
    outside = np.zeros(n, np.int32)
    inside = np.zeros(n, np.int32)
    blocked = np.zeros(2 * k, np.int32)
    for v in range(n):
        for e in range(pred_ptr[v], pred_ptr[v + 1]):
            if group[v] >= 0 and group[pred_idx[e]] == group[v]:
                inside[v] += 1
            else:
                outside[v] += 1
        if group[v] >= 0 and outside[v] > 0:
            blocked[group[v]] += 1

    piece_of = np.full(n, -1, np.int32)
    piece_device = np.empty(n, np.int32)
    piece_part = np.empty(n, np.int8)
    count = 0
    cuts = 0
    left = size.copy()
    cyclic = np.ones(2 * k, np.bool_)
    stuck = False
    # Ready CPU ops (queue[head:tail], in order of readiness), ops to run now (stack).
    queue = np.empty(n, np.int32)
    head = 0
    tail = 0
    stack = np.empty(n, np.int32)
    for v in range(n):
        if group[v] < 0 and outside[v] == 0:
            queue[tail] = v
            tail += 1
    done = 0
    while done < n:
        depth = 0
        if head < tail:
            stack[0] = queue[head]
            head += 1
            depth = 1
            run = -1
        else:
            run = _whole_group(left, blocked, before)
            if run >= 0:
                for i in range(ptr[run], ptr[run + 1]):
                    if piece_of[members[i]] < 0 and inside[members[i]] == 0:
                        stack[depth] = members[i]
                        depth += 1
            else:
                if not stuck:
                    stuck = True
                    _peel_sinks(
                        group, piece_of, left, before, after, ptr, members,
                        succ_ptr, succ_idx, pred_ptr, pred_idx, cyclic,
                    )  # fmt: skip
                cuts += 1
                run = _group_to_cut(left, blocked, before, cyclic, ptr, members, piece_of, outside, inside)
                for i in range(ptr[run], ptr[run + 1]):
                    v = members[i]
                    if piece_of[v] < 0 and inside[v] == 0 and outside[v] == 0:
                        stack[depth] = v
                        depth += 1
        piece_device[count] = device_of[stack[0]]
        piece_part[count] = part[stack[0]]
        while depth > 0:
            depth -= 1
            v = stack[depth]
            piece_of[v] = count
            done += 1
            for e in range(succ_ptr[v], succ_ptr[v + 1]):
                w = succ_idx[e]
                if run >= 0 and group[w] == run:
                    inside[w] -= 1
                    if inside[w] == 0 and outside[w] == 0:
                        stack[depth] = w
                        depth += 1
                    continue
                outside[w] -= 1
                if outside[w] > 0:
                    continue
                if group[w] < 0:
                    queue[tail] = w
                    tail += 1
                else:
                    blocked[group[w]] -= 1
            if run >= 0:
                left[run] -= 1
        count += 1
    return piece_of, piece_device[:count].copy(), piece_part[:count].copy(), cuts


@njit(cache=True, nogil=True)
def _whole_group(left, blocked, before):
    """A group whose remaining ops can all run now and whose turn it is on its accelerator, or -1."""
    for g in range(len(left)):
        if left[g] > 0 and blocked[g] == 0 and (before[g] < 0 or left[before[g]] == 0):
            return g
    return -1


@njit(cache=True, nogil=True)
def _group_to_cut(left, blocked, before, cyclic, ptr, members, piece_of, outside, inside):
    """The group that can run in part and waits for the fewest ops: on a cycle and in its turn where there is one."""
    best = -1
    best_key = 0
    n = len(piece_of)
    for g in range(len(left)):
        if left[g] == 0:
            continue
        ready = False
        for i in range(ptr[g], ptr[g + 1]):
            v = members[i]
            if piece_of[v] < 0 and inside[v] == 0 and outside[v] == 0:
                ready = True
                break
        if not ready:
            continue
        key = blocked[g]
        if before[g] >= 0 and left[before[g]] > 0:
            key += n + 1
        if not cyclic[g]:
            key += 2 * (n + 1)
        if best < 0 or key < best_key:
            best, best_key = g, key
    return best


@njit(cache=True, nogil=True)
def _peel_sinks(
    group, piece_of, left, before, after, ptr, members, succ_ptr, succ_idx, pred_ptr, pred_idx, cyclic
):
    """Clear ``cyclic`` (bool[2k]) for groups from which no cycle can be reached: they need no cut.

    Sinks of the quotient of the ops that have not run are taken away again and again. Its nodes are the groups and
    then, from 2k on, the CPU ops. O(n + m).
    """
    n = len(group)
    groups = len(left)
    leaving = np.zeros(groups + n, np.int32)
    for v in range(n):
        if piece_of[v] >= 0:
            continue
        a = group[v] if group[v] >= 0 else groups + v
        for e in range(succ_ptr[v], succ_ptr[v + 1]):
            w = succ_idx[e]
            if group[w] < 0 or group[w] != group[v]:
                leaving[a] += 1
    for g in range(groups):
        if left[g] > 0 and after[g] >= 0:
            leaving[g] += 1
    queue = np.empty(groups + n, np.int32)
    tail = 0
    for g in range(groups):
        if left[g] > 0 and leaving[g] == 0:
            queue[tail] = g
            tail += 1
    for v in range(n):
        if group[v] < 0 and piece_of[v] < 0 and leaving[groups + v] == 0:
            queue[tail] = groups + v
            tail += 1
    head = 0
    while head < tail:
        a = queue[head]
        head += 1
        size = 1
        if a < groups:
            cyclic[a] = False
            size = ptr[a + 1] - ptr[a]
            if before[a] >= 0 and left[before[a]] > 0:
                tail = _leave(before[a], leaving, queue, tail)
        for i in range(size):
            v = members[ptr[a] + i] if a < groups else a - groups
            for e in range(pred_ptr[v], pred_ptr[v + 1]):
                u = pred_idx[e]
                if piece_of[u] < 0 and (group[u] < 0 or group[u] != group[v]):
                    tail = _leave(group[u] if group[u] >= 0 else groups + u, leaving, queue, tail)


@njit(cache=True, nogil=True)
def _leave(a, leaving, queue, tail):
    """Take one edge out of node ``a`` away; a node left without edges joins the queue. The queue's new end."""
    leaving[a] -= 1
    if leaving[a] == 0:
        queue[tail] = a
        tail += 1
    return tail
