"""Traces in Chrome's format: profiles of onnxruntime and of torch.profiler.

onnxruntime records each kernel as an event of category ``Node`` named ``NODE_kernel_time``, one for each run; of a kernel that computes
several nodes it keeps the name of one. torch records an event for each call; those that carry the name of an op of the model are its
times (``record_function``, or an exporter that names ops after modules).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from planner.errors import ModelError
from planner.formats.times.samples import checked, op_times
from planner.model.times import Device, OpTimes
from planner.printable import escaped

KERNEL = "_kernel_time"
MICROSECONDS = 1e-6
CALLS = frozenset({"cpu_op", "user_annotation", "gpu_user_annotation", "python_function", "kernel"})
"""Categories of torch's events that stand for work of an op."""


def events_of(value: Any) -> list[Any] | None:
    """The events of a trace; None where a JSON value is none."""
    events = value.get("traceEvents") if isinstance(value, dict) else value
    if isinstance(events, list) and any(isinstance(e, dict) and "ph" in e for e in events[:50]):
        return events
    return None


def is_onnxruntime(events: list[Any]) -> bool:
    """Whether a trace has kernels of onnxruntime."""
    return any(
        isinstance(e, dict) and e.get("cat") == "Node" and str(e.get("name", "")).endswith(KERNEL)
        for e in events
    )


def kernels(events: list[Any], file: str) -> Iterator[tuple[str, float, str]]:
    """(node, seconds, provider) of each run of each kernel of onnxruntime. Raises :class:`ModelError`."""
    for event in events:
        name = event.get("name") if isinstance(event, dict) else None
        if not isinstance(name, str) or event.get("cat") != "Node" or not name.endswith(KERNEL):
            continue
        node = escaped(name.removesuffix(KERNEL))
        details = event.get("args")
        provider = str(details.get("provider", "")) if isinstance(details, dict) else ""
        yield (
            node,
            checked(event.get("dur"), f"{file}: the duration of '{node}'") * MICROSECONDS,
            escaped(provider),
        )


def of_onnxruntime(events: list[Any], file: str) -> OpTimes:
    """A profile that onnxruntime wrote. Raises :class:`ModelError`."""
    runs: defaultdict[str, list[float]] = defaultdict(list)
    providers: dict[str, None] = {}
    for node, seconds, provider in kernels(events, file):
        runs[node].append(seconds)
        if provider:
            providers[provider] = None
    device: Device = "cpu" if list(providers) == ["CPUExecutionProvider"] else "accelerator"
    source = f"onnxruntime, {', '.join(providers) or 'unknown provider'} ({file})"
    return OpTimes(op_times(runs), file, source, device, complete=True)


def of_torch(events: list[Any], file: str) -> OpTimes:
    """A profile that torch.profiler exported. Raises :class:`ModelError` where it has no calls."""
    runs: defaultdict[str, list[float]] = defaultdict(list)
    for event in events:
        if not isinstance(event, dict) or event.get("ph") != "X":
            continue
        name, kind = event.get("name"), event.get("cat")
        if isinstance(kind, str) and kind in CALLS and isinstance(name, str) and name:
            runs[escaped(name)].append(
                checked(event.get("dur"), f"{file}: the duration of '{escaped(name)}'") * MICROSECONDS
            )
    if not runs:
        raise ModelError(
            f"{file} is a trace without calls of ops; export one of onnxruntime or torch.profiler"
        )
    return OpTimes(op_times(runs), file, f"torch.profiler ({file})")
