"""What the JSON of an exported program holds, as far as a graph of ops needs it.

The names are those of PyTorch's ``torch/_export/serde/schema.py``, schema 5 (torch 2.3) to 8 (torch 2.5 to 2.13). A union such as
``Argument`` is an object with one of its fields.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from planner.formats.checks import Long, Text


class Hint(Struct):
    """The value that a symbolic size had when the program was exported."""

    as_int: Any = None


class Expression(Struct):
    """A size that depends on symbols."""

    expr_str: str
    hint: Hint | None = None


class Size(Struct):
    """One size of a tensor, ``SymInt``."""

    as_int: Long | None = None
    as_expr: Expression | None = None


class TensorMeta(Struct):
    """Type and sizes of a tensor."""

    dtype: int | str
    sizes: list[Size]


class Named(Struct):
    """A reference to a value by its name."""

    name: Text


class Optional(Struct):
    """A reference that may be none, ``OptionalTensorArgument``."""

    as_tensor: Named | None = None


class Body(Struct):
    """A graph that is an argument, of ``cond`` and other operators that run graphs."""

    graph: GraphRecord


class Argument(Struct):
    """One argument or result of an operator; all but what is a tensor, a graph or a word is left out."""

    as_tensor: Named | None = None
    as_tensors: list[Named] | None = None
    as_nested_tensors: list[list[Named]] | None = None
    as_optional_tensor: Optional | None = None
    as_optional_tensors: list[Optional] | None = None
    as_string_to_argument: dict[str, Argument] | None = None
    as_graph: Body | None = None
    as_string: Any = None
    as_bool: Any = None
    as_int: Any = None
    as_ints: Any = None

    def tensors(self) -> list[str]:
        """The names of all tensors in it, in order."""
        found = [] if self.as_tensor is None else [self.as_tensor]
        found += self.as_tensors or []
        for row in self.as_nested_tensors or []:
            found += row
        optional = [
            *(self.as_optional_tensors or []),
            *([self.as_optional_tensor] if self.as_optional_tensor else []),
        ]
        found += [one.as_tensor for one in optional if one.as_tensor is not None]
        names = [str(one.name) for one in found]
        for inner in (self.as_string_to_argument or {}).values():
            names += inner.tensors()
        return names


class NamedArgument(Struct):
    """An argument by its name in the operator's schema."""

    arg: Argument
    name: str = ""


class Node(Struct):
    """One operator call."""

    target: str
    inputs: list[NamedArgument]
    outputs: list[Argument]
    metadata: dict[str, Any] = {}
    name: str | None = None


class GraphRecord(Struct):
    """A graph: its operator calls in the order of their running, and what is known of the tensors."""

    inputs: list[Argument]
    outputs: list[Argument]
    nodes: list[Node]
    tensor_values: dict[str, TensorMeta]


class ArgumentSpec(Struct):
    """What a graph's input is, with its argument."""

    arg: Any = None
    parameter_name: str = ""
    buffer_name: str = ""
    tensor_constant_name: str = ""


class InputSpec(Struct):
    """One input of the program: of its user, or stored."""

    user_input: ArgumentSpec | None = None
    parameter: ArgumentSpec | None = None
    buffer: ArgumentSpec | None = None
    tensor_constant: ArgumentSpec | None = None


class Signature(Struct):
    """Inputs and outputs by their kind."""

    input_specs: list[InputSpec]
    output_specs: list[dict[str, Any]]


class GraphModule(Struct):
    """The graph with its signature."""

    graph: GraphRecord
    signature: Signature


class Program(Struct):
    """An exported program."""

    graph_module: GraphModule
    schema_version: Any = None
    torch_version: Any = None
