"""What a screen reader is told of a network's picture: its layers or panels, and the neurons on screen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QRect, QRectF

from gui.canvas.network.lens import Lens, Shown
from gui.canvas.network.words import neuron_kind, neuron_rows
from gui.widgets.accessible import Item, Role

if TYPE_CHECKING:
    from gui.canvas.network.links import LinksPicture
    from gui.canvas.network.matrix import MatrixPicture
    from gui.document.network.document import OrderDocument
    from planner.machines.two_level_memory.trace import Trace


class Pictured(Protocol):
    """The widget that shows the picture."""

    document: OrderDocument
    lens: Lens
    picture: MatrixPicture | LinksPicture | None

    @property
    def trace(self) -> Trace | None:
        """What happens along the order drawn, once known."""

    def prepare(self) -> Shown | None:
        """What is drawn, up to date; None where there is nothing."""

    def rect(self) -> QRect:
        """All of it."""


class PictureTold:
    """The items of a picture: ``("part", i)`` a layer or a panel, ``("neuron", n)``."""

    def __init__(self, view: Pictured) -> None:
        self._view = view

    def keys(self) -> Sequence[Hashable]:
        """The selected neuron, parts in sight, then neurons that can be told apart."""
        view = self._view
        if view.prepare() is None or view.picture is None:
            return []
        room = QRectF(view.rect())
        parts = view.picture.parts(view.lens)
        chosen = self.current()
        keys: list[Hashable] = [] if chosen is None else [chosen]
        keys += [("part", i) for i, (_, rect) in enumerate(parts) if rect.intersects(room)]
        neurons = [("neuron", n) for n in view.picture.neurons_in_sight(view.lens).tolist()]
        return keys + [key for key in neurons if key != chosen]

    def current(self) -> tuple[str, int] | None:
        """The neuron that is selected."""
        chosen = self._view.document.selection
        return ("neuron", chosen) if chosen >= 0 else None

    def item(self, key: Hashable) -> Item | None:
        """A part or a neuron."""
        view, shown = self._view, self._view.prepare()
        assert isinstance(key, tuple)
        kind, i = key
        if shown is None or view.picture is None:
            return None
        if kind == "part":
            parts = view.picture.parts(view.lens)
            return Item(*parts[i], Role.Section) if i < len(parts) else None
        if i >= shown.network.neuron_count:
            return None
        ratio = view.lens.ratio
        x, y = (v / ratio for v in view.lens.to_pixels(*view.picture.place_of(i)))
        size = max(6.0, view.picture.dot(i) * view.lens.scale / ratio)
        return Item(
            f"{shown.network.neuron_name(i)}, {neuron_kind(shown, i)}",
            QRectF(x - size / 2, y - size / 2, size, size), Role.ListItem,
            ", ".join(f"{what} {value}" for what, value in neuron_rows(shown, view.trace, i)),
            i == view.document.selection, lambda: view.document.select(i),
        )  # fmt: skip
