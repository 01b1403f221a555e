"""A plan as ONNX models, one per stage, that run one after the other and reproduce the whole model."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from planner.errors import StageboardError
from planner.export.onnx.check import CheckOrder, check_stages
from planner.export.onnx.compare import check_part
from planner.export.onnx.source import OnnxSource
from planner.export.onnx.stage import OnnxStage, onnx_stage
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
from planner.export.stages.stages import (
    Checked,
    StageExport,
    StagePart,
    VerificationFailed,
    segment_name,
    stage_parts,
    together,
)
from planner.formats.onnx.folding import bytes_of
from planner.formats.onnx.model import dtype_name
from planner.printable import clean
from planner.problem.problem import Plan

FORMAT = "onnx-stages"
SAMPLES = 3
_RUNTIME = "onnxruntime on the CPU, 1 thread, no graph optimisations"


def to_onnx_stages(
    plan: Plan,
    sources: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    check: bool = True,
    samples: int = SAMPLES,
    seed: int = 0,
    stopped: Callable[[], bool] | None = None,
) -> StageExport:
    """Write ``<model>_segment_<i>_of_<n>.onnx`` for every stage of every model, and a manifest, into a new folder.

    ``sources`` are the ONNX files of the plan's models, in its order. Sizes that a file leaves open are fixed to those the plan was made for.
    A device whose ops cannot run in one go becomes several stages. With ``check`` the stages and the whole model
    run on ``samples`` random inputs each (onnxruntime, CPU, no graph optimisations, in a process of its own); outputs must be
    equal, floating-point ones up to :data:`planner.export.stages.stages.TOLERANCE`. Raises :class:`VerificationFailed` where they are not, and
    :class:`StageboardError` for anything else that stands in the way; then nothing is left behind.
    """
    check_samples(samples)
    paths = check_count(plan, sources)
    check_suffix(paths, "ONNX", ".onnx")
    opened = [OnnxSource(path, batch=batch_of(plan)) for path in paths]
    check_unchanged(plan, [source.graph for source in opened])
    with publishing(folder) as temporary:
        models = tuple(_write_model(plan, i, source, temporary) for i, source in enumerate(opened))
        notes = [*rule_notes(plan)]
        for source, entry in zip(opened, models, strict=True):
            notes += _notes(source, entry.name)
        write_manifest(temporary, Manifest(FORMAT, models))
        checks: list[Checked] = []
        if check:
            for source, entry in zip(opened, models, strict=True):
                checks.append(_check(source, entry, temporary, samples, seed, stopped))
                notes += _check_notes(checks[-1], entry.name)
        found = together(checks)
        manifest = Manifest(FORMAT, models, verified(found, _RUNTIME), tuple(notes))
        write_manifest(temporary, manifest)
    return exported(manifest, Path(folder), found)


# ------------------------------------------------------------------------------------------------------- one model
def _write_model(plan: Plan, model: int, source: OnnxSource, folder: Path) -> ModelEntry:
    """Write one model's stages into ``folder``."""
    graph = plan.problem.graph
    first = int((graph.model < model).sum())  # merging keeps each model's ops together and in their order
    parts = [(part, nodes) for part in stage_parts(plan, model) if (nodes := _nodes(source, part, first))]
    constants = [name for name in source.outputs if source.is_constant(name)]
    entries: list[StageEntry] = []
    tensors: dict[str, TensorEntry] = {}
    for i, (part, nodes) in enumerate(parts):
        title = segment_name(graph.model_names[model], i, len(parts))
        stage = onnx_stage(source, nodes, title, constants if i == len(parts) - 1 else ())
        data = _serialised(stage, title)
        written = folder / f"{title}.onnx"
        write_file(written, data)
        check_part(source, written.read_bytes(), nodes, stage, written.name)
        entries.append(
            StageEntry(
                f"{title}.onnx", plan.problem.devices[part.device].name, len(nodes), stage.inputs, stage.outputs,
                len(data),
            )
        )  # fmt: skip
        tensors.update({name: _tensor(source, name) for name in (*stage.inputs, *stage.outputs)})
    digest = hashlib.sha256(source.path.read_bytes()).hexdigest()
    return ModelEntry(
        graph.model_names[model],
        source.path.name,
        digest,
        tuple(source.inputs),
        tuple(source.outputs),
        tuple(entries),
        tensors,
    )


def _nodes(source: OnnxSource, part: StagePart, first: int) -> list[int]:
    nodes = [source.node_of_op[v - first] for v in part.ops.tolist()]
    return [node for node in nodes if node >= 0]


def _serialised(stage: OnnxStage, title: str) -> bytes:
    try:
        return bytes(stage.model.SerializeToString(deterministic=True))
    except Exception as error:  # protobuf raises kinds of its own beyond its limit of 2 GiB
        raise StageboardError(
            f"{title} would have more than 2 GiB, which an ONNX file cannot hold; plan with more stages"
        ) from error


def _tensor(source: OnnxSource, name: str) -> TensorEntry:
    kind = source.type_of(name).tensor_type
    sizes = tuple(d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim)
    shape = tuple(-1 if d is None else d for d in sizes)
    return TensorEntry(shape, dtype_name(kind.elem_type), round(bytes_of(sizes, kind.elem_type)))


def _notes(source: OnnxSource, name: str) -> list[str]:
    notes = []
    if source.bound:
        sizes = ", ".join(f"{clean(symbol)} = {size}" for symbol, size in list(source.bound.items())[:6])
        notes.append(f"{name}: the stages are for the sizes of the plan ({sizes})")
    unread = [i for i in source.inputs if i not in source.readers]
    if unread:
        notes.append(f"{name}: no stage reads the input '{clean(unread[0])}'")
    return notes


# ------------------------------------------------------------------------------------------------------- checking
def _check(
    source: OnnxSource,
    entry: ModelEntry,
    folder: Path,
    samples: int,
    seed: int,
    stopped: Callable[[], bool] | None,
) -> Checked:
    order = CheckOrder(str(source.path), str(folder), entry.name, source.shapes, samples, seed)

    def crashed(code: int | None) -> StageboardError:
        return VerificationFailed(
            f"{entry.name}: onnxruntime ended with exit code {code} while it ran the stages; nothing was written"
        )

    try:
        return in_child(check_stages, order, crashed=crashed, stopped=stopped)
    except VerificationFailed as error:
        raise VerificationFailed(f"{entry.name}: {error}") from error


def _check_notes(checked: Checked, name: str) -> list[str]:
    if not checked.constant:
        return []
    listed = ", ".join(f"'{clean(output)}'" for output in checked.constant[:4])
    return [f"{name}: {listed} came out the same for all inputs, so equality there says little"]
