"""What both views of a network share: the window onto the scene, the moment shown, and what a place of the picture holds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gui.canvas.graph.viewport import Viewport
from gui.canvas.network.colours import Ink
from planner.model.graph import Ints
from planner.model.network import Network

LARGEST_SCALE = 96.0
"""Device pixels per scene unit: one connection of thousands per row can be looked at."""
NOTHING: Ints = np.empty(0, np.int32)


@dataclass
class Lens(Viewport):
    """A viewport that goes nearer than that of a graph. ``ratio`` is device pixels per logical pixel."""

    ratio: float = 1.0

    def zoom(self, factor: float, px: float, py: float) -> None:
        """Zoom by ``factor`` around a pixel, within limits."""
        x, y = self.to_scene(px, py)
        self.scale = min(LARGEST_SCALE * self.ratio, max(0.5 * self.ratio, self.scale * factor))
        self.ox, self.oy = px - x * self.scale, py - y * self.scale

    def whole(self) -> None:
        """Show the whole scene, which is as large as the window."""
        self.scale, self.ox, self.oy = self.ratio, 0.0, 0.0

    @property
    def is_whole(self) -> bool:
        """Whether exactly the whole scene is shown."""
        return (self.scale, self.ox, self.oy) == (self.ratio, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Shown:
    """An order of a network's connections, ready to be drawn."""

    network: Network
    order: Ints
    when: Ints
    """The position of each connection in the order (int32[W])."""
    first: Ints
    """The position at which each neuron is first used (int32[N])."""
    sorted: bool
    """Whether neurons stand by first use rather than by number."""
    ink: Ink

    @property
    def places(self) -> Ints | None:
        """What neurons are sorted by; None for their numbers."""
        return self.first if self.sorted else None


@dataclass(frozen=True, eq=False)
class Hit:
    """What is at a place: a ``neuron`` (-1: none), or the ``connections`` (ids) there."""

    neuron: int = -1
    connections: Ints = field(default_factory=lambda: NOTHING)

    def __bool__(self) -> bool:
        return self.neuron >= 0 or len(self.connections) > 0
