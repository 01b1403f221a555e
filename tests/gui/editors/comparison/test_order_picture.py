"""Pictures of orders beside each other, and what stands above each."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.editors.comparison.orders.picture import difference_words, draw_orders
from gui.look.page import PRESETS, Page
from gui.look.theme import THEMES
from gui.widgets.labels import capital
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_network
from planner.problem.provenance import Provenance
from planner.reports.comparison import OrderComparison, compare_orders
from tests.gui.present.slides import written_in


@pytest.fixture
def comparison() -> OrderComparison:
    network = tiny_network()
    problem = NetworkProblem(network, TwoLevelMemory(3))
    orders = (theorem_1_order(network), np.argsort(network.target, kind="stable").astype(np.int32))
    plans = [problem.plan(orders[i % 2], Provenance("by hand"), f"order {i}") for i in range(4)]
    return compare_orders(plans)


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_order_has_a_place_of_its_own(
    qapp: object, comparison: OrderComparison, tmp_path: Path, count: int, theme: str
) -> None:
    path = tmp_path / "orders.png"
    draw_orders(compare_orders(comparison.plans[:count]), Page((900, 600), theme=THEMES[theme])).save(path)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (900, 600)
    columns = count if count < 4 else 2
    pixels = [
        image.copy(900 * (i % columns) // columns, 40 + 280 * (i // columns), 900 // columns, 270)
        for i in range(count)
    ]
    plain = THEMES[theme].panel
    for part in pixels:
        colours = {
            part.pixelColor(x, y).name()
            for x in range(0, part.width(), 3)
            for y in range(0, part.height(), 3)
        }
        assert len(colours) > 8 and plain in colours


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_vector_files(
    qapp: object, comparison: OrderComparison, tmp_path: Path, suffix: str, start: bytes
) -> None:
    path = tmp_path / f"orders{suffix}"
    draw_orders(comparison).save(path)
    assert path.read_bytes().startswith(start)
    if suffix == ".svg":
        words = path.read_text(encoding="utf-8")
        assert "4 orders compared" in words and "order 3" in words
    draw_orders(comparison, title="Four of them").save(path)
    assert suffix != ".svg" or "Four of them" in path.read_text(encoding="utf-8")


def test_words(comparison: OrderComparison) -> None:
    assert difference_words(compare_orders(comparison.plans[:2]), 0) == "B is compared with this order"
    change = comparison.plans[1].objective - comparison.plans[0].objective
    words = difference_words(comparison, 1)
    assert difference_words(comparison, 0) == "The others are compared with this order"
    assert difference_words(comparison, 2) == "as many I/Os against A"
    assert words == "as many I/Os against A" if not change else ("−" in words) == (change < 0)


def longer(comparison: OrderComparison, count: int, target: TwoLevelMemory | None = None) -> OrderComparison:
    """Orders whose names take different numbers of lines; the last on another ``target``."""
    names = ("A", "An order whose name goes on and on and on", "Another one", "D")
    plans = [
        one.problem.plan(one.decision.order, Provenance("by hand"), name)
        for one, name in zip(comparison.plans, names[:count], strict=False)
    ]
    if target is not None:
        problem = NetworkProblem(comparison.network, target)
        plans[-1] = problem.plan(plans[-1].decision.order, Provenance("by hand"), names[count - 1])
    return compare_orders(plans)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_what_is_drawn_begins_and_ends_alike_whatever_is_said_above(
    qapp: object, comparison: OrderComparison, count: int, preset: str
) -> None:
    drawing = draw_orders(longer(comparison, count), PRESETS[preset])
    found = written_in(drawing.file(".svg"))
    above = [line.box for line in found if re.fullmatch(r"0|Layer 0  .*", line.words)]
    below = [line.box for line in found if " reads, " in line.words]
    assert len(above) == len(below) == count
    heights = {round(b.top() - a.top(), 1) for a, b in zip(above, below, strict=True)}
    assert len(heights) == 1 and heights.pop() > 40, "one scale for all"
    rows = {round(box.top(), 1) for box in above}
    columns = {round(box.left(), 1) for box in above}
    assert len(rows) * len(columns) in (count, count + 1), "and one baseline for those beside each other"
    assert len(columns) < count or preset != "column", (
        "where there is little room they stand below each other"
    )
    assert drawing.page.pixels[1] <= PRESETS[preset].pixels[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_what_holds_for_all_is_said_once(qapp: object, comparison: OrderComparison, preset: str) -> None:
    found = [
        line.words for line in written_in(draw_orders(longer(comparison, 2), PRESETS[preset]).file(".svg"))
    ]
    words = " ".join(found)
    assert "\N{HORIZONTAL ELLIPSIS}" not in words, "nothing is cut"
    assert words.count("3 values") == 1 and found.count("first use") == found.count("in fast memory") == 1


def test_memories_that_differ_are_said_of_each(qapp: object, comparison: OrderComparison) -> None:
    compared = longer(comparison, 2, TwoLevelMemory(4))
    words = " ".join(line.words for line in written_in(draw_orders(compared, PRESETS["slide"]).file(".svg")))
    assert capital(compared.differing.sentence) in words
    assert words.count("fast memory of 3 values") == words.count("fast memory of 4 values") == 1
