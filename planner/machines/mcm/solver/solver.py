"""The constraint solver of a multi-chip package: legal chips of each op, and plans that keep every static rule.

"A transferable approach for partitioning machine learning models on multi-chip-modules", section 4.2: a policy proposes, the
solver corrects. Rules are those of the problem among order, no_skip, triangle and every_chip, with its pins and groups; memory is
not looked at. What propagates is told in :mod:`planner.machines.mcm.solver.order`, and in `filling` and
`triangle` beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.errors import StageboardError
from planner.machines.mcm.solver.propagation import propagate
from planner.machines.mcm.solver.search import (
    FIX,
    FOUND,
    IMPOSSIBLE,
    MET,
    NEAREST,
    PAUSED,
    POSITION,
    SAMPLE,
    run,
)
from planner.machines.mcm.solver.spans import MOST_INNER, MOST_UNITS, inner_units, reachability, spans
from planner.machines.mcm.solver.state import (
    ANY,
    CHIP_FOR,
    COUNTS,
    DONE,
    EVERY,
    EXTRA,
    HIGH,
    LAST,
    MOST_CHIPS,
    NO_SKIP,
    TRAIL,
    UNIT_AT,
    McmRules,
    McmState,
    Words,
    between,
    cut,
    undo,
)
from planner.methods.orders import kahn_order
from planner.methods.units import merge_cycles, renumbered, unit_edges
from planner.model.graph import Bools, Floats, Ints, csr
from planner.problem.problem import Problem

ATTEMPTS = 40
"""Fresh starts before a sample is given up."""
LIMIT, MORE = 60, 20
"""Contradictions that end the first attempt, and how many more each later one may meet."""
KEPT = 5
"""Attempts in the order that was asked for; later ones take random orders."""
FORWARD = 12
"""Attempts in random orders; of later ones every second decides all ops from the inputs on, once and for all: far apart decisions,
which may leave too few ops for the chips between them, are not made. Last, for such plans soon reach the highest chip and stay there."""
FAITHFUL = 10
"""Attempts of FIX that follow the candidate wherever they can; later ones follow ever smaller random parts of it."""
WORK_PER_SLICE = 2_000_000
"""Units looked at between two looks at whether to stop: some ten milliseconds."""

NO_WEIGHTS, NO_OPS = np.empty((0, 0)), np.empty(0, np.int32)
NOTHING = (
    "no plan keeps all rules of the package and all constraints: relax a rule, or take a constraint away"
)


class Infeasible(StageboardError):
    """No valid plan under the static rules, whatever is decided."""


class McmSolver:
    """Domains of all ops of a package problem, decisions on them, and whole plans by SAMPLE and FIX.

    Domains are sound: no chip is missing on which a valid plan (under the static rules) that agrees with the decisions has
    the op. They are not complete. ``unit_of`` int32[n]: ops of one unit share a chip in every valid plan. ``stopped`` is asked
    every few milliseconds while a whole plan is looked for, which ends without one when it says so.
    """

    def __init__(self, problem: Problem, stopped: Callable[[], bool] | None = None) -> None:
        e = problem.evaluator
        rules = problem.assumptions
        self.n, self.k = e.n, e.k
        self._stopped = stopped
        self.unit_of: Ints = merge_cycles(renumbered(problem.groups.group_of), e.edge_src, e.edge_dst)
        m = int(self.unit_of.max()) + 1 if self.n else 0
        src, dst = unit_edges(self.unit_of, e.edge_src, e.edge_dst)
        filled = EVERY if "rule:every_chip" in rules else NO_SKIP if "rule:no_skip" in rules else ANY
        self._rules = build_rules(m, src, dst, self.k, "rule:triangle" in rules, filled)
        self._root, self._state, self._scratch = (new_state(self._rules) for _ in range(3))
        self._forward: Ints = kahn_order(e.succ_ptr, e.succ_idx, np.zeros(e.n))
        self._first_op = np.unique(self.unit_of, return_index=True)[1].astype(np.int32)
        self.attempts = self.contradictions = 0
        """Attempts begun and contradictions met by all samples so far."""
        self._decisions: list[tuple[int, np.uint64, int, int]] = []
        self.feasible = self._propagate_root(e.allowed)
        """False: there is no valid plan under the static rules, pins and groups. True: it may be that there is one."""
        self.reset()

    def _propagate_root(self, allowed: Bools) -> bool:
        bits = np.uint64(1) << np.arange(self.k, dtype=np.uint64)
        masks = np.full(len(self._first_op), between(0, 63))
        np.bitwise_and.at(masks, self.unit_of, (allowed * bits).sum(axis=1, dtype=np.uint64))
        return all(self._take(self._root, unit, mask) for unit, mask in enumerate(masks)) and self._follow(
            self._root
        )

    def _take(self, state: McmState, unit: int, mask: np.uint64) -> bool:
        return bool(cut(self._rules.facts, state.words, state.units, state.trail, state.counts, unit, mask))

    def _follow(self, state: McmState) -> bool:
        return bool(propagate(*self._rules, *state, True))

    # ------------------------------------------------------------------ domains
    def domains(self) -> Words:
        """The chips of each op under the decisions so far (uint64[n], bit c = chip c). None at all where it is infeasible."""
        if not self.feasible:
            return np.zeros(self.n, np.uint64)
        return self._state.words[self.unit_of]

    def get_domain(self, op: int) -> Ints:
        """The chips that the decisions so far leave one op (int32[c], increasing)."""
        if not self.feasible:
            return np.empty(0, np.int32)
        word = int(self._state.words[self.unit_of[op]])
        return np.array([c for c in range(self.k) if word >> c & 1], np.int32)

    def set_domain(self, op: int, chips: Sequence[int] | Ints) -> int:
        """Decide that ``op`` goes to one of ``chips`` (int32[c]); returns the number of decisions in force.

        Where propagation shows that no valid plan is left, the decision is undone and its chips are taken from the op; where
        that leaves no valid plan either, the same happens to the decision before it, and so on: the number returned is then
        no larger than before. Raises :class:`Infeasible` when no decision is left to undo.
        """
        if not self.feasible:
            raise Infeasible(NOTHING)
        unit = int(self.unit_of[op])
        state = self._state
        mask = np.uint64(sum(1 << c for c in {int(c) for c in chips} if 0 <= c < self.k))
        self._decisions.append((unit, mask, int(state.counts[TRAIL]), int(state.counts[DONE])))
        fine = self._restrict(unit, mask)
        while not fine:
            if not self._decisions:
                self.feasible = False
                raise Infeasible(NOTHING)
            unit, mask, trail, done = self._decisions.pop()
            undo(state.words, state.units, state.trail, state.counts, trail, done)
            fine = self._restrict(unit, ~mask)
        return len(self._decisions)

    def _restrict(self, unit: int, mask: np.uint64) -> bool:
        return self._take(self._state, unit, mask) and self._follow(self._state)

    def reset(self) -> None:
        """Forget all decisions."""
        copy_state(self._state, self._root)
        self._decisions.clear()

    # ------------------------------------------------------------------ whole plans
    def sample(self, probabilities: Floats | None, seed: int, order: Ints | None = None) -> Ints | None:
        """A valid plan by SAMPLE (Algorithm 1): int32[n], or None where none was found.

        Ops in ``order`` (int32[n], a permutation; None: a random one) each draw a chip of their domain with their
        ``probabilities`` float64[n, k] (need not add up to 1; None, or 0 for the whole domain: all alike). Decisions made
        by :meth:`set_domain` play no part and are kept.
        """
        weights = NO_WEIGHTS if probabilities is None else np.ascontiguousarray(probabilities, np.float64)
        return self._whole(SAMPLE, weights, NO_OPS, seed, order, ATTEMPTS)

    def fix(
        self,
        candidate: Ints,
        seed: int,
        order: Ints | None = None,
        nearest: bool = False,
        attempts: int = ATTEMPTS,
    ) -> Ints | None:
        """A valid plan by FIX (Algorithm 2): int32[n], or None where none was found.

        Ops in ``order`` (as for :meth:`sample`) take the chip that ``candidate`` int32[n] gives them if it is in their domain;
        then those that could not draw from theirs, or take the ``nearest`` chip to the candidate's. ``attempts``: fresh
        starts before it is given up.
        """
        wanted = np.ascontiguousarray(candidate, np.int32)
        return self._whole(NEAREST if nearest else FIX, NO_WEIGHTS, wanted, seed, order, attempts)

    def _whole(
        self, mode: int, weights: Floats, wanted: Ints, seed: int, order: Ints | None, attempts: int
    ) -> Ints | None:
        if not self.feasible:
            return None
        random = np.array([seed % 2**64], np.uint64)
        places = np.zeros(self.n, np.int32) if order is None else np.array(order, np.int32)
        frames = np.empty((5, len(self._first_op)), np.int64)
        result = np.empty(self.n, np.int32)
        scratch = self._scratch
        for attempt in range(attempts):
            forward = attempt >= FORWARD and attempt % 2 == 0
            shuffled = not forward and (order is None or attempt >= KEPT)
            if forward:
                places[:] = self._forward
            follow = min(1.0, (ATTEMPTS - attempt) / (ATTEMPTS - FAITHFUL))
            limit = LIMIT + MORE * attempt
            copy_state(scratch, self._root)
            self.attempts += 1
            position = np.full(POSITION, -1, np.int64)
            status = PAUSED
            while status == PAUSED:
                if self._stopped is not None and self._stopped():
                    return None
                status = run(
                    *self._rules,
                    *scratch,
                    self.unit_of,
                    self._first_op,
                    frames,
                    places,
                    shuffled,
                    weights,
                    wanted,
                    mode,
                    random,
                    limit,
                    follow,
                    1 if forward or mode == SAMPLE else 2,
                    WORK_PER_SLICE,
                    position,
                    result,
                )
            self.contradictions += int(position[MET])
            if status == FOUND:
                return result
            if status == IMPOSSIBLE:
                return None
        return None


def build_rules(m: int, src: Ints, dst: Ints, chips: int, triangle: bool, filled: int) -> McmRules:
    """The rules for ``m`` units with edges ``src`` -> ``dst`` (int32[e] each, acyclic)."""
    span = np.full(len(src), chips - 1, np.int32)
    inner: tuple[NDArray[np.int64], Ints] = (np.zeros(1, np.int64), NO_OPS)
    jumps = np.empty(0, np.intp)
    if triangle and m <= MOST_UNITS:
        after, before = reachability(src, dst, m)
        if filled != ANY:
            span = spans(src, dst, after, before, chips - 1)
        # Where an edge spans at most one chip, everything between its ends is with one of them anyway.
        jumps = np.flatnonzero(span > 1)
        inner = inner_units(src[jumps], dst[jumps], after, before, MOST_INNER)
    sizes = np.diff(inner[0])
    chords = np.flatnonzero(sizes)
    inner_ptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[chords])])
    chord_from, chord_to = src[jumps][chords], dst[jumps][chords]
    number = np.arange(len(chords), dtype=np.int32)
    within = csr(inner[1], np.repeat(number, sizes[chords]), m)
    ending = csr(np.concatenate([chord_from, chord_to]), np.concatenate([number, number]), m)
    # Neighbours of a unit: predecessors, then successors.
    nothing = np.zeros(len(src), np.int32)
    owner = np.concatenate([dst, src])
    ptr, other = csr(owner, np.concatenate([src, dst]), m)
    _, lower = csr(owner, np.concatenate([span, nothing]), m)
    _, upper = csr(owner, np.concatenate([nothing, span]), m)
    first = ptr + np.append(np.bincount(dst, minlength=m), 0).astype(np.int32)
    members = [inner[1], within[1], ending[1]]
    starts = np.cumsum([0, *map(len, members)])
    # Where every edge spans at most one chip, all paths between neighbouring chips are direct.
    watched = triangle and bool((span > 1).any())
    return McmRules(
        heads=np.array([ptr, first, within[0] + starts[1], ending[0] + starts[2]], np.int32),
        links=np.array([other, lower, upper], np.int32),
        chords=np.array([np.append(chord_from, -1), np.append(chord_to, -1), inner_ptr], np.int32),
        members=np.concatenate(members).astype(np.int32),
        facts=np.array([chips, watched, filled], np.int64),
    )


def new_state(rules: McmRules) -> McmState:
    """A state in which every unit may be on any of 64 chips."""
    m, chips = rules.heads.shape[1] - 1, int(rules.facts[0])
    any_inner = rules.members[rules.chords[2, :-1]]
    words = np.concatenate([np.zeros(3 * m + EXTRA, np.uint64), np.repeat(any_inner, 2).astype(np.uint64)])
    words[:m] = between(0, 63)
    words[3 * m + LAST] = chips - 1
    units = np.zeros((9, m), np.int32)
    units[HIGH] = 63
    units[CHIP_FOR] = -1
    counts = np.zeros(COUNTS, np.int64)
    counts[UNIT_AT : UNIT_AT + MOST_CHIPS] = -1
    # Each entry takes a bit from a domain, adds one to a set of chips or moves a bound.
    trail = np.zeros((2, len(words) * (chips + 1)), np.uint64)
    return McmState(words, np.zeros(4 * MOST_CHIPS, np.uint64), units, trail, counts)


def copy_state(state: McmState, source: McmState) -> None:
    """Make ``state`` like ``source``, from which nothing is undone."""
    np.copyto(state.words, source.words)
    np.copyto(state.no, source.no)
    np.copyto(state.units, source.units)
    np.copyto(state.counts, source.counts)
    state.counts[TRAIL] = 0
