"""Pictures of orders beside each other, and what stands above each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.editors.comparison.orders.picture import difference_words, draw_orders
from gui.look.page import Page
from gui.look.theme import THEMES
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_network
from planner.problem.provenance import Provenance
from planner.reports.comparison import OrderComparison, compare_orders


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
    change = comparison.plans[1].objective - comparison.plans[0].objective
    words = difference_words(comparison, 1)
    assert difference_words(comparison, 0) == "The others are compared with this order"
    assert difference_words(comparison, 2) == "as many I/Os against A"
    assert words == "as many I/Os against A" if not change else ("−" in words) == (change < 0)
