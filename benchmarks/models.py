"""The graphs that are measured: a sample, real workloads where they lie beside the checkout, else graphs of their size."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from planner.model.graph import Graph, Op, Tensor

ROOT = Path(__file__).resolve().parents[1]
WORKLOADS = ROOT.parent / "shared" / "workloads" / "device-placement" / "throughput" / "OperatorGraphs"
RESNET = ROOT / "sample_models" / "resnet50.json"
BERT = WORKLOADS / "bert_l-12_inference.json"
TRAINING = WORKLOADS / "bert_L-12_training.json"


def layered(n: int, training: bool = False, width: int = 4, seed: int = 1) -> Graph:
    """``n`` ops in layers of ``width`` with skips, one hub that feeds 24 layers, and a backward half if ``training``."""
    rng = np.random.default_rng(seed)
    half = n // 2 if training else n
    ops = [
        Op(f"n{i}", f"layer{i // (4 * width)}/op{i}", ("MatMul", "Add", "Softmax", "Mul")[i % 4],
           work=float(rng.uniform(0.1, 2.0)), work_cpu=float(rng.uniform(2.0, 20.0)), memory=float(rng.uniform(1, 9)),
           backward=i >= half, colour_class=(i if i < half else n - 1 - i) if training else None)
        for i in range(n)
    ]  # fmt: skip
    consumers: list[list[int]] = [[] for _ in range(n)]
    for i in range(1, n):
        for back in {1, int(rng.integers(1, 3 * width))}:
            if i - back >= 0:
                consumers[i - back].append(i)
        if training and i >= half and rng.random() < 0.5:
            consumers[n - 1 - i].append(i)
    consumers[0].extend(range(2 * width, half, max(1, half // 24)))
    tensors = [
        Tensor(f"n{i}", tuple(f"n{c}" for c in sorted(set(out))), float(rng.uniform(1e3, 1e6)), time=float(rng.uniform(0, 0.2)))
        for i, out in enumerate(consumers)
        if out
    ]  # fmt: skip
    machine = {"accelerators": 6, "cpus": 1}
    return Graph.build(f"synthetic {n} ops", ops, tensors, time_unit=None, deployment=machine)


def chained(graph: Graph, copies: int) -> Graph:
    """``copies`` of a graph, the last op of each feeding the first of the next."""
    ops: list[Op] = []
    tensors: list[Tensor] = []
    everything = np.arange(graph.n)
    first, last = _spine(graph, everything, last=False), _spine(graph, everything)
    for c in range(copies):
        for v in range(graph.n):
            ops.append(
                Op(
                    f"{c}:{graph.op_ids[v]}", f"copy{c}/{graph.op_names[v]}", graph.kinds[v], work=float(graph.work[v]),
                    work_cpu=float(graph.work_cpu[v]), memory=float(graph.memory[v]), supported=bool(graph.supported[v]),
                    backward=bool(graph.backward[v]),
                    colour_class=None if graph.colour_class[v] < 0 else int(graph.colour_class[v]) + 100_000 * c,
                    layer=None if graph.layer[v] < 0 else int(graph.layer[v]) + 1000 * c,
                )
            )  # fmt: skip
        for t in range(graph.tensor_count):
            out = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
            time = float(graph.tensor_time[t])
            tensors.append(
                Tensor(
                    f"{c}:{graph.op_ids[graph.tensor_producer[t]]}", tuple(f"{c}:{graph.op_ids[u]}" for u in out),
                    float(graph.tensor_bytes[t]), time=None if np.isnan(time) else time,
                )
            )  # fmt: skip
        if c + 1 < copies and not graph.backward.any():
            tensors.append(
                Tensor(f"{c}:{graph.op_ids[last]}", (f"{c + 1}:{graph.op_ids[first]}",), 1024.0, time=0.0)
            )
    if graph.backward.any():
        _link_training(graph, copies, tensors)
    deployment = {k: v for k, v in graph.deployment if k != "memory"}
    return Graph.build(
        f"{copies} x {graph.name}", ops, tensors, time_unit=graph.time_unit, deployment=deployment
    )


def _link_training(graph: Graph, copies: int, tensors: list[Tensor]) -> None:
    """Forward halves in order, backward halves in reverse order: copy c before c + 1, and back."""
    ids, ranks = graph.op_ids, graph.ranks
    forward, backward = np.flatnonzero(~graph.backward), np.flatnonzero(graph.backward)
    deepest, first = _spine(graph, forward), _spine(graph, forward, last=False)
    end, begin = _spine(graph, backward), int(backward[np.argmin(ranks[backward])])
    for c in range(copies - 1):
        tensors.append(Tensor(f"{c}:{ids[deepest]}", (f"{c + 1}:{ids[first]}",), 1024.0, time=0.0))
        tensors.append(Tensor(f"{c + 1}:{ids[end]}", (f"{c}:{ids[begin]}",), 1024.0, time=0.0))


def _spine(graph: Graph, ops: np.ndarray, last: bool = True) -> int:
    """The last or the first op of a longest path through ``ops``."""
    inside = np.zeros(graph.n, bool)
    inside[ops] = True
    ptr, idx = graph.preds
    length, parent = np.zeros(graph.n, np.int64), np.full(graph.n, -1)
    for v in graph.topological_order[inside[graph.topological_order]].tolist():
        before = [u for u in idx[ptr[v] : ptr[v + 1]].tolist() if inside[u]]
        if before:
            parent[v] = max(before, key=lambda u: length[u])
            length[v] = length[parent[v]] + 1
    v = int(ops[np.argmax(length[ops])])
    while not last and parent[v] >= 0:
        v = int(parent[v])
    return v


def graph_of(size: int) -> Graph:
    """The graph that stands for a size: 177, 783, 2012 or 20000. Where the workload is absent, one made up."""
    from planner.formats import read_models

    if size == 177:
        return read_models([RESNET])
    if size == 783:
        return read_models([BERT]) if BERT.exists() else _instead(783, BERT)
    base = read_models([TRAINING]) if TRAINING.exists() else _instead(2012, TRAINING)
    return base if size == 2012 else chained(base, 10)


def _instead(n: int, path: Path) -> Graph:
    print(
        f"  {path.name} is not beside this checkout: a made-up graph of {n} ops takes its place",
        file=sys.stderr,
    )
    return layered(n, training=n == 2012)
