"""Fingerprints of graphs: a digest of their texts and arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def fingerprint(texts: Iterable[Sequence[str]], arrays: Iterable[tuple[str, np.ndarray[Any, Any]]]) -> str:
    """SHA-256 (hex) of rows of ``texts`` and of ``arrays`` with their names (any dtype and shape: float64[n], int32[t]), in this order."""
    digest = hashlib.sha256()
    for row in texts:
        digest.update("\0".join(row).encode())
        digest.update(b"\1")
    for name, values in arrays:
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
