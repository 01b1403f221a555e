"""What each plan of a comparison is, costs, and how far from proven it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.base import PlanningProblem, refuted
from planner.problem.bound import Bound, Standing, proven
from planner.problem.claims import claim_of, claimed
from planner.problem.decision import Violation
from planner.problem.problem import Plan
from planner.reports.comparison.rules import set_apart
from planner.reports.schedule.common import Speed, practice_interval, speed

AnyPlan = TypeVar("AnyPlan", bound=Plan | OrderPlan)
LETTERS = "ABCD"
"""What plans are called for short, in their order."""


@dataclass(frozen=True, eq=False)
class Figures:
    """One plan in figures. ``components`` are the objective's parts in order, each in ``units[name]`` (None: a time whose unit
    nobody knows). ``bound`` is the strongest that applies to the first component which is not proven (to the first where all
    are), ``gap`` that component's, 0 where every component is proven; both None where nothing is known or the plan is invalid.
    ``claim`` is what the plan's own file claims beyond that, None where it claims nothing more; it counts nowhere.
    ``practice`` is the time from sample to sample that the target estimates where it is longer than the objective, a time; else NaN.
    ``status`` is ``optimal`` (proven), ``feasible`` or ``invalid``."""

    plan: Plan | OrderPlan
    letter: str
    name: str
    target_words: str
    objective_name: str
    components: Mapping[str, float]
    units: Mapping[str, str | None]
    standing: Standing
    bound: Bound | None
    gap: float | None
    status: str
    valid: bool
    violations: tuple[Violation, ...]
    planner: str
    claim: Bound | None = None
    practice: float = math.nan

    @property
    def objective(self) -> float:
        """The first component."""
        return next(iter(self.components.values()))

    @cached_property
    def speed(self) -> Speed:
        """How often samples come, and what one takes, whatever the objective; nothing of orders and of plans that break rules."""
        return speed(self.plan) if isinstance(self.plan, Plan) and self.valid else Speed()

    @property
    def estimates(self) -> dict[str, float]:
        """What the target estimates of the whole plan, and ``throughput`` (samples per unit of time) and ``latency`` of every plan."""
        if not isinstance(self.plan, Plan):
            return {}
        own, interval = self.plan.evaluation.figures, self.speed.interval
        found = {"throughput": 1.0 / interval, "latency": self.speed.latency, **own}
        return {name: value for name, value in found.items() if not math.isnan(value)}


def own_name(plan: Plan | OrderPlan) -> str:
    """A plan's name, else that of what found it."""
    return plan.name or plan.provenance.planner


def filed(name: str, path: str | Path) -> str:
    """A plan's name beside plans of other files: ``second (slice)``; that of its file alone where it says the name already."""
    own = Path(path).stem.removesuffix(".plan")
    return own if name.casefold() in own.casefold() else f"{own} ({name})"


def told_by_file(plans: Sequence[AnyPlan], paths: Sequence[str | Path]) -> list[AnyPlan]:
    """Plans from files: those that :func:`told_apart` cannot tell apart are called by their files, too."""
    names = told_apart(plans)
    return [
        plan if names.count(name) < 2 else replace(plan, name=filed(name, path))
        for plan, name, path in zip(plans, names, paths, strict=True)
    ]


def told_apart(plans: Sequence[Plan | OrderPlan]) -> tuple[str, ...]:
    """What plans are called beside one another: those with one name by their planner, machine or seed as well, whichever differs."""
    names = [own_name(plan) for plan in plans]
    found = list(names)
    for name in {name for name in names if names.count(name) > 1}:
        alike = [i for i, one in enumerate(names) if one == name]
        for further in (
            [plans[i].provenance.planner for i in alike],
            set_apart([plans[i].problem.target for i in alike]),
            ["" if plans[i].provenance.seed is None else f"seed {plans[i].provenance.seed}" for i in alike],
        ):
            if len(set(further)) == len(alike):
                for i, words in zip(alike, further, strict=True):
                    found[i] = f"{name} ({words})" if words else name
                break
    return tuple(found)


def figures_of(
    plan: Plan | OrderPlan,
    bounds: Sequence[Bound],
    letter: str,
    claims: Sequence[Bound] = (),
    name: str = "",
) -> Figures:
    """The figures of one plan against all proven ``bounds`` that apply to its problem; ``claims`` are those of its own file.

    ``name`` is what it is called among others, by itself its own name.
    """
    problem: PlanningProblem = plan.problem
    evaluation = plan.evaluation
    standing = problem.standing(evaluation.values, bounds)
    part = standing.first_open or standing.components[0]
    valid = evaluation.valid
    return Figures(
        plan=plan,
        letter=letter,
        name=name or own_name(plan),
        target_words=problem.target.spec_for_people(),
        objective_name=problem.objective,
        components=dict(evaluation.components),
        units={name: problem.unit(name) for name in evaluation.components},
        standing=standing,
        bound=part.bound if valid else None,
        gap=standing.gap if valid else None,
        status=standing.status if valid else "invalid",
        valid=valid,
        violations=evaluation.violations,
        planner=plan.provenance.planner,
        claim=claim_of(plan, (*proven(bounds), *claims)) if valid else None,
        practice=_practice(plan),
    )


def _practice(plan: Plan | OrderPlan) -> float:
    problem = plan.problem
    if not isinstance(plan, Plan) or not plan.evaluation.valid:
        return math.nan
    if problem.unit(problem.components[0]) != plan.problem.graph.time_unit:
        return math.nan
    return practice_interval(plan.evaluation, plan.evaluation.objective)


def weighed(
    plans: Sequence[Plan | OrderPlan], bounds: Iterable[Bound], claims: Sequence[Sequence[Bound]]
) -> tuple[tuple[Bound, ...], tuple[tuple[Bound, ...], ...], tuple[str, ...]]:
    """(proven bounds, what the file of each plan claims, a sentence on each that a valid plan of them refutes).

    ``claims`` has an entry for each plan, or none. Claims among ``bounds`` are nobody's, and are left out.
    """
    kept, said = sound(proven(bounds), plans)
    notes, own = list(said), []
    for each in claims or [()] * len(plans):
        held, said = sound(claimed(each), plans)
        own.append(held)
        notes += said
    return kept, tuple(own), tuple(dict.fromkeys(notes))


def sound(
    bounds: Iterable[Bound], plans: Sequence[Plan | OrderPlan]
) -> tuple[tuple[Bound, ...], tuple[str, ...]]:
    """(bounds that no plan refutes, a sentence on each of the others): a valid plan below a bound proves the bound wrong.

    Claims come from files, and a claim in the file of one plan may speak of another.
    """
    kept: list[Bound] = []
    notes: list[str] = []
    for bound in dict.fromkeys(bounds):
        better = [
            plan
            for plan in plans
            if plan.evaluation.valid and refuted(bound, plan.problem, plan.evaluation.components)
        ]
        if not better:
            kept.append(bound)
            continue
        best = min(better, key=lambda plan: plan.evaluation.components[bound.component])
        by = f" that {bound.claimed_by} claims" if bound.claimed_by else ""
        notes.append(
            f"the bound '{bound.method}' of {bound.value:.10g}{by} was dropped: the valid plan"
            f" '{best.name or best.provenance.planner}' has {best.evaluation.components[bound.component]:.10g}"
        )
    return tuple(kept), tuple(notes)


def why_incomparable(first: Plan, second: Plan, letter: str, other: str) -> str:
    """Why the objectives of two plans, which are called by letters, do not compare; empty where they do."""
    a, b = first.problem, second.problem
    if a.target.kind != b.target.kind:
        return f"{letter} is a plan for {a.target.in_words} and {other} for {b.target.in_words}: their objectives do not compare"
    if a.objective != b.objective:
        return f"{letter} is about {a.objective} and {other} about {b.objective}: their objectives do not compare"
    units = [tuple(problem.unit(name) for name in problem.components) for problem in (a, b)]
    if units[0] != units[1]:
        return f"{letter} and {other} count in different units: their objectives do not compare"
    models = [None if p.graph.cost_model is None else p.graph.cost_model.numbers() for p in (a, b)]
    if models[0] != models[1] and a.target.uses_cost_model:
        return f"the op times of {letter} and {other} come from different cost models: their objectives do not compare"
    return ""
