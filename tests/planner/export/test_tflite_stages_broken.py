"""TFLite stages: what cannot be cut is refused, and an export that is not its source is caught."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.errors import ModelError, StageboardError
from planner.export.stages.difference import difference, identical
from planner.export.stages.folder import MANIFEST
from planner.export.stages.runner import run_stages
from planner.export.stages.stages import NotComparable, VerificationFailed
from planner.export.tflite import stages as tflite_stages
from planner.export.tflite.check import CheckOrder
from planner.export.tflite.cut import Cutter
from planner.export.tflite.runtime import TfliteModel
from planner.export.tflite.schema import Stored, load, pack
from planner.export.tflite.stages import to_tflite_stages
from planner.formats import read_model
from tests.planner.export.tflite_maker import Builtin, Maker, looping, schema, skipping
from tests.planner.export.tflite_plans import check_here, plan_of


# ------------------------------------------------------------------------------------------------------ what is refused
def test_a_state_that_stages_would_share_is_refused() -> None:
    m = Maker()
    x, state = m.tensor("x"), m.tensor("state", variable=True)
    y, z = m.tensor("y"), m.tensor("z")
    m.add(x, state, y)
    m.add(y, state, z)
    m.main.inputs, m.main.outputs = [x], [z]
    cutter = Cutter(load(m.bytes(), "m.tflite"), "m.tflite")
    with pytest.raises(StageboardError, match="stages 0 and 1 share the state 'state'"):
        cutter.stages([[0], [1]])
    (stage,) = cutter.stages([[0, 1]])
    assert stage.inputs == (x,)


def test_handles_and_shared_variables_stay_on_one_stage() -> None:
    def handle(m: Maker, name: str) -> int:
        out = m.tensor(name, (), "resource")
        options = schema.VarHandleOptionsT(container="", sharedName="counter")
        m.op(Builtin.VAR_HANDLE, [], [out], options, "VarHandleOptions")
        return out

    def read(m: Maker, variable: int, name: str) -> int:
        out = m.tensor(name)
        m.op(Builtin.READ_VARIABLE, [variable], [out], schema.ReadVariableOptionsT(), "ReadVariableOptions")
        return out

    m = Maker()
    a, b = handle(m, "h1"), handle(m, "h2")
    y = m.tensor("y")
    m.add(read(m, a, "r1"), read(m, b, "r2"), y)
    m.main.outputs = [y]
    cutter = Cutter(load(m.bytes(), "m.tflite"), "m.tflite")
    with pytest.raises(StageboardError, match="share the state 'counter'"):
        cutter.stages([[0, 2], [1, 3, 4]])
    with pytest.raises(StageboardError, match="'h1' is a handle to a state and cannot leave its stage"):
        cutter.stages([[0, 1], [2, 3, 4]])
    with pytest.raises(StageboardError, match="made later"):
        Cutter(load(skipping().bytes(), "m"), "m").stages([[1, 2, 3, 4], [0]])
    with pytest.raises(StageboardError, match="is in no stage"):
        Cutter(load(skipping().bytes(), "m"), "m").stages([[1, 2, 3, 4]])


def test_sources_that_do_not_belong_to_the_plan_are_refused(tmp_path: Path, skip_model: Path) -> None:
    plan = plan_of(read_model(skip_model), [0, 0, 1, 1, 1, 1])
    looping().save(tmp_path / "loop.tflite")
    with pytest.raises(StageboardError, match="loop: the model changed since the plan was made"):
        to_tflite_stages(plan, [tmp_path / "loop.tflite"], tmp_path / "out")
    (tmp_path / "g.json").write_text(
        json.dumps({"format": "stageboard-graph", "version": 1, "ops": [{"id": "a"}], "tensors": []})
    )
    with pytest.raises(StageboardError, match=r"g\.json is no TFLite file.*plan the model's \.tflite file"):
        to_tflite_stages(plan, [tmp_path / "g.json"], tmp_path / "out")
    with pytest.raises(StageboardError, match="at least 1"):
        to_tflite_stages(plan, [skip_model], tmp_path / "out", samples=0)
    for data, said in (
        (b"x" * 40, "not a TFLite model"),
        (b"\x10\0\0\0TFL3" + b"\xff" * 64, "damaged|no operators"),
    ):
        with pytest.raises(ModelError, match=said):
            load(data, "m.tflite")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("in_this_process")
def test_a_model_without_a_kernel_can_be_exported_unchecked_only(tmp_path: Path) -> None:
    m = Maker()
    x, y, z = m.tensor("x"), m.tensor("y"), m.tensor("z")
    m.op("own-op", [x], [y])
    m.add(y, y, z)
    m.main.inputs, m.main.outputs = [x], [z]
    source = m.save(tmp_path / "own.tflite")
    plan = plan_of(read_model(source), [0, 0, 1])
    with pytest.raises(NotComparable, match="own-op") as caught:
        to_tflite_stages(plan, [source], tmp_path / "out", samples=1)
    assert "without the check" in str(caught.value) and not (tmp_path / "out").exists()
    export = to_tflite_stages(plan, [source], tmp_path / "out", check=False)
    assert not export.exact and not export.checked
    assert load(export.stages[0].path.read_bytes(), "").operatorCodes[0].customCode == b"own-op"


@pytest.mark.usefixtures("in_this_process")
def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    m = Maker()
    shape, noise, x, y = m.tensor("s", (2,), "int32", [1, 4]), m.tensor("noise"), m.tensor("x"), m.tensor("y")
    m.op(Builtin.RANDOM_UNIFORM, [shape], [noise], schema.RandomOptionsT(), "RandomOptions")
    m.add(x, noise, y)
    m.main.inputs, m.main.outputs = [x], [y]
    source = m.save(tmp_path / "noise.tflite")
    with pytest.raises(NotComparable, match="random operators"):
        to_tflite_stages(plan_of(read_model(source), [0, 0, 1]), [source], tmp_path / "out")


@pytest.mark.usefixtures("in_this_process")
def test_indices_stay_inside_a_table_and_constant_outputs_are_noted(tmp_path: Path) -> None:
    m = Maker()
    table = m.tensor("table", (20, 4), data=np.arange(80).reshape(20, 4))
    zero, i = m.tensor("zero", data=0.0), m.tensor("i", (1,), "int32")
    row, nothing, out = m.tensor("row"), m.tensor("nothing"), m.tensor("out")
    m.op(Builtin.GATHER, [table, i], [row], schema.GatherOptionsT(), "GatherOptions")
    m.mul(row, zero, nothing)
    m.add(row, nothing, out)
    m.main.inputs, m.main.outputs = [i], [nothing, out]
    source = m.save(tmp_path / "table.tflite")
    export = to_tflite_stages(plan_of(read_model(source), [0, 0, 1, 1]), [source], tmp_path / "out")
    assert export.exact and export.notes[-1].endswith("table: nothing")


# ------------------------------------------------------------------------------------------- broken exports are caught
def swapped_inputs(model: Any) -> None:
    model.subgraphs[0].inputs = model.subgraphs[0].inputs[::-1]


def lost_skip(model: Any) -> None:
    """The stage hands on the wrong tensor where a later one needs it."""
    main = model.subgraphs[0]
    if len(main.outputs) == 2:
        main.outputs = main.outputs[::-1]


def missing_output(model: Any) -> None:
    main = model.subgraphs[0]
    main.outputs = main.outputs[:1]


def altered_weight(model: Any) -> None:
    if any(t.name == b"c/w" for t in model.subgraphs[0].tensors):
        tensor = next(t for t in model.subgraphs[0].tensors if t.name == b"c/w")
        data = model.buffers[tensor.buffer].data.copy()
        data[0] ^= 0x40
        model.buffers[tensor.buffer] = Stored(data)


def lost_operator(model: Any) -> None:
    main = model.subgraphs[0]
    main.operators = main.operators[:-1]


def other_option(model: Any) -> None:
    for operator in model.subgraphs[0].operators:
        if isinstance(operator.builtinOptions, schema.AddOptionsT):
            operator.builtinOptions.fusedActivationFunction = schema.ActivationFunctionType.RELU


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("breaking", "compared", "run"),
    [
        (
            swapped_inputs,
            r"skip_segment_2_of_3\.tflite takes another tensor among its inputs than 'a'",
            r"'e' of skip_segment_2_of_3\.tflite differs in \d of 8 values",
        ),
        (
            lost_skip,
            r"skip_segment_0_of_3\.tflite takes another tensor among its outputs than 'a'",
            r"'a' of skip_segment_0_of_3\.tflite differs",
        ),
        (
            missing_output,
            r"skip_segment_0_of_3\.tflite has 1 outputs, not 2",
            r"skip_segment_0_of_3\.tflite gives 1 tensors, but the manifest lists 2",
        ),
        (
            altered_weight,
            r"skip_segment_1_of_3\.tflite holds 'c/w' with other values",
            r"'c' of skip_segment_1_of_3\.tflite differs in 1 of 8 values",
        ),
        (
            lost_operator,
            r"skip_segment_0_of_3\.tflite has 1 operators, not 2",
            r"skip_segment_\d_of_3\.tflite",
        ),
        (
            other_option,
            r"skip_segment_2_of_3\.tflite runs ADD with another fusedActivationFunction",
            r"'e' of skip_segment_2_of_3\.tflite differs",
        ),
    ],
)
def test_a_broken_export_is_caught_and_leaves_nothing(
    breaking: Any, compared: str, run: str, tmp_path: Path, skip_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(model: Any) -> bytes:
        breaking(model)
        return pack(model)

    # a and b leave stage 0, c leaves stage 1, stage 2 reads a and c.
    plan = plan_of(read_model(skip_model), [0, 0, 0, 1, 2, 2])
    monkeypatch.setattr(tflite_stages, "pack", broken)
    with pytest.raises(VerificationFailed, match=compared):
        to_tflite_stages(plan, [skip_model], tmp_path / "out", check=False)
    monkeypatch.setattr(tflite_stages, "check_part", lambda *_: None)
    with pytest.raises(VerificationFailed, match=run):
        to_tflite_stages(plan, [skip_model], tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["skip.tflite"]


@pytest.mark.parametrize(
    ("place", "said"), [(-1, "with other values|with another"), (4, "cannot be read back")]
)
def test_what_lies_on_disk_is_compared(
    place: int, said: str, tmp_path: Path, skip_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bad_disk(path: Path, content: bytes) -> None:
        data = bytearray(content)
        if place < 0:  # a weight of the first stage
            place_of = bytes(content).index(weights)
            data[place_of] ^= 1
        else:
            data[place] ^= 0xFF
        path.write_bytes(data)

    model = load(skip_model.read_bytes(), "skip")
    tensor = next(t for t in model.subgraphs[0].tensors if t.name == b"b/w")
    weights = bytes(model.buffers[tensor.buffer].data)
    monkeypatch.setattr(tflite_stages, "write_file", bad_disk)
    with pytest.raises(VerificationFailed, match=said):
        to_tflite_stages(
            plan_of(read_model(skip_model), [0, 0, 0, 1, 2, 2]), [skip_model], tmp_path / "out", check=False
        )
    assert [p.name for p in tmp_path.iterdir()] == ["skip.tflite"]


def test_a_change_in_a_body_of_control_flow_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = looping().save(tmp_path / "loop.tflite")
    plan = plan_of(read_model(source), [0, 0, 0, 1, 1, 2])

    def other_constant(model: Any) -> None:
        tensor = next((t for g in model.subgraphs for t in g.tensors if t.name == b"b2"), None)
        if tensor is not None:
            model.buffers[tensor.buffer] = Stored(np.full(4, 3.0, np.float32).view(np.uint8))

    def other_body(model: Any) -> None:
        for operator in model.subgraphs[0].operators:
            if isinstance(operator.builtinOptions, schema.IfOptionsT):
                options = operator.builtinOptions
                operator.builtinOptions = schema.IfOptionsT(
                    options.elseSubgraphIndex, options.thenSubgraphIndex
                )

    def fewer_results(model: Any) -> None:
        for graph in model.subgraphs[1:]:
            graph.outputs = []

    for change, said in (
        (other_constant, "loop_segment_1_of_3.tflite holds 'b2' with other values"),
        (other_body, "loop_segment_2_of_3.tflite runs MUL where the source runs ADD"),
        (fewer_results, "loop_segment_1_of_3.tflite runs another body than subgraph 1"),
    ):
        monkeypatch.setattr(
            tflite_stages, "pack", lambda model, change=change: (change(model), pack(model))[1]
        )
        with pytest.raises(VerificationFailed, match=said.replace(".", r"\.")):
            to_tflite_stages(plan, [source], tmp_path / "out", check=False)


def ended(order: CheckOrder) -> None:
    """Stands for a kernel that ends its process."""
    Path(order.diary).write_text("a stage of skip")
    os.kill(os.getpid(), signal.SIGSEGV)


def test_a_runtime_that_dies_is_survived(
    tmp_path: Path, skip_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tflite_stages, "check_stages", ended)
    plan = plan_of(read_model(skip_model), [0, 0, 0, 1, 2, 2])
    with pytest.raises(
        VerificationFailed, match=r"a stage of skip ended the runtime itself \(signal SIGSEGV"
    ):
        to_tflite_stages(plan, [skip_model], tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["skip.tflite"]


def test_an_export_can_be_stopped(tmp_path: Path, skip_model: Path) -> None:
    plan = plan_of(read_model(skip_model), [0, 0, 0, 1, 2, 2])
    with pytest.raises(StageboardError, match="cancelled"):
        to_tflite_stages(plan, [skip_model], tmp_path / "out", stopped=lambda: True)
    assert [p.name for p in tmp_path.iterdir()] == ["skip.tflite"]


def test_a_source_that_changes_meanwhile_is_noticed(tmp_path: Path, skip_model: Path) -> None:
    plan = plan_of(read_model(skip_model), [0, 0, 0, 1, 2, 2])
    export = to_tflite_stages(plan, [skip_model], tmp_path / "out", check=False)
    skipping(seed=9).save(skip_model)
    with pytest.raises(StageboardError, match="changed while it was exported"):
        check_here(export, [skip_model], tmp_path / "diary")
    with pytest.raises(StageboardError, match="takes 1 tensors, not 2"):
        TfliteModel(skip_model, "whole").run([1, 2])


def test_differences_are_relative_to_the_largest_value() -> None:
    a = np.array([1.0, -4.0, np.nan, np.inf], np.float32)
    assert difference(a, a.copy()) == 0.0 and identical(a, a.copy())
    b = a.copy()
    b[0] = 1.5
    assert difference(a, b) == 0.125 and not identical(a, b)
    for other in (
        a[:2],
        a.astype(np.float64),
        np.array([1, -4, 0, np.inf], np.float32),
        np.where(a == np.inf, -a, a),
    ):
        assert difference(a, other) == np.inf
    assert difference(np.array([1, 2]), np.array([1, 3])) == np.inf
    assert difference(np.zeros(2), np.array([0.0, 1e-9])) == np.inf


# ----------------------------------------------------------------------------------------------------------- the folder
def test_an_earlier_export_is_replaced_and_nothing_else(tmp_path: Path, skip_model: Path) -> None:
    graph = read_model(skip_model)
    out = tmp_path / "out"
    out.mkdir()
    to_tflite_stages(plan_of(graph, [0, 0, 0, 1, 2, 2]), [skip_model], out, check=False)
    two = plan_of(graph, [0, 0, 0, 1, 1, 1])
    to_tflite_stages(two, [skip_model], out, check=False)
    assert sorted(p.name for p in out.iterdir()) == [
        MANIFEST, "skip_segment_0_of_2.tflite", "skip_segment_1_of_2.tflite",
    ]  # fmt: skip
    (out / "notes.txt").write_text("mine")
    with pytest.raises(StageboardError, match=r"holds 'notes\.txt', which is no part of an earlier export"):
        to_tflite_stages(two, [skip_model], out, check=False)
    assert len(list(out.iterdir())) == 4
    with pytest.raises(StageboardError, match="is a file"):
        to_tflite_stages(two, [skip_model], skip_model, check=False)
    with pytest.raises(StageboardError, match="does not exist"):
        to_tflite_stages(two, [skip_model], tmp_path / "no" / "out", check=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "skip.tflite"]


def test_a_manifest_is_not_trusted(tmp_path: Path, skip_model: Path) -> None:
    plan = plan_of(read_model(skip_model), [0, 0, 0, 1, 2, 2])
    to_tflite_stages(plan, [skip_model], tmp_path / "out", check=False)
    path = tmp_path / "out" / MANIFEST
    content = path.read_text()

    def edited(change: Any) -> None:
        value = json.loads(content)
        change(value)
        path.write_text(json.dumps(value))

    x = np.zeros((1, 8), np.int8)
    for change, said in (
        (lambda v: v.update(format="x"), "lists no exported stages"),
        (lambda v: v.update(version=9), "export the stages again"),
        (lambda v: v.update(kind="x"), "unknown kind 'x'"),
        (lambda v: v.update(kind="onnx-stages"), "is refused by onnxruntime"),
        (lambda v: v["models"][0].pop("stages"), "model number 1: stages is missing; it must be a list"),
        (lambda v: v["models"][0].update(inputs="x"), "model number 1: inputs must be a list, not .x."),
        (lambda v: v["models"][0]["stages"][0].update(file="../skip.tflite"), "without a folder"),
        (lambda v: v["models"][0]["stages"][0].update(outputs=["a"]), "the manifest lists 1"),
        (
            lambda v: v["models"][0]["stages"][0].update(outputs=["a", "q"]),
            "reads 'b', which no stage before",
        ),
        (lambda v: v["models"][0].update(outputs=["q"]), "gives the output 'q'"),
    ):
        edited(change)
        with pytest.raises(StageboardError, match=said):
            run_stages(path, {"x": x})
    path.write_text(content)
    with pytest.raises(StageboardError, match="an input of skip that was not given"):
        run_stages(path, {})
    with pytest.raises(StageboardError, match="no input 'y'"):
        run_stages(path, {"x": x, "y": x})
    with pytest.raises(StageboardError, match="cannot be run"):
        run_stages(path, {"x": x.astype(np.float32)})
    (tmp_path / "out" / "skip_segment_1_of_3.tflite").unlink()
    with pytest.raises(StageboardError, match="cannot be loaded"):
        run_stages(path, {"x": x})
