"""Questions about one ONNX node: its attributes, its bodies, what those are given and what they give back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.formats.onnx.folding import Value


def versions(model: Any) -> dict[str, int]:
    """Opset version by domain; the standard domain is the empty text."""
    versions = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in model.opset_import}
    versions.setdefault("", 13)
    return versions


def bodies_of(node: Any) -> list[Any]:
    """The graphs among a node's attributes."""
    found = []
    for attribute in node.attribute:
        if attribute.HasField("g"):
            found.append(attribute.g)
        found += list(attribute.graphs)
    return found


def reads(node: Any) -> list[str]:
    """Names of the values a node reads, those its bodies read from outside included; one may come several times."""
    names = [name for name in node.input if name]
    for body in bodies_of(node):
        inner = {v.name for v in body.input} | {t.name for t in body.initializer}
        inner |= {t.values.name for t in body.sparse_initializer}
        inner |= {name for n in body.node for name in n.output}
        outer = [name for n in body.node for name in reads(n)] + [v.name for v in body.output]
        names += [name for name in outer if name not in inner]
    return names


def formal_inputs(node: Any, inputs: Sequence[Value | None], count: int) -> list[Value | None]:
    """What a body's own inputs are like: Loop gives a counter and a condition first, Scan slices of what it scans.

    They change from round to round: a first value that is constant says nothing but its shape.
    """
    if node.op_type == "Loop":
        return [Value((), 7), Value((), 9), *(_varying(v) for v in inputs[2:])][:count]
    if node.op_type == "Scan":
        states = _states(node, inputs)
        slices = [None if v is None or not v.shape else Value(v.shape[1:], v.dtype) for v in inputs[states:]]
        return [*(_varying(v) for v in inputs[:states]), *slices][:count]
    return [None] * count


def _varying(value: Value | None) -> Value | None:
    return None if value is None else Value(value.shape, value.dtype)


def _states(node: Any, inputs: Sequence[Value | None]) -> int:
    return max(0, len(inputs) - int(attributes_of(node).get("num_scan_inputs", 0)))


def results(node: Any, inputs: Sequence[Value | None], body: Sequence[Value]) -> list[Value]:
    """What a control-flow node's outputs are like, from its (first) body's: states as they are, the rest stacked."""
    if node.op_type == "If":
        return list(body)
    if node.op_type == "Loop":
        states, body = max(0, len(inputs) - 2), body[1:]
    elif node.op_type == "Scan":
        states = _states(node, inputs)
    else:
        return []
    rounds = trips(node, inputs)
    stacked = [Value(None if v.shape is None else (rounds, *v.shape), v.dtype) for v in body[states:]]
    return [*(Value(v.shape, v.dtype) for v in body[:states]), *stacked]


def trips(node: Any, inputs: Sequence[Value | None]) -> int | None:
    """How often the body of a Loop or Scan runs; None where only running it tells."""
    if node.op_type == "Loop":
        most = inputs[0].data if inputs and inputs[0] is not None else None
        count = None if most is None or most.size != 1 else int(most.reshape(-1)[0])
        return count if count is not None and 0 <= count <= 10**9 else None
    states = _states(node, inputs)
    first = inputs[states] if states < len(inputs) else None
    return first.shape[0] if first is not None and first.shape else None


def attributes_of(node: Any) -> dict[str, Any]:
    """Numbers, texts and lists of them; tensors and bodies are left out."""
    values: dict[str, Any] = {}
    for a in node.attribute:
        if a.type == 1:
            values[a.name] = a.f
        elif a.type == 2:
            values[a.name] = a.i
        elif a.type == 3:
            values[a.name] = a.s[:1000].decode("utf-8", "replace")
        elif a.type == 6:
            values[a.name] = list(a.floats)
        elif a.type == 7:
            values[a.name] = list(a.ints)
    return values
