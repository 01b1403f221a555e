"""Small TFLite models for tests, written with the schema's object API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from planner.export.tflite.schema import Stored, pack

Builtin = schema.BuiltinOperator
TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "float16": schema.TensorType.FLOAT16,
    "int8": schema.TensorType.INT8,
    "int32": schema.TensorType.INT32,
    "bool": schema.TensorType.BOOL,
    "resource": schema.TensorType.RESOURCE,
}


class Maker:
    """Builds one model: tensors and operators are added to the subgraph that is open, the first one at the beginning."""

    def __init__(self) -> None:
        self.model = schema.ModelT(version=3, operatorCodes=[], subgraphs=[], buffers=[Stored()])
        self._codes: dict[Any, int] = {}
        self.main = self.subgraph("main")

    def subgraph(self, name: str) -> Any:
        self.open = schema.SubGraphT(tensors=[], operators=[], inputs=[], outputs=[], name=name)
        self.model.subgraphs.append(self.open)
        return self.open

    def tensor(
        self,
        name: str | None,
        shape: tuple[int, ...] = (1, 4),
        dtype: str = "float32",
        data: Any = None,
        *,
        scale: float = 0.0,
        variable: bool = False,
        signature: tuple[int, ...] | None = None,
    ) -> int:
        buffer = 0
        if data is not None:
            kind = np.dtype(dtype)
            stored = np.ascontiguousarray(np.broadcast_to(data, shape), kind)
            self.model.buffers.append(Stored(np.frombuffer(stored.tobytes(), np.uint8)))
            buffer = len(self.model.buffers) - 1
        quantisation = None
        if scale:
            quantisation = schema.QuantizationParametersT(scale=[scale], zeroPoint=[0])
        self.open.tensors.append(
            schema.TensorT(
                shape=list(shape),
                type=TYPES[dtype],
                buffer=buffer,
                name=name,
                quantization=quantisation,
                isVariable=variable,
                shapeSignature=None if signature is None else list(signature),
            )
        )
        return len(self.open.tensors) - 1

    def op(
        self, code: int | str, inputs: list[int], outputs: list[int], options: Any = None, kind: str = ""
    ) -> int:
        if code not in self._codes:
            self._codes[code] = len(self.model.operatorCodes)
            number = Builtin.CUSTOM if isinstance(code, str) else code
            self.model.operatorCodes.append(
                schema.OperatorCodeT(
                    deprecatedBuiltinCode=min(number, 127),
                    builtinCode=number,
                    version=1,
                    customCode=code if isinstance(code, str) else None,
                )
            )
        self.open.operators.append(
            schema.OperatorT(
                opcodeIndex=self._codes[code],
                inputs=inputs,
                outputs=outputs,
                builtinOptions=options,
                builtinOptionsType=getattr(schema.BuiltinOptions, kind) if kind else 0,
            )
        )
        return len(self.open.operators) - 1

    def add(self, a: int, b: int, out: int) -> int:
        return self.op(Builtin.ADD, [a, b], [out], schema.AddOptionsT(), "AddOptions")

    def mul(self, a: int, b: int, out: int) -> int:
        return self.op(Builtin.MUL, [a, b], [out], schema.MulOptionsT(), "MulOptions")

    def dense(self, x: int, weights: int, bias: int, out: int) -> int:
        options = schema.FullyConnectedOptionsT(keepNumDims=True)
        return self.op(Builtin.FULLY_CONNECTED, [x, weights, bias], [out], options, "FullyConnectedOptions")

    def bytes(self) -> bytes:
        return pack(self.model)

    def save(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path


def skipping(dtype: str = "int8", seed: int = 0) -> Maker:
    """Dense layers in a row, a sum with a tensor that skips two of them, two outputs: operators 0..4.

    ``a = dense(x)``, ``b = dense(a)``, ``c = dense(b)``, ``d = c + a``, ``e = dense(d)``; outputs ``b`` and ``e``.
    """
    rng = np.random.default_rng(seed)
    m = Maker()
    scale = 0.05 if dtype == "int8" else 0.0

    def dense(x: int, name: str) -> int:
        if dtype == "int8":
            weights = m.tensor(f"{name}/w", (8, 8), "int8", rng.integers(-127, 128, (8, 8)), scale=0.01)
            bias = m.tensor(f"{name}/b", (8,), "int32", rng.integers(-99, 100, 8), scale=0.01 * scale)
        else:
            weights = m.tensor(f"{name}/w", (8, 8), dtype, rng.standard_normal((8, 8)))
            bias = m.tensor(f"{name}/b", (8,), dtype, rng.standard_normal(8))
        # Another scale for c: its sum with a is not the same the other way round.
        out = m.tensor(name, (1, 8), dtype, scale=2 * scale if name == "c" else scale)
        m.dense(x, weights, bias, out)
        return out

    x = m.tensor("x", (1, 8), dtype, scale=scale)
    a = dense(x, "a")
    b = dense(a, "b")
    c = dense(b, "c")
    d = m.tensor("d", (1, 8), dtype, scale=scale)
    m.add(c, a, d)
    e = dense(d, "e")
    m.main.inputs, m.main.outputs = [x], [b, e]
    return m


def looping() -> Maker:
    """``y = x + 1``; ``while i < 5: i, y = i + 1, y * 2``; ``z = y + y``; ``if p: w = z + z else: w = z * z``: operators 0..3."""
    m = Maker()
    x = m.tensor("x")
    p = m.tensor("p", (), "bool")
    one = m.tensor("one", (1, 4), data=1.0)
    i = m.tensor("i", (), "int32", 0)
    y, i2, y2 = m.tensor("y"), m.tensor("i2", (), "int32"), m.tensor("y2")
    z, w = m.tensor("z"), m.tensor("w")
    m.add(x, one, y)
    m.op(
        Builtin.WHILE,
        [i, y],
        [i2, y2],
        schema.WhileOptionsT(condSubgraphIndex=1, bodySubgraphIndex=2),
        "WhileOptions",
    )
    m.add(y2, y2, z)
    m.op(
        Builtin.IF,
        [p, z],
        [w],
        schema.IfOptionsT(thenSubgraphIndex=3, elseSubgraphIndex=4),
        "IfOptions",
    )
    m.main.inputs, m.main.outputs = [x, p], [w]
    cond = m.subgraph("cond")
    ci, cy, c5, ct = (
        m.tensor("ci", (), "int32"),
        m.tensor("cy"),
        m.tensor("c5", (), "int32", 5),
        m.tensor("ct", (), "bool"),
    )
    m.op(Builtin.LESS, [ci, c5], [ct], schema.LessOptionsT(), "LessOptions")
    cond.inputs, cond.outputs = [ci, cy], [ct]
    body = m.subgraph("body")
    bi, by = m.tensor("bi", (), "int32"), m.tensor("by")
    b1, b2 = m.tensor("b1", (), "int32", 1), m.tensor("b2", data=2.0)
    bi2, by2 = m.tensor("bi2", (), "int32"), m.tensor("by2")
    m.add(bi, b1, bi2)
    m.mul(by, b2, by2)
    body.inputs, body.outputs = [bi, by], [bi2, by2]
    for name, combine in (("then", m.add), ("else", m.mul)):
        branch = m.subgraph(name)
        t, u = m.tensor("t"), m.tensor("u")
        combine(t, t, u)
        branch.inputs, branch.outputs = [t], [u]
    return m
