"""Running exported stages one after the other, as a host with several devices does.

    from planner.export.stages.runner import run_stages
    outputs = run_stages("stages/manifest.json", {"input": image})

The host keeps every tensor until the last stage that reads it has run, so that a tensor may skip stages. Verification of
an export runs the stages through this module, so what it says holds for those who use it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planner.errors import StageboardError
from planner.export.onnx.runtime import OnnxModel
from planner.export.stages.folder import ModelEntry, StageEntry, read_manifest
from planner.export.tflite.runtime import TfliteModel

Arrays = dict[str, Any]


def run_stages(
    manifest: str | os.PathLike[str], inputs: Mapping[str, Any], model: str | None = None
) -> Arrays:
    """The outputs of one model by name, from its inputs by name, through the stages listed in a manifest.

    ``model`` may be left out where the folder holds one only. States begin as they are stored. Raises
    :class:`StageboardError` for inputs that are missing or unknown and for stages that cannot be run.
    """
    return StageRunner(manifest, model).run(inputs)


class StageRunner:
    """The stages of one model, loaded once; states live on from run to run until :meth:`reset`."""

    def __init__(self, manifest: str | os.PathLike[str], model: str | None = None) -> None:
        folder = Path(manifest)
        folder = folder if folder.is_dir() else folder.parent
        listed = read_manifest(manifest)
        runtime = _runtime(listed.kind, manifest)
        self.entry: ModelEntry = listed.model(model)
        self._stages = [runtime(folder / stage.file, stage.file) for stage in self.entry.stages]
        self._last: dict[str, int] = {}
        for i, stage in enumerate(self.entry.stages):
            self._last.update(dict.fromkeys(stage.inputs, i))

    def run(self, inputs: Mapping[str, Any]) -> Arrays:
        """The model's outputs by name."""
        known = dict(inputs)
        for _ in self.steps(known):
            pass
        missing = [name for name in self.entry.outputs if name not in known]
        if missing:
            raise StageboardError(f"no stage of {self.entry.name} gives the output '{missing[0]}'")
        return {name: known[name] for name in self.entry.outputs}

    def steps(self, known: Arrays) -> Iterator[tuple[StageEntry, Arrays]]:
        """Run stage after stage: each and its outputs. ``known`` begins with the model's inputs and ends with its outputs."""
        unknown = sorted(set(known) - set(self.entry.inputs))
        if unknown:
            raise StageboardError(
                f"{self.entry.name} has no input '{unknown[0]}'; its inputs are {', '.join(self.entry.inputs)}"
            )
        kept = {*self.entry.outputs}
        for i, (stage, model) in enumerate(zip(self.entry.stages, self._stages, strict=True)):
            missing = [name for name in stage.inputs if name not in known]
            if missing:
                raise StageboardError(
                    f"{stage.file} reads '{missing[0]}', an input of {self.entry.name} that was not given; name all inputs"
                    if missing[0] in self.entry.inputs
                    else f"{stage.file} reads '{missing[0]}', which no stage before it gives"
                )
            values = model.run([known[name] for name in stage.inputs])
            if len(values) != len(stage.outputs):
                raise StageboardError(
                    f"{stage.file} gives {len(values)} tensors, but the manifest lists {len(stage.outputs)}"
                )
            made = dict(zip(stage.outputs, values, strict=True))
            known.update(made)
            for name in [name for name in known if self._last.get(name, -1) <= i and name not in kept]:
                del known[name]  # its last reader has run
            yield stage, made

    def reset(self) -> None:
        """Set the states of all stages back to how they are stored."""
        for stage in self._stages:
            stage.reset()


def _runtime(kind: str, manifest: str | os.PathLike[str]) -> Any:
    """What runs stages of a kind: a class made of a file and what sentences call it, with ``run`` and ``reset``."""
    if kind == "tflite-stages":
        return TfliteModel
    if kind == "onnx-stages":
        return OnnxModel
    raise StageboardError(f"{manifest} lists stages of the unknown kind '{kind}'; export them again")
