"""What every target declares: its devices, parameters, rules and objectives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from planner.errors import TargetError
from planner.loading import load
from planner.model.graph import Floats, Graph, Ints
from planner.problem import per_device
from planner.quantity import bytes_text

COMMUNICATION = ("sum", "overlap", "duplex")
"""How transfers and work of a device combine (:func:`planner.evaluation.kernels.combine`)."""
DEFAULT_BANDWIDTH = 12e9
"""B/s; our default: PCIe 3.0 x16 in practice."""
SMALLEST, LARGEST = 1e-60, 1e60
"""Limits of a machine's rates, sizes and times: what they make of a model's numbers (:data:`planner.model.ops.LARGEST_COST`) stays finite."""


@dataclass(frozen=True)
class Device:
    """One place an op can go. ``kind`` is the field's word for it: stage, accelerator, cpu."""

    name: str
    kind: str
    title: str


@dataclass(frozen=True)
class Words:
    """What sentences call the places of a machine: ``one`` of them and ``many``, and the hardware behind one where that
    has a name of its own (a stage runs on a TPU), with its whole name for titles (an Edge TPU)."""

    one: str
    many: str
    hardware: str = ""
    hardwares: str = ""
    product: str = ""
    products: str = ""

    @property
    def counted(self) -> tuple[str, str]:
        """One and many of what a person buys or adds: the hardware where it has a name, else the places."""
        return (self.hardware, self.hardwares) if self.hardware else (self.one, self.many)


class Counted(NamedTuple):
    """What of a machine a person may have more or fewer of: the parameter that counts it, and what sentences call ``one`` and ``many``."""

    field: str
    one: str
    many: str


def parameter(
    default: Any,
    *,
    help: str,
    unit: str = "",
    source: str = "",
    choices: tuple[str, ...] = (),
    label: str = "",
    group: str = "",
    unset: str = "",
    off: str = "",
    kept: str = "",
    later: bool = False,
) -> Any:
    """A dataclass field that carries what a settings form and the documentation need.

    ``label`` takes the place of the field's name in a form; fields of one ``group`` are folded away under that title;
    ``unset`` is what a form calls the value 0 where that stands for something else than nothing, ``off`` what plans are called
    where a switch is off, and ``kept`` what those are that keep its rule: ``contiguous``, ``with shared children``. A field that came ``later`` than the first files with this target is written only where it is not the default,
    so that their fingerprints stay.
    """
    about = {
        "help": help, "unit": unit, "source": source, "choices": choices, "label": label, "group": group, "unset": unset,
        "off": off, "kept": kept, "later": later,
    }  # fmt: skip
    return field(default=default, metadata=about)


class Target(ABC):
    """A machine and its rules. Subclasses are frozen dataclasses whose fields are :func:`parameter`."""

    kind: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[Mapping[str, str]] = {}
    """Parameters by other names that specifications may call them by."""
    in_words: ClassVar[str]
    """What a sentence calls it, with its article."""
    words: ClassVar[Words]
    """What sentences call its devices."""
    objectives: ClassVar[tuple[str, ...]]
    evaluated_by: ClassVar[str]
    """``module:function`` that makes the evaluator of a problem on this target; loaded when the first is asked for."""
    switches: ClassVar[Mapping[str, tuple[str, Any]]] = {}
    """Rules that can be switched off: the field, and its value then."""
    rule_parameters: ClassVar[frozenset[str]] = frozenset()
    """Fields that switch rules on and off: they are assumptions of a bound, not part of the machine."""
    in_a_row: ClassVar[bool] = False
    """Whether the devices stand in a row, each passing on to later ones: what is first in one plan is then first in every plan,
    while the devices of a pool are told apart by what they have."""
    plans_networks: ClassVar[bool] = False
    """Whether it is for sparse networks (:class:`planner.model.network.Network`) instead of graphs."""
    count_stages: ClassVar[bool] = False
    """Whether its devices are the stages of a pipeline."""
    counted: ClassVar[Counted | None] = None
    """What a person chooses the number of; None where nothing is asked so."""
    grows: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """What a person may add where ops do not fit: ``memory`` and ``devices``, each with its field and what sentences call
    the one that gets more, or those that become more."""
    repair_first: ClassVar[bool] = False
    """Whether a move against the rules is rather repaired than helped by taking neighbours along."""
    memory_holds: ClassVar[str] = "memory"
    """What fills a device's memory, as sentences on too little of it say."""
    figures_in_seconds: ClassVar[bool] = True
    """Whether figures of a whole plan that are times are seconds; else they have the graph's unit."""
    count_parameter: ClassVar[str] = "count"
    """The parameter that a specification gives behind the kind's colon."""
    own_views: ClassVar[tuple[str, ...]] = ()
    """Pictures of the machine itself that stories may show beside those of every graph (:data:`planner.story.keyframe.MACHINES_OWN`)."""
    own_times: ClassVar[bool] = False
    """Whether its devices may have measured times of their own (:attr:`planner.problem.problem.Problem.measured_times`)."""
    times_as_read: ClassVar[bool] = False
    """Whether the op times that it estimates follow the bytes of the model as it was read, also where it counts memory and transfers in another precision."""
    uses_cost_model: ClassVar[bool] = True
    """Whether estimated op times (:mod:`planner.model.cost_model`) count; false where the target has rates of its own."""

    @abstractmethod
    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """The devices in order."""

    def own_speeds(self, graph: Graph) -> tuple[float, ...]:
        """The speed of each device where they differ in it, else nothing."""
        return ()

    def own_memories(self, graph: Graph) -> tuple[float, ...]:
        """The memory of each device in bytes where they differ in it, else nothing."""
        return ()

    def hardware(self, graph: Graph) -> tuple[str, ...]:
        """The name of what each device is part of, whose measured times it has: its own, but for slots of one accelerator."""
        return tuple(device.name for device in self.devices(graph))

    @abstractmethod
    def rules(self, graph: Graph) -> tuple[str, ...]:
        """Names of the rules in force for this graph."""

    def evaluator(self, problem: Any) -> Any:
        """The evaluator of a problem on this target: a :class:`planner.problem.evaluator.Evaluator` for problems of graphs."""
        return load(self.evaluated_by)(problem)

    @property
    def beyond(self) -> Mapping[str, str]:
        """Parameters, with their values, that change how plans of this kind of machine are costed or which of them are valid, beyond what
        every method for it knows: those that know say so (:attr:`planner.search.method.Method.copes`)."""
        return {}

    def relaxed(self) -> Target:
        """The same machine without what only makes plans dearer or invalid and bound methods know nothing of: they prove there, and it holds here."""
        return self

    @classmethod
    def suggested(cls, graph: Graph) -> Target | None:
        """A target of this kind where a model's file suggests one: by its format, or the machine that it describes."""
        return None

    @property
    def limits(self) -> Mapping[str, tuple[float, ...]]:
        """Fields of which less only forbids plans or makes them dearer, whatever the rules, each with what every device has of it."""
        return {}

    def floors(self, component: str, graph: Graph) -> tuple[str, ...]:
        """Components of other objectives, of which no plan for ``graph`` has more than of ``component``; the same plans are valid for both."""
        return ()

    def with_count(self, count: int) -> Target:
        """The same machine with ``count`` devices, or as near to that as it can be; itself where its devices are not counted so."""
        counted = any(f.name == "count" for f in fields(self))  # type: ignore[arg-type]
        return self.resized("count", count) if counted else self

    def resized(self, field: str, count: int) -> Target:
        """The same machine with another number in ``field``, which counts devices: what is said of each is kept as far as they go,
        and further devices are like the last."""
        old, changes = int(getattr(self, field)), dict[str, Any]({field: count})
        for f in fields(self):  # type: ignore[arg-type]
            if f.type == per_device.TYPE:
                unsaid: Any = f.default
                changes[f.name] = per_device.resized(getattr(self, f.name), old, count, unsaid)
        return replace(self, **changes)  # type: ignore[type-var]

    def components(self, objective: str) -> tuple[str, ...]:
        """The parts of an objective in the order in which plans are compared; most objectives are one number."""
        return (objective,)

    def unit(self, component: str) -> str:
        """``B`` for a component counted in bytes, ``I/Os`` for reads and writes, empty for the graph's time unit."""
        return ""

    def tidied(self, device_of: Ints) -> Ints:
        """The plan (int32[n]) that a planner's plan is shown as, where the machine has devices that are alike and in an order of its own:
        the same but for which of them stand empty."""
        return device_of

    def together(self, graph: Graph) -> Sequence[Sequence[int]]:
        """Sets of ops that a rule in force keeps on one device, colocation classes aside."""
        return ()

    def validate(self, graph: Graph) -> None:  # noqa: B027 - most targets accept every graph
        """Raise :class:`TargetError` when the graph cannot be planned on this target."""

    def check_objective(self, objective: str) -> None:  # noqa: B027 - most targets serve all their objectives as they are
        """Raise :class:`TargetError` when the target's parameters have no meaning for one of its objectives."""

    def served_objectives(self) -> tuple[str, ...]:
        """The objectives that :meth:`check_objective` has nothing against; all of them if it refuses each."""
        served = []
        for objective in self.objectives:
            with suppress(TargetError):
                self.check_objective(objective)
                served.append(objective)
        return tuple(served) or self.objectives

    def suggested_objective(self, objective: str, evaluation: Any) -> tuple[str, str]:
        """Another objective that suits what a plan shows better than ``objective`` does, and why; empty where none does.

        ``evaluation`` is that of the plan (:class:`planner.problem.decision.Evaluation`).
        """
        return "", ""

    def throughput_note(self, evaluation: Any, written: Callable[[float], str] = bytes_text) -> str:
        """What keeps the estimated throughput of a plan below one inference per time of its slowest device; empty where nothing does.

        Bytes in it are as ``written`` beside it."""
        return ""

    def transfers_note(self) -> str:
        """Which devices pay nothing for the tensors that they receive and send, as a sentence without its full stop; empty where all pay."""
        return ""

    def latency_note(self, evaluation: Any) -> str:
        """What the estimated latency of a plan holds beside the costs of its devices; empty where it is their sum or another figure."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready parameters; infinities are written as null, one number per device as a list."""
        out: dict[str, Any] = {"kind": self.kind}
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.metadata["later"] and value == f.default:
                continue
            out[f.name] = [finite(x) for x in value] if isinstance(value, tuple) else finite(value)
        return out

    def machine(self) -> dict[str, Any]:
        """The parameters that are not rules: what a bound's relaxation is a function of."""
        return {k: v for k, v in self.to_dict().items() if k not in self.rule_parameters}

    def kept_words(self, rules: Collection[str]) -> list[str]:
        """What plans are called that keep those of ``rules`` which a person may switch off: ``contiguous``, ``with shared children``."""
        by_name = {f.name: f.metadata["kept"] for f in fields(self)}  # type: ignore[arg-type]
        words = (by_name[name] for rule, (name, _) in self.switches.items() if rule in rules)
        return [kept for kept in words if kept]

    def spec(self) -> str:
        """The command line's ``kind:count,key=value`` with the parameters that differ from their defaults."""
        return self._spec(value_text)

    def spec_for_people(self) -> str:
        """:meth:`spec`, with bytes that have no short exact form rounded: ``pool:3+1,memory=16.01 GiB``."""
        return self._spec(_value_words)

    def _spec(self, value_text: Callable[[Any, str], str]) -> str:
        said, head = self.spec_head()
        shown = []
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.name in said or value == f.default:
                continue
            shown.append(f"{f.name}={value_text(value, f.metadata['unit'])}")
        return ",".join([head, *shown])

    def spec_head(self) -> tuple[frozenset[str], str]:
        """What a specification begins with, and the parameters that it says."""
        return frozenset({self.count_parameter}), f"{self.kind}:{getattr(self, self.count_parameter)}"

    @classmethod
    def counts(cls, text: str, graph: Graph | None, where: str) -> dict[str, Any]:
        """The parameters that a specification gives behind the kind's colon, or that the model's file gives.

        ``where`` is what sentences call the specification. Raises :class:`TargetError`.
        """
        if not text:
            return {}
        return {cls.count_parameter: whole(text, where, "values" if cls.plans_networks else "devices")}


def transfer_times(graph: Graph, bandwidth: float) -> Floats:
    """Time to move each tensor once (float64[t]).

    Bytes over ``bandwidth``; with a bandwidth of 0 the file's own times, and :data:`DEFAULT_BANDWIDTH` where it has none.
    """
    if bandwidth:
        return graph.tensor_bytes / bandwidth
    return np.where(np.isnan(graph.tensor_time), graph.tensor_bytes / DEFAULT_BANDWIDTH, graph.tensor_time)


def positive(value: float, what: str, *, zero: bool = False, unlimited: bool = True) -> None:
    """Check one numeric parameter: from :data:`SMALLEST` to :data:`LARGEST`, or infinite where ``unlimited``.

    Raises :class:`TargetError`.
    """
    bad = isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value)
    if bad or value < 0 or (value == 0 and not zero):
        raise TargetError(f"{what} is {value!r}; it must be {'zero or more' if zero else 'more than zero'}")
    if (0 < value < SMALLEST) or (value > LARGEST and not (unlimited and value == math.inf)):
        raise TargetError(f"{what} is {value:g}; it must be from {SMALLEST:g} to {LARGEST:g}")


def whole(text: str, where: str, what: str = "devices") -> int:
    """A whole number of ``what`` in a specification. Raises :class:`TargetError`."""
    try:
        return int(text)
    except ValueError:
        raise TargetError(f"{where}: '{text}' is not a whole number of {what}") from None


def finite(value: Any) -> Any:
    """``value`` ready for JSON, which has no infinity: None in its place."""
    return None if isinstance(value, float) and math.isinf(value) else value


def value_text(value: Any, unit: str) -> str:
    """A parameter's value as specifications have it: ``true``, ``8MiB``, ``12e9``, ``8MiB/8MiB/16MiB``, ``1000B/8MiB``."""
    if isinstance(value, tuple):
        parts = [value_text(x, unit) for x in value]
        if parts[-1].endswith("B"):  # its unit would be that of plain numbers before it
            parts = [f"{part}B" if part[-1].isdecimal() else part for part in parts]
        return "/".join(parts)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _bytes(value) if unit == "B" else _number(value)
    return str(value)


def _value_words(value: Any, unit: str) -> str:
    """A parameter's value for a person, who reads no bytes of ten digits."""
    if isinstance(value, tuple):
        return "/".join(_value_words(x, unit) for x in value)
    exact = value_text(value, unit)
    return bytes_text(value) if unit == "B" and exact[-1].isdigit() else exact


def check_count(value: int, what: str, most: int = 1024) -> None:
    """Check a device count. Raises :class:`TargetError`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise TargetError(f"{what} is {value!r}; it must be a whole number from 0 to {most}")


def _bytes(value: float) -> str:
    """A short text that is exactly so many bytes: ``40MiB``, ``16.5GiB``, ``110.125MiB``."""
    for unit, scale, most in (("GiB", 2.0**30, 8), ("MiB", 2.0**20, 8), ("KiB", 2.0**10, 6)):
        text = f"{value / scale:.10g}"
        if (
            scale <= value < math.inf
            and len(text) <= most
            and "e" not in text
            and float(text) * scale == value
        ):
            return text + unit
    return _number(value)


def _number(value: float) -> str:
    """A short text that is exactly ``value``: ``12e9``, ``0.5``, ``17185374208``."""
    for exponent in (12, 9, 6):
        text = f"{value / 10**exponent:g}e{exponent}"
        if 1 <= value / 10**exponent < 1000 and float(text) == value:
            return text
    return repr(value).removesuffix(".0")
