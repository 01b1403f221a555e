"""Named machines: those shipped, and one's own in files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.machines.spec import kinds
from planner.model.cost_model import CostModel, Rates, bytes_moved
from planner.model.graph import Graph, Op, Tensor
from planner.model.kind_groups import GROUPS, NOTHING, group_of
from planner.model.named_machines import (
    Machines,
    NamedMachine,
    check_name,
    folder,
    keep,
    machine,
    named_rates,
    own_machines,
    read_machine,
    remove,
    shipped,
    to_dict,
)

MINE = NamedMachine(
    "mine", "My core", "cpu", "calibrated on unet", "2026-01-02", Rates(1e11, 2e10, 3e-6),
    (("convolution", Rates(9e10, 1e10, 0.0)),), fit={"ops": 12, "models": "unet"}, own=True,
)  # fmt: skip


def test_shipped_machines_say_who_says_so() -> None:
    names = [one.name for one in shipped()]
    assert len(set(names)) == len(names)
    for one in shipped():
        assert one.source and one.date and one.title and not one.own
        assert one.rates is not None or one.parameters
        for kind, values in one.parameters.items():
            plain = kinds()[kind]().to_dict()
            assert set(values) <= set(plain)
            assert not kinds()[kind].uses_cost_model


def test_the_default_rates_are_those_of_machines() -> None:
    model = CostModel()
    for side, name in (("accelerator", "t4"), ("cpu", "cpu-8-cores")):
        found = named_rates(side, model)
        assert found is not None and found.machine == name
    assert named_rates("cpu", CostModel(cpu_flops=1e9)) is None


def test_one_of_ones_own_is_kept_read_and_forgotten() -> None:
    assert own_machines() == ((), ())
    path = keep(MINE)
    assert path.parent == folder()
    assert machine("mine") == MINE
    assert read_machine(path) == MINE
    assert own_machines() == ((MINE,), ())
    with pytest.raises(StageboardError, match="your own already"):
        keep(MINE)
    keep(replace(MINE, title="Other"), replace=True)
    assert machine("mine").title == "Other"
    assert remove("mine") == path
    with pytest.raises(StageboardError, match="no machine 'mine' of your own"):
        remove("mine")


def test_what_cannot_be_read_is_said_and_the_others_are_listed() -> None:
    keep(MINE)
    (folder() / "broken.json").write_text("{")
    (folder() / "other.json").write_text(json.dumps({**to_dict(MINE), "name": "another"}))
    found, wrong = own_machines()
    assert [one.name for one in found] == ["mine"]
    assert any("broken.json" in sentence for sentence in wrong)
    assert any("another" in sentence for sentence in wrong)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "x"}, "not a machine"),
        ({"version": 2}, "version 2"),
        ({"device": "gpu"}, "device"),
        ({"name": "A b"}, "cannot be named"),
        ({"name": "t4"}, "brings along"),
        ({"rates": {"flops": 1e9}}, "rates must have"),
        ({"rates": {"flops": 0, "bandwidth": 1e9, "overhead": 0}}, "CPU compute"),
        ({"groups": {"magic": {}}}, "unknown group 'magic'"),
        ({"groups": {"pooling": {"flops": 1}}}, "rates must have"),
        ({"fit": {"a": []}}, "fit"),
        ({"rates": None}, "rates"),
    ],
)
def test_a_damaged_file_is_one_sentence(change: dict[str, object], says: str, tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text(json.dumps({**to_dict(MINE), **change}))
    with pytest.raises(StageboardError, match=says) as said:
        machine(str(file))
    assert "m.json" in str(said.value)


def test_names() -> None:
    check_name("a.b-c_1")
    for name in ("", "A", "../x", "x" * 65, "t4", "x.json", "a b"):
        with pytest.raises(StageboardError):
            check_name(name)
    with pytest.raises(StageboardError, match="choose from t4, "):
        machine("t5")
    with pytest.raises(StageboardError, match="no rates"):
        to_dict(machine("edge-tpu-usb"))
    with pytest.raises(StageboardError, match="only your own"):
        remove("t4")


def test_whose_rates_are_used() -> None:
    t4, core = machine("t4-fp16"), machine("cpu-core")
    alone = Machines((("", core),))
    assert alone.given() == {"accelerator", "cpu"}
    assert alone.cost_model(CostModel()).rates("accelerator") == core.rates
    both = Machines((("", core), ("", t4)))
    assert both.cost_model(CostModel()).rates("accelerator") == t4.rates
    assert both.cost_model(CostModel()).rates("cpu") == core.rates
    crossed = Machines((("accelerator", core),))
    assert crossed.given() == {"accelerator"}
    assert crossed.cost_model(CostModel()).rates("cpu") == CostModel().rates("cpu")
    assert Machines((("", machine("edge-tpu-usb")),)).given() == frozenset()


def test_groups_of_kinds_have_rates_of_their_own() -> None:
    ops = [Op("c", "c", "Conv", macs=1e9), Op("m", "m", "MatMul", macs=1e9), Op("i", "i", "Input")]
    graph = Graph.build("g", ops, [Tensor("c", ("m",), 1e6)])
    model = CostModel().with_rates("cpu", MINE.rates or Rates(1, 1, 1), MINE.groups, MINE.rates_source)
    moved = bytes_moved(graph)
    expected = [
        max(2e9 / 9e10, moved[0] / 1e10), max(2e9 / 1e11, moved[1] / 2e10) + 3e-6, 0.0,
    ]  # fmt: skip
    np.testing.assert_allclose(model.estimate(graph)[1], expected)
    np.testing.assert_array_equal(model.estimate(graph)[0], CostModel().estimate(graph)[0])
    again = CostModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again == model
    assert again.cpu_source == MINE.rates_source
    assert "machines" not in model.numbers()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"groups": {"gpu": {}}}, "groups must be an object"),
        ({"groups": {"cpu": []}}, "groups must be an object"),
        ({"machines": {"cpu": {"machine": 1}}}, "machine must have"),
    ],
)
def test_a_damaged_cost_model_is_one_sentence(values: dict[str, object], says: str) -> None:
    with pytest.raises(StageboardError, match=says):
        CostModel.from_dict(values)


def test_every_kind_has_a_group() -> None:
    for kind, group in (
        ("Conv", "convolution"), ("CONV_2D", "convolution"), ("DepthwiseConv2D", "convolution"), ("Gemm", "matrix product"),
        ("FULLY_CONNECTED", "matrix product"), ("LayerNormalization", "normalisation"), ("Softmax", "normalisation"),
        ("MaxPool", "pooling"), ("ReduceMean", "pooling"), ("Relu", "activation"), ("Erf", "activation"), ("Add", "arithmetic"),
        ("LogicalAnd", "arithmetic"), ("Transpose", "movement"), ("Expand", "movement"), ("Gather", "movement"), ("Reshape", "relabelling"),
        ("Input", NOTHING), ("NonMaxSuppression", "arithmetic"), ("Mystery", "other"),
    ):  # fmt: skip
        assert group_of(kind) == group, kind
        assert group == NOTHING or group in GROUPS
