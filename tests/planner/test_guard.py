"""Whatever a reader raises leaves as one sentence of its kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.cli.command import BAD_INPUT, Console
from planner.cli.main import status_of
from planner.errors import ModelError, PlanError, StageboardError
from planner.guard import guarded, loading_trouble


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ModelError("f.json: wrong"), "f.json: wrong"),
        (ModelError("wrong"), "f.json: wrong"),
        (PlanError("a plan is wrong"), "f.json: a plan is wrong"),
        (MemoryError(), "f.json is too large for the memory that there is; split it"),
        (RecursionError(), "f.json is too deeply nested to be read here; split it"),
        (
            PermissionError(13, "Permission denied"),
            "f.json cannot be read (permission denied); check the path and",
        ),
        (
            IndexError("list\nindex \x1b"),
            r"not foreseen (IndexError: list index \x1b); save or download it again",
        ),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
            "not foreseen (UnicodeDecodeError: 'utf-8' codec",
        ),
        (ModelError(f"f.json: '{'x' * 5000}'; do so"), "x'; do so"),
        (ModelError("f.json: a\n\u202eb"), r"f.json: a \u202eb"),
    ],
)
def test_any_error_becomes_a_sentence(error: Exception, says: str) -> None:
    with pytest.raises(ModelError) as caught, guarded("f.json"):
        raise error
    sentence = str(caught.value)
    assert says in sentence
    assert sentence.isprintable() and len(sentence) <= 500
    assert caught.value is error or caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_what_ends_the_program_is_let_through(error: BaseException) -> None:
    with pytest.raises(type(error)), guarded("f.json"):
        raise error


def test_what_is_asked_for_may_be_said_differently() -> None:
    with (
        pytest.raises(StageboardError, match=r"t.toml is damaged .*; correct it"),
        guarded("t.toml", StageboardError, remedy="correct it"),
    ):
        raise KeyError("x")
    with guarded("f.json"):
        pass


@pytest.fixture
def unloadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a library that says at its import what protobuf says to modules that a newer one made."""
    (tmp_path / "mismatched_library.py").write_text(
        "class VersionError(Exception): pass\nraise VersionError('gencode 6.31.1 runtime 5.29.5')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "mismatched_library"


def test_a_library_that_cannot_be_loaded_is_not_put_down_to_the_file(unloadable: str) -> None:
    with pytest.raises(ModelError) as caught, guarded("f.onnx"):
        __import__(unloadable)
    sentence = str(caught.value)
    assert "f.onnx cannot be read, and is not to blame: a library that it takes cannot be loaded" in sentence
    assert "VersionError: gencode 6.31.1 runtime 5.29.5" in sentence and "damaged" not in sentence
    with pytest.raises(ModelError, match="is damaged"), guarded("f.onnx"):
        raise KeyError("x")
    assert loading_trouble(KeyError("x")) == ""


def test_a_command_says_so_too(
    unloadable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("STAGEBOARD_TRACEBACK", raising=False)
    assert status_of("export", lambda: int(bool(__import__(unloadable))), Console()) == BAD_INPUT
    said = capsys.readouterr().err
    assert (
        "export cannot be done here: a library that it takes cannot be loaded" in said
        and "mistake" not in said
    )
