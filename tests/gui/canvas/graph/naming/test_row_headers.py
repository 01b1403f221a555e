"""Names of the rows of the flow view."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.items import items_of
from gui.canvas.graph.naming import row_headers
from gui.canvas.graph.naming.row_headers import (
    BESIDE,
    CONTRAST,
    TYPE,
    Rows,
    _fitting,
    blocks_of,
    header_width,
    paint_row_headers,
    placed_headers,
    row_name,
    rows_of,
)
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import canvas_palette
from gui.canvas.graph.scene import Scene, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import metrics
from gui.look.theme import DARK, LIGHT, contrast, readable
from gui.present.show import Show
from gui.raster import engine as raster
from planner.formats import read_model
from planner.model.graph import Graph, Op, Tensor
from planner.story.keyframe import Keyframe
from tests.gui.canvas.graph.conftest import MakeHand
from tests.gui.editors.comparison.compare_parts import HAND
from tests.gui.present.slides import written_on
from tests.gui.present.talks import resolved
from tests.gui.present.test_told_apart import spread

SAMPLES = ("resnet50.json", "transformer_encoder.onnx", "unet.onnx", "branchy_int8.tflite")


def sample(name: str) -> Graph:
    return read_model(f"sample_models/{name}")


def fitted(graph: Graph, size: tuple[int, int]) -> tuple[Scene, Viewport, float]:
    width = header_width(graph)
    scene = scene_of(
        items_of(graph, None, frozenset()),
        "flow",
        np.zeros(graph.n, np.int32),
        1,
        (size[0] - width - 24, size[1] - 24),
    )
    viewport = Viewport(*size, left=int(width))
    viewport.fit(scene.layout.bounds, margin=8)
    return scene, viewport, width


def row_names(rows: list[list[str]]) -> list[str]:
    """What all rows of a layout are called."""
    whole = Counter(block for row in rows for block in row)
    return [row_name(row, whole) for row in rows]


def test_a_row_is_called_what_is_in_it() -> None:
    rest = ["layer.2"] * 7
    assert row_names([["layer.1"] * 8 + ["layer.2"], rest]) == ["layer.1", "layer.2"]
    assert row_names([["layer.1"] * 8 + ["layer.2"]]) == ["layer.1–2"]
    three = ["conv1"] * 4 + ["conv2_block1"] * 12 + ["conv2_block2"] * 10 + ["conv2_block3"] * 9
    assert row_names([three]) == ["conv1, conv2_block1–3"], "a small block is not left out"
    assert row_names([["layer.1"] * 3 + ["layer.2"] * 2]) == ["layer.1–2"]
    assert row_names([["stem"] * 2 + ["down.0"] * 4, ["up.1"] * 5 + ["up.0"] + ["head"] * 3]) == [
        "stem, down.0",
        "up.0–1, head",
    ]
    assert row_names([["conv2_block1", "conv2_block2"]]) == ["conv2_block1–2"]
    assert row_names([["layer.9", "layer.10", "layer.11", ""]]) == ["layer.9–11"]
    assert row_names([["head.a", "head.b"]]) == ["head"]
    assert row_names([["a", "b"], ["a", "b", "c"], ["", "", "a"], []]) == ["a, b", "a, b, c", "", ""]
    assert row_names([["a", "b", "c", "d"]]) == ["a – d"]


@given(st.lists(st.lists(st.sampled_from(["", "a", "a_1", "a_2", "b/c", "b/d"]), max_size=9), max_size=4))
def test_a_rows_name_begins_more_than_half_of_it(rows: list[list[str]]) -> None:
    for row, name in zip(rows, row_names(rows), strict=True):
        if " – " in name:
            assert {*name.split(" – ")} <= {*row}
        elif name:
            begins = tuple(re.sub(r"\d+–\d+$", "", part) for part in name.split(", "))
            assert 2 * sum(block.startswith(begins) for block in row) > len(row)


def test_rows_that_stay_as_they_are_keep_their_names_in_another_layout(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, _, _ = fitted(sample("resnet50.json"), (900, 700))
    names = Rows(scene).names
    monkeypatch.setattr(row_headers, "row_name", None)
    assert Rows(scene).names == names and any(names)


def test_blocks_have_short_names_that_differ() -> None:
    assert "layer.7" in blocks_of(sample("transformer_encoder.onnx"))
    assert "conv3_block2" in blocks_of(sample("resnet50.json"))
    assert "block17_8" in blocks_of(sample("inception_resnet_v2.json"))


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size", [(700, 500), (1280, 800), (1920, 1080)])
@pytest.mark.parametrize("model", SAMPLES)
def test_nothing_overlaps_a_header(model: str, size: tuple[int, int]) -> None:
    scene, viewport, width = fitted(sample(model), size)
    headers = placed_headers(scene, viewport, 1.0, width)
    assert headers
    names = {*rows_of(scene).names}
    parts = {part for name in names for part in name.split(", ")}
    shown = {shown.replace("\n", " ") for _, shown in headers if not shown.startswith("…")}
    assert {words.removesuffix(", …") for words in shown} <= names | parts
    edges = [viewport.to_pixels(float(x), 0.0)[0] for x in (*scene.route_x, *scene.x)]
    for i, (box, _) in enumerate(headers):
        assert box.left() >= 0
        assert box.right() <= min(edges)
        for other, _ in headers[i + 1 :]:
            assert not box.intersects(other)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_headers_can_be_read(theme) -> None:
    assert contrast(readable(theme.muted, theme.canvas, theme, CONTRAST), theme.canvas) >= CONTRAST


@pytest.mark.parametrize("name", ["stem, branches", "block35_10, block17_1"])
def test_two_blocks_without_room_stand_below_each_other_or_one_is_named(qapp, name: str) -> None:
    letters = metrics(11, False)
    first, second = name.split(", ")
    room = letters.horizontalAdvance(f"{max(first, second, key=len)},") + 1
    assert _fitting(name, letters, 500.0, 1, False) == [name]
    assert _fitting(name, letters, room, 2, False) == [f"{first},", second]
    assert _fitting(name, letters, room, 1, False)[0].removesuffix(", …") == first
    assert _fitting(name, letters, room, 1, True)[0].removeprefix("…, ") == second
    wide = letters.horizontalAdvance(f"{first}, …") + 1
    assert _fitting(name, letters, wide, 1, False) == [f"{first}, …"], "that there is more is said"
    assert _fitting(second, letters, room / 2, 3, True)[0].startswith("…")


@pytest.mark.parametrize("ratio", [1.0, 1.45, 2.0])
def test_the_longest_block_has_room_with_others_below_it(qapp, ratio: float) -> None:
    """A row that is more than its longest block says so."""
    graph = sample("transformer_encoder.onnx")
    words = (header_width(graph) - 2 * BESIDE) * ratio + 1
    letters = metrics(int(TYPE * ratio), False)
    assert _fitting("embeddings, layer.0", letters, words, 2, False) == ["embeddings,", "layer.0"]


def test_headers_stay_in_sight(qapp) -> None:
    scene, viewport, width = fitted(sample("transformer_encoder.onnx"), (900, 600))
    viewport.zoom(3.0, 900, 300)
    for box, _ in placed_headers(scene, viewport, 1.0, width):
        assert QRectF(0, -40, width, 680).contains(box)
    buffer = raster.new_image(900, 600)
    image = wrap_image(buffer)
    painter = QPainter(image)
    paint_row_headers(painter, scene, viewport, canvas_palette(LIGHT, 1), 1.0, width)
    painter.end()
    assert (buffer[:, : int(width)] != 0).all()  # cards beneath are covered
    assert (buffer[:, int(width) + 1 :] == 0).all()


def test_graphs_without_names_have_no_margin(qapp) -> None:
    graph = Graph.build("plain", [Op(f"n{i}", f"node{i}", "Add") for i in range(6)], [])
    assert header_width(graph) == 0.0
    scene, viewport, width = fitted(graph, (900, 600))
    assert placed_headers(scene, viewport, 1.0, width) == []


def test_the_window_leaves_room_and_its_margin_is_no_card(make_hand: MakeHand) -> None:
    hand = make_hand(sample("resnet50.json"))
    view = hand.view
    assert view.header_width == view.row_header_width > 0
    assert view.viewport.left == int(view.header_width)
    assert min(view.op_rect(op).left() for op in range(view.document.graph.n)) > view.header_width
    view.zoom_by(4.0, QPointF(view.width(), 300))
    inside = QPointF(view.header_width - 2, view.op_rect(0).center().y())
    assert view.item_at(inside) == -1
    hand.lanes()
    assert view.header_width != view.row_header_width


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_a_presented_flow_names_all_of_each_row(size: tuple[int, int]) -> None:
    """In letters that leave two lines more than a row's height, but less than what there is up to the next row."""
    problem, device_of = spread("pipeline:4")
    plan = problem.plan(device_of, HAND, "even")
    show = Show(resolved([(plan, ())], Keyframe("Plan", "", 0, view="flow")), LIGHT, size)
    scene = show.shots.shot(0).stage.scene
    said = {line.words for line in written_on(show, 0)}
    assert rows_of(scene).names[0] == "conv1, conv2_block1"
    assert {"conv1,", "conv2_block1"} <= said or "conv1, conv2_block1" in said


def test_a_row_without_blocks_is_called_what_its_ops_are(qapp) -> None:
    scene, _, _ = fitted(sample("resnet50.json"), (1280, 800))
    assert rows_of(scene).names[-1] == "avg_pool, predictions"


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("last", "told"), [("out/Softmax", "Softmax"), ("out/LayerNormalization", "LayerNorm")]
)
def test_an_op_that_is_alone_in_its_row_is_named_whole_beside_blocks_of_short_names(
    last: str, told: str
) -> None:
    """The margin has room for it as for blocks; what would take too much of it is called by its short form."""
    names = [f"h.{block}/{i}" for block in range(3) for i in range(4)] + [last]
    ops = [Op(name, name, name.rsplit("/", 1)[-1] if name == last else "Add", work=1.0) for name in names]
    tensors = [Tensor(a, (b,), 4.0) for a, b in pairwise(names)]
    scene, viewport, width = fitted(Graph.build("short", ops, tensors), (300, 900))
    assert blocks_of(scene.items.graph)[-1] == ""
    assert rows_of(scene).names[-1] == told
    assert placed_headers(scene, viewport, 1.0, width)[-1][1] == told
