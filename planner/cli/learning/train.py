"""``stageboard train``: train the policy of multi-chip modules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli import inputs
from planner.cli.command import DONE, Console
from planner.cli.searching import soft_interrupt
from planner.text_table import percent, table

if TYPE_CHECKING:
    from planner.machines.mcm.learning.training import Point, Training

SAMPLES = 20_000
LEVELS = "▁▂▃▄▅▆▇█"
WIDTH = 60
"""Characters of the longest curve."""
ROWS = 12
"""Checkpoints in the table, evenly spread."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``train``."""
    parser.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        help="the folder of the run: weights, curve, what it goes on from",
    )
    parser.add_argument(
        "--samples",
        type=_count,
        default=SAMPLES,
        metavar="N",
        help=f"partitions to draw and evaluate (default {SAMPLES})",
    )
    parser.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="same seed, same curve (default 0)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--correction", choices=("fix", "sample"),
        help="how the constraint solver corrects what is drawn (default fix; sample: draws it within the rules)",
    )  # fmt: skip
    how.add_argument(
        "--without-solver",
        action="store_true",
        help="score what is drawn as it is: a broken rule is worth nothing",
    )
    parser.add_argument(
        "--problems", type=_count, default=66, metavar="N", help="made-up problems to train on (default 66)"
    )
    parser.add_argument(
        "--validation",
        type=_count,
        default=5,
        metavar="N",
        help="made-up problems that checkpoints are compared on (default 5)",
    )
    parser.add_argument(
        "--most-ops",
        type=_ops,
        default=200,
        metavar="N",
        help="size of the largest of them, 60 to 2000 (default 200)",
    )
    parser.add_argument(
        "--epochs",
        type=_count,
        default=10,
        metavar="N",
        help="times that each batch is gone through (default 10)",
    )
    parser.add_argument(
        "--rate", type=_rate, default=4e-4, metavar="R", help="first size of a step (default 0.0004)"
    )
    parser.epilog = (
        "example: stageboard train --out run --samples 20000 --seed 0\n\n"
        "Needs JAX: pip install 'stageboard[learn]'; a GPU is used where JAX finds one. After every 100 samples there is a checkpoint, which is\n"
        "compared on the validation problems; DIR/weights.npz are the best weights so far, DIR/curve.csv is the curve. Ctrl-C ends the run\n"
        "after the checkpoint at work; --resume goes on, with the same curve as if it had not been ended."
    )


def _count(text: str) -> int:
    value = inputs.whole(text)
    if not 1 <= value <= 100_000_000:
        raise argparse.ArgumentTypeError(f"{value} is not from 1 to 100,000,000")
    return value


def _ops(text: str) -> int:
    value = inputs.whole(text)
    if not 60 <= value <= 2000:
        raise argparse.ArgumentTypeError(f"{value} is not from 60 to 2000")
    return value


def _rate(text: str) -> float:
    return inputs.real(text, 1e-6, 1.0, "a size of steps")


def run(args: argparse.Namespace, console: Console) -> int:
    """Train until the samples are drawn or Ctrl-C, then say what came of it."""
    from planner.machines.mcm.learning.scoring import FIX, NONE
    from planner.machines.mcm.learning.training import BEST, Training, TrainingSettings

    settings = TrainingSettings(
        samples=args.samples,
        seed=args.seed,
        correction=NONE if args.without_solver else args.correction or FIX,
        epochs=args.epochs,
        rate=args.rate,
        training=args.problems,
        validation=args.validation,
        most_ops=args.most_ops,
    )
    console.progress("making up problems ...")
    training = Training(settings, Path(args.out), args.resume)

    def told(point: Point, of: int) -> None:
        done = len(training.curve)
        console.progress(
            f"checkpoint {done} of {of}  reward {point.reward:.3f}  validation {point.validation:.3f}  {sparkline(training)}"
        )

    with soft_interrupt(console, "stopping after this checkpoint; --resume goes on") as asked:
        training.run(told, asked)
    ended = len(training.curve) < settings.checkpoints
    last = training.curve[-1] if training.curve else None
    best = training.best_point
    data = {
        "samples": last.samples if last else 0,
        "checkpoints": len(training.curve),
        "ended_early": ended,
        "validation": best.validation if best else None,
        "best_after": best.samples if best else None,
        "weights": str(Path(args.out) / BEST) if best else None,
    }
    console.result(data, lambda: _report(training, ended))
    return DONE


def sparkline(training: Training) -> str:
    """The validation curve so far in a row of characters, low to high."""
    values = [point.validation for point in training.curve]
    if not values:
        return ""
    step = max(1, -(-len(values) // WIDTH))
    means = [sum(values[i : i + step]) / len(values[i : i + step]) for i in range(0, len(values), step)]
    low, high = min(means), max(means)
    scale = (len(LEVELS) - 1) / (high - low) if high > low else 0.0
    return "".join(LEVELS[round((value - low) * scale)] for value in means)


def _report(training: Training, ended: bool) -> str:
    curve, best = training.curve, training.best_point
    if best is None:
        return "no checkpoint was made; --resume goes on"
    at = sorted({round(i * (len(curve) - 1) / max(1, ROWS - 1)) for i in range(ROWS)})
    rows = [
        [f"{p.samples:,}", f"{p.reward:.3f}", f"{p.validation:.3f}", f"{p.first:.3f}", percent(p.valid)]
        for p in (curve[i] for i in at)
    ]
    head = ["samples", "reward", "validation", "first", "valid"]
    words = "ended early; --resume goes on" if ended else "done"
    return (
        f"{table(head, rows)}\n\nvalidation {sparkline(training)}\n\n"
        f"{words}: the best of {len(curve)} checkpoints, after {best.samples:,} samples, has {best.validation:.3f} times greedy's throughput; "
        f"its weights are in {training.folder / 'weights.npz'}"
    )
