"""ONNX stages: whatever the plan, they run one after the other and give what the whole model gives; broken ones are caught."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import external_data_helper, helper, numpy_helper

from planner.errors import ModelError, StageboardError
from planner.export.onnx import stages as onnx_stages
from planner.export.onnx.check import CheckOrder, check_stages
from planner.export.onnx.source import OnnxSource
from planner.export.onnx.stage import OnnxStage
from planner.export.onnx.stages import to_onnx_stages
from planner.export.stages.child import Cancelled
from planner.export.stages.folder import read_manifest
from planner.export.stages.runner import run_stages
from planner.export.stages.stages import Checked, NotComparable, StageExport, VerificationFailed
from planner.formats import read_models
from planner.formats.onnx.external import bring_in
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from tests.planner.export.onnx_maker import WIDTH, branching, info, odd_outputs, random_model, save

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"


def plan_of(paths: Path | Sequence[Path], k: int = 3, seed: int | None = None, batch: int = 1) -> Plan:
    """Ops cut evenly along the topological order; with a seed, scattered over a pool, which may need several segments a device."""
    files = [paths] if isinstance(paths, Path) else list(paths)
    graph = read_models(files, batch=batch)
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * k // graph.n
    if seed is None:
        return Problem(graph, Pipeline(count=k)).plan(device_of, Provenance("test"))
    problem = Problem(graph, DevicePool(accelerators=k, cpus=0, contiguous=False))
    return problem.plan(
        np.random.default_rng(seed).integers(0, k, graph.n).astype(np.int32), Provenance("test")
    )


def check(done: StageExport, source: Path, samples: int = 2, **shapes: tuple[int, ...]) -> Checked:
    """The check of an export, in this process."""
    entry = read_manifest(done.folder).models[0]
    values = OnnxSource(source).values
    sizes = {name: tuple(d or 1 for d in values[name].shape or ()) for name in entry.inputs}
    return check_stages(
        CheckOrder(str(source), str(done.folder), entry.name, {**sizes, **shapes}, samples, 0)
    )


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def written(source: Path, folder: Path, k: int = 3, seed: int | None = None) -> StageExport:
    return to_onnx_stages(plan_of(source, k, seed), [source], folder, check=False)


# ------------------------------------------------------------------------------------------------ they run
@pytest.mark.parametrize("seed", range(8))
def test_stages_of_random_models_reproduce_them(tmp_path: Path, seed: int) -> None:
    source = random_model(tmp_path / "model.onnx", seed)
    for k, scatter in ((2, None), (4, None), (3, seed)):
        done = written(source, tmp_path / "stages", k, scatter)
        assert [stage.path.name for stage in done.stages] == [
            f"model_segment_{i}_of_{len(done.stages)}.onnx" for i in range(len(done.stages))
        ]
        for stage in done.stages:
            model = onnx.load(stage.path)
            onnx.checker.check_model(model, full_check=True)
            assert [o.version for o in model.opset_import] == [17] and model.ir_version == 8
            assert tuple(v.name for v in model.graph.input) == stage.inputs
            assert tuple(v.name for v in model.graph.output) == stage.outputs
            assert stage.bytes == stage.path.stat().st_size
        checked = check(done, source)
        assert checked == Checked(2, 0.0, True, checked.constant)


def test_the_check_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    source = random_model(tmp_path / "model.onnx", 3)
    plan = plan_of(source, batch=5)
    done = to_onnx_stages(plan, [source], tmp_path / "stages")
    assert (done.checked, done.exact, done.largest_difference) == (3, True, 0.0)
    assert "batch = 5" in done.notes[0]
    manifest = json.loads((done.folder / "manifest.json").read_text())
    assert manifest["verified"]["exact"] is True and manifest["kind"] == "onnx-stages"
    entry = manifest["models"][0]
    assert entry["tensors"]["x"] == {"shape": [5, WIDTH], "dtype": "float", "bytes": 120, "index": -1}
    assert entry["cuts"] and all(cut["from"] < min(cut["to"]) for cut in entry["cuts"])
    feed = {name: np.ones((5, WIDTH), np.float32) for name in ("x", "y")}
    outputs = run_stages(done.folder / "manifest.json", feed)
    assert list(outputs) == entry["outputs"]
    # Nothing but the export is left, and a second one takes its place.
    assert names_in(tmp_path) == {"model.onnx", "stages"}
    again = to_onnx_stages(plan_of(source, 2), [source], tmp_path / "stages", check=False)
    assert (again.checked, again.exact) == (0, False)
    assert len(list(again.folder.iterdir())) == len(again.stages) + 1


def test_bodies_take_along_what_they_read_from_outside(tmp_path: Path) -> None:
    source = branching(tmp_path / "branching.onnx")
    done = written(source, tmp_path / "stages", 6)
    assert any("early" in stage.inputs and "chosen" in stage.outputs for stage in done.stages)
    assert check(done, source).exact


def test_outputs_that_no_op_makes(tmp_path: Path) -> None:
    source = odd_outputs(tmp_path / "odd.onnx")
    done = to_onnx_stages(plan_of(source, 2), [source], tmp_path / "stages", samples=1)
    assert done.exact
    assert {"weight", "negative", "size"} <= set(done.stages[-1].outputs)
    assert not any("weight" in stage.outputs for stage in done.stages[:-1])
    assert any("unread" in note for note in done.notes)
    assert "given" not in read_manifest(done.folder).models[0].inputs  # stored, so nobody needs to give it


def test_a_sample_model_runs_in_stages(tmp_path: Path) -> None:
    source = ROOT / "sample_models" / "fpn_detector.onnx"
    done = written(source, tmp_path / "stages", 4)
    assert len(done.stages) == 4
    assert check(done, source, 1).exact
    # Weights are made by constant subgraphs, which are copied; shapes read off tensors are not.
    kinds = {node.op_type for stage in done.stages for node in onnx.load(stage.path).graph.node}
    assert "ConstantOfShape" in kinds and "Shape" not in kinds


def test_models_deployed_together_keep_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    paths = [random_model(tmp_path / "net.onnx", 1), random_model(tmp_path / "b" / "net.onnx", 2)]
    done = to_onnx_stages(plan_of(paths, 3), paths, tmp_path / "stages", samples=1)
    assert done.exact and {stage.model for stage in done.stages} == {"net", "net (2)"}
    for model in read_manifest(done.folder).models:
        assert set(model.inputs) == {"x", "y"}
        assert all(stage.file.startswith(f"{model.name}_segment_") for stage in model.stages)


def test_local_functions_are_written_out(tmp_path: Path) -> None:
    function = helper.make_function(
        "local", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)]
    )  # fmt: skip
    graph = helper.make_graph(
        [
            helper.make_node("Twice", ["x"], ["m"], domain="local", name="one"),
            helper.make_node("Twice", ["m"], ["y"], domain="local", name="two"),
        ],
        "g", [info("x", [2])], [info("y", [2])],
    )  # fmt: skip
    model = helper.make_model(
        graph,
        functions=[function],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)],
    )
    model.ir_version = 8
    source = tmp_path / "functions.onnx"
    onnx.save(model, source)
    done = written(source, tmp_path / "stages", 2)
    assert check(done, source).exact and len(done.stages) == 2


def test_quantised_inputs_take_all_values(tmp_path: Path) -> None:
    source = save(
        tmp_path / "q.onnx",
        [
            helper.make_node("DequantizeLinear", ["x", "scale"], ["d"]),
            helper.make_node("Relu", ["d"], ["r"]),
            helper.make_node("QuantizeLinear", ["r", "scale", "zero"], ["y"]),
        ],
        [info("x", [64, 64], onnx.TensorProto.INT8)],
        [info("y", [64, 64], onnx.TensorProto.INT8)],
        {"scale": np.array(0.1, np.float32), "zero": np.array(0, np.int8)},
    )
    assert check(written(source, tmp_path / "stages", 2), source).exact


# ------------------------------------------------------------------------------------------------ external data
def with_external_data(tmp_path: Path) -> Path:
    source = random_model(tmp_path / "model.onnx", 1)
    model = onnx.load(source)
    (tmp_path / "apart").mkdir()
    path = tmp_path / "apart" / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=100)
    assert (tmp_path / "apart" / "weights.bin").stat().st_size > 0
    return path


def test_weights_in_other_files_are_brought_in(tmp_path: Path) -> None:
    source = with_external_data(tmp_path)
    done = written(source, tmp_path / "stages", 3)
    for stage in done.stages:
        model = onnx.load(stage.path, load_external_data=False)
        assert not any(external_data_helper.uses_external_data(t) for t in model.graph.initializer)
    assert check(done, source).exact


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"location": "../weights.bin"}, "outside the model's folder"),
        ({"location": "/etc/passwd"}, "outside the model's folder"),
        ({"location": "none.bin"}, "put that file beside the model"),
        ({"offset": "99999999"}, "beyond the end"),
        ({"offset": "-1"}, "the offset or length '-1'"),
        ({"length": "3"}, "claims 3"),
    ],
)
def test_a_place_that_does_not_fit_is_refused(tmp_path: Path, change: dict[str, str], words: str) -> None:
    source = with_external_data(tmp_path)
    plan = plan_of(source)
    model = onnx.load(source, load_external_data=False)
    tensor = next(t for t in model.graph.initializer if t.name == "shared")
    entries = {e.key: e.value for e in tensor.external_data} | change
    del tensor.external_data[:]
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    source.write_bytes(model.SerializeToString())
    with pytest.raises(StageboardError, match=words.replace("(", r"\(")):
        to_onnx_stages(plan, [source], tmp_path / "stages", check=False)
    assert not (tmp_path / "stages").exists()


def test_a_tensor_far_larger_than_its_file_is_not_read(tmp_path: Path) -> None:
    source = with_external_data(tmp_path)
    tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=[1 << 40, 1 << 40])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")
    with pytest.raises(ModelError, match=r"beyond the end of weights\.bin"):
        bring_in(tensor, source)


def test_a_check_needs_an_input(tmp_path: Path) -> None:
    source = random_model(tmp_path / "model.onnx", 1)
    with pytest.raises(StageboardError, match="check at least 1"):
        to_onnx_stages(plan_of(source), [source], tmp_path / "stages", samples=0)


# ------------------------------------------------------------------------------------------------ broken exports
def swap_inputs(folder: Path) -> None:
    """Two inputs of a stage the wrong way round."""
    path = folder / "model_segment_1_of_2.onnx"
    model = onnx.load(path)
    node = next(n for n in model.graph.node if n.op_type == "Sub")
    node.input[0], node.input[1] = node.input[1], node.input[0]
    onnx.save(model, path)


def drop_a_skip(folder: Path) -> None:
    """A tensor that a later stage reads is not handed out."""
    path = folder / "model_segment_0_of_2.onnx"
    model = onnx.load(path)
    kept = [value for value in model.graph.output if value.name != "skip"]
    del model.graph.output[:]
    model.graph.output.extend(kept)
    onnx.save(model, path)


def drop_a_skip_everywhere(folder: Path) -> None:
    """The same, and the manifest does not list it either."""
    drop_a_skip(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["models"][0]["stages"][0]["outputs"].remove("skip")
    (folder / "manifest.json").write_text(json.dumps(manifest))


def alter_a_weight(folder: Path) -> None:
    """One byte of a stored weight."""
    path = folder / "model_segment_0_of_2.onnx"
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    data = bytearray(tensor.raw_data)
    data[3] ^= 0x04
    tensor.raw_data = bytes(data)
    onnx.save(model, path)


def no_model(folder: Path) -> None:
    """A stage that is no model at all."""
    (folder / "model_segment_1_of_2.onnx").write_bytes(b"\x00" * 40)


BROKEN = [
    (swap_inputs, "'y' of model_segment_1_of_2.onnx differs"),
    (drop_a_skip, "model_segment_0_of_2.onnx gives 1 tensors, but the manifest lists 2"),
    (drop_a_skip_everywhere, "model_segment_1_of_2.onnx reads 'skip', which"),
    (alter_a_weight, "of model_segment_0_of_2.onnx differs"),
    (no_model, "model_segment_1_of_2.onnx is refused by onnxruntime"),
]


def skipping(path: Path) -> Path:
    rng = np.random.default_rng(0)
    return save(
        path,
        [
            helper.make_node("MatMul", ["x", "w"], ["skip"], name="skip"),
            helper.make_node("Relu", ["skip"], ["r"], name="r"),
            helper.make_node("Exp", ["r"], ["e"], name="e"),
            helper.make_node("Sub", ["skip", "e"], ["y"], name="y"),
        ],
        [info("x", [4, WIDTH])],
        [info("y", [4, WIDTH])],
        {"w": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32)},
    )


def halves(source: Path) -> Plan:
    problem = Problem(read_models([source]), Pipeline(count=2))
    return problem.plan(np.array([0, 0, 0, 1, 1][: problem.graph.n], np.int32), Provenance("test"))


@pytest.mark.parametrize(("breaking", "words"), BROKEN)
def test_a_broken_export_is_caught(tmp_path: Path, breaking: object, words: str) -> None:
    source = skipping(tmp_path / "model.onnx")
    done = to_onnx_stages(halves(source), [source], tmp_path / "stages", check=False)
    assert check(done, source).exact
    breaking(done.folder)  # type: ignore[operator]
    with pytest.raises(VerificationFailed) as caught:
        check(done, source)
    assert words in str(caught.value) and str(caught.value).endswith("nothing was written")


def test_nothing_is_left_of_an_export_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = skipping(tmp_path / "model.onnx")
    right = onnx_stages.onnx_stage

    def wrong(*arguments: object) -> OnnxStage:
        stage = right(*arguments)  # type: ignore[arg-type]
        for tensor in stage.model.graph.initializer:
            tensor.CopyFrom(numpy_helper.from_array(-numpy_helper.to_array(tensor), tensor.name))
        return stage

    monkeypatch.setattr(onnx_stages, "onnx_stage", wrong)
    with pytest.raises(VerificationFailed, match=r"^model_segment_0_of_2.onnx holds 'w' with other values"):
        to_onnx_stages(halves(source), [source], tmp_path / "stages")
    monkeypatch.setattr(onnx_stages, "check_part", lambda *_: None)
    with pytest.raises(VerificationFailed, match=r"^model: 'skip' of model_segment_0_of_2.onnx differs"):
        to_onnx_stages(halves(source), [source], tmp_path / "stages")
    assert names_in(tmp_path) == {"model.onnx"}


def test_a_cancelled_export_leaves_nothing(tmp_path: Path) -> None:
    source = skipping(tmp_path / "model.onnx")
    with pytest.raises(Cancelled):
        to_onnx_stages(halves(source), [source], tmp_path / "stages", stopped=lambda: True)
    assert names_in(tmp_path) == {"model.onnx"}


# ------------------------------------------------------------------------------------------------ refusals
def test_other_files_are_refused(tmp_path: Path) -> None:
    source = random_model(tmp_path / "model.onnx", 1)
    plan = plan_of(source)
    with pytest.raises(StageboardError, match="the plan is of 1 models"):
        to_onnx_stages(plan, [], tmp_path / "stages")
    with pytest.raises(StageboardError, match=r"model\.json is no ONNX file"):
        to_onnx_stages(plan, ["model.json"], tmp_path / "stages")
    random_model(source, 2)
    with pytest.raises(StageboardError, match="changed since the plan was made"):
        to_onnx_stages(plan, [source], tmp_path / "stages")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    random_model(source, 1)
    with pytest.raises(StageboardError, match=r"letter.txt"):
        to_onnx_stages(plan, [source], tmp_path / "full")
    assert (tmp_path / "full" / "letter.txt").read_text() == "dear"


def altered_weight(model: onnx.ModelProto) -> None:
    tensor = next(t for t in model.graph.initializer if len(t.raw_data) > 8)
    tensor.raw_data = tensor.raw_data[:-1] + bytes([tensor.raw_data[-1] ^ 1])


def other_attribute(model: onnx.ModelProto) -> None:
    node = model.graph.node[0]
    node.attribute.append(onnx.helper.make_attribute("more", 1))


def lost_op(model: onnx.ModelProto) -> None:
    del model.graph.node[0]


def swapped_outputs(model: onnx.ModelProto) -> None:
    model.graph.output[0].name = "other"


def other_opset(model: onnx.ModelProto) -> None:
    model.opset_import[0].version += 1


@pytest.mark.parametrize(
    ("breaking", "said"),
    [
        (altered_weight, "with other values"),
        (other_attribute, "otherwise than the source"),
        (lost_op, "ops"),
        (swapped_outputs, "has other outputs than the stage"),
        (other_opset, "has another opset_import than the source"),
    ],
)
def test_what_lies_on_disk_is_compared_with_the_source(
    breaking: Callable[[onnx.ModelProto], None], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = onnx_stages.write_file

    def wrong(path: Path, content: bytes) -> None:
        model = onnx.ModelProto.FromString(content)
        if "_segment_0_" in path.name:
            breaking(model)
        right(path, model.SerializeToString())

    monkeypatch.setattr(onnx_stages, "write_file", wrong)
    source = skipping(tmp_path / "net.onnx")
    with pytest.raises(VerificationFailed, match=rf"net_segment_0_of_2\.onnx .*{said}"):
        to_onnx_stages(halves(source), [source], tmp_path / "stages", check=False)
    monkeypatch.setattr(onnx_stages, "write_file", lambda path, _: path.write_bytes(b"\xff" * 9))
    with pytest.raises(VerificationFailed, match="cannot be read back"):
        to_onnx_stages(halves(source), [source], tmp_path / "stages", check=False)
    assert names_in(tmp_path) == {"net.onnx"}


def test_unknown_types_stay_on_one_stage(tmp_path: Path) -> None:
    source = DATA / "control_flow.onnx"  # an op of an unknown domain, whose output's type nobody knows
    with pytest.raises(StageboardError, match="'sharp', which leaves a stage, has no known type"):
        written(source, tmp_path / "stages", 8)
    plan = plan_of(source, 2)
    device_of = plan.decision.device_of.copy()
    graph = plan.problem.graph
    device_of[[v for v in range(graph.n) if graph.op_names[v] in ("/custom/Sharpen", "/head/Relu")]] = 1
    together = plan.problem.plan(device_of, plan.provenance)
    done = to_onnx_stages(together, [source], tmp_path / "stages", check=False)
    assert [o.domain for o in onnx.load(done.stages[1].path).opset_import] == ["", "org.example.ops"]
    with pytest.raises(NotComparable, match=r"the whole model is refused by onnxruntime.* without the check"):
        to_onnx_stages(together, [source], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_random_models_are_not_compared(tmp_path: Path) -> None:
    source = save(
        tmp_path / "model.onnx",
        [
            helper.make_node("Relu", ["x"], ["p"], name="p"),
            helper.make_node("RandomNormalLike", ["p"], ["r"], name="r"),
            helper.make_node("Add", ["p", "r"], ["y"], name="y"),
        ],
        [info("x", [3])],
        [info("y", [3])],
    )
    done = written(source, tmp_path / "stages", 3)
    with pytest.raises(StageboardError, match="other outputs each time"):
        check(done, source)


def test_ops_that_nobody_reads_still_make_a_model(tmp_path: Path) -> None:
    source = save(
        tmp_path / "model.onnx",
        [
            helper.make_node("Relu", ["x"], ["y"], name="y"),
            helper.make_node("Exp", ["y"], ["dead"], name="d"),
        ],
        [info("x", [3])],
        [info("y", [3])],
    )
    done = written(source, tmp_path / "stages", 3)
    assert [stage.outputs for stage in done.stages] == [("y",), ("dead",)]
    assert check(done, source).exact


def test_indices_stay_within_their_table(tmp_path: Path) -> None:
    source = save(
        tmp_path / "model.onnx",
        [
            helper.make_node("Gather", ["table", "ids"], ["g"], name="g"),
            helper.make_node("Gather", ["flags", "kinds"], ["f"], name="f"),
            helper.make_node("Add", ["g", "f"], ["y"], name="y"),
        ],
        [info("ids", [4], onnx.TensorProto.INT64), info("kinds", [4], onnx.TensorProto.INT64)],
        [info("y", [4, 2])],
        {
            "table": np.random.default_rng(0).standard_normal((200, 2)).astype(np.float32),
            "flags": np.eye(2, dtype=np.float32),
        },
    )
    checked = check(written(source, tmp_path / "stages", 2), source, samples=3)
    assert checked.exact and checked.constant == ()


def test_outputs_that_never_change_are_said(tmp_path: Path) -> None:
    source = save(
        tmp_path / "model.onnx",
        [helper.make_node("Mul", ["x", "nought"], ["m"]), helper.make_node("Abs", ["m"], ["y"])],
        [info("x", [4])],
        [info("y", [4])],
        {"nought": np.zeros(4, np.float32)},
    )
    assert check(written(source, tmp_path / "stages", 2), source).constant == ("y",)
