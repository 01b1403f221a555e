"""The ribbon as a picture: an order's connections in the colours of the layers, or the neurons, that they lead into."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from gui.canvas.network.colours import layer_colour
from gui.editors.network.strip.kernels import by_share, in_sequence
from gui.look.theme import Theme, shift_lightness
from planner.model.graph import Ints
from planner.model.network import Network

LAYERS, NEURONS = "layers", "neurons"
SHADES = 9
"""Neurons of a layer are told apart by so many shades of its colour, from its first to its last neuron."""
SPREAD = 0.24
"""How far apart in lightness the darkest and the lightest shade are."""


def layer_colours(network: Network, theme: Theme) -> list[str]:
    """The colour of each layer, as everywhere in the window of a network."""
    return [layer_colour(layer, theme) for layer in range(network.depth + 1)]


class Ribbon:
    """Pictures of one order under one colouring; the last one is kept."""

    def __init__(self, network: Network, order: Ints, mode: str, theme: Theme) -> None:
        self.mode = mode
        into = network.target[order]
        layers = layer_colours(network, theme)
        if mode == LAYERS:
            self._colours = network.layer[into]
            self._palette = _pixels(layers)
        else:
            self._colours = neuron_shades(network)[into]
            middle = (SHADES - 1) / 2
            self._palette = _pixels([
                shift_lightness(colour, SPREAD * (shade - middle) / (SHADES - 1))
                for colour in layers
                for shade in range(SHADES)
            ])  # fmt: skip
        self._kept: tuple[tuple[float, float, int, int, float], QImage] | None = None

    def image(self, left: float, per_pixel: float, width: int, height: int, ratio: float) -> QImage:
        """``width`` x ``height`` device pixels, ``ratio`` of them per pixel, from position ``left`` on."""
        key = (left, per_pixel, width, height, ratio)
        if self._kept is not None and self._kept[0] == key:
            return self._kept[1]
        pixels = np.zeros((height, width), np.uint32)
        draw = by_share if self.mode == LAYERS else in_sequence
        draw(self._colours, self._palette, left, per_pixel / ratio, pixels)
        image = QImage(
            pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied
        ).copy()
        image.setDevicePixelRatio(ratio)
        self._kept = key, image
        return image


def neuron_shades(network: Network) -> Ints:
    """Which colour of the palette each neuron has: its layer's, in a shade by its place there (int32[N])."""
    sizes = network.layer_sizes.astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    place = network.rank - starts[network.layer]
    shade = place * SHADES // np.maximum(sizes[network.layer], 1)
    return (network.layer * SHADES + shade).astype(np.int32)


def _pixels(colours: list[str]) -> np.ndarray:
    return np.array([0xFF000000 | int(colour[1:], 16) for colour in colours], np.uint32)
