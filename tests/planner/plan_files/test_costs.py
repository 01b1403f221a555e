"""Plans keep what they are plans of apart from what its ops cost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from planner.errors import PlanError
from planner.formats import read_graph, read_model, read_models
from planner.formats.graphs import stageboard_json
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from planner.model.times import OpTime, OpTimes, Use
from planner.plan_files.plan_json import open_plan, write_plan
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance

SAMPLES = Path(__file__).resolve().parents[3] / "sample_models"
UNET = SAMPLES / "unet.onnx"


def plan_of(graph: Graph) -> Plan:
    problem = Problem(graph, Pipeline(count=2))
    return problem.plan(np.arange(graph.n) // ((graph.n + 1) // 2), Provenance("by hand"), "halves")


def measured(graph: Graph) -> Use:
    ops = {op: OpTime(1e-3) for op in graph.op_ids[1:]}
    return Use(OpTimes(ops, "times.json", "a stopwatch", structure=graph.structure))


def test_a_plan_goes_from_a_model_to_its_measured_form_and_back(tmp_path: Path) -> None:
    plain = read_model(UNET)
    timed = read_models([UNET], times=[measured(plain)])
    for made, other, who in ((plain, timed, ""), (timed, plain, " (a stopwatch)")):
        plan = plan_of(made)
        bound = Bound("bottleneck", 1e-9, "simple", plan.problem.relaxation)
        file = write_plan(tmp_path / "p.json", plan, [bound])
        same = open_plan(file, made)
        assert not same.other_costs
        assert same.notes == ()
        assert len(same.bounds) == 1
        opened = open_plan(file, other)
        assert opened.other_costs
        assert opened.bounds == ()
        assert opened.notes == (
            f"it was made with other times of ops{who} and was evaluated again with those at hand; the bounds in its file were proven"
            " with those and were dropped",
        )
        np.testing.assert_array_equal(opened.plan.decision.device_of, plan.decision.device_of)
        assert opened.plan.objective == plan_of(other).objective != plan.objective


def test_a_plan_goes_from_a_model_to_its_json_and_back(tmp_path: Path) -> None:
    graph = read_model(UNET)
    copy = read_model(stageboard_json.write(graph, tmp_path / "unet.json"))
    assert copy.structure == graph.structure
    file = write_plan(tmp_path / "p.json", plan_of(graph))
    assert open_plan(file, copy).notes == ()
    back = write_plan(tmp_path / "q.json", plan_of(copy))
    assert open_plan(back, read_model(UNET)).notes == ()


def test_other_batches_are_other_models(tmp_path: Path) -> None:
    file = write_plan(tmp_path / "p.json", plan_of(read_model(UNET)))
    with pytest.raises(PlanError, match="it was made with batch 1 and 'unet' was read with 2"):
        open_plan(file, read_model(UNET, batch=2))


def test_files_without_a_structure_are_held_to_all_that_they_say(tmp_path: Path) -> None:
    graph = read_model(UNET)
    file = write_plan(tmp_path / "p.json", plan_of(graph))
    data = json.loads(file.read_text())
    del data["graph"]["structure"]
    file.write_text(json.dumps(data))
    assert open_plan(file, graph).notes == ()
    with pytest.raises(PlanError, match="their connections, kinds or times differ"):
        open_plan(file, read_models([UNET], times=[measured(read_graph(UNET))]))
