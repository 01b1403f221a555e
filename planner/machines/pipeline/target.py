"""Pipeline: k ordered blocks that pass tensors forward (MTPP, section 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from planner.errors import TargetError
from planner.model.graph import Graph
from planner.problem.per_device import PerDevice, checked, expanded, settled
from planner.problem.target import (
    COMMUNICATION,
    Counted,
    Device,
    Target,
    Words,
    check_count,
    parameter,
    positive,
    value_text,
)

ACTIVATIONS = ("reserve", "depth-first", "peak")
"""What fills a block's memory beside its parameters."""


@dataclass(frozen=True)
class Pipeline(Target):
    """k blocks in a row. f(S) = receive + work + streaming + send, streaming = max(0, params + reserve + peak - memory) / B.

    Blocks may differ in memory and in speed, which divides the work of a block. peak(S) counts where ``activations`` says in which
    order a block runs its ops; else ``reserve`` stands for it. ``communication`` puts a maximum in place of the sum:
    ``overlap`` max(work + streaming, receive + send), ``duplex`` max(receive, work + streaming, send). With ``path`` no
    edge leads past a block.

    Source: MTPP, section 2.2, equations 1 to 4, section 3 (a reserved buffer), section 6 (PipeDream's cost and path).
    """

    kind: ClassVar[str] = "pipeline"
    title: ClassVar[str] = "Pipeline"
    in_words: ClassVar[str] = "a pipeline"
    words: ClassVar[Words] = Words("stage", "stages")
    evaluated_by: ClassVar[str] = "planner.machines.pipeline.evaluator:evaluator"
    memory_holds: ClassVar[str] = "parameters"
    count_stages: ClassVar[bool] = True
    counted: ClassVar[Counted] = Counted("count", "stage", "stages")
    own_times: ClassVar[bool] = True
    objectives: ClassVar[tuple[str, ...]] = ("bottleneck",)
    in_a_row: ClassVar[bool] = True
    switches: ClassVar[Mapping[str, tuple[str, Any]]] = {"path": ("path", False)}
    rule_parameters: ClassVar[frozenset[str]] = frozenset({"activations", "path"})

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

    activations: str = parameter(
        "reserve",
        help="what of activations fills a block's memory: the reserve alone, or also their peak, ops run depth-first, or in the"
        " better of that order and the one that runs next what leaves the fewest bytes (peak)",
        source="MTPP, section 2.2, equation 2",
        choices=ACTIVATIONS,
        later=True,
    )
    communication: str = parameter(
        "sum",
        help="how transfers and work combine: sum, overlap (max of both), duplex (max of receiving, work and sending)",
        source="MTPP, section 6, of PipeDream; device placement, appendix C.1",
        choices=COMMUNICATION,
        later=True,
    )
    path: bool = parameter(
        False,
        help="whether a block may send to the next one only, so that the blocks form a path",
        kept="with stages in a path",
        source="MTPP, section 6, of PipeDream",
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
        for name, word, known in (
            ("activations", self.activations, ACTIVATIONS),
            ("communication", self.communication, COMMUNICATION),
        ):
            if word not in known:
                raise TargetError(f"{name} is '{word}'; choose {', '.join(known[:-1])} or {known[-1]}")
        if not isinstance(self.path, bool):
            raise TargetError(f"path is {self.path!r}; it must be true or false")
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

    @property
    def limits(self) -> Mapping[str, tuple[float, ...]]:
        """The memory of each block: what exceeds it is streamed."""
        return {"memory": self.memories}

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
        """The order rule always holds. That activations fill memory makes plans dearer, as rules do: bounds without it hold with it."""
        counted = () if self.activations == "reserve" else (f"activations={self.activations}",)
        return ("order", *(("path",) if self.path else ()), *counted)

    @property
    def beyond(self) -> Mapping[str, str]:
        """How blocks add up work and transfers, what of activations counts, and the path, where these are not as usual."""
        usual = {"communication": "sum", "activations": "reserve", "path": False}
        now = {name: getattr(self, name) for name in usual}
        return {name: value_text(now[name], "") for name in usual if now[name] != usual[name]}

    def relaxed(self) -> Target:
        """Without peaks of activations and the path: no plan costs more there."""
        same = self.activations == "reserve" and not self.path
        return self if same else replace(self, activations="reserve", path=False)

    def validate(self, graph: Graph) -> None:
        """A graph without a time unit has no bytes-per-second: streaming then needs an explicit bandwidth."""
        if graph.time_unit is None and math.isfinite(min(self.memories)) and not self.bandwidth:
            raise TargetError(
                f"{graph.name} has no time unit, so streaming parameters needs a bandwidth in bytes per its unit;"
                " add bandwidth=... to the target"
            )
