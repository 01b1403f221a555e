"""Target specifications: text, TOML, dictionaries and back."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import TargetError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import (
    default_target,
    is_for_networks,
    network_target,
    parse_target,
    target_from_dict,
    with_named,
)
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Graph, Op
from planner.model.named_machines import Machines, machine
from planner.problem.target import Target, Words
from tests.planner.strategies import pools_with_options, targets

pytestmark = pytest.mark.coverage


@given(st.one_of(targets(most=6), pools_with_options(most=6).map(lambda drawn: drawn[0])))
def test_text_and_dictionaries_give_the_same_target_back(target: Target) -> None:
    assert parse_target(target.spec()) == target
    assert target_from_dict(json.loads(json.dumps(target.to_dict()))) == target


def test_a_network_is_for_the_machine_that_plans_networks() -> None:
    assert network_target() == TwoLevelMemory()


def test_a_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(TargetError, match="'bandwidth' is too large a number"):
        target_from_dict({"kind": "pipeline", "bandwidth": 10**400})


def test_a_target_is_made_larger_where_its_devices_are_counted() -> None:
    assert Pipeline(3).with_count(5) == Pipeline(5)
    assert DevicePool(3, 1).with_count(5) == DevicePool(3, 1)


@pytest.mark.parametrize(
    ("words", "said"), [(Pipeline.words, ("stage", "stages")), (EdgeTpuPipeline.words, ("TPU", "TPUs"))]
)
def test_what_a_person_adds_has_a_name(words: Words, said: tuple[str, str]) -> None:
    assert words.counted == said


def deployed() -> Graph:
    return Graph.build("g", [Op("a", "a")], [], deployment={"accelerators": 6, "cpus": 1, "memory": 2**34})


def test_specifications_as_people_write_them() -> None:
    assert parse_target("pipeline:8,bandwidth=1e9,memory=8MiB,reserve=0") == Pipeline(8, 1e9, 8.0 * 2**20)
    assert parse_target(" pool:6+1 , contiguous=no,communication=duplex") == DevicePool(
        6, 1, contiguous=False, communication="duplex"
    )
    assert parse_target("pool:3") == DevicePool(3, 0)
    assert parse_target("pool", deployed()) == DevicePool(6, 1, memory=2.0**34)
    assert parse_target("pool:2+1", deployed()) == DevicePool(2, 1, memory=2.0**34)
    assert parse_target("pool,memory=inf", deployed()) == DevicePool(6, 1)
    assert parse_target("pipeline") == Pipeline()
    assert parse_target("pipeline,count=3") == Pipeline(3)
    assert Pipeline(3, 12e9).spec() == "pipeline:3,bandwidth=12e9"


def test_the_default_fits_the_graph() -> None:
    assert default_target(deployed()) == DevicePool(6, 1, memory=2.0**34)
    assert default_target(Graph.build("g", [Op("a", "a")], [])) == Pipeline(4)
    assert default_target(Graph.build("g", [Op("a", "a")], [], format="tflite")) == EdgeTpuPipeline(4)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("ring:4", "unknown kind 'ring'; choose from pipeline"),
        ("pipeline:many", "'many' is not a whole number"),
        ("pipeline:4,memory", "'memory' in target 'pipeline:4,memory' is not key=value"),
        ("pipeline:4,=3", "is not key=value"),
        ("pipeline:4,pace=3", "has no parameter 'pace'; it has count"),
        ("pipeline:4,memory=8XB", "is not a number with a unit"),
        ("pipeline:4,memory=nan", "not a number"),
        ("pipeline:4,bandwidth=1e-320", "it must be from 1e-60 to 1e+60"),
        ("pool:2+1,contiguous=perhaps", "'perhaps' is neither true nor false"),
        ("pool:2+1,communication=loud", "choose sum, overlap or duplex"),
        ("pool:2+x", "'x' is not a whole number"),
        ("pool:0+0", "at least one device"),
        ("pipeline:0", "at least one block"),
    ],
)
def test_bad_specifications_are_refused_in_one_sentence(spec: str, words: str) -> None:
    with pytest.raises(TargetError, match=words.replace("+", r"\+")):
        parse_target(spec)


def test_toml_files(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text('[target]\nkind = "pool"\ncount = "2+1"\nmemory = "16GiB"\ncontiguous = false\n')
    assert parse_target(str(path)) == DevicePool(2, 1, memory=2.0**34, contiguous=False)
    path.write_text('kind = "pipeline"\ncount = 3\nbandwidth = 1e9\n')
    assert parse_target(str(path)) == Pipeline(3, 1e9)
    path.write_text("kind = ")
    with pytest.raises(TargetError, match="is not a valid TOML file"):
        parse_target(str(path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TargetError, match=r"machine.toml is not UTF-8 text"):
        parse_target(str(path))
    with pytest.raises(TargetError, match=r"absent.toml does not exist"):
        parse_target(str(tmp_path / "absent.toml"))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ('target = "pool:2+1"', DevicePool(2, 1)),
        ('target = " pool:2+1,contiguous=false "', DevicePool(2, 1, contiguous=False)),
        (
            'target = "pool:2+1"\ncontiguous = false\nmemory = "1KiB"',
            DevicePool(2, 1, 1024.0, contiguous=False),
        ),
        ('target = "memory:100"', TwoLevelMemory(100)),
        ('[cost_model]\ncpu_flops = 1e9\n[target]\nkind = "pipeline"\ncount = 2', Pipeline(2)),
        ('kind = "pipeline"\ncount = 2\n[cost_model]\ncpu_flops = 1e9', Pipeline(2)),
    ],
)
def test_toml_files_may_hold_a_specification(tmp_path: Path, text: str, target: Target) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(text)
    assert parse_target(str(path)) == target
    assert is_for_networks(str(path)) == target.plans_networks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("target = 3", "target is 3; write [target] above its keys"),
        ('[[target]]\nkind = "pool"', "target is a list of 1 tables"),
        ("target = [1, 2]", "target is a list of 2 values"),
        ('[target.target]\nkind = "pool"', "target is a table; it must be a single value"),
        ('target = "other.toml"', "names another file, 'other.toml'"),
        ('target = ""', "unknown kind ''"),
        ('target = "pool:2+1"\ncount = 2', "gives 'count' beside target"),
        ('target = "pool:2+1,contiguous=false"\ncontiguous = true', "gives 'contiguous' beside target"),
        ('target = "pool:2+1"\nmemory = [1]', "memory is a list of 1 values"),
        ('target = "pool:2+1"\npace = 1', "has no parameter 'pace'"),
        ('memory = 3\n[target]\nkind = "pool"', "has 'memory' outside [target]"),
        ('kind = ["pool"]', "kind is a list of 1 values"),
        ('kind = "pool"\ncount = {a = 1}', "count is a table"),
        ('kind = "pipeline"\ncount = 2.5', "'2.5' is not a whole number"),
        ("count = " + "9" * 5000, "is not a valid TOML file"),
        ("a = " + "[" * 5000, "nests its TOML too deeply"),
    ],
)
def test_other_shapes_of_toml_are_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(text)
    with pytest.raises(TargetError) as caught:
        parse_target(str(path))
    sentence = str(caught.value)
    assert words in sentence
    assert "machine.toml" in sentence
    assert len(sentence) <= 500
    with suppress(TargetError):  # the kind may be told all the same
        is_for_networks(str(path))


def test_control_characters_of_a_specification_are_escaped() -> None:
    with pytest.raises(TargetError, match=r"unknown kind 'po\\x1b\[31mol\\u202e'"):
        parse_target("po\x1b[31mol\u202e:2")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"kind": "ring"}, "unknown target kind 'ring'"),
        ({"kind": []}, r"unknown target kind \[\]"),
        ({}, "unknown target kind None"),
        ({"kind": "pipeline", "count": "4"}, "'count' is '4'; a int was expected"),
        ({"kind": "pipeline", "count": True}, "'count' is True"),
        ({"kind": "pipeline", "memory": "8"}, "'memory' is '8'; a float was expected"),
        ({"kind": "pipeline", "pace": 1}, "has no parameter 'pace'"),
        ({"kind": "pipeline", "speed": [1, "2"]}, "'speed' holds '2'; numbers were expected"),
        ({"kind": "pipeline", "speed": [1, 2]}, "speed has 2 numbers; give one for all, or 4"),
        ({"kind": "pool", "contiguous": 1}, "'contiguous' is 1; a bool was expected"),
    ],
)
def test_bad_dictionaries_are_refused(data: dict[str, object], words: str) -> None:
    with pytest.raises(TargetError, match=words):
        target_from_dict(data)


def test_numbers_in_dictionaries_may_be_whole_and_infinite() -> None:
    assert target_from_dict({"kind": "pipeline", "count": 2, "bandwidth": 4}) == Pipeline(2, 4.0)
    assert target_from_dict({"kind": "pool", "memory": None}) == DevicePool(memory=math.inf)


def test_numbers_per_device_are_written_with_slashes() -> None:
    """Read, written and read again; a machine without such parameters says nothing of single devices."""
    text = "pipeline:3,memory=8MiB/16MiB/inf,speed=1/0.5/2"
    target = parse_target(text)
    assert target == Pipeline(3, memory=(2.0**23, 2.0**24, math.inf), speed=(1.0, 0.5, 2.0))
    assert target.spec() == text and target_from_dict(target.to_dict()) == target
    assert parse_target("pool:2+1,speed=1/2/1").spec() == "pool:2+1,speed=1/2"
    with pytest.raises(TargetError, match="speed: '' is not a number"):
        parse_target("pipeline:2,speed=1/")
    graph = Graph.build("one", [Op("a", "a", work=1.0, work_cpu=1.0)], [])
    assert (
        parse_target("edge-tpu:2").own_speeds(graph) == parse_target("edge-tpu:2").own_memories(graph) == ()
    )


def test_named_machines_say_what_a_specification_leaves_open() -> None:
    pcie, t4 = (Machines((("", machine(name)),)) for name in ("edge-tpu-pcie", "t4"))
    assert parse_target("edge-tpu:2", named=pcie).to_dict()["down"] == 500e6
    assert parse_target("edge-tpu:2,down=100e6", named=pcie).to_dict()["down"] == 100e6
    assert with_named(EdgeTpuPipeline(2), pcie) == parse_target("edge-tpu:2", named=pcie)
    assert (
        parse_target("pipeline:2", named=t4) == parse_target("pipeline:2", named=Machines(())) == Pipeline(2)
    )
    with pytest.raises(
        TargetError, match=r"machine t4 says nothing of .*; choose from edge-tpu-usb, edge-tpu-pcie"
    ):
        parse_target("edge-tpu:2", named=t4)


def test_the_memory_of_a_chip_has_two_names() -> None:
    assert parse_target("mcm:4,memory=16MiB") == parse_target("mcm:4,sram=16MiB")
    with pytest.raises(TargetError, match="gives 'memory' and 'sram', which are the same; keep one"):
        parse_target("mcm:4,memory=16MiB,sram=8MiB")


def test_people_read_no_bytes_of_ten_digits() -> None:
    target = parse_target("pool:3+1,memory=17185374209")
    assert target.spec() == "pool:3+1,memory=17185374209"
    assert target.spec_for_people() == "pool:3+1,memory=16.01 GiB"
    unequal = parse_target("pipeline:2,memory=17185374209B/8MiB")
    assert unequal.spec_for_people() == "pipeline:2,memory=16.01 GiB/8MiB"
    for plain in ("pool:3+1", "pool:3+1,memory=16GiB", "edge-tpu:2,cache=8MiB", "pipeline:3,bandwidth=12e9"):
        assert parse_target(plain).spec_for_people() == parse_target(plain).spec()


def test_a_unit_behind_the_last_number_is_that_of_all_without_one() -> None:
    whole = parse_target("pipeline:3,memory=32MiB/64MiB/128MiB")
    assert (
        parse_target("pipeline:3,memory=32/64/128MiB")
        == parse_target("pipeline:3,memory=32/64/128 MiB")
        == whole
    )
    assert parse_target("pipeline:3,memory=32/64GiB/inf") == parse_target("pipeline:3,memory=32B/64GiB/inf")
    plain = parse_target("pipeline:3,memory=32/64/128")
    assert plain.memory == (32.0, 64.0, 128.0)  # type: ignore[attr-defined]
    mixed = parse_target("pipeline:2,memory=1000B/8MiB")
    assert mixed.spec() == "pipeline:2,memory=1000B/8MiB" and parse_target(mixed.spec()) == mixed
