"""Pipeline: k ordered blocks that pass tensors forward (MTPP, section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from planner.errors import TargetError
from planner.model.graph import Graph
from planner.problem.per_device import PerDevice, checked, expanded, settled
from planner.problem.target import (
    Device,
    Target,
    Words,
    check_count,
    parameter,
    positive,
)


@dataclass(frozen=True)
class Pipeline(Target):
    """k blocks in a row. f(S) = receive + work + streaming + send, streaming = max(0, params + reserve - memory) / B.

    Blocks may differ in memory and in speed, which divides the work of a block.

    Source: MTPP, section 2.2, equations 1 to 4; ``reserve`` stands for peak(S) as in section 3 (a reserved buffer).
    """

    kind: ClassVar[str] = "pipeline"
    title: ClassVar[str] = "Pipeline"
    in_words: ClassVar[str] = "a pipeline"
    words: ClassVar[Words] = Words("stage", "stages")
    evaluated_by: ClassVar[str] = "planner.machines.pipeline.evaluator:evaluator"
    memory_holds: ClassVar[str] = "parameters"
    count_stages: ClassVar[bool] = True
    own_times: ClassVar[bool] = True
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
    memory: PerDevice = parameter(  # noqa: RUF009 - a number or a tuple of them
        math.inf,
        help="fast memory of a block; parameters beyond it are streamed; one for all, or one per stage as 8MiB/8MiB/16MiB",
        unit="B",
    )
    reserve: float = parameter(0.0, help="fast memory reserved for activations", unit="B")
    speed: PerDevice = parameter(  # noqa: RUF009 - a number or a tuple of them
        1.0,
        help="how fast a block is: ops take their time divided by it; one for all, or one per stage as 1/1/0.5",
        later=True,
    )

    def __post_init__(self) -> None:
        check_count(self.count, "the number of blocks")
        if self.count < 1:
            raise TargetError("a pipeline needs at least one block; ask for pipeline:1 or more")
        positive(self.bandwidth, "the bandwidth", zero=True)
        checked(self.memory, lambda memory: positive(memory, "the memory of a block", zero=True))
        checked(self.speed, lambda speed: positive(speed, "the speed of a block", unlimited=False))
        positive(self.reserve, "the reserved memory", zero=True, unlimited=False)
        for name, unsaid in (("memory", math.inf), ("speed", 1.0)):
            value = settled(getattr(self, name), [(self.count, unsaid)], name, "one per stage")
            object.__setattr__(self, name, value)

    @property
    def memories(self) -> tuple[float, ...]:
        """The memory of each block in bytes."""
        return expanded(self.memory, [(self.count, math.inf)])

    @property
    def speeds(self) -> tuple[float, ...]:
        """The speed of each block."""
        return expanded(self.speed, [(self.count, 1.0)])

    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """Blocks, named ``stage 0`` onwards."""
        return tuple(Device(f"stage {i}", "stage", f"Stage {i}") for i in range(self.count))

    def own_speeds(self, graph: Graph) -> tuple[float, ...]:
        """Those of each block, where a list gives them."""
        return self.speeds if isinstance(self.speed, tuple) else ()

    def own_memories(self, graph: Graph) -> tuple[float, ...]:
        """Those of each block, where a list gives them."""
        return self.memories if isinstance(self.memory, tuple) else ()

    def rules(self, graph: Graph) -> tuple[str, ...]:
        """The order rule always holds."""
        return ("order",)

    def validate(self, graph: Graph) -> None:
        """A graph without a time unit has no bytes-per-second: streaming then needs an explicit bandwidth."""
        if graph.time_unit is None and math.isfinite(min(self.memories)) and not self.bandwidth:
            raise TargetError(
                f"{graph.name} has no time unit, so streaming parameters needs a bandwidth in bytes per its unit;"
                " add bandwidth=... to the target"
            )
