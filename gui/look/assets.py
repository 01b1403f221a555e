"""Where the pictures of the window are, and what is read in it."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "assets"
DOCS = FOLDER.parent / "docs"
"""The documentation."""


def asset(name: str) -> str:
    """The path of a file in ``assets``, with forward slashes (as style sheets want it)."""
    return (FOLDER / name).as_posix()
