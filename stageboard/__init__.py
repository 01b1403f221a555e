"""Stageboard for Python: split a neural network over several devices, with every cost and bound.

    import stageboard as sb

    graph = sb.read("model.onnx")
    plan = sb.plan(graph, "pipeline:4")
    print(plan)
    plan.save("model.plan.json")

Planning needs no Qt; drawing loads it late and needs no display. What is not asked for is not imported. Errors are
:class:`StageboardError` and its few subclasses, one sentence each. ``python -m stageboard`` is the command line.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stageboard.own import stranger

if TYPE_CHECKING:
    from planner import __version__
    from planner.errors import (
        ConstraintError,
        ModelError,
        NetworkError,
        PlanError,
        PlannerRefusal,
        StageboardError,
        TargetError,
    )
    from planner.problem.target import Target
    from stageboard.comparisons import Comparison, compare
    from stageboard.models import Graph, Network, generate, profile, read
    from stageboard.plans import Plan, evaluate, load
    from stageboard.results import Bound, Progress, Run
    from stageboard.running import run
    from stageboard.searching import bound, plan, planners, race, target
    from stageboard.showing import render, show
    from stageboard.writing import export

_PLACES = {
    "Bound": "stageboard.results",
    "Comparison": "stageboard.comparisons",
    "ConstraintError": "planner.errors",
    "Graph": "stageboard.models",
    "ModelError": "planner.errors",
    "Network": "stageboard.models",
    "NetworkError": "planner.errors",
    "Plan": "stageboard.plans",
    "PlanError": "planner.errors",
    "PlannerRefusal": "planner.errors",
    "Progress": "stageboard.results",
    "Run": "stageboard.results",
    "StageboardError": "planner.errors",
    "Target": "planner.problem.target",
    "TargetError": "planner.errors",
    "__version__": "planner",
    "bound": "stageboard.searching",
    "compare": "stageboard.comparisons",
    "evaluate": "stageboard.plans",
    "export": "stageboard.writing",
    "generate": "stageboard.models",
    "load": "stageboard.plans",
    "plan": "stageboard.searching",
    "planners": "stageboard.searching",
    "profile": "stageboard.models",
    "race": "stageboard.searching",
    "read": "stageboard.models",
    "render": "stageboard.showing",
    "run": "stageboard.running",
    "show": "stageboard.showing",
    "target": "stageboard.searching",
}
"""The module of every name that is imported when it is first asked for."""

__all__ = [
    "Bound",
    "Comparison",
    "ConstraintError",
    "Graph",
    "ModelError",
    "Network",
    "NetworkError",
    "Plan",
    "PlanError",
    "PlannerRefusal",
    "Progress",
    "Run",
    "StageboardError",
    "Target",
    "TargetError",
    "__version__",
    "bound",
    "compare",
    "evaluate",
    "export",
    "generate",
    "load",
    "plan",
    "planners",
    "profile",
    "race",
    "read",
    "render",
    "run",
    "show",
    "target",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'stageboard' has no attribute '{name}'")
    # Only now, for `python -m stageboard` imports this package first, and is to end in a sentence, too.
    if sentence := stranger():
        raise ImportError(sentence)
    found = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
