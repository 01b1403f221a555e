"""Planning by layers and scopes."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.cli import main
from planner.errors import ConstraintError
from planner.formats.graphs import device_placement
from planner.machines.catalogue import planner
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import colour_classes
from planner.problem.grouping import kept_together, unkept_classes, unkept_words
from planner.problem.problem import Problem, Together
from planner.search.run import run
from tests.shared_files import shared


def chain(layers: list[int | None], names: list[str] | None = None) -> Graph:
    names = names or [f"o{i}" for i in range(len(layers))]
    ops = [Op(f"o{i}", names[i], work=1.0, work_cpu=1.0, layer=layer) for i, layer in enumerate(layers)]
    return Graph.build("chain", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0) for i in range(len(ops) - 1)])


def test_layers_become_constraints() -> None:
    assert kept_together(chain([0, 0, 1, 1, None]), "layer") == (
        Together(("o0", "o1")),
        Together(("o2", "o3")),
    )
    assert kept_together(chain([0, 0]), "op") == ()


def test_scopes_become_constraints() -> None:
    graph = chain([None] * 3, ["a/b/x", "a/b/y", "c/z"])
    assert kept_together(graph, "scope") == (Together(("o0", "o1")),)


def test_a_layer_with_others_in_between_is_left_free() -> None:
    assert kept_together(chain([0, 1, 1, 0]), "layer") == (Together(("o1", "o2")),)
    # An op without a layer in between is only taken along.
    assert kept_together(chain([0, None, 0]), "layer") == (Together(("o0", "o2")),)


def test_a_file_without_layers_says_so() -> None:
    with pytest.raises(ConstraintError, match="names no layers"):
        kept_together(chain([None, None]), "layer")
    with pytest.raises(ConstraintError, match="no name scopes"):
        kept_together(chain([None, None]), "scope")


def test_a_plan_keeps_layers_whole() -> None:
    graph = chain([0, 0, 0, 1])
    result = run(planner("slice"), Problem(graph, Pipeline(2), constraints=kept_together(graph, "layer")))
    assert result.device_of is not None and result.device_of.tolist() == [0, 0, 0, 1]


def test_the_command_line_takes_it(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    from planner.formats.graphs.stageboard_json import write

    file = f"{tmp_path}/g.json"
    write(chain([0, 0, 0, 1]), file)
    arguments = ["plan", file, "--target", "pipeline:2", "--planner", "slice", "--pin", "o3=1"]
    assert main([*arguments, "--granularity", "layer", "--json"]) == 0
    assert '"ops": 3' in capsys.readouterr().out
    assert main([*arguments, "--granularity", "scope"]) == 2
    assert "no name scopes" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "layer"), [("bert_l-12_inference", 159.43), ("bert_L-12_training", 465.41)])
def test_layers_give_table_3(name: str, layer: float) -> None:
    path = shared(f"workloads/device-placement/throughput/OperatorGraphs/{name}.json")
    graph = device_placement.read(path)
    problem = Problem(graph, parse_target("pool", graph), constraints=kept_together(graph, "layer"))
    result = run(planner("dpl"), problem)
    assert result.objective == pytest.approx(layer, abs=0.01)


# ------------------------------------------------------------------------------------------------------ colour classes
def coloured(seed: int = 0, n: int = 6) -> Graph:
    """A small random graph with two colour classes of two ops."""
    rng = np.random.default_rng(seed)
    classes = dict(zip(rng.permutation(n)[:4].tolist(), (0, 0, 1, 1), strict=True))
    ops = [
        Op(f"o{i}", f"o{i}", work=float(rng.integers(1, 9)), work_cpu=1.0, param_bytes=float(rng.integers(1, 9)),
           colour_class=classes.get(i))
        for i in range(n)
    ]  # fmt: skip
    tensors = [
        Tensor(f"o{i}", tuple(f"o{j}" for j in sorted({i + 1, int(rng.integers(i + 1, n))})), float(rng.integers(1, 9)))
        for i in range(n - 1)
    ]  # fmt: skip
    return Graph.build("coloured", ops, tensors, time_unit="s")


def test_classes_become_constraints_whatever_lies_between() -> None:
    ops = [
        Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, colour_class=c) for i, c in enumerate((0, 1, 0, 2, 1))
    ]
    graph = Graph.build("g", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0) for i in range(4)], time_unit="s")
    assert kept_together(graph, "class") == (Together(("o0", "o2")), Together(("o1", "o4")))
    with pytest.raises(ConstraintError, match="no colour classes of several ops"):
        kept_together(chain([None, None]), "class")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "spec, exact",
    [
        ("edge-tpu:3,cache=8", "edge-tpu-ilp"),
        ("pipeline:3,bandwidth=1", "mtpp-cp-sat"),
        ("mcm:3,check_memory=false", "chip-cp-sat"),
    ],
)
def test_exact_planners_keep_classes_and_find_what_enumeration_finds(
    spec: str, exact: str, seed: int
) -> None:
    graph = coloured(seed)
    problem = Problem(graph, parse_target(spec, graph), constraints=kept_together(graph, "class"))
    classes = [ops for ops in colour_classes(graph) if len(ops) > 1]
    loose = replace(problem, constraints=())
    plans = (np.array(p, np.int32) for p in itertools.product(range(3), repeat=graph.n))
    values = [
        loose.evaluator.components(plan)
        for plan in plans
        if all(len(set(plan[ops].tolist())) == 1 for ops in classes) and not loose.evaluator.violations(plan)
    ]
    result = run(planner(exact), problem)
    assert result.status == "optimal" and result.components == pytest.approx(min(values))
    assert any(token.startswith("together:") for bound in result.bounds for token in bound.assumes)
    # Nothing that was proven with the classes is claimed without them.
    for bound in result.bounds:
        if bound.assumes - loose.assumptions:
            assert not bound.applies_to(loose.relaxation, loose.assumptions)


def test_what_is_not_kept_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from planner.formats.graphs.stageboard_json import write

    graph = coloured()
    model, plan = str(tmp_path / "g.json"), str(tmp_path / "p.json")
    write(graph, model)
    for target in ("pipeline:3,bandwidth=1", "edge-tpu:3", "mcm:3"):
        unkept = unkept_classes(Problem(graph, parse_target(target, graph)))
        assert unkept == tuple(map(tuple, colour_classes(graph)))
        assert main(["plan", model, "--target", target, "--time-limit", "1", "-o", plan, "--json"]) == 0
        (warning,) = json.loads(capsys.readouterr().out)["warnings"]
        assert "2 colour classes are not kept on one device" in warning and "--granularity class" in warning
        assert main(["evaluate", model, plan]) == 0
        assert f"! {warning}" in capsys.readouterr().out
        held = ["plan", model, "--target", target, "--granularity", "class", "--time-limit", "1", "--json"]
        assert main(held) == 0 and "warnings" not in json.loads(capsys.readouterr().out)
    assert main(["plan", model, "--target", "pool:2+1", "--json"]) == 0
    assert "warnings" not in json.loads(capsys.readouterr().out)
    assert main(["bound", model, "--target", "pipeline:3,bandwidth=1", "--json"]) == 0
    assert "warnings" in json.loads(capsys.readouterr().out)
    assert main(["info", model]) == 0 and "2  colour classes, 4 ops in all" in capsys.readouterr().out
    assert main(["info", model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["colour_classes"] == 2


def test_one_class_is_told_by_its_ops() -> None:
    ops = [
        Op(name, name, work=1.0, work_cpu=1.0, colour_class=c)
        for name, c in (("a", 0), ("b", None), ("c", 0))
    ]
    graph = Graph.build("g", ops, [Tensor("a", ("b",), 1.0), Tensor("b", ("c",), 1.0)], time_unit="s")
    words = unkept_words(Problem(graph, Pipeline(2)), "do something")
    assert words == (
        "one colour class is not kept on one device: a pipeline has no such rule, so a and c may be parted; do something"
    )
    kept = Problem(graph, Pipeline(2), constraints=(Together(("a", "c")),))
    assert unkept_words(kept, "do something") == unkept_words(Problem(graph, DevicePool(2, 1)), "") == ""
