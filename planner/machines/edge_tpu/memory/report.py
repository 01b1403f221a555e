"""What exact methods for Edge TPU pipelines report through: plans of units, and component after component proven."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.edge_tpu.memory.chains import Step
from planner.machines.edge_tpu.memory.units import EdgeTpuUnits
from planner.methods.greedy_cut import cut_by_bytes, file_order
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.search import Search


class Report:
    """The channel of one run. ``given``: the components that are proven, each with its least value in bytes."""

    def __init__(
        self, problem: Problem, search: Search, tpus: EdgeTpuUnits, method: str, *, propose: bool
    ) -> None:
        self.tpus, self.search = tpus, search
        self.given: tuple[tuple[str, float], ...] = ()
        self.least: dict[str, int] = {}
        self.plan: Ints | None = None
        self._problem, self._method, self._propose = problem, method, propose

    @property
    def open(self) -> tuple[str, ...]:
        """The components not yet proven, in order."""
        return self.tpus.components[len(self.given) :]

    def begin(self) -> bool:
        """First plans and bounds; False where there is no plan at all, which is proven then."""
        tpus, search = self.tpus, self.search
        if not tpus.feasible:
            search.prove(
                self._problem.bound(
                    tpus.components[0], math.inf, self._method, self._problem.assumptions, search.seconds
                )
            )
            return False
        if self._propose:
            for start in search.starts:
                search.incumbent(start)
        self.offer(tpus.balanced())
        search.check()
        # What the compiler does, so that no search that is stopped ends with less than that.
        cut = cut_by_bytes(tpus.units.memory, file_order(tpus.units), tpus.stages)
        if tpus.keeps(cut):
            self.offer(cut)
        if search.best is not None:
            self.plan = search.best[np.unique(tpus.units.unit_of, return_index=True)[1]]
        for component in tpus.components:
            self._prove(component, tpus.simple_bound(component), ())
        self.adopt()
        return True

    def adopt(self) -> None:
        """Go on from a better plan that was found elsewhere."""
        found = self.search.adopt() if self._propose else None
        if found is not None:
            self.plan = found[np.unique(self.tpus.units.unit_of, return_index=True)[1]]

    def offer(self, stage_of: Ints) -> None:
        """A plan of the units (int32[m]), kept where none before was better."""
        if self.plan is None or self.key(stage_of) < self.key(self.plan):
            self.plan = stage_of
        if self._propose:
            self.search.incumbent(self.tpus.device_of(stage_of))

    def key(self, stage_of: Ints) -> tuple[int, ...]:
        """The components of a plan of the units (int32[m]) in their order, as whole numbers."""
        measures = self.tpus.measures(stage_of)
        return tuple(measures[component] for component in self.tpus.components)

    def coarsen(self, bits: int) -> None:
        """Go on with numbers of which the sums have at most so many bits. What is proven so far holds in them, too."""
        fine = self.tpus
        self.tpus = fine.coarser(bits)
        for name, value in self.least.items():
            self.least[name] = value // int(fine.grain_for(name) / self.tpus.grain_for(name))

    def take(self, step: Step) -> None:
        """Report a step of an exact method."""
        if step.stage_of is not None:
            self.offer(step.stage_of)
        self._prove(step.component, step.value, self.given)
        if step.final:
            self.least[step.component] = step.value
            self.given += ((step.component, self.tpus.value(step.component, step.value)),)

    def _prove(self, component: str, value: int, given: tuple[tuple[str, float], ...]) -> None:
        bound = self._problem.bound(
            component, self.tpus.value(component, value), self._method, self._problem.assumptions,
            self.search.seconds, given,
        )  # fmt: skip
        self.search.prove(bound)
