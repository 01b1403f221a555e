"""The kinds of graphs that can be made up."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Protocol

from planner.errors import ModelError
from planner.generate import regal_like
from planner.graph import Graph
from planner.search import Option


class Kind(Protocol):
    """What the module of a kind offers."""

    NAME: str
    OPTIONS: tuple[Option, ...]

    def generate(self, seed: int, settings: Mapping[str, Any] | None = None) -> Graph:
        """The graph of a seed under settings. Raises :class:`planner.errors.StageboardError` on bad settings."""


KINDS: dict[str, Kind] = {regal_like.NAME: regal_like}


def kind(name: str) -> Kind:
    """A kind by name. Raises :class:`ModelError`."""
    if name not in KINDS:
        near = difflib.get_close_matches(name, KINDS, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(KINDS)}"
        raise ModelError(f"there is no kind of graph '{name}'; {hint}")
    return KINDS[name]
