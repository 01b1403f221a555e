"""Broken rules are told from devices of any colour: without hue, by a sign on ops and dark sides of edges."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.painter import paint_cards, paint_edges
from gui.canvas.graph.palette import canvas_palette, packed
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.rules.signs import signs_of
from gui.canvas.graph.scene import Scene, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import DARK, LIGHT, Theme
from gui.raster.engine import new_image
from tests.gui.models import chain_graph

SIZE = 900, 200


def drawn(
    theme: Theme, scale: float, broken: bool, *, vector: bool = False
) -> tuple[Scene, Viewport, np.ndarray]:
    """Two ops of a red-like device at a scale, as pixels (0xRRGGBB); where ``broken``, op 1 and its edge break a rule."""
    scene = scene_of(items_of(chain_graph(6), None, frozenset()), "flow", np.zeros(6, np.int32), 1, SIZE)
    if broken:
        scene.violating = scene.mask(np.array([1]))
    viewport = Viewport()
    viewport.resize(*SIZE)
    viewport.scale, viewport.ox, viewport.oy = scale, 20.0, 20.0
    palette, detail = canvas_palette(theme, 1), scene.detail(scale)
    if vector:
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        image.fill(QColor(theme.canvas))
        painter = QPainter(image)
        paint_graph(painter, scene, viewport, palette, detail)
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0])
    else:
        pixels = new_image(*SIZE, packed(theme.canvas))
        paint_edges(pixels, scene, viewport, palette, detail, 1.0)
        paint_cards(pixels, scene, viewport, palette, detail, 1.0)
    return scene, viewport, np.array(pixels) & 0xFFFFFF


@pytest.mark.parametrize("vector", [False, True], ids=["window", "drawn"])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
@pytest.mark.parametrize("scale", [0.35, 0.7, 1.3])
def test_an_op_that_breaks_a_rule_has_a_pale_bar_on_red(
    theme: Theme, scale: float, vector: bool, qapp: object
) -> None:
    scene, viewport, pixels = drawn(theme, scale, broken=True, vector=vector)
    signs = signs_of(scene, viewport, scene.detail(scale), 1.0)
    assert signs is not None
    x, y = (
        round(float(v))
        for v in viewport.to_pixels(
            signs.bar[0][0] + signs.bar[2][0] / 2, signs.bar[1][0] + signs.bar[3][0] / 2
        )
    )
    bar, card = QColor(int(pixels[y, x])), QColor(theme.card)
    red = QColor(theme.bad)

    def far(one: QColor, other: QColor) -> float:
        return abs(one.lightnessF() - other.lightnessF())

    assert far(bar, card) < far(bar, red), "pale in the middle"
    above = QColor(
        int(pixels[round(float(viewport.to_pixels(0, signs.plate[1][0])[1]) + (2 if scale > 0.5 else 1)), x])
    )
    assert abs((above.hueF() - red.hueF() + 0.5) % 1 - 0.5) < 0.05 and above.saturationF() > 0.3
    assert signs_of(drawn(theme, scale, broken=False)[0], viewport, Detail.CARDS, 1.0) is None


def test_an_edge_that_breaks_a_rule_has_dark_sides(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, viewport, _ = drawn(LIGHT, 1.3, broken=False)
    palette = canvas_palette(LIGHT, 1)

    def dark() -> int:
        pixels = new_image(*SIZE, packed(LIGHT.canvas))
        paint_edges(pixels, scene, viewport, palette, Detail.CARDS, 1.0)
        return int((pixels == packed(LIGHT.text)).sum())

    assert not dark()
    broken = np.zeros(len(scene.items.edge_src), bool)
    broken[0] = True
    monkeypatch.setattr(Scene, "broken_edges", broken)
    assert dark()
