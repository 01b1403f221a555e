"""``stageboard sweep``: many problems, resumable."""

from __future__ import annotations

import argparse
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console, UsageError
from planner.machines.catalogue import bound_method, planner
from planner.runs.sweep.results import Results
from planner.runs.sweep.spec import read_sweep

if TYPE_CHECKING:
    from planner.runs.sweep.spec import Run

INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``sweep``."""
    parser.add_argument("sweep", metavar="SWEEP.toml", help="what to run: models, targets, planners, seeds")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=inputs.whole, default=1, metavar="N", help="processes at a time (default 1)"
    )
    where.add_argument("--scheduler", metavar="ADDRESS", help="run on the workers of a dask scheduler")
    parser.add_argument("-o", "--output", required=True, metavar="RESULTS.csv", help="one row per run")
    parser.epilog = (
        "example: stageboard sweep sweep.toml -o results.csv\n\n"
        'where sweep.toml holds\n  models = ["sample_models/*.json"]\n  targets = ["pipeline:4", "pipeline:8"]\n'
        '  planners = ["slice", { name = "slice-random", set = { orders = 100 } }]\n  bounds = ["simple"]\n'
        "  seeds = [0, 1]\n  time_limit = 10\n\n"
        "Runs whose row is in RESULTS.csv already are skipped, so a sweep that was stopped goes on when it is started\n"
        "again. Exit status 1: a run ended in an error."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Carry out what is missing."""
    from planner.runs.sweep.execute import perform_all, perform_on_cluster

    cores = os.cpu_count() or 1
    if not 1 <= args.workers <= 4 * cores:
        raise UsageError(f"--workers is {args.workers}; it must be from 1 to {4 * cores} on this machine")
    runs = read_sweep(args.sweep)
    check_names(runs)
    inputs.check_output(args.output, [args.sweep])
    results = Results(args.output)
    todo = results.missing(runs)
    base = str(Path(args.sweep).resolve().parent)
    found: Counter[str] = Counter()
    outcomes: Any = (
        perform_on_cluster(todo, base, args.scheduler)
        if args.scheduler
        else perform_all(todo, base, args.workers)
    )
    stopped = False
    try:
        with ended_by_signal(), closing(outcomes):
            console.progress(f"0 of {len(todo)} runs")
            for done, (item, outcome) in enumerate(outcomes, 1):
                results.add(item, outcome)
                found[str(outcome["status"])] += 1
                console.progress(f"{done} of {len(todo)} runs  {item.method} on {item.model}")
    except KeyboardInterrupt:
        stopped = True
        console.note(f"stopped; start it again to go on from {args.output}")
    done = sum(found.values())
    data = {
        "file": args.output,
        "runs": len(runs),
        "done": done,
        "skipped": len(runs) - len(todo),
        "left": len(todo) - done,
        "statuses": dict(sorted(found.items())),
    }

    def text() -> str:
        counts = ", ".join(f"{n} {status}" for status, n in sorted(found.items()))
        return f"{args.output}: {done} runs done{f' ({counts})' if counts else ''}, {data['skipped']} were there already"

    console.result(data, text)
    return INTERRUPTED if stopped else FAILED if found["error"] else DONE


def check_names(runs: list[Run]) -> None:
    """Every planner and bound method must exist. Raises :class:`planner.errors.PlannerRefusal`."""
    for is_bound, name in dict.fromkeys((item.is_bound, item.method) for item in runs):
        (bound_method if is_bound else planner)(name)


@contextmanager
def ended_by_signal() -> Iterator[None]:
    """SIGTERM ends the block like Ctrl-C does."""

    def handle(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, handle)
    except ValueError:  # not in the main thread, which alone hears signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
