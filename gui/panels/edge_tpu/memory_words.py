"""What the picture of the stages' parameters says in words: all bytes and all times of it in one unit each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QFontMetricsF

from gui.look.heading import lines_of
from gui.look.numbers import Column, byte_column, plural, rate_text, time_column
from gui.look.theme import font
from gui.widgets.bars import activations_seen
from gui.words.machines import hardware_words
from gui.words.objectives import Units, component_words, in_unit
from gui.words.proofs import claimed_note
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.runs.stage_counts import latency, throughput

MIB = 2.0**20
BESIDE = 10.0
"""How far from a plan's name it is said that it is proven."""
LARGE, STRONG, QUIET, LEAST = 13.0, 11.0, 10.0, 8.5
"""Points of a plan's name, of its objective, of what is said below it, and at least where there is little room."""
STEP = 0.5
"""Points by which letters become smaller until a line has room."""
FAR = 8.0
"""A cache so many times as large as what is in it has its line out of sight: bars below it would be next to nothing."""


@dataclass(frozen=True, eq=False)
class Side:
    """One plan of the picture, what it is called, with few words where there is little ``room``, what is ``proven`` of it (empty: nothing), and what a file claims."""

    title: str
    short: str
    evaluation: Evaluation
    proven: str = ""
    claim: Bound | None = None


class Line(NamedTuple):
    """A line below a plan's name, its letters in points, and whether it is of the plan's objective."""

    words: str
    size: float
    strong: bool


def wide(words: str, size: float, bold: bool = False) -> float:
    """How wide a line is in units."""
    return QFontMetricsF(font(size, bold=bold)).horizontalAdvance(words)


@dataclass(frozen=True)
class PictureUnits(Units):
    """What is written around the bars, too: times, parameters in the unit of the axis, and what enters stages."""

    times: Column
    held: Column
    entering: Column
    time_unit: str | None

    def time(self, value: float) -> str:
        """A time, in the unit of all."""
        return in_unit(self.times, self.time_unit, value)

    def parameters(self, value: float) -> str:
        """Bytes of parameters."""
        return in_unit(self.held, "B", value)

    def enters(self, value: float) -> str:
        """Bytes that enter a stage."""
        return in_unit(self.entering, "B", value)


def picture_units(problem: Problem, sides: Sequence[Side]) -> PictureUnits:
    """The unit of the axis, that of the most bytes that enter a stage, and the one that suits the longest time that is written."""
    times = [0.0]
    for side in sides:
        found = throughput(side.evaluation)
        times += [*side.evaluation.cost.tolist(), latency(side.evaluation), 1.0 / found if found > 0 else 0.0]
    unit = problem.graph.time_unit
    held, entering, timed = held_column(sides), _entering(sides), time_column(times, unit)
    columns = {
        name: timed if problem.unit(name) != "B" else entering if name == "max-communication" else held
        for name in problem.components
    }
    return PictureUnits(problem, columns, timed, held, entering, unit)


def held_column(sides: Sequence[Side]) -> Column:
    """How parameters are written, at the axis as elsewhere: in MiB, or less where no stage holds as much."""
    most = max(float(side.evaluation.memory.max(initial=0.0)) for side in sides)
    return byte_column([most]) if 0.0 < most < MIB else Column(MIB, "MiB", 2)


def line_in_sight(problem: Problem, sides: Sequence[Side]) -> bool:
    """Whether there is a cache line that what the stages hold comes near enough to be seen below it."""
    line, most = float(problem.evaluator.budget.max()), 0.0
    for side in sides:
        memory = side.evaluation.memory
        most = max(
            most,
            float((memory + side.evaluation.details.get("scratch", np.zeros(len(memory)))).max(initial=0.0)),
        )
    return math.isfinite(line) and (most <= 0.0 or line <= FAR * most)


def _entering(sides: Sequence[Side]) -> Column:
    """How bytes that enter a stage from the one before are written."""
    return byte_column(
        [float(side.evaluation.details.get("bytes_in", np.zeros(1)).max(initial=0.0)) for side in sides]
    )


def subtitle(problem: Problem, sides: Sequence[Side], brief: bool = False) -> str:
    """What the picture shows: a cache line and plates only where there are some."""
    graph = problem.graph
    entering = any((side.evaluation.details.get("bytes_in", np.zeros(1))[1:] > 0).any() for side in sides)
    unit, line = _entering(sides).suffix, float(problem.evaluator.budget.max())
    off = any(bool((side.evaluation.memory > line).any()) for side in sides)
    pushed = any(bool(side.evaluation.details.get("pushed", np.zeros(1)).any()) for side in sides)
    near = line_in_sight(problem, sides)
    grey = near and any(_grey(problem, side.evaluation) for side in sides)
    marks = (
        *(("hatched: streamed" if pushed else "hatched: off chip",) if off or pushed else ()),
        *(("grey: activations",) if grey else ()),
    )
    hatched = f" ({', '.join(marks)})" if marks else ""
    if brief:
        on = f"{held_column(sides).suffix} of parameters per stage{hatched}, on {hardware_words(problem)}"
        return on + (f"; plates: {unit} that enter the next" if entering else "")
    around = " around the cache line" if near else " far below the cache line" if math.isfinite(line) else ""
    alone = ", which counts parameters placed on chip by the compiler, without activations"
    counted = alone if pushed and problem.unit(problem.components[0]) == "B" else ""
    plates = f"; plates: {unit} that enter the next stage" if entering else ""
    return (
        f"Parameters per stage{around}{hatched}{plates}.   "
        f"{plural(graph.n, 'op')} on {hardware_words(problem)}, planned for {planned_for(problem)}{counted}"
    )


def _grey(problem: Problem, evaluation: Evaluation) -> bool:
    """Whether what activations need is to be seen below the cache line of a stage."""
    needs = evaluation.details.get("scratch")
    return (
        needs is not None
        and activations_seen(evaluation.memory, problem.evaluator.budget, needs).any().item()
    )


def planned_for(problem: Problem) -> str:
    """What the plan is to have least of, in order: ``least max memory, then off-chip (DRAM)``."""
    return "least " + ", then ".join(component_words(name).title for name in problem.components)


def components_line(problem: Problem, evaluation: Evaluation, units: PictureUnits) -> tuple[str, ...]:
    """The components of the objective, in ever fewer words: a unit behind the last of those that have it in common."""
    names, values = problem.components, evaluation.values
    if len(names) == 1:
        said = units.text(names[0], values[0])
        return f"{component_words(names[0]).title} {said}", said
    full, short = (
        [f"{word} {units.text(name, value)}" for word, name, value in zip(words, names, values, strict=True)]
        for words in zip(*((component_words(n).title, component_words(n).short) for n in names), strict=True)
    )
    once = [
        said.removesuffix(f" {own}") if own == after else said
        for said, (own, after) in zip(
            short, pairwise([said.split()[-1] for said in short] + [""]), strict=True
        )
    ]
    return ", ".join(full), ", ".join(short), ", ".join(once)


def rate_line(problem: Problem, evaluation: Evaluation, units: PictureUnits) -> tuple[str, ...]:
    """How often and how fast inferences come, estimated, in ever fewer words."""
    unit = problem.graph.time_unit
    found = throughput(evaluation)
    rate, per = rate_text(found), "second" if unit else "unit of time"
    every = units.time(1.0 / found) if found > 0.0 else ""
    takes = units.time(latency(evaluation))
    return (
        f"{rate} inferences per {per}{f', one every {every}' if every else ''}; each takes {takes} from end to end (estimated)",
        f"{rate} per {per}{f', one every {every}' if every else ''}, each takes {takes}",
        f"{rate} per {per}, {f'every {every}, ' if every else ''}each {takes}",
    )


def why_line(problem: Problem, evaluation: Evaluation, units: PictureUnits) -> tuple[str, ...]:
    """Why inferences come less often than the slowest stage is ready, in ever fewer words; nothing where they do not."""
    why = problem.target.throughput_note(evaluation, units.parameters)
    if not why:
        return ()
    return f"Less often than the slowest stage would allow: {why}", f"held up: {why}", why


def claim_line(problem: Problem, side: Side) -> tuple[str, ...]:
    """What a file claims of the plan; nothing where it claims nothing that is not proven."""
    return () if side.claim is None else (claimed_note(problem, side.claim),)


def said_of(problem: Problem, side: Side, units: PictureUnits, width: float, brief: bool) -> list[Line]:
    """What stands below a plan's name in lines of ``width`` units: all there is to say, or ``brief``, a line for each thing."""
    strong = components_line(problem, side.evaluation, units)
    others = [
        rate_line(problem, side.evaluation, units),
        why_line(problem, side.evaluation, units),
        claim_line(problem, side),
    ]
    told = [(strong, STRONG, True), *((choice, QUIET, False) for choice in others if choice)]
    if brief:
        # Nothing below the figures themselves is larger than they are.
        most = _fitting(strong, STRONG, width)[1]
        return [
            Line(*_fitting(choice, min(size, most), width), is_strong) for choice, size, is_strong in told
        ]
    return [
        Line(text, size, is_strong)
        for choice, size, is_strong in told
        for text in lines_of(choice[0], font(size), width)
    ]


def _fitting(choice: Sequence[str], size: float, width: float) -> tuple[str, float]:
    """The most words that have room in some size of letters, and that size."""
    for words in choice:
        points = size
        while points >= LEAST:
            if wide(words, points) <= width:
                return words, points
            points -= STEP
    return choice[-1], LEAST


class Name(NamedTuple):
    """A plan's name in lines, its letters in points, how far behind the last line it is said that it is proven, and the letters of that."""

    lines: tuple[str, ...]
    size: float
    behind: float
    proven: float


def name_of(side: Side, width: float, brief: bool) -> Name:
    """A plan's name in ``width`` units, the last line with room for what is proven of it: an empty one if need be.

    ``brief``: in one line if smaller letters or fewer words let it.
    """
    if brief:
        for words in (side.title, side.short):
            for size in (LARGE, LARGE - 1.0, LARGE - 2.0):
                if wide(words, size, True) + proven_room(side, size) <= width:
                    return Name((words,), size, wide(words, size, True) + BESIDE, proven_size(size))
    lines = lines_of(side.short if brief else side.title, font(LARGE, bold=True), width, 2)
    behind = wide(lines[-1], LARGE, True) + BESIDE
    if wide(lines[-1], LARGE, True) + proven_room(side, LARGE) > width:
        points = proven_size(LARGE)
        while points > LEAST and wide(side.proven, points, True) > width:
            points -= STEP
        return Name((*lines, ""), LARGE, 0.0, points)
    return Name(tuple(lines), LARGE, behind, proven_size(LARGE))


def proven_room(side: Side, size: float) -> float:
    """What a plan's being proven takes beside a name in letters of ``size``."""
    return BESIDE + wide(side.proven, proven_size(size), True) if side.proven else 0.0


def proven_size(size: float) -> float:
    """The letters of what is proven beside a name's."""
    return size - 2.0
