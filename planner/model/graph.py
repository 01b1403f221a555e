"""The computation graph: a DAG of operators whose output tensors are consumed by other operators.

A :class:`Graph` is a set of frozen arrays. Tensors are first-class: an operator may produce several (a `Split`, or a
producer whose consumers receive different parts), each with its own size and its own consumers. Costs that a file does
not give are NaN until :mod:`planner.model.cost_model` fills them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from multiprocessing.reduction import ForkingPickler
from typing import Any

import msgspec
import numpy as np

from planner.errors import ModelError
from planner.model import paths
from planner.model.fingerprint import fingerprint
from planner.model.ops import (  # fmt: skip
    LARGEST_COST,
    Floats,
    Op,
    Shared,
    Tensor,
    checked_shared,
    checked_tensors,
    costs,
    op_index,
    shared_notes,
)
from planner.model.paths import Bools, Ints
from planner.printable import escaped


def csr(keys: Ints, values: Ints, count: int) -> tuple[Ints, Ints]:
    """Group ``values`` by ``keys`` (0..count-1): returns ``(ptr[count+1], idx)``, values in their given order."""
    order = np.argsort(keys, kind="stable")
    ptr = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(keys, minlength=count), out=ptr[1:])
    return ptr, np.ascontiguousarray(values[order], dtype=np.int32)


_TEXTS = ("op_ids", "op_names", "kinds", "tensor_dtypes", "tensor_names")
COSTS = ("work", "work_cpu", "tensor_time")
"""Arrays of a graph that say what time things take; all others say what there is."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Which times of a graph's ops were measured. Arrays are bool[n] and float64[n].

    ``ops``: measured, alone or as part of a kernel; ``shared``: those of them whose time is a share of the kernel's that they are part of;
    ``spread``: half the distance between the quartiles of the runs, in seconds (NaN where not known). ``sources``: who measured, a line each.
    ``file``: the times on an accelerator and on a CPU that the model's file gives (NaN where it gives none), and their unit.
    ``scaled``: those of ``ops`` that nobody measured one by one: scaled so that stages of a plan take what they took in a run.
    """

    ops: Bools
    shared: Bools
    spread: Floats
    sources: tuple[str, ...]
    file: tuple[Floats, Floats, str | None]
    scaled: Bools

    @property
    def estimated(self) -> int:
        """How many ops have no measured time."""
        return int((~self.ops).sum())


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
    measured: Measured | None = None
    """Which of the given times were measured, and by whom; None where they come from the model's file alone."""
    device_times: tuple[tuple[str, Floats], ...] = ()
    """Times measured on single devices of a machine, by the device's name (float64[n], NaN where none was), in the order of the names."""
    scopes: tuple[str, ...] = ()
    """The path of each op's module (length n, "" for none), where the file tells them beside names; else ()."""
    own_names: tuple[str, ...] = ()
    """The ops' names in the file (length n) where :attr:`op_names` have scopes before them; else ()."""
    shared: tuple[Shared, ...] = ()
    """Parameters that several ops read; ``params`` and ``param_bytes`` count them at the first of them alone."""
    file_device_times: tuple[tuple[str, Floats], ...] | None = None
    """Those of them that the model's file gives, once profiles gave others; else None: all are the file's."""

    # ------------------------------------------------------------------ to other processes
    @cached_property
    def packed(self) -> bytes:
        """What other processes get, made once, for a large graph takes long: texts packed, and nothing that is found again from the rest at once."""
        state = {key: value for key, value in self.__dict__.items() if key != "index"}
        state |= {key: msgspec.msgpack.encode(state[key]) for key in _TEXTS}
        return bytes(ForkingPickler.dumps(state))

    def __getstate__(self) -> bytes:
        return self.packed

    def __setstate__(self, packed: bytes) -> None:
        state = ForkingPickler.loads(packed)
        self.__dict__.update(state | {key: tuple(msgspec.msgpack.decode(state[key])) for key in _TEXTS})

    # ------------------------------------------------------------------ building
    @staticmethod
    def build(
        name: str,
        ops: Sequence[Op],
        tensors: Iterable[Tensor],
        *,
        time_unit: str | None = "s",
        format: str = "graph",
        warnings: Collection[str] = (),
        read_options: Mapping[str, Any] | None = None,
        deployment: Mapping[str, float] | None = None,
        shared: Iterable[Shared] = (),
    ) -> Graph:
        """Validate and freeze. Raises :class:`ModelError` on duplicate or unknown ids, bad numbers, or a cycle."""
        name = escaped(name)  # a file's name may hold anything
        index = op_index(name, ops)
        held = checked_tensors(name, tensors, index)
        n = len(ops)
        scoped = any(op.scope for op in ops)
        memory = costs(name, ops, "memory", math.nan)
        param_bytes = costs(name, ops, "param_bytes", 0.0)
        held_by_several = checked_shared(name, shared, index, float(param_bytes.sum()))
        memory = np.where(np.isnan(memory), np.minimum(param_bytes + held.produced(n), LARGEST_COST), memory)
        graph = Graph(
            name=name,
            op_ids=tuple(op.id for op in ops),
            op_names=tuple(op.scoped_name for op in ops),
            kinds=tuple(op.kind for op in ops),
            work=costs(name, ops, "work", math.nan),
            work_cpu=costs(name, ops, "work_cpu", math.nan),
            params=costs(name, ops, "params", 0.0),
            param_bytes=param_bytes,
            macs=costs(name, ops, "macs", 0.0),
            memory=memory,
            supported=np.array([op.supported for op in ops], bool),
            backward=np.array([op.backward for op in ops], bool),
            colour_class=np.array(
                [-1 if op.colour_class is None else op.colour_class for op in ops], np.int32
            ),
            layer=np.array([-1 if op.layer is None else op.layer for op in ops], np.int32),
            model=np.zeros(n, np.int32),
            tensor_producer=held.producer,
            tensor_bytes=held.bytes,
            tensor_time=held.time,
            consumer_ptr=held.consumer_ptr,
            consumer_idx=held.consumer_idx,
            tensor_shapes=tuple(t.shape for t in held.given),
            tensor_dtypes=tuple(t.dtype for t in held.given),
            tensor_names=tuple(t.name for t in held.given),
            attrs=tuple(op.attrs for op in ops),
            model_names=(name,),
            time_unit=time_unit,
            format=format,
            warnings=(*warnings, *(note for note in shared_notes(held_by_several) if note not in warnings)),
            read_options=tuple(sorted((read_options or {}).items())),
            deployment=tuple(sorted((deployment or {}).items())),
            scopes=tuple(op.scope for op in ops) if scoped else (),
            own_names=tuple(op.name for op in ops) if scoped else (),
            shared=held_by_several,
        )
        graph.topological_order  # raises on a cycle  # noqa: B018
        for _, value in graph._named_arrays():
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
        """Distinct (producer, consumer) pairs, int32[e] each, sorted by producer, then consumer."""
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
        order = paths.topological_order(self.succs, self.preds)
        if len(order) < self.n:
            cycle = " -> ".join(self.op_names[v] for v in paths.cycle(self.preds, order))
            raise ModelError(
                f"{self.name}: the graph has a cycle ({cycle}); only acyclic graphs can be split"
            )
        return order

    @cached_property
    def ranks(self) -> Ints:
        """Longest path from a source, in edges (int32[n])."""
        return paths.longest_paths(self.preds, self.topological_order)

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
        return paths.reached(ops, self.succs)

    def ancestors(self, ops: Iterable[int]) -> Bools:
        """Mask of ops from which ``ops`` can be reached (bool[n])."""
        return paths.reached(ops, self.preds)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of what the file gave: ids, kinds, structure, sizes and given times, not estimated ones."""
        if self.given_fingerprint:
            return self.given_fingerprint
        times = ((f"device_times\0{device}", own) for device, own in self.device_times)
        return fingerprint((self.op_ids, self.file_names, self.kinds), [*self._named_arrays(), *times])

    @cached_property
    def structure(self) -> str:
        """SHA-256 (hex) of ids, kinds, connections and sizes, whatever the ops and transfers cost: equal for a model and its measured form."""
        costs = (*COSTS, "given_work", "given_work_cpu")
        arrays = ((name, values) for name, values in self._named_arrays() if name not in costs)
        return fingerprint((self.op_ids, self.file_names, self.kinds), arrays)

    def _named_arrays(self) -> Iterable[tuple[str, np.ndarray[Any, Any]]]:
        for f in fields(self):
            if isinstance(value := getattr(self, f.name), np.ndarray):
                yield f.name, value
        for one in self.shared:
            yield "\0".join(("shared", *one.ops)), np.array([one.params, one.param_bytes])

    def with_given_times(
        self, work: Floats, work_cpu: Floats, unit: str | None, measured: Measured | None
    ) -> Graph:
        """The same graph with other given times (float64[n] each, NaN where there is none), of which some were ``measured``.

        What was estimated before is gone.
        """
        for times in (work, work_cpu):
            times.setflags(write=False)
        return replace(
            self,
            work=work,
            work_cpu=work_cpu,
            time_unit=unit,
            cost_model=None,
            given_fingerprint="",
            given_work=None,
            given_work_cpu=None,
            measured=measured,
        )

    def with_device_times(self, times: Mapping[str, Floats]) -> Graph:
        """The same graph with other times measured on single devices, by name (float64[n] each, NaN where none was); what was estimated is gone."""
        work, work_cpu = self.given_times
        kept = {}
        for device in sorted(times):
            if not np.isnan(times[device]).all():
                kept[device] = times[device]
                kept[device].setflags(write=False)
        graph = self.with_given_times(work, work_cpu, self.time_unit, self.measured)
        return replace(graph, device_times=tuple(kept.items()))

    def with_times(self, work: Floats, work_cpu: Floats, cost_model: Any) -> Graph:
        """The same graph with all times (float64[n] each) known; it keeps the fingerprint of what the file gave."""
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
    def file_names(self) -> tuple[str, ...]:
        """The ops' names as the file has them, without the scopes that it tells beside them."""
        return self.own_names or self.op_names

    @property
    def profiled(self) -> bool:
        """Whether every op has an accelerator and a CPU time."""
        return not (np.isnan(self.work).any() or np.isnan(self.work_cpu).any())
