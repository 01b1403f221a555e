"""The ``stageboard`` command: the window, the commands that draw, and the commands of :mod:`planner.cli`.

Qt is imported only by what draws, so that ``stageboard info`` starts as fast as :mod:`planner.cli` does.
"""

from __future__ import annotations

import gc
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gui.app.desktop_start import console
from gui.shell.kinds import files_to_open
from planner.cli import COMMANDS
from planner.cli import main as run_command
from planner.cli.command import Command, UsageError
from planner.cli.main import prepare_streams, status_of

DRAWING: tuple[Command, ...] = (
    Command("render", "draw a model or a plan as PNG, SVG or PDF", "gui.present.render"),
    Command("compare", "compare two to four plans of a model", "gui.app.compare"),
    Command("story", "make a story of plans, or of a search run again", "gui.app.story"),
    Command(
        "present",
        "show a story, or write it as slides, video, animation or a web page",
        "gui.app.present",
    ),
    Command("demo", "take the guided tour, or play a story", "gui.app.demo.demo"),
    Command("install-desktop", "put Stageboard among the programs of the desktop", "gui.app.desktop"),
)
"""The commands that draw, and what concerns the desktop."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for (default: the process's own) and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    names = [command.name for command in (*COMMANDS, *DRAWING)]
    if arguments and (arguments[0] in names or arguments[0].startswith("-")):
        return run_command(arguments, DRAWING)
    prepare_streams()
    return status_of("stageboard", lambda: _open_window(arguments, names), console())


def _open_window(arguments: list[str], commands: Sequence[str]) -> int:
    arguments, density = without_density(arguments)
    arguments, times = without_times(arguments)
    story = the_story(arguments)
    if times and story is not None:
        raise UsageError(f"{story} opens its models as they are; leave --times out")
    arguments, plans = plans_to_compare(arguments)
    models, plan = ([], None) if story is not None else files_to_open(arguments, commands)
    # What is imported stays: to look for rubbish among it takes a tenth of the time.
    with uncollected():
        # Once Qt is there PySide reads the source of every module that is not ours: what has hundreds, and is needed anyway, goes before.
        import numba  # noqa: F401

        from gui.look.display import check_display, check_qt
        from gui.look.features import no_features

        check_qt()
        no_features()
        check_display()
        from gui.app.app import open_window

    return open_window(models, plan, density=density, story=story, compared=plans, times=times)


@contextmanager
def uncollected() -> Iterator[None]:
    """No collection of reference cycles meanwhile."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def the_story(arguments: Sequence[str]) -> Path | None:
    """The story among the arguments, which then is the only one; None where there is none. Raises :class:`UsageError`."""
    from planner.plan_files.plan_parts import is_story

    stories = [Path(argument) for argument in arguments if is_story(argument)]
    if stories and len(arguments) > 1:
        raise UsageError(f"{stories[0]} is a story, which brings its models and plans; open it alone")
    return stories[0] if stories else None


def plans_to_compare(arguments: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Arguments without the plans, and those, where there are several: they are compared. Raises :class:`UsageError`."""
    from planner.plan_files.plan_parts import is_plan
    from planner.reports.comparison.comparison import MOST

    plans = [Path(argument) for argument in arguments if Path(argument).is_file() and is_plan(Path(argument))]
    if len(plans) < 2:
        return list(arguments), []
    if len(plans) > MOST:
        raise UsageError(f"{len(plans)} plans are too many to compare at once; name 2 to {MOST}")
    rest = [argument for argument in arguments if Path(argument) not in plans]
    if not rest:
        raise UsageError(f"{plans[0]} and {plans[1]} are both plans; name their model before them")
    return rest, plans


def without_density(arguments: Sequence[str]) -> tuple[list[str], float | None]:
    """Arguments without ``--density D`` (dense models open as sparse networks), and D from 0 to 1 or None.

    Raises :class:`UsageError`.
    """
    rest = list(arguments)
    if "--density" not in rest:
        return rest, None
    from planner.cli.inputs import fraction

    at = rest.index("--density")
    given = rest[at + 1] if at + 1 < len(rest) else ""
    try:
        density = fraction(given)
    except ArgumentTypeError:
        density = 0.0
    if not density:
        raise UsageError(
            f"--density needs the share of the weights to keep, above 0 and at most 1; not '{given}'"
        )
    return [*rest[:at], *rest[at + 2 :]], density


def without_times(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Arguments without every ``--times [DEVICE=]FILE``, and what these name. Raises :class:`StageboardError` where it cannot be read."""
    rest, times = list(arguments), list[str]()
    while "--times" in rest:
        at = rest.index("--times")
        if at + 1 == len(rest):
            raise UsageError("--times needs a profile: FILE, or DEVICE=FILE")
        times.append(rest[at + 1])
        del rest[at : at + 2]
    if times:
        from planner.cli.inputs import measured_times

        measured_times(times)  # here, so that what is wrong with a file is said before a window opens
    return rest, times


if __name__ == "__main__":
    sys.exit(main())
