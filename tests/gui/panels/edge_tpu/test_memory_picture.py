"""The memory view: one plan beside the balanced one, as a file of any kind."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from gui.look.numbers import Column
from gui.look.page import PRESETS, SCREEN_DPI, Page
from gui.look.theme import LIGHT, THEMES
from gui.panels.edge_tpu import memory_picture, memory_stages
from gui.panels.edge_tpu.memory_bars import memory_bars, paint_memory_bars
from gui.panels.edge_tpu.memory_picture import draw_memory, sides_of
from gui.panels.edge_tpu.memory_stages import paint_stages
from gui.panels.edge_tpu.memory_words import (
    PictureUnits,
    components_line,
    picture_units,
    rate_line,
    said_of,
    subtitle,
)
from gui.widgets.bar_key import with_loads
from gui.widgets.bars import activations_colour
from planner.errors import StageboardError
from planner.formats import read_models
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.model.samples import sample
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from planner.runs.stage_counts import balanced
from tests.gui.models import chain_graph
from tests.gui.present.slides import Written, overlapping, written_in
from tests.gui.stage_models import even, found_for, tpu_problem


@pytest.mark.parametrize(
    ("suffix", "theme", "size", "count"),
    [(".png", "light", (1600, 900), 3), (".svg", "dark", (800, 500), 6), (".pdf", "light", (400, 300), 12)],
)
def test_a_plan_becomes_a_file(
    qapp: Any, tmp_path: Path, suffix: str, theme: str, size: tuple[int, int], count: int
) -> None:
    problem = tpu_problem(count=count)
    file = tmp_path / f"memory{suffix}"
    page = Page(size, theme=THEMES[theme])
    draw_memory(problem, even(12, count), page, "twelve ops", planner="x").save(file)
    assert file.stat().st_size > 1000


def test_a_pipeline_without_a_limit_has_no_cache_line(qapp: Any, tmp_path: Path) -> None:
    problem = Problem(chain_graph(12), Pipeline(3))
    (side,) = sides_of(problem, even(12, 3))
    said = rate_line(problem, side.evaluation, picture_units(problem, [side]))
    assert all("per unit of time" in words for words in said), (
        "a file without a unit of time promises no seconds"
    )
    draw_memory(problem, even(12, 3)).save(tmp_path / "pipeline.png")
    assert (tmp_path / "pipeline.png").exists()


def test_the_line_above_speaks_of_what_is_there(qapp: Any) -> None:
    plain, tpu = Problem(chain_graph(12), Pipeline(3)), tpu_problem(count=3)
    words = [subtitle(problem, sides_of(problem, even(12, 3))) for problem in (plain, tpu)]
    assert ["cache line" in said for said in words] == [False, True]
    few = tpu_problem(count=2)
    roomy = Problem(few.graph, EdgeTpuPipeline(2, cache=1e12), few.objective)
    for brief in (False, True):
        told = [subtitle(problem, sides_of(problem, even(12, 2)), brief) for problem in (few, roomy)]
        assert ["hatched: streamed" in words for words in told] == [True, False]
        assert all("grey" not in words for words in told), (
            "bars lie over it, and far below a line none is seen"
        )
    dry = Problem(few.graph, replace(few.target, scratch=False), few.objective)
    told = [subtitle(problem, sides_of(problem, even(12, 2))) for problem in (few, dry)]
    assert ["without activations" in words for words in told] == [True, False]
    assert "(hatched: off chip)" in told[1] and "grey" not in told[1]


@pytest.mark.parametrize(
    ("cache", "seen"), [(1000.0, False), (1200.0, False), (1204.0, False), (1250.0, True), (2000.0, True)]
)
def test_grey_is_explained_where_there_is_grey(qapp: Any, cache: float, seen: bool) -> None:
    """Stages hold 1200 bytes; activations need room of the cache, and what is left of it beside a bar and what is hatched is grey."""
    few = tpu_problem(count=3)
    problem = Problem(few.graph, replace(few.target, cache=cache), "inference-time")
    evaluation = problem.evaluate(even(12, 3))
    assert (evaluation.details["scratch"] > 0).all() and (evaluation.memory == 1200.0).all()
    for brief in (False, True):
        told = subtitle(problem, sides_of(problem, even(12, 3)), brief)
        assert ("grey: activations" in told) == seen
    needs = evaluation.details["scratch"]
    kinds = with_loads((), evaluation.memory, problem.evaluator.budget, (), needs.tolist())
    assert ("activations" in kinds) == seen
    image = QImage(900, 200, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_memory_bars(painter, QRectF(0, 0, 900, 200), memory_bars(evaluation, cache), 2200.0, LIGHT)
    painter.end()
    painted = {image.pixelColor(x, y).name() for x in range(0, 900, 3) for y in range(200)}
    assert (activations_colour(LIGHT) in painted) == seen


def test_what_activations_push_out_is_drawn_and_said(qapp: Any) -> None:
    """Of 1200 bytes on a stage whose cache holds 1250 some stay, and what activations need begins where these end."""
    few = tpu_problem(count=3)
    problem = Problem(few.graph, replace(few.target, cache=1250.0), "inference-time")
    evaluation = problem.evaluate(even(12, 3))
    pushed, needs = evaluation.details["pushed"], evaluation.details["scratch"]
    assert (pushed > 0).all() and not evaluation.details["dram"].any()
    bars = memory_bars(evaluation, 1250.0)
    for k in range(3):
        stays, out, needed = bars.around(k)
        assert (stays + out, stays + needed) == (1200.0, 1250.0) and (out, needed) == (pushed[k], needs[k])
    evaluation = replace(
        evaluation, memory=evaluation.memory * 4e3, details={"pushed": pushed * 4e3, "scratch": needs * 4e3}
    )
    units = replace(picture_units(problem, sides_of(problem, even(12, 3))), held=Column(2.0**20, "MiB", 2))
    image, written = stages_painted(problem, evaluation, 5e6, 6e6, units, 800.0)
    words = [text for text, _ in written]
    for amount, said in ((1200.0 - pushed[0], "on chip"), (pushed[0], "pushed out")):
        assert f"{amount * 4e3 / 2**20:.2f} {said}" in words
    assert f"activations {needs[0] * 4e3 / 2**20:.2f}" in words
    painted = {image.pixelColor(x, y).name() for x in range(0, 900, 3) for y in range(0, 400, 3)}
    assert {activations_colour(LIGHT), LIGHT.warning} <= painted


def stages_painted(
    problem: Problem,
    evaluation: Evaluation,
    line: float,
    top: float,
    units: PictureUnits,
    height: float,
    width: float = 900.0,
) -> tuple[QImage, list[tuple[str, QRectF]]]:
    """The bars of stages ``height`` pixels high, and what is written where."""
    written: list[tuple[str, QRectF]] = []
    image = QImage(900, int(height) + 100, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            memory_stages, "write", lambda painter, place, align, text, *_: written.append((text, place))
        )
        painter = QPainter(image)
        paint_stages(painter, QRectF(0, 0, width, height), problem, evaluation, line, top, units, LIGHT)
        painter.end()
    return image, written


def dense(count: int) -> tuple[Problem, Ints]:
    """DenseNet169 for the most inferences per second on ``count`` Edge TPUs, and the compiler's plan."""
    graph = read_models([sample("densenet169.json")])
    problem = Problem(graph, EdgeTpuPipeline(count, precision="int8"), "inference-time")
    device_of = balanced(problem)
    assert device_of is not None
    return problem, device_of


@pytest.mark.parametrize("height", [200.0, 900.0])
def test_what_is_streamed_has_its_whole_size_on_the_hatching(qapp: Any, height: float) -> None:
    """What activations push out is said apart where it has room, else with what is off chip, as all that is streamed."""
    problem, device_of = dense(1)
    evaluation = problem.evaluate(device_of)
    off, pushed = (float(evaluation.details[name].sum()) / 2**20 for name in ("dram", "pushed"))
    assert off > 1 and pushed > 1
    units = picture_units(problem, sides_of(problem, device_of))
    top = 1.1 * float(evaluation.memory.max())
    _, written = stages_painted(problem, evaluation, float(problem.evaluator.budget[0]), top, units, height)
    words = [text for text, _ in written]
    apart = [f"+{off:.2f} off chip", f"{pushed:.2f} pushed out"]
    together = [f"+{off + pushed:.2f} streamed"]
    assert [said for said in apart + together if said in words] == (together if height < 500 else apart)
    assert f"{evaluation.memory[0] / 2**20 - off - pushed:.2f} on chip" in words


@pytest.mark.parametrize("preset", ["slide", "column"])
def test_amounts_stand_on_their_own_bars_where_activations_lie_above_these(qapp: Any, preset: str) -> None:
    """Not on the grey, which has an amount of its own."""
    problem, device_of = dense(2)
    evaluation = problem.evaluate(device_of)
    assert not evaluation.details["pushed"].any()
    lines = written_in(draw_memory(problem, device_of, PRESETS[preset]).file(".svg"))
    (needs,) = (line for line in lines if re.match(r"act\S* \d", line.words))
    assert needs.words.endswith(f" {evaluation.details['scratch'][0] / 2**20:.2f}")
    held = [
        next(line.box for line in lines if line.words == f"{amount / 2**20:.2f}")
        for amount in evaluation.memory
    ]
    named = [line.box.center().y() for line in lines if line.words in ("cache 8 MiB", "cache", "8 MiB")]
    cache = sum(named) / len(named)
    zero = next(line.box.center().y() for line in lines if line.words == "0 MiB")
    tops = zero - (zero - cache) * evaluation.memory / problem.evaluator.budget
    assert all(box.top() >= y - 1.0 for box, y in zip(held, tops, strict=True))
    assert needs.box.bottom() <= tops[0] + 1.0


def test_amounts_have_fewer_digits_on_bars_that_are_narrower_than_they_are(qapp: Any) -> None:
    """Above these they would lie on what activations need, and above the cache line be read as more than the cache holds."""
    problem, device_of = dense(8)
    evaluation = problem.evaluate(device_of)
    evaluation = replace(
        evaluation, memory=np.array([5.91, 7.74, 7.03, 5.21, 7.23, 6.16, 6.42, 6.33]) * 2**20
    )
    evaluation = replace(evaluation, details={"scratch": np.full(8, 0.2 * 2**20), "pushed": np.zeros(8)})
    units, line = picture_units(problem, sides_of(problem, device_of)), 8.0 * 2**20
    for width, digits in ((900.0, 2), (320.0, 1)):
        _, written = stages_painted(problem, evaluation, line, 1.1 * line, units, 400.0, width)
        for amount in evaluation.memory / 2**20:
            (place,) = (place for text, place in written if text == f"{amount:.{digits}f}")
            assert place.top() >= 400.0 * (1 - amount / 8.8) - 1


def test_the_balanced_plan_stands_before_another(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found_for(tpu_problem(), 3)
    assert one.problem is not None
    plan = even(12, 3)
    monkeypatch.setattr(memory_picture, "balanced", lambda problem: np.sort(plan)[::-1].astype(np.int32))
    sides = sides_of(one.problem, plan, "edge-tpu-ilp", one.found.bounds)
    assert [side.title for side in sides] == [
        "Compiler's segmentation", "Edge TPU, exact",
    ]  # fmt: skip
    assert [bool(side.proven) for side in sides] == [False, True]
    units = picture_units(one.problem, sides)
    assert "inferences per second" in rate_line(one.problem, sides[1].evaluation, units)[0]
    monkeypatch.setattr(memory_picture, "balanced", lambda problem: plan)
    assert [side.title for side in sides_of(one.problem, plan)] == ["This plan"]
    assert [side.title for side in sides_of(one.problem, plan, "hand")] == ["By hand"]


def test_a_pool_has_no_stages(qapp: Any, tmp_path: Path) -> None:
    problem = Problem(chain_graph(12), DevicePool(2, 1))
    with pytest.raises(StageboardError, match="choose --view lanes"):
        draw_memory(problem, np.zeros(12, np.int32)).save(tmp_path / "pool.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("stages", [2, 8, 16, 36])
@pytest.mark.parametrize("model", ["resnet152.json", "bert_large.json", "branchy_int8.tflite"])
def test_no_words_lie_on_others_or_are_cut_whatever_room_stages_have(
    qapp: Any, model: str, stages: int, preset: str
) -> None:
    graph = read_models([sample(model)])
    problem = Problem(graph, EdgeTpuPipeline(stages))
    device_of = np.minimum(np.arange(graph.n) * stages // graph.n, stages - 1).astype(np.int32)
    drawing = draw_memory(problem, device_of, PRESETS[preset])
    lines = written_in(drawing.file(".svg"))
    words = [line.words for line in lines]
    assert overlapping(lines, 1.0) == []
    assert not [text for text in words if "…" in text]
    most = problem.evaluate(device_of).memory.max() / (2**10 if model == "branchy_int8.tflite" else 2**20)
    assert {f"{most:.2f}", f"{most:.1f}", f"{most:.0f}", f"{most:.3g}"} & set(words)
    assert {"0", "Stage 0"} & set(words)


@pytest.mark.parametrize("preset", PRESETS)
def test_that_a_plan_is_proven_is_said_whole(qapp: Any, preset: str) -> None:
    """Also beside a name that leaves no room for it."""
    one = found_for(tpu_problem(), 2)
    assert one.problem is not None
    drawing = draw_memory(
        one.problem, even(12, 2), PRESETS[preset], planner="edge-tpu-ilp", bounds=one.found.bounds
    )
    lines = written_in(drawing.file(".svg"))
    assert overlapping(lines, 1.0) == []
    words = [line.words for line in lines]
    assert not [said for said in words if "proven" in said and "\N{HORIZONTAL ELLIPSIS}" in said]
    assert not [said for said in words if "proven" in said and not said.endswith("memory")], "cut nowhere"
    proven = sides_of(one.problem, even(12, 2), "", one.found.bounds)[-1].proven
    assert proven == "\N{CHECK MARK} proven optimal for least max memory"
    assert any(proven in said for said in words)


def balanced_slide() -> tuple[list[Written], list[str]]:
    """A plan of ResNet50 on four Edge TPUs beside the balanced one, as a slide."""
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, EdgeTpuPipeline(4, precision="int8"))
    device_of = np.minimum(np.arange(graph.n) * 4 // graph.n, 3).astype(np.int32)
    drawing = draw_memory(problem, device_of, PRESETS["slide"], "ResNet50 on 4 Edge TPUs", "slice")
    lines = written_in(drawing.file(".svg"))
    return lines, [line.words for line in lines]


def test_a_slide_says_why_a_plan_is_slower_than_its_slowest_stage(qapp: Any) -> None:
    _, words = balanced_slide()
    assert any("streamed on one link" in said for said in words)


def test_a_slide_has_one_unit_of_parameters_one_of_what_enters_and_one_of_times(qapp: Any) -> None:
    _, words = balanced_slide()
    units = set(re.findall(r"\d (KiB|MiB|GiB|B|s|ms|\N{MICRO SIGN}s|ns)\b", "  ".join(words)))
    assert units == {"MiB", "KiB", "ms"}
    assert [said for said in words if "KiB" in said and "comm." not in said], "plates"
    assert not re.search(r"comm\.\S* [\d.,]+ MiB", "  ".join(words))


def test_bars_have_half_of_a_slide_and_plans_a_line_for_each_thing(qapp: Any) -> None:
    lines, words = balanced_slide()
    low = next(line.box.top() for line in lines if line.words == "Stage 0")
    most = max(float(said) for said in words if re.fullmatch(r"\d+\.\d\d", said))
    high = next(line.box.bottom() for line in lines if line.words == f"{most:.2f}")
    assert low - high >= 0.45 * 1080 * SCREEN_DPI / PRESETS["slide"].dpi
    assert {"Compiler's segmentation", "Slice"} <= set(words)
    assert not [said for said in words if "memory-1-2-3" in said or "m_k" in said]


@pytest.mark.parametrize("preset", ["slide", "column", "poster"])
def test_a_small_model_is_shown_in_its_unit_far_below_the_line(
    qapp: Any, preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bars below a line a hundred times as high would be a pixel each, and all amounts 0.04 or 0.06."""
    problem = Problem(read_models([sample("branchy_int8.tflite")]), EdgeTpuPipeline(3), "memory-1-2-3")
    device_of = even(problem.graph.n, 3)
    evaluation = problem.evaluate(device_of)
    scales: list[tuple[float, float]] = []
    usual = memory_picture._scale_of
    monkeypatch.setattr(
        memory_picture, "_scale_of", lambda *given: scales.append(usual(*given)) or scales[-1]
    )
    lines = written_in(draw_memory(problem, device_of, PRESETS[preset]).file(".svg"))
    words = [line.words for line in lines]
    assert all(top < 2 * evaluation.memory.max() < line for top, line in scales) and scales
    assert {f"{evaluation.memory.max() / 2**10:.{digits}f}" for digits in (0, 1)} & set(words)
    assert "8 MiB ↑" in words and f"{evaluation.memory.max() / 2**20:.2f}" not in words


@pytest.mark.parametrize("preset", ["slide", "poster"])
def test_no_amount_is_struck_out_by_the_cache_line(qapp: Any, preset: str) -> None:
    """Whatever the bars hold: little, about as much as the cache, or more."""
    for cache in np.linspace(0.3, 3.0, 12) * 2**20:
        ops = [Op(f"n{i}", f"n{i}", param_bytes=(1 + i) * 0.3 * 2**20) for i in range(4)]
        edges = [Tensor(f"n{i}", (f"n{i + 1}",), 1000.0) for i in range(3)]
        graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
        problem = Problem(graph, EdgeTpuPipeline(4, precision="int8", cache=float(cache), scratch=False))
        svg = draw_memory(problem, np.arange(4, dtype=np.int32), PRESETS[preset]).file(".svg")
        lines = written_in(svg)
        label = next(line for line in lines if line.words.startswith("cache"))
        level = label.box.center().y()
        for line in lines:
            if re.fullmatch(r"\d+\.\d\d", line.words):
                assert not line.box.top() < level < line.box.bottom(), (cache, line)


def test_bytes_between_stages_keep_their_digits_beside_large_parameters() -> None:
    """The plates, the sentence that explains them and the component are in one unit, that of the most that enters a stage."""
    ops = [Op(f"n{i}", f"n{i}", param_bytes=2.0**20) for i in range(3)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 200.0 * 2**10) for i in range(2)]
    graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
    problem = Problem(graph, EdgeTpuPipeline(3, precision="int8", cache=2.0**19, scratch=False))
    sides = sides_of(problem, np.arange(3, dtype=np.int32))
    units = picture_units(problem, sides)
    entering = float(sides[0].evaluation.details["bytes_in"].max())
    assert 0 < entering < 2**20 <= float(sides[0].evaluation.memory.max())
    assert units.enters(entering) == units.text("max-communication", entering) == bytes_text(entering)
    assert all(
        "plates: KiB that enter the next" in subtitle(problem, sides, brief) for brief in (False, True)
    )
    least = components_line(problem, sides[0].evaluation, units)[-1]
    assert least.endswith(" KiB") and least.count(" MiB") == 1, "a unit behind the last that has it"


def test_nothing_below_the_figures_is_larger_than_they_are(qapp: Any) -> None:
    problem = tpu_problem(count=3)
    (side, *_) = sides_of(problem, even(12, 3))
    for width in range(200, 900, 20):
        first, *others = said_of(problem, side, picture_units(problem, [side]), width, True)
        assert all(line.size <= first.size for line in others)
