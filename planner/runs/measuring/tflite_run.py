"""Measuring TFLite models under LiteRT.

The interpreter says nothing of single operators. Each is cut out as a model of its own and run on what the whole model gives it, with the
same kernels: without delegates operators are never fused, so they take as long alone. Runs of the whole model come between, so
that both see the same machine. What is timed has just run: a stage that runs sample after sample finds its weights and tensors in the processor's caches,
while a small model that ran after all others would wait for memory. A call takes some microseconds of its own: neighbours are cut out as one model, too, and what two calls take longer than
the one of both is a call. That much is taken off each operator.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.export.tflite.cut import Cutter, Stage
from planner.export.tflite.made_up import INTEGERS_BELOW, random_input
from planner.export.tflite.runtime import TfliteModel
from planner.export.tflite.schema import load, pack
from planner.files import read_bytes
from planner.formats import read_graph
from planner.formats.tflite.names import operator_of
from planner.model.graph import Floats
from planner.runs.measuring.timed import WARM_UP, Order, Timed

_LIMIT = 2**31 - 1


def time_operators(order: Order) -> Timed:
    """Run each operator, and the whole model, in turn. Raises :class:`StageboardError` where the model does not run."""
    graph = read_graph(order.model, batch=order.batch)
    title = Path(order.model).name
    places = {v: at[1] for v, op in enumerate(graph.op_ids) if (at := operator_of(op)) is not None}
    data = read_bytes(order.model, _LIMIT, remedy="a TFLite model cannot be larger")
    cutter = Cutter(load(data, title), title)
    ops = sorted(places, key=places.__getitem__)
    stages = cutter.stages([[places[v]] for v in ops])
    pairs = cutter.stages([[places[v] for v in ops[i : i + 2]] for i in range(0, len(ops), 2)])
    feed = made_up_feed(data, title, order)
    whole = TfliteModel(data, title, inner=True, threads=order.threads)
    whole.run(feed)
    inner = dict(zip(cutter.inputs, feed, strict=True))

    def part(stage: Stage) -> TfliteModel:
        """A stage that has run once, on what the whole model gives it."""
        what = f"operators {', '.join(map(str, stage.operators))} of {title}"
        made = TfliteModel(pack(cutter.model_of(stage, what)), what, threads=order.threads)
        made.run([np.array(inner[t] if t in inner else whole.tensor(t)) for t in stage.inputs])
        return made

    single, double = [part(stage) for stage in stages], [part(stage) for stage in pairs]
    plain = TfliteModel(data, title, threads=order.threads)
    plain.run(feed)
    took, processor, seconds, together = (
        list[float](),
        list[float](),
        list[list[float]](),
        list[list[float]](),
    )
    # The processor time of one thread, in which other programs have no part.
    clock = time.thread_time if order.threads == 1 else time.perf_counter
    began, count = time.perf_counter(), 0
    while count < WARM_UP or not order.enough(count - WARM_UP, time.perf_counter() - began):
        if count == WARM_UP:
            began = time.perf_counter()
        run, busy = plain.seconds(), plain.seconds(clock)
        each, both = [again(one, clock) for one in single], [again(two, clock) for two in double]
        if count >= WARM_UP:
            took.append(run)
            processor.append(busy)
            seconds.append(each)
            together.append(both)
        count += 1
    if not single:
        raise StageboardError(f"{title} has no operators; it has nothing to measure")
    share = np.zeros((graph.n, len(ops)))
    share[ops, np.arange(len(ops))] = 1.0
    # Constants that an operator reads through others are computed within it.
    shared = np.zeros(graph.n, bool)
    shared[[v for v, stage in zip(ops, stages, strict=True) if len(stage.operators) > 1]] = True
    kernels = np.array(seconds).T
    kernels = np.maximum(kernels - call_seconds(kernels, np.array(together).T), 0.0)
    return Timed(
        kernels, share, shared, np.array(took), np.array(took), np.array(processor),
        f"LiteRT {metadata.version('ai-edge-litert')}, no delegates"
    )  # fmt: skip


def again(part: TfliteModel, clock: Callable[[], float]) -> float:
    """What a run of ``part`` takes by ``clock`` right after another one, its weights and tensors in the caches."""
    part.seconds()
    return part.seconds(clock)


def call_seconds(single: Floats, pairs: Floats) -> float:
    """What a call takes of its own: how much longer two neighbours take than a model of both, the median over all pairs.

    ``single`` float64[operators, runs], ``pairs`` float64[ceil(operators / 2), runs]: seconds of each run; the last pair may be a single one.
    """
    each = np.median(single, axis=1)
    whole = len(each) // 2
    if whole == 0:
        return 0.0
    extra = each[: 2 * whole].reshape(-1, 2).sum(axis=1) - np.median(pairs[:whole], axis=1)
    return float(np.clip(np.median(extra), 0.0, each.min()))


def made_up_feed(data: bytes, title: str, order: Order) -> list[Any]:
    """Made-up inputs on which the model runs."""
    rng, error = np.random.default_rng(order.seed), StageboardError(f"{title} cannot be run")
    for below in INTEGERS_BELOW:
        try:
            whole = TfliteModel(data, title)
            feed = [random_input(detail, f"{i}", below, rng) for i, detail in enumerate(whole.inputs)]
            if order.batch > 1:
                feed = [
                    np.repeat(value, order.batch, axis=0) if value.shape[:1] == (1,) else value
                    for value in feed
                ]
            whole.run(feed)
            return feed
        except StageboardError as problem:
            error = problem
    raise error
