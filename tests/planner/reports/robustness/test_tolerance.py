"""Until where a plan is optimal: proven factors held against trying every assignment."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Ints, Op
from planner.problem.problem import Problem
from planner.reports.robustness.curves import Curves
from planner.reports.robustness.resolving import Solved
from planner.reports.robustness.retimed import Times
from planner.reports.robustness.tolerance import AS_IS, FREE, Side, distance, known_side, reach, solved_side
from tests.planner import reference
from tests.planner.reports.robustness.examples import every, has_times, row_of, small, with_factors

MOST = 4.0
slow = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def valid_plans(problem: Problem) -> list[Ints]:
    return [
        np.array(a, np.int32)
        for a in reference.assignments(problem)
        if not problem.evaluator.violations(np.array(a, np.int32))
    ]


class Brute:
    """Every plan's curve of every op, and solving by looking at all of them."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.times = problem, Times(problem)
        self.plans = valid_plans(problem)
        self.curves = [Curves(self.times, plan, MOST) for plan in self.plans]

    def objective(self, plan: int, op: int, factor: float) -> float:
        return self.curves[plan].of(op).at(factor)

    def least(self, op: int, factor: float) -> float:
        return min(self.objective(p, op, factor) for p in range(len(self.plans)))

    def optimal(self, plan: int, op: int, factor: float) -> bool:
        return self.objective(plan, op, factor) <= self.least(op, factor) * (1 + 1e-9)

    @property
    def best(self) -> int:
        return min(range(len(self.plans)), key=lambda p: self.curves[p].nominal)

    def solve(self, op: int, factor: float, starts: object) -> Solved:
        found = min(range(len(self.plans)), key=lambda p: self.objective(p, op, factor))
        return Solved(self.plans[found], self.objective(found, op, factor), (), True, "brute force")


@slow
@given(small, st.data())
def test_proven_factors_are_those_of_trying_every_assignment(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem) and len(problem.devices) <= 3)
    brute = Brute(problem)
    assume(brute.plans)
    best = brute.best
    mine = brute.curves[best]
    assume(mine.nominal > 0)
    op = data.draw(st.integers(0, problem.graph.n - 1))
    for upwards in (True, False):
        rivals: list[Curves] = []
        side = solved_side(
            mine, rivals, op, upwards, MOST, brute.solve, lambda plan: Curves(brute.times, plan, MOST)
        )
        end = side.proven
        # Just within and halfway the plan is optimal; just beyond the end it is not, and that is not claimed.
        for factor in (end, 1 + 0.999 * (end - 1), 1 + 0.5 * (end - 1), 1 + 0.1 * (end - 1)):
            assert brute.optimal(best, op, factor)
        if side.settled:
            beyond = end * 1.001 if upwards else end / 1.001
            if 1 / MOST <= beyond <= MOST:
                assert not brute.optimal(best, op, beyond)
            assert side.by is not None and side.by < len(rivals)
        elif reach(mine, op, upwards, MOST) in (MOST, 1 / MOST) and mine.work[op] > 0:
            assert end == (MOST if upwards else 1 / MOST), "solved exactly, the end is found or there is none"


@slow
@given(every, st.data())
def test_slack_keeps_an_optimal_plan_optimal_on_every_machine(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem) and len(problem.devices) <= 3 and problem.graph.n <= 4)
    brute = Brute(problem)
    assume(brute.plans)
    best = brute.best
    mine = brute.curves[best]
    op = data.draw(st.integers(0, problem.graph.n - 1))
    side = known_side(mine, [], op, True, optimal=True)
    assert side.method == FREE
    if not problem.target.uses_cost_model or not brute.times.linear:
        return
    factors = np.ones(problem.graph.n)
    factors[op] = 1 + 0.999 * (side.proven - 1)
    changed = with_factors(problem, factors)
    values = [changed.evaluator.components(plan)[0] for plan in brute.plans]
    assert values[best] <= min(values) * (1 + 1e-9)


def test_an_equal_plan_that_is_better_as_soon_as_an_op_is_faster_ends_it_at_once() -> None:
    ops = [
        Op(name, name, work=work, work_cpu=work)
        for name, work in (("v", 2.0), ("b", 1.0), ("c", 1.0), ("d", 1.0))
    ]
    problem = Problem(Graph.build("tied", ops, []), DevicePool(2, 0, contiguous=False))
    brute = Brute(problem)
    tight = next(i for i, each in enumerate(brute.plans) if each.tolist() == [0, 1, 1, 1])
    mine = brute.curves[tight]
    assert brute.optimal(tight, 0, 1.0) and not brute.optimal(tight, 0, 0.99)
    side = solved_side(mine, [], 0, False, MOST, brute.solve, lambda plan: Curves(brute.times, plan, MOST))
    assert side == Side(1.0, AS_IS, 1.0, 0) and side.settled


def test_nothing_is_claimed_of_a_plan_that_is_not_optimal() -> None:
    problem = row_of([1.0, 1.0, 1.0, 1.0])
    times = Times(problem)
    lopsided = Curves(times, np.array([0, 1, 1, 1], np.int32), MOST)
    even = Curves(times, np.array([0, 0, 1, 1], np.int32), MOST)
    side = known_side(lopsided, [even], 3, True, optimal=False)
    assert side == Side(1.0, "", 1.0, 0), "the other plan is better already"
    assert not side.settled


def test_a_slower_device_breaks_the_interval() -> None:
    """Optimal at 1 and at 4 times v, and not between, where v is better off on the slower CPU."""
    ops = [
        Op("v", "v", work=2.0, work_cpu=3.0),
        Op("u", "u", work=3.0, work_cpu=100.0),
        Op("w", "w", work=2.0, work_cpu=4.0),
    ]
    problem = Problem(Graph.build("torn", ops, []), DevicePool(1, 1, contiguous=False))
    brute = Brute(problem)
    plan = next(i for i, each in enumerate(brute.plans) if each.tolist() == [0, 0, 1])
    assert [brute.optimal(plan, 0, f) for f in (1.0, 1.5, 2.5, 4.0)] == [True, False, False, True]
    mine = brute.curves[plan]
    assert reach(mine, 0, True, MOST) == 1.0
    side = solved_side(mine, [], 0, True, MOST, brute.solve, lambda plan: Curves(brute.times, plan, MOST))
    assert side.proven == 1.0
    assert reach(mine, 1, True, MOST) == MOST, "u on the CPU costs more than the plan ever does"


def test_an_unsolved_factor_is_not_claimed() -> None:
    problem = row_of([1.0, 1.0, 1.0, 1.0])
    mine = Curves(Times(problem), np.array([0, 0, 1, 1], np.int32), MOST)
    unsolved = Solved(mine.device_of, 2.0, (), False, "")
    for answer in (None, unsolved):
        side = solved_side(mine, [], 0, True, MOST, lambda *_, answer=answer: answer, lambda plan: mine)
        assert (side.proven, side.method, side.settled) == (1.0, FREE, False)


def test_distance_is_the_same_up_and_down() -> None:
    assert distance(0.5) == distance(2.0) == 2.0
    assert distance(None) == np.inf
