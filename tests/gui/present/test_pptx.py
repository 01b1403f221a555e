"""PowerPoint slides, read again: what is native text, what is a picture, and that nothing is left where it fails."""

from __future__ import annotations

import builtins
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pptx import Presentation
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT, THEMES, numbered_colours
from gui.present.captions import Run
from gui.present.comparison.making import comparison_of
from gui.present.export.export import ExportOptions, export_story, fitted, format_of
from gui.present.export.pptx import MOST_LINES, legend_entries, legend_of, write_pptx
from gui.present.frames import pixels_of
from gui.present.shots import Shots
from gui.present.show import Show
from gui.present.transition.legend import _devices
from gui.present.transition.transition import Shot
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.story.keyframe import Keyframe
from planner.story.story import Resolved
from tests.gui.mcm_models import row_graph
from tests.gui.present.talks import even, graph_members, network_talk, resolved, talk


def noted(kind: str = "pipeline") -> Resolved:
    made = talk(kind)
    first, *others = made.story.keyframes
    frames = (replace(first, notes="Greet them.\nThen wait."), *others)
    return replace(made, story=replace(made.story, keyframes=frames))


def quiet(done: int, of: int) -> None:
    """Nobody watches."""


def words_of(slide: Any) -> dict[str, str]:
    return {shape.name: shape.text_frame.text for shape in slide.shapes if shape.has_text_frame}


@pytest.fixture(scope="module", name="deck")
def _deck(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("deck") / "talk.pptx"
    write_pptx(noted(), path, "light", quiet)
    return Presentation(str(path))


def test_what_a_model_is_for_is_whole_beside_many_figures(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = "Device pool, 2 accelerators + 1 CPU, each with 64.00 MiB"
    monkeypatch.setattr(Shots, "target", lambda *_: target)
    monkeypatch.setattr(Shots, "figures", lambda *_: [Run("max load 2.58 ms", "#112233", True)] * 6)
    path = tmp_path / "long.pptx"
    write_pptx(noted(), path, "light", quiet)
    slide = Presentation(str(path)).slides[1]
    boxes = {shape.name: shape for shape in slide.shapes if shape.has_text_frame}
    assert boxes["Model and target"].text_frame.text.endswith(target)
    second = boxes["Model and target"].top + boxes["Model and target"].height / 2
    assert boxes["Figures"].top + boxes["Figures"].height <= second + 2, (
        "above the line that it has for itself"
    )


def test_a_slide_has_its_words_as_text(deck: Any) -> None:
    assert len(deck.slides) == 7
    assert (deck.slide_width, deck.slide_height) == (12_192_000, 6_858_000)  # 13.33 x 7.5 inches
    slide = deck.slides[1]
    assert slide.shapes.title.text == "Costs"
    words = words_of(slide)
    assert words["Caption"] == "What each device pays." and "bottleneck" in words["Figures"]
    assert words["Model and target"].endswith("Pipeline, 3 stages")
    entries = [text for name, text in words.items() if name.startswith("Legend")]
    assert (
        len(entries) == 3
        and entries[0].startswith("Stage 0  ")
        and any("bottleneck" in entry for entry in entries)
    )
    assert sum(shape.name.startswith("Mark of") for shape in slide.shapes) == 3
    sizes = [
        run.font.size.pt
        for shape in slide.shapes
        if shape.has_text_frame
        for p in shape.text_frame.paragraphs
        for run in p.runs
    ]
    assert min(sizes) >= 12 and max(sizes) >= 24
    for shape in slide.shapes:
        assert shape.left >= 0 and shape.left + shape.width <= deck.slide_width, shape.name
        assert shape.top >= 0 and shape.top + shape.height <= deck.slide_height, shape.name


def test_notes_are_the_speakers(deck: Any) -> None:
    assert deck.slides[0].notes_slide.notes_text_frame.text == "Greet them.\nThen wait."
    assert not deck.slides[1].has_notes_slide


def test_the_canvas_is_a_drawing_with_pixels_beside_it(deck: Any) -> None:
    pictures = {shape.name: shape for shape in deck.slides[1].shapes if shape.shape_type == 13}
    assert set(pictures) == {"Canvas", "Panel"}
    canvas = pictures["Canvas"]
    assert canvas.image.content_type == "image/png"
    assert canvas._element.nvPicPr.cNvPr.get("descr").startswith("2 of 7: Costs. ")
    blip = canvas._element.find(".//{*}svgBlip")
    part = deck.slides[1].part.related_part(blip.values()[0])
    assert part.content_type == "image/svg+xml" and b"<text" in part.blob
    assert b"bottleneck" not in part.blob  # the legend is native, and there once
    drawn = QSvgRenderer(QByteArray(part.blob))
    raster = QImage.fromData(canvas.image.blob)
    size = drawn.viewBoxF()
    assert raster.width() == pytest.approx(2 * size.width(), abs=2) and raster.height() == pytest.approx(
        2 * size.height(), abs=2
    )
    image = QImage(raster.size(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    drawn.render(painter)
    painter.end()
    blank = QImage(raster.size(), QImage.Format.Format_RGB32)
    blank.fill(raster.pixel(4, 4))
    assert unlike(image, raster) < 0.5 * unlike(blank, raster)


def unlike(one: QImage, other: QImage) -> float:
    """How much two pictures differ, seen from afar."""
    seen = [
        pixels_of(image.scaled(60, 36, mode=Qt.TransformationMode.SmoothTransformation))
        .view(np.uint8)
        .astype(np.int64)
        for image in (one, other)
    ]
    return float(np.abs(seen[0] - seen[1]).mean())


def test_a_certificate_is_a_table(deck: Any) -> None:
    slide = deck.slides[6]
    tables = {shape.name: shape.table for shape in slide.shapes if shape.has_table}
    components = [[cell.text for cell in row.cells] for row in tables["Components"].rows]
    assert components[0] == ["", "this plan", "at least", "gap"] and components[1][0] == "Bottleneck"
    facts = {row.cells[0].text: row.cells[1].text for row in tables["How to check it"].rows}
    assert facts["Target"].startswith("pipeline:3") and "ops" in facts["Model"]
    assert "gap" in words_of(slide)["Verdict"]
    assert not [shape for shape in slide.shapes if shape.shape_type == 13]


def test_colours_are_those_of_the_theme(qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("light", "dark"):
        write_pptx(talk(), tmp_path / "a.pptx", name, quiet)
        with zipfile.ZipFile(tmp_path / "a.pptx") as archive:
            theme = archive.read("ppt/theme/theme1.xml").decode()
        colours = THEMES[name]
        assert f'<a:dk1><a:srgbClr val="{colours.text[1:]}"/>' in theme
        assert f'<a:lt1><a:srgbClr val="{colours.panel[1:]}"/>' in theme


def test_the_same_story_gives_the_same_bytes(qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export_story(noted("mcm"), tmp_path / f"{name}.pptx")
    assert (tmp_path / "a.pptx").read_bytes() == (tmp_path / "b.pptx").read_bytes()


def test_an_order_has_slides_without_a_legend(qtbot: QtBot, tmp_path: Path) -> None:
    done = export_story(network_talk(), tmp_path / "a.pptx")
    assert done.count == 6 and "(6 slides, " in done.sentence
    words = words_of(Presentation(str(tmp_path / "a.pptx")).slides[1])
    assert "Figures" in words and not any(name.startswith("Legend") for name in words)


def test_a_legend_of_many_names_the_slowest(qtbot: QtBot) -> None:
    plan = talk("mcm").plans[0]
    assert isinstance(plan, Plan)
    entries = [
        replace(legend_entries(plan)[0], colour=d, name=f"Chip {d}", pace=float(d % 10)) for d in range(36)
    ]
    legend = legend_of(entries, 1000.0)
    named = [entry for line in legend.lines for _, entry in line]
    assert len(legend.lines) == MOST_LINES and len(named) + legend.left_out == 36 and legend.left_out > 0
    assert min(entry.pace for entry in named) >= max(e.pace for e in entries if e not in named)
    assert [entry.colour for entry in named] == sorted(entry.colour for entry in named)
    assert legend_of(entries[:2], 1000.0).left_out == 0 and legend_of([], 1000.0).lines == ()


def test_nothing_is_left_of_a_cancel_or_a_failure(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Cancelled):
        export_story(talk(), tmp_path / "a.pptx", stopped=lambda: True)
    assert not list(tmp_path.iterdir())
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "pptx":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(StageboardError, match=r"pip install python-pptx"):
        export_story(talk(), tmp_path / "a.pptx")
    assert not list(tmp_path.iterdir())


def test_slides_have_one_size() -> None:
    options, notes = fitted(format_of(Path("a.pptx")), ExportOptions(size=(640, 400)))
    assert options.size == (1280, 720) and "--size is left aside" in notes[0]


def test_comparisons_have_the_line_and_the_legend_of_their_picture(qapp: Any, tmp_path: Path) -> None:
    two, three = (Problem(row_graph(12), Pipeline(k)) for k in (2, 3))
    plans = [
        two.plan(even(12, 2), Provenance("a"), "two"), three.plan(even(12, 3), Provenance("b"), "three")
    ]  # fmt: skip
    ways = [
        Keyframe(way, "", 1, "comparison", versus=0, comparison=way, layout=layout)
        for way, layout in (("side-by-side", "lanes"), ("sankey", "flow"), ("overlay", "flow"))
    ]
    told = resolved([(plan, ()) for plan in plans], *ways)
    path = tmp_path / "compared.pptx"
    write_pptx(told, path, "light", quiet)
    comparison = comparison_of(told, ways[0])
    show = Show(told, THEMES["light"], (640, 360))
    colours = numbered_colours(comparison.numbers, THEMES["light"])
    for i, slide in enumerate(Presentation(str(path)).slides):
        words = words_of(slide)
        if "Figures" not in words:
            continue
        assert [part for part in ("A ", "B ") if part in words["Figures"]] == ["A ", "B "]
        assert words["Model and target"].endswith(show.shots.target(i))
        marks = [shape for shape in slide.shapes if shape.name.startswith("Mark of")]
        if i == 2:
            assert not marks, "the picture of a flow names the devices itself"
            continue
        found = {shape.name.removeprefix("Mark of "): str(shape.fill.fore_color.rgb) for shape in marks}
        assert found == {
            comparison.row_title(row): colour.accent.removeprefix("#").upper()
            for row, colour in enumerate(colours)
        }


def test_a_legend_calls_the_device_that_holds_most_the_fullest() -> None:
    for kind, word in (("edge-tpu", "fullest"), ("pipeline", "bottleneck")):
        plan = graph_members(kind)[0][0]
        entries = legend_entries(plan)
        assert sorted({entry.worst for entry in entries}) == ["", word]
        told = Show(resolved([(plan, ())], Keyframe("Flow", "", 0)), LIGHT, (640, 400)).shots.shot(0)
        assert isinstance(told, Shot)
        headers = told.stage.headers
        assert headers is not None
        words = [word for entry in _devices(told.stage.scene, headers) for word, _ in entry.words]
        assert words.count(word) == 1


def test_a_deck_says_nothing_of_the_template_that_it_was_made_from(deck: Any) -> None:
    about = deck.core_properties
    assert about.created is None and about.modified is None and about.comments == ""
    assert about.title and about.author == "Stageboard"
    assert deck.part._element.sldSz.get("type") is None
    app = next(part for part in deck.part.package.iter_parts() if part.partname == "/docProps/app.xml")
    assert b"4:3" not in app.blob
