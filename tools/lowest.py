#!/usr/bin/env python3
"""Print every dependency of the product at the lowest version that `pyproject.toml` allows, for pip: ``pip install $(python3 tools/lowest.py)``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def lowest(project: Path = PROJECT) -> list[str]:
    """``name==version`` of each. Raises ValueError for one without a minimum."""
    found = []
    for text in tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]:
        parts = re.fullmatch(r"([\w.-]+)>=([\w.]+)(?:,.*)?", text)
        if parts is None:
            raise ValueError(f"'{text}' has no minimum; write NAME>=VERSION")
        found.append(f"{parts[1]}=={parts[2]}")
    return found


if __name__ == "__main__":
    print(" ".join(lowest()))
