"""Paths of modules as scopes of ops: what PyTorch's exporters write of the modules that an operator came from."""

from __future__ import annotations

from collections.abc import Sequence

from planner.printable import escaped


def path_of(names: Sequence[str]) -> str:
    """The names of modules, each within the one before, as one path: ``encoder.0``, ``encoder.0.norm`` as ``encoder.0/norm``."""
    parts, outer = [], ""
    for name in names:
        name = name.strip()
        if not name or name == outer:
            continue
        parts.append(name.removeprefix(f"{outer}.") if outer else name)
        outer = name
    return escaped("/".join(parts).strip("/"))
