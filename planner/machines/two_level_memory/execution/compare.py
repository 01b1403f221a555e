"""Programs and libraries beside each other on one batch: whether they are right, and how long they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from planner.machines.two_level_memory.execution import mkl
from planner.machines.two_level_memory.execution.layers import layers_of
from planner.machines.two_level_memory.execution.program import Program, Runner, aligned
from planner.machines.two_level_memory.execution.reference import reference
from planner.machines.two_level_memory.execution.scipy_csr import ScipyCsr
from planner.machines.two_level_memory.execution.timing import PAUSE, Timing, in_turn
from planner.model.network import Network, Singles

SCIPY, MKL = "scipy-csr", "mkl"


@dataclass(frozen=True)
class Measured:
    """One way to run the network: ``error`` (the largest, absolute), ``excess`` (the largest over what 32 bits allow), times."""

    error: float
    excess: float
    timing: Timing

    @property
    def right(self) -> bool:
        """Whether every output is as near to the reference as 32-bit arithmetic must come."""
        return self.excess <= 1.0


@dataclass(frozen=True)
class Comparison:
    """What each way took, by name, programs first; ``left_out`` says why a library is missing."""

    ways: Mapping[str, Measured]
    left_out: str | None


def random_batch(network: Network, samples: int, seed: int = 0) -> Singles:
    """A batch (float32[features, samples]) of normally distributed values that begins on a cache line."""
    batch = aligned((network.features, samples))
    batch[:] = np.random.default_rng(seed).standard_normal(batch.shape, np.float32)
    return batch


def compare(
    network: Network, programs: Mapping[str, Program], batch: Singles, threads: int = 1, seconds: float = 1.0
) -> Comparison:
    """Run all on one batch (float32[features, B]), ``seconds`` each, in turn.

    All take the same array and give the outputs (float32[S, B]); what they do to it between is in their times. scipy has
    one thread whatever ``threads`` is.
    """
    layers = layers_of(network)
    expected = reference(network, batch, layers)
    left_out = mkl.missing()
    with ExitStack() as stack:
        work: dict[str, Callable[[Singles], Singles]] = {}
        for name, program in programs.items():
            work[name] = stack.enter_context(Runner(program, batch.shape[1], threads)).run
        work[SCIPY] = ScipyCsr(layers).run
        if left_out is None:
            work[MKL] = stack.enter_context(mkl.Mkl(layers, batch.shape[1], threads)).run
        found = {name: run(batch).copy() for name, run in work.items()}
        calls = {name: _bound(run, batch) for name, run in work.items()}
        timings = in_turn(calls, seconds, pause=PAUSE if threads > 1 else 0.0)
    return Comparison(
        {
            name: Measured(
                float(np.abs(outputs - expected.values).max()), expected.excess(outputs), timings[name]
            )
            for name, outputs in found.items()
        },
        left_out,
    )


def _bound(run: Callable[[Singles], Singles], batch: Singles) -> Callable[[], Singles]:
    return lambda: run(batch)
