"""What a TFLite file holds, as plain records: tensors, operators, subgraphs, and which of them follow from constants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

MOST_SOURCES = 64
"""What follows from more constants than these is an op like any other: chains of them would cost without end."""
_STATEFUL = ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE")
_NEVER_CONSTANT = ("RANDOM_", "MULTINOMIAL", "HASHTABLE", "STABLEHLO_RNG", "DELEGATE")


@dataclass(frozen=True)
class TensorRecord:
    """One tensor as stored: ``shape`` with 1 where a size is open, ``open_axes`` those axes."""

    name: str
    shape: tuple[int, ...]
    open_axes: tuple[int, ...]
    dtype: str
    bits: int
    stored: int | None
    """Bytes of its constant content in the file; None where it has none."""
    values: int
    """Numbers that its constant content holds: all of its elements, fewer where it is stored sparsely."""
    buffer: int
    """Its buffer's place in the file; tensors of one content may share a buffer."""
    variable: bool
    external: bool
    quantisation: str
    """Element type, scale and zero point as a short text; empty where it is not quantised."""

    @property
    def elements(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class OperatorRecord:
    """One operator. ``inputs`` may hold -1 for an optional input that is left out."""

    kind: str
    custom: bool
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, Any]
    bodies: tuple[int, ...]
    """Subgraphs that it runs."""


@dataclass(frozen=True, eq=False)
class Subgraph:
    """One subgraph; subgraph 0 is the model, others are bodies of control flow or further entry points."""

    name: str
    tensors: tuple[TensorRecord, ...]
    operators: tuple[OperatorRecord, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @cached_property
    def constant_operators(self) -> frozenset[int]:
        """Operators that follow from constants alone, such as ``DEQUANTIZE`` of float16 weights."""
        return self._constants[0]

    @cached_property
    def constant_sources(self) -> Mapping[int, tuple[int, ...]]:
        """Each constant tensor -> the stored tensors that it follows from; a stored one follows from itself."""
        return self._constants[1]

    @cached_property
    def _constants(self) -> tuple[frozenset[int], dict[int, tuple[int, ...]]]:
        sources: dict[int, tuple[int, ...]] = {
            t: (t,) for t, r in enumerate(self.tensors) if r.stored is not None
        }
        found = []
        for i, operator in enumerate(self.operators):
            inputs = [t for t in operator.inputs if t >= 0]
            folds = inputs and not (
                operator.custom
                or operator.bodies
                or operator.kind in _STATEFUL
                or operator.kind.startswith(_NEVER_CONSTANT)
            )
            if folds and all(t in sources for t in inputs):
                origin = tuple(dict.fromkeys(s for t in inputs for s in sources[t]))
                if len(origin) <= MOST_SOURCES:
                    found.append(i)
                    sources.update((t, origin) for t in operator.outputs)
        return frozenset(found), sources


@dataclass(frozen=True, eq=False)
class TfliteFile:
    """What a file holds, as far as subgraph 0 needs it: the subgraphs that it cannot reach are left out of the mapping."""

    name: str
    description: str
    subgraphs: Mapping[int, Subgraph]
    subgraph_count: int
    signatures: tuple[tuple[str, int], ...]
    """Name of each entry point and its subgraph."""


def called(name: str, index: int) -> str:
    """A tensor as a sentence names it: the first of the names that the converter joined, shortened."""
    short = name.split(";", maxsplit=1)[0]
    return f"'{short if len(short) <= 60 else short[:57] + '...'}'" if short else f"{index}"
