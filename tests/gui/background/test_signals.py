"""A request to end is kept, whenever it comes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gui.background.signals import quit_on_signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a loop there has no signals to end by")
TOO_LATE_MS = 10_000


def ended(qapp: QApplication) -> int:
    """The status of the event loop, -1 where nobody ended it."""
    unasked = QTimer(interval=TOO_LATE_MS, singleShot=True)
    unasked.timeout.connect(lambda: qapp.exit(-1))
    unasked.start()
    status = qapp.exec()
    unasked.stop()
    return status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_the_loop_ends_what_is_done_for_it(
    qapp: QApplication, number: signal.Signals
) -> None:
    with pytest.raises(SystemExit) as left, quit_on_signals(qapp):
        os.kill(os.getpid(), number)
        ended(qapp)
    assert left.value.code == 128 + number


def test_a_loop_that_begins_in_spite_of_a_signal_ends(qapp: QApplication) -> None:
    with quit_on_signals(qapp):
        with contextlib.suppress(SystemExit):
            os.kill(os.getpid(), signal.SIGTERM)
        assert ended(qapp) == 128 + signal.SIGTERM


def test_a_second_signal_interrupts_nothing(qapp: QApplication) -> None:
    with quit_on_signals(qapp):
        QTimer.singleShot(20, lambda: os.kill(os.getpid(), signal.SIGTERM))
        assert ended(qapp) == 128 + signal.SIGTERM
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_ends_a_loop_that_runs(qapp: QApplication) -> None:
    with quit_on_signals(qapp):
        QTimer.singleShot(20, lambda: os.kill(os.getpid(), signal.SIGTERM))
        assert ended(qapp) == 128 + signal.SIGTERM


def test_no_loop_begins_within_one_that_is_to_end(qapp: QApplication) -> None:
    def ask_then_wait() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        waited.append(QEventLoop().exec())

    waited: list[int] = []
    with quit_on_signals(qapp):
        QTimer.singleShot(0, ask_then_wait)
        assert ended(qapp) == 128 + signal.SIGTERM
    assert waited == [-1]


def test_handlers_are_those_of_before_afterwards(qapp: QApplication) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with quit_on_signals(qapp):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
