"""What a run needs to know beforehand: inputs, what the whole models make of them, and the forms of all tensors.

Meant for a process of its own (:mod:`planner.export.stages.child`): a broken model may end its runtime.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.made_up import NUMPY_NAMES, made_up
from planner.export.onnx.runtime import OnnxModel, providers
from planner.export.onnx.source import OnnxSource
from planner.export.stages.folder import ModelEntry, read_manifest
from planner.export.stages.runner import StageRunner
from planner.printable import clean
from planner.runs.measuring.tflite_run import made_up_feed
from planner.runs.measuring.timed import Order
from planner.runs.running.ring import Form, form_of
from planner.runs.running.stage import TFLITE, runnable, save_arrays

MADE_UP = 2
"""Made-up samples, which come in turn."""
MOST_GIVEN = 10_000


@dataclass(frozen=True)
class Preparation:
    """What to prepare: source files and, for each plan, the folder of its stages; where to put samples and outputs; how to run."""

    sources: tuple[str, ...]
    folders: tuple[str, ...]
    place: str
    batch: int
    seed: int
    threads: int
    provider: str
    inputs: str = ""


class Prepared(NamedTuple):
    """The forms of all tensors that may pass from stage to stage, by key; files of the samples' inputs, and of the whole models' outputs."""

    forms: dict[str, Form]
    feeds: tuple[str, ...]
    wanted: tuple[str, ...]


def key(model: int, tensor: str) -> str:
    """What all stages call a tensor of a model."""
    return f"{model}:{tensor}"


def prepare(order: Preparation) -> Prepared:
    """Make inputs, run the whole models on them, and once the chains of stages. Raises :class:`StageboardError`."""
    manifests = [read_manifest(folder) for folder in order.folders]
    kind = manifests[0].kind
    if order.provider and order.provider not in (known := providers()):
        raise StageboardError(
            f"onnxruntime has no provider {clean(order.provider)} here; choose from {', '.join(known)}"
        )
    feeds: list[dict[str, Any]] = []
    wanted: list[dict[str, Any]] = []
    forms: dict[str, Form] = {}
    for m, (source, entry) in enumerate(zip(order.sources, manifests[0].models, strict=True)):
        samples = _samples(order, kind, source, entry)
        whole = runnable(kind, source, f"the whole model {entry.source}", order.threads, order.provider)
        for i, sample in enumerate(samples):
            if len(feeds) <= i:
                feeds.append({})
                wanted.append({})
            outputs = whole.run([sample[name] for name in entry.inputs])
            feeds[i].update({key(m, name): value for name, value in sample.items()})
            wanted[i].update(
                {key(m, name): value for name, value in zip(entry.outputs, outputs, strict=True)}
            )
        for folder in order.folders:
            for _, made in StageRunner(folder, entry.name).steps(dict(samples[0])):
                forms |= {key(m, name): form_of(value, name) for name, value in made.items()}
    return Prepared(
        forms, _saved(order.place, "inputs", feeds), _saved(order.place, "outputs", wanted)
    )  # fmt: skip


def _saved(place: str, what: str, samples: list[dict[str, Any]]) -> tuple[str, ...]:
    files = []
    for i, sample in enumerate(samples):
        for name, value in sample.items():
            form_of(value, name.partition(":")[2])  # raises for texts
        files.append(os.path.join(place, f"{what}-{i}.npz"))
        save_arrays(files[-1], sample)
    return tuple(files)


def _samples(order: Preparation, kind: str, source: str, entry: ModelEntry) -> list[dict[str, Any]]:
    """The inputs of each sample by name."""
    if order.inputs:
        return given_samples(Path(order.inputs), entry)
    if kind == TFLITE:
        data = Path(source).read_bytes()
        made = [made_up_feed(data, entry.source, Order(source, seed=order.seed + i)) for i in range(MADE_UP)]
        return [dict(zip(entry.inputs, sample, strict=True)) for sample in made]
    shapes = OnnxSource(source, batch=order.batch).shapes
    whole = OnnxModel(source, entry.source, threads=order.threads)
    return made_up(whole, shapes, np.random.default_rng(order.seed), MADE_UP)


def _arrays(file: Path) -> dict[str, Any]:
    """The arrays in a file by name. Raises :class:`StageboardError`."""
    if not file.exists():
        raise StageboardError(f"{file} does not exist; check the path")
    try:
        with np.load(file, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except Exception as error:  # numpy and zipfile have a dozen kinds
        raise StageboardError(
            f"{file.name} holds no arrays that can be read; write it with numpy.savez"
        ) from error


def given_samples(file: Path, entry: ModelEntry) -> list[dict[str, Any]]:
    """The samples in a file of arrays by the names of the model's inputs: of an input's own sizes for one sample, with an axis more in front
    for several. Raises :class:`StageboardError`."""
    arrays = _arrays(file)
    missing = [name for name in entry.inputs if name not in arrays]
    if missing:
        raise StageboardError(
            f"{file.name} has no array '{clean(missing[0])}', an input of {entry.name}; name an array for each input"
        )
    for name in entry.inputs:
        if arrays[name].dtype.kind == "f" and np.isnan(arrays[name]).any():
            raise StageboardError(
                f"{file.name}: '{clean(name)}' holds values that are no numbers (NaN), and what comes out of them cannot be compared;"
                " replace them"
            )
    counts: set[int] = set()
    several: dict[str, bool] = {}
    for name in entry.inputs:
        value, listed = arrays[name], entry.tensors.get(name)
        several[name] = listed is not None and value.ndim == len(listed.shape) + 1
        one = value.shape[1:] if several[name] else value.shape
        if listed is not None and (
            len(one) != len(listed.shape)
            or any(size not in (-1, d) for size, d in zip(listed.shape, one, strict=True))
            or value.dtype.name != NUMPY_NAMES.get(listed.dtype, listed.dtype)
        ):
            raise StageboardError(
                f"{file.name}: '{clean(name)}' is {value.dtype.name} {list(value.shape)}, and {entry.name} takes {listed.dtype}"
                f" {list(listed.shape)}; for several samples put one more axis in front"
            )
        if several[name]:
            counts.add(len(value))
    if len(counts) > 1 or 0 in counts:
        raise StageboardError(
            f"{file.name} has {' and '.join(f'{count} samples' for count in sorted(counts))} of different inputs; give as many of each"
        )
    count = min(counts, default=1)
    if count > MOST_GIVEN:
        raise StageboardError(f"{file.name} has {count:,} samples; give {MOST_GIVEN:,} at most")
    return [
        {name: arrays[name][i] if several[name] else arrays[name] for name in entry.inputs}
        for i in range(count)
    ]
