"""What a window and the process that trains beside it say to each other: a line of JSON each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from planner.errors import StageboardError
from planner.machines.mcm.learning.recorded import Progress
from planner.machines.mcm.learning.training import Point, TrainingSettings
from planner.typed_json import typed

PAUSE = b"pause\n"
"""The line that asks for an end after the checkpoint at work."""


@dataclass(frozen=True)
class Task:
    """The first line to the process: what to train, where, and whether to go on with what is there."""

    settings: TrainingSettings
    folder: str
    resume: bool

    @property
    def line(self) -> bytes:
        """As it is sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def read(line: bytes) -> Task:
        """As it was sent. Raises :class:`StageboardError` for anything else."""
        try:
            return typed(json.loads(line), Task, "the task", StageboardError)
        except ValueError as error:
            raise StageboardError(
                f"the task is not understood ({error}); start the training again"
            ) from error

    @property
    def place(self) -> Path:
        """The folder of the run."""
        return Path(self.folder)


@dataclass(frozen=True)
class News:
    """A line from the process: a checkpoint (``point``), how far it is, or the end: ``ended``, with a ``sentence`` where something went wrong."""

    point: Point | None = None
    progress: Progress | None = None
    ended: bool = False
    sentence: str = ""

    @property
    def line(self) -> bytes:
        """As it is sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def read(line: bytes) -> News:
        """As it was sent. Raises :class:`StageboardError` for anything else."""
        return typed(json.loads(line), News, "what the training says", StageboardError)
