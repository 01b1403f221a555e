"""Each guard catches what it is there for, and keeps quiet about a clean test."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = """
[pytest]
qt_api = pyside6
qt_log_level_fail = WARNING
filterwarnings = error
markers = allow_leaks(*kinds): may leave these behind
"""

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
            QThreadPool.globalInstance().start(lambda: time.sleep(1.2))
        def teardown_module():
            QThreadPool.globalInstance().waitForDone()
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


CLEAN = """
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
"""
EXCUSED = """
import threading
import pytest
@pytest.mark.allow_leaks("threads")
def test_it():
    threading.Thread(target=threading.Event().wait, args=(20,), daemon=True).start()
"""
MISSPELT = """
import pytest
@pytest.mark.allow_leaks("thread")
def test_it():
    pass
"""


@dataclass(frozen=True)
class Outcome:
    """What pytest told of one file: how many tests passed, and what it said of each failure and error."""

    passed: int
    failures: list[str]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Run every file under the guards, one after the other in one process of their own: no leak may be blamed on the next test."""
    folder = tmp_path_factory.mktemp("leaks")
    # The misspelt excuse comes last: after an error of usage pytest does not get back into its stride.
    (folder / "pytest.ini").write_text(SETTINGS)
    bodies = {name: body for name, (_, body) in LEAKS.items()}
    bodies |= {"clean": CLEAN, "excused": EXCUSED, "misspelt": MISSPELT}
    files = {name: f"test_{name.replace(' ', '_').replace('-', '_').lower()}" for name in bodies}
    for name, body in bodies.items():
        (folder / f"{files[name]}.py").write_text(dedent(body))
    options = ["-p", "tests.guards", "-p", "no:cacheprovider", "--junitxml=told.xml"]
    # Long enough for what ends by itself; of what does not, every one is waited for.
    (folder / "conftest.py").write_text("from tests import guards\n\nguards.GRACE_SECONDS = 0.5\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(f"{file}.py" for file in files.values())], cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    found = {name: Outcome(0, []) for name in bodies}
    for case in ElementTree.parse(folder / "told.xml").iter("testcase"):
        name = next(name for name, file in files.items() if case.get("classname") == file)
        failures = [
            f"{one.get('message')}\n{one.text}" for kind in ("failure", "error") for one in case.iter(kind)
        ]
        told = found[name]
        found[name] = Outcome(told.passed + (not failures), told.failures + failures)
    return found


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_fails_the_test(outcomes: dict[str, Outcome], leak: str) -> None:
    message, _ = LEAKS[leak]
    (failure,) = outcomes[leak].failures
    assert message in failure


@pytest.mark.parametrize("name", ["clean", "excused"])
def test_a_clean_test_and_an_excused_leak_pass(outcomes: dict[str, Outcome], name: str) -> None:
    assert outcomes[name] == Outcome(1, [])


def test_a_misspelt_excuse_is_an_error(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["misspelt"].passed == 0
    assert any("allow_leaks knows" in failure for failure in outcomes["misspelt"].failures)


def test_each_test_has_its_own_settings(own_settings: Path) -> None:
    from platformdirs import user_config_dir, user_state_dir
    from PySide6.QtCore import QSettings

    assert Path(QSettings("stageboard", "stageboard").fileName()).is_relative_to(own_settings)
    assert Path(user_config_dir("stageboard")).is_relative_to(own_settings)
    assert Path(user_state_dir("stageboard")).is_relative_to(own_settings)
