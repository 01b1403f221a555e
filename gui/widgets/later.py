"""Work put off for a moment: done once for any number of requests, and never for something that is gone by then."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import MethodType

from PySide6.QtCore import QObject, QTimer


def soon(about: QObject, work: Callable[[], object], after: int = 0) -> None:
    """Do ``work`` in the next turn of the event loop, or ``after`` milliseconds, unless what it is ``about`` has gone by then.

    ``QTimer.singleShot`` keeps the work for ever in that case, and all that the work knows with it: a window of 18 MB.
    """
    timer = QTimer(about, singleShot=True, interval=after)
    timer.timeout.connect(work)
    timer.timeout.connect(timer.deleteLater)
    timer.start()


class Later(QObject):
    """Calls ``work`` ``after`` milliseconds after it was asked for; 0 is the next turn of the event loop.

    ``about`` says what the work is about as it is asked for: a problem, a selection, two orders (a tuple). Where that is
    another by the time, the work is dropped without a word: whoever made it another asks for what it needs. Without ``about``
    the work is to read everything anew. It goes with its ``parent``, whose methods it does not keep alive.
    """

    def __init__(
        self,
        work: Callable[[], object],
        parent: QObject,
        after: int = 0,
        about: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self._work = _reference(work)
        self._about = None if about is None else _reference(about)
        self._subject: object = None
        self._timer = QTimer(self, singleShot=True, interval=after)
        self._timer.timeout.connect(self._do)

    @property
    def waiting(self) -> bool:
        """Whether the work is still to be done."""
        return self._timer.isActive()

    def ask(self, *_: object) -> None:
        """Do the work; the pause before it begins anew."""
        self._subject = self._now()
        self._timer.start()

    def ask_once(self, *_: object) -> None:
        """Do the work; where it waits already, for the same, it is done when it would have been."""
        if not self.waiting or not self._still():
            self.ask()

    def stop(self) -> None:
        """Forget what was asked for."""
        self._timer.stop()
        self._subject = None

    def _now(self) -> object:
        """What the work would be about now."""
        about = None if self._about is None else self._about()
        return None if about is None else about()

    def _still(self) -> bool:
        return _same(self._subject, self._now())

    def _do(self) -> None:
        still, self._subject = self._still(), None
        work = self._work()
        if still and work is not None:
            work()


def _reference(call: Callable[[], object]) -> Callable[[], Callable[[], object] | None]:
    """What gives ``call``, as long as the object is there whose method it is.

    A widget that its own child keeps alive is left to the garbage collector, which takes it apart in any order.
    """
    if isinstance(call, MethodType):
        return weakref.WeakMethod(call)
    return lambda: call


def _same(one: object, other: object) -> bool:
    """Whether both are the same thing; serial numbers are compared as numbers, tuples part by part."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return one is other or (isinstance(one, int) and one == other)
