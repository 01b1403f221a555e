"""One process per background solve: it streams what it finds, stops softly, and can be killed without loss.

The parent never loses a plan: every incumbent and bound arrives as it is found, so a killed or crashed worker leaves its
best behind. What goes through the pipe between the two is in :mod:`planner.runs.messages`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize
from queue import SimpleQueue
from typing import Any

from planner.compiling.news import news as compiling
from planner.errors import StageboardError
from planner.machines.trying import best_of, quick_plan
from planner.model.graph import Ints
from planner.options import parse_options
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, better
from planner.problem.provenance import Adoption, Origin
from planner.processes.start import go_on_without_parent, hang_up, start_process
from planner.runs.messages import (
    Adopted,
    Begun,
    Compiling,
    Ended,
    Failed,
    Incumbent,
    Message,
    Order,
    Proven,
    Told,
)
from planner.search.method import Planner
from planner.search.result import Result
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Shared
from planner.search.stop import (
    AnyOf,
    Cancel,
    GapReached,
    IterationLimit,
    Progress,
    Stop,
    TimeLimit,
    WallBudget,
)

CAN_HOLD = hasattr(os, "killpg")
"""Whether this system can hold a process and let it go on later (Windows cannot)."""
QUICK_SECONDS = 60.0
"""What quick planners may take altogether where an order has no time limit."""
NICE = 10
"""How far a worker steps back behind the window, which must not wait for a processor while planners use them all."""


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
    """Sends on what a run reports. ``quick`` is the run where it is not that of the order, but one before it.

    Plans that are not better than ``known`` are not news.
    """

    def __init__(
        self, pipe: Connection, quick: Origin | None = None, known: tuple[float, ...] | None = None
    ) -> None:
        self._pipe, self._quick, self._known = pipe, quick, known

    def on_start(self, problem: PlanningProblem) -> None:
        if self._quick is None:
            self._pipe.send(Begun())

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        components = progress.components or (objective,)
        if self._known is not None and not better(components, self._known):
            return
        self._pipe.send(
            Incumbent(
                device_of,
                objective,
                progress.seconds,
                components,
                progress.iterations,
                progress.by,
                progress.warm,
                progress.origin
                if self._quick is None
                else replace(self._quick, iteration=progress.iterations),
            )
        )

    def on_adopt(self, adoption: Adoption, progress: Progress) -> None:
        self._pipe.send(Adopted(adoption, progress.seconds))

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        self._pipe.send(Proven(bound, progress.seconds))

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        self._pipe.send(Told(fraction, text, progress.seconds, progress.iterations))


def _tells_of_compiling(pipe: Connection) -> Callable[[int], None]:
    """What is called with how many kernels were compiled, and with 0 after that: says when it begins and when it ends."""
    said = False

    def told(kernels: int) -> None:
        nonlocal said
        if said != (kernels > 0):
            said = kernels > 0
            with contextlib.suppress(OSError):  # nobody hears: the run's own reports end it
                pipe.send(Compiling(said))

    return told


def _serve(pipe: Connection, pausable: bool) -> None:
    """The worker's main: import what is slow, wait for one order, run it, end."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if pausable:
        # Before there is a group that could be held.
        go_on_without_parent()
        # A group of its own, so that a pause holds the solvers' processes too, and only them.
        os.setpgid(0, 0)
    if hasattr(os, "nice"):
        os.nice(NICE)
    from planner.machines.catalogue import DEFAULT, bound_method, planner
    from planner.runs.warm_up import warm_bound

    try:
        order: Order = pipe.recv()
    except (EOFError, OSError):
        return
    cancelled = threading.Event()
    heard: SimpleQueue[Bound | Shared] = SimpleQueue()

    def listen() -> None:
        """What others prove and find arrives until the order is cancelled, or its giver is gone."""
        try:
            while isinstance(message := pipe.recv(), (Bound, Shared)):
                heard.put(message)
        except (EOFError, OSError):
            if pausable:
                # Its giver may have held us all: solvers are to hear of the end too.
                os.killpg(0, signal.SIGCONT)
        cancelled.set()

    def news() -> list[Bound | Shared]:
        return [heard.get() for _ in range(heard.qsize())]

    threading.Thread(target=listen, daemon=True).start()
    compiling.tell(_tells_of_compiling(pipe))
    try:
        first = _quick_result(order, pipe, cancelled.is_set)
        stream = _Stream(pipe, known=None if first is None else first.components)
        stop = stop_for(order, cancelled.is_set)
        common: dict[str, Any] = {
            "stop": stop, "callbacks": stream, "seed": order.seed, "options": order.options, "bounds": order.bounds,
            "news": news,
        }  # fmt: skip
        if order.is_bound:
            method = bound_method(order.method)
            if method.name == DEFAULT:
                # Its time is processor time, and loading compiled kernels may take longer than the proof.
                warm_bound(method, order.problem)
            result = run_bound(method, order.problem, **common)
        else:
            result = run(
                planner(order.method), order.problem, starts=order.starts, again=order.again, **common
            )
        if first is not None:
            result = replace(best_of([first, result]), stop_reason=result.stop_reason)
        # The other side has the problem already, and it may be large.
        pipe.send(Ended(replace(result, problem=None), compiling.seconds))  # type: ignore[arg-type]
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


def _quick_result(order: Order, pipe: Connection, cancelled: Callable[[], bool]) -> Result | None:
    """The first valid plan of quick planners where the order asks for one and brings none; None without."""
    if not order.quick or order.is_bound or order.starts:
        return None

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        within = AnyOf([Cancel(cancelled), stop])
        quick = Origin(planner.name, parse_options(planner.options, options, planner.name), order.seed)
        return run(planner, order.problem, within, _Stream(pipe, quick), order.seed, options)

    return quick_plan(order.problem, runner, WallBudget(order.time_limit or QUICK_SECONDS))


def _kill_group(pid: int) -> None:
    """End a worker that is held, and its solvers."""
    import signal

    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


class Worker:
    """A process that runs one order. Not a Qt object: poll it from a timer or wait on :attr:`connection`."""

    GRACE = 2.0
    """Seconds between the soft stop and termination."""

    def __init__(self, pausable: bool = False, grace: float = GRACE) -> None:
        self.connection, far = multiprocessing.Pipe()
        self.pausable = pausable and CAN_HOLD
        self._grace = grace
        self.paused = False
        self._at_exit: Finalize | None = None
        """Ends a held process with the program."""
        self._process = start_process(_serve, far, self.pausable)
        far.close()
        self._order: Order | None = None
        self._sender: threading.Thread | None = None
        self._cancelled_at: float | None = None
        self._mail: list[Bound | Shared | str] = []
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
            self.resume()
            self._cancelled_at = time.monotonic()
            self._mail.append("cancel")
            self._post()

    def tell(self, news: Bound | Shared) -> None:
        """Let the search know of a bound that was proven elsewhere, or of a plan that was found there."""
        if self._cancelled_at is None and not self.finished:
            self._mail.append(news)
            self._post()

    def pause(self) -> bool:
        """Hold the process, its solvers included, until :meth:`resume`; returns whether it could be held.

        Nothing is lost and nothing is asked of the planner. A held process neither reads nor answers: do not wait for it.
        """
        if self.finished or self._cancelled_at is not None or not self.pausable or self.paused:
            return self.paused
        self.paused = self._signal("SIGSTOP")
        if self.paused:
            # At the program's end Python asks its processes to end and waits for them; who is held does not hear it.
            self._at_exit = Finalize(None, _kill_group, (self._process.pid,), exitpriority=0)
        return self.paused

    def resume(self) -> None:
        """Let a held process go on."""
        if self.paused:
            self.paused = False
            if self._at_exit is not None:
                self._at_exit.cancel()
            self._signal("SIGCONT")
            self._post()

    def _signal(self, name: str) -> bool:
        import signal

        pid = self._process.pid
        if pid is None or not self._process.is_alive():
            return False
        try:
            # Its group is its own only once it runs our code; a signal to the group before would find none.
            os.killpg(pid, getattr(signal, name))
        except OSError:
            return False
        return True

    def _end_process(self) -> None:
        """End the process, and where it has a group of its own the solvers that it started."""
        if not (self.pausable and self._signal("SIGKILL")):
            self._process.terminate()

    def _post(self) -> None:
        # What a held process does not read would fill the pipe, and then whoever writes would wait.
        if self.paused or (self._sender is not None and self._sender.is_alive()):
            return
        with contextlib.suppress(OSError):
            while self._mail:
                self.connection.send(self._mail.pop(0))

    def poll(self, timeout: float = 0.0, limit: int = 64) -> list[Message]:
        """At most ``limit`` messages that have arrived (waits up to ``timeout`` for the first).

        The last one of a run is `Ended` or `Failed`.
        """
        messages: list[Message] = []
        # A message that a held process has sent half of would be waited for.
        if self.finished or self.paused:
            return messages
        self._post()
        try:
            while len(messages) < limit and self.connection.poll(0.0 if messages else timeout):
                message = self.connection.recv()
                if isinstance(message, Ended) and self._order is not None:
                    message = replace(message, result=replace(message.result, problem=self._order.problem))
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
        if self._cancelled_at is not None and time.monotonic() - self._cancelled_at > self._grace:
            self._end_process()
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
        self.resume()
        self.finished = True
        if self._sender is not None:
            if (
                self._sender.is_alive()
            ):  # the process does not read: nobody may close the pipe under the sender's hands
                self._process.kill()
                hang_up(self.connection)
            self._sender.join()
        self.connection.close()
        self._process.join(grace)
        if self._process.is_alive():
            self._end_process()
            self._process.join(1.0)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
        self._process.close()
