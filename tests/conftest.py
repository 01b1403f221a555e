"""What every test runs under: no display, its own settings, warnings as errors, and the guards against leaks."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from planner.compiling.store import FOLDER, chosen_folder
from tests.resting import rest_input

pytest_plugins = ["tests.guards"]

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# An error that nobody foresaw fails a test with its traceback; only users are told of it in a sentence.
os.environ.setdefault("STAGEBOARD_TRACEBACK", "1")

# The machine is shared: no deadline, neither for an example nor for drawing some. CI repeats the same examples so that a red run can be repeated too.
# Kernels that run as plain Python (see tools/run_tests.py) are slow, and there only to be seen by coverage, which must not
# depend on what was drawn.
PLAIN_KERNELS = os.environ.get("NUMBA_DISABLE_JIT") == "1"
settings.register_profile(
    "stageboard",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize=PLAIN_KERNELS or bool(os.environ.get("CI")),
    database=None,
    max_examples=20 if PLAIN_KERNELS else 100,
)
settings.load_profile("stageboard")

_RUNTIME = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    # Each test has an empty cache folder of its own; what is compiled is not to be compiled for each anew.
    os.environ[FOLDER] = str(chosen_folder())
    # As in the program (gui.background.collecting): threads that tests start must not take apart what windows of earlier tests left.
    gc.disable()
    # Qt warns when there is no private runtime directory, which is so in containers and for root.
    config.stash[_RUNTIME] = tempfile.mkdtemp(prefix="stageboard-tests-")
    os.environ["XDG_RUNTIME_DIR"] = config.stash[_RUNTIME]


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash.get(_RUNTIME, ""), ignore_errors=True)


@pytest.fixture(autouse=True)
def own_settings(
    leak_guards: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Generator[Path]:
    """Give the test empty settings, data, cache and state directories; return the folder that holds them, beside the test's own."""
    home = tmp_path_factory.mktemp("xdg")
    for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    if "PySide6.QtCore" in sys.modules:
        from PySide6.QtCore import QSettings

        # Qt reads the environment once and remembers it.
        for form in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            QSettings.setPath(form, QSettings.Scope.UserScope, str(home / "config"))
    yield home


@pytest.fixture(autouse=True)
def nothing_proven() -> None:
    """Forget what the tests before have proven."""
    if "gui.document.proven_here" in sys.modules:
        from gui.document.proven_here import PROVEN

        PROVEN.forget()


@pytest.fixture(autouse=True)
def rested_input(own_settings: Path) -> None:
    """Give the test keys that nobody holds and a pointer that is out of the way."""
    rest_input()
