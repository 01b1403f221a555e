"""Compiling the kernels of nested cuts."""

from __future__ import annotations

import math

import numpy as np

from planner.methods.mip.model import unchecked
from planner.methods.nested_cuts.tree import Tree
from planner.methods.units import Units


def compile_kernels(units: Units) -> None:
    """Look at a few parts of a row of three devices: with a plan in hand that of a tiny problem ends before it branches."""
    work = units.work[0].sum(axis=1)
    first = np.zeros(units.count, np.int8)
    tree = Tree(
        units,
        [[0, 0, 1]],
        np.stack([work, work]),
        np.array([True, False]),
        np.zeros(2),
        first,
        first + np.int8(2),
        math.inf,
        unchecked,
    )
    while not tree.done and tree.expanded < 3:
        tree.step()
