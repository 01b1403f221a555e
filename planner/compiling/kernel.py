"""Declaring kernels: ``njit`` as numba has it, but kept where all checkouts find them, and run as plain Python meanwhile if asked.

Our kernels are plain Python as well, with the same results. A thread in :func:`interpreting` never compiles: kernels that
are in the store are loaded, others are interpreted, call by call, until they are there. The window's thread is such a thread
(:mod:`gui.background.preparing` has others compile), so that it neither waits for compilers nor stalls by one.
Everywhere else a kernel is compiled when it is first called, or waited for where another process is just compiling it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numba.core import compiler, config, serialize, sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import OmittedArg
from numba.core.registry import CPUDispatcher
from numba.core.typing import make_concrete_template

from planner.compiling.forms import as_called, as_written
from planner.compiling.identity import WORD, Identity
from planner.compiling.library import ready_to_load, unpickled
from planner.compiling.news import news
from planner.compiling.store import Store, platform, store

_this_thread = threading.local()


def look_again() -> None:
    """Have kernels that are interpreted look whether they are compiled by now."""
    news.count += 1


def compile_wishes() -> None:
    """Compile what was interpreted and nobody compiled since: forms of kernels that were not thought of ahead."""
    while news.wishes:
        kernel, types = news.wishes.popitem()[0]
        with interpreting(False):
            kernel.compile(types)


def digest_of(declared: Iterable[Any]) -> str:
    """Of several kernels, on this machine."""
    parts = [one.identity.digest for one in declared if isinstance(one, Kernel)]
    return hashlib.sha256("\n".join([platform(), *parts]).encode()).hexdigest()


def interpret(wanted: bool) -> None:
    """From now on kernels that are not compiled yet are interpreted in this thread, or compiled.

    Numbers that overflow do so silently, as in compiled code.
    """
    if wanted and not interprets():
        _this_thread.errors = np.seterr(all="ignore")
    elif not wanted and interprets():
        np.seterr(**_this_thread.errors)
    _this_thread.interprets = wanted


@contextlib.contextmanager
def interpreting(wanted: bool = True) -> Iterator[None]:
    """As :func:`interpret`, within a block."""
    before = interprets()
    interpret(wanted)
    try:
        yield
    finally:
        interpret(before)


def interprets() -> bool:
    """Whether this thread interprets kernels that are not compiled yet."""
    return getattr(_this_thread, "interprets", False)


class _Kept:
    """The kernel's compiled forms in the store, as numba asks for them."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._turns: set[str] = set()

    def name(self, sig: Any, codegen: Any) -> str | None:
        """Of the file for a signature; None where it names what only this process has."""
        arguments, returned = sigutils.normalize_signature(sig)
        types = repr((arguments, returned))
        if " at 0x" in types or "(0x" in types:
            return None
        parts = (
            self._kernel.identity.digest, types, repr(codegen.magic_tuple()), platform(),
            config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.BOUNDSCHECK,
        )  # fmt: skip
        digest = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
        return f"{self._kernel.py_func.__name__.strip('_')[:40]}-{digest[:40]}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled; else None, and it is this process's turn to compile until :meth:`end_turn`."""
        name = self.name(sig, target_context.codegen())
        if name is not None and (found := self._load(name, target_context)) is not None:
            return found
        target_context.refresh()  # from here on numba compiles
        if name is not None and store().take(name):
            self._turns.add(name)
            # Another process may have compiled it while this one waited.
            found = self._load(name, target_context)
        return found

    @staticmethod
    def _load(name: str, target_context: Any) -> Any:
        kept: Store = store()
        if (payload := kept.load(name)) is None:
            return None
        ready_to_load(target_context)
        try:
            return compiler.CompileResult._rebuild(target_context, *unpickled(payload))
        except Exception:  # whatever numba cannot make something of
            kept.remove(name)
            return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Keep what was compiled."""
        if (name := self.name(sig, result.codegen)) is not None and not result.library.has_dynamic_globals:
            store().save(name, serialize.dumps(result._reduce()))

    def has(self, sig: Any, target_context: Any) -> bool:
        """Whether there is something to load."""
        name = self.name(sig, target_context.codegen())
        return name is not None and store().has(name)

    def end_turn(self, sig: Any, target_context: Any) -> None:
        """Let others compile, or load what is there now."""
        if self._turns and (name := self.name(sig, target_context.codegen())) in self._turns:
            self._turns.discard(name)
            store().give(name)


class Kernel(CPUDispatcher):
    """A kernel: compiled once per signature, and loaded from the store where it was compiled before."""

    _looked = 0

    def enable_caching(self) -> None:
        """Keep what is compiled."""
        self._cache = _Kept(self)

    @cached_property
    def _missed(self) -> dict[Any, int]:
        """Types for which there was nothing, and what news there was then."""
        return {}

    @cached_property
    def identity(self) -> Identity:
        """What it is. Asked for when it is first called: all that it uses is defined by then."""
        return Identity(self)

    def compile(self, sig: Any) -> Any:
        """Load or compile it for a signature."""
        arguments, returned = sigutils.normalize_signature(sig)
        if returned is None and (shared := as_called(arguments)) != arguments:
            entry = self.compile(shared)
            self._insert([one._code for one in arguments], entry, False)  # found at once from now on
            return entry
        return self._compile_form(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What numba calls: another kernel calls it with arguments of such types."""
        pysig, types = self._compiler.fold_argument_types(args, kws)
        types = as_written(types)
        if self._can_compile:
            self._compile_form(types)
        named = f"CallTemplate({self.py_func.__name__})"
        template = make_concrete_template(
            named, key=self.py_func.__name__, signatures=self.nopython_signatures
        )
        return template, pysig, types, {}

    def _compile_form(self, sig: Any) -> Any:
        waits = isinstance(self._cache, _Kept) and not self._cache.has(sig, self.targetctx)
        news.busy(waits)
        try:
            return super().compile(sig)
        finally:
            news.busy(-waits)
            if isinstance(self._cache, _Kept):
                self._cache.end_turn(sig, self.targetctx)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What numba calls: it is called with these arguments for the first time."""
        if not kws and interprets() and not self.identity.compiled_only and not _has_words(args):
            return self._loaded(args) or _plain(self.py_func, args)
        return super()._compile_for_args(*args, **kws)

    def _loaded(self, args: tuple[Any, ...]) -> Any:
        """The compiled form, if it is in the store and no other thread compiles right now; else None."""
        if not isinstance(self._cache, _Kept) or (self._looked == news.count and not self.overloads):
            return None
        # To load takes milliseconds, to compile seconds: only the one is waited for.
        if not global_compiler_lock._lock.acquire(blocking=news.compiling == 0):
            return None
        try:
            self._compilation_chain_init_hook()
            types = tuple(
                numba.types.Omitted(a.value) if isinstance(a, OmittedArg) else self.typeof_pyval(a)
                for a in args
            )
            given, types = types, as_called(types)
            if self._missed.get(types) == news.count:
                return None
            if types in self.overloads or self._cache.has(types, self.targetctx):
                return self.compile(given)
            self._looked = self._missed[types] = news.count
            news.wishes[self, types] = None
        finally:
            self._types_active_call.clear()
            global_compiler_lock._lock.release()
        return None


def _has_words(arguments: tuple[Any, ...]) -> bool:
    """Whether an argument, or an array in one, is of words without a sign."""
    return any(
        _has_words(one) if isinstance(one, tuple) else getattr(one, "dtype", None) == WORD
        for one in arguments
    )


def _plain(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """The kernel's Python, for numba to call with these arguments: defaults come wrapped."""
    if not any(isinstance(a, OmittedArg) for a in args):
        return function
    return lambda *given: function(*(a.value if isinstance(a, OmittedArg) else a for a in given))


def njit(function: Any = None, /, **options: Any) -> Any:
    """Declare a kernel: ``@njit(cache=True, nogil=True)``. Options as numba's.

    With ``NUMBA_DISABLE_JIT`` it stays the function that it is.
    """
    if function is None:
        return functools.partial(njit, **options)
    if config.DISABLE_JIT:
        return function
    cache = options.pop("cache", False)
    kernel = Kernel(py_func=function, targetoptions={"nopython": True, "boundscheck": None, **options})
    if cache:
        kernel.enable_caching()
    return kernel
