"""What a process and all that it started have used, as Linux tells it. Imports nothing of ours: peers' interpreters run it, too."""

from __future__ import annotations

import os
from pathlib import Path


def tree_of(pid: int) -> list[int]:
    """A process and its living descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := fields_of(int(entry.name))):
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += parents.get(found[-1], [])
    return found


def fields_of(pid: int) -> list[str]:
    """What ``/proc/PID/stat`` says after the name: state, parent, ...; empty where the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def cpu_seconds(pid: int) -> float:
    """Processor seconds of a process and its descendants, of those that ended and were waited for, too."""
    ticks = 0
    for one in tree_of(pid):
        if fields := fields_of(one):
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Megabytes that a process and its descendants hold alone or share (each its share: PSS)."""
    kilobytes = 0
    for one in tree_of(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024
