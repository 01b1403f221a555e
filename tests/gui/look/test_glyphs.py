"""Device glyphs: told apart by shape alone, at the size they have on screen."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from gui.look.glyphs import GLYPH_SIZE, glyph_path, paint_glyph
from gui.look.theme import DARK, GLYPHS, LIGHT, DeviceColour, Theme, contrast, device_colours


def drawn(colour: DeviceColour, size: float = GLYPH_SIZE, fill: str = "") -> np.ndarray:
    """Levels 0..1 of a glyph painted in the middle of a white square (float64[12, 12])."""
    image = QImage(12, 12, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    paint_glyph(painter, colour, 6.0, 6.0, size, fill)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(12, 12, 4)
    return 1.0 - pixels[..., :3].mean(axis=2) / 255.0


def test_no_two_glyphs_look_alike_without_colour(qapp: object) -> None:
    shapes = [drawn(colour, fill="#000000") for colour in device_colours(GLYPHS, LIGHT)]
    weight = [shape.sum() for shape in shapes]
    assert min(weight) > 0.4 * max(weight)
    for a, b in combinations(shapes, 2):
        assert np.abs(a - b).sum() > 0.12 * max(weight)


def test_a_glyph_stays_in_its_square(qapp: object) -> None:
    for colour in device_colours(GLYPHS, LIGHT):
        shape = drawn(colour)
        assert shape[:1].sum() + shape[-1:].sum() + shape[:, :1].sum() + shape[:, -1:].sum() < 0.05
        bounds = glyph_path(colour.glyph).boundingRect()
        assert abs(bounds.center().x()) < 0.01 and abs(bounds.center().y()) < 0.05


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_its_edge_is_legible_on_the_band(theme: Theme) -> None:
    assert all(contrast(c.ink, c.band) >= 3.0 for c in device_colours(36, theme))


def test_there_are_no_more_glyphs() -> None:
    with pytest.raises(ValueError, match="choose 0 to 8"):
        glyph_path(GLYPHS)
