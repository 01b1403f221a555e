"""The file of the learned policy's weights: NumPy's ``.npz`` without pickled objects, every array checked on the way in."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.files import write_atomically
from planner.machines.mcm.learned.network import SHAPES, Weights
from planner.model.samples import ASSETS

SHIPPED = ASSETS / "chip-policy.npz"
"""The weights that come with Stageboard."""
LARGEST = 5 << 20
"""Bytes beyond which a file is not a weights file."""


def read_weights(path: str | Path) -> Weights:
    """The arrays of the network by name (float32). Raises :class:`StageboardError` for a missing or damaged file."""
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise StageboardError(
                f"{path} is larger than {LARGEST >> 20} MB, which no weights file of the policy is"
            )
        content = path.read_bytes()
    except OSError as error:
        raise StageboardError(
            f"the weights of the policy cannot be read from {path} ({error.strerror}); {_remedy(path)}"
        ) from error
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name in SHAPES}
    except Exception as error:  # of zlib, zipfile, tokenize and others: whichever part is damaged
        raise _damaged(path, "it is not an .npz file, or a part of it is missing") from error
    for name, shape in SHAPES.items():
        if name not in arrays:
            raise _damaged(path, f"it has no array '{name}'")
        array = arrays[name]
        if array.dtype != np.float32 or array.shape != shape:
            raise _damaged(
                path, f"its array '{name}' is {array.dtype}{list(array.shape)}, not float32{list(shape)}"
            )
        if not np.isfinite(array).all():
            raise _damaged(path, f"its array '{name}' holds numbers that are not finite")
    return arrays


def _damaged(path: Path, why: str) -> StageboardError:
    return StageboardError(f"{path} does not hold the weights of the policy: {why}; {_remedy(path)}")


def _remedy(path: Path) -> str:
    if path == SHIPPED:
        return "install Stageboard again, or give a file of your own"
    return "give another file, or none for those that come with Stageboard"


def packed(arrays: Mapping[str, Any]) -> bytes:
    """The content of an ``.npz`` file with arrays by name, such as float32[128]."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def write_weights(path: str | Path, weights: Weights) -> None:
    """Write the arrays of the network. Raises :class:`StageboardError` where the system refuses."""
    write_atomically(path, packed({name: weights[name] for name in SHAPES}))
