"""Pictures in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree
from PySide6.QtGui import QImage

from gui.canvas.graph.picture import TITLE_HEIGHT, compose, save_picture
from gui.look.theme import LIGHT, THEMES
from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.groups import GroupView
from planner.problem.problem import Problem
from tests.gui.models import chain_graph, tpu_graph

THIRDS = np.repeat(np.arange(3, dtype=np.int32), 8)


@pytest.fixture
def problem(qapp) -> Problem:
    return Problem(chain_graph(24), Pipeline(3))


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("view", ["flow", "lanes"])
class TestKinds:
    def test_png(self, problem: Problem, tmp_path: Path, view: str, theme: str) -> None:
        file = tmp_path / "plan.png"
        save_picture(problem, THIRDS, file, size=(640, 480), theme=theme, view=view)
        image = QImage(str(file))
        assert (image.width(), image.height()) == (640, 480)
        assert image.pixelColor(3, 3).name() == THEMES[theme].panel
        colours = {image.pixel(x, y) for x in range(0, 640, 3) for y in range(TITLE_HEIGHT, 480, 3)}
        assert len(colours) > 20

    def test_svg(self, problem: Problem, tmp_path: Path, view: str, theme: str) -> None:
        file = tmp_path / "plan.svg"
        save_picture(problem, THIRDS, file, size=(640, 480), theme=theme, view=view, title="Thirds & more")
        root = ElementTree.parse(file).getroot()
        assert root.tag.endswith("svg")
        text = "".join(root.itertext())
        assert "Thirds & more" in text
        assert "bottleneck" in text
        if view == "lanes":
            assert "tage 2" in text

    def test_pdf(self, problem: Problem, tmp_path: Path, view: str, theme: str) -> None:
        file = tmp_path / "plan.pdf"
        save_picture(problem, THIRDS, file, size=(640, 480), theme=theme, view=view)
        data = file.read_bytes()
        assert data.startswith(b"%PDF-")
        assert data.rstrip().endswith(b"%%EOF")
        assert b"/MediaBox [0 0 480" in data


def test_the_title_says_how_good_the_plan_is(problem: Problem) -> None:
    cost = problem.evaluate(THIRDS).objective
    half = problem.bound("bottleneck", cost / 2, "test", frozenset())
    picture = compose(problem, THIRDS, (800, 600), LIGHT, "flow", bounds=[half])
    assert picture.title == "chain"
    assert "24 ops" in picture.subtitle
    assert "gap 50" in picture.subtitle
    assert "valid" in picture.subtitle
    broken = compose(problem, THIRDS[::-1].copy(), (800, 600), LIGHT, "flow")
    assert "broken" in broken.subtitle
    assert broken.scene.violating.any()


def test_the_title_tells_every_component() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2.0 * 2**20))
    device_of = np.array([0, 0, 1, 2, 2, 2], np.int32)
    values = problem.evaluate(device_of).values
    first = problem.bound("max-memory", values[0], "simple", frozenset())
    given = (("max-memory", values[0]),)
    second = problem.bound("dram", values[1] / 2, "simple", frozenset(), given=given)
    said = compose(problem, device_of, (800, 600), LIGHT, "lanes", bounds=[first, second]).subtitle
    assert "max memory 4.00 MiB, off-chip (DRAM) 2.00 MiB, max communication 240.0 KiB" in said
    assert "gap 50.0 % (off-chip (DRAM))" in said
    assert "gap" not in compose(problem, device_of, (800, 600), LIGHT, "lanes").subtitle


def test_without_a_plan(problem: Problem, tmp_path: Path) -> None:
    picture = compose(problem, None, (800, 600), LIGHT, "flow")
    assert picture.scene.k == 1
    assert picture.headers is None
    for suffix in ("png", "svg", "pdf"):
        save_picture(problem, None, tmp_path / f"graph.{suffix}", size=(400, 300))
        assert (tmp_path / f"graph.{suffix}").stat().st_size > 500


def test_folded_groups(problem: Problem, tmp_path: Path) -> None:
    view = GroupView((np.arange(24) // 6).astype(np.int32), tuple(f"stem {i}" for i in range(4)))
    file = tmp_path / "folded.svg"
    save_picture(problem, THIRDS, file, size=(900, 500), grouping=view, folded=frozenset({0, 2}))
    text = "".join(ElementTree.parse(file).getroot().itertext())
    assert "stem 2" in text
    assert "6 ops" in text


@pytest.mark.parametrize("file", ["plan.jpg", "plan", "plan.svgz"])
def test_other_endings_are_refused(problem: Problem, tmp_path: Path, file: str) -> None:
    with pytest.raises(StageboardError, match=r"\.png, \.svg or \.pdf"):
        save_picture(problem, THIRDS, tmp_path / file)
    assert list(tmp_path.glob("plan*")) == []


@pytest.mark.parametrize("size", [(0, 100), (100, 63), (20_000, 100), (-5, -5)])
def test_sizes_that_cannot_be_drawn_are_refused(
    problem: Problem, tmp_path: Path, size: tuple[int, int]
) -> None:
    with pytest.raises(StageboardError, match="cannot be drawn"):
        save_picture(problem, THIRDS, tmp_path / "plan.png", size=size)


def test_a_folder_that_is_not_there_is_named(problem: Problem, tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="nowhere"):
        save_picture(problem, THIRDS, tmp_path / "nowhere" / "plan.png", size=(400, 300))


def test_a_picture_far_out_is_an_overview(qapp, tmp_path: Path) -> None:
    problem = Problem(chain_graph(3000), Pipeline(4))
    picture = compose(problem, (np.arange(3000) // 750).astype(np.int32), (320, 240), LIGHT, "flow")
    assert picture.viewport.scale * 44 < 2.2
    for suffix in ("png", "svg"):
        save_picture(
            problem, (np.arange(3000) // 750).astype(np.int32), tmp_path / f"far.{suffix}", size=(320, 240)
        )
