"""Certificates: what a plan costs and how good it provably is, with all that somebody needs to check both.

Nothing is taken from a plan's file but the decision and where it came from: costs, violations and the gap are computed anew
from the decision. Bounds are proofs that were run here; a certificate says of each which method proved it, what it assumed
and how to prove it again, and drops those that the plan itself refutes or that speak of another problem. What a file says was proven
it only names as a claim.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from typing import Any

import numpy as np

from planner import __version__
from planner.evaluation.estimates import times_lines
from planner.evaluation.memory_words import limited_word
from planner.machines.catalogue import bound_methods, planners
from planner.machines.two_level_memory.order import OrderEvaluation
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.ops import shared_notes
from planner.plan_files import order_json, plan_json
from planner.plan_files.bound_json import finite
from planner.plan_files.plan_json import constraint_dict
from planner.plan_files.plan_parts import provenance_dict
from planner.problem.base import PlanningProblem
from planner.problem.bound import LIMIT, Bound, ComponentStanding
from planner.problem.claims import claim_of, claim_words
from planner.problem.decision import Evaluation
from planner.problem.per_device import in_words
from planner.problem.problem import Plan, Problem
from planner.quantity import bytes_text
from planner.reports.certificate.commands import prove_command
from planner.reports.comparison.figures import sound
from planner.search.method import Planner
from planner.text_table import with_article

FORMAT, VERSION = "stageboard-certificate", 1
RULES = {
    "order": "ops send only forward along the row of devices",
    "shared_children": "all ops that read one op's tensor share a stage",
    "contiguous": "the devices can be put in order so that ops send only forward",
    "colocation": "ops of one colocation class share a device",
    "support": "an op is on a device that supports it",
    "no_skip": "no chip below the highest used is empty",
    "triangle": "where a chip sends to another directly, nothing reaches that one over further chips",
    "path": "ops send to the next stage at most",
    "activations=depth-first": "the peak of activations fills memory, too, ops run depth-first",
    "activations=peak": "the peak of activations fills memory, too, in the better of two running orders",
    "memory": "parameters and peak activations of each device fit its memory",
    "every_chip": "every chip has an op",
    "topological": "a neuron is complete before it is used",
}
"""What the rules of targets say. A rule with a limit (``memory<=...``) is found by what stands before it."""
SOLVERS = {
    "cp-sat": "ortools",
    "scip": "ortools",
    "highs": "highspy",
    "cbc": "highspy",
    "scotch": "scotchpy64",
}
"""The package that brings each solver."""


@dataclass(frozen=True)
class Proof:
    """The strongest bound that speaks of the plan. ``source`` is paper and section, ``again`` a command that proves it anew.

    ``now`` says that it was proven for this certificate, ``proven_for`` of which other limits or objective (see
    :class:`planner.problem.bound.Bound`); then no command proves it anew.
    """

    value: float
    method: str
    title: str
    source: str
    assumes: tuple[str, ...]
    given: tuple[tuple[str, float], ...]
    seconds: float
    again: str
    now: bool = False
    proven_for: str = ""


@dataclass(frozen=True)
class Claim:
    """What a file says was proven of a component beyond what is; ``words`` say so, and ``again`` is a command that may prove it."""

    component: str
    value: float
    method: str
    claimed_by: str
    words: str
    again: str


@dataclass(frozen=True)
class Part:
    """One component of the objective. ``unit`` is ``s``, ``B``, ``I/Os`` or None (times in a unit that nobody knows)."""

    name: str
    value: float
    unit: str | None
    proof: Proof | None
    gap: float | None
    proven: bool


@dataclass(frozen=True)
class Setting:
    """A parameter of the target: its value, whether that is the default, and what it means; ``counts``: how many devices of a kind there are."""

    name: str
    value: Any
    default: bool
    unit: str
    help: str
    counts: bool = False


@dataclass(frozen=True)
class Rule:
    """A rule in force, by its name and in words."""

    name: str
    words: str


@dataclass(frozen=True, eq=False)
class Certificate:
    """All that is certified of a plan. ``status`` is ``optimal`` (each component proven), ``feasible`` or ``invalid``.

    ``evaluation`` holds the very fields that ``stageboard evaluate --json`` prints. ``digest`` is the SHA-256 of the decision as
    little-endian 32-bit numbers: the device of each op in the order of the model, or the connections of a network.
    """

    model: str
    kind: str
    fingerprint: str
    sizes: Mapping[str, float]
    problem: str
    target: str
    target_spec: str
    settings: tuple[Setting, ...]
    rules: tuple[Rule, ...]
    constraints: tuple[Mapping[str, Any], ...]
    objective: str
    parts: tuple[Part, ...]
    status: str
    gap: float | None
    violations: tuple[str, ...]
    evaluation: Mapping[str, Any]
    decision: str
    digest: str
    plan: str
    provenance: Mapping[str, Any]
    versions: Mapping[str, str]
    notes: tuple[str, ...]
    claim: Claim | None = None
    times: tuple[str, ...] = ()
    """Where the times of ops come from, a line each; none where they are those of the model's file."""

    @property
    def valid(self) -> bool:
        """Whether no rule and no constraint is broken."""
        return not self.violations

    @property
    def first_open(self) -> Part | None:
        """The first component that is not proven."""
        return next((part for part in self.parts if not part.proven), None)

    def unit_of(self, name: str) -> str | None:
        """The unit of a component of the objective."""
        return next((part.unit for part in self.parts if part.name == name), None)


def certificate(
    plan: Plan | OrderPlan,
    bounds: Iterable[Bound] = (),
    now: Collection[Bound] = (),
    remarks: Sequence[str] = (),
) -> Certificate:
    """The certificate of a plan, evaluated anew, against the ``bounds`` that hold for its problem.

    Claims among them are named and count for nothing. ``now`` are those that were proven for this certificate, ``remarks`` are what there
    is to note besides.
    """
    problem = plan.problem
    fresh = _evaluated_anew(plan)
    known, notes = sound(bounds, [fresh])
    notes = (*remarks, *shared_notes(problem.graph.shared if isinstance(problem, Problem) else ()), *notes)
    foreign = [b for b in known if not b.applies_to(problem.relaxation, problem.assumptions)]
    if foreign:
        count = len(foreign)
        notes += (
            f"{'a bound says' if count == 1 else f'{count} bounds say'} nothing about this plan:"
            f" {'it is' if count == 1 else 'they are'} of other machines, objectives or rules",
        )
    evaluation = fresh.evaluation
    standing = problem.standing(evaluation.values, known)
    valid = evaluation.valid
    claim = claim_of(fresh, known)
    parts = tuple(_part(problem, component, valid, now) for component in standing.components)
    return Certificate(
        model=problem.name,
        kind="network" if isinstance(fresh, OrderPlan) else "graph",
        fingerprint=_model_fingerprint(fresh),
        sizes=_sizes(fresh),
        problem=problem.fingerprint,
        target=problem.target.title,
        target_spec=problem.target.spec(),
        settings=_settings(problem),
        rules=tuple(Rule(name, _rule_words(problem, name)) for name in _rule_names(fresh)),
        constraints=_constraints(fresh),
        objective=problem.objective,
        parts=parts,
        status=standing.status if valid else "invalid",
        gap=standing.gap if valid else None,
        violations=tuple(violation.sentence for violation in evaluation.violations),
        evaluation=_fields(fresh),
        decision="connection-order" if isinstance(fresh, OrderPlan) else "assignment",
        digest=digest(fresh),
        plan=fresh.name,
        provenance=provenance_dict(fresh.provenance),
        versions=_versions(fresh, parts),
        notes=notes,
        claim=None if claim is None else _claim(problem, claim),
        times=times_lines(problem) if isinstance(problem, Problem) else (),
    )


def digest(plan: Plan | OrderPlan) -> str:
    """SHA-256 (hex) of a decision: its int32 array, little endian."""
    made = plan.decision.order if isinstance(plan, OrderPlan) else plan.decision.device_of
    return hashlib.sha256(np.ascontiguousarray(made, "<i4").tobytes()).hexdigest()


def to_dict(certified: Certificate) -> dict[str, Any]:
    """The certificate as JSON, versioned."""
    out: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    for field in fields(certified):
        value = getattr(certified, field.name)
        if isinstance(value, tuple):
            value = [entry if isinstance(entry, (str, Mapping)) else asdict(entry) for entry in value]
        if isinstance(value, Claim):
            value = asdict(value)
        out[field.name] = dict(value) if isinstance(value, Mapping) else value
    for part in out["parts"]:
        if part["proof"] is not None:
            # Infinite where it is proven that no plan is valid.
            part["proof"]["value"] = finite(part["proof"]["value"])
            part["proof"]["given"] = [list(pair) for pair in part["proof"]["given"]]
            part["proof"]["assumes"] = list(part["proof"]["assumes"])
            if not part["proof"]["proven_for"]:
                del part["proof"]["proven_for"]
    return out


# ---------------------------------------------------------------------- what it is made of
def _evaluated_anew(plan: Plan | OrderPlan) -> Plan | OrderPlan:
    if isinstance(plan, OrderPlan):
        return plan.problem.plan(plan.decision, plan.provenance, plan.name)
    return plan.problem.plan(plan.decision, plan.provenance, plan.name)


def _model_fingerprint(plan: Plan | OrderPlan) -> str:
    if isinstance(plan, OrderPlan):
        return plan.problem.network.fingerprint
    return plan.problem.graph.fingerprint


def _sizes(plan: Plan | OrderPlan) -> dict[str, float]:
    if isinstance(plan, OrderPlan):
        network = plan.problem.network
        return {
            "neurons": network.neuron_count, "connections": network.connection_count,
            "inputs": len(network.inputs), "outputs": len(network.outputs),
        }  # fmt: skip
    graph = plan.problem.graph
    sizes = {
        "ops": graph.n, "edges": len(graph.edges[0]), "tensor_bytes": float(graph.tensor_bytes.sum()),
        "param_bytes": float(graph.param_bytes.sum()),
    }  # fmt: skip
    deployed = float((plan.problem.evaluator.params - plan.problem.evaluator.shared_params).sum())
    if deployed != sizes["param_bytes"]:  # a target that keeps them in another precision
        sizes["deployed_param_bytes"] = deployed
    return sizes


def _settings(problem: PlanningProblem) -> tuple[Setting, ...]:
    target, given = problem.target, problem.target.to_dict()
    counts, _ = target.spec_head()
    out = []
    for field in fields(target):  # type: ignore[arg-type]  # every target is a dataclass
        value = getattr(target, field.name)
        about = field.metadata
        out.append(
            Setting(field.name, given.get(field.name, value), value == field.default, about.get("unit", ""), about.get("help", ""), field.name in counts)
        )  # fmt: skip
    return tuple(out)


def _rule_names(plan: Plan | OrderPlan) -> tuple[str, ...]:
    tokens = plan.problem.assumptions
    return tuple(sorted(token.removeprefix("rule:") for token in tokens if token.startswith("rule:")))


def _rule_words(problem: PlanningProblem, name: str) -> str:
    kind, less, limits = name.partition(LIMIT)
    if less:
        assert isinstance(problem, Problem)
        words = in_words(limits.split("/"), lambda limit: bytes_text(float(limit)))
        return f"what is on {with_article(limited_word(problem))} fits its memory{':' if '/' in limits else ' of'} {words}"
    return RULES.get(kind, kind.replace("_", " "))


def _constraints(plan: Plan | OrderPlan) -> tuple[dict[str, Any], ...]:
    if isinstance(plan, OrderPlan):
        return ()
    return tuple(constraint_dict(constraint) for constraint in plan.problem.constraints)


def _fields(plan: Plan | OrderPlan) -> dict[str, Any]:
    if isinstance(plan, OrderPlan):
        assert isinstance(plan.evaluation, OrderEvaluation)
        return order_json.evaluation_dict(plan.evaluation)
    assert isinstance(plan.evaluation, Evaluation)
    return plan_json.evaluation_dict(plan.evaluation, plan.problem)


def _part(problem: PlanningProblem, standing: ComponentStanding, valid: bool, now: Collection[Bound]) -> Part:
    bound = standing.bound
    unit = problem.unit(standing.name) or None
    proof = None if bound is None else _proof(problem, bound, bound in now)
    # What a bound says of valid plans says nothing of a plan that breaks rules.
    gap = standing.gap if valid else None
    return Part(standing.name, standing.value, unit, proof, gap, standing.proven and valid)


def _proof(problem: PlanningProblem, bound: Bound, now: bool) -> Proof:
    method = bound_methods().get(bound.method) or planners().get(bound.method)
    title = bound.method if method is None else method.title
    source = "" if method is None else str(method.source)
    again = "" if bound.proven_for else prove_command(problem, bound.method)
    assumes = tuple(sorted(bound.assumes))
    return Proof(
        bound.value, bound.method, title, source, assumes, bound.given, bound.seconds, again, now, bound.proven_for
    )  # fmt: skip


def _claim(problem: PlanningProblem, claim: Bound) -> Claim:
    again = prove_command(problem, claim.method)
    return Claim(
        claim.component, claim.value, claim.method, claim.claimed_by, claim_words(problem, claim), again
    )


def _versions(plan: Plan | OrderPlan, parts: Iterable[Part]) -> dict[str, str]:
    """Versions of what evaluated the plan, and of the solvers that found it or proved its bounds."""
    out = {"stageboard": __version__, "python": platform.python_version(), "numpy": np.__version__}
    solvers = []
    for method in [plan.provenance.planner, *(part.proof.method for part in parts if part.proof is not None)]:
        ran = method == plan.provenance.planner or method == proves_as(plan.provenance.planner)
        solvers.append(_solver_of(method, plan.provenance.options if ran else {}))
    for solver in solvers:
        package = SOLVERS.get(solver)
        if package is not None and package not in out:
            try:
                out[package] = metadata.version(package)
            except metadata.PackageNotFoundError:
                out[package] = "not installed here"
    return out


def proves_as(name: str) -> str:
    """Whom the bounds that a planner proves are said to be from; empty where none is known."""
    known = planners().get(name)
    return known.proof_name if isinstance(known, Planner) else ""


def _solver_of(method: str, options: Mapping[str, Any]) -> str:
    """The solver that a planner or bound method uses; empty where it needs none."""
    known = planners().get(method) or bound_methods().get(method)
    chosen = str(options.get("solver", ""))
    default = next((str(o.default) for o in known.options if o.name == "solver"), "") if known else ""
    chosen = chosen or default
    if chosen == "auto" or (not chosen and "cp-sat" in method):
        return "cp-sat"
    return chosen or (method if method in SOLVERS else "")
