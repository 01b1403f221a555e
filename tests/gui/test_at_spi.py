"""The window over the bus that screen readers use, where this machine has one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = "/usr/bin/python3"
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
HAS_ATSPI = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"


def missing() -> str:
    """What this machine lacks; empty: nothing."""
    for program in ("dbus-run-session", "Xvfb", PYTHON):
        if shutil.which(program) is None:
            return program
    if not any(Path(launcher).exists() for launcher in LAUNCHERS):
        return "at-spi2-core"
    if subprocess.run([PYTHON, "-c", HAS_ATSPI], capture_output=True, check=False).returncode:
        return "gi with Atspi for the system's Python"
    return ""


def walked(tmp_path: Path, press: str, *command: str) -> list[dict[str, Any]]:
    """What a screen reader meets in a program after it pressed something."""
    lacks = missing()
    if lacks:
        pytest.skip(f"there is no {lacks} here")
    launcher = next(launcher for launcher in LAUNCHERS if Path(launcher).exists())
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    done = subprocess.run(
        ["dbus-run-session", "--", PYTHON, str(Path(__file__).with_name("at_spi_walk.py")), launcher, press, *command],
        capture_output=True, text=True, timeout=110, cwd=ROOT, check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
    )  # fmt: skip
    if "Could not load the Qt platform plugin" in done.stderr:
        pytest.skip("Qt has no virtual screen here")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])  # the bus may say a word before
    return found


def test_a_screen_reader_finds_and_presses_what_is_painted(tmp_path: Path) -> None:
    sample = str(ROOT / "sample_models" / "resnet50.json")
    nodes = walked(tmp_path, "conv1_conv,", sys.executable, "-m", "gui", sample)
    canvas = next(node for node in nodes if node["role"] == "canvas")
    on_it = takewhile(lambda node: node["depth"] > canvas["depth"], nodes[nodes.index(canvas) + 1 :])
    ops = [node for node in on_it if node["depth"] == canvas["depth"] + 1 and node["role"] == "list item"]
    assert len(ops) == 177
    x, y, w, h = canvas["rect"]
    for op in ops:
        left, top, wide, high = op["rect"]
        assert x <= left and y <= top and left + wide <= x + w and top + high <= y + h
        assert op["actions"] == 1
    assert [op["name"].split(",")[0] for op in ops if "selected" in op["states"]] == ["conv1_conv"]
    cards = [
        node["name"] for node in nodes if node["role"] == "list item" and node["name"].startswith("Stage ")
    ]
    assert [name.split(",")[0] for name in cards] == ["Stage 0", "Stage 1", "Stage 2", "Stage 3"]
    buttons = [node for node in nodes if node["role"] == "push button" and "showing" in node["states"]]
    assert buttons and all(node["name"] for node in buttons)
