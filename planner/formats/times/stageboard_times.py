"""Stageboard's own profiles, read and written.

One JSON object: ``format`` ("stageboard-times"), ``version`` (1), ``model`` and ``structure`` (the model's name and
:attr:`planner.model.graph.Graph.structure`), ``device`` ("accelerator" or "cpu": what was measured), ``source`` (who measured, in a
line), ``about`` (machine, date, threads, runs), ``seconds_sum`` and ``seconds_run`` (the sum of the medians of all kernels, and the median of a run
without profiling), and ``ops``: each with ``id``, ``seconds`` (median) and optionally ``spread`` (half the distance between the
quartiles) and ``shared`` (a share of a kernel that computes other ops, too). ``scaled`` stands, true, where times of ops were scaled to what a plan's
stages took in a run.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from planner.errors import ModelError
from planner.files import to_json, write_atomically
from planner.formats.checks import Flag, Name, Number, Text, shown, simple_attributes, words
from planner.model.times import OpTime, OpTimes
from planner.typed_json import typed

FORMAT = "stageboard-times"
VERSION = 1
WIDEST = 1000.0
"""Times of an op that its spread can be: what is beyond is damaged."""
SHORTEST = 1e-6
"""Seconds that clocks tell apart: shorter times say nothing of what a spread can be."""


class _Op(Struct):
    id: Text
    seconds: Number
    spread: Number | None = None
    shared: Flag = False


class _Times(Struct):
    ops: list[_Op]
    model: Name = ""
    structure: Name = ""
    device: Literal["", "accelerator", "cpu"] = ""
    source: Name = ""
    about: Any = None
    seconds_sum: Number | None = None
    seconds_run: Number | None = None
    scaled: Flag = False


def is_stageboard_times(value: Any) -> bool:
    """Whether a JSON value claims to be a profile in this format."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def from_json(value: Any, file: str) -> OpTimes:
    """The profile in a parsed JSON value; ``file`` is what errors call it. Raises :class:`ModelError`."""
    if value.get("version") != VERSION:
        raise ModelError(
            f"{file}: version {shown(value.get('version'))} of profiles is not known here, version {VERSION} is;"
            " open it with the Stageboard that wrote it"
        )
    given = typed(value, _Times, file)
    ops: dict[str, OpTime] = {}
    for op in given.ops:
        identity = words(op.id)
        if identity in ops:
            raise ModelError(f"{file} has two times of op '{identity}'; keep one of them")
        if op.spread is not None and op.spread > WIDEST * max(op.seconds, SHORTEST):
            raise ModelError(
                f"{file}: the spread of op '{identity}' is {op.spread:g} s, and its time is {op.seconds:g} s; measure the model again,"
                " or leave the spread out"
            )
        ops[identity] = OpTime(op.seconds, math.nan if op.spread is None else op.spread, bool(op.shared))
    if not ops:
        raise ModelError(f"{file} has no times; measure the model again")
    return OpTimes(
        ops=ops,
        file=file,
        source=words(given.source) or file,
        device=given.device,
        model=words(given.model),
        structure=words(given.structure),
        seconds_sum=given.seconds_sum,
        seconds_run=given.seconds_run,
        about=simple_attributes(given.about),
        scaled=bool(given.scaled),
    )


def to_dict(times: OpTimes) -> dict[str, Any]:
    """The JSON object of a profile."""
    ops: list[dict[str, Any]] = []
    for identity, time in times.ops.items():
        op: dict[str, Any] = {"id": identity, "seconds": time.seconds}
        if not math.isnan(time.spread):
            op["spread"] = time.spread
        if time.shared:
            op["shared"] = True
        ops.append(op)
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": times.model,
        "structure": times.structure,
        "device": times.device,
        "source": times.source,
        "about": dict(times.about),
        "seconds_sum": times.seconds_sum,
        "seconds_run": times.seconds_run,
        **({"scaled": True} if times.scaled else {}),
        "ops": ops,
    }


def write(times: OpTimes, path: str | os.PathLike[str]) -> Path:
    """Write a profile, all of it or nothing. Raises :class:`planner.errors.StageboardError` where the system refuses."""
    return write_atomically(path, to_json(to_dict(times)))
