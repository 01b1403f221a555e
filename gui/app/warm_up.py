"""Compile or load what the window compiles at first use (``python -m gui.app.warm_up``); any thread will do."""

from __future__ import annotations

from collections.abc import Callable


def warm_up(stopped: Callable[[], bool] = lambda: False) -> None:
    """The canvas first, which is what is seen first, then evaluation and planners; until ``stopped``."""
    from gui.canvas.network import raster as order_raster
    from gui.document.network import memory_history as order_history
    from gui.editors.network.strip import kernels as strip_kernels
    from gui.layout import warm_up as warm_up_layout
    from gui.raster import engine as raster
    from planner.runs.warm_up import warm_targets

    for part in (
        raster.warm_up, warm_up_layout, order_raster.warm_up, order_history.warm_up, strip_kernels.warm_up,
    ):  # fmt: skip
        if stopped():
            return
        part()
    warm_targets(stopped)


if __name__ == "__main__":
    warm_up()
