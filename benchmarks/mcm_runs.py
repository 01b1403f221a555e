"""What the tables of multi-chip modules are made of: traced searches and exact runs, each kept as a row of a CSV file at once."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.placement import WORKLOADS, plan
from planner.formats import read_models
from planner.formats.graphs.stageboard_json import write
from planner.machines.spec import parse_target
from planner.model.cost_model import fill
from planner.model.graph import Floats, Graph, Op, Tensor
from planner.problem.problem import Problem

ROOT = Path(__file__).resolve().parents[1]
GRAPHS = tuple(sorted((ROOT / "benchmarks" / "graphs").glob("*.json")))
"""The sixteen test graphs, exported from PyTorch by tools/export_torch_graphs.py."""
BERT = ROOT / "sample_models" / "bert_large.json"
PUBLISHED = WORKLOADS / "throughput" / "OperatorGraphs" / "bert_l-12_inference.json"
CONSUMERS = 6
"""Ops with more consumers than this feed nobody in the pruned graph."""

ANALYTICAL = "mcm:36,check_memory=false"
"""The machine of the sixteen graphs: the paper's analytical model knows no memory."""
COPIED = f"{ANALYTICAL},copy_sources=2"
"""The machine of BERT: the attention mask is copied to the chips that read it, without which the triangle rule allows two chips only."""
SIMULATED = "mcm:36,precision=int8,check_memory=false,copy_sources=2,sram=256MiB"
"""The machine of BERT where partitions are judged by their simulated execution, in place of the paper's hardware: Edge TPUs compute with
bytes; with less memory the allocator has no place for most random partitions (figure 7)."""
SIMULATE = ",cost=simulated"
FITTING = "mcm:36,precision=int8"
"""The machine with the memory rule: parameters in one byte each, 32 MiB per chip."""
GREEDY = "chip-greedy"
LEARNED = "chip-learned"
SCRATCH, ZERO_SHOT, FINE_TUNED = (f"{LEARNED},mode={mode}" for mode in ("scratch", "zero-shot", "fine-tune"))
METHODS = ("chip-random", "chip-anneal", SCRATCH, ZERO_SHOT, FINE_TUNED, "chip-local-search")
"""Planners with their options: those of the paper, and the assignment search as an anchor."""


def asked(method: str) -> tuple[str, dict[str, str]]:
    """Planner and options of a method, which is written ``PLANNER[,KEY=VALUE...]``."""
    planner, *options = method.split(",")
    return planner, dict(option.split("=") for option in options)


@dataclass(frozen=True)
class Trace:
    """One traced search: which graph on which machine, how (:func:`asked`), and how long."""

    graph: str
    target: str
    method: str
    samples: int
    seed: int


@dataclass(frozen=True)
class Curve:
    """What a trace gave: where the best objective changed (samples from 1, values), and the CPU seconds it took."""

    at: tuple[int, ...]
    values: tuple[float, ...]
    cpu: float

    def expanded(self, samples: int) -> Floats:
        """The best objective after each sample (float64[samples]), infinite before the first valid one."""
        full = np.full(samples, np.inf)
        for at, value in zip(self.at, self.values, strict=True):
            full[at - 1 :] = value
        return full

    def reached(self, level: float) -> float:
        """Samples after which the objective is at most ``level``; infinite where it never is."""
        return next((a for a, v in zip(self.at, self.values, strict=True) if v <= level * (1 + 1e-9)), np.inf)

    @property
    def best(self) -> float:
        """The best objective; infinite where no sample was valid."""
        return self.values[-1] if self.values else np.inf


@dataclass(frozen=True)
class Exact:
    """One exact run: what the graph is, on which machine, what came of it."""

    graph: str
    target: str
    seconds: float
    status: str = ""
    objective: float = np.nan
    bound: float = np.nan
    cpu: float = np.nan


@cache
def problem_of(graph: str, target: str) -> Problem:
    """The problem of a graph, named by its file, on a machine."""
    path = BERT if graph == BERT.stem else ROOT / "benchmarks" / "graphs" / f"{graph}.json"
    return Problem(fill(read_models([path])), parse_target(target), "chip-latency")


def traced(case: Trace) -> Curve:
    """Run a traced search. What is compiled or loaded at first use is not counted."""
    from planner.machines.mcm.search.trace import trace

    warm(case.method)
    problem = problem_of(case.graph, case.target)
    planner, options = asked(case.method)
    began = time.process_time()
    values = trace(problem, planner, case.samples, case.seed, options)
    spent = time.process_time() - began
    better = np.flatnonzero(values < np.append(np.inf, values[:-1]))
    return Curve(tuple((better + 1).tolist()), tuple(values[better].tolist()), spent)


@cache
def warm(method: str) -> None:
    """Compile and load what a search needs."""
    from planner.machines.mcm.search.trace import trace

    planner, options = asked(method)
    trace(problem_of("resnet18", ANALYTICAL), planner, 20, 0, options)


def pruned(graph: Graph, most: int = CONSUMERS) -> Graph:
    """The graph without the edges that leave ops without predecessors or with more than ``most`` consumers; same ops, same times."""
    sources = np.diff(graph.preds[0]) == 0
    wide = np.diff(graph.succs[0]) > most
    given, given_cpu = graph.given_times
    ops = [
        Op(
            graph.op_ids[v], graph.op_names[v], graph.kinds[v],
            work=None if np.isnan(given[v]) else float(given[v]),
            work_cpu=None if np.isnan(given_cpu[v]) else float(given_cpu[v]),
            params=float(graph.params[v]), param_bytes=float(graph.param_bytes[v]), macs=float(graph.macs[v]), memory=float(graph.memory[v]),
            supported=bool(graph.supported[v]), layer=None if graph.layer[v] < 0 else int(graph.layer[v]),
        )
        for v in range(graph.n)
    ]  # fmt: skip
    tensors = []
    for t in range(graph.tensor_count):
        producer = int(graph.tensor_producer[t])
        if sources[producer] or wide[producer]:
            continue
        readers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
        spent = float(graph.tensor_time[t])
        tensors.append(
            Tensor(
                graph.op_ids[producer], tuple(graph.op_ids[r] for r in readers), float(graph.tensor_bytes[t]),
                time=None if np.isnan(spent) else spent,
            )
        )  # fmt: skip
    return Graph.build(f"{graph.name}_pruned", ops, tensors, time_unit=graph.time_unit)


class Rows:
    """Curves and exact runs by case. What is not in the files is run and appended at once, unless nothing may be run."""

    def __init__(self, folder: Path, only_print: bool = False) -> None:
        self._folder, self._only_print = folder, only_print
        self._curves: dict[Trace, Curve] = {}
        self._exact: dict[tuple[str, str, float], Exact] = {}
        for row in _lines(folder / "traces.csv"):
            graph, target, method, samples, seed, cpu, at, values = row
            case = Trace(graph, target, method, int(samples), int(seed))
            self._curves[case] = Curve(
                tuple(map(int, at.split())), tuple(map(float, values.split())), float(cpu)
            )
        for row in _lines(folder / "exact-runs.csv"):
            exact = Exact(row[0], row[1], float(row[2]), row[3], *map(float, row[4:]))
            self._exact[exact.graph, exact.target, exact.seconds] = exact

    def curve(self, case: Trace) -> Curve | None:
        """The curve of a case; None where it is missing and nothing may be run."""
        if case not in self._curves and not self._only_print:
            found = traced(case)
            self._curves[case] = found
            numbers = [" ".join(map(str, found.at)), " ".join(map(repr, found.values))]
            texts = [case.graph, case.target, case.method, case.samples, case.seed, f"{found.cpu:.3f}"]
            head = ["graph", "target", "method", "samples", "seed", "cpu_seconds", "at", "objective"]
            self._append("traces.csv", head, [*map(str, texts), *numbers])
        return self._curves.get(case)

    def exact(self, raw: bool, target: str, seconds: float) -> Exact | None:
        """The exact run on the published BERT, all its edges or the pruned graph; None where it is missing or fails."""
        name = "all edges" if raw else "pruned"
        key = (name, target, seconds)
        if key not in self._exact and not self._only_print and PUBLISHED.exists():
            path = self._folder / "bert_l-12_pruned.json"
            if not raw and not path.exists():
                self._folder.mkdir(parents=True, exist_ok=True)
                write(pruned(read_models([PUBLISHED])), path)
            arguments = ("--planner", "chip-cp-sat", "--time-limit", f"{seconds:g}", "--seed", "1")
            run = plan(PUBLISHED if raw else path, target, *arguments)
            if "status" not in run.report:
                print(f"  the exact run on {target} failed; it is not kept", file=sys.stderr)
                return None
            status = str(run.report["status"])
            found = Exact(
                name, target, seconds, status, run.number("objective"), run.number("lower_bound"), run.cpu
            )
            self._exact[key] = found
            head = ["graph", "target", "seconds", "status", "objective", "bound", "cpu_seconds"]
            values = [found.objective, found.bound, round(found.cpu, 2)]
            self._append("exact-runs.csv", head, [name, target, f"{seconds:g}", status, *map(repr, values)])
        return self._exact.get(key)

    def cells(
        self, name: str, head: Sequence[str], key: Sequence[str], run: Callable[[], Sequence[str]]
    ) -> list[str] | None:
        """What follows ``key`` in a row of the file ``name``; where it is missing what ``run`` gives, appended; None where nothing may be run."""
        for row in _lines(self._folder / name):
            if row[: len(key)] == list(key):
                return row[len(key) :]
        if self._only_print:
            return None
        found = list(run())
        self._append(name, head, [*key, *found])
        return found

    def _append(self, name: str, head: Sequence[str], cells: Sequence[str]) -> None:
        path = self._folder / name
        new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(head)
            writer.writerow(cells)


def _lines(path: Path) -> Iterator[list[str]]:
    """The rows of a CSV file but for its head; none where there is no file."""
    if path.exists():
        csv.field_size_limit(2**24)
        with path.open(newline="", encoding="utf-8") as file:
            yield from list(csv.reader(file))[1:]
