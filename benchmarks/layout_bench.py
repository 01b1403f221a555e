"""Times and quality of the canvas layouts: `python -m benchmarks.layout_bench [folder of device-placement JSON files]`.

Without a folder it uses networks made here, so that it runs from a bare clone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.layout_metrics import drawn_crossings, edge_length, overlaps, viewport_fill
from gui.canvas.graph.scene import forward_partners
from gui.layout import Layout, flow_layout, lanes_layout, prepare, warm_up
from planner.formats import read_graph

VIEWPORTS = ((780.0, 560.0), (1300.0, 800.0))
REPEATS = 5


def transformer(layers: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Layers of three parallel chains, a join, a residual, and weights of one consumer each."""
    edges: list[tuple[int, int]] = []
    count = 1
    last = 0
    for _ in range(layers):
        ends = []
        for _ in range(3):
            at = last
            for _ in range(4):
                edges += [(at, count), (count + 1, count)]
                at = count
                count += 2
            ends.append(at)
        edges += [(end, count) for end in ends] + [(last, count)]
        at = count
        count += 1
        for _ in range(8):
            edges += [(at, count), (count + 1, count)]
            at = count
            count += 2
        edges += [(at, count), (last, count)]
        last = count
        count += 1
    pairs = np.unique(np.array(edges, np.int32), axis=0)
    return count, pairs[:, 0].copy(), pairs[:, 1].copy()


def graphs(folder: Path | None) -> Iterator[tuple[str, int, np.ndarray, np.ndarray, dict[str, Any]]]:
    if folder is not None:
        for path in sorted(folder.rglob("*.json")):
            graph = read_graph(path)
            extra = {"backward": graph.backward, "partner": forward_partners(graph)}
            yield path.stem, graph.n, *graph.edges, extra
    for layers in (4, 18, 47, 465):
        n, src, dst = transformer(layers)
        yield f"transformer x {layers}", n, src, dst, {}


def best_ms(run: Callable[[], Layout]) -> tuple[float, Layout]:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        layout = run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3, layout


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    start = time.perf_counter()
    warm_up()
    print(f"warm up {time.perf_counter() - start:.2f} s")
    head = (
        "graph",
        "ops",
        "view",
        "prepare",
        "layout ms",
        "rows",
        "columns",
        "covered",
        "cards",
        "crossings",
        "length/edge",
    )
    print(f"{head[0]:32}" + "".join(f"{name:>12}" for name in head[1:]))
    for name, n, src, dst, extra in graphs(folder):
        start = time.perf_counter()
        skeleton = prepare(n, src, dst, **extra)
        prepared = (time.perf_counter() - start) * 1e3
        order = np.argsort(np.argsort(skeleton.column * max(n, 1) + np.arange(n)))
        for viewport in VIEWPORTS:
            for devices in (0, 4, 36):
                plan = order * devices // n
                if devices:
                    took, layout = best_ms(lambda: lanes_layout(skeleton, plan, devices, viewport))  # noqa: B023
                else:
                    took, layout = best_ms(lambda: flow_layout(skeleton, viewport))  # noqa: B023
                assert overlaps(layout) == 0
                covered, ink = viewport_fill(layout, viewport)
                crossings = str(drawn_crossings(layout)) if n < 5000 else "-"
                view = f"{devices} lanes" if devices else "flow"
                print(
                    f"{name[:31]:32}{n:12}{view:>12}{prepared:12.2f}{took:12.2f}{len(layout.rows):12}"
                    f"{layout.frame.columns:12}{covered:12.2f}{ink:12.3f}{crossings:>12}"
                    f"{edge_length(layout) / max(1, len(src)):12.0f}"
                )


if __name__ == "__main__":
    main()
