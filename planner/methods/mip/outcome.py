"""How a solver ended."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Status = Literal["optimal", "feasible", "infeasible", "unknown"]

GRACE_SECONDS = 0.05
"""How long a solver that was told to stop may take to hand over what it has; every planner ends 0.2 s after a cancel."""
WATCH_SECONDS = 0.02
"""How often the stop criteria are looked at while a solver runs."""


@dataclass(frozen=True)
class Outcome:
    """``optimal`` and ``infeasible`` are proven (within the gap asked for, and the solver's tolerances).

    ``objective`` is that of the best solution found, ``bound`` the best dual bound; both in the model's own units and
    sense (minimisation), plus and minus infinity where there is none.
    """

    status: Status
    objective: float = math.inf
    bound: float = -math.inf
    seconds: float = 0.0
