"""What each plan of a comparison is, costs, and how far from proven it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planner.bound import Bound, Standing, within
from planner.plan import OrderPlan, Plan, Violation
from planner.problem_base import PlanningProblem

LETTERS = "ABCD"
"""What plans are called for short, in their order."""


@dataclass(frozen=True, eq=False)
class Figures:
    """One plan in figures. ``components`` are the objective's parts in order, each in ``units[name]`` (None: a time whose unit
    nobody knows). ``bound`` is the strongest that applies to the first component which is not proven (to the first where all
    are), ``gap`` that component's, 0 where every component is proven; both None where nothing is known or the plan is invalid.
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

    @property
    def objective(self) -> float:
        """The first component."""
        return next(iter(self.components.values()))


def figures_of(plan: Plan | OrderPlan, bounds: Sequence[Bound], letter: str) -> Figures:
    """The figures of one plan against all ``bounds`` that apply to its problem."""
    problem: PlanningProblem = plan.problem
    evaluation = plan.evaluation
    standing = problem.standing(evaluation.values, bounds)
    part = standing.first_open or standing.components[0]
    valid = evaluation.valid
    return Figures(
        plan=plan,
        letter=letter,
        name=plan.name or plan.provenance.planner,
        target_words=problem.target.spec(),
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
    )


def sound(
    bounds: Iterable[Bound], plans: Sequence[Plan | OrderPlan]
) -> tuple[tuple[Bound, ...], tuple[str, ...]]:
    """(bounds that no plan refutes, a sentence on each of the others): a valid plan below a bound proves the bound wrong.

    Bounds come from files, and a bound in the file of one plan may speak of another.
    """
    kept: list[Bound] = []
    notes: list[str] = []
    for bound in dict.fromkeys(bounds):
        better = [plan for plan in plans if _refutes(plan, bound)]
        if not better:
            kept.append(bound)
            continue
        best = min(better, key=lambda plan: plan.evaluation.components[bound.component])
        notes.append(
            f"the bound '{bound.method}' of {bound.value:.10g} was dropped: the valid plan"
            f" '{best.name or best.provenance.planner}' has {best.evaluation.components[bound.component]:.10g}"
        )
    return tuple(kept), tuple(notes)


def _refutes(plan: Plan | OrderPlan, bound: Bound) -> bool:
    problem, evaluation = plan.problem, plan.evaluation
    return (
        evaluation.valid
        and bound.component in evaluation.components
        and bound.applies_to(problem.relaxation, problem.assumptions)
        and bound.covers(evaluation.components)
        and not within(bound.value, evaluation.components[bound.component])
    )
