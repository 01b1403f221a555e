"""Asks how a picture is to be drawn before it is written: which view, on which page, in which colours; with a preview."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from time import perf_counter

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.background.writing import FilesOrder, Writing, small_picture
from gui.look.drawn import Drawing
from gui.look.page import LARGEST, PRESETS, SHEET, SMALLEST, Page
from gui.look.theme import THEMES, Theme, font
from gui.look.writing import CENTRE, write
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import set_role
from gui.widgets.number_boxes import WholeNumberBox
from planner.errors import StageboardError

PREVIEW = (460, 300)
"""Pixels of the preview."""
PAGES = {
    "slide": "Slide, 16:9", "column": "Column of a paper", "poster": "Poster, A1", "own": "Another size",
}  # fmt: skip
CHECK = 8.0
"""The side of a square of the ground below a preview that has none of its own, in logical pixels."""
DRAWING = "Drawing …"
FADED = 0.3
"""How much is seen of a preview that is not yet of what is chosen."""
NOTICED = 0.15
"""Seconds that a view takes of which it is said that it is being drawn: the preview is not to flicker at every letter of a title."""
PATIENCE = 80
"""Milliseconds after the last change before the preview is drawn again."""


@dataclass(frozen=True)
class Choice:
    """What was chosen; ``in_sight``: of the graph, only what is in sight in the window; ``title``: empty where the picture has its own."""

    view: str
    page: Page
    in_sight: bool = False
    title: str = ""


def _on_checks(image: QImage, theme: Theme, side: float) -> QImage:
    """A picture without a ground on squares of ``side`` pixels, in colours on which its words are meant to be read."""
    made = QImage(image.size(), QImage.Format.Format_RGB32)
    made.fill(QColor(theme.panel))
    painter = QPainter(made)
    rows, columns = (ceil(size / side) for size in (image.height(), image.width()))
    for row in range(rows):
        for column in range(row % 2, columns, 2):
            painter.fillRect(QRectF(column * side, row * side, side, side), QColor(theme.track))
    painter.drawImage(0, 0, image)
    painter.end()
    return made


def _faded(picture: QPixmap, words: str, letters: QFont, theme: Theme) -> QPixmap:
    """A preview behind ``words``."""
    made = QPixmap(picture.size())
    made.setDevicePixelRatio(picture.devicePixelRatio())
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setOpacity(FADED)
    painter.drawPixmap(0, 0, picture)
    painter.setOpacity(1.0)
    measure, room = QFontMetricsF(letters), QRectF(QPointF(), picture.deviceIndependentSize())
    plate = QRectF(0, 0, measure.horizontalAdvance(words) + 24.0, measure.height() + 12.0)
    plate.moveCenter(room.center())
    painter.fillRect(plate, QColor(theme.panel))
    write(painter, plate, CENTRE, words, letters, theme.text)
    painter.end()
    return made


def _size_words(page: Page) -> str:
    """How large a page is on paper."""
    wide, high = (side / page.dpi for side in page.pixels)
    most = "at most " if page.crop else ""
    return f"{wide:.1f} \N{MULTIPLICATION SIGN} {most}{high:.1f} inches, {page.dpi} dots per inch"


class PictureDialog(QDialog):
    """``chosen(object)`` brings a :class:`Choice`.

    ``views``: titles by name, ``view`` the first of them to be shown; ``draw`` gives the call that draws it; ``cut``: the views of which a part
    can be drawn; ``beside``: what draws the preview beside the window, where that takes long; ``title``: the picture's until another is given, empty where none can be;
    ``elsewhere``: a sentence on a picture that is made elsewhere.
    """

    chosen = Signal(object)

    def __init__(
        self, views: Mapping[str, str], view: str, theme: Theme, draw: Callable[[Choice], Callable[[], Drawing]], *,
        cut: frozenset[str] = frozenset(), beside: Writing | None = None, title: str = "", elsewhere: str = "", parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Export a picture")
        self.setFont(font(9.0))
        self._draw, self._cut, self._beside, self._title = draw, cut, beside, title
        self._theme = theme
        self._drawn: Choice | None = None
        """What is being drawn beside the window."""
        self._seen: Choice | None = None
        """What the preview is of."""
        self._picture = QPixmap()
        """The preview."""
        self._seconds: dict[str, float] = {}
        """How long each view took the last time."""
        if beside is not None:
            beside.done.connect(self._ended)
            self.finished.connect(beside.cancel)
        self.view = self._drop_down("View", [(title, name) for name, title in views.items()], view)
        self.title = QLineEdit(title, self)
        self.title.setPlaceholderText(title)
        self.title.setCursorPosition(0)
        self.title.setAccessibleName("Title")
        self.page = self._drop_down("Page", [(title, name) for name, title in PAGES.items()], "slide")
        self.colours = self._drop_down(
            "Colours", [("Light", "light"), ("Dark", "dark")], "dark" if theme.dark else "light"
        )
        self.width_field, self.height_field = self._size("Width"), self._size("Height")
        self.transparent = QCheckBox("Transparent background", self)
        self.in_sight = QCheckBox("Only what is in sight in the window", self)
        self.note, self.shown, self.elsewhere = QLabel(self), QLabel(self), QLabel(elsewhere, self)
        for muted in (self.note, self.elsewhere):
            set_role(muted, "muted")
        self.elsewhere.setWordWrap(True)
        self.shown.setFixedSize(*PREVIEW)
        self.shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.shown.setWordWrap(True)
        self.shown.setAccessibleName("Preview")
        # As wide as the longest, so that nothing moves when another page is chosen; the style sheet has a say in the letters.
        self.note.ensurePolished()
        self.note.setMinimumWidth(
            max(self.note.fontMetrics().horizontalAdvance(_size_words(page)) for page in PRESETS.values())
        )
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PATIENCE)
        self._timer.timeout.connect(self._show)
        self._lay_out(len(views) > 1)
        self._fill_size()
        self._changed()
        for drop_down in (self.view, self.colours):
            drop_down.currentIndexChanged.connect(self._changed)
        self.page.currentIndexChanged.connect(self._fill_size)
        for field in (self.width_field, self.height_field):
            field.valueChanged.connect(self._changed)
        self.title.textChanged.connect(self._changed)
        for box in (self.transparent, self.in_sight):
            box.toggled.connect(self._changed)

    def follow(self, *changes: SignalInstance) -> None:
        """Draw the preview again whenever one of these says that what is drawn has changed."""
        for change in changes:
            change.connect(self.refresh)

    def refresh(self, _: object = None) -> None:
        """What is drawn has changed."""
        if not self._timer.isActive():
            self._timer.start()

    # ------------------------------------------------------------------ parts
    def _drop_down(self, name: str, rows: list[tuple[str, str]], first: str) -> DropDown:
        made = DropDown(self)
        made.setAccessibleName(name)
        for title, value in rows:
            made.addItem(title, value)
        made.setCurrentIndex(max(0, made.findData(first)))
        return made

    def _size(self, name: str) -> WholeNumberBox:
        field = WholeNumberBox(self)
        field.setRange(SMALLEST, LARGEST)
        field.setSuffix(" px")
        field.setKeyboardTracking(False)
        field.setAccessibleName(name)
        return field

    def _lay_out(self, several: bool) -> None:
        form = QFormLayout()
        form.setVerticalSpacing(8)
        self.view.setVisible(several)
        if several:
            form.addRow("View", self.view)
        self.elsewhere.setVisible(bool(self.elsewhere.text()))
        if self.elsewhere.text():
            form.addRow("", self.elsewhere)
        self.title.setVisible(bool(self._title))
        if self._title:
            form.addRow("Title", self.title)
        form.addRow("Page", self.page)
        size = QHBoxLayout()
        size.addWidget(self.width_field)
        size.addWidget(QLabel("\N{MULTIPLICATION SIGN}", self))
        size.addWidget(self.height_field)
        form.addRow("Size", size)
        form.addRow("", self.note)
        form.addRow("Colours", self.colours)
        form.addRow("", self.transparent)
        self.in_sight.setVisible(bool(self._cut))
        if self._cut:
            form.addRow("", self.in_sight)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        accept = QPushButton("Choose the File…", self)
        accept.setObjectName("primary")
        accept.setDefault(True)
        buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        right = QVBoxLayout()
        right.addLayout(form)
        right.addStretch(1)
        right.addWidget(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 14, 16, 12)
        row.setSpacing(16)
        row.addWidget(self.shown)
        row.addLayout(right)

    # ------------------------------------------------------------------ what is chosen
    def choice(self) -> Choice:
        """What is chosen now."""
        name, view = str(self.page.currentData()), str(self.view.currentData())
        page = PRESETS.get(name) or replace(
            SHEET, pixels=(self.width_field.value(), self.height_field.value())
        )
        page = replace(
            page, theme=THEMES[str(self.colours.currentData())], transparent=self.transparent.isChecked()
        )
        title = self.title.text().strip() or self._title
        return Choice(view, page, self.in_sight.isChecked() and view in self._cut, title)

    def _fill_size(self) -> None:
        """The size of the page; only another one is a person's to give."""
        own = self.page.currentData() == "own"
        page = PRESETS.get(str(self.page.currentData()), SHEET)
        for field, value in zip((self.width_field, self.height_field), page.pixels, strict=True):
            field.blockSignals(True)
            field.setValue(value)
            field.blockSignals(False)
            field.setEnabled(own)
        self._changed()

    def _changed(self) -> None:
        choice = self.choice()
        self.in_sight.setEnabled(choice.view in self._cut)
        self.note.setText(_size_words(choice.page))
        self._timer.start()

    # ------------------------------------------------------------------ preview
    def _show(self) -> None:
        ratio, choice = self.devicePixelRatioF(), self.choice()
        room = [round(side * ratio) for side in PREVIEW]
        try:
            draw = self._draw(choice)
            if self._beside is not None or self._seconds.get(choice.view, NOTICED) >= NOTICED:
                self._wait_for(choice)
            if self._beside is None:
                begin = perf_counter()
                self._take(choice, draw().image(*room))
                self._seconds[choice.view] = perf_counter() - begin
            elif not self._beside.busy:
                self._drawn = choice
                self._beside.start(FilesOrder(partial(small_picture, draw, *room), draws=True))
            else:  # the newest is drawn next
                self._drawn = None
        except StageboardError as error:
            self._fail(str(error))

    def _wait_for(self, choice: Choice) -> None:
        """Say that the preview is not yet of what is chosen, now: what draws in the window keeps all else waiting."""
        if choice == self._seen:
            return
        self._seen = None
        if self._picture.isNull():
            self.shown.setText(DRAWING)
        else:
            self.shown.setPixmap(_faded(self._picture, DRAWING, self.font(), self._theme))
        self.shown.setAccessibleDescription(DRAWING)
        self.shown.repaint()

    def _fail(self, words: str) -> None:
        """Say why there is no picture."""
        self._seen, self._picture = None, QPixmap()
        self.shown.setAccessibleDescription("")
        self.shown.setText(words)

    def _take(self, choice: Choice, image: QImage) -> None:
        ratio = self.devicePixelRatioF()
        if choice.page.transparent:
            image = _on_checks(image, choice.page.theme, CHECK * ratio)
        image.setDevicePixelRatio(ratio)
        self._seen, self._picture = choice, QPixmap.fromImage(image)
        self.shown.setAccessibleDescription("")
        self.shown.setPixmap(self._picture)

    def _ended(self, picture: object, error: object) -> None:
        """What was drawn beside the window is here; where something else was chosen meanwhile, that is drawn now."""
        choice, self._drawn = self._drawn, None
        if choice is None:
            self._timer.start()
        elif isinstance(picture, bytes):
            self._take(choice, QImage.fromData(picture))
        else:
            self._fail(str(error))

    def accept(self) -> None:
        """Take what is chosen."""
        choice = self.choice()
        super().accept()
        self.chosen.emit(choice)
