"""What reads model files, imported before anything is timed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def import_readers(paths: Sequence[str]) -> None:
    """Import the libraries that the model files need, so that reading them can be timed without that."""
    suffixes = {Path(path).suffix.lower() for path in paths}
    import planner.formats.graphs.device_placement
    import planner.formats.graphs.stageboard_json
    import planner.formats.merge
    import planner.model.cost_model

    if ".onnx" in suffixes:
        import planner.formats.onnx.model
    if suffixes & {".npz", ".mtx"}:
        import planner.formats.networks.read
        import planner.model.network_arrays
    if ".pt2" in suffixes:
        import planner.formats.torch_export.model
    if ".tflite" in suffixes:
        import tflite  # noqa: F401

        import planner.formats.tflite.model  # noqa: F401
    if suffixes & {".graphml", ".xml", ".dot", ".gv"}:
        import networkx  # noqa: F401
    if suffixes & {".pbtxt", ".textproto"}:
        import google.protobuf.text_format  # type: ignore[import-untyped]  # noqa: F401
