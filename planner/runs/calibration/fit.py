"""Rates fitted to measured times: robust least squares of the logarithm of estimate over measured time.

An op's estimate is the roofline of :class:`planner.model.cost_model.Rates`; the fit looks for its three numbers, which are searched as
logarithms and so cannot be negative. Residuals are logarithms of ratios, since a plan suffers as much from an op that is estimated
at half its time as from one at twice it. A loss that grows like the residual itself beyond :data:`SCALE` (``soft_l1``: Triggs et al.,
"Bundle adjustment: a modern synthesis", 2000, section 3) keeps single ops that ran into something else from bending the rates. Half of the
weight is on ops alike, half on them by their share of their model's time, so that both single ops and sums come out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.model.cost_model import CostModel, Groups, Rates, bytes_moved
from planner.model.graph import Floats, Graph, Ints
from planner.model.kind_groups import GROUPS, NOTHING, group_of

LEAST = 5
"""Ops that a group must have for rates of its own."""
LEAST_OPS = 8
"""Ops that a calibration needs in all."""
SCALE = 0.3
"""Logarithm of the ratio from which a residual counts as an outlier's."""
TOLERANCE = 1e-3
"""How much worse a fit may become, as a share, for a rate that its ops do not show to be that of all ops."""
_LOW, _HIGH = np.log([1e6, 1e6, 1e-10]), np.log([1e18, 1e18, 10.0])
_NO_TIME = 1e-9
"""An overhead below this many seconds is none."""


class Samples(NamedTuple):
    """Measured ops: floating-point operations, bytes moved, measured seconds, weight (float64[m] each), group and model (int32[m] each)."""

    flops: Floats
    moved: Floats
    seconds: Floats
    weight: Floats
    group: Ints
    model: Ints

    def only(self, chosen: np.ndarray) -> Samples:
        """Those of a mask (bool[m])."""
        return Samples(*(values[chosen] for values in self))


def measured_on(graph: Graph, device: str) -> Floats:
    """Measured seconds of each op on a kind of device (float64[n]); NaN where an op was not measured, takes no time or was left out."""
    if graph.measured is None:
        return np.full(graph.n, np.nan)
    seconds = graph.given_times[0 if device == "accelerator" else 1]
    compute = np.array([group_of(kind) != NOTHING for kind in graph.kinds], bool)
    return np.where(graph.measured.ops & compute & (seconds > 0), seconds, np.nan)


def samples_of(graphs: list[Graph], device: str) -> Samples:
    """The measured ops of some models on a kind of device. Raises :class:`StageboardError` where there are too few."""
    parts: list[Samples] = []
    for m, graph in enumerate(graphs):
        seconds = measured_on(graph, device)
        known = ~np.isnan(seconds)
        groups = np.array(
            [GROUPS.index(group) if (group := group_of(kind)) else -1 for kind in graph.kinds], np.int32
        )
        time = seconds[known]
        weight = 0.5 / max(len(time), 1) + 0.5 * time / max(float(time.sum()), 1e-300)
        parts.append(
            Samples(
                2.0 * graph.macs[known], bytes_moved(graph)[known], time, weight, groups[known], np.full(len(time), m, np.int32)
            )
        )  # fmt: skip
    found = Samples(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    if len(found.seconds) < LEAST_OPS:
        raise StageboardError(
            f"{len(found.seconds)} measured ops are too few to calibrate a machine; measure a model with at least {LEAST_OPS}"
        )
    return found


def fitted(samples: Samples, device: str) -> tuple[Rates, Groups]:
    """The rates of all ops together, and those of each group that has enough ops."""
    default = CostModel().rates(device)
    whole = _fit(samples, default)
    groups: list[tuple[str, Rates]] = []
    for number, group in enumerate(GROUPS):
        here = samples.group == number
        if int(here.sum()) >= LEAST:
            groups.append((group, _fit(samples.only(here), whole)))
    return whole, tuple(groups)


def _fit(samples: Samples, usual: Rates) -> Rates:
    """The rates of some ops; those that they do not show are the ``usual`` ones."""
    from scipy.optimize import least_squares

    flops, moved, seconds = samples.flops, samples.moved, samples.seconds
    weight = np.sqrt(samples.weight / samples.weight.mean())
    log_seconds = np.log(seconds)

    def residuals(numbers: Floats) -> Floats:
        rates = Rates(*np.exp(numbers).tolist())
        return np.asarray(weight * (np.log(rates.seconds(flops, moved)) - log_seconds))

    best = None
    for start in _starts(samples, usual):
        found = least_squares(
            residuals, start, bounds=(_LOW, _HIGH), loss="soft_l1", f_scale=SCALE, x_scale=1.0
        )
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None, "there is always a start"
    numbers, cost = best.x, float(best.cost)
    for place, rate in enumerate(usual[:2]):
        other = numbers.copy()
        other[place] = np.log(rate)
        worse = 2.0 * SCALE**2 * float(np.sum(np.sqrt(1 + (residuals(other) / SCALE) ** 2) - 1)) / 2.0
        if worse <= cost * (1 + TOLERANCE) + 1e-12:
            numbers = other
    rates = Rates(*(float(value) for value in np.exp(numbers)))
    return rates._replace(overhead=0.0) if rates.overhead < _NO_TIME else rates


def _starts(samples: Samples, usual: Rates) -> list[Floats]:
    """Where the search begins: rates that ops reach or exceed by some factor, with an overhead of the fastest ops or none."""
    starts = []
    speed = [
        np.log(np.quantile((amount / samples.seconds)[amount > 0], 0.7))
        if (amount > 0).any()
        else np.log(rate)
        for amount, rate in ((samples.flops, usual.flops), (samples.moved, usual.bandwidth))
    ]
    for overhead in (float(np.quantile(samples.seconds, 0.02)), 1e-7):
        for faster in (0.0, 1.5):
            for wider in (0.0, 1.5):
                start = np.array([speed[0] + faster, speed[1] + wider, np.log(max(overhead, 1e-9))])
                starts.append(np.clip(start, _LOW + 1e-6, _HIGH - 1e-6))
    return starts
