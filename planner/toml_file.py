"""TOML files: targets, cost models and sweeps are written in them."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from planner.errors import StageboardError
from planner.files import MEBIBYTE, read_text

LIMIT = MEBIBYTE
"""TOML files above this size (bytes) are refused before they are read."""


def read_toml(path: str | os.PathLike[str], error: type[StageboardError] = StageboardError) -> dict[str, Any]:
    """What a TOML file says. Raises ``error`` with one sentence."""
    text = read_text(path, LIMIT, error=error, remedy="such a file needs only a few lines")
    try:
        return tomllib.loads(text)
    except RecursionError as problem:
        raise error(f"{Path(path).name} nests its TOML too deeply; a few levels will do") from problem
    except ValueError as problem:  # not TOML, or an integer of more digits than Python converts
        raise error(f"{Path(path).name} is not a valid TOML file ({problem}); correct it") from problem
