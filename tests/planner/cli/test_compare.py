"""``stageboard compare``: fields, tables, exit statuses and refusals, for graphs on every target and for networks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gui.app.launch import main
from planner.cli.comparing import _against, _device_table
from planner.cli.comparing_figures import MINUS, figure_table
from planner.formats import read_models
from planner.formats.networks.npz import write_network
from planner.machines.pipeline.target import Pipeline
from planner.machines.spec import parse_target
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_network
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op
from planner.model.samples import STORIES
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.quantity import time_text
from planner.reports.comparison import compare
from planner.reports.comparison.example import example_files
from tests.planner.cli.calling import RESNET, caller

TOP = {
    "model",
    "reference",
    "plans",
    "why_incomparable",
    "differing",
    "groups",
    "devices",
    "moved",
    "flows",
    "notes",
    "picture",
}
CLAIM = {"claimed_bound", "claimed_component", "claimed_method", "claimed_by"}
PLAN = {
    "letter", "name", "plan_file", "planner", "target", "objective_name", "objective", "components", "lower_bound",
    "bound_method", "gap", "status", "valid", "violations", "difference", "objective_by_reference", "figures", *CLAIM,
}  # fmt: skip
AMOUNTS = {"ops", "receive", "work", "streaming", "send", "cost", "memory"}


@pytest.fixture
def stageboard(capsys: pytest.CaptureFixture[str]) -> Any:
    return caller(main, capsys)


@pytest.fixture(scope="module")
def resnet() -> Any:
    return read_models([Path(RESNET)])


def written(path: Path, graph: Any, spec: str, shares: list[float], objective: str = "") -> Path:
    """A plan file: ops in topological order, cut at these shares."""
    problem = Problem(graph, parse_target(spec, graph), objective)
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.searchsorted(
        np.array(shares), np.arange(graph.n) / graph.n, side="right"
    )
    return write_plan(path, problem.plan(device_of, Provenance("by hand"), path.stem.partition(".")[0]))


@pytest.fixture
def pair(resnet: Any, tmp_path: Path) -> list[Path]:
    return [
        written(tmp_path / "even.plan.json", resnet, "pipeline:3", [0.34, 0.67]),
        written(tmp_path / "late.plan.json", resnet, "pipeline:3", [0.5, 0.8]),
    ]


def test_stages_are_aligned_in_order_and_both_names_said(
    stageboard: Any, resnet: Any, pair: list[Path], tmp_path: Path
) -> None:
    """Everything on the first stage is on the first stage; a further stage stands where it belongs in the row."""
    one = written(tmp_path / "one.plan.json", resnet, "pipeline:3", [1.0])
    four = written(tmp_path / "four.plan.json", resnet, "pipeline:4", [0.3, 0.34, 0.67])
    data = stageboard("compare", RESNET, pair[0], one, "--json").json
    assert all(moved["from"] != "stage 0" and moved["to"] == "stage 0" for moved in data["moved"])
    assert [device["counterparts"] for device in data["devices"]] == [[f"stage {d}"] * 2 for d in range(3)]
    data = stageboard("compare", RESNET, pair[0], four, "--json").json
    assert [device["counterparts"] for device in data["devices"]] == [
        ["stage 0", "stage 0"], [None, "stage 1"], ["stage 1", "stage 2"], ["stage 2", "stage 3"],
    ]  # fmt: skip
    assert [device["name"] for device in data["devices"]] == ["stage 0", "stage 1 (B)", "stage 1", "stage 2"]
    assert {(moved["to"], moved["called"]) for moved in data["moved"]} == {("stage 1 (B)", "stage 1")}
    text = stageboard("compare", RESNET, four, pair[0], one).out
    assert (
        "stage 3 in A, 2 in B and C" in text
        and "stage 2 in A, 1 in B and C" in text
        and "stage 1 (A)" in text
    )
    assert "stage 1 " not in text.replace("stage 1 (A)", ""), "one name, one device"


def test_json_holds_the_public_fields(stageboard: Any, pair: list[Path]) -> None:
    ran = stageboard("compare", RESNET, *pair, "--json")
    assert (ran.status, ran.err) == (0, "")
    data = ran.json
    assert set(data) == TOP
    assert (data["model"], data["reference"], data["why_incomparable"]) == ("ResNet50", "A", "")
    assert all(set(each) == PLAN | {"moved_ops"} for each in data["plans"])
    first, second = data["plans"]
    assert (first["letter"], first["name"], first["plan_file"]) == ("A", "even", str(pair[0]))
    assert (first["target"], first["objective_name"]) == ("pipeline:3", "bottleneck")
    assert first["difference"] is None
    assert second["difference"] == pytest.approx(second["objective"] - first["objective"])
    # Nothing is stored in the files; bounds are proven beside them.
    assert first["bound_method"] == "chain-dp"
    assert first["gap"] == pytest.approx((first["objective"] - first["lower_bound"]) / first["objective"])
    assert [device["name"] for device in data["devices"]] == ["stage 0", "stage 1", "stage 2"]
    for device in data["devices"]:
        assert set(device) == {"name", "kind", "counterparts", "differences"}
        assert device["counterparts"] == [device["name"], device["name"]]
        assert device["differences"][0] is None and set(device["differences"][1]) == AMOUNTS
    assert sum(device["differences"][1]["ops"] for device in data["devices"]) == 0
    assert len(data["moved"]) == second["moved_ops"] > 0
    assert sum(group["ops"] for group in data["groups"]) == second["moved_ops"]
    assert set(data["groups"][0]) == {"plan", "ops", "from", "to", "first", "last"}
    assert set(data["moved"][0]) == {"plan", "op", "name", "from", "to", "called"}
    assert {entry["plan"] for entry in data["moved"]} == {"B"}
    assert all(set(flow) == {"plan", "from", "to", "ops", "work", "param_bytes"} for flow in data["flows"])
    assert sum(flow["ops"] for flow in data["flows"]) == 177
    assert sum(flow["ops"] for flow in data["flows"] if flow["from"] != flow["to"]) == second["moved_ops"]


def test_text(stageboard: Any, pair: list[Path]) -> None:
    ran = stageboard("compare", RESNET, *pair)
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0] == "ResNet50: 2 plans compared"
    assert lines[1].split() == ["A", "even", "pipeline:3", str(pair[0])]
    for words in (
        "against A",
        "lower bound",
        "gap",
        "rules",
        "devices, B minus A",
        "Flows from A to B",
        "bottleneck",
    ):
        assert words in ran.out
    assert "−" in ran.out and "+" in ran.out
    assert "more; --all lists them" in ran.out
    everything = stageboard("compare", RESNET, *pair, "--all").out
    assert "--all" not in everything and len(everything.splitlines()) > len(lines)


def test_estimates_of_shared_links_stand_beside_the_objective(
    stageboard: Any, resnet: Any, tmp_path: Path
) -> None:
    target = "edge-tpu:2,cache=1MiB"
    plans = [
        written(tmp_path / f"{name}.plan.json", resnet, target, [share], "stage-time")
        for name, share in (("a", 0.5), ("b", 0.8))
    ]
    lines = stageboard("compare", RESNET, *plans).out.splitlines()
    data = json.loads(stageboard("compare", RESNET, *plans, "--json").out)
    rates = [plan["figures"]["throughput"] for plan in data["plans"]]
    told = next(line for line in lines if line.startswith("  throughput, estimated"))
    change = (rates[1] - rates[0]) / rates[0]
    sign = "+" if change > 0 else "\N{MINUS SIGN}"
    assert f"{rates[0]:.1f} per second" in told
    assert f"{rates[1]:.1f} per second ({sign}{100 * abs(change):.1f} %)" in told
    assert any(line.startswith("  latency, estimated") for line in lines)


def test_both_speeds_of_every_plan_stand_beside_one_another(
    stageboard: Any, resnet: Any, tmp_path: Path
) -> None:
    files = [
        written(tmp_path / f"{name}.plan.json", resnet, target, [0.5, 0.9], objective)
        for name, target, objective in (
            ("stream", "pool:2+1", "max-load"),
            ("single", "pool:2+1", "latency"),
            ("row", "pipeline:3", "bottleneck"),
        )
    ]
    lines = stageboard("compare", RESNET, *files).out.splitlines()
    plans = json.loads(stageboard("compare", RESNET, *files, "--json").out)["plans"]
    for name in ("throughput", "latency"):
        told = next(line for line in lines if line.startswith(f"  {name}, estimated"))
        assert "\N{EN DASH}" not in told
        assert all(plan["figures"][name] > 0.0 for plan in plans)
    assert not any(line.startswith("  latency  ") for line in lines), "the row of the estimate says it"
    both = [files[1], written(tmp_path / "other.plan.json", resnet, "pool:2+1", [0.4, 0.8], "latency")]
    told = [line for line in stageboard("compare", RESNET, *both).out.splitlines() if "latency" in line]
    assert sum(line.startswith("  latency") for line in told) == 1 and "estimated" not in "".join(told)
    assert plans[0]["figures"]["throughput"] == pytest.approx(1.0 / plans[0]["components"]["max-load"])
    assert plans[1]["figures"]["latency"] == pytest.approx(plans[1]["components"]["latency"])
    assert plans[0]["figures"] == pytest.approx(plans[1]["figures"]), "the same split on the same devices"
    slots = written(tmp_path / "slots.plan.json", resnet, "pool:2+1,subgraphs=2", [0.5, 0.9], "latency")
    said = stageboard("compare", RESNET, files[0], slots).out
    assert "  B has no throughput: where accelerators have several subgraphs nothing says" in said


def test_a_relabelled_plan_does_not_differ(stageboard: Any, resnet: Any, tmp_path: Path) -> None:
    problem = Problem(resnet, parse_target("pool:3+0", resnet))
    device_of = np.empty(resnet.n, np.int32)
    device_of[resnet.topological_order] = np.arange(resnet.n) * 3 // resnet.n
    files = []
    for name, labels in (("a", [0, 1, 2]), ("b", [2, 0, 1])):
        found = problem.plan(np.array(labels, np.int32)[device_of], Provenance("by hand"), name)
        files.append(write_plan(tmp_path / f"{name}.plan.json", found))
    said = stageboard("compare", RESNET, *files).out
    assert "no op is on another device than in A" in said
    assert "acc 0 in A, 2 in B" in said
    data = stageboard("compare", RESNET, *files, "--json").json
    assert data["moved"] == [] and data["plans"][1]["difference"] == 0
    assert data["devices"][0]["counterparts"] == ["acc 0", "acc 2"]


def test_other_targets_and_counts(stageboard: Any, resnet: Any, pair: list[Path], tmp_path: Path) -> None:
    tpus = written(tmp_path / "tpus.plan.json", resnet, "edge-tpu:4", [0.34, 0.67, 0.9])
    chips = written(tmp_path / "chips.plan.json", resnet, "mcm:4", [0.34, 0.67, 0.9])
    data = stageboard("compare", RESNET, pair[0], tpus, chips, "--json").json
    assert "their objectives do not compare" in data["why_incomparable"]
    assert [plan["difference"] for plan in data["plans"]] == [None, None, None]
    assert data["devices"][3]["name"] == "stage 3 (B)"
    assert data["devices"][3]["counterparts"] == [None, "stage 3", "chip 3"]
    assert data["devices"][3]["differences"][1]["cost"] is None
    said = stageboard("compare", RESNET, pair[0], tpus, chips).out
    assert "A is a plan for a pipeline and B for" in said and "their objectives do not compare" in said
    assert "B's stage 3, C's chip 3" in said
    assert "max-memory" in said and "bottleneck" in said


def test_a_plan_that_breaks_rules_is_compared_like_any_other(
    stageboard: Any, resnet: Any, pair: list[Path], tmp_path: Path
) -> None:
    problem = Problem(resnet, parse_target("pipeline:3", resnet))
    device_of = np.zeros(resnet.n, np.int32)
    device_of[resnet.topological_order[0]] = 2
    broken = write_plan(tmp_path / "broken.plan.json", problem.plan(device_of, Provenance("by hand")))
    ran = stageboard("compare", RESNET, pair[0], broken)
    assert ran.status == 0
    assert "! B: " in ran.out and "violation" in ran.out
    data = stageboard("compare", RESNET, pair[0], broken, "--json").json
    assert (data["plans"][1]["valid"], data["plans"][1]["status"], data["plans"][1]["gap"]) == (
        False,
        "invalid",
        None,
    )
    assert data["plans"][1]["violations"]


def test_without_files_the_example_is_compared(stageboard: Any) -> None:
    data = stageboard("compare", "--json").json
    assert data["model"] == "bert_3"
    assert [plan["status"] for plan in data["plans"]] == ["optimal", "optimal"]
    model = example_files()[0]
    assert stageboard("compare", model, "--json").json == data


def test_orders_of_a_network(stageboard: Any, tmp_path: Path) -> None:
    network = tiny_network()
    model = write_network(network, tmp_path / "tiny.npz")
    files = []
    for planner, size in (("theorem-1", 4), ("locality", 4), ("theorem-1", 100)):
        files.append(tmp_path / f"{planner}{size}.plan.json")
        stageboard("plan", model, "--target", f"memory:{size}", "--planner", planner, "-o", files[-1])
    data = stageboard("compare", model, *files, "--json").json
    assert set(data) == TOP
    assert all(
        set(each) == PLAN | {"reads", "writes", "moved_neurons", "displaced_connections"}
        for each in data["plans"]
    )
    assert (data["devices"], data["flows"]) == ([], [])
    assert all(set(entry) == {"plan", "neuron", "from", "to"} for entry in data["moved"])
    assert [plan["lower_bound"] for plan in data["plans"]] == [15, 15, 15]
    for plan in data["plans"]:
        assert plan["objective"] == plan["reads"] + plan["writes"]
        assert plan["moved_neurons"] == sum(entry["plan"] == plan["letter"] for entry in data["moved"])
    said = stageboard("compare", model, *files).out
    assert (
        "neurons moved" in said
        and "I/Os" in said
        and "C against A: the neurons are completed in the same order" in said
    )


def test_an_order_and_a_plan_of_a_graph_are_refused_together(
    stageboard: Any, pair: list[Path], tmp_path: Path
) -> None:
    network = tiny_network()
    problem = NetworkProblem(network, TwoLevelMemory(4))
    order = problem.plan(np.argsort(network.target, kind="stable").astype(np.int32), Provenance("by hand"))
    file = write_plan(tmp_path / "order.plan.json", order)
    ran = stageboard("compare", RESNET, pair[0], file)
    assert ran.status == 2
    assert "orders a network's connections" in ran.sentence


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["MODEL", "A"], "name two to four plans after the model"),
        (["MODEL"], "no example plans are shipped for resnet50.json"),
        (["A", "B"], "is a plan; name its model before it"),
        (["MODEL", "A", "B", "A", "B", "A"], "5 plans cannot be compared; choose 2 to 4"),
        (["MODEL", "A", "missing.json"], "missing.json does not exist; check the path"),
        (["MODEL", "A", "STORY"], "even.plan.json is a plan; name two to four"),
        (["STORY", "STORY"], "none of the files is a plan"),
        (["MODEL", "A", "B", "--density", "0.1"], "--density prunes sparse networks"),
        (["MODEL", "A", "B", "-o", "picture.gif"], "pictures are written as .png, .svg, .pdf"),
        (["MODEL", "A", "B", "-o", "A.png", "--view", "sideways"], "--view"),
        (["OTHER", "A", "B"], "is a plan of another graph"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    stageboard: Any, pair: list[Path], arguments: list[str], words: str
) -> None:
    known = {
        "MODEL": RESNET,
        "A": str(pair[0]),
        "B": str(pair[1]),
        "STORY": str(STORIES / "pipeline.story.json"),
        "OTHER": str(Path(RESNET).with_name("xception.json")),
    }
    ran = stageboard("compare", *[known.get(argument, argument) for argument in arguments])
    assert ran.status == 2
    assert words in ran.sentence


def test_a_plan_is_not_overwritten_by_its_picture(
    stageboard: Any, resnet: Any, pair: list[Path], tmp_path: Path
) -> None:
    odd = tmp_path / "odd.png"
    odd.write_bytes(pair[0].read_bytes())
    ran = stageboard("compare", RESNET, odd, pair[1], "-o", odd)
    assert ran.status == 2 and "would be lost" in ran.sentence
    assert json.loads(odd.read_text())["format"] == "stageboard-plan"


# ------------------------------------------------------------------------------------------------ in the window
def test_a_window_is_opened_on_the_plans(
    stageboard: Any, tmp_path: Path, resnet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared goes to the window; bad input, other uses and a missing display are refused before that."""
    import gui.app.app
    from gui.look import display

    asked: list[Any] = []
    monkeypatch.setattr(gui.app.app, "open_window", lambda *given, **named: asked.append((given, named)) or 0)
    a, b = (written(tmp_path / f"{n}.json", resnet, f"pipeline:{n}", [0.5]) for n in (2, 3))
    ran = stageboard("compare", RESNET, a, b, "--window")
    assert (ran.status, ran.out) == (0, "")
    assert asked == [
        (
            ([Path(RESNET)], None),
            {"density": None, "compared": [a, b], "batch": None, "times": [], "precision": None},
        )
    ]
    ran = stageboard("compare", "--window")
    assert ran.status == 0
    (given, named) = asked.pop(1)
    assert given[0][0].name == "bert_3.json" and len(named["compared"]) == 2

    for more, words in (
        (["-o", "x.png"], "-o is about what is printed or drawn"), (["--all"], "--all is about"),
        (["--json"], "--json is about"), (["--view", "lanes"], "--view is about"),
    ):  # fmt: skip
        ran = stageboard("compare", RESNET, a, b, "--window", *more)
        assert ran.status == 2 and words in ran.err + ran.out
    table = tmp_path / "times.csv"
    table.write_text(f"op,seconds\n{resnet.op_ids[1]},0.5\n")
    ran = stageboard("compare", RESNET, a, b, "--window", "--times", f"1={table}")
    assert ran.status == 0 and "made with other times" in ran.err
    assert asked[1][1]["times"] == [f"1={table}"]
    other = written(tmp_path / "other.json", read_models(["sample_models/unet.onnx"]), "pipeline:2", [0.5])
    ran = stageboard("compare", RESNET, a, other, "--window")
    assert ran.status == 2 and "another graph" in ran.err
    monkeypatch.setattr(display, "x11_answers", lambda _: False)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("DISPLAY", ":99")
    ran = stageboard("compare", RESNET, a, b, "--window")
    assert ran.status == 2 and "leave --window out for the figures" in ran.err and ran.err.count("\n") == 1
    assert len(asked) == 2


def test_a_plan_for_another_objective_is_judged_by_that_of_the_reference(
    stageboard: Any, resnet: Any, tmp_path: Path
) -> None:
    files = []
    for name, objective, ends in (("a", "stage-time", 200), ("b", "memory-1-2-3", 100)):
        problem = Problem(resnet, parse_target("edge-tpu:2", resnet), objective)
        device_of = np.zeros(resnet.n, np.int32)
        device_of[resnet.topological_order[min(ends, resnet.n - 5) :]] = 1
        files.append(
            write_plan(tmp_path / f"{name}.plan.json", problem.plan(device_of, Provenance("by hand"), name))
        )
        if name == "a":
            judge, first = problem, problem.evaluate(device_of).objective
    judged = judge.evaluate(device_of).objective
    data = stageboard("compare", RESNET, *files, "--json").json
    assert [plan["objective_by_reference"] for plan in data["plans"]] == [None, judged]
    said = stageboard("compare", RESNET, *files).out
    by = abs(judged / first - 1)
    assert (
        f"by stage-time, which A is about, B has {time_text(judged, 's')}: " in said
        and f"{100 * by:.1f} %)" in said
    )


def test_memory_differs_by_what_the_amounts_of_both_plans_are_read_as() -> None:
    """As the picture of the devices has it: 40.5 KiB and 58.5 KiB differ by 18.0 KiB, also where bytes differ by 17.9 of them."""
    graph = Graph.build(
        "two", [Op(f"n{i}", f"n{i}", param_bytes=1024.0 * kib) for i, kib in ((0, 40.54), (1, 17.92))], []
    )
    problem = Problem(fill(graph), Pipeline(2))
    plans = [problem.plan(np.array(on, np.int32), Provenance("by hand")) for on in ([0, 1], [0, 0])]
    assert "+18.0 KiB" in _device_table(compare(plans), 1)


def test_amounts_of_a_row_and_their_differences_are_in_one_unit() -> None:
    work = (0.90e-3, 0.02e-3, 0.93e-3)
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=w) for i, w in enumerate(work)]
    problem = Problem(Graph.build("row", ops, [], time_unit="s"), Pipeline(2))
    devices = ([0, 0, 0], [0, 0, 1], [0, 1, 1])
    comparison = compare([problem.plan(np.array(on, np.int32), Provenance("by hand")) for on in devices])

    def rows(text: str) -> dict[str, list[str]]:
        found = (re.split(r"  +", line.strip()) for line in text.splitlines())
        return {cells[0]: cells[1:] for cells in found}

    told = rows(figure_table([comparison.figures(i) for i in range(3)], _against(comparison)))
    assert told["bottleneck"] == ["1.85 ms", "0.93 ms", "0.95 ms"]
    assert told["against A"] == [f"{MINUS}0.92 ms ({MINUS}49.7 %)", f"{MINUS}0.90 ms ({MINUS}48.6 %)"]
    assert rows(_device_table(comparison, 2))["stage 1"] == [
        "0.00 ms",
        "0.95 ms",
        "+2",
        "+0.95 ms",
        "+0.95 ms",
        "0",
        "bottleneck C",
    ]


def test_a_valid_plan_that_does_not_run_is_told_from_one_that_does(stageboard: Any, tmp_path: Path) -> None:
    """The memory rule counts less of a chip's buffers than running takes."""
    files = [tmp_path / "tight.plan.json", tmp_path / "roomy.plan.json"]
    for sram, file in zip(("20MiB", "32MiB"), files, strict=True):
        target = f"mcm:4,precision=int8,sram={sram}"
        stageboard(
            "plan", RESNET, "--target", target, "--planner", "chip-greedy", "--prove", "off", "-o", file
        )
    said = stageboard("compare", RESNET, *files, "--prove", "off").out
    assert "! A does not run, simulated: chip 3 has no place for" in said and "B does not run" not in said
    plans = stageboard("compare", RESNET, *files, "--prove", "off", "--json").json["plans"]
    assert plans[0]["does_not_run"].startswith("chip 3 has no place for") and "does_not_run" not in plans[1]
