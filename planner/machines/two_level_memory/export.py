"""A plan of a sparse network as an array file: its connections in the order of the plan, with all that it takes to run them."""

from __future__ import annotations

import os
from pathlib import Path

from planner.formats.networks.npz import write_network
from planner.machines.two_level_memory.problem import OrderPlan


def to_order(plan: OrderPlan, path: str | os.PathLike[str]) -> Path:
    """Write the network of a plan, its connections in the plan's order, all of it or nothing; it opens again as a network.

    The keys are those of :mod:`planner.formats.networks.npz`; neurons are numbered as in the plan's network.
    """
    return write_network(plan.problem.network, path, plan.decision.order)
