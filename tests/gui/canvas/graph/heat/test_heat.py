"""Heat maps: what they show of each card, in colours that are read and told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from defusedxml import ElementTree
from PySide6.QtGui import QImage, QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.heat.heat import COLOURINGS, STEPS, Heat, colourings_of, heat_of
from gui.canvas.graph.heat.legend import HEIGHT, MARGIN, WIDTH, paint_heat_legend
from gui.canvas.graph.heat.ramps import ramp
from gui.canvas.graph.items import items_of
from gui.canvas.graph.painter import paint_scene
from gui.canvas.graph.palette import canvas_palette
from gui.canvas.graph.picture.picture import compose, draw_graph
from gui.canvas.graph.tooltip import op_tooltip
from gui.canvas.graph.view import CanvasView
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import metrics
from gui.look.numbers import DASH, ratio_text
from gui.look.page import Page
from gui.look.theme import DARK, LIGHT, READABLE, Theme, contrast, device_colours, luminance, oklab
from gui.raster import engine as raster
from planner.evaluation.estimates import op_times
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel, bytes_moved, fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import GroupView
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem
from tests.gui.canvas.graph.conftest import MakeHand
from tests.gui.look.test_theme import BLINDNESS, seen
from tests.gui.models import chain_graph


def measured_graph() -> Graph:
    """Four ops in a row, of which three were measured: twice, a quarter and a thousand times of what is estimated."""
    ops = [Op(name, name, "Conv", macs=1e9) for name in "abcd"]
    graph = Graph.build("g", ops, [Tensor(a, (b,), 1e6) for a, b in ("ab", "bc", "cd")])
    estimate = CostModel().estimate(graph)[0]
    times = {
        name: OpTime(float(estimate[v]) * f)
        for v, (name, f) in enumerate((("a", 2.0), ("b", 0.25), ("c", 1000.0)))
    }
    return fill(with_times_of(graph, [Use(OpTimes(times, "t", "me"))]))


def test_time_is_that_of_the_device_an_op_is_on() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=1.0) for i, w in enumerate((1.0, 0.1, 0.001, 1e-9, 0.0))]
    problem = Problem(Graph.build("g", ops, []), DevicePool(1, 1))
    items = items_of(problem.graph, None, frozenset())
    heat = heat_of(problem, np.zeros(5, np.int32), items, "time")
    assert heat is not None
    assert heat.step.tolist() == [STEPS - 1, 43, 0, 0, -1]
    assert [place for place, _ in heat.ticks] == [0.0, 1 / 3, 2 / 3, 1.0]
    assert heat.ticks[-1][1] == "1.0 s"
    moved = heat_of(problem, np.array([0, 0, 0, 0, 1], np.int32), items, "time")
    assert moved is not None and moved.step[4] == STEPS - 1


@pytest.mark.parametrize(("least", "first"), [(1.2e-2, "12 ms"), (0.9, "125 ms"), (1e-6, "1.0 ms")])
def test_a_scale_begins_at_the_least_amount(least: float, first: str) -> None:
    """But not where that hardly differs from the most, or is less than a thousandth of it."""
    ops = [
        Op(name, name, work=work, work_cpu=1.0) for name, work in (("a", 1.0), ("b", least), ("none", 0.0))
    ]
    problem = Problem(Graph.build("g", ops, [], time_unit="s"), DevicePool(1, 1))
    heat = heat_of(problem, np.zeros(3, np.int32), items_of(problem.graph, None, frozenset()), "time")
    assert heat is not None and (heat.ticks[0][1], heat.ticks[-1][1]) == (first, "1.0 s")
    assert heat.step[[0, 2]].tolist() == [STEPS - 1, -1] and (heat.step[1] == 0) == (least < 0.1)


def test_bytes_are_what_the_cost_model_counts() -> None:
    problem = Problem(measured_graph(), Pipeline(2))
    heat = heat_of(problem, np.zeros(4, np.int32), items_of(problem.graph, None, frozenset()), "bytes")
    assert heat is not None
    moved = bytes_moved(problem.graph)
    assert (np.argsort(heat.step, kind="stable") == np.argsort(moved, kind="stable")).all()


def test_an_input_moves_its_bytes() -> None:
    ops = [Op("in", "in", "Input"), Op("a", "a", "Conv", macs=1e9), Op("view", "view", "Reshape")]
    graph = fill(Graph.build("g", ops, [Tensor("in", ("a",), 1e6), Tensor("a", ("view",), 2e6)]))
    problem = Problem(graph, Pipeline(2))
    heat = heat_of(problem, np.zeros(3, np.int32), items_of(graph, None, frozenset()), "bytes")
    assert heat is not None and bytes_moved(graph)[0] == 0.0
    assert heat.values.tolist() == [1e6, 3e6, 0.0] and heat.step[0] >= 0 and heat.step[2] == -1


@pytest.mark.parametrize(
    ("what", "word", "texts"),
    [
        ("time", "time", None),
        ("bytes", "bytes moved", ["0.95 MiB", "1.91 MiB", "1.91 MiB", "0.95 MiB"]),
        ("ratio", "measured over estimated", ["2 x", "0.25 x", "1,000 x", DASH]),
    ],
)
def test_cards_and_tooltips_say_what_they_are_coloured_by(
    make_hand: MakeHand, what: str, word: str, texts: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = make_hand(measured_graph(), Pipeline(2))
    hand.view.set_colouring(what)
    scene = hand.view.scene
    assert scene is not None and scene.heat is not None and scene.heat.word == word
    said = [scene.heat.value_text(i) for i in range(4)]
    assert texts is None or said == texts
    assert len({text.partition(" ")[2] for text in said if text != DASH}) == 1, "one unit"
    if what == "time":
        assert said == [scene.work_column.text(float(work)) for work in scene.item_work]
    else:
        assert f"{word} {said[0]}" in hand.view.card_words(0)[1]
        assert said[0] in op_tooltip(hand.document, scene.items, 0, scene.heat)
    asked: list[int] = []

    def ask(heat: Heat, item: int) -> str:
        asked.append(item)
        return "42 units"

    monkeypatch.setattr(Heat, "value_text", ask)
    viewport = Viewport(1600, 400)
    viewport.fit(scene.layout.bounds, largest=1.0)
    buffer = raster.new_image(1600, 400)
    assert paint_scene(buffer, scene, viewport, canvas_palette(LIGHT, 2), 1.0) == Detail.CARDS
    assert sorted(asked) == [0, 1, 2, 3]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("view", ["flow", "lanes", "stages"])
def test_one_value_has_one_colour_in_all_views(qapp, theme: Theme, view: str) -> None:
    problem, halves = Problem(measured_graph(), Pipeline(2)), np.array([0, 0, 1, 1], np.int32)
    made = ramp(theme, False)
    scene = compose(problem, halves, Page((900, 640), theme=theme), view, colouring="bytes").scene
    assert scene.heat is not None
    viewport = Viewport(900, 640)
    viewport.fit(scene.layout.bounds, largest=1.0)
    buffer = raster.new_image(900, 640)
    detail = paint_scene(buffer, scene, viewport, canvas_palette(theme, 2), 1.0, text=False)
    assert detail >= Detail.LABELS or view == "stages"
    for i in range(4):
        x, y = viewport.to_pixels(
            float(scene.x[i] + 0.75 * scene.w[i]), float(scene.y[i] + 0.75 * scene.h[i])
        )
        assert int(buffer[int(y), int(x)]) & 0xFFFFFF == int(made.fills[scene.heat.step[i]]) & 0xFFFFFF


def test_measured_over_estimated_goes_both_ways() -> None:
    problem = Problem(measured_graph(), Pipeline(2))
    device_of = np.zeros(4, np.int32)
    heat = heat_of(problem, device_of, items_of(problem.graph, None, frozenset()), "ratio")
    assert heat is not None and heat.both_ways
    middle = (STEPS - 1) / 2
    np.testing.assert_allclose(
        heat.step, [middle * (1 + 1 / 3), middle * (1 - 2 / 3), STEPS - 1, -1], atol=0.6
    )
    assert [tick for _, tick in heat.ticks] == ["⅛x", "¼x", "½x", "1x", "2x", "4x", "8x"]
    np.testing.assert_allclose([place for place, _ in heat.ticks], np.arange(7) / 6)
    np.testing.assert_allclose(op_times(problem, device_of).ratio, [2.0, 0.25, 1000.0, np.nan])
    grouping = GroupView(np.zeros(4, np.int32), ("all",))
    folded = heat_of(problem, device_of, items_of(problem.graph, grouping, frozenset({0})), "ratio")
    assert folded is not None and folded.step.tolist() == [STEPS - 1]


def test_half_and_twice_are_equally_far_from_once() -> None:
    ops = [Op(name, name, "Conv", macs=1e9) for name in "abcde"]
    graph = Graph.build("g", ops, [])
    estimate = CostModel().estimate(graph)[0]
    times = {
        op.name: OpTime(float(estimate[v]) * f)
        for v, (op, f) in enumerate(zip(ops, (1.0, 0.5, 2.0, 0.2, 5.0), strict=True))
    }
    problem = Problem(fill(with_times_of(graph, [Use(OpTimes(times, "t", "me"))])), Pipeline(2))
    heat = heat_of(problem, np.zeros(5, np.int32), items_of(problem.graph, None, frozenset()), "ratio")
    assert heat is not None
    once, half, twice, fifth, five = heat.step.tolist()
    assert once == STEPS // 2 and STEPS % 2 == 1, "1 x has the middle colour"
    assert once - half == twice - once > 0 and once - fifth == five - once > twice - once


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_both_sides_of_a_ratio_are_equally_strong(theme: Theme) -> None:
    colours = ramp(theme, True).colours[:-1]
    middle = oklab(colours[STEPS // 2])
    assert abs(middle[1]) < 0.005 and abs(middle[2]) < 0.005, "1 x is neutral"
    for less, more in zip(colours, reversed(colours), strict=True):
        far = [np.linalg.norm(np.subtract(oklab(colour), middle)) for colour in (less, more)]
        assert far[0] == pytest.approx(far[1], abs=0.02)
        assert oklab(less)[0] == pytest.approx(oklab(more)[0], abs=0.02)
    for vision in BLINDNESS.values():
        for step in range(STEPS // 2 - STEPS // 10):
            told = [oklab(seen(colours[at], vision)) for at in (step, STEPS - 1 - step)]
            assert np.linalg.norm(np.subtract(*told)) > 0.08, "less and more are told apart"


def test_what_there_is_nothing_of_is_not_offered() -> None:
    problem = Problem(chain_graph(6), Pipeline(2))
    items = items_of(problem.graph, None, frozenset())
    assert colourings_of(problem) == ("stage", "time", "bytes")
    assert colourings_of(Problem(measured_graph(), Pipeline(2))) == tuple(COLOURINGS)
    assert heat_of(problem, np.zeros(6, np.int32), items, "ratio") is None
    assert heat_of(problem, np.zeros(6, np.int32), items, "stage") is None
    idle = Problem(Graph.build("g", [Op("a", "a", work=0.0, work_cpu=0.0)], []), Pipeline(2))
    assert heat_of(idle, np.zeros(1, np.int32), items_of(idle.graph, None, frozenset()), "time") is None


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("both_ways", [False, True])
def test_ramps_are_read_without_hue_and_under_words(theme: Theme, both_ways: bool) -> None:
    made = ramp(theme, both_ways)
    assert len(made.fills) == len(made.colours) == len(made.inks) == STEPS + 1
    light = np.array([luminance(colour) for colour in made.colours[:-1]])
    step = np.diff(light)
    if both_ways:
        half = STEPS // 2
        assert (step[: half - 1] > 0).all() != theme.dark
        assert (step[half + 1 :] > 0).all() == theme.dark
    else:
        assert (step > 0).all() if theme.dark else (step < 0).all()
    for whole, colour, ink in zip(made.fills, made.colours, made.inks, strict=True):
        assert f"#{int(whole) & 0xFFFFFF:06x}" == colour and contrast(ink, colour) >= READABLE
    if not both_ways:
        hottest = oklab(made.colours[-2])
        for device in device_colours(8, theme):
            assert np.linalg.norm(np.subtract(hottest, oklab(device.accent))) > 0.08, device.accent


def test_the_canvas_shows_it_and_follows(make_hand: MakeHand) -> None:
    hand = make_hand(measured_graph(), Pipeline(2))
    view: CanvasView = hand.view
    said: list[str] = []
    view.colouring_changed.connect(said.append)
    before = view.grab().toImage()
    view.set_colouring("time")
    view.set_colouring("time")
    assert said == ["time"]
    assert view.scene is not None and view.scene.heat is not None and view.scene.heat.what == "time"
    assert view.grab().toImage() != before
    for name in ("lanes", "stages", "flow"):
        view.set_view(name)
        hand.settle()
        assert view.scene.heat is not None
        view.grab()
    view.set_colouring("ratio")
    assert view.scene.heat.what == "ratio"
    hand.document.open_graph(chain_graph(8), target=Pipeline(2))
    hand.settle()
    assert view.scene is not None and view.scene.heat is None, "nothing of it was measured"
    view.set_colouring("stage")
    with pytest.raises(ValueError, match="none of stage"):
        view.set_colouring("mood")


@pytest.mark.parametrize("view", ["flow", "lanes", "stages"])
def test_the_scale_covers_no_card(make_hand: MakeHand, view: str) -> None:
    hand = make_hand(chain_graph(40), Pipeline(3), (640, 420))
    hand.document.set_assignment(np.arange(40) * 3 // 40, "edit", "even")
    hand.view.set_view(view)
    hand.settle()

    def lowest() -> float:
        return max(hand.view.op_rect(op).bottom() for op in range(40))

    before, top = lowest(), hand.view.height() - HEIGHT - MARGIN
    hand.view.set_colouring("time")
    hand.settle()
    assert lowest() <= top < hand.view.height()
    hand.view.resize(700, 460)
    hand.settle()
    assert lowest() <= hand.view.height() - HEIGHT - MARGIN
    hand.view.resize(640, 420)
    hand.view.set_colouring("stage")
    hand.settle()
    assert lowest() == pytest.approx(before, abs=2.0)
    hand.view.zoom_by(3.0)
    place = hand.view.viewport.scale, hand.view.viewport.ox, hand.view.viewport.oy
    hand.view.set_colouring("time")
    hand.settle()
    assert place == (hand.view.viewport.scale, hand.view.viewport.ox, hand.view.viewport.oy), "it was chosen"


def test_moved_ops_have_their_new_times(make_hand: MakeHand) -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=100.0) for i in range(3)]
    hand = make_hand(Graph.build("g", ops, []), DevicePool(1, 1))
    hand.view.set_colouring("time")
    hand.document.move(np.array([0]), 1)
    hand.document.move(np.array([1, 2]), 0)
    hand.settle()
    assert hand.view.scene is not None and hand.view.scene.heat is not None
    steps = hand.view.scene.heat.step
    assert steps[0] == STEPS - 1 and steps[1] == steps[2] < STEPS - 1


@pytest.mark.parametrize("view", ["flow", "lanes", "stages"])
@pytest.mark.parametrize("pixels", [(900, 640), (200, 160)])
def test_pictures_have_the_scale(qapp, tmp_path, view: str, pixels: tuple[int, int]) -> None:
    problem, file = Problem(chain_graph(24), Pipeline(3)), tmp_path / "heat.svg"
    thirds = np.repeat(np.arange(3, dtype=np.int32), 8)
    draw_graph(problem, thirds, Page(pixels), view, colouring="bytes").save(file)
    assert "Bytes an op moves" in "".join(ElementTree.parse(file).getroot().itertext())
    draw_graph(problem, thirds, Page(pixels), view, colouring="stage").save(file)
    assert "Bytes an op moves" not in "".join(ElementTree.parse(file).getroot().itertext())


def test_seen_from_afar(qapp, tmp_path) -> None:
    graph = chain_graph(3000)
    problem, device_of = Problem(graph, Pipeline(2)), np.zeros(3000, np.int32)
    picture = compose(problem, device_of, Page((320, 240)), "flow", colouring="time")
    assert picture.scene.heat is not None
    draw_graph(problem, device_of, Page((320, 240)), "flow", colouring="time").save(tmp_path / "far.png")
    assert replace(picture, title="").scene.heat is picture.scene.heat


@pytest.mark.parametrize("factor", [40.0, 0.05])
def test_estimates_of_another_machine_put_the_median_in_the_middle(qapp: object, factor: float) -> None:
    """All ops would have one colour; what differs is how far they are from what is usual."""
    ops = [Op(name, name, "Conv", macs=1e9) for name in "abcde"]
    graph = Graph.build("g", ops, [])
    estimate = CostModel().estimate(graph)[0]
    times = {
        op.name: OpTime(float(estimate[v]) * factor * f)
        for v, (op, f) in enumerate(zip(ops, (1.0, 0.5, 2.0, 0.25, 4.0), strict=True))
    }
    problem = Problem(fill(with_times_of(graph, [Use(OpTimes(times, "t", "me"))])), Pipeline(2))
    heat = heat_of(problem, np.zeros(5, np.int32), items_of(problem.graph, None, frozenset()), "ratio")
    assert heat is not None
    middle = (STEPS - 1) / 2
    np.testing.assert_allclose(heat.step, middle * (1 + np.array([0, -1, 1, -2, 2]) / 3), atol=0.6)
    assert f"median {ratio_text(factor)}" in heat.title
    assert metrics(11, False).horizontalAdvance(heat.title) <= WIDTH - 20  # whole in its box
    assert heat.ticks[1] == (0.5, ratio_text(factor).replace(" ", ""))
    assert [place for place, _ in heat.ticks] == [0.0, 0.5, 1.0]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_mark_of_what_takes_no_time_has_the_colour_of_its_cards(theme: Theme) -> None:
    problem = Problem(chain_graph(12), Pipeline(3))
    heat = heat_of(problem, np.zeros(12, np.int32), items_of(problem.graph, None, frozenset()), "time")
    assert heat is not None
    image = QImage(int(WIDTH), int(HEIGHT), QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    paint_heat_legend(painter, heat, theme, 0.0, 0.0)
    painter.end()
    bar = WIDTH - 2 * 10.0 - 92.0 + 10.0
    assert image.pixelColor(int(bar + 18), 25).name() == ramp(theme, False).colours[-1]
