"""A process that is killed in the middle of a save leaves the old file or the new one, and nothing else after the next start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SOME = ("plan.json", "told/told.story.json", "onnx-stages")
"""A file, files that are written together, and a folder; ``python -m tests.gui.kill_saves`` tries all."""


@pytest.mark.timeout(900)  # many starts of a program
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs the system's own limit of a file's size"
)
def test_some_writers_are_killed_at_every_moment() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gui.kill_saves", *SOME],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found = re.search(r"(\d+) kills, 0 failures", done.stdout)
    assert found is not None and int(found[1]) >= 5 * len(SOME)


def careless(place: Path) -> None:
    place.write_bytes(b"new" * 1000)


def untidy(place: Path) -> None:
    beside = place.with_name(".mine.tmp")
    beside.write_bytes(b"new" * 1000)
    os.replace(beside, place)


def test_the_driver_sees_what_is_torn_and_what_is_left(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.gui import test_kill_saves as own; from tests.gui.kill_saves import try_writer;"
        "print(*try_writer(getattr(own, sys.argv[1]), 'file', Path(sys.argv[2]))[1], sep='\\n')"
    )
    for write, said in (
        ("careless", "neither the old one nor the new one"),
        ("untidy", ".mine.tmp'] is left"),
    ):
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            done = subprocess.run(
                [sys.executable, "-c", program, write, folder], capture_output=True, text=True, timeout=300, check=True,
            )  # fmt: skip
        assert said in done.stdout
