"""The list of commands, and the one door through which each of them runs."""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Callable, Sequence

from planner import __version__
from planner.cli.command import BAD_INPUT, DONE, Command, Console, Parser, UsageError
from planner.errors import StageboardError
from planner.guard import loading_trouble
from planner.printable import one_line

COMMANDS: tuple[Command, ...] = (
    Command("info", "say what a model holds", "planner.cli.info"),
    Command("planners", "list the planners and what they can do", "planner.cli.planners"),
    Command("profile", "measure how long a model's ops take", "planner.cli.profile"),
    Command("machines", "list the machines that --machine names, or forget one", "planner.cli.machines"),
    Command("calibrate", "make a machine of your own from measured times", "planner.cli.calibrate"),
    Command("plan", "find a plan for one model or several", "planner.cli.plan"),
    Command("race", "let several planners race, sharing what they find", "planner.cli.race"),
    Command("replay", "find a plan again from its provenance", "planner.cli.replay"),
    Command("bound", "prove a lower bound", "planner.cli.bound"),
    Command("evaluate", "evaluate a plan again from nothing", "planner.cli.evaluate"),
    Command("robust", "say how sure a plan is when op times are not", "planner.cli.robust"),
    Command("repair", "make a valid plan near one that breaks rules", "planner.cli.repair"),
    Command("run", "run a plan's stages for real, measured beside predicted", "planner.cli.run"),
    Command("export", "write a plan in another format", "planner.cli.export"),
    Command("generate", "make up a graph or a sparse network", "planner.cli.generate"),
    Command("infer", "run a sparse network in the order of a plan", "planner.cli.infer"),
    Command("train", "train the learned policy of multi-chip modules", "planner.cli.learning.train"),
    Command("sweep", "plan many problems, resumable", "planner.cli.sweep"),
)
"""The commands that need no window."""

TRACEBACK = "STAGEBOARD_TRACEBACK"
"""Environment variable: if it is set, an error that was not foreseen shows where it happened instead of a sentence."""
_NO_MEMORY = ("cannot allocate memory", "could not find/load shared object", "failed to map segment")
"""What the system and llvmlite say where libraries find no memory to be loaded into."""
INTERRUPTED = 130
"""The shells' own status for a program that was ended by Ctrl-C before it had anything to show."""


def main(argv: Sequence[str] | None = None, more: Sequence[Command] = ()) -> int:
    """Run one command (default: the process's own arguments) and return its exit status.

    ``more`` are commands that others bring, such as those that draw.
    """
    prepare_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {command.name: command for command in (*COMMANDS, *more)}
    if not arguments or arguments[0] in ("-h", "--help"):
        print(overview(list(commands.values())))
        return DONE
    if arguments[0] in ("-V", "--version"):
        print(f"stageboard {__version__}")
        return DONE
    console = Console()

    def run() -> int:
        if arguments[0] not in commands:
            raise UsageError(unknown_command(arguments[0], list(commands)))
        return _run(commands[arguments[0]], arguments[1:], console)

    return status_of(arguments[0], run, console)


def status_of(command: str, run: Callable[[], int], console: Console) -> int:
    """The exit status of ``run``; whatever it raises becomes one sentence on standard error."""
    try:
        return run()
    except StageboardError as error:
        console.note(str(error))
        return BAD_INPUT
    except BrokenPipeError:
        # The reader of our output has gone (`| head`). Nothing may be flushed into the broken pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        console.note("interrupted; nothing was written")
        return INTERRUPTED
    except Exception as error:
        sentence = _sentence(command, error)
        if not sentence and os.environ.get(TRACEBACK):
            raise
        console.note(sentence or _unforeseen(command, error))
        return BAD_INPUT


def prepare_streams() -> None:
    """Make standard output and error take any text: what their encoding lacks is escaped, and a closed one swallows all."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            # Closed by the caller. Left so, the next file to be opened would take its number, and what libraries print.
            handle = os.open(os.devnull, os.O_WRONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115 - as long as we run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _sentence(command: str, error: Exception) -> str:
    """What to say about an error that may be expected of any command; empty for others."""
    words = str(error)
    if isinstance(error, MemoryError) or any(said in words.lower() for said in _NO_MEMORY):
        return "there is not enough memory for this problem; choose a smaller one or another planner"
    if isinstance(error, OSError):
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return f"{where}{(error.strerror or words).lower()}; check the path and its permissions"
    if isinstance(error, UnicodeEncodeError) and "surrogates" in words:
        return f"{command}: a name is not UTF-8 and cannot be written to a file; rename the file or folder"
    if trouble := loading_trouble(error):
        return f"{command} cannot be done here: {trouble}"
    return ""


def _unforeseen(command: str, error: Exception) -> str:
    return (
        f"{command} ended in a way that was not foreseen ({type(error).__name__}: {one_line(str(error))[:160]}); this is a"
        f" mistake in Stageboard: run it again with {TRACEBACK}=1 and report what it says"
    )


def _run(command: Command, arguments: Sequence[str], console: Console) -> int:
    module = command.load()
    parser = Parser(command)
    module.configure(parser)
    try:
        args = parser.parsed(arguments)
    except SystemExit:  # --help has been printed
        return DONE
    console.as_json = args.json
    with console.telling_of_compiling():
        return module.run(args, console)


ELSEWHERE = {
    "check": "evaluate", "show": "evaluate", "verify": "evaluate", "cost": "evaluate", "partition": "plan", "split": "plan", "optimize": "plan",
    "draw": "render", "plot": "render", "diff": "compare", "inspect": "info", "measure": "profile", "fix": "repair", "simulate": "evaluate",
}  # fmt: skip
"""What other programs call a command of ours."""


def unknown_command(word: str, names: Sequence[str]) -> str:
    """What to say about a first word that is no command."""
    near = [ELSEWHERE[word]] if ELSEWHERE.get(word) in names else difflib.get_close_matches(word, names, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(names)}"
    return f"there is no command '{word}'; {hint}"


def overview(commands: Sequence[Command]) -> str:
    """The text of ``stageboard --help``."""
    width = max(len(command.name) for command in commands)
    lines = [
        "Stageboard: split a neural network over several devices.",
        "",
        "  stageboard [MODEL... [PLAN]]".ljust(width + 34) + "open the window",
        "  stageboard COMMAND --help".ljust(width + 34) + "what a command takes",
        "",
        "Commands",
        *(f"  {command.name.ljust(width)}  {command.summary}" for command in commands),
        "",
        "Every command takes --json: one JSON object on standard output, everything else on standard error.",
        "Exit status: 0 done; 1 no valid plan was found, or a check failed; 2 bad input or usage.",
    ]
    return "\n".join(lines)
