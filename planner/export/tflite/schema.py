"""TFLite files as editable models and back: what the object API of the schema leaves to its caller.

Weights that lie behind the flatbuffer are taken in, weights in other files are refused, and stored data is aligned to 16
bytes as the schema demands (``force_align``), which the object API forgets.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from planner.errors import ModelError, StageboardError
from planner.printable import clean

IDENTIFIER = b"TFL3"
_ALIGNMENT = 16
_BITS = {
    "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64, "complex64": 64, "complex128": 128,
    "int2": 2, "int4": 4, "uint4": 4, "int8": 8, "uint8": 8, "bool": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32,
    "int64": 64, "uint64": 64,
}  # fmt: skip


def load(data: bytes, name: str) -> Any:
    """The ``ModelT`` of a file's bytes. Raises :class:`ModelError` where they are no model that can be written again."""
    from ai_edge_litert import schema_py_generated as schema

    if data[4:8] != IDENTIFIER:
        raise ModelError(
            f"{name} is not a TFLite model; stages are written from the .tflite file of the plan"
        )
    try:
        model = schema.ModelT.InitFromPackedBuf(data, 0)
    except Exception as error:  # offsets of a broken file lead anywhere
        raise ModelError(f"{name} is damaged; save or download it again") from error
    if not model.subgraphs or not model.buffers or not model.operatorCodes:
        raise ModelError(f"{name} holds no operators; open the whole model")
    if model.externalBuffers or model.externalBufferGroups:
        raise ModelError(
            f"{name} keeps weights in other files; save it as one file with its weights, then export"
        )
    for i, buffer in enumerate(model.buffers):
        # An offset of 0 or 1 marks data that is stored in the flatbuffer itself.
        if buffer.offset > 1:
            buffer.data = _behind(data, buffer.offset, buffer.size, f"{name}: buffer {i}")
            buffer.offset = buffer.size = 0
    for subgraph in model.subgraphs:
        for operator in subgraph.operators or ():
            _complete(operator, data, name)
    return model


def _complete(operator: Any, data: bytes, name: str) -> None:
    """Take in options behind the flatbuffer; refuse those that this schema does not know and would lose."""
    if operator.largeCustomOptionsOffset > 1:
        operator.customOptions = _behind(
            data,
            operator.largeCustomOptionsOffset,
            operator.largeCustomOptionsSize,
            f"{name}: an operator's options",
        )
        operator.largeCustomOptionsOffset = operator.largeCustomOptionsSize = 0
    for kind, options in (
        (operator.builtinOptionsType, operator.builtinOptions),
        (operator.builtinOptions2Type, operator.builtinOptions2),
    ):
        if kind and options is None:
            raise ModelError(
                f"{name}: an operator has options of an unknown kind ({kind}), which would be lost; convert the model again"
            )
    operator.debugMetadataIndex = -1


def _behind(data: bytes, offset: int, size: int, what: str) -> Any:
    if offset + size > len(data):
        raise ModelError(f"{what} lies beyond the end of the file; save or download it again")
    return np.frombuffer(data, np.uint8, size, offset)


def pack(model: Any) -> bytes:
    """A ``ModelT`` as the bytes of a file. Its buffers are :class:`Stored`."""
    import flatbuffers

    size = sum(buffer.size for buffer in model.buffers)
    if size > 2**31 - 2**24:
        raise StageboardError(
            "a stage has more than 2 GiB of weights, which a TFLite file cannot hold; plan with more stages"
        )
    builder = flatbuffers.Builder(size + 65536)
    builder.Finish(model.Pack(builder), IDENTIFIER)
    return bytes(builder.Output())


class Stored:
    """A buffer of a model that is packed with its data aligned."""

    def __init__(self, data: Any = None) -> None:
        self.data = None if data is None else np.ascontiguousarray(data, np.uint8)

    @property
    def size(self) -> int:
        """Bytes of data."""
        return 0 if self.data is None else self.data.size

    def Pack(self, builder: Any) -> int:
        """Write the buffer; the offset of what was written."""
        from ai_edge_litert import schema_py_generated as schema

        vector = 0
        if self.data is not None:
            builder.Prep(_ALIGNMENT, self.data.size)
            vector = builder.CreateNumpyVector(self.data)
        schema.BufferStart(builder)
        if vector:
            schema.BufferAddData(builder, vector)
        return schema.BufferEnd(builder)


def opcode_name(model: Any, operator: Any) -> str:
    """``CONV_2D``, or a custom operator's own name."""
    from ai_edge_litert import schema_py_generated as schema

    code = model.operatorCodes[operator.opcodeIndex]
    # Codes beyond 127 do not fit the older field; the larger of the two counts.
    number = max(code.builtinCode, code.deprecatedBuiltinCode)
    if number == schema.BuiltinOperator.CUSTOM:
        return text(code.customCode) or "CUSTOM"
    return _names(schema.BuiltinOperator).get(number, f"operator {number}")


def dtype_name(tensor: Any) -> str:
    """``int8``, ``float32``, ... or ``resource``, ``variant``, ``string``."""
    from ai_edge_litert import schema_py_generated as schema

    return _names(schema.TensorType).get(tensor.type, f"type {tensor.type}").lower()


def _names(enum: Any) -> dict[int, str]:
    return {number: name for name, number in vars(enum).items() if isinstance(number, int)}


def shape_of(tensor: Any) -> tuple[int, ...]:
    """The shape as stored; -1 where the model leaves a dimension open."""
    signature = tensor.shapeSignature
    chosen = tensor.shape if signature is None or not len(signature) else signature
    return () if chosen is None else tuple(max(int(d), -1) for d in chosen)


def bytes_of(tensor: Any) -> int:
    """Bytes of the stored shape, 0 where the type has no fixed size."""
    shape = () if tensor.shape is None else tensor.shape
    return math.ceil(math.prod(max(int(d), 0) for d in shape) * _BITS.get(dtype_name(tensor), 0) / 8)


def text(value: Any) -> str:
    """A string of a file, which the object API gives as bytes."""
    if value is None:
        return ""
    return clean(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))


def tensor_keys(subgraph: Any) -> list[str]:
    """A unique name for each tensor: its own, numbered where several share it, ``tensor_17`` where it has none."""
    taken: set[str] = set()
    keys = []
    for i, tensor in enumerate(subgraph.tensors):
        base = text(tensor.name) or f"tensor_{i}"
        key, number = base, 1
        while key in taken:
            number += 1
            key = f"{base}#{number}"
        taken.add(key)
        keys.append(key)
    return keys
