"""Going through a talk: every way can be turned round, and nothing ever jumps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui.present.transition.course import START, Course


def course(count: int = 5, at: int = 0) -> Course:
    made = Course(count, lambda i: 1.0, at)
    made.skip()
    return made


def test_opens_from_the_empty_stage() -> None:
    made = Course(3, lambda i: 1.0)
    assert (made.first, made.second, made.share) == (START, 0, 0.0)
    made.advance(0.5)
    assert made.share == 0.5 and not made.resting
    made.advance(0.6)
    assert made.resting and made.at == 0


def test_back_in_the_middle_is_the_same_way_in_reverse() -> None:
    made = course()
    made.go(1)
    made.advance(0.7)
    assert (made.first, made.second, round(made.share, 9)) == (0, 1, 0.7)
    made.go(0)
    assert (made.first, made.second, round(made.share, 9)) == (0, 1, 0.7)
    made.advance(0.2)
    assert round(made.share, 9) == 0.5
    made.advance(1.0)
    assert made.resting and made.at == 0


def test_going_back_plays_the_way_there_backwards() -> None:
    made = course(at=2)
    made.go(1)
    made.advance(0.25)
    assert (made.first, made.second, made.share) == (1, 2, 0.75)


def test_asking_twice_goes_through_what_lies_between() -> None:
    made = course()
    made.go(1)
    made.advance(0.5)
    made.go(2)
    assert made.destination == 2 and (made.first, made.second, made.share) == (0, 1, 0.5)
    made.advance(0.15)
    assert (made.first, made.second) == (1, 2)
    made.advance(1.0)
    assert made.at == 2 and made.resting


def test_out_of_range_is_the_end_and_nothing_happens_there() -> None:
    made = course(3)
    assert made.go(99) and made.destination == 2
    made.skip()
    assert not made.go(3)


def test_reduced_motion_cuts() -> None:
    made = course()
    made.reduced = True
    made.go(3)
    assert made.resting and made.at == 3


@given(st.lists(st.tuples(st.integers(-2, 8), st.integers(0, 400)), max_size=30))
def test_never_jumps(steps: list[tuple[int, int]]) -> None:
    """Between two moments the picture moves no further than time allows, and every request is reached in the end."""
    made = course(6)
    for target, milliseconds in steps:
        before = (made.first, made.second, made.share)
        made.go(target)
        after = (made.first, made.second, made.share)
        if after[:2] != before[:2]:  # another pair begins at what the old one showed
            shown = before[1] if before[2] >= 1.0 else before[0]
            assert before[2] in (0.0, 1.0)
            assert after[2] in (0.0, 1.0)
            assert (after[1] if after[2] >= 1.0 else after[0]) == shown
        else:
            assert after[2] == before[2]
        made.advance(milliseconds / 1000)
        assert 0.0 <= made.share <= 1.0
    goal = made.destination
    made.advance(100.0)
    assert made.resting and made.at == goal
