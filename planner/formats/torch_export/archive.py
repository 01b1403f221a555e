"""The program in a ``.pt2`` archive: a zip file with one JSON text among tensor data, which stay unread.

torch 2.8 and later write ``models/NAME.json`` under a folder of the archive's name, beside ``archive_format``; torch before that
``serialized_exported_program.json`` at the top. Weights, constants and sample inputs lie in members of their own, some of them pickles:
no other member is opened.
"""

from __future__ import annotations

import os
from typing import Any

from planner.errors import ModelError
from planner.files import JSON_LIMIT, parse_json
from planner.formats.archives import Archive
from planner.formats.torch_export.records import Program
from planner.printable import clean
from planner.typed_json import typed

LEGACY = "serialized_exported_program.json"
_MODELS = "models/"
_KNOWN_SCHEMAS = range(5, 9)


def is_program(names: tuple[str, ...]) -> bool:
    """Whether an archive with members of these names holds an exported program."""
    return bool(_programs(names)) or any(name.rpartition("/")[2] == "archive_format" for name in names)


def load(path: str | os.PathLike[str]) -> Program:
    """The program in a file. Raises :class:`ModelError`."""
    with Archive(path) as archive:
        found = _programs(archive.names)
        if not found:
            raise ModelError(f"{archive.file} {_instead(archive.names)}")
        if len(found) > 1:
            named = ", ".join(clean(name.rpartition("/")[2])[:40] for name in found[:4])
            raise ModelError(
                f"{archive.file} holds several programs ({named}); save the one to plan by itself, with torch.export.save"
            )
        # Arguments of operators may be infinite (what attention is masked with); torch writes them as Python does.
        value = parse_json(archive.text(found[0], JSON_LIMIT), archive.file, finite=False)
    _check_version(value, archive.file)
    return typed(value, Program, f"{archive.file}: its program")


def _programs(names: tuple[str, ...]) -> list[str]:
    """The members that are programs; at most one folder stands before their names."""
    found = []
    for name in names:
        inner = name.partition("/")[2]
        if LEGACY in (name, inner) or any(
            n.startswith(_MODELS) and n.endswith(".json") and n.count("/") == 1 for n in (name, inner)
        ):
            found.append(name)
    return found


def _instead(names: tuple[str, ...]) -> str:
    """What an archive without a program is, and what to do."""
    lasts = {name.rpartition("/")[2] for name in names}
    if "constants.pkl" in lasts or "code" in {part for name in names for part in name.split("/")[:-1]}:
        return "is a TorchScript archive, which is not read; save the model with torch.export.save or as ONNX"
    if "data.pkl" in lasts:
        return "holds weights without a graph; save the model with torch.export.save or as ONNX"
    if any("aotinductor" in name for name in names):
        return "holds compiled code and no graph; save the exported program with torch.export.save"
    return "holds no exported program; save it with torch.export.save"


def _check_version(value: Any, file: str) -> None:
    version = value.get("schema_version") if isinstance(value, dict) else None
    major = version.get("major") if isinstance(version, dict) else version
    if isinstance(major, int) and not isinstance(major, bool) and major not in _KNOWN_SCHEMAS:
        raise ModelError(
            f"{file} has version {clean(str(major))[:20]} of PyTorch's export schema; versions {_KNOWN_SCHEMAS[0]} to"
            f" {_KNOWN_SCHEMAS[-1]} are read, so save it with another torch"
        )
