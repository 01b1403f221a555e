"""Kills a process in the middle of each save: what was there, or what was to be, is whole, and nothing is left after the next start.

``python -m tests.gui.kill_saves`` tries every writer at every moment; the tests try some. Moments are the system calls that make,
move and flush files, and bytes of the largest file beyond which the system ends the process.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOM_FOR_NOTES = 1024
"""Bytes that a note of a temporary file may have: nobody can tell what is left of a process that has no room for one."""
EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.link")
"""What Python tells its audit hooks of the calls that change folders."""


def killed_at(write: Callable[[], object], folder: Path, moment: int) -> tuple[bool, int]:
    """Write in a forked process that is killed before the ``moment``-th change in ``folder``.

    Returns whether it was, and its exit status.
    """

    def arm() -> None:
        seen = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event not in EVENTS or not _changes(event, arguments, folder):
                return
            if seen == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

        sys.addaudithook(hook)
        flush = os.fsync

        def fsync(handle: int) -> None:
            hook("os.rename", (str(folder),))
            flush(handle)

        os.fsync = fsync

    status = _forked(write, arm)
    return os.WIFSIGNALED(status), status


def killed_beyond(write: Callable[[], object], size: int) -> tuple[bool, int]:
    """Write in a forked process that the system ends in the middle of a write, before the byte ``size`` of a file."""

    def arm() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    status = _forked(write, arm)
    return os.WIFSIGNALED(status), status


def _changes(event: str, arguments: tuple[object, ...], folder: Path) -> bool:
    if event == "open":
        mode, flags = arguments[1], arguments[2]
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR)) if isinstance(flags, int) else "w" in str(mode)
        return writes and str(arguments[0]).startswith(str(folder))
    return any(str(one).startswith(str(folder)) for one in arguments[:2])


def _forked(write: Callable[[], object], arm: Callable[[], None]) -> int:
    child = os.fork()
    if not child:
        status = 1
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            arm()
            write()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def try_writer(
    write: Callable[[Path], object], name: str, folder: Path, also: Sequence[str] = (), most: int = 1000
) -> tuple[int, list[str]]:
    """Kill a save of ``name`` in ``folder`` over an old one at up to ``most`` moments. Returns how many kills, and what was wrong."""
    from planner.temporary import clear

    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    kills, wrong = 0, []
    if _forked(lambda: write(place), lambda: None):
        return 0, [f"{name}: cannot be written at all"]
    new = contents(folder)
    largest = max(map(len, new.values()))
    is_folder = place.is_dir()

    def begin() -> dict[str, bytes]:
        for one in folder.iterdir():
            shutil.rmtree(one) if one.is_dir() else one.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        if not is_folder:
            place.write_bytes(b"what was there before")
        return contents(folder)

    def judge(moment: str, old: dict[str, bytes]) -> None:
        clear()
        for file in (name, *also):
            now = {
                key: value
                for key, value in contents(folder).items()
                if key == file or key.startswith(f"{file}/")
            }
            before = {key: value for key, value in old.items() if key == file or key.startswith(f"{file}/")}
            after = {key for key in new if key == file or key.startswith(f"{file}/")}
            whole = set(now) == after and all(len(value) >= 0.5 * len(new[key]) for key, value in now.items())
            if now != before and not whole:
                wrong.append(
                    f"{name}, {moment}: {file} is neither the old one nor the new one ({sorted(now)})"
                )
        left = [
            key
            for key in contents(folder)
            if Path(key).name.startswith(".") or ".tmp" in key or ".old" in key
        ]
        empty = [str(path) for path in folder.rglob(".*") if path.is_dir()]
        if left or empty:
            wrong.append(f"{name}, {moment}: {left + empty} is left")

    for moment in range(most):
        old = begin()
        killed, status = killed_at(lambda: write(place), folder, moment)
        if not killed:
            if status:
                wrong.append(f"{name}, change {moment}: status {os.WEXITSTATUS(status)}")
            break
        kills += 1
        judge(f"change {moment}", old)
    for size in [int(share * largest) for share in (0, 0.3, 0.7, 0.99)][:most]:
        if 0 < size < ROOM_FOR_NOTES:
            continue
        old = begin()
        killed, _ = killed_beyond(lambda size=size: write(place), size)  # type: ignore[misc]
        kills += killed
        judge(f"byte {size}", old)
    return kills, wrong


def main() -> int:
    """Try the writers that the arguments name, or all."""
    from gui.look.display import application
    from tests.gui.test_full_disk import WRITERS, make_folder

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    kills, failed = 0, 0
    with tempfile.TemporaryDirectory(prefix="stageboard-kills-") as name:
        top = Path(name)
        os.environ["XDG_STATE_HOME"] = str(top / "state")
        (top / "models").mkdir()
        # In a process of its own: what is forked later has no threads and no application.
        if os.waitstatus_to_exitcode(_forked(lambda: make_folder(top / "models"), lambda: None)):
            print("the models cannot be made")
            return 1
        for number, writer in enumerate(WRITERS):
            if given.names and writer.name not in given.names:
                continue
            out = top / f"out-{number}"

            def write(place: Path, writer: object = writer) -> None:
                if writer.call is not None:  # type: ignore[attr-defined]
                    application()  # commands make their own
                if writer.write(top / "models", place):  # type: ignore[attr-defined]
                    raise RuntimeError

            done, wrong = try_writer(write, writer.name, out, writer.also)
            kills, failed = kills + done, failed + len(wrong)
            print(f"{writer.name:28}{done:5} kills", *wrong, sep="\n    " if wrong else "", flush=True)
    print(f"{kills} kills, {failed} failures")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
