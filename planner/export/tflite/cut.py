"""Cutting a TFLite model into models of its operators: which tensors enter and leave each, and the models themselves.

Everything is decided from the file: a plan only says which operators go together. A stage keeps its operators in the
file's order (which is an execution order), their tensors, constants and control-flow bodies. A constant that several stages read
is copied to each, and so are operators that work on constants alone and belong to no stage.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from planner.errors import ModelError, StageboardError
from planner.export.tflite.schema import Stored, dtype_name, opcode_name, tensor_keys, text

_KEPT_METADATA = frozenset({"min_runtime_version"})
SUBGRAPH_FIELDS = (
    "subgraph", "thenSubgraphIndex", "elseSubgraphIndex", "condSubgraphIndex", "bodySubgraphIndex", "initSubgraphIndex",
    "decompositionSubgraphIndex", "comparatorSubgraphIndex", "updateComputationSubgraphIndex",
)  # fmt: skip
SUBGRAPH_LIST = "branchSubgraphIndices"
_HANDLES = frozenset({"resource", "variant"})


@dataclass(frozen=True, eq=False)
class Stage:
    """What one stage holds. All numbers index subgraph 0 of the file; tensors are listed in the order of the stage's file."""

    operators: tuple[int, ...]
    inputs: tuple[int, ...]
    """Model inputs first, in the model's order, then tensors of other stages in the order in which they are made."""
    outputs: tuple[int, ...]
    """What another stage reads or the model gives out, in the order in which it is made."""


class Cutter:
    """A model (``ModelT``), ready to be cut. ``name`` is what sentences call it."""

    def __init__(self, model: Any, name: str) -> None:
        self.model, self.name = model, name
        self.main = model.subgraphs[0]
        self.keys = tensor_keys(self.main)
        """A unique name for each tensor of subgraph 0."""
        self.operators: list[Any] = list(self.main.operators or ())
        self.inputs = _numbers(self.main.inputs)
        self.results = list(dict.fromkeys(_numbers(self.main.outputs)))
        self._made_by: dict[int, int] = {}
        for i, operator in enumerate(self.operators):
            for t in (
                *_numbers(operator.inputs),
                *_numbers(operator.outputs),
                *_numbers(operator.intermediates),
            ):
                if t >= len(self.main.tensors):
                    raise ModelError(f"{name}: operator {i} names tensor {t}, which the model does not have")
            for t in _numbers(operator.outputs):
                if self._made_by.setdefault(t, i) != i:
                    raise ModelError(f"{name}: the tensor '{self.keys[t]}' is made by two operators")
        # What is made in order: model inputs, then outputs of operators.
        made = dict.fromkeys([*self.inputs, *self._made_by])
        self._order = {t: i for i, t in enumerate(made)}

    def stages(self, groups: Sequence[Iterable[int]]) -> list[Stage]:
        """The stages of groups of operators, in the order in which they run. O(size of the subgraph).

        Raises :class:`StageboardError` where a state or a handle would have to cross from one stage to another, where an operator
        is in no group or a tensor is read before a later group makes it.
        """
        given = [sorted(set(group)) for group in groups]
        home = {i: s for s, group in enumerate(given) for i in group}
        copied = [self._constant_operators(group, home) for group in given]
        last = len(given) - 1
        read_by: list[set[int]] = []
        for s, group in enumerate(given):
            own = {t for i in (*group, *copied[s]) for t in _numbers(self.operators[i].outputs)}
            read = {t for i in (*group, *copied[s]) for t in _numbers(self.operators[i].inputs)}
            read_by.append({t for t in read - own if t in self._order})
            for t in read_by[s]:
                self._check_crossing(t, s, home)
        stages = []
        for s, group in enumerate(given):
            made = {t for i in group for t in _numbers(self.operators[i].outputs)}
            wanted = set().union(*(read for other, read in enumerate(read_by) if other != s), self.results)
            leaving = made & wanted
            if s == last:  # results that no stage makes: constants, and what is computed from constants
                stray = {t for t in self.results if t not in self.inputs and self._home(t, home) is None}
                self._add_makers(stray, copied[s])
                leaving |= stray
            stages.append(
                Stage(
                    tuple(sorted({*group, *copied[s]})),
                    tuple(sorted(read_by[s], key=self._order.__getitem__)),
                    tuple(sorted(leaving, key=lambda t: self._order.get(t, len(self._order) + t))),
                )
            )
        self._check_states(stages)
        return stages

    # -------------------------------------------------------------------------------------------------- constants
    def _home(self, tensor: int, home: dict[int, int]) -> int | None:
        """The stage that makes a tensor; None for inputs, constants and what is computed from constants."""
        maker = self._made_by.get(tensor)
        return None if maker is None else home.get(maker)

    def _constant_operators(self, group: Sequence[int], home: dict[int, int]) -> set[int]:
        """Operators of no stage whose results the group's operators read, directly or through each other."""
        found: set[int] = set()
        for i in group:
            self._add_makers(
                (t for t in _numbers(self.operators[i].inputs) if self._home(t, home) is None), found
            )
        return found

    def _add_makers(self, tensors: Iterable[int], found: set[int]) -> None:
        waiting = [self._made_by[t] for t in tensors if t in self._made_by]
        while waiting:
            i = waiting.pop()
            if i in found:
                continue
            found.add(i)
            for t in _numbers(self.operators[i].inputs):
                if t in self.inputs:
                    raise StageboardError(
                        f"{self.name}: operator {i} ({opcode_name(self.model, self.operators[i])}) is in no stage;"
                        " plan the model as it is now, then export"
                    )
                if t in self._made_by:
                    waiting.append(self._made_by[t])

    # ----------------------------------------------------------------------------------------------------- states
    def _check_crossing(self, tensor: int, stage: int, home: dict[int, int]) -> None:
        maker = self._made_by.get(tensor)
        if maker is None:
            return
        if home[maker] > stage:
            raise StageboardError(
                f"{self.name}: '{self.keys[tensor]}' is read in stage {stage} but made later, in stage {home[maker]};"
                " export a plan whose stages follow the model's order"
            )
        if dtype_name(self.main.tensors[tensor]) in _HANDLES:
            raise StageboardError(
                f"{self.name}: '{self.keys[tensor]}' is a handle to a state and cannot leave its stage; keep the operator that"
                " makes it and those that read it on one stage"
            )

    def _check_states(self, stages: Sequence[Stage]) -> None:
        holder: dict[str, int] = {}
        for s, stage in enumerate(stages):
            for i in stage.operators:
                for state in self._states(self.operators[i]):
                    if holder.setdefault(state, s) != s:
                        raise StageboardError(
                            f"{self.name}: stages {holder[state]} and {s} share the state '{state}', which lives inside one"
                            " model; keep the operators that use it on one stage"
                        )

    def _states(self, operator: Any) -> Iterator[str]:
        """Names of what an operator and its bodies remember between two runs: variable tensors and shared resources."""
        bodies = self._bodies([operator])
        inside = [inner for body in bodies for inner in self.model.subgraphs[body].operators or ()]
        yield from (self.keys[t] for t in _numbers(operator.inputs) if self.main.tensors[t].isVariable)
        for body in bodies:
            for t, tensor in enumerate(self.model.subgraphs[body].tensors or ()):
                if tensor.isVariable:
                    yield text(tensor.name) or f"tensor {t} of subgraph {body}"
        for each in (operator, *inside):
            options = each.builtinOptions
            if hasattr(options, "sharedName"):
                yield "/".join(filter(None, (text(options.container), text(options.sharedName))))
            if hasattr(options, "tableId"):
                yield f"table {options.tableId}"

    # ----------------------------------------------------------------------------------------------- control flow
    def _bodies(self, operators: Iterable[Any]) -> list[int]:
        """Subgraphs that the operators run, directly or from within each other, in ascending order."""
        found: set[int] = set()
        waiting = list(operators)
        while waiting:
            for body in subgraphs_of(waiting.pop()):
                if not 0 < body < len(self.model.subgraphs):
                    raise ModelError(
                        f"{self.name}: an operator runs subgraph {body}, which the model does not have"
                    )
                if body not in found:
                    found.add(body)
                    waiting += self.model.subgraphs[body].operators or ()
        return sorted(found)

    # ------------------------------------------------------------------------------------------------- the models
    def model_of(self, stage: Stage, description: str) -> Any:
        """The stage as a ``ModelT`` that can be packed. The model it was cut from is not changed."""
        from ai_edge_litert import schema_py_generated as schema

        operators = [self.operators[i] for i in stage.operators]
        bodies = self._bodies(operators)
        new = _Renumbered(self.model, {0: 0, **{body: i + 1 for i, body in enumerate(bodies)}})
        used = {*stage.inputs, *stage.outputs}
        for operator in operators:
            for numbers in (operator.inputs, operator.outputs, operator.intermediates):
                used.update(_numbers(numbers))
        kept = sorted(used)
        place = {t: i for i, t in enumerate(kept)}
        main = schema.SubGraphT(
            tensors=[new.tensor(self.main.tensors[t]) for t in kept],
            inputs=[place[t] for t in stage.inputs],
            outputs=[place[t] for t in stage.outputs],
            operators=[new.operator(operator, place) for operator in operators],
            name=self.main.name,
        )
        subgraphs = [main, *(new.subgraph(self.model.subgraphs[body]) for body in bodies)]
        metadata = []
        for entry in self.model.metadata or ():
            if text(entry.name) in _KEPT_METADATA and entry.buffer < len(self.model.buffers):
                metadata.append(schema.MetadataT(name=entry.name, buffer=new.buffer(entry.buffer)))
        return schema.ModelT(
            version=self.model.version,
            operatorCodes=new.codes,
            subgraphs=subgraphs,
            description=description,
            buffers=new.buffers,
            metadata=metadata or None,
        )


class _Renumbered:
    """Copies of a model's parts with the numbers that they have in a smaller one; collects the codes and buffers they use."""

    def __init__(self, model: Any, subgraphs: dict[int, int]) -> None:
        self._model, self._subgraphs = model, subgraphs
        self._code_of: dict[int, int] = {}
        self._buffer_of: dict[int, int] = {}
        self.codes: list[Any] = []
        self.buffers: list[Stored] = [Stored()]  # buffer 0 stands for no data

    def buffer(self, number: int) -> int:
        data = self._model.buffers[number].data
        if data is None or not len(data):
            return 0
        if number not in self._buffer_of:
            self._buffer_of[number] = len(self.buffers)
            self.buffers.append(Stored(data))
        return self._buffer_of[number]

    def tensor(self, tensor: Any) -> Any:
        out = copy.copy(tensor)
        out.buffer = self.buffer(tensor.buffer)
        return out

    def operator(self, operator: Any, place: dict[int, int] | None = None) -> Any:
        out = copy.copy(operator)
        code = operator.opcodeIndex
        if code not in self._code_of:
            self._code_of[code] = len(self.codes)
            self.codes.append(self._model.operatorCodes[code])
        out.opcodeIndex = self._code_of[code]
        if place is not None:
            for field in ("inputs", "outputs", "intermediates"):
                numbers = getattr(operator, field)
                if numbers is not None:
                    setattr(out, field, [place[t] if t >= 0 else -1 for t in map(int, numbers)])
        for field in ("builtinOptions", "builtinOptions2"):
            setattr(out, field, self._options(getattr(operator, field)))
        return out

    def subgraph(self, subgraph: Any) -> Any:
        out = copy.copy(subgraph)
        out.tensors = [self.tensor(tensor) for tensor in subgraph.tensors or ()]
        out.operators = [self.operator(operator) for operator in subgraph.operators or ()]
        out.debugMetadataIndex = -1
        return out

    def _options(self, options: Any) -> Any:
        if options is None:
            return None
        out = copy.copy(options)
        for field in SUBGRAPH_FIELDS:
            number = getattr(options, field, None)
            if number in self._subgraphs:
                setattr(out, field, self._subgraphs[number])
        if getattr(options, SUBGRAPH_LIST, None) is not None:
            setattr(out, SUBGRAPH_LIST, [self._subgraphs[int(b)] for b in getattr(options, SUBGRAPH_LIST)])
        return out


def subgraphs_of(operator: Any) -> list[int]:
    """The subgraphs an operator runs: branches, loop conditions and bodies, initialisers, decompositions."""
    found: list[int] = []
    for options in (operator.builtinOptions, operator.builtinOptions2):
        for field in SUBGRAPH_FIELDS:
            number = getattr(options, field, None)
            if number is not None and number >= 0:
                found.append(int(number))
        found += [int(b) for b in _list(getattr(options, SUBGRAPH_LIST, None))]
    return found


def _numbers(values: Any) -> list[int]:
    """Tensor numbers of a vector that may be missing; -1, an optional input that is not given, is left out."""
    return [int(t) for t in _list(values) if t >= 0]


def _list(values: Any) -> list[Any]:
    return [] if values is None else list(values)
