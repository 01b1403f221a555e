"""The notice after a move by hand that takes pinned ops off their pins: which, and the two ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.look.numbers import plural

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.values import DecisionChange
    from gui.editors.plan.body import GraphBody
    from planner.model.graph import Ints


def off_pins(document: Document, ops: Ints) -> Ints:
    """Those of ``ops`` that are on another device than the one they are pinned to."""
    pinned = document.open_problem.evaluator.pinned[ops]
    return ops[(pinned >= 0) & (pinned != document.device_of[ops])]


def pin_words(document: Document, ops: Ints) -> str:
    """What ``ops`` are pinned to: "pinned to stage 1", or how many of them are; empty where none is."""
    problem = document.open_problem
    pinned = problem.evaluator.pinned[ops]
    held = np.unique(pinned[pinned >= 0])
    if not len(held):
        return ""
    where = f"pinned to {problem.devices[int(held[0])].name}" if len(held) == 1 else "pinned"
    count = int((pinned >= 0).sum())
    return where if count in (1, len(ops)) else f"{count} of {len(ops)} {where}"


def tell_off_pins(window: GraphBody, change: DecisionChange) -> None:
    """Say which pinned ops a move by hand took off their pins, and offer to unpin them or to undo the move."""
    document = window.document
    if change.reason != "edit" or change.ops is None or document.problem is None:
        return
    ops = off_pins(document, change.ops)
    if not len(ops):
        return
    problem = document.open_problem
    first = int(ops[0])
    pin = problem.devices[int(problem.evaluator.pinned[first])].name
    what = f"{problem.graph.op_names[first]} is pinned to {pin}"
    if len(ops) > 1:
        what = f"{plural(len(ops), 'pinned op')} left their pins ({what})"
    window.notice.show_message(
        "warning", f"Moved, but {what}. Unpin, or undo the move.", action="Unpin", run=lambda: document.unpin(ops),
        other="Undo", run_other=document.undo_stack.undo, until_change=True,
    )  # fmt: skip
