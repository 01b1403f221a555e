"""What the comparison of counts says: a summary, and a column of figures per count."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from html import escape
from textwrap import shorten, wrap

import numpy as np

from gui.look.numbers import DASH, amount_column, one_amount, plural, rate_text, seconds_text
from gui.look.numbers import Column as Amounts
from gui.panels.edge_tpu.memory_bars import MemoryBars, memory_bars
from gui.panels.edge_tpu.painter import Column, CountsChart, Figure
from gui.widgets.labels import capital
from gui.words import held
from gui.words.objectives import component_words, objective_in_words
from planner.problem.bound import better
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from planner.runs.stage_counts import SAME_SPEED, StageCount, count_of, off_chip, throughput

SAME = 0.005
"""Throughputs whose ratio is nearer to one are called the same."""

REASON_LETTERS = 90
"""Letters of why a count is impossible for which a column has room."""
TIP_LETTERS = 48
"""Letters in a line of what is said of a row."""
LATENCY = "latency"
"""The component, and the figure of every plan, that is the time of one sample."""
ENOUGH = 0.85
"""Of the best throughput: from the count that reaches so much of it on, more bring little."""


def stages_word(problem: Problem, count: int) -> str:
    """``1 TPU``, ``4 TPUs`` or ``4 stages``."""
    counted = problem.target.counted
    return plural(count, *(problem.target.words.counted if counted is None else counted[1:]))


def summary(results: Mapping[int, StageCount], problem: Problem) -> str:
    """What the comparison says, in a sentence; why there is no plan where there is none."""
    good = {count: one for count, one in sorted(results.items()) if one.evaluation is not None}
    if not good:
        said = next((one.found.sentence for one in results.values() if one.found.sentence), "")
        return said[:1].upper() + said[1:]
    parts = []
    fits = next((count for count, one in good.items() if one.off_chip == 0), 0)
    keeps = any("dram" in one.evaluation.details for one in good.values() if one.evaluation is not None)
    if keeps and fits:
        verb = "holds" if fits == 1 else "hold"
        _, pushed = held.off_chip(good[fits].evaluation)  # type: ignore[arg-type]
        streams = "streams" if fits == 1 else "stream"
        streamed = f", but {streams} {bytes_text(pushed)} that activations push out" if pushed else ""
        parts.append(f"with these plans {stages_word(problem, fits)} {verb} all parameters on chip{streamed}")
    elif keeps:
        most = max(good)
        left = bytes_text(good[most].off_chip)
        parts.append(
            f"with these plans {stages_word(problem, most)} still leave {left} of parameters off chip"
        )
    if LATENCY in problem.components:
        return capital(_least_latency(good, problem) + ".")
    top = max(one.throughput for one in good.values())
    best = next((one for one in good.values() if one.throughput >= top * (1 - SAME_SPEED)), good[max(good)])
    enough = next(
        (count for count, one in good.items() if one.throughput >= ENOUGH * best.throughput), best.count
    )
    if fits in good and keeps and enough > fits + 1 and enough != best.count:
        parts.append(f"{enough} bring {gain_text(good[enough].throughput / good[fits].throughput - 1)}")
    elif fits in good and fits + 1 in good and keeps:
        parts.append(f"one more brings {gain_text(good[fits + 1].throughput / good[fits].throughput - 1)}")
    if keeps and best.count == fits and fits - 1 in good:
        more = gain_text(best.throughput / good[fits - 1].throughput - 1)
        if problem.graph.time_unit:
            parts.append(f"{rate_text(best.throughput)} inferences/s, {more} than {fits - 1}")
        else:
            parts.append(f"{more} than {fits - 1}")
    elif not (keeps and best.count in (fits, fits + 1)):
        word = stages_word(problem, best.count)
        verb, idle = "is" if best.count == 1 else "are", "" if keeps else used_words(best)
        rate = f"{rate_text(best.throughput)} {'inferences/s' if keeps else 'samples/s'}"
        gain = best.throughput / good[enough].throughput - 1
        little = f", {100 * gain:.0f} % more than {enough}" if enough != best.count and gain >= SAME else ""
        # A plan of the fewest bytes is not the fastest one there is, proven or not.
        sure = problem.unit(problem.components[0]) != "B" and all(one.proven for one in good.values())
        fastest = f"{word}{idle} {verb} {'fastest' if sure else 'the fastest found'}"
        parts.append(f"{fastest}: {rate}{little}" if problem.graph.time_unit else f"{fastest}{little}")
        if not keeps or best.count == max(good):
            parts.append(_beyond(best, good))
    other, _ = problem.target.suggested_objective(problem.objective, good[max(good)].evaluation)
    if other and keeps:
        # What to do stands first: a headline may be cut off at its end.
        parts.insert(0, f"plan for {objective_in_words(other)} to make these plans faster")
    return capital("; ".join(parts) + ".")


def best_words(results: Mapping[int, StageCount], problem: Problem) -> str:
    """``best so far 12 chips, 2.41 ms``: the fewest that have the best plan found yet; that there is none where there is none."""
    good = [one for _, one in sorted(results.items()) if one.evaluation is not None]
    if not good:
        return "no valid plan so far"
    best = good[0]
    for one in good[1:]:
        if better(one.evaluation.values, best.evaluation.values):  # type: ignore[union-attr]
            best = one
    name, value = next(iter(best.evaluation.components.items()))  # type: ignore[union-attr]
    return f"best so far {stages_word(problem, best.count)}, {component_words(name).title} {one_amount(value, problem.unit(name))}"


def _least_latency(good: Mapping[int, StageCount], problem: Problem) -> str:
    """The same where the time of one sample is what counts: the fewest that have about the least of it."""
    least = min(one.latency for one in good.values())
    best = next(one for one in good.values() if one.latency <= least * (1 + SAME_SPEED))
    enough = next(one for one in good.values() if ENOUGH * one.latency <= best.latency)
    verb = "has" if best.count == 1 else "have"
    found = "" if all(one.proven for one in good.values()) else " found"
    words = f"{stages_word(problem, best.count)}{used_words(best)} {verb} the least latency{found}: {one_amount(best.latency, problem.graph.time_unit)}"
    gain = 1 - best.latency / enough.latency if enough.latency > 0 else 0.0
    little = f", {100 * gain:.0f} % less than {enough.count}" if gain >= SAME else ""
    return f"{words}{little}; {_beyond(best, good)}"


def _beyond(best: StageCount, good: Mapping[int, StageCount]) -> str:
    """What is known of more than the best count: that they bring nothing, or nothing."""
    return "more bring nothing" if best.count < max(good) else "more were not tried"


def used_words(one: StageCount) -> str:
    """``, 10 of them used,``: how many of a count have ops, where some have none; empty where all have."""
    assert one.evaluation is not None
    assert one.problem is not None
    devices = zip(
        one.problem.devices, one.evaluation.ops.tolist(), one.evaluation.serves.tolist(), strict=True
    )
    used = sum(
        bool(ops) or serves not in (-1, d)
        for d, (device, ops, serves) in enumerate(devices)
        if device.kind != "cpu"
    )
    return f", {used} of them used," if used < one.count else ""


def gain_text(gain: float) -> str:
    """``12 % more throughput``, ``no more throughput`` or ``3 % less throughput``; none more where both take no time."""
    if math.isnan(gain) or abs(gain) < SAME:
        return "no more throughput"
    return f"{100 * abs(gain):.0f} % {'more' if gain > 0 else 'less'} throughput"


# ---------------------------------------------------------------------- columns
def chart_of(
    results: Mapping[int, StageCount],
    counts: Sequence[int],
    waiting: Sequence[int],
    problem: Problem,
    impossible: Collection[int] = (),
    least: int = 1,
) -> CountsChart:
    """The columns for ``counts``; those of ``waiting`` are still being planned, in that order. ``impossible`` ones cannot have a plan, and
    none below ``least`` can."""
    names = row_names(problem)
    units = row_units(results, names)
    columns = []
    for count in counts:
        one = results.get(count)
        title = stages_word(problem, count)
        if one is None or one.evaluation is None:
            if count in waiting:
                words = "planning…" if count == waiting[0] else "waiting"
            elif count in impossible and one is not None:
                words = shorten(one.found.sentence.partition(";")[0], REASON_LETTERS, placeholder=" …")
                title = f"≤ {count}" if 1 < count == least - 1 else title
            else:
                words = "not planned" if one is None else "no plan"
            columns.append(Column(count, title, words=words, tip=escape(one.found.sentence) if one else ""))
            continue
        columns.append(
            Column(
                count, title, bars_of(one.evaluation, one.problem, one.baseline, problem),
                figures_of(one, names, units), proven=one.proven, tip=tip_of(one), bar_tips=bar_tips_of(one),
            )
        )  # fmt: skip
    line = float(problem.evaluator.budget.max(initial=0.0))
    words = f"cache {bytes_text(line).replace('.00', '')}" if np.isfinite(line) else ""
    marks = "balanced cut" if any(one.baseline is not None for one in results.values()) else ""
    return CountsChart(
        tuple(columns),
        tuple(names.values()),
        words,
        marks,
        row_tips(problem, list(names)),
        count_of(problem),
        stages_word(problem, 2).partition(" ")[2],
    )


def bars_of(
    evaluation: Evaluation, problem: Problem | None, baseline: Evaluation | None, here: Problem
) -> MemoryBars:
    """m_k around the cache where stages have one, with what activations need of it and push out, else their times; every device in the
    colour that it has in the open problem (``here``), those that are not there in further ones."""
    line = np.inf if problem is None else float(problem.evaluator.budget.max(initial=0.0))
    if not np.isfinite(line):
        bars = MemoryBars(
            tuple(evaluation.cost.tolist()), line, () if baseline is None else tuple(baseline.cost.tolist())
        )
    else:
        other = () if baseline is None else tuple(baseline.memory.tolist())
        bars = memory_bars(evaluation, line, other)
    return bars if problem is None else replace(bars, places=places_in(here, problem))


def places_in(here: Problem, other: Problem) -> tuple[int, ...]:
    """The places of the devices of another count in the open problem's list, by their names; further ones where they are not in it."""
    known = {device.name: place for place, device in enumerate(here.devices)}
    beyond = itertools.count(len(known))
    return tuple(known[d.name] if d.name in known else next(beyond) for d in other.devices)


def bar_tips_of(one: StageCount) -> tuple[str, ...]:
    """What each bar of a column says when it is pointed at, as rich text: whose it is, and how much."""
    assert one.evaluation is not None
    assert one.problem is not None
    titles = [device.title for device in one.problem.devices]
    if np.isfinite(float(one.problem.evaluator.budget.max(initial=0.0))):
        said = [bytes_text(value) for value in one.evaluation.memory.tolist()]
    else:
        column = amount_column(one.evaluation.cost.tolist(), one.problem.graph.time_unit)
        said = [column.text(value) for value in one.evaluation.cost.tolist()]
    return tuple(f"<b>{escape(title)}</b>: {amount}" for title, amount in zip(titles, said, strict=True))


def row_names(problem: Problem) -> dict[str, str]:
    """The figures of a column by what they are, in order, with the words for their row."""
    names = list(problem.components)
    if problem.target.kind == "edge-tpu":
        names += [name for name in ("max-memory", "dram", "max-communication") if name not in names]
    rows = {name: component_words(name).title for name in names}
    rows["throughput"] = "throughput"
    rows.setdefault(LATENCY, "latency")
    if problem.target.kind == "edge-tpu":
        rows["gain"] = "against balanced"
    return rows


def row_tips(problem: Problem, names: Sequence[str]) -> tuple[str, ...]:
    """What the rows of these figures are about, as rich text in short lines."""
    counted = problem.target.counted
    many = problem.target.words.counted[1] if counted is None else counted.many
    told = {
        "throughput": "How often inferences end, estimated.",
        "latency": "How long one inference takes from end to end, estimated.",
        "gain": f"The throughput, as a multiple of that of the parameter-balanced cut of the Edge TPU compiler on as many {many}.",
    }
    said = (told[name] if name in told else component_words(name).help for name in names)
    return tuple("<br>".join(map(escape, wrap(words, TIP_LETTERS))) for words in said)


def value_of(evaluation: Evaluation, name: str) -> float:
    """A component's value, whether the objective has it or not."""
    if name in evaluation.components:
        return evaluation.components[name]
    if name == "max-memory":
        return float(evaluation.memory.max(initial=0.0))
    if name == "dram":
        return off_chip(evaluation)
    return float(evaluation.details["bytes_in"].max(initial=0.0))


def row_units(results: Mapping[int, StageCount], names: Mapping[str, str]) -> dict[str, Amounts]:
    """How the amounts of each row are written: all in one unit, so that they can be compared."""
    known = [one for one in results.values() if one.evaluation is not None]
    units = {}
    for name in names:
        if not known or name in ("throughput", "gain"):
            continue
        problem = known[0].problem
        assert problem is not None
        if name == LATENCY and name not in known[0].evaluation.components:  # type: ignore[union-attr]
            values, unit = [one.latency for one in known], problem.graph.time_unit
        else:
            values = [value_of(one.evaluation, name) for one in known if one.evaluation is not None]
            unit = problem.unit(name) if name in problem.components else "B"
        units[name] = amount_column(values, unit).telling_apart(values)
    return units


def figures_of(one: StageCount, names: Mapping[str, str], units: Mapping[str, Amounts]) -> tuple[Figure, ...]:
    """The figures of one count, in the order of ``names``, written in ``units``."""
    assert one.evaluation is not None
    assert one.problem is not None
    assert one.standing is not None
    proven = {c.name: c.proven for c in one.standing.components}
    unit = one.problem.graph.time_unit
    found = []
    for name in names:
        if name == "throughput":
            found.append(Figure(rate_text(one.throughput) + (" /s" if unit else "")))
        elif name == LATENCY and name not in one.evaluation.components:
            found.append(Figure(units[name].text(one.latency)))
        elif name == "gain":
            found.append(_gain(one))
        else:
            value = value_of(one.evaluation, name)
            tone = "slow" if name == "dram" and value > 0 else ""
            text = "none" if name == "dram" and value == 0 else units[name].text(value)
            found.append(Figure(text, tone, proven.get(name, False)))
    return tuple(found)


def _gain(one: StageCount) -> Figure:
    """How much faster than the parameter-balancing plan, as a factor."""
    if one.baseline is None:
        return Figure(DASH, "muted")
    factor = one.throughput / throughput(one.baseline)
    if math.isnan(factor) or abs(factor - 1) < SAME:
        return Figure("same", "muted")
    return Figure(f"×{factor:.2f}", "good" if factor > 1 else "slow")


def tip_of(one: StageCount) -> str:
    """What a column says when it is pointed at, as rich text."""
    assert one.evaluation is not None
    assert one.problem is not None
    assert one.standing is not None
    lines = [f"<b>{stages_word(one.problem, one.count)}</b>"]
    rows = []
    for component in one.standing.components:
        said = "proven" if component.proven else "not proven"
        if not component.proven and component.bound is not None:
            said = f"at least {one_amount(component.bound.value, one.problem.unit(component.name))}"
        base = ""
        if one.baseline is not None:
            base = one_amount(one.baseline.components[component.name], one.problem.unit(component.name))
        rows.append(
            (component_words(component.name).title, one_amount(component.value, one.problem.unit(component.name)), said, base)
        )  # fmt: skip
    unit = one.problem.graph.time_unit
    base = "" if one.baseline is None else rate_text(throughput(one.baseline))
    rows.append(("throughput", rate_text(one.throughput) + (" /s" if unit else ""), "estimated", base))
    head = "<td></td><td></td><td></td><td>&nbsp;&nbsp;balanced</td>" if one.baseline is not None else ""
    table = "".join(
        f"<tr><td>{a}&nbsp;&nbsp;</td><td align='right'>{b}</td><td>&nbsp;&nbsp;{c}</td><td align='right'>{d}</td></tr>"
        for a, b, c, d in rows
    )
    lines.append(f"<table><tr>{head}</tr>{table}</table>")
    lines.append(f"{one.found.planner}, {seconds_text(one.found.seconds)}. Click to take it over.")
    return "<br>".join(lines)
