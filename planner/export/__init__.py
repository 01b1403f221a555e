"""Exports: a plan written for other programs. Every file is written whole or not at all."""

from planner.export.csv import to_csv
from planner.export.device_placement import to_device_placement
from planner.export.dot import to_dot

__all__ = ["to_csv", "to_device_placement", "to_dot"]
