"""Pipeline: k ordered blocks that pass tensors forward (MTPP, section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from planner.errors import TargetError
from planner.evaluation import kernels
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.rules import OrderRule, PinRule, TogetherRule
from planner.model.graph import Graph
from planner.problem.evaluator import Evaluator, Rule
from planner.problem.target import (
    DEFAULT_BANDWIDTH,
    Device,
    Target,
    check_count,
    parameter,
    positive,
    transfer_times,
)

if TYPE_CHECKING:
    from planner.problem.problem import Problem


@dataclass(frozen=True)
class Pipeline(Target):
    """k blocks in a row. f(S) = receive + work + streaming + send, streaming = max(0, params + reserve - memory) / B.

    Source: MTPP, section 2.2, equations 1 to 4; ``reserve`` stands for peak(S) as in section 3 (a reserved buffer).
    """

    kind: ClassVar[str] = "pipeline"
    title: ClassVar[str] = "Pipeline"
    in_words: ClassVar[str] = "a pipeline"
    objectives: ClassVar[tuple[str, ...]] = ("bottleneck",)
    in_a_row: ClassVar[bool] = True

    count: int = parameter(4, help="number of blocks (stages)")
    bandwidth: float = parameter(
        0.0,
        unset="automatic",
        help="bandwidth between blocks; 0 = the file's own transfer times, else 12 GB/s",
        unit="B/s",
        source="our default: PCIe 3.0 x16 in practice",
    )
    memory: float = parameter(
        math.inf, help="fast memory of a block; parameters beyond it are streamed", unit="B"
    )
    reserve: float = parameter(0.0, help="fast memory reserved for activations", unit="B")

    def __post_init__(self) -> None:
        check_count(self.count, "the number of blocks")
        if self.count < 1:
            raise TargetError("a pipeline needs at least one block; ask for pipeline:1 or more")
        positive(self.bandwidth, "the bandwidth", zero=True)
        positive(self.memory, "the memory of a block", zero=True)
        positive(self.reserve, "the reserved memory", zero=True, unlimited=False)

    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """Blocks, named ``stage 0`` onwards."""
        return tuple(Device(f"stage {i}", "stage", f"Stage {i}") for i in range(self.count))

    def rules(self, graph: Graph) -> tuple[str, ...]:
        """The order rule always holds."""
        return ("order",)

    def validate(self, graph: Graph) -> None:
        """A graph without a time unit has no bytes-per-second: streaming then needs an explicit bandwidth."""
        if graph.time_unit is None and math.isfinite(self.memory) and not self.bandwidth:
            raise TargetError(
                f"{graph.name} has no time unit, so streaming parameters needs a bandwidth in bytes per its unit;"
                " add bandwidth=... to the target"
            )

    def evaluator(self, problem: Problem) -> Evaluator:
        """Blocks of one cost class that all pay transfers; parameters beyond the budget are streamed."""
        graph, k = problem.graph, self.count
        rules: list[Rule] = [OrderRule(), TogetherRule(), PinRule()]
        return AssignmentEvaluator(
            problem,
            work=graph.work.reshape(1, -1),
            class_of=np.zeros(k, np.int32),
            tensor_time=transfer_times(graph, self.bandwidth),
            pays=np.ones(k, bool),
            budget=np.full(k, self.memory - self.reserve),
            streaming_rate=self.bandwidth or DEFAULT_BANDWIDTH,
            memory=graph.param_bytes,
            capacity=np.full(k, self.memory),
            communication=kernels.SUM,
            objective_code=kernels.MAX_COST,
            rules=rules,
        )
