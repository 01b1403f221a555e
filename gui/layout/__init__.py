"""Geometry of the canvas: places and routes for every op of a graph. NumPy and numba, no Qt.

skeleton = prepare(n, edge_src, edge_dst, backward=..., partner=...)
flow = flow_layout(skeleton, (width, height))
lanes = lanes_layout(skeleton, device, devices, (width, height))
lanes = lanes_layout(skeleton, moved, devices, (width, height), keep=lanes.frame)
stages = stages_layout(skeleton, device, devices, rank, (width, height))
ribbons = stage_routes(stages.stages, pairs)
"""

from gui.layout.flow import flow_layout
from gui.layout.lanes import lanes_layout
from gui.layout.repeats import repeated_blocks
from gui.layout.result import EdgeClass, Frame, Lane, Layout, Row, Stages
from gui.layout.skeleton import Skeleton, prepare
from gui.layout.stage_links import stage_routes
from gui.layout.stages import stages_layout
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
    "Stages",
    "flow_layout",
    "lanes_layout",
    "prepare",
    "repeated_blocks",
    "stage_routes",
    "stages_layout",
    "warm_up",
]
