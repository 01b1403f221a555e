"""The curves of the paper on I/O-efficient sparse inference, figures 2 to 8: one command, a CSV file and an SVG picture for each.

``python -m benchmarks curves [--quick] [--seconds S] [--seeds N] [--figure NAME ...] [--out DIR] [--print]``

Each point is the median over the seeds, its bar the 95 % nonparametric interval of the median (order statistics). Five values do not allow 95 %:
their bar is all from least to most, 94 %. ``--seconds`` are CPU seconds of one thread for each search, the paper's reordering and our
portfolio alike; a search that meets the lower bound ends. Each count is a row of ``DIR/counts.csv`` at once, and what is there is not
run again: a script that is stopped goes on when it is started again. ``--print`` draws from what is there. Figures 7 and 8 are timed anew each time.
A mark, ~, is on what hangs on the speed of the machine (:mod:`benchmarks.marks`).
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.edge_tpu_runs import write_table
from benchmarks.intervals import Point, intervals, median_interval
from benchmarks.io_runs import FILE_ORDER, FIRST, PAPER, SEARCHES, THEOREM_1, Case, Count, Rows
from benchmarks.marks import marked
from planner.files import write_atomically
from planner.text_table import table

BOUND = "lower bound"
POLICIES = ("min", "lru", "rr")
MEMORY = 100
DENSITIES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
METHODS = (THEOREM_1, *SEARCHES)


@dataclass(frozen=True)
class Spot:
    """A point of a panel: x, and what is counted there."""

    x: float
    kind: str
    settings: str
    memory: int = MEMORY
    policy: str = "min"
    quick: bool = False
    """Whether a first look has it."""


@dataclass(frozen=True)
class Panel:
    """One picture: I/Os against x, one curve per method."""

    name: str
    title: str
    x_label: str
    spots: tuple[Spot, ...]
    methods: tuple[str, ...] = METHODS
    log_y: bool = False
    effort: float = 1.0
    """How many times the usual seconds a search takes."""


def mlp(width: int = 500, depth: int = 4, density: float = 0.1) -> str:
    """Settings of a random network: the paper's baseline but for what is given."""
    return f"width={width} depth={depth} density={density:g}"


def _panels() -> list[Panel]:
    figure_2 = [
        Panel("2a", "Figure 2a: width", "neurons per layer", tuple(
            Spot(w, "mlp", mlp(width=w), quick=w in (100, 500)) for w in (50, 100, 200, 500, 1000)
        ), log_y=True),
        Panel("2b", "Figure 2b: depth", "layers", tuple(
            Spot(d, "mlp", mlp(depth=d), quick=d in (2, 8)) for d in (2, 3, 4, 6, 8, 10)
        )),
        Panel("2c", "Figure 2c: density", "density, %", tuple(
            Spot(100 * p, "mlp", mlp(density=p), quick=p in (0.001, 0.01, 0.1)) for p in DENSITIES
        ), log_y=True),
        Panel("2d", "Figure 2d: fast memory", "fast memory, values", tuple(
            Spot(m, "mlp", mlp(), m, quick=m in (20, 100, 500)) for m in (10, 20, 50, 100, 200, 500, 1000)
        )),
    ]  # fmt: skip
    figure_3 = [
        Panel(f"3{letter}", f"Figure 3{letter}: compact growth, M_g = {size}", "fast memory, values", tuple(
            Spot(round(size * share), "compact-growth", f"memory={size}", round(size * share), quick=share in (0.5, 1.0))
            for share in (0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0, 1.2)
        ), (FILE_ORDER, *SEARCHES))
        for letter, size in (("a", 100), ("b", 300), ("c", 500))
    ]  # fmt: skip
    figure_5 = Panel("5", "Figure 5: three layers of 500, 1 %", "fast memory, values", tuple(
        Spot(m, "mlp", mlp(depth=3, density=0.01), m, quick=m in (10, 100, 400))
        for m in (10, 25, 50, 100, 200, 300, 400, 500, 700)
    ))  # fmt: skip
    figure_6 = [
        Panel(f"6{letter}", f"Figure 6{letter}: BERT-large block, {policy.upper()}", "density, %", tuple(
            Spot(100 * p, "bert-block", f"density={p:g}", MEMORY, policy, quick=p == 0.01)
            for p in (0.001, 0.003, 0.01, 0.03, 0.1)
        ), log_y=True, effort=2.0)
        for letter, policy in zip("abc", POLICIES, strict=True)
    ]  # fmt: skip
    return [*figure_2, *figure_3, figure_5, *figure_6]


PANELS = {panel.name: panel for panel in _panels()}
TIMED = {
    "7a": Panel("7a", "Figure 7a: density", "density, %", tuple(
        Spot(100 * p, "mlp", mlp(density=p), quick=p in (0.001, 0.1)) for p in DENSITIES
    )),
    "7b": Panel("7b", "Figure 7b: depth", "layers", tuple(
        Spot(d, "mlp", mlp(depth=d), quick=d in (2, 8)) for d in (2, 4, 6, 8, 10)
    )),
    "7c": Panel("7c", "Figure 7c: width", "neurons per layer", tuple(
        Spot(w, "mlp", mlp(width=w), quick=w in (100, 500)) for w in (100, 200, 500, 1000, 2000)
    )),
    "8": Panel("8", "Figure 8: BERT-large block, pruned random weights", "density, %", tuple(
        Spot(100 * p, "bert-block", f"density={p:g}", quick=p == 0.001) for p in (0.001, 0.003, 0.01, 0.03, 0.1)
    ), effort=2.0),
}  # fmt: skip
"""Panels of milliseconds instead of I/Os."""
FIGURES = ("2", "3", "4", "5", "6", "7", "8")


class Curves:
    """The panels over so many seeds."""

    def __init__(self, rows: Rows, seeds: int, seconds: float, quick: bool, out: Path) -> None:
        self._rows, self._seeds, self._seconds, self._quick, self._out = rows, seeds, seconds, quick, out

    def _case(self, spot: Spot, method: str, seed: int, effort: float) -> Case:
        seconds = effort * self._seconds if method in SEARCHES else 0.0
        return Case(spot.kind, spot.settings, seed, spot.memory, spot.policy, method, seconds)

    def _counts(self, spot: Spot, method: str, effort: float) -> list[Count]:
        """The counts of all seeds; none where one is missing."""
        found = [self._rows.count(self._case(spot, method, seed, effort)) for seed in range(self._seeds)]
        return [c for c in found if c is not None] if all(found) else []

    def panel(self, panel: Panel) -> None:
        """Count, print, and write one picture with its table."""
        spots = [s for s in panel.spots if s.quick or not self._quick]
        series: dict[str, list[Point]] = {FIRST[m]: [] for m in panel.methods} | {BOUND: []}
        lines: list[list[str]] = []
        for spot in spots:
            counts = {m: self._counts(spot, m, panel.effort) for m in panel.methods}
            if not all(counts.values()):
                continue
            least = [float(c.least) for c in counts[panel.methods[0]]]
            for method, found in counts.items():
                ios = [float(c.ios) for c in found]
                series[FIRST[method]].append(_point(spot.x, ios))
            series[BOUND].append(_point(spot.x, least))
            ratios = [_ratio([c.ios / c.least for c in counts[m]]) for m in panel.methods]
            lines.append([f"{spot.x:g}", f"{median_interval(least)[1]:,.0f}", *ratios])
        spent = panel.effort * self._seconds
        title = f"{panel.title}; times the lower bound, searches of {spent:g} CPU s"
        head = [panel.x_label, BOUND, *(marked(FIRST[m], m in SEARCHES) for m in panel.methods)]
        self._publish(f"figure-{panel.name}", title, head, lines)
        self._draw(panel.name, intervals(panel.title, panel.x_label, "I/Os", series, True, panel.log_y))

    def figure_4(self) -> None:
        """How the best I/Os fall with CPU time under each policy, on the baseline."""
        effort = 5.0
        end = effort * self._seconds
        grid = [end * 10 ** (-3 + 3 * i / 40) for i in range(41)]
        series: dict[str, list[Point]] = {}
        lines = []
        for policy in POLICIES:
            for method in SEARCHES:
                spot = Spot(0.0, "mlp", mlp(), MEMORY, policy)
                found = [self._rows.steps(self._case(spot, method, s, effort)) for s in range(self._seeds)]
                runs = [steps for steps in found if steps]
                if len(runs) < self._seeds:
                    continue
                name = f"{policy.upper()}, {'reordering' if method == PAPER else 'portfolio'}"
                values = {t: [_at(steps, t) for steps in runs] for t in grid}
                series[name] = [_point(t, v) for t, v in values.items() if math.isfinite(max(v))]
                shown = [values[grid[i]] for i in (10, 20, 30, 40)]
                lines.append([name, *(_interval(v) if math.isfinite(max(v)) else "-" for v in shown)])
        head = ["policy, method", *(marked(f"{grid[i]:.3g} s") for i in (10, 20, 30, 40))]
        self._publish("figure-4", "Figure 4: I/Os against CPU seconds, baseline, M = 100", head, lines)
        title = "Figure 4: eviction policies"
        self._draw("4", intervals(title, "CPU seconds", "I/Os", series, True, False, marks=False))

    def timed(self, figure: str) -> None:
        """Milliseconds of a batch of 128 in the panels of a figure: 7, over density, depth and width of the baseline, or 8, a BERT block; timed anew each time."""
        from benchmarks.io_execution import methods, times

        for name, panel in TIMED.items():
            if figure not in (name, name[0]):
                continue
            spots = [s for s in panel.spots if s.quick or not self._quick]
            series: dict[str, list[Point]] = {method: [] for method in methods()}
            lines = []
            for spot in spots:
                found = times(spot.kind, spot.settings, spot.memory, panel.effort * self._seconds)
                for method, took in found.items():
                    series[method].append(Point(spot.x, min(took), statistics.median(took), max(took)))
                cells = [f"{statistics.median(t):.3f} ({min(t):.3f}-{max(t):.3f})" for t in found.values()]
                lines.append([f"{spot.x:g}", *cells])
            head = [panel.x_label, *map(marked, methods())]
            self._publish(
                f"figure-{name}",
                f"{panel.title}; CPU milliseconds of a batch of 128 on one thread, median (shortest-longest)",
                head,
                lines,
            )
            title = f"{panel.title}, batch of 128"
            self._draw(name, intervals(title, panel.x_label, "CPU milliseconds", series, True, True))

    def _publish(self, name: str, title: str, head: list[str], lines: list[list[str]]) -> None:
        print(f"{title}\n{table(head, lines)}\n" if lines else f"{title}: nothing there\n", flush=True)
        if lines:
            write_table(self._out / f"{name}.csv", head, lines)

    def _draw(self, name: str, svg: str) -> None:
        write_atomically(self._out / f"figure-{name}.svg", svg.encode())


def _point(x: float, values: Sequence[float]) -> Point:
    return Point(x, *median_interval(values))


def _ratio(values: Sequence[float]) -> str:
    low, middle, high = median_interval(values)
    return f"{middle:.3f}" if low == high else f"{middle:.3f} ({low:.3f}-{high:.3f})"


def _interval(values: Sequence[float]) -> str:
    low, middle, high = median_interval(values)
    return f"{middle:,.0f} ({low:,.0f}-{high:,.0f})"


def _at(steps: Sequence[tuple[float, int]], seconds: float) -> float:
    """The best I/Os after so many seconds; infinite before the first order."""
    return min((float(ios) for at, ios in steps if at <= seconds), default=math.inf)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing; print and write the curves."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks curves",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("out/curves"), help="folder of the results")
    parser.add_argument("--seeds", type=int, default=5, help="networks per point, seeds 0 onwards")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds of a search")
    parser.add_argument("--quick", action="store_true", help="one seed, 0.3 s, few points")
    parser.add_argument("--figure", nargs="+", choices=[*FIGURES, *PANELS, *TIMED], default=list(FIGURES), metavar="NAME")  # fmt: skip
    parser.add_argument("--print", action="store_true", dest="only_print", help="run nothing")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.quick:
        options.seeds, options.seconds = 1, 0.3
    rows = Rows(options.out, options.only_print)
    curves = Curves(rows, options.seeds, options.seconds, options.quick, options.out)
    for name in options.figure:
        for panel in [p for p in PANELS.values() if name in (p.name, p.name[0])]:
            curves.panel(panel)
        if name == "4":
            curves.figure_4()
        if not options.only_print:
            curves.timed(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
