"""Values of JSON as structs: what is refused is told in one sentence, by its place."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from planner.errors import ModelError, PlanError
from planner.formats.checks import Count, Figure, Flag, Long, Number, Text, words
from planner.typed_json import typed


class Pin(Struct, tag_field="kind", tag="pin"):
    op: Text


class Together(Struct, tag_field="kind", tag="together"):
    ops: list[Text]


class Op(Struct):
    id: Text
    work: Number | None = None
    count: Count = 0
    seed: Long = 0
    supported: Flag = True


class Closed(Struct, forbid_unknown_fields=True):
    x: float
    y: float = 0.0


class File(Struct):
    ops: list[Op]
    unit: Literal["s", None] = None
    rules: list[Pin | Together] = []
    pairs: list[tuple[Text, Figure]] = []
    costs: dict[str, Figure] = {}
    camera: Closed | None = None
    methods: list[str | Closed] = []
    seeds: Annotated[int, Meta(ge=1, le=9)] | list[int] = 1
    rest: Any = None


def test_what_is_declared_is_read() -> None:
    rest = {"a": [1]}
    value = {
        "ops": [{"id": 7, "work": 1, "count": 3.0, "supported": 0, "colour": "red"}],
        "rules": [{"kind": "pin", "op": "7"}],
        "rest": rest,
    }
    file = typed(value, File, "f.json")
    op = file.ops[0]
    assert (words(op.id), op.work, op.count, op.supported) == ("7", 1.0, 3, 0) and type(op.work) is float
    assert isinstance(file.rules[0], Pin) and file.rest is rest


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ops": 3}, "f.json: ops must be a list, not 3"),
        ({"ops": [3]}, "f.json: op number 1 must be an object, not 3"),
        ({"ops": [{}]}, "f.json: op number 1: id is missing; it must be text that is not empty"),
        ({"ops": [{"id": ""}]}, "f.json: op number 1: id is ''; it must be text that is not empty"),
        ({"ops": [{"id": "a\x1b", "work": -1}]}, "f.json: op number 1 ('a\\x1b'): work is -1; it must be a number from 0 to 1e+30"),
        ({"ops": [{"id": 1, "count": 2.5}]}, "f.json: op number 1 ('1'): count is 2.5; it must be a whole number from 0 to 2147483647"),
        ({"ops": [{"id": 1, "seed": 2.0**63}]}, f"f.json: op number 1 ('1'): seed is {2.0**63}; it must be a whole number from 0 to {2**63 - 1}"),
        ({"ops": [{"id": 1, "supported": 2}]}, "f.json: op number 1 ('1'): supported is 2; it must be true or false"),
        ({"ops": [{"id": "x" * 70_000}]}, f"f.json: op number 1 ('{'x' * 60}'): id has 70,000 characters; at most 65,536 are read of an id or a name, so shorten it"),
        ({"unit": "h"}, "f.json: unit is 'h'; it must be 's' or null"),
        ({"rules": [{"kind": "spell"}]}, "f.json: rule number 1: kind is 'spell'; it must be 'pin' or 'together'"),
        ({"rules": [{}]}, "f.json: rule number 1: kind is missing; it must be 'pin' or 'together'"),
        ({"rules": [{"kind": "together", "ops": ["a", None]}]}, "f.json: rule number 1: entry number 2 of ops is None; it must be text that is not empty"),
        ({"rules": [{"kind": "pin"}]}, "f.json: rule number 1: op is missing; it must be text that is not empty"),
        ({"pairs": [["a"]]}, "f.json: entry number 1 of pairs is ['a']; it must be a list of 2 values"),
        ({"pairs": [["a", float("nan")]]}, "f.json: entry number 2 of entry number 1 of pairs is nan; it must be a number, finite and not negative"),
        ({"costs": {"a": 1, "b\x1b": 10**400}}, "f.json: costs: b\\x1b is an integer of more than 18 digits; it must be a number, finite and not negative"),
        ({"camera": {"x": 1, "z": 2}}, "f.json: camera has a field 'z', which is not known; the fields are x, y"),
        ({"methods": [{"x": "1"}]}, "f.json: method number 1: x is '1'; it must be a number"),
        ({"methods": [3]}, "f.json: method number 1 is 3; it must be text or an object"),
        ({"seeds": 10}, "f.json: seeds is 10; it must be a whole number from 1 to 9 or a list"),
        ({"seeds": [1, True]}, "f.json: entry number 2 of seeds is True; it must be a whole number"),
    ],
)  # fmt: skip
def test_what_is_something_else_is_told_in_one_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlanError) as caught:
        typed({"ops": [], **change}, File, "f.json", PlanError)
    assert str(caught.value) == sentence


def test_the_whole_may_be_something_else() -> None:
    with pytest.raises(ModelError, match=r"^f\.json must be an object, not \[\]$"):
        typed([], File, "f.json")
    with pytest.raises(ModelError, match=r"^f\.json: entry number 2 of it is 'x'; it must be a number$"):
        typed([1, "x"], list[float], "f.json")


def test_half_a_surrogate_pair_in_a_key_or_a_kind() -> None:
    assert typed({"ops": [], "\ud800": 1, "costs": {"\udfff": 1}}, File, "f.json").costs
    with pytest.raises(ModelError, match=r"kind is '\\+ud800'; it must be 'pin' or 'together'"):
        typed({"ops": [], "rules": [{"kind": "\ud800"}]}, File, "f.json")
