"""Run the network in the order that is shown, on the processor, and see how long it takes and whether it is right."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.background.asking import Asking
from gui.document.network.inferring import MINE, SCIPY, Measured, measure
from gui.look.numbers import one_time, rate_text
from gui.look.theme import Theme, font
from gui.widgets.forms import Form
from gui.widgets.labels import capital, set_role
from gui.widgets.offering import offer
from planner.processes.question import Answer

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from planner.model.graph import Ints

MOST_BATCH = 65_536


class InferenceDialog(QDialog):
    """Batch size and threads, Run, and a table of what came of it. It does not block the window.

    Closed it goes on with what it runs, and shown again it has what came of it; another model ends that (:meth:`forget`).
    """

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Run inference")
        self.setFont(font(9.0))
        self._document, self._theme = document, theme
        self._asking = Asking(self)
        self._asking.answered.connect(self._take)
        words = QLabel(
            "Runs batches of random numbers through the network in the order on the canvas, checks the outputs against"
            " double precision, and times them beside scipy."
        )
        words.setWordWrap(True)
        self.form = Form(self)
        self.form.add_int("batch", "Batch size", 128, 1, MOST_BATCH, "samples that are run at once")
        cores = os.cpu_count() or 1
        self.form.add_int(
            "threads", "Threads", 1, 1, max(1, cores), f"threads that share a batch; this machine has {cores}"
        )
        self._measured: tuple[Measured, Ints] | None = None
        """What came of the last run, and of which order."""
        self._running: Ints = document.order
        self.said = QLabel(self)
        self.said.setTextFormat(Qt.TextFormat.RichText)
        self.said.setWordWrap(True)
        self.said.setMinimumHeight(120)
        self.said.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self.said, "")
        self.run_button = QPushButton("Run", self)
        self.run_button.setObjectName("primary")
        self.run_button.clicked.connect(self.run)
        self._asking.busy_changed.connect(
            lambda: offer(self.run_button, "it is being run" if self.busy else "")
        )
        close = QPushButton("Close", self)
        close.setAutoDefault(False)
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        buttons.addWidget(self.run_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(10)
        for part in (words, self.form, self.said):
            column.addWidget(part)
        column.addStretch(1)
        column.addLayout(buttons)
        self.setMinimumWidth(440)
        self._tell()
        document.model_changed.connect(self.forget)

    @property
    def busy(self) -> bool:
        """Whether it runs."""
        return self._asking.busy

    def run(self) -> None:
        """Run and measure in a process of its own."""
        problem, order = self._document.problem, self._document.order
        if problem is None or self.busy:
            return
        values = self.form.values()
        batch, threads = int(values["batch"]), int(values["threads"])
        self._running = order
        self.said.setText("Running … the first time this takes some seconds more.")
        self._asking.ask(measure, problem.network, order, batch, threads)

    def show_results(self, theme: Theme) -> None:
        """Come to the front, in the colours of ``theme``, with what came of the last run."""
        self._theme = theme
        if self._measured is not None and not self.busy:
            self._tell()
        self.show()
        self.raise_()
        self.activateWindow()

    def forget(self) -> None:
        """The network is another one: what runs is ended, and nothing has run yet."""
        self.stop()
        self._measured = None
        self._tell()
        self.close()

    def stop(self) -> None:
        """End what runs."""
        self._asking.stop()

    def _tell(self) -> None:
        """What came of the last run, or what will."""
        muted = self._theme.muted
        if self._measured is None:
            self.said.setText(
                f"<p style='color: {muted}'>Nothing has run yet. Run takes a few seconds in a process of its own;"
                " times, samples per second and the check of the outputs appear here.</p>"
            )
            return
        measured, order = self._measured
        words = measured_html(measured, self._theme)
        if not np.array_equal(order, self._document.order):
            words += f"<p style='color: {muted}'>That was the order before the last change; run again for the one on the canvas.</p>"
        self.said.setText(words)

    def _take(self, answer: Answer) -> None:
        if isinstance(answer.value, Measured):
            self._measured = (answer.value, self._running)
            self._tell()
        else:
            sentence = escape(capital(answer.sentence))
            self.said.setText(f"<p style='color: {self._theme.bad}'>{sentence}.</p>")


def measured_html(measured: Measured, theme: Theme) -> str:
    """Times per batch and per second, and the check, as a small table."""
    rows = []
    base = measured.timings[SCIPY].wall
    for name in (MINE, SCIPY):
        timing = measured.timings[name]
        times = f"{base / timing.wall:.2f} ×" if name == MINE else "1"
        cells = (one_time(timing.wall, "s"), rate_text(measured.batch / timing.wall), times)
        rows.append(
            f"<tr><td>{escape(name)}</td>"
            + "".join(f"<td align='right'>{cell}</td>" for cell in cells)
            + "</tr>"
        )
    head = "".join(
        f"<td align='{side}' style='color: {theme.muted}'>{word}</td>"
        for word, side in (("", "left"), ("a batch", "right"), ("samples/s", "right"), ("speed", "right"))
    )
    tone, said = (
        (theme.good, "All outputs agree with double precision within what 32-bit sums allow.")
        if measured.correct
        else (theme.bad, "The outputs are wrong: they differ from double precision by more than rounding.")
    )
    threads = f"{measured.threads} thread{'s' if measured.threads > 1 else ''}"
    return (
        f"<table width='100%' cellspacing='0' cellpadding='3'><tr>{head}</tr>{''.join(rows)}</table>"
        f"<p style='color: {tone}'>{said}</p>"
        f"<p style='color: {theme.muted}'>Batches of {measured.batch:,}, {threads} (scipy has one);"
        f" the order was compiled to {measured.runs:,} runs of one neuron. Medians of wall time.</p>"
    )
