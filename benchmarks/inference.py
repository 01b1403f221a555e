"""Batched inference with sparse networks: the order of Theorem 1 and a reordered one as programs, beside scipy's CSR and MKL.

``python -m benchmarks inference``, or ``python -m benchmarks.inference [--width N ...] [--density D ...] [--threads N ...] [--seconds S]
[--order-seconds S] [--batch N]``. All ways get the same array and give the same outputs, checked; biases, activations and
what each does to the layout are in its time. Times are the least of many calls, taken in turn. MKL is found as an extra, or by MKLROOT.
Ends with 1 where an output is wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.marks import marked
from planner.generate.catalogue import generate_network
from planner.machines.catalogue import planner
from planner.machines.two_level_memory.execution.compare import MKL, SCIPY, Comparison, compare, random_batch
from planner.machines.two_level_memory.execution.program import Runner, compile_order
from planner.machines.two_level_memory.execution.timing import in_turn
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.search.run import run
from planner.search.stop import WorkBudget
from planner.text_table import table

WIDTHS, DENSITIES, THREADS, BATCH = (500, 1000, 2000, 4000), (0.001, 0.01, 0.1), (1, 2), 128
FIRST, REORDERED = "theorem-1", "order-portfolio"
HEAD = (
    "width", "density", "threads", "connections", "I/Os",
    *map(marked, ("reordered", FIRST, "reordered", SCIPY, "x", MKL, "x", "ns/c", "CPU", "MKL")),
)  # fmt: skip


def rows(
    widths: Sequence[int], densities: Sequence[float], threads: Sequence[int], batch: int, seconds: float,
    order_seconds: float,
) -> Iterator[tuple[list[str], Comparison]]:  # fmt: skip
    """A row and what it was made from for each network and thread count, as it is measured."""
    for density in densities:
        for width in widths:
            network = generate_network("mlp", {"width": width, "density": density})
            problem = NetworkProblem(network, TwoLevelMemory())
            first = theorem_1_order(network)
            found = run(planner(REORDERED), problem, WorkBudget(order_seconds, math.inf).stop())
            orders = {FIRST: first, REORDERED: first if found.order is None else found.order}
            bound = network.connection_count + network.neuron_count + len(network.outputs)
            ios = [f"{problem.evaluate(order).objective / bound:.3f}" for order in orders.values()]
            programs = {name: compile_order(network, order) for name, order in orders.items()}
            samples = random_batch(network, batch)
            for count in threads:
                measured = compare(network, programs, samples, count, seconds)
                yield row(network, width, density, count, ios, measured), measured


def row(
    network: Network, width: int, density: float, threads: int, ios: list[str], measured: Comparison
) -> list[str]:
    """What is printed of a comparison: milliseconds, and how often ours fits into the libraries' times."""
    ways = measured.ways
    mine = ways[FIRST].timing
    cells = [f"{width}", f"{100 * density:g} %", f"{threads}", f"{network.connection_count:,}", *ios]
    cells += [f"{1e3 * ways[name].timing.least:.3f}" for name in (FIRST, REORDERED)]
    for name in (SCIPY, MKL):
        if name in ways:
            least = ways[name].timing.least
            cells += [f"{1e3 * least:.3f}", f"{least / mine.least:.2f}"]
        else:
            cells += ["-", "-"]
    cells += [f"{1e9 * mine.least / network.connection_count:.2f}", f"{1e3 * mine.cpu:.3f}"]
    cells.append(f"{1e3 * ways[MKL].timing.cpu:.3f}" if MKL in ways else "-")
    return cells


def ceilings(batch: int, seconds: float = 0.3) -> dict[str, float]:
    """Nanoseconds per connection where nothing but loads and multiplications is left to do: 300 runs of 1,000 connections.

    Sources come at random from few rows, which the first-level cache holds, or from more, which the second does.
    """
    out = {}
    for name, sources in (("first-level cache", 32), ("second-level cache", 1000)):
        runs, length = 300, 1000
        rng = np.random.default_rng(0)
        source = rng.permuted(np.tile(np.arange(sources), runs * length // sources + 1)[: runs * length])
        target = sources + np.repeat(np.arange(runs), length)
        network = network_of(name, source, target, rng.normal(size=len(source)))
        program = compile_order(network, np.arange(len(source)), tile=sources)
        with Runner(program, batch) as runner:
            samples = random_batch(network, batch)
            timing = in_turn({name: lambda r=runner, s=samples: r.run(s)}, seconds)[name]  # type: ignore[misc]
        out[name] = 1e9 * timing.least / len(source)
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.inference", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--width", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--density", type=float, nargs="+", default=DENSITIES)
    parser.add_argument("--threads", type=int, nargs="+", default=THREADS)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each way")
    parser.add_argument(
        "--order-seconds", type=float, default=2.0, help="processor seconds for the reordering"
    )
    args = parser.parse_args(argv)
    print(
        f"Inference, batch {args.batch}: ms (least), x how much longer than {FIRST}; I/Os over the lower bound, M = 100"
    )
    printed, wrong, reasons = [], 0, set[str]()
    for cells, measured in rows(
        args.width, args.density, args.threads, args.batch, args.seconds, args.order_seconds
    ):
        printed.append(cells)
        print("  ".join(cells), file=sys.stderr, flush=True)
        wrong += sum(not way.right for way in measured.ways.values())
        reasons |= {measured.left_out} if measured.left_out else set()
    print(table(HEAD, printed, left=0))
    for name, value in ceilings(args.batch).items():
        print(f"ceiling, sources in the {name}: {value:.2f} ns per connection")
    for reason in sorted(reasons):
        print(reason)
    if wrong:
        print(f"{wrong} results are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
