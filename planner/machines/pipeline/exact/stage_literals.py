"""Where units are, as literals for CP-SAT: order variables, and what each stage pays for tensors at its border."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from planner.machines.pipeline.exact.model import StageModel
from planner.methods.mip import cp_sat
from planner.methods.mip.model import unchecked
from planner.model.graph import Ints

Literal = Any
"""A Boolean variable of CP-SAT, its negation, or the constant 0 or 1."""


class StageLiterals:
    """Literals of ``model`` in the CP-SAT model ``cp``, with the order rule on every edge of the units, and the path rule where there is one.

    ``upto[v][b]``: unit v is in stage b or before it; ``at[v][b]``: it is in stage b. Outside the windows ``earliest`` to
    ``latest`` (int32[m]) they are constants. ``check`` is called every few milliseconds and may raise to end it.
    """

    def __init__(
        self, cp: Any, model: StageModel, earliest: Ints, latest: Ints, check: Callable[[], None] = unchecked
    ) -> None:
        self.cp = cp
        self.model = model
        k = model.k
        self.upto: list[list[Literal]] = []
        self.at: list[list[Literal]] = []
        for v in range(model.count):
            check()
            row = [
                0 if b < earliest[v] else 1 if b >= latest[v] else cp.new_bool_var(f"y{v},{b}")
                for b in range(k)
            ]
            self.upto.append(row)
            for b in range(k - 1):
                self.implies(row[b], row[b + 1])
            self.at.append([self._difference(row[b], row[b - 1] if b else 0) for b in range(k)])
        for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True):
            check()
            for b in range(k - 1):
                self.implies(self.upto[v][b], self.upto[u][b])
        for u, v in zip(model.near_src.tolist(), model.near_dst.tolist(), strict=True):
            check()
            for b in range(k - 1):
                self.implies(self.upto[u][b], self.upto[v][b + 1])

    # ------------------------------------------------------------------ clauses
    def implies(self, p: Literal, q: Literal) -> None:
        """Add the clause: if p then q."""
        if never(p, q):
            return
        if isinstance(p, int):
            self.cp.add(q == 1)
        elif isinstance(q, int):
            self.cp.add(p == 0)
        else:
            self.cp.add_implication(p, q)

    def clause(self, literals: Iterable[Literal]) -> None:
        """At least one of ``literals`` is true."""
        chosen = list(literals)
        if not any(isinstance(p, int) and p == 1 for p in chosen):
            self.cp.add_bool_or([p for p in chosen if not isinstance(p, int)])

    def _difference(self, upper: Literal, lower: Literal) -> Literal:
        """A literal for upper - lower, where lower implies upper."""
        if isinstance(lower, int) and lower == 0:
            return upper
        if isinstance(upper, int):
            return 0 if isinstance(lower, int) or upper == 0 else lower.Not()
        literal = self.cp.new_bool_var("")
        self.cp.add(literal == upper - lower)
        return literal

    # ------------------------------------------------------------------ tensors
    def cuts(
        self, t: int, b: int, time: int, send_time: int, apart: bool = False
    ) -> list[tuple[Literal, int]]:
        """Literals with what stage ``b`` pays where they are true: some, not all, of the tensor's ops are in it.

        One where to receive takes as long as to send, else one for each; none where the stage never pays. With ``apart`` always two,
        what receiving costs first.
        """
        model = self.model
        home = self.at[int(model.producer[t])][b]
        ends = [self.at[v][b] for v in model.members(t).tolist()]
        constant = [e for e in (home, *ends) if isinstance(e, int)]
        if len(constant) == 1 + len(ends) and len(set(constant)) == 1:
            return [(0, 0), (0, 0)] if apart else []
        enters, leaves = [(end, home) for end in ends], [(home, end) for end in ends]
        if time == send_time and not apart:
            both = [pair for pairs in zip(enters, leaves, strict=True) for pair in pairs]
            return [(self.cut(f"c{t},{b}", both), time)]
        found = [
            (self.cut(f"{name}{t},{b}", pairs), price)
            if price and any(not never(*pair) for pair in pairs)
            else (0, 0)
            for name, pairs, price in (("r", enters, time), ("s", leaves, send_time))
        ]
        return found if apart else [(cut, price) for cut, price in found if price]

    def cut(self, name: str, pairs: Iterable[tuple[Literal, Literal]]) -> Literal:
        """A literal that is true where for one of the pairs the first is and the second is not."""
        cut = self.cp.new_bool_var(name)
        for p, q in pairs:
            if not never(p, q):
                self.cp.add_bool_or(
                    [cut] + ([] if isinstance(p, int) else [p.Not()]) + ([] if isinstance(q, int) else [q])
                )
        return cut

    # ------------------------------------------------------------------ plans
    def hint(self, stage_of: Ints, check: Callable[[], None] = unchecked) -> None:
        """Start from a stage for each unit (int32[m])."""
        for v, row in enumerate(self.upto):
            check()
            for b, y in enumerate(row):
                if not isinstance(y, int):
                    self.cp.add_hint(y, int(stage_of[v] <= b))

    def stage_of(self, value: cp_sat.Value) -> Ints:
        """The stage of each unit in a solution (int32[m])."""
        stage = np.zeros(self.model.count, np.int32)
        for v, row in enumerate(self.upto):
            stage[v] = sum(1 - (y if isinstance(y, int) else value(y)) for y in row[:-1])
        return stage


def negated(p: Literal) -> Literal:
    """The opposite of a literal."""
    return 1 - p if isinstance(p, int) else p.Not()


def never(p: Literal, q: Literal) -> bool:
    """Whether constants among the literals rule out that p is true and q is not."""
    return (isinstance(p, int) and p == 0) or (isinstance(q, int) and q == 1)
