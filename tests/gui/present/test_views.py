"""What keyframes show: stages, packages, what their words name, labels, legends and the paths of a broken rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents
from gui.canvas.graph.lanes.links import plates
from gui.look.numbers import one_time
from gui.look.theme import DARK, LIGHT, Theme, contrast, laid_over
from gui.panels.comparison.names import NOT_MOVED
from gui.panels.readout_figures import memory_shown
from gui.present.emphasis import named_devices
from gui.present.export.pptx import legend_entries
from gui.present.package import PackageShot
from gui.present.panels import rows
from gui.present.panels.panels import PanelData, paint_panel
from gui.present.scenes import HEADERS, Places
from gui.present.show import Show
from gui.present.transition.areas import VEIL, paint_above, settled_areas
from gui.present.transition.legend import LINE, NO_OPS, legend_of
from gui.present.transition.marks import MOST_LABELLED, labels_apart, labels_of
from gui.present.transition.transition import Shot
from gui.words.held import cache_used
from gui.words.objectives import amount
from planner.formats import read_models
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import STORIES, sample
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Device
from planner.quantity import bytes_text
from planner.runs.stage_counts import balanced
from planner.story.files.json import read_story, resolve
from planner.story.keyframe import Keyframe
from planner.story.story import Resolved
from planner.story.telling import moved_title
from tests.gui.mcm_models import row_graph
from tests.gui.present.slides import overlapping, written_on
from tests.gui.present.talks import graph_members, network_talk, resolved

pytestmark = pytest.mark.usefixtures("qapp")
STAGES = tuple(Device(f"stage-{i}", "stage", f"Stage {i}") for i in range(12))
SIZE = (1280, 800)


def triangle() -> Resolved:
    """A row of ops with a way around six of them, on three chips; and the same with one op moved, which makes a triangle of the three."""
    ops = [
        Op(f"n{i}", f"conv_{i}", "Conv", work=1e-3, work_cpu=1e-2, params=2**18, param_bytes=2**20)
        for i in range(12)
    ]
    read_by = {i: (f"n{i + 1}",) for i in range(11)} | {3: ("n4", "n9"), 11: ()}
    tensors = [Tensor(f"n{i}", read_by[i], 1000.0, time=1e-4) for i in range(12)]
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), McmPackage(4))
    good = np.array([0] * 3 + [1] * 6 + [2] * 3, np.int32)
    moved = good.copy()
    moved[3] = 0
    a, b = (
        problem.plan(devices, Provenance("hand"), name)
        for devices, name in ((good, "good"), (moved, "broken"))
    )
    assert a.evaluation.valid and {v.kind for v in b.evaluation.violations} == {"triangle"}
    frames = [Keyframe("", "", 1, view, versus=0) for view in ("package", "flow", "lanes", "stages")]
    return resolved([(a, ()), (b, ())], Keyframe("", "", 0, "package"), *frames)


def test_chips_that_an_op_left_and_came_to_stand_out() -> None:
    plan, broken = triangle().plans[:2]
    assert isinstance(plan, Plan) and isinstance(broken, Plan)
    frame = Keyframe("", "", 0, "package", versus=1)
    shot = Show(resolved([(plan, ()), (broken, ())], frame), LIGHT, SIZE).shots.shot(0)
    assert isinstance(shot, PackageShot)
    op = int(np.flatnonzero(plan.decision.device_of != broken.decision.device_of)[0])
    moved = {int(one.decision.device_of[op]) for one in (plan, broken)}
    assert set(np.flatnonzero(shot.lit).tolist()) == moved and len(shot.said) == 1


# ------------------------------------------------------------------------------------------------------------ what words name
@pytest.mark.parametrize(
    ("words", "found"),
    [("Stage 1 takes 7 ms", [1]), ("stage 1 and Stage 10", [1, 10]), ("Stage 12 is none", []), ("nothing", []),
     (" ".join(d.title for d in STAGES), []), ("backstage 1x", []),
     # most of them, and the ends of a way: what is left would look as if it were out of use
     (" ".join(d.title for d in STAGES[:7]), []), (" ".join(d.title for d in STAGES[:6]), [*range(6)]),
     ("most, 2 MiB, from Stage 1 to Stage 2", []), ("Stage 3 sends 2 MiB from Stage 1 to Stage 2", [3])],
)  # fmt: skip
def test_devices_that_words_name(words: str, found: list[int]) -> None:
    lit = named_devices(words, STAGES, np.ones(12))
    assert np.flatnonzero(lit).tolist() == found


def test_devices_without_ops_light_nothing() -> None:
    ops = np.ones(12)
    ops[3] = 0
    assert not named_devices("Stage 3 is idle", STAGES, ops).any()


def test_what_the_caption_names_stands_out_and_nothing_else() -> None:
    show = Show(resolved(graph_members(), Keyframe("", "Stage 2 takes long", 0, "lanes")), LIGHT, SIZE)
    shot = show.shots.shot(0)
    assert isinstance(shot, Shot)
    assert np.array_equal(shot.standing_out, shot.stage.scene.device == 2)
    look = shot.look(20.0, 1.0)
    assert (look.opacity[shot.standing_out] == 1.0).all() and (look.opacity[~shot.standing_out] < 0.5).all()


def test_highlighted_ops_come_before_named_devices() -> None:
    frame = Keyframe("", "Stage 2 takes long", 0, "lanes", highlight=("n1",))
    shot = Show(resolved(graph_members(), frame), LIGHT, SIZE).shots.shot(0)
    assert isinstance(shot, Shot) and np.flatnonzero(shot.standing_out).tolist() == [1]


# ------------------------------------------------------------------------------------------------------------ labels and legends
@given(
    st.sets(st.integers(0, 39), min_size=1, max_size=MOST_LABELLED),
    st.sampled_from(["flow", "lanes", "stages"]),
)
def test_labels_stand_alone_and_in_sight(ops: set[int], view: str) -> None:
    frame = Keyframe("", "", 0, view, highlight=tuple(f"n{op}" for op in sorted(ops)))
    shot = Show(resolved(graph_members(n=40), frame), LIGHT, (640, 400)).shots.shot(0)
    assert isinstance(shot, Shot) and shot.marks.ops.tolist() == sorted(ops)
    viewport = shot.view.viewport(640, 300, 1.0, shot.stage.left * 0.5)
    found = labels_of(shot.stage.scene, viewport, shot.stage.palette, shot.marks, 0.5)
    for i, label in enumerate(found):
        assert QRectF(0, 0, 640, 300).contains(label.box)
        assert not any(label.box.intersects(other.box) for other in found[i + 1 :])


def test_highlighted_ops_carry_their_names() -> None:
    frame = Keyframe("", "", 0, "flow", highlight=("n3",))
    lines = written_on(Show(resolved(graph_members(n=40), frame), LIGHT, SIZE), 0)
    shot = Show(resolved(graph_members(n=40), frame), LIGHT, SIZE).shots.shot(0)
    assert isinstance(shot, Shot)
    assert any(line.words in shot.stage.scene.items.graph.op_names[3] for line in lines)


def test_a_flow_has_a_legend_with_names_costs_and_the_bottleneck() -> None:
    show = Show(resolved(graph_members(), Keyframe("", "", 0, "flow")), LIGHT, SIZE)
    shot = show.shots.shot(0)
    assert isinstance(shot, Shot) and shot.stage.headers is not None
    lines = legend_of(shot.stage.scene, shot.stage.headers, 1280.0)
    words = [word for line in lines for entry in line for word, _ in entry.words]
    assert {"Stage 0", "Stage 1", "Stage 2", "bottleneck"} <= set(words)
    hot = shot.stage.headers.bottleneck
    assert shot.stage.headers.column.text(float(shot.stage.headers.pace[hot])) in words
    assert legend_of(shot.stage.scene, None, 1280.0) == []
    narrow = legend_of(shot.stage.scene, shot.stage.headers, 300.0)
    assert len(narrow) > 1 and sum(map(len, narrow)) == sum(map(len, lines))


def test_a_legend_says_which_of_few_devices_have_no_ops() -> None:
    """Also where one device has them all; of many devices only those with ops are named."""
    graph = row_graph(12)
    for k, said in ((3, ["Stage 0", "Stage 1", "Stage 2"]), (13, [])):
        alone = Problem(graph, Pipeline(k)).plan(np.zeros(graph.n, np.int32), Provenance("one"), "alone")
        shot = Show(resolved([(alone, ())], Keyframe("", "", 0, "flow")), LIGHT, SIZE).shots.shot(0)
        assert isinstance(shot, Shot)
        entries = [
            entry for line in legend_of(shot.stage.scene, shot.stage.headers, 1280.0) for entry in line
        ]
        assert [entry.words[0][0] for entry in entries] == said
        assert [entry.words[1] == (NO_OPS, False) for entry in entries] == [False, True, True][: len(said)]
        native = [entry.cost == NO_OPS for entry in legend_entries(alone)]
        assert native == ([False, True, True] if said else [False])


def test_lanes_and_blocks_name_their_devices_themselves() -> None:
    for view in ("lanes", "stages"):
        shot = Show(resolved(graph_members(), Keyframe("", "", 0, view)), LIGHT, SIZE).shots.shot(0)
        assert isinstance(shot, Shot)
        assert legend_of(shot.stage.scene, shot.stage.headers, 1280.0) == []


def test_fast_memory_is_told_in_slots_as_in_the_window(qapp: QApplication) -> None:
    told = network_talk()
    show, plan = Show(told, LIGHT, SIZE), told.plans[1]
    words = [line.words for line in written_on(show, 3)]
    slots = plan.problem.evaluator.slots
    assert any(word.endswith(f" of {slots} slots") for word in words)
    assert words[words.index("weight of the connection") + 1] == "1" and slots == plan.problem.target.size - 1


# ------------------------------------------------------------------------------------------------------------ packages
def test_a_package_names_the_paths_of_a_broken_rule_and_what_moved() -> None:
    shot = Show(triangle(), DARK, SIZE).shots.shot(1)
    assert isinstance(shot, PackageShot) and shot.package.path is not None
    words = [line.words for line in shot.said]
    assert words[0].startswith("direct: chip ") and words[1].startswith("indirect, over chip ")
    assert any(" moved: chip " in line for line in words)
    assert np.flatnonzero(shot.lit).tolist() == sorted(shot.package.path.indirect)


@pytest.mark.parametrize("index", [2, 3, 4])
def test_the_rule_is_named_in_the_views_of_the_graph(index: int) -> None:
    show = Show(triangle(), LIGHT, SIZE)
    lines = written_on(show, index)
    words = [line.words for line in lines]
    assert any(word.startswith("direct: chip ") for word in words)
    assert any(word.startswith("indirect, over chip ") for word in words)
    assert overlapping(lines) == []


def test_chips_go_from_one_plan_to_the_other() -> None:
    show = Show(triangle(), LIGHT, SIZE)
    a, b = (show.shots.shot(i) for i in (0, 1))
    assert isinstance(a, PackageShot) and isinstance(b, PackageShot) and a.alike(b)
    now = a.towards(b, 0.5)
    for one, chip, other in zip(a.package.chips, now.package.chips, b.package.chips, strict=True):
        assert chip.memory == pytest.approx((one.memory + other.memory) / 2)
    assert sum(chip.bottleneck for chip in now.package.chips) == 1
    assert a.towards(b, 0.0) is a and a.towards(b, 1.0) is b


def test_packages_of_one_story_can_be_compared(qapp: QApplication) -> None:
    """A whole bar and the thickest link stand for the same on every slide and panel, and the legend says for what."""
    told = triangle()
    frames = [Keyframe("", "", 0, "package"), Keyframe("", "", 1, "package"), Keyframe("", "", 1, "lanes", panel="package")]  # fmt: skip
    show = Show(resolved([(plan, ()) for plan in told.plans], *frames), LIGHT, SIZE)
    found = [show.shots.shot(0), show.shots.shot(1), show.shots.panel(2).package]
    packages = [shot.package for shot in found if isinstance(shot, PackageShot)]
    slowest = [max(chip.cost for chip in package.chips) for package in packages]
    assert slowest[0] != slowest[1] and len(packages) == 3
    assert {package.longest for package in packages} == {max(slowest)}
    assert len({(package.full, package.hottest) for package in packages}) == 1
    columns = {shot.columns for shot in found if isinstance(shot, PackageShot)}
    assert len(columns) == 1 and min(columns) > 0, "no chip changes its place"
    for index in range(3):
        words = [line.words for line in written_on(show, index)]
        whole = f"work, whole bar {one_time(max(slowest), 's')}"
        assert whole in words and "transfers" in words, (
            "all of the legend, in two lines where one is too short"
        )


def test_costs_of_one_story_can_be_compared() -> None:
    frames = [Keyframe("", "", i, view, panel="costs") for i in (0, 1) for view in ("lanes", "flow")]
    show = Show(resolved(graph_members(), *frames), LIGHT, SIZE)
    plans = [plan for plan in show.resolved.plans if isinstance(plan, Plan)]
    most = [float(plan.evaluation.pace.max()) for plan in plans]
    assert most[0] != most[1]
    assert {show.shots.panel(i).full for i in range(4)} == {max(most)}
    problem = plans[0].problem
    whole = f"whole bar {amount(problem, problem.components[0], max(most))}"
    for index in range(4):
        assert whole in [line.words for line in written_on(show, index)]
    lanes = [show.shots.shot(i) for i in (0, 2)]
    headers = [shot.stage.headers for shot in lanes if isinstance(shot, Shot)]
    assert len({data.longest for data in headers if data is not None}) == 1
    assert headers[0] is not None and headers[0].longest == pytest.approx(max(most))


def test_reads_and_writes_of_one_story_can_be_compared() -> None:
    path = STORIES / "sparse.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, SIZE)
    costs = [i for i, k in enumerate(show.keyframes) if k.panel == "costs"]
    orders = [plan.evaluation for i in costs if isinstance(plan := show.shots.plan(i), OrderPlan)]
    most = [max(e.reads, e.writes) for e in orders]
    assert len(set(most)) > 2
    assert {show.shots.panel(i).full for i in costs} == {max(most)}
    lower = costs[most.index(min(most))]
    data = show._panel_data(lower)
    drawn = [panel_picture(replace(data, full=full)) for full in (data.full, 0.0)]
    assert drawn[0] != drawn[1], "a bar of less is shorter than one of the most"


def panel_picture(data: PanelData) -> QImage:
    image = QImage(400, 500, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_panel(painter, QRectF(0, 0, 400, 500), data, 1.0, LIGHT)
    painter.end()
    return image


def test_a_panel_of_a_package_leaves_room_for_the_graph() -> None:
    places = Places(1280.0, 800.0, 1.0, 150.0)
    assert 0.4 * 1280 < places.room("package")[0] < 0.6 * 1280


def test_the_story_on_small_memories_counts_in_one_way_on_all_its_slides(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is streamed is as much in the caption as in the picture, and a cache is full of parameters and activations everywhere."""
    made = resolve(read_story(STORIES / "edge-tpu.story.json"), STORIES)
    alone, best = made.plans[0], made.plans[-1]
    assert isinstance(alone, Plan) and isinstance(best, Plan)
    details = alone.evaluation.details
    streamed = bytes_text(float(details["dram"].sum() + details["pushed"].sum()))
    captions = [frame.caption for frame in made.story.keyframes]
    assert captions[1].startswith(f"{streamed} are streamed") and "pushed out by activations" in captions[1]
    said = {}
    for name, plan in (("alone", alone), ("best", best)):
        heads: list[str] = []
        monkeypatch.setattr(
            rows, "text", lambda _, __, words, *rest, heads=heads, **more: heads.append(words)
        )
        panel_picture(PanelData("memory", plan, (), (), 0))
        said[name] = heads[0]
    assert said["best"] == "Parameters (grey: activations)"
    assert said["alone"] == "Parameters around the cache line", "all that they need is taken from parameters"


def dense_plans() -> list[Plan]:
    """The compiler's plans of DenseNet169 on two Edge TPUs and on one, for the most inferences per second."""
    graph = read_models([sample("densenet169.json")])
    plans = []
    for count in (2, 1):
        problem = Problem(graph, EdgeTpuPipeline(count, precision="int8"), "inference-time")
        device_of = balanced(problem)
        assert device_of is not None
        plans.append(problem.plan(device_of, Provenance("edge-tpu-balanced")))
    return plans


def test_the_fullest_stage_of_a_slide_is_that_of_the_header(qapp: QApplication) -> None:
    """With what activations need, where these count: stage 1 has more parameters, stage 0 less room."""
    plan, _ = dense_plans()
    assert np.argmax(plan.evaluation.memory) == 1
    shown = memory_shown(plan.problem, plan.evaluation, LIGHT)
    show = Show(resolved([(plan, ())], Keyframe("", "", 0, "flow", panel="memory")), LIGHT, SIZE)
    words = [line.words for line in written_on(show, 0)]
    most = shown.value.partition(" / ")[0]
    assert "Parameters and activations (grey)" in words
    assert "stage 0" in shown.label and f"Stage 0  {most} MiB" in words and f"{most} MiB" in words


def test_memory_of_one_story_can_be_compared(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte is as long on every slide, and the cache ends at one place, whatever else stands there."""
    plans = dense_plans()
    frames = [Keyframe("", "", i, "flow", panel="memory") for i in (0, 1)]
    show = Show(resolved([(plan, ()) for plan in plans], *frames), LIGHT, SIZE)
    most = max(float(cache_used(plan.problem, plan.evaluation).max()) for plan in plans)
    assert {show.shots.panel(i).full for i in (0, 1)} == {most}
    drawn: list[tuple[float, float, float]] = []
    monkeypatch.setattr(
        rows,
        "paint_load",
        lambda _, bar, used, line, full, *__, **___: drawn.append((bar.left(), bar.width(), full)),
    )
    for i in (0, 1):
        panel_picture(show.shots.panel(i))
    assert len(drawn) == 3 and len(set(drawn)) == 1


def test_plans_in_blocks_keep_rows_of_one_length() -> None:
    """Blocks move from plan to plan; they do not jump into other rows."""
    frames = [Keyframe("", "", i, "stages") for i in (0, 1)]
    show = Show(resolved(graph_members(n=60), *frames), LIGHT, SIZE)
    shots = [show.shots.shot(i) for i in (0, 1)]
    columns = {shot.stage.scene.layout.stages.columns for shot in shots if isinstance(shot, Shot) and shot.stage.scene.layout.stages}  # fmt: skip
    assert len(columns) == 1
    assert all(isinstance(plan, Plan) for plan in show.resolved.plans)


@pytest.mark.parametrize("wide", [900, 1280, 1600])
def test_blocks_stand_alike_whichever_keyframe_is_asked_for_first(wide: int) -> None:
    problem = Problem(row_graph(60), Pipeline(8))
    devices = (np.arange(60) * 8 // 60, np.where(np.arange(60) < 53, 0, np.arange(60) - 52))
    members = [(problem.plan(d.astype(np.int32), Provenance("by hand")), ()) for d in devices]
    frames = [Keyframe("", "", i, "stages") for i in (0, 1)]
    found = []
    for order in ((0, 1), (1, 0)):
        show = Show(resolved(members, *frames), LIGHT, (wide, 800))
        shots = {i: show.shots.shot(i) for i in order}
        stages = [shot.stage.scene.layout.stages for shot in (shots[0], shots[1]) if isinstance(shot, Shot)]
        found.append([layout.blocks for layout in stages if layout is not None])
    assert found[0] == found[1] and len(found[0]) == 2


def test_what_crosses_is_read_where_stages_step_back() -> None:
    show = Show(resolved(graph_members(), Keyframe("", "", 0, "lanes")), LIGHT, SIZE)
    shot = show.shots.shot(0)
    assert isinstance(shot, Shot)
    stage, viewport = shot.stage, shot.view.viewport(900, 600, 1.0)
    assert stage.headers is not None and stage.headers.links is not None
    stand = plates(stage.headers.links, lane_extents(stage.scene, viewport), HEADER_WIDTH * HEADERS, HEADERS)
    assert stand

    def painted(lit: list[bool]) -> QImage:
        image = QImage(900, 600, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        paint_above(painter, settled_areas(stage, np.array(lit), shot.width), viewport, 1.0)
        painter.end()
        return image

    plain, dimmed = painted([False] * 3), painted([True, False, False])
    assert plain != dimmed
    for box in stand.values():
        inner = box.adjusted(8, 2, -8, -2).toRect()
        assert plain.copy(inner) == dimmed.copy(inner)


def test_bars_of_lanes_and_of_costs_have_one_scale() -> None:
    """Also where the longest bar is of a plan whose costs are shown beside another view, and transfers overlap with work."""
    graph = row_graph(12)
    problem = Problem(graph, DevicePool(2, 1, communication="overlap"))
    plans = [
        problem.plan(np.array(places, np.int32), Provenance("hand"), "")
        for places in ([0] * 12, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    ]
    frames = [Keyframe("", "", 0, "flow", panel="costs"), Keyframe("", "", 1, "lanes", panel="costs")]
    show = Show(resolved([(plan, ()) for plan in plans], *frames), LIGHT, SIZE)
    shot = show.shots.shot(1)
    assert isinstance(shot, Shot) and shot.stage.headers is not None
    longest = shot.stage.headers.longest
    assert longest == pytest.approx(float(plans[0].evaluation.pace.max()))
    assert {show.shots.panel(i).full for i in (0, 1)} == {longest}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_devices_that_step_back_can_be_read(theme: Theme) -> None:
    ground = laid_over(theme.canvas, theme.card, VEIL)
    for ink in (theme.text, theme.muted):
        assert contrast(laid_over(theme.canvas, ink, VEIL), ground) >= 4.5


def test_labels_of_ops_by_one_name_tell_them_apart() -> None:
    names = [
        "/layer.0/query/MatMul", "/layer.0/key/MatMul", "/layer.0/Add/out", "/layer.1/Add/out", "/layer.1/Softmax",
    ]  # fmt: skip
    ops = [Op(f"n{i}", name, work=1e-3, work_cpu=1e-3) for i, name in enumerate(names)]
    graph = Graph.build(
        "row", ops, [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=1e-4) for i in range(4)], time_unit="s"
    )
    plan = Problem(graph, Pipeline(2)).plan(np.array([0, 0, 0, 1, 1], np.int32), Provenance("hand"), "")
    frame = Keyframe("", "", 0, "flow", highlight=tuple(graph.op_ids))
    shot = Show(resolved([(plan, ())], frame), LIGHT, SIZE).shots.shot(0)
    assert isinstance(shot, Shot)
    told = labels_apart(shot.stage.scene, range(5))
    assert told[0] == "query/MatMul" and told[1] == "key/MatMul" and told[4] == "Softmax"
    assert told[2].startswith("layer.0/") and told[3].startswith("layer.1/")


def test_a_label_lies_over_no_card_where_there_is_room() -> None:
    frame = Keyframe("", "", 0, "flow", highlight=("n20",))
    shot = Show(resolved(graph_members(n=40), frame), LIGHT, (640, 400)).shots.shot(0)
    assert isinstance(shot, Shot)
    scene, viewport = shot.stage.scene, shot.view.viewport(640, 400, 1.0, shot.stage.left * 0.5)
    (label,) = labels_of(scene, viewport, shot.stage.palette, shot.marks, 0.5)
    for i in range(scene.items.count):
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        card = QRectF(x, y, float(scene.w[i]) * viewport.scale, float(scene.h[i]) * viewport.scale)
        assert not label.box.intersects(card)


def moved_members(count: int) -> tuple[list[tuple[Plan, tuple[Bound, ...]]], str]:
    """Two plans, of which the second has so many of its ops elsewhere, and the words on that."""
    (first, bounds), *_ = graph_members()
    assert isinstance(first, Plan)
    after = first.decision.device_of.copy()
    after[:count] = (after[:count] + 1) % len(first.problem.devices)
    second = first.problem.plan(after, Provenance("hand"), "second")
    return [(first, tuple(bounds)), (second, ())], moved_title(second, first)


@pytest.mark.parametrize("most", [False, True])
def test_what_the_caption_says_moved_stands_out_and_not_the_device_that_it_names(most: bool) -> None:
    """However many moved; the legend says so, and no device steps back, as ops of any may have moved."""
    n = graph_members()[0][0].problem.graph.n
    count = n - 3 if most else 2
    members, words = moved_members(count)
    assert f"{count} of {n} ops moved" in words
    frames = (
        Keyframe("", "", 0, "lanes"),
        Keyframe("", f"Stage 2 takes long. {words}.", 1, "lanes"),
        Keyframe("", "Stage 2", 1, "lanes"),
    )
    show = Show(resolved(members, *frames), LIGHT, SIZE)
    shots = show.shots
    moved, named = shots.shot(1), shots.shot(2)
    assert isinstance(moved, Shot) and np.flatnonzero(moved.standing_out).tolist() == list(range(count))
    assert not moved.lit.any() and NOT_MOVED in {written.words for written in written_on(show, 1)}
    assert isinstance(named, Shot) and named.lit.any() and not named.note
    assert NOT_MOVED not in {written.words for written in written_on(show, 2)}
    bottom = moved.stage.scene.layout.bounds[1] + moved.stage.scene.layout.bounds[3]
    assert bottom * moved.view.scale + moved.view.oy <= shots.places.stage.height() - LINE * moved.unit


def test_what_the_panel_is_about_stands_out_and_not_the_device_that_the_caption_names() -> None:
    """``What changed`` beside lanes whose caption is about a device that nothing moved to; the keyframe before is not what it is compared with."""
    members, _ = moved_members(2)
    frames = (
        Keyframe("", "", 1, "lanes"),
        Keyframe("Stage 2 takes 40 ms", "", 1, "lanes", panel="difference", versus=0),
        Keyframe("Stage 2 takes 40 ms", "", 0, "lanes", panel="difference", versus=0),
    )
    show = Show(resolved(members, *frames), LIGHT, SIZE)
    changed, same = show.shots.shot(1), show.shots.shot(2)
    assert isinstance(changed, Shot) and np.flatnonzero(changed.standing_out).tolist() == [0, 1]
    assert not changed.lit.any() and NOT_MOVED in {written.words for written in written_on(show, 1)}
    assert isinstance(same, Shot) and same.lit.any() and not same.note, "nothing changed"


def test_nothing_stands_out_where_all_moved() -> None:
    n = graph_members()[0][0].problem.graph.n
    members, words = moved_members(n)
    frames = (Keyframe("", "", 0, "lanes"), Keyframe("", f"{words}.", 1, "lanes"))
    shot = Show(resolved(members, *frames), LIGHT, SIZE).shots.shot(1)
    assert isinstance(shot, Shot) and not shot.standing_out.any() and not shot.note
