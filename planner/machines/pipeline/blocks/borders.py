"""What a block pays for at its border: a tensor with all its units, and what its units say of one another.

For one block S every unit is *before* it, *in* it or *after* it. S is convex if and only if there is such a naming in which no
edge goes to a lower name: name what S reaches *after*, and the rest *before*. So convexity, like the cost of a tensor, is said
tensor by tensor, and a sequence of units can be walked through with a code for each tensor of which some units have
been seen and some have not (:mod:`planner.machines.pipeline.blocks.diagram`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.machines.pipeline.exact.model import StageModel
from planner.methods.mip.model import unchecked
from planner.model.graph import Floats, Ints, csr

BEFORE, IN, AFTER = 0, 1, 2
"""Where a unit is, seen from a block."""
FREE, EARLY, HELD, HELD_PAID, LATE, UNMADE_LATE, UNMADE_IN, UNMADE_PAID = range(8)
"""Codes of a tensor some of whose units have been seen. ``EARLY``: its producer is before the block, none of its consumers seen is in it;
``FREE``: one is, so all is paid and any consumer may follow. ``HELD``: the producer is in the block, and so are its consumers;
``HELD_PAID``: one is not. ``LATE``: the producer is after it. The producer has not been seen: ``UNMADE_LATE``: all consumers
seen are after the block; ``UNMADE_IN``: all are in it; ``UNMADE_PAID``: some are, some are after it. A consumer before the block
says that the producer is as well."""
REFUSED = -1

_CONSUMER = {
    FREE: ((FREE, 0), (FREE, 0), (FREE, 0)),
    EARLY: ((EARLY, 0), (FREE, 1), (EARLY, 0)),
    HELD: (None, (HELD, 0), (HELD_PAID, 1)),
    HELD_PAID: (None, (HELD_PAID, 0), (HELD_PAID, 0)),
    LATE: (None, None, (LATE, 0)),
    UNMADE_LATE: ((EARLY, 0), (UNMADE_PAID, 1), (UNMADE_LATE, 0)),
    UNMADE_IN: ((FREE, 1), (UNMADE_IN, 0), (UNMADE_PAID, 1)),
    UNMADE_PAID: ((FREE, 0), (UNMADE_PAID, 0), (UNMADE_PAID, 0)),
}
_PRODUCER = {
    FREE: ((FREE, 0), None, None),
    EARLY: ((EARLY, 0), None, None),
    UNMADE_LATE: ((EARLY, 0), (HELD_PAID, 1), (LATE, 0)),
    UNMADE_IN: ((FREE, 1), (HELD, 0), None),
    UNMADE_PAID: ((FREE, 0), (HELD_PAID, 0), None),
}
_FIRST_CONSUMER = ((EARLY, 0), (UNMADE_IN, 0), (UNMADE_LATE, 0))
_FIRST_PRODUCER = ((EARLY, 0), (HELD, 0), (LATE, 0))
FIRST = 8
"""Row of the tables for a tensor none of whose units has been seen."""


def _tables() -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The next code (int8[2, 9, 3]: whether the unit makes the tensor, code before, where the unit is) and whether the block pays now."""
    after = np.full((2, 9, 3), REFUSED, np.int8)
    pays = np.zeros((2, 9, 3), bool)
    rules: tuple[dict[int, tuple[tuple[int, int] | None, ...]], ...] = (
        {**_CONSUMER, FIRST: _FIRST_CONSUMER},
        {**_PRODUCER, FIRST: _FIRST_PRODUCER},
    )
    for makes, of_unit in enumerate(rules):
        for code, row in of_unit.items():
            for where, entry in enumerate(row):
                if entry is not None:
                    after[makes, code, where], pays[makes, code, where] = entry
    return after, pays


AFTER_CODE, PAYS = _tables()
FORGETFUL = np.array([FREE, FREE, HELD, HELD, LATE, UNMADE_LATE, UNMADE_IN, UNMADE_IN], np.int8)
"""The code of a tensor that costs nothing: what is paid makes no difference."""


class Borders(NamedTuple):
    """Tensors and what is left of the precedence between units, as sets of units (h sets, m units).

    ``time`` float64[h]: what a block pays that holds some, not all, of a set's units; ``producer`` int32[h]; the units of each
    set, its producer among them, as CSR ``ptr`` int32[h + 1], ``idx``; the sets of each unit as CSR ``unit_ptr`` int32[m + 1], ``unit_idx``.
    """

    time: Floats
    producer: Ints
    ptr: Ints
    idx: Ints
    unit_ptr: Ints
    unit_idx: Ints

    def of(self, chosen: Ints) -> Borders:
        """Some of the sets (``chosen`` int32[c])."""
        members = [self.idx[self.ptr[h] : self.ptr[h + 1]] for h in chosen]
        return _joined(len(self.unit_ptr) - 1, self.time[chosen], self.producer[chosen], members)


def borders(model: StageModel, check: Callable[[], None] = unchecked) -> Borders:
    """The tensors of a pipeline's model, and a set that costs nothing for edges that no tensor follows.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    m = model.count
    producer, time = model.producer.tolist(), model.time.tolist()
    members = [{int(p), *model.members(t).tolist()} for t, p in enumerate(producer)]
    followed: list[set[int]] = [set() for _ in range(m)]
    for p, units in zip(producer, members, strict=True):
        followed[p] |= units
    rest: dict[int, set[int]] = {}
    for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True):
        if v not in followed[u]:
            rest.setdefault(u, {u}).add(v)
    check()
    for u, units in rest.items():
        producer.append(u)
        time.append(0.0)
        members.append(units)
    return _joined(
        m,
        np.array(time, np.float64),
        np.array(producer, np.int32),
        [np.array(sorted(units)) for units in members],
    )


def _joined(units: int, time: Floats, producer: Ints, members: list[Ints]) -> Borders:
    """Sets of ``units`` units with these members."""
    ptr = np.zeros(len(members) + 1, np.int32)
    np.cumsum([len(some) for some in members], out=ptr[1:])
    idx = np.concatenate([np.zeros(0, np.int32), *members]).astype(np.int32)
    owner = np.repeat(np.arange(len(members), dtype=np.int32), np.diff(ptr))
    unit_ptr, unit_idx = csr(idx, owner, units)
    return Borders(time, producer, ptr, idx, unit_ptr, unit_idx)
