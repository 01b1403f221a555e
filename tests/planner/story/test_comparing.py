"""What is said of plans that are compared, and stories that compare them by themselves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StoryError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.methods.tiny import tiny_graph
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.reports.comparison import compare
from planner.story.comparing import comparison_caption, comparison_title
from planner.story.making import Told, story_of_plans
from planner.story.story import COMPARISONS, LONGEST_CAPTION, StoryModel
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
    assert re.search(r"Most, \d+, go from Stage 0 to Stage 1\.$", comparison_caption(told, "sankey"))


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
    found = [k for k in story.keyframes if k.view == "comparison"]
    assert [k.comparison for k in found] == list(COMPARISONS)
    assert [(k.versus, k.plan, k.beside) for k in found] == [
        (0, 1, (2,)), (0, 2, ()), (0, 2, ()), (0, 1, (2,)),
    ]  # fmt: skip
    assert story.keyframes[-1].view == "certificate", "which comes after them"
    with pytest.raises(StoryError, match="needs two plans"):
        story_of_plans(model, [Told(plans[0])], comparisons=["overlay"])
