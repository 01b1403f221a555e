"""Lower bounds: proven for a problem, valid for every problem that assumes at least as much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on one objective component over all valid plans.

    ``relaxation`` is the fingerprint of the graph, the machine and the objective; ``assumes`` holds the tokens of the rules
    and constraints the proof used (see :meth:`planner.problem.problem.Problem.assumptions`). The bound holds for every
    problem with the same relaxation whose tokens include ``assumes``.

    ``given`` restricts it to the plans whose named components are at most these values: a component of an objective that
    is compared in order can only be bounded among the plans that do well on those before it.

    ``claimed_by`` names the file that says the bound was proven; it is empty where Stageboard proved it itself. A claim is shown as
    a claim and counts nowhere: neither :func:`strongest` nor :func:`standing` looks at it.

    ``proven_for`` says for which other limits or objective it was proven (:mod:`planner.problem.carrying`): ``memory 32.00 MiB``.
    """

    component: str
    value: float
    method: str
    relaxation: str
    assumes: frozenset[str] = frozenset()
    seconds: float = 0.0
    given: tuple[tuple[str, float], ...] = ()
    claimed_by: str = ""
    proven_for: str = ""

    def applies_to(self, relaxation: str, tokens: frozenset[str]) -> bool:
        """Whether the bound holds for a problem with this relaxation and these assumption tokens, or tighter limits than it assumes."""
        if self.relaxation != relaxation:
            return False
        return self.assumes <= tokens or all(
            any(_at_least_as_tight(token, assumed) for token in tokens) for assumed in self.assumes - tokens
        )

    def covers(self, reached: Mapping[str, float]) -> bool:
        """Whether a plan with these components is one that the bound speaks of.

        Less tolerant than a gap: a plan that is a few bytes worse may be much better in what comes next.
        """
        return all(name in reached and within(reached[name], most, TIE) for name, most in self.given)


LIMIT = "<="
"""Stands in a token between the name of a limit and its values, one for all that it limits, or one for each: ``rule:memory<=8/16``."""


def _at_least_as_tight(token: str, assumed: str) -> bool:
    """Whether a token is of the same limit as ``assumed``, with nowhere a larger value."""
    (name, _, here), (limit, is_limit, there) = token.partition(LIMIT), assumed.partition(LIMIT)
    if not is_limit or name != limit or not here or not name.startswith("rule:"):
        return False
    # One value limits accelerators alone: a list that limits CPUs, too, is tighter where nothing in it is more.
    values, most = ([float(value) for value in text.split("/")] for text in (here, there))
    if len(most) > 1 and len(values) != len(most):
        return False
    return all(value <= limit for value, limit in zip(values, most * (len(values) // len(most)), strict=True))


TIE = 1e-12
"""Values of one component that differ by less (relative) are equal where the next component decides."""


def within(value: float, most: float, tolerance: float = 1e-9) -> bool:
    """Whether ``value`` is at most ``most`` up to rounding (relative)."""
    return value - most <= tolerance * abs(value)


def strongest(
    bounds: Iterable[Bound], component: str, relaxation: str, tokens: frozenset[str]
) -> Bound | None:
    """The largest proven bound on ``component`` that applies to all plans, or None."""
    usable = [
        b
        for b in bounds
        if b.component == component and not b.given and not b.claimed_by and b.applies_to(relaxation, tokens)
    ]
    return max(usable, key=lambda b: b.value, default=None)


def proven(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """The bounds that were proven here, without what files claim."""
    return tuple(bound for bound in bounds if not bound.claimed_by)


def gap(objective: float, bound: float | None) -> float | None:
    """``(objective - bound) / objective``: 0 when they are equal, None without a bound.

    Values that differ by rounding only (1e-9 relative) count as equal.
    """
    if bound is None:
        return None
    if within(objective, bound):
        return 0.0
    return (objective - bound) / objective


@dataclass(frozen=True)
class ComponentStanding:
    """One component of a plan's objective, the strongest bound that speaks of it, and whether the two meet.

    ``proven`` means that no plan which is equal on the components before it, all proven, is better here.
    """

    name: str
    value: float
    bound: Bound | None
    proven: bool

    @property
    def gap(self) -> float | None:
        """``(value - bound) / value``; None without a bound."""
        return gap(self.value, None if self.bound is None else self.bound.value)


@dataclass(frozen=True)
class Standing:
    """How good a plan provably is: its components in order."""

    components: tuple[ComponentStanding, ...]

    @property
    def first_open(self) -> ComponentStanding | None:
        """The first component that is not proven, or None."""
        return next((c for c in self.components if not c.proven), None)

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven: 0 when all are, None where it has no bound."""
        first = self.first_open
        return 0.0 if first is None else first.gap

    @property
    def status(self) -> str:
        """``optimal`` where every component is proven, else ``feasible``."""
        return "optimal" if self.first_open is None else "feasible"


def standing(
    names: Sequence[str],
    values: Sequence[float],
    bounds: Iterable[Bound],
    relaxation: str,
    tokens: frozenset[str],
) -> Standing:
    """How a plan with these components stands against the proven bounds that apply to its problem and to itself."""
    applying = [b for b in bounds if not b.claimed_by and b.applies_to(relaxation, tokens)]
    reached = dict(zip(names, values, strict=True))
    found: list[ComponentStanding] = []
    proven = True
    for name, value in reached.items():
        usable = [b for b in applying if b.component == name and b.covers(reached)]
        best = max(usable, key=lambda b: b.value, default=None)
        proven = proven and best is not None and gap(value, best.value) == 0.0
        found.append(ComponentStanding(name, value, best, proven))
    return Standing(tuple(found))


def better(values: Sequence[float], than: Sequence[float] | None, tolerance: float = TIE) -> bool:
    """Whether ``values`` come before ``than``, compared in order; what differs by less (relative) counts as equal."""
    if than is None:
        return True
    for value, other in zip(values, than, strict=True):
        if value < other - tolerance * abs(other):
            return True
        if value > other + tolerance * abs(other):
            return False
    return False
