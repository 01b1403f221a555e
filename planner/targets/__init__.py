"""Targets: machines and their rules. One file per target; the shared border-tensor cost model beside them."""

from planner.targets.base import Device, Target
from planner.targets.device_pool import DevicePool
from planner.targets.edge_tpu import EdgeTpuPipeline
from planner.targets.mcm import McmPackage
from planner.targets.memory import TwoLevelMemory
from planner.targets.pipeline import Pipeline
from planner.targets.spec import default_target, parse_target, target_from_dict

__all__ = [
    "Device",
    "DevicePool",
    "EdgeTpuPipeline",
    "McmPackage",
    "Pipeline",
    "Target",
    "TwoLevelMemory",
    "default_target",
    "parse_target",
    "target_from_dict",
]
