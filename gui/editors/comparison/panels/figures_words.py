"""The figures of compared plans as cells of a table: objective, what is proven, rules, and the change against one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.look.numbers import (
    DASH,
    Column,
    amount_column,
    gap_text,
    one_amount,
    one_time,
    rate_text,
    signed_amount,
    signed_percent,
)
from gui.panels.comparison.names import Pair, columns_of
from gui.panels.comparison.words import judged_words, optimal_words, rules_words
from gui.widgets.labels import capital
from gui.words.methods import by_method, method_words, shown_name
from gui.words.objectives import (
    SAME,
    change,
    component_words,
    components_shortly,
    components_text,
    objective_in_words,
    objective_title,
)
from gui.words.proofs import claim_sentence, claimed_least, standing_lines
from planner.problem.problem import Plan
from planner.quantity import shown_change
from planner.reports.comparison import Comparison, Figures

if TYPE_CHECKING:
    from gui.panels.comparison.names import Compared

RULES = "Rules"
THROUGHPUT, LATENCY = "Throughput", "Latency"
"""The columns of how often samples come, and how long one takes, whatever the objective."""
MADE_FOR = "Made for"
"""The column of what plans were planned for, where one is compared under another objective."""
CLAIMED = "Claimed, not proven"
"""The column of the lower bounds that files claim, where any does."""
GAPS, PROVEN_HERE = "Gap", "Proven here"
"""The column of gaps, and the one that stands for it and for what is claimed where these have no room."""
CHECK, CROSS = "\N{CHECK MARK}", "\N{MULTIPLICATION X}"


@dataclass(frozen=True)
class Cell:
    """A text, its tone (empty, ``muted``, ``good``, ``bad``) and whether it stands at the right, as numbers do."""

    text: str
    tone: str = ""
    right: bool = False
    strong: bool = False
    tip: str = ""


@dataclass(frozen=True)
class Table:
    """Titles of columns, and for each plan its cells."""

    titles: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    later: tuple[str, ...] = ()
    """Titles of the components after the first, in their order."""

    def right(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return any(row[column].right for row in self.rows)


def figures_table(
    comparison: Compared, pair: Pair, lettered: bool = False, paired: bool = True, speeds: bool = True
) -> Table:
    """A row for each plan; changes are against plan ``pair[1]``. ``lettered``: plans by their letters, components by their short names.
    ``paired``: the two plans of the pair stand out among the others, as where they alone are shown beside the table.
    ``speeds``: throughput and latency, else throughput where it is another than the objective says."""
    base = pair[1]
    figures = [comparison.figures(i) for i in range(len(comparison.plans))]
    alike = all(not _incomparable(comparison, i, base) for i in range(len(figures)))
    names = tuple(figures[0].components)
    written = columns_of(comparison)
    columns = [written[name] for name in names] if alike else []
    titles = ["Plan"]
    words = [component_words(name) for name in names]
    components = [_heading(w.short if len(words) > 2 else w.title) for w in words]
    titles += components if alike else ["Objective"]
    both = speeds and any(math.isfinite(f.speed.latency) for f in figures)
    told = both or any(math.isfinite(f.practice) for f in figures)
    titles += [THROUGHPUT] if told else []
    # Where the objective is the latency, its own column says it.
    both = both and not (alike and all(_is_latency(f) for f in figures))
    titles += [LATENCY] if both else []
    planned_for = comparison.made_for if isinstance(comparison, Comparison) else ()
    others = [objective_title(problem.objective) for problem in planned_for]
    made = any(title != objective_title(f.objective_name) for title, f in zip(others, figures, strict=False))
    titles += [MADE_FOR] if made else []
    claims = any(f.claim is not None for f in figures)
    titles += [
        "Lower bound",
        GAPS,
        *([CLAIMED] if claims else []),
        RULES,
        f"Against {comparison.letter(base)}",
        "",
    ]
    rows = []
    for i, f in enumerate(figures):
        title = f.letter if lettered else f"{f.letter}: {shown_name(f.name)}"
        cells = [Cell(title, strong=not paired or i in pair, tip=plan_words(comparison, i))]
        if alike:
            cells += [
                Cell(column.text(f.components[name]), "" if f.valid else "muted", True, strong=at == 0)
                for at, (name, column) in enumerate(zip(names, columns, strict=True))
            ]
        else:
            problem = comparison.plans[i].problem
            values = list(f.components.values())
            shown = f"{objective_title(f.objective_name)}: {components_text(problem, values)}"
            if lettered:
                shown = components_shortly(problem, values, written)
            cells.append(Cell(shown, "" if f.valid else "muted", strong=True))
        cells += [_throughput(f, figures[base])] if told else []
        cells += [_latency(f, figures)] if both else []
        cells += [Cell(others[i])] if made else []
        cells += [_bound(f, columns), _gap(comparison, f), *([_claimed(f)] if claims else [])]
        cells += [_rules(comparison, i), *_change(comparison, i, base)]
        rows.append(tuple(cells))
    return Table(tuple(titles), tuple(rows), tuple(components[1:]) if alike else ())


def _throughput(f: Figures, base: Figures) -> Cell:
    """How often samples come, and by how much more often than in ``base``; of what a target estimates, what holds it up."""
    plan, interval = f.plan, f.speed.interval
    if not isinstance(plan, Plan) or math.isnan(interval):
        return Cell(DASH, "muted", True, tip=f.speed.why and f"{capital(f.speed.why)}.")
    unit, why = plan.problem.graph.time_unit, plan.problem.target.throughput_note(plan.evaluation)
    tip = [f"estimated: a sample every {one_time(interval, unit)}{f' ({why})' if why else ''}"]
    text = f"{rate_text(1.0 / interval)} /s" if unit else rate_text(1.0 / interval)
    other = base.speed.interval
    if not math.isnan(other) and not math.isclose(interval, other):
        text += f", {signed_percent(other / interval - 1.0)}"
        tip.append(f"{rate_text(1.0 / other)} in {base.letter}")
    return Cell(text, "", True, tip="\n".join(tip))


def _latency(f: Figures, figures: Sequence[Figures]) -> Cell:
    """How long one sample takes that nothing else is beside; all plans in one unit."""
    if not isinstance(f.plan, Plan) or math.isnan(f.speed.latency):
        return Cell(DASH, "muted", True)
    known = [one.speed.latency for one in figures if not math.isnan(one.speed.latency)]
    text = amount_column(known, f.plan.problem.graph.time_unit).text(f.speed.latency)
    return Cell(text, "", True, tip="estimated: how long one sample takes, with nothing else under way")


def _is_latency(f: Figures) -> bool:
    """Whether a component of the objective is the latency of the plan; also of plans that have none, since they break rules."""
    own, latency = f.components.get("latency", math.nan), f.speed.latency
    return not math.isnan(own) and (math.isnan(latency) or math.isclose(own, latency))


def _heading(words: str) -> str:
    return words[:1].upper() + words[1:]


def plan_words(comparison: Compared, i: int) -> str:
    """All there is to say about one plan, in lines."""
    f, plan = comparison.figures(i), comparison.plans[i]
    lines = [
        f"{f.letter}: {shown_name(f.name)}",
        f"on {f.target_words}, {objective_in_words(f.objective_name)}",
    ]
    if f.planner and f.planner != f.name:
        lines.append(f"by {method_words(f.planner)}")
    if f.valid:
        lines += standing_lines(plan.problem, f.standing)
    else:
        lines += [violation.sentence for violation in f.violations[:3]]
    if f.claim is not None:
        lines.append(claim_sentence(plan.problem, f.claim))
    return "\n".join(lines)


def _claimed(f: Figures) -> Cell:
    """The lower bound that the plan's file claims beyond what is proven."""
    if f.claim is None:
        return Cell("", "muted", True)
    problem = f.plan.problem
    return Cell(claimed_least(problem, f.claim), "muted", True, tip=claim_sentence(problem, f.claim))


def _bound(f: Figures, columns: Sequence[Column]) -> Cell:
    tip = "" if f.claim is None else claim_sentence(f.plan.problem, f.claim)
    if f.bound is None:
        return Cell(DASH, "muted", True, tip=tip)
    name, unit = f.bound.component, f.units[f.bound.component]
    place = list(f.components).index(name)
    shown = columns[place].text(f.bound.value) if columns else one_amount(f.bound.value, unit)
    if len(f.components) > 1:
        shown = f"{component_words(name).short} {shown}"
    return Cell(
        shown,
        "",
        True,
        tip="\n".join(filter(None, [f"proven by {by_method(f.bound.method)}", tip])),
    )


def _gap(comparison: Compared, f: Figures) -> Cell:
    if f.status == "optimal":
        return Cell(f"{CHECK} {optimal_words(comparison)}", "good", strong=True)
    if f.gap is None:
        return Cell(DASH, "muted")
    # Met in the first component while a later one is open would read as optimal.
    return Cell("bound met" if f.gap <= 0 else gap_text(f.gap))


def _rules(comparison: Compared, i: int) -> Cell:
    f, words = comparison.figures(i), rules_words(comparison, i)
    tip = "\n".join(filter(None, [*(v.sentence for v in f.violations[:5]), judged_words(comparison)]))
    return Cell(f"{CHECK if f.valid else CROSS} {words}", "muted" if f.valid else "bad", tip=tip)


def _change(comparison: Compared, i: int, base: int) -> tuple[Cell, Cell]:
    """The signed difference and its share of the plan compared against."""
    if i == base:
        return Cell("reference", "muted", True), Cell("", right=True)
    why = _incomparable(comparison, i, base)
    if why:
        return Cell(DASH, "muted", True, tip=why), Cell(DASH, "muted", True, tip=why)
    f, other, problem = comparison.figures(i), comparison.figures(base), comparison.plans[base].problem
    found = change(problem, tuple(other.components.values()), tuple(f.components.values()))
    tone = (
        "muted"
        if not (f.valid and other.valid) or abs(found.share) <= SAME
        else "bad"
        if found.share > 0
        else "good"
    )
    unit = f.units[found.component]
    by = signed_amount(
        shown_change(found.before, found.after, unit), max(abs(found.before), abs(found.after)), unit
    )
    if abs(found.share) <= SAME:
        return Cell("no change", "muted", True), Cell("", right=True)
    if len(f.components) > 1:
        by = f"{component_words(found.component).short} {by}"
    share = signed_percent(found.share) if found.before else DASH
    return Cell(by, tone, True, strong=True), Cell(share, tone, True, strong=True)


def _incomparable(comparison: Compared, i: int, j: int) -> str:
    """Why two objectives cannot be compared; empty where they can. Orders of one network always can."""
    from planner.reports.comparison import Comparison

    return comparison.incomparable(i, j) if isinstance(comparison, Comparison) else ""


def summary(table: Table) -> str:
    """The table as sentences, for those who listen."""
    lines = []
    for row in table.rows:
        facts = [
            f"{title} {cell.text}".strip()
            for title, cell in zip(table.titles[1:], row[1:], strict=True)
            if cell.text
        ]
        lines.append(f"{row[0].text}: {', '.join(facts)}")
    return ". ".join(lines)
