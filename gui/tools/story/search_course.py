"""What a process beside the window does: run a plan's search again, and choose of its plans those worth a keyframe."""

from __future__ import annotations

from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Ints
from planner.problem.problem import Plan


def course(plan: Plan | OrderPlan) -> list[Ints]:
    """The decisions on the way to ``plan`` that differ visibly, the last as good as it where the search can be repeated.

    Raises :class:`planner.errors.StageboardError` where its provenance does not tell enough.
    """
    from planner.runs.replay import incumbents_of, replay
    from planner.story.making import thinned

    problem, provenance = plan.problem, plan.provenance
    found = incumbents_of(replay(plan))
    plans = [problem.plan(step.decision, provenance, plan.name) for step in found]
    return [found[i].decision for i in thinned(plans)]
