"""Plan files: a decision with everything needed to check it again from nothing.

A plan file is one JSON object: ``format`` ("stageboard-plan"), ``version`` (1), ``name``; ``graph`` (name, fingerprint,
sizes and how its file was read); ``problem`` (target, objective, cost model, constraints); ``decision`` (the device of
every op, by id and name); ``evaluation`` (the numbers, for people and scripts: reading computes them again);
``provenance``; ``bounds`` (each with its method and what its proof assumed).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, field

from planner.errors import PlanError, StageboardError
from planner.files import to_json, write_atomically
from planner.formats.checks import Text, shown, table, whole, words
from planner.guard import guarded
from planner.machines.spec import with_named
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.cost_model import CostModel, fill
from planner.model.graph import Graph, Ints
from planner.model.named_machines import NO_MACHINES, Machines
from planner.model.precision import FILE, ReadOptions, checked, precision_of
from planner.plan_files import order_json
from planner.plan_files.bound_json import bounds_list, claimant, finite
from planner.plan_files.plan_parts import (
    FORMAT,
    VERSION,
    StoredPlan,
    StoredProblem,
    bounds_of,
    components_dict,
    kind_of,
    load,
    provenance_dict,
    provenance_of,
    target_of,
)
from planner.plan_files.stored_figures import differences
from planner.printable import clean
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.device_times import on_devices
from planner.problem.problem import Constraint, Pin, Plan, Problem, Together
from planner.problem.target import Target
from planner.typed_json import typed


class OpenedPlan(NamedTuple):
    """A plan read from a file, the bounds stored with it, which the file claims, and what a person should know about the reading."""

    plan: Plan
    bounds: tuple[Bound, ...]
    notes: tuple[str, ...]
    other_costs: bool = False
    """Whether the plan was made with other times of ops: its figures are of those at hand then, its bounds are gone, and a note says so."""


# ------------------------------------------------------------------------------------------------------------ writing
def write_plan(path: str | os.PathLike[str], plan: Plan | OrderPlan, bounds: Iterable[Bound] = ()) -> Path:
    """Write a plan file, all of it or nothing. Raises :class:`StageboardError` where the system refuses."""
    if isinstance(plan, OrderPlan):
        # A line for each connection would be of no use to anybody.
        return write_atomically(path, to_json(order_json.to_dict(plan, bounds), indent=None))
    return write_atomically(path, to_json(to_dict(plan, bounds)))


def to_dict(plan: Plan, bounds: Iterable[Bound] = ()) -> dict[str, Any]:
    """The JSON object of a plan file."""
    problem, graph = plan.problem, plan.problem.graph
    devices = [device.name for device in problem.devices]
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": plan.name,
        "graph": {
            "name": graph.name,
            "fingerprint": graph.fingerprint,
            "structure": graph.structure,
            **graph_sizes(graph),
            "format": graph.format,
            "models": list(graph.model_names),
            "read_options": dict(graph.read_options),
            "time_unit": graph.time_unit,
            **({} if graph.measured is None else {"measured": "; ".join(graph.measured.sources)}),
        },
        "problem": {
            "target": problem.target.to_dict(),
            "objective": problem.objective,
            "cost_model": None if graph.cost_model is None else graph.cost_model.to_dict(),
            "constraints": [constraint_dict(constraint) for constraint in problem.constraints],
        },
        "decision": {
            "kind": "assignment",
            "devices": devices,
            "ops": [
                {"id": graph.op_ids[v], "name": graph.op_names[v], "device": devices[d]}
                for v, d in enumerate(plan.decision.device_of.tolist())
            ],
        },
        "evaluation": evaluation_dict(plan.evaluation, problem),
        "provenance": provenance_dict(plan.provenance),
        "bounds": bounds_list(bounds),
    }


def graph_sizes(graph: Graph) -> dict[str, float]:
    """How large a graph is, as its plans' files say."""
    return {
        "ops": graph.n,
        "tensors": graph.tensor_count,
        "tensor_bytes": float(graph.tensor_bytes.sum()),
        "param_bytes": float(graph.param_bytes.sum()),
    }


def constraint_dict(constraint: Constraint) -> dict[str, Any]:
    """A constraint as JSON, ops by id."""
    if isinstance(constraint, Pin):
        return {"kind": "pin", "op": constraint.op, "device": constraint.device}
    return {"kind": "together", "ops": list(constraint.ops)}


def evaluation_dict(evaluation: Evaluation, problem: Problem) -> dict[str, Any]:
    """An evaluation as JSON: components, validity, violations and the parts of every device's cost."""
    ids = problem.graph.op_ids
    names = [device.name for device in problem.devices]
    parts = ("receive", "work", "streaming", "send", "cost", "memory")
    stages: list[dict[str, Any]] = [{} for _ in names]
    if getattr(problem.target, "replication", False):
        # How many devices work on a device's stage (0 = it holds none), and whose stage it works on.
        stages = [
            {"replicas": int(count), "serves": None if stage < 0 else names[stage]}
            for count, stage in zip(evaluation.replicas.tolist(), evaluation.serves.tolist(), strict=True)
        ]
    return {
        "objective_name": evaluation.objective_name,
        "objective": finite(evaluation.objective),
        "components": components_dict(evaluation),
        **({"figures": {n: finite(v) for n, v in evaluation.figures.items()}} if evaluation.figures else {}),
        "valid": evaluation.valid,
        "violations": [
            {
                "kind": violation.kind,
                "ops": [ids[v] for v in violation.ops],
                "devices": [names[d] for d in violation.devices],
                "sentence": violation.sentence,
            }
            for violation in evaluation.violations
        ],
        "devices": [
            {
                "name": name,
                "ops": int(evaluation.ops[d]),
                **{part: finite(float(getattr(evaluation, part)[d])) for part in parts},
                **{name: finite(float(amounts[d])) for name, amounts in evaluation.details.items()},
                **stages[d],
            }
            for d, name in enumerate(names)
        ],
    }


# ------------------------------------------------------------------------------------------------------------ reading
class _Placed(Struct):
    id: Text
    device: Text


class _Assignment(Struct):
    ops: list[_Placed]


class _Pin(Struct, tag_field="kind", tag="pin"):
    op: Text
    device: Text


class _Together(Struct, tag_field="kind", tag="together"):
    ops: list[Text]


class _Problem(StoredProblem):
    cost_model: dict[str, Any] | None = None
    constraints: list[_Pin | _Together] = field(default_factory=list)


class _PlanFile(StoredPlan, kw_only=True):
    decision: _Assignment
    graph: dict[str, Any]
    problem: _Problem


def plan_model_options(path: str | os.PathLike[str]) -> ReadOptions:
    """How the plan's model was read, to read it the same way. Raises :class:`PlanError`."""
    file = Path(path).name
    with guarded(file, PlanError):
        graph = table(load(path).get("graph"), f"{file}: graph", PlanError)
        options = table(graph.get("read_options", {}), f"{file}: read_options", PlanError)
        batch = whole(options.get("batch", 1), f"{file}: batch", 1, 10**6, PlanError)
        return {"batch": batch, "precision": checked(options.get("precision", FILE))}


def plan_target(path: str | os.PathLike[str]) -> Target:
    """The machine that the plan of a graph in a file is for. Raises :class:`PlanError`."""
    file = Path(path).name
    with guarded(file, PlanError):
        return target_of(typed(load(path), _PlanFile, file, PlanError).problem.target, file)


def read_plan(
    path: str | os.PathLike[str], graph: Graph, own_record: bool = False
) -> tuple[Plan, tuple[Bound, ...]]:
    """The plan in a file, evaluated anew, and the bounds stored with it: :func:`open_plan` without its notes.

    The notes are in the plan's ``provenance.note``.
    """
    opened = open_plan(path, graph, own_record)
    return opened.plan, opened.bounds


def open_plan(
    path: str | os.PathLike[str], graph: Graph, own_record: bool = False, named: Machines = NO_MACHINES
) -> OpenedPlan:
    """The plan of ``graph`` in a file; nothing that it claims of costs is believed, all is computed again.

    Its bounds are claims of the file (:attr:`planner.problem.bound.Bound.claimed_by`), unless the file is part of Stageboard or, as
    ``own_record`` says, was written by Stageboard for itself.

    A plan that was made with other times of ops (:attr:`planner.model.graph.Graph.structure` is the same) is evaluated with those of ``graph``.
    The plan's cost model is applied, with the rates of ``named`` machines in place of its own: ``plan.problem.graph`` is then ``graph`` with other estimated times. ``notes`` says
    where stored numbers differ from computed ones by more than 1e-9, and which stored bounds were dropped. Raises
    :class:`PlanError` where the file is damaged or belongs to another graph; the sentence says how they differ.
    """
    with guarded(Path(path).name, PlanError):
        return plan_in(load(path), graph, Path(path).name, claimant(path, own_record), named)


def plan_in(
    data: Mapping[str, Any], graph: Graph, file: str, claimed_by: str, named: Machines = NO_MACHINES
) -> OpenedPlan:
    """:func:`open_plan` of the JSON object of a plan file; ``file`` is what sentences call it, ``claimed_by`` who claims its bounds.

    Raises :class:`PlanError`.
    """
    if (kind := kind_of(data, file)) == order_json.KIND:
        raise PlanError(
            f"{file} is an order of a network's connections; open it with that network, not with {graph.name}"
        )
    if kind != "assignment":
        raise PlanError(f"{file}: a decision of kind {shown(kind)} is not known here; update Stageboard")
    stored = typed(data, _PlanFile, file, PlanError)
    places = _places(stored.decision, file)
    if any(name.isdigit() for name, _ in graph.device_times):
        with guarded(file, PlanError):
            graph = on_devices(graph, target_of(stored.problem.target, file))
    other_costs = stored.graph.get("fingerprint") != graph.fingerprint
    if other_costs and stored.graph.get("structure") != graph.structure:
        raise PlanError(
            f"{file} is a plan of another graph: {difference(stored.graph, data['decision'], graph)}"
        )
    try:
        problem = _problem(stored.problem, graph, file)
        other = _with_machines(problem, named)
    except StageboardError as error:
        raise PlanError(str(error) if file in str(error) else f"{file}: {error}") from error
    if other.fingerprint != problem.fingerprint:
        problem, other_costs = other, True
    device_of = _device_of(places, problem, file)
    provenance = provenance_of(stored.provenance, file, claimed_by)
    plan = problem.plan(device_of, provenance, stored.shown_name)
    names = [device.name for device in problem.devices]
    computed = evaluation_dict(plan.evaluation, problem)
    bounds: tuple[Bound, ...] = ()
    if other_costs:
        notes = [_other_costs(stored)]
    else:
        notes = differences(data, computed, graph_sizes(graph), names, file)
        bounds, dropped = bounds_of(stored.bounds, problem, plan.evaluation, claimed_by)
        notes += dropped
    if notes:
        note = "; ".join([*([provenance.note] if provenance.note else []), *notes])
        plan = replace(plan, provenance=replace(provenance, note=note))
    return OpenedPlan(plan, bounds, tuple(notes), other_costs)


def _with_machines(problem: Problem, named: Machines) -> Problem:
    """The problem with the rates of named machines. Raises :class:`StageboardError` where these say nothing of its target."""
    if not named.uses:
        return problem
    model = problem.graph.cost_model
    graph = problem.graph if model is None else fill(problem.graph, named.cost_model(model))
    return replace(problem, graph=graph, target=with_named(problem.target, named))


def _other_costs(stored: _PlanFile) -> str:
    """What to say of a plan of the same ops with other times."""
    was = stored.graph.get("measured")
    of = f" ({clean(was)})" if isinstance(was, str) and was else ""
    bounds = "; the bounds in its file were proven with those and were dropped" if stored.bounds else ""
    return f"it was made with other times of ops{of} and was evaluated again with those at hand{bounds}"


def _places(decision: _Assignment, file: str) -> dict[str, str]:
    """Op id -> device name, in the file's order."""
    places: dict[str, str] = {}
    for op in decision.ops:
        identity = words(op.id)
        if identity in places:
            raise PlanError(f"{file} places op '{identity}' twice; keep one of the two")
        places[identity] = words(op.device)
    return places


def difference(stored: Mapping[str, Any], decision: Mapping[str, Any], graph: Graph) -> str:
    """How a plan's graph differs from ``graph``: its ops, else its sizes, as the end of a sentence."""
    entries = [entry for entry in decision.get("ops", []) if isinstance(entry, dict)]
    planned = {str(entry.get("id")): str(entry.get("name", entry.get("id"))) for entry in entries}
    missing = [clean(name) for op, name in planned.items() if op not in graph.index]
    extra = [graph.op_names[v] for op, v in graph.index.items() if op not in planned]
    title = clean(str(stored.get("name", "")))[:80]
    if missing or extra:
        parts = [f"it places {len(planned)} ops of '{title}' while '{graph.name}' has {graph.n}"]
        for names, words in ((missing, "not in this model"), (extra, "not in the plan")):
            if names:
                more = ", ..." if len(names) > 3 else ""
                parts.append(f"{len(names)} are {words} ({', '.join(names[:3])}{more})")
        return f"{'; '.join(parts)}; open the model it was made for"
    options, here = stored.get("read_options") or {}, dict(graph.read_options)
    if isinstance(options, dict) and options.get("batch", 1) != here.get("batch", 1):
        batch, given = shown(options.get("batch", 1)), here.get("batch", 1)
        return f"it was made with batch {batch} and '{graph.name}' was read with {given}; read the model with that batch"
    if isinstance(options, dict) and options.get("precision", FILE) != precision_of(graph):
        counted, given = shown(options.get("precision", FILE)), shown(precision_of(graph))
        return f"it was made with precision {counted} and '{graph.name}' was read with {given}; read the model with that precision"
    models, own = stored.get("models"), list(graph.model_names)
    if isinstance(models, list) and models != own and sorted(map(str, models)) == sorted(own):
        return f"its models are in another order; name them as the plan does: {', '.join(models[:8])}"
    for key, now, what in (
        ("tensor_bytes", float(graph.tensor_bytes.sum()), "tensors hold"),
        ("param_bytes", float(graph.param_bytes.sum()), "parameters take"),
    ):
        then = stored.get(key)
        if isinstance(then, (int, float)) and not isinstance(then, bool) and then != now:
            return f"its ops are the same but its {what} {then:,.0f} bytes and here {now:,.0f}; open the model it was made for"
    same = stored.get("structure") is None
    what = "connections, kinds or times" if same else "connections, kinds or sizes"
    return f"its ops are the same but their {what} differ; open the model it was made for"


def _problem(stored: _Problem, graph: Graph, file: str) -> Problem:
    if stored.cost_model is not None:
        graph = fill(graph, CostModel.from_dict(stored.cost_model))
    elif not graph.profiled:
        graph = fill(graph)
    for key, value in stored.target.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, float) and not math.isfinite(number) for number in numbers):
            raise PlanError(f"{file}: the target's {clean(key)} is {value}; it must be finite")
    constraints = tuple(
        Pin(words(one.op), words(one.device))
        if isinstance(one, _Pin)
        else Together(tuple(map(words, one.ops)))
        for one in stored.constraints
    )
    return Problem(graph, target_of(stored.target, file), words(stored.objective), constraints)


def _device_of(places: Mapping[str, str], problem: Problem, file: str) -> Ints:
    graph = problem.graph
    numbers = {device.name: i for i, device in enumerate(problem.devices)}
    device_of = np.full(graph.n, -1, np.int32)
    for op, device in places.items():
        v = graph.index.get(op)
        if v is None:
            raise PlanError(
                f"{file} places op '{op}', which {graph.name} does not have; open the model it was made for"
            )
        d = numbers.get(device)
        if d is None:
            raise PlanError(
                f"{file} places op '{op}' on '{device}', which its target does not have"
                f" (it has {', '.join(list(numbers)[:6])}{', ...' if len(numbers) > 6 else ''}); correct the device's name"
            )
        device_of[v] = d
    left = np.flatnonzero(device_of < 0)
    if len(left):
        names = ", ".join(graph.op_names[v] for v in left[:3].tolist())
        raise PlanError(
            f"{file} leaves {len(left)} of {graph.n} ops without a device ({names}{', ...' if len(left) > 3 else ''});"
            " the file is incomplete"
        )
    return device_of
