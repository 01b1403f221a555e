"""Headings of pictures."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF

from gui.look.heading import heading_of
from gui.look.theme import font


@pytest.mark.parametrize("points", [9.0, 14.0, 17.0, 30.0])
def test_no_line_is_lower_than_its_letters(qapp: object, points: float) -> None:
    """What hangs below the line, as in ``stages``, would be cut."""
    large, small = font(points, bold=True), font(0.8 * points)
    heading = heading_of("ResNet50 on 4 stages", "parameters per stage", 900.0, large, small)
    assert heading.line >= QFontMetricsF(large).height()
    assert heading.step >= QFontMetricsF(small).height()
    assert heading.height >= heading.top + heading.line + heading.step
