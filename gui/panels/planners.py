"""The planners panel: what can plan or prove, how it should search, and what runs now."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.panels.base import Panel
from gui.panels.job_row import JobRow
from gui.theme import Theme, font
from gui.values import Message
from gui.widgets.forms import Form
from gui.widgets.labels import set_role
from planner.errors import StageboardError
from planner.search import Method
from planner.worker import Order

if TYPE_CHECKING:
    from gui.document import Document
    from gui.jobs import Job, Jobs

METHOD = int(Qt.ItemDataRole.UserRole)
MOST_ROWS = 14
DEFAULT_LIMIT = 60


class PlannersPanel(Panel):
    """Running jobs, the catalogue for this problem, the chosen method's options, and Start."""

    id: ClassVar[str] = "planners"
    title: ClassVar[str] = "Planners"
    plot_requested = Signal()
    """A run's row was clicked: show how it went."""

    def __init__(self, document: Document, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.jobs = jobs
        self._wanted = ""
        """The method that the user chose for this graph; empty: what suits the problem."""
        self._filling = False
        self.rows: dict[str, JobRow] = {}
        self.list = QListWidget(self)
        self.list.setAccessibleName("Planners and bound methods")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.currentItemChanged.connect(lambda *_: self._chose())
        self.list.itemActivated.connect(lambda *_: self.start())
        self.summary = QLabel("", self)
        self.summary.setWordWrap(True)
        self.source = QLabel("", self)
        self.source.setWordWrap(True)
        self.source.setFont(font(8.0))
        set_role(self.source, "muted")
        self.options = Form(self)
        self.limits = Form(self)
        self.limits.add_int(
            "time", "Time limit, s", DEFAULT_LIMIT, 0, 86_400, "stop after so many seconds; 0 = no limit"
        )
        self.limits.add_float(
            "gap", "Stop at gap, %", 0.0, 0.0, 100.0, "stop when the gap is at most this", 2
        )
        self.limits.add_int("seed", "Seed", 0, 0, 2**31 - 1, "the same seed gives the same run")
        self.start_button = QPushButton("Start", self)
        self.start_button.setObjectName("primary")
        self.start_button.clicked.connect(self.start)
        self.cancel_button = QPushButton("Cancel all", self)
        self.cancel_button.clicked.connect(jobs.cancel_all)
        self.running = QVBoxLayout()
        self.running.setSpacing(6)
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(10, 6, 10, 6)
        column.setSpacing(6)
        column.addLayout(self.running)
        column.addWidget(self.list)
        column.addWidget(self.summary)
        column.addWidget(self.source)
        column.addWidget(self.options)
        column.addWidget(self.limits)
        column.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(inside)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(10, 4, 10, 8)
        buttons.addWidget(self.start_button, 1)
        buttons.addWidget(self.cancel_button, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._area, 1)
        layout.addLayout(buttons)
        document.graph_changed.connect(self._forget_choice)
        document.graph_changed.connect(self.request_refresh)
        document.problem_changed.connect(self.request_refresh)
        jobs.jobs_changed.connect(self._jobs_changed)
        jobs.job_changed.connect(self._job_changed)

    # ------------------------------------------------------------------ the catalogue
    def refresh(self) -> None:
        """List what the catalogue has for the problem; what refuses it is greyed and says why."""
        from planner.algorithms.catalogue import bound_methods, default_planner, planners

        problem = self.document.problem
        self._filling = True
        self.list.clear()
        chosen: QListWidgetItem | None = None
        if problem is not None:
            preferred = self._wanted
            if not preferred:
                try:
                    preferred = default_planner(problem).name
                except StageboardError:
                    preferred = ""
            groups: tuple[tuple[str, list[Method]], ...] = (
                ("Find plans", list(planners().values())), ("Prove a bound", list(bound_methods().values())),
            )  # fmt: skip
            for title, methods in groups:
                heading = QListWidgetItem(title)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                heading.setFont(font(8.0))
                heading.setForeground(QColor(self.theme.muted))
                self.list.addItem(heading)
                refused: list[QListWidgetItem] = []
                for method in methods:
                    item = QListWidgetItem(method.title)
                    item.setData(METHOD, method)
                    reason = method.refusal(problem)
                    item.setToolTip(reason or f"{method.summary}\n{method.source}")
                    item.setData(
                        Qt.ItemDataRole.AccessibleTextRole, f"{method.title}: {reason or method.summary}"
                    )
                    if reason is not None:
                        item.setFlags(Qt.ItemFlag.ItemIsSelectable)
                        item.setForeground(QColor(self.theme.faint))
                        refused.append(item)
                        continue
                    self.list.addItem(item)
                    if method.name == preferred or chosen is None:
                        chosen = item
                for item in refused:
                    self.list.addItem(item)
        self._fit_list()
        if chosen is not None:
            self.list.setCurrentItem(chosen)
        self._filling = False
        self._show_method(self.method())
        self._jobs_changed()

    def _forget_choice(self) -> None:
        self._wanted = ""

    def _fit_list(self) -> None:
        """As high as its rows, up to a limit."""
        self.list.ensurePolished()
        rows = [self.list.sizeHintForRow(i) for i in range(min(MOST_ROWS, self.list.count()))]
        self.list.setFixedHeight(sum(rows) + 4)

    def method(self) -> Method | None:
        """The chosen planner or bound method."""
        item = self.list.currentItem()
        return None if item is None else item.data(METHOD)

    def choose(self, name: str) -> None:
        """Choose a method by its name."""
        for i in range(self.list.count()):
            found = self.list.item(i).data(METHOD)
            if (
                found is not None
                and found.name == name
                and self.list.item(i).flags() & Qt.ItemFlag.ItemIsEnabled
            ):
                self.list.setCurrentRow(i)

    def _chose(self) -> None:
        method = self.method()
        if not self._filling and method is not None:
            self._wanted = method.name
        self._show_method(method)

    def _show_method(self, method: Method | None) -> None:
        self.options.clear()
        self.start_button.setEnabled(method is not None)
        self.limits.setVisible(method is not None)
        if method is None:
            self.summary.setText("Open a model to plan it." if self.document.problem is None else "")
            self.source.setText("")
            return
        is_bound = self._is_bound(method)
        self.start_button.setText("Prove" if is_bound else "Start")
        self.start_button.setToolTip(f"Run {method.title} in the background (Ctrl+Return)")
        self.summary.setText(method.summary[:1].upper() + method.summary[1:] + ".")
        extra = []
        if getattr(method, "exact", False):
            extra.append("exact")
        if getattr(method, "gives_bounds", False):
            extra.append("proves bounds")
        self.source.setText(str(method.source) + (f" · {', '.join(extra)}" if extra else ""))
        for option in method.options:
            self.options.add_option(option)
        self.options.setVisible(bool(method.options))

    @staticmethod
    def _is_bound(method: Method) -> bool:
        from planner.search import BoundMethod

        return isinstance(method, BoundMethod)

    # ------------------------------------------------------------------ running
    def order(self) -> Order:
        """What Start would hand to a worker. Raises :class:`StageboardError` where a field makes no sense."""
        method, problem = self.method(), self.document.problem
        if method is None or problem is None:
            raise StageboardError("no planner is chosen; open a model and choose one in the planners panel")
        limits = self.limits.values()
        options = {
            o.name: o.parse(v) for o, v in zip(method.options, self.options.values().values(), strict=True)
        }
        starts = [self.document.device_of.copy()] if self.document.evaluation.valid else []
        return Order(
            method=method.name,
            problem=problem,
            is_bound=self._is_bound(method),
            seed=int(limits["seed"]),
            options=options,
            time_limit=float(limits["time"]) or None,
            gap=float(limits["gap"]) / 100 or None,
            starts=starts,
            bounds=list(self.document.bounds),
        )

    def start(self) -> Job | None:
        """Start the chosen method in the background."""
        method = self.method()
        try:
            order = self.order()
            assert method is not None
            return self.jobs.start(order, method.title)
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))
            return None

    def _jobs_changed(self) -> None:
        """Rows come and go with the jobs; the newest is on top."""
        known = {job.id: job for job in self.jobs.jobs}
        for id in [id for id in self.rows if id not in known]:
            row = self.rows.pop(id)
            self.running.removeWidget(row)
            row.hide()
            row.deleteLater()
        for job in self.jobs.jobs:
            if job.id not in self.rows:
                row = JobRow(job, self.jobs, self.theme, self)
                row.clicked.connect(self.plot_requested)
                self.rows[job.id] = row
                self.running.insertWidget(0, row)
                self._area.verticalScrollBar().setValue(0)
        for row in self.rows.values():
            row.show_job()
        self.cancel_button.setEnabled(bool(self.jobs.running))

    def _job_changed(self, job: Job) -> None:
        row = self.rows.get(job.id)
        if row is not None:
            row.show_job()
        self.cancel_button.setEnabled(bool(self.jobs.running))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        for row in self.rows.values():
            row.set_theme(theme)
        super().set_theme(theme)
