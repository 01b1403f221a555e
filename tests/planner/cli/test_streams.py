"""What a command prints: in any encoding, whatever names hold, and where a stream is closed."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from planner.cli import main
from planner.cli.command import COMPILING, Command, Console, plain
from planner.cli.searching import KEPT, NONE_YET, Watch
from planner.compiling.news import news
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.runs import planning
from planner.search.stop import Progress
from tests.planner.cli.calling import CALL, ROOT

DATA = Path(__file__).resolve().parents[2] / "data"


def printed(
    arguments: list[str | bytes], environment: Mapping[str, str] | None = None, redirect: str = ""
) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own; ``redirect`` is for the shell (``2>&-``)."""
    given: list[str | bytes] = [*CALL, *arguments]
    if redirect:
        given = ["/bin/sh", "-c", f'"$@" {redirect}', "sh", *given]
    # Streams are buffered, as they are for most people.
    settings = {
        key: value
        for key, value in os.environ.items()
        if key not in ("STAGEBOARD_TRACEBACK", "PYTHONUNBUFFERED")
    }
    return subprocess.run(
        given,
        check=False,
        capture_output=True,
        timeout=120,
        cwd=ROOT,
        env={**settings, **(environment or {})},
    )


class Stream(io.TextIOWrapper):
    """A stream of some encoding that remembers its bytes."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding)

    def bytes(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_encoding_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    model = tmp_path / "東京 µ.json"
    model.write_text((DATA / "small.json").read_text().replace('"small"', '"東京 µ"'))
    for arguments in (["info", str(model)], ["info", str(model), "--json"]):
        out, err = Stream(encoding), Stream(encoding)
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        assert main(arguments) == 0
        text = out.bytes().decode(encoding)
        if "--json" in arguments:
            assert json.loads(text)["name"] == "東京 µ"
        else:
            assert ("東京 µ" if encoding == "utf-8" else r"\u6771\u4eac") in text
        assert main(["info", str(model.with_name("大.json"))]) == 2
        assert b"does not exist" in err.bytes()


def test_a_command_in_an_ascii_locale(tmp_path: Path) -> None:
    plain_c = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = printed(
        ["plan", str(DATA / "small.json"), "--target", "pipeline:2,latency=3us", "--planner", "slice"],
        plain_c,
    )
    assert done.returncode == 2 and b"Traceback" not in done.stderr
    done = printed(
        ["plan", str(DATA / "small.json"), "--target", "pipeline:2", "--planner", "slice"], plain_c
    )
    said = [line for line in done.stderr.decode().splitlines() if COMPILING not in line]
    assert done.returncode == 0 and b"bottleneck" in done.stdout and not said


@pytest.mark.parametrize(
    "name", ["a\nb\x1b[31mnone.json", "a\u202enone.json", "\x9bnone.json", "\u2066.json"]
)
def test_names_of_files_are_escaped(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["info", name]) == 2
    sentence = capsys.readouterr().err
    assert sentence.endswith("does not exist; check the path\n")
    assert sentence.removesuffix("\n").isprintable()
    assert main(["plan", str(DATA / "small.json"), "--target", f"{name}:2"]) == 2
    assert capsys.readouterr().err.removesuffix("\n").isprintable()
    assert main([name]) == 2
    assert capsys.readouterr().err.removesuffix("\n").isprintable()


def test_names_of_ops_are_escaped_in_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m\x1b[2J\u202e.json"
    data = json.loads((DATA / "small.json").read_text())
    del data["name"]
    data["ops"][1]["name"] = "conv\x1b[31m\u2066"
    model.write_text(json.dumps(data))
    for arguments in (["info"], ["info", "--json"], ["plan", "--target", "pipeline:2", "--planner", "slice"]):
        assert main([arguments[0], str(model), *arguments[1:]]) == 0
        streams = capsys.readouterr()
        assert (streams.out + streams.err).replace("\n", "").isprintable()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes on Linux alone")
def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    model = os.fsencode(tmp_path) + b"/\xff\xfe.json"
    Path(os.fsdecode(model)).write_bytes((DATA / "small.json").read_bytes())
    plan = os.fsencode(tmp_path) + b"/\xfa.plan.json"
    done = printed(["plan", model, "--target", "pipeline:2", "--planner", "slice", "-o", plan, "--json"])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["valid"]
    done = printed(["evaluate", model, plan])
    assert done.returncode == 0, done.stderr


def test_a_closed_standard_error_changes_no_status(tmp_path: Path) -> None:
    assert printed(["info", "nowhere.json"], redirect="2>&-").returncode == 2
    done = printed(["info", "nowhere.json"], redirect="2>/dev/full")
    assert done.returncode == 2
    done = printed(["info", str(DATA / "small.json")], redirect="2>&-")
    assert done.returncode == 0 and done.stdout.startswith(b"small")


# ---------------------------------------------------------------------- what nobody foresaw
class Broken:
    """The module of a command that fails in a way nobody foresaw."""

    error: Exception = IndexError("list index\nout of range")

    def configure(self, parser: object) -> None:
        """Nothing to declare."""

    def run(self, args: object, console: Console) -> int:
        raise self.error


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            IndexError("list index\nout of \x1b"),
            r"broken ended in a way that was not foreseen (IndexError: list index out of \x1b)",
        ),
        (MemoryError(), "there is not enough memory for this problem"),
        (OSError("Could not find/load shared object file 'libllvmlite.so'"), "there is not enough memory"),
        (ImportError("libx.so: failed to map segment from shared object"), "there is not enough memory"),
        (PermissionError(13, "Permission denied", "x\x1b"), r"x\x1b: permission denied; check the path"),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"), "a name is not UTF-8"),
    ],
)
def test_unforeseen_errors_are_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    monkeypatch.delenv("STAGEBOARD_TRACEBACK", raising=False)
    module = Broken()
    module.error = error
    command = Command("broken", "fails", "nowhere")
    monkeypatch.setattr(Command, "load", lambda self: module)
    assert main(["broken"], [command]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert said.removesuffix("\n").isprintable()


def test_a_developer_sees_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGEBOARD_TRACEBACK", "1")
    monkeypatch.setattr(Command, "load", lambda self: Broken())
    with pytest.raises(IndexError):
        main(["broken"], [Command("broken", "fails", "nowhere")])


def test_plain_numbers() -> None:
    assert plain({"a": float("inf"), 1: (2, None)}) == {"a": None, "1": [2, None]}


# ---------------------------------------------------------------------- compiling
def compile_something(seconds: float = 0.0) -> None:
    """What a kernel says that is compiled."""
    news.busy(1)
    time.sleep(seconds)
    news.busy(-1)


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Command:
    """A command that compiles twice."""

    def run(args: Any, console: Console) -> int:
        compile_something()
        compile_something()
        console.result({"done": True}, lambda: "done")
        return 0

    monkeypatch.setitem(sys.modules, "compiling_probe", SimpleNamespace(configure=str, run=run))
    return Command("probe", "compiles", "compiling_probe")


def test_what_has_to_be_compiled_is_said_once_and_not_to_programs(
    probe: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe"], (probe,)) == 0
    assert capsys.readouterr() == ("done\n", f"stageboard: {COMPILING}\n")
    assert main(["probe", "--json"], (probe,)) == 0
    assert capsys.readouterr().err == ""
    compile_something()  # nobody asked
    assert capsys.readouterr().err == ""


def test_the_time_of_a_plan_names_what_was_compiled_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["plan", str(DATA / "small.json"), "--target", "pipeline:2", "--planner", "slice"]
    assert main(arguments) == 0
    capsys.readouterr()  # everything is compiled now
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert "compiling" not in said.out + said.err
    assert re.search(r"[\d.]+ s of search, [\d.]+ s in all$", said.out, re.MULTILINE)

    def compiling(*given: Any) -> Any:
        compile_something(0.3)
        return plan_problem(*given)

    plan_problem = planning.plan_problem
    monkeypatch.setattr(planning, "plan_problem", compiling)
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert said.err == f"stageboard: {COMPILING}\n"
    found = re.search(
        r"([\d.]+) s of search, ([\d.]+) s in all, ([\d.]+) s of that compiling$", said.out, re.MULTILINE
    )
    assert found is not None
    search, whole, compiled = map(float, found.groups())
    assert compiled >= 0.3 and whole >= search + compiled - 0.01


def test_who_stops_a_search_is_told_of_a_plan_only_where_there_is_one() -> None:
    problem = Problem(read_model(DATA / "small.json"), Pipeline(2))
    best = Watch(Console(), problem, "slice")
    assert best.stopping == NONE_YET
    best.on_best(np.zeros(problem.graph.n, np.int32), 1.0, Progress())
    assert best.stopping == KEPT


def test_output_cut_off_by_its_reader_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "bash", *CALL, "planners"],
        check=False, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
