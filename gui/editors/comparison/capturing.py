"""What a compare window shows now, as a keyframe of the story of the window whose plans are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.tools.story.draft import Draft, Frame, ModelSource, Shown
from gui.tools.story.shots import MOST_HIGHLIGHTED, camera_of
from planner.errors import StageboardError
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.reports.comparison.figures import LETTERS
from planner.story.comparing import comparison_caption, comparison_title
from planner.story.story import Keyframe

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody
    from planner.reports.comparison import Comparison

SLIDING, USUAL = 2.5, 0.8
"""Seconds of the transition towards an overlay, whose slider is to be followed, and towards other comparisons."""
LOOKS = {
    "side-by-side": "Side by side", "overlay": "Both on one canvas", "sankey": "What goes from device to device",
    "schedules": "On one time axis",
}  # fmt: skip
"""Titles of comparisons of plans that were introduced."""
PANELS = {"flows": "sankey", "schedules": "schedules"}
"""What a keyframe shows that was captured while a panel has the keyboard."""


def shown_comparison(window: CompareBody) -> str:
    """What is captured: the flows or the schedules while they have the keyboard, else the canvases."""
    focus = window.focusWidget()
    for id, comparison in PANELS.items():
        if focus is not None and window.docks.docks[id].isAncestorOf(focus):
            return comparison
    return "overlay" if window.columns.mode == "over" else "side-by-side"


def captured(window: CompareBody, draft: Draft, comparison: str) -> Frame:
    """A keyframe of the plans that are compared, shown as ``comparison``; plans that the draft has already are its own.

    Raises :class:`StageboardError` where nothing is compared.
    """
    compared = window.state.comparison
    if compared is None:
        raise StageboardError(f"there is nothing to capture: {window.state.why_not}")
    several = comparison in ("side-by-side", "schedules")
    i, j = window.state.shown
    numbers = list(range(len(compared.plans))) if several else [j, i]
    shown: list[Shown] = []
    for number in numbers:
        shown.append(_shown(window, draft, compared, number, shown))
    letters = _letters(draft, shown)
    told = _told(window, [compared.plans[number] for number in numbers], letters or LETTERS)
    title, words = comparison_title(told, comparison), comparison_caption(told, comparison)
    before = draft.frame
    if before is not None and before.keyframe.comparison and [before.versus, before.shown] == shown[:2]:
        title = _look(window, told, comparison)
    keyframe = Keyframe(
        title, words, 0, "comparison", versus=0, comparison=comparison, layout=window.state.view,
        beside=(0,) * (len(shown) - 2), letters=letters, transition=USUAL,
    )  # fmt: skip
    if comparison in ("side-by-side", "overlay"):
        keyframe = _looked_at(window, compared, keyframe)
    return Frame(keyframe, shown[1], shown[0], tuple(shown[2:]))


def _looked_at(window: CompareBody, compared: Comparison, keyframe: Keyframe) -> Keyframe:
    """With the part of the canvases that is in sight, the selected ops, and the place of the slider."""
    pane, selection = window.columns.current, window.state.selection
    ops = compared.graph.op_ids
    out = tuple(ops[op] for op in selection.tolist()) if len(selection) <= MOST_HIGHLIGHTED else ()
    keyframe = replace(keyframe, camera=None if pane is None else camera_of(pane), highlight=out)
    if isinstance(pane, OverlayPane):
        return replace(keyframe, share=round(pane.fade.share, 3), transition=SLIDING)
    return keyframe


def _look(window: CompareBody, told: Comparison, comparison: str) -> str:
    """How plans are compared that were compared in the keyframe before, as a title."""
    pane = window.columns.current
    if comparison == "overlay" and isinstance(pane, OverlayPane) and pane.fade.share in (0.0, 1.0):
        return told.figures(int(pane.fade.share)).name
    return LOOKS[comparison]


def _told(window: CompareBody, plans: list[Plan], letters: str) -> Comparison:
    """The comparison of the plans of a keyframe, which call themselves by their letters there."""
    from planner.reports.comparison import compare

    return compare(plans, window.state.bounds, letters=letters)


def _letters(draft: Draft, plans: list[Shown]) -> str:
    """The letters of plans in a keyframe: those that comparisons of the draft have for them, of others the next that are free.

    Empty where they are A, B and so on, and where none is free.
    """
    known: dict[Shown, str] = {}
    for frame in draft.frames:
        if frame.keyframe.comparison and frame.versus is not None:
            for one, letter in zip(
                (frame.versus, frame.shown, *frame.beside), frame.keyframe.called, strict=True
            ):
                known.setdefault(one, letter)
    for one in plans:
        free = [letter for letter in ascii_uppercase if letter not in known.values()]
        if one not in known and free:
            known[one] = free[0]
    letters = "".join(known.get(one, "") for one in plans)
    distinct = len(set(letters)) == len(plans)
    return letters if distinct and letters != LETTERS[: len(plans)] else ""


def _shown(
    window: CompareBody, draft: Draft, compared: Comparison, number: int, others: list[Shown]
) -> Shown:
    """A plan with what is known of it; that of the draft where it has the same."""
    plan, document = compared.plans[number], window.document
    for frame in draft.frames:
        for one in (frame.shown, *([] if frame.versus is None else [frame.versus]), *frame.beside):
            if one not in others and _alike(one.plan, plan):
                return one
    problem = plan.problem
    known: tuple[Bound, ...] = tuple(
        bound
        for bound in (*compared.bounds, *window.state.sources[number].claims)
        if bound.applies_to(problem.relaxation, problem.assumptions)
    )
    source = ModelSource(problem.graph, tuple(Path(path) for path in document.paths), document.batch)
    return Shown(plan, known, source)


def _alike(one: object, plan: Plan) -> bool:
    """Whether a plan of the draft is this one: of the same problem, with every op on the same device, under the same name."""
    return (
        isinstance(one, Plan)
        and one.name == plan.name
        and one.problem == plan.problem
        and one.decision == plan.decision
    )
