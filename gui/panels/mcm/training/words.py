"""What is said of training runs, and the colours of their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.look.theme import Theme

if TYPE_CHECKING:
    from planner.machines.mcm.learning.training import Point

FIGURES = {
    "reward": ("reward in training", "reward"),
    "validation": ("average on validation", "validation"),
    "first": ("first placement on validation", "first placement"),
}
"""The figures of a checkpoint by their fields, in words and in a single word."""
UNIT = "greedy's throughput"


def colour_of(figure: str, theme: Theme) -> str:
    """The colour of a figure's line and of its words."""
    return {"reward": theme.muted, "validation": theme.accent, "first": theme.good}[figure]


def point_words(point: Point) -> str:
    """A checkpoint in a sentence, for who cannot see the curve."""
    told = ", ".join(f"{words} {getattr(point, name):.3f}" for name, (words, _) in FIGURES.items())
    return f"after {point.samples:,} samples, in times {UNIT}: {told}"
