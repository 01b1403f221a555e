"""The dock in which the learned policy of multi-chip modules is trained: progress, the curve, and what plans with the weights."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.document.values import Message
from gui.look.numbers import seconds_text
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.panels.mcm.training.chosen import OPTION, PLANNERS, ChosenWeights
from gui.panels.mcm.training.run import TrainingRun
from gui.panels.mcm.training.words import FIGURES, UNIT, colour_of
from gui.widgets.file_field import FileField, shown_path
from gui.widgets.forms import Form
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel
from gui.widgets.progress_line import ProgressLine
from planner.errors import StageboardError
from planner.loading import Named
from planner.machines.mcm.learning.options import TRAINING_OPTIONS

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.panels.mcm.training.plot import TrainingPlot
    from planner.machines.mcm.learning.training import TrainingSettings

settings_of = Named("planner.machines.mcm.learning.training:TrainingSettings.of")
missing_libraries = Named("planner.machines.mcm.learning.twin:missing_libraries")
latest_folder = Named("planner.machines.mcm.learning.recorded:latest_folder")
new_folder = Named("planner.machines.mcm.learning.recorded:new_folder")

BESIDE_FROM = 560
"""From this width in pixels on, what can be chosen stands beside the curve instead of below."""
FORM_WIDTH = 236
WIDEST = 1 << 20
BEFORE = "Start trains the network on made-up graphs, beside the window; the curve comes with the first checkpoint."
BEGINS = "Graphs are made up and programs compiled; the curve comes with the first checkpoint."


class TrainingPanel(Panel):
    """Shows the run that was begun last, or one in another folder; it goes on whatever is open in the window."""

    id: ClassVar[str] = "training"
    title: ClassVar[str] = "Training"

    planner_wanted = Signal(str, object)
    """A planner's name, and the options with which it is to plan from now on."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.run = TrainingRun(self)
        self.run.changed.connect(self.request_refresh)
        self.run.failed.connect(lambda words: document.message.emit(Message("error", capital(words) + ".")))
        self._opened = False
        """Whether a folder was looked at: not before the panel is seen."""
        self._filled: object = None
        """What the form was filled for."""
        self._pointed = -1
        self.words = ElidedLabel("", self)
        self.line = ProgressLine(theme, self)
        self.best = ElidedLabel("", self, Qt.TextElideMode.ElideMiddle)
        self.best.setFont(font(8.0))
        set_role(self.best, "muted")
        self.go = QPushButton("", self)
        self.go.setObjectName("primary")
        self.go.clicked.connect(lambda _=False: self.go_on())
        self.cancel = QPushButton("", self)
        self.cancel.clicked.connect(lambda _=False: self.cancel_or_begin_anew())
        self.use = QPushButton("Use These Weights", self)
        self.use.setToolTip("Let Learned policy plan with the best weights so far from now on")
        self.use.clicked.connect(lambda _=False: self.use_weights())
        self.chosen = ChosenWeights(self)
        self.chosen.changed.connect(self.request_refresh)
        self.plans = ElidedLabel("", self, Qt.TextElideMode.ElideMiddle)
        self.plans.setFont(font(8.0))
        set_role(self.plans, "muted")
        self.back = QPushButton("Use Shipped Weights", self)
        self.back.setToolTip("Let Learned policy plan with the weights that come with Stageboard again")
        self.back.clicked.connect(lambda _=False: self.use_shipped())
        self.folder = FileField("", "Folder of the run", parent=self)
        self.folder.line.setToolTip(
            "Where weights, curve and what a run goes on from are kept; a folder with a run shows that run"
        )
        self.folder.changed.connect(lambda: self.open_folder(Path(self.folder.text())))
        self.form = Form(self)
        self.form.changed.connect(self._show_buttons)
        self.key = {name: ElidedLabel("", self) for name in FIGURES}
        self.at = ElidedLabel("", self)
        self.at.setContentsMargins(8, 0, 8, 0)
        set_role(self.at, "muted")
        for label in (*self.key.values(), self.at):
            label.setFont(font(8.0))
        self.note = PlainLabel("", self)
        self.note.setWordWrap(True)
        self.note.setContentsMargins(8, 0, 8, 4)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plot: TrainingPlot | None = None
        self._lay_out()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(6)
        top.addWidget(self.words, 1)
        for button in (self.go, self.cancel, self.use):
            top.addWidget(button)
        place = ElidedLabel("Folder", self)
        set_role(place, "muted")
        place.setBuddy(self.folder)
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 6, 4)
        column.setSpacing(4)
        column.addWidget(place)
        column.addWidget(self.folder)
        column.addWidget(self.form)
        column.addStretch(1)
        self.area = QScrollArea(self)
        self.area.setAccessibleName("What is trained, and where it is kept")
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(inside)
        key = QHBoxLayout()
        key.setContentsMargins(8, 0, 8, 0)
        key.setSpacing(12)
        for label in self.key.values():
            key.addWidget(label)
        key.addStretch(1)
        beside = QWidget(self)
        beside.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._curve = QVBoxLayout(beside)
        self._curve.setContentsMargins(0, 0, 0, 0)
        self._curve.setSpacing(0)
        self._curve.addWidget(self.note)
        self._curve.addWidget(self.at)
        self._curve.addLayout(key)
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._parts.setContentsMargins(10, 0, 4, 0)
        self._parts.setSpacing(6)
        self._parts.addWidget(self.area, 0)
        self._parts.addWidget(beside, 1)
        row = QVBoxLayout()
        row.setContentsMargins(10, 0, 10, 0)
        row.setSpacing(2)
        row.addWidget(self.line)
        row.addWidget(self.best)
        choice = QHBoxLayout()
        choice.setSpacing(6)
        choice.addWidget(self.plans, 1)
        choice.addWidget(self.back)
        row.addLayout(choice)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 2)
        whole.setSpacing(3)
        whole.addLayout(top)
        whole.addLayout(row)
        whole.addLayout(self._parts, 1)
        self._arrange()

    def sizeHint(self) -> QSize:
        """Room for the curve and some of what can be chosen."""
        return QSize(760, 260)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(240, 150)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little width, the curve comes first."""
        self._arrange()
        super().resizeEvent(event)

    def _arrange(self) -> None:
        beside = self.width() >= BESIDE_FROM
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.BottomToTop
        self.area.setMinimumWidth(FORM_WIDTH if beside else 0)
        self.area.setMaximumWidth(FORM_WIDTH if beside else WIDEST)
        if self._parts.direction() != direction:
            self._parts.setDirection(direction)

    # ------------------------------------------------------------------ doing
    def open_folder(self, folder: Path) -> None:
        """Show the run in a folder, or that there is none."""
        self._opened = True
        folder = folder.expanduser()
        if Path(self.folder.text()).expanduser() != folder:
            self.folder.set_text(shown_path(folder))
        self.run.open(folder)

    def settings(self) -> TrainingSettings:
        """What the form asks for; of a run that is there already only its count of samples may be another.

        Raises :class:`StageboardError` where a field makes no sense.
        """
        typed = self.form.values()
        given = {option.name: option.parse(typed[option.name]) for option in TRAINING_OPTIONS}
        asked, there = settings_of(given), self.run.settings
        return asked if there is None else dataclasses.replace(there, samples=asked.samples)

    def go_on(self) -> None:
        """Start, pause or resume."""
        if self.run.running:
            self.run.pause()
            return
        try:
            if problem := missing_libraries():
                raise StageboardError(problem)
            self.run.start(self.settings())
        except StageboardError as error:
            self.document.message.emit(Message("error", capital(str(error)) + "."))

    def cancel_or_begin_anew(self) -> None:
        """End the run at once; where none is at work, show an empty folder for the next."""
        if self.run.running:
            self.run.cancel()
        else:
            self.open_folder(new_folder())

    def use_weights(self) -> None:
        """Let the planner plan with the best weights so far, from now on and in all windows."""
        if (weights := self.run.weights) is not None:
            self.chosen.choose(str(weights))
            self.planner_wanted.emit(PLANNERS[0], {OPTION: str(weights)})

    def use_shipped(self) -> None:
        """Let the planner plan with the weights that come with Stageboard again."""
        self.area.setFocus()  # the button goes, and would pass the keyboard on
        self.chosen.choose("")

    def close_run(self) -> None:
        """The window goes: the process ends, what it wrote stays."""
        self.run.close()

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Show the run as it is now."""
        if not self._opened:
            self.open_folder(latest_folder())
        run = self.run
        self._fill_form()
        self._show_buttons()
        self._show_words()
        if run.curve and self.plot is None:
            self.plot = self._make_plot()
        if self.plot is not None:
            self.plot.show_curve(run.curve, 0 if run.progress is None else run.progress.of, run.best)
            self.plot.setVisible(bool(run.curve))
        self._show_key()

    def _make_plot(self) -> TrainingPlot:
        from gui.panels.mcm.training.plot import TrainingPlot

        plot = TrainingPlot(self.theme, self)
        plot.pointed.connect(self._point_at)
        self._curve.addWidget(plot, 1)
        return plot

    def _fill_form(self) -> None:
        """Of a run that is there the form shows what it was asked."""
        run = self.run
        wanted = (run.folder, run.settings)
        if wanted != self._filled:
            self._filled = wanted
            self.form.clear()
            for option in TRAINING_OPTIONS:
                default = option.default if run.settings is None else run.settings.value(option.name)
                self.form.add_option(dataclasses.replace(option, default=default))
        for name, field in self.form.fields.items():
            field.setEnabled(not run.running and (run.settings is None or name == "samples"))
        self.folder.setEnabled(not run.running)

    def _show_buttons(self) -> None:
        run, missing = self.run, missing_libraries()
        there = run.settings is not None
        words = (
            "Pausing\N{HORIZONTAL ELLIPSIS}"
            if run.pausing
            else "Pause"
            if run.running
            else "Resume"
            if there
            else "Start"
        )
        self.go.setText(words)
        tip = {
            "Start": "Train beside the window, at the lowest priority",
            "Resume": "Go on where the run ended, with the same curve as if it had not; to go on after all samples, ask for more",
            "Pause": "End after the checkpoint at work; Resume goes on",
        }  # fmt: skip
        may_begin = not (missing or run.problem) and (not run.complete or self._asks_for_more())
        goes = not run.pausing if run.running else may_begin
        if not goes and self.go.hasFocus():
            self.area.setFocus()  # else Cancel, which comes next, would get the keyboard
        ending = "it ends after the checkpoint at work"
        asked = missing or run.problem or "all samples are trained: ask for more"
        offer(self.go, "" if goes else ending if run.running else asked, tip.get(words, ""))
        self.cancel.setText("Cancel" if run.running else "New Run")
        offer(
            self.cancel,
            "" if run.running or there or run.problem else "the folder shown has no run yet",
            "End at once; what was trained up to the last checkpoint stays"
            if run.running
            else "Show an empty folder, for a run of its own",
        )
        offer(self.use, "" if run.weights is not None else "no checkpoint is written yet")

    def _asks_for_more(self) -> bool:
        """Whether the form asks for more samples than the run has drawn."""
        run, field = self.run, self.form.fields["samples"]
        assert isinstance(field, QSpinBox)
        return run.settings is not None and field.value() > len(run.curve) * run.settings.per_checkpoint

    def _show_words(self) -> None:
        run = self.run
        progress = "" if run.progress is None else run.progress.words(seconds_text)
        if run.running:
            said = progress if run.heard else f"{progress}; begins, {seconds_text(run.seconds)}"
        elif run.problem:
            said = "what is in this folder is no run to go on with"
        elif run.settings is None:
            said = "no run in this folder yet"
        else:
            said = f"{progress}; {'all are drawn' if run.complete else 'Resume goes on'}"
        self.words.setText(capital(said))
        share = 0.0 if run.progress is None else run.progress.samples / max(run.progress.of, 1)
        begins = run.running and not run.heard
        colour = self.theme.accent if run.running else self.theme.faint
        self.line.show_progress(None if begins else share, run.seconds if begins else 0.0, colour, self.theme)
        self._show_note()
        own = self.chosen.path
        self.plans.setText(f"Learned policy plans with {shown_path(Path(own))}")
        for part in (self.plans, self.back):
            part.setVisible(bool(own))
        best, weights = run.best, run.weights
        self.best.setText(
            "Nothing is kept yet; the best weights on validation will be"
            if best is None or weights is None
            else f"The best weights, after {best.samples:,} samples, are kept in {shown_path(weights)}"
        )

    def _show_note(self) -> None:
        """What is in the way, else what is to come where there is no curve yet."""
        run = self.run
        wrong = run.problem or ("" if run.running else missing_libraries())
        set_role(self.note, "warning" if wrong else "muted")
        coming = BEGINS if run.running else BEFORE
        self.note.setText(f"{capital(wrong)}." if wrong else coming)
        self.note.setVisible(bool(wrong) or not run.curve)

    def _point_at(self, checkpoint: int) -> None:
        if checkpoint != self._pointed:
            self._pointed = checkpoint
            self._show_key()

    def _show_key(self) -> None:
        """The figures of the checkpoint under the pointer, else of the last one."""
        curve = self.run.curve
        pointed = self._pointed if self._pointed < len(curve) else -1
        for name, label in self.key.items():
            label.setVisible(bool(curve))
            label.set_colour(colour_of(name, self.theme))
            if curve:
                value, (words, word) = getattr(curve[pointed], name), FIGURES[name]
                label.set_texts(
                    f"\N{BLACK CIRCLE} {words} {value:.3f}", f"\N{BLACK CIRCLE} {word} {value:.3f}"
                )
        self.at.setVisible(bool(curve))
        if curve:
            point = curve[pointed]
            self.at.setText(f"Times {UNIT}, after {point.samples:,} samples")
        if self.plot is not None:
            self.plot.point_at(pointed, curve)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        if self.plot is not None:
            self.plot.set_theme(theme)
        super().set_theme(theme)
