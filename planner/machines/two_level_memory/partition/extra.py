"""I/Os beyond W + N + S that a component costs at least, from the stays that it needs.

With s stays as a source and t as a target a neuron costs, beyond one read and, for an output, one write:

* as a target 2 (t - 1): each stay but the first is a read, and the sum was written before;
* as a source s - 1 where it is an input, a constant or an output;
* as any other source nothing where s = 1, for it may still be in memory from its time as a target, and else s: then one stay may be free, but its value is
  written.

Say that h of the k sources of the last kind have one stay. Their stays, those of the m = k - h others (two each, at least), those of inputs and those of targets together are as many as
:class:`Stays` says; and so are those of all but the m others, for the connections that are left without them. The cheapest numbers of stays that agree with that cost
what the component costs at least, for the cheapest h.

Whatever holds of a component holds of a part of its sources and targets and for any weights of connections: several of both are tried. Weights that fall with the degrees of both ends keep those that
have many connections from counting in every stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from planner.machines.two_level_memory.partition.densest import Densest
from planner.machines.two_level_memory.partition.halves import Component, Floats
from planner.machines.two_level_memory.partition.stays import Stays
from planner.model.graph import Bools
from planner.model.network import Longs

LARGEST, WIDEST = 1 << 23, 2_500
"""Sources times targets of the largest component that is looked at, and the smaller number of the two where singular values are computed."""
PARTS = ((0.0, 0.0), (0.4, 0.5), (0.4, 0.75))
"""Parts that are tried: the sources and targets with at least the first share of the mean degree, and connections that weigh the product of the degrees of their ends to minus
the second number."""


def extra_ios(component: Component, places: int, check: Callable[[], None]) -> int:
    """The fewest I/Os beyond one per connection, neuron and output of ``component`` where memory has ``places`` for values of neurons.

    ``check`` is asked between two steps, of a tenth of a second or so, and may raise.
    """
    n, m = component.sources, component.targets
    if n + m <= places or n * m > LARGEST:
        return 0
    matrix = component.matrix()
    once = int(component.twice.sum())
    together, apart = np.full(once + 1, -n - m, np.int64), np.full(once + 1, -n - m, np.int64)
    for weights, twice in _parts(matrix, component.twice):
        check()
        first, second = _needed(weights, twice, once, places)
        together, apart = np.maximum(together, first), np.maximum(apart, second)
    return _cheapest(together, apart, inputs=once < n)


def _parts(matrix: Floats, twice: Bools) -> Iterator[tuple[Floats, Bools]]:
    """Parts of a component with weights of their connections, float64[n', m'], and which of their sources are written before they are read twice, bool[n']."""
    rows, columns = matrix.sum(axis=1), matrix.sum(axis=0)
    for share, exponent in PARTS:
        some, others = rows >= share * rows.mean(), columns >= share * columns.mean()
        part, kind = matrix[some][:, others], twice[some]
        full = part.sum(axis=1) > 0
        part, kind = part[full], kind[full]
        part = part[:, part.sum(axis=0) > 0]
        if part.size:
            sizes = part.sum(axis=1)[:, None] * part.sum(axis=0)
            yield part * (sizes / sizes.max()) ** -exponent, kind


def _needed(weights: Floats, twice: Bools, once: int, places: int) -> tuple[Longs, Longs]:
    """Stays beyond the first that are needed where h = 0..``once`` sources of the second kind have one stay only; both int64[once + 1].

    First: of inputs and targets, beyond one each, and of the other sources of that kind, all of them. Second: of inputs and targets alone.
    """
    stays = Stays(Densest(weights, min(weights.shape) <= WIDEST), weights, places)
    inside = int(twice.sum())
    outside = once - inside
    firsts = int((~twice).sum()) + weights.shape[1]
    h = np.arange(once + 1)
    total = weights.sum()
    # As few as can be of the h are inside; all others outside have two stays.
    in_part = np.maximum(0, h - outside)
    rest = 2 * (outside - (h - in_part))
    together = stays.least(np.array([total]))[0] - firsts - in_part + rest
    # Without j of the sources that have several stays, the heaviest.
    taken = np.concatenate([[0.0], np.cumsum(np.sort(weights[twice].sum(axis=1))[::-1])])
    left = np.maximum(0.0, total - taken)
    alone = np.minimum.accumulate(stays.least(left) - firsts - inside + np.arange(inside + 1))
    return together, alone[np.minimum(inside, once - h)]


def _cheapest(together: Longs, apart: Longs, inputs: bool) -> int:
    """The cost of the cheapest stays, for the cheapest h; both int64[k + 1]. ``inputs``: whether some source costs one more for each stay more."""
    several = 2 * np.arange(len(together))[::-1]
    apart = np.maximum(0, apart)
    if inputs:
        cost = np.maximum(together, apart + several)
    else:
        # Stays of targets cost two. Without sources of several stays they have to be all.
        cost = np.where(
            several > 0, 2 * apart + np.maximum(several, together - apart), 2 * np.maximum(together, apart)
        )
    return max(0, int(cost.min()))
