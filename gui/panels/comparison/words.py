"""What a pane says: its title line, what the pointer reads, what assistive technology reads."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from gui.canvas.graph.items import Items
from gui.look.numbers import gap_text, one_time, plural, signed_percent
from gui.panels.comparison.names import columns_of, plan_title
from gui.panels.comparison.rows import device_titles
from gui.panels.schedule.panel import in_practice, shorter, summary, without_reason
from gui.words.objectives import components_shortly
from gui.words.proofs import claim_sentence, claimed_note, claimed_shortly, standing_lines
from planner.model.graph import Ints
from planner.reports.comparison import Comparison
from planner.reports.schedule.schedule import Schedule
from planner.story.comparing import paced_times

if TYPE_CHECKING:
    from gui.panels.comparison.names import Compared

BETWEEN = "   "
"""Between the items of a line."""
MOST_NAMED = 3
"""Devices of a group that are named one by one."""


def standing_words(comparison: Comparison, plan: int) -> str:
    """``max load 21.91   proven optimal`` of one plan; components of one objective by their short names."""
    words, claims = _standing(comparison, plan)
    return BETWEEN.join([*words, *claims[:1]])


def standing_choices(comparison: Comparison, plan: int) -> list[str]:
    """:func:`standing_words`, then ever less for less room, each in whole facts: what is claimed in few words, what is known here instead,
    components after the first left out, the first alone."""
    words, claims = _standing(comparison, plan)
    values, known = words[0].split(", "), known_here(comparison, plan)
    fewer = [", ".join(values[:count]) for count in range(len(values), 0, -1)]
    told = [standing_words(comparison, plan), *(BETWEEN.join([*words, claim]) for claim in claims[1:])]
    brief = [BETWEEN.join(filter(None, [some, known])) for some in fewer]
    return list(dict.fromkeys([*told, *brief, values[0]]))


def fitting_lines(
    comparison: Comparison, plans: Sequence[int], others: Sequence[Sequence[str]], letters: QFont, room: float
) -> list[str]:
    """:func:`standing_words` and ``others`` of each of some plans in a line of ``room`` pixels, in whole items, and the same items of all:
    what one has no room for no line says. The value itself stays; then what is proven has what room there is, with all that is claimed
    beyond it, in few words if need be, else what is known here, for which components after the first make room; then the others in their
    order. What is claimed stands last."""
    measure = QFontMetricsF(letters)
    told = [_standing(comparison, plan) for plan in plans]
    lines, ends = [words[0] for words, _ in told], [""] * len(told)

    def fit(longer: Sequence[str], now: Sequence[str]) -> bool:
        return all(
            measure.horizontalAdvance(line) <= room
            for line, before in zip(longer, now, strict=True)
            if line != before
        )

    proven = [BETWEEN.join(words) for words, _ in told]
    for how in (0, 1):
        claims = [f"{BETWEEN}{claims[how]}" if claims else "" for _, claims in told]
        if fit([line + claim for line, claim in zip(proven, claims, strict=True)], lines):
            lines, ends = proven, claims
            break
    else:
        known = [known_here(comparison, plan) for plan in plans]
        for count in range(max(len(line.split(", ")) for line in lines), 0, -1):
            shorter = [", ".join(line.split(", ")[:count]) for line in lines]
            said = [BETWEEN.join(filter(None, both)) for both in zip(shorter, known, strict=True)]
            if fit(said, lines):
                lines = said
                break
    for items in zip(*others, strict=True):
        longer = [line + BETWEEN + item if item else line for line, item in zip(lines, items, strict=True)]
        if fit(
            [line + end for line, end in zip(longer, ends, strict=True)],
            [line + end for line, end in zip(lines, ends, strict=True)],
        ):
            lines = longer
    return [line + end for line, end in zip(lines, ends, strict=True)]


Item = tuple[str, str]
"""What stands before some words in a line, and these."""


def pair_items(comparison: Comparison) -> list[list[tuple[Item, Item]]]:
    """What may be said of plans A and B, the most telling first: of each the same kinds of items, with empty words where it has none.

    Components, what is claimed, what is proven, and whether rules are kept; or less, down to the first component and what is known here.
    What is proven is not said without what is claimed, but in words that say that more may be."""
    told = [_standing(comparison, plan) for plan in (0, 1)]
    kinds = zip_longest(*(words[0].split(", ") for words, _ in told), fillvalue="")
    values = [((", ", first), (", ", second)) for first, second in kinds]

    def both(words: Sequence[str]) -> tuple[Item, Item]:
        first, second = words
        return (BETWEEN, first), (BETWEEN, second)

    proven = both([words[1] if len(words) > 1 else "" for words, _ in told])
    claims = both([claims[-1] if claims else "" for _, claims in told])
    rules = both([rules_words(comparison, plan) for plan in (0, 1)])
    known = both([known_here(comparison, plan) for plan in (0, 1)])
    fewer = [[*values[:count], known] for count in range(len(values), 0, -1)]
    return [
        [*values, claims, proven, rules],
        [*values, claims, proven],
        [*values, known, rules],
        *fewer,
        values[:1],
    ]


def known_here(comparison: Comparison, plan: int) -> str:
    """What is proven, in words that are true whatever a file claims: ``gap ≤ 13.7 % proven``. Empty where rules are broken."""
    words, claims = _standing(comparison, plan)
    if not claims:
        return BETWEEN.join(words[1:])
    return f"{words[1]} proven" if len(words) > 1 else "not proven here"


def whole_words(words: str, letters: QFont, room: float) -> str:
    """A line without its last components where it would be cut: ``memory 1.96 MiB`` of ``memory 1.96 MiB, off-chip 0 B``."""
    measure = QFontMetricsF(letters)
    while ", " in words and measure.horizontalAdvance(words) > room:
        words = words.rpartition(", ")[0]
    return words


def _standing(comparison: Comparison, plan: int) -> tuple[list[str], tuple[str, ...]]:
    """The value with what is proven of it, and what is only claimed, then in fewer words (may be empty)."""
    shown = comparison.plans[plan]
    problem, evaluation = shown.problem, shown.evaluation
    words = components_shortly(problem, evaluation.values, columns_of(comparison))
    if not evaluation.valid:
        return [words], ()
    found = [words]
    gap, claim = problem.standing(evaluation.values, comparison.bounds).gap, comparison.figures(plan).claim
    if gap is not None:
        found.append(optimal_words(comparison) if gap == 0.0 else f"gap {gap_text(gap)}")
    return found, () if claim is None else (claimed_note(problem, claim), claimed_shortly(problem, claim))


def optimal_words(comparison: Compared) -> str:
    """What is said of a plan that is proven to be the best: of all, or where rules differ, of those under its own."""
    own = comparison.differing.what
    return f"optimal for its own {own}" if own else "proven optimal"


def standing_tip(comparison: Comparison, plan: int) -> str:
    """Every component with what is proven about it, and what is only claimed, in lines."""
    shown, claim = comparison.plans[plan], comparison.figures(plan).claim
    lines = standing_lines(shown.problem, shown.problem.standing(shown.evaluation.values, comparison.bounds))
    return "\n".join([*lines, *([] if claim is None else [claim_sentence(shown.problem, claim)])])


def rules_words(comparison: Compared, plan: int) -> str:
    """``valid``, or how many violations there are; where rules or machines differ, that each plan goes by its own."""
    broken, own = len(comparison.plans[plan].evaluation.violations), comparison.differing.what
    words = plural(broken, "violation") if broken else "valid"
    return f"{words} by its own {own}" if own else words


def judged_words(comparison: Compared) -> str:
    """By what plans are valid where rules or machines differ, and where they are judged otherwise; empty where nothing differs."""
    differing = comparison.differing
    if not differing.what:
        return ""
    return f"Each plan goes by its own {differing.what} here, by those that are open in Plans: {differing.sentence}."


def moved_words(comparison: Comparison, plan: int, against: int) -> str:
    """``12 of 177 ops elsewhere than in A``, or that the two are alike."""
    moved = len(comparison.moved(plan, against))
    if not moved:
        return f"places every op as {comparison.letter(against)} does"
    return f"{moved:,} of {plural(comparison.graph.n, 'op')} elsewhere than in {comparison.letter(against)}"


def device_words(comparison: Comparison, plan: int, ops: Ints) -> str:
    """The device of some ops in a plan, or the first of several, by the names of their rows."""
    rows = np.unique(comparison.places[plan][ops])
    titles = [comparison.row_title(int(row)) for row in rows[:MOST_NAMED]]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    return ", ".join(titles) + more


def where_words(comparison: Comparison, plan: int, ops: Ints) -> str:
    """``acc 2 here, acc 4 in A``; only the device where all plans agree."""
    here = device_words(comparison, plan, ops)
    places = [comparison.places[i][ops] for i in range(len(comparison.plans))]
    others = [
        f"{device_words(comparison, i, ops)} in {comparison.letter(i)}"
        for i in range(len(places))
        if i != plan and not np.array_equal(places[i], places[plan])
    ]
    if not others:
        return f"{here} in every plan"
    return ", ".join([f"{here} here", *others])


def card_words(comparison: Comparison, plan: int, items: Items, item: int) -> tuple[list[str], list[str]]:
    """A card in one plan, for assistive technology: name, kind, device and work; then where it is in every plan."""
    ops = items.ops(item)
    work = one_time(_work_of(comparison, plan, ops), items.graph.time_unit)
    name = [items.names[item], _kind_of(items, ops), device_words(comparison, plan, ops), work]
    return name, [where_words(comparison, plan, ops)]


def _kind_of(items: Items, ops: Ints) -> str:
    return items.graph.kinds[int(ops[0])] if len(ops) == 1 else plural(len(ops), "op")


def _work_of(comparison: Comparison, plan: int, ops: Ints) -> float:
    """The time of some ops where a plan has them."""
    shown = comparison.plans[plan]
    evaluator, device_of = shown.problem.evaluator, shown.decision.device_of[ops]
    return float(evaluator.op_work[evaluator.class_of[device_of], ops].sum())


def hover_text(comparison: Comparison, plan: int, items: Items, item: int) -> str:
    """A card in every plan: its device, that device's cost, and the op's own time there; as rich text."""
    ops = items.ops(item)
    kind, rows = _kind_of(items, ops), []
    here = comparison.places[plan][ops]
    for i, shown in enumerate(comparison.plans):
        device_of = shown.decision.device_of[ops]
        unit = shown.problem.graph.time_unit
        work = _work_of(comparison, i, ops)
        devices = np.unique(device_of)
        cost = one_time(float(shown.evaluation.cost[devices[0]]), unit) if len(devices) == 1 else ""
        mark = "" if i == plan or np.array_equal(comparison.places[i][ops], here) else "\N{NOT EQUAL TO}"
        name = f"<b>{comparison.letter(i)}</b>" + (" (here)" if i == plan else "")
        cells = (escape(device_words(comparison, i, ops)), escape(cost), escape(one_time(work, unit)), mark)
        rows.append(
            f"<tr><td>{name}&nbsp;&nbsp;</td><td>{cells[0]}&nbsp;&nbsp;</td><td align='right'>{cells[1]}&nbsp;&nbsp;</td>"
            f"<td align='right'>{cells[2]}</td><td>&nbsp;{cells[3]}</td></tr>"
        )
    head = "<tr><td></td><td>on</td><td align='right'>its cost&nbsp;&nbsp;</td><td align='right'>work</td><td></td></tr>"
    said = where_words(comparison, plan, ops)
    return (
        f"<b>{escape(items.names[item])}</b><br><span>{escape(kind)}</span><br>{escape(said)}"
        f"<table cellspacing='1'>{head}{''.join(rows)}</table>"
    )


def described(comparison: Comparison, plan: int, selection: Ints) -> str:
    """What is selected and where, for assistive technology."""
    moved = moved_total(comparison, plan)
    if not len(selection):
        return f"nothing selected; {moved}"
    name = comparison.graph.op_names[int(selection[0])]
    who = name if len(selection) == 1 else f"{plural(len(selection), 'op')}, {name} first"
    return f"{who} selected: {where_words(comparison, plan, selection)}; {moved}"


def moved_total(comparison: Comparison, plan: int) -> str:
    """How a plan differs from the reference, or the reference from the next."""
    return moved_words(comparison, plan, 1 if plan == 0 else 0)


def schedule_lines(comparison: Comparison, i: int, schedules: Sequence[Schedule]) -> tuple[str, ...]:
    """A plan's title and what its schedule says, and how far samples are apart in practice; then the same for less and less room. All have
    one time axis, and one unit."""
    plan, unit, s = comparison.plans[i], comparison.graph.time_unit, schedules[i]
    practice = in_practice(plan.problem.target, plan.evaluation, s, unit)
    words = summary(s, device_titles(comparison, i), unit, practice, beside=schedules)
    told = shorter(words)
    # Where there is room for one figure, it is the one that counts.
    first = without_reason(practice) or told[-1]
    lines = [f"{plan_title(comparison, i)}{BETWEEN}{brief}" for brief in dict.fromkeys((*told, first))]
    return (*lines, f"{comparison.letter(i)}{BETWEEN}{first}")


def practice_change(comparison: Comparison, schedules: Sequence[Schedule], shown: int, base: int) -> str:
    """``about \N{MINUS SIGN}2.5 % in practice``: what times of samples of two plans differ by there, where schedules are faster; else empty."""
    taken = paced_times(comparison, schedules[0].kind, schedules)
    here, there = taken.times[shown], taken.times[base]
    pair = (shown, base)
    if not there > 0.0 or all(taken.times[i] == schedules[i].period for i in pair):
        return ""
    return f"about {signed_percent((here - there) / there)} in practice"


def pace_changes(comparison: Comparison, schedules: Sequence[Schedule]) -> list[str]:
    """``B against A: a sample every \N{MINUS SIGN}18.0 %, about \N{MINUS SIGN}2.5 % in practice`` of each plan after the first."""
    takes, first = (
        ("a sample takes" if schedules[0].kind == "latency" else "a sample every"),
        schedules[0].period,
    )
    if not first > 0.0:
        return []
    told = []
    for i in range(1, len(schedules)):
        change = signed_percent((schedules[i].period - first) / first)
        words = f"{comparison.letter(i)} against {comparison.letter(0)}: {takes} {change}"
        told.append(", ".join(filter(None, [words, practice_change(comparison, schedules, i, 0)])))
    return told


def practice_reasons(comparison: Comparison, schedules: Sequence[Schedule]) -> list[str]:
    """``A in practice: 6.12 MiB streamed on one link``: why samples of a plan come later than its schedule says, where they do."""
    told = []
    for i, (plan, s) in enumerate(zip(comparison.plans, schedules, strict=True)):
        _, _, why = in_practice(
            plan.problem.target, plan.evaluation, s, comparison.graph.time_unit
        ).partition(" (")
        told += [f"{comparison.letter(i)} in practice: {why.removesuffix(')')}"] if why else []
    return told
