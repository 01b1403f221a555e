"""Numbers are written one way everywhere."""

from __future__ import annotations

import re
from pathlib import Path

from gui.look.numbers import percent

ROOT = Path(__file__).parents[3]


def test_a_share_is_written_with_a_space_everywhere() -> None:
    assert percent(0.502) == "50.2 %" and percent(0.5, 0) == "50 %"
    format_of_python = re.compile(r"\{[^{}]+:[^{}]*%\}")
    for folder in ("gui", "planner"):
        for path in (ROOT / folder).rglob("*.py"):
            found = format_of_python.findall(path.read_text("utf-8"))
            assert not found, (path, found)
