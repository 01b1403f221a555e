"""What the paper on multi-chip modules says in its tables 2 and 3, and numbers as its tables have them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from planner.model.graph import Floats

Table = tuple[str, list[str], list[list[str]]]
"""Title, head, rows."""

LEVELS = {"sixteen": (1.6, 1.7, 1.8), "bert": (2.55, 2.6, 2.65), "simulated": (2.55, 2.6, 2.65)}
"""The improvements of the paper's tables 2 and 3."""
NUMBERS = {"sixteen": 2, "bert": 3, "simulated": 3}
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
PAPER["simulated"] = PAPER["bert"]
"""Samples that the paper's methods took (other graphs and another machine)."""
AWAY = (0.1, 0.05, 0.02)
"""Levels of our own: so far from the best known plans, those that any run found, in the geometric mean."""


def graphs_text(count: int) -> str:
    """So many graphs."""
    return f"{count} graph{'s' if count != 1 else ''}"


def reached(mean: Floats, level: float) -> float:
    """Samples after which a mean curve is at least ``level``; infinite where it never is."""
    at = np.flatnonzero(mean >= level - 1e-9)
    return float(at[0] + 1) if len(at) else math.inf


def mean_text(values: Floats) -> str:
    """Mean and deviation over the runs; a dash while a run has no valid plan."""
    return (
        f"{values.mean():.3f} ± {values.std():.3f}"
        if len(values) and (values > 0).all() and np.isfinite(values).all()
        else "-"
    )


def times_text(values: Sequence[float]) -> str:
    """Geometric mean of factors; a dash where there is none or one is 0."""
    if not values or min(values) <= 0:
        return "-"
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.1f}x"


def number_text(value: float) -> str:
    """An objective; a dash where there is none."""
    return f"{value:.4g}" if math.isfinite(value) else "-"
