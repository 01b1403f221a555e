"""The bound of nested cuts: every device of a row has a price, and the cheapest chain of ideals is a minimum cut."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.methods.ideals.relaxations import parts, relaxations
from planner.methods.ideals.rows import KEPT_RULES, lattice_units, unsuited
from planner.methods.nested_cuts.tree import Tree
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order
from planner.methods.slicing import Slicer
from planner.methods.units import Units, chain
from planner.model.graph import Bools
from planner.options import Option
from planner.problem.evaluator import Evaluator
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search

MOST_DEVICES, MOST_ROWS = 8, 60
"""Devices, and orders in which fast ones and others may stand."""
MOST_NODES = 12_000
"""Units times thresholds: a cut of so many takes some ten milliseconds."""
KEPT = KEPT_RULES | {kernels.RULE_CONTIGUOUS, kernels.RULE_SUPPORT}
"""The rules that every chain keeps. Those of a machine beyond these are left out."""


class NestedCuts(BoundMethod):
    """Some device costs as much as all of them at any prices that sum to one: the best prices, then branch and bound.

    The proof is in ``docs/bounds.md``. A CPU may stand anywhere among accelerators; each order is bounded, and the weakest counts.
    """

    name: ClassVar[str] = "nested-cuts"
    title: ClassVar[str] = "Nested cuts"
    summary: ClassVar[str] = (
        "a price for each of a few devices: the cheapest chain of ideals, by minimum cuts"
    )
    source: ClassVar[Source] = Source("Stageboard's own", "docs/bounds.md")
    targets: ClassVar[frozenset[str]] = frozenset({"pool", "pipeline", "edge-tpu", "mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "bottleneck", "stage-time", "chip-latency"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("nodes", 10_000, "most parts of the tree", low=0, high=1_000_000),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Serves up to eight devices in a row that add work and transfers, and pools whose devices are contiguous."""
        reason = super().refusal(problem)
        if reason is not None:
            return reason
        e = problem.easier.evaluator
        codes = {rule.code for rule in e.rules}
        if not codes & {kernels.RULE_ORDER, kernels.RULE_CONTIGUOUS}:
            return f"'{self.name}' bounds contiguous splits; the target allows others (contiguous=false)"
        if not e.plain or e.communication != kernels.SUM:
            return (
                f"'{self.name}' serves devices that add work and transfers, without replication or clusters"
            )
        if e.k > MOST_DEVICES or (codes & {kernels.RULE_CONTIGUOUS} and _count_rows(e) > MOST_ROWS):
            return f"'{self.name}' serves up to {MOST_DEVICES} devices, and few ways to put unequal ones and CPUs in a row"
        return None if codes & {kernels.RULE_CONTIGUOUS} else unsuited(problem, self.name)

    def prove(self, problem: Problem, search: Search) -> None:
        """A bound once every order of the devices has one, then ever better ones."""
        if report_infeasible(problem, search, self.name):
            return
        most = _cost_in_hand(problem, search)
        units = _units(problem)
        if units.count == 0 or problem.evaluator.k < 2:
            return  # nothing lies between devices
        if units.count * (problem.evaluator.k - 1) > MOST_NODES:
            raise PlannerRefusal(
                f"{problem.graph.name} has too many ops for '{self.name}'; choose another method or keep ops together"
            )
        left_out = tuple(f"rule:{rule.name}" for rule in problem.evaluator.rules if rule.code not in KEPT)
        used = frozenset(token for token in problem.assumptions if not token.startswith(left_out))
        proven = 0.0

        def prove(value: float) -> None:
            nonlocal proven
            if value > proven:
                proven = value
                search.prove(problem.bound(problem.objective, proven, self.name, used, search.seconds))

        tree: Tree | None = None
        for tree in _trees(problem, units, most, search):
            prove(tree.bound)
        assert tree is not None
        while not tree.done and tree.expanded < int(search.options["nodes"]):
            tree.step()
            prove(tree.bound)
            search.iteration()
            search.progress(None, f"{tree.expanded} parts looked at")
            search.check()
        prove(tree.bound)


def _count_rows(e: Evaluator) -> int:
    """In how many orders the devices of a pool may stand, those of a class being alike."""
    return math.factorial(e.k) // math.prod(math.factorial(int(count)) for count in np.bincount(e.class_of))


def _units(problem: Problem) -> Units:
    """Units of which every valid plan makes a chain of ideals, numbered topologically."""
    found = parts(problem)
    if any(rule.code == kernels.RULE_CONTIGUOUS for rule in problem.evaluator.rules):
        return relaxations(problem, found)[0](True).units
    return lattice_units(problem, found, True).units


def _cost_in_hand(problem: Problem, search: Search) -> float:
    """What a valid plan costs: the best that was heard of, given, or sliced from one order; infinity without any."""
    e, costs = problem.evaluator, [math.inf]
    heard = search.exchange.best
    plans = [*search.starts, *([] if heard is None else [heard.decision])]
    units = chain(problem)
    try:
        slicer = Slicer(units)
        order = depth_first_order(*units.succs)
        plans += [device_of[units.unit_of] for device_of in slicer.slicings(order, search)]
    except PlannerRefusal:
        pass  # more pinned devices than slicing can tell apart
    for plan in plans:
        device_of = e.checked(np.asarray(plan, np.int32))
        if not e.violations(device_of):
            costs.append(e.objective(device_of))
    return min(costs)


def _trees(problem: Problem, units: Units, most: float, search: Search) -> Iterator[Tree]:
    """Trees that bound the same plans, the better ones later: of a pool, or of devices whose places are given.

    Who streams parameters that its memory does not hold pays both work + transfers and that + (parameters - memory) / rate at least. Which
    of the two is looked at is chosen for each class of devices: the one that bounds more beside what is chosen for the others.
    """
    e = problem.evaluator
    numbers = np.unique(e.class_of)
    members = [np.flatnonzero(e.class_of == c) for c in numbers]
    times = units.work.sum(axis=2)[numbers]
    pays = np.array([e.pays[devices[0]] for devices in members])
    classes = np.searchsorted(numbers, e.class_of)
    if any(rule.code == kernels.RULE_CONTIGUOUS for rule in e.rules):
        last = np.full(units.count, e.k - 1, np.int8)
        fine = np.stack([units.allowed[:, devices].any(axis=1) for devices in members])
        rows = list(_rows(np.bincount(classes).tolist()))
        first = np.zeros(units.count, np.int8)
        bases = np.zeros(len(numbers))
        yield Tree(units, rows, np.where(fine, times, np.inf), pays, bases, first, last, most, search.check)
        return
    first = np.argmax(units.allowed, axis=1).astype(np.int8)
    last = (e.k - 1 - np.argmax(units.allowed[:, ::-1], axis=1)).astype(np.int8)
    budgets = np.array([e.budget[devices[0]] for devices in members])

    def tree(streaming: Bools) -> Tree:
        """The tree where the classes ``streaming`` (bool[c]) are charged for what they stream; its root is bounded."""
        charged = times + streaming[:, None] * units.params / e.streaming_rate
        base = np.where(streaming, -budgets, 0.0) / e.streaming_rate
        made = Tree(units, [classes.tolist()], charged, pays, base, first, last, most, search.check)
        made.step()
        return made

    # Whoever holds all parameters never streams.
    streaming = float(units.params.sum()) > budgets
    best = tree(streaming)
    yield best
    for c in np.flatnonzero(streaming).tolist():
        other = streaming.copy()
        other[c] = False
        without = tree(other)
        if without.bound > best.bound:
            streaming, best = other, without
            yield best


def _rows(left: list[int]) -> Iterator[list[int]]:
    """The orders in which ``left[c]`` devices of each class c may stand, each as the class of every place."""
    if not any(left):
        yield []
    for c, count in enumerate(left):
        if count:
            rest = [number - (other == c) for other, number in enumerate(left)]
            yield from ([c, *row] for row in _rows(rest))
