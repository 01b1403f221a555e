"""Measured times of ops: what a profile says of a model, and a graph with these times in place of estimates.

A profile speaks of one model on one device. Where a runtime runs several ops as one kernel, each of them has a share of the
kernel's time in proportion to what the cost model estimates (an equal share where it estimates nothing); ops that the runtime
left out take no time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from planner.errors import ModelError
from planner.lifetime import while_it_lives
from planner.model.cost_model import CostModel
from planner.model.graph import Bools, Floats, Graph, Measured
from planner.model.named_machines import named_rates
from planner.printable import plural

Device = Literal["", "accelerator", "cpu"]
DEVICES: tuple[Device, ...] = ("accelerator", "cpu")
KINDS = ("accelerators", "CPUs")
"""What sentences call :data:`DEVICES`."""
ENOUGH = 0.9
"""Share of a profile's time that ops of the model must have before what it does not list is taken for computed elsewhere."""
LISTED = 3
"""Ops named in a sentence."""
SLOWEST = 10
"""Ops whose spreads say how much the machine was disturbed: the slowest, which matter most."""
BUSY = 0.1
"""Spread of runs beyond which the machine was busy with something else."""


class OpTime(NamedTuple):
    """The time of an op in seconds: the median of its runs and half the distance between their quartiles (NaN: not known).

    ``shared``: it is a share of the time of a kernel that computes other ops, too.
    """

    seconds: float
    spread: float = np.nan
    shared: bool = False


@dataclass(frozen=True)
class OpTimes:
    """A profile: times of the ops of one model, by id or by name, as a device of kind ``device`` takes them ('' where nobody says).

    ``structure`` is that of the graph which was measured (:attr:`planner.model.graph.Graph.structure`), empty where it is not known;
    ``file`` is what sentences call the profile, ``source`` says in a line who measured. ``seconds_sum`` is the time of all kernels, the sum of
    their medians, ``seconds_run`` that of a run without profiling, a median; None where not known.
    """

    ops: Mapping[str, OpTime]
    file: str
    source: str
    device: Device = ""
    model: str = ""
    structure: str = ""
    seconds_sum: float | None = None
    seconds_run: float | None = None
    apart: bool = False
    """Whether its file tells kinds of devices apart, so that it says nothing of other kinds than ``device``."""
    complete: bool = False
    """Whether it lists all that the runtime ran: an op without a time was then part of another's kernel, or left out."""
    about: Mapping[str, str | int | float] = field(default_factory=dict)
    """What else the profile says of itself, for people: machine, date, threads, runs."""
    scaled: bool = False
    """Whether a run of a plan's stages scaled its times (:mod:`planner.runs.running.scaled`): of single ops it says nothing."""


@dataclass(frozen=True)
class Use:
    """A profile, and whose times it gives: those of one kind of device, or, where ``device`` is empty, of all of them.

    ``place``: those of one device alone, by its name or number on a target that is still to be chosen.
    """

    times: OpTimes
    device: Device = ""
    place: str = ""


class Joined(NamedTuple):
    """What of a profile is about a graph: the time of each op (float64[n], NaN where it has none), its spread, whether it is shared."""

    seconds: Floats
    spread: Floats
    shared: Bools


def joined(graph: Graph, times: OpTimes) -> Joined:
    """The times of a profile, op by op: found by id, else by a name, shown or the file's own, that only one op has.

    Raises :class:`ModelError` where the profile is of another model.
    """
    if times.structure and times.structure != graph.structure:
        raise ModelError(
            f"{times.file} was measured on another model ('{times.model}') or with another batch than '{graph.name}'; measure this one"
        )
    named: dict[str, int] = {}
    for names in (graph.op_names, graph.own_names):
        for v, name in enumerate(names):
            named[name] = v if named.get(name, v) == v else -1
    seconds, spread = np.full(graph.n, np.nan), np.full(graph.n, np.nan)
    shared, found = np.zeros(graph.n, bool), 0.0
    for op, time in times.ops.items():
        v = graph.index.get(op, named.get(op, -1))
        if v >= 0:
            seconds[v], spread[v], shared[v] = time
            found += time.seconds
    if np.isnan(seconds).all():
        few = ", ".join(list(times.ops)[:LISTED])
        raise ModelError(
            f"{times.file} has times of {plural(len(times.ops), 'op')} ({few}{', ...' if len(times.ops) > LISTED else ''}), and '{graph.name}'"
            " has none of them; use the profile of this model"
        )
    if times.complete and found >= ENOUGH * sum(time.seconds for time in times.ops.values()):
        left = np.isnan(seconds)
        seconds[left], shared[left] = 0.0, True
    return Joined(seconds, spread, shared)


def with_times_of(graph: Graph, uses: Sequence[Use]) -> Graph:
    """``graph`` with measured times as given ones; later profiles count before earlier ones, and ops without any keep what their file gave.

    A profile for all kinds of devices makes every device as fast as the measured one. Estimates have to be made again
    (:func:`planner.model.cost_model.fill`). Raises :class:`ModelError` where a profile is of another model, or the file's own times
    have no unit.
    """
    if not uses:
        return graph
    given, given_cpu = (times.copy() for times in graph.given_times)
    if graph.time_unit is None and not (np.isnan(given) & np.isnan(given_cpu)).all():
        raise ModelError(
            f"{graph.name} gives times without a unit, which cannot be mixed with the seconds of {uses[0].times.file}; leave the profile out,"
            ' or set the file\'s time_unit to "s"'
        )
    graph = _with_places(graph, [use for use in uses if use.place])
    uses = [use for use in uses if not use.place]
    if not uses:
        return graph
    ops, shared, spread = np.zeros(graph.n, bool), np.zeros(graph.n, bool), np.full(graph.n, np.nan)
    scaled = np.zeros(graph.n, bool)
    for use in uses:
        found = joined(graph, use.times)
        here = ~np.isnan(found.seconds)
        for device, own in zip(DEVICES, (given, given_cpu), strict=True):
            if use.device in ("", device):
                own[here] = found.seconds[here]
        ops |= here
        shared[here], spread[here], scaled[here] = found.shared[here], found.spread[here], use.times.scaled
    sources = tuple(dict.fromkeys(use.times.source for use in uses))
    earlier = graph.measured
    if earlier is None:
        file = (*graph.given_times, graph.time_unit)
    else:
        file = earlier.file
        shared |= earlier.shared & ~ops
        scaled |= earlier.scaled & ~ops
        spread[~ops] = earlier.spread[~ops]
        ops |= earlier.ops
        sources = tuple(dict.fromkeys((*earlier.sources, *sources)))
    return graph.with_given_times(given, given_cpu, "s", Measured(ops, shared, spread, sources, file, scaled))


def _with_places(graph: Graph, uses: Sequence[Use]) -> Graph:
    """``graph`` with measured times of single devices; later profiles count before earlier ones."""
    if not uses:
        return graph
    own = {name: times.copy() for name, times in graph.device_times}
    for use in uses:
        found = joined(graph, use.times).seconds
        times = own.setdefault(use.place, np.full(graph.n, np.nan))
        own[use.place] = np.where(np.isnan(found), times, found)
    file = graph.device_times if graph.file_device_times is None else graph.file_device_times
    return replace(graph.with_device_times(own), file_device_times=file)


def without_measured(graph: Graph) -> Graph:
    """``graph`` with the times that its file gives alone, for all devices or for single ones; itself where nothing was measured.

    Estimates have to be made again.
    """
    if graph.measured is not None:
        work, work_cpu, unit = graph.measured.file
        graph = graph.with_given_times(work.copy(), work_cpu.copy(), unit, None)
    if graph.file_device_times is not None:
        own = {name: times.copy() for name, times in graph.file_device_times}
        graph = replace(graph.with_device_times(own), file_device_times=None)
    return graph


def shared_out(graphs: Sequence[Graph], uses: Sequence[Use]) -> list[Graph]:
    """Several models with their measured times: each profile goes to those that it is of.

    Raises :class:`ModelError` where one is of none of them, as :func:`with_times_of`.
    """
    own: list[list[Use]] = [[] for _ in graphs]
    for use in uses:
        errors: list[ModelError] = []
        for graph, mine in zip(graphs, own, strict=True):
            try:
                joined(graph, use.times)
            except ModelError as error:
                errors.append(error)
            else:
                mine.append(use)
        if len(errors) == len(graphs):
            raise errors[0]
    return [with_times_of(graph, mine) for graph, mine in zip(graphs, own, strict=True)]


def uses_of(graph: Graph) -> tuple[Use, ...]:
    """The measured times of a graph as profiles of it, one for each kind of device, and one of those that are scaled; none where nothing was measured."""
    measured, uses = graph.measured, []
    for name, seconds in graph.device_times:
        known = np.flatnonzero(~np.isnan(seconds)).tolist()
        own = {graph.op_ids[v]: OpTime(float(seconds[v])) for v in known}
        uses.append(Use(OpTimes(own, graph.name, "", "", graph.name, graph.structure), "", name))
    if measured is None:
        return tuple(uses)
    source = "; ".join(measured.sources)
    for device, times in zip(DEVICES, graph.given_times, strict=True):
        for scaled in (False, True):
            mine = measured.ops & ~np.isnan(times) & (measured.scaled == scaled)
            ops = {
                graph.op_ids[v]: OpTime(float(times[v]), float(measured.spread[v]), bool(measured.shared[v]))
                for v in np.flatnonzero(mine).tolist()
            }
            if ops:
                own_times = OpTimes(
                    ops, graph.name, source, device, graph.name, graph.structure, scaled=scaled
                )
                uses.append(Use(own_times, device))
    return tuple(uses)


def profiled(graph: Graph) -> bool:
    """Whether profiles gave times that the model's file does not: what :func:`without_measured` takes back."""
    return graph.measured is not None or graph.file_device_times is not None


@while_it_lives
def compute_ops(graph: Graph) -> Bools:
    """Ops that the cost model gives any work (bool[n], read-only): inputs and constants take no time, measured or not.

    Panels ask at every move.
    """
    found = np.maximum(*CostModel().estimate(graph)) > 0
    found.setflags(write=False)
    return found


def measured_on(graph: Graph) -> tuple[Bools, Bools]:
    """Ops with a time measured on accelerators, and on CPUs (bool[n] each); what their file gives for the other kind does not count."""
    measured = graph.measured
    if measured is None:
        return np.zeros(graph.n, bool), np.zeros(graph.n, bool)
    given, given_cpu = graph.given_times
    kept, kept_cpu = given == measured.file[0], given_cpu == measured.file[1]
    on = measured.ops & ~np.isnan(given) & ~(kept & ~kept_cpu)
    on_cpu = measured.ops & ~np.isnan(given_cpu) & ~(kept_cpu & ~kept)
    return on, on_cpu


def following(graph: Graph) -> tuple[Bools, Bools]:
    """Ops whose time on accelerators, and on CPUs, is one measured on the other kind of device times a ratio of estimates (bool[n] each)."""
    (on, on_cpu), (given, given_cpu) = measured_on(graph), graph.given_times
    return on_cpu & np.isnan(given), on & np.isnan(given_cpu)


def _ratio_words(graph: Graph, compute: Bools) -> list[str]:
    """Which kind of device follows what was measured on the other, and whose rates give the ratio."""
    model, said = graph.cost_model or CostModel(), []
    rates = [named_rates(device, model) for device in DEVICES]
    names = [one.machine if one and one.machine else "rates of your own" for one in rates]
    for kind, follows in enumerate(following(graph)):
        if (compute & follows).any():
            said.append(f"{KINDS[kind]} follow by the ratio of {names[kind]} to {names[1 - kind]}")
    return said


def measured_words(graph: Graph) -> str:
    """How many of the ops that compute anything were measured, and on what where that is one kind of device; empty where none was."""
    measured, compute = graph.measured, compute_ops(graph)
    total = int(compute.sum())
    alone = [
        f"{int((compute & ~np.isnan(times)).sum())} of {total} on {name}"
        for name, times in graph.device_times
    ]
    own = f"of single devices {', '.join(alone)}" if alone else ""
    if measured is None:
        return own
    known = int((compute & measured.ops).sum())
    shared = int((compute & measured.shared).sum())
    scaled = int((compute & measured.scaled).sum())
    kinds = [compute & on & ~measured.scaled for on in measured_on(graph)]
    if np.array_equal(kinds[0], kinds[1]):
        parts = [f"{known - scaled} of {total} ops measured"] if scaled < known or not known else []
    else:
        counts = [(int(on.sum()), name) for on, name in zip(kinds, KINDS, strict=True) if on.any()]
        counts.sort(key=lambda each: -each[0])
        parts = [f"{counts[0][0]} of {total} ops measured on {counts[0][1]}"]
        parts += [f"{count} of {total} on {name}" for count, name in counts[1:]]
    if scaled:
        parts.append(f"{scaled} of {total} ops scaled from a run")
    if shared:
        parts.append(f"{shared} of them as part of a kernel")
    if known < total:
        parts.append(f"{total - known} estimated")
    if own:
        parts.append(own)
    return "; ".join([", ".join(parts), *_ratio_words(graph, compute)])


def runs_spread(graph: Graph) -> float | None:
    """How far the runs of the slowest measured ops spread: the median of their spreads, each as a share of its time.

    None where no profile says how far. A machine that does other things meanwhile shows here (:data:`BUSY`).
    """
    measured = graph.measured
    if measured is None:
        return None
    seconds = np.nan_to_num(np.fmax(*graph.given_times))
    known = np.flatnonzero(measured.ops & ~np.isnan(measured.spread) & (seconds > 0))
    if not len(known):
        return None
    slowest = known[np.argsort(-seconds[known], kind="stable")[:SLOWEST]]
    return float(np.median(measured.spread[slowest] / seconds[slowest]))


def spread_words(graph: Graph) -> str:
    """How far runs spread, in words ("runs spread by 8 %"), and what to do where it is far; empty where it is not known."""
    spread = runs_spread(graph)
    if spread is None:
        return ""
    words = f"runs spread by {100 * spread:.0f} %"
    return f"{words}: the machine was busy; measure again when it is idle" if spread > BUSY else words


def coverage(graph: Graph) -> float:
    """The share of estimated compute time that ops with a measured time have, from 0 to 1; 0 where none was measured."""
    if graph.measured is None:
        return 0.0
    estimate = CostModel().estimate(graph)[0]
    total = float(estimate.sum())
    return float(estimate[graph.measured.ops].sum()) / total if total > 0 else 1.0
