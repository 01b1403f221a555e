"""``stageboard profile``: measure how long a model's ops take, or read what another program measured."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.cli import inputs
from planner.cli.command import DONE, Console, UsageError
from planner.cli.report import times_fields
from planner.cli.searching import soft_interrupt
from planner.export.stages.child import Cancelled
from planner.formats import read_graph
from planner.formats.times.read import read_times
from planner.formats.times.stageboard_times import write
from planner.model.cost_model import CostModel
from planner.model.times import (
    OpTime,
    OpTimes,
    Use,
    compute_ops,
    joined,
    measured_words,
    runs_spread,
    spread_words,
    with_times_of,
)
from planner.printable import concise
from planner.quantity import time_text
from planner.runs.measuring.measuring import measure
from planner.runs.measuring.timed import Order
from planner.text_table import percent, table
from planner.text_table import times as in_one_unit

if TYPE_CHECKING:
    from planner.model.graph import Graph

DISTURBED = 0.02
"""The share of a run that other programs took beyond which it is said."""
LISTED = 5
"""Ops that the text lists, the slowest first."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``profile``."""
    parser.add_argument(
        "model", metavar="MODEL", help="the model: an ONNX or TFLite file; with --from any model"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the profile to write (JSON), for --times")
    parser.add_argument(
        "--runs", type=inputs.whole, metavar="N", help="how often the model runs (default: for some ten seconds)"
    )  # fmt: skip
    parser.add_argument(
        "--threads", type=inputs.whole, metavar="N", help="threads that the model runs on (default 1)"
    )
    parser.add_argument(
        "--batch", type=inputs.whole, metavar="N", help="bind symbolic batch dimensions (default 1)"
    )
    parser.add_argument(
        "--from", dest="other", metavar="FILE",
        help="read another program's profile instead of measuring: of onnxruntime, torch.profiler, TensorRT (trtexec --exportProfile), TFLite"
        " (--profiling_output_csv_file), or a table with the columns op and seconds",
    )  # fmt: skip
    parser.epilog = (
        "example: stageboard profile sample_models/unet.onnx -o times.json\n"
        "         stageboard plan sample_models/unet.onnx --target pipeline:2 --times times.json\n\n"
        "The model runs on this computer's processor, on made-up inputs. What a runtime computes in one kernel is shared out among its ops."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Measure or read, join with the model, write."""
    inputs.check_output(args.output, [args.model, *([args.other] if args.other else [])])
    batch = 1 if args.batch is None else args.batch
    if args.other is not None:
        for given, option in ((args.runs, "--runs"), (args.threads, "--threads")):
            if given is not None:
                raise UsageError(
                    f"{option} is about measuring, and --from reads what was measured; leave one out"
                )
        graph = read_graph(args.model, batch=batch)
        found = _as_of(graph, args.other)
    else:
        if args.runs == 0:
            raise UsageError("--runs 0 measures nothing; let the model run at least twice")
        order = Order(args.model, batch, args.runs or 0, 1 if args.threads is None else args.threads)
        console.progress("measuring ...")
        try:
            with soft_interrupt(console, "") as cancelled:
                found = measure(order, cancelled)
        except Cancelled:
            raise KeyboardInterrupt from None
        graph = read_graph(args.model, batch=batch)
    timed = with_times_of(graph, [Use(found)])
    if args.output is not None:
        write(found, args.output)
    data: dict[str, Any] = {
        **times_fields(timed)["times"],
        "ops": graph.n,
        "seconds_sum": found.seconds_sum,
        "seconds_run": found.seconds_run,
        "spread": runs_spread(timed),
        "source": found.source,
        "about": dict(found.about),
        "file": args.output,
    }
    console.result(data, lambda: _text(timed, found, args.output))
    return DONE


def _as_of(graph: Graph, path: str) -> OpTimes:
    """Another program's profile as one of ``graph``, by its ops' ids. Raises :class:`StageboardError`."""
    given = read_times(path)
    if len(given) > 1:
        raise UsageError(
            f"{path} tells several kinds of devices apart; give it to --times as it is, or keep the rows of one"
        )
    times = given[0]
    found = joined(graph, times)
    ops = {
        graph.op_ids[v]: OpTime(float(seconds), float(spread), bool(shared))
        for v, (seconds, spread, shared) in enumerate(zip(*found, strict=True))
        if not math.isnan(seconds)
    }
    total = sum(time.seconds for time in times.ops.values())
    return OpTimes(
        ops, times.file, times.source, times.device, graph.name, graph.structure, times.seconds_sum or total, times.seconds_run,
        apart=times.apart, about=times.about,
    )  # fmt: skip


def _text(graph: Graph, found: OpTimes, output: str | None) -> str:
    about = found.about
    rows = [("times", measured_words(graph))]
    if found.seconds_sum is not None:
        of_ops = f", {percent(float(about['joined']))} of it in ops" if "joined" in about else ""
        rows.append(("all kernels", time_text(found.seconds_sum, "s") + of_ops))
    if found.seconds_run is not None:
        extra = float(about.get("profiling", 0.0))
        words = f"; profiling adds {percent(extra)}" if extra > 0 else ""
        if found.seconds_sum is not None and found.seconds_sum > found.seconds_run:
            words += ", so that all kernels take longer than a run without it"
        rows.append(
            ("a run", f"{time_text(found.seconds_run, 's')}, median of {about.get('runs', 1)}{words}")
        )
        rows += _added_up(found)
    if spread := spread_words(graph):
        rows.append(("spread", spread))
    rows.append(("measured by", found.source))
    if output is not None:
        rows.append(("file", output))
    width = max(len(label) for label, _ in rows)
    lines = [f"{graph.name}", *(f"  {label.ljust(width)}  {value}" for label, value in rows)]
    return "\n".join([*lines, "", _slowest(graph)])


def _added_up(found: OpTimes) -> list[tuple[str, str]]:
    """What the times of all ops add up to beside a run without profiling: its processor time, in which other programs have no part."""
    total, processor = (float(found.about.get(name, 0.0)) for name in ("op_sum", "processor"))
    if not (total > 0 and processor > 0 and found.seconds_run):
        return []
    taken = 1.0 - processor / found.seconds_run
    others = f"; other programs took {percent(taken)} of a run" if taken > DISTURBED else ""
    words = f"{time_text(total, 's')} in sum, {total / processor:.2f} of the processor time of a run ({time_text(processor, 's')})"
    return [("op times", f"{words}{others}")]


def _slowest(graph: Graph) -> str:
    """The slowest ops beside what the cost model estimates of them on an accelerator and on a CPU."""
    assert graph.measured is not None, "times were joined with it"
    measured = np.where(graph.measured.ops & compute_ops(graph), np.nan_to_num(graph.work), -1.0)
    top = [v for v in np.argsort(-measured, kind="stable")[:LISTED].tolist() if measured[v] >= 0]
    guess, guess_cpu = CostModel().estimate(graph)
    columns = [in_one_unit([float(values[v]) for v in top], "s") for values in (graph.work, guess, guess_cpu)]
    rows = [
        [concise(graph.op_names[v]), graph.kinds[v], *(column[i] for column in columns)]
        for i, v in enumerate(top)
    ]
    return table(["slowest ops", "kind", "measured", "estimated", "on a CPU"], rows)
