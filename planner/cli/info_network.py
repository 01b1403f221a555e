"""What ``stageboard info`` says of a sparse network: its sizes, and between which I/Os a best order lies (Theorem 1)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.cli.command import DONE, Console, UsageError
from planner.formats.networks.read import read_network
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.quantity import bytes_text
from planner.text_table import percent

if TYPE_CHECKING:
    from planner.model.network import Network

_BYTES = 4  # per weight and bias, 32-bit floats
_SECONDS = 1.0  # to look for an order that needs little memory


def run_network(args: argparse.Namespace, console: Console) -> int:
    """Read the network and say what it holds."""
    for given, option in ((args.batch is not None, "--batch"), (args.precision, "--precision")):
        if given:
            raise UsageError(
                f"info: {option} is about graphs of operators; leave it out for a sparse network"
            )
    if args.machine:
        raise UsageError("info: --machine is about graphs of operators; leave it out for a sparse network")
    network = read_network(args.model, args.density, block=args.block)
    data = fields(network)
    console.result(data, lambda: _text(network, data))
    return DONE


def fields(network: Network) -> dict[str, Any]:
    """All that is said, for JSON. Where graphs have ops and edges, neurons and connections count.

    A parameter is a weight, or the bias of a neuron that is no input; ``ios`` holds the bounds of Theorem 1, ``least_memory`` the
    smallest fast memory known to reach the lower ones, and the bandwidth that Corollary 1 speaks of.
    """
    from planner.machines.two_level_memory.orders.least_memory import least_memory

    bounds = io_bounds(network)
    least = least_memory(network, _SECONDS)
    params = network.connection_count + network.neuron_count - len(network.inputs)
    return {
        "name": network.name,
        "format": network.format,
        "ops": network.neuron_count,
        "edges": network.connection_count,
        "depth": network.depth,
        "max_degree": int(network.in_degree.max()),
        "params": params,
        "param_bytes": _BYTES * params,
        "macs": network.connection_count,
        "warnings": list(network.warnings),
        "neurons": network.neuron_count,
        "connections": network.connection_count,
        "inputs": len(network.inputs),
        "constants": int(np.count_nonzero(network.feature < 0)),
        "outputs": len(network.outputs),
        "layers": network.depth + 1,
        "density": network.density,
        "lower_bound": bounds.least,
        "upper_bound": bounds.most,
        "ios": {
            "reads": {"at_least": bounds.least_reads, "at_most": bounds.most_reads},
            "writes": {"at_least": bounds.least_writes, "at_most": bounds.most_writes},
            "total": {"at_least": bounds.least, "at_most": bounds.most},
        },
        "least_memory": {"values": least.memory, "bandwidth": least.bandwidth, "method": least.method},
    }


def _text(network: Network, data: dict[str, Any]) -> str:
    sizes = network.layer_sizes.tolist()
    shown = " x ".join(str(s) for s in sizes[:6]) + (f" x ... x {sizes[-1]}" if len(sizes) > 6 else "")
    constants = f", of which {data['constants']:,} are constants" if data["constants"] else ""
    rows = [
        ("neurons", f"{data['neurons']:,}", shown),
        ("connections", f"{data['connections']:,}", f"density {percent(data['density'])}"),
        ("inputs", f"{data['inputs']:,}", f"neurons that nothing leads into{constants}"),
        ("outputs", f"{data['outputs']:,}", ""),
        ("depth", f"{data['depth']:,}", "layers less one"),
        ("max degree", f"{data['max_degree']:,}", "most connections into a neuron"),
        (
            "parameters",
            f"{data['params']:,}",
            f"weights and biases, {bytes_text(float(data['param_bytes']))}",
        ),
        ("least I/Os", f"{data['lower_bound']:,}", "W + N + S: no order takes fewer (Theorem 1)"),
        ("most I/Os", f"{data['upper_bound']:,}", "2 (W + N - I): the best order takes no more, under MIN"),
        (
            "memory",
            f"{data['least_memory']['values']:,}",
            f"values of fast memory known to reach the least (bandwidth {data['least_memory']['bandwidth']:,})",
        ),
    ]
    width = max(len(value) for _, value, _ in rows)
    lines = [f"{network.name} ({network.format})"]
    lines += [f"  {label.ljust(11)}  {value.rjust(width)}  {note}".rstrip() for label, value, note in rows]
    lines += [f"  ! {warning}" for warning in network.warnings]
    return "\n".join(lines)
