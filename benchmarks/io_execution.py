"""How long batched inference takes in the Theorem-1 order and in a reordered one, beside layer-wise products: figures 7 and 8 of the I/O paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

import numpy as np

from benchmarks.io_runs import FIRST, OURS, THEOREM_1, Case, ordered, problem_of_case, warm
from planner.machines.two_level_memory.execution import mkl
from planner.machines.two_level_memory.execution.layers import layers_of
from planner.machines.two_level_memory.execution.program import Runner, compile_order
from planner.machines.two_level_memory.execution.scipy_csr import ScipyCsr

RUNS, SAMPLES = 10, 128
"""Timed runs of each method and the size of the batch, as in the paper (section VI-B)."""
SCIPY, MKL = "scipy CSR, by layer", "MKL, by layer"


def methods() -> tuple[str, ...]:
    """What is timed here, as pictures name it."""
    return (FIRST[THEOREM_1], FIRST[OURS], SCIPY, *([] if mkl.missing() else [MKL]))


def times(kind: str, settings: str, memory: int, seconds: float) -> dict[str, list[float]]:
    """Milliseconds of processor time of each of the runs, by method, on one thread: who else runs hardly counts.

    The reordered order took ``seconds`` of CPU time for MIN and ``memory`` values. All methods are given the same batch in the same layout, and
    take turns, each once more than is timed.
    """
    case = Case(kind, settings, 0, memory, "min", OURS, seconds)
    problem = problem_of_case(case)
    network = problem.network
    batch = np.random.default_rng(0).standard_normal((network.features, SAMPLES), np.float32)
    with ExitStack() as stack:
        work: dict[str, Callable[[], np.ndarray]] = {}
        for method in (THEOREM_1, OURS):
            warm(method, "min")
            order = ordered(problem, Case(kind, settings, 0, memory, "min", method, seconds))
            runner = stack.enter_context(Runner(compile_order(network, order), SAMPLES))
            work[FIRST[method]] = lambda runner=runner: runner.run(batch)  # type: ignore[misc]
        layers = layers_of(network)
        csr = ScipyCsr(layers)
        work[SCIPY] = lambda: csr.run(batch)
        if not mkl.missing():
            library = stack.enter_context(mkl.Mkl(layers, SAMPLES))
            work[MKL] = lambda: library.run(batch)
        _check(work)
        return _in_turn(work)


def _check(work: Mapping[str, Callable[[], np.ndarray]]) -> None:
    """All methods say the same."""
    results = [call().copy() for call in work.values()]
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-3, atol=1e-3 * np.abs(results[0]).max())


def _in_turn(work: Mapping[str, Callable[[], np.ndarray]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(RUNS):
        for name, call in work.items():
            call()  # what another left in the caches is not ours
            began = time.process_time()
            call()
            found[name].append(1e3 * (time.process_time() - began))
    return found
