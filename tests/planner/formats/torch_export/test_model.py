"""Programs of torch.export: a real one, both layouts of archives, dynamic sizes, constants, bodies, and what is hostile."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.errors import ModelError
from planner.formats import read_graph, read_model
from planner.formats.torch_export.records import Expression, Hint, Size
from planner.formats.torch_export.sizes import Sizes, symbol
from planner.model.graph import Graph
from planner.model.groups import by_scope
from planner.model.kind_groups import group_of
from planner.model.ops import Shared
from tests.planner.formats.torch_export.builder import (
    LONG,
    meta,
    new_archive,
    node,
    old_archive,
    program,
    tensor,
    two_layers,
)

VERSIONS = Path(__file__).resolve().parents[3] / "data" / "torch"
SMALL = Path(__file__).resolve().parents[3] / "data" / "small.pt2"


def read(folder: Path, value: Any, **options: Any) -> Graph:
    return read_graph(new_archive(folder / "m.pt2", value), **options)


# ---------------------------------------------------------------------- what torch writes
def test_a_real_program() -> None:
    graph = read_graph(SMALL)
    assert graph.format == "torch-export" and graph.n == 15 and not graph.warnings
    # Weights, biases and running statistics; the two counters of batches seen are no parameters of any op.
    assert (
        graph.params.sum() == 112 + 2 * (72 + 16) + 50 and graph.param_bytes.sum() == 4 * graph.params.sum()
    )
    assert graph.macs.sum() == 4 * 16 * 27 + 2 * 4 * 16 * 18 + 16 * 16 * 8 + 40
    assert graph.op_names[1:5] == (
        "stem/conv2d",
        "blocks.0/conv/conv2d_1",
        "blocks.0/norm/batch_norm",
        "blocks.0/relu",
    )
    assert graph.kinds[12:] == ("ScaledDotProductAttention", "Mean", "Linear")
    groups = by_scope(graph, 1)
    assert groups is not None and {"blocks.0", "blocks.1"} <= set(groups.names)
    assert graph.tensor_shapes[0] == (1, 3, 9, 9) and graph.tensor_dtypes[0] == "float"


def test_the_batch_is_bound_where_it_is_dynamic() -> None:
    one, many = read_graph(SMALL), read_graph(SMALL, batch=7)
    assert (
        many.tensor_bytes.tolist() == (7 * one.tensor_bytes).tolist()
        and many.macs.sum() == 7 * one.macs.sum()
    )
    assert many.params.tolist() == one.params.tolist() and dict(many.read_options) == {"batch": 7}


def test_it_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(SMALL), "--target", "pipeline:2", "--time-limit", "1"]) == 0
    assert main(["info", str(SMALL), "--json"]) == 0
    assert "torch-export" in capsys.readouterr().out


def renamed(path: Path, to: Path) -> Path:
    """The archive as if the model's methods called themselves ``this``."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"L['self']", b"L['this']"))
    return to


@pytest.mark.parametrize("version", ["2.5", "2.6", "2.7", "2.8", "2.9"])
def test_what_every_torch_writes(version: str, tmp_path: Path) -> None:
    """The same three programs, with the names that the version's operators have."""
    conv, attention, cond = (
        VERSIONS / f"{name}-torch-{version}.pt2" for name in ("conv", "attention-core", "cond")
    )
    graph = read_graph(conv)
    assert not graph.warnings and graph.n == 7
    assert graph.tensor_shapes[0] == (1, 3, 8, 8), "a batch of one: the first size is a symbol"
    assert graph.params.tolist() == [0, 108, 16, 0, 0, 0, 325]
    assert graph.macs.sum() == 64 * 108 + 64 * 5
    assert read_graph(conv, batch=2).macs.sum() == 2 * graph.macs.sum()
    assert {group_of(kind) for kind in graph.kinds[1:3]} == {"convolution", "normalisation"}
    groups = by_scope(graph, 1)
    assert groups is not None and {"features", "head"} <= {re.split("[./]", name)[0] for name in groups.names}
    assert groups.names == by_scope(read_graph(renamed(conv, tmp_path / "this.pt2")), 1).names  # type: ignore[union-attr]
    # Masks are infinite in core operators, which JSON cannot say and torch says all the same.
    core = read_graph(attention)
    assert not core.warnings and core.params.sum() == 16 * 8 + 2 * 8 + 3 * (8 * 8 + 8) + 1
    assert core.macs.sum() == 5 * 3 * 64 + 2 * 5 * 5 * 8
    branches = read_graph(cond)
    assert branches.kinds == ("Input", "Sum", "Gt", "Cond") and branches.params.sum() == 2 * 20
    assert branches.macs.sum() == 2 * 4 * 4


# ---------------------------------------------------------------------- archives
def test_old_and_new_archives_hold_the_same(tmp_path: Path) -> None:
    old, new = (
        old_archive(tmp_path / "old.pt2", two_layers()),
        new_archive(tmp_path / "new.pt2", two_layers()),
    )
    graphs = [read_graph(path) for path in (old, new)]
    for graph in graphs:
        assert graph.op_names == ("x", "layers.0/fc/linear", "layers.0/mul") and graph.params.tolist() == [
            0,
            15,
            0,
        ]
        assert (
            graph.macs.tolist() == [0, 24, 0] and graph.attrs[1]["target"] == "torch.ops.aten.linear.default"
        )
    assert graphs[0].structure == graphs[1].structure
    bare = new.rename(tmp_path / "bare")
    assert read_graph(bare).structure == graphs[0].structure


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"m/data.pkl": "", "m/constants.pkl": ""}, "TorchScript"),
        ({"m/data.pkl": ""}, "weights without a graph"),
        ({"m/archive_format": "pt2", "m/data/aotinductor/model/a.so": ""}, "compiled code"),
        ({"m/archive_format": "pt2"}, "holds no exported program"),
        ({"m/models/a.json": "{}", "m/models/b.json": "{}"}, "several programs (a.json, b.json)"),
        ({"m/models/a.json": "{"}, "not complete, valid JSON"),
        ({"m/models/a.json": "[]"}, "its program"),
        ({"m/models/a.json": '{"graph_module": {}, "graph_module": {}}'}, "two values for 'graph_module'"),
        ({"m/models/a.json": "\xff"}, "its program"),
        ({"m/models/a.json": "[" * 100_000}, "nests its JSON too deeply"),
        ({"m/models/a.json": '{"schema_version": {"major": 99}}'}, "version 99 of PyTorch's export schema"),
    ],
)
def test_other_archives_are_refused_in_a_sentence(tmp_path: Path, members: dict[str, str], says: str) -> None:
    path = tmp_path / "m.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content.encode("latin-1") if content != "\xff" else '"\xff"'.encode())
    with pytest.raises(ModelError) as caught:
        read_graph(path)
    assert says in str(caught.value) and "m.pt2" in str(caught.value) and len(str(caught.value)) < 400


def test_bombs_are_refused_unopened(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pt2"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("m/models/a.json", "w") as stream,
    ):
        for _ in range(257):
            stream.write(b" " * (1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(ModelError, match=r"'m/models/a.json' unpacks to 257 MiB, more than the 256 MiB"):
        read_graph(path)
    (tmp_path / "cut.pt2").write_bytes(SMALL.read_bytes()[:-200])
    with pytest.raises(ModelError, match=r"cut.pt2 is not a complete archive"):
        read_graph(tmp_path / "cut.pt2")


# ---------------------------------------------------------------------- what becomes of operators
def test_what_follows_from_constants_is_folded(tmp_path: Path) -> None:
    value = program(
        {"b_table": "buffer", "b_count": "buffer", "x": "user_input"},
        [
            node("aten.arange.default", ["arange"], end={"as_int": 4}),
            node("aten.mul.Tensor", ["scaled"], self="b_table", other="arange"),
            node("aten.sym_size.int", [], self="x", dim={"as_int": 0}),
            node("aten.rand.default", ["rand"], size={"as_ints": [2]}),
            node("aten.add.Tensor", ["first"], self="x", other="scaled"),
            node("aten.add.Tensor", ["second"], self="first", other="b_table"),
            node("aten.add.Tensor", ["third"], self="second", other="b_count"),
            node("aten.add.Tensor", ["fourth"], self="third", other="rand"),
        ],
        {name: meta([2, 4]) for name in ("b_table", "x", "first", "second", "third", "fourth")} | {"b_count": meta([], LONG)},
        ["fourth"],
    )  # fmt: skip
    graph = read(tmp_path, value)
    assert graph.op_ids == ("x", "rand", "first", "second", "third", "fourth")
    assert graph.params.tolist() == [0, 0, 8, 0, 0, 0] and graph.attrs[3]["shared"] == [
        "b_table (counted at first)"
    ]
    assert graph.shared == (Shared(("first", "second"), 8, 32),)
    assert "1 tensor has no known shape" in graph.warnings[0]  # rand's


@pytest.mark.parametrize(
    ("made", "values", "macs"),
    [
        (node("aten.conv2d.padding", ["y"], input="x", weight="w"), {"x": [1, 4, 8, 8], "w": [6, 2, 3, 3], "y": [1, 6, 8, 8]}, 6 * 64 * 18),
        (node("aten.conv_transpose2d.input", ["y"], input="x", weight="w"), {"x": [1, 4, 8, 8], "w": [4, 6, 2, 2], "y": [1, 6, 16, 16]}, 256 * 24),
        (node("aten.convolution.default", ["y"], input="x", weight="w", transposed={"as_bool": True}),
         {"x": [1, 4, 8, 8], "w": [4, 6, 2, 2], "y": [1, 6, 16, 16]}, 256 * 24),
        (node("aten.addmm.default", ["y"], self="b", mat1="x", mat2="w"), {"b": [5], "x": [2, 3], "w": [3, 5], "y": [2, 5]}, 30),
        (node("aten.bmm.default", ["y"], self="x", mat2="w"), {"x": [7, 2, 3], "w": [7, 3, 5], "y": [7, 2, 5]}, 210),
        (node("aten._scaled_dot_product_flash_attention_for_cpu.default", ["y"], query="x", key="k", value="w"),
         {"x": [1, 2, 5, 8], "k": [1, 2, 6, 8], "w": [1, 2, 6, 4], "y": [1, 2, 5, 4]}, 2 * 5 * 6 * 12),
        (node("aten.lstm.input", ["y"], input="x", params=["w", "r", "b"]), {"x": [2, 5, 8], "w": [64, 8], "r": [64, 16], "b": [64], "y": [2, 5, 16]},
         10 * 64 * 24),
        (node("aten.einsum.default", ["y"], equation={"as_string": "bij,bjk->bik"}, tensors=["x", "w"]),
         {"x": [2, 3, 4], "w": [2, 4, 5], "y": [2, 3, 5]}, 120),
        (node("aten.einsum.default", ["y"], equation={"as_string": "b"}, tensors=["x", "w"]), {"x": [2], "w": [2], "y": [2]}, 0),
        (node("aten.linear.default", ["y"], weight="w"), {"x": [2], "w": [2, 2], "y": [2]}, 0),
        (node("aten.relu.default", ["y"], self="x"), {"x": [2], "y": [2]}, 0),
    ],
)  # fmt: skip
def test_multiply_accumulates(
    tmp_path: Path, made: dict[str, Any], values: dict[str, list[int]], macs: float
) -> None:
    given = {name: "user_input" for name in values if name != "y"}
    graph = read(
        tmp_path, program(given, [made], {name: meta(sizes) for name, sizes in values.items()}, ["y"])
    )
    assert graph.macs[graph.index["y"]] == macs


def test_bodies_are_part_of_their_op(tmp_path: Path) -> None:
    inner = [node("aten.linear.default", ["y"], input="a", weight="b")]
    body = {"inputs": [tensor("a"), tensor("b")], "outputs": [tensor("y")], "nodes": inner,
            "tensor_values": {"a": meta([2, 4]), "b": meta([4, 4]), "y": meta([2, 4])}}  # fmt: skip
    twice = {**body, "nodes": [*inner, node("aten.linear.default", ["z"], input="y", weight="b")]}
    twice["tensor_values"] = {**body["tensor_values"], "z": meta([2, 4])}
    graphs = [{"as_graph": {"name": name, "graph": graph}} for name, graph in (("t", body), ("f", twice))]
    values = {"x": meta([2, 4]), "w": meta([4, 4]), "p": meta([]), "out": meta([2, 4])}

    def graph_of(target: str) -> Graph:
        made = node(
            f"higher_order.{target}", ["out"], pred="p", one=graphs[0], two=graphs[1], operands=["x", "w"]
        )
        return read(
            tmp_path,
            program({"w": "parameter", "x": "user_input", "p": "user_input"}, [made], values, ["out"]),
        )

    branch, loop = graph_of("cond"), graph_of("while_loop")
    assert branch.kinds[-1] == "Cond" and branch.macs[-1] == 64 and branch.params[-1] == 16
    assert "control flow is planned as single ops, bodies included (1 cond)" in branch.warnings
    assert (
        loop.macs[-1] == 96
        and "1 loop runs an unknown number of times; one round is counted" in loop.warnings
    )


def test_what_is_said_of_a_program(tmp_path: Path) -> None:
    value = two_layers()
    value["graph_module"]["graph"]["nodes"][1]["target"] = "torch.ops.mine.fancy.default"
    value["graph_module"]["signature"]["output_specs"].append({"buffer_mutation": {}})
    graph = read(tmp_path, value, batch=4)
    assert graph.kinds[2] == "Fancy" and graph.warnings == (
        "ops of other libraries are kept as they are; their work may be underestimated (mine, 1 op)",
        "the model fixes its batch size; a batch of 4 was not applied",
        "1 buffer keeps its content from run to run",
    )


# ---------------------------------------------------------------------- sizes
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s0", 3), ("Symbol('s0', positive=True, integer=True)", 3), ("2*s0", 6), ("Mul(Integer(2), Symbol('s0', positive=True))", 6),
        ("Add(Integer(-1), Symbol('s0'))", 2), ("s0**2", 9), ("(s0 + 1)//2", 2), ("FloorDiv(Symbol('s0'), Integer(2))", 1),
        ("Mod(Symbol('s0'), Integer(2))", 1), ("Max(1, s0)", 3), ("7 - s0", 4), ("-s0 + 5", 2),
        ("s1", 11), ("s0/2", 11), ("2**s0**99", 11), ("s0 // 0", 11), ("9" * 3000, 11), ("__import__('os')", 11), ("s0 if s0 else 1", 11),
        ("(" * 900, 11), ("'\\d'", 11), ("1if s0 else 2", 11), ("", 11), ("Pow(Symbol('s0'), Integer(2**70))", 11),
    ],
)  # fmt: skip
def test_expressions(text: str, value: int) -> None:
    sizes = Sizes(3)
    assert sizes.bind_batch(Size(as_expr=Expression("s0")))
    assert sizes.value(Size(as_expr=Expression(text, Hint(11)))) == value
    assert symbol(Expression("s0 + 1")) == "" and symbol(None) == ""


def test_other_dynamic_sizes_are_what_they_were(tmp_path: Path) -> None:
    values = {"x": meta(["s0", "s1"], hint=5), "y": meta(["s1*2", "s0", "u0"], hint=None), "z": meta([4])}
    value = program({"x": "user_input"}, [node("aten.relu.default", ["y"], self="x"), node("aten.relu.default", ["z"], self="y")], values, ["z"])  # fmt: skip
    graph = read(tmp_path, value, batch=3)
    assert graph.tensor_shapes[:2] == ((3, 5), (10, 3, 1))
    assert graph.warnings == ("dynamic sizes are what they were at export: s1 = 5, u0 = 1",)


# ---------------------------------------------------------------------- hostile
def changed(path: str, value: Any) -> dict[str, Any]:
    """The small program with one value changed, found by a path of keys."""
    made = two_layers()
    holder: Any = made
    *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    for key in keys:
        holder = holder[key]
    holder[last] = value
    return made


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (changed("graph_module/graph/nodes/1/inputs/0/arg", tensor("nowhere")), "reads 'nowhere', which nothing before it gives"),
        (changed("graph_module/graph/nodes/0/inputs/0/arg", tensor("mul")), "reads 'mul', which nothing before it gives"),  # a cycle
        (changed("graph_module/graph/nodes/1/outputs/0", tensor("linear")), "two operators give the tensor 'linear'"),
        (changed("graph_module/graph/inputs/1", tensor("p_weight")), "two inputs are called 'p_weight'"),
        (changed("graph_module/graph/inputs", []), "its signature has 3 inputs, its graph 0"),
        (changed("graph_module/graph/nodes", []), "nothing to plan"),
        (changed("graph_module/graph/nodes", {}), "nodes must be a list"),
        (changed("graph_module/graph/nodes/0/target", 3), "target"),
        (changed("graph_module/graph/tensor_values/x/sizes/0", {"as_int": -1}), "as_int"),
        (changed("graph_module/graph/tensor_values/x/sizes", [{"as_int": 2**62}] * 60), "would have 4e+40 bytes"),
        (changed("graph_module/graph/tensor_values/p_weight/sizes", [{"as_int": 2**62}] * 60), "claims 4e+40 bytes"),
        (changed("graph_module/graph/tensor_values/mul/sizes", [{"as_int": 1}] * 65), "at most 64 can be read"),
        (changed("graph_module/graph/nodes/1/name", "x"), "an input and an operator are both called 'x'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, value: Any, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(tmp_path, value)
    assert says in str(caught.value) and "m.pt2" in str(caught.value) and len(str(caught.value)) < 400


def test_bodies_in_bodies_end(tmp_path: Path) -> None:
    made: Any = node("aten.relu.default", ["y"], self="x")
    for _ in range(60):
        body = {"inputs": [], "outputs": [], "nodes": [made], "tensor_values": {}}
        made = node("higher_order.cond", ["y"], self="x", t={"as_graph": {"name": "t", "graph": body}})
    with pytest.raises(ModelError, match="more than 50 deep"):
        read(tmp_path, program({"x": "user_input"}, [made], {"x": meta([1]), "y": meta([1])}, ["y"]))


def test_texts_that_cannot_be_shown_are_written_out(tmp_path: Path) -> None:
    value = json.loads(
        json.dumps(two_layers()).replace('"linear"', '"\\u202elin\\u001b"').replace("layers.0", "lay\\u202e")
    )
    graph = read_model(new_archive(tmp_path / "m.pt2", value))
    assert graph.op_ids[1] == r"\u202elin\x1b" and graph.op_names[1].startswith(r"lay\u202e/fc/")


@pytest.mark.parametrize("kind", ["Mm", "Addmm", "Bmm"])
def test_short_names_of_products_are_matrix_products(kind: str) -> None:
    assert group_of(kind) == "matrix product" and group_of("Comment") == "other"
