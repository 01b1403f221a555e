"""Kernels of runs that other programs disturbed: they add up to processor time, and nearly are what they take alone."""

from __future__ import annotations

import numpy as np
import pytest

from planner.runs.measuring.undisturbed import undisturbed


def struck(own: np.ndarray, runs: int, had: float, lost: float, rng: np.random.Generator) -> np.ndarray:
    """Wall times (float64[kernels, runs]) where the processor is had for ``had`` seconds, and then lost for ``lost``."""
    found = np.empty((len(own), runs))
    for run in range(runs):
        until = rng.uniform(0.0, had)
        for k, seconds in enumerate(own.tolist()):
            times = max(0, int(np.ceil((seconds - until) / had)))
            until += times * had - seconds
            found[k, run] = seconds + times * lost
    return found


def test_runs_that_nobody_disturbs_stay_as_they_are() -> None:
    kernels = np.random.default_rng(0).uniform(1.0, 1.1, (5, 7))
    wall = kernels.sum(axis=0) * 1.02
    assert undisturbed(kernels, wall, wall * 1.05) is kernels
    assert undisturbed(kernels, wall, np.zeros(7)) is kernels, "a clock that does not tell"


@pytest.mark.parametrize("lost", [0.002, 0.012])
@pytest.mark.parametrize("longest", [0.001, 0.05])
def test_what_others_took_is_left_out(lost: float, longest: float) -> None:
    rng = np.random.default_rng(1)
    own = np.exp(rng.uniform(np.log(5e-6), np.log(longest), 200))
    kernels = struck(own, 12, 0.003, lost, rng)
    wall = kernels.sum(axis=0)
    found = np.median(undisturbed(kernels, wall, np.full(12, own.sum())), axis=1)
    assert found.sum() == pytest.approx(own.sum(), rel=0.01)
    before = np.median(kernels, axis=1)
    assert np.abs(found - own).sum() < 0.3 * np.abs(before - own).sum()
    assert np.median(np.abs(np.log(found / own))) < 0.05, "half of the kernels are what they take alone"


def test_kernels_that_are_all_struck_alike_keep_their_ratios() -> None:
    kernels = np.outer([1.0, 2.0, 3.0], np.ones(4))
    found = undisturbed(kernels, np.full(4, 6.0), np.full(4, 3.0))
    np.testing.assert_allclose(found, kernels / 2)
