"""Damage files of every format and read them: ``python tools/fuzz_readers.py --count 200 --format all``.

Whatever a file holds, reading it gives a result or one sentence: a :class:`planner.errors.StageboardError` on one line,
without control characters, of at most 500 characters, that names the file and was foreseen. Anything else is a failure, as is
a file that takes longer than ten seconds. A tenth of the files also goes through the command line, which must end with status
0, 1 or 2 and print nothing that a terminal would obey. Failures are kept in a folder, with their traceback beside them; the same
seed damages the same files. Exit status 1: something failed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from planner.errors import StageboardError  # noqa: E402
from planner.printable import LONGEST_SENTENCE, UNPRINTABLE  # noqa: E402
from tools.fuzz_forms import FORMS, Form  # noqa: E402

SECONDS = 10.0
"""How long reading a damaged file may take."""
MEMORY = 6 << 30
"""Bytes of address space that all of this may take."""


class Overdue(BaseException):
    """Reading took longer than :data:`SECONDS`. No :class:`Exception`, so that no reader takes it for its own."""


@dataclass
class Tally:
    """How the files of a format fared."""

    read: int = 0
    refused: int = 0
    commands: int = 0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)


# ---------------------------------------------------------------------- trying
def try_format(form: Form, count: int, seed: int, folder: Path, keep: Path | None = None) -> Tally:
    """Damage ``count`` files of a format in ``folder`` and read them; what fails is kept in ``keep``."""
    folder.mkdir(parents=True, exist_ok=True)
    wholes = form.seeds(folder)
    tally = Tally()
    for whole in wholes:  # what is whole must be read, or nothing of what follows would mean anything
        path = folder / f"whole{form.suffix}"
        path.write_bytes(form.whole(whole))
        form.read(path)
    for number in range(count):
        rng = random.Random(f"{form.name} {seed} {number}")
        path = folder / f"damaged-{number}{form.suffix}"
        path.write_bytes(form.damage(wholes[number % len(wholes)], rng))
        began = time.process_time()
        found = list(_tried(form, path, number % 10 == 0, tally))
        tally.slowest = max(tally.slowest, time.process_time() - began)
        for what, detail in found:
            tally.failures.append(f"{path.name}: {what}")
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                kept = keep / f"{form.name}-{seed}-{number}{form.suffix}"
                kept.write_bytes(path.read_bytes())
                kept.with_name(f"{kept.name}.txt").write_text(
                    f"{what}\n\n{detail}", "utf-8", "backslashreplace"
                )
        path.unlink()
    return tally


def _tried(form: Form, path: Path, by_command: bool, tally: Tally) -> Iterator[tuple[str, str]]:
    """(what failed, its traceback or output) of one damaged file."""
    try:
        with _limited(), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            form.read(path)
        tally.read += 1
    except StageboardError as error:
        tally.refused += 1
        sentence = str(error)
        for what in faults(sentence, path.stem if form.names_file else ""):  # a graph is called by its stem
            yield f"{what}: {sentence[:LONGEST_SENTENCE]!r}", "".join(traceback.format_exception(error))
    except (Exception, Overdue) as error:
        yield f"{type(error).__name__}: {error}"[:200], "".join(traceback.format_exception(error))
    for warning in warned:  # two lines on a terminal that nobody asked for
        yield f"a warning: {warning.message}"[:200], str(warning)
    if by_command and form.command is not None:
        tally.commands += 1
        yield from _commanded(form.command(path))


def _commanded(arguments: list[str]) -> Iterator[tuple[str, str]]:
    from planner.cli import main

    out, err = io.StringIO(), io.StringIO()
    status: int | None = None
    try:
        with _limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
    except (Exception, Overdue) as error:
        yield (
            f"{' '.join(arguments)}: {type(error).__name__}: {error}"[:300],
            "".join(traceback.format_exception(error)),
        )
        return
    printed = f"{out.getvalue()}\n{err.getvalue()}"
    if status not in (0, 1, 2):
        yield f"status {status} of {' '.join(arguments)}", printed
    if UNPRINTABLE.search(printed.replace("\n", "")):
        yield f"control characters printed by {' '.join(arguments)}", printed
    if status == 2 and err.getvalue().count("\n") != 1:
        yield f"{err.getvalue().count(chr(10))} lines of {' '.join(arguments)}", printed
    if "not foreseen" in printed:
        yield f"not foreseen by {' '.join(arguments)}", printed


def faults(sentence: str, name: str = "") -> Iterator[str]:
    """What is wrong with a sentence that should name ``name``."""
    if UNPRINTABLE.search(sentence):
        yield "control characters in a sentence"
    if len(sentence) > LONGEST_SENTENCE:
        yield f"a sentence of {len(sentence)} characters"
    if "not foreseen" in sentence:
        yield "an error that was not foreseen"
    if "memory that there is" in sentence:
        yield "memory did not suffice"
    if name not in sentence:
        yield "a sentence that does not name its file"


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise :class:`Overdue` where what follows takes longer than :data:`SECONDS` of this process's time."""

    def late(*_: object) -> None:
        raise Overdue(f"more than {SECONDS:g} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main(argv: Sequence[str] | None = None) -> int:
    """Try the formats that the arguments name and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200, help="damaged files of each format (default 200)")
    parser.add_argument(
        "--format", action="append", choices=["all", *FORMS], help="may be repeated (default: all)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="folder for what fails")
    args = parser.parse_args(argv)
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    os.environ.setdefault("STAGEBOARD_TRACEBACK", "1")
    chosen = args.format or ["all"]
    failed = 0
    print(
        f"{'format':18}{'files':>7}{'read':>7}{'refused':>9}{'commands':>10}{'slowest':>10}{'failures':>10}"
    )
    with tempfile.TemporaryDirectory(prefix="stageboard-fuzz-") as folder:
        for name in FORMS if "all" in chosen else chosen:
            tally = try_format(FORMS[name], args.count, args.seed, Path(folder) / name, args.failures)
            failed += len(tally.failures)
            row = f"{args.count:7}{tally.read:7}{tally.refused:9}{tally.commands:10}{tally.slowest:9.2f}s{len(tally.failures):10}"
            print(f"{name:18}{row}", flush=True)
            for what, times in Counter(failure.partition(": ")[2] for failure in tally.failures).most_common(
                10
            ):
                print(f"    {times} x {what[:220]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
