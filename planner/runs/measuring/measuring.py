"""Measuring a model: every op's time on this computer, in a process of its own.

What runs a model may crash on it, and takes memory: nothing of it stays with the caller.
"""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable
from pathlib import Path

import numpy as np

from planner.errors import StageboardError
from planner.export.stages.child import in_child
from planner.formats import read_graph
from planner.formats.times.samples import op_time
from planner.model.graph import Graph
from planner.model.times import OpTimes
from planner.runs.measuring.onnx_run import time_kernels
from planner.runs.measuring.tflite_run import time_operators
from planner.runs.measuring.timed import RUNNABLE, Order, Timed


def measure(order: Order, stopped: Callable[[], bool] | None = None) -> OpTimes:
    """The times of a model's ops on this computer. Raises :class:`StageboardError`, and as :func:`in_child` where ``stopped`` says so."""
    path = Path(order.model)
    suffix = path.suffix.lower()
    if suffix not in RUNTIMES:
        raise StageboardError(
            f"{path.name} cannot be run here, so that nothing can be measured; choose an ONNX or a TFLite model"
        )
    graph = read_graph(path, batch=order.batch)

    def crashed(status: int | None) -> StageboardError:
        return StageboardError(
            f"{path.name} ended the program that ran it (status {status}); it cannot be measured"
        )

    timed = in_child(RUNTIMES[suffix], order, crashed=crashed, stopped=stopped)
    return _times(order, graph, timed)


RUNTIMES: dict[str, Callable[[Order], Timed]] = dict(
    zip(RUNNABLE, (time_kernels, time_operators), strict=True)
)
"""What measures models of each kind of file, inside its process."""


def _times(order: Order, graph: Graph, timed: Timed) -> OpTimes:
    """The profile of what was measured; ops that the runtime left out take no time, as part of another's kernel."""
    each = timed.share @ timed.kernels
    inside = timed.share.sum(axis=1) > 0
    ops = {
        graph.op_ids[v]: op_time(each[v].tolist(), bool(timed.shared[v] or not inside[v]))
        for v in range(graph.n)
    }
    kernels = np.median(timed.kernels, axis=1)
    total, of_ops = float(kernels.sum()), float(timed.share.sum(axis=0) @ kernels)
    plain = float(np.median(timed.plain))
    threads = f"{order.threads} thread{'' if order.threads == 1 else 's'}"
    machine, today = processor(), datetime.date.today().isoformat()
    return OpTimes(
        ops=ops,
        file=Path(order.model).name,
        source=f"{timed.runtime}, {threads}, {machine}, {today}",
        device="cpu",
        model=graph.name,
        structure=graph.structure,
        seconds_sum=total,
        seconds_run=plain,
        about={
            "machine": machine,
            "date": today,
            "runtime": timed.runtime,
            "threads": order.threads,
            "batch": order.batch,
            "runs": timed.kernels.shape[1],
            "joined": of_ops / total if total > 0 else 1.0,
            "processor": float(np.median(timed.processor)),
            "op_sum": sum(time.seconds for time in ops.values()),
            "profiling": float(np.median(timed.profiled)) / plain - 1.0 if plain > 0 else 0.0,
        },
    )


def processor() -> str:
    """What this computer's processor calls itself."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.processor() or platform.machine() or os.name
