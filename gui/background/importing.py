"""Importing ahead: modules that will be needed and what these need, one in a turn of the event loop, for all of them together take longer than one may.

In the window's thread: PySide's import hook may keep another thread and the window waiting for each other.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

from PySide6.QtCore import QObject, QTimer

from planner.loading import first_step

EVERY_MS = 15


class Importing(QObject):
    """Imports ``names`` one by one, before a package its modules; ends by itself, or with its ``parent``."""

    def __init__(self, names: Sequence[str], parent: QObject) -> None:
        super().__init__(parent)
        self._names = modules_of(names)
        self._name = next(self._names, "")
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._next)
        self._timer.start()

    @property
    def busy(self) -> bool:
        """Whether there is more to come."""
        return self._timer.isActive()

    def _next(self) -> None:
        while self._name in sys.modules:
            self._name = next(self._names, "")
        if self._name:
            import_module(first_step(self._name))
        else:
            self._timer.stop()


def modules_of(names: Sequence[str]) -> Iterator[str]:
    """The modules of these packages, each after the package that it is in, and modules as they are."""
    for name in names:
        yield name
        for found in pkgutil.iter_modules(getattr(sys.modules.get(name), "__path__", ()), f"{name}."):
            yield found.name
