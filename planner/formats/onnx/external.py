"""Weights that an ONNX model keeps in files beside it, brought into the tensors of the model.

The format says where: a path from the model's folder, an offset and a length. A file from a stranger may say anything, so a
path may not leave the folder, and offset and length must fit both the file and the tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from planner.errors import ModelError
from planner.formats.onnx.folding import STRING, bytes_of
from planner.formats.onnx.nodes import bodies_of
from planner.formats.onnx.shapes import is_external
from planner.printable import clean


def bring_in(tensor: Any, model: Path) -> None:
    """Put the elements of a ``TensorProto`` into it, in place, where they lie in another file.

    Raises :class:`ModelError` where that file is missing, outside the model's folder or too short.
    """
    if not is_external(tensor):
        return
    entries = {entry.key: entry.value for entry in tensor.external_data}
    what = f"{model.name}: the stored tensor '{clean(tensor.name)}'"
    place = _place(entries.get("location", ""), model, what)
    count = round(bytes_of(tuple(tensor.dims), tensor.data_type))
    offset, length = (_number(entries.get(key, ""), what) for key in ("offset", "length"))
    if tensor.data_type == STRING or (length and length != count):
        raise ModelError(
            f"{what} has {count} bytes but claims {length} in {place.name}; export the model again"
        )
    try:
        data = b""
        if 0 <= count <= place.stat().st_size - offset:  # asked first: a read sets aside what it is asked for
            with place.open("rb") as stream:
                stream.seek(offset)
                data = stream.read(count)
    except OSError as error:
        raise ModelError(
            f"{what} lies in {place.name}, which cannot be read ({(error.strerror or '').lower()});"
            " put that file beside the model"
        ) from error
    if len(data) != count:
        raise ModelError(f"{what} lies beyond the end of {place.name}; copy or export both files again")
    tensor.raw_data = data
    tensor.ClearField("external_data")
    tensor.ClearField("data_location")


def _place(location: str, model: Path, what: str) -> Path:
    """The file that a location means."""
    parts = PurePosixPath(location.replace("\\", "/"))
    folder = model.resolve().parent
    place = (folder / parts).resolve()
    if not location or parts.is_absolute() or not place.is_relative_to(folder):
        raise ModelError(
            f"{what} lies in '{clean(location)}', outside the model's folder; only files beside the model are read"
        )
    if not place.is_file():
        raise ModelError(
            f"{what} lies in {clean(location)}, which is not there; put that file beside the model"
        )
    return place


def _number(text: str, what: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ModelError(f"{what} has the offset or length '{clean(text)[:40]}'; export the model again")
    return int(text or 0)


def tensors_of(node: Any) -> Iterator[Any]:
    """The stored tensors among a node's attributes, those in its bodies included."""
    for attribute in node.attribute:
        if attribute.HasField("t"):
            yield attribute.t
        if attribute.HasField("sparse_tensor"):
            yield attribute.sparse_tensor.values
            yield attribute.sparse_tensor.indices
        yield from attribute.tensors
    for body in bodies_of(node):
        yield from body.initializer
        for sparse in body.sparse_initializer:
            yield sparse.values
            yield sparse.indices
        for inner in body.node:
            yield from tensors_of(inner)
