"""Keras models: real files, the words of Keras 2 and 3, shapes, weights and work of layers, and what is hostile."""

from __future__ import annotations

import json
import os
import signal
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from planner.cli import main
from planner.errors import ModelError
from planner.formats import read_graph
from planner.formats.checks import LARGEST
from planner.formats.keras import file as keras_file
from planner.formats.keras.macs import macs
from planner.formats.keras.params import weights
from planner.formats.keras.shapes import output_shape
from planner.model.graph import Graph
from planner.model.groups import by_scope
from planner.model.ops import Shared
from tests.planner.formats.keras.builder import archive, functional, given, hdf5, layer, sequential, tensor

DATA = Path(__file__).resolve().parents[3] / "data"
SMALL = DATA / "small.keras"


def read(folder: Path, config: Any, **options: Any) -> Graph:
    return read_graph(archive(folder / "m.keras", config), **options)


def dense(name: str, *reads: Any, units: int = 4) -> dict[str, Any]:
    return layer("Dense", name, reads, units=units)


# ---------------------------------------------------------------------- real files
@pytest.mark.parametrize("name", ["small.keras", "small.h5"])
def test_real_files(name: str) -> None:
    graph = read_graph(DATA / name, batch=2)
    assert graph.format == "keras" and graph.params.sum() == 275  # what Keras counts
    assert graph.op_ids == (
        "image",
        "stem",
        "norm",
        "mix",
        "add",
        "pool",
        "twice",
        "twice#2",
        "shift",
        "head/hidden",
        "head/scores",
    )
    assert (
        graph.params.tolist() == [0, 112, 16, 56, 0, 0, 20, 0, 4, 40, 27]
        and graph.param_bytes.sum() == 4 * 275
    )
    assert graph.macs.tolist() == [0, 2 * 3888, 0, 2 * 1872, 0, 0, 32, 32, 0, 64, 48]
    assert graph.attrs[7]["shared"] == ["weights (counted at twice)"]
    assert graph.shared == (Shared(("twice", "twice#2"), 20, 80),)
    assert graph.tensor_shapes == ((2, 12, 12, 3), *((2, 6, 6, 4),) * 4, *((2, 4),) * 4, (2, 8), (2, 3))
    assert graph.warnings == (
        "layers of other classes are kept as they are; their work may be underestimated (1 Shift)",
        "twice and twice#2 read the same parameters; these count on the device of each op that reads them, once for ops"
        " that are kept together",
    )
    ends = list(zip(*(side.tolist() for side in graph.edges), strict=True))
    assert (2, 4) in ends and (3, 4) in ends and (8, 9) in ends


def test_it_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(SMALL), "--target", "pipeline:2", "--time-limit", "1"]) == 0
    assert main(["info", str(DATA / "small.h5")]) == 0
    assert "275" in capsys.readouterr().out


def test_they_are_told_by_content(tmp_path: Path) -> None:
    for name in ("small.keras", "small.h5"):
        (tmp_path / "bare").write_bytes((DATA / name).read_bytes())
        assert read_graph(tmp_path / "bare").n == 11


# ---------------------------------------------------------------------- models in models, calls
def test_keras_2_and_keras_3_say_the_same(tmp_path: Path) -> None:
    two = functional(
        [given("x", 6), dense("a", "x"), dense("b", "a"), layer("Add", "sum", [["a", "b"]])], ["x"], ["sum"]
    )
    three = json.loads(json.dumps(two))
    entries = three["config"]["layers"]
    for entry, sources in zip(entries[1:], (["x"], ["a"], ["a", "b"]), strict=True):
        read_tensors = [tensor(s, [None, 6 if s == "x" else 4]) for s in sources]
        entry["inbound_nodes"] = [
            {"args": [read_tensors if len(sources) > 1 else read_tensors[0]], "kwargs": {"mask": None}}
        ]
    entries[0]["config"] = {"batch_shape": [None, 6], "dtype": "float32", "name": "x"}
    graphs = [read(tmp_path, config) for config in (two, three)]
    assert graphs[0].fingerprint == graphs[1].fingerprint
    assert graphs[0].params.tolist() == [0, 28, 20, 0] and graphs[0].tensor_shapes[3] == (1, 4)


def test_models_in_models_are_opened(tmp_path: Path) -> None:
    inner = functional(
        [given("i", 4), given("j", 4), dense("d", "i"), layer("Add", "s", [["d", "j"]])],
        ["i", "j"],
        ["s"],
        "inner",
    )
    # Keras counts the call that a model was made with: the two calls here have the numbers 1 and 2.
    called = {
        **inner,
        "name": "inner",
        "inbound_nodes": [[["x", 0, 0, {}], ["x", 0, 0, {}]], [["inner", 1, 0, {}], ["x", 0, 0, {}]]],
    }
    graph = read(tmp_path, functional([given("x", 4), called, dense("end", ("inner", 2, 0))], ["x"], ["end"]))
    assert graph.op_ids == ("x", "inner/d", "inner/s", "inner#2/d", "inner#2/s", "end")
    assert graph.params.tolist() == [0, 20, 0, 0, 0, 20] and graph.attrs[3]["shared"] == [
        "weights (counted at inner/d)"
    ]
    scopes = by_scope(graph, 1)
    assert scopes is not None and scopes.names == ("x", "inner", "inner#2", "end")


def test_chains(tmp_path: Path) -> None:
    chain = sequential(
        [
            layer("Embedding", "e", input_dim=10, output_dim=6, batch_input_shape=[None, 5]),
            layer("LSTM", "l", units=3),
            dense("d"),
        ]
    )
    graph = read(tmp_path, chain, batch=2)
    assert graph.op_ids == ("input", "e", "l", "d") and graph.tensor_shapes == (
        (2, 5),
        (2, 5, 6),
        (2, 3),
        (2, 4),
    )
    assert graph.params.tolist() == [0, 60, 4 * 3 * 10, 16] and graph.macs.tolist() == [
        0,
        0,
        2 * 5 * 4 * 3 * 9,
        24,
    ]
    old = {"class_name": "Sequential", "config": [dense("d")]}
    old["config"][0]["config"]["batch_input_shape"] = [3, 7]  # type: ignore[index]
    graph = read(tmp_path, old, batch=2)
    assert graph.tensor_shapes == ((3, 7), (3, 4)) and graph.warnings == (
        "the model fixes its batch size; a batch of 2 was not applied",
    )
    built = sequential([dense("d")], build_input_shape=[None, 9])
    assert read(tmp_path, built).params.sum() == 40


def test_several_outputs_of_a_layer(tmp_path: Path) -> None:
    entries = [
        given("x", 5, 6),
        layer("LSTM", "l", ["x"], units=3, return_sequences=True, return_state=True),
        layer("Concatenate", "c"),
    ]
    entries[2]["inbound_nodes"] = [
        {"args": [[tensor("l", [None, 3], output=1), tensor("l", [None, 3], output=2)]], "kwargs": {}}
    ]
    graph = read(tmp_path, functional(entries, ["x"], [("l", 0, 0), "c"]))
    assert graph.tensor_shapes == ((1, 5, 6), (1, 5, 3), (1, 3), (1, 3), (1, 6))


def test_code_is_never_run(tmp_path: Path) -> None:
    entries = [
        given("x", 4),
        layer("Lambda", "f", ["x"], function=["4wEAAA==", None, None]),
        layer("Mystery", "m", ["f"]),
        dense("d", "m"),
    ]
    graph = read(tmp_path, functional(entries, ["x"], ["d"]))
    assert graph.kinds == ("InputLayer", "Lambda", "Mystery", "Dense") and graph.params.sum() == 0
    assert graph.warnings == (
        "1 Lambda layer holds code, which is never run; no work is counted",
        "layers of other classes are kept as they are; their work may be underestimated (1 Dense, 1 Mystery)",
        "3 tensors have no known shape; 0 bytes are counted",
    )


def test_functions_of_tensorflow_are_called_by_their_names(tmp_path: Path) -> None:
    entries = [given("x", 4), layer("TFOpLambda", "tf.math.add", function="math.add")]
    entries[1]["inbound_nodes"] = [["x", 0, 0, {"y": ["x", 0, 0], "name": None}]]
    graph = read(tmp_path, functional(entries, ["x"], ["tf.math.add"]))
    assert graph.kinds == ("InputLayer", "Add") and graph.tensor_shapes[1] == (1, 4)


def test_open_sizes_and_types(tmp_path: Path) -> None:
    policy = {"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}}
    entries = [given("x", None, 4), layer("Dense", "d", ["x"], units=3, dtype=policy)]
    graph = read(tmp_path, functional(entries, ["x"], ["d"]), batch=2)
    assert graph.tensor_shapes == ((2, -1, 4), (2, -1, 3)) and graph.tensor_bytes.tolist() == [32, 12]
    assert graph.param_bytes.tolist() == [0, 60] and graph.tensor_dtypes == ("float32", "float16")
    assert graph.warnings == ("2 tensors have a size that is known only when the model runs; it counts as 1",)


# ---------------------------------------------------------------------- layers, one by one
X = (2, 10, 10, 4)


@pytest.mark.parametrize(
    ("kind", "config", "reads", "shape", "count", "work"),
    [
        ("Conv2D", {"filters": 6, "kernel_size": [3, 3], "groups": 2}, X, (2, 8, 8, 6), 114, 2 * 64 * 6 * 18),
        ("Conv2D", {"filters": 6, "kernel_size": 3, "data_format": "channels_first", "strides": 2, "padding": "same"}, (2, 4, 10, 10), (2, 6, 5, 5), 222,
         2 * 25 * 6 * 36),
        ("Conv1D", {"filters": 2, "kernel_size": [3], "padding": "causal", "dilation_rate": [2]}, (1, 9, 4), (1, 9, 2), 26, 9 * 2 * 12),
        ("Conv2DTranspose", {"filters": 6, "kernel_size": [3, 3], "strides": [2, 2]}, X, (2, 21, 21, 6), 222, 2 * 400 * 9 * 6),
        ("Conv2DTranspose", {"filters": 6, "kernel_size": [3, 3], "strides": [2, 2], "padding": "same", "output_padding": [1, 1]}, X, (2, 20, 20, 6), 222,
         2 * 400 * 9 * 6),
        ("DepthwiseConv2D", {"kernel_size": [3, 3], "depth_multiplier": 2, "use_bias": False}, X, (2, 8, 8, 8), 72, 2 * 64 * 8 * 9),
        ("SeparableConv2D", {"filters": 6, "kernel_size": [3, 3]}, X, (2, 8, 8, 6), 36 + 24 + 6, 2 * 64 * 4 * 15),
        ("ConvLSTM2D", {"filters": 3, "kernel_size": [3, 3], "padding": "same"}, (1, 5, 6, 6, 2), (1, 6, 6, 3), 4 * (9 * 15 + 3), 5 * 4 * 108 * 9 * 5),
        ("MaxPooling2D", {"pool_size": [2, 2]}, X, (2, 5, 5, 4), 0, 0),
        ("AveragePooling1D", {"pool_size": [3], "strides": [1], "padding": "same"}, (1, 9, 4), (1, 9, 4), 0, 0),
        ("GlobalMaxPooling2D", {"keepdims": True}, X, (2, 1, 1, 4), 0, 0),
        ("ZeroPadding2D", {"padding": [[1, 2], [3, 4]]}, X, (2, 13, 17, 4), 0, 0),
        ("ZeroPadding1D", {"padding": [1, 2]}, (1, 9, 4), (1, 12, 4), 0, 0),
        ("Cropping2D", {"cropping": [[1, 1], [2, 2]]}, X, (2, 8, 6, 4), 0, 0),
        ("UpSampling2D", {"size": [2, 3]}, X, (2, 20, 30, 4), 0, 0),
        ("Dense", {"units": 5}, (2, 7, 3), (2, 7, 5), 20, 2 * 7 * 5 * 3),
        ("EinsumDense", {"equation": "abc,cde->abde", "output_shape": [None, 2, 5], "bias_axes": "de"}, (1, 7, 3), (1, 7, 2, 5), 40, 7 * 3 * 10),
        ("GRU", {"units": 3, "reset_after": True, "return_sequences": True}, (1, 5, 2), (1, 5, 3), 3 * 3 * (2 + 3 + 2), 5 * 9 * 5),
        ("Bidirectional", {"layer": {"class_name": "LSTM", "config": {"units": 3}}, "merge_mode": "concat"}, (1, 5, 2), (1, 6), 2 * 4 * 3 * 6, 2 * 5 * 12 * 5),
        ("TimeDistributed", {"layer": {"class_name": "Dense", "config": {"units": 3}}}, (1, 5, 2), (1, 5, 3), 9, 30),
        ("BatchNormalization", {"axis": [3], "scale": False}, X, X, 12, 0),
        ("LayerNormalization", {"axis": [2, 3]}, X, X, 80, 0),
        ("Normalization", {"axis": -1}, X, X, 9, 0),
        ("PReLU", {"shared_axes": [1, 2]}, X, X, 4, 0),
        ("Flatten", {}, X, (2, 400), 0, 0),
        ("Reshape", {"target_shape": [-1, 8]}, X, (2, 50, 8), 0, 0),
        ("Permute", {"dims": [3, 1, 2]}, X, (2, 4, 10, 10), 0, 0),
        ("RepeatVector", {"n": 3}, (2, 7), (2, 3, 7), 0, 0),
        ("Resizing", {"height": 3, "width": 5}, X, (2, 3, 5, 4), 0, 0),
        ("MultiHeadAttention", {"num_heads": 2, "key_dim": 3, "value_dim": 5}, (1, 7, 4), (1, 7, 4), 2 * (24 + 6) + 40 + 10 + 40 + 4,
         7 * (24 + 24 + 40 + 40) + 7 * 7 * (6 + 10)),
        ("Mystery", {}, X, None, None, 0),
        ("Conv2D", {"filters": "six", "kernel_size": [3, 3]}, X, None, None, 0),
        ("Conv2D", {"filters": 6, "kernel_size": [30, 30]}, X, None, 6 * 3600 + 6, 0),
    ],
)  # fmt: skip
def test_shape_weights_and_work(
    kind: str, config: Any, reads: Any, shape: Any, count: Any, work: float
) -> None:
    assert output_shape(kind, config, [reads]) == shape
    assert weights(kind, config, [reads]) == count
    assert macs(kind, config, [reads], shape) == work


@pytest.mark.parametrize(
    ("kind", "config", "reads", "shape"),
    [
        ("Add", {}, [(1, 4, 4), (1, 1, 4)], (1, 4, 4)),
        ("Multiply", {}, [(1, None, 4), (1, 3, 4)], (1, 3, 4)),
        ("Add", {}, [(1, 3), (1, 4)], None),
        ("Concatenate", {"axis": 1}, [(1, 4, 2), (1, 5, 2)], (1, 9, 2)),
        ("Concatenate", {}, [(1, 4, 2), (1, 4, None)], (1, 4, None)),
        ("Dot", {"axes": [2, 2]}, [(1, 4, 3), (1, 5, 3)], (1, 4, 5)),
        ("Attention", {}, [(1, 4, 3), (1, 5, 7)], (1, 4, 7)),
        ("Add", {}, [None, (1, 4)], None),
    ],
)
def test_shapes_of_several(kind: str, config: Any, reads: Any, shape: Any) -> None:
    assert output_shape(kind, config, reads) == shape


# ---------------------------------------------------------------------- weights in the file
def mystery() -> dict[str, Any]:
    return functional(
        [given("x", 4), layer("Mystery", "m", ["x"]), layer("Mystery", "n", ["m"])], ["x"], ["n"]
    )


def test_weights_of_other_layers_are_those_of_the_file(tmp_path: Path) -> None:
    kept = {
        "model_weights/m/m/kernel:0": np.zeros((4, 4), np.float32),
        "model_weights/n/bias:0": np.zeros(3, np.float16),
    }
    graph = read_graph(hdf5(tmp_path / "m.h5", mystery(), kept))
    assert graph.params.tolist() == [0, 16, 3] and graph.param_bytes.tolist() == [0, 64, 6]
    named = hdf5(tmp_path / "w.h5", None, {"layers/mystery/vars/0": np.zeros(5), "layers/mystery_1/vars/0": np.zeros(2), "layers/mystery_1/seed_generator/vars/0": np.zeros(2)})  # fmt: skip
    graph = read_graph(archive(tmp_path / "m.keras", mystery(), named.read_bytes()))
    assert graph.params.tolist() == [0, 5, 2]
    packed = archive(tmp_path / "p.keras", mystery(), named.read_bytes(), zipfile.ZIP_DEFLATED)
    assert read_graph(packed).params.sum() == 0


def test_weights_beyond_all_numbers_are_counted_as_the_most_there_can_be(tmp_path: Path) -> None:
    conv = layer("Conv2D", "c", ["a"], filters=4, kernel_size=10**200)
    graph = read(tmp_path, functional([given("a", 12, 12, 3), conv], ["a"], ["c"]))
    assert graph.params.tolist() == graph.param_bytes.tolist() == [0.0, LARGEST]


@pytest.mark.parametrize("link", [h5py.ExternalLink("/etc/passwd", "/"), h5py.SoftLink("/model_weights")])
def test_links_are_never_followed(tmp_path: Path, link: Any) -> None:
    for place in ("model_weights/m", "model_weights/m/inner", "model_weights"):
        with pytest.raises(
            ModelError, match=r"m.h5: its part '.*' is a link that leads elsewhere, which is never followed"
        ):
            read_graph(hdf5(tmp_path / "m.h5", mystery(), {place: link}))


def test_weights_in_other_files_are_refused(tmp_path: Path) -> None:
    path = hdf5(tmp_path / "m.h5", mystery())
    (tmp_path / "secret").write_bytes(bytes(64))
    with h5py.File(path, "r+") as file:
        file.create_dataset("model_weights/m/w", (4,), "f4", external=[(str(tmp_path / "secret"), 0, 16)])
    with pytest.raises(ModelError, match="keeps weights in other files, which are never opened"):
        read_graph(path)
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(mystery())
        layout = h5py.VirtualLayout((4,), "f4")
        layout[:] = h5py.VirtualSource(str(tmp_path / "secret"), "w", (4,))
        file.create_virtual_dataset("model_weights/m/w", layout)
    with pytest.raises(ModelError, match="keeps weights in other files"):
        read_graph(path)


def _killed(path: str, file: str) -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return ""


def test_a_file_that_ends_the_library_ends_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keras_file, "_model_config", _killed)
    with pytest.raises(ModelError, match=r"small.h5 is damaged, and the HDF5 library ended over it"):
        read_graph(DATA / "small.h5")


def test_groups_in_a_circle_end(tmp_path: Path) -> None:
    path = hdf5(tmp_path / "m.h5", mystery())
    with h5py.File(path, "r+") as file:
        group = file.create_group("model_weights/m")
        group["again"] = group
    with pytest.raises(ModelError, match="or deeper ones, than any model has"):
        read_graph(path)


# ---------------------------------------------------------------------- hostile
def cyclic() -> dict[str, Any]:
    return functional([given("x", 4), layer("Add", "a", [["x", "b"]]), dense("b", "a")], ["x"], ["b"])


def deep(levels: int) -> dict[str, Any]:
    model = sequential([dense("d")])
    for _ in range(levels):
        model = sequential([model])
    return model


def many() -> dict[str, Any]:
    """A hundred thousand million calls in a few lines."""
    model: dict[str, Any] = functional([given("x", 4), dense("d", "x")], ["x"], ["d"], "m0")
    for level in range(1, 12):
        calls = [[["x" if i == 0 else "inner", i, 0, {}]] for i in range(10)]
        inner = {**model, "name": "inner", "inbound_nodes": calls}
        model = functional([given("x", 4), inner], ["x"], [("inner", 10, 0)], f"m{level}")
    return model


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (cyclic(), "the graph has a cycle through 'a'"),
        (functional([given("x", 4), dense("d", ("x", 3, 0))], ["x"], ["d"]), "reads what call 3 of 'x' makes, which there is not"),
        (functional([given("x", 4), dense("d", "x")], ["x"], [("d", 9, 0)]), "gives back what call 9 of 'd' makes"),
        (functional([given("x", 4), dense("x", "x")], ["x"], ["x"]), "two layers are called 'x'"),
        (functional([given("x", 4)], ["x"], ["x"]), "nothing to plan"),
        (functional([], [], []), "nothing to plan"),
        (functional([given("x", 2**62, 2**62, 2**62), dense("d", "x")], ["x"], ["d"]), "would have"),
        (deep(40), "more than 30 deep"),
        (many(), "calls of layers; at most 200,000 are read"),
        ({"class_name": "MyModel", "config": {"name": "m"}}, "a model of the class 'MyModel', whose graph is code"),
        ({"class_name": "Functional", "config": []}, "must be an object"),
        ({"config": {}}, "class_name is None"),
        ([1], "must be an object"),
        ("{", "not complete, valid JSON"),
        ('{"class_name": "A", "class_name": "B"}', "two values for 'class_name'"),
        ("[" * 100_000, "nests its JSON too deeply"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, config: Any, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(tmp_path, config)
    assert says in str(caught.value) and "m.keras" in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (None, "holds no Keras model"),
        (b"\xff\xfe", "not complete, valid JSON"),
        ("", "not complete, valid JSON"),
    ],
)
def test_hdf5_without_a_model(tmp_path: Path, config: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        read_graph(hdf5(tmp_path / "m.h5", config))


def test_other_hdf5_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"m.h5 holds weights without a model"):
        read_graph(hdf5(tmp_path / "m.h5", None, {"layers/a": np.zeros(2)}))
    with h5py.File(tmp_path / "n.h5", "w") as file:
        file.attrs["model_config"] = np.zeros((10, 10))
    with pytest.raises(ModelError, match=r"n.h5: its model_config is no single text"):
        read_graph(tmp_path / "n.h5")
    (tmp_path / "cut.h5").write_bytes((DATA / "small.h5").read_bytes()[:9000])
    with pytest.raises(ModelError, match=r"cut.h5 is not a complete HDF5 file"):
        read_graph(tmp_path / "cut.h5")
    with zipfile.ZipFile(tmp_path / "other.keras", "w") as made:
        made.writestr("a", "b")
    with pytest.raises(ModelError, match=r"other.keras is an archive without a config.json"):
        read_graph(tmp_path / "other.keras")
    (tmp_path / "text.keras").write_text("hello")
    with pytest.raises(ModelError, match=r"text.keras is not a complete archive"):
        read_graph(tmp_path / "text.keras")
    with pytest.raises(ModelError, match="does not exist"):
        read_graph(tmp_path / "none.h5")


def test_bombs_are_refused_unopened(tmp_path: Path) -> None:
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("config.json", "w") as stream:
        for _ in range(257):
            stream.write(b" " * (1 << 20))
    with pytest.raises(ModelError, match=r"'config.json' unpacks to 257 MiB, more than the 256 MiB"):
        read_graph(path)
