"""The Edge TPU paper's figures as tables: what exact plans save against the compiler's segmentation, and what they cost.

``python -m benchmarks edge_tpu``, or ``python -m benchmarks.edge_tpu_tables [--out DIR] [--table NAME ...] [--model NAME ...]
[--stages N ...] [--seconds S] [--print]``; a table has those of its networks and stage counts that are named.

Every run's row goes to ``DIR/results.csv`` at once, and what is there is not run again; ``--print`` prints what is there. Each
table also becomes ``DIR/NAME.csv``. Ends with 1 where a plan that is proven best is worse than the compiler's under the same rules.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import edge_tpu_times
from benchmarks.edge_tpu_runs import Case, Runs, Worth, write_table
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.text_table import table

MODELS = (
    "resnet50", "xception", "resnet101", "resnet152", "resnet50_v2", "resnet101_v2", "densenet121", "densenet169",
    "densenet201", "resnet152_v2", "inception_resnet_v2",
)  # fmt: skip
STAGES = (2, 3, 4, 5, 6)
STRATEGIES = ("memory-1-3", "memory-1-2-3", "memory-2-1-3")
COMPONENTS = {"memory-1-3": 2, "memory-1-2-3": 3, "memory-2-1-3": 3}
EXACT, COMPILER, FASTEST = "edge-tpu-ilp", "edge-tpu-balanced", "edge-tpu-fastest"
BY_TIME = ("edge-tpu-profiled", "slice", "brkga", "anneal")
TOGETHER = "resnet101+densenet169"
PAPER_MOST = {2: 1.17, 3: 1.15, 4: 1.29, 5: 1.15, 6: 4.07}
"""Figure 6: the greatest measured speed-up over the compiler, by number of stages (section V-C)."""
PAPER_ENERGY = {("resnet101_v2", 4): (0.0792, 0.0704)}
"""Section V-D: joules per inference, the compiler's plan and that of memory-1-2-3; the only ones told in numbers."""
MIB = 2.0**20
CACHE = EdgeTpuPipeline().cache
Table = tuple[str, list[str], list[list[str]]]
"""Title, head and rows."""


class Tables:
    """All tables over given models and stage counts."""

    def __init__(self, runs: Runs, models: Sequence[str], stages: Sequence[int]) -> None:
        self._runs, self.models, self.stages = runs, models, stages
        self.compared, self.worse = 0, list[str]()

    def _of_models(self, *models: str) -> list[str]:
        return [model for model in models if model in self.models]

    def _of_stages(self, *counts: int) -> list[int]:
        return [n for n in counts if n in self.stages]

    def exact(self, model: str, n: int, strategy: str, shared: bool) -> Worth | None:
        """The proven plan of a strategy."""
        return self._runs.get(Case(model, n, shared, strategy, EXACT))

    def compiler(self, model: str, n: int, shared: bool) -> Worth | None:
        """The compiler's segmentation; with ``shared`` what it makes of units that keep to shared children."""
        return self._runs.get(Case(model, n, shared, "memory-1-3", COMPILER))

    # ------------------------------------------------------------------ proofs
    def proofs(self) -> Iterator[Table]:
        """How many plans are proven in every component, and how long that took."""
        rows, every = [], []
        for shared in (False, True):
            for strategy in STRATEGIES:
                cells, spent = [strategy, yes(shared)], []
                for n in self.stages:
                    found = [self.exact(m, n, strategy, shared) for m in self.models]
                    there = [w for w in found if w is not None]
                    proven = sum(len(w.proven.split()) == COMPONENTS[strategy] for w in there)
                    spent += [w.cpu for w in there]
                    most = f", {max(w.cpu for w in there):.3f} s" if there else ""
                    cells.append(f"{proven}/{len(self.models)}{most}")
                rows.append([*cells, f"{statistics.median(spent):.3f} s" if spent else "-"])
                every += spent
        title = "Plans proven in all components, and the longest solve (CPU)"
        if every:
            title += f"; all {len(every)}: median {statistics.median(every):.3f} s, most {max(every):.3f} s"
        yield title, ["strategy", "shared", *(f"n = {n}" for n in self.stages), "median"], rows

    def baseline(self) -> Iterator[Table]:
        """``memory-1-3`` against the compiler's segmentation under the same rules: largest m_k, then communication."""
        rows = []
        for model in self.models:
            for shared in (False, True):
                cells = [model, yes(shared)]
                for n in self.stages:
                    ours, theirs = self.exact(model, n, "memory-1-3", shared), self.compiler(model, n, shared)
                    if ours is None or theirs is None:
                        cells += ["-", "-"]
                        continue
                    cells += [
                        f"{ours.max_memory / theirs.max_memory:.3f}",
                        ratio(ours.max_communication, theirs.max_communication),
                    ]
                    self.compared += 1
                    if not no_worse(ours, theirs):
                        self.worse.append(f"{model} on {n} stages, shared children {yes(shared)}")
                rows.append(cells)
        head = ["model", "shared"]
        for n in self.stages:
            head += [f"m, n = {n}", "bytes in"]
        yield "memory-1-3 / compiler: largest m_k and largest communication", head, rows

    # ------------------------------------------------------------------ the paper's figures
    def figure_6(self) -> Iterator[Table]:
        """Estimated time per inference over that of the compiler's segmentation, which knows no shared children."""
        for shared in (True, False):
            head, rows = ["model"], []
            for n in self.stages:
                head += [f"{n}: {s.removeprefix('memory-')}" for s in STRATEGIES]
            for model in self.models:
                cells = [model]
                for n in self.stages:
                    theirs = self.compiler(model, n, False)
                    for strategy in STRATEGIES:
                        ours = self.exact(model, n, strategy, shared)
                        cells.append("-" if not ours or not theirs else ratio(ours.interval, theirs.interval))
                rows.append(cells)
            title = f"Figure 6: estimated time / compiler's, shared children {yes(shared)}"
            yield title, head, rows
        rows = [
            [f"estimated, shared children {yes(s)}", *map(self._most, self.stages, [s] * 9)]
            for s in (True, False)
        ]
        rows.append(
            ["paper, measured", *(f"{PAPER_MOST[n]:.2f}" if n in PAPER_MOST else "-" for n in self.stages)]
        )
        yield (
            "Figure 6: greatest speed-up over the compiler",
            ["of all models and strategies", *(f"n = {n}" for n in self.stages)],
            rows,
        )

    def _most(self, n: int, shared: bool) -> str:
        """The greatest speed-up over the compiler's plan on n stages."""
        gains = [
            theirs.interval / ours.interval
            for model in self.models
            for strategy in STRATEGIES
            if (ours := self.exact(model, n, strategy, shared)) and (theirs := self.compiler(model, n, False))
        ]
        return f"{max(gains):.2f}" if gains else "-"

    def figure_7(self) -> Iterator[Table]:
        """Cache left on each stage, negative where parameters are streamed."""
        for model in self._of_models("resnet152", "densenet201"):
            rows = []
            for n in self._of_stages(4, 5, 6):
                made = [("compiler", self.compiler(model, n, False))]
                made += [(s, self.exact(model, n, s, True)) for s in STRATEGIES]
                for name, worth in made:
                    left = [] if worth is None else [f"{(CACHE - m) / MIB:.2f}" for m in worth.memory]
                    rows.append([f"{n} stages, {name}", *left, *[""] * (6 - len(left))])
            yield f"Figure 7: {model}, cache left (MiB)", ["plan", *(f"stage {k}" for k in range(6))], rows

    def figure_10(self) -> Iterator[Table]:
        """CPU seconds of the exact solve against the number of stages."""
        rows = []
        for model in self._of_models(
            "resnet50", "resnet101", "resnet152", "densenet121", "densenet169", "densenet201"
        ):
            for strategy in STRATEGIES:
                found = [self.exact(model, n, strategy, True) for n in self.stages]
                rows.append([model, strategy, *("-" if w is None else f"{w.cpu:.3f}" for w in found)])
        head = ["model", "strategy", *(f"n = {n}" for n in self.stages)]
        yield "Figure 10: CPU seconds of the exact solve, shared children", head, rows

    def figure_11(self) -> Iterator[Table]:
        """Two models deployed together."""
        rows = []
        for shared in (True, False):
            for n in self._of_stages(2, 3, 4, 5):
                for name in (*STRATEGIES, COMPILER):
                    if name == COMPILER:
                        worth = self.compiler(TOGETHER, n, shared)
                    else:
                        worth = self.exact(TOGETHER, n, name, shared)
                    if worth is None:
                        continue
                    proven = f"{len(worth.proven.split())}/{COMPONENTS[name]}" if name != COMPILER else "-"
                    rows.append(
                        [f"{n} stages, {name}", yes(shared), *amounts(worth), proven, f"{worth.cpu:.3f}"]
                    )
        head = ["plan", "shared", "m (MiB)", "DRAM (MiB)", "bytes in (KiB)", "time (ms)", "proven", "CPU s"]
        yield "Figure 11: ResNet101 and DenseNet169 together", head, rows

    # ------------------------------------------------------------------ times
    def stage_time(self) -> Iterator[Table]:
        """The slowest stage of plans made for it, and of those made for bytes."""
        plans: dict[str, Callable[[str, int], Worth | None]] = {
            "compiler": lambda m, n: self.compiler(m, n, False)
        }
        for strategy in STRATEGIES:
            plans[strategy] = lambda m, n, s=strategy: self.exact(m, n, s, False)  # type: ignore[misc]
        for name in BY_TIME:
            plans[name] = lambda m, n, p=name: self._runs.get(Case(m, n, False, "stage-time", p))  # type: ignore[misc]
        for n in self._of_stages(4, 6):
            slowest, interval = [], []
            for model in self.models:
                found = [plan(model, n) for plan in plans.values()]
                slowest.append([model, *("-" if w is None else f"{1e3 * w.slowest:.2f}" for w in found)])
                interval.append([model, *("-" if w is None else f"{1e3 * w.interval:.2f}" for w in found)])
            yield f"Stage time (ms) on {n} stages", ["model", *plans], slowest
            yield (
                f"Estimated time per inference (ms) of the same plans, {n} stages",
                ["model", *plans],
                interval,
            )

    def inference_time(self) -> Iterator[Table]:
        """Estimated inferences per second: proven highest, and how many times those of the compiler's and the memory plan."""
        rows, spent, proven = [], list[float](), 0
        against = {"compiler": list[float](), "memory-1-2-3": list[float]()}
        for model in self.models:
            cells = [model]
            for n in self.stages:
                best = self._runs.get(Case(model, n, False, "inference-time", FASTEST))
                others = (self.compiler(model, n, False), self.exact(model, n, "memory-1-2-3", False))
                if best is None:
                    cells.append("-")
                    continue
                spent.append(best.cpu)
                proven += best.status == "optimal"
                gains = []
                for gained, other in zip(against.values(), others, strict=True):
                    if other is not None:
                        gained.append(other.interval / best.interval)
                        gains.append(f"{gained[-1]:.2f}")
                cells.append(f"{1 / best.interval:.1f} ({', '.join(gains)})")
            rows.append(cells)
        title = "Estimated inferences per second for inference-time (times those of the compiler, of memory-1-2-3)"
        if spent:
            means = [f"{statistics.geometric_mean(g):.2f}" for g in against.values() if g]
            title += (
                f"; {proven}/{len(spent)} proven, at most {max(spent):.2f} s (CPU); means {', '.join(means)}"
            )
        yield title, ["model", *(f"n = {n}" for n in self.stages)], rows

    def energy(self) -> Iterator[Table]:
        """Figure 8: power and energy per inference of the compiler's plan and of ``memory-1-2-3``, all models."""
        head = [
            "model",
            "watts, compiler",
            "memory-1-2-3",
            "joules, compiler",
            "memory-1-2-3",
            "saved",
            "paper's saving",
        ]
        for n in self._of_stages(4, 5, 6):
            rows = []
            for model in self.models:
                theirs, ours = self.compiler(model, n, False), self.exact(model, n, "memory-1-2-3", True)
                if theirs is None or ours is None:
                    continue
                paper = PAPER_ENERGY.get((model, n))
                rows.append(
                    [
                        model,
                        *(f"{w.energy / w.interval:.2f}" for w in (theirs, ours)),
                        *(f"{w.energy:.4f}" for w in (theirs, ours)),
                        saved(ours.energy, theirs.energy),
                        saved(paper[1], paper[0]) if paper else "-",
                    ]
                )
            yield f"Figure 8: estimated power and energy per inference on {n} stages", head, rows


def amounts(worth: Worth) -> list[str]:
    """The three byte counts and the estimated time for a person."""
    return [
        f"{worth.max_memory / MIB:.3f}",
        f"{worth.dram / MIB:.3f}",
        f"{worth.max_communication / 1024:.1f}",
        f"{1e3 * worth.interval:.1f}",
    ]


def no_worse(ours: Worth, theirs: Worth) -> bool:
    """Whether a plan has no larger m_k, and where that is equal no larger communication."""
    if ours.max_memory == theirs.max_memory:
        return ours.max_communication <= theirs.max_communication
    return ours.max_memory < theirs.max_memory


def ratio(value: float, by: float) -> str:
    """A quotient with three decimals; a dash where nothing is divided by nothing."""
    return f"{value / by:.3f}" if by else "1.000" if value == 0 else "-"


def saved(value: float, of: float) -> str:
    """What a value saves of another, as a percentage with its sign where it is negative."""
    return f"{100 * (1 - value / of) + 0.0:.1f} %".replace("-0.0", "0.0")


def yes(on: bool) -> str:
    """Yes or no."""
    return "yes" if on else "no"


TABLES: dict[str, Callable[[Tables], Iterator[Table]]] = {
    "proofs": Tables.proofs,
    "baseline": Tables.baseline,
    "figure-6": Tables.figure_6,
    "figure-7": Tables.figure_7,
    "figure-10": Tables.figure_10,
    "figure-11": Tables.figure_11,
    "stage-time": Tables.stage_time,
    "inference-time": Tables.inference_time,
    "energy": Tables.energy,
    "times": lambda _: ((title, *cells) for title, cells in edge_tpu_times.tables().items()),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing, print and write the tables. Returns 1 where a proven plan is worse than the compiler's."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("out/edge-tpu"), help="folder of the CSV files")
    parser.add_argument("--table", nargs="+", choices=list(TABLES), default=list(TABLES), metavar="NAME")
    parser.add_argument("--model", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME")
    parser.add_argument("--stages", nargs="+", type=int, default=list(STAGES), metavar="N")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a run")
    parser.add_argument("--print", action="store_true", dest="only_print", help="run nothing")
    options = parser.parse_args(argv)
    tables = Tables(
        Runs(options.out / "results.csv", options.seconds, options.only_print), options.model, options.stages
    )
    for name in options.table:
        for i, (title, head, rows) in enumerate(TABLES[name](tables)):
            left = 2 if len(head) > 1 and head[1] in {"shared", "strategy"} else 1
            print(f"{title}\n{table(head, rows, left=left)}\n", flush=True)
            options.out.mkdir(parents=True, exist_ok=True)
            write_table(options.out / f"{name}{f'-{i + 1}' if i else ''}.csv", head, rows)
    for case in tables.worse:
        print(f"WORSE than the compiler's segmentation: {case}")
    if tables.compared and not tables.worse:
        print(
            f"None of {tables.compared} plans is worse than the compiler's segmentation under the same rules."
        )
    return 1 if tables.worse else 0


if __name__ == "__main__":
    sys.exit(main())
