"""The command that proves a bound of a problem again: with all that the command line must be told to pose the same problem."""

from __future__ import annotations

import shlex

from planner.errors import StageboardError
from planner.evaluation.times_source import COST_MODEL, any_measured, side_of, times_source
from planner.machines.catalogue import bound_methods, planners
from planner.model.cost_model import SIDES, CostModel
from planner.model.graph import Graph
from planner.model.named_machines import machine, named_rates
from planner.problem.base import PlanningProblem
from planner.problem.problem import Pin, Problem

SECONDS = 60
"""What the command has whose problem is a plan file's."""


def prove_command(problem: PlanningProblem, method: str) -> str:
    """The command that runs a method again, for MODEL; of a problem that only a plan file poses (ops held together, measured times, rates
    by kind of op) the one that proves beside PLAN. Empty where the method is none."""
    if method not in bound_methods() and method not in planners():
        return ""
    words = ["--target", f"'{problem.target.spec()}'", "--objective", problem.objective]
    if isinstance(problem, Problem):
        posed = _posed(problem)
        if posed is None:
            return f"stageboard evaluate MODEL PLAN --prove {SECONDS}"
        words += posed
    if method in bound_methods():
        return " ".join(["stageboard bound MODEL", *words, "--method", method])
    return " ".join(["stageboard plan MODEL", *words, "--planner", method])


def _posed(problem: Problem) -> list[str] | None:
    """Constraints, reading and rates as options; None where there are none for them."""
    pins = [c for c in problem.constraints if isinstance(c, Pin)]
    if len(pins) < len(problem.constraints) or any_measured(problem):
        return None
    found = [word for pin in pins for word in ("--pin", f"'{pin.op}={pin.device}'")] + _read(problem.graph)
    if times_source(problem) != COST_MODEL:
        return found
    used = {side_of(device) for device in problem.devices}
    rates = [_rates(side, problem.graph.cost_model) for side in SIDES if side in used]
    if any(words is None for words in rates):
        return None
    return found + [word for words in rates for word in words or ()]


def _read(graph: Graph) -> list[str]:
    """How the model was read, where that is not as usual."""
    options = dict(graph.read_options)
    usual = {"batch": 1, "precision": "file"}
    return [word for key in usual if options.get(key, usual[key]) != usual[key]
            for word in (f"--{key}", shlex.quote(str(options[key])))]  # fmt: skip


def _rates(side: str, model: CostModel) -> list[str] | None:
    """The rates of a kind of device: nothing for the usual ones, else a machine's name or numbers; None where these do not suffice."""
    rates, groups = model.rates(side), model.groups(side)
    if rates == CostModel().rates(side) and not groups:
        return []
    named = named_rates(side, model)
    if named is not None:
        try:
            known = machine(named.machine)
        except StageboardError:
            known = None
        if known is not None and (known.rates, known.groups) == (rates, groups):
            return ["--machine", shlex.quote(f"{side}={named.machine}")]
    if groups:
        return None
    return [
        word for key, value in rates._asdict().items() for word in ("--cost-model", f"{side}_{key}={value!r}")
    ]
