"""Measured times of single devices, given by number or name, on the devices of a target."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from planner.errors import TargetError
from planner.model.cost_model import fill
from planner.model.graph import Graph
from planner.model.times import Use, with_times_of
from planner.problem.target import Target

SHOWN = 8
"""Devices named in a sentence."""


def own_timed(graph: Graph, target: Target) -> dict[str, str]:
    """The devices that may have measured times of their own, by name, and what they are called: slots of one accelerator are one device.

    Empty where the target takes its devices for alike, and where it has but one.
    """
    if not target.own_times:
        return {}
    names = target.hardware(graph)
    titles = {}
    for name, device in zip(names, target.devices(graph), strict=True):
        titles[name] = device.title if device.name == name else device.title.partition(".")[0]
    return titles if len(titles) > 1 else {}


def on_devices(graph: Graph, target: Target, asked: Iterable[str] = ()) -> Graph:
    """``graph`` with the names of the target's hardware in place of numbers of its devices; what was estimated is estimated again.

    Raises :class:`TargetError` where a number or one of the names ``asked`` for is of no device, or devices of the target cannot have times of
    their own; other names that it lacks are left: they are of another machine.
    """
    wanted = {*asked, *(name for name, _ in graph.device_times if name.isdigit())}
    if not wanted:
        return graph
    names = _hardware_names(graph, target, wanted)
    times = {}
    for name, seconds in graph.device_times:
        place = names.get(name, name)
        if place in times:
            raise TargetError(
                f"the times of '{place}' are given twice, by its number and by its name; keep one"
            )
        times[place] = seconds
    if tuple(times) == tuple(name for name, _ in graph.device_times):
        return graph
    renamed = graph.with_device_times(times)
    return renamed if graph.cost_model is None else fill(renamed, graph.cost_model)


def uses_on(uses: Sequence[Use], graph: Graph, target: Target) -> tuple[Use, ...]:
    """Profiles of ``graph`` with the names of the target's hardware in place of numbers of its devices.

    Raises :class:`planner.errors.StageboardError` where a profile is of another model, or as :func:`on_devices`.
    """
    asked = {use.place for use in uses if use.place}
    on_devices(with_times_of(graph, uses), target, asked)
    if not asked:
        return tuple(uses)
    names = _hardware_names(graph, target, asked)
    return tuple(replace(use, place=names[use.place]) if use.place else use for use in uses)


def _hardware_names(graph: Graph, target: Target, wanted: Collection[str]) -> dict[str, str]:
    """What the target's hardware is called that numbers and names mean. Raises :class:`TargetError`."""
    hardware = target.hardware(graph) if target.own_times else ()
    if not hardware:
        raise TargetError(
            f"{target.in_words} takes all its devices for alike; give one profile for all of them (--times FILE)"
        )
    names = {}
    for name in sorted(wanted):
        number = int(name) if name.isdigit() else -1
        if name not in hardware and not 0 <= number < len(hardware):
            known = ", ".join(dict.fromkeys(hardware[:SHOWN]))
            raise TargetError(
                f"the target has no device '{name}' that could have measured times; its devices are {known}"
            )
        names[name] = name if name in hardware else hardware[number]
    return names
