"""Small plans for multi-chip modules, for the tests of their views."""

from __future__ import annotations

import numpy as np

from gui.document.plan.document import Document
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Ints
from planner.problem.problem import Problem
from tests.gui.models import tpu_graph

TIDY = np.array([0, 0, 1, 1, 2, 2], np.int32)
"""Keeps every rule on three chips."""
TRIANGLE = np.array([0, 1, 2, 2, 2, 2], np.int32)
"""Op 0 feeds chip 2 directly, and over chip 1."""


def package_problem(count: int = 4, **settings: object) -> Problem:
    """Six ops of 4 to 8 MiB of parameters on ``count`` chips."""
    return Problem(tpu_graph(), McmPackage(count, **settings))  # type: ignore[arg-type]


def opened_package(device_of: Ints = TIDY, count: int = 4, **settings: object) -> Document:
    """A document with that problem open and a plan on the canvas."""
    document = Document()
    document.open_graph(tpu_graph(), target=package_problem(count, **settings).target)
    document.set_assignment(device_of, "edit", "plan")
    document.undo_stack.clear()
    return document
