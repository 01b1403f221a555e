"""The graphs that searches on multi-chip modules are measured with are what their page says: sixteen, of real sizes, without weights."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from planner.formats import read_models
from planner.formats.graphs.stageboard_json import read

ROOT = Path(__file__).resolve().parents[1]
GRAPHS = sorted((ROOT / "benchmarks" / "graphs").glob("*.json"))
LARGEST = 150 * 1024  # bytes

# Parameters of torchvision's networks as its documentation gives them, in millions; batch normalisation goes into convolutions, and
# auxiliary heads are for training only.
MEGAPARAMS = {
    "resnet18": 11.7, "resnet50": 25.6, "densenet121": 8.0, "googlenet": 6.6, "inception_v3": 23.8, "mobilenet_v2": 3.5,
    "mobilenet_v3_large": 5.5, "shufflenet_v2": 2.3, "squeezenet": 1.2, "efficientnet_b0": 5.3,
}  # fmt: skip
RECURRENT = {"character_lstm", "sentence_lstm", "translation_gru", "speech_gru", "video_lstm", "rain_lstm"}


def test_there_are_sixteen_and_the_page_lists_them() -> None:
    assert {path.stem for path in GRAPHS} == set(MEGAPARAMS) | RECURRENT and len(GRAPHS) == 16
    text = (ROOT / "docs" / "mcm-search.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| .*? \| ([\d,| .]+) \|$", text, re.MULTILINE))
    assert set(rows) == {path.stem for path in GRAPHS}
    for path in GRAPHS:
        graph = read(path)
        counts = [graph.n, len(graph.edges[0]), graph.depth]
        said = [cell.strip() for cell in rows[path.stem].split("|")]
        sizes = [f"{graph.params.sum() / 1e6:.2f}", f"{graph.macs.sum() / 1e9:.2f}"]
        assert said == [*(f"{count:,}" for count in counts), *sizes], path.stem


@pytest.mark.parametrize("path", GRAPHS, ids=lambda p: p.stem)
def test_each_is_small_and_complete(path: Path) -> None:
    raw = path.read_text("utf-8")
    assert len(raw) < LARGEST and not re.search(r"/(home|tmp|root|usr|work|Users)/", raw)
    graph = read_models([path])
    assert 50 <= graph.n < 1_000 and graph.warnings == () and graph.time_unit == "s"
    assert (graph.tensor_bytes > 0).all() and "Softmax" not in graph.kinds[:-1]
    assert np.array_equal(graph.param_bytes, 4 * graph.params)
    if path.stem in MEGAPARAMS:
        assert graph.params.sum() / 1e6 == pytest.approx(MEGAPARAMS[path.stem], abs=0.08)
