"""Whatever bytes a TFLite file holds, reading it gives a graph or one sentence, soon and in little memory."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import ModelError
from planner.formats import read_graph
from planner.formats.tflite import file as tflite_file
from tests.planner.formats.test_hostile_bytes import reads_or_says_why
from tests.planner.formats.tflite.builder import everything

SMALL = everything()
SAMPLE = (Path(__file__).resolve().parents[4] / "sample_models" / "branchy_int8.tflite").read_bytes()
# Where tables and vectors lie, weights left out: mutations elsewhere change nothing.
STRUCTURE = [at for at in range(8, len(SMALL) - 3) if SMALL[at : at + 4] != b"\1\1\1\1"]
WORDS = [0, 1, 4, 0x7F, 0xFFFF, 2**20, 2**31 - 1, 2**31, 2**32 - 1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def check(folder: Path, content: bytes) -> None:
    path = folder / "hostile.tflite"
    path.write_bytes(content or b"x")
    reads_or_says_why(path)


def test_the_small_file_itself_reads(folder: Path) -> None:
    check(folder, SMALL)
    assert read_graph(folder / "hostile.tflite").n == 9


@settings(max_examples=150)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(STRUCTURE), st.binary(min_size=1, max_size=4)), min_size=1, max_size=4
    )
)
def test_changed_bytes(folder: Path, changes: list[tuple[int, bytes]]) -> None:
    content = bytearray(SMALL)
    for at, new in changes:
        content[at : at + len(new)] = new
    check(folder, bytes(content))


@settings(max_examples=150)
@given(
    changes=st.lists(st.tuples(st.sampled_from(STRUCTURE), st.sampled_from(WORDS)), min_size=1, max_size=3)
)
def test_changed_words(folder: Path, changes: list[tuple[int, int]]) -> None:
    """Lengths and offsets are words at multiples of four."""
    content = bytearray(SMALL)
    for at, word in changes:
        struct.pack_into("<I", content, at // 4 * 4, word)
    check(folder, bytes(content))


@settings(max_examples=60)
@given(at=st.integers(0, len(SMALL)), length=st.integers(1, 40))
def test_cut_out(folder: Path, at: int, length: int) -> None:
    check(folder, SMALL[:at])
    check(folder, SMALL[:at] + SMALL[at + length :])


@settings(max_examples=25)
@given(
    at=st.integers(0, len(SAMPLE) - 4), new=st.binary(min_size=4, max_size=4), end=st.integers(0, len(SAMPLE))
)
def test_the_sample_changed_and_truncated(folder: Path, at: int, new: bytes, end: int) -> None:
    check(folder, SAMPLE[:at] + new + SAMPLE[at + 4 :])
    check(folder, SAMPLE[:end])


@settings(max_examples=60)
@given(content=st.binary(max_size=200))
def test_garbage_behind_the_mark(folder: Path, content: bytes) -> None:
    check(folder, content[:4].ljust(4, b"\4") + b"TFL3" + content)


def test_tables_that_all_lie_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """5,000 tensors that share one table and one long name claim more than the file holds: most are never read."""
    tensors, name = 5_000, 30_000
    content = bytearray(24_000 + name)
    content[4:8] = b"TFL3"

    def table(at: int, vtable: int, **offsets: int) -> None:
        """A table whose fields, by name their vtable's place, are offsets to other places."""
        fields = [0] * 6
        for i, (slot, target) in enumerate(offsets.items()):
            fields[int(slot[1:])] = 4 + 4 * i
            struct.pack_into("<I", content, at + 4 + 4 * i, target - (at + 4 + 4 * i))
        struct.pack_into("<2H6H", content, vtable, 16, 28, *fields)
        struct.pack_into("<i", content, at, at - vtable)

    def vector(at: int, *targets: int) -> None:
        places = [target - (at + 4 + 4 * i) for i, target in enumerate(targets)]
        struct.pack_into(f"<I{len(places)}I", content, at, len(places), *places)

    struct.pack_into("<I", content, 0, 16)
    table(16, 60, _2=100, _4=200)  # the model: subgraphs, buffers
    vector(100, 300)
    vector(200, 400)
    table(300, 340, _0=1000)  # a subgraph: tensors
    table(400, 440)
    vector(1000, *[22_000] * tensors)
    table(22_000, 22_100, _3=23_000)  # a tensor: name
    struct.pack_into("<I", content, 23_000, name)
    read: list[int] = []
    original = tflite_file._Reader.text
    monkeypatch.setattr(tflite_file._Reader, "text", lambda self, raw: read.append(1) or original(self, raw))
    with pytest.raises(ModelError, match="claim more than the file holds"):
        tflite_file.parse(bytes(content), "model.tflite")
    assert len(read) < 10
