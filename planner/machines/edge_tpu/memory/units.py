"""An Edge TPU pipeline as whole numbers over units that every valid plan keeps together.

A plan gives each unit a stage s with s(u) <= s(v) along every tpus. Shared children, `Together` constraints and the cycles
that they close are units already (:func:`planner.methods.units.forced_units`); pins bound the stages of their units and,
through the edges, of all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from planner.machines.edge_tpu.evaluator import EdgeTpuEvaluator
from planner.machines.edge_tpu.target import COMMUNICATION, DRAM, MEMORY
from planner.methods.units import Units, build_units, chain_units, unit_edges
from planner.model.graph import Floats, Ints, csr
from planner.problem.problem import Problem

MEMORY_OBJECTIVES = frozenset({"memory-1-2-3", "memory-1-3", "memory-2-1-3", "memory-2-3"})
Whole = NDArray[np.int64]
MOST = 2.0**60
"""No sum over the stages grows beyond it."""


def grain_of(values: Floats, most: float) -> float:
    """Parts per byte, a power of two, under which all ``values`` (float64[v], bytes) are whole, or as many as leave ``most`` below :data:`MOST`."""
    grain = 1.0
    most = min(most, np.finfo(np.float64).max)
    while most * grain > MOST:
        grain /= 2.0
    while most * grain * 2 <= MOST and np.any(values * grain != np.floor(values * grain)):
        grain *= 2.0
    return grain


@dataclass(frozen=True, eq=False)
class EdgeTpuUnits:
    """m units on n stages, numbered so that edges lead from smaller to larger.

    ``weight`` int64[m] and ``cache`` are parameter bytes times ``grain`` (a power of two), tensors' ``size`` int64[t] are bytes
    times ``size_grain``; rounded so that no component is overstated. ``earliest`` and ``latest`` int32[m] are the first and
    the last stage that pins leave to a unit. A tensor between units has a ``producer`` int32[t] and other units as
    consumers, in increasing order: ``consumer_ptr`` int32[t+1], ``consumer_idx``.
    """

    units: Units
    stages: int
    components: tuple[str, ...]
    weight: Whole
    cache: int
    grain: float
    earliest: Ints
    latest: Ints
    producer: Ints
    size: Whole
    size_grain: float
    consumer_ptr: Ints
    consumer_idx: Ints

    @property
    def count(self) -> int:
        """Number of units."""
        return self.units.count

    @cached_property
    def total(self) -> int:
        """The parameter bytes of all units, times ``grain``."""
        return int(self.weight.sum())

    @property
    def feasible(self) -> bool:
        """Whether every unit has a stage left; where it has, taking the earliest for each is a plan."""
        return bool((self.earliest <= self.latest).all())

    @cached_property
    def weight_step(self) -> int:
        """What all weights are multiples of."""
        return int(np.gcd.reduce(self.weight)) or 1

    @cached_property
    def size_step(self) -> int:
        """What all tensors' sizes are multiples of."""
        return int(np.gcd.reduce(self.size)) or 1

    def unit(self, component: str) -> int:
        """What the numbers that make up a component are multiples of, the cache aside."""
        return self.size_step if component == COMMUNICATION else self.weight_step

    def step(self, component: str) -> int:
        """Two values of a component that differ do so by at least this.

        DRAM is a sum of weights less a number of caches, so two values differ by a sum of weights and up to n caches.
        """
        whole = self.unit(component)
        if component != DRAM:
            return whole
        over = [caches * self.cache % whole for caches in range(1, self.stages + 1)]
        return min([whole, *(min(x, whole - x) for x in over if x)])

    def grain_for(self, component: str) -> float:
        """Parts per byte in a component's whole numbers."""
        return self.size_grain if component == COMMUNICATION else self.grain

    def value(self, component: str, whole: int) -> float:
        """A component in bytes from its whole number."""
        return whole / self.grain_for(component)

    def coarser(self, bits: int) -> EdgeTpuUnits:
        """These units with coarser sizes, so that sums over the stages have at most ``bits`` bits; nothing is overstated.

        Sizes that are no binary fractions of bytes need it, where all bits of a number are not wanted.
        """
        sizes = int(self.size.sum())
        drop = _bits_beyond(self.total, self.stages, self.weight_step, bits)
        drop_size = _bits_beyond(sizes, self.stages, self.size_step, bits)
        if not drop and not drop_size:
            return self
        return replace(
            self,
            weight=self.weight >> drop,
            cache=-(-self.cache >> drop),
            grain=self.grain / 2.0**drop,
            size=self.size >> drop_size,
            size_grain=self.size_grain / 2.0**drop_size,
        )

    def device_of(self, stage_of: Ints) -> Ints:
        """The stage of each op (int32[n]) from that of each unit (int32[m])."""
        return stage_of[self.units.unit_of].astype(np.int32)

    def keeps(self, stage_of: Ints) -> bool:
        """Whether stages of the units (int32[m]) keep the order and the pins."""
        fine = (stage_of[self.units.src] <= stage_of[self.units.dst]).all()
        return bool(fine and (self.earliest <= stage_of).all() and (stage_of <= self.latest).all())

    def measures(self, stage_of: Ints) -> dict[str, int]:
        """All three components of a plan of the units (int32[m]), as whole numbers."""
        held = np.zeros(self.stages, np.int64)
        np.add.at(held, stage_of, self.weight)
        tensor = np.repeat(np.arange(len(self.size), dtype=np.int64), np.diff(self.consumer_ptr))
        to, home = stage_of[self.consumer_idx].astype(np.int64), stage_of[self.producer][tensor]
        crossing = np.unique((tensor * self.stages + to)[to != home])
        entering = np.zeros(self.stages, np.int64)
        np.add.at(entering, crossing % self.stages, self.size[crossing // self.stages])
        return {
            MEMORY: int(held.max()),
            DRAM: int(np.maximum(held - self.cache, 0).sum()),
            COMMUNICATION: int(entering.max()),
        }

    def simple_bound(self, component: str) -> int:
        """What no plan is below: an equal share or the largest unit; what all caches, or one for each unit, leave over."""
        if component == MEMORY:
            return max(-(-self.total // self.stages), int(self.weight.max(initial=0)))
        if component == DRAM:
            alone = int(np.maximum(self.weight - self.cache, 0).sum())
            return max(0, alone, self.total - self.stages * self.cache)
        return 0

    def balanced(self) -> Ints:
        """A plan to begin with (int32[m]): each stage filled to its share of what is left, in an order that suits the pins.

        Units are taken by latest stage, so that no stage which one of them needs is too late for those after it.
        """
        stage_of = np.zeros(self.count, np.int32)
        stage, held, left = 0, 0, self.total
        for u in np.lexsort((np.arange(self.count), self.latest)).tolist():
            w = int(self.weight[u])
            share = left / (self.stages - stage)
            if held + w / 2 > share and stage < self.latest[u]:
                left -= held
                stage, held = stage + 1, 0
            while stage < self.earliest[u]:
                left -= held
                stage, held = stage + 1, 0
            stage_of[u] = stage
            held += w
        return stage_of


def _bits_beyond(total: int, stages: int, step: int, bits: int) -> int:
    """How many bits to drop of numbers with this sum, where it does not fit into ``bits`` as multiples of ``step``."""
    most = total * stages
    return max(0, most.bit_length() - bits) if (most // step).bit_length() > bits else 0


def edge_tpu_units(problem: Problem) -> EdgeTpuUnits:
    """The units of a problem on an :class:`planner.machines.edge_tpu.target.EdgeTpuPipeline`."""
    evaluator = cast(EdgeTpuEvaluator, problem.evaluator)
    unit_of, src, dst = chain_units(problem)
    m = int(unit_of.max()) + 1 if len(unit_of) else 0
    rank = _topological(src, dst, m)
    unit_of = rank[unit_of]
    units = build_units(problem, unit_of, *unit_edges(unit_of, evaluator.edge_src, evaluator.edge_dst))
    memory = np.bincount(unit_of, evaluator.memory, m)
    cache = min(evaluator.target.cache, float(np.ceil(memory.sum())) + 1.0)
    grain = grain_of(np.append(memory, cache), evaluator.k * (float(memory.sum()) + 2.0))
    earliest, latest = _windows(units, evaluator.pinned, evaluator.k)
    tensors = _tensors(evaluator, unit_of)
    size_grain = grain_of(tensors[1], evaluator.k * (float(tensors[1].sum()) + 1.0))
    return EdgeTpuUnits(
        units=units,
        stages=evaluator.k,
        components=problem.components,
        weight=np.floor(memory * grain).astype(np.int64),
        cache=int(np.ceil(cache * grain)),
        grain=grain,
        earliest=earliest,
        latest=latest,
        producer=tensors[0],
        size=np.floor(tensors[1] * size_grain).astype(np.int64),
        size_grain=size_grain,
        consumer_ptr=tensors[2],
        consumer_idx=tensors[3],
    )


def _topological(src: Ints, dst: Ints, count: int) -> Ints:
    """The place of each unit in a topological order (int32[m])."""
    ptr, idx = csr(src, dst, count)
    waiting = np.bincount(dst, minlength=count).tolist()
    order = [u for u in range(count) if not waiting[u]]
    for u in order:
        for v in idx[ptr[u] : ptr[u + 1]].tolist():
            waiting[v] -= 1
            if not waiting[v]:
                order.append(v)
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    return rank


def _windows(units: Units, pinned: Ints, stages: int) -> tuple[Ints, Ints]:
    """First and last stage of each unit: its own pins' and, along the edges, those of the units before and after it."""
    earliest = np.zeros(units.count, np.int32)
    latest = np.full(units.count, stages - 1, np.int32)
    held = np.flatnonzero(pinned >= 0)
    np.maximum.at(earliest, units.unit_of[held], pinned[held])
    np.minimum.at(latest, units.unit_of[held], pinned[held])
    # Edges are sorted by their first unit, and units topologically.
    for u, v in zip(units.src.tolist(), units.dst.tolist(), strict=True):
        earliest[v] = max(earliest[v], earliest[u])
    for u, v in zip(units.src[::-1].tolist(), units.dst[::-1].tolist(), strict=True):
        latest[u] = min(latest[u], latest[v])
    return earliest, latest


def _tensors(evaluator: EdgeTpuEvaluator, unit_of: Ints) -> tuple[Ints, Floats, Ints, Ints]:
    """Tensors with bytes that several units touch: producer, bytes, and the other units that consume each as CSR.

    Tensors with the same producer and consumers are one: whatever stage one enters, so does the other.
    """
    found: dict[tuple[int, ...], float] = {}
    ptr = evaluator.consumer_ptr.tolist()
    consumers = unit_of[evaluator.consumer_idx].tolist()
    homes = unit_of[evaluator.tensor_producer].tolist()
    for t, (home, size) in enumerate(zip(homes, evaluator.size.tolist(), strict=True)):
        others = sorted(set(consumers[ptr[t] : ptr[t + 1]]) - {home})
        if others and size > 0:
            key = (home, *others)
            found[key] = found.get(key, 0.0) + size
    keys = sorted(found)
    counts = np.zeros(len(keys) + 1, np.int32)
    counts[1:] = np.cumsum([len(key) - 1 for key in keys])
    return (
        np.array([key[0] for key in keys], np.int32),
        np.array([found[key] for key in keys], np.float64),
        counts,
        np.array([u for key in keys for u in key[1:]], np.int32),
    )
