"""What notebooks show of a graph, a network, a plan and its devices: HTML with an inline SVG. Qt is loaded, but no application is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from gui.canvas.graph.picture.inline import graph_svg
from gui.canvas.network.inline import network_svg
from gui.look.colours import LIGHT
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.printable import plural
from planner.text_table import NONE, percent
from stageboard.models import Graph, Network
from stageboard.plans import Device, Devices, Plan

MOST_DEVICES = 64
"""Rows of a table of devices; those that cost most where there are more."""
MOST_VIOLATIONS = 8
_CELL = "padding:2px 10px 2px 0;text-align:right;border:0"


def graph_html(graph: Graph) -> str:
    """The readout of a graph, and its picture."""
    figures = [
        ("ops", f"{len(graph):,}"),
        ("edges", f"{len(graph.edges):,}"),
        ("parameters", f"{graph.parameters.sum():,.0f}"),
        ("multiply-accumulates", f"{graph.macs.sum():,.0f}"),
    ]
    return _page(_readout(graph.name, figures), graph_svg(graph.planned))


def network_html(network: Network) -> str:
    """The readout of a network, and its picture."""
    planned = network.planned
    figures = [
        ("neurons", f"{planned.neuron_count:,}"),
        ("connections", f"{planned.connection_count:,}"),
        ("inputs", f"{len(planned.inputs):,}"),
        ("outputs", f"{len(planned.outputs):,}"),
    ]
    return _page(_readout(network.name, figures), network_svg(planned))


def plan_html(plan: Plan) -> str:
    """The readout strip, the picture and the table of devices of a plan; of none, why there is none."""
    problem = plan.problem
    if plan.found is None:
        return _page(_readout(plan.title, [("status", plan.status)]), f"<div>{escape(plan.message)}</div>")
    figures = [
        ("objective", plan.objective_words),
        ("bound", plan.bound_words.partition(",")[0]),
        ("gap", NONE if plan.gap is None else percent(plan.gap)),
        ("status", plan.validity_words if plan.valid else plural(len(plan.violations), "broken rule")),
    ]
    if isinstance(problem, NetworkProblem):
        return _page(_readout(plan.title, figures), network_svg(problem.network))
    picture = graph_svg(
        problem.graph,
        plan.found.decision.device_of,
        problem.devices,
        problem.evaluator,
        problem.target.in_a_row,
    )
    broken = "".join(
        f'<div style="color:{LIGHT.bad}">{escape(sentence)}</div>'
        for sentence in plan.violations[:MOST_VIOLATIONS]
    )
    more = len(plan.violations) - MOST_VIOLATIONS
    broken += f"<div>and {more} more</div>" if more > 0 else ""
    return _page(_readout(plan.title, figures), broken, picture, _table(plan.devices))


def devices_html(devices: Devices) -> str:
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


def _table(devices: Devices) -> str:
    """The rows of a table; where there are many, those of the devices that cost most."""
    if not len(devices):
        return ""
    cells = devices.cells
    shown: Sequence[int] = range(len(devices))
    if len(devices) > MOST_DEVICES:
        shown = sorted(sorted(shown, key=lambda d: -devices[d].cost)[:MOST_DEVICES])
    head = "".join(
        f'<th style="{_CELL};color:{LIGHT.muted};font-weight:400">{name}</th>' for name in Device._fields
    )
    rows = []
    for d in shown:
        weight = ";font-weight:600" if d == devices.bottleneck else ""
        rows.append(
            "<tr>"
            + "".join(f'<td style="{_CELL}{weight}">{escape(text)}</td>' for text in cells[d])
            + "</tr>"
        )
    left = len(devices) - len(shown)
    more = (
        f'<div style="color:{LIGHT.muted}">and {plural(left, "device")} that cost less</div>' if left else ""
    )
    return f'<table style="border-collapse:collapse;background:none"><tr>{head}</tr>{"".join(rows)}</table>{more}'
