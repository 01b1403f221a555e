"""Scatter plots with logarithmic axes, written as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#4a5568")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 400, 70, 170, 40, 50

Points = Sequence[tuple[float, float]]


def scatter(title: str, x_label: str, y_label: str, series: Mapping[str, Points], beside: Points = ()) -> str:
    """An SVG picture of named points, both axes logarithmic; values that are not above 0 are left out.

    The axes have room for the points ``beside`` too: those of pictures that are to be held against this one.
    """
    kept = {name: [p for p in points if min(p) > 0] for name, points in series.items()}
    every = [p for points in (*kept.values(), beside) for p in points if min(p) > 0] or [(1.0, 1.0)]
    axes = []
    for axis in (0, 1):
        values = [math.log10(p[axis]) for p in every]
        low, high = math.floor(min(values) - 1e-9), math.ceil(max(values) + 1e-9)
        axes.append((low, max(high, low + 1)))
    (x0, x1), (y0, y1) = axes
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x0) / (x1 - x0)
        up = (math.log10(y) - y0) / (y1 - y0)
        return LEFT + across * (right - LEFT), bottom - up * (bottom - TOP)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14" fill="#1a202c">{escape(title)}</text>',
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle" fill="#4a5568">{escape(x_label)}</text>',
        f'<text transform="translate(18 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle" fill="#4a5568">'
        f"{escape(y_label)}</text>",
    ]
    for e in range(x0, x1 + 1):
        x, _ = at(10.0**e, 10.0**y0)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#4a5568">{10.0**e:g}</text>'
        )
    for e in range(y0, y1 + 1):
        _, y = at(10.0**x0, 10.0**e)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#4a5568">{10.0**e:g}</text>'
        )
    for i, (name, points) in enumerate(kept.items()):
        colour = COLOURS[i % len(COLOURS)]
        out += [
            '<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}" fill-opacity="0.6"/>'.format(*at(x, y), colour)
            for x, y in points
        ]
        y = TOP + 16 + 20 * i
        out.append(f'<circle cx="{right + 18}" cy="{y - 4}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{right + 30}" y="{y}" fill="#1a202c">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
