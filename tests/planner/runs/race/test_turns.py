"""Turns: never more threads than cores, nobody starves, and nobody is held for who has had more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.runs.race.turns import FIRST_TURN, GENEROUS, Turn, next_turns


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[Turn], int]:
    cores = draw(st.integers(1, 4))
    turns = []
    free = cores
    for index in range(draw(st.integers(1, 7))):
        threads = draw(st.integers(1, cores))
        waiting = draw(st.booleans()) or threads > free
        free -= 0 if waiting else threads
        spell = None if waiting else draw(st.none() | st.floats(0, 10))
        active = draw(st.floats(0, 20)) + (spell or 0.0)
        turns.append(Turn(index, threads, active, waiting, spell, draw(st.booleans()), draw(st.booleans())))
    return turns, cores


@given(fields())
def test_never_more_threads_than_cores_and_only_those_are_held_whose_turn_is_over(
    field: tuple[list[Turn], int],
) -> None:
    turns, cores = field
    hold, run = next_turns(turns, cores)
    by_index = {turn.index: turn for turn in turns}
    after = {t.index for t in turns if not t.waiting} - set(hold) | set(run)
    assert sum(by_index[i].threads for i in after) <= cores
    assert all(by_index[i].over and not by_index[i].waiting for i in hold)
    assert all(by_index[i].waiting for i in run)
    assert not hold or run, "nobody is held for nobody"
    assert all(by_index[i].active >= min(by_index[j].active for j in run) for i in hold)


def test_all_get_equal_shares_in_the_long_run() -> None:
    """Five that never end on two cores, a tenth of a second at a time."""
    active, spell, runs = [0.0] * 5, [0.0] * 5, set[int]()
    for _ in range(3000):
        turns = [Turn(i, 1, active[i], i not in runs, spell[i] if i in runs else None) for i in range(5)]
        hold, run = next_turns(turns, 2)
        runs = runs - set(hold) | set(run)
        for i in run:
            spell[i] = 0.0
        for i in runs:
            active[i] += 0.1
            spell[i] += 0.1
    assert len(runs) == 2
    assert max(active) - min(active) <= 20.0 and min(active) >= 100.0


def test_who_improves_keeps_going_for_a_while() -> None:
    plain = Turn(0, 1, FIRST_TURN, False, FIRST_TURN)
    ahead = Turn(0, 1, FIRST_TURN, False, FIRST_TURN, improved=True)
    waiting = Turn(1, 1, 0.0, True)
    assert next_turns([plain, waiting], 1) == ([0], [1])
    assert next_turns([ahead, waiting], 1) == ([], [])
    assert ahead.length == GENEROUS * plain.length


def test_one_with_many_threads_is_not_passed_over() -> None:
    """A small one that has had more does not take the room that a large one waits for."""
    running = Turn(0, 1, 0.5, False, 0.5)
    large, small = Turn(1, 2, 0.0, True), Turn(2, 1, 0.3, True)
    assert next_turns([running, large, small], 2) == ([], [])
