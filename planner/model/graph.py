"""The computation graph: a DAG of operators whose output tensors are consumed by other operators.

A :class:`Graph` is a set of frozen arrays. Tensors are first-class: an operator may produce several (a `Split`, or a
producer whose consumers receive different parts), each with its own size and its own consumers. Costs that a file does
not give are NaN until :mod:`planner.model.cost_model` fills them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import ModelError
from planner.printable import LONGEST_ID, escaped

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
LARGEST_COST = 1e30
"""No time or size of an op or a tensor may be larger: what is added up and multiplied of them stays finite."""


@dataclass(frozen=True)
class Op:
    """One operator, as a format reader hands it to :meth:`Graph.build`.

    Times are in the graph's time unit, sizes in bytes. ``None`` means the file does not say.
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


def csr(keys: Ints, values: Ints, count: int) -> tuple[Ints, Ints]:
    """Group ``values`` by ``keys`` (0..count-1): returns ``(ptr[count+1], idx)``, values in their given order."""
    order = np.argsort(keys, kind="stable")
    ptr = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(keys, minlength=count), out=ptr[1:])
    return ptr, np.ascontiguousarray(values[order], dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Graph:
    """A frozen DAG of ``n`` ops and ``t`` tensors. Build it with :meth:`build`, which validates.

    Arrays indexed by op (length n): ``work``, ``work_cpu`` (time on an accelerator / a CPU; NaN = not profiled),
    ``params`` (count), ``param_bytes``, ``macs``, ``memory`` (bytes an op occupies on its device), ``supported`` (runs
    on an accelerator), ``backward`` (belongs to the backward pass), ``colour_class`` (ops of one class are colocated;
    -1 = none), ``layer`` (-1 = none), ``model`` (index into ``model_names``).
    Arrays indexed by tensor (length t): ``tensor_producer``, ``tensor_bytes``, ``tensor_time`` (NaN = not profiled),
    and the consumers as CSR: ``consumer_ptr[t+1]``, ``consumer_idx``.
    """

    name: str
    op_ids: tuple[str, ...]
    op_names: tuple[str, ...]
    kinds: tuple[str, ...]
    work: Floats
    work_cpu: Floats
    params: Floats
    param_bytes: Floats
    macs: Floats
    memory: Floats
    supported: Bools
    backward: Bools
    colour_class: Ints
    layer: Ints
    model: Ints
    tensor_producer: Ints
    tensor_bytes: Floats
    tensor_time: Floats
    consumer_ptr: Ints
    consumer_idx: Ints
    tensor_shapes: tuple[tuple[int, ...] | None, ...]
    tensor_dtypes: tuple[str, ...]
    tensor_names: tuple[str, ...]
    attrs: tuple[Mapping[str, Any], ...]
    model_names: tuple[str, ...]
    time_unit: str | None = "s"
    format: str = "graph"
    warnings: tuple[str, ...] = ()
    read_options: tuple[tuple[str, Any], ...] = ()
    deployment: tuple[tuple[str, float], ...] = ()
    """What the file says of the machine (device-placement files: accelerators, cpus, memory)."""
    cost_model: Any = None
    """The :class:`planner.model.cost_model.CostModel` that filled the missing times, or None."""
    given_fingerprint: str = ""
    given_work: Floats | None = None
    """``work`` as the file gave it, once a cost model has filled it (``given_work_cpu`` likewise); else None."""
    given_work_cpu: Floats | None = None

    # ------------------------------------------------------------------ building
    @staticmethod
    def build(
        name: str,
        ops: Sequence[Op],
        tensors: Iterable[Tensor],
        *,
        time_unit: str | None = "s",
        format: str = "graph",
        warnings: Iterable[str] = (),
        read_options: Mapping[str, Any] | None = None,
        deployment: Mapping[str, float] | None = None,
    ) -> Graph:
        """Validate and freeze. Raises :class:`ModelError` on duplicate or unknown ids, bad numbers, or a cycle."""
        name = escaped(name)  # a file's name may hold anything
        index: dict[str, int] = {}
        for i, op in enumerate(ops):
            for what, text in (("an id", op.id), ("a name", op.name), ("a kind", op.kind)):
                if len(text) > LONGEST_ID:
                    raise ModelError(
                        f"{name}: op number {i + 1} has {what} of {len(text):,} characters; at most {LONGEST_ID:,} are"
                        " read, so shorten it"
                    )
            if op.id in index:
                raise ModelError(f"{name}: two ops have the id '{op.id}'; ids must be unique")
            index[op.id] = i
        n = len(ops)

        def numbers(attribute: str, default: float) -> Floats:
            values = [getattr(op, attribute) for op in ops]
            return np.array(
                [
                    default
                    if value is None
                    else value
                    if type(value) is float and 0.0 <= value <= LARGEST_COST
                    else _cost(value, f"{name}: op '{ops[i].name}' has {attribute}")
                    for i, value in enumerate(values)
                ],
                np.float64,
            )

        producers: list[int] = []
        sizes: list[float] = []
        times: list[float] = []
        consumers: list[list[int]] = []
        kept: list[Tensor] = []
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
            sizes.append(_cost(tensor.bytes, f"{what} bytes"))
            times.append(math.nan if tensor.time is None else _cost(tensor.time, f"{what} a transfer time"))
            producers.append(producer)
            consumers.append(list(reached))
            kept.append(tensor)
        counts = np.array([len(c) for c in consumers], np.int32)
        ptr = np.zeros(len(consumers) + 1, np.int32)
        np.cumsum(counts, out=ptr[1:])
        idx = np.array([c for row in consumers for c in row], np.int32)
        memory = numbers("memory", math.nan)
        param_bytes = numbers("param_bytes", 0.0)
        produced = np.zeros(n)
        if producers:
            np.add.at(produced, np.array(producers), np.array(sizes))
        memory = np.where(np.isnan(memory), np.minimum(param_bytes + produced, LARGEST_COST), memory)
        graph = Graph(
            name=name,
            op_ids=tuple(op.id for op in ops),
            op_names=tuple(op.name for op in ops),
            kinds=tuple(op.kind for op in ops),
            work=numbers("work", math.nan),
            work_cpu=numbers("work_cpu", math.nan),
            params=numbers("params", 0.0),
            param_bytes=param_bytes,
            macs=numbers("macs", 0.0),
            memory=memory,
            supported=np.array([op.supported for op in ops], bool),
            backward=np.array([op.backward for op in ops], bool),
            colour_class=np.array(
                [-1 if op.colour_class is None else op.colour_class for op in ops], np.int32
            ),
            layer=np.array([-1 if op.layer is None else op.layer for op in ops], np.int32),
            model=np.zeros(n, np.int32),
            tensor_producer=np.array(producers, np.int32),
            tensor_bytes=np.array(sizes, np.float64),
            tensor_time=np.array(times, np.float64),
            consumer_ptr=ptr,
            consumer_idx=idx,
            tensor_shapes=tuple(t.shape for t in kept),
            tensor_dtypes=tuple(t.dtype for t in kept),
            tensor_names=tuple(t.name for t in kept),
            attrs=tuple(op.attrs for op in ops),
            model_names=(name,),
            time_unit=time_unit,
            format=format,
            warnings=tuple(warnings),
            read_options=tuple(sorted((read_options or {}).items())),
            deployment=tuple(sorted((deployment or {}).items())),
        )
        graph.topological_order  # raises on a cycle  # noqa: B018
        for f in fields(graph):
            value = getattr(graph, f.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        return graph

    # ------------------------------------------------------------------ structure
    @property
    def n(self) -> int:
        """Number of ops."""
        return len(self.op_ids)

    @property
    def tensor_count(self) -> int:
        """Number of tensors."""
        return len(self.tensor_producer)

    @cached_property
    def edges(self) -> tuple[Ints, Ints]:
        """Distinct (producer, consumer) pairs as two int32 arrays, sorted by producer, then consumer."""
        src = np.repeat(self.tensor_producer, np.diff(self.consumer_ptr)).astype(np.int64)
        keys = np.unique(src * max(self.n, 1) + self.consumer_idx)
        return (keys // max(self.n, 1)).astype(np.int32), (keys % max(self.n, 1)).astype(np.int32)

    @cached_property
    def succs(self) -> tuple[Ints, Ints]:
        """Successors as CSR ``(ptr[n+1], idx)``."""
        src, dst = self.edges
        return csr(src, dst, self.n)

    @cached_property
    def preds(self) -> tuple[Ints, Ints]:
        """Predecessors as CSR ``(ptr[n+1], idx)``."""
        src, dst = self.edges
        return csr(dst, src, self.n)

    @cached_property
    def outputs(self) -> tuple[Ints, Ints]:
        """Tensors each op produces, as CSR ``(ptr[n+1], tensor)``."""
        return csr(self.tensor_producer, np.arange(self.tensor_count, dtype=np.int32), self.n)

    @cached_property
    def inputs(self) -> tuple[Ints, Ints]:
        """Tensors each op consumes, as CSR ``(ptr[n+1], tensor)``."""
        tensor = np.repeat(np.arange(self.tensor_count, dtype=np.int32), np.diff(self.consumer_ptr))
        return csr(self.consumer_idx, tensor, self.n)

    @cached_property
    def topological_order(self) -> Ints:
        """Ops in topological order, smallest index first among the ready ones (int32[n])."""
        import heapq

        ptr, idx = self.succs
        waiting = np.diff(self.preds[0]).astype(np.int64)
        ready = [int(v) for v in np.flatnonzero(waiting == 0)]
        order: list[int] = []
        ptr_list, idx_list = ptr.tolist(), idx.tolist()
        left = waiting.tolist()
        while ready:
            v = heapq.heappop(ready)
            order.append(v)
            for e in range(ptr_list[v], ptr_list[v + 1]):
                s = idx_list[e]
                left[s] -= 1
                if left[s] == 0:
                    heapq.heappush(ready, s)
        if len(order) < self.n:
            cycle = self._find_cycle({v for v in range(self.n) if left[v] > 0})
            path = " -> ".join(self.op_names[v] for v in cycle)
            raise ModelError(f"{self.name}: the graph has a cycle ({path}); only acyclic graphs can be split")
        return np.array(order, np.int32)

    def _find_cycle(self, stuck: set[int]) -> list[int]:
        """A cycle among ops that never became ready (each has a predecessor that never did either)."""
        ptr, idx = self.preds
        v = min(stuck)
        seen: dict[int, int] = {}
        path: list[int] = []
        while v not in seen:
            seen[v] = len(path)
            path.append(v)
            v = next(int(p) for p in idx[ptr[v] : ptr[v + 1]] if int(p) in stuck)
        cycle = [*path[seen[v] :][::-1]]
        if len(cycle) > 8:
            cycle = [*cycle[:4], *cycle[-4:]]
        return [*cycle, cycle[0]]

    @cached_property
    def ranks(self) -> Ints:
        """Longest path from a source, in edges (int32[n])."""
        rank = np.zeros(self.n, np.int32)
        ptr, idx = self.preds
        for v in self.topological_order:
            p = idx[ptr[v] : ptr[v + 1]]
            if len(p):
                rank[v] = rank[p].max() + 1
        return rank

    @property
    def depth(self) -> int:
        """Longest path in edges."""
        return int(self.ranks.max()) if self.n else 0

    @property
    def max_degree(self) -> int:
        """Largest in-degree."""
        return int(np.diff(self.preds[0]).max()) if self.n else 0

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Op id -> op index."""
        return {op: i for i, op in enumerate(self.op_ids)}

    def find(self, op: str) -> int:
        """The op with this id, else the only op with this name. Raises :class:`ModelError`."""
        if op in self.index:
            return self.index[op]
        named = [i for i, name in enumerate(self.op_names) if name == op]
        if len(named) == 1:
            return named[0]
        if named:
            ids = ", ".join(self.op_ids[i] for i in named[:4])
            raise ModelError(f"{self.name}: {len(named)} ops are called '{op}'; name one by its id ({ids})")
        import difflib

        near = difflib.get_close_matches(op, self.op_names, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise ModelError(f"{self.name} has no op '{op}'{hint}")

    def descendants(self, ops: Iterable[int]) -> Bools:
        """Mask of ops reachable from ``ops``, themselves excluded unless reachable (bool[n])."""
        return self._reach(ops, *self.succs)

    def ancestors(self, ops: Iterable[int]) -> Bools:
        """Mask of ops from which ``ops`` can be reached (bool[n])."""
        return self._reach(ops, *self.preds)

    def _reach(self, ops: Iterable[int], ptr: Ints, idx: Ints) -> Bools:
        seen = np.zeros(self.n, bool)
        stack = [int(v) for v in ops]
        while stack:
            v = stack.pop()
            for s in idx[ptr[v] : ptr[v + 1]].tolist():
                if not seen[s]:
                    seen[s] = True
                    stack.append(s)
        return seen

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of what the file gave: ids, kinds, structure, sizes and given times, not estimated ones."""
        if self.given_fingerprint:
            return self.given_fingerprint
        digest = hashlib.sha256()
        for texts in (self.op_ids, self.op_names, self.kinds):
            digest.update("\0".join(texts).encode())
            digest.update(b"\1")
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                digest.update(f.name.encode())
                digest.update(np.ascontiguousarray(value).tobytes())
        return digest.hexdigest()

    def with_times(self, work: Floats, work_cpu: Floats, cost_model: Any) -> Graph:
        """The same graph with all times known; it keeps the fingerprint of what the file gave."""
        for times in (work, work_cpu):
            times.setflags(write=False)
        given_work, given_work_cpu = self.given_times
        return replace(
            self,
            work=work,
            work_cpu=work_cpu,
            cost_model=cost_model,
            given_fingerprint=self.fingerprint,
            given_work=given_work,
            given_work_cpu=given_work_cpu,
        )

    @property
    def given_times(self) -> tuple[Floats, Floats]:
        """The times on an accelerator and on a CPU that the file gave (float64[n] each; NaN = estimated since)."""
        return (
            self.work if self.given_work is None else self.given_work,
            self.work_cpu if self.given_work_cpu is None else self.given_work_cpu,
        )

    @property
    def profiled(self) -> bool:
        """Whether every op has an accelerator and a CPU time."""
        return not (np.isnan(self.work).any() or np.isnan(self.work_cpu).any())


def _cost(value: Any, what: str) -> float:
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
