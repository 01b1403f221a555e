"""Programs of ``torch.export`` (``.pt2``) as graphs of ops, without PyTorch.

* Each tensor that the user gives and that is read is an op of kind ``Input``; each operator that gives a tensor an op of its ATen
  name (``aten.layer_norm.default`` is ``LayerNorm``), except those whose tensors all follow from constants, which are folded away, and those that
  only reckon with sizes or check them.
* Parameters, buffers and tensor constants are parameters of the first op that reads them; other readers note it (attribute
  ``shared``). Integers of up to 4,096 elements (shapes, indices, counters) do not count. Their sizes are those of the program: no tensor data is
  opened.
* ``nn_module_stack`` tells the module that an op came from: its scope.
* Operators that run graphs (``cond``, ``while_loop``, ``map``, ``scan``) are one op each: the multiply-accumulates of their bodies are its own (the
  larger branch of a ``cond``, one round of a loop).
* Where the first size of the inputs is dynamic, it is the batch, there and in all sizes that depend on it; other dynamic sizes are what
  they were at export.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from pathlib import Path

from planner.errors import ModelError
from planner.formats.checks import LARGEST
from planner.formats.module_paths import path_of
from planner.formats.torch_export.archive import load
from planner.formats.torch_export.macs import Shape
from planner.formats.torch_export.macs import macs as count_macs
from planner.formats.torch_export.records import GraphRecord, Node, Program, TensorMeta
from planner.formats.torch_export.sizes import Sizes
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor, shared_by
from planner.printable import clean, escaped

FORMAT = "torch-export"
_TABLE = 4096
_DEEPEST = 50
_TYPES: dict[str, tuple[int, str, int]] = {
    "BYTE": (1, "uint8", 1), "CHAR": (2, "int8", 1), "SHORT": (3, "int16", 2), "INT": (4, "int32", 4), "LONG": (5, "int64", 8),
    "HALF": (6, "float16", 2), "FLOAT": (7, "float", 4), "DOUBLE": (8, "double", 8), "COMPLEXHALF": (9, "complex32", 4),
    "COMPLEXFLOAT": (10, "complex64", 8), "COMPLEXDOUBLE": (11, "complex128", 16), "BOOL": (12, "bool", 1), "BFLOAT16": (13, "bfloat16", 2),
    "UINT16": (28, "uint16", 2), "FLOAT8E4M3FN": (29, "float8e4m3fn", 1), "FLOAT8E5M2": (30, "float8e5m2", 1),
    "FLOAT8E4M3FNUZ": (31, "float8e4m3fnuz", 1), "FLOAT8E5M2FNUZ": (32, "float8e5m2fnuz", 1), "FLOAT8E8M0FNU": (33, "float8e8m0", 1),
    "UINT32": (34, "uint32", 4), "UINT64": (35, "uint64", 8),
}  # fmt: skip
"""PyTorch's element types by their name in the schema: number there, name here, bytes."""
_BY_NUMBER = {number: (name, size) for number, name, size in _TYPES.values()}
_WHOLE = ("int", "uint", "bool")
_CHANCE = ("rand", "bernoulli", "dropout", "multinomial", "normal_", "uniform_")
"""Operators whose result does not follow from what they read."""
_LOOPS = ("while_loop", "map_impl", "map", "scan", "associative_scan")
_SELF = re.compile(r"^L\['\w+'\]\.?|^L__self___?")


def read(path: str | os.PathLike[str], *, batch: int = 1) -> Graph:
    """The program in a file, a dynamic first size of its inputs bound to ``batch``. Raises :class:`ModelError`."""
    return _Builder(load(path), Path(path).name, batch).graph(Path(path).stem)


class _Builder:
    """Goes through the operators of a program once."""

    def __init__(self, program: Program, file: str, batch: int) -> None:
        self.file, self.batch = file, batch
        self.main = program.graph_module.graph
        self.signature = program.graph_module.signature
        self.sizes = Sizes(batch)
        self.metas = dict(self.main.tensor_values)
        self.constants: dict[str, tuple[str, ...]] = {}
        """Values that follow from constants -> the stored tensors that they follow from."""
        self.producer: dict[str, str] = {}
        self.readers: dict[str, dict[str, None]] = {}
        self.counted: dict[str, str] = {}
        """Stored tensors -> the op that counts them."""
        self.reads: dict[str, dict[str, tuple[float, float]]] = {}
        """Op -> the stored tensors that it reads, whoever counts them: their elements and bytes."""
        self.bodies: Counter[str] = Counter()
        self.foreign: Counter[str] = Counter()
        self.unknown = 0

    # ------------------------------------------------------------------ the graph
    def graph(self, name: str) -> Graph:
        inputs = self._inputs()
        ops: dict[str, Op] = {}
        made: list[tuple[str, str]] = []
        for node in self.main.nodes:
            outputs = [n for output in node.outputs for n in output.tensors()]
            read = self._read(node)
            for value in outputs:
                if value in self.producer or value in self.constants:
                    raise ModelError(
                        f"{self.file}: two operators give the tensor '{clean(value)}'; names must be unique, export it again"
                    )
            if not outputs:  # reckons with sizes, or checks something
                continue
            if self._follows(node, read):
                sources = tuple(dict.fromkeys(source for value in read for source in self.constants[value]))
                self.constants.update(dict.fromkeys(outputs, sources))
                continue
            op = self._op(node, outputs, read, ops)
            ops[op.id] = op
            self.producer.update(dict.fromkeys(outputs, op.id))
            made += [(op.id, value) for value in outputs]
        if not ops:
            raise ModelError(
                f"{self.file}: no operator is left that does not follow from constants, so there is nothing to plan"
            )
        for identity in inputs:
            if identity in ops:
                raise ModelError(
                    f"{self.file}: an input and an operator are both called '{clean(identity)}'; export it again"
                )
        results = {value for output in self.main.outputs for value in output.tensors()}
        read_inputs = [value for value in inputs if value in self.readers]
        tensors = [self._tensor(escaped(value), value) for value in read_inputs]
        tensors += [
            self._tensor(op, value) for op, value in made if value in self.readers or value in results
        ]
        given = [Op(escaped(value), escaped(value), "Input") for value in read_inputs]
        return Graph.build(
            name,
            [*given, *ops.values()],
            tensors,
            format=FORMAT,
            warnings=self._warnings(),
            read_options={"batch": self.batch},
            shared=shared_by(self.reads),
        )

    def _inputs(self) -> list[str]:
        """The tensors that the user gives; stored ones become constants, and the batch is bound."""
        specs = self.signature.input_specs
        if len(specs) != len(self.main.inputs):
            raise ModelError(
                f"{self.file}: its signature has {len(specs)} inputs, its graph {len(self.main.inputs)}; export it again"
            )
        given: list[str] = []
        for spec, argument in zip(specs, self.main.inputs, strict=True):
            stored = spec.parameter or spec.buffer or spec.tensor_constant
            for value in argument.tensors():
                if value in self.producer or value in self.constants:
                    raise ModelError(
                        f"{self.file}: two inputs are called '{clean(value)}'; names must be unique, export it again"
                    )
                if stored is not None:
                    self.constants[value] = (value,)
                else:
                    given.append(value)
                    self.producer[value] = escaped(value)
        firsts = [self.metas[v].sizes[0] for v in given if v in self.metas and self.metas[v].sizes]
        self.binds_batch = bool(sum(self.sizes.bind_batch(size) for size in firsts))
        for value in given:
            for size in self.metas[value].sizes if value in self.metas else ():
                self.sizes.note(size)
        for meta in self.metas.values():
            for size in meta.sizes:
                self.sizes.note(size)
        return given

    def _read(self, node: Node) -> list[str]:
        """The tensors that an operator reads, each once. Raises for one that nothing before it gives."""
        read = dict.fromkeys(name for argument in node.inputs for name in argument.arg.tensors())
        for value in read:
            if value not in self.producer and value not in self.constants:
                raise ModelError(
                    f"{self.file}: operator '{clean(node.target)[:80]}' reads '{clean(value)}', which nothing before it gives;"
                    " the file is incomplete, export it again"
                )
        return list(read)

    def _follows(self, node: Node, read: list[str]) -> bool:
        """Whether what an operator gives follows from constants alone."""
        return all(value in self.constants for value in read) and not any(
            word in node.target for word in _CHANCE
        )

    # ------------------------------------------------------------------ one operator
    def _op(self, node: Node, outputs: list[str], read: list[str], ops: dict[str, Op]) -> Op:
        name = escaped(outputs[0] if not node.name or escaped(node.name) in ops else node.name)
        identity = name if name not in ops else escaped(outputs[0])
        if identity in ops:
            raise ModelError(
                f"{self.file}: two operators are called '{clean(identity)}'; names must be unique, export it again"
            )
        params = param_bytes = 0.0
        shared = []
        for value in read:
            if value not in self.constants:
                self.readers.setdefault(value, {})[identity] = None
                continue
            for source in self.constants[value]:
                count, size = self._stored(source)
                if not count:
                    continue
                self.reads.setdefault(identity, {})[source] = (count, size)
                owner = self.counted.setdefault(source, identity)
                if owner == identity:
                    params, param_bytes = params + count, param_bytes + size
                else:
                    shared.append(f"{clean(source)} (counted at {owner})")
        attrs: dict[str, object] = {"target": clean(node.target)}
        if shared:
            attrs["shared"] = shared[:32]
        kind, word = self._kind(node)
        return Op(
            identity, name, kind, params=params, param_bytes=param_bytes, macs=self._macs(node, word, self.metas, 0),
            attrs=attrs, scope=_scope(node),
        )  # fmt: skip

    def _stored(self, value: str) -> tuple[float, float]:
        """Elements and bytes of a stored tensor; none of small integers."""
        meta = self.metas.get(value)
        if meta is None:
            return 0.0, 0.0
        (dtype, size), count = self._type(meta), _elements(self._shape(meta))
        if dtype.startswith(_WHOLE) and count <= _TABLE:
            return 0.0, 0.0
        if count * size > LARGEST:
            raise ModelError(
                f"{self.file}: the stored tensor '{clean(value)}' claims {count * size:.0e} bytes; export the model again"
            )
        return count, count * size

    def _kind(self, node: Node) -> tuple[str, str]:
        """The kind of an operator's op, and its name among those of its library."""
        library, word = _words(node)
        if library == "higher_order":
            self.bodies[clean(word)] += 1
        elif library not in ("aten", "prims") and not node.target.startswith(("_operator.", "math.")):
            self.foreign[clean(library)] += 1
        kind = "".join(piece[:1].upper() + piece[1:] for piece in word.split("_"))
        return clean(kind)[:80] or "op", word

    def _macs(self, node: Node, word: str, metas: dict[str, TensorMeta], depth: int) -> float:
        graphs = [
            argument.arg.as_graph.graph for argument in node.inputs if argument.arg.as_graph is not None
        ]
        if graphs:
            works = [self._body(graph, depth + 1) for graph in graphs]
            return max(works) if word == "cond" else min(sum(works), LARGEST)
        shapes: dict[str, list[Shape]] = {}
        equation, transposed = "", False
        for argument in node.inputs:
            shapes[argument.name] = [self._shape(metas[t]) for t in argument.arg.tensors() if t in metas]
            if argument.name == "equation" and isinstance(argument.arg.as_string, str):
                equation = argument.arg.as_string
            transposed |= argument.name == "transposed" and argument.arg.as_bool is True
        outputs = [self._shape(metas[t]) for o in node.outputs for t in o.tensors() if t in metas]
        return count_macs(word, shapes, outputs, equation, transposed)

    def _body(self, graph: GraphRecord, depth: int) -> float:
        """The multiply-accumulates of all operators of a body."""
        if depth > _DEEPEST:
            raise ModelError(
                f"{self.file}: graphs lie more than {_DEEPEST} deep in one another; export a simpler model"
            )
        total = 0.0
        for node in graph.nodes:
            word = _words(node)[1]
            total = min(total + self._macs(node, word, graph.tensor_values, depth), LARGEST)
        return total

    # ------------------------------------------------------------------ tensors
    def _tensor(self, producer: str, value: str) -> Tensor:
        consumers = tuple(self.readers.get(value, ()))
        meta = self.metas.get(value)
        if meta is None:
            self.unknown += 1
            return Tensor(producer, consumers, 0.0, name=clean(value))
        (dtype, size), shape = self._type(meta), self._shape(meta)
        if (total := _elements(shape) * size) > LARGEST:
            raise ModelError(
                f"{self.file}: the tensor '{clean(value)}' would have {total:.0e} bytes; choose a smaller batch"
            )
        return Tensor(producer, consumers, total, shape=shape, dtype=dtype, name=clean(value))

    def _shape(self, meta: TensorMeta) -> Shape:
        if len(meta.sizes) > 64:
            raise ModelError(
                f"{self.file}: a tensor has {len(meta.sizes)} axes; at most 64 can be read, so export it again"
            )
        return tuple(self.sizes.value(size) for size in meta.sizes)

    def _type(self, meta: TensorMeta) -> tuple[str, int]:
        if isinstance(meta.dtype, str):
            return _TYPES.get(meta.dtype.rpartition(".")[2].upper(), (0, "", 1))[1:]
        return _BY_NUMBER.get(meta.dtype, ("", 1))

    # ------------------------------------------------------------------ warnings
    def _warnings(self) -> list[str]:
        found = []
        if self.bodies:
            kinds = ", ".join(f"{count} {kind[:60]}" for kind, count in sorted(self.bodies.items())[:8])
            found.append(f"control flow is planned as single ops, bodies included ({kinds})")
        if loops := sum(count for kind, count in self.bodies.items() if kind in _LOOPS):
            found.append(
                f"{_several(loops, 'loop runs', 'loops run')} an unknown number of times; one round is counted"
            )
        if self.foreign:
            libraries = ", ".join(
                f"{lib[:60]}, {_several(n, 'op', 'ops')}" for lib, n in sorted(self.foreign.items())[:8]
            )
            found.append(
                f"ops of other libraries are kept as they are; their work may be underestimated ({libraries})"
            )
        if guessed := list(self.sizes.guessed.items()):
            some = ", ".join(f"{clean(name)[:40]} = {value}" for name, value in guessed[:6])
            found.append(
                f"dynamic sizes are what they were at export: {some}{' and more' if len(guessed) > 6 else ''}"
            )
        if self.batch != 1 and not self.binds_batch:
            found.append(f"the model fixes its batch size; a batch of {self.batch} was not applied")
        changed = sum("buffer_mutation" in spec for spec in self.signature.output_specs)
        if changed:
            found.append(
                f"{_several(changed, 'buffer keeps its', 'buffers keep their')} content from run to run"
            )
        if self.unknown:
            found.append(
                f"{_several(self.unknown, 'tensor has', 'tensors have')} no known shape; 0 bytes are counted"
            )
        return found


def _words(node: Node) -> tuple[str, str]:
    """The library of an operator and its name there: ``aten`` and ``conv2d`` of ``torch.ops.aten.conv2d.default``."""
    parts = node.target.removeprefix("torch.ops.").split(".")
    return (parts[0], parts[1]) if len(parts) > 1 else ("aten", parts[0])


def _scope(node: Node) -> str:
    """The path of the module that an operator came from: ``KEY,PATH,CLASS`` for each module, with ``;`` between them."""
    told = node.metadata.get("nn_module_stack")
    if not isinstance(told, str) or len(told) > 10_000:
        return ""
    paths = [",".join(part.split(",")[1:-1]) for part in told.split(";")]
    return path_of([_SELF.sub("", path.replace("\\", "")) for path in paths])


def _elements(shape: Shape) -> float:
    """How many numbers a tensor has; more than any tensor may have for sizes whose product no float holds."""
    return float(min(math.prod(shape), 10**40))


def _several(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
