"""``stageboard run``: run a plan's stages for real, one process each, and say what they took beside what was predicted."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console, UsageError, plain
from planner.cli.searching import soft_interrupt
from planner.export.stages.child import Cancelled
from planner.files import to_json, write_atomically
from planner.formats.times.stageboard_times import write as write_times
from planner.plan_files.order_json import is_order_plan
from planner.plan_files.plan_json import write_plan
from planner.runs.running.again import plan_again
from planner.runs.running.cores import cores_text, parse_cores
from planner.runs.running.order import RunFailed, RunOrder, Split, split_of
from planner.runs.running.result import DISTURBED, counted_in_both, difference_words, ratio, to_dict
from planner.runs.running.running import run_plan
from planner.text_table import NONE, percent, table
from planner.text_table import times as in_one_unit

if TYPE_CHECKING:
    from planner.runs.running.again import Agreed
    from planner.runs.running.result import LineRun, PlanRun


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``run``."""
    inputs.add_models_and_plan(parser)
    how = parser.add_argument_group("how it runs")
    how.add_argument(
        "--samples", type=inputs.whole, metavar="N", help="measured samples (default: for some fifteen seconds)"
    )  # fmt: skip
    how.add_argument("--warm-up", type=inputs.whole, metavar="N", help="samples before these (default 3)")
    how.add_argument(
        "--cores", type=str, metavar="LIST", help="cores for the stages in turn: 0,1 or 0-3 (default: all)"
    )
    how.add_argument("--threads", type=inputs.whole, metavar="N", help="threads of each stage (default 1)")
    how.add_argument(
        "--provider", metavar="NAME", help="of an ONNX model: what onnxruntime runs ops on where it can (default: the CPU)"
    )  # fmt: skip
    how.add_argument(
        "--inputs", metavar="FILE.npz", help="arrays by the names of the model's inputs (default: made up)"
    )
    how.add_argument(
        "--seed", type=inputs.seed, metavar="N", help="what made-up inputs come from (default 0)"
    )
    beside = parser.add_argument_group("what runs in turn with it, besides the unsplit model")
    beside.add_argument(
        "--against", action="append", default=[], metavar="PLAN", help="another plan of the same models; may be repeated"
    )  # fmt: skip
    beside.add_argument(
        "--against-copies", action="store_true", help="whole models side by side, one on each core"
    )
    again = parser.add_argument_group("planning again from what was measured")
    again.add_argument(
        "--plan-again", action="store_true",
        help="scale the times of each stage's ops to what it took, plan anew, run that plan, until nothing better is found or three plans were run",
    )  # fmt: skip
    again.add_argument(
        "--new-plan", metavar="FILE", help="with --plan-again: the plan to write, the fastest that was run"
    )
    again.add_argument(
        "--new-times", metavar="FILE", help="with --plan-again: the times to write that agree with what was measured, for --times"
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="the report to write (JSON), with a timeline")
    parser.epilog = (
        "example: stageboard profile sample_models/unet.onnx -o times.json\n"
        "         stageboard plan sample_models/unet.onnx --target pipeline:2 --times times.json -o unet.plan.json\n"
        "         stageboard run sample_models/unet.onnx unet.plan.json --times times.json\n\n"
        "Exit status 1: a stage's process ended on the way, or what comes out is not what the whole model gives."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, run, plan again where that is asked for, write."""
    _check_files(args)
    order = order_of(args, console)

    def progress(done: int, of: int) -> None:
        console.progress(f"running ... {done} of {of} samples")

    console.progress("cutting the model and starting its stages ...")
    agreed = None
    try:
        with soft_interrupt(console, "") as cancelled:
            if args.plan_again:
                agreed = plan_again(order, progress, cancelled)
                found = agreed.best.run
            else:
                found = run_plan(order, progress, cancelled)
    except Cancelled:
        raise KeyboardInterrupt from None
    except RunFailed as error:
        console.note(str(error))
        return FAILED
    for note in found.notes:
        console.note(note)
    data = {**to_dict(found), "file": args.output}
    if agreed is not None:
        data["plan_again"] = _written(agreed, args)
    if args.output is not None:
        write_atomically(args.output, to_json(plain(data)))

    def text() -> str:
        return text_of(found, args.output) + ("" if agreed is None else f"\n\n{rounds_text(agreed, args)}")

    console.result(data, text)
    if not found.outputs_equal:
        console.note(f"{difference_words(found)}; check the stages with stageboard export")
        return FAILED
    return DONE


def _check_files(args: argparse.Namespace) -> None:
    """Refuse places that cannot be written to, and options that would do nothing."""
    read = [*args.models, args.plan, *args.against, *([args.inputs] if args.inputs else [])]
    for place in (args.output, args.new_plan, args.new_times):
        inputs.check_output(place, read)
    if not args.plan_again and (args.new_plan or args.new_times):
        raise UsageError("--new-plan and --new-times are written by --plan-again; add it")
    if args.new_times and len(args.models) > 1:
        raise UsageError(
            "--new-times is about one model, and the plan is of several; leave it out, or run a plan of one"
        )


def _written(agreed: Agreed, args: argparse.Namespace) -> dict[str, Any]:
    """Write what was planned again; its JSON."""
    if args.new_plan:
        write_plan(args.new_plan, agreed.plan, agreed.bounds)
    if args.new_times:
        write_times(agreed.best.times, args.new_times)
    return {
        "rounds": [each.to_dict() for each in agreed.rounds],
        "settled": agreed.settled,
        "kept": agreed.rounds.index(agreed.best) + 1,
        "objective": agreed.plan.objective,
        "plan_file": args.new_plan,
        "times_file": args.new_times,
    }


def rounds_text(agreed: Agreed, args: argparse.Namespace) -> str:
    """The plans that were run one after the other, for a person."""
    rows = [
        [
            f"{i}{' (kept)' if each is agreed.best else ''}", str(each.moved), pace(each.run.plan.predicted), pace(each.run.plan.throughput),
            percent(each.off), f"{each.over_first:.2f}",
        ]
        for i, each in enumerate(agreed.rounds, 1)
    ]  # fmt: skip
    ended = (
        "planning again finds nothing better: the plan stays"
        if agreed.settled
        else "planning again still finds better plans; run the new plan with the new times to go on"
    )
    lines = [
        table(["plan", "ops moved", "predicted", "measured", "worst stage off by", "times the first"], rows),
        f"  {ended}",
    ]
    lines += [
        f"  {what}  {file}" for what, file in (("plan ", args.new_plan), ("times", args.new_times)) if file
    ]
    return "\n".join(lines)


def order_of(args: argparse.Namespace, console: Console) -> RunOrder:
    """What the arguments of ``run`` ask for. Raises :class:`planner.errors.StageboardError`."""
    if args.samples is not None and args.samples < 2:
        raise UsageError(f"--samples {args.samples} says nothing of a pipeline; run at least 2")
    splits = [_split(args, path, console) for path in (args.plan, *args.against)]
    given: dict[str, Any] = {
        name: value for name in ("samples", "warm_up", "threads", "seed", "inputs", "provider")
        if (value := getattr(args, name)) is not None
    }  # fmt: skip
    return RunOrder(
        splits[0],
        tuple(map(Path, args.models)),
        cores=() if args.cores is None else parse_cores(args.cores),
        against=tuple(splits[1:]),
        copies=args.against_copies,
        **given,
    )


def _split(args: argparse.Namespace, path: str, console: Console) -> Split:
    if is_order_plan(path):
        raise UsageError(f"{path} orders a sparse network's connections; run it with stageboard infer")
    opened = inputs.open_graph_plan(argparse.Namespace(**{**vars(args), "plan": path}))
    for note in opened.notes:
        console.note(f"{path}: {note}")
    return split_of(opened.plan, path)


def text_of(found: PlanRun, output: str | None = None) -> str:
    """The result for a person."""
    plan = found.plan
    cores, threads = found.about["cores"], found.about["threads"]
    busy = plan.disturbed > DISTURBED
    rows = [
        (
            "throughput",
            pace(plan.throughput)
            # Other programs took part of the time that stages were busy: the share would be about them.
            + ("" if busy else f", {percent(plan.of_slowest)} of what its slowest stage alone would give"),
        ),
        ("predicted", pace(plan.predicted)),
        (
            "unsplit",
            f"{pace(found.unsplit.throughput)} on one core; the plan is {as_fast(plan, found.unsplit)}",
        ),
    ]
    if found.copies is not None:
        rows.append(
            (
                "whole copies",
                f"{pace(found.copies.throughput)}, {as_fast(found.copies, found.unsplit, ' as one')}",
            )
        )
    for line in found.against:
        rows.append(
            (
                "against",
                f"{pace(line.throughput)}, {line.name}; the plan is {as_fast(plan, line)}",
            )
        )
    same = (
        "bit for bit"
        if found.largest_difference == 0
        else f"up to {found.largest_difference:.1e} of their largest value"
    )
    rows += [
        (
            "outputs",
            f"equal the whole model's {same}" if found.outputs_equal else "DIFFER from the whole model's",
        ),
        (
            "ran on",
            f"core{'' if len(cores) == 1 else 's'} {cores_text(cores)} of {found.about['machine']}, {threads} thread"
            f"{'' if threads == 1 else 's'} a stage, {found.samples} samples in {len(plan.rounds)} round{'' if len(plan.rounds) == 1 else 's'}",
        ),
    ]
    if busy:
        rows.append(
            (
                "disturbed",
                f"other programs took {percent(plan.disturbed)} of the busy time; run again when the machine is idle",
            )
        )
    elif len(plan.counted) < len(plan.rounds):
        rows.append(
            (
                "counted",
                f"{len(plan.counted)} of {len(plan.rounds)} rounds; in the others other programs took the cores",
            )
        )
    if output is not None:
        rows.append(("file", output))
    width = max(len(label) for label, _ in rows)
    title = f"{found.about['model']} on {found.about['target']}"
    return "\n".join(
        [title, *(f"  {label.ljust(width)}  {value}" for label, value in rows), "", stage_table(plan)]
    )


def stage_table(line: LineRun) -> str:
    """A row for each stage: what it took per sample beside what was predicted."""
    columns = [
        in_one_unit(values, "s")
        for values in zip(
            *(
                (
                    s.predicted,
                    s.busy.seconds,
                    s.busy.spread,
                    s.cpu.seconds,
                    s.transfer.seconds,
                    s.wait.seconds,
                )
                for s in line.stages
            ),
            strict=True,
        )
    ]
    rows = []
    for i, stage in enumerate(line.stages):
        over = f"{stage.own.seconds / stage.predicted:.2f}" if stage.predicted > 0 else NONE
        rows.append([stage.name, cores_text(stage.cores), *(column[i] for column in columns), over])
    head = ("predicted", "busy", "spread", "processor", "transfer", "wait")
    of = "processor" if all(stage.alone for stage in line.stages) else "busy"
    return table(["stage", "core", *head, f"{of} / predicted"], rows)


def as_fast(line: LineRun, other: LineRun, as_what: str = "") -> str:
    """How many times as fast a line is as another ("1.77 times as fast"); of several rounds the median of their ratios, which need not be the ratio of
    the medians that stand beside it."""
    rounds = " (median of rounds)" if len(counted_in_both(line, other)) > 1 else ""
    return f"{ratio(line, other):.2f} times as fast{as_what}{rounds}"


def pace(value: float) -> str:
    """A throughput for a person; a dash where there is none."""
    if math.isnan(value):
        return NONE
    return f"{value:,.{1 if value >= 100 else 2 if value >= 1 else 4}f} samples per second"
