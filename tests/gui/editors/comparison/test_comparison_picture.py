"""Pictures of comparisons: every view and format, with what they have to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage

from gui.canvas.graph.headers import HEADER_WIDTH
from gui.canvas.graph.naming.blocks import blocks_of
from gui.canvas.graph.picture.strip import TITLE_HEIGHT
from gui.editors.comparison.panels.devices_painter import picture_columns
from gui.editors.comparison.panels.devices_table import device_table
from gui.editors.comparison.panels.figures_painter import fitted, table_height, wrapped
from gui.editors.comparison.panels.figures_words import Cell, Table, figures_table
from gui.editors.comparison.picture import head
from gui.editors.comparison.picture.bands import bands_of
from gui.editors.comparison.picture.head import head_of, moved_of, packed, subtitle_of, title_of
from gui.editors.comparison.picture.legend import APART, legend_of
from gui.editors.comparison.picture.overlaid import OVERLAYS
from gui.editors.comparison.picture.picture import VIEWS, column, composed, draw_comparison
from gui.editors.comparison.picture.scheduled import SCHEDULES
from gui.look.numbers import one_amount
from gui.look.page import PRESETS, SCREEN_DPI, Page
from gui.look.theme import DARK, LIGHT, font
from gui.panels.comparison.canvases import canvases, grid, opposite, paint_canvas
from gui.panels.comparison.marks import ring_width
from gui.panels.comparison.rows import row_headers
from gui.panels.comparison.split_key import moved_pair
from gui.panels.comparison.words import standing_words
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.overlay_head import OverlayHead
from planner.errors import StageboardError
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.reports.comparison import Comparison, compare
from tests.gui.editors.comparison.compare_parts import HAND, comparison_of, pool
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.present.slides import written_in
from tests.gui.scribe import Scribe

A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]
C = [0] * 12


class Sized(Scribe):
    """``sizes``: pixels that the letters of each text are high."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height)
        self.sizes: dict[str, int] = {}

    def drawText(self, rect: QRectF, flags: int, text: str) -> None:  # type: ignore[override]
        """Keep its size, too."""
        self.sizes[text] = self.font().pixelSize()
        super().drawText(rect, flags, text)


class Drawn(Scribe):
    """``rings``: how thick every hollow box with round corners was drawn."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height)
        self.rings: list[float] = []

    def drawRoundedRect(self, rect: QRectF, *radius: float) -> None:  # type: ignore[override]
        """Keep it."""
        if self.brush().style() == Qt.BrushStyle.NoBrush and self.pen().color() == QColor(LIGHT.text):
            self.rings.append(self.pen().widthF())


@pytest.mark.parametrize("view", VIEWS | SCHEDULES | OVERLAYS)
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_every_view_in_every_format(qapp: object, tmp_path: Path, view: str, suffix: str) -> None:
    path = tmp_path / f"c{suffix}"
    draw_comparison(comparison_of(A, B), Page((900, 640), theme=DARK), view).save(path)
    data = path.read_bytes()
    if suffix == ".png":
        image = QImage(str(path))
        assert (image.width(), image.height()) == (900, 640)
        colours = {image.pixel(x, y) for x in range(0, 900, 7) for y in range(0, 640, 7)}
        assert len(colours) > 12
    elif suffix == ".svg":
        text = data.decode()
        assert "proven" not in text  # nothing is
        assert "Bottleneck" in text or view in SCHEDULES | OVERLAYS
        assert "Stage 1" in text or view in ("flow", "overlay")
    else:
        assert data.startswith(b"%PDF")


def test_the_same_comparison_is_the_same_picture(qapp: object, tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        draw_comparison(comparison_of(A, B), Page((900, 640))).save(tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("plans", [(A, B), (A, B, C), (A, B, C, A)])
@pytest.mark.parametrize("size", [(640, 480), (1280, 800), (700, 1200)])
def test_two_to_four_plans_have_their_figures_and_names(
    qapp: object, plans: tuple[list[int], ...], size: tuple[int, int]
) -> None:
    comparison = comparison_of(*plans)
    scribe = Scribe(*size)
    composed(comparison, size, LIGHT, "flow")(scribe)
    scribe.end()
    written = [text for _, text in scribe.written]
    for i in range(len(plans)):
        name = f"{comparison.letter(i)}: {comparison.figures(i).name}"
        assert written.count(name) >= 2  # in the figures and over its canvas
    assert any(text.startswith("Against A") for text in written)
    assert title_of(comparison).startswith("chain   A: first · B: second")


def unlike() -> Comparison:
    """Three plans with long names, two by an objective of three components and one by a time."""
    graph = tpu_graph()
    return compare([
        Problem(graph, EdgeTpuPipeline(count, cache=2 * 2**20), objective).plan(
            np.array(device_of, np.int32), HAND, f"edge-tpu-planner (edge-tpu:{count}, {objective})"
        )
        for count, objective, device_of in (
            (4, "memory-1-2-3", [0, 0, 1, 2, 2, 3]), (4, "inference-time", [0, 0, 1, 1, 2, 3]), (3, "memory-1-2-3", [0, 0, 1, 1, 2, 2]),
        )
    ])  # fmt: skip


@pytest.mark.parametrize("view", ["flow", "lanes", "devices"])
def test_on_a_slide_nothing_of_three_unlike_plans_is_cut(qapp: object, view: str) -> None:
    comparison, (width, height) = unlike(), PRESETS["slide"].room
    scribe = Scribe(round(width), round(height))
    composed(comparison, (width, height), LIGHT, view, brief=True)(scribe)
    scribe.end()
    written = [text for _, text in scribe.written]
    assert not [text for text in written if "\N{HORIZONTAL ELLIPSIS}" in text]
    for i in range(3):
        assert any(f"{comparison.letter(i)}: {comparison.figures(i).name}" in text for text in written)
    assert any(text.startswith("memory ") and ", comm. " in text for text in written)
    assert any(text.startswith("inference time ") for text in written)
    head = head_of(comparison, width - 40, listed=True)
    tables = wrapped(
        fitted(figures_table(comparison, (1, 0), lettered=True, speeds=False), width - 40), width - 40
    )
    assert sum(map(table_height, tables)) <= height / 3
    boxes = [
        rect for rect, text in scribe.written if text and rect.top() < head.height + table_height(tables[0])
    ]
    assert all(rect.right() <= width for rect in boxes)


@pytest.mark.parametrize("plans", [(A, B), ([*A[:9], 3, 3, 3], [*B[:9], 3, 3, 3], [*A[:8], 3, 3, 3, 3])])
def test_devices_fill_a_poster_in_bands_of_whole_columns(qapp: object, plans: tuple[list[int], ...]) -> None:
    comparison, page, slide = comparison_of(*plans), PRESETS["poster"], PRESETS["slide"]
    lines = written_in(draw_comparison(comparison, page, "devices").file(".svg"))
    table = device_table(comparison, (1, 0))
    assert {column.title for column in picture_columns(table, details=True)} <= {line.words for line in lines}
    names = [line for line in lines if line.words == comparison.row_title(2)]
    assert len(names) >= 2  # in each band
    wide, high = (side * SCREEN_DPI / page.dpi for side in page.pixels)
    assert 0.8 * high < max(line.box.bottom() for line in lines) <= high
    shown = written_in(draw_comparison(comparison, slide, "devices").file(".svg"))
    usual = next(line.pixels for line in shown if line.words == comparison.row_title(2))
    assert names[0].pixels / wide >= 0.8 * usual * slide.dpi / SCREEN_DPI / slide.pixels[0]


def test_bands_part_columns_evenly_and_between_what_belongs_together(qapp: object) -> None:
    table = device_table(comparison_of(A, B), (1, 0))
    bands = bands_of(table, 1_000.0, 600.0)
    assert bands is not None
    assert bands_of(table, 1_000.0, 100.0) is None
    whole = bands_of(table, 4_000.0, 200.0)
    assert whole is not None and len(whole.bands) == 1
    told = [[column.part for column in band] for band in bands.bands]
    assert len(told) > 1 and all(parts[0] == "" for parts in told)
    assert {"cost", "memory"} <= {part for parts in told for part in parts}
    assert not any({"cost", "memory"} <= set(parts) for parts in told)


@pytest.mark.parametrize("preset", ["slide", "column", "poster"])
def test_bars_of_both_plans_on_one_canvas_are_explained(qapp: object, preset: str) -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(4, cache=2 * 2**20))
    plans = [np.array(found, np.int32) for found in ([0, 0, 1, 2, 2, 3], [0, 0, 1, 1, 2, 3])]
    told = compare([problem.plan(plan, HAND, name) for plan, name in zip(plans, "xy", strict=True)])
    lines = written_in(draw_comparison(told, PRESETS[preset], "overlay-lanes").file(".svg"))
    words = {line.words for line in lines}
    first, second = (row_headers(told, plan) for plan in (0, 1))
    both = {first.together(second, ("A", "B")).cost_words(d) for d in range(4)}
    apart = {data.bar_words(d) for data in (first, second) for d in range(4)}
    if not {"A", "B"} <= words:
        assert "upper bar A, lower bar B" in words and both <= words
    else:
        assert apart <= words
    assert {"cache", f"whole bar: {first.scale_words}"} <= words


def test_components_alike_in_all_plans_give_way_to_what_is_proven(qapp: object) -> None:
    words = ("A: Compiler's segmentation", "B: Edge TPU, exact")
    cells = [
        ("13.50 MiB", "17.62 MiB", "245.0 KiB", "\N{LESS-THAN OR EQUAL TO} 13.7 %"),
        ("11.66 MiB", "17.62 MiB", "240.0 KiB", "proven optimal"),
    ]
    rows = tuple(
        tuple(
            Cell(text)
            for text in (name, *figures, "valid", "memory \N{MINUS SIGN}1.84 MiB", "\N{MINUS SIGN}13.7 %")
        )
        for name, figures in zip(words, cells, strict=True)
    )
    table = Table(
        ("Plan", "Memory", "Off-chip", "Comm.", "Gap", "Rules", "Against A", ""), rows, ("Off-chip", "Comm.")
    )
    seen = dict.fromkeys(fitted(table, width).titles for width in range(1200, 200, -5))
    assert list(seen) == [
        table.titles,
        ("Plan", "Memory", "Off-chip", "Comm.", "Gap", "Against A", ""),
        ("Plan", "Memory", "Comm.", "Gap", "Against A", ""),
        ("Plan", "Memory", "Comm.", "Gap", "Against A"),
        ("Plan", "Memory", "Gap", "Against A"),
    ]


def test_flows_on_a_slide_are_told_in_whole_parts(qapp: object) -> None:
    comparison, (width, height) = unlike(), PRESETS["slide"].room
    scribe = Scribe(round(width), round(height))
    composed(comparison, (width, height), LIGHT, "sankey", brief=True)(scribe)
    scribe.end()
    told = [text for _, text in scribe.written if " ops move" in text]
    assert len(told) == 2 and not [text for text in told if "\N{HORIZONTAL ELLIPSIS}" in text]


def test_facts_are_packed_in_lines_and_broken_between_words_alone(qapp: object) -> None:
    measure = QFontMetricsF(font(8.5))
    room = measure.horizontalAdvance("one two   three") + 1
    assert packed(["one two", "three"], measure, room) == ["one two   three"]
    assert packed(["one", "two three four five"], measure, room) == ["one", "two three four", "five"]


@pytest.mark.parametrize("plans", [(A, B), (A, B, C), (A, B, C, A)])
@pytest.mark.parametrize("view", VIEWS)
def test_a_column_has_everything_one_below_the_other(
    qapp: object, plans: tuple[list[int], ...], view: str
) -> None:
    comparison, page = comparison_of(*plans), PRESETS["column"]
    high, paint = column(comparison, page.room, LIGHT, view)
    assert 0 < high <= page.room[1]
    assert draw_comparison(comparison, page, view).page.pixels == page.as_high_as(high).pixels
    scribe = Scribe(round(page.room[0]), round(high))
    paint(scribe)
    scribe.end()
    written = [text for _, text in scribe.written]
    assert "Against A" in written
    whole = {"Lower bound", "Gap", "Rules"}
    tables = wrapped(figures_table(comparison, (1, 0), lettered=True, speeds=False), page.room[0] - 40)
    assert len(tables) > 1 and all(table.titles[1] for table in tables)
    for i in range(len(plans)):
        name = f"{comparison.letter(i)}: {comparison.figures(i).name}"
        assert sum(name in text for text in written) >= 1  # whole, in the head or over the canvas
    assert not [text for text in written if "\N{HORIZONTAL ELLIPSIS}" in text]
    if view in ("flow", "lanes"):  # one table: the canvases say the rest
        assert written.count("Plan") == 1 and whole & set(written) == {"Gap"}
        assert sum("   valid" in text for text in written) == len(plans)
    else:
        assert written.count("Plan") == len(tables) and whole <= set(written)


def test_headers_leave_most_of_a_narrow_canvas_to_its_lanes(qapp: object) -> None:
    comparison, box = unlike(), QRectF(0, 0, 674, 219)
    narrow = canvases(comparison, box, LIGHT, "lanes", named=False)
    assert all(0 < 2 * canvas.picture.viewport.left < canvas.box.width() for canvas in narrow)
    for canvas in narrow:
        scene, viewport = canvas.picture.scene, canvas.picture.viewport
        high = viewport.scale * max(lane.band[3] for lane in scene.layout.lanes) * len(scene.layout.lanes)
        assert high > 0.6 * (canvas.box.height() - TITLE_HEIGHT)
        scribe = Scribe(674, 219)
        paint_canvas(scribe, canvas, True)
        scribe.end()
        left = [rect.right() for rect, text in scribe.written if text in row_headers(comparison, 0).own]
        assert all(right <= viewport.left for right in left)
    wide = canvases(comparison, QRectF(0, 0, 1600, 900), LIGHT, "lanes")
    assert {canvas.picture.viewport.left for canvas in wide} == {HEADER_WIDTH}


def test_own_names_of_lanes_are_written_as_their_titles(qapp: object) -> None:
    assert row_headers(unlike(), 2).own == ("Stage 0", "Stage 1", "Stage 2", "absent")


def test_lanes_of_a_column_are_below_each_other(qapp: object) -> None:
    comparison, page = comparison_of(A, B), PRESETS["column"]
    heights = [column(comparison, page.room, LIGHT, view)[0] for view in ("flow", "lanes")]
    tall = Page((1004, 10_000), page.dpi, page.type_size, crop=True)
    assert column(comparison, tall.room, LIGHT, "lanes")[0] == heights[1] > page.usual.room[1]


def test_rings_of_small_cards_are_thin() -> None:
    assert ring_width(5.0) == pytest.approx(0.4) and ring_width(5.0, 1.0) == 1.0
    assert ring_width(40.0) == ring_width(80.0) == 1.5


def test_a_ring_in_a_picture_grows_with_its_card(qapp: object) -> None:
    widths = []
    for n in (12, 240):
        half = [i * 3 // n for i in range(n)]
        comparison = comparison_of(half, [0] * n)
        canvas = canvases(comparison, QRectF(0, 0, 400, 300), LIGHT, "flow")[0]
        picture = Drawn(400, 300)
        paint_canvas(picture, canvas, True)
        picture.end()
        widths.append(picture.rings)
    (few,), (many,) = (set(each) for each in widths)
    assert many < 0.8 <= few <= 1.5


def test_marks_of_the_reference_point_to_the_plan_that_differs_most() -> None:
    comparison = comparison_of(A, A, B, C)
    assert opposite(comparison, 0) == 3
    assert [opposite(comparison, i) for i in (1, 2, 3)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("count", "size", "wanted"),
    [(2, (1600, 600), (2, 1)), (2, (700, 1200), (1, 2)), (4, (1600, 1000), (2, 2)), (3, (1900, 600), (3, 1))],
)
def test_canvases_are_arranged_for_the_format(
    count: int, size: tuple[int, int], wanted: tuple[int, int]
) -> None:
    assert grid(count, *size) == wanted


def test_what_cannot_be_drawn_is_refused_in_a_sentence(qapp: object, tmp_path: Path) -> None:
    comparison = comparison_of(A, B)
    with pytest.raises(StageboardError, match="choose one of these endings"):
        draw_comparison(comparison).save(tmp_path / "c.gif")
    with pytest.raises(StageboardError, match="there is no view 'round'"):
        draw_comparison(comparison, view="round")
    assert not list(tmp_path.glob("c.*"))


def test_dark_pictures_are_dark(qapp: object, tmp_path: Path) -> None:
    draw_comparison(comparison_of(A, B), Page((900, 640), theme=DARK), "devices").save(tmp_path / "d.png")
    assert QImage(str(tmp_path / "d.png")).pixelColor(890, 630).name() == DARK.panel


def test_a_column_of_devices_ends_below_its_last_row(qapp: object) -> None:
    comparison, page = comparison_of(A, B), PRESETS["column"]
    high, paint = column(comparison, page.room, LIGHT, "devices")
    scribe = Scribe(round(page.room[0]), round(high))
    paint(scribe)
    scribe.end()
    lowest = max(rect.bottom() for rect, text in scribe.written if text)
    assert high - 40 < lowest <= high
    assert any("largest change " in text and text[-1].isalnum() for _, text in scribe.written), "not cut"


def test_canvases_and_the_table_have_one_unit(qapp: object) -> None:
    ops = [Op(f"n{i}", f"conv_{i}", work=1.2e-4, work_cpu=1e-3) for i in range(12)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=1e-6) for i in range(11)]
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), Pipeline(3))
    values = [problem.evaluate(np.array(each, np.int32)).objective for each in (C, A)]
    plans = [problem.plan(np.array(each, np.int32), HAND, name) for each, name in ((C, "one"), (A, "even"))]
    units = {one_amount(value, problem.graph.time_unit).split()[-1] for value in values}
    assert len(units) == 2, "each alone would have a unit of its own"
    comparison = compare(plans)
    told = [standing_words(comparison, i).split("   ")[0].split()[-1] for i in range(2)]
    table = [row[1].text.split()[-1] for row in figures_table(comparison, (1, 0)).rows]
    assert len({*told, *table}) == 1


@pytest.mark.parametrize("view", VIEWS | SCHEDULES | OVERLAYS)
def test_every_picture_says_the_machine_in_full(qapp: object, view: str) -> None:
    """Its devices and the settings that are not the usual ones, as a picture of a single plan does."""
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2 * 2**20), "memory-1-2-3")
    compared = compare(
        [problem.plan(np.array(of, np.int32), HAND) for of in ([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 2])]
    )
    drawing = draw_comparison(compared, Page((1200, 800)), view)
    said = [line.words for line in written_in(drawing.file(".svg"))]
    assert any(line.startswith("6 ops on 3 Edge TPUs, ") and "2.00 MiB" in line for line in said), said[:6]
    pools = compare([
        Problem(chain_graph(12), pool(2, 1)).plan(np.array(of, np.int32), HAND) for of in (A, B)
    ])  # fmt: skip
    assert subtitle_of(pools).startswith("12 ops on a device pool of 2 accelerators and 1 CPU")
    counts = compare([
        Problem(chain_graph(12), Pipeline(count)).plan(np.array(A, np.int32), HAND) for count in (3, 4)
    ])  # fmt: skip
    assert subtitle_of(counts).startswith("12 ops, pipeline   ")


@pytest.mark.parametrize("page", [PRESETS["slide"], PRESETS["column"]])
@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_a_picture_explains_the_looks_of_its_canvases(qapp: object, page: Page, view: str) -> None:
    """Pale cards, the figure of the bottleneck, and in a flow the colours, also in a column whose canvases take all room."""
    compared = comparison_of(A, B, C, A)
    drawing = draw_comparison(compared, page, view)
    said = written_in(drawing.file(".svg"))
    words = "   ".join(line.words for line in said)
    assert "pale: not moved" in words and ("amber: bottleneck" in words) is (view == "lanes")
    assert view == "lanes" or "Stage 2" in words
    assert all(line.box.bottom() <= drawing.page.pixels[1] for line in said)


def test_every_plan_of_a_picture_stands_out_alike(qapp: object) -> None:
    table = figures_table(comparison_of(A, B, C), (1, 0), paired=False)
    assert [row[0].strong for row in table.rows] == [True] * 3


@pytest.mark.parametrize("view", VIEWS | SCHEDULES | OVERLAYS)
def test_a_picture_has_the_title_that_it_is_given(qapp: object, view: str) -> None:
    drawing = draw_comparison(comparison_of(A, B), Page((900, 640)), view, title="Two ways to cut")
    assert drawing.title == "Two ways to cut"
    words = [line.words for line in written_in(drawing.file(".svg"))]
    assert "Two ways to cut" in words
    usual = draw_comparison(comparison_of(A, B), Page((900, 640)), view)
    assert usual.title == title_of(comparison_of(A, B))


@pytest.mark.parametrize("view", ["flow", "overlay"])
def test_rows_of_a_flow_have_their_names_in_pictures(qapp: object, view: str) -> None:
    """As on the canvases of the window: in a margin of its own, unless a canvas is too narrow for one."""
    comparison = comparison_of(A, B)
    names = set(blocks_of(comparison.graph))
    for width, there in ((1400, True), (220, False)):
        words = [
            line.words
            for line in written_in(draw_comparison(comparison, Page((width, 700)), view).file(".svg"))
        ]
        assert bool([word for word in words if word.split("–")[0] in names]) == there


def test_a_slide_of_flows_says_whose_colours_they_are(qapp: object) -> None:
    problem = Problem(chain_graph(32), McmPackage(16))
    plans = [
        problem.plan((np.arange(32) // 2).astype(np.int32), HAND),
        problem.plan(np.minimum(15, np.arange(32)).astype(np.int32), HAND),
    ]
    comparison = compare(plans)
    page = PRESETS["slide"]
    words = [one.words for one in written_in(draw_comparison(comparison, page, "flow").file(".svg"))]
    assert all(words.count(f"Chip {d}") == 1 for d in range(16))
    for width in (120.0, 320.0, 900.0):
        legend = legend_of(comparison, width)
        assert [row for row, _ in legend.entries] == list(range(16))
        assert legend.columns * legend.step - APART <= width or legend.columns == 1


def test_the_head_says_where_times_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "times_mark", lambda _: "estimated")
    assert "times estimated" in subtitle_of(comparison_of(A, B))
    marks = iter(["measured", "estimated"])
    monkeypatch.setattr(head, "times_mark", lambda _: next(marks))
    assert "A's times measured, B's times estimated" in subtitle_of(comparison_of(A, B))
    marks = iter(["", "estimated"])
    monkeypatch.setattr(head, "times_mark", lambda _: next(marks))
    assert "times estimated" in subtitle_of(comparison_of(A, B)), "of one for least memory, too"
    monkeypatch.setattr(head, "times_mark", lambda _: "")
    assert "times" not in subtitle_of(comparison_of(A, B))


def test_a_title_too_long_for_a_line_wraps(qapp: object) -> None:
    comparison, measure = comparison_of(A, B), QFontMetricsF(font(12.0, bold=True))
    for title in ("", "A title of its own that is far too long for the column of a paper"):
        head = head_of(comparison, 150.0, title=title)
        assert len(head.titles) > 1 and all(measure.horizontalAdvance(line) <= 150.0 for line in head.titles)
        assert head.height > head_of(comparison, 2000.0, title="short").height


@pytest.mark.parametrize(
    ("first", "second", "pair"), [(A, A, None), ([0] * 6 + [1] * 6, [0] * 9 + [1] * 3, (1, 0)), (A, B, None)]
)
def test_the_mark_of_what_moved_has_the_colours_of_that_move(
    qapp: object, first: list[int], second: list[int], pair: tuple[int, int] | None
) -> None:
    told = comparison_of(first, second)
    shot = OverlayShot(told, (900.0, 500.0), 1.0, LIGHT, "flow", None, np.empty(0, np.int32), 0.5)
    assert moved_pair(shot.over) == pair


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.5, "half A, half B"), (0.0, "shows A"), (1.0, "shows B"), (0.25, "75 % A, 25 % B")],
)
def test_two_plans_on_one_printed_canvas_have_words_in_place_of_a_slider(
    qapp: object, monkeypatch: pytest.MonkeyPatch, share: float, words: str
) -> None:
    told, sliders = comparison_of(A, B), []
    paint = OverlayHead.paint

    def painted(self: OverlayHead, painter: Any, box: Any, theme: Any, slider: Any, share: Any) -> None:
        sliders.append(slider)
        paint(self, painter, box, theme, slider, share)

    monkeypatch.setattr(OverlayHead, "paint", painted)
    svg = draw_comparison(told, PRESETS["slide"], "overlay", share=share).file(".svg")
    said = "   ".join(line.words for line in written_in(svg))
    assert words in said and sliders == [None]
    assert f"{len(told.moved(1))} of 12 ops moved" in said


@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_pictures_of_canvases_say_how_many_ops_moved(qapp: object, view: str) -> None:
    told = comparison_of(A, B)
    said = written_in(draw_comparison(told, PRESETS["slide"], view).file(".svg"))
    assert f"{len(told.moved(1))} of 12 ops moved" in "   ".join(line.words for line in said)
    three = moved_of(comparison_of(A, B, C))
    assert three.startswith("B: ") and ", C: " in three


@pytest.mark.parametrize("height", [380, 330])
def test_low_lanes_of_a_slide_have_their_names(qapp: object, height: int) -> None:
    """Letters below the least are left out of a page: names fill their lanes then, or as many as have room are written, the bottleneck's
    first, in the colour that the head explains."""
    problem = Problem(chain_graph(300), Pipeline(5))
    cuts = ([140, 240, 280, 294], [160, 240, 280, 294])
    plans = [np.searchsorted(cut, np.arange(300), side="right").astype(np.int32) for cut in cuts]
    told = compare([problem.plan(plan, HAND, name) for plan, name in zip(plans, "xy", strict=True)])
    box = QRectF(0, 0, 670, height)
    for canvas in canvases(told, box, LIGHT, "lanes", least=10.0):
        scribe = Sized(670, height)
        paint_canvas(scribe, canvas, True)
        scribe.end()
        words = [word for _, word in scribe.written]
        data = canvas.picture.headers
        assert data is not None and data.titles[data.bottleneck] in words
        assert len([word for word in words if word in data.titles]) >= 2
        assert all(scribe.sizes[word] >= 10 for word in words if word in data.titles)


def test_rows_of_flows_on_a_slide_have_their_names(qapp: object) -> None:
    graph = read_model(sample("resnet101.json"))
    problem = Problem(graph, EdgeTpuPipeline(5))
    plans = [(np.arange(graph.n) >= cut).astype(np.int32) for cut in (150, 174)]
    told = compare([problem.plan(plan, HAND, name) for plan, name in zip(plans, "xy", strict=True)])
    words = [line.words for line in written_in(draw_comparison(told, PRESETS["slide"], "flow").file(".svg"))]
    assert any(word.startswith("conv4_block") for word in words)


@pytest.mark.parametrize("chips", [4, 8, 16])
def test_slides_of_schedules_name_what_sets_the_pace_and_say_what_marks_are(chips: int, qapp: object) -> None:
    ops = [Op(f"op{i}", f"op{i}", work=1e-3 * (1 + i % 3), work_cpu=1e-3, params=1) for i in range(2 * chips)]
    edges = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=1e5) for i in range(2 * chips - 1)]
    problem = Problem(Graph.build("row", ops, edges, time_unit="s"), McmPackage(chips), "chip-latency")
    splits = np.arange(2 * chips) // 2, np.minimum(np.arange(2 * chips), chips - 1)
    plans = [problem.plan(split.astype(np.int32), HAND) for split in splits]
    drawn = draw_comparison(compare(plans), PRESETS["slide"], "schedules").file(".svg")
    words = [each.words for each in written_in(drawn)]
    assert words.count("A") == words.count("B") == 2, "the flags of both, in both charts"
    assert words.count("a sample later") == 2 and {"0", "samples in turn"} <= set(words)
    names = [word for word in words if word.startswith("Chip ")]
    assert len(names) >= (2 * chips if chips <= 8 else chips // 2)
    numbered = any(word.startswith("numbers on bars") for word in words)
    assert numbered == (chips == 4), "where bars are high enough for numbers"
