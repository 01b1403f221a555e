"""Two to four plans of one graph: their devices matched, the ops that moved, and what that changes on each device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError, StageboardError
from planner.model.graph import Floats, Graph, Ints
from planner.plan_files import plan_json
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.reports.comparison.figures import (
    LETTERS,
    Figures,
    figures_of,
    told_apart,
    weighed,
    why_incomparable,
)
from planner.reports.comparison.matching import works
from planner.reports.comparison.moves import Move, moves
from planner.reports.comparison.rows import Rows, matched_rows
from planner.reports.comparison.rules import Differing, differing, differing_problems

LEAST, MOST = 2, len(LETTERS)
"""How many plans can be compared at once."""
PARTS = ("receive", "work", "streaming", "send", "cost")
"""What a device pays, as times."""


@dataclass(frozen=True)
class Row:
    """Devices that count as one: ``devices`` has the index of each plan's, -1 where it has none. Title and kind are those of
    the first plan that has one. ``number`` counts rows as they are met, the reference's devices first: a device of the
    reference keeps its own, wherever the row is listed."""

    title: str
    kind: str
    devices: tuple[int, ...]
    number: int


@dataclass(frozen=True, eq=False)
class Flows:
    """Where ops go from plan j to plan i: ``ops`` (int64[R, R]), ``work`` (float64[R, R], the time they take where j has them)
    and ``param_bytes`` (float64[R, R], as j's target deploys them), from the row of j (first index) to the row of i. What stays is on
    the diagonal."""

    ops: NDArray[np.int64]
    work: Floats
    param_bytes: Floats


@dataclass(frozen=True, eq=False)
class Differences:
    """Plan i minus plan j by row (float64[R] each); NaN where a side has no such device, or units cannot be subtracted.

    Times are in the graph's unit, memory in bytes.
    """

    ops: Floats
    receive: Floats
    work: Floats
    streaming: Floats
    send: Floats
    cost: Floats
    memory: Floats


@dataclass(frozen=True, eq=False)
class Comparison:
    """Plans of one graph beside each other; made by :func:`compare`. The first is the reference.

    ``rows`` are the reference's devices in its order; those that have no counterpart there come where they belong in the row of
    devices, or last where devices have no order. ``row_of[i]`` (int32[k_i]) is the
    row of each device of plan i, ``places[i]`` (int32[n]) the row of each op. ``notes`` are sentences on bounds that were dropped.
    """

    plans: tuple[Plan, ...]
    bounds: tuple[Bound, ...]
    rows: tuple[Row, ...]
    row_of: tuple[Ints, ...]
    places: tuple[Ints, ...]
    notes: tuple[str, ...]
    claims: tuple[tuple[Bound, ...], ...] = ()
    """What the file of each plan claims; counts nowhere."""
    letters: tuple[str, ...] = tuple(LETTERS)
    """What the plans are called for short, the reference first."""
    made_for: tuple[Problem, ...] = ()
    """What each plan was made for, where all are judged by a problem that came later; empty where each is of its own."""

    @property
    def graph(self) -> Graph:
        """The graph, with the op times of the reference."""
        return self.plans[0].problem.graph

    def letter(self, i: int) -> str:
        """What plan i is called for short: A, B, C or D, unless it has another letter where it comes from."""
        return self.letters[i]

    def device_title(self, row: int, i: int) -> str:
        """What plan i itself calls its device in a row; empty where it has none."""
        device = self.rows[row].devices[i]
        return "" if device < 0 else self.plans[i].problem.devices[device].title

    def device_name(self, row: int, i: int) -> str:
        """The name of plan i's device in a row, as files and the command line have it; empty where it has none."""
        device = self.rows[row].devices[i]
        return "" if device < 0 else self.plans[i].problem.devices[device].name

    def row_title(self, row: int, *, short: bool = False, every: bool = False) -> str:
        """What a row is called, everywhere in the comparison, so that no two rows have one name: ``Stage 1`` as the first plan calls it;
        ``Stage 1 in A and B, 2 in C`` by all its names where plans call it differently; ``Stage 1 (C)`` where the first plan has no such device,
        or one that has none calls another by that name. Of a pool, whose numbers mean nothing, only a legend says ``every`` name.
        ``short``: by names instead of titles, ``stage 1, B's acc 1`` where plans have other devices."""
        names: dict[str, list[int]] = {}
        for i, device in enumerate(self.rows[row].devices):
            if device >= 0:
                known = self.plans[i].problem.devices[device]
                names.setdefault(known.name if short else known.title, []).append(i)
        first, *others = names
        whose = self._letters(names[first])
        others = others if every or self.in_a_row else []
        if others and short and all(_after(first, name) == name for name in others):
            mine = first if 0 in names[first] else f"{whose}'s {first}"
            return ", ".join([mine, *(f"{self._letters(names[name])}'s {name}" for name in others)])
        if others:
            further = (f"{_after(first, name)} in {self._letters(names[name])}" for name in others)
            return ", ".join([f"{first} in {whose}", *further])
        own = 0 in names[first] and not self._called_otherwise(row, first, short)
        return first if own else f"{first} ({whose})"

    @cached_property
    def in_a_row(self) -> bool:
        """Whether devices of any plan stand in a row, where each plan counts its own; those of a pool are called as the first has them."""
        return any(plan.problem.target.in_a_row for plan in self.plans)

    def title_for(self, row: int, i: int) -> str:
        """What plan i's device in a row is called where plan i is spoken of: by its own number where devices stand in a row."""
        return self.device_title(row, i) if self.in_a_row else self.row_title(row)

    def side_titles(self, j: int, i: int, *, short: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the rows are called at the side of plan j and at that of plan i, where ops go from one to the other.

        Where devices stand in a row each side has its own names, empty for what it does not have; else both have those of :meth:`row_title`.
        """
        rows = range(len(self.rows))
        if not any(self.plans[plan].problem.target.in_a_row for plan in (j, i)):
            both = tuple(self.row_title(row, short=short) for row in rows)
            return both, both
        called = self.device_name if short else self.device_title
        return tuple(called(row, j) for row in rows), tuple(called(row, i) for row in rows)

    def move_titles(self, left: int, right: int, j: int, i: int, *, short: bool = False) -> tuple[str, str]:
        """What a move from row ``left`` of plan j to row ``right`` of plan i leads from and to: ``Stage 2`` and ``Stage 3``, and ``A's
        Stage 2`` and ``B's Stage 3`` where both sides have names of their own."""
        first, second = self.side_titles(j, i, short=short)
        if all(a == b for a, b in zip(first, second, strict=True)):
            return first[left], second[right]
        return f"{self.letter(j)}'s {first[left]}", f"{self.letter(i)}'s {second[right]}"

    def _called_otherwise(self, row: int, name: str, short: bool) -> bool:
        """Whether a plan without a device in a row calls another one by that name."""
        return any(
            any((known.name if short else known.title) == name for known in self.plans[i].problem.devices)
            for i, device in enumerate(self.rows[row].devices)
            if device < 0
        )

    def _letters(self, plans: Iterable[int]) -> str:
        """``B``, or ``B and C``."""
        return " and ".join(self.letter(i) for i in plans)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The number of every row."""
        return tuple(row.number for row in self.rows)

    def numbered(self, own: Sequence[Sequence[int]], leading: int = 0) -> Comparison:
        """The same with rows numbered as the devices of each plan are elsewhere (``own``; empty: 0, 1, 2 and so on): as those of the
        ``leading`` plan, rows without one as those of others, and where two rows would have one number the next that is free."""
        known = [numbers or range(len(self.row_of[i])) for i, numbers in enumerate(own)]
        order = [leading, *(i for i in range(len(self.plans)) if i != leading)]
        found: dict[int, int] = {}
        for i in order:
            for row, number in zip(self.row_of[i].tolist(), known[i], strict=True):
                if row not in found and number not in found.values():
                    found[row] = number
        free = (number for number in count() if number not in found.values())
        for row in range(len(self.rows)):
            if row not in found:
                found[row] = next(free)
        return replace(self, rows=tuple(replace(row, number=found[at]) for at, row in enumerate(self.rows)))

    # ------------------------------------------------------------------ what differs
    def moved(self, i: int, j: int = 0) -> Ints:
        """The ops (int32[moved]) that plan i has on another device than plan j."""
        return np.flatnonzero(self.places[i] != self.places[j]).astype(np.int32)

    def moves(self, i: int, j: int = 0) -> tuple[Move, ...]:
        """What :meth:`moved` lists in groups of ops that hang together, each from one row to one row, in the order of the graph."""
        if (i, j) not in self._moves:
            self._moves[i, j] = moves(self.graph, self.places[j], self.places[i])
        return self._moves[i, j]

    @cached_property
    def _moves(self) -> dict[tuple[int, int], tuple[Move, ...]]:
        return {}

    def move_words(self, move: Move, *, short: bool = False) -> str:
        """``12 ops, Stage 1 → Stage 2``."""
        count = len(move.ops)
        source, target = (self.row_title(row, short=short) for row in (move.source, move.target))
        return f"{count:,} op{'' if count == 1 else 's'}, {source} \N{RIGHTWARDS ARROW} {target}"

    def flows(self, i: int, j: int = 0) -> Flows:
        """What goes from which device of plan j to which of plan i."""
        size = len(self.rows)
        pairs = self.places[j].astype(np.int64) * size + self.places[i]

        def summed(amounts: Floats) -> Floats:
            found: Floats = np.asarray(np.bincount(pairs, amounts, size * size), np.float64)
            return found.reshape(size, size)

        return Flows(
            np.bincount(pairs, minlength=size * size).reshape(size, size).astype(np.int64),
            summed(works(self.plans[j])),
            summed(self.plans[j].problem.evaluator.params),
        )

    def differences(self, i: int, j: int = 0) -> Differences:
        """What each device of plan i has and pays more (+) or less (-) than its counterpart of plan j."""
        same_unit = self.plans[i].problem.graph.time_unit == self.plans[j].problem.graph.time_unit

        def minus(part: str) -> Floats:
            if part in PARTS and not same_unit:
                return np.full(len(self.rows), np.nan)
            with np.errstate(invalid="ignore"):
                found: Floats = self.by_row(i, part) - self.by_row(j, part)
            return found

        return Differences(**{part: minus(part) for part in ("ops", *PARTS, "memory")})

    def by_row(self, i: int, part: str) -> Floats:
        """One part of plan i's evaluation (``ops``, ``receive``, ``work``, ``streaming``, ``send``, ``cost``, ``memory``, ``pace``) by row
        (float64[R]); NaN where it has no such device."""
        values = np.full(len(self.rows), np.nan)
        values[self.row_of[i]] = getattr(self.plans[i].evaluation, part)
        return values

    # ------------------------------------------------------------------ how good each is
    @cached_property
    def _figures(self) -> tuple[Figures, ...]:
        names = told_apart(self.plans)
        return tuple(
            figures_of(plan, self.bounds, self.letter(i), self.claims[i], names[i])
            for i, plan in enumerate(self.plans)
        )

    def figures(self, i: int) -> Figures:
        """Plan i in figures: objective, what is proven, and what is broken."""
        return self._figures[i]

    def objective_difference(self, i: int, j: int = 0) -> float:
        """The objective's first component of plan i minus that of plan j; NaN where they cannot be compared."""
        if self.incomparable(i, j):
            return float("nan")
        return self.plans[i].objective - self.plans[j].objective

    def by_objective_of(self, i: int, j: int = 0) -> float:
        """The first component of plan j's objective for plan i, where both are of one machine and have objectives of their own; else NaN."""
        judge, other = self.plans[j].problem, self.plans[i].problem
        if judge.objective == other.objective or not judge.same_machine(other):
            return float("nan")
        return judge.evaluate(self.plans[i].decision.device_of).objective

    def incomparable(self, i: int, j: int = 0) -> str:
        """Why the objectives of two of the plans cannot be compared; empty where they can."""
        return why_incomparable(self.plans[j], self.plans[i], self.letter(j), self.letter(i))

    @cached_property
    def why_incomparable(self) -> str:
        """Why not all objectives can be compared; empty where they can."""
        return next((why for i in range(1, len(self.plans)) if (why := self.incomparable(i))), "")

    @cached_property
    def differing(self) -> Differing:
        """In what the rules or machines differ for which the plans were made, where they can be compared."""
        return differing(self.plans, self.letters[: len(self.plans)])

    @cached_property
    def differing_words(self) -> str:
        """The same in a sentence: of the problems that plans are judged by, else of those that they were made for."""
        if self.differing.sentence or not self.made_for:
            return self.differing.sentence
        what, sentence = differing_problems(
            [problem.with_constraints(()) for problem in self.made_for], self.letters[: len(self.plans)]
        )
        _, _, listed = sentence.partition(": ")
        return (
            f"the {'rules' if what == 'rules' else 'machines'} differ for which the plans were made: {listed}"
            if listed
            else ""
        )

    # ------------------------------------------------------------------ picking
    def picked(self, ops: Iterable[int] | Ints, source: int, into: int = 0) -> Ints:
        """The devices of plan ``into`` (int32[n]) with ``ops`` where plan ``source`` has them.

        Raises :class:`StageboardError` where the device that ``source`` has them on has no counterpart in ``into``.
        """
        chosen = np.fromiter(ops, np.int64) if not isinstance(ops, np.ndarray) else ops.astype(np.int64)
        device_in = np.array([row.devices[into] for row in self.rows], np.int32)
        taken = device_in[self.places[source][chosen]]
        if (taken < 0).any():
            strangers = sorted(set(self.places[source][chosen[taken < 0]].tolist()))
            titles = ", ".join(self.row_title(row) for row in strangers[:3])
            raise StageboardError(
                f"{titles}{', ...' if len(strangers) > 3 else ''} has no counterpart in plan {self.letter(into)}; choose ops of a device that both plans have, or give plan {self.letter(into)} more devices"
            )
        device_of = np.array(self.plans[into].decision.device_of, np.int32)
        device_of[chosen] = taken
        return device_of


def compare(
    plans: Sequence[Plan],
    bounds: Iterable[Bound] = (),
    claims: Sequence[Sequence[Bound]] = (),
    letters: Sequence[str] = LETTERS,
    rows: Rows | None = None,
    made_for: Sequence[Problem] = (),
) -> Comparison:
    """Compare two to four plans of one graph, the first being the reference.

    Problems may differ in target, objective and constraints. ``bounds`` are whatever is proven, of any of these problems: each
    plan stands against those that apply to it. ``claims`` are what the file of each plan claims (none, or an entry for each plan): shown
    beside that plan alone. ``letters`` are what the plans are called for short. ``rows`` are those of
    :func:`planner.reports.comparison.rows.rows_among` where the plans are matched among others. ``made_for`` as in :class:`Comparison`. Raises :class:`PlanError` on another number of plans and
    on plans of different graphs.
    """
    check_count(len(plans))
    first = plans[0]
    for i, plan in enumerate(plans[1:], 1):
        if plan.problem.graph.fingerprint != first.problem.graph.fingerprint:
            raise PlanError(
                f"plans {letters[0]} and {letters[i]} are of different graphs: {_graphs(first, plan)}"
            )
    devices = matched_rows(plans) if rows is None else rows
    row_of = []
    for i, plan in enumerate(plans):
        of = np.full(len(plan.problem.devices), -1, np.int32)
        for row, (_, entry) in enumerate(devices):
            if entry[i] >= 0:
                of[entry[i]] = row
        row_of.append(_frozen(of))
    listed = []
    for number, entry in devices:
        i = next(i for i, device in enumerate(entry) if device >= 0)
        device = plans[i].problem.devices[entry[i]]
        listed.append(
            Row(device.title if i == 0 else f"{device.title} ({letters[i]})", device.kind, entry, number)
        )
    places = tuple(_frozen(row_of[i][plan.decision.device_of]) for i, plan in enumerate(plans))
    kept, own, notes = weighed(plans, bounds, claims)
    return Comparison(
        tuple(plans), kept, tuple(listed), tuple(row_of), places, notes, own, tuple(letters), tuple(made_for)
    )


def _after(first: str, name: str) -> str:
    """A further name of a row beside its first: without the word that both begin with."""
    word = first.partition(" ")[0]
    return name.removeprefix(f"{word} ")


def check_count(count: int) -> None:
    """Raise :class:`PlanError` unless this many plans can be compared."""
    if not LEAST <= count <= MOST:
        raise PlanError(
            f"{count} plan{'' if count == 1 else 's'} cannot be compared; choose {LEAST} to {MOST}"
        )


def _graphs(first: Plan, second: Plan) -> str:
    """How the graph of one plan differs from that of another, as the end of a sentence."""
    stored = plan_json.to_dict(second)
    return plan_json.difference(stored["graph"], stored["decision"], first.problem.graph)


def _frozen(values: Ints) -> Ints:
    values = np.ascontiguousarray(values, np.int32)
    values.setflags(write=False)
    return values
