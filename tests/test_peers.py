"""The benchmark against peers: what it writes into the page, and what it does without them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.models import layered
from benchmarks.process_tree import cpu_seconds, resident_mb, tree_of
from planner.errors import StageboardError
from planner.formats import read_model

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("section", list(peers.SECTIONS))
def test_the_page_has_a_place_for_what_is_measured(section: str) -> None:
    page = (ROOT / "docs" / "measurements.md").read_text("utf-8")
    once = peers.in_page(page, section, "| a |")
    assert "| a |" in once and peers.in_page(once, section, "| a |") == once
    begin, end = peers.BEGIN.format(section), peers.END.format(section)
    assert once.startswith(page.partition(begin)[0]) and once.endswith(page.partition(end)[2])
    with pytest.raises(StageboardError, match="needs the lines"):
        peers.in_page("nothing", section, "| a |")


def test_generated_graphs_keep_their_shape_as_onnx(tmp_path: Path) -> None:
    graph = layered(60)
    read = read_model(peers.onnx_file(graph, tmp_path / "x.onnx"))
    # The ONNX reader adds no op, and knows the input as one.
    assert read.n in (graph.n, graph.n + 1)


def test_a_peer_that_is_not_at_hand_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "GRAPHS", ("unet.onnx",))
    ours = {"cpu": 2.0, "mb": 300.0, "nodes": 50.0}
    monkeypatch.setattr(peers, "told", lambda command, home: ours)
    said = peers.opening(argparse.Namespace(browser=None))
    assert "| 50 ops | 2.0 | not at hand | – | 300 | – |" in said
    assert "| 50 ops | 2.0 | 2.0 | 1.0 | 300 | 300 |" in peers.opening(argparse.Namespace(browser="python"))
    assert peers.beside({"gave_up": 60.0}, 2.0) == ["more than 60", "more than 30.0"]


def test_a_program_that_fails_has_no_figures(tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="measured nothing"):
        peers.best(["false"], tmp_path)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc")
def test_a_tree_of_processes_is_counted() -> None:
    assert os.getpid() in tree_of(os.getpid())
    assert cpu_seconds(os.getpid()) > 0 and resident_mb(os.getpid()) > 1
