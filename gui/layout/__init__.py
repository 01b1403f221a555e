"""Geometry of the canvas: places and routes for every op of a graph. NumPy and numba, no Qt.

skeleton = prepare(n, edge_src, edge_dst, backward=..., partner=...)
flow = flow_layout(skeleton, (width, height))
lanes = lanes_layout(skeleton, device, devices, (width, height))
lanes = lanes_layout(skeleton, moved, devices, (width, height), keep=lanes.frame)
"""

from gui.layout.flow import flow_layout
from gui.layout.lanes import lanes_layout
from gui.layout.repeats import repeated_blocks
from gui.layout.result import EdgeClass, Frame, Lane, Layout, Row
from gui.layout.skeleton import Skeleton, prepare
from gui.layout.style import LayoutStyle
from gui.layout.warm import warm_up

__all__ = [
    "EdgeClass",
    "Frame",
    "Lane",
    "Layout",
    "LayoutStyle",
    "Row",
    "Skeleton",
    "flow_layout",
    "lanes_layout",
    "prepare",
    "repeated_blocks",
    "warm_up",
]
