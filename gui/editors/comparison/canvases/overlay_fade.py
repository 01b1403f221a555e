"""From plan A to plan B and back: a share that glides, or jumps where motion is to be reduced."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QVBoxLayout, QWidget

from gui.canvas.graph.animation import FRAME_MS, eased
from gui.look.numbers import percent
from gui.widgets.labels import ElidedLabel
from gui.widgets.plain import PlainLabel

SECONDS = 0.35
STEPS = 100
PLAN_LINES = 2
"""Lines that what is said of a plan takes at most."""
HELD_MS = 350
"""A key or button that is held longer than this blinks back when it is let go."""


class Fade(QObject):
    """``share`` 0 is plan A, 1 is plan B, and a half shows both."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.share = 0.5
        self.reduced = False
        self._from, self._to, self._began = 0.5, 0.5, 0.0
        self._held = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._step)

    @property
    def running(self) -> bool:
        """Whether it glides."""
        return self._timer.isActive()

    def set_share(self, share: float) -> None:
        """Be there at once."""
        self._timer.stop()
        self._set(min(1.0, max(0.0, share)))

    def go(self, to: float) -> None:
        """Glide there."""
        if self.reduced:
            self.set_share(to)
            return
        self._from, self._to, self._began = self.share, to, time.perf_counter()
        self._timer.start()

    def blink(self) -> None:
        """From B to A, from anything else to B."""
        to_a = (self._to if self.running else self.share) > 0.75
        self._held.start()
        self.go(0.0 if to_a else 1.0)

    def let_go(self) -> None:
        """The key or button that blinked is up: back, if it was held."""
        if self._held.isValid() and self._held.elapsed() > HELD_MS:
            self.blink()
        self._held.invalidate()

    def stop(self) -> None:
        """End where it is going."""
        if self.running:
            self.set_share(self._to)

    def _set(self, share: float) -> None:
        if share != self.share:
            self.share = share
            self.changed.emit()

    def _step(self) -> None:
        t = min(1.0, (time.perf_counter() - self._began) / SECONDS)
        if t >= 1.0:
            self._timer.stop()
        self._set(self._from + (self._to - self._from) * eased(t))


class FadeBar(QWidget):
    """A slider from A to B with a button that blinks, and below it what there is to say about both plans."""

    def __init__(self, fade: Fade, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fade = fade
        self.first, self.second = QPushButton("A", self), QPushButton("B", self)
        self.both = QPushButton("Both", self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 2)
        self.slider.setAccessibleName("From plan A to plan B")
        self.slider.valueChanged.connect(self._slid)
        self.blink = QPushButton("Blink", self)
        self.blink.setToolTip("Change between A and B; hold to look only for a moment (B)")
        self.blink.pressed.connect(fade.blink)
        self.blink.released.connect(fade.let_go)
        self.said = PlainLabel("", self)
        self.said.setMinimumWidth(120)
        self.plans = (ElidedLabel("", self, lines=PLAN_LINES), ElidedLabel("", self, lines=PLAN_LINES))
        line = QHBoxLayout()
        line.setSpacing(24)
        for label in self.plans:
            line.addWidget(label, 1)
        self.plans[1].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout()
        row.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 5, 12, 5)
        column.setSpacing(3)
        column.addLayout(row)
        column.addLayout(line)
        row.addWidget(self.first)
        row.addWidget(self.slider, 1)
        row.addWidget(self.second)
        row.addSpacing(8)
        row.addWidget(self.both)
        row.addWidget(self.blink)
        row.addWidget(self.said)
        for button, share, tip in (
            (self.first, 0.0, "Show the first plan alone"), (self.second, 1.0, "Show the second plan alone"),
            (self.both, 0.5, "Show both: moved ops are split in two"),
        ):  # fmt: skip
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.clicked.connect(lambda _=False, share=share: fade.go(share))
        fade.changed.connect(self._show)
        self._show()

    def show_names(self, first: str, second: str) -> None:
        """The letters of the plans at both ends."""
        self.first.setText(first)
        self.second.setText(second)
        self.slider.setAccessibleName(f"From plan {first} to plan {second}")
        self._show()

    def show_plans(self, said: Sequence[tuple[Sequence[str], str]]) -> None:
        """What there is to say of each plan, then the same for less and less room, and its tip."""
        for label, (words, tip) in zip(self.plans, said, strict=True):
            label.set_texts(*words)
            label.set_tip(tip)

    def _slid(self, value: int) -> None:
        if value != round(self._fade.share * STEPS):
            self._fade.set_share(value / STEPS)

    def _show(self) -> None:
        share = self._fade.share
        self.slider.setValue(round(share * STEPS))
        a, b = self.first.text(), self.second.text()
        words = (
            a
            if share == 0.0
            else b
            if share == 1.0
            else f"{a} and {b}"
            if share == 0.5
            else f"{percent(share, 0)} {b}"
        )
        self.said.setText(f"shows {words}")
        self.slider.setAccessibleDescription(self.said.text())
