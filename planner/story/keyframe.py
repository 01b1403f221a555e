"""Keyframes: the moments of a story that are held. What is shown at each, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase

from planner.errors import StoryError
from planner.printable import LONGEST_ID, escaped
from planner.story.checks import check_choice, check_real, check_text, check_whole
from planner.story.folded import FoldedGroup, check_folded
from planner.story.subject import MOST_PLANS

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
COMPARISONS = ("side-by-side", "overlay", "sankey", "schedules")
"""How plans are compared: a canvas for each, two on one canvas with a slider between them, flows of ops, schedules on one axis."""
CANVASES = ("side-by-side", "overlay")
"""Those of them that draw ops, as canvases do."""
LAYOUTS = ("flow", "lanes")
"""How the canvases of a comparison are laid out."""
MOST_BESIDE = 2
"""Further plans of a comparison, after the two that every one has."""

MOST_HIGHLIGHTED = 10_000
LONGEST_TITLE = 120
"""Characters of a title: one line of large type."""
LONGEST_CAPTION = 400
LONGEST_NOTES = 4_000
"""Characters of what the speaker wants to say at a keyframe: some three minutes of talking."""
LONGEST_HOLD = 600.0
"""Seconds for which a keyframe may be held."""
LONGEST_TRANSITION = 30.0


@dataclass(frozen=True)
class Camera:
    """The part of a scene that fills the view, as shares of the scene's bounds: (0, 0, 1, 1) is all of it."""

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            check_real(getattr(self, name), f"the {name} of a camera", -1.0, 2.0)
        for name in ("width", "height"):
            check_real(getattr(self, name), f"the {name} of a camera", 0.001, 3.0)

    @property
    def seen(self) -> tuple[float, float, float, float]:
        """The part of the scene that it sees, without what is blank beside the scene (left, top, width and height as its own); the whole
        scene where it sees nothing of it."""
        left, top = max(self.x, 0.0), max(self.y, 0.0)
        width, height = min(self.x + self.width, 1.0) - left, min(self.y + self.height, 1.0) - top
        return (left, top, width, height) if width > 0.0 and height > 0.0 else (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Keyframe:
    """One moment that is held: what is shown (``plan``, ``view``, ``camera``, ``panel``) and what is said.

    ``camera`` None shows everything. ``colouring`` is what the ops of a graph are coloured by, where it has that. ``highlight`` are ops by id (neurons by number in a network) that stand out.
    ``folded`` are the groups of a graph that are one card each, where ops are drawn. ``versus`` is the plan that this one is compared with, or -1. ``at`` is the number of connections done, of a network's order; None
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
    folded: tuple[FoldedGroup, ...] = ()

    def __post_init__(self) -> None:
        check_text(self.title, "the title of a keyframe", LONGEST_TITLE, empty=True)
        check_text(self.caption, "the caption of a keyframe", LONGEST_CAPTION, empty=True)
        object.__setattr__(self, "title", escaped(self.title))
        object.__setattr__(self, "caption", escaped(self.caption, keep="\n"))
        check_text(self.notes, "the text of a keyframe's notes", LONGEST_NOTES, empty=True)
        object.__setattr__(self, "notes", escaped(self.notes, keep="\n"))
        check_whole(self.plan, "the plan of a keyframe", 0, MOST_PLANS)
        check_choice(self.view, "the view of a keyframe", VIEWS)
        check_choice(self.panel, "the panel of a keyframe", PANELS)
        check_choice(self.colouring, "the colouring of a keyframe", COLOURINGS)
        check_whole(self.versus, "the plan that a keyframe compares with", -1, MOST_PLANS)
        if len(self.highlight) > MOST_HIGHLIGHTED:
            raise StoryError(
                f"a keyframe highlights {len(self.highlight):,} ops; at most {MOST_HIGHLIGHTED:,} stand out"
            )
        for op in self.highlight:
            check_text(op, "a highlighted op", LONGEST_ID)
        check_folded(self.folded)
        if self.at is not None:
            check_whole(self.at, "the moment of a keyframe (at)", 0, 2**31 - 1)
        check_real(self.hold, "the seconds for which a keyframe is held", 0.1, LONGEST_HOLD)
        check_real(self.transition, "the seconds of a transition", 0.0, LONGEST_TRANSITION)
        if self.panel == "difference" and self.versus < 0:
            raise StoryError(
                "a keyframe shows a difference but names no plan to compare with; set its 'versus'"
            )
        self._check_comparison()

    def _check_comparison(self) -> None:
        check_choice(self.comparison, "the comparison of a keyframe", ("", *COMPARISONS))
        check_choice(self.layout, "the layout of a comparison", LAYOUTS)
        check_real(self.share, "the share of an overlay", 0.0, 1.0)
        for plan in self.beside:
            check_whole(plan, "a further plan of a comparison", 0, MOST_PLANS)
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

    @property
    def shown(self) -> tuple[int, ...]:
        """The plans that fill the screen, in order: of a comparison ``versus``, ``plan``, and those ``beside``; else ``plan`` alone."""
        return (self.versus, self.plan, *self.beside) if self.view == "comparison" else (self.plan,)

    @property
    def told(self) -> tuple[int, ...]:
        """All plans that it says anything of, in this order, whichever fill the screen."""
        return tuple(i for i in (self.versus, self.plan, *self.beside) if i >= 0)
