"""Whether Qt can work here, found out before Qt ends the process over it, and said in a sentence."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.errors import StageboardError

if TYPE_CHECKING:
    from PySide6.QtCore import QtMsgType
    from PySide6.QtWidgets import QApplication

HEADLESS_HINT = "run 'stageboard demo --headless' for the tour without a window"


class DisplayError(StageboardError):
    """There is no display, or Qt cannot be loaded."""


def check_qt() -> None:
    """Import the Qt that drawing needs. Raises :class:`DisplayError` where system libraries are missing."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        raise DisplayError(_missing(str(error))) from error


def check_display(environment: Mapping[str, str] = os.environ, hint: str = "") -> None:
    """Make sure that a window can be opened; ``hint`` says what to do where it cannot. Raises :class:`DisplayError`.

    Qt aborts the process when its platform plugin fails, so display and plugin are tried first. On systems other than
    Linux there is nothing to check.
    """
    if not sys.platform.startswith("linux"):
        return
    platform = environment.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
    if platform and platform not in ("xcb", "wayland"):
        return
    x11, wayland = environment.get("DISPLAY", ""), environment.get("WAYLAND_DISPLAY", "")
    if not x11 and not wayland:
        raise DisplayError(f"there is no display to open a window on; {hint or HEADLESS_HINT}")
    if platform == "wayland" or (wayland and not platform):
        return
    if not x11_answers(x11):
        raise DisplayError(f"the display '{x11}' does not answer; start it, or {hint or HEADLESS_HINT}")
    plugin = _plugin("libqxcb.so")
    if plugin is not None:
        try:
            ctypes.CDLL(str(plugin))
        except OSError as error:
            raise DisplayError(_missing(str(error), _lacking(plugin))) from error


def x11_answers(display: str) -> bool:
    """Whether something listens for an X11 display such as ``:0`` or ``host:10.0``; unusual names count as fine."""
    match = re.fullmatch(r"(?:unix)?([^:/]*):(\d+)(?:\.\d+)?", display)
    if match is None:
        return ":" in display
    host, number = match[1], int(match[2])
    addresses: list[tuple[int, Any]] = []
    if not host:
        name = f"/tmp/.X11-unix/X{number}"
        addresses = [(socket.AF_UNIX, f"\0{name}"), (socket.AF_UNIX, name)]
    else:
        addresses = [(socket.AF_INET, (host, 6000 + number))]
    for family, address in addresses:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.settimeout(2.0)
                probe.connect(address)
                return True
        except OSError:
            continue
    return False


def _plugin(name: str) -> Path | None:
    spec = importlib.util.find_spec("PySide6")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        plugin = Path(place) / "Qt" / "plugins" / "platforms" / name
        if plugin.is_file():
            return plugin
    return None


def _lacking(library: Path) -> list[str]:
    """All shared libraries that a library needs and that are missing: the linker itself names one at a time. None where nothing tells."""
    try:
        told = subprocess.run(
            ["ldd", str(library)], capture_output=True, text=True, timeout=5.0, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return list(dict.fromkeys(re.findall(r"^\s*(\S+) => not found", told, re.MULTILINE)))


def _missing(error: str, lacking: Sequence[str] = ()) -> str:
    """What to do about a shared library that the dynamic linker does not find, and about all others that are ``lacking``."""
    library = re.search(r"([\w.+-]+\.so[\w.]*)", error)
    if library is None:
        return f"Qt cannot be loaded ({error}); run 'make run', which installs what is missing"
    if len(lacking) > 1:
        names = f"{', '.join(lacking[:-1])} and {lacking[-1]}"
        return (
            f"Qt needs the system libraries {names}, which are missing; run 'make run', which installs them, or install"
            " the packages that bring them"
        )
    return (
        f"Qt needs the system library {library[1]}, which is missing; run 'make run', which installs it, or install the"
        " package that brings it"
    )


def offscreen() -> None:
    """Draw without a display from here on, unless a Qt platform was chosen already."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def application() -> QApplication:
    """The application object, made where there is none."""
    from PySide6.QtCore import qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance()
    if app is None:
        app = QApplication(["stageboard"])
        if app.platformName() == "offscreen":
            qInstallMessageHandler(_without_known)
    assert isinstance(app, QApplication)
    return app


def _without_known(kind: QtMsgType, context: object, text: str) -> None:
    """Pass Qt's messages on, except that the offscreen platform cannot do what no picture needs."""
    if not text.startswith("This plugin does not support"):
        print(text, file=sys.stderr)
