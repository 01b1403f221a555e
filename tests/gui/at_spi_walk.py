"""Walks the window as Orca does, over D-Bus: run by the system's Python (which has gi) inside ``dbus-run-session``.

``at_spi_walk.py LAUNCHER PRESS COMMAND...`` starts a virtual screen, the accessibility bus and the program, waits until
something whose name begins with PRESS is there, presses it, and prints all it met as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import gi  # type: ignore[import-not-found, unused-ignore]

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # type: ignore[import-not-found, unused-ignore]  # noqa: E402

PATIENCE = 60.0
STATES = ("FOCUSED", "SELECTED", "SELECTABLE", "SHOWING")


def walk(face: Any, depth: int = 0) -> list[dict[str, Any]]:
    """Everything below a face."""
    states, place = face.get_state_set(), (0, 0, 0, 0)
    if "Component" in face.get_interfaces():
        box = Atspi.Component.get_extents(face, Atspi.CoordType.SCREEN)
        place = (box.x, box.y, box.width, box.height)
    found = [{
        "depth": depth, "role": face.get_role_name(), "name": face.get_name(), "rect": place,
        "states": [name.lower() for name in STATES if states.contains(getattr(Atspi.StateType, name))],
        "actions": "Action" in face.get_interfaces() and Atspi.Action.get_n_actions(face),
    }]  # fmt: skip
    for i in range(face.get_child_count()):
        child = face.get_child_at_index(i)
        if child is not None:
            found += walk(child, depth + 1)
    return found


def find(face: Any, name: str) -> Any:
    """The first item called so; None where there is none."""
    if face.get_role_name() == "list item" and face.get_name().startswith(name):
        return face
    for i in range(face.get_child_count()):
        child = face.get_child_at_index(i)
        found = None if child is None else find(child, name)
        if found is not None:
            return found
    return None


def wait_for(name: str, program: subprocess.Popen[bytes]) -> tuple[Any, Any]:
    """The program and an item on it, once both are there."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and program.poll() is None:
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            root = desktop.get_child_at_index(i)
            found = None if root is None else find(root, name)
            if found is not None:
                return root, found
        time.sleep(0.5)
    raise SystemExit(f"there is no '{name}' (the program ended with {program.poll()})")


def main(launcher: str, press: str, command: list[str]) -> None:
    """See above."""
    reading, writing = os.pipe()
    quiet = subprocess.DEVNULL
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[writing], stderr=quiet,
    )  # fmt: skip
    started = [screen]
    try:
        os.close(writing)
        with os.fdopen(reading) as told:
            os.environ["DISPLAY"] = ":" + told.readline().strip()
        os.environ |= {"QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
        started.append(subprocess.Popen([launcher, "--launch-immediately"], stdout=quiet, stderr=quiet))
        program = subprocess.Popen(command, start_new_session=True, stdout=quiet)
        try:
            root, item = wait_for(press, program)
            Atspi.Action.do_action(item, 0)
            time.sleep(1.0)
            print(json.dumps(walk(root)))
        finally:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
