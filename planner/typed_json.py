"""Values of JSON as structs: a reader declares what its file holds, and one sentence says where a value is another.

The declarations are :class:`msgspec.Struct` classes. A field without a default must be there; keys that are no field are
ignored unless the class forbids them. Nothing is converted but whole numbers, where a field is a float.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import fields

from planner.errors import ModelError, StageboardError
from planner.printable import LONGEST_ID, escaped, shown

T = TypeVar("T")
_MISSING = re.compile(r"missing required field `(\w+)`")
_UNKNOWN = re.compile(r"contains unknown field `(.*?)`(?: - at `\$\S*`)?$", re.DOTALL)
_PATH = re.compile(r"- at `\$(\S*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list", dict: "an object"}  # fmt: skip


def typed(value: Any, kind: type[T], where: str, error: type[StageboardError] = ModelError) -> T:
    """``value`` as ``kind``; ``where`` is what sentences call it. Raises ``error`` where it is something else."""
    try:
        try:
            return msgspec.convert(value, kind)
        except UnicodeEncodeError:  # a key holds half of a surrogate pair
            value = _written_out(value)
            return msgspec.convert(value, kind)
    except msgspec.ValidationError as problem:
        raise error(_sentence(str(problem), value, kind, where)) from None


def _written_out(value: Any) -> Any:
    """``value`` with what cannot be shown written out in all texts, which readers do anyway."""
    if isinstance(value, dict):
        return {_written_out(key): _written_out(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_written_out(entry) for entry in value]
    return escaped(value) if isinstance(value, str) else value


def _sentence(problem: str, value: Any, kind: Any, where: str) -> str:
    path = _PATH.search(problem)
    steps, value, kind = _walk(path[1] if path else "", value, kind)
    place = ": ".join([where, *steps])
    if unknown := _UNKNOWN.search(problem):
        known = ", ".join(sorted(_fields(_fitting(kind, value))))
        return f"{place} has a field {shown(unknown[1])}, which is not known; the fields are {known}"
    if missing := _MISSING.search(problem):
        expected = _words(_fields(_fitting(kind, value)).get(missing[1], str))
        return f"{place}: {missing[1]} is missing; it must be {expected}"
    words = _words(kind)
    if words in ("a list", "an object"):
        return f"{place} must be {words}, not {shown(value)}"
    if isinstance(value, str) and len(value) > LONGEST_ID:
        return f"{place} has {len(value):,} characters; at most {LONGEST_ID:,} are read of an id or a name, so shorten it"
    return f"{place} is {shown(value)}; it must be {words}"


def _walk(path: str, value: Any, kind: Any) -> tuple[list[str], Any, Any]:
    """(how sentences name the steps of ``path``, the value there, the type that it must have)."""
    steps: list[str] = []
    for key, index, *_ in _STEP.findall(path):
        kind = _fitting(kind, value)
        if key:
            steps.append(key)
            value, kind = value.get(key), _fields(kind).get(key, str)
        elif index:
            inner, number = get_args(kind), int(index)
            value, kind = value[number], inner[number if ... not in inner and len(inner) > 1 else 0]
            steps.append(_entry(steps.pop() if steps else "", number + 1, value, kind))
        else:  # a value of an object, of which nothing says which it is
            kind = get_args(kind)[-1]
            key = next(name for name, entry in value.items() if not _is(entry, kind))
            steps.append(escaped(key)[:60])
            value = value[key]
    return steps, value, kind


def _entry(whole: str, number: int, value: Any, kind: Any) -> str:
    """How sentences name an entry of a list: one of the ops is an op, and told by its id."""
    if not any(map(_is_struct, _members(kind))):
        return f"entry number {number} of {whole or 'it'}"
    identity = value.get("id") if isinstance(value, dict) else None
    named = isinstance(identity, (str, int)) and identity != ""
    return f"{whole.removesuffix('s') or 'entry'} number {number}" + (
        f" ('{escaped(str(identity))[:60]}')" if named else ""
    )


def _is(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True


def _fitting(kind: Any, value: Any) -> Any:
    """The member of a union that ``value`` claims to be; else ``kind`` itself."""
    members = _members(kind)
    for member in members:
        member = get_args(member)[0] if get_origin(member) is Annotated else member
        origin = get_origin(member) or member
        if origin in (list, tuple, dict) and isinstance(value, dict if origin is dict else list):
            return member
        if _is_struct(member) and isinstance(value, dict):
            config = member.__struct_config__
            if len(members) == 1 or value.get(config.tag_field) == config.tag:
                return member
    return kind


def _members(kind: Any) -> list[Any]:
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [member for member in get_args(kind) if member is not NoneType]
    return [kind]


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _fields(kind: Any) -> dict[str, Any]:
    """Type of every key; of structs in a union, which are told apart by a tag, that of the tag."""
    if _is_struct(kind):
        return {field.encode_name: field.type for field in fields(kind)}
    configs = [member.__struct_config__ for member in _members(kind) if _is_struct(member)]
    return {config.tag_field: Literal[tuple(c.tag for c in configs)] for config in configs}


def _words(kind: Any) -> str:
    """What a value of that type is, after "it must be"."""
    metas: Iterable[Any] = kind.__metadata__ if get_origin(kind) is Annotated else ()
    for meta in metas:
        if meta.description is not None:
            return meta.description
    kind = get_args(kind)[0] if metas else kind
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_words, _members(kind))))
    if origin is Literal:
        return " or ".join("null" if one is None else shown(one) for one in get_args(kind))
    if origin is tuple and ... not in get_args(kind):
        return f"a list of {len(get_args(kind))} values"
    words = "a list" if origin is tuple else _WORDS.get(origin, "an object")
    for meta in metas:
        words = "a whole number" if meta.multiple_of is not None else words
        if meta.le == sys.float_info.max:
            return f"{words}, finite and not negative"
        if meta.le is not None:
            form = "d" if words == "a whole number" else "g"
            if meta.gt is not None:
                return f"{words} above {meta.gt:{form}} and at most {meta.le:{form}}"
            return f"{words} from {meta.ge:{form}} to {meta.le:{form}}"
        words = f"{words} that is not empty" if meta.min_length else words
    return words
