"""The keyframes of a draft as a list of small pictures with their words."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDropEvent,
    QFont,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.look.theme import Theme, font
from gui.tools.story.draft import Draft
from gui.tools.story.frames import Frame
from gui.tools.story.ordering import ELSEWHERE
from gui.tools.story.thumbnails import THUMB, Thumbnails
from gui.widgets.later import Later
from gui.widgets.plain import plain_tip

ROW, LINES = 86, 3
LOW_THUMB, LOW_ROW, LOW_LINES = QSize(56, 35), 44, 0
"""The same where else few keyframes had room."""
MOST_LOW = 5
"""So many keyframes are to be in sight before rows are higher than they need to be."""
FRAME = Qt.ItemDataRole.UserRole + 1
PICTURE = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


def beginning(text: str, letters: QFont, width: float, most: int) -> list[str]:
    """The first lines of ``text``, at most so many, broken between words; an ellipsis where there is more."""
    words = " ".join(text.split())
    layout = QTextLayout(words, letters)
    out: list[str] = []
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        if len(out) == most - 1:
            rest = words[line.textStart() :]
            out.append(QFontMetricsF(letters).elidedText(rest, Qt.TextElideMode.ElideRight, width))
            break
        out.append(words[line.textStart() : line.textStart() + line.textLength()].rstrip())
    layout.endLayout()
    return out


class FramesModel(QAbstractListModel):
    """One row per keyframe. One of the ``thumbnails`` is painted per turn of the event loop, when it is asked for."""

    def __init__(self, draft: Draft, thumbnails: Thumbnails, parent: QWidget) -> None:
        super().__init__(parent)
        self._draft, self.thumbnails = draft, thumbnails
        self._frames = draft.frames
        self._looks: dict[Frame, Hashable] = {}
        self._pictures: dict[Frame, QImage] = {}
        self._wanted: list[Frame] = []
        self._later = Later(self._make_one, self, about=self._listed)
        draft.frames_changed.connect(self._changed)

    def _listed(self) -> object:
        return self._frames

    def _changed(self) -> None:
        self.beginResetModel()
        self._frames = self._draft.frames
        self._keep_pictures()
        self._wanted.clear()
        self._later.stop()
        self.thumbnails.rest()
        self.endResetModel()

    def _keep_pictures(self) -> None:
        """Those that are still as their keyframes look."""
        looks = {frame: self.thumbnails.look(frame) for frame in self._frames}
        self._pictures = {
            frame: picture
            for frame, picture in self._pictures.items()
            if frame in looks and looks[frame] == self._looks[frame]
        }
        self._looks = looks

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.thumbnails.theme = theme
        self._keep_pictures()
        if self._frames:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._frames) - 1, 0))

    @property
    def busy(self) -> bool:
        """Whether pictures are still to be made."""
        return self._later.waiting

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """How many keyframes there are."""
        return 0 if parent.isValid() else len(self._frames)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Words, the frame, or its picture."""
        if not 0 <= index.row() < len(self._frames):
            return None
        frame = self._frames[index.row()]
        words = frame.keyframe
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{index.row() + 1}. {words.title}"
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return plain_tip(words.caption) if role == Qt.ItemDataRole.ToolTipRole else words.caption
        if role == FRAME:
            return frame
        if role == PICTURE:
            picture = self._pictures.get(frame)
            if picture is None and frame not in self._wanted:
                self._wanted.append(frame)
                self._later.ask()
            return picture
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Keyframes are dragged, and dropped between others."""
        usual = super().flags(index)
        return usual | (Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled)

    def supportedDropActions(self) -> Qt.DropAction:
        """They go elsewhere in the row."""
        return Qt.DropAction.MoveAction

    def _make_one(self) -> None:
        frame = self._wanted.pop(0)
        if frame in self._frames:
            self._pictures[frame] = self.thumbnails.paint(frame)
            row = self._frames.index(frame)
            self.dataChanged.emit(self.index(row, 0), self.index(row, 0), [PICTURE])
        if self._wanted:
            self._later.ask()
        else:
            self.thumbnails.rest()


class FrameDelegate(QStyledItemDelegate):
    """A picture at the left, title and the beginning of the caption beside it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.low = False
        """Whether rows are low: a smaller picture, and nothing of the caption."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """All rows are alike."""
        return QSize(120, LOW_ROW if self.low else ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One row."""
        theme, frame = self.theme, index.data(FRAME)
        box = QRectF(option.rect).adjusted(4, 2, -4, -2)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selection if chosen else theme.hover))
            painter.drawRoundedRect(box, 6, 6)
        if state & QStyle.StateFlag.State_HasFocus and chosen:
            painter.setPen(QPen(QColor(theme.focus), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 6, 6)
        size, lines = (LOW_THUMB, LOW_LINES) if self.low else (THUMB, LINES)
        thumb = QRectF(box.left() + 6, box.top() + (3 if self.low else 6), size.width(), size.height())
        clip = QPainterPath()
        clip.addRoundedRect(thumb, 4, 4)
        painter.save()
        painter.setClipPath(clip)
        picture = index.data(PICTURE)
        painter.fillRect(thumb, QColor(theme.canvas))
        if picture is not None:
            painter.drawImage(thumb, picture)
        painter.restore()
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(thumb, 4, 4)
        left = thumb.right() + 8
        room = box.right() - left - 4
        painter.setFont(bold := font(9.0, bold=True))
        painter.setPen(QColor(theme.text))
        metrics = QFontMetricsF(bold)
        name = metrics.elidedText(
            f"{index.row() + 1}  {frame.keyframe.title}", Qt.TextElideMode.ElideRight, room
        )
        painter.drawText(QRectF(left, box.top() + 5, room, 16), int(Qt.AlignmentFlag.AlignVCenter), name)
        painter.setFont(font(8.0))
        painter.setPen(QColor(theme.muted))
        small = QFontMetricsF(painter.font())
        caption = beginning(frame.keyframe.caption, painter.font(), room, lines) if lines else []
        for i, line in enumerate(caption):
            painter.drawText(QPointF(left, box.top() + 23 + small.ascent() + i * small.height()), line)
        painter.setPen(QColor(theme.muted))
        seconds = f"{frame.keyframe.hold + frame.keyframe.transition:.3g} s"
        if frame.keyframe.panel:
            seconds += f" · {frame.keyframe.panel}"
        if frame.told_for is not None:
            painter.setPen(QColor(theme.bad))
            seconds += f" · {ELSEWHERE}"
        painter.drawText(
            QRectF(left, box.bottom() - 18, room, 14), int(Qt.AlignmentFlag.AlignVCenter), seconds
        )
        painter.restore()


class FramesList(QListView):
    """Keyframes are dragged elsewhere in the row. Keys: Alt+Up and Alt+Down move one, Delete removes it, Return shows it on the canvas."""

    shown = Signal(int)

    def __init__(self, draft: Draft, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._draft = draft
        self.frames = FramesModel(draft, Thumbnails(draft, theme), self)
        self.rows = FrameDelegate(theme, self)
        self.setModel(self.frames)
        self.setItemDelegate(self.rows)
        self.setAccessibleName("Keyframes")
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(lambda index: self.shown.emit(index.row()))
        self.selectionModel().currentChanged.connect(self._chosen)
        draft.frames_changed.connect(self._follow)
        draft.current_changed.connect(self._follow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows are low where else few had room."""
        low = self.viewport().height() < MOST_LOW * ROW
        if low != self.rows.low:
            self.rows.low = low
            self.scheduleDelayedItemsLayout()
        super().resizeEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.rows.theme = theme
        self.frames.set_theme(theme)
        self.viewport().update()

    def _follow(self) -> None:
        index = self.frames.index(self._draft.current, 0)
        if index.isValid() and index != self.currentIndex():
            self.setCurrentIndex(index)

    def _chosen(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            self._draft.select(now.row())

    def dropEvent(self, event: QDropEvent) -> None:
        """The chosen keyframe goes between those where it is dropped, in one undoable step."""
        at = event.position().toPoint()
        over = self.indexAt(at)
        gap = self.frames.rowCount()
        if over.isValid():
            gap = over.row() + (at.y() > self.visualRect(over).center().y())
        row = self._draft.current
        # The row is moved already: Qt has nothing to remove.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self._draft.move(row, gap - (gap > row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, remove, show."""
        row, key = self.currentIndex().row(), event.key()
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._draft.move(row, row + (1 if key == Qt.Key.Key_Down else -1))
        elif key == Qt.Key.Key_Delete:
            self._draft.remove(row)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0:
            self.shown.emit(row)
        else:
            super().keyPressEvent(event)
