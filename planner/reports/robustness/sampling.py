"""What plans cost under many op times: the objective and the bottleneck of each plan for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.model.graph import Floats, Ints
from planner.reports.robustness.retimed import Times

LOW, MEDIAN, HIGH = 0.1, 0.5, 0.9


@dataclass(frozen=True, eq=False)
class Sampled:
    """Of p plans and s samples: ``objective`` float64[p, s] and ``bottleneck`` int32[p, s], the device that costs most."""

    objective: Floats
    bottleneck: Ints

    def beside(self, others: Sampled) -> Sampled:
        """These plans and, after them, others under the same samples."""
        return Sampled(
            np.concatenate([self.objective, others.objective]),
            np.concatenate([self.bottleneck, others.bottleneck]),
        )

    def quantile(self, share: float) -> Floats:
        """The value that ``share`` of a plan's samples do not exceed (float64[p])."""
        found: Floats = np.quantile(self.objective, share, axis=1, method="inverted_cdf")
        return found

    @property
    def worst(self) -> Floats:
        """The largest objective of each plan (float64[p])."""
        found: Floats = self.objective.max(axis=1)
        return found

    def shares(self, devices: int) -> Floats:
        """How often each device is the bottleneck of each plan, as shares of the samples (float64[p, k])."""
        counts = [np.bincount(row, minlength=devices) for row in self.bottleneck]
        found: Floats = np.array(counts, float) / max(self.bottleneck.shape[1], 1)
        return found

    @property
    def regret(self) -> Floats:
        """How much more each plan costs than the best of them under the same times, as a share of that (float64[p, s])."""
        best = self.objective.min(axis=0)
        found: Floats = self.objective / np.where(best > 0, best, 1.0) - np.where(best > 0, 1.0, 0.0)
        return found

    @property
    def expected_regret(self) -> Floats:
        """The mean of each plan's regret over the samples (float64[p])."""
        found: Floats = self.regret.mean(axis=1)
        return found

    @property
    def most_regret(self) -> Floats:
        """The largest regret of each plan over the samples (float64[p])."""
        found: Floats = self.regret.max(axis=1)
        return found

    @property
    def least_regret(self) -> int:
        """The plan of least expected regret; of those as good that of the least largest one, then the first."""
        return int(np.lexsort((self.most_regret, np.round(self.expected_regret, 12)))[0])


def joined(parts: Sequence[Sampled]) -> Sampled:
    """Samples of the same plans, one after the other."""
    return Sampled(
        np.concatenate([part.objective for part in parts], axis=1),
        np.concatenate([part.bottleneck for part in parts], axis=1),
    )


def sample(times: Times, plans: Sequence[Ints], factors: Floats) -> Sampled:
    """What ``plans`` (int32[n] each) cost with op times multiplied by ``factors`` (float64[s, n]), rules unchecked."""
    values = np.empty((len(plans), len(factors)))
    devices = np.empty((len(plans), len(factors)), np.int32)
    if times.linear:
        for p, device_of in enumerate(plans):
            _by_sums(times, np.ascontiguousarray(device_of, np.int32), factors, values[p], devices[p])
        return Sampled(values, devices)
    for s, row in enumerate(factors):
        evaluator = times.evaluator(row)
        for p, device_of in enumerate(plans):
            evaluation = evaluator.evaluate(device_of)
            values[p, s], devices[p, s] = evaluation.objective, evaluation.bottleneck
    return Sampled(values, devices)


def _by_sums(times: Times, device_of: Ints, factors: Floats, values: Floats, devices: Ints) -> None:
    """One plan, from what its devices work under all samples at once (a product of matrices)."""
    e = times.problem.evaluator
    _, receive, busy, send, _, held = e.raw(device_of)
    added = (factors - 1.0) @ work_by_place(times, device_of)
    occupied, costs = e.occupied(device_of), np.empty(e.k)
    for s, more in enumerate(added):
        values[s] = e.objective_of(receive, busy + more.reshape(e.k, 2), send, held, occupied, costs)
        devices[s] = np.argmax(costs)


def work_by_place(times: Times, device_of: Ints) -> Floats:
    """The time of each op where it runs, and 0 elsewhere: float64[n, 2 k], forward and backward of each device."""
    e = times.problem.evaluator
    found = np.zeros((e.n, 2 * e.k))
    ops = np.arange(e.n)
    found[ops, 2 * device_of + e.part] = e.op_work[e.class_of[device_of], ops]
    return found
