"""A request to end is kept, whenever it comes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

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
    assert waited == [128 + signal.SIGTERM], "at once"


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("enum.py", "enum"),
        ("shibokensupport/signature/loader.py", "shibokensupport.signature.loader"),
        ("PySide6/__init__.py", "PySide6"),
        ("gui/canvas/graph/view.py", "gui.canvas.graph.view"),
    ],
)
def test_nothing_is_raised_where_qt_may_have_called(qapp: QApplication, file: str, module: str) -> None:
    """A class of Qt would be left half made, or the process end in the midst of Qt's code, which crashes."""
    reached: list[int] = []
    bound = {"os": os, "signal": signal, "reached": reached, "__name__": module}
    code = "def work():\n    os.kill(os.getpid(), signal.SIGTERM)\n    for _ in range(3): pass\n    reached.append(1)\nwork()"
    with pytest.raises(SystemExit) as left, quit_on_signals(qapp):
        exec(compile(code, f"/somewhere/{file}", "exec"), bound)
        assert reached, "it is done"
        for _ in range(400):
            time.sleep(0.01)
        pytest.fail("nothing ended it")
    assert left.value.code == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    "module", ["gui.app.app", "gui.raster.engine", "planner.compiling.kernel", "numba.core"]
)
def test_what_qt_calls_nothing_in_is_ended_at_once(qapp: QApplication, module: str) -> None:
    bound = {"os": os, "signal": signal, "__name__": module}
    code = "def work():\n    os.kill(os.getpid(), signal.SIGTERM)\n    for _ in range(3): pass\n    raise ValueError\nwork()"
    with pytest.raises(SystemExit), quit_on_signals(qapp):
        exec(compile(code, "/somewhere/file.py", "exec"), bound)


def test_the_handler_touches_nothing_of_qt(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes in the midst of anything, Qt's own code among that: the loop ends itself when it is woken."""
    ends: list[bool] = []
    with quit_on_signals(qapp):

        def ask() -> None:
            with monkeypatch.context() as patched:
                patched.setattr(QApplication, "exit", lambda *_: ends.append(True))
                os.kill(os.getpid(), signal.SIGTERM)
                asked.append(list(ends))

        asked: list[list[bool]] = []
        QTimer.singleShot(20, ask)
        assert ended(qapp) == 128 + signal.SIGTERM
    assert asked == [[]]


def test_handlers_are_those_of_before_afterwards(qapp: QApplication) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with quit_on_signals(qapp):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
