"""The paper's connection reordering, counted incrementally and by full recounts: the same way, and how much sooner.

``python -m benchmarks.reordering [--seconds S]``: iterations of the annealing as in the paper (sigma 0.2, M = 100) from the
Theorem-1 order on and from where it has arrived later, with the paper's window and with single moves. CPU
seconds of one thread, after compilation; both ways try the same windows and must end with the same order. The recounts use the
evaluator's kernel.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np

from benchmarks.marks import marked
from planner.generate.catalogue import generate_network
from planner.machines.two_level_memory.orders import moves
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.planners.connection_reordering import paper_window
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.recount.state import TOTAL
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints

SIGMA = 0.2
DENSITIES = (0.1, 0.01)
POLICIES = ("min", "lru", "rr")
GOALS = {"window": 4.0, "single": 40.0}
"""For the baseline (500 wide, 4 layers, 10 %, MIN), from the start on."""
ENOUGH = 1 << 60


class Way:
    """An annealing that goes on from an order at an iteration."""

    def __init__(self, problem: NetworkProblem, order: Ints, window: int, iteration: int, seed: int) -> None:
        self.window = window
        self.state, self.work = moves.prepared(problem, order, window, seed)
        self.work.tally[moves.ITERATION] = iteration

    def go(self, iterations: int, recount: bool) -> float:
        """So many iterations; returns their CPU seconds."""
        until = int(self.work.tally[moves.ITERATION]) + iterations
        began = time.process_time()
        moves.anneal(self.state, self.work, self.window, SIGMA, until, ENOUGH, recount)
        return time.process_time() - began


def compare(
    problem: NetworkProblem, order: Ints, window: int, iteration: int, seconds: float
) -> tuple[float, float]:
    """Microseconds of an iteration by full recounts and incrementally. Raises where the two ways part."""
    slow, fast = (Way(problem, order, window, iteration, 7) for _ in range(2))
    count = max(20, int(seconds / max(slow.go(5, True) / 5, 1e-6)))
    fast.go(5, False)
    recounted, counted = slow.go(count, True), fast.go(count, False)
    total = int(fast.state.numbers[TOTAL])
    if (
        not np.array_equal(slow.state.order, fast.state.order)
        or problem.evaluator.count(fast.state.order).total != total
    ):
        raise AssertionError("incremental counts led another way than full ones")
    return 1e6 * recounted / count, 1e6 * counted / count


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 0 when the goals are met, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reordering", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU seconds of full recounts per figure")
    args = parser.parse_args(arguments)
    print("Connection reordering: CPU microseconds per iteration, mlp 500 wide, 4 layers, M = 100")
    heads = [marked(name) for name in ("recounts", "incremental", "faster")]
    print(
        f"  {'density':>7}  {'policy':>6}  {'moves':>7}  {'after':>8}  {'ratio':>6}  {heads[0]:>10}  {heads[1]:>13}  {heads[2]:>8}"
    )
    met = True
    for density in DENSITIES:
        network = generate_network("mlp", {"width": 500, "depth": 4, "density": density}, 0)
        for policy in POLICIES:
            problem = NetworkProblem(network, TwoLevelMemory(100, policy))
            least = network.connection_count + network.neuron_count + len(network.outputs)
            for name, window, later in (("window", paper_window(problem), 10_000), ("single", 1, 200_000)):
                way = Way(problem, theorem_1_order(network), window, 0, 1)
                for after in (0, later):
                    way.go(after, False)
                    order = way.state.order.copy()
                    recounts, incremental = compare(problem, order, window, after, args.seconds)
                    faster = recounts / incremental
                    goal = ""
                    if (density, policy, after) == (0.1, "min", 0):
                        met = met and faster >= GOALS[name]
                        goal = f"  goal {GOALS[name]:g}"
                    print(
                        f"  {density:>7.0%}  {policy.upper():>6}  {name:>7}  {after:>8,}  {way.state.numbers[TOTAL] / least:>6.3f}"
                        f"  {recounts:>10.0f}  {incremental:>13.1f}  {faster:>8.1f}{goal}",
                        flush=True,
                    )
    print("both goals are met" if met else "a goal is not met")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
