"""Inference in the order that is shown: checked, and timed beside scipy's sparse matrices.

No Qt here: it runs in a process of its own, so that neither waits for the other's interpreter lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from planner.machines.two_level_memory.execution.timing import Timing
    from planner.model.graph import Ints
    from planner.model.network import Network

SECONDS = 0.6
"""Roughly how long each way is timed."""
ROUNDS = 5
MINE, SCIPY = "this order", "scipy CSR, layer by layer"


@dataclass(frozen=True)
class Measured:
    """``timings`` by way; ``runs`` of one neuron that the order was compiled to; ``excess``: the largest error over what
    32-bit arithmetic allows (above 1 the result is wrong)."""

    batch: int
    threads: int
    runs: int
    excess: float
    timings: dict[str, Timing]

    @property
    def correct(self) -> bool:
        """Whether all outputs are what they must be."""
        return self.excess <= 1.0


def measure(network: Network, order: Ints, batch: int, threads: int) -> Measured:
    """Run batches of random numbers (seed 0) through the network.

    Raises :class:`StageboardError` on an order that is not valid.
    """
    from planner.machines.two_level_memory.execution.layers import layers_of
    from planner.machines.two_level_memory.execution.program import Runner, compile_order
    from planner.machines.two_level_memory.execution.reference import reference
    from planner.machines.two_level_memory.execution.scipy_csr import ScipyCsr
    from planner.machines.two_level_memory.execution.timing import in_turn

    program = compile_order(network, order)
    values = np.random.default_rng(0).standard_normal((network.features, batch)).astype(np.float32)
    layers = layers_of(network)
    plain = ScipyCsr(layers)
    with Runner(program, batch, threads) as runner:
        excess = reference(network, values, layers).excess(runner.run(values))
        ways = {MINE: lambda: runner.run(values), SCIPY: lambda: plain.run(values)}
        timings = in_turn(ways, SECONDS, ROUNDS)
    return Measured(batch, threads, program.runs, excess, timings)
