"""The weights file: read without pickle, refused in one sentence where it is damaged."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.machines.mcm.learned.network import SHAPES, random_weights
from planner.machines.mcm.learned.weights import LARGEST, SHIPPED, packed, read_weights, write_weights


def test_the_shipped_weights_are_whole_and_small() -> None:
    weights = read_weights(SHIPPED)
    assert {name: array.shape for name, array in weights.items()} == SHAPES
    assert SHIPPED.stat().st_size <= LARGEST


def test_weights_are_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    weights = random_weights(3)
    write_weights(tmp_path / "w.npz", weights)
    again = read_weights(tmp_path / "w.npz")
    assert all((weights[name] == again[name]).all() for name in SHAPES)


def _without(name: str) -> bytes:
    return packed({n: a for n, a in random_weights(0).items() if n != name})


def _with(name: str, array: np.ndarray) -> bytes:
    return packed({**random_weights(0), name: array})


def _cut_header() -> bytes:
    """The first header is a Python literal whose bracket is never closed."""
    content = packed(random_weights(0))
    return content.replace(b"(", b"[", 1)


def _broken_stream() -> bytes:
    """Compressed as NumPy may, with noise in the middle of an array."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **random_weights(0))
    content = bytearray(buffer.getvalue())
    content[len(content) // 2 : len(content) // 2 + 64] = b"\xff" * 64
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an .npz file"),
        (b"no weights at all", "not an .npz file"),
        (packed(random_weights(0))[:-3000], "not an .npz file"),
        (_cut_header(), "not an .npz file"),
        (_broken_stream(), "not an .npz file"),
        (_without("head.out"), "no array 'head.out'"),
        (
            _with("head.out", np.zeros((3, 3), np.float32)),
            "'head.out' is float32[3, 3], not float32[128, 12]",
        ),
        (_with("in.bias", np.zeros(128)), "'in.bias' is float64[128]"),
        (_with("in.bias", np.full(128, np.nan, np.float32)), "not finite"),
    ],
)
def test_a_damaged_file_gives_one_sentence(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    with pytest.raises(StageboardError) as told:
        read_weights(path)
    assert words in str(told.value) and "\n" not in str(told.value) and str(path) in str(told.value)


def test_a_flipped_byte_in_an_array_is_noticed(tmp_path: Path) -> None:
    content = bytearray(packed(random_weights(0)))
    content[len(content) // 2] ^= 0xFF
    path = tmp_path / "flipped.npz"
    path.write_bytes(content)
    with pytest.raises(StageboardError, match="does not hold the weights"):
        read_weights(path)


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    path = tmp_path / "pickled.npz"
    np.savez(path, **{**random_weights(0), "in.bias": np.array([{"an": "object"}], object)})
    with pytest.raises(StageboardError, match="does not hold the weights"):
        read_weights(path)


def test_a_missing_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="cannot be read"):
        read_weights(tmp_path / "nothing.npz")
    path = tmp_path / "huge.npz"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(StageboardError, match="larger than 5 MB"):
        read_weights(path)
