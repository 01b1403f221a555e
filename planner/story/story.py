"""Stories: a talk on plans, as data. What is shown at each moment, and what is said about it.

A story names models, holds plans of them, and is a row of keyframes; whatever plays it moves from one to the next.
Everything is checked when it is made, so that whoever plays or writes a story need not ask again. Costs are never part of a
story: they are evaluated from the plans when it is opened (:func:`planner.story.files.json.resolve`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from planner.errors import StoryError
from planner.model.precision import FILE, checked
from planner.printable import LONGEST_ID, escaped

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan

VIEWS = ("flow", "lanes", "stages", "package", "network", "certificate", "comparison")
"""What fills the screen: the graph in its flow, in the lanes or in the blocks of its devices, the chips of a multi-chip module, a
sparse network, the proof, or plans beside one another."""
PANELS = ("", "costs", "convergence", "schedule", "memory", "difference", "package")
"""What stands beside it; nothing where it is empty."""
GRAPH_VIEWS = ("flow", "lanes", "stages")
"""Views in which ops are drawn, and cameras look at a part."""
MACHINES_OWN = ("package",)
"""Views and panels that only machines have that name them (:attr:`planner.problem.target.Target.own_views`)."""
NO_ORDERS = (*GRAPH_VIEWS, *MACHINES_OWN)
"""Views that orders of networks do not have, and :data:`WITHOUT_ORDERS` the panels."""
WITHOUT_ORDERS = ("schedule", "difference", *MACHINES_OWN)
COLOURINGS = ("stage", "time", "bytes", "ratio")
"""What ops of graphs are coloured by: where they are, or as a heat map of times, of bytes moved, or of measured over estimated times."""
THEMES = ("light", "dark")
COMPARISONS = ("side-by-side", "overlay", "sankey", "schedules")
"""How plans are compared: a canvas for each, two on one canvas with a slider between them, flows of ops, schedules on one axis."""
LAYOUTS = ("flow", "lanes")
"""How the canvases of a comparison are laid out."""
MOST_BESIDE = 2
"""Further plans of a comparison, after the two that every one has."""

MOST_MODELS = 16
MOST_PLANS = 64
MOST_KEYFRAMES = 200
MOST_HIGHLIGHTED = 10_000
LONGEST_TITLE = 120
"""Characters of a title: one line of large type."""
LONGEST_CAPTION = 400
LONGEST_NOTES = 4_000
"""Characters of what the speaker wants to say at a keyframe: some three minutes of talking."""
LONGEST_SUMMARY = 2_000
LONGEST_HOLD = 600.0
"""Seconds for which a keyframe may be held."""
LONGEST_TRANSITION = 30.0
SAMPLE = "sample:"
"""What the path of a model begins with that Stageboard brings along."""


@dataclass(frozen=True)
class StoryModel:
    """A model of a story: files (several are deployed together), or the words that generate it.

    ``paths`` are relative to the story's file and stay inside its folder, or name a sample: ``sample:resnet50.json``.
    ``generate`` is a kind with its settings, as in ``mlp seed=3 width=100``, in place of files. ``fingerprint`` is that of the
    graph or network; ``batch`` binds the symbolic dimension of graphs, and ``precision`` says how many bytes their numbers take; ``density`` prunes networks.
    Raises :class:`StoryError`.
    """

    paths: tuple[str, ...]
    fingerprint: str
    batch: int = 1
    density: float | None = None
    generate: str = ""
    precision: str = FILE

    def __post_init__(self) -> None:
        if bool(self.paths) == bool(self.generate):
            raise StoryError(
                "a model of a story needs either its files or how it is generated; give one of the two"
            )
        if len(self.paths) > MOST_MODELS:
            raise StoryError(f"a model of a story has {len(self.paths)} files; at most {MOST_MODELS} go together")  # fmt: skip
        for path in self.paths:
            check_path(path)
        _text(self.fingerprint, "the fingerprint of a model", 128)
        if self.generate:
            _text(self.generate, "what generates a model", 500)
        _whole(self.batch, "the batch of a model", 1, 1_000_000)
        checked(self.precision, StoryError)
        if self.density is not None:
            _real(self.density, "the density of a model", 0.0, 1.0)
            if self.density == 0.0:
                raise StoryError("the density of a model is 0; it must be above 0 and at most 1")

    @property
    def name(self) -> str:
        """What sentences call it: its files, or its kind."""
        names = [path.removeprefix(SAMPLE).rpartition("/")[2] for path in self.paths]
        return " and ".join(names) or self.generate


@dataclass(frozen=True)
class StoryPlan:
    """A plan of one of the story's models: the JSON object of a plan file, packed or not.

    :func:`planner.story.files.plans.pack` makes it from a plan. Equal by content. Raises :class:`StoryError`.
    """

    model: int
    data: Mapping[str, Any] = field(hash=False)

    def __post_init__(self) -> None:
        _whole(self.model, "the model of a plan", 0, MOST_MODELS)
        if not isinstance(self.data, Mapping) or not isinstance(self.data.get("decision"), Mapping):
            raise StoryError("a plan of the story has no decision; save the plan and the story again")

    @property
    def name(self) -> str:
        """The plan's name; empty where it has none."""
        name = self.data.get("name")
        return name if isinstance(name, str) else ""

    @property
    def is_order(self) -> bool:
        """Whether it orders the connections of a sparse network."""
        return bool(self.data["decision"].get("kind") == "connection-order")


@dataclass(frozen=True)
class Camera:
    """The part of a scene that fills the view, as shares of the scene's bounds: (0, 0, 1, 1) is all of it."""

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            _real(getattr(self, name), f"the {name} of a camera", -1.0, 2.0)
        for name in ("width", "height"):
            _real(getattr(self, name), f"the {name} of a camera", 0.001, 3.0)


@dataclass(frozen=True)
class Keyframe:
    """One moment that is held: what is shown (``plan``, ``view``, ``camera``, ``panel``) and what is said.

    ``camera`` None shows everything. ``colouring`` is what the ops of a graph are coloured by, where it has that. ``highlight`` are ops by id (neurons by number in a network) that stand out. ``versus`` is
    the plan that this one is compared with, or -1. ``at`` is the number of connections done, of a network's order; None
    is before the first. ``hold`` and ``transition`` (towards this keyframe) are seconds. ``notes`` are the speaker's, and never shown
    to the audience.

    In the view ``comparison``, ``comparison`` says how plan B (``plan``) is compared with plan A (``versus``), and ``beside`` are
    plans C and D of canvases and schedules. ``letters`` are others by which the captions call these plans, in this order, so that a plan
    keeps its letter throughout a story. ``layout`` is that of canvases. ``share`` is where the slider of an overlay comes to
    rest, from 0 (A) over 0.5 (both) to 1 (B): in the transition it goes there from where it was, or from A.
    Raises :class:`StoryError`.
    """

    title: str
    caption: str
    plan: int
    view: str = "flow"
    camera: Camera | None = None
    highlight: tuple[str, ...] = ()
    panel: str = ""
    versus: int = -1
    at: int | None = None
    hold: float = 4.0
    transition: float = 0.8
    comparison: str = ""
    layout: str = "flow"
    share: float = 1.0
    beside: tuple[int, ...] = ()
    notes: str = ""
    letters: str = ""
    colouring: str = "stage"

    def __post_init__(self) -> None:
        _text(self.title, "the title of a keyframe", LONGEST_TITLE, empty=True)
        _text(self.caption, "the caption of a keyframe", LONGEST_CAPTION, empty=True)
        object.__setattr__(self, "title", escaped(self.title))
        object.__setattr__(self, "caption", escaped(self.caption, keep="\n"))
        _text(self.notes, "the text of a keyframe's notes", LONGEST_NOTES, empty=True)
        object.__setattr__(self, "notes", escaped(self.notes, keep="\n"))
        _whole(self.plan, "the plan of a keyframe", 0, MOST_PLANS)
        _choice(self.view, "the view of a keyframe", VIEWS)
        _choice(self.panel, "the panel of a keyframe", PANELS)
        _choice(self.colouring, "the colouring of a keyframe", COLOURINGS)
        _whole(self.versus, "the plan that a keyframe compares with", -1, MOST_PLANS)
        if len(self.highlight) > MOST_HIGHLIGHTED:
            raise StoryError(
                f"a keyframe highlights {len(self.highlight):,} ops; at most {MOST_HIGHLIGHTED:,} stand out"
            )
        for op in self.highlight:
            _text(op, "a highlighted op", LONGEST_ID)
        if self.at is not None:
            _whole(self.at, "the moment of a keyframe (at)", 0, 2**31 - 1)
        _real(self.hold, "the seconds for which a keyframe is held", 0.1, LONGEST_HOLD)
        _real(self.transition, "the seconds of a transition", 0.0, LONGEST_TRANSITION)
        if self.panel == "difference" and self.versus < 0:
            raise StoryError(
                "a keyframe shows a difference but names no plan to compare with; set its 'versus'"
            )
        self._check_comparison()

    def _check_comparison(self) -> None:
        _choice(self.comparison, "the comparison of a keyframe", ("", *COMPARISONS))
        _choice(self.layout, "the layout of a comparison", LAYOUTS)
        _real(self.share, "the share of an overlay", 0.0, 1.0)
        for plan in self.beside:
            _whole(plan, "a further plan of a comparison", 0, MOST_PLANS)
        if self.view != "comparison":
            if self.comparison or self.beside or self.letters:
                raise StoryError(
                    f"a keyframe compares plans in the view '{self.view}'; make its view 'comparison', or leave 'comparison',"
                    " 'beside' and 'letters' out"
                )
            return
        if not self.comparison:
            raise StoryError(
                f"a keyframe does not say how it compares plans; set its 'comparison' to one of {', '.join(COMPARISONS)}"
            )
        if self.versus < 0:
            raise StoryError("a keyframe compares plans but names only one; set its 'versus' to the other")
        if len(self.beside) > MOST_BESIDE or (
            self.beside and self.comparison not in ("side-by-side", "schedules")
        ):
            raise StoryError(
                f"a keyframe compares {2 + len(self.beside)} plans as '{self.comparison}'; overlays and Sankeys are of 2 plans,"
                f" canvases and schedules of at most {2 + MOST_BESIDE}"
            )
        known = set(self.letters) <= set(ascii_uppercase) and len(set(self.letters)) == len(self.letters)
        if self.letters and not (known and len(self.letters) == 2 + len(self.beside)):
            raise StoryError(
                f"a keyframe calls its {2 + len(self.beside)} plans {self.letters[:40]!r}; give each a letter of its own from A to Z"
            )

    @property
    def called(self) -> tuple[str, ...]:
        """The letters of the plans that are compared: of ``versus``, ``plan``, and those ``beside``."""
        return tuple(self.letters or ascii_uppercase[: 2 + len(self.beside)])


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
        _text(self.title, "the story's title", LONGEST_TITLE)
        _text(self.summary, "the story's summary", LONGEST_SUMMARY, empty=True)
        object.__setattr__(self, "title", escaped(self.title))
        object.__setattr__(self, "summary", escaped(self.summary, keep="\n"))
        _choice(self.theme, "the story's theme", THEMES)
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
    def device_numbers(self) -> dict[int, tuple[int, ...]]:
        """Of each plan that the story compares (its number) the numbers of its devices: one for those that are matched, so that they
        have one colour in all keyframes. All plans of a model are matched with its first."""
        from planner.reports.comparison.rows import device_numbers  # which reads plans, as stories do

        compared = [k for k in self.story.keyframes if k.view == "comparison"]
        among: dict[str, list[int]] = {}
        for i in sorted({i for k in compared for i in (k.versus, k.plan, *k.beside)}):
            plan = self.plans[i]
            among.setdefault(plan.problem.graph.fingerprint, []).append(i)  # type: ignore[union-attr]
        return {
            i: numbers
            for told in among.values()
            for i, numbers in zip(told, device_numbers([self.plans[i] for i in told]), strict=True)  # type: ignore[misc]
        }


# ---------------------------------------------------------------------- checks
def check_path(path: str) -> None:
    """Refuse a model's path that leaves the story's folder. Raises :class:`StoryError`."""
    _text(path, "the path of a model", 1024)
    if path.startswith(SAMPLE):
        name = path.removeprefix(SAMPLE)
        if not name or "/" in name or "\\" in name or name.startswith(".") or ":" in name:
            raise StoryError(f"'{path}' names no sample model; write it as {SAMPLE}resnet50.json")
        return
    parts = path.split("/")
    if "\\" in path or ":" in path or path.startswith(("/", "~")) or any(p in ("", ".", "..") for p in parts):
        raise StoryError(
            f"the story names the model '{path}', which is not inside the story's folder; put the model beside the story"
            f" and name it relative to that folder, with '/' between folders"
        )


def _text(value: Any, what: str, longest: int, *, empty: bool = False) -> None:
    if not isinstance(value, str) or not (value.strip() or empty):
        raise StoryError(f"{what} must be text{'' if empty else ' that is not empty'}")
    if len(value) > longest:
        raise StoryError(f"{what} has {len(value):,} characters; shorten it to {longest:,}")


def _whole(value: Any, what: str, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise StoryError(f"{what} must be a whole number from {low} to {high}")


def _real(value: Any, what: str, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise StoryError(f"{what} must be a number from {low:g} to {high:g}")
    if not low <= value <= high:
        raise StoryError(f"{what} is {value:g}; it must be from {low:g} to {high:g}")


def _choice(value: Any, what: str, known: tuple[str, ...]) -> None:
    if value not in known:
        words = ", ".join(word or "''" for word in known)
        raise StoryError(f"{what} is {str(value)[:40]!r}; choose from {words}")
