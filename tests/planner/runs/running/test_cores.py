"""Lists of cores, and who gets which."""

from __future__ import annotations

import pytest

from planner.errors import StageboardError
from planner.runs.running.cores import check_cores, cores_text, here, parse_cores, share_out


def test_lists_are_read_and_said() -> None:
    assert parse_cores("0, 2,4-7") == (0, 2, 4, 5, 6, 7)
    assert cores_text((0, 2, 4, 5, 6, 7)) == "0,2,4-7"
    assert parse_cores("3,1") == (3, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no list of cores"),
        ("one", "no list of cores"),
        ("1-", "no list of cores"),
        ("-1", "no list of cores"),
        ("3-1", "smaller number first"),
        ("0-9999", "smaller number first"),
        ("0,1,0", "names a core twice"),
    ],
)
def test_other_lists_are_refused(text: str, said: str) -> None:
    with pytest.raises(StageboardError, match=said):
        parse_cores(text)


def test_cores_must_be_there() -> None:
    check_cores(here())
    with pytest.raises(StageboardError, match="core 4095 is not among those"):
        check_cores((4095,))


def test_cores_go_round() -> None:
    assert share_out((0, 1), 3, 1) == [(0,), (1,), (0,)]
    assert share_out((4, 5, 6, 7), 2, 2) == [(4, 5), (6, 7)]
    assert share_out((0, 1), 2, 3) == [(0, 1), (1, 0)]
