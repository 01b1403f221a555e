"""Saving a plan in two halves: what writes it, which another process may do, and what the document takes note of then; whether a file has it."""

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
    active, problem = document.active, document.open_problem
    decision, name = document.device_of.copy(), "" if active is None else active.name
    write = partial(write_plan, target, document.current_plan(), document.plan_bounds)

    def saved() -> bool:
        if document.model_serial != model:
            return False
        if active is not None:
            active.path = target
            active.keep(decision, problem, name)
        same = document.assignment_serial == serial and (active is None or active.name == name)
        if same:
            document.history.set_saved()
        document.plans_changed.emit()
        return same

    return write, saved


def in_file(document: Any) -> bool:
    """Whether the plan on the canvas of a document is as its file has it."""
    return document.active is not None and document.active.is_kept(document.device_of, document.problem)


def count_as_saved(document: Any) -> None:
    """The file of the plan on the canvas has what is on the canvas."""
    if document.active is not None and document.active.path is not None:
        document.active.keep(document.device_of.copy(), document.open_problem, document.active.name)
    document.history.set_saved()
