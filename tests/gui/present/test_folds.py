"""Keyframes that fold groups: their cards, the way between two that fold others, and files of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of, parts_of
from gui.canvas.graph.scene import STYLE, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.look.theme import DARK, LIGHT
from gui.present.comparison.canvases import CanvasesShot
from gui.present.comparison.overlay import OverlayShot
from gui.present.html.page import page_of
from gui.present.panels.overlays import group_facts
from gui.present.show import Show
from gui.present.transition.looks import detail_of
from gui.present.transition.marks import label_words
from gui.present.transition.paint import all_standing_out, paint_block_names
from gui.present.transition.parting import Parting, boxes_of
from gui.present.transition.transition import Shot
from planner.machines.pipeline.target import Pipeline
from planner.model.groups import numbered
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.story.folded import FoldedGroup
from planner.story.keyframe import Keyframe
from tests.gui.models import chain_graph
from tests.gui.present.talks import Member, even, resolved
from tests.gui.scribe import Scribe

pytestmark = pytest.mark.usefixtures("qapp")

ROOT = Path(__file__).resolve().parents[3]
N = 24
BLOCKS = tuple(FoldedGroup(f"block{i}", f"{3 * i}-{3 * i + 2}") for i in range(N // 3))
"""Every group of the graph. Both plans part the ops in thirds: blocks 2 and 5 of the first are on two devices, block 2 of the second."""


def members() -> list[Member]:
    problem = Problem(chain_graph(N), Pipeline(3))
    plans = [problem.plan(even(N, 3, shift), Provenance("hand"), f"by {shift}") for shift in (0, 1)]
    return [(plan, ()) for plan in plans]


def show_of(*keyframes: Keyframe, size: tuple[int, int] = (800, 500), theme: Any = LIGHT) -> Show:
    return Show(resolved(members(), *keyframes), theme, size)


def at_rest(show: Show, index: int) -> np.ndarray:
    return pixels(show, index, index, 1.0)


def pixels(show: Show, first: int, second: int, share: float) -> np.ndarray:
    """The stage of a frame (int[height, width, 3])."""
    image = QImage(*show.size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    show.paint_between(painter, first, second, share)
    painter.end()
    stage = show.places.stage
    found = np.frombuffer(image.constBits(), np.uint8).reshape(show.size[1], show.size[0], 4)
    return found[int(stage.top()) : int(stage.bottom()), :, :3].astype(int)


def differ(one: np.ndarray, other: np.ndarray) -> float:
    """The share of pixels that look otherwise."""
    return float((np.abs(one - other).max(axis=2) > 40).mean())


def shot_of(show: Show, index: int) -> Shot:
    shot = show.shots.shot(index)
    assert isinstance(shot, Shot)
    return shot


# ---------------------------------------------------------------------- cards
@pytest.mark.parametrize(("view", "plan", "cards"), [("flow", 1, 8), ("lanes", 0, 10), ("lanes", 1, 9), ("stages", 1, 9)])  # fmt: skip
def test_folded_groups_are_a_card_each(view: str, plan: int, cards: int) -> None:
    """Where devices have areas, one on each device that shares the group."""
    show = show_of(Keyframe("", "", plan, view, folded=BLOCKS))
    scene = shot_of(show, 0).stage.scene
    assert scene.items.count == cards and set(scene.items.names) == {group.name for group in BLOCKS}
    assert scene.mixed.any() == (view == "flow")
    assert differ(at_rest(show, 0), at_rest(show_of(Keyframe("", "", plan, view)), 0)) > 0.005


def test_flows_of_plans_that_fold_alike_share_their_places() -> None:
    show = show_of(*(Keyframe("", "", plan, folded=BLOCKS) for plan in (0, 1)))
    one, other = (shot_of(show, i).stage.scene for i in (0, 1))
    assert one.items is other.items and one.layout is other.layout
    assert show.moved(0, 1).tolist() == [7, 15], "ops, not cards"


def test_a_group_that_several_devices_share_says_so() -> None:
    """A bar in their colours, in pixels as in shapes."""
    show = show_of(Keyframe("", "", 0, folded=BLOCKS))
    scene = shot_of(show, 0).stage.scene
    assert sorted({scene.items.names[i] for i in scene.splits.item.tolist()}) == ["block2", "block5"]
    plain = at_rest(show, 0)
    scene.splits = scene.splits.__class__(*(values[:0] for values in vars(scene.splits).values()))
    show.stage.kept._kept.clear()
    assert differ(plain, at_rest(show, 0)) > 0.0002


def test_a_group_that_stands_out_is_called_by_its_name() -> None:
    ops = tuple(f"n{i}" for i in range(3, 6))
    show = show_of(Keyframe("", "", 0, folded=BLOCKS, highlight=ops), Keyframe("", "", 0, highlight=ops))
    shot = shot_of(show, 0)
    assert np.flatnonzero(shot.standing_out).tolist() == [1] and len(shot.marks.ops) == 1
    assert label_words(shot.stage.scene, int(shot.marks.ops[0])) == "block1"
    assert len(shot_of(show, 1).marks.ops) == 3


def test_from_afar_ops_beside_groups_have_names_where_they_have_room() -> None:
    """As groups have; where nothing is folded, nothing has."""
    for folded, some in ((BLOCKS[:3], True), ((), False)):
        stage = shot_of(show_of(Keyframe("", "", 0, folded=folded)), 0).stage
        for high, room in ((24.0, some), (10.0, False)):
            scale = high / STYLE.card_h
            assert detail_of(high) == Detail.BLOCKS
            scribe = Scribe(900, 700)
            view = Viewport(900, 700, scale)
            paint_block_names(scribe, all_standing_out(stage.scene), view, stage.palette, 1.0)
            scribe.end()
            ops = [text for _, text in scribe.written if not text.startswith("bl")]
            assert len(ops) == (stage.scene.items.count - 3) * room


def test_a_stage_that_is_named_lights_the_groups_that_have_its_ops() -> None:
    show = show_of(Keyframe("Stage 0 is named", "", 0, folded=BLOCKS))
    assert np.flatnonzero(shot_of(show, 0).standing_out).tolist() == [0, 1, 2]


def test_pointing_at_a_group_tells_of_all_its_ops() -> None:
    show = show_of(Keyframe("", "", 1, folded=BLOCKS))
    plan = show.shots.plan(0)
    assert isinstance(plan, Plan)
    for op in range(N):
        assert show.op_at(0, show.stage.op_rect(0, op).center()) == op - op % 3
    ops, name = show.stage.card_of(0, 7)
    assert ops.tolist() == [6, 7, 8] and name == "block2"
    work = float(plan.problem.evaluator.work_on(plan.decision.device_of)[6:9].sum())
    assert (
        dict(group_facts(plan, ops))["on"] == "2 stages"
        and dict(group_facts(plan, ops))["work"] == f"{work:.2f}"
    )
    assert dict(group_facts(plan, ops[1:]))["on"] == "Stage 1"


@pytest.mark.parametrize("layout", ["flow", "lanes"])
def test_comparisons_draw_what_is_folded(layout: str) -> None:
    compared = {"versus": 0, "layout": layout, "folded": BLOCKS}
    show = show_of(
        Keyframe("", "", 1, "comparison", comparison="overlay", share=0.5, **compared),
        Keyframe("", "", 1, "comparison", comparison="side-by-side", **compared),
        Keyframe("", "", 1, "comparison", comparison="overlay", share=0.5, versus=0, layout=layout),
    )
    overlay, canvases, plain = (show.shots.shot(i) for i in range(3))
    assert (
        isinstance(overlay, OverlayShot)
        and isinstance(canvases, CanvasesShot)
        and isinstance(plain, OverlayShot)
    )
    cards = 8 if layout == "flow" else 11
    assert overlay.over.first.items.count == overlay.over.second.items.count == cards
    assert {canvas.picture.scene.items.count for canvas in canvases._canvases} == {cards}
    assert not overlay.like(plain), "the slider does not go on over other cards"
    assert all(differ(at_rest(show, 2), at_rest(show, i)) > 0.005 for i in (0, 1))


# ---------------------------------------------------------------------- the way between two
def drawn_groups() -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 3), min_size=12, max_size=12)


@settings(max_examples=40, deadline=None)
@given(drawn_groups(), drawn_groups(), st.sampled_from(["flow", "lanes"]))
def test_parts_are_of_one_card_of_either(one: list[int], other: list[int], view: str) -> None:
    graph, device_of = chain_graph(), even(12, 3)
    scenes = [
        scene_of(items_of(graph, numbered(labels), frozenset({0, 1}), () if view == "flow" else (device_of,)), view, device_of, 3, (800, 600))
        for labels in (one, other)
    ]  # fmt: skip
    parting = Parting(*scenes)
    pairs = {(int(a), int(b)) for a, b in zip(*(scene.items.item_of for scene in scenes), strict=True)}
    assert parting.items.count == len(pairs)
    for scene, side, parts in zip(scenes, parting.sides, parting.parts, strict=True):
        assert [int(side.card[part]) for part in parting.items.item_of] == scene.items.item_of.tolist()
        # Whole cards are parts where they are, the others have theirs inside.
        own, boxes = boxes_of(scene)[:, side.card], boxes_of(parts)
        whole = side.whole[side.card]
        assert np.allclose(own[:, whole], boxes[:, whole])
        assert (boxes[:2] >= own[:2] - 1e-6).all() and (boxes[2:] <= own[2:] + 1e-6).all()
        # Every edge between two cards is an edge of parts, and one of these draws it.
        edges = set(zip(scene.items.edge_src.tolist(), scene.items.edge_dst.tolist(), strict=True))
        found = {
            (int(side.card[u]), int(side.card[v])) for u, v in zip(parting.items.edge_src, parting.items.edge_dst, strict=True)
        }  # fmt: skip
        assert edges == {(u, v) for u, v in found if u != v}
        for e, part in enumerate(side.drawn.tolist()):
            assert side.edge[part] == e
            assert side.card[parting.items.edge_src[part]] == scene.items.edge_src[e]
        assert len(parts.routed) + len(parts.straight) + len(parts.stubs) == len(scene.items.edge_src)
    assert parting.same == (len(pairs) == scenes[0].items.count == scenes[1].items.count)
    ends = parting.shown(0.0), parting.shown(1.0)
    for side, shown in zip(parting.sides, ends, strict=True):
        assert (shown == side.whole[side.card]).all() and (side.left(0.0) == ~side.whole).all()


def test_parts_of_a_card_are_told_apart_by_their_ops() -> None:
    graph = chain_graph()
    folded = items_of(graph, numbered(["a"] * 6 + ["b"] * 6), frozenset({0, 1}))
    parts = parts_of(folded, items_of(graph, None, frozenset()))
    assert parts.count == graph.n and parts.names == graph.op_names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Keyframe("", "", 0, folded=BLOCKS), Keyframe("", "", 0)),
        (Keyframe("", "", 0, folded=BLOCKS), Keyframe("", "", 1, folded=BLOCKS[:3])),
        (Keyframe("", "", 1, folded=BLOCKS), Keyframe("", "", 1, "lanes", folded=BLOCKS)),
        (Keyframe("", "", 0, "lanes", folded=BLOCKS), Keyframe("", "", 1, "stages", folded=BLOCKS[:4])),
        (Keyframe("", "", 0, folded=BLOCKS, highlight=("n4",)), Keyframe("", "", 0, "lanes", highlight=("n4",))),
    ],
)  # fmt: skip
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_nothing_jumps_where_other_groups_are_folded(first: Keyframe, second: Keyframe, theme: Any) -> None:
    """The way begins and ends with what is held, and goes through pictures that are like neither."""
    show = show_of(first, second, theme=theme)
    before, after = at_rest(show, 0), at_rest(show, 1)
    apart = differ(before, after)
    assert apart > 0.004
    assert differ(before, pixels(show, 0, 1, 0.0005)) < 0.3 * apart
    assert differ(after, pixels(show, 0, 1, 0.9995)) < 0.3 * apart
    middle = pixels(show, 0, 1, 0.5)
    assert differ(before, middle) > 0.004 and differ(after, middle) > 0.004
    steps = [pixels(show, 0, 1, share) for share in np.linspace(0.02, 0.98, 25)]
    gaps = [differ(a, b) for a, b in pairwise(steps)]
    assert max(gaps) < 3.0 * np.mean(gaps), "no frame is far from the one before it"


def test_who_moves_stands_out_though_its_group_stays() -> None:
    show = show_of(Keyframe("", "", 0, folded=BLOCKS), Keyframe("", "", 1))
    morph = show.shots.morph(0, 1)
    assert morph is not None and morph.emphasis
    assert np.flatnonzero(morph.moved).tolist() == [7, 15] == np.flatnonzero(morph.moved_ops).tolist()


# ---------------------------------------------------------------------- files
def test_slides_as_shapes_are_of_the_same_cards() -> None:
    show = show_of(Keyframe("", "", 1, folded=BLOCKS), Keyframe("", "", 1))
    images = []
    for index in (0, 1):
        image = QImage(*show.size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        show.paint_slide(painter, index)
        painter.end()
        found = np.frombuffer(image.constBits(), np.uint8).reshape(show.size[1], show.size[0], 4)
        images.append(found[:, :, :3].astype(int))
    assert differ(*images) > 0.004


def page_data(*keyframes: Keyframe) -> tuple[str, dict[str, Any]]:
    page = page_of(resolved(members(), *keyframes), "light", (1280, 800), lambda done, of: None)
    begin = page.index(">", page.index('id="data"')) + 1
    return page, json.loads(page[begin : page.index("</script>", begin)])


def test_a_page_has_the_cards_of_each_keyframe() -> None:
    _, data = page_data(
        Keyframe("", "", 1, folded=BLOCKS), Keyframe("", "", 1), Keyframe("", "", 1, "lanes", folded=BLOCKS), Keyframe("", "", 0, folded=BLOCKS)
    )  # fmt: skip
    frames, stages, graphs = data["frames"], data["stages"], data["graphs"]
    names = [graphs[stages[frame["stage"]]["graph"]]["names"] for frame in frames]
    assert [len(of_one) for of_one in names] == [8, N, 9, 8]
    assert [frame["picture"] for frame in frames[:2]] == [
        f"chain: {N} ops, 8 groups of them folded on 3 devices, in the order of its flow",
        f"chain: {N} ops on 3 devices, in the order of its flow",
    ]
    folded = stages[frames[0]["stage"]]
    assert [names[0][i] for i, *_ in folded["splits"]] == ["block2", "block2"]
    facts = data["facts"][folded["facts"]]
    assert [facts["words"]["texts"][0]] == ["3 ops"]
    lanes = graphs[stages[frames[2]["stage"]]["graph"]]
    assert sorted(share for _, share in lanes["shares"]) == ["1 of 3", "2 of 3"]
    assert "parts" not in frames[0] and all("parts" in frame for frame in frames[1:])
    assert len(frames[1]["parts"]["moved"]) == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_a_page_goes_the_same_way_as_the_stage(tmp_path: Path) -> None:
    """The parts that the page makes of the cards are where the stage has them, to a step of its numbers."""
    keyframes = (Keyframe("", "", 0, folded=BLOCKS), Keyframe("", "", 1, "lanes", folded=BLOCKS[:3]))
    _, data = page_data(*keyframes)
    folder = ROOT / "gui" / "present" / "html" / "player"
    script = (
        "\n".join((folder / name).read_text() for name in ("scene.js", "courses.js", "parts.js"))
        + """
const DATA = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
const all = { graphs: DATA.graphs.map(graphOf), layouts: DATA.layouts.map(layoutOf), facts: DATA.facts };
const stages = DATA.stages.map((data) => stageOf(data, all)), parts = partsOf(DATA.frames[1].parts);
const list = (values) => Array.from(values), both = [0, 1].map((which) => parted(parts, which, stages));
console.log(JSON.stringify(both.map(({ layout, device, graph }, which) => ({
  boxes: ["x", "y", "w", "h"].map((name) => list(layout[name])), device: list(device), shown: list(layout.shown), routed: list(layout.routed),
  share: list(graph.share), cards: list(parts.sides[which].card), back: Object.values(cardsAt({ parts }, which, layout)).map(list),
}))));
"""
    )
    (tmp_path / "check.js").write_text(script)
    (tmp_path / "data.json").write_text(json.dumps(data))
    ended = subprocess.run(  # noqa: PLW1510
        ["node", str(tmp_path / "check.js"), str(tmp_path / "data.json")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    show = show_of(*keyframes, size=(1280, 800))
    shots = [shot_of(show, i) for i in (0, 1)]
    parting = Parting(*(shot.stage.scene for shot in shots))
    for found, parts, side, scene in zip(
        json.loads(ended.stdout), parting.parts, parting.sides, parting.scenes, strict=True
    ):
        layout, step = parts.layout, max(scene.layout.bounds[2:]) / 65_535
        for name, values in zip("xywh", found["boxes"], strict=True):
            assert np.allclose(values, getattr(layout, name), atol=4 * step)
        assert found["device"] == parts.device.tolist() and found["cards"] == side.card.tolist()
        drawn = sorted(np.concatenate([parts.routed, parts.straight, parts.stubs]).tolist())
        assert np.flatnonzero(found["shown"]).tolist() == drawn
        assert sorted(found["routed"]) == sorted(parts.routed.tolist())
        again = parting.cards(parting.parts.index(parts), layout.x, layout.y, layout.w, layout.h)
        for name, values in zip("xywh", found["back"], strict=True):
            assert np.allclose(values, getattr(again.layout, name), atol=6 * step)
