"""What exports of runnable stages share: their parts of the graph, names, results and errors.

A *stage* of an export is what one device runs of one model without waiting for another device in between. Where the plan is
a chain, as on a pipeline, that is one stage per device; a device whose ops cannot run in one go has several, each a
file of its own. Model inputs belong to no stage: whoever runs the stages hands them to each stage that reads them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.errors import StageboardError
from planner.evaluation.pieces import pieces
from planner.model.graph import Ints, csr
from planner.problem.problem import Plan

INPUT_KINDS = frozenset({"Input", "InputLayer"})
"""Ops of these kinds stand for a model's inputs and run nowhere."""


TOLERANCE = 1e-5
"""Largest difference that a check allows in floating point, relative to the largest magnitude of a tensor. Integers must be equal."""


class VerificationFailed(StageboardError):
    """Exported stages do not reproduce the whole model; nothing was written."""


class NotComparable(StageboardError):
    """The whole model itself cannot be run, or gives other outputs each time, so stages cannot be compared with it."""


@dataclass(frozen=True)
class Checked:
    """What came of running stages and whole models on the same random inputs."""

    samples: int = 0
    """Inputs for each model; 0 where nothing was run."""
    largest_difference: float = 0.0
    exact: bool = False
    constant: tuple[str, ...] = ()
    """Outputs that were the same for all samples: the check says little of what lies before them."""


def together(checks: Sequence[Checked]) -> Checked:
    """The results of several models' checks as one: the fewest samples, the largest difference."""
    if not checks:
        return Checked()
    return Checked(
        min(c.samples for c in checks),
        max(c.largest_difference for c in checks),
        all(c.exact for c in checks),
        tuple(name for c in checks for name in c.constant),
    )


@dataclass(frozen=True)
class StageFile:
    """One stage's model file. ``inputs`` and ``outputs`` name its tensors in their order in the file; ``bytes`` is its size."""

    model: str
    stage: str
    """The device that runs it, by name."""
    path: Path
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class StageExport:
    """An export of stages and how it was verified: each file was read again and compared with its part of the source, and, where
    that was asked for, the stages were run."""

    format: str
    folder: Path
    stages: tuple[StageFile, ...]
    checked: int
    """How many random inputs the stages and the whole model were run on; 0 where verification was not asked for."""
    largest_difference: float
    """The largest difference of any output value, relative as ``tolerance`` is; 0 where all are equal."""
    tolerance: float
    """The relative difference that is allowed in floating point; integers must be equal."""
    exact: bool
    """Whether the stages were checked and all outputs were equal bit for bit."""
    notes: tuple[str, ...] = ()


def verified_text(done: StageExport) -> str:
    """One sentence, without a full stop, on what the check of an export has shown."""
    return f"{_run_text(done)}; read back, each file equals its part of the source"


def _run_text(done: StageExport) -> str:
    if not done.checked:
        return "not run: whether the stages reproduce the whole model was not checked"
    inputs = "1 random input" if done.checked == 1 else f"{done.checked} random inputs"
    if done.exact:
        return f"verified on {inputs}: the outputs equal the whole model's bit for bit"
    return (
        f"verified on {inputs}: the outputs differ from the whole model's by at most {done.largest_difference:.1e} of"
        f" their largest value (allowed: {done.tolerance:.0e})"
    )


@dataclass(frozen=True, eq=False)
class StagePart:
    """The part of one model that one device runs in one go. Indices are those of the plan's graph, int32 arrays."""

    device: int
    ops: Ints
    """Without model inputs, in a topological order."""
    tensors_in: Ints
    """Tensors that its ops read and none of them makes: of other parts and of model inputs."""
    tensors_out: Ints
    """Tensors of its ops that other parts read, and those that nobody reads: model outputs. A tensor that is read and
    also an output of the model is not marked in a graph; its file knows."""


def segment_name(model: str, i: int, n: int) -> str:
    """The Edge TPU convention for the ``i``-th of ``n`` stages, without a suffix. ``n`` counts the files, so devices without ops
    leave no gap. Characters that file systems treat specially become ``_``."""
    safe = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", model).strip(" .")[:120] or "model"
    return f"{safe}_segment_{i}_of_{n}"


def stage_parts(plan: Plan, model: int = 0) -> tuple[StagePart, ...]:
    """The parts of the ``model``-th model in the order in which they run; devices without ops of it have none.

    Every tensor comes from a part before those that read it. O(n + m) per part.
    """
    graph = plan.problem.graph
    mine = np.flatnonzero(graph.model == model).astype(np.int32)
    piece_of, device_of_piece = _pieces(plan, mine)
    rank = np.zeros(graph.n, np.int64)
    rank[graph.topological_order] = np.arange(graph.n)
    is_input = np.array([kind in INPUT_KINDS for kind in graph.kinds], bool)
    # An input belongs to no piece: number -1 makes its tensors foreign to each part that reads them.
    home = np.full(graph.n, -1, np.int64)
    home[mine] = piece_of
    home[is_input] = -1
    producer = home[graph.tensor_producer]
    reader_tensor = np.repeat(np.arange(graph.tensor_count), np.diff(graph.consumer_ptr))
    reader = home[graph.consumer_idx]
    unread = np.diff(graph.consumer_ptr) == 0
    parts = []
    for piece, device in enumerate(device_of_piece):
        ops = np.flatnonzero(home == piece)
        if not len(ops):
            continue
        read = np.unique(reader_tensor[reader == piece])
        made = producer == piece
        leaves = np.zeros(graph.tensor_count, bool)
        leaves[reader_tensor[reader != piece]] = True
        parts.append(
            StagePart(
                int(device),
                ops[np.argsort(rank[ops])].astype(np.int32),
                read[~made[read]].astype(np.int32),
                np.flatnonzero(made & (leaves | unread)).astype(np.int32),
            )
        )
    return tuple(parts)


def _pieces(plan: Plan, mine: Ints) -> tuple[Ints, Ints]:
    """The piece of each of the ops ``mine`` and the device of each piece; every edge stays in a piece or goes to a higher one."""
    graph = plan.problem.graph
    local = np.full(graph.n, -1, np.int32)
    local[mine] = np.arange(len(mine), dtype=np.int32)
    src, dst = graph.edges
    kept = local[src] >= 0
    src, dst = local[src[kept]], local[dst[kept]]
    k = len(plan.problem.devices)
    succ_ptr, succ_idx = csr(src, dst, len(mine))
    pred_ptr, pred_idx = csr(dst, src, len(mine))
    piece_of, device_of_piece, _, _ = pieces(
        plan.decision.device_of[mine],
        np.zeros(len(mine), np.int8),
        succ_ptr,
        succ_idx,
        pred_ptr,
        pred_idx,
        np.ones(k, bool),
        np.arange(k, dtype=np.int32),
    )
    return piece_of, device_of_piece
