"""What the server of processes imports once, so that none of its processes does (see :mod:`planner.processes.start`).

Only what every planner needs and what starts no thread: no solvers (highspy and ortools do not get along in one process),
no Qt, no kernels. To be imported by that server only.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import signal

# Ctrl-C is the program's, also while this is being imported; the program's end is this server's.
signal.signal(signal.SIGINT, signal.SIG_IGN)

for _name in (
    "planner.runs.worker",
    "planner.processes.question",
    "planner.search.run",
    "planner.problem.problem",
    "planner.machines.two_level_memory.problem",
):
    importlib.import_module(_name)

# A planner that cannot be imported says so in the process that needs it, where somebody listens.
with contextlib.suppress(Exception):
    from planner.machines.catalogue import bound_methods, planners

    planners(), bound_methods()

# What is here stays: a collection in a process would only copy the pages that it shares with the others.
gc.collect()
gc.freeze()
