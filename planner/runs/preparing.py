"""Compiling ahead, task by task, in as many processes as one likes: what is done is remembered, what one does no other does.

A task is a word: ``edit:KIND`` (evaluation, editing and repair on a machine), ``method:NAME`` (a planner or bound method, on
every machine that it serves), ``explain:KIND``, ``rest:KIND``. Programs that have more kernels add tasks of their own.
Which process does what is settled in the store of kernels, between programs too: a task is its process's as long as that
lives, and done once it is stamped, for all whose kernels have the same sources.
"""

from __future__ import annotations

import hashlib
import importlib.util
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from planner.compiling.store import platform, store
from planner.machines.catalogue import DEFAULT, bound_methods, machines, planners
from planner.methods.tiny import Warm
from planner.problem.problem import Problem
from planner.runs.warm_up import tiny_problems, warm_bound, warm_editing, warm_explain, warm_planner

LOWEST = 19
"""How far what compiles ahead steps back behind everything else."""
ROOMS = ("planner", "gui")
"""Packages with kernels in them."""
METHOD = "method:"
"""How the task of a planner or bound method begins; its name follows."""


def tasks(kind: str = "") -> list[str]:
    """All tasks of the planner, first those of the machine of that ``kind``."""
    known = machines()
    first = [kind] if kind in known else []
    kinds = [*first, *(one for one in known if one not in first)]
    own = [name for one in first for name in (*known[one].first, *known[one].planners, *known[one].bounds)]
    methods = [name for name in dict.fromkeys([*own, *planners(), *bound_methods()]) if name != DEFAULT]
    edits = [f"edit:{one}" for one in kinds]
    rest = [f"{what}:{one}" for one in kinds for what in ("explain", "rest")]
    return [*edits[: len(first)], *(METHOD + name for name in methods), *edits[len(first) :], *rest]


def do(task: str) -> None:
    """Do one of these :func:`tasks`."""
    what, _, name = task.partition(":")
    if what == "method":
        for problem in tiny_problems():
            if name in planners():
                warm_planner(planners()[name], problem)
            if name in bound_methods():
                warm_bound(bound_methods()[name], problem)
        return
    warm = machines()[name].part("warm")
    made: Warm = Warm() if warm is None else warm()
    if what == "rest":
        made.rest()
        return
    for problem in made.problems():
        if what == "edit":
            warm_editing(problem)
        elif isinstance(problem, Problem):
            warm_explain(problem)


def stamp(task: str) -> str:
    """The name in the store that says that a task is done."""
    return f"done-{hashlib.sha256(f'{task} {sources()}'.encode()).hexdigest()[:40]}"


def missing(wanted: Sequence[str]) -> list[str]:
    """Those of the tasks that are not done."""
    return [task for task in wanted if not store().has(stamp(task))]


def step_back() -> None:
    """Give this process the lowest priority there is, and let it end with the one that started it, in the middle of a kernel too."""
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: Any) -> None:
    wait([sentinel])
    os._exit(0)


def work_through(wanted: Sequence[str], do_one: Callable[[str], None] = do) -> Iterator[str]:
    """Do the tasks one after the other and yield each when it is done; those that others do just now are left to them."""
    for task in wanted:
        if store().has(stamp(task)) or not store().take(stamp(task), 0.0):
            continue
        try:
            if not store().has(stamp(task)):
                do_one(task)
                store().save(stamp(task), b"")
                yield task
        finally:
            store().give(stamp(task))
    store().prune()


@cache
def sources() -> str:
    """A digest of all modules with kernels, wherever they lie, and of what compiles them.

    Every start asks, and reading everything takes longer than it should wait: the digest is kept, by place, size and time of each file.
    """
    compiles = platform()
    if getattr(sys, "frozen", False):  # a program in one piece has no sources
        status = os.stat(sys.executable)
        compiles += f" {status.st_size} {status.st_mtime_ns}"
    found = [(room, folder, sorted(_modules(folder))) for room in ROOMS for folder in _folders(room)]
    name = f"sources-{hashlib.sha256(repr((compiles, found)).encode()).hexdigest()[:40]}"
    if (kept := store().load(name)) is not None:
        return kept.decode()
    state = hashlib.sha256(compiles.encode())
    for room, folder, modules in found:
        for path, _, _ in modules:
            content = Path(path).read_bytes()
            if b"njit" in content:
                state.update(f"{room}/{Path(path).relative_to(folder).as_posix()}\n".encode() + content)
    store().save(name, state.hexdigest().encode())
    return state.hexdigest()


def _folders(room: str) -> list[str]:
    """Where a package lies; nowhere in a program in one piece."""
    found = importlib.util.find_spec(room)
    places = found.submodule_search_locations if found is not None else None
    return [place for place in places or () if os.path.isdir(place)]


def _modules(folder: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of every module in a folder and in those in it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _modules(entry.path)
            elif entry.name.endswith(".py") and entry.is_file():
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
