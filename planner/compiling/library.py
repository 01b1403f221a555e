"""Machine code from the store: what another kernel is compiled with is looked into only when one is, and modules of numba's that only compile are not imported.

Beside its machine code a kernel's file holds its intermediate code, for others to be linked with. Numba parses that, and lists all
symbols in it, whenever it loads a kernel, and imports everything that its compiler knows before the first one: more than half of
what loading takes, and of no use to a program that compiles nothing. Its file also says in which modules the functions were that it
was compiled with, and numba imports these, scipy's linear algebra with some of them: compiled code never looks at their names.
"""

from __future__ import annotations

import io
import pickle
import sys
from typing import Any

import llvmlite.binding as ll
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import Environment, _rebuild_env, lookup_environment
from numba.core.runtime import rtsys

ONLY_COMPILE = ("numba.cpython.", "numba.misc.", "numba.np.")
"""What numba compiles functions of Python's and numpy's by: nothing of it is called by what was compiled."""
ALSO_RUN = ("numba.cpython.hashing",)
"""What of it tells the compiler's linker where something is."""


class KeptLibrary(JITCodeLibrary):
    """A library as numba makes them; one that was kept knows its symbols by its machine code until it is linked."""

    _kept: tuple[bytes, bytes] | None = None

    @property
    def _shared_module(self) -> Any:
        """The intermediate code, parsed when it is first asked for."""
        if self._kept is not None:
            (_, bitcode), self._kept = self._kept, None
            self._parsed = ll.parse_bitcode(bitcode)
            self._codegen._engine._load_defined_symbols(self._parsed)
        return self._parsed

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self._parsed = module

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, kind, data = state
        if kind != "object":
            return super()._unserialize(codegen, state)
        library = codegen.create_library(name)
        library._kept = data
        library.enable_object_caching()
        library._set_compiled_object(data[0])
        library._finalize_final_module()
        return library

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function; 0 where this library has none of that name."""
        engine = self._codegen._engine
        if self._kept is not None and not engine.is_symbol_defined(name):
            machine_code, _ = self._kept
            if name.encode() in machine_code:
                return int(engine.get_function_address(name))
            assert self._shared_module is not None  # parsed: its symbols are known
        return int(super().get_pointer_to_function(name))


def ready_to_load(target_context: Any) -> None:
    """What kernels need to run: numba's memory, but nothing that only compiles."""
    rtsys.initialize(target_context)
    target_context.codegen()._library_class = KeptLibrary


def unpickled(payload: bytes) -> Any:
    """What a kernel's file says."""
    return _Unpickler(io.BytesIO(payload)).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (_rebuild_env.__module__, _rebuild_env.__name__):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Environment:
    """What a compiled function has beside its code: its constants, and its module's names, which code that was compiled without
    Python's objects (all of ours) never asks for."""
    only_compiles = module.startswith(ONLY_COMPILE) and module not in ALSO_RUN
    if not only_compiles or module in sys.modules or lookup_environment(name) is not None:
        return _rebuild_env(module, constants, name)
    environment = Environment({"__name__": module})
    environment.consts[:] = constants
    environment.env_name = name
    Environment._memo[name] = environment
    return environment
