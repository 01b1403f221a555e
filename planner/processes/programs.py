"""Programs of ours that run beside this one: how each is started, from a checkout, an installation or the frozen app.

A frozen app has no interpreter to hand a script to: its own executable, told which, is the program. Elsewhere Python is
handed this file, which imports nothing of ours itself, and whose own checkout or installation is where it finds the rest.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAMS = {
    "mip": "planner.methods.mip.mip_child",
    "lp": "planner.methods.mip.lp_child",
    "sweep": "planner.runs.sweep.execute",
    "train": "planner.machines.mcm.learning.program",
}
"""The module of each program, by its name."""
RUN = "--run-program"
"""The word before a program's name."""
LIBRARIES = "LD_LIBRARY_PATH"


def is_frozen() -> bool:
    """Whether this is the frozen app (``make app``) rather than an interpreter that runs our sources."""
    return bool(getattr(sys, "frozen", False))


def command_of(name: str) -> list[str]:
    """The words that start the program ``name``. Raises KeyError for one that is not of :data:`PROGRAMS`."""
    _ = PROGRAMS[name]
    # -P: neither this file's folder nor the one where it is started may become a place to import from.
    return [sys.executable, *([] if is_frozen() else ["-P", __file__]), RUN, name]


def run_program(arguments: Sequence[str]) -> bool:
    """Be the program that ``arguments`` ask for, to its end; False, at once, where they ask for none."""
    if len(arguments) != 2 or arguments[0] != RUN or arguments[1] not in PROGRAMS:
        return False
    runpy.run_module(PROGRAMS[arguments[1]], run_name="__main__")
    return True


def give_others_their_libraries() -> None:
    """Have programs that are not ours (ffmpeg, a browser) load the system's libraries, not those of the frozen app."""
    if os.environ.pop(LIBRARIES, None) is not None and (before := os.environ.pop(f"{LIBRARIES}_ORIG", "")):
        os.environ[LIBRARIES] = before


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(0 if run_program(sys.argv[1:]) else 2)
