"""``stageboard train``: train the policy of multi-chip modules."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.command import DONE, Console
from planner.cli.searching import soft_interrupt
from planner.errors import StageboardError
from planner.machines.mcm.learning.options import NONE, TRAINING_OPTIONS
from planner.options import Option
from planner.text_table import percent, seconds_text, table

if TYPE_CHECKING:
    from planner.machines.mcm.learning.training import Point, Training

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
    options = {option.name: option for option in TRAINING_OPTIONS}
    correction = options.pop("correction")
    for option in options.values():
        parser.add_argument(
            f"--{option.name.replace('_', '-')}",
            type=partial(_parsed, option),
            default=option.default,
            metavar="R" if isinstance(option.default, float) else "N",
            help=f"{option.help} (default {option.default}; {option.range_text})",
        )
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--correction", choices=[choice for choice in correction.choices if choice != NONE],
        help=f"how the constraint solver corrects what is drawn (default {correction.default}; sample: draws it within the rules)",
    )  # fmt: skip
    how.add_argument(
        "--without-solver",
        action="store_true",
        help="score what is drawn as it is: a broken rule is worth nothing",
    )
    parser.epilog = (
        "example: stageboard train --out run --samples 20000 --seed 0\n\n"
        "Needs JAX: pip install 'stageboard[learn]'; a GPU is used where JAX finds one. After every 100 samples there is a checkpoint, which is\n"
        "compared on the validation problems; DIR/weights.npz are the best weights so far, DIR/curve.csv is the curve. Ctrl-C ends the run\n"
        "after the checkpoint at work; --resume goes on, with the same curve as if it had not been ended."
    )


def _parsed(option: Option, text: str) -> bool | int | float | str:
    """The value of an option, in its range."""
    try:
        return option.parse(text)
    except StageboardError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace, console: Console) -> int:
    """Train until the samples are drawn or Ctrl-C, then say what came of it."""
    from planner.machines.mcm.learning.recorded import Pace, Progress, holding
    from planner.machines.mcm.learning.training import BEST, Training, TrainingSettings

    chosen = {option.name: getattr(args, option.name) for option in TRAINING_OPTIONS}
    chosen["correction"] = NONE if args.without_solver else args.correction or TrainingSettings.correction
    settings = TrainingSettings.of(chosen)
    console.progress("making up problems ...")
    pace = Pace(settings.checkpoints)
    with holding(Path(args.out)):
        training = Training(settings, Path(args.out), args.resume)

        def told(point: Point, checkpoints: int) -> None:
            done, per = len(training.curve), settings.per_checkpoint
            progress = Progress(done * per, checkpoints * per, training.cpu_seconds, pace.left(done))
            console.progress(
                f"{progress.words(seconds_text)}  reward {point.reward:.3f}  validation {point.validation:.3f}"
                f"  first {point.first:.3f}  {sparkline(training)}"
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
        "cpu_seconds": round(training.cpu_seconds, 3),
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
        f"its weights are in {training.folder / 'weights.npz'}; {seconds_text(training.cpu_seconds)} of CPU time"
    )
