"""Planning from Python: the five lines, what is optimal, what is impossible, Ctrl-C, moves, repair, races and bounds."""

from __future__ import annotations

import itertools
import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import stageboard as sb
from planner.cli import main

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "tests" / "data" / "small.json"
RESNET = ROOT / "sample_models" / "resnet50.json"
UNET = ROOT / "sample_models" / "unet.onnx"
NETWORK = ROOT / "sample_models" / "mlp_100.npz"


@pytest.fixture
def graph() -> sb.Graph:
    found = sb.read(SMALL)
    assert isinstance(found, sb.Graph)
    return found


def test_the_five_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str], graph: sb.Graph) -> None:
    plan = sb.plan(graph, "pipeline:2")
    print(plan)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[0] == f"{graph.name} on pipeline:2" and lines[1].startswith("bottleneck ")
    assert lines[2].startswith("at least ") and "gap 0.0 %" in lines[2] and lines[3] == "valid, optimal"
    file = plan.save(tmp_path / "model.plan.json")
    assert main(["evaluate", str(SMALL), str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["objective"] == plan.objective and said["valid"] is True
    assert [row["cost"] for row in said["devices"]] == [row.cost for row in plan.devices]
    again = sb.load(file, graph)
    assert again.assignment == plan.assignment and again.objective == plan.objective
    # What a file says was proven is its claim.
    assert again.bound_method != plan.bound_method or again.bound == plan.bound


def test_optimal_is_what_trying_everything_finds(graph: sb.Graph) -> None:
    ops, k = graph.ops, 2
    assert len(ops) <= 10
    tried = [
        sb.evaluate(graph, f"pipeline:{k}", dict(zip(ops, places, strict=True)))
        for places in itertools.product(range(k), repeat=len(ops))
    ]
    best = min(plan.objective for plan in tried if plan.valid and plan.objective is not None)
    plan = sb.plan(graph, sb.target(f"pipeline:{k}"))
    assert plan.objective == pytest.approx(best) and plan.status == "optimal" and plan.gap == 0.0
    assert plan.bound == pytest.approx(best) and plan.bound_method and plan.stop_reason == "finished"
    broken = next(one for one in tried if not one.valid)
    assert broken.status == "no_plan" and broken.violations and broken.gap is None
    assert str(broken).splitlines()[3].startswith("breaks ")
    assert plan.provenance["planner"] and plan.provenance["seed"] == 0


def test_the_command_line_finds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(RESNET), "--target", "pipeline:3", "--planner", "slice", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    plan = sb.plan(sb.read(RESNET), "pipeline:3", planner="slice")
    assert (plan.objective, plan.bound, plan.gap) == (said["objective"], said["lower_bound"], said["gap"])
    assert (plan.status, plan.stop_reason) == (said["status"], said["stop_reason"])


def test_what_is_impossible_says_why(graph: sb.Graph, tmp_path: Path) -> None:
    first, last = graph.ops[0], graph.ops[-1]
    plan = sb.plan(graph, "pipeline:2", pins={first: 1, last: "stage 0"})
    assert plan.status == "infeasible" and not plan.valid and plan.objective is None and plan.assignment == {}
    assert plan.bound == float("inf") and "pinned" in plan.message and "what would help" in plan.message
    assert len(str(plan).splitlines()) == 4 and "\n" not in repr(plan)
    for verb in (
        lambda: plan.save(tmp_path / "x.json"),
        plan.evaluate,
        plan.repair,
        lambda: plan.move({first: 0}),
    ):
        with pytest.raises(sb.PlanError, match="there is no plan of"):
            verb()
    assert list(tmp_path.iterdir()) == []


def test_pins_are_kept(graph: sb.Graph) -> None:
    plan = sb.plan(graph, "pipeline:2", pins={graph.ops[-1]: 0}, prove=0)
    assert set(plan.assignment.values()) == {0}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda g: sb.read("no-such.onnx"), "no-such.onnx does not exist"),
        (lambda g: sb.read([]), "no model file is named"),
        (lambda g: sb.read(SMALL, machine="abacus"), "abacus"),
        (lambda g: sb.plan(g, "pipeline:0"), "pipeline:1 or more"),
        (lambda g: sb.plan(g, "memory:100"), "memory"),
        (lambda g: sb.plan(g, "pipeline:2", planner="chance"), "there is no planner 'chance'"),
        (lambda g: sb.plan(g, "pipeline:2", planner="ideals-dp"), "the planners for this problem are"),
        (lambda g: sb.plan(g, "pipeline:2", pins={"nobody": 0}), "has no op 'nobody'"),
        (lambda g: sb.plan(g, "pipeline:2", pins={g.ops[0]: 7}), "has no device '7'"),
        (lambda g: sb.plan(g, "pipeline:2", objective="beauty"), "has no objective 'beauty'"),
        (lambda g: sb.bound(g, "pipeline:2", method="hope"), "there is no bound method 'hope'"),
        (lambda g: sb.evaluate(g, "pipeline:2", {g.ops[0]: 0}), "without a device"),
        (lambda g: sb.evaluate(g, "pipeline:2", [0.5] * len(g)), "whole numbers"),
        (lambda g: sb.evaluate(g, "pipeline:2", [0]), "ops"),
        (lambda g: sb.load(SMALL), "is not a Stageboard plan"),
        (lambda g: sb.generate("poetry"), "there is no kind of graph 'poetry'"),
        (lambda g: sb.export(g, "csv", "x.csv"), "without a plan"),
        (lambda g: sb.export(sb.evaluate(g, "pipeline:2", [0] * len(g)), "onnx-stages", "x"), "ONNX"),
        (lambda g: sb.render(g, "x.gif"), ".png, .svg, .pdf"),
        (lambda g: sb.compare(), "plan"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(
    graph: sb.Graph, call: object, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sb.StageboardError) as error:
        call(graph)  # type: ignore[operator]
    assert sentence in str(error.value) and "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_gives_the_best_so_far() -> None:
    graph = sb.read(RESNET)
    heard: list[sb.Progress] = []

    def interrupt(progress: sb.Progress) -> None:
        heard.append(progress)
        if progress.objective is not None and sum(p.objective is not None for p in heard) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    plan = sb.plan(graph, "pipeline:4", planner="anneal", time_limit=60, on_progress=interrupt)
    assert plan.valid and plan.status == "feasible" and plan.stop_reason == "cancelled"
    assert plan.bound is not None and heard[0].seconds >= 0
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_second_ctrl_c_ends_it_at_once_and_loses_nothing() -> None:
    graph = sb.read(RESNET)
    count = 0

    def interrupt(progress: sb.Progress) -> None:
        nonlocal count
        if progress.objective is not None and count < 2:
            count += 2
            for _ in range(2):
                signal.raise_signal(signal.SIGINT)

    plan = sb.plan(graph, "pipeline:4", planner="anneal", time_limit=60, on_progress=interrupt)
    assert plan.valid and plan.stop_reason == "cancelled" and len(plan.assignment) == len(graph)


def test_moves_and_repair(graph: sb.Graph) -> None:
    plan = sb.plan(graph, "pipeline:2", prove=0)
    first = graph.ops[0]
    moved = plan.move({first: 1})
    assert moved.assignment[first] == 1 and plan.assignment[first] == 0
    assert not moved.valid and moved.violations and moved.status == "no_plan"
    near = moved.repair()
    assert near.valid and near.stop_reason == "finished" and near.message
    assert near.evaluate().objective == near.objective
    with pytest.raises(sb.StageboardError, match="has no op"):
        plan.move({"nobody": 1})
    with pytest.raises(sb.StageboardError, match="no device"):
        plan.move({first: "stage 9"})


def test_what_a_graph_has_is_read_only(graph: sb.Graph) -> None:
    for array in (graph.edges, graph.parameters, graph.macs, graph.times):
        assert isinstance(array, np.ndarray) and not array.flags.writeable
    assert len(graph) == len(graph.ops) == len(graph.kinds) == len(graph.macs)
    drawn = graph.to_networkx()
    assert list(drawn.nodes) == list(graph.ops) and drawn.number_of_edges() == len(graph.edges)
    assert all(data["bytes"] >= 0 for _, _, data in drawn.edges(data=True))


def test_ops_of_one_name_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    data = json.loads(SMALL.read_text())
    data["ops"][0]["name"] = data["ops"][1]["name"] = "twin"
    (tmp_path / "twins.json").write_text(json.dumps(data))
    ops = sb.read(tmp_path / "twins.json").ops
    assert "twin" not in ops and len(set(ops)) == len(ops)


def test_plans_find_their_models_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = sb.plan(sb.read(RESNET), "pipeline:2", planner="slice", prove=0)
    file = plan.save(tmp_path / "p.json")
    assert sb.load(file).objective == plan.objective  # the sample
    data = json.loads(file.read_text())
    data["graph"]["models"] = data["graph"]["name"] = ["elsewhere"]
    (tmp_path / "q.json").write_text(json.dumps(data))
    with pytest.raises(sb.PlanError, match=r"'elsewhere' of q\.json is neither beside it nor in this folder"):
        sb.load(tmp_path / "q.json")
    (tmp_path / "Elsewhere.json").write_bytes(RESNET.read_bytes())
    assert sb.load(tmp_path / "q.json").objective == plan.objective


def test_bounds_and_planners() -> None:
    graph = sb.read(RESNET)
    simple = sb.bound(graph, "pipeline:4", method="simple")
    strong = sb.bound(graph, "pipeline:4", method="two-superblock")
    assert simple.status == strong.status == "proven"
    assert simple.value is not None and strong.value is not None and simple.value <= strong.value
    assert "proven by two-superblock" in str(strong) and repr(strong).startswith(
        "<Bound: bottleneck at least"
    )
    assert "slice" in sb.planners("pipeline:4") and "slice" not in sb.planners(sb.target("memory:10"))


def test_a_race_says_how_each_did(graph: sb.Graph) -> None:
    heard: list[sb.Progress] = []
    plan = sb.race(
        graph,
        "pipeline:2",
        planners=["slice", "chain-dp"],
        bounds=[],
        cores=1,
        on_progress=heard.append,
    )
    assert plan.valid and {one["name"] for one in plan.standings} == {"slice", "chain-dp"}
    assert heard and heard[-1].objective == plan.objective and plan.message


def test_several_models_and_times_by_device(tmp_path: Path) -> None:
    both = sb.read([SMALL, SMALL])
    assert len(both) == 2 * len(sb.read(SMALL))
    (tmp_path / "t.csv").write_text("op,seconds\n" + "".join(f"{op},0.5\n" for op in sb.read(SMALL).ops))
    timed = sb.read(SMALL, times=tmp_path / "t.csv")
    assert isinstance(timed, sb.Graph) and set(timed.times.tolist()) == {0.5}
    split = sb.read(SMALL, times={"stage 1": tmp_path / "t.csv"})
    assert sb.plan(split, "pipeline:2", prove=0).valid


def test_numbers_may_take_fewer_bytes(tmp_path: Path) -> None:
    stored, counted = (sb.read(UNET, precision=one) for one in ("file", "int8"))
    assert isinstance(stored, sb.Graph) and isinstance(counted, sb.Graph)
    assert counted.planned.param_bytes.sum() * 4 == stored.planned.param_bytes.sum()
    plan = sb.plan(counted, "pipeline:2", planner="slice")
    plan.save(tmp_path / "counted.plan.json")
    assert sb.load(tmp_path / "counted.plan.json", counted).objective == plan.objective
    with pytest.raises(sb.PlanError, match="made with precision 'int8'"):
        sb.load(tmp_path / "counted.plan.json", stored)
    with pytest.raises(sb.ModelError, match="choose from file, int8, float16"):
        sb.read(UNET, precision="int4")
    with pytest.raises(sb.StageboardError, match="precision is about graphs"):
        sb.read(NETWORK, precision="int8")
