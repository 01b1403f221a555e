"""A format of a plan for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from planner.problem.problem import Plan


@dataclass(frozen=True)
class Form:
    """A format: the files that an export to a path writes, and writing them.

    ``write`` takes the plan, the files of its models and the path, and returns the files.
    """

    files: Callable[[Path], tuple[Path, ...]]
    write: Callable[[Plan, Sequence[str | os.PathLike[str]], Path], tuple[Path, ...]]
