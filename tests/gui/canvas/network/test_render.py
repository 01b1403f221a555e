"""Pictures of networks as files: every kind of file, both views, any moment, and refusals in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.canvas.network.layout_matrix import Panel
from gui.canvas.network.picture import draw_network
from gui.canvas.network.titles import panel_title
from gui.look.page import PRESETS, Page
from gui.look.theme import DARK
from planner.errors import PlanError, StageboardError
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from tests.gui.editors.network.models import layered_network, shuffled_order
from tests.gui.present.slides import written_in


@pytest.fixture
def problem() -> NetworkProblem:
    return NetworkProblem(layered_network(), TwoLevelMemory(6))


@pytest.mark.parametrize("view", ["links", "matrix"])
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_every_kind_of_file(
    qapp: object, tmp_path: Path, problem: NetworkProblem, suffix: str, view: str
) -> None:
    file = tmp_path / f"network{suffix}"
    draw_network(problem, shuffled_order(problem.network), Page((400, 300)), view=view, position=40).save(
        file
    )
    head = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert file.read_bytes().startswith(head)
    if suffix == ".png":
        image = QImage(str(file))
        assert (image.width(), image.height()) == (400, 300)
    if suffix == ".svg" and view == "links":
        assert file.read_text().count("<path") >= problem.network.connection_count


def test_moments_and_themes_differ(qapp: object, tmp_path: Path, problem: NetworkProblem) -> None:
    order, seen = shuffled_order(problem.network), []
    for i, more in enumerate(
        (
            {},
            {"position": 0},
            {"position": 30},
            {"page": Page((300, 200), theme=DARK)},
            {"by_first_use": False},
        )
    ):
        file = tmp_path / f"{i}.png"
        draw_network(problem, order, **{"page": Page((300, 200)), **more}).save(file)  # type: ignore[arg-type]
        seen.append(file.read_bytes())
    assert len(set(seen)) == len(seen)


def test_what_cannot_be_drawn_is_said(qapp: object, problem: NetworkProblem) -> None:
    order = shuffled_order(problem.network)
    with pytest.raises(StageboardError, match="choose 0 to"):
        draw_network(problem, order, position=len(order) + 1)
    with pytest.raises(PlanError):
        draw_network(problem, np.zeros(len(order), np.int32))


def test_broken_orders_are_drawn_and_bounds_told(
    qapp: object, tmp_path: Path, problem: NetworkProblem
) -> None:
    bound = problem.bound("ios", 1.0, "theorem-1", frozenset())
    for name, order in (
        ("good", shuffled_order(problem.network)),
        ("bad", shuffled_order(problem.network)[::-1]),
    ):
        draw_network(problem, order.copy(), Page((600, 400)), bounds=(bound,)).save(tmp_path / f"{name}.svg")
    assert "gap" in (tmp_path / "good.svg").read_text()
    assert "1 violation" in (tmp_path / "bad.svg").read_text()


def test_what_lies_beyond_the_bound_is_said_of_all_ios(qapp: object, problem: NetworkProblem) -> None:
    order = shuffled_order(problem.network)
    data = draw_network(problem, order, Page((1280, 720))).file(".svg").decode()
    cost = problem.evaluate(order)
    whole = f"{cost.reads + cost.writes:,} I/Os ({cost.reads:,} reads, {cost.writes:,} writes), "
    assert whole in data and "beyond the bound" in data and "of them" not in data


def test_a_narrow_picture_wraps_its_title_and_names_the_rule_that_makes_room(
    qapp: object, problem: NetworkProblem
) -> None:
    title = "a network of four layers on memory:30, by the planner of Theorem 1"
    data = draw_network(problem, shuffled_order(problem.network), PRESETS["column"], title).file(".svg")
    words = [line.words for line in written_in(bytes(data))]
    assert not [text for text in words if "\N{HORIZONTAL ELLIPSIS}" in text]
    assert " ".join(words).startswith(title) and title not in words
    assert any("evicts " in text for text in words)


def test_panels_with_little_room_name_their_layers_alone(qapp: object) -> None:
    panel = Panel(3, 4, 100, 1, 100, 0.0, 0.0, 40.0, 100.0)
    assert panel_title(panel, False, 40.0) in ("L3 \N{RIGHTWARDS ARROW} 4", "\N{RIGHTWARDS ARROW} 4")
