"""Saving a plan in two halves: what writes it, which another process may do, and what the document takes note of then."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any


def saving(document: Any, path: str | Path) -> tuple[Callable[[], object], Callable[[], bool]]:
    """What writes the plan of a :class:`~gui.document.document.PlannedDocument` to a file, and what is to be called once it is there: that returns whether it is what is on screen.

    Raises :class:`planner.errors.StageboardError` where nothing is open.
    """
    from planner.plan_files.plan_json import write_plan

    target, model, serial = Path(path).absolute(), document.model_serial, document.assignment_serial
    active = document.active
    decision = None if active is None else active.device_of.copy()
    write = partial(write_plan, target, document.current_plan(), document.plan_bounds)

    def saved() -> bool:
        if document.model_serial != model:
            return False
        if active is not None:
            active.path = target
        same = document.assignment_serial == serial
        if same:
            document.history.set_saved()
        if active is not None:
            active.kept = decision
        document.plans_changed.emit()
        return same

    return write, saved
