"""Keras models of a few layers, in the words of Keras 2 and of Keras 3, as archives and as HDF5 files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Shape = Sequence[int | None]


def layer(kind: str, name: str, reads: Sequence[Any] = (), **config: Any) -> dict[str, Any]:
    """A layer in Keras 2's words; each of ``reads`` is a name, a (name, call, output), or a list of those that one call reads."""
    calls = []
    for call in reads:
        sources = call if isinstance(call, list) else [call]
        calls.append([[*(source if isinstance(source, tuple) else (source, 0, 0)), {}] for source in sources])
    return {"class_name": kind, "name": name, "config": {"name": name, **config}, "inbound_nodes": calls}


def given(name: str, *shape: int | None, batch: int | None = None) -> dict[str, Any]:
    """An input."""
    return layer("InputLayer", name, batch_input_shape=[batch, *shape], dtype="float32")


def tensor(
    name: str, shape: Shape | None = None, call: int = 0, output: int = 0, dtype: str = "float32"
) -> dict[str, Any]:
    """A tensor that a call reads, in Keras 3's words."""
    config = {"shape": shape, "dtype": dtype, "keras_history": [name, call, output]}
    return {"class_name": "__keras_tensor__", "config": config}


def functional(
    layers: Sequence[Any], inputs: Sequence[str], outputs: Sequence[Any], name: str = "m"
) -> dict[str, Any]:
    """A model of layers; outputs are names or (name, call, output)."""
    ends = [
        [list(end) if isinstance(end, tuple) else [end, 0, 0] for end in group] for group in (inputs, outputs)
    ]
    config = {"name": name, "layers": list(layers), "input_layers": ends[0], "output_layers": ends[1]}
    return {"class_name": "Functional", "config": config}


def sequential(layers: Sequence[Any], name: str = "chain", **more: Any) -> dict[str, Any]:
    """A chain of layers."""
    return {"class_name": "Sequential", "config": {"name": name, "layers": list(layers), **more}}


def archive(path: Path, config: Any, weights: bytes | None = None, packing: int = zipfile.ZIP_STORED) -> Path:
    """A ``.keras`` file."""
    with zipfile.ZipFile(path, "w", packing) as made:
        made.writestr("metadata.json", '{"keras_version": "3.0.0"}')
        made.writestr("config.json", config if isinstance(config, str) else json.dumps(config))
        if weights is not None:
            made.writestr("model.weights.h5", weights)
    return path


def hdf5(path: Path, config: Any, weights: Mapping[str, Any] | None = None) -> Path:
    """An ``.h5`` file; ``weights`` are arrays or links by their path."""
    import h5py

    with h5py.File(path, "w") as file:
        if config is not None:
            file.attrs["model_config"] = config if isinstance(config, (str, bytes)) else json.dumps(config)
        for place, content in (weights or {}).items():
            file[place] = content
    return path
