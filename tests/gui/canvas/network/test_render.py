"""Pictures of networks as files: every kind of file, both views, any moment, and refusals in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.canvas.network.colours import ink_of
from gui.canvas.network.layout import first_use
from gui.canvas.network.layout_matrix import Panel
from gui.canvas.network.lens import Lens, Shown
from gui.canvas.network.matrix import MatrixPicture
from gui.canvas.network.picture import SHAPE, draw_network
from gui.canvas.network.titles import panel_title, picture_title
from gui.look.page import PRESETS, Page
from gui.look.theme import DARK, LIGHT
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


def test_a_column_is_as_high_as_its_matrix_needs(qapp: object) -> None:
    """What is drawn has the proportions that it has on a wide page, however many lines stand above and below it."""
    problem = NetworkProblem(layered_network((60, 40, 20, 5), 0.3), TwoLevelMemory(6))
    order = shuffled_order(problem.network)
    for title in ("Short", "A title of so many words that a column has room for no more than a few of them"):
        drawing = draw_network(problem, order, PRESETS["column"], title, view="matrix")
        found = written_in(drawing.file(".svg"))
        above = next(line.box.top() for line in found if line.words.startswith("Layer 0"))
        below = next(line.box.top() for line in found if "beyond the bound" in line.words)
        width, height = (side * 96 / 300 for side in drawing.page.pixels)
        assert SHAPE * width - 30 < below - above < SHAPE * width
        assert below < height < PRESETS["column"].pixels[1] * 96 / 300
    wide = draw_network(problem, order, Page(crop=True), "Short", view="matrix")
    assert wide.page.pixels == (1600, 1000), "a page of usual proportions stays as it is"


def test_fast_memory_is_said_once(qapp: object) -> None:
    problem = NetworkProblem(layered_network(), TwoLevelMemory(6))
    title = picture_title(problem, "Portfolio")
    data = draw_network(problem, shuffled_order(problem.network), PRESETS["column"], title).file(".svg")
    words = " ".join(line.words for line in written_in(data))
    assert words.count("6 values") == 1 and words.count("MIN") == 1
    assert title == "layered, Portfolio"


@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0])
def test_few_connections_are_enlarged_alike_at_every_resolution(ratio: float) -> None:
    """Of many, rows that are lower than two pixels would run together."""
    network = layered_network((60, 40), 0.3)
    order = shuffled_order(network)
    when = np.argsort(order).astype(np.int32)
    shown = Shown(network, order, when, first_use(network, order), True, ink_of(LIGHT))
    for room, enlarged in (((140.0, 100.0), False), ((600.0, 100.0), True)):
        picture = MatrixPicture(shown, room)
        lens = Lens(ratio=ratio)
        lens.resize(round(room[0] * ratio), round(room[1] * ratio))
        lens.whole()
        picture._place(lens)
        rows = picture._pixels[1]
        high = (rows[:, 1] - rows[:, 0]).max()
        panel = picture.layout.panels[0]
        usual = -(-panel.h * ratio // panel.rows)
        assert (high > usual) == enlarged, (room, high, usual)
