"""The tables and curves of the paper on multi-chip modules in its form: what searches find in how many samples; exact runs; the sampler's speed.

``python -m benchmarks mcm [--samples N] [--learned-samples N] [--bert-samples N] [--runs N] [--quick] [--table NAME ...] [--graph NAME ...] [--out DIR] [--print]``

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

from benchmarks import mcm_figure_7, mcm_memory, mcm_speed
from benchmarks.curves import Band, curves
from benchmarks.edge_tpu_runs import write_table
from benchmarks.mcm_runs import (
    ANALYTICAL,
    BERT,
    COPIED,
    FINE_TUNED,
    FITTING,
    GRAPHS,
    GREEDY,
    LEARNED,
    METHODS,
    PUBLISHED,
    SCRATCH,
    SIMULATE,
    SIMULATED,
    ZERO_SHOT,
    Curve,
    Rows,
    Trace,
    asked,
    problem_of,
)
from benchmarks.mcm_words import (
    AWAY,
    LEVELS,
    NUMBERS,
    PAPER,
    Table,
    graphs_text,
    mean_text,
    number_text,
    reached,
    times_text,
)
from planner.files import write_atomically
from planner.machines.mcm.search.methods import METHODS as KNOWN
from planner.model.graph import Floats
from planner.text_table import table

RANDOM, ANNEAL, LOCAL = "chip-random", "chip-anneal", "chip-local-search"
TARGETS = ("link=inf,check_memory=false,every_chip=true", "check_memory=false,every_chip=true")
"""Machines of the exact runs: transfers free, then as the file has them."""


class Tables:
    """The tables over given graphs."""

    def __init__(
        self,
        rows: Rows,
        graphs: Sequence[str],
        samples: int,
        learned_samples: int,
        bert_samples: int,
        partitions: int,
        runs: int,
        seconds: float,
    ) -> None:
        self._rows, self._runs, self._seconds, self._graphs = rows, runs, seconds, graphs
        self._partition_count, self._learned_samples = partitions, learned_samples
        bert = [g for g in graphs if g == BERT.stem]
        self._sets = {
            "sixteen": ([g for g in graphs if g != BERT.stem], ANALYTICAL, samples, ""),
            "bert": (bert, COPIED, bert_samples, ""),
            "simulated": (bert, SIMULATED, bert_samples, SIMULATE),
            "sixteen-memory": ([g for g in graphs if g != BERT.stem], FITTING, samples, ""),
            "bert-memory": (bert, f"{FITTING},copy_sources=2", bert_samples, ""),
        }

    def methods(self, which: str) -> list[str]:
        """Those that are there, and can be judged as ``which`` asks."""
        wanted = asked(f"x{self._sets[which][3]}")[1]
        return [
            method
            for method in METHODS
            if asked(method)[0] in KNOWN and wanted.keys() <= {o.name for o in KNOWN[asked(method)[0]][0]}
        ]

    def _samples(self, which: str, method: str) -> int:
        """How many samples a run has: those that learn take long, and have fewer."""
        samples = self._sets[which][2]
        return min(samples, self._learned_samples) if asked(method)[0] == LEARNED else samples

    # ------------------------------------------------------------------ curves
    def _curve(self, which: str, graph: str, method: str, seed: int) -> Curve | None:
        _, target, _, judged = self._sets[which]
        return self._rows.curve(Trace(graph, target, f"{method}{judged}", self._samples(which, method), seed))

    def _greedy(self, which: str, graph: str) -> float:
        """What greedy finds, whatever the seed; infinite where it finds nothing valid or was not run."""
        _, target, _, judged = self._sets[which]
        curve = self._rows.curve(Trace(graph, target, f"{GREEDY}{judged}", 1, 0))
        return np.inf if curve is None else curve.best

    def _measured(self, which: str) -> list[str]:
        """The graphs that greedy finds a valid plan for: those that it does not have no improvement to speak of."""
        return [graph for graph in self._sets[which][0] if self._greedy(which, graph) < np.inf]

    def improvements(self, which: str, method: str) -> Floats | None:
        """Geometric mean over the graphs of the improvement after each sample (float64[runs, samples]); 0 before every graph has a
        valid plan. None where a run is missing."""
        samples = self._samples(which, method)
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

    def _means(self, which: str) -> dict[str, Floats]:
        """Mean over the runs of the improvement after each sample, of methods whose runs are all there."""
        found = {method: self.improvements(which, method) for method in self.methods(which)}
        return {method: values.mean(axis=0) for method, values in found.items() if values is not None}

    def growth(self, which: str) -> Iterator[Table]:
        """Mean and deviation of the improvement after so many samples."""
        samples = self._sets[which][2]
        steps = [s for s in (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000) if s < samples] + [samples]
        rows = [[GREEDY, *["1"] * len(steps)]] if self._measured(which) else []
        for method in self.methods(which):
            found = self.improvements(which, method)
            if found is not None:
                cells = [mean_text(found[:, s - 1]) if s <= found.shape[1] else "-" for s in steps]
                rows.append([method, *cells])
        yield f"{self._title(which)} after so many samples", ["method", *(f"{s:,}" for s in steps)], rows

    def _best_known(self, which: str, means: Sequence[str]) -> float:
        """Geometric mean over the graphs of the best improvement that any run of these methods found."""
        found = 0.0
        graphs = self._measured(which)
        for graph in graphs:
            curves = (self._curve(which, graph, m, seed) for m in means for seed in range(self._runs))
            found += math.log(self._greedy(which, graph) / min(c.best for c in curves if c is not None))
        return math.exp(found / len(graphs))

    def levels(self, which: str) -> Iterator[Table]:
        """The paper's table 2 or 3: samples to reach an improvement, and how many times fewer than learning from scratch takes, as
        there, or annealing where nothing was learned."""
        means = self._means(which)
        beside = SCRATCH if SCRATCH in means else ANNEAL
        if beside not in means:
            return
        best = self._best_known(which, list(means))
        for title, wanted, others in (
            (
                f"Table {NUMBERS[which]}{self._judged(which)}: samples to reach an improvement, and times fewer than {beside}",
                LEVELS[which],
                PAPER[which],
            ),
            (
                f"The same, {', '.join(f'{away:.0%}' for away in AWAY)} from the best known plans ({best:.3f}x)",
                tuple(best / (1.0 + away) for away in AWAY),
                (),
            ),
        ):
            rows = []
            for method, mean in means.items():
                cells = [method]
                for level in wanted:
                    took, reference = reached(mean, level), reached(means[beside], level)
                    fewer = f" ({reference / took:.2f}x)" if took < math.inf and reference < math.inf else ""
                    cells.append(f"{took:,.0f}{fewer}" if took < math.inf else "-")
                rows.append(cells)
            rows += [list(row) for row in others]
            yield title, ["method", *(f">= {level:.2f}x" for level in wanted)], rows
        yield from self._learned(which, means, best)

    def _learned(self, which: str, means: dict[str, Floats], best: float) -> Iterator[Table]:
        """Samples of fine-tuning over those of learning from scratch, level by level; the first of zero-shot against random's hundredth."""
        if SCRATCH in means and FINE_TUNED in means:
            levels = (*LEVELS[which], *(best / (1.0 + away) for away in AWAY))
            took = [[reached(means[m], level) for level in levels] for m in (FINE_TUNED, SCRATCH)]
            ratios = [a / b if b < math.inf else math.nan for a, b in zip(*took, strict=True)]
            rows = [
                [f">= {level:.2f}x", *(number_text(v) for v in (a, b, ratio))]
                for level, a, b, ratio in zip(levels, *took, ratios, strict=True)
            ]
            whole = [ratio for ratio in ratios if 0 < ratio < math.inf]
            rows.append(["geometric mean", "", "", f"{np.exp(np.log(whole).mean()):.2f}" if whole else "-"])
            yield (
                "Samples of fine-tuning over those of learning from scratch",
                ["level", "fine-tuned", "scratch", "ratio"],
                rows,
            )
        if ZERO_SHOT in means and RANDOM in means:
            graphs = self._measured(which)
            better = 0
            for graph in graphs:
                first, random = (
                    np.mean([self._after(which, graph, method, seed, at) for seed in range(self._runs)])
                    for method, at in ((ZERO_SHOT, 1), (RANDOM, 100))
                )
                better += bool(first < random)
            words = f"The first sample of zero-shot is better than random's hundredth on {better} of {graphs_text(len(graphs))}"
            yield f"{words} (means over the runs)", [], []

    def _after(self, which: str, graph: str, method: str, seed: int, sample: int) -> float:
        """The best objective after so many samples."""
        curve = self._curve(which, graph, method, seed)
        assert curve is not None
        return float(curve.expanded(max(sample, self._samples(which, method)))[sample - 1])

    def graphs(self, which: str) -> Iterator[Table]:
        """Per graph: the best improvement of each method, and the samples that the assignment search takes to annealing's best."""
        names, methods = self._sets[which][0], self.methods(which)
        rows = []
        fewer: list[float] = []
        for graph in names:
            greedy = self._greedy(which, graph)
            if (
                self._rows.curve(Trace(graph, self._sets[which][1], f"{GREEDY}{self._sets[which][3]}", 1, 0))
                is None
            ):
                continue
            here = []
            cells = [graph, str(problem_of(graph, self._sets[which][1]).evaluator.n)]
            cells.append(f"{1e6 * greedy:.2f}" if greedy < np.inf else "-")
            complete = LOCAL in methods
            for method in methods:
                found = [self._curve(which, graph, method, seed) for seed in range(self._runs)]
                ready = [c for c in found if c is not None]
                complete &= len(ready) == self._runs or method not in (ANNEAL, LOCAL)
                cells.append(mean_text(np.array([greedy / c.best for c in ready])) if ready else "-")
            for seed in range(self._runs if complete else 0):
                annealing = self._curve(which, graph, ANNEAL, seed)
                local = self._curve(which, graph, LOCAL, seed)
                assert annealing is not None and local is not None
                if annealing.values:
                    here.append(annealing.at[-1] / local.reached(annealing.best))
            fewer += here
            rows.append([*cells, *([times_text(here)] if LOCAL in methods else [])])
        title = f"{self._title(which)}, per graph"
        if LOCAL in methods:
            title += f", and how many times fewer samples {LOCAL} takes to {ANNEAL}'s best"
        yield (
            title,
            ["graph", "ops", "greedy µs", *methods, *(["times fewer"] if LOCAL in methods else [])],
            rows,
        )
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

    def _judged(self, which: str) -> str:
        return ", simulated" if self._sets[which][3] else ""

    @property
    def names(self) -> list[str]:
        """The graphs of both sets."""
        return [*self._sets["sixteen"][0], *self._sets["bert"][0]]

    def _title(self, which: str) -> str:
        target = self._sets[which][1]
        what = (
            f"{graphs_text(len(self._measured(which)))}, geometric mean"
            if which.startswith("sixteen")
            else "BERT-large"
        )
        runs = f"{self._runs} run{'s' if self._runs != 1 else ''}"
        return f"{'Simulated throughput' if self._sets[which][3] else 'Throughput'} over greedy ({what} over {runs} on {target})"

    def figure(self, which: str, name: str, folder: Path) -> Path | None:
        """The paper's figure 5 or 6 as SVG; None where random sampling or annealing is missing."""
        series: dict[str, Band] = {}
        for method in self.methods(which):
            found = self.improvements(which, method)
            if found is None:
                if asked(method)[0] == LEARNED:
                    continue
                return None
            means, deviations = found.mean(axis=0), found.std(axis=0)
            shown = np.unique(np.rint(np.geomspace(1, found.shape[1], 200)).astype(int))
            series[method.removeprefix(f"{LEARNED},mode=")] = [
                (float(s), float(means[s - 1]), float(deviations[s - 1]))
                for s in shown
                if (found[:, s - 1] > 0).all()
            ]
        title = (
            f"{graphs_text(len(self._measured(which)))} on 36 chips (as figure 5)"
            if which == "sixteen"
            else f"BERT-large on 36 chips{self._judged(which)} (as figure 6)"
        )
        picture = curves(title, "evaluated samples", "throughput over greedy", series)
        return write_atomically(folder / f"{name}.svg", picture)

    # ------------------------------------------------------------------ figure 7
    def partitions(self) -> Iterator[Table]:
        """How far the analytical cost agrees with the simulation."""
        return mcm_figure_7.table(self._rows, self._graphs, self._partition_count)

    def partitions_figure(self, folder: Path) -> Path | None:
        """The paper's figure 7 as SVG; None where partitions are missing."""
        return mcm_figure_7.figure(self._rows, self._graphs, self._partition_count, folder)

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


TABLES: dict[str, Callable[[Tables], Iterator[Table]]] = {
    "table-2": lambda t: t.levels("sixteen"),
    "figure-5": lambda t: t.growth("sixteen"),
    "graphs": lambda t: t.graphs("sixteen"),
    "table-3": lambda t: t.levels("bert"),
    "figure-6": lambda t: t.growth("bert"),
    "bert": lambda t: t.graphs("bert"),
    "table-3-simulated": lambda t: t.levels("simulated"),
    "figure-6-simulated": lambda t: t.growth("simulated"),
    "figure-7": Tables.partitions,
    "memory": mcm_memory.improvements,
    "invalid": lambda t: iter([mcm_memory.table(t.names)]),
    "exact": Tables.exact,
    "speed": lambda _: mcm_speed.table(),
}
COMPUTED = ("invalid", "speed")
"""Tables that are made anew each time."""
FIGURES: dict[str, Callable[[Tables, Path], Path | None]] = {
    "figure-5": lambda t, folder: t.figure("sixteen", "figure-5", folder),
    "figure-6": lambda t, folder: t.figure("bert", "figure-6", folder),
    "figure-6-simulated": lambda t, folder: t.figure("simulated", "figure-6-simulated", folder),
    "figure-7": Tables.partitions_figure,
}


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
    parser.add_argument(
        "--learned-samples", type=int, default=500, help="samples of a run of the learned policy"
    )
    parser.add_argument(
        "--partitions", type=int, default=2_000, help="random partitions of a graph for figure 7"
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
        options.learned_samples, options.partitions = 40, 50
    tables = Tables(
        Rows(options.out, options.only_print),
        options.graph, options.samples, options.learned_samples, options.bert_samples, options.partitions, options.runs, options.seconds,
    )  # fmt: skip
    for name in options.table:
        if name in COMPUTED and options.only_print:
            continue
        for i, (title, head, rows) in enumerate(TABLES[name](tables)):
            print(f"{title}\n{table(head, rows)}\n" if head else f"{title}\n", flush=True)
            if rows:
                options.out.mkdir(parents=True, exist_ok=True)
                write_table(options.out / f"{name}{f'-{i + 1}' if i else ''}.csv", head, rows)
        if name in FIGURES and (path := FIGURES[name](tables, options.out)):
            print(f"{path}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
