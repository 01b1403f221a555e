"""Dense layers of ONNX models as networks: they compute what the model computes, and the right ones are chosen and kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from planner.errors import NetworkError
from planner.formats.networks import onnx_values as network_onnx_values
from planner.formats.networks.read import is_network_file, read_network
from planner.model.network import ACTIVATIONS, Network
from tests.planner.machines.two_level_memory.runner import run

SAMPLES = Path(__file__).resolve().parents[4] / "sample_models"


class Maker:
    """An ONNX model, node by node; every method gives the name of what it adds."""

    def __init__(self, seed: int = 0, features: int = 5) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []
        self.features = features

    def const(self, array: Any, dtype: Any = np.float32) -> str:
        name = f"w{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def random(self, *shape: int) -> str:
        return self.const(self.rng.standard_normal(shape))

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        scope = attributes.pop("scope", "")
        self.nodes.append(helper.make_node(kind, inputs, [name], f"{scope}/{kind}_{name}", **attributes))
        return name

    def linear(self, x: str, rows: int, size: int, scope: str = "") -> str:
        y = self.node("MatMul", x, self.random(rows, size), scope=scope)
        return self.node("Add", y, self.random(size), scope=scope)

    def save(self, path: Path, outputs: Sequence[str], rank: int = 2) -> Path:
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None] * (rank - 1) + [self.features])
        y = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", [x], y, self.stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        path.write_bytes(model.SerializeToString())
        return path


def given_by_runtime(path: Path, x: np.ndarray) -> np.ndarray:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return np.concatenate(session.run(None, {"x": x}), axis=-1)


def agrees(path: Path, features: int, **options: Any) -> Network:
    """The network of a model that is dense layers and nothing else, found to compute the same."""
    network = read_network(path, **options)
    assert network.features == features
    x = np.random.default_rng(1).standard_normal((3, features)).astype(np.float32)
    assert np.allclose(run(network, x), given_by_runtime(path, x), rtol=1e-4, atol=1e-4)
    return network


def erf_gelu(m: Maker, x: str, half_first: bool = False, by: str = "Div") -> str:
    root = m.const(math.sqrt(2) if by == "Div" else 1 / math.sqrt(2))
    inner = m.node("Add", m.node("Erf", m.node(by, x, root)), m.const(1.0))
    if half_first:
        return m.node("Mul", m.node("Mul", m.const(0.5), x), inner)
    return m.node("Mul", m.node("Mul", x, inner), m.const([0.5]))


def tanh_gelu(m: Maker, x: str) -> str:
    cube = m.node("Mul", m.const(0.044715), m.node("Pow", x, m.const(3.0)))
    inner = m.node("Tanh", m.node("Mul", m.const(math.sqrt(2 / math.pi)), m.node("Add", x, cube)))
    return m.node("Mul", m.node("Mul", m.const(0.5), x), m.node("Add", inner, m.const(1.0)))


ACTIVATED: dict[str, tuple[str, Callable[[Maker, str], str]]] = {
    "none": ("identity", lambda m, x: x),
    "relu": ("relu", lambda m, x: m.node("Relu", x)),
    "tanh": ("tanh", lambda m, x: m.node("Tanh", x)),
    "sigmoid": ("sigmoid", lambda m, x: m.node("Sigmoid", x)),
    "gelu": ("gelu", lambda m, x: m.node("Gelu", x)),
    "gelu by erf": ("gelu", erf_gelu),
    "gelu by erf, half first": ("gelu", lambda m, x: erf_gelu(m, x, True, "Mul")),
    "relu by max": ("relu", lambda m, x: m.node("Max", x, m.const(0.0))),
}


@pytest.mark.parametrize("kind", ACTIVATED)
def test_activations_however_they_are_written(tmp_path: Path, kind: str) -> None:
    m = Maker()
    name, apply = ACTIVATED[kind]
    h = apply(m, m.linear("x", 5, 4))
    network = agrees(m.save(tmp_path / "m.onnx", [m.linear(h, 4, 3)]), 5)
    assert network.layer_sizes.tolist() == [5, 4, 3] and network.connection_count == 32
    assert [ACTIVATIONS[a] for a in network.activation[5:]] == [name] * 4 + ["identity"] * 3
    assert network.format == "onnx" and network.name == "m" and network.warnings == ()
    # Layer after layer, the connections into one neuron together.
    assert (np.diff(network.target.astype(np.int64) * 100 + network.source) > 0).all()


def test_gelu_by_tanh_is_taken_for_the_exact_one_and_said(tmp_path: Path) -> None:
    m = Maker()
    path = m.save(tmp_path / "m.onnx", [m.linear(tanh_gelu(m, m.linear("x", 5, 4)), 4, 2)])
    network = read_network(path)
    assert ACTIVATIONS[network.activation[5]] == "gelu" and "tanh" in network.warnings[0]
    m = Maker()
    path = m.save(
        tmp_path / "m.onnx", [m.linear(m.node("Gelu", m.linear("x", 5, 4), approximate="tanh"), 4, 2)]
    )
    assert "tanh" in read_network(path).warnings[0]


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([0, 1]),
    st.sampled_from([1.0, 0.5]),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from(["none", "row", "matrix", "scalar"]),
)
def test_gemm_in_all_its_forms(
    tmp_path_factory: pytest.TempPathFactory, seed: int, turned: int, alpha: float, beta: float, bias: str
) -> None:
    m = Maker(seed)
    weights = m.random(4, 5) if turned else m.random(5, 4)
    shapes = {"none": [], "row": [m.random(4)], "matrix": [m.random(1, 4)], "scalar": [m.random()]}
    h = m.node("Gemm", "x", weights, *shapes[bias], transB=turned, alpha=alpha, beta=beta)
    y = m.node("Gemm", m.node("Relu", h), m.random(4, 2))
    agrees(m.save(tmp_path_factory.mktemp("gemm") / "m.onnx", [y]), 5)


def test_branches_sums_concatenations_and_what_does_nothing(tmp_path: Path) -> None:
    m = Maker()
    a = m.node("Relu", m.linear("x", 5, 4))
    b = m.node("Tanh", m.node("Add", m.linear("x", 5, 3), m.linear(a, 4, 3)))
    flat = m.node("Flatten", m.node("Cast", m.node("Identity", b), to=1))
    both = m.node("Concat", a, flat, "x", axis=1)
    shaped = m.node("Reshape", both, m.const([-1, 12], np.int64))
    turned = m.node("Transpose", m.node("Identity", m.random(2, 12)), perm=[1, 0])
    y = m.node("Sub", m.node("MatMul", shaped, turned), m.const([1.0, 2.0]))
    network = agrees(m.save(tmp_path / "m.onnx", [y, m.linear(a, 4, 1)]), 5)
    assert network.connection_count == 20 + 15 + 12 + 24 + 4
    assert network.depth == 3 and len(network.outputs) == 3


def test_a_hidden_layer_that_others_read_is_an_output_too(tmp_path: Path) -> None:
    m = Maker()
    h = m.node("Relu", m.linear("x", 5, 4))
    path = m.save(tmp_path / "m.onnx", [h, m.linear(h, 4, 3)])
    network = agrees(path, 5)
    assert len(network.outputs) == 7


def transformer(m: Maker, x: str, scope: str, width: int = 5, hidden: int = 9) -> str:
    """A feed-forward block with its residual connection and normalisation."""
    h = erf_gelu(m, m.linear(x, width, hidden, f"{scope}/up"))
    y = m.node("Add", m.linear(h, hidden, width, f"{scope}/down"), x)
    return m.node("LayerNormalization", y, m.const(np.ones(width)), m.const(np.zeros(width)))


def test_blocks_end_at_residual_connections_and_are_chosen_by_size_name_or_number(tmp_path: Path) -> None:
    m = Maker()
    x = m.linear("x", 5, 5, "stem")
    x = transformer(m, m.node("Softmax", x), "layer.0")
    x = transformer(m, transformer(m, x, "layer.1"), "layer.2", hidden=11)
    path = m.save(tmp_path / "m.onnx", [x])
    largest = read_network(path)
    assert largest.layer_sizes.tolist() == [5, 11, 5]
    assert largest.warnings[0] == "of 4 blocks of dense layers this is number 3, layer.2 (5 x 11 x 5)"
    assert read_network(path, block="layer.1/").layer_sizes.tolist() == [5, 9, 5]
    assert read_network(path, block="1").fingerprint == read_network(path, block="layer.0").fingerprint
    assert read_network(path, block="0").layer_sizes.tolist() == [5, 5]
    for wrong in ("9", "layer.7"):
        with pytest.raises(NetworkError, match=rf"no block of dense layers '{wrong}'; there are 0 \(stem"):
            read_network(path, block=wrong)
    # The names of stored weights will do, too.
    assert read_network(path, block="w11").connection_count


def test_what_no_network_can_do_ends_a_block(tmp_path: Path) -> None:
    m = Maker()
    h = m.linear("x", 5, 4)
    silu = m.node("Mul", h, m.node("Sigmoid", h))
    path = m.save(tmp_path / "m.onnx", [m.linear(silu, 4, 3)])
    assert read_network(path, block="0").layer_sizes.tolist() == [5, 4]
    assert read_network(path, block="1").layer_sizes.tolist() == [4, 3]
    for end in ("LeakyRelu", "Softplus", "Softmax"):
        m = Maker()
        path = m.save(tmp_path / "m.onnx", [m.linear(m.node(end, m.linear("x", 5, 4)), 4, 3)])
        assert len(read_network(path).layer_sizes) == 2
    # One half reads the sums, the other what is applied to them: neurons have one value.
    m = Maker()
    h = m.linear("x", 5, 4)
    y = m.node("Add", m.linear(h, 4, 2), m.linear(m.node("Relu", h), 4, 2))
    assert read_network(m.save(tmp_path / "m.onnx", [y])).connection_count


def test_scaled_sums_are_no_activation(tmp_path: Path) -> None:
    m = Maker()
    y = m.linear(m.node("Mul", m.linear("x", 5, 4), m.const(3.0)), 4, 2)
    assert read_network(m.save(tmp_path / "m.onnx", [y])).layer_sizes.tolist() == [5, 4]


def test_models_without_dense_layers(tmp_path: Path) -> None:
    m = Maker()
    with pytest.raises(NetworkError, match=r"m.onnx has no fully connected layer"):
        read_network(m.save(tmp_path / "m.onnx", [m.node("Relu", "x")]))
    with pytest.raises(NetworkError, match="no fully connected layer"):
        read_network(SAMPLES / "unet.onnx", 0.1)
    assert not is_network_file(SAMPLES / "unet.onnx")


# ---------------------------------------------------------------------- pruning
def weights_of(path: Path) -> list[np.ndarray]:
    return [numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer if len(t.dims) == 2]


def test_each_matrix_or_all_together_keep_their_largest_weights(tmp_path: Path) -> None:
    m = Maker(3, features=20)
    h = m.node("Relu", m.linear("x", 20, 30))
    m.rng = np.random.default_rng(9)
    path = m.save(tmp_path / "m.onnx", [m.linear(h, 30, 10)])
    first, second = weights_of(path)
    network = read_network(path, 0.1)
    assert network.connection_count == 60 + 30
    assert "pruned by magnitude to 10 % of each matrix: 90 of 900 weights are kept" in network.warnings
    expected = sorted(
        np.sort(np.abs(first), None)[-60:].tolist() + np.sort(np.abs(second), None)[-30:].tolist()
    )
    assert np.allclose(sorted(np.abs(network.weight).tolist()), expected)
    together = read_network(path, 0.1, prune="global")
    both = np.sort(np.abs(np.concatenate([first.ravel(), second.ravel()])))[-90:]
    assert np.array_equal(np.sort(np.abs(together.weight)), both)
    with pytest.raises(NetworkError, match="density is 0"):
        read_network(path, 0.0)
    with pytest.raises(NetworkError, match="prune is 'half'"):
        read_network(path, 0.5, prune="half")


def test_a_pruned_model_computes_what_the_model_with_those_zeros_computes(tmp_path: Path) -> None:
    m = Maker(5, features=8)
    h = m.node("Tanh", m.linear("x", 8, 12))
    path = m.save(tmp_path / "m.onnx", [m.linear(h, 12, 6)])
    network = read_network(path, 0.15)
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if len(tensor.dims) == 2:
            w = numpy_helper.to_array(tensor).copy()
            w[np.abs(w) < np.sort(np.abs(w), None)[-round(0.15 * w.size)]] = 0
            tensor.CopyFrom(numpy_helper.from_array(w, tensor.name))
    path.write_bytes(model.SerializeToString())
    x = np.random.default_rng(2).standard_normal((4, 8)).astype(np.float32)
    whole = given_by_runtime(path, x)
    kept = sorted(v - 20 for v in network.ids[network.outputs].tolist())
    assert np.allclose(run(network, x), whole[:, kept], atol=1e-5)
    assert network.features == 8
    if len(kept) < 6:
        assert any("left out" in w for w in network.warnings)


def test_ties_are_kept_in_order_and_zeros_never(tmp_path: Path) -> None:
    m = Maker(features=2)
    y = m.node("MatMul", "x", m.const([[1.0, 0.0, -1.0], [1.0, 1.0, 0.0]]))
    path = m.save(tmp_path / "m.onnx", [y])
    network = read_network(path, 0.5)
    ends = list(zip(network.source.tolist(), network.ids[network.target].tolist(), strict=True))
    assert ends == [(0, 2), (1, 2), (1, 3)]
    assert read_network(path, 1.0).connection_count == read_network(path).connection_count == 4
    m = Maker(features=2)
    with pytest.raises(NetworkError, match="only zeros"):
        read_network(m.save(tmp_path / "m.onnx", [m.node("MatMul", "x", m.const(np.zeros((2, 3))))]))


def test_the_transformer_sample_gives_its_feed_forward_block() -> None:
    network = read_network(SAMPLES / "transformer_encoder.onnx", 0.02, block="layer.3")
    assert network.depth == 2 and network.connection_count == 2 * round(0.02 * 768 * 3072)
    assert any("means nothing" in w for w in network.warnings)  # its weights are all equal
    assert set(network.activation.tolist()) == {ACTIVATIONS.index("identity"), ACTIVATIONS.index("gelu")}


# ---------------------------------------------------------------------- strangers' files
def test_weights_in_other_files_are_read_from_beside_the_model_only(tmp_path: Path) -> None:
    m = Maker(features=30)
    path = m.save(tmp_path / "m.onnx", [m.linear(m.node("Relu", m.linear("x", 30, 20)), 20, 10)])
    plain = read_network(path)
    model = onnx.load(path)
    onnx.save(model, path, save_as_external_data=True, location="m.data", size_threshold=0)
    assert read_network(path).fingerprint == plain.fingerprint
    data = (tmp_path / "m.data").read_bytes()
    (tmp_path / "m.data").write_bytes(data[:100])
    with pytest.raises(NetworkError, match=r"beyond the end of m\.data"):
        read_network(path)
    (tmp_path / "m.data").unlink()
    with pytest.raises(NetworkError, match="put that file beside the model"):
        read_network(path)
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        tensor.external_data[0].value = "../m.data"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(NetworkError, match="outside the model's folder"):
        read_network(path)


def test_sizes_that_are_claimed_take_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    m = Maker()
    path = m.save(tmp_path / "m.onnx", [m.node("MatMul", "x", m.random(5, 4))])
    model = onnx.load(path)
    model.graph.initializer[0].dims[:] = [5, 10**12]
    path.write_bytes(model.SerializeToString())
    with pytest.raises(NetworkError, match="at most"):
        read_network(path)
    model.graph.initializer[0].dims[:] = [5, 10**6]
    path.write_bytes(model.SerializeToString())
    with pytest.raises(NetworkError, match="do not fill its shape"):
        read_network(path)
    m = Maker()
    huge = m.node("ConstantOfShape", m.const([10**6, 10**6], np.int64))
    with pytest.raises(NetworkError, match="at most"):
        read_network(m.save(tmp_path / "m.onnx", [m.node("MatMul", "x", huge)]), 0.1)
    monkeypatch.setattr(network_onnx_values, "MOST_WEIGHTS", 10)
    m = Maker()
    with pytest.raises(NetworkError, match="choose a smaller block"):
        read_network(m.save(tmp_path / "m.onnx", [m.linear("x", 5, 4)]))


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    for weights, bias, says in ((np.nan, 1.0, "weight into layer 1"), (1.0, np.inf, "a bias is not")):
        m = Maker()
        y = m.node("Gemm", "x", m.const(np.full((5, 2), weights)), m.const(np.full(2, bias)))
        with pytest.raises(NetworkError, match=says):
            read_network(m.save(tmp_path / "m.onnx", [y]))


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    m = Maker()
    x = transformer(m, m.node("Relu", m.linear("x", 5, 5)), "a")
    concat = m.node("Concat", x, m.node("Gemm", x, m.random(4, 5), m.random(4), transB=1), axis=1)
    shaped = m.node("Reshape", concat, m.const([-1, 9], np.int64))
    y = m.linear(shaped, 9, 2)
    return m.save(tmp_path_factory.mktemp("onnx") / "m.onnx", [y]).read_bytes()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_changed_and_cut_models(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, data: st.DataObject
) -> None:
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(0, 4), "mutations")):
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    if data.draw(st.booleans()):
        changed = changed[: data.draw(st.integers(1, len(changed)))]
    path = tmp_path_factory.mktemp("hostile") / "m.onnx"
    path.write_bytes(bytes(changed) or b"x")
    try:
        network = read_network(path, 0.5)
    except NetworkError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
        assert "not foreseen" not in str(error), str(error)
    else:
        assert network.connection_count


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16", "DOUBLE", "INT8"])
def test_weights_of_other_types(tmp_path: Path, kind: str) -> None:
    m = Maker(features=2)
    values = [[1.0, -2.0, 0.0], [3.0, 0.0, -4.0]]
    code = getattr(TensorProto, kind)
    m.stored.append(
        helper.make_tensor("typed", code, [2, 3], np.array(values).ravel().tolist())
        if kind != "BFLOAT16"
        else numpy_helper.from_array(
            np.array(values).astype(helper.tensor_dtype_to_np_dtype(TensorProto.BFLOAT16)), "typed"
        )
    )
    network = read_network(m.save(tmp_path / "m.onnx", [m.node("MatMul", "x", "typed")]))
    assert network.weight.tolist() == [1.0, 3.0, -2.0, -4.0]
