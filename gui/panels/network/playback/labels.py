"""What is written into the slots of fast memory: which neuron's value each of them holds."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QFontMetricsF

from gui.canvas.network.layout import arrangement
from gui.look.writing import face
from planner.model.network import Network

MOST_LAYERS = 7
"""Up to so many layers have colours that are all different; of more the label says the layer, too."""
MOST_WORDS = 400
"""In a larger fast memory the values are told apart by pointing."""
SIZES = (8.0, 7.5, 7.0, 6.5)
"""Points; the largest that fits is taken."""


class SlotLabels:
    """Labels of a network's neurons: the place in the layer, ``12:3`` for place 3 in layer 12 where colours repeat."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.coloured = network.depth < MOST_LAYERS
        """Whether the colour alone tells the layer."""
        self._place = arrangement(network).place
        digits = _digits(self._place) if self.coloured else _digits(self._place) + _digits(network.layer)
        self._longest, self._shortest = self.of(int(np.argmax(digits))), self.of(int(np.argmin(digits)))

    def of(self, neuron: int) -> str:
        """The label of a neuron."""
        place = int(self._place[neuron])
        return f"{place}" if self.coloured else f"{int(self.network.layer[neuron])}:{place}"

    def size(self, slots: int, width: float, height: float) -> float:
        """The points for slots of a width and height (logical pixels): where all labels fit, else the least; 0.0 for none.

        A label that does not fit by itself is left out, see :meth:`fits`.
        """
        if slots > MOST_WORDS or QFontMetricsF(face(SIZES[-1])).height() - 2 > height:
            return 0.0
        for size in SIZES:
            if self.fits(self._longest, size, width) and QFontMetricsF(face(size)).height() - 2 <= height:
                return size
        return SIZES[-1] if self.fits(self._shortest, SIZES[-1], width) else 0.0

    @staticmethod
    def fits(label: str, size: float, width: float) -> bool:
        """Whether a label of so many points fits into a width."""
        return QFontMetricsF(face(size)).horizontalAdvance(label) + 1 <= width

    @property
    def legend(self) -> str:
        """What a label means."""
        return "number: place in it" if self.coloured else "12:3 is neuron 3 of layer 12"


def _digits(numbers: np.ndarray) -> np.ndarray:
    """How many digits numbers have that are not negative."""
    return np.floor(np.log10(np.maximum(numbers, 1))).astype(np.int64) + 1
