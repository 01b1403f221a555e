"""run(): stop criteria, options, refusals, determinism, and that nothing unverified gets out."""

from __future__ import annotations

import math
import time
from typing import Any, ClassVar

import numpy as np
import pytest

from planner.compiling.news import news as compiling
from planner.errors import PlannerRefusal
from planner.machines.catalogue import (
    bound_method,
    default_bound,
    own_planner,
    planner,
    planners,
    planners_for,
)
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.several.bounds.simple import Simple
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.options import Option, parse_options
from planner.problem.problem import Pin, Problem, Together
from planner.problem.target import Target
from planner.search.method import Planner, Source
from planner.search.run import plan_of, run, run_bound, status_of
from planner.search.search import Callbacks, Search
from planner.search.stop import AnyOf, Cancel, GapReached, IterationLimit, Never, Progress, TimeLimit


def graph() -> Graph:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=9.0) for i in range(6)]
    return Graph.build("line", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 0.0, 0.0) for i in range(5)])


class Scripted(Planner):
    """Reports what it is told to and then counts iterations until stopped."""

    name: ClassVar[str] = "scripted"
    title: ClassVar[str] = "Scripted"
    summary: ClassVar[str] = "for tests"
    source: ClassVar[Source] = Source("none")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck"})
    options: ClassVar[tuple[Option, ...]] = (Option("speed", 3, "how fast", low=1, high=9),)

    def __init__(self, *plans: list[int], endless: bool = False) -> None:
        self.plans, self.endless = plans, endless
        self.kept: list[bool] = []

    def search(self, problem: Problem, search: Search) -> None:
        for p in self.plans:
            self.kept.append(search.incumbent(np.array(p)))
        while self.endless:
            search.iteration()
            search.check()
            time.sleep(0.001)


class Heard(Callbacks):
    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def on_start(self, problem: Problem) -> None:
        self.events.append(("start",))

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self.events.append(("best", objective))

    def on_bound(self, bound: Any, progress: Progress) -> None:
        self.events.append(("bound", bound.value))

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        self.events.append(("progress", text))

    def on_end(self, progress: Progress) -> None:
        self.events.append(("end",))


def test_only_better_valid_plans_get_out() -> None:
    problem = Problem(graph(), Pipeline(2))
    scripted = Scripted(
        [0] * 6, [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    )
    heard = Heard()
    result = run(scripted, problem, callbacks=heard)
    assert scripted.kept == [True, False, False, True, False]
    assert heard.events == [("start",), ("best", 6.0), ("best", 3.0), ("end",)]
    assert result.device_of is not None and result.device_of.tolist() == [0, 0, 0, 1, 1, 1]
    assert result.objective == 3.0
    assert [h[1:] for h in result.history] == [("objective", 6.0), ("objective", 3.0)]
    plan = plan_of(result, "mine")
    assert plan is not None and plan.name == "mine" and plan.objective == 3.0 and plan.evaluation.valid
    assert plan.provenance.planner == "scripted" and plan.provenance.options == {"speed": 3}


def test_each_stop_criterion_ends_the_search_and_keeps_the_best() -> None:
    problem = Problem(graph(), Pipeline(2))
    simple = run_bound(Simple(), problem).bounds
    begun = time.perf_counter()
    flag = {"on": False}

    def late() -> bool:
        return time.perf_counter() - begun > 0.05 or flag["on"]

    for stop, reason in (
        (TimeLimit(0.02), "time"),
        (IterationLimit(5), "iterations"),
        (Cancel(late), "cancelled"),
        (GapReached(0.0), "gap"),
        (AnyOf([TimeLimit(60.0), IterationLimit(3)]), "iterations"),
    ):
        result = run(Scripted([0, 0, 0, 1, 1, 1], endless=True), problem, stop, bounds=simple)
        assert result.stop_reason == reason
        limit = {"time": 0.02}.get(reason, 60.0 if isinstance(stop, AnyOf) else None)
        assert result.time_limit == limit, "what somebody set, whatever ended it"
        found = plan_of(result)
        assert found is not None and found.provenance.time_limit == limit
        assert result.objective == 3.0
        assert result.status == "optimal"


def test_stop_criteria_by_themselves() -> None:
    assert not Never()(Progress())
    assert not GapReached(0.5)(Progress(gap=None))
    assert GapReached(0.5)(Progress(gap=0.5)) and not GapReached(0.5)(Progress(gap=0.51))
    assert TimeLimit(1.0)(Progress(seconds=1.0)) and not TimeLimit(1.0)(Progress(seconds=0.9))
    assert not AnyOf([])(Progress())


def test_finished_without_a_plan_says_so() -> None:
    problem = Problem(graph(), Pipeline(2))
    result = run(Scripted(), problem)
    assert (result.status, result.stop_reason, result.objective, result.device_of) == (
        "no_plan",
        "finished",
        None,
        None,
    )
    assert plan_of(result) is None

    def status(objective: float | None, bound: float | None) -> str:
        bounds = [] if bound is None else [problem.bound("bottleneck", bound, "m", problem.assumptions)]
        return status_of(problem, None if objective is None else (objective,), bounds)

    assert status(None, math.inf) == "infeasible"
    assert status(None, 3.0) == "no_plan"
    assert status(4.0, 3.0) == "feasible"
    assert status(4.0, None) == "feasible"
    assert status(4.0, 4.0) == "optimal"


def test_a_bound_method_reports_only_stronger_bounds() -> None:
    heard = Heard()
    problem = Problem(graph(), Pipeline(2))
    first = run_bound(Simple(), problem, callbacks=heard)
    assert ("bound", 3.0) in heard.events
    again = Heard()
    second = run_bound(Simple(), problem, callbacks=again, bounds=first.bounds)
    assert all(e[0] != "bound" for e in again.events)
    assert second.device_of is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pace": 3}, "'scripted' has no option 'pace'; it has speed"),
        ({"speed": "fast"}, "option 'speed' is 'fast'; a whole number was expected"),
        ({"speed": 10}, "it must lie between 1 and 9"),
        ({"speed": 2.5}, "a whole number was expected"),
    ],
)
def test_bad_options_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PlannerRefusal, match=words):
        run(Scripted(), Problem(graph(), Pipeline(2)), options=given)


def test_options_of_every_type() -> None:
    known = (
        Option("flag", False, ""),
        Option("count", 1, ""),
        Option("rate", 0.5, "", low=0.0),
        Option("mode", "a", "", choices=("a", "b")),
    )
    values = parse_options(known, {"flag": "yes", "count": "7", "rate": "1e-3", "mode": "b"}, "x")
    assert values == {"flag": True, "count": 7, "rate": 1e-3, "mode": "b"}
    assert parse_options(known, {"flag": "off"}, "x")["flag"] is False
    for bad in ({"flag": "maybe"}, {"rate": "-1"}, {"rate": "nan"}, {"mode": "c"}, {"rate": "x"}):
        with pytest.raises(PlannerRefusal):
            parse_options(known, bad, "x")
    with pytest.raises(PlannerRefusal, match="it has none"):
        parse_options((), {"a": 1}, "x")


def test_refusals_say_why() -> None:
    pool = Problem(graph(), DevicePool(2, 1))
    with pytest.raises(PlannerRefusal, match="'slice' does not plan for a device pool"):
        run(planner("slice"), pool)
    with pytest.raises(PlannerRefusal, match="'dpl' does not plan for a pipeline"):
        run(planner("dpl"), Problem(graph(), Pipeline(2)))
    pinned = pool.with_constraints((Pin("o0", "acc 0"), Together(("o1", "o2"))))
    with pytest.raises(PlannerRefusal, match="'memory-fill' does not honour pin constraints"):
        run(planner("memory-fill"), pinned)
    with pytest.raises(PlannerRefusal, match="did you mean 'slice'"):
        planner("slise")
    with pytest.raises(PlannerRefusal, match="choose from two-superblock"):
        bound_method("zzz")
    assert "memory-fill" not in {p.name for p in planners_for(pinned)}
    assert own_planner(pinned).name == "ideals-dp"
    assert own_planner(Problem(graph(), Pipeline(2))).name == "anneal"


@pytest.mark.parametrize(
    "target, objective, name",
    [
        (Pipeline(2), "bottleneck", "chain-dp"),
        (DevicePool(2, 1), "max-load", "dp"),
        (DevicePool(2, 1), "gpipe", "dp"),
        (DevicePool(2, 1), "latency", "critical-path"),
        (DevicePool(2, 1, contiguous=False), "max-load", "ip"),
        (DevicePool(2, 1, contiguous=False), "latency", "critical-path"),
    ],
)
def test_a_bound_method_is_chosen_that_suits_the_problem(target: Target, objective: str, name: str) -> None:
    problem = Problem(graph(), target, objective)
    assert default_bound(problem) is bound_method(name)
    pin = Pin("o0", target.devices(problem.graph)[1].name)
    assert default_bound(problem.with_constraints((pin, Together(("o1", "o2"))))).name == name


def test_where_no_bound_method_serves_the_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dp", "ip", "simple"):
        monkeypatch.setattr(type(bound_method(name)), "refusal", lambda self, problem: "no")
    with pytest.raises(PlannerRefusal, match="no bound method serves max-load on a device pool"):
        default_bound(Problem(graph(), DevicePool(2, 1)))


def test_the_catalogue_names_every_planner_once_and_describes_it() -> None:
    for name, p in planners().items():
        assert p.name == name
        assert p.title and p.summary and str(p.source)
        assert p.targets and p.objectives
        for option in p.options:
            assert option.help
            assert option.parse(option.default) == option.default


def test_equal_seeds_give_equal_runs() -> None:
    rng = np.random.default_rng(5)
    ops = [Op(str(i), str(i), work=float(w), work_cpu=3.0 * w) for i, w in enumerate(rng.integers(1, 20, 40))]
    tensors = [
        Tensor(str(i), (str(j), str(min(39, j + 3))), float(rng.integers(1, 9)))
        for i in range(39)
        for j in (i + 1,)
    ]
    g = Graph.build("random", ops, tensors)
    cases = [
        (Problem(g, Pipeline(4, bandwidth=1.0)), "slice-random", {"orders": 30}),
        (Problem(g, Pipeline(4, bandwidth=1.0)), "local-search", {"restarts": 3}),
        (Problem(g, DevicePool(3, 1, bandwidth=1.0, contiguous=False)), "local-search", {"restarts": 3}),
    ]
    for problem, name, options in cases:
        runs = [run(planner(name), problem, seed=seed, options=options) for seed in (1, 1, 2)]
        assert runs[0].device_of is not None and runs[1].device_of is not None
        assert runs[0].device_of.tolist() == runs[1].device_of.tolist()
        assert [h[1:] for h in runs[0].history] == [h[1:] for h in runs[1].history]
        assert runs[0].iterations == runs[1].iterations
        assert runs[2].seed == 2


def test_what_is_compiled_in_the_middle_of_a_search_counts_as_none_of_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Compiles(Scripted):
        def search(self, problem: Problem, search: Search) -> None:
            compiling.busy(1)
            time.sleep(0.3)
            compiling.busy(-1)
            super().search(problem, search)
            assert search.remaining > 1e6 - 0.3

    began = time.perf_counter()
    result = run(Compiles([0] * 6), Problem(graph(), Pipeline(2)), TimeLimit(1e6))
    assert result.seconds <= time.perf_counter() - began - 0.3
