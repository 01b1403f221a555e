"""``stageboard generate``: make up a graph."""

from __future__ import annotations

import argparse

from planner.cli import inputs
from planner.cli.command import DONE, Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``generate``."""
    from planner.generate.catalogue import KINDS

    parser.add_argument("kind", metavar="KIND", help=f"what to make: {', '.join(KINDS)}")
    inputs.add_settings(parser, "kind")
    parser.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="same seed, same graph (default 0)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the graph, as JSON")
    lines = ["example: stageboard generate regal-like --set nodes=100 --seed 7 -o graph.json"]
    for name, kind in KINDS.items():
        lines += ["", f"{name} takes"]
        for option in kind.OPTIONS:
            choices = f" ({', '.join(option.choices)})" if option.choices else ""
            lines.append(f"  --set {option.name}={option.default}{choices}  {option.help}")
    parser.epilog = "\n".join(lines)


def run(args: argparse.Namespace, console: Console) -> int:
    """Make the graph and write it."""
    from planner.formats.stageboard_json import write
    from planner.generate.catalogue import kind

    chosen = kind(args.kind)
    settings = inputs.pairs(args.settings, "--set")
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
    console.result(data, lambda: f"wrote {file} ({graph.name}: {graph.n} ops, {data['edges']} edges)")
    return DONE
