"""What flows between the devices of a plan, in one sentence: how many bytes and where, or how many tensors."""

from __future__ import annotations

import numpy as np

from planner.model.crossings import crossings, device_flow
from planner.problem.problem import Plan
from planner.quantity import bytes_text

MOST_WAYS = 2
"""Ways between devices that carry most and are named: of more it is only said how much."""


def flowing(plan: Plan) -> str:
    """How much goes between devices, and where most; empty where nothing does."""
    problem, devices = plan.problem, plan.problem.devices
    flow = device_flow(problem.graph, plan.decision.device_of, len(devices), problem.evaluator.sent)
    if not flow.any():
        return ""
    whole, most = bytes_text(float(flow.sum())), bytes_text(float(flow.max()))
    # Each way that is said to carry as much counts: a caption that names one of them says that others carry less.
    ways_used = np.argwhere(flow).tolist()
    largest = [(a, b) for a, b in ways_used if bytes_text(float(flow[a, b])) == most]
    between = f"{whole} go between {problem.target.words.many}"
    if len(largest) > MOST_WAYS:
        return f"{between}; at most {most} from one to another."
    ways = " and ".join(f"from {devices[a].title} to {devices[b].title}" for a, b in largest)
    if len(ways_used) == 1:
        return f"{most} go {ways}."
    if len(largest) == 1:
        return f"{between}; most, {most}, {ways}."
    others = "" if len(ways_used) == len(largest) else "most, "
    return f"{between}; {others}{most} each, {ways}."


def crossing(plan: Plan) -> str:
    """How many of the tensors go from one device to another; empty where none does."""
    problem, graph = plan.problem, plan.problem.graph
    tensors, _ = crossings(graph, plan.decision.device_of, len(problem.devices))
    count = len(np.unique(tensors[problem.evaluator.sent[tensors] > 0]))
    if not count:
        return ""
    goes = "goes" if count == 1 else "go"
    return (
        f"{count:,} of {graph.tensor_count:,} tensors {goes} from one {problem.target.words.one} to another."
    )
