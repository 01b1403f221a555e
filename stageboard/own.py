"""Whether the packages that get imported as ``planner`` and ``gui`` are Stageboard's: both names are common ones.

The package index has another ``planner``, and a folder ``gui`` beside a script hides an installed one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("planner", "gui")
MARK = "Stageboard"
"""The first word of what each of the packages says of itself, or its second: a package of that name which was installed over it does not."""


def stranger() -> str:
    """What is wrong with the packages that get imported, as a sentence; empty where they are Stageboard's. Imports no stranger that lies elsewhere."""
    if getattr(sys, "frozen", False):
        return ""  # an app brings its own, and looks nowhere else
    top = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        found = _place(name)
        if found is None:
            return f"Stageboard's package '{name}' is missing from {top}; install Stageboard again"
        if found != top / name:
            return (
                f"'{name}' gets imported from {found} and is not Stageboard's, which is in {top}; rename that folder, uninstall the"
                f" package that brought it (pip uninstall {name}), or start Python elsewhere"
            )
        try:
            ours = MARK in (import_module(name).__doc__ or "")
        except Exception:  # a stranger may do anything
            ours = False
        if not ours:
            return (
                f"another package was installed over Stageboard's '{name}' in {found}; uninstall it (pip uninstall {name}) and install"
                " Stageboard again"
            )
    return ""


def _place(name: str) -> Path | None:
    """The folder of the package that gets imported under a name; None where there is none."""
    try:
        spec = find_spec(name)
    except ValueError:  # something without a specification is in its place among the modules
        return Path(name)
    if spec is None:
        return None
    if spec.origin is not None:
        origin = Path(spec.origin).resolve()
        return origin.parent if origin.stem == "__init__" else origin
    for place in spec.submodule_search_locations or ():
        return Path(place).resolve()
    return Path(name)
