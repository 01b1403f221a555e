"""Repair: a valid plan near one that a person made, on every target.

:func:`repair` keeps what it can where it is, pins always and what was just moved before all else; what cannot stay goes
to the nearest device. How it does so depends on the target: :mod:`planner.methods.repair.ordered` for devices in a row,
:mod:`planner.machines.mcm.repair.repair` for multi-chip modules, :mod:`planner.machines.pool.repair` for device pools. Orders of connections are repaired by
:func:`planner.machines.two_level_memory.repair.repair_order`. :func:`planner.repair.kept.explained` says why an op moved that was to be kept.
"""

from planner.methods.repair.outcome import KeptMove, Repair, RepairError
from planner.repair.repairing import repair

__all__ = ["KeptMove", "Repair", "RepairError", "repair"]
