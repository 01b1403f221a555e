"""Walking over the cards with the arrow keys."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from gui.canvas.graph.scene import Scene


def neighbour(scene: Scene, item: int, key: Qt.Key) -> int:
    """The card that an arrow key leads to: along an edge to the left and right, else the nearest in that direction."""
    items = scene.items
    cx, cy = scene.layout.x + scene.w / 2, scene.layout.y + scene.h / 2
    dx, dy = cx - cx[item], cy - cy[item]
    if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        forward = (key == Qt.Key.Key_Right) != bool(scene.layout.mirrored[item])
        near = items.edge_dst[items.edge_src == item] if forward else items.edge_src[items.edge_dst == item]
        if len(near):
            return int(near[np.argmin(np.abs(dx[near]) + np.abs(dy[near]))])
    ahead = {
        Qt.Key.Key_Left: dx < -1,
        Qt.Key.Key_Right: dx > 1,
        Qt.Key.Key_Up: dy < -1,
        Qt.Key.Key_Down: dy > 1,
    }[key]
    candidates = np.flatnonzero(ahead)
    if len(candidates) == 0:
        return item
    across = np.abs(dy[candidates]) if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) else np.abs(dx[candidates])
    along = np.abs(dx[candidates]) if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) else np.abs(dy[candidates])
    return int(candidates[np.argmin(along + 2.5 * across)])
