"""``stageboard calibrate``: rates of a machine from measured times, kept under a name for ``--machine``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, Console, Parser, UsageError
from planner.cli.machines import fields
from planner.files import to_json, write_atomically
from planner.formats import read_graph
from planner.formats.times.read import read_times
from planner.model.cost_model import rates_text
from planner.model.named_machines import check_free, check_name, keep, to_dict
from planner.model.times import DEVICES, Use, with_times_of
from planner.printable import plural
from planner.text_table import table

if TYPE_CHECKING:
    from planner.model.times import OpTimes
    from planner.runs.calibration.calibrate import Calibration, Errors


def configure(parser: Parser) -> None:
    """Arguments of ``calibrate``."""
    parser.intermixed = True
    parser.add_argument("models", nargs="+", metavar="MODEL", help="the models that were measured")
    parser.add_argument(
        "--times", action="append", default=[], required=True, metavar="FILE",
        help="the profile of each model, in their order (stageboard profile, or another program's)",
    )  # fmt: skip
    parser.add_argument(
        "--name", required=True, metavar="NAME", help="what --machine is to call it: small letters, digits, '.', '_', '-'"
    )  # fmt: skip
    parser.add_argument("--title", default="", metavar="TEXT", help="what lists call it (default: its name)")
    parser.add_argument(
        "--device", choices=DEVICES, help="the kind of device that was measured, where the profiles do not say"
    )  # fmt: skip
    parser.add_argument(
        "--batch", type=inputs.whole, metavar="N", help="bind symbolic batch dimensions (default 1)"
    )
    parser.add_argument(
        "--replace", action="store_true", help="take the place of a machine of your own with this name"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE",
        help="write the machine to this file (JSON), which --machine reads too, instead of keeping it among yours",
    )  # fmt: skip
    parser.epilog = (
        "example: stageboard profile sample_models/unet.onnx -o unet.times.json\n"
        "         stageboard calibrate sample_models/unet.onnx --times unet.times.json --name my-core\n"
        "         stageboard plan sample_models/fpn_detector.onnx --target pipeline:2 --machine my-core\n\n"
        "Rates are fitted by groups of kinds of ops. With several models, each is also estimated by a fit on all others."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read models and profiles, fit, keep or write, say how good it is."""
    from planner.runs.calibration.calibrate import calibrated

    if len(args.models) != len(args.times):
        raise UsageError(
            f"{plural(len(args.models), 'model')} and {plural(len(args.times), 'profile')} were named; give each model its --times, in the same order"
        )
    inputs.check_output(args.output, [*args.models, *args.times])
    if args.output is None and not args.replace:
        check_free(args.name)
    else:
        check_name(args.name)
    profiles = [_profile(path, args.device) for path in args.times]
    device = args.device or _device(profiles)
    graphs = [
        with_times_of(read_graph(model, batch=1 if args.batch is None else args.batch), [Use(times)])
        for model, times in zip(args.models, profiles, strict=True)
    ]
    found = calibrated(graphs, device, args.name, args.title)
    if args.output is None:
        file = str(keep(found.machine, args.replace))
    else:
        file = str(write_atomically(args.output, to_json(to_dict(found.machine))))
    data: dict[str, Any] = {
        **fields(found.machine),
        "before": found.before._asdict(),
        "after": found.after._asdict(),
        "left_out": None if found.left_out is None else found.left_out._asdict(),
        "models": [
            {
                "model": one.model,
                "before": one.before._asdict(),
                "after": one.after._asdict(),
                "left_out": None if one.left_out is None else one.left_out._asdict(),
            }
            for one in found.models
        ],
        "file": file,
    }
    console.result(data, lambda: _text(found, file))
    return DONE


def _profile(path: str, device: str | None) -> OpTimes:
    """The one profile in a file that is of a kind of device. Raises :class:`UsageError` where several are."""
    given = read_times(path)
    mine = [times for times in given if device is None or times.device in ("", device)]
    if len(mine) != 1:
        raise UsageError(
            f"{path} tells several kinds of devices apart; name one with --device" if mine
            else f"{path} has no times of a device of kind '{device}'; leave --device out"
        )  # fmt: skip
    return mine[0]


def _device(profiles: list[OpTimes]) -> str:
    """The kind of device that all profiles are of. Raises :class:`UsageError`."""
    said = {times.device for times in profiles if times.device}
    if len(said) != 1:
        raise UsageError(
            "the profiles are of several kinds of devices; calibrate one at a time" if said
            else "the profiles do not say what was measured; add --device cpu or --device accelerator"
        )  # fmt: skip
    return said.pop()


def _text(found: Calibration, file: str) -> str:
    machine = found.machine
    assert machine.rates is not None, "a calibrated machine has rates"
    rows = [
        ["all ops", rates_text(machine.rates)],
        *([group, rates_text(rates)] for group, rates in machine.groups),
    ]
    out = [
        f"{machine.name}: {'a CPU' if machine.device == 'cpu' else 'an accelerator'}, {machine.source}",
        f"  file  {file}", "", table(["group of ops", "rates"], rows, left=2), "",
    ]  # fmt: skip
    errors = [_row(one.model, one.before, one.after, one.left_out) for one in found.models]
    if len(found.models) > 1:
        errors.append(_row("all", found.before, found.after, found.left_out))
    head = [
        "estimate to measured",
        "ops",
        "before",
        "90 %",
        "sum",
        "after",
        "90 %",
        "sum",
        "left out",
        "90 %",
        "sum",
    ]
    if found.left_out is None:
        head = head[:-3]
    out += [
        table(head, errors), "",
        "  Per op the larger over the smaller of the two, median and 90th percentile; sum of estimates over sum of times.",
        "  Before: the default cost model." + ("" if found.left_out is None else " Left out: a fit on all other models."),
    ]  # fmt: skip
    return "\n".join(out)


def _row(name: str, before: Errors, after: Errors, left_out: Errors | None) -> list[str]:
    cells = [name, f"{before.ops:,}"]
    for errors in (before, after, left_out):
        if errors is not None:
            cells += [f"{errors.median:.2f}", f"{errors.worst_tenth:.2f}", f"{errors.total:.2f}"]
    return cells
