"""Multiply-accumulates of single TFLite operators, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from planner.formats.tflite.macs import macs

IMAGE = (2, 8, 8, 6)
LSTM = [(2, 5, 3), *[(4, 3)] * 4, *[(4, 4)] * 4, *[None] * 3, *[(4,)] * 4]


@pytest.mark.parametrize(
    ("kind", "options", "inputs", "output", "expected"),
    [
        ("CONV_2D", {}, [IMAGE, (10, 3, 3, 6), (10,)], (2, 4, 4, 10), 320 * 54),
        ("CONV_2D", {}, [IMAGE, (10, 3, 3, 2), (10,)], (2, 4, 4, 10), 320 * 18),  # three groups
        ("DEPTHWISE_CONV_2D", {}, [IMAGE, (1, 3, 5, 6), (6,)], (2, 8, 8, 6), 768 * 15),
        ("TRANSPOSE_CONV", {}, [(4,), (10, 2, 2, 6), IMAGE], (2, 16, 16, 10), 768 * 40),
        ("Convolution2DTransposeBias", {}, [IMAGE, (10, 2, 2, 6), (10,)], (2, 16, 16, 10), 768 * 40),
        ("CONV_3D", {}, [(1, 4, 8, 8, 6), (2, 3, 3, 6, 10)], (1, 4, 8, 8, 10), 2560 * 108),
        ("CONV_3D_TRANSPOSE", {}, [(5,), (2, 3, 3, 10, 6), (1, 4, 8, 8, 6)], (1, 8, 16, 16, 10), 1536 * 180),
        ("FULLY_CONNECTED", {}, [(7, 12), (5, 12), None], (7, 5), 7 * 60),
        ("FULLY_CONNECTED", {}, [(2, 3, 12), (5, 12), None], (2, 3, 5), 6 * 60),
        ("BATCH_MATMUL", {}, [(3, 4, 5), (3, 5, 6)], (3, 4, 6), 3 * 4 * 5 * 6),
        ("BATCH_MATMUL", {"adj_x": True}, [(3, 5, 4), (3, 5, 6)], (3, 4, 6), 3 * 4 * 5 * 6),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", {}, LSTM, (2, 5, 4), 10 * 4 * 28),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", {}, [*LSTM, (2, 4)], (2, 5, 2), 10 * (4 * 28 + 8)),  # with a projection
        ("BIDIRECTIONAL_SEQUENCE_LSTM", {}, [*LSTM, None, None, *LSTM[1:]], (2, 5, 8), 10 * 8 * 28),
        ("LSTM", {}, [(2, 3), *LSTM[1:]], (2, 4), 2 * 4 * 28),
        ("LSTM", {}, [(2, 3), (2, 4), (16, 7), (16,), (2, 4)], (2, 4), 2 * 16 * 7),
        ("RNN", {}, [(2, 3), (4, 3), (4, 4), (4,)], (2, 4), 2 * 28),
        ("UNIDIRECTIONAL_SEQUENCE_RNN", {}, [(2, 5, 3), (4, 3), (4, 4), (4,)], (2, 5, 4), 10 * 28),
        ("BIDIRECTIONAL_SEQUENCE_RNN", {}, [(2, 5, 3), (4, 3), (4, 4), (4,), (2, 4), (4, 3), (4, 4)], (2, 5, 4), 560),
        ("SVDF", {}, [(2, 3), (8, 3), (8, 10), (4,)], (2, 4), 2 * (24 + 80)),
        ("ADD", {}, [IMAGE, IMAGE], IMAGE, 0),
        ("CONV_2D", {}, [IMAGE], IMAGE, 0),  # no filter: damaged
        ("BATCH_MATMUL", {}, [(), (3,)], (3,), 0),
        ("FULLY_CONNECTED", {}, [(1,), (2**31,), None], (2**31,) * 3, 1e30),  # capped
    ],
)  # fmt: skip
def test_by_hand(
    kind: str, options: dict[str, Any], inputs: list[Any], output: tuple[int, ...], expected: float
) -> None:
    assert macs(kind, options, inputs, [output]) == expected
