"""Atomic writes and bounded reads."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from planner.errors import ModelError, PlanError, StageboardError
from planner.files import parse_json, read_bytes, read_text, to_json, write_atomically


def test_text_and_bytes_arrive_as_given(tmp_path: Path) -> None:
    assert write_atomically(tmp_path / "a.txt", "äö\r\n\n") == tmp_path / "a.txt"
    assert (tmp_path / "a.txt").read_bytes() == "äö\r\n\n".encode()
    write_atomically(str(tmp_path / "a.txt"), b"\0\1")
    assert (tmp_path / "a.txt").read_bytes() == b"\0\1"
    assert list(tmp_path.glob("*.tmp")) == []


def test_permissions_are_those_of_an_ordinary_or_the_old_file(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        path = write_atomically(tmp_path / "new", "x")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(mask)
    path.chmod(0o600)
    write_atomically(path, "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_or_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="is a folder"):
        write_atomically(tmp_path, "x")
    with pytest.raises(StageboardError, match="cannot be written"):
        write_atomically(tmp_path / "no" / "file", "x")


def test_reads_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(ModelError, match="use less"):
        read_bytes(path, 4, remedy="use less")
    with pytest.raises(PlanError, match="does not exist"):
        read_bytes(tmp_path / "none", 4, error=PlanError)
    with pytest.raises(ModelError):
        read_bytes(tmp_path / "a\0b", 4)
    path.write_bytes(b"\xef\xbb\xbfhello")
    assert read_text(path, 50) == "hello"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ModelError, match="not a regular file"):
        read_bytes(tmp_path / "pipe.json", 100)


def test_json_has_only_finite_numbers() -> None:
    assert parse_json('{"a": 1}', "x") == {"a": 1}
    for text in ("NaN", "[Infinity]", "-Infinity"):
        with pytest.raises(PlanError, match="finite"):
            parse_json(text, "x", PlanError)
    with pytest.raises(ValueError, match=r"not JSON compliant|Out of range"):
        to_json(float("nan"))
    assert to_json({"ä": 1}, indent=None) == '{"ä": 1}\n'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(StageboardError, match="is a device or a pipe"):
        write_atomically(pipe, "text")
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]
