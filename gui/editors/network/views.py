"""The views of a network's window that draw: made in one place, so that tests can do without them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.look.theme import Theme


@dataclass(frozen=True)
class Views:
    """What draws the network, its order and the moment shown. ``threaded`` have threads to end before the window goes."""

    canvas: Any
    playback: Any
    scrubber: Any
    fast_memory: Any
    strip: Any
    plots: Any

    @property
    def themed(self) -> tuple[Any, ...]:
        """All that have colours."""
        return self.canvas, self.scrubber, self.fast_memory, self.strip, self.plots

    @property
    def moving(self) -> tuple[Any, ...]:
        """All that flash or glide."""
        return self.playback, self.scrubber, self.fast_memory

    @property
    def threaded(self) -> tuple[Any, ...]:
        """All that work on threads."""
        return self.strip, self.plots


ViewsFactory = Callable[["OrderDocument", "Theme", QWidget], Views]


def default_views(document: OrderDocument, theme: Theme, parent: QWidget) -> Views:
    """The real ones."""
    from gui.canvas.network.widget import NetworkCanvas
    from gui.editors.network.strip.widget import OrderStrip
    from gui.panels.network.playback.memory import FastMemoryView
    from gui.panels.network.playback.widget import Playback
    from gui.panels.network.plots.plots import PlotsPanel
    from gui.panels.network.scrubber.widget import Scrubber

    playback = Playback.of(document)
    return Views(
        NetworkCanvas(document, theme, "active", parent),
        playback,
        Scrubber(document, playback, theme, parent),
        FastMemoryView(document, theme, "active", parent),
        OrderStrip(document, theme, parent),
        PlotsPanel(document, theme, parent),
    )
