"""The columns of the papers' tables: which method is run where, with which options, and what a row is made of."""

from __future__ import annotations

from dataclasses import dataclass

from planner.machines.catalogue import bound_methods, planners
from planner.runs.sweep.spec import Run

TIMED = ("bottleneck", "bottleneck-guess", "exact")
"""Methods whose times the MTPP paper plots beside SliceGraph's (figures 4 and 5)."""


PIPELINE = "pipeline:{k}"
AS_POOL = "pool:{k}+0,communication=sum"
"""Without a memory limit the same problem as :data:`PIPELINE`: a chain of blocks, each tensor once per border (docs/ideals-dp.md)."""


@dataclass(frozen=True)
class Column:
    """One column: its label and the run of a cell but for model and target, which ``place`` makes of a number of blocks."""

    label: str
    run: Run
    place: str = PIPELINE

    @property
    def known(self) -> bool:
        """Whether the catalogue has the method."""
        return self.run.method in (bound_methods() if self.run.is_bound else planners())


def column(
    label: str,
    method: str,
    *,
    is_bound: bool = False,
    granularity: str = "op",
    place: str = PIPELINE,
    **options: float,
) -> Column:
    """A column of one method with options."""
    pairs = tuple(sorted((k, str(v)) for k, v in options.items()))
    run = Run("", "", method, is_bound=is_bound, granularity=granularity, options=pairs)
    return Column(label, run, place)


def _bound(method: str) -> Column:
    return column(method, method, is_bound=True)


IDEALS = column("ideals-dp", "ideals-dp", place=AS_POOL)
EXACT = (_bound("exact"), IDEALS)
"""Methods that prove an optimum where they end: the program of MTPP, and the dynamic program over ideals."""
BOUNDS: dict[str, tuple[Column, ...]] = {
    "simple": (_bound("simple"),),
    "bottleneck": (_bound("bottleneck"),),
    "bottleneck-guess": (_bound("bottleneck-guess"),),
    "two-superblock": (_bound("two-superblock"),),
    "exact": EXACT,
}
"""Rows of tables 1 and 3: the best bound of the methods counts, and of the rows above."""

BRKGA_100, BRKGA_10000 = {"population": 10, "generations": 10}, {"population": 100, "generations": 100}
ORDERS = (
    column("mla", "mla", **BRKGA_10000),
    column("mla-weighted", "mla-weighted", **BRKGA_10000),
    column("random-1", "slice-random", orders=1),
    column("random-100", "slice-random", orders=100),
    column("random-10000", "slice-random", orders=10_000),
    column("brkga-100", "brkga", **BRKGA_100),
    column("brkga-10000", "brkga", **BRKGA_10000),
)
HOT = column("anneal, hot", "anneal", hot=0.03, cold=0.001, power=8, orders=100)
"""Annealing that begins seven times hotter than is usual: on REGAL-like graphs its plans are up to a tenth better."""
PLANS = (*ORDERS, column("anneal", "anneal"), HOT, IDEALS)
"""What the best known plan is taken from."""
PAPER_SIMPLE = (0.9579, 0.8795, 0.7911, 0.5821, 0.4087, 0.3336)
PAPER_EXACT = (0.9804, 0.9579, 0.9407, 0.8929, 0.5910, 0.3810)
"""MTPP, table 3: both over the plans of its BRKGA, on 2, 4, 8, 16, 32 and 64 blocks of 1000 REGAL graphs."""
BLOCKS = (2, 4, 8, 16, 32, 64)
PLACEMENT = (
    column("DP", "ideals-dp"),
    column("IP", "max-load-ip"),
    column("IP free", "max-load-ip"),
    column("DPL", "dpl", orders=1),
    column("expert", "expert"),
    column("local search", "local-search", restarts=10),
    column("PipeDream", "pipedream"),
    column("Scotch", "scotch"),
)
FREE = {"IP free", "expert", "local search", "Scotch"}
"""Columns whose splits need not be contiguous."""
TIMED_PLANS = {"DP", "IP", "IP free"}
"""Columns with the time that the run took."""
PROVEN = 0.01
"""The gap at which the device-placement paper calls a split optimal and ends its solver."""
