"""Plans that are held elsewhere, by a story or a comparison: which of the list they are, and how they come on the canvas as what they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gui.document.commands import SetAssignment
from gui.document.plan.machine_change import GIVEN
from gui.document.plan_list import PlanEntry
from gui.words.methods import method_name
from planner.problem.claims import claimed
from planner.problem.provenance import same_author

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan


def entry_of(document: Document, plan: Plan) -> PlanEntry | None:
    """The plan of the list that a plan is: with its decision, on its machine, by who made it; that on the canvas before others."""
    entries = [*([] if document.active is None else [document.active]), *document.plans]
    for entry in entries:
        if (
            entry.is_of(plan.problem)
            and same_author(entry.source, plan.provenance)
            and np.array_equal(entry.device_of, plan.decision.device_of)
        ):
            return entry
    return None


def entry_for(
    document: Document, plan: Plan, bounds: Sequence[Bound] = (), path: Path | None = None
) -> PlanEntry:
    """An entry for a plan, in no list yet: under its name, with where it came from and what a file claims of it (among ``bounds``)."""
    origin, path = plan.provenance, None if path is None else path.absolute()
    name = plan.name or (path.stem.removesuffix(".plan") if path is not None else method_name(origin.planner))
    return PlanEntry(
        document.plan_list.unused_name(name, path), document.board.own(plan.decision.device_of), "file",
        planner=origin.planner, seed=origin.seed, seconds=origin.seconds, provenance=origin, claims=claimed(bounds), path=path,
    )  # fmt: skip


def listed(
    document: Document, plan: Plan, bounds: Sequence[Bound] = (), path: Path | None = None
) -> PlanEntry:
    """The plan of the list that a plan is; it comes into the list where it is none yet. What is proven of it (``bounds``) is known from then on."""
    document.add_bounds(bounds)
    known = entry_of(document, plan)
    if known is not None:
        return known
    entry = entry_for(document, plan, bounds, path)
    added = document.add_plan(
        entry.device_of, entry.name, origin=entry.origin, planner=entry.planner, seed=entry.seed, seconds=entry.seconds,
        provenance=entry.provenance, claims=entry.claims, problem=plan.problem, path=entry.path,
    )  # fmt: skip
    if path is not None:
        added.keep(added.device_of, plan.problem, added.name)
    return added


def put_on_canvas(document: Document, plan: Plan, entry: PlanEntry, text: str) -> bool:
    """Let a plan take the place of the one on the canvas as ``entry``, in the list or new, with what it is a plan of: one undo step.

    False where that is there. Raises :class:`StageboardError` before anything changes.
    """
    problem = document.open_problem
    if plan.problem != problem:
        document.editing.machines.enter(plan.problem, entry, text, GIVEN)
        return True
    ops, devices = document.board.changes(document.board.checked(plan.decision.device_of))
    if not len(ops) and entry is document.active:
        return False
    creates = None if entry in document.plans else entry
    document.push(
        SetAssignment(document, text, ops, devices, active=entry.id, creates=creates, reason="apply")
    )
    return True
