"""What the painter is given: devices, bytes between them, routes, lanes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.labels import _second_line
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.painter import edge_style, paint_cards
from gui.canvas.graph.palette import canvas_palette, packed
from gui.canvas.graph.scene import LEAST_LANE_PX, forward_partners, scene_of
from gui.canvas.graph.stages.routes import stage_ribbons
from gui.canvas.graph.told import partly_words
from gui.canvas.graph.tooltip import op_words
from gui.canvas.graph.viewport import Viewport
from gui.document.plan.document import Document
from gui.layout.result import EdgeClass
from gui.look.numbers import one_time
from gui.look.theme import LIGHT
from gui.present.html.scenes import facts_data
from gui.present.panels.overlays import op_facts
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.crossings import device_flow
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import GroupView, by_layer
from planner.problem.problem import Problem
from tests.gui.models import chain_graph


@given(st.integers(1, 4), st.integers(2, 30), st.randoms(use_true_random=False))
def test_bytes_between_devices_count_each_tensor_once(k: int, n: int, random) -> None:
    graph = chain_graph(n)
    device_of = np.array([random.randrange(k) for _ in range(n)], np.int32)
    flow = np.zeros((k, k))
    received, sent = np.zeros(k), np.zeros(k)
    for t in range(graph.tensor_count):
        home = device_of[graph.tensor_producer[t]]
        idx = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
        away = {int(d) for d in device_of[idx]} - {int(home)}
        for d in away:
            flow[home, d] += graph.tensor_bytes[t]
            received[d] += graph.tensor_bytes[t]
        sent[home] += graph.tensor_bytes[t] if away else 0.0
    assert device_flow(graph, device_of, k) == pytest.approx(flow)
    found = crossing_bytes(graph, device_of, k)
    assert found[0] == pytest.approx(received)
    assert found[1] == pytest.approx(sent)


def test_flow_follows_the_devices() -> None:
    graph = chain_graph(8)
    scene = scene_of(items_of(graph, None, frozenset()), "flow", np.zeros(8, np.int32), 2, (800, 600))
    assert scene.flow.sum() == 0
    split = np.repeat(np.arange(2, dtype=np.int32), 4)
    scene.set_devices(split, 2)
    assert scene.flow == pytest.approx(device_flow(graph, split, 2))
    assert scene.flow[0, 1] > 0


def test_backward_ops_find_their_forward_ops() -> None:
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=1.0, colour_class=c, backward=b) for i, (c, b) in enumerate(
        [(1, False), (None, False), (1, True), (None, True), (5, True)])]  # fmt: skip
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=0.0) for i in range(4)]
    assert forward_partners(Graph.build("training", ops, tensors)).tolist() == [-1, -1, 0, -1, -1]


@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_routes_begin_and_end_at_their_cards(view: str) -> None:
    graph = chain_graph(60)
    device_of = (np.arange(60) // 20).astype(np.int32)
    scene = scene_of(items_of(graph, None, frozenset()), view, device_of, 3, (800, 600))
    assert len(scene.routed) + len(scene.straight) + len(scene.stubs) == len(scene.items.edge_src)
    assert len(scene.routed)
    for i, e in enumerate(scene.routed.tolist()):
        u, v = scene.items.edge_src[e], scene.items.edge_dst[e]
        first, last = scene.route_ptr[i], scene.route_ptr[i + 1] - 1
        assert scene.route_x[first] == scene.x[u] + scene.w[u]
        assert scene.route_y[first] == scene.y[u] + scene.h[u] / 2
        assert scene.route_x[last] == scene.x[v]
        assert scene.route_y[last] == scene.y[v] + scene.h[v] / 2
    assert not np.isin(scene.edge_class[scene.routed], [EdgeClass.STUB]).any()


def test_empty_lanes_stay_tall_enough_to_drop_on() -> None:
    graph = chain_graph(300)
    room = (1000.0, 700.0)
    scene = scene_of(items_of(graph, None, frozenset()), "lanes", np.zeros(300, np.int32), 6, room)
    bounds = scene.layout.bounds
    scale = min(room[0] / bounds[2], room[1] / bounds[3])
    assert len(scene.layout.lanes) == 6
    assert min(lane.band[3] for lane in scene.layout.lanes) * scale > 0.6 * LEAST_LANE_PX


def test_lanes_with_ops_are_not_lower_than_the_empty_ones() -> None:
    graph = chain_graph(210)
    for room in ((780.0, 420.0), (1200.0, 600.0)):
        for chips in (3, 7, 30, 36):
            device_of = (np.arange(210) * chips // 210).astype(np.int32)
            scene = scene_of(items_of(graph, None, frozenset()), "lanes", device_of, 36, room)
            scale = min(room[0] / scene.layout.bounds[2], room[1] / scene.layout.bounds[3])
            heights = np.array([lane.band[3] for lane in scene.layout.lanes]) * scale
            assert heights.min() >= 9.0, "below that a header has no room"
            assert heights[:chips].min() >= 0.95 * heights[chips:].max(initial=0.0)


def test_masks() -> None:
    scene = scene_of(
        items_of(chain_graph(5), None, frozenset()), "flow", np.zeros(5, np.int32), 1, (800, 600)
    )
    assert scene.mask(np.array([1, 3])).tolist() == [False, True, False, True, False]
    assert not scene.mask(np.empty(0, np.int32)).any()
    assert not scene.selected.any()
    assert [d.title for d in scene.devices] == ["0"]


def test_a_group_of_which_some_ops_are_selected_is_partly_selected(qapp: object) -> None:
    graph = replace(chain_graph(6), layer=np.array([0, 0, 0, 1, 1, 1], np.int32))
    items = items_of(graph, by_layer(graph), frozenset({0, 1}))
    scene = scene_of(items, "flow", np.zeros(6, np.int32), 1, (800, 600))
    assert not scene.partly.any()
    scene.select(np.array([0, 2, 3, 4, 5]))
    assert scene.selected.tolist() == [True, True]
    assert scene.partly.tolist() == [True, False]
    assert partly_words(scene, 0) == "2 of 3 ops selected"
    assert (
        _second_line(scene, 0, "", 10, 200) == "2 of 3 ops" and _second_line(scene, 1, "", 10, 200) == "3 ops"
    )
    ringed, viewport = [], Viewport(800, 600, 1.0, 0.0, 0.0)
    for chosen in ([], [0], [0, 1, 2]):
        scene.select(np.array(chosen, np.int32))
        image = np.zeros((600, 800), np.uint32)
        paint_cards(image, scene, viewport, canvas_palette(LIGHT, 1), Detail.LABELS, 1.0)
        ringed.append(int(np.count_nonzero(image == packed(LIGHT.edge_selected))))
    assert ringed[0] == 0 < ringed[1] < ringed[2], "what is partly selected has a thinner ring"
    scene.select(np.empty(0, np.int32))
    assert not scene.selected.any() and not scene.partly.any()


def test_cards_and_flows_count_what_the_target_counts() -> None:
    graph = read_model("sample_models/resnet50.json")
    problem = Problem(graph, EdgeTpuPipeline(2))
    grouping = by_layer(graph)
    assert grouping is not None
    items = items_of(graph, grouping, frozenset(range(3)))
    device_of = (np.arange(graph.n) >= 100).astype(np.int32)
    scene = scene_of(items, "flow", device_of, 2, (800, 600), evaluator=problem.evaluator)
    # On Edge TPUs times follow from the target's rates, and tensors are INT8.
    assert scene.item_work.sum() == pytest.approx(problem.evaluate(device_of).work.sum())
    assert scene.item_work.sum() != pytest.approx(graph.work.sum())
    assert scene.flow[0, 1] == problem.evaluate(device_of).details["bytes_in"][1]
    plain = scene_of(items, "flow", device_of, 2, (800, 600))
    assert plain.item_work.sum() == pytest.approx(graph.work.sum())
    assert plain.flow[0, 1] == 4 * scene.flow[0, 1]


def test_edges_that_break_the_order_are_told() -> None:
    problem = Problem(chain_graph(12), Pipeline(3))
    device_of = np.repeat([0, 1, 2], 4).astype(np.int32)
    items = items_of(problem.graph, None, frozenset())
    scene = scene_of(items, "flow", device_of, 3, (800, 600))
    scene.evaluation = problem.evaluate(device_of)
    assert not scene.broken_edges.any()
    device_of[11] = 0
    scene = scene_of(items, "flow", device_of, 3, (800, 600))
    scene.evaluation = problem.evaluate(device_of)
    broken = scene.broken_edges
    ends = set(zip(items.edge_src[broken].tolist(), items.edge_dst[broken].tolist(), strict=True))
    assert ends == {violation.ops for violation in scene.evaluation.violations} != set()
    colour, _, _ = edge_style(scene, canvas_palette(LIGHT, 3), Detail.LABELS, 1.0)
    assert (colour[broken] == packed(LIGHT.bad)).all() and (colour[~broken] != packed(LIGHT.bad)).all()


def pooled() -> Problem:
    """A chain on an accelerator and a CPU, which takes three times as long for each op."""
    graph = chain_graph(6)
    return Problem(replace(graph, work_cpu=3.0 * graph.work), DevicePool(accelerators=1, cpus=1))


def test_cards_show_the_time_on_the_device_that_they_are_on() -> None:
    problem = pooled()
    device_of = np.array([0, 0, 1, 1, 0, 1], np.int32)
    items = items_of(problem.graph, None, frozenset())
    scene = scene_of(items, "flow", device_of, 2, (800, 600), problem.devices, problem.evaluator)
    expected = problem.graph.work * np.where(device_of == 1, 3.0, 1.0)
    assert scene.item_work == pytest.approx(expected)
    scene.set_devices(1 - device_of, 2, problem.evaluator.work_on(1 - device_of))
    assert scene.item_work == pytest.approx(problem.graph.work * np.where(device_of == 1, 1.0, 3.0))


@given(st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_folding_changes_no_count_and_no_bytes(places: list[int]) -> None:
    graph, device_of = chain_graph(12), np.array(places, np.int32)
    groups = GroupView(np.arange(12, dtype=np.int32) // 4, ("a", "b", "c"))
    plain = scene_of(items_of(graph, None, frozenset()), "stages", device_of, 3, (900, 600))
    folded = scene_of(items_of(graph, groups, frozenset({0, 1, 2})), "stages", device_of, 3, (900, 600))
    assert folded.ops.tolist() == plain.ops.tolist() == np.bincount(device_of, minlength=3).tolist()
    assert folded.flow.tolist() == plain.flow.tolist()
    told = [{(r.src, r.dst): r.bytes for r in stage_ribbons(scene)} for scene in (plain, folded)]
    assert told[0] == told[1], "a device whose ops are all in groups of others has a plate, too"


def test_tool_tips_and_stories_show_the_time_on_the_device_too(qapp: object) -> None:
    problem, document = pooled(), Document()
    document.open_graph(problem.graph, target=problem.target)
    document.set_assignment(np.array([0, 0, 1, 1, 1, 1], np.int32), "apply", "moved")
    items = items_of(problem.graph, None, frozenset())
    slow = one_time(float(3.0 * problem.graph.work[2]), problem.graph.time_unit)
    assert ("work", slow) in op_words(document, items, 2)[2]
    plan = document.current_plan()
    assert ("work", slow) in op_facts(plan, 2)
    scene = scene_of(items, "flow", document.device_of, 2, (800, 600), problem.devices, problem.evaluator)
    assert slow in str(facts_data(scene, problem)["work"])
