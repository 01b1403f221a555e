"""The learned policy in a search: valid plans, learning, adopting."""

from __future__ import annotations

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.machines.catalogue import planner
from planner.machines.mcm.learned.network import random_weights
from planner.machines.mcm.learned.policy import Learned
from planner.machines.mcm.learned.tuning import Adam, TuningSettings, advantages, surrogate
from planner.machines.mcm.search import methods
from planner.machines.mcm.search.trace import trace
from planner.machines.mcm.solver.solver import McmSolver
from planner.search.run import run
from tests.planner.machines.mcm import reference
from tests.planner.machines.mcm.learned.problems import small_problem

MODES = ("zero-shot", "fine-tune", "scratch")


@pytest.mark.parametrize("correction", ["fix", "sample"])
@pytest.mark.parametrize("mode", MODES)
def test_plans_of_every_mode_are_valid_and_found_again(mode: str, correction: str) -> None:
    problem = small_problem(1)
    options = {"mode": mode, "correction": correction, "samples": 25, "rollouts": 6, "epochs": 2}
    one, other = (run(planner("chip-learned"), problem, seed=4, options=options) for _ in range(2))
    assert one.device_of is not None and other.device_of is not None
    assert not reference.violations(problem, one.device_of.tolist())
    assert (one.device_of == other.device_of).all() and one.objective == other.objective


@pytest.mark.parametrize("mode", MODES)
def test_modes_can_be_traced(mode: str) -> None:
    curve = trace(small_problem(2), "chip-learned", 12, 0, {"mode": mode, "rollouts": 4, "epochs": 1})
    assert len(curve) == 12 and (np.diff(curve) <= 0).all() and np.isfinite(curve[-1])


def test_modes_differ() -> None:
    """From scratch other weights are at work; fine-tuning begins as zero-shot does."""
    problem = small_problem(3)
    zero, fine, scratch = (
        trace(problem, "chip-learned", 40, 1, {"mode": mode, "rollouts": 10, "epochs": 3}) for mode in MODES
    )
    assert zero[0] == fine[0]
    assert (zero != scratch).any()


def test_weights_as_trained_never_change_and_tuned_ones_do() -> None:
    problem = small_problem()
    solver = McmSolver(problem)
    weights = random_weights(0)
    before = {name: array.copy() for name, array in weights.items()}
    for tuning in (None, TuningSettings(rollouts=4, epochs=2)):
        policy = Learned(problem, solver, weights, tuning, False, 0)
        rng = np.random.default_rng(0)
        for i in range(9):
            proposal = policy.propose(rng)
            assert proposal.candidate is not None
            policy.learn(proposal, proposal.candidate, 1.0 + i % 3)
        changed = any(
            (policy._roller.heads.weights[name] != before[name]).any() for name in ("head.out", "start.out")
        )
        assert changed == (tuning is not None)
        assert all((weights[name] == before[name]).all() for name in weights)


def test_an_adopted_partition_is_gone_on_from() -> None:
    problem = small_problem()
    policy = Learned(problem, McmSolver(problem), random_weights(0), None, False, 0)
    rng = np.random.default_rng(0)
    policy.propose(rng)
    given = np.zeros(problem.graph.n, np.int32)
    policy.adopt(given, 1.0)
    near = policy.propose(rng).candidate
    assert near is not None and (near == given).mean() > 0.9
    assert policy.propose(rng).candidate is not None


def test_a_missing_weights_file_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(methods, "SHIPPED", tmp_path / "none.npz")
    with pytest.raises(StageboardError, match="weights of the policy cannot be read"):
        run(planner("chip-learned"), small_problem(), options={"samples": 2})
    assert (
        run(planner("chip-learned"), small_problem(), options={"samples": 2, "mode": "scratch"}).device_of
        is not None
    )


def test_learning_makes_what_is_rewarded_likelier() -> None:
    """Throughput is one for the file's order cut evenly into all chips, nothing otherwise."""
    problem = small_problem()
    policy = Learned(
        problem, McmSolver(problem), random_weights(0), TuningSettings(rollouts=20, epochs=6), False, 0
    )
    policy._roller.rounds = 1

    def chance() -> float:
        scores = policy._roller.heads.start_scores()[:6]
        return float(np.exp(scores[0] - scores.max()) / np.exp(scores - scores.max()).sum())

    rng = np.random.default_rng(0)
    before = chance()
    for _ in range(100):
        proposal = policy.propose(rng)
        policy._best = None  # only starts are looked at
        choices = policy._pending.choices if policy._pending else None
        good = choices is not None and choices[0] == 0
        policy.learn(proposal, np.zeros(problem.graph.n, np.int32), 1.0 if good else 3.0)
    assert chance() > 2 * before


# ---------------------------------------------------------------------- parts
def test_advantages_are_those_within_a_group() -> None:
    found = advantages([1.0, 3.0, 10.0, 10.0], [0, 0, 1, 1])
    assert found[0] == -found[1] and found[1] > 0.9
    assert (found[2:] == 0).all()


def test_what_is_far_from_the_old_policy_has_no_slope() -> None:
    old = np.log(np.array([0.5, 0.5, 0.5, 0.5], np.float32))
    new = np.log(np.array([0.5, 0.9, 0.9, 0.1], np.float32))
    gain, slope = surrogate(new, old, np.array([1, 1, -1, -1], np.float32))
    assert gain == pytest.approx([1.0, 1.2, -1.8, -0.8])
    assert slope == pytest.approx([1.0, 0.0, -1.8, 0.0])


def test_adam_goes_down_a_bowl() -> None:
    weights = {"x": np.array([3.0, -2.0], np.float32)}
    adam = Adam(0.1)
    for _ in range(200):
        adam.step(weights, {"x": 2 * weights["x"]})
    assert np.abs(weights["x"]).max() < 0.05
