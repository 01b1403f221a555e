"""Profiles: what each program's holds, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import ModelError
from planner.formats.times.read import is_times, read_times
from planner.formats.times.samples import op_time
from planner.formats.times.stageboard_times import from_json, to_dict, write
from planner.model.times import OpTime, OpTimes


def put(folder: Path, content: Any, name: str = "times.json") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def only(path: Path) -> OpTimes:
    (times,) = read_times(path)
    return times


NUMBERS = st.floats(0.0, 1e6)


@given(
    st.dictionaries(
        st.text("abc/.:", min_size=1, max_size=8),
        st.builds(
            lambda seconds, share, shared: OpTime(seconds, seconds * share, shared),
            NUMBERS,
            st.one_of(st.floats(0.0, 1e3), st.just(math.nan)),
            st.booleans(),
        ),
        min_size=1,
    ),
    st.sampled_from(["", "accelerator", "cpu"]),
)
def test_what_is_written_is_read(ops: dict[str, OpTime], device: Any) -> None:
    times = OpTimes(ops, "f", "someone", device, "model", "ab" * 32, 1.0, 2.0, about={"threads": 2})
    again = from_json(json.loads(json.dumps(to_dict(times))), "f")
    assert again.ops.keys() == ops.keys()
    for op, time in ops.items():
        assert again.ops[op].seconds == time.seconds
        assert again.ops[op].shared == time.shared
        assert again.ops[op].spread == time.spread or math.isnan(time.spread)
    assert (again.device, again.model, again.structure) == (device, "model", "ab" * 32)
    assert (again.seconds_sum, again.seconds_run, again.about) == (1.0, 2.0, {"threads": 2})


def test_files_tell_themselves_apart(tmp_path: Path) -> None:
    file = write(OpTimes({"a": OpTime(1.0)}, "f", "s"), tmp_path / "own.json")
    assert is_times(file)
    assert only(file).ops["a"].seconds == 1.0
    assert not only(file).scaled
    assert "scaled" not in file.read_text()
    assert only(write(OpTimes({"a": OpTime(1.0)}, "f", "s", scaled=True), file)).scaled
    assert not is_times(put(tmp_path, "op,seconds\na,1\n", "t.csv"))
    assert not is_times(tmp_path / "absent.json")


def kernel(name: str, micros: float, provider: str = "CPUExecutionProvider") -> dict[str, Any]:
    return {
        "cat": "Node",
        "ph": "X",
        "name": f"{name}_kernel_time",
        "dur": micros,
        "args": {"provider": provider},
    }


def test_onnxruntime(tmp_path: Path) -> None:
    events = [
        {"cat": "Session", "ph": "X", "name": "model_run", "dur": 900},
        *[kernel("conv", micros) for micros in (100, 120, 140, 160, 900)],
        {"cat": "Node", "ph": "X", "name": "conv_fence_before", "dur": 5},
        kernel("relu", 10),
    ]
    times = only(put(tmp_path, events))
    assert times.ops["conv"].seconds == pytest.approx(140e-6)
    assert times.ops["conv"].spread == pytest.approx(20e-6)
    assert times.ops["relu"].seconds == pytest.approx(10e-6)
    assert math.isnan(times.ops["relu"].spread), "one run says nothing of how far runs spread"
    assert times.complete
    assert times.device == "cpu"
    other = only(put(tmp_path, [kernel("conv", 1, "CUDAExecutionProvider")]))
    assert other.device == "accelerator"


def test_torch(tmp_path: Path) -> None:
    trace = {
        "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "layer1", "ts": 1, "dur": 30.5},
            {"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "ts": 1, "dur": 20},
            {"ph": "M", "name": "process_name"},
        ]
    }
    times = only(put(tmp_path, trace))
    assert times.ops["layer1"].seconds == pytest.approx(30.5e-6)
    assert not times.complete
    empty = put(tmp_path, {"traceEvents": [{"ph": "M", "name": "process_name"}]})
    with pytest.raises(ModelError, match=r"times\.json is a trace without calls of ops"):
        read_times(empty)


def test_tensorrt(tmp_path: Path) -> None:
    layers = [
        {"count": 40},
        {"name": "conv1 + relu1", "timeMs": 80, "averageMs": 2.0, "medianMs": 1.0, "percentage": 50},
        {"name": "PWN(sigmoid, mul)", "averageMs": 0.5},
        {"name": "fc", "averageMs": 0.25},
    ]
    times = only(put(tmp_path, layers))
    for op in ("conv1", "relu1"):
        assert times.ops[op].seconds == pytest.approx(0.5e-3)
        assert times.ops[op].shared
    assert times.ops["fc"].shared is False
    assert times.ops["fc"].seconds == pytest.approx(0.25e-3)
    assert times.device == "accelerator"


TFLITE = """Profiling info
node type,start,first,avg_ms,%,cdf%,mem KB,times called,name
CONV_2D,0,1.5,1.25,50%,50%,0,1,[stem/conv]:0
RELU,1,1.0,0.5,20%,70%,0,1,[stem/relu]:1

node type,start,first,avg_ms,%,cdf%,mem KB,times called,name
CONV_2D,0,1.5,1.25,50%,50%,0,1,[stem/conv]:0
"""


def test_tflite(tmp_path: Path) -> None:
    times = only(put(tmp_path, TFLITE, "profile.csv"))
    assert {op: time.seconds for op, time in times.ops.items()} == {"stem/conv": 1.25e-3, "stem/relu": 0.5e-3}


def test_tables(tmp_path: Path) -> None:
    times = only(put(tmp_path, "op,seconds\nconv,0.5\n\nrelu, 1e-3\n", "t.csv"))
    assert only(put(tmp_path, "op,seconds\rconv,0.5\r\rrelu, 1e-3\r", "t.csv")) == times, (
        "lines may end in CR"
    )
    assert {op: time.seconds for op, time in times.ops.items()} == {"conv": 0.5, "relu": 1e-3}
    assert not times.apart
    both = read_times(put(tmp_path, "device,op,seconds\ncpu,conv,2\naccelerator,conv,1\n", "t.csv"))
    assert [(one.device, one.ops["conv"].seconds, one.apart) for one in both] == [
        ("cpu", 2.0, True),
        ("accelerator", 1.0, True),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("op,seconds\nconv,NaN\n", r"row 2: the time of 'conv' is nan"),
        ("op,seconds\nconv,fast\n", r"row 2: the time of 'conv' is \"fast\"|'fast'"),
        ("op,seconds\nconv,-1\n", r"times are numbers of seconds from 0"),
        ("op,seconds\nconv,1\nconv,2\n", r"row 3: op 'conv' has a time already"),
        ("measured by hand\n\nop,seconds\nconv,1\n\nconv,2\n", r"row 6: op 'conv' has a time already"),
        ("op,seconds,device\nconv,1,tpu\n", r"the device is .*; it must be accelerator or cpu"),
        ("op,seconds\n,1\n", r"row 2: there is no op"),
        ("op,seconds\n", r"has no rows"),
        ("name,ms\nconv,1\n", r"has no header with the columns op and seconds"),
        ("", r"is empty"),
        ("{}", r"holds no times of ops"),
        ("[]", r"holds no times of ops"),
        ('{"format": "stageboard-times", "version": 2, "ops": []}', r"version 2 of profiles is not known"),
        ('{"format": "stageboard-times", "version": 1, "ops": []}', r"has no times; measure the model again"),
        (
            '{"format": "stageboard-times", "version": 1, "ops": [{"id": "a", "seconds": -1}]}',
            r"op number 1 .*seconds is -1",
        ),
        ('{"format": "stageboard-times", "version": 1, "ops": [{"id": "a", "seconds": NaN}]}', r"NaN"),
        (
            '{"format": "stageboard-times", "version": 1, "ops": [{"id": "a", "seconds": 5e-5, "spread": 1e9}]}',
            r"the spread of op 'a' is 1e\+09 s, and its time is 5e-05 s; measure the model again",
        ),
        (
            '{"format": "stageboard-times", "version": 1, "ops": [{"id": "a", "seconds": 1}, {"id": "a", "seconds": 2}]}',
            r"has two times of op 'a'",
        ),
        (
            '[{"cat": "Node", "ph": "X", "name": "a_kernel_time", "dur": "long"}]',
            r"the duration of 'a' is 'long'",
        ),
        ('[{"name": "a", "medianMs": -3}]', r"the time of 'a' is -3"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(content: str, said: str, tmp_path: Path) -> None:
    name = "times.json" if content.startswith(("{", "[")) else "times.csv"
    with pytest.raises(ModelError, match=said) as error:
        read_times(put(tmp_path, content, name))
    assert name in str(error.value)
    assert "\n" not in str(error.value)


def test_the_median_of_runs() -> None:
    assert op_time([3.0]).seconds == 3.0
    assert op_time([1.0, 9.0, 2.0]).seconds == 2.0
    assert op_time([1.0, 2.0, 3.0, 4.0, 5.0]).spread == pytest.approx(1.0)
