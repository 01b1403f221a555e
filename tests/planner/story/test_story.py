"""Stories: what they may hold, what is said about plans, stories that make themselves, and those that come along."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StoryError
from planner.machines.catalogue import planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_graph, tiny_network
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import STORIES
from planner.problem.problem import Pin, Plan, Problem
from planner.problem.provenance import Provenance
from planner.quantity import amount_text
from planner.search.run import plan_of, run, run_bound
from planner.story.files.json import read_story, write_story
from planner.story.files.plans import pack, resolve
from planner.story.folded import FoldedGroup
from planner.story.keyframe import Camera, Keyframe
from planner.story.looking import looked_at, named_ops
from planner.story.machines import machine_title, other_machine
from planner.story.making import Told, story_of_plans, thinned, visible
from planner.story.proof_words import BEFORE_RULES, WITH_AT_MOST, WITH_FINER_GAPS, proof_sentences
from planner.story.story import Resolved, Story
from planner.story.subject import StoryModel
from planner.story.telling import (
    TWO_LINES,
    caption,
    facts,
    filled,
    fitting,
    found_by,
    in_one_unit,
    shortened,
    title,
)
from tests.planner.machines.two_level_memory.strategies import networks, orders
from tests.planner.problem.examples import streaming_row
from tests.planner.strategies import placements, problems

ROOT = Path(__file__).resolve().parents[3]
KEYS = ("pipeline", "device-placement", "edge-tpu", "package", "sparse")


def plan_on(problem: Problem, devices: list[int], name: str = "") -> Plan:
    return problem.plan(np.array(devices, np.int32), Provenance("hand"), name)


@pytest.fixture(name="problem")
def _problem() -> Problem:
    graph = tiny_graph()
    return Problem(graph, parse_target("pipeline:3", graph))


def compared(**changed: Any) -> Keyframe:
    """A keyframe that compares plan 0 with plan 1."""
    fields: dict[str, Any] = {"comparison": "side-by-side", "versus": 1} | changed
    return Keyframe("", "", 0, "comparison", **fields)


# ------------------------------------------------------------------------------------------------------------ what stories may hold
@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: StoryModel((), "f"), "its files or how it is generated"),
        (lambda: StoryModel(("../a.json",), "f"), "not inside the story's folder"),
        (lambda: StoryModel(("a.json",), ""), "fingerprint of a model must be text"),
        (lambda: StoryModel(("a.json",), "f", 0), "batch of a model"),
        (lambda: StoryModel(("a.json",), "f", density=0.0), "above 0"),
        (lambda: Camera(0, 0, 0, 1), "width of a camera is 0"),
        (lambda: Camera(float("nan"), 0, 1, 1), "must be a number"),
        (lambda: Keyframe("x" * 200, "", 0), "shorten it to 120"),
        (lambda: Keyframe("", "", -1), "plan of a keyframe must be a whole number"),
        (lambda: Keyframe("", "", 0, view="up"), "choose from flow, lanes"),
        (lambda: Keyframe("", "", 0, panel="x"), "choose from '', costs"),
        (lambda: Keyframe("", "", 0, panel="difference"), "names no plan to compare with"),
        (lambda: Keyframe("", "", 0, hold=0.0), "it must be from 0.1"),
        (lambda: Keyframe("", "", True), "whole number"),
        (lambda: Keyframe("", "", 0, comparison="overlay", versus=1), "compares plans in the view 'flow'"),
        (lambda: Keyframe("", "", 0, "comparison", versus=1), "does not say how it compares plans"),
        (lambda: Keyframe("", "", 0, "comparison", comparison="sankey"), "names only one"),
        (
            lambda: Keyframe("", "", 0, "comparison", comparison="pie", versus=1),
            "choose from '', side-by-side",
        ),
        (lambda: compared(layout="stages"), "choose from flow, lanes"),
        (lambda: compared(share=1.5), "it must be from 0 to 1"),
        (lambda: compared(beside=(2, 3, 4)), "compares 5 plans as 'side-by-side'"),
        (lambda: compared(comparison="overlay", beside=(2,)), "overlays and Sankeys are of 2 plans"),
        (lambda: compared(beside=(-1,)), "a further plan of a comparison must be a whole number"),
    ],
)
def test_what_a_story_may_not_hold(made: Any, words: str) -> None:
    with pytest.raises(StoryError) as caught:
        made()
    assert words in str(caught.value)


def test_a_camera_sees_what_there_is_of_the_scene() -> None:
    assert Camera(0.25, 0.5, 0.5, 0.25).seen == (0.25, 0.5, 0.5, 0.25)
    assert Camera(-0.5, -0.25, 1.0, 2.0).seen == (0.0, 0.0, 0.5, 1.0)
    assert Camera(0.75, 0.5, 1.0, 1.0).seen == (0.75, 0.5, 0.25, 0.5)
    assert Camera(1.5, 0.0, 0.5, 1.0).seen == Camera(0.0, -1.0, 1.0, 0.5).seen == (0.0, 0.0, 1.0, 1.0)


def test_parts_of_a_story_fit_together(problem: Problem) -> None:
    model = StoryModel(("a.json",), problem.graph.fingerprint)
    one = pack(plan_on(problem, [0] * problem.graph.n))
    network = NetworkProblem(tiny_network(), TwoLevelMemory(4))
    order = pack(network.plan(np.arange(8), Provenance("hand")), model=1)
    both = (model, StoryModel(("b.npz",), "f"))
    for frame, words in (
        (Keyframe("", "", 5), "names plan 5"),
        (Keyframe("", "", 1, "lanes"), "choose 'network'"),
        (Keyframe("", "", 0, "network"), "choose 'flow', 'lanes' or 'stages'"),
        (Keyframe("", "", 1, "stages"), "choose 'network'"),
        (Keyframe("", "", 1, "package"), "choose 'network'"),
        (Keyframe("", "", 1, "network", panel="package"), "networks do not have"),
        (Keyframe("", "", 0, at=3), "remove its 'at'"),
        (Keyframe("", "", 1, "network", panel="schedule"), "networks do not have"),
        (Keyframe("", "", 1, "network", versus=0), "both must be of one"),
        (compared(), "both must be of one"),
        (compared(versus=2, beside=(7,)), "names plan 7"),
        (compared(versus=0), "compares a plan with itself"),
        (compared(versus=2, beside=(0,)), "compares a plan with itself"),
        (replace(compared(versus=3), plan=1), "compares orders of a network"),
    ):
        with pytest.raises(StoryError, match=words):
            Story("t", "", both, (one, order, one, order), (frame,))
    story = Story("t", "", both, (one, order), (Keyframe("", "", 0, hold=2.0, transition=0.5),) * 2)
    assert story.duration == 5.0 and story.plans[1].is_order and not story.plans[0].is_order


# ------------------------------------------------------------------------------------------------------------ what is said
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_something_can_be_said_of_any_plan(data: st.DataObject) -> None:
    problem = data.draw(problems())
    first, second = (plan_on(problem, data.draw(placements(problem))) for _ in range(2))
    for words in (caption(first), caption(second, (), first), title(first), title(second, first)):
        assert words and "\n" not in words and "{" not in words and len(words) <= TWO_LINES
    told = facts(second, (), first)
    assert told["ops"] == f"{problem.graph.n:,}" and told["broken"] == str(len(second.evaluation.violations))
    assert int(told["moved"].replace(",", "")) <= problem.graph.n


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_something_can_be_said_of_any_order(data: st.DataObject) -> None:
    network = data.draw(networks())
    problem = NetworkProblem(network, TwoLevelMemory(4))
    first, second = (problem.plan(data.draw(orders(network)), Provenance("hand")) for _ in range(2))
    assert f"{second.evaluation.reads + second.evaluation.writes:,} I/Os" in caption(second, (), first)
    assert facts(second)["extra"] == f"{second.objective - facts_least(second):,.0f}"
    assert title(first) == f"{first.evaluation.reads + first.evaluation.writes:,} I/Os"


def facts_least(plan: OrderPlan) -> int:
    return int(facts(plan)["least"].replace(",", ""))


def test_a_caption_says_what_changed_and_what_is_proven(problem: Problem) -> None:
    n = problem.graph.n
    result = run(planner("slice"), problem)
    best = plan_of(result)
    worst = plan_on(problem, [0] * n)
    words = caption(best, (), worst)
    assert "less than before" in words and f"of {n} ops moved" in words
    assert "No plan can do with less than" not in words, "nothing is proven yet"
    exact = problem.bound("bottleneck", best.objective, "exact", frozenset())
    assert caption(best, [exact]).endswith("Proven: no plan takes less time.")
    half = problem.bound("bottleneck", best.objective / 2, "simple", frozenset())
    assert "at most 50.0 % is left to gain" in caption(best, [half])
    between = problem.bound("bottleneck", best.objective * (1 - 0.55642), "simple", frozenset())
    assert "less than 55.7 % is left" in caption(best, [between]), "rounded up as the head of its slide"
    assert "at most 55.7 % is left" in proof_sentences(best, [between], WITH_AT_MOST)[0], (
        "so it was told, too"
    )
    assert "at most 55.65 %" in proof_sentences(best, [between], WITH_FINER_GAPS)[0], "so it was told before"
    assert title(plan_on(problem, [0] * n, "mine")) == "mine"
    assert title(best) == "Bottleneck 6.50 s" and title(best, worst).endswith("to 6.50 s")
    assert title(best, worst).startswith("From ") and "better" in title(replace(best, name="mine"), worst)
    assert title(replace(best, name="slice (seed 3)")) == title(best), "a planner's name says nothing"
    assert found_by(best) == "Found by Slice." and found_by(replace(best, name="mine")) == ""
    backwards = plan_on(problem, [2] + [0] * (n - 1))
    assert not backwards.evaluation.valid and caption(backwards).startswith("This plan breaks ")


def test_proofs_name_the_rules_that_could_be_off(problem: Problem) -> None:
    """A plan outside a rule may be faster: what is proven with the rule is said of plans that keep it alone."""
    row = Problem(problem.graph, DevicePool(2, 1))
    plan = plan_on(row, [0] * problem.graph.n)
    kept = row.bound("max-load", plan.objective, "exact", frozenset({"rule:contiguous", "rule:support"}))
    anyhow = replace(kept, assumes=frozenset({"rule:support"}))
    assert caption(plan, [kept]).endswith("Proven: no contiguous plan takes less time.")
    assert caption(plan, [anyhow]).endswith("Proven: no plan takes less time."), "the proof did without"
    half = replace(kept, value=plan.objective / 2)
    assert " No contiguous plan can do with less than" in f" {caption(plan, [half])}"
    assert proof_sentences(plan, [kept], BEFORE_RULES)[0] == "Proven: no plan takes less time.", (
        "so it was told"
    )
    path = Problem(
        problem.graph,
        Pipeline(3, path=True),
        constraints=(Pin(problem.graph.op_ids[0], problem.devices[0].name),),
    )
    alone = plan_on(path, [0] * problem.graph.n)
    proof = path.bound("bottleneck", alone.objective, "exact", frozenset({"rule:path"}))
    assert caption(alone, [proof]).endswith(
        "Proven: with 1 pin and stages in a path no plan takes less time."
    )


def test_plans_of_several_counts_say_for_which_what_is_said_holds(problem: Problem) -> None:
    """On one stage no plan takes less, though on three, told before, one did."""
    several = plan_of(run(planner("slice"), problem))
    one = Problem(problem.graph, replace(problem.target, count=1))
    alone = plan_on(one, [0] * problem.graph.n)
    proven = [one.bound("bottleneck", alone.objective, "exact", frozenset())]
    words = caption(alone, proven, several)
    assert f" more than on {len(problem.devices)} stages. " in words and "before" not in words
    assert words.endswith("Proven: on 1 stage no plan takes less time.")
    half = [one.bound("bottleneck", alone.objective / 2, "simple", frozenset())]
    assert " On 1 stage no plan can do with less than" in caption(alone, half, several)
    pinned = Problem(
        one.graph, one.target, one.objective, (Pin(problem.graph.op_ids[0], one.devices[0].name),)
    )
    kept = [pinned.bound("bottleneck", alone.objective, "exact", frozenset())]
    assert caption(plan_on(pinned, [0] * problem.graph.n), kept, several).endswith(
        "Proven: on 1 stage with 1 pin no plan takes less time."
    )
    assert caption(alone, proven).endswith("Proven: no plan takes less time."), "nothing else was told before"
    assert machine_title(alone, several) == f"On 1 stage instead of {len(problem.devices)}"
    assert (
        machine_title(several, several) == ""
        and title(replace(alone, name="mine"), several) == "mine, on 1 stage"
    )
    assert title(replace(alone, name=""), several).endswith(" s, on 1 stage")
    model = StoryModel(("model.json",), problem.graph.fingerprint)
    made = story_of_plans(model, [Told(several), Told(alone, tuple(proven))])
    assert made.title == f"{problem.name} on {len(problem.devices)} stages and on 1 stage"
    pool = Problem(problem.graph, DevicePool(2, 1))
    assert machine_title(plan_on(pool, [0] * problem.graph.n), several) == "On 2 accelerators, 1 CPU"
    network = tiny_network()
    small, large = (
        NetworkProblem(network, TwoLevelMemory(size=size)).plan(
            np.arange(network.connection_count, dtype=np.int32), Provenance("hand")
        )
        for size in (6, 8)
    )
    assert machine_title(large, small) == "With 8 values in fast memory instead of 6"
    assert other_machine(large, several) == "", "another model"


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([4, 2, 2], "8 B go between stages; most, 4 B, from Stage 0 to Stage 1."),
        ([4, 4, 2], "10 B go between stages; most, 4 B each, from Stage 0 to Stage 1 and from Stage 1 to Stage 2."),
        ([4, 4, 0], "8 B go between stages; 4 B each, from Stage 0 to Stage 1 and from Stage 1 to Stage 2."),
        ([4, 4, 4], "12 B go between stages; at most 4 B from one to another."),
    ],
)  # fmt: skip
def test_of_ways_that_carry_as_much_all_are_named_or_none(sizes: list[int], words: str) -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), float(size), time=1.0) for i, size in enumerate(sizes) if size]
    problem = Problem(Graph.build("row", ops, tensors), Pipeline(4))
    assert looked_at(plan_on(problem, [0, 1, 2, 3]), view="stages") == words


def test_what_is_said_of_a_plan_that_is_looked_at_again(problem: Problem) -> None:
    graph, n = problem.graph, problem.graph.n
    plan = plan_on(problem, [0] * (n - 1) + [1])
    told = facts(plan)
    assert (
        looked_at(plan)
        == f"Stage 0 works for {told['bottleneck_work']}; receiving and sending take {told['bottleneck_transfers']}."
    )
    assert looked_at(plan, view="lanes") == looked_at(plan)
    assert looked_at(plan, view="stages").endswith(" go from Stage 0 to Stage 1.")
    several = looked_at(plan_on(problem, [0] * (n - 2) + [1, 2]), view="stages")
    assert " go between stages; " in several and ", from Stage " in several
    alone = plan_on(problem, [0] * n)
    assert looked_at(alone, view="stages") == looked_at(alone) != "", "nothing flows"
    last = graph.op_ids[n - 1]
    assert looked_at(plan, [last]).endswith("of work on Stage 1.")
    assert looked_at(plan, [graph.op_ids[0], last]).startswith(
        f"2 of {n} ops, "
    ) and "on 2 devices" in looked_at(plan, [graph.op_ids[0], last])
    assert looked_at(plan, ["no such op"]) == looked_at(plan)
    first = graph.op_ids[: n - 1]
    assert named_ops(plan, first) == "The bottleneck, stage 0"
    assert named_ops(plan, first[:-1]) == f"{first[0]} and {n - 3} more", "not all of the stage's ops"
    assert named_ops(plan, [last]) == last, "one op is called by its name"
    other = plan_on(problem, [0] * (n - 2) + [1, 1])
    assert named_ops(other, graph.op_ids[n - 2 :]) == "Stage 1", "the other stage sets the pace"
    assert looked_at(plan_on(problem, [2] + [0] * (n - 1))) == "", "it breaks rules"


def test_ops_are_told_by_their_times_on_their_machine() -> None:
    """An Edge TPU has rates of its own: a model's time of an op, given or guessed, is not what the plan counts."""
    ops = [Op(f"o{i}", f"o{i}", kind="Conv", macs=1e9, param_bytes=1e6) for i in range(4)]
    graph = fill(Graph.build("row", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1e6) for i in range(3)]))
    problem = Problem(graph, EdgeTpuPipeline(2, precision="file", cache=0.0), "stage-time")
    plan = plan_on(problem, [0, 0, 0, 1])
    each = problem.evaluator.work_on(plan.decision.device_of)[0]
    assert each != graph.work[0] and plan.evaluation.bottleneck == 0
    some = looked_at(plan, ["o0", "o1"])
    assert some == f"2 of 4 ops, {amount_text(2 * each, 's')} of work in all, on Stage 0."
    told = facts(plan)
    assert looked_at(plan, ["o0", "o1", "o2", "o0"]) == (
        f"3 of 4 ops on Stage 0: {told['bottleneck_work']} of work, {told['bottleneck_streaming']} of streaming,"
        f" {told['bottleneck_send']} of sending."
    )
    in_bytes = plan_on(Problem(graph, problem.target, "memory-1-3"), [0, 0, 0, 1])
    assert looked_at(in_bytes, ["o0", "o1", "o2"]).endswith(" of work in all, on Stage 0.")


def test_where_all_stages_stream_over_one_link_none_is_said_to_set_the_pace() -> None:
    problem = Problem(streaming_row(), EdgeTpuPipeline(2, precision="file", cache=0.0), "inference-time")
    plan = plan_on(problem, [0, 0, 1, 1])
    assert named_ops(plan, ["o0", "o1"]) == "The longest besides streaming, stage 0"
    model = StoryModel(("row.json",), problem.graph.fingerprint)
    story = story_of_plans(model, [Told(plan)])
    told = [(frame.title, frame.caption) for frame in story.keyframes if "streaming" in frame.title]
    assert [title for title, _ in told] == ["Stage 0 takes longest besides streaming"]
    assert "stream for 4.40 s, one after another" in told[0][1]
    assert not any("rest" in frame.title + frame.caption for frame in story.keyframes)
    assert not any("sets the pace" in frame.title for frame in story.keyframes)


def test_ops_of_a_folded_group_are_called_by_its_name(problem: Problem) -> None:
    plan = problem.plan(np.arange(8, dtype=np.int32) % 3, Provenance("hand"))
    ids, folded = problem.graph.op_ids, (FoldedGroup("block 1", "1-3"), FoldedGroup("block 2", "4-5"))
    assert named_ops(plan, ids[1:4], folded) == "block 1"
    assert named_ops(plan, ids[1:7], folded) == "block 1 and 2 more"
    assert named_ops(plan, ids[1:4]) == f"{ids[1]} and 2 more"


def test_templates_know_only_facts(problem: Problem) -> None:
    told = facts(plan_on(problem, [0] * problem.graph.n))
    assert filled("{ops} ops on {devices}", told) == f"{problem.graph.n} ops on 3"
    with pytest.raises(StoryError, match="speaks of 'luck'"):
        filled("{luck}", told)
    assert shortened("one two three", 10) == "one two…"
    assert fitting(["One.", "", "Two.", "Three is long."], 12) == "One. Two."
    assert fitting(["One is long.", "Two."], 8) == "One is…"


# ------------------------------------------------------------------------------------------------------------ made by themselves
def test_a_story_of_plans(problem: Problem, tmp_path: Path) -> None:
    n = problem.graph.n
    plans = [plan_on(problem, [0] * n, "one device"), plan_of(run(planner("slice"), problem))]
    seen: list[tuple[str, int]] = []

    def camera(plan: Any, view: str, ops: Any) -> Camera:
        seen.append((view, len(ops)))
        return Camera(0, 0, 0.5, 0.5)

    model = StoryModel(("tiny.json",), problem.graph.fingerprint)
    story = story_of_plans(model, [Told(plan) for plan in plans], "A talk", camera, "dark")
    views = [(k.view, k.plan, k.panel, k.versus) for k in story.keyframes]
    assert views == [
        ("flow", 0, "", -1), ("lanes", 0, "costs", -1), ("lanes", 1, "difference", 0), ("lanes", 1, "costs", -1),
        ("certificate", 1, "", -1),
    ]  # fmt: skip
    assert story.keyframes[-1].title == "The certificate of “Slice”", story.keyframes[-1].title
    worst = plans[1].evaluation.bottleneck
    assert seen == [("lanes", int((plans[1].decision.device_of == worst).sum()))]
    assert story.keyframes[3].camera == Camera(0, 0, 0.5, 0.5) and (story.title, story.theme) == (
        "A talk",
        "dark",
    )
    assert read_story(write_story(tmp_path / "a.story.json", story)) == story
    broken = plan_on(problem, [2] + [0] * (n - 1))
    last = story_of_plans(model, [Told(broken)]).keyframes[-2]
    assert last.title == "A rule is broken" and last.highlight
    with pytest.raises(StoryError, match="needs a plan"):
        story_of_plans(model, [])


def test_a_story_of_orders() -> None:
    network = NetworkProblem(tiny_network(), TwoLevelMemory(4))
    plans = [Told(network.plan(np.arange(8), Provenance("hand"))) for _ in range(3)]
    plans[1] = Told(plans[1].plan, brief=True)
    story = story_of_plans(StoryModel(("a.npz",), network.network.fingerprint), plans)
    assert [(k.view, k.at, k.plan) for k in story.keyframes] == [
        ("network", 0, 0), ("network", 0, 0), ("network", 8, 0), ("network", 8, 1), ("network", 0, 2), ("network", 8, 2),
        ("certificate", None, 2),
    ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.integers(2, 12))
def test_thinned_searches_show_steps_that_can_be_seen(problem_steps: list[int], most: int) -> None:
    graph = tiny_graph()
    problem = Problem(graph, parse_target("pipeline:3", graph))
    plans = [plan_on(problem, [0] * (graph.n - step) + [2] * step) for step in problem_steps]
    shown = thinned(plans, most)
    assert shown == sorted(set(shown)) and len(shown) <= max(most, 2)
    assert shown[0] == 0 and shown[-1] == len(plans) - 1
    if len(plans) > 2:
        assert all(visible(plans[a], plans[b]) for a, b in pairwise(shown[:-1]))
    with pytest.raises(StoryError):
        thinned(plans, 1)


# ------------------------------------------------------------------------------------------------------------ those that come along
@pytest.fixture(name="scripts", scope="module")
def _scripts() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        yield importlib.import_module("make_stories")
    finally:
        sys.path.remove(str(ROOT / "tools"))


def shipped(key: str) -> Resolved:
    path = STORIES / f"{key}.story.json"
    return resolve(read_story(path), path.parent)


def test_five_stories_come_along(scripts: Any) -> None:
    assert {file.name for file in STORIES.iterdir()} == {f"{key}.story.json" for key in KEYS}
    assert tuple(script.key for script in scripts.SCRIPTS) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_every_number_in_a_shipped_story_is_evaluated(scripts: Any, key: str) -> None:
    found = shipped(key)
    story = found.story
    script = next(script for script in scripts.SCRIPTS if script.key == key)
    assert found.notes == (), "what the file says is what its plans cost"
    assert story.duration < 120.0 and 6 <= len(story.keyframes) <= 12
    assert (story.title, story.summary, story.theme) == (script.title, script.summary, script.theme)
    assert len(story.keyframes) == len(script.scenes)
    for keyframe, scene in zip(story.keyframes, script.scenes, strict=True):
        for template in (scene.title, scene.caption):
            # Names may hold digits (ResNet50); a number that stands alone is a fact or is not there.
            assert not re.search(r"(?<![\w-])\d", re.sub(r"\{\w+\}", "", template)), template
        versus = found.plans[keyframe.versus] if keyframe.versus >= 0 else None
        told = facts(found.plans[keyframe.plan], found.bounds[keyframe.plan], versus)
        assert keyframe.title == filled(scene.title, told)
        assert keyframe.caption == filled(scene.caption, told)
        assert len(keyframe.caption) <= TWO_LINES
        # What the speaker may say is there, is short, and holds no figure that could become wrong.
        assert keyframe.notes == scene.notes and 30 < len(scene.notes) < 200
        assert not re.search(r"(?<![\w-])\d", scene.notes)


def test_what_the_stories_promise() -> None:
    """Words that are no numbers, but say as much."""
    pipeline, pool, edge, package, sparse = (shipped(key) for key in KEYS)
    values = [plan.objective for plan in pipeline.plans]
    assert values[0] > values[1] > values[2] > values[-1], "each plan is better than the one before"
    bounds = [max((b.value for b in found), default=0.0) for found in pipeline.bounds]
    assert bounds[3:] == sorted(bounds[3:]) and len(set(bounds[3:])) == 5, "each bound says more"
    for found, index in ((pipeline, -1), (pool, 2), (pool, 3), (edge, 3)):
        plan: Any = found.plans[index]
        assert plan.problem.standing(plan.evaluation.values, found.bounds[index]).status == "optimal"
    assert pool.plans[2].problem.target != pool.plans[3].problem.target
    assert edge.plans[3].evaluation.components["dram"] == 0.0 < edge.plans[2].evaluation.components["dram"]
    broken = [[violation.kind for violation in plan.evaluation.violations] for plan in package.plans]
    assert broken == [[], [], ["triangle"], []], "one broken triangle, and nothing else"
    assert len(package.plans[2].evaluation.violations[0].devices) == 3, "of three chips"
    own = package.plans[2].decision.device_of != package.plans[1].decision.device_of
    assert own.sum() == 1, "one op was moved by hand"
    assert (package.plans[3].decision.device_of[own] == package.plans[2].decision.device_of[own]).all(), (
        "and stays there"
    )
    assert (
        sparse.plans[0].objective
        > sparse.plans[1].objective
        > sparse.plans[2].objective
        > sparse.plans[4].objective
    )


@pytest.mark.parametrize("key", ["edge-tpu", "sparse"])
def test_making_a_story_again_gives_the_same_bytes(scripts: Any, tmp_path: Path, qapp: Any, key: str) -> None:
    assert scripts.main([str(tmp_path), key]) == 0
    name = f"{key}.story.json"
    assert (tmp_path / name).read_bytes() == (STORIES / name).read_bytes(), (
        "remake it with tools/make_stories.py"
    )


def test_bounds_in_stories_hold_for_plans_found_here() -> None:
    found = shipped("edge-tpu")
    problem = found.plans[0].problem
    assert isinstance(problem, Problem)
    simple = run_bound(importlib.import_module("planner.machines.catalogue").bound_method("simple"), problem)
    assert all(
        bound.value <= found.plans[3].evaluation.components[bound.component] for bound in simple.bounds
    )


def test_what_cannot_be_shown_is_escaped_and_lines_stay_apart() -> None:
    frame = Keyframe("a\x1b\u202e", "one\ntwo\x07", 0, notes="say\nthis\x07")
    assert (frame.title, frame.caption) == (r"a\x1b\u202e", "one\ntwo" + r"\x07")
    assert frame.notes == "say\nthis" + r"\x07"
    assert replace(frame, hold=2.0).caption == frame.caption


def test_times_of_one_sentence_are_in_one_unit() -> None:
    """But for those that would be nothing in it."""
    assert in_one_unit([1.04e-3, 321.25e-6, 5e-6, 0.0], "s") == [
        "1.04 ms",
        "0.32 ms",
        "5.00 µs",
        amount_text(0.0, "s"),
    ]
    assert in_one_unit([3.0, 0.5], None) == [amount_text(3.0, None), amount_text(0.5, None)]
    ops = [Op(f"o{i}", f"o{i}", work=1e-3, work_cpu=1e-3) for i in range(2)]
    problem = Problem(
        Graph.build("row", ops, [Tensor("o0", ("o1",), 8.0, time=321.25e-6)], time_unit="s"), Pipeline(2)
    )
    assert (
        looked_at(plan_on(problem, [0, 1]))
        == "Stage 0 works for 1.00 ms; receiving and sending take 0.32 ms."
    )
