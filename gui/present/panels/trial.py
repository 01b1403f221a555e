"""Whether words of a panel would be cut, before anything is shown of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPicture

from gui.look.writing import CUT


class Trial(QPainter):
    """Paints nothing that is seen; ``cut`` once it wrote a line that had no room."""

    def __init__(self) -> None:
        self._picture = QPicture()
        super().__init__(self._picture)
        self.cut = False

    def drawText(self, rect: QRectF, flags: int, text: str) -> None:  # type: ignore[override]
        """Look at the words instead."""
        self.cut = self.cut or CUT in text


def cuts(paint: Callable[[QPainter], None]) -> bool:
    """Whether what is painted cuts words."""
    trial = Trial()
    paint(trial)
    trial.end()
    return trial.cut
