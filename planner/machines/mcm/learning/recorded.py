"""A training run in its folder, seen from outside: what was asked, what came of it, whether somebody is at it, how long it will take."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from planner.errors import StageboardError
from planner.files import not_written
from planner.machines.mcm.learning.options import CORRECTIONS
from planner.machines.mcm.learning.training import (
    BEST,
    STATE,
    Point,
    TrainingSettings,
    curve_of,
    read_state,
    seconds_of,
)
from planner.typed_json import typed

PATIENCE = 3.0
"""Seconds that a process which was killed may take to be gone."""


@dataclass(frozen=True)
class Progress:
    """How far a run is: samples drawn and to draw, CPU seconds used, seconds left by the clock (None while nobody can know)."""

    samples: int
    of: int
    cpu_seconds: float
    left: float | None = None

    def words(self, seconds: Callable[[float], str]) -> str:
        """``4,300 of 20,000 samples, 96 s CPU, about 350 s left``, durations as ``seconds`` writes them."""
        left = "" if self.left is None else f", about {seconds(self.left)} left"
        return f"{self.samples:,} of {self.of:,} samples, {seconds(self.cpu_seconds)} CPU{left}"


@dataclass(frozen=True)
class Recorded:
    """A run as its folder has it, without anything of what it was trained on."""

    settings: TrainingSettings
    curve: tuple[Point, ...]
    cpu_seconds: float

    @property
    def complete(self) -> bool:
        """Whether all its samples are drawn."""
        return len(self.curve) >= self.settings.checkpoints

    @property
    def progress(self) -> Progress:
        """How far it is; nobody is at it, so that no time is left."""
        return Progress(
            len(self.curve) * self.settings.per_checkpoint,
            self.settings.checkpoints * self.settings.per_checkpoint,
            self.cpu_seconds,
        )


@dataclass
class Pace:
    """Tells the seconds left from how long the checkpoints of this session took, the first aside, in which programs are compiled."""

    checkpoints: int
    _first: tuple[int, float] | None = field(default=None, init=False)

    def left(self, done: int) -> float | None:
        """Seconds left by the clock now that ``done`` checkpoints are made; None at the first one."""
        if self._first is None:
            self._first = done, time.monotonic()
            return None
        began, at = self._first
        return (time.monotonic() - at) / (done - began) * (self.checkpoints - done)


def recorded(folder: Path) -> Recorded | None:
    """The run in a folder; None where there is none. Raises :class:`StageboardError` for a damaged one."""
    if not (folder / STATE).exists():
        return None
    saved, asked = read_state(folder, ("curve", "cpu_seconds"))
    try:
        settings = typed(asked, TrainingSettings, "the settings", StageboardError)
        if settings.correction not in CORRECTIONS or settings.per_checkpoint < 1:
            raise ValueError(settings)
        return Recorded(settings, tuple(curve_of(saved)), seconds_of(saved))
    except (KeyError, TypeError, ValueError) as error:
        raise StageboardError(
            f"{folder / STATE} is damaged; start the training again in another folder"
        ) from error


def home() -> Path:
    """Where the window keeps runs, a folder each, unless another place is chosen."""
    import platformdirs

    return Path(platformdirs.user_data_path("stageboard", appauthor=False)) / "training"


def latest_folder() -> Path:
    """The folder of the run that was begun last in :func:`home`, or the first one to be where there is none."""
    numbers = _numbers()
    return home() / f"run-{max(numbers, default=1)}"


def new_folder() -> Path:
    """A folder of :func:`home` that holds nothing yet."""
    return home() / f"run-{max(_numbers(), default=0) + 1}"


def _numbers() -> list[int]:
    found = (re.fullmatch(r"run-([1-9]\d{0,8})", path.name) for path in home().glob("run-*"))
    return [int(each[1]) for each in found if each is not None]


def weights_of(folder: Path) -> Path | None:
    """The best weights of the run in a folder; None while there are none."""
    path = folder / BEST
    return path.absolute() if path.is_file() else None


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Nobody else trains in the folder, which is made, during the block. Raises :class:`StageboardError` where somebody does.

    Who was ended a moment ago is waited for.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(folder, error) from error
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > until:
                    raise StageboardError(
                        f"a training is at work in {folder} already; wait for its end, or choose another folder"
                    ) from error
                time.sleep(0.05)
                continue
            except OSError:  # a file system without locks
                pass
            break
        yield
    finally:
        os.close(handle)
