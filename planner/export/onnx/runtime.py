"""ONNX files under onnxruntime, one way for whole models and stages alike.

On the CPU, in one thread, without graph optimisations: an op then runs the same kernel in a stage as in the whole model,
and sums are not taken in another order because a neighbour could be fused away.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from planner.errors import StageboardError
from planner.printable import clean


class OnnxModel:
    """One ONNX file (or its bytes), ready to run. ``what`` is what sentences call it."""

    def __init__(self, model: str | os.PathLike[str] | bytes, what: str) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        self.what = what
        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        given = model if isinstance(model, bytes) else str(model)
        try:
            self._session = onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime has a dozen kinds of its own
            raise StageboardError(f"{what} is refused by onnxruntime: {_reason(error)}") from error
        self.inputs: dict[str, str] = {value.name: value.type for value in self._session.get_inputs()}
        """The inputs' names, in order, and types as onnxruntime writes them: ``tensor(float)``."""
        self.outputs: list[str] = [value.name for value in self._session.get_outputs()]

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Outputs in order from inputs in order. Raises :class:`StageboardError`."""
        if len(values) != len(self.inputs):
            raise StageboardError(f"{self.what} takes {len(self.inputs)} tensors, not {len(values)}")
        try:
            return list(self._session.run(self.outputs, dict(zip(self.inputs, values, strict=True))))
        except Exception as error:
            raise StageboardError(f"{self.what} cannot be run by onnxruntime: {_reason(error)}") from error

    def reset(self) -> None:
        """ONNX models remember nothing from run to run."""


def _reason(error: Exception) -> str:
    words = clean(" ".join(str(error).split()))
    return words if len(words) <= 200 else f"{words[:197]}..."
