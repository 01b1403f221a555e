"""The learned policy inside the assignment search: samples and CPU seconds of ``chip-local-search`` to 1 % of the best known plan, by its option ``guide``.

``python -m benchmarks mcm_guided [--runs N] [--seconds S] [--reference-seconds S] [--chips N ...] [--graph NAME ...] [--out DIR] [--print]``

Best known is what the longer of all searches find, one with each guide and a seed of its own. A run ends at the level or after ``--seconds`` of CPU
time, and then counts with these. The cost of the policy's network is in its runs: features, weights read from the file, inference.
Each run is a row in ``DIR/*.csv`` at once, and what is there is not run again. Set ``OPENBLAS_NUM_THREADS=1``.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.edge_tpu_runs import write_table
from benchmarks.mcm_runs import ANALYTICAL, BERT, GRAPHS, ROOT, Rows
from benchmarks.mcm_words import Table
from planner.formats import read_models
from planner.machines.mcm.learning.networks import transformer
from planner.machines.mcm.search.local import GUIDES, SHARES
from planner.machines.mcm.search.methods import LOCAL_OPTIONS, local
from planner.machines.spec import parse_target
from planner.model.cost_model import fill
from planner.model.graph import Graph, Ints
from planner.options import parse_options
from planner.problem.problem import Problem
from planner.search.search import Callbacks, Search, Stopped
from planner.search.stop import Progress
from planner.text_table import table

LEVEL = 1.01
"""How far from the best known plan a run may end, as a factor."""
REFERENCE = 1_000
"""Seed of the searches that best known plans come from."""
BY_RULE = 7
"""Samples of the orders that are cut before any guide is asked."""
MADE_UP = (150, 300, 600)
"""Ops, about, of made-up transformers; none of them was trained on."""
EXPORTED = ("bert_3.json", "transformer_encoder.onnx", "transformer_decoder.onnx")
"""Transformers among the sample models."""
SIXTEEN = tuple(path.stem for path in GRAPHS)
FILES = {path.stem: path for path in (*GRAPHS, BERT, *(ROOT / "sample_models" / name for name in EXPORTED))}
TRANSFORMERS = (*(Path(name).stem for name in EXPORTED), *(f"made_up_{ops}" for ops in MADE_UP))
NAMES = (*SIXTEEN, BERT.stem, *TRANSFORMERS)


@cache
def graph_of(name: str) -> Graph:
    """The graph of a name among :data:`NAMES`."""
    if name in FILES:
        return fill(read_models([FILES[name]]))
    ops = int(name.rpartition("_")[2])
    return fill(transformer(np.random.default_rng((0, 2, ops)), ops))


def target_of(name: str, chips: int) -> str:
    """The machine of a graph: that of the other tables; exported transformers have masks, whose sources are copied as BERT's."""
    copies = ",copy_sources=2" if name in FILES and name not in SIXTEEN else ""
    return f"{ANALYTICAL.replace('mcm:36', f'mcm:{chips}')}{copies}"


class _Reached(Callbacks):
    """Notes samples and CPU seconds of each better plan; as a stop criterion it ends a search at ``level`` or after ``seconds``."""

    reason = "time"

    def __init__(self, level: float, seconds: float) -> None:
        self._level, self._seconds = level, seconds
        self._began = time.process_time()
        self.samples, self.cpu, self.objective = 0, 0.0, math.inf

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self.objective = objective
        self.samples, self.cpu = progress.iterations, time.process_time() - self._began

    @property
    def reached(self) -> bool:
        """Whether the level was reached."""
        return self.objective <= self._level

    def __call__(self, progress: Progress) -> bool:
        return self.reached or time.process_time() - self._began >= self._seconds


@dataclass(frozen=True)
class Reach:
    """How one run ended: the samples and CPU seconds that it took to the level, or to its end where ``reached`` is false, and its objective."""

    samples: int
    cpu: float
    reached: bool
    objective: float


def searched(problem: Problem, guide: str, seed: int, level: float, seconds: float) -> Reach:
    """Search with a guide until ``level`` is reached, for at most ``seconds`` of CPU time."""
    noted = _Reached(level, seconds)
    options = parse_options(LOCAL_OPTIONS, {"guide": guide}, "chip-local-search")
    search = Search(problem, noted, noted, seed, options)
    with contextlib.suppress(Stopped):
        local(problem, search)
    if noted.reached:
        return Reach(noted.samples, noted.cpu, True, noted.objective)
    return Reach(search.state.iterations, seconds, False, noted.objective)


@cache
def warm() -> None:
    """Compile and load what the search needs."""
    for guide in GUIDES:
        searched(problem_of(SIXTEEN[0], 8), guide, 0, 0.0, 0.2)


@cache
def warm_case(graph: str, chips: int) -> None:
    """Load what searches of one case share: whoever came first would pay for all."""
    warm()
    searched(problem_of(graph, chips), SHARES, 0, math.inf, 1.0)


def problem_of(graph: str, chips: int) -> Problem:
    """The problem of a case, nothing of which has been worked out yet but what graphs keep."""
    return Problem(graph_of(graph), parse_target(target_of(graph, chips)), "chip-latency")


class Guided:
    """The runs over given graphs and counts of chips."""

    def __init__(
        self,
        rows: Rows,
        graphs: Sequence[str],
        chips: Sequence[int],
        runs: int,
        seconds: float,
        reference: float,
    ) -> None:
        self._rows, self._runs, self._seconds, self._reference = rows, runs, seconds, reference
        self.cases = [(graph, count) for count in chips for graph in graphs]

    def best_known(self, graph: str, chips: int) -> float | None:
        """The least objective that the longer searches found; None where one is missing."""
        found = []
        for guide in GUIDES:
            cells = self._rows.cells(
                "best-known.csv", ["graph", "chips", "guide", "seconds", "objective"],
                [graph, str(chips), guide, f"{self._reference:g}"],
                lambda guide=guide: self._best(graph, chips, guide),
            )  # fmt: skip
            if cells is None:
                return None
            found.append(float(cells[0]))
        return min(found)

    def _best(self, graph: str, chips: int, guide: str) -> list[str]:
        warm_case(graph, chips)
        return [repr(searched(problem_of(graph, chips), guide, REFERENCE, 0.0, self._reference).objective)]

    def reaches(self, graph: str, chips: int) -> dict[str, list[Reach]] | None:
        """Of each guide its runs; None where one is missing. Guides take turns, so that a busy machine is busy for all."""
        best = self.best_known(graph, chips)
        if best is None:
            return None
        found: dict[str, list[Reach]] = {guide: [] for guide in GUIDES}
        for seed in range(self._runs):
            for guide in GUIDES:
                cells = self._rows.cells(
                    "guided.csv",
                    ["graph", "chips", "guide", "seed", "seconds", "best_known", "samples", "cpu_seconds", "reached", "objective"],
                    [graph, str(chips), guide, str(seed), f"{self._seconds:g}", repr(best)],
                    lambda guide=guide, seed=seed: self._cells(graph, chips, guide, seed, best),
                )  # fmt: skip
                if cells is None:
                    return None
                found[guide].append(Reach(int(cells[0]), float(cells[1]), cells[2] == "yes", float(cells[3])))
        return found

    def _cells(self, graph: str, chips: int, guide: str, seed: int, best: float) -> list[str]:
        warm_case(graph, chips)
        reach = searched(problem_of(graph, chips), guide, seed, LEVEL * best, self._seconds)
        return [
            str(reach.samples),
            f"{reach.cpu:.5f}",
            "yes" if reach.reached else "no",
            repr(reach.objective),
        ]

    def tables(self) -> Iterator[Table]:
        """Graph by graph, then the means."""
        rows, ratios = [], []
        for graph, chips in self.cases:
            found = self.reaches(graph, chips)
            if found is None:
                continue
            rows.append([graph, str(chips), *(_text(found[guide]) for guide in GUIDES)])
            ratios.append((graph, chips, found))
        yield (
            f"chip-local-search to {LEVEL - 1:.0%} of the best known plan: samples and CPU ms, geometric means over {self._runs} runs,"
            f" and how many of them reach it in {self._seconds:g} s where not all do",
            ["graph", "chips", *(f"guide={guide}" for guide in GUIDES)],
            rows,
        )
        others = [guide for guide in GUIDES if guide != SHARES]
        head = ["cases", "of them", *(f"{what}, {guide}" for guide in others for what in ("samples", "CPU"))]
        means = []
        for words, some in _groups(ratios):
            cells = [
                f"{_mean(getattr(r, what) for _, _, f in some for r in f[guide]) / _mean(getattr(r, what) for _, _, f in some for r in f[SHARES]):.2f}"
                for guide in others
                for what in ("samples", "cpu")
            ]
            means.append([words, str(len(some)), *cells])
        yield f"The same over those of guide={SHARES}, geometric means", head, means


Cases = list[tuple[str, int, dict[str, list[Reach]]]]


def _groups(cases: Cases) -> Iterator[tuple[str, Cases]]:
    """The cases by graphs and chips; those that need more than the cuts by rule; all."""
    parts = (("sixteen graphs", SIXTEEN), ("BERT-large", (BERT.stem,)), ("unseen transformers", TRANSFORMERS))
    groups = [
        (f"{words}, {chips} chips", [case for case in cases if case[0] in names and case[1] == chips])
        for words, names in parts
        for chips in sorted({case[1] for case in cases})
    ]
    settled = [
        case
        for case in cases
        if all(r.reached and r.samples <= BY_RULE for rs in case[2].values() for r in rs)
    ]
    groups.append(("the orders' cuts suffice", settled))
    groups.append(("they do not", [case for case in cases if case not in settled]))
    groups.append(("all", cases))
    return ((words, some) for words, some in groups if some)


def _mean(values: Iterator[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(np.fromiter(values, np.float64)).mean()))


def _text(runs: Sequence[Reach]) -> str:
    """Samples, CPU milliseconds, and how many runs reach the level unless all do."""
    reached = sum(run.reached for run in runs)
    few = "" if reached == len(runs) else f" ({reached}/{len(runs)})"
    return f"{_mean(float(r.samples) for r in runs):,.0f}, {1e3 * _mean(r.cpu for r in runs):.1f}{few}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing; print and write the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks mcm_guided",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("out/mcm"), help="folder of the results")
    parser.add_argument("--runs", type=int, default=5, help="runs with each guide, seeds 0 onwards")
    parser.add_argument("--seconds", type=float, default=2.0, help="most CPU seconds of a run")
    parser.add_argument(
        "--reference-seconds", type=float, default=3.0, help="CPU seconds of a search for the best known plan"
    )
    parser.add_argument("--chips", type=int, nargs="+", default=[12, 36], help="counts of chips")
    parser.add_argument("--graph", nargs="+", choices=NAMES, default=list(NAMES), metavar="NAME")
    parser.add_argument("--print", action="store_true", dest="only_print", help="run nothing")
    options = parser.parse_args(argv)
    guided = Guided(
        Rows(options.out, options.only_print),
        options.graph, options.chips, options.runs, options.seconds, options.reference_seconds,
    )  # fmt: skip
    for i, (title, head, rows) in enumerate(guided.tables()):
        print(f"{title}\n{table(head, rows)}\n", flush=True)
        if rows:
            write_table(options.out / f"guided-table{f'-{i + 1}' if i else ''}.csv", head, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
