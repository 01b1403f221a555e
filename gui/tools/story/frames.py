"""The keyframes of a draft: each with its plans at hand, and with the model that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from planner.errors import StoryError
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Graph
from planner.model.network import Network
from planner.model.precision import FILE, precision_of
from planner.problem.base import decision_of, says_more
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.problem.provenance import same_author
from planner.story.keyframe import Keyframe
from planner.story.telling import is_named


@dataclass(frozen=True, eq=False)
class ModelSource:
    """A model and how it can be read again: its files (several are deployed together), or the words that generate it."""

    model: Graph | Network
    paths: tuple[Path, ...] = ()
    batch: int = 1
    density: float | None = None
    generate: str = ""

    @property
    def precision(self) -> str:
        """How many bytes numbers of a graph take (:mod:`planner.model.precision`)."""
        return precision_of(self.model) if isinstance(self.model, Graph) else FILE

    @property
    def key(self) -> tuple[object, ...]:
        """Equal where two are one model, read in one way."""
        return self.model.fingerprint, self.paths, self.batch, self.density, self.generate


@dataclass(frozen=True, eq=False)
class Shown:
    """A plan of a draft with what was proven when it was captured, and the model that it is of."""

    plan: Plan | OrderPlan
    bounds: tuple[Bound, ...]
    source: ModelSource


@dataclass(frozen=True, eq=False)
class Place:
    """Where a keyframe stands, as far as its words speak of it: the plan before it, and the letters of plans that it compares."""

    before: Shown | None
    letters: str

    def is_as(self, other: Place) -> bool:
        """Whether words that fit here fit there."""
        return self.letters == other.letters and same_plan(self.before, other.before)


@dataclass(frozen=True, eq=False)
class Frame:
    """A keyframe of a draft. The plan numbers in ``keyframe`` mean nothing: ``shown``, ``versus`` and ``beside`` are the plans.

    ``told_for`` is the place that its words speak of, where somebody wrote them and it stands elsewhere now. ``titled`` is the title that
    it was given by itself, if that is known: one that it still has was written by nobody.
    """

    keyframe: Keyframe
    shown: Shown
    versus: Shown | None = None
    beside: tuple[Shown, ...] = ()
    told_for: Place | None = None
    titled: str = ""

    @property
    def plans(self) -> tuple[Shown, ...]:
        """All of its plans, the reference of a comparison first."""
        return (*(() if self.versus is None else (self.versus,)), self.shown, *self.beside)

    def with_plans(self, plans: Sequence[Shown]) -> Frame:
        """The same with others in the places of :attr:`plans`; itself where they are the same."""
        if all(one is other for one, other in zip(plans, self.plans, strict=True)):
            return self
        compared = self.versus is not None
        shown, *beside = plans[compared:]
        return replace(self, versus=plans[0] if compared else None, shown=shown, beside=tuple(beside))


def same_plan(one: Shown | None, other: Shown | None) -> bool:
    """Whether two are one plan: of one model, for the same problem, with the same decision, whatever they are called."""
    if one is other:
        return True
    if one is None or other is None:
        return False
    return (
        one.source.key == other.source.key
        and one.plan.problem == other.plan.problem
        and bool(np.array_equal(decision_of(one.plan), decision_of(other.plan)))
    )


def one_plan_each(frames: Sequence[Frame]) -> list[Frame]:
    """The same keyframes where equal plans by one author are one, under the first name that somebody gave it, with the best that is proven
    of it. One by another keeps its name and what is known of where it came from.

    Plans that are equal and compared with one another stay as they are.
    """
    members: list[list[Shown]] = []
    group_of: dict[Shown, int] = {}
    for one in (one for frame in frames for one in frame.plans if one not in group_of):
        found = (at for at, known in enumerate(members) if _one_for_all(known[0], one))
        group_of[one] = group = next(found, len(members))
        members += [] if group < len(members) else [[]]
        if one not in members[group]:
            members[group].append(one)
    united = [_united(known) for known in members]
    for frame in frames:
        groups = [group_of[one] for one in frame.plans]
        for twice in {group for group in groups if groups.count(group) > 1}:
            united[twice] = None
    return [frame.with_plans([united[group_of[one]] or one for one in frame.plans]) for frame in frames]


def _one_for_all(one: Shown, other: Shown) -> bool:
    """Whether two are one plan by one author."""
    return same_author(one.plan.provenance, other.plan.provenance) and same_plan(one, other)


def _united(members: Sequence[Shown]) -> Shown | None:
    """One for all of them."""
    first = next((one for one in members if is_named(one.plan)), members[0])
    bounds = list(first.bounds)
    for one in members:
        bounds += [
            bound
            for bound in one.bounds
            if (bound.claimed_by and bound not in bounds) or says_more(bound, first.plan.problem, bounds)
        ]
    return first if len(bounds) == len(first.bounds) else replace(first, bounds=tuple(bounds))


def earlier_plan(frame: Frame, before: Frame | None) -> Shown | None:
    """The plan shown before, where it is of the same model."""
    if before is None or before.shown.source.model.fingerprint != frame.shown.source.model.fingerprint:
        return None
    return before.shown


class ElsewhereError(StoryError):
    """A keyframe is about another model than the one that is open."""

    def __init__(self, frame: Frame) -> None:
        name = frame.shown.source.model.name
        super().__init__(
            f"the keyframe “{frame.keyframe.title}” is about {name}, which is not open here; open it first"
        )
