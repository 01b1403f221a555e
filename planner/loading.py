"""Names of things in modules, ``module:name``, and loading them when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(name: str) -> Any:
    """What ``module:name`` stands for; its module is imported now if it was not yet."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
