"""What the words of a story rest on: what its file claims is proven again before it is shown, and captions say what came of it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from planner.errors import StoryError
from planner.machines.two_level_memory.problem import OrderPlan
from planner.plan_files.bound_json import StoredBound, bound_of
from planner.problem.base import AnyPlan, PlanningProblem, says_more
from planner.problem.bound import Bound, proven, within
from planner.problem.claims import claim_of, claimed
from planner.problem.problem import Plan
from planner.runs.proving import prove_again, told_bounds
from planner.search.search import Callbacks
from planner.search.stop import AnyOf, Cancel, Never, Progress, Stop, TimeLimit
from planner.story.files.plans import pack
from planner.story.keyframe import LONGEST_CAPTION
from planner.story.machines import machine_phrase
from planner.story.proof_words import CLAIMANT, WORDINGS, proof_sentences
from planner.story.story import Resolved
from planner.story.telling import shortened
from planner.typed_json import typed

SECONDS = 10.0
"""How long it may take to prove what a story's file claims where nobody says how long."""
LONGER = 6
"""How many times longer is proposed where that did not do."""

Proofs = tuple[tuple[Bound, ...], ...]
"""The bounds of each plan of a story."""


def bounds_as_told(read: Resolved) -> Proofs:
    """The bounds of each plan, beside those that are only claims what is known at once, and what the story knows of the same problem by the
    keyframe that shows the plan first."""
    pairs = zip(read.plans, read.bounds, strict=True)
    own = [told_bounds(plan.problem, bounds) for plan, bounds in pairs]
    found, told = list(own), list[int]()
    for keyframe in read.story.keyframes:
        fresh = sorted({*keyframe.told}.difference(told))
        told += fresh
        for i in fresh:
            plan = read.plans[i]
            alike = [j for j in told if j != i and read.plans[j].problem == plan.problem]
            found[i] = with_shared(plan, own[i], (bound for j in alike for bound in own[j]))
    return tuple(found)


def told_with(read: Resolved, problem: PlanningProblem, known: Sequence[Bound]) -> Resolved:
    """A story as it is told, and written, where bounds of ``problem`` are known that prove what its file claims of plans for it."""
    pairs = list(zip(read.plans, read.bounds, strict=True))
    bounds = tuple(
        with_shared(plan, own, known) if plan.problem == problem and claim_of(plan, own) is not None else own
        for plan, own in pairs
    )
    if bounds == read.bounds:
        return read
    told = as_proven(read, bounds)
    parts = zip(read.plans, bounds, read.story.plans, strict=True)
    plans = tuple(pack(plan, now, part.model) for plan, now, part in parts)
    return replace(told, story=replace(told.story, plans=plans))


def story_with_known(read: Resolved) -> Resolved:
    """A story with the bounds that are told of its plans, and its words as they were written."""
    return replace(read, bounds=bounds_as_told(read))


def with_shared(plan: Plan | OrderPlan, own: Sequence[Bound], others: Iterable[Bound]) -> tuple[Bound, ...]:
    """A plan's bounds, and what was proven beside other plans that says anything of its problem."""
    return (*own, *(bound for bound in others if says_more(bound, plan.problem, own)))


def prove_story(
    read: Resolved, seconds: float = SECONDS, stop: Stop | None = None, callbacks: Callbacks | None = None
) -> Resolved:
    """A story as it is told when what its file claims has been proven again, for at most so many seconds in all (0: not at all).

    Claims that are not proven by then stay claims. ``read`` is the story as it was resolved.
    """
    found = list(bounds_as_told(read))
    waiting, news = turns(read, found), list[Bound]()
    while waiting and seconds > 0.0:
        i, share = waiting[0], seconds / len(waiting)
        del waiting[0]
        plan, own = read.plans[i], found[i]
        bounds = with_shared(plan, own, news)
        if not settled(plan, bounds):
            watch, began = _Proving(plan, bounds, callbacks), time.monotonic()
            again = prove_again(plan, bounds, AnyOf([stop or Never(), watch.stop, TimeLimit(share)]), watch)
            # What is compiled for a proof takes nothing of the turns of the others.
            seconds -= min(share, time.monotonic() - began)
            # Without the time that a proof took, which would be another one whenever the story is written.
            bounds = tuple(b if b in own else replace(b, seconds=0.0) for b in again.bounds)
            news += proven(bounds)
        found[i] = bounds
    # What was proven of one plan may be all that another one, of the same problem, waited for.
    shared = (
        with_shared(plan, own, news) if claim_of(plan, own) is not None else own
        for plan, own in zip(read.plans, found, strict=True)
    )
    return as_proven(read, tuple(shared))


def turns(read: Resolved, bounds: Sequence[Sequence[Bound]]) -> list[int]:
    """The plans of which something is claimed, in the order of their turns: first those that took least to prove, as their file has it.

    Each turn may take an equal share of what is left of the time, so that a long proof leaves none of the others out."""
    pairs = list(zip(read.plans, bounds, strict=True))
    waiting = [i for i, (plan, own) in enumerate(pairs) if plan.evaluation.valid and not settled(plan, own)]
    return sorted(waiting, key=lambda i: sum(bound.seconds for bound in claimed(bounds[i])))


def settled(plan: AnyPlan, bounds: Sequence[Bound]) -> bool:
    """Whether nothing that is claimed of a plan is left to prove: no claim says more than what is proven, and a plan that its file says
    is optimal is proven to be so."""
    if claim_of(plan, bounds) is not None:
        return False
    problem, values = plan.problem, plan.evaluation.values
    reached = dict(zip(problem.components, values, strict=True))
    believed = (b for b in bounds if not b.claimed_by or within(b.value, reached.get(b.component, math.inf)))
    said = problem.standing(values, tuple(replace(bound, claimed_by="") for bound in believed))
    return said.status != "optimal" or problem.standing(values, tuple(bounds)).status == "optimal"


def unproven_words(told: Resolved, seconds: float) -> str:
    """``1 of 3 plans not proven again in 10 s; --prove 60 gives it longer``: of how many plans a story as it is told after so many seconds of
    proving still only claims something; empty where of none."""
    pairs = zip(told.plans, told.bounds, strict=True)
    open_ = sum(plan.evaluation.valid and claim_of(plan, bounds) is not None for plan, bounds in pairs)
    if not open_:
        return ""
    plans = f"{open_} of {len(told.plans)} plans not proven again"
    if seconds <= 0.0:
        return f"{plans}; --prove {SECONDS:g} gives {_them(open_)} {SECONDS:g} s"
    return f"{plans} in {seconds:g} s; --prove {LONGER * seconds:g} gives {_them(open_)} longer"


def _them(many: int) -> str:
    return "it" if many == 1 else "them"


class _Proving(Callbacks):
    """Hears what is proven of a plan; :attr:`stop` fires as soon as that is all that is claimed. ``inner`` hears the same."""

    def __init__(self, plan: AnyPlan, bounds: Sequence[Bound], inner: Callbacks | None) -> None:
        self._plan, self._bounds, self._inner = plan, list(bounds), inner or Callbacks()
        self._done = False
        self.stop = Cancel(lambda: self._done)

    def on_start(self, problem: PlanningProblem) -> None:
        self._inner.on_start(problem)

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        self._inner.on_progress(fraction, text, progress)

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        self._bounds.append(bound)
        self._done = settled(self._plan, self._bounds)
        self._inner.on_bound(bound, progress)


def as_proven(read: Resolved, bounds: Proofs) -> Resolved:
    """The story with other ``bounds`` of its plans; what captions and summary say of proofs is said of these.

    A sentence on proofs that follows from what the file says was proven is replaced by what is proven now, and by what
    remains the file's claim. All other words stay as they were written. ``read`` is the story as it was resolved.
    """
    story, plans = read.story, read.plans
    written = [_as_written(read, i) for i in range(len(plans))]
    frames = tuple(
        replace(k, caption=_followed(k.caption, plans[k.plan], written[k.plan], bounds[k.plan]))
        for k in story.keyframes
    )
    summary = story.summary
    for plan, then, now in reversed(list(zip(plans, written, bounds, strict=True))):
        following = _followed(summary, plan, then, now)
        if following != summary:
            summary = following
            break
    return replace(read, story=replace(story, keyframes=frames, summary=summary), bounds=bounds)


def _followed(
    words: str, plan: Plan | OrderPlan, written: Sequence[tuple[Bound, ...]], now: Sequence[Bound]
) -> str:
    """``words`` with their sentence on proofs, as any of the bounds of ``written`` has it, said of what is proven ``now``."""
    if not words or not plan.evaluation.valid:
        return words
    for claimant in {bound.claimed_by for bounds in (now, *written) for bound in bounds if bound.claimed_by}:
        words = words.replace(f"{claimant} claims ", f"{CLAIMANT} claims ")  # as older stories have it
    for machine, wording, bounds in product(("", machine_phrase(plan.problem)), WORDINGS, written):
        proof, claim = proof_sentences(plan, bounds, wording, machine)
        for said in (f"{proof} {claim}".strip(), proof):
            if said and said in words:
                current = " ".join(filter(None, proof_sentences(plan, now, machine=machine)))
                return shortened(words.replace(said, current, 1).strip(), LONGEST_CAPTION)
    return words


def _as_written(read: Resolved, number: int) -> list[tuple[Bound, ...]]:
    """What may have been proven of a plan when captions were written: what the story's file itself says, where it tells the claims of
    other files from what was proven; else what any of the files that claim it says, or all of them."""
    bounds = read.bounds[number]
    claimants = sorted({bound.claimed_by for bound in bounds if bound.claimed_by})
    those = [{claimant} for claimant in claimants]
    if len(claimants) > 1:
        those.append(set(claimants))
    claiming = [
        tuple(replace(b, claimed_by="") if b.claimed_by in some else b for b in bounds) for some in those
    ]
    what = f"plan number {number + 1}"
    kept = {replace(bound, claimed_by="") for bound in bounds}
    stored = [
        bound_of(typed(one, StoredBound, what, StoryError), "")
        for one in read.story.plans[number].data.get("bounds", ())
    ]
    # Words that were told anew, or captured here, say what is known now.
    return [tuple(b for b in stored if replace(b, claimed_by="") in kept), *claiming, bounds]
