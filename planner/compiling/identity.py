"""What a kernel is, whatever file it is in: a digest of its code, its options, and of all that it uses of ours.

Numba's own cache goes by the path of a kernel's file and by its content alone: a folder that moves is compiled again, and a
change of a helper in another file goes unnoticed. This digest is the same wherever the code lies, changes with every helper
and constant, and stays as it is when only comments or docstrings change.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

OURS = ("planner", "gui")
"""Packages whose modules are looked into; of others the version counts (:mod:`planner.compiling.store`)."""


WORD = "uint64"


class Identity:
    """A kernel's ``digest`` (hexadecimal), and whether it must be compiled (``compiled_only``): it, or what it uses, has instructions
    that Python has not, or words without a sign, which wrap around in compiled code and are errors in Python."""

    def __init__(self, kernel: Dispatcher) -> None:
        self.compiled_only = False
        self._state = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._add(kernel)
        self.digest = self._state.hexdigest()

    def _say(self, *words: object) -> None:
        self._state.update("\0".join([*map(str, words), "\n"]).encode("utf-8", "surrogatepass"))

    def _add(self, value: Any) -> None:
        if isinstance(value, (Dispatcher, FunctionType, _Intrinsic)):
            if id(value) in self._seen:  # it uses itself, or is used twice
                self._say("again", self._seen[id(value)])
                return
            self._seen[id(value)] = len(self._seen)
        if isinstance(value, Dispatcher):
            self._say("kernel", sorted(value.targetoptions.items(), key=str))
            self._add_function(value.py_func)
        elif isinstance(value, _Intrinsic):
            self.compiled_only = True
            self._add_function(value._defn)
        elif isinstance(value, functools.partial):
            self._add_all("partial", [value.func, *value.args, *sorted(value.keywords.items())])
        elif isinstance(value, FunctionType):
            if value.__module__.partition(".")[0] in OURS:
                self._add_function(value)
            else:
                self._say("foreign", value.__module__, value.__qualname__)
        elif isinstance(value, (np.ndarray, np.generic)):
            self._say("array", value.dtype.str, value.shape, value.tobytes().hex())
        elif isinstance(value, (tuple, list)):
            self._add_all("sequence", value)
        elif isinstance(value, (set, frozenset)):
            self._add_all("set", sorted(value, key=repr))
        elif isinstance(value, dict):
            self._add_all("mapping", [part for pair in value.items() for part in pair])
        elif isinstance(value, type):
            self._say("class", value.__module__, value.__qualname__, getattr(value, "_fields", ""))
        elif isinstance(value, (ModuleType, BuiltinFunctionType, np.ufunc)):
            self._say("name", getattr(value, "__module__", ""), value.__name__)
        else:
            words = repr(value)
            self._say("value", type(value).__qualname__, "" if " at 0x" in words else words)

    def _add_all(self, kind: str, values: Any) -> None:
        self._say(kind, len(values))
        for value in values:
            self._add(value)

    def _add_function(self, function: Any) -> None:
        for code in _codes(function.__code__):
            documentation = function.__doc__ if code is function.__code__ else None
            self._say("code", code.co_code.hex(), code.co_argcount, code.co_names, code.co_freevars)
            self.compiled_only |= WORD in code.co_names
            self._add_all(
                "constants",
                [one for one in code.co_consts if not isinstance(one, CodeType) and one != documentation],
            )
            for name in code.co_names:
                if name in function.__globals__:
                    self._add_global(name, function.__globals__[name], code)
        self._add_all("defaults", function.__defaults__ or ())
        self._add_all("cells", [cell.cell_contents for cell in function.__closure__ or ()])

    def _add_global(self, name: str, value: Any, code: CodeType) -> None:
        self._say("global", name)
        self._add(value)
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] in OURS:
            for attribute in code.co_names:
                if hasattr(value, attribute):
                    self._say("attribute", attribute)
                    self._add(getattr(value, attribute))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of all that is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
