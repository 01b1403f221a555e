"""Undo steps of a graph's document as JSON and back, for its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from gui.document.commands import (
    Command,
    Edit,
    Edited,
    MoveOps,
    OpenPlan,
    SetAssignment,
    SetConstraints,
    SetProblem,
)
from gui.document.plan_list import PlanEntry
from gui.document.steps import RemovePlan, RenamePlan
from planner.errors import StageboardError
from planner.model.graph import Floats, Graph, Ints, Measured
from planner.model.times import profiled, without_measured
from planner.problem.problem import Constraint, Pin, Problem, Together


def encode_assignment(device_of: Ints) -> list[int]:
    """Run lengths ``[device, count, device, count, ...]`` of an assignment: neighbours mostly share a device."""
    if not len(device_of):
        return []
    starts = np.flatnonzero(np.diff(device_of, prepend=device_of[0] - 1))
    counts = np.diff(starts, append=len(device_of))
    return np.stack([device_of[starts], counts], axis=1).ravel().astype(int).tolist()


def decode_assignment(runs: Any, n: int) -> Ints:
    """The inverse of :func:`encode_assignment`. Raises :class:`StageboardError` unless it has ``n`` ops."""
    if (
        not isinstance(runs, list)
        or len(runs) % 2
        or not all(type(v) is int and 0 <= v < 2**31 for v in runs)
    ):
        raise StageboardError("an assignment in the journal is damaged")
    if sum(runs[1::2]) != n:
        raise StageboardError(f"an assignment in the journal places {sum(runs[1::2])} ops, the graph has {n}")
    return np.repeat(np.array(runs[::2], np.int32), runs[1::2])


def encode_moves(ops: Ints, devices: Ints) -> dict[str, Any]:
    """Ops and where they go; one number where all go to one device."""
    single = len(devices) > 0 and bool((devices == devices[0]).all())
    return {"ops": ops.tolist(), "devices": int(devices[0]) if single else devices.tolist()}


def decode_moves(data: Mapping[str, Any], n: int) -> tuple[Ints, Ints]:
    """The inverse of :func:`encode_moves` for a graph of ``n`` ops. Raises :class:`StageboardError`."""
    ops, devices = data.get("ops"), data.get("devices")
    if (
        not isinstance(ops, list)
        or not all(type(v) is int and 0 <= v < n for v in ops)
        or len(set(ops)) != len(ops)
    ):
        raise StageboardError("a step in the journal moves ops that the graph does not have")
    devices = [devices] * len(ops) if isinstance(devices, int) else devices
    if (
        not isinstance(devices, list)
        or len(devices) != len(ops)
        or not all(type(d) is int and d >= 0 for d in devices)
    ):
        raise StageboardError("a step in the journal is damaged")
    return np.array(ops, np.int32), np.array(devices, np.int32)


def encode_constraint(constraint: Constraint) -> dict[str, Any]:
    """A constraint as JSON."""
    if isinstance(constraint, Pin):
        return {"pin": constraint.op, "device": constraint.device}
    return {"together": list(constraint.ops)}


def decode_constraint(data: Mapping[str, Any]) -> Constraint:
    """The inverse of :func:`encode_constraint`. Raises :class:`StageboardError`."""
    if isinstance(data, dict) and isinstance(data.get("pin"), str) and isinstance(data.get("device"), str):
        return Pin(data["pin"], data["device"])
    together = data.get("together") if isinstance(data, dict) else None
    if isinstance(together, list) and all(isinstance(op, str) for op in together):
        return Together(tuple(together))
    raise StageboardError("a constraint in the journal is damaged")


def encode_problem(problem: Problem, beside: Graph | None = None) -> dict[str, Any]:
    """A problem without its graph as JSON; measured times only where they are others than those of the graph that is known already."""
    model, measured = problem.graph.cost_model, problem.graph.measured
    own = problem.graph.device_times
    same = (
        not profiled(problem.graph)
        if beside is None
        else (measured is beside.measured and own == beside.device_times)
    )
    return {
        **({} if same else encode_profiles(problem.graph)),
        "target": problem.target.to_dict(),
        "objective": problem.objective,
        "constraints": [encode_constraint(c) for c in problem.constraints],
        "cost_model": None if model is None else model.to_dict(),
    }


def decode_problem(graph: Graph, data: Mapping[str, Any]) -> Problem:
    """The inverse of :func:`encode_problem` for a graph. Raises :class:`StageboardError`."""
    from planner.machines.spec import target_from_dict
    from planner.model.cost_model import CostModel, fill

    try:
        if "measured" in data:
            graph = fill(decode_profiles(without_measured(graph), data))
        if data["cost_model"] is not None:
            graph = fill(graph, CostModel.from_dict(data["cost_model"]))
        constraints = tuple(decode_constraint(c) for c in data["constraints"])
        return Problem(graph, target_from_dict(data["target"]), data["objective"], constraints)
    except (KeyError, TypeError, AttributeError) as error:
        raise StageboardError("a problem in the journal is damaged") from error


def encode_profiles(graph: Graph) -> dict[str, Any]:
    """All that profiles say of a graph as JSON: the times of every device, and those of single ones where there are any."""
    own = {name: _numbers(times) for name, times in graph.device_times}
    return {
        "measured": encode_measured(graph),
        **({} if graph.file_device_times is None else {"device_times": own}),
    }


def decode_profiles(graph: Graph, data: Mapping[str, Any]) -> Graph:
    """The inverse of :func:`encode_profiles` for a graph without measured times. Raises :class:`StageboardError`."""
    file, own = graph.device_times, data.get("device_times")
    graph = decode_measured(graph, data["measured"])
    if own is None:
        return graph
    try:
        times = {str(name): _array(values, graph.n) for name, values in own.items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise StageboardError("measured times in the journal are damaged") from error
    return replace(graph.with_device_times(times), file_device_times=file)


def encode_measured(graph: Graph) -> dict[str, Any] | None:
    """Measured times of a graph as JSON; None where there are none."""
    measured = graph.measured
    if measured is None:
        return None
    given, given_cpu = graph.given_times
    return {
        "work": _numbers(given), "work_cpu": _numbers(given_cpu), "spread": _numbers(measured.spread),
        "ops": np.flatnonzero(measured.ops).tolist(), "shared": np.flatnonzero(measured.shared).tolist(), "sources": list(measured.sources),
        "scaled": np.flatnonzero(measured.scaled).tolist(),
    }  # fmt: skip


def decode_measured(graph: Graph, data: Mapping[str, Any] | None) -> Graph:
    """The inverse of :func:`encode_measured` for a graph without measured times. Raises :class:`StageboardError`."""
    if data is None:
        return graph
    try:
        ops, shared, scaled = (np.zeros(graph.n, bool) for _ in range(3))
        ops[data["ops"]], shared[data["shared"]] = True, True
        scaled[data.get("scaled", [])] = True  # journals from before it have none
        work, work_cpu, spread = (_array(data[name], graph.n) for name in ("work", "work_cpu", "spread"))
        measured = Measured(
            ops,
            shared,
            spread,
            tuple(map(str, data["sources"])),
            (*graph.given_times, graph.time_unit),
            scaled,
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise StageboardError("measured times in the journal are damaged") from error
    return graph.with_given_times(work, work_cpu, "s", measured)


def _numbers(values: Floats) -> list[float | None]:
    """Numbers as JSON knows them; None where there is none."""
    return [None if value != value else value for value in values.tolist()]


def _array(values: Any, count: int) -> Floats:
    """The inverse of :func:`_numbers`. Raises :class:`ValueError` where it is no array of ``count`` times."""
    array = np.array([np.nan if value is None else float(value) for value in values])
    if array.shape != (count,) or (array < 0).any() or np.isinf(array).any():
        raise ValueError
    return array


def encode_entry(entry: PlanEntry) -> dict[str, Any]:
    """A plan of the list and where it came from as JSON, without its assignment."""
    from planner.plan_files.bound_json import bounds_list
    from planner.plan_files.plan_parts import provenance_dict

    return {
        "id": entry.id, "name": entry.name, "origin": entry.origin, "planner": entry.planner, "seed": entry.seed,
        "seconds": entry.seconds,
        **({} if entry.provenance is None else {"provenance": provenance_dict(entry.provenance)}),
        **({"claims": bounds_list(entry.claims)} if entry.claims else {}),
        **({} if entry.path is None else {"path": str(entry.path)}),
    }  # fmt: skip


def decode_entry(data: Mapping[str, Any], device_of: Ints) -> PlanEntry:
    """The inverse of :func:`encode_entry` with its assignment. Raises :class:`StageboardError`."""
    from planner.plan_files.bound_json import StoredBound, bound_of
    from planner.plan_files.plan_parts import provenance_of
    from planner.typed_json import typed

    try:
        provenance = data.get("provenance")
        claims = typed(data.get("claims", []), list[StoredBound], "the journal: its claims")
        return PlanEntry(
            str(data["name"]), device_of, str(data["origin"]), planner=str(data["planner"]), seed=data.get("seed"),
            seconds=data.get("seconds"), id=str(data["id"]),
            provenance=None if provenance is None else provenance_of(provenance, "the journal", ""),
            claims=tuple(bound_of(claim, "") for claim in claims),
            path=Path(str(data["path"])) if "path" in data else None,
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise StageboardError("a plan in the journal is damaged") from error


def to_json(command: Command) -> dict[str, Any]:
    """What :func:`from_json` needs to take the step again on the same earlier state."""
    if isinstance(command, RenamePlan):
        return {"kind": command.kind, "entry": command.entry.id, "name": command.names[1]}
    if isinstance(command, RemovePlan):
        return {"kind": command.kind, "entry": command.entry.id}
    out: dict[str, Any] = {
        "kind": command.kind,
        "text": command.text(),
        **encode_moves(command.ops, command.after),
    }
    if command.active[0] != command.active[1]:
        out["active"] = command.active[1]
    if command.creates is not None:
        out["creates"] = encode_entry(command.creates)
    if isinstance(command, SetAssignment):
        out["reason"] = command.reason
    if isinstance(command, OpenPlan):
        out["path"] = str(command.path)
    if command.problems is not None:
        after = cast(Problem, command.problems[1])
        if isinstance(command, SetConstraints):
            out["constraints"] = [encode_constraint(c) for c in after.constraints]
        else:
            out["problem"] = encode_problem(after, cast(Problem, command.problems[0]).graph)
    return out


def from_json(document: Edited, data: Mapping[str, Any]) -> Command:
    """The command that a journal line describes, ready to be pushed. Raises :class:`StageboardError`."""
    kind = data.get("kind")
    if kind in ("rename", "remove"):
        entry = document.plan_list.get(str(data.get("entry")))
        if entry is None:
            raise StageboardError("a step in the journal names a plan that is not in the list")
        return (
            RenamePlan(document, entry, str(data["name"]))
            if kind == "rename"
            else RemovePlan(document, entry)
        )
    problem = document.problem
    if problem is None:
        raise StageboardError("no model is open")
    ops, devices = decode_moves(data, problem.graph.n)
    problems = None
    if kind == "problem" or (kind == "open" and "problem" in data):
        problems = (problem, decode_problem(problem.graph, data.get("problem", {})))
    elif kind == "constraints":
        given = data.get("constraints")
        if not isinstance(given, list):
            raise StageboardError("a step in the journal is damaged")
        problems = (problem, problem.with_constraints(tuple(decode_constraint(c) for c in given)))
    # Of all ops: those that stay must have a place on the target that comes, too.
    after = document.device_of.copy()
    after[ops] = devices
    if after.size and int(after.max()) >= len((problems[1] if problems else problem).devices):
        raise StageboardError("a step in the journal uses a device that the target does not have")
    creates = decode_entry(data["creates"], after) if isinstance(data.get("creates"), dict) else None
    classes: dict[str, type[Edit]] = {
        c.kind: c for c in (MoveOps, SetAssignment, SetConstraints, SetProblem, OpenPlan)
    }
    if kind not in classes:
        raise StageboardError(f"the journal holds a step of the unknown kind {kind!r}")
    extra = {"path": Path(str(data.get("path")))} if kind == "open" else {}
    return classes[kind](
        document, str(data.get("text", "")), ops, devices, problems=problems, active=str(data.get("active", "")),
        creates=creates, reason=str(data.get("reason", "edit")), **extra,
    )  # fmt: skip
