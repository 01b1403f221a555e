"""What the pointer, and a screen reader, is told about neurons and connections of an order."""

from __future__ import annotations

from html import escape

import numpy as np

from gui.canvas.network.lens import Hit, Shown
from gui.canvas.network.titles import ARROW
from gui.look.numbers import percent, plural
from planner.machines.two_level_memory.kernels import READ, WRITE
from planner.machines.two_level_memory.trace import Trace

MOST_STAYS = 3
"""So many stays in fast memory are told one by one."""
_TO = "\N{EN DASH}"
Rows = list[tuple[str, str]]


def hit_html(shown: Shown, trace: Trace | None, hit: Hit) -> str:
    """What is at a place, as rich text."""
    if hit.neuron >= 0:
        name = shown.network.neuron_name(hit.neuron).capitalize()
        return _card(name, neuron_kind(shown, hit.neuron), neuron_rows(shown, trace, hit.neuron))
    if len(hit.connections) == 1:
        connection = int(hit.connections[0])
        title = f"Connection {connection:,}"
        return _card(title, connection_words(shown, connection), connection_rows(shown, connection))
    return _card(plural(len(hit.connections), "connection"), "in this pixel", _several(shown, hit))


def _card(title: str, kind: str, rows: Rows) -> str:
    table = "".join(
        f"<tr><td>{escape(k)}&nbsp;&nbsp;</td><td align='right'>{escape(v)}</td></tr>" for k, v in rows
    )
    return f"<b>{escape(title)}</b><br>{escape(kind)}<table>{table}</table>"


def neuron_kind(shown: Shown, neuron: int) -> str:
    """Input, output or hidden, with its connections."""
    network = shown.network
    kind = "input" if network.is_input[neuron] else "output" if network.is_output[neuron] else "hidden"
    return f"{kind}, {int(network.in_degree[neuron]):,} in, {int(network.out_degree[neuron]):,} out"


def neuron_rows(shown: Shown, trace: Trace | None, neuron: int) -> Rows:
    """When a neuron is summed, read and in fast memory. Positions count from 1, as connections done."""
    network, rows = shown.network, Rows()
    for what, (offsets, ids) in (("summed at", network.incoming), ("read at", network.outgoing)):
        when = shown.when[ids[offsets[neuron] : offsets[neuron + 1]]]
        if len(when):
            rows.append((what, _span(int(when.min()), int(when.max()))))
    if trace is None:
        return rows
    stays = np.flatnonzero(trace.resident_neuron == neuron)
    told = [_span(int(trace.begin[i]), int(trace.end[i]) - 1) for i in stays[:MOST_STAYS]]
    more = f" and {len(stays) - MOST_STAYS:,} more" if len(stays) > MOST_STAYS else ""
    rows.append(("in fast memory", ", ".join(told) + more))
    mine = trace.kind[trace.neuron == neuron]
    reads, writes = int(np.count_nonzero(mine == READ)), int(np.count_nonzero(mine == WRITE))
    rows.append(("I/Os of its value", f"{plural(reads, 'read')}, {plural(writes, 'write')}"))
    return rows


def connection_words(shown: Shown, connection: int) -> str:
    """From where to where."""
    network = shown.network
    source, target = int(network.source[connection]), int(network.target[connection])
    return f"{network.neuron_name(source)} {ARROW} {network.neuron_name(target)}"


def connection_rows(shown: Shown, connection: int) -> Rows:
    """When a connection is used, and its weight."""
    at, count = int(shown.when[connection]), len(shown.order)
    used = f"{at + 1:,} of {count:,} ({percent((at + 1) / count)})"
    return [("used", used), ("weight", f"{float(shown.network.weight[connection]):.4g}")]


def _several(shown: Shown, hit: Hit) -> Rows:
    when = shown.when[hit.connections]
    into = np.unique(shown.network.target[hit.connections])
    return [
        ("used", _span(int(when.min()), int(when.max()))),
        ("into", plural(len(into), "neuron")),
    ]


def _span(first: int, last: int) -> str:
    return f"{first + 1:,}" if first == last else f"{first + 1:,} {_TO} {last + 1:,}"


def spoken(shown: Shown, trace: Trace | None, neuron: int) -> str:
    """A neuron in one sentence."""
    parts = [f"{what} {value}" for what, value in neuron_rows(shown, trace, neuron)]
    return f"{shown.network.neuron_name(neuron)}, {neuron_kind(shown, neuron)}, {', '.join(parts)}"
