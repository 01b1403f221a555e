"""The bar of the gap: where the bound stands, and in which colour."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.widgets.bars import GapBar


def column_of(image: QImage, colour: str) -> float:
    """The middle of the pixels of a colour on the line above the bar, as a share of the width; -1 where there are none."""
    wanted = QColor(colour).rgb()
    found = [x for x in range(image.width()) if any(image.pixel(x, y) == wanted for y in (6, 7))]
    return sum(found) / len(found) / image.width() if found else -1.0


@pytest.mark.parametrize("bound", [50.0, 150.0])
def test_of_a_broken_plan_the_bound_is_grey_and_stands_where_it_is(qtbot: QtBot, bound: float) -> None:
    bar = GapBar(LIGHT)
    qtbot.addWidget(bar)
    bar.resize(400, 44)
    bar.set_values(100.0, bound, broken=True)
    image = bar.grab().toImage()
    plan, grey = column_of(image, LIGHT.text), column_of(image, LIGHT.faint)
    assert column_of(image, LIGHT.good) < 0
    assert (grey < plan) == (bound < 100.0)
    assert plan == pytest.approx(100.0 / max(100.0, bound), abs=0.03)
    bar.set_values(100.0, 50.0)
    image = bar.grab().toImage()
    assert column_of(image, LIGHT.good) == pytest.approx(0.5, abs=0.03)
    assert column_of(image, LIGHT.faint) < 0
