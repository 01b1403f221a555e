"""Curves with a band around each, the first axis logarithmic, written as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from benchmarks.scatter import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH

Band = Sequence[tuple[float, float, float]]
"""Points: x, mean, deviation."""
DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Curves differ in more than colour."""


def curves(title: str, x_label: str, y_label: str, series: Mapping[str, Band]) -> str:
    """An SVG picture of named curves; points that are not finite are left out. The last coordinate is the height of the band's half."""
    kept = {
        name: [p for p in points if all(map(math.isfinite, p)) and p[0] > 0]
        for name, points in series.items()
    }
    every = [p for points in kept.values() for p in points] or [(1.0, 1.0, 0.0)]
    x1 = max(1.0, math.log10(max(p[0] for p in every)))
    low, high = min(p[1] - p[2] for p in every), max(p[1] + p[2] for p in every)
    step = _step(max(high - low, 1e-9))
    y0, y1 = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    y1 = max(y1, y0 + step)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + math.log10(x) / x1 * (right - LEFT), bottom - (y - y0) / (y1 - y0) * (bottom - TOP)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14" fill="#1a202c">{escape(title)}</text>',
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle" fill="#4a5568">{escape(x_label)}</text>',
        f'<text transform="translate(18 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle" fill="#4a5568">'
        f"{escape(y_label)}</text>",
    ]
    for e in range(int(x1 + 1e-9) + 1):
        x, _ = at(10.0**e, y0)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#4a5568">{10**e:,}</text>'
        )
    for i in range(round((y1 - y0) / step) + 1):
        _, y = at(1.0, y0 + i * step)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#4a5568">{y0 + i * step:.10g}</text>'
        )
    for i, (name, points) in enumerate(kept.items()):
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        y = TOP + 16 + 20 * i
        look = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        if points:
            above = [at(x, mean + deviation) for x, mean, deviation in points]
            below = [at(x, mean - deviation) for x, mean, deviation in reversed(points)]
            out.append(f'<polygon points="{_path(above + below)}" fill="{colour}" fill-opacity="0.15"/>')
            out.append(
                f'<polyline points="{_path([at(x, mean) for x, mean, _ in points])}" fill="none" {look}/>'
            )
        out.append(f'<line x1="{right + 10}" y1="{y - 4}" x2="{right + 32}" y2="{y - 4}" {look}/>')
        out.append(f'<text x="{right + 38}" y="{y}" fill="#1a202c">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _step(span: float) -> float:
    """A round distance between grid lines, four to nine of them."""
    power = 10.0 ** math.floor(math.log10(span))
    return next(power * f for f in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if span / (power * f) <= 9)
