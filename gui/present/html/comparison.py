"""Keyframes that compare plans as drawings of a story's page: each part clipped by itself, the two plans of an overlay in layers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from PySide6.QtGui import QPainter

from gui.look.theme import Theme
from gui.panels.comparison.overlay import both
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.overlay_head import KNOB
from gui.present.comparison.shot import ComparisonShot, Part
from gui.present.html.svg import Colours, drawing

LAYERS = ((0.0, "first"), (1.0, "second"), (0.5, "split"))
"""The places of the slider that are drawn, and the class of each layer, from the lowest."""


def comparison_drawing(shots: Mapping[str, ComparisonShot], colours: Colours, name: str) -> str:
    """A keyframe as one ``<svg>``; ``shots`` has it in each theme by name, and ``name`` is that of the drawing in its page."""
    light = shots["light"]
    width, height = light.room
    if isinstance(light, OverlayShot):
        inside = _overlay(light, shots, colours, name)
    else:
        inside = "".join(
            _nested(
                {theme: shot.parts()[number] for theme, shot in shots.items()},
                colours,
                f"{name}-{number}",
            )
            for number in range(len(light.parts()))
        )
    words = escape(light.words())
    return f'<svg class="comparison" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{words}">{inside}</svg>'


def slider_of(shot: ComparisonShot, before: object, lead: float) -> dict[str, Any]:
    """How the slider of an overlay gets to its place from the keyframe ``before``; empty for what has none.

    ``lead`` is the share of the transition in which an overlay comes up before its slider moves.
    """
    if not isinstance(shot, OverlayShot):
        return {}
    goes_on = isinstance(before, OverlayShot) and shot.like(before)
    begin = before.share if isinstance(before, OverlayShot) and goes_on else 0.0
    wait = 0.0 if goes_on else lead if shot.share > 0.0 else 1.0
    return {"slider": {"from": begin, "to": shot.share, "lead": wait}}


def _overlay(shot: OverlayShot, shots: Mapping[str, ComparisonShot], colours: Colours, name: str) -> str:
    themed = {theme: one for theme, one in shots.items() if isinstance(one, OverlayShot)}
    heads = {theme: one.heads(0.0, knob=False) for theme, one in themed.items()}
    out = [
        _nested({theme: parts[i] for theme, parts in heads.items()}, colours, f"{name}-head{i}")
        for i in range(len(heads["light"]))
    ]
    opacity = {"first": 1.0, "second": shot.share, "split": both(shot.share)}
    for place, layer in LAYERS:
        parts = {theme: one.canvas(place) for theme, one in themed.items()}
        attributes = f' class="{layer}" opacity="{opacity[layer]:.3g}"'
        out.append(_nested(parts, colours, f"{name}-{layer}", attributes))
    track = shot.track()
    x = track.left() + shot.share * track.width()
    out.append(
        f'<circle class="knob" cx="{x:.1f}" cy="{track.top():.1f}" r="{KNOB * shot.grow:.1f}"'
        f' data-from="{track.left():.1f}" data-to="{track.right():.1f}"/>'
    )
    return "".join(out)


def _nested(parts: Mapping[str, Part], colours: Colours, name: str, attributes: str = "") -> str:
    """A part as a drawing in a drawing, which clips it."""
    rect = parts["light"].rect

    def paint(painter: QPainter, theme: Theme) -> None:
        parts[theme.name].paint(painter)

    made = drawing((rect.width(), rect.height()), paint, colours, "part", name)
    place = (
        f'x="{rect.left():.1f}" y="{rect.top():.1f}" width="{rect.width():.1f}" height="{rect.height():.1f}"'
    )
    return made.replace("<svg ", f"<svg {place}{attributes} ", 1)
