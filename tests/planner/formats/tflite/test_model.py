"""Reading TFLite: ops, real sizes, what counts as parameters, control flow, state, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from planner.cli import main
from planner.errors import ModelError
from planner.formats import read_graph, read_models
from planner.formats.tflite.names import operator_of
from planner.model.graph import Graph
from tests.planner.formats.tflite.builder import G, O, T, constant, everything, pack, write
from tests.shared_files import shared

SAMPLE = Path(__file__).resolve().parents[4] / "sample_models" / "branchy_int8.tflite"
REAL = (
    "deeplabv3_mnv2_pascal_quant",
    "keras_lstm_mnist_ptq",
    "mobilenet_v1_0.25_128_quant",
    "mobilenet_v1_0.75_192_quant",
    "mobilenet_v2_1.0_224_quant",
    "movenet_single_pose_lightning_ptq",
    "split_concat",
)


def real(name: str) -> Path:
    return shared(f"workloads/tflite/{name}.tflite")


def op(graph: Graph, name: str) -> int:
    return graph.op_names.index(name)


def tensor(graph: Graph, name: str) -> int:
    return graph.tensor_names.index(name)


def refused(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_graph(write(tmp_path, content))
    sentence = str(caught.value)
    assert says in sentence and "model.tflite" in sentence, sentence
    assert "\n" not in sentence and len(sentence) < 300


# ------------------------------------------------------------------------------------------------ the sample
class TestSample:
    def test_ids_names_and_kinds(self) -> None:
        graph = read_graph(SAMPLE)
        assert graph.format == "tflite" and graph.warnings == ()
        assert graph.op_ids[:3] == ("input:0", "0:0:CONV_2D", "0:1:DEPTHWISE_CONV_2D")
        assert graph.op_names[:3] == ("image", "stem/conv", "stem/depthwise")
        assert [operator_of(i) for i in graph.op_ids[1:]] == [(0, k) for k in range(graph.n - 1)]

    def test_costs_by_hand(self) -> None:
        graph = read_graph(SAMPLE)
        stem = op(graph, "stem/conv")
        assert graph.macs[stem] == 32 * 32 * 16 * (3 * 3 * 3)
        assert (graph.params[stem], graph.param_bytes[stem]) == (16 * 27 + 16, 16 * 27 + 4 * 16)
        depthwise = op(graph, "stem/depthwise")
        assert graph.macs[depthwise] == 32 * 32 * 16 * 9
        assert graph.param_bytes[op(graph, "mask/enlarge")] == 0  # its size is not a parameter
        assert graph.macs[op(graph, "scores/dense")] == 96 * 10

    def test_shows_what_it_is_there_for(self) -> None:
        graph = read_graph(SAMPLE)
        src, dst = graph.edges
        skips = {(graph.op_names[a], graph.op_names[b]) for a, b in zip(src, dst, strict=True) if b - a > 30}
        assert skips == {("stem/conv", "mask/concat")}
        assert graph.max_degree == 4 and graph.kinds.count("ADD") == 4
        ends = {graph.tensor_names[t] for t in np.flatnonzero(np.diff(graph.consumer_ptr) == 0)}
        assert ends == {"scores/softmax", "mask/logistic"}

    def test_options_and_quantisation_are_shown(self) -> None:
        graph = read_graph(SAMPLE)
        attrs = graph.attrs[op(graph, "stem/conv")]
        assert attrs["strides"] == [2, 2] and attrs["padding"] == "SAME" and attrs["activation"] == "RELU6"
        assert attrs["output"] == "int8, scale 0.0235294, zero point -128"
        assert attrs["weights"] == "int8, 16 scales on axis 0"
        assert attrs["operator"] == 0

    @pytest.mark.parametrize("name", ["", *REAL])
    def test_tensors_are_those_of_the_runtime(self, name: str) -> None:
        """Shapes and bytes of every tensor as the interpreter allocates them."""
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        path = real(name) if name else SAMPLE
        plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        interpreter = Interpreter(str(path), experimental_op_resolver_type=plain)
        interpreter.allocate_tensors()
        known = {
            d["name"]: (tuple(d["shape"].tolist()), np.dtype(d["dtype"]))
            for d in interpreter.get_tensor_details()
        }
        graph = read_graph(path)
        for t, tensor_name in enumerate(graph.tensor_names):
            shape, dtype = known[tensor_name]
            assert graph.tensor_shapes[t] == shape and graph.tensor_dtypes[t] == dtype.name
            assert graph.tensor_bytes[t] == np.prod(shape) * dtype.itemsize
        ends = {graph.tensor_names[t] for t in np.flatnonzero(np.diff(graph.consumer_ptr) == 0)}
        assert ends <= {d["name"] for d in interpreter.get_output_details()}

    def test_runs_and_its_outputs_vary(self) -> None:
        from ai_edge_litert.interpreter import Interpreter

        interpreter = Interpreter(str(SAMPLE), num_threads=1)
        interpreter.allocate_tensors()
        (image,) = interpreter.get_input_details()
        seen = []
        for seed in range(3):
            x = np.random.RandomState(seed).randint(-128, 128, image["shape"]).astype(np.int8)
            interpreter.set_tensor(image["index"], x)
            interpreter.invoke()
            seen.append([interpreter.get_tensor(d["index"]).copy() for d in interpreter.get_output_details()])
        for first, *others in zip(*seen, strict=True):
            assert first.std() > 10
            assert all((first != other).any() for other in others)


# ------------------------------------------------------------------------------------------- parameters
def small(*operators: O, tensors: tuple[T, ...] = (), inputs: tuple[str, ...] = ("x",), **more: Any) -> bytes:
    """A model of some operators; every tensor that is not given is int8 [1, 4]."""
    given = {t.name for t in tensors}
    names = dict.fromkeys([*inputs, *(n for o in operators for n in (*o.inputs, *o.outputs) if n)])
    rest = [T(name, (1, 4)) for name in names if name not in given]
    return pack(G([*tensors, *rest], operators, inputs, [operators[-1].outputs[0]]), **more)


def test_a_shared_constant_counts_at_every_op(tmp_path: Path) -> None:
    shared_weights = constant("w", np.ones((4, 4), np.int8))
    content = small(
        O("FULLY_CONNECTED", ["x", "w", ""], ["a"]),
        O("FULLY_CONNECTED", ["a", "w", ""], ["b"]),
        tensors=(shared_weights,),
    )
    graph = read_graph(write(tmp_path, content))
    assert graph.param_bytes.tolist() == [0, 16, 16]
    assert graph.warnings == (
        "16 B of parameters are read by several ops and count once more at each further one",
    )


def test_a_constant_read_twice_by_one_op_counts_once(tmp_path: Path) -> None:
    content = small(
        O("CONCATENATION", ["x", "w", "w"], ["a"], schema.ConcatenationOptionsT(axis=1)),
        tensors=(constant("w", np.ones((1, 4), np.int8)), T("a", (1, 12))),
    )
    graph = read_graph(write(tmp_path, content))
    assert graph.params.tolist() == [0, 4] and graph.warnings == ()


def test_integers_count_as_biases_and_large_tables_only(tmp_path: Path) -> None:
    content = small(
        O("RESHAPE", ["x", "shape"], ["a"]),
        O("FULLY_CONNECTED", ["a", "w", "bias"], ["b"]),
        O("GATHER", ["table", "b"], ["c"]),
        O("TRANSPOSE_CONV", ["size", "filter", "c"], ["d"]),
        O("MUL", ["d", "number"], ["e"]),
        tensors=(
            constant("shape", np.array([1, 4], np.int32)),
            constant("w", np.ones((4, 4), np.int8)),
            constant("bias", np.ones(4, np.int32)),
            constant("table", np.zeros((1000, 8), np.int64)),
            constant("size", np.array([1, 4, 4, 2], np.int32)),
            constant("filter", np.ones((2, 3, 3, 1), np.int8)),
            constant("number", np.array(3, np.int32)),
            T("c", (1, 2, 2, 1)),
        ),
    )
    graph = read_graph(write(tmp_path, content))
    assert graph.params.tolist() == [0, 0, 20, 8000, 18, 0]
    assert graph.param_bytes.tolist() == [0, 0, 32, 64000, 18, 0]
    assert graph.macs.tolist() == [0, 0, 16, 0, 4 * 18, 0]


def test_what_follows_from_constants_is_folded_away(tmp_path: Path) -> None:
    content = small(
        O("DEQUANTIZE", ["half"], ["whole"]),
        O("TRANSPOSE", ["whole", "order"], ["turned"]),
        O("FULLY_CONNECTED", ["x", "turned", ""], ["y"]),
        tensors=(
            T("x", (1, 4), "FLOAT32"),
            constant("half", np.ones((4, 2), np.float16)),
            constant("order", np.array([1, 0], np.int32)),
            T("whole", (4, 2), "FLOAT32"),
            T("turned", (2, 4), "FLOAT32"),
        ),
    )
    graph = read_graph(write(tmp_path, content))
    assert graph.op_ids == ("input:0", "0:2:FULLY_CONNECTED")
    assert (graph.params[1], graph.param_bytes[1], graph.macs[1]) == (8, 16, 16)
    refused(
        tmp_path,
        small(O("ABS", ["w"], ["y"]), tensors=(constant("w", np.ones(3, np.int8)),)),
        "nothing to plan",
    )


def test_sparse_short_and_text_constants(tmp_path: Path) -> None:
    content = small(
        O("FULLY_CONNECTED", ["x", "sparse", ""], ["a"]),
        O("MUL", ["a", "nibbles"], ["b"]),
        O("CUSTOM", ["b", "labels"], ["c"], custom="Look"),
        tensors=(
            T("sparse", (100, 4), "INT8", np.ones(60, np.int8), sparse=True),
            T("nibbles", (5,), "INT4", np.ones(3, np.uint8)),
            T("labels", (2,), "STRING", np.ones(21, np.uint8)),
            T("b", (5,), "INT4"),
        ),
    )
    graph = read_graph(write(tmp_path, content))
    assert graph.params.tolist() == [0, 60, 5, 0] and graph.param_bytes.tolist() == [0, 60, 3, 0]
    assert graph.tensor_bytes[tensor(graph, "b")] == 3  # five halves of a byte, rounded up


def test_weights_behind_the_flatbuffer_and_in_other_files(tmp_path: Path) -> None:
    def content(size: int, offset: int = 0) -> bytes:
        return small(
            O("FULLY_CONNECTED", ["x", "w", ""], ["a"]),
            O("MUL", ["a", "far"], ["b"]),
            tensors=(T("w", (4, 4), buffer=1), T("far", (1, 4), external=1)),
            extra=[schema.BufferT(offset=offset, size=size)],
        )

    whole = content(16, offset=len(content(16, offset=2))) + bytes(16)
    graph = read_graph(write(tmp_path, whole))
    assert graph.param_bytes.tolist() == [0, 16, 4]
    assert graph.warnings == (
        "1 stored tensor lies in external data files, which are never opened; shapes and types tell the sizes",
    )
    refused(tmp_path, whole[:-1], "beyond the end")


# ------------------------------------------------------------------------------------------ control flow
class TestControlFlow:
    def test_bodies_belong_to_their_op(self, tmp_path: Path) -> None:
        graph = read_graph(write(tmp_path, everything()))
        once, loop, choice = (graph.kinds.index(kind) for kind in ("CALL_ONCE", "WHILE", "IF"))
        assert graph.param_bytes[[once, loop, choice]].tolist() == [32, 4096, 4096]
        assert graph.macs[[once, loop, choice]].tolist() == [0, 4096, 4096]
        assert graph.attrs[loop]["body_ops"] == 2
        assert (
            "control flow is planned as single ops, bodies included (1 CALL_ONCE, 1 IF, 1 WHILE)"
            in graph.warnings
        )
        assert "1 loop runs an unknown number of times; one round is counted" in graph.warnings
        assert "only the first entry point is planned; not read: 'learn'" in graph.warnings

    def test_an_if_costs_its_larger_branch(self, tmp_path: Path) -> None:
        def branch(width: int) -> G:
            tensors = [
                T("a", (1, width)),
                constant("w", np.ones((width, width), np.int8)),
                T("b", (1, width)),
            ]
            return G(tensors, [O("FULLY_CONNECTED", ["a", "w", ""], ["b"])], ["a"], ["b"])

        choice = O("IF", ["c", "x"], ["y"], schema.IfOptionsT(thenSubgraphIndex=1, elseSubgraphIndex=2))
        main_graph = G([T("c", (), "BOOL"), T("x"), T("y")], [choice], ["c", "x"], ["y"])
        graph = read_graph(write(tmp_path, pack(main_graph, branch(3), branch(5))))
        assert (graph.params[-1], graph.macs[-1]) == (9 + 25, 25)

    @pytest.mark.parametrize(
        ("bodies", "says"), [((0, 0), "runs itself"), ((1, 1), "runs itself"), ((9, 9), "of 2")]
    )
    def test_bodies_that_run_themselves(self, tmp_path: Path, bodies: tuple[int, int], says: str) -> None:
        def loop() -> G:
            options = schema.WhileOptionsT(condSubgraphIndex=bodies[0], bodySubgraphIndex=bodies[1])
            return G([T("x"), T("y")], [O("WHILE", ["x"], ["y"], options)], ["x"], ["y"])

        refused(tmp_path, pack(loop(), loop()), says)

    def test_ops_of_one_resource_share_a_colour(self, tmp_path: Path) -> None:
        content = small(
            O("VAR_HANDLE", [], ["handle"], schema.VarHandleOptionsT(sharedName="v")),
            O("READ_VARIABLE", ["handle"], ["old"]),
            O("ADD", ["x", "old"], ["new"]),
            O("ASSIGN_VARIABLE", ["handle", "new"], []),
            O("ABS", ["new"], ["y"]),
            tensors=(T("handle", (), "RESOURCE"),),
        )
        graph = read_graph(write(tmp_path, content))
        assert graph.colour_class.tolist() == [-1, 0, 0, -1, 0, -1]
        assert graph.tensor_bytes[tensor(graph, "handle")] == 0


def test_state_is_no_edge_and_optional_inputs_are_left_out(tmp_path: Path) -> None:
    gates = [constant(f"w{i}", np.ones((5, 3 if i < 4 else 5), np.int8)) for i in range(8)]
    inputs = ["x", *(w.name for w in gates), *[""] * 9, "out state", "cell state"]
    content = small(
        O("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, ["y"]),
        tensors=(
            T("x", (2, 7, 3)),
            *gates,
            T("out state", (2, 5), variable=True),
            T("cell state", (2, 5), "INT16", variable=True),
            T("y", (2, 7, 5)),
        ),
    )
    graph = read_graph(write(tmp_path, content))
    assert graph.op_ids == ("input:0", "0:0:UNIDIRECTIONAL_SEQUENCE_LSTM")
    assert graph.macs[1] == 2 * 7 * 4 * 5 * (3 + 5) and graph.param_bytes[1] == 160
    assert graph.attrs[1]["state_bytes"] == 30
    assert graph.warnings == ("2 tensors keep their content from run to run (30 B)",)


# ------------------------------------------------------------------------------------------------- sizes
def test_an_open_batch_is_bound(tmp_path: Path) -> None:
    tensors = (
        T("x", (1, 8), signature=(-1, 8)),
        constant("w", np.ones((4, 8), np.int8)),
        T("y", (1, 4), signature=(-1, 4)),
    )
    path = write(tmp_path, small(O("FULLY_CONNECTED", ["x", "w", ""], ["y"]), tensors=tensors))
    one, five = read_graph(path), read_graph(path, batch=5)
    assert one.tensor_bytes.tolist() == [8, 4] and five.tensor_bytes.tolist() == [40, 20]
    assert (one.macs[1], five.macs[1]) == (32, 160) and five.warnings == ()
    assert dict(five.read_options)["batch"] == 5
    fixed = write(tmp_path, small(O("ABS", ["x"], ["y"])))
    assert read_graph(fixed, batch=2).warnings == (
        "the model fixes its batch size; a batch of 2 was not applied",
    )


def test_other_open_sizes_are_as_stored(tmp_path: Path) -> None:
    tensors = (T("x", (1, 32, 3), signature=(1, -1, 3)), T("y", (1, -1, 3)))
    graph = read_graph(write(tmp_path, small(O("ABS", ["x"], ["y"]), tensors=tensors)))
    assert graph.tensor_shapes == ((1, 32, 3), (1, 1, 3))
    assert graph.warnings == ("sizes the model leaves open are as stored: axis 1 of x = 32",)


def test_a_batch_too_large_is_refused(tmp_path: Path) -> None:
    huge = (2**31 - 1,) * 3
    tensors = (T("x", (1, *huge), signature=(-1, *huge)), T("y"))
    path = write(tmp_path, small(O("ABS", ["x"], ["y"]), tensors=tensors))
    with pytest.raises(ModelError, match="smaller batch"):
        read_graph(path, batch=1000)


def test_inputs_that_nobody_reads_and_outputs_that_someone_reads(tmp_path: Path) -> None:
    graph = pack(
        G([T("x"), T("unread"), T("a"), T("b"), T("dead")],
          [O("SPLIT", ["x"], ["a", "dead"]), O("ABS", ["a"], ["b"])], ["unread", "x"], ["a", "b"])
    )  # fmt: skip
    read = read_graph(write(tmp_path, graph))
    assert read.op_ids == ("input:1", "0:0:SPLIT", "0:1:ABS")
    assert read.tensor_names == ("x", "a", "b")


def test_custom_ops_are_kept(tmp_path: Path) -> None:
    content = small(O("CUSTOM", ["x"], ["y"], custom="org/Own op"), tensors=(T("y", ()),))
    graph = read_graph(write(tmp_path, content))
    assert graph.kinds[1] == "org/Own op" and graph.op_ids[1] == "0:0:org_Own_op"
    assert graph.warnings == (
        "custom ops are kept as they are; their work may be underestimated (1 org/Own op)",
        "1 output of a custom op has no known shape",
    )


def test_a_model_twice_in_one_graph(tmp_path: Path) -> None:
    graph = read_models([SAMPLE, SAMPLE])
    assert operator_of(graph.op_ids[-1]) == (0, 43) and graph.model_names == (
        "branchy_int8",
        "branchy_int8 (2)",
    )


# ----------------------------------------------------------------------------------------------- refused
def test_a_compiled_file_says_what_to_open(tmp_path: Path) -> None:
    content = small(O("CUSTOM", ["x"], ["y"], custom="edgetpu-custom-op"))
    refused(
        tmp_path,
        content,
        "compiled for the Edge TPU; open the uncompiled model it was made from (usually the same name",
    )


def test_the_real_compiled_and_the_invalid_model() -> None:
    with pytest.raises(ModelError, match="compiled for the Edge TPU; open the uncompiled model"):
        read_graph(real("mobilenet_v1_0.25_128_quant_edgetpu"))
    with pytest.raises(ModelError, match="empty list of buffers"):
        read_graph(real("model_invoking_error"))


BAD = {
    "mark": (b"\0\0\0\0TFL2" + bytes(40), "mark TFL3 is missing"),
    "root": (b"\xff\xff\xff\x7fTFL3" + bytes(40), "not complete, valid TFLite"),
    "empty": (b"\x10\0\0\0TFL3" + bytes(8) + b"\x04\0\0\0\x04\0\x04\0" + bytes(16), ""),
    "unproduced": (small(O("ADD", ["x", "nothing"], ["y"])), "'nothing', which nothing before it produces"),
    "twice": (small(O("ABS", ["x"], ["y"]), O("NEG", ["x"], ["y"])), "'y', which is given already"),
    "own output": (small(O("ADD", ["x", "y"], ["y"])), "nothing before it"),
    "stored": (
        small(O("MUL", ["x", "w"], ["y"]), tensors=(T("w", (9,), "FLOAT32", np.ones(3, np.float32)),)),
        "of shape [9] and type float32 is stored in 12 bytes",
    ),
    "buffer": (small(O("MUL", ["x", "w"], ["y"]), tensors=(T("w", buffer=7),)), "buffer 7 of 1"),
    "shape": (small(O("ABS", ["x"], ["y"]), tensors=(T("y", (1, -5)),)), "has the shape [1, -5]"),
    "size": (small(O("ABS", ["x"], ["y"]), tensors=(T("y", (2**31 - 1,) * 4),)), "would have 2e+37 bytes"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_damaged_files_are_one_sentence(tmp_path: Path, name: str) -> None:
    refused(tmp_path, *BAD[name])


def test_tensors_operators_and_types_that_do_not_exist(tmp_path: Path) -> None:
    for change, says in (
        (
            lambda m: m.subgraphs[0].operators[0].__setattr__("inputs", np.array([99], np.int32)),
            "does not exist",
        ),
        (lambda m: m.subgraphs[0].operators[0].__setattr__("opcodeIndex", 5), "has code 5 of 1"),
        (
            lambda m: m.subgraphs[0].__setattr__("outputs", np.array([-1], np.int32)),
            "is none of its 2 tensors",
        ),
        (lambda m: m.subgraphs[0].tensors[0].__setattr__("type", 99), "element type 99"),
        (lambda m: m.__setattr__("subgraphs", []), "holds no subgraph"),
        (lambda m: m.subgraphs[0].__setattr__("operators", []), "nothing to plan"),
    ):
        import flatbuffers

        model = schema.ModelT.InitFromPackedBuf(small(O("ABS", ["x"], ["y"])))
        change(model)
        builder = flatbuffers.Builder(256)
        builder.Finish(model.Pack(builder), b"TFL3")
        refused(tmp_path, bytes(builder.Output()), says)


# -------------------------------------------------------------------------------------------- real models
@pytest.mark.parametrize("name", REAL)
def test_real_models(name: str) -> None:
    graph = read_graph(real(name))
    assert [operator_of(i) for i in graph.op_ids if not i.startswith("input:")] == [
        (0, k) for k in range(graph.n - graph.kinds.count("Input"))
    ]
    assert {g for g in graph.warnings if "keep their content" not in g} == set()


def test_multiply_accumulates_of_published_networks() -> None:
    """The MobileNet papers give 300 million (v2, 224 pixels), and 14 million (v1, width 0.25, 128 pixels)."""
    assert read_graph(real("mobilenet_v2_1.0_224_quant")).macs.sum() == pytest.approx(300e6, rel=0.01)
    assert read_graph(real("mobilenet_v1_0.25_128_quant")).macs.sum() == pytest.approx(14e6, rel=0.05)


def compiled() -> dict[str, int]:
    """What the Edge TPU compiler keeps in the cache and streams, by the source's name."""
    rows = {}
    for line in shared("oracles/edge_tpu_compiler.tsv").read_text().splitlines():
        if not line.startswith(("#", "file")) and "/" not in line.split("\t")[0]:
            file, cached, streamed, *_ = line.split("\t")
            rows[file.removesuffix("_edgetpu.tflite")] = int(cached) + int(streamed)
    return rows


@pytest.mark.parametrize("name", [n for n in REAL if n not in ("mobilenet_v2_1.0_224_quant", "split_concat")])
def test_parameter_bytes_against_the_real_compiler(name: str) -> None:
    """The compiler pads parameters: 1.04 to 1.26 times the source's bytes."""
    ratio = compiled()[name] / read_graph(real(name)).param_bytes.sum()
    if name == "keras_lstm_mnist_ptq":
        # Eight matrices of 20 x 28 and 20 x 20: nearly all that is stored is padding.
        assert ratio == pytest.approx(4.55, abs=0.01)
    else:
        assert 1.04 < ratio < 1.26


# ---------------------------------------------------------------------------------------------- the door
def test_told_by_content_and_by_suffix(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "bare")
    assert read_graph(tmp_path / "bare").format == "tflite"
    assert read_graph(tmp_path / "bare").fingerprint == read_graph(SAMPLE).fingerprint


def test_info_says_what_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(SAMPLE), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["ops"], data["depth"], data["warnings"]) == ("tflite", 45, 36, [])
    assert data["params"] < data["param_bytes"] < 4 * data["params"]
