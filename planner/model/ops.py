"""Operators and tensors as a format reader hands them over, and the checks that they pass on their way into a graph.

A check that fails raises :class:`ModelError` with one sentence: which model, which op, what is wrong. Below, n ops and
t tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import ModelError
from planner.model.paths import Ints
from planner.printable import LONGEST_ID, plural

Floats = NDArray[np.float64]
LARGEST_COST = 1e30
"""No time or size of an op or a tensor may be larger: what is added up and multiplied of them stays finite."""


@dataclass(frozen=True)
class Op:
    """One operator, as a format reader hands it to :meth:`Graph.build`.

    Times are in the graph's time unit, sizes in bytes. ``None`` means the file does not say. ``scope`` is the path of the
    module that the op belongs to, where the file tells it beside the name: ``encoder/layer.0/attention``.
    """

    id: str
    name: str
    kind: str = "op"
    work: float | None = None
    work_cpu: float | None = None
    params: float = 0.0
    param_bytes: float = 0.0
    macs: float = 0.0
    memory: float | None = None
    supported: bool = True
    backward: bool = False
    colour_class: int | None = None
    layer: int | None = None
    attrs: Mapping[str, Any] = field(default_factory=dict)
    scope: str = ""

    @property
    def scoped_name(self) -> str:
        """The name as it is shown, behind its scope where there is one."""
        if not self.scope:
            return self.name
        # PyTorch's exporter puts "node_" before every name, which says nothing.
        tail = self.name.rpartition("/")[2].removeprefix("node_")
        return f"{self.scope}/{tail or self.name}"


@dataclass(frozen=True)
class Tensor:
    """One tensor: its producer's id, its consumers' ids, its size. ``time`` is a profiled transfer time, if any."""

    producer: str
    consumers: tuple[str, ...] = ()
    bytes: float = 0.0
    time: float | None = None
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    name: str = ""


LITTLE = 0.001
"""A share of all parameters that nobody misses: constants that many ops read, such as a normalisation's zeros and ones."""


@dataclass(frozen=True)
class Shared:
    """Parameters that several ops read, which the first of them counts: the ops' ids, in the graph's order, number and bytes."""

    ops: tuple[str, ...]
    params: float
    param_bytes: float


@dataclass(frozen=True, eq=False)
class CheckedTensors:
    """Tensors with their ops by number: ``producer`` int32[t], ``bytes``, ``time`` float64[t] (NaN = not profiled).

    Consumers, each once: ``consumer_ptr`` int32[t + 1], ``consumer_idx``. ``given``: the tensors as they came.
    """

    given: tuple[Tensor, ...]
    producer: Ints
    bytes: Floats
    time: Floats
    consumer_ptr: Ints
    consumer_idx: Ints

    def produced(self, n: int) -> Floats:
        """Bytes of the tensors that each op produces: float64[n]."""
        total = np.zeros(n)
        if len(self.producer):
            np.add.at(total, self.producer, self.bytes)
        return total


def op_index(name: str, ops: Sequence[Op]) -> dict[str, int]:
    """Op id -> op number, of the model ``name``. Raises on ids that are not unique and on texts that are too long."""
    index: dict[str, int] = {}
    for i, op in enumerate(ops):
        for what, text in (("an id", op.id), ("a name", op.name), ("a kind", op.kind), ("a scope", op.scope)):
            if len(text) > LONGEST_ID:
                raise ModelError(
                    f"{name}: op number {i + 1} has {what} of {len(text):,} characters; at most {LONGEST_ID:,} are"
                    " read, so shorten it"
                )
        if op.id in index:
            raise ModelError(f"{name}: two ops have the id '{op.id}'; ids must be unique")
        index[op.id] = i
    return index


def costs(name: str, ops: Sequence[Op], attribute: str, default: float) -> Floats:
    """One cost of all ops, float64[n]; ``default`` where the file does not say. Raises where one is no cost."""
    values = [getattr(op, attribute) for op in ops]
    return np.array(
        [
            default
            if value is None
            else value
            if type(value) is float and 0.0 <= value <= LARGEST_COST
            else cost(value, f"{name}: op '{ops[i].name}' has {attribute}")
            for i, value in enumerate(values)
        ],
        np.float64,
    )


def checked_tensors(name: str, tensors: Iterable[Tensor], index: Mapping[str, int]) -> CheckedTensors:
    """The tensors of the model ``name``, ops by their number. Raises on unknown ops, on an op that reads itself, on bad sizes."""
    given: list[Tensor] = []
    producers: list[int] = []
    sizes: list[float] = []
    times: list[float] = []
    consumers: list[int] = []
    ptr = [0]
    for tensor in tensors:
        producer = index.get(tensor.producer)
        if producer is None:
            raise ModelError(
                f"{name}: a tensor is produced by '{tensor.producer}', which is not an op of the graph"
            )
        reached: dict[int, None] = {}
        for consumer in tensor.consumers:
            c = index.get(consumer)
            if c is None:
                raise ModelError(
                    f"{name}: '{consumer}' consumes a tensor of '{tensor.producer}' but is not an op of the graph"
                )
            if c == producer:
                raise ModelError(
                    f"{name}: op '{tensor.producer}' consumes its own output; the graph must be acyclic"
                )
            reached[c] = None
        what = f"{name}: a tensor of op '{tensor.producer}' has"
        sizes.append(cost(tensor.bytes, f"{what} bytes"))
        times.append(math.nan if tensor.time is None else cost(tensor.time, f"{what} a transfer time"))
        producers.append(producer)
        consumers.extend(reached)
        ptr.append(len(consumers))
        given.append(tensor)
    return CheckedTensors(
        tuple(given),
        np.array(producers, np.int32),
        np.array(sizes, np.float64),
        np.array(times, np.float64),
        np.array(ptr, np.int32),
        np.array(consumers, np.int32),
    )


def shared_by(reads: Mapping[str, Mapping[str, tuple[float, float]]]) -> list[Shared]:
    """What ops share, from the parameters that each op reads: by op id, in the graph's order, and what they are called: number and bytes."""
    readers: dict[str, list[str]] = {}
    sizes: dict[str, tuple[float, float]] = {}
    for op, read in reads.items():
        for source, size in read.items():
            readers.setdefault(source, []).append(op)
            sizes[source] = size
    return [Shared(tuple(ops), *sizes[source]) for source, ops in readers.items() if len(ops) > 1]


def checked_shared(
    name: str, shared: Iterable[Shared], index: Mapping[str, int], all_bytes: float
) -> tuple[Shared, ...]:
    """What ops of the model ``name`` share, what the same ops do added up, in the order of the ops.

    What copies could add less than :data:`LITTLE` to ``all_bytes`` of parameters is left out. Raises on unknown ops, on bad sizes.
    """
    found: dict[tuple[int, ...], tuple[float, float]] = {}
    for one in shared:
        for op in one.ops:
            if op not in index:
                raise ModelError(f"{name}: '{op}' shares parameters but is not an op of the graph")
        key = tuple(sorted({index[op] for op in one.ops}))
        if len(key) < 2:
            continue
        what = f"{name}: what op '{one.ops[0]}' shares has"
        params, size = found.get(key, (0.0, 0.0))
        found[key] = (
            params + cost(one.params, f"{what} params"),
            size + cost(one.param_bytes, f"{what} param_bytes"),
        )
    ids = list(index)
    return tuple(
        Shared(tuple(ids[v] for v in key), *(min(value, LARGEST_COST) for value in found[key]))
        for key in sorted(found)
        if (len(key) - 1) * found[key][1] > LITTLE * all_bytes
    )


def shared_notes(shared: Sequence[Shared]) -> list[str]:
    """What there is to know of parameters that several ops read: one sentence, or none."""
    if not shared:
        return []
    first = max(shared, key=lambda one: one.param_bytes)
    who = (
        f"{first.ops[0]} and {plural(len(first.ops) - 1, 'other op') if len(first.ops) > 2 else first.ops[1]}"
    )
    more = "" if len(shared) == 1 else ", and so do further ops"
    return [
        f"{who} read the same parameters{more}; these count on the device of each op that reads them, once for ops that are kept together"
    ]


def cost(value: Any, what: str) -> float:
    """A number from 0 to :data:`LARGEST_COST`, else one sentence that names the place."""
    if type(value) is float and 0.0 <= value <= LARGEST_COST:
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ModelError(f"{what} {value!r}; it must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise ModelError(f"{what} {number:g}; it must be finite and not negative")
    if number > LARGEST_COST:
        raise ModelError(f"{what} {number:g}; it must be at most {LARGEST_COST:g}")
    return number
