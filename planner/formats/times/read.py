"""One door through which every profile comes in, whatever program wrote it."""

from __future__ import annotations

import os
from pathlib import Path

from planner.errors import ModelError
from planner.files import JSON_LIMIT, parse_json, read_text
from planner.formats.times import layers, stageboard_times, tables, traces
from planner.guard import guarded
from planner.model.times import OpTimes

KINDS = "a profile of Stageboard, onnxruntime, torch.profiler, TensorRT or TFLite, or a table with the columns op and seconds"


def read_times(path: str | os.PathLike[str]) -> tuple[OpTimes, ...]:
    """The profiles in a file, mostly one; a table may hold one for each kind of device.

    The program that wrote it is told by its content. Raises :class:`ModelError`: one sentence naming the file, what is wrong with it and
    what to do.
    """
    file = Path(path)
    with guarded(file.name, ModelError, smaller="profile fewer runs", remedy="measure the model again"):
        text = read_text(file, JSON_LIMIT, error=ModelError, remedy="profile fewer runs")
        if not text.lstrip().startswith(("{", "[")):
            return tables.of_table(text, file.name)
        value = parse_json(text, file.name, ModelError)
        if stageboard_times.is_stageboard_times(value):
            return (stageboard_times.from_json(value, file.name),)
        events = traces.events_of(value)
        if events is not None:
            of = traces.of_onnxruntime if traces.is_onnxruntime(events) else traces.of_torch
            return (of(events, file.name),)
        if layers.is_layers(value):
            return (layers.of_tensorrt(value, file.name),)
        raise ModelError(f"{file.name} holds no times of ops; choose {KINDS}")


def is_times(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a profile of Stageboard's, by its first bytes."""
    try:
        with Path(path).open("rb") as stream:
            return f'"{stageboard_times.FORMAT}"'.encode() in stream.read(4096)
    except (OSError, ValueError):
        return False
