"""How the objective of a story's plans comes down towards what is proven, plan by plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gui.look.numbers import Column, gap_text, plural
from gui.look.theme import Theme
from gui.present.captions import flowed, measure
from gui.present.panels.rows import LEFT, RIGHT, SMALL, paint_head, text
from gui.words.methods import shown_name
from gui.words.objectives import amount, column_of, component_words
from gui.words.proofs import best_words, component_title
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.problem.proof_words import plan_words, rules_used

Member = tuple[Plan | OrderPlan, tuple[Bound, ...]]
"""A plan with the bounds that are stored with it."""
MOST_TICKS = 4
"""Figures beside the plot."""
UNSAID = " "
"""Keeps the room of a note while a figure counts, of which nothing is proven."""


def steps_of(members: Sequence[Member]) -> tuple[list[Member], list[int]]:
    """The members that tell of something new, which is another plan or another bound, and the step of each member among these."""
    steps: list[Member] = []
    step_of: list[int] = []
    known: set[tuple[str, str, float]] = set()
    for plan, bounds in members:
        told = {(b.component, b.method, b.value) for b in bounds}
        same = next((i for i, (one, _) in enumerate(steps) if one.decision == plan.decision), None)
        if same is None or not told <= known:
            step_of.append(len(steps))
            steps.append((plan, bounds))
        else:
            step_of.append(same)
        known |= told
    return steps, step_of


def _firsts(members: Sequence[Member]) -> list[int]:
    """For each member the first one of the same plan: itself, or one that it adds a bound to."""
    plans = [plan.decision for plan, _ in members]
    return [plans.index(plan) for plan in plans]


def _foot(members: Sequence[Member], shown: int) -> str:
    """Which of the plans was told of last, or which of the bounds that came after their plan."""
    plan = members[shown - 1][0]
    who, firsts = shown_name(plan.name or plan.provenance.planner), _firsts(members)
    new = [first == i for i, first in enumerate(firsts)]
    what, alike = ("plan", new) if new[shown - 1] else ("bound", [not is_new for is_new in new])
    # "bound 1 of 4: simple bound" would say it twice.
    who = who.removesuffix(" bound") if what == "bound" else who
    return f"{what} {sum(alike[:shown])} of {sum(alike)}: {who}"


def component_shown(members: Sequence[Member]) -> int:
    """The component that the lines are about: the first in which the plans differ, else the first."""
    count = len(members[0][0].evaluation.values)
    for c in range(count):
        values = [plan.evaluation.values[c] for plan, _ in members]
        if max(values) - min(values) > 1e-9 * max(1e-300, abs(max(values))):
            return c
    return 0


def paint_convergence(
    painter: QPainter, rect: QRectF, members: Sequence[Member], shown: int, unit: float, theme: Theme, step: float = 1.0
) -> None:  # fmt: skip
    """``members`` are all plans of one problem in the story's order, of which the first ``shown`` have been told of; the last of these is
    on its way from the one before, a share ``step`` of it. A plan that comes again with another bound has one dot."""
    problem = members[shown - 1][0].problem
    c = component_shown(members)
    name = problem.components[c]
    values = [member.evaluation.values[c] for member, _ in members]
    # What is proven holds for the problem, whichever plan it was stored with.
    proofs = [_bound(member, known, c) for member, known in members]
    proven = [None if proof is None else proof.value for proof in proofs]
    so_far = [b for b in proven[:shown] if b is not None]
    known = [b for b in proven if b is not None]
    moving = step < 1.0 and shown > 1
    earlier = values[shown - 2] if moving else values[shown - 1]
    value = earlier + (values[shown - 1] - earlier) * step
    counting = earlier != values[shown - 1]
    # Words about what is proven change at the middle of the way; of a figure on its way nothing is proven.
    said = shown - 1 if moving and step < 0.5 else shown
    note = UNSAID if counting else _note(members, said, name)
    least = max((b for b in proofs[:said] if b is not None), key=lambda b: b.value, default=None)
    words = component_words(name).title
    title = f"{words[:1].upper()}{words[1:]}, plan by plan"
    free = paint_head(painter, rect, unit, theme, title, amount(problem, name, value), note)
    feet = [
        flowed(_foot(members, i + 1), max(6, round(SMALL * unit)), False, rect.width())
        for i in range(len(members))
    ]
    # One height for all, so that nothing moves from keyframe to keyframe.
    below = 22 * unit * max(len(lines) for lines in feet)
    low, high = min([*values, *known]), max([*values, *known])
    pad = 0.14 * (high - low) or 0.1 * abs(high) or 1.0
    low, high = low - pad, high + pad
    ticks = _ticks(low, high, column_of(problem, name, values))
    letters = measure(max(6, round(SMALL * unit)), False)
    scale = max((letters.horizontalAdvance(words) for _, words in ticks), default=0.0)
    plot = free.adjusted(scale + 14 * unit, 12 * unit, -10 * unit, -22 * unit - below)
    if plot.height() < 40 * unit:
        return

    def place(i: float, value: float) -> QPointF:
        share = 0.5 if len(members) == 1 else (i + 0.5) / len(members)
        return QPointF(
            plot.left() + plot.width() * share, plot.bottom() - plot.height() * (value - low) / (high - low)
        )

    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_scale(painter, plot, [(place(0, tick).y(), words) for tick, words in ticks], scale, unit, theme)
    steps: list[QPointF] = []
    if so_far:
        steps = _proven(
            painter, plot, proven[:shown], place, len(members), unit, theme, step if shown > 1 else 1.0
        )
    firsts = _firsts(members[:shown])
    dots = sorted(set(firsts))
    points = [place(i, values[i]) for i in dots]
    current = dots.index(firsts[-1])
    if moving and firsts[-1] == shown - 1:  # a new plan: its dot comes from the one before
        points[-1] = place(dots[-2] + (shown - 1 - dots[-2]) * step, value)
    valid = [members[i][0].evaluation.valid for i in dots]
    _paint_dots(painter, points, valid, current, unit, theme)
    proof = place(0, max(so_far)).y() if so_far else plot.bottom()
    label = amount(problem, name, value)
    plate, written, align = _value_place(plot, points, current, label, proof, unit)
    began = (
        _paint_first(painter, plot, points, amount(problem, name, values[0]), plate, unit, theme)
        if current
        else QRectF()
    )
    painter.fillRect(plate, QColor(theme.panel))
    text(painter, written, label, SMALL * unit, theme.text, bold=True, align=align)
    if least is not None and not counting:
        kept = plan_words(rules_used(problem, [least]))
        told = (f"no {kept} is below ", "at least ", amount(problem, name, least.value))
        height = place(0, least.value).y()
        _paint_bound(painter, plot, steps, points, (plate, began), height, told, unit, theme)
    for i, line in enumerate(feet[shown - 1]):
        foot = QRectF(rect.left(), plot.bottom() + (14 + 22 * i) * unit, rect.width(), 22 * unit)
        text(painter, foot, line, SMALL * unit, theme.muted)


def _paint_dots(
    painter: QPainter,
    points: Sequence[QPointF],
    valid: Sequence[bool],
    current: int,
    unit: float,
    theme: Theme,
) -> None:
    """A dot for each plan, hollow where rules are broken, and the line from one to the next."""
    painter.setPen(QPen(QColor(theme.accent), 2.6 * unit))
    painter.drawPolyline(QPolygonF(points))
    for i, point in enumerate(points):
        radius = (7.0 if i == current else 4.5) * unit
        colour = QColor(theme.accent if valid[i] else theme.bad)
        painter.setPen(QPen(colour, 2.2 * unit))
        painter.setBrush(colour if valid[i] else QColor(theme.panel))
        painter.drawEllipse(point, radius, radius)


def _paint_scale(
    painter: QPainter,
    plot: QRectF,
    ticks: Sequence[tuple[float, str]],
    wide: float,
    unit: float,
    theme: Theme,
) -> None:
    """A line at each height of a round value, and the value left of it, in ``wide`` pixels."""
    for y, words in ticks:
        painter.setPen(QPen(QColor(theme.grid), max(1.0, unit)))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        box = QRectF(plot.left() - wide - 8 * unit, y - 10 * unit, wide + 2 * unit, 20 * unit)
        text(painter, box, words, SMALL * unit, theme.muted, align=RIGHT)


def _paint_bound(
    painter: QPainter, plot: QRectF, steps: Sequence[QPointF], points: Sequence[QPointF], plates: Sequence[QRectF], y: float,
    told: tuple[str, str, str], unit: float, theme: Theme,
) -> None:  # fmt: skip
    """What is proven, at its own step: ``told`` are the words before the figure, shorter ones for where these would lie on a line, and the figure."""
    letters = measure(max(6, round(SMALL * unit)), False)
    long, short, least = told
    choices = [(words, letters.horizontalAdvance(words)) for words in (f"{long}{least}", f"{short}{least}")]
    words, own = _bound_place(plot, steps, points, plates, y, choices, unit)
    painter.fillRect(own, QColor(theme.panel))
    text(painter, own, words, SMALL * unit, theme.good)


def _bound_place(
    plot: QRectF, steps: Sequence[QPointF], points: Sequence[QPointF], plates: Sequence[QRectF], y: float,
    choices: Sequence[tuple[str, float]], unit: float,
) -> tuple[str, QRectF]:  # fmt: skip
    """Which of the ``choices`` of words (each with its pixels) stand where at their own step, which is at the height ``y``: below it or above
    it, on no line, on no dot and not on the ``plates`` of values; the first where none can."""
    own = [point.x() for point in steps if abs(point.y() - y) < 1e-6] or [plot.left()]
    places: list[tuple[str, QRectF]] = []
    for words, wide in choices:
        room = min(wide, plot.width())
        ends = (min(own), max(own) - room, plot.right() - room, plot.left())
        places += [
            (words, QRectF(min(max(left, plot.left()), plot.right() - room), top, room, 20 * unit))
            for top in (y + 4 * unit, y - 24 * unit)
            for left in ends
        ]
    lines = [*pairwise(steps), *pairwise(points)]

    def free(box: QRectF) -> bool:
        around = box.adjusted(-2 * unit, 0, 2 * unit, 0)
        dots = box.adjusted(-7 * unit, -7 * unit, 7 * unit, 7 * unit)
        return not (
            any(plate.intersects(box) for plate in plates)
            or any(dots.contains(point) for point in points)
            or any(_crosses(around, a, b) for a, b in lines)
        )

    return next(((words, box) for words, box in places if free(box)), places[0])


def _crosses(box: QRectF, a: QPointF, b: QPointF) -> bool:
    """Whether the line from ``a`` to ``b`` goes through a box."""
    low, high = 0.0, 1.0
    for begin, end, least, most in (
        (a.x(), b.x(), box.left(), box.right()),
        (a.y(), b.y(), box.top(), box.bottom()),
    ):
        if begin == end:
            if not least < begin < most:
                return False
            continue
        near, far = sorted(((least - begin) / (end - begin), (most - begin) / (end - begin)))
        low, high = max(low, near), min(high, far)
    return low < high


def _value_place(
    plot: QRectF, points: Sequence[QPointF], current: int, label: str, proof: float, unit: float
) -> tuple[QRectF, QRectF, int]:
    """Where is said what the plan at the present dot costs, on no line (``proof`` is the height of that of what is proven): the words' ground,
    their box, and how they stand in it."""
    best = points[current]
    align = RIGHT if best.x() > plot.center().x() else LEFT
    wide = 0.6 * plot.width()
    left = min(max(best.x() - wide if align == RIGHT else best.x(), plot.left()), plot.right() - wide)
    room = measure(max(6, round(SMALL * unit)), True).horizontalAdvance(label) + 8 * unit
    # A line that comes down to its last dot would lie below the words above it.
    comes_down = 0 < current == len(points) - 1 and points[-2].y() < best.y()
    top = best.y() + (9 if comes_down and proof > best.y() + 34 * unit else -31) * unit
    plate = QRectF(left + wide - room if align == RIGHT else left, top, room, 21 * unit)
    return plate, QRectF(left, top + unit, wide, 20 * unit), align


def _paint_first(
    painter: QPainter, plot: QRectF, points: Sequence[QPointF], label: str, plate: QRectF, unit: float, theme: Theme
) -> QRectF:  # fmt: skip
    """What the first plan costs, beside its dot where the line to the next one does not go and where there is room beside the ``plate`` of
    the present value. Returns where it stands."""
    first, wide = points[0], measure(max(6, round(SMALL * unit)), False).horizontalAdvance(label) + 4 * unit
    above = points[1].y() >= first.y()
    left = min(max(first.x() - wide / 2, plot.left()), plot.right() - wide)
    box = QRectF(left, first.y() + (-29 if above else 9) * unit, wide, 20 * unit)
    if box.intersects(plate) or any(box.contains(point) for point in points):
        return QRectF()
    painter.fillRect(box, QColor(theme.panel))
    text(painter, box, label, SMALL * unit, theme.muted)
    return box


def _ticks(low: float, high: float, column: Column) -> list[tuple[float, str]]:
    """Two to five round values between two others, and how they are written."""
    apart = (high - low) / column.scale
    power = 10.0 ** math.floor(math.log10(apart))
    step = next(size * power for size in (0.25, 0.5, 1.0, 2.0) if apart / (size * power) < MOST_TICKS + 1)
    step = max(step, 1.0) if column.digits == 0 else step
    first, last = math.ceil(low / column.scale / step), math.floor(high / column.scale / step)
    digits = next((d for d in range(20) if abs(round(step, d) - step) < 1e-6 * step), 20)
    shown = [number * step for number in range(max(0, first), last + 1)]
    return [(value * column.scale, f"{value:,.{digits}f} {column.suffix}".rstrip()) for value in shown]


def _note(members: Sequence[Member], shown: int, name: str) -> str:
    """What is proven by the time that the first ``shown`` plans have been told of: beside a figure of the component ``name``, of which
    other one where it is not about that."""
    plan, bounds = members[shown - 1]
    known = [b for _, own in members[:shown] for b in own] or bounds
    standing = plan.problem.standing(plan.evaluation.values, known)
    if not plan.evaluation.valid:
        return f"{plural(len(plan.evaluation.violations), 'rule')} broken"
    if standing.gap == 0.0:
        return "proven optimal" if name == plan.problem.components[0] else best_words(plan.problem)
    first = standing.first_open
    where = f" of the {component_title(first.name)}" if first is not None and first.name != name else ""
    return f"gap {gap_text(standing.gap)}{where}" if standing.gap is not None else "no bound yet"


def _bound(plan: Plan | OrderPlan, bounds: Sequence[Bound], component: int) -> Bound | None:
    found = plan.problem.standing(plan.evaluation.values, bounds).components[component].bound
    return None if found is None or not math.isfinite(found.value) else found


def _proven(painter: QPainter, plot: QRectF, proven: Sequence[float | None], place: object, count: int, unit: float, theme: Theme, step: float) -> list[QPointF]:  # fmt: skip
    """A step line: the strongest bound known when each plan is told of, a share ``step`` of the last piece. Returns its corners."""
    painter.setPen(QPen(QColor(theme.good), 2.2 * unit, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    best: float | None = None
    line: list[QPointF] = []
    for i, value in enumerate(proven):
        best = value if best is None or (value is not None and value > best) else best
        if best is None:
            continue
        y = place(i, best).y()  # type: ignore[operator]
        wide = plot.width() / count
        end = i + (step if i + 1 == len(proven) else 1.0)
        line.append(QPointF(plot.left() + i * wide, y))
        line.append(QPointF(plot.left() + end * wide, y))
    painter.drawPolyline(QPolygonF(line))
    return line
