"""Steps that tests take in a document, what its signals say of them, and what undo must bring back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gui.document.plan.document import Document
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool


def heard(document: Document, *signals: str) -> list[tuple[str, Any]]:
    """What the signals say from now on, in order."""
    log: list[tuple[str, Any]] = []
    for name in signals:
        getattr(document, name).connect(
            lambda *args, name=name: log.append((name, args[0] if args else None))
        )
    return log


def state(document: Document) -> tuple[Any, ...]:
    """Everything that undo must bring back."""
    assert document.problem is not None
    return (
        document.problem.fingerprint,
        document.device_of.tolist(),
        [(e.id, e.name, e.device_of.tolist()) for e in document.plans],
        document.plan_list.active_id,
        document.plan_path,
    )


def _apply(document: Document, rng: np.random.Generator) -> None:
    document.apply_plan(document.plans[int(rng.integers(len(document.plans)))])


Action = Callable[[Document, np.random.Generator], object]
ACTIONS: dict[str, Action] = {
    "move": lambda d, r: d.move(r.choice(12, 2, replace=False), int(r.integers(_k(d)))),
    "along": lambda d, r: d.move([int(r.integers(12))], int(r.integers(_k(d))), along=True),
    "pin": lambda d, r: d.pin([int(r.integers(12))]),
    "pin to": lambda d, r: d.pin([int(r.integers(12))], int(r.integers(_k(d)))),
    "unpin": lambda d, r: d.unpin(range(6)),
    "together": lambda d, r: d.keep_together(r.choice(12, 2, replace=False)),
    "separate": lambda d, r: d.separate([int(r.integers(12))]),
    "clear": lambda d, r: d.clear_constraints(),
    "target": lambda d, r: d.set_problem(Pipeline(count=int(r.integers(1, 5)))),
    "pool": lambda d, r: d.set_problem(DevicePool(accelerators=2, cpus=1)),
    "gpipe": lambda d, r: d.set_problem(DevicePool(accelerators=2, cpus=1), "gpipe"),
    "assign": lambda d, r: d.set_assignment(r.integers(0, _k(d), 12), "edit", "Shuffle"),
    "apply": _apply,
    "rename": lambda d, r: d.rename_plan(d.plans[int(r.integers(len(d.plans)))], f"name {r.integers(99)}"),
    "remove": lambda d, r: d.remove_plan(d.plans[int(r.integers(len(d.plans)))]),
    "follow": lambda d, r: (
        d.follow(r.integers(0, _k(d), 12), d.plans[1], "job", "Follow") if _listed(d) else None
    ),
    "undo": lambda d, r: d.undo_stack.undo(),
    "redo": lambda d, r: d.undo_stack.redo(),
}


def _k(document: Document) -> int:
    assert document.problem is not None
    return len(document.problem.devices)


def _listed(document: Document) -> bool:
    return len(document.plans) > 1 and document.plans[1].origin == "planner"


def perform(document: Document, actions: list[tuple[str, int]]) -> None:
    """Do what was drawn; what is refused in so many words is left out."""
    for name, seed in actions:
        try:
            ACTIONS[name](document, np.random.default_rng(seed))
        except StageboardError:
            continue


STEPS = st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.integers(0, 1000)), max_size=14)
