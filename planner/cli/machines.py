"""``stageboard machines``: the named machines, shipped and of one's own."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from planner.cli.command import DONE, Console
from planner.model.cost_model import Rates, groups_dict
from planner.model.named_machines import NamedMachine, own_machines, remove, shipped
from planner.quantity import time_text
from planner.text_table import large

COLUMN = 110


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``machines``."""
    parser.add_argument("--remove", metavar="NAME", help="forget a machine of your own")
    parser.epilog = (
        "example: stageboard machines\n"
        "         stageboard plan sample_models/unet.onnx --target pool:2+1 --machine a100-40gb\n\n"
        "'stageboard calibrate' makes machines of your own from measured times."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """List them, or forget one."""
    if args.remove is not None:
        path = remove(args.remove)
        console.result({"removed": args.remove, "file": str(path)}, lambda: f"removed {args.remove} ({path})")
        return DONE
    own, wrong = own_machines()
    for sentence in wrong:
        console.note(sentence)
    known = (*own, *shipped())
    console.result({"machines": [fields(one) for one in known]}, lambda: _text(known))
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


def rates_text(rates: Rates) -> str:
    """``8.1 TFLOP/s, 320 GB/s, 5.00 us an op``."""
    return f"{_rate(rates.flops)}FLOP/s, {_rate(rates.bandwidth)}B/s, {time_text(rates.overhead, 's')} an op"


def _rate(value: float) -> str:
    """A rate with its prefix: ``8.1 T``."""
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= scale:
            return f"{value / scale:.4g} {prefix}"
    return f"{large(value)} "


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
