"""What is said of plans that are compared, and stories that compare them by themselves."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StoryError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.methods.tiny import tiny_graph
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.quantity import amount_text
from planner.reports.comparison import compare
from planner.reports.schedule.schedule import schedule
from planner.story.comparing import comparison_caption, comparison_title, letters_for
from planner.story.files.json import from_dict, to_dict
from planner.story.files.plans import resolve_with
from planner.story.keyframe import COMPARISONS, LONGEST_CAPTION, Keyframe
from planner.story.making import Told, story_of_plans
from planner.story.subject import StoryModel
from planner.story.telling import caption, from_to
from tests.planner.reports.comparison.test_comparison import chain
from tests.planner.strategies import placements, problems


def plan_on(target: Target, devices: list[int], name: str) -> Plan:
    return Problem(tiny_graph(), target).plan(np.array(devices, np.int32), Provenance("hand"), name)


def halves(k: int = 2) -> list[int]:
    n = tiny_graph().n
    place = np.empty(n, np.int64)
    place[tiny_graph().topological_order] = np.arange(n)
    return [int(v) for v in place * k // n]


def test_the_figures_are_said() -> None:
    one, two = plan_on(Pipeline(2), [0] * tiny_graph().n, "one"), plan_on(Pipeline(2), halves(), "two")
    told = compare([one, two])
    assert comparison_title(told) == "two against one"
    words = comparison_caption(told)
    share = abs(two.objective - one.objective) / one.objective
    found = re.match(r"B takes ([\d.]+) % (less|more) than A, .*; (\d+) of (\d+) ops are elsewhere\.", words)
    assert found is not None, words
    assert float(found[1]) == pytest.approx(100 * share, abs=0.06)
    assert found[2] == ("less" if two.objective < one.objective else "more")
    assert (int(found[3]), int(found[4])) == (len(told.moved(1)), tiny_graph().n)
    count, n = len(told.moved(1)), tiny_graph().n
    assert comparison_caption(told, "sankey") == (
        f"{count} of {n} ops go elsewhere from A to B. All of them go from Stage 0 to Stage 1."
    )
    assert comparison_caption(told, "overlay") == (
        f"{n - count} of {n} ops stay where A has them; in B {count} are elsewhere."
    )
    assert "wait" not in comparison_caption(told, "schedules"), "nothing waits where one device has all"
    order = tiny_graph().topological_order
    uneven = np.zeros(n, np.int64)
    uneven[order[1:]] = 1
    other = plan_on(Pipeline(2), uneven.tolist(), "other")
    waits = [plan.problem.devices[plan.evaluation.bottleneck].title for plan in (two, other)]
    both = comparison_caption(compare([two, two]), "schedules")
    assert both.endswith(f" The other waits for {waits[0]} in both."), "one device waits"
    idle = plan_on(Pipeline(3), halves(), "idle")
    both = comparison_caption(compare([idle, idle]), "schedules")
    assert both.endswith(" in both.") and " The other waits for " in both, "one without ops waits for nothing"
    if waits[0] != waits[1]:
        schedules = comparison_caption(compare([two, other]), "schedules")
        assert schedules.endswith(f" The other waits for {waits[0]} in A, for {waits[1]} in B.")
    assert len({comparison_caption(told, how) for how in COMPARISONS}) == len(COMPARISONS)


def test_what_goes_many_ways_or_nowhere_is_said() -> None:
    n = tiny_graph().n
    one = plan_on(Pipeline(5), halves(5), "one")
    same = compare([one, plan_on(Pipeline(5), halves(5), "same")])
    assert comparison_caption(same, "sankey") == "No op is elsewhere in B than in A."
    assert comparison_caption(same, "overlay") == f"All {n} ops are where A has them."
    told = compare([one, plan_on(Pipeline(5), halves(3), "two")])
    words = comparison_caption(told, "sankey")
    assert words.startswith(f"{len(told.moved(1))} of {n} ops go elsewhere from A to B"), words


def test_what_does_not_compare_is_said() -> None:
    n = tiny_graph().n
    one = plan_on(Pipeline(2), [0] * n, "one")
    assert "takes as much as A" in comparison_caption(compare([one, plan_on(Pipeline(2), [0] * n, "same")]))
    assert "every op is where A has it" in comparison_caption(
        compare([one, plan_on(Pipeline(2), [0] * n, "same")])
    )
    pool = plan_on(DevicePool(2, 0), halves(), "pool")
    assert "for another problem than A's" in comparison_caption(compare([one, pool]))
    broken = plan_on(Pipeline(2), [1 - d for d in halves()], "broken")
    assert not broken.evaluation.valid
    assert re.search(r"B breaks (a rule|\d+ rules);", comparison_caption(compare([one, broken])))
    assert "B keeps all rules, which A does not;" in comparison_caption(compare([broken, one]))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_something_can_be_said_of_any_comparison(data: st.DataObject) -> None:
    problem = data.draw(problems())
    plans = [
        problem.plan(np.array(data.draw(placements(problem)), np.int32), Provenance("hand"), name)
        for name in ("x", "y", "z")
    ]
    told = compare(plans)
    assert comparison_title(told) == "x, y, z"
    for way in COMPARISONS:
        words = comparison_caption(told, way)
        assert words and len(words) <= LONGEST_CAPTION and "nan" not in words


def test_a_story_compares_at_its_end() -> None:
    plans = [plan_on(Pipeline(3), halves(k), f"plan {k}") for k in (1, 2, 3)]
    model = StoryModel(("a.json",), tiny_graph().fingerprint)
    story = story_of_plans(model, [Told(plan) for plan in plans], comparisons=COMPARISONS)
    opening = story.keyframes[0].caption
    assert opening.endswith("in colour as the first plan spreads them over a pipeline of 3."), opening
    found = [k for k in story.keyframes if k.view == "comparison"]
    assert [k.comparison for k in found] == list(COMPARISONS)
    assert [(k.versus, k.plan, k.beside) for k in found] == [
        (0, 1, (2,)), (0, 2, ()), (0, 2, ()), (0, 1, (2,)),
    ]  # fmt: skip
    assert story.keyframes[-1].view == "certificate", "which comes after them"
    assert story.keyframes[-1].title == "The certificate of plan C, “plan 3”"
    with pytest.raises(StoryError, match="needs two plans"):
        story_of_plans(model, [Told(plans[0])], comparisons=["overlay"])


def test_a_plan_keeps_its_letter_through_a_story() -> None:
    n = tiny_graph().n
    plans = [
        plan_on(Pipeline(3), [0] * n, "one"),
        plan_on(Pipeline(3), halves(), "two"),
        plan_on(Pipeline(3), halves(3), "three"),
    ]
    model = StoryModel(("model.json",), tiny_graph().fingerprint)
    story = story_of_plans(model, [Told(plan) for plan in plans], comparisons=COMPARISONS)
    frames = {k.comparison: k for k in story.keyframes if k.view == "comparison"}
    assert frames["side-by-side"].called == ("A", "B", "C") == frames["schedules"].called
    assert (frames["overlay"].share, frames["sankey"].share) == (0.5, 1.0), "a still shows both plans"
    for way in ("overlay", "sankey"):
        keyframe = frames[way]
        assert (keyframe.versus, keyframe.plan, keyframe.called) == (0, 2, ("A", "C"))
        assert re.search(r"\bA\b", keyframe.caption) and re.search(r"\bC\b", keyframe.caption)
        assert "B" not in keyframe.caption
    assert from_dict(to_dict(story), "talk", "") == story
    two = story_of_plans(model, [Told(plan) for plan in plans[:2]], comparisons=["overlay"])
    assert all("letters" not in k for k in to_dict(two)["keyframes"]), "files of old stay as they are"


@pytest.mark.parametrize("letters", ["A", "ABC", "AA", "ab", "A1"])
def test_letters_are_one_for_each_plan(letters: str) -> None:
    with pytest.raises(StoryError, match="letter of its own"):
        Keyframe("", "", 1, "comparison", versus=0, comparison="overlay", letters=letters)
    with pytest.raises(StoryError, match="'letters' out"):
        Keyframe("", "", 1, letters="AB")


def test_letters_end_with_the_alphabet() -> None:
    assert letters_for([0, 2], [0, 1, 2]) == "AC" and letters_for([0, 2], [0, 2]) == ""
    assert letters_for([0, 2], range(27)) == ""


def test_a_move_is_said_by_each_plans_own_names() -> None:
    n = tiny_graph().n
    a, b = plan_on(Pipeline(2), halves(), "two"), plan_on(Pipeline(4), halves(4), "four")
    told = compare([a, b])
    words = comparison_caption(told, "sankey")
    assert re.search(
        r"2 each go from A's Stage 0 to B's Stage 0 and from A's Stage 1 to B's Stage 3\. ", words
    ), words
    left, right = told.side_titles(0, 1)
    assert [name for name in left if name] == ["Stage 0", "Stage 1"]
    assert [name for name in right if name] == [f"Stage {i}" for i in range(4)]
    pool = compare([a, plan_on(DevicePool(2, 0), [1 - d for d in halves()], "pool")])
    assert {name for name in pool.side_titles(0, 1)[1] if name} == {"Accelerator 0", "Accelerator 1"}
    alike = compare([plan_on(DevicePool(2, 0), [0] * n, "x"), plan_on(DevicePool(2, 0), [1] * n, "y")])
    first, second = alike.side_titles(0, 1)
    assert first == second, "devices that no order tells apart have one name on both sides"


def test_plans_of_one_name_are_told_apart_throughout() -> None:
    plans = [plan_on(Pipeline(k), halves(), "half") for k in (2, 3)]
    model = StoryModel(("model.json",), tiny_graph().fingerprint)
    story = story_of_plans(model, [Told(plan) for plan in plans], comparisons=["overlay"])
    assert [plan.name for plan in story.plans] == ["half (2 stages)", "half (3 stages)"]
    assert story.keyframes[1].title == "half (2 stages)"


def test_a_talk_of_found_plans_has_plain_titles() -> None:
    plans = [
        plan_on(Pipeline(2), [0] * tiny_graph().n, "slice-random"),
        plan_on(Pipeline(2), halves(), "slice"),
    ]
    plans = [
        replace(plan, provenance=Provenance(name, seed=3))
        for plan, name in zip(plans, ("slice-random", "slice"), strict=True)
    ]
    model = StoryModel(("model.json",), tiny_graph().fingerprint)
    story = story_of_plans(model, [Told(plan) for plan in plans], comparisons=["overlay"])
    first, second = (plan.evaluation.objective for plan in plans)
    assert second < first
    change = re.fullmatch(r"tiny over 2 stages: from ([\d.]+) to ([\d.]+) s", story.title)
    assert change and [float(amount) for amount in change.groups()] == pytest.approx([first, second])
    titles = [frame.title for frame in story.keyframes]
    assert sum(title == f"From {change[1]} to {change[2]} s" for title in titles) == 1
    assert titles[3] == "Both on one canvas", "what changed was said of the plan"
    *others, certificate = titles
    assert certificate.startswith("The certificate of plan ")
    assert not any("slice" in title.casefold() for title in others)
    assert story.keyframes[2].notes == "Found by Slice, seed 3."
    assert "Found by" in story.keyframes[1].caption
    three = compare([*plans, plan_on(Pipeline(2), halves(1), "slice")])
    assert comparison_title(three).startswith("3 plans: from ")
    with_broken = compare([plans[0], plan_on(Pipeline(2), [1] + [0] * (tiny_graph().n - 1), "slice")])
    assert comparison_title(with_broken) == "2 plans compared"


def test_schedules_are_told_by_what_samples_take() -> None:
    n = tiny_graph().n
    target = EdgeTpuPipeline(2)
    slow, fast = (
        Problem(tiny_graph(), target, objective).plan(
            np.array(devices, np.int32), Provenance("slice"), "slice"
        )
        for objective, devices in (("memory-1-2-3", [0] * n), ("inference-time", halves()))
    )
    told = compare([slow, fast])
    words = comparison_caption(told, "schedules")
    times = [
        amount_text(schedule(p.problem, p.decision.device_of, kind="pipelined").period, told.graph.time_unit)
        for p in (slow, fast)
    ]
    assert words.startswith(f"A finishes a sample every {times[0]}. B finishes a sample every {times[1]}, ")
    assert re.search(r", [\d.]+ % (less|more) than A\.", words) and "needs" not in words
    assert comparison_title(told, "schedules").endswith(f" to {times[1]} between samples")
    assert "for another problem" in comparison_caption(told, "side-by-side")
    assert comparison_caption(compare([slow, slow]), "schedules").endswith(f"every {times[0]}, as A does.")
    # A plan that cannot run has no pace.
    broken = plan_on(Pipeline(2), [1 - d for d in halves()], "broken")
    assert "breaks" in comparison_caption(compare([plan_on(Pipeline(2), halves(), "b"), broken]), "schedules")


def test_the_others_wait_for_what_takes_longest_also_where_plans_are_made_for_memory() -> None:
    ops = [
        Op(f"op{i}", f"op{i}", work=work, work_cpu=work, params=held, param_bytes=held)
        for i, (work, held) in enumerate([(9.0, 2**20), (1.0, 6 * 2**20), (1.0, 2**20)])
    ]
    edges = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0) for i in range(2)]
    problem = Problem(Graph.build("heavy", ops, edges, time_unit="s"), EdgeTpuPipeline(3), "memory-2-1-3")
    one, other = (
        problem.plan(np.array(devices, np.int32), Provenance("hand"), name)
        for devices, name in (([0, 1, 2], "one"), ([0, 1, 1], "other"))
    )
    assert one.evaluation.bottleneck == other.evaluation.bottleneck == 1, "the stage that holds most"
    words = comparison_caption(compare([one, other]), "schedules")
    assert words.endswith(" The others wait for Stage 0 in both."), words


def test_nobody_is_said_to_wait_who_is_busy_all_the_time_to_the_eye() -> None:
    works = [1.0, 2.0, 1.9999, 1.9999, 1.9999, 1.0]
    ops = [Op(f"op{i}", f"op{i}", work=work, work_cpu=work) for i, work in enumerate(works)]
    edges = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=0.0) for i in range(len(ops) - 1)]
    graph = Graph.build("even", ops, edges, time_unit="s")

    def told(k: int, *splits: list[int]) -> str:
        problem = Problem(graph, Pipeline(k), "bottleneck")
        plans = [problem.plan(np.array(split, np.int32), Provenance("hand"), "") for split in splits]
        return comparison_caption(compare(plans), "schedules")

    alone, nearly = [0, 0, 1, 2, 2, 3], [0, 1, 1, 2, 2, 3]
    assert told(4, alone, nearly).endswith(" The others wait for Stage 2 in A, for Stage 1 and Stage 2 in B.")
    assert told(6, list(range(6)), list(range(6))).endswith(" The others wait for 4 stages in both.")
    assert "wait" not in told(2, [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("how", ["side-by-side", "schedules"])
def test_what_is_estimated_in_practice_is_said_beside_times_that_leave_shared_links_out(how: str) -> None:
    ops = [
        Op(f"op{i}", f"op{i}", work=1e-3, work_cpu=1e-3, params=2**20, param_bytes=2**20) for i in range(6)
    ]
    edges = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0) for i in range(5)]
    graph = Graph.build("streamed", ops, edges, time_unit="s")
    problem = Problem(graph, EdgeTpuPipeline(2, cache=1e6), "stage-time")
    one, two = (
        problem.plan(np.array(devices, np.int32), Provenance("slice"), "slice")
        for devices in ([0] * 4 + [1] * 2, [0] * 3 + [1] * 3)
    )
    told = compare([one, two])
    words = comparison_caption(told, how)
    every = [amount_text(1.0 / plan.evaluation.figures["throughput"], "s") for plan in (one, two)]
    assert f"In practice a sample is estimated every {every[0]} in A, {every[1]} in B" in words
    # An objective that is that time itself says it already.
    served = Problem(graph, EdgeTpuPipeline(2, cache=1e6), "inference-time")
    again = [served.plan(plan.decision.device_of, Provenance("slice"), "slice") for plan in (one, two)]
    assert "In practice" not in comparison_caption(compare(again))


def test_the_time_between_inferences_is_not_said_to_be_that_of_one() -> None:
    problem = Problem(tiny_graph(), EdgeTpuPipeline(2), "inference-time")
    one, two = (
        problem.plan(np.array(devices, np.int32), Provenance("hand"), "")
        for devices in ([0] * tiny_graph().n, halves())
    )
    every = f"one inference every {amount_text(two.objective, 's')}"
    assert caption(two).startswith(every.replace("one", "One", 1))
    assert comparison_caption(compare([one, two])).partition(";")[0].endswith(f" than A, {every}")
    other = plan_on(Pipeline(2), halves(), "other")
    assert f"B makes {every}, for another problem than A's" in comparison_caption(compare([other, two]))


def test_a_stage_that_holds_most_does_not_set_the_pace() -> None:
    problem = Problem(tiny_graph(), EdgeTpuPipeline(2))
    model = StoryModel(("model.json",), tiny_graph().fingerprint)
    plan = problem.plan(np.array(halves(), np.int32), Provenance("hand"), "by hand")
    titles = [frame.title for frame in story_of_plans(model, [Told(plan)]).keyframes]
    assert sum(title.endswith(" holds most") for title in titles) == 1
    assert not any("pace" in title for title in titles)


def test_titles_of_a_story_tell_its_keyframes_apart() -> None:
    problem = Problem(chain(4), Pipeline(2))
    halves, turned = (
        problem.plan(np.array(devices, np.int32), Provenance("hand"))
        for devices in ([0, 0, 1, 1], [1, 1, 0, 0])
    )
    model = StoryModel(("model.json",), problem.graph.fingerprint)
    ways = ["overlay", "side-by-side", "sankey", "schedules"]
    story = story_of_plans(model, [Told(halves), Told(halves)], comparisons=ways)
    titles = [frame.title for frame in story.keyframes]
    assert len(set(titles)) == len(titles), titles
    assert "Side by side" in titles and "What goes from device to device" in titles
    assert titles[2] == f"Plan 2: {titles[1][:1].lower()}{titles[1][1:]}"
    own = story_of_plans(model, [Told(halves, title="x"), Told(turned, title="x")], comparisons=[])
    assert [frame.title for frame in own.keyframes].count("x") == 2, "one's own stays"


def test_devices_are_matched_alike_in_all_of_a_story() -> None:
    graph = chain(12)
    plans = [
        Problem(graph, Pipeline(k)).plan(np.array(devices, np.int32), Provenance("hand"), name)
        for k, devices, name in (
            (4, [0] * 6 + [1] * 2 + [2] * 2 + [3] * 2, "a"), (4, [0] * 2 + [1] * 10, "b"), (3, [0] * 8 + [1] * 2 + [2] * 2, "c"),
        )
    ]  # fmt: skip
    model = StoryModel(("model.json",), graph.fingerprint)
    story = story_of_plans(model, [Told(plan) for plan in plans], comparisons=["side-by-side"])
    together, alone = compare(plans), compare(plans[1:])
    count = len(together.moved(2, 1))
    assert count != len(alone.moved(1, 0))
    assert f"{count} of 12 ops moved." in story.keyframes[3].caption
    read = resolve_with(story, [graph])
    pair = compare(plans[1:], rows=read.matched.rows((1, 2)))
    assert {row.devices for row in pair.rows} == {row.devices[1:] for row in together.rows} - {(-1, -1)}
    plain = resolve_with(story_of_plans(model, [Told(plan) for plan in plans]), [graph])
    assert plain.matched.rows((1, 2)) is None


@pytest.mark.parametrize(
    ("before", "after", "unit", "words"),
    [
        (2.6312e-3, 0.92343e-3, "s", "From 2.63 to 0.92 ms"),
        (2.6312, 2.4, "s", "From 2.63 to 2.40 s"),
        (2.0, 1e-6, "s", "From 2.00 s to 1.00 µs"),
    ],
)
def test_two_times_are_told_in_one_unit(before: float, after: float, unit: str, words: str) -> None:
    assert from_to(before, after, unit) == words


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([1, 1, 1, 0, 0, 0, 0, 0], "All of them go from Stage 0 to Stage 1."),
        ([1, 1, 1, 2, 0, 0, 0, 0], "Most, 3, go from Stage 0 to Stage 1."),
        ([1, 1, 2, 2, 0, 0, 0, 0], "2 each go from Stage 0 to Stage 1 and from Stage 0 to Stage 2."),
        ([1, 1, 2, 2, 3, 0, 0, 0], "Most, 2 each, go from Stage 0 to Stage 1 and from Stage 0 to Stage 2."),
        ([1, 1, 2, 3, 0, 0, 0, 0], "The largest part, 2, goes from Stage 0 to Stage 1."),
        ([1, 2, 3, 0, 0, 0, 0, 0], "at most 1 of them from one device to another."),
    ],
)
def test_most_is_said_of_what_is_most(after: list[int], words: str) -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(8)]
    problem = Problem(Graph.build("loose", ops, []), Pipeline(4))
    plans = [problem.plan(np.array(d, np.int32), Provenance("x"), "x") for d in ([0] * 8, after)]
    caption = comparison_caption(compare(plans), "sankey")
    count = np.count_nonzero(after)
    joint = ", " if words.startswith("at most") else ". "
    assert caption == f"{count} of 8 ops go elsewhere from A to B{joint}{words}"
