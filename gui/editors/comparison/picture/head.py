"""The head of a comparison's picture: model and plans in a line, or where that would be cut, the plans in lines below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.look.numbers import plural
from gui.look.theme import Theme, font
from gui.look.writing import LEFT, words_of, write
from gui.panels.comparison.names import NOT_MOVED, plan_title, titles_in_a_row
from gui.widgets.labels import capital
from gui.words.machines import machines_by_letter, shared_machine
from planner.evaluation.times_source import times_mark
from planner.problem.worst import worst_word
from planner.reports.comparison import Comparison

BELOW_TITLE, LINE, AFTER = 26.0, 16.0, 4.0
"""Pixels above the small lines, of each, and between the last one and what follows."""
TITLE_LINE = 20.0
"""Pixels of a further line of the title."""
BETWEEN = "   "


@dataclass(frozen=True)
class Head:
    """A title in ``titles``, its lines, and small ``lines`` below it."""

    titles: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def below(self) -> float:
        """Pixels above the small lines."""
        return BELOW_TITLE + TITLE_LINE * (len(self.titles) - 1)

    @property
    def height(self) -> float:
        """Pixels that it takes."""
        return self.below + LINE * len(self.lines) + AFTER

    def paint(self, painter: QPainter, left: float, width: float, theme: Theme) -> None:
        """Write it at the top of a picture."""
        for i, title in enumerate(self.titles):
            box = QRectF(left, 7.0 + i * TITLE_LINE, width, 20.0)
            write(painter, box, LEFT, title, font(12.0, bold=True), theme.text)
        for i, line in enumerate(self.lines):
            box = QRectF(left, self.below + i * LINE, width, LINE)
            write(painter, box, LEFT, line, font(8.5), theme.muted)


def title_of(comparison: Comparison) -> str:
    """``BERT-3   A: contiguous · B: free``."""
    return f"{comparison.graph.name}{BETWEEN}{titles_in_a_row(comparison)}"


def subtitle_of(comparison: Comparison) -> str:
    """How large the model is, on which machine in full, and what cannot be compared."""
    return BETWEEN.join(facts_of(comparison))


def facts_of(comparison: Comparison) -> list[str]:
    """The same in parts."""
    problems = [plan.problem for plan in comparison.plans]
    one_kind = len({problem.target.kind for problem in problems}) == 1
    machine = shared_machine(problems) if one_kind else ""
    parts = [f"{plural(comparison.graph.n, 'op')}{machine}"]
    if not one_kind or not comparison.differing_words:  # else it is said below in what they differ
        told = machines_by_letter(problems, comparison.letters, shared=not machine.startswith(" on "))
        parts += filter(None, [told])
    marks = [times_mark(plan.problem) for plan in comparison.plans]
    known = set(filter(None, marks))  # of plans for least memory it is not asked, though they have times
    told = f"times {known.pop()}" if len(known) == 1 else ", ".join(
        f"{comparison.letter(i)}'s times {mark}" for i, mark in enumerate(marks) if mark
    )  # fmt: skip
    parts += [told] if told else []
    more = filter(None, [comparison.why_incomparable, comparison.differing_words])
    return [*parts, *map(capital, more)]


def moved_of(comparison: Comparison) -> str:
    """``24 of 347 ops moved``, of each plan after the first where there are several."""
    plans = range(1, len(comparison.plans))
    whole = plural(comparison.graph.n, "op")
    counts = [f"{len(comparison.moved(i)):,} of {whole} moved" for i in plans]
    if len(counts) == 1:
        return counts[0]
    return ", ".join(f"{comparison.letter(i)}: {words}" for i, words in zip(plans, counts, strict=True))


def looks_of(comparison: Comparison, view: str) -> list[str]:
    """What canvases do not say of their looks: why cards are pale, and in lanes which device's figure is in the colour of warnings."""
    moved = {op for i in range(1, len(comparison.plans)) for op in comparison.moved(i).tolist()}
    said = [moved_of(comparison)]
    said += [NOT_MOVED] if 0 < len(moved) < comparison.graph.n else []
    if view == "lanes":
        worst = dict.fromkeys(
            worst_word(plan.problem, plan.evaluation)
            for plan in comparison.plans
            if plan.evaluation.bottleneck >= 0
        )
        said += [f"amber: {' or '.join(worst)}"] if worst else []
    return said


def head_of(
    comparison: Comparison, width: float, listed: bool = False, title: str = "", more: Sequence[str] = ()
) -> Head:
    """What fits into ``width`` pixels whole; with ``listed`` the plans have lines of their own in any case. ``title``: another one than
    :func:`title_of`; below one that does not name the plans they have lines, too. ``more`` is said behind all facts."""
    small = QFontMetricsF(font(8.5))
    own = title not in ("", title_of(comparison))
    title = title if own else title_of(comparison)
    names: list[str] = []
    if listed or own or QFontMetricsF(font(12.0, bold=True)).horizontalAdvance(title) > width:
        title = title if own else f"{comparison.graph.name}{BETWEEN}{len(comparison.plans)} plans compared"
        names = packed([plan_title(comparison, i) for i in range(len(comparison.plans))], small, width)
    titles = packed(title.split(BETWEEN), QFontMetricsF(font(12.0, bold=True)), width)
    return Head(tuple(titles), (*names, *packed([*facts_of(comparison), *more], small, width)))


def packed(parts: list[str], measure: QFontMetricsF, width: float) -> list[str]:
    """Parts in as few lines of ``width`` pixels as hold them in their order; a part is broken between words where it has to be."""
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]}{BETWEEN}{part}" if lines else part
        if lines and measure.horizontalAdvance(joined) <= width:
            lines[-1] = joined
            continue
        line = ""
        for word in words_of(part):
            longer = f"{line} {word}" if line else word
            if line and measure.horizontalAdvance(longer) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines
