"""A TFLite file as plain records: its tensors, operators and subgraphs, every index and size checked.

The schema that `ai-edge-litert` brings decodes the flatbuffer and trusts what it finds; here nothing is trusted. Whatever a file claims is
paid for from a budget of the file's own size, so that a small file can cause neither long work nor large allocations, and
all that can go wrong is a :class:`planner.errors.ModelError` of one sentence. Contents of constants are never copied.
"""

from __future__ import annotations

import math
import os
import struct
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.files import MEBIBYTE, read_bytes
from planner.formats.checks import INT32, LARGEST
from planner.formats.tflite.options import bodies_of, names_of, options_of
from planner.formats.tflite.records import OperatorRecord, Subgraph, TensorRecord, TfliteFile, called
from planner.printable import clean

LIMIT = 2047 * MEBIBYTE
"""Larger files are refused unread; a flatbuffer itself cannot be larger than 2 GiB."""
MARK = b"TFL3"
"""The file identifier, at byte 4."""
MOST_OPERATORS = 1_000_000
COMPILED = "edgetpu-custom-op"
"""The custom op that stands for all that the Edge TPU compiler has compiled."""

# Element types by TensorType: name and bits of one element. Texts count as a pointer; handles of variables as nothing.
_TYPES: tuple[tuple[str, int], ...] = (
    ("float32", 32), ("float16", 16), ("int32", 32), ("uint8", 8), ("int64", 64), ("string", 64), ("bool", 8),
    ("int16", 16), ("complex64", 64), ("int8", 8), ("float64", 64), ("complex128", 128), ("uint64", 64),
    ("resource", 0), ("variant", 0), ("uint32", 32), ("uint16", 16), ("int4", 4), ("bfloat16", 16), ("int2", 2),
    ("uint4", 4), ("float8_e4m3fn", 8), ("float8_e5m2", 8),
)  # fmt: skip
_EXTERNAL_BUFFER = 24  # vtable offset of Tensor.external_buffer, which is newer than the parser


def load(path: str | os.PathLike[str]) -> TfliteFile:
    """The records of a file. Raises :class:`ModelError`."""
    name = Path(path).name
    return parse(read_bytes(path, LIMIT, remedy="split the model"), name)


def parse(data: bytes, name: str) -> TfliteFile:
    """The records of a file's content; ``name`` is the file's, for sentences. Raises :class:`ModelError`."""
    if data[4:8] != MARK:
        raise ModelError(
            f"{name} does not begin like a TFLite model (the mark {MARK.decode()} is missing); convert or download it again"
        )
    try:
        return _Reader(data, name).file()
    except ModelError:
        raise
    except (struct.error, ValueError, TypeError, IndexError, OverflowError, AttributeError) as error:
        # What the decoder raises where an offset leads out of the file or to what is no number.
        raise ModelError(f"{name} is not complete, valid TFLite; convert or download it again") from error


class _Reader:
    """Reads one flatbuffer, charging for what it reads."""

    def __init__(self, data: bytes, file: str) -> None:
        from ai_edge_litert import schema_py_generated as schema

        self.data = data
        self.name = file
        self.model = schema.Model.GetRootAs(data, 0)
        # Tables and vectors of an honest file do not overlap, so they are never larger together than the file.
        self.left = len(data) + 65_536

    # ------------------------------------------------------------------ guarded access
    def fail(self, what: str) -> ModelError:
        return ModelError(f"{self.name} is damaged: {what}; convert or download it again")

    def charge(self, count: int, each: int) -> int:
        self.left -= count * each
        if count < 0 or self.left < 0:
            raise self.fail("its parts claim more than the file holds")
        return count

    def numbers(self, length: int, vector: Any) -> tuple[int, ...]:
        """A vector of integers; ``vector`` is the accessor that gives it as an array."""
        return tuple(vector().tolist()) if self.charge(length, 4) else ()

    def text(self, raw: bytes | None) -> str:
        if raw is None:
            return ""
        self.charge(len(raw), 1)
        return clean(raw.decode("utf-8", "replace"))

    # ------------------------------------------------------------------ the file
    def file(self) -> TfliteFile:
        model = self.model
        count = self.charge(model.SubgraphsLength(), 16)
        if not count:
            raise ModelError(f"{self.name} holds no subgraph; convert or download it again")
        self.buffers = self.charge(model.BuffersLength(), 8)
        self.codes = [self._code(i) for i in range(self.charge(model.OperatorCodesLength(), 8))]
        if (COMPILED, True) in self.codes:
            raise ModelError(
                f"{self.name} is compiled for the Edge TPU; open the uncompiled model it was made from"
                " (usually the same name without _edgetpu)"
            )
        if not self.buffers:
            raise ModelError(
                f"{self.name} has an empty list of buffers, where every valid TFLite model has at least one;"
                " convert the model again"
            )
        subgraphs: dict[int, Subgraph] = {}
        waiting = [0]
        while waiting:
            number = waiting.pop()
            if number in subgraphs:
                continue
            subgraphs[number] = self._subgraph(number)
            for operator in subgraphs[number].operators:
                for body in operator.bodies:
                    if not 0 <= body < count:
                        raise self.fail(f"{operator.kind[:60]} runs subgraph {body} of {count}")
                    waiting.append(body)
        return TfliteFile(self.name, self.text(model.Description()), subgraphs, count, self._signatures())

    def _code(self, index: int) -> tuple[str, bool]:
        """Builtin name or custom code of an entry in the list of operator codes, and whether it is custom."""
        from ai_edge_litert.schema_py_generated import BuiltinOperator

        code = self.model.OperatorCodes(index)
        # Files up to 2020 have only the byte; newer ones have both where the number fits.
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        custom = self.text(code.CustomCode())
        if number == BuiltinOperator.CUSTOM:
            return custom or "CUSTOM", True
        return names_of("BuiltinOperator").get(number, f"BUILTIN_{number}"), False

    def _signatures(self) -> tuple[tuple[str, int], ...]:
        model = self.model
        count = self.charge(model.SignatureDefsLength(), 16)
        signatures = (model.SignatureDefs(i) for i in range(count))
        return tuple((self.text(s.SignatureKey()), int(s.SubgraphIndex())) for s in signatures)

    # ------------------------------------------------------------------ a subgraph
    def _subgraph(self, number: int) -> Subgraph:
        graph = self.model.Subgraphs(number)
        tensor_count = self.charge(graph.TensorsLength(), 16)
        operator_count = self.charge(graph.OperatorsLength(), 16)
        if operator_count > MOST_OPERATORS:
            raise ModelError(f"{self.name} holds more than {MOST_OPERATORS:,} operators; split it")
        tensors = tuple(self._tensor(graph.Tensors(i), i) for i in range(tensor_count))
        operators = tuple(self._operator(graph.Operators(i), i, tensor_count) for i in range(operator_count))
        inputs = self.numbers(graph.InputsLength(), graph.InputsAsNumpy)
        outputs = self.numbers(graph.OutputsLength(), graph.OutputsAsNumpy)
        if not all(0 <= t < tensor_count for t in (*inputs, *outputs)):
            raise self.fail(f"an input or output of subgraph {number} is none of its {tensor_count} tensors")
        graph_name = self.text(graph.Name())
        subgraph = Subgraph(graph_name, tensors, operators, inputs, outputs)
        self._check_flow(subgraph)
        return subgraph

    def _check_flow(self, graph: Subgraph) -> None:
        """Every tensor has at most one producer, and every tensor that is read has a content by then."""
        given = {
            t for t, r in enumerate(graph.tensors) if r.stored is not None or r.variable or not r.elements
        }
        ready = given | set(graph.inputs)
        for i, operator in enumerate(graph.operators):
            for t in operator.inputs:
                if t >= 0 and t not in ready:
                    raise self.fail(
                        f"operator {i} ({operator.kind[:60]}) reads {called(graph.tensors[t].name, t)}, which nothing before it"
                        " produces"
                    )
            for t in operator.outputs:
                if t in ready and not graph.tensors[t].variable and graph.tensors[t].elements:
                    raise self.fail(
                        f"operator {i} ({operator.kind[:60]}) produces {called(graph.tensors[t].name, t)}, which is given already"
                    )
            ready.update(operator.outputs)

    def _tensor(self, tensor: Any, index: int) -> TensorRecord:
        name = self.text(tensor.Name())
        what = f"tensor {called(name, index)}"
        kind = tensor.Type()
        if not 0 <= kind < len(_TYPES):
            raise ModelError(
                f"{self.name}: {what} has the element type {kind}, which is not known here; convert the model again"
            )
        dtype, bits = _TYPES[kind]
        shape = self.numbers(tensor.ShapeLength(), tensor.ShapeAsNumpy)
        signature = self.numbers(tensor.ShapeSignatureLength(), tensor.ShapeSignatureAsNumpy)
        if len(signature) != len(shape):
            signature = shape
        if any(size < -1 for size in shape) or len(shape) > 64:
            raise self.fail(f"{what} has the shape {list(shape[:8])}")
        fixed = tuple(1 if size == -1 else size for size in shape)
        elements = math.prod(fixed)
        if elements * bits / 8 > LARGEST:
            raise self.fail(f"{what} would have {elements * bits / 8:.0e} bytes")
        variable = tensor.IsVariable()
        external = tensor._tab.Offset(_EXTERNAL_BUFFER) != 0
        stored = None if variable else self._stored(tensor.Buffer(), what)
        values = elements
        if external and stored is None:
            stored = math.ceil(elements * bits / 8)
        elif stored is not None and tensor.Sparsity() is not None:
            values = min(elements, stored * 8 // max(bits, 1))
        elif stored is not None and dtype != "string" and stored != math.ceil(elements * bits / 8):
            raise self.fail(f"{what} of shape {list(shape[:8])} and type {dtype} is stored in {stored} bytes")
        return TensorRecord(
            name=name,
            shape=fixed,
            open_axes=tuple(a for a, (s, n) in enumerate(zip(signature, shape, strict=True)) if s == -1 or n == -1),
            dtype=dtype,
            bits=bits,
            stored=stored,
            values=values,
            buffer=int(tensor.Buffer()),
            variable=variable,
            external=external,
            quantisation=self._quantisation(tensor.Quantization(), dtype),
        )  # fmt: skip

    def _stored(self, number: int, what: str) -> int | None:
        """Bytes of a buffer, inside the flatbuffer or behind it in the same file; None where it is empty."""
        if number >= self.buffers:
            raise self.fail(f"{what} is stored in buffer {number} of {self.buffers}")
        buffer = self.model.Buffers(number)
        offset, size = buffer.Offset(), buffer.Size()
        if offset > 1:
            if offset + size > len(self.data):
                raise self.fail(f"{what} is stored beyond the end of the file")
            return int(size) or None
        length = buffer.DataLength()
        if length > len(self.data):
            raise self.fail(f"{what} claims {length} bytes of storage")
        return int(length) or None

    def _quantisation(self, found: Any, dtype: str) -> str:
        """Scale and zero point as a short text; empty where the tensor is not quantised."""
        if found is None or not found.ScaleLength():
            return ""
        count = self.charge(found.ScaleLength(), 4)
        points = self.charge(found.ZeroPointLength(), 8)
        if count > 1:
            return f"{dtype}, {count} scales on axis {found.QuantizedDimension()}"
        return f"{dtype}, scale {found.Scale(0):.6g}, zero point {found.ZeroPoint(0) if points else 0}"

    def _operator(self, operator: Any, index: int, tensors: int) -> OperatorRecord:
        code = operator.OpcodeIndex()
        if code >= len(self.codes):
            raise self.fail(f"operator {index} has code {code} of {len(self.codes)}")
        kind, custom = self.codes[code]
        inputs = self.numbers(operator.InputsLength(), operator.InputsAsNumpy)
        outputs = self.numbers(operator.OutputsLength(), operator.OutputsAsNumpy)
        if not all(-1 <= t < tensors for t in inputs) or not all(0 <= t < tensors for t in outputs):
            raise self.fail(f"operator {index} ({kind[:60]}) reads or writes a tensor that does not exist")
        options = options_of(operator, self.charge)
        bodies = tuple(min(int(b), INT32) for b in bodies_of(options))
        return OperatorRecord(kind, custom, inputs, outputs, options, bodies)
