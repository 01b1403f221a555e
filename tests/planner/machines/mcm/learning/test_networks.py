"""Made-up networks and problems to train on."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.mcm_runs import BERT, GRAPHS
from planner.formats import read_models
from planner.machines.mcm.learning.networks import FAMILIES, MAKERS
from planner.machines.mcm.learning.problems import (
    MIX,
    made_up_problem,
    training_problems,
    validation_problems,
)
from planner.machines.mcm.solver.solver import McmSolver


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_the_size_that_is_asked_for_and_costs_something(family: str) -> None:
    for ops in (60, 120, 200):
        graph = MAKERS[family](np.random.default_rng(ops), ops)
        assert 0.6 * ops <= graph.n <= 1.8 * ops
        assert graph.macs.sum() > 0 and graph.param_bytes.sum() > 0
        assert np.isfinite(graph.tensor_bytes).all() and (graph.tensor_bytes > 0).all()


def test_a_seed_gives_the_same_problem_again() -> None:
    one, other = made_up_problem((1, 2)), made_up_problem((1, 2))
    assert one.graph.fingerprint == other.graph.fingerprint and one.target == other.target
    assert one.graph.fingerprint != made_up_problem((1, 3)).graph.fingerprint


def test_validation_problems_have_the_paper_s_mix_and_chips() -> None:
    for seed in (0, 3):
        found = validation_problems(seed)
        assert tuple(p.graph.name.split("_")[0] for p in found) == MIX
        assert all(p.evaluator.k == 36 for p in found)


def test_every_problem_has_a_valid_partition_and_validation_is_not_trained_on() -> None:
    training, validation = training_problems(0, 12), validation_problems(0)
    assert all(McmSolver(p).sample(None, 0) is not None for p in [*training, *validation])
    marks = {p.graph.fingerprint for p in training}
    assert not marks & {p.graph.fingerprint for p in validation}
    measured = {read_models([path]).fingerprint for path in (*GRAPHS, BERT)}
    assert not marks & measured
