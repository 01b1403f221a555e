"""The tables of MTPP and of device placement in their form, for REGAL-like graphs, the sample models and, where present, the papers' workloads.

``python -m benchmarks.paper_tables [--out DIR] [--table NAME ...] [--sample NAME ...] [--graphs N] [--degree D] [--blocks K ...] [--seconds S]``

Every cell is one run, one at a time; its row goes to ``DIR/results.csv`` at once, and what is there is not run
again: a script that is stopped goes on when it is started again. ``--print`` prints from what is there. What a table names
but the catalogue does not have is left out. Besides the tables, ``DIR`` gets the running-time plots as SVG.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import truediv
from pathlib import Path

from benchmarks.bars import bars
from benchmarks.in_turn import perform_in_turn
from benchmarks.paper_columns import (
    BLOCKS,
    BOUNDS,
    FREE,
    HOT,
    ORDERS,
    PAPER_EXACT,
    PAPER_SIMPLE,
    PIPELINE,
    PLACEMENT,
    PLANS,
    PROVEN,
    TIMED,
    TIMED_PLANS,
    Column,
    column,
)  # fmt: skip
from benchmarks.scatter import scatter
from planner.files import write_atomically
from planner.generate.regal_like import NAME as REGAL
from planner.machines.catalogue import planners
from planner.runs.sweep.results import Results, Row, key_of
from planner.runs.sweep.spec import Run, made_up
from planner.text_table import table

ROOT = Path(__file__).resolve().parents[1]
WORKLOADS = ROOT.parent / "shared" / "workloads" / "device-placement" / "throughput"
EXPERTS = WORKLOADS.parent / "expert-splits"


class Tables:
    """The runs of all tables over given models, and their rows."""

    def __init__(
        self,
        results: Results,
        graphs: int,
        seconds: float,
        samples: Sequence[str],
        blocks: Sequence[int],
        degree: int = 2,
    ) -> None:
        self._results = results
        self._rows = {
            tuple(row[c] for c in list(row)[: len(key_of(Run("", "", "")))]): row for row in results.rows
        }
        self._seconds = seconds
        self._blocks = blocks
        self._collecting: list[Run] | None = None
        self.sets = {
            "sample models": list(samples),
            # The degree is the default's; to name it keeps these rows apart from those of graphs of an earlier kind.
            "REGAL-like graphs": [made_up(REGAL, seed, {"degree": degree}) for seed in range(graphs)],
        }
        self.workloads = [str(p) for p in sorted(WORKLOADS.glob("*/*.json"))]
        self.branched = [m for m in self.workloads if m.endswith("inference.json")]

    def runs(self, names: Sequence[str]) -> list[Run]:
        """Every run that the tables need, each once."""
        self._collecting = []
        for name in names:
            TABLES[name](self)
        runs, self._collecting = list(dict.fromkeys(self._collecting)), None
        return runs

    def cell(self, model: str, target: str, col: Column) -> Row | None:
        """The row of a cell, None while it is missing."""
        run = replace(col.run, model=model, target=target, time_limit=self._seconds)
        if run.method == "expert":
            split = EXPERTS / f"{Path(model).stem}_expert.json"
            if Path(model).parent.name != "LayerGraphs" or not split.exists():
                return None
            run = replace(run, options=(("split", str(split)),))
        if self._collecting is not None:
            if col.known:
                self._collecting.append(run)
            return None
        return self._rows.get(key_of(run))

    def number(self, model: str, target: str, col: Column, field: str) -> float | None:
        """A number of a cell, None where it is missing or was not found."""
        row = self.cell(model, target, col)
        return float(row[field]) if row is not None and row[field] else None

    # ------------------------------------------------------------------ MTPP
    def best_plan(self, model: str, k: int) -> float | None:
        """The best objective of all plans known for k blocks."""
        found = [self.number(model, col.place.format(k=k), col, "objective") for col in PLANS]
        return min((v for v in found if v is not None), default=None)

    def bounds_table(self, name: str, title: str) -> str:
        """MTPP, tables 1 and 3: geometric mean of bound / best plan. A bound counts with the weaker ones before it.

        The last row says how many of the best plans are proven optimal to 1e-6, which is what solvers are exact to.
        """
        rows, optimal = [], ["optimal, of all"]
        for label in BOUNDS:
            cells = [label]
            for k in self._blocks:
                ratios = self._ratios(name, label, k)
                cells.append(mean_text(ratios, len(self.sets[name]), 4))
                if label == list(BOUNDS)[-1]:
                    optimal.append(f"{sum(r > 1 - 1e-6 for r in ratios)} / {len(ratios)}")
            rows.append(cells)
        return f"{title}\n{table(['lower bound', *(f'k = {k}' for k in self._blocks)], [*rows, optimal])}"

    def _ratios(self, name: str, label: str, k: int) -> list[float]:
        """Bound over best plan of every model of a set that has both."""
        ratios = []
        counted = list(BOUNDS)[: list(BOUNDS).index(label) + 1]
        for model in self.sets[name]:
            rows = [[self.bound(model, col, k) for col in BOUNDS[row]] for row in counted]
            plan = self.best_plan(model, k)
            if plan and any(v is not None for v in rows[-1]):
                ratios.append(max(v for row in rows for v in row if v is not None) / plan)
        return ratios

    def bound(self, model: str, col: Column, k: int) -> float | None:
        """What a column proves for k blocks."""
        return self.number(model, col.place.format(k=k), col, "lower_bound")

    def hardness_table(self) -> str:
        """How hard REGAL-like graphs are: the simple bound over two kinds of plans, and what MTPP has for the set itself."""
        name, simple = "REGAL-like graphs", BOUNDS["simple"][0]
        rows = []
        for col in (HOT, ORDERS[-1]):
            cells = [f"simple / {col.label}"]
            for k in self._blocks:
                found = [
                    (self.bound(m, simple, k), self.number(m, PIPELINE.format(k=k), col, "objective"))
                    for m in self.sets[name]
                ]
                cells.append(mean_text([b / v for b, v in found if b and v], len(self.sets[name]), 3))
            rows.append(cells)
        at = [BLOCKS.index(k) if k in BLOCKS else -1 for k in self._blocks]
        for label, values in (
            ("MTPP: simple / its BRKGA", PAPER_SIMPLE),
            ("MTPP: simple / its exact bound", tuple(map(truediv, PAPER_SIMPLE, PAPER_EXACT))),
        ):
            rows.append([label, *("-" if i < 0 else f"{values[i]:.3f}" for i in at)])
        head = [f"{len(self.sets[name])} graphs", *(f"k = {k}" for k in self._blocks)]
        return f"How hard REGAL-like graphs are\n{table(head, rows)}"

    def orders_table(self, models: Sequence[str], title: str) -> str:
        """MTPP, table 2: geometric mean of SliceGraph / simple bound per order, over ``models``."""
        rows = []
        for col in ORDERS:
            cells = [col.label]
            for k in self._blocks:
                ratios = []
                for model in models:
                    plan = self.number(model, PIPELINE.format(k=k), col, "objective")
                    simple = column("simple", "simple", is_bound=True)
                    bound = self.number(model, PIPELINE.format(k=k), simple, "lower_bound")
                    if plan and bound:
                        ratios.append(plan / bound)
                cells.append(mean_text(ratios, len(models), 3))
            rows.append(cells)
        return f"{title}\n{table(['order', *(f'k = {k}' for k in self._blocks)], rows)}"

    def plots(self, folder: Path) -> list[Path]:
        """MTPP, figures 4 and 5: CPU seconds against ops, one picture per set and number of blocks, on the same axes."""
        written = []
        for name, models in self.sets.items():
            pictures = {}
            for k in self._blocks:
                series = pictures[k] = {"SliceGraph": self._times(models, k, column("slice", "slice"))}
                for method in TIMED:
                    series[method] = self._times(models, k, column(method, method, is_bound=True))
            every = [p for series in pictures.values() for points in series.values() for p in points]
            for k, series in pictures.items():
                if self._collecting is None and any(series.values()):
                    file = folder / f"times-{name.split()[0].lower()}-{k}.svg"
                    title = f"Running times, {name}, k = {k}"
                    picture = scatter(title, "ops", "CPU seconds", series, every)
                    written.append(write_atomically(file, picture))
        return written

    def _times(self, models: Sequence[str], k: int, col: Column) -> list[tuple[float, float]]:
        rows = [self.cell(model, PIPELINE.format(k=k), col) for model in models]
        return [
            (float(r["ops"]), float(r["cpu_seconds"])) for r in rows if r is not None and r["cpu_seconds"]
        ]

    # ------------------------------------------------------------------ device placement
    def pool_models(self) -> list[tuple[str, str]]:
        """Models with the pool they are placed on: a workload's own, else six accelerators and a CPU."""
        made = [(model, "pool:6+1") for models in self.sets.values() for model in models[:8]]
        return [*((model, "pool") for model in self.workloads), *made]

    def placement_table(self, relative: bool) -> str:
        """Device placement, table 1 (time per sample, seconds of the exact methods) and table 2 (relative to the DP)."""
        shown = [col for col in PLACEMENT if col.known]
        head = ["workload", "ops"]
        rows = []
        for model, target in self.pool_models():
            cells = []
            dp = self.number(model, target, PLACEMENT[0], "objective")
            ops = ""
            for col in shown:
                row = self.cell(model, free(target) if col.label in FREE else target, col)
                ops = ops or ("" if row is None else row["ops"])
                value = float(row["objective"]) if row is not None and row["objective"] else None
                if relative:
                    cells.append("-" if value is None or not dp else f"{dp / value:.2f}x")
                    continue
                cells.append(value_text(value))
                if col.label in TIMED_PLANS:
                    cells.append(time_text(row))
            rows.append([short(model), ops, *cells])
        for col in shown:
            head.append(col.label)
            if not relative and col.label in TIMED_PLANS:
                head.append("CPU s")
        title = "throughput relative to the DP" if relative else "time per sample (in the model's unit)"
        return f"Device placement, table {2 if relative else 1}: {title}\n{table(head, rows)}"

    def throughput_picture(self, folder: Path) -> list[Path]:
        """Device placement, figure 8: table 2 of the paper's workloads as bars, one picture per folder of them."""
        written = []
        for kind in ("OperatorGraphs", "LayerGraphs"):
            models = [m for m in self.workloads if Path(m).parent.name == kind]
            series: dict[str, list[float | None]] = {}
            for col in (c for c in PLACEMENT if c.known):
                spec = free("pool") if col.label in FREE else "pool"
                values = [self.number(m, spec, col, "objective") for m in models]
                exact = [self.number(m, "pool", PLACEMENT[0], "objective") for m in models]
                series[col.label] = [
                    dp / v if dp and v else None for dp, v in zip(exact, values, strict=True)
                ]
            if self._collecting is None and any(v for values in series.values() for v in values):
                title = f"Throughput of {kind} (the DP is 1)"
                picture = bars(title, "throughput", [Path(m).stem for m in models], series)
                written.append(write_atomically(folder / f"throughput-{kind.lower()}.svg", picture))
        return written

    def granularity_table(self) -> str:
        """Device placement, table 3: the DP on ops and on layers, of what names its layers."""
        method = "ideals-dp" if "ideals-dp" in planners() else "dpl"
        rows = []
        for model, target in self.pool_models():
            if model.startswith(REGAL):
                continue
            fine, coarse = (
                self.number(model, target, column("", method, granularity=g), "objective")
                for g in ("op", "layer")
            )
            if fine and coarse:
                gain = f"{100 * (coarse / fine - 1):.0f} %"
                rows.append([short(model), value_text(fine), value_text(coarse), gain])
        return f"Device placement, table 3 ({method}): granularity\n{table(['workload', 'op', 'layer', 'gain'], rows)}"


def mean_text(ratios: list[float], of: int, digits: int) -> str:
    """Geometric mean, with a star while models are missing; a dash where there is none."""
    if not ratios:
        return "-"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{mean:.{digits}f}" + ("*" if len(ratios) < of else "")


def value_text(value: float | None) -> str:
    """An objective to five digits, or whole; a dash where there is none."""
    return "-" if value is None else f"{value:.5g}" if value < 1e4 else f"{value:.0f}"


def time_text(row: Row | None) -> str:
    """CPU seconds of an exact method; ``>`` where it proved no gap of 1 % (which is where the paper stops) in that time."""
    if row is None or not row["cpu_seconds"]:
        return "-"
    proven = row["gap"] and float(row["gap"]) <= PROVEN
    return f"{'' if proven else '> '}{float(row['cpu_seconds']):.2g}"


def free(target: str) -> str:
    """The same pool without the rule that devices are contiguous."""
    return f"{target},contiguous=false"


def short(model: str) -> str:
    """What a table calls a model."""
    path = Path(model)
    return f"{path.parent.name}/{path.stem}" if WORKLOADS in path.parents else path.stem


TABLES: dict[str, Callable[[Tables], str]] = {
    "mtpp-1": lambda t: t.bounds_table("sample models", "MTPP, table 1: bound / best plan, sample models"),
    "mtpp-2": lambda t: t.orders_table(
        t.sets["sample models"], "MTPP, table 2: plan / simple bound, sample models"
    ),
    "mtpp-2-regal": lambda t: t.orders_table(
        t.sets["REGAL-like graphs"], "MTPP, table 2 for REGAL-like graphs"
    ),
    "mtpp-2-workloads": lambda t: t.orders_table(
        t.branched, "MTPP, table 2 for the device-placement paper's inference workloads"
    ),
    "mtpp-3": lambda t: t.bounds_table(
        "REGAL-like graphs", "MTPP, table 3: bound / best plan, REGAL-like graphs"
    ),
    "regal": lambda t: t.hardness_table(),
    "placement-1": lambda t: t.placement_table(relative=False),
    "placement-2": lambda t: t.placement_table(relative=True),
    "placement-3": lambda t: t.granularity_table(),
    "placement-figure-8": lambda t: "\n".join(map(str, t.throughput_picture(t._results.path.parent))),
    "plots": lambda t: "\n".join(map(str, t.plots(t._results.path.parent))),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper_tables", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "paper-tables", help="folder of the results"
    )
    parser.add_argument(
        "--table", action="append", choices=list(TABLES), help="may be repeated (default: all)"
    )
    parser.add_argument("--graphs", type=int, default=20, help="how many REGAL-like graphs (default 20)")
    parser.add_argument(
        "--degree", type=int, default=2, help="their mean degree; 3 and 4 are harder (default 2)"
    )
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="processor time of a run in seconds (default 60)"
    )
    parser.add_argument(
        "--sample", action="append", metavar="NAME", help="a sample model; may be repeated (default: all)"
    )
    parser.add_argument(
        "--blocks", type=int, nargs="+", default=list(BLOCKS), metavar="K", help="numbers of pipeline blocks"
    )
    parser.add_argument("--print", action="store_true", dest="only_print", help="run nothing")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    results = Results(args.out / "results.csv")
    files = sorted(p for p in (ROOT / "sample_models").iterdir() if p.suffix not in (".md", ".npz"))
    samples = [f"sample_models/{p.name}" for p in files if not args.sample or p.stem in args.sample]
    names = args.table or list(TABLES)
    chosen = (args.graphs, args.seconds, samples, args.blocks, args.degree)
    if not args.only_print:
        todo = results.missing(Tables(results, *chosen).runs(names))
        for done, (run, outcome) in enumerate(perform_in_turn(todo, str(ROOT)), 1):
            results.add(run, outcome)
            print(f"{done} of {len(todo)}  {run.method} on {short(run.model)}, {run.target}: {outcome['status']}",
                  file=sys.stderr)  # fmt: skip
    tables = Tables(results, *chosen)
    for name in names:
        print(TABLES[name](tables), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
