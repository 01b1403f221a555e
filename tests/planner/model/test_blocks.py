"""Blocks by the names of ops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.formats import read_model
from planner.model.blocks import block_labels, named, named_blocks
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import by_layer, numbered


def chain(names: list[str], layers: list[int] | None = None) -> Graph:
    ops = [
        Op(f"n{i}", name, "Add", layer=None if layers is None else layers[i]) for i, name in enumerate(names)
    ]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 4.0, time=0.0) for i in range(len(names) - 1)]
    return Graph.build("chain", ops, tensors)


def test_blocks_are_the_outermost_numbered_scopes() -> None:
    names = [f"/encoder/layer.{i}/{part}/MatMul" for i in range(3) for part in ("query", "key", "mlp/fc1")]
    graph = chain(
        ["/embeddings/word/Gather", "/embeddings/Add", *names, "/encoder/norm/a", "/encoder/norm/b", "/Tanh"]
    )
    labels = block_labels(graph)
    assert labels[:3] == ("embeddings", "embeddings", "encoder/layer.0")
    assert labels[-4:] == ("encoder/layer.2", "encoder/norm", "encoder/norm", "")
    view = named_blocks(graph)
    assert view is not None
    assert view.names[:2] == ("embeddings", "encoder/layer.0")
    assert view.names[-1] == "/Tanh"


def test_keras_names_give_blocks_and_stages_with_blocks_inside_give_these() -> None:
    parts = ["1_conv", "1_bn", "2_conv", "2_bn", "out"]
    names = [f"conv{s}_block{b}_{part}" for s in (2, 3) for b in (1, 2) for part in parts]
    assert set(block_labels(chain(names))) == {"conv2_block1", "conv2_block2", "conv3_block1", "conv3_block2"}
    flat = [f"block{b}_conv{i}_{part}" for b in (1, 2) for i in (1, 2) for part in ("a", "b", "c")]
    assert set(block_labels(chain(flat))) == {"block1", "block2"}
    assert set(block_labels(chain([f"conv2d_{i}" for i in range(9)]))) == {""}


def test_no_names_no_blocks() -> None:
    assert named_blocks(chain(["a", "b", "c"])) is None
    assert named_blocks(chain(["a/x", "a/y", "a/z"])) is None  # one block says nothing
    assert named_blocks(chain([])) is None


def test_a_scope_that_is_left_and_entered_again_gives_two_groups() -> None:
    names = ["features/a", "features/b", *[f"net/stage.{i}/{j}" for i in (0, 1) for j in range(3)]]
    view = named_blocks(chain([*names, "features/c", "features/d"]))
    assert view is not None
    assert [name for name in view.names if "features" in name] == ["features", "features (2)"]


scopes = st.lists(st.sampled_from(["a", "b", "c.0", "c.1", "d", "x_1", "y2"]), max_size=3)


@given(
    st.lists(scopes, min_size=1, max_size=14),
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=30),
)
def test_no_group_encloses_an_op_of_another(paths: list[list[str]], pairs: list[tuple[int, int]]) -> None:
    n = len(paths)
    edges = sorted({(min(a, b), max(a, b)) for a, b in pairs if a != b and max(a, b) < n})
    ops = [Op(f"n{i}", "/".join([*path, f"op{i}"]), "Add") for i, path in enumerate(paths)]
    tensors = [Tensor(f"n{a}", (f"n{b}",), 1.0, time=0.0) for a, b in edges]
    graph = Graph.build("g", ops, tensors)
    view = named_blocks(graph)
    if view is None:
        return
    assert len(set(view.names)) == view.count
    reach = {v: {v} for v in range(n)}
    for a, b in sorted(edges, reverse=True):
        reach[a] |= reach[b]
    for a in range(n - 1, -1, -1):
        for u, v in edges:
            if u == a:
                reach[a] |= reach[v]
    for v in range(n):
        for u in range(n):
            for w in range(n):
                if u in reach[w] and v in reach[u] and view.group_of[w] == view.group_of[v]:
                    assert view.group_of[u] == view.group_of[v]


def test_layers_are_called_what_their_ops_begin_with() -> None:
    names = [
        "conv1_conv",
        "conv1_bn",
        "s_block17_1_mix",
        "s_block17_1_conv",
        "conv2d_7",
        "conv2d_8",
        "conv2d_9",
    ]
    names += ["dense_a", "x", "y"]
    graph = chain(names, [0, 0, 1, 1, 1, 1, 1, 2, 2, 2])
    view = by_layer(graph)
    assert view is not None
    assert named(graph, view, "layer ").names == ("conv1", "s_block17_1", "layer 2")
    few = ["norm2_grad_0_y", "norm2_grad_0_z", *(f"op{i}" for i in range(28))]
    large = chain([*few, "head"], [0] * 30 + [1])
    layers = by_layer(large)
    assert layers is not None
    assert named(large, layers, "layer ").names == ("layer 0", "layer 1"), (
        "two of thirty do not name the rest"
    )
    alike = numbered([0, 0, 1, 1], {0: "block 1", 1: "block 2"})
    same = chain(["a_1", "a_2", "a_3", "a_4"])
    assert named(same, alike, "block ").names == ("block 1", "block 2")


@pytest.mark.parametrize(
    ("model", "block", "ops"),
    [
        ("resnet50.json", "conv3_block2", 10),
        ("transformer_encoder.onnx", "encoder/layer.7", 34),
        ("unet.onnx", "down.1", 5),
        ("branchy_int8.tflite", "block1", 4),
    ],
)
def test_sample_models_have_the_blocks_that_people_know(model: str, block: str, ops: int) -> None:
    view = named_blocks(read_model(f"sample_models/{model}"))
    assert view is not None
    assert len(view.ops(view.names.index(block))) == ops


def test_what_a_backward_pass_does_for_a_block_is_called_so() -> None:
    """The end of a name is all that a small card has room for, and forward and backward blocks have the same."""
    names = ["enc.layer.0.a", "enc.layer.0.b", "loss", "Adam_enc.layer.0.a", "Adam_enc.layer.0.b", "Adam_x.y1.a", "Adam_x.y1.b"]  # fmt: skip
    ops = [Op(f"n{i}", name, "Add", backward=i > 2) for i, name in enumerate(names)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 4.0, time=0.0) for i in range(len(names) - 1)]
    graph = Graph.build("training", ops, tensors)
    blocks = numbered([0, 0, 1, 2, 2, 3, 3], {0: "block 1", 1: "loss", 2: "block 2", 3: "block 3"})
    assert named(graph, blocks, "block ").names == (
        "enc.layer.0",
        "loss",
        "enc.layer.0 backward",
        "Adam_x.y1",
    )


def transformer(layers: int) -> Graph:
    """Ops called by their kinds, with parameters that are ops and have scopes, as exports of ONNX Runtime's training have them."""
    ops, ends = [Op("mask", "Cast1", "Cast"), Op("word", "bert.embeddings.word.weight", "Weight"), Op("in", "Gather1", "Gather")], [("word", "in")]  # fmt: skip
    before = "in"
    for i in range(layers):
        parts = ("query.weight", "query.bias", "output.weight", "output.bias")
        ops += [Op(f"{i}.{part}", f"bert.encoder.layer.{i}.{part}", "Weight") for part in parts]
        kinds = ("Transpose", "MatMul", "Add", "Softmax", "MatMul", "Add", "Sum")
        ops += [Op(f"{i}.op{k}", f"{kind}{10 * i + k}", kind) for k, kind in enumerate(kinds)]
        ends += [(f"{i}.op{k}", f"{i}.op{k + 1}") for k in range(len(kinds) - 1)]
        ends += [(before, f"{i}.op1"), (before, f"{i}.op6"), ("mask", f"{i}.op3")]
        ends += [(f"{i}.{part}", f"{i}.op{k}") for part, k in zip(parts, (0, 2, 4, 5), strict=True)]
        before = f"{i}.op6"
    return Graph.build("bert", ops, [Tensor(a, (b,), 4.0, time=0.0) for a, b in ends])


def test_ops_are_in_the_block_of_the_parameters_they_use() -> None:
    graph = transformer(3)
    view = named_blocks(graph)
    assert view is not None
    for i in range(3):
        ops = view.ops(view.names.index(f"bert.encoder.layer.{i}")).tolist()
        assert {graph.op_ids[v] for v in ops} == {id for id in graph.op_ids if id.startswith(f"{i}.")}
    labels = dict(zip(graph.op_ids, block_labels(graph), strict=True))
    assert labels["mask"] == "" and labels["in"] == labels["word"]


def test_no_group_is_called_by_a_scope_that_is_elsewhere_too() -> None:
    """A group with an op of each of layers 0 and 1, and one with the rest of layer 1."""
    names = ["layer.0.a", "layer.0.b", "x", "layer.0.c", "layer.1.a", "layer.1.b", "layer.1.c", "y", "layer.2.a", "layer.2.b"]  # fmt: skip
    graph = chain(names)
    view = numbered([0, 0, 0, 1, 1, 1, 2, 2, 3, 3], {i: f"block {i + 1}" for i in range(4)})
    assert named(graph, view, "block ").names == ("block 1", "block 2", "block 3", "layer.2")
    assert named(graph, view, "block ", together=True).names == view.names
