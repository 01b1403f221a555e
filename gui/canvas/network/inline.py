"""A sparse network as a small SVG inside a page: its connections, from the neurons of their sources to those of their targets."""

from __future__ import annotations

from html import escape

import numpy as np

from gui.look.colours import LIGHT
from planner.model.network import Network

MOST_CELLS, PIXELS = 100, 300
"""Cells each way, into which neurons are counted together where there are more of them; and how large the picture is."""


def network_svg(network: Network) -> str:
    """Sources from top to bottom, targets from left to right, in the order of the neurons; where a cell has connections it is filled."""
    cells = min(MOST_CELLS, max(network.neuron_count, 1))
    per_cell = max(network.neuron_count, 1) / cells
    row = (network.source / per_cell).astype(np.int64)
    column = (network.target / per_cell).astype(np.int64)
    filled = np.unique(row * cells + column)
    path = "".join(f"M{code % cells} {code // cells}h1v1h-1z" for code in filled.tolist())
    what = f"{network.name}: {network.connection_count} connections of {network.neuron_count} neurons"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {cells} {cells}" width="{PIXELS}" height="{PIXELS}" role="img"'
        f' aria-label="{escape(what)}" style="background:{LIGHT.canvas}"><path d="{path}" fill="{LIGHT.accent}"/></svg>'
    )
