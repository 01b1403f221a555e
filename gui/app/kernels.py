"""The kernels of a program with a window, as tasks that compile them: the window's own and those of :mod:`planner.runs.preparing`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from planner.compiling.kernel import digest_of
from planner.compiling.store import store
from planner.machines.catalogue import machines
from planner.runs import preparing


def _draw() -> None:
    from gui.raster import engine

    engine.warm_up()
    store().save(_drawn(), b"")


def _drawn() -> str:
    """The name in the store that says that what draws is compiled. Asked at every start: it reads no other sources."""
    from gui.raster import engine

    return f"draws-{digest_of(vars(engine.COMPILED).values())[:40]}"


def can_draw() -> bool:
    """Whether what draws is compiled."""
    return store().has(_drawn())


def _lay_out() -> None:
    from gui.layout import warm_up

    warm_up()


def _networks() -> None:
    from gui.canvas.network import raster
    from gui.document.network import memory_history
    from gui.editors.network.strip import kernels

    for part in (raster, memory_history, kernels):
        part.warm_up()


DRAWING: dict[str, Callable[[], None]] = {"draw": _draw, "lay-out": _lay_out, "networks": _networks}
"""The window's own tasks."""


COSTS = {
    "draw": 23.3, "lay-out": 28.5, "networks": 2.1,
    "edit:pipeline": 18.7, "edit:mcm": 3.9, "edit:memory": 0.3, "rest:pipeline": 0.6, "rest:memory": 4.1,
    "method:chain-dp": 62.6, "method:slice": 11.2, "method:brkga": 1.9, "method:mla": 0.7, "method:anneal": 4.9, "method:mtpp-mip": 12.3,
    "method:mtpp-cp-sat": 0.3, "method:blocks": 3.9, "method:ideals-dp": 7.6, "method:memory-fill": 0.9, "method:pipedream": 0.6, "method:max-load-ip": 3.3,
    "method:latency-ip": 12.7, "method:edge-tpu-ilp": 3.6, "method:edge-tpu-fastest": 2.3, "method:edge-tpu-profiled": 0.5, "method:chip-local-search": 1.4, "method:local-search": 2.2,
    "method:connection-reordering": 33.0, "method:ip": 0.4, "method:nested-cuts": 0.4,
}  # fmt: skip
"""What a task costs where nothing is compiled, in processor seconds (``python -m benchmarks kernels``). Kernels that several tasks share
are counted for the first of :func:`tasks` of a pipeline."""
LEAST_COST = 0.1
"""What any other task costs: it looks for its kernels, and finds them."""


KERNELS = 438
"""About how many kernels all tasks compile (docs/window.md, *A first start*): of progress, nothing hangs on it."""


def made() -> float:
    """What cost all that is compiled by now, were all kernels alike: tells that something happens within a task."""
    return store().count() * sum(COSTS.values()) / KERNELS


def cost(task: str) -> float:
    """What a task costs beside the others."""
    return COSTS.get(task, LEAST_COST)


def tasks(kind: str = "") -> list[str]:
    """Everything, by what is needed next where a model is open on a machine of that ``kind``."""
    known = machines()
    early = 3 if kind in known and known[kind].target.plans_networks else 2
    return [*list(DRAWING)[:early], *preparing.tasks(kind), *list(DRAWING)[early:]]


def do(task: str) -> None:
    """Do one of these tasks."""
    DRAWING.get(task, lambda: preparing.do(task))()


def work_through(wanted: Sequence[str], behind: bool = False) -> Iterator[str]:
    """Do those that nobody else does, ``behind`` all else that runs on the machine; for a process of its own."""
    if behind:
        preparing.step_back()
    yield from preparing.work_through(wanted, do)


def helpers() -> int:
    """How many processes compile at once: two compilers fill the memory of a small machine, and helpers cost their start."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(2, cores)


def load_here() -> None:
    """Load, or compile, in this process what draws, evaluates and edits; planners load theirs when they start."""
    for task in tasks():
        if task in DRAWING or task.startswith("edit:"):
            do(task)
