"""What is written on cards, and that it fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QPainter

from gui.canvas.graph.detail import BLOCK_BELOW, CARD_FROM, OVERVIEW_BELOW, Detail, detail_at
from gui.canvas.graph.items import items_of
from gui.canvas.graph.labels import fitting_kind, kind_text, paint_dimmed_labels, paint_labels
from gui.canvas.graph.naming.card_names import elided, short_name
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import canvas_palette
from gui.canvas.graph.scene import STYLE, Scene, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import metrics
from gui.look.theme import LIGHT
from gui.raster import engine as raster
from planner.model.graph import Graph, Op, Tensor
from tests.gui.scribe import Scribe


@pytest.mark.parametrize(
    ("name", "short"),
    [("layer/block/conv", "conv"), ("/a/b/", "b"), ("conv1", "conv1"), ("/", "/"), ("", "")],
)
def test_the_last_part_of_a_scope_is_shown(name: str, short: str) -> None:
    assert short_name(name) == short


@pytest.mark.usefixtures("qapp")
class TestElided:
    @given(st.text(st.characters(min_codepoint=33, max_codepoint=122), max_size=40), st.integers(0, 300))
    def test_never_wider_than_its_room(self, text: str, width: int) -> None:
        room = max(width, metrics(12, False).horizontalAdvance("…"))
        assert metrics(12, False).horizontalAdvance(elided(text, 12, False, width)) <= room + 0.01

    def test_keeps_what_fits_whole(self) -> None:
        assert elided("conv", 12, False, 500) == "conv"

    def test_keeps_the_end_that_tells_ops_apart(self) -> None:
        assert (
            elided("conv2_block1_1_conv", 12, False, 80)
            == "block1_1_conv"[-len(elided("conv2_block1_1_conv", 12, False, 80)) :]
        )
        assert elided("conv2_block1_1_conv", 12, False, 80).endswith("conv")

    def test_keeps_the_number(self) -> None:
        width = int(metrics(12, False).horizontalAdvance("no…123")) + 1
        assert elided("node123", 12, False, width).endswith("123")
        assert "…" in elided("node123", 12, False, width)


def small(names: list[str], kind: str = "Conv", shape: tuple[int, ...] | None = (1, 8, 8, 64)) -> Graph:
    ops = [Op(f"n{i}", name, kind, work=0.5) for i, name in enumerate(names)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 4.0, time=0.0, shape=shape) for i in range(len(names) - 1)]
    return Graph.build("small", ops, tensors)


def scene_at(graph: Graph, card_px: float) -> tuple[Scene, Viewport]:
    scene = scene_of(items_of(graph, None, frozenset()), "flow", np.zeros(graph.n, np.int32), 1, (900, 600))
    viewport = Viewport(900, 600)
    viewport.fit(scene.layout.bounds)
    viewport.zoom(card_px / STYLE.card_h / viewport.scale, 0, 0)
    viewport.keep_near(scene.layout.bounds, 200)
    return scene, viewport


def written(graph: Graph, card_px: float, most: int = 700) -> int:
    """How many pixels text touched."""
    scene, viewport = scene_at(graph, card_px)
    buffer = raster.new_image(900, 600)
    image = wrap_image(buffer)
    painter = QPainter(image)
    paint_labels(painter, scene, viewport, canvas_palette(LIGHT, 1), detail_at(card_px), 1.0, most)
    painter.end()
    return int((buffer != 0).sum())


def test_levels_of_detail() -> None:
    assert detail_at(OVERVIEW_BELOW - 0.1) == Detail.OVERVIEW
    assert detail_at(OVERVIEW_BELOW) == Detail.BLOCKS
    assert detail_at(BLOCK_BELOW) == Detail.LABELS
    assert detail_at(CARD_FROM) == Detail.CARDS


def test_names_appear_as_cards_come_near(qapp) -> None:
    graph = small([f"conv_{i}" for i in range(6)])
    assert written(graph, 8) == 0
    assert written(graph, 16) > 0
    assert written(graph, 40) > written(graph, 16)


def test_no_labels_where_there_would_be_too_many(qapp) -> None:
    assert written(small([f"conv_{i}" for i in range(6)]), 16, most=5) == 0


@pytest.mark.parametrize("found", [[1], []])
def test_names_of_what_is_not_found_step_back_and_stay(qapp, found: list[int]) -> None:
    scene, viewport = scene_at(small([f"conv_{i}" for i in range(6)]), 40)
    scribe = Scribe(900, 600)
    paint_dimmed_labels(scribe, scene, viewport, canvas_palette(LIGHT, 1), Detail.CARDS, 1.0)
    assert not scribe.written, "nothing is looked for"
    scene.highlighted[found], scene.all_faded = True, True
    paint_labels(scribe, scene, viewport, canvas_palette(LIGHT, 1), Detail.CARDS, 1.0)
    names = [f"conv_{i}" for i in found]
    assert [text for _, text in scribe.written if text.startswith("conv_")] == names
    paint_dimmed_labels(scribe, scene, viewport, canvas_palette(LIGHT, 1), Detail.CARDS, 1.0)
    scribe.end()
    assert {text for _, text in scribe.written if text.startswith("conv_")} == {f"conv_{i}" for i in range(6)}


def test_kind_and_shape_without_the_batch() -> None:
    scene, _ = scene_at(small(["first", "second"]), 40)
    assert kind_text(scene, 0) == "Conv 8×8×64"
    assert kind_text(scene, 1) == "Conv"


def test_a_shape_is_shown_whole_or_not_at_all(qapp) -> None:
    scene, _ = scene_at(small(["first", "conv_2"]), 40)
    assert fitting_kind(scene, 0, 11, 500) == "Conv 8×8×64"
    assert fitting_kind(scene, 0, 11, 40) == "Conv"
    scene, _ = scene_at(small(["conv_1", "second"]), 40)
    assert fitting_kind(scene, 0, 11, 500) == "8×8×64"
    assert fitting_kind(scene, 0, 11, 10) == ""


def test_the_kind_is_not_said_twice() -> None:
    scene, _ = scene_at(small(["a/conv_1", "b"]), 40)
    assert kind_text(scene, 0) == "8×8×64"
    scene, _ = scene_at(small(["a/conv_1", "b"], shape=None), 40)
    assert kind_text(scene, 0) == "Conv"


def test_an_op_called_by_its_kind_has_its_name_beneath(qapp) -> None:
    ops = [
        Op("a", "net/expand/Relu", "CONV_2D"),
        Op("b", "net/average", "AVERAGE_POOL_2D"),
        Op("c", "net/x", "RELU"),
    ]
    scene, _ = scene_at(Graph.build("g", ops, []), 40)
    assert fitting_kind(scene, 0, 11, 500, "CONV_2D") == "net/expand/Relu"
    assert (
        fitting_kind(scene, 0, 11, int(metrics(11, False).horizontalAdvance("Relu")) + 1, "CONV_2D") == "Relu"
    )
    assert fitting_kind(scene, 0, 11, 3, "CONV_2D") == ""
    narrow = int(metrics(11, False).horizontalAdvance("AvgPool")) + 1
    assert fitting_kind(scene, 1, 11, narrow, "average") == "AvgPool"


@pytest.mark.usefixtures("qapp")
def test_all_cards_write_their_work_in_one_unit() -> None:
    ops = [Op(f"op{i}", "Conv", work=work) for i, work in enumerate((2e-3, 3.1e-4, 4.7e-5))]
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=1.0) for i in range(2)]
    graph = Graph.build("g", ops, tensors, time_unit="s")
    scene = scene_of(items_of(graph, None, frozenset()), "flow", np.zeros(3, np.int32), 1, (1200, 400))
    viewport = Viewport(1200, 400, scale=1.5)
    viewport.fit(scene.layout.bounds, largest=2.0)
    scribe = Scribe(1200, 400)
    paint_labels(scribe, scene, viewport, canvas_palette(LIGHT, 1), Detail.CARDS, 1.0)
    scribe.end()
    times = [text for _, text in scribe.written if text.endswith("s") and text[0].isdigit()]
    assert times == ["2.00 ms", "0.31 ms", "0.05 ms"] or [t.split()[1] for t in times] == ["ms"] * 3
