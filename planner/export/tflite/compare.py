"""Whether a stage, as written, is a part of its source: the same operators, options, tensors and constants, byte for byte.

Runs on random inputs do not see everything: a weight behind a value that is always cut off changes no output. Here the
bytes that were written are read again and compared with the source, so that nothing has to show up in a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.export.stages.stages import VerificationFailed
from planner.export.tflite.cut import SUBGRAPH_FIELDS, SUBGRAPH_LIST, Stage
from planner.export.tflite.schema import opcode_name, text

_OPERANDS = ("inputs", "outputs", "intermediates")
_PLACES = frozenset({"opcodeIndex", "debugMetadataIndex", *_OPERANDS})
"""Fields of an operator that are numbers of other parts."""


def check_part(whole: Any, part: Any, stage: Stage, title: str) -> None:
    """Raise :class:`VerificationFailed` with the first thing in which ``part`` is not what ``stage`` says of ``whole`` (both ``ModelT``)."""
    _Comparison(whole, part, title).main(stage)


class _Partners(dict[int, int]):
    """The copy's number of each tensor of the source that was met, and all these numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: set[int] = set()


class _Comparison:
    def __init__(self, whole: Any, part: Any, title: str) -> None:
        self.whole, self.part, self.title = whole, part, title
        self._bodies: dict[int, int] = {}

    def main(self, stage: Stage) -> None:
        whole, part = self.whole.subgraphs[0], self.part.subgraphs[0]
        operators = [whole.operators[i] for i in stage.operators]
        tensors = self._operators(whole, part, operators)
        for what, wanted, numbers in (
            ("inputs", stage.inputs, part.inputs),
            ("outputs", stage.outputs, part.outputs),
        ):
            given = [int(t) for t in numbers]
            if len(given) != len(wanted):
                raise self._failed(f"has {len(given)} {what}, not {len(wanted)}")
            for source, copy in zip(wanted, given, strict=True):
                self._pair(whole, part, source, copy, tensors, f"takes another tensor among its {what} than")

    def _body(self, source: int, copy: int) -> None:
        """Two subgraphs that run inside operators; a body that calls itself, or another that was met, is not followed again."""
        if source in self._bodies:
            if self._bodies[source] != copy:
                raise self._failed(f"runs another body than subgraph {source}")
            return
        self._bodies[source] = copy
        whole, part = self.whole.subgraphs[source], self.part.subgraphs[copy]
        tensors = self._operators(whole, part, whole.operators or ())
        for numbers, others in ((whole.inputs, part.inputs), (whole.outputs, part.outputs)):
            if len(_list(numbers)) != len(_list(others)):
                raise self._failed(f"runs another body than subgraph {source}")
            for t, u in zip(_list(numbers), _list(others), strict=True):
                self._pair(
                    whole, part, int(t), int(u), tensors, f"takes another tensor in subgraph {source} than"
                )

    def _operators(self, whole: Any, part: Any, operators: Sequence[Any]) -> _Partners:
        """Compare operators in order; the copy's number of each of the source's tensors that they name."""
        copies = part.operators or ()
        if len(copies) != len(operators):
            raise self._failed(f"has {len(copies)} operators, not {len(operators)}")
        tensors = _Partners()
        for source, copy in zip(operators, copies, strict=True):
            kind = opcode_name(self.whole, source)
            codes = self.whole.operatorCodes[source.opcodeIndex], self.part.operatorCodes[copy.opcodeIndex]
            if not _same(*codes):
                raise self._failed(f"runs {opcode_name(self.part, copy)} where the source runs {kind}")
            for field in vars(source):
                if field in ("builtinOptions", "builtinOptions2"):
                    self._options(getattr(source, field), getattr(copy, field), kind)
                elif field not in _PLACES and not _same(getattr(source, field), getattr(copy, field)):
                    raise self._failed(f"runs {kind} with another {field}")
            for field in _OPERANDS:
                numbers, others = _list(getattr(source, field)), _list(getattr(copy, field))
                if len(numbers) != len(others):
                    raise self._failed(f"gives {kind} {len(others)} {field}, not {len(numbers)}")
                for t, u in zip(numbers, others, strict=True):
                    self._pair(whole, part, int(t), int(u), tensors, f"gives {kind} another tensor than")
        return tensors

    def _options(self, source: Any, copy: Any, kind: str) -> None:
        if type(source) is not type(copy):
            raise self._failed(f"runs {kind} with other options")
        for field, value in vars(source).items() if source is not None else ():
            other = getattr(copy, field)
            if field in SUBGRAPH_FIELDS:
                self._body(int(value), int(other))
            elif field == SUBGRAPH_LIST and len(_list(value)) == len(_list(other)):
                for a, b in zip(_list(value), _list(other), strict=True):
                    self._body(int(a), int(b))
            elif not _same(value, other):
                raise self._failed(f"runs {kind} with another {field}")

    def _pair(self, whole: Any, part: Any, source: int, copy: int, tensors: _Partners, said: str) -> None:
        """Note that two tensors are the same one; they must be alike, and each must have no other partner."""
        if source < 0 or copy < 0:
            if source != copy:
                raise self._failed(f"{said} the source")
            return
        a = whole.tensors[source]
        name = text(a.name) or f"tensor {source}"
        if tensors.get(source, copy) != copy:
            raise self._failed(f"{said} '{name}'")
        if source in tensors:
            return
        if copy in tensors.copies or copy >= len(part.tensors):
            raise self._failed(f"{said} '{name}'")
        tensors[source] = copy
        tensors.copies.add(copy)
        b = part.tensors[copy]
        for field in vars(a):
            if field != "buffer" and not _same(getattr(a, field), getattr(b, field)):
                raise self._failed(f"holds '{name}' with another {field}")
        if not _same(_data(self.whole, a), _data(self.part, b)):
            raise self._failed(f"holds '{name}' with other values")

    def _failed(self, said: str) -> VerificationFailed:
        return VerificationFailed(f"{self.title} {said}; nothing was written")


def _data(model: Any, tensor: Any) -> Any:
    data = model.buffers[tensor.buffer].data
    return None if data is None or not len(data) else data


def _same(a: Any, b: Any) -> bool:
    """Whether two values of the object API are equal, field by field; vectors may be lists or arrays."""
    if a is None or b is None:
        return a is b
    if isinstance(a, (np.ndarray, list)):
        if len(a) != len(b):
            return False
        if len(a) and hasattr(a[0], "__dict__"):
            return all(_same(x, y) for x, y in zip(a, b, strict=True))
        if isinstance(a, list) and a and isinstance(a[0], (bytes, str)):
            return all(text(x) == text(y) for x, y in zip(a, b, strict=True))
        x, y = np.asarray(a), np.asarray(b)
        return bool(np.array_equal(x, y, equal_nan=x.dtype.kind == "f"))
    if isinstance(a, (bytes, str)):
        return isinstance(b, (bytes, str)) and text(a) == text(b)
    if hasattr(a, "__dict__"):
        return type(a) is type(b) and all(_same(value, getattr(b, field)) for field, value in vars(a).items())
    return bool(a == b) or (a != a and b != b)


def _list(values: Any) -> list[Any]:
    return [] if values is None else list(values)
