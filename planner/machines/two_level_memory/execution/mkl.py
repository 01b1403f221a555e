"""Layer by layer with Intel MKL's inspector-executor, an extra: ``mkl_sparse_s_mm`` on matrices it has looked at before."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.machines.two_level_memory.execution.activations import finish
from planner.machines.two_level_memory.execution.layers import Layers
from planner.machines.two_level_memory.execution.program import aligned, on_lines
from planner.model.network import Singles

INSTALL = "pip install mkl"
CALLS = 1000
"""How many products MKL is told to expect, so that it finds much preparation worth while."""
_NOT_TRANSPOSED, _GENERAL, _ROW_MAJOR, _AGGRESSIVE = 10, 20, 101, 81
_STATUS = {1: "not initialised", 2: "out of memory", 3: "invalid value", 4: "execution failed", 5: "internal error", 6: "not supported"}  # fmt: skip


class _Description(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diagonal", ctypes.c_int)]


def missing() -> str | None:
    """Why MKL cannot be used, None where it can."""
    try:
        library()
    except StageboardError as error:
        return str(error)
    return None


@cache
def library() -> Any:
    """MKL's single library, loaded once. Raises :class:`StageboardError` where it is not there or cannot be loaded."""
    reasons = []
    for path in _candidates():
        try:
            for runtime in sorted(path.parent.glob("libiomp5.so*"))[:1]:
                ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
            loaded = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            loaded.mkl_sparse_s_mm  # noqa: B018
            return loaded
        except (OSError, AttributeError) as error:
            reasons.append(f"{path.name} cannot be loaded: {error}")
    reason = reasons[0] if reasons else "it is not installed"
    raise StageboardError(f"MKL is left out: {reason}; {INSTALL}, or set MKLROOT to where it is")


def _candidates() -> Iterator[Path]:
    """Files that may be MKL: those of the installed package, then those under MKLROOT."""
    try:
        files = metadata.files("mkl") or []
    except metadata.PackageNotFoundError:
        files = []
    yield from (
        Path(str(f.locate())).resolve() for f in files if f.name.startswith(("libmkl_rt.so", "mkl_rt."))
    )
    root = os.environ.get("MKLROOT")
    if root:
        for folder in ("lib", "lib/intel64"):
            yield from sorted(Path(root, folder).glob("libmkl_rt.so*"), reverse=True)


class Mkl:
    """A handle per layer. Close it, or use it as a context: MKL holds copies of the matrices.

    ``samples`` (B) is the number of columns of every batch. Raises :class:`StageboardError` where MKL refuses.
    """

    def __init__(self, layers: Layers, samples: int, threads: int = 1) -> None:
        self._layers, self._threads = layers, threads
        self._library = library()
        self._description = _Description(_GENERAL, 0, 0)
        self._rows = aligned((layers.starts[-1], samples))
        self._handles: list[ctypes.c_void_p] = []
        self._library.MKL_Set_Num_Threads(ctypes.c_int(threads))
        for layer in layers.layers:
            handle = ctypes.c_void_p()
            width = ctypes.c_int(layer.high - layer.low)
            self._check(
                self._library.mkl_sparse_s_create_csr(
                    ctypes.byref(handle), ctypes.c_int(0), ctypes.c_int(layer.size), width, _address(layer.offsets),
                    _address(layer.offsets, 4), _address(layer.columns), _address(layer.weights),
                )
            )  # fmt: skip
            self._handles.append(handle)
            self._check(
                self._library.mkl_sparse_set_mm_hint(
                    handle, ctypes.c_int(_NOT_TRANSPOSED), self._description, ctypes.c_int(_ROW_MAJOR),
                    ctypes.c_int(samples), ctypes.c_int(CALLS),
                )
            )  # fmt: skip
            self._check(self._library.mkl_sparse_set_memory_hint(handle, ctypes.c_int(_AGGRESSIVE)))
            self._check(self._library.mkl_sparse_optimize(handle))
        self._together = any(one.low < layers.starts[1] < one.high for one in layers.layers)
        self._last = slice(layers.starts[-2], layers.starts[-1]) if layers.last else None

    def run(self, batch: Singles) -> Singles:
        """The outputs (float32[S, B]) for a batch (float32[features, B]). The next call overwrites them.

        As with ours, a batch that does not begin on a cache line is copied first. Raises :class:`StageboardError` for
        a batch of another shape.
        """
        layers, rows, samples = self._layers, self._rows, self._rows.shape[1]
        if batch.shape != (layers.network.features, samples) or batch.dtype != np.float32:
            raise StageboardError(
                f"the batch must be float32 of {layers.network.features} features x {samples} samples"
            )
        given = layers.start(batch)
        # The batch is read where it stands, unless a layer reads it together with others.
        if self._together or not on_lines(given):
            rows[: len(given)] = given
            given = rows
        columns = ctypes.c_int(samples)
        for handle, layer, begin, end in zip(
            self._handles, layers.layers, layers.starts[1:-1], layers.starts[2:], strict=True
        ):
            read = given[layer.low :] if layer.high <= layers.starts[1] else rows[layer.low :]
            into = rows[begin:end]
            self._check(
                self._library.mkl_sparse_s_mm(
                    ctypes.c_int(_NOT_TRANSPOSED), ctypes.c_float(1.0), handle, self._description,
                    ctypes.c_int(_ROW_MAJOR), _address(read), columns, columns, ctypes.c_float(0.0), _address(into), columns,
                )
            )  # fmt: skip
            finish(into, layer.bias, layer.activation)
        return rows[layers.outputs] if self._last is None else rows[self._last]

    @staticmethod
    def _check(status: int) -> None:
        if status:
            raise StageboardError(
                f"MKL cannot run this network: {_STATUS.get(status, f'status {status}')}; leave it out"
            )

    def close(self) -> None:
        """Give back what MKL holds."""
        for handle in self._handles:
            self._library.mkl_sparse_destroy(handle)
        self._handles.clear()

    def __enter__(self) -> Mkl:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _address(array: np.ndarray[Any, Any], offset: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + offset)
