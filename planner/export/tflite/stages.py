"""A plan as TFLite models that run: one file per stage and model, written from the source file and checked against it.

* Files are named ``<model>_segment_<i>_of_<n>.tflite``; ``n`` counts the files, devices without operators have none.
  A device whose operators cannot run in one go has several.
* Tensors that skip stages do not pass through those between: whoever runs the stages keeps them
  (:mod:`planner.export.stages.runner`, ``manifest.json``).
* Constants that several stages read are in each of them. Custom operators, control flow with its bodies and states are
  kept; a state or a handle that two stages share is refused.
* Signatures and metadata describe the whole model and are dropped, but for the oldest runtime version that will do.
* What was written is compared with the source operator by operator and byte by byte. Unless that is left out, the stages are
  run, too: then nothing is written unless they reproduce the whole model, integers bit for bit.
"""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from planner.errors import ModelError, StageboardError
from planner.export.sources import (
    batch_of,
    check_count,
    check_samples,
    check_suffix,
    check_unchanged,
    rule_notes,
)
from planner.export.stages.child import in_child
from planner.export.stages.folder import (
    LARGEST_TENSOR,
    Manifest,
    ModelEntry,
    StageEntry,
    TensorEntry,
    exported,
    publishing,
    verified,
    write_file,
    write_manifest,
)
from planner.export.stages.stages import Checked, StageExport, VerificationFailed, segment_name, stage_parts
from planner.export.tflite.check import CheckOrder, check_stages
from planner.export.tflite.compare import check_part
from planner.export.tflite.cut import Cutter
from planner.export.tflite.schema import bytes_of, dtype_name, load, pack, shape_of
from planner.files import read_bytes
from planner.formats import read_graph
from planner.formats.tflite.names import operator_of
from planner.model.graph import Graph
from planner.problem.problem import Plan

FORMAT = "tflite-stages"
SUFFIX = ".tflite"
_LIMIT = 2**31 - 1
_DIARY = ".running"
_RUNTIME = "LiteRT on the CPU, 1 thread, no delegates"


def to_tflite_stages(
    plan: Plan,
    sources: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    check: bool = True,
    samples: int = 4,
    seed: int = 0,
    stopped: Callable[[], bool] | None = None,
) -> StageExport:
    """Write the stages of all models of ``plan`` into a new folder, with a manifest that says how they are chained.

    ``sources`` are the .tflite files the plan was made for, in the order of its models. An earlier export in ``folder`` is
    replaced. ``samples`` random inputs are made from ``seed`` for the check, which runs in a process of its own and ends
    when ``stopped`` says so. Raises :class:`VerificationFailed` where the stages do not reproduce the whole model (floating
    point: within 1e-5 of a tensor's largest magnitude) and :class:`StageboardError` for files that do not belong to the plan, that cannot
    be cut this way or whose whole model cannot be run; nothing is written then.
    """
    check_samples(samples)
    files = check_count(plan, sources)
    read = _read(plan, files)
    with publishing(folder) as place:
        entries = [_write_model(plan, m, source, place) for m, source in enumerate(read)]
        notes = _notes(plan, read)
        manifest = Manifest(FORMAT, tuple(entries), {}, notes)
        write_manifest(place, manifest)
        found = Checked()
        if check:
            found = _checked(
                CheckOrder(str(place), tuple(map(str, files)), samples, seed, str(place / _DIARY)), stopped
            )
            constant = ", ".join(found.constant)
            if constant:
                notes += (
                    f"the same for every random input, so that the check says little of it: {constant}",
                )
        manifest = replace(manifest, verified=verified(found, _RUNTIME), notes=notes)
        write_manifest(place, manifest)
    return exported(manifest, Path(folder), found)


# ---------------------------------------------------------------------------------------------------------- the sources
@dataclass(frozen=True, eq=False)
class _Source:
    file: Path
    sha256: str
    graph: Graph
    model: Any


def _read(plan: Plan, files: Sequence[Path]) -> list[_Source]:
    """The source files as graphs and as models. Raises where they are not what the plan was made for."""
    check_suffix(files, "TFLite", SUFFIX)
    sources = []
    for file in files:
        read = read_graph(file, batch=batch_of(plan))
        data = read_bytes(file, _LIMIT, remedy="a TFLite model cannot be larger")
        sources.append(_Source(file, hashlib.sha256(data).hexdigest(), read, load(data, file.name)))
    check_unchanged(plan, [source.graph for source in sources])
    return sources


def _notes(plan: Plan, sources: Sequence[_Source]) -> tuple[str, ...]:
    notes = [
        *rule_notes(plan),
        *(
            f"the stages carry no signatures of {source.file.name}; manifest.json names their inputs and outputs"
            for source in sources
            if source.model.signatureDefs
        ),
    ]
    batch = batch_of(plan)
    if batch != 1:
        notes.append(
            f"the plan counts batches of {batch}; the stages have the sizes of their source, as stored"
        )
    return tuple(notes)


# ----------------------------------------------------------------------------------------------------------- the stages
def _write_model(plan: Plan, m: int, source: _Source, place: Path) -> ModelEntry:
    """Write one model's stages into ``place``."""
    whole, graph, file = plan.problem.graph, source.graph, source.file
    cutter = Cutter(source.model, file.name)
    local = np.cumsum(whole.model == m) - 1  # ops of a merged graph are in the order of their own
    parts = stage_parts(plan, m)
    groups = []
    for part in parts:
        places = [operator_of(graph.op_ids[local[v]]) for v in part.ops]
        groups.append([at[1] for at in places if at is not None])
    name, devices = whole.model_names[m], plan.problem.devices
    keys = cutter.keys
    stages, tensors = [], {}
    for i, (stage, part) in enumerate(zip(cutter.stages(groups), parts, strict=True)):
        device = devices[part.device].name
        title = segment_name(name, i, len(parts))
        said = f"Stage {i} of {len(parts)} of {file.name} ({device}), cut from it by Stageboard."
        written = place / f"{title}{SUFFIX}"
        write_file(written, pack(cutter.model_of(stage, said)))
        content = written.read_bytes()
        check_part(source.model, _read_back(content, written.name), stage, written.name)
        tensors.update({keys[t]: _tensor(cutter, t) for t in (*stage.inputs, *stage.outputs)})
        stages.append(
            StageEntry(
                f"{title}{SUFFIX}",
                device,
                len(stage.operators),
                tuple(keys[t] for t in stage.inputs),
                tuple(keys[t] for t in stage.outputs),
                len(content),
            )
        )
    return ModelEntry(
        name,
        file.name,
        source.sha256,
        tuple(keys[t] for t in cutter.inputs),
        tuple(keys[t] for t in cutter.results),
        tuple(stages),
        tensors,
    )


def _read_back(content: bytes, title: str) -> Any:
    try:
        return load(content, title)
    except ModelError as error:
        raise VerificationFailed(f"{title} cannot be read back ({error}); nothing was written") from error


def _tensor(cutter: Cutter, t: int) -> TensorEntry:
    tensor = cutter.main.tensors[t]
    size = bytes_of(tensor)
    if size > LARGEST_TENSOR:
        raise ModelError(
            f"{cutter.name}: the tensor '{cutter.keys[t]}' would have {size:.0e} bytes; convert the model again"
        )
    return TensorEntry(shape_of(tensor), dtype_name(tensor), size, t)


# ------------------------------------------------------------------------------------------------------------ the check
def _checked(order: CheckOrder, stopped: Callable[[], bool] | None) -> Checked:
    diary = Path(order.diary)

    def crashed(code: int | None) -> StageboardError:
        running = diary.read_text() if diary.exists() else "the check"
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return VerificationFailed(
            f"{running} ended the runtime itself ({how}), so the stages could not be checked; nothing was written"
        )

    try:
        return in_child(check_stages, order, crashed=crashed, stopped=stopped)
    finally:
        diary.unlink(missing_ok=True)
