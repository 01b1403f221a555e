"""The problems that the policy is trained and validated on: made-up networks on modules of various counts of chips."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.learning.networks import FAMILIES, MAKERS, SHARES
from planner.machines.mcm.target import CHIP_LATENCY, McmPackage
from planner.model.cost_model import fill
from planner.problem.problem import Problem

TRAINING, VALIDATION = 66, 5
"""How many problems there are of each, as in the paper (section 5.1)."""
CHIPS = (4, 6, 8, 12, 16, 24, 36, 36, 36, 36)
"""Counts of chips, each as likely."""
LEAST_OPS, MOST_OPS = 50, 200
MIX = ("convolutional", "recurrent", "convolutional", "recurrent", "transformer")
"""Families of validation problems in turn: mostly convolutional and recurrent networks, as the paper's are."""
VALIDATION_CHIPS = 36
"""Chips of validation problems: the paper's."""


def made_up_problem(
    seed: tuple[int, ...], most_ops: int = MOST_OPS, family: str | None = None, chips: int | None = None
) -> Problem:
    """The problem of a seed: a network of 50 to ``most_ops`` ops, of a given ``family`` and on so many ``chips`` or as drawn.

    One in eight has a limit of memory, one in eight uses every chip.
    """
    rng = np.random.default_rng(seed)
    while True:
        maker = MAKERS[family or FAMILIES[int(rng.choice(len(FAMILIES), p=SHARES))]]
        graph = fill(maker(rng, int(rng.integers(LEAST_OPS, max(LEAST_OPS + 1, most_ops - 20)))))
        if graph.n <= most_ops:
            break
    chips = chips or int(rng.choice(CHIPS))
    kind = int(rng.integers(8))
    sram = max(4.0 * float(graph.param_bytes.sum()) / chips, 3.0 * float(graph.param_bytes.max()), 2.0**23)
    package = McmPackage(
        chips, sram=sram if kind == 0 else McmPackage.sram, check_memory=kind == 0, every_chip=kind == 1 and graph.n > 3 * chips
    )  # fmt: skip
    return Problem(graph, package, CHIP_LATENCY)


def training_problems(seed: int, count: int = TRAINING, most_ops: int = MOST_OPS) -> list[Problem]:
    """The problems of a training run."""
    return [made_up_problem((seed, 0, i), most_ops) for i in range(count)]


def validation_problems(seed: int, count: int = VALIDATION, most_ops: int = MOST_OPS) -> list[Problem]:
    """The problems that checkpoints of a training run are compared on; none is among those of training."""
    return [
        made_up_problem((seed, 1, i), most_ops, MIX[i % len(MIX)], VALIDATION_CHIPS) for i in range(count)
    ]
