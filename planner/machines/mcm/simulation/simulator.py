"""Execution of a plan on the package, simulated: the stand-in for the hardware on which the MCM paper measures (sections 5.3 and 5.4).

The analytical cost adds up what each chip receives, computes and sends, as if nothing overlapped and nothing stood in the way. Here
inferences follow one another through the chips:

* a chip runs an inference once all that it reads of it has arrived, and computes for the work of its ops, times a factor that is
  drawn for each run (jitter);
* what one chip sends to the same set of chips of one inference is a burst. It leaves when the chip has finished, over every link on
  its way, each of which it holds for the time of its tensors; the chips in between pass it on, and those that read it keep it;
* links are shared: one burst at a time, first come, first served (ties: the earlier inference, then the burst of the lower chip). The head of a
  burst takes a hop per link, the rest follows; where the next link is busy, the router holds it;
* buffers are double: a chip runs an inference only when what it sent of the one before the last has left, and a burst leaves only when each
  chip that reads it has finished the one before the last;
* an allocator places all that a chip holds, first fit (:mod:`planner.machines.mcm.simulation.allocation_kernels`), in its ``sram``, whether
  the memory rule is on or not; where it fails the plan does not run.

Times have the graph's unit, as in the analytical cost, bytes are bytes. Sources: ring, one-way links and the allocation that fails are
the paper's (section 3); time of a hop and rates are the target's (Simba's where the paper gives none); double buffers, arbitration and
jitter are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.errors import PlanError
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.kernels import copied_amounts
from planner.machines.mcm.simulation.allocation_kernels import FITS, place_tensors
from planner.machines.mcm.simulation.pipeline_kernels import run_package
from planner.model.graph import Floats, Ints, csr
from planner.options import Option

OPTIONS = (
    Option("inferences", 64, "inferences that follow one another; the second half is measured", low=2, high=100_000),
    Option("jitter", 0.05, "how much longer or shorter a chip may take each time, as a share; 0 = always the same", low=0.0, high=0.99),
    Option("seed", 0, "which factors are drawn", low=0, high=2**31 - 1),
    Option("sram", "", "memory of a chip, such as 32MiB; unless said that of the plan's target"),
)  # fmt: skip
"""What a simulation can be asked."""


@dataclass(frozen=True)
class SimulationSettings:
    """``inferences`` that follow one another, the share ``jitter`` by which the time of a chip varies, evenly, and the ``seed`` of that."""

    inferences: int = 64
    jitter: float = 0.05
    seed: int = 0


class Unplaced(NamedTuple):
    """What the allocator found no place for: ``wanted`` bytes on ``chip`` before ``op`` (-1: before the first); ``largest`` bytes were free
    in one piece, ``free`` in total."""

    chip: int
    op: int
    wanted: float
    largest: float
    free: float


class Bursts(NamedTuple):
    """What crosses links in one inference, a burst each: ``home`` and ``last`` int32[b] (from which chip, to which farthest one), ``time`` float64[b]
    on a link, ``size`` float64[b] in bytes, ``reads`` uint64[b] the chips that keep it, as a set of bits."""

    home: Ints
    last: Ints
    time: Floats
    size: Floats
    reads: np.ndarray


@dataclass(frozen=True, eq=False)
class Simulated:
    """What a simulation found. ``interval``: time from one inference to the next, whose reciprocal is the throughput; ``latency``: until
    the first one is through. Both are infinite where the allocator failed (``unplaced``).

    ``busy`` and ``links`` float64[k]: the share of the time that each chip computes and that the link to the next one is held, ``high`` float64[k]: the
    bytes of each chip up to the highest in use (up to where the allocator failed).
    """

    interval: float
    latency: float
    busy: Floats
    links: Floats
    high: Floats
    unplaced: Unplaced | None

    @property
    def throughput(self) -> float:
        """Inferences in a unit of time; 0 where the plan does not run, infinite where it takes no time."""
        return 1.0 / self.interval if self.interval else math.inf


class Simulator:
    """Simulates plans of one problem, whatever its rules; a dependency must not lead back (:class:`PlanError`)."""

    def __init__(self, evaluator: McmEvaluator, settings: SimulationSettings | None = None) -> None:
        self.settings = settings or SimulationSettings()
        self._evaluator = evaluator
        drawn = np.random.default_rng(self.settings.seed).uniform(
            -1.0, 1.0, (self.settings.inferences, evaluator.k)
        )
        self.factors: Floats = 1.0 + self.settings.jitter * drawn
        """By how much each run of a chip takes longer (float64[inferences, k])."""

    def work(self, device_of: Ints) -> Floats:
        """Time that each chip computes for one inference, without jitter (float64[k])."""
        e = self._evaluator
        copies = copied_amounts(
            device_of, e.k, e.copy_work, e.tensor_producer, e.copied, e.consumer_ptr, e.consumer_idx
        )
        return np.asarray(np.bincount(device_of, e.work[0], e.k) + copies, np.float64)

    def bursts(self, device_of: Ints) -> Bursts:
        """What crosses links in one inference under an assignment (int32[n]). Raises :class:`PlanError` where it would have to go back."""
        e = self._evaluator
        tensor = np.repeat(np.arange(len(e.size)), np.diff(e.consumer_ptr))
        source, reader = device_of[e.tensor_producer[tensor]], device_of[e.consumer_idx]
        away = (source != reader) & ~e.copied[e.tensor_producer[tensor]]
        if (reader[away] < source[away]).any():
            raise PlanError(
                "the plan has a dependency that leads back to an earlier chip, and links lead one way; repair it, then simulate"
            )
        bits = np.zeros(len(e.size), np.uint64)
        np.bitwise_or.at(bits, tensor[away], np.uint64(1) << reader[away].astype(np.uint64))
        sent = np.flatnonzero(bits)
        home = device_of[e.tensor_producer[sent]]
        keys, which = np.unique(
            np.stack([home.astype(np.uint64), bits[sent]], axis=1), axis=0, return_inverse=True
        )
        which = which.reshape(-1)
        last = np.array([int(reads).bit_length() - 1 for reads in keys[:, 1]], np.int32)
        return Bursts(
            keys[:, 0].astype(np.int32), last, np.bincount(which, e.send_time[sent], len(keys)).astype(np.float64),
            np.bincount(which, e.size[sent], len(keys)).astype(np.float64), np.ascontiguousarray(keys[:, 1]),
        )  # fmt: skip

    def needed(self, device_of: Ints) -> Floats:
        """Bytes of each chip up to the highest in use (float64[k]) were its memory unlimited, under an assignment (int32[n]): as first fit takes
        the lowest gap, so much memory is enough."""
        e = self._evaluator
        high = np.zeros(e.k)
        place_tensors(device_of, e.k, e.parameter_bytes(device_of), math.inf, *e.flows(), high)
        return high

    def allocated(self, device_of: Ints) -> tuple[Floats, Unplaced | None]:
        """Bytes of each chip up to the highest in use (float64[k]), and what there was no place for, under an assignment (int32[n])."""
        e = self._evaluator
        high = np.zeros(e.k)
        found = place_tensors(device_of, e.k, e.parameter_bytes(device_of), e.target.sram, *e.flows(), high)
        return high, None if found[0] == FITS else Unplaced(*found)

    def run(self, device_of: Ints) -> Simulated:
        """Simulate an assignment (int32[n]). Raises :class:`PlanError` where a dependency leads back."""
        e = self._evaluator
        device_of = e.checked(device_of)
        bursts = self.bursts(device_of)
        high, unplaced = self.allocated(device_of)
        count, nothing = self.settings.inferences, np.zeros(e.k)
        if unplaced is not None:
            return Simulated(math.inf, math.inf, nothing, nothing, high, unplaced)
        work = self.factors * self.work(device_of)
        begin, end, carried = np.zeros((count, e.k)), np.zeros((count, e.k)), np.zeros(e.k)
        number = np.arange(len(bursts.home), dtype=np.int32)
        readers = (bursts.reads[:, None] >> np.arange(e.k, dtype=np.uint64)) & np.uint64(1) > 0
        burst, chip = np.nonzero(readers)
        run_package(
            work, bursts.home, bursts.last, bursts.time, bursts.reads, *csr(bursts.home, number, e.k),
            *csr(chip.astype(np.int32), burst.astype(np.int32), e.k), e.hop, begin, end, carried,
        )  # fmt: skip
        done = end.max(axis=1)
        half = count // 2
        total = float(done[-1])
        busy, links = (work.sum(axis=0) / total, carried / total) if total else (nothing, nothing)
        interval = float(done[-1] - done[half - 1]) / (count - half)
        return Simulated(interval, float(done[0]), busy, links, high, None)
