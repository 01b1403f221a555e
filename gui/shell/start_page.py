"""What the window shows before a model is open: open one, take a sample, go on with a recent file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.look.theme import Theme, font
from gui.shell.session import SavedPlan
from gui.widgets.emptying import clear
from gui.widgets.labels import set_role
from gui.widgets.rows import RowButton
from planner.model.samples import MODELS

SAMPLES = (
    ("resnet50.json", "ResNet-50", "177 ops"),
    ("bert_large.json", "BERT-large", "1,930 ops"),
    ("inception_resnet_v2.json", "Inception-ResNet-v2", "782 ops"),
    ("transformer_encoder.onnx", "Transformer encoder", "424 ops, ONNX"),
    ("transformer_decoder.onnx", "Transformer decoder", "431 ops, ONNX"),
    ("unet.onnx", "U-Net", "50 ops, ONNX"),
    ("fpn_detector.onnx", "Object detector", "216 ops, ONNX"),
    ("branchy_int8.tflite", "Branches and a skip, INT8", "45 ops, TFLite"),
    ("mlp_100.npz", "Random sparse network", "3,264 connections, NPZ"),
    ("digits_pruned.npz", "Pruned digit classifier", "3,392 connections, NPZ"),
    ("densenet201.json", "DenseNet-201", "709 ops"),
    ("xception.json", "Xception", "134 ops"),
)
MOST_RECENT, MOST_PLANS, MOST_STORIES = 8, 3, 3
MOST_LISTED = len(SAMPLES)
"""Files, plans and stories together, with their headings below the first: they stand beside the samples and end with them."""
MOST_WIDTH, PAD, BETWEEN = 680, 28, 16
"""Pixels: how wide the card may be, within its edges, and between two columns of links."""
LINK_PAD = 18
"""Pixels that a link takes beside its words."""


def samples(folder: Path | None = None) -> list[tuple[Path, str, str]]:
    """(file, title, remark) of the samples that exist."""
    folder = folder or MODELS
    return [(folder / name, title, remark) for name, title, remark in SAMPLES if (folder / name).is_file()]


class StartPage(QScrollArea):
    """A card in the middle with everything that can be opened."""

    open_requested = Signal()
    files_chosen = Signal(object)
    """The files (a sequence of paths) to open together."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[RowButton] = []
        self.links: list[RowButton] = []
        """What there is to look at first; empty until :meth:`offer`."""
        self._link_columns = 0
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Start page")
        card = self._card = QFrame()
        card.installEventFilter(self)
        card.setObjectName("startCard")
        card.setMaximumWidth(MOST_WIDTH)
        title = QLabel("Split a network over several devices")
        title.setFont(font(15.0, bold=True))
        title.setWordWrap(True)
        words = QLabel(
            "Open a model to see it coloured by stage, move operators between stages with every cost and bound read "
            "out live, and let planners search for a better plan in the background."
        )
        words.setWordWrap(True)
        set_role(words, "muted")
        self.open_button = QPushButton("Open a model…")
        self.open_button.setObjectName("primary")
        self.open_button.setToolTip("Open a model (Ctrl+O)")
        self.open_button.clicked.connect(self.open_requested)
        hint = QLabel(
            "or drop a file here: ONNX, TFLite, Keras, PyTorch export (.pt2), JSON, GraphML, DOT, a cost graph, or a sparse network as NPZ or MTX"
        )
        hint.setWordWrap(True)
        set_role(hint, "muted")
        line = QHBoxLayout()
        line.addWidget(self.open_button)
        line.addWidget(hint, 1)
        line.setSpacing(12)
        self._shown_first = QGridLayout()
        self._lists = QGridLayout()
        for grid in (self._shown_first, self._lists):
            grid.setHorizontalSpacing(BETWEEN)
            grid.setVerticalSpacing(2)
        column = QVBoxLayout(card)
        column.setContentsMargins(PAD, 24, PAD, 24)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(words)
        column.addLayout(line)
        column.addSpacing(4)
        column.addLayout(self._shown_first)
        column.addLayout(self._lists)
        inside = QWidget()
        around = QGridLayout(inside)
        around.setContentsMargins(24, 24, 24, 24)
        around.addWidget(card, 1, 1)
        for edge in (0, 2):
            around.setRowStretch(edge, 1)
            around.setColumnStretch(edge, 1)
        around.setColumnStretch(1, 20)
        self.setWidget(inside)
        self.show_recent([])

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        for row in (*self.links, *self.rows):
            row.set_theme(theme)

    def offer(self, examples: Sequence[tuple[str, QAction]]) -> None:
        """Examples, each with the action of the window that opens it, as links. To be called once."""
        heading = QLabel("Examples to look at")
        set_role(heading, "heading")
        heading.setContentsMargins(8, 0, 0, 2)
        self._shown_first.addWidget(heading, 0, 0)
        for text, action in examples:
            row = RowButton(self._theme, parent=self)
            row.strong = False
            row.set_row(text, tip=action.toolTip())
            row.clicked.connect(action.trigger)
            self.links.append(row)
        self._place_links()
        self._order_keys()

    def _place_links(self) -> None:
        """The examples in two columns, in one where they would be cut there."""
        if not self.links:
            return
        room = self._card.width() - 2 * PAD
        widest = LINK_PAD + max(row.fontMetrics().horizontalAdvance(row.text()) for row in self.links)
        columns = 2 if 2 * widest + BETWEEN <= room else 1
        if columns != self._link_columns:
            self._link_columns = columns
            down = -(-len(self.links) // columns)
            for i, row in enumerate(self.links):
                self._shown_first.addWidget(row, 1 + i % down, i // down)
            for column in range(2):
                self._shown_first.setColumnStretch(column, int(column < columns))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The examples find their room on the card."""
        if watched is self._card and event.type() == QEvent.Type.Resize:
            self._place_links()
        return super().eventFilter(watched, event)

    def _order_keys(self) -> None:
        """Tab goes down the page, in whatever order its rows were made."""
        stops = [self, self.open_button, *self.links, *self.rows]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def show_recent(
        self,
        recent: Sequence[tuple[Path, ...]],
        plans: Sequence[SavedPlan] = (),
        stories: Sequence[Path] = (),
    ) -> None:
        """List the samples, the files opened lately, the plans saved lately, each with its model, and stories; what is gone is left out."""
        clear(self._lists)
        self.rows = []
        saved = [plan for plan in plans if plan.is_there][:MOST_PLANS]
        told = [story for story in stories if story.is_file()][:MOST_STORIES]
        taken = sum(len(entries) + 1 for entries in (saved, told) if entries)
        most = min(MOST_RECENT, MOST_LISTED - taken)
        found = [paths for paths in recent if all(path.is_file() for path in paths)][:most]
        self._column(0, "Samples", [((path,), title, remark) for path, title, remark in samples()])
        lists = (
            ("Recent", [(paths, ", ".join(path.name for path in paths), "") for paths in found]),
            ("Plans", [((*plan.models, plan.path), plan.path.name, "") for plan in saved]),
            (
                "Stories",
                [((story,), story.name.removesuffix(".json").removesuffix(".story"), "") for story in told],
            ),
        )
        first = 0
        for title, entries in lists:
            if entries:
                self._column(1, title, entries, first)
                first += len(entries) + 1
        self._order_keys()

    def _column(
        self, column: int, title: str, entries: Sequence[tuple[tuple[Path, ...], str, str]], first: int = 0
    ) -> None:
        """A list under a heading, from the row ``first`` on."""
        heading = QLabel(title)
        set_role(heading, "heading")
        heading.setContentsMargins(8, 0, 0, 2)
        self._lists.addWidget(heading, first, column)
        self._lists.setColumnStretch(column, 1)
        for i, (paths, name, remark) in enumerate(entries):
            row = RowButton(self._theme, parent=self)
            row.strong = False
            row.set_row(name, remark, self._theme.muted, tip="\n".join(str(path) for path in paths))
            row.clicked.connect(lambda _=False, paths=paths: self.files_chosen.emit(paths))
            self._lists.addWidget(row, first + i + 1, column, Qt.AlignmentFlag.AlignTop)
            self.rows.append(row)
