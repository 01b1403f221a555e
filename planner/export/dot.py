"""A graph, or a plan of it, as DOT: one cluster per device; readable again by :mod:`planner.formats.graphs.dot`.

A file that ends in .svg, .pdf or .png is the picture that Graphviz's ``dot`` draws of it, where that is installed: the package ``graphviz`` runs it.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

from planner.errors import StageboardError
from planner.files import write_atomically
from planner.formats.graphs.stageboard_json import plain
from planner.model.graph import Graph
from planner.printable import escaped, one_line
from planner.problem.problem import Plan

PICTURES = (".svg", ".pdf", ".png")
"""Suffixes of pictures that Graphviz draws."""
MOST_DRAWN = 1000
"""Ops of a picture: some seconds of ``dot``, whose time grows with more than the square of them."""
_QUICK = "nslimit=1; nslimit1=1; mclimit=0.3; splines=polyline;"
"""Graph attributes that bound how long ``dot`` looks for better ranks, crossings and curves."""
# Light fills of a colour-blind-safe scheme (after Okabe and Ito), in an order that keeps neighbours apart.
FILLS = ("#cfe3f3", "#fbe2b8", "#c9ebde", "#f3d3e4", "#fdf6bf", "#f6d0bf", "#d9d9d9", "#d8d2ec")


def dot_text(graph: Graph, plan: Plan | None = None) -> str:
    """The DOT text. Edges carry ``bytes``, ``tensor`` and, where profiled, ``time``; ops their given costs."""
    lines = [
        f"digraph {_quoted(graph.name)} {{",
        "  rankdir=TB;",
        '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="sans-serif", fontsize=10];',
        '  edge [color="#888888", arrowsize=0.6];',
    ]
    if plan is None:
        lines += [f"  {_node(graph, v)}" for v in range(graph.n)]
    else:
        for d, device in enumerate(plan.problem.devices):
            fill = FILLS[d % len(FILLS)]
            lines += [
                f"  subgraph {_quoted(f'cluster_{d}')} {{",
                f'    label={_quoted(device.title)}; style=rounded; color="#888888"; bgcolor="{fill}";',
            ]
            lines += [
                f"    {_node(graph, v)}" for v, at in enumerate(plan.decision.device_of.tolist()) if at == d
            ]
            lines.append("  }")
    for t in range(graph.tensor_count):
        source = _quoted(graph.op_ids[graph.tensor_producer[t]])
        consumers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]].tolist()
        values = [
            f"bytes={plain(graph.tensor_bytes[t])}",
            f"tensor={_quoted(graph.tensor_names[t] or f't{t}')}",
        ]
        if not math.isnan(graph.tensor_time[t]):
            values.append(f"time={float(graph.tensor_time[t])!r}")
        lines += [f"  {source} -> {_quoted(graph.op_ids[c])} [{', '.join(values)}];" for c in consumers]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _node(graph: Graph, v: int) -> str:
    work, work_cpu = (times[v] for times in graph.given_times)
    values = [f"label={_quoted(graph.op_names[v])}", f"kind={_quoted(graph.kinds[v])}"]
    for key, number in (("work", work), ("work_cpu", work_cpu)):
        if not math.isnan(number):
            values.append(f"{key}={float(number)!r}")
    for key, number in (
        ("params", graph.params[v]), ("param_bytes", graph.param_bytes[v]), ("macs", graph.macs[v])
    ):  # fmt: skip
        if number:
            values.append(f"{key}={plain(number)}")
    values.append(f"memory={plain(graph.memory[v])}")
    for key, label in (("layer", graph.layer[v]), ("colour_class", graph.colour_class[v])):
        if label >= 0:
            values.append(f"{key}={int(label)}")
    if graph.backward[v]:
        values.append("backward=true")
    if not graph.supported[v]:
        values.append("supported=false")
    return f"{_quoted(graph.op_ids[v])} [{', '.join(values)}];"


def _quoted(text: str) -> str:
    quoted = escaped(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def to_dot(graph: Graph, plan: Plan | None, path: str | os.PathLike[str]) -> Path:
    """Write DOT, or the picture that a suffix of :data:`PICTURES` asks for, all of it or nothing.

    Raises :class:`ValueError` where the plan is of another graph, :class:`StageboardError` where a picture cannot be drawn.
    """
    if plan is not None and plan.problem.graph.structure != graph.structure:
        raise ValueError(f"the plan is of '{plan.problem.graph.name}', not of '{graph.name}'")
    text, form = dot_text(graph, plan), Path(path).suffix.lower()
    return write_atomically(path, _drawn(graph, text, form) if form in PICTURES else text)


def _drawn(graph: Graph, text: str, form: str) -> bytes:
    """The picture of a DOT text."""
    import graphviz

    if graph.n > MOST_DRAWN:
        raise StageboardError(
            f"{graph.name} has {graph.n:,} ops, and Graphviz draws {MOST_DRAWN:,} in bearable time; write a .dot file, or draw it with"
            " 'stageboard render'"
        )
    quick = text.replace("  rankdir=TB;", f"  rankdir=TB; {_QUICK}", 1)
    try:
        picture: bytes = graphviz.pipe("dot", form.removeprefix("."), quick.encode(), quiet=True)
    except graphviz.ExecutableNotFound as error:
        raise StageboardError(
            f"a {form} picture of DOT is drawn by Graphviz's 'dot', which is not installed; install Graphviz (Debian: apt install graphviz), or write"
            " a .dot file"
        ) from error
    except graphviz.CalledProcessError as error:
        said = one_line((error.stderr or b"").decode("utf-8", "replace"))[:100]
        raise StageboardError(
            f"Graphviz's 'dot' does not draw {graph.name} ({said or error.returncode}); write a .dot file instead"
        ) from error
    return picture
