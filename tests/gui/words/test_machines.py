"""Machines in words."""

from __future__ import annotations

import pytest

from gui.words.machines import devices_words
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.problem.target import Target
from tests.gui.mcm_models import row_graph


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Pipeline(4), "4 stages"),
        (DevicePool(3, 1, contiguous=False), "3 accelerators + 1 CPU"),
        (McmPackage(12, precision="int8", copy_sources=11), "12 chips, int8"),
    ],
)
def test_machines_in_words(target: Target, words: str) -> None:
    assert devices_words(Problem(row_graph(12), target)) == words
