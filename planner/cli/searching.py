"""Running a search from the command line: Ctrl-C stops it softly, progress goes to the terminal, nothing found is lost."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from planner.cli import explaining
from planner.cli.command import Console
from planner.methods.feasibility.conflicts import Conflict
from planner.problem.base import PlanningProblem
from planner.quantity import amount_text
from planner.runs import interrupts
from planner.runs.planning import Best
from planner.search.stop import Progress
from planner.text_table import percent, seconds_text

KEPT = "stopping; the best plan so far is kept (once more to stop at once)"
PROVEN = "stopping; what is proven so far counts (once more to stop at once)"
NONE_YET = "stopping; there is no plan yet (once more to stop at once)"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def soft_interrupt(console: Console, words: str | Callable[[], str] = KEPT) -> Iterator[Callable[[], bool]]:
    """Yield a flag that Ctrl-C and SIGTERM raise; ``words`` say so, if any, or what gives them then. A second Ctrl-C is a :class:`KeyboardInterrupt`."""

    def told() -> None:
        if said := words if isinstance(words, str) else words():
            console.note(said)

    with interrupts.soft_interrupt(told, SIGNALS) as asked:
        yield asked


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM pass by: for the moment in which what was found is evaluated and written."""
    with interrupts.uninterrupted(SIGNALS):
        yield


class Watch(Best):
    """Keeps the best plan and the bounds as they come, and shows them on a terminal."""

    def __init__(self, console: Console, problem: PlanningProblem, name: str) -> None:
        super().__init__()
        self._console = console
        self._problem = problem
        self._name = name
        self.conflict: Conflict | None = None
        """Why there is no plan, where that was said before anything was searched."""

    @property
    def stopping(self) -> str:
        """What is said where somebody ends it."""
        return NONE_YET if self.decision is None else KEPT

    def impossible(self, conflict: Conflict) -> None:
        """Say it at once: what would help takes longer."""
        explaining.say_conflict(self._console, conflict)
        self.conflict = conflict

    def told(self, text: str, progress: Progress, fraction: float | None = None) -> None:
        """Show how far the run is."""
        self.progress = progress
        parts = [self._name, seconds_text(progress.seconds)]
        if progress.objective is not None:
            values = progress.components or (progress.objective,)
            parts += [
                f"{name} {amount_text(value, self._problem.unit(name))}"
                for name, value in zip(self._problem.components, values, strict=False)
            ]
        if progress.bound is not None:
            parts.append(
                f"bound {amount_text(progress.bound, self._problem.unit(self._problem.components[0]))}"
            )
        said = f"{percent(fraction)} {text}" if fraction is not None else text
        self._console.progress("  ".join([*parts, said]).rstrip())
