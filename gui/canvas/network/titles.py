"""Titles in a network's pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QFontMetricsF

from gui.canvas.network.layout_matrix import Panel
from gui.look.numbers import plural
from gui.look.writing import elided, face
from gui.words.methods import shown_name

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem

GAP = "   "
ARROW = "\N{RIGHTWARDS ARROW}"


def picture_title(problem: NetworkProblem, order: str) -> str:
    """What a picture of an order is called where nobody says: the network and the ``order``'s own name. The line below has its fast memory."""
    return f"{problem.network.name}, {shown_name(order)}"


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
    if measure(words) > width and not whole:  # the layers alone say as much as a word that is cut
        words = next(
            (
                w
                for w in (f"L{panel.source} {ARROW} {panel.target}", f"{ARROW} {panel.target}")
                if measure(w) <= width
            ),
            words,
        )
    return words if measure(words) <= width else elided(words, face(8.5), width)


def share(fraction: float) -> str:
    """A share of a whole with two significant digits: ``10 %``, ``0.42 %``."""
    return f"{100 * fraction:.2g} %" if fraction < 0.0995 else f"{100 * fraction:.0f} %"
