"""A plan's certificate as a file: JSON for programs, text for people."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from planner.errors import StageboardError
from planner.files import to_json, write_atomically
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.reports.certificate.certificate import certificate, to_dict
from planner.reports.certificate.text import certificate_text

SUFFIXES = (".json", ".txt", "")
"""JSON, text, and JSON again where a file has no suffix."""


def to_certificate(
    plan: Plan | OrderPlan,
    bounds: Iterable[Bound],
    path: str | os.PathLike[str],
    now: Collection[Bound] = (),
    remarks: Sequence[str] = (),
) -> Path:
    """Write the certificate; the suffix of ``path`` (.json or none, .txt) says how. Raises :class:`StageboardError` for another.

    ``now`` and ``remarks`` as for :func:`planner.reports.certificate.certificate.certificate`.
    """
    file = Path(path)
    check_suffix(file)
    certified = certificate(plan, bounds, now, remarks)
    made = certificate_text(certified) if file.suffix.lower() == ".txt" else to_json(to_dict(certified))
    return write_atomically(file, made)


def check_suffix(path: Path) -> None:
    """Raise :class:`StageboardError` for a file that a certificate cannot be written to."""
    if path.suffix.lower() not in SUFFIXES:
        raise StageboardError(
            f"{path}: certificates are written as .json or .txt;"
            " a page (.pdf, .svg, .png) is drawn by 'stageboard render MODEL PLAN --view certificate'"
        )
