"""What the leaderboard says: order, figures, sentences. No window."""

from __future__ import annotations

import numpy as np
import pytest

from gui.tools.search.race.course import Course, Goal
from gui.tools.search.race.facts import board_facts, ranking, scale_of, shown_component, state_words
from gui.tools.search.race.runner import Runner
from gui.tools.search.race.sparkline import value_at
from gui.tools.search.race.table import race_table
from gui.tools.search.race.words import headline, sentences, towards, who_proved
from gui.words.proofs import proven_words
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.runs.race import Entrant, Standing
from tests.gui.models import chain_graph, tpu_graph

NAMES = (("anneal", "Annealing"), ("slice", "Slice"), ("ideals-dp", "Dynamic program"), ("simple", "Simple"))


def course_of(problem: Problem, count: int = 4) -> Course:
    runners = [
        Runner(Standing(i, Entrant(name, is_bound=name == "simple"), title, state="running"))
        for i, (name, title) in enumerate(NAMES[:count])
    ]
    return Course(1, problem, Goal(0.05, 60.0, 2), runners, seconds=10.0)


@pytest.fixture
def course() -> Course:
    return course_of(Problem(chain_graph(), Pipeline(count=3), "bottleneck"))


def proven(course: Course, index: int, value: float, seconds: float) -> None:
    from planner.problem.bound import Bound

    problem = course.problem
    bound = Bound(problem.components[0], value, "simple", problem.relaxation, seconds=0.4)
    runner = course.runners[index]
    runner.standing.prove(bound, problem.components[0], seconds)
    runner.proofs.append((seconds, bound))
    course.learn(seconds, bound, runner)


def test_the_best_plan_leads_and_the_earlier_of_equal_ones(course: Course) -> None:
    course.found(course.runners[2], 3.0, (20.0,))
    course.found(course.runners[1], 1.0, (30.0,))
    course.found(course.runners[0], 2.0, (20.0,))
    proven(course, 3, 19.0, 1.0)
    assert [runner.title for runner in ranking(course)] == ["Annealing", "Dynamic program", "Slice", "Simple"]
    rows = board_facts(course).rows
    assert [row.rank for row in rows] == [1, 2, 3, 0]
    assert [row.number for row in rows] == ["20.00", "20.00", "30.00", "≥ 19.00"]
    # It had found the plan first by the engine's telling: whoever improved on the shared best leads.
    assert course.leader is course.runners[2]
    assert [row.when for row in rows] == ["2.0 s", "3.0 s", "1.0 s", "1.0 s"]


def test_refused_ones_come_last_and_say_why(course: Course) -> None:
    course.runners[0].standing.end("refused", "'anneal' does not honour pins")
    course.found(course.runners[1], 1.0, (30.0,))
    rows = board_facts(course).rows
    assert rows[-1].title == "Annealing" and rows[-1].bad
    assert "does not honour pins" in rows[-1].described


def test_who_warmed_whom_and_who_proved(course: Course) -> None:
    course.found(course.runners[0], 1.0, (30.0,))
    course.found(course.runners[1], 2.0, (20.0,))
    course.runners[1].standing.warmed_by = (0, -1)
    proven(course, 1, 15.0, 2.5)
    row = board_facts(course).rows[0]
    assert "warmed by the start and 1 more" in row.notes
    assert "proved ≥ 15" in row.notes
    assert "went on from plans of Annealing, the start" in row.described
    # How long the proof took is the bound's own figure here and in the strip, not when in the race it came.
    assert who_proved(course) == "Slice proved the bound 15.00 in 0.4 s."
    assert proven_words(course.bounds[-1]) == "proven in 0.4 s"
    assert "proved ≥ 15.00 in 0.4 s" in row.described


@pytest.mark.parametrize(
    ("outcome", "begin"),
    [
        ("gap", "The gap asked for was reached after 10 s. Slice won with 20.00"),
        ("proven", "Proven optimal after 10 s."),
        ("time", "Time was up after 10 s."),
        ("finished", "All had ended after 10 s."),
        ("cancelled", "Stopped after 10 s."),
        ("", "Slice leads with 20.00"),
    ],
)
def test_how_it_ended_is_a_sentence(course: Course, outcome: str, begin: str) -> None:
    course.found(course.runners[1], 2.0, (20.0,))
    proven(course, 3, 19.5, 1.0)
    course.outcome = outcome
    said = sentences(course)
    assert said.startswith(begin)
    assert said.endswith("Simple proved the bound 19.50 in 0.4 s.")
    assert board_facts(course).rows[0].winner == bool(outcome)


def test_without_any_plan(course: Course) -> None:
    assert headline(course) == ("no plan yet", "")
    facts = board_facts(course)
    assert facts.high > facts.low
    assert not any(row.points for row in facts.rows)
    course.outcome = "time"
    assert "Nobody found a valid plan." in sentences(course)
    proven(course, 3, float("inf"), 2.0)
    course.outcome = "infeasible"
    assert sentences(course) == "There is no valid plan, as is proven after 10 s. Simple proved it in 0.4 s."


def test_nobody_beats_the_plan_it_began_with(course: Course) -> None:
    course.trace.append((0.0, (18.0,)))
    course.found(course.runners[1], 2.0, (20.0,))
    assert course.leader is None
    assert "Nobody is better than the plan it began with." in sentences(course)
    assert headline(course)[0] == "18.00"


def test_of_several_components_the_one_that_tells_the_runners_apart_is_shown() -> None:
    mib = 2.0**20
    course = course_of(Problem(tpu_graph(), EdgeTpuPipeline(3), "memory-1-2-3"))
    course.found(course.runners[0], 1.0, (3 * mib, 0.0, 900.0))
    course.found(course.runners[1], 2.0, (3 * mib, 0.0, 700.0))
    assert shown_component(course) == 2
    facts = board_facts(course)
    assert facts.heading.startswith("comm.")
    assert [row.title for row in facts.rows[:2]] == ["Slice", "Annealing"]
    assert "max memory 3" in facts.rows[0].described
    course.found(course.runners[2], 2.0, (4 * mib, 0.0, 0.0))
    assert shown_component(course) == 0


def test_the_scale_shows_the_differences_of_final_plans(course: Course) -> None:
    course.found(course.runners[0], 1.0, (4000.0,))
    course.found(course.runners[0], 2.0, (22.0,))
    course.found(course.runners[1], 3.0, (20.0,))
    proven(course, 3, 19.0, 1.0)
    low, high = scale_of(course, 0)
    assert low == 19.0
    assert 22.0 < high < 40.0


def test_the_way_to_the_gap_only_grows() -> None:
    ways = [towards(gap, 0.05) for gap in (None, 0.9, 0.5, 0.2, 0.08, 0.0501, 0.05, 0.0)]
    assert ways == sorted(ways)
    assert ways[0] == 0.0 and ways[-2:] == [1.0, 1.0] and ways[-3] < 1.0
    assert towards(1e-9, None) < 1.0 == towards(0.0, None)
    assert towards(0.5, 1.0) == 1.0


def test_values_of_a_step_line() -> None:
    points = ((1.0, 9.0), (2.0, 7.0))
    assert value_at(points, 0.5) is None
    assert [value_at(points, s) for s in (1.0, 1.9, 2.0, 99.0)] == [9.0, 9.0, 7.0, 7.0]
    assert value_at((), 1.0) is None


def test_the_table_has_a_line_per_entrant(course: Course) -> None:
    course.found(course.runners[1], 2.0, (20.0,))
    course.outcome = "time"
    lines = race_table(course).splitlines()
    assert len(lines) == 1 + 4 + 1
    assert lines[1].split("\t")[:3] == ["1", "Slice", "20.00"]
    assert len({line.count("\t") for line in lines[:-1]}) == 1


def test_unknown_order_of_arrival_does_not_matter(course: Course) -> None:
    """The ranking does not depend on the order in which plans were told, only on what they are."""
    rng = np.random.default_rng(3)
    plans = [(i, float(v)) for i, v in enumerate((30, 25, 20))]
    orders = []
    for _ in range(6):
        one = course_of(course.problem)  # type: ignore[arg-type]
        for i, value in rng.permutation(np.array(plans)):
            one.found(one.runners[int(i)], value, (value,))
        orders.append([runner.title for runner in ranking(one)])
    assert all(order == orders[0] for order in orders)


def test_a_race_that_was_won_before_it_began_says_so(course: Course) -> None:
    course.trace.append((0.0, (18.0,)))
    course.outcome = "gap"
    assert sentences(course).startswith("The plan it began with is as near to the bound as was asked for.")
    course.outcome = "proven"
    assert "nothing to race for" in sentences(course)


def test_who_ends_without_a_plan_says_so(course: Course) -> None:
    """It has no entry in Plans: *done* alone would not say why."""
    runner = course.runners[0]
    runner.trace.clear()
    runner.standing.state, runner.standing.ending, runner.standing.active = "ended", "finished", 2.0
    assert state_words(course, runner) == "found no plan of its own"
    runner.trace.append((1.0, (30.0,)))
    assert state_words(course, runner) == "done"


def test_a_row_says_who_waits_and_what_each_has_had(course: Course) -> None:
    """The clock of the race goes on while entrants take turns: it says nothing of one of them."""
    queued, held, running, ended = (runner.standing for runner in course.runners)
    queued.state = "queued"
    held.state, held.active = "paused", 2.5
    running.active = 7.0
    ended.active = 0.5
    ended.end("finished")
    states = {row.title: row.notes for row in board_facts(course).rows}
    assert states["Annealing"] == "waiting"
    assert states["Slice"] == "waiting, 2.5 s at work"
    assert states["Dynamic program"] == "running, 7.0 s at work"
    assert states["Simple"].endswith(", 0.5 s at work")
    head, *lines = (line.split("\t") for line in race_table(course).splitlines()[:5])
    at = head.index("seconds at work")
    assert {line[1]: line[at] for line in lines} == {
        "Annealing": "0.00", "Slice": "2.50", "Dynamic program": "7.00", "Simple": "0.50",
    }  # fmt: skip
