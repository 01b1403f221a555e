"""The commands on a certificate pose the plan's own problem: run as they stand, they prove what the certificate says."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.cli.main import main
from planner.formats import read_models
from planner.machines.catalogue import bound_method
from planner.machines.spec import parse_target
from planner.model.cost_model import CostModel, Rates
from planner.model.named_machines import machine
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Pin, Problem, Together
from planner.problem.provenance import Provenance
from planner.reports.certificate.commands import prove_command
from planner.search.run import run_bound
from planner.search.stop import TimeLimit

UNET = Path(__file__).resolve().parents[3] / "sample_models" / "unet.onnx"
OWN = Rates(123e9, 11e9, 3e-6)


def with_machines(base: CostModel = CostModel(), **named: str) -> CostModel:  # noqa: B008
    for side, name in named.items():
        one = machine(name)
        assert one.rates is not None
        base = base.with_rates(side, one.rates, one.groups, one.rates_source)
    return base


CASES = {
    "usual": ({}, CostModel(), "pipeline:3", ""),
    "a named CPU": ({}, with_machines(cpu="cpu-core"), "pool:2+1,memory=400MiB", "--machine cpu=cpu-core"),
    "a CPU as accelerator": ({}, with_machines(accelerator="cpu-core"), "pipeline:3", "--machine accelerator=cpu-core"),
    "rates of one's own": ({}, CostModel().with_rates("accelerator", OWN, (), None), "pipeline:3", "--cost-model"),
    "no CPU in the target": ({}, with_machines(cpu="cpu-core"), "pipeline:3", ""),
    "another reading": ({"batch": 2, "precision": "int8"}, CostModel(), "pipeline:3", "--batch 2 --precision int8"),
    "rates of the target": ({}, with_machines(cpu="cpu-core"), "edge-tpu:3", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_command_proves_what_was_proven(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    reading, model, spec, said = CASES[case]
    graph = read_models([UNET], cost_model=model, **reading)  # type: ignore[arg-type]
    problem = Problem(graph, parse_target(spec, graph))
    problem = problem.with_constraints((Pin(graph.op_ids[3], problem.devices[1].name),))
    command = prove_command(problem, "simple")
    assert said in command and (said or not {"--machine", "--cost-model", "--batch"} & set(command.split()))
    program, verb, name, *options = shlex.split(command)
    assert (program, verb, name) == ("stageboard", "bound", "MODEL")
    assert main([verb, "--json", str(UNET), *options]) == 0
    proven = problem.strongest_bound(run_bound(bound_method("simple"), problem, TimeLimit(60.0)).bounds)
    assert proven is not None
    assert json.loads(capsys.readouterr().out)["lower_bound"] == pytest.approx(proven.value, rel=1e-12)


def test_what_only_a_plan_file_poses_is_proven_beside_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = read_models([UNET], cost_model=with_machines(cpu="cpu-core"))
    problem = Problem(graph, parse_target("pool:2+1", graph)).with_constraints((Together(graph.op_ids[1:3]),))
    plan = problem.plan(np.zeros(graph.n, np.int32), Provenance("x"), "x")
    file = write_plan(tmp_path / "x.plan.json", plan)
    command = prove_command(problem, "ideals-dp")
    assert command == "stageboard evaluate MODEL PLAN --prove 60"
    words = [str(UNET) if w == "MODEL" else str(file) if w == "PLAN" else w for w in command.split()[1:]]
    assert main([words[0], "--json", *words[1:]]) == 0
    grouped = CostModel().with_rates("accelerator", OWN, (("conv", OWN),), None)
    by_kind = replace(problem, graph=read_models([UNET], cost_model=grouped), constraints=())
    assert prove_command(by_kind, "simple") == command


def test_what_is_no_method_has_no_command() -> None:
    graph = read_models([UNET])
    assert prove_command(Problem(graph, parse_target("pipeline:3", graph)), "by hand") == ""
    assert "--planner ideals-dp" in prove_command(
        Problem(graph, parse_target("pool:3+0", graph)), "ideals-dp"
    )
