"""Random graphs and problems of Edge TPU pipelines for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from planner.errors import ConstraintError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Constraint, Pin, Problem, Together

KINDS = ("Conv2D", "BatchNormalization", "Add", "InputLayer")
WIDTHS = {"float32": 4, "float16": 2, "int8": 1, "": 1}


@st.composite
def edge_graphs(draw: st.DrawFn, least: int = 1, most: int = 8) -> Graph:
    """A DAG of convolutions and the like in several types; some ops have a time of their own."""
    n = draw(st.integers(least, most))
    names = draw(st.permutations([f"op{i}" for i in range(n)]))
    ops, tensors = [], []
    for i in range(n):
        count = draw(st.one_of(st.just(0), st.integers(0, 9)))
        ops.append(
            Op(
                names[i],
                names[i],
                kind=draw(st.sampled_from(KINDS)),
                work=draw(st.one_of(st.none(), st.integers(0, 8).map(float))),
                params=float(count),
                param_bytes=float(4 * count) if draw(st.booleans()) else float(draw(st.integers(0, 9))),
                macs=float(draw(st.integers(0, 5))),
                attrs={"activation": draw(st.sampled_from(["linear", "relu"]))},
            )
        )
        for _ in range(draw(st.integers(0, 2))):
            readers = draw(st.sets(st.integers(i + 1, n - 1), max_size=3)) if i + 1 < n else set()
            dtype = draw(st.sampled_from(sorted(WIDTHS)))
            size = float(WIDTHS[dtype] * draw(st.integers(0, 6)))
            tensors.append(Tensor(names[i], tuple(names[v] for v in sorted(readers)), size, dtype=dtype))
    return fill(Graph.build("edge", ops, tensors))


@st.composite
def edge_targets(draw: st.DrawFn, most: int = 4) -> EdgeTpuPipeline:
    """Rates that are powers of two, so that sums of times are exact."""
    return EdgeTpuPipeline(
        draw(st.integers(1, most)),
        cache=float(draw(st.integers(0, 20))),
        shared_children=draw(st.booleans()),
        precision=draw(st.sampled_from(["int8", "file"])),
        fold_batch_norm=draw(st.booleans()),
        down=4.0,
        up=0.5,
        streaming=2.0,
        host_io=draw(st.booleans()),
        compute=8.0,
        utilisation=0.5,
        shared_link=draw(st.booleans()),
        scratch=draw(st.booleans()),
    )


@st.composite
def edge_problems(
    draw: st.DrawFn,
    objective: str | None = None,
    least: int = 1,
    most: int = 7,
    stages: int = 3,
    constrained: bool = True,
) -> Problem:
    """A problem with up to two constraints; ``objective`` None = drawn from all."""
    graph, target = draw(edge_graphs(least, most)), draw(edge_targets(stages))
    chosen = objective or draw(st.sampled_from(target.objectives))
    problem = Problem(graph, target, chosen)
    if not constrained:
        return problem
    ops = st.sampled_from(graph.op_ids)
    found: list[Constraint] = []
    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            found.append(Pin(draw(ops), f"stage {draw(st.integers(0, target.count - 1))}"))
        else:
            found.append(Together(tuple(sorted({draw(ops), draw(ops)}))))
    try:
        return problem.with_constraints(tuple(found))
    except ConstraintError:
        return problem
