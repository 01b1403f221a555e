"""The bar of the gap: marks stand where their values are, also where a plan breaks rules and is below the bound of valid ones."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT, Theme, device_colours
from gui.widgets.bars import GapBar, activations_colour, paint_load

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


@pytest.mark.parametrize(("used", "pushed", "needs"), [(60.0, 30.0, 50.0), (60.0, 0.0, 10.0), (90.0, 20.0, 20.0), (50.0, 50.0, 200.0)])  # fmt: skip
def test_a_load_shows_what_stays_what_is_streamed_and_what_activations_need(
    used: float, pushed: float, needs: float
) -> None:
    """Of a cache of 80 in a bar of 100 pixels, from the left: what stays, what is streamed, what is free, activations."""
    colour = device_colours(1, LIGHT)[0]
    image = QImage(100, 12, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_load(painter, QRectF(0, 2, 100, 8), used, 80.0, 100.0, colour, LIGHT, pushed=pushed, needs=needs)
    painter.end()

    def shown(name: str, low: float, high: float) -> bool:
        pixels = [
            image.pixelColor(x, y).name() for x in range(int(low) + 2, int(high) - 2) for y in range(4, 8)
        ]
        return name in pixels if name == LIGHT.warning else set(pixels) == {name}

    stays = max(0.0, min(used, 80.0) - pushed)
    free = 80.0 - min(needs, 80.0)
    assert stays < 5 or shown(colour.accent, 0, stays)
    assert used == stays or shown(LIGHT.warning, stays, used)
    assert free - used < 5 or shown(LIGHT.track, used, free)
    assert used >= 75 or shown(activations_colour(LIGHT), max(used, free), 80.0)
