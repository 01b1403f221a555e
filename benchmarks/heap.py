"""What a process holds, told apart from what it has asked of the system: its heap keeps pages that are free, and RSS counts them.

Also what is loaded once and stays: modules, and forms of kernels. A round that loads some grows; the next of its kind does not.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from planner.compiling.kernel import Kernel

MB = 1e6


class _Mallinfo2(ctypes.Structure):
    """As in malloc.h of glibc 2.33 and later."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


class Reading(NamedTuple):
    """At one moment, in megabytes: ``resident`` pages (RSS), what ``malloc`` and Python's own allocator (``python``) have given out, and
    what of malloc's heap is ``free``; modules and forms of kernels that are loaded."""

    resident: float
    malloc: float
    python: float
    free: float
    modules: int
    kernels: int

    @property
    def used(self) -> float:
        """What somebody holds."""
        return self.malloc + self.python

    @property
    def loaded(self) -> tuple[int, int]:
        """What is loaded once."""
        return self.modules, self.kernels

    def __str__(self) -> str:
        return (
            f"{self.used:.1f} MB in use ({self.python:.1f} Python's), {self.resident:.0f} MB resident, {self.free:.0f} MB free in the heap;"
            f" {self.modules} modules, {self.kernels} kernels"
        )


def read() -> Reading:
    """Now. Collect what is garbage before."""
    call = _c().mallinfo2
    call.restype = _Mallinfo2
    heap = call()
    kernels = {
        id(one): len(one.overloads)
        for name, module in list(sys.modules.items())
        if name.startswith(("gui.", "planner."))
        for one in vars(module).values()
        if isinstance(one, Kernel)
    }
    return Reading(
        resident_mb(), (heap.uordblks + heap.hblkhd) / MB, python_mb(), heap.fordblks / MB, len(sys.modules), sum(kernels.values()),
    )  # fmt: skip


def resident_mb() -> float:
    """Megabytes of this process's pages that are in memory now (RSS)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MB


def python_mb() -> float:
    """Megabytes in blocks of Python's own allocator, whose arenas are not malloc's; only its statistics say so, on standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as told:
        os.dup2(told.fileno(), 2)
        try:
            sys._debugmallocstats()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        told.seek(0)
        found = re.search(rb"# bytes in allocated blocks\s*=\s*([\d,]+)", told.read())
    return float(found[1].replace(b",", b"")) / MB if found is not None else 0.0


def _c() -> ctypes.CDLL:
    return ctypes.CDLL("libc.so.6")


def growth(readings: Sequence[Reading]) -> tuple[list[float], list[float]]:
    """By how much each reading is above the one before, in megabytes in use: where something was loaded between them, and elsewhere."""
    loading: list[float] = []
    others: list[float] = []
    for before, after in pairwise(readings):
        (loading if before.loaded != after.loaded else others).append(after.used - before.used)
    return loading, others
