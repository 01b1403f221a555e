"""``stageboard install-desktop``: Stageboard among the programs of a Linux desktop, with its icon and the types of its files."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from gui.app.desktop_start import FROM_DESKTOP
from gui.look.assets import asset
from planner.cli.command import DONE, Console
from planner.errors import StageboardError
from planner.files import read_bytes, write_together

NAME = "stageboard"


class FileType(NamedTuple):
    """A type of files: its MIME name, what people call it, the end of its files' names, and words near the beginning of one."""

    mime: str
    title: str
    pattern: str
    words: str


TYPES = (
    FileType("application/x-stageboard-plan+json", "Stageboard plan", "*.plan.json", '"stageboard-plan"'),
    FileType("application/x-stageboard-story+json", "Stageboard story", "*.story.json", '"stageboard-story"'),
    FileType(
        "application/x-stageboard-graph+json", "Stageboard model", "*.stageboard.json", '"stageboard-graph"'
    ),
)
"""The types of Stageboard's own files. Whatever is called otherwise is told by its first bytes."""
FIRST_BYTES = 256
"""The bytes of a file in which the words of its type are looked for."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``install-desktop``."""
    parser.add_argument("--remove", action="store_true", help="take away what this command installed")
    parser.epilog = (
        "example: stageboard install-desktop\n\n"
        "For this user alone, in $XDG_DATA_HOME (usually ~/.local/share): an entry in the menu of programs, its icon, and the types of\n"
        "plans, stories and Stageboard's own model files, which a double click then opens. Run it again after the program has moved."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Write or remove the files, and let the desktop know."""
    if not sys.platform.startswith("linux"):
        raise StageboardError(
            "install-desktop is for Linux desktops; on this system make a shortcut to the program stageboard"
        )
    home = data_home()
    files = entries(home, command())
    if args.remove:
        told = [path for path in files if path.is_file()]
        for path in told:
            _remove(path)
    else:
        for path in files:
            _make_folder(path.parent)
        write_together(files)
        told = list(files)
    if told:
        _refresh(home)
    data = {"data_home": str(home), "removed": bool(args.remove), "files": [str(path) for path in told]}
    verb = "removed" if args.remove else "wrote"
    nothing = f"there was nothing to remove in {home}"
    console.result(data, lambda: "\n".join(f"{verb} {path}" for path in told) or nothing)
    return DONE


def data_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a user's programs leave data: ``$XDG_DATA_HOME`` where it is an absolute path, else ``~/.local/share``."""
    given = environment.get("XDG_DATA_HOME", "")
    return Path(given) if os.path.isabs(given) else Path.home() / ".local" / "share"


def command() -> list[str]:
    """What starts this program: its console script, else this interpreter with the package; the app itself where it is frozen."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name(NAME)
    return [str(script)] if os.access(script, os.X_OK) else [sys.executable, "-m", NAME]


def entries(home: Path, program: list[str]) -> dict[Path, str | bytes]:
    """Every file by place, with what it holds."""
    icon = read_bytes(asset("stageboard.svg"), 1 << 20)
    icons = home / "icons" / "hicolor" / "scalable"
    return {
        home / "applications" / f"{NAME}.desktop": desktop_entry(program),
        icons / "apps" / f"{NAME}.svg": icon,
        **{icons / "mimetypes" / f"{one.mime.replace('/', '-')}.svg": icon for one in TYPES},
        home / "mime" / "packages" / f"{NAME}.xml": mime_types(),
    }


def desktop_entry(program: list[str]) -> str:
    """The entry in the menu of programs, by the Desktop Entry Specification."""
    lines = [
        "[Desktop Entry]",
        "Type=Application",
        "Version=1.5",
        "Name=Stageboard",
        "GenericName=Neural Network Partitioner",
        "Comment=Split a neural network over several devices",
        f"TryExec={_text(program[0])}",
        f"Exec=env {FROM_DESKTOP}=1 {' '.join(map(_quoted, program))} %F",
        f"Icon={NAME}",
        "Terminal=false",
        "Categories=Education;Science;ArtificialIntelligence;",
        "Keywords=neural;network;partition;pipeline;placement;ONNX;TFLite;",
        f"MimeType={''.join(f'{one.mime};' for one in TYPES)}",
        f"StartupWMClass={NAME}",
        "StartupNotify=true",
    ]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A string of a desktop entry."""
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(word: str) -> str:
    """A word of a desktop entry's command: quoted, its reserved characters escaped, and that as a string."""
    inside = word.replace("%", "%%")
    for character in ("\\", '"', "`", "$"):
        inside = inside.replace(character, "\\" + character)
    return _text(f'"{inside}"')


def mime_types() -> str:
    """The types of files, by the Shared MIME-info Database."""
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">',
    ]
    for one in TYPES:
        parts += [
            f'  <mime-type type="{one.mime}">',
            f"    <comment>{escape(one.title)}</comment>",
            '    <sub-class-of type="application/json"/>',
            f'    <glob pattern="{one.pattern}" weight="60"/>',
            '    <magic priority="60">',
            f"""      <match type="string" offset="0:{FIRST_BYTES}" value='{one.words}'/>""",
            "    </magic>",
            "  </mime-type>",
        ]
    return "\n".join([*parts, "</mime-info>"]) + "\n"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StageboardError(
            f"{folder} cannot be made ({error.strerror}); check the folders above it"
        ) from error


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise StageboardError(
            f"{path} cannot be removed ({error.strerror}); check its folder's permissions"
        ) from error


def _refresh(home: Path) -> None:
    """Let the desktop read its folders again, with whatever of its tools is there; a desktop without them does so by itself."""
    for tool, folder in (
        ("update-desktop-database", home / "applications"),
        ("update-mime-database", home / "mime"),
    ):
        found = shutil.which(tool)
        if found is not None and folder.is_dir():
            subprocess.run([found, str(folder)], check=False, capture_output=True, stdin=subprocess.DEVNULL)
