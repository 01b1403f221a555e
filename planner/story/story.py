"""Stories: a talk on plans, as data. What is shown at each moment, and what is said about it.

A story names models, holds plans of them, and is a row of keyframes; whatever plays it moves from one to the next.
Everything is checked when it is made, so that whoever plays or writes a story need not ask again. Costs are never part of a
story: they are evaluated from the plans when it is opened (:func:`planner.story.files.json.resolve`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from planner.errors import StoryError
from planner.printable import escaped
from planner.story.checks import check_choice, check_text
from planner.story.keyframe import LONGEST_TITLE, NO_ORDERS, WITHOUT_ORDERS, Keyframe
from planner.story.matching import Matched
from planner.story.subject import MOST_MODELS, MOST_PLANS, StoryModel, StoryPlan

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan

THEMES = ("light", "dark")
MOST_KEYFRAMES = 200
LONGEST_SUMMARY = 2_000


@dataclass(frozen=True)
class Story:
    """A title, the models and plans it is about, and its keyframes in order. Raises :class:`StoryError`.

    ``claimed_by`` names the file that it was read from, whose bounds are claims; empty where it was made here, or is part of Stageboard.
    """

    title: str
    summary: str
    models: tuple[StoryModel, ...]
    plans: tuple[StoryPlan, ...]
    keyframes: tuple[Keyframe, ...]
    theme: str = "light"
    claimed_by: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_text(self.title, "the story's title", LONGEST_TITLE)
        check_text(self.summary, "the story's summary", LONGEST_SUMMARY, empty=True)
        object.__setattr__(self, "title", escaped(self.title))
        object.__setattr__(self, "summary", escaped(self.summary, keep="\n"))
        check_choice(self.theme, "the story's theme", THEMES)
        for what, entries, most in (
            ("model", self.models, MOST_MODELS),
            ("plan", self.plans, MOST_PLANS),
            ("keyframe", self.keyframes, MOST_KEYFRAMES),
        ):
            if not 1 <= len(entries) <= most:
                raise StoryError(f"the story has {len(entries)} {what}s; it must have from 1 to {most}")
        for i, plan in enumerate(self.plans, 1):
            if plan.model >= len(self.models):
                raise StoryError(
                    f"plan number {i} is of model {plan.model}, and the story has only {len(self.models)} (from 0)"
                )
        for i, keyframe in enumerate(self.keyframes, 1):
            self._check(i, keyframe)

    def _check(self, number: int, keyframe: Keyframe) -> None:
        what = f"keyframe number {number}"
        for index in (keyframe.plan, keyframe.versus, *keyframe.beside):
            if index >= len(self.plans):
                raise StoryError(
                    f"{what} names plan {index}, and the story has only {len(self.plans)} (from 0)"
                )
        plan = self.plans[keyframe.plan]
        if plan.is_order and keyframe.view in NO_ORDERS:
            raise StoryError(f"{what} shows the order of a network in '{keyframe.view}'; choose 'network'")
        if not plan.is_order and keyframe.view == "network":
            raise StoryError(
                f"{what} shows a plan of a graph as 'network'; choose 'flow', 'lanes' or 'stages'"
            )
        if not plan.is_order and keyframe.at is not None:
            raise StoryError(
                f"{what} is at a moment of an order, and its plan is one of a graph; remove its 'at'"
            )
        if plan.is_order and keyframe.folded:
            raise StoryError(f"{what} folds groups of ops, which networks do not have; remove its 'folded'")
        if plan.is_order and keyframe.panel in WITHOUT_ORDERS:
            raise StoryError(
                f"{what} has the panel '{keyframe.panel}', which networks do not have; choose another"
            )
        others = [index for index in (keyframe.versus, *keyframe.beside) if index >= 0]
        if any(self.plans[index].model != plan.model for index in others):
            raise StoryError(f"{what} compares plans of two models; both must be of one")
        if keyframe.view == "comparison":
            if plan.is_order:
                raise StoryError(
                    f"{what} compares orders of a network, which stories show one after another; choose 'network'"
                )
            if len({keyframe.plan, *others}) <= len(others):
                raise StoryError(f"{what} compares a plan with itself; name another as its 'versus'")

    @property
    def duration(self) -> float:
        """Seconds that it takes when it plays by itself."""
        return sum(keyframe.transition + keyframe.hold for keyframe in self.keyframes)


@dataclass(frozen=True, eq=False)
class Resolved:
    """A story with its models read and its plans evaluated from nothing.

    ``bounds[i]`` are those stored with plan ``i``; ``notes`` say where stored figures and computed ones differ.
    Plans of one problem share it.
    """

    story: Story
    models: tuple[Graph | Network, ...]
    plans: tuple[Plan | OrderPlan, ...]
    bounds: tuple[tuple[Bound, ...], ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def matched(self) -> Matched:
        """Which devices of its plans are matched."""
        return Matched(self.plans, [(k.view == "comparison", k.shown) for k in self.story.keyframes])

    @property
    def device_numbers(self) -> Mapping[int, tuple[int, ...]]:
        """The numbers of the devices of each plan (its number) that the story compares, or that does not keep the numbers of its own: one
        for those that are matched, so that they have one colour in all keyframes."""
        return self.matched.numbers
