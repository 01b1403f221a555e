"""Titles that follow the order of keyframes: the first that shows a plan introduces it, and those after it say how it is looked at.

A title is known as told by itself where it is the one that its keyframe was captured with, or what would be told where it stood. Any other
was written by somebody and is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui.document.plan.machine_change import CARRIED_OVER
from gui.tools.story.frames import Frame, earlier_plan, same_plan
from gui.tools.story.looks import SAID_OF_LOOKS, look
from gui.words.methods import shown_name
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan
from planner.reports.comparison import compare
from planner.story.comparing import LOOKS, comparison_title
from planner.story.keyframe import LONGEST_TITLE
from planner.story.machines import machine_phrase, machine_title
from planner.story.telling import title


def titled_anew(
    before: Sequence[Frame], after: Sequence[Frame], settled: Sequence[Frame]
) -> tuple[Frame, ...]:
    """The keyframes ``settled``, which are those ``after`` a change in their new words, with titles that fit where they stand now;
    ``before`` it, their titles fitted there."""
    stood = {frame: before[at - 1] if at else None for at, frame in enumerate(before)}
    found: list[Frame] = []
    for given, frame in zip(after, settled, strict=True):
        now = found[-1] if found else None
        was = stood.get(given, now)
        if given in stood and not _fits_as_before(frame, was, now) and is_own(given, was):
            introductions = [
                (one, one.keyframe.title)
                for one, its in stood.items()
                if _introduces(one, its) and is_own(one, its)
            ]
            fresh = _title_of(frame, now, introductions)[:LONGEST_TITLE]
            if fresh and fresh != frame.keyframe.title:
                frame = replace(frame, keyframe=replace(frame.keyframe, title=fresh), titled=fresh)
        found.append(frame)
    return tuple(found)


def is_carried(plan: Plan | OrderPlan) -> bool:
    """Whether a plan has the name that it got when its ops were carried over from another machine, which tells an audience nothing."""
    return plan.name.startswith(f"{CARRIED_OVER}, ")


def plan_title(plan: Plan | OrderPlan, earlier: Plan | OrderPlan | None = None) -> str:
    """A few words on a plan after an ``earlier`` one; of one whose ops were carried over from another machine which machine that is."""
    if not is_carried(plan):
        return title(plan, earlier)
    changed = "" if earlier is None else machine_title(plan, earlier)
    phrase = machine_phrase(plan.problem)
    return changed or f"{phrase[:1].upper()}{phrase[1:]}"


def told_apart(frame: Frame, others: Sequence[Frame]) -> Frame:
    """The keyframe, with a title that none of the ``others`` has where it was given its own by itself: with how it is shown, then with a number."""
    words, keyframe = frame.titled, frame.keyframe
    taken = {one.keyframe.title for one in others}
    if not words or words != keyframe.title or words not in taken:
        return frame
    view = LOOKS[keyframe.comparison] if keyframe.view == "comparison" else keyframe.view
    shows = as_shown(words, view[:1].lower() + view[1:])
    numbers = (ending(words, f" ({number})") for number in range(2, len(others) + 3))
    fresh = next(one for one in (shows, *numbers) if one not in taken)
    return replace(frame, keyframe=replace(keyframe, title=fresh), titled=fresh)


def as_shown(words: str, view: str) -> str:
    """``Ideals DP: stages``: a title with the view that a keyframe shows."""
    return ending(words, f": {view}")


def ending(words: str, end: str) -> str:
    """A title with an ``end``, no longer than titles may be."""
    return f"{words[: LONGEST_TITLE - len(end)]}{end}"


def _introduces(frame: Frame, before: Frame | None) -> bool:
    """Whether a keyframe shows what the one before it does not: another plan, or others beside one another."""
    if before is None or (before.keyframe.view == "comparison") != (frame.keyframe.view == "comparison"):
        return True
    if frame.keyframe.view == "comparison":
        return len(before.plans) != len(frame.plans) or not all(map(same_plan, before.plans, frame.plans))
    return not same_plan(before.shown, frame.shown)


def _fits_as_before(frame: Frame, was: Frame | None, now: Frame | None) -> bool:
    """Whether a title that fitted after one keyframe fits after another."""
    if _introduces(frame, was) != _introduces(frame, now):
        return False
    if _introduces(frame, now):
        then, earlier = earlier_plan(frame, was), earlier_plan(frame, now)
        return frame.keyframe.view == "comparison" or same_plan(then, earlier)
    assert was is not None
    assert now is not None
    plan, keyframe = frame.shown.plan, frame.keyframe
    return frame.keyframe.view == "comparison" or look(plan, was.keyframe, keyframe) == look(
        plan, now.keyframe, keyframe
    )


def is_own(frame: Frame, before: Frame | None) -> bool:
    """Whether the title of a keyframe was told by itself, where it stands after ``before``."""
    words, plan = frame.keyframe.title, frame.shown.plan
    if words in (frame.titled, "") or words in SAID_OF_LOOKS:
        return bool(words)
    if frame.keyframe.view == "comparison":
        return words in (*LOOKS.values(), _of_comparison(frame))
    earlier = earlier_plan(frame, before)
    told = {
        plan_title(plan),
        plan_title(plan, None if earlier is None else earlier.plan),
        shown_name(plan.name),
    }
    if before is not None and not _introduces(frame, before):
        told.add(look(plan, before.keyframe, frame.keyframe))
    return words in told


def _title_of(frame: Frame, before: Frame | None, introductions: Sequence[tuple[Frame, str]]) -> str:
    """The title that a keyframe has by itself after another one; ``introductions`` are those that were told with the words that they had."""
    keyframe, plan = frame.keyframe, frame.shown.plan
    introduces = _introduces(frame, before)
    if keyframe.view == "comparison":
        return _of_comparison(frame) if introduces else LOOKS[keyframe.comparison]
    if not introduces:
        assert before is not None
        return look(plan, before.keyframe, keyframe)
    earlier = earlier_plan(frame, before)
    told = plan_title(plan, None if earlier is None else earlier.plan)
    for one, words in introductions:
        if one.keyframe.view != "comparison" and same_plan(one.shown, frame.shown):
            # What says how the plan compares with one that came before it, or what it costs, is told anew.
            figures = {plan_title(plan), *(plan_title(plan, other.shown.plan) for other, _ in introductions)}
            return told if words in figures else words
    return told


def _of_comparison(frame: Frame) -> str:
    """The title of a comparison of plans that were not compared before."""
    plans = [one.plan for one in frame.plans if isinstance(one.plan, Plan)]
    bounds = [bound for one in frame.plans for bound in one.bounds]
    return comparison_title(compare(plans, bounds), frame.keyframe.comparison)
