"""Which clusters and CPUs of a pool are alike: those without pins are, and are only counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.methods.units import Units

MOST_SPECIALS = 4
"""Accelerators with pins in one cluster: each doubles the ways to have used some of them."""


class TooManyPairs(Exception):
    """The search would take too long; its message says what there is too much of."""


@dataclass(frozen=True)
class Group:
    """A cluster: its free accelerators and its special ones, those that carry pins."""

    free: tuple[int, ...]
    specials: tuple[int, ...]

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


def kinds_of(units: Units) -> list[Kind]:
    """The kinds of clusters and CPUs of a pool; a device is special when an op is pinned to it."""
    e = units.problem.evaluator
    special = set(np.unique(e.pinned[e.pinned >= 0]).tolist())
    alike: list[Group] = []
    kinds: list[Kind] = []
    for c in range(int(e.cluster.max(initial=-1)) + 1):
        members = np.flatnonzero(e.cluster == c).tolist()
        group = Group(
            tuple(d for d in members if d not in special), tuple(d for d in members if d in special)
        )
        if group.specials:
            kinds.append(Kind(clusters=(group,)))
        else:
            alike.append(group)
    if alike:
        kinds.append(Kind(clusters=tuple(alike)))
    cpus = np.flatnonzero(e.cluster < 0).tolist()
    kinds += [Kind(cpus=(d,)) for d in cpus if d in special]
    if any(d not in special for d in cpus):
        kinds.append(Kind(cpus=tuple(d for d in cpus if d not in special)))
    return kinds
