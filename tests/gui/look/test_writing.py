"""Lines are broken between words, and a number and its unit are one word."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF

from gui.look.heading import lines_of
from gui.look.writing import face, kept_together, words_of
from gui.present.captions import flowed

SAID = "bottleneck 2.16 ms, gap 2.8 % and 384.5 KiB of 12 stages at 30 s"


def test_a_number_and_its_unit_are_one_word() -> None:
    assert words_of(SAID) == [
        "bottleneck", "2.16 ms,", "gap", "2.8 %", "and", "384.5 KiB", "of", "12", "stages", "at", "30 s",
    ]  # fmt: skip
    assert len(kept_together(SAID)) == len(SAID) and kept_together("12 stages") == "12 stages"


@pytest.mark.parametrize("width", range(60, 300, 20))
def test_no_line_ends_between_a_number_and_its_unit(qapp: object, width: int) -> None:
    letters = face(9.0)
    if width >= QFontMetricsF(letters).horizontalAdvance("bottleneck 2.16"):
        for lines in (lines_of(SAID, letters, float(width), 20), flowed(SAID, 12, False, float(width))):
            assert " ".join(lines) == SAID
            assert not [line for line in lines if line.split()[0].strip(",") in ("ms", "%", "KiB", "s")]
