"""Names of things in modules, ``module:name`` (or ``module:Class.method``), and loading them when they are asked for; modules in small steps."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any

OWN = __name__.partition(".")[0]
IMPORT = re.compile(r"^from ([\w.]+) import ", re.MULTILINE)
"""What stands at a module's top; what is indented is imported late, or for types alone."""


def load(name: str) -> Any:
    """What ``module:name`` stands for; its module is imported now if it was not yet."""
    module, _, attribute = name.partition(":")
    return attrgetter(attribute)(import_module(module))


@dataclass(frozen=True)
class Named:
    """A function, ``module:name``, whose module is imported when it is called: a process can be handed it by one that never calls it."""

    name: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it."""
        return load(self.name)(*arguments, **named)


def first_step(module: str) -> str:
    """What to import first for a module that is not there yet, for who may not wait for all that it needs: the one of its package, or
    of this one, that it needs and that has all it needs itself; in the end the module."""
    return _step(module, set()) or module


def _step(module: str, seen: set[str]) -> str:
    """Empty where the module is there, or was looked at before (modules may need one another)."""
    if module in sys.modules or module in seen:
        return ""
    seen.add(module)
    for needed in _needed(module):
        if step := _step(needed, seen):
            return step
    return module


@cache
def _needed(module: str) -> tuple[str, ...]:
    """What a module imports at its top of its own package and of this one; nothing where its source is not at hand."""
    try:
        spec = find_spec(module)
        source = Path(spec.origin or "").read_text(encoding="utf-8") if spec is not None else ""
    except (ImportError, OSError, ValueError):
        return ()
    ours = (module.partition(".")[0], OWN)
    return tuple(name for name in IMPORT.findall(source) if name.partition(".")[0] in ours)
