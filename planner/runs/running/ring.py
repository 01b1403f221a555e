"""Queues of tensors from one process to another: slots in shared memory, filled and freed in turn.

The tensors of one sample lie in one slot, each at its place; who fills a slot and who frees it tell each other through a pipe, which
also says when the other one is gone. Nothing is pickled, nobody spins, and a queue holds no more than its slots.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.printable import clean

ALIGNMENT = 64
"""Bytes on whose multiples tensors begin: a line of the processor's cache."""
_TOKEN = b"1"
SHARED = Path("/dev/shm")
"""Where Linux keeps shared memory."""


class Form(NamedTuple):
    """What is known of a tensor before it is there: its type as numpy writes it (``<f4``) and its shape."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """How many it has."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


def form_of(value: Any, name: str) -> Form:
    """The form of an array. Raises :class:`StageboardError` for texts, which have no fixed size."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise StageboardError(
            f"'{clean(name)}' holds {array.dtype} values, which have no fixed size; keep the op that makes it and those that read it"
            " on one device"
        )
    return Form(array.dtype.str, tuple(array.shape))


@dataclass(frozen=True)
class End:
    """One end of a queue, to be handed to a process: the shared memory by name, the slots, the tensors in their order, the pipe."""

    memory: str
    slots: int
    forms: Mapping[str, Form]
    pipe: Connection


def _places(forms: Mapping[str, Form]) -> tuple[dict[str, int], int]:
    """Where in a slot each tensor begins, and how long a slot is (bytes)."""
    places, at = {}, 0
    for name, form in forms.items():
        places[name] = at
        at += -(-form.bytes // ALIGNMENT) * ALIGNMENT
    return places, max(at, ALIGNMENT)


def _check_room(length: int) -> None:
    """Raise where shared memory lies in a file system that has not so many bytes left: who writes beyond would be ended without a word."""
    if not SHARED.is_dir():
        return
    found = os.statvfs(SHARED)
    if (free := found.f_bavail * found.f_frsize) < length:
        raise StageboardError(
            f"{SHARED} has {free:,} bytes free, and the queues between two stages take {length:,}; give it more room, or cut where less passes"
        )


class Ring:
    """A queue as its owner has it, who belongs to neither side: makes it, hands its two ends on, and sees to it that nothing is left.

    ``slots`` samples fit in, each with tensors of the given ``forms``. Raises :class:`StageboardError` where there is no memory for them.
    """

    def __init__(self, forms: Mapping[str, Form], slots: int) -> None:
        _, length = _places(forms)
        _check_room(length * slots)
        try:
            self._memory = SharedMemory(create=True, size=length * slots)
        except OSError as error:
            raise StageboardError(
                f"there is no shared memory for {slots} samples of {length:,} bytes ({error.strerror}); close other programs"
            ) from error
        self._left = True
        near, far = multiprocessing.Pipe()
        self.sending = End(self._memory.name, slots, forms, near)
        self.receiving = End(self._memory.name, slots, forms, far)

    def handed(self) -> None:
        """Both ends are with their processes: what was opened here for them is closed."""
        self.sending.pipe.close()
        self.receiving.pipe.close()

    def forget(self) -> None:
        """Take the memory's name away; those who have opened it keep it until they end. May be called again."""
        if self._left:
            self._left = False
            self._memory.close()
            with contextlib.suppress(FileNotFoundError):
                self._memory.unlink()

    def close(self) -> None:
        """Leave nothing."""
        self.handed()
        self.forget()


class _Side:
    """What both ends do: their arrays over the slots, in turn."""

    def __init__(self, end: End) -> None:
        self._pipe, self.forms = end.pipe, end.forms
        self._memory = SharedMemory(end.memory)
        places, length = _places(end.forms)
        self._slots: list[dict[str, Any]] = [
            {
                name: np.ndarray(form.shape, form.dtype, self._memory.buf, slot * length + places[name])
                for name, form in end.forms.items()
            }
            for slot in range(end.slots)
        ]
        self._next = 0

    def _take(self) -> dict[str, Any]:
        arrays = self._slots[self._next]
        self._next = (self._next + 1) % len(self._slots)
        return arrays

    def close(self) -> None:
        """Give the memory back; arrays that were handed out are no more."""
        self._slots = []
        self._pipe.close()
        with contextlib.suppress(BufferError):  # an array is still held; the process's end gives it back
            self._memory.close()


class Sender(_Side):
    """The end that fills. Raises EOFError or OSError where the other end is gone."""

    def __init__(self, end: End) -> None:
        super().__init__(end)
        self._free = end.slots

    def wait(self) -> None:
        """Until a slot is free."""
        if not self._free:
            self._pipe.recv_bytes()
            self._free = 1

    def send(self, tensors: Mapping[str, Any]) -> None:
        """Put the tensors of one sample into a slot, which must be free (:meth:`wait`), and tell the other end.

        Raises :class:`StageboardError` for a tensor that has another form than it had.
        """
        for name, place in self._take().items():
            value = np.asarray(tensors[name])
            if value.dtype != place.dtype or value.shape != place.shape:
                raise StageboardError(
                    f"'{clean(name)}' is {value.dtype} {list(value.shape)} for one sample and {place.dtype} {list(place.shape)} for another;"
                    " such a tensor cannot pass from stage to stage, so keep the op that makes it and those that read it on one device"
                )
            np.copyto(place, value)
        self._free -= 1
        self._pipe.send_bytes(_TOKEN)


class Receiver(_Side):
    """The end that empties. Raises EOFError or OSError where the other end is gone."""

    def wait(self) -> None:
        """Until a sample is there."""
        self._pipe.recv_bytes()

    def take(self) -> Mapping[str, Any]:
        """The tensors of the sample that has come, where they lie: good until :meth:`free`."""
        return self._take()

    def free(self) -> None:
        """Let the slot be filled again."""
        self._pipe.send_bytes(_TOKEN)


def close_all(sides: Sequence[_Side]) -> None:
    """Close ends."""
    for side in sides:
        side.close()
