"""The tiny multi-chip modules on which kernels are compiled."""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.search.moves import McmMoves
from planner.machines.mcm.search.units import mcm_units
from planner.machines.mcm.simulation.simulator import Simulator
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import McmPackage
from planner.methods import tiny
from planner.problem.problem import Problem
from planner.problem.target import Target


class Warm(tiny.Warm):
    """Modules with and without limits of memory and chips that must not stay empty."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = (
        (McmPackage(3), False),
        (McmPackage(3, sram=20.0, every_chip=True), False),
    )

    def search(self, problem: Problem) -> None:
        """The constraint solver's plans and annealed moves, to which searches on a tiny problem may never come."""
        units = mcm_units(problem)
        moves = McmMoves(units, 0)
        moves.begin(np.zeros(units.count, np.int32))
        moves.run(1, 1, 0.1, 0.01, 1.0, 0.0)
        solver = McmSolver(problem)
        solver.sample(None, 0)
        solver.fix(np.zeros(problem.graph.n, np.int32), 0)
        Simulator(cast(McmEvaluator, problem.evaluator)).run(np.zeros(problem.graph.n, np.int32))
