"""Warming up: what searches for orders come to later is compiled, too."""

from __future__ import annotations

import pytest

from planner.machines.two_level_memory.orders import live_kernels
from planner.machines.two_level_memory.warm import Warm, crossed_network
from planner.machines.two_level_memory.windows import locality_kernels, refine_kernels
from tests.conftest import PLAIN_KERNELS


@pytest.mark.skipif(PLAIN_KERNELS, reason="nothing is compiled")
def test_windows_come_to_the_annealing_and_to_greedy_orders() -> None:
    warm = Warm()
    warm.search(next(warm.problems()))
    kernels = (refine_kernels.anneal, refine_kernels.fill, locality_kernels.gather, live_kernels.few_live)
    assert all(kernel.signatures for kernel in kernels)


def test_the_crossed_network_has_a_constant() -> None:
    network = crossed_network()
    assert network.feature.tolist() == [0, 1, 2, 3, -1]
