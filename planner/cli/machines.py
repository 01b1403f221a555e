"""``stageboard machines``: the named machines, shipped and of one's own."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from planner.cli.command import DONE, Console, UsageError
from planner.cli.searching import soft_interrupt
from planner.export.stages.child import Cancelled
from planner.model.cost_model import groups_dict, rates_text
from planner.model.named_machines import (
    NamedMachine,
    check_free,
    check_name,
    keep,
    own_machines,
    remove,
    shipped,
)

COLUMN = 110


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``machines``."""
    parser.add_argument("--remove", metavar="NAME", help="forget a machine of your own")
    parser.add_argument(
        "--measure", metavar="NAME",
        help="measure the rates of this computer's processor (a matrix product, a memory stream, small ops; some seconds) and keep them under this name",
    )  # fmt: skip
    parser.add_argument(
        "--replace", action="store_true", help="with --measure: take the place of a machine of your own with this name"
    )  # fmt: skip
    parser.epilog = (
        "example: stageboard machines\n"
        "         stageboard machines --measure this-computer\n"
        "         stageboard plan sample_models/unet.onnx --target pool:2+1 --machine a100-40gb\n\n"
        "'stageboard calibrate' makes machines of your own from measured times."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """List them, measure one, or forget one."""
    if args.remove is not None:
        path = remove(args.remove)
        console.result({"removed": args.remove, "file": str(path)}, lambda: f"removed {args.remove} ({path})")
        return DONE
    if args.replace and args.measure is None:
        raise UsageError("--replace is about --measure; name a machine with it")
    if args.measure is not None:
        return _measure(args.measure, args.replace, console)
    own, wrong = own_machines()
    for sentence in wrong:
        console.note(sentence)
    known = (*own, *shipped())
    console.result({"machines": [fields(one) for one in known]}, lambda: _text(known))
    return DONE


def _measure(name: str, replace: bool, console: Console) -> int:
    """Measure this computer and keep it."""
    from planner.runs.calibration.this_computer import this_computer

    (check_name if replace else check_free)(name)
    console.progress("measuring ...")
    try:
        with soft_interrupt(console, "") as cancelled:
            found = this_computer(name, stopped=cancelled)
    except Cancelled:
        raise KeyboardInterrupt from None
    path = keep(found, replace)
    console.result({**fields(found), "file": str(path)}, lambda: f"{_text([found])}\n\nkept in {path}")
    return DONE


def fields(machine: NamedMachine) -> dict[str, Any]:
    """The JSON fields of a machine."""
    return {
        "name": machine.name,
        "title": machine.title,
        "device": machine.device,
        "own": machine.own,
        "rates": None if machine.rates is None else machine.rates._asdict(),
        "groups": groups_dict(machine.groups),
        "parameters": {kind: dict(values) for kind, values in machine.parameters.items()},
        "source": machine.source,
        "date": machine.date,
        "fit": dict(machine.fit),
    }


def _text(known: Sequence[NamedMachine]) -> str:
    width = max(len(one.name) for one in known)
    indent = " " * (width + 4)
    out = ["Machines (--machine NAME)"]
    for one in known:
        what = (
            "a CPU: stands for every kind of device"
            if one.device == "cpu"
            else "for accelerators, stages and chips"
        )
        out += ["", f"  {one.name.ljust(width)}  {one.title}{' (your own)' if one.own else ''}; {what}"]
        if one.rates is not None:
            out.append(indent + rates_text(one.rates))
        for group, rates in one.groups:
            out.append(f"{indent}{group}: {rates_text(rates)}")
        for kind, values in one.parameters.items():
            out.append(
                f"{indent}for {kind}: " + ", ".join(f"{key}={value:g}" for key, value in values.items())
            )
        out += textwrap.wrap(
            f"{one.source}, {one.date}", COLUMN, initial_indent=indent, subsequent_indent=indent
        )
    return "\n".join(out)
