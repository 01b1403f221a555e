"""The plan list's model and how a row is painted: name, objective and gap, the devices as a bar, where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.document.plan_list import fits, telling_of
from gui.look.numbers import DASH, Column, gap_text, plural, seconds_text
from gui.look.theme import Theme, device_colours, font
from gui.look.writing import CENTRE, LEFT, RIGHT, write
from gui.widgets.apart import cut_apart
from gui.widgets.bars import Part, paint_parts
from gui.widgets.plain import plain_tip
from gui.widgets.rows import paint_row_ground
from gui.words.methods import planner_name
from gui.words.objectives import amount, column_of, components_text
from gui.words.proofs import claim_sentence, standing_lines
from planner.loading import Named
from planner.reports.comparison.rules import made_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.document.plan.document import Document
    from gui.document.plan_list import PlanEntry
    from planner.problem.bound import Bound, Standing
    from planner.problem.problem import Problem

time_words = Named("planner.reports.certificate.text:time_words")

ENTRY = int(Qt.ItemDataRole.UserRole)
COSTS = ENTRY + 1
ACTIVE = ENTRY + 2
SOURCE = ENTRY + 3
NUMBER = ENTRY + 4
FURTHER = ENTRY + 5
UNFIT = ENTRY + 6
MACHINE = ENTRY + 7
MADE_FOR = ENTRY + 8
Index = QModelIndex | QPersistentModelIndex


def source_text(entry: PlanEntry) -> str:
    """``DPL · seed 0 · 3.1 s of search`` or ``edited by hand``."""
    if entry.origin == "hand":
        return "edited by hand"
    origins = {"file": "from a file", "start": "at the start", "carried": "carried over"}
    parts = [planner_name(entry.planner) or origins.get(entry.origin, entry.origin)]
    if entry.seed is not None:
        parts.append(f"seed {entry.seed}")
    if entry.seconds:
        parts.append(f"{seconds_text(entry.seconds)} of search")
    if entry.running:
        parts.append("running")
    return " · ".join(parts)


class PlansModel(QAbstractListModel):
    """Rows are the document's plans, in its order."""

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._entries: list[PlanEntry] = []
        self._costs: dict[str, tuple[object, object, np.ndarray]] = {}
        self.column = Column()
        for signal in (document.model_changed, document.problem_changed, document.plans_changed):
            signal.connect(self.update)
        self.update()

    def update(self) -> None:
        """Follow the document, at once: a row must not be painted with a problem that its plan is not for.

        Rows come and go one by one, so that the view keeps its place.
        """
        wanted = list(self._document.plans)
        for row in range(len(self._entries) - 1, -1, -1):
            if self._entries[row] not in wanted:
                self.beginRemoveRows(QModelIndex(), row, row)
                gone = self._entries.pop(row)
                self._costs.pop(gone.id, None)
                self.endRemoveRows()
        for row, entry in enumerate(wanted):
            if row < len(self._entries) and self._entries[row] is entry:
                continue
            if entry in self._entries:  # the order changed: rare enough to start over
                self.beginResetModel()
                self._entries = wanted
                self.endResetModel()
                break
            self.beginInsertRows(QModelIndex(), row, row)
            self._entries.insert(row, entry)
            self.endInsertRows()
        problem = self._document.problem
        self.column = Column()
        if problem is not None:
            self.column = self._column(problem, wanted)
        if self._entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._entries) - 1, 0))

    def _column(self, problem: Problem, entries: Sequence[PlanEntry]) -> Column:
        """The unit in which the header says the plan on the canvas, with the digits that tell the plans of the machine apart."""
        here = [entry.objective for entry in entries if entry.is_of(problem) and entry.components]
        active = self._document.active
        shown = [active.objective] if active is not None and active.objective > 0 else here
        return column_of(problem, problem.components[0], shown).telling_apart(here)

    def costs(self, entry: PlanEntry) -> np.ndarray:
        """What the objective is about on each device of a plan (float64[k]): its cost, or bytes of parameters.

        Kept until the plan or the problem changes; empty if it does not fit.
        """
        problem = self.problem_of(entry)
        kept = self._costs.get(entry.id)
        if kept is not None and kept[0] is problem and kept[1] is entry.device_of:
            return kept[2]
        costs = np.empty(0)
        if problem is not None and problem.devices and entry.components and fits(entry.device_of, problem):
            costs = problem.evaluate(entry.device_of).pace
        self._costs[entry.id] = (problem, entry.device_of, costs)
        return costs

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Number of plans."""
        return 0 if parent.isValid() else len(self._entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Names can be edited."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row shows."""
        if not index.isValid() or index.row() >= len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return entry.shown_name
        if role == ENTRY:
            return entry
        if role == ACTIVE:
            return entry is self._document.active
        if role == COSTS:
            return self.costs(entry)
        if role == SOURCE:
            return source_text(entry) + ("" if self.claim(entry) is None else " · claims more")
        if role == MACHINE:
            return self.machine(entry)
        if role == MADE_FOR:
            return self.made_for(entry)
        if role == NUMBER:
            return self._number(entry)
        if role == FURTHER:
            return self._further(entry)
        if role == UNFIT:
            return self.unfit(entry)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            told = self._described(entry)
            return plain_tip(told) if role == Qt.ItemDataRole.ToolTipRole else told.replace("\n", ", ")
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        self._document.rename_plan(self._entries[index.row()], str(value))
        return True

    def claim(self, entry: PlanEntry) -> Bound | None:
        """What the file of a plan claims beyond what is proven."""
        problem = self.problem_of(entry)
        if problem is None:
            return None
        return telling_of(entry, problem, entry.components, entry.valid, self._document.bounds)

    def problem_of(self, entry: PlanEntry) -> Problem | None:
        """What the figures of a plan are of: the open problem, or its own where that is of another machine."""
        problem = self._document.problem
        if problem is None or entry.is_of(problem):
            return problem
        return cast("Problem", entry.problem)

    def machine(self, entry: PlanEntry) -> str:
        """The machine of a plan that is not for the open one, as the command line names it; empty for all others."""
        problem = self.problem_of(entry)
        return "" if problem is None or problem is self._document.problem else problem.target.spec_head()[1]

    def made_for(self, entry: PlanEntry) -> str:
        """What of its machine a plan was made for that is another now: ``memory 300.00 MiB``; empty for most."""
        problem = self.problem_of(entry)
        return "" if problem is None or entry.made_for is None else made_for(entry.made_for, problem)

    def _number(self, entry: PlanEntry) -> str:
        """The objective in the unit of the column; with a unit of its own where the plan is for another machine."""
        problem = self.problem_of(entry)
        if problem is None or not entry.components or problem is self._document.problem:
            return self.column.number(entry.objective)
        return amount(problem, problem.components[0], entry.objective)

    def unfit(self, entry: PlanEntry) -> str:
        """Why a plan has no figures, in few words."""
        return "does not fit"

    def _further(self, entry: PlanEntry) -> str:
        """The components of the objective after the first, in order: ``then 17.22 MiB, 245.0 KiB``."""
        problem = self.problem_of(entry)
        if problem is None or len(entry.components) < 2:
            return ""
        further = zip(problem.components[1:], entry.components[1:], strict=True)
        return "then " + ", ".join(amount(problem, name, value) for name, value in further)

    def _described(self, entry: PlanEntry) -> str:
        problem = self.problem_of(entry)
        lines = [f"{entry.shown_name}{' (on the canvas)' if entry is self._document.active else ''}"]
        if machine := self.machine(entry):
            lines.append(f"for {machine}; Apply goes back to that machine")
        if problem is not None and entry.made_for is not None and (other := self.made_for(entry)):
            lines.append(
                f"made for {other}; figures and rules are those of {made_for(problem, entry.made_for)}"
            )
        if problem is not None and entry.standing is not None:
            lines += self._figures(problem, entry, entry.standing)
        lines.append(source_text(entry))
        if entry.seconds and not entry.running:
            lines.append(
                f"{seconds_text(entry.seconds)}: how long the planner searched that found it; a proof counts by itself"
            )
        claim = None if problem is None else self.claim(entry)
        if problem is not None and claim is not None:
            lines.append(claim_sentence(problem, claim))
        if not entry.components:
            lines.append("uses devices that the target does not have")
        else:
            judged = "valid" if entry.valid else plural(entry.broken, "violation")
            own = "; a comparison goes by those that it was made for" if self.made_for(entry) else ""
            lines.append(f"{judged} by the rules that are open{own}" if own else judged)
        if entry.provenance is not None and entry.provenance.stop_reason:
            by_time = time_words(entry.provenance.time_limit)
            reason = entry.provenance.stop_reason
            lines.append(by_time if reason == "time" else f"stopped: {reason}")
        return "\n".join(lines)

    @staticmethod
    def _figures(problem: Problem, entry: PlanEntry, standing: Standing) -> list[str]:
        """Components with what is proven about each; on one line where there is only one."""
        if len(standing.components) > 1:
            if entry.valid:
                return standing_lines(problem, standing)
            return [components_text(problem, entry.components)]
        (only,) = standing.components
        bound = DASH if only.bound is None else amount(problem, only.name, only.bound.value)
        gap = gap_text(entry.gap if entry.valid else None)
        return [f"objective {components_text(problem, entry.components)}, bound {bound}, gap {gap}"]


class PlanDelegate(QStyledItemDelegate):
    """Three lines per row; columns of figures line up over all rows."""

    HEIGHT = 52
    OBJECTIVE = 84
    GAP = 64

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._name, self._active, self._small = font(9.0), font(9.0, bold=True), font(8.0)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The same for all rows."""
        return QSize(160, self.HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One plan."""
        t = self.theme
        rect: QRect = option.rect  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        entry: PlanEntry = index.data(ENTRY)
        active = bool(index.data(ACTIVE))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(rect).adjusted(4, 1, -4, -1)
        paint_row_ground(painter, ground, state, t)
        left, right = rect.left() + 10, rect.right() - 9
        top = rect.top() + 5
        face = self._active if active else self._name
        fits = bool(entry.components)
        machine = index.data(MACHINE)
        gap, tone = ("invalid", t.bad) if not entry.valid else (gap_text(entry.gap), t.text)
        if entry.valid and entry.gap == 0.0:
            tone = t.good
        if machine:
            tone = t.muted
        place = QRect(right - self.GAP - self.OBJECTIVE, top, self.OBJECTIVE, 17)
        if fits:
            write(painter, QRectF(right - self.GAP, top, self.GAP, 17), RIGHT, gap, self._name, tone)
            shown, edge = index.data(NUMBER), place.right()
            ink = t.text if entry.valid and not machine else t.muted
            write(painter, QRectF(place), RIGHT, shown, face, ink)
        else:
            # No figures: the words take the room of both columns.
            shown, edge = index.data(UNFIT), right
            place.setRight(right)
            write(painter, QRectF(place), RIGHT, shown, self._name, t.muted)
        name_room = edge - painter.fontMetrics().horizontalAdvance(shown) - 10 - left
        write(
            painter,
            QRectF(left, top, name_room, 17),
            LEFT,
            cut_apart(entry.shown_name, self._names(index), QFontMetrics(face), int(name_room)),
            face,
            t.muted if machine else t.text,
        )
        costs = index.data(COSTS)
        bar = QRectF(left, top + 20, right - left, 4)
        if len(costs) and costs.sum() > 0:
            colours = device_colours(len(costs), t)
            # Bars of the same length: each device's share of the cost of all.
            parts = [Part(float(c), colours[d].accent) for d, c in enumerate(costs)]
            paint_parts(painter, bar, parts, float(costs.sum()), 1.0)
        source = index.data(SOURCE)
        further, low = index.data(FURTHER), QRect(left, top + 26, right - left, 16)
        painter.setFont(self._small)
        room = min(low.width(), painter.fontMetrics().horizontalAdvance(further) + 2)
        if further:
            write(
                painter,
                QRectF(low.adjusted(low.width() - room, 0, 0, 0)),
                RIGHT,
                further,
                self._small,
                t.text,
            )
            low.setWidth(max(0, low.width() - room - 8))
        whole = f"{source}  ·  on the canvas"
        if active and painter.fontMetrics().horizontalAdvance(whole) <= low.width():
            source = whole  # the ground of the row says so as well
        made = index.data(MADE_FOR)
        if made and not entry.valid and entry.components:
            source = f"invalid by what is open · {source}"  # a comparison judges it by what it was made for
        # Of what begins alike on another machine, what it was made for tells it apart.
        if label := ", ".join(part for part in (machine, made and f"for {made}") if part):
            painter.setFont(self._small)
            wide = min(painter.fontMetrics().horizontalAdvance(label) + 10, low.width())
            tag = QRectF(low.left(), low.top() + 1, wide, 14)
            painter.setPen(QPen(QColor(t.muted), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(tag, 4, 4)
            write(painter, tag.adjusted(3, 0, -3, 0), CENTRE, label, self._small, t.text)
            low.setLeft(int(tag.right()) + 8)
        write(painter, QRectF(low), LEFT, source, self._small, t.muted)
        painter.restore()

    @staticmethod
    def _names(index: Index) -> tuple[str, ...]:
        """What all plans of the list are called."""
        model = index.model()
        return tuple(model.index(row, 0).data() for row in range(model.rowCount()))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line for the name."""
        editor = QLineEdit(parent)
        editor.setAccessibleName("Name of the plan")
        editor.setMaxLength(200)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Start from the present name."""
        assert isinstance(editor, QLineEdit)
        editor.setText(index.data(Qt.ItemDataRole.EditRole))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Take the new name."""
        assert isinstance(editor, QLineEdit)
        model.setData(model.index(index.row(), 0), editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """Over the first line of the row."""
        rect: QRect = option.rect  # type: ignore[attr-defined]
        editor.setGeometry(rect.adjusted(6, 1, -6, -(self.HEIGHT - 28)))
