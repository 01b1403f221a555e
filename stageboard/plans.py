"""Plans: what a search found, what one's own assignment costs, what a file holds."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.errors import PlanError
from planner.evaluation.device_words import device_traits
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.machines.two_level_memory.repair import repair_order
from planner.plan_files.models import model_files
from planner.plan_files.order_json import is_order_plan, open_network_plan
from planner.plan_files.plan_json import open_plan, plan_model_options, write_plan
from planner.plan_files.plan_parts import provenance_dict
from planner.printable import plural
from planner.problem import problem as problems
from planner.problem.base import AnyPlan, PlanningProblem, decision_of
from planner.problem.bound import Bound as Proof
from planner.problem.bound import Standing, proven
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.quantity import amount_text
from planner.repair import RepairError, repair
from planner.repair.plans import repaired_order, repaired_plan
from planner.runs.posing import network_problem_on, problem_on
from planner.runs.proving import known_at_once, with_known
from planner.runs.warm_up import warm_repair
from planner.text_table import gap_limit
from stageboard.devices import Device, Devices
from stageboard.models import Graph, Network, StrPath, read

Model = Graph | Network
Assignment = Mapping[str, int | str] | ArrayLike
"""The device of every op by its name, as a number or a name; or numbers in the order of the ops. Of a network: the order of its connections."""
BY_HAND = Provenance("hand")
"""Where plans of one's own come from."""
REPAIRING = 2.0
"""Seconds for which repair looks for nearer plans where nobody says how long."""


@dataclass(frozen=True)
class Ending:
    """How the search for a plan ended: ``optimal``, ``feasible``, ``infeasible`` or ``no_plan``; why it stopped (``finished``, ``time``, ``gap``,
    ``cancelled``; empty where nobody searched); and a sentence where there is more to say."""

    status: str
    stop_reason: str = ""
    message: str = ""
    standings: tuple[Mapping[str, Any], ...] = ()


class Plan:
    """What goes where, evaluated, with what is proven of it. Where there is no plan, its figures are None and :attr:`message` says why.

    Plans do not change: :meth:`move` and :meth:`repair` give others.
    """

    def __init__(
        self, model: Model, problem: PlanningProblem, found: AnyPlan | None, bounds: Iterable[Proof], ending: Ending | None = None
    ) -> None:  # fmt: skip
        """For the verbs of this library; ``found`` is None where no plan was."""
        self.model = model
        self.problem: Any = problem
        self.found: Any = found
        self.bounds = tuple(bounds)
        self._ending = ending

    # ------------------------------------------------------------------ figures
    @property
    def target(self) -> Target:
        """The machine."""
        found: Target = self.problem.target
        return found

    @property
    def objective(self) -> float | None:
        """What is minimised: its first component."""
        return None if self.found is None else float(self.found.objective)

    @property
    def components(self) -> dict[str, float]:
        """All components of the objective by name, in the order in which plans are compared."""
        return (
            {} if self.found is None else {n: float(v) for n, v in self.found.evaluation.components.items()}
        )

    @property
    def bound(self) -> float | None:
        """What is proven that no valid plan is better than; infinite where no valid plan exists."""
        strongest = self.problem.strongest_bound(self.bounds)
        return None if strongest is None else float(strongest.value)

    @property
    def bound_method(self) -> str:
        """Who proved it; empty without a bound."""
        strongest = self.problem.strongest_bound(self.bounds)
        return "" if strongest is None else str(strongest.method)

    @property
    def _standing(self) -> Standing | None:
        if self.found is None or not self.valid:
            return None
        found: Standing = self.problem.standing(self.found.evaluation.values, self.bounds)
        return found

    @property
    def gap(self) -> float | None:
        """(objective - bound) / objective of the first component that is not yet proven; 0 where all are, None without a bound."""
        standing = self._standing
        return None if standing is None else standing.gap

    @property
    def status(self) -> str:
        """``optimal`` (proven), ``feasible``, ``infeasible`` (proven: no valid plan exists), or ``no_plan``: none was found, or this one breaks rules."""
        standing = self._standing
        if standing is not None:
            return standing.status
        return "no_plan" if self._ending is None or self.found is not None else self._ending.status

    @property
    def valid(self) -> bool:
        """Whether there is a plan and it keeps all rules and constraints."""
        return self.found is not None and bool(self.found.evaluation.valid)

    @property
    def violations(self) -> tuple[str, ...]:
        """A sentence for each rule that the plan breaks."""
        return () if self.found is None else tuple(v.sentence for v in self.found.evaluation.violations)

    @property
    def stop_reason(self) -> str:
        """Why its search stopped: ``finished``, ``time``, ``gap`` or ``cancelled``; empty where nobody searched."""
        if self._ending is not None:
            return self._ending.stop_reason
        return "" if self.found is None else str(self.found.provenance.stop_reason)

    @property
    def message(self) -> str:
        """What else there is to say: why there is no plan, and what would help; empty where there is nothing."""
        return "" if self._ending is None else self._ending.message

    @property
    def standings(self) -> tuple[Mapping[str, Any], ...]:
        """Of a plan that won a race: all who took part, the best first."""
        return () if self._ending is None else self._ending.standings

    @cached_property
    def devices(self) -> Devices:
        """What each device has and pays; empty without a plan, and of a network."""
        if self.found is None or isinstance(self.problem, NetworkProblem):
            return Devices((), None, -1, ())
        e, problem = self.found.evaluation, self.problem
        rows = [
            Device(device.name, int(e.ops[d]), *(float(getattr(e, part)[d]) for part in Device._fields[2:]))
            for d, device in enumerate(problem.devices)
        ]
        slowest = int(e.bottleneck) if rows and e.pace[e.bottleneck] > 0 else -1
        return Devices(rows, problem.graph.time_unit, slowest, device_traits(problem))

    @property
    def assignment(self) -> dict[str, int]:
        """The number of the device of each op, by the op's name; of a network, see :attr:`order`."""
        if self.found is None or isinstance(self.problem, NetworkProblem):
            return {}
        return dict(zip(self.model.ops, self.found.decision.device_of.tolist(), strict=True))

    @property
    def order(self) -> NDArray[np.int32]:
        """Of a network: its connections by number, in the order of their use (int32[W]); of a graph, see :attr:`assignment`."""
        if isinstance(self.found, OrderPlan):
            return self.found.decision.order
        return np.empty(0, np.int32)

    @property
    def provenance(self) -> dict[str, Any]:
        """Who found it, with which options and seed: enough to find it again. Empty without a plan."""
        return {} if self.found is None else provenance_dict(self.found.provenance)

    # ------------------------------------------------------------------ other plans
    def _held(self) -> AnyPlan:
        """The plan. Raises :class:`PlanError` where there is none."""
        if self.found is None:
            raise PlanError(f"there is no plan of {self.problem.name} here ({self.status}); {self.message}")
        plan: AnyPlan = self.found
        return plan

    def _graph_plan(self, what: str) -> problems.Plan:
        plan = self._held()
        if not isinstance(plan, problems.Plan):
            raise PlanError(f"an order of a network's connections {what}")
        return plan

    def move(self, moves: Mapping[str, int | str]) -> Plan:
        """The plan with some ops, by name, on other devices, by number or name; evaluated, whether it keeps the rules or not.

        Raises :class:`PlanError` and :class:`StageboardError` where there is no such op or device.
        """
        plan = self._graph_plan("has no ops that could be moved")
        device_of = plan.decision.device_of.copy()
        for op, device in moves.items():
            device_of[plan.problem.graph.find(op)] = plan.problem.device_index(str(device))
        return Plan(self.model, plan.problem, plan.problem.plan(device_of, BY_HAND), proven(self.bounds))

    def repair(self, *, keep: Sequence[str] = (), seed: int = 0, time_limit: float = REPAIRING) -> Plan:
        """A valid plan near this one, which as few ops as possible leave their devices for; itself where it is valid.

        Ops to ``keep`` stay where they are before all others. Where there is none, :attr:`status` and :attr:`message` say so.
        """
        plan, began = self._held(), time.perf_counter()
        if isinstance(plan, OrderPlan):
            order = repaired_order(
                plan, repair_order(plan.problem, plan.decision.order), time.perf_counter() - began
            )
            return Plan(self.model, plan.problem, order, self.bounds)
        assert isinstance(plan, problems.Plan)
        problem = plan.problem
        kept = np.array([problem.graph.find(op) for op in keep], np.int32)
        warm_repair(problem)
        began = time.perf_counter()
        try:
            found = repair(problem, plan.decision.device_of, kept, seed, time_limit)
        except RepairError as error:
            ending = Ending("infeasible" if error.proven else "no_plan", "finished", str(error))
            return Plan(self.model, problem, None, self.bounds, ending)
        near = repaired_plan(plan, found, seed, time.perf_counter() - began)
        return Plan(
            self.model, problem, near, proven(self.bounds), Ending("feasible", "finished", found.sentence)
        )

    def evaluate(self) -> Plan:
        """The same plan, evaluated again from nothing, with what is proven at once."""
        plan: Any = self._held()
        again = self.problem.plan(decision_of(plan), plan.provenance, plan.name)
        return Plan(self.model, self.problem, again, with_known(self.problem, self.bounds), self._ending)

    def save(self, path: StrPath) -> Path:
        """Write it to a plan file (JSON), which every command and the window read. Raises :class:`StageboardError`."""
        plan: Any = self._held()
        return write_plan(path, plan, self.bounds)

    # ------------------------------------------------------------------ for people
    @property
    def title(self) -> str:
        """The model and its machine."""
        return f"{self.problem.name} on {self.target.spec()}"

    @property
    def objective_words(self) -> str:
        """The objective's components with their units."""
        if self.found is None:
            return "no plan"
        shown = (
            f"{name} {amount_text(value, self.problem.unit(name))}" for name, value in self.components.items()
        )
        return ", ".join(shown)

    @property
    def bound_words(self) -> str:
        """What is proven, and the gap."""
        bound, gap = self.bound, self.gap
        if bound is None:
            return "nothing is proven"
        if np.isinf(bound):
            return f"no valid plan exists, proven by {self.bound_method}"
        least = f"at least {amount_text(bound, self.problem.unit(self.problem.components[0]))} ({self.bound_method})"
        return f"{least}, gap {gap_limit(gap)}"

    @property
    def validity_words(self) -> str:
        """Whether it keeps the rules, or why there is no plan."""
        if self.found is None:
            return f"{self.status}: {self.message}"
        broken = self.violations
        if broken:
            return f"breaks {len(broken)} rule{'' if len(broken) == 1 else 's'}: {broken[0]}"
        return f"valid, {self.status}"

    def __str__(self) -> str:
        """Four lines: machine, objective, bound and gap, validity."""
        return "\n".join((self.title, self.objective_words, self.bound_words, self.validity_words))

    def __repr__(self) -> str:
        """One line."""
        gap = "" if self.gap is None else f", gap {gap_limit(self.gap)}"
        return f"<Plan {self.title}: {self.objective_words}{gap}, {self.status}>"

    def _repr_html_(self) -> str:
        """For notebooks: the readout, the plan as an inline picture, and the table of devices."""
        from stageboard.notebook import no_plan_html, plan_html

        if self.found is None:
            return no_plan_html(self.title, self.status, self.message)
        figures = [
            ("objective", self.objective_words),
            ("bound", self.bound_words.partition(",")[0]),
            ("gap", gap_limit(self.gap)),
            ("status", self.validity_words if self.valid else plural(len(self.violations), "broken rule")),
        ]
        of_graph = isinstance(self.found, problems.Plan)
        device_of = self.found.decision.device_of if of_graph else None
        return plan_html(
            self.title, figures, self.problem, device_of, self.violations, self.devices.as_table()
        )


# ---------------------------------------------------------------------- making them
def posed(
    model: Model, target: str | Target, objective: str = "", pins: Mapping[str, int | str] | None = None, granularity: str = "op"
) -> Problem | NetworkProblem:  # fmt: skip
    """What is planned. Raises :class:`StageboardError`."""
    if isinstance(model, Network):
        return network_problem_on(model.planned, target, objective, pins)
    return problem_on(model.planned, target, objective, pins, granularity, model.named, model.places)


def evaluate(model: Model, target: str | Target, assignment: Assignment, *, objective: str = "") -> Plan:
    """A plan of one's own: the device of every op (of a network: the order of its connections), evaluated, with what is proven at once.

    Raises :class:`StageboardError` where an op is left out or there is no such op or device.
    """
    problem: Any = posed(model, target, objective)
    if isinstance(assignment, Mapping):
        if isinstance(problem, NetworkProblem):
            raise PlanError(
                "of a network the order of its connections is evaluated; give their numbers in that order"
            )
        decision = _device_of(problem, assignment)
    else:
        decision = np.asarray(assignment)
        if not np.issubdtype(decision.dtype, np.integer):
            raise PlanError("an assignment has the number of a device for each op; give whole numbers")
    plan = problem.plan(problem.evaluator.checked(decision), BY_HAND)
    return Plan(model, problem, plan, known_at_once(problem))


def _device_of(problem: Problem, assignment: Mapping[str, int | str]) -> NDArray[np.int32]:
    graph = problem.graph
    device_of = np.full(graph.n, -1, np.int32)
    for op, device in assignment.items():
        device_of[graph.find(op)] = problem.device_index(str(device))
    left = np.flatnonzero(device_of < 0)
    if len(left):
        names = ", ".join(graph.op_names[v] for v in left[:3].tolist())
        raise PlanError(
            f"the assignment leaves {len(left)} of {graph.n} ops without a device ({names}{', ...' if len(left) > 3 else ''}); name all of them"
        )
    return device_of


def load(path: StrPath, model: Model | None = None) -> Plan:
    """The plan in a file, evaluated anew; its bounds are claims of the file and count for nothing, what is proven at once does.

    Without a ``model`` its file is looked for by name beside the plan, in the working folder, and among the samples. Raises
    :class:`PlanError` where it is not there, or the plan is another model's.
    """
    of_network = is_order_plan(path)
    if model is None:
        model = read(model_files(path)) if of_network else read(model_files(path), **plan_model_options(path))
    if of_network != isinstance(model, Network):
        kinds = ("a network", "a graph of ops") if of_network else ("a graph of ops", "a network")
        raise PlanError(
            f"{Path(path).name} is a plan of {kinds[0]}, and {model.name} is {kinds[1]}; give the model that it was made for"
        )
    opened: Any = (
        open_network_plan(path, model.planned)
        if isinstance(model, Network)
        else open_plan(path, model.planned, named=model.named)
    )
    if isinstance(model, Graph):
        model = Graph(opened.plan.problem.graph, model.paths, model.named, model.places, model.given_times)
    bounds = with_known(opened.plan.problem, opened.bounds)
    notes = Ending("", opened.plan.provenance.stop_reason, "; ".join(opened.notes))
    return Plan(model, opened.plan.problem, opened.plan, bounds, notes)
