"""A disk on which files get no larger than so many bytes, and which modules write files at all."""

from __future__ import annotations

import ast
import contextlib
import os
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACING = {
    "write_atomically", "write_together", "placing", "folder_place", "publishing", "write_file",
    "QPdfWriter", "QSvgGenerator", "QSaveFile", "QFile", "QImageWriter", "QTextStream", "QPicture",
    "write_text", "write_bytes", "savez", "savez_compressed", "tofile", "savetxt", "copyfile", "copy2", "copytree", "mkstemp",
}  # fmt: skip
"""Functions and classes that write files, or that place what was written."""
WRITING_MODES = set("wax+")


@contextlib.contextmanager
def room_for(most: int, patch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Writes beyond the first ``most`` bytes of a file are refused, also those of child processes and of libraries in C.

    Yields what gives the text that libraries wrote to standard error past Python.
    """
    patch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # a module's cut byte code would stay
    patch.setattr(sys, "dont_write_bytecode", True)
    kept = os.dup(2)
    reading, writing = os.pipe()  # pytest's own place for it is a file
    os.set_blocking(reading, False)
    os.dup2(writing, 2)
    _, hard = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    told: list[bytes] = []
    try:
        yield lambda: b"".join(told).decode()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        os.dup2(kept, 2)
        with contextlib.suppress(BlockingIOError):
            told.append(os.read(reading, 1 << 16))
        for handle in (kept, reading, writing):
            os.close(handle)


def writing_modules() -> dict[str, set[str]]:
    """Modules of ``planner`` and ``gui`` that write files, by what they call for it."""
    found: dict[str, set[str]] = {}
    for package in ("planner", "gui", "stageboard"):
        for file in sorted((ROOT / package).rglob("*.py")):
            calls = set(_writes(ast.parse(file.read_text("utf-8"))))
            if calls:
                name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                found[name] = calls
    return found


def _writes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        plain = isinstance(node.func, ast.Name)
        words = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        words += [k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)]
        modes = [word for word in words if isinstance(word, str) and len(word) <= 3]
        if (
            name in PLACING
            or (name in ("open", "fdopen") and any(WRITING_MODES & set(mode) for mode in modes))
            or (name == "open" and "os.O_WRONLY" in ast.unparse(node))
            or (name == "save" and not plain and node.args)  # of pictures; QPainter's takes nothing
        ):
            yield name
