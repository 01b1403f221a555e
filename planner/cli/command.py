"""What a command is, how it reads its arguments, and where it writes: results to stdout, all else to stderr."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, cast

from planner.compiling.news import news
from planner.errors import StageboardError
from planner.printable import concise, escaped, json_text, one_line

DONE, FAILED, BAD_INPUT = 0, 1, 2
"""Exit statuses: done; ran but found no valid plan, or a check failed; bad input or usage."""


COMPILING = (
    "compiling what this computes with, for the first time on this machine; it may take a few minutes, and is kept for"
    " later starts"
)
"""Said at once where something has to be compiled."""


class UsageError(StageboardError):
    """The command line itself is wrong."""


class CommandModule(Protocol):
    """What the module of a command offers."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments, the description and an example."""

    def run(self, args: argparse.Namespace, console: Console) -> int:
        """Do it and return the exit status. Raises :class:`StageboardError` for bad input."""


@dataclass(frozen=True)
class Command:
    """One command by name. Its module is imported only when it is chosen."""

    name: str
    summary: str
    module: str

    def load(self) -> CommandModule:
        """Import the module."""
        return cast(CommandModule, importlib.import_module(self.module))


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help that writes files which follow one another as their metavar does, ``MODEL... PLAN``, and not twice."""

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        several = isinstance(action.metavar, str) and "..." in action.metavar
        return str(action.metavar) if several else super()._format_args(action, default_metavar)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises one sentence instead of printing usage and leaving."""

    def __init__(self, command: Command) -> None:
        super().__init__(
            prog=f"stageboard {command.name}",
            description=command.summary,
            allow_abbrev=False,
            formatter_class=HelpFormatter,
        )
        self.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        self.intermixed = False
        """Whether files may stand between options: ``A --times a.json B --times b.json``."""

    def parsed(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The arguments of the command."""
        return self.parse_intermixed_args(arguments) if self.intermixed else self.parse_args(arguments)

    def error(self, message: str) -> NoReturn:
        """Raise :class:`UsageError`."""
        raise UsageError(f"{self.prog.partition(' ')[2]}: {message}; see '{self.prog} --help'")


class Console:
    """The two streams of a command. Results go to stdout once; messages and progress to stderr.

    Whatever a file's name or content brings along, no control character of a terminal but line breaks passes. Standard
    error that cannot be written to is done without.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        self._live = sys.stderr.isatty()
        self._shown = ""
        self._began, self._compiled_before = time.perf_counter(), news.seconds

    @property
    def seconds(self) -> float:
        """How long the command has been running."""
        return time.perf_counter() - self._began

    @property
    def compiling(self) -> float:
        """How much of that it was compiling."""
        return news.seconds - self._compiled_before

    @contextmanager
    def telling_of_compiling(self) -> Iterator[None]:
        """Say so where something has to be compiled meanwhile, unless the result is for a program."""
        news.tell(None if self.as_json else self._compiles)
        try:
            yield
        finally:
            news.tell(None)

    def _compiles(self, kernel: int) -> None:
        """Say once what that is, and on a terminal how many kernels it is by now: how many there will be nobody knows."""
        if kernel == 1:
            self.note(COMPILING)
        if kernel:
            self.progress(f"compiling kernel {kernel:,}")

    def result(self, data: Mapping[str, Any], text: Callable[[], str]) -> None:
        """Print the result: ``data`` as one JSON object where that was asked for, else ``text()``."""
        self.progress("")
        if self.as_json:
            print(json_text(plain(data), encoding=sys.stdout.encoding or "utf-8"), flush=True)
        else:
            print(escaped(text(), keep="\n"), flush=True)

    def note(self, sentence: str) -> None:
        """One line on stderr."""
        self.progress("")
        self.draw(f"stageboard: {concise(sentence)}\n")

    def progress(self, text: str) -> None:
        """Overwrite the progress line, on a terminal only; an empty text removes it."""
        if not self._live or text == self._shown:
            return
        text = one_line(text)[:100]
        self.draw(f"\r{text.ljust(len(self._shown))}\r{text}")
        self._shown = text

    def draw(self, text: str) -> None:
        """Put text on stderr as it is: what comes from outside must be escaped already."""
        try:
            print(text, end="", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            # What could not be written waits to be flushed at exit, which would fail once more and change the status.
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, sys.stderr.fileno())
                os.close(nowhere)


def plain(value: Any) -> Any:
    """``value`` as JSON knows it: numpy numbers become numbers, what is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    number = float(value)
    return number if math.isfinite(number) else None
