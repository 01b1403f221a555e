"""``stageboard export``: a plan for other programs."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner import export
from planner.cli import inputs, proving
from planner.cli.command import DONE, FAILED, Console, UsageError
from planner.export.sources import rule_notes, spare
from planner.formats import read_models
from planner.formats.graphs.stageboard_json import write as write_graph
from planner.machines.two_level_memory.problem import OrderPlan
from planner.plan_files.plan_parts import is_plan
from planner.quantity import bytes_text
from planner.reports.certificate.write import check_suffix, to_certificate
from planner.runs.exporting import (
    CERTIFICATE,
    FOLDERS,
    MODEL,
    ORDER,
    PLANLESS,
    formats,
    places,
    write_plan_as,
    write_stages,
)

if TYPE_CHECKING:
    from planner.export.stages.stages import StageExport
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.plan_files.order_json import OpenedOrder
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.problem import Plan


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``export``."""
    parser.add_argument(
        "files", nargs="+", metavar="MODEL... PLAN",
        help="the model file, or all of a plan for several models, and the plan file (JSON)",
    )  # fmt: skip
    inputs.add_reading_of_plans(parser)
    parser.add_argument("--to", required=True, choices=list(formats()), metavar="FORMAT", help="see below")
    parser.add_argument(
        "-o", "--output", required=True, metavar="PATH", help="the file to write; of stages, the folder"
    )
    checking = parser.add_argument_group("checking stages")
    checking.add_argument(
        "--no-check",
        action="store_true",
        help="write the stages without running them against the whole model",
    )
    checking.add_argument(
        "--samples",
        type=_samples,
        metavar="N",
        help="how many random inputs to run (default: the format's own)",
    )
    checking.add_argument(
        "--seed",
        type=inputs.seed,
        metavar="N",
        help="what the random inputs come from (default 0)",
    )
    proving.configure(parser.add_argument_group("proving a certificate"), f"{proving.SECONDS:g}")
    listed = "\n".join(f"  {name.ljust(17)} {what}" for name, what in formats().items())
    parser.epilog = (
        f"formats\n{listed}\n\n"
        "example: stageboard export sample_models/resnet50.json resnet50.plan.json --to csv -o resnet50.csv\n"
        "         stageboard export sample_models/unet.onnx unet.plan.json --to onnx-stages -o unet-stages"
    )


def _samples(text: str) -> int:
    number = inputs.whole(text)
    if not 1 <= number <= 10_000:
        raise argparse.ArgumentTypeError(f"{number} is not from 1 to 10,000")
    return number


def run(args: argparse.Namespace, console: Console) -> int:
    """Read model and plan, write what was asked for."""
    _refuse_idle_options(args)
    _tell_apart(args)
    if args.to in FOLDERS:
        from planner.export.stages.folder import check_destination

        check_destination(Path(args.output).absolute())
    else:
        if args.to == CERTIFICATE:
            check_suffix(Path(args.output))
        inputs.check_output(args.output)
        spare(places(args.to, Path(args.output)), [*([args.plan] if args.plan else []), *args.models])
    if args.to == MODEL or (args.to == "dot" and not args.plan):
        return _model(args, console)
    opened = inputs.open_with_plan(args)
    for note in opened.notes:
        console.note(f"{args.plan}: {note}; the figures written are the new ones")
    plan = opened.plan
    if args.to == CERTIFICATE:
        files: tuple[Path, ...] = (_certificate(opened, args, console),)
    elif args.to in FOLDERS and not isinstance(plan, OrderPlan):
        return _stages(args, plan, console)
    else:
        if not isinstance(plan, OrderPlan) and args.to != ORDER:
            for note in rule_notes(plan):
                console.note(note)
        files = write_plan_as(plan, args.to, args.output, args.models, args.plan)
    return _report(args, files, console)


def _report(args: argparse.Namespace, files: tuple[Path, ...], console: Console) -> int:
    """Say what was written."""
    sizes = [file.stat().st_size for file in files]
    data: dict[str, Any] = {"format": args.to, "file": str(files[0]), "bytes": sizes[0]}
    if len(files) > 1:
        data["files"] = [{"file": str(file), "bytes": size} for file, size in zip(files, sizes, strict=True)]
    console.result(
        data,
        lambda: "\n".join(
            f"wrote {file} ({args.to}, {bytes_text(size)})" for file, size in zip(files, sizes, strict=True)
        ),
    )
    return DONE


def _tell_apart(args: argparse.Namespace) -> None:
    """Find the plan among the files: the last one, unless a model is written, which needs none."""
    *models, last = args.files
    plan = last if args.to not in PLANLESS or (models and is_plan(last)) else ""
    args.models, args.plan = (models if plan else args.files), plan
    if not args.models:
        raise UsageError(f"export --to {args.to} writes a plan of a model; name both, the model first")


def _model(args: argparse.Namespace, console: Console) -> int:
    """Write the models as one graph, measured times among those that it is given; of a plan, each op's device as an attribute."""
    if args.plan:
        opened = inputs.open_graph_plan(args)
        for note in opened.notes:
            console.note(f"{args.plan}: {note}")
        plan = opened.plan
        graph, devices = plan.problem.graph, [device.name for device in plan.problem.devices]
        places = [devices[d] for d in plan.decision.device_of.tolist()]
        graph = replace(
            graph, attrs=tuple({**a, "device": d} for a, d in zip(graph.attrs, places, strict=True))
        )
    else:
        if args.machine:
            raise UsageError(
                "--machine estimates times, and a model's file holds those that are given; leave it out"
            )
        times = inputs.measured_times(args.times, numbers=False)
        graph = read_models(args.models, **inputs.read_options(args), times=times)
    if args.to == "dot":
        return _report(args, (export.to_dot(graph, None, args.output),), console)
    source = "; ".join(
        [*(Path(m).name for m in args.models), *(graph.measured.sources if graph.measured else ())]
    )
    return _report(args, (write_graph(graph, args.output, source),), console)


def _refuse_idle_options(args: argparse.Namespace) -> None:
    """Raise :class:`UsageError` for options of a check where nothing is checked, and of a proof where nothing is proven."""
    if args.prove is not None and args.to != CERTIFICATE:
        raise UsageError(
            f"--prove is about certificates, and '{args.to}' says nothing of bounds; leave it out"
        )
    values = {"no_check": args.no_check or None, "samples": args.samples, "seed": args.seed}
    given = [name for name, value in values.items() if value is not None]
    if given and args.to not in FOLDERS:
        option = "--" + given[0].replace("_", "-")
        raise UsageError(
            f"{option} is about checking stages ({', '.join(FOLDERS)}), and '{args.to}' is not checked; leave it out"
        )


def _certificate(opened: OpenedPlan | OpenedOrder, args: argparse.Namespace, console: Console) -> Path:
    """Write the certificate, what the file claims proven again."""
    from planner.runs.proving import known_at_once

    plan = opened.plan
    seconds = proving.SECONDS if args.prove is None else args.prove
    if seconds == proving.OFF:
        known = known_at_once(plan.problem)
        return to_certificate(plan, (*known, *opened.bounds), args.output, known)
    again = proving.again(plan, opened.bounds, seconds, console)
    return to_certificate(plan, again.bounds, args.output, again.new, again.notes)


# ---------------------------------------------------------------------- stages
def _stages(args: argparse.Namespace, plan: Plan, console: Console) -> int:
    """Write a folder of stages; a check that fails is a status of its own."""
    from planner.export.stages.stages import VerificationFailed

    console.progress("writing the stages" + ("" if args.no_check else " and running them ..."))
    try:
        done = write_stages(
            plan,
            args.to,
            args.models,
            args.output,
            check=not args.no_check,
            samples=args.samples,
            seed=args.seed,
        )
    except VerificationFailed as error:
        console.note(str(error))
        console.result(
            {"format": args.to, "folder": None, "files": [], "verified": False, "failure": str(error)},
            lambda: f"{args.output} was not written: the stages do not reproduce the model",
        )
        return FAILED
    for note in done.notes:
        console.note(note)
    data = {
        "format": done.format,
        "folder": str(done.folder),
        "files": [
            {
                "file": str(stage.path), "model": stage.model, "device": stage.stage, "inputs": stage.inputs,
                "outputs": stage.outputs, "bytes": stage.bytes,
            }
            for stage in done.stages
        ],
        "verified": bool(done.checked),
        "checked": done.checked,
        "exact": done.exact,
        "largest_difference": done.largest_difference,
        "tolerance": done.tolerance,
        "read_back": True,
        "notes": done.notes,
    }  # fmt: skip
    console.result(data, lambda: _text(done))
    return DONE


def _text(done: StageExport) -> str:
    from planner.export.stages.stages import verified_text

    count = len(done.stages)
    lines = [f"wrote {count} stage{'' if count == 1 else 's'} to {done.folder} ({done.format})"]
    lines += [f"  {stage.path.name}  {stage.stage}, {bytes_text(stage.bytes)}" for stage in done.stages]
    return "\n".join([*lines, verified_text(done)])
