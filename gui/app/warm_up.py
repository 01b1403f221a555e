"""Compile everything that the window compiles at first use (``python -m gui.app.warm_up``)."""

from __future__ import annotations

from gui.canvas.network import raster as order_raster
from gui.document.network import memory_history as order_history
from gui.editors.network.strip import kernels as strip_kernels
from gui.layout import warm_up as warm_up_layout
from gui.raster import engine as raster
from planner.runs.warm_up import warm_targets


def warm_up() -> None:
    """The canvas first, then evaluation and editing on every machine."""
    for part in (
        raster.warm_up, warm_up_layout, order_raster.warm_up, order_history.warm_up, strip_kernels.warm_up,
    ):  # fmt: skip
        part()
    warm_targets()


if __name__ == "__main__":
    warm_up()
