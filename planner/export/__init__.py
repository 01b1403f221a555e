"""Exports: a plan written for other programs. Every file, and every folder of stages, is written whole or not at all.

What needs compiled kernels or large libraries is imported from its own module: :mod:`planner.machines.edge_tpu.report`,
:mod:`planner.export.model_explorer`, :mod:`planner.export.onnx.stages`, :mod:`planner.export.tflite.stages`. A process that only
checks stages then starts quickly.
"""

from planner.export.csv import to_csv
from planner.export.device_placement import to_device_placement
from planner.export.dot import to_dot

__all__ = ["to_csv", "to_device_placement", "to_dot"]
