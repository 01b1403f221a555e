"""What the server of processes imports once, so that none of its processes does (see :mod:`planner.processes.start`).

Only what every planner needs and what starts no thread: no solvers (highspy and ortools do not get along in one process),
no Qt, no kernels, and no planners, of which a process needs one or two. To be imported by that server only.
"""

from __future__ import annotations

import gc
import importlib
import signal

# Ctrl-C is the program's, also while this is being imported; the program's end is this server's.
signal.signal(signal.SIGINT, signal.SIG_IGN)

for _name in (
    "planner.runs.worker",
    "planner.runs.warm_up",
    "planner.processes.question",
    "planner.search.run",
    "planner.problem.problem",
    "planner.machines.two_level_memory.problem",
):
    importlib.import_module(_name)

# What is here stays: a collection in a process would only copy the pages that it shares with the others.
gc.collect()
gc.freeze()
