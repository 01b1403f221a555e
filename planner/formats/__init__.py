"""Model files: which formats there are, and one door through which every model comes in.

:func:`read_graph` reads a file as it is; :func:`read_model` and :func:`read_models` also estimate missing times, so that
the graph can be planned. Whatever is wrong with a file is a :class:`planner.errors.ModelError` of one sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.errors import ModelError
from planner.files import ZIP, read_bytes, read_json
from planner.formats.merge import merge
from planner.guard import guarded
from planner.model.cost_model import fill
from planner.model.graph import Graph
from planner.model.precision import FILE, checked, counted_in
from planner.model.times import Use, shared_out, uses_of

if TYPE_CHECKING:
    from planner.model.cost_model import CostModel

LARGEST_BATCH = 1_000_000
HDF5 = b"\x89HDF\r\n\x1a\n"
"""How an HDF5 file begins."""


@dataclass(frozen=True)
class Format:
    """One kind of model file, as file dialogs and the documentation list it."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    what: str


FORMATS: tuple[Format, ...] = (
    Format("onnx", "ONNX", (".onnx",), "a network as exported by PyTorch, TensorFlow, Keras and others"),
    Format("tflite", "TFLite", (".tflite",), "a network for mobile and edge devices, float or quantised"),
    Format("keras", "Keras", (".keras", ".h5", ".hdf5"), "a functional or sequential model that Keras saved"),
    Format("torch-export", "PyTorch export", (".pt2",), "a program that torch.export saved"),
    Format("stageboard-graph", "Stageboard graph", (".json",), "Stageboard's own graph JSON"),
    Format(
        "device-placement", "Device placement", (".json",), "profiled workloads of the device-placement paper"
    ),
    Format("graphml", "GraphML", (".graphml", ".xml"), "graphs from networkx, yEd, Gephi and others"),
    Format("dot", "DOT", (".dot", ".gv"), "graphs for Graphviz"),
    Format(
        "cost-graph",
        "Cost graph",
        (".pbtxt", ".textproto"),
        "TensorFlow's CostGraphDef as text: the REGAL set",
    ),
    Format("pipedream", "PipeDream profile", (".txt",), "graphs that PipeDream's profiler measured"),
)
SUFFIXES: tuple[str, ...] = tuple(dict.fromkeys(suffix for form in FORMATS for suffix in form.suffixes))
"""Every suffix a model file may have."""


def read_graph(path: str | os.PathLike[str], *, batch: int = 1, precision: str = FILE) -> Graph:
    """The graph in a file, its format told by suffix and content; ``batch`` binds symbolic batch dimensions (ONNX, TFLite), and what is in
    floating point is counted in ``precision`` (:func:`planner.model.precision.counted_in`).

    Times the file does not give are NaN. Raises :class:`ModelError`: one sentence naming the file, what is wrong with it
    and what to do.
    """
    if isinstance(batch, bool) or not isinstance(batch, int) or not 1 <= batch <= LARGEST_BATCH:
        raise ModelError(f"the batch is {batch!r}; it must be a whole number from 1 to {LARGEST_BATCH}")
    checked(precision)
    file = Path(path)
    with guarded(file.name, ModelError, smaller="split the model"):
        try:
            return counted_in(_reader(file)(file, batch), precision)
        except ModelError as error:
            raise _naming(file, error) from error.__cause__


def read_model(
    path: str | os.PathLike[str], *, batch: int = 1, precision: str = FILE, cost_model: CostModel | None = None,
    times: Sequence[Use] = (),
) -> Graph:  # fmt: skip
    """:func:`read_graph`, then :func:`planner.model.cost_model.fill`: a graph that is ``profiled``."""
    return read_models([path], batch=batch, precision=precision, cost_model=cost_model, times=times)


def read_models(
    paths: Sequence[str | os.PathLike[str]], *, batch: int = 1, precision: str = FILE, cost_model: CostModel | None = None,
    times: Sequence[Use] = (),
) -> Graph:  # fmt: skip
    """One profiled graph of several models (:func:`planner.formats.merge.merge`), to be deployed together.

    Measured ``times`` stand before those that files give (:func:`planner.model.times.with_times_of`).
    """
    graphs = [read_graph(path, batch=batch, precision=precision) for path in paths]
    return fill(merge(shared_out(graphs, times)), cost_model)


def uses_together(
    paths: Sequence[str | os.PathLike[str]], uses: Sequence[Use], *, batch: int = 1
) -> tuple[Use, ...]:
    """Profiles of single models as profiles of the graph that these make together; those of a model alone as they are.

    Raises :class:`ModelError` where one is of none of them.
    """
    if len(paths) == 1:
        return tuple(uses)
    merged = merge(shared_out([read_graph(path, batch=batch) for path in paths], uses))
    return uses_of(merged)


Reader = Callable[[Path, int], Graph]


def _reader(file: Path) -> Reader:
    suffix = file.suffix.lower()
    if suffix == ".onnx":
        return _read_onnx
    if suffix == ".tflite":
        return _read_tflite
    if suffix in (".keras", ".h5", ".hdf5"):
        return _read_keras
    if suffix == ".pt2":
        return _read_torch_export
    if suffix == ".json":
        return _read_json
    if suffix in (".graphml", ".xml"):
        return _read_graphml
    if suffix in (".dot", ".gv"):
        return _read_dot
    if suffix in (".pbtxt", ".textproto"):
        return _read_cost_graph
    return _reader_by_content(file)


def _reader_by_content(file: Path) -> Reader:
    known = ", ".join(SUFFIXES)
    if not file.is_file():
        read_bytes(file, 0)  # says what is wrong with the path
        raise ModelError(f"{file.name} cannot be read; choose a model file ({known})")
    try:
        with file.open("rb") as stream:
            start = stream.read(4096)
    except OSError as error:
        raise ModelError(
            f"{file.name} cannot be read ({(error.strerror or '').lower()}); check its permissions"
        ) from error
    if start[4:8] == b"TFL3":
        return _read_tflite
    if start.startswith(HDF5):
        return _read_keras
    if start.startswith(ZIP) and (reader := _reader_of_archive(file)):
        return reader
    start = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return _read_json
    if start.startswith(b"<"):
        return _read_graphml
    if start.startswith((b"digraph", b"strict", b"graph", b"//", b"/*")):
        return _read_dot
    from planner.formats.graphs.cost_graph import is_cost_graph
    from planner.formats.graphs.pipedream import is_pipedream

    if is_cost_graph(start):
        return _read_cost_graph
    if is_pipedream(start):
        return _read_pipedream
    from planner.formats.networks.read import is_network_file

    if is_network_file(file):
        raise ModelError(
            f"{file.name} is a sparse network, not a graph of ops; plan it for a two-level memory (--target memory:100)"
        )
    what = f"has the suffix '{file.suffix}'" if file.suffix else "has no suffix"
    raise ModelError(f"{file.name} {what} and is no model that is known here; known are {known}")


def _reader_of_archive(file: Path) -> Reader | None:
    from planner.formats import archives
    from planner.formats.keras.file import is_keras
    from planner.formats.torch_export.archive import is_program

    names = archives.names_in(file)
    if is_program(names):
        return _read_torch_export
    return _read_keras if is_keras(names) else None


def _read_onnx(file: Path, batch: int) -> Graph:
    from planner.formats.onnx import model as onnx_model

    return onnx_model.read(file, batch=batch)


def _read_tflite(file: Path, batch: int) -> Graph:
    from planner.formats.tflite import model as tflite_model

    return tflite_model.read(file, batch=batch)


def _read_keras(file: Path, batch: int) -> Graph:
    from planner.formats.keras import model as keras_model

    return keras_model.read(file, batch=batch)


def _read_torch_export(file: Path, batch: int) -> Graph:
    from planner.formats.torch_export import model as torch_export_model

    return torch_export_model.read(file, batch=batch)


def _read_graphml(file: Path, batch: int) -> Graph:
    from planner.formats.graphs import graphml

    return graphml.read(file)


def _read_dot(file: Path, batch: int) -> Graph:
    from planner.formats.graphs import dot

    return dot.read(file)


def _read_cost_graph(file: Path, batch: int) -> Graph:
    from planner.formats.graphs import cost_graph

    return cost_graph.read(file)


def _read_pipedream(file: Path, batch: int) -> Graph:
    from planner.formats.graphs import pipedream

    return pipedream.read(file)


def _read_json(file: Path, batch: int) -> Graph:
    from planner.formats.graphs import device_placement, stageboard_json

    value = read_json(file)
    if stageboard_json.is_stageboard_graph(value):
        return stageboard_json.from_json(value, file.name, file.stem)
    if device_placement.is_device_placement(value):
        return device_placement.from_json(value, file.name, file.stem)
    raise ModelError(
        f"{file.name} is JSON but {_json_kind(value)}; open a graph in Stageboard's or the device-placement format"
    )


def _json_kind(value: Any) -> str:
    if isinstance(value, dict) and value.get("format") == "stageboard-plan":
        return "a plan, not a model (open its model first, then the plan)"
    if isinstance(value, dict) and "fpgas" in value:
        return "a split, not a model (open its workload first)"
    return "not a model"


def _naming(file: Path, error: ModelError) -> ModelError:
    """The error, naming the file where its sentence does not."""
    sentence = str(error)
    if file.name and file.name in sentence:
        return error
    return ModelError(f"{file.name}: {sentence.removeprefix(f'{file.stem}: ')}")
