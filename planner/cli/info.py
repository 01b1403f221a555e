"""``stageboard info``: what a model file holds, or a file of a sparse network."""

from __future__ import annotations

import argparse

import numpy as np

from planner.cli.command import DONE, Console, UsageError
from planner.cli.info_network import run_network
from planner.cli.inputs import (
    add_density,
    add_machine,
    add_precision,
    add_times,
    measured_times,
    named_machines,
    rates,
    read_options,
    whole,
)
from planner.cli.report import times_fields
from planner.evaluation.estimates import rates_words
from planner.formats import read_graph
from planner.formats.networks.read import is_network_file
from planner.model.cost_model import SIDES, RatesSource
from planner.model.graph import Graph
from planner.model.groups import colour_classes
from planner.model.precision import FILE, TIMES_AS_STORED, precision_of
from planner.model.times import measured_words, with_times_of
from planner.quantity import bytes_text, time_text
from planner.text_table import large, whole_number


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``info``."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a model file (ONNX, TFLite, JSON, GraphML, DOT, PBTXT) or a sparse network (.npz, .mtx)",
    )
    parser.add_argument("--batch", type=whole, metavar="N", help="bind symbolic batch dimensions (default 1)")
    add_precision(parser)
    add_times(parser)
    add_machine(parser)
    group = parser.add_argument_group("sparse networks (the dense layers of an ONNX model, too)")
    add_density(group)
    group.add_argument(
        "--block",
        default="",
        metavar="NAME",
        help="which block of dense layers of an ONNX model: its number or part of a name",
    )
    parser.epilog = (
        "example: stageboard info sample_models/resnet50.json\n"
        "         stageboard info sample_models/transformer_encoder.onnx --density 5% --block layer.3"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read the model and say what it holds."""
    if args.density is not None or args.block or is_network_file(args.model):
        return run_network(args, console)
    graph = read_graph(args.model, **read_options(args))
    graph = with_times_of(graph, measured_times(args.times, numbers=False))
    estimated = _estimated(graph, args)
    classes = _classes(graph)
    data = {
        "name": graph.name,
        "format": graph.format,
        "ops": graph.n,
        "edges": len(graph.edges[0]),
        "depth": graph.depth,
        "max_degree": graph.max_degree,
        "params": whole_number(graph.params.sum()),
        "param_bytes": whole_number(graph.param_bytes.sum()),
        "macs": whole_number(graph.macs.sum()),
        "warnings": list(graph.warnings),
        **(
            {"precision": args.precision, "counted_in": counted_words(graph)}
            if precision_of(graph) != FILE
            else {}
        ),
        **({"colour_classes": len(classes)} if classes else {}),
        **times_fields(graph),
        **(
            {
                "estimated": [
                    {"device": side, "seconds": seconds, **source._asdict()}
                    for side, seconds, source in estimated
                ]
            }
            if estimated
            else {}
        ),
    }
    console.result(data, lambda: _text(graph, estimated))
    return DONE


def _estimated(graph: Graph, args: argparse.Namespace) -> list[tuple[str, float, RatesSource]]:
    """How long all ops take one after another on the machines that ``--machine`` names: kind of device, seconds, whose rates."""
    named, model = named_machines(args.machine), rates(args)
    if named.uses and model is None:
        raise UsageError(f"{named.names} has no rates for graphs of operators; name another machine")
    if model is None:
        return []
    seconds = dict(zip(SIDES, model.estimate(graph), strict=True))
    return [
        (side, float(seconds[side].sum()), source)
        for side in SIDES
        if side in named.given() and (source := model.source(side)) is not None
    ]


def _on_any(estimated: list[tuple[str, float, RatesSource]]) -> list[tuple[str, float, RatesSource]]:
    """One line where one machine stands for every kind of device."""
    words = {"accelerator": "an accelerator", "cpu": "a CPU"}
    if len(estimated) > 1 and estimated[0][1:] == estimated[1][1:]:
        return [("any device", *estimated[0][1:])]
    return [(words[side], seconds, source) for side, seconds, source in estimated]


def _text(graph: Graph, estimated: list[tuple[str, float, RatesSource]]) -> str:
    rows = [
        ("ops", f"{graph.n:,}", _kinds(graph)),
        ("edges", f"{len(graph.edges[0]):,}", f"{graph.tensor_count:,} tensors"),
        ("depth", f"{graph.depth:,}", "longest path, in edges"),
        ("max degree", f"{graph.max_degree:,}", "largest in-degree"),
        ("parameters", large(graph.params.sum()), bytes_text(float(graph.param_bytes.sum()))),
        *([("precision", "", words)] if (words := counted_words(graph)) else []),
        ("MACs", large(graph.macs.sum()), "multiply-accumulates of one pass"),
        ("times", "", _times(graph)),
        *(
            (
                "estimated",
                time_text(seconds, "s"),
                f"all ops one after another on {side}: {rates_words(source)}",
            )
            for side, seconds, source in _on_any(estimated)
        ),
    ]
    if classes := _classes(graph):
        ops = sum(map(len, classes))
        what = "colour class" if len(classes) == 1 else "colour classes"
        note = f"{what}, {ops:,} ops in all: pools keep each on one device, others with --granularity class"
        rows.append(("together", f"{len(classes):,}", note))
    if graph.deployment:
        machine = dict(graph.deployment)
        shown = [f"{k} {bytes_text(v) if k == 'memory' else f'{v:g}'}" for k, v in machine.items()]
        rows.append(("machine", "", ", ".join(shown)))
    width = max(len(value) for _, value, _ in rows)
    lines = [f"{graph.name} ({graph.format})"]
    lines += [f"  {label.ljust(10)}  {value.rjust(width)}  {note}".rstrip() for label, value, note in rows]
    lines += [f"  ! {warning}" for warning in graph.warnings]
    return "\n".join(lines)


def _classes(graph: Graph) -> list[list[int]]:
    """Colour classes of several ops."""
    return [ops for ops in colour_classes(graph) if len(ops) > 1]


def _kinds(graph: Graph) -> str:
    kinds, counts = np.unique(np.array(graph.kinds), return_counts=True)
    top = sorted(zip(counts.tolist(), kinds.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
    shown = ", ".join(f"{count} {kind}" for count, kind in top[:4])
    return (
        f"{shown} and {len(top) - 4} other kinds" if len(top) > 5 else ", ".join(f"{c} {k}" for c, k in top)
    )


def counted_words(graph: Graph) -> str:
    """What is counted in the precision that a graph was read with, bytes alone where its file gives times; empty where it is that of the file."""
    precision, given = precision_of(graph), int(np.count_nonzero(~np.isnan(graph.work)))
    if precision == FILE:
        return ""
    if not given:
        return f"{precision} bytes and times"
    return f"{precision} bytes, {'' if given == graph.n else 'given '}{TIMES_AS_STORED}"


def _times(graph: Graph) -> str:
    if measured := measured_words(graph):
        return "; ".join([measured, *([", ".join(graph.measured.sources)] if graph.measured else [])])
    given = int(np.count_nonzero(~np.isnan(graph.work)))
    if given == 0:
        return "none given; a cost model estimates them"
    unit = "in seconds" if graph.time_unit == "s" else "in a unit the file does not name"
    whose = (
        "for every op" if given == graph.n else f"for {given:,} of {graph.n:,} ops, the others are estimated"
    )
    return f"given {whose}, {unit}"
