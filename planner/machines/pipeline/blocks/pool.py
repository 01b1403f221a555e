"""The linear program over blocks: the fewest blocks, in fractions, that hold each unit once; its prices bound every plan."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

import numpy as np

from planner.methods.mip.growing_lp import GrowingLp
from planner.model.graph import Bools, Floats, Ints


class Pool:
    """Blocks that have been found and what they cost in whole numbers, as columns of a linear program.

    To be used in a ``with`` block. ``check`` is called while the program is solved and may raise.
    """

    def __init__(self, units: int, check: Callable[[], None]) -> None:
        self._lp = GrowingLp(units, check)
        for v in range(units):
            row = np.array([v], np.int32)
            self._lp.column(row, 1.0, 0.0)
            self._lp.column(row, -1.0, 0.0)
        self._always = 2 * units
        self._known: set[bytes] = set()
        self._blocks: list[Bools] = []
        self._costs: list[int] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lp.__exit__(kind, error, trace)

    def __len__(self) -> int:
        return len(self._blocks)

    def add(self, block: Bools, cost: int) -> bool:
        """Take in a block (bool[m]) unless it is known; returns whether it is new."""
        key = np.packbits(block).tobytes()
        if key in self._known or not block.any():
            return False
        self._known.add(key)
        self._lp.column(np.flatnonzero(block).astype(np.int32))
        self._blocks.append(block.copy())
        self._costs.append(cost)
        return True

    def solve(self, limit: int, lowest: Floats, highest: Floats) -> tuple[float, Floats, bool]:
        """The prices of the units (float64[m]) that are most together, between ``lowest`` and ``highest`` (float64[m] each).

        No block of cost at most ``limit`` has a price above 1. Returns (their sum, they, whether the limits did not matter: then so many blocks
        hold all units, in fractions).
        """
        opened = np.ones(self._always + len(self._costs), bool)
        opened[self._always :] = np.array(self._costs, np.int64) <= limit
        recost = np.empty(self._always)
        recost[0::2], recost[1::2] = highest, -lowest
        solution = self._lp.solve(opened, recost)
        free = bool(solution.values[: self._always].max(initial=0.0) <= 1e-7)
        return solution.objective, solution.duals, free

    def blocks(self, limit: int) -> Bools:
        """The blocks of cost at most ``limit`` (bool[b, m])."""
        chosen = [block for block, cost in zip(self._blocks, self._costs, strict=True) if cost <= limit]
        units = self._always // 2
        return np.array(chosen, bool).reshape(len(chosen), units)


def blocks_of(place: Ints, k: int) -> Bools:
    """The blocks of a plan that are not empty (bool[b, m]) from the stage of each unit (int32[m])."""
    return np.array([place == j for j in range(k) if (place == j).any()], bool).reshape(-1, len(place))
