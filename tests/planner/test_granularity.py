"""Planning by layers and scopes."""

from __future__ import annotations

import pytest

from planner.algorithms.catalogue import planner
from planner.cli import main
from planner.errors import ConstraintError
from planner.formats import device_placement
from planner.granularity import kept_together
from planner.graph import Graph, Op, Tensor
from planner.problem import Problem, Together
from planner.run import run
from planner.targets import Pipeline, parse_target
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
    from planner.formats.stageboard_json import write

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
