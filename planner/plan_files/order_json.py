"""Plan files of networks: an order of connections with everything needed to count its I/Os again from nothing.

As plan files of graphs (:mod:`planner.plan_files.plan_json`), with ``network`` (name, fingerprint, sizes, format) in place
of ``graph``, and as ``decision`` the kind ``connection-order`` with ``order``: the connections by number, as the network's
file lists them, in the order of their use.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from planner.errors import PlanError, StageboardError
from planner.formats.checks import INT32, shown, words
from planner.guard import guarded
from planner.machines.two_level_memory.order import OrderEvaluation
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan, check_memory
from planner.model.network import Network
from planner.plan_files.bound_json import bounds_list, claimant
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
from planner.problem.bound import Bound
from planner.typed_json import typed

KIND = "connection-order"


class OpenedOrder(NamedTuple):
    """A plan read from a file, the bounds stored with it, which the file claims, and what a person should know about the reading."""

    plan: OrderPlan
    bounds: tuple[Bound, ...]
    notes: tuple[str, ...]
    other_costs: bool = False
    """Never: what an order costs follows from the network alone."""


def to_dict(plan: OrderPlan, bounds: Iterable[Bound] = ()) -> dict[str, Any]:
    """The JSON object of a plan file."""
    problem, network = plan.problem, plan.problem.network
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": plan.name,
        "network": {
            "name": network.name,
            "fingerprint": network.fingerprint,
            **network_sizes(network),
            "format": network.format,
        },
        "problem": {"target": problem.target.to_dict(), "objective": problem.objective},
        "decision": {"kind": KIND, "order": plan.decision.order.tolist()},
        "evaluation": evaluation_dict(plan.evaluation),
        "provenance": provenance_dict(plan.provenance),
        "bounds": bounds_list(bounds),
    }


def network_sizes(network: Network) -> dict[str, int]:
    """How large a network is, as its plans' files say."""
    return {
        "neurons": network.neuron_count,
        "connections": network.connection_count,
        "inputs": len(network.inputs),
        "outputs": len(network.outputs),
    }


def evaluation_dict(evaluation: OrderEvaluation) -> dict[str, Any]:
    """An evaluation as JSON: I/Os of both kinds, validity and what is broken. There are no devices."""
    return {
        "objective_name": evaluation.objective_name,
        "objective": evaluation.objective,
        "components": components_dict(evaluation),
        "reads": evaluation.reads,
        "writes": evaluation.writes,
        "valid": evaluation.valid,
        "violations": [
            {"kind": violation.kind, "connections": list(violation.ops), "sentence": violation.sentence}
            for violation in evaluation.violations
        ],
        "devices": [],
    }


class _Order(Struct):
    order: list[Annotated[int, Meta(ge=0, le=INT32)]]


class _PlanFile(StoredPlan, kw_only=True):
    decision: _Order
    network: dict[str, Any]
    problem: StoredProblem


def is_order_plan(path: str | os.PathLike[str]) -> bool:
    """Whether a plan file is one of a network. Raises :class:`PlanError` where it is no plan file."""
    with guarded(Path(path).name, PlanError):
        decision = load(path).get("decision")
    return isinstance(decision, dict) and decision.get("kind") == KIND


def open_network_plan(
    path: str | os.PathLike[str], network: Network, own_record: bool = False
) -> OpenedOrder:
    """The plan of ``network`` in a file; nothing that it claims of I/Os is believed, all is counted again.

    Its bounds are claims of the file, and ``own_record`` is, as for :func:`planner.plan_files.plan_json.open_plan`.

    Raises :class:`PlanError` where the file is damaged or belongs to another network; the sentence says how they differ.
    """
    with guarded(Path(path).name, PlanError):
        return order_in(load(path), network, Path(path).name, claimant(path, own_record))


def order_in(data: Mapping[str, Any], network: Network, file: str, claimed_by: str) -> OpenedOrder:
    """:func:`open_network_plan` of the JSON object of a plan file; ``file`` is what sentences call it, ``claimed_by`` who
    claims its bounds.

    Raises :class:`PlanError`.
    """
    if (kind := kind_of(data, file)) != KIND:
        raise PlanError(
            f"{file} holds a decision of kind {shown(kind)}, not an order of a network's connections;"
            " open it with the model it was made for"
        )
    stored = typed(data, _PlanFile, file, PlanError)
    if stored.network.get("fingerprint") != network.fingerprint:
        raise PlanError(f"{file} is a plan of another network: {difference(stored.network, network)}")
    try:
        target = check_memory(network, target_of(stored.problem.target, file))
        problem = NetworkProblem(network, target, words(stored.problem.objective))
        provenance = provenance_of(stored.provenance, file, claimed_by)
        plan = problem.plan(np.array(stored.decision.order, np.int32), provenance, stored.shown_name)
    except StageboardError as error:
        raise PlanError(str(error) if file in str(error) else f"{file}: {error}") from error
    notes = differences(data, evaluation_dict(plan.evaluation), network_sizes(network), (), file)
    bounds, dropped = bounds_of(stored.bounds, problem, plan.evaluation, claimed_by)
    notes += dropped
    if notes:
        note = "; ".join([*([provenance.note] if provenance.note else []), *notes])
        plan = replace(plan, provenance=replace(provenance, note=note))
    return OpenedOrder(plan, bounds, tuple(notes))


def difference(stored: Mapping[str, Any], network: Network) -> str:
    """How a plan's network differs from ``network``, as the end of a sentence."""
    sizes = (
        ("connections", network.connection_count),
        ("neurons", network.neuron_count),
        ("outputs", len(network.outputs)),
    )
    for what, now in sizes:
        then = stored.get(what)
        if isinstance(then, int) and not isinstance(then, bool) and then != now:
            return (
                f"it orders one of {then:,} {what} and '{network.name}' has {now:,}; open the network it was made for,"
                " read with the same density"
            )
    return "its sizes are the same but its connections, weights or activations differ; open the network it was made for"
