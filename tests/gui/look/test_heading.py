"""Headings of pictures."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF

from gui.look.heading import heading_of, lines_of
from gui.look.theme import font


@pytest.mark.parametrize("points", [9.0, 14.0, 17.0, 30.0])
def test_no_line_is_lower_than_its_letters(qapp: object, points: float) -> None:
    """What hangs below the line, as in ``stages``, would be cut."""
    large, small = font(points, bold=True), font(0.8 * points)
    heading = heading_of("ResNet50 on 4 stages", "parameters per stage", 900.0, large, small)
    assert heading.line >= QFontMetricsF(large).height()
    assert heading.step >= QFontMetricsF(small).height()
    assert heading.height >= heading.top + heading.line + heading.step


@pytest.mark.parametrize(
    "words",
    [
        "chip latency 8.16 ms   gap 4.4 %   valid   9 chips, 4 used   slowest chip 1   busiest link 3.81\N{NO-BREAK SPACE}MiB",
        "Pipelined   a sample every 8.16 ms   Chip 1 sets the pace   31 % busy, 4 of 9 devices used   steady after 16.72 ms",
        "multi-chip module mcm:9, memory",
        "word",
    ],
)
@pytest.mark.parametrize("share", [0.26, 0.4, 0.55, 0.9, 0.97])
def test_no_line_ends_with_a_remnant(qapp: object, words: str, share: float) -> None:
    """Lines are much of a length, and no number stands apart from its unit."""
    letters = font(9.0)
    wide = QFontMetricsF(letters).horizontalAdvance
    room = share * wide(words)
    lines = lines_of(words, letters, room)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    assert not any(line.lstrip().startswith(("ms", "MiB", "%")) for line in lines)
    if len(lines) == 2 and "   " in words:
        assert min(map(wide, lines)) > 0.5 * max(map(wide, lines))
