"""PipeDream profiles (``graph.txt``): what the profiler of PipeDream writes, and its optimiser plans from.

A line is a node or, set in by a tab, an edge; nodes come in any order, before or after the edges that name them::

    node2 -- Conv2d(3, 64, kernel_size=(3, 3)) -- forward_compute_time=3.2, backward_compute_time=6.1, activation_size=8192.0, parameter_size=7168.0
    node3 -- LSTM(8, 8) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=[4096.0; 64.0], parameter_size=2304.0 -- stage_id=0
    \tnode2 -- node3

Times are milliseconds of one minibatch, sizes bytes; several outputs have their sizes in brackets, in a file of one stage per node
``stage_id`` says which. An op's time is forward and backward pass together, as PipeDream's optimiser adds them: a stage runs both for
each of its layers. Its output is one tensor of the sum of its sizes, which is what PipeDream sends.

Source: Narayanan et al., "PipeDream: generalized pipeline parallelism for DNN training", SOSP 2019, section 3.1, and the files
published with it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.files import MEBIBYTE, read_text
from planner.formats.checks import number, shown, text, whole
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.printable import clean

FORMAT = "pipedream"
LIMIT = 50 * MEBIBYTE
BETWEEN = " -- "
FIELDS = ("forward_compute_time", "backward_compute_time", "activation_size", "parameter_size")
"""What a node's third part says, in this order."""
_START = re.compile(rb"[^\n]* -- [^\n]* -- forward_compute_time=|\t[^\n]+ -- ")
_KIND = re.compile(r"[A-Za-z_][\w.]*")
_INPUT = re.compile(r"Input\d*\Z")


def is_pipedream(start: bytes) -> bool:
    """Whether a file that begins with these bytes is a profile of PipeDream."""
    return _START.match(start.lstrip(b"\xef\xbb\xbf\r\n")) is not None


def read(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file. Raises :class:`ModelError`."""
    file = Path(path).name
    ops: dict[str, Op] = {}
    sizes: dict[str, float] = {}
    edges: list[tuple[str, str, int]] = []
    lines = read_text(path, LIMIT, remedy="save it as Stageboard graph JSON instead").split("\n")
    for row, line in enumerate(lines, 1):
        what = f"{file}, line {row}"
        if line.startswith("\t"):
            edges.append((*_edge(line, what), row))
        elif line.strip():
            op, size = _node(line, what)
            if op.id in ops:
                raise ModelError(f"{what}: there is a node '{clean(op.id)}' above; ids must be unique")
            ops[op.id], sizes[op.id] = op, size
    if not ops:
        raise ModelError(f"{file}: the graph has no nodes; there is nothing to plan")
    consumers: dict[str, dict[str, None]] = {identity: {} for identity in ops}
    for source, target, row in edges:
        for end in (source, target):
            if end not in ops:
                raise ModelError(
                    f"{file}, line {row}: no line tells of the node '{clean(end)}'; profile again"
                )
        consumers[source][target] = None
    tensors = [
        Tensor(identity, tuple(readers), sizes[identity])
        for identity, readers in consumers.items()
        if readers or sizes[identity]
    ]
    return Graph.build(
        Path(path).stem, list(ops.values()), tensors, time_unit="s", format=FORMAT, warnings=_warnings(ops)
    )


def _edge(line: str, what: str) -> tuple[str, str]:
    parts = line.strip().split(BETWEEN)
    if len(parts) != 2:
        raise ModelError(f"{what} is {shown(line.strip())}; an edge is two ids with '{BETWEEN}' between them")
    return text(parts[0], f"{what}: the producer"), text(parts[1], f"{what}: the consumer")


def _node(line: str, what: str) -> tuple[Op, float]:
    """The op of a line, and the bytes that it puts out."""
    parts = line.strip().split(BETWEEN)
    if not 3 <= len(parts) <= 4:
        raise ModelError(
            f"{what} has {len(parts)} parts with '{BETWEEN}' between them; a node has its id, what it is, and its figures"
        )
    identity, told = text(parts[0], f"{what}: the id"), _figures(parts[2], what)
    forward, backward = (_milliseconds(told[key], f"{what}: {key}") for key in FIELDS[:2])
    size = sum(_number(s, f"{what}: activation_size") for s in told[FIELDS[2]].strip("[]").split(";"))
    param_bytes = _number(told[FIELDS[3]], f"{what}: parameter_size")
    attrs: dict[str, Any] = {"module": clean(parts[1]), "forward_time": forward, "backward_time": backward}
    if len(parts) == 4:
        attrs["stage"] = _stage(parts[3], what)
    op = Op(
        identity,
        identity,
        _kind(parts[1]),
        work=forward + backward,
        params=param_bytes / 4,
        param_bytes=param_bytes,
        attrs=attrs,
    )
    return op, number(size, f"{what}: activation_size")


def _figures(part: str, what: str) -> dict[str, str]:
    told = dict(piece.partition("=")[::2] for piece in part.split(", "))
    if tuple(told) != FIELDS:
        raise ModelError(
            f"{what} tells {shown(part)}; its third part must be {', '.join(f'{f}=...' for f in FIELDS)}"
        )
    return told


def _number(value: str, what: str) -> float:
    try:
        told = float(value)
    except ValueError:
        raise ModelError(f"{what} is {shown(value)}; it must be a number") from None
    return number(told, what)


def _milliseconds(value: str, what: str) -> float:
    return _number(value, what) / 1e3


def _stage(part: str, what: str) -> int:
    key, _, value = part.partition("=")
    if key != "stage_id" or not value.isascii() or not value.isdigit() or len(value) > 9:
        raise ModelError(f"{what} ends in {shown(part)}; a fourth part must be stage_id=NUMBER")
    return whole(int(value), f"{what}: stage_id")


def _kind(described: str) -> str:
    """``Conv2d`` of ``Conv2d(3, 64)``; inputs of the model, which take no time, are ``Input``."""
    found = _KIND.match(described.strip())
    kind = clean(found[0]) if found else "op"
    return "Input" if _INPUT.match(described.strip()) else kind.strip("_") or "op"


def _warnings(ops: dict[str, Op]) -> list[str]:
    if not any(op.attrs["backward_time"] for op in ops.values()):
        return []
    return [
        "each op is its forward and its backward pass together; gradients, which go back over every cut with the sizes of"
        " what came, are not counted"
    ]
