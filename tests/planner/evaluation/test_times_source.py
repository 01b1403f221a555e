"""Where times come from, and whether what is compared is an estimate."""

from __future__ import annotations

from planner.evaluation.times_source import COST_MODEL, FILE, RATES, estimated, times_source
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Problem


def test_times_of_a_file_are_measured_and_others_are_not() -> None:
    unmeasured = read_model(sample("resnet50.json"))
    ops = [Op("a", "a", work=1.0, work_cpu=1.0), Op("b", "b", work=2.0, work_cpu=1.0)]
    measured = Graph.build("measured", ops, [Tensor("a", ("b",), 1.0)])
    for graph, target, source, guessed in (
        (unmeasured, Pipeline(4), COST_MODEL, True),
        (measured, Pipeline(2), FILE, False),
        (measured, McmPackage(2), FILE, False),
        (unmeasured, McmPackage(8), RATES, True),
    ):
        problem = Problem(graph, target)
        assert times_source(problem) == source
        assert estimated(problem) == guessed


def test_bytes_are_counted_not_estimated() -> None:
    graph = read_model(sample("resnet50.json"))
    assert not estimated(Problem(graph, EdgeTpuPipeline(4)))
    assert estimated(Problem(graph, EdgeTpuPipeline(4), "inference-time"))
