"""Where the pictures of the window are."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "assets"


def asset(name: str) -> str:
    """The path of a file in ``assets``, with forward slashes (as style sheets want it)."""
    return (FOLDER / name).as_posix()
