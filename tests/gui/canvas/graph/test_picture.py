"""Pictures in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.canvas.graph import labels
from gui.canvas.graph.detail import Detail, detail_at
from gui.canvas.graph.labels import blank_share, tab_width
from gui.canvas.graph.palette import filled_palette
from gui.canvas.graph.picture.legend import BESIDE, Entry, _placed, paint_legend
from gui.canvas.graph.picture.part import Part
from gui.canvas.graph.picture.picture import MOST_BLANK, TITLE_HEIGHT, Picture, compose, draw_graph
from gui.canvas.graph.picture.shapes import are_numbered
from gui.canvas.graph.scene import STYLE
from gui.look.page import PRESETS, Page
from gui.look.theme import THEMES, Theme, contrast, ink_on
from gui.look.writing import CUT
from planner.errors import StageboardError
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import GroupView
from planner.model.samples import sample
from planner.problem.problem import Problem
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe

SAMPLES = Path(__file__).resolve().parents[4] / "sample_models"
SAMPLE = SAMPLES / "resnet50.json"
THIRDS = np.repeat(np.arange(3, dtype=np.int32), 8)


@pytest.fixture
def problem(qapp) -> Problem:
    return Problem(chain_graph(24), Pipeline(3))


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("view", ["flow", "lanes", "stages"])
class TestKinds:
    def test_png(self, problem: Problem, tmp_path: Path, view: str, theme: str) -> None:
        file = tmp_path / "plan.png"
        draw_graph(problem, THIRDS, Page((640, 480), theme=THEMES[theme]), view).save(file)
        image = QImage(str(file))
        assert (image.width(), image.height()) == (640, 480)
        assert image.pixelColor(3, 3).name() == THEMES[theme].panel
        colours = {image.pixel(x, y) for x in range(0, 640, 3) for y in range(TITLE_HEIGHT, 480, 3)}
        assert len(colours) > 20

    def test_svg(self, problem: Problem, tmp_path: Path, view: str, theme: str) -> None:
        file = tmp_path / "plan.svg"
        draw_graph(problem, THIRDS, Page((640, 480), theme=THEMES[theme]), view, "Thirds & more").save(file)
        root = ElementTree.parse(file).getroot()
        assert root.tag.endswith("svg")
        text = "".join(root.itertext())
        assert "Thirds & more" in text
        assert "bottleneck" in text
        if view != "flow":
            assert "tage 2" in text

    def test_pdf(self, problem: Problem, tmp_path: Path, view: str, theme: str) -> None:
        file = tmp_path / "plan.pdf"
        draw_graph(problem, THIRDS, Page((640, 480), theme=THEMES[theme]), view).save(file)
        data = file.read_bytes()
        assert data.startswith(b"%PDF-")
        assert data.rstrip().endswith(b"%%EOF")
        assert b"/MediaBox [0 0 480" in data


def test_the_title_says_how_good_the_plan_is(problem: Problem) -> None:
    cost = problem.evaluate(THIRDS).objective
    half = problem.bound("bottleneck", cost / 2, "test", frozenset())
    picture = compose(problem, THIRDS, Page((800, 600)), "flow", bounds=[half])
    assert picture.title == "chain"
    assert "24 ops" in picture.subtitle
    assert "gap ≤ 50" in picture.subtitle
    assert "valid" in picture.subtitle
    assert "estimated" not in picture.subtitle, "its times are the file's"
    unet = Problem(read_model(sample("unet.onnx")), Pipeline(2))
    halves = np.arange(unet.graph.n, dtype=np.int32) * 2 // unet.graph.n
    assert ", estimated" in compose(unet, halves, Page((800, 600)), "flow").subtitle
    broken = compose(problem, THIRDS[::-1].copy(), Page((800, 600)), "flow")
    assert "violation" in broken.subtitle
    assert broken.scene.violating.any()


def test_the_title_tells_every_component() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2.0 * 2**20))
    device_of = np.array([0, 0, 1, 2, 2, 2], np.int32)
    values = problem.evaluate(device_of).values
    first = problem.bound("max-memory", values[0], "simple", frozenset())
    given = (("max-memory", values[0]),)
    second = problem.bound("dram", values[1] / 2, "simple", frozenset(), given=given)
    said = compose(problem, device_of, Page((800, 600)), "lanes", bounds=[first, second]).subtitle
    assert "max memory 4.00 MiB, off-chip (DRAM) 2.00 MiB, max communication 240.0 KiB" in said
    assert "gap ≤ 50.0 % (off-chip (DRAM))" in said
    assert "gap" not in compose(problem, device_of, Page((800, 600)), "lanes").subtitle


def test_without_a_plan(problem: Problem, tmp_path: Path) -> None:
    picture = compose(problem, None, Page((800, 600)), "flow")
    assert picture.scene.k == 1
    assert picture.headers is None
    for suffix in ("png", "svg", "pdf"):
        draw_graph(problem, None, Page((400, 300))).save(tmp_path / f"graph.{suffix}")
        assert (tmp_path / f"graph.{suffix}").stat().st_size > 500


def test_folded_groups(problem: Problem, tmp_path: Path) -> None:
    view = GroupView((np.arange(24) // 6).astype(np.int32), tuple(f"stem {i}" for i in range(4)))
    file = tmp_path / "folded.svg"
    draw_graph(problem, THIRDS, Page((900, 500)), grouping=view, folded=frozenset({0, 2})).save(file)
    text = "".join(ElementTree.parse(file).getroot().itertext())
    assert "stem 2" in text
    assert "6 ops" in text


@pytest.mark.parametrize("file", ["plan.jpg", "plan", "plan.svgz"])
def test_other_endings_are_refused(problem: Problem, tmp_path: Path, file: str) -> None:
    with pytest.raises(StageboardError, match=r"\.png, \.svg or \.pdf"):
        draw_graph(problem, THIRDS).save(tmp_path / file)
    assert list(tmp_path.glob("plan*")) == []


def test_a_folder_that_is_not_there_is_named(problem: Problem, tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="nowhere"):
        draw_graph(problem, THIRDS, Page((400, 300))).save(tmp_path / "nowhere" / "plan.png")


def test_a_picture_far_out_is_an_overview(qapp, tmp_path: Path) -> None:
    problem = Problem(chain_graph(3000), Pipeline(4))
    picture = compose(problem, (np.arange(3000) // 750).astype(np.int32), Page((320, 240)), "flow")
    assert picture.viewport.scale * 44 < 2.2
    for suffix in ("png", "svg"):
        plan = (np.arange(3000) // 750).astype(np.int32)
        draw_graph(problem, plan, Page((320, 240))).save(tmp_path / f"far.{suffix}")


def test_the_legend_names_each_device_that_has_ops(problem: Problem) -> None:
    plan = np.where(THIRDS == 1, 2, THIRDS).astype(np.int32)
    picture = compose(problem, plan, Page((800, 600)), "flow")
    entries = [entry for line in picture.legend.lines for entry in line]
    assert [entry.name for entry in entries] == ["Stage 0", "Stage 2"]
    assert [entry.end for entry in entries] == ["", "bottleneck"]
    assert [entry.worst for entry in entries] == [False, True]
    narrow = compose(problem, plan, Page((200, 600)), "flow")
    assert len(narrow.legend.lines) == 2 and narrow.top > picture.top
    for view in ("lanes", "stages"):
        assert compose(problem, plan, Page((800, 600)), view).legend.lines == ()
    assert compose(problem, None, Page((800, 600)), "flow").legend.lines == ()
    by_bytes = Problem(tpu_graph(), EdgeTpuPipeline(2))
    for objective, word in (("memory-1-2-3", "fullest"), ("inference-time", "bottleneck")):
        told = compose(
            replace(by_bytes, objective=objective),
            np.array([0, 0, 0, 1, 1, 1], np.int32),
            Page((800, 600)),
            "flow",
        )
        assert {entry.end for line in told.legend.lines for entry in line} == {"", word}


@pytest.mark.parametrize(("size", "numbered"), [((1600, 1000), True), ((300, 120), False)])
def test_the_legend_has_numbers_where_cards_have(
    problem: Problem, size: tuple[int, int], numbered: bool
) -> None:
    picture = compose(
        problem, np.arange(problem.graph.n, dtype=np.int32) * 2 // problem.graph.n, Page(size), "flow"
    )
    scale = picture.viewport.scale if numbered else 0.1
    picture.viewport.scale = scale
    detail = detail_at(STYLE.card_h * scale)
    assert are_numbered(picture.viewport, picture.palette, detail, 0.0) == numbered
    assert not are_numbered(picture.viewport, picture.palette, detail, 1e3), "in letters that are left out"
    scribe = Scribe(400, 100)
    paint_legend(scribe, picture.legend, picture.palette, 0.0, numbered)
    scribe.end()
    written = [text for _, text in scribe.written]
    codes = [picture.palette.code(d) for d in range(2)]
    assert [code in written for code in codes] == [numbered] * 2


def test_the_legend_of_a_heat_map_has_no_colours_that_no_card_has() -> None:
    for devices, named in ((4, 4), (36, 2)):
        problem = Problem(chain_graph(360), Pipeline(devices))
        plan = (np.arange(360) * devices // 360).astype(np.int32)
        picture = compose(problem, plan, PRESETS["slide"], "flow", colouring="time")
        entries = [entry for line in picture.legend.lines for entry in line]
        assert not picture.legend.marked and len(entries) == named and all(e.name and e.cost for e in entries)
        image = QImage(*PRESETS["slide"].pixels, QImage.Format.Format_RGB32)
        image.fill(0xFFFFFF)
        painter = QPainter(image)
        paint_legend(painter, picture.legend, picture.palette, 0.0)
        painter.end()
        accents = {QColor(colour.accent).rgb() for colour in picture.palette.devices}
        seen = np.frombuffer(image.constBits(), np.uint32)
        assert not accents & set(np.unique(seen).tolist())


def test_a_legend_of_many_devices_leaves_the_slide_to_the_graph() -> None:
    """Where names and costs of all take too much of the page, only the bottleneck and the device that costs least say theirs."""
    slide, wide = PRESETS["slide"], Page((1600, 1000))
    told = {}
    for devices in (4, 20, 36):
        problem = Problem(chain_graph(360), Pipeline(devices))
        plan = (np.arange(360) * devices // 360).astype(np.int32)
        picture = compose(problem, plan, slide, "flow")
        entries = [entry for line in picture.legend.lines for entry in line]
        assert [entry.device for entry in entries] == list(range(devices))
        assert picture.legend.height <= 0.27 * slide.room[1]
        told[devices] = (
            [bool(e.name) for e in entries],
            [bool(e.cost) for e in entries],
            [e.end for e in entries],
        )
        paint = [
            entry.left + entry.width - BESIDE for entry in entries
        ]  # nothing stands behind the last word
        assert max(paint) <= slide.room[0] - 16.0
    assert all(told[4][0])
    assert sum(told[20][0]) == 1 and all(told[20][1])
    assert sum(told[36][0]) == sum(told[36][1]) == 2 and sorted(told[36][2])[-2:] == ["bottleneck", "least"]
    on_sheet = compose(problem, plan, wide, "flow").legend
    assert all(entry.name for line in on_sheet.lines for entry in line)


@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_a_small_graph_fills_a_large_page(problem: Problem, view: str) -> None:
    """Cards and words grow with a page on which nothing but the largest scale of cards would leave most of it empty."""
    page = Page((3840, 2160))
    picture = compose(problem, THIRDS, page, view)
    drawing = draw_graph(problem, THIRDS, page, view)
    assert drawing.page.pixels == (3840, 2160) and drawing.page.type_size > 1.5
    grown = compose(problem, THIRDS, drawing.page, view)

    def filled(shown: Picture) -> float:
        view = shown.viewport
        _, _, wide, high = shown.scene.layout.bounds
        room = (view.width - view.left - 20, view.height - 20)
        return max(wide * view.scale / room[0], high * view.scale / room[1])

    assert filled(grown) > max(0.9, filled(picture))
    assert grown.viewport.scale * drawing.page.type_size > 1.5 * picture.viewport.scale
    for left_alone in (PRESETS["slide"], Page((1600, 1000), crop=True)):
        assert draw_graph(problem, THIRDS, left_alone, view).page.type_size == left_alone.type_size


@pytest.mark.parametrize(
    ("preset", "view", "model"),
    [("slide", "lanes", "unet.onnx"), ("column", "flow", "unet.onnx"), ("column", "lanes", "xception.json")],
)
def test_a_name_that_does_not_fit_its_card_is_cut_in_it(qapp, preset: str, view: str, model: str) -> None:
    """Below the card it would lie on connections and near other cards; and a card has a name where two letters of it have room."""
    problem = Problem(read_model(sample(model)), DevicePool(2, 1))
    plan = np.empty(problem.graph.n, np.int32)
    plan[problem.graph.topological_order] = np.arange(problem.graph.n) * 3 // problem.graph.n
    picture = compose(problem, plan, PRESETS[preset], view)
    scene, seen = picture.scene, picture.viewport
    scribe = Scribe(*picture.size)
    labels.paint_labels(scribe, scene, seen, picture.palette, Detail.LABELS, 1.0, least=picture.least)
    scribe.end()
    cards = [
        QRectF(*seen.to_pixels(float(x), float(y)), float(w) * seen.scale, float(h) * seen.scale)
        for x, y, w, h in zip(scene.x, scene.y, scene.w, scene.h, strict=True)
    ]
    assert scribe.written
    for box, words in scribe.written:
        assert any(card.adjusted(-1, -1, 3, 1).contains(box) for card in cards)
        assert words.strip(CUT) or box.width() < 3.5 * picture.least, "blank, though two letters have room"


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_words_on_filled_cards_can_be_read(theme: Theme) -> None:
    palette = filled_palette(theme, 36)
    for d, body in enumerate(palette.body.tolist()):
        assert contrast(theme.text, f"#{body & 0xFFFFFF:06x}") >= 4.5
        accent = palette.devices[d].accent
        assert contrast(ink_on(accent, theme), accent) >= 4.5
    assert (
        tab_width(palette) > tab_width(filled_palette(theme, 8)) > tab_width(filled_palette(theme, 1)) == 0.0
    )


def test_a_transparent_page_has_no_ground(problem: Problem) -> None:
    for view in ("flow", "lanes", "stages"):
        image = QImage.fromData(
            draw_graph(problem, THIRDS, Page((640, 480), transparent=True), view).file(".png")
        )
        assert image.pixelColor(630, 2).alpha() == 0
        solid = QImage.fromData(draw_graph(problem, THIRDS, Page((640, 480)), view).file(".png"))
        assert solid.pixelColor(630, 2).alpha() == 255


def test_a_cropped_page_ends_below_the_graph(problem: Problem) -> None:
    page = draw_graph(problem, THIRDS, Page((1600, 1000), crop=True)).page
    assert page.pixels[0] == 1600 and page.pixels[1] < 1000
    assert draw_graph(problem, THIRDS, Page((1600, 1000))).page.pixels == (1600, 1000)


def test_finer_pages_show_the_same_with_more_pixels(problem: Problem) -> None:
    coarse, fine = Page((400, 300)), Page((800, 600), dpi=192)
    assert fine.room == coarse.room
    sizes = {
        draw_graph(problem, THIRDS, page).file(".pdf").split(b"/MediaBox")[1][:20] for page in (coarse, fine)
    }
    assert len(sizes) == 1, "a drawing is as large as its inches, whatever a dot is"


def test_stages_and_what_flows_between_them(problem: Problem) -> None:
    data = draw_graph(problem, THIRDS, Page((900, 500)), "stages").file(".svg")
    words = "".join(ElementTree.fromstring(data).itertext())
    assert all(f"Stage {d}" in words for d in range(3)) and "8 ops" in words


def test_a_part_is_laid_out_as_in_the_window(problem: Problem) -> None:
    whole = compose(problem, THIRDS, Page((900, 500)), "flow")
    x, y, wide, high = whole.scene.layout.bounds
    part = compose(
        problem, THIRDS, Page((900, 500)), "flow", part=Part(whole.scene, (x, y, wide / 3, high / 3))
    )
    assert part.viewport.scale > whole.viewport.scale
    assert part.scene.layout is whole.scene.layout


def test_a_column_folds_groups_rather_than_leave_ops_without_a_name(qapp: object) -> None:
    graph = read_model(SAMPLES / "resnet50.json")
    problem = Problem(graph, Pipeline(4))
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * 4 // graph.n
    picture = compose(problem, device_of, PRESETS["column"], "lanes")
    assert len(picture.scene.x) < graph.n
    assert blank_share(picture.scene, picture.viewport, picture.palette, picture.least) <= MOST_BLANK


@pytest.mark.parametrize("share", [0.3, 0.43, 0.61])
def test_a_part_cuts_no_card(problem: Problem, share: float) -> None:
    """Cards and rows that are partly in sight are left out where others fill the picture."""
    whole = compose(problem, THIRDS, Page((700, 500)), "flow").scene
    x, y, wide, high = whole.layout.bounds
    part = compose(problem, THIRDS, Page((700, 500)), "flow", part=Part(whole, (x, y, wide * share, high)))
    assert part.seen is not None
    left, top, right, bottom = (
        part.seen[0],
        part.seen[1],
        part.seen[0] + part.seen[2],
        part.seen[1] + part.seen[3],
    )
    touched = whole.in_sight(part.seen)
    assert touched.any() and not touched.all()
    assert (whole.x[touched] >= left).all() and ((whole.x + whole.w)[touched] <= right).all()
    assert (whole.y[touched] >= top).all() and ((whole.y + whole.h)[touched] <= bottom).all()


def test_four_devices_share_the_line_of_a_legend_that_has_room_for_them(qapp) -> None:
    """One that says more than the others takes no second column then."""
    picture = compose(
        Problem(chain_graph(40), Pipeline(4)),
        np.repeat(np.arange(4, dtype=np.int32), 10),
        PRESETS["slide"],
        "flow",
    )
    assert len(picture.legend.lines) == 1
    ends = [entry.left + entry.width for entry in picture.legend.lines[0]]
    assert all(end <= entry.left for end, entry in zip(ends[:-1], picture.legend.lines[0][1:], strict=True))


def test_names_of_ops_stand_on_their_cards_on_a_slide(qapp) -> None:
    """Wider cards where some would have no room for theirs."""
    ops = [
        Op(f"n{i}", f"op{i}", kind, work=1.0, work_cpu=1.0)
        for i, kind in enumerate(["Where", "Expand", "Add", "Tanh"] * 10)
    ]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 4.0, time=1.0) for i in range(39)]
    problem = Problem(Graph.build("kinds", ops, tensors, time_unit=None), Pipeline(2))
    picture = compose(problem, np.repeat(np.arange(2, dtype=np.int32), 20), PRESETS["slide"], "flow")
    assert picture.detail >= Detail.LABELS
    assert blank_share(picture.scene, picture.viewport, picture.palette, picture.least) == 0.0


def test_devices_without_ops_are_one_band(qapp) -> None:
    """Of a picture in lanes, below the others; one such device keeps its lane."""
    graph = chain_graph(24)
    for idle, banded in ((1, False), (5, True)):
        problem = Problem(graph, Pipeline(3 + idle))
        picture = compose(problem, THIRDS + 1, PRESETS["slide"], "lanes")
        heights = [lane.band[3] for lane in picture.scene.layout.lanes]
        assert (picture.scene.layout.rest is not None) == banded
        assert [high > 0 for high in heights[1:4]] == [True] * 3
        assert heights[0] == 0.0 and heights[4:] == [0.0] * (idle - 1) if banded else all(heights)
        assert picture.headers is not None
        assert picture.headers.unused == (f"{idle} stages unused" if banded else "")
        file = draw_graph(problem, THIRDS + 1, PRESETS["slide"], "lanes").file(".svg")
        assert (b"5 stages unused" in file) == banded


def test_a_legend_in_lines_leaves_none_nearly_empty() -> None:
    """Three beside one another and one alone below would have gaps as wide as entries between them."""
    entries = [Entry(d, f"Stage {d}", "1 ms", "", 130.0) for d in range(4)]
    entries[1] = Entry(1, "Stage 1", "4 ms", "bottleneck", 210.0, True)
    found = _placed(entries, 630.0)
    assert [[entry.device for entry in line] for line in found.lines] == [[0, 1], [2, 3]]
    alone = _placed(entries, 700.0)
    assert [[entry.device for entry in line] for line in alone.lines] == [[0, 1, 2, 3]]
