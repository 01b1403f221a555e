"""A small package for the window's tests."""

from __future__ import annotations

import numpy as np

from gui.document.plan.document import Document
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem

MIB = 2**20


def row_graph(n: int = 12) -> Graph:
    """A plain row of ops of different costs, 1 MiB of parameters each; times in seconds."""
    ops = [
        Op(
            f"n{i}",
            f"conv_{i}",
            "Conv",
            work=1e-3 * (1 + i % 3),
            work_cpu=1e-2,
            params=MIB // 4,
            param_bytes=MIB,
        )
        for i in range(n)
    ]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",) if i + 1 < n else (), 1000.0, time=1e-4) for i in range(n)]
    return Graph.build("row", ops, tensors, time_unit="s")


def package_problem(n: int = 12, chips: int = 4, **parameters: object) -> Problem:
    """The row on a package."""
    return Problem(row_graph(n), McmPackage(chips, **parameters))  # type: ignore[arg-type]


def opened_on_package(n: int = 12, chips: int = 4, **parameters: object) -> Document:
    """A document with the row on a package, cut evenly."""
    document = Document()
    document.open_graph(row_graph(n), target=McmPackage(chips, **parameters))  # type: ignore[arg-type]
    document.set_assignment((np.arange(n) * chips // n).astype(np.int32), "edit", "even")
    document.undo_stack.clear()
    return document
