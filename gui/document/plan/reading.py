"""Reading a large model file in a process of its own. No Qt here.

Parsing a large JSON or protobuf file is one call into C that holds Python's interpreter lock: some 16 ms per MB of JSON
during which a window could not even repaint. The reading process sends the graph back array by array, each of which
takes well under a frame to unpack.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import weakref
from collections.abc import Sequence
from dataclasses import fields
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import ModelError, StageboardError
from planner.model.graph import Graph
from planner.model.precision import FILE

LARGE_JSON = 2_000_000
LARGE = 16_000_000
"""Files of more bytes than these are read in a process of their own."""


def is_large(paths: Sequence[Path]) -> bool:
    """Whether reading these files in this process would make the window stutter."""
    for path in paths:
        with contextlib.suppress(OSError):
            if path.stat().st_size > (LARGE_JSON if path.suffix.lower() == ".json" else LARGE):
                return True
    return False


def read_graph(paths: Sequence[Path], batch: int = 1, precision: str = FILE) -> Graph:
    """The model in a file, or several deployed together, all times known. Raises :class:`StageboardError`."""
    from planner.formats import read_models

    return read_models(paths, batch=batch, precision=precision)


def _serve(pipe: Connection, paths: Sequence[Path], batch: int, precision: str) -> None:
    """The reading process: the graph's fields one by one, then None; or what is wrong with the file."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        try:
            graph = read_graph(paths, batch, precision)
        except StageboardError as error:
            pipe.send(("error", str(error)))
            return
        except MemoryError:
            pipe.send(("error", f"{paths[0].name} is too large for the memory of this computer"))
            return
        for field in fields(graph):
            pipe.send((field.name, getattr(graph, field.name)))
        pipe.send(None)


class Reader:
    """One reading process. :meth:`read` waits for the graph; :meth:`cancel` may be called from another thread."""

    def __init__(self, paths: Sequence[Path], batch: int = 1, precision: str = FILE) -> None:
        self._paths = tuple(paths)
        context = multiprocessing.get_context("spawn")
        self._pipe, far = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(far, self._paths, batch, precision), daemon=True)
        self._lock = threading.Lock()
        self._over = False
        self._process.start()
        far.close()

    def read(self) -> Graph:
        """The graph. Raises :class:`StageboardError`, also when cancelled."""
        found: dict[str, Any] = {}
        try:
            while (message := self._pipe.recv()) is not None:
                name, value = message
                if name == "error":
                    raise ModelError(value)
                if isinstance(value, np.ndarray):
                    value.setflags(write=False)
                found[name] = value
        except (EOFError, OSError):
            name = self._paths[0].name
            raise ModelError(
                f"{name} could not be read: its reader ended early, perhaps for want of memory; close other programs"
            ) from None
        finally:
            with self._lock:
                self._over = True
                self._pipe.close()
                self._process.terminate()
                self._process.join()
                self._process.close()
        return Graph(**found)

    def cancel(self) -> None:
        """End the process now; :meth:`read` raises."""
        with self._lock:
            if not self._over:
                self._process.terminate()


_readers: dict[threading.Thread, Reader] = {}
_cancelled: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
_guard = threading.Lock()


def read(paths: Sequence[Path], batch: int = 1, precision: str = FILE) -> Graph:
    """Read a model: in this process, unless a thread beside the window's asks for a large file.

    Raises :class:`StageboardError`, also when :func:`cancel` is called for the waiting thread.
    """
    thread = threading.current_thread()
    if thread is threading.main_thread() or not is_large(paths):
        return read_graph(paths, batch, precision)
    with _guard:
        if thread in _cancelled:
            raise ModelError(f"{paths[0].name} was not read: another file was chosen")
        reader = _readers[thread] = Reader(paths, batch, precision)
    try:
        return reader.read()
    finally:
        with _guard:
            del _readers[thread]


def cancel(thread: threading.Thread) -> None:
    """End the process that ``thread`` waits for, or that it is about to start."""
    with _guard:
        _cancelled.add(thread)
        reader = _readers.get(thread)
    if reader is not None:
        reader.cancel()
