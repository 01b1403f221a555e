"""What a method for all machines says that it serves: read from the catalogue when asked."""

from __future__ import annotations

from collections.abc import Callable

from planner.machines.catalogue import machines
from planner.machines.machine import Machine


class OfMachines:
    """A class variable with what all machines have of something, those included that are registered later."""

    def __init__(self, part: Callable[[Machine], frozenset[str]]) -> None:
        self._part = part

    def __get__(self, method: object, owner: object) -> frozenset[str]:
        return frozenset().union(*map(self._part, machines().values()))
