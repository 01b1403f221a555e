"""The curves that benchmarks draw: whatever they span, their grid is a round one."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.curves import curves


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_any_span_has_a_grid(low: float, span: float) -> None:
    drawn = curves("t", "x", "y", {"one": [(1.0, low, 0.0), (10.0, low + span, 0.0), (100.0, math.nan, 0.0)]})
    assert "nan" not in drawn and drawn.count("<polyline") == 1
    assert 2 <= drawn.count("<line") < 30
