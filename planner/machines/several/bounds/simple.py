"""The simple bound: no machine can beat its share of the work nor its largest op."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.catalogue import machine_of
from planner.methods.least import prove_least, shared_work
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Simple(BoundMethod):
    """max(largest piece, work / devices), the work split over CPUs and accelerators as well as it could be.

    MTPP, Lemma 3.3, where pieces are ops; ops that must share a device count as one piece. Where parameters beyond a stage's memory
    are streamed, so is what the largest piece exceeds it by, and what all pieces exceed all memories by. On a pool each piece
    costs what its device makes of it, so the share is the optimum of a fractional assignment between the two kinds of
    devices; for ``gpipe`` the forward and the backward pass are bounded one by one and added. Under replication any device
    of its kind may do a share of a piece, so the largest piece counts as what its best number of copies makes of it, and
    pins only say the kind of device. For ``latency`` the bound is the longest path of the graph, each op as fast as
    the fastest device that may hold it: ops on a path never run at the same time, in one subgraph or in several.

    For the memory objectives of Edge TPUs the pieces are parameter bytes: some stage holds the largest piece and an equal
    share of all bytes, and what exceeds the caches together, or one cache under the largest piece, is off chip. Such
    bytes take their time to stream in every inference, which is added to the bound on the work for ``inference-time``.

    On a multi-chip module the pieces are what the one-way links keep together; a single sample also takes the longest path.
    Under the triangle rule a dependency and all between its ends are on two chips, so half of their work is a bound of its own.
    """

    name: ClassVar[str] = "simple"
    title: ClassVar[str] = "Load of all devices"
    summary: ClassVar[str] = "largest op or equal share of the work, whichever is more"
    source: ClassVar[Source] = Source("MTPP", "Lemma 3.3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu", "pool", "mcm"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication"})
    objectives: ClassVar[frozenset[str]] = frozenset(
        {"bottleneck", "stage-time", "inference-time", "max-load", "gpipe", "latency", "chip-latency"}
        | {"memory-1-2-3", "memory-1-3", "memory-2-1-3", "memory-2-3"}
    )

    def prove(self, problem: Problem, search: Search) -> None:
        """One bound at once; one for each component that counts parameter bytes, and one that needs the triangle rule."""
        prove_least(problem, search, self.name, machine_of(problem).part("least") or shared_work)
