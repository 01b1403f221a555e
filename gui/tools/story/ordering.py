"""What follows from the order of a draft's keyframes: one plan and one letter for what is equal, and what captions say of it.

Nobody remembers which captions were told by themselves: one that is, or begins with, word for word, what would be told where the keyframe
stood is told anew where it stands now (titles likewise: :mod:`gui.tools.story.titling`); what was added to it, and any other, was written by somebody and is left alone. Words of a draft are those of the story's file: what that
file says was proven is told as proven, and weighed anew whenever the story is shown (:mod:`planner.story.proving`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gui.tools.story.frames import Frame, Place, Shown, earlier_plan, one_plan_each, same_plan
from gui.tools.story.titling import titled_anew
from planner.problem.problem import Plan
from planner.reports.comparison import compare
from planner.reports.comparison.figures import LETTERS
from planner.reports.comparison.rows import Rows
from planner.story.comparing import comparison_caption, letters_for
from planner.story.looking import looked_at
from planner.story.matching import Matched
from planner.story.proof_words import CLAIMANT
from planner.story.telling import caption, fitting, found_by

ELSEWHERE = "told for another order"
"""What is said of words that somebody wrote and that speak of what came before, where something else does now."""
BEFORE = re.compile(r"\bbefore\b", re.IGNORECASE)


def told(frame: Frame, before: Frame | None, rows: Rows | None = None) -> str:
    """The caption that a keyframe has by itself after another one (or as the first); plans that it compares are matched by ``rows`` if
    given."""
    keyframe, plan = frame.keyframe, frame.shown.plan
    if keyframe.view == "comparison":
        plans = [one.plan for one in frame.plans if isinstance(one.plan, Plan)]
        bounds = [bound for one in frame.plans for bound in one.bounds]
        compared = compare(plans, bounds, letters=keyframe.letters or LETTERS, rows=rows)
        return comparison_caption(compared, keyframe.comparison)
    earlier = earlier_plan(frame, before)
    if before is None or not same_plan(earlier, frame.shown):
        return caption(plan, frame.shown.bounds, None if earlier is None else earlier.plan)
    words = looked_at(plan, keyframe.highlight, keyframe.view)
    return "" if words == before.keyframe.caption else words  # said already, and still true


def settled(before: Sequence[Frame], after: Sequence[Frame], claimant: str = "") -> tuple[Frame, ...]:
    """The keyframes ``after`` a change, of which those ``before`` it were told by themselves as they stood there; the same objects
    where nothing follows from the change. ``claimant`` is the file that the story was read from."""
    came_after = {frame: before[at - 1] if at else None for at, frame in enumerate(before)}
    rows_then, found = _rows(before), list[Frame]()
    united = _lettered(one_plan_each(after))
    rows = _rows(united)
    for at, (given, frame) in enumerate(zip(after, united, strict=True)):
        was = came_after.get(given, after[at - 1] if at else None)
        of_both = (rows_then.get(given), rows.get(frame))
        found.append(_settled(given, was, frame, found[-1] if found else None, of_both, claimant))
    return titled_anew(before, after, found)


def retold(frames: Sequence[Frame], index: int, new: Frame, claimant: str = "") -> str:
    """The caption of one of the keyframes that shows ``new`` from now on: told anew where it was told by itself, with what somebody added to
    it; what somebody wrote stays. ``claimant`` as for :func:`settled`."""
    old, before = frames[index], frames[index - 1] if index else None
    words = old.keyframe.caption
    for known, rows in ((before, _rows(frames).get(old)), (None, None)):
        for its in (_as_filed(old, claimant), old):
            tellings = _tellings(its, known, rows)
            if (which := _begun_by(words, tellings)) >= 0:
                return _tellings(new, before, None)[which] + words[len(tellings[which]) :]
    return words


def _rows(frames: Sequence[Frame]) -> dict[Frame, Rows | None]:
    """The rows of the plans of each keyframe that compares, as they are matched in the story of these keyframes."""
    compares = [frame.keyframe.view == "comparison" for frame in frames]
    if not any(compares):
        return {}
    shown = [frame.plans if by else (frame.shown,) for frame, by in zip(frames, compares, strict=True)]
    every = list(dict.fromkeys(one for plans in shown for one in plans))
    numbers = [[every.index(one) for one in plans] for plans in shown]
    matched = Matched([one.plan for one in every], list(zip(compares, numbers, strict=True)))
    each = zip(frames, compares, numbers, strict=True)
    return {frame: matched.rows(chosen) for frame, by, chosen in each if by}


def place_of(frame: Frame, before: Frame | None) -> Place:
    """Where a keyframe stands that comes after another one (or first)."""
    compares = frame.keyframe.view == "comparison"
    return Place(
        None if compares else earlier_plan(frame, before), "".join(frame.keyframe.called) if compares else ""
    )


def _settled(
    given: Frame,
    was: Frame | None,
    frame: Frame,
    now: Frame | None,
    rows: tuple[Rows | None, Rows | None],
    claimant: str,
) -> Frame:
    """A keyframe (``given``) that came after ``was``, as it is with the plans and letters that it has now (``frame``), after ``now``.

    ``rows`` are those of the plans that it compares, as they were and as they are.
    """
    there, here = place_of(given, was), place_of(frame, now)
    words = given.keyframe.caption
    said = now is not None and was is not None and now.keyframe.caption != was.keyframe.caption
    looks_again = said and same_plan(here.before, frame.shown)
    if frame is not given or looks_again or not there.is_as(here) or rows[0] != rows[1]:
        # The plans of a search are told one after the other, the first of them after none; those that are captured are matched alone.
        for known, known_rows in ((was, rows[0]), (None, None)):
            for its in (_as_filed(given, claimant), given):
                tellings = _tellings(its, known, known_rows)
                if (which := _begun_by(words, tellings)) >= 0:
                    own = words[len(tellings[which]) :]
                    fresh = frame if CLAIMANT in words else _as_filed(frame, claimant)
                    said_now = _tellings(fresh, now, rows[1])[which] + own
                    mark = frame.told_for or there
                    stale = bool(own) and not mark.is_as(here) and _speaks_of(mark, own)
                    return replace(_told_anew(frame, said_now), told_for=mark if stale else None)
    if frame.told_for is not None:
        return replace(frame, told_for=None) if frame.told_for.is_as(here) else frame
    if not there.is_as(here) and _speaks_of(there, words):
        return replace(frame, told_for=there)
    return frame


def _begun_by(words: str, tellings: Sequence[str]) -> int:
    """Which of the captions told by themselves these words are, or begin with where somebody added to it; the longest, -1 for none."""
    begun = [
        (len(told), -at)
        for at, told in enumerate(tellings)
        if words == told or (told and words.startswith(told) and words[len(told)].isspace())
    ]
    return -max(begun, default=(0, 1))[1]


def _tellings(frame: Frame, before: Frame | None, rows: Rows | None) -> tuple[str, str]:
    """The captions that a keyframe may have by itself: alone, and with the planner that found the plan, as stories made of files have it."""
    words = told(frame, before, rows)
    return words, fitting([words, found_by(frame.shown.plan)])


def _as_filed(frame: Frame, claimant: str) -> Frame:
    """A keyframe with plans of which is proven what the story's file says was proven."""

    def filed(one: Shown) -> Shown:
        claims = any(bound.claimed_by == claimant for bound in one.bounds)
        bounds = (replace(b, claimed_by="") if b.claimed_by == claimant else b for b in one.bounds)
        return replace(one, bounds=tuple(bounds)) if claims else one

    return frame.with_plans([filed(one) for one in frame.plans]) if claimant else frame


def _told_anew(frame: Frame, words: str) -> Frame:
    """A keyframe whose own words are these now."""
    fresh = replace(frame.keyframe, caption=words)
    return frame if fresh == frame.keyframe else replace(frame, keyframe=fresh, told_for=None)


def _speaks_of(place: Place, words: str) -> bool:
    """Whether words that somebody wrote hang on where their keyframe stood."""
    return bool(BEFORE.search(words)) or any(re.search(rf"\b{letter}\b", words) for letter in place.letters)


def _lettered(frames: Sequence[Frame]) -> list[Frame]:
    """The same keyframes with one letter for each plan that is compared, in the order in which they appear."""
    compared: list[Shown] = []
    for frame in frames:
        if frame.keyframe.view == "comparison":
            compared += [one for one in frame.plans if one not in compared]
    lettered = []
    for frame in frames:
        keyframe = frame.keyframe
        if keyframe.view == "comparison":
            letters = letters_for([compared.index(one) for one in frame.plans], range(len(compared)))
            if letters != keyframe.letters:
                frame = replace(frame, keyframe=replace(keyframe, letters=letters))
        lettered.append(frame)
    return lettered
