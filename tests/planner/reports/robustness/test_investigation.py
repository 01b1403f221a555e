"""All of it together: with real planners, against trying every assignment; refusals; what is said and written."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planner.cli.command import plain
from planner.cli.robust import robust_text
from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op
from planner.problem.problem import Problem
from planner.reports.robustness.as_json import to_dict
from planner.reports.robustness.investigation import LARGEST, _Investigation, investigate, robustness
from planner.reports.robustness.report import MARGIN, Robustness, Settings
from planner.reports.robustness.tolerance import FREE, distance
from planner.reports.robustness.words import (
    another_from,
    changing_words,
    optimal_while,
    proven_by,
    regret_sentence,
    standing_words,
    tolerance_sentence,
    worst_words,
)
from planner.search.stop import Cancel
from tests.planner import reference
from tests.planner.problem.examples import streaming_row
from tests.planner.reports.robustness.examples import (
    chain,
    every,
    has_times,
    in_bytes,
    measured,
    plan,
    row_of,
    small,
    with_factors,
)
from tests.planner.strategies import placements

QUICK = Settings(samples=50, seconds=20.0, runs=2, ops=3)
UNPLANNED = Settings(samples=50, seconds=0.0)


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(small)
def test_what_is_proven_of_the_best_plan_holds(problem: Problem) -> None:
    assume(has_times(problem) and len(problem.devices) <= 3 and problem.target.uses_cost_model)
    value, best = reference.optimum(problem)
    assume(best is not None and 0 < value < math.inf)
    found = robustness([plan(problem, best)], settings=QUICK)  # type: ignore[arg-type]
    assert all(bound.value <= value * (1 + 1e-9) for bound in found.bounds), (
        "they are of the problem as it is"
    )
    assert (problem.standing((value,), found.bounds).gap == 0.0) == found.optimal
    for each in found.ops:
        factors = np.ones(problem.graph.n)
        for side, upwards in ((each.up, True), (each.down, False)):
            if not side.method:
                continue
            for share in (0.5, 0.999):
                factors[each.op] = 1 + share * (side.proven - 1)
                again = with_factors(problem, factors)
                assert reference.objective(again, best) <= reference.optimum(again)[0] * (1 + 1e-6)  # type: ignore[arg-type]
            if side.settled:
                factors[each.op] = side.proven * 1.001 if upwards else side.proven / 1.001
                again = with_factors(problem, factors)
                assert reference.objective(again, best) > reference.optimum(again)[0]  # type: ignore[arg-type]
        if each.turns is not None and each.turns_to is not None:
            factors[each.op] = each.turns
            again, other = with_factors(problem, factors), found.candidates[each.turns_to].device_of.tolist()
            mine = reference.objective(again, best)  # type: ignore[arg-type]
            assert reference.objective(again, other) <= (1 - MARGIN) * mine + 1e-6 * mine


def resnet_like() -> Robustness:
    """A chain whose best cut is proven."""
    problem = row_of([3.0, 1.0, 2.0, 2.0, 1.0, 4.0], 3)
    return robustness(
        [plan(problem, [0, 0, 1, 1, 1, 2], "mine")],
        settings=Settings(samples=200, seconds=20.0, runs=4, spread=2.0),
    )


def test_a_chain_is_told_in_full() -> None:
    found = resnet_like()
    assert found.optimal and found.gap == 0.0 and not found.notes
    assert standing_words(found) == f"optimal, proven by {found.proven_by}"
    assert found.candidates[0].highest == pytest.approx(10.0), "twice the dearest stage"
    assert worst_words(found, 10.0) == "10.00 s (+100.0 %)"
    assert worst_words(found, 4.0) == "4.00 s (\N{MINUS SIGN}20.0 %)"
    sampled = found.outlooks["independent"]
    assert sampled.objective.shape == (len(found.compared), 200)
    assert found.shares("independent").sum() == pytest.approx(1.0)
    assert sampled.worst[0] <= found.candidates[0].highest
    # All alike: the bottleneck keeps its place, and the plan stays the best.
    assert found.shares("together").tolist() == [0.0, 1.0, 0.0]
    assert found.least_regret("together") == 0
    proven = [each for each in found.ops if each.up.settled]
    assert proven, "where it stops being optimal is found exactly"
    for each in proven:
        assert "stays optimal while" in tolerance_sentence(found, each) and "exact" in tolerance_sentence(
            found, each
        )
        assert optimal_while(each) and proven_by(each)
    turning = [each for each in found.ops if each.turns is not None]
    assert found.changing >= len(turning) > 0
    near = [each for each in turning if distance(each.turns) <= 2.0]
    assert [each for each in found.ops if found.within_spread(each)] == near
    assert found.changing >= found.within >= len(near)
    assert changing_words(found).endswith(f"{found.within} within their spread")
    assert all(
        another_from(each).endswith("x") and "is better by more than 1.0 %" in tolerance_sentence(found, each)
        for each in turning
    )
    keys = [(distance(each.turns), each.slack, -each.seconds) for each in found.ops]
    assert keys == sorted(keys)
    assert "plans compared" in regret_sentence(found, "independent")


def test_the_same_seed_says_the_same() -> None:
    assert plain(to_dict(resnet_like())) == plain(to_dict(resnet_like()))


def test_json_has_everything_and_is_json() -> None:
    found = resnet_like()
    data = json.loads(json.dumps(plain(to_dict(found))))
    assert (data["format"], data["version"], data["plan"], data["gap"]) == (
        "stageboard-robustness",
        1,
        "mine",
        0.0,
    )
    assert [outlook["op_times"] for outlook in data["outlooks"]] == ["independent", "by-kind", "together"]
    first = data["outlooks"][0]["plans"][0]
    assert first["quantiles"]["50"] <= first["quantiles"]["90"] <= first["worst"] <= data["highest"]
    assert sum(first["bottleneck"].values()) == pytest.approx(1.0)
    names = {each["name"] for each in data["plans"]}
    assert {each["another_plan"] for each in data["ops"]} - {None} <= names
    assert data["outlooks"][0]["least_regret"] in names
    assert all(each["longer"]["exact"] == (each["longer"]["optimal_until"] == pytest.approx(each["longer"]["better_beyond"]))
               for each in data["ops"] if each["longer"]["better_beyond"])  # fmt: skip


def test_a_worse_plan_is_told_of_better_ones() -> None:
    problem = row_of([1.0, 1.0, 1.0, 1.0])
    found = robustness(
        [plan(problem, [0, 1, 1, 1], "lopsided"), plan(problem, [0, 0, 1, 1], "even")],
        settings=Settings(samples=100, seconds=5.0),
    )
    assert found.gap is not None and found.gap > 0
    assert found.least_regret("independent") == 1
    said = regret_sentence(found, "independent")
    assert said.startswith("'even' regrets least of the 2 plans compared") and "this plan, 'lopsided'" in said
    assert "better" in standing_words(found)
    assert all(
        each.up.method == each.down.method == "" and each.up.beaten == 1.0
        for each in found.ops
        if each.up.beaten
    )
    assert all("not proven optimal" in tolerance_sentence(found, each) for each in found.ops)
    assert any("not proven optimal" in note for note in found.notes)
    roomy = next(each for each in found.ops if each.slack > 1.0)
    assert f"better while {problem.graph.op_names[roomy.op]} takes less than" in tolerance_sentence(
        found, roomy
    )
    assert FREE in tolerance_sentence(found, roomy)


def test_a_better_plan_found_by_the_proof_is_compared_at_once() -> None:
    problem = row_of([1.0, 1.0, 1.0, 1.0])
    for step in investigate(
        [plan(problem, [0, 1, 1, 1], "lopsided")], settings=Settings(samples=20, seconds=5.0, runs=0)
    ):
        assert step.known is not None
        assert all(
            len(sampled.objective) == len(step.known.compared) for sampled in step.known.outlooks.values()
        )
    assert step.known is not None and [each.name for each in step.known.compared] == [
        "lopsided",
        "best known",
    ]
    assert step.known.least_regret("independent") == 1


def test_plans_of_one_name_are_told_apart() -> None:
    problem = row_of([1.0, 1.0, 1.0])
    found = robustness(
        [plan(problem, [0, 0, 1], "p"), plan(problem, [0, 1, 1], "p"), plan(problem, [0, 1, 1], "again")],
        settings=UNPLANNED,
    )
    assert [each.name for each in found.candidates] == ["p", "p (2)"], (
        "an equal plan is not compared with itself"
    )


def test_without_time_nothing_is_planned_or_proven() -> None:
    problem = row_of([1.0, 2.0, 3.0])
    steps = list(investigate([plan(problem, [0, 0, 1])], settings=UNPLANNED))
    found = steps[-1].known
    assert found is not None and found.gap is None and standing_words(found) == "nothing proven"
    assert len(found.candidates) == 1
    assert regret_sentence(found, "independent") == "No other plan was looked for to compare with."
    assert (found.ops_looked_at, to_dict(found)["ops_looked_at"]) == (0, 0)
    assert "no op was looked at in the time given" in changing_words(found)
    assert steps[0].known is not None, "the outlook comes at once"


def test_ops_that_time_ran_out_before_are_told_apart_from_those_that_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = row_of([3.0, 1.0, 2.0, 2.0, 1.0, 4.0], 3)
    mine = plan(problem, [0, 0, 1, 1, 1, 2], "mine")
    whole = robustness([mine], settings=Settings(samples=20, seconds=20.0, runs=0))
    assert whole.ops_looked_at == whole.ops_asked == 6
    assert changing_words(whole).startswith(f"{whole.changing} of 6 ops would change the plan")
    left = iter([20.0, 20.0])
    monkeypatch.setattr(_Investigation, "_left", lambda _: next(left, 0.0))
    cut = robustness([mine], settings=Settings(samples=20, seconds=20.0, runs=0))
    assert cut.ops_looked_at < cut.ops_asked
    assert "looked at in the time given" in changing_words(cut)
    one = changing_words(replace(cut, ops_looked_at=2, changing=0, within=0))
    assert one.startswith("0 of 2 ops looked at would change the plan if off by up to 4x")
    assert one.endswith("; 4 not looked at in the time given")


def test_plans_that_are_better_where_one_op_is_off_are_named_beside_the_plans_compared() -> None:
    problem = row_of([3.0, 1.0, 2.0, 2.0, 1.0, 4.0], 3)
    found = robustness(
        [plan(problem, [0, 0, 1, 1, 1, 2], "mine")], settings=Settings(samples=20, seconds=20.0, runs=0)
    )
    named = {found.candidates[each.turns_to].name for each in found.ops if each.turns_to is not None}
    assert named and named <= {each.name for each in found.rivals}
    said = regret_sentence(found, "independent")
    assert "No other plan was found" not in said and "better where one op is off" in said
    assert all(name in said for name in {found.rivals[0].name, found.rivals[-1].name})
    text = robust_text(found, {"report": None, "plan_file": None})
    table = text.partition("plans that are better where one op is off")[2]
    assert all(name in table for name in named)


def test_a_stop_ends_planning_and_keeps_what_is_known() -> None:
    problem = row_of([1.0, 2.0, 3.0, 1.0, 5.0], 3)
    asked = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 3

    steps = list(
        investigate([plan(problem, [0, 0, 1, 1, 2])], settings=Settings(samples=20), stop=Cancel(stopped))
    )
    assert steps[-1].done == 1.0 and steps[-1].known is not None
    assert all(a.done <= b.done for a, b in itertools.pairwise(steps))


def test_where_costs_are_no_sums_the_longest_ops_are_looked_at() -> None:
    ops = [Op(f"v{i}", f"v{i}", kind="Conv", work=1.0 + i / 100, work_cpu=9.0) for i in range(LARGEST + 3)]
    problem = Problem(Graph.build("many", ops, []), DevicePool(2, 0, contiguous=False), "latency")
    found = robustness(
        [plan(problem, [i % 2 for i in range(LARGEST + 3)])], settings=Settings(samples=3, seconds=0.0)
    )
    assert not found.linear and found.ops_asked == LARGEST
    assert any("longest ops" in note for note in found.notes)


def test_measured_spread_is_used() -> None:
    problem = Problem(measured(chain([1.0, 1.0]), [0.1, 0.1]), Pipeline(2, bandwidth=1.0))
    found = robustness([plan(problem, [0, 1])], settings=UNPLANNED)
    assert found.candidates[0].highest == pytest.approx(1.21)
    assert found.spread.words == "measured spread of 2 of 2 ops"


def test_what_makes_no_sense_is_refused_in_a_sentence() -> None:
    idle = Problem(Graph.build("idle", [Op("a", "a", work=0.0, work_cpu=0.0)], []), Pipeline(1))
    problem = row_of([1.0, 1.0])
    for plans, words in (
        ([plan(in_bytes(), [0, 1])], "memory-1-3 counts bytes"),
        ([plan(idle, [0])], "no op of idle takes any time"),
        ([plan(problem, [1, 0])], "breaks rules"),
        ([plan(problem, [0, 1]), plan(row_of([1.0, 1.0], 3), [0, 1])], "not of one problem"),
        ([], "no plan was given"),
    ):
        with pytest.raises(StageboardError, match=words):
            robustness(plans, settings=UNPLANNED)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(every, st.data())
def test_every_machine_is_told_of_without_contradictions(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem))
    device_of = np.array(data.draw(placements(problem)), np.int32)
    assume(not problem.evaluator.violations(device_of))
    found = robustness(
        [plan(problem, device_of.tolist())], settings=Settings(samples=10, seconds=2.0, runs=2, ops=2)
    )
    mine = found.candidates[0]
    assert mine.nominal == pytest.approx(problem.evaluate(device_of).objective, rel=1e-9)
    assert all(each.highest >= each.nominal * (1 - 1e-9) for each in found.candidates)
    for sampled in found.outlooks.values():
        for p, each in enumerate(found.compared):
            assert sampled.worst[p] <= each.highest * (1 + 1e-9)
    for candidate in found.candidates:
        assert not problem.evaluator.violations(candidate.device_of), "what is compared is valid"
    for each in found.ops:
        assert each.slack >= 1.0 and each.up.proven >= 1.0 >= each.down.proven > 0
        for side in (each.up, each.down):
            assert bool(side.method) <= found.optimal, "nothing is proven of a plan that is not optimal"
            assert side.beaten is None or distance(side.beaten) >= distance(side.proven) * (1 - 1e-9)
    assert json.dumps(plain(to_dict(found)))


def test_stages_on_a_shared_link_have_a_largest_rest_and_no_bottleneck() -> None:
    problem = Problem(streaming_row(), EdgeTpuPipeline(2, precision="file", cache=0.0), "inference-time")
    told = robust_text(
        robustness([plan(problem, [0, 0, 1, 1])], settings=UNPLANNED), {"report": None, "plan_file": None}
    )
    assert "how often each has the largest rest" in told and "bottleneck" not in told
