"""What reads model files, imported before anything is timed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def import_readers(paths: Sequence[str]) -> None:
    """Import the libraries that the model files need, so that reading them can be timed without that."""
    suffixes = {Path(path).suffix.lower() for path in paths}

    if ".onnx" in suffixes:
        pass
    if suffixes & {".npz", ".mtx"}:
        pass
    if suffixes & {".keras", ".h5", ".hdf5"}:
        import h5py  # noqa: F401

    if ".pt2" in suffixes:
        pass
    if ".tflite" in suffixes:
        import ai_edge_litert.schema_py_generated  # noqa: F401

    if suffixes & {".graphml", ".xml", ".dot", ".gv"}:
        import networkx  # noqa: F401
    if suffixes & {".pbtxt", ".textproto"}:
        import google.protobuf.text_format  # type: ignore[import-untyped]  # noqa: F401
