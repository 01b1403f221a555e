"""Arcs between ideals with what a stage adds to the time per inference, and chains over them.

An arc from I to I' is a stage with the units of I' that are not in I. It streams some bytes, which add up along a chain, and
takes a *rest* (receive + compute + send), of which the largest counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.edge_tpu.inference_time import InferenceEvaluator
from planner.machines.edge_tpu.memory.lattice import EdgeTpuLattice, TooLarge
from planner.machines.edge_tpu.memory.units import EdgeTpuUnits, Whole, grain_of
from planner.methods.ideals.lattice import Lattice
from planner.model.graph import Floats, Ints
from planner.search.search import Search

FAR = 2**61
"""No chain leads here."""
MOST_ARCS = 20_000_000
"""Arcs that are kept: 400 MB."""
MOST_CELLS = 10_000_000
"""Pairs of an ideal and a number of stages: 300 MB."""
STEPS_PER_CALL = 500_000
"""Units on borders looked at, or values passed on, between two looks at the stop criteria: some ten milliseconds."""
ARCS_PER_COPY = 1_000_000


class Costs(NamedTuple):
    """What units add to a stage. Bytes of parameters are whole numbers of ``1 / grain``, tensors' those of the lattice.

    ``work`` float64[m] seconds, ``held`` and ``scratch`` int64[m] (the largest working set in a unit). ``receive``, ``send``
    and ``stream``: seconds for one part of a tensor's byte, or of a parameter's. Without ``shared`` every stage streams on
    its own, so streaming is part of the rest.
    """

    work: Floats
    held: Whole
    scratch: Whole
    cache: int
    receive: float
    send: float
    stream: float
    shared: bool


def costs_of(tpus: EdgeTpuUnits) -> Costs:
    """The costs of the units of a problem with the objective ``inference-time``."""
    units = tpus.units
    e = cast(InferenceEvaluator, units.problem.evaluator)
    target, m = e.target, tpus.count
    memory = np.bincount(units.unit_of, e.memory, m)
    scratch = np.zeros(m)
    np.maximum.at(scratch, units.unit_of, e.sets)
    # A cache that holds everything may be of any size.
    cache = min(target.cache, float(np.ceil(memory.sum() + scratch.max(initial=0.0))) + 1.0)
    largest = float(memory.sum() + scratch.max(initial=0.0) + cache)
    grain = grain_of(np.concatenate([memory, scratch, [cache]]), tpus.stages * (largest + 2.0))
    return Costs(
        work=np.bincount(units.unit_of, e.work[0], m).astype(np.float64),
        held=np.floor(memory * grain).astype(np.int64),
        scratch=np.floor(scratch * grain).astype(np.int64),
        cache=int(np.ceil(cache * grain)),
        receive=1.0 / (tpus.size_grain * target.down),
        send=1.0 / (tpus.size_grain * target.up),
        stream=1.0 / (grain * target.streaming),
        shared=target.shared_link,
    )


def least_time(costs: Costs, stages: int) -> tuple[float, int]:
    """What no plan is below: a largest rest (seconds), and parts of bytes that all stages stream.

    Some stage does an equal share of the work, and the unit with most of it; what all caches leave over, or one under the
    largest unit, is streamed. Sums along ideals may round to less.
    """
    rest = max(float(costs.work.sum()) / stages, float(costs.work.max(initial=0.0))) * (1.0 - 1e-12)
    over = max(int(costs.held.sum()) - stages * costs.cache, int(costs.held.max(initial=0)) - costs.cache, 0)
    return rest, over if costs.shared else 0


@dataclass(eq=False)
class Arcs:
    """The stages in question: from ideal a to ``upper`` int32, ``begin[a]`` to ``begin[a+1]`` (int64[count+1]).

    ``streamed`` int64: parts of bytes that the stage streams; ``rest`` float64: its seconds beside.
    """

    begin: Whole
    upper: Ints
    streamed: Whole
    rest: Floats

    def below(self, limit: float, floor: int, stream: float, search: Search) -> Arcs:
        """The stages that a plan faster than ``limit`` may have, all stages streaming at least ``floor``."""
        kept = np.empty(len(self.upper), bool)
        for x in range(0, len(kept), ARCS_PER_COPY):
            part = slice(x, x + ARCS_PER_COPY)
            kept[part] = np.maximum(self.streamed[part], floor) * stream + self.rest[part] < limit
            search.check()
        if 2 * np.count_nonzero(kept) > len(kept):
            return self
        before = np.concatenate([[0], np.cumsum(kept)])
        search.check()
        upper = self.upper[kept]
        search.check()
        streamed = self.streamed[kept]
        search.check()
        return Arcs(before[self.begin], upper, streamed, self.rest[kept])

    def resized(self, room: int, used: int, search: Search) -> Arcs:
        """The first ``used`` arcs with room for ``room``."""
        upper, streamed, rest = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room)
        for x in range(0, used, ARCS_PER_COPY):
            part = slice(x, min(x + ARCS_PER_COPY, used))
            upper[part], streamed[part], rest[part] = self.upper[part], self.streamed[part], self.rest[part]
            search.check()
        return Arcs(self.begin, upper, streamed, rest)


@njit(cache=True, nogil=True)
def grow(
    first, most, ptr, upper_of, unit_of, bits, border_ptr, border_idx, border_size, size, consumer_ptr, consumer_idx,
    held_before, work_before, costs, total, stages, limit, begin, upper, streamed, rest, stamp, queue, scratch,
):  # fmt: skip
    """Arcs of ideals from ``first`` on that a plan faster than ``limit`` may have; returns where to go on.

    A stage's work, and what it streams, never fall as it grows, so what is beyond one that is too slow is not looked at.
    Room for arcs ran out where the ideal returned has ``begin`` = -1.
    """
    one = np.uint64(1)
    count = len(ptr) - 1
    floor = max(np.int64(0), total - stages * costs.cache) if costs.shared else np.int64(0)
    steps = 0
    for a in range(first, count):
        if steps >= most:
            return a
        place = begin[a]
        stamp[a] = a
        queue[0] = a
        scratch[a] = 0
        head, tail = 0, 1
        while head < tail:
            i = queue[head]
            head += 1
            for e in range(ptr[i], ptr[i + 1]):
                b = upper_of[e]
                steps += 1
                if stamp[b] == a:
                    continue
                stamp[b] = a
                scratch[b] = max(scratch[i], costs.scratch[unit_of[e]])
                held = held_before[b] - held_before[a]
                work = work_before[b] - work_before[a]
                stream = min(held, max(np.int64(0), held + scratch[b] - costs.cache))
                if max(stream, floor) * costs.stream + work >= limit:
                    continue
                queue[tail] = b
                tail += 1
                # Tensors that enter, and those that pass by to be left to later stages.
                entering, passing = np.int64(0), np.int64(0)
                for x in range(border_ptr[a], border_ptr[a + 1]):
                    t = border_idx[x]
                    enters, passes = False, False
                    for y in range(consumer_ptr[t], consumer_ptr[t + 1]):
                        steps += 1
                        c = consumer_idx[y]
                        shift = np.uint64(c & 63)
                        if (bits[b, c >> 6] >> shift) & one == 0:
                            passes = True
                        elif (bits[a, c >> 6] >> shift) & one == 0:
                            enters = True
                    if enters:
                        entering += size[t]
                    if passes:
                        passing += size[t]
                seconds = work + entering * costs.receive + (border_size[b] - passing) * costs.send
                others = stream
                if costs.shared:
                    others += max(np.int64(0), total - held - (stages - 1) * costs.cache)
                if max(others, floor) * costs.stream + seconds >= limit:
                    continue
                if place == len(upper):
                    begin[a + 1] = -1
                    return a
                upper[place] = b
                if costs.shared:
                    streamed[place] = stream
                    rest[place] = seconds
                else:
                    streamed[place] = 0
                    rest[place] = seconds + stream * costs.stream
                place += 1
        begin[a + 1] = place
    return count


@njit(cache=True, nogil=True)
def extend(
    first, most, begin, upper, streamed, rest, below, allowed, ahead, cutoff, total, largest, came,
):  # fmt: skip
    """Extend chains from the ideals ``first`` on by arcs whose rest is less than ``below``; returns where to go on.

    ``total`` int64[count, n+1]: the least that the first k stages of a chain to an ideal stream (FAR = none); ``largest``
    float64: the least largest rest among those; ``came`` int32: the ideal before. Every part of a chain that streams least
    does so itself, and of equals one with a smaller largest rest serves any continuation as well. Chains that come to
    ``cutoff`` with what is ``ahead`` int64[count, n+1] are left.
    """
    count, places = total.shape
    steps = 0
    for a in range(first, count):
        if steps >= most:
            return a
        steps += places
        alive = False
        for k in range(places):
            if total[a, k] + ahead[a, k] >= cutoff:
                total[a, k] = FAR
            if total[a, k] < FAR:
                alive = True
                if k + 1 < places and allowed[k + 1, a] and (
                    total[a, k] < total[a, k + 1]
                    or (total[a, k] == total[a, k + 1] and largest[a, k] < largest[a, k + 1])
                ):  # fmt: skip
                    total[a, k + 1] = total[a, k]
                    largest[a, k + 1] = largest[a, k]
                    came[a, k + 1] = a
        if not alive:
            continue
        for x in range(begin[a], begin[a + 1]):
            steps += 1
            time = rest[x]
            if time >= below:
                continue
            steps += places
            b = upper[x]
            for k in range(places - 1):
                if total[a, k] == FAR or not allowed[k + 1, b]:
                    continue
                value = total[a, k] + streamed[x]
                worst = max(largest[a, k], time)
                if value < total[b, k + 1] or (value == total[b, k + 1] and worst < largest[b, k + 1]):
                    total[b, k + 1] = value
                    largest[b, k + 1] = worst
                    came[b, k + 1] = a
    return count


def arcs_of(ideals: EdgeTpuLattice, costs: Costs, limit: float, search: Search) -> Arcs:
    """All arcs that a plan faster than ``limit`` seconds may have.

    Raises :class:`planner.machines.edge_tpu.memory.lattice.TooLarge` and :class:`planner.search.search.Stopped`.
    """
    lattice, tpus, count = ideals.lattice, ideals.tpus, ideals.count
    if count * (tpus.stages + 1) > MOST_CELLS:
        raise TooLarge
    held, work = _sums(lattice, costs)
    begin = np.zeros(count + 1, np.int64)
    room = 16 * count + 1024
    arcs = Arcs(begin, np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room))
    spare = (np.full(count, -1, np.int32), np.empty(count, np.int32), np.empty(count, np.int64))
    at = 0
    while at < count:
        at = grow(
            at, STEPS_PER_CALL, lattice.ptr, lattice.upper, lattice.unit, lattice.bits, ideals.border_ptr,
            ideals.border_idx, ideals.border_size, tpus.size, tpus.consumer_ptr, tpus.consumer_idx, held, work, costs,
            int(held[-1]), tpus.stages, limit, begin, arcs.upper,
            arcs.streamed, arcs.rest, *spare,
        )  # fmt: skip
        search.progress(None, f"{count} ideals, {int(begin[at])} stages")
        search.check()
        if at < count and begin[at + 1] < 0:
            if room >= MOST_ARCS:
                raise TooLarge
            room = min(2 * room, MOST_ARCS)
            arcs = arcs.resized(room, int(begin[at]), search)
            spare[0].fill(-1)
    return arcs.resized(int(begin[-1]), int(begin[-1]), search)


def _sums(lattice: Lattice, costs: Costs) -> tuple[Whole, Floats]:
    """Bytes and work of the units in each ideal (int64[count], float64[count])."""
    held, work = np.zeros(lattice.count, np.int64), np.zeros(lattice.count)
    _add_up(lattice.parent, lattice.parent_unit, costs.held, costs.work, held, work)
    return held, work


@njit(cache=True, nogil=True)
def _add_up(parent, parent_unit, held, work, held_before, work_before):
    for i in range(1, len(parent)):
        held_before[i] = held_before[parent[i]] + held[parent_unit[i]]
        work_before[i] = work_before[parent[i]] + work[parent_unit[i]]


def path_lattice(tpus: EdgeTpuUnits, order: Ints) -> Lattice:
    """The ideals of one order of the units (int32[m]) alone: its beginnings."""
    m = tpus.count
    bits = np.zeros((m + 1, max(1, (m + 63) // 64)), np.uint64)
    for i, u in enumerate(order.tolist()):
        bits[i + 1] = bits[i]
        bits[i + 1, u >> 6] |= np.uint64(1) << np.uint64(u & 63)
    return Lattice(
        tpus.units,
        ptr=np.minimum(np.arange(m + 2, dtype=np.int64), m),
        upper=np.arange(1, m + 1, dtype=np.int32),
        unit=order.astype(np.int32),
        parent=np.arange(-1, m, dtype=np.int32),
        parent_unit=np.concatenate([[-1], order]).astype(np.int32),
        bits=bits,
    )


def chain_of(ideals: EdgeTpuLattice, came: Ints) -> Ints:
    """The stage of each unit (int32[m]) in the chain to the whole that ``came`` leads back along."""
    at = ideals.count - 1
    chain = [at]
    for k in range(ideals.tpus.stages, 0, -1):
        at = int(came[at, k])
        chain.append(at)
    return ideals.stage_of(chain[::-1])


def streaming_ahead(ideals: EdgeTpuLattice, costs: Costs) -> Whole:
    """What the stages after the k-th must stream for want of caches, from each ideal on (int64[count, n+1])."""
    held, _ = _sums(ideals.lattice, costs)
    left = np.arange(ideals.tpus.stages, -1, -1, dtype=np.int64)
    if not costs.shared:
        return np.zeros((len(held), len(left)), np.int64)
    found: Whole = np.maximum(0, (held[-1] - held)[:, None] - costs.cache * left[None, :])
    return found
