"""The command line as people script it: fields, exit statuses, streams, files."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli import COMMANDS, main
from planner.cli.main import ELSEWHERE
from planner.cli.report import bound_rows, constraints_text, device_table, ending, summary
from planner.formats import read_graph, read_model
from planner.machines.catalogue import machine_of, planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Pin, Problem, Together
from planner.search.result import Result
from tests.gui.models import chain_graph
from tests.gui.stage_models import even
from tests.shared_files import shared

ROOT = Path(__file__).resolve().parents[3]
RESNET = str(ROOT / "sample_models" / "resnet50.json")
ENCODER = str(ROOT / "sample_models" / "transformer_encoder.onnx")
SMALL = str(ROOT / "tests" / "data" / "small.json")
UNET = str(ROOT / "sample_models" / "unet.onnx")
TARGET = "pipeline:4,bandwidth=12e9"
PLAN_FIELDS = {
    "planner", "target", "objective_name", "objective", "components", "lower_bound", "bound_method", "gap", "status",
    "stop_reason", "seconds", "prove_seconds", "seed", "valid", "violations", "devices", "plan_file", "op_times",
}  # fmt: skip
DEVICE_FIELDS = {"name", "ops", "receive", "work", "streaming", "send", "cost", "memory"}
CALL = [sys.executable, "-c", "import sys; from planner.cli import main; sys.exit(main())"]


class Ran:
    """One command: its exit status and streams."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def sentence(self) -> str:
        """The one line of an error."""
        assert self.out == ""
        assert self.err.startswith("stageboard: ") and self.err.count("\n") == 1, self.err
        return self.err.strip().removeprefix("stageboard: ")


@pytest.fixture
def stageboard(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str | Path) -> Ran:
        status = main([str(a) for a in arguments])
        streams = capsys.readouterr()
        return Ran(status, streams.out, streams.err)

    return call


@pytest.fixture
def plan_file(stageboard: Any, tmp_path: Path) -> Path:
    file = tmp_path / "resnet50.plan.json"
    assert stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "-o", file).status == 0
    return file


# ---------------------------------------------------------------------- every command
def test_help_lists_every_command(stageboard: Any) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        ran = stageboard(*arguments)
        assert ran.status == 0 and ran.err == ""
        assert all(f"  {command.name}" in ran.out for command in COMMANDS)


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help(stageboard: Any, command: str) -> None:
    ran = stageboard(command, "--help")
    assert ran.out.count("MODEL...") in (0, 2)  # once in the usage, once beside what it means
    assert ran.status == 0
    assert (
        f"usage: stageboard {command}" in ran.out and "--json" in ran.out and "example: stageboard" in ran.out
    )


def test_version(stageboard: Any) -> None:
    from planner import __version__

    assert stageboard("--version").out == f"stageboard {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pln"], "did you mean 'plan'?"),
        (["check", RESNET], "did you mean 'evaluate'?"),
        (["info"], "info: the following arguments are required: MODEL"),
        (["plan", RESNET], "--target"),
        (["plan", RESNET, "--target", TARGET, "--gap", "-1"], "share"),
        (["plan", RESNET, "--target", TARGET, "--gap", "nan"], "share"),
        (["plan", RESNET, "--target", TARGET, "--time-limit", "0"], "seconds above 0"),
        (["plan", RESNET, "--target", TARGET, "--seed", "-3"], "is not from 0"),
        (["plan", RESNET, "--target", TARGET, "--seed", "x"], "whole number"),
        (["plan", RESNET, "--target", "pipeline:x"], "not a whole number of devices"),
        (["plan", RESNET, "--target", "pipelin:4"], "unknown kind"),
        (["plan", RESNET, "--target", TARGET, "--objective", "max-load"], "has no objective 'max-load'"),
        (["plan", RESNET, "--target", TARGET, "--planner", "slic"], "did you mean 'slice'"),
        (["plan", RESNET, "--target", TARGET, "--planner", "dpl"], "does not plan for a pipeline"),
        (["plan", RESNET, "--target", TARGET, "--planner", "slice", "--set", "orders=3"], "no option 'orders'"),
        (["plan", RESNET, "--target", TARGET, "--set", "orders"], "is not KEY=VALUE"),
        (["plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=0"], "between 1 and"),
        (["plan", RESNET, "--target", TARGET, "--planner", "expert"], "split=FILE"),
        (["plan", RESNET, "--target", TARGET, "--pin", "conv1_conv"], "is not OP=DEVICE"),
        (["plan", RESNET, "--target", TARGET, "--pin", "conv1_con=0"], "did you mean 'conv1_conv'"),
        (["plan", RESNET, "--target", TARGET, "--pin", "conv1_conv=stage 9"], "no device 'stage 9'"),
        (["plan", RESNET, "--target", TARGET, "-o", "/nowhere/at/all.json"], "there is no folder"),
        (["plan", RESNET, "--target", TARGET, "--cost-model", "cpu_speed=3"], "no parameter 'cpu_speed'"),
        (["plan", RESNET, "--target", TARGET, "--cost-model", "nowhere.toml"], "does not exist"),
        (["plan", RESNET, "--target", TARGET, "--cost-model", "cpu_flops=fast"], "unknown unit"),
        (["plan", "nowhere.json", "--target", TARGET], "nowhere.json does not exist; check the path"),
        (["bound", RESNET, "--target", TARGET, "--method", "simpel"], "did you mean 'simple'"),
        (["evaluate", RESNET, RESNET], "is not a Stageboard plan"),
        (["info", UNET, "--batch", "0"], "must be a whole number from 1"),
        (["info", str(ROOT)], "is a folder"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_status_2(stageboard: Any, arguments: list[str], words: str) -> None:
    ran = stageboard(*arguments)
    assert ran.status == 2
    assert words in ran.sentence


def test_options_are_not_abbreviated(stageboard: Any) -> None:
    assert stageboard("plan", RESNET, "--targ", TARGET).status == 2


# ---------------------------------------------------------------------- info
def test_info_json_holds_the_public_fields(stageboard: Any) -> None:
    ran = stageboard("info", RESNET, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json == {
        "name": "ResNet50", "format": "stageboard-graph", "ops": 177, "edges": 192, "depth": 168, "max_degree": 2,
        "params": 25636712, "param_bytes": 102546848, "macs": ran.json["macs"], "warnings": [],
    }  # fmt: skip
    assert isinstance(ran.json["macs"], int) and 3.8e9 < ran.json["macs"] < 3.9e9


def test_info_text(stageboard: Any) -> None:
    out = stageboard("info", RESNET).out
    assert "25.64 M" in out and "97.80 MiB" in out and "none given" in out


def test_info_binds_the_batch(stageboard: Any) -> None:
    one, eight = (stageboard("info", UNET, "--batch", b, "--json").json for b in ("1", "8"))
    assert eight["macs"] == 8 * one["macs"] and eight["params"] == one["params"]


def test_info_tells_warnings(stageboard: Any) -> None:
    model = ROOT / "tests" / "data" / "control_flow.onnx"
    ran = stageboard("info", model, "--json")
    assert ran.status == 0 and len(ran.json["warnings"]) >= 1
    assert f"! {ran.json['warnings'][0]}" in stageboard("info", model).out


def test_a_small_command_imports_little() -> None:
    code = (
        "import sys; from planner.cli import main; main(['info', sys.argv[1], '--json']);"
        "print([m for m in ('numba', 'onnx', 'networkx', 'ortools', 'highspy', 'scipy', 'PySide6')"
        " if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, RESNET], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stderr.strip() == "[]"


# ---------------------------------------------------------------------- planners
def test_planners_json(stageboard: Any) -> None:
    from planner.machines.catalogue import planners

    ran = stageboard("planners", "--json")
    assert ran.status == 0 and list(ran.json) == ["planners"]
    entries = {entry["name"]: entry for entry in ran.json["planners"]}
    assert list(entries) == list(planners())
    for entry in entries.values():
        assert {
            "targets",
            "objectives",
            "exact",
            "gives_bounds",
            "bound_method",
            "constraints",
            "options",
            "what",
            "paper",
        } <= set(entry)
        assert entry["targets"] and entry["objectives"] and entry["what"]
    options = {option["name"]: option for option in entries["slice-random"]["options"]}
    assert options["orders"]["default"] == 1000 and options["orders"]["type"] == "int"


def test_a_planner_says_under_which_name_it_proves_bounds(stageboard: Any) -> None:
    from planner.machines.catalogue import bound_methods, planners

    found = {
        entry["name"]: entry["bound_method"] for entry in stageboard("planners", "--json").json["planners"]
    }
    named = {"chip-cp-sat": "cp-sat", "mtpp-mip": "exact", "ideals-dp": "dp", "max-load-ip": "ip", "edge-tpu-ilp": "ilp",
             "edge-tpu-fastest": "fastest", "chain-dp": "chain-dp", "blocks": "blocks"}  # fmt: skip
    assert {name: found[name] for name in named} == named
    assert found["mtpp-cp-sat"] is None and found["slice"] is None
    for name, one in planners().items():
        assert not one.proves_as or (one.gives_bounds and one.proves_as in bound_methods()), name
    out = stageboard("planners").out
    assert "gives bounds (bound --method exact), honours" in out
    assert "gives bounds (no bound method: plan --planner mtpp-cp-sat), honours" in out


@pytest.mark.parametrize(
    ("target", "planner", "method"),
    [("mcm:2", "chip-cp-sat", "cp-sat"), ("pipeline:2", "mtpp-mip", "exact"), ("pool:2+1", "ideals-dp", "dp"),
     ("pool:2+1", "max-load-ip", "ip"), ("edge-tpu:2", "edge-tpu-ilp", "ilp")],
)  # fmt: skip
def test_a_proof_is_called_after_the_bound_method(
    stageboard: Any, target: str, planner: str, method: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "a.plan.json")
    assert (
        stageboard(
            "plan", SMALL, "--target", target, "--planner", planner, "--prove", "off", "-o", file
        ).status
        == 0
    )
    data = json.loads(Path(file).read_text(encoding="utf-8"))
    proven_by = {bound["method"] for bound in data["bounds"]}
    assert method in proven_by and planner not in proven_by


def test_planners_text_names_every_planner_and_bound_method(stageboard: Any) -> None:
    from planner.machines.catalogue import bound_methods, planners

    out = stageboard("planners").out
    assert all(f"  {name} " in out for name in (*planners(), *bound_methods()))
    lines = out.splitlines()
    for method in (*planners().values(), *bound_methods().values()):
        assert any(line.split(None, 1) == [method.name, method.title] for line in lines), method.name


# ---------------------------------------------------------------------- plan
def test_plan_json_holds_the_public_fields(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=5",
                     "--seed", "3", "-o", file, "--json")  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    data = ran.json
    assert set(data) == PLAN_FIELDS
    assert (
        data["planner"] == "slice-random"
        and data["seed"] == 3
        and data["target"] == "pipeline:4,bandwidth=12e9"
    )
    assert data["objective_name"] == "bottleneck" and data["components"] == {"bottleneck": data["objective"]}
    assert data["status"] in ("optimal", "feasible") and data["stop_reason"] == "finished"
    assert data["valid"] is True and data["violations"] == [] and data["plan_file"] == str(file)
    assert 0 < data["lower_bound"] <= data["objective"] and data["seconds"] > 0
    assert data["gap"] == pytest.approx(
        (data["objective"] - data["lower_bound"]) / data["objective"], abs=1e-8
    )
    assert [d["name"] for d in data["devices"]] == ["stage 0", "stage 1", "stage 2", "stage 3"]
    assert all(set(d) == DEVICE_FIELDS for d in data["devices"])
    assert sum(d["ops"] for d in data["devices"]) == 177
    assert max(d["cost"] for d in data["devices"]) == pytest.approx(data["objective"])
    for d in data["devices"]:
        assert d["cost"] == pytest.approx(d["receive"] + d["work"] + d["streaming"] + d["send"])


@pytest.mark.parametrize(("unit", "rate"), [("s", "0.5 per second"), (None, "0.5 per unit of time")])
def test_the_figures_of_chips_are_in_the_unit_of_the_file(unit: str | None, rate: str) -> None:
    from planner.cli.report import figure_rows
    from planner.machines.mcm.target import McmPackage
    from planner.model.graph import Graph, Op
    from planner.problem.problem import Problem

    problem = Problem(
        Graph.build("one", [Op("a", "a", work=2.0, work_cpu=2.0)], [], time_unit=unit), McmPackage(2)
    )
    rows = dict(figure_rows(problem, problem.evaluate(np.zeros(1, np.int32))))
    assert rows["throughput, estimated"] == rate
    assert rows["latency, estimated"] == ("2.00 s" if unit else "2.00")


@pytest.mark.parametrize("host_io", [True, False])
def test_a_table_of_stages_counts_the_bytes_of_its_transfers(host_io: bool) -> None:
    from planner.cli.report import summary
    from planner.machines.edge_tpu.target import EdgeTpuPipeline
    from planner.model.cost_model import fill
    from planner.model.graph import Graph, Op, Tensor
    from planner.problem.problem import Problem

    ops = [
        Op("in", "in", "Input"),
        Op("a", "a", macs=1e6, params=2**20, param_bytes=2.0**20),
        Op("b", "b", macs=1e6, params=2**20, param_bytes=2.0**20),
    ]
    tensors = [Tensor("in", ("a",), 2048.0), Tensor("a", ("b",), 1024.0), Tensor("b", (), 4096.0)]
    target = EdgeTpuPipeline(2, precision="file", cache=2.0**20, host_io=host_io)
    problem = Problem(fill(Graph.build("two", ops, tensors, time_unit="s")), target)
    evaluation = problem.evaluate(np.array([0, 0, 1], np.int32))
    out = summary(problem, evaluation)
    rows = [line.split("  ") for line in out.splitlines() if line.startswith("  stage ")]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    exchanged = (
        [["2.0 KiB", "1.0 KiB"], ["1.0 KiB", "4.0 KiB"]]
        if host_io
        else [["0 B", "1.0 KiB"], ["1.0 KiB", "0 B"]]
    )
    assert [row[7:9] for row in cells] == exchanged
    note = "the model's inputs (2.0 KiB) and outputs (4.0 KiB), which cross the host link; max-communication leaves"
    assert (note in out) == host_io
    latency = next(line for line in out.splitlines() if "latency, estimated" in line)
    assert not problem.target.latency_note(evaluation) and not latency.endswith(")"), (
        "stages stream what is pushed out"
    )
    published = replace(problem, objective="stage-time")
    evaluation = published.evaluate(np.array([0, 0, 1], np.int32))
    note = problem.target.latency_note(evaluation)
    assert note and f"({note})" in summary(published, evaluation)


def test_plan_hints_at_the_objective_for_speed_where_everything_fits(stageboard: Any) -> None:
    asked = ("plan", RESNET, "--target", "edge-tpu:4", "--planner", "edge-tpu-ilp", "--prove", "0.1")
    ran = stageboard(*asked, "--json")
    assert ran.json["objective_name"] == "memory-1-2-3"
    assert ran.err.count("all parameters fit the caches") == 1 and "--objective inference-time" in ran.err
    assert "fit the caches" not in stageboard(*asked, "--objective", "memory-1-2-3").err
    assert "fit the caches" not in stageboard(*asked[:3], "edge-tpu:2", *asked[4:]).err


def test_bounds_that_say_nothing_or_that_no_plan_is_valid_are_said_in_words() -> None:
    problem = Problem(read_model(sample("unet.onnx")), EdgeTpuPipeline(2), "memory-1-2-3")
    standing = problem.standing(problem.evaluate(np.zeros(problem.graph.n, np.int32)).values, ())
    bounds = [problem.bound(name, 0.0, "simple", frozenset()) for name in problem.components]
    values = tuple(max(part.value, 1.0) for part in standing.components)
    rows = dict(bound_rows(problem, None, problem.standing(values, bounds)))
    assert {rows[f"{name} at least"] for name in problem.components} == {"nothing proven"}
    none = problem.bound(problem.components[0], float("inf"), "cp-sat", frozenset())
    assert bound_rows(problem, none, None) == [("lower bound", "none, as no plan is valid (cp-sat)")]


def test_plan_text_shows_devices_and_the_bottleneck(stageboard: Any) -> None:
    out = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice").out
    lines = out.splitlines()
    assert lines[0] == "ResNet50 on pipeline:4,bandwidth=12e9"
    assert sum("< bottleneck" in line for line in lines) == 1
    assert "lower bound" in out and "gap" in out and "valid" in out
    assert not any(line != line.rstrip() for line in lines)
    rows = [line for line in lines if line.startswith("  stage ")]
    assert len(rows) == 4 and len({line.index("iB") for line in rows}) == 1, "memory is flush right"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pipeline:4,memory=64MiB", "parameters: 64.00 MiB per stage, what exceeds it is streamed each time"),
        ("pool:2+1,memory=256MiB", "parameters and outputs: 256.00 MiB per accelerator, which ops must fit"),
        ("pipeline:4", ""),
    ],
)
def test_plan_text_says_what_the_memory_counts_and_its_limit(stageboard: Any, target: str, said: str) -> None:
    out = stageboard("plan", RESNET, "--target", target, "--time-limit", "1").out
    lines = [line for line in out.splitlines() if line.startswith("  memory ")]
    assert [line.split(maxsplit=1)[1] for line in lines] == ([said] if said else [])


def test_without_a_planner_a_good_one_is_chosen(stageboard: Any) -> None:
    ran = stageboard("plan", ENCODER, "--target", "pool:2+1", "--json")
    assert ran.status == 0 and ran.json["planner"] == "ideals-dp"


def test_the_same_seed_gives_the_same_plan(stageboard: Any, tmp_path: Path) -> None:
    decisions = []
    for name in ("a.json", "b.json"):
        file = tmp_path / name
        stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=20",
                   "--seed", "7", "-o", file)  # fmt: skip
        decisions.append(json.loads(file.read_text())["decision"])
    assert decisions[0] == decisions[1]


def test_pins_are_honoured(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "--pin", "conv1_conv=stage 1",
                     "--pin", "predictions=3", "-o", file, "--json")  # fmt: skip
    assert ran.status == 0
    places = {op["name"]: op["device"] for op in json.loads(file.read_text())["decision"]["ops"]}
    assert places["conv1_conv"] == "stage 1" and places["predictions"] == "stage 3"


def test_pins_a_planner_cannot_honour_are_refused(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", "pool:2+1", "--planner", "memory-fill",
                     "--pin", "conv1_conv=acc 0", "-o", file)  # fmt: skip
    assert ran.status == 2 and not file.exists()
    assert "does not honour pin constraints" in ran.sentence


def test_no_valid_plan_is_status_1_and_writes_nothing(
    stageboard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one look at the ops tells is said before planners are prepared."""
    monkeypatch.setattr(
        "planner.runs.warm_up.warm_planner", lambda *_: pytest.fail("nothing is to be searched")
    )
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", "pool:2+0,memory=1KiB", "-o", file, "--json")
    assert ran.status == 1 and not file.exists()
    assert set(ran.json) == {*PLAN_FIELDS, "tried", "explanation"}
    assert ran.json["status"] == "infeasible" and ran.json["objective"] is None
    assert ran.json["valid"] is False and ran.json["devices"] == [] and ran.json["plan_file"] is None
    explanation = ran.json["explanation"]
    assert set(explanation) == {"sentence", "ops", "rules", "remedies"} and "memory" in explanation["rules"]
    first, *further = ran.err.splitlines()
    assert first == f"stageboard: no valid plan exists: {explanation['sentence']}"
    assert "surely needed: " in further[0] and further[1] == "stageboard: trying what would help"
    assert all("what would help: " in line for line in further[2:])
    assert len(further[2:]) == len(explanation["remedies"]) > 0


BINS = """{"format": "stageboard-graph", "version": 1, "name": "bins", "time_unit": "s", "ops": [
{"id": "a", "work": 1, "work_cpu": 1, "memory": 6}, {"id": "b", "work": 1, "work_cpu": 1, "memory": 6},
{"id": "c", "work": 1, "work_cpu": 1, "memory": 6}], "tensors": [{"from": "a", "to": ["b"], "bytes": 1}]}"""
"""Three ops of 6 bytes: they fit two devices of 10 bytes only if one of them could be divided."""


def test_what_was_tried_is_named_where_nothing_was_found(
    stageboard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "bins.json"
    model.write_text(BINS)
    problem = (model, "--target", "pool:2+0,memory=10,contiguous=false", "--json")
    ran = stageboard("plan", *problem)
    assert ran.status == 1 and ran.json["status"] == "infeasible" and ran.json["planner"] == "max-load-ip"
    assert [t["planner"] for t in ran.json["tried"]][-1] == "max-load-ip"
    # Without the planner that proves it, and the one after it.
    monkeypatch.setattr("planner.machines.trying.own_planner", lambda problem: planner("dpl"))
    monkeypatch.setattr(
        "planner.machines.trying.machine_of",
        lambda problem: dataclasses.replace(machine_of(problem), further=()),
    )
    ran = stageboard("plan", *problem)
    assert ran.status == 1 and ran.json["status"] == "no_plan" and "explanation" not in ran.json
    assert (
        "nor a proof that there is none; tried were 'memory-fill' (found none), 'dpl' (found none)" in ran.err
    )


def test_a_plan_that_turns_up_while_the_reason_is_sought_is_given(
    stageboard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(planner: Any, problem: Any, *given: Any, **named: Any) -> Result:
        return Result(planner.name, problem, None, None, (), "no_plan", "finished", 0.0, 0, {}, 0)

    monkeypatch.setattr("planner.runs.planning.run", nothing)
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "-o", file, "--json")
    assert ran.status == 0 and ran.json["planner"] == "feasibility" and ran.json["valid"] is True
    assert stageboard("evaluate", RESNET, file).status == 0
    assert "which is no planner" in stageboard("replay", RESNET, file).sentence


def test_a_search_without_limits_ends_when_its_budget_is_spent(
    stageboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    denoiser = str(ROOT / "sample_models" / "denoiser.onnx")
    monkeypatch.setattr("planner.search.stop.CPU_SECONDS", 0.0)
    ran = stageboard("plan", denoiser, "--target", "pool:3+1", "--json")
    assert ran.status == 0 and ran.json["stop_reason"] == "time" and ran.json["status"] == "feasible"
    assert [turn["planner"] for turn in ran.json["tried"]] == ["memory-fill"] and ran.json[
        "planner"
    ] == "memory-fill"
    assert "--time-limit 60" in stageboard("plan", denoiser, "--target", "pool:3+1").out


def test_impossible_pins_are_status_1(stageboard: Any) -> None:
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "--pin", "conv1_conv=stage 3",
                     "--pin", "predictions=stage 0", "--json")  # fmt: skip
    assert ran.status == 1 and ran.json["valid"] is False


def test_several_models_are_deployed_together(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "both.json"
    ran = stageboard("plan", RESNET, UNET, "--target", "pool:3+1", "-o", file, "--json")
    assert ran.status == 0
    ops = sum(stageboard("info", model, "--json").json["ops"] for model in (RESNET, UNET))
    assert sum(d["ops"] for d in ran.json["devices"]) == ops
    again = stageboard("evaluate", RESNET, UNET, file, "--json")
    assert again.status == 0 and again.json["objective"] == pytest.approx(ran.json["objective"], rel=1e-9)


def test_time_limit_and_gap_stop_the_search(stageboard: Any) -> None:
    many = ["--planner", "slice-random", "--set", "orders=10000000", "--json"]
    ran = stageboard("plan", RESNET, "--target", TARGET, *many, "--time-limit", "0.3")
    assert ran.status == 0 and ran.json["stop_reason"] == "time"
    ran = stageboard("plan", RESNET, "--target", TARGET, *many, "--gap", "99%")
    assert ran.status == 0 and ran.json["stop_reason"] == "gap" and ran.json["gap"] <= 0.99


def test_the_cost_model_can_be_set(stageboard: Any, tmp_path: Path) -> None:
    table = tmp_path / "fast.toml"
    table.write_text('[cost_model]\naccelerator_flops = 81e12\naccelerator_bandwidth = "3200 GB/s"\n')
    base = ["plan", RESNET, "--target", "pipeline:1", "--planner", "slice", "--json"]
    usual = stageboard(*base).json["objective"]
    fast = stageboard(*base, "--cost-model", table).json["objective"]
    slow = stageboard(*base, "--cost-model", table, "--cost-model", "accelerator_overhead=1").json[
        "objective"
    ]
    assert fast < usual < slow
    file = tmp_path / "plan.json"
    stageboard(*base, "--cost-model", table, "-o", file)
    assert stageboard("evaluate", RESNET, file, "--json").json["objective"] == pytest.approx(fast, rel=1e-9)


def test_a_failed_write_leaves_the_old_file(stageboard: Any, tmp_path: Path) -> None:
    folder = tmp_path / "plan.json"
    folder.mkdir()
    ran = stageboard("plan", RESNET, "--target", TARGET, "-o", folder)
    assert ran.status == 2 and "is a folder" in ran.sentence
    assert list(folder.iterdir()) == []


def test_ctrl_c_keeps_the_best_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    arguments = ["plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=10000000",
                 "-o", str(file), "--json"]  # fmt: skip
    process = subprocess.Popen(
        [*CALL, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=dict(os.environ),
    )
    try:
        # The search has begun when the handler is in place: the process then ignores no SIGINT and is busy.
        deadline = time.monotonic() + 60
        while not _handles_interrupt(process.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode in (0, 1), err
    data = json.loads(out)
    assert data["stop_reason"] == "cancelled" and "stopping; " in err
    assert file.exists() == (process.returncode == 0) == data["valid"]


def _handles_interrupt(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
    # Python itself handles SIGINT from its start; the command handles SIGTERM too.
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def test_output_cut_off_by_its_reader_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "bash", *CALL, "planners"],
        check=False, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""


# ---------------------------------------------------------------------- proving unasked
def test_what_is_proven_beside_a_plan_can_be_left_out(stageboard: Any) -> None:
    problem = ("plan", RESNET, "--target", TARGET, "--planner", "slice", "--json")
    without, beside = stageboard(*problem, "--prove", "off").json, stageboard(*problem, "--prove", "60").json
    assert without["bound_method"] == "simple" and without["objective"] == beside["objective"]
    assert beside["lower_bound"] > without["lower_bound"] and beside["bound_method"] != "simple"
    assert "--prove" in stageboard(*problem, "--prove", "soon").err


def test_auto_names_who_found_the_plan_and_hands_options_on(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "auto", "--set", "rounds=1", "--seed", "5", "-o", file,
                     "--json")  # fmt: skip
    assert ran.status == 0 and ran.json["planner"] in {turn["planner"] for turn in ran.json["tried"]}
    assert stageboard("replay", RESNET, file).status == 0
    refused = stageboard("plan", RESNET, "--target", TARGET, "--set", "nonsense=1")
    assert refused.status == 2 and "has no option 'nonsense'" in refused.err
    refused = stageboard(
        "plan", RESNET, "--target", TARGET, "--planner", "auto", "--set", "planner_options=nonsense"
    )
    assert refused.status == 2 and "not KEY=VALUE" in refused.err


# ---------------------------------------------------------------------- bound
def test_bound(stageboard: Any) -> None:
    ran = stageboard("bound", RESNET, "--target", TARGET, "--method", "simple", "--json")
    assert ran.status == 0
    assert {"method", "lower_bound", "status", "seconds"} <= set(ran.json)
    assert ran.json["status"] == "proven"
    plan = stageboard(
        "plan", RESNET, "--target", TARGET, "--planner", "slice", "--prove", "off", "--json"
    ).json
    assert ran.json["lower_bound"] == plan["lower_bound"] <= plan["objective"]
    assert "bottleneck at least" in stageboard("bound", RESNET, "--target", TARGET, "--method", "simple").out


def test_without_a_method_the_bound_is_proven_by_one_that_suits_the_problem(stageboard: Any) -> None:
    for model, target, method in ((RESNET, TARGET, "chain-dp"), (UNET, "pool:2+1", "dp")):
        ran = stageboard("bound", model, "--target", target, "--time-limit", "20", "--json")
        assert ran.json["method"] == method
        simple = stageboard("bound", model, "--target", target, "--method", "simple", "--json").json
        assert ran.json["lower_bound"] >= simple["lower_bound"] * (1 - 1e-9)


def test_a_bound_without_a_method_is_never_below_the_simple_one(
    stageboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner.machines.pool.bounds.dp import Dp

    monkeypatch.setattr(Dp, "prove", lambda self, problem, search: None)
    command = ["bound", UNET, "--target", "pool:2+1", "--json"]
    ran = stageboard(*command)
    assert ran.json["method"] == "simple" and ran.json["status"] == "proven"
    assert stageboard(*command, "--method", "dp").json["status"] == "no_bound"


def test_pins_raise_the_bound(stageboard: Any) -> None:
    command = ["bound", UNET, "--target", "pool:2+1", "--method", "simple", "--json"]
    free = stageboard(*command).json
    graph = read_graph(UNET)
    heaviest = graph.op_ids[int(graph.macs.argmax())]
    pinned = stageboard(*command, "--pin", f"{heaviest}=cpu 0").json
    assert pinned["lower_bound"] > free["lower_bound"]
    assert any(token.startswith("pin:") for token in pinned["assumes"])


# ---------------------------------------------------------------------- evaluate
def test_evaluate_gives_the_same_objective(stageboard: Any, plan_file: Path) -> None:
    said = json.loads(plan_file.read_text())["evaluation"]
    ran = stageboard("evaluate", RESNET, plan_file, "--json")
    assert ran.status == 0
    claims = {"claimed_bound", "claimed_component", "claimed_method", "claimed_by"}
    assert (
        set(ran.json) == PLAN_FIELDS - {"status", "stop_reason", "seconds", "prove_seconds", "seed"} | claims
    )
    assert ran.json["objective"] == pytest.approx(said["objective"], rel=1e-9)
    assert ran.json["devices"] == said["devices"]


def test_a_batch_is_remembered_by_the_plan(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    stageboard("plan", UNET, "--target", "pool:2+1", "--batch", "4", "-o", file)
    assert stageboard("evaluate", UNET, file).status == 0
    ran = stageboard("evaluate", UNET, file, "--batch", "2")
    assert ran.status == 2 and "batch 4" in ran.sentence


def test_what_is_counted_in_a_precision_is_said_of_plans(stageboard: Any, tmp_path: Path) -> None:
    one, two = (str(tmp_path / f"{name}.plan.json") for name in ("file", "int8"))
    for file, target in ((one, "edge-tpu:2,precision=file"), (two, "edge-tpu:2")):
        ran = stageboard(
            "plan",
            RESNET,
            "--target",
            target,
            "--planner",
            "edge-tpu-balanced",
            "--prove",
            "off",
            "-o",
            file,
            "--json",
        )
        words = ran.json.get("counted_in")
    assert words is not None and words.startswith("int8 bytes")
    assert "counted_in" not in stageboard("evaluate", RESNET, one, "--prove", "off", "--json").json
    assert stageboard("evaluate", RESNET, two, "--prove", "off", "--json").json["counted_in"] == words


def test_evaluate_has_the_rows_of_compare(stageboard: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "a.plan.json")
    stageboard("plan", SMALL, "--target", "pipeline:2", "--planner", "slice", "--prove", "off", "-o", file)
    said = stageboard("evaluate", SMALL, file).out
    assert "throughput, estimated" in said and "latency, estimated" in said


def test_a_precision_is_remembered_by_the_plan(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    stored, counted = (stageboard("info", UNET, "--precision", p, "--json").json for p in ("file", "int8"))
    assert counted["param_bytes"] * 4 == stored["param_bytes"] and counted["precision"] == "int8"
    assert "precision" not in stored and "counted_in" not in stored
    assert counted["counted_in"] == "int8 bytes and times"
    assert "int8 bytes and times" in stageboard("info", UNET, "--precision", "int8").out
    assert "int8 bytes, op times as in the file" in stageboard("info", SMALL, "--precision", "int8").out
    planned = stageboard("plan", UNET, "--target", "pool:2+1", "--precision", "int8", "-o", file, "--json")
    assert planned.status == 0
    again = stageboard("evaluate", UNET, file, "--json")
    assert again.status == 0 and again.json["objective"] == planned.json["objective"]
    ran = stageboard("evaluate", UNET, file, "--precision", "file")
    assert ran.status == 2 and "read the model with that precision" in ran.sentence
    assert stageboard("plan", UNET, "--target", "pool:2+1", "--precision", "int4").status == 2


def test_an_invalid_plan_is_status_1_and_says_why(stageboard: Any, plan_file: Path) -> None:
    data = json.loads(plan_file.read_text())
    for op in data["decision"]["ops"]:
        if op["name"] == "conv1_conv":
            op["device"] = "stage 3"
    del data["evaluation"], data["bounds"]
    plan_file.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, plan_file, "--json")
    assert ran.status == 1 and ran.json["valid"] is False
    violation = ran.json["violations"][0]
    assert set(violation) == {"kind", "ops", "devices", "sentence"}
    assert violation["kind"] == "order" and "conv1_conv sends back from stage 3" in violation["sentence"]
    assert violation["sentence"] in stageboard("evaluate", RESNET, plan_file).out


def test_a_plan_that_claims_too_much_is_found_out(stageboard: Any, plan_file: Path) -> None:
    data = json.loads(plan_file.read_text())
    data["evaluation"]["components"]["bottleneck"] *= 0.9
    plan_file.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, plan_file)
    assert ran.status == 1 and "evaluated anew" in ran.err


@pytest.mark.parametrize(
    ("lie", "says"),
    [
        (lambda d: d["evaluation"].update(objective=1.0), "the file says the objective is 1, evaluated anew it is 0.00"),
        (lambda d: d["evaluation"]["devices"][1].update(cost=1.0), "the file says the cost of stage 1 is 1, evaluated anew"),
        (lambda d: d["evaluation"].update(valid=False), "the file says that it breaks rules, evaluated anew it is valid"),
        (lambda d: d["problem"]["target"].update(count=5), "the file lists 4 devices, its target has 5"),
    ],
)  # fmt: skip
def test_every_figure_of_a_plan_is_compared(stageboard: Any, plan_file: Path, lie: Any, says: str) -> None:
    data = json.loads(plan_file.read_text())
    lie(data)
    plan_file.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, plan_file)
    assert ran.status == 1 and says in ran.err
    assert ran.err.count("\n") == 1


def test_a_plan_of_another_graph_is_refused(stageboard: Any, plan_file: Path) -> None:
    ran = stageboard("evaluate", UNET, plan_file)
    assert ran.status == 2 and "is a plan of another graph" in ran.sentence


# ---------------------------------------------------------------------- export
@pytest.mark.parametrize("form", ["device-placement", "dot", "csv"])
def test_export(stageboard: Any, plan_file: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / "exported"
    ran = stageboard("export", RESNET, plan_file, "--to", form, "-o", file, "--json")
    assert ran.status == 0
    assert ran.json == {"format": form, "file": str(file), "bytes": file.stat().st_size}


def test_an_exported_split_comes_back_as_the_same_plan(stageboard: Any, tmp_path: Path) -> None:
    plan, split = tmp_path / "plan.json", tmp_path / "split.json"
    there = stageboard("plan", ENCODER, "--target", "pool:2+1", "-o", plan, "--json").json
    stageboard("export", ENCODER, plan, "--to", "device-placement", "-o", split)
    back = stageboard(
        "plan", ENCODER, "--target", "pool:2+1", "--planner", "expert", "--set", f"split={split}", "--json"
    )
    assert back.status == 0 and back.json["objective"] == pytest.approx(there["objective"], rel=1e-12)


def test_export_knows_its_formats(stageboard: Any, plan_file: Path) -> None:
    ran = stageboard("export", RESNET, plan_file, "--to", "xlsx", "-o", "x")
    assert ran.status == 2 and "device-placement" in ran.sentence


# ---------------------------------------------------------------------- real workloads
def test_the_expert_split_of_resnet50(stageboard: Any) -> None:
    model = shared("workloads/device-placement/throughput/LayerGraphs/resnet50_inference.json")
    split = shared("workloads/device-placement/expert-splits/resnet50_inference_expert.json")
    ran = stageboard(
        "plan", model, "--target", "pool", "--planner", "expert", "--set", f"split={split}", "--json"
    )
    assert ran.status == 0 and round(ran.json["objective"], 2) == 43.92


def test_dpl_on_bert_12_training(stageboard: Any, tmp_path: Path) -> None:
    model = shared("workloads/device-placement/throughput/OperatorGraphs/bert_L-12_training.json")
    file = tmp_path / "bert.json"
    ran = stageboard("plan", model, "--target", "pool", "--planner", "dpl", "-o", file, "--json")
    assert ran.status == 0 and ran.json["objective"] <= 438.00 * 1.01
    again = stageboard("evaluate", model, file, "--json")
    assert again.json["objective"] == pytest.approx(ran.json["objective"], rel=1e-9)


def test_where_memory_is_to_be_small_the_fullest_device_is_marked(stageboard: Any) -> None:
    asked = ("plan", RESNET, "--target", "edge-tpu:2", "--planner", "edge-tpu-balanced")
    for objective, word, other in (
        ("memory-1-2-3", "fullest", "bottleneck"), ("stage-time", "bottleneck", "fullest"),
        ("inference-time", "largest rest", "bottleneck"),
    ):  # fmt: skip
        lines = stageboard(*asked, "--objective", objective).out.splitlines()
        assert sum(line.endswith(f"< {word}") for line in lines) == 1
        assert not any(f"< {other}" in line or line != line.rstrip() for line in lines)


def test_whose_time_it_was_that_ended_a_search() -> None:
    assert ending("time", 20.0, 20.0).startswith("time limit of 20 s, ")
    assert ending("time", 12.0, None).startswith("usual work done, ")
    assert ending("finished", 1.0, 20.0).startswith("finished, ")


def test_many_idle_devices_are_counted_in_one_line() -> None:
    graph = chain_graph(12)
    for count, idle in ((36, 33), (5, 0)):
        problem = Problem(graph, McmPackage(count))
        lines = device_table(problem, problem.evaluate(even(12, 3))).splitlines()
        assert sum(line.startswith("  chip ") for line in lines) == (3 if idle else count)
        assert (lines[-1] == f"  {idle} more chips, idle") == bool(idle)
    pool = Problem(graph, DevicePool(4, 3))
    assert device_table(pool, pool.evaluate(even(12, 1))).endswith("\n  6 more devices, idle")


def test_the_constraints_that_a_plan_keeps_are_named() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(3)]
    graph = Graph.build("row", ops, [Tensor("o0", ("o1",), 1.0), Tensor("o1", ("o2",), 1.0)])
    problem = Problem(graph, Pipeline(2), "", (Pin("o0", "stage 0"), Together(("o1", "o2"))))
    assert constraints_text(problem) == "1 pin and 1 group kept together: o0 on Stage 0, o1 with o2"
    evaluation = problem.evaluate(np.array([0, 1, 1], np.int32))
    assert constraints_text(problem) in summary(problem, evaluation)
    assert "constraints" not in summary(problem.with_constraints(()), evaluation)


def test_what_other_programs_call_a_command_leads_to_one_that_is_there() -> None:
    names = {command.name for command in COMMANDS} | {"compare", "render"}
    assert set(ELSEWHERE.values()) <= names and not names & set(ELSEWHERE)
