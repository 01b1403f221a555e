"""How far searches over ideals are is said in the graph's unit of time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from planner.methods.ideals.telling import ideals_below

pytestmark = pytest.mark.coverage


@pytest.mark.parametrize(("unit", "bound"), [("s", "2.85 ms"), (None, "0.00285")])
def test_bounds_have_the_unit_of_the_graph(unit: str | None, bound: str) -> None:
    graph = SimpleNamespace(time_unit=unit)
    lattice = cast(
        Any, SimpleNamespace(count=651128, units=SimpleNamespace(problem=SimpleNamespace(graph=graph)))
    )
    assert ideals_below(94092, lattice, 0.00285) == f"94,092 of 651,128 ideals below {bound}"
    assert ideals_below(1000, lattice, 0.00285, 2000) == f"1,000 of 2,000 ideals below {bound}"
