"""What exact methods for multi-chip modules start from: units, all dependencies between them, and what fills a chip.

A multi-chip module is a pipeline whose stages are chips (:mod:`planner.machines.pipeline.exact.model`), with rules of its own. The
tensor of a copied source costs each reading chip the source's work and its own chip nothing to send, which the evaluator's
arrays already say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.machines.pipeline.exact.model import UNITS_PER_CHECK, StageModel, stage_model
from planner.methods.mip.model import unchecked
from planner.methods.units import unit_edges
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator
    from planner.machines.mcm.target import McmPackage


@dataclass(frozen=True, eq=False)
class Flow:
    """Tensors with the same producer and readers: ``size`` bytes, ``home`` the producer's unit, ``readers`` other units.

    ``params``: bytes of parameters that a copy of the source takes on each reading chip, None where it is not copied.
    """

    home: int
    readers: tuple[int, ...]
    size: float
    params: float | None


@dataclass(frozen=True, eq=False)
class Memory:
    """What surely fills a chip: a plan that keeps the rule satisfies all of it, though not the reverse.

    ``capacity`` bytes; ``working`` float64[m]: most bytes that are there while one of the unit's ops runs, its inputs and
    outputs; ``unread`` float64[m]: bytes of outputs that nobody reads, which stay; ``flows``: tensors between units.
    """

    capacity: float
    working: Floats
    unread: Floats
    flows: tuple[Flow, ...]


@dataclass(frozen=True, eq=False)
class Chord:
    """A dependency ``u -> w`` beside longer ways over the units ``inside`` (int32).

    Under the triangle rule all of them are on the chip of u or on that of w: if these are two chips, a direct arc leads from
    one to the other, and a unit on a third would make an indirect way.
    """

    u: int
    w: int
    inside: Ints

    @property
    def units(self) -> Ints:
        """The units ``inside`` and the two ends (int32[inside + 2])."""
        return np.concatenate([self.inside, [self.u, self.w]]).astype(np.int32)


@dataclass(frozen=True, eq=False)
class McmModel:
    """``stages``: units and chips as stages; ``src``, ``dst`` int32: all dependencies between units, implied ones too.

    ``rules``: names of the rules that hold; ``chords``: without those that others imply, none without the triangle rule;
    ``memory`` is None where everything fits in any case. ``single_sample``: the objective is the latency of one sample,
    ``hop`` the time to pass a link then.
    """

    problem: Problem
    stages: StageModel
    src: Ints
    dst: Ints
    rules: frozenset[str]
    chords: tuple[Chord, ...]
    memory: Memory | None
    single_sample: bool
    hop: float

    @property
    def hops(self) -> Floats:
        """The time to pass 0, 1, ... links where a single sample counts, else nothing (float64[k] or empty)."""
        return self.hop * np.arange(self.stages.k if self.single_sample else 0, dtype=np.float64)

    @property
    def widest(self) -> Chord | None:
        """The chord with most work."""
        work = self.stages.work
        return max(self.chords, key=lambda c: float(work[c.units].sum()), default=None)

    @property
    def least(self) -> float:
        """A bound from chords: one of two chips does at least half the work of the widest."""
        most = 0.0 if self.widest is None else float(self.stages.work[self.widest.units].sum())
        # A sum of floats may be some units in the last place too large.
        return most / 2 * (1 - 1e-15 * self.stages.count)

    def place(self, device_of: Ints) -> Ints:
        """The chip of each unit (int32[m]) in a plan (int32[n])."""
        place = np.zeros(self.stages.count, np.int32)
        place[self.stages.unit_of] = device_of
        return place


def mcm_model(problem: Problem, check: Callable[[], None] = unchecked) -> McmModel:
    """The model of a problem on a multi-chip module. Raises :class:`planner.errors.PlannerRefusal` on very many units.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    e = cast("McmEvaluator", problem.evaluator)
    target = cast("McmPackage", problem.target)
    stages = stage_model(problem, check)
    src, dst = unit_edges(stages.unit_of, e.edge_src, e.edge_dst)
    rules = frozenset(target.rules(problem.graph))
    return McmModel(
        problem=problem,
        stages=stages,
        src=src,
        dst=dst,
        rules=rules,
        chords=_chords(stages, src, dst, check) if "triangle" in rules else (),
        memory=_memory(e, stages, check) if "memory" in rules else None,
        single_sample=e.single_sample,
        hop=e.hop,
    )


def _chords(stages: StageModel, src: Ints, dst: Ints, check: Callable[[], None]) -> tuple[Chord, ...]:
    """Of an op's dependencies beside longer ways only the longest: what lies within one of them lies within its chips."""
    kept = set(zip(stages.src.tolist(), stages.dst.tolist(), strict=True))
    implied: dict[int, list[int]] = {}
    for u, w in zip(src.tolist(), dst.tolist(), strict=True):
        if (u, w) not in kept:
            implied.setdefault(u, []).append(w)
    found = []
    for u, ws in implied.items():
        check()
        for w in ws:
            if not stages.before[ws, w].any():
                found.append(
                    Chord(u, w, np.flatnonzero(stages.before[w] & stages.before[:, u]).astype(np.int32))
                )
    return tuple(found)


def _memory(e: McmEvaluator, stages: StageModel, check: Callable[[], None]) -> Memory | None:
    """None where parameters, copies included, and all tensors together fit one chip."""
    capacity = float(e.capacity.min(initial=math.inf)) * (1 + 1e-9)
    if float(e.params.sum() + e.copy_params.sum() + e.size.sum()) <= capacity:
        return None
    unit_of, copied = stages.unit_of, e.copied
    working, unread = np.zeros(e.n), np.zeros(stages.count)
    summed: dict[tuple[int, int, tuple[int, ...]], float] = {}
    for t in range(len(e.size)):
        if t % UNITS_PER_CHECK == 0:
            check()
        u, size = int(e.tensor_producer[t]), float(e.size[t])
        readers = e.consumer_idx[e.consumer_ptr[t] : e.consumer_ptr[t + 1]]
        working[readers] += size
        if not copied[u]:
            working[u] += size
            if not len(readers):
                unread[unit_of[u]] += size
        home = int(unit_of[u])
        others = tuple(sorted(set(unit_of[readers].tolist()) - {home}))
        if others:
            key = (u if copied[u] else -1, home, others)
            summed[key] = summed.get(key, 0.0) + size
    flows = tuple(
        Flow(home, others, size, None if u < 0 else float(e.copy_params[u]))
        for (u, home, others), size in sorted(summed.items())
    )
    most = np.zeros(stages.count)
    np.maximum.at(most, unit_of, working)
    return Memory(capacity, most, unread, flows)
