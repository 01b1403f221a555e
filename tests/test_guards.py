"""Each guard catches what it is there for, and keeps quiet about a clean test."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[1]


def run(pytester: pytest.Pytester, body: str) -> pytest.RunResult:
    """Run one test file under the guards, in a process of its own."""
    pytester.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        qt_api = "pyside6"
        qt_log_level_fail = "WARNING"
        filterwarnings = ["error"]
        markers = ["allow_leaks(*kinds): may leave these behind"]
        """
    )
    pytester.makepyfile(test_leaky=body)
    pytester._monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester.runpytest_subprocess("-p", "tests.guards", "-p", "no:cacheprovider", timeout=60)


LEAKS = {
    "thread": (
        "threads: nap",
        """
        import threading
        release = threading.Event()
        def test_it():
            threading.Thread(target=release.wait, args=(20,), name="nap", daemon=True).start()
        """,
    ),
    "qthread": (
        "threads: QThread 'worker'",
        """
        from PySide6.QtCore import QThread
        def test_it(qapp):
            global thread
            thread = QThread(objectName="worker")
            thread.start()
        def teardown_module():
            thread.quit()
            thread.wait()
        """,
    ),
    "thread pool": (
        "jobs of the global QThreadPool still run",
        """
        import time
        from PySide6.QtCore import QThreadPool
        def test_it(qapp):
            QThreadPool.globalInstance().start(lambda: time.sleep(3))
        """,
    ),
    "multiprocessing child": (
        "processes: child",
        """
        import multiprocessing, time
        def test_it():
            global child
            child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(20,))
            child.start()
        """,
    ),
    "subprocess": (
        "processes: child",
        """
        import subprocess
        def test_it():
            global child
            child = subprocess.Popen(["sleep", "20"])
        def teardown_module():
            child.wait()
        """,
    ),
    "timer of a widget": (
        "timers: QTimer 'tick'",
        """
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QWidget
        import pytest
        @pytest.mark.allow_leaks("widgets")
        def test_it(qapp):
            global window
            window = QWidget()
            QTimer(window, objectName="tick").start(1000)
        """,
    ),
    "timer without a parent": (
        "timers: QTimer 'tick'",
        """
        from PySide6.QtCore import QTimer
        def test_it(qtbot):
            global timer
            timer = QTimer(objectName="tick")
            timer.start(1000)
        """,
    ),
    "animation": (
        "timers: QVariantAnimation 'glide'",
        """
        from PySide6.QtCore import QVariantAnimation
        def test_it(qapp):
            global animation
            animation = QVariantAnimation(objectName="glide", duration=60_000, startValue=0, endValue=1)
            animation.start()
        """,
    ),
    "widget": (
        "widgets: QDialog 'about'",
        """
        from PySide6.QtWidgets import QDialog
        def test_it(qapp):
            global dialog
            dialog = QDialog(objectName="about")
        """,
    ),
    "Qt log line": (
        "Qt messages with level WARNING",
        """
        from PySide6.QtCore import qWarning
        def test_it(qapp):
            qWarning("something is odd")
        """,
    ),
    "Qt log line in the tear-down": (
        "Qt log lines while the test was torn down",
        """
        import pytest
        from PySide6.QtCore import qWarning
        @pytest.fixture
        def noisy(qapp):
            yield
            qWarning("something is odd")
        def test_it(noisy):
            pass
        """,
    ),
    "Python warning": (
        "UserWarning: old",
        """
        import warnings
        def test_it():
            warnings.warn("old")
        """,
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_fails_the_test(pytester: pytest.Pytester, leak: str) -> None:
    message, body = LEAKS[leak]
    result = run(pytester, body)
    outcomes = result.parseoutcomes()
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == 1, result.stdout.str()
    assert message in result.stdout.str()


def test_a_clean_test_passes(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        import multiprocessing, subprocess, threading, time
        import pytest
        from PySide6.QtCore import QThread, QTimer
        from PySide6.QtWidgets import QMenu, QWidget

        def test_it(qtbot):
            thread = threading.Thread(target=time.sleep, args=(0.2,))  # ends within the grace period
            thread.start()
            child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(0,))
            child.start()
            child.join()
            subprocess.run(["true"], check=True)
            window = QWidget()
            qtbot.addWidget(window)
            window.show()
            window.menu = QMenu(window)
            window.itself = window  # only a cycle keeps it
            timer = QTimer(window)
            timer.start(1)
            worker = QThread()
            worker.start()
            worker.quit()
            worker.wait()
        """,
    )
    result.assert_outcomes(passed=1)


def test_an_excused_leak_passes(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        import threading
        import pytest
        @pytest.mark.allow_leaks("threads")
        def test_it():
            threading.Thread(target=threading.Event().wait, args=(20,), daemon=True).start()
        """,
    )
    result.assert_outcomes(passed=1)


def test_a_misspelt_excuse_is_an_error(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        import pytest
        @pytest.mark.allow_leaks("thread")
        def test_it():
            pass
        """,
    )
    assert "allow_leaks knows" in result.stdout.str()
    assert result.ret != 0


def test_each_test_has_its_own_settings(own_settings: Path, tmp_path: Path) -> None:
    from platformdirs import user_config_dir, user_state_dir
    from PySide6.QtCore import QSettings

    assert Path(QSettings("stageboard", "stageboard").fileName()).is_relative_to(tmp_path)
    assert Path(user_config_dir("stageboard")).is_relative_to(tmp_path)
    assert Path(user_state_dir("stageboard")).is_relative_to(tmp_path)
