"""What is said of plans that are compared: titles and captions from the figures of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.quantity import amount_text
from planner.reports.comparison import Comparison
from planner.reports.schedule.common import common_schedules, practice_interval, practice_latency
from planner.reports.schedule.schedule import Schedule
from planner.story.flowing import MOST_WAYS
from planner.story.keyframe import LONGEST_TITLE
from planner.story.telling import RATES, SAME, change_words, changed, fitting, from_to, is_named, shortened
from planner.text_table import percent, times

LOOKS = {
    "side-by-side": "Side by side", "overlay": "Both on one canvas", "sankey": "What goes from device to device",
    "schedules": "On one time axis",
}  # fmt: skip
"""Titles of comparisons, by how they are shown, of plans that were introduced."""
MOST_WAITED = 3
"""Devices of one plan that are named as those for which others wait; more are counted."""


def comparison_title(comparison: Comparison, how: str = "") -> str:
    """``Free against Contiguous``: plan B against plan A by the names that somebody gave them; ``From 31.2 to 24.8 ms`` where they have
    none; of more plans their names, or what the first and the best of them cost. Of ``schedules`` (``how``) it is what samples take (in practice)."""
    plans = comparison.plans
    if all(is_named(plan) for plan in plans):
        names = [comparison.figures(i).name for i in range(len(plans))]
        return shortened(
            f"{names[1]} against {names[0]}" if len(names) == 2 else ", ".join(names), LONGEST_TITLE
        )
    kind, timed, _ = sample_times(comparison) if how == "schedules" else ("", [], False)
    if len(timed) == 2:
        unit = plans[0].problem.graph.time_unit
        was, now = timed
        before, after = (amount_text(pace, unit) for pace in timed)
        what = "for a sample" if kind == "latency" else "between samples"
        return f"{from_to(was, now, unit) if before != after else f'Both {after}'} {what}"
    if not all(plan.evaluation.valid for plan in plans) or any(
        comparison.incomparable(i, 0) for i in range(1, len(plans))
    ):
        return f"{len(plans)} plans compared"
    found = [changed(plan, plans[0]) for plan in plans[1:]]
    gains = [0.0 if one is None or one[0] != plans[0].problem.components[0] else one[1] for one in found]
    best = 1 if len(plans) == 2 else 1 + int(np.argmin(gains))
    component = plans[0].problem.components[0] if (first := found[best - 1]) is None else first[0]
    words = change_words(plans[0], plans[best], component)
    if first is None:
        words = (
            f"Both {words.rpartition(' to ')[2]}" if len(plans) == 2 else f"All {words.rpartition(' to ')[2]}"
        )
    return shortened(
        words if len(plans) == 2 else f"{len(plans)} plans: {words[:1].lower()}{words[1:]}", LONGEST_TITLE
    )


def comparison_caption(comparison: Comparison, how: str = "") -> str:
    """``B takes 21.3 % less than A, 27.1 ms; 136 of 292 ops are elsewhere.`` for each plan after A.

    Each way to show it (``how``) tells its own picture: a ``sankey`` where ops go, an ``overlay`` how many stay, ``schedules`` what samples
    take there, ``B finishes a sample every 2.96 ms, 38.6 % less than A.``, and for which device the others wait.
    """
    if how in ("sankey", "overlay") and not comparison.why_incomparable:
        return fitting(
            [_going(comparison) if how == "sankey" else _staying(comparison), _rules(comparison)], 240
        )
    kind, schedules = _sample_schedules(comparison) if how == "schedules" else ("", [])
    timed = [one.period for one in schedules]
    if timed:
        sentences = _paced(comparison, kind, timed)
        estimated = zip(comparison.plans, timed, strict=True)
        practice = [practice_interval(p.evaluation, pace) for p, pace in estimated if kind != "latency"]
    else:
        sentences = [_sentence(comparison, i) for i in range(1, len(comparison.plans))]
        practice = [comparison.figures(i).practice for i in range(len(comparison.plans))]
        timed = [plan.evaluation.objective for plan in comparison.plans]
    if not comparison.why_incomparable or kind:
        sentences.append(_in_practice(comparison, timed, practice))
    if kind and kind != "latency":
        sentences.append(_waiting(comparison, schedules))
    sentences += [_rules(comparison), _going(comparison) if how == "sankey" else ""]
    return fitting(sentences, 240)


def _rules(comparison: Comparison) -> str:
    """Which rules only one of the plans was made to keep; empty where there are none."""
    rules = comparison.differing.sentence
    return f"{rules[:1].upper()}{rules[1:]}." if rules else ""


def _going(comparison: Comparison) -> str:
    """``15 of 424 ops go elsewhere from A to B. Most, 9, go from Chip 1 to Chip 2.``"""
    count, whole = len(comparison.moved(1)), comparison.graph.n
    a, b = comparison.letter(0), comparison.letter(1)
    if not count:
        return f"No op is elsewhere in {b} than in {a}."
    head = f"{count:,} of {whole:,} ops {'goes' if count == 1 else 'go'} elsewhere from {a} to {b}"
    if words := _largest_move(comparison):
        return f"{head}. {words}"
    ops = np.array(comparison.flows(1, 0).ops)
    np.fill_diagonal(ops, 0)
    return f"{head}, at most {int(ops.max()):,} of them from one device to another."


def _staying(comparison: Comparison) -> str:
    """``409 of 424 ops stay where A has them; in B 15 are elsewhere.``"""
    count, whole = len(comparison.moved(1)), comparison.graph.n
    a, b = comparison.letter(0), comparison.letter(1)
    if not count:
        return f"All {whole:,} ops are where {a} has them."
    stay = f"{whole - count:,} of {whole:,} ops stay where {a} has them" if count < whole else "No op stays"
    return f"{stay}; in {b} {count:,} {'is' if count == 1 else 'are'} elsewhere."


def _waiting(comparison: Comparison, schedules: Sequence[Schedule]) -> str:
    """``The others wait for Chip 5 in A, for Chip 1 in B.``: what sets the pace of each plan in its schedule, whatever the plan was made for;
    empty where no device does, or nothing waits for it. One that is busy all the time to the eye waits for nobody either, and a device
    without ops is none of the others."""
    if any(not one.bottlenecks or len(np.unique(one.piece_device)) < 2 for one in schedules):
        return ""
    busy = [one.never_waiting for one in schedules]
    if any(
        set(np.unique(one.piece_device)) <= set(devices) for one, devices in zip(schedules, busy, strict=True)
    ):
        return ""
    titles = [_waited_for(comparison, i, devices) for i, devices in enumerate(busy)]
    alone = all(
        len(np.unique(one.piece_device)) - len(devices) == 1
        for one, devices in zip(schedules, busy, strict=True)
    )
    who = "The other waits" if alone else "The others wait"
    if len(set(titles)) == 1:
        return f"{who} for {titles[0]} in {'both' if len(titles) == 2 else 'all'}."
    waits = [f"for {title} in {comparison.letter(i)}" for i, title in enumerate(titles)]
    return f"{who} {', '.join(waits)}."


def _waited_for(comparison: Comparison, i: int, devices: Sequence[int]) -> str:
    """``Stage 1 and Stage 4``; of many ``12 chips``."""
    titles = [comparison.title_for(int(comparison.row_of[i][d]), i) for d in devices]
    if len(titles) > MOST_WAITED:
        return f"{len(titles)} {comparison.plans[i].problem.target.words.many}"
    return " and ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))


def _in_practice(comparison: Comparison, paces: Sequence[float], practice: Sequence[float]) -> str:
    """``In practice a sample is estimated every 16.43 ms in A, 8.21 ms in B (50.0 % less).`` where that is later than the ``paces`` say
    for any plan; else empty."""
    each = [pace if math.isnan(later) else later for pace, later in zip(paces, practice, strict=False)]
    shown = times([*each, *paces], comparison.graph.time_unit)
    if not each or shown[: len(each)] == shown[len(each) :]:
        return ""
    words = []
    for i, (value, text) in enumerate(zip(each, shown, strict=False)):
        share = (value - each[0]) / each[0]
        less = (
            f" ({percent(abs(share))} {'less' if share < 0 else 'more'})" if i and abs(share) > SAME else ""
        )
        words.append(f"{text} in {comparison.letter(i)}{less}")
    return f"In practice a sample is estimated every {', '.join(words)}."


def _paced(comparison: Comparison, kind: str, timed: Sequence[float]) -> list[str]:
    """What samples take in the schedule of each plan, against the first's."""
    sentences = []
    for i, pace in enumerate(timed):
        takes = "takes" if kind == "latency" else "finishes a sample every"
        value = amount_text(pace, comparison.graph.time_unit)
        share = (pace - timed[0]) / timed[0]
        words = f"{comparison.letter(i)} {takes} {value}{' for a sample' if kind == 'latency' else ''}"
        if i:
            same = f"as {comparison.letter(0)} does"
            less = f"{percent(abs(share))} {'less' if share < 0 else 'more'} than {comparison.letter(0)}"
            words += f", {same if abs(share) <= SAME else less}"
        sentences.append(f"{words}.")
    return sentences


class SampleTimes(NamedTuple):
    """The ``kind`` of the plans' schedules and each plan's time of a sample (``times``, in the graph's unit); ``practice``: whether any of
    them is what the target estimates in practice, later than the schedule says."""

    kind: str
    times: list[float]
    practice: bool


def sample_times(comparison: Comparison) -> SampleTimes:
    """What samples take in practice, as far as that is estimated, else in the schedules; no times where there are no schedules that compare,
    or a plan cannot run."""
    kind, schedules = _sample_schedules(comparison)
    return paced_times(comparison, kind, schedules)


def paced_times(comparison: Comparison, kind: str, schedules: Sequence[Schedule]) -> SampleTimes:
    """The same of ``schedules`` of one ``kind``, one for each plan."""
    paces = [one.period for one in schedules]
    if kind == "gpipe":
        return SampleTimes(kind, paces, False)
    estimate = practice_latency if kind == "latency" else practice_interval
    later = [estimate(plan.evaluation, pace) for plan, pace in zip(comparison.plans, paces, strict=False)]
    each = [pace if math.isnan(time) else time for pace, time in zip(paces, later, strict=True)]
    return SampleTimes(kind, each, each != paces)


def _sample_schedules(comparison: Comparison) -> tuple[str, list[Schedule]]:
    """(the kind of schedule, each plan's); none where there are none that compare, or a plan cannot run."""
    if not all(plan.evaluation.valid for plan in comparison.plans):
        return "", []
    try:
        kind, found = common_schedules(comparison.plans)
    except StageboardError:
        return "", []  # the picture says why
    return (kind, found) if min(one.period for one in found) > 0.0 else ("", [])


def letters_for(plans: Sequence[int], compared: Iterable[int]) -> str:
    """The letters of plans in one of several comparisons: each of the ``compared`` plans has one, in the order of their numbers.

    Empty where they are A, B and so on, and where there are more plans than letters.
    """
    order = sorted({*compared})
    if len(order) > len(ascii_uppercase):
        return ""
    letters = "".join(ascii_uppercase[order.index(plan)] for plan in plans)
    return "" if letters == ascii_uppercase[: len(letters)] else letters


def _sentence(comparison: Comparison, i: int) -> str:
    count, whole = len(comparison.moved(i)), comparison.graph.n
    where = (
        f"{count:,} of {whole:,} ops {'is' if count == 1 else 'are'} elsewhere"
        if count
        else f"every op is where {comparison.letter(0)} has it"
    )
    return f"{comparison.letter(i)} {_cost(comparison, i)}; {where}."


def _cost(comparison: Comparison, i: int) -> str:
    """``takes 21.3 % less than A, 27.1 ms``, or why that cannot be said."""
    plan, reference, first = comparison.plans[i], comparison.plans[0], comparison.letter(0)
    broken = len(plan.evaluation.violations)
    if broken:
        return f"breaks {'a rule' if broken == 1 else f'{broken:,} rules'}"
    if not reference.evaluation.valid:
        return f"keeps all rules, which {first} does not"
    component = plan.problem.components[0]
    if comparison.incomparable(i, 0):
        value = amount_text(plan.evaluation.objective, plan.problem.unit(component))
        verb = "makes" if component in RATES else _verb(plan.problem.unit(component))
        return f"{verb} {_paid(component, value)}, for another problem than {first}'s"
    found = changed(plan, reference)
    if found is None:
        value = amount_text(plan.evaluation.objective, plan.problem.unit(component))
        return f"{_verb(plan.problem.unit(component))} as much as {first}, {_paid(component, value)}"
    name, share = found
    unit = plan.problem.unit(name)
    value = amount_text(plan.evaluation.components[name], unit)
    what = _verb(unit) if name == component else f"has, in {name.replace('-', ' ')},"
    if not math.isfinite(share):
        return f"{what} {value}, where {first} {_verb(unit)} none"
    return (
        f"{what} {percent(abs(share))} {'less' if share < 0 else 'more'} than {first}, {_paid(name, value)}"
    )


def _paid(component: str, value: str) -> str:
    """An amount of a component: that of a rate says of what it is the time."""
    return RATES[component].format(value=value) if component in RATES else value


def _verb(unit: str | None) -> str:
    return "needs" if unit == "B" else "takes"


def _largest_move(comparison: Comparison) -> str:
    """The devices between which most ops go from the first plan to the second, both ways where two are as large; empty where more are."""
    ops = np.array(comparison.flows(1, 0).ops)
    np.fill_diagonal(ops, 0)
    if not ops.any():
        return ""
    count = int(ops.max())
    largest = np.argwhere(ops == count).tolist()
    if len(largest) > MOST_WAYS:
        return ""
    titles = [comparison.move_titles(left, right, 0, 1) for left, right in largest]
    ways = " and ".join(f"from {from_device} to {to_device}" for from_device, to_device in titles)
    if len(largest) > 1:
        return f"{count:,} each go {ways}." if 2 * count == ops.sum() else f"Most, {count:,} each, go {ways}."
    if count == ops.sum():
        return f"All of them go {ways}."
    return f"{'Most' if 2 * count > ops.sum() else 'The largest part'}, {count:,}, {'go' if 2 * count > ops.sum() else 'goes'} {ways}."
