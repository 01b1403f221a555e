"""Which transfers a target charges nothing for, and which ops are copied: what machines say of it."""

from __future__ import annotations

import pytest

from planner.machines.spec import parse_target
from planner.methods.tiny import tiny_graph
from planner.problem.problem import Problem


@pytest.mark.coverage
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("pipeline:2", False),
        ("edge-tpu:2", False),
        ("mcm:2", False),
        ("pool:2+1", True),
        ("pool:2+0", False),
    ],
)
def test_only_cpus_pay_nothing_for_tensors(spec: str, said: bool) -> None:
    graph = tiny_graph()
    problem = Problem(graph, parse_target(spec, graph))
    assert bool(problem.target.transfers_note()) == said
    assert not problem.evaluator.copied.any()
