"""The chips to drop ops on in the flow view."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from gui.canvas.graph.strip import slot_rects


@given(st.integers(300, 2500), st.integers(200, 1600), st.integers(1, 36))
def test_chips_fit_and_do_not_overlap(width: int, height: int, k: int) -> None:
    rects = slot_rects(width, height, k)
    assert len(rects) == k
    assert all(QRectF(0, 0, width, height).contains(r) for r in rects)
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
    assert min(r.width() for r in rects) > 0
    if width >= 1000 and height >= 600:
        assert min(r.width() for r in rects) >= 104


@pytest.mark.parametrize(("k", "rows"), [(1, 1), (8, 1), (36, 4)])
def test_as_few_rows_as_fit(k: int, rows: int) -> None:
    assert len({r.top() for r in slot_rects(1280, 800, k)}) == rows
