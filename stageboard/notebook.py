"""What notebooks show of a graph, a network, a plan and its devices: HTML with an inline SVG. Qt is loaded, but no application is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from gui.canvas.graph.picture.inline import graph_svg
from gui.canvas.network.inline import network_svg
from gui.look.colours import LIGHT
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.model.graph import Graph, Ints
from planner.model.network import Network
from planner.printable import plural

MOST_DEVICES = 64
"""Rows of a table of devices; those that cost most where there are more."""
MOST_VIOLATIONS = 8
_CELL = "padding:2px 10px 2px 0;text-align:right;border:0"


@dataclass(frozen=True)
class Table:
    """The devices of a plan as texts: titles of columns, a row of ``cells`` for each, what each ``costs``, and the number of the one that costs
    most (-1: none)."""

    titles: Sequence[str]
    cells: Sequence[Sequence[str]]
    costs: Sequence[float]
    bottleneck: int


def graph_html(graph: Graph) -> str:
    """The readout of a graph, and its picture."""
    figures = [
        ("ops", f"{graph.n:,}"),
        ("edges", f"{len(graph.edges[0]):,}"),
        ("parameters", f"{graph.params.sum():,.0f}"),
        ("multiply-accumulates", f"{graph.macs.sum():,.0f}"),
    ]
    return _page(_readout(graph.name, figures), graph_svg(graph))


def network_html(network: Network) -> str:
    """The readout of a network, and its picture."""
    figures = [
        ("neurons", f"{network.neuron_count:,}"),
        ("connections", f"{network.connection_count:,}"),
        ("inputs", f"{len(network.inputs):,}"),
        ("outputs", f"{len(network.outputs):,}"),
    ]
    return _page(_readout(network.name, figures), network_svg(network))


def plan_html(
    title: str, figures: Sequence[tuple[str, str]], problem: Any, device_of: Ints | None, violations: Sequence[str], devices: Table
) -> str:  # fmt: skip
    """The readout strip, the picture and the table of devices of a plan: an assignment (int32[n]) of a graph, None of a network."""
    if isinstance(problem, NetworkProblem):
        return _page(_readout(title, figures), network_svg(problem.network))
    picture = graph_svg(problem.graph, device_of, problem.devices, problem.evaluator, problem.target.in_a_row)
    broken = "".join(
        f'<div style="color:{LIGHT.bad}">{escape(sentence)}</div>'
        for sentence in violations[:MOST_VIOLATIONS]
    )
    more = len(violations) - MOST_VIOLATIONS
    broken += f"<div>and {more} more</div>" if more > 0 else ""
    return _page(_readout(title, figures), broken, picture, _table(devices))


def no_plan_html(title: str, status: str, message: str) -> str:
    """Why there is no plan."""
    return _page(_readout(title, [("status", status)]), f"<div>{escape(message)}</div>")


def devices_html(devices: Table) -> str:
    """The table of devices."""
    return _page(_table(devices))


def _page(*parts: str) -> str:
    body = "".join(f'<div style="margin:4px 0">{part}</div>' for part in parts if part)
    return f'<div style="background:{LIGHT.panel};color:{LIGHT.text};padding:6px 8px;font:13px sans-serif">{body}</div>'


def _readout(title: str, figures: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<span style="margin-right:24px"><span style="color:{LIGHT.muted}">{escape(name)}</span> <b>{escape(value)}</b></span>'
        for name, value in figures
    )
    return f'<div style="font-weight:600;margin-bottom:4px">{escape(title)}</div><div>{cells}</div>'


def _table(devices: Table) -> str:
    """The rows of a table; where there are many, those of the devices that cost most."""
    count = len(devices.cells)
    shown: Sequence[int] = range(count)
    if count > MOST_DEVICES:
        shown = sorted(sorted(shown, key=lambda d: -devices.costs[d])[:MOST_DEVICES])
    head = "".join(
        f'<th style="{_CELL};color:{LIGHT.muted};font-weight:400">{name}</th>' for name in devices.titles
    )
    rows = []
    for d in shown:
        weight = ";font-weight:600" if d == devices.bottleneck else ""
        cells = "".join(f'<td style="{_CELL}{weight}">{escape(text)}</td>' for text in devices.cells[d])
        rows.append(f"<tr>{cells}</tr>")
    left = count - len(shown)
    more = (
        f'<div style="color:{LIGHT.muted}">and {plural(left, "device")} that cost less</div>' if left else ""
    )
    return f'<table style="border-collapse:collapse;background:none"><tr>{head}</tr>{"".join(rows)}</table>{more}'
