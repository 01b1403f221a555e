"""TFLite stages: what is cut out of a model runs as the whole model does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import ModelError, StageboardError
from planner.export.stages.folder import MANIFEST, read_manifest
from planner.export.stages.runner import StageRunner, run_stages
from planner.export.stages.stages import segment_name, stage_parts
from planner.export.tflite.cut import Cutter
from planner.export.tflite.runtime import TfliteModel
from planner.export.tflite.schema import Stored, load, pack
from planner.export.tflite.stages import to_tflite_stages
from planner.formats import read_model, read_models
from tests.planner.export.tflite_maker import Builtin, Maker, looping, schema, skipping
from tests.planner.export.tflite_plans import check_here, exported, plan_by_rank, plan_of
from tests.shared_files import shared

REAL = (
    "mobilenet_v1_0.25_128_quant",
    "mobilenet_v2_1.0_224_quant",
    "deeplabv3_mnv2_pascal_quant",
    "movenet_single_pose_lightning_ptq",
    "keras_lstm_mnist_ptq",
    "split_concat",
)


# ------------------------------------------------------------------------------------------------------- real models
@pytest.mark.parametrize("name", REAL)
def test_real_models_run_in_stages_bit_for_bit(name: str, tmp_path: Path) -> None:
    source = shared(f"workloads/tflite/{name}.tflite")
    graph = read_model(source)
    rng = np.random.default_rng(len(name))
    for trial, stages in enumerate((4,) if name.startswith("deeplab") else (2, 5)):
        export = to_tflite_stages(
            plan_by_rank(graph, stages, rng), [source], tmp_path / f"{trial}", check=False
        )
        found = check_here(export, [source], tmp_path / "diary", samples=2, seed=trial)
        assert found.exact and found.largest_difference == 0.0 and len(export.stages) >= 2


def test_the_sample_runs_in_stages_bit_for_bit(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "sample_models" / "branchy_int8.tflite"
    plan = plan_by_rank(read_model(source), 4, np.random.default_rng(3))
    export = to_tflite_stages(plan, [source], tmp_path / "out", check=False)
    assert check_here(export, [source], tmp_path / "diary").exact
    entry = read_manifest(tmp_path / "out").model()
    assert len(entry.outputs) == 2 and any(max(cut["to"]) > cut["from"] + 1 for cut in entry.cuts())


def test_the_check_of_a_real_model_runs_in_its_own_process(tmp_path: Path) -> None:
    source = shared("workloads/tflite/keras_lstm_mnist_ptq.tflite")
    plan = plan_by_rank(read_model(source), 3, np.random.default_rng(0))
    export = to_tflite_stages(plan, [source], tmp_path / "out", samples=2)
    assert export.exact and export.checked == 2 and "signatures" in export.notes[0]
    whole, runner = TfliteModel(source, "whole"), StageRunner(tmp_path / "out")
    image = np.full((1, 28, 28), 77, whole.inputs[0]["dtype"])
    for _ in range(2):  # an LSTM remembers: the second run differs from the first, alike on both sides
        assert np.array_equal(
            whole.run([image])[0], runner.run({runner.entry.inputs[0]: image})[runner.entry.outputs[0]]
        )


# ---------------------------------------------------------------------------------------------------- what is written
def test_an_export_is_checked_listed_and_chained(tmp_path: Path, skip_model: Path) -> None:
    plan = plan_of(read_model(skip_model), [0, 0, 1, 2, 3, 3])
    export = to_tflite_stages(plan, [skip_model], tmp_path / "out", samples=3)
    assert (export.format, export.checked, export.exact) == ("tflite-stages", 3, True)
    assert [(s.path.name, s.stage, s.inputs, s.outputs) for s in export.stages] == [
        ("skip_segment_0_of_4.tflite", "stage 0", ("x",), ("a",)),
        ("skip_segment_1_of_4.tflite", "stage 1", ("a",), ("b",)),
        ("skip_segment_2_of_4.tflite", "stage 2", ("b",), ("c",)),
        ("skip_segment_3_of_4.tflite", "stage 3", ("a", "c"), ("e",)),
    ]
    assert {p.name for p in (tmp_path / "out").iterdir()} == {MANIFEST, *(s.path.name for s in export.stages)}
    assert all(s.path.stat().st_size == s.bytes for s in export.stages)
    listed = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert listed["verified"]["exact"] and listed["models"][0]["outputs"] == ["b", "e"]
    assert listed["models"][0]["cuts"] == [
        {"tensor": "a", "from": 0, "to": [1, 3]},
        {"tensor": "b", "from": 1, "to": [2]},
        {"tensor": "c", "from": 2, "to": [3]},
    ]
    assert listed["models"][0]["tensors"]["a"] == {"shape": [1, 8], "dtype": "int8", "bytes": 8, "index": 3}
    x = np.arange(8, dtype=np.int8).reshape(1, 8)
    outputs = run_stages(tmp_path / "out" / MANIFEST, {"x": x})
    for got, wanted in zip(outputs.values(), TfliteModel(skip_model, "whole").run([x]), strict=True):
        assert np.array_equal(got, wanted)


@pytest.mark.usefixtures("in_this_process")
def test_floating_point_is_compared_within_a_tolerance(tmp_path: Path) -> None:
    source = skipping("float32").save(tmp_path / "f.tflite")
    export = to_tflite_stages(plan_of(read_model(source), [0, 0, 1, 1, 2, 2]), [source], tmp_path / "out")
    assert export.largest_difference <= export.tolerance == 1e-5


def test_devices_without_operators_leave_no_gap_and_stored_data_is_aligned(
    tmp_path: Path, skip_model: Path
) -> None:
    plan = plan_of(read_model(skip_model), [0, 1, 1, 3, 3, 3], "pipeline:6,bandwidth=1e9")
    export = exported(plan, skip_model, tmp_path / "out")
    assert [(s.path.stem, s.stage) for s in export.stages] == [
        ("skip_segment_0_of_2", "stage 1"),
        ("skip_segment_1_of_2", "stage 3"),
    ]
    for stage in export.stages:
        data = stage.path.read_bytes()
        start = np.frombuffer(data, np.uint8).ctypes.data
        buffers = load(data, stage.path.name).buffers
        assert buffers[0].data is None and len(buffers) > 2
        assert all((b.data.ctypes.data - start) % 16 == 0 for b in buffers[1:])
        model = load(data, stage.path.name)
        assert model.description.decode().startswith("Stage ") and "skip.tflite" in model.description.decode()


def test_a_device_whose_operators_cannot_run_in_one_go_has_several_files(
    tmp_path: Path, skip_model: Path
) -> None:
    plan = plan_of(read_model(skip_model), [0, 0, 1, 0, 1, 1], "pool:2,contiguous=false,memory=1GiB")
    export = exported(plan, skip_model, tmp_path / "out")
    assert [(s.stage, s.inputs, s.outputs) for s in export.stages] == [
        ("acc 0", ("x",), ("a",)),
        ("acc 1", ("a",), ("b",)),
        ("acc 0", ("b",), ("c",)),
        ("acc 1", ("a", "c"), ("e",)),
    ]


def test_several_models_are_exported_each_on_its_own(tmp_path: Path) -> None:
    files = [skipping(seed=1).save(tmp_path / "one.tflite"), looping().save(tmp_path / "two.tflite")]
    graph = read_models(files)
    plan = plan_by_rank(graph, 3, np.random.default_rng(5))
    export = to_tflite_stages(plan, files, tmp_path / "out", check=False)
    assert {s.model for s in export.stages} == {"one", "two"}
    assert check_here(export, files, tmp_path / "diary").exact
    with pytest.raises(StageboardError, match="name one of these models"):
        StageRunner(tmp_path / "out")
    x = np.ones((1, 4), np.float32)
    got = run_stages(tmp_path / "out", {"x": x, "p": np.array(False)}, "two")
    assert np.array_equal(got["w"], TfliteModel(files[1], "whole").run([x, np.array(False)])[0])
    with pytest.raises(StageboardError, match=r"2 models .* but 1 model files"):
        to_tflite_stages(plan, files[:1], tmp_path / "other")
    with pytest.raises(StageboardError, match="in another order"):
        to_tflite_stages(plan, files[::-1], tmp_path / "other")


@pytest.mark.parametrize("devices", [[0, 0, 0, 1, 2, 3], [0, 0, 1, 1, 1, 2], [0, 0, 0, 0, 1, 1]])
def test_control_flow_takes_its_bodies_along(devices: list[int], tmp_path: Path) -> None:
    source = looping().save(tmp_path / "loop.tflite")
    export = exported(plan_of(read_model(source), devices), source, tmp_path / "out")
    counts = [len(load(s.path.read_bytes(), "").subgraphs) for s in export.stages]
    assert sum(counts) == len(counts) + 4  # each body once, with the operator that runs it


def test_constants_and_what_is_computed_from_them_are_copied_to_each_reader(tmp_path: Path) -> None:
    m = Maker()
    x = m.tensor("x")
    half = m.tensor("half", (1, 4), "float16", [0.5, 1.5, -2.0, 3.0])
    full = m.tensor("full")
    y, z, stray = m.tensor("y"), m.tensor("z"), m.tensor("stray")
    m.op(Builtin.DEQUANTIZE, [half], [full], schema.DequantizeOptionsT(), "DequantizeOptions")
    m.mul(x, full, y)
    m.add(y, full, z)
    m.op(Builtin.DEQUANTIZE, [half], [stray], schema.DequantizeOptionsT(), "DequantizeOptions")
    m.main.inputs, m.main.outputs = [x], [z, x, half, stray]
    source = m.save(tmp_path / "half.tflite")
    cutter = Cutter(load(source.read_bytes(), "half"), "half")
    first, second = cutter.stages([[1], [2]])
    assert (first.operators, second.operators) == ((0, 1), (0, 2, 3))
    graph = read_model(source)
    assert graph.n == 3
    export = exported(plan_of(graph, [0, 0, 1]), source, tmp_path / "out")
    assert [s.inputs for s in export.stages] == [("x",), ("y",)]
    ones = np.ones((1, 4), np.float32)
    assert np.array_equal(run_stages(tmp_path / "out", {"x": ones})["z"], [[1.0, 3.0, -4.0, 6.0]])


def test_weights_behind_the_flatbuffer_are_taken_in(tmp_path: Path) -> None:
    m = skipping()
    weights = m.model.buffers[1].data.tobytes()

    class Behind(Stored):
        offset = 1

        def Pack(self, builder: Any) -> int:
            return schema.BufferT(offset=self.offset, size=len(weights)).Pack(builder)

    m.model.buffers[1] = Behind()
    Behind.offset = -(-len(m.bytes()) // 16) * 16
    data = m.bytes().ljust(Behind.offset, b"\0") + weights
    source = tmp_path / "behind.tflite"
    source.write_bytes(data)
    model = load(data, "behind")
    assert model.buffers[1].data.tobytes() == weights and model.buffers[1].offset == 0
    again = Cutter(model, "behind")
    (stage,) = again.stages([range(5)])
    assert weights in pack(again.model_of(stage, ""))
    with pytest.raises(ModelError, match="beyond the end"):
        load(data[:-1], "behind")


def test_open_batch_sizes_stay_open(tmp_path: Path) -> None:
    m = Maker()
    x, w = m.tensor("x", signature=(-1, 4)), m.tensor("w", (1, 4), data=[1, 2, 3, 4])
    y, z = m.tensor("y", signature=(-1, 4)), m.tensor("z", signature=(-1, 4))
    m.mul(x, w, y)
    m.add(y, w, z)
    m.main.inputs, m.main.outputs = [x], [z]
    source = m.save(tmp_path / "open.tflite")
    exported(plan_of(read_model(source), [0, 0, 1]), source, tmp_path / "out")
    x3 = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.array_equal(run_stages(tmp_path / "out", {"x": x3})["z"], x3 * [1, 2, 3, 4] + [1, 2, 3, 4])
    plan = plan_of(read_model(source, batch=3), [0, 0, 1])
    assert "batches of 3" in to_tflite_stages(plan, [source], tmp_path / "3", check=False).notes[0]


def test_sizes_that_are_known_only_when_the_model_runs_are_handed_on(tmp_path: Path) -> None:
    m = Maker()
    x, y, out = m.tensor("x", (2, 6)), m.tensor("y", (1,)), m.tensor("out", (1,))
    shape, axis = m.tensor("shape", (1,), "int32"), m.tensor("axis", (), "int32", 1)
    a, b = m.tensor("a", (1,)), m.tensor("b", (1,))
    m.op(Builtin.RESHAPE, [x, shape], [y], schema.ReshapeOptionsT(), "ReshapeOptions")
    m.op(Builtin.SPLIT, [axis, y], [a, b], schema.SplitOptionsT(numSplits=2), "SplitOptions")
    m.add(a, b, out)
    m.main.tensors[shape].shape = [2]
    m.main.inputs, m.main.outputs = [x, shape], [out, out]
    source = m.save(tmp_path / "late.tflite")
    to_tflite_stages(plan_of(read_model(source), [0, 0, 0, 1, 2]), [source], tmp_path / "out", check=False)
    feed = {"x": np.arange(12, dtype=np.float32).reshape(2, 6), "shape": np.array([3, 4], np.int32)}
    got = run_stages(tmp_path / "out", feed)["out"]
    assert got.shape == (3, 2)
    assert np.array_equal(got, TfliteModel(source, "whole").run(list(feed.values()))[0])


def test_names_that_repeat_or_are_missing_are_told_apart(tmp_path: Path) -> None:
    m = Maker()
    x, y, z, last = m.tensor("t"), m.tensor("t"), m.tensor(None), m.tensor("t#2")
    m.add(x, x, y)
    m.add(y, y, z)
    m.add(z, y, last)
    m.main.inputs, m.main.outputs = [x], [last]
    source = m.save(tmp_path / "names.tflite")
    exported(plan_of(read_model(source), [0, 0, 1, 2]), source, tmp_path / "out")
    entry = read_manifest(tmp_path / "out").model()
    assert [s.inputs for s in entry.stages] == [("t",), ("t#2",), ("t#2", "tensor_2")]
    assert entry.outputs == ("t#2#2",)
    assert segment_name('a/b:"c"', 0, 2) == "a_b__c__segment_0_of_2"
    assert segment_name("..", 1, 2) == "model_segment_1_of_2"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 12), st.integers(1, 5), st.integers(1, 3))
def test_random_models_and_plans_run_as_the_whole(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, stages: int, inputs: int
) -> None:
    rng = np.random.default_rng(seed)
    m = Maker()
    made = [m.tensor(f"in{i}") for i in range(inputs)]
    m.main.inputs = list(made)
    for i in range(size):
        operands = [int(t) for t in rng.choice(made, 2)]
        if rng.random() < 0.3:
            operands[1] = m.tensor(f"const{i}", data=rng.standard_normal((1, 4)))
        out = m.tensor(f"t{i}")
        if rng.random() < 0.2:  # several outputs, one of them perhaps read by nobody
            other = m.tensor(f"u{i}")
            halves, axis = m.tensor(f"both{i}", (1, 8)), m.tensor(f"axis{i}", (), "int32", 1)
            options = schema.ConcatenationOptionsT(axis=1)
            m.op(Builtin.CONCATENATION, operands, [halves], options, "ConcatenationOptions")
            m.op(
                Builtin.SPLIT, [axis, halves], [out, other], schema.SplitOptionsT(numSplits=2), "SplitOptions"
            )
            made.append(other)
        else:
            (m.add if rng.random() < 0.7 else m.mul)(operands[0], operands[1], out)
        made.append(out)
    results = rng.choice(made, int(rng.integers(1, 4)), replace=False)
    m.main.outputs = sorted({int(t) for t in results} | {made[-1]})
    folder = tmp_path_factory.mktemp("random")
    source = m.save(folder / "random.tflite")
    plan = plan_by_rank(read_model(source), stages, rng)
    assert plan.evaluation.valid
    export = to_tflite_stages(plan, [source], folder / "out", check=False)
    assert check_here(export, [source], folder / "diary").exact
    graph = plan.problem.graph
    ops = [int(v) for part in stage_parts(plan) for v in part.ops]
    assert sorted(ops) == [v for v in range(graph.n) if graph.kinds[v] != "Input"]
