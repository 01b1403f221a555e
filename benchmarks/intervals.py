"""Curves with an error bar at each point, one or two axes logarithmic, written as SVG; and the interval that the bars show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.curves import DASHES
from benchmarks.scatter import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH


@dataclass(frozen=True)
class Point:
    """A value of x and the median there, within ``low`` to ``high``."""

    x: float
    low: float
    median: float
    high: float


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """(low, median, high): the nonparametric confidence interval of a median, by order statistics.

    The smallest symmetric pair of order statistics that covers the median with ``confidence``; the number of values below the
    median is binomial with 1/2. Five values or fewer cannot reach 0.95: then it is all from least to most (94 % with five).
    """
    ranked = sorted(values)
    n = len(ranked)
    middle = (ranked[(n - 1) // 2] + ranked[n // 2]) / 2
    outside, k = 0.0, 0
    # With the k-th least and the k-th most, the median lies outside with twice the chance of fewer than k below it.
    while 2 * (outside + math.comb(n, k) / 2**n) <= 1 - confidence and 2 * (k + 1) <= n:
        outside += math.comb(n, k) / 2**n
        k += 1
    k = max(k, 1)
    return ranked[k - 1], middle, ranked[n - k]


def intervals(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Sequence[Point]],
    log_x: bool = True,
    log_y: bool = False,
    marks: bool = True,
) -> str:
    """An SVG picture of named curves. Without ``marks`` lines only, for curves of many points; a curve may be empty."""
    every = [p for points in series.values() for p in points] or [Point(1.0, 1.0, 1.0, 1.0)]
    across = _axis([p.x for p in every], log_x)
    up = _axis([v for p in every for v in (p.low, p.high)], log_y)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + across.share(x) * (right - LEFT), bottom - up.share(y) * (bottom - TOP)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14" fill="#1a202c">{escape(title)}</text>',
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle" fill="#4a5568">{escape(x_label)}</text>',
        f'<text transform="translate(14 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle" fill="#4a5568">'
        f"{escape(y_label)}</text>",
    ]
    for tick in across.ticks:
        x, _ = at(tick, up.low)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#4a5568">{_number(tick)}</text>'
        )
    for tick in up.ticks:
        _, y = at(across.low, tick)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e2e8f0"/>')
        out.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#4a5568">{_number(tick)}</text>'
        )
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        look = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{DASHES[i % len(DASHES)]}"'
        line = " ".join("{:.1f},{:.1f}".format(*at(p.x, p.median)) for p in points)
        if points:
            out.append(f'<polyline points="{line}" fill="none" {look}/>')
        for p in points if marks else ():
            x, y = at(p.x, p.median)
            _, low = at(p.x, p.low)
            _, high = at(p.x, p.high)
            out.append(
                f'<path d="M{x:.1f},{low:.1f}V{high:.1f}M{x - 4:.1f},{low:.1f}h8M{x - 4:.1f},{high:.1f}h8" stroke="{colour}"/>'
            )
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        y = TOP + 16 + 20 * i
        out.append(f'<line x1="{right + 10}" y1="{y - 4}" x2="{right + 32}" y2="{y - 4}" {look}/>')
        out.append(f'<text x="{right + 38}" y="{y}" font-size="11" fill="#1a202c">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    logarithmic: bool
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Where a value lies between both ends, 0 to 1."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def _axis(values: Sequence[float], logarithmic: bool) -> _Axis:
    """An axis that holds all values, from 0 where it is not logarithmic."""
    low, high = min(values), max(values)
    if logarithmic:
        low, high = (low, high) if high > 1.05 * low else (low / 1.5, high * 1.5)
        steps = (1, 2, 5) if high < 200 * low else (1,)
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [s * 10.0**e for e in powers for s in steps if low * 0.999 <= s * 10.0**e <= high * 1.001]
        return _Axis(low / 1.05, high * 1.05, True, tuple(ticks))
    step = 10.0 ** math.floor(math.log10(max(high, 1e-12)))
    step = next(step * f for f in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if high / (step * f) <= 8)
    count = math.ceil(high * 1.0001 / step)
    return _Axis(0.0, step * count, False, tuple(step * i for i in range(count + 1)))


def _number(value: float) -> str:
    """A tick's text: millions and thousands by their letter."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
