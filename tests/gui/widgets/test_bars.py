"""The bar of the gap: marks stand where their values are, also where a plan breaks rules and is below the bound of valid ones."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT, Theme
from gui.widgets.bars import GapBar

BAR = QRectF(0, 0, 100, 12)


def test_marks_stand_where_their_values_are(qtbot: QtBot) -> None:
    bar = GapBar(LIGHT)
    qtbot.addWidget(bar)
    bar.set_values(4.0, 3.0, 3.5)
    assert bar._marks(BAR) == {"bound": 75.0, "claimed": 87.5, "plan": 100.0}
    bar.set_values(2.0, 4.0, valid=False)
    assert bar._marks(BAR) == {"bound": 100.0, "plan": 50.0}
    bar.set_values(4.0, 1.0, valid=False)
    assert bar._marks(BAR) == {"bound": 25.0, "plan": 100.0}
    bar.set_values(4.0, None)
    assert bar._marks(BAR) == {"plan": 100.0}
    bar.set_values(0.0, 0.0)
    assert bar._marks(BAR) == {}
    bar.set_values(float("inf"), 1.0)
    assert bar._marks(BAR) == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_the_bound_is_grey_where_the_plan_breaks_rules(qtbot: QtBot, theme: Theme) -> None:
    bar = GapBar(theme)
    qtbot.addWidget(bar)
    bar.resize(300, 44)

    def colours() -> set[str]:
        image: QImage = bar.grab().toImage()
        return {QColor(image.pixel(x, y)).name() for x in range(image.width()) for y in range(image.height())}

    bar.set_values(4.0, 3.0)
    assert theme.good in colours() and theme.good_soft in colours()
    bar.set_values(3.0, 4.0, valid=False)
    assert theme.good not in colours() and theme.good_soft not in colours() and theme.muted in colours()
