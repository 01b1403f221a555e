"""The tables and curves of the paper on multi-chip modules in its form: what searches find in how many samples; exact runs; the sampler's speed.

``python -m benchmarks mcm [--samples N] [--bert-samples N] [--runs N] [--quick] [--table NAME ...] [--graph NAME ...] [--out DIR] [--print]``

An improvement is the throughput over that of the compiler's greedy heuristic. A sample is a partition whose objective is computed, counted in
the same way for every method. Each search and each exact run is a row in ``DIR/*.csv`` at once, and what is there is not run again: a
script that is stopped goes on when it is started again. ``--print`` prints from what is there. ``DIR`` gets the curves as SVG.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks import mcm_speed
from benchmarks.curves import Band, curves
from benchmarks.edge_tpu_runs import write_table
from benchmarks.mcm_runs import (
    ANALYTICAL,
    BERT,
    COPIED,
    GRAPHS,
    GREEDY,
    METHODS,
    PUBLISHED,
    Curve,
    Rows,
    Trace,
    problem_of,
)
from planner.files import write_atomically
from planner.model.graph import Floats
from planner.text_table import table

ANNEAL, LOCAL = "chip-anneal", "chip-local-search"
Table = tuple[str, list[str], list[list[str]]]
"""Title, head, rows."""

LEVELS = {"sixteen": (1.6, 1.7, 1.8), "bert": (2.55, 2.6, 2.65)}
"""The improvements of the paper's tables 2 and 3."""
PAPER = {
    "sixteen": (
        ("paper: random", "305", "915", "3612"),
        ("paper: annealing", "255", "979", "-"),
        ("paper: learned, from scratch", "330", "676", "1496"),
        ("paper: learned, zero-shot", "196", "600", "3652"),
        ("paper: learned, fine-tuned", "171", "503", "1362"),
    ),
    "bert": (
        ("paper: random", "447", "-", "-"),
        ("paper: annealing", "576", "-", "-"),
        ("paper: learned, from scratch", "112", "423", "607"),
        ("paper: learned, zero-shot", "-", "-", "-"),
        ("paper: learned, fine-tuned", "20", "20", "161"),
    ),
}
"""Samples that the paper's methods took (other graphs and another machine)."""
SHARES = (0.9, 0.95, 1.0)
"""Levels of our own: shares of what annealing gains over greedy in the end."""
TARGETS = ("link=inf,check_memory=false,every_chip=true", "check_memory=false,every_chip=true")
"""Machines of the exact runs: transfers free, then as the file has them."""


class Tables:
    """The tables over given graphs."""

    def __init__(
        self, rows: Rows, graphs: Sequence[str], samples: int, bert_samples: int, runs: int, seconds: float
    ) -> None:
        self._rows, self._runs, self._seconds = rows, runs, seconds
        self._sets = {
            "sixteen": ([g for g in graphs if g != BERT.stem], ANALYTICAL, samples),
            "bert": ([g for g in graphs if g == BERT.stem], COPIED, bert_samples),
        }

    # ------------------------------------------------------------------ curves
    def _curve(self, which: str, graph: str, method: str, seed: int) -> Curve | None:
        _, target, samples = self._sets[which]
        return self._rows.curve(Trace(graph, target, method, samples, seed))

    def _greedy(self, which: str, graph: str) -> float:
        """What greedy finds, whatever the seed; infinite where it finds nothing valid or was not run."""
        curve = self._rows.curve(Trace(graph, self._sets[which][1], GREEDY, 1, 0))
        return np.inf if curve is None else curve.best

    def _measured(self, which: str) -> list[str]:
        """The graphs that greedy finds a valid plan for: those that it does not have no improvement to speak of."""
        return [graph for graph in self._sets[which][0] if self._greedy(which, graph) < np.inf]

    def improvements(self, which: str, method: str) -> Floats | None:
        """Geometric mean over the graphs of the improvement after each sample (float64[runs, samples]); 0 before every graph has a
        valid plan. None where a run is missing."""
        samples = self._sets[which][2]
        graphs = self._measured(which)
        found = np.zeros((self._runs, samples))
        if not graphs:
            return None
        for seed in range(self._runs):
            for graph in graphs:
                curve = self._curve(which, graph, method, seed)
                if curve is None:
                    return None
                with np.errstate(divide="ignore"):  # log(0): no valid plan yet
                    found[seed] += np.log(self._greedy(which, graph) / curve.expanded(samples))
        return np.exp(found / len(graphs))

    def growth(self, which: str) -> Iterator[Table]:
        """Mean and deviation of the improvement after so many samples."""
        _, _, samples = self._sets[which]
        steps = [s for s in (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000) if s < samples] + [samples]
        rows = []
        for method in METHODS:
            found = self.improvements(which, method)
            if found is not None:
                rows.append([method, *(mean_text(found[:, s - 1]) for s in steps)])
        yield f"{self._title(which)} after so many samples", ["method", *(f"{s:,}" for s in steps)], rows

    def levels(self, which: str) -> Iterator[Table]:
        """The paper's table 2 or 3: samples to reach an improvement, and how many times fewer than annealing takes."""
        means = {}
        for method in METHODS:
            found = self.improvements(which, method)
            if found is not None:
                means[method] = found.mean(axis=0)
        if ANNEAL not in means:
            return
        gain = means[ANNEAL][-1] - 1.0
        own = [1.0 + share * gain for share in SHARES] if gain > 0 else []
        number = 2 if which == "sixteen" else 3
        for title, wanted, others in (
            (
                f"Table {number}: samples to reach an improvement, and times fewer than annealing",
                LEVELS[which],
                PAPER[which],
            ),
            ("The same for shares of what annealing gains over greedy", own, ()),
        ):
            rows = []
            for method, mean in means.items():
                cells = [method]
                for level in wanted:
                    took, annealing = reached(mean, level), reached(means[ANNEAL], level)
                    fewer = f" ({annealing / took:.2f}x)" if took < math.inf and annealing < math.inf else ""
                    cells.append(f"{took:,.0f}{fewer}" if took < math.inf else "-")
                rows.append(cells)
            rows += [list(row) for row in others]
            if wanted:
                yield title, ["method", *(f">= {level:.2f}x" for level in wanted)], rows

    def graphs(self, which: str) -> Iterator[Table]:
        """Per graph: the best improvement of each method, and the samples that the assignment search takes to annealing's best."""
        names, target, _ = self._sets[which]
        rows = []
        fewer: list[float] = []
        for graph in names:
            greedy = self._greedy(which, graph)
            if self._rows.curve(Trace(graph, target, GREEDY, 1, 0)) is None:
                continue
            here = []
            cells = [graph, str(problem_of(graph, target).evaluator.n)]
            cells.append(f"{1e6 * greedy:.2f}" if greedy < np.inf else "-")
            complete = True
            for method in METHODS:
                found = [self._curve(which, graph, method, seed) for seed in range(self._runs)]
                ready = [c for c in found if c is not None]
                complete &= len(ready) == self._runs
                cells.append(
                    mean_text(np.array([self._greedy(which, graph) / c.best for c in ready]))
                    if ready
                    else "-"
                )
            for seed in range(self._runs if complete else 0):
                annealing = self._curve(which, graph, ANNEAL, seed)
                local = self._curve(which, graph, LOCAL, seed)
                assert annealing is not None and local is not None
                if annealing.values:
                    here.append(annealing.at[-1] / local.reached(annealing.best))
            fewer += here
            rows.append([*cells, times_text(here)])
        title = f"{self._title(which)}, per graph, and how many times fewer samples {LOCAL} takes to {ANNEAL}'s best"
        yield title, ["graph", "ops", "greedy µs", *METHODS, "times fewer"], rows
        if fewer:
            never = sum(1 for f in fewer if f == 0)
            share = times_text([f for f in fewer if f > 0])
            over = (
                f"over the {len(fewer) - never} of {len(fewer)} runs that reach it"
                if never
                else "over all runs"
            )
            yield (
                f"{LOCAL} takes {share} fewer samples than {ANNEAL} to {ANNEAL}'s best, geometric mean {over}",
                [],
                [],
            )

    def _title(self, which: str) -> str:
        target = self._sets[which][1]
        what = (
            f"{_graphs(len(self._measured(which)))}, geometric mean" if which == "sixteen" else "BERT-large"
        )
        runs = f"{self._runs} run{'s' if self._runs != 1 else ''}"
        return f"Throughput over greedy ({what} over {runs} on {target})"

    def figure(self, which: str, folder: Path) -> Path | None:
        """The paper's figure 5 or 6 as SVG; None where runs are missing."""
        series: dict[str, Band] = {}
        for method in METHODS:
            found = self.improvements(which, method)
            if found is None:
                return None
            means, deviations = found.mean(axis=0), found.std(axis=0)
            shown = np.unique(np.rint(np.geomspace(1, found.shape[1], 200)).astype(int))
            series[method] = [
                (float(s), float(means[s - 1]), float(deviations[s - 1]))
                for s in shown
                if (found[:, s - 1] > 0).all()
            ]
        title = (
            f"{_graphs(len(self._measured(which)))} on 36 chips (as figure 5)"
            if which == "sixteen"
            else "BERT-large on 36 chips (as figure 6)"
        )
        path = folder / ("figure-5.svg" if which == "sixteen" else "figure-6.svg")
        return write_atomically(path, curves(title, "evaluated samples", "throughput over greedy", series))

    # ------------------------------------------------------------------ exact
    def exact(self) -> Iterator[Table]:
        """The pruned BERT of the device-placement workloads, exactly; then the graph with all its edges."""
        rows = []
        for raw in (False, True):
            for rates in TARGETS if not raw else TARGETS[:1]:
                for count in (12, 36):
                    found = self._rows.exact(raw, f"mcm:{count},{rates}", self._seconds)
                    if found is not None:
                        free = "free" if "link=inf" in rates else "as filed"
                        numbers = [number_text(found.objective), number_text(found.bound)]
                        rows.append(
                            [found.graph, str(count), free, *numbers, found.status, f"{found.cpu:.1f}"]
                        )
        if not rows and not PUBLISHED.exists():
            print("  the published workloads are not beside this checkout; no exact runs", file=sys.stderr)
        head = ["edges", "chips", "transfers", "objective", "bound", "status", "CPU s"]
        yield "chip-cp-sat on bert_l-12 inference (783 ops), every chip used, memory off", head, rows


def _graphs(count: int) -> str:
    return f"{count} graph{'s' if count != 1 else ''}"


def reached(mean: Floats, level: float) -> float:
    """Samples after which a mean curve is at least ``level``; infinite where it never is."""
    at = np.flatnonzero(mean >= level - 1e-9)
    return float(at[0] + 1) if len(at) else math.inf


def mean_text(values: Floats) -> str:
    """Mean and deviation over the runs; a dash while a run has no valid plan."""
    return f"{values.mean():.3f} ± {values.std():.3f}" if len(values) and (values > 0).all() else "-"


def times_text(values: Sequence[float]) -> str:
    """Geometric mean of factors; a dash where there is none or one is 0."""
    if not values or min(values) <= 0:
        return "-"
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.1f}x"


def number_text(value: float) -> str:
    """An objective; a dash where there is none."""
    return f"{value:.4g}" if math.isfinite(value) else "-"


TABLES: dict[str, Callable[[Tables], Iterator[Table]]] = {
    "table-2": lambda t: t.levels("sixteen"),
    "figure-5": lambda t: t.growth("sixteen"),
    "graphs": lambda t: t.graphs("sixteen"),
    "table-3": lambda t: t.levels("bert"),
    "figure-6": lambda t: t.growth("bert"),
    "bert": lambda t: t.graphs("bert"),
    "exact": Tables.exact,
    "speed": lambda _: mcm_speed.table(),
}
FIGURES = {"figure-5": "sixteen", "figure-6": "bert"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing; print and write the tables and curves."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks mcm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [*(p.stem for p in GRAPHS), BERT.stem]
    parser.add_argument("--out", type=Path, default=Path("out/mcm"), help="folder of the results")
    parser.add_argument(
        "--samples", type=int, default=2_000, help="samples of a search on the sixteen graphs"
    )
    parser.add_argument("--bert-samples", type=int, default=800, help="samples of a search on BERT")
    parser.add_argument("--runs", type=int, default=5, help="runs of each search, seeds 0 onwards")
    parser.add_argument("--quick", action="store_true", help="100 samples, two runs, 10 s for an exact run")
    parser.add_argument("--seconds", type=float, default=120.0, help="time limit of an exact run")
    parser.add_argument("--table", nargs="+", choices=list(TABLES), default=list(TABLES), metavar="NAME")
    parser.add_argument("--graph", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--print", action="store_true", dest="only_print", help="run nothing")
    options = parser.parse_args(argv)
    if options.quick:
        options.samples, options.bert_samples, options.runs, options.seconds = 100, 100, 2, 10.0
    tables = Tables(
        Rows(options.out, options.only_print),
        options.graph, options.samples, options.bert_samples, options.runs, options.seconds,
    )  # fmt: skip
    for name in options.table:
        if name == "speed" and options.only_print:
            continue
        for i, (title, head, rows) in enumerate(TABLES[name](tables)):
            print(f"{title}\n{table(head, rows)}\n" if head else f"{title}\n", flush=True)
            if rows:
                write_table(options.out / f"{name}{f'-{i + 1}' if i else ''}.csv", head, rows)
        if name in FIGURES and (path := tables.figure(FIGURES[name], options.out)):
            print(f"{path}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
