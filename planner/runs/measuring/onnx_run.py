"""Measuring ONNX models under onnxruntime.

onnxruntime runs kernels, not ops: neighbours are fused, constants folded, equal ops merged. Which ops a kernel contains follows from the
optimised model that it can write: a kernel computes all that its outputs need, back to tensors that other kernels give out.
Each run with profiling follows one without, so that both see the same machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.made_up import made_up
from planner.export.onnx.runtime import OnnxModel
from planner.export.onnx.source import OnnxSource
from planner.formats.onnx import shapes as onnx_shapes
from planner.formats.times.traces import kernels as kernel_events
from planner.model.cost_model import CostModel
from planner.model.graph import Graph
from planner.runs.measuring.timed import WARM_UP, Order, Timed
from planner.runs.measuring.undisturbed import undisturbed
from planner.temporary import temporary_folder

LEVEL: Literal["extended"] = "extended"
"""Optimisations: all but those that lay tensors out anew for one processor, whose kernels could not be told apart."""


def time_kernels(order: Order) -> Timed:
    """Run the model, with and without profiling in turn. Raises :class:`StageboardError` where it does not run."""
    import onnxruntime  # type: ignore[import-untyped]

    source = OnnxSource(order.model, batch=order.batch)
    graph = source.graph
    title = Path(order.model).name
    with temporary_folder("measure") as folder:
        optimised = str(folder / "optimised.onnx")
        plain = OnnxModel(order.model, title, optimised=LEVEL, threads=order.threads, written=optimised)
        profiled = OnnxModel(order.model, title, optimised=LEVEL, threads=order.threads, profile=str(folder))
        feed = made_up(plain, source.shapes, np.random.default_rng(order.seed), 1)[0]
        values = [feed[name] for name in plain.inputs]
        took: dict[str, list[float]] = {"plain": [], "profiled": []}
        processor: list[float] = []
        began = time.perf_counter()
        count = 0
        while count < WARM_UP or not order.enough(count - WARM_UP, time.perf_counter() - began):
            if count == WARM_UP:
                began = time.perf_counter()
            for name, model in (("plain", plain), ("profiled", profiled)):
                start, busy = time.perf_counter(), time.thread_time()
                model.run(values)
                if count >= WARM_UP:
                    took[name].append(time.perf_counter() - start)
                    if name == "plain":
                        processor.append(time.thread_time() - busy)
            count += 1
        events = json.loads(Path(profiled.end_profile()).read_text("utf-8"))
        nodes = onnx_shapes.load(optimised).graph.node
    runs: dict[str, list[float]] = {}
    for node, seconds, _ in kernel_events(events, title):
        runs.setdefault(node, []).append(seconds)
    often = {node: each for node, times in runs.items() if (each := _per_run(times, count)) is not None}
    if not often:
        raise StageboardError(f"{title} ran without a kernel that was timed; it has nothing to measure")
    names = list(often)
    kernels = np.array([often[name][WARM_UP:] for name in names])
    share, shared = shares(graph, names, {n.name: list(n.output) for n in nodes})
    wall = np.array(took["plain"])
    if order.threads == 1:
        kernels = undisturbed(kernels, wall, np.array(processor))
    return Timed(
        kernels, share, shared, wall, np.array(took["profiled"]), np.array(processor) if order.threads == 1 else wall,
        f"onnxruntime {onnxruntime.__version__}, {LEVEL} optimisations",
    )  # fmt: skip


def _per_run(seconds: Sequence[float], count: int) -> list[float] | None:
    """Seconds of each of ``count`` runs: a kernel inside a loop runs several times in each. None where they do not add up."""
    times, left = divmod(len(seconds), count)
    if times == 0 or left:
        return None
    return np.reshape(np.asarray(seconds), (count, times)).sum(axis=1).tolist()  # type: ignore[no-any-return]


def shares(graph: Graph, kernels: Sequence[str], outputs: Mapping[str, Iterable[str]]) -> tuple[Any, Any]:
    """How kernels are made up of ops: (float64[n, kernels], bool[n]); ``outputs`` are the tensors that each kernel gives out, by name.

    An op has a share of each kernel that contains it in proportion to its estimated time on a CPU.
    """
    estimate = CostModel().estimate(graph)[1]
    made_by = {name: int(graph.tensor_producer[t]) for t, name in enumerate(graph.tensor_names) if name}
    given_out = {name for names in outputs.values() for name in names}
    ends = {made_by[name] for name in given_out if name in made_by}
    # Inputs are no part of any kernel.
    ends |= {v for v in range(graph.n) if graph.kinds[v] == "Input"}
    ptr, idx = graph.preds
    share = np.zeros((graph.n, len(kernels)))
    shared = np.zeros(graph.n, bool)
    for k, kernel in enumerate(kernels):
        inside: dict[int, None] = {made_by[name]: None for name in outputs.get(kernel, ()) if name in made_by}
        waiting = list(inside)
        while waiting:
            v = waiting.pop()
            for u in idx[ptr[v] : ptr[v + 1]].tolist():
                if u not in inside and u not in ends:
                    inside[u] = None
                    waiting.append(u)
        ops = np.fromiter(inside, np.int64)
        if len(ops):
            weight = estimate[ops]
            total = float(weight.sum())
            share[ops, k] = weight / total if total > 0 else 1.0 / len(ops)
            shared[ops] |= len(ops) > 1
    return share, shared
