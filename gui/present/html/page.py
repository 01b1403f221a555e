"""A story as one HTML file that plays in any browser: no request leaves it, and nothing in it comes from anywhere else.

Graphs are drawn by the page from places, colours and edges, so that they are sharp at any size, morph as they do on the
stage, and answer to the pointer; panels are vector drawings, certificates tables, networks pictures. A content security policy forbids
every request and every script but the file's own, which it names by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.painter import wrap_image
from gui.look.drawn import encoded
from gui.look.numbers import plural
from gui.look.theme import GLYPHS, THEMES, Theme
from gui.present.comparison.shot import ComparisonShot
from gui.present.html.areas import marks_data
from gui.present.html.comparison import comparison_drawing, slider_of
from gui.present.html.scenes import Scenes, cards_in_words, glyph_outline, parting_data
from gui.present.html.svg import Colours, drawing
from gui.present.html.words import certificate_table, figures, said, subject
from gui.present.package import PackageShot
from gui.present.panels.panels import paint_panel
from gui.present.shots import NetworkShot
from gui.present.show import Show
from gui.present.stage import LEAD
from gui.present.transition.transition import Shot
from gui.raster import engine as raster
from planner.files import write_atomically
from planner.machines.two_level_memory.problem import OrderPlan
from planner.story.story import Resolved

ASSETS = Path(__file__).resolve().parent / "player"
_PLAYER = (
    "scene.js", "courses.js", "parts.js", "areas.js", "inks.js", "drawing.js", "player.js", "paper.js",
)  # fmt: skip
"""The parts of its script, in their order."""
SHARP = 1.5
"""Pixels of a network's picture for each of the frame's."""
MOST_STEPS = 10
"""Pictures between two moments of a network's order."""
Progress = Callable[[int, int], None]


def write_html(
    resolved: Resolved,
    path: Path,
    theme: str,
    progress: Progress,
    *,
    size: tuple[int, int] = (1280, 800),
    still: bool = False,
) -> int:
    """Write the page and return its bytes. ``theme`` empty: the reader's own; ``size``: what layouts are made for;
    ``still``: nothing moves, whatever the reader prefers.

    ``progress(done, of)`` is told of each keyframe, and may raise to stop.
    """
    text = page_of(resolved, theme, size, progress, still)
    write_atomically(path, text)
    return path.stat().st_size


def page_of(
    resolved: Resolved, theme: str, size: tuple[int, int], progress: Progress, still: bool = False
) -> str:
    """The page's text."""
    return _Page(resolved, size).text(theme, progress, still)


class _Page:
    """Collects the parts of a page keyframe by keyframe."""

    def __init__(self, resolved: Resolved, size: tuple[int, int]) -> None:
        self.resolved, self.story = resolved, resolved.story
        self.shows = {name: Show(resolved, theme, size) for name, theme in THEMES.items()}
        self.show = self.shows["light"]
        self.scenes, self.colours = Scenes(), Colours()
        self.pictures: list[str] = []
        self._known: dict[str, int] = {}
        self.frames: list[dict[str, Any]] = []
        self.slides: list[str] = []

    def text(self, theme: str, progress: Progress, still: bool) -> str:
        """All of it."""
        count = len(self.story.keyframes)
        for index in range(count):
            self._add(index)
            progress(index + 1, count)
        head = "".join(self._head(index) for index in range(count))
        words = "".join(said(k.title, k.caption) for k in self.story.keyframes)
        data = {
            "title": self.story.title, "duration": self.show.duration, "theme": theme, "still": still, "frames": self.frames,
            "pictures": self.pictures, "glyphs": [glyph_outline(i) for i in range(GLYPHS)],
            "themes": {name: _colours_of(one) for name, one in THEMES.items()},
            "palettes": {name: self.scenes.palettes(one) for name, one in THEMES.items()},
            **self.scenes.data(),
        }  # fmt: skip
        return _assembled(
            self.story.title, self.story.summary, head, words, "".join(self.slides), data, self._style()
        )

    def _add(self, index: int) -> None:
        k, shot = self.story.keyframes[index], self.show.shots.shot(index)
        plan = self.show.shots.plan(index)
        frame: dict[str, Any] = {
            "start": self.show.starts[index], "transition": k.transition, "title": k.title, "caption": k.caption,
            "name": plan.problem.name,
        }  # fmt: skip
        page = ""
        if isinstance(shot, Shot) and shot.stage.scene.heat is not None:
            scene = shot.stage.scene
            frame |= {
                "kind": "drawing", "size": list(self.show.places.room(self.show.shots.panel_kind(index))),
                "picture": f"{plan.problem.name}: {shot.stage.scene.heat.title}, of {cards_in_words(scene.items)}",
            }  # fmt: skip
            page = self._heat_map(index)
        elif isinstance(shot, Shot):
            scene = shot.stage.scene
            frame |= {
                "kind": "graph", "stage": self.scenes.add(shot.stage),
                "camera": None if k.camera is None else list(k.camera.seen),
                "out": np.flatnonzero(shot.standing_out).tolist(), "lit": np.flatnonzero(shot.lit).tolist(),
                "marks": marks_data(shot.stage, shot.marks), "note": shot.note,
            }  # fmt: skip
            frame |= self._parting(index)
            devices = plural(len(scene.devices), "device")
            how = "in the order of its flow" if k.view == "flow" else "by device"
            frame["picture"] = f"{plan.problem.name}: {cards_in_words(scene.items)} on {devices}, {how}"
        elif isinstance(shot, NetworkShot):
            assert isinstance(plan, OrderPlan)
            frame |= {"kind": "picture", "steps": self._steps(index)}
            frame |= {name: self._picture(name, index, shot.moment) for name in THEMES}
            frame["picture"] = (
                f"{plan.problem.name}: {shot.moment:,} of {shot.stage.length:,} connections done"
            )
        elif isinstance(shot, ComparisonShot):
            frame |= {"kind": "drawing", "size": list(shot.room), "picture": shot.words()}
            before = self.show.shots.shot(index - 1) if index else None
            frame |= slider_of(shot, before, LEAD)
            page = self._comparison(index)
        elif isinstance(shot, PackageShot):
            frame |= {
                "kind": "drawing",
                "size": list(self.show.places.room(self.show.shots.panel_kind(index))),
            }
            frame["picture"] = (
                f"{plan.problem.name} on {plural(len(shot.package.chips), plan.problem.target.words.one)} in a chain"
            )
            page = self._package(index)
        else:
            frame |= {"kind": "page", "picture": f"certificate of {plan.problem.name}"}
            page = certificate_table(shot.certificate)
        panel = self._panel(index, frame)
        self.frames.append(frame)
        self.slides.append(self._slide(index, panel, page))

    def _parting(self, index: int) -> dict[str, Any]:
        """How cards get here from those of the keyframe before, where either folds groups; empty where ops are cards in both."""
        morph = self.show.shots.morph(index - 1, index) if index else None
        return {} if morph is None else parting_data(morph)

    # ------------------------------------------------------------------ parts
    def _comparison(self, index: int) -> str:
        """A keyframe that compares plans as a drawing."""
        shots = {name: show.shots.shot(index) for name, show in self.shows.items()}
        themed = {name: shot for name, shot in shots.items() if isinstance(shot, ComparisonShot)}
        return comparison_drawing(themed, self.colours, f"c{index}")

    def _head(self, index: int) -> str:
        plan = self.show.shots.plan(index)
        return subject(plan, self.show.shots.target(index), index) + figures(
            self.show.shots.figures(index), index
        )

    def _panel(self, index: int, frame: dict[str, Any]) -> str:
        """The panel beside the stage as a drawing; its size goes into the frame."""
        kind = self.show.shots.panel_kind(index)
        if not kind:
            return ""
        rect = self.show.places.panel(kind)
        shot = self.show.shots.shot(index)
        now = shot.now(shot.moment) if isinstance(shot, NetworkShot) else None

        def paint(painter: QPainter, theme: Theme) -> None:
            show = self.shows[theme.name]
            painter.translate(-rect.topLeft())
            paint_panel(painter, rect, show.shots.panel(index), show.letters, show.shots.theme_of(index), now)

        frame["panel"] = [rect.width(), rect.height()]
        made = drawing((rect.width(), rect.height()), paint, self.colours, kind, f"p{index}")
        return f'<div class="panel">{made}</div>'

    def _package(self, index: int) -> str:
        """The chips of a package as a drawing that fills the stage beside the panel."""
        places = self.show.places
        size = places.room(self.show.shots.panel_kind(index))

        def paint(painter: QPainter, theme: Theme) -> None:
            show = self.shows[theme.name]
            shot = show.shots.shot(index)
            assert isinstance(shot, PackageShot)
            shot.paint(painter, QRectF(0, 0, *size), places.unit, show.letters, show.shots.theme_of(index))

        return f'<div class="drawing">{drawing(size, paint, self.colours, "package", f"d{index}")}</div>'

    def _heat_map(self, index: int) -> str:
        """A graph in the colours of a heat map, with its scale, as a drawing."""
        places = self.show.places
        size = places.room(self.show.shots.panel_kind(index))

        def paint(painter: QPainter, theme: Theme) -> None:
            shot = self.shows[theme.name].shots.shot(index)
            assert isinstance(shot, Shot)
            shot.paint_vectors(painter, size, places.unit)

        return f'<div class="drawing">{drawing(size, paint, self.colours, "heat map", f"h{index}")}</div>'

    def _slide(self, index: int, panel: str, page: str) -> str:
        """The keyframe on paper, and for those whose browser runs no scripts; ``page`` is what it shows where that is no canvas."""
        k = self.story.keyframes[index]
        title = k.title or self.show.shots.plan(index).problem.name
        picture = "" if page else f'<img alt="{escape(self.frames[index]["picture"])}">'
        return (
            f'<article class="slide" id="k{index + 1}"><h2>{index + 1}. {escape(title)}</h2>{self._head(index)}'
            f"<p>{escape(k.caption)}</p><figure>{picture}{panel}</figure>{page}</article>"
        )

    def _style(self) -> str:
        """The style sheet: colours of both themes, those of drawings, and how the page is laid out."""
        light, dark = (self._rules(THEMES[name]) for name in ("light", "dark"))
        return (
            f":root{{{light};color-scheme:light}}"
            f":root[data-theme=dark]{{{dark};color-scheme:dark}}"
            f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark};color-scheme:dark}}}}"
            ".only-dark{display:none}:root[data-theme=dark] .only-light{display:none}"
            ":root[data-theme=dark] .only-dark{display:inline}"
            # Paper is white, whatever the screen is.
            f"@media print{{:root,:root[data-theme=dark]{{{light};color-scheme:light}}"
            ":root[data-theme=dark] .only-light{display:inline}:root[data-theme=dark] .only-dark{display:none}}"
            f"{self.colours.classes()}{_asset('page.css')}"
        )

    def _rules(self, theme: Theme) -> str:
        own = "".join(f"--{name}:{value};" for name, value in _colours_of(theme).items() if name != "name")
        return own + self.colours.rules(theme)

    # ------------------------------------------------------------------ networks
    def _steps(self, index: int) -> list[dict[str, int]]:
        """Pictures on the way from the keyframe before, where it is of the same order at another moment."""
        shot = self.show.shots.shot(index)
        before = self.show.shots.shot(index - 1) if index else None
        if not isinstance(shot, NetworkShot) or not isinstance(before, NetworkShot):
            return []
        if before.stage is not shot.stage or before.moment == shot.moment or before.view != shot.view:
            return []
        count = min(MOST_STEPS, max(1, round(6 * self.story.keyframes[index].transition)))
        moments = [
            round(before.moment + (shot.moment - before.moment) * (i + 1) / (count + 1)) for i in range(count)
        ]
        return [{name: self._picture(name, index, moment) for name in THEMES} for moment in moments]

    def _picture(self, theme: str, index: int, moment: int) -> int:
        """The number of the picture of a network at a moment of its order."""
        show = self.shows[theme]
        shot = show.shots.shot(index)
        assert isinstance(shot, NetworkShot)
        room = show.places.room(show.shots.panel_kind(index))
        buffer = raster.new_image(round(room[0] * SHARP), round(room[1] * SHARP))
        shot.stage.paint(buffer, shot.view, SHARP, moment, shot.marked)
        # Without loss: connections are single pixels.
        data = encoded(wrap_image(buffer), "WEBP", 100)
        uri = "data:image/webp;base64," + base64.b64encode(data).decode("ascii")
        if uri not in self._known:
            self._known[uri] = len(self.pictures)
            self.pictures.append(uri)
        return self._known[uri]


def _colours_of(theme: Theme) -> dict[str, str]:
    """The theme's colours by name, and its name."""
    return {
        field.name.replace("_", "-"): getattr(theme, field.name)
        for field in fields(theme)
        if field.type == "str"
    }


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _script() -> str:
    parts = "\n".join(map(_asset, _PLAYER))
    return f'"use strict";(() => {{\n{parts}\n}})();'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _json(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _button(name: str, label: str, key: str, drawn: str) -> str:
    return f'<button id="{name}" type="button" aria-label="{label}" title="{label} ({key})"><svg viewBox="0 0 24 24" aria-hidden="true">{drawn}</svg></button>'


_KEYS = (
    ("→  Page Down  N", "next keyframe"), ("←  Page Up  B", "the one before"), ("Home  End", "first and last"),
    ("Space  P", "play and pause"), ("F", "full screen"), ("T", "light or dark"), ("[  ]", "go through the ops"),
    ("+  −  wheel  drag", "look closer"), ("R", "see all again"), ("?", "these keys"),
)  # fmt: skip


def _controls() -> str:
    return "".join((
        _button("back", "Back", "Left", '<path d="M15 5l-7 7 7 7"/>'),
        _button(
            "play", "Play", "Space",
            '<path class="solid paused" d="M7 4.5v15l12-7.5z"/><path class="running" d="M8 5v14M16 5v14"/>',
        ),
        _button("next", "Next", "Right", '<path d="M9 5l7 7-7 7"/>'),
        '<div id="track"><input id="scrubber" type="range" min="0" max="1" step="0.01" value="0" aria-label="Position in the story"></div>',
        '<span id="counter"></span>',
        _button("theme", "Light or dark", "T", '<circle cx="12" cy="12" r="8"/><path class="solid" d="M12 4a8 8 0 0 1 0 16z"/>'),
        _button("full", "Full screen", "F", '<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>'),
        _button("keys", "Keys", "?", '<circle cx="12" cy="12" r="9"/><path d="M9.4 9.2a2.7 2.7 0 1 1 3.6 2.6c-.7.3-1 .8-1 1.7M12 16.8v.1"/>'),
    ))  # fmt: skip


def _assembled(
    title: str, summary: str, head: str, words: str, slides: str, data: dict[str, Any], style: str
) -> str:
    """The whole file."""
    script = _script()
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )
    keys = "".join(f"<dt>{escape(key)}</dt><dd>{escape(words_)}</dd>" for key, words_ in _KEYS)
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="generator" content="Stageboard">'
        f'<meta name="description" content="{escape(summary)}"><title>{escape(title)}</title>\n<style>{style}</style></head>\n'
        f'<body><div id="player" role="region" aria-label="{escape(title)}"><header id="head">{head}</header>'
        '<div id="stage"><canvas id="graph" role="img" tabindex="0"></canvas><div id="ring" hidden></div>'
        '<div id="under" aria-hidden="true"></div><div id="page" tabindex="-1"></div><div id="panel"></div><div id="tip" role="tooltip" hidden></div></div>'
        f'<section id="said" aria-hidden="true">{words}</section>'
        f'<nav id="controls" aria-label="Player">{_controls()}</nav></div>\n'
        '<p id="live" class="away" aria-live="polite"></p>'
        f'<div id="help" role="dialog" aria-label="Keys" hidden><div><h2>Keys</h2><dl>{keys}</dl></div></div>\n'
        f'<main id="pages"><h1>{escape(title)}</h1><p>{escape(summary)}</p>{slides}</main>\n'
        f'<script type="application/json" id="data">{_json(data)}</script>\n<script>{script}</script></body></html>\n'
    )
