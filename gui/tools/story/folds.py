"""The folded groups of a window as keyframes have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.story.folded import FoldedGroup

if TYPE_CHECKING:
    from gui.document.plan.document import Document


def folded_now(document: Document) -> tuple[FoldedGroup, ...]:
    """The groups that are folded on the canvas, in the order of their ops."""
    grouping = document.grouping
    if grouping is None:
        return ()
    return tuple(FoldedGroup.of(grouping.names[g], grouping.ops(g)) for g in sorted(document.folded))
