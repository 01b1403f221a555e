"""The page of a story: one file that asks for nothing, in which no text can become code, with all that the stage shows."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPainter
from pytestqt.qtbot import QtBot

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.lanes.links import plate_text
from gui.look.numbers import Column
from gui.look.theme import DARK, GLYPHS, LIGHT, Theme
from gui.present.export.export import ExportOptions, export_story, show_of
from gui.present.html.page import page_of
from gui.present.html.scenes import Scenes, glyph_outline, loads, packed
from gui.present.html.svg import Colours, drawing
from gui.present.scenes import GraphStage
from gui.present.transition.transition import Shot
from gui.widgets.bars import HATCH
from planner.printable import escaped
from planner.story.keyframe import Camera, Keyframe
from planner.story.story import Resolved
from tests.gui.present.talks import TARGETS, graph_members, network_talk, resolved, talk

SIZE = (640, 400)
EVIL = "</script><img src=x onerror=alert(1)>\u2028&\"'"
ROOT = Path(__file__).resolve().parents[3]


class Page(HTMLParser):
    """Elements with their attributes, and the text of scripts, styles and titles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.words: list[str] = []
        self._in: tuple[str, dict[str, str | None]] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_endtag(self, tag: str) -> None:
        self._in = None

    def handle_data(self, data: str) -> None:
        if self._in is not None:
            self.raw.append((*self._in, data))
        elif data.strip():
            self.words.append(data.strip())

    @property
    def data(self) -> dict[str, Any]:
        return json.loads(next(text for tag, attrs, text in self.raw if attrs.get("id") == "data"))  # type: ignore[no-any-return]


def made(story: Resolved, theme: str = "") -> Page:
    return Page(page_of(story, theme, SIZE, lambda done, of: None))


def evil() -> Resolved:
    """A story in which all that is text would like to be code."""
    members = graph_members()
    a, bounds = members[1]
    named = dataclasses.replace(a, name=EVIL)
    story = resolved([(named, bounds)], Keyframe(EVIL, EVIL, 0), Keyframe(EVIL, EVIL, 0, "certificate"))
    graph = dataclasses.replace(
        a.problem.graph, name=EVIL, op_names=tuple(f"{EVIL}{i}" for i in range(a.problem.graph.n))
    )
    problem = dataclasses.replace(a.problem, graph=graph)
    plan = problem.plan(a.decision.device_of, a.provenance, EVIL)
    return dataclasses.replace(
        story, models=(graph,), plans=(plan,), bounds=((),), story=dataclasses.replace(story.story, title=EVIL, summary=EVIL)
    )  # fmt: skip


# ---------------------------------------------------------------------- safety
def test_nothing_is_asked_for_and_only_its_own_scripts_run(qtbot: QtBot) -> None:
    page = made(talk())
    policy = next(
        attrs["content"]
        for tag, attrs in page.elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None and policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy and "http" not in policy
    for tag, attrs, text in page.raw:
        if attrs.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
    for tag, attrs in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form", "video", "audio")
        assert not any(
            name.startswith("on") or name in ("src", "href", "srcset", "style", "xlink:href")
            for name in attrs
        )
    assert not re.search(r"https?:|@import|url\((?!#)", page_of(talk(), "", SIZE, lambda *_: None))


def test_texts_stay_texts(qtbot: QtBot) -> None:
    story = evil()
    text = page_of(story, "", SIZE, lambda done, of: None)
    page = Page(text)
    assert text.count("</script>") == 2 and "onerror=alert(1)>" not in text
    images = [attrs for tag, attrs in page.elements if tag == "img"]
    assert len(images) == 1 and set(images[0]) == {"alt"}  # that of the keyframe on paper
    assert page.data["title"] == escaped(EVIL), "a line separator is written out"
    assert page.data["graphs"][0]["names"][0] == f"{EVIL}0"
    assert page.words.count(EVIL.replace("\n", " ")) >= 2


# ---------------------------------------------------------------------- content
@pytest.mark.parametrize("kind", sorted(TARGETS))
def test_cards_are_where_the_show_has_them(kind: str, qtbot: QtBot) -> None:
    story = talk(kind)
    data = made(story).data
    show = show_of(story, ExportOptions(size=SIZE))
    assert [frame["start"] for frame in data["frames"]] == show.starts
    for index, frame in enumerate(data["frames"]):
        shot = show.shots.shot(index)
        if not isinstance(shot, Shot):
            assert frame["kind"] == "page"
            continue
        stage, scene = data["stages"][frame["stage"]], shot.stage.scene
        layout = data["layouts"][stage["layout"]]
        step = layout["step"]
        for name in ("x", "y"):
            origin = layout["bounds"]["xy".index(name)]
            places = origin + step * np.frombuffer(base64.b64decode(layout[name]), "<u2")
            assert np.allclose(places, getattr(scene.layout, name), atol=step)
        assert np.array_equal(np.frombuffer(base64.b64decode(stage["device"]), "<u2"), scene.device)
        graph = data["graphs"][stage["graph"]]
        assert tuple(graph["names"]) == scene.items.names
        assert np.array_equal(np.frombuffer(base64.b64decode(graph["from"]), "<u4"), scene.items.edge_src)
        assert frame["note"] == shot.note
        assert frame["out"] == np.flatnonzero(shot.standing_out).tolist()
        assert len(layout["lanes"]) == len(scene.layout.lanes)
        palettes = [data["palettes"][theme][str(scene.k)] for theme in ("light", "dark")]
        assert palettes[0]["accent"] == [colour.accent for colour in shot.stage.palette.devices]
        assert palettes[0]["accent"] != palettes[1]["accent"] or palettes[0]["band"] != palettes[1]["band"]


def test_what_is_the_same_is_there_once(qtbot: QtBot) -> None:
    data = made(talk()).data
    assert len(data["graphs"]) == len(data["facts"]) == 1
    assert (
        len(data["stages"]) == 4 and len(data["layouts"]) == 3
    )  # two plans in two views; the flow is shared


def test_captions_figures_panels_and_the_certificate_are_real_text(qtbot: QtBot) -> None:
    story = talk()
    page = made(story)
    for keyframe in story.story.keyframes:
        assert keyframe.title in page.words
        assert not keyframe.caption or keyframe.caption in page.words
    slides = [attrs for tag, attrs in page.elements if tag == "article"]
    assert [attrs["id"] for attrs in slides] == [f"k{i + 1}" for i in range(len(story.story.keyframes))]
    panels = [attrs for tag, attrs in page.elements if tag == "svg" and attrs.get("role") == "img"]
    assert len(panels) == sum(bool(k.panel) for k in story.story.keyframes)
    for panel in panels:  # what it shows, and its figures
        assert re.fullmatch(
            r"(costs|memory|difference|convergence|schedule): .*\d.*", str(panel["aria-label"])
        )
    assert sum(tag == "table" for tag, _ in page.elements) == 1
    assert any(attrs.get("aria-live") == "polite" for _, attrs in page.elements)
    for tag, attrs in page.elements:
        assert tag != "button" or attrs["aria-label"]


def test_networks_are_pictures_on_their_way(qtbot: QtBot) -> None:
    data = made(network_talk()).data
    frames = data["frames"]
    assert [frame["kind"] for frame in frames] == ["picture"] * 5 + ["page"]
    assert len(frames[2]["steps"]) > len(frames[0]["steps"]) == 0
    assert all(uri.startswith("data:image/webp;base64,") for uri in data["pictures"])
    assert len(set(data["pictures"])) == len(data["pictures"])
    assert all(frame["light"] != frame["dark"] for frame in frames[:5])


def test_theme_and_motion_can_be_chosen(tmp_path: Path, qtbot: QtBot) -> None:
    export_story(talk(), tmp_path / "a.html", ExportOptions(size=SIZE, theme="dark", reduced_motion=True))
    data = Page((tmp_path / "a.html").read_text(encoding="utf-8")).data
    assert data["theme"] == "dark" and data["still"]
    assert made(talk()).data["theme"] == ""


# ---------------------------------------------------------------------- parts
def test_a_drawing_serves_both_themes() -> None:
    def paint(painter: QPainter, theme: Theme) -> None:
        painter.fillRect(2, 3, 10, 5, QColor(theme.accent))
        painter.setPen(QColor(theme.text))
        painter.drawText(4, 20, "A & <b>")

    colours = Colours()
    made = drawing((60, 40), paint, colours, "A panel", "p0")
    assert made.count("<rect") == 1 and made.count("<text") == 1 and "A &amp; &lt;b&gt;" in made
    assert LIGHT.accent in colours.rules(LIGHT) and DARK.accent in colours.rules(DARK)
    assert "only-" not in made and 'aria-label="A panel: A &amp; &lt;b&gt;"' in made


def test_bars_of_lanes_end_where_the_cache_does_on_one_scale() -> None:
    memory = np.array([6.0, 9.5])
    headers = header(memory, memory, budget=8.0, fullest=24.0)
    assert loads(headers) == {"load": [0.25, round(9.5 / 24, 4)], "limit": [round(8 / 24, 4)] * 2}
    assert loads(header(np.array([2.0, 3.0]), memory, budget=np.inf, longest=4.0)) == {"load": [0.5, 0.75]}
    assert loads(header(np.array([2.0, np.inf]), memory, budget=8.0)) == {"load": [1.0, 0.0]}


def header(
    pace: np.ndarray, memory: np.ndarray, budget: float, fullest: float = 0.0, longest: float = 0.0
) -> HeaderData:
    """What is written on two lanes."""
    none, room = np.zeros(2), np.full(2, budget)
    return HeaderData(
        ("Stage 0", "Stage 1"), ("0", "1"), pace, np.zeros((4, 2)), none, none, 1, Column(), none, Column(), memory, room, room,
        longest=longest, fullest=fullest,
    )  # fmt: skip


def test_a_hatch_has_the_mask_that_makes_lines_of_it(qapp: object) -> None:
    """Without it a browser covers the colour below, whole."""
    text = drawing((40, 40), lambda painter, _: painter.fillRect(5, 5, 30, 30, HATCH), Colours(), "bar", "p7")
    named = set(re.findall(r'\bid="([^"]+)"', text))
    asked = set(re.findall(r"url\(#([^)]+)\)", text))
    assert asked and asked == named and all(name.startswith("p7-") for name in named)
    assert re.search(r'<mask [^>]*><rect [^>]*x="7"', text)
    assert re.search(r'<rect [^>]*fill="url\(#[^)]+\)" fill-opacity="0\.5', text)


def test_a_drawing_that_differs_by_theme_is_there_twice() -> None:
    def paint(painter: QPainter, theme: Theme) -> None:
        for i in range(2 if theme.dark else 1):
            painter.fillRect(10 * i, 0, 5, 5, QColor(theme.accent))

    made = drawing((60, 40), paint, Colours(), "", "p0")
    assert made.count("<rect") == 3 and "only-light" in made and "only-dark" in made


def test_numbers_are_little_endian_and_glyphs_closed() -> None:
    assert base64.b64decode(packed([1, 258], "u2")) == b"\x01\x00\x02\x01"
    assert len({glyph_outline(i) for i in range(GLYPHS)}) == GLYPHS
    assert all(re.fullmatch(r"M[-MLCZe\d. ]+Z", glyph_outline(i)) for i in range(GLYPHS))
    assert Scenes().data()["stages"] == []


# ---------------------------------------------------------------------- a browser
BROWSER = os.environ.get("STAGEBOARD_BROWSER_PYTHON", "")
"""A Python with QtWebEngine (PySide6-Addons), which the project itself does not need."""


@pytest.mark.skipif(not BROWSER, reason="STAGEBOARD_BROWSER_PYTHON names no Python with QtWebEngine")
@pytest.mark.parametrize("story", [talk, network_talk, evil])
def test_it_plays_in_a_browser(story: Any, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "story.html"
    path.write_text(page_of(story(), "", (1280, 800), lambda done, of: None), encoding="utf-8")
    ended = subprocess.run(  # noqa: PLW1510  (the status is what is looked at)
        [BROWSER, str(ROOT / "tools" / "check_html.py"), str(path)],
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_check_says_what_it_needs() -> None:
    if BROWSER:
        pytest.skip("there is a browser")
    ended = subprocess.run(  # noqa: PLW1510  (the status is what is looked at)
        [sys.executable, str(ROOT / "tools" / "check_html.py"), "a.html"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2 and "PySide6-Addons" in ended.stderr


def test_lanes_have_the_plates_of_their_links(qtbot: QtBot) -> None:
    """What enters each stage, in the words of the window's plates and of pictures; other views have none."""
    story = talk("edge-tpu")
    data = made(story).data
    show = show_of(story, ExportOptions(size=SIZE))
    found = 0
    for index, frame in enumerate(data["frames"]):
        shot = show.shots.shot(index)
        if not isinstance(shot, Shot):
            continue
        stage, headers = data["stages"][frame["stage"]], shot.stage.headers
        if not shot.stage.scene.layout.lanes:
            assert "links" not in stage
            continue
        assert headers is not None and (links := headers.links) is not None
        said = [None if one is None else one[0] for one in stage["links"]]
        assert said == [plate_text(links, k) if k and links.entering[k] else None for k in range(3)]
        assert [bool(one and one[1]) for one in stage["links"]] == [
            bool(said[k]) and links.most(k) for k in range(3)
        ]
        found += 1
    assert found >= 2


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_page_draws_the_plates_where_lanes_have_room(tmp_path: Path) -> None:
    """Over the border of two lanes that are high enough, the largest of all also over lower ones."""
    folder = ROOT / "gui" / "present" / "html" / "player"
    script = (
        (folder / "areas.js").read_text()
        + (folder / "drawing.js").read_text()
        + """
const said = [];
globalThis.Path2D = class { roundRect() {} };
const context = new Proxy({}, { get: (_, name) => name === "measureText" ? (text) => ({ width: 10 * text.length }) : name === "fillText" ? (...a) => said.push(a) : () => {}, set: () => true });
const stage = { links: [null, ["in 1 B", false], ["in 2 B", true], null] };
for (const h of [60, 35, 20]) {
  Drawing.prototype.links.call({ context, unit: 1, theme: {}, fonts: "x" }, stage, [0, 1, 2, 3].map((d) => [d * h, h]), 200);
  said.push(h);
}
console.log(JSON.stringify(said));
"""
    )
    (tmp_path / "check.js").write_text(script)
    ended = subprocess.run(["node", str(tmp_path / "check.js")], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    assert ended.returncode == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert [one if isinstance(one, int) else (one[0], one[2]) for one in said] == [
        ("in 1 B", 60), ("in 2 B", 120), 60, ("in 2 B", 70), 35, 20,
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_page_leaves_nothing_blank_that_more_of_a_scene_could_fill(tmp_path: Path) -> None:
    """A camera at the corner of a scene that is wider than the page: its part at a side, where slides have it, too."""
    folder = ROOT / "gui" / "present" / "html" / "player"
    script = (
        (folder / "scene.js").read_text()
        + """
const stage = { layout: { bounds: [10, 20, 1000, 500], lanes: [] } }, room = { width: 640, height: 400 };
console.log(JSON.stringify([[0, 0, 0.2, 0.8], [0.9, 0.5, 0.1, 0.5]].map((camera) => viewOf(stage, camera, room, 1))));
"""
    )
    (tmp_path / "check.js").write_text(script)
    ended = subprocess.run(["node", str(tmp_path / "check.js")], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    assert ended.returncode == 0, ended.stderr
    scene = SimpleNamespace(layout=SimpleNamespace(bounds=(10.0, 20.0, 1000.0, 500.0)))
    stage = SimpleNamespace(scene=scene, left=0.0)
    for view, camera in zip(
        json.loads(ended.stdout), (Camera(0.0, 0.0, 0.2, 0.8), Camera(0.9, 0.5, 0.1, 0.5)), strict=True
    ):
        seen = GraphStage.seen(stage, camera, (640.0, 400.0), 1.0)  # type: ignore[arg-type]
        assert (view["s"], view["x"], view["y"]) == pytest.approx((seen.scale, seen.ox, seen.oy))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_page_breaks_names_of_rows_behind_commas(tmp_path: Path) -> None:
    folder = ROOT / "gui" / "present" / "html" / "player"
    script = (
        (folder / "areas.js").read_text()
        + (folder / "drawing.js").read_text()
        + """
const context = { font: "x", measureText: (text) => ({ width: 10 * text.length }) };
const said = [[200, 1], [110, 2], [110, 1], [60, 3]].map(([room, most]) => rowLines(context, "embeddings, layer.0", room, most));
console.log(JSON.stringify(said));
"""
    )
    (tmp_path / "check.js").write_text(script)
    ended = subprocess.run(["node", str(tmp_path / "check.js")], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    assert ended.returncode == 0, ended.stderr
    whole, broken, cut, narrow = json.loads(ended.stdout)
    assert whole == ["embeddings, layer.0"] and broken == ["embeddings,", "layer.0"]
    assert len(cut) == len(narrow) == 1 and cut[0].endswith("…")


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_page_says_what_devices_hold_in_the_longest_form_that_all_plates_have_room_for(
    tmp_path: Path,
) -> None:
    folder = ROOT / "gui" / "present" / "html" / "player"
    script = (
        (folder / "areas.js").read_text()
        + (folder / "drawing.js").read_text()
        + """
const said = [];
const context = { measureText: (text) => ({ width: 10 * text.length }), fillText: (...a) => said.push([...a, context.fillStyle]) };
const memory = [[["2.00 MiB + 1.00 off chip", "1.00 MiB off chip", "150 % full"], "warning"], [["on", "on", "9 % full"], "muted"], [[], "muted"]];
const stage = { blocks: { memory, ops: ["3 ops", "2 ops", "1 op"] } }, drawing = { context, unit: 1, theme: { warning: "w", muted: "m" } };
for (const [below, room] of [[true, 240], [true, 200], [false, 240], [false, 150], [true, 90]]) {
  for (const d of [0, 1, 2]) paintMemory(drawing, stage, d, below, [5, 7], room);
  said.push(room);
}
console.log(JSON.stringify(said));
"""
    )
    (tmp_path / "check.js").write_text(script)
    ended = subprocess.run(["node", str(tmp_path / "check.js")], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == [
        ["2.00 MiB + 1.00 off chip", 5, 7, "w"], ["on", 5, 7, "m"], 240, ["1.00 MiB off chip", 5, 7, "w"], ["on", 5, 7, "m"], 200,
        ["1.00 MiB off chip", 75, 7, "w"], ["on", 225, 7, "m"], 240, 150, 90,
    ]  # fmt: skip
