"""TFLite files under LiteRT, one way for whole models and stages alike.

On the CPU, in one thread unless it is measured, without delegates: an operator then runs the same kernel in a stage as in the whole model and
computes the same, bit for bit. A delegate fuses neighbours, and where it can depends on where the model is cut.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.printable import clean


class TfliteModel:
    """One TFLite file (or its bytes), ready to run. ``inner`` keeps the tensors between operators, for :meth:`tensor`."""

    def __init__(
        self, model: str | os.PathLike[str] | bytes, what: str, *, inner: bool = False, threads: int = 1
    ) -> None:  # fmt: skip
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        self.what = what
        try:
            self._interpreter = Interpreter(
                model_path=None if isinstance(model, bytes) else str(model),
                model_content=model if isinstance(model, bytes) else None,
                num_threads=threads,
                experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                experimental_preserve_all_tensors=inner,
            )
        except (RuntimeError, ValueError) as error:
            raise StageboardError(f"{what} cannot be loaded: {_reason(error)}") from error
        self.inputs: Sequence[Mapping[str, Any]] = self._interpreter.get_input_details()
        """Of each input ``shape``, ``shape_signature``, ``dtype`` and more, in order."""
        self._outputs = list(
            dict.fromkeys(detail["index"] for detail in self._interpreter.get_output_details())
        )
        self._ready = False

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Outputs in order, each once, from inputs in order.

        Inputs may have other sizes than those stored, where the model can do it: what a stage gets from another may have
        a size that is known only when the model runs.
        """
        if len(values) != len(self.inputs):
            raise StageboardError(f"{self.what} takes {len(self.inputs)} tensors, not {len(values)}")
        try:
            arrays = [np.asarray(value) for value in values]
            for detail, value in zip(self.inputs, arrays, strict=True):
                if tuple(detail["shape"]) != value.shape:
                    self._interpreter.resize_tensor_input(detail["index"], value.shape)
                    self._ready = False
            if not self._ready:
                self._interpreter.allocate_tensors()
                self.inputs = self._interpreter.get_input_details()
                self._ready = True
            for detail, value in zip(self.inputs, arrays, strict=True):
                self._interpreter.set_tensor(detail["index"], value)
            self._interpreter.invoke()
            return [self._interpreter.get_tensor(index) for index in self._outputs]
        except (RuntimeError, ValueError) as error:
            raise StageboardError(f"{self.what} cannot be run: {_reason(error)}") from error

    def seconds(self, clock: Callable[[], float] = time.perf_counter) -> float:
        """How long one more run takes by a ``clock``, on what the last one was given. Raises :class:`StageboardError`."""
        start = clock()
        try:
            self._interpreter.invoke()
        except (RuntimeError, ValueError) as error:
            raise StageboardError(f"{self.what} cannot be run: {_reason(error)}") from error
        return clock() - start

    def tensor(self, index: int) -> Any:
        """A tensor between operators, of the last run."""
        return self._interpreter.get_tensor(index)

    def reset(self) -> None:
        """Set states back to how they are stored."""
        if self._ready:
            self._interpreter.reset_all_variables()


def _reason(error: Exception) -> str:
    words = clean(" ".join(str(error).split()))
    return words if len(words) <= 200 else f"{words[:197]}..."
