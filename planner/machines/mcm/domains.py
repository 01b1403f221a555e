"""The chips that an op can ever be on."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.solver.solver import McmSolver
from planner.problem.problem import Problem


def domains(problem: Problem) -> np.ndarray | None:
    """What propagation leaves to each op, bit c for chip c (uint64[n]); None where there is no valid plan."""
    solver = McmSolver(problem)
    return solver.domains().copy() if solver.feasible else None
