"""ONNX files under onnxruntime, one way for whole models and stages alike.

Where outputs are compared, on the CPU, in one thread, without graph optimisations: an op then runs the same kernel in a stage as in the
whole model, and sums are not taken in another order because a neighbour could be fused away. Where time is measured, optimised.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from planner.errors import StageboardError
from planner.printable import clean

CPU = "CPUExecutionProvider"


def providers() -> list[str]:
    """What the onnxruntime that is installed can run ops on, by its own names."""
    import onnxruntime  # type: ignore[import-untyped]

    return list(onnxruntime.get_available_providers())


class OnnxModel:
    """One ONNX file (or its bytes), ready to run. ``what`` is what sentences call it.

    ``optimised``: which graph optimisations ("" for none, "extended"); ``written``: a file for the optimised model;
    ``profile``: a folder for the profile of what runs (:meth:`end_profile`), empty for none; ``provider``: what runs the ops that it
    can (:func:`providers`), the CPU the rest.
    """

    def __init__(
        self, model: str | os.PathLike[str] | bytes, what: str, *, optimised: Literal["", "extended"] = "", threads: int = 1,
        written: str = "", profile: str = "", provider: str = CPU,
    ) -> None:  # fmt: skip
        import onnxruntime

        self.what = what
        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if optimised else levels.ORT_DISABLE_ALL
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        if written:
            options.optimized_model_filepath = written
        if profile:
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(profile, "profile")
        options.log_severity_level = 4
        given = model if isinstance(model, bytes) else str(model)
        try:
            self._session = onnxruntime.InferenceSession(
                given, options, providers=list(dict.fromkeys((provider, CPU)))
            )
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

    def end_profile(self) -> str:
        """End profiling; returns the file that it is in."""
        return str(self._session.end_profiling())

    def reset(self) -> None:
        """ONNX models remember nothing from run to run."""


def _reason(error: Exception) -> str:
    words = clean(" ".join(str(error).split()))
    return words if len(words) <= 200 else f"{words[:197]}..."
