"""The package: what passes through chips, how they are arranged, what is painted, and the picture as a file."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.document.plan.preview import check
from gui.look.drawn import Drawing
from gui.look.numbers import share_text
from gui.look.page import PRESETS, Page
from gui.look.theme import DARK, LIGHT, THEMES, Theme, device_colours
from gui.panels.mcm.ink import heat, share_of, thickness
from gui.panels.mcm.layout import folded_layout, package_layout
from gui.panels.mcm.legend import paint_legend
from gui.panels.mcm.memory_painter import chip_memory, paint_chip_memory, plot_of
from gui.panels.mcm.painter import Marks, paint_package
from gui.panels.mcm.picture import BANDS, _placed, draw_package, pointed_violation
from gui.panels.mcm.state import (
    MOST_OVER,
    ChipState,
    Package,
    RulePath,
    is_package,
    mcm_evaluator,
    package_of,
    rule_path,
    slowest_of,
    through_bytes,
)
from gui.panels.mcm.words import NO_BREAK, chip_html, chip_rows, chip_spoken, held_words, link_html, summary
from planner.errors import StageboardError
from planner.machines.mcm.target import McmPackage
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.package_models import TIDY, TRIANGLE, package_problem
from tests.gui.present.slides import written_in
from tests.gui.scribe import Scribe

MIB = 2.0**20


def package(device_of: np.ndarray = TIDY, **settings: Any) -> Package:
    problem = package_problem(**settings)
    return package_of(problem, device_of, problem.evaluate(device_of))


# ---------------------------------------------------------------------- figures
@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), min_size=12, max_size=12), st.booleans())
def test_what_passes_through_is_what_skips_a_chip(devices: list[int], copies: bool) -> None:
    graph = chain_graph(12)
    problem = Problem(graph, McmPackage(5, copy_sources=1 if copies else 0))
    evaluator, device_of = mcm_evaluator(problem), np.array(devices, np.int32)
    expected = np.zeros(5)
    for t in range(graph.tensor_count):
        u = int(graph.tensor_producer[t])
        readers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]].tolist()
        far = max([devices[v] for v in readers], default=0)
        if not evaluator.copied[u]:
            expected[devices[u] + 1 : far] += evaluator.size[t]
    through, links = through_bytes(evaluator, device_of), evaluator.links(device_of)
    assert through == pytest.approx(expected)
    assert (through[1:-1] <= links[1:-1] + 1e-9).all()


def test_a_package_says_what_each_chip_pays_and_holds() -> None:
    chips = package().chips
    assert [chip.ops for chip in chips] == [2, 2, 2, 0]
    assert [chip.parameters / MIB for chip in chips] == [8, 8, 12, 0]
    assert chips[0].link > 0
    assert chips[2].link == 0
    assert [chip.bottleneck for chip in chips].count(True) == 1
    assert not any(chip.broken for chip in chips)
    assert package(sram=8 * MIB).overfull(2)
    assert package(TRIANGLE, sram=8 * MIB).full == MOST_OVER * 8 * MIB, (
        "a chip too full does not hide the others"
    )
    assert package(sram=float("inf")).full == max(chip.memory for chip in chips)
    assert Package().full == 1.0
    assert not is_package(None)


def test_a_broken_triangle_has_two_paths() -> None:
    problem = package_problem()
    evaluation = problem.evaluate(TRIANGLE)
    (violation,) = evaluation.violations
    assert rule_path(violation) == RulePath((0, 2), (0, 1, 2))
    assert rule_path(None) is None
    assert pointed_violation(()) is None
    assert pointed_violation(evaluation.violations) is violation
    shown = package_of(problem, TRIANGLE, evaluation, pointed=violation)
    assert shown.path is not None
    assert [chip.broken for chip in shown.chips] == [True, True, True, False]


def test_words_name_every_figure() -> None:
    shown = package(TRIANGLE, sram=20 * MIB)
    rows = dict(chip_rows(shown, 1))
    assert rows["holds"] == "1 op"
    assert rows["parameters"] == "4.00 MiB"
    assert "link to chip 2" in rows
    assert "passes through" in rows
    assert "breaks a rule" in chip_html(shown, 1)
    assert "more than fits" in chip_spoken(shown, 2)
    assert "Chip 0 \N{RIGHTWARDS ARROW} Chip 1" in link_html(shown, 0)
    assert "link to chip 4" not in dict(chip_rows(shown, 3))
    problem = package_problem()
    said = summary(shown, problem.evaluate(TRIANGLE)).replace(NO_BREAK, " ")
    assert said.startswith("4 chips, 3 used   slowest chip ")
    assert "samples/s" in said
    assert "busiest link" in said
    nothing = package(np.zeros(6, np.int32))
    assert "busiest" not in summary(nothing, problem.evaluate(np.zeros(6, np.int32)))
    assert "nothing" in link_html(nothing, 0)


def test_an_empty_graph_has_no_slowest_chip() -> None:
    problem = Problem(Graph.build("none", [], [], time_unit=None), McmPackage(2))
    shown = package_of(problem, np.empty(0, np.int32), problem.evaluate(np.empty(0, np.int32)))
    assert not any(chip.bottleneck for chip in shown.chips)
    said = summary(shown, problem.evaluate(np.empty(0, np.int32)))
    assert said.replace(NO_BREAK, " ").startswith("2 chips, 0 used")


# ---------------------------------------------------------------------- arrangement
@pytest.mark.parametrize("count", [1, 2, 5, 12, 36, 37, 64])
@pytest.mark.parametrize("size", [(404, 224), (744, 180), (180, 260), (1500, 700)])
def test_chips_wind_through_the_room(count: int, size: tuple[int, int]) -> None:
    room = QRectF(8, 4, *size)
    layout = package_layout(count, room)
    assert len(layout.boxes) == count
    for box in layout.boxes:
        assert room.adjusted(-0.01, -0.01, 0.01, 0.01).contains(box)
    assert not any(a.adjusted(1, 1, -1, -1).intersects(b) for a, b in combinations(layout.boxes, 2))
    for chip, (a, b) in enumerate(pairwise(layout.boxes)):
        same_row = a.top() == b.top()
        assert same_row or abs(a.center().x() - b.center().x()) < 1e-6, "a turn leads straight down"
        path = layout.link(chip)
        assert room.adjusted(-2, -2, 2, 2).contains(path.boundingRect().adjusted(-1, -1, 1, 1))
        assert layout.chip_at(a.center().x(), a.center().y()) == chip
    widest = max(box.width() for box in layout.boxes)
    if count == 36 and size == (404, 224):
        assert widest >= 34, "two digits and a mark fit"
        assert layout.boxes[0].height() >= 36


@pytest.mark.parametrize("count", [1, 4, 9, 36, 64])
def test_columns_are_a_property_of_the_package(count: int) -> None:
    """Simulating takes a line of the panel, a dock is dragged: no chip goes to another row."""
    rooms = [QRectF(0, 0, *size) for size in ((420, 250), (420, 180), (900, 150), (240, 600))]
    assert len({package_layout(count, room).columns for room in rooms}) == 1
    assert all(folded_layout(count, 4, room).columns <= package_layout(count, room).columns for room in rooms)


def test_walking_goes_to_what_stands_beside() -> None:
    layout = package_layout(36, QRectF(0, 0, 420, 250))
    columns = layout.columns
    assert layout.beside(0, 1, 0) == 1
    assert layout.beside(0, 0, 1) == 2 * columns - 1
    assert layout.beside(columns, -1, 0) == columns + 1
    assert layout.beside(0, -1, 0) == 0
    assert layout.beside(0, 0, -1) == 0
    middle = layout.link(3).pointAtPercent(0.5)
    assert layout.link_at(middle.x(), middle.y()) == 3
    assert layout.link_at(-50, -50) == -1
    assert package_layout(0, QRectF(0, 0, 10, 10)).boxes == ()


# ---------------------------------------------------------------------- painting
def painted(shown: Package, theme: Theme, size: tuple[int, int], marks: Marks) -> tuple[QImage, Any]:
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    layout = package_layout(len(shown.chips), QRectF(8, 8, size[0] - 16, size[1] - 30))
    painter = QPainter(image)
    paint_package(painter, layout, shown, theme, marks)
    paint_legend(painter, QRectF(8, size[1] - 20, size[0] - 16, 18), shown, theme, layout)
    painter.end()
    return image, layout


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(("count", "size"), [(4, (700, 200)), (36, (420, 250)), (64, (200, 120))])
def test_every_state_is_painted(qapp: Any, theme: Theme, count: int, size: tuple[int, int]) -> None:
    problem = package_problem(count, sram=8 * MIB)
    evaluation = problem.evaluate(TRIANGLE)
    live = problem.evaluator.live(TRIANGLE)
    previews = [None, check(live, np.array([1], np.int32), [])]
    assert previews[1] is not None
    previews[1].target = 2
    previews[1].reachable = np.arange(count) < 3
    for preview in previews:
        shown = package_of(
            problem, TRIANGLE, evaluation, selection=np.array([0], np.int32), preview=preview,
            pointed=pointed_violation(evaluation.violations),
        )  # fmt: skip
        painted(shown, theme, size, Marks(1, 0, 2))


def test_parameters_and_load_have_their_places(qapp: Any) -> None:
    shown = package()
    image, layout = painted(shown, LIGHT, (700, 130), Marks())
    box = layout.boxes[0]
    colours = [
        image.pixelColor(int(box.left()) + 8, y).name() for y in range(int(box.top()) + 16, int(box.bottom()))
    ]
    assert device_colours(4, LIGHT)[0].accent in colours
    assert (LIGHT.warning if shown.chips[0].bottleneck else LIGHT.muted) in colours


def test_links_are_thicker_and_hotter_the_more_they_carry() -> None:
    for theme in (LIGHT, DARK):
        assert heat(0.0, theme) != heat(0.5, theme) != heat(1.0, theme)
        assert heat(1.0, theme) == theme.warning, "what is busy breaks no rule"
    assert thickness(0.0) < thickness(0.5) < thickness(1.0)
    assert share_of(1.0, 0.0) == 0.0


# ---------------------------------------------------------------------- files
@pytest.mark.parametrize(
    ("suffix", "theme", "size", "plan"),
    [
        (".png", "light", (1600, 1000), TIDY),
        (".svg", "dark", (800, 500), TRIANGLE),
        (".pdf", "light", (400, 300), TIDY),
    ],
)
def test_a_plan_becomes_a_file(
    qapp: Any, tmp_path: Path, suffix: str, theme: str, size: tuple[int, int], plan: np.ndarray
) -> None:
    file = tmp_path / f"package{suffix}"
    draw_package(package_problem(36), plan, Page(size, theme=THEMES[theme]), "six ops").save(file)
    assert file.stat().st_size > 1000


def test_a_column_is_as_high_as_what_is_on_it(qapp: Any) -> None:
    """Chips as wide as the page leave no empty bands above and below them."""
    problem = package_problem()
    evaluation = problem.evaluate(np.array(TIDY, np.int32))
    page = draw_package(problem, np.array(TIDY, np.int32), PRESETS["column"], "six ops").page
    package = package_of(problem, np.array(TIDY, np.int32), evaluation)
    assert _placed(page, problem, package, evaluation, "six ops", ()).spare <= BANDS + 1.0
    assert page.pixels[1] < PRESETS["column"].pixels[1]


def test_a_poster_is_filled_and_its_chart_and_its_mark_are_explained(qapp: Any, tmp_path: Path) -> None:
    problem, plan = package_problem(), np.array(TIDY, np.int32)
    evaluation = problem.evaluate(plan)
    page = PRESETS["poster"].usual
    shown = _placed(page, problem, package_of(problem, plan, evaluation), evaluation, "six ops", ())
    boxes = shown.layout.boxes
    assert boxes[-1].right() - boxes[0].left() > 0.9 * shown.inner.width()
    high = max(box.bottom() for box in boxes) - min(box.top() for box in boxes)
    assert high + shown.chart > 0.6 * shown.inner.height()
    file = tmp_path / "package.svg"
    draw_package(problem, plan, PRESETS["poster"], "six ops").save(file)
    words = [line.words for line in written_in(file.read_bytes())]
    assert {"op 1", "in running order", "its memory is below"} <= set(words)


def test_another_target_has_no_package(tmp_path: Path) -> None:
    problem = Problem(tpu_graph(), DevicePool(2, 1))
    with pytest.raises(StageboardError, match="choose --view lanes"):
        draw_package(problem, np.zeros(6, np.int32)).save(tmp_path / "pool.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("width", [200, 900])
def test_the_heading_of_a_memory_goes_into_two_lines_where_it_is_narrow(qapp: Any, width: int) -> None:
    problem = package_problem()
    memory = chip_memory(problem, np.array(TIDY, np.int32), 1)
    rect = QRectF(0, 0, width, 160)
    scribe = Scribe(width, 160)
    paint_chip_memory(
        scribe, rect, memory, device_colours(4, LIGHT)[1], LIGHT, np.zeros(len(memory.ops), bool)
    )
    scribe.end()
    (first, head), (second, op) = scribe.written[:2]
    assert head.startswith("Chip 1: ") and head.endswith(" at most")
    assert memory.names[memory.peak] in op
    assert (second.top() > first.top()) == (width == 200)
    assert plot_of(rect).top() >= second.bottom()


def test_every_chip_has_its_number_however_small(qapp: Any) -> None:
    problem, device_of = Problem(chain_graph(40), McmPackage(36)), np.zeros(40, np.int32)
    shown = package_of(problem, device_of, problem.evaluate(device_of))
    for width in (260, 340, 420, 900):
        layout = package_layout(36, QRectF(0, 0, width, 150))
        scribe = Scribe(width, 150)
        paint_package(scribe, layout, shown, LIGHT, Marks())
        scribe.end()
        written = {text.removeprefix("Chip ") for _, text in scribe.written}
        assert {str(chip) for chip in range(36)} <= written, width


@pytest.mark.parametrize(
    ("count", "used", "folded"), [(36, 4, True), (36, 30, False), (6, 2, False), (5, 0, False)]
)
def test_many_unused_chips_are_small(count: int, used: int, folded: bool) -> None:
    rect = QRectF(0, 0, 900, 400)
    layout = folded_layout(count, used, rect)
    assert len(layout.boxes) + len(layout.small) == count and bool(layout.small) == folded
    if folded:
        assert len(layout.boxes) == used
        lowest = max(box.bottom() for box in layout.boxes)
        assert all(rect.contains(box) and box.top() > lowest for box in layout.small)
        assert layout.boxes[0].width() > 2 * package_layout(count, rect).boxes[0].width()


def test_chips_stand_in_so_few_columns_that_they_have_room_for_their_figures() -> None:
    rect = QRectF(0, 0, 300, 420)
    usual, fewer = folded_layout(12, 12, rect), folded_layout(12, 12, rect, 60.0)
    assert usual.columns == 6 and fewer.columns == 4
    assert all(rect.contains(box) and box.width() >= 60.0 for box in fewer.boxes)
    assert folded_layout(12, 12, rect, 30.0).columns == 6, "the usual ones where these have room"
    assert folded_layout(36, 36, rect, 60.0).columns == folded_layout(36, 36, rect).columns, (
        "too low otherwise"
    )
    assert folded_layout(36, 10, rect, 60.0).columns < folded_layout(36, 10, rect).columns, (
        "above unused ones"
    )


def test_in_a_column_of_a_paper_twelve_chips_have_their_figures(qapp: Any, tmp_path: Path) -> None:
    file = tmp_path / "package.svg"
    draw_package(package_problem(12), TIDY, PRESETS["column"]).save(file)
    words = {line.words for line in written_in(file.read_bytes())}
    drawn = package(count=12)
    running = [(number, chip) for number, chip in enumerate(drawn.chips) if chip.ops]
    assert running
    for number, chip in running:
        assert drawn.time_text(chip.cost) in words
        assert {drawn.held_text(chip.memory), held_words(drawn, number)} & words


@pytest.mark.parametrize("width", [420, 1000, 1600])
def test_chips_of_a_picture_say_what_they_hold_in_one_form(qapp: Any, tmp_path: Path, width: int) -> None:
    """Of what they can hold, all of them or none; and what is said of the slowest chip is said once."""
    file = tmp_path / "package.svg"
    draw_package(package_problem(9, sram=256 * MIB), TIDY, Page((width, 700))).save(file)
    words = [line.words for line in written_in(file.read_bytes())]
    drawn = package(count=9, sram=256 * MIB)
    shares = {held_words(drawn, chip) for chip in range(9)}
    assert shares <= set(words) or not shares & set(words)
    package_ = package(count=9)
    told = package_.slowest
    evaluation = package_problem(9).evaluate(TIDY)
    assert "slowest" in summary(package_, evaluation, told)
    assert f"{NO_BREAK}1:" not in summary(package_, evaluation, told).partition("fullest")[0]


def test_chips_that_are_equally_slow_are_all_the_slowest(qapp: Any) -> None:
    problem = package_problem(9)
    drawn = package(count=9)
    assert sum(chip.bottleneck for chip in drawn.chips) == 1
    tied = replace(
        drawn, chips=tuple(replace(chip, bottleneck=d in (0, 2)) for d, chip in enumerate(drawn.chips))
    )
    said = summary(tied, problem.evaluate(TIDY)).replace(NO_BREAK, " ")
    assert "slowest chips 0 and 2: " in said
    assert slowest_of(np.array([1.0, 3.0, 3.0 * (1 - 1e-12), 2.0])).tolist() == [False, True, True, False]
    many = replace(drawn, chips=tuple(replace(chip, bottleneck=True) for chip in drawn.chips))
    assert "slowest chips 0, 1 and 7 more" in summary(many, problem.evaluate(TIDY)).replace(NO_BREAK, " ")


def test_figures_of_chips_are_written_wherever_all_have_room(qapp: Any) -> None:
    """In chips of a column, too, which are narrow and high."""
    page = Page((1004, 2362), dpi=300, type_size=0.8, crop=True, floor=6.0, printed=True)
    words = [line.words for line in written_in(draw_package(package_problem(9), TIDY, page).file(".svg"))]
    drawn = package(count=9)
    assert {drawn.time_text(chip.cost) for chip in drawn.chips} <= set(words)


def test_a_picture_says_how_much_too_full_chips_are(qapp: Any, tmp_path: Path) -> None:
    file = tmp_path / "package.svg"
    draw_package(package_problem(36, sram=MIB, check_memory=False), TIDY, Page((1200, 700))).save(file)
    words = [line.words for line in written_in(file.read_bytes())]
    assert any("valid, memory rule off" in line for line in words)
    assert "33 unused, chips 3 to 35" in words
    assert "more than fits (! or \N{MULTIPLICATION SIGN}, bar broken off)" in words
    most = max(chip.memory for chip in package(sram=MIB).chips) / MIB
    assert any(line.startswith(f"{most:.3g}\N{MULTIPLICATION SIGN}") for line in words)


@pytest.mark.parametrize(("count", "size"), [(4, (1200, 700)), (36, (1200, 700)), (36, (420, 300))])
def test_the_sign_of_the_slowest_chip_is_explained_where_it_is(
    qapp: Any, count: int, size: tuple[int, int]
) -> None:
    """Elsewhere the word stands on the chip."""
    shown = package(count=count)
    layout = package_layout(count, QRectF(8, 8, size[0] - 16, size[1] - 60))

    def paint(painter: QPainter) -> None:
        paint_package(painter, layout, shown, LIGHT, Marks())
        paint_legend(painter, QRectF(8, size[1] - 50, size[0] - 16, 45), shown, LIGHT, layout)

    drawing = Drawing(Page(size), "", lambda painter, _: paint(painter))
    words = [line.words for line in written_in(drawing.file(".svg"))]
    sign = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"
    assert (sign in words) != ("slowest" in words)
    assert any(line.startswith("of the slowest chip") for line in words)
    assert any(f"({sign})" in line for line in words) == (sign in words)


def test_all_times_of_a_package_are_in_one_unit_and_bytes_as_on_the_canvas() -> None:
    """A chip that takes 40 µs beside one that takes 2 ms, and 80 KiB beside memories of 20 MiB: plates and lanes keep its digits."""
    state = ChipState("Chip 0", 1, 0.0, 2e-3, 0.0, 2e-3, 4.0 * MIB, 0.0, 3.0 * MIB, 0.0)
    small = replace(state, title="Chip 1", work=4e-5, cost=4e-5, parameters=80 * 1024.0, link=90 * 1024.0)
    shown = Package((state, small, replace(small, title="Chip 2")), sram=20.0 * MIB, unit="s")
    rows = dict(chip_rows(shown, 1))
    assert rows["chip latency"].startswith("0.04 ms") and rows["receive"] == "0 ms"
    assert rows["memory"] == share_text(80 * 1024.0, 20.0 * MIB) == "80.0 KiB / 20.00 MiB"
    assert rows["parameters"] == bytes_text(80 * 1024.0) == "80.0 KiB"
    assert rows["link to chip 2"] == bytes_text(90 * 1024.0) == "90.0 KiB"
