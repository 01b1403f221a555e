"""``stageboard generate``: make up a graph or a sparse network."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, Console
from planner.formats.graphs.stageboard_json import write
from planner.formats.networks.npz import write_network
from planner.generate.catalogue import KINDS, NETWORKS, generate_network

if TYPE_CHECKING:
    from planner.generate.catalogue import Kind, NetworkKind


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``generate``."""
    kinds = f"a graph: {', '.join(KINDS)}; a network: {', '.join(NETWORKS)}"
    parser.add_argument("kind", metavar="KIND", help=f"what to make. {kinds}")
    inputs.add_settings(parser, "kind")
    parser.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="same seed, same result (default 0)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the file to write: a graph as JSON, a network as .npz",
    )
    lines = [
        "example: stageboard generate regal-like --set nodes=100 --seed 7 -o graph.json",
        "         stageboard generate mlp --set width=500 --set density=0.1 -o net.npz",
    ]
    for name, kind in KINDS.items():
        lines += ["", f"{name} takes", *_options(kind)]
    for name, network_kind in NETWORKS.items():
        lines += ["", f"{name}, {network_kind.WHAT}, takes", *_options(network_kind)]
    parser.epilog = "\n".join(lines)


def _options(kind: Kind | NetworkKind) -> list[str]:
    lines = []
    for option in kind.OPTIONS:
        limits = f"; {option.range_text}" if option.range_text else ""
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        lines.append(f"  --set {option.name}={option.default}{choices}  {option.help}{limits}")
    return lines


def run(args: argparse.Namespace, console: Console) -> int:
    """Make the graph or network and write it."""
    settings = inputs.pairs(args.settings, "--set")
    make = _network if args.kind in NETWORKS else _graph
    data, what = make(args, settings, console)
    console.result(data, lambda: f"wrote {data['file']} ({data['name']}: {what})")
    return DONE


def _graph(
    args: argparse.Namespace, settings: dict[str, str], console: Console
) -> tuple[dict[str, Any], str]:
    from planner.generate.catalogue import kind

    chosen = kind(args.kind)
    inputs.check_output(args.output)
    graph = chosen.generate(args.seed, settings)
    source = f"made by stageboard generate {args.kind}, seed {args.seed}"
    file = write(graph, args.output, "".join([source, *(f", {k}={v}" for k, v in sorted(settings.items()))]))
    data = {
        "kind": args.kind,
        "seed": args.seed,
        "name": graph.name,
        "ops": graph.n,
        "edges": len(graph.edges[0]),
        "file": str(file),
    }
    return data, f"{graph.n} ops, {data['edges']} edges"


def _network(
    args: argparse.Namespace, settings: dict[str, str], console: Console
) -> tuple[dict[str, Any], str]:
    inputs.check_output(args.output, list(filter(None, settings.get("file", "").split(","))))
    network = generate_network(args.kind, settings, args.seed)
    file = write_network(network, args.output)
    for warning in network.warnings:
        console.note(warning)
    data = {
        "kind": args.kind,
        "seed": args.seed,
        "name": network.name,
        "neurons": network.neuron_count,
        "connections": network.connection_count,
        "inputs": len(network.inputs),
        "outputs": len(network.outputs),
        "file": str(file),
    }
    return data, f"{network.neuron_count:,} neurons, {network.connection_count:,} connections"
