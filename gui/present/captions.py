"""What is said at a moment: title and caption in large type below, what is shown and how good it is above."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption

from gui.look.numbers import gap_text, plural
from gui.look.theme import Theme, font
from gui.look.writing import ENDS, LEFT, kept_together, write
from gui.widgets.bars import paint_track
from gui.words.held import pushed_beside
from gui.words.machines import apart_words, conditions_words, devices_words, fast_memory_words, rules_words
from gui.words.objectives import amount, component_words, units_of
from gui.words.proofs import claimed_note, component_note
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.problem.base import PlanningProblem, says_more
from planner.problem.bound import Bound
from planner.problem.claims import claim_of
from planner.problem.problem import Plan, Problem

TITLE, CAPTION, FIGURES, NAMES = 32.0, 23.0, 18.0, 17.0
"""Letters in pixels of a frame of 1280 x 800."""
LEAST_SHRINK = 0.72
"""Captions become no smaller than this, unless they are longer than a story may have them."""
LEADING = 1.24
MARGIN = 40.0
DOTS = 30.0
"""Height of the row of progress dots."""
LEAST_BAND, MOST_BAND = 0.15, 0.36
"""Shares of the height that captions take at least and at most."""
LEAST = 16.5
"""No letters on a slide are smaller (pixels of a frame of 1280 x 800): 11 pt on a slide of 960 x 540 pt. What has no room then is left out."""
STEPS = (1.35, 1.2, 1.1, 1.0)
"""How many times as large as usual letters are tried, where the size that is asked for has no room."""
MOST_DOTS = 40
MOST = 0.8
"""Share of a line that figures have at most; what is shown has the rest."""
HIGH = 1.16
"""How high a line of two is, in its letters."""
EDGE = 0.1
"""Share of the height of a header that stays free above and below two lines."""


@lru_cache(maxsize=128)
def letters(pixels: float, bold: bool = False) -> QFont:
    """The interface font at a size in pixels, its digits of equal width."""
    shown = font(9.0, bold=bold)
    shown.setPixelSize(max(6, round(pixels)))
    return shown


@lru_cache(maxsize=128)
def measure(pixels: float, bold: bool = False) -> QFontMetricsF:
    """Metrics of :func:`letters`."""
    return QFontMetricsF(letters(pixels, bold))


@lru_cache(maxsize=512)
def lines_of(text: str, pixels: float, bold: bool, width: float) -> tuple[str, ...]:
    """``text`` in as few lines of at most ``width`` pixels as it takes, of about equal lengths."""
    found = flowed(text, pixels, bold, width)
    low, high = 0.5 * width, width
    while len(found) > 1 and high - low > pixels:
        middle = (low + high) / 2
        if len(flowed(text, pixels, bold, middle)) > len(found):
            low = middle
        else:
            high = middle
    return found if len(found) < 2 else flowed(text, pixels, bold, high)


@lru_cache(maxsize=2048)
def flowed(text: str, pixels: float, bold: bool, width: float) -> tuple[str, ...]:
    """``text`` in lines of at most ``width`` pixels: broken between words, and within one that is longer than a line."""
    out: list[str] = []
    for paragraph in text.strip().splitlines():
        layout = QTextLayout(kept_together(paragraph), letters(pixels, bold))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            out.append(paragraph[line.textStart() : line.textStart() + line.textLength()].rstrip())
        layout.endLayout()
    return tuple(out)


@dataclass(frozen=True)
class Words:
    """A title and a caption broken into lines at sizes (pixels) at which they fit."""

    title: tuple[str, ...]
    caption: tuple[str, ...]
    title_px: float
    caption_px: float

    @property
    def height(self) -> float:
        """Pixels that the lines take."""
        between = 0.3 * self.caption_px if self.title and self.caption else 0.0
        return LEADING * (len(self.title) * self.title_px + len(self.caption) * self.caption_px) + between


def _set(title: str, caption: str, width: float, unit: float) -> Words:
    big, small = max(6, round(TITLE * unit)), max(6, round(CAPTION * unit))
    return Words(lines_of(title, big, True, width), lines_of(caption, small, False, width), big, small)


def words_for(title: str, caption: str, width: float, height: float, unit: float) -> Words:
    """Title and caption as large as they fit into ``width`` x ``height`` pixels; ``unit`` is the size that is wished."""
    share = 1.0
    while True:
        words = _set(title, caption, width, unit * share)
        if words.height <= height or words.caption_px <= 6:
            return words
        share *= 0.95


def band_height(said: Sequence[tuple[str, str]], width: float, height: float, unit: float) -> float:
    """How high the band of captions of a frame of ``height`` is, so that all of ``said`` (titles, captions) have room.

    It is the same throughout a story, so that what is above it stays where it is.
    """
    room = width - 2 * MARGIN * unit
    longest = max((_set(t, c, room, unit).height for t, c in said), default=0.0)
    most = MOST_BAND * height
    if longest + (DOTS + 20) * unit > most:
        longest = max((_set(t, c, room, unit * LEAST_SHRINK).height for t, c in said), default=0.0)
    return float(round(min(max(longest + (DOTS + 24) * unit, LEAST_BAND * height), most)))


def paint_caption(
    painter: QPainter, rect: QRectF, title: str, caption: str, unit: float, theme: Theme, index: int, count: int
) -> None:  # fmt: skip
    """The band below: title, caption, and which of how many keyframes this is."""
    painter.fillRect(rect, QColor(theme.panel))
    painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), max(1.0, unit)), QColor(theme.border))
    inner = rect.adjusted(MARGIN * unit, 14 * unit, -MARGIN * unit, -DOTS * unit)
    words = words_for(title, caption, inner.width(), inner.height(), unit)
    y = inner.top() + max(0.0, (inner.height() - words.height) / 2)
    for lines, pixels, bold, colour in (
        (words.title, words.title_px, True, theme.text),
        (words.caption, words.caption_px, False, theme.text),
    ):
        painter.setFont(letters(pixels, bold))
        painter.setPen(QColor(colour))
        ascent = measure(pixels, bold).ascent()
        for line in lines:
            painter.drawText(QPointF(inner.left(), y + ascent), line)
            y += LEADING * pixels
        y += 0.3 * words.caption_px if words.title and bold else 0.0
    paint_progress(painter, QRectF(inner.left(), rect.bottom() - DOTS * unit, inner.width(), DOTS * unit), unit, theme, index, count)  # fmt: skip


def paint_progress(
    painter: QPainter, rect: QRectF, unit: float, theme: Theme, index: int, count: int
) -> None:
    """A dot for each keyframe, the present one long; of many keyframes a bar."""
    if count < 2:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    y = rect.center().y() - unit
    if count > MOST_DOTS:
        bar = QRectF(rect.left(), y - 2 * unit, rect.width(), 4 * unit)
        paint_track(painter, bar, theme, 2 * unit)
        bar.setWidth(bar.width() * (index + 1) / count)
        painter.setBrush(QColor(theme.accent))
        painter.drawRoundedRect(bar, 2 * unit, 2 * unit)
        return
    size, pitch = 7.0 * unit, 17.0 * unit
    x = rect.center().x() - (pitch * (count - 1) + 2 * size) / 2
    for i in range(count):
        wide = 3 * size if i == index else size
        painter.setBrush(QColor(theme.accent if i == index else theme.muted if i < index else theme.border))
        painter.drawRoundedRect(QRectF(x, y - size / 2, wide, size), size / 2, size / 2)
        x += pitch + (2 * size if i == index else 0.0)


# ---------------------------------------------------------------------- the line above
def target_words(problem: PlanningProblem, others: Iterable[PlanningProblem] = ()) -> str:
    """What a plan is for, in a few words: ``Pipeline, 4 stages``, and what it must keep beyond
    the usual: ``Pipeline, 3 stages, memory 40 MiB, with 16 pins``; first the rules that it could do without and what sets it apart from ``others``
    of which is told as well: ``Device pool, contiguous, 3 accelerators + 1 CPU``."""
    if isinstance(problem, NetworkProblem):
        return fast_memory_words(problem)
    assert isinstance(problem, Problem)
    rules, apart = rules_words(problem), apart_words(problem, others)
    kept = ", ".join(rule for rule in rules if rule not in apart.split(", "))
    words = (problem.target.title, kept, apart, devices_words(problem), conditions_words(problem))
    return ", ".join(filter(None, words))


@dataclass(frozen=True)
class Run:
    """A few words of a line in one colour.

    ``claim``: a bound, a gap or a proof, true of a plan at rest only. What is not ``shown`` keeps its room. ``amount`` is what
    a figure says, with its unit: it counts in whatever prefix it is written, as multiples of ``scale`` (0: not known).
    """

    text: str
    colour: str
    bold: bool = False
    claim: bool = False
    shown: bool = True
    amount: tuple[float, str | None] | None = None
    scale: float = 0.0


def figure_runs(
    plan: Plan | OrderPlan, bounds: Sequence[Bound], theme: Theme, later: Sequence[Bound] = ()
) -> list[Run]:
    """Objective, bound and gap of a plan; optimal only where a bound proves it, and nothing where rules are broken.

    Where bounds that are told ``later`` of the same problem say more, the bound is one ``so far``."""
    problem, evaluation = plan.problem, plan.evaluation
    standing, units = problem.standing(evaluation.values, bounds), units_of(problem, evaluation.values)
    if not evaluation.valid:
        value = units.text(problem.components[0], evaluation.objective)
        return [
            Run(component_words(problem.components[0]).title + " ", theme.muted), Run(value, theme.text, True),
            Run(f"\N{BALLOT X} {plural(len(evaluation.violations), 'violation')}", theme.bad, True),
        ]  # fmt: skip
    runs: list[Run] = []
    for part in standing.components:
        words = component_words(part.name)
        first = len(standing.components) == 1
        if problem.unit(part.name) != words.title:  # "I/Os 4,054 I/Os" would say it twice
            runs.append(Run((words.title if first else words.short) + " ", theme.muted))
        figure = (part.value, problem.unit(part.name))
        scale = units.columns[part.name].scale
        runs.append(Run(units.text(part.name, part.value), theme.text, True, amount=figure, scale=scale))
        if first:
            break
        if isinstance(plan, Plan) and (pushed := pushed_beside(plan.evaluation, part.name)):
            runs.append(Run(pushed, theme.muted, claim=True))
        if standing.gap == 0.0:  # the end of the line says so of all
            continue
        if not part.proven and part is not standing.first_open:
            continue
        note = component_note(problem, part, part is standing.first_open, units)
        good = part.proven or part.gap == 0.0
        runs.append(Run(note, theme.good if good else theme.muted, claim=True))
    only = standing.components[0] if len(standing.components) == 1 else None
    if only is not None and only.bound is not None:
        grows = any(says_more(bound, problem, bounds) for bound in later)
        # As captions write it, and beside every other plan of the story: in the unit that suits it.
        least = f"at least {amount(problem, only.name, only.bound.value)}{' so far' if grows else ''}"
        runs.append(Run(least, theme.muted, claim=True))
    if standing.gap == 0.0:
        runs.append(Run("\N{CHECK MARK} proven optimal", theme.good, True, claim=True))
    elif only is not None:
        told = "no bound yet" if standing.gap is None else f"gap {gap_text(standing.gap)}"
        runs.append(Run(told, theme.text, claim=True))
    claim = claim_of(plan, bounds)
    if claim is not None:
        runs.append(Run(claimed_note(problem, claim), theme.muted, claim=True))
    return runs


def figures_text(plan: Plan | OrderPlan, bounds: Sequence[Bound], theme: Theme) -> str:
    """:func:`figure_runs` for those who listen."""
    return runs_text(figure_runs(plan, bounds, theme))


def runs_text(runs: Sequence[Run]) -> str:
    """Words of a line for those who listen."""
    out = ""
    for run in runs:
        out += run.text if run.text.endswith(" ") else f"{run.text}, "
    return out.removesuffix(", ")


def _advance(runs: Sequence[Run], pixels: float) -> float:
    gaps = sum(1.1 * pixels for run in runs[:-1] if not run.text.endswith(" "))
    return sum(measure(pixels, r.bold).horizontalAdvance(r.text) for r in runs) + gaps


def _least_telling(runs: Sequence[Run]) -> int:
    """Which words of a line that is too long go first: the last of the quiet ones, and the figure that they name stays; else the last."""
    plain = [i for i, run in enumerate(runs) if not run.bold and not run.text.endswith(" ")]
    return plain[-1] if plain else len(runs) - 1


def paint_header(
    painter: QPainter, rect: QRectF, name: str, target: str, runs: Sequence[Run], unit: float, theme: Theme
) -> None:
    """One quiet line: what is shown at the left, how good the plan provably is at the right. Smaller where it is long; what it is
    for has a line of its own where one has no room for all, and beside it the last figures where these are too many."""
    painter.fillRect(rect, QColor(theme.panel))
    painter.fillRect(
        QRectF(rect.left(), rect.bottom() - unit, rect.width(), max(1.0, unit)), QColor(theme.border)
    )
    inner = rect.adjusted(MARGIN * unit, 0, -MARGIN * unit, 0)
    pixels = max(6, round(FIGURES * unit))
    least = max(6, round(LEAST * unit))
    while _advance(runs, pixels) > 0.66 * inner.width() and pixels > least:
        pixels -= 1
    runs, rest = list(runs), list[Run]()
    while len(runs) > 1 and _advance(runs, pixels) > MOST * inner.width():
        rest.insert(0, runs.pop())
        while len(runs) > 1 and runs[-1].text.endswith(" "):
            rest.insert(0, runs.pop())  # a figure has its name beside it
    left, above, below = max(6, round(NAMES * unit)), inner, inner
    wide, apart = min(_advance(runs, pixels), MOST * inner.width()), 28 * unit
    named = measure(left, True).horizontalAdvance(name) + 12 * unit
    aimed = measure(left).horizontalAdvance(target)
    if rest or named + aimed + wide + apart > inner.width() + 1:
        edge, half = EDGE * inner.height(), inner.height() / 2
        above, below = inner.adjusted(0, edge, 0, -half), inner.adjusted(0, half, 0, -edge)
        most = max(6, int(above.height() / HIGH))
        pixels, left = min(pixels, most), min(left, most)
        wide = min(_advance(runs, pixels), MOST * inner.width())
        while rest and _advance(rest, pixels) + apart + aimed > inner.width():
            del rest[_least_telling(rest)]
        if rest:
            beside = _advance(rest, pixels)
            second = QRectF(inner.right() - beside, below.top(), beside, below.height())
            _paint_figures(painter, second, rest, pixels)
            below = below.adjusted(0, 0, -beside - apart, 0)
    else:
        below = inner.adjusted(named, 0, -wide - apart, 0)
    _paint_figures(painter, QRectF(inner.right() - wide, above.top(), wide, above.height()), runs, pixels)
    place = above.adjusted(0, 0, -wide - apart, 0)
    write(painter, place, LEFT, name, letters(left, True), theme.text, ENDS)
    write(painter, below, LEFT, target, letters(left), theme.muted)


def _paint_figures(painter: QPainter, rect: QRectF, runs: Sequence[Run], pixels: int) -> None:
    """Words of a line one after the other, in letters of so many pixels."""
    x = rect.left()
    painter.save()
    painter.setClipRect(rect.adjusted(0, 0, 1, 0))
    for run in runs:
        painter.setFont(letters(pixels, run.bold))
        painter.setPen(QColor(run.colour))
        advance = measure(pixels, run.bold).horizontalAdvance(run.text)
        if run.shown:
            painter.drawText(QRectF(x, rect.top(), advance + 2, rect.height()), LEFT, run.text)
        x += advance + (0.0 if run.text.endswith(" ") else 1.1 * pixels)
    painter.restore()


def paint_frame(painter: QPainter, rect: QRectF, unit: float, theme: Theme) -> None:
    """The card that a panel stands on."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.border), max(1.0, unit)))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(rect, 10 * unit, 10 * unit)
