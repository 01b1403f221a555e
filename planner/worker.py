"""One spawned process per background solve: it streams what it finds, stops softly, and can be killed without loss.

The parent never loses a plan: every incumbent and bound arrives as it is found, so a killed or crashed worker leaves its
best behind. Messages are plain tuples over a pipe between our own processes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any

from planner.bound import Bound
from planner.errors import StageboardError
from planner.graph import Ints
from planner.search import (
    AnyOf,
    Callbacks,
    Cancel,
    GapReached,
    IterationLimit,
    Progress,
    Result,
    Stop,
    TimeLimit,
)

NICE = 10
"""How far a worker steps back behind the window, which must not wait for a processor while planners use them all."""


@dataclass(frozen=True)
class Order:
    """What a worker is asked to do: a planner or a bound method by name, on a problem."""

    method: str
    problem: Any
    is_bound: bool = False
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = None
    gap: float | None = None
    iterations: int | None = None
    starts: Sequence[Ints] = ()
    bounds: Sequence[Bound] = ()


@dataclass(frozen=True, eq=False)
class Incumbent:
    """A better valid plan."""

    device_of: Ints
    objective: float
    seconds: float
    components: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Proven:
    """A stronger bound."""

    bound: Bound
    seconds: float


@dataclass(frozen=True)
class Told:
    """Progress between 0 and 1 (None = unknown)."""

    fraction: float | None
    text: str
    seconds: float
    iterations: int


@dataclass(frozen=True, eq=False)
class Ended:
    """The run is over."""

    result: Result


@dataclass(frozen=True)
class Failed:
    """The run could not be done; ``sentence`` is for a person, ``detail`` for a log."""

    sentence: str
    detail: str = ""


Message = Incumbent | Proven | Told | Ended | Failed


def stop_for(order: Order, cancelled: Any) -> Stop:
    """The stop criteria of an order, with the cancel flag first."""
    criteria: list[Stop] = [Cancel(cancelled)]
    if order.time_limit is not None:
        criteria.append(TimeLimit(order.time_limit))
    # Without a gap to reach: until a bound, perhaps proven elsewhere, says that there is nothing better.
    criteria.append(GapReached(order.gap or 0.0))
    if order.iterations is not None:
        criteria.append(IterationLimit(order.iterations))
    return AnyOf(criteria)


class _Stream(Callbacks):
    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self._pipe.send(
            Incumbent(device_of, objective, progress.seconds, progress.components or (objective,))
        )

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        self._pipe.send(Proven(bound, progress.seconds))

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        self._pipe.send(Told(fraction, text, progress.seconds, progress.iterations))


def _serve(pipe: Connection) -> None:
    """The worker's main: import what is slow, wait for one order, run it, end."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    from planner.algorithms.catalogue import bound_method, bound_methods, planner, planners
    from planner.run import run, run_bound

    planners(), bound_methods()
    try:
        order: Order = pipe.recv()
    except (EOFError, OSError):
        return
    cancelled = threading.Event()
    proven: SimpleQueue[Bound] = SimpleQueue()

    def listen() -> None:
        """Bounds that others prove arrive until the order is cancelled, or its giver is gone."""
        with contextlib.suppress(EOFError, OSError):
            while isinstance(message := pipe.recv(), Bound):
                proven.put(message)
        cancelled.set()

    def news() -> list[Bound]:
        return [proven.get() for _ in range(proven.qsize())]

    threading.Thread(target=listen, daemon=True).start()
    stream = _Stream(pipe)
    try:
        stop = stop_for(order, cancelled.is_set)
        common: dict[str, Any] = {
            "stop": stop, "callbacks": stream, "seed": order.seed, "options": order.options, "bounds": order.bounds,
            "news": news,
        }  # fmt: skip
        if order.is_bound:
            result = run_bound(bound_method(order.method), order.problem, **common)
        else:
            result = run(planner(order.method), order.problem, starts=order.starts, **common)
        # The other side has the problem already, and it may be large.
        pipe.send(Ended(replace(result, problem=None)))  # type: ignore[arg-type]
    except (BrokenPipeError, EOFError):
        return
    except StageboardError as error:
        pipe.send(Failed(str(error)))
    except Exception as error:  # the worker's last line of defence: the parent must hear of every failure
        import traceback

        pipe.send(
            Failed(
                f"'{order.method}' failed unexpectedly ({type(error).__name__}: {error})",
                traceback.format_exc(),
            )
        )


class Worker:
    """A spawned process that runs one order. Not a Qt object: poll it from a timer or wait on :attr:`connection`."""

    GRACE = 2.0
    """Seconds between the soft stop and termination."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, far = context.Pipe()
        self._process = context.Process(target=_serve, args=(far,), daemon=True)
        self._process.start()
        far.close()
        self._order: Order | None = None
        self._sender: threading.Thread | None = None
        self._cancelled_at: float | None = None
        self._mail: list[Bound | str] = []
        """What waits until the order has gone out: two may not write at once."""
        self.finished = False

    def start(self, order: Order) -> None:
        """Hand the worker its order. Call once. Does not wait for a process that is still starting."""
        self._order = order
        data = ForkingPickler.dumps(order)

        def send() -> None:
            # A process that is gone shows at the other end of the pipe, in poll().
            with contextlib.suppress(OSError, TypeError):
                self.connection.send_bytes(data)

        self._sender = threading.Thread(target=send, name="order to a worker", daemon=True)
        self._sender.start()

    def cancel(self) -> None:
        """Ask for a soft stop; :meth:`poll` terminates the process when it does not follow in time."""
        if self._cancelled_at is None and not self.finished:
            self._cancelled_at = time.monotonic()
            self._mail.append("cancel")
            self._post()

    def tell(self, bound: Bound) -> None:
        """Let the search know of a bound that was proven elsewhere."""
        if self._cancelled_at is None and not self.finished:
            self._mail.append(bound)
            self._post()

    def _post(self) -> None:
        if self._sender is not None and self._sender.is_alive():
            return
        with contextlib.suppress(OSError):
            while self._mail:
                self.connection.send(self._mail.pop(0))

    def poll(self, timeout: float = 0.0, limit: int = 64) -> list[Message]:
        """At most ``limit`` messages that have arrived (waits up to ``timeout`` for the first).

        The last one of a run is `Ended` or `Failed`.
        """
        messages: list[Message] = []
        if self.finished:
            return messages
        self._post()
        try:
            while len(messages) < limit and self.connection.poll(0.0 if messages else timeout):
                message = self.connection.recv()
                if isinstance(message, Ended) and self._order is not None:
                    message = Ended(replace(message.result, problem=self._order.problem))
                messages.append(message)
                if isinstance(message, (Ended, Failed)):
                    self.close(
                        grace=0.0
                    )  # it has nothing left to do but to tidy up, which nobody needs to wait for
                    return messages
        except (EOFError, OSError):
            messages.append(self._gone())
            self.close()
            return messages
        if self._cancelled_at is not None and time.monotonic() - self._cancelled_at > self.GRACE:
            self._process.terminate()
            messages.append(
                Failed("stopped: the planner did not answer in time; its best plan so far was kept")
            )
            self.close()
        return messages

    def _gone(self) -> Failed:
        self._process.join(1.0)
        code = self._process.exitcode
        return Failed(
            f"the planner's process ended unexpectedly (exit code {code}); its best plan so far was kept"
        )

    def close(self, grace: float = 0.5) -> None:
        """Free everything; ends the process if it still runs after ``grace`` seconds."""
        self.finished = True
        if self._sender is not None:
            if (
                self._sender.is_alive()
            ):  # the process does not read: nobody may close the pipe under the sender's hands
                self._process.kill()
            self._sender.join()
        self.connection.close()
        self._process.join(grace)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(1.0)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
        self._process.close()
