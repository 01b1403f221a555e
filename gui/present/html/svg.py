"""What a painter paints, as a small drawing inside a page: shapes and text once, their colours by theme.

It is painted in each theme. Where both have the same shapes, one drawing serves both, and its colours are variables that the
page's style sheet sets; else both are there, and the style sheet shows one. Clips are left out, for Qt's writer of SVG does not
end them where the painter does: what is painted has to stay inside by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from defusedxml.ElementTree import fromstring
from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.look.drawn import into, paint_on
from gui.look.page import SCREEN_DPI
from gui.look.theme import THEMES, Theme
from gui.present.captions import measure

LONGEST_WORDS = 1200
"""Characters of what is said of a drawing to those who listen."""

Paint = Callable[[QPainter, Theme], None]
Attributes = dict[str, str]

_REFERRED = ("pattern", "mask")
"""What shapes and their patterns refer to."""
_SHAPES = {
    "path": ("d",),
    "rect": ("x", "y", "width", "height", "rx", "ry"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "line": ("x1", "y1", "x2", "y2"),
    "polyline": ("points",),
    "polygon": ("points",),
}
"""What is drawn, and the attributes that say where."""
_LINES = ("stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin")
_USUAL = {
    "stroke-width": "1",
    "stroke-dasharray": "none",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
}


class Colours:
    """The colours of all drawings of a page: pairs of one for each theme, which become variables of the style sheet."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], int] = {}

    def name(self, light: str, dark: str) -> str:
        """The variable of a pair."""
        return f"--c{self._pairs.setdefault((light, dark), len(self._pairs))}"

    def rules(self, theme: Theme) -> str:
        """What the style sheet declares for a theme."""
        return "".join(f"--c{i}:{pair[theme.dark]};" for pair, i in self._pairs.items())

    def classes(self) -> str:
        """What a shape of each colour looks like: ``f0`` is filled with it, ``s0`` outlined."""
        return "".join(
            f".f{i}{{fill:var(--c{i})}}.s{i}{{stroke:var(--c{i})}}" for i in range(len(self._pairs))
        )

    def style(self, prefix: str, light: str, dark: str) -> str:
        """The class of a fill (``f``) or an outline (``s``)."""
        return prefix + self.name(light, dark)[3:]


@dataclass(frozen=True)
class Shape:
    """A shape or a text with all that it inherits."""

    tag: str
    at: Attributes
    text: str
    look: Attributes

    def like(self, other: Shape) -> bool:
        """Whether it differs from another in nothing but colours."""
        same = ("transform", "font-size", "font-weight", *_LINES)
        return (self.tag, self.at, self.text) == (other.tag, other.at, other.text) and all(
            self.look.get(key) == other.look.get(key) for key in same
        )


def drawing(size: tuple[float, float], paint: Paint, colours: Colours, title: str, name: str) -> str:
    """An ``<svg>`` of ``size`` (width, height) with what ``paint`` paints; ``title`` and its words are for those who listen.

    ``name`` is that of the drawing alone in its page: parts of it are referred to by it.
    """
    light, defs = _parsed(size, paint, THEMES["light"], name)
    dark, _ = _parsed(size, paint, THEMES["dark"], name)
    if len(light) == len(dark) and all(a.like(b) for a, b in zip(light, dark, strict=True)):
        body = _grouped(light, dark, colours)
    else:
        parts = (("light", light), ("dark", dark))
        body = "".join(
            f'<g class="only-{one}">{_grouped(shapes, shapes, colours)}</g>' for one, shapes in parts
        )
    box = f"0 0 {_number(size[0])} {_number(size[1])}"
    words = f"{title}: {'; '.join(shape.text.strip() for shape in light if shape.text)}"
    return f'<svg viewBox="{box}" role="img" aria-label="{escape(words[:LONGEST_WORDS])}">{defs}{body}</svg>'


def _parsed(size: tuple[float, float], paint: Paint, theme: Theme, name: str) -> tuple[list[Shape], str]:
    """Shapes in the order in which they are painted, and what they refer to."""
    root = fromstring(_painted(size, paint, theme))
    shapes: list[Shape] = []
    defs: list[str] = []
    for child in root:
        tag = _tag(child)
        if tag == "defs":
            defs += [_referred(part, name) for part in child if _tag(part) in _REFERRED]
        elif tag in _REFERRED:
            defs.append(_referred(child, name))
        else:
            shapes += _walk(child, {}, name, defs)
    return shapes, f"<defs>{''.join(defs)}</defs>" if defs else ""


def _painted(size: tuple[float, float], paint: Paint, theme: Theme) -> bytes:
    data = QByteArray()
    with into(data) as buffer:
        svg: QSvgGenerator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
        svg.setOutputDevice(buffer)
        svg.setResolution(SCREEN_DPI)  # points as large as on the screen, which they are measured on
        svg.setSize(QSize(round(size[0]), round(size[1])))
        svg.setViewBox(QRectF(0, 0, *size))
        paint_on(svg, lambda painter: paint(painter, theme))
    return bytes(data.data())


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _walk(element: Any, inherited: Attributes, name: str, defs: list[str]) -> Iterator[Shape]:
    tag, own = _tag(element), dict(element.attrib)
    if tag == "g":
        look = {**inherited, **own}
        if "transform" in inherited and "transform" in own:
            look["transform"] = f"{inherited['transform']} {own['transform']}"
        if own.get("fill", "").startswith("url(#"):
            look["fill"] = own["fill"].replace("#", f"#{name}-")
        for child in element:
            yield from _walk(child, look, name, defs)
    elif tag in _REFERRED:
        defs.append(_referred(element, name))
    elif tag == "defs":
        defs += [_referred(part, name) for part in element if _tag(part) in _REFERRED]
    elif tag in _SHAPES:
        at = {key: own[key] for key in _SHAPES[tag] if key in own}
        yield Shape(tag, at, "", {**inherited, **{key: own[key] for key in own if key not in at}})
    elif tag == "text":
        text = "".join(element.itertext())
        if text.strip():
            yield Shape("text", {"x": own["x"], "y": own["y"]}, text, {**inherited, **own})


def _referred(element: Any, name: str) -> str:
    """A pattern, or the mask that makes lines of it, with all in it; its id and what it refers to are made its own."""
    tag, own = _tag(element), {key: value for key, value in element.attrib.items() if "}" not in key}
    if "id" in own:
        own["id"] = f"{name}-{own['id']}"
    if "mask" in own:
        own["mask"] = own["mask"].replace("#", f"#{name}-")
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in own.items())
    return f"<{tag}{attributes}>{''.join(_referred(child, name) for child in element)}</{tag}>"


def _grouped(light: list[Shape], dark: list[Shape], colours: Colours) -> str:
    """All shapes; neighbours that are moved alike are so together."""
    out: list[str] = []
    place = ""
    for a, b in zip(light, dark, strict=True):
        now = a.look.get("transform", "")
        if now != place:
            out.append("</g>" if place else "")
            out.append(f'<g transform="{escape(now)}">' if now else "")
            place = now
        out.append(_markup(a, b, colours))
    return "".join(out) + ("</g>" if place else "")


def _markup(light: Shape, dark: Shape, colours: Colours) -> str:
    look = light.look
    classes, attributes = [], []
    for key, prefix in (("fill", "f"), ("stroke", "s")):
        pair = _colour(light.look, key), _colour(dark.look, key)
        if pair[0].startswith("url("):
            attributes.append((key, pair[0]))
            if f"{key}-opacity" in look:
                attributes.append((f"{key}-opacity", look[f"{key}-opacity"]))
        elif pair == ("none", "none"):
            if key == "fill" and light.tag != "text":
                classes.append("n")
        else:
            classes.append(colours.style(prefix, *pair))
    if light.tag == "text":
        return _text(light, classes)
    if _colour(look, "stroke") != "none":
        attributes += [(key, look[key]) for key in _LINES if look.get(key, _USUAL[key]) != _USUAL[key]]
    return f"<{light.tag}{_attributes(light, classes, attributes)}/>"


def _text(shape: Shape, classes: list[str]) -> str:
    look = shape.look
    pixels, bold = float(look.get("font-size", "12")), look.get("font-weight", "400") >= "600"
    # The reader's fonts are others: each text keeps the width that it was given room for.
    wide = measure(max(6, round(pixels)), bold).horizontalAdvance(shape.text)
    attributes = [("font-size", _number(pixels)), ("textLength", _number(wide))]
    if bold:
        classes.append("b")
    return f"<text{_attributes(shape, classes, attributes)}>{escape(shape.text)}</text>"


def _attributes(shape: Shape, classes: list[str], more: list[tuple[str, str]]) -> str:
    out = [(key, _shorter(value)) for key, value in shape.at.items()]
    if classes:
        out.append(("class", " ".join(classes)))
    out += more
    return "".join(f' {key}="{escape(value)}"' for key, value in out)


def _colour(look: Attributes, key: str) -> str:
    """A colour with its opacity, or ``none``."""
    value = look.get(key, "none")
    opacity = float(look.get(f"{key}-opacity", "1")) * float(look.get("opacity", "1"))
    if value == "none" or value.startswith("url("):
        return value
    return value if opacity >= 1.0 else f"{value}{round(255 * opacity):02x}"


def _shorter(value: str) -> str:
    """Places to a tenth of a pixel."""
    return re.sub(r"-?\d+\.\d+", lambda match: _number(float(match[0])), value).strip()


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
