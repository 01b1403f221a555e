"""Atomic writes and bounded reads."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from planner.errors import ModelError, PlanError, StageboardError
from planner.files import (
    behind_links,
    parse_json,
    read_bytes,
    read_text,
    to_json,
    write_atomically,
    write_together,
)


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


def test_an_object_has_each_key_once() -> None:
    with pytest.raises(PlanError, match=r"x has an object with two values for 'id'; leave one"):
        parse_json('{"ops": [{"id": "a", "work": 1, "id": "b"}]}', "x", PlanError)
    assert parse_json('[{"id": 1}, {"id": 1}]', "x") == [{"id": 1}, {"id": 1}]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(StageboardError, match="is a device or a pipe"):
        write_atomically(pipe, "text")
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


# ---------------------------------------------------------------------- links
def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "real.json").write_text("old")
    (kept / "real.json").chmod(0o600)
    (tmp_path / "link.json").symlink_to("kept/real.json")
    (tmp_path / "again.json").symlink_to(tmp_path / "link.json")
    assert write_atomically(tmp_path / "again.json", "new") == tmp_path / "again.json"
    assert (kept / "real.json").read_text() == "new" and not (kept / "real.json").is_symlink()
    assert stat.S_IMODE((kept / "real.json").stat().st_mode) == 0o600
    assert os.readlink(tmp_path / "link.json") == "kept/real.json" and (tmp_path / "again.json").is_symlink()
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "again.json",
        "kept",
        "link.json",
        "real.json",
    ]


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("real.json")
    write_atomically(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink() and (tmp_path / "real.json").read_text() == "new"
    (tmp_path / "astray.json").symlink_to("no/real.json")
    with pytest.raises(
        StageboardError, match=r"astray.json is a link to .*no/real.json, and there is no folder"
    ):
        write_atomically(tmp_path / "astray.json", "new")


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(StageboardError, match=r"a is a link that leads back to itself; remove it"):
        write_atomically(tmp_path / "a", "new")
    assert os.readlink(tmp_path / "a") == "b" and os.readlink(tmp_path / "b") == "a"


def test_a_link_to_a_folder_or_through_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(StageboardError, match="is a folder"):
        write_atomically(tmp_path / "link", "new")
    write_atomically(tmp_path / "link" / "file", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "file").read_text() == "new"
    assert behind_links(tmp_path / "link" / "file") == tmp_path / "link" / "file", "only its own links count"


# ---------------------------------------------------------------------- several files
def test_files_that_belong_together_are_written_together(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_together({first: "1", second: b"2"})
    assert (first.read_text(), second.read_bytes()) == ("1", b"2")
    second.unlink()
    second.mkdir()
    with pytest.raises(StageboardError, match="second is a folder"):
        write_together({first: "new", second: "new"})
    assert first.read_text() == "1" and sorted(path.name for path in tmp_path.iterdir()) == [
        "first",
        "second",
    ]


def test_a_folder_is_flushed_once_its_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the move: before it there would be nothing to flush."""
    seen: list[str] = []
    flush, move = os.fsync, os.replace

    def fsync(handle: int) -> None:
        seen.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        flush(handle)

    def replace(*places: Path) -> None:
        seen.append("move")
        move(*places)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_atomically(tmp_path / "a", "a")
    assert seen == ["file", "move", "folder"]


def test_indented_text_is_that_of_python() -> None:
    import json

    for value in (
        {},
        [],
        {"a": [], "b": {}, "ä": [1, 1e-9, -0.0, None, True, "x\n\u2028"]},
        [[[1]], {"": ""}],
        3,
    ):
        assert to_json(value) == json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    assert to_json({"a": "\ud800"}) == '{\n "a": "\ud800"\n}\n'
