"""Planners and bound methods: what each says of itself, and what it is asked to do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from planner.options import Option
from planner.problem.problem import Pin
from planner.search.search import Search

# ---------------------------------------------------------------------- options


@dataclass(frozen=True)
class Source:
    """Where a method is described."""

    paper: str
    section: str = ""

    def __str__(self) -> str:
        return f"{self.paper}, {self.section}" if self.section else self.paper


class Method(ABC):
    """What planners and bound methods share. Subclasses are stateless; all state lives in :class:`Search`."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[Source]
    targets: ClassVar[frozenset[str]]
    objectives: ClassVar[frozenset[str]]
    options: ClassVar[tuple[Option, ...]] = ()
    plans_networks: ClassVar[bool] = False
    """Whether it is for sparse networks instead of graphs."""
    copes: ClassVar[frozenset[str]] = frozenset()
    """Parameters of :attr:`planner.problem.target.Target.beyond` that the method takes into account."""

    def refusal(self, problem: Any) -> str | None:
        """Why this method cannot serve the problem, as a sentence, or None."""
        if problem.target.kind not in self.targets:
            return f"'{self.name}' does not plan for {problem.target.in_words}"
        if problem.objective not in self.objectives:
            return f"'{self.name}' does not minimise {problem.objective}"
        unknown = [
            f"{name}={value}"
            for name, value in self._asked(problem).target.beyond.items()
            if name not in self.copes
        ]
        if unknown:
            return (
                f"'{self.name}' does not know {' and '.join(unknown)}; choose another method or leave it out"
            )
        return None

    def _asked(self, problem: Any) -> Any:
        """The problem that the method works on."""
        return problem


class Planner(Method):
    """An algorithm: problem in, plans (and perhaps bounds) out."""

    exact: ClassVar[bool] = False
    exact_if: ClassVar[str] = ""
    """Of which problems an exact planner proves its last plan optimal, where not of all that it serves: ``few ideals``."""
    gives_bounds: ClassVar[bool] = False
    proves_as: ClassVar[str] = ""
    """The bound method that proves the same in the same way alone; empty where there is none, or one of the planner's own name."""
    most_unasked: ClassVar[float] = math.inf
    """Ops of the largest problem on which it is tried unasked: beyond, its program is not worth building."""
    honours: ClassVar[frozenset[str]] = frozenset({"pin", "together"})

    def refusal(self, problem: Any) -> str | None:
        """Also refuses constraints it does not honour."""
        reason = super().refusal(problem)
        if reason is not None:
            return reason
        kinds = {"pin" if isinstance(c, Pin) else "together" for c in problem.constraints}
        missing = kinds - self.honours
        if missing:
            return f"'{self.name}' does not honour {' or '.join(sorted(missing))} constraints; remove them or choose another"
        return None

    @property
    def kind(self) -> str:
        """``exact``, ``exact if few ideals`` or ``heuristic``: whether its last plan is proven optimal once it ends."""
        if not self.exact:
            return "heuristic"
        return f"exact if {self.exact_if}" if self.exact_if else "exact"

    @property
    def proof_name(self) -> str:
        """Whom the bounds of a search are said to be from: one name for one method, whether it looks for plans or not."""
        return self.proves_as or self.name

    @abstractmethod
    def search(self, problem: Any, search: Search) -> None:
        """Search (a planner says which kind of problem it takes), reporting through ``search``; return when done or when ``search.stopped()``."""


class BoundMethod(Method):
    """A method that proves lower bounds: of the problem's easier one, where it has one."""

    def _asked(self, problem: Any) -> Any:
        return problem.easier

    @abstractmethod
    def prove(self, problem: Any, search: Search) -> None:
        """Prove bounds, reporting each through ``search.prove``."""
