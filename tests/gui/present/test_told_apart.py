"""What a talk explains where it stands: colours of a network, how much ribbons carry, and two paces of an Edge TPU plan."""

from __future__ import annotations

import numpy as np
import pytest

from gui.canvas.graph.picture.picture import compose
from gui.canvas.graph.stages.ribbons import ASKED
from gui.canvas.graph.stages.routes import stage_ribbons
from gui.editors.comparison.picture.picture import draw_comparison
from gui.look.page import PRESETS
from gui.look.theme import LIGHT
from gui.panels.comparison.rows import device_titles
from gui.panels.edge_tpu.memory_picture import sides_of
from gui.panels.edge_tpu.memory_words import picture_units, rate_line
from gui.panels.pictures import Shown, drawing_of
from gui.panels.schedule.picture import draw_schedule
from gui.present.captions import figure_runs
from gui.present.comparison.schedules import SchedulesShot
from gui.present.show import Show
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.model.samples import STORIES, sample
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from planner.reports.comparison import compare
from planner.story.files.json import read_story
from planner.story.files.plans import resolve
from tests.gui.editors.comparison.compare_parts import HAND
from tests.gui.present.slides import written_in, written_on

pytestmark = pytest.mark.usefixtures("qapp")


def spread(machine: str, parts: int = 0, model: str = "resnet50.json") -> tuple[Problem, np.ndarray]:
    """A model in equal runs of ops over the devices of a machine, or over ``parts`` of them."""
    graph = read_models([sample(model)])
    problem = Problem(graph, parse_target(machine, graph))
    k = parts or len(problem.devices)
    return problem, np.minimum(np.arange(graph.n) * k // graph.n, k - 1).astype(np.int32)


def test_slides_of_a_network_explain_their_colours() -> None:
    path = STORIES / "sparse.story.json"
    story = read_story(path)
    show = Show(resolve(story, path.parent), LIGHT, (1280, 800))
    networks = [i for i, frame in enumerate(story.keyframes) if frame.view == "network"]
    assert networks
    for i in networks:
        said = {line.words for line in written_on(show, i)}
        assert {"in fast memory", "unwritten", "used later", "first use", "last use"} <= said, i


@pytest.mark.parametrize("preset", ["slide", "column"])
@pytest.mark.parametrize("turns", [1, 2])
def test_every_thick_ribbon_between_stages_says_how_much(preset: str, turns: int) -> None:
    problem, _ = spread("pool:3+1,contiguous=false")
    n = problem.graph.n
    device_of = ((np.arange(n) * 4 * turns // n) % 4).astype(np.int32)
    page = PRESETS[preset]
    picture = compose(problem, device_of, page, "stages")
    thick = [r for r in stage_ribbons(picture.scene) if r.width * picture.viewport.scale >= ASKED]
    drawing = drawing_of(Shown(problem, device_of), "stages", page)
    told = " ".join(line.words for line in written_in(drawing.file(".svg")))
    assert len(thick) >= 3
    for amount in {bytes_text(r.bytes) for r in thick}:
        many = sum(bytes_text(r.bytes) == amount for r in thick)
        assert told.count(amount) >= many or all(told.count(word) >= many for word in amount.split())


def test_ribbons_of_a_sankey_say_how_many_ops() -> None:
    problem, device_of = spread("pipeline:4")
    plans = [problem.plan(0 * device_of, HAND, "one"), problem.plan(device_of, HAND, "four")]
    page = PRESETS["column"]
    said = [line.words for line in written_in(draw_comparison(compare(plans), page, "sankey").file(".svg"))]
    for count in np.bincount(device_of).tolist():  # once beside the device, once in the ribbon
        assert said.count(str(count)) >= 2 * np.bincount(device_of).tolist().count(count)


def test_both_paces_of_an_edge_tpu_plan_are_explained() -> None:
    problem, device_of = spread("edge-tpu:4")
    words = " ".join(line.words for line in written_in(draw_schedule(problem, device_of).file(".svg")))
    assert "a sample every" in words and " in practice (" in words and " streamed on one link" in words
    side = sides_of(problem, device_of)[-1]
    note = rate_line(problem, side.evaluation, picture_units(problem, [side]))[0]
    assert ", one every " in note and " from end to end" in note


@pytest.mark.parametrize("width", [460.0, 640.0, 1200.0])
def test_names_in_schedules_of_three_plans_are_whole(width: float) -> None:
    plans = []
    for machine, parts in (("pipeline:3", 3), ("pipeline:4", 4), ("pipeline:5", 5)):
        problem, device_of = spread(machine, parts)
        plans.append(problem.plan(device_of, HAND, machine))
    told = compare(plans)
    assert any("(" in title for i in range(3) for title in device_titles(told, i))
    shot = SchedulesShot(told, (width, 700.0), 1.0, LIGHT)
    for i in range(3):
        layout, _ = shot._layout(i, width, 200.0)
        assert len(layout.rows) == i + 3
        assert layout.names <= 0.5 * width
        assert layout.names == shot._layout(0, width, 200.0)[0].names, "they share an axis"
        if width < 500:
            assert [row.title for row in layout.rows] == [f"Stage {k}" for k in range(i + 3)]
        else:
            assert layout.rows[0].title in (device_titles(told, i)[0], "Stage 0")


def test_a_bound_is_written_alike_beside_every_plan_of_a_story() -> None:
    """And as captions write it, however long the plan's own time is."""
    file = STORIES / "package.story.json"
    read = resolve(read_story(file), file.parent)
    said = {
        run.text.removesuffix(" so far")
        for plan, bounds in zip(read.plans, read.bounds, strict=True)
        for run in figure_runs(plan, bounds, LIGHT)
        if run.text.startswith("at least ")
    }
    assert said == {"at least 712.86 µs"}
