"""All convex blocks of a pipeline as paths of one diagram, unit by unit.

Units are gone through in a sequence in which few tensors are open at any place, open meaning that some of their units have been seen and
some have not. A state is the codes of all open tensors (:mod:`planner.machines.pipeline.blocks.borders`): it says all that
what is still to come has to know. From a state three arcs lead on, for a unit before, in or after the block, with what the block
then pays. Paths are convex blocks with their costs. Nothing in a diagram depends on prices or on what a block may cost, so it is made once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.machines.pipeline.blocks.borders import (
    AFTER,
    AFTER_CODE,
    BEFORE,
    FIRST,
    FORGETFUL,
    FREE,
    IN,
    PAYS,
    Borders,
)
from planner.machines.pipeline.blocks.sequence_kernels import greedy, improve, weight
from planner.methods.mip.model import unchecked
from planner.model.graph import Bools, Floats, Ints

CODE_BITS = 3
MOST_OPEN = 20
"""Tensors that may be open at once: their codes make one whole number."""
MOST_TRIES, GREEDY_WORK = 80, 400_000_000
"""Greedy sequences that are tried: so many, or as many as take so much work."""
STAGES, STEPS = 10, 2_000
"""Annealing of the best: stages, ever colder, and moves in each."""
NOISES = (0.01, 0.03, 0.1, 0.3)
"""What greedy choices are blurred by, against tensors opened."""


class Diagram(NamedTuple):
    """Layers of states and the arcs between them (m units, s states, a arcs). States are numbered layer by layer.

    ``sequence`` int32[m]: the unit that is decided on in each layer; ``layer_ptr`` int32[m + 2]: the states before each unit, and the one
    after all; arcs by the state that they leave, as CSR ``arc_ptr`` int32[s + 1]: ``target`` int32[a], ``taken`` bool[a] (the unit is in
    the block) and ``paid`` float64[a] (what the block pays for tensors).
    """

    sequence: Ints
    layer_ptr: Ints
    arc_ptr: Ints
    target: Ints
    taken: Bools
    paid: Floats


def good_sequence(sets: Borders, random: NDArray[np.uint64], check: Callable[[], None] = unchecked) -> Ints:
    """A sequence of units (int32[m]) with few open tensors; ``random`` uint64[1] is the state of its random numbers."""
    m = len(sets.unit_ptr) - 1
    place, counts = np.empty(m, np.int32), np.empty(m + 1, np.int32)
    best, best_value = np.arange(m, dtype=np.int32), np.inf
    for i in range(max(len(NOISES), min(MOST_TRIES, GREEDY_WORK // max(m * m, 1)))):
        trial = np.empty(m, np.int32)
        greedy(
            trial, sets.ptr, sets.idx, sets.unit_ptr, sets.unit_idx, NOISES[i % len(NOISES)], random
        )  # fmt: skip
        value = weight(trial, sets.ptr, sets.idx, place, counts)
        if value < best_value:
            best, best_value = trial, value
        check()
    for i in range(STAGES):
        better = np.empty(m, np.int32)
        hot = 0.3 * 0.7**i
        improve(best.copy(), sets.ptr, sets.idx, place, counts, STEPS, hot, 0.5 * hot, random, better)
        best = better
        check()
    return best


def fitted(
    sets: Borders, random: NDArray[np.uint64], most_states: int, check: Callable[[], None] = unchecked
) -> Diagram:
    """The diagram of ``sets``, or where it is too large of as many of them as it takes: blocks then cost less, and there are more.

    Left out are the cheapest for the places at which they are open; ``random`` uint64[1] as for :func:`good_sequence`.
    """
    most_open = MOST_OPEN
    while True:
        sequence = good_sequence(sets, random, check)
        diagram = build(sets, sequence, most_states, check)
        if diagram is not None:
            return diagram
        sets = _thinned(sets, sequence, most_open, check)
        most_open = max(0, most_open - 2)


def _thinned(sets: Borders, sequence: Ints, most_open: int, check: Callable[[], None]) -> Borders:
    """Sets of which at most ``most_open`` are open at a place of ``sequence`` (int32[m])."""
    m = len(sequence)
    place = np.empty(m, np.int32)
    place[sequence] = np.arange(m, dtype=np.int32)
    at = place[sets.idx]
    first, last = np.minimum.reduceat(at, sets.ptr[:-1]), np.maximum.reduceat(at, sets.ptr[:-1])
    worth = sets.time / np.maximum(1, last - first)
    kept = np.ones(len(first), bool)
    opened = np.zeros(m + 1, np.int64)
    np.add.at(opened, first, 1)
    np.add.at(opened, last, -1)
    opened = opened.cumsum()
    while int(opened.max()) > most_open:
        check()
        worst = int(opened.argmax())
        over = np.flatnonzero(kept & (first <= worst) & (worst < last))
        out = over[worth[over].argmin()]
        kept[out] = False
        opened[first[out] : last[out]] -= 1
    return sets.of(np.flatnonzero(kept).astype(np.int32))


def build(
    sets: Borders, sequence: Ints, most_states: int, check: Callable[[], None] = unchecked
) -> Diagram | None:
    """The diagram along ``sequence`` (int32[m]), None where it has more than ``most_states`` states or too many open tensors.

    ``check`` is called for each unit and may raise to end it.
    """
    m = len(sequence)
    place = np.empty(m, np.int32)
    place[sequence] = np.arange(m, dtype=np.int32)
    left = np.diff(sets.ptr)
    slot_of: dict[int, int] = {}
    spare = list(range(MOST_OPEN - 1, -1, -1))
    makes_nothing = np.ones(m, bool)
    makes_nothing[sets.producer] = False
    uses_nothing = np.ones(m, bool)
    owner = np.repeat(np.arange(len(sets.producer)), left)
    uses_nothing[sets.idx[sets.idx != sets.producer[owner]]] = False
    left = left.copy()
    keys = np.zeros(1, np.int64)
    layers: list[tuple[Ints, Ints, Bools, Floats]] = []
    counts: list[int] = []
    for v in sequence.tolist():
        check()
        touched = sets.unit_idx[sets.unit_ptr[v] : sets.unit_ptr[v + 1]].tolist()
        opened = [h for h in touched if h not in slot_of]
        if len(opened) > len(spare):
            return None
        for h in opened:
            slot_of[h] = spare.pop()
        found: list[tuple[NDArray[np.int64], Ints, bool, Floats]] = []
        for where in (BEFORE, IN, AFTER):
            # Who reads nothing may as well be before the block, who makes nothing after it.
            if (where == AFTER and uses_nothing[v]) or (
                where == BEFORE and makes_nothing[v] and not uses_nothing[v]
            ):
                continue
            to, paid = keys.copy(), np.zeros(len(keys))
            kept = np.ones(len(keys), bool)
            for h in touched:
                shift = CODE_BITS * slot_of[h]
                code = np.full(len(keys), FIRST) if h in opened else (keys >> shift) & 7
                makes = int(sets.producer[h] == v)
                after = AFTER_CODE[makes, code, where]
                paid += np.where(PAYS[makes, code, where], sets.time[h], 0.0)
                kept &= after >= 0
                if sets.time[h] == 0.0:
                    after = FORGETFUL[after]
                if left[h] == 1:
                    after = np.full(len(keys), FREE, np.int8)
                to = (to & ~np.int64(7 << shift)) | (after.astype(np.int64) << shift)
            found.append((to[kept], np.flatnonzero(kept).astype(np.int32), where == IN, paid[kept]))
        for h in touched:
            left[h] -= 1
            if left[h] == 0:
                spare.append(slot_of.pop(h))
        counts.append(len(keys))
        to = np.concatenate([f[0] for f in found])
        keys, target = np.unique(to, return_inverse=True)
        if sum(counts) + len(keys) > most_states:
            return None
        source = np.concatenate([f[1] for f in found])
        taken = np.concatenate([np.full(len(f[0]), f[2]) for f in found])
        paid = np.concatenate([f[3] for f in found])
        layers.append((target.reshape(-1).astype(np.int32), source, taken, paid))
    return _joined(sequence, counts, layers)


def _joined(sequence: Ints, counts: list[int], layers: list[tuple[Ints, Ints, Bools, Floats]]) -> Diagram:
    """Layers put together, states from which the same can follow merged, those from which nothing can left out."""
    kinds = np.zeros(1, np.int64)  # the class of each state of the next layer, -1 for none
    reversed_layers: list[tuple[Ints, Ints, Bools, Floats]] = []
    sizes = [1]
    for target, source, taken, paid in reversed(layers):
        after = kinds[target]
        kept = after >= 0
        after, source, taken, paid = after[kept], source[kept], taken[kept], paid[kept]
        # Of arcs between the same states the cheapest, then states with the same arcs.
        order = np.lexsort((paid, after, taken, source))
        after, source, taken, paid = after[order], source[order], taken[order], paid[order]
        new = np.ones(len(source), bool)
        new[1:] = (source[1:] != source[:-1]) | (taken[1:] != taken[:-1]) | (after[1:] != after[:-1])
        after, source, taken, paid = after[new], source[new], taken[new], paid[new]
        states = counts.pop()
        rank = np.arange(len(source)) - np.searchsorted(source, source)
        arcs = np.full((states, 3 * (int(rank.max()) + 1)), -1.0)
        for column, values in enumerate((after, taken, paid)):
            arcs[source, 3 * rank + column] = values
        used = np.unique(source)
        _, first, kind = np.unique(arcs[used], axis=0, return_index=True, return_inverse=True)
        number = np.full(states, -1, np.int64)
        number[used] = kind.reshape(-1)
        chosen = np.full(states, -1, np.int64)
        chosen[used[first]] = number[used[first]]
        kept = chosen[source] >= 0
        from_state = chosen[source[kept]]
        order = np.argsort(from_state, kind="stable")
        reversed_layers.append(
            (
                after[kept][order].astype(np.int32),
                from_state[order].astype(np.int32),
                taken[kept][order],
                paid[kept][order],
            )
        )
        sizes.append(len(first))
        kinds = number
    sizes.reverse()
    layer_ptr = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=layer_ptr[1:])
    reversed_layers.reverse()
    source = np.concatenate([layer_ptr[at] + layer[1] for at, layer in enumerate(reversed_layers)])
    arc_ptr = np.zeros(int(layer_ptr[-1]) + 1, np.int32)
    np.cumsum(np.bincount(source, minlength=int(layer_ptr[-1])), out=arc_ptr[1:])
    return Diagram(
        sequence.astype(np.int32),
        layer_ptr,
        arc_ptr,
        np.concatenate([layer_ptr[at + 1] + layer[0] for at, layer in enumerate(reversed_layers)]).astype(
            np.int32
        ),
        np.concatenate([layer[2] for layer in reversed_layers]),
        np.concatenate([layer[3] for layer in reversed_layers]),
    )
