"""Letters of a network's pictures."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF

from gui.canvas.network.layout_matrix import Panel
from gui.look.numbers import plural
from gui.look.theme import font

LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignCenter)
GAP = "   "
ARROW = "\N{RIGHTWARDS ARROW}"


@lru_cache(maxsize=32)
def face(size: float, bold: bool = False) -> QFont:
    """The interface font, made once per size."""
    return font(size, bold=bold)


def elided(words: str, shown: QFont, width: float) -> str:
    """As much of a line as fits."""
    return QFontMetricsF(shown).elidedText(words, Qt.TextElideMode.ElideRight, width)


def panel_title(panel: Panel, whole: bool, width: float) -> str:
    """What a panel shows, as much of it as fits into ``width`` pixels of :func:`face` 8.5, the most important first."""
    density = panel.connections / (panel.rows * panel.columns)
    count = plural(panel.connections, "connection")
    shape = f"{panel.rows:,} \N{MULTIPLICATION SIGN} {panel.columns:,}"
    skips = f", skips {plural(panel.skips, 'layer')}" if panel.skips else ""
    parts = [f"Layer {panel.source} {ARROW} {panel.target}{skips}", shape, share(density), count]
    if whole:
        parts = [f"all {panel.rows:,} neurons", "from (down) to (across)", count]
    measure = QFontMetricsF(face(8.5)).horizontalAdvance
    while len(parts) > 1 and measure(GAP.join(parts)) > width:
        parts.pop()
    words = GAP.join(parts)
    return words if measure(words) <= width else elided(words, face(8.5), width)


def share(fraction: float) -> str:
    """A share of a whole with two significant digits: ``10 %``, ``0.42 %``."""
    return f"{100 * fraction:.2g} %" if fraction < 0.0995 else f"{100 * fraction:.0f} %"
