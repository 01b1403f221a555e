"""Names on blocks can be read on whatever these are filled with, and pages that play stories write them in the same inks."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from gui.canvas.graph.block_colours import FADED, Ink, block_fills, block_ink, write_on_block
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.painter import paint_cards
from gui.canvas.graph.palette import CanvasPalette, canvas_palette, packed, plain_words
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.scene import Scene, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import DARK, LIGHT, READABLE, Theme, contrast, laid_over
from gui.present.html.scenes import palette_data
from gui.raster import engine as raster
from planner.model.graph import Graph, Op
from planner.model.groups import numbered

ROOT = Path(__file__).resolve().parents[4]
BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
K = 36
"""As many devices as have colours of their own."""


def folded(pairs: list[tuple[int, int]], view: str = "flow") -> Scene:
    """Groups of two ops, on the devices of each pair."""
    n = 2 * len(pairs)
    graph = Graph.build("g", [Op(f"n{i}", f"op {i}", "Add", work=1.0) for i in range(n)], [])
    groups = numbered([i // 2 for i in range(n)])
    items = items_of(graph, groups, frozenset(range(len(pairs))))
    return scene_of(items, view, np.array(pairs, np.int32).ravel(), K, (900, 600))


def seen(scene: Scene, palette: CanvasPalette, item: int, device: int, quiet: bool) -> str:
    """What is seen of a device's part of a block, layer over layer."""
    share = FADED if quiet else 1.0
    theme = palette.theme
    under = palette.devices[int(scene.device[item])].band if scene.layout.lanes else theme.canvas
    whole = laid_over(hexed(int(block_fills(scene, palette)[item])), under, share)
    return laid_over(hexed(int(palette.block[device])), whole, share) if scene.mixed[item] else whole


def hexed(colour: int) -> str:
    return f"#{colour & 0xFFFFFF:06x}"


@BOTH
@pytest.mark.parametrize("view", ["flow", "lanes"])
@pytest.mark.parametrize("quiet", [False, True], ids=["plain", "dimmed"])
def test_names_are_read_on_blocks_of_all_devices(theme: Theme, view: str, quiet: bool) -> None:
    pairs = [(d, d) for d in range(K)] + [(d, (d + 1 + d % 5) % K) for d in range(K)]
    scene, usual = folded(pairs, view), canvas_palette(theme, K)
    palette = plain_words(usual) if quiet else usual
    fills = block_fills(scene, palette)
    for item, pair in enumerate(pairs):
        ink = block_ink(scene, palette, fills[item], item, 0.0, 1.0)
        for device in pair:
            ground = ink.plate or seen(scene, palette, item, device, quiet)
            assert contrast(laid_over(ink.colour, ground, ink.opacity), ground) >= READABLE, (item, pair)
        assert pair[0] != pair[1] or not ink.plate, "only parts of several colours need a plate"


@BOTH
def test_what_breaks_a_rule_and_what_is_selected_is_read_too(theme: Theme) -> None:
    scene, palette = folded([(d, d) for d in range(K)]), canvas_palette(theme, K)
    for name in ("violating", "selected"):
        other = replace(scene, **{name: np.ones(K, bool)})
        for item, fill in enumerate(block_fills(other, palette).tolist()):
            ink = block_ink(other, palette, fill, item, 0.0, 1.0)
            assert contrast(ink.colour, hexed(fill)) >= READABLE


def test_only_the_parts_under_the_words_count() -> None:
    palette = canvas_palette(LIGHT, K)
    scene = folded([(0, 1)])
    fills = block_fills(scene, palette)
    alone = folded([(0, 0)])
    assert block_ink(scene, palette, fills[0], 0, 0.05, 0.45) == block_ink(
        alone, palette, fills[0], 0, 0.05, 0.45
    )


@BOTH
def test_blocks_drawn_as_shapes_have_the_colours_of_painted_ones(theme: Theme, qtbot: QtBot) -> None:
    scene, palette = folded([(0, 0), (1, 1), (2, 3)]), canvas_palette(theme, K)
    viewport = Viewport(900, 600)
    viewport.fit(scene.layout.bounds)
    painted = raster.new_image(900, 600)
    raster.fill(painted, None, packed(theme.canvas), replace=True)
    paint_cards(painted, scene, viewport, palette, Detail.BLOCKS, 1.0)
    drawn = QImage(900, 600, QImage.Format.Format_RGB32)
    drawn.fill(QColor(theme.canvas))
    painter = QPainter(drawn)
    paint_graph(painter, scene, viewport, palette, Detail.BLOCKS, names=False)
    painter.end()
    for item in range(3):
        x, y = viewport.to_pixels(scene.x[item] + 0.8 * scene.w[item], scene.y[item] + 0.5 * scene.h[item])
        assert drawn.pixelColor(int(x), int(y)).name() == hexed(int(painted[int(y), int(x)]))


def test_a_plate_lies_under_the_words(qtbot: QtBot) -> None:
    image = QImage(100, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("#123456"))
    painter = QPainter(image)
    write_on_block(painter, "", 40.0, QRectF(10, 0, 80, 30), Ink("#000000", 1.0, "#fedcba"), 1.0)
    painter.end()
    assert [image.pixelColor(x, 15).name() for x in (30, 70)] == ["#fedcba", "#123456"]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_pages_write_names_in_the_same_inks(tmp_path: Path) -> None:
    pairs = [*((d, d) for d in range(12)), *((d, (d + 1 + d % 5) % 12) for d in range(12))]
    cases: list[dict[str, Any]] = []
    expected = []
    for theme, view, quiet in product((LIGHT, DARK), ("flow", "lanes"), (False, True)):
        scene, usual = folded(pairs, view), canvas_palette(theme, K)
        palette = plain_words(usual) if quiet else usual
        parts, fills = scene.splits, block_fills(scene, palette)
        rows = (parts.item, parts.device, parts.start, parts.end)
        cases.append({
            "stage": {
                "device": scene.device.tolist(), "bad": [0] * len(pairs), "graph": {"model": [0] * len(pairs)},
                "layout": {"lanes": [0] * len(scene.layout.lanes)},
                "splits": [list(row) for row in zip(*(a.tolist() for a in rows), strict=True)],
            },
            "palette": palette_data(theme, K), "quiet": quiet,
            "theme": {name: getattr(theme, name) for name in ("text", "card", "canvas", "bad")},
        })  # fmt: skip
        expected.append([list(block_ink(scene, palette, fills[i], i, 0.1, 0.9)) for i in range(len(pairs))])
    folder = ROOT / "gui" / "present" / "html" / "player"
    script = (folder / "scene.js").read_text() + (folder / "inks.js").read_text()
    script += f"const CASES = {json.dumps(cases)};\n" + (
        "console.log(JSON.stringify(CASES.map(({ stage, palette, theme, quiet }) => stage.device.map((_, i) => {"
        " const ink = blockInk(stage, palette, theme, i, 0.1, 0.9, quiet); return [ink.colour, ink.opacity, ink.plate]; }))));"
    )
    (tmp_path / "check.js").write_text(script)
    ended = subprocess.run(["node", str(tmp_path / "check.js")], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == expected
    assert str(FADED) in (folder / "scene.js").read_text()
