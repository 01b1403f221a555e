"""``stageboard export``: a plan for other programs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli import inputs
from planner.cli.command import DONE, Console
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from planner.plan import Plan

FORMATS = {
    "device-placement": "split file of the device-placement format (JSON)",
    "dot": "Graphviz graph, one cluster per device",
    "csv": "table, one row per op",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``export``."""
    inputs.add_models_and_plan(parser)
    parser.add_argument(
        "--to", required=True, choices=list(FORMATS), metavar="FORMAT", help=", ".join(FORMATS)
    )
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="the file to write")
    formats = "\n".join(f"  {name.ljust(17)} {what}" for name, what in FORMATS.items())
    parser.epilog = (
        f"formats\n{formats}\n\n"
        "example: stageboard export sample_models/resnet50.json resnet50.plan.json --to csv -o resnet50.csv"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read model and plan, write the file."""
    inputs.check_output(args.output)
    opened = inputs.open_with_plan(args)
    for note in opened.notes:
        console.note(f"{args.plan}: {note}; the figures written are the new ones")
    file = _writer(args.to)(opened.plan, args.output)
    size = Path(file).stat().st_size
    data = {"format": args.to, "file": args.output, "bytes": size}
    console.result(data, lambda: f"wrote {args.output} ({args.to}, {bytes_text(size)})")
    return DONE


def _writer(form: str) -> Callable[[Plan, str], Path]:
    from planner import export

    return {
        "device-placement": export.to_device_placement,
        "dot": lambda plan, path: export.to_dot(plan.problem.graph, plan, path),
        "csv": export.to_csv,
    }[form]
