"""How many connections so many values can have among them at most: counts, degrees and eigenvalues.

Connections may have weights; "how many" is then their sum. n sources, m targets, A float64[n, m] the weights between them.
For S of x sources and T of y targets, with r the sums of rows and c of columns:

* at most the x largest of r, the y largest of c, and x y times the largest weight;
* 1_S' A 1_T = 1_S' Q 1_T + 1_S' D 1_T for any Q, D = A - Q. With Q = r 1' / m the first is at most y / m times the x largest of r, and D 1 = 0, so
  1_T may be replaced by its part that is orthogonal to 1, of length sqrt(y (1 - y / m)). The second is at most the largest singular value
  of D times the lengths of both. The direction of 1 among sources may be stretched by any factor a in D, when it shrinks by it in 1_S. Likewise with Q = 1 c' / n.
"""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.partition.halves import Floats
from planner.model.network import Longs

STRETCH = 2.0
"""The factor a."""
MARGIN = 1e-9
"""What rounding may have taken from a singular value or a sum, as a share of it."""


class Densest:
    """Upper bounds on the weight of connections among x sources and y targets of a matrix A, float64[n, m] >= 0."""

    def __init__(self, weights: Floats, spectral: bool = True) -> None:
        """``spectral``: singular values too, which take time as the cube of the smaller side."""
        self.n, self.m = weights.shape
        rows, columns = weights.sum(axis=1), weights.sum(axis=0)
        self.largest = float(weights.max())
        self._rows, self._columns = _sums(rows), _sums(columns)
        self._by_rows = self._by_columns = np.inf
        if spectral:
            self._by_rows = _stretched(weights - rows[:, None] / self.m)
            self._by_columns = _stretched((weights - columns / self.n).T)

    def among(self, x: Longs, y: Longs) -> Floats:
        """The bound for each pair of numbers x <= n and y <= m, both int64[..]; float64[..]."""
        rows, columns = self._rows[x], self._columns[y]
        least = np.minimum(np.minimum(rows, columns), self.largest * x * y)
        if np.isfinite(self._by_rows):
            n, m = self.n, self.m
            own, other = x * (1 - x / n), y * (1 - y / m)
            away = np.sqrt((own + (x / STRETCH) ** 2 / n) * other)
            least = np.minimum(least, rows * (y / m) + self._by_rows * away)
            away = np.sqrt(own * (other + (y / STRETCH) ** 2 / m))
            least = np.minimum(least, columns * (x / n) + self._by_columns * away)
        return np.asarray(least * (1 + MARGIN))


def _sums(values: Floats) -> Floats:
    """The sum of the k largest of ``values`` (float64[n]) for each k, float64[n + 1]."""
    return np.concatenate([[0.0], np.cumsum(np.sort(values)[::-1])])


def _stretched(apart: Floats) -> float:
    """The largest singular value of D (float64[n, m]) with the direction of 1 among its rows stretched, or a little more."""
    n, m = apart.shape
    apart = apart + (STRETCH - 1) * apart.mean(axis=0)
    square = apart @ apart.T if n <= m else apart.T @ apart
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh(square)[-1])) * (1 + MARGIN))
