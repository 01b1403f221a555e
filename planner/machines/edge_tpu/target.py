"""EdgeTpuPipeline: n Edge TPUs in a row behind one host (exact scheduling on pipelined Edge TPUs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from planner.errors import TargetError
from planner.evaluation.parameter_bytes import PRECISIONS
from planner.model.graph import Graph, Ints
from planner.model.groups import families
from planner.problem.target import Counted, Device, Target, Words, check_count, parameter, positive
from planner.quantity import bytes_text, time_text

MEMORY, DRAM, COMMUNICATION = "max-memory", "dram", "max-communication"
STAGE_TIME, INFERENCE_TIME = "stage-time", "inference-time"
OBJECTIVES: dict[str, tuple[str, ...]] = {
    "memory-1-2-3": (MEMORY, DRAM, COMMUNICATION),
    "memory-1-3": (MEMORY, COMMUNICATION),
    "memory-2-1-3": (DRAM, MEMORY, COMMUNICATION),
    "memory-2-3": (DRAM, COMMUNICATION),
    STAGE_TIME: (STAGE_TIME,),
    INFERENCE_TIME: (INFERENCE_TIME,),
}
MIB = 2.0**20


@dataclass(frozen=True)
class EdgeTpuPipeline(Target):
    """n stages, each an Edge TPU with a parameter cache, that exchange tensors through the host.

    The memory objectives compare byte counts in order (Edge TPU paper, section IV-B): 1 ``max-memory``, the largest m_k
    (parameter bytes of a stage, equation 5); 2 ``dram``, the sum of max(0, m_k - cache) (equation 8); 3
    ``max-communication``, the largest number of bytes that enter a stage, each tensor once (equation 9, which counts it
    once per tpus). ``memory-2-3`` is the strategy that the paper tried and dropped.

    ``stage-time`` is the time of the slowest stage: receive + compute + streaming of uncached parameters + send.
    ``inference-time`` is the estimated time from one inference to the next on a USB hub (``shared_link``, ``scratch``), see
    :mod:`planner.machines.edge_tpu.inference_time`; its reciprocal is the throughput shown with every plan. The model's own inputs
    and outputs pass the host link too, unless ``host_io`` is off; they never count as communication between stages.
    ``param_bytes`` are INT8 by default, see :mod:`planner.evaluation.parameter_bytes`.
    """

    kind: ClassVar[str] = "edge-tpu"
    title: ClassVar[str] = "Edge TPU pipeline"
    in_words: ClassVar[str] = "an Edge TPU pipeline"
    words: ClassVar[Words] = Words("stage", "stages", "TPU", "TPUs", "Edge TPU", "Edge TPUs")
    evaluated_by: ClassVar[str] = "planner.machines.edge_tpu.inference_time:evaluator"
    memory_holds: ClassVar[str] = "parameters"
    count_stages: ClassVar[bool] = True
    counted: ClassVar[Counted] = Counted("count", "TPU", "TPUs")
    switches: ClassVar[Mapping[str, tuple[str, Any]]] = {"shared_children": ("shared_children", False)}
    objectives: ClassVar[tuple[str, ...]] = tuple(OBJECTIVES)
    rule_parameters: ClassVar[frozenset[str]] = frozenset({"shared_children"})
    uses_cost_model: ClassVar[bool] = False
    in_a_row: ClassVar[bool] = True

    count: int = parameter(4, help="number of Edge TPUs (stages)", label="Edge TPUs (stages)")
    cache: float = parameter(
        8 * MIB,
        help="parameter cache of an Edge TPU; what exceeds it is streamed for every inference",
        unit="B",
        source="Edge TPU paper, section V-C",
    )
    shared_children: bool = parameter(
        False,
        help="all consumers of an op share a stage",
        kept="with shared children",
        source="Edge TPU paper, equation 14",
    )
    precision: str = parameter(
        "int8",
        help="int8: one byte per floating-point parameter or value; file: bytes as stored",
        source="Edge TPU paper, section IV-C",
        choices=PRECISIONS,
    )
    fold_batch_norm: bool = parameter(
        False, help="batch normalisations behind a convolution keep no parameters of their own"
    )
    down: float = parameter(
        315 * MIB,
        help="link from the host to a stage",
        label="Host to stage",
        unit="B/s",
        source="measured on USB 3: 287 to 344 MiB/s",
        group="Link and speed",
    )
    up: float = parameter(
        87 * MIB,
        help="link from a stage to the host",
        label="Stage to host",
        unit="B/s",
        source="measured on USB 3: 35 to 87 MiB/s; Table II speaks for the upper end",
        group="Link and speed",
    )
    streaming: float = parameter(
        500e6,
        help="rate at which uncached parameters are streamed",
        unit="B/s",
        source="fitted on Table I",
        group="Link and speed",
    )
    shared_link: bool = parameter(
        True,
        help="throughput, inference-time: all stages stream their parameters through one host link",
        source="Table I: nothing else explains it",
        group="Link and speed",
    )
    scratch: bool = parameter(
        True,
        help="throughput, inference-time: activations of a stage's largest convolution take room in the cache",
        label="Scratch in cache",
        source="Table II: 6.7 to 6.9 MiB of parameters in a full cache",
        group="Link and speed",
    )
    host_io: bool = parameter(
        True,
        help="the model's own inputs and outputs cross the host link",
        label="Host I/O",
        group="Link and speed",
    )
    compute: float = parameter(
        4e12,
        help="INT8 operations per second, two per multiply-accumulate",
        unit="op/s",
        source="data sheet",
        group="Link and speed",
    )
    utilisation: float = parameter(
        0.45,
        help="share of the peak that convolutions reach",
        source="fitted on Tables I and II",
        group="Link and speed",
    )
    overhead: float = parameter(
        0.0,
        help="latency: fixed time of a single inference on each TPU that has ops; in a stream other inferences hide it. 1.5 ms fits published ones",
        unit="s",
        source="fitted on published single inferences of networks that fit the cache",
        group="Link and speed",
        later=True,
    )
    active_power: float = parameter(
        2.0,
        help="power of a stage that computes",
        unit="W",
        source="data sheet: 2 TOPS per watt",
        group="Power",
    )
    idle_power: float = parameter(
        0.5,
        help="power of a stage that waits or is sent something",
        unit="W",
        source="fitted on the Edge TPU paper's section V-D: 0.0792 J",
        group="Power",
    )

    def __post_init__(self) -> None:
        check_count(self.count, "the number of Edge TPUs")
        if self.count < 1:
            raise TargetError("a pipeline needs at least one Edge TPU; ask for edge-tpu:1 or more")
        positive(self.cache, "the parameter cache", zero=True)
        if self.precision not in PRECISIONS:
            raise TargetError(f"precision is '{self.precision}'; choose from {', '.join(PRECISIONS)}")
        for name in ("down", "up", "streaming", "compute", "utilisation"):
            positive(getattr(self, name), name)
        if self.utilisation > 1:
            raise TargetError(
                f"utilisation is {self.utilisation:g}; it is a share of the peak, so it must be at most 1"
            )
        for name in ("active_power", "idle_power", "overhead"):
            positive(getattr(self, name), name, zero=True, unlimited=False)

    def components(self, objective: str) -> tuple[str, ...]:
        """The byte counts of a memory objective in order; a time is one number."""
        return OBJECTIVES[objective]

    def unit(self, component: str) -> str:
        """Bytes, but for the two times."""
        return "" if component in {STAGE_TIME, INFERENCE_TIME} else "B"

    def tidied(self, device_of: Ints) -> Ints:
        """No stage is empty before one that has ops: all stages are alike, and what stays empty stands last."""
        return np.searchsorted(np.unique(device_of), device_of).astype(np.int32)

    def suggested_objective(self, objective: str, evaluation: Any) -> tuple[str, str]:
        """The time per inference, where a memory objective has nothing left to win: all parameters of a valid plan are on chip."""
        if (
            objective in {STAGE_TIME, INFERENCE_TIME}
            or not evaluation.valid
            or evaluation.details["dram"].any()
        ):
            return "", ""
        fit = "all parameters fit the caches"
        pushed = float(evaluation.details["pushed"].sum())
        if not pushed:
            return INFERENCE_TIME, f"{fit}, so that memory is not what is short"
        lost = ""
        if self.shared_link:
            period = 1.0 / evaluation.figures["throughput"]
            late = period - float((evaluation.cost - evaluation.streaming).max())
            lost = f" ({time_text(late, 's')} of {time_text(period, 's')})"
        return (
            INFERENCE_TIME,
            f"{fit}, but activations push out {bytes_text(pushed)}{lost}, which this objective does not count",
        )

    def throughput_note(self, evaluation: Any, written: Callable[[float], str] = bytes_text) -> str:
        """The bytes that all stages stream through one link, or that activations push out of the caches, as ``written``."""
        rate = evaluation.figures["throughput"]
        if not rate * evaluation.cost.max(initial=0.0) < 1.0 - 1e-9:
            return ""
        if not self.shared_link:
            return "activations push parameters out"
        beside = float((evaluation.cost - evaluation.streaming).max())
        streamed = written(round((1.0 / rate - beside) * self.streaming))
        if evaluation.details["dram"].any():
            return f"{streamed} streamed on one link"
        return f"activations push out {streamed}"

    def latency_note(self, evaluation: Any) -> str:
        """The time of the bytes that activations push out of the caches where stage times leave it out (``stage-time``), and the fixed times."""
        fixed = self.overhead * float(np.count_nonzero(evaluation.ops))
        stages = float(evaluation.cost.sum())
        streamed, notes = evaluation.figures["latency"] - stages - fixed, []
        if streamed > 1e-9 * evaluation.figures["latency"]:
            pushed = bytes_text(round(streamed * self.streaming))
            notes.append(f"{time_text(streamed, 's')} because activations push out {pushed}")
        if fixed:
            notes.append(f"{time_text(fixed, 's')} of overhead")
        return f"stage times of {time_text(stages, 's')}, and {' and '.join(notes)}" if notes else ""

    @classmethod
    def suggested(cls, graph: Graph) -> EdgeTpuPipeline | None:
        """Four stages for a TFLite model, which is made for such devices."""
        return cls(count=4) if graph.format == "tflite" else None

    @property
    def limits(self) -> Mapping[str, tuple[float, ...]]:
        """The cache of each stage: what exceeds it is streamed."""
        return {"cache": (self.cache,) * self.count}

    def floors(self, component: str, graph: Graph) -> tuple[str, ...]:
        """From one inference to the next all streaming counts, of caches that activations fill, too."""
        return (STAGE_TIME,) if component == INFERENCE_TIME else ()

    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """Stages, named ``stage 0`` onwards."""
        return tuple(Device(f"stage {i}", "stage", f"Stage {i}") for i in range(self.count))

    def rules(self, graph: Graph) -> tuple[str, ...]:
        """The order rule always holds."""
        return ("order", "shared_children") if self.shared_children else ("order",)

    def together(self, graph: Graph) -> Sequence[Sequence[int]]:
        """The consumers of each op, where ``shared_children`` is on."""
        return [children for _, children in families(graph)] if self.shared_children else ()

    def validate(self, graph: Graph) -> None:
        """Raise :class:`TargetError` for a graph whose times have no unit: the rates here are per second."""
        if graph.time_unit is None:
            raise TargetError(
                f"{graph.name} has times without a unit, and an Edge TPU's rates are per second;"
                ' set the file\'s time_unit to "s" or plan it for a pool or pipeline'
            )
