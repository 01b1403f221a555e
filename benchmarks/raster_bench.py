"""CPU time of the canvas raster engine on synthetic scenes, one thread (``python -m benchmarks.raster_bench``).

Scenes fill a 1280 x 800 image: a training graph's size (2,012 ops of 24 x 14 px, 2,751 edges 60 to 150 px long) and
ten times that (20,000 ops of 6 x 4 px, 27,000 edges). Times are CPU milliseconds (median and best of many runs).
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gui.raster import engine as raster

WIDTH, HEIGHT = 1280, 800
PALETTE = np.array([0xFF3B6FB6, 0xFFE08A2C, 0xFF2F9E77, 0xFFA558B0, 0xFFC8553D, 0xFF5B6B7F], np.uint32)


def scene(
    ops: int, edges: int, op_w: float, op_h: float, near: float, far: float, seed: int = 1
) -> dict[str, Any]:
    """Ops on a jittered grid, each edge to an op ``near`` .. ``far`` px away, mostly to the right; cards 96 units wide."""
    rng = np.random.default_rng(seed)
    columns = int(np.ceil(np.sqrt(ops * WIDTH / HEIGHT * op_h / op_w)))
    rows = -(-ops // columns)
    at = np.arange(ops)
    x = (at % columns) * (WIDTH / columns) + rng.uniform(0, 2, ops)
    y = (at // columns) * (HEIGHT / rows) + rng.uniform(0, 2, ops)
    src = rng.integers(0, ops, edges)
    angle = rng.normal(0.0, 0.6, edges)
    reach = rng.uniform(near, far, edges)
    gx = np.clip(x[src] + reach * np.cos(angle), 0, WIDTH - op_w) / (WIDTH / columns)
    gy = np.clip(y[src] + reach * np.sin(angle), 0, HEIGHT - op_h) / (HEIGHT / rows)
    dst = np.minimum(gy.astype(int) * columns + gx.astype(int), ops - 1)
    stage = (x / WIDTH * len(PALETTE)).astype(int) % len(PALETTE)
    return {
        "box": tuple(column * 96.0 / op_w for column in (x, y, np.full(ops, op_w), np.full(ops, op_h))),
        "view": (op_w / 96.0, 0.0, 0.0),
        "src": src.astype(np.int32),
        "dst": dst.astype(np.int32),
        "colour": PALETTE[stage],
        "edge_colour": (PALETTE[stage][src] & np.uint32(0xFFFFFF)) | np.uint32(0x90000000),
    }


def cpu(work: Any, repeat: int = 40) -> dict[str, float]:
    """Median and best CPU milliseconds of ``work()`` on this thread."""
    work()
    times = []
    for _ in range(repeat):
        start = time.thread_time()
        work()
        times.append(1e3 * (time.thread_time() - start))
    return {"median_ms": round(float(np.median(times)), 3), "best_ms": round(min(times), 3)}


def measure(name: str, s: dict[str, Any], results: dict[str, Any]) -> None:
    img = raster.new_image(WIDTH, HEIGHT, 0xFFFFFFFF)
    layer = raster.new_image(WIDTH, HEIGHT, 0xFFFFFFFF)
    cards_at: Any = (*s["box"], *s["view"])  # x, y, w, h, scale, ox, oy
    edges_at: Any = (*s["box"], s["src"], s["dst"], *s["view"])

    def fill() -> None:
        raster.fill(img, None, 0xFFF7F9FC)

    def edges(clip: raster.Clip | None = None) -> None:
        raster.edges_between(img, clip, *edges_at, colour=s["edge_colour"], width_px=1.2)

    def cards(clip: raster.Clip | None = None) -> None:
        raster.rounded_rects(
            img, clip, *cards_at, fill=0xFFFFFFFF, stroke=s["colour"], stroke_px=1.0, radius_px=3.0,
            accent=s["colour"], accent_px=3.0,
        )  # fmt: skip

    def frame() -> None:
        fill()
        edges()
        cards()

    few = np.arange(50, dtype=np.int32) * 7

    def hover() -> None:
        raster.edges_between(img, None, *edges_at, colour=0xFFD0402A, width_px=2.0, arrow_px=7.0, index=few)

    results[name] = {
        "fill": cpu(fill),
        "edges": cpu(edges),
        "cards": cpu(cards),
        "frame": cpu(frame),
        "hover 50 edges": cpu(hover),
        "blit whole image": cpu(lambda: raster.blit(img, layer)),
        "compose whole opaque layer": cpu(lambda: raster.compose(img, layer)),
        "hit op": cpu(lambda: raster.hit_op(640.5, 400.5, *cards_at), 200),
        "ops in rect": cpu(lambda: raster.ops_in_rect((300, 200, 900, 600), *cards_at), 200),
    }

    # wall time of the same frame in two horizontal bands on two threads
    with ThreadPoolExecutor(2) as pool:

        def band(clip: raster.Clip) -> None:
            raster.fill(img, clip, 0xFFF7F9FC)
            edges(clip)
            cards(clip)

        wall = {}
        for label, count in (("1 thread", 1), ("2 threads", 2)):
            parts = raster.bands((0, 0, WIDTH, HEIGHT), count)
            times = []
            for _ in range(30):
                start = time.perf_counter()
                list(pool.map(band, parts))
                times.append(1e3 * (time.perf_counter() - start))
            wall[label] = {"median_ms": round(float(np.median(times)), 3), "best_ms": round(min(times), 3)}
        results[name]["frame, wall"] = wall


def main() -> int:
    raster.warm_up()
    results: dict[str, Any] = {}
    measure("2,012 ops, 2,751 edges", scene(2012, 2751, 24, 14, 60, 150), results)
    measure("20,000 ops, 27,000 edges", scene(20000, 27000, 6, 4, 10, 40), results)
    img = raster.new_image(WIDTH, HEIGHT, 0xFFFFFFFF)
    rng = np.random.default_rng(3)
    ends = rng.uniform(0, 1, (40, 4)) * (WIDTH, HEIGHT, WIDTH, HEIGHT)
    ribbons = raster.s_curves(ends[:, 0], ends[:, 1], ends[:, 2], ends[:, 3], 120.0)
    results["40 ribbons of 30 px across the window"] = {
        "translucent": cpu(
            lambda: raster.curves(img, None, ribbons, 1.0, 0.0, 0.0, colour=0x803B6FB6, width_px=30.0)
        ),
        "opaque": cpu(
            lambda: raster.curves(img, None, ribbons, 1.0, 0.0, 0.0, colour=0xFF3B6FB6, width_px=30.0)
        ),
    }
    json.dump(results, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
