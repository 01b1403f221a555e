"""A few damaged files of every format, the ones that once got through, and the tool that makes and judges them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.cli import main
from planner.errors import ModelError, StageboardError
from planner.formats import read_graph, read_model
from planner.formats.networks.read import read_network
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.plan_files.plan_json import open_plan
from planner.printable import UNPRINTABLE
from planner.story.files.json import read_story
from tools.fuzz_forms import FORMS, Form
from tools.fuzz_readers import faults, try_format
from tools.fuzz_readers import main as fuzz

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
HOSTILE = DATA / "hostile"
COUNT = 12


@pytest.mark.parametrize("name", FORMS)
def test_damaged_files_are_read_or_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    if name == "tflite":
        pytest.importorskip("ai_edge_litert")
    tally = try_format(FORMS[name], COUNT, 1000, tmp_path / "files", tmp_path / "failures")
    assert not tally.failures, [path.read_text() for path in tmp_path.glob("failures/*.txt")]
    assert tally.read + tally.refused == COUNT


# ---------------------------------------------------------------------- what once got through
def printable(sentence: str) -> bool:
    return not UNPRINTABLE.search(sentence) and len(sentence) <= 500


def test_a_target_as_text_in_a_toml_file() -> None:
    assert parse_target(str(HOSTILE / "target_text.toml")) == DevicePool(2, 1)


@pytest.mark.parametrize("path", sorted(HOSTILE.glob("spec_control_*.txt")), ids=lambda p: p.stem)
def test_control_characters_in_a_specification(path: Path) -> None:
    with pytest.raises(StageboardError) as caught:
        parse_target(path.read_text("utf-8"))
    assert printable(str(caught.value))


@pytest.mark.parametrize("path", sorted(HOSTILE.glob("plan_*.json")), ids=lambda p: p.stem)
def test_control_characters_and_infinite_numbers_in_a_plan(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        opened = open_plan(path, read_model(DATA / "small.json"))
        assert all(map(printable, (*opened.notes, opened.plan.name)))
    except StageboardError as error:
        assert printable(str(error))
    assert main(["evaluate", str(DATA / "small.json"), str(path)]) in (0, 1, 2)
    streams = capsys.readouterr()
    assert not UNPRINTABLE.search((streams.out + streams.err).replace("\n", ""))


def test_marks_of_direction_in_a_graph() -> None:
    with pytest.raises(ModelError, match=r"produced by '\\u202eabc\\u202c', which is not an op") as caught:
        read_graph(HOSTILE / "own_direction.json")
    assert printable(str(caught.value))
    assert read_model(HOSTILE / "own_infinite.json").profiled


def test_marks_of_direction_in_a_story() -> None:
    assert read_story(HOSTILE / "direction.story.json").title == r"\u202eabc\u202c"


def test_a_shape_of_a_strange_rank_in_an_onnx_model() -> None:
    with pytest.raises(ModelError, match="no list of at most 64 sizes"):
        read_graph(HOSTILE / "shape_of_strange_rank.onnx")


def test_repeated_entries_of_a_matrix() -> None:
    network = read_network(HOSTILE / "repeated.mtx")
    assert network.connection_count == 2 and network.warnings == ("2 repeated entries were added up",)


# ---------------------------------------------------------------------- the tool
def broken(folder: Path, error: BaseException | None) -> Form:
    """A format whose reader raises ``error``."""

    def read(path: Path) -> object:
        if error is not None and path.name != "whole.bin":
            raise error
        return None

    return Form("broken", ".bin", lambda f: [b"whole"], lambda whole, rng: b"damaged", read)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (IndexError("list index"), "IndexError: list index"),
        (RecursionError("deep"), "RecursionError"),
        (StageboardError("something is wrong"), "does not name its file"),
        (StageboardError("damaged-0.bin\x1b"), "control characters"),
        (StageboardError("damaged-0.bin" + "x" * 500), "a sentence of 513 characters"),
        (StageboardError("damaged-0.bin is damaged in a way that was not foreseen"), "not foreseen"),
    ],
)
def test_the_tool_finds_and_keeps_failures(tmp_path: Path, error: BaseException, says: str) -> None:
    tally = try_format(broken(tmp_path, error), 1, 0, tmp_path / "files", tmp_path / "kept")
    assert len(tally.failures) == 1 and says in tally.failures[0]
    assert (tmp_path / "kept" / "broken-0-0.bin").read_bytes() == b"damaged"
    assert says in (tmp_path / "kept" / "broken-0-0.bin.txt").read_text()
    assert not try_format(broken(tmp_path, None), 3, 0, tmp_path / "files").failures


def test_good_sentences_have_no_faults() -> None:
    assert not list(faults("m.json: it is wrong; correct it", "m.json"))


def test_the_same_seed_damages_the_same_files(tmp_path: Path) -> None:
    import random

    form = FORMS["own"]
    whole = form.seeds(tmp_path)[0]
    first, second = (form.damage(whole, random.Random("a")) for _ in range(2))
    assert first == second != json.dumps(whole).encode()


@pytest.mark.parametrize("seed", [8276, 17547])
def test_arrays_are_damaged_twice_whatever_the_first_damage_made_of_them(seed: int) -> None:
    """Dates and objects, of which NumPy makes no texts and no dates."""
    import io
    import random

    import numpy as np

    from tools.fuzz_mutations import damaged_arrays

    buffer = io.BytesIO()
    np.savez(buffer, W0=np.ones((2, 2)))
    assert damaged_arrays(buffer.getvalue(), random.Random(seed))


def test_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)  # this process has more to do
    monkeypatch.setitem(FORMS, "broken", broken(tmp_path, KeyError("x")))
    arguments = ["--count", "2", "--failures", str(tmp_path / "kept")]
    assert fuzz([*arguments, "--format", "dot"]) == 0
    assert fuzz([*arguments, "--format", "broken"]) == 1
    table = capsys.readouterr().out
    assert "dot" in table and "2 x KeyError: 'x'" in table
