"""What a machine says of a plan whose execution it simulates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SimulationReport:
    """``rows``: lines of a label and a value for a person, the first on the pace; ``fields``: the same for JSON.

    ``runs``: whether the plan executes at all. ``advice``: why a valid plan does not, and what to do, in sentences; else empty.
    """

    rows: list[tuple[str, str]]
    fields: dict[str, Any]
    runs: bool = True
    advice: str = ""
