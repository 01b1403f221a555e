"""How sure a plan is, as JSON: versioned, everything that was found but the samples themselves."""

from __future__ import annotations

from typing import Any

from planner.reports.robustness.report import MARGIN, OpTolerance, Robustness
from planner.reports.robustness.spread import Dependence
from planner.reports.robustness.tolerance import Side
from planner.reports.robustness.words import tolerance_sentence

FORMAT, VERSION = "stageboard-robustness", 1
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95)


def to_dict(found: Robustness) -> dict[str, Any]:
    """The whole report."""
    problem, settings, spread = found.problem, found.settings, found.spread
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": problem.name,
        "target": problem.target.spec(),
        "objective_name": problem.objective,
        "time_unit": problem.graph.time_unit,
        "plan": found.candidates[0].name,
        "objective": found.candidates[0].nominal,
        "highest": found.candidates[0].highest,
        "gap": found.gap,
        "bound_method": found.proven_by or None,
        "spread": {
            "words": spread.words,
            "assumed": spread.assumed,
            "measured_ops": int((spread.measured & spread.works).sum()),
            "ops": int(spread.works.sum()),
        },
        "samples": settings.samples,
        "seed": settings.seed,
        "plans": [
            {"name": each.name, "origin": each.origin, "objective": each.nominal, "highest": each.highest}
            for each in found.candidates
        ],
        "outlooks": [_outlook(found, dependence) for dependence in found.outlooks],
        "ops": [_op(found, each) for each in found.ops],
        "ops_changing": found.changing,
        "ops_changing_within_spread": found.within,
        "ops_asked": found.ops_asked,
        "ops_looked_at": found.ops_looked_at,
        "most_factor": settings.most,
        "margin": MARGIN,
        "notes": list(found.notes),
    }


def _outlook(found: Robustness, dependence: Dependence) -> dict[str, Any]:
    sampled, devices = found.outlooks[dependence], found.problem.devices
    quantiles = {f"{100 * share:g}": sampled.quantile(share) for share in QUANTILES}
    shares = sampled.shares(len(devices))
    return {
        "op_times": dependence,
        "plans": [
            {
                "name": each.name,
                "quantiles": {name: float(values[p]) for name, values in quantiles.items()},
                "worst": float(sampled.worst[p]),
                "bottleneck": {device.name: float(shares[p, d]) for d, device in enumerate(devices)},
                "expected_regret": float(sampled.expected_regret[p]),
                "largest_regret": float(sampled.most_regret[p]),
            }
            for p, each in enumerate(found.compared)
        ],
        "least_regret": found.compared[sampled.least_regret].name,
    }


def _op(found: Robustness, each: OpTolerance) -> dict[str, Any]:
    graph = found.problem.graph
    return {
        "op": graph.op_ids[each.op],
        "name": graph.op_names[each.op],
        "device": found.problem.devices[each.device].name,
        "time": each.seconds,
        "spread": float(found.spread.factor[each.op]),
        "slack": each.slack,
        "longer": _side(found, each.up),
        "shorter": _side(found, each.down),
        "another_plan_from": each.turns,
        "another_plan": None if each.turns_to is None else found.candidates[each.turns_to].name,
        "sentence": tolerance_sentence(found, each),
    }


def _side(found: Robustness, side: Side) -> dict[str, Any]:
    return {
        "optimal_until": side.proven if side.method else None,
        "proven_by": side.method or None,
        "exact": side.settled,
        "better_beyond": side.beaten,
        "better": None if side.by is None else found.candidates[side.by].name,
    }
