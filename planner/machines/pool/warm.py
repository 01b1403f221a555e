"""The tiny device pools on which kernels are compiled."""

from __future__ import annotations

import math
from typing import ClassVar

from planner.machines.pool.ideals.rows import Rows, served
from planner.machines.pool.ideals.states import pool_states
from planner.machines.pool.target import DevicePool
from planner.methods import tiny
from planner.methods.ideals.lattice import enumerate_ideals
from planner.methods.ideals.relaxations import parts, relaxations
from planner.methods.nested_cuts.warm import compile_kernels
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.search.search import Callbacks, Search
from planner.search.stop import TimeLimit


class Warm(tiny.Warm):
    """Pools with and without memory limits, contiguity, backward ops, replication and clusters."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = (
        (DevicePool(2, 1), False),
        (DevicePool(2, 1, memory=1e6), True),
        (DevicePool(2, 1, memory=1e6, contiguous=False), False),
        (DevicePool(2, 1), True),
        (DevicePool(2, 1, bandwidth=1.0, replication=True), False),
        (DevicePool(4, 1, bandwidth=1.0, clusters=2, cluster_speed=4.0), False),
    )

    def search(self, problem: Problem) -> None:
        """What is for many ideals only."""
        self.prove(problem)

    def prove(self, problem: Problem) -> None:
        """What is for many ideals only."""
        search = Search(problem, TimeLimit(tiny.SECONDS), Callbacks(), 0, {})
        units = relaxations(problem, parts(problem))[0](False).units
        lattice, states = enumerate_ideals(units, 1000, search), pool_states(units)
        if lattice is not None and served(units, states, lattice.count):
            Rows(lattice, states, search).solve(math.inf, search)
        compile_kernels(units)
