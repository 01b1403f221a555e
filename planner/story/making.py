"""Stories made by themselves: from plans of one model, or from the course of a search.

An opening on the model, a keyframe for each plan that says what changed, a look at the bottleneck, and the certificate.
Where a camera stands depends on how scenes are laid out, which is the business of whoever draws: it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.errors import StoryError
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.problem.worst import FULLEST, LARGEST_REST, worst_word
from planner.reports.comparison import compare
from planner.reports.comparison.figures import LETTERS, own_name, told_apart
from planner.reports.comparison.rows import Rows
from planner.story.comparing import LOOKS, comparison_caption, comparison_title, letters_for
from planner.story.files.plans import pack
from planner.story.keyframe import LONGEST_TITLE, MOST_BESIDE, MOST_HIGHLIGHTED, Camera, Keyframe
from planner.story.machines import machine_phrase
from planner.story.matching import Matched
from planner.story.story import Story
from planner.story.subject import MOST_PLANS, StoryModel
from planner.story.telling import (
    TRANSFERS,
    caption,
    certificate_title,
    change_words,
    changed,
    facts,
    filled,
    fitting,
    found_by,
    is_named,
    moved,
    name_in_words,
    shortened,
    title,
)

Cameras = Callable[[Plan | OrderPlan, str, Ints], Camera | None]
"""(plan, view, ops) -> the camera that shows these ops, or None for everything."""
CERTIFICATE = (
    "What the plan costs, what is proven about it, and which rules it keeps: evaluated from nothing."
)
"""The caption of a certificate."""
MOST_INCUMBENTS = 12
"""A search's course is told in so many keyframes at most."""
LEAST_SHARE = 0.04
"""A step that moves fewer ops than this share and gains less than :data:`LEAST_GAIN` is no visible change."""
LEAST_GAIN = 0.002
PLAYED = 6.0
"""Seconds in which a network's order is played."""
SLIDING = 3.0
"""Seconds in which the slider of an overlay goes from one plan to where it rests."""
HALFWAY = 0.5
"""Where that is, as in a capture of the window: a still shows both plans."""
LONG, SHORT = 6.0, 3.5
"""Seconds for which keyframes are held: those with much to read, and the steps of a search."""


@dataclass(frozen=True, eq=False)
class Told:
    """A plan that a story tells of, what is proven, and what it says of it; its own words where they are empty."""

    plan: Plan | OrderPlan
    bounds: tuple[Bound, ...] = ()
    title: str = ""
    caption: str = ""
    brief: bool = False


def no_cameras(plan: Plan | OrderPlan, view: str, ops: Ints) -> Camera | None:
    """The camera that shows everything (None), whatever the plan, the view and the ``ops`` (int32[m])."""
    return None


def story_of_plans(
    model: StoryModel,
    told: Sequence[Told],
    name: str = "",
    cameras: Cameras = no_cameras,
    theme: str = "light",
    comparisons: Sequence[str] = (),
) -> Story:
    """The story of plans of one model, in their order; in the end they are compared in the ways of ``comparisons``.

    Raises :class:`StoryError` without plans, with too many, and where there is nothing to compare.
    """
    if not told:
        raise StoryError("a story needs a plan; name one")
    if len(told) > MOST_PLANS:
        raise StoryError(f"a story of {len(told)} plans is too long; name {MOST_PLANS} at most")
    names = told_apart([entry.plan for entry in told])
    # A plan has one name throughout, as it has in comparisons of all of them.
    told = [
        entry
        if entry.title or name == own_name(entry.plan)
        else replace(entry, plan=replace(entry.plan, name=name))
        for entry, name in zip(told, names, strict=True)
    ]
    plans = [entry.plan for entry in told]
    numbers = _compared_numbers(plans, comparisons)
    matched = Matched(plans, [(False, [i]) for i in range(len(told))] + [(True, shown) for shown in numbers])
    frames = [_opening(told[0].plan)]
    for i, entry in enumerate(told):
        before = told[i - 1].plan if i else None
        frames += _of_plan(i, entry, before, matched.rows((i - 1, i)))
    frames = _with_own_titles([*frames, *_compared(plans, comparisons, matched)], told)
    frames += _closing(len(told) - 1, told[-1], cameras, letter_of(len(told) - 1, frames))
    plan = told[-1].plan
    return Story(
        title=shortened(name or _story_title([entry.plan for entry in told]), LONGEST_TITLE),
        summary=caption(plan, told[-1].bounds),
        models=(model,),
        plans=tuple(pack(entry.plan, entry.bounds) for entry in told),
        keyframes=tuple(frames),
        theme=theme,
    )


def _story_title(plans: Sequence[Plan | OrderPlan]) -> str:
    """``ResNet-50 over 4 stages: from 31.2 to 24.8 ms``: what the first plan costs and what the last does, where that is better."""
    first, last = plans[0], plans[-1]
    problem = last.problem
    on = list(dict.fromkeys(machine_phrase(plan.problem) for plan in plans))
    if len(on) > 1:
        words = f"{problem.name} {' and '.join(on)}" if len(on) == 2 else problem.name
    elif isinstance(last, OrderPlan):
        words = f"{problem.name} on {problem.target.in_words}"
    else:
        many = len(last.problem.devices)
        words = f"{problem.name} over {many:,} {problem.target.words.one if many == 1 else problem.target.words.many}"
    if len(plans) < 2 or not (first.evaluation.valid and last.evaluation.valid):
        return words
    found = changed(last, first)
    if found is None or found[1] >= 0:
        return words
    change = change_words(first, last, found[0])
    return f"{words}: {change[:1].lower()}{change[1:]}"


# ---------------------------------------------------------------------- keyframes
def _opening(plan: Plan | OrderPlan) -> Keyframe:
    """The model, in the colours of the first plan, of which nothing else is said yet."""
    told = facts(plan)
    name = shortened(plan.problem.name, 60)
    if isinstance(plan, OrderPlan):
        words = "A sparse network: {neurons} neurons and {connections} connections. Fast memory holds {fast} values."
        return Keyframe(
            name, filled(words, told), 0, "network", panel="costs", at=0, hold=LONG, transition=0.8
        )
    place = plan.problem.target.in_words
    words = f"{{ops}} operators with {{params}} of parameters, in colour as the first plan spreads them over {place} of {{devices}}."
    return Keyframe(name, filled(words, told), 0, "flow", hold=LONG, transition=0.8)


def _with_own_titles(frames: Sequence[Keyframe], told: Sequence[Told]) -> list[Keyframe]:
    """Keyframes whose title was told before with titles that tell them apart: how a comparison shows plans, or which plan it is.

    Names that somebody gave stay, and the moments of an order have one title.
    """
    found: list[Keyframe] = []
    before: set[str] = set()
    for frame in frames:
        entry, again = told[frame.plan], frame.title in before
        before.add(frame.title)
        if again and frame.comparison:
            frame = replace(frame, title=LOOKS[frame.comparison])
        elif again and frame.view != "network" and not entry.title and not is_named(entry.plan):
            words = f"Plan {frame.plan + 1}: {frame.title[:1].lower()}{frame.title[1:]}"
            frame = replace(frame, title=words[:LONGEST_TITLE])
        found.append(frame)
    return found


def _compared_numbers(plans: Sequence[Plan | OrderPlan], ways: Sequence[str]) -> list[list[int]]:
    """Which plans are shown in each way to compare: all where there are few and it has room, else the first and the last."""
    graphs = sum(isinstance(plan, Plan) for plan in plans)
    several = [way in ("side-by-side", "schedules") and graphs <= 2 + MOST_BESIDE for way in ways]
    return [list(range(graphs)) if all_ else [0, graphs - 1] for all_ in several if graphs > 1]


def _of_plan(index: int, entry: Told, before: Plan | OrderPlan | None, rows: Rows | None) -> list[Keyframe]:
    plan = entry.plan
    words = entry.caption or fitting([caption(plan, entry.bounds, before, rows), found_by(plan)])
    head = entry.title or title(plan, before)
    hold, notes = SHORT if entry.brief else LONG, found_by(plan, seeded=True)
    if isinstance(plan, OrderPlan):
        length = len(plan.decision.order)
        if entry.brief and index:
            return [
                Keyframe(
                    head,
                    words,
                    index,
                    "network",
                    panel="convergence",
                    at=length,
                    hold=hold,
                    transition=1.2,
                    notes=notes,
                )
            ]
        begin = Keyframe(
            head, words, index, "network", panel="costs", at=0, hold=1.0, transition=1.0, notes=notes
        )
        end = replace(begin, at=length, hold=hold, transition=PLAYED)
        return [begin, end]
    comparable = before is not None and moved(plan, before) is not None
    panel = ("convergence" if entry.brief else "difference") if comparable else "costs"
    versus = index - 1 if comparable else -1
    return [
        Keyframe(
            head, words, index, "lanes", panel=panel, versus=versus, hold=hold, transition=1.2, notes=notes
        )
    ]


def _compared(plans: Sequence[Plan | OrderPlan], ways: Sequence[str], matched: Matched) -> list[Keyframe]:
    """A keyframe for each way to compare: canvases and schedules of all plans where there are few, else the last against the first."""
    graphs = [plan for plan in plans if isinstance(plan, Plan)]
    if ways and len(graphs) < 2:
        raise StoryError("a comparison needs two plans of a graph of operators; name two, or compare nothing")
    frames = []
    shown = _compared_numbers(plans, ways)
    for way, numbers in zip(ways, shown, strict=True):
        # A plan has one letter in all of them.
        letters = letters_for(numbers, (number for others in shown for number in others))
        told = compare([graphs[i] for i in numbers], letters=letters or LETTERS, rows=matched.rows(numbers))
        frames.append(
            Keyframe(
                comparison_title(told, way), comparison_caption(told, way), numbers[1], "comparison", versus=0, hold=LONG,
                transition=SLIDING if way == "overlay" else 0.8, comparison=way, layout="lanes", beside=tuple(numbers[2:]), letters=letters,
                share=HALFWAY if way == "overlay" else 1.0,
            )
        )  # fmt: skip
    return frames


def letter_of(number: int, frames: Sequence[Keyframe]) -> str:
    """The letter that a plan has in the last keyframe that compares it; empty where none does."""
    letters = [
        letter for k in frames if k.view == "comparison"
        for letter, plan in zip(k.called, (k.versus, k.plan, *k.beside), strict=True) if plan == number
    ]  # fmt: skip
    return letters[-1] if letters else ""


def _closing(index: int, entry: Told, cameras: Cameras, letter: str) -> list[Keyframe]:
    """A look at what holds the last plan back, or at what it breaks; and its certificate, with its ``letter`` where it was compared."""
    frames = []
    plan = entry.plan
    if isinstance(plan, Plan):
        ops, head, words = _looked_at(plan)
        camera = cameras(plan, "lanes", ops)
        broken = not plan.evaluation.valid
        marked = (
            tuple(plan.problem.graph.op_ids[v] for v in ops[:MOST_HIGHLIGHTED].tolist()) if broken else ()
        )
        if len(ops):
            frames.append(
                Keyframe(
                    head, words, index, "lanes", camera, marked, panel="costs", hold=LONG, transition=1.5
                )
            )
    head = certificate_title(name_in_words(plan), letter)
    frames.append(Keyframe(head, CERTIFICATE, index, "certificate", hold=LONG, transition=0.8))
    return frames


def _looked_at(plan: Plan) -> tuple[Ints, str, str]:
    """(ops, title, caption) of what a plan breaks, else of its bottleneck."""
    evaluation = plan.evaluation
    if not evaluation.valid:
        first = evaluation.violations[0]
        return np.array(first.ops, np.int32), "A rule is broken", shortened(first.sentence)
    told = facts(plan)
    ops = np.flatnonzero(plan.decision.device_of == evaluation.bottleneck).astype(np.int32)
    head = "{bottleneck} sets the pace"
    worst = worst_word(plan.problem, evaluation)
    if worst == FULLEST:
        head, words = (
            "{bottleneck} holds most",
            "Its operators keep {bottleneck_memory} in memory.",
        )
    elif worst == LARGEST_REST:
        head = "{bottleneck} takes longest besides streaming"
        words = (
            "All stages stream for {total_streaming}, one after another; added to that is what this stage takes besides, {bottleneck_work} of work"
            " and {bottleneck_transfers} of receiving and sending."
        )
    else:
        words = f"Its operators work {{bottleneck_work}}; {TRANSFERS}."
    return ops, filled(head if len(ops) else "", told), filled(words, told)


# ---------------------------------------------------------------------- searches
def thinned(plans: Sequence[Plan | OrderPlan], most: int = MOST_INCUMBENTS) -> list[int]:
    """Which of the incumbents of a search (in their order) to show: first and last, and between them at most so many in all
    that each differs visibly from the one before, those that gain most where there are more.

    A step is visible where it moves :data:`LEAST_SHARE` of the ops or gains :data:`LEAST_GAIN`. Raises :class:`StoryError`
    for ``most`` below 2.
    """
    if most < 2:
        raise StoryError(f"a search is to be told in {most} keyframes; it takes 2 at least")
    if len(plans) < 3:
        return list(range(len(plans)))
    shown = _seen(plans, range(len(plans)))
    while len(shown) > most:
        gains = [_gain(plans[shown[j - 1]], plans[shown[j]]) for j in range(1, len(shown) - 1)]
        del shown[1 + int(np.argmin(gains))]
        shown = _seen(plans, shown)  # its neighbours may be alike
    return shown


def _seen(plans: Sequence[Plan | OrderPlan], steps: Sequence[int]) -> list[int]:
    """Those of ``steps`` that differ visibly from the one kept before, and in any case the first and the last."""
    kept = [steps[0]]
    for i in steps[1:-1]:
        if visible(plans[kept[-1]], plans[i]):
            kept.append(i)
    if len(kept) > 1 and not visible(plans[kept[-1]], plans[steps[-1]]):
        kept.pop()
    return [*kept, steps[-1]]


def visible(before: Plan | OrderPlan, after: Plan | OrderPlan) -> bool:
    """Whether a step from one plan to another can be seen: it moves ops, or neurons of an order, or gains enough."""
    count = moved(after, before) or 0
    return count >= LEAST_SHARE * after.problem.size or _gain(before, after) >= LEAST_GAIN


def _gain(before: Plan | OrderPlan, after: Plan | OrderPlan) -> float:
    """By what share the first component that differs becomes less (logarithmic: steps add up)."""
    for value, then in zip(after.evaluation.values, before.evaluation.values, strict=True):
        if value != then:
            return math.log(then / value) if then > 0 and value > 0 else 1.0
    return 0.0
