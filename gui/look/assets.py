"""Where the pictures of the window are."""

from __future__ import annotations

from planner.model.samples import ASSETS


def asset(name: str) -> str:
    """The path of a file in ``assets``, with forward slashes (as style sheets want it)."""
    return (ASSETS / name).as_posix()
