"""Small models for the window's tests."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from planner.model.graph import Graph, Op, Tensor


def chain_graph(n: int = 12, name: str = "chain", seed: int = 0) -> Graph:
    """A chain with some skips, whose ops cost different amounts; ops 2 and 3 are colocated on pools."""
    rng = np.random.default_rng(seed)
    kinds = ["Conv", "BatchNormalization", "Relu"]
    ops = [
        Op(
            id=f"n{i}", name=f"block{i // 3}/{kinds[i % 3].lower()}_{i}", kind=kinds[i % 3],
            work=float(rng.integers(1, 20)), work_cpu=float(rng.integers(20, 60)), memory=float(rng.integers(1, 9)),
            colour_class=7 if i in (2, 3) else None, layer=i // 3,
        )
        for i in range(n)
    ]  # fmt: skip
    tensors = [
        Tensor(f"n{i}", tuple(f"n{j}" for j in (i + 1, i + 4) if j < n), 8.0, time=float(rng.integers(1, 4)))
        for i in range(n)
    ]
    return Graph.build(name, ops, tensors, time_unit=None)


def timed_chain(n: int, seconds: float, params: float = 0.0) -> Graph:
    """A chain of ops that take so long and hold so many bytes of parameters each, and send nothing that takes any time."""
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=seconds, work_cpu=seconds, param_bytes=params) for i in range(n)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",) if i + 1 < n else (), 8.0, time=0.0) for i in range(n)]
    return Graph.build("timed", ops, tensors, time_unit="s")


def tpu_graph() -> Graph:
    """Six ops of 1 MiB of INT8 parameters (the last of 2 MiB) with a skip edge; tensors of 80 to 160 KiB, times in seconds."""
    mib, kib = 2**20, 2**10
    ops = [
        Op(
            f"n{i}",
            f"conv_{i}",
            "Conv2D",
            params=mib * (1 + (i == 5)),
            param_bytes=4 * mib * (1 + (i == 5)),
            work=1e-3,
            work_cpu=1e-3,
            macs=1e7,
        )
        for i in range(6)
    ]
    tensors = [
        Tensor(f"n{i}", tuple(f"n{j}" for j in ends), 4 * kib * size, shape=(kib * size,), dtype="float32")
        for i, (ends, size) in enumerate(
            (((1, 2), 160), ((2,), 80), ((3, 5), 160), ((4,), 80), ((5,), 80), ((), 1))
        )
    ]
    return Graph.build("tpu", ops, tensors, time_unit="s")


def write_model(folder: Path, n: int = 12, name: str = "model", seed: int = 0) -> Path:
    """A device-placement file of a chain with skips on 3 accelerators and 1 CPU."""
    graph = chain_graph(n, name, seed)
    ptr, idx = graph.consumer_ptr, graph.consumer_idx
    nodes = [
        {
            "id": i, "name": graph.op_names[i], "fpgaLatency": graph.work[i], "cpuLatency": graph.work_cpu[i],
            "size": graph.memory[i], "supportedOnFpga": 1, "isBackwardNode": 0,
        }
        for i in range(n)
    ]  # fmt: skip
    edges = [
        {"sourceId": int(graph.tensor_producer[t]), "destId": int(v), "cost": graph.tensor_time[t], "size": 8}
        for t in range(graph.tensor_count)
        for v in idx[ptr[t] : ptr[t + 1]]
    ]
    path = folder / f"{name}.json"
    path.write_text(
        json.dumps({"maxFPGAs": 3, "maxCPUs": 1, "maxSizePerFPGA": 1000, "nodes": nodes, "edges": edges})
    )
    return path
