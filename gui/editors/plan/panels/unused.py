"""Parameters of a target that mean nothing to an objective."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from planner.errors import StageboardError

if TYPE_CHECKING:
    from planner.problem.target import Target


def is_unused(target: type[Target], name: str, objective: str) -> bool:
    """Whether a parameter of a kind of target makes sense for ``objective`` only at its default."""
    plain = target()
    value = getattr(plain, name)
    (choices,) = (f.metadata.get("choices") for f in dataclasses.fields(plain) if f.name == name)  # type: ignore[arg-type]
    others: tuple[object, ...] = ()
    if isinstance(value, bool):
        others = (not value,)
    elif choices:
        others = tuple(choice for choice in choices if choice != value)[:1]
    elif isinstance(value, int | float):
        others = (value * 2, value // 2)  # one of them may be out of range
    for other in others:
        try:
            made = dataclasses.replace(plain, **{name: other})  # type: ignore[type-var]
        except StageboardError:
            continue
        try:
            made.check_objective(objective)
        except StageboardError:
            return True
        return False
    return bool(others)
