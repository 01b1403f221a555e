"""The units of a problem are found once, and nobody's copy is another's."""

from __future__ import annotations

import numpy as np
import pytest

from planner.machines.pipeline.target import Pipeline
from planner.methods import units
from planner.problem.problem import Problem
from tests.gui.models import chain_graph


def test_they_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(chain_graph(30, "once", 3), Pipeline(3))
    first = units.forced_units(problem)
    monkeypatch.setattr(units, "renumbered", lambda *_: pytest.fail("found again"))
    again = units.forced_units(problem)
    assert np.array_equal(first, again)
    again[:] = 0
    assert np.array_equal(first, units.forced_units(problem)) and first.max() > 0


def test_distinct_edges_are_those_of_sets() -> None:
    rng = np.random.default_rng(1)
    for count in (0, 1, 7, 200):
        unit_of = rng.integers(0, 6, 40).astype(np.int32)
        src, dst = (rng.integers(0, 40, count).astype(np.int32) for _ in range(2))
        a, b = units.unit_edges(unit_of, src, dst)
        pairs = {(unit_of[u], unit_of[v]) for u, v in zip(src, dst, strict=True)}
        assert list(zip(a.tolist(), b.tolist(), strict=True)) == sorted((u, v) for u, v in pairs if u != v)
