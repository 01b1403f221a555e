"""Checks of what a story is made of: each raises :class:`StoryError`, one sentence that says what is wrong."""

from __future__ import annotations

import math
from typing import Any

from planner.errors import StoryError


def check_text(value: Any, what: str, longest: int, *, empty: bool = False) -> None:
    """Refuse what is no text of at most ``longest`` characters; ``empty``: whether it may say nothing."""
    if not isinstance(value, str) or not (value.strip() or empty):
        raise StoryError(f"{what} must be text{'' if empty else ' that is not empty'}")
    if len(value) > longest:
        raise StoryError(f"{what} has {len(value):,} characters; shorten it to {longest:,}")


def check_whole(value: Any, what: str, low: int, high: int) -> None:
    """Refuse what is no whole number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise StoryError(f"{what} must be a whole number from {low} to {high}")


def check_real(value: Any, what: str, low: float, high: float) -> None:
    """Refuse what is no number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise StoryError(f"{what} must be a number from {low:g} to {high:g}")
    if not low <= value <= high:
        raise StoryError(f"{what} is {value:g}; it must be from {low:g} to {high:g}")


def check_choice(value: Any, what: str, known: tuple[str, ...]) -> None:
    """Refuse what is none of the ``known`` words."""
    if value not in known:
        words = ", ".join(word or "''" for word in known)
        raise StoryError(f"{what} is {str(value)[:40]!r}; choose from {words}")
