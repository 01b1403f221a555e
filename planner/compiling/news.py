"""What is known of compiling in this process: how much of it there is just now, what it took so far, and who is to be told of it.

Imports nothing that compiles, so that a program that may not compile at all can ask to be told.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any


class News:
    """How often others have compiled something: kernels that are interpreted look for themselves once each time.

    ``wishes`` are kernels that were interpreted, and for which types; ``compiling`` is how many this process compiles just now.
    """

    def __init__(self) -> None:
        self.count = 1
        self.compiling = 0
        self.wishes: dict[tuple[Any, Any], None] = {}
        self._lock = threading.Lock()
        self._began = self._began_work = 0.0
        self._spent = self._spent_work = 0.0
        self._told: Callable[[int], None] | None = None
        self._kernels = 0

    def busy(self, more: int) -> None:
        """This process compiles so many more, or less."""
        if not more:
            return
        told, number = None, 0
        with self._lock:
            if not self.compiling:
                self._began, self._began_work = time.perf_counter(), time.process_time()
            if more > 0 and (told := self._told) is not None:
                self._kernels += more
                number = self._kernels
            self.compiling += more
            if not self.compiling:
                self._spent += time.perf_counter() - self._began
                self._spent_work += time.process_time() - self._began_work
                told = self._told
        if told is not None:
            told(number)

    @property
    def seconds(self) -> float:
        """How long this process has been compiling so far."""
        with self._lock:
            return self._spent + (time.perf_counter() - self._began if self.compiling else 0.0)

    @property
    def processor_seconds(self) -> float:
        """How much processor time this process took while it was compiling."""
        with self._lock:
            return self._spent_work + (time.process_time() - self._began_work if self.compiling else 0.0)

    def tell(self, told: Callable[[int], None] | None) -> None:
        """Call ``told`` wherever something has to be compiled, before it is, with how many kernels that makes since now; and with 0 when
        nothing is being compiled any more."""
        with self._lock:
            self._told, self._kernels = told, 0


news = News()
