"""What is left by processes that were killed is cleared by the next: ours, of the dead, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from planner.files import write_atomically
from planner.temporary import (
    UNFINISHED_SECONDS,
    clear,
    folder,
    name_beside,
    note_for_life,
    noted,
    temporary_folder,
)

DIES = """
import os, signal, sys
from pathlib import Path
from planner.export.stages.folder import _replace
from planner.files import placing
from planner.temporary import noted, temporary_folder
what, place = sys.argv[1], Path(sys.argv[2])
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
if what == "file":
    with placing(place) as temporary:
        temporary.write_text("half of it")
        die()
elif what == "folder":
    with temporary_folder("test") as temporary:
        (temporary / "a").write_text("a")
        die()
elif what == "server":
    from planner.processes.start import start_server
    start_server()
    die()
else:
    aside = place.with_name(".x.0123456789abcdef.old")
    with noted(place.with_name(".x.0123456789abcdef.tmp"), {aside: place}):
        os.replace(place, aside)
        die()
"""


def killed(what: str, place: Path, temporary: Path) -> None:
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", DIES, what, str(place)], env=environment, timeout=120, check=False
    )
    assert done.returncode == -signal.SIGKILL


def test_a_file_that_was_being_written(tmp_path: Path) -> None:
    place = tmp_path / "out" / "ä.json"
    place.parent.mkdir()
    place.write_text("whole")
    killed("file", place, tmp_path / "tmp")
    left = [path.name for path in place.parent.iterdir()]
    assert len(left) == 2 and place.read_text() == "whole"
    assert len(clear()) == 1
    assert [path.name for path in place.parent.iterdir()] == ["ä.json"] and place.read_text() == "whole"
    assert list(folder().iterdir()) == [] and clear() == []


@pytest.mark.parametrize("what", ["folder", "server"])
def test_folders_of_processes(tmp_path: Path, what: str) -> None:
    # Not in the test's own folder: the path of a socket has some hundred characters at most.
    with tempfile.TemporaryDirectory(prefix="sb-") as short:
        killed(what, tmp_path, Path(short))
        (found,) = Path(short).iterdir()
        assert clear() == [found]
        assert list(Path(short).iterdir()) == []


def test_what_only_stepped_aside_goes_back(tmp_path: Path) -> None:
    place = tmp_path / "stages"
    place.mkdir()
    (place / "a").write_text("a")
    killed("aside", place, tmp_path / "tmp")
    assert not place.exists()
    clear()
    assert (place / "a").read_text() == "a" and not place.with_name(".x.0123456789abcdef.old").exists()


def test_the_next_process_that_writes_clears(tmp_path: Path) -> None:
    killed("file", tmp_path / "a.json", tmp_path / "tmp")
    assert len(list(tmp_path.glob(".a.json.*.tmp"))) == 1
    program = "import sys; from planner.files import write_atomically; write_atomically(sys.argv[1], 'b')"
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "b.json")], check=True, timeout=120)
    assert list(tmp_path.glob(".*.tmp")) == [] and (tmp_path / "b.json").read_text() == "b"


def test_what_the_living_write_stays(tmp_path: Path) -> None:
    place = name_beside(tmp_path / "a")
    with noted(place):
        place.write_text("")
        assert clear() == [] and place.exists()
    with temporary_folder("test") as made:
        assert clear() == [] and made.stat().st_mode & 0o777 == 0o700
    assert not made.exists() and list(folder().iterdir()) == []


def test_only_ours_is_cleared(tmp_path: Path) -> None:
    folder().mkdir(parents=True)
    precious, link = tmp_path / "precious", tmp_path / ".l.0123456789abcdef.tmp"
    precious.mkdir()
    link.symlink_to(precious)
    file = precious / "file"
    file.write_text("x")
    named = {str(path): "" for path in (precious, link, file, "/", "relative", tmp_path / "a\0b")}
    (folder() / "1.json").write_text(json.dumps(named))
    for number, text in enumerate(('{"a"', "[]", "3", '{"a": 3}', "[" * 5000), start=2):
        (folder() / f"{number}.json").write_text(text)
    (folder() / "9.json").symlink_to(file)
    assert clear() == []
    assert file.read_text() == "x" and link.is_symlink()
    assert [path.name for path in folder().iterdir()] == ["9.json"]


def test_an_empty_note_may_be_about_to_be_written() -> None:
    folder().mkdir(parents=True)
    note = folder() / "1.json"
    note.touch()
    clear()
    assert note.exists()
    past = time.time() - UNFINISHED_SECONDS - 1
    os.utime(note, (past, past))
    clear()
    assert not note.exists()


def test_without_a_place_for_notes_one_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "state"))
    write_atomically(tmp_path / "a", "a")
    note_for_life(tmp_path / "b")
    assert (tmp_path / "a").read_text() == "a"


def test_names_fit_beside_the_longest(tmp_path: Path) -> None:
    longest = tmp_path / ("\N{GRINNING FACE}" * 63)
    assert write_atomically(longest, "a").read_text() == "a"
