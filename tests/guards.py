"""A pytest plugin that fails a test for what it leaves behind.

Kinds, each of which a test may excuse with ``@pytest.mark.allow_leaks("threads")``, saying why beside it:

``threads``    Python threads, running QThreads, busy workers of the global QThreadPool
``processes``  child processes, finished ones that nobody waited for included
``timers``     active QTimers and running animations
``widgets``    top-level widgets
``qt-log``     Qt log lines printed while the test's fixtures are torn down; pytest-qt looks only at those of
               the test itself. The allow list ``qt_log_ignore`` in pyproject.toml serves both.

``tests/test_guards.py`` proves that each of them catches.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import Any, TypeVar

import pytest

KINDS = frozenset({"threads", "processes", "timers", "widgets", "qt-log"})
COLLECT_YOUNG_AFTER, COLLECT_AFTER = 20_000, 200_000
"""Garbage is collected between tests alone: among the young once so many more objects live than after the last time, and
everywhere once that has come to so many."""
_young_collected = 0
GRACE_SECONDS = 1.0
"""How long something that is already on its way out may take to be gone."""

# Children that Python's own multiprocessing keeps for the life of the interpreter.
_STANDING_CHILDREN = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
# Qt keeps one tool-tip label of its own and hides it a moment after it was last needed.
_STANDING_WIDGETS = frozenset({"QTipLabel"})
# pytest-timeout's watchdog and xdist's channels belong to the run, not to a test.
_STANDING_THREADS = ("pytest_timeout", "execnet")

T = TypeVar("T")


def _settled(find: Callable[[], list[T]], pump: Callable[[], None] | None = None) -> list[T]:
    """Return what ``find`` still finds once nothing is left or the grace period is over."""
    deadline = time.monotonic() + GRACE_SECONDS
    while (left := find()) and time.monotonic() < deadline:
        if pump is not None:
            pump()
        time.sleep(0.01)
    return left


# ---------------------------------------------------------------------------------------------- Python and system


def _threads(before: set[int]) -> list[threading.Thread]:
    return [
        thread
        for thread in threading.enumerate()
        if id(thread) not in before
        and thread.is_alive()
        and not any(name in thread.name for name in _STANDING_THREADS)
        # A QThread or a solver's thread that once ran Python leaves a dummy entry behind when it has ended.
        and not (isinstance(thread, threading._DummyThread) and not _native_thread_lives(thread))
    ]


def _native_thread_lives(thread: threading.Thread) -> bool:
    tasks = Path("/proc/self/task")
    return not tasks.is_dir() or (tasks / str(thread.native_id)).exists()


def _direct_children() -> list[int]:
    """Return the process ids of this process's children, finished ones included; empty where there is no /proc."""
    lists = list(Path("/proc/self/task").glob("*/children"))
    if lists:  # Linux with lists of children, which spares a look at every process of the machine
        found = []
        for children in lists:
            with suppress(OSError):  # the thread has just ended; its children are another one's now
                found += [int(pid) for pid in children.read_text().split()]
        return found
    me, found = os.getpid(), []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may itself hold spaces and parentheses: read on from the last one.
            if int(stat.read_text(errors="replace").rpartition(")")[2].split()[1]) == me:
                found.append(int(stat.parent.name))
    return found


def child_processes() -> dict[int, str]:
    """Map the process id of every direct child of this process to its command line."""
    found = {child.pid: child.name for child in multiprocessing.active_children() if child.pid is not None}
    for pid in _direct_children():
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ").strip()
            found[pid] = words or "(ended, nobody waited for it)"
    return found


def _children(before: Iterable[int]) -> list[tuple[int, str]]:
    known = set(before)
    return [
        (pid, words)
        for pid, words in child_processes().items()
        if pid not in known and not any(standing in words for standing in _STANDING_CHILDREN)
    ]


def _end(children: list[tuple[int, str]]) -> None:
    """Kill and reap leaked children, so that one test's leak is not reported again by the next."""
    for pid, _ in children:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(pid, 0)


# ---------------------------------------------------------------------------------------------------------- Qt


def _application() -> Any:
    """Return the QApplication, or None where this process has not made one; never imports Qt itself."""
    core = sys.modules.get("PySide6.QtCore")
    return core.QCoreApplication.instance() if core is not None else None


def _address(qt_object: Any) -> int:
    import shiboken6

    return shiboken6.getCppPointer(qt_object)[0] if shiboken6.isValid(qt_object) else 0


def _pump() -> None:
    """Deliver what is queued, deferred deletions included."""
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _top_level_widgets(before: set[int]) -> list[Any]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    application = _application()
    if widgets is None or not isinstance(application, widgets.QApplication):
        return []
    return [
        widget
        for widget in application.topLevelWidgets()
        if _address(widget) not in before and widget.metaObject().className() not in _STANDING_WIDGETS
    ]


def _kinds(*bases: type) -> set[type]:
    """Return the classes and everything derived from them so far."""
    found = set(bases)
    todo = list(bases)
    while todo:
        found.update(new := set(todo.pop().__subclasses__()) - found)
        todo.extend(new)
    return found


_known: list[weakref.ref[Any]] = []
"""The timers, animations and threads that were found among what is no longer young, the dead ones included for a while."""


def _busy_bases() -> tuple[type, ...]:
    from PySide6.QtCore import QAbstractAnimation, QThread, QTimer

    return (QTimer, QAbstractAnimation, QThread)


def _of_busy_kinds(things: list[Any]) -> list[Any]:
    """Pick timers, animations and threads by their type alone, with no step of Python for each of some 100,000 objects."""
    if "PySide6.QtCore" not in sys.modules:
        return []
    return list(compress(things, map(_kinds(*_busy_bases()).__contains__, map(type, things))))


def _note(phase: str, info: dict[str, int]) -> None:
    """Remember what a collection is about to call old, so that only what is younger need be looked through."""
    if phase == "start":
        _known[:] = [known for known in _known if known() is not None]
        _known.extend(map(weakref.ref, _of_busy_kinds(gc.get_objects(generation=0))))


def _collect() -> None:
    """Collect garbage once there is enough of it; nothing else does so while tests run (see conftest.py).

    What imports and collecting the tests made is most of what lives, and stays for the whole run: it is set aside, so that no
    collection goes through it. So is later what lives between tests, but not while there is a window, which ends some day.
    """
    global _young_collected
    if _note not in gc.callbacks:
        gc.collect()
        _known[:] = map(weakref.ref, _of_busy_kinds(gc.get_objects()))
        gc.freeze()
        gc.callbacks.append(_note)
    elif (young := gc.get_count()[0]) > COLLECT_YOUNG_AFTER:
        _young_collected += young
        if _young_collected < COLLECT_AFTER:
            gc.collect(0)
            return
        _young_collected = 0
        gc.collect()
        if not _top_level_widgets(set()):
            gc.freeze()


def _busy_qt_objects() -> dict[int, tuple[str, Any]]:
    """Map the address of every active timer or animation and running QThread to its kind and itself.

    Seen are those that Python knows and those that hang on a widget or on the application.
    """
    import shiboken6
    from PySide6.QtCore import QThread, QTimer

    bases = _busy_bases()
    old = [thing for known in _known if (thing := known()) is not None]
    found = [
        thing for thing in old + _of_busy_kinds(gc.get_objects(generation=0)) if shiboken6.isValid(thing)
    ]
    roots = [_application(), *_top_level_widgets(set())]
    found += [child for root in roots for base in bases for child in root.findChildren(base)]
    busy: dict[int, tuple[str, Any]] = {}
    for thing in found:
        if not shiboken6.isValid(thing):
            continue  # it went with what was collected while we looked
        if isinstance(thing, QThread):
            if thing.isRunning() and thing is not QThread.currentThread():
                busy[_address(thing)] = ("threads", thing)
        elif thing.isActive() if isinstance(thing, QTimer) else thing.state() == thing.State.Running:
            busy[_address(thing)] = ("timers", thing)
    return busy


def _describe(thing: Any) -> str:
    name = thing.objectName() or "unnamed"
    parent = thing.parent()
    belongs = f" of {type(parent).__name__}" if parent is not None else ""
    return f"{type(thing).__name__} {name!r}{belongs}"


def _check_qt(allowed: set[str], before: dict[str, set[int]]) -> list[str]:
    from PySide6.QtCore import QThreadPool

    _pump()
    problems: list[str] = []
    if "widgets" not in allowed:
        if _top_level_widgets(before["widgets"]):
            gc.collect()  # a widget that only a reference cycle keeps is not a leak
        widgets = _settled(lambda: _top_level_widgets(before["widgets"]), _pump)
        problems += [
            f"widgets: {_describe(widget)} is still there; close and delete it" for widget in widgets
        ]
        for widget in widgets:
            widget.hide()  # or the mouse of the tests to come would be over it

    def busy() -> list[tuple[str, Any]]:
        new = {place: found for place, found in _busy_qt_objects().items() if place not in before["objects"]}
        return [(kind, thing) for kind, thing in new.values() if kind not in allowed]

    if busy():
        gc.collect()
        advice = {"timers": "stop it", "threads": "quit it and wait for it"}
        for kind, thing in _settled(busy, _pump):
            problems.append(f"{kind}: {_describe(thing)} is still running; {advice[kind]}")
    if "threads" not in allowed:
        pool = QThreadPool.globalInstance()
        if _settled(lambda: [pool] if pool.activeThreadCount() else [], _pump):
            problems.append(f"threads: {pool.activeThreadCount()} jobs of the global QThreadPool still run")
    return problems


# ----------------------------------------------------------------------------------------------------- the guards


def _allowed(node: pytest.Item) -> set[str]:
    allowed = {kind for marker in node.iter_markers("allow_leaks") for kind in marker.args}
    if unknown := allowed - KINDS:
        raise pytest.UsageError(f"{node.nodeid}: allow_leaks knows {sorted(KINDS)}, not {sorted(unknown)}")
    return allowed


@pytest.fixture(autouse=True)
def leak_guards(request: pytest.FixtureRequest) -> Generator[None]:
    """Compare what lives after the test with what lived before it, and fail on what is new."""
    _collect()
    allowed = _allowed(request.node)
    uses_qt = bool({"qapp", "qtbot"} & set(request.fixturenames))
    threads_before = {id(thread) for thread in threading.enumerate()}
    children_before = set(child_processes())
    qt_before = {
        "widgets": {_address(widget) for widget in _top_level_widgets(set())},
        "objects": set(_busy_qt_objects()) if uses_qt and _application() is not None else set(),
    }

    yield

    problems: list[str] = []
    # A test may also reach Qt without pytest-qt's fixtures; its widgets give that away.
    if _application() is not None and (uses_qt or _top_level_widgets(qt_before["widgets"])):
        problems += _check_qt(allowed, qt_before)
    if "threads" not in allowed:
        threads = _settled(lambda: _threads(threads_before))
        problems += [f"threads: {thread.name} is still running; stop and join it" for thread in threads]
    if "processes" not in allowed:
        children = _settled(lambda: _children(children_before))
        problems += [
            f"processes: child {pid} was left behind (killed now): {words}" for pid, words in children
        ]
        _end(children)
    if problems:
        pytest.fail("the test left behind:\n  " + "\n  ".join(problems), pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail on Qt log lines of the tear-down, when windows close and threads end."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None or _application() is None or "qt-log" in _allowed(item):
        return (yield)
    ignored = [re.compile(pattern) for pattern in item.config.getini("qt_log_ignore")]
    serious = {
        kind: kind.name
        for kind in (core.QtMsgType.QtWarningMsg, core.QtMsgType.QtCriticalMsg, core.QtMsgType.QtFatalMsg)
    }
    lines: list[str] = []

    def note(kind: Any, context: Any, message: str) -> None:
        if kind in serious and not any(pattern.search(message) for pattern in ignored):
            lines.append(f"{serious[kind]}: {message}")

    previous = core.qInstallMessageHandler(note)
    try:
        result = yield
    finally:
        core.qInstallMessageHandler(previous)
    if lines:
        pytest.fail("Qt log lines while the test was torn down:\n  " + "\n  ".join(lines), pytrace=False)
    return result
