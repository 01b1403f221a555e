"""The planners panel: what can plan or prove, how it should search, and what runs now."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.document.values import Message
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.tools.search.job_row import JobRow
from gui.tools.search.method_list import MethodList, methods_for, tag
from gui.tools.search.runs_area import RunsArea
from gui.widgets.file_field import FileField
from gui.widgets.forms import Form, Value
from gui.widgets.labels import set_role
from gui.widgets.later import soon
from gui.widgets.offering import offer
from planner.errors import StageboardError
from planner.machines.catalogue import default_planner, import_next
from planner.options import Option, applying
from planner.runs.messages import Order
from planner.search.method import Method

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document

DEFAULT_LIMIT = 60
LAID_OUT_MS = 500
"""By then options that are made anew have their places; the area grows several times before."""
LIST_SHARE = 0.45
"""How much of the panel's height the list may take."""


class PlannersPanel(Panel):
    """Running jobs, the catalogue for this problem, the chosen method's options, and Start."""

    id: ClassVar[str] = "planners"
    title: ClassVar[str] = "Planners"
    given_changed = Signal(str)
    """Of a planner with this name other values were typed for options that were chosen elsewhere."""
    started = Signal()
    """A method was started here."""
    plot_requested = Signal()
    """A run's row was clicked: show how it went."""

    def __init__(self, document: Document, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.jobs = jobs
        self._wanted: Method | None = None
        """The method that the user chose for this graph; None: what suits the problem."""
        self._filling = False
        self.given: dict[str, dict[str, Value]] = {}
        """Options that were chosen for a planner elsewhere in the window, by its name: they take the place of its own."""
        self._sought = ""
        """The option to be seen as soon as it has its place; empty: none."""
        self.rows: dict[str, JobRow] = {}
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Find a method")
        self.search.setAccessibleName("Find a planner or bound method")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._list_methods)
        self.search.returnPressed.connect(self.start)
        self.search.installEventFilter(self)
        self.list = MethodList(theme, self)
        self.list.typed.connect(self._type)
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
        self.from_canvas = self._canvas_box()
        self.start_button = QPushButton("Start", self)
        self.start_button.setObjectName("primary")
        self.start_button.clicked.connect(self.start)
        self.cancel_button = QPushButton("Stop all", self)
        self.cancel_button.clicked.connect(jobs.cancel_all)
        self.running = RunsArea(self)
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(10, 6, 10, 6)
        column.setSpacing(6)
        column.addWidget(self.search)
        column.addWidget(self.list)
        column.addWidget(self.summary)
        column.addWidget(self.source)
        column.addWidget(self.options)
        column.addWidget(self.limits)
        column.addWidget(self.from_canvas)
        column.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setAccessibleName("Planners and their options")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(inside)
        self._area.verticalScrollBar().rangeChanged.connect(lambda *_: self._show_sought())
        buttons = QHBoxLayout()
        buttons.setContentsMargins(10, 4, 10, 8)
        buttons.setSpacing(6)
        buttons.addWidget(self.start_button, 1)
        buttons.addWidget(self.cancel_button, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.running)
        layout.addLayout(buttons)
        document.model_changed.connect(self._forget_choice)
        document.model_changed.connect(self.request_refresh)
        document.problem_changed.connect(self.request_refresh)
        jobs.jobs_changed.connect(self._jobs_changed)
        jobs.job_changed.connect(self._job_changed)

    def _canvas_box(self) -> QCheckBox:
        box = QCheckBox("Start from the plan on the canvas", self)
        box.setChecked(True)
        box.setToolTip(
            "Planners that can go on from a plan get it, where it is valid. Otherwise the planner starts from nothing, and finds what it finds alone"
        )
        return box

    # ------------------------------------------------------------------ the catalogue
    def prepare(self) -> bool:
        """Methods are imported, and asked whether they serve, a few in a turn of the event loop: all of them take long."""
        problem = self.document.problem
        return problem is not None and (
            import_next(problem) or self.list.refusals.ask_next(methods_for(problem), problem)
        )

    def request_refresh(self, *given: object) -> None:
        """What methods say of the problem is asked anew."""
        self.list.refusals.forget()
        super().request_refresh(*given)

    def refresh(self) -> None:
        """List what the catalogue has for the problem; what refuses it is greyed and says why."""
        self.search.setVisible(self.document.problem is not None)
        self._list_methods()
        self._jobs_changed()

    def _list_methods(self) -> None:
        """The chosen method stays chosen while it is listed; else what suits the problem, or what is found first."""
        problem = self.document.problem
        self._filling = True
        if problem is None:
            self.list.clear()
        else:
            preferred = self._wanted
            if preferred is None:
                with suppress(StageboardError):
                    preferred = default_planner(problem)
            self.list.fill(problem, methods_for(problem), preferred, self.search.text())
        self._filling = False
        self._show_method(self.method())

    def _type(self, text: str) -> None:
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.insert(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list leaves room for what is chosen."""
        super().resizeEvent(event)
        self.list.fit(int(LIST_SHARE * self.height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows walk through the list while words are typed; Escape takes them back."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    def _forget_choice(self) -> None:
        self._wanted = None

    def method(self) -> Method | None:
        """The chosen planner or bound method."""
        return self.list.method()

    def choose(self, name: str, bound: bool = False) -> None:
        """Choose a method by its name; ``bound`` says which of a planner and a bound method of one name."""
        self.refresh_now()  # what is not listed yet cannot be chosen
        self.list.choose(name, bound)

    def keep(self, name: str, options: Mapping[str, Value]) -> None:
        """Let a planner have values of some of its options from now on, whichever is chosen here."""
        self.given[name] = {**self.given.get(name, {}), **options}
        method = self.method()
        if method is not None and method.name == name:
            for option, value in options.items():
                if isinstance(field := self.options.fields.get(option), FileField):
                    field.set_text(str(value))

    def give(self, name: str, options: Mapping[str, Value]) -> None:
        """Choose a planner by its name, with values of some of its options that it keeps from now on."""
        self.keep(name, options)
        self.search.clear()
        self.choose(name)
        method = self.method()
        if method is not None and method.name == name:
            self._wanted = method
            self._show_method(method)
            self._sought = next(iter(options), "")
            soon(self, self._end_seeking, LAID_OUT_MS)

    def _end_seeking(self) -> None:
        self._show_sought()
        self._sought = ""

    def _show_sought(self) -> None:
        """Scroll to the option that was given."""
        if (field := self.options.fields.get(self._sought)) is not None:
            self._area.ensureWidgetVisible(self.options.hints.get(self._sought, field))
            self._area.ensureWidgetVisible(field)

    def _with_given(self, method: Method) -> list[Option]:
        """A method's options, as their own values those that were chosen for it elsewhere."""
        given = self.given.get(method.name, {})
        return [replace(o, default=given[o.name]) if o.name in given else o for o in method.options]

    def _chose(self) -> None:
        if self._filling:
            return  # shown when all are listed
        method = self.method()
        if method is not None:
            self._wanted = method
        self._show_method(method)

    def _show_method(self, method: Method | None) -> None:
        self.options.clear()
        nothing = self.document.nothing("open a model to plan it")
        lacking = "choose a method that serves this problem" if self.document.problem is not None else nothing
        offer(self.start_button, "" if method is not None else lacking)
        self.limits.setVisible(method is not None)
        self.from_canvas.setVisible(method is not None and not self._is_bound(method))
        if method is None:
            none = "No method of that name serves this problem." if self.search.text() else ""
            nothing = self.document.nothing("Open a model to plan it.")
            self.summary.setText(nothing if self.document.problem is None else none)
            self.source.setText("")
            return
        is_bound = self._is_bound(method)
        self.start_button.setText("Prove" if is_bound else "Start")
        self.start_button.setToolTip(f"Run {method.title} in the background (Ctrl+Return)")
        self.summary.setText(method.summary[:1].upper() + method.summary[1:] + ".")
        extra = [tag(method)] if tag(method) else []
        if getattr(method, "gives_bounds", False):
            extra.append("also proves bounds")
        source = str(method.source)
        self.source.setText(" · ".join([source[:1].upper() + source[1:], *extra]))
        for option in self._with_given(method):
            self.options.add_option(option)
        self.options.setVisible(bool(method.options))

    @staticmethod
    def _is_bound(method: Method) -> bool:
        from planner.search.method import BoundMethod

        return isinstance(method, BoundMethod)

    # ------------------------------------------------------------------ running
    def order(self, unchanged: Method | None = None) -> Order:
        """What Start would hand to a worker, or with ``unchanged`` that method with its own options.

        Raises :class:`StageboardError` where a field makes no sense.
        """
        method, problem = unchanged or self.method(), self.document.problem
        if method is None or problem is None:
            raise StageboardError("no planner is chosen; open a model and choose one in the planners panel")
        limits = self.limits.values()
        given = self.given.get(method.name, {})
        if unchanged is None:
            typed = self.options.values().values()
            options = {o.name: o.parse(v) for o, v in zip(method.options, typed, strict=True)}
            typed_now = {name: options[name] for name in given}
            if typed_now != given:
                given.update(typed_now)
                self.given_changed.emit(method.name)
        else:
            options = dict(given)
        options = applying(method.options, options)
        go_on = self.from_canvas.isChecked()
        starts = [self.document.device_of.copy()] if go_on and self.document.evaluation.valid else []
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
            quick=go_on,
        )

    def start(self) -> Job | None:
        """Start the chosen method in the background."""
        return self._start(None)

    def start_unchanged(self, method: Method) -> Job | None:
        """Start a method with its own options, whichever is chosen here."""
        return self._start(method)

    def _start(self, unchanged: Method | None) -> Job | None:
        method = unchanged or self.method()
        try:
            order = self.order(unchanged)
            assert method is not None
            job = self.jobs.start(order, method.title)
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))
            return None
        self.started.emit()
        return job

    def _start_again(self, job: Job) -> None:
        """Give a planner that found nothing the same order once more, in the place of that run."""
        try:
            self.jobs.start(job.order, job.title)
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))
        else:
            self.jobs.forget(job)

    def _jobs_changed(self) -> None:
        """Rows come and go with the jobs; the newest is on top."""
        known = {job.id: job for job in self.jobs.jobs}
        for id in [id for id in self.rows if id not in known]:
            self.running.take(self.rows.pop(id))
        for job in self.jobs.jobs:
            if job.id not in self.rows:
                row = JobRow(job, self.jobs, self.theme, self)
                row.clicked.connect(self.plot_requested)
                row.again_requested.connect(self._start_again)
                self.rows[job.id] = row
                self.running.put(row)
        for row in self.rows.values():
            row.show_job()
        offer(self.cancel_button, "" if self.jobs.running else "no search runs")

    def _job_changed(self, job: Job) -> None:
        row = self.rows.get(job.id)
        if row is not None:
            row.show_job()
        offer(self.cancel_button, "" if self.jobs.running else "no search runs")

    def set_theme(self, theme: Theme) -> None:
        """Other colours; the choice and its options stay as they are."""
        self.theme = theme
        self.list.set_theme(theme)
        for row in self.rows.values():
            row.set_theme(theme)
