"""Gliding from place to place."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QObject

from gui.canvas.graph.animation import Glide, eased


def test_easing_begins_and_ends_at_rest() -> None:
    t = np.linspace(0, 1, 50)
    shares = np.array([eased(v) for v in t])
    assert shares[0] == 0
    assert shares[-1] == 1
    assert (np.diff(shares) > 0).all()


def test_a_glide_ends_exactly_at_its_destination(qtbot) -> None:
    parent = QObject()
    glide = Glide(parent)
    seen: list[float] = []
    glide.stepped.connect(lambda: seen.append(float(glide.x[0])))
    assert glide.start(np.zeros(3), np.zeros(3), np.full(3, 9.0), np.ones(3))
    qtbot.waitUntil(lambda: not glide.running, timeout=30_000)
    assert glide.x.tolist() == [9.0] * 3
    assert glide.y.tolist() == [1.0] * 3
    assert seen == sorted(seen)
    assert seen[-1] == 9.0
    assert len(seen) > 2


@pytest.mark.parametrize("case", ["reduced", "equal", "other length"])
def test_nothing_to_show(qtbot, case: str) -> None:
    glide = Glide()
    glide.reduced = case == "reduced"
    end = np.zeros(3) if case == "equal" else np.ones(3)
    start = np.zeros(4) if case == "other length" else np.zeros(3)
    assert not glide.start(start, start, end, end)
    assert not glide.running
    assert glide.x is end


def test_a_second_glide_takes_over(qtbot) -> None:
    glide = Glide()
    glide.start(np.zeros(1), np.zeros(1), np.ones(1), np.ones(1))
    glide.start(glide.x, glide.y, np.full(1, 5.0), np.full(1, 6.0))
    glide.stop()
    assert (glide.x[0], glide.y[0]) == (5.0, 6.0)
    assert not glide.running
