"""The folder that an export of stages leaves: model files, and a manifest that says how they are chained.

The folder is written beside its place and moved there when all of it is done and verified. An earlier export in that
place is replaced; any other content is left alone and the export refused.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from planner.errors import StageboardError
from planner.export.stages.stages import TOLERANCE, Checked, StageExport, StageFile
from planner.files import behind_links, not_written, read_json, sync_folder, to_json, write_atomically
from planner.formats.checks import INT32
from planner.temporary import name_beside, noted
from planner.typed_json import typed

MANIFEST = "manifest.json"
LARGEST_TENSOR = 1 << 62
"""Bytes of a tensor that a manifest may list."""
_FORMAT = "stageboard-stages"
_VERSION = 1
_LIMIT = 16 << 20
_Count = Annotated[int, Meta(ge=0, le=INT32)]
_Extent = Annotated[int, Meta(ge=-1, le=INT32)]
_Bytes = Annotated[int, Meta(ge=0, le=LARGEST_TENSOR)]
_ABOUT = (
    "Each stage is a model file. Run a model's stages in order: hand each the tensors that its inputs name, in that order, and keep"
    " its outputs until the last stage that names them has run (a tensor may skip stages). The model's inputs come from"
    " you; its outputs are tensors of the stages."
)


class StageEntry(Struct, frozen=True):
    """One stage: its file in the folder, its device by name, how many operators it runs, its tensors in the file's order."""

    file: str
    device: str
    operators: _Count
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    bytes: _Bytes


class TensorEntry(Struct, frozen=True):
    """A tensor that a stage takes or gives. ``index`` is its number in the source file, -1 where files number none."""

    shape: tuple[_Extent, ...]
    dtype: str
    bytes: _Bytes
    index: _Extent = -1


class ModelEntry(Struct, frozen=True):
    """One model: its source file by name and SHA-256, its inputs and outputs, its stages in the order in which they run."""

    name: str
    source: str
    sha256: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    stages: tuple[StageEntry, ...]
    tensors: Mapping[str, TensorEntry]

    def cuts(self) -> list[dict[str, Any]]:
        """Tensors that go from one stage to others: name, producing and reading stages by number."""
        made = {name: i for i, stage in enumerate(self.stages) for name in stage.outputs}
        return [
            {"tensor": name, "from": i, "to": [j for j, s in enumerate(self.stages) if name in s.inputs]}
            for name, i in made.items()
            if any(name in stage.inputs for stage in self.stages)
        ]


class Manifest(Struct, frozen=True):
    """A folder of stages. ``kind`` is the export format: ``tflite-stages`` or ``onnx-stages``."""

    kind: str
    models: tuple[ModelEntry, ...]
    verified: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()

    def model(self, name: str | None = None) -> ModelEntry:
        """The model of that name, or the only one. Raises :class:`StageboardError`."""
        chosen = [model for model in self.models if name in (None, model.name)]
        if len(chosen) == 1:
            return chosen[0]
        known = ", ".join(model.name for model in self.models)
        raise StageboardError(f"the stages are of {known}; name one of these models")


def write_manifest(folder: Path, manifest: Manifest) -> Path:
    """Write ``manifest.json`` into the folder."""
    models = [{**to_builtins(model), "cuts": model.cuts()} for model in manifest.models]
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": manifest.kind,
        "about": _ABOUT,
        "verified": dict(manifest.verified),
        "notes": list(manifest.notes),
        "models": models,
    }
    return write_atomically(folder / MANIFEST, to_json(content))


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """The manifest in a file, or in a folder of stages. Raises :class:`StageboardError` with one sentence."""
    file = Path(path)
    file = file / MANIFEST if file.is_dir() else file
    value = read_json(file, limit=_LIMIT, error=StageboardError)
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise StageboardError(f"{file} lists no exported stages; choose the {MANIFEST} of an export")
    if value.get("version") != _VERSION:
        raise StageboardError(
            f"{file} has version {value.get('version')!r}, not {_VERSION}; export the stages again"
        )
    manifest = typed(value, Manifest, str(file), StageboardError)
    for model in manifest.models:
        for stage in model.stages:
            _check_name(stage.file)
    return manifest


def _check_name(name: str) -> None:
    """Refuse a file's name that leads out of the folder."""
    if name in ("", ".", "..") or Path(name).name != name or "\\" in name:
        raise StageboardError(f"the manifest names the file {name!r}; stages lie beside it, without a folder")


@contextlib.contextmanager
def publishing(destination: str | os.PathLike[str]) -> Iterator[Path]:
    """A new folder to fill; it takes the place of ``destination`` when the block ends well, and vanishes otherwise.

    Raises :class:`StageboardError` before anything is written where the place holds something that is no earlier
    export, and where the system refuses.
    """
    target = behind_links(os.path.abspath(destination))
    check_destination(target)
    temporary = name_beside(target)
    aside = temporary.with_suffix(".old")
    with noted(temporary, {aside: target}):
        try:
            temporary.mkdir(0o700)
            yield temporary
            # A temporary folder is private; the export has the mode that any new folder has.
            probe = temporary / ".mode"
            probe.mkdir()
            mode = probe.stat().st_mode & 0o777
            probe.rmdir()
            os.chmod(temporary, mode)
            check_destination(target)
            _replace(temporary, target, aside)
        except OSError as error:
            raise not_written(target, error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def write_file(path: Path, content: bytes) -> None:
    """A new file in a folder that is :func:`publishing`: the folder is moved as a whole, its files only have to be on disk before that."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def exported(manifest: Manifest, folder: Path, found: Checked) -> StageExport:
    """What an export tells its caller, once ``folder`` is in its place."""
    files = [
        StageFile(model.name, stage.device, folder / stage.file, stage.inputs, stage.outputs, stage.bytes)
        for model in manifest.models
        for stage in model.stages
    ]
    return StageExport(
        manifest.kind, folder, tuple(files), found.samples, found.largest_difference, TOLERANCE, found.exact,
        manifest.notes,
    )  # fmt: skip


def verified(found: Checked, runtime: str) -> dict[str, Any]:
    """What a manifest says of the check. Files are read back and compared with their source in any case."""
    ran = {
        "exact": found.exact,
        "largest_difference": found.largest_difference,
        "tolerance": TOLERANCE,
        "runtime": runtime,
    }
    return {"checked": found.samples, "read_back": True, **(ran if found.samples else {})}


def check_destination(target: Path) -> None:
    """Raise where ``target`` is neither free, nor an empty folder, nor an earlier export and nothing else."""
    target = behind_links(target)
    if not target.parent.is_dir():
        raise StageboardError(f"the folder {target.parent} does not exist; make it or choose another place")
    if target.exists() and not target.is_dir():
        raise StageboardError(
            f"{target} is a file; the stages need a folder of their own, choose another place"
        )
    if not target.is_dir():
        return
    try:
        found = {entry.name for entry in target.iterdir()}
    except OSError as error:
        raise not_written(target, error) from error
    if not found:
        return
    ours: set[str] = set()
    if MANIFEST in found:
        with contextlib.suppress(StageboardError):
            manifest = read_manifest(target)
            ours = {MANIFEST, *(stage.file for model in manifest.models for stage in model.stages)}
    foreign = sorted(found - ours)
    if foreign:
        raise StageboardError(
            f"{target} holds '{foreign[0]}', which is no part of an earlier export; choose a new or empty folder"
        )


def _replace(temporary: Path, target: Path, aside: Path) -> None:
    if target.exists() and not any(target.iterdir()):
        target.rmdir()  # not every system moves a folder over an empty one
    if not target.exists():
        os.replace(temporary, target)
        sync_folder(target.parent)
        return
    # A folder cannot be moved over a full one: the earlier export steps aside and is only then removed.
    os.replace(target, aside)
    try:
        os.replace(temporary, target)
    except OSError:
        os.replace(aside, target)
        raise
    sync_folder(target.parent)
    shutil.rmtree(aside, ignore_errors=True)
