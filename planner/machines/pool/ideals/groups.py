"""Which clusters and CPUs of a pool are alike: those of one size and speed without pins are, and are only counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.methods.units import Units
from planner.model.graph import Floats, Ints
from planner.problem.evaluator import Evaluator

MOST_SPECIALS = 4
"""Accelerators with pins in one cluster: each doubles the ways to have used some of them."""


class TooManyPairs(Exception):
    """The search would take too long; its message says what there is too much of."""


@dataclass(frozen=True)
class Proximity:
    """How fast transfers are as one level of clusters tells: no slower than they are, and as fast where that is the only level.

    ``cluster`` int32[k]: that of each accelerator, -1 for CPUs; ``inside`` float64[clusters]: how many times as fast transfers
    inside are, ``outside`` those of accelerators of two clusters.
    """

    cluster: Ints
    inside: Floats
    outside: float

    @classmethod
    def of(cls, evaluator: Evaluator, cluster: Ints) -> Proximity:
        """That of a level (int32[k]) of an evaluator's clusters."""
        accelerators = np.flatnonzero(cluster >= 0)
        pace = evaluator.pace[np.ix_(accelerators, accelerators)]
        homes = cluster[accelerators]
        apart = homes[:, None] != homes[None, :]
        outside = float(pace[apart].max(initial=1.0))
        other = ~apart & ~np.eye(len(homes), dtype=bool)
        inside = np.full(int(homes.max(initial=-1)) + 1, outside)
        np.maximum.at(inside, np.broadcast_to(homes[:, None], pace.shape)[other], pace[other])
        return cls(cluster, inside, outside)


@dataclass(frozen=True)
class Group:
    """A cluster: its free accelerators, its special ones, those that carry pins, and how many times as fast as others transfers inside are."""

    free: tuple[int, ...]
    specials: tuple[int, ...]
    speed: float = 1.0

    @property
    def size(self) -> int:
        """How many accelerators the cluster has."""
        return len(self.free) + len(self.specials)


@dataclass(frozen=True)
class Kind:
    """Clusters or CPUs that are alike; all but one kind of each have one member."""

    clusters: tuple[Group, ...] = ()
    cpus: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How many clusters or CPUs are of the kind."""
        return len(self.clusters) + len(self.cpus)


def kinds_of(units: Units, proximity: Proximity) -> list[Kind]:
    """The kinds of clusters and CPUs of a pool; a device is special when an op is pinned to it."""
    e = units.problem.evaluator
    special = set(np.unique(e.pinned[e.pinned >= 0]).tolist())
    alike: dict[tuple[int, float], list[Group]] = {}
    kinds: list[Kind] = []
    for c, inside in enumerate(proximity.inside.tolist()):
        members = np.flatnonzero(proximity.cluster == c).tolist()
        group = Group(
            tuple(d for d in members if d not in special),
            tuple(d for d in members if d in special),
            inside / proximity.outside,
        )
        if group.specials:
            kinds.append(Kind(clusters=(group,)))
        else:
            alike.setdefault((group.size, group.speed), []).append(group)
    kinds += [Kind(clusters=tuple(groups)) for groups in alike.values()]
    cpus = np.flatnonzero(proximity.cluster < 0).tolist()
    kinds += [Kind(cpus=(d,)) for d in cpus if d in special]
    if any(d not in special for d in cpus):
        kinds.append(Kind(cpus=tuple(d for d in cpus if d not in special)))
    return kinds
