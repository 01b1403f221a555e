"""Papers' tables and real workloads that live beside the checkout and are not part of the repository."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(path: str) -> Path:
    """Return ``<repository>/../shared/<path>``; skip the calling test, saying why, where it is not there."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"needs shared/{path}, which is not part of the repository")
    return found
