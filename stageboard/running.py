"""Running plans for real."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.machines.two_level_memory.execution import compare as execution
from planner.machines.two_level_memory.execution.program import compile_order
from planner.machines.two_level_memory.problem import OrderPlan
from planner.runs.interrupts import soft_interrupt
from planner.runs.running.order import RunOrder, split_of
from planner.runs.running.running import run_plan
from stageboard.plans import Plan
from stageboard.results import Run, StageRun

ORDER = "order"
"""What a plan's way of running a network is called beside a library's."""


def run(
    plan: Plan, *, samples: int = 0, cores: tuple[int, ...] = (), threads: int = 1, seed: int = 0,
    on_progress: Callable[[int, int], object] | None = None,
) -> Run:  # fmt: skip
    """Run a plan's stages, one process each, in turn with the whole model (ONNX, TFLite); of a network, its order, in turn with scipy.

    ``samples`` 0: for some fifteen seconds; of a network a batch of 100. ``on_progress`` is told how many samples are done, and of how many.
    Raises :class:`StageboardError` where the model cannot be run here, or a stage's process ended on the way.
    """
    held = plan._held()
    if isinstance(held, OrderPlan):
        return _order(held, samples or 100, threads, seed)
    if not plan.model.paths:
        raise StageboardError(
            f"{plan.model.name} was not read from a file; plan an ONNX or a TFLite model and run that plan"
        )
    found: Any = held
    order = RunOrder(
        split_of(found, found.name or "plan"),
        plan.model.paths,
        samples,
        cores=tuple(cores),
        threads=threads,
        seed=seed,
    )

    def progress(done: int, of: int) -> None:
        if on_progress is not None:
            on_progress(done, of)

    with soft_interrupt() as cancelled:
        try:
            ran = run_plan(order, progress, cancelled)
        except Cancelled:
            raise KeyboardInterrupt from None
    stages = tuple(
        StageRun(one.name, one.busy.seconds, one.transfer.seconds, one.wait.seconds, one.predicted)
        for one in ran.plan.stages
    )
    return Run(
        ran.samples, ran.plan.throughput, ran.unsplit.throughput, ran.plan.predicted, ran.outputs_equal, ran.largest_difference, stages,
        ran.notes,
    )  # fmt: skip


def _order(plan: OrderPlan, samples: int, threads: int, seed: int) -> Run:
    network = plan.problem.network
    program = compile_order(network, plan.decision.order)
    found = execution.compare(
        network, {ORDER: program}, execution.random_batch(network, samples, seed), threads
    )
    own, other = found.ways[ORDER], found.ways[execution.SCIPY]
    return Run(
        samples, samples / own.timing.wall, samples / other.timing.wall, None, own.right, own.error,
        notes=tuple(filter(None, [found.left_out])),
    )  # fmt: skip
