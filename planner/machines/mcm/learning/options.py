"""What can be chosen of a training run: the same on the command line and in the window."""

from __future__ import annotations

from planner.options import Option

FIX, SAMPLE, NONE = "fix", "sample", "none"
CORRECTIONS = (FIX, SAMPLE, NONE)
"""How placements become valid: FIX (the paper's algorithm 2), SAMPLE (algorithm 1, from the last round's probabilities), or not at all."""
MOST_COUNTED = 100_000_000

TRAINING_OPTIONS = (
    Option("samples", 20_000, "partitions to draw and evaluate", low=1, high=MOST_COUNTED),
    Option("seed", 0, "same seed, same curve", low=0, high=2**31 - 1),
    Option(
        "correction", FIX,
        "how the constraint solver corrects what is drawn: fix; sample draws it within the rules; none scores it as it is",
        choices=CORRECTIONS,
    ),
    Option("problems", 66, "how many made-up problems it trains on", low=1, high=MOST_COUNTED),
    Option("validation", 5, "how many made-up problems checkpoints are compared on", low=1, high=MOST_COUNTED),
    Option("most_ops", 200, "size of the largest of them", low=60, high=2000),
    Option("epochs", 3, "how often each batch is gone through, in four parts with a step each", low=1, high=MOST_COUNTED),
    Option("rate", 4e-4, "first size of a step", low=1e-6, high=1.0),
)  # fmt: skip
