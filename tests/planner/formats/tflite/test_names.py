"""Ids lead back to the place in the file, whatever an op is called and however models were merged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.formats.tflite.names import input_id, input_of, operator_id, operator_of

PLACE = st.integers(0, 999_999)


@given(PLACE, PLACE, st.text(max_size=100), st.sampled_from(["", "model/", "a/0:1:ADD/", "input:3/"]))
def test_operators_are_found_again(subgraph: int, operator: int, opcode: str, model: str) -> None:
    identity = operator_id(subgraph, operator, opcode)
    assert operator_of(model + identity) == (subgraph, operator)
    assert input_of(model + identity) is None
    assert "/" not in identity and " " not in identity and identity.isprintable()


@given(PLACE, st.sampled_from(["", "model/", "0:1:ADD/"]))
def test_inputs_are_found_again(position: int, model: str) -> None:
    assert input_of(model + input_id(position)) == position
    assert operator_of(model + input_id(position)) is None


@pytest.mark.parametrize(
    "other", ["", "conv2_block1", "0:1", "x:1:ADD", "0:1:", "0:1:A:B", "input:", "input:x", "0:1:ADD/"]
)
def test_other_ids_name_nothing(other: str) -> None:
    assert operator_of(other) is None and input_of(other) is None
