"""PySide's features (names in snake_case, say): none of our modules asks for one, and PySide need not read them all to see that.

Once Qt is there PySide looks through the source of every module that is imported: of the window's hundreds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

KNOWN = ("shibokensupport.feature", "pyside_feature_dict")
"""Where PySide notes the features of modules that it has looked through. Where that is elsewhere it reads them, and all works as well."""
NONE = 0
ROOT = Path(__file__).parents[2]
OURS = ("gui", "planner")


def no_features() -> None:
    """Tell PySide that our modules ask for none of its features. Call once Qt is imported."""
    module, name = KNOWN
    known = getattr(sys.modules.get(module), name, None)
    if isinstance(known, dict):
        for one in _modules():
            known.setdefault(one, NONE)


def _modules() -> Iterator[str]:
    """All of ours; none where they are no files."""
    start = len(str(ROOT)) + 1
    for room in OURS:
        for folder, inner, files in os.walk(ROOT / room):
            inner[:] = [name for name in inner if name != "__pycache__"]
            package = folder[start:].replace(os.sep, ".")
            yield package
            yield from (f"{package}.{file[:-3]}" for file in files if file.endswith(".py"))
