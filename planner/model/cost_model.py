"""Times of ops that a file gives no profile for: a roofline estimate from multiply-accumulates and bytes moved.

An op's time on a device is ``max(2 * macs / flops, bytes / bandwidth) + overhead`` (Williams, Waterman and Patterson,
"Roofline: an insightful visual performance model", Communications of the ACM 52(4), 2009): one multiply-accumulate is
two floating-point operations, and ``bytes`` is what crosses the device's memory interface: parameters, tensors read and
tensors written. Three kinds of op are special:

* inputs, parameters and constants take no time;
* ops that only relabel a tensor (`Reshape`, `Flatten`, `Identity` and the like; `Dropout` at inference) move nothing and
  take the overhead;
* look-ups (`Gather`, `Embedding`) read the rows they return, not the whole table.

Calibrated rates (:mod:`planner.runs.calibration`) are told apart by groups of kinds (:mod:`planner.model.kind_groups`): an op of a group
that has rates of its own is estimated by these, all others by the rates of its kind of device.

A time that a file gives is kept. Where it gives one of an op's two times, the other is that time multiplied by the ratio
of the op's two estimates (of the two peak rates for an op without multiply-accumulates and bytes). The estimates ignore
caches, fusion and how well a kernel fits its device: they rank splits, they do not predict milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from planner.errors import ModelError, StageboardError
from planner.model.graph import Floats, Graph, Ints
from planner.model.kind_groups import GROUPS, LOOKUP, NO_WORK, RELABELLING, group_of
from planner.printable import clean, shown
from planner.quantity import time_text
from planner.text_table import large


def _setting(default: float, label: str, unit: str, help: str, *, zero: bool = False) -> Any:
    metadata = {"label": label, "unit": unit, "help": help, "zero": zero, "group": "Rates"}
    return field(default=default, metadata=metadata)


class Rates(NamedTuple):
    """How fast a device is: floating-point operations and bytes a second, and seconds to start an op."""

    flops: float
    bandwidth: float
    overhead: float

    def seconds(self, flops: Floats, moved: Floats) -> Floats:
        """The roofline time of ops (float64[n]) of so many floating-point operations and bytes moved (float64[n] each)."""
        return np.maximum(flops / self.flops, moved / self.bandwidth) + self.overhead


class RatesSource(NamedTuple):
    """Whose rates these are: a named machine (:mod:`planner.model.named_machines`), who says so, and when."""

    machine: str
    source: str
    date: str


Groups = tuple[tuple[str, Rates], ...]
"""Rates by group of kinds, for groups that have rates of their own."""
UNSEEN = {"form": False}
"""Metadata of fields that no form of single values shows."""
SIDES = ("accelerator", "cpu")
"""The kinds of devices that have rates."""


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
    accelerator_groups: Groups = field(default=(), metadata=UNSEEN)
    cpu_groups: Groups = field(default=(), metadata=UNSEEN)
    accelerator_source: RatesSource | None = field(default=None, compare=False, metadata=UNSEEN)
    """Whose rates the accelerator's are; None for the default's, and for rates of one's own."""
    cpu_source: RatesSource | None = field(default=None, compare=False, metadata=UNSEEN)

    def __post_init__(self) -> None:
        for f in rate_fields():
            value = getattr(self, f.name)
            what = f"{f.metadata['label']} ({f.metadata['unit']})"
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise StageboardError(f"{what} is {value!r}; it must be a number")
            low = 0.0 if f.metadata["zero"] else 1.0
            if not low <= value <= 1e24:
                said = f"{float(value):g}" if abs(value) <= 1e300 else "too large a number"
                raise StageboardError(f"{what} is {said}; it must be from {low:g} to 1e24")
            object.__setattr__(self, f.name, float(value))

    def rates(self, side: str) -> Rates:
        """The rates of a kind of device, of :data:`SIDES`."""
        return Rates(*(getattr(self, f"{side}_{name}") for name in Rates._fields))

    def groups(self, side: str) -> Groups:
        """The rates by group of kinds of a kind of device."""
        groups: Groups = getattr(self, f"{side}_groups")
        return groups

    def source(self, side: str) -> RatesSource | None:
        """Whose rates a kind of device has; None where no machine is named."""
        source: RatesSource | None = getattr(self, f"{side}_source")
        return source

    def with_rates(self, side: str, rates: Rates, groups: Groups, source: RatesSource | None) -> CostModel:
        """The same but for one kind of device. Raises :class:`StageboardError` where a rate is impossible."""
        changes: dict[str, Any] = {f"{side}_{name}": value for name, value in rates._asdict().items()}
        changes |= {f"{side}_groups": groups, f"{side}_source": source}
        return replace(self, **changes)

    def numbers(self) -> dict[str, Any]:
        """JSON-ready: all that estimates depend on, so that cost models with equal numbers give equal times."""
        groups = {side: groups_dict(self.groups(side)) for side in SIDES if self.groups(side)}
        return {
            **{f.name: getattr(self, f.name) for f in rate_fields()},
            **({"groups": groups} if groups else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: rates in SI units by field, rates by group of kinds, and the machines whose rates they are."""
        machines = {side: source._asdict() for side in SIDES if (source := self.source(side)) is not None}
        return {**self.numbers(), **({"machines": machines} if machines else {})}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> CostModel:
        """The inverse of :meth:`to_dict`; fields left out have their defaults. Raises :class:`StageboardError`."""
        if not isinstance(values, Mapping):
            raise StageboardError(f"a cost model must be an object, not {type(values).__name__}")
        known = [f.name for f in rate_fields()]
        given = {name: value for name, value in values.items() if name not in ("groups", "machines")}
        for name in given:
            if name not in known:
                raise StageboardError(f"a cost model has no parameter '{name}'; it has {', '.join(known)}")
        model = CostModel(**given)
        groups, machines = (_by_side(values.get(name, {}), name) for name in ("groups", "machines"))
        for side in SIDES:
            source = source_from(machines[side]) if side in machines else None
            own = groups_from(groups[side], "a cost model") if side in groups else ()
            model = model.with_rates(side, model.rates(side), own, source)
        return model

    def estimate(self, graph: Graph) -> tuple[Floats, Floats]:
        """Seconds of every op on an accelerator and on a CPU (float64[n] each), whatever the file gives."""
        moved, flops = bytes_moved(graph), 2.0 * graph.macs
        works = np.array([0 if k in NO_WORK else 1 for k in graph.kinds], float)
        accelerator, cpu = (self.rates(side).seconds(flops, moved) for side in SIDES)
        if self.accelerator_groups or self.cpu_groups:
            of = np.array([group_of(kind) for kind in graph.kinds])
            for seconds, side in ((accelerator, "accelerator"), (cpu, "cpu")):
                for group, rates in self.groups(side):
                    here = of == group
                    seconds[here] = rates.seconds(flops[here], moved[here])
        return works * accelerator, works * cpu


def rate_fields() -> tuple[Any, ...]:
    """The fields of a :class:`CostModel` that are rates of its two kinds of devices."""
    return tuple(f for f in fields(CostModel) if "unit" in f.metadata)


def checked_rates(values: Any, where: str) -> Rates:
    """Rates as a file gives them, an object of three numbers; ``where`` is what sentences call it. Raises :class:`StageboardError`."""
    names = Rates._fields
    if not isinstance(values, Mapping) or set(values) != set(names):
        raise StageboardError(
            f"{where}: rates must have {', '.join(names[:-1])} and {names[-1]}, and nothing else"
        )
    checked = CostModel(**{f"cpu_{name}": values[name] for name in names})
    return checked.rates("cpu")


def groups_dict(groups: Groups) -> dict[str, dict[str, float]]:
    """Rates by group of kinds as JSON."""
    return {group: rates._asdict() for group, rates in groups}


def groups_from(values: Any, where: str) -> Groups:
    """The inverse of :func:`groups_dict`. Raises :class:`StageboardError`."""
    if not isinstance(values, Mapping):
        raise StageboardError(f"{where}: groups must be an object, with rates by group of kinds")
    for group in values:
        if group not in GROUPS:
            raise StageboardError(
                f"{where} has the unknown group {shown(group)}; the groups are {', '.join(GROUPS)}"
            )
    return tuple(
        (group, checked_rates(values[group], f"{where}, {group}")) for group in GROUPS if group in values
    )


def source_from(values: Any) -> RatesSource:
    """Whose rates these are, as JSON says. Raises :class:`StageboardError`."""
    names = RatesSource._fields
    if not isinstance(values, Mapping) or not all(isinstance(values.get(name), str) for name in names):
        raise StageboardError(f"a cost model's machine must have {', '.join(names)}, as text")
    return RatesSource(*(clean(values[name]) for name in names))


def _by_side(values: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(values, Mapping) or not set(values) <= set(SIDES):
        raise StageboardError(f"a cost model's {what} must be an object with {' and '.join(SIDES)}")
    return values


def bytes_moved(graph: Graph) -> Floats:
    """Bytes each op reads and writes (float64[n]) as far as that takes time: :func:`bytes_touched`, of lookups what they find, of ops that
    only relabel, bring or take tensors nothing."""
    produced, moved = _tensor_bytes(graph, graph.outputs), bytes_touched(graph)
    kinds = np.array(graph.kinds)
    looked_up = np.isin(kinds, sorted(LOOKUP))
    moved[looked_up] = np.minimum(moved, 2.0 * produced)[looked_up]
    moved[np.isin(kinds, sorted(RELABELLING | NO_WORK))] = 0.0
    return moved


def bytes_touched(graph: Graph) -> Floats:
    """Bytes of what each op reads and writes (float64[n]): parameters, whoever counts them, input tensors and output tensors, each once."""
    read = graph.param_bytes.copy()
    for one in graph.shared:
        for op in one.ops[1:]:
            read[graph.index[op]] += one.param_bytes
    return read + _tensor_bytes(graph, graph.outputs) + _tensor_bytes(graph, graph.inputs)


def _tensor_bytes(graph: Graph, of: tuple[Ints, Ints]) -> Floats:
    """Bytes of all inputs or outputs of each op (float64[n]); ``of`` are their pointers and tensors."""
    ptr, idx = of
    ops = np.repeat(np.arange(graph.n), np.diff(ptr))
    return np.bincount(ops, graph.tensor_bytes[idx], graph.n).astype(np.float64)


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


def rates_text(rates: Rates) -> str:
    """``8.1 TFLOP/s, 320 GB/s, 5.00 us an op``."""
    return f"{_rate(rates.flops)}FLOP/s, {_rate(rates.bandwidth)}B/s, {time_text(rates.overhead, 's')} an op"


def _rate(value: float) -> str:
    """A rate with its prefix: ``8.1 T``."""
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= scale:
            return f"{value / scale:.4g} {prefix}"
    return f"{large(value)} "
