"""Objectives of several components: which plan is better, what a bound given others proves, what a search reports."""

from __future__ import annotations

import numpy as np
import pytest

from planner.cli.bound import further_bounds
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.plan_files.plan_json import open_plan, write_plan
from planner.problem.bound import Bound, better, standing
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.search.method import Planner, Source
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import GapReached, Progress

NAMES = ("a", "b", "c")


def bound(component: str, value: float, **given: float) -> Bound:
    return Bound(component, value, "m", "r", given=tuple(given.items()))


def test_plans_are_compared_in_order() -> None:
    assert better((1.0, 9.0), (2.0, 0.0)) and not better((2.0, 0.0), (1.0, 9.0))
    assert better((1.0, 2.0), (1.0, 3.0)) and not better((1.0, 3.0), (1.0, 3.0))
    assert better((5.0,), None)
    assert not better((1.0 - 1e-14, 4.0), (1.0, 3.0)), "rounding decides nothing"


def test_a_component_is_proven_only_after_those_before_it() -> None:
    values = (4.0, 2.0, 1.0)

    def of(*bounds: Bound) -> list[bool]:
        return [c.proven for c in standing(NAMES, values, bounds, "r", frozenset()).components]

    assert of(bound("a", 4.0), bound("b", 2.0, a=4.0), bound("c", 1.0, a=4.0, b=2.0)) == [True, True, True]
    assert of(bound("b", 2.0, a=4.0), bound("c", 1.0, a=4.0, b=2.0)) == [False, False, False]
    assert of(bound("a", 4.0), bound("c", 1.0, a=4.0, b=2.0)) == [True, False, False]
    assert of(bound("a", 4.0), bound("b", 2.0, a=3.0)) == [True, False, False], "it speaks of other plans"


def test_the_gap_is_that_of_the_first_open_component() -> None:
    found = standing(NAMES, (4.0, 2.0, 1.0), [bound("a", 4.0), bound("b", 1.5, a=4.0)], "r", frozenset())
    assert found.gap == 0.25 and found.first_open is found.components[1] and found.status == "feasible"
    assert standing(NAMES, (4.0, 2.0, 1.0), [bound("a", 4.0)], "r", frozenset()).gap is None
    done = standing(("a",), (4.0,), [bound("a", 4.0)], "r", frozenset())
    assert done.gap == 0.0 and done.status == "optimal" and done.first_open is None


def chain() -> Graph:
    ops = [
        Op(x, x, work=0.0, work_cpu=0.0, param_bytes=p)
        for x, p in zip("abcd", (2.0, 2.0, 0.0, 4.0), strict=True)
    ]
    tensors = [Tensor("a", ("b",), 8.0), Tensor("b", ("c",), 4.0), Tensor("c", ("d",), 2.0)]
    return Graph.build("chain", ops, tensors)


PROBLEM = Problem(chain(), EdgeTpuPipeline(2, cache=3.0))
WORSE, BEST = [0, 0, 1, 1], [0, 0, 0, 1]


class Scripted(Planner):
    """Proposes plans, then proves."""

    name = "scripted"
    title = "Scripted"
    summary = "for tests"
    source = Source("tests")
    targets = frozenset({"edge-tpu"})
    objectives = frozenset({"memory-1-2-3"})
    kept: tuple[bool, ...] = ()

    def search(self, problem: Problem, search: Search) -> None:
        self.kept = tuple(search.incumbent(np.array(plan)) for plan in ([0, 0, 0, 0], WORSE, BEST, WORSE))
        tokens = problem.assumptions
        search.prove(problem.bound("max-memory", 4.0, "m", tokens))
        search.prove(problem.bound("dram", 2.0, "m", tokens, given=(("max-memory", 4.0),)))
        assert search.state.gap is None
        last = (("max-memory", 4.0), ("dram", 2.0))
        search.prove(problem.bound("max-communication", 1.0, "m", tokens, given=last))
        search.prove(problem.bound("max-communication", 1.0, "m", tokens, given=last))
        search.prove(problem.bound("other", 1.0, "m", tokens))
        assert search.state.gap == 0.5
        search.prove(problem.bound("max-communication", 2.0, "m", tokens, given=last))


class Listening(Callbacks):
    def __init__(self) -> None:
        self.bounds: list[tuple[str, float]] = []
        self.plans: list[tuple[float, ...] | None] = []

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        assert progress.components is not None and objective == progress.components[0]
        self.plans.append(progress.components)

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        self.bounds.append((bound.component, bound.value))


def test_a_search_keeps_the_better_plan_in_order_and_passes_on_what_is_new() -> None:
    planner, heard = Scripted(), Listening()
    result = run(planner, PROBLEM, callbacks=heard)
    assert planner.kept == (True, True, True, False)
    assert heard.plans == [(8.0, 5.0, 0.0), (4.0, 2.0, 4.0), (4.0, 2.0, 2.0)]
    assert heard.bounds == [
        ("max-memory", 4.0), ("dram", 2.0), ("max-communication", 1.0), ("max-communication", 2.0),
    ]  # fmt: skip
    assert result.status == "optimal" and result.components == (4.0, 2.0, 2.0)
    assert result.device_of is not None and result.device_of.tolist() == BEST


def test_a_gap_reached_on_the_first_component_alone_is_not_enough() -> None:
    stop = GapReached(0.0)
    assert not stop(Progress(objective=4.0, bound=4.0, gap=0.5))


def test_plan_files_keep_what_a_bound_is_given(tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "p.json"
    bounds = run(Scripted(), PROBLEM).bounds
    write_plan(file, PROBLEM.plan(np.array(BEST, np.int32), Provenance("scripted")), bounds)
    opened = open_plan(file, PROBLEM.graph, own_record=True)
    again = opened.plan.problem
    assert opened.notes == () and again == PROBLEM
    assert again.standing(opened.plan.evaluation.values, opened.bounds).status == "optimal"
    # In anybody's file they are kept just so, and prove nothing.
    claims = open_plan(file, PROBLEM.graph).bounds
    assert [b.given for b in claims] == [b.given for b in opened.bounds]
    assert again.standing(opened.plan.evaluation.values, claims).status == "feasible"
    worse = again.evaluate(np.array(WORSE, np.int32)).values
    assert again.standing(worse, opened.bounds).gap == pytest.approx(0.5)


def test_a_bound_is_not_about_plans_that_are_a_few_bytes_of_gigabytes_worse() -> None:
    most = 2.0**35
    given = bound("max-communication", 4.0, **{"max-memory": most})
    assert given.covers({"max-memory": most}) and given.covers({"max-memory": most * (1 + 1e-14)})
    assert not given.covers({"max-memory": most + 21.0})


def test_of_bounds_on_a_later_component_the_one_that_says_most_of_the_best_plans_is_shown() -> None:
    def shown(*bounds: tuple[float, dict[str, float]]) -> list[tuple[float, dict[str, float]]]:
        tokens = PROBLEM.assumptions
        made = [PROBLEM.bound("dram", v, "m", tokens, given=tuple(given.items())) for v, given in bounds]
        return [(b.value, dict(b.given)) for b in further_bounds(PROBLEM, made)]

    loose, tight = {"max-memory": 5.0}, {"max-memory": 4.0}
    assert shown() == []
    assert shown((1.0, {}), (2.0, loose), (2.5, tight)) == [(2.5, tight)]
    assert shown((1.0, {}), (2.0, loose), (0.0, tight)) == [(2.0, loose)]
    assert shown((3.0, {}), (2.0, tight)) == [(3.0, {})]
    assert shown((2.0, {}), (2.0, tight)) == [(2.0, tight)]
