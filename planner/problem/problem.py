"""Problems of graphs: a graph, a target with its rules frozen in, an objective, and the user's constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import ConstraintError, TargetError
from planner.model.graph import Floats, Graph, Ints
from planner.model.groups import GroupView, colour_classes, union
from planner.printable import plural
from planner.problem.base import AnyPlan
from planner.problem.decision import Assignment, Evaluation
from planner.problem.evaluator import EvaluatedProblem, Evaluator, Live
from planner.problem.provenance import Provenance

if TYPE_CHECKING:
    from planner.problem.target import Device, Target


REMEMBERED = 4
"""Evaluations of a problem that are kept: as many as there may be plans in a comparison."""


@dataclass(frozen=True)
class Pin:
    """The op (by id) stays on the device (by name)."""

    op: str
    device: str


@dataclass(frozen=True)
class Together:
    """The ops (by id) share a device, whichever it is."""

    ops: tuple[str, ...]


Constraint = Pin | Together


@dataclass(frozen=True, eq=False)
class Problem(EvaluatedProblem):
    """What is to be planned. Hashable and comparable by :attr:`fingerprint`."""

    graph: Graph
    target: Target
    objective: str = ""
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        if not self.objective:
            object.__setattr__(self, "objective", self.target.served_objectives()[0])
        if self.objective not in self.target.objectives:
            known = ", ".join(self.target.objectives)
            raise TargetError(
                f"target '{self.target.kind}' has no objective '{self.objective}'; choose from {known}"
            )
        self.target.check_objective(self.objective)
        if not self.graph.profiled:
            raise TargetError(
                f"{self.graph.name}: some ops have no time; fill them with planner.model.cost_model before planning"
            )
        self.target.validate(self.graph)
        names = {d.name: i for i, d in enumerate(self.devices)}
        pinned: dict[str, str] = {}
        for constraint in self.constraints:
            ops = (constraint.op,) if isinstance(constraint, Pin) else constraint.ops
            for op in ops:
                if op not in self.graph.index:
                    raise ConstraintError(
                        f"a constraint names op '{op}', which {self.graph.name} does not have"
                    )
            if isinstance(constraint, Pin):
                if constraint.device not in names:
                    raise ConstraintError(
                        f"op '{constraint.op}' is pinned to '{constraint.device}', which the target does not have;"
                        f" its devices are {', '.join(list(names)[:8])}{' ...' if len(names) > 8 else ''}"
                    )
                if pinned.setdefault(constraint.op, constraint.device) != constraint.device:
                    raise ConstraintError(
                        f"op '{constraint.op}' is pinned to both '{pinned[constraint.op]}' and '{constraint.device}'"
                    )

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone go to another process: what is derived from them is twice as large, and its maker would wait for it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # ------------------------------------------------------------------ identity
    @property
    def name(self) -> str:
        """The graph's name."""
        return self.graph.name

    @property
    def size(self) -> int:
        """Number of ops."""
        return self.graph.n

    def identity(self) -> dict[str, Any]:
        cost_model = self.graph.cost_model
        parts: dict[str, Any] = {
            "graph": self.graph.fingerprint,
            "cost_model": None if cost_model is None else cost_model.numbers(),
        }
        # Ops that constraints and rules keep together hold less: what is proven of others is not proven of them.
        return {**parts, "copied": self.copied} if self.graph.shared else parts

    def floors(self, component: str) -> tuple[str, ...]:
        """What the target says, see :meth:`planner.problem.target.Target.floors`."""
        return self.target.floors(component, self.graph)

    @cached_property
    def assumptions(self) -> frozenset[str]:
        """Tokens of the rules and constraints in force, for :attr:`planner.problem.bound.Bound.assumes`."""
        tokens = {f"rule:{rule}" for rule in self.target.rules(self.graph)}
        for constraint in self.constraints:
            if isinstance(constraint, Pin):
                tokens.add(f"pin:{constraint.op}={constraint.device}")
            else:
                tokens.add("together:" + "\0".join(sorted(constraint.ops)))
        return frozenset(tokens)

    # ------------------------------------------------------------------ machinery
    @cached_property
    def devices(self) -> tuple[Device, ...]:
        """The places an op can go."""
        return self.target.devices(self.graph)

    @cached_property
    def measured_times(self) -> Mapping[int, Floats]:
        """Times measured on single devices of the target, by number (float64[n] each, NaN where none was); those of other devices do not count."""
        known = dict(self.graph.device_times)
        hardware = self.target.hardware(self.graph) if known else ()
        return {d: known[name] for d, name in enumerate(hardware) if name in known}

    def device_index(self, device: str) -> int:
        """A device by name or number. Raises :class:`TargetError`."""
        for i, d in enumerate(self.devices):
            if d.name == device:
                return i
        if device.isdigit() and int(device) < len(self.devices):
            return int(device)
        names = ", ".join(d.name for d in self.devices[:8])
        raise TargetError(f"the target has no device '{device}'; its devices are {names}")

    @cached_property
    def groups(self) -> GroupView:
        """Ops that must share a device: :attr:`colocated` ones and those that a rule of the target ties, merged."""
        sets = self.target.together(self.graph)
        if not sets:
            return self.colocated
        return union(self.graph.n, [*self.colocated.sets(), *sets], self.graph.op_names)

    @cached_property
    def copied(self) -> tuple[tuple[int, int], ...]:
        """Shared parameters of the graph (by number) and the ops that hold a copy of them: all that read them but the first, and but those
        that every valid plan puts on the device of one that has them."""
        graph, group_of = self.graph, self.groups.group_of
        pinned = {
            int(group_of[graph.index[c.op]]): self.device_index(c.device)
            for c in self.constraints
            if isinstance(c, Pin)
        }
        found = []
        for number, one in enumerate(graph.shared):
            held: set[tuple[str, int]] = set()
            for v in (graph.index[op] for op in one.ops):
                group = int(group_of[v])
                place = ("device", pinned[group]) if group in pinned else ("group", group)
                if held and place not in held:
                    found.append((number, v))
                held.add(place)
        return tuple(found)

    @cached_property
    def colocated(self) -> GroupView:
        """Ops that must share a device by their colour classes and `Together` constraints, merged."""
        graph = self.graph
        sets: list[list[int]] = []
        if "colocation" in self.target.rules(graph):
            sets.extend(colour_classes(graph))
        for constraint in self.constraints:
            if isinstance(constraint, Together):
                sets.append([graph.index[op] for op in constraint.ops])
        return union(graph.n, sets, graph.op_names)

    @property
    def places(self) -> str:
        """What names of plans say of their machine: ``6 stages`` where devices stand in a row, else ``6 accelerators, 1 CPU``."""
        words, count = self.target.words, len(self.devices)
        if self.target.in_a_row:
            return f"{count} {words.one if count == 1 else words.many}"
        kinds: dict[str, set[str]] = {}
        for part, device in zip(self.target.hardware(self.graph), self.devices, strict=True):
            kinds.setdefault(device.kind, set()).add(part)
        return ", ".join(
            plural(len(names), "CPU" if kind == "cpu" else kind) for kind, names in kinds.items()
        )

    def unit(self, component: str) -> str | None:
        """The unit of a component: ``B`` for bytes, else the graph's time unit (None = unknown)."""
        return self.target.unit(component) or self.graph.time_unit

    @cached_property
    def evaluator(self) -> Evaluator:
        """The arrays and kernels that evaluate plans of this problem."""
        evaluator: Evaluator = self.target.evaluator(self)
        return evaluator

    def evaluate(self, device_of: Ints | Assignment) -> Evaluation:
        """Full evaluation of an assignment (int32[n]), violations included. The last ones are remembered: lists, canvas, comparisons and files ask for them in turn."""
        if isinstance(device_of, Assignment):
            device_of = device_of.device_of
        device_of = np.asarray(device_of, np.int32)
        for known, evaluation in self._evaluated:
            if np.array_equal(known, device_of):
                return evaluation
        found = self.evaluator.evaluate(device_of)
        self._evaluated[:] = [(device_of.copy(), found), *self._evaluated[: REMEMBERED - 1]]
        return found

    @cached_property
    def _evaluated(self) -> list[tuple[Ints, Evaluation]]:
        """The assignments that were evaluated last, the latest first, and what came of them; none at first."""
        return []

    def live(self, device_of: Ints | Assignment) -> Live:
        """Live evaluation starting from an assignment (int32[n])."""
        if isinstance(device_of, Assignment):
            device_of = device_of.device_of
        return self.evaluator.live(device_of)

    def plan(self, device_of: Ints | Assignment, provenance: Provenance, name: str = "") -> Plan:
        """An evaluated plan of an assignment (int32[n])."""
        decision = device_of if isinstance(device_of, Assignment) else Assignment(device_of)
        return Plan(self, decision, self.evaluate(decision), provenance, name or provenance.planner)

    @cached_property
    def easier(self) -> Problem:
        """This problem on :meth:`planner.problem.target.Target.relaxed`: its bounds are bounds of this one."""
        target = self.target.relaxed()
        return self if target is self.target else replace(self, target=target)

    def with_constraints(self, constraints: tuple[Constraint, ...]) -> Problem:
        """This problem under other constraints."""
        return replace(self, constraints=constraints)


@dataclass(frozen=True, eq=False)
class Plan(AnyPlan):
    """A decision for a problem, evaluated. ``name`` is what lists show."""

    problem: Problem
    decision: Assignment
    evaluation: Evaluation


def constraint_words(problem: Problem) -> str:
    """``2 pins`` or ``1 pin and 1 group kept together``; empty where there are no constraints."""
    pins = sum(isinstance(one, Pin) for one in problem.constraints)
    kept = len(problem.constraints) - pins
    words = [plural(pins, "pin")] if pins else []
    return " and ".join([*words, *([f"{plural(kept, 'group')} kept together"] if kept else [])])
