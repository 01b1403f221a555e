"""What headers of lanes, and plates of stages, say of each device of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gui.canvas.graph.lanes.links import Links
from gui.canvas.graph.scene import Scene
from gui.look.numbers import Column, amount_column, plural
from gui.widgets.bar_key import kinds_of_parts, with_loads
from gui.words.held import Held
from gui.words.objectives import plan_times
from planner.model.graph import Floats
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.worst import BOTTLENECK, worst_word
from planner.quantity import bytes_text

PARTS = ("receive", "work", "streaming", "send")


@dataclass(frozen=True, eq=False)
class HeaderData:
    """What the headers show, per device: titles, pace (what the objective is about), costs in parts, bytes in and out."""

    titles: tuple[str, ...]
    names: tuple[str, ...]
    pace: np.ndarray
    parts: np.ndarray
    received: np.ndarray
    sent: np.ndarray
    bottleneck: int
    column: Column
    cost: np.ndarray
    times: Column
    memory: np.ndarray
    budget: np.ndarray
    """Bytes that each device holds, and how many it can without streaming (infinite: no such limit)."""
    capacity: np.ndarray
    """Bytes that each device can hold at all (infinite: no such limit)."""
    links: Links | None = None
    time: str = "time"
    """What a device's time is called where it is no part of the objective, so that nobody takes it for that of a sample."""
    longest: float = 0.0
    """The time that the whole width of a bar stands for at least, so that plans beside this one can be compared with it."""
    fullest: float = 0.0
    """The bytes that the whole width of a bar of memory stands for at least."""
    worst: str = BOTTLENECK
    """What the bottleneck is called (:func:`planner.problem.worst.worst_word`)."""
    unused: str = ""
    """What the devices without ops are called where one band stands for all of them: ``5 chips unused``."""
    own: tuple[str, ...] = ()
    """Among plans that are compared: the names of the plan's own devices, for where the names of the comparison have no room."""
    own_titles: tuple[str, ...] = ()
    """The titles of those devices."""
    other: HeaderData | None = None
    """The same of a plan that shows at once with this one, by the same devices: its figures stand beside this one's."""
    letters: tuple[str, str] = ("", "")
    """What this plan and the other are called."""
    pushed: tuple[float, ...] = ()
    """Bytes of the parameters that fit each device's cache and that activations push out of it; empty where devices have no such cache."""
    needs: tuple[float, ...] = ()
    """Bytes that activations need of each device's cache; empty where devices have no such cache."""

    @property
    def held(self) -> Held:
        """How what devices hold is written."""
        return Held(self.memory, self.budget, self.capacity, self.column)

    def around(self, device: int) -> tuple[float, float]:
        """Bytes that activations push out of a device's cache, and that they need of it."""
        pushed, needs = (float(each[device]) if each else 0.0 for each in (self.pushed, self.needs))
        return pushed, needs

    def passing(self, device: int) -> float:
        """Bytes that go from devices before this one to devices after it."""
        return 0.0 if self.links is None else self.links.passing(device)

    def together(self, other: HeaderData, letters: tuple[str, str]) -> HeaderData:
        """Both at once. A device that only the other plan has is called as it is there; one that has two names by both:
        ``Accelerator 1 | Accelerator 2``, where that has no room ``acc 1 | acc 2``, and then ``1 | 2``."""
        here, there = np.isfinite(self.pace), np.isfinite(other.pace)
        titles, names = (
            tuple(a if mine else b for a, b, mine in zip(one, two, here, strict=True))
            for one, two in ((self.titles, other.titles), (self.names, other.names))
        )
        own = names
        for d in np.flatnonzero(here & there).tolist():
            a, b = self.own[d], other.own[d]
            if a != b:
                kind, _, number = b.rpartition(" ")
                short = f"{a} | {number if a.rpartition(' ')[0] == kind else b}"
                # Beside its mark a lane is known by its numbers.
                short = short.removeprefix(f"{kind} ")
                titles = _with(titles, d, f"{self.own_titles[d]} | {other.own_titles[d]}")
                names, own = _with(names, d, f"{a} | {b}"), _with(own, d, short)
        return replace(self, titles=titles, names=names, own=own, other=other, letters=letters)

    @property
    def paired(self) -> str:
        """The first name that is one of this plan and one of the other; empty where none is."""
        return next((name for name in self.names if self.other is not None and " | " in name), "")

    def cost_words(self, device: int) -> str:
        """What a device costs; ``0.75 | 0.70 ms`` where another plan shows, too."""
        own = float(self.pace[device])
        if self.other is None:
            return self.column.level(own)
        return f"{self.column.number(own)} | {self.other.column.text(float(self.other.pace[device]))}"

    def loaded(self, device: int) -> bool:
        """Whether a device has a bar of memory, around its cache."""
        return bool(np.isfinite(self.budget[device]) and self.budget[device] > 0)

    @property
    def apart(self) -> bool:
        """Whether bars are of memory, and costs are not."""
        return any(map(self.loaded, range(len(self.budget)))) and not np.array_equal(self.pace, self.memory)

    def bar_words(self, device: int) -> str:
        """What a device's bar is about: its cost, or what its memory holds."""
        if self.apart and self.loaded(device):
            return self.held.text(device)
        return self.column.text(float(self.pace[device]))

    @property
    def whole(self) -> float:
        """What the whole width of a bar of times stands for."""
        return max(float(self.parts.sum(axis=0).max()), self.longest)

    @property
    def full(self) -> float:
        """The bytes that the whole width of a bar of memory stands for."""
        limited = self.budget[np.isfinite(self.budget)]
        return max(float(self.memory.max()), float(limited.max()), self.fullest)

    @property
    def scale_words(self) -> str:
        """What a whole bar stands for, in words; empty where devices have bars of both kinds, or none."""
        loaded = {self.loaded(d) for d in range(len(self.budget))}
        if len(loaded) != 1:
            return ""
        return bytes_text(self.full) if loaded == {True} else self.times.text(self.whole)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the bars below the titles have that is to be explained; devices with a cache have bars of memory."""
        barred = ~(np.isfinite(self.budget) & (self.budget > 0))
        receive, _, streaming, send = self.parts[:, barred]
        return with_loads(
            kinds_of_parts(receive, streaming, send), self.memory, self.budget, self.pushed, self.needs
        )

    def beside(self, plans: Iterable[Evaluation]) -> HeaderData:
        """The same with bars on one scale with those of other plans."""
        found = [self.longest], [self.fullest]
        for e in plans:
            costs = e.receive + e.work + e.streaming + e.send
            found[0].append(float(costs.max(initial=0.0)))
            found[1].append(float(e.memory.max(initial=0.0)))
        longest, fullest = (max(value for value in values if np.isfinite(value)) for values in found)
        return replace(self, longest=longest, fullest=fullest)


def _with(words: tuple[str, ...], at: int, word: str) -> tuple[str, ...]:
    """The same with another word at one place."""
    return (*words[:at], word, *words[at + 1 :])


def header_data(
    scene: Scene, problem: Problem, crossing: tuple[np.ndarray, np.ndarray], links: Links | None = None
) -> HeaderData | None:
    """From the scene's evaluation; None before there is one. ``crossing``: bytes that enter and leave each device from and to others;
    ``links``: what crosses between stages."""
    e, devices = scene.evaluation, problem.devices
    if e is None or len(e.pace) != len(devices):
        return None
    parts = np.stack([e.receive, e.work, e.streaming, e.send])
    times, unit = plan_times(problem, e), problem.unit(problem.components[0])
    column = times if unit == problem.graph.time_unit else amount_column(e.pace, unit)
    titles, names = tuple(d.title for d in devices), tuple(d.name for d in devices)
    words = problem.target.words
    coming, going = with_host(crossing, e)
    idle = plural(int(np.count_nonzero(scene.ops == 0)), words.one, words.many)
    return HeaderData(
        titles, names, e.pace, parts, coming, going, e.bottleneck, column, e.cost, times, e.memory,
        problem.evaluator.budget, problem.evaluator.capacity, links, time_of_one(problem),
        pushed=tuple(e.details.get("pushed", np.zeros(0)).tolist()), needs=tuple(e.details.get("scratch", np.zeros(0)).tolist()), worst=worst_word(problem, e), unused="" if scene.layout.rest is None else f"{idle} unused",
    )  # fmt: skip


def with_host(crossing: tuple[Floats, Floats], evaluation: Evaluation) -> tuple[Floats, Floats]:
    """Bytes that enter and leave each device (float64[k] each): ``crossing``, what it exchanges with others, and the model's own inputs and
    outputs where these cross a link, as times of receiving and sending count them."""
    details = evaluation.details
    if "host_in" not in details:
        return crossing
    return crossing[0] + details["host_in"], crossing[1] + details["host_out"]


def time_of_one(problem: Problem) -> str:
    """What the time of one device is called: ``stage time``."""
    return f"{problem.target.words.one} time"
