"""Small TFLite files for tests, written with the schema's object API from lists of tensors and operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

_TYPES = {
    "f4": "FLOAT32",
    "f2": "FLOAT16",
    "i4": "INT32",
    "i8": "INT64",
    "i1": "INT8",
    "u1": "UINT8",
    "i2": "INT16",
    "b1": "BOOL",
}


@dataclass
class T:
    """A tensor; ``data`` makes it a constant, ``buffer`` puts it into an explicit one of the extra buffers."""

    name: str
    shape: Sequence[int] = (1,)
    type: str = "INT8"
    data: Any = None
    signature: Sequence[int] | None = None
    variable: bool = False
    scale: Sequence[float] = ()
    axis: int = 0
    buffer: int | None = None
    external: int = 0
    sparse: bool = False


@dataclass
class O:  # noqa: E742
    """An operator on tensors by name; '' is an input left out. ``options`` are a schema class's keywords."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    options: Any = None
    custom: str = ""


@dataclass
class G:
    """A subgraph."""

    tensors: Sequence[T]
    operators: Sequence[O]
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()


def constant(name: str, array: Any, **more: Any) -> T:
    """A stored tensor of an array's shape and type."""
    array = np.asarray(array)
    return T(name, array.shape, _TYPES[array.dtype.str[1:]], array, **more)


def pack(*graphs: G, extra: Sequence[Any] = (), signatures: Sequence[tuple[str, int]] = ()) -> bytes:
    """A file of subgraphs. ``extra`` are buffers (``BufferT``) at places 1, 2, ... for tensors that name them."""
    buffers = [schema.BufferT(), *extra]
    codes: list[tuple[int, str]] = []
    subgraphs = []
    for graph in graphs:
        place = {tensor.name: i for i, tensor in enumerate(graph.tensors)} | {"": -1}
        tensors = []
        for tensor in graph.tensors:
            number = tensor.buffer or 0
            if tensor.data is not None:
                buffers.append(
                    schema.BufferT(data=np.frombuffer(np.ascontiguousarray(tensor.data).tobytes(), np.uint8))
                )
                number = len(buffers) - 1
            quantisation = None
            if len(tensor.scale):
                quantisation = schema.QuantizationParametersT(
                    scale=np.array(tensor.scale, np.float32),
                    zeroPoint=np.zeros(len(tensor.scale), np.int64),
                    quantizedDimension=tensor.axis,
                )
            tensors.append(
                schema.TensorT(
                    shape=np.array(tensor.shape, np.int32),
                    type=getattr(schema.TensorType, tensor.type),
                    buffer=number,
                    name=tensor.name,
                    quantization=quantisation,
                    isVariable=tensor.variable,
                    shapeSignature=None if tensor.signature is None else np.array(tensor.signature, np.int32),
                    externalBuffer=tensor.external,
                    sparsity=schema.SparsityParametersT() if tensor.sparse else None,
                )
            )
        operators = []
        for op in graph.operators:
            code = (getattr(schema.BuiltinOperator, op.kind), op.custom)
            if code not in codes:
                codes.append(code)
            kind = 0
            if op.options is not None:
                kind = getattr(schema.BuiltinOptions, type(op.options).__name__.removesuffix("T"))
            operators.append(
                schema.OperatorT(
                    opcodeIndex=codes.index(code),
                    inputs=np.array([place[name] for name in op.inputs], np.int32),
                    outputs=np.array([place[name] for name in op.outputs], np.int32),
                    builtinOptionsType=kind,
                    builtinOptions=op.options,
                )
            )
        subgraphs.append(
            schema.SubGraphT(
                tensors=tensors,
                inputs=np.array([place[name] for name in graph.inputs], np.int32),
                outputs=np.array([place[name] for name in graph.outputs], np.int32),
                operators=operators,
            )
        )
    model = schema.ModelT(
        version=3,
        operatorCodes=[
            schema.OperatorCodeT(
                deprecatedBuiltinCode=min(number, 127), builtinCode=number, customCode=custom or None
            )
            for number, custom in codes
        ],
        subgraphs=subgraphs,
        buffers=buffers,
        signatureDefs=[schema.SignatureDefT(signatureKey=key, subgraphIndex=s) for key, s in signatures],
    )
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def write(folder: Path, content: bytes, name: str = "model.tflite") -> Path:
    """The content as a file."""
    path = folder / name
    path.write_bytes(content)
    return path


def everything() -> bytes:
    """One small file with what makes a reader stumble: quantised weights, control flow, state, options of many kinds."""
    weights = np.ones((4, 3, 3, 2), np.int8)
    main = G(
        [
            T("x", (1, 8, 8, 2), signature=(-1, 8, 8, 2), scale=[0.5]),
            constant("filter", weights, scale=[0.1, 0.2, 0.3, 0.4]),
            constant("bias", np.arange(4, dtype=np.int32)),
            T("conv;fused", (1, 4, 4, 4), signature=(-1, 4, 4, 4), scale=[0.25]),
            constant("half", np.ones((1, 4), np.float16)),
            T("whole", (1, 4), "FLOAT32"),
            T("state", (1, 4), variable=True),
            T("sum", (1, 4, 4, 4)),
            constant("shape", np.array([1, 64], np.int32)),
            T("flat", (1, 64)),
            T("looped", (1, 64)),
            T("picked", (1, 64)),
            T("count", (), "INT32"),
            T("custom", ()),
        ],
        [
            O(
                "CONV_2D",
                ["x", "filter", "bias"],
                ["conv;fused"],
                schema.Conv2DOptionsT(strideH=2, strideW=2, fusedActivationFunction=3),
            ),
            O("DEQUANTIZE", ["half"], ["whole"]),
            O("ADD", ["conv;fused", "whole"], ["sum"], schema.AddOptionsT()),
            O("RESHAPE", ["sum", "shape"], ["flat"], schema.ReshapeOptionsT(newShape=[1, 64])),
            O("CALL_ONCE", [], [], schema.CallOnceOptionsT(initSubgraphIndex=3)),
            O("WHILE", ["flat"], ["looped"], schema.WhileOptionsT(condSubgraphIndex=1, bodySubgraphIndex=2)),
            O(
                "IF",
                ["count", "looped"],
                ["picked"],
                schema.IfOptionsT(thenSubgraphIndex=2, elseSubgraphIndex=1),
            ),
            O("CUSTOM", ["picked", "", "state"], ["custom"], custom="org/Own op"),
        ],
        ["x", "count"],
        ["custom", "sum"],
    )
    dense = G(
        [T("a", (1, 64)), constant("w", np.ones((64, 64), np.int8)), T("b", (1, 64))],
        [O("FULLY_CONNECTED", ["a", "w", ""], ["b"], schema.FullyConnectedOptionsT())],
        ["a"],
        ["b"],
    )
    plain = G([T("a", (1, 64)), T("b", (1, 64), "BOOL")], [O("ABS", ["a"], ["b"])], ["a"], ["b"])
    once = G(
        [T("handle", (), "RESOURCE"), constant("v", np.ones(8, np.float32))],
        [
            O("VAR_HANDLE", [], ["handle"], schema.VarHandleOptionsT(sharedName="v")),
            O("ASSIGN_VARIABLE", ["handle", "v"], []),
        ],
    )
    return pack(main, plain, dense, once, signatures=[("serve", 0), ("learn", 4)])
