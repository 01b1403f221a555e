"""Grouped bars on a linear axis from 0, written as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from benchmarks.scatter import COLOURS, LEFT, RIGHT, TOP

BAR, GAP, HEIGHT = 11, 18, 440
NAMES = 150
"""Room below for the names of the groups, which are written at a slant."""
GRID = 0.25


def bars(title: str, label: str, groups: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> str:
    """An SVG picture of named series, a value for each group; None leaves a bar out. Values of 0 and more."""
    top = max([1.0, *(v for values in series.values() for v in values if v is not None)])
    steps = int(top / GRID + 1 - 1e-9)
    width = LEFT + len(groups) * (len(series) * BAR + GAP) + RIGHT
    right, bottom = width - RIGHT, HEIGHT - NAMES

    def at(value: float) -> float:
        return bottom - value / (steps * GRID) * (bottom - TOP)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14" fill="#1a202c">{escape(title)}</text>',
        f'<text transform="translate(18 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle" fill="#4a5568">'
        f"{escape(label)}</text>",
    ]
    for step in range(steps + 1):
        y = at(step * GRID)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#4a5568">{step * GRID:g}</text>'
        )
    for g, group in enumerate(groups):
        left = LEFT + GAP / 2 + g * (len(series) * BAR + GAP)
        for i, values in enumerate(series.values()):
            if (value := values[g]) is not None:
                out.append(
                    f'<rect x="{left + i * BAR:.1f}" y="{at(value):.1f}" width="{BAR - 1}" height="{bottom - at(value):.1f}"'
                    f' fill="{COLOURS[i % len(COLOURS)]}" fill-opacity="{1.0 if i < len(COLOURS) else 0.5}"/>'
                )
        middle = left + len(series) * BAR / 2
        out.append(
            f'<text transform="translate({middle:.1f} {bottom + 14}) rotate(-35)" text-anchor="end" fill="#1a202c">'
            f"{escape(group)}</text>"
        )
    for i, name in enumerate(series):
        y = TOP + 16 + 20 * i
        fill = f'fill="{COLOURS[i % len(COLOURS)]}" fill-opacity="{1.0 if i < len(COLOURS) else 0.5}"'
        out.append(f'<rect x="{right + 14}" y="{y - 10}" width="10" height="10" {fill}/>')
        out.append(f'<text x="{right + 30}" y="{y}" fill="#1a202c">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
