"""Times of ops that a file gives no profile for: a roofline estimate from multiply-accumulates and bytes moved.

An op's time on a device is ``max(2 * macs / flops, bytes / bandwidth) + overhead`` (Williams, Waterman and Patterson,
"Roofline: an insightful visual performance model", Communications of the ACM 52(4), 2009): one multiply-accumulate is
two floating-point operations, and ``bytes`` is what crosses the device's memory interface: parameters, tensors read and
tensors written. Three kinds of op are special:

* inputs, parameters and constants take no time;
* ops that only relabel a tensor (`Reshape`, `Flatten`, `Identity` and the like; `Dropout` at inference) move nothing and
  take the overhead;
* look-ups (`Gather`, `Embedding`) read the rows they return, not the whole table.

A time that a file gives is kept. Where it gives one of an op's two times, the other is that time multiplied by the ratio
of the op's two estimates (of the two peak rates for an op without multiply-accumulates and bytes). The estimates ignore
caches, fusion and how well a kernel fits its device: they rank splits, they do not predict milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from planner.errors import ModelError, StageboardError
from planner.model.graph import Floats, Graph

NO_WORK = frozenset({"Input", "InputLayer", "Placeholder", "Parameter", "Constant", "Const", "Output"})
"""Kinds that take no time."""
RELABELLING = frozenset(
    {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "ExpandDims", "Shape", "Size"}
    | {"SpatialDropout2D", "ActivityRegularization", "StopGradient", "Optional", "OptionalGetElement"}
)
"""Kinds that move no data."""
LOOKUP = frozenset({"Gather", "GatherND", "GatherElements", "Embedding", "EmbeddingLookup"})
"""Kinds that read only the rows they return."""


def _setting(default: float, label: str, unit: str, help: str, *, zero: bool = False) -> Any:
    metadata = {"label": label, "unit": unit, "help": help, "zero": zero}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class CostModel:
    """Peak rates of the two device kinds. Each field's metadata (``label``, ``unit``, ``help``) is for settings forms.

    The accelerator's defaults are the data-sheet figures of an inference card of 2018 (NVIDIA T4: 8.1 TFLOP/s in single
    precision, 320 GB/s); the CPU's are about eight AVX2 cores at 3 GHz at half their peak and two DDR4-2666 channels.
    """

    accelerator_flops: float = _setting(
        8.1e12,
        "Accelerator compute",
        "FLOP/s",
        "floating-point operations an accelerator finishes per second",
    )
    accelerator_bandwidth: float = _setting(
        320e9, "Accelerator memory", "B/s", "bytes an accelerator moves to and from its own memory per second"
    )
    accelerator_overhead: float = _setting(
        5e-6, "Accelerator overhead", "s", "time to start one op on an accelerator", zero=True
    )
    cpu_flops: float = _setting(
        400e9, "CPU compute", "FLOP/s", "floating-point operations a CPU finishes per second"
    )
    cpu_bandwidth: float = _setting(
        40e9, "CPU memory", "B/s", "bytes a CPU moves to and from memory per second"
    )
    cpu_overhead: float = _setting(2e-6, "CPU overhead", "s", "time to start one op on a CPU", zero=True)

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            what = f"{f.metadata['label']} ({f.metadata['unit']})"
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise StageboardError(f"{what} is {value!r}; it must be a number")
            low = 0.0 if f.metadata["zero"] else 1.0
            if not low <= value <= 1e24:
                said = f"{float(value):g}" if abs(value) <= 1e300 else "too large a number"
                raise StageboardError(f"{what} is {said}; it must be from {low:g} to 1e24")
            object.__setattr__(self, f.name, float(value))

    def to_dict(self) -> dict[str, float]:
        """JSON-ready: field name -> value in SI units."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> CostModel:
        """The inverse of :meth:`to_dict`; fields left out have their defaults. Raises :class:`StageboardError`."""
        if not isinstance(values, Mapping):
            raise StageboardError(f"a cost model must be an object, not {type(values).__name__}")
        known = [f.name for f in fields(CostModel)]
        for name in values:
            if name not in known:
                raise StageboardError(f"a cost model has no parameter '{name}'; it has {', '.join(known)}")
        return CostModel(**values)

    def estimate(self, graph: Graph) -> tuple[Floats, Floats]:
        """Seconds of every op on an accelerator and on a CPU (float64[n] each), whatever the file gives."""
        moved = bytes_moved(graph)
        kinds = np.array([0 if k in NO_WORK else 1 for k in graph.kinds], float)
        flops = 2.0 * graph.macs
        accelerator = np.maximum(flops / self.accelerator_flops, moved / self.accelerator_bandwidth)
        cpu = np.maximum(flops / self.cpu_flops, moved / self.cpu_bandwidth)
        return kinds * (accelerator + self.accelerator_overhead), kinds * (cpu + self.cpu_overhead)


def bytes_moved(graph: Graph) -> Floats:
    """Bytes each op reads and writes (float64[n]): parameters, input tensors and output tensors, each once."""
    ptr, idx = graph.outputs
    produced = np.bincount(np.repeat(np.arange(graph.n), np.diff(ptr)), graph.tensor_bytes[idx], graph.n)
    ptr, idx = graph.inputs
    consumed = np.bincount(np.repeat(np.arange(graph.n), np.diff(ptr)), graph.tensor_bytes[idx], graph.n)
    moved = graph.param_bytes + produced + consumed
    kinds = np.array(graph.kinds)
    looked_up = np.isin(kinds, sorted(LOOKUP))
    moved[looked_up] = np.minimum(moved, 2.0 * produced)[looked_up]
    moved[np.isin(kinds, sorted(RELABELLING | NO_WORK))] = 0.0
    return moved


def fill(graph: Graph, cost_model: CostModel | None = None) -> Graph:
    """``graph`` with every time known, so that it is ``profiled``; times its file gives are kept.

    A graph whose file gives all times comes back as it is, without a cost model. A graph filled before is filled anew
    from what its file gave. Where a file gives no time at all the unit becomes seconds. Raises :class:`ModelError` where
    a file gives times without a unit but leaves an op without any: seconds cannot be mixed with an unknown unit.
    """
    cost_model = cost_model or CostModel()
    given, given_cpu = graph.given_times
    lacks, lacks_cpu = np.isnan(given), np.isnan(given_cpu)
    if not (lacks | lacks_cpu).any():
        return graph
    neither = lacks & lacks_cpu
    if graph.time_unit is None and not neither.all() and neither.any():
        op = graph.op_names[int(np.flatnonzero(neither)[0])]
        raise ModelError(
            f"{graph.name}: {int(neither.sum())} of {graph.n} ops have no time ('{op}') while others have one in an unknown"
            ' unit; give all ops a time or set the file\'s time_unit to "s"'
        )
    estimate, estimate_cpu = cost_model.estimate(graph)
    peak_ratio = cost_model.accelerator_flops / cost_model.cpu_flops
    countable = (graph.macs > 0) | (bytes_moved(graph) > 0)
    usable = countable & (estimate > 0) & (estimate_cpu > 0)
    ratio = np.full(graph.n, peak_ratio)
    np.divide(estimate_cpu, estimate, out=ratio, where=usable)
    work = np.where(lacks, np.where(neither, estimate, given_cpu / ratio), given)
    work_cpu = np.where(lacks_cpu, np.where(neither, estimate_cpu, given * ratio), given_cpu)
    if neither.all() and graph.time_unit is None:
        graph = replace(graph, time_unit="s")
    return graph.with_times(work, work_cpu, cost_model)
